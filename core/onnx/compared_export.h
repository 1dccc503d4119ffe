// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a model and compares the written file with the one it comes from, before it takes that one's place.
#pragma once

#include "core/onnx/compare_files.h"
#include "core/onnx/export.h"

#include <filesystem>
#include <optional>

namespace mitos::onnx {

/// The file with which a written file is compared, and the options of the comparison.
struct OriginalFile {
    std::filesystem::path path;
    FileComparisonOptions comparing = {};
    /// Whether the comparison was asked for; otherwise one that could not be made is no failure.
    bool isAsked = true;
    bool insists = false;  ///< whether to write the file even if it computes something else
};

struct ComparedExport {
    bool isWritten = false;
    ExportReport report;
    std::optional<FileComparison> comparison;  ///< set if there is an original
    bool isComparisonAsked = false;

    /// Whether the file is written, ONNX's checks accept it, and a comparison found it the same or was not asked for and could not be made.
    [[nodiscard]] bool isFine() const {
        const auto worst = isComparisonAsked ? FileVerdict::Same : FileVerdict::Undecided;
        const bool isSame = !comparison || comparison->verdict == FileVerdict::Same || comparison->verdict == worst;
        return isWritten && isSame && report.isAccepted();
    }
};

/// Does what exportFile does. With an original, a copy is compared with it first, and a file that computes something else is
/// written only if `insists` is set. Also fails if the copy cannot be made, or with Cancelled during the comparison; then nothing is
/// written.
[[nodiscard]] Result<ComparedExport> exportCompared(const ir::TermBank& bank, const tensor::Model& model,
                                                    const std::filesystem::path& path, const ExportOptions& options,
                                                    const std::optional<OriginalFile>& original);

}  // namespace mitos::onnx
