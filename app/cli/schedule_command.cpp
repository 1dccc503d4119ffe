// SPDX-License-Identifier: GPL-3.0-or-later
// `schedule`: places the operations of a tensor program or task graph on devices, and orders them.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/ranks.h"
#include "app/cli/schedule_options.h"
#include "app/cli/schedule_output.h"
#include "app/cli/schedule_sweep.h"
#include "app/cli/scheduled_model.h"
#include "app/cli/search_options.h"
#include "app/cli/session_log.h"
#include "core/base/readable_number.h"
#include "core/base/time_limit.h"
#include "core/cost/cost_model.h"
#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/schedule/files/schedule_files.h"
#include "search/parallel.h"
#include "search/placement/schedule_searches.h"
#include "search/placement/schedule_value.h"
#include "search/run_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

namespace mitos::cli {

namespace {

using search::placement::highestPeakOf;
using search::placement::Objective;
using search::placement::ScheduleValue;

Result<OpenProgram> openSubject(ScheduleOptions& options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(OpenProgram open, openProgram(options, dialects::makeRegistry()));
    if (!open.dialect().can(ir::Capability::Schedule)) {
        return inputError(fmt::format("{} programs are not scheduled", open.dialect().name),
                          "give a tensor program, a model, or a task graph (.tasks, .stg, .pbtxt, .json)");
    }
    return open;
}

/// The cost model that says the objective, and the name of the one that says durations if that is another.
struct Models {
    std::shared_ptr<const cost::CostModel> objective;
    std::string durations = {};
};

Result<Models> modelsOf(const ScheduleOptions& options, const OpenProgram& open) {
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model,
              openCostModel(options, open.bank->registry(), open.dialect().name));
    const bool isOfMemory = search::placement::isOfMemory(model->info());
    if (options.goal() == Objective::Runtime) {
        if (isOfMemory) {
            return inputError(fmt::format("{} says no durations", model->info().name),
                              "name a model of time, or ask for --objective memory");
        }
        return Models{std::move(model)};
    }
    if (isOfMemory) return Models{std::move(model)};
    auto memory = search::placement::memoryModelFor(open.dialect(), model->info());
    if (!memory)
        return inputError(fmt::format("there is no model of memory for {} programs", open.dialect().name),
                          "ask for --objective time");
    return Models{std::move(memory), model->info().name};
}

/// The parameters of the search: the flags, and what --set says.
Result<ParameterValues> machineAndParametersOf(const ScheduleOptions& options, const search::StrategyInfo& info,
                                               const std::string& durations) {
    constexpr double Mebibyte = 1024.0 * 1024.0;
    MITOS_TRY(ParameterValues values, parametersOf(info, options.set));
    const auto set = [&](const char* name, ParameterValue value) {
        const bool isGiven = std::ranges::any_of(
            options.set, [name](const std::string& setting) { return setting.starts_with(fmt::format("{}=", name)); });
        if (!isGiven) values.insert_or_assign(name, std::move(value));
    };
    set("devices", std::int64_t{options.devices});
    if (options.deviceMemory != schedule::UnlimitedMemory)
        set("device_memory", static_cast<double>(options.deviceMemory) / Mebibyte);
    set("speeds", fmt::format("{}", fmt::join(options.speeds, ",")));
    set("transfers", options.transfers);
    set("latency", options.latency);
    if (options.bandwidth) set("bandwidth", *options.bandwidth);
    set("durations", durations);
    set("release_outputs", options.releasesOutputs);
    set("rematerialize", options.rematerializes);
    if (options.extraTime) set("extra_time", *options.extraTime);
    return search::resolveParameters(info, values);
}

/// The results of the searches of all seeds.
class ScheduleRuns final : public search::TaskObserver {
public:
    ScheduleRuns(const ScheduleOptions& options, std::size_t count)
        : m_line(!options.quiet && !options.json),
          m_objective(options.goal()),
          m_runs(count),
          m_events(count),
          m_values(count) {}

    void onEvent(std::size_t task, const search::SearchEvent& event) override {
        if (const auto* generation = event.as<search::Generation>()) {
            m_line.show(fmt::format("generation {}, {} evaluations", generation->number, event.evaluations));
            return;
        }
        const std::scoped_lock lock(m_mutex);
        m_events[task].push_back(event);
    }
    void onUnfit(std::size_t task, std::shared_ptr<const ScheduleValue> value) {
        const std::scoped_lock lock(m_mutex);
        m_values[task] = std::move(value);
    }
    void onResult(std::size_t task, search::JudgedRun over) override {
        const std::scoped_lock lock(m_mutex);
        if (over.result && over.result->outcome)
            m_values[task] = std::dynamic_pointer_cast<const ScheduleValue>(over.result->outcome);
        if (over.refused && !m_fault) {
            m_fault = Error{ErrorCode::Evaluation, fmt::format("the schedule is wrong, so it is not shown: {}",
                                                               over.refused->verdict.toString())};
        }
        m_runs[task] = std::move(over);
    }
    void finish() { m_line.clear(); }

