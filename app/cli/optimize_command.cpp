// SPDX-License-Identifier: GPL-3.0-or-later
// optimize: run a search, check what it found, keep it.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "core/codegen/cpp.h"
#include "core/eval/evaluator.h"
#include "search/rewriting/state_space.h"
#include "search/rewriting/strategies.h"
#include "storage/session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <unistd.h>

namespace mitos::cli {

namespace {

struct OptimizeOptions : CommonOptions {
    std::string strategy = "astar";
    std::optional<double> seconds;
    std::optional<std::uint64_t> evaluations;
    std::optional<std::uint64_t> states;
    std::optional<std::uint64_t> memoryMiB;
    std::uint64_t seed = 1;
    std::vector<std::string> set;
    std::string output;
    std::string thread;
    std::string session;
    bool quiet = false;
};

search::Budget budgetOf(const OptimizeOptions& options) {
    search::Budget budget;
    budget.evaluations = options.evaluations;
    budget.seconds = options.seconds;
    budget.states = options.states;
    if (!budget.evaluations && !budget.seconds && !budget.states) budget.evaluations = search::DefaultEvaluations;
    budget.memoryBytes = options.memoryMiB ? *options.memoryMiB << 20U : search::DefaultMemoryBytes;
    return budget;
}

Result<search::ParameterValues> parametersOf(const search::StrategyInfo& info,
                                             const std::vector<std::string>& settings) {
    search::ParameterValues values;
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        const std::string name = setting.substr(0, equals);
        const auto known = std::find_if(info.parameters.begin(), info.parameters.end(),
                                        [&](const search::ParameterInfo& p) { return p.name == name; });
        if (equals == std::string::npos || known == info.parameters.end()) {
            std::vector<std::string> names;
            for (const search::ParameterInfo& p : info.parameters) names.push_back(p.name);
            return Error{ErrorCode::InvalidInput,
                         fmt::format("--set {}: {} has no such parameter", setting, info.name),
                         std::nullopt,
                         fmt::format("write --set name=value; its parameters: {}", fmt::join(names, ", ")),
                         {}};
        }
        Result<search::ParameterValue> value =
            search::parseParameter(*known, std::string_view(setting).substr(equals + 1));
        if (!value) return std::move(value).error();
        values[name] = *std::move(value);
    }
    return search::resolveParameters(info, values);
}

/// One line on stderr that is rewritten as the search goes, where somebody watches.
class ProgressLine final : public search::Observer {
public:
    explicit ProgressLine(bool enabled) : m_enabled(enabled) {}
    void onEvent(const search::SearchEvent& e) override {
        if (!m_enabled) return;
        if (e.kind == search::EventKind::Finished) {
            fmt::print(stderr, "\r{:78}\r", "");
            return;
        }
        fmt::print(stderr, "\r{:<78}",
                   fmt::format("{:6.1f} s  {:>9} evaluations  {:>9} states  best {:.6g}", e.seconds, e.evaluations,
                               e.states, e.best));
        std::fflush(stderr);
    }

private:
    bool m_enabled;
};

std::string utcNow() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

/// The session rows of one run; without --session all of it does nothing.
class SessionLog {
public:
    static Result<SessionLog> open(const OptimizeOptions& options, OpenProgram& program,
                                   const search::SearchProblem& problem, const search::StrategyInfo& strategy) {
        SessionLog log;
        if (options.session.empty()) return log;
        Result<storage::Session> session = storage::Session::open(options.session);
        if (!session) return std::move(session).error();
        log.m_session = std::make_unique<storage::Session>(*std::move(session));
        const std::string name = program.bank->function(program.program.function).name;
        Result<storage::ProgramId> id = log.m_session->addProgram(
            fmt::format("{} — {}", options.file, name), options.file, ks::printProgram(*program.bank, program.program));
        if (!id) return std::move(id).error();
        log.m_run.program = *id;
        log.m_run.strategy = strategy.name;
        log.m_run.parameters = storage::toJson(problem.parameters);
        log.m_run.rules = options.rules;
        log.m_run.costModel = problem.cost->info().name;
        log.m_run.budget = storage::toJson(problem.budget);
        log.m_run.seed = problem.seed;
        log.m_run.startedAt = utcNow();
        log.m_run.status = "running";
        log.m_history.emplace(program.program, program.costs(*problem.cost)->cost(program.program.root));
        const Status first =
            log.m_session->addState(*id, storage::toStored(*program.bank, *log.m_history, log.m_history->start()));
        if (!first) return first.error();
        Result<storage::RunId> run = log.m_session->beginRun(log.m_run);
        if (!run) return std::move(run).error();
        log.m_run.id = *run;
        return log;
    }

