// SPDX-License-Identifier: GPL-3.0-or-later
// See replacement_costs.h.
#include "core/cost/replacement_costs.h"

#include "core/cost/node_cost.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::cost {

using ir::TermId;

namespace {

// Larger changes are priced with the whole graph.
constexpr std::size_t MostFresh = 256;           ///< nodes of a replacement
constexpr std::size_t MostUsers = 64;            ///< users of a node whose replacement the graph has already
constexpr std::size_t AlwaysNodes = 256;         ///< nodes of a part, in any graph
constexpr std::size_t MostNodes = 1'024;         ///< nodes of a part
constexpr std::uint32_t MostOfflineLevels = 32;  ///< of values computed beforehand that enter a part
constexpr std::size_t MostPriced = 4'096;        ///< parts whose costs are kept
/// Costs of a node that differ by less, relative to the larger, differ by rounding.
constexpr double Rounding = 1e-9;

bool isSameCost(double a, double b) { return std::abs(a - b) <= Rounding * std::max(std::abs(a), std::abs(b)); }

}  // namespace

ReplacementCosts::ReplacementCosts(ir::TermBank& bank, CostEvaluator& costs, TermId root,
                                   std::optional<std::size_t> mostNodes)
    : m_bank(bank),
      m_costs(costs),
      m_reach(costs.reach()) {
    if (!m_reach) return;
    const Result<double> known = costs.cost(root);
    if (!known) return;
    m_cost = *known;
    const ir::SharedNodes graph(bank, root);
    m_nodes.assign(graph.begin(), graph.end());
    m_mostNodes = mostNodes.value_or(std::clamp(m_nodes.size() / 4, AlwaysNodes, MostNodes));
    m_firstUser.assign(m_nodes.size() + 1, 0);
    for (const TermId node : m_nodes) {
        m_numbers.emplace(node, static_cast<Number>(m_numbers.size()));
        for (const TermId child : bank.children(node)) ++m_firstUser[m_numbers.at(child) + 1];
    }
    for (std::size_t i = 1; i < m_firstUser.size(); ++i) m_firstUser[i] += m_firstUser[i - 1];
    m_users.resize(m_firstUser.back());
    std::vector<std::uint32_t> next(m_firstUser.begin(), m_firstUser.end() - 1);
    for (Number user = 0; user < m_nodes.size(); ++user) {
        for (const TermId child : bank.children(m_nodes[user])) m_users[next[m_numbers.at(child)]++] = user;
        static_cast<void>(isOffline(m_nodes[user]));
    }
    if (*m_reach == 0) return;
    const Result<std::vector<NodeCost>> nodes = costs.explainNodes(root);
    if (!nodes) {
        m_cost.reset();
        return;
    }
    for (const NodeCost& node : *nodes) m_own.push_back(node.cost);
}

std::optional<double> ReplacementCosts::of(TermId node, TermId replacement) {
    const auto number = m_numbers.find(node);
    if (!isAble() || number == m_numbers.end()) return std::nullopt;
    const std::optional<Change> change = changeOf(number->second, replacement);
    if (!change) return std::nullopt;
    std::optional<std::vector<Number>> nodes = around(*change, 2 * *m_reach);
    if (!nodes) return std::nullopt;
    const std::optional<Part> part = partOf(*change, *std::move(nodes));
    if (!part) return std::nullopt;
    if (m_priced.size() >= MostPriced) m_priced.clear();
    const Priced* const before = priced(part->before);
    const Priced* const after = priced(part->after);
    if (before == nullptr || after == nullptr || !isLocal(*change, *part, *before, *after)) return std::nullopt;
    return *m_cost + (after->cost - before->cost);
}

std::optional<ReplacementCosts::Change> ReplacementCosts::changeOf(Number node, TermId replacement) {
    Change change;
    change.node = node;
    change.replacement = replacement;
    if (m_bank.looseBound(m_nodes[node]) > 0 || m_bank.looseBound(replacement) > 0) return std::nullopt;
    if (!addFresh(change) || makesNodesEqual(change)) return std::nullopt;
    // Facts about values that are computed beforehand may matter to all that is computed from them.
    const bool wasOffline = isOffline(m_nodes[node]);
    if (wasOffline != isOffline(replacement) || (wasOffline && *m_reach > 0)) return std::nullopt;
    if (!countUses(change)) return std::nullopt;
    return change;
}

