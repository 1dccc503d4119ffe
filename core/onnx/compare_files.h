// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two files of models compute the same: both are read as they lie there, and run on the same random inputs, by the
// evaluator or by ONNX Runtime, where the user has one.
#pragma once

#include "core/base/result.h"
#include "core/ir/operator_registry.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

namespace mitos::onnx {

struct FileComparisonOptions {
    /// A Python interpreter whose modules include onnxruntime and numpy; empty: the evaluator computes.
    std::string python = {};
    int samples = 2;  ///< random inputs; fewer where they would take too long
    std::uint64_t seed = 1;
    double seconds = 120.0;   ///< for all of it
    double tolerance = 1e-3;  ///< the largest |a - b| / max(1, |a|, |b|) that rounding to 32 bits explains
    std::stop_token stop = {};
};

enum class FileVerdict : std::uint8_t {
    Same,       ///< on all inputs that were compared, at least one
    Different,  ///< on one of them
    Undecided,  ///< nothing was compared: the note says why
};

struct FileComparison {
    FileVerdict verdict = FileVerdict::Undecided;
    std::string by;  ///< "ONNX Runtime 1.22.0" (in the words of the interpreter), or "the evaluator"
    int samples = 0;
    double deviation = 0.0;  ///< the largest
    std::string note;        ///< which output differs and how, or why nothing was compared

    /// On one line, for people.
    [[nodiscard]] std::string toString() const;
};

/// The registry must have the tensor dialect. What goes wrong with either file, with the interpreter or in computing is no error but
/// the note of a verdict that is Undecided: the second file does not compute what the first does, as far as anybody knows. A
/// program that claims to be an interpreter is believed the numbers that it computes for both files, nothing else. Errors:
/// Cancelled.
[[nodiscard]] Result<FileComparison> compareFiles(const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                                  const std::filesystem::path& original,
                                                  const std::filesystem::path& written,
                                                  const FileComparisonOptions& options = {});

}  // namespace mitos::onnx
