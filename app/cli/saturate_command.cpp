// SPDX-License-Identifier: GPL-3.0-or-later
// `saturate`: grows an e-graph from start terms, reports each iteration, and extracts the smallest term for each start term. With goals,
// it ends when they are equal to start terms, and writes the threads that lead to them.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/saturate_output.h"
#include "app/cli/search_options.h"
#include "app/cli/verification.h"
#include "core/egraph/json.h"
#include "core/egraph/take_snapshot.h"
#include "core/extract/recorded.h"
#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/rewrite/start_term.h"
#include "search/saturation/not_equal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace mitos::cli {

namespace {

/// The default limits of a run: it ends within a minute and does not exhaust the memory.
constexpr std::uint64_t UsualNodes = 1'000'000;
constexpr double UsualSeconds = 60.0;

struct SaturateOptions : CommonOptions {
    std::vector<std::string> terms;
    std::vector<std::string> goals;
    std::optional<std::uint32_t> iterations;
    std::optional<std::uint64_t> nodes;
    std::optional<double> seconds;
    std::uint64_t memoryMiB = 4096;
    search::GuideSettings guide;  ///< of the scheduler mcts
    search::SaturationPlan plan;  ///< cycles, roots, limits and method are settled with the kind of the programs
    std::string cycles;           ///< empty: as usual for the kind of the programs
    std::string method;           ///< empty: as usual for the kind of the programs
    std::string threads;
    std::string output;
    bool withoutReasons = false;
    bool followsCost = false;  ///< the user named a model, so costs and gains of each iteration are shown
    bool quiet = false;
    bool insist = false;
    VerifyFlags verify;
};

/// The program of FILE and the terms of --term, in the same bank.
Result<std::vector<ir::Program>> openStarts(const SaturateOptions& options, ir::TermBank& bank,
                                            const std::optional<OpenProgram>& file) {
    std::vector<ir::Program> starts;
    if (file) starts.push_back(file->program);
    for (std::size_t i = 0; i < options.terms.size(); ++i) {
        const std::string name = fmt::format("--term number {}", i + 1);
        MITOS_TRY(const ir::Program program, rewrite::readStartTerm(bank, name, options.terms[i]));
        starts.push_back(program);
    }
    if (starts.empty()) {
        return inputError("there is nothing to saturate", "give a start term, --term 'f(a(), b())', or --program FILE");
    }
    return starts;
}

/// The terms of --goal. Fails if a goal mentions a variable that no start has.
Result<std::vector<ir::Program>> openGoals(const SaturateOptions& options, ir::TermBank& bank,
                                           const std::vector<ir::Program>& starts) {
    std::vector<ir::Program> goals;
    const bool isGraph = bank.dialect(starts.front().function).sharesNodes();
    for (std::size_t i = 0; i < options.goals.size(); ++i) {
        const std::string name = fmt::format("--goal number {}", i + 1);
        MITOS_TRY(const ir::Program goal,
                  isGraph ? rewrite::readProgramLike(bank, name, options.goals[i], bank, starts.front())
                          : rewrite::readStartTerm(bank, name, options.goals[i]));
        const auto isReachable = [&](const ir::Program& start) { return search::hasVariablesOf(bank, start, goal); };
        if (std::ranges::none_of(starts, isReachable)) {
            return inputError(fmt::format("{}: no start term has all variables of {}", name, options.goals[i]),
                              "a proof from a start term to the goal cannot introduce variables");
        }
        goals.push_back(goal);
    }
    return goals;
}

std::uint64_t sizeOf(ir::TermBank& bank, const ir::Program& program) {
    return ir::sizeOf(bank, program.root, bank.function(program.function).sharing);
}

/// The results of the run for each start term.
std::vector<Smallest> resultsOf(search::SaturationRun& run) {
    ir::TermBank& bank = *run.bank();
    std::vector<Smallest> results;
    for (std::size_t i = 0; i < run.starts().size(); ++i) {
        const extract::CheckedExtraction::Found& best = run.best(i);
        Smallest& result = results.emplace_back();
        result.term = best.term;
        result.size = sizeOf(bank, {run.starts()[i].function, best.term});
        result.cost = best.cost;
        if (run.plan().keepsReasons) {
            result.check = rewrite::check(bank, best.thread);
            result.check.valid = result.check.valid && best.thread.end().root == best.term;
            result.thread = best.thread;
            result.costs = run.costsOfBest(i);
        }
        result.refused = run.extraction().refused(i);
    }
    return results;
}

/// Judges the results. If the values at the end of a thread differ, its best part with equal values becomes the result, unless the
/// user insists.
void judgeEach(const SaturateOptions& options, ir::TermBank& bank, const std::vector<ir::Program>& starts,
               std::vector<Smallest>& results, const rewrite::JudgeOptions& judging) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        Smallest& result = results[i];
        const ir::Program& start = starts[i];
        if (!result.thread) {
            result.verdict = rewrite::judgeWithoutThread(bank, start, {start.function, result.term},
                                                         "reasons are not kept (--no-reasons)", judging);
            continue;
        }
        rewrite::Judged judged = rewrite::judgeParts(bank, *result.thread, result.costs, result.check, judging);
        if (judged.refused && options.insist) {
            result.verdict = *std::move(judged.refused);
            continue;
        }
        result.verdict = std::move(judged.verdict);
        if (!judged.refused) continue;
        result.different = std::move(judged.refused);
        result.thread = std::move(judged.thread);
        result.costs = std::move(judged.costs);
        result.term = result.thread->end().root;
        result.size = sizeOf(bank, result.thread->end());
        result.cost = result.costs.back();
    }
}

