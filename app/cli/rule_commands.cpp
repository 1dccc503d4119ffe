// SPDX-License-Identifier: GPL-3.0-or-later
// rules check|list|test, and the lists of available strategies, costs and rulesets.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "core/dialects/dialects.h"
#include "core/eval/testing/rule_test.h"
#include "core/ks/dialect.h"
#include "core/rules/language/compiled_analysis.h"
#include "core/rules/rule_sets.h"
#include "core/tensor/dialect.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::cli {

namespace {

struct RulesOptions {
    std::string sets = ks::dialect().defaultRules;
    bool json = false;
    int samples = eval::RuleTestOptions{}.samplesPerRule;
    std::uint64_t seed = 1;
    double seconds = 0.0;
};

Result<rules::LoadedRules> loadSet(const std::string& name, const std::vector<std::string>& leftOut = {}) {
    MITOS_TRY(const SourceText text, rules::ruleSetText(name));
    MITOS_TRY(rules::LoadedRules loaded, rules::loadRules(text, dialects::makeRegistry()));
    std::erase_if(loaded.set.rules,
                  [&](const auto& rule) { return std::ranges::find(leftOut, rule->name) != leftOut.end(); });
    return loaded;
}

/// Indents every line of a text by `space`.
std::string indented(std::string_view text, std::string_view space) {
    std::string result(space);
    for (const char c : text) {
        result += c;
        if (c == '\n') result += space;
    }
    return result;
}

std::size_t rootCount(const rules::Rule& rule) { return rule.directions.front()->roots().size(); }

Result<int> runCheck(const RulesOptions& options) {
    Json report{{"sets", Json::array()}};
    bool clean = true;
    const rules::RuleChoice choice = rules::RuleChoice::parse(options.sets);
    for (const std::string& name : choice.sets) {
        MITOS_TRY(rules::LoadedRules loaded, loadSet(name, choice.leftOut));
        Json errors = Json::array();
        for (const Error& error : loaded.errors) {
            errors.push_back(error.oneLine());
            fmt::print(stderr, "{}", error.render());
        }
        Json several = Json::array();
        for (const auto& rule : loaded.set.rules) {
            if (rule->hasSeveralRoots()) several.push_back(rule->name);
        }
        clean = clean && loaded.errors.empty();
        if (!options.json) {
            const auto counted = [](std::size_t count, std::string_view what) {
                return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
            };
            const std::size_t analyses = rules::analysesOf(loaded.set).size();
            fmt::print("{}: {}, {}{}, {}\n", name, counted(loaded.set.rules.size(), "rule"),
                       analyses == 0 ? "" : fmt::format("{} {}, ", analyses, analyses == 1 ? "analysis" : "analyses"),
                       counted(loaded.errors.size(), "error"), counted(loaded.warnings.size(), "warning"));
            for (const std::string& warning : loaded.warnings) fmt::print("  warning: {}\n", warning);
            for (const auto& rule : several) {
                fmt::print("  {} has several roots: it rewrites tensor programs and e-graphs\n",
                           rule.get<std::string>());
            }
        }
        report["sets"].push_back({{"name", name},
                                  {"rules", loaded.set.rules.size()},
                                  {"analyses", rules::analysesOf(loaded.set).size()},
                                  {"errors", errors},
                                  {"warnings", loaded.warnings},
                                  {"several_roots", several}});
    }
    if (options.json) print(report);
    return clean ? Success : CheckFailed;
}

Result<int> runList(const RulesOptions& options) {
    Json report{{"rules", Json::array()}, {"analyses", Json::array()}};
    const rules::RuleChoice choice = rules::RuleChoice::parse(options.sets);
    for (const std::string& name : choice.sets) {
        MITOS_TRY(rules::LoadedRules loaded, loadSet(name, choice.leftOut));
        for (const Error& error : loaded.errors) fmt::print(stderr, "{}", error.render());
        if (!options.json)
            fmt::print("{}: {} ({} rules)\n", loaded.set.name, loaded.set.title, loaded.set.rules.size());
        const std::string* origin = &loaded.set.name;
        for (const auto& rule : loaded.set.rules) {
            report["rules"].push_back({{"set", loaded.set.name},
                                       {"written_in", rule->place.file},
                                       {"name", rule->name},
                                       {"tag", rules::toString(rule->soundness)},
                                       {"tags", rule->tags},
                                       {"directions", rule->directions.size()},
                                       {"roots", rootCount(*rule)},
                                       {"text", rule->text},
                                       {"doc", rule->doc}});
            if (options.json) continue;
            if (rule->place.file != *origin) fmt::print("\n  from {}\n", rule->place.file);
            origin = &rule->place.file;
            fmt::print("  {:<26} {:<10} {}{}{}\n", rule->name, rules::toString(rule->soundness),
                       fmt::join(rule->tags, ", "), rule->directions.size() == 2 ? " (two directions)" : "",
                       rule->hasSeveralRoots() ? " (several roots)" : "");
            fmt::print("{}\n", indented(rule->text, "      "));
        }
        for (const auto& analysis : rules::analysesOf(loaded.set)) {
            report["analyses"].push_back({{"set", loaded.set.name},
                                          {"written_in", analysis->place.file},
                                          {"name", analysis->name},
                                          {"tag", rules::toString(analysis->soundness)},
                                          {"folds", analysis->folds},
                                          {"values", analysis->words},
                                          {"text", analysis->text},
                                          {"doc", analysis->doc}});
            if (options.json || analysis->folds) continue;  // one that folds is listed as a rule
            fmt::print("  {:<26} {:<10} analysis\n", analysis->name, rules::toString(analysis->soundness));
            fmt::print("{}\n", indented(analysis->text, "      "));
        }
    }
    if (options.json) print(report);
    return Success;
}

Json shown(const eval::Counterexample& example) {
    return {{"before", example.before},
            {"after", example.after},
            {"position", example.position},
            {"inputs", example.inputs},
            {"before_value", example.beforeValue},
            {"after_value", example.afterValue}};
}

/// A description of how the two sides differ.
std::string_view differenceText(const eval::RuleVerdict& v) {
    switch (v.difference) {
        case eval::SidesDiffer::Nowhere: return "";
        case eval::SidesDiffer::ZeroSign: return "; exact-but-zero-sign: the sign of a zero makes a difference";
        case eval::SidesDiffer::NotANumber: return "; exact-but-nan: NaN makes a difference";
        case eval::SidesDiffer::RealOnly: return "; real-only: rounding or the range of Floats makes a difference";
        case eval::SidesDiffer::Defines: return "; domain: it gives a value where the left side has none";
        case eval::SidesDiffer::Domain: return "; domain: it takes a value away";
        case eval::SidesDiffer::Different: return "; the values differ over the reals";
    }
    return "";
}

void printVerdict(const eval::RuleVerdict& v, const rules::RuleBook& book) {
    fmt::print("{:<9} {:<28} {:<10} {} samples{}{}\n", eval::toString(v.verdict), v.name, v.tag, v.samples,
               v.namedSamples > 0 ? fmt::format(", {} with named sizes", v.namedSamples) : "", differenceText(v));
    if (!v.note.empty()) fmt::print("          {}\n", v.note);
    if (!v.counterexample) return;
    const eval::Counterexample& example = *v.counterexample;
    if (const auto direction = book.find(v.name)) fmt::print("{}\n", indented(direction->rule().text, "          "));
    fmt::print("          before  {} = {}\n", example.before, example.beforeValue);
    fmt::print("          after   {} = {}\n", example.after, example.afterValue);
    if (example.position != "/") fmt::print("          at      {}\n", example.position);
    if (!example.inputs.empty()) fmt::print("          inputs  {}\n", example.inputs);
}

Result<int> runTest(const RulesOptions& options) {
    MITOS_TRY(rules::RuleBook book, openRules(options.sets));
    const InterruptGuard interrupt;
    eval::RuleTestOptions testOptions;
    testOptions.samplesPerRule = options.samples;
    testOptions.seed = options.seed;
    testOptions.stop = interrupt.token();
    testOptions.seconds = options.seconds;
    const std::vector<eval::RuleVerdict> verdicts = eval::testRules(book, testOptions);
    const bool isInterrupted = interrupt.token().stop_requested();
    Json report{{"seed", options.seed},
                {"tolerance", testOptions.tolerance},
                {"interrupted", isInterrupted},
                {"rules", Json::array()}};
    std::size_t failed = 0;
    std::size_t untested = 0;
    for (const eval::RuleVerdict& v : verdicts) {
        if (v.verdict == eval::Verdict::Fail) ++failed;
        if (v.verdict == eval::Verdict::Untested) ++untested;
        Json entry{{"name", v.name},
                   {"verdict", eval::toString(v.verdict)},
                   {"tag", v.tag},
                   {"difference", eval::toString(v.difference)},
                   {"samples", v.samples},
                   {"named_samples", v.namedSamples},
                   {"counterexample", v.counterexample ? v.counterexample->toString() : v.note}};
        if (v.counterexample) entry["shrunk"] = shown(*v.counterexample);
        report["rules"].push_back(std::move(entry));
        if (!options.json) printVerdict(v, book);
    }
    if (options.json) {
        print(report);
    } else {
        fmt::print("{} directions tested, {} failed, {}seed {}; tolerance 0 for exact rules, {:g} for the others\n",
                   verdicts.size() - untested, failed, untested > 0 ? fmt::format("{} untested, ", untested) : "",
                   options.seed, testOptions.tolerance);
    }
    // A direction that was not tested did not pass.
    if (isInterrupted) fmt::print(stderr, "interrupted: {} directions are not tested\n", untested);
    return failed == 0 && !isInterrupted ? Success : CheckFailed;
}

/// Parameters as JSON, `ofTensors` with the defaults of tensor programs; prints a line for each unless `json`.
Json listParameters(const std::vector<ParameterInfo>& parameters, const std::vector<ParameterInfo>& ofTensors,
                    std::string_view flag, bool json) {
    Json list = Json::array();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const ParameterInfo& p = parameters[i];
        const std::string usual = parameterText(p.defaultValue);
        const std::string ofGraphs = parameterText(ofTensors[i].defaultValue);
        list.push_back({{"name", p.name},
                        {"title", p.title},
                        {"help", p.help},
                        {"default", usual},
                        {"default_of_graphs", ofGraphs},
                        {"range", rangeText(p)}});
        if (json) continue;
        fmt::print("{} {}={}  ({}{})  {}\n", flag, p.name, usual, rangeText(p),
                   ofGraphs != usual ? fmt::format("; tensor programs: {}", ofGraphs) : "", p.help);
    }
    return list;
}