    /// The number of the best one; nothing if there is none.
    [[nodiscard]] std::optional<std::size_t> best() const {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            if (m_values[i] && (!best || fitness(i) < fitness(*best))) best = i;
        }
        return best;
    }
    [[nodiscard]] const ScheduleValue& value(std::size_t task) const { return *m_values[task]; }
    [[nodiscard]] const search::JudgedRun& run(std::size_t task) const { return *m_runs[task]; }
    /// With its events.
    [[nodiscard]] std::optional<search::Run> record(std::size_t task) const {
        if (!m_runs[task]) return std::nullopt;
        search::Run run = m_runs[task]->run;
        run.events = m_events[task];
        return run;
    }
    /// Why there is no schedule.
    [[nodiscard]] Error failure() const {
        if (m_fault) return *m_fault;
        for (const auto& run : m_runs) {
            if (run && run->error) return *run->error;
        }
        return {ErrorCode::Cancelled, "stopped before the search began", std::nullopt, ""};
    }
    /// The first error of writing to the session.
    [[nodiscard]] std::optional<Error> recordError() const {
        for (const auto& run : m_runs) {
            if (run && run->recordError) return run->recordError;
        }
        return std::nullopt;
    }
    [[nodiscard]] Json seedsJson() const {
        Json seeds = Json::array();
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            if (!m_values[i] || !m_runs[i]) continue;
            const schedule::Timeline& timeline = m_values[i]->timeline();
            seeds.push_back({{"seed", m_runs[i]->run.seed},
                             {"runtime", timeline.runtime},
                             {"peak_bytes", highestPeakOf(m_values[i]->scheduled(), timeline)},
                             {"overflow_bytes", timeline.overflow},
                             {"evaluations", m_runs[i]->run.statistics.evaluations}});
        }
        return seeds;
    }

private:
    [[nodiscard]] random_keys::Fitness fitness(std::size_t task) const {
        const schedule::Timeline& timeline = m_values[task]->timeline();
        return search::placement::fitnessOf({timeline.runtime, timeline.highestPeak(), timeline.overflow}, m_objective);
    }

    ProgressLine m_line;
    Objective m_objective;
    std::mutex m_mutex;
    std::vector<std::optional<search::JudgedRun>> m_runs;
    std::vector<std::vector<search::SearchEvent>> m_events;  ///< but for generations
    std::vector<std::shared_ptr<const ScheduleValue>> m_values;
    std::optional<Error> m_fault;
};

unsigned jobsOf(const ScheduleOptions& options, const Ranks& ranks) {
    return options.jobs > 0 ? options.jobs : ranks.defaultJobs();
}

/// Hands what one search reports to the observer of all.
class ObserverOf final : public search::Observer {
public:
    ObserverOf(search::TaskObserver& all, std::size_t task) : m_all(all), m_task(task) {}
    void onEvent(const search::SearchEvent& event) override { m_all.onEvent(m_task, event); }

private:
    search::TaskObserver& m_all;
    std::size_t m_task;
};

/// The searches, whose schedules go to `searches` if they do not fit.
Result<std::vector<search::SearchTask>> scheduleTasks(const ScheduleOptions& options, const OpenProgram& open,
                                                      const search::placement::Strategy& strategy, const Ranks& ranks,
                                                      ScheduleRuns& searches) {
    MITOS_TRY(const Models models, modelsOf(options, open));
    const std::size_t count = options.searchesOf(strategy);
    const unsigned jobs = jobsOf(options, ranks);
    const auto atATime = ranks.team() != nullptr ? 1U : static_cast<unsigned>(std::min<std::size_t>(count, jobs));
    std::vector<search::SearchTask> tasks;
    for (std::size_t i = 0; i < count; ++i) {
        auto search = search::placement::scheduleSearch(
            strategy, {.threads = jobs / atATime, .team = ranks.team(), .onUnfit = [&searches, i](auto value) {
                           searches.onUnfit(i, std::move(value));
                       }});
        MITOS_TRY(ParameterValues parameters, machineAndParametersOf(options, search->info(), models.durations));
        tasks.push_back(
            {.strategy = std::move(search),
             .problem = {.bank = *open.bank,
                         .program = open.program,
                         .rules = {},
                         .cost = models.objective,
                         .budget = search::completed({.evaluations = options.evaluations, .seconds = options.seconds}),
                         .seed = options.seed + i,
                         .parameters = std::move(parameters)},
             .judging = {.weights = open.weights()}});
    }
    return tasks;
}

