// SPDX-License-Identifier: GPL-3.0-or-later
// See region_files.h.
#include "storage/workspace/region_files.h"

#include "core/base/source_text.h"
#include "core/base/write_file.h"
#include "core/codegen/cpp.h"
#include "core/onnx/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace mitos::storage {

namespace {

std::string pathOf(const RegionFiles& files, std::size_t number, std::string_view ending) {
    return (std::filesystem::path(files.folder) / fmt::format("region-{}.{}", number, ending)).string();
}

Status writeCpp(const RegionFiles& files, std::size_t number, const ir::TermBank& bank,
                const partition::RegionProgram& program) {
    const codegen::CppOptions options{.functionName = fmt::format("region_{}", number),
                                      .testMain = false,
                                      .comment = {},
                                      .nameSpace = fmt::format("region_{}", number)};
    MITOS_TRY(const std::string text, codegen::emitCpp(bank, program.program(), options));
    MITOS_TRY(const std::string header, codegen::emitCppHeader(bank, program.program(), options));
    MITOS_REQUIRE(writeFile(pathOf(files, number, "h"), header));
    return writeFile(pathOf(files, number, "cpp"), text);
}

Result<onnx::ExportReport> writeOnnx(const RegionFiles& files, const std::string& path, std::size_t number,
                                     const ir::TermBank& bank, const partition::RegionProgram& program) {
    tensor::Model model = files.model != nullptr ? *files.model : tensor::modelOf(bank, program.program());
    model.program = program.program();
    model.outputs = program.outputs;
    model.name = fmt::format("{} region {}", model.name, number);
    model.notes.clear();  // they are about the inputs and outputs of the whole
    return onnx::exportFile(bank, model, path);
}

}  // namespace

Status requireForm(const std::string& format, const ir::Dialect& dialect) {
    const bool isOnnx = format == "onnx";
    if (dialect.canExport(isOnnx ? "onnx" : "cpp")) return mitos::Success{};
    return Error{ErrorCode::Unsupported,
                 fmt::format("{} programs have no {} form", dialect.name, isOnnx ? "ONNX" : "C++"), std::nullopt,
                 isOnnx ? "write it as C++" : "write it as ONNX models"};
}

Status requireExport(const RegionFiles& files, const ir::Dialect& dialect) {
    MITOS_REQUIRE(requireForm(files.format, dialect));
    std::error_code failure;
    std::filesystem::create_directories(files.folder, failure);
    if (failure) {
        return Error{ErrorCode::Io, fmt::format("cannot make the folder {}: {}", files.folder, failure.message()),
                     std::nullopt, "name a folder that can be written"};
    }
    removeLeftBehind(files.folder);
    MITOS_TRY(const std::string trial, makeUnfinishedFile(files.folder));
    std::filesystem::remove(trial, failure);
    return mitos::Success{};
}

RegionFile writeRegion(const RegionFiles& files, std::size_t number, const ir::TermBank& bank,
                       const partition::RegionProgram& program) {
    const bool isOnnx = files.format == "onnx";
    RegionFile file{number, pathOf(files, number, isOnnx ? "onnx" : "cpp"), {}};
    if (!isOnnx) {
        if (const Status written = writeCpp(files, number, bank, program); !written) file.error = written.error();
        return file;
    }
    const Result<onnx::ExportReport> written = writeOnnx(files, file.path, number, bank, program);
    if (!written) {
        file.error = written.error();
        return file;
    }
    for (const std::string& finding : {written->checkerSays, written->inferenceSays}) {
        if (!finding.empty()) file.findings.push_back(finding);
    }
    return file;
}

}  // namespace mitos::storage
