// SPDX-License-Identifier: GPL-3.0-or-later
// Equality saturation: rules applied to an e-graph until nothing new comes, or a limit is reached.
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
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::egraph {

/// Hard limits: nothing is added beyond them. What is not set does not limit.
struct Limits {
    std::optional<std::uint32_t> iterations;
    std::optional<std::uint64_t> nodes;  ///< live e-nodes; an application that would need more is not made
    std::optional<double> seconds;
    std::optional<std::uint64_t> memoryBytes;  ///< held by the graph, the terms and the matches found
};

/// Rules made ready for e-graphs. Errors: a rule that is not compiled from a rule file.
[[nodiscard]] Result<std::vector<std::shared_ptr<const EGraphRule>>> prepareRules(
    const std::vector<std::shared_ptr<const rules::DirectedRule>>& directions,
    const std::vector<std::shared_ptr<const rules::MultiRule>>& multis = {});
/// All rules of a book, those with several roots behind the others.
[[nodiscard]] Result<std::vector<std::shared_ptr<const EGraphRule>>> prepareRules(const rules::RuleBook& book);

struct SaturationOptions {
    Limits limits;
    std::string scheduler = "simple";
    SchedulerOptions schedulerOptions;
    CycleFilter cycles = CycleFilter::None;
    RootChoice roots = RootChoice::Any;
};

/// Saturates the graph (egraph-mcts.txt 2.2.1). After each iteration `observer` sees the report so far, to which it may add
/// what it knows (costs and gains), and the graph, which is clean then; it may return false to stop. Deterministic unless time or memory ends it. Errors: an unknown scheduler.
///
/// Where two constants become equal (EGraph::contradiction), everything would: the graph is put back to what it was before the
/// run, and the run begins anew, in what is left of its time, without the rule that made them so: of the rules on the way from one
/// to the other the least sound one (rules::Soundness), of equals the one that was at work last. The report names it. E-nodes
/// that were there before the run keep their numbers; whatever else was known of the graph is void then. Classes without a
/// value (0 / 0), of which rules make different things, are left alone.
[[nodiscard]] Result<SaturationReport> saturate(EGraph& graph,
                                                const std::vector<std::shared_ptr<const EGraphRule>>& rules,
                                                const SaturationOptions& options, const std::stop_token& stop,
                                                absl::FunctionRef<bool(SaturationReport&, EGraph&)> observer);

}  // namespace mitos::egraph
