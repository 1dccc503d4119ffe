// SPDX-License-Identifier: GPL-3.0-or-later
// Programs as they are given: the one way by which both programs read them into a bank.
#pragma once

#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/ir/term_bank.h"
#include "core/ks/module.h"
#include "core/onnx/import.h"
#include "core/tensor/model.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::storage {

/// A program as it is given: a text of any dialect, a model's file, or the bytes of a model. A text has been read; a model's file has not.
struct ProgramFile {
    std::string path = {};  ///< as messages name it: "-" for standard input, a title for typed text
    std::string name = {};  ///< as titles name it: without its folder
    std::shared_ptr<const SourceText> text = nullptr;    ///< null: a model
    std::shared_ptr<const std::string> bytes = nullptr;  ///< a model that is not in a file; null otherwise

    [[nodiscard]] bool isModel() const { return text == nullptr; }
    /// The file of a model; nothing if it is a text, or in no file.
    [[nodiscard]] std::optional<std::filesystem::path> modelFile() const;
};

/// Reads the text at `path`, unless its name is that of a model; "-": standard input, a text or the bytes of a model. Fails if it cannot
/// be read, or if it is longer than `mostBytes` (readSourceFile()'s limit if none is given).
[[nodiscard]] Result<ProgramFile> loadProgramFile(const std::string& path, std::optional<std::size_t> mostBytes = {});
[[nodiscard]] ProgramFile typedProgram(SourceText text);

/// The dialect of the program, as far as that can be told before it is parsed.
[[nodiscard]] const ir::Dialect& dialectOf(const ProgramFile& file, const ir::OperatorRegistry& registry);

/// Everything that such a file holds, read into a bank.
struct ReadModule {
    ks::Module module = {};  ///< for other dialects than ks, with the program's function alone
    std::shared_ptr<const tensor::Model> model = nullptr;  ///< of a model
    std::vector<std::string> warnings = {};
};

/// Reads a model, a file's or the bytes. Fails as onnx::importFile() does.
[[nodiscard]] Result<tensor::Model> importModel(ir::TermBank& bank, const ProgramFile& file,
                                                const onnx::ImportOptions& how = {});
/// Fails if the file cannot be read, parsed or imported; for a listing also if it has no function of that name.
[[nodiscard]] Result<ReadModule> readModule(ir::TermBank& bank, const ProgramFile& file, std::string_view function,
                                            const onnx::ImportOptions& how = {});
/// The program of that name in what was read; the last one if the name is empty. Fails, at the file's place, if there is none, or if
/// several have the name.
[[nodiscard]] Result<ir::Program> chosenProgram(const ir::TermBank& bank, const ReadModule& read,
                                                const ProgramFile& file, std::string_view function);
/// The name of the program in lists and titles: its file's name, with the function if the file may hold several.
[[nodiscard]] std::string titleOf(const ir::TermBank& bank, const ir::Program& program, const ProgramFile& file);

}  // namespace mitos::storage