/// Finds the nodes of the replacement that the graph does not have. Fails if they are too many, or if the others may be computed from the node
/// that is replaced.
bool ReplacementCosts::addFresh(Change& change) {
    const std::uint32_t depth = m_bank.depth(m_nodes[change.node]);
    absl::flat_hash_map<TermId, bool> isDone;
    std::vector<TermId> open{change.replacement};
    while (!open.empty()) {
        const TermId term = open.back();
        if (const auto known = m_numbers.find(term); known != m_numbers.end()) {
            if (known->second != change.node && m_bank.depth(term) > depth) return false;
            open.pop_back();
            continue;
        }
        const auto [state, isNew] = isDone.try_emplace(term, false);
        if (isNew) {
            if (isDone.size() > MostFresh) return false;
            for (const TermId child : m_bank.children(term)) open.push_back(child);
            continue;
        }
        if (!std::exchange(state->second, true)) change.fresh.push_back(term);
        open.pop_back();
    }
    return true;
}

/// Whether a user of the node is, with the replacement, a node that the graph has already, or another user. The replacement of a node by one
/// that is new to the graph makes no nodes equal; neither do users that stay different make their users equal.
bool ReplacementCosts::makesNodesEqual(const Change& change) {
    if (!change.fresh.empty()) return false;
    const std::span<const Number> users = usersOf(change.node);
    if (users.size() > MostUsers) return true;
    absl::flat_hash_set<Number> seen;
    absl::flat_hash_set<TermId> made;
    std::vector<TermId> children;
    for (const Number user : users) {
        if (!seen.insert(user).second) continue;
        children.clear();
        for (const TermId child : m_bank.children(m_nodes[user]))
            children.push_back(child == m_nodes[change.node] ? change.replacement : child);
        const Result<TermId> form = m_bank.withChildren(m_nodes[user], children);
        if (!form || m_numbers.contains(*form) || !made.insert(*form).second) return true;
    }
    return false;
}

bool ReplacementCosts::countUses(Change& change) const {
    const auto usesOf = [&](Number number) {
        const bool isRoot = number + 1 == m_nodes.size();
        return static_cast<int>(usersOf(number).size()) + (isRoot ? 1 : 0) + change.uses[number];
    };
    const int moved = usesOf(change.node);
    change.uses[change.node] -= moved;
    const auto kept = m_numbers.find(change.replacement);
    if (kept != m_numbers.end()) change.uses[kept->second] += moved;
    for (const TermId fresh : change.fresh) {
        for (const TermId child : m_bank.children(fresh)) {
            if (const auto known = m_numbers.find(child); known != m_numbers.end()) ++change.uses[known->second];
        }
    }
    const auto enter = [&change](Number number) {
        if (change.isInCore.insert(number).second) change.core.push_back(number);
    };
    enter(change.node);
    std::vector<Number> unused;
    if (usesOf(change.node) == 0) unused.push_back(change.node);
    while (!unused.empty()) {
        const Number number = unused.back();
        unused.pop_back();
        enter(number);
        if (change.core.size() > m_mostNodes) return false;
        for (const TermId child : m_bank.children(m_nodes[number])) {
            const Number used = m_numbers.at(child);
            --change.uses[used];
            if (usesOf(used) == 0) unused.push_back(used);
        }
    }
    if (*m_reach == 0) return true;
    // Whether a node is part of a group depends on its uses.
    for (const auto& [number, by] : change.uses) {
        if (by != 0 && !isLeaf(number)) enter(number);
    }
    for (const TermId fresh : change.fresh) {
        for (const TermId child : m_bank.children(fresh)) {
            const auto known = m_numbers.find(child);
            if (known != m_numbers.end() && !isLeaf(known->second)) enter(known->second);
        }
    }
    if (kept != m_numbers.end() && !isLeaf(kept->second)) enter(kept->second);
    std::ranges::sort(change.core);
    return true;
}

