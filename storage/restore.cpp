// SPDX-License-Identifier: GPL-3.0-or-later
// A history's states as they are stored, and back: each step is found and done again.
#include "core/ir/binding.h"
#include "core/rewrite/rewriter.h"
#include "storage/session.h"

#include <fmt/format.h>

namespace mitos::storage {

namespace {

Error doesNotReplay(std::uint32_t state, const std::string& why) {
    return Error{ErrorCode::Incompatible,
                 fmt::format("state {} of the history does not replay: {}", state, why),
                 std::nullopt,
                 "The states before it can be restored; its rule set may be missing or have changed.",
                 {}};
}

/// The number of the substitution among the rule's matches of the term; 0 if it is none of them (a step that a person
/// wrote down), which a replay then finds out by the state's hash.
std::uint32_t matchNumber(ir::TermBank& bank, const rewrite::Step& step, ir::TermId subject) {
    std::uint32_t number = 0;
    bool found = false;
    step.rule->match(bank, subject, [&](const rules::Substitution& substitution) {
        found = substitution == step.substitution;
        if (!found) ++number;
        return !found;
    });
    return found ? number : 0;
}

std::optional<rules::Substitution> matchAt(ir::TermBank& bank, const rules::DirectedRule& rule, ir::TermId subject,
                                           std::uint32_t wanted) {
    std::optional<rules::Substitution> result;
    std::uint32_t number = 0;
    rule.match(bank, subject, [&](const rules::Substitution& substitution) {
        if (number++ != wanted) return true;
        result = substitution;
        return false;
    });
    return result;
}

struct Replayed {
    rewrite::Step step;
    ir::TermId root;
};

Result<Replayed> replay(ir::TermBank& bank, ir::TermId root, const StoredState& state, const rules::RuleBook& rules) {
    const auto fails = [&](const std::string& why) { return doesNotReplay(state.id, why); };
    rewrite::Step step;
    step.rule = rules.find(state.rule);
    if (step.rule == nullptr) return fails(fmt::format("there is no rule {} in {}", state.rule, rules.names()));
    Result<ir::Path> position = ir::parsePath(state.position);
    if (!position) return fails(position.error().message);
    step.position = std::move(position).value();
    const std::optional<ir::TermId> subject = ir::subterm(bank, root, step.position);
    if (!subject) return fails(fmt::format("there is nothing at {}", state.position));
    std::optional<rules::Substitution> substitution = matchAt(bank, *step.rule, *subject, state.match);
    if (!substitution) return fails(fmt::format("{} does not match at {}", state.rule, state.position));
    step.substitution = *std::move(substitution);
    rewrite::Rewriter rewriter(bank, {});
    const Result<ir::TermId> result = rewriter.apply(root, step);
    if (!result) return fails(result.error().message);
    if (bank.hash(*result) != state.hash) return fails(fmt::format("{} leads to another program now", state.rule));
    return Replayed{std::move(step), *result};
}

}  // namespace

StoredState toStored(ir::TermBank& bank, const rewrite::History& history, rewrite::StateId id) {
    const rewrite::HistoryState& state = history.state(id);
    StoredState result;
    result.id = id.value;
    if (state.step) {
        result.parent = state.parent.value;
        result.rule = state.step->rule->name();
        result.position = ir::toString(state.step->position);
        const auto subject = ir::subterm(bank, history.state(state.parent).root, state.step->position);
        if (subject) result.match = matchNumber(bank, *state.step, *subject);
    }
    result.hash = bank.hash(state.root);
    result.cost = state.cost;
    result.origin = state.origin;
    result.marks = state.marks;
    return result;
}

Result<rewrite::History> restoreHistory(ir::TermBank& bank, const ir::Program& start,
                                        const std::vector<StoredState>& states, const rules::RuleBook& rules) {
    if (states.empty() || states.front().id != 0 || states.front().parent) {
        return doesNotReplay(0, "the start is missing");
    }
    if (states.front().hash != bank.hash(start.root)) {
        return doesNotReplay(0, "the history begins with another program");
    }
    rewrite::History history(start, states.front().cost);
    history.mark(history.start(), states.front().marks);
    for (std::size_t i = 1; i < states.size(); ++i) {
        const StoredState& state = states[i];
        if (state.id != i || !state.parent || *state.parent >= i) {
            return doesNotReplay(state.id, "its place in the tree is damaged");
        }
        const rewrite::StateId parent(*state.parent);
        Result<Replayed> done = replay(bank, history.state(parent).root, state, rules);
        if (!done) return std::move(done).error();
        const rewrite::StateId added = history.add(parent, std::move(done->step), done->root, state.cost, state.origin);
        if (added.value != i) return doesNotReplay(state.id, "its parent has the same child already");
        history.mark(added, state.marks);
    }
    return history;
}

}  // namespace mitos::storage
