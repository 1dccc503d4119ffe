// SPDX-License-Identifier: GPL-3.0-or-later
// optimize: runs a search, checks its result and stores it.
#include "app/cli/commands.h"
#include "app/cli/model_output.h"
#include "app/cli/paying_steps.h"
#include "app/cli/search_options.h"
#include "app/cli/session_log.h"
#include "app/cli/timing.h"
#include "app/cli/verification.h"
#include "core/codegen/cpp.h"
#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/rewrite/thread_parts.h"
#include "core/tensor/operator.h"
#include "search/compare/comparison.h"
#include "search/parallel.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

namespace mitos::cli {

namespace {

struct OptimizeOptions : SearchOptions {
    std::string strategy = ks::dialect().defaultStrategy;
    bool isStrategyGiven = false;  ///< otherwise that of the program's dialect
    std::optional<std::uint64_t> evaluations;
    std::string thread;
    std::string session;
    VerifyFlags verify;
    ModelOutput modelOutput;
    bool isTimed = false;
    TimingFlags timing;
    std::size_t measurements = 16;  ///< of parts of a result that is not faster
};

/// How results are judged, and whether the search was stopped.
struct Judge {
    search::Judging how;
    std::stop_token stop;

    [[nodiscard]] search::JudgedRun operator()(const search::Run& run, search::SearchResult result) const {
        return search::judged(run, std::move(result), how, stop);
    }
};

/// The start in place of a result that takes longer.
search::JudgedRun startInsteadOf(const search::JudgedRun& slower, const Judge& judge) {
    search::SearchResult start = *slower.result;
    start.thread.steps.clear();
    start.thread.states.clear();
    start.costs.assign(1, start.initialCost);
    start.bestCost = start.initialCost;
    start.check = rewrite::check(*start.bank, start.thread);
    return judge(slower.run, std::move(start));
}

bool hasResult(const search::Run& run) { return run.verdict.has_value(); }

/// Observes the searches of all seeds, and keeps the best result.
class Searches final : public search::TaskObserver {
public:
    Searches(const OptimizeOptions& options, const std::vector<search::SearchTask>& tasks)
        : m_progress(!options.quiet && !options.json) {
        for (const search::SearchTask& task : tasks) m_runs.push_back(task.run);
    }

    void onEvent(std::size_t /*task*/, const search::SearchEvent& event) override {
        const std::scoped_lock lock(m_mutex);
        if (!m_known || event.best < m_least) m_least = event.best;
        m_known = true;
        m_progress.show(progressText(event, m_least) +
                        (m_runs.size() > 1 ? fmt::format("  {} seeds", m_runs.size()) : ""));
    }

    void onResult(std::size_t task, search::JudgedRun over) override {
        const std::scoped_lock lock(m_mutex);
        note(over.recordError);
        m_runs[task] = over.run;
        if (over.error && !m_failure) m_failure = over.error;
        if (!over.result) return;
        const auto order = [](const search::Run& run) {
            return std::tuple(run.bestCost, run.verdict->steps, run.number);
        };
        if (!m_best || order(over.run) < order(m_best->run)) m_best = std::move(over);
    }

    /// Called after the searches: adds the best thread to the history of the session.
    void close(OpenProgram& program, SessionLog* log) {
        m_progress.clear();
        if (log == nullptr || !m_best) return;
        const Status added = log->addThread(program, search::originOf(m_best->run), *m_best->result);
        if (!added) note(added.error());
    }

    [[nodiscard]] const std::optional<search::JudgedRun>& best() const { return m_best; }
    [[nodiscard]] const std::vector<search::Run>& runs() const { return m_runs; }  ///< one for each seed
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }
    /// The first error of writing to the session.
    [[nodiscard]] const std::optional<Error>& sessionError() const { return m_sessionError; }

private:
    void note(const std::optional<Error>& error) {
        if (!m_sessionError) m_sessionError = error;
    }