/// Why a goal is not equal to the first start that has all of its variables. `leftOut` are rules that were not applied.
std::string whyNotReached(search::SaturationRun& run, const search::SaturationRun::Goal& goal,
                          const eval::EquivalenceOptions& comparing, const std::vector<std::string>& leftOut) {
    const std::vector<ir::Program>& starts = run.starts();
    const auto start = std::ranges::find_if(
        starts, [&](const ir::Program& each) { return search::hasVariablesOf(*run.bank(), each, goal.program); });
    if (start == starts.end()) return {};
    const auto number = static_cast<std::size_t>(start - starts.begin());
    Result<search::NotEqual> why = search::whyNotEqual(run, run.root(number), goal.node, comparing, number);
    if (!why) return {};
    why->leftOut = leftOut;
    why->remedy = "add --insist";
    return starts.size() == 1 ? why->toString()
                              : fmt::format("Compared with {}: {}", textOf(*run.bank(), *start), why->toString());
}

/// The goals with the threads that lead to them, or with the reason why none does. Extends the graph by the terms of these threads.
std::vector<Reached> reachedGoals(search::SaturationRun& run, const eval::EquivalenceOptions& comparing,
                                  const eval::TrustedRules& trusted) {
    const std::vector<std::string> leftOut = trusted.leftOut();
    std::vector<Reached> all;
    for (const search::SaturationRun::Goal& goal : run.goals()) {
        Reached& reached = all.emplace_back(Reached{goal, {}, "the goal was not found"});
        if (!goal.start) {
            reached.reason = whyNotReached(run, goal, comparing, leftOut);
            reached.leftOut = leftOut;
            continue;
        }
        if (!run.plan().keepsReasons) {
            reached.threadNote = "reasons are not kept (--no-reasons)";
            continue;
        }
        Result<rewrite::Thread> thread = run.threadTo(goal);
        if (thread) {
            reached.costs = run.costsOf(thread->start, *thread);
            reached.thread = *std::move(thread);
        } else {
            reached.threadNote = thread.error().message;
        }
    }
    return all;
}

void judgeGoals(ir::TermBank& bank, const std::vector<ir::Program>& starts, std::vector<Reached>& goals,
                const rewrite::JudgeOptions& judging) {
    for (Reached& reached : goals) {
        if (!reached.goal.start) continue;
        const ir::Program& start = starts[*reached.goal.start];
        const ir::Program end{start.function, reached.goal.program.root};
        if (!reached.thread) {
            reached.verdict = rewrite::judgeWithoutThread(bank, start, end, reached.threadNote, judging);
            continue;
        }
        rewrite::ThreadReport check = rewrite::check(bank, *reached.thread);
        check.valid = check.valid && reached.thread->end().root == end.root;
        reached.verdict = rewrite::judge(bank, *reached.thread, check, judging);
    }
}

/// Whether the goal was found and nothing speaks against its proof. A run without reasons cannot prove anything.
bool isReached(const Reached& reached, bool keepsReasons) {
    if (!reached.goal.start) return false;
    return keepsReasons ? !reached.verdict.isRefuted() : reached.verdict.values != rewrite::Values::Different;
}

/// The graph for the output file, and the nodes of the results.
struct Grown {
    egraph::Snapshot graph;
    egraph::NodeChoice choice;
};

