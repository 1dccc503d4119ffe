// SPDX-License-Identifier: GPL-3.0-or-later
// Terms as graphs (Sharing::Graph): each distinct subterm is one node, however often it occurs. All functions take time linear in the
// number of nodes and edges; the tree of the same term may be exponentially larger.
#pragma once

#include "core/ir/path.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mitos::ir {

/// Every distinct node of a graph once, in post-order of the first paths: children before their parents, the root last.
class SharedNodes {
public:
    SharedNodes(const TermBank& bank, TermId root);

    [[nodiscard]] auto begin() const { return m_nodes.begin(); }
    [[nodiscard]] auto end() const { return m_nodes.end(); }
    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }
    [[nodiscard]] TermId root() const { return m_nodes.back(); }
    [[nodiscard]] bool contains(TermId node) const { return m_known.contains(node); }

private:
    std::vector<TermId> m_nodes;
    absl::flat_hash_set<TermId> m_known;
};

/// The number of distinct nodes.
[[nodiscard]] inline std::size_t sharedSize(const TermBank& bank, TermId root) {
    return SharedNodes(bank, root).size();
}

/// Visits every distinct node with its first path, in pre-order of these paths. Positions in graphs are written as first paths. If
/// visit returns false, the traversal stops.
void forEachShared(const TermBank& bank, TermId root, absl::FunctionRef<bool(const Path&, TermId)> visit);
/// The nodes of a program: the distinct ones if its dialect shares them, else every occurrence.
[[nodiscard]] std::uint64_t sizeOf(const TermBank& bank, TermId root, Sharing sharing);
/// Visits these nodes in pre-order of their paths, as forEachShared does, or forEachSubterm (binding.h).
void forEachNode(const TermBank& bank, TermId root, Sharing sharing,
                 absl::FunctionRef<bool(const Path&, TermId)> visit);
/// The first path to a node; nothing if it does not occur.
[[nodiscard]] std::optional<Path> firstPath(const TermBank& bank, TermId root, TermId node);

/// The graph with all uses of a node replaced. The replacement must have the node's type (asserted). It may contain the node
/// itself, which is kept there.
TermId replaceShared(TermBank& bank, const SharedNodes& graph, TermId node, TermId replacement);

/// The new forms of some nodes of a graph.
class ChangedNodes {
public:
    void set(TermId node, TermId replacement) { m_changed.emplace(node, replacement); }
    [[nodiscard]] bool contains(TermId node) const { return m_changed.contains(node); }
    /// The new form of a node; the node itself if it has none.
    [[nodiscard]] TermId formOf(TermId node) const {
        const auto found = m_changed.find(node);
        return found == m_changed.end() ? node : found->second;
    }
    /// Stores the new forms of a node's children in `children`. Returns whether any child has a new form.
    bool childrenOf(const TermBank& bank, TermId node, std::vector<TermId>& children) const;

private:
    absl::flat_hash_map<TermId, TermId> m_changed;
};

struct NodeReplacement {
    TermId node;
    TermId replacement;
};
/// Replaces several nodes at once. The replacements themselves stay unchanged, even if they contain a replaced node.
TermId replaceShared(TermBank& bank, const SharedNodes& graph, std::span<const NodeReplacement> replacements);

}  // namespace mitos::ir
