// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/lost_weights.h"

#include "core/rules/array_operators.h"
#include "core/tensor/element_range.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::eval {

using ir::TermId;

namespace {

/// Searches nodes and their descendants, down to `ends`.
std::vector<TermId> topmostWeights(const ir::TermBank& bank, std::vector<TermId> open,
                                   absl::flat_hash_set<TermId> ends) {
    std::vector<TermId> found;
    while (!open.empty()) {
        const TermId node = open.back();
        open.pop_back();
        if (bank.childCount(node) == 0 || !ends.insert(node).second) continue;
        const ir::TypeId type = bank.type(node);
        const bool isFloating = bank.types().isArray(type) && ir::isFloating(bank.types().dtype(type));
        if (isFloating && rules::dependsOnWeightsOnly(bank, node))
            found.push_back(node);
        else
            open.insert(open.end(), bank.children(node).begin(), bank.children(node).end());
    }
    return found;
}

absl::flat_hash_set<TermId> frontierOf(const StepRegion& region) {
    absl::flat_hash_set<TermId> nodes;
    for (const NodeUse& use : region.frontier) nodes.insert(use.node);
    return nodes;
}

/// Describes the first node whose largest number cannot be held.
std::optional<std::string> firstLost(const ir::TermBank& bank, const std::vector<TermId>& nodes,
                                     const tensor::NodeValues& values) {
    for (const TermId node : nodes) {
        const tensor::Array& array = *values.at(node).front();
        const double largest = tensor::largestMagnitude(array.elements);
        if (tensor::isHeld(array.dtype, largest)) continue;
        return fmt::format("weights that {} cannot hold: {} would be up to {:.6g}", ir::dtypeName(array.dtype),
                           bank.opName(node), largest);
    }
    return std::nullopt;
}

}  // namespace

std::vector<TermId> newWeights(const ir::TermBank& bank, const StepRegion& region) {
    std::vector<TermId> fresh = topmostWeights(bank, region.after, frontierOf(region));
    std::erase_if(fresh,
                  [&](TermId node) { return std::ranges::find(region.interior, node) == region.interior.end(); });
    return fresh;
}

std::optional<std::string> lostWeights(const ir::TermBank& bank, const StepRegion& region,
                                       const std::vector<TermId>& fresh, const tensor::NodeValues& made,
                                       const tensor::Weights& weights, const tensor::EvaluateOptions& options) {
    std::optional<std::string> lost = firstLost(bank, fresh, made);
    if (!lost) return lost;
    std::vector<TermId> places;
    for (const NodeUse& use : region.before) places.push_back(use.node);
    const std::vector<TermId> old = topmostWeights(bank, std::move(places), frontierOf(region));
    const Result<tensor::NodeValues> values = tensor::evaluateNodes(bank, old, {}, {}, weights, options);
    if (values && firstLost(bank, old, *values)) return std::nullopt;
    return lost;
}

}  // namespace mitos::eval
