// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/genetic.h"

#include "search/placement/frontier.h"
#include "search/placement/internal/strategy_parts.h"
#include "search/placement/simple_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::search::placement {

using namespace internal;
using schedule::PerformanceModel;
using schedule::Problem;
using schedule::Schedule;

namespace {

/// One generation of any size. Individuals are independent if none is bred, so that it is drawn in parts: each has the best individual before it,
/// which is not evaluated again, and new ones.
void makeOneGeneration(random_keys::Settings& settings) {
    settings.elites = 1;
    settings.mutants = settings.population - 1;
    settings.exchangeEvery = 0;
    settings.shakeAfter = 0;
    settings.relinkEvery = 0;
}

}  // namespace

std::vector<ParameterInfo> geneticParameters(const GeneticDefaults& defaults) {
    constexpr double Most = 100'000.0;
    return {
        {.name = "decode",
         .title = "Keys mean",
         .help = "finish: a priority for each operation, which goes where it ends first; paper: affinities to the "
                 "devices and priorities; usual: finish for run time, paper for memory",
         .defaultValue = std::string("usual"),
         .choices = {"usual", "finish", "paper"}},
        {.name = "starts",
         .title = "Start from heuristics",
         .help = "whether schedules of simple methods are among the first individuals",
         .defaultValue = true},
        {.name = "population",
         .title = "Population",
         .help = "individuals of an island",
         .defaultValue = defaults.population,
         .minimum = 4,
         .maximum = Most},
        {.name = "elites",
         .title = "Elites",
         .help = "the best ones, which survive",
         .defaultValue = defaults.elites,
         .minimum = 1,
         .maximum = Most},
        {.name = "mutants",
         .title = "Mutants",
         .help = "new ones in each generation",
         .defaultValue = defaults.mutants,
         .minimum = 0,
         .maximum = Most},
        {.name = "inheritance",
         .title = "Inheritance",
         .help = "the probability that a child has the key of its elite parent",
         .defaultValue = defaults.inheritance,
         .minimum = 0.0,
         .maximum = 1.0},
        {.name = "islands",
         .title = "Islands",
         .help = "populations side by side, which exchange their best and may be shared by several processes",
         .defaultValue = std::int64_t{1},
         .minimum = 1,
         .maximum = 1024},
        {.name = "distinct",
         .title = "Distinct elites",
         .help = "whether individuals that mean the schedule of a better one rank behind all others",
         .defaultValue = false},
        {.name = "justify",
         .title = "Justify schedules",
         .help = "whether each schedule is shifted to its end and back to its start, which counts as three "
                 "evaluations; for run time with instant transfers, no limit of memory, and keys of finish",
         .defaultValue = true},
        {.name = "shake",
         .title = "Shake after",
         .help = "generations without an improvement after which the elites are shaken; 0: never",
         .defaultValue = std::int64_t{0},
         .minimum = 0,
         .maximum = Most},
        {.name = "relink",
         .title = "Relink after",
         .help = "generations after which the children lie on a path from the best individual to another good one; "
                 "0: never",
         .defaultValue = std::int64_t{0},
         .minimum = 0,
         .maximum = Most},
        {.name = "generations",
         .title = "Generations",
         .help = "0: as many as the evaluations allow; 1: all individuals are drawn as mutants are, which is random "
                 "search, and with a policy the REGAL paper's IDRS",
         .defaultValue = std::int64_t{0},
         .minimum = 0,
         .maximum = 1},
        {.name = "checkpoint",
         .title = "Checkpoint",
         .help = "a file that keeps the state of the search, which goes on from it if it is there; empty: none",
         .defaultValue = std::string()}};
}

const char* nameOf(Decode decode) { return decode == Decode::Paper ? "paper" : "finish"; }

Decode decodeIn(const ParameterValues& values, Objective objective) {
    const std::string& decode = std::get<std::string>(values.at("decode"));
    const bool isFinish = decode == "finish" || (decode == "usual" && objective == Objective::Runtime);
    return isFinish ? Decode::EarliestFinish : Decode::Paper;
}

GeneticStarts geneticStarts(const Problem& problem, const Request& request) {
    GeneticStarts starts;
    if (!std::get<bool>(request.parameters.at("starts"))) return starts;
    starts.schedules = usualStarts(problem, request.objective);
    if (problem.deviceCount() == 1 && request.objective == Objective::Memory) {
        constexpr std::size_t QuickStates = 50'000;
        const MemoryOrder exact = leastMemoryOrder(problem, {.states = QuickStates, .stop = request.stop});
        starts.schedules.push_back(onOneDevice(problem, exact.order));
        starts.bound = static_cast<double>(exact.bound);
    }
    return starts;
}

Result<Placement> runGeneticWith(const Problem& problem, const Request& request, GeneticStarts starts,
                                 random_keys::MutantDistributions mutants) {
    const ParameterValues& values = request.parameters;
    BrkgaOptions options{.objective = request.objective,
                         .decode = decodeIn(values, request.objective),
                         .settings = {.seed = request.seed,
                                      .population = static_cast<std::uint32_t>(whole(values, "population")),
                                      .elites = static_cast<std::uint32_t>(whole(values, "elites")),
                                      .mutants = static_cast<std::uint32_t>(whole(values, "mutants")),
                                      .inheritance = number(values, "inheritance"),
                                      .islands = static_cast<std::uint32_t>(whole(values, "islands")),
                                      .shakeAfter = static_cast<std::uint32_t>(whole(values, "shake")),
                                      .relinkEvery = static_cast<std::uint32_t>(whole(values, "relink")),
                                      .mutantKeys = std::move(mutants)},
                         .ranksDuplicatesLast = std::get<bool>(values.at("distinct")),
                         .justifies = std::get<bool>(values.at("justify")),
                         .threads = request.threads,
                         .checkpoint = std::get<std::string>(values.at("checkpoint")),
                         .team = request.team};
    if (whole(values, "generations") == 1) makeOneGeneration(options.settings);
    if (request.team != nullptr && request.team->size() > options.settings.islands) {
        const std::uint32_t islands = options.settings.islands;
        return inputError(fmt::format("{} processes cannot share {} island{}", request.team->size(), islands,
                                      islands == 1 ? "" : "s"),
                          fmt::format("--set islands={} or more, or start fewer processes", request.team->size()));
    }
    // A small first generation holds only some of them.
    const std::size_t room = std::min<std::size_t>(starts.schedules.size(), options.settings.population);
    options.starts.assign(starts.schedules.begin(), starts.schedules.begin() + static_cast<std::ptrdiff_t>(room));
    MITOS_TRY(Placement found, searchByRandomKeys(problem, options, limitsOf(request), request.observer));
    // The decode may not express a start exactly.
    PerformanceModel model(problem);
    for (Schedule& start : starts.schedules) {
        Placement own = evaluated(model, std::move(start));
        if (fitnessOf(own.score, request.objective) >= fitnessOf(found.score, request.objective)) continue;
        own.evaluations = found.evaluations;
        found = std::move(own);
    }
    found.bound = starts.bound;
    return found;
}

Result<Placement> runGenetic(const Problem& problem, const Request& request) {
    return runGeneticWith(problem, request, geneticStarts(problem, request));
}

}  // namespace mitos::search::placement
