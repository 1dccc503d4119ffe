// SPDX-License-Identifier: GPL-3.0-or-later
// Parses files and selects programs in them.
#include "core/ks/module.h"

#include "core/base/deep_stack.h"
#include "core/ks/internal/declaration_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

using ir::FunctionId;

namespace {

std::string namesIn(const ir::TermBank& bank, const Module& module) {
    constexpr std::size_t Shown = 12;
    std::string list;
    std::size_t count = 0;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
        if (!module.bodies[i].isValid() || ++count > Shown) continue;
        list += (list.empty() ? "" : ", ") + bank.function(module.functions[i]).name;
    }
    return count > Shown ? fmt::format("{}, … ({} in all)", list, count) : list;
}

}  // namespace

Result<Module> parseModule(ir::TermBank& bank, const SourceText& source) {
    Diagnostics diagnostics(source);
    if (const std::size_t bad = source.firstInvalidByte(); bad != std::string::npos) {
        const auto byte = static_cast<unsigned>(static_cast<unsigned char>(source.text()[bad]));
        SourcePlace place = source.place(bad);
        place.lineText.clear();  // the line is not text
        return Error{ErrorCode::Parse,
                     fmt::format("this is not a text file: byte 0x{:02x} at offset {} is not UTF-8", byte, bad),
                     std::move(place),
                     "programs are plain text in UTF-8",
                     {}};
    }
    const FormTree forms = FormTree::read(source, diagnostics);
    FileContext file(bank, source, forms, diagnostics);
    Module module;
    withDeepStack(forms.depth(), [&] { module = DeclarationReader(file).read(); });
    if (!diagnostics.clean()) return std::move(diagnostics).merged();
    module.warnings = std::move(diagnostics).warnings();
    return module;
}

Result<ir::Program> selectProgram(const ir::TermBank& bank, const Module& module, std::string_view name) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
        const ir::Function& function = bank.function(module.functions[i]);
        if (!module.bodies[i].isValid()) continue;
        const std::string typed = fmt::format("[{} {}]", function.name, bank.types().toString(function.argument));
        if (name.empty()) {
            found.assign(1, i);
        } else if (function.name == name || typed == name) {
            found.push_back(i);
        }
    }
    if (found.size() == 1) return ir::Program{module.functions[found[0]], module.bodies[found[0]]};
    const std::string names = namesIn(bank, module);
    if (names.empty()) {
        return inputError("there is no program in this file",
                          "a program is a definition, (def f Float (x : Float) (mul x x)), or one bare expression");
    }
    if (found.empty())
        return inputError(fmt::format("there is no function {} in this file", name), "there are: " + names);
    std::string overloads;
    for (const std::size_t i : found) {
        const ir::Function& function = bank.function(module.functions[i]);
        overloads += fmt::format("{}[{} {}]", overloads.empty() ? "" : ", ", function.name,
                                 bank.types().toString(function.argument));
    }
    return inputError(fmt::format("there are {} functions called {} in this file", found.size(), name),
                      "name one of " + overloads);
}

Result<ir::Program> parseProgram(ir::TermBank& bank, std::string name, std::string text) {
    const SourceText source(std::move(name), std::move(text));
    const Result<Module> module = parseModule(bank, source);
    return module ? selectProgram(bank, *module, {}) : module.error();
}

}  // namespace mitos::ks