Status checkRematerialization(const ScheduleOptions& options) {
    if (options.rematerializes && (options.writesModel || !options.python.empty())) {
        return inputError("a model computes each node once, so that repeated operations cannot be written as one",
                          "write the schedule as .json, or leave out --rematerialize");
    }
    if (options.extraTime && !options.rematerializes) {
        return inputError("--extra-time limits what repeated operations take", "add --rematerialize");
    }
    return mitos::Success{};
}

ScheduledProgram scheduledProgram(const OpenProgram& open, const ScheduleValue& value) {
    const schedule::ScheduledGraph& scheduled = value.scheduled();
    const schedule::Timeline& timeline = value.timeline();
    ScheduledProgram ordered{open, {}, {}};
    const ir::SharedNodes shared(*open.bank, open.program.root);
    const std::vector<ir::TermId> nodes(shared.begin(), shared.end());
    Json devices = Json::object();
    for (const std::uint32_t task : timeline.order) {
        if (task >= scheduled.nodes.size() || scheduled.nodes[task] == schedule::NoNode) continue;
        ordered.order.push_back(nodes[scheduled.nodes[task]]);
        if (scheduled.machine.devices.size() > 1)
            devices[scheduled.graph.operations[task].name] = timeline.operations[task].device;
    }
    Json summary{{"devices", scheduled.machine.devices.size()},
                 {"runtime", timeline.runtime},
                 {"unit", scheduled.unit},
                 {"peak_bytes", timeline.peak},
                 {"resident_bytes", scheduled.residentBytes}};
    if (!devices.empty()) summary["device"] = std::move(devices);
    ordered.summary = summary.dump(-1, ' ', false, Json::error_handler_t::replace);
    return ordered;
}

/// Fails, before the search, if there will be no model to write or to measure.
Status requireModel(const ScheduleOptions& options, const OpenProgram& open) {
    if (options.writesModel && !open.dialect().canExport("onnx"))
        return inputError("only a tensor program can be written as an ONNX model", "write the schedule as .json");
    if (options.writesModel && !open.read.model && hasWeights(open)) {
        return inputError("a listing has no numbers for its weights, and a model needs them",
                          "begin with the model itself, or write the schedule as .json");
    }
    if (options.python.empty()) return mitos::Success{};
    if (!open.dialect().can(ir::Capability::Runtime) || !open.read.model)
        return inputError("--onnxruntime is for models", "leave it out, or begin with an .onnx file");
    if (options.devices != 1)
        return inputError("the runtime has one device, so --onnxruntime measures schedules of one", "--devices 1");
    return mitos::Success{};
}

Status write(const ScheduleOptions& options, const OpenProgram& open, const ScheduleValue& value) {
    if (options.output.empty()) return mitos::Success{};
    if (options.writesModel) return writeScheduled(scheduledProgram(open, value), options.output);
    const schedule::ScheduledGraph& scheduled = value.scheduled();
    MITOS_TRY(const schedule::Problem problem,
              schedule::Problem::make(scheduled.graph, scheduled.machine, scheduled.options));
    if (options.output.ends_with(".csv"))
        return writeFile(options.output, schedule::scheduleCsv(problem, value.timeline()));
    if (options.output.ends_with(".trace.json")) {
        return writeFile(options.output,
                         schedule::chromeTrace(problem, value.timeline(), schedule::microsecondsOf(scheduled.unit)));
    }
    return writeFile(options.output, value.text());
}

/// Prints the one search of a task as a row.
Result<int> reportRow(const ScheduleOptions& options, const ScheduleRuns& runs,
                      const std::optional<FoundSchedule>& found) {
    const std::optional<search::Run> run = runs.record(0);
    if (!run) return runs.failure();
    fmt::print("{}\n", search::rowText({options.nameInRow, *run, found ? toJson(options, *found).dump() : ""}));
    if (runs.recordError()) return *runs.recordError();
    if (run->state == search::RunState::Failed) fmt::print(stderr, "{}\n", run->stop);
    return found && found->value.timeline().isFeasible() ? Success : CheckFailed;
}

/// The file that the parameter of that name has; empty if it is not set.
std::string checkpointOf(const ScheduleOptions& options) {
    constexpr std::string_view Parameter = "checkpoint=";
    const auto found = std::ranges::find_if(
        options.set, [Parameter](const std::string& setting) { return setting.starts_with(Parameter); });
    return found == options.set.end() ? std::string() : found->substr(Parameter.size());
}

