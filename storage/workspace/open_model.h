// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a tensor program besides its terms, and how they are restored when a session is opened.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/model.h"
#include "storage/model_source.h"

#include <memory>
#include <string>
#include <vector>

namespace mitos::storage {
struct OpenModel {
    tensor::Model model;
    ModelSource source;
    /// Whether the weights are random numbers, because there are none or their file could not be found.
    bool isSampled = false;

    /// The weights if they are meaningful; null if the random values that evaluation draws serve as well.
    [[nodiscard]] std::shared_ptr<const tensor::Weights> givenWeights() const {
        return isSampled ? nullptr : model.weights;
    }
};

/// The source of the weights, for people: "the file squeezenet.onnx".
[[nodiscard]] std::string weightsText(const OpenModel& open);

/// A model that was read from the file at `path`. Fails if its weights cannot be read.
[[nodiscard]] Result<OpenModel> modelOfFile(tensor::Model model, const std::string& path);
/// Builds the network of that name. Fails if there is none, or if building fails.
[[nodiscard]] Result<OpenModel> makeNetwork(ir::TermBank& bank, const std::string& name, bool realistic);
/// The model of a program that was given as a listing: its weights are sampled.
[[nodiscard]] OpenModel sampledModel(const ir::TermBank& bank, const ir::Program& program);

/// BLAKE2b-256, in hexadecimal, of every weight's name, type, size and numbers, independent of where a file stores them.
[[nodiscard]] Result<std::string> digestOf(const tensor::Weights& weights);

/// The form that a session stores.
[[nodiscard]] StoredModel toStored(const OpenModel& open);
/// Reads a session's model from another file than the session names. Fails if the file cannot be read or is not the one
/// that the session was made with.
[[nodiscard]] Result<OpenModel> findMovedModel(const ir::TermBank& bank, const ir::Program& program,
                                               const OpenModel& open, const std::string& path);
/// Restores the model of a program that a session stored as a listing. If it is no longer available, the weights are
/// sampled and `notices` gives the reason.
[[nodiscard]] OpenModel restoreModel(const ir::TermBank& bank, const ir::Program& program, const StoredModel& stored,
                                     std::vector<std::string>& notices);

}  // namespace mitos::storage
