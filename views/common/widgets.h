// SPDX-License-Identifier: GPL-3.0-or-later
// Building blocks of views: properties that most widgets are given together, layouts written as the list of their
// contents, the placeholder of a view without content, and the row of buttons at its top.
#pragma once

#include <QHBoxLayout>
#include <QMargins>
#include <QWidget>
#include <functional>
#include <initializer_list>
#include <optional>

class QAbstractItemModel;
class QFormLayout;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace mitos::views {

/// Sets the object name, by which tests find the widget, and the texts that are not empty.
void setUpWidget(QWidget* widget, const char* name, const QString& toolTip, const QString& accessibleName = {});
/// A label that shows texts from files as they are, on as many lines as they need.
void setUpPlainLabel(QLabel* label, const char* name);
/// The title of a part of a view: small capitals in the faint colour.
[[nodiscard]] QLabel* sectionTitle(const QString& text, QWidget* parent);
/// Adds a row with such a label, whose text can be selected.
[[nodiscard]] QLabel* addTextRow(QFormLayout& form, const char* name, const QString& title);

/// Shows the model with whole rows selectable, one at a time, without a grid and with low rows. Tab leaves the table.
/// `title` is the table's accessible name.
void setUpRowTable(QTableView& table, QAbstractItemModel& model, const QString& name, const QString& title);

/// Makes a stack ask for no more space than its current page needs; Qt asks for what the largest page needs.
void showsSizeOfCurrentPage(QStackedWidget& pages);
/// Calls `work` whenever the widget is shown: at once, or with Qt::QueuedConnection after the events that are pending.
void whenShown(QWidget* widget, Qt::ConnectionType type, std::function<void()> work);

/// A widget or a layout inside a layout, with its stretch factor; or empty space.
struct LayoutItem {
    LayoutItem(QWidget* item, int factor = 0, Qt::Alignment aligned = {})
        : widget(item),
          stretch(factor),
          alignment(aligned) {}
    LayoutItem(QLayout* item, int factor = 0) : layout(item), stretch(factor) {}
    LayoutItem(int pixels, int factor) : space(pixels), stretch(factor) {}

    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int space = 0;
    int stretch = 0;
    Qt::Alignment alignment = {};
};
/// Empty space that takes a share of what is left, and empty space of a fixed size.
[[nodiscard]] inline LayoutItem stretch(int factor = 1) { return {0, factor}; }
[[nodiscard]] inline LayoutItem gap(int pixels) { return {pixels, 0}; }

/// Pixels around and between the items; the style's if they are not set.
struct LayoutSpace {
    std::optional<QMargins> margins = {};
    std::optional<int> spacing = {};
};
inline constexpr QMargins NoMargins{0, 0, 0, 0};
inline constexpr QMargins NarrowMargins{4, 4, 4, 4};  ///< those of a view in a dock

/// A layout of items one below the other, or one beside the other.
[[nodiscard]] QVBoxLayout* columnOf(std::initializer_list<LayoutItem> items, const LayoutSpace& space = {});
[[nodiscard]] QHBoxLayout* rowOf(std::initializer_list<LayoutItem> items, const LayoutSpace& space = {});
/// The same as the layout of a widget, which becomes the items' parent.
void fillColumn(QWidget* widget, std::initializer_list<LayoutItem> items, const LayoutSpace& space = {});
void fillRow(QWidget* widget, std::initializer_list<LayoutItem> items, const LayoutSpace& space = {});

/// The placeholder of a view without content: one line that says why, and one button that changes it.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(QWidget* parent = nullptr);

    /// Shows no button if the action text or the action is empty.
    void explain(const QString& text, const QString& actionText = {}, std::function<void()> action = {});
    [[nodiscard]] QString text() const;

private:
    QLabel* m_label;
    QPushButton* m_button;
    std::function<void()> m_action;
};

/// A flat button, which the layout that it is added to gives a parent.
[[nodiscard]] QToolButton* flatButton(const QString& name, const QString& text, const QString& toolTip);

/// The row of flat buttons at the top of a view. New buttons are inserted after the earlier ones, at the left; items
/// added to the layout itself follow the stretch after the buttons.
class ButtonRow : public QHBoxLayout {
public:
    ButtonRow() { addStretch(1); }

    /// The layout's parent widget owns the button.
    QToolButton* addButton(const QString& name, const QString& text, const QString& toolTip);

private:
    int m_buttons = 0;
};

}  // namespace mitos::views
