// SPDX-License-Identifier: GPL-3.0-or-later
// Why two terms are not equal in an e-graph: the other half of core/egraph/explain.h.
#pragma once

#include "core/eval/evaluator.h"
#include "search/saturation/saturation_run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::search {

/// Seconds for comparing the values of two classes, where somebody waits for the answer.
inline constexpr double LongestComparison = 10.0;

/// The reason why two classes of an e-graph are not one, as far as it is known.
struct NotEqual {
    enum class Reason : std::uint8_t {
        Types,     ///< the terms have different types
        Values,    ///< they have different values on the inputs of the example, so no sound rule makes them equal
        Unproved,  ///< they had the same value wherever they were compared, but the rules did not make them equal
        Unknown,   ///< they could not be compared
    };
    Reason reason = Reason::Unknown;
    std::string first;  ///< the representatives of the classes, in the dialect's notation
    std::string second;
    std::string firstType;
    std::string secondType;
    std::string example;  ///< Values: inputs, and both values
    int compared = 0;     ///< inputs on which both values were compared
    std::string note;     ///< Unknown: why
    bool isComplete =
        false;  ///< the growth ended because the rules add nothing new, so more iterations prove nothing more
    std::uint32_t iterations = 0;
    /// Smaller terms: if these two were equal, so would be the first two, because both are arguments of the same operator at the same
    /// place, beside equal arguments.
    std::optional<std::pair<std::string, std::string>> gap;
    /// Rules that were asked for and not applied, because they failed their test or could not be tested; set by the caller, which knows
    /// how its user applies them all the same: `remedy` follows "to apply them, ".
    std::vector<std::string> leftOut = {};
    std::string remedy = {};

    /// The reason in sentences; not the terms. Names the rules that were left out, unless they cannot be the reason.
    [[nodiscard]] std::string toString() const;
};

/// Compares the representatives of two classes on random inputs, variables that are bound outside the terms included. The run has ended,
/// and its e-graph is clean. The terms mention parameters of that start. Fails if both are one class; egraph::explainMembers() tells why.
[[nodiscard]] Result<NotEqual> whyNotEqual(SaturationRun& run, egraph::ENodeId first, egraph::ENodeId second,
                                           const eval::EquivalenceOptions& options = {}, std::size_t start = 0);

}  // namespace mitos::search