/// Children are asked before their parents.
bool ReplacementCosts::isOffline(TermId term) {
    std::vector<TermId> open{term};
    while (!open.empty()) {
        const TermId next = open.back();
        const std::size_t before = open.size();
        if (!m_isOffline.contains(next)) {
            for (const TermId child : m_bank.children(next)) {
                if (!m_isOffline.contains(child)) open.push_back(child);
            }
            if (open.size() > before) continue;
            const bool is = cost::isOffline(
                m_bank, next, [&](std::size_t child) { return m_isOffline.at(m_bank.child(next, child)); });
            m_isOffline.emplace(next, is);
        }
        open.pop_back();
    }
    return m_isOffline.at(term);
}

std::optional<std::vector<ReplacementCosts::Number>> ReplacementCosts::around(const Change& change,
                                                                              std::uint32_t levels) const {
    absl::flat_hash_set<Number> seen(change.core.begin(), change.core.end());
    std::vector<Number> nodes(change.core.begin(), change.core.end());
    const auto grow = [&](const auto& neighbours) {
        std::size_t next = 0;
        for (std::uint32_t level = 0; level < levels; ++level) {
            for (const std::size_t end = nodes.size(); next < end; ++next) {
                if (!neighbours(nodes[next])) return false;
            }
        }
        return true;
    };
    const auto enter = [&](Number number) {
        if (seen.insert(number).second) nodes.push_back(number);
        return nodes.size() <= m_mostNodes;
    };
    const bool isSmall = grow([&](Number number) {
                             const std::span<const Number> users = usersOf(number);
                             return std::ranges::all_of(users, enter);
                         }) &&
                         grow([&](Number number) {
                             const std::span<const TermId> children = m_bank.children(m_nodes[number]);
                             return std::ranges::all_of(children, [&](TermId child) {
                                 return m_bank.childCount(child) == 0 || enter(m_numbers.at(child));
                             });
                         });
    if (!isSmall) return std::nullopt;
    std::ranges::sort(nodes);
    return nodes;
}

std::optional<TermId> ReplacementCosts::entering(Number node, absl::flat_hash_map<Number, TermId>& entered) {
    if (const auto known = entered.find(node); known != entered.end()) return known->second;
    const TermId term = m_nodes[node];
    TermId form = term;
    if (m_bank.looseBound(term) > 0) return std::nullopt;
    if (isOffline(term)) {
        if (m_bank.depth(term) > MostOfflineLevels) return std::nullopt;
    } else if (!isLeaf(node)) {
        // No name in a program has a space in front. Equal parts of a graph so are one term, which is priced once.
        form = m_bank.variable(m_bank.symbols().intern(fmt::format(" {}", entered.size())), m_bank.type(term));
    }
    entered.emplace(node, form);
    return form;
}