/// "train policy" for the strategy train-policy.
std::string trainingCommand(std::string strategy) {
    std::ranges::replace(strategy, '-', ' ');
    return strategy;
}

Result<int> listStrategies(bool json) {
    Json report{{"strategies", Json::array()}};
    for (const auto& strategy : search::allStrategies()) {
        const search::StrategyInfo& info = strategy->info();
        if (!json)
            fmt::print("{:<12} {}\n             {}\n", info.name,
                       info.isTraining
                           ? fmt::format("{} (a training: mitos-cli {})", info.title, trainingCommand(info.name))
                           : info.title,
                       info.description);
        const search::StrategyInfo forTensors = search::fitted(info, tensor::dialect());
        report["strategies"].push_back(
            {{"name", info.name},
             {"title", info.title},
             {"description", info.description},
             {"training", info.isTraining},
             {"parameters", listParameters(info.parameters, forTensors.parameters, "             --set", json)}});
    }
    if (json) print(report);
    return Success;
}

Result<int> listCosts(bool json) {
    Json report{{"costs", Json::array()}};
    for (const auto& model : cost::allCostModels()) {
        const cost::CostModelInfo& info = model->info();
        if (!json) fmt::print("{:<10} {} ({})\n           {}\n", info.name, info.title, info.unit, info.description);
        report["costs"].push_back(
            {{"name", info.name},
             {"title", info.title},
             {"unit", info.unit},
             {"description", info.description},
             {"parameters", listParameters(info.parameters, info.parameters, "           --set-cost", json)}});
    }
    if (json) print(report);
    return Success;
}

