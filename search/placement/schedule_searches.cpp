// SPDX-License-Identifier: GPL-3.0-or-later
// See schedule_searches.h.
#include "search/placement/schedule_searches.h"

#include "core/base/readable_number.h"
#include "core/base/time_limit.h"
#include "core/cost/node_cost.h"
#include "core/cost/sizes.h"
#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "search/placement/rematerialize.h"
#include "search/placement/schedule_value.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace mitos::search::placement {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double Mebibyte = 1024.0 * 1024.0;
constexpr double MostMebibytes = 1e12;

std::vector<ParameterInfo> machineParameters() {
    constexpr double Largest = 1e15;
    return {
        {.name = "devices",
         .title = "Devices",
         .help = "how many there are; each runs one operation at a time",
         .defaultValue = std::int64_t{2},
         .minimum = 1,
         .maximum = schedule::MostDevices},
        {.name = "device_memory",
         .title = "Memory of each (MiB)",
         .help = "what fits on a device; 0: no limit",
         .defaultValue = 0.0,
         .minimum = 0.0,
         .maximum = MostMebibytes},
        {.name = "speeds",
         .title = "Speeds",
         .help = "of each device, separated by commas: 1,0.5; empty: all equal",
         .defaultValue = std::string()},
        {.name = "transfers",
         .title = "Transfers",
         .help = "instant: take no time; rendezvous: occupy both devices; async: occupy the link only",
         .defaultValue = schedule::nameOf(schedule::TransferMode::Instant),
         .choices = schedule::transferModes()},
        {.name = "latency",
         .title = "Latency",
         .help = "of a transfer, in the unit of the cost model",
         .defaultValue = 0.0,
         .minimum = 0.0,
         .maximum = Largest},
        {.name = "bandwidth",
         .title = "Bandwidth",
         .help = "bytes for each unit of the cost model on a link; 0: no limit",
         .defaultValue = 0.0,
         .minimum = 0.0,
         .maximum = Largest},
        {.name = "durations",
         .title = "Durations by",
         .help = "the cost model that says how long operations take if the peak memory is the objective; empty: the "
                 "usual one",
         .defaultValue = std::string()},
        {.name = "release_outputs",
         .title = "Release outputs",
         .help = "whether results of the graph are released as soon as they are made, as with the REGAL paper's "
                 "synthetic graphs",
         .defaultValue = false},
        {.name = "rematerialize",
         .title = "Rematerialize",
         .help = "for the peak memory of one device: whether operations run again afterwards instead of keeping their "
                 "results, where that lowers the peak",
         .defaultValue = false},
        {.name = "extra_time",
         .title = "Extra time (%)",
         .help = "the most run time that rematerializing may add; 0: no limit",
         .defaultValue = 0.0,
         .minimum = 0.0,
         .maximum = Largest}};
}

std::vector<double> speedsIn(std::string_view text) {
    std::vector<double> speeds;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        std::string_view word = text.substr(0, comma);
        while (word.starts_with(' ')) word.remove_prefix(1);
        double speed = -1.0;  // refused with the machine
        std::from_chars(word.data(), word.data() + word.size(), speed);
        speeds.push_back(speed);
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return speeds;
}

Result<schedule::Machine> machineOf(const ParameterValues& values, std::uint64_t residentBytes) {
    const auto number = [&values](const char* name) { return std::get<double>(values.at(name)); };
    const auto devices = static_cast<std::uint32_t>(std::get<std::int64_t>(values.at("devices")));
    std::uint64_t memory = schedule::UnlimitedMemory;
    if (number("device_memory") > 0.0) {
        memory = static_cast<std::uint64_t>(number("device_memory") * Mebibyte);
        if (residentBytes > memory) {
            return Error{ErrorCode::Limit,
                         fmt::format("the weights alone take {}, {} more than the device has",
                                     amountText(static_cast<double>(residentBytes), "bytes"),
                                     amountText(static_cast<double>(residentBytes - memory), "bytes")),
                         std::nullopt, "give it more memory, or take more devices"};
        }
        memory -= residentBytes;
    }
    schedule::Machine machine = schedule::equalDevices(devices, memory);
    machine.transfers = *schedule::transferModeNamed(std::get<std::string>(values.at("transfers")));
    machine.latency = number("latency");
    if (number("bandwidth") > 0.0) machine.bandwidth = number("bandwidth");
    const std::vector<double> speeds = speedsIn(std::get<std::string>(values.at("speeds")));
    if (!speeds.empty() && speeds.size() != devices) {
        return inputError(fmt::format("there are {} speeds for {} devices", speeds.size(), devices),
                          "give one for each device, separated by commas");
    }
    for (std::size_t i = 0; i < speeds.size(); ++i) machine.devices[i].speed = speeds[i];
    MITOS_REQUIRE(schedule::checkMachine(machine));
    return machine;
}

