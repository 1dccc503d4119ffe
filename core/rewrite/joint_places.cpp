// SPDX-License-Identifier: GPL-3.0-or-later
// See joint_places.h.
#include "core/rewrite/joint_places.h"

#include "core/rules/matching/matcher.h"

#include <algorithm>

namespace mitos::rewrite {

using ir::TermId;
using rules::CompiledRule;
using rules::NodeKind;
using rules::VarIndex;

namespace {

constexpr std::uint64_t TuplesBetweenPolls = 64;

/// The variables that every match of the pattern binds to a term, whatever choices it makes inside named patterns.
void collectBound(const CompiledRule& rule, std::uint32_t index, std::vector<bool>& bound) {
    const rules::Node& node = rule.table.nodes[index];
    if (node.kind == NodeKind::Variable && rule.variables[node.var].kind == rules::VarKind::Term) {
        bound[node.var] = true;
    }
    if (node.kind == NodeKind::Unfold) return;
    for (const std::uint32_t attribute : node.attributes) collectBound(rule, attribute, bound);
    for (std::uint32_t i = 0; i < node.childCount; ++i) {
        collectBound(rule, rule.table.children[node.firstChild + i], bound);
    }
}

}  // namespace

JointPlaces::JointPlaces(ir::TermBank& bank, const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules)
    : m_bank(bank),
      m_byOperator(bank.registry().size()) {
    for (std::uint32_t index = 0; index < rules.size(); ++index) {
        const std::span<const rules::RuleRoot> roots = rules[index]->roots();
        if (roots.size() == 1) continue;
        const auto ruleIndex = static_cast<std::uint32_t>(m_rules.size());
        SharedRule& own = m_rules.emplace_back(SharedRule{roots, index, {}, {}});
        std::vector<std::vector<bool>> bound;
        for (std::uint32_t root = 0; root < roots.size(); ++root) {
            const CompiledRule& left = *roots[root].pattern;
            collectBound(left, left.left, bound.emplace_back(left.variables.size(), false));
            for (std::uint32_t op = 0; op < m_byOperator.size(); ++op) {
                const auto& operators = roots[root].operators;
                const bool isMeant = operators.empty() || std::ranges::find(operators, ir::OpId(op)) != operators.end();
                if (isMeant) m_byOperator[op].emplace_back(ruleIndex, root);
            }
        }
        for (VarIndex var = 0; var < roots.front().pattern->valueCount; ++var) {
            const auto binds = [&](const std::vector<bool>& root) { return root[var]; };
            if (std::ranges::count_if(bound, binds) > 1) own.shared.push_back(var);
        }
        for (auto root = bound.begin(); root != bound.end(); ++root) {
            std::vector<std::size_t>& key = own.keys.emplace_back();
            for (std::size_t i = 0; i < own.shared.size(); ++i) {
                const VarIndex var = own.shared[i];
                const auto binds = [&](const std::vector<bool>& other) { return other[var]; };
                if ((*root)[var] && std::any_of(bound.begin(), root, binds)) key.push_back(i);
            }
        }
    }
}

const std::vector<JointPlaces::Partial>& JointPlaces::partialsOf(TermId node) {
    const auto [entry, isNew] = m_partials.try_emplace(node);
    if (!isNew) return entry->second;
    std::vector<Partial>& partials = entry->second;
    for (const auto& [rule, root] : m_byOperator[m_bank.op(node).value]) {
        const CompiledRule& left = *m_rules[rule].roots[root].pattern;
        const rules::ProgramView view(m_bank);
        rules::Matcher matcher(view, left);
        matcher.run(view.placeOf(node), [&, rule = rule, root = root](const rules::Substitution& match) {
            Partial partial{rule, root, {}};
            for (const VarIndex var : m_rules[rule].shared) partial.shared.push_back(match.values[var].term);
            const bool isKnown = std::ranges::any_of(partials, [&](const Partial& other) {
                return other.rule == rule && other.root == root && other.shared == partial.shared;
            });
            if (!isKnown) partials.push_back(std::move(partial));
            return true;
        });
    }
    return partials;
}

/// The join of one rule's roots in one graph.
struct JointPlaces::Join {
    using Key = Values;

