// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of all searches: problem, parameters, events and result.
#pragma once

#include "core/base/parameters.h"
#include "core/cost/cost_model.h"
#include "core/ir/dialect.h"
#include "core/rewrite/step.h"
#include "core/rewrite/verdict.h"
#include "search/events.h"
#include "search/outcome.h"

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search {

// --- descriptions ------------------------------------------------------------------------------------------------------

struct StrategyInfo {
    std::string name;         ///< "random", "greedy", "astar"
    std::string label;        ///< how people call it, in tables and boxes: "A* search"
    std::string title;        ///< "A* over (expression, time left)"
    std::string description;  ///< how it works and the section of the paper
    std::vector<ParameterInfo> parameters = {};
    bool randomized = false;                   ///< whether the result depends on the seed
    std::optional<ir::Capability> needs = {};  ///< of the program's dialect
    bool isTraining =
        false;  ///< the result is a model; the program stays as it is, so searches of programs do not offer it

    [[nodiscard]] bool suits(const ir::Dialect& dialect) const { return !needs || dialect.can(*needs); }
};

struct DepthRange {
    std::int64_t least = 1;
    std::int64_t most = 1000;
};
/// The parameter `depth`, a number of steps with the default `usual`.
[[nodiscard]] ParameterInfo depthParameter(std::string help, std::int64_t usual, DepthRange range = {});

/// The description with the defaults for programs of the dialect (ir::Dialect::parameterDefaults).
[[nodiscard]] StrategyInfo fitted(StrategyInfo info, const ir::Dialect& dialect);
/// The values with defaults filled in, as mitos::resolveParameters (core/base/parameters.h) checks them.
[[nodiscard]] Result<ParameterValues> resolveParameters(const StrategyInfo& info, const ParameterValues& given);

// --- problem ----------------------------------------------------------------------------------------------------------

/// The limit that is reached first ends the search; this is a normal result, not an error.
struct Budget {
    std::optional<std::uint64_t> evaluations = {};  ///< distinct expressions evaluated (knossos-optimizer.md 3.6)
    std::optional<double> seconds = {};             ///< wall time
    std::optional<std::uint64_t> states = {};       ///< states kept
    std::optional<std::uint64_t> memoryBytes = {};  ///< held by terms and the search's own tables (estimate)
    /// The part of `memoryBytes` that is reserved for other data and for the work after the search. At most half of it counts.
    std::uint64_t reservedBytes = 0;

    /// Bytes available to terms and tables. Requires that `memoryBytes` is set.
    [[nodiscard]] std::uint64_t searchBytes() const { return *memoryBytes - std::min(reservedBytes, *memoryBytes / 2); }
    friend bool operator==(const Budget&, const Budget&) = default;
};

/// The limit on evaluations of a problem that sets no limit at all, and the memory limit of a problem that sets none.
inline constexpr std::uint64_t DefaultEvaluations = 5000;
inline constexpr std::uint64_t DefaultMemoryBytes = 4ULL << 30U;
/// The budget with the defaults above filled in, as searches apply it.
[[nodiscard]] Budget completed(Budget budget);

/// The input of a strategy. The strategy copies the program into its own bank and does not access `bank` after that.
struct SearchProblem {
    const ir::TermBank& bank;
    ir::Program program;
    std::vector<std::shared_ptr<const rules::DirectedRule>> rules;
    std::shared_ptr<const cost::CostModel> cost;
    Budget budget;
    std::uint64_t seed = 1;
    ParameterValues parameters;
    /// Time limit for comparing a result with its start, whereupon rules that change values are dropped (holding.h); 0: none is dropped.
    /// Strategies that run others pass it on.
    double comparingSeconds = eval::EquivalenceOptions{}.seconds;
};

// --- results -----------------------------------------------------------------------------------------------

struct SearchStatistics {
    std::uint64_t evaluations = 0;
    std::uint64_t states = 0;  ///< distinct expressions seen
    std::uint64_t expansions = 0;
    std::uint64_t rewrites = 0;  ///< generated, before deduplication
    std::uint64_t memoryBytes = 0;
    double seconds = 0.0;
    /// For strategies that run several: the sub-strategy that found the best program, and those whose results it continued. Empty
    /// if the best program is the start, or if the strategy has no parts.
    std::string part = {};
};

struct SearchResult {
    std::shared_ptr<ir::TermBank> bank;  ///< the search's own bank, which holds the thread
    rewrite::Thread thread;              ///< from the start to the best state
    /// A value for the end of the thread, which may have no steps; its cost is `bestCost`. Null: the result is the program.
    std::shared_ptr<const OutcomeValue> outcome = nullptr;
    rewrite::ThreadReport check;  ///< the checker's verdict on the thread; a result is shown only if valid
    std::vector<double> costs;    ///< of the thread's states, start first
    double initialCost = 0.0;
    double bestCost = 0.0;
    StopReason reason = StopReason::Exhausted;
    SearchStatistics statistics;
    /// Messages for users about deviations from the request, such as a skipped rule or a solver that failed.
    std::vector<std::string> notes = {};
    std::vector<rewrite::RuleRemark> dropped = {};  ///< rules that the search went on without (holding.h)
};

/// The values of the problem's parameters, with the defaults for its dialect. Fails as the function above does.
[[nodiscard]] Result<ParameterValues> resolveParameters(const StrategyInfo& info, const SearchProblem& problem);

/// The best result so far: a thread from the start, in its own bank, and the outcome for its end, if that is the result.
struct BestSoFar {
    std::shared_ptr<ir::TermBank> bank;
    rewrite::Thread thread;
    std::vector<double> costs;  ///< of the thread's states, start first
    std::shared_ptr<const OutcomeValue> outcome = nullptr;
    double outcomeCost = 0.0;

    [[nodiscard]] double cost() const { return outcome ? outcomeCost : costs.back(); }
};
/// Constructs the thread to the best state so far, which takes time. Returns nothing if the thread is not known before the search
/// ends.
using FindBest = absl::FunctionRef<std::optional<BestSoFar>()>;

/// Receives the events of a search, on the search's thread; must return quickly.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void onEvent(const SearchEvent& event) = 0;
    /// Called after events other than Finished, for observers that save intermediate results. `find` is valid during the call only;
    /// calling it does not affect the search.
    virtual void onBest(FindBest find) { static_cast<void>(find); }
};

/// A search strategy. Immutable; run() may be called from several threads at once. The result is deterministic for a seed unless
/// the wall-clock budget ends the search.
class Strategy {
public:
    virtual ~Strategy() = default;
    [[nodiscard]] virtual const StrategyInfo& info() const = 0;
    /// Searches until the budget is used up, the space is exhausted or `stop` is requested (honoured within 10 ms of work on one
    /// state), and returns the best program found. Fails if parameters are invalid or the start program has no cost.
    [[nodiscard]] virtual Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                                   Observer& observer) const = 0;
};

/// Base class of strategies that run with a value for each of their parameters.
class DescribedStrategy : public Strategy {
public:
    [[nodiscard]] Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                           Observer& observer) const final;

    /// `parameters` holds the problem's values, and for all other parameters the default for its dialect.
    [[nodiscard]] virtual Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                                       std::stop_token stop, Observer& observer) const = 0;
};

}  // namespace mitos::search
