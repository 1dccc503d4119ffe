// SPDX-License-Identifier: GPL-3.0-or-later
// Parses files and selects programs in them.
#include "core/ks/module.h"

#include "core/base/deep_stack.h"
#include "core/ir/dialect.h"
#include "core/ks/internal/declaration_reader.h"
#include "core/ks/names.h"
#include "core/ks/operators.h"

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

/// The words of a name without brackets and types: "rev f" of `[rev [f Float]]` and of `[rev f]`, "f" of `[f Float]`.
std::string wordsOf(std::string_view name) {
    std::string words;
    while (!name.empty()) {
        const std::size_t start = name.find_first_not_of("[ ");
        if (start == std::string_view::npos) break;
        const std::string_view word = name.substr(start, name.find_first_of(" []", start) - start);
        words += words.empty() ? "" : " ";
        words += word;
        if (start == 0 || !isDerivation(word)) break;
        name.remove_prefix(start + word.size());
    }
    return words;
}

/// The words of the name that a form defines or, for a derivative, requests.
std::string nameOf(const FormTree& forms, FormId form) {
    const std::span<const FormId> parts =
        forms.is(form, FormKind::List) ? forms.children(form) : std::span<const FormId>();
    if (parts.size() >= 2 && forms.isName(parts[0], "def")) return wordsOf(forms.text(parts[1]));
    if (parts.size() < 3 || !forms.isName(parts[0], "gdef")) return {};
    return fmt::format("{} {}", forms.text(parts[1]), wordsOf(forms.text(parts[2])));
}

/// The first list below the form, in reading order, whose head is that word.
std::optional<FormId> applicationOf(const FormTree& forms, FormId form, std::string_view head) {
    const std::string words = wordsOf(head);
    std::vector<FormId> open{form};
    while (!open.empty()) {
        const FormId current = open.back();
        open.pop_back();
        if (!forms.is(current, FormKind::List)) continue;
        const std::span<const FormId> parts = forms.children(current);
        if (!parts.empty() && wordsOf(withoutAlias(forms.text(parts[0]))) == words) return current;
        open.insert(open.end(), parts.rbegin(), parts.rend());
    }
    return std::nullopt;
}

/// Gives the derived functions of a file that has no errors their bodies. Reports those that cannot be derived as warnings.
void makeDerived(const FileContext& file, Diagnostics& diagnostics) {
    const ir::Dialect* const dialect = file.bank.registry().findDialect(DialectName);
    if (dialect == nullptr || dialect->derive == nullptr) return;
    for (const FileContext::Derived& derived : file.derived) {
        const Result<ir::FunctionId> made = dialect->derive(file.bank, derived.function);
        if (made) continue;
        diagnostics.warning(derived.place,
                            fmt::format("{} cannot be made: {}", file.bank.function(derived.function.function).name,
                                        made.error().message));
    }
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
    makeDerived(file, diagnostics);
    for (const FileContext::Derived& derived : file.derived) module.derived.push_back(derived.function);
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

std::optional<SourcePlace> placeOf(const SourceText& source, std::string_view function, std::string_view head) {
    Diagnostics diagnostics(source);
    const FormTree forms = FormTree::read(source, diagnostics);
    const bool isBare = forms.top().size() == 1 && nameOf(forms, forms.top()[0]).empty();
    const std::string words = wordsOf(function);
    for (const FormId form : forms.top()) {
        if (!isBare && nameOf(forms, form) != words) continue;
        return source.place(forms.span(applicationOf(forms, form, head).value_or(form)).begin);
    }
    return std::nullopt;
}

Result<ir::TermId> parseExpression(ir::TermBank& bank, const std::string& text,
                                   std::span<const ir::Parameter> variables,
                                   std::span<const ir::FunctionId> functions) {
    const SourceText source("expression", text);
    Diagnostics diagnostics(source);
    const FormTree forms = FormTree::read(source, diagnostics);
    FileContext file(bank, source, forms, diagnostics);
    for (const FunctionId id : functions) {
        const std::string& name = bank.function(id).name;
        file.functions.add({name, name, {}}, id);
    }
    ir::TermId term;
    if (forms.top().size() == 1) {
        withDeepStack(forms.depth(), [&] {
            ExpressionReader reader(file, ExpressionReader::FreeNames::Declared);
            for (const ir::Parameter& variable : variables) reader.declare(variable.name, variable.type);
            term = reader.read(forms.top()[0]);
        });
    }
    if (!diagnostics.clean()) return std::move(diagnostics).merged();
    if (!term.isValid()) return Error{ErrorCode::Parse, "expected one expression"};
    return term;
}

Result<ir::Program> parseProgram(ir::TermBank& bank, std::string name, std::string text) {
    const SourceText source(std::move(name), std::move(text));
    const Result<Module> module = parseModule(bank, source);
    return module ? selectProgram(bank, *module, {}) : module.error();
}

}  // namespace mitos::ks
