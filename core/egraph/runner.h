// SPDX-License-Identifier: GPL-3.0-or-later
// Equality saturation: applies rules to an e-graph until no rule adds anything new or a limit is reached.
#pragma once

#include "core/base/result.h"
#include "core/egraph/cycles.h"
#include "core/egraph/egraph.h"
#include "core/egraph/egraph_rule.h"
#include "core/egraph/joint_roots.h"
#include "core/egraph/report.h"
#include "core/egraph/scheduler.h"
#include "core/rules/rule.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::egraph {

/// Hard limits: nothing is added beyond them. An unset limit does not apply.
struct Limits {
    std::optional<std::uint32_t> iterations;
    std::optional<std::uint64_t> nodes;  ///< live e-nodes; an application that would exceed this is not made
    std::optional<double> seconds;
    std::optional<std::uint64_t> memoryBytes;  ///< held by the graph, the terms and the matches found
};

/// Compiles rules for e-graphs. Fails if a rule was not compiled from a rule file.
[[nodiscard]] Result<std::vector<std::shared_ptr<const EGraphRule>>> prepareRules(
    const std::vector<std::shared_ptr<const rules::DirectedRule>>& directions);

/// A condition that ends a run. It is evaluated on the clean graph before the first iteration and after each one, after the
/// observer, with the report so far. A report without iterations means that the run begins, possibly anew after a contradiction.
using StopWhen = std::function<bool(const SaturationReport&, const EGraph&)>;

struct SaturationOptions;

/// A run that begins, possibly anew, as its scheduler sees it. The parts outlive the scheduler.
struct RunInProgress {
    const EGraph& graph;
    const std::vector<std::shared_ptr<const EGraphRule>>& rules;
    const std::vector<bool>& isOut;  ///< rules, by number, that do not take part
    const SaturationOptions& options;
};
using SchedulerFactory = std::function<std::unique_ptr<Scheduler>(const RunInProgress&)>;

struct SaturationOptions {
    Limits limits;
    std::string scheduler = "simple";
    SchedulerOptions schedulerOptions;
    SchedulerFactory makeScheduler = {};  ///< if set, makes the scheduler in place of the named one
    CycleFilter cycles = CycleFilter::None;
    UnionCheck unionCheck = UnionCheck::Results;
    RootChoice roots = RootChoice::Any;
    StopWhen stopWhen = {};  ///< ends the run with StopReason::Found; empty: never
};

/// Saturates the graph (egraph-mcts.txt 2.2.1). After each iteration `observer` is called with the report so far, to
/// which it may add costs and gains, and with the graph, which is clean then; it may return false to stop.
/// Deterministic unless the time or memory limit ends the run. Fails if the scheduler is unknown.
///
/// If two constants become equal (EGraph::contradiction), every equality would follow. The graph is therefore restored
/// to its state before the run, and the run restarts, within the remaining time, without the rule that caused it: of
/// the rules on the proof from one constant to the other, the least sound one (rules::Soundness); among equally sound
/// rules, the one applied last. The report names it. E-nodes that existed before the run keep their numbers; everything
/// else derived from the graph is invalid then. Classes without a value (0 / 0), which rules rewrite to different
/// values, are not rewritten.
[[nodiscard]] Result<SaturationReport> saturate(EGraph& graph,
                                                const std::vector<std::shared_ptr<const EGraphRule>>& rules,
                                                const SaturationOptions& options, const std::stop_token& stop,
                                                absl::FunctionRef<bool(SaturationReport&, EGraph&)> observer);

}  // namespace mitos::egraph