/// Fails, before the search, if what it writes cannot be written, or would be lost.
Status checkOutputs(const ScheduleOptions& options) {
    const std::string checkpoint = checkpointOf(options);
    if (!checkpoint.empty() && options.seeds > 1)
        return inputError("a checkpoint is that of one search", "--seeds 1, and another checkpoint for each --seed");
    std::vector<NamedFile> outputs = sessionFiles(options.session);
    outputs.push_back({"-o", options.output});
    outputs.push_back({"the checkpoint", checkpoint});
    return requireOutputs(options, outputs);
}

/// Prints and writes the best schedule, and returns the exit status.
Result<int> report(const ScheduleOptions& options, const OpenProgram& open, const ScheduleRuns& runs, double seconds,
                   InterruptGuard& interrupt) {
    const std::optional<std::size_t> best = runs.best();
    if (!best) return options.isOfSweep ? reportRow(options, runs, {}) : Result<int>(runs.failure());
    const FoundSchedule found{runs.value(*best), runs.run(*best), seconds, runs.seedsJson()};
    if (options.isOfSweep) {
        interrupt.endWork();
        MITOS_REQUIRE(write(options, open, found.value));
        return reportRow(options, runs, found);
    }
    std::optional<MeasuredOrders> measured;
    if (!options.python.empty()) {
        MITOS_TRY(measured, measureOrders(scheduledProgram(open, found.value), options.python, interrupt.token()));
    }
    interrupt.endWork();
    if (options.json) {
        Json json = toJson(options, found);
        if (measured) json["measured"] = toJson(*measured);
        print(json);
    } else {
        print(options, found);
        if (measured) print(*measured);
    }
    MITOS_REQUIRE(write(options, open, found.value));
    if (const std::optional<Error> error = runs.recordError()) return *error;
    if (found.value.timeline().isFeasible()) return Success;
    if (found.run.error) fmt::print(stderr, "{}\n", found.run.error->message);
    return CheckFailed;
}

/// Runs the searches; with other processes one after another, since all of them take part in each.
void runAll(const std::vector<search::SearchTask>& tasks, const ScheduleOptions& options, const Ranks& ranks,
            const std::stop_token& stop, ScheduleRuns& runs) {
    if (ranks.team() == nullptr) {
        search::runAll(tasks, jobsOf(options, ranks), stop, runs);
        return;
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (i > 0 && ranks.any(stop.stop_requested())) return;
        ObserverOf observer(runs, i);
        runs.onResult(i, search::runJudged(tasks[i], stop, observer));
    }
}

Result<int> scheduleIn(const Ranks& ranks, ScheduleOptions options, InterruptGuard& interrupt) {
    if (ranks.isFirst()) {
        MITOS_REQUIRE(checkOutputs(options));
    }
    MITOS_TRY(options.writesModel, isModelOutput(options.output));
    MITOS_TRY(const search::placement::Strategy strategy, search::placement::findStrategy(options.strategy));
    MITOS_REQUIRE(checkRematerialization(options));
    if (!strategy.hasIslands && !ranks.isFirst()) return Success;
    MITOS_TRY(OpenProgram open, openSubject(options));
    MITOS_REQUIRE(requireModel(options, open));
    ScheduleRuns runs(options, options.searchesOf(strategy));
    MITOS_TRY(std::vector<search::SearchTask> tasks, scheduleTasks(options, open, strategy, ranks, runs));
    std::optional<SessionLog> log;
    if (!options.session.empty() && ranks.isFirst()) {
        MITOS_TRY(log, SessionLog::open(options.session, options, open, *tasks.front().problem.cost));
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        search::SearchTask& task = tasks[i];
        task.run = search::requestedRun(task.strategy->info().name, task.problem, log ? log->rules() : std::string());
        task.run.number = static_cast<int>(i) + 1;
        if (log) task.record = log->recording();
    }
    const TimeLimit clock(0.0, {});
    runAll(tasks, options, ranks, interrupt.token(), runs);
    runs.finish();
    // A search that fails here fails on the first one, too.
    if (!ranks.isFirst()) return Success;
    return report(options, open, runs, clock.elapsed(), interrupt);
}

Result<int> runSchedule(ScheduleOptions options) {
    MITOS_REQUIRE(checkSweep(options));
    if (options.asksForCount) {
        MITOS_TRY(const std::uint64_t size, sweepSize(options));
        fmt::print("{}\n", size);
        return Success;
    }
    if (options.isOfSweep) {
        MITOS_TRY(options, sweepTask(options));
    }
    InterruptGuard interrupt;
    MITOS_TRY(const auto ranks, Ranks::join());
    Result<int> status = scheduleIn(*ranks, std::move(options), interrupt);
    // A process that waits for the first one to write its files must not end them all.
    interrupt.endWork();
    return ranks->settle(std::move(status));
}

