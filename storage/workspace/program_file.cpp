// SPDX-License-Identifier: GPL-3.0-or-later
// See program_file.h.
#include "storage/workspace/program_file.h"

#include "core/ks/operators.h"
#include "core/tensor/operator.h"

#include <iostream>
#include <iterator>
#include <utility>

namespace mitos::storage {

namespace {

/// The bytes of a model from standard input; null if a text comes. Only a binary model begins with a control character, and only ONNX's
/// textual syntax with <.
std::shared_ptr<const std::string> modelFromInput() {
    const int first = std::cin.peek();
    const bool isBinary = first >= 0 && first < ' ' && first != '\t' && first != '\n' && first != '\r';
    if (!isBinary && first != '<') return nullptr;
    return std::make_shared<const std::string>(std::istreambuf_iterator<char>(std::cin),
                                               std::istreambuf_iterator<char>());
}

/// A module that holds the program alone.
ks::Module moduleOf(const ir::Program& program) {
    ks::Module module;
    module.functions = {program.function};
    module.bodies = {program.root};
    return module;
}

}  // namespace

std::optional<std::filesystem::path> ProgramFile::modelFile() const {
    return isModel() && bytes == nullptr ? std::optional<std::filesystem::path>(path) : std::nullopt;
}

Result<ProgramFile> loadProgramFile(const std::string& path, std::optional<std::size_t> mostBytes) {
    ProgramFile file{.path = path, .name = std::filesystem::path(path).filename().string()};
    if (path == "-") file.bytes = modelFromInput();
    if (file.bytes != nullptr || onnx::isModelFile(path)) return file;
    MITOS_TRY(SourceText text, mostBytes ? readSourceFile(path, *mostBytes) : readSourceFile(path));
    file.text = std::make_shared<const SourceText>(std::move(text));
    return file;
}

ProgramFile typedProgram(SourceText text) {
    ProgramFile file{.path = text.name(), .name = text.name()};
    file.text = std::make_shared<const SourceText>(std::move(text));
    return file;
}

const ir::Dialect& dialectOf(const ProgramFile& file, const ir::OperatorRegistry& registry) {
    return file.isModel() ? *registry.findDialect(tensor::DialectName)
                          : ir::recognized(registry, file.text->text(), file.path);
}

Result<tensor::Model> importModel(ir::TermBank& bank, const ProgramFile& file, const onnx::ImportOptions& how) {
    if (file.bytes == nullptr) return onnx::importFile(bank, file.path, how);
    const bool isText = file.bytes->starts_with('<');
    return isText ? onnx::importText(bank, *file.bytes, how) : onnx::importBytes(bank, *file.bytes, how);
}

Result<ReadModule> readModule(ir::TermBank& bank, const ProgramFile& file, std::string_view function,
                              const onnx::ImportOptions& how) {
    if (file.isModel()) {
        MITOS_TRY(tensor::Model model, importModel(bank, file, how));
        ReadModule read{.module = moduleOf(model.program), .warnings = model.warnings};
        read.model = std::make_shared<const tensor::Model>(std::move(model));
        return read;
    }
    const ir::Dialect& dialect = dialectOf(file, bank.registry());
    if (dialect.name != ks::DialectName) {
        MITOS_TRY(ir::ParsedText parsed, dialect.parse(bank, *file.text, function));
        return ReadModule{.module = moduleOf(parsed.program), .warnings = std::move(parsed.warnings)};
    }
    MITOS_TRY(ks::Module module, ks::parseModule(bank, *file.text));
    std::vector<std::string> warnings = module.warnings;
    return ReadModule{.module = std::move(module), .warnings = std::move(warnings)};
}

Result<ir::Program> chosenProgram(const ir::TermBank& bank, const ReadModule& read, const ProgramFile& file,
                                  std::string_view function) {
    Result<ir::Program> program = ks::selectProgram(bank, read.module, function);
    if (program) return program;
    Error error = std::move(program).error();
    if (!error.place) error.place = SourcePlace{file.path, 0, 0, {}};
    return error;
}

std::string titleOf(const ir::TermBank& bank, const ir::Program& program, const ProgramFile& file) {
    const ir::Function& function = bank.function(program.function);
    return file.isModel() || function.bareExpression ? file.name : file.name + " · " + function.name;
}

}  // namespace mitos::storage
