// SPDX-License-Identifier: GPL-3.0-or-later
// See joint_places.h.
#include "core/rewrite/joint_places.h"

#include "core/rules/matching/matcher.h"

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

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
        SharedRule& own = m_rules.emplace_back(SharedRule{roots, index, {}});
        std::vector<std::uint32_t> binding(roots.front().pattern->variables.size());  // by variable: number of roots
        for (std::uint32_t root = 0; root < roots.size(); ++root) {
            const CompiledRule& left = *roots[root].pattern;
            std::vector<bool> bound(binding.size(), false);
            collectBound(left, left.left, bound);
            for (std::size_t var = 0; var < bound.size(); ++var) binding[var] += bound[var] ? 1 : 0;
            for (std::uint32_t op = 0; op < m_byOperator.size(); ++op) {
                const auto& operators = roots[root].operators;
                const bool isMeant = operators.empty() || std::ranges::find(operators, ir::OpId(op)) != operators.end();
                if (isMeant) m_byOperator[op].emplace_back(ruleIndex, root);
            }
        }
        for (VarIndex var = 0; var < roots.front().pattern->valueCount; ++var) {
            if (binding[var] > 1) own.shared.push_back(var);
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
            for (const VarIndex var : m_rules[rule].shared) partial.shared.push_back(match.values[var].term.value);
            const bool isKnown = std::ranges::any_of(partials, [&](const Partial& other) {
                return other.rule == rule && other.root == root && other.shared == partial.shared;
            });
            if (!isKnown) partials.push_back(std::move(partial));
            return true;
        });
    }
    return partials;
}

bool JointPlaces::forEach(std::span<const TermId> nodes, absl::FunctionRef<bool(TermId, std::uint32_t)> found,
                          absl::FunctionRef<bool()> goOn) {
    if (isEmpty()) return true;
    std::vector<rules::RootJoin> joins;
    std::vector<std::vector<std::vector<TermId>>> matched;  // by rule, root and match: the node
    for (const SharedRule& rule : m_rules) {
        joins.emplace_back(rule.roots.size(), rule.shared.size());
        matched.emplace_back(rule.roots.size());
    }
    for (const TermId node : nodes) {
        if (m_byOperator[m_bank.op(node).value].empty()) continue;
        if (!goOn()) return false;
        for (const Partial& partial : partialsOf(node)) {
            joins[partial.rule].add(partial.root, partial.shared);
            matched[partial.rule][partial.root].push_back(node);
        }
    }
    for (std::size_t r = 0; r < m_rules.size(); ++r) {
        absl::InlinedVector<TermId, 6> tuple;
        const auto areDifferent = [&](rules::RootJoin::Tuple matches) {
            tuple.clear();
            for (std::size_t i = 0; i < matches.size(); ++i) tuple.push_back(matched[r][i][matches[i]]);
            return std::find(tuple.begin(), tuple.end() - 1, tuple.back()) == tuple.end() - 1;
        };
        absl::flat_hash_set<absl::InlinedVector<TermId, 6>> rewritten;  // sets of nodes, in the order of their terms
        std::uint64_t tuples = 0;
        const auto joined = [&](rules::RootJoin::Tuple /*matches*/) {
            if (++tuples % TuplesBetweenPolls == 0 && !goOn()) return false;
            auto set = tuple;
            std::ranges::sort(set);
            // Checked before the tuple is made, because n nodes have n! orders.
            if (!rewritten.contains(set) && found(m_bank.tuple(tuple), m_rules[r].index))
                rewritten.insert(std::move(set));
            return true;
        };
        if (!joins[r].run(areDifferent, joined, [] { return true; })) return false;
    }
    return true;
}

}  // namespace mitos::rewrite
