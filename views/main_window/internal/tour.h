// SPDX-License-Identifier: GPL-3.0-or-later
// The guided tour: call-outs over the window, one after the other, each with an outline around what it explains.
#pragma once

#include <QList>
#include <QRect>
#include <QString>
#include <QWidget>
#include <functional>

class QFrame;
class QLabel;
class QPushButton;

namespace mitos::views {

struct TourStop {
    QString title;
    QString text;
    std::function<void()> prepare;  ///< brings the target into view
    std::function<QRect()> target;  ///< in the window's coordinates; empty while it is not visible
};

/// Covers its window until it is finished or skipped. The program below stays as it is; its keys do not reach it.
class Tour : public QWidget {
    Q_OBJECT
public:
    /// Starts at the first stop. It deletes itself at its end.
    Tour(QList<TourStop> stops, QWidget* window);

    [[nodiscard]] int stop() const { return m_stop; }
    /// The outlined part of the window; empty if the target is not visible.
    [[nodiscard]] QRect outline() const { return m_outline; }
    /// Places the call-out again, after the window has changed.
    void place();
    void skip();

Q_SIGNALS:
    void ended();  ///< finished or skipped

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void goTo(int stop);
    void placeLater();
    [[nodiscard]] QPoint cardPlace() const;

    QList<TourStop> m_stops;
    int m_stop = 0;
    bool m_isPlacing = false;
    QRect m_outline;
    QFrame* m_card;
    QLabel* m_title;
    QLabel* m_text;
    QLabel* m_count;
    QPushButton* m_skip;
    QPushButton* m_back;
    QPushButton* m_next;
};

}  // namespace mitos::views
