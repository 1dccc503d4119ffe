// SPDX-License-Identifier: GPL-3.0-or-later
// Writing an ONNX model and looking at what was written. Nothing here knows widgets.
#pragma once

#include "core/onnx/compared_export.h"
#include "views/document/open_model.h"
#include "views/export_dialog/export_source.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::views {

struct OnnxOptions {
    onnx::Profile profile = onnx::Profile::Standard;
    bool foldWeights = true;
    bool externalData = false;
    bool withThread = true;  ///< in the model's metadata
    bool compareValues = true;
    std::optional<int> opset = std::nullopt;  ///< as onnx::ExportOptions::opset
    /// What the written file is compared with; its stop token is that of the job.
    std::optional<onnx::OriginalFile> original = std::nullopt;
};

/// One question about the written file.
struct OnnxCheck {
    enum class Verdict { Passed, Failed, NotDone };
    Verdict verdict = Verdict::NotDone;
    std::string text;  ///< what was found, or why it was not looked for
};

struct OnnxOutcome {
    bool isWritten = false;  ///< not, where it computes something else than the original
    onnx::ExportReport report;
    std::optional<OnnxCheck> original;  ///< the file computes what the original file does; none: not asked for
    OnnxCheck checker;                  ///< ONNX's model checker
    OnnxCheck inference;                ///< ONNX's strict shape inference
    OnnxCheck reading;                  ///< the file, read again, is the program
    OnnxCheck values;                   ///< the file computes what the start program does
};

/// How many operators of a program only ONNX Runtime has: its files differ by profile where there are any.
[[nodiscard]] std::size_t runtimeOperators(const ir::TermBank& bank, ir::TermId root);

/// Writes the end of the source's thread. Not interrupted while it writes; a stop ends comparing. Errors: of exporting.
[[nodiscard]] Result<OnnxOutcome> exportOnnx(ExportSource& source, const OpenModel& open, const std::string& path,
                                             const OnnxOptions& options, const std::stop_token& stop,
                                             const std::function<void(const char* doing)>& report);

}  // namespace mitos::views
