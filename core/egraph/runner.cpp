// SPDX-License-Identifier: GPL-3.0-or-later
// See runner.h.
#include "core/egraph/runner.h"

#include "core/egraph/explain.h"
#include "core/egraph/internal/applications.h"
#include "core/ir/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace mitos::egraph {

namespace {

using Clock = std::chrono::steady_clock;

/// Maximum number of steps printed for the derivation of a contradiction; longer derivations are hard to read.
constexpr std::size_t MostShownSteps = 40;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

using Rules = std::vector<std::shared_ptr<const EGraphRule>>;

/// The constants that became equal, the derivation from one to the other, and the rules that it uses.
struct Conflict {
    std::string text;
    std::vector<std::uint32_t> rules;  ///< by number, without repeats, in the order of the derivation
};

Conflict conflictIn(EGraph& graph, const Rules& rules) {
    const Contradiction& found = *graph.contradiction();
    const auto text = [&](ir::TermId term) {
        return ir::dialectOf(graph.bank(), term).printTerm(graph.bank(), term, {});
    };
    Conflict conflict;
    conflict.text = fmt::format("{} and {} became equal", text(graph.term(found.left)), text(graph.term(found.right)));
    if (!graph.explains()) return conflict;
    const Result<rewrite::Thread> proof = explainMembers(graph, {}, found.left, found.right);
    if (!proof) return conflict;
    conflict.text += ":\n  " + text(proof->start.root);
    for (std::size_t i = 0; i < proof->steps.size(); ++i) {
        const rewrite::Step& step = proof->steps[i];
        if (i < MostShownSteps) {
            conflict.text += fmt::format("\n  = {}   {} at {}", text(proof->states[i]), step.name(), step.place());
        } else if (i == MostShownSteps) {
            conflict.text += fmt::format("\n  and {} steps more", proof->steps.size() - i);
        }
        const auto isOf = [&](const std::shared_ptr<const EGraphRule>& rule) {
            return std::ranges::any_of(rule->parts(), [&](const auto& part) { return part == step.rule; });
        };
        const auto rule = static_cast<std::uint32_t>(std::ranges::find_if(rules, isOf) - rules.begin());
        if (rule < rules.size() && std::ranges::find(conflict.rules, rule) == conflict.rules.end()) {
            conflict.rules.push_back(rule);
        }
    }
    return conflict;
}

/// The rule to leave out: the least sound one; among equally sound rules, the one applied last. Empty if no rule of the
/// run is involved.
std::optional<std::uint32_t> culprit(const Conflict& conflict, const Rules& rules,
                                     std::optional<std::uint32_t> lastAtWork) {
    if (conflict.rules.empty()) return lastAtWork;
    const auto soundness = [&](std::uint32_t rule) { return rules[rule]->parts().front()->rule().soundness; };
    std::uint32_t worst = conflict.rules.front();
    for (const std::uint32_t rule : conflict.rules) {
        if (soundness(rule) > soundness(worst)) worst = rule;
    }
    const bool isLastIt = lastAtWork && soundness(*lastAtWork) == soundness(worst) &&
                          std::ranges::find(conflict.rules, *lastAtWork) != conflict.rules.end();
    return isLastIt ? *lastAtWork : worst;
}

/// A run until it ends or meets a contradiction.
class Run {
public:
    /// `isOut`: rules, by number, that are left out. `start`: when the time limit began.
    Run(EGraph& graph, const Rules& rules, const std::vector<bool>& isOut, const SaturationOptions& options,
        Scheduler& scheduler, std::stop_token stop, Clock::time_point start)
        : m_graph(graph),
          m_isOut(isOut),
          m_limits(options.limits),
          m_stopWhen(options.stopWhen),
          m_filtersCycles(options.cycles != CycleFilter::None),
          m_scheduler(scheduler),
          m_applications(graph, rules, options, std::move(stop), start, Remember::Last, isOut) {
        for (const auto& rule : rules) m_report.rules.push_back(rule->name());
    }

    /// The rule that was applied last, if the applications led to a contradiction.
    [[nodiscard]] std::optional<std::uint32_t> lastAtWork() const { return m_applications.lastAtWork(); }

    SaturationReport run(std::vector<LeftOutRule> leftOut,
                         absl::FunctionRef<bool(SaturationReport&, EGraph&)> observer) {
        m_report.leftOut = std::move(leftOut);
        m_graph.setOrigin(Snapshot::None, 0);
        m_graph.rebuild();
        if (m_filtersCycles) filterCycles(m_graph);  // cycles that existed before the run
        m_report.startNodes = m_graph.nodeCount();
        m_report.startClasses = m_graph.classCount();
        m_report.stop = grow(observer);
        if (m_report.stop == StopReason::Saturated) {
            for (const std::uint32_t rule : m_applications.partlySearched()) {
                m_report.detail += fmt::format("{}{}", m_report.detail.empty() ? "" : ", ", m_report.rules[rule]);
            }
            if (!m_report.detail.empty()) m_report.detail += ": matching was given up at a place, there may be more";
        }
        m_graph.setOrigin(Snapshot::None, 0);
        return std::move(m_report);
    }

private:
    /// Iterates until the run ends, and returns the reason.
    StopReason grow(absl::FunctionRef<bool(SaturationReport&, EGraph&)> observer) {
        if (isFound()) return StopReason::Found;
        for (std::uint32_t iteration = 0;; ++iteration) {
            if (const std::optional<StopReason> reason = limitReached(iteration)) return *reason;
            const bool isNew = iterate(iteration);
            if (m_graph.contradiction()) return StopReason::Contradiction;  // the observer must not see such a graph
            const bool goOn = observer(m_report, m_graph);
            if (isFound()) return StopReason::Found;
            if (m_applications.ended()) return *m_applications.ended();
            if (!goOn) return StopReason::Stopped;
            if (!isNew && m_scheduler.isSaturated(iteration)) return StopReason::Saturated;
        }
    }

