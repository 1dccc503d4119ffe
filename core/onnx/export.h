// SPDX-License-Identifier: GPL-3.0-or-later
// Writes programs of the tensor dialect as ONNX models: at the opset of the file they come from (17 at least), or at another one;
// initializers are not among the inputs.
//
// Names of inputs, outputs, weights and nodes stay; other values get their terms' hints as names, numbered if a name is
// taken. A node that rewriting made has the name of the node that made its value, followed by its operator. Attributes become
// constant inputs where ONNX requires them. Opaque nodes are written back as they were read. Weights that repeat one number are
// written as ConstantOfShape nodes. Reading the file gives the program again, unless weights were folded. The producer, domain,
// version and documentation of the model stay too.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/model.h"

#include <absl/container/btree_map.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::onnx {

/// The versions of ONNX's own operators in which files can be written. All versions before the oldest can be read.
inline constexpr int OldestWrittenOpset = 17;
inline constexpr int NewestOpset = 25;

/// The producer of files without another one. In files that another program produced, and that Mitos writes again, the entry
/// VersionKey of the metadata is the version of Mitos.
inline constexpr const char* ProducerName = "mitos";
inline constexpr const char* VersionKey = "mitos_version";

/// The operators that a file may have.
enum class Profile : std::uint8_t {
    Standard,   ///< ONNX's own; others are expanded into these
    Microsoft,  ///< also those of ONNX Runtime's domain com.microsoft
};

struct ExportOptions {
    Profile profile = Profile::Standard;
    /// Whether subgraphs over weights alone are computed now (in the precision of their types) and written as weights.
    bool foldWeights = true;
    /// Ends that computing: what is not computed by then is written as nodes, as with foldWeights = false, so that it is computed where
    /// the file is run. The cheapest weights are computed first.
    std::stop_token foldingStop = {};
    /// The seconds after which it ends; 0: no limit.
    double foldingSeconds = 0.0;
    /// Whether nodes that do nothing (tensor/idle.h) are written too; they only cost time when the file is run.
    bool keepIdle = false;
    /// Whether weights of 1 kB and more go to a file of their own, FILE.HASH.data, named after its contents. Above 2 GB, the limit
    /// of one ONNX file, they always do. Replacing a model also removes its old file of weights
    /// afterwards, unless the model that was read needs it.
    bool externalData = false;
    /// The version of ONNX's own operators. nullopt for the model's (tensor::Model::opset), or 17 if that is older.
    std::optional<int> opset = std::nullopt;
    /// Terms in the order in which their nodes are to be written; a node still follows those that it reads. Others follow in the order of
    /// ir::SharedNodes, which is that of all nodes if this is empty.
    std::vector<ir::TermId> order = {};
    /// The origin of the program: added to the model's metadata, replacing entries of the same key.
    absl::btree_map<std::string, std::string, std::less<>> metadata = {};
};

struct ExportReport {
    std::size_t nodes = 0;
    std::size_t initializers = 0;
    std::size_t foldedWeights = 0;  ///< weights made by foldWeights
    std::size_t unfolded = 0;       ///< weights that were left to be computed later because folding was ended
    std::size_t expanded = 0;       ///< operators expanded because the profile does not have them
    std::size_t idle = 0;           ///< operators left out because they do nothing
    std::uintmax_t bytes = 0;       ///< bytes of the model and of its weights, in whichever file
    std::optional<std::filesystem::path> dataFile;
    /// For Profile::Microsoft: operators that are known to be slower than their expansion.
    std::vector<std::string> warnings;
    int opset = OldestWrittenOpset;  ///< version of ONNX's own operators in the file
    // The ONNX library in use supports opsets up to 17. It checks the model in the forms of 17, before newer forms replace them,
    // without the contents of nodes that are kept from newer files.
    std::string checkerSays;    ///< empty if ONNX's checker accepts the model; else its message
    std::string inferenceSays;  ///< empty if ONNX's strict shape inference accepts the model; else its message

    [[nodiscard]] bool isAccepted() const { return checkerSays.empty() && inferenceSays.empty(); }
};

struct ExportedBytes {
    std::string bytes;
    ExportReport report;
};

/// Checks, before long work, whether the model's nodes of unknown operators can be written again, whatever becomes of the others.
/// Fails if one of them has another meaning at that opset (ExportOptions::opset), or if the opset cannot be written.
[[nodiscard]] Status checkExportable(const tensor::Model& model, std::optional<int> opset = std::nullopt);

/// Writes `model.program` (set another root to write an optimized one). The file is written even if the checks reject it; the
/// report has their messages. Fails for terms of other dialects; weights that are missing, larger than memory, or in a file that
/// became shorter; outputs named like an input, a weight or another output; opaque nodes whose operator has another meaning at
/// the written opset; an opset that cannot be written; operators that ONNX does not have and that cannot be expanded (a size that
/// must be known is only a name); and files that cannot be written.
[[nodiscard]] Result<ExportReport> exportFile(const ir::TermBank& bank, const tensor::Model& model,
                                              const std::filesystem::path& path, const ExportOptions& options = {});
/// The same in memory; externalData does not apply. Also fails above 2 GB.
[[nodiscard]] Result<ExportedBytes> exportBytes(const ir::TermBank& bank, const tensor::Model& model,
                                                const ExportOptions& options = {});

}  // namespace mitos::onnx
