// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the PyPM paper: a run for each model.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/named_numbers.h"
#include "search/experiments/pypm.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// Runs of one folder share rules, cost model, repetitions, and the settings of measurements. More models may be added. A run whose graph has
/// changed since, or that lacks times which the plan asks for, is made again. Runs are made one after another, as they are timed.
class PypmExperiment final : public Experiment {
public:
    static constexpr std::string_view Name = "pypm";
    /// Fails as checkPlan() does, and if the paper's numbers cannot be read.
    [[nodiscard]] static Result<std::unique_ptr<PypmExperiment>> open(PypmPlan plan);

    [[nodiscard]] std::string_view name() const override { return Name; }
    [[nodiscard]] std::string settings() const override;
    [[nodiscard]] Environment facts() const override;
    [[nodiscard]] std::vector<std::string> runs() const override;
    [[nodiscard]] Result<EndedRun> make(std::size_t run, const std::stop_token& stop,
                                        const OnStep& onStep) const override;
    [[nodiscard]] bool isOf(std::size_t run, const std::string& record) const override;
    [[nodiscard]] std::string summary(const std::string& record) const override;
    [[nodiscard]] ExperimentReport report(const ExperimentRuns& runs, const std::stop_token& stop) const override;

private:
    PypmExperiment(PypmPlan plan, NamedNumbers paper);

    PypmPlan m_plan;
    NamedNumbers m_paper;
};

}  // namespace mitos::search::experiments
