// SPDX-License-Identifier: GPL-3.0-or-later
// Finds rewrites: walks the tree, matches each distinct term once, and puts the replacement in its place.
#include "core/rewrite/rewriter.h"

#include "core/rewrite/internal/replay.h"
#include "core/rewrite/joint_places.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <utility>

namespace mitos::rewrite {

using ir::TermId;

namespace {

/// Walks in pre-order with an explicit stack, because programs may be thousands of levels deep.
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

bool RewriteLimits::allow(const ir::TermBank& bank, TermId root, std::size_t level, TermId subterm,
                          TermId replacement) const {
    const std::uint64_t others = bank.treeSize(root) - bank.treeSize(subterm);
    const std::uint64_t size = bank.treeSize(replacement);
    return size <= maxTreeSize && others <= maxTreeSize - size && level + bank.depth(replacement) <= maxDepth;
}

bool RewriteLimits::allowShared(const ir::TermBank& bank, const ir::SharedNodes& graph,
                                std::span<const ir::NodeReplacement> replacements) const {
    // The longest path down to a node is at most the root's depth minus the depth of the node.
    const std::uint64_t depth = bank.depth(graph.root());
    absl::flat_hash_set<TermId> added;
    std::vector<TermId> open;
    for (const auto& [node, replacement] : replacements) {
        if (std::max<std::uint64_t>(depth, depth - bank.depth(node) + bank.depth(replacement)) > maxSharedDepth)
            return false;
        open.push_back(replacement);
    }
    while (!open.empty() && graph.size() + added.size() <= maxTreeSize) {
        const TermId term = open.back();
        open.pop_back();
        if (graph.contains(term) || !added.insert(term).second) continue;
        open.insert(open.end(), bank.children(term).begin(), bank.children(term).end());
    }
    return graph.size() + added.size() <= maxTreeSize;
}

Rewriter::Rewriter(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
                   ir::Sharing sharing, RewriteLimits limits)
    : m_local(bank, std::move(rules)),
      m_joint(bank, m_local.rules(), LocalRewrites::Roots::Several),
      m_sharing(sharing),
      m_limits(limits) {}

std::vector<Rewriter::Local> Rewriter::localRewrites(TermId term) const {
    std::vector<Local> found;
    m_local.forEach(term, [&](std::uint32_t rule, const rules::Substitution& substitution, TermId replacement) {
        found.push_back({rule, substitution, replacement});
        return true;
    });
    return found;
}

bool Rewriter::emit(TermId root, const ir::Path& position, TermId subterm, const std::vector<Local>& locals,
                    absl::FunctionRef<bool(const Applicable&)> found) const {
    ir::TermBank& bank = m_local.bank();
    for (const Local& local : locals) {
        if (!m_limits.allow(bank, root, position.size(), subterm, local.replacement)) continue;
        const auto step = [&] { return Step{rules()[local.rule], {position}, local.substitution}; };
        const auto make = [&] {
            // The replacement has the subterm's type (LocalRewrites).
            return Rewrite{step(), subterm, local.replacement, bank.replaceAt(root, position, local.replacement)};
        };
        if (!found({*rules()[local.rule], &position, subterm, local.replacement, step, make})) return false;
    }
    return true;
}

bool Rewriter::emitShared(const ir::SharedNodes& graph, const ir::Path& position, TermId node,
                          const std::vector<Local>& locals, absl::FunctionRef<bool(const Applicable&)> found) const {
    ir::TermBank& bank = m_local.bank();
    for (const Local& local : locals) {
        const ir::NodeReplacement replaced[] = {{node, local.replacement}};
        if (!m_limits.allowShared(bank, graph, replaced)) continue;
        const auto step = [&] { return Step{rules()[local.rule], {position}, local.substitution}; };
        const auto make = [&] {
            return Rewrite{step(), node, local.replacement, ir::replaceShared(bank, graph, node, local.replacement)};
        };
        if (!found({*rules()[local.rule], &position, node, local.replacement, step, make})) return false;
    }
    return true;
}

/// Reports rewrites of rules with several roots; if `among` is given, only those with it as one of the nodes.
bool Rewriter::emitJoint(const ir::SharedNodes& graph, std::optional<TermId> among,
                         absl::FunctionRef<bool(const Applicable&)> found, const std::stop_token& stop) const {
    ir::TermBank& bank = m_local.bank();
    JointPlaces places(bank, rules());
    if (places.isEmpty()) return true;
    std::vector<TermId> nodes;
    ir::forEachShared(bank, graph.root(), [&](const ir::Path&, TermId node) {
        nodes.push_back(node);
        return true;
    });
    bool goOn = true;
    const auto emitAt = [&](TermId tuple, std::uint32_t ruleMeant) {
        bool applies = false;
        if (!goOn || (among && std::ranges::find(bank.children(tuple), *among) == bank.children(tuple).end())) {
            return applies;
        }
        m_joint.forEach(tuple, [&](std::uint32_t rule, const rules::Substitution& match, TermId replacement) {
            if (rule != ruleMeant) return true;
            applies = true;
            const std::vector<ir::NodeReplacement> replaced = paired(bank, tuple, replacement);
            if (!m_limits.allowShared(bank, graph, replaced)) return true;
            const auto step = [&] {
                Step made{rules()[rule], {}, match};
                for (const TermId node : bank.children(tuple))
                    made.positions.push_back(*ir::firstPath(bank, graph.root(), node));
                return made;
            };
            const auto make = [&] {
                return Rewrite{step(), tuple, replacement, ir::replaceShared(bank, graph, replaced)};
            };
            goOn = found({*rules()[rule], nullptr, tuple, replacement, step, make});
            return goOn;
        });
        return applies;
    };
    places.forEach(nodes, emitAt, [&] { return goOn && !stop.stop_requested(); });
    return goOn;
}

void Rewriter::forEach(TermId root, absl::FunctionRef<bool(const Rewrite&)> found, const std::stop_token& stop) const {
    forEachApplicable(
        root, [&](const Applicable& one) { return found(one.make()); }, stop);
}

void Rewriter::forEachApplicable(TermId root, absl::FunctionRef<bool(const Applicable&)> found,
                                 const std::stop_token& stop) const {
    if (m_sharing == ir::Sharing::Graph) {
        const ir::SharedNodes graph(m_local.bank(), root);
        bool goOn = true;
        ir::forEachShared(m_local.bank(), root, [&](const ir::Path& position, TermId node) {
            goOn = emitShared(graph, position, node, localRewrites(node), found) && !stop.stop_requested();
            return goOn;
        });
        if (goOn) emitJoint(graph, std::nullopt, found, stop);
        return;
    }
    absl::flat_hash_map<TermId, std::vector<Local>> known;  // a duplicate subterm is matched once
    walk(m_local.bank(), root, [&](const ir::Path& position, TermId subterm) {
        const auto [entry, isNew] = known.try_emplace(subterm);
        if (isNew) entry->second = localRewrites(subterm);
        return emit(root, position, subterm, entry->second, found) && !stop.stop_requested();
    });
}

std::vector<Rewrite> Rewriter::all(TermId root) const {
    std::vector<Rewrite> rewrites;
    forEach(root, [&](const Rewrite& rewrite) {
        rewrites.push_back(rewrite);
        return true;
    });
    return rewrites;
}

Status Rewriter::forEachAt(TermId root, const ir::Path& position,
                           absl::FunctionRef<bool(const Applicable&)> found) const {
    MITOS_TRY(const TermId subterm, subtermAt(m_local.bank(), root, position));
    if (m_sharing == ir::Sharing::Tree) {
        emit(root, position, subterm, localRewrites(subterm), found);
        return Success{};
    }
    const ir::SharedNodes graph(m_local.bank(), root);
    if (emitShared(graph, position, subterm, localRewrites(subterm), found)) emitJoint(graph, subterm, found, {});
    return Success{};
}

Result<std::vector<Rewrite>> Rewriter::at(TermId root, const ir::Path& position) const {
    std::vector<Rewrite> rewrites;
    MITOS_REQUIRE(forEachAt(root, position, [&](const Applicable& one) {
        rewrites.push_back(one.make());
        return true;
    }));
    return rewrites;
}

std::vector<Rewrite> Rewriter::successors(TermId root) const {
    std::vector<Rewrite> rewrites;
    absl::flat_hash_set<TermId> seen{root};
    forEach(root, [&](const Rewrite& rewrite) {
        if (seen.insert(rewrite.result).second) rewrites.push_back(rewrite);
        return true;
    });
    return rewrites;
}

Result<TermId> Rewriter::apply(const ir::Program& program, const Step& step) const {
    return replayed(m_local.bank(), program, step);
}

}  // namespace mitos::rewrite
