// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos_results.h.
#include "search/experiments/knossos_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace mitos::search::experiments {

KnossosKey ownKey(KnossosTask task, const KnossosMethod& method) { return {task, &method, method.strategy}; }

double meanOf(const std::vector<double>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double deviationOf(const std::vector<double>& numbers) {
    if (numbers.size() < 2) return 0.0;
    const double mean = meanOf(numbers);
    double squares = 0.0;
    for (const double number : numbers) squares += (number - mean) * (number - mean);
    return std::sqrt(squares / static_cast<double>(numbers.size() - 1));
}

std::optional<double> KnossosResults::paperOf(KnossosTask task, std::string_view rest) const {
    const NamedNumber* const number = m_paper.find(fmt::format("{}_{}", infoOf(task).name, rest));
    return number == nullptr ? std::nullopt : std::optional(number->value);
}

std::vector<const KnossosRecord*> KnossosResults::of(KnossosTask task, const KnossosMethod& method) const {
    std::vector<const KnossosRecord*> found;
    for (const auto& [run, record] : m_records) {
        if (run.task == task && run.method == &method && !record.stages.empty()) found.push_back(&record);
    }
    return found;
}

bool KnossosResults::has(KnossosTask task) const {
    return std::ranges::any_of(m_records, [&](const auto& one) { return one.first.task == task; });
}

std::vector<KnossosKey> KnossosResults::keys(KnossosTask task) const {
    std::vector<KnossosKey> all;
    for (const KnossosMethod& method : knossosMethods()) {
        const std::vector<const KnossosRecord*> records = of(task, method);
        if (records.empty()) continue;
        all.push_back(ownKey(task, method));
        if (!method.isLearned()) continue;
        for (const std::string_view strategy : knossosSearches()) {
            const bool hasRuns = std::ranges::any_of(records, [&](const KnossosRecord* record) {
                return last(*record, strategy, m_plan.mostEvaluations()) != nullptr;
            });
            if (strategy != method.strategy && hasRuns) all.push_back({task, &method, std::string(strategy)});
        }
    }
    return all;
}

std::string KnossosResults::title(const KnossosKey& key) const {
    if (key.strategy == key.method->strategy) return key.method->title;
    return fmt::format("{} in {}", key.method->title,
                       key.strategy == "mcts" ? "MCTS" : fmt::format("{} search", key.strategy));
}

const KnossosEvaluation* KnossosResults::last(const KnossosRecord& record, std::string_view strategy,
                                              std::uint64_t budget) {
    return record.stages.empty() ? nullptr : record.stages.back().find(strategy, budget);
}

std::vector<double> KnossosResults::totals(const KnossosKey& key, std::uint64_t budget) const {
    std::vector<double> totals;
    for (const KnossosRecord* const record : of(key.task, *key.method)) {
        if (const KnossosEvaluation* const one = last(*record, key.strategy, budget)) totals.push_back(one->total());
    }
    return totals;
}

std::vector<double> KnossosResults::seconds(const KnossosKey& key, std::uint64_t budget) const {
    std::vector<double> seconds;
    for (const KnossosRecord* const record : of(key.task, *key.method)) {
        const KnossosEvaluation* const one = last(*record, key.strategy, budget);
        if (one != nullptr && !one->searches.empty())
            seconds.push_back(one->seconds() / static_cast<double>(one->searches.size()));
    }
    return seconds;
}

std::vector<double> KnossosResults::totalsAt(const KnossosKey& key, std::uint64_t budget, std::uint32_t epochs) const {
    std::vector<double> totals;
    for (const KnossosRecord* const record : of(key.task, *key.method)) {
        for (const KnossosStage& stage : record->stages) {
            const KnossosEvaluation* const one = stage.epochs == epochs ? stage.find(key.strategy, budget) : nullptr;
            if (one != nullptr) totals.push_back(one->total());
        }
    }
    return totals;
}

std::vector<std::uint32_t> KnossosResults::stages(const KnossosKey& key) const {
    std::set<std::uint32_t> epochs;
    for (const KnossosRecord* const record : of(key.task, *key.method)) {
        for (const KnossosStage& stage : record->stages) epochs.insert(stage.epochs);
    }
    return {epochs.begin(), epochs.end()};
}

std::vector<double> KnossosResults::programCosts(const KnossosKey& key, std::uint64_t budget) const {
    std::vector<double> sums;
    std::size_t count = 0;
    for (const KnossosRecord* const record : of(key.task, *key.method)) {
        const KnossosEvaluation* const one = last(*record, key.strategy, budget);
        if (one == nullptr) continue;
        sums.resize(one->searches.size());
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += one->searches[i].cost;
        ++count;
    }
    for (double& sum : sums) sum /= static_cast<double>(count);
    return sums;
}

std::optional<double> KnossosResults::initial(KnossosTask task) const {
    for (const auto& [run, record] : m_records) {
        if (run.task != task || record.stages.empty() || record.stages.back().evaluations.empty()) continue;
        double total = 0.0;
        for (const KnossosSearch& search : record.stages.back().evaluations.front().searches)
            total += search.initialCost;
        return total;
    }
    return std::nullopt;
}

std::optional<KnossosKey> KnossosResults::bestUnlearned(KnossosTask task, std::uint64_t budget) const {
    std::optional<KnossosKey> best;
    double least = 0.0;
    for (const KnossosKey& key : keys(task)) {
        const std::vector<double> own = totals(key, budget);
        if (key.method->isLearned() || own.empty()) continue;
        if (!best || meanOf(own) < least) {
            best = key;
            least = meanOf(own);
        }
    }
    return best;
}

KnossosEfforts KnossosResults::efforts(const KnossosKey& key, double target) const {
    KnossosEfforts efforts;
    for (const KnossosRecord* const record : of(key.task, *key.method)) {
        const KnossosEvaluation* const one = last(*record, key.strategy, m_plan.mostEvaluations());
        if (one == nullptr) continue;
        ++efforts.runs;
        if (const auto effort = effortTo(target, *one)) efforts.reached.push_back(*effort);
    }
    return efforts;
}

std::optional<KnossosTarget> KnossosResults::target(KnossosTask task, const KnossosMethod* reference) const {
    const std::uint64_t budget = m_plan.mostEvaluations();
    const std::optional<KnossosKey> best =
        reference == nullptr ? bestUnlearned(task, budget) : std::optional(ownKey(task, *reference));
    if (!best || totals(*best, budget).empty()) return std::nullopt;
    KnossosTarget target{.title = reference == nullptr ? "all without learning" : title(*best),
                         .total = meanOf(totals(*best, budget))};
    for (const KnossosKey& key : keys(task)) {
        if (key.method->isLearned() || (reference != nullptr && key.method != reference)) continue;
        const KnossosEfforts own = efforts(key, target.total);
        if (own.reached.empty() || own.reached.size() < own.runs) continue;
        KnossosEffort mean;
        for (const KnossosEffort& one : own.reached) {
            mean.evaluations += one.evaluations / static_cast<double>(own.runs);
            mean.seconds += one.seconds / static_cast<double>(own.runs);
        }
        if (!target.effort) target.effort = mean;
        target.effort->evaluations = std::min(target.effort->evaluations, mean.evaluations);
        target.effort->seconds = std::min(target.effort->seconds, mean.seconds);
    }
    return target;
}

bool KnossosResults::isRight() const {
    for (const auto& [run, record] : m_records) {
        for (const KnossosStage& stage : record.stages) {
            for (const KnossosEvaluation& evaluation : stage.evaluations) {
                if (!std::ranges::all_of(evaluation.searches, &KnossosSearch::isGood)) return false;
            }
        }
    }
    return true;
}

}  // namespace mitos::search::experiments
