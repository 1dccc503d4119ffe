// SPDX-License-Identifier: GPL-3.0-or-later
// match: matches a pattern against a program; on request shows every transition of the matching machine.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "core/dialects/dialects.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/rules/pattern_text.h"
#include "core/rules/rule_sets.h"
#include "core/rules/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace mitos::cli {

namespace {

struct MatchOptions : CommonOptions {
    std::string pattern;
    std::string position = "/";
    bool anywhere = false;
    bool all = false;
    bool trace = false;
    std::size_t maxSteps = 10'000;
};

/// The rule of that name, or otherwise the text parsed as a pattern with the definitions of the last rule set named.
Result<rules::LoadedPattern> findPattern(const MatchOptions& options) {
    Result<rules::RuleBook> book = openRules(options);
    if (book) {
        if (auto rule = book->find(options.pattern)) {
            if (rule->several() == nullptr) return rules::LoadedPattern{std::move(rule), book->registry()};
            return Error{ErrorCode::Unsupported,
                         fmt::format("{} has several roots, a place of a program is one", rule->name()),
                         std::nullopt,
                         fmt::format("match one of its roots: {}.0", rule->name()),
                         {}};
        }
    }
    const auto isLetter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const bool isLiteral =
        options.pattern == "true" || options.pattern == "false" ||
        (!options.pattern.empty() && std::isdigit(static_cast<unsigned char>(options.pattern[0])) != 0);
    if (options.pattern.size() > 1 && !isLiteral && std::ranges::all_of(options.pattern, isLetter)) {
        return Error{ErrorCode::InvalidInput,
                     fmt::format("{} has no rule \"{}\"", options.rules, options.pattern),
                     std::nullopt,
                     "as a pattern this is a variable, which matches everything: say `x` if you mean that",
                     {}};
    }
    const std::size_t comma = options.rules.rfind(',');
    const std::string last = comma == std::string::npos ? options.rules : options.rules.substr(comma + 1);
    const std::vector<std::string>& shipped = rules::shippedRuleSets();
    const bool isShipped = std::find(shipped.begin(), shipped.end(), last) != shipped.end();
    const Result<SourceText> definitions = isShipped ? rules::shippedRuleSetText(last) : readSourceFile(last);
    if (!definitions) return definitions.error();
    // A file with patterns only is not a rule book, but it is sufficient here.
    return rules::loadPattern(SourceText("pattern", options.pattern), &*definitions, dialects::makeRegistry());
}

Json valueJson(const rules::TraceValue& value, const ir::Path& subject) {
    ir::Path whole = subject;
    whole.insert(whole.end(), value.path.begin(), value.path.end());
    return {{"name", value.name}, {"value", value.text}, {"position", ir::toString(whole)}};
}

Json stateJson(const rules::TraceState& state, const ir::Path& subject) {
    Json theta = Json::array();
    Json phi = Json::array();
    Json continuation = Json::array();
    for (const rules::TraceValue& value : state.theta) theta.push_back(valueJson(value, subject));
    for (const rules::TraceValue& value : state.phi) phi.push_back(valueJson(value, subject));
    for (const rules::TraceAction& action : state.continuation) continuation.push_back(action.text);
    return {{"state", rules::toString(state.status)},
            {"theta", theta},
            {"phi", phi},
            {"stack", state.stackDepth},
            {"continuation", continuation}};
}

std::string assignments(const std::vector<rules::TraceValue>& values) {
    std::string result;
    for (const rules::TraceValue& value : values) {
        result += fmt::format("{}{} ↦ {}", result.empty() ? "" : ", ", value.name, value.text);
    }
    return "{" + result + "}";
}

void printState(const rules::TraceState& state) {
    if (state.status == rules::TraceStatus::Failure) {
        fmt::print("        failure\n");
        return;
    }
    fmt::print("        θ = {}   φ = {}   stack {}\n", assignments(state.theta), assignments(state.phi),
               state.stackDepth);
    for (const rules::TraceAction& action : state.continuation) fmt::print("          {}\n", action.text);
}

void printTrace(const rules::MatchTrace& trace) {
    fmt::print("        start\n");
    printState(trace.start);
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        const rules::TraceStep& step = trace.steps[i];
        fmt::print("{:>6}  {}{}{}\n", i + 1, rules::toString(step.transition),
                   step.action ? "  " + step.action->text : "", step.detail.empty() ? "" : ": " + step.detail);
        printState(step.after);
    }
    if (!trace.isComplete) fmt::print("        stopped after {} transitions\n", trace.steps.size());
}