Grown grownGraph(search::SaturationRun& run) {
    std::vector<egraph::ENodeId> roots;
    std::vector<ir::TermId> results;
    for (std::size_t i = 0; i < run.starts().size(); ++i) {
        roots.push_back(run.root(i));
        results.push_back(run.best(i).term);
    }
    run.extraction().update([] { return true; });
    Grown grown;
    grown.graph = egraph::takeSnapshot(run.graph(), roots,
                                       [&](egraph::ENodeId node) { return run.extraction().pricing().price(node); });
    grown.choice = egraph::nodesOf(run.graph(), grown.graph, results);
    return grown;
}

/// Writes the graph. It records the results as its extraction, unless one was rejected or they have two nodes of one class.
Status writeGrown(const SaturateOptions& options, Grown grown, const std::vector<Smallest>& results) {
    if (std::ranges::none_of(results, [](const Smallest& result) { return result.different.has_value(); })) {
        egraph::Snapshot recorded = grown.graph;
        extract::record(recorded, grown.choice);
        if (extract::recordedChoice(recorded)) grown.graph = std::move(recorded);
    }
    return writeFile(options.output, egraph::writeJson(grown.graph));
}

/// The file for the thread of one of several start terms; empty if threads are not written.
std::string threadPath(const SaturateOptions& options, std::size_t number, std::size_t count) {
    if (options.threads.empty() || count == 1) return options.threads;
    return fmt::format("{}.{}", options.threads, number + 1);
}

/// Writes the threads of the results, which are those to the goals if there are goals.
template <typename Results>
Status writeThreads(const SaturateOptions& options, ir::TermBank& bank, const Results& results) {
    if (options.threads.empty()) return mitos::Success{};
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].thread || !mayBeWritten(results[i].verdict, options.insist)) continue;
        const Status written = writeFile(threadPath(options, i, results.size()),
                                         rewrite::writeThread(bank, *results[i].thread, results[i].costs, options.cost,
                                                              "verdict: " + results[i].verdict.toString()));
        if (!written) return written;
    }
    return mitos::Success{};
}

/// The limits that the user set. E-nodes are limited in any case; the default time limit applies only if the user set no limit.
egraph::Limits limitsOf(const SaturateOptions& options) {
    const bool isAsked = options.iterations || options.nodes || options.seconds;
    return {.iterations = options.iterations,
            .nodes = options.nodes.value_or(UsualNodes),
            .seconds = isAsked ? options.seconds : UsualSeconds,
            .memoryBytes = options.memoryMiB << 20U};
}

/// Settles what depends on the dialect of the programs: the cost model, cycles, extraction. Bare terms are not priced as they grow, unless
/// the user named a model.
Result<std::shared_ptr<const cost::CostModel>> settleKind(SaturateOptions& options, const ir::Dialect& dialect,
                                                          const ir::OperatorRegistry& registry) {
    const search::SaturationPlan usual = search::usualPlan(dialect);
    search::SaturationPlan& plan = options.plan;
    plan.growth.cycles = usual.growth.cycles;
    plan.growth.roots = usual.growth.roots;
    if (!options.cycles.empty()) {
        MITOS_TRY(plan.growth.cycles, egraph::cycleFilter(options.cycles));
    }
    plan.growth.limits = limitsOf(options);
    plan.budget.seconds = options.seconds;
    plan.method = options.method.empty() ? usual.method : options.method;
    if (plan.growth.scheduler == "mcts") plan.guide = options.guide;
    plan.keepsReasons = !options.withoutReasons;
    plan.pricesIterations = options.followsCost || !options.file.empty();
    plan.recordsGains = options.followsCost;
    if (!options.followsCost) options.cost = options.costWith(dialect.sharesNodes() ? dialect.defaultCost : "size");
    options.cost = settledCost(options.cost);
    return openCostModel(options, registry, dialect.name);
}

std::vector<NamedFile> outputsOf(const SaturateOptions& options) {
    std::vector<NamedFile> outputs{{"-o", options.output}};
    const std::size_t starts = options.terms.size() + (options.file.empty() ? 0 : 1);
    const std::size_t count = options.goals.empty() ? starts : options.goals.size();
    for (std::size_t i = 0; i < count; ++i) outputs.push_back({"--thread", threadPath(options, i, count)});
    return outputs;
}

