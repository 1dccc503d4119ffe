// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/choices.h"

#include "core/cost/cost_model.h"
#include "core/rules/rule_sets.h"
#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/document/own_rule_sets.h"

#include <QCoreApplication>
#include <algorithm>

namespace mitos::views {

namespace {

/// A model, or one for each choice of its first parameter with choices; the default comes first.
void addChoices(std::vector<CostModelChoice>& choices, const cost::CostModelInfo& model) {
    const QString title = fromUtf8(model.title);
    const auto varied = std::ranges::find_if(model.parameters, [](const auto& p) { return !p.choices.empty(); });
    if (varied == model.parameters.end()) {
        choices.push_back({fromUtf8(model.name), title});
        return;
    }
    const std::size_t first = choices.size();
    for (std::size_t i = 0; i < varied->choices.size(); ++i) {
        const std::string& shown = varied->choiceTitles.empty() ? varied->choices[i] : varied->choiceTitles[i];
        choices.push_back({fromUtf8(cost::costModelName(model, {{varied->name, varied->choices[i]}})),
                           QCoreApplication::translate("Choices", "%1, %2").arg(title, fromUtf8(shown))});
    }
    std::stable_partition(choices.begin() + static_cast<std::ptrdiff_t>(first), choices.end(),
                          [&](const CostModelChoice& choice) { return choice.name == fromUtf8(model.name); });
}

}  // namespace

std::vector<CostModelChoice> costModelChoices(const ir::Dialect* dialect, const QString& inForce) {
    std::vector<CostModelChoice> choices;
    for (const auto& model : dialect != nullptr ? cost::costModelsFor(dialect->name) : cost::allCostModels()) {
        addChoices(choices, model->info());
    }
    if (std::ranges::find(choices, inForce, &CostModelChoice::name) != choices.end()) return choices;
    const auto model = cost::findCostModel(inForce.toStdString());
    if (model && (dialect == nullptr || (*model)->info().prices(dialect->name))) {
        choices.push_back({inForce, fromUtf8((*model)->info().title)});
    }
    return choices;
}

QStringList ruleSetChoices(const ir::Dialect& dialect, const QStringList& inForce) {
    QStringList offered;
    for (const std::string& name : rules::shippedRuleSets(dialect)) offered << fromUtf8(name);
    for (const QString& name : ownRuleSets() + inForce) {
        if (!offered.contains(name)) offered << name;
    }
    return offered;
}

QString strategyLabel(const QString& name) {
    const auto found = search::findStrategy(name.toStdString());
    return found ? fromUtf8((*found)->info().label) : name;
}

QString stopText(const QString& reason) {
    const auto found = search::stopReasonNamed(reason.toStdString());
    return found ? fromUtf8(search::labelOf(*found)) : reason;
}

QString stopText(egraph::StopReason reason) {
    switch (reason) {
        case egraph::StopReason::Saturated: return QCoreApplication::translate("StopText", "saturated");
        case egraph::StopReason::Iterations: return QCoreApplication::translate("StopText", "iteration limit");
        case egraph::StopReason::Nodes: return QCoreApplication::translate("StopText", "node limit");
        case egraph::StopReason::Memory: return QCoreApplication::translate("StopText", "memory limit");
        case egraph::StopReason::Seconds: return QCoreApplication::translate("StopText", "time limit");
        case egraph::StopReason::Stopped: return QCoreApplication::translate("StopText", "stopped by you");
        case egraph::StopReason::Contradiction: return QCoreApplication::translate("StopText", "contradiction");
        case egraph::StopReason::Found: return QCoreApplication::translate("StopText", "goal found");
    }
    return {};
}

}  // namespace mitos::views
