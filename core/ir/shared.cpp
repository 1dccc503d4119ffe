// SPDX-License-Identifier: GPL-3.0-or-later
// See shared.h. Traversals use explicit stacks, since graphs may be thousands of levels deep.
#include "core/ir/shared.h"

#include "core/ir/binding.h"
#include "core/ir/internal/term_marks.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace mitos::ir {

namespace {

struct Level {
    TermId term;
    std::uint32_t next = 0;  ///< child to go to
};

}  // namespace

SharedNodes::SharedNodes(const TermBank& bank, TermId root) {
    TermMarks seen(root);
    seen.insert(root);
    std::vector<Level> levels{{root}};
    while (!levels.empty()) {
        Level& level = levels.back();
        if (level.next == bank.childCount(level.term)) {
            m_nodes.push_back(level.term);
            levels.pop_back();
            continue;
        }
        const TermId child = bank.child(level.term, level.next++);
        if (seen.insert(child)) levels.push_back({child});
    }
    m_known.reserve(m_nodes.size());
    m_known.insert(m_nodes.begin(), m_nodes.end());
}

void forEachShared(const TermBank& bank, TermId root, absl::FunctionRef<bool(const Path&, TermId)> visit) {
    Path path;
    TermMarks seen(root);
    seen.insert(root);
    std::vector<Level> levels{{root}};
    if (!visit(path, root)) return;
    while (!levels.empty()) {
        Level& level = levels.back();
        if (level.next == bank.childCount(level.term)) {
            levels.pop_back();
            if (!path.empty()) path.pop_back();
            continue;
        }
        const std::uint32_t index = level.next++;
        const TermId child = bank.child(level.term, index);
        if (!seen.insert(child)) continue;
        path.push_back(index);
        if (!visit(std::as_const(path), child)) return;
        levels.push_back({child});
    }
}

std::uint64_t sizeOf(const TermBank& bank, TermId root, Sharing sharing) {
    return sharing == Sharing::Graph ? sharedSize(bank, root) : bank.treeSize(root);
}

void forEachNode(const TermBank& bank, TermId root, Sharing sharing,
                 absl::FunctionRef<bool(const Path&, TermId)> visit) {
    sharing == Sharing::Graph ? forEachShared(bank, root, visit) : forEachSubterm(bank, root, visit);
}

std::optional<Path> firstPath(const TermBank& bank, TermId root, TermId node) {
    std::optional<Path> found;
    forEachShared(bank, root, [&](const Path& path, TermId term) {
        if (term == node) found = path;
        return !found.has_value();
    });
    return found;
}

bool ChangedNodes::childrenOf(const TermBank& bank, TermId node, std::vector<TermId>& children) const {
    children.clear();
    bool isChanged = false;
    for (const TermId child : bank.children(node)) {
        const auto found = m_changed.find(child);
        isChanged = isChanged || found != m_changed.end();
        children.push_back(found == m_changed.end() ? child : found->second);
    }
    return isChanged;
}

TermId replaceShared(TermBank& bank, const SharedNodes& graph, TermId node, TermId replacement) {
    const NodeReplacement replacements[] = {{node, replacement}};
    return replaceShared(bank, graph, replacements);
}

TermId replaceShared(TermBank& bank, const SharedNodes& graph, std::span<const NodeReplacement> replacements) {
    ChangedNodes changed;
    TermMarks hasNewForm(graph.root());
    for (const auto& [node, replacement] : replacements) {
        assert(bank.type(node) == bank.type(replacement));
        changed.set(node, replacement);
        if (graph.contains(node)) hasNewForm.insert(node);
    }
    const auto isMarked = [&hasNewForm](TermId term) { return hasNewForm.contains(term); };
    std::vector<TermId> children;
    for (const TermId term : graph) {
        if (isMarked(term) || std::ranges::none_of(bank.children(term), isMarked)) continue;
        if (!changed.childrenOf(bank, term, children)) continue;
        const Result<TermId> made = bank.withChildren(term, children);  // same types, so no type rule is applied
        assert(made.ok());
        changed.set(term, *made);
        hasNewForm.insert(term);
    }
    return changed.formOf(graph.root());
}

}  // namespace mitos::ir
