// SPDX-License-Identifier: GPL-3.0-or-later
// See gain_text.h.
#include "views/document/gain_text.h"

#include "views/common/format.h"

#include <QCoreApplication>

namespace mitos::views {

namespace {

QString translated(const char* text) { return QCoreApplication::translate("mitos::views::gain", text); }

}  // namespace

QString stateName(const rewrite::History& history, rewrite::StateId state) {
    if (const std::string& name = history.state(state).marks.name; !name.empty()) return fromUtf8(name);
    return state == history.start() ? translated("the start") : translated("state %1").arg(state.value);
}

bool RunGain::isCheaper() const { return cost < own && !isNoChange(cost - own, own); }

QString RunGain::text() const {
    const QString text = changeText(start, cost);
    // A gain that would be rounded to 0.0 % is given in the cost's unit.
    const bool isHidden = text == changeText(start, start) && !isNoChange(cost - start, start);
    return isHidden ? deltaText(cost - start) : text;
}

QString RunGain::fromText() const {
    return from.isEmpty() ? QString() : translated("from %1, %2").arg(from, costText(own));
}

QString RunGain::ownText() const {
    if (from.isEmpty() || !isCheaper()) return fromText();
    return translated("%1 (%2)").arg(fromText(), changeText(own, cost));
}

QString RunGain::exactText() const {
    const QString text = translated("%1 → %2 %3").arg(exactCostText(start), exactCostText(cost), unit);
    if (from.isEmpty()) return text;
    return text + QLatin1Char('\n') + translated("The run began at %1: %2 %3").arg(from, exactCostText(own), unit) +
           (isCheaper() ? QStringLiteral("  ") + changeText(own, cost) : QString());
}

RunGain gainOf(const rewrite::History& history, const cost::CostModelInfo& model, const search::RunFacts& run) {
    const rewrite::StateId began(run.startState < history.size() ? run.startState : history.start().value);
    RunGain gain{.start = history.state(history.start()).cost,
                 .own = history.state(began).cost,
                 .cost = history.state(began).cost,
                 .from = began == history.start() ? QString() : stateName(history, began),
                 .unit = fromUtf8(model.unit)};
    if (run.costModel == model.name)
        gain.cost = run.bestCost;
    else if (run.resultState.isValid())
        gain.cost = history.state(run.resultState).cost;
    return gain;
}

}  // namespace mitos::views
