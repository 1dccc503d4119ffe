// SPDX-License-Identifier: GPL-3.0-or-later
// See simulator.h.
#include "search/saturation/simulator.h"

#include "core/base/hash.h"
#include "search/saturation/ranked_rules.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace mitos::search {

namespace {

using Outcome = egraph::RuleSteps::Outcome;

/// Draws an entry of the list and takes it out; the order of the others changes.
std::uint32_t draw(std::vector<std::uint32_t>& list, Random& random) {
    std::uint32_t& entry = list[random.below(list.size())];
    const std::uint32_t drawn = std::exchange(entry, list.back());
    list.pop_back();
    return drawn;
}

/// The simulators share the memory with the run's graph, and with one that the run may keep.
egraph::SaturationOptions sharedOptions(const SimulatorSource& source) {
    constexpr std::uint64_t Graphs = 4;
    egraph::SaturationOptions options = source.run.options;
    if (options.limits.memoryBytes) *options.limits.memoryBytes /= Graphs;
    return options;
}

}  // namespace

std::uint64_t childKey(std::uint64_t key, std::uint32_t rule) { return combineHash(key, rule + 1U); }

double reduction(double from, double to) { return std::isfinite(from) ? std::max(from - to, 0.0) : 0.0; }

Simulator::Simulator(const SimulatorSource& source)
    : m_source(source),
      m_bank(source.run.graph.bank().copy()),
      m_graph(source.run.graph, *m_bank, false),
      m_steps(m_graph, source.run.rules, sharedOptions(source), source.stop),
      m_pricer(m_graph, source.cost, source.function, source.roots, source.method, source.priced, {.seed = source.seed},
               source.known) {
    for (std::uint32_t rule = 0; rule < source.run.rules.size(); ++rule) {
        if (!source.run.isOut[rule]) m_all.push_back(rule);
    }
}

bool Simulator::mayGoOn() const { return !m_source.stop.stop_requested() && secondsLeft().value_or(1.0) > 0.0; }

double Simulator::startCost() {
    goTo({});
    return m_pricer.cost(m_source.stop);
}

bool Simulator::goTo(const std::vector<std::uint32_t>& path) {
    const auto isSame = [](const Applied& applied, std::uint32_t rule) { return applied.rule == rule; };
    const auto [own, wanted] = std::ranges::mismatch(m_path, path, isSame);
    const auto common = static_cast<std::size_t>(own - m_path.begin());
    while (m_path.size() > common) {
        m_graph.undoTo(m_path.back().before);
        m_path.pop_back();
    }
    for (auto rule = wanted; rule != path.end(); ++rule) {
        const egraph::EGraph::Mark before = m_graph.mark();
        if (apply(*rule) == Outcome::Interrupted) {
            m_graph.undoTo(before);
            return false;
        }
        m_path.push_back({*rule, before});
    }
    return true;
}

std::vector<std::uint32_t> Simulator::matching(const Trial& trial) {
    Random random(trial.key);
    std::vector<std::uint32_t> left = trial.unchecked;
    std::vector<std::uint32_t> found;
    while (!left.empty() && mayGoOn()) {
        const std::uint32_t rule = draw(left, random);
        if (m_steps.hasMatch(rule)) found.push_back(rule);
    }
    if (!m_source.ranks.empty()) sortByRank(found, m_source.ranks);
    return found;
}

TrialResult Simulator::run(const Trial& trial) {
    TrialResult result;
    result.isInterrupted = !goTo(trial.path);
    if (result.isInterrupted) return result;
    std::optional<std::uint32_t> rule = trial.rule;
    if (!rule) {
        result.candidates = matching(trial);
        result.isInterrupted = !mayGoOn();
        if (result.isInterrupted || result.candidates->empty()) return result;
        rule = result.candidates->front();
    }
    const egraph::EGraph::Mark before = m_graph.mark();
    const Outcome outcome = apply(*rule);
    result.isInterrupted = outcome == Outcome::Interrupted;
    result.isChanged = outcome == Outcome::Changed || outcome == Outcome::Full;
    if (!result.isChanged) {
        m_graph.undoTo(before);
        return result;
    }
    m_path.push_back({*rule, before});
    result.isFull = outcome == Outcome::Full;
    result.nodes = m_graph.nodeCount();
    result.rules = {*rule};
    result.costs = {m_pricer.cost(m_source.stop)};
    if (!result.isFull) simulate(trial, childKey(trial.key, *rule), result);
    result.isInterrupted = !mayGoOn();
    return result;
}

void Simulator::simulate(const Trial& trial, std::uint64_t key, TrialResult& result) {
    const egraph::EGraph::Mark start = m_graph.mark();
    Random random(combineHash(key, 0));
    std::vector<std::uint32_t> candidates = m_all;
    for (std::uint32_t step = 0; step < trial.depth && !candidates.empty() && mayGoOn();) {
        const std::uint32_t rule = draw(candidates, random);
        const Outcome outcome = apply(rule);
        if (outcome == Outcome::Interrupted) break;
        if (outcome == Outcome::Unchanged) continue;
        result.rules.push_back(rule);
        result.costs.push_back(m_pricer.cost(m_source.stop));
        if (outcome == Outcome::Full) break;
        candidates = m_all;
        ++step;
    }
    m_graph.undoTo(start);
}

std::vector<TrialResult> runTrials(const std::vector<Trial>& trials,
                                   std::vector<std::unique_ptr<Simulator>>& simulators) {
    std::vector<TrialResult> results(trials.size());
    std::atomic<std::size_t> next = 0;
    std::mutex failureMutex;
    std::exception_ptr failure;
    const auto work = [&](Simulator& simulator) {
        try {
            for (std::size_t i = next++; i < trials.size(); i = next++) results[i] = simulator.run(trials[i]);
        } catch (const std::exception&) {
            const std::scoped_lock lock(failureMutex);
            if (!failure) failure = std::current_exception();
            next = trials.size();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < std::min(simulators.size(), trials.size()); ++i) {
            threads.emplace_back([&work, &simulator = *simulators[i]] { work(simulator); });
        }
        work(*simulators.front());
    }
    if (failure) std::rethrow_exception(failure);
    return results;
}

}  // namespace mitos::search
