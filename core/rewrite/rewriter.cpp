// SPDX-License-Identifier: GPL-3.0-or-later
// Finding rewrites: walk the tree, match each distinct term once, put the replacement into its place.
#include "core/rewrite/rewriter.h"

#include "core/rewrite/replay.h"

#include <absl/container/flat_hash_set.h>

#include <utility>

namespace mitos::rewrite {

using ir::TermId;

namespace {

/// Remembered rewrites of terms (some 200 bytes each); when there are more, all are forgotten and found anew.
constexpr std::size_t MostRemembered = 200'000;

/// Pre-order walk with a stack of its own: programs may be thousands of levels deep.
template <typename Visit>
void walk(const ir::TermBank& bank, TermId root, Visit visit) {
    struct Level {
        TermId term;
        std::uint32_t next = 0;
    };
    ir::Path path;
    std::vector<Level> levels{{root}};
    if (!visit(path, root)) return;
    while (!levels.empty()) {
        Level& level = levels.back();
        if (level.next == bank.childCount(level.term)) {
            levels.pop_back();
            if (!path.empty()) path.pop_back();
            continue;
        }
        const TermId child = bank.child(level.term, level.next);
        path.push_back(level.next++);
        if (!visit(std::as_const(path), child)) return;
        levels.push_back({child});
    }
}

}  // namespace

Rewriter::Rewriter(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
                   RewriteLimits limits)
    : m_bank(bank),
      m_rules(std::move(rules)),
      m_rulesByOperator(bank.registry().size()),
      m_limits(limits) {
    for (std::uint32_t i = 0; i < m_rules.size(); ++i) {
        const std::vector<ir::OpId>& roots = m_rules[i]->rootOperators();
        if (roots.empty()) {
            for (std::vector<std::uint32_t>& list : m_rulesByOperator) list.push_back(i);
        }
        for (const ir::OpId root : roots) {
            if (root.value >= m_rulesByOperator.size()) continue;  // an operator that this bank's programs do not have
            std::vector<std::uint32_t>& list = m_rulesByOperator[root.value];
            if (list.empty() || list.back() != i) list.push_back(i);
        }
    }
}

const std::vector<Rewriter::Local>& Rewriter::localRewrites(TermId term) {
    if (const auto known = m_local.find(term); known != m_local.end()) return known->second;
    if (m_localCount > MostRemembered) {
        m_local.clear();
        m_localCount = 0;
    }
    std::vector<Local> found;
    for (const std::uint32_t i : m_rulesByOperator[m_bank.op(term).value]) {
        const rules::DirectedRule& rule = *m_rules[i];
        rule.match(m_bank, term, [&](const rules::Substitution& substitution) {
            const Result<TermId> replacement = rule.apply(m_bank, substitution, term);
            if (replacement && *replacement != term && fits(m_bank, term, *replacement)) {
                found.push_back({i, substitution, *replacement});
            }
            return true;
        });
    }
    m_localCount += found.size();
    return m_local.emplace(term, std::move(found)).first->second;
}

bool Rewriter::emit(TermId root, const ir::Path& position, TermId subterm,
                    absl::FunctionRef<bool(const Rewrite&)> found) {
    // A copy: `found` may come back to this rewriter.
    const std::vector<Local> locals = localRewrites(subterm);
    for (const Local& local : locals) {
        const std::uint64_t others = m_bank.treeSize(root) - m_bank.treeSize(subterm);
        const std::uint64_t size = m_bank.treeSize(local.replacement);
        if (size > m_limits.maxTreeSize || others > m_limits.maxTreeSize - size) continue;
        if (position.size() + m_bank.depth(local.replacement) > m_limits.maxDepth) continue;
        const Result<TermId> result = ir::replaceAt(m_bank, root, position, local.replacement);
        if (!result) continue;
        const Rewrite rewrite{{m_rules[local.rule], position, local.substitution}, subterm, local.replacement, *result};
        if (!found(rewrite)) return false;
    }
    return true;
}

void Rewriter::forEach(TermId root, absl::FunctionRef<bool(const Rewrite&)> found) {
    walk(m_bank, root, [&](const ir::Path& path, TermId term) { return emit(root, path, term, found); });
}

std::vector<Rewrite> Rewriter::all(TermId root) {
    std::vector<Rewrite> rewrites;
    forEach(root, [&](const Rewrite& rewrite) {
        rewrites.push_back(rewrite);
        return true;
    });
    return rewrites;
}

Result<std::vector<Rewrite>> Rewriter::at(TermId root, const ir::Path& position) {
    const Result<TermId> subterm = subtermAt(m_bank, root, position);
    if (!subterm) return subterm.error();
    std::vector<Rewrite> rewrites;
    emit(root, position, *subterm, [&](const Rewrite& rewrite) {
        rewrites.push_back(rewrite);
        return true;
    });
    return rewrites;
}

std::vector<Rewrite> Rewriter::successors(TermId root) {
    std::vector<Rewrite> rewrites;
    absl::flat_hash_set<TermId> seen{root};
    forEach(root, [&](const Rewrite& rewrite) {
        if (seen.insert(rewrite.result).second) rewrites.push_back(rewrite);
        return true;
    });
    return rewrites;
}

Result<TermId> Rewriter::apply(TermId root, const Step& step) { return replayed(m_bank, root, step); }

}  // namespace mitos::rewrite
