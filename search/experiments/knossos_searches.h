// SPDX-License-Identifier: GPL-3.0-or-later
// How the runs of the Knossos experiment are made.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/knossos.h"
#include "search/experiments/knossos_record.h"
#include "search/rewriting/value_training.h"

#include <map>
#include <span>
#include <stop_token>
#include <string>

namespace mitos::search::experiments {

/// The programs of all tasks, each in a bank of its own. They do not change, so that several threads may use them.
class KnossosPrograms {
public:
    /// Parses the files that are built in.
    [[nodiscard]] static Result<KnossosPrograms> load(const std::shared_ptr<const ir::OperatorRegistry>& registry);
    /// Requires that there is one.
    [[nodiscard]] const TrainingProgram& operator[](const std::string& name) const { return m_programs.at(name); }

private:
    std::map<std::string, TrainingProgram> m_programs;
};

/// The path of a run's model in the folder of the experiment.
[[nodiscard]] std::string knossosModelPath(const KnossosPlan& plan, const KnossosRun& run);

/// Makes a run. A training keeps its model, its state and the stages that have ended in the folder, so that a run that was stopped goes on behind the
/// last stage. `settings` are those of the folder. Fails with Cancelled after a stop, if a file cannot be written, and as trainValue() does.
[[nodiscard]] Result<KnossosRecord> makeKnossosRun(const KnossosPlan& plan, const KnossosPrograms& programs,
                                                   const KnossosRun& run, const std::string& settings,
                                                   const std::stop_token& stop, const OnStep& onStep);

}  // namespace mitos::search::experiments
