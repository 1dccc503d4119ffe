// SPDX-License-Identifier: GPL-3.0-or-later
// Writing ONNX models at an opset, compared with the file they come from.
#pragma once

#include "app/cli/context.h"
#include "core/onnx/compared_export.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::cli {

struct ModelOutput {
    std::optional<int> opset;
    bool isCompared = false;
    std::string python;  ///< with ONNX Runtime; empty: by the evaluator
    // Set by the command:
    double seconds = onnx::FileComparisonOptions{}.seconds;  ///< as VerifyFlags::seconds
    bool insist = false;                                     ///< also what computes something else is written
    std::stop_token stop = {};

    /// --opset, --compare-file, --onnxruntime.
    std::vector<CLI::Option*> add(CLI::App& command);
    [[nodiscard]] bool compares() const { return isCompared || !python.empty(); }
};

/// As context.h's writeModel, at the opset wanted. Where it is to be compared with FILE, a copy is, first; one that computes something
/// else is written only where `how` insists. What is worth knowing is said on stderr. Errors: also, there is no file to compare with; Cancelled.
[[nodiscard]] Result<onnx::ComparedExport> writeComparedModel(const ModelOutput& how, const CommonOptions& from,
                                                              const OpenProgram& open, const ir::TermBank& bank,
                                                              const ir::Program& program, const std::string& threadText,
                                                              const std::string& path,
                                                              onnx::ExportOptions options = {});
/// verdict (same, different, undecided), by, samples, max_deviation, note; null where nothing was compared.
[[nodiscard]] Json comparisonJson(const std::optional<onnx::FileComparison>& comparison);

}  // namespace mitos::cli
