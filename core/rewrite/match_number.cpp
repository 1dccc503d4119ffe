// SPDX-License-Identifier: GPL-3.0-or-later
// Counts matches.
#include "core/rewrite/match_number.h"

#include "core/rewrite/internal/replay.h"

#include <fmt/format.h>

namespace mitos::rewrite {

using ir::TermId;

std::optional<TermId> leftSide(ir::TermBank& bank, const Step& step, TermId before, TermId after) {
    const Result<TermId> subject = subjectAt(bank, step.isReversed ? after : before, step);
    return subject ? std::optional(*subject) : std::nullopt;
}

std::size_t matchNumber(ir::TermBank& bank, const Step& step, TermId left) {
    std::size_t number = 0;
    bool found = false;
    step.rule->match(bank, left, [&](const rules::Substitution& substitution) {
        ++number;
        found = substitution == step.substitution;
        return !found;
    });
    if (found) return number;
    const Result<TermId> wanted = step.rule->apply(bank, step.substitution, left);
    number = 0;
    step.rule->match(bank, left, [&](const rules::Substitution& substitution) {
        ++number;
        const Result<TermId> result = step.rule->apply(bank, substitution, left);
        found = wanted && result && *wanted == *result;
        return !found;
    });
    return found ? number : 0;
}

std::optional<PartialMatch> partialMatch(ir::TermBank& bank, const Step& step, TermId left) {
    PartialMatch result;
    bool found = false;
    step.rule->match(bank, left, [&](const rules::Substitution& match) {
        ++result.number;
        result.open.clear();
        found = match.values.size() == step.substitution.values.size();
        for (std::size_t i = 0; found && i < match.values.size(); ++i) {
            const rules::Binding& own = step.substitution.values[i];
            const rules::Binding& there = match.values[i];
            if (own == there) continue;
            found = !there.term.isValid() && there.sequence.empty() && own.term.isValid();
            result.open.push_back(i);
        }
        return !found;
    });
    return found ? std::optional(std::move(result)) : std::nullopt;
}

Result<rules::Substitution> matchOf(ir::TermBank& bank, const Step& step, TermId left, std::size_t number) {
    rules::Substitution result;
    std::size_t matches = 0;
    step.rule->match(bank, left, [&](const rules::Substitution& substitution) {
        if (++matches == number) result = substitution;
        return matches != number;
    });
    if (number > 0 && matches >= number) return result;
    const std::string there = matches == 0 ? "no match" : fmt::format("{} match{}", matches, matches == 1 ? "" : "es");
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} has {} at {}, there is no #{}", step.rule->name(), there, step.place(), number),
                 std::nullopt,
                 {},
                 {}};
}

}  // namespace mitos::rewrite