/// The numbers of the nodes that operations are.
std::vector<std::uint32_t> numbersOf(const ir::TermBank& bank, ir::TermId root, std::span<const ir::TermId> terms) {
    absl::flat_hash_map<ir::TermId, std::uint32_t> numbers;
    for (const ir::TermId node : ir::SharedNodes(bank, root))
        numbers.emplace(node, static_cast<std::uint32_t>(numbers.size()));
    std::vector<std::uint32_t> nodes;
    for (const ir::TermId term : terms) {
        const auto found = numbers.find(term);
        nodes.push_back(found == numbers.end() ? schedule::NoNode : found->second);
    }
    return nodes;
}

/// Whether a value is a bound, but for rounding.
bool isAtBound(double value, double bound) {
    constexpr double Rounding = 1e-12;
    return value <= bound * (1.0 + Rounding);
}

/// Turns the reports of a strategy into events.
class EventSource {
public:
    /// No schedule costs less than `bound`.
    EventSource(Observer& observer, double initialCost, double bound, bool isForMemory, std::uint64_t residentBytes)
        : m_observer(observer),
          m_best(initialCost),
          m_bound(bound),
          m_isForMemory(isForMemory),
          m_resident(static_cast<double>(residentBytes)) {
        send(Started{});
    }

    /// Returns whether the search goes on: not where no schedule is better. `find` makes the best result so far.
    bool report(const random_keys::GenerationReport& report, FindBest find) {
        m_evaluations = report.evaluations;
        const double best = costOf(report.best);
        const bool isBetter = best < m_best;
        const double now = elapsed();
        if (!isBetter && now < m_nextAt) return true;
        m_nextAt = now + Interval;
        if (isBetter) {
            m_best = best;
            send(Improved{});
        }
        send(Generation{.number = report.generation,
                        .best = costOf(report.generationBest),
                        .mean = costOf(report.mean),
                        .diversity = report.diversity});
        m_observer.onBest(find);
        return !isAtBound(m_best, m_bound);
    }

    void finish(StopReason reason, double best, std::uint64_t evaluations) {
        m_evaluations = evaluations;
        if (best < m_best) {
            m_best = best;
            send(Improved{});
        }
        send(Finished{reason});
    }
    [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(Clock::now() - m_begin).count(); }

private:
    static constexpr double Interval = 0.05;

    /// The cost that a fitness means; infinite for what does not fit into memory.
    [[nodiscard]] double costOf(const random_keys::Fitness& fitness) const {
        if (m_isForMemory) return fitness.primary + m_resident;
        return fitness.primary > 0.0 ? std::numeric_limits<double>::infinity() : fitness.secondary;
    }
    void send(EventBody what) {
        SearchEvent event;
        event.what = std::move(what);
        event.seconds = elapsed();
        event.evaluations = m_evaluations;
        event.states = m_evaluations;
        event.cost = event.best = m_best;
        m_observer.onEvent(event);
    }

    Observer& m_observer;
    double m_best;
    const double m_bound;
    const bool m_isForMemory;
    const double m_resident;
    std::uint64_t m_evaluations = 0;
    double m_nextAt = 0.0;
    const Clock::time_point m_begin = Clock::now();
};

StopReason reasonOf(const Placement& found, const Request& request, double seconds) {
    if (request.stop.stop_requested()) return StopReason::Stopped;
    if (request.seconds && seconds >= *request.seconds) return StopReason::Seconds;
    return request.evaluations > 0 && found.evaluations >= request.evaluations ? StopReason::Evaluations
                                                                               : StopReason::Exhausted;
}

