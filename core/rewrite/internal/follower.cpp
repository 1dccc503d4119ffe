// SPDX-License-Identifier: GPL-3.0-or-later
// See follower.h.
#include "core/rewrite/internal/follower.h"

#include "core/rewrite/internal/replay.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mitos::rewrite {

using ir::TermId;

Change changeOf(const ir::TermBank& bank, const Thread& thread, std::size_t step) {
    Change change{step == 0 ? thread.start.root : thread.states[step - 1], thread.states[step], {}};
    for (const ir::Path& position : thread.steps[step].positions) {
        if (const std::optional<TermId> place = ir::subterm(bank, change.before, position))
            change.places.push_back(*place);
    }
    return change;
}

ir::ChangedNodes formsAfter(const ir::TermBank& bank, const Change& change) {
    const absl::flat_hash_set<TermId> replaced(change.places.begin(), change.places.end());
    ir::ChangedNodes forms;
    absl::flat_hash_set<TermId> seen;
    // Nodes of both graphs that stand at the same position. Above the replaced nodes, the graphs differ in operands only.
    std::vector<std::pair<TermId, TermId>> open{{change.before, change.after}};
    while (!open.empty()) {
        const auto [old, now] = open.back();
        open.pop_back();
        if (old == now || !seen.insert(old).second) continue;
        forms.set(old, now);
        if (replaced.contains(old)) continue;
        for (std::size_t i = 0; i < bank.childCount(old) && i < bank.childCount(now); ++i) {
            open.emplace_back(bank.child(old, i), bank.child(now, i));
        }
    }
    return forms;
}

ir::ChangedNodes Follower::take(std::size_t index, Thread& built) {
    const Change change = changeOf(m_bank, m_thread, index);
    ir::ChangedNodes forms;
    const TermId root = built.end().root;
    if (append(m_thread.steps[index], change, built)) {
        Change own{root, built.end().root, {}};
        for (const TermId place : change.places) own.places.push_back(image(place));
        forms = formsAfter(m_bank, own);
    }
    carry(change, forms);
    return forms;
}

void Follower::update(const ir::ChangedNodes& forms) {
    for (auto& [node, image] : m_images) image = forms.formOf(image);
}

TermId Follower::image(TermId node) {
    if (const auto known = m_images.find(node); known != m_images.end()) return known->second;
    std::vector<TermId> children;
    // Images are made in the same bank, so a span of the node's children would not stay valid.
    for (std::size_t i = 0; i < m_bank.childCount(node); ++i) children.push_back(image(m_bank.child(node, i)));
    const Result<TermId> made = m_bank.withChildren(node, children);
    return m_images.emplace(node, made ? *made : node).first->second;
}

bool Follower::append(Step step, const Change& change, Thread& built) {
    step.positions.clear();
    for (const TermId place : change.places) {
        std::optional<ir::Path> position = ir::firstPath(m_bank, built.end().root, image(place));
        if (!position) return false;
        step.positions.push_back(*std::move(position));
    }
    step.region = regionOf(step, change.before, built.end().root);
    for (rules::Binding& binding : step.substitution.values) {
        if (binding.term.isValid()) binding.term = image(binding.term);
        for (TermId& term : binding.sequence) term = image(term);
    }
    return add(step, built) || match(step, change, built);
}

std::shared_ptr<const StepRegion> Follower::regionOf(const Step& step, TermId before, TermId root) {
    StepRegion region{m_region, {}, {}};
    std::vector<TermId> outputs;
    std::vector<TermId> inputs;
    if (!m_region.empty()) {
        const bool hasSeveral = m_bank.is(before, ir::CoreOp::Tuple);
        outputs.assign(1, before);
        if (hasSeveral) outputs.assign(m_bank.children(before).begin(), m_bank.children(before).end());
        for (const ir::Parameter& parameter : m_bank.function(m_thread.start.function).parameters)
            inputs.push_back(m_bank.variable(parameter.name, parameter.type));
    } else {
        if (step.region == nullptr) return nullptr;
        region.name = step.region->name;
        const auto read = [&](const std::vector<ir::Path>& paths, std::vector<TermId>& nodes) {
            for (const ir::Path& path : paths) {
                if (const std::optional<TermId> node = ir::subterm(m_bank, before, path)) nodes.push_back(*node);
            }
        };
        read(step.region->outputs, outputs);
        read(step.region->inputs, inputs);
    }
    const auto place = [&](const std::vector<TermId>& nodes, std::vector<ir::Path>& paths) {
        for (const TermId node : nodes) {
            // An input that nothing uses any more is none.
            if (std::optional<ir::Path> path = ir::firstPath(m_bank, root, image(node)))
                paths.push_back(*std::move(path));
        }
    };
    place(outputs, region.outputs);
    place(inputs, region.inputs);
    return std::make_shared<const StepRegion>(std::move(region));
}

bool Follower::add(const Step& step, Thread& built) {
    const ir::Program program = built.end();
    const Result<TermId> state = replayed(m_bank, program, step);
    if (!state || *state == program.root) return false;
    built.steps.push_back(step);
    built.states.push_back(*state);
    return true;
}

/// Takes the first match at the step's places. Equal operands of the thread's program can be different ones of the other program, where
/// a step is missing that made them equal.
bool Follower::match(Step& step, const Change& change, Thread& built) {
    if (step.isReversed) return false;
    std::vector<TermId> places;
    for (const TermId place : change.places) places.push_back(image(place));
    const TermId subject = places.size() == 1 ? places.front() : m_bank.tuple(places);
    std::vector<rules::Substitution> matches;
    step.rule->match(m_bank, subject, [&](const rules::Substitution& substitution) {
        matches.push_back(substitution);
        return true;
    });
    return std::ranges::any_of(matches, [&](const rules::Substitution& substitution) {
        step.substitution = substitution;
        return add(step, built);
    });
}

/// Continues the images after a step of the thread; `own` has the forms that nodes of the other program have now.
void Follower::carry(const Change& change, const ir::ChangedNodes& own) {
    const ir::ChangedNodes forms = formsAfter(m_bank, change);
    absl::flat_hash_map<TermId, TermId> next;
    for (const TermId node : ir::SharedNodes(m_bank, change.before)) {
        next.emplace(forms.formOf(node), own.formOf(image(node)));
    }
    m_images = std::move(next);
    for (const TermId node : ir::SharedNodes(m_bank, change.after)) image(node);  // operands first
}

}  // namespace mitos::rewrite