std::optional<ReplacementCosts::Part> ReplacementCosts::partOf(const Change& change, std::vector<Number> nodes) {
    Part part;
    part.nodes = std::move(nodes);
    absl::flat_hash_map<Number, int> insideUses;
    absl::flat_hash_map<Number, TermId> entered;
    std::vector<TermId> children;
    std::vector<TermId> newChildren;
    const auto made = [&](TermId node, std::span<const TermId> with) -> std::optional<TermId> {
        if (with.empty()) return node;
        const Result<TermId> form = m_bank.withChildren(node, with);
        return form ? std::optional(*form) : std::nullopt;
    };
    const auto oldForm = [&](Number number) -> std::optional<TermId> {
        const auto inside = part.formsBefore.find(number);
        return inside != part.formsBefore.end() ? inside->second : entering(number, entered);
    };
    for (const Number number : part.nodes) {
        const TermId node = m_nodes[number];
        children.clear();
        for (std::size_t i = 0; i < m_bank.childCount(node); ++i) {
            const Number child = m_numbers.at(m_bank.child(node, i));
            const std::optional<TermId> form = oldForm(child);
            if (!form) return std::nullopt;
            children.push_back(*form);
            ++insideUses[child];
        }
        const std::optional<TermId> form = made(node, children);
        if (!form) return std::nullopt;
        part.formsBefore.emplace(number, *form);
    }
    absl::flat_hash_map<TermId, TermId> fresh;
    const auto formInReplacement = [&](TermId term) -> std::optional<TermId> {
        const auto known = m_numbers.find(term);
        return known == m_numbers.end() ? std::optional(fresh.at(term)) : oldForm(known->second);
    };
    for (const TermId term : change.fresh) {
        children.clear();
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            const std::optional<TermId> form = formInReplacement(m_bank.child(term, i));
            if (!form) return std::nullopt;
            children.push_back(*form);
        }
        const std::optional<TermId> form = made(term, children);
        if (!form) return std::nullopt;
        fresh.emplace(term, *form);
    }
    const std::optional<TermId> replacement = formInReplacement(change.replacement);
    if (!replacement) return std::nullopt;
    const auto newForm = [&](Number number) {
        const auto inside = part.formsAfter.find(number);
        return inside != part.formsAfter.end() ? inside->second : entered.at(number);
    };
    for (const Number number : part.nodes) {
        if (number == change.node) {
            part.formsAfter.emplace(number, *replacement);
            continue;
        }
        const TermId node = m_nodes[number];
        newChildren.clear();
        for (const TermId child : m_bank.children(node)) newChildren.push_back(newForm(m_numbers.at(child)));
        const std::optional<TermId> form = made(node, newChildren);
        if (!form) return std::nullopt;
        part.formsAfter.emplace(number, *form);
    }
    // The results: what the rest of the graph uses, and what enters, so that it is there before and after the change.
    std::vector<TermId> before;
    std::vector<TermId> after;
    for (const Number number : part.nodes) {
        const int outside = static_cast<int>(usersOf(number).size()) - insideUses[number];
        if (outside == 0 && number + 1 != m_nodes.size()) continue;
        before.push_back(part.formsBefore.at(number));
        after.push_back(part.formsAfter.at(number));
    }
    std::vector<TermId> others;
    for (const auto& [number, form] : entered) others.push_back(form);
    std::ranges::sort(others);
    before.insert(before.end(), others.begin(), others.end());
    after.insert(after.end(), others.begin(), others.end());
    part.before = m_bank.tuple(before);
    part.after = m_bank.tuple(after);
    return part;
}

const ReplacementCosts::Priced* ReplacementCosts::priced(TermId part) {
    const auto [known, isNew] = m_priced.try_emplace(part);
    if (!isNew) return known->second ? &*known->second : nullptr;
    const Result<double> cost = m_costs.cost(part);
    if (!cost) return nullptr;
    Priced result{*cost, {}};
    if (*m_reach > 0) {
        const Result<std::vector<NodeCost>> nodes = m_costs.explainNodes(part);
        if (!nodes) return nullptr;
        std::size_t next = 0;
        for (const TermId node : ir::SharedNodes(m_bank, part)) result.own.emplace(node, (*nodes)[next++].cost);
    }
    known->second = std::move(result);
    return &*known->second;
}

bool ReplacementCosts::isLocal(const Change& change, const Part& part, const Priced& before, const Priced& after) {
    if (*m_reach == 0) return true;
    const std::optional<std::vector<Number>> near = around(change, *m_reach);
    if (!near) return false;
    const auto ownOf = [](const Priced& priced, TermId form) {
        const auto found = priced.own.find(form);
        return found == priced.own.end() ? 0.0 : found->second;
    };
    auto next = near->begin();
    for (const Number number : part.nodes) {
        const double old = ownOf(before, part.formsBefore.at(number));
        if (next != near->end() && *next == number) {
            ++next;
            if (!isSameCost(old, m_own[number])) return false;
        } else if (!isSameCost(old, ownOf(after, part.formsAfter.at(number)))) {
            return false;
        }
    }
    return true;
}

}  // namespace mitos::cost
