// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules are searched when, and how many matches each may have.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::egraph {

/// What a scheduler may know about a rule.
struct ScheduledRule {
    bool hasSeveralRoots = false;
};

/// Belongs to one run. Asked in this order, once an iteration: batches; for each rule of a batch matchLimit, then searched;
/// where nothing new was found, isSaturated.
class Scheduler {
public:
    static constexpr std::uint64_t NoLimit = std::numeric_limits<std::uint64_t>::max();

    virtual ~Scheduler() = default;
    /// Lists of rules, by number: those of a batch are searched on the same graph, then all matches are applied, then the
    /// graph is rebuilt before the next batch is searched.
    virtual std::vector<std::vector<std::uint32_t>> batches(std::uint32_t iteration) = 0;
    /// More matches than this are not looked for.
    [[nodiscard]] virtual std::uint64_t matchLimit(std::uint32_t /*rule*/) const { return NoLimit; }
    /// Whether the matches are to be applied; those of a rule that exceeded its limit may be left for another time.
    virtual bool searched(std::uint32_t /*rule*/, std::uint32_t /*iteration*/, bool /*exceeded*/) { return true; }
    /// Nothing new was found: whether that is the end. A scheduler that holds rules back says no, and lets them in.
    virtual bool isSaturated(std::uint32_t /*iteration*/) { return true; }
};

struct SchedulerOptions {
    std::uint64_t matchLimit = 1000;    ///< back-off: matches a rule may have before it is banned
    std::uint32_t banLength = 5;        ///< back-off: iterations of the first ban
    std::uint32_t multiIterations = 1;  ///< sequential: k_multi, iterations in which rules with several roots take part
};

struct SchedulerInfo {
    std::string name;
    std::string help;
};
/// "simple": every rule, every time. "backoff": a rule with too many matches is banned for a while; limit and ban double each
/// time. "sequential": as TENSAT (egraph-mcts.txt 3.2, figure 7): in each iteration the rules with several roots first, and
/// only in the first k_multi iterations, then the others.
[[nodiscard]] const std::vector<SchedulerInfo>& schedulers();
[[nodiscard]] Result<std::unique_ptr<Scheduler>> makeScheduler(std::string_view name,
                                                               const std::vector<ScheduledRule>& rules,
                                                               const SchedulerOptions& options = {});

}  // namespace mitos::egraph
