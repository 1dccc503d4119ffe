// SPDX-License-Identifier: GPL-3.0-or-later
// Changed shortcuts take effect and are stored at once.
#include "views/preferences/shortcuts_page.h"

#include "views/preferences/preferences.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString nameOf(const QAction& action) {
    QString text = action.text();
    return text.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

QString keysOf(const QAction& action) {
    QStringList keys;
    for (const QKeySequence& key : action.shortcuts()) keys << key.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

}  // namespace

ShortcutsPage::ShortcutsPage(QList<QAction*> actions, QWidget* parent)
    : QWidget(parent),
      m_actions(std::move(actions)),
      m_table(new QTreeWidget(this)),
      m_keys(new QKeySequenceEdit(this)),
      m_assign(new QPushButton(tr("&Assign"), this)),
      m_reset(new QPushButton(tr("&Usual Keys"), this)),
      m_status(new QLabel(this)) {
    setObjectName(QStringLiteral("shortcutsPage"));
    m_table->setObjectName(QStringLiteral("shortcutsTable"));
    m_table->setColumnCount(2);
    m_table->setHeaderLabels({tr("Action"), tr("Keys")});
    m_table->setRootIsDecorated(false);
    m_table->setAlternatingRowColors(true);
    m_keys->setObjectName(QStringLiteral("shortcutsKeys"));
    m_assign->setObjectName(QStringLiteral("shortcutsAssign"));
    m_reset->setObjectName(QStringLiteral("shortcutsReset"));
    m_assign->setAutoDefault(false);
    m_reset->setAutoDefault(false);
    m_status->setObjectName(QStringLiteral("shortcutsStatus"));
    m_status->setWordWrap(true);
    auto* row = new QHBoxLayout;
    row->addWidget(m_keys, 1);
    row->addWidget(m_assign);
    row->addWidget(m_reset);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_table, 1);
    layout->addLayout(row);
    layout->addWidget(m_status);
    fill();
    m_table->resizeColumnToContents(0);
    connect(m_table, &QTreeWidget::currentItemChanged, this, &ShortcutsPage::showRow);
    connect(m_assign, &QPushButton::clicked, this, &ShortcutsPage::assign);
    connect(m_reset, &QPushButton::clicked, this, &ShortcutsPage::reset);
    showRow();
}

void ShortcutsPage::fill() {
    if (m_table->topLevelItemCount() == 0) {
        for (const QAction* action : m_actions) new QTreeWidgetItem(m_table, {nameOf(*action), {}});
    }
    for (int i = 0; i < m_table->topLevelItemCount(); ++i) m_table->topLevelItem(i)->setText(1, keysOf(*m_actions[i]));
}

QAction* ShortcutsPage::current() const {
    const int row = m_table->indexOfTopLevelItem(m_table->currentItem());
    return row < 0 ? nullptr : m_actions[row];
}

void ShortcutsPage::showRow() {
    const QAction* action = current();
    for (QWidget* widget : std::initializer_list<QWidget*>{m_keys, m_assign, m_reset}) {
        widget->setEnabled(action != nullptr);
    }
    m_status->setText(action == nullptr ? tr("Choose an action, press its new keys, then Assign.") : QString());
    m_keys->setKeySequence(action == nullptr ? QKeySequence() : action->shortcut());
}

void ShortcutsPage::assign() {
    QAction* action = current();
    if (action == nullptr) return;
    const QKeySequence keys = m_keys->keySequence();
    if (isTaken(keys)) return;
    storeShortcut(*action, &keys);
    m_status->clear();
    fill();
}

void ShortcutsPage::reset() {
    QAction* action = current();
    if (action == nullptr) return;
    const QList<QKeySequence> usual = usualShortcuts(*action);
    if (std::any_of(usual.begin(), usual.end(), [this](const QKeySequence& keys) { return isTaken(keys); })) return;
    storeShortcut(*action, nullptr);
    showRow();
    fill();
}

bool ShortcutsPage::isTaken(const QKeySequence& keys) {
    for (const QAction* other : m_actions) {
        if (other == current() || keys.isEmpty() || !other->shortcuts().contains(keys)) continue;
        m_status->setText(tr("✗ %1 belongs to “%2”; give that other keys first.")
                              .arg(keys.toString(QKeySequence::NativeText), nameOf(*other)));
        return true;
    }
    return false;
}

}  // namespace mitos::views
