// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/experience.h"

#include "core/ir/transplant.h"

#include <algorithm>
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

}  // namespace mitos::search
