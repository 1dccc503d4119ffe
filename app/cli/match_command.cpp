// SPDX-License-Identifier: GPL-3.0-or-later
// match: matches a pattern against a program; on request shows every transition of the matching machine.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "core/dialects/dialects.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/matching/explanation.h"
#include "core/rules/matching/trace.h"
#include "core/rules/rule_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

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
            if (rule->roots().size() == 1) return rules::LoadedPattern{std::move(rule), book->registry()};
            return Error{ErrorCode::Unsupported,
                         fmt::format("{} has several roots, a place of a program is one", rule->name()), std::nullopt,
                         fmt::format("match one of its roots: {}.0", rule->name())};
        }
    }
    const auto isLetter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const bool isLiteral =
        options.pattern == "true" || options.pattern == "false" ||
        (!options.pattern.empty() && std::isdigit(static_cast<unsigned char>(options.pattern[0])) != 0);
    if (options.pattern.size() > 1 && !isLiteral && std::ranges::all_of(options.pattern, isLetter)) {
        return inputError(fmt::format("{} has no rule \"{}\"", options.rules.empty() ? "this command" : options.rules,
                                      options.pattern),
                          "as a pattern this is a variable, which matches everything: say `x` if you mean that");
    }
    if (options.rules.empty()) {
        return rules::loadPattern(SourceText("pattern", options.pattern), nullptr, dialects::makeRegistry());
    }
    const std::size_t comma = options.rules.rfind(',');
    const std::string last = comma == std::string::npos ? options.rules : options.rules.substr(comma + 1);
    MITOS_TRY(const SourceText definitions, rules::patternSetText(last));
    // A file with patterns only is not a rule book, but it is sufficient here.
    return rules::loadPattern(SourceText("pattern", options.pattern), &definitions, dialects::makeRegistry());
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

