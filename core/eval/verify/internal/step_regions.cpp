// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/verify/internal/step_regions.h"

#include "core/ir/binding.h"
#include "core/rules/language/array_operators.h"
#include "core/tensor/element_range.h"
#include "core/tensor/operator.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::eval {

using ir::TermId;

StepRegions::StepRegions(const ir::TermBank& bank, const ir::Program& start, const std::vector<VerifyStep>& steps)
    : m_bank(bank) {
    const ir::SharedNodes nodes(bank, start.root);
    TermId state = start.root;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        m_regions.push_back(region(state, steps[i]));
        for (const std::vector<NodeUse>* uses : {&m_regions.back().before, &m_regions.back().frontier}) {
            for (const NodeUse& use : *uses) {
                const bool isNew = m_lastUse.insert_or_assign(use.origin, i).second;
                if (isNew && nodes.contains(use.origin)) m_neededOfStart.push_back(use.origin);
            }
        }
        state = steps[i].result;
    }
}

std::size_t StepRegions::lastUse(TermId origin) const {
    const auto found = m_lastUse.find(origin);
    return found == m_lastUse.end() ? 0 : found->second;
}

TermId StepRegions::origin(TermId node) const {
    const auto found = m_origin.find(node);
    return found == m_origin.end() ? node : found->second;
}

StepRegion StepRegions::region(TermId before, const VerifyStep& step) {
    StepRegion region;
    for (const ir::Path& position : step.positions) {
        const auto old = ir::subterm(m_bank, before, position);
        const auto made = ir::subterm(m_bank, step.result, position);
        if (!old || !made || m_bank.type(*old) != m_bank.type(*made)) {
            StepRegion lost;
            lost.obstacle = "the part that it replaces was not found at its position";
            return lost;
        }
        region.before.push_back({*old, origin(*old)});
        region.after.push_back(*made);
    }
    const ir::SharedNodes nodes(m_bank, before);
    findNew(nodes, region);
    if (!follow(nodes, step.result, region)) region.obstacle = "it changes more than the part at its position";
    for (const TermId node : region.interior) region.effort += nodeEffort(m_bank, node);
    for (const NodeUse& use : region.before) region.effort += nodeEffort(m_bank, use.node);
    return region;
}

void StepRegions::findNew(const ir::SharedNodes& before, StepRegion& region) const {
    absl::flat_hash_set<TermId> seen;
    std::vector<TermId> open(region.after);
    while (!open.empty()) {
        const TermId node = open.back();
        open.pop_back();
        if (!seen.insert(node).second) continue;
        if (!before.contains(node)) {
            region.interior.push_back(node);
            open.insert(open.end(), m_bank.children(node).begin(), m_bank.children(node).end());
        } else if (m_bank.childCount(node) > 0) {
            region.frontier.push_back({node, origin(node)});
        }
    }
}

/// Walks both states from their roots down to the places, and records which new node replaces which old one.
bool StepRegions::follow(const ir::SharedNodes& before, TermId after, const StepRegion& region) {
    absl::flat_hash_set<TermId> seen;
    std::vector<std::pair<TermId, TermId>> open{{before.root(), after}};
    while (!open.empty()) {
        const auto [old, made] = open.back();
        open.pop_back();
        const auto place = std::ranges::find(region.before, old, &NodeUse::node);
        if (place != region.before.end()) {
            if (region.after[static_cast<std::size_t>(place - region.before.begin())] != made) return false;
            // The replacement has that value too, up to rounding, which must not accumulate.
            if (!before.contains(made)) m_origin.insert_or_assign(made, origin(old));
            continue;
        }
        if (old == made || !seen.insert(old).second) continue;
        const bool isAlike = m_bank.op(old) == m_bank.op(made) && m_bank.payload(old) == m_bank.payload(made) &&
                             m_bank.type(old) == m_bank.type(made) && m_bank.childCount(old) == m_bank.childCount(made);
        if (!isAlike) return false;
        if (!before.contains(made)) m_origin.insert_or_assign(made, origin(old));
        for (std::size_t i = 0; i < m_bank.childCount(old); ++i) {
            open.emplace_back(m_bank.child(old, i), m_bank.child(made, i));
        }
    }
    return true;
}

using ir::TermId;

std::vector<std::uint32_t> regionKey(const ir::TermBank& bank, std::span<const TermId> nodes,
                                     std::span<const TermId> cuts) {
    // Entries encode their own length, so different regions have different keys.
    enum Kind : std::uint32_t { Open, Leaf, Inner, End };
    std::vector<std::uint32_t> key;
    absl::flat_hash_map<TermId, std::uint32_t> numbers;
    const auto isOpen = [&](TermId node) {
        return std::ranges::find(cuts, node) != cuts.end() || bank.is(node, ir::CoreOp::Variable) ||
               bank.opName(node) == tensor::WeightName;
    };
    std::vector<TermId> waiting(nodes.rbegin(), nodes.rend());
    while (!waiting.empty()) {
        const TermId node = waiting.back();
        if (numbers.contains(node)) {
            waiting.pop_back();
            continue;
        }
        const std::size_t before = waiting.size();
        if (!isOpen(node)) {
            const auto children = bank.children(node);
            for (auto child = children.rbegin(); child != children.rend(); ++child) {
                if (!numbers.contains(*child)) waiting.push_back(*child);
            }
        }
        if (waiting.size() > before) continue;
        waiting.pop_back();
        numbers.emplace(node, static_cast<std::uint32_t>(numbers.size()));
        if (isOpen(node)) {
            key.insert(key.end(), {Open, bank.type(node).value});
        } else if (bank.childCount(node) == 0) {
            key.insert(key.end(), {Leaf, node.value});
        } else {
            const ir::Payload& payload = bank.payload(node);
            key.insert(
                key.end(),
                {Inner, bank.op(node).value, bank.type(node).value, static_cast<std::uint32_t>(payload.kind()),
                 static_cast<std::uint32_t>(payload.rawBits()), static_cast<std::uint32_t>(payload.rawBits() >> 32U),
                 static_cast<std::uint32_t>(bank.childCount(node))});
            for (const TermId child : bank.children(node)) key.push_back(numbers.at(child));
        }
    }
    key.push_back(End);
    for (const TermId node : nodes) key.push_back(numbers.at(node));
    return key;
}

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
