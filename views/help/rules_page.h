// SPDX-License-Identifier: GPL-3.0-or-later
// The documentation of the rules in force, from the rule files themselves.
#pragma once

#include "core/rules/rule.h"

#include <QString>

namespace mitos::views {

/// A page with every rule: its comment, its text, how far its sides agree. Each has an anchor of its name.
[[nodiscard]] QString rulesPage(const rules::RuleBook& rules);

}  // namespace mitos::views
