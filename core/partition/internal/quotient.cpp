// SPDX-License-Identifier: GPL-3.0-or-later
// See quotient.h.
#include "core/partition/internal/quotient.h"

#include "core/ir/shared.h"

#include <algorithm>

namespace mitos::partition {

Quotient::Quotient(const ir::TermBank& bank, ir::TermId root) : m_bank(bank) {
    const ir::SharedNodes shared(bank, root);
    m_nodes.assign(shared.begin(), shared.end());
    for (const ir::TermId node : m_nodes) m_indexes.emplace(node, static_cast<Index>(m_indexes.size()));
    m_operands.resize(m_nodes.size());
    m_users.resize(m_nodes.size());
    m_regions.assign(m_nodes.size(), None);
    m_seen.assign(m_nodes.size(), 0);
    for (Index user = 0; user < m_nodes.size(); ++user) {
        for (const ir::TermId child : bank.children(m_nodes[user])) {
            const Index operand = m_indexes.at(child);
            if (std::ranges::find(m_operands[user], operand) != m_operands[user].end()) continue;
            m_operands[user].push_back(operand);
            m_users[operand].push_back(user);
        }
    }
}

bool Quotient::isOperator(Index index) const {
    const bool isResults = index + 1 == m_nodes.size() && m_bank.is(m_nodes[index], ir::CoreOp::Tuple);
    return !m_operands[index].empty() && !isResults;
}

bool Quotient::isConstant(Index index) const {
    return m_operands[index].empty() && !m_bank.is(m_nodes[index], ir::CoreOp::Variable);
}

std::optional<Quotient::Detour> Quotient::detour(std::span<const Index> nodes) {
    const std::uint32_t inside = ++m_searches;
    const std::uint32_t outside = ++m_searches;
    for (const Index node : nodes) m_seen[node] = inside;
    // From the operands of the nodes down, through whole regions: they must not need one of the nodes.
    std::vector<Index> open;
    const auto reach = [&](Index node) {
        if (m_seen[node] == outside) return;
        if (m_regions[node] == None) {
            m_seen[node] = outside;
            open.push_back(node);
            return;
        }
        for (const Index member : m_members[m_regions[node]]) {
            m_seen[member] = outside;
            open.push_back(member);
        }
    };
    for (const Index node : nodes) {
        for (const Index operand : m_operands[node]) {
            if (m_seen[operand] != inside) reach(operand);
        }
    }
    while (!open.empty()) {
        const Index node = open.back();
        open.pop_back();
        for (const Index operand : m_operands[node]) {
            if (m_seen[operand] == inside) {
                return m_regions[node] == None ? Detour{.node = node, .region = None}
                                               : Detour{.node = None, .region = m_regions[node]};
            }
            reach(operand);
        }
    }
    return std::nullopt;
}

void Quotient::add(std::span<const Index> nodes) {
    for (const Index node : nodes) m_regions[node] = static_cast<Index>(m_members.size());
    m_members.emplace_back(nodes.begin(), nodes.end());
}

}  // namespace mitos::partition
