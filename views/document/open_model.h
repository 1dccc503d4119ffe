// SPDX-License-Identifier: GPL-3.0-or-later
// What a tensor program has besides its terms, and how it is found again when a session is opened.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/model.h"
#include "storage/model_source.h"

#include <memory>
#include <string>
#include <vector>

namespace mitos::views {

using storage::ModelSource;

struct OpenModel {
    tensor::Model model;
    ModelSource source;
    /// The weights are random numbers because there are none, or because their file could not be found.
    bool isSampled = false;

    /// The weights that mean something; null: those that evaluation draws are as good.
    [[nodiscard]] std::shared_ptr<const tensor::Weights> givenWeights() const {
        return isSampled ? nullptr : model.weights;
    }
};

/// Where the weights are from, for people: "the file squeezenet.onnx".
[[nodiscard]] std::string weightsText(const OpenModel& open);

/// Errors: of importing, or of making.
[[nodiscard]] Result<OpenModel> readModel(ir::TermBank& bank, const std::string& path);
[[nodiscard]] Result<OpenModel> makeNetwork(ir::TermBank& bank, const std::string& name, bool realistic);
/// Of a program that came as a listing.
[[nodiscard]] OpenModel sampledModel(const ir::TermBank& bank, const ir::Program& program);

/// As a session keeps it.
[[nodiscard]] storage::StoredModel toStored(const OpenModel& open);
/// The model of a session, read from another file than the session names. Errors: of reading, or it is not what the session
/// was made with.
[[nodiscard]] Result<OpenModel> findMovedModel(const ir::TermBank& bank, const ir::Program& program,
                                               const OpenModel& open, const std::string& path);
/// Reads again what belongs to a program that a session kept as a listing. Where that is not to be had any more, the weights
/// are sampled, and `notices` says why.
[[nodiscard]] OpenModel restoreModel(const ir::TermBank& bank, const ir::Program& program,
                                     const storage::StoredModel& stored, std::vector<std::string>& notices);

}  // namespace mitos::views
