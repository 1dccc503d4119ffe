// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/rule_set_list.h"

#include "core/dialects/dialects.h"
#include "core/rules/rule_sets.h"
#include "core/rules/tensat/tensat.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/document/own_rule_sets.h"
#include "views/rule_editor/internal/rule_file.h"
#include "views/theme/theme.h"

#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int RowHeight = 24;
constexpr int SetRole = Qt::UserRole;       // the set of a row, and of the rows of its rules
constexpr int RuleRole = Qt::UserRole + 1;  // the name of a rule
constexpr int LineRole = Qt::UserRole + 2;  // of the rule in the set's text; 0 if an included set has it

bool isRule(const QTreeWidgetItem& item) { return !item.data(0, RuleRole).toString().isEmpty(); }
QString setOf(const QTreeWidgetItem& item) { return item.data(0, SetRole).toString(); }

QString fileOf(const QString& set) {
    const auto foreign = rules::tensat::fileOf(set.toStdString());
    return foreign ? fromUtf8(*foreign) : set;
}

}  // namespace

RuleSetList::RuleSetList(Document& document, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_jobs(jobs),
      m_tree(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("ruleSetList"));
    setUpWidget(m_tree, "ruleSets", {}, tr("Rule sets and their rules"));
    m_tree->setHeaderHidden(true);
    m_tree->setColumnCount(1);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(14);
    auto* buttons = new ButtonRow;
    m_new = buttons->addButton(QStringLiteral("ruleSetNew"), tr("New…"), tr("Make a set of your own"));
    m_open = buttons->addButton(QStringLiteral("ruleSetOpen"), tr("Open…"), tr("Add a file of rules to the list"));
    m_copy = buttons->addButton(QStringLiteral("ruleSetCopy"), tr("Copy…"),
                                tr("Copy this set to a set of your own, which you can change"));
    m_remove = buttons->addButton(QStringLiteral("ruleSetRemove"), tr("Remove"),
                                  tr("Remove this set from the list; its file stays"));
    auto* title = rowOf({sectionTitle(tr("Rule sets"), this), stretch()}, {.margins = QMargins(12, 10, 8, 4)});
    auto* top = new QWidget(this);
    top->setLayout(buttons);
    buttons->setContentsMargins(6, 0, 6, 4);
    fillColumn(this, {title, top, {m_tree, 1}}, {.margins = NoMargins, .spacing = 0});
    connect(m_new, &QToolButton::clicked, this, &RuleSetList::newRequested);
    connect(m_open, &QToolButton::clicked, this, &RuleSetList::openRequested);
    connect(m_copy, &QToolButton::clicked, this, [this] { Q_EMIT copyRequested(current()); });
    connect(m_remove, &QToolButton::clicked, this, [this] { Q_EMIT removeRequested(current()); });
    connect(m_tree, &QTreeWidget::itemExpanded, this, &RuleSetList::readRules);
    connect(m_tree, &QTreeWidget::itemChanged, this, &RuleSetList::itemChanged);
    connect(m_tree, &QTreeWidget::currentItemChanged, this, &RuleSetList::itemSelected);
    // A set may be chosen elsewhere, too.
    const auto follow = [this] { QMetaObject::invokeMethod(this, &RuleSetList::refresh, Qt::QueuedConnection); };
    connect(&document, &Document::rulesChanged, this, follow);
    connect(&document, &Document::opened, this, follow);
    followPalette(this, [this] {
        m_listed.clear();  // their colours are others
        refresh();
    });
}

void RuleSetList::focusTree() { m_tree->setFocus(); }

QTreeWidgetItem* RuleSetList::itemOf(const QString& set) const {
    for (int group = 0; group < m_tree->topLevelItemCount(); ++group) {
        QTreeWidgetItem* const top = m_tree->topLevelItem(group);
        for (int row = 0; row < top->childCount(); ++row) {
            if (setOf(*top->child(row)) == set) return top->child(row);
        }
    }
    return nullptr;
}

QString RuleSetList::current() const {
    const QTreeWidgetItem* const item = m_tree->currentItem();
    return item == nullptr ? QString() : setOf(*item);
}

bool RuleSetList::isInForce(const QString& set) const {
    const auto choice = rules::RuleChoice::parse(m_document.rules().names());
    return std::ranges::find(choice.sets, set.toStdString()) != choice.sets.end();
}