    ProgressLine m_progress;
    std::vector<search::Run> m_runs;
    std::mutex m_mutex;
    bool m_known = false;
    double m_least = 0.0;
    std::optional<search::JudgedRun> m_best;
    std::optional<Error> m_failure;
    std::optional<Error> m_sessionError;
};

bool isCpp(const std::string& path) { return path.ends_with(".cpp") || path.ends_with(".h"); }

/// Checks the output before the search. Fails if its format cannot represent the program, or if flags for models are given for
/// another format.
Status requireFitting(const std::string& output, const OpenProgram& open, const ModelOutput& how, bool isTimed) {
    const auto refused = [&](const std::string& why, const char* hint) {
        return Error{ErrorCode::Unsupported, fmt::format("{}: {}", output, why), std::nullopt, hint};
    };
    MITOS_TRY(const bool isModelFile, isModelOutput(output));
    const bool isModel = isModelFile;
    if (!isModel && (how.opset || (how.asksToCompare() && !isTimed))) {
        return inputError("--opset, --compare-file and --onnxruntime are for models", "write one: -o FILE.onnx");
    }
    if (isCpp(output) && !open.dialect().canExport("cpp")) {
        return refused(open.dialect().name + " programs have no C++ form", "name a file that ends in .onnx");
    }
    if (isModel && !open.dialect().canExport("onnx"))
        return refused("only tensor programs are ONNX models", "name a .ks or a .cpp file");
    if (isModel && !open.read.model && hasWeights(open)) {
        return refused("a listing has no numbers for its weights, and a model needs them",
                       "begin with the model itself, or write a listing: name a file that ends in .txt");
    }
    if (isModel && open.read.model) return onnx::checkExportable(*open.read.model, how.opset);
    return mitos::Success{};
}

/// How long weights may be computed while a model is written; 0: no limit. Like comparing values, that is part of --seconds.
double secondsToFold(const OptimizeOptions& options, const search::Judging& comparing, const std::stop_token& stop) {
    constexpr double SecondsAfterStop = 10.0;
    const double seconds = options.seconds ? comparing.seconds : 0.0;
    if (!stop.stop_requested()) return seconds;
    return seconds > 0.0 ? std::min(seconds, SecondsAfterStop) : SecondsAfterStop;
}

/// Writes the thread and the best program, if requested. Returns false if a model was not written, ONNX's checks reject it, or a
/// comparison did not find it equal; otherwise true. `comparison` receives the result of comparing the files.
Result<bool> writeResults(const OptimizeOptions& options, const OpenProgram& open, const search::JudgedRun& best,
                          const Judge& judge, std::optional<onnx::FileComparison>& comparison) {
    const search::SearchResult& result = *best.result;
    const std::string& threadText = best.run.thread;
    const bool isAsked = !options.thread.empty() || !options.output.empty();
    if (isAsked && !mayBeWritten(*best.run.verdict, options.insist)) return true;
    if (!options.thread.empty()) MITOS_REQUIRE(writeFile(options.thread, threadText));
    if (options.output.empty()) return true;
    if (isCpp(options.output)) {
        MITOS_TRY(
            std::string cpp,
            codegen::emitCpp(*result.bank, result.thread.end(),
                             {.functionName = {},
                              .testMain = false,
                              .comment = threadText,
                              .nameSpace = codegen::nameSpaceFor(*result.bank, result.thread.end(), options.output)}));
        const Status written = writeFile(options.output, cpp);
        return written ? Result<bool>(true) : written.error();
    }
    if (const Result<bool> isModel = isModelOutput(options.output); !isModel || !*isModel) {
        return writeProgram(open, *result.bank, result.thread.end(), threadText, options.output);
    }
    ModelOutput how = options.modelOutput;
    search::Judging comparing = judge.how;
    comparing.limitTo(options.seconds, result.statistics.seconds);
    how.seconds = comparing.seconds;
    how.insist = options.insist;
    how.stop = judge.stop;
    how.foldingStop = judge.how.abandoned;
    how.foldingSeconds = secondsToFold(options, comparing, judge.stop);
    const WrittenProgram program{open, *result.bank, result.thread.end(), threadText};
    // After a stop the best so far is written without a comparison.
    const auto withoutComparison = [&] {
        how.isCompared = false;
        how.python.clear();
        return writeComparedModel(how, options, program, options.output);
    };
    Result<onnx::ComparedExport> outcome =
        judge.stop.stop_requested() ? withoutComparison() : writeComparedModel(how, options, program, options.output);
    if (!outcome && outcome.error().code == ErrorCode::Cancelled) outcome = withoutComparison();
    if (!outcome) return std::move(outcome).error();
    comparison = outcome->comparison;
    return outcome->isFine();
}

bool isOverGraph(const search::SearchResult& result) {
    return result.bank->dialect(result.thread.start.function).sharesNodes();
}

/// Prints the steps, one a line. Over a graph, where searches take a step in each copy of a block, consecutive steps of one name are one
/// line, with the cost after the last of them.
void printSteps(const search::SearchResult& result) {
    constexpr std::size_t StepWidth = 4;
    constexpr std::size_t RangeWidth = 6;
    const rewrite::Thread& thread = result.thread;
    std::vector<rewrite::StepRun> lines;
    if (isOverGraph(result)) {
        lines = rewrite::stepRuns(thread);
    } else {
        for (std::size_t i = 0; i < thread.steps.size(); ++i) lines.push_back({i, 1});
    }
    const std::size_t longest = 2 * std::to_string(thread.steps.size()).size() + 1;
    const std::size_t width = lines.size() < thread.steps.size() ? std::max(RangeWidth, longest) : StepWidth;
    for (const auto& [first, count] : lines) {
        const rewrite::Step& step = thread.steps[first];
        const std::size_t last = first + count;  // as a number from 1
        const double cost = last < result.costs.size() ? result.costs[last] : 0.0;
        if (count > 1) {
            fmt::print("{:>{}}. {:<43} cost {:.6g}\n", fmt::format("{}-{}", first + 1, last), width,
                       fmt::format("{} × {}", step.name(), count), cost);
            continue;
        }
        const ir::TermId before = first == 0 ? thread.start.root : thread.states[first - 1];
        const std::string place = shortPlace(*result.bank, {thread.start.function, before}, step);
        fmt::print("{:>{}}. {:<26} {:<16} cost {:.6g}\n", last, width, step.name(), place, cost);
    }
}

/// Prints what was done, in groups of steps: repeated blocks of a network are one line.
void printParts(const search::SearchResult& result) {
    constexpr std::size_t Shown = 12;
    if (result.thread.steps.empty() || !isOverGraph(result)) return;
    std::vector<rewrite::ThreadPart> parts = rewrite::partsOf(*result.bank, result.thread);
    std::ranges::stable_sort(parts, std::ranges::greater{},
                             [](const rewrite::ThreadPart& part) { return part.steps.size(); });
    for (std::size_t i = 0; i < std::min(Shown, parts.size()); ++i) {
        fmt::print("{:>5} × {}\n", parts[i].places, parts[i].kind);
    }
    if (parts.size() > Shown)
        fmt::print("        and {} other groups of steps (--thread FILE has all)\n", parts.size() - Shown);
}

/// Prints the summary, without steps and program if the program is written to a file.
void printSummary(const search::JudgedRun& best, const std::string& program, const OptimizeOptions& options) {
    const search::SearchResult& result = *best.result;
    const bool showsProgram = options.output.empty();
    if (showsProgram) {
        printSteps(result);
        fmt::print("\n{}\n\n", program);
    }
    fmt::print("cost {:.6g} -> {:.6g} ({})  in {} step{}\n", result.initialCost, result.bestCost, options.cost,
               result.thread.steps.size(), result.thread.steps.size() == 1 ? "" : "s");
    if (!best.run.outcomeKind.empty()) fmt::print("{}: {}\n", best.run.outcomeKind, best.run.outcomeSummary);
    const std::string part = result.statistics.part.empty() ? "" : ", found by " + result.statistics.part;
    fmt::print("{} evaluations, {} states, {:.2f} s, stopped by: {}, seed {}{}\n", result.statistics.evaluations,
               result.statistics.states, result.statistics.seconds, search::toString(result.reason), best.run.seed,
               part);
    printResultVerdict(*best.run.verdict);
    if (!showsProgram) printParts(result);
}

Json seedsJson(const Searches& searches) {
    Json list = Json::array();
    for (const search::Run& run : searches.runs()) {
        if (!hasResult(run)) continue;
        list.push_back({{"seed", run.seed},
                        {"best_cost", run.bestCost},
                        {"evaluations", run.statistics.evaluations},
                        {"states", run.statistics.states},
                        {"seconds", run.statistics.seconds},
                        {"stop", run.stop},
                        {"thread_length", run.verdict->steps},
                        {"thread_checked", run.verdict->isThreadChecked},
                        {"verdict", verdictJson(*run.verdict)}});
    }
    return list;
}

void printSeeds(const Searches& searches) {
    fmt::print("\n{:>8} {:>14} {:>7} {:>12} {:>9}  {}\n", "seed", "best", "steps", "evaluations", "seconds", "stop");
    for (const search::Run& run : searches.runs()) {
        if (!hasResult(run)) {
            fmt::print("{:>8} {:>14}\n", run.seed, "not run");
            continue;
        }
        fmt::print("{:>8} {:>14.6g} {:>7} {:>12} {:>9.2f}  {}\n", run.seed, run.bestCost, run.verdict->steps,
                   run.statistics.evaluations, run.statistics.seconds, run.stop);
    }
}

Json resultJson(const OptimizeOptions& options, const search::JudgedRun& best, const std::string& program,
                const Searches& searches) {
    const search::SearchResult& result = *best.result;
    Json json{{"initial_cost", result.initialCost},
              {"best_cost", result.bestCost},
              {"program", program},
              {"evaluations", result.statistics.evaluations},
              {"states", result.statistics.states},
              {"expansions", result.statistics.expansions},
              {"rewrites", result.statistics.rewrites},
              {"memory_bytes", result.statistics.memoryBytes},
              {"seconds", result.statistics.seconds},
              {"stop", search::toString(result.reason)},
              {"found_by", result.statistics.part},
              {"thread_length", result.thread.steps.size()}};
    addVerdict(json, *best.run.verdict);
    if (!best.run.outcomeKind.empty()) {
        json["outcome"] = {
            {"kind", best.run.outcomeKind}, {"summary", best.run.outcomeSummary}, {"text", best.run.outcome}};
    }
    if (best.refused) {
        json["refused"] = {{"cost", best.refused->cost}, {"verdict", verdictJson(best.refused->verdict)}};
    }
    json["notes"] = result.notes;
    json["strategy"] = options.strategy;
    json["rules"] = options.rules;
    json["cost_model"] = options.cost;
    json["seed"] = best.run.seed;
    json["seeds"] = seedsJson(searches);
    return json;
}

/// The runtime that times the result; none if that is not asked for. Fails if programs of this kind cannot be timed, or if there is no ONNX
/// Runtime, before the search.
Result<std::optional<onnx::RuntimeVersion>> timingRuntime(const OptimizeOptions& options, const OpenProgram& open,
                                                          const std::stop_token& stop) {
    if (!options.isTimed) return std::optional<onnx::RuntimeVersion>();
    if (!open.dialect().can(ir::Capability::Runtime))
        return inputError("--time is for tensor programs", "leave it out");
    if (!open.read.model && hasWeights(open)) {
        return inputError("a listing has no numbers for its weights, so it cannot be timed",
                          "begin with the model itself");
    }
    MITOS_TRY(onnx::RuntimeVersion version, onnx::checkRuntime(options.timing.runtime(stop)));
    return std::optional(std::move(version));
}

/// Times the input and the result; nothing if there is no difference between them.
Result<std::optional<TimedPrograms>> timesOf(const OptimizeOptions& options, const OpenProgram& open,
                                             const search::SearchResult& result, const cost::CostModelInfo& model,
                                             const std::stop_token& stop) {
    if (!options.isTimed || result.thread.steps.empty()) return std::optional<TimedPrograms>();
    const Result<TimedPrograms> timed = timeResult({.open = open,
                                                    .bank = *result.bank,
                                                    .result = result.thread.end(),
                                                    .file = options.program.modelFile(),
                                                    .exported = {.opset = options.modelOutput.opset},
                                                    .inputCost = result.initialCost,
                                                    .resultCost = result.bestCost,
                                                    .model = model},
                                                   options.timing, options.quiet || options.json, stop);
    if (!timed) return timed.error();
    return std::optional(*timed);
}

/// Whether the result, which was timed, takes longer than the input.
bool isSlower(const Result<std::optional<TimedPrograms>>& timed) {
    return timed && *timed && (*timed)->times.ratios.back().isSlower();
}

/// A result and its times, and the parts of it that were measured, if the whole one was not faster than the input.
struct TimedOutcome {
    search::JudgedRun result;
    Result<std::optional<TimedPrograms>> timed;
    std::optional<search::PayingParts> parts = {};
};

/// The part of a result with the steps of `thread` only.
search::JudgedRun partOf(const search::JudgedRun& whole, rewrite::Thread thread, const cost::CostModel& model,
                         const Judge& judge) {
    search::SearchResult part = *whole.result;
    const auto evaluator = model.evaluator(*part.bank, thread.start.function);
    part.costs.assign(1, part.initialCost);
    for (const ir::TermId state : thread.states) {
        const Result<double> cost = evaluator->cost(state);
        part.costs.push_back(cost ? *cost : part.costs.back());
    }
    part.bestCost = part.costs.back();
    part.thread = std::move(thread);
    part.check = rewrite::check(*part.bank, part.thread);
    return judge(whole.run, std::move(part));
}

/// Times the result. If it is not faster than the input, keeps those of its parts that pay.
TimedOutcome timedOutcome(const OptimizeOptions& options, const OpenProgram& open, const search::JudgedRun& best,
                          const cost::CostModel& model, const Judge& judge) {
    const std::stop_token& stop = judge.stop;
    const search::SearchResult& whole = *best.result;
    TimedOutcome outcome{best, timesOf(options, open, whole, model.info(), stop)};
    const bool isTimed = outcome.timed && *outcome.timed;
    if (!isTimed || options.insist || options.measurements == 0) return outcome;
    const timing::TimeRatio ratio = (*outcome.timed)->times.ratios.back();
    if (ratio.isFaster()) return outcome;
    Result<search::PayingParts> parts = payingSteps({.open = open,
                                                     .bank = *whole.bank,
                                                     .thread = whole.thread,
                                                     .costs = whole.costs,
                                                     .ratio = ratio,
                                                     .file = options.program.modelFile(),
                                                     .exported = {.opset = options.modelOutput.opset},
                                                     .model = model.info(),
                                                     .measurements = options.measurements},
                                                    options.timing, options.quiet || options.json, stop);
    if (!parts) {
        outcome.timed = parts.error();
        return outcome;
    }
    outcome.parts = *std::move(parts);
    const rewrite::Thread& kept = outcome.parts->thread;
    if (kept.steps.empty() || kept.end().root == whole.thread.end().root) return outcome;
    outcome.result = partOf(best, kept, model, judge);
    outcome.timed = timesOf(options, open, *outcome.result.result, model.info(), stop);
    return outcome;
}

void printTimesOf(const OptimizeOptions& options, const Result<std::optional<TimedPrograms>>& timed,
                  const cost::CostModelInfo& model) {
    if (timed && *timed) printTimes((*timed)->files, (*timed)->times, options.timing, model);
    if (options.isTimed && timed && !*timed) fmt::print("The result is the input; there is nothing to time.\n");
    if (!isSlower(timed)) return;
    fmt::print("{}\n", options.insist ? "The slower result is kept, because you insist."
                                      : "So the input is kept; --insist keeps the slower result.");
}

/// Prints and writes the result, and returns the exit status.
int report(const OptimizeOptions& options, const OpenProgram& open, const Searches& searches,
           const cost::CostModel& priced, const Judge& judge) {
    const cost::CostModelInfo& model = priced.info();
    const TimedOutcome outcome = timedOutcome(options, open, *searches.best(), priced, judge);
    const search::SearchResult& found = *outcome.result.result;
    const Result<std::optional<TimedPrograms>>& timed = outcome.timed;
    const bool isStartKept = isSlower(timed) && !options.insist;
    search::JudgedRun best = isStartKept ? startInsteadOf(outcome.result, judge) : outcome.result;
    const search::SearchResult& result = *best.result;
    rewrite::Verdict& verdict = *best.run.verdict;
    std::optional<onnx::FileComparison> file;
    const Result<bool> written = writeResults(options, open, best, judge, file);
    verdict = withFiles(std::move(verdict), file);
    if (options.json) {
        Json json = resultJson(options, best, dialects::printProgram(*result.bank, result.thread.end()), searches);
        addTrust(json, *judge.how.rules);
        if (file || options.modelOutput.asksToCompare()) json["file_comparison"] = comparisonJson(file);
        if (timed && *timed) json["times"] = timesJson((*timed)->files, (*timed)->times, options.timing, model);
        if (outcome.parts) json["parts"] = payingStepsJson(*outcome.parts);
        if (isStartKept) {
            json["slower_result"] = {{"cost", found.bestCost}, {"thread_length", found.thread.steps.size()}};
        }
        print(json);
    } else {
        const bool showsProgram = options.output.empty();
        const std::string program =
            showsProgram ? dialects::printProgram(*result.bank, result.thread.end()) : std::string();
        printSummary(best, program, options);
        for (const std::string& note : result.notes) fmt::print("{}\n", note);
        if (searches.runs().size() > 1) printSeeds(searches);
        if (outcome.parts) printPayingSteps(*outcome.parts);
        printTimesOf(options, timed, model);
    }
    if (best.refused) printRefused(best.refused->verdict);
    // Errors of writing are reported after the result is printed.
    if (!written) static_cast<void>(fail(written.error(), false));
    if (!timed) static_cast<void>(fail(timed.error(), false));
    if (searches.sessionError()) static_cast<void>(fail(*searches.sessionError(), false));
    const int status = verdictStatus(verdict);
    if (!written || !timed || searches.sessionError() || status == ExitStatus::BadInput) return ExitStatus::BadInput;
    // The program itself has its own values, whatever was left out.
    const bool isPart = best.refused && verdict.steps > 0;
    return status == ExitStatus::Success && *written && !isPart ? ExitStatus::Success : ExitStatus::CheckFailed;
}

/// One search for each seed.
Result<std::vector<search::SearchTask>> tasksOf(const OptimizeOptions& options, const OpenProgram& open,
                                                const search::Judging& judging) {
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model,
              openCostModel(options, open.bank->registry(), open.dialect().name));
    MITOS_TRY(std::shared_ptr<const search::Strategy> strategy, search::findStrategy(options.strategy));
    MITOS_TRY(ParameterValues parameters, parametersOf(search::fitted(strategy->info(), open.dialect()), options.set));
    search::Budget budget = options.budget(options.evaluations);
    budget.reservedBytes = reservedMemory(*budget.memoryBytes);
    std::vector<search::SearchTask> tasks;
    for (const std::uint64_t seed : options.allSeeds()) {
        tasks.push_back({.strategy = strategy,
                         .problem = {.bank = *open.bank,
                                     .program = open.program,
                                     .rules = judging.rules->directions,
                                     .cost = model,
                                     .budget = budget,
                                     .seed = seed,
                                     .parameters = parameters,
                                     .comparingSeconds = options.insist ? 0.0 : options.verify.secondsToCompare()},
                         .judging = judging});
    }
    return tasks;
}

