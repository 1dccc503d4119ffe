// SPDX-License-Identifier: GPL-3.0-or-later
// What every search takes, reports on its way, and gives back.
#pragma once

#include "core/cost/cost_model.h"
#include "core/rewrite/step.h"

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mitos::search {

// --- parameters, described as data: dialogs, flags and table columns are generated from this ---------------------------

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;
using ParameterValues = std::map<std::string, ParameterValue>;

struct ParameterInfo {
    std::string name;             ///< as in --set name=value
    std::string title;            ///< for people
    std::string help;             ///< one line
    ParameterValue defaultValue;  ///< its alternative is the parameter's type
    double minimum = 0.0;         ///< of numbers, inclusive
    double maximum = 0.0;
    std::vector<std::string> choices;                 ///< of strings
    std::optional<ParameterValue> graphDefault = {};  ///< for programs that are graphs, where it is another
};

struct StrategyInfo {
    std::string name;         ///< "random", "greedy", "astar"
    std::string title;        ///< "A* over (expression, time left)"
    std::string description;  ///< what it does, the paper's section
    std::vector<ParameterInfo> parameters;
    bool randomized = false;  ///< whether the seed makes a difference
};

struct DepthRange {
    std::int64_t least = 1;
    std::int64_t most = 1000;
};
/// The parameter `depth`, a number of steps; `usualOfGraphs` where programs that are graphs need another.
[[nodiscard]] ParameterInfo depthParameter(std::string help, std::int64_t usual,
                                           std::optional<std::int64_t> usualOfGraphs = {}, DepthRange range = {});

/// The description with the defaults for programs of this kind.
[[nodiscard]] StrategyInfo fitted(StrategyInfo info, ir::Sharing sharing);
/// The given values checked against the description, defaults filled in. Errors: unknown name (lists the known ones),
/// wrong type, out of range.
[[nodiscard]] Result<ParameterValues> resolveParameters(const StrategyInfo& info, const ParameterValues& given);
/// A value of the described parameter from text ("10", "0.5", "true", "log").
[[nodiscard]] Result<ParameterValue> parseParameter(const ParameterInfo& info, std::string_view text);
[[nodiscard]] std::string toString(const ParameterValue& value);

// --- problem ----------------------------------------------------------------------------------------------------------

/// Whatever is set and reached first ends the search; that is a normal result.
struct Budget {
    std::optional<std::uint64_t> evaluations;  ///< distinct expressions valued (knossos-optimizer.md 3.6)
    std::optional<double> seconds;             ///< wall time
    std::optional<std::uint64_t> states;       ///< states kept
    std::optional<std::uint64_t> memoryBytes;  ///< held by terms and the search's own tables (estimate)
    /// Of that limit: what is held besides, and what is needed once the search has ended. At most half of it.
    std::uint64_t reservedBytes = 0;

    /// What terms and tables may take. `memoryBytes` is set.
    [[nodiscard]] std::uint64_t searchBytes() const { return *memoryBytes - std::min(reservedBytes, *memoryBytes / 2); }
};

/// Evaluations used when a problem sets no budget at all, and the memory limit of a problem that sets none.
inline constexpr std::uint64_t DefaultEvaluations = 5000;
inline constexpr std::uint64_t DefaultMemoryBytes = 4ULL << 30U;
/// The budget a search keeps to when it is given this one: with the defaults where nothing is set.
[[nodiscard]] Budget completed(Budget budget);

/// Everything a strategy needs. It copies the program into a bank of its own and never touches `bank` after that.
struct SearchProblem {
    const ir::TermBank& bank;
    ir::Program program;
    std::vector<std::shared_ptr<const rules::DirectedRule>> rules;
    std::shared_ptr<const cost::CostModel> cost;
    Budget budget;
    std::uint64_t seed = 1;
    ParameterValues parameters;
    /// Rules with several roots: for e-graphs and for programs that are graphs.
    std::vector<std::shared_ptr<const rules::MultiRule>> multis = {};
};

// --- what comes back --------------------------------------------------------------------------------------------------

enum class StopReason {
    Exhausted,  ///< every program that can be reached was met
    Evaluations,
    Seconds,
    States,
    Memory,
    Stopped,  ///< by the user
    Depth,    ///< all that is left lies beyond the strategy's horizon
    Pruned,   ///< all that is left was given up by a bound of the strategy's own, such as a relaxation factor
};
[[nodiscard]] const char* toString(StopReason reason);  ///< "exhausted", "evaluations", …

enum class EventKind {
    Started,   ///< cost = best = the start's
    Progress,  ///< about ten times a second: how far the search is; cost = that of the state being expanded
    Improved,  ///< a new best state: best is its cost, pathLength the number of steps to it
    Finished,  ///< reason is set
};

/// A run is its stream of events (architecture.md, idea 5). Plain data: stored, sent between threads, folded by views.
struct SearchEvent {
    EventKind kind = EventKind::Progress;
    double seconds = 0.0;  ///< since the start
    std::uint64_t evaluations = 0;
    std::uint64_t states = 0;
    std::uint64_t frontier = 0;  ///< states waiting to be expanded
    std::uint64_t memoryBytes = 0;
    double cost = 0.0;
    double best = 0.0;
    std::uint32_t pathLength = 0;
    std::string
        rule;  ///< Improved: the last step's rule; empty, and pathLength 0, where the way is worked out at the end
    std::optional<StopReason> reason;  ///< Finished
    std::string part = {};             ///< of a strategy that runs several: the one that speaks
};

struct SearchStatistics {
    std::uint64_t evaluations = 0;
    std::uint64_t states = 0;  ///< distinct expressions seen
    std::uint64_t expansions = 0;
    std::uint64_t rewrites = 0;  ///< generated, before deduplication
    std::uint64_t memoryBytes = 0;
    double seconds = 0.0;
    /// Of a strategy that runs several: the one that found the best program, and after which others. Empty: it is the start, or
    /// the strategy is one.
    std::string part = {};
};

struct SearchResult {
    std::shared_ptr<ir::TermBank> bank;  ///< the search's own; the thread lives in it
    rewrite::Thread thread;              ///< from the start to the best state
    rewrite::ThreadReport check;         ///< the checker's verdict on it; a result is shown only if valid
    std::vector<double> costs;           ///< of the thread's states, start first
    double initialCost = 0.0;
    double bestCost = 0.0;
    StopReason reason = StopReason::Exhausted;
    SearchStatistics statistics;
    /// For people: what the search did otherwise than it was asked, a rule left out, a solver that failed.
    std::vector<std::string> notes = {};
};

/// The values of the problem's parameters, with the defaults for its program. Errors: as above.
[[nodiscard]] Result<ParameterValues> resolveParameters(const StrategyInfo& info, const SearchProblem& problem);

/// A way from the start to the best state so far, in a bank of its own.
struct BestSoFar {
    std::shared_ptr<ir::TermBank> bank;
    rewrite::Thread thread;
    std::vector<double> costs;  ///< of the thread's states, start first
};
/// Works out the way to the best state so far, which takes time; nothing where it is not known before the search ends.
using FindBest = absl::FunctionRef<std::optional<BestSoFar>()>;

/// Called on the search's thread; must be quick.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void onEvent(const SearchEvent& event) = 0;
    /// Called after events other than Finished, for those who keep what was found before the search ends. `find` is good during
    /// the call; the search goes on as if it had not been asked.
    virtual void onBest(FindBest find) { static_cast<void>(find); }
};

/// A way to search. Immutable; run() may be called from several threads at once. Deterministic for a seed as long as no
/// wall-clock budget ends it.
class Strategy {
public:
    virtual ~Strategy() = default;
    [[nodiscard]] virtual const StrategyInfo& info() const = 0;
    /// Searches until the budget is used, the space is exhausted or `stop` is requested (answered within 10 ms of work
    /// on one state); then the best so far. Errors: bad parameters, a start program that has no cost.
    [[nodiscard]] virtual Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                                   Observer& observer) const = 0;
};

/// A strategy that is run with a value for each of its parameters.
class DescribedStrategy : public Strategy {
public:
    [[nodiscard]] Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                           Observer& observer) const final;

    /// `parameters`: what the problem sets, and for all others the default for its kind of program.
    [[nodiscard]] virtual Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                                       std::stop_token stop, Observer& observer) const = 0;
};

}  // namespace mitos::search
