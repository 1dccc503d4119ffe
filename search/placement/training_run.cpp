// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/training_run.h"

#include "core/base/hash.h"
#include "core/base/json_field.h"
#include "core/base/read_file.h"
#include "core/base/time_limit.h"
#include "search/parallel.h"
#include "search/placement/internal/strategy_parts.h"
#include "search/placement/policy_trainer.h"
#include "search/placement/schedule_searches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace mitos::search::placement {

using namespace internal;

namespace {

using nlohmann::json;

constexpr double PercentOfOne = 100.0;
/// One graph in so many is for validation.
constexpr std::size_t ValidationShare = 4;
constexpr double UsualSeconds = 600.0;

Result<std::string> digestOfFile(const std::string& path) {
    MITOS_TRY(std::ifstream file, openFile(path));
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (file.bad()) return Error{ErrorCode::Io, fmt::format("{} cannot be read", path), std::nullopt, ""};
    return fmt::format("{:016x}", hashText(content));
}

const std::string& textOf(const ParameterValues& values, const char* name) {
    return std::get<std::string>(values.at(name));
}

std::vector<std::string> pathsIn(std::string_view text) {
    std::vector<std::string> paths;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) paths.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return paths;
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
        const bool isLastOfFew = count < ValidationShare && i + 1 == count;
        const bool validates = i % ValidationShare == ValidationShare - 1 || isLastOfFew;
        (validates ? others : all).push_back(std::move(found.graphs[i]));
        (validates ? names : training.graphs).push_back(found.names[i]);
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
        const TimeLimit clock(0.0, {});
        SearchResult result;
        result.bank = std::make_shared<ir::TermBank>(problem.bank.sharedRegistry());
        result.thread = rewrite::transplant(problem.bank, rewrite::Thread{problem.program, {}, {}}, *result.bank);
        result.check = rewrite::check(*result.bank, result.thread);
        const ir::Program& start = result.thread.start;
        MITOS_TRY(result.initialCost, problem.cost->evaluator(*result.bank, start.function)->cost(start.root, stop));
        result.costs = {result.initialCost};
        result.bestCost = result.initialCost;

        std::error_code unknown;
        const std::string& asked = textOf(values, "model");
        if (!asked.ends_with(PolicyEnding) || asked.size() == PolicyEnding.size()) {
            return inputError(fmt::format("the file of the model, \"{}\", does not end in {}", asked, PolicyEnding),
                              "name a file to write, such as my.model");
        }
        const std::filesystem::path path = std::filesystem::absolute(asked, unknown);
        const auto devices = static_cast<std::size_t>(whole(values, "devices"));
        PolicyTraining training;
        training.objective = textOf(values, "objective") == "memory" ? Objective::Memory : Objective::Runtime;
        training.seed = problem.seed;
        training.evaluations = static_cast<std::uint64_t>(whole(values, "search_evaluations"));
        training.path = path.string();
        training.resumes = std::get<bool>(values.at("resume"));
        training.steps = static_cast<std::uint32_t>(whole(values, "steps"));
        training.seconds = problem.budget.seconds;
        if (training.steps == 0 && !training.seconds) training.seconds = UsualSeconds;
        training.command = commandOf(values, problem.seed, training.seconds);
        training.jobs = m_jobs > 0 ? m_jobs : defaultJobs();
        training.stop = stop;
        for (const ParameterInfo& info : policyTrainingParameters())
            training.parameters.insert_or_assign(info.name, values.at(info.name));
        MITOS_REQUIRE(addSubjects(training, values, problem, devices, stop));