/// Lets operations run again instead of keeping their results, if that lowers the peak of a schedule for one device.
Status rematerializeIn(schedule::ScheduledGraph& scheduled, const schedule::Problem& problem, double extraPercent,
                       const std::stop_token& stop) {
    if (!scheduled.isForMemory || problem.deviceCount() != 1) {
        return inputError("operations are repeated only to lower the peak memory of one device",
                          "ask for the peak memory, on one device, or do not rematerialize");
    }
    MITOS_TRY(const schedule::Timeline timeline, schedule::timelineOf(problem, scheduled.schedule));
    constexpr double Percent = 100.0;
    RematerializationOptions options{.stop = stop};
    if (extraPercent > 0.0) options.mostAdded = timeline.runtime * extraPercent / Percent;
    Rematerialization found = rematerialize(problem, timeline.order, options);
    if (found.peak >= found.peakBefore) return Success{};
    const auto first = static_cast<std::uint32_t>(scheduled.graph.operations.size());
    scheduled.repeated = {.first = first, .peakBefore = found.peakBefore + scheduled.residentBytes};
    const auto repeat = [&](auto& byOperation) {
        if (byOperation.empty()) return;
        for (std::size_t i = first; i < found.graph.original.size(); ++i)
            byOperation.push_back(byOperation[found.graph.original[i]]);
    };
    repeat(scheduled.nodes);
    repeat(scheduled.operators);
    scheduled.graph = std::move(found.graph.graph);
    scheduled.schedule = schedule::inOrder(std::vector<std::uint32_t>(found.order.size(), 0), found.order);
    return Success{};
}

class ScheduleSearch final : public DescribedStrategy {
public:
    ScheduleSearch(placement::Strategy strategy, Execution execution)
        : m_strategy(std::move(strategy)),
          m_execution(std::move(execution)),
          m_info{.name = searchName(m_strategy.name),
                 .label = "Schedule: " + m_strategy.name,
                 .title = m_strategy.title,
                 .description = m_strategy.description,
                 .parameters = machineParameters(),
                 .randomized = m_strategy.isRandomized,
                 .needs = ir::Capability::Schedule} {
        m_info.parameters.insert(m_info.parameters.end(), m_strategy.parameters.begin(), m_strategy.parameters.end());
    }

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const ir::Dialect& dialect = problem.bank.dialect(problem.program.function);
        if (!dialect.can(ir::Capability::Schedule)) {
            return inputError(fmt::format("{} programs are not scheduled", dialect.name),
                              "give a tensor program, a model or a task graph");
        }
        SearchResult result;
        result.bank = std::make_shared<ir::TermBank>(problem.bank.sharedRegistry());
        result.thread = rewrite::transplant(problem.bank, rewrite::Thread{problem.program, {}, {}}, *result.bank);
        result.check = rewrite::check(*result.bank, result.thread);
        const ir::Program& start = result.thread.start;
        const auto evaluator = problem.cost->evaluator(*result.bank, start.function);
        MITOS_TRY(result.initialCost, evaluator->cost(start.root, stop));
        result.costs = {result.initialCost};

