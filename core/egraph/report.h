// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a saturation run, by iteration, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::egraph {

enum class StopReason : std::uint8_t {
    Saturated,   ///< no rule adds anything new
    Iterations,  ///< limits of the run
    Nodes,
    Memory,
    Seconds,
    Stopped,        ///< by the stop token or the observer
    Contradiction,  ///< two different constants are equal, and no rule of the run caused it
    Found,          ///< the condition of the run holds (SaturationOptions::stopWhen)
};
[[nodiscard]] const char* toString(StopReason reason);  ///< "saturated", "iterations", …

/// The activity of one rule in one iteration.
struct RuleReport {
    std::uint64_t matches = 0;  ///< matches found
    std::uint64_t applied = 0;  ///< matches whose sides were not equal before
    std::uint64_t nodes = 0;    ///< e-nodes added
    std::uint64_t refused = 0;  ///< matches rejected because they would close a cycle
    double seconds = 0.0;       ///< search time
    bool banned = false;        ///< by the scheduler, in this iteration
    double gain = 0.0;          ///< its share of IterationReport::gain, in the cost model's unit
};

struct IterationReport {
    std::uint64_t nodes = 0;  ///< live e-nodes after the rebuild
    std::uint64_t classes = 0;
    std::uint64_t filtered = 0;  ///< e-nodes removed because they closed a cycle
    std::uint64_t bytes = 0;     ///< held by the e-graph
    double searchSeconds = 0.0;
    double applySeconds = 0.0;
    double rebuildSeconds = 0.0;
    std::vector<RuleReport> rules;  ///< in the order of SaturationReport::rules
    /// Cost of the cheapest program in the e-graph after the iteration; empty if it was not requested or there is no
    /// program.
    std::optional<double> cost;
    /// By how much the cheapest program became cheaper in this iteration: the sum of the gains of the rules. Empty if
    /// the responsible rules are unknown (SaturationReport::gainDetail).
    std::optional<double> gain;

    [[nodiscard]] double seconds() const { return searchSeconds + applySeconds + rebuildSeconds; }
};

/// A rule whose effects were removed from the e-graph: it made two different constants or variables equal.
struct LeftOutRule {
    std::string rule;    ///< name of the directed rule
    std::string reason;  ///< what became equal, and the steps that lead from one to the other
};

struct SaturationReport {
    std::vector<std::string> rules;  ///< names of the directed rules
    std::uint64_t startNodes = 0;
    std::uint64_t startClasses = 0;
    std::optional<double> startCost;  ///< cost of the cheapest program before the first iteration, if requested
    std::vector<IterationReport> iterations;
    /// After a contradiction the run restarted without the rule that caused it: `iterations` holds those since the
    /// restart, and earlier data about the e-graph is invalid. An observer detects a restart by the growth of this
    /// list.
    std::vector<LeftOutRule> leftOut;
    StopReason stop = StopReason::Saturated;
    std::string detail;      ///< contradiction: what became equal, and why; saturated: what may be missing
    std::string gainDetail;  ///< why, for some iteration, the rules that made the program cheaper are unknown
};

}  // namespace mitos::egraph
