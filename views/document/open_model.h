// SPDX-License-Identifier: GPL-3.0-or-later
// What a tensor program has besides its terms, and what a session keeps of it: not the numbers, but where they come from.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/model.h"

#include <memory>
#include <string>
#include <vector>

namespace mitos::views {

/// Where weights and opaque nodes of a tensor program come from.
struct ModelSource {
    enum class Kind {
        Sampled,  ///< nobody gave any: random numbers, always the same
        File,
        Network,  ///< one of core/networks
    };
    Kind kind = Kind::Sampled;
    std::string place = {};   ///< path of the file, or name of the network
    bool realistic = false;   ///< the network's style
    std::string digest = {};  ///< of the file's weights
};

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

/// As a session keeps it: JSON.
[[nodiscard]] std::string toJson(const OpenModel& open);
/// The model of a session, read from another file than the session names. Errors: of reading, or it is not what the session
/// was made with.
[[nodiscard]] Result<OpenModel> findMovedModel(const ir::TermBank& bank, const ir::Program& program,
                                               const OpenModel& open, const std::string& path);
/// Reads again what belongs to a program that a session kept as a listing. Where that is not to be had any more, the weights
/// are sampled, and `notices` says why.
[[nodiscard]] OpenModel restoreModel(const ir::TermBank& bank, const ir::Program& program, const std::string& json,
                                     std::vector<std::string>& notices);

}  // namespace mitos::views
