// SPDX-License-Identifier: GPL-3.0-or-later
// Writing a model and comparing the written file with the one it comes from, before it takes its place.
#pragma once

#include "core/onnx/compare_files.h"
#include "core/onnx/export.h"

#include <filesystem>
#include <optional>

namespace mitos::onnx {

/// What a written file is compared with, and how.
struct OriginalFile {
    std::filesystem::path path;
    FileComparisonOptions comparing = {};
    bool insists = false;  ///< a file that computes something else is written all the same
};

struct ComparedExport {
    bool isWritten = false;
    ExportReport report;
    std::optional<FileComparison> comparison;  ///< where there is an original

    /// Whether it is written, ONNX's checks accept it, and it was compared as wanted and is the same.
    [[nodiscard]] bool isFine() const {
        const bool isSame = !comparison || comparison->verdict == FileVerdict::Same;
        return isWritten && isSame && report.isAccepted();
    }
};

/// As exportFile. With an original a copy is compared with it first, and one that computes something else is written only where
/// that insists. Errors: also, of making the copy; Cancelled while comparing, and then nothing is written.
[[nodiscard]] Result<ComparedExport> exportCompared(const ir::TermBank& bank, const tensor::Model& model,
                                                    const std::filesystem::path& path, const ExportOptions& options,
                                                    const std::optional<OriginalFile>& original);

}  // namespace mitos::onnx