std::string strategyHelp() {
    std::string help = "one of";
    for (const search::placement::Strategy& strategy : search::placement::strategies()) {
        help += fmt::format("\n{}: {}", strategy.name, strategy.title);
    }
    return help;
}

}  // namespace

void addScheduleCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand(
        "schedule", "place the operations of a tensor program or task graph on devices, and order them");
    auto options = std::make_shared<ScheduleOptions>();
    options->addFile(*command);
    command->add_option("FILES", options->moreFiles, "further ones, of a sweep (--array)");
    options->addCost(*command);
    command->add_option("--devices", options->devices, "number of devices")
        ->check(CLI::Range(1U, schedule::MostDevices))
        ->capture_default_str();
    command
        ->add_option("--device-memory", options->deviceMemory, "memory of each device, as in 16GiB (default: no limit)")
        ->transform(CLI::AsSizeValue(false))
        ->check(wholeNumber(1));
    command->add_option("--speeds", options->speeds, "speeds of the devices, separated by commas (default: 1)")
        ->delimiter(',');
    command
        ->add_option("--transfers", options->transfers,
                     "instant: a tensor is on another device at once; rendezvous: both devices wait and are occupied; "
                     "async: the link alone is")
        ->check(CLI::IsMember(schedule::transferModes()))
        ->capture_default_str();
    command->add_option("--latency", options->latency, "of a transfer, in the unit of durations")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--bandwidth", options->bandwidth, "bytes for each unit of time (default: no limit)")
        ->check(positiveNumber());
    command
        ->add_option("--objective", options->objective,
                     "time: the least run time that fits into memory; memory: the least peak, then the least run time")
        ->check(CLI::IsMember({"time", "memory"}))
        ->capture_default_str();
    command->add_option("--strategy", options->strategy, strategyHelp() + "\nof a sweep, several separated by commas")
        ->capture_default_str();
    command->add_option("--set", options->set, "name=value, a parameter of the strategy; may be repeated");
    command
        ->add_option("--evaluations", options->evaluations,
                     "schedules to evaluate (default 5000 if --seconds is not given)")
        ->check(wholeNumber(1));
    command->add_option("--seconds", options->seconds, "stop each search after that long")->check(positiveNumber());
    command->add_option("--seed", options->seed, "the first seed")->check(wholeNumber())->capture_default_str();
    command->add_option("--seeds", options->seeds, "that many searches, with seeds one after another")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command
        ->add_option("--jobs", options->jobs,
                     "threads (default: one a processor); the result is the same for any number")
        ->check(CLI::Range(1, 1024));
    command->add_flag(
        "--release-outputs", options->releasesOutputs,
        "release results of the graph as soon as they are made, as with the REGAL paper's synthetic graphs");
    command->add_flag("--rematerialize", options->rematerializes,
                      "after the search, run operations again instead of keeping their results, where that lowers the "
                      "peak (with --objective memory --devices 1)");
    command
        ->add_option("--extra-time", options->extraTime,
                     "with --rematerialize: the most run time that this may add, in percent (default: no limit)")
        ->check(positiveNumber());
    CLI::Option* const array =
        command
            ->add_option(
                "--array", options->task,
                "do one search of the sweep of all FILES, strategies and seeds, the one with this number (from 0; "
                "default: the SLURM_ARRAY_TASK_ID of the environment), and print it as one row, a line of JSON; "
                "mitos-cli compare merges files of rows that end in .jsonl")
            ->expected(0, 1)
            ->type_name("NUMBER");
    command->add_flag("--array-size", options->asksForCount, "print how many searches that sweep has")->excludes(array);
    command->add_option("--session", options->session, "keep the runs in that session file");
    command
        ->add_option(
            "-o,--output", options->output,
            "write the schedule there: a table (.csv), a trace for Perfetto (.trace.json), JSON, or the model with its "
            "nodes in this order (.onnx)")
        ->type_name("FILE");
    command->add_option(
        "--onnxruntime", options->python,
        "measure, with the ONNX Runtime of that Python interpreter, the memory of a run in the program's "
        "order and in that of the schedule (--devices 1)");
    command->add_flag("--quiet", options->quiet, "no progress line");
    command->callback([options, choose, array] {
        options->isOfSweep = array->count() > 0;
        choose([options] { return runSchedule(*options); });
    });
}

}  // namespace mitos::cli
