// SPDX-License-Identifier: GPL-3.0-or-later
// Writing terms out; without recursion, because programs are deep.
#include "core/ir/flat_tree.h"

#include "core/base/hash.h"

#include <algorithm>
#include <limits>

namespace mitos::ir {

namespace {

std::uint64_t labelHash(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Bound)) return mixBits(bank.op(term).value);
    const Payload& payload = bank.payload(term);
    return combineHash(combineHash(bank.op(term).value, static_cast<std::uint64_t>(payload.kind())), payload.rawBits());
}

/// Counts stop at the largest number that fits.
void addUpTo(std::uint16_t& count, unsigned by) {
    count = static_cast<std::uint16_t>(std::min<unsigned>(count + by, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

void TermProfile::count(std::uint64_t feature) { addUpTo(counts[feature % Buckets], 1); }

void TermProfile::add(const TermProfile& part) {
    for (std::size_t i = 0; i < Buckets; ++i) addUpTo(counts[i], part.counts[i]);
}

std::uint32_t TermProfiles::add(TermId term) {
    if (const auto known = m_numbers.find(term); known != m_numbers.end()) return known->second;
    TermProfile profile;
    const std::uint64_t label = labelHash(m_bank, term);
    profile.shape = combineHash(label, m_bank.childCount(term));
    profile.count(label);
    std::uint64_t family = label;
    for (const TermId child : m_bank.children(term)) {
        const TermProfile& part = m_profiles[m_numbers.at(child)];
        profile.shape = combineHash(profile.shape, part.shape);
        family = combineHash(family, labelHash(m_bank, child));
        profile.add(part);
    }
    if (m_bank.childCount(term) > 0) profile.count(family);
    const auto number = static_cast<std::uint32_t>(m_profiles.size());
    m_profiles.push_back(profile);
    m_numbers.emplace(term, number);
    return number;
}

FlatTree::FlatTree(const TermBank& bank, TermId root, TermProfiles& profiles) {
    struct Open {
        std::uint32_t row;
        std::uint32_t next;  // child to visit
    };
    std::vector<Open> open;
    std::vector<std::uint32_t> binders;  // rows, outermost first
    const auto enter = [&](TermId term) {
        Node node;
        node.term = term;
        if (bank.is(term, CoreOp::Bound)) {
            const std::uint32_t index = bank.payload(term).asIndex();
            if (index < binders.size())
                node.binder = binders[binders.size() - 1 - index];
            else
                node.outer = index - static_cast<std::uint32_t>(binders.size());
        }
        open.push_back({size(), 0});
        m_nodes.push_back(node);
    };
    m_nodes.reserve(bank.treeSize(root));
    enter(root);
    while (!open.empty()) {
        Open& top = open.back();
        const TermId term = m_nodes[top.row].term;
        if (top.next > 0 && bank.boundIn(term, top.next - 1) > 0) binders.pop_back();
        if (top.next < bank.childCount(term)) {
            if (bank.boundIn(term, top.next) > 0) binders.push_back(top.row);
            enter(bank.child(term, top.next++));  // `top` is not used any more: the stack may have moved
            continue;
        }
        m_nodes[top.row].end = size();
        m_nodes[top.row].profile = profiles.add(term);
        open.pop_back();
    }
}

std::vector<std::uint32_t> FlatTree::children(std::uint32_t row) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t at = row + 1; at < m_nodes[row].end; at = m_nodes[at].end) rows.push_back(at);
    return rows;
}

}  // namespace mitos::ir
