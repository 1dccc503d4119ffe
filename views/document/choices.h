// SPDX-License-Identifier: GPL-3.0-or-later
// The cost models and rule sets that menus and boxes offer for programs of a kind, and what they call strategies.
#pragma once

#include "core/egraph/report.h"
#include "core/ir/dialect.h"
#include "core/ir/function.h"

#include <QString>
#include <QStringList>
#include <vector>

namespace mitos::views {

struct CostModelChoice {
    QString name;   ///< for Document::setCostModel: "roofline:laptop"
    QString title;  ///< for people
};

/// The models that can price programs of the dialect (null: of any dialect); a model with choices, such as the devices of
/// the roofline, appears once for each. The model in force is always included, unless it prices other programs.
[[nodiscard]] std::vector<CostModelChoice> costModelChoices(const ir::Dialect* dialect, const QString& inForce);
/// How people call a strategy: "A* search" for "astar". The name itself if there is no such strategy.
[[nodiscard]] QString strategyLabel(const QString& name);
/// Why a search ended, in words: "time limit" for "seconds". The text itself if it is no stop reason.
[[nodiscard]] QString stopText(const QString& reason);
/// Why a saturation ended, in words: "iteration limit".
[[nodiscard]] QString stopText(egraph::StopReason reason);
/// The rule sets shipped for programs of the dialect, the user's own, and those in force.
[[nodiscard]] QStringList ruleSetChoices(const ir::Dialect& dialect, const QStringList& inForce);

}  // namespace mitos::views
