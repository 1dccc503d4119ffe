// SPDX-License-Identifier: GPL-3.0-or-later
// The cost models and rule sets that menus and boxes offer for programs of a kind.
#pragma once

#include "core/ir/function.h"

#include <QString>
#include <QStringList>
#include <vector>

namespace mitos::views {

struct CostModelChoice {
    QString name;   ///< for Document::setCostModel: "roofline:laptop"
    QString title;  ///< for people
};

/// The models that can price programs with this sharing; the roofline appears once for each shipped device. The model
/// in force is always included.
[[nodiscard]] std::vector<CostModelChoice> costModelChoices(ir::Sharing sharing, const QString& inForce);
/// The rule sets shipped for programs with this sharing, and those in force.
[[nodiscard]] QStringList ruleSetChoices(ir::Sharing sharing, const QStringList& inForce);

}  // namespace mitos::views