    [[nodiscard]] bool isFound() const {
        return m_stopWhen && !m_graph.contradiction() && m_stopWhen(m_report, m_graph);
    }

    [[nodiscard]] std::optional<StopReason> limitReached(std::uint32_t iteration) const {
        if (m_graph.contradiction()) return StopReason::Contradiction;
        if (m_limits.iterations && iteration >= *m_limits.iterations) return StopReason::Iterations;
        return m_applications.outOfResources();
    }

    /// Returns whether anything became equal or was added.
    bool iterate(std::uint32_t iteration) {
        IterationReport& report = m_report.iterations.emplace_back();
        report.rules.resize(m_report.rules.size());
        for (RuleReport& rule : report.rules) rule.banned = true;
        const std::size_t nodes = m_graph.nodeCount();
        bool isNew = false;
        for (const std::vector<std::uint32_t>& batch : m_scheduler.batches(iteration)) {
            std::vector<std::uint32_t> toApply;
            for (const std::uint32_t rule : batch) {
                if (m_applications.ended()) break;
                if (m_isOut[rule]) continue;
                if (search(rule, iteration, report)) toApply.push_back(rule);
            }
            // If the search was interrupted, its matches are not applied, so the graph only contains complete rule
            // searches.
            isNew = m_applications.apply(toApply, iteration + 1, report) || isNew;
            if (m_applications.ended() || m_graph.contradiction()) break;
        }
        report.nodes = m_graph.nodeCount();
        report.classes = m_graph.classCount();
        report.bytes = m_applications.bytes();
        return isNew || m_graph.nodeCount() != nodes;
    }

    bool search(std::uint32_t rule, std::uint32_t iteration, IterationReport& report) {
        const Clock::time_point start = Clock::now();
        RuleReport& ruleReport = report.rules[rule];
        ruleReport.banned = false;
        if (m_scheduler.matchesAgain()) m_applications.forget(rule);
        const RuleWorker::Searched searched = m_applications.search(rule, m_scheduler.matchLimit(rule));
        ruleReport.matches = m_applications.matchCount(rule);
        ruleReport.seconds = secondsSince(start);
        report.searchSeconds += ruleReport.seconds;
        if (searched == RuleWorker::Searched::Interrupted) return false;
        const bool exceeded = searched == RuleWorker::Searched::Limit;
        ruleReport.banned = !m_scheduler.searched(rule, iteration, exceeded);
        m_applications.settle(rule, !ruleReport.banned, searched);
        return !ruleReport.banned;
    }

    EGraph& m_graph;
    const std::vector<bool>& m_isOut;
    const Limits& m_limits;
    const StopWhen& m_stopWhen;
    bool m_filtersCycles;
    Scheduler& m_scheduler;
    Applications m_applications;
    SaturationReport m_report;
};

}  // namespace

Result<std::vector<std::shared_ptr<const EGraphRule>>> prepareRules(
    const std::vector<std::shared_ptr<const rules::DirectedRule>>& directions) {
    std::vector<std::shared_ptr<const EGraphRule>> prepared;
    for (const auto& direction : directions) {
        auto compiled = std::dynamic_pointer_cast<const rules::CompiledDirection>(direction);
        if (compiled == nullptr) {
            return Error{ErrorCode::Unsupported,
                         fmt::format("{} is not a rule of a rule file: an e-graph cannot use it", direction->name())};
        }
        prepared.push_back(std::make_shared<EGraphRule>(std::move(compiled)));
    }
    return prepared;
}

Result<SaturationReport> saturate(EGraph& graph, const std::vector<std::shared_ptr<const EGraphRule>>& rules,
                                  const SaturationOptions& options, const std::stop_token& stop,
                                  absl::FunctionRef<bool(SaturationReport&, EGraph&)> observer) {
    std::vector<ScheduledRule> scheduled;
    for (const auto& rule : rules) scheduled.push_back({rule->hasSeveralRoots()});
    const Clock::time_point begun = Clock::now();
    graph.rebuild();
    const EGraph start = graph;
    std::vector<bool> isOut(rules.size());
    std::vector<LeftOutRule> leftOut;
    while (true) {
        std::unique_ptr<Scheduler> scheduler;
        if (options.makeScheduler) {
            scheduler = options.makeScheduler({graph, rules, isOut, options});
        } else {
            MITOS_TRY(scheduler, makeScheduler(options.scheduler, scheduled, options.schedulerOptions));
        }
        Run run(graph, rules, isOut, options, *scheduler, stop, begun);
        SaturationReport report = run.run(leftOut, observer);
        if (report.stop != StopReason::Contradiction) return report;
        Conflict conflict = conflictIn(graph, rules);
        const std::optional<std::uint32_t> rule = culprit(conflict, rules, run.lastAtWork());
        if (!rule || isOut[*rule]) {
            report.detail = std::move(conflict.text);
            return report;
        }
        graph = start;
        isOut[*rule] = true;
        leftOut.push_back({rules[*rule]->name(), std::move(conflict.text)});
    }
}

}  // namespace mitos::egraph
