// SPDX-License-Identifier: GPL-3.0-or-later
// The text that says which rules a search may use when, and how it searches with them: the Knossos paper's two-phase
// schedule (section 5, Table 4) and any other.
//
//   phase1, inline_let: exhaust @ 20%; all, -phase1: astar(depth=10)
//
// Phases are separated by semicolons. A phase names its rules (tags, rules, `all`, and with a minus what is left out,
// in that order), after a colon how it searches (`simplify`, `exhaust` or a strategy, with parameters in parentheses), and
// after an @ which share of the whole budget it may use at most; without one, everything that is left. `simplify` takes
// whatever does not cost more until nothing is left to take, and uses no evaluations.
#pragma once

#include "search/strategy.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search {

/// How one of several searches is done: `astar(depth=10) @ 20%`.
struct SearchPart {
    std::shared_ptr<const Strategy> strategy;
    ParameterValues parameters;  ///< those given, checked
    double share = 1.0;          ///< of the whole budget, 0 to 1

    /// Whether it runs to its end whatever may be evaluated, and uses nothing of that.
    [[nodiscard]] bool isFree() const;
};

struct Phase : SearchPart {
    std::vector<std::string> selectors;  ///< "phase1", "inline_let", "all", "-lift_bind"
};

/// The parts of a portfolio, separated by semicolons: each a strategy with parameters and share, as in a phase. `name` is what
/// the parameter is called. Errors: as of a schedule.
[[nodiscard]] Result<std::vector<SearchPart>> parseParts(std::string_view name, std::string_view text);

/// Errors: what cannot be read, an unknown strategy or parameter, a share that is none; each names the phase.
[[nodiscard]] Result<std::vector<Phase>> parseSchedule(std::string_view text);

using DirectedRules = std::vector<std::shared_ptr<const rules::DirectedRule>>;
using MultiRules = std::vector<std::shared_ptr<const rules::MultiRule>>;

/// The rules that a phase's selectors choose, in their order.
[[nodiscard]] DirectedRules selectRules(const std::vector<std::string>& selectors, const DirectedRules& rules);
[[nodiscard]] MultiRules selectRules(const std::vector<std::string>& selectors, const MultiRules& rules);
/// The first selector that means none of the problem's rules; empty if each means one.
[[nodiscard]] std::string unknownSelector(const std::vector<std::string>& selectors, const SearchProblem& problem);

}  // namespace mitos::search
