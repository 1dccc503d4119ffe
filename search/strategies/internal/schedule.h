// SPDX-License-Identifier: GPL-3.0-or-later
// Parses schedules. A schedule defines the phases of a search, the rules of each phase and the strategy that applies them; one
// example is the two-phase schedule of the Knossos paper (section 5, Table 4).
//
//   phase1, unfold: exhaust @ 20%; all, -phase1: astar(depth=10)
//
// Phases are separated by semicolons. A phase lists its rules (tags, names, `all`; a minus excludes, and later entries override
// earlier ones), then a colon and its strategy (`simplify`, `exhaust` or the name of a strategy, with parameters in parentheses),
// then optionally an @ and its largest share of the whole budget; without a share it may use all of the remaining budget.
// `simplify` applies rewrites that do not increase the cost until none is left, and uses no evaluations.
#pragma once

#include "search/strategy.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search {

/// One of several searches: strategy, parameters and share of the budget, such as `astar(depth=10) @ 20%`.
struct SearchPart {
    std::shared_ptr<const Strategy> strategy;
    ParameterValues parameters;  ///< the given values, checked
    double share = 1.0;          ///< of the whole budget, 0 to 1

    /// Whether the search neither uses nor obeys the limits on evaluations and states; true for `simplify`.
    [[nodiscard]] bool isFree() const;
    /// Whether it follows one path without a choice: `simplify` and `exhaust`.
    [[nodiscard]] bool rewritesOnly() const;
    /// Whether the strategy runs others.
    [[nodiscard]] bool holdsOthers() const;
};

struct Phase : SearchPart {
    std::vector<std::string> selectors;  ///< "phase1", "unfold", "all", "-lift_bind"
};

/// Parses the parts of a portfolio, separated by semicolons; each is a strategy with parameters and share, as in a phase. `name` is
/// the name of the parameter, for messages. Fails as parseSchedule() does.
[[nodiscard]] Result<std::vector<SearchPart>> parseParts(std::string_view name, std::string_view text);

/// Fails on a syntax error, an unknown strategy or parameter, or an invalid share; the error names the phase.
[[nodiscard]] Result<std::vector<Phase>> parseSchedule(std::string_view text);

/// The text without spaces at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// The parts between separators, each trimmed; empty ones, too.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

using DirectedRules = std::vector<std::shared_ptr<const rules::DirectedRule>>;

/// The rules that a phase's selectors choose, in the order of `rules`.
[[nodiscard]] DirectedRules selectRules(const std::vector<std::string>& selectors, const DirectedRules& rules);
/// The first selector that matches none of the problem's rules; empty if each matches one.
[[nodiscard]] std::string unknownSelector(const std::vector<std::string>& selectors, const SearchProblem& problem);

}  // namespace mitos::search