Json traceJson(const rules::MatchTrace& trace, const ir::Path& subject) {
    Json steps = Json::array();
    for (const rules::TraceStep& step : trace.steps) {
        Json entry{{"transition", rules::toString(step.transition)}};
        if (step.action) {
            entry["action"] = step.action->text;
            const SourcePlace place = step.action->source->place(step.action->span.begin);
            entry["pattern"] = {{"file", place.file}, {"line", place.line}, {"column", place.column}};
        }
        if (!step.detail.empty()) entry["refused"] = step.detail;
        entry.update(stateJson(step.after, subject));
        steps.push_back(std::move(entry));
    }
    return steps;
}

int runMatch(MatchOptions options) {
    if (const Status settled = options.settle(); !settled) return fail(settled.error(), options.json);
    const Result<rules::LoadedPattern> loaded = findPattern(options);
    if (!loaded) return fail(loaded.error(), options.json);
    const rules::DirectedRule& pattern = *loaded->pattern;
    Result<OpenProgram> open = openProgram(options, loaded->registry);
    if (!open) return fail(open.error(), options.json);
    if (const Status fits = rules::requireFor(pattern, *loaded->registry, open->sharing()); !fits)
        return fail(fits.error(), options.json);
    ir::TermBank& bank = *open->bank;
    const Result<ir::Path> at = ir::parsePath(options.position);
    if (!at) return fail(at.error(), options.json);

    std::vector<std::pair<ir::Path, ir::TermId>> subjects;
    const std::optional<ir::TermId> subterm = ir::subterm(bank, open->program.root, *at);
    if (!subterm) {
        return fail(Error{ErrorCode::InvalidInput,
                          fmt::format("there is no subterm at {}", options.position),
                          std::nullopt,
                          "positions count children from 0: /0/1; `mitos-cli show --as tree` shows them",
                          {}},
                    options.json);
    }
    if (options.anywhere) {
        const auto add = [&](const ir::Path& path, ir::TermId term) {
            ir::Path whole = *at;
            whole.insert(whole.end(), path.begin(), path.end());
            subjects.emplace_back(std::move(whole), term);
            return true;
        };
        if (open->sharing() == ir::Sharing::Graph) {
            ir::forEachShared(bank, *subterm, add);
        } else {
            ir::forEachSubterm(bank, *subterm, add);
        }
    } else {
        subjects.emplace_back(*at, *subterm);
    }

    Json report{{"matched", false},
                {"pattern", pattern.rule().text},
                {"bindings", Json::object()},
                {"functions", Json::object()}};
    Json matches = Json::array();
    Json steps = Json::array();
    Json refusal;
    std::uint32_t nearest = 0;  // how close the rejected subject came to a match
    const rules::TraceOptions traceOptions{options.all, options.maxSteps, options.trace ? options.maxSteps : 0};
    for (const auto& subject : subjects) {
        const auto& path = subject.first;
        const ir::TermId term = subject.second;
        const rules::TermPrinter printer = [&](ir::TermId id) {
            return dialects::printTermAt(bank, open->program, path, id, {.width = 0, .compact = true});
        };
        const rules::MatchTrace trace = rules::traceMatch(bank, term, pattern, traceOptions, printer);
        const std::string position = ir::toString(path);
        if (options.trace && !options.json) {
            fmt::print("{} against {} at {}\n", pattern.rule().text, printer(term), position);
            printTrace(trace);
        }
        if (options.trace) {
            for (Json& step : traceJson(trace, path)) {
                if (options.anywhere) step["position"] = position;
                steps.push_back(std::move(step));
            }
        }
        for (const rules::Substitution& match : trace.matches) {
            Json bindings = Json::object();
            Json functions = Json::object();
            std::string line;
            for (std::size_t i = 0; i < pattern.variables().size(); ++i) {
                const std::string value = rules::valueText(bank, pattern, match, i, printer);
                const std::string& name = pattern.variables()[i];
                if (value.empty() || name == "choices") continue;
                (rules::isFunctionVariable(pattern, i) ? functions : bindings)[name] = value;
                line += fmt::format("{}{} = {}", line.empty() ? "" : ", ", name, value);
            }
            if (!options.json) fmt::print("matches at {}: {}\n", position, line);
            if (matches.empty()) {
                report["matched"] = true;
                report["position"] = position;
                report["bindings"] = bindings;
                report["functions"] = functions;
            }
            matches.push_back({{"position", position}, {"bindings", bindings}, {"functions", functions}});
        }
        if (trace.furthest && (refusal.is_null() || trace.furthest->progress > nearest)) {
            nearest = trace.furthest->progress;
            const rules::TraceStep& step = trace.steps[trace.furthest->step];
            refusal = {{"position", position},
                       {"step", trace.furthest->step + 1},
                       {"transition", rules::toString(step.transition)},
                       {"reason", trace.furthest->text}};
            if (step.action) {
                const SourcePlace place = step.action->source->place(step.action->span.begin);
                refusal["pattern"] = {{"file", place.file}, {"line", place.line}, {"column", place.column}};
                refusal["action"] = step.action->text;
            }
        }
        if (!trace.isComplete) fmt::print(stderr, "warning: stopped after {} transitions\n", trace.steps.size());
        if (!matches.empty() && !options.all) break;
    }
    report["matches"] = matches;
    report["steps"] = steps;
    report["refusal"] = matches.empty() ? refusal : Json();
    if (options.json) {
        print(report);
    } else if (matches.empty()) {
        fmt::print("no match");
        if (!refusal.is_null()) {
            const std::string where =
                options.anywhere ? fmt::format(" at any of {} positions; nearest at {}", subjects.size(),
                                               shortPosition(*ir::parsePath(refusal["position"].get<std::string>())))
                                 : std::string();
            fmt::print("{}: {} ({}, step {})", where, refusal["reason"].get<std::string>(),
                       refusal["transition"].get<std::string>(), refusal["step"].get<std::size_t>());
        }
        fmt::print("\n");
    }
    return matches.empty() ? CheckFailed : Success;
}

}  // namespace

void addMatchCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("match", "match a pattern against a program, step by step if asked");
    auto options = std::make_shared<MatchOptions>();
    options->addFile(*command);
    options->addRules(*command);
    command
        ->add_option(
            "--pattern", options->pattern,
            "a left side, \"a * (b + c) where a.is_const\", or the name of a rule of the --rules; named patterns, "
            "operators and classes of the last set named are known")
        ->required();
    command->add_option("--at", options->position, "the position to match at")->capture_default_str();
    command->add_flag("--anywhere", options->anywhere, "at that position and everywhere below");
    command->add_flag("--all", options->all, "all matches, not only the first");
    command->add_flag("--trace", options->trace, "every transition of the matching machine");
    command->add_option("--max-steps", options->maxSteps, "transitions at one position")
        ->check(CLI::Range(1, 10'000'000))
        ->capture_default_str();
    command->callback([options, choose] { choose([options] { return runMatch(*options); }); });
}

}  // namespace mitos::cli