        MITOS_TRY(schedule::ScheduledGraph scheduled, subjectOf(problem, *result.bank, start, parameters));
        MITOS_TRY(const schedule::Problem scheduling,
                  schedule::Problem::make(scheduled.graph, scheduled.machine, scheduled.options));
        const auto resident = scheduled.isForMemory ? static_cast<double>(scheduled.residentBytes) : 0.0;
        const double bound = scheduled.isForMemory ? static_cast<double>(schedule::peakBound(scheduling)) + resident
                                                   : schedule::runtimeBounds(scheduling).best();
        if (bound > 0.0) scheduled.bound = bound;
        // Among schedules of the least peak the fastest is the best, so that only a run time ends the search.
        const double end = scheduled.isForMemory ? 0.0 : bound;
        EventSource events(observer, result.initialCost, end, scheduled.isForMemory, scheduled.residentBytes);
        const Budget budget = completed(problem.budget);
        const TimeLimit limit(budget.seconds.value_or(0.0), stop);
        // Half of the time is for the order, and the rest for operations that run again.
        const bool isRepeating = std::get<bool>(parameters.at("rematerialize"));
        const Request request{
            .objective = scheduled.isForMemory ? Objective::Memory : Objective::Runtime,
            .seed = problem.seed,
            .evaluations = budget.evaluations.value_or(0),
            .seconds = isRepeating && budget.seconds ? std::optional(*budget.seconds / 2.0) : budget.seconds,
            .threads = m_execution.threads,
            .parameters = ownParameters(parameters),
            .stop = stop,
            .observer =
                [&](const Progress& progress) {
                    return events.report(progress.generation,
                                         [&] { return bestSoFar(result, scheduled, scheduling, progress.best()); });
                },
            .team = m_strategy.hasIslands ? m_execution.team : nullptr};
        MITOS_TRY(Placement found, place(m_strategy, scheduling, request));
        scheduled.schedule = std::move(found.schedule);
        if (isRepeating) {
            MITOS_REQUIRE(
                rematerializeIn(scheduled, scheduling, std::get<double>(parameters.at("extra_time")), limit.token()));
        } else if (found.bound) {
            scheduled.bound = std::max(bound, *found.bound + resident);
        }
        MITOS_TRY(const schedule::Problem whole,
                  schedule::Problem::make(scheduled.graph, scheduled.machine, scheduled.options));
        MITOS_TRY(schedule::Timeline timeline, schedule::timelineOf(whole, scheduled.schedule));
        result.bestCost = costOf(scheduled, timeline);
        scheduled.isProven = timeline.isFeasible() && isAtBound(result.bestCost, scheduled.bound.value_or(0.0));
        if (!isRepeating && found.isProven) scheduled.isProven = *found.isProven;
        if (found.isProven == false && !scheduled.isProven)
            result.notes.emplace_back("the proof is not complete: a limit ended the search");
        const auto value = std::make_shared<const ScheduleValue>(std::move(scheduled), std::move(timeline));
        if (!value->timeline().isFeasible()) return doesNotFit(value);
        result.outcome = value;
        result.statistics.evaluations = found.evaluations;
        result.statistics.states = found.evaluations;
        result.statistics.seconds = events.elapsed();
        result.reason = reasonOf(found, request, events.elapsed());
        events.finish(result.reason, result.bestCost, found.evaluations);
        return result;
    }

