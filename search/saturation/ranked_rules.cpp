// SPDX-License-Identifier: GPL-3.0-or-later
// See ranked_rules.h.
#include "search/saturation/ranked_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace mitos::search {

namespace {

class RankedScheduler final : public egraph::Scheduler {
public:
    RankedScheduler(std::unique_ptr<egraph::Scheduler> scheduler, std::vector<double> probabilities)
        : m_scheduler(std::move(scheduler)),
          m_probabilities(std::move(probabilities)) {}

    std::vector<std::vector<std::uint32_t>> batches(std::uint32_t iteration) override {
        std::vector<std::vector<std::uint32_t>> batches = m_scheduler->batches(iteration);
        for (std::vector<std::uint32_t>& batch : batches) sortByRank(batch, m_probabilities);
        return batches;
    }
    [[nodiscard]] bool matchesAgain() const override { return m_scheduler->matchesAgain(); }
    [[nodiscard]] std::uint64_t matchLimit(std::uint32_t rule) const override { return m_scheduler->matchLimit(rule); }
    bool searched(std::uint32_t rule, std::uint32_t iteration, bool exceeded) override {
        return m_scheduler->searched(rule, iteration, exceeded);
    }
    bool isSaturated(std::uint32_t iteration) override { return m_scheduler->isSaturated(iteration); }

private:
    std::unique_ptr<egraph::Scheduler> m_scheduler;
    std::vector<double> m_probabilities;
};

}  // namespace

Result<RankedRules> rankRules(const std::string& file,
                              const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules) {
    constexpr double ShareOfAll = 0.25;
    MITOS_TRY(const RuleRanking ranking, loadRanking(file));
    RankedRules ranked;
    if (rules.empty()) return ranked;
    std::set<std::string, std::less<>> names;
    std::size_t unranked = 0;
    for (const auto& rule : rules) {
        std::vector<std::string> own{rule->name()};
        for (const auto& part : rule->parts()) own.push_back(part->name());
        double weight = 0.0;
        for (const std::string& name : own) weight = std::max(weight, ranking.weight(name));
        if (std::ranges::none_of(own, [&](const std::string& name) { return ranking.rules.contains(name); }))
            ++unranked;
        names.insert(own.begin(), own.end());
        ranked.probabilities.push_back(weight);
    }
    const double total = std::accumulate(ranked.probabilities.begin(), ranked.probabilities.end(), 0.0);
    const double equal = 1.0 / static_cast<double>(rules.size());
    for (double& each : ranked.probabilities) {
        each = total > 0.0 ? (1.0 - ShareOfAll) * each / total + ShareOfAll * equal : equal;
    }
    const auto unknown =
        std::ranges::count_if(ranking.rules, [&](const auto& entry) { return !names.contains(entry.first); });
    if (unknown > 0) {
        ranked.note = fmt::format(
            "{} of the {} rules that {} ranks are not among those of this search, of which {} of {} have no rank",
            unknown, ranking.rules.size(), file, unranked, rules.size());
    }
    return ranked;
}

void sortByRank(std::vector<std::uint32_t>& rules, const std::vector<double>& probabilities) {
    std::ranges::stable_sort(rules, std::ranges::greater(), [&](std::uint32_t rule) { return probabilities[rule]; });
}

Result<egraph::SchedulerFactory> inRankedOrder(const std::string& scheduler, std::vector<double> probabilities) {
    MITOS_TRY(const std::unique_ptr<egraph::Scheduler> known, egraph::makeScheduler(scheduler, {}));
    return egraph::SchedulerFactory(
        [scheduler, probabilities = std::move(probabilities)](const egraph::RunInProgress& run) {
            std::vector<egraph::ScheduledRule> rules;
            for (const auto& rule : run.rules) rules.push_back({rule->hasSeveralRoots()});
            auto named = *egraph::makeScheduler(scheduler, rules, run.options.schedulerOptions);
            return std::make_unique<RankedScheduler>(std::move(named), probabilities);
        });
}

}  // namespace mitos::search
