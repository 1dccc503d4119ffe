// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos_searches.h.
#include "search/experiments/knossos_searches.h"

#include "core/base/source_text.h"
#include "core/ks/module.h"
#include "search/compare/comparison.h"
#include "search/experiments/record_file.h"
#include "search/experiments/shipped_files.h"
#include "search/learned/model_fields.h"
#include "search/rewriting/learned_value.h"
#include "search/rewriting/value_learning.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace mitos::search::experiments {

namespace {

constexpr const char* ModelsFolder = "models";
constexpr const char* StagesEnding = ".stages.json";

Error stoppedRun() { return {ErrorCode::Cancelled, "stopped", std::nullopt, ""}; }

/// Its start, every improvement, and its end.
std::vector<KnossosImprovement> wayOf(const Run& run) {
    std::vector<KnossosImprovement> way{{1, 0.0, run.initialCost}};
    const auto add = [&way](const KnossosImprovement& one) {
        if (one.cost < way.back().cost) way.push_back(one);
    };
    for (const SearchEvent& event : run.events) {
        if (event.is<Improved>()) add({event.evaluations, event.seconds, event.best});
    }
    add({run.statistics.evaluations, run.statistics.seconds, run.bestCost});
    return way;
}

/// Makes one run.
class KnossosMaker {
public:
    KnossosMaker(const KnossosPlan& plan, const KnossosPrograms& programs, const KnossosRun& run,
                 const std::stop_token& stop)
        : m_plan(plan),
          m_programs(programs),
          m_run(run),
          m_stop(stop) {}

    /// A strategy on the programs to compare, with all numbers of evaluations.
    Status evaluate(KnossosStage& stage, std::string_view strategy, ParameterValues parameters) {
        MITOS_TRY(const auto found, findStrategy(strategy));
        const auto hasParameter = [&](const char* name) {
            return std::ranges::find(found->info().parameters, name, &ParameterInfo::name) !=
                   found->info().parameters.end();
        };
        // The schedule of phases says itself how far each phase looks.
        if (hasParameter("depth") && strategy != "phases") parameters["depth"] = KnossosDepth;
        ComparisonPlan plan{.programs = {},
                            .strategies = {{found, std::move(parameters)}},
                            .budgets = {},
                            .seeds = {m_run.repetition},
                            .rules = m_plan.rules,
                            .ruleSets = m_plan.ruleSets,
                            .cost = m_plan.cost,
                            .abandoned = m_stop};
        for (const std::uint64_t budget : m_plan.budgets) plan.budgets.push_back({.evaluations = budget});
        for (const std::string& name : infoOf(m_run.task).tested)
            plan.programs.push_back({name, m_programs[name].bank, m_programs[name].program});
        MITOS_TRY(const Comparison comparison, compare(plan, m_stop));
        if (m_stop.stop_requested()) return stoppedRun();
        for (std::size_t b = 0; b < m_plan.budgets.size(); ++b) {
            KnossosEvaluation evaluation{.strategy = std::string(strategy), .budget = m_plan.budgets[b]};
            for (std::size_t p = 0; p < plan.programs.size(); ++p) {
                const ComparedRun& one = comparison.run(p, 0, b, 0);
                if (!one.done()) {
                    return Error{ErrorCode::InvalidInput,
                                 fmt::format("{} on {}: {}", strategy, plan.programs[p].name, one.run.stop),
                                 std::nullopt, ""};
                }
                evaluation.searches.push_back({.program = plan.programs[p].name,
                                               .initialCost = one.run.initialCost,
                                               .cost = one.run.bestCost,
                                               .evaluations = one.run.statistics.evaluations,
                                               .seconds = one.run.statistics.seconds,
                                               .isGood = one.run.verdict && one.run.verdict->isGood()});
                if (b + 1 == m_plan.budgets.size()) evaluation.searches.back().way = wayOf(one.run);
            }
            stage.evaluations.push_back(std::move(evaluation));
        }
        return Success{};
    }

    /// Trains up to so many epochs, on the programs to train on, which also say which value function is the best so far.
    Result<ValueModel> train(std::uint32_t epochs, bool resumes, const std::string& path) {
        ValueTraining training{.rules = m_plan.rules.directions,
                               .ruleSets = m_plan.ruleSets,
                               .cost = m_plan.cost,
                               .command = "mitos-cli experiment knossos-arithmetic",
                               .seed = m_run.repetition,
                               .path = path,
                               .resumes = resumes,
                               .epochs = epochs,
                               .stop = m_stop};
        const std::vector<std::string>& names = infoOf(m_run.task).training;
        for (int part = 0; part < 2; ++part) {
            for (const std::string& name : names) training.programs.push_back(m_programs[name]);
        }
        training.trainingCount = names.size();
        training.names = names;
        MITOS_TRY(training.parameters, trainingParameters(m_plan, *m_run.method));
        MITOS_TRY(ValueModel model, trainValue(training));
        if (m_stop.stop_requested()) return stoppedRun();
        return model;
    }

