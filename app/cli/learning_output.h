// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the commands that train models: their files, the curve as a table, the result as JSON.
#pragma once

#include "app/cli/context.h"
#include "search/judged_run.h"
#include "search/learned/model_value.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mitos::cli {

/// Fails if the model's name does not end in .model, or if a file that is written would replace another one or cannot be written. `what` is the
/// name of the argument with the inputs.
[[nodiscard]] Status checkTrainingFiles(const std::string& model, const std::string& session, const std::string& what,
                                        const std::vector<std::string>& inputs);

/// Prints the points of a curve as a table.
class CurvePrinter final : public search::Observer {
public:
    explicit CurvePrinter(bool isEnabled) : m_isEnabled(isEnabled) {}

    void onEvent(const search::SearchEvent& event) override;
    /// How many graphs or programs validate.
    [[nodiscard]] std::size_t subjects() const { return m_subjects; }

private:
    bool m_isEnabled;
    bool m_hasHead = false;
    std::size_t m_subjects = 0;
};

/// The model that a run wrote into `output`. Fails with the error of the training.
[[nodiscard]] Result<const search::learned::ModelValue*> modelOf(const search::JudgedRun& over,
                                                                 const std::string& output);

/// The file, the number of parameters, the best point and the curve, with `more` between them.
[[nodiscard]] Json trainingJson(const search::learned::ModelValue& model, const std::string& output, const Json& more);

}  // namespace mitos::cli
