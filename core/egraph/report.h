// SPDX-License-Identifier: GPL-3.0-or-later
// What a saturation run did, iteration by iteration, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::egraph {

enum class StopReason : std::uint8_t {
    Saturated,   ///< no rule has anything new to say
    Iterations,  ///< limits of the run
    Nodes,
    Memory,
    Seconds,
    Stopped,        ///< by the user
    Contradiction,  ///< two different constants are equal, and no rule of the run made them so
};
[[nodiscard]] const char* toString(StopReason reason);  ///< "saturated", "iterations", …

/// What one rule did in one iteration.
struct RuleReport {
    std::uint64_t matches = 0;  ///< found
    std::uint64_t applied = 0;  ///< of those: whose sides were not equal before
    std::uint64_t nodes = 0;    ///< e-nodes made
    std::uint64_t refused = 0;  ///< matches left out because they would close a cycle
    double seconds = 0.0;       ///< searching
    bool banned = false;        ///< by the scheduler, in this iteration
    double gain = 0.0;          ///< its part of IterationReport::gain, in the cost model's unit
};

struct IterationReport {
    std::uint64_t nodes = 0;  ///< live e-nodes after the rebuild
    std::uint64_t classes = 0;
    std::uint64_t filtered = 0;  ///< e-nodes taken out because they closed a cycle
    std::uint64_t bytes = 0;     ///< held by the e-graph
    double searchSeconds = 0.0;
    double applySeconds = 0.0;
    double rebuildSeconds = 0.0;
    std::vector<RuleReport> rules;  ///< in the order of SaturationReport::rules
    /// Of the cheapest program in the e-graph after the iteration; nothing: it was not asked for, or there is none.
    std::optional<double> cost;
    /// By how much the cheapest program became cheaper in this iteration: what the gains of the rules add up to. Nothing: it
    /// is not known which rules did it (SaturationReport::gainDetail).
    std::optional<double> gain;

    [[nodiscard]] double seconds() const { return searchSeconds + applySeconds + rebuildSeconds; }
};

/// A rule of which nothing is left in the e-graph: with it, two constants or variables that differ became equal.
struct LeftOutRule {
    std::string rule;    ///< name of the directed rule
    std::string reason;  ///< what became equal, and the steps that lead from one to the other
};

struct SaturationReport {
    std::vector<std::string> rules;  ///< names of the directed rules
    std::uint64_t startNodes = 0;
    std::uint64_t startClasses = 0;
    std::optional<double> startCost;  ///< of the cheapest program before the first iteration, if it was asked for
    std::vector<IterationReport> iterations;
    /// After a contradiction the run began anew without the rule that made it: iterations are those since then, and what was
    /// known of the e-graph before is void. Whoever observes a run sees by this list growing that it happened.
    std::vector<LeftOutRule> leftOut;
    StopReason stop = StopReason::Saturated;
    std::string detail;      ///< of a contradiction: what became equal, and why; saturated: what may be missing
    std::string gainDetail;  ///< why it is not known, of some iteration, which rules made the program cheaper
};

}  // namespace mitos::egraph
