// SPDX-License-Identifier: GPL-3.0-or-later
// See rule_steps.h.
#include "core/egraph/rule_steps.h"

#include "core/egraph/internal/applications.h"

#include <limits>
#include <utility>

namespace mitos::egraph {

RuleSteps::RuleSteps(EGraph& graph, const std::vector<std::shared_ptr<const EGraphRule>>& rules,
                     const SaturationOptions& options, std::stop_token stop)
    : m_graph(graph),
      m_applications(std::make_unique<Applications>(graph, rules, options, std::move(stop), Applications::Clock::now(),
                                                    Remember::All)) {
    m_report.rules.resize(rules.size());
}

RuleSteps::~RuleSteps() = default;

bool RuleSteps::hasMatch(std::uint32_t rule) {
    m_applications->reopen();
    m_applications->forget(rule);
    m_applications->search(rule, 0);
    return m_applications->matchCount(rule) > 0;
}

RuleSteps::Outcome RuleSteps::apply(std::uint32_t rule, std::optional<double> seconds) {
    m_applications->reopen();
    m_applications->limitSeconds(Applications::Clock::now(), seconds);
    m_applications->forget(rule);
    const RuleWorker::Searched searched = m_applications->search(rule, std::numeric_limits<std::uint64_t>::max() - 1);
    if (searched == RuleWorker::Searched::Interrupted) {
        return m_applications->ended() == StopReason::Memory ? Outcome::Full : Outcome::Interrupted;
    }
    if (m_applications->matchCount(rule) == 0) return Outcome::Unchanged;
    const EGraph::Mark mark = m_graph.mark();
    m_report.rules[rule] = {};
    const std::uint32_t batch[]{rule};
    const bool isNew = m_applications->apply(batch, 1, m_report);
    const std::optional<StopReason> ended = m_applications->ended();
    const bool isInterrupted = ended == StopReason::Stopped || ended == StopReason::Seconds;
    const bool isFull = ended && !isInterrupted;
    if (m_graph.contradiction() || isInterrupted || (!isNew && !isFull)) {
        m_graph.undoTo(mark);
        return isInterrupted ? Outcome::Interrupted : Outcome::Unchanged;
    }
    m_graph.release(mark);
    return isFull ? Outcome::Full : Outcome::Changed;
}

}  // namespace mitos::egraph
