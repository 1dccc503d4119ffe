// SPDX-License-Identifier: GPL-3.0-or-later
// The rule sets that apply to the programs of a dialect. A rule file declares its dialect by the line `use ks`; rules of files without
// such a line, or with several, apply wherever their operators occur.
#pragma once

#include "core/base/result.h"
#include "core/ir/dialect.h"
#include "core/rules/rule.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// The parts of a choice such as "ks-simple, my.rules, -commute_add".
struct RuleChoice {
    std::vector<std::string> sets;  ///< by name or by file
    std::vector<std::string>
        leftOut;  ///< names of rules that are left out, in all their directions, whichever set has them

    [[nodiscard]] static RuleChoice parse(std::string_view text);
    /// Adds the set at the end, or removes it.
    void use(const std::string& set, bool isUsed);
    void leaveOut(const std::string& rule, bool isLeftOut);
    /// "ks-simple,my.rules,-commute_add"
    [[nodiscard]] std::string toString() const;

    friend bool operator==(const RuleChoice&, const RuleChoice&) = default;
};
/// Fails if a rule that the text of a choice leaves out is in none of its sets; the book is loaded from that text.
[[nodiscard]] Status requireLeftOut(std::string_view choice, const RuleBook& book);
/// The dialect that the text of a rule file declares; empty if it declares none.
[[nodiscard]] std::string_view declaredDialect(std::string_view text);
/// Whether the name is that of a set that comes with the program.
[[nodiscard]] bool isShipped(std::string_view name);
/// The shipped sets of the dialect, in listing order.
[[nodiscard]] std::vector<std::string> shippedRuleSets(const ir::Dialect& dialect);
/// Whether a set, by name or file as in RuleBook::load, may apply to programs of the dialect. Files of rules are checked when they are
/// loaded; those of TENSAT apply to tensor programs.
[[nodiscard]] bool isFor(std::string_view set, const ir::Dialect& dialect);

/// The same choice with absolute paths for the files, so that it does not depend on the working directory.
[[nodiscard]] std::string withWholePaths(std::string_view names);
/// Fails if the rule's file declares another dialect or, without a declaration, if the rule uses operators of another one, or binders
/// where terms share nodes. The message names the rule, and the hint lists the shipped sets of the dialect.
[[nodiscard]] Status requireFor(const DirectedRule& rule, const ir::OperatorRegistry& registry,
                                const ir::Dialect& dialect);
/// The same check for all rules of a book.
[[nodiscard]] Status requireFor(const RuleBook& book, const ir::Dialect& dialect);

}  // namespace mitos::rules