Result<int> listRuleSets(bool json) {
    Json report{{"rulesets", Json::array()}};
    for (const std::string& name : rules::shippedRuleSets()) {
        MITOS_TRY(rules::LoadedRules loaded, loadSet(name));
        report["rulesets"].push_back({{"name", name},
                                      {"title", loaded.set.title},
                                      {"rules", loaded.set.rules.size()},
                                      {"written_in", loaded.set.origins()},
                                      {"doc", loaded.set.doc}});
        if (!json) fmt::print("{:<15} {:>3} rules  {}\n", name, loaded.set.rules.size(), loaded.set.title);
    }
    if (json) print(report);
    return Success;
}

}  // namespace

void addRulesCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("rules", "check, list or test rule sets");
    command->require_subcommand(1);
    auto options = std::make_shared<RulesOptions>();
    const auto add = [&](const char* name, const char* help, Result<int> (*work)(const RulesOptions&)) {
        CLI::App* sub = command->add_subcommand(name, help);
        sub->add_option("SET", options->sets,
                        "rule sets, by name or file, separated by commas; -NAME leaves a rule out")
            ->capture_default_str();
        sub->add_flag("--json", options->json, "machine-readable output: one JSON object");
        sub->callback([options, choose, work] { choose([options, work] { return work(*options); }); });
        return sub;
    };
    add("check", "syntax, scopes and types", runCheck);
    add("list", "the rules with their tags and texts", runList);
    CLI::App* test = add("test", "hunt counterexamples: random programs, the evaluator is the judge", runTest);
    test->add_option("--samples", options->samples, "instances per rule and direction")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    test->add_option("--seed", options->seed, "of the random programs")->check(wholeNumber())->capture_default_str();
    test->add_option("--seconds", options->seconds, "stop after that long; what was not reached is untested");
}

void addListCommands(CLI::App& app, const Choose& choose) {
    const auto add = [&](const char* name, const char* help, Result<int> (*work)(bool)) {
        CLI::App* command = app.add_subcommand(name, help);
        auto json = std::make_shared<bool>(false);
        command->add_flag("--json", *json, "machine-readable output: one JSON object");
        command->callback([json, choose, work] { choose([json, work] { return work(*json); }); });
    };
    add("strategies", "the searches, with their parameters", listStrategies);
    add("costs", "the cost models", listCosts);
    add("rulesets", "the rule sets that come with the program", listRuleSets);
}

}  // namespace mitos::cli
