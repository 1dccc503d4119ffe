// SPDX-License-Identifier: GPL-3.0-or-later
// Closes open loops around a contribution, in the order of the steps of its path.
#include "core/autodiff/internal/nests.h"

#include "core/autodiff/internal/places.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <string>
#include <utility>

namespace mitos::autodiff {

using ir::TermId;
using ks::Op;

/// A contribution with the code of all its loops in one block.
struct Combiner::OpenNest {
    const Contribution& contribution;
    Block code;

    /// Whether the term depends on the index of the loop.
    [[nodiscard]] bool dependsOn(TermId term, const OpenLoop& loop) const { return code.reaches(term, loop.index); }
};

TermId Combiner::closedNest(Block& block, const Place& place, const Contribution& contribution) {
    OpenNest nest{contribution, Block(m_bank, m_names, &block)};
    std::vector<const OpenLoop*> open;
    for (const OpenLoop& loop : contribution.nest->loops) {
        nest.code.append(loop.body);
        open.push_back(&loop);
    }
    return closedAt(block, place, 0, std::move(open), nest);
}

/// The tangent of the part at the place, whose path is that of the contribution up to `step`.
TermId Combiner::closedAt(Block& block, const Place& place, std::size_t step, std::vector<const OpenLoop*> open,
                          const OpenNest& nest) {
    const PartPath& path = nest.contribution.path;
    const auto lambdaOver = [&](const OpenLoop& loop, TermId body) {
        Block iteration(m_bank, m_names, &block);
        iteration.setParameter(loop.index);
        return iteration.closeAsLambda(body);
    };
    if (step == path.size()) {
        TermId sum = nest.code.close(nest.contribution.value);
        for (std::size_t i = open.size(); i-- > 0;) {
            const OpenLoop& loop = *open[i];
            sum = m_make.op(Op::Sumbuild, {loop.size, lambdaOver(loop, sum)});
            if (!loop.isNotEmpty) {
                sum = m_make.op(Op::If, {m_make.isPositive(loop.size), sum, m_make.zeroAt(place)});
            }
        }
        return sum;
    }
    if (!path[step].isIndex()) {
        const auto count = static_cast<std::uint32_t>(m_bank.types().children(m_make.typeAt(place)).size());
        std::vector<TermId> elements;
        for (std::uint32_t k = 0; k < count; ++k) {
            const Place part = place.then({{}, k});
            elements.push_back(k == path[step].element ? closedAt(block, part, step + 1, open, nest)
                                                       : m_make.zeroAt(part));
        }
        return m_make.tuple(elements);
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        const OpenLoop& loop = *open[i];
        if (loop.index != path[step].index || !m_isInRange(block, loop.index, place)) continue;
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        const TermId element = closedAt(block, place.then({loop.index, 0}), step + 1, open, nest);
        return m_make.op(Op::Build, {loop.size, lambdaOver(loop, element)});
    }
    return scatteredNest(block, place, step, open, nest);
}

/// Adds at an index that is computed from those of some loops, which become one.
TermId Combiner::scatteredNest(Block& block, const Place& place, std::size_t step,
                               const std::vector<const OpenLoop*>& open, const OpenNest& nest) {
    const TermId index = nest.contribution.path[step].index;
    std::vector<const OpenLoop*> here;
    std::vector<const OpenLoop*> inside;
    for (const OpenLoop* loop : open) (nest.dependsOn(index, *loop) ? here : inside).push_back(loop);
    const TermId at = nest.code.close(index);
    const TermId element = closedAt(block, place.then({at, 0}), step + 1, inside, nest);
    Block iteration(m_bank, m_names, &block);
    TermId size = m_bank.integer(1);
    if (here.size() == 1) {
        iteration.setParameter(here[0]->index);
        size = here[0]->size;
    } else if (here.empty()) {
        iteration.parameter("k", m_bank.types().integer());
    } else {
        std::vector<TermId> sizes;
        for (const OpenLoop* loop : here) sizes.push_back(loop->size);
        size = m_make.tuple(sizes);
        const TermId all = iteration.parameter("at", m_bank.type(size));
        for (std::uint32_t k = 0; k < here.size(); ++k) {
            iteration.define(m_bank.payload(here[k]->index).asSymbol(), m_make.get(all, k));
        }
    }
    const TermId pairs = iteration.closeAsLambda(m_make.tuple({at, element}));
    const TermId added = m_make.op(Op::BuildFromSparse, {m_make.shapesAt(place), size, pairs});
    if (!nest.contribution.isGuarded) return added;
    return m_make.op(Op::If, {m_make.isPositive(m_make.sizeAt(place)), added, m_make.zeroAt(place)});
}

}  // namespace mitos::autodiff