std::vector<NamedFile> outputsOf(const OptimizeOptions& options) {
    std::vector<NamedFile> outputs = sessionFiles(options.session);
    outputs.insert(outputs.begin(), {{"-o", options.output}, {"--thread", options.thread}});
    return outputs;
}

/// The rules for operators that the written file may contain. Files keep their opset, so newer operators need one that is asked for, or a
/// runtime in which the result is timed.
Result<rules::RuleBook> withNewerOperators(OptimizeOptions& options, rules::RuleBook book, const OpenProgram& open,
                                           const std::optional<onnx::RuntimeVersion>& runtime) {
    constexpr std::string_view Sets = "tensor-attention";
    constexpr int Since = 23;
    const std::int64_t usual = open.read.model ? open.read.model->opset : 0;
    const bool mayContain = options.modelOutput.opset ? *options.modelOutput.opset >= Since
                                                      : usual >= Since || (runtime && runtime->newestOpset() >= Since);
    if (open.dialect().name != tensor::DialectName || options.hasOwnRules() || !mayContain) return book;
    Result<rules::RuleBook> more = withSets(book, options, Sets);
    options.rules += fmt::format(",{}", Sets);
    return more;
}

Result<int> runOptimize(OptimizeOptions options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(rules::RuleBook book, openRules(options));
    MITOS_TRY(OpenProgram open, openProgram(options, book));
    if (!options.isStrategyGiven) options.strategy = open.dialect().defaultStrategy;
    MITOS_TRY(const std::shared_ptr<const search::Strategy> strategy, search::findStrategy(options.strategy));
    if (!strategy->info().needs) MITOS_REQUIRE(requireRules(book, open.dialect()));
    MITOS_REQUIRE(requireOutputs(options, outputsOf(options), filesRead(book, open.read.model.get())));
    MITOS_REQUIRE(requireFitting(options.output, open, options.modelOutput, options.isTimed));
    InterruptGuard interrupt;
    if (!options.modelOutput.python.empty()) options.timing.python = options.modelOutput.python;
    MITOS_TRY(const std::optional<onnx::RuntimeVersion> runtime, timingRuntime(options, open, interrupt.token()));
    MITOS_TRY(book, withNewerOperators(options, std::move(book), open, runtime));
    Judge judge{
        options.verify.judging(open.weights(), trustedRules(book, {.insists = options.insist}, interrupt.token()),
                               options.budget({}).memoryBytes),
        interrupt.token()};
    judge.how.abandoned = interrupt.abandoned();
    MITOS_TRY(std::vector<search::SearchTask> tasks, tasksOf(options, open, judge.how));
    std::optional<SessionLog> log;
    if (!options.session.empty()) {
        MITOS_TRY(log, SessionLog::open(options.session, options, open, *tasks.front().problem.cost));
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        search::SearchTask& task = tasks[i];
        task.run = search::requestedRun(task.strategy->info().name, task.problem, log ? log->rules() : std::string());
        task.run.number = static_cast<int>(i) + 1;
        task.run.allowsAssumptions = options.allowAssumptions;
        if (log) task.record = log->recording();
    }
    Searches searches(options, tasks);
    search::runAll(tasks, options.allJobs(), interrupt.token(), searches);
    interrupt.endWork();
    searches.close(open, log ? &*log : nullptr);
    if (!searches.best()) {
        const Error stopped{ErrorCode::Cancelled, "stopped before the search began"};
        return searches.failure().value_or(stopped);
    }
    return report(options, open, searches, *tasks.front().problem.cost, judge);
}

}  // namespace

void addOptimizeCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("optimize", "search for a cheaper program; Ctrl-C keeps the best so far");
    auto options = std::make_shared<OptimizeOptions>();
    options->addFile(*command);
    options->addRules(*command);
    options->addCost(*command);
    const CLI::Option* const strategy =
        command->add_option("--strategy", options->strategy, "see `mitos-cli strategies`")->capture_default_str();
    options->addSearch(*command);
    command
        ->add_option("--evaluations", options->evaluations,
                     "stop after valuing that many expressions (default 5000 if no limit is given)")
        ->check(wholeNumber(1));
    command->add_option("--set", options->set, "name=value, a parameter of the strategy; may be repeated");
    command->add_option(
        "-o,--output", options->output,
        "write the best program there, and print the summary only: .ks or .cpp, of tensor programs .onnx or "
        "a listing");
    command->add_option("--thread", options->thread, "write the thread there");
    options->verify.add(*command);
    options->modelOutput.add(*command);
    command->add_flag(
        "--time", options->isTimed,
        "of tensor programs: time input and result as whole models, alternately, and their operators, with "
        "the ONNX Runtime of --onnxruntime (python3 by default); of a result that is not faster the parts that "
        "pay are kept, and a slower one gives way to the input, unless --insist");
    command
        ->add_option("--measurements", options->measurements,
                     "with --time: how often parts of a result that is not faster are measured, at most; 0: never")
        ->check(CLI::Range(0, 10'000))
        ->capture_default_str();
    options->timing.addOthers(*command, "--time-");
    command->add_option("--session", options->session, "keep the runs in that session file");
    command->callback([options, choose, strategy] {
        options->isStrategyGiven = strategy->count() > 0;
        choose([options] { return runOptimize(*options); });
    });
}

}  // namespace mitos::cli
