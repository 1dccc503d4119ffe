// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a run. A run is its stream of events (architecture.md, idea 5): plain data that is stored, sent between threads and
// folded by views.
#pragma once

#include "core/egraph/report.h"
#include "search/guide_tree.h"
#include "search/learning_curve.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mitos::search {

enum class StopReason {
    Exhausted,  ///< every reachable program was visited
    Evaluations,
    Seconds,
    States,
    Memory,
    Stopped,     ///< by the user
    Depth,       ///< all remaining states lie beyond the strategy's horizon
    Pruned,      ///< all remaining states were pruned by a bound of the strategy, such as a relaxation factor
    Found,       ///< what was searched for
    Iterations,  ///< an e-graph grew, or a training learned, in as many iterations as were allowed
};
[[nodiscard]] const char* toString(StopReason reason);  ///< "exhausted", "evaluations", …
[[nodiscard]] const char* labelOf(StopReason reason);   ///< for people: "nothing left to try", "evaluation limit", …
/// Nothing if there is no reason of that name.
[[nodiscard]] std::optional<StopReason> stopReasonNamed(std::string_view name);

// --- what an event reports; a further kind is a struct here and a pair of functions in events.cpp --------------------------

/// The search begins; cost and best are the cost of the start.
struct Started {};
/// Sent about ten times a second; cost is that of the state being expanded.
struct Progress {};
/// A new best state; best is its cost, pathLength the number of steps to it.
struct Improved {
    std::string rule;  ///< of the last step; empty, and pathLength 0, if the thread is only constructed at the end
};
struct Finished {
    StopReason reason = StopReason::Exhausted;
};
/// An e-graph holds the start and begins to grow; the report has no iterations yet.
struct GrowthStarted {
    egraph::SaturationReport report;
};
/// The e-graph grew by one iteration.
struct Iteration {
    egraph::IterationReport report;
};
/// The growth began anew without a rule; earlier iterations are void.
struct Restarted {
    egraph::LeftOutRule leftOut;
};
/// The e-graph no longer grows; see the fields of egraph::SaturationReport.
struct GrowthEnded {
    egraph::StopReason stop = egraph::StopReason::Saturated;
    std::string detail;
    std::string gainDetail;
};

/// Tree search chose the rule of the next iteration of an e-graph.
struct RuleChosen {
    GuideTree tree;
};

/// A genetic algorithm completed a generation; generations in quick succession are not all reported.
struct Generation {
    std::uint32_t number = 0;
    double best = 0.0;       ///< cost of the best individual of this generation
    double mean = 0.0;       ///< over the individuals that have a cost
    double diversity = 0.0;  ///< mean standard deviation of a gene; 1: as if drawn at random
};

/// A training validated what it has learned. The cost and the best of such an event are those of the program, which a training leaves as it is:
/// its measure is the improvement on the graphs for validation.
struct Validated {
    CurvePoint point;
    std::uint32_t graphs = 0;  ///< for validation
};

using EventBody = std::variant<Started, Progress, Improved, Finished, GrowthStarted, Iteration, Restarted, GrowthEnded,
                               RuleChosen, Generation, Validated>;

/// An event of a search, with the state of the search at that time.
struct SearchEvent {
    EventBody what = Progress{};
    double seconds = 0.0;  ///< since the start
    std::uint64_t evaluations = 0;
    std::uint64_t states = 0;
    std::uint64_t frontier = 0;  ///< states waiting to be expanded
    std::uint64_t memoryBytes = 0;
    double cost = 0.0;
    double best = 0.0;
    std::uint32_t pathLength = 0;
    std::string part = {};  ///< the sub-strategy that reports, for strategies that run several

    template <typename Kind>
    [[nodiscard]] bool is() const {
        return std::holds_alternative<Kind>(what);
    }
    /// The body of that kind; null if the event is of another kind.
    template <typename Kind>
    [[nodiscard]] const Kind* as() const {
        return std::get_if<Kind>(&what);
    }
};

/// Whether the event reports about the growth of an e-graph.
[[nodiscard]] bool isOfGrowth(const SearchEvent& event);
/// Adds an event to the report on an e-graph's growth; events about other things leave it unchanged.
void fold(egraph::SaturationReport& report, const SearchEvent& event);
/// The report on the last growth in a stream; nothing if no e-graph grew.
[[nodiscard]] std::optional<egraph::SaturationReport> growthIn(const std::vector<SearchEvent>& events);

/// The learning curve in a stream; empty if nothing was trained.
[[nodiscard]] std::vector<CurvePoint> learningCurveIn(const std::vector<SearchEvent>& events);

// --- the stored form: a kind and a JSON object ----------------------------------------------------------------------------

[[nodiscard]] std::string_view kindOf(const SearchEvent& event);  ///< "started", "progress", "improved", …
[[nodiscard]] std::string toJson(const SearchEvent& event);
/// Nothing if the kind is unknown or the text is not of its form, as in files that were changed or that a later version wrote.
[[nodiscard]] std::optional<SearchEvent> eventFromJson(std::string_view kind, std::string_view json);

}  // namespace mitos::search
