// SPDX-License-Identifier: GPL-3.0-or-later
// Selects, by their names ("ks-simple", "tensor-conv"), the shipped rule sets that apply to ks programs or to tensor programs.
#pragma once

#include "core/base/result.h"
#include "core/ir/function.h"
#include "core/rules/rule.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// The sets in a choice such as "ks-simple, my.rules".
[[nodiscard]] std::vector<std::string> setNames(std::string_view choice);
/// The default choice of rules for programs with such sharing.
[[nodiscard]] std::string_view defaultRules(ir::Sharing sharing);
/// The shipped sets that apply to such programs, in listing order.
[[nodiscard]] std::vector<std::string> shippedRuleSets(ir::Sharing sharing);
/// Whether a set, by name or file as in RuleBook::load, applies to such programs. Rule files may apply to any program; they are checked
/// when loaded. Files of TENSAT apply to graphs.
[[nodiscard]] bool isFor(std::string_view set, ir::Sharing sharing);

/// The same choice with absolute paths for the files, so that it does not depend on the working directory.
[[nodiscard]] std::string withWholePaths(std::string_view names);
/// Whether a rule uses operators or binders of the other kind of programs.
[[nodiscard]] bool isOfOthers(const DirectedRule& rule, const ir::OperatorRegistry& registry, ir::Sharing sharing);
/// Fails if isOfOthers(). The message names the rule, and the hint lists the shipped sets for such programs.
[[nodiscard]] Status requireFor(const DirectedRule& rule, const ir::OperatorRegistry& registry, ir::Sharing sharing);
/// The same check for all rules of a book.
[[nodiscard]] Status requireFor(const RuleBook& book, ir::Sharing sharing);

}  // namespace mitos::rules
