// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the nodes of terms without recursion, since programs may be deep.
#include "core/ir/internal/flat_tree.h"

#include "core/base/hash.h"
#include "core/ir/shared.h"

#include <algorithm>
#include <limits>

namespace mitos::ir {

namespace {

std::uint64_t labelHash(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Bound)) return mixBits(bank.op(term).value);
    const Payload& payload = bank.payload(term);
    return combineHash(combineHash(bank.op(term).value, static_cast<std::uint64_t>(payload.kind())), payload.rawBits());
}

/// Addition that saturates at the largest number that fits.
void addUpTo(std::uint16_t& count, unsigned by) {
    count = static_cast<std::uint16_t>(std::min<unsigned>(count + by, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

void TermProfile::count(std::uint64_t feature) { addUpTo(counts[feature % Buckets], 1); }

void TermProfile::add(const TermProfile& part) {
    for (std::size_t i = 0; i < Buckets; ++i) addUpTo(counts[i], part.counts[i]);
}

void TermProfiles::countHead(TermProfile& profile, TermId term) const {
    std::uint64_t family = labelHash(m_bank, term);
    profile.count(family);
    for (const TermId child : m_bank.children(term)) family = combineHash(family, labelHash(m_bank, child));
    if (m_bank.childCount(term) > 0) profile.count(family);
}

std::uint32_t TermProfiles::add(TermId term) {
    if (const auto known = m_numbers.find(term); known != m_numbers.end()) return known->second;
    TermProfile profile;
    profile.shape = combineHash(labelHash(m_bank, term), m_bank.childCount(term));
    countHead(profile, term);
    for (const TermId child : m_bank.children(term)) {
        const TermProfile& part = m_profiles[m_numbers.at(child)];
        profile.shape = combineHash(profile.shape, part.shape);
        profile.add(part);
    }
    const auto number = static_cast<std::uint32_t>(m_profiles.size());
    m_profiles.push_back(profile);
    m_numbers.emplace(term, number);
    return number;
}

std::uint32_t TermProfiles::addShared(TermId term, std::span<const std::uint32_t> parts) {
    TermProfile profile;
    profile.shape = m_bank.hash(term);
    countHead(profile, term);
    for (const std::uint32_t part : parts) profile.add(m_profiles[part]);
    m_profiles.push_back(profile);
    return static_cast<std::uint32_t>(m_profiles.size() - 1);
}

FlatTree::FlatTree(const TermBank& bank, TermId root, TermProfiles& profiles, Sharing sharing) : m_bank(bank) {
    sharing == Sharing::Graph ? writeGraph(root, profiles) : writeTree(root, profiles);
}

void FlatTree::writeGraph(TermId root, TermProfiles& profiles) {
    std::vector<std::uint32_t> parents;
    std::vector<std::uint32_t> open;  // rows from the root to the current one
    forEachShared(m_bank, root, [&](const Path& path, TermId term) {
        open.resize(path.size());
        parents.push_back(open.empty() ? None : open.back());
        m_rows.emplace(term, size());
        open.push_back(size());
        m_nodes.push_back({.term = term});
        return true;
    });
    std::vector<std::vector<std::uint32_t>> parts(m_nodes.size());  // profiles of the rows below each row
    for (std::uint32_t row = size(); row-- > 0;) {
        Node& node = m_nodes[row];
        node.end = std::max(node.end, row + 1);
        node.profile = profiles.addShared(node.term, parts[row]);
        parts[row] = {};
        if (row == 0) break;
        parts[parents[row]].push_back(node.profile);
        m_nodes[parents[row]].end = std::max(m_nodes[parents[row]].end, node.end);
    }
}

void FlatTree::writeTree(TermId root, TermProfiles& profiles) {
    const TermBank& bank = m_bank;
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
            enter(bank.child(term, top.next++));  // invalidates `top`: the stack may have moved
            continue;
        }
        m_nodes[top.row].end = size();
        m_nodes[top.row].profile = profiles.add(term);
        open.pop_back();
    }
}

std::vector<std::uint32_t> FlatTree::children(std::uint32_t row) const {
    std::vector<std::uint32_t> rows;
    if (!m_rows.empty()) {
        for (const TermId child : m_bank.children(m_nodes[row].term)) rows.push_back(m_rows.at(child));
        return rows;
    }
    for (std::uint32_t at = row + 1; at < m_nodes[row].end; at = m_nodes[at].end) rows.push_back(at);
    return rows;
}

std::uint32_t FlatTree::rowOf(TermId term) const {
    const auto found = m_rows.find(term);
    return found == m_rows.end() ? None : found->second;
}

}  // namespace mitos::ir
