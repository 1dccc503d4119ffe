// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/compared_export.h"

#include "core/base/child_process.h"

#include <utility>

namespace mitos::onnx {

Result<ComparedExport> exportCompared(const ir::TermBank& bank, const tensor::Model& model,
                                      const std::filesystem::path& path, const ExportOptions& options,
                                      const std::optional<OriginalFile>& original) {
    ComparedExport result;
    if (original) {
        Result<TemporaryFolder> folder = TemporaryFolder::make();
        if (!folder) return std::move(folder).error();
        const std::filesystem::path copy = std::filesystem::path(folder->path()) / "output.onnx";
        Result<ExportReport> written = exportFile(bank, model, copy, options);
        if (!written) return std::move(written).error();
        Result<FileComparison> comparison =
            compareFiles(bank.sharedRegistry(), original->path, copy, original->comparing);
        if (!comparison) return std::move(comparison).error();
        const bool isDifferent = comparison->verdict == FileVerdict::Different;
        result.comparison = *std::move(comparison);
        result.report = *std::move(written);
        if (isDifferent && !original->insists) return result;
    }
    Result<ExportReport> report = exportFile(bank, model, path, options);
    if (!report) return std::move(report).error();
    result.report = *std::move(report);
    result.isWritten = true;
    return result;
}

}  // namespace mitos::onnx
