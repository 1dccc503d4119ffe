// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients of tensor programs: `grad` of a model or a listing writes a training graph.
#pragma once

#include "app/cli/context.h"
#include "app/cli/work_limits.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mitos::cli {

/// The options that choose a loss and the variables of its gradients.
struct TrainingFlags {
    std::string wrt = {};   ///< names, separated by commas; empty: the weights of a tensor program
    std::string loss = {};  ///< empty: the default for the output
    std::string of = {};    ///< empty: the first output

    void add(CLI::App& command);
    /// Whether an option is given that only tensor programs have.
    [[nodiscard]] bool hasLoss() const { return !loss.empty() || !of.empty(); }
    /// Whether the gradients are those of all weights.
    [[nodiscard]] bool wantsWeights() const;
};

/// Where the graph goes, and how it is checked.
struct TrainingOutput {
    std::string path = "-";
    bool isChecked = false;
    int points = 3;
    std::uint64_t seed = 1;
    LimitWatch* watch = nullptr;  ///< must not be null
};

/// Writes the training graph of an opened tensor program, as a listing or an ONNX model, and checks it. Returns the exit status.
[[nodiscard]] Result<int> writeTrainingGraph(const CommonOptions& options, OpenProgram& open,
                                             const TrainingFlags& flags, const TrainingOutput& output);

}  // namespace mitos::cli
