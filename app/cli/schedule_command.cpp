// SPDX-License-Identifier: GPL-3.0-or-later
// `schedule`: places the operations of a tensor program or task graph on devices, and orders them.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/scheduled_model.h"
#include "app/cli/search_options.h"
#include "core/base/readable_number.h"
#include "core/base/time_limit.h"
#include "core/cost/cost_model.h"
#include "core/dialects/dialects.h"
#include "core/schedule/files/schedule_files.h"
#include "core/schedule/program_graph.h"
#include "core/schedule/timeline_check.h"
#include "search/parallel.h"
#include "search/placement/rematerialize.h"
#include "search/placement/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace mitos::cli {

namespace {

using search::placement::Objective;
using search::placement::Placement;

struct ScheduleOptions : CommonOptions {
    std::uint32_t devices = 2;
    std::uint64_t deviceMemory = schedule::UnlimitedMemory;
    std::vector<double> speeds;
    std::string transfers = "instant";
    double latency = 0.0;
    std::optional<double> bandwidth;
    std::string objective = "time";
    std::string strategy{search::placement::UsualStrategy};
    std::vector<std::string> set;
    std::optional<double> seconds;
    std::optional<std::uint64_t> evaluations;
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1;
    unsigned jobs = 0;
    bool releasesOutputs = false;
    bool rematerializes = false;
    std::optional<double> extraTime;
    bool quiet = false;
    std::string output;
    bool writesModel = false;  ///< as isModelOutput() has it
    std::string python;        ///< with ONNX Runtime, which measures; empty: nothing is measured
};

/// The task graph that is scheduled.
struct Subject {
    OpenProgram open;
    schedule::TaskGraph graph;
    std::vector<ir::TermId> terms;    ///< by operation; invalid for those that provide inputs or weights
    std::string unit;                 ///< of durations; empty if it is not known
    std::uint64_t residentBytes = 0;  ///< beside what the graph has, on the one device
};

Result<Subject> subjectOf(ScheduleOptions& options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(OpenProgram open, openProgram(options, dialects::makeRegistry()));
    if (!open.dialect().can(ir::Capability::Schedule)) {
        return inputError(fmt::format("{} programs are not scheduled", open.dialect().name),
                          "give a tensor program, a model, or a task graph (.tasks, .stg, .pbtxt, .json)");
    }
    MITOS_TRY(const auto model, openCostModel(options, open.bank->registry(), open.dialect().name));
    MITOS_TRY(const std::vector<cost::NodeCost> costs, open.costs(*model)->explainNodes(open.program.root));
    MITOS_TRY(cost::AssumedSizes sizes, cost::readSizes(cost::sizesOf(model->info()), 1));
    MITOS_TRY(schedule::ProgramGraph program,
              schedule::graphOf(*open.bank, open.program, costs,
                                {.sizes = std::move(sizes), .hasWeights = options.devices > 1}));
    std::string unit = program.hasOwnDurations ? std::string() : model->info().unit;
    return Subject{std::move(open), std::move(program.graph), std::move(program.terms), std::move(unit),
                   program.residentBytes};
}

Result<schedule::Machine> machineOf(const ScheduleOptions& options, const Subject& subject) {
    if (subject.residentBytes > options.deviceMemory) {
        return Error{ErrorCode::Limit,
                     fmt::format("the weights alone take {} bytes, {} more than the device has", subject.residentBytes,
                                 subject.residentBytes - options.deviceMemory),
                     std::nullopt, "raise --device-memory, or take more --devices"};
    }
    const std::uint64_t memory = options.deviceMemory == schedule::UnlimitedMemory
                                     ? schedule::UnlimitedMemory
                                     : options.deviceMemory - subject.residentBytes;
    schedule::Machine machine = schedule::equalDevices(options.devices, memory);
    machine.transfers = options.transfers == "rendezvous" ? schedule::TransferMode::Rendezvous
                        : options.transfers == "async"    ? schedule::TransferMode::Async
                                                          : schedule::TransferMode::Instant;
    machine.latency = options.latency;
    if (options.bandwidth) machine.bandwidth = *options.bandwidth;
    if (!options.speeds.empty() && options.speeds.size() != machine.devices.size()) {
        return inputError(
            fmt::format("--speeds names {} speeds for {} devices", options.speeds.size(), options.devices),
            "give one for each device, separated by commas");
    }
    for (std::size_t i = 0; i < options.speeds.size(); ++i) machine.devices[i].speed = options.speeds[i];
    MITOS_REQUIRE(schedule::checkMachine(machine));
    return machine;
}

/// The best schedule of all seeds, with what it took.
struct Found {
    Placement best;
    std::uint64_t seed = 1;
    double seconds = 0.0;
    Json seeds = Json::array();
    /// If operations are repeated, the schedule is one of another graph.
    std::optional<search::placement::Rematerialization> repeated = {};
};

Result<Found> search(const ScheduleOptions& options, const schedule::Problem& problem,
                     const search::placement::Strategy& strategy, const std::stop_token& stop) {
    using search::placement::fitnessOf;
    search::StrategyInfo described{
        .name = strategy.name, .label = {}, .title = {}, .description = {}, .parameters = strategy.parameters};
    MITOS_TRY(ParameterValues parameters, parametersOf(described, options.set));
    const auto objective = options.objective == "memory" ? Objective::Memory : Objective::Runtime;
    const ProgressLine line(!options.quiet && !options.json);
    const auto started = std::chrono::steady_clock::now();
    std::optional<Found> found;
    constexpr std::uint64_t Usual = 5'000;
    for (std::uint64_t i = 0; i < (strategy.isRandomized ? options.seeds : 1) && (!found || !stop.stop_requested());
         ++i) {
        search::placement::Request request{
            .objective = objective,
            .seed = options.seed + i,
            .evaluations = options.evaluations.value_or(options.seconds ? 0 : Usual),
            .seconds = options.seconds,
            .threads = options.jobs > 0 ? options.jobs : search::defaultJobs(),
            .parameters = parameters,
            .stop = stop,
            .observer = [&](const random_keys::GenerationReport& report) {
                line.show(fmt::format("generation {}, {} evaluations", report.generation, report.evaluations));
                return true;
            }};
        MITOS_TRY(Placement placed, search::placement::place(strategy, problem, std::move(request)));
        if (!found) found.emplace();
        found->seeds.push_back({{"seed", options.seed + i},
                                {"runtime", placed.score.runtime},
                                {"peak_bytes", placed.score.peak},
                                {"overflow_bytes", placed.score.overflow},
                                {"evaluations", placed.evaluations}});
        const bool isBetter = i == 0 || fitnessOf(placed.score, objective) < fitnessOf(found->best.score, objective);
        if (!isBetter) continue;
        found->best = std::move(placed);
        found->seed = options.seed + i;
    }
    line.clear();
    if (!found) return Error{ErrorCode::Cancelled, "stopped before the search began"};
    found->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return *std::move(found);
}

/// Replaces the order that was found by one in which some operations run again, so that less is in memory. Returns the problem of their graph.
Result<schedule::Problem> rematerialize(const ScheduleOptions& options, const schedule::Problem& problem, Found& found,
                                        const std::stop_token& stop) {
    MITOS_TRY(const schedule::Timeline timeline, schedule::timelineOf(problem, found.best.schedule));
    constexpr double Percent = 100.0;
    const TimeLimit limit(options.seconds.value_or(0.0), stop);
    search::placement::RematerializationOptions settings{.stop = limit.token()};
    if (options.extraTime) settings.mostAdded = timeline.runtime * *options.extraTime / Percent;
    auto repeated = search::placement::rematerialize(problem, timeline.order, settings);
    MITOS_TRY(schedule::Problem again,
              schedule::Problem::make(repeated.graph.graph, problem.machine(), problem.options()));
    if (repeated.peak < repeated.peakBefore) {
        const std::uint64_t evaluations = found.best.evaluations;
        schedule::PerformanceModel model(again);
        const std::vector<std::uint32_t> device(repeated.order.size(), 0);
        found.best = search::placement::evaluated(model, schedule::inOrder(device, repeated.order));
        found.best.evaluations = evaluations;
    }
    // A bound on orders of the graph itself.
    found.best.bound.reset();
    found.best.isProven.reset();
    found.seconds += limit.elapsed();
    found.repeated = std::move(repeated);
    return again;
}

std::string timeText(double time, const std::string& unit) {
    return amountText(time, unit.empty() ? "units of time" : unit);
}

/// The run time, or the peak memory, that no schedule goes below: what the strategy knows, or else what follows from single operations.
double boundOf(const ScheduleOptions& options, const schedule::Problem& problem, const Placement& found) {
    if (options.objective == "time")
        return std::max(found.bound.value_or(0.0), schedule::runtimeBounds(problem).best());
    return std::max(found.bound.value_or(0.0), static_cast<double>(schedule::peakBound(problem)));
}

/// Whether the value is the bound, but for rounding.
bool isAtBound(double value, double bound) {
    constexpr double Rounding = 1e-12;
    return value <= bound * (1.0 + Rounding);
}

void printGap(const char* what, double value, double bound, const std::string& text) {
    if (bound <= 0.0) return;
    if (isAtBound(value, bound))
        fmt::print("{:<10}none is less: this is the least {} there is\n", "bound", what);
    else
        fmt::print("{:<10}none is less than {} ({:.2f} % less)\n", "bound", text, 100.0 * (1.0 - bound / value));
}

std::string written(const ScheduleOptions& options, const Subject& subject, const schedule::Problem& problem,
                    const Placement& found, const schedule::Timeline& timeline) {
    if (options.output.ends_with(".csv")) return schedule::scheduleCsv(problem, timeline);
    if (options.output.ends_with(".trace.json"))
        return schedule::chromeTrace(problem, timeline, schedule::microsecondsOf(subject.unit));
    const double bound = boundOf(options, problem, found);
    return schedule::scheduleJson({.graph = problem.graph(),
                                   .machine = problem.machine(),
                                   .options = problem.options(),
                                   .schedule = found.schedule,
                                   .unit = subject.unit,
                                   .residentBytes = subject.residentBytes,
                                   .isForMemory = options.objective == "memory",
                                   .bound = bound > 0.0 ? std::optional(bound) : std::nullopt},
                                  timeline);
}

void printResult(const ScheduleOptions& options, const Subject& subject, const schedule::Problem& problem,
                 const Found& found, const schedule::Timeline& timeline) {
    const double bound = boundOf(options, problem, found.best);
    fmt::print("{:<10}{} operations, {} tensors, {} control edges\n", "graph", countText(problem.operationCount()),
               countText(problem.tensorCount()), countText(static_cast<double>(problem.graph().controlEdges.size())));
    fmt::print("{:<10}{}\n", "runtime", timeText(timeline.runtime, subject.unit));
    if (options.objective == "time") printGap("run time", timeline.runtime, bound, timeText(bound, subject.unit));
    for (std::uint32_t device = 0; device < problem.deviceCount(); ++device) {
        const auto count = std::ranges::count(timeline.operations, device, &schedule::OperationRun::device);
        const double busy = [&] {
            double sum = 0.0;
            for (const schedule::OperationRun& run : timeline.operations)
                sum += run.device == device ? run.end - run.start : 0.0;
            return sum;
        }();
        fmt::print("device {}  {} operations, busy {:.1f} %, peak {}\n", device, count,
                   timeline.runtime > 0.0 ? 100.0 * busy / timeline.runtime : 0.0,
                   amountText(static_cast<double>(timeline.peak[device] + subject.residentBytes), "bytes"));
    }
    if (subject.residentBytes > 0) {
        fmt::print("{:<10}of the peak {} are weights, in every order\n", "",
                   amountText(static_cast<double>(subject.residentBytes), "bytes"));
    }
    if (options.objective == "memory") {
        const double least = bound + static_cast<double>(subject.residentBytes);
        printGap("peak", static_cast<double>(timeline.highestPeak() + subject.residentBytes), least,
                 amountText(least, "bytes"));
    }
    if (found.repeated) {
        const std::size_t count = problem.operationCount() - subject.graph.operations.size();
        const double before = static_cast<double>(found.repeated->peakBefore + subject.residentBytes);
        const double after = static_cast<double>(found.repeated->peak + subject.residentBytes);
        const double added = found.repeated->graph.addedDuration;
        fmt::print("{:<10}{} operation{} run again: peak {} before, {} after ({:.1f} % less)\n", "repeated", count,
                   count == 1 ? "" : "s", amountText(before, "bytes"), amountText(after, "bytes"),
                   before > 0.0 ? 100.0 * (1.0 - after / before) : 0.0);
        fmt::print("{:<10}they take {} ({:.1f} % more run time)\n", "", timeText(added, subject.unit),
                   timeline.runtime > added ? 100.0 * added / (timeline.runtime - added) : 0.0);
    }
    fmt::print("{:<10}{} transfers\n", "", timeline.transfers.size());
    if (found.best.isProven == false) {
        fmt::print("{:<10}not complete: a limit ended the search\n", "proof");
    } else if (found.best.isProven == true && !timeline.isFeasible()) {
        fmt::print("{:<10}no schedule needs less beyond the memory of the devices\n", "proof");
    }
    fmt::print("{}: {} evaluation{}, {:.2f} s, seed {}\n", options.strategy,
               countText(static_cast<double>(found.best.evaluations)), found.best.evaluations == 1 ? "" : "s",
               found.seconds, found.seed);
}

Json resultJson(const ScheduleOptions& options, const Subject& subject, const schedule::Problem& problem,
                const Found& found, const schedule::Timeline& timeline) {
    const bool isForTime = options.objective == "time";
    const double bound = boundOf(options, problem, found.best);
    const double value = isForTime ? timeline.runtime : static_cast<double>(timeline.highestPeak());
    Json peaks = Json::array();
    for (const std::uint64_t peak : timeline.peak) peaks.push_back(peak + subject.residentBytes);
    Json json{{"operations", problem.operationCount()},
              {"tensors", problem.tensorCount()},
              {"unit", subject.unit},
              {"strategy", options.strategy},
              {"objective", options.objective},
              {"runtime", timeline.runtime},
              {"peak_bytes", std::move(peaks)},
              {"resident_bytes", subject.residentBytes},
              {"feasible", timeline.isFeasible()},
              {"overflow_bytes", timeline.overflow},
              {"bound", isForTime ? bound : bound + static_cast<double>(subject.residentBytes)},
              {"proven", found.best.isProven.value_or(timeline.isFeasible() && isAtBound(value, bound))},
              {"evaluations", found.best.evaluations},
              {"seconds", found.seconds},
              {"valid", true},
              {"seed", found.seed},
              {"seeds", found.seeds}};
    if (found.repeated) {
        json["rematerialization"] = {
            {"repeated_operations", problem.operationCount() - subject.graph.operations.size()},
            {"peak_bytes_before", found.repeated->peakBefore + subject.residentBytes},
            {"peak_bytes", found.repeated->peak + subject.residentBytes},
            {"added_runtime", found.repeated->graph.addedDuration}};
    }
    return json;
}

Status checkRematerialization(const ScheduleOptions& options) {
    if (options.rematerializes && (options.objective != "memory" || options.devices != 1)) {
        return inputError("operations are repeated only to lower the peak memory of one device",
                          "--rematerialize --objective memory --devices 1");
    }
    if (options.rematerializes && (options.writesModel || !options.python.empty())) {
        return inputError("a model computes each node once, so that repeated operations cannot be written as one",
                          "write the schedule as .json, or leave out --rematerialize");
    }
    if (options.extraTime && !options.rematerializes) {
        return inputError("--extra-time limits what repeated operations take", "add --rematerialize");
    }
    return mitos::Success{};
}

ScheduledProgram scheduledProgram(const Subject& subject, const schedule::Problem& problem,
                                  const schedule::Timeline& timeline) {
    ScheduledProgram scheduled{subject.open, {}, {}};
    Json devices = Json::object();
    for (const std::uint32_t task : timeline.order) {
        if (task >= subject.terms.size() || !subject.terms[task].isValid()) continue;
        scheduled.order.push_back(subject.terms[task]);
        if (problem.deviceCount() > 1)
            devices[problem.graph().operations[task].name] = timeline.operations[task].device;
    }
    Json summary{{"devices", problem.deviceCount()},
                 {"runtime", timeline.runtime},
                 {"unit", subject.unit},
                 {"peak_bytes", timeline.peak},
                 {"resident_bytes", subject.residentBytes}};
    if (!devices.empty()) summary["device"] = std::move(devices);
    scheduled.summary = summary.dump(-1, ' ', false, Json::error_handler_t::replace);
    return scheduled;
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

Result<int> runSchedule(ScheduleOptions options) {
    MITOS_REQUIRE(requireOutputs(options, {{"-o", options.output}}));
    MITOS_TRY(options.writesModel, isModelOutput(options.output));
    MITOS_TRY(const search::placement::Strategy strategy, search::placement::findStrategy(options.strategy));
    MITOS_REQUIRE(checkRematerialization(options));
    InterruptGuard interrupt;
    MITOS_TRY(const Subject subject, subjectOf(options));
    MITOS_REQUIRE(requireModel(options, subject.open));
    MITOS_TRY(schedule::Machine machine, machineOf(options, subject));
    MITOS_TRY(schedule::Problem problem,
              schedule::Problem::make(subject.graph, std::move(machine), {.retainOutputs = !options.releasesOutputs}));
    MITOS_TRY(Found found, search(options, problem, strategy, interrupt.token()));
    if (options.rematerializes) {
        MITOS_TRY(problem, rematerialize(options, problem, found, interrupt.token()));
    }
    MITOS_TRY(const schedule::Timeline timeline, schedule::timelineOf(problem, found.best.schedule));
    const std::vector<std::string> faults =
        schedule::faultsOf(problem.graph(), problem.machine(), problem.options(), found.best.schedule, timeline);
    if (!faults.empty()) {
        return Error{ErrorCode::Evaluation,
                     fmt::format("the schedule is wrong, so it is not shown: {}", faults.front())};
    }
    const ScheduledProgram scheduled = scheduledProgram(subject, problem, timeline);
    std::optional<MeasuredOrders> measured;
    if (!options.python.empty()) {
        MITOS_TRY(measured, measureOrders(scheduled, options.python, interrupt.token()));
    }
    interrupt.endWork();
    if (options.json) {
        Json json = resultJson(options, subject, problem, found, timeline);
        if (measured) json["measured"] = toJson(*measured);
        print(json);
    } else {
        printResult(options, subject, problem, found, timeline);
        if (measured) print(*measured);
    }
    if (options.writesModel) {
        MITOS_REQUIRE(writeScheduled(scheduled, options.output));
    } else if (!options.output.empty()) {
        MITOS_REQUIRE(writeFile(options.output, written(options, subject, problem, found.best, timeline)));
    }
    if (timeline.isFeasible()) return Success;
    fmt::print(stderr, "no schedule was found that fits: the best one needs {} more than a device has\n",
               amountText(static_cast<double>(timeline.overflow), "bytes"));
    return CheckFailed;
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
    options->addCost(*command);
    command->add_option("--devices", options->devices, "number of devices")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    command
        ->add_option("--device-memory", options->deviceMemory, "memory of each device, as in 16GiB (default: no limit)")
        ->transform(CLI::AsSizeValue(false));
    command->add_option("--speeds", options->speeds, "speeds of the devices, separated by commas (default: 1)")
        ->delimiter(',');
    command
        ->add_option("--transfers", options->transfers,
                     "instant: a tensor is on another device at once; rendezvous: both devices wait and are occupied; "
                     "async: the link alone is")
        ->check(CLI::IsMember({"instant", "rendezvous", "async"}))
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
    command->add_option("--strategy", options->strategy, strategyHelp())->capture_default_str();
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
        ->check(CLI::NonNegativeNumber);
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
    command->callback([options, choose] { choose([options] { return runSchedule(*options); }); });
}

}  // namespace mitos::cli
