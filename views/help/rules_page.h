// SPDX-License-Identifier: GPL-3.0-or-later
// The documentation of the rules in force, generated from the rule files.
#pragma once

#include "core/rules/rule.h"

#include <QString>

namespace mitos::views {

/// A page with every rule: its comment, its text, and its soundness. Each rule has an anchor with its name.
[[nodiscard]] QString rulesPage(const rules::RuleBook& rules);

}  // namespace mitos::views
