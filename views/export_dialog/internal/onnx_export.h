// SPDX-License-Identifier: GPL-3.0-or-later
// Writes an ONNX model and checks the written file. Independent of widgets.
#pragma once

#include "core/onnx/compared_export.h"
#include "storage/workspace/open_model.h"
#include "views/export_dialog/export_source.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace mitos::views {

struct OnnxOptions {
    onnx::Profile profile = onnx::Profile::Standard;
    bool foldWeights = true;
    bool externalData = false;
    bool withThread = true;  ///< stored in the model's metadata
    bool compareValues = true;
    std::optional<int> opset = std::nullopt;  ///< see onnx::ExportOptions::opset
    /// The file to compare with the written one; its stop token is the job's.
    std::optional<onnx::OriginalFile> original = std::nullopt;
};

/// The result of one check of the written file.
struct OnnxCheck {
    enum class Verdict { Passed, Failed, NotDone };
    Verdict verdict = Verdict::NotDone;
    std::string text;  ///< the finding, or why the check was not done
};

struct OnnxOutcome {
    bool isWritten = false;  ///< false if the model computes something else than the original
    onnx::ExportReport report;
    std::optional<OnnxCheck> original;  ///< the file computes what the original file does; nothing if not requested
    OnnxCheck checker;                  ///< ONNX's model checker
    OnnxCheck inference;                ///< ONNX's strict shape inference
    OnnxCheck reading;                  ///< the written file, read back, is the program
    OnnxCheck values;                   ///< the file computes what the start program does
};

/// Number of operators in a program that only ONNX Runtime supports; if there are any, the files differ by profile.
[[nodiscard]] std::size_t runtimeOperators(const ir::TermBank& bank, ir::TermId root);

/// Writes the last program of the source's thread. Writing cannot be interrupted; a stop ends the comparisons. Fails if
/// the export fails.
[[nodiscard]] Result<OnnxOutcome> exportOnnx(ExportSource& source, const OpenModel& open, const std::string& path,
                                             const OnnxOptions& options, const std::stop_token& stop,
                                             const std::function<void(const char* doing)>& report);

}  // namespace mitos::views