/// The place of an action in the text of the pattern.
Json sourceJson(const rules::TraceAction& action) {
    const SourcePlace place = action.source->place(action.span.begin);
    return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json traceJson(const rules::MatchTrace& trace, const ir::Path& subject) {
    Json steps = Json::array();
    for (const rules::TraceStep& step : trace.steps) {
        Json entry{{"transition", rules::toString(step.transition)}};
        if (step.action) {
            entry["action"] = step.action->text;
            entry["pattern"] = sourceJson(*step.action);
        }
        if (!step.detail.empty()) entry["refused"] = step.detail;
        entry.update(stateJson(step.after, subject));
        steps.push_back(std::move(entry));
    }
    return steps;
}

struct MatchSubject {
    ir::Path path;
    ir::TermId term;
};

/// The subterms to match: the one at the given position, or with --anywhere all below it too.
Result<std::vector<MatchSubject>> subjectsOf(const MatchOptions& options, const OpenProgram& open) {
    MITOS_TRY(const ir::Path at, ir::parsePath(options.position));
    const ir::TermBank& bank = *open.bank;
    const std::optional<ir::TermId> subterm = ir::subterm(bank, open.program.root, at);
    if (!subterm) {
        return inputError(fmt::format("there is no subterm at {}", options.position),
                          "positions count children from 0: /0/1; `mitos-cli show --as tree` shows them");
    }
    if (!options.anywhere) return std::vector<MatchSubject>{{at, *subterm}};
    std::vector<MatchSubject> subjects;
    const auto add = [&](const ir::Path& path, ir::TermId term) {
        ir::Path whole = at;
        whole.insert(whole.end(), path.begin(), path.end());
        subjects.push_back({std::move(whole), term});
        return true;
    };
    ir::forEachNode(bank, *subterm, open.sharing(), add);
    return subjects;
}

/// Matches subjects one after the other, and collects what is reported of them.
class MatchReport {
public:
    MatchReport(const MatchOptions& options, const rules::DirectedRule& pattern, OpenProgram& open)
        : m_options(options),
          m_pattern(pattern),
          m_open(open) {}

    void match(const MatchSubject& subject) {
        const ir::TermPrinter print = m_open.dialect().printerAt(*m_open.bank, m_open.program, subject.path);
        const rules::TermPrinter printer = [&print](ir::TermId id) { return print(id, {.width = 0, .compact = true}); };
        const rules::TraceOptions limits{m_options.all, m_options.maxSteps, m_options.trace ? m_options.maxSteps : 0};
        const rules::MatchTrace trace = rules::traceMatch(*m_open.bank, subject.term, m_pattern, limits, printer);
        const std::string position = ir::toString(subject.path);
        if (m_options.trace && !m_options.json) {
            fmt::print("{} against {} at {}\n", m_pattern.rule().text, printer(subject.term), position);
            printTrace(trace);
        }
        if (m_options.trace) {
            for (Json& step : traceJson(trace, subject.path)) {
                if (m_options.anywhere) step["position"] = position;
                m_steps.push_back(std::move(step));
            }
        }
        if (!isMatched() && (trace.matched() || !m_explained)) m_explained = subject.path;
        for (const rules::Substitution& match : trace.matches) addMatch(match, position, printer);
        if (trace.furthest && (m_refusal.is_null() || trace.furthest->progress > m_nearest))
            refuse(trace, subject.path);
        if (!trace.isComplete) fmt::print(stderr, "warning: stopped after {} transitions\n", trace.steps.size());
    }

    [[nodiscard]] bool isMatched() const { return !m_matches.empty(); }

    /// Prints the report; the matches found were printed when they were found.
    void finish(std::size_t subjects) const {
        const std::string sentence = m_explained ? explain(*m_explained) : std::string();
        if (m_options.json) {
            Json report{{"matched", isMatched()},
                        {"sentence", sentence},
                        {"pattern", m_pattern.rule().text},
                        {"bindings", Json::object()},
                        {"functions", Json::object()},
                        {"matches", m_matches},
                        {"steps", m_steps},
                        {"refusal", isMatched() ? Json() : m_refusal}};
            if (isMatched()) report.update(m_matches.front());
            print(report);
            return;
        }
        if (!isMatched() && m_options.anywhere) {
            fmt::print("no match at any of {} positions; nearest at {}\n", subjects,
                       shortPosition(m_explained ? *m_explained : ir::Path()));
        }
        fmt::print("{}\n", sentence);
    }

private:
    void addMatch(const rules::Substitution& match, const std::string& position, const rules::TermPrinter& printer) {
        Json bindings = Json::object();
        Json functions = Json::object();
        std::string line;
        for (std::size_t i = 0; i < m_pattern.variables().size(); ++i) {
            const std::string value = rules::valueText(*m_open.bank, m_pattern, match, i, printer);
            const std::string& name = m_pattern.variables()[i];
            if (value.empty() || name == "choices") continue;
            (rules::isFunctionVariable(m_pattern, i) ? functions : bindings)[name] = value;
            line += fmt::format("{}{} = {}", line.empty() ? "" : ", ", name, value);
        }
        if (!m_options.json) fmt::print("matches at {}: {}\n", position, line);
        m_matches.push_back({{"position", position}, {"bindings", bindings}, {"functions", functions}});
    }

    /// Keeps the refusal of the subject that came nearest to a match.
    void refuse(const rules::MatchTrace& trace, const ir::Path& position) {
        m_nearest = trace.furthest->progress;
        if (!isMatched()) m_explained = position;
        const rules::TraceStep& step = trace.steps[trace.furthest->step];
        m_refusal = {{"position", ir::toString(position)},
                     {"step", trace.furthest->step + 1},
                     {"transition", rules::toString(step.transition)},
                     {"reason", trace.furthest->text}};
        if (!step.action) return;
        m_refusal["pattern"] = sourceJson(*step.action);
        m_refusal["action"] = step.action->text;
    }

    /// The sentence about one position: the first match, or else the nearest refusal.
    [[nodiscard]] std::string explain(const ir::Path& position) const {
        const ir::TermPrinter print = m_open.dialect().printerAt(*m_open.bank, m_open.program, position);
        const rules::TermPrinter printer = [&print](ir::TermId id) { return print(id, {.width = 0, .compact = true}); };
        return rules::explainMatch(*m_open.bank, m_open.program, position, m_pattern,
                                   {.allMatches = m_options.all, .maxSteps = m_options.maxSteps}, printer)
            .explanation.sentence;
    }

    const MatchOptions& m_options;
    const rules::DirectedRule& m_pattern;
    OpenProgram& m_open;
    Json m_matches = Json::array();
    Json m_steps = Json::array();
    Json m_refusal;
    std::optional<ir::Path> m_explained;  ///< the position that the sentence is about
    std::uint32_t m_nearest = 0;          ///< how close the refused subject came to a match
};

Result<int> runMatch(MatchOptions options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(const rules::LoadedPattern loaded, findPattern(options));
    MITOS_TRY(OpenProgram open, openProgram(options, loaded.registry));
    MITOS_REQUIRE(rules::requireFor(*loaded.pattern, *loaded.registry, open.dialect()));
    MITOS_TRY(const std::vector<MatchSubject> subjects, subjectsOf(options, open));
    MatchReport report(options, *loaded.pattern, open);
    for (const MatchSubject& subject : subjects) {
        report.match(subject);
        if (report.isMatched() && !options.all) break;
    }
    report.finish(subjects.size());
    return report.isMatched() ? Success : CheckFailed;
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
