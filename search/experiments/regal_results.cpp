// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_results.h.
#include "search/experiments/regal_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::search::experiments {

namespace {

constexpr double Percent = 100.0;

}  // namespace

double valueOf(const RegalSearch& search, RegalTask task) {
    return task == RegalTask::Memory ? static_cast<double>(search.peak) : search.runtime;
}

RegalResults::RegalResults(RegalPlan plan, RegalModels models, NamedNumbers paper,
                           std::vector<std::pair<RegalRun, RegalRecord>> records)
    : m_plan(std::move(plan)),
      m_models(std::move(models)),
      m_paper(std::move(paper)),
      m_records(std::move(records)) {
    for (const auto& [run, record] : m_records) {
        for (std::size_t i = 0; i < record.outcomes.size(); ++i) {
            if (record.outcomes[i].searches.empty()) continue;
            m_outcomes[run.key].emplace(run.first + static_cast<std::uint32_t>(i), &record.outcomes[i]);
        }
    }
}

std::vector<RegalKey> RegalResults::keys(RegalTask task, RegalSet set) const {
    std::vector<RegalKey> found;
    for (const auto& [key, outcomes] : m_outcomes) {
        if (key.task == task && key.set == set) found.push_back(key);
    }
    return found;
}

const RegalOutcome* RegalResults::outcome(const RegalKey& key, std::uint32_t graph) const {
    const auto found = m_outcomes.find(key);
    if (found == m_outcomes.end()) return nullptr;
    const auto one = found->second.find(graph);
    return one == found->second.end() ? nullptr : one->second;
}

std::optional<double> RegalResults::objective(const RegalKey& key, std::uint32_t graph) const {
    const RegalOutcome* const found = outcome(key, graph);
    if (found == nullptr || !std::ranges::all_of(found->searches, &RegalSearch::isFeasible)) return std::nullopt;
    double sum = 0.0;
    for (const RegalSearch& search : found->searches) sum += valueOf(search, key.task);
    return sum / static_cast<double>(found->searches.size());
}

std::optional<double> RegalResults::bestKnown(RegalTask task, RegalSet set, std::uint32_t graph) const {
    double best = std::numeric_limits<double>::infinity();
    for (const RegalKey& key : keys(task, set)) {
        const RegalOutcome* const found = outcome(key, graph);
        if (found == nullptr) continue;
        for (const RegalSearch& search : found->searches) {
            if (search.isFeasible()) best = std::min(best, valueOf(search, task));
        }
    }
    return best < std::numeric_limits<double>::infinity() ? std::optional(best) : std::nullopt;
}

bool RegalResults::isProven(RegalTask task, RegalSet set, std::uint32_t graph) const {
    const RegalOutcome* const exact = outcome(usualKey(m_plan, task, set, RegalMethod::Exact), graph);
    return exact != nullptr && exact->isProven;
}

std::optional<RegalSummary> RegalResults::summary(const RegalKey& key) const {
    const RegalKey reference = usualKey(m_plan, key.task, key.set, RegalMethod::Brkga);
    const auto found = m_outcomes.find(key);
    if (found == m_outcomes.end() || !has(reference)) return std::nullopt;
    RegalSummary summary{.key = key};
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> gaps;
    for (const auto& [graph, outcome] : found->second) {
        ++summary.graphs;
        summary.inferenceSeconds += outcome->inferenceSeconds;
        for (const RegalSearch& search : outcome->searches) {
            ++summary.searches;
            summary.unfit += search.isFeasible() ? 0 : 1;
            summary.seconds += search.seconds;
        }
        const std::optional<double> own = objective(key, graph);
        const std::optional<double> other = objective(reference, graph);
        if (!own || !other || !(*other > 0.0)) continue;
        summary.numbers.push_back(graph);
        ours.push_back(*own);
        theirs.push_back(*other);
        gaps.push_back(Percent * (*own / *bestKnown(key.task, key.set, graph) - 1.0));
    }
    summary.comparison = compared(ours, theirs);
    summary.gap = intervalMean(gaps);
    summary.seconds /= static_cast<double>(summary.searches);
    summary.inferenceSeconds /= static_cast<double>(summary.graphs);
    return summary;
}

IntervalMean RegalResults::advantage(const RegalKey& one, const RegalKey& other, double times) const {
    const std::optional<RegalSummary> first = summary(one);
    const std::optional<RegalSummary> second = summary(other);
    if (!first || !second) return {};
    std::map<std::uint32_t, double> improvements;
    for (std::size_t i = 0; i < second->numbers.size(); ++i)
        improvements.emplace(second->numbers[i], second->comparison.improvements[i]);
    std::vector<double> differences;
    for (std::size_t i = 0; i < first->numbers.size(); ++i) {
        const auto paired = improvements.find(first->numbers[i]);
        if (paired == improvements.end()) continue;
        differences.push_back(first->comparison.improvements[i] - times * paired->second);
    }
    return intervalMean(differences);
}

IntervalMean RegalResults::beyondRoom(const RegalKey& key, double part) const {
    const std::optional<RegalSummary> summary = this->summary(key);
    if (!summary) return {};
    const RegalKey reference = usualKey(m_plan, key.task, key.set, RegalMethod::Brkga);
    std::vector<double> differences;
    for (std::size_t i = 0; i < summary->numbers.size(); ++i) {
        const std::uint32_t graph = summary->numbers[i];
        const double room = Percent * (1.0 - *bestKnown(key.task, key.set, graph) / *objective(reference, graph));
        differences.push_back(summary->comparison.improvements[i] - part * room);
    }
    return intervalMean(differences);
}

std::optional<RegalSummary> RegalResults::nextBest(RegalTask task, RegalSet set) const {
    std::optional<RegalSummary> best;
    for (const RegalMethodInfo& info : regalMethods()) {
        if (info.group != RegalGroup::Paper || info.method == RegalMethod::Regal || info.method == RegalMethod::Brkga)
            continue;
        std::optional<RegalSummary> one = summary(usualKey(m_plan, task, set, info.method));
        if (!one || one->comparison.count() == 0) continue;
        if (!best || one->comparison.improvement.mean > best->comparison.improvement.mean) best = std::move(one);
    }
    return best;
}

std::string RegalResults::title(const RegalKey& key) const {
    const RegalMethodInfo& info = infoOf(key.method);
    std::string title = info.title;
    if (key.method == RegalMethod::OtherNoise) {
        const RegalModel* const model = m_models.find(objectiveOf(key.task), RegalRole::Other);
        if (model != nullptr)
            title = model->model.noise > 0.0 ? "REGAL, trained with noise" : "REGAL, trained without noise";
    }
    if (key.method == RegalMethod::Alone) {
        const RegalModel* const model = m_models.find(objectiveOf(key.task), RegalRole::Alone);
        if (model != nullptr) {
            title = model->model.features == placement::PolicyView::Methods ? "REGAL that sees simple methods"
                                                                            : "REGAL that sees the graph alone";
        }
    }
    if (key.method == RegalMethod::Exact) title += fmt::format(", {:g} s", m_plan.exactSeconds);
    if (info.isRandomized && key.evaluations != m_plan.evaluations)
        title += fmt::format(", {} evaluations", groupedText(key.evaluations));
    return title;
}

}  // namespace mitos::search::experiments
