// SPDX-License-Identifier: GPL-3.0-or-later
// See schedule_searches.h.
#include "search/placement/schedule_searches.h"

#include "core/base/readable_number.h"
#include "core/cost/node_cost.h"
#include "core/cost/sizes.h"
#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/schedule/program_graph.h"
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
constexpr double MostDevices = 256.0;
constexpr double MostMebibytes = 1e12;

std::vector<ParameterInfo> machineParameters() {
    constexpr double Largest = 1e15;
    return {
        {.name = "devices",
         .title = "Devices",
         .help = "how many there are; each runs one operation at a time",
         .defaultValue = std::int64_t{2},
         .minimum = 1,
         .maximum = MostDevices},
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
         .defaultValue = std::string("instant"),
         .choices = {"instant", "rendezvous", "async"}},
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
         .defaultValue = std::string()}};
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
    const std::string& transfers = std::get<std::string>(values.at("transfers"));
    machine.transfers = transfers == "rendezvous" ? schedule::TransferMode::Rendezvous
                        : transfers == "async"    ? schedule::TransferMode::Async
                                                  : schedule::TransferMode::Instant;
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

    /// Returns whether the search goes on: not where no schedule is better.
    bool report(const random_keys::GenerationReport& report) {
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
        constexpr double Rounding = 1e-12;
        return m_best > m_bound * (1.0 + Rounding);
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

class ScheduleSearch final : public DescribedStrategy {
public:
    explicit ScheduleSearch(placement::Strategy strategy)
        : m_strategy(std::move(strategy)),
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
        const auto resident = static_cast<double>(scheduled.residentBytes);
        const double bound = scheduled.isForMemory ? static_cast<double>(schedule::peakBound(scheduling)) + resident
                                                   : schedule::runtimeBounds(scheduling).best();
        // Among schedules of the least peak the fastest is the best, so that only a run time ends the search.
        const double end = scheduled.isForMemory ? 0.0 : bound;
        EventSource events(observer, result.initialCost, end, scheduled.isForMemory, scheduled.residentBytes);
        const Budget budget = completed(problem.budget);
        const Request request{
            .objective = scheduled.isForMemory ? Objective::Memory : Objective::Runtime,
            .seed = problem.seed,
            .evaluations = budget.evaluations.value_or(0),
            .seconds = budget.seconds,
            .parameters = ownParameters(parameters),
            .stop = stop,
            .observer = [&events](const random_keys::GenerationReport& report) { return events.report(report); }};
        MITOS_TRY(Placement found, place(m_strategy, scheduling, request));
        MITOS_TRY(schedule::Timeline timeline, schedule::timelineOf(scheduling, found.schedule));
        if (!timeline.isFeasible()) {
            return Error{ErrorCode::Limit,
                         fmt::format("no schedule was found that fits: the best one needs {} more than a device has",
                                     amountText(static_cast<double>(timeline.overflow), "bytes")),
                         std::nullopt, "give the devices more memory, or take more of them"};
        }
        scheduled.schedule = std::move(found.schedule);
        const double known = found.bound ? *found.bound + (scheduled.isForMemory ? resident : 0.0) : 0.0;
        if (std::max(bound, known) > 0.0) scheduled.bound = std::max(bound, known);
        result.bestCost =
            scheduled.isForMemory ? static_cast<double>(highestPeakOf(scheduled, timeline)) : timeline.runtime;
        result.outcome = std::make_shared<const ScheduleValue>(std::move(scheduled), std::move(timeline));
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

    /// The graph and the machine, without a schedule.
    [[nodiscard]] static Result<schedule::ScheduledGraph> subjectOf(const SearchProblem& problem, ir::TermBank& bank,
                                                                    const ir::Program& program,
                                                                    const ParameterValues& parameters) {
        schedule::ScheduledGraph scheduled;
        scheduled.isForMemory = isOfMemory(problem.cost->info());
        std::shared_ptr<const cost::CostModel> model = problem.cost;
        if (scheduled.isForMemory) {
            const ir::Dialect& dialect = bank.dialect(program.function);
            const std::string& asked = std::get<std::string>(parameters.at("durations"));
            MITOS_TRY(model, cost::findCostModel(asked.empty() ? dialect.defaultCost : asked, dialect.name));
            if (isOfMemory(model->info()))
                return inputError(fmt::format("{} says no durations", model->info().name), "name a model of time");
        }
        const auto evaluator = model->evaluator(bank, program.function);
        MITOS_TRY(const std::vector<cost::NodeCost> costs, evaluator->explainNodes(program.root));
        MITOS_TRY(cost::AssumedSizes sizes, cost::readSizes(cost::sizesOf(problem.cost->info()), 1));
        const bool hasSeveral = std::get<std::int64_t>(parameters.at("devices")) > 1;
        MITOS_TRY(schedule::ProgramGraph graph,
                  schedule::graphOf(bank, program, costs, {.sizes = std::move(sizes), .hasWeights = hasSeveral}));
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
    StrategyInfo m_info;
};

}  // namespace

std::string searchName(std::string_view strategy) { return fmt::format("schedule-{}", strategy); }

bool isOfMemory(const cost::CostModelInfo& model) { return model.unit == "bytes"; }

std::vector<std::shared_ptr<const search::Strategy>> scheduleSearches() {
    std::vector<std::shared_ptr<const search::Strategy>> searches;
    for (const placement::Strategy& strategy : placement::strategies())
        searches.push_back(std::make_shared<const ScheduleSearch>(strategy));
    return searches;
}

}  // namespace mitos::search::placement
