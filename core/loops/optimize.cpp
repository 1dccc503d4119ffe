// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/optimize.h"

#include "core/loops/branches.h"
#include "core/loops/buffers.h"
#include "core/loops/carry.h"
#include "core/loops/conditions.h"
#include "core/loops/copies.h"
#include "core/loops/direct.h"
#include "core/loops/fuse.h"
#include "core/loops/hoist.h"
#include "core/loops/hoist_nests.h"
#include "core/loops/in_place.h"
#include "core/loops/interchange.h"
#include "core/loops/internal/effects.h"
#include "core/loops/keep.h"
#include "core/loops/merge.h"
#include "core/loops/names.h"
#include "core/loops/open_sums.h"
#include "core/loops/products.h"
#include "core/loops/share.h"
#include "core/loops/singles.h"
#include "core/loops/sizes.h"
#include "core/loops/split.h"
#include "core/loops/sums.h"
#include "core/loops/targets.h"
#include "core/loops/tuples.h"
#include "core/loops/unused.h"
#include "core/loops/updates.h"
#include "core/loops/zeros.h"

#include <algorithm>
#include <cstddef>

namespace mitos::loops {

namespace {

/// Nests deeper than this are no work of people, and are left as they are.
constexpr std::size_t DeepestNest = 64;

std::size_t depthOf(const Block& block) {
    std::size_t deepest = 0;
    for (const Statement& statement : block.statements) {
        forEachBlock(statement, [&](const Block& inner) { deepest = std::max(deepest, 1 + depthOf(inner)); });
    }
    return deepest;
}

bool hasEffects(const Block& block) {
    return std::ranges::any_of(block.statements, [](const Statement& statement) {
        if (std::holds_alternative<Print>(statement.what) || std::holds_alternative<StartClock>(statement.what))
            return true;
        bool isInside = false;
        forEachBlock(statement, [&](const Block& inner) { isInside = isInside || hasEffects(inner); });
        return isInside;
    });
}

}  // namespace

void optimize(const ir::TypeTable& types, Program& program) {
    const bool isPure =
        std::ranges::none_of(program.functions, [](const Function& function) { return hasEffects(function.body); });
    for (Function& function : program.functions) {
        if (depthOf(function.body) > DeepestNest) continue;
        unwrapSingles(types, function);
        splitTuples(types, function);
        openSums(types, function);
        nameSizes(types, function);
        if (isPure) hoistNests(types, function);
        fuse(types, function);
        updateInPlace(types, function);
        addToTargets(types, function);
        nameSizes(types, function);
        removeUnused(types, function);
        mergeBranches(function);
        keepNumbers(types, function);
        interchange(types, function);
        share(types, function);
        hoist(types, function);
        reuseInPlace(types, function);
        findProducts(types, function);
        reuseBuffers(types, function);
        mergeSums(types, function);
        carry(types, function);
        splitRanges(types, function);
        removeCopies(types, function);
        simplifyConditions(types, function);
        makeZerosBySizes(types, function);
        simplifyConditions(types, function);
        setDirectly(types, function);
        removeCopies(types, function);
        omitZeros(types, function);
        removeUnused(types, function);
        declareSums(types, function);
        markUnused(types, function);
    }
    chooseNames(program);
}

}  // namespace mitos::loops
