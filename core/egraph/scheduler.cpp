// SPDX-License-Identifier: GPL-3.0-or-later
// See scheduler.h.
#include "core/egraph/scheduler.h"

#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::egraph {

namespace {

std::vector<std::uint32_t> numbersBelow(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    for (std::uint32_t i = 0; i < count; ++i) numbers[i] = i;
    return numbers;
}

class Simple final : public Scheduler {
public:
    explicit Simple(std::size_t rules) : m_rules(rules) {}
    std::vector<std::vector<std::uint32_t>> batches(std::uint32_t /*iteration*/) override {
        return {numbersBelow(m_rules)};
    }

private:
    std::size_t m_rules;
};

class BackOff final : public Scheduler {
public:
    BackOff(std::size_t rules, const SchedulerOptions& options) : m_options(options), m_rules(rules) {}

    std::vector<std::vector<std::uint32_t>> batches(std::uint32_t iteration) override {
        std::vector<std::uint32_t> batch;
        for (std::uint32_t rule = 0; rule < m_rules.size(); ++rule) {
            if (m_rules[rule].bannedUntil <= iteration) batch.push_back(rule);
        }
        return {batch};
    }
    [[nodiscard]] std::uint64_t matchLimit(std::uint32_t rule) const override {
        const std::uint32_t doublings = std::min<std::uint32_t>(m_rules[rule].timesBanned, 62);
        const bool overflows = m_options.matchLimit > (NoLimit >> (doublings + 1));
        return overflows ? NoLimit - 1 : m_options.matchLimit << doublings;
    }
    bool searched(std::uint32_t rule, std::uint32_t iteration, bool exceeded) override {
        if (!exceeded) return true;
        Ban& ban = m_rules[rule];
        const std::uint64_t length = std::uint64_t(m_options.banLength) << std::min<std::uint32_t>(ban.timesBanned, 24);
        ban.bannedUntil = static_cast<std::uint32_t>(std::min<std::uint64_t>(iteration + 1 + length, 0xFFFFFFFFU));
        ++ban.timesBanned;
        return false;
    }
    bool isSaturated(std::uint32_t iteration) override {
        std::uint32_t first = 0xFFFFFFFFU;
        for (const Ban& ban : m_rules) {
            if (ban.bannedUntil > iteration + 1) first = std::min(first, ban.bannedUntil);
        }
        // A rule whose ban ends with this iteration has not been tried again yet either.
        const bool isDue =
            std::ranges::any_of(m_rules, [&](const Ban& ban) { return ban.bannedUntil == iteration + 1; });
        if (isDue) return false;
        if (first == 0xFFFFFFFFU) return true;
        for (Ban& ban : m_rules) {
            if (ban.bannedUntil > iteration + 1) ban.bannedUntil -= first - (iteration + 1);
        }
        return false;
    }

private:
    struct Ban {
        std::uint32_t timesBanned = 0;
        std::uint32_t bannedUntil = 0;
    };
    SchedulerOptions m_options;
    std::vector<Ban> m_rules;
};

class Sequential final : public Scheduler {
public:
    Sequential(const std::vector<ScheduledRule>& rules, const SchedulerOptions& options)
        : m_multiIterations(options.multiIterations) {
        for (std::uint32_t i = 0; i < rules.size(); ++i) (rules[i].hasSeveralRoots ? m_multi : m_single).push_back(i);
    }
    std::vector<std::vector<std::uint32_t>> batches(std::uint32_t iteration) override {
        if (iteration >= m_multiIterations || m_multi.empty()) return {m_single};
        return {m_multi, m_single};
    }

private:
    std::uint32_t m_multiIterations;
    std::vector<std::uint32_t> m_multi;
    std::vector<std::uint32_t> m_single;
};

}  // namespace

Result<std::unique_ptr<Scheduler>> makeScheduler(std::string_view name, const std::vector<ScheduledRule>& rules,
                                                 const SchedulerOptions& options) {
    if (name == "simple") return std::unique_ptr<Scheduler>(std::make_unique<Simple>(rules.size()));
    if (name == "backoff") return std::unique_ptr<Scheduler>(std::make_unique<BackOff>(rules.size(), options));
    if (name == "sequential") return std::unique_ptr<Scheduler>(std::make_unique<Sequential>(rules, options));
    return noSuchName("scheduler", name, {"simple", "backoff", "sequential"});
}

}  // namespace mitos::egraph
