// SPDX-License-Identifier: GPL-3.0-or-later
// Writes ONNX models at a chosen opset, and compares them with the file they come from.
#pragma once

#include "app/cli/context.h"
#include "core/onnx/compared_export.h"
#include "core/rewrite/verdict.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::cli {

struct ModelOutput {
    std::optional<int> opset;
    /// Whether the written file is compared with FILE; without a value, it is if that takes less than a few seconds.
    std::optional<bool> isCompared;
    std::string python;  ///< interpreter with ONNX Runtime for the comparison; empty: the evaluator compares
    // Set by the command:
    double seconds = onnx::FileComparisonOptions{}.seconds;  ///< see VerifyFlags::seconds
    bool insist = false;                                     ///< also write a model that computes other values
    std::stop_token stop = {};
    std::stop_token foldingStop = {};  ///< see onnx::ExportOptions
    double foldingSeconds = 0.0;       ///< the same

    /// Adds --opset, --compare-file (--no-compare-file) and --onnxruntime.
    std::vector<CLI::Option*> add(CLI::App& command);
    /// Whether a comparison was asked for.
    [[nodiscard]] bool asksToCompare() const { return isCompared.value_or(false) || !python.empty(); }
};

/// As writeModel() of context.h, at the requested opset. A copy is compared with FILE first, if that was not declined and there is such a
/// file, and a model that computes other values is written only if `how` insists. Notes go to stderr. Also fails if a comparison was asked
/// for and there is no file to compare with, or with Cancelled.
[[nodiscard]] Result<onnx::ComparedExport> writeComparedModel(const ModelOutput& how, const CommonOptions& from,
                                                              const WrittenProgram& what, const std::string& path,
                                                              onnx::ExportOptions options = {});
/// The verdict with the result of comparing the written file with FILE, unless random inputs already decided about the values: the
/// evaluator cannot compute programs with unknown operators, but ONNX Runtime may.
[[nodiscard]] rewrite::Verdict withFiles(rewrite::Verdict verdict, const std::optional<onnx::FileComparison>& files);
/// An object with verdict (same, different, undecided), by, samples, max_deviation and note; null if nothing was compared.
[[nodiscard]] Json comparisonJson(const std::optional<onnx::FileComparison>& comparison);

}  // namespace mitos::cli
