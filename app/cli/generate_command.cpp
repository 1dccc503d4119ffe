// SPDX-License-Identifier: GPL-3.0-or-later
// `generate`: makes task graphs at random.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "core/base/readable_number.h"
#include "core/schedule/generators.h"
#include "core/tasks/files/task_graph_json.h"
#include "core/tasks/files/task_text.h"
#include "search/parallel.h"
#include "search/placement/headroom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

using schedule::GraphFamily;
using schedule::StandardDurations;
using schedule::StandardEdges;
using search::placement::Objective;

template <typename Value>
struct Named {
    std::string_view name;
    Value value;
};
constexpr std::array Families{Named<GraphFamily>{"erdos-renyi", GraphFamily::ErdosRenyi},
                              Named<GraphFamily>{"barabasi-albert", GraphFamily::BarabasiAlbert},
                              Named<GraphFamily>{"watts-strogatz", GraphFamily::WattsStrogatz},
                              Named<GraphFamily>{"stochastic-blocks", GraphFamily::StochasticBlocks}};
constexpr std::array StandardFamilies{Named<StandardEdges>{"sameprob", StandardEdges::SameProbability},
                                      Named<StandardEdges>{"samepred", StandardEdges::SamePredecessors},
                                      Named<StandardEdges>{"layrprob", StandardEdges::LayersByProbability},
                                      Named<StandardEdges>{"layrpred", StandardEdges::LayersByPredecessors}};
constexpr std::array Durations{Named<StandardDurations>{"uniform", StandardDurations::Uniform},
                               Named<StandardDurations>{"exponential", StandardDurations::Exponential},
                               Named<StandardDurations>{"normal", StandardDurations::Normal}};
constexpr std::string_view Planted = "planted";
constexpr std::string_view PlantedMemory = "planted-memory";

template <typename Value, std::size_t Count>
std::optional<Value> valueOf(const std::array<Named<Value>, Count>& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &Named<Value>::name);
    return found == all.end() ? std::nullopt : std::optional(found->value);
}

std::vector<std::string> familyNames() {
    std::vector<std::string> names;
    for (const auto& each : Families) names.emplace_back(each.name);
    for (const auto& each : StandardFamilies) names.emplace_back(each.name);
    names.emplace_back(Planted);
    names.emplace_back(PlantedMemory);
    return names;
}

std::vector<std::string> durationNames() {
    std::vector<std::string> names;
    for (const auto& each : Durations) names.emplace_back(each.name);
    return names;
}

struct GenerateOptions : CommonOptions {
    std::string family;
    std::uint64_t seed = 1;
    std::optional<std::uint32_t> operations;
    std::string durations = "uniform";
    std::uint32_t devices = 2;
    double latency = 0.0;
    std::optional<double> bandwidth;
    std::optional<double> gain;  ///< percent
    std::string objective = "time";
    std::string output = "-";
};

/// A graph, with what is known of it.
struct Generated {
    schedule::TaskGraph graph;
    std::uint64_t seed = 1;
    std::optional<double> optimum = {};  ///< run time, or bytes of the highest peak
};

Result<Generated> generatedSynthetic(const GenerateOptions& options, GraphFamily family) {
    const schedule::SyntheticOptions how{.family = family, .operations = options.operations.value_or(0)};
    if (!options.gain) return Generated{schedule::syntheticGraph(how, options.seed), options.seed};
    constexpr double Percent = 100.0;
    InterruptGuard interrupt;
    MITOS_TRY(search::placement::KeptGraph kept,
              search::placement::nextKeptGraph(
                  how, {.machine = schedule::equalDevices(options.devices), .firstSeed = options.seed},
                  {.objective = options.objective == "memory" ? Objective::Memory : Objective::Runtime,
                   .least = *options.gain / Percent,
                   .threads = search::defaultJobs(),
                   .stop = interrupt.token()}));
    return Generated{std::move(kept.graph), kept.seed};
}

Result<Generated> generated(const GenerateOptions& options) {
    if (const auto family = valueOf(Families, options.family)) return generatedSynthetic(options, *family);
    if (options.gain) {
        return inputError("--gain is for the four families of the REGAL paper",
                          fmt::format("take one of {}, {}, {}, {}", Families[0].name, Families[1].name,
                                      Families[2].name, Families[3].name));
    }
    constexpr std::uint32_t Usual = 100;
    const std::uint32_t operations = options.operations.value_or(Usual);
    if (const auto edges = valueOf(StandardFamilies, options.family)) {
        schedule::StandardOptions how{
            .edges = *edges, .durations = *valueOf(Durations, options.durations), .operations = operations};
        const bool isByProbability =
            *edges == StandardEdges::SameProbability || *edges == StandardEdges::LayersByProbability;
        if (isByProbability) how.density = 0.1;  // as half of the set has it
        return Generated{schedule::standardGraph(how, options.seed), options.seed};
    }
    if (operations % options.devices != 0) {
        return inputError(
            fmt::format("{} operations are not the same number for each of {} devices", operations, options.devices),
            "the planted schedule has as many on each device");
    }
    const bool isForMemory = options.family == PlantedMemory;
    schedule::PlantedOptions how{.devices = options.devices, .tasksPerDevice = operations / options.devices};
    if (how.length < how.tasksPerDevice) how.length = 10 * how.tasksPerDevice;
    how.latency = options.latency;
    if (options.bandwidth) how.bandwidth = *options.bandwidth;
    schedule::PlantedGraph planted =
        isForMemory ? schedule::plantedMemoryGraph(how, options.seed) : schedule::plantedGraph(how, options.seed);
    return Generated{std::move(planted.graph), options.seed, planted.optimum};
}

