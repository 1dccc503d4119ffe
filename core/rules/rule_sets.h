// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the sets that come with the program are for which programs. Their names say so: "ks-simple", "tensor-conv".
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
/// The rules of whoever chooses none.
[[nodiscard]] std::string_view defaultRules(ir::Sharing sharing);
/// The sets that come with the program for such programs, in listing order.
[[nodiscard]] std::vector<std::string> shippedRuleSets(ir::Sharing sharing);
/// Whether a set, by name or file as in RuleBook::load, is for such programs. Files are for all, as nobody has read them.
[[nodiscard]] bool isFor(std::string_view set, ir::Sharing sharing);

/// The same sets wherever the program runs: files named as in RuleBook::load, with their whole paths.
[[nodiscard]] std::string withWholePaths(std::string_view names);
/// Whether a rule speaks of operators, or binders, of other programs than those.
[[nodiscard]] bool isOfOthers(const DirectedRule& rule, const ir::OperatorRegistry& registry, ir::Sharing sharing);
/// Errors: the rule is of others. Its message names it, the hint the sets that come with the program for these.
[[nodiscard]] Status requireFor(const DirectedRule& rule, const ir::OperatorRegistry& registry, ir::Sharing sharing);
/// The same for all rules of a book.
[[nodiscard]] Status requireFor(const RuleBook& book, ir::Sharing sharing);

}  // namespace mitos::rules
