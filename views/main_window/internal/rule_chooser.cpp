// SPDX-License-Identifier: GPL-3.0-or-later
// The user chooses shipped rule sets by name and others from files.
#include "views/main_window/internal/rule_chooser.h"

#include "core/rules/tensat/tensat.h"
#include "core/tensor/operator.h"
#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/own_rule_sets.h"
#include "views/document/verdicts.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

namespace mitos::views {

namespace {
QString label() { return RuleChooser::tr("Rules") + QStringLiteral("  "); }
}  // namespace

RuleChooser::RuleChooser(Document& document, QWidget* parent)
    : QToolButton(parent),
      m_document(document),
      m_menu(new QMenu(tr("&Rule Sets"), this)) {
    setObjectName(QStringLiteral("ruleChooser"));
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setAutoRaise(false);
    setMenu(m_menu);
    setAccessibleDescription(tr("Rule sets in force"));
    connect(&document, &Document::rulesChanged, this, &RuleChooser::update);
    connect(&document, &Document::opened, this, &RuleChooser::update);
    connect(&document, &Document::trustChanged, this, &RuleChooser::update);
    connect(m_menu, &QMenu::aboutToShow, this, &RuleChooser::update);
    update();
}

rules::RuleChoice RuleChooser::inForce() const { return rules::RuleChoice::parse(m_document.rules().names()); }

void RuleChooser::setLabelled(bool isLabelled) {
    m_isLabelled = isLabelled;
    showText();
}

int RuleChooser::labelWidth() const { return fontMetrics().horizontalAdvance(label()); }

void RuleChooser::showText() { setText((m_isLabelled ? label() : QString()) + m_sets); }

void RuleChooser::update() {
    const rules::RuleChoice inForce = this->inForce();
    QStringList names;
    QStringList shown;
    for (const std::string& set : inForce.sets) names << fromUtf8(set);
    for (const QString& name : names) shown << ruleSetTitle(name, names);
    const auto leftOut = static_cast<int>(inForce.leftOut.size());
    const auto failed = static_cast<int>(m_document.failedRules().size() + m_document.untestedRules().size());
    m_sets = (failed > 0 ? QStringLiteral("⚠ ") : QString()) +
             (shown.isEmpty() ? tr("no rules") : shown.join(QStringLiteral(" + "))) +
             (leftOut > 0 ? tr(", %1 off").arg(leftOut) : QString()) +
             (m_document.allowsAssumptions() ? tr(", assuming") : QString());
    showText();
    setToolTip(
        tr("Rule sets in force: %1 rules, %2 directions")
            .arg([this] {
                std::size_t count = 0;
                for (const rules::RuleSet& set : m_document.rules().sets()) count += set.rules.size();
                return count;
            }())
            .arg(m_document.rules().directions().size()) +
        (leftOut > 0 ? QLatin1Char('\n') + tr("Rules that are switched off: %1").arg(leftOut) : QString()) +
        (failed > 0 ? QLatin1Char('\n') + tr("Failed their test, or could not be tested: %1").arg(failed) : QString()));
    m_menu->clear();
    for (const QString& name : ruleSetChoices(m_document.dialect(), names)) {
        QAction* action = m_menu->addAction(name);
        action->setCheckable(true);
        action->setChecked(names.contains(name));
        connect(action, &QAction::triggered, this, [this, name](bool checked) {
            rules::RuleChoice chosen = this->inForce();
            chosen.use(name.toStdString(), checked);
            choose(chosen);
        });
    }
    m_menu->addSeparator();
    QAction* add = m_menu->addAction(tr("Add Rule File…"), this, &RuleChooser::addFile);
    add->setObjectName(QStringLiteral("addRuleFile"));
    m_menu->addSeparator();
    m_menu->setToolTipsVisible(true);
    QAction* assume = m_menu->addAction(tr("Allow Assumptions about Signs"));
    assume->setObjectName(QStringLiteral("allowAssumptions"));
    assume->setToolTip(assumptionsHelp());
    assume->setCheckable(true);
    assume->setChecked(m_document.allowsAssumptions());
    assume->setEnabled(m_document.isOpen());
    connect(assume, &QAction::triggered, &m_document, &Document::setAllowingAssumptions);
    if (!m_document.hasDoubtfulRules()) return;
    m_menu->addSeparator();
    QAction* show =
        m_menu->addAction(tr("Show Rules That Failed Their Test"), this, [this] { Q_EMIT doubtsRequested(); });
    show->setObjectName(QStringLiteral("showFailedRules"));
    show->setEnabled(failed > 0);
    QAction* insist = m_menu->addAction(tr("Insist: Search with Rules That Failed"));
    insist->setObjectName(QStringLiteral("insistOnRules"));
    insist->setCheckable(true);
    insist->setChecked(m_document.isInsisting());
    connect(insist, &QAction::triggered, &m_document, &Document::setInsisting);
}

void RuleChooser::choose(const rules::RuleChoice& choice) {
    if (choice.sets.empty()) {
        update();  // at least one set must stay, since nothing can be done without rules
        return;
    }
    m_document.setRules(fromUtf8(choice.toString()));
}

void RuleChooser::addFile() {
    const QString own = tr("Rules (*.rules)");
    const QString foreign = tr("TENSAT's rules (*.txt)");
    const QString published = tr("All of TENSAT's rules, in a folder (single.txt)");
    QStringList kinds{own};
    if (m_document.dialect().name == tensor::DialectName) kinds << foreign << published;
    kinds << tr("All files (*)");
    auto* dialog = new QFileDialog(window(), tr("Add Rule File"));
    dialog->setObjectName(QStringLiteral("ruleFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(kinds);
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog, foreign, published](const QString& path) {
        const bool isFolder = dialog->selectedNameFilter() == published;
        const bool isForeign = isFolder || dialog->selectedNameFilter() == foreign;
        const QString source = isFolder ? QFileInfo(path).absolutePath() : path;
        const QString set = isForeign ? fromUtf8(rules::tensat::Prefix) + source : path;
        if (!isForeign) addOwnRuleSet(path);
        rules::RuleChoice chosen = inForce();
        chosen.use(set.toStdString(), true);
        choose(chosen);
    });
    dialog->open();
}

}  // namespace mitos::views
