// SPDX-License-Identifier: GPL-3.0-or-later
// The docks below the centre as one panel, which is open or collapsed to the strip of its tabs.
#pragma once

#include <QList>
#include <QObject>
#include <QPointer>
#include <functional>

class QAction;
class QDockWidget;
class QMainWindow;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace mitos::views {

/// Only docks that stand below the centre behind one another can collapse: a dock alone has no tab that would be left of it.
class BottomPanel : public QObject {
    Q_OBJECT
public:
    explicit BottomPanel(QMainWindow& window);

    /// The action of the button at the end of the strip.
    void setToggle(QAction* toggle);
    /// From now on the view of the dock, which is the first page, is hidden while the dock is collapsed or behind others.
    void add(QDockWidget* dock, QStackedWidget* pages);
    /// Arranges docks; which of them comes to the front then is not a request of the user.
    void arrange(const std::function<void()>& work);

    [[nodiscard]] bool isOpen() const { return m_isOpen; }
    void setOpen(bool open);
    /// The height, with the tabs, that the user gave it, and that it gets when it is opened; 0 stands for the usual one.
    [[nodiscard]] int lastHeight() const { return m_lastHeight; }
    void setLastHeight(int height) { m_lastHeight = height; }
    [[nodiscard]] int openHeight() const;

    [[nodiscard]] bool eventFilter(QObject* watched, QEvent* event) override;

Q_SIGNALS:
    /// The user chose a tab of the collapsed panel, or the one in front of the open panel.
    void requested(bool open);

private:
    struct Part {
        QDockWidget* dock;
        QStackedWidget* pages;
        bool isInFront = false;
    };

    void update();
    void giveHeight();
    [[nodiscard]] bool isCollapsed(const Part& part) const;
    [[nodiscard]] bool isInPanel(QDockWidget* dock) const;
    [[nodiscard]] QDockWidget* front() const;
    void placeButton();

    QMainWindow& m_window;
    QAction* m_toggle = nullptr;
    QList<Part> m_parts;
    const QDockWidget* m_lastFront = nullptr;
    QPointer<QTabBar> m_tabs;
    QPointer<QToolButton> m_button;
    int m_lastHeight = 0;
    int m_givenHeight = 0;  ///< when it was opened; 0 if it is not known
    int m_pressed = -1;     ///< the tab in front that the mouse was pressed on
    bool m_isOpen = true;
    bool m_isShown = false;  ///< the window
    bool m_isArranging = false;
};

}  // namespace mitos::views