private:
    [[nodiscard]] ParameterValues ownParameters(const ParameterValues& all) const {
        ParameterValues own;
        for (const ParameterInfo& info : m_strategy.parameters) own.insert_or_assign(info.name, all.at(info.name));
        return own;
    }

    [[nodiscard]] static double costOf(const schedule::ScheduledGraph& scheduled, const schedule::Timeline& timeline) {
        return scheduled.isForMemory ? static_cast<double>(highestPeakOf(scheduled, timeline)) : timeline.runtime;
    }

    /// The start with a schedule; nothing if it does not fit into memory.
    [[nodiscard]] static std::optional<BestSoFar> bestSoFar(const SearchResult& result,
                                                            schedule::ScheduledGraph scheduled,
                                                            const schedule::Problem& problem,
                                                            schedule::Schedule found) {
        Result<schedule::Timeline> timeline = schedule::timelineOf(problem, found);
        if (!timeline || !timeline->isFeasible()) return std::nullopt;
        BestSoFar best{std::make_shared<ir::TermBank>(result.bank->sharedRegistry()), {}, result.costs};
        best.thread = rewrite::transplant(*result.bank, result.thread, *best.bank);
        scheduled.schedule = std::move(found);
        best.outcomeCost = costOf(scheduled, *timeline);
        best.outcome = std::make_shared<const ScheduleValue>(std::move(scheduled), *std::move(timeline));
        return best;
    }

    [[nodiscard]] Error doesNotFit(const std::shared_ptr<const ScheduleValue>& value) const {
        if (m_execution.onUnfit) m_execution.onUnfit(value);
        const std::string least = amountText(static_cast<double>(value->timeline().overflow), "bytes");
        return {
            ErrorCode::Limit,
            value->scheduled().isProven
                ? fmt::format("no schedule fits: each needs at least {} more than a device has", least)
                : fmt::format("no schedule was found that fits: the best one needs {} more than a device has", least),
            std::nullopt, "give the devices more memory, or take more of them"};
    }

    /// The graph and the machine, without a schedule.
    [[nodiscard]] static Result<schedule::ScheduledGraph> subjectOf(const SearchProblem& problem, ir::TermBank& bank,
                                                                    const ir::Program& program,
                                                                    const ParameterValues& parameters) {
        schedule::ScheduledGraph scheduled;
        scheduled.isForMemory = isOfMemory(problem.cost->info());
        scheduled.options.retainOutputs = !std::get<bool>(parameters.at("release_outputs"));
        std::shared_ptr<const cost::CostModel> model = problem.cost;
        if (scheduled.isForMemory) {
            const ir::Dialect& dialect = bank.dialect(program.function);
            const std::string& asked = std::get<std::string>(parameters.at("durations"));
            MITOS_TRY(model, cost::findCostModel(asked.empty() ? dialect.defaultCost : asked, dialect.name));
            if (isOfMemory(model->info()))
                return inputError(fmt::format("{} says no durations", model->info().name), "name a model of time");
        }
        const auto devices = static_cast<std::size_t>(std::get<std::int64_t>(parameters.at("devices")));
        MITOS_TRY(schedule::ProgramGraph graph, graphUnder(*model, problem.cost->info(), bank, program, devices));
        MITOS_TRY(scheduled.machine, machineOf(parameters, graph.residentBytes));
        scheduled.nodes = numbersOf(bank, program.root, graph.terms);
        for (const ir::TermId term : graph.terms)
            scheduled.operators.emplace_back(term.isValid() ? bank.opName(term) : std::string_view());
        scheduled.graph = std::move(graph.graph);
        if (!graph.hasOwnDurations) scheduled.unit = model->info().unit;
        scheduled.residentBytes = graph.residentBytes;
        return scheduled;
    }

    placement::Strategy m_strategy;
    Execution m_execution;
    StrategyInfo m_info;
};

}  // namespace

std::string searchName(std::string_view strategy) { return fmt::format("schedule-{}", strategy); }

bool isOfMemory(const cost::CostModelInfo& model) { return model.unit == "bytes"; }

std::shared_ptr<const cost::CostModel> memoryModelFor(const ir::Dialect& dialect,
                                                      const cost::CostModelInfo& durations) {
    for (const auto& model : cost::costModelsFor(dialect.name)) {
        if (!isOfMemory(model->info())) continue;
        ParameterValues values = model->info().values;
        const auto sizes = durations.values.find("sizes");
        if (sizes != durations.values.end() && values.contains("sizes")) values["sizes"] = sizes->second;
        const auto sized = cost::findCostModel(cost::costModelName(model->info(), values));
        return sized ? *sized : model;
    }
    return nullptr;
}

Result<schedule::ProgramGraph> graphUnder(const cost::CostModel& durations, const cost::CostModelInfo& sized,
                                          const ir::TermBank& bank, const ir::Program& program, std::size_t devices) {
    const auto evaluator = durations.evaluator(bank, program.function);
    MITOS_TRY(const std::vector<cost::NodeCost> costs, evaluator->explainNodes(program.root));
    MITOS_TRY(cost::AssumedSizes sizes, cost::readSizes(cost::sizesOf(sized), 1));
    return schedule::graphOf(bank, program, costs, {.sizes = std::move(sizes), .hasWeights = devices > 1});
}

std::shared_ptr<const search::Strategy> scheduleSearch(const placement::Strategy& strategy, Execution execution) {
    return std::make_shared<const ScheduleSearch>(strategy, std::move(execution));
}

std::vector<std::shared_ptr<const search::Strategy>> scheduleSearches() {
    std::vector<std::shared_ptr<const search::Strategy>> searches;
    for (const placement::Strategy& strategy : placement::strategies()) searches.push_back(scheduleSearch(strategy));
    return searches;
}

}  // namespace mitos::search::placement
