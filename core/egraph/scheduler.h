// SPDX-License-Identifier: GPL-3.0-or-later
// Schedulers decide which rules are searched when, and how many matches each may have.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::egraph {

/// The properties of a rule that a scheduler can use.
struct ScheduledRule {
    bool hasSeveralRoots = false;
};

/// Belongs to one run. Called once per iteration in this order: `batches`; for each rule of a batch `matchLimit`, then
/// `searched`; if nothing new was found, `isSaturated`.
class Scheduler {
public:
    static constexpr std::uint64_t NoLimit = std::numeric_limits<std::uint64_t>::max();

    virtual ~Scheduler() = default;
    /// Lists of rule numbers: the rules of a batch are searched on the same graph, then all matches are applied, then
    /// the graph is rebuilt before the next batch is searched.
    virtual std::vector<std::vector<std::uint32_t>> batches(std::uint32_t iteration) = 0;
    /// Whether a rule is applied to all of its matches each time, and not only to those that are new since it was applied last.
    [[nodiscard]] virtual bool matchesAgain() const { return false; }
    /// The search stops after this many matches.
    [[nodiscard]] virtual std::uint64_t matchLimit(std::uint32_t /*rule*/) const { return NoLimit; }
    /// Whether the matches are to be applied; those of a rule that exceeded its limit may be deferred.
    virtual bool searched(std::uint32_t /*rule*/, std::uint32_t /*iteration*/, bool /*exceeded*/) { return true; }
    /// Called when nothing new was found; returns whether the run is saturated. A scheduler that holds rules back
    /// returns false and releases them.
    virtual bool isSaturated(std::uint32_t /*iteration*/) { return true; }
};

struct SchedulerOptions {
    std::uint64_t matchLimit = 1000;    ///< back-off: matches allowed before a rule is banned
    std::uint32_t banLength = 5;        ///< back-off: length of the first ban, in iterations
    std::uint32_t multiIterations = 1;  ///< sequential: k_multi, iterations in which rules with several roots take part
};

/// "simple": every rule, every time. "backoff": a rule with too many matches is banned for a while; limit and ban
/// double each time. "sequential": as in TENSAT (egraph-mcts.txt 3.2, figure 7): in each iteration the rules with
/// several roots come first, and only in the first k_multi iterations, then the others.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> makeScheduler(std::string_view name,
                                                               const std::vector<ScheduledRule>& rules,
                                                               const SchedulerOptions& options = {});

}  // namespace mitos::egraph
