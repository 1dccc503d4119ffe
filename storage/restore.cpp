// SPDX-License-Identifier: GPL-3.0-or-later
// A history's states as they are stored, and back: each step is found and done again.
#include "core/ir/binding.h"
#include "core/ir/transplant.h"
#include "core/ks/module.h"
#include "core/rewrite/match_number.h"
#include "core/rewrite/rewriter.h"
#include "storage/session.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::storage {

namespace {

Error doesNotReplay(std::uint32_t state, const std::string& why) {
    return Error{ErrorCode::Incompatible,
                 fmt::format("state {} of the history does not replay: {}", state, why),
                 std::nullopt,
                 "The states before it can be restored; its rule set may be missing or have changed.",
                 {}};
}

struct Replayed {
    rewrite::Step step;
    ir::TermId root;
};

/// The state that a reversed step leads to, from its text: there the rule's left side is matched.
Result<ir::TermId> storedProgram(ir::TermBank& bank, ir::FunctionId function, const std::string& text) {
    ir::TermBank own(bank.sharedRegistry());  // a body of the program's function is in the bank already
    const Result<ir::Program> parsed = ks::parseProgram(own, "state", text);
    if (!parsed) return parsed.error();
    const ir::Program program = ir::Transplanter(own, bank).program(*parsed);
    if (program.function == function) return program.root;
    return Error{ErrorCode::Incompatible, "it is a state of another function", std::nullopt, {}, {}};
}

Result<Replayed> replay(ir::TermBank& bank, const ir::Program& before, const StoredState& state,
                        const rules::RuleBook& rules) {
    const auto fails = [&](const std::string& why) { return doesNotReplay(state.id, why); };
    rewrite::Step step;
    step.rule = rules.find(state.rule);
    if (step.rule == nullptr) return fails(fmt::format("there is no rule {} in {}", state.rule, rules.names()));
    Result<ir::Path> position = ir::parsePath(state.position);
    if (!position) return fails(position.error().message);
    step.position = std::move(position).value();
    step.isReversed = state.isReversed;
    ir::TermId matched = before.root;
    if (step.isReversed) {
        const Result<ir::TermId> after = storedProgram(bank, before.function, state.program);
        if (!after) return fails(after.error().message);
        matched = *after;
    }
    const std::optional<ir::TermId> left = ir::subterm(bank, matched, step.position);
    if (!left) return fails(fmt::format("there is nothing at {}", state.position));
    Result<rules::Substitution> substitution = rewrite::matchOf(bank, step, *left, std::size_t{state.match} + 1);
    if (!substitution) return fails(substitution.error().message);
    step.substitution = *std::move(substitution);
    const Result<ir::TermId> result = rewrite::Rewriter(bank, {}).apply(before, step);
    if (!result) return fails(result.error().message);
    if (bank.hash(*result) != state.hash) return fails(fmt::format("{} leads to another program now", step.name()));
    return Replayed{std::move(step), *result};
}

}  // namespace

StoredState toStored(ir::TermBank& bank, const rewrite::History& history, rewrite::StateId id) {
    const rewrite::HistoryState& state = history.state(id);
    StoredState result;
    result.id = id.value;
    if (state.step) {
        const rewrite::Step& step = *state.step;
        result.parent = state.parent.value;
        result.rule = step.rule->name();
        result.position = ir::toString(step.position);
        const auto left = rewrite::leftSide(bank, step, history.state(state.parent).root, state.root);
        // A step that is none of its rule's matches, as a person may write one, is found out by the state's hash.
        const std::size_t number = left ? rewrite::matchNumber(bank, step, *left) : 0;
        result.match = static_cast<std::uint32_t>(std::max<std::size_t>(number, 1) - 1);
        result.isReversed = step.isReversed;
        if (step.isReversed) result.program = ks::printProgram(bank, history.program(id), {.headed = true});
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
        Result<Replayed> done = replay(bank, history.program(parent), state, rules);
        if (!done) return std::move(done).error();
        const rewrite::StateId added = history.add(parent, std::move(done->step), done->root, state.cost, state.origin);
        if (added.value != i) return doesNotReplay(state.id, "its parent has the same child already");
        history.mark(added, state.marks);
    }
    return history;
}

}  // namespace mitos::storage
