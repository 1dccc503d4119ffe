// SPDX-License-Identifier: GPL-3.0-or-later
// What there is to choose from for programs of a kind, as menus and boxes offer it.
#pragma once

#include "core/ir/function.h"

#include <QString>
#include <QStringList>
#include <vector>

namespace mitos::views {

struct CostModelChoice {
    QString name;   ///< for Document::setCostModel: "roofline:laptop"
    QString title;  ///< what it is
};

/// The models that price such programs, the roofline once for each device that comes with the program. What is in force is
/// among them whatever it is.
[[nodiscard]] std::vector<CostModelChoice> costModelChoices(ir::Sharing sharing, const QString& inForce);
/// The rule sets that come with the program for such programs, and those in force.
[[nodiscard]] QStringList ruleSetChoices(ir::Sharing sharing, const QStringList& inForce);

}  // namespace mitos::views
