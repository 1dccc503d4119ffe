// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/experience.h"

#include "core/ir/transplant.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace mitos::search {

std::vector<double> reductionsWithin(std::span<const double> costs, std::span<const StateEdge> edges,
                                     std::uint32_t times, double discount) {
    std::vector<double> rows(costs.size() * times, 0.0);
    std::vector<double> before(costs.size(), 0.0);
    std::vector<double> within(costs.size());
    for (std::uint32_t time = 0; time < times; ++time) {
        within = before;
        for (const StateEdge& edge : edges) {
            double& best = within[edge.from];
            best = std::max(best, discount * (costs[edge.from] - costs[edge.to] + before[edge.to]));
        }
        for (std::size_t state = 0; state < costs.size(); ++state) rows[state * times + time] = within[state];
        std::swap(before, within);
    }
    return rows;
}

std::vector<std::uint32_t> MergedExperience::add(const Experience& experience) {
    if (!m_bank) {
        m_bank = std::make_shared<ir::TermBank>(experience.bank->sharedRegistry());
        m_all.bank = m_bank;
    }
    ir::Transplanter transplanter(*experience.bank, *m_bank);
    if (m_all.roots.empty()) m_all.program = transplanter.program(experience.program);
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < experience.size(); ++i) {
        const ir::TermId root = transplanter.term(experience.roots[i]);
        const auto [place, isNew] = m_numbers.try_emplace(root, static_cast<std::uint32_t>(m_all.size()));
        if (isNew) {
            m_all.roots.push_back(root);
            m_all.costs.push_back(experience.costs[i]);
        }
        numbers.push_back(place->second);
    }
    for (const StateEdge& edge : experience.edges) {
        const StateEdge own{numbers[edge.from], numbers[edge.to]};
        if (own.from != own.to) m_all.edges.push_back(own);
    }
    return numbers;
}

Experience MergedExperience::take() {
    const auto order = [](const StateEdge& edge) { return std::pair(edge.from, edge.to); };
    std::ranges::sort(m_all.edges, {}, order);
    m_all.edges.erase(std::unique(m_all.edges.begin(), m_all.edges.end()), m_all.edges.end());
    m_numbers.clear();
    m_bank = nullptr;
    return std::exchange(m_all, {});
}

namespace {

/// The states of a thread until one has no finite cost; a state that comes again is there twice.
Experience statesOf(const StoredThread& stored, const cost::CostModel& cost) {
    const std::unique_ptr<cost::CostEvaluator> evaluator = cost.evaluator(*stored.bank, stored.thread.start.function);
    Experience experience;
    experience.bank = stored.bank;
    experience.program = stored.thread.start;
    const auto add = [&](ir::TermId root) {
        const Result<double> its = evaluator->cost(root, {});
        if (!its || !std::isfinite(*its)) return false;
        experience.roots.push_back(root);
        experience.costs.push_back(*its);
        return true;
    };
    if (!add(stored.thread.start.root)) return experience;
    for (const ir::TermId root : stored.thread.states) {
        if (!add(root)) break;
        const auto number = static_cast<std::uint32_t>(experience.size() - 1);
        experience.edges.push_back({number - 1, number});
    }
    return experience;
}

}  // namespace

std::vector<Experience> experienceOf(std::span<const StoredThread> threads, const cost::CostModel& cost) {
    std::vector<MergedExperience> starts;
    absl::flat_hash_map<std::uint64_t, std::size_t> numbers;
    for (const StoredThread& stored : threads) {
        const std::uint64_t hash = stored.bank->hash(stored.thread.start.root);
        const auto [known, isNew] = numbers.try_emplace(hash, starts.size());
        if (isNew) starts.emplace_back();
        starts[known->second].add(statesOf(stored, cost));
    }
    std::vector<Experience> experiences;
    for (MergedExperience& start : starts) {
        Experience one = start.take();
        if (!one.edges.empty()) experiences.push_back(std::move(one));
    }
    return experiences;
}

}  // namespace mitos::search
