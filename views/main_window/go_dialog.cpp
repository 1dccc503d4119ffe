// SPDX-License-Identifier: GPL-3.0-or-later
// The palette's list: entries that contain all typed words, those that begin with them first.
#include "views/main_window/go_dialog.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {
constexpr int MostShown = 200;
}

GoDialog::GoDialog(QList<GoEntry> entries, QWidget* parent)
    : QDialog(parent),
      m_entries(std::move(entries)),
      m_edit(new QLineEdit(this)),
      m_list(new QListWidget(this)) {
    setObjectName(QStringLiteral("goDialog"));
    setWindowTitle(tr("Go to Anything"));
    m_edit->setObjectName(QStringLiteral("goEdit"));
    m_edit->setPlaceholderText(tr("An action, a state, a rule…"));
    m_list->setObjectName(QStringLiteral("goList"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformItemSizes(true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_edit);
    layout->addWidget(m_list, 1);
    resize(560, 420);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &GoDialog::filter);
    connect(m_edit, &QLineEdit::returnPressed, this, &GoDialog::choose);
    connect(m_list, &QListWidget::itemClicked, this, &GoDialog::choose);
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
        if (m_list->count() == MostShown) break;
        const GoEntry& entry = m_entries[one.entry];
        QString text = tr("%1: %2").arg(entry.kind, entry.text);
        if (!entry.detail.isEmpty()) text += QStringLiteral("   ") + entry.detail;
        auto* item = new QListWidgetItem(text, m_list);
        item->setData(Qt::UserRole, one.entry);
    }
    m_list->setCurrentRow(0);
}

void GoDialog::choose() {
    const QListWidgetItem* item = m_list->currentItem();
    if (item == nullptr) return;
    const std::function<void()> go = m_entries[item->data(Qt::UserRole).toInt()].go;
    accept();
    go();
}

bool GoDialog::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int by = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (by != 0) {
            m_list->setCurrentRow(std::clamp(m_list->currentRow() + by, 0, std::max(0, m_list->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace mitos::views