/// Prints a line of the table for each iteration.
class IterationTable final : public search::SaturationRun::Follower {
public:
    explicit IterationTable(const SaturateOptions& options)
        : m_isShown(!options.json && !options.quiet),
          m_followsCost(options.followsCost) {
        if (!m_isShown) return;
        fmt::print("limits: {}\n", limitsText(options.plan.growth.limits));
        printHead(m_followsCost);
    }

    void onRestart(search::SaturationRun& run) override {
        if (m_isShown) fmt::print("starting again without {}:\n", run.report().leftOut.back().rule);
    }
    void onIteration(search::SaturationRun& run) override {
        if (m_isShown) printIteration(run.report(), m_followsCost);
    }

private:
    bool m_isShown;
    bool m_followsCost;
};

Result<int> runSaturate(SaturateOptions& options) {
    if (!options.file.empty()) MITOS_REQUIRE(options.settle());
    const Status known = options.method.empty() ? Status(mitos::Success{}) : extract::requireMethod(options.method);
    if (!known) return known.error();
    MITOS_TRY(const rules::RuleBook book, openRules(options));
    std::optional<OpenProgram> file;
    if (!options.file.empty()) {
        MITOS_TRY(file, openProgram(options, book));
        MITOS_REQUIRE(requireRules(book, file->dialect()));
    }
    const Status fit =
        requireOutputs(options, outputsOf(options), filesRead(book, file ? file->read.model.get() : nullptr));
    if (!fit) return fit.error();
    InterruptGuard interrupt;
    const eval::TrustedRules trusted =
        trustedRules(book, {.insists = options.insist, .appliesDefinitions = options.file.empty()}, interrupt.token());
    MITOS_TRY(const auto rules, egraph::prepareRules(trusted.directions));
    const std::unique_ptr<ir::TermBank> own = file ? nullptr : std::make_unique<ir::TermBank>(book.registry());
    ir::TermBank& opened = file ? *file->bank : *own;
    MITOS_TRY(const std::vector<ir::Program> programs, openStarts(options, opened, file));
    MITOS_TRY(const std::vector<ir::Program> aims, openGoals(options, opened, programs));
    MITOS_TRY(const auto model, settleKind(options, opened.dialect(programs.front().function), opened.registry()));

    const std::uint64_t memory = *options.plan.growth.limits.memoryBytes;
    search::SaturationPlan plan = options.plan;
    plan.growth.limits.memoryBytes = memory - std::min(reservedMemory(memory), memory / 2);
    const auto begun = std::chrono::steady_clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
    std::optional<search::SaturationRun> run(std::in_place, opened, programs, model, std::move(plan), aims);
    IterationTable table(options);
    MITOS_REQUIRE(run->run(rules, interrupt.token(), table));
    std::vector<Smallest> results = resultsOf(*run);
    Grown grown;
    if (!options.output.empty()) grown = grownGraph(*run);
    eval::EquivalenceOptions comparing{.seconds = search::LongestComparison,
                                       .weights = file ? file->weights() : nullptr};
    comparing.limits.stop = interrupt.token();
    std::vector<Reached> goals = reachedGoals(*run, comparing, trusted);
    const std::string note = run->extraction().note();
    const egraph::SaturationReport report = run->report();
    const std::shared_ptr<ir::TermBank> kept = run->bank();
    const std::vector<ir::Program> starts = run->starts();
    ir::TermBank& bank = *kept;
    // Comparing values needs further memory, but only the programs, so the rest is freed first.
    run.reset();
    search::Judging how = options.verify.judging(file ? file->weights() : nullptr, trusted, memory);
    how.abandoned = interrupt.abandoned();
    how.limitTo(options.seconds, spent());
    const rewrite::JudgeOptions judging = how.options(1, interrupt.token());
    judgeEach(options, bank, starts, results, judging);
    judgeGoals(bank, starts, goals, judging);
    interrupt.endWork();
    const bool areReached =
        std::ranges::all_of(goals, [&](const Reached& reached) { return isReached(reached, !options.withoutReasons); });
    const bool isRight = std::ranges::none_of(results, [&](const Smallest& result) {
        const bool isWrong =
            result.thread ? result.verdict.isRefuted() : result.verdict.values == rewrite::Values::Different;
        return isWrong || result.different;
    });
    if (options.json) {
        Json json = resultsJson(options.plan, options.followsCost, bank, starts, results, report);
        json["cost_model"] = model->info().name;
        if (!goals.empty()) json["goals"] = goalsJson(bank, starts, goals);
        if (!note.empty()) json["extraction_note"] = note;
        addTrust(json, trusted);
        print(json);
    } else {
        printResults(options.cost, bank, starts, results, report, note);
        for (const Reached& reached : goals) printGoal(bank, starts, reached);
    }
    // Files are written last, so that the results are printed even if writing fails.
    Status written = mitos::Success{};
    if (!options.output.empty()) written = writeGrown(options, std::move(grown), results);
    if (written && goals.empty()) written = writeThreads(options, bank, results);
    if (written && !goals.empty()) written = writeThreads(options, bank, goals);
    if (!written) return fail(written.error(), false);
    return isRight && areReached && report.stop != egraph::StopReason::Contradiction ? Success : CheckFailed;
}

}  // namespace