    const SharedRule& rule;
    std::vector<std::vector<Candidate>> candidates;                                      ///< by root
    std::vector<absl::flat_hash_map<Key, absl::InlinedVector<std::uint32_t, 4>>> byKey;  ///< by root: candidate numbers
    Values bound;
    Values nodes;
    absl::flat_hash_set<Values> rewritten;  ///< sets of nodes, in the order of their terms
    std::uint64_t tuples = 0;               ///< number of tuples so far
    absl::FunctionRef<bool(TermId, std::uint32_t)> found;
    absl::FunctionRef<bool()> goOn;

    [[nodiscard]] Key keyOf(std::size_t root, const Values& values) const {
        Key key;
        for (const std::size_t i : rule.keys[root]) key.push_back(values[i]);
        return key;
    }
};

/// Joins the roots from number `root` on. Returns false to stop.
bool JointPlaces::join(Join& join, std::size_t root) {
    if (root == join.candidates.size()) {
        if (++join.tuples % TuplesBetweenPolls == 0 && !join.goOn()) return false;
        Values set = join.nodes;
        std::ranges::sort(set);
        // Checked before the tuple is made, because n nodes have n! orders.
        if (!join.rewritten.contains(set) && join.found(m_bank.tuple(join.nodes), join.rule.index)) {
            join.rewritten.insert(std::move(set));
        }
        return true;
    }
    const auto with = [&](const Candidate& candidate) {
        if (std::ranges::find(join.nodes, candidate.node) != join.nodes.end()) return true;
        const Values before = join.bound;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (candidate.partial->shared[i].isValid()) join.bound[i] = candidate.partial->shared[i];
        }
        join.nodes.push_back(candidate.node);
        const bool goOn = this->join(join, root + 1);
        join.nodes.pop_back();
        join.bound = before;
        return goOn;
    };
    if (root == 0) return std::ranges::all_of(join.candidates[0], with);
    const auto fitting = join.byKey[root].find(join.keyOf(root, join.bound));
    if (fitting == join.byKey[root].end()) return true;
    return std::ranges::all_of(fitting->second, [&](std::uint32_t i) { return with(join.candidates[root][i]); });
}

bool JointPlaces::forEach(std::span<const TermId> nodes, absl::FunctionRef<bool(TermId, std::uint32_t)> found,
                          absl::FunctionRef<bool()> goOn) {
    if (isEmpty()) return true;
    std::vector<std::vector<std::vector<Candidate>>> candidates;  // by rule and root
    for (const SharedRule& rule : m_rules) candidates.emplace_back(rule.keys.size());
    for (const TermId node : nodes) {
        if (m_byOperator[m_bank.op(node).value].empty()) continue;
        if (!goOn()) return false;
        for (const Partial& partial : partialsOf(node)) {
            candidates[partial.rule][partial.root].push_back({node, &partial});
        }
    }
    for (std::size_t r = 0; r < m_rules.size(); ++r) {
        if (std::ranges::any_of(candidates[r], [](const auto& root) { return root.empty(); })) continue;
        Join join{.rule = m_rules[r],
                  .candidates = std::move(candidates[r]),
                  .byKey = {},
                  .bound = Values(m_rules[r].shared.size()),
                  .nodes = {},
                  .rewritten = {},
                  .found = found,
                  .goOn = goOn};
        join.byKey.resize(join.candidates.size());
        for (std::size_t root = 1; root < join.candidates.size(); ++root) {
            for (std::uint32_t i = 0; i < join.candidates[root].size(); ++i) {
                join.byKey[root][join.keyOf(root, join.candidates[root][i].partial->shared)].push_back(i);
            }
        }
        if (!this->join(join, 0)) return false;
    }
    return true;
}

}  // namespace mitos::rewrite
