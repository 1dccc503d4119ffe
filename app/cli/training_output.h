// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients of tensor programs: `grad` of a model or a listing writes a training graph.
#pragma once

#include "app/cli/context.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mitos::cli {

/// What gradients are taken of and by.
struct TrainingFlags {
    std::string wrt = {};   ///< names, separated by commas; empty: the weights of a tensor program
    std::string loss = {};  ///< empty: the default for the output
    std::string of = {};    ///< empty: the first output

    void add(CLI::App& command);
    /// Whether an option is given that only tensor programs have.
    [[nodiscard]] bool hasLoss() const { return !loss.empty() || !of.empty(); }
};

/// What `grad` is to do with the graph.
struct TrainingOutput {
    std::string path = "-";
    bool isChecked = false;
    int points = 3;
    std::uint64_t seed = 1;
};

/// Writes the training graph of an opened tensor program, as a listing or an ONNX model, and checks it. Returns the exit status.
[[nodiscard]] Result<int> writeTrainingGraph(const CommonOptions& options, OpenProgram& open,
                                             const TrainingFlags& flags, const TrainingOutput& output);

}  // namespace mitos::cli
