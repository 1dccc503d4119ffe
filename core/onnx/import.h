// SPDX-License-Identifier: GPL-3.0-or-later
// Reads ONNX models of opsets up to 25, by the operator table (tensor/onnx_mapping.h), without a version converter.
//
// Inputs that are not initializers become the program's parameters. Initializers, Constant and ConstantOfShape nodes become
// weights under their names (Constant terms if they have one element); their elements stay in the file and are read on
// request. Known Integers (shapes that nodes assemble) are computed, so that they become attributes; floating-point numbers that
// are computed from weights stay computations, so that the program depends on all its weights. Identity nodes are
// dropped. Nodes that the table does not have, or not in that form, are kept as Opaque terms. Nodes on which no output depends are
// left out. Names of values become the terms' hints; those of nodes are in Model::nodeNames. Names that cannot be shown as text
// are changed, with a warning.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/model.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::onnx {

struct ImportOptions {
    /// Inputs that are always the same become constants instead of parameters. Operators that take shapes, axes and the like as
    /// inputs are supported only if these are constants.
    tensor::Inputs constants = {};
    /// Names of floating-point initializers and constants that stay weights although they have one element.
    std::vector<std::string> weights = {};
    /// Whether that holds for all floating-point initializers of rank 1 and more, such as the bias of a layer with one output.
    bool keepsArraysOfOne = false;
    /// Numbers that replace those of the file: of the same type for initializers of these names.
    tensor::Weights replaced = {};
};

/// Whether a file of that name is read as a model: .onnx, .onnxtxt, in lower or upper case.
[[nodiscard]] bool isModelFile(const std::filesystem::path& path);
/// Whether a file of that name is a binary model, the kind that is also written: .onnx.
[[nodiscard]] bool isBinaryModelFile(const std::filesystem::path& path);

/// Reads a binary file, or ONNX's textual syntax if the name ends in .onnxtxt. The bank must have the tensor dialect. The function
/// has the name of the graph (numbered if the bank has another one of that name). Model::warnings lists the nodes kept opaque, and
/// the reasons.
/// Fails if the file is not a model, has more than 2 GB or an opset after 25; for inputs or outputs that are not dense tensors;
/// values that nothing produces, that two nodes produce, or that depend on themselves; two outputs of one name; sparse weights;
/// invalid sizes; nodes that contradict their inputs; and weights in files that are missing or outside of the model's folder.
[[nodiscard]] Result<tensor::Model> importFile(ir::TermBank& bank, const std::filesystem::path& path,
                                               const ImportOptions& options = {});
/// The same for a binary model in memory. The bytes are copied.
[[nodiscard]] Result<tensor::Model> importBytes(ir::TermBank& bank, std::string_view bytes,
                                                const ImportOptions& options = {});
/// The same for a text in ONNX's textual syntax.
[[nodiscard]] Result<tensor::Model> importText(ir::TermBank& bank, std::string_view text,
                                               const ImportOptions& options = {});

/// Reads a file that holds one tensor (.pb), such as the test data of models. Fails as reading weights does.
[[nodiscard]] Result<tensor::ArrayPtr> readTensorFile(const std::filesystem::path& path);

}  // namespace mitos::onnx
