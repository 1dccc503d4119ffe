// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm_runs.h.
#include "search/experiments/pypm_runs.h"

#include "core/base/child_process.h"
#include "core/base/processor_time.h"
#include "core/ir/shared.h"
#include "core/ir/transplant.h"
#include "core/onnx/export.h"
#include "core/rewrite/greedy_pass.h"
#include "core/rewrite/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace mitos::search::experiments {

namespace {

constexpr std::size_t MostPypmSteps = 10'000;  // for rules that never end
constexpr double PypmFoldingSeconds = 60.0;

Error stoppedCompilation() { return {ErrorCode::Cancelled, "stopped", std::nullopt, ""}; }

using PypmRuleList = std::vector<std::shared_ptr<const rules::DirectedRule>>;

rewrite::GreedyPass passOver(ir::TermBank& bank, const ir::Program& start, const PypmRuleList& rules,
                             const std::stop_token& stop) {
    return rewrite::greedyPass(bank, start, rules, rewrite::WalkOrder::UsersFirst, [&](const rewrite::Thread& thread) {
        return !stop.stop_requested() && thread.steps.size() < MostPypmSteps;
    });
}

class PypmMaker {
public:
    PypmMaker(const PypmPlan& plan, const PypmModel& model, const std::stop_token& stop, const OnStep& onStep)
        : m_plan(plan),
          m_model(model),
          m_stop(stop),
          m_onStep(onStep),
          m_bank(model.bank->sharedRegistry()),
          m_start(ir::Transplanter(*model.bank, m_bank).program(model.model.program)),
          m_costs(plan.cost->evaluator(m_bank, m_start.function)) {}

    Result<PypmRecord> make() {
        PypmRecord record{
            .run = m_model.name, .program = pypmHash(m_model), .nodes = ir::sharedSize(m_bank, m_start.root)};
        for (const PypmCompilationInfo& info : pypmCompilations()) {
            m_onStep(info.name);
            MITOS_TRY(PypmPass pass, compile(info));
            record.passes.push_back(std::move(pass));
        }
        if (!m_plan.isTimed()) return record;
        record.runtime = m_plan.version->text();
        Result<std::vector<PypmTimes>> times = timeAll();
        if (m_stop.stop_requested()) return stoppedCompilation();
        if (times) {
            record.times = *std::move(times);
        } else {
            record.timingError = times.error().message;
        }
        return record;
    }

private:
    Result<PypmPass> compile(const PypmCompilationInfo& info) {
        const PypmRuleList rules = rulesOf(m_plan, info.compilation);
        const rewrite::GreedyPass pass = passOver(m_bank, m_start, rules, m_stop);
        PypmPass compiled{.compilation = info.name,
                          .walks = pass.walks,
                          .isFixedPoint = pass.isFixedPoint,
                          .nodes = ir::sharedSize(m_bank, pass.thread.end().root)};
        std::map<std::string, std::uint64_t> matches;
        for (const rewrite::Step& step : pass.thread.steps) ++matches[step.name()];
        compiled.rules.assign(matches.begin(), matches.end());
        for (std::uint32_t i = 0; i < m_plan.repetitions; ++i) compiled.seconds.push_back(secondsOf(rules));
        const Result<double> cost = m_costs->cost(pass.thread.end().root, m_stop);
        if (cost) compiled.cost = *cost;
        m_ends.push_back(pass.thread.end());
        if (!pass.thread.steps.empty()) judge(pass.thread, compiled);
        if (m_stop.stop_requested()) return stoppedCompilation();
        return compiled;
    }

    /// The processor time of the pass, in a bank that holds the program alone: terms that are there already are built faster.
    [[nodiscard]] double secondsOf(const PypmRuleList& rules) const {
        ir::TermBank bank(m_model.bank->sharedRegistry());
        const ir::Program start = ir::Transplanter(*m_model.bank, bank).program(m_model.model.program);
        const double begin = threadSeconds();
        const rewrite::GreedyPass pass = passOver(bank, start, rules, m_stop);
        return threadSeconds() - begin;
    }

