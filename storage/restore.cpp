// SPDX-License-Identifier: GPL-3.0-or-later
// Converts states of a history to stored states, and restores them by replaying each step.
#include "core/rewrite/rewriter.h"
#include "core/rewrite/substitution_text.h"
#include "storage/session.h"

#include <fmt/format.h>

namespace mitos::storage {

namespace {

Error doesNotReplay(std::uint32_t state, const std::string& why) {
    return Error{ErrorCode::Incompatible, fmt::format("state {} of the history does not replay: {}", state, why),
                 std::nullopt, "Its rule set may be missing or have changed."};
}

struct Replayed {
    rewrite::Step step;
    ir::TermId root;
};

/// Replays a step that is stored as a thread.
Result<Replayed> replayThread(ir::TermBank& bank, const ir::Program& before, const StoredState& state,
                              const rules::RuleBook& rules) {
    const auto fails = [&](const std::string& why) { return doesNotReplay(state.id, why); };
    Result<rewrite::Replay> read = rewrite::readThread(bank, SourceText("its step", state.thread), rules);
    if (!read) return fails(read.error().message);
    if (!read->report.valid) return fails(read->report.reason);
    rewrite::Thread& thread = read->thread;
    if (thread.start != before || thread.steps.size() != 1) return fails("its step is one of another state");
    if (bank.hash(thread.states[0]) != state.hash) return fails("its step leads to another program now");
    return Replayed{std::move(thread.steps[0]), thread.states[0]};
}

Result<Replayed> replay(ir::TermBank& bank, const ir::Program& before, const StoredState& state,
                        const rules::RuleBook& rules) {
    const auto fails = [&](const std::string& why) { return doesNotReplay(state.id, why); };
    if (!state.thread.empty()) return replayThread(bank, before, state, rules);
    rewrite::Step step;
    step.rule = rules.find(state.rule);
    if (step.rule == nullptr) return fails(fmt::format("there is no rule {} in {}", state.rule, rules.names()));
    if (const Status place = step.setPlace(state.position); !place) return fails(place.error().message);
    Result<rules::Substitution> substitution =
        state.substitution ? rewrite::readSubstitution(bank, step, before.root, *state.substitution, {})
                           : rewrite::matchOf(bank, step, before.root, std::size_t{state.match} + 1);
    if (!substitution) return fails(substitution.error().message);
    step.substitution = *std::move(substitution);
    if (!state.region.empty()) {
        Result<rewrite::StepRegion> region = rewrite::parseStepRegion(state.region);
        if (!region) return fails(region.error().message);
        step.region = std::make_shared<const rewrite::StepRegion>(*std::move(region));
    }
    const Result<ir::TermId> result = rewrite::Rewriter(bank, {}).apply(before, step);
    if (!result) return fails(result.error().message);
    if (bank.hash(*result) != state.hash) return fails(fmt::format("{} leads to another program now", state.rule));
    return Replayed{std::move(step), *result};
}

/// Replays steps with assumptions allowed and forbidden, since the user may have allowed them for a part of the history only.
class RulesOfHistory {
public:
    explicit RulesOfHistory(const rules::RuleBook& rules) : m_rules(rules) {}

    Result<Replayed> replay(ir::TermBank& bank, const ir::Program& before, const StoredState& state) {
        Result<Replayed> done = storage::replay(bank, before, state, m_rules);
        if (done) return done;
        if (!m_others) {
            const bool isAllowed = m_rules.assumptions() == rules::Assumptions::Allowed;
            m_others = m_rules.with(isAllowed ? rules::Assumptions::Forbidden : rules::Assumptions::Allowed);
        }
        Result<Replayed> other = storage::replay(bank, before, state, *m_others);
        return other ? std::move(other) : std::move(done);
    }

private:
    const rules::RuleBook& m_rules;
    std::optional<rules::RuleBook> m_others;
};

}  // namespace

StoredState toStored(ir::TermBank& bank, const rewrite::History& history, rewrite::StateId id) {
    const rewrite::HistoryState& state = history.state(id);
    StoredState result;
    result.id = id.value;
    if (state.step) {
        const rewrite::Step& step = *state.step;
        result.parent = state.parent.value;
        result.rule = step.rule->name();
        result.position = step.place();
        const ir::Program before = history.program(state.parent);
        rewrite::SubstitutionText text = rewrite::substitutionText(bank, step, before.root);
        if (step.isReversed || !text.given.empty())
            result.thread = rewrite::writeThread(bank, {before, {step}, {state.root}});
        else
            result.substitution = std::move(text.text);
        if (step.region != nullptr && result.thread.empty()) result.region = rewrite::toString(*step.region);
    }
    result.hash = bank.hash(state.root);
    result.cost = state.cost;
    result.origin = state.origin;
    result.marks = state.marks;
    return result;
}

Result<RestoredHistory> restoreHistory(ir::TermBank& bank, const ir::Program& start,
                                       const std::vector<StoredState>& states, const rules::RuleBook& rules) {
    if (states.empty() || states.front().id != 0 || states.front().parent) {
        return doesNotReplay(0, "the start is missing");
    }
    if (states.front().hash != bank.hash(start.root)) {
        return doesNotReplay(0, "the history begins with another program");
    }
    RestoredHistory restored{rewrite::History(start, states.front().cost), {}};
    rewrite::History& history = restored.history;
    history.mark(history.start(), states.front().marks);
    restored.states.emplace_back(history.start());
    RulesOfHistory known(rules);
    const auto lose = [&restored](Error why) {
        restored.states.emplace_back(std::nullopt);
        if (restored.lost++ == 0) restored.firstLost = std::move(why);
    };
    for (std::size_t i = 1; i < states.size(); ++i) {
        const StoredState& state = states[i];
        if (state.id != i || !state.parent || *state.parent >= i) {
            lose(doesNotReplay(state.id, "its place in the tree is damaged"));
            continue;
        }
        const std::optional<rewrite::StateId> parent = restored.states[*state.parent];
        if (!parent) {
            lose(doesNotReplay(state.id, "the state before it is lost"));
            continue;
        }
        Result<Replayed> done = known.replay(bank, history.program(*parent), state);
        if (!done) {
            lose(std::move(done).error());
            continue;
        }
        const rewrite::StateId added =
            history.add(*parent, std::move(done->step), done->root, state.cost, state.origin);
        history.mark(added, state.marks);
        restored.states.emplace_back(added);
    }
    return restored;
}

}  // namespace mitos::storage
