// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/training_run.h"

#include "search/parallel.h"
#include "search/placement/internal/strategy_parts.h"
#include "search/placement/policy_trainer.h"
#include "search/placement/schedule_searches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace mitos::search::placement {

using namespace internal;

namespace {

using learned::pathsIn;
using learned::ValidationShare;

const std::string& textOf(const ParameterValues& values, const char* name) {
    return std::get<std::string>(values.at(name));
}

/// The command with all that the model depends on, so that it can be trained again.
std::string commandOf(const ParameterValues& values, std::uint64_t seed, const std::optional<double>& seconds) {
    const std::string& graphs = textOf(values, "graphs");
    std::string text =
        fmt::format("mitos-cli train policy --objective {} --devices {} --evaluations {} --seed {}",
                    textOf(values, "objective"), whole(values, "devices"), whole(values, "search_evaluations"), seed);
    if (graphs == GeneratedGraphs) text += fmt::format(" --generated {}", whole(values, "generated"));
    if (std::get<bool>(values.at("release_outputs"))) text += " --release-outputs";
    for (const ParameterInfo& info : policyTrainingParameters()) {
        const ParameterValue& value = values.at(info.name);
        if (value != info.defaultValue) text += fmt::format(" --set {}={}", info.name, parameterText(value));
    }
    if (whole(values, "steps") > 0) text += fmt::format(" --steps {}", whole(values, "steps"));
    if (seconds) text += fmt::format(" --seconds {:g}", *seconds);
    if (graphs != GeneratedGraphs && graphs != ProgramGraph)
        for (const std::string& path : pathsIn(graphs)) text += " " + path;
    return text;
}

/// The graphs in the order of a training, those for validation last, and what they are in words.
Status addGraphs(PolicyTraining& training, TrainingGraphs found, std::size_t devices, bool releasesOutputs) {
    std::vector<schedule::TaskGraph> all;
    std::vector<schedule::TaskGraph> others;
    std::vector<std::string> names;
    const std::size_t count = found.graphs.size();
    for (std::size_t i = 0; i < count; ++i) {
        const bool isLast = learned::validates(i, count);
        (isLast ? others : all).push_back(std::move(found.graphs[i]));
        (isLast ? names : training.graphs).push_back(found.names[i]);
    }
    training.trainingCount = all.size();
    std::ranges::move(others, std::back_inserter(all));
    for (const std::string& name : names) training.graphs.push_back(name + " (validation)");
    for (schedule::TaskGraph& graph : all) {
        MITOS_TRY(schedule::Problem problem, schedule::Problem::make(std::move(graph), schedule::equalDevices(devices),
                                                                     {.retainOutputs = !releasesOutputs}));
        training.problems.push_back(std::move(problem));
    }
    return Success{};
}

class PolicyTrainingRun final : public DescribedStrategy {
public:
    PolicyTrainingRun(GraphReader read, unsigned jobs) : m_read(std::move(read)), m_jobs(jobs) {
        m_info.name = PolicyTrainingName;
        m_info.label = "Train a policy";
        m_info.title = "Training of a policy";
        m_info.description =
            "Trains a graph network that chooses, for each operation, where the genetic algorithm looks for schedules "
            "(REGAL paper, section 3). The result is a model for the strategy brkga-learned; it needs LibTorch.";
        m_info.parameters = trainingRunParameters();
        m_info.randomized = true;
        m_info.needs = ir::Capability::Schedule;
        m_info.isTraining = true;
    }

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& values, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const auto devices = static_cast<std::size_t>(whole(values, "devices"));
        PolicyTraining training;
        training.objective = textOf(values, "objective") == "memory" ? Objective::Memory : Objective::Runtime;
        training.seed = problem.seed;
        training.evaluations = static_cast<std::uint64_t>(whole(values, "search_evaluations"));
        training.resumes = std::get<bool>(values.at("resume"));
        training.steps = static_cast<std::uint32_t>(whole(values, "steps"));
        training.seconds = problem.budget.seconds;
        if (training.steps == 0 && !training.seconds) training.seconds = learned::UsualTrainingSeconds;
        training.command = commandOf(values, problem.seed, training.seconds);
        training.jobs = m_jobs > 0 ? m_jobs : defaultJobs();
        training.stop = stop;
        for (const ParameterInfo& info : policyTrainingParameters())
            training.parameters.insert_or_assign(info.name, values.at(info.name));
        const auto train = [&](const std::string& path, const learned::ModelTraining::Report& report) -> Status {
            training.path = path;
            MITOS_REQUIRE(addSubjects(training, values, problem, devices, stop));
            const auto validating = static_cast<std::uint32_t>(training.problems.size() - training.trainingCount);
            training.observer = [&](const learned::TrainingState& state) { report(state, validating); };
            MITOS_TRY(const PolicyModel trained, trainPolicy(training));
            return Success{};
        };
        return learned::runTraining(
            {.modelKind = "policy", .model = textOf(values, "model"), .steps = training.steps, .train = train}, problem,
            stop, observer);
    }

private:
    [[nodiscard]] Status addSubjects(PolicyTraining& training, const ParameterValues& values,
                                     const SearchProblem& problem, std::size_t devices,
                                     const std::stop_token& stop) const {
        const std::string& asked = textOf(values, "graphs");
        const bool releases = std::get<bool>(values.at("release_outputs"));
        if (asked == GeneratedGraphs) {
            const auto count = static_cast<std::uint32_t>(whole(values, "generated"));
            std::vector<schedule::TaskGraph> graphs = policyGraphs(count, 1);
            training.graphs = {
                fmt::format("{} generated graphs of REGAL's four families, seeds 1 to {}", count, count)};
            training.trainingCount = count - count / ValidationShare;
            for (schedule::TaskGraph& graph : graphs) {
                MITOS_TRY(schedule::Problem one,
                          schedule::Problem::make(std::move(graph), schedule::equalDevices(devices),
                                                  {.retainOutputs = !releases}));
                training.problems.push_back(std::move(one));
            }
            return Success{};
        }
        if (asked == ProgramGraph) {
            const ir::Dialect& dialect = problem.bank.dialect(problem.program.function);
            if (!dialect.can(ir::Capability::Schedule)) {
                return inputError(fmt::format("{} programs are not scheduled", dialect.name),
                                  "open a tensor program, a model or a task graph, or train on generated graphs");
            }
            std::shared_ptr<const cost::CostModel> durations = problem.cost;
            if (isOfMemory(durations->info())) {
                MITOS_TRY(durations, cost::findCostModel(dialect.defaultCost, dialect.name));
            }
            MITOS_TRY(schedule::ProgramGraph graph,
                      graphUnder(*durations, problem.cost->info(), problem.bank, problem.program, devices));
            // It is learned for this program alone, so that it is validated with it, too.
            TrainingGraphs twice{{graph.graph, graph.graph}, {"the open program", "the open program"}};
            return addGraphs(training, std::move(twice), devices, releases);
        }
        if (!m_read) return inputError("no files of graphs can be read here", "train on generated graphs");
        MITOS_TRY(TrainingGraphs found, m_read(pathsIn(asked), devices, stop));
        return addGraphs(training, std::move(found), devices, releases);
    }