void RuleSetList::refresh() {
    const QScopedValueRollback filling(m_isFilling, true);
    QStringList inForce;
    for (const std::string& set : rules::RuleChoice::parse(m_document.rules().names()).sets) inForce << fromUtf8(set);
    QStringList own;
    QStringList shipped;
    QStringList offered = ruleSetChoices(m_document.dialect(), inForce);
    for (const QString& set : m_drafts) {
        if (!offered.contains(set)) offered << set;
    }
    for (const QString& set : offered) (rules::isShipped(set.toStdString()) ? shipped : own) << set;
    QStringList listed = own + shipped + m_drafts;
    for (const QString& set : own) {
        if (!QFileInfo::exists(fileOf(set))) listed << QStringLiteral("missing ") + set;
    }
    if (std::exchange(m_listed, listed) == listed && m_tree->topLevelItemCount() > 0) {
        updateChecks();
        updateButtons();
        return;
    }
    const int scrolled = m_tree->verticalScrollBar()->value();
    const QString before = current();
    const QString rule =
        m_tree->currentItem() == nullptr ? QString() : m_tree->currentItem()->data(0, RuleRole).toString();
    QStringList open;
    for (const QString& set : own + shipped) {
        if (const auto* item = itemOf(set); item != nullptr && item->isExpanded()) open << set;
    }
    m_tree->clear();
    const auto addGroup = [this](const QString& title, const QStringList& sets) {
        auto* group = new QTreeWidgetItem(m_tree, {title});
        group->setFlags(Qt::ItemIsEnabled);
        group->setSizeHint(0, {0, RowHeight});
        group->setForeground(0, Theme(palette()).faintText());
        group->setExpanded(true);
        addSets(group, sets);
    };
    addGroup(own.isEmpty() ? tr("Your sets: none yet") : tr("Your sets"), own);
    addGroup(tr("Come with Mitos"), shipped);
    for (const QString& set : open) {
        if (QTreeWidgetItem* const item = itemOf(set); item != nullptr) item->setExpanded(true);
    }
    updateChecks();
    QTreeWidgetItem* kept = itemOf(before);
    for (int row = 0; kept != nullptr && !rule.isEmpty() && row < kept->childCount(); ++row) {
        if (kept->child(row)->data(0, RuleRole) == rule) {
            kept = kept->child(row);
            break;
        }
    }
    if (kept != nullptr) m_tree->setCurrentItem(kept);
    m_tree->verticalScrollBar()->setValue(scrolled);
    updateButtons();
}

void RuleSetList::addSets(QTreeWidgetItem* group, const QStringList& sets) {
    QStringList files;
    for (const QString& set : sets) files << fileOf(set);
    for (const QString& set : sets) {
        const bool isShipped = rules::isShipped(set.toStdString());
        const bool isMissing = !isShipped && !QFileInfo::exists(fileOf(set));
        QString name = isShipped ? set : ruleSetTitle(fileOf(set), files);
        if (m_drafts.contains(set)) name += QStringLiteral(" •");
        if (isMissing) name = tr("%1 (missing)").arg(name);
        auto* item = new QTreeWidgetItem(group, {name});
        item->setSizeHint(0, {0, RowHeight});
        item->setData(0, SetRole, set);
        item->setToolTip(0, isShipped ? tr("%1: comes with Mitos").arg(set) : QDir::toNativeSeparators(fileOf(set)));
        if (isMissing) item->setForeground(0, Theme(palette()).faintText());
        item->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
        fillRules(item);
    }
}

void RuleSetList::updateChecks() {
    const auto choice = rules::RuleChoice::parse(m_document.rules().names());
    for (int group = 0; group < m_tree->topLevelItemCount(); ++group) {
        QTreeWidgetItem* const top = m_tree->topLevelItem(group);
        for (int row = 0; row < top->childCount(); ++row) {
            QTreeWidgetItem* const item = top->child(row);
            const bool isUsed = std::ranges::find(choice.sets, setOf(*item).toStdString()) != choice.sets.end();
            item->setCheckState(0, isUsed ? Qt::Checked : Qt::Unchecked);
            for (int child = 0; child < item->childCount(); ++child) {
                QTreeWidgetItem* const rule = item->child(child);
                if (!isRule(*rule)) continue;
                const bool isOff =
                    std::ranges::find(choice.leftOut, rule->data(0, RuleRole).toString().toStdString()) !=
                    choice.leftOut.end();
                const Qt::ItemFlags checkable = isUsed ? Qt::ItemIsUserCheckable : Qt::NoItemFlags;
                rule->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | checkable);
                // Rules of a set that is not in force have no box.
                rule->setData(0, Qt::CheckStateRole,
                              isUsed ? QVariant(isOff ? Qt::Unchecked : Qt::Checked) : QVariant());
            }
        }
    }
}

