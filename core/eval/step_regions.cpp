// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/step_regions.h"

#include "core/ir/binding.h"

#include <absl/container/flat_hash_set.h>

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
            lost.obstacle = "what it replaces was not found at its position";
            return lost;
        }
        region.before.push_back({*old, origin(*old)});
        region.after.push_back(*made);
    }
    const ir::SharedNodes nodes(m_bank, before);
    findNew(nodes, region);
    if (!follow(nodes, step.result, region)) region.obstacle = "it changes more than what is at its position";
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

}  // namespace mitos::eval