    [[nodiscard]] std::unique_ptr<storage::RunWriter> writer(search::Observer& next) {
        return m_session ? std::make_unique<storage::RunWriter>(*m_session, m_run.id, &next) : nullptr;
    }

    Status finish(OpenProgram& program, const search::SearchResult& result, const std::string& threadText) {
        if (!m_session) return mitos::Success{};
        m_run.status = "finished";
        m_run.stop = search::toString(result.reason);
        m_run.initialCost = result.initialCost;
        m_run.bestCost = result.bestCost;
        m_run.threadChecked = result.check.valid;
        m_run.thread = threadText;
        m_run.statistics = storage::toJson(result.statistics);
        if (result.check.valid) {
            const rewrite::Thread thread = rewrite::transplant(*result.bank, result.thread, *program.bank);
            m_history->addThread(m_history->start(), thread, result.costs, fmt::format("{} #1", m_run.strategy));
            std::vector<storage::StoredState> states;
            for (std::uint32_t i = 1; i < m_history->size(); ++i) {
                states.push_back(storage::toStored(*program.bank, *m_history, rewrite::StateId(i)));
            }
            if (Status added = m_session->addStates(m_run.program, states); !added) return added;
            // Reopened, the session shows what the search found, as the desktop does after a run.
            const std::string current = fmt::format("{}", m_history->current().value);
            if (Status kept = m_session->setValue("current-state", current); !kept) return kept;
        }
        return m_session->finishRun(m_run);
    }

private:
    std::unique_ptr<storage::Session> m_session;
    storage::StoredRun m_run;
    std::optional<rewrite::History> m_history;
};

Status writeOutput(const OptimizeOptions& options, const search::SearchResult& result, const std::string& threadText) {
    if (options.output.empty()) return mitos::Success{};
    std::string text = ks::printProgram(*result.bank, result.thread.end()) + "\n";
    if (options.output.ends_with(".cpp") || options.output.ends_with(".h")) {
        Result<std::string> cpp = codegen::emitCpp(*result.bank, result.thread.end(),
                                                   {.functionName = {}, .testMain = false, .comment = threadText});
        if (!cpp) return std::move(cpp).error();
        text = *std::move(cpp);
    }
    return writeFile(options.output, text);
}

void printSummary(const search::SearchResult& result, const eval::Equivalence& same, const std::string& program,
                  const OptimizeOptions& options) {
    for (std::size_t i = 0; i < result.thread.steps.size(); ++i) {
        const rewrite::Step& step = result.thread.steps[i];
        fmt::print("{:>4}. {:<26} {:<16} cost {:.6g}\n", i + 1, step.rule->name(), ir::toString(step.position),
                   i + 1 < result.costs.size() ? result.costs[i + 1] : 0.0);
    }
    fmt::print("\n{}\n\n", program);
    const std::string equivalent =
        same.equivalent      ? fmt::format("same values on {} random inputs (largest deviation {:.2g})", same.compared,
                                           same.maxDeviation)
        : same.compared == 0 ? std::string("could not be compared: no random input gave a finite value")
                             : "DIFFERENT VALUES: " + same.counterexample;
    fmt::print("cost {:.6g} -> {:.6g} ({})  in {} steps\n", result.initialCost, result.bestCost, options.cost,
               result.thread.steps.size());
    fmt::print("{} evaluations, {} states, {:.2f} s, stopped by: {}, seed {}\n", result.statistics.evaluations,
               result.statistics.states, result.statistics.seconds, search::toString(result.reason), options.seed);
    fmt::print(
        "thread {}; {}{}\n",
        result.check.valid ? "checked: every step is an instance of its rule" : "NOT VALID: " + result.check.reason,
        equivalent, same.note.empty() ? "" : " (" + same.note + ")");
}

int runOptimize(const OptimizeOptions& options) {
    Result<rules::RuleBook> book = openRules(options.rules);
    if (!book) return fail(book.error(), options.json);
    Result<OpenProgram> open = openProgram(options, book->registry());
    if (!open) return fail(open.error(), options.json);
    Result<std::shared_ptr<const cost::CostModel>> model = cost::findCostModel(options.cost);
    if (!model) return fail(model.error(), options.json);
    Result<std::shared_ptr<const search::Strategy>> strategy = search::findStrategy(options.strategy);
    if (!strategy) return fail(strategy.error(), options.json);
    Result<search::ParameterValues> parameters = parametersOf((*strategy)->info(), options.set);
    if (!parameters) return fail(parameters.error(), options.json);

    const search::SearchProblem problem{.bank = *open->bank,
                                        .program = open->program,
                                        .rules = book->directions(),
                                        .cost = *model,
                                        .budget = budgetOf(options),
                                        .seed = options.seed,
                                        .parameters = *parameters};
    const InterruptGuard interrupt;
    Result<SessionLog> log = SessionLog::open(options, *open, problem, (*strategy)->info());
    if (!log) return fail(log.error(), options.json);
    ProgressLine progress(!options.quiet && !options.json && ::isatty(STDERR_FILENO) != 0);
    const std::unique_ptr<storage::RunWriter> writer = log->writer(progress);
    search::Observer& observer = writer ? static_cast<search::Observer&>(*writer) : progress;
    Result<search::SearchResult> result = (*strategy)->run(problem, interrupt.token(), observer);
    if (!result) return fail(result.error(), options.json);
    if (writer) {
        if (const Status flushed = writer->flush(); !flushed)
            fmt::print(stderr, "warning: {}\n", flushed.error().oneLine());
    }
    ir::TermBank& bank = *result->bank;
    const Result<eval::Equivalence> same =
        eval::compare(bank, result->thread.start, result->thread.end(), {.samples = 24, .seed = options.seed});
    eval::Equivalence verdict;
    if (same) {
        verdict = *same;
    } else {
        verdict.note = same.error().message;
    }
    const std::string threadText = rewrite::writeThread(bank, result->thread, result->costs);
    const std::string program = ks::printProgram(bank, result->thread.end());

    if (const Status kept = log->finish(*open, *result, threadText); !kept) return fail(kept.error(), options.json);
    if (!options.thread.empty()) {
        if (const Status written = writeFile(options.thread, threadText); !written)
            return fail(written.error(), options.json);
    }
    if (const Status written = writeOutput(options, *result, threadText); !written)
        return fail(written.error(), options.json);
    if (options.json) {
        print(Json{{"initial_cost", result->initialCost},
                   {"best_cost", result->bestCost},
                   {"program", program},
                   {"evaluations", result->statistics.evaluations},
                   {"states", result->statistics.states},
                   {"expansions", result->statistics.expansions},
                   {"rewrites", result->statistics.rewrites},
                   {"memory_bytes", result->statistics.memoryBytes},
                   {"seconds", result->statistics.seconds},
                   {"stop", search::toString(result->reason)},
                   {"thread_length", result->thread.steps.size()},
                   {"thread_checked", result->check.valid},
                   // null: no input was found that tells.
                   {"equivalent", verdict.compared > 0 ? Json(verdict.equivalent) : Json(nullptr)},
                   {"max_deviation", verdict.maxDeviation},
                   {"samples_compared", verdict.compared},
                   {"note", verdict.note},
                   {"strategy", options.strategy},
                   {"rules", options.rules},
                   {"cost_model", options.cost},
                   {"seed", options.seed}});
    } else {
        printSummary(*result, verdict, program, options);
    }
    // Nothing to compare (every random input fails, an edef is called) is no counterexample.
    const bool refuted = !verdict.equivalent && verdict.compared > 0;
    return result->check.valid && !refuted ? ExitStatus::Success : ExitStatus::CheckFailed;
}

}  // namespace

void addOptimizeCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("optimize", "search for a cheaper program; Ctrl-C keeps the best so far");
    auto options = std::make_shared<OptimizeOptions>();
    options->addFile(*command);
    options->addRules(*command);
    options->addCost(*command);
    command->add_option("--strategy", options->strategy, "see `mitos-cli strategies`")->capture_default_str();
    command->add_option("--seconds", options->seconds, "stop after that long")->check(positiveNumber());
    command
        ->add_option("--evaluations", options->evaluations,
                     "stop after valuing that many expressions (default 5000 if no limit is given)")
        ->check(positiveNumber());
    command->add_option("--nodes", options->states, "stop at that many states")->check(positiveNumber());
    command->add_option("--memory", options->memoryMiB, "stop at that many MiB (default 4096)")
        ->check(CLI::Range(1, 1 << 20));
    command->add_option("--seed", options->seed, "of the search and of the comparison")->capture_default_str();
    command->add_option("--set", options->set, "name=value, a parameter of the strategy; may be repeated");
    command->add_option("-o,--output", options->output, "write the best program there (.ks, or .cpp for C++)");
    command->add_option("--thread", options->thread, "write the thread there");
    command->add_option("--session", options->session, "keep the run in that session file");
    command->add_flag("--quiet", options->quiet, "no progress line");
    command->callback([options, choose] { choose([options] { return runOptimize(*options); }); });
}

}  // namespace mitos::cli
