// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/experience.h"

#include "core/ir/transplant.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <optional>
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
    for (const StateEdge& edge : experience.edges) m_all.edges.push_back({numbers[edge.from], numbers[edge.to]});
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

/// The threads from one program.
class FromOneStart {
public:
    FromOneStart(const StoredThread& first, const cost::CostModel& cost)
        : m_bank(std::make_shared<ir::TermBank>(first.bank->sharedRegistry())) {
        const rewrite::Thread own = rewrite::transplant(*first.bank, {first.thread.start, {}, {}}, *m_bank);
        m_experience.program = own.start;
        m_costs = cost.evaluator(*m_bank, own.start.function);
    }

    void add(const StoredThread& stored) {
        const rewrite::Thread thread = rewrite::transplant(*stored.bank, stored.thread, *m_bank);
        std::optional<std::uint32_t> from = stateOf(thread.start.root);
        for (const ir::TermId root : thread.states) {
            const std::optional<std::uint32_t> to = from ? stateOf(root) : std::nullopt;
            if (!to) return;
            const StateEdge edge{*from, *to};
            if (edge.from != edge.to && std::ranges::find(m_experience.edges, edge) == m_experience.edges.end())
                m_experience.edges.push_back(edge);
            from = to;
        }
    }

    [[nodiscard]] Experience take() {
        m_experience.bank = std::move(m_bank);
        return std::move(m_experience);
    }

private:
    std::optional<std::uint32_t> stateOf(ir::TermId root) {
        if (const auto known = m_states.find(root); known != m_states.end()) return known->second;
        const Result<double> cost = m_costs->cost(root, {});
        if (!cost || !std::isfinite(*cost)) return std::nullopt;
        const auto number = static_cast<std::uint32_t>(m_experience.size());
        m_experience.roots.push_back(root);
        m_experience.costs.push_back(*cost);
        m_states.emplace(root, number);
        return number;
    }

    std::shared_ptr<ir::TermBank> m_bank;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    absl::flat_hash_map<ir::TermId, std::uint32_t> m_states;
    Experience m_experience;
};

}  // namespace

std::vector<Experience> experienceOf(std::span<const StoredThread> threads, const cost::CostModel& cost) {
    std::vector<FromOneStart> starts;
    absl::flat_hash_map<std::uint64_t, std::size_t> numbers;
    for (const StoredThread& stored : threads) {
        if (stored.thread.steps.empty()) continue;
        const std::uint64_t hash = stored.bank->hash(stored.thread.start.root);
        const auto [known, isNew] = numbers.try_emplace(hash, starts.size());
        if (isNew) starts.emplace_back(stored, cost);
        starts[known->second].add(stored);
    }
    std::vector<Experience> experiences;
    for (FromOneStart& start : starts) {
        Experience one = start.take();
        if (!one.edges.empty()) experiences.push_back(std::move(one));
    }
    return experiences;
}

}  // namespace mitos::search
