// SPDX-License-Identifier: GPL-3.0-or-later
// See applications.h.
#include "core/egraph/internal/applications.h"

#include "core/egraph/internal/stated_analysis.h"

namespace mitos::egraph {

namespace {

double secondsOf(Applications::Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

Applications::Applications(EGraph& graph, const std::vector<std::shared_ptr<const EGraphRule>>& rules,
                           const SaturationOptions& options, std::stop_token stop, Clock::time_point start,
                           Remember remember, const std::vector<bool>& isOut)
    : m_graph(graph),
      m_limits(options.limits),
      m_guard(makeUnionGuard(options.cycles, graph)),
      m_stop(std::move(stop)),
      m_start(start),
      m_matches(rules.size()) {
    attachAnalyses(graph, rules, isOut);
    for (const auto& rule : rules) {
        m_workers.emplace_back(graph, rule, remember);
        m_workers.back().setGuard(m_guard.get(), options.unionCheck);
        m_workers.back().setRootChoice(options.roots);
    }
}

RuleWorker::Searched Applications::search(std::uint32_t rule, std::uint64_t limit) {
    return m_workers[rule].search(limit, m_matches[rule], m_changes, [this] { return mayGoOn(); });
}

void Applications::settle(std::uint32_t rule, bool areApplied, RuleWorker::Searched searched) {
    if (!areApplied) {
        m_matches[rule] = {};
        return;
    }
    if (searched == RuleWorker::Searched::Partly) m_partly.insert(rule);
    if (searched != RuleWorker::Searched::Limit) m_workers[rule].markOld();
}

void Applications::forget(std::uint32_t rule) {
    m_workers[rule].forget();
    m_changes = {};
}

bool Applications::apply(std::span<const std::uint32_t> rules, std::uint32_t iteration, IterationReport& report) {
    const Clock::time_point applying = Clock::now();
    m_undefined.update(m_graph);
    if (m_guard != nullptr) m_guard->begin();
    bool isNew = false;
    for (const std::uint32_t rule : rules) {
        if (m_ended || m_graph.contradiction()) break;
        m_atWork = rule;
        isNew = apply(rule, iteration, report.rules[rule]) || isNew;
    }
    const Clock::time_point rebuilding = Clock::now();
    report.applySeconds += secondsOf(rebuilding - applying);
    m_graph.rebuild();
    if (m_guard != nullptr) report.filtered += filterCycles(m_graph);
    report.rebuildSeconds += secondsOf(Clock::now() - rebuilding);
    return isNew;
}

void Applications::limitSeconds(Clock::time_point start, std::optional<double> seconds) {
    m_start = start;
    m_limits.seconds = seconds;
}

std::optional<StopReason> Applications::outOfResources() const {
    if (m_stop.stop_requested()) return StopReason::Stopped;
    if (m_limits.seconds && secondsOf(Clock::now() - m_start) >= *m_limits.seconds) return StopReason::Seconds;
    if (m_limits.memoryBytes && bytes() >= *m_limits.memoryBytes) return StopReason::Memory;
    return std::nullopt;
}

std::uint64_t Applications::bytes() const {
    std::uint64_t sum = m_graph.bytes() + m_graph.bank().bytes();
    for (const Matches& matches : m_matches) sum += matches.bytes();
    for (const RuleWorker& worker : m_workers) sum += worker.bytes();
    return sum;
}

bool Applications::mayGoOn() {
    if (!m_ended) m_ended = outOfResources();
    return !m_ended;
}

bool Applications::apply(std::uint32_t rule, std::uint32_t iteration, RuleReport& report) {
    constexpr std::size_t Patience = 64;
    RuleWorker& worker = m_workers[rule];
    Matches& matches = m_matches[rule];
    m_graph.setOrigin(worker.number(), iteration);
    const std::size_t before = m_graph.idCount();
    for (std::size_t i = 0; i < matches.count && !m_ended; ++i) {
        if (i % Patience == 0 && !mayGoOn()) break;
        if (m_graph.pendingCount() > Patience) m_graph.repairPending();
        if (!m_undefined.isEmpty() && m_undefined.contains(worker.rootOf(matches, i))) continue;
        report.applied += applyWithin(worker, matches, i);
        if (worker.isRefused()) ++report.refused;
    }
    report.nodes = m_graph.idCount() - before;
    matches = {};
    return report.applied != 0;
}

std::uint32_t Applications::applyWithin(RuleWorker& worker, const Matches& matches, std::size_t i) {
    const bool isTight = m_limits.nodes && m_graph.nodeCount() + worker.mostRoom() > *m_limits.nodes &&
                         m_graph.nodeCount() + worker.roomFor(matches, i) > *m_limits.nodes;
    if (!isTight && m_guard == nullptr) return worker.apply(matches, i);
    const EGraph::Mark mark = m_graph.mark();
    const std::uint32_t united = worker.apply(matches, i);
    const bool isTooMuch = m_limits.nodes && m_graph.nodeCount() > *m_limits.nodes;
    if (!isTooMuch && !worker.isRefused()) {
        m_graph.release(mark);
        return united;
    }
    m_graph.undoTo(mark);
    if (!worker.isRefused()) m_ended = StopReason::Nodes;
    return 0;
}

}  // namespace mitos::egraph
