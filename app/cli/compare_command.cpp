// SPDX-License-Identifier: GPL-3.0-or-later
// compare: programs x strategies x budgets x seeds, as a table, JSON, and an HTML report.
#include "app/cli/commands.h"
#include "app/cli/compare_output.h"
#include "app/cli/compare_sessions.h"
#include "app/cli/merged_rows.h"
#include "app/cli/search_options.h"
#include "app/cli/verification.h"
#include "core/base/number_text.h"
#include "core/onnx/import.h"
#include "core/rules/rule_sets.h"
#include "search/compare/run_table.h"
#include "search/report/html_report.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

namespace mitos::cli {

namespace {

using search::ComparedRun;

struct CompareOptions : SearchOptions {
    std::vector<std::string> files;
    std::string strategies;
    std::string evaluations;
    std::string title = "Comparison of searches";
    std::string runs;
    std::string session;
    VerifyFlags verify;
};

/// Adds an entry unless it is already in the list, since a second run of the same search gives no new result.
template <typename T>
void addOnce(std::vector<T>& all, T one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

bool isProgramFile(const std::filesystem::path& path) { return path.extension() == ".ks" || onnx::isModelFile(path); }

/// The given files; folders are replaced by all programs and models below them, in the order of their names. Each file occurs once.
std::vector<std::string> allFiles(const CompareOptions& options, std::vector<FailedFile>& failures) {
    std::vector<std::string> files;
    const auto add = [&files](std::string file) { addOnce(files, std::move(file)); };
    for (const std::string& given : options.files) {
        std::error_code error;
        if (!std::filesystem::is_directory(given, error)) {
            add(given);
            continue;
        }
        std::vector<std::string> found;
        for (std::filesystem::recursive_directory_iterator entry(given, error), end; !error && entry != end;
             entry.increment(error)) {
            if (isProgramFile(entry->path())) found.push_back(entry->path().string());
        }
        if (error || found.empty()) {
            failures.push_back({given, error ? "the folder cannot be read: " + error.message()
                                             : std::string("the folder holds no .ks, .onnx or .onnxtxt file")});
            fmt::print(stderr, "error: {}: {}\n", given, failures.back().message);
        }
        std::ranges::sort(found);
        for (std::string& file : found) add(std::move(file));
    }
    return files;
}

/// Reads the files and chooses the rules and the cost model of their dialect if the user named none. Files that cannot be read are
/// added to `failures`. Fails if the files get different rules or cost models, as files of both dialects do.
Result<std::vector<CommonOptions>> settleAll(CompareOptions& options, std::vector<FailedFile>& failures) {
    std::vector<CommonOptions> all;
    std::vector<std::string> files = allFiles(options, failures);
    if (!options.expression.empty()) files.emplace_back(ExpressionName);
    for (const std::string& file : files) {
        auto one = static_cast<const CommonOptions&>(options);
        one.file = file;
        if (const Status settled = one.settle(); !settled) {
            failures.push_back({file, settled.error().oneLine()});
            fmt::print(stderr, "{}", settled.error().render());
            continue;
        }
        all.push_back(std::move(one));
    }
    if (all.empty()) return all;
    const auto differs = [&](const CommonOptions& one) {
        return one.cost != all.front().cost || one.rules != all.front().rules;
    };
    if (const auto other = std::ranges::find_if(all, differs); other != all.end()) {
        return inputError(fmt::format("{} and {} are of different dialects", all.front().file, other->file),
                          "compare one dialect at a time");
    }
    options.cost = all.front().cost;
    options.rules = all.front().rules;
    return all;
}

struct OpenedFile {
    CommonOptions options;
    OpenProgram program;
};

/// Opens the programs. Files that cannot be opened are added to `failures`, and files that were read for them to `read`.
std::vector<OpenedFile> openFiles(const std::vector<CommonOptions>& files, const rules::RuleBook& book,
                                  std::vector<FailedFile>& failures, std::vector<NamedFile>& read) {
    std::vector<OpenedFile> opened;
    for (const CommonOptions& one : files) {
        Result<OpenProgram> open = openProgram(one, book);
        if (!open) {
            failures.push_back({one.file, open.error().oneLine()});
            fmt::print(stderr, "{}", open.error().render());
            continue;
        }
        std::ranges::move(filesRead(book, open->read.model.get()), std::back_inserter(read));
        opened.push_back({one, *std::move(open)});
    }
    return opened;
}

std::string stemOf(const std::string& file) {
    return file == "-" ? std::string("standard input") : std::filesystem::path(file).stem().string();
}

/// Begins the sessions of the programs.
Result<CompareSessions> beginSessions(const CompareOptions& options, std::vector<OpenedFile>& files,
                                      const cost::CostModel& model) {
    CompareSessions sessions(options.session);
    for (OpenedFile& file : files) {
        MITOS_REQUIRE(sessions.add(sessions.nextPath(stemOf(file.options.file)), file.options, file.program, model));
    }
    MITOS_REQUIRE(sessions.join());
    return sessions;
}

/// The programs of the plan, which are named after their file, or by its path if names repeat.
std::vector<search::ComparisonPlan::Subject> subjectsOf(std::vector<OpenedFile>&& files) {
    std::map<std::string, int> named;
    for (const OpenedFile& file : files) ++named[stemOf(file.options.file)];
    std::vector<search::ComparisonPlan::Subject> subjects;
    for (auto& [options, program] : files) {
        const std::string stem = stemOf(options.file);
        const ir::Program start = program.program;
        std::shared_ptr<const tensor::Weights> weights = program.weights();
        subjects.push_back({named[stem] > 1 ? options.file : stem,
                            std::shared_ptr<const ir::TermBank>(std::move(program.bank)), start, std::move(weights)});
    }
    return subjects;
}

/// The settings for one strategy: "name=value" applies to every strategy with that parameter, "strategy.name=value" to one.
std::vector<std::string> settingsFor(const search::StrategyInfo& info, const std::vector<std::string>& settings) {
    std::vector<std::string> own;
    for (const std::string& setting : settings) {
        const std::string name = setting.substr(0, setting.find('='));
        const std::size_t dot = name.find('.');
        if (dot != std::string::npos) {
            if (name.substr(0, dot) == info.name) own.push_back(setting.substr(dot + 1));
        } else if (std::ranges::find(info.parameters, name, &ParameterInfo::name) != info.parameters.end()) {
            own.push_back(setting);
        }
    }
    return own;
}

/// Chooses the strategies, with defaults for that dialect.
Status chooseStrategies(const CompareOptions& options, const ir::Dialect& dialect, search::ComparisonPlan& plan) {
    std::vector<std::string> names;
    for (std::string& name : splitList(options.strategies)) addOnce(names, std::move(name));
    if (options.strategies.empty()) {
        for (const auto& strategy : search::rewritingStrategies()) names.push_back(strategy->info().name);
    }
    for (const std::string& name : names) {
        MITOS_TRY(std::shared_ptr<const search::Strategy> strategy, search::findStrategy(name));
        const search::StrategyInfo info = search::fitted(strategy->info(), dialect);
        MITOS_TRY(ParameterValues parameters, parametersOf(info, settingsFor(info, options.set)));
        plan.strategies.push_back({strategy, std::move(parameters)});
    }
    for (const std::string& setting : options.set) {
        const bool used = std::ranges::any_of(plan.strategies, [&](const search::ComparisonPlan::Contestant& c) {
            return !settingsFor(c.strategy->info(), {setting}).empty();
        });
        if (!used) {
            return inputError(fmt::format("--set {}: no strategy chosen has it", setting),
                              "write --set strategy.name=value; see `mitos-cli strategies`");
        }
    }
    if (plan.strategies.empty()) {
        return inputError("--strategies names none", "separate their names by commas; see `mitos-cli strategies`");
    }
    return mitos::Success{};
}

Status chooseBudgets(const CompareOptions& options, search::ComparisonPlan& plan) {
    std::vector<std::uint64_t> numbers;
    for (const std::string& text : splitList(options.evaluations)) {
        const std::uint64_t evaluations = numberFrom<std::uint64_t>(text).value_or(0);
        if (evaluations == 0) {
            return inputError(fmt::format("--evaluations: \"{}\" is not a number above 0", text),
                              "one number, or several separated by commas: 100,300,1000,5000");
        }
        addOnce(numbers, evaluations);
    }
    std::ranges::sort(numbers);
    for (const std::uint64_t evaluations : numbers) plan.budgets.push_back(options.budget(evaluations));
    if (plan.budgets.empty()) plan.budgets.push_back(options.budget(std::nullopt));
    return mitos::Success{};
}

std::vector<search::StrategyInfo> strategiesOf(const search::ComparisonPlan& plan) {
    std::vector<search::StrategyInfo> strategies;
    for (const auto& [strategy, parameters] : plan.strategies) strategies.push_back(fitted(strategy->info(), plan));
    return strategies;
}

Json failuresJson(const std::vector<FailedFile>& failures) {
    Json list = Json::array();
    for (const FailedFile& failure : failures) list.push_back({{"file", failure.file}, {"error", failure.message}});
    return list;
}

/// The exit status for the outcome, as the command-line contract defines it.
int statusOf(const search::Comparison& comparison, const std::vector<FailedFile>& failures) {
    const auto any = [&](const auto& holds) { return std::ranges::any_of(comparison.runs, holds); };
    if (!failures.empty() ||
        any([](const ComparedRun& compared) { return compared.run.state == search::RunState::Failed; })) {
        return ExitStatus::BadInput;
    }
    const bool refuted =
        any([](const ComparedRun& compared) { return compared.done() && compared.run.verdict->isRefuted(); });
    return refuted ? ExitStatus::CheckFailed : ExitStatus::Success;
}

Error wrongTable(const std::string& path) {
    return inputError("--runs " + path + ": what to write is told by the ending of its name",
                      "end it in .csv, .json, .md or .tex");
}

/// Merges files of rows. Fails if other files are among them.
Result<int> runMerge(const CompareOptions& options) {
    if (const auto other = std::ranges::find_if_not(options.files, isRowFile); other != options.files.end()) {
        return inputError(
            fmt::format("{} is no file of rows, and {} is", *other, *std::ranges::find_if(options.files, isRowFile)),
            "merge rows (.jsonl) by themselves, and compare programs by themselves");
    }
    if (!options.strategies.empty() || !options.evaluations.empty() || !options.set.empty() ||
        !options.session.empty()) {
        return inputError("the searches of rows are over, so that nothing can be asked of them",
                          "leave out --strategies, --evaluations, --set and --session");
    }
    if (!options.runs.empty() && !search::tableFormatOf(options.runs)) return wrongTable(options.runs);
    std::vector<NamedFile> inputs;
    for (const std::string& file : options.files) inputs.push_back({"FILE", file});
    MITOS_REQUIRE(requireOutputs(options, {{"-o", options.output}, {"--runs", options.runs}}, std::move(inputs)));
    return mergeRows({options.files, options.title, options.output, options.runs, options.json});
}

Result<int> runCompare(CompareOptions options) {
    if (std::ranges::any_of(options.files, isRowFile)) return runMerge(options);
    if (options.files.empty() && options.expression.empty()) {
        return inputError("no program is named", "name FILEs and folders, or give a program as --expr '(mul x 2.0)'");
    }
    std::vector<FailedFile> failures;
    MITOS_TRY(const std::vector<CommonOptions> files, settleAll(options, failures));
    MITOS_TRY(rules::RuleBook book, openRules(options));
    std::vector<NamedFile> read = filesRead(book);
    for (const CommonOptions& one : files) read.push_back({"FILE", one.file});
    std::vector<NamedFile> outputs{{"-o", options.output}, {"--runs", options.runs}};
    for (NamedFile& file : sessionFiles(options.session)) outputs.push_back(std::move(file));
    const auto format = search::tableFormatOf(options.runs);
    if (!options.runs.empty() && !format) return wrongTable(options.runs);
    MITOS_REQUIRE(requireOutputs(options, outputs, read));
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model, cost::findCostModel(options.cost));
    InterruptGuard interrupt;
    const eval::TrustedRules rules = trustedRules(book, {.insists = options.insist}, interrupt.token());
    search::ComparisonPlan plan{.programs = {},
                                .strategies = {},
                                .budgets = {},
                                .seeds = options.allSeeds(),
                                .rules = rules,
                                .ruleSets = rules::withWholePaths(options.rules),
                                .cost = model,
                                .jobs = options.allJobs(),
                                .comparisonSeconds = options.verify.secondsToCompare(),
                                .abandoned = interrupt.abandoned()};
    std::vector<OpenedFile> opened = openFiles(files, book, failures, read);
    MITOS_REQUIRE(requireOwnFiles(options, outputs, std::move(read)));
    const ir::Dialect& dialect =
        opened.empty() ? *book.registry()->dialects().front() : opened.front().program.dialect();
    MITOS_REQUIRE(chooseStrategies(options, dialect, plan));
    const bool needsRules =
        std::ranges::any_of(plan.strategies, [](const auto& contestant) { return !contestant.strategy->info().needs; });
    if (!opened.empty() && needsRules) MITOS_REQUIRE(requireRules(book, dialect));
    MITOS_REQUIRE(chooseBudgets(options, plan));
    if (opened.empty()) {  // each failure has been reported
        if (options.json)
            print(Json{{"error", {{"message", "no program could be opened"}}}, {"failures", failuresJson(failures)}});
        return ExitStatus::BadInput;
    }
    MITOS_TRY(const CompareSessions sessions, beginSessions(options, opened, *plan.cost));
    plan.record = [&sessions](std::size_t program) { return sessions.recordingOf(program); };
    plan.programs = subjectsOf(std::move(opened));

    const ProgressLine progress(!options.quiet && !options.json);
    const std::size_t total = plan.programs.size() * plan.strategies.size() * plan.budgets.size() * plan.seeds.size();
    std::size_t done = 0;
    const Result<search::Comparison> comparison =
        search::compare(plan, interrupt.token(), [&](const ComparedRun& compared) {
            progress.show(fmt::format("{:>6} of {} searches  {}: {} {:.6g}", ++done, total,
                                      plan.programs[compared.program].name, compared.run.strategy,
                                      compared.run.bestCost));
        });
    progress.clear();
    interrupt.endWork();
    if (!comparison) return comparison.error();

    search::ReportFacts facts{.title = options.title,
                              .unit = plan.cost->info().unit,
                              .strategies = strategiesOf(plan),
                              .environment = environmentOf(options.rules, options.cost, *comparison, plan.jobs),
                              .failures = {}};
    for (const FailedFile& failure : failures) facts.failures.emplace_back(failure.file, failure.message);
    if (options.json) {
        Json json = comparisonJson(*comparison, facts);
        addTrust(json, rules);
        print(json);
    } else {
        printComparison(*comparison, failures);
    }
    const std::vector<search::TableRun> runs = search::tableRunsOf(*comparison);
    if (!options.output.empty()) {  // after printing, so that results are not lost if the disk is full
        const bool isTable = options.output.ends_with(".md");
        const std::string text = isTable ? markdownTable(*comparison) : search::htmlReport(runs, facts, book);
        if (const Status written = writeFile(options.output, text); !written) return fail(written.error(), false);
    }
    if (format) {
        const std::string table = writeTable(groupedRuns(runs), *format, facts.unit, facts.strategies);
        if (const Status written = writeFile(options.runs, table); !written) return fail(written.error(), false);
    }
    for (const ComparedRun& compared : comparison->runs) {
        if (compared.recordError) return fail(*compared.recordError, false);
    }
    return statusOf(*comparison, failures);
}

}  // namespace

void addCompareCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command =
        app.add_subcommand("compare", "search programs with several strategies and seeds; Ctrl-C keeps what there is");
    auto options = std::make_shared<CompareOptions>();
    CLI::Option* const files = command->add_option(
        "FILE", options->files,
        "programs and models of one dialect, and folders of them; or rows of a sweep (.jsonl), which are merged");
    options->addExpression(*command, *files);
    options->addJson(*command);
    options->addRules(*command);
    options->addCost(*command);
    command->add_option("--strategies", options->strategies, "their names, separated by commas (default: all)");
    command->add_option("--evaluations", options->evaluations,
                        "budgets, separated by commas, each searched by itself: 100,300,1000,5000");
    options->addSearch(*command);
    command->add_option("--set", options->set,
                        "strategy.name=value, or name=value for every strategy that has it; may be repeated");
    command->add_option("-o,--output", options->output,
                        "write an HTML report there, or, if it ends in .md, a table of programs and strategies");
    command->add_option("--runs", options->runs,
                        "write the runs there: .csv and .json have a row for each, .md and .tex one for all seeds");
    command->add_option("--session", options->session,
                        "keep the runs in that session file, and those of further programs in files beside it");
    options->verify.addSeconds(*command);
    command->add_option("--title", options->title, "of the report")->capture_default_str();
    command->callback([options, choose] { choose([options] { return runCompare(*options); }); });
}

}  // namespace mitos::cli