/// The arguments of `schedule` for which the optimum is that of a planted graph.
std::string scheduleArguments(const GenerateOptions& options) {
    std::string text = fmt::format("{} --devices {}", options.output, options.devices);
    if (options.family == PlantedMemory) return text + " --objective memory --release-outputs";
    if (options.latency == 0.0 && !options.bandwidth) return text;
    text += fmt::format(" --transfers async --latency {}", options.latency);
    if (options.bandwidth) text += fmt::format(" --bandwidth {}", *options.bandwidth);
    return text;
}

Result<int> runGenerate(const GenerateOptions& options) {
    MITOS_REQUIRE(requireOutputs(options, {{"-o", options.output}}));
    MITOS_TRY(const Generated made, generated(options));
    const std::string name = fmt::format("{}-{}", options.family, made.seed);
    std::string word = name;
    std::ranges::replace(word, '-', '_');
    const std::string text =
        options.output.ends_with(".json") ? tasks::toJson(made.graph) : tasks::printGraph(made.graph, word).text;
    if (options.json) {
        Json json{{"name", name},
                  {"seed", made.seed},
                  {"operations", made.graph.operations.size()},
                  {"tensors", made.graph.tensors.size()},
                  {"control_edges", made.graph.controlEdges.size()}};
        if (made.optimum) json["optimum"] = *made.optimum;
        if (options.output == "-") json["text"] = text;
        print(json);
        if (options.output == "-") return ExitStatus::Success;
    }
    MITOS_REQUIRE(writeFile(options.output, text));
    if (options.json || options.output == "-") return ExitStatus::Success;
    fmt::print("{}: {} operations, {} tensors, seed {}\n", options.output,
               countText(static_cast<double>(made.graph.operations.size())),
               countText(static_cast<double>(made.graph.tensors.size())), made.seed);
    if (made.optimum) {
        const bool isForMemory = options.family == PlantedMemory;
        fmt::print("the least {} of `mitos-cli schedule {}` is {}\n", isForMemory ? "peak" : "run time",
                   scheduleArguments(options), amountText(*made.optimum, isForMemory ? "bytes" : "units of time"));
    }
    return ExitStatus::Success;
}

}  // namespace

void addGenerateCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand(
        "generate",
        "make a task graph at random: those of the REGAL paper, ones like the Standard Task Graph Set, and "
        "ones whose optimum is known");
    auto options = std::make_shared<GenerateOptions>();
    command
        ->add_option("FAMILY", options->family,
                     "erdos-renyi, barabasi-albert, watts-strogatz, stochastic-blocks: as in the REGAL paper\n"
                     "sameprob, samepred, layrprob, layrpred: like the Standard Task Graph Set\n"
                     "planted, planted-memory: with a schedule that is known to be the best")
        ->required()
        ->check(CLI::IsMember(familyNames()));
    command->add_option("--seed", options->seed, "the same seed makes the same graph")
        ->check(wholeNumber())
        ->capture_default_str();
    command
        ->add_option("--operations", options->operations,
                     "how many (default: 100; of the REGAL paper's, between 50 and 200 at random)")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--durations", options->durations, "of graphs like the Standard Task Graph Set")
        ->check(CLI::IsMember(durationNames()))
        ->capture_default_str();
    command->add_option("--devices", options->devices, "of planted schedules, and of the searches for --gain")
        ->check(CLI::Range(1U, schedule::MostDevices))
        ->capture_default_str();
    command->add_option("--latency", options->latency, "of transfers in planted schedules, which are asynchronous then")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--bandwidth", options->bandwidth, "likewise: bytes for each unit of time (default: no limit)")
        ->check(positiveNumber());
    command
        ->add_option(
            "--gain", options->gain,
            "of the REGAL paper's families, the first graph from --seed on that 50,000 evaluations schedule so "
            "many percent better than 1,000 do (the paper: 20)")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--objective", options->objective, "of --gain")
        ->check(CLI::IsMember({"time", "memory"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "a .tasks or a .json file; - is standard output")
        ->capture_default_str();
    options->addJson(*command);
    command->callback([options, choose] { choose([options] { return runGenerate(*options); }); });
}

}  // namespace mitos::cli
