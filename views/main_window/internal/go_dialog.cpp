// SPDX-License-Identifier: GPL-3.0-or-later
// The list of matches: entries that contain all typed words; those that begin with them come first.
#include "views/main_window/internal/go_dialog.h"

#include "views/common/layouts.h"
#include "views/common/widgets.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTreeWidget>
#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {
constexpr int MostShown = 200;

enum Column { KindColumn, TextColumn, DetailColumn, ColumnCount };
}  // namespace

GoDialog::GoDialog(QList<GoEntry> entries, QWidget* parent)
    : QDialog(parent),
      m_entries(std::move(entries)),
      m_edit(new QLineEdit(this)),
      m_list(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("goDialog"));
    setWindowTitle(tr("Go to Anything"));
    m_edit->setObjectName(QStringLiteral("goEdit"));
    m_edit->setPlaceholderText(tr("An action, a state, a rule…"));
    setUpWidget(m_list, "goList", {}, tr("What matches"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformRowHeights(true);
    m_list->setRootIsDecorated(false);
    m_list->setColumnCount(ColumnCount);
    m_list->header()->hide();
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(TextColumn, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(DetailColumn, QHeaderView::ResizeToContents);
    m_list->setColumnWidth(KindColumn, fontMetrics().horizontalAdvance(tr("Action")) + 24);
    fillColumn(this, {m_edit, {m_list, 1}});
    resize(560, 420);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &GoDialog::filter);
    connect(m_edit, &QLineEdit::returnPressed, this, &GoDialog::choose);
    connect(m_list, &QTreeWidget::itemClicked, this, &GoDialog::choose);
    filter();
}

void GoDialog::filter() {
    const QStringList words = m_edit->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    struct Found {
        int rank;
        int entry;
    };
    std::vector<Found> found;
    for (int i = 0; i < m_entries.size(); ++i) {
        const QString all = m_entries[i].kind + QLatin1Char(' ') + m_entries[i].text;
        const bool matches = std::all_of(words.begin(), words.end(),
                                         [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
        if (!matches) continue;
        const bool begins = !words.isEmpty() && m_entries[i].text.startsWith(words.front(), Qt::CaseInsensitive);
        found.push_back({begins ? 0 : 1, i});
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.rank < b.rank; });
    m_list->clear();
    for (const Found& one : found) {
        if (m_list->topLevelItemCount() == MostShown) break;
        const GoEntry& entry = m_entries[one.entry];
        auto* item = new QTreeWidgetItem(m_list, {entry.kind, entry.text, entry.detail});
        item->setData(KindColumn, Qt::UserRole, one.entry);
        item->setForeground(KindColumn, palette().placeholderText());
        item->setTextAlignment(DetailColumn, Qt::AlignRight | Qt::AlignVCenter);
    }
    m_list->setCurrentItem(m_list->topLevelItem(0));
}

void GoDialog::choose() {
    const QTreeWidgetItem* item = m_list->currentItem();
    if (item == nullptr) return;
    const std::function<void()> go = m_entries[item->data(KindColumn, Qt::UserRole).toInt()].go;
    accept();
    go();
}

bool GoDialog::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int by = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (by != 0) {
            const int row = m_list->indexOfTopLevelItem(m_list->currentItem()) + by;
            if (auto* item = m_list->topLevelItem(row); item != nullptr) m_list->setCurrentItem(item);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace mitos::views