    GraphReader m_read;
    unsigned m_jobs;
    StrategyInfo m_info;
};

}  // namespace

std::vector<ParameterInfo> trainingRunParameters() {
    constexpr double Many = 1e9;
    std::vector<ParameterInfo> all{
        {.name = "model",
         .title = "Model",
         .help = "the file to write, which ends in .model",
         .defaultValue = std::string("policy.model")},
        {.name = "graphs",
         .title = "Graphs",
         .help = "generated; program: the open program; or files, folders and sessions, one a line",
         .defaultValue = std::string(GeneratedGraphs)},
        {.name = "generated",
         .title = "Generated graphs",
         .help = "how many; a quarter validates",
         .defaultValue = std::int64_t{160},
         .minimum = static_cast<double>(ValidationShare),
         .maximum = 100'000},
        {.name = "objective",
         .title = "Objective",
         .help = "what schedules are made for; with the usual keys for run time there is next to nothing to learn",
         .defaultValue = std::string("memory"),
         .choices = {"time", "memory"},
         .choiceTitles = {"Run time", "Peak memory"}},
        {.name = "devices",
         .title = "Devices",
         .help = "how many equal ones; the model fits no other number",
         .defaultValue = std::int64_t{2},
         .minimum = 1,
         .maximum = schedule::MostDevices},
        {.name = "release_outputs",
         .title = "Release outputs",
         .help = "outputs of the graphs are released as soon as they are made",
         .defaultValue = false},
        {.name = "search_evaluations",
         .title = "Schedules of a search",
         .help = "how many schedules each search evaluates",
         .defaultValue = std::int64_t{1'000},
         .minimum = 1,
         .maximum = Many},
        {.name = "steps",
         .title = "Steps",
         .help = "of training in all, also of those before it is resumed; 0: no limit",
         .defaultValue = std::int64_t{0},
         .minimum = 0,
         .maximum = Many},
        {.name = "resume",
         .title = "Resume",
         .help = "go on with the training whose state is stored beside the model",
         .defaultValue = false}};
    std::ranges::move(policyTrainingParameters(), std::back_inserter(all));
    return all;
}

std::shared_ptr<const search::Strategy> policyTrainingRun(GraphReader read, unsigned jobs) {
    return std::make_shared<const PolicyTrainingRun>(std::move(read), jobs);
}

}  // namespace mitos::search::placement