    /// How many states of a search a value function rates in a second, in batches as searches send them; nothing is known of them before.
    Result<double> statesPerSecond(const ValueModel& model) {
        constexpr std::uint64_t States = 2'000;
        const TrainingProgram& one = m_programs[infoOf(m_run.task).tested.front()];
        const SearchProblem problem{*one.bank,        one.program, m_plan.rules.directions, m_plan.cost, {},
                                    m_run.repetition, {}};
        const LearningSettings settings{.evaluations = States, .guide = "zero", .labels = 0};
        MITOS_TRY(auto network, networkOf(model));
        MITOS_TRY(const Experience seen, visitedStates(problem, model, *network, settings, m_stop));
        const SearchProblem there{*seen.bank, seen.program, m_plan.rules.directions, m_plan.cost, {}, 1, {}};
        MITOS_TRY(const auto value, LearnedValue::make(model, std::move(network), there));
        const auto begin = std::chrono::steady_clock::now();
        const std::span<const ir::TermId> roots(seen.roots);
        const auto depth = static_cast<std::uint32_t>(KnossosDepth);
        for (std::size_t from = 0; from < roots.size(); from += value->batch())
            static_cast<void>(
                value->values(roots.subspan(from, std::min(value->batch(), roots.size() - from)), {1, depth}));
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return seconds > 0.0 ? static_cast<double>(roots.size()) / seconds : 0.0;
    }

private:
    const KnossosPlan& m_plan;
    const KnossosPrograms& m_programs;
    const KnossosRun& m_run;
    const std::stop_token& m_stop;
};

/// The stages of an earlier call; none if they cannot be read.
std::vector<KnossosStage> keptStages(const std::string& path, const std::string& name, const std::string& settings) {
    const Result<SourceText> text = readSourceFile(path);
    if (!text) return {};
    const Result<std::string> opened = openRecord(std::string(text->text()), settings);
    if (!opened) return {};
    Result<KnossosRecord> record = readKnossosRecord(*opened);
    return record && record->run == name ? std::move(record->stages) : std::vector<KnossosStage>();
}

}  // namespace

Result<KnossosPrograms> KnossosPrograms::load(const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    KnossosPrograms all;
    for (const KnossosTaskInfo& info : knossosTasks()) {
        for (const std::vector<std::string>* const names : {&info.training, &info.tested}) {
            for (const std::string& name : *names) {
                if (all.m_programs.contains(name)) continue;
                auto bank = std::make_shared<ir::TermBank>(registry);
                MITOS_TRY(const ir::Program program, ks::parseProgram(*bank, name, std::string(shippedFile(name))));
                all.m_programs.emplace(name, TrainingProgram{std::move(bank), program});
            }
        }
    }
    return all;
}

std::string knossosModelPath(const KnossosPlan& plan, const KnossosRun& run) {
    const std::string file = run.name() + std::string(learned::ModelEnding);
    return (std::filesystem::path(plan.folder) / ModelsFolder / file).string();
}

Result<KnossosRecord> makeKnossosRun(const KnossosPlan& plan, const KnossosPrograms& programs, const KnossosRun& run,
                                     const std::string& settings, const std::stop_token& stop, const OnStep& onStep) {
    KnossosMaker maker(plan, programs, run, stop);
    KnossosRecord record{.run = run.name()};
    if (!run.method->isLearned()) {
        ParameterValues parameters;
        if (*run.method->value != '\0') parameters["value"] = std::string(run.method->value);
        MITOS_REQUIRE(maker.evaluate(record.stages.emplace_back(), run.method->strategy, std::move(parameters)));
        return record;
    }
    const std::string path = knossosModelPath(plan, run);
    const std::string stages = path + StagesEnding;
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    if (failed)
        return Error{ErrorCode::Io, fmt::format("cannot create {}: {}", path, failed.message()), std::nullopt, ""};
    record.stages = keptStages(stages, record.run, settings);
    std::uint32_t epochs = record.stages.empty() ? 0 : record.stages.back().epochs;
    while (epochs < plan.epochs) {
        const bool resumes = epochs > 0;
        epochs = std::min(epochs + plan.stage, plan.epochs);
        if (onStep) onStep(fmt::format("epoch {} of {}", epochs, plan.epochs));
        MITOS_TRY(const ValueModel model, maker.train(epochs, resumes, path));
        KnossosStage stage{
            .epochs = epochs, .trainingSeconds = model.curve.back().seconds, .loss = -model.curve.back().reward};
        const ParameterValues parameters{{"value", std::string("learned")}, {"model", path}};
        for (const std::string_view search : knossosSearches()) {
            if (search == run.method->strategy || epochs == plan.epochs) {
                MITOS_REQUIRE(maker.evaluate(stage, search, parameters));
            }
        }
        record.stages.push_back(std::move(stage));
        MITOS_REQUIRE(writeFile(stages, sealRecord(writeKnossosRecord(record), settings)));
    }
    MITOS_TRY(const ValueModel model, loadValueModel(path));
    MITOS_TRY(record.statesPerSecond, maker.statesPerSecond(model));
    return record;
}

}  // namespace mitos::search::experiments
