// SPDX-License-Identifier: GPL-3.0-or-later
// Writing programs of the tensor dialect as ONNX models: at the opset of the file they come from, from 17 on, or another; no
// initializers among the inputs.
//
// Names of inputs, outputs, weights and nodes stay; other values are called as their terms' hints say, numbered where a name
// is taken. A node that rewriting made has the name of the node that made its value, with its operator behind it. Attributes become constant inputs where ONNX wants such. Opaque nodes are written back as they were read. Weights
// that are one number repeated are written as ConstantOfShape nodes. Reading the file gives the program again, unless
// weights were folded.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/model.h"

#include <absl/container/btree_map.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mitos::onnx {

/// The versions of ONNX's own operators in which files can be written; of those before the first, all can be read.
inline constexpr int OldestWrittenOpset = 17;
inline constexpr int NewestOpset = 23;

/// Which operators a file may have.
enum class Profile : std::uint8_t {
    Standard,   ///< ONNX's own: others are written out as what they stand for
    Microsoft,  ///< those of ONNX Runtime's domain com.microsoft as well
};

struct ExportOptions {
    Profile profile = Profile::Standard;
    /// Subgraphs over weights alone are computed now (in the precision of their types) and written as weights.
    bool foldWeights = true;
    /// Nodes that do nothing (tensor/idle.h) are written, too: else they only cost time where the file is run.
    bool keepIdle = false;
    /// Weights of 1 kB and more go to a file of their own, FILE.HASH.data, called after what it holds; always so above 2 GB, which is
    /// all that one ONNX file can hold. Where a model is replaced, so is its file of weights, after it.
    bool externalData = false;
    /// The version of ONNX's own operators. Nothing: the model's (tensor::Model::opset), or 17 where it is older.
    std::optional<int> opset = std::nullopt;
    /// Besides the model's metadata, in place of entries of the same key: where the program comes from.
    absl::btree_map<std::string, std::string, std::less<>> metadata = {};
};

struct ExportReport {
    std::size_t nodes = 0;
    std::size_t initializers = 0;
    std::size_t foldedWeights = 0;  ///< made by foldWeights
    std::size_t expanded = 0;       ///< operators that the profile does not have, written out as what they stand for
    std::size_t idle = 0;           ///< operators that do nothing, left out
    std::uintmax_t bytes = 0;       ///< of the model and of its weights, wherever they are
    std::optional<std::filesystem::path> dataFile;
    /// Of Profile::Microsoft: operators that are known to be slower than what they stand for.
    std::vector<std::string> warnings;
    int opset = OldestWrittenOpset;  ///< of ONNX's own operators in the file
    // ONNX's library here knows opsets up to 17. It is asked about the model in the forms of 17, before newer ones are put in their
    // place, without what is in nodes that are kept from newer files.
    std::string checkerSays;    ///< "" : accepted by ONNX's checker; else its complaint
    std::string inferenceSays;  ///< "" : accepted by ONNX's strict shape inference; else its complaint

    [[nodiscard]] bool isAccepted() const { return checkerSays.empty() && inferenceSays.empty(); }
};

struct ExportedBytes {
    std::string bytes;
    ExportReport report;
};

/// Asked before long work: whether the nodes of the model that nobody knows can be written again, whatever becomes of the others.
/// Errors: one of them means something else at that opset (ExportOptions::opset), or it is none that can be written.
[[nodiscard]] Status checkExportable(const tensor::Model& model, std::optional<int> opset = std::nullopt);

/// Writes `model.program` (set another root to write an optimized one). The file is written also if the checks complain:
/// the report says so. Errors: terms of other dialects; weights that are missing, larger than memory, or in a file that became
/// shorter; outputs that are called like an input, a weight or another output; opaque nodes whose operator means something else at
/// the opset that is written, or an opset that is not; operators that ONNX does not have and that cannot be written out (a size that must be known is only a name); files
/// that cannot be written.
[[nodiscard]] Result<ExportReport> exportFile(const ir::TermBank& bank, const tensor::Model& model,
                                              const std::filesystem::path& path, const ExportOptions& options = {});
/// The same in memory; externalData does not apply. Errors: also, more than 2 GB.
[[nodiscard]] Result<ExportedBytes> exportBytes(const ir::TermBank& bank, const tensor::Model& model,
                                                const ExportOptions& options = {});

}  // namespace mitos::onnx