void RuleSetList::readRules(QTreeWidgetItem* item) {
    const QString set = setOf(*item);
    if (set.isEmpty() || isRule(*item) || m_rules.contains(set)) return;
    const auto registry = m_document.isOpen() ? m_document.bank().sharedRegistry() : nullptr;
    m_jobs.start(
        tr("Listing rules"), false, this,
        [name = set.toStdString(), registry](const std::stop_token&, const JobRunner::Report&) {
            return rulesOf(name, registry ? registry : dialects::makeRegistry());
        },
        [this, set](const std::vector<ListedRule>& rules) {
            m_rules.insert(set, rules);
            const QScopedValueRollback filling(m_isFilling, true);
            if (QTreeWidgetItem* const row = itemOf(set); row != nullptr) fillRules(row);
            updateChecks();
        });
}

void RuleSetList::fillRules(QTreeWidgetItem* item) {
    const QString set = setOf(*item);
    qDeleteAll(item->takeChildren());
    const auto known = m_rules.constFind(set);
    if (known == m_rules.cend()) {
        new QTreeWidgetItem(item, {tr("Reading…")});
        return;
    }
    if (known->empty()) {
        auto* none = new QTreeWidgetItem(item, {tr("no rule without errors")});
        none->setFlags(Qt::ItemIsEnabled);
        return;
    }
    for (const ListedRule& rule : *known) {
        auto* row = new QTreeWidgetItem(item, {rule.name});
        row->setData(0, SetRole, set);
        row->setData(0, RuleRole, rule.name);
        row->setData(0, LineRole, rule.line);
        row->setToolTip(0, rule.doc.isEmpty() ? rule.text : rule.doc + u'\n' + rule.text);
    }
}

void RuleSetList::reloadRules(const QString& set) {
    m_rules.remove(set);
    if (QTreeWidgetItem* const item = itemOf(set); item != nullptr && item->isExpanded()) readRules(item);
}

void RuleSetList::setDrafts(const QStringList& sets) {
    if (m_drafts == sets) return;
    m_drafts = sets;
    refresh();
}

void RuleSetList::setCurrent(const QString& set) {
    const QScopedValueRollback filling(m_isFilling, true);
    if (current() != set) m_tree->setCurrentItem(itemOf(set));
    updateButtons();
}

void RuleSetList::use(const QString& set, bool isUsed) {
    rules::RuleChoice choice = rules::RuleChoice::parse(m_document.rules().names());
    choice.use(set.toStdString(), isUsed);
    if (choice.sets.empty()) {
        Q_EMIT notice(tr("One set has to stay in force. Choose another one first."));
        QMetaObject::invokeMethod(this, &RuleSetList::refresh, Qt::QueuedConnection);
        return;
    }
    m_document.setRules(fromUtf8(choice.toString()));
}

void RuleSetList::itemChanged(QTreeWidgetItem* item) {
    if (m_isFilling) return;
    const bool isChecked = item->checkState(0) == Qt::Checked;
    if (!isRule(*item)) {
        use(setOf(*item), isChecked);
        return;
    }
    rules::RuleChoice choice = rules::RuleChoice::parse(m_document.rules().names());
    choice.leaveOut(item->data(0, RuleRole).toString().toStdString(), !isChecked);
    m_document.setRules(fromUtf8(choice.toString()));
}

void RuleSetList::itemSelected(QTreeWidgetItem* item) {
    if (m_isFilling || item == nullptr) return;
    updateButtons();
    const QString set = setOf(*item);
    if (set.isEmpty()) return;
    if (isRule(*item))
        Q_EMIT ruleChosen(set, item->data(0, RuleRole).toString(), item->data(0, LineRole).toInt());
    else
        Q_EMIT setChosen(set);
}

void RuleSetList::updateButtons() {
    const QString set = current();
    m_copy->setEnabled(!set.isEmpty());
    m_remove->setEnabled(!set.isEmpty() && !rules::isShipped(set.toStdString()) && !isInForce(set));
    m_remove->setToolTip(!set.isEmpty() && isInForce(set) && !rules::isShipped(set.toStdString())
                             ? tr("This set is in force. Take it out of force first, then it can be removed.")
                             : tr("Remove this set from the list; its file stays"));
}

}  // namespace mitos::views
