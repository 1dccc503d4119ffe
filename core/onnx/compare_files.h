// SPDX-License-Identifier: GPL-3.0-or-later
// Checks whether two model files compute the same: both are read from disk and run on the same random inputs, by the
// evaluator or by ONNX Runtime, if the user has it.
#pragma once

#include "core/base/result.h"
#include "core/ir/operator_registry.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>

namespace mitos::onnx {

struct FileComparisonOptions {
    /// A Python interpreter whose modules include onnxruntime and numpy; empty to compute with the evaluator.
    std::string python = {};
    int samples = 2;  ///< number of random inputs; fewer are used if they would take too long
    std::uint64_t seed = 1;
    double seconds = 120.0;  ///< time limit for the whole comparison
    /// The most operations of the evaluator for one input and both files; if that needs more, nothing is compared.
    double operations = std::numeric_limits<double>::infinity();
    double tolerance = 1e-3;  ///< the largest |a - b| / max(1, |a|, |b|) that rounding to 32 bits explains
    std::stop_token stop = {};
};

/// The operations that the evaluator does in about three seconds.
inline constexpr double OperationsOfSeconds = 3e10;

enum class FileVerdict : std::uint8_t {
    Same,       ///< same outputs on all compared inputs, of which there is at least one
    Different,  ///< different outputs on one of them
    Undecided,  ///< nothing was compared; the note gives the reason
};

struct FileComparison {
    FileVerdict verdict = FileVerdict::Undecided;
    std::string by;  ///< "ONNX Runtime 1.22.0" (as the interpreter reports it), or "the evaluator"
    int samples = 0;
    double deviation = 0.0;  ///< the largest deviation
    std::string note;        ///< which output differs and how, or why nothing was compared

    /// A readable summary on one line.
    [[nodiscard]] std::string toString() const;
};

/// The registry must have the tensor dialect. A failure of either file, of the interpreter or of the computation is not an error;
/// it becomes the note of the verdict Undecided, which does not confirm that the files compute the same. Of the interpreter's
/// output, only the numbers computed for both files are relied on. Fails only with Cancelled.
[[nodiscard]] Result<FileComparison> compareFiles(const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                                  const std::filesystem::path& original,
                                                  const std::filesystem::path& written,
                                                  const FileComparisonOptions& options = {});

}  // namespace mitos::onnx
