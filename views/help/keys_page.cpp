// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/help/keys_page.h"

#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int EntryRole = Qt::UserRole;
constexpr int KeysColumn = 0;
constexpr int EffectColumn = 1;
constexpr int RemarkColumn = 2;

QString keysText(const KeyEntry& entry) {
    QStringList texts;
    for (const QKeySequence& keys : entry.keys) texts << keys.toString(QKeySequence::NativeText);
    if (!entry.gesture.isEmpty()) texts << entry.gesture;
    return texts.join(KeysPage::tr(" or "));
}

}  // namespace

KeysPage::KeysPage(QWidget* parent)
    : QWidget(parent),
      m_words(new QLineEdit(this)),
      m_keys(new QKeySequenceEdit(this)),
      m_table(new QTreeWidget(this)),
      m_status(new QLabel(this)),
      m_change(new QPushButton(tr("&Change…"), this)) {
    setObjectName(QStringLiteral("keysPage"));
    setUpWidget(m_words, "keysWords", {}, tr("Find an action"));
    m_words->setPlaceholderText(tr("Find an action: undo, zoom, pin…"));
    m_words->setClearButtonEnabled(true);
    setUpWidget(m_keys, "keysPressed", tr("Press keys to see what they do"), tr("Press keys"));
    auto* const keysField = m_keys->findChild<QLineEdit*>();
    keysField->setPlaceholderText(tr("Or press keys"));
    keysField->setAccessibleName(tr("Press keys"));
    auto* clear = new QToolButton(this);
    setUpWidget(clear, "keysClear", tr("Show all keys"), tr("Show all keys"));
    clear->setText(tr("All"));
    setUpWidget(m_table, "keysTable", {}, tr("All keys"));
    m_table->setHeaderLabels({tr("Keys"), tr("Effect"), QString()});
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(EffectColumn, QHeaderView::Stretch);
    m_table->setUniformRowHeights(true);
    m_table->setTabKeyNavigation(false);
    m_status->setObjectName(QStringLiteral("keysStatus"));
    m_change->setObjectName(QStringLiteral("keysChange"));
    m_change->setAutoDefault(false);
    m_change->setToolTip(tr("Give the selected action other keys, in the preferences"));
    fillColumn(this, {rowOf({{m_words, 2}, {m_keys, 1}, clear}), {m_table, 1}, rowOf({{m_status, 1}, m_change})},
               {.margins = NoMargins});
    connect(m_words, &QLineEdit::textChanged, this, &KeysPage::filter);
    connect(m_keys, &QKeySequenceEdit::keySequenceChanged, this, &KeysPage::filter);
    connect(clear, &QToolButton::clicked, this, [this] {
        m_keys->clear();
        m_words->clear();
    });
    connect(m_table, &QTreeWidget::currentItemChanged, this, &KeysPage::updateChange);
    connect(m_change, &QPushButton::clicked, this,
            [this] { Q_EMIT changeRequested(m_entries[m_table->currentItem()->data(0, EntryRole).toInt()].action); });
    followPalette(this, [this] { fill(); });
}

void KeysPage::setEntries(const QList<KeyEntry>& entries) {
    m_entries = entries;
    fill();
}

void KeysPage::focusSearch() {
    m_words->setFocus();
    m_words->selectAll();
}

QStringList KeysPage::conflicts(const KeyEntry& entry) const {
    QStringList others;
    for (const KeyEntry& other : m_entries) {
        if (&other == &entry) continue;
        // Keys of a view work in it only; those of actions work in the whole window.
        const bool isSameTime =
            other.action.isEmpty() == entry.action.isEmpty() && (!entry.action.isEmpty() || other.group == entry.group);
        const auto isShared = [&other](const QKeySequence& keys) { return other.keys.contains(keys); };
        if (isSameTime && std::ranges::any_of(entry.keys, isShared)) others << other.effect;
    }
    return others;
}

bool KeysPage::isWanted(const KeyEntry& entry) const {
    if (const QKeySequence pressed = m_keys->keySequence(); !pressed.isEmpty()) return entry.keys.contains(pressed);
    const QString text = entry.group + QLatin1Char(' ') + keysText(entry) + QLatin1Char(' ') + entry.effect;
    const QStringList words = m_words->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

void KeysPage::fill() {
    const Theme theme(palette());
    m_table->clear();
    QHash<QString, QTreeWidgetItem*> groups;
    for (int i = 0; i < m_entries.size(); ++i) {
        const KeyEntry& entry = m_entries[i];
        QTreeWidgetItem*& group = groups[entry.group];
        if (group == nullptr) {
            group = new QTreeWidgetItem(m_table, {entry.group});
            QFont bold;
            bold.setBold(true);
            group->setFont(0, bold);
            group->setFlags(Qt::ItemIsEnabled);
            group->setFirstColumnSpanned(true);
        }
        auto* item = new QTreeWidgetItem(group, {keysText(entry), entry.effect});
        item->setData(0, EntryRole, i);
        item->setToolTip(EffectColumn, entry.effect);
        const QStringList others = conflicts(entry);
        if (others.isEmpty()) continue;
        item->setText(RemarkColumn, tr("⚠ also: %1").arg(others.join(QStringLiteral(", "))));
        item->setForeground(RemarkColumn, theme.worse());
    }
    m_table->expandAll();
    for (const int column : {KeysColumn, RemarkColumn}) m_table->resizeColumnToContents(column);
    filter();
}

void KeysPage::filter() {
    m_words->setEnabled(m_keys->keySequence().isEmpty());
    QTreeWidgetItem* first = nullptr;
    int shown = 0;
    for (int g = 0; g < m_table->topLevelItemCount(); ++g) {
        QTreeWidgetItem* group = m_table->topLevelItem(g);
        bool any = false;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem* item = group->child(i);
            const bool wanted = isWanted(m_entries[item->data(0, EntryRole).toInt()]);
            item->setHidden(!wanted);
            any = any || wanted;
            shown += wanted ? 1 : 0;
            if (wanted && first == nullptr) first = item;
        }
        group->setHidden(!any);
    }
    m_table->setCurrentItem(first);
    m_status->setText(shown == 0 ? tr("Nothing has these keys or this name.") : tr("%n shown", nullptr, shown));
    updateChange();
}

void KeysPage::updateChange() {
    const QTreeWidgetItem* item = m_table->currentItem();
    const bool isEntry = item != nullptr && item->parent() != nullptr && !item->isHidden();
    m_change->setEnabled(isEntry && !m_entries[item->data(0, EntryRole).toInt()].action.isEmpty());
}

}  // namespace mitos::views
