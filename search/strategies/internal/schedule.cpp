// SPDX-License-Identifier: GPL-3.0-or-later
// See schedule.h.
#include "search/strategies/internal/schedule.h"

#include "search/rewriting/rewriting.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::search {

namespace {

constexpr std::string_view Example = "Write for instance: phase1, unfold: exhaust @ 20%; all: astar(depth=10)";

Error invalid(std::string_view phase, std::string_view what, std::string hint = std::string(Example)) {
    return inputError(fmt::format("schedule, phase \"{}\": {}", phase, what), std::move(hint));
}

Result<double> parseShare(std::string_view phase, std::string_view text) {
    const bool percent = text.ends_with('%');
    if (percent) text = trimmed(text.substr(0, text.size() - 1));
    const ParameterInfo info{
        .name = "share", .title = {}, .help = {}, .defaultValue = 1.0, .minimum = 0, .maximum = 100};
    const Result<ParameterValue> value = parseParameter(info, text);
    if (!percent || !value || std::get<double>(*value) <= 0) {
        return invalid(phase, fmt::format("\"{}\" is no share of the budget", text),
                       "A share is a number of percent above 0 and up to 100: @ 20%");
    }
    return std::get<double>(*value) / 100.0;
}

Result<ParameterValues> parseParameters(std::string_view phase, const StrategyInfo& info, std::string_view text) {
    ParameterValues values;
    for (const std::string_view setting : split(text, ',')) {
        const std::size_t equals = setting.find('=');
        const std::string name(trimmed(setting.substr(0, equals)));
        const auto known = std::ranges::find(info.parameters, name, &ParameterInfo::name);
        if (equals == std::string_view::npos || known == info.parameters.end()) {
            const Result<ParameterValues> names = resolveParameters(info, {{name, std::int64_t{0}}});
            return invalid(phase, fmt::format("{} has no parameter \"{}\"", info.name, setting),
                           names ? std::string() : names.error().hint);
        }
        const Result<ParameterValue> value = parseParameter(*known, trimmed(setting.substr(equals + 1)));
        if (!value) return invalid(phase, value.error().message, value.error().hint);
        values[name] = *value;
    }
    return values;
}

Result<std::shared_ptr<const Strategy>> strategyOf(std::string_view phase, std::string_view name) {
    if (name == SimplifyName) return std::shared_ptr<const Strategy>(makeSimplify());
    if (name == ExhaustName) return std::shared_ptr<const Strategy>(makeExhaust());
    Result<std::shared_ptr<const Strategy>> found = findStrategy(name);
    if (!found) return invalid(phase, found.error().message, found.error().hint);
    return found;
}

/// Parses the text after the colon of a phase. `where` is the text that errors quote.
Result<SearchPart> parsePart(std::string_view where, std::string_view how) {
    SearchPart part;
    if (const std::size_t at = how.find('@'); at != std::string_view::npos) {
        MITOS_TRY(part.share, parseShare(where, trimmed(how.substr(at + 1))));
        how = trimmed(how.substr(0, at));
    }
    const std::size_t open = how.find('(');
    if (open != std::string_view::npos && !how.ends_with(')'))
        return invalid(where, "a closing parenthesis is missing");
    MITOS_TRY(std::shared_ptr<const Strategy> strategy, strategyOf(where, trimmed(how.substr(0, open))));
    part.strategy = std::move(strategy);
    if (open != std::string_view::npos) {
        const std::string_view inside = trimmed(how.substr(open + 1, how.size() - open - 2));
        MITOS_TRY(part.parameters, parseParameters(where, part.strategy->info(), inside));
    }
    return part;
}

Result<Phase> parsePhase(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return invalid(text, "a colon must follow the rules");
    Phase phase;
    for (const std::string_view selector : split(text.substr(0, colon), ',')) {
        if (selector.empty() || selector == "-") return invalid(text, "a tag or a rule is missing before the colon");
        phase.selectors.emplace_back(selector);
    }
    MITOS_TRY(SearchPart part, parsePart(text, trimmed(text.substr(colon + 1))));
    if (part.holdsOthers() && part.strategy->info().name != BlocksName)
        return invalid(text, "a schedule cannot hold another one");
    static_cast<SearchPart&>(phase) = std::move(part);
    return phase;
}

template <typename Rule>
bool means(std::string_view selector, const Rule& rule) {
    return selector == "all" || rule.name() == selector || rule.rule().name == selector || rule.rule().hasTag(selector);
}

template <typename Rules>
Rules chosen(const std::vector<std::string>& selectors, const Rules& rules) {
    Rules result;
    for (const auto& rule : rules) {
        bool in = false;
        for (const std::string_view selector : selectors) {
            const bool out = selector.starts_with('-');
            if (means(out ? selector.substr(1) : selector, *rule)) in = !out;
        }
        if (in) result.push_back(rule);
    }
    return result;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view Space = " \t\r\n";
    const std::size_t first = text.find_first_not_of(Space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(Space) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(separator, from), text.size());
        parts.push_back(trimmed(text.substr(from, to - from)));
        from = to + 1;
    }
    return parts;
}

bool SearchPart::isFree() const { return strategy->info().name == SimplifyName; }
bool SearchPart::holdsOthers() const {
    const std::string& name = strategy->info().name;
    return name == "phases" || name == "portfolio" || name == BlocksName;
}
bool SearchPart::rewritesOnly() const { return isFree() || strategy->info().name == ExhaustName; }

Result<std::vector<Phase>> parseSchedule(std::string_view text) {
    std::vector<Phase> phases;
    for (const std::string_view part : split(text, ';')) {
        if (part.empty()) continue;
        MITOS_TRY(Phase phase, parsePhase(part));
        phases.push_back(std::move(phase));
    }
    if (phases.empty()) return invalid(text, "there is no phase");
    return phases;
}

Result<std::vector<SearchPart>> parseParts(std::string_view name, std::string_view text) {
    std::vector<SearchPart> parts;
    for (const std::string_view each : split(text, ';')) {
        if (each.empty()) continue;
        MITOS_TRY(SearchPart part, parsePart(each, each));
        if (part.strategy->info().name == "portfolio") return invalid(each, "a portfolio cannot hold another one");
        parts.push_back(std::move(part));
    }
    if (parts.empty()) return invalid(text, fmt::format("{} names no strategy", name));
    return parts;
}

DirectedRules selectRules(const std::vector<std::string>& selectors, const DirectedRules& rules) {
    return chosen(selectors, rules);
}

std::string unknownSelector(const std::vector<std::string>& selectors, const SearchProblem& problem) {
    for (const std::string& selector : selectors) {
        const std::string_view word = std::string_view(selector).substr(selector.starts_with('-') ? 1 : 0);
        const auto isMeant = [&](const auto& rule) { return means(word, *rule); };
        if (std::ranges::none_of(problem.rules, isMeant)) return std::string(word);
    }
    return {};
}

}  // namespace mitos::search
