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
        MITOS_TRY(TemporaryFolder folder, TemporaryFolder::make());
        const std::filesystem::path copy = std::filesystem::path(folder.path()) / "output.onnx";
        MITOS_TRY(ExportReport written, exportFile(bank, model, copy, options));
        MITOS_TRY(FileComparison comparison,
                  compareFiles(bank.sharedRegistry(), original->path, copy, original->comparing));
        const bool isDifferent = comparison.verdict == FileVerdict::Different;
        result.comparison = std::move(comparison);
        result.isComparisonAsked = original->isAsked;
        result.report = std::move(written);
        if (isDifferent && !original->insists) return result;
    }
    MITOS_TRY(result.report, exportFile(bank, model, path, options));
    result.isWritten = true;
    return result;
}

}  // namespace mitos::onnx