        SearchEvent event;
        event.cost = event.best = result.initialCost;
        const auto send = [&](EventBody what) {
            event.what = std::move(what);
            event.seconds = clock.elapsed();
            observer.onEvent(event);
        };
        send(Started{});
        const auto validating = static_cast<std::uint32_t>(training.problems.size() - training.trainingCount);
        std::uint32_t last = 0;
        training.observer = [&](const learned::TrainingState& state) {
            last = state.curve.back().step;
            send(Validated{state.curve.back(), validating});
            observer.onBest([&]() -> std::optional<BestSoFar> {
                Result<ModelValue> value = ModelValue::of(training.path);
                if (!value) return std::nullopt;
                BestSoFar best{std::make_shared<ir::TermBank>(result.bank->sharedRegistry()), {}, result.costs};
                best.thread = rewrite::transplant(*result.bank, result.thread, *best.bank);
                best.outcome = std::make_shared<const ModelValue>(*std::move(value));
                best.outcomeCost = result.initialCost;
                return best;
            });
        };
        MITOS_REQUIRE(trainPolicy(training));
        MITOS_TRY(ModelValue value, ModelValue::of(training.path));
        result.outcome = std::make_shared<const ModelValue>(std::move(value));
        result.statistics.seconds = clock.elapsed();
        const bool isAtLastStep = training.steps > 0 && last >= training.steps;
        result.reason = stop.stop_requested() ? StopReason::Stopped
                        : isAtLastStep        ? StopReason::Iterations
                                              : StopReason::Seconds;
        send(Finished{result.reason});
        return result;
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

ModelValue::ModelValue(std::string path, std::string digest, PolicyModel model)
    : m_path(std::move(path)),
      m_digest(std::move(digest)),
      m_model(std::move(model)) {}

Result<ModelValue> ModelValue::of(const std::string& path) {
    std::error_code unknown;
    const std::filesystem::path absolute = std::filesystem::absolute(path, unknown);
    MITOS_TRY(PolicyModel model, loadPolicy(path));
    MITOS_TRY(std::string digest, digestOfFile(path));
    model.parameters.clear();
    return ModelValue(absolute.string(), std::move(digest), std::move(model));
}

Result<ModelValue> ModelValue::from(std::string_view text) {
    const json whole = json::parse(text, nullptr, false);
    const auto path = whole.is_object() ? fieldOf<std::string>(whole, "file") : std::nullopt;
    const auto digest = whole.is_object() ? fieldOf<std::string>(whole, "hash") : std::nullopt;
    if (!path || !digest || !whole.contains("description"))
        return Error{ErrorCode::Parse, "the text is not that of a model", std::nullopt, ""};
    MITOS_TRY(PolicyModel model, policyIn(whole["description"].dump(), *path));
    return ModelValue(*path, *digest, std::move(model));
}

std::string ModelValue::summary() const {
    const std::string improvement = improvementText(m_model.curve);
    return fmt::format("{}, {}{}", std::filesystem::path(m_path).filename().string(), m_model.machine,
                       improvement.empty() ? "" : ", " + improvement);
}

std::string ModelValue::text() const {
    return json{
        {"file", m_path}, {"hash", m_digest}, {"description", json::parse(descriptionOf(m_model), nullptr, false)}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<std::string> ModelValue::fault(const ir::TermBank& /*bank*/, const ir::Program& /*program*/,
                                             const std::stop_token& /*stop*/) const {
    const Result<std::string> digest = digestOfFile(m_path);
    if (!digest) return digest.error().oneLine();
    if (*digest != m_digest) return fmt::format("{} has changed since the training", m_path);
    const Result<PolicyModel> read = loadPolicy(m_path);
    return read ? std::nullopt : std::optional(read.error().oneLine());
}

std::string improvementText(const std::vector<CurvePoint>& curve) {
    const CurvePoint* const best = bestIn(curve);
    if (best == nullptr) return {};
    return fmt::format("{:+.2f} % at step {}; {} better, {} worse", PercentOfOne * best->improvement, best->step,
                       best->better, best->worse);
}

std::string pathsText(const std::vector<std::string>& paths) { return fmt::format("{}", fmt::join(paths, "\n")); }

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
