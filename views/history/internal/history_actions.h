// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the selected states of the history: pin, name, note, colour, compare.
#pragma once

#include "views/document/document.h"
#include "views/history/history_filter.h"
#include "views/theme/theme.h"

#include <QList>
#include <QObject>

class QAction;
class QMenu;
class QTreeView;

namespace mitos::views {

/// Actions whose keys work while the tree has the focus, and the menu that shows them.
class HistoryActions : public QObject {
    Q_OBJECT
public:
    HistoryActions(Document& document, Selection& selection, HistoryFilter& filter, QTreeView& tree);

    void setTheme(const Theme& theme);
    /// A swatch for each colour a state may have; it contains the colour's number, so that it does not rely on colour alone.
    [[nodiscard]] static QList<QIcon> tags(const Theme& theme);

private:
    QAction* add(const QString& name, const QString& text, const QKeySequence& key, void (HistoryActions::*does)());
    void popUp(const QPoint& place);
    void update();
    /// States of the selected rows, without rows of groups; the one under the cursor last.
    [[nodiscard]] std::vector<rewrite::StateId> chosen() const;
    void change(const std::function<void(rewrite::Marks&)>& change);

    void checkOut();
    void togglePin();
    void rename();
    void writeNote();
    void setColor(std::uint32_t color);
    void compare();
    void stopComparing();
    void goToSame();

    Document& m_document;
    Selection& m_selection;
    HistoryFilter& m_filter;
    QTreeView& m_tree;
    QMenu* m_menu;
    QMenu* m_colors;
    QAction* m_checkOut;
    QAction* m_goToSame;
    QAction* m_pin;
    QAction* m_rename;
    QAction* m_note;
    QAction* m_compare;
    QAction* m_stopComparing;
};

}  // namespace mitos::views