void addSaturateCommand(CLI::App& app, const Choose& choose) {
    auto options = std::make_shared<SaturateOptions>();
    CLI::App& command = *app.add_subcommand(
        "saturate", "Grow an e-graph from start terms with all rules at once, and extract the smallest terms");
    options->addJson(command);
    options->addRules(command);
    command
        .add_option("--term", options->terms, "Start term, as in rules, f(a(), x * 2), or in ks, (f (a) (mul x 2.0))")
        ->type_name("TERM");
    command
        .add_option("--goal", options->goals,
                    "Stop when this term is equal to a start term; it joins the e-graph, so that rules apply to it as "
                    "well. May be repeated: then all goals are sought. The status is 1 if one was not found")
        ->type_name("TERM");
    command.add_option("FILE,--program", options->file, "A file whose program is a start term: .ks, .onnx, a listing")
        ->type_name("FILE");
    command.add_option("--function", options->function, "The program of the file (default: the last one)");
    command.add_option("--iterations", options->iterations, "Stop after N iterations")->type_name("N");
    command.add_option("--nodes", options->nodes, "Never more than N e-nodes (default: 1000000)")
        ->type_name("N")
        ->check(wholeNumber(1));
    command
        .add_option("--seconds", options->seconds,
                    "End after N seconds, extraction included (default: growth stops after 60 if no limit is given)")
        ->type_name("N")
        ->check(positiveNumber());
    command
        .add_option("--memory", options->memoryMiB,
                    "Stop at N MiB, held by the e-graph and by the process besides (default: 4096)")
        ->type_name("N");
    command.add_option(
        "--scheduler", options->plan.growth.scheduler,
        "simple, backoff, sequential, or mcts: tree search chooses one rule for each iteration (default: "
        "simple)");
    command
        .add_option("--search-budget", options->guide.budget,
                    "mcts: iterations of the tree search before each rule (default: 128)")
        ->check(wholeNumber(1));
    command.add_option("--seed", options->plan.seed, "mcts: seed of the tree search (default: 1)");
    command.add_option("--match-limit", options->plan.growth.schedulerOptions.matchLimit,
                       "backoff: matches a rule may have before it is banned (default: 1000)");
    command.add_option("--ban-length", options->plan.growth.schedulerOptions.banLength,
                       "backoff: iterations of the first ban (default: 5)");
    command.add_option("--multi-iterations", options->plan.growth.schedulerOptions.multiIterations,
                       "sequential: iterations in which rules with several roots take part (default: 1)");
    command.add_option(
        "--cycles", options->cycles,
        "none, vanilla or efficient: what is done about cycles (default: efficient for tensor programs)");
    options->cost = "size";
    options->addCost(command);
    command.add_option(
        "--method", options->method,
        "Extraction method, as in `mitos-cli extract` (default: best for tensor programs, tree for others)");
    command
        .add_option("--extraction-seconds", options->plan.extractionSeconds, "Time for each extraction (default: 10)")
        ->check(positiveNumber());
    command
        .add_option("--thread", options->threads,
                    "Write the thread from start term to smallest term, or with --goal to the goal; several: FILE.1, …")
        ->type_name("FILE");
    command
        .add_option("-o,--output", options->output,
                    "Write the e-graph as egraph-serialize JSON, with the results as its extraction")
        ->type_name("FILE");
    command.add_flag("--no-reasons", options->withoutReasons, "Keep no reasons: less memory, no threads")
        ->excludes("--thread");
    addInsist(command, options->insist);
    options->verify.addSeconds(command);
    command.add_flag("--quiet", options->quiet, "Print the result only");
    command.callback([options, choose, &command] {
        options->followsCost = command.count("--cost") > 0;
        choose([options] { return runSaturate(*options); });
    });
}

}  // namespace mitos::cli
