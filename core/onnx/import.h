// SPDX-License-Identifier: GPL-3.0-or-later
// Reading ONNX models: opsets up to 17, as the operator table says (tensor/onnx_mapping.h), without a version converter.
//
// What becomes of a file: inputs that are no initializers are the program's parameters. Initializers, Constant and
// ConstantOfShape nodes are weights under their names (Constant terms where they have one element); their elements stay
// where the file has them, and are read when somebody asks. Integers that are known (shapes put together by nodes) are
// computed, so that they become attributes. Identity nodes vanish. Nodes that the table does not know, or not in that
// form, are kept as Opaque terms. What no output depends on is left out. Names of values are the terms' hints; those of nodes are
// in Model::nodeNames. Names that are no text that can be shown are changed, with a warning.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/model.h"

#include <filesystem>
#include <string_view>

namespace mitos::onnx {

struct ImportOptions {
    /// Inputs that are always the same: constants instead of parameters. Where operators want shapes, axes and the like as
    /// inputs, they are understood only if these are constants.
    tensor::Inputs constants = {};
};

/// Whether a file of that name is read as a model: .onnx, .onnxtxt, in capitals as well.
[[nodiscard]] bool isModelFile(const std::filesystem::path& path);
/// Of those the one that is written, too: .onnx.
[[nodiscard]] bool isBinaryModelFile(const std::filesystem::path& path);

/// A binary file, or ONNX's textual syntax if it is called .onnxtxt. The bank must have the tensor dialect. The function
/// is called like the graph (numbered, if the bank has another one of that name). Model::warnings tells what was kept
/// opaque, and why.
/// Errors: not a model, more than 2 GB, an opset after 17; inputs or outputs that are no dense tensors; values that nothing
/// makes, that two nodes make, that need themselves; two outputs of one name; sparse weights; sizes that make no sense; nodes that
/// contradict their inputs; weights in files outside of the model's folder, or missing.
[[nodiscard]] Result<tensor::Model> importFile(ir::TermBank& bank, const std::filesystem::path& path,
                                               const ImportOptions& options = {});
/// The same for a binary model in memory. The bytes are copied.
[[nodiscard]] Result<tensor::Model> importBytes(ir::TermBank& bank, std::string_view bytes,
                                                const ImportOptions& options = {});
/// The same for a text in ONNX's textual syntax.
[[nodiscard]] Result<tensor::Model> importText(ir::TermBank& bank, std::string_view text,
                                               const ImportOptions& options = {});

/// A file that holds one tensor (.pb), as test data come with models. Errors: as for weights.
[[nodiscard]] Result<tensor::ArrayPtr> readTensorFile(const std::filesystem::path& path);

}  // namespace mitos::onnx