    void judge(const rewrite::Thread& thread, PypmPass& compiled) {
        const rewrite::Verdict verdict = rewrite::judge(
            m_bank, thread, rewrite::check(m_bank, thread),
            {.sampling = {.seconds = std::max(m_plan.comparisonSeconds, 1e-3), .weights = m_model.model.weights},
             .rules = &m_plan.rules,
             .comparesValues = m_plan.comparisonSeconds > 0.0});
        compiled.isRefuted = verdict.isRefuted();
        compiled.verdict = verdict.toString();
    }

    /// The compilation whose program is timed in the place of each.
    [[nodiscard]] std::vector<std::size_t> timedAs() const {
        std::vector<std::size_t> first;
        for (const ir::Program& end : m_ends) {
            const auto found = std::ranges::find(m_ends, end.root, &ir::Program::root);
            first.push_back(static_cast<std::size_t>(found - m_ends.begin()));
        }
        return first;
    }

    Result<std::vector<PypmTimes>> timeAll() {
        const std::vector<std::size_t> timed = timedAs();
        MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
        std::vector<std::filesystem::path> files;
        std::vector<std::size_t> fileOf(timed.size(), 0);
        for (std::size_t i = 0; i < timed.size(); ++i) {
            if (timed[i] != i) {
                fileOf[i] = fileOf[timed[i]];
                continue;
            }
            fileOf[i] = files.size();
            files.push_back(std::filesystem::path(folder.path()) / fmt::format("{}.onnx", pypmCompilations()[i].name));
        }
        if (files.size() > 1) MITOS_REQUIRE(writeAll(timed, files));
        std::vector<PypmTimes> times;
        for (const onnx::OptimizationLevel level : m_plan.levels) {
            PypmTimes atLevel{.level = std::string(onnx::toString(level))};
            onnx::TimedModels measured;
            if (files.size() > 1) {
                MITOS_TRY(measured, timesAt(level, files));
            }
            for (std::size_t i = 0; i < timed.size(); ++i) {
                PypmTime one{.compilation = pypmCompilations()[i].name, .timedAs = pypmCompilations()[timed[i]].name};
                if (files.size() > 1) {
                    one.seconds = measured.models[fileOf[i]].seconds.median;
                    one.ratio = measured.ratios[fileOf[i]];
                }
                atLevel.compilations.push_back(std::move(one));
            }
            times.push_back(std::move(atLevel));
        }
        return times;
    }

    Status writeAll(const std::vector<std::size_t>& timed, const std::vector<std::filesystem::path>& files) {
        const onnx::ExportOptions options{
            .profile = onnx::Profile::Microsoft, .foldingStop = m_stop, .foldingSeconds = PypmFoldingSeconds};
        std::size_t file = 0;
        for (std::size_t i = 0; i < timed.size(); ++i) {
            if (timed[i] != i) continue;
            m_onStep("writing the models");
            tensor::Model model = m_model.model;
            model.program = m_ends[i];
            MITOS_REQUIRE(onnx::exportFile(m_bank, model, files[file++], options));
            if (m_stop.stop_requested()) return stoppedCompilation();
        }
        return Success{};
    }

    Result<onnx::TimedModels> timesAt(onnx::OptimizationLevel level, const std::vector<std::filesystem::path>& files) {
        onnx::RuntimeOptions runtime = m_plan.runtime;
        runtime.level = level;
        runtime.stop = m_stop;
        onnx::TimingOptions timing{.seconds = m_plan.seconds};
        MITOS_TRY(timing.sizes, cost::readSizes(m_plan.sizes, 1));
        timing.progress = [&](double part) {
            m_onStep(fmt::format("ONNX Runtime, level {}: {:.0f} %", onnx::toString(level), 100.0 * part));
        };
        return onnx::timeModels(files, runtime, timing);
    }

    const PypmPlan& m_plan;
    const PypmModel& m_model;
    std::stop_token m_stop;
    const OnStep& m_onStep;
    ir::TermBank m_bank;
    ir::Program m_start;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    std::vector<ir::Program> m_ends = {};  ///< of all compilations so far
};

}  // namespace

std::string pypmHash(const PypmModel& model) {
    return fmt::format("{:016x}", model.bank->hash(model.model.program.root));
}

Result<PypmRecord> makePypmRun(const PypmPlan& plan, const PypmModel& model, const std::stop_token& stop,
                               const OnStep& onStep) {
    return PypmMaker(plan, model, stop, onStep).make();
}

}  // namespace mitos::search::experiments
