// SPDX-License-Identifier: GPL-3.0-or-later
// See program_tree.h.
#include "search/rewriting/internal/program_tree.h"

#include "core/base/hash.h"
#include "core/ir/shared.h"

namespace mitos::search {

std::vector<Occurrence> programTree(const ir::TermBank& bank, cost::CostEvaluator& costs, const ir::Program& program,
                                    std::uint64_t most) {
    std::vector<Occurrence> tree;
    if (bank.treeSize(program.root) > most) return tree;
    const ir::Sharing sharing = bank.function(program.function).sharing;
    std::vector<std::uint32_t> above;  // ancestors of the current occurrence, by depth
    const auto parts = costs.explain(program.root);
    if (!parts || parts->size() != ir::sizeOf(bank, program.root, sharing)) return tree;
    ir::forEachNode(bank, program.root, sharing, [&](const ir::Path& path, ir::TermId term) {
        const auto index = static_cast<std::uint32_t>(tree.size());
        const cost::CostPart& part = (*parts)[index];
        Occurrence occurrence{.term = term,
                              .parent = index,
                              .depth = static_cast<std::uint32_t>(path.size()),
                              .binder = index,
                              .own = part.own * part.times,
                              .total = part.total * part.times,
                              .once = part.total,
                              .times = part.times};
        above.resize(path.size());
        if (!above.empty()) {
            const Occurrence& parent = tree[above.back()];
            occurrence.parent = above.back();
            occurrence.child = path.back();
            if (bank.boundIn(parent.term, occurrence.child) > 0) {
                occurrence.binder = above.back();
            } else if (parent.binder != above.back()) {
                occurrence.binder = parent.binder;
            }
        }
        occurrence.size = static_cast<std::uint32_t>(bank.treeSize(occurrence.term));
        above.push_back(index);
        tree.push_back(occurrence);
        return true;
    });
    return tree;
}

std::uint64_t valueKey(const ir::TermBank& bank, const std::vector<Occurrence>& tree, std::uint32_t occurrence) {
    std::uint64_t key = mixBits(tree[occurrence].term.value);
    std::uint32_t at = occurrence;
    for (std::uint32_t i = bank.looseBound(tree[occurrence].term); i > 0; --i) {
        if (tree[at].binder == at) break;
        at = tree[at].binder;
        key = combineHash(key, at);
    }
    return key;
}

}  // namespace mitos::search
