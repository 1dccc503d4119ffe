// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of rule applications to an e-graph within limits: what saturate() and RuleSteps have in common. Private to core/egraph.
#pragma once

#include "core/egraph/internal/changes.h"
#include "core/egraph/internal/rule_worker.h"
#include "core/egraph/internal/undefined_classes.h"
#include "core/egraph/runner.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <vector>

namespace mitos::egraph {

/// A batch is: search() and settle() for each of its rules, then apply().
class Applications {
public:
    using Clock = std::chrono::steady_clock;

    /// Attaches the analyses that the rules need, but for rules that are left out (by number). `start`: when the time limit began.
    /// `remember`: as for RuleWorker.
    Applications(EGraph& graph, const std::vector<std::shared_ptr<const EGraphRule>>& rules,
                 const SaturationOptions& options, std::stop_token stop, Clock::time_point start,
                 Remember remember = Remember::Last, const std::vector<bool>& isOut = {});

    /// Finds the matches of the rule that are new since it was settled, at most `limit` + 1 of them.
    RuleWorker::Searched search(std::uint32_t rule, std::uint64_t limit);
    [[nodiscard]] std::size_t matchCount(std::uint32_t rule) const { return m_matches[rule].count; }
    /// The matches that were found will be applied, or are discarded.
    void settle(std::uint32_t rule, bool areApplied, RuleWorker::Searched searched);
    /// Makes all matches of the rule new, also those of a graph that was undone since.
    void forget(std::uint32_t rule);
    /// Applies the matches of the rules and rebuilds the graph. Returns whether any classes became equal.
    bool apply(std::span<const std::uint32_t> rules, std::uint32_t iteration, IterationReport& report);

    /// Why the applications ended, if they did: nothing more is searched or applied.
    [[nodiscard]] const std::optional<StopReason>& ended() const { return m_ended; }
    /// Further batches follow.
    void reopen() { m_ended.reset(); }
    void limitSeconds(Clock::time_point start, std::optional<double> seconds);
    [[nodiscard]] std::optional<StopReason> outOfResources() const;
    /// Rules whose search may have missed matches.
    [[nodiscard]] const std::set<std::uint32_t>& partlySearched() const { return m_partly; }
    /// The rule that was applied last.
    [[nodiscard]] std::optional<std::uint32_t> lastAtWork() const { return m_atWork; }
    [[nodiscard]] std::uint64_t bytes() const;

private:
    bool mayGoOn();
    bool apply(std::uint32_t rule, std::uint32_t iteration, RuleReport& report);
    /// Applies one match; undoes it if it exceeds the node limit or would close a cycle.
    std::uint32_t applyWithin(RuleWorker& worker, const Matches& matches, std::size_t i);

    EGraph& m_graph;
    Limits m_limits;
    std::unique_ptr<UnionGuard> m_guard;
    std::stop_token m_stop;
    Clock::time_point m_start;
    std::vector<RuleWorker> m_workers;
    Changes m_changes;
    UndefinedClasses m_undefined;
    std::optional<std::uint32_t> m_atWork;
    std::vector<Matches> m_matches;  // by rule
    std::set<std::uint32_t> m_partly;
    std::optional<StopReason> m_ended;
};

}  // namespace mitos::egraph
