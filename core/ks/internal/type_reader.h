// SPDX-License-Identifier: GPL-3.0-or-later
// Reads types, parameters and structured names of ks text (ks-language.md 2, 3, 9).
#pragma once

#include "core/ks/internal/file_context.h"
#include "core/ks/signature.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mitos::ks {

class TypeReader {
public:
    explicit TypeReader(FileContext& file) : m_file(file), m_types(file.bank.types()) {}

    /// Reads a type and keeps its size names. Returns an invalid type after an error, which is reported.
    ir::TypeId type(FormId form);
    /// The type written by these forms without its parentheses: `Vec n Float`.
    ir::TypeId typeOf(std::span<const FormId> forms, FormId place);
    /// The argument type of an edef: a type, () for no argument, or an implicit tuple (Integer Float).
    ir::TypeId argumentType(FormId form);
    /// `x : T`, `x : Vec n T` (the forms between a parameter's parentheses).
    std::optional<ir::Parameter> parameter(std::span<const FormId> forms, FormId place);
    /// (x : T), ((x : T) …) or ().
    std::optional<std::vector<ir::Parameter>> parameters(FormId form);
    /// A name or a structured name; nothing after an error.
    std::optional<FunctionName> functionName(FormId form);
    /// A function with the declared signature, without a body.
    ir::Function signature(const FunctionName& name, std::vector<ir::Parameter> parameters, ir::TypeId result) {
        return ks::signature(m_file.bank, name.text, std::move(parameters), result);
    }
    /// The parameters of an external function: the elements of a tuple argument, named x1, x2, …
    std::vector<ir::Parameter> externalParameters(ir::TypeId argument);
    /// Whether the word begins a type.
    static bool isTypeWord(std::string_view word);

private:
    ir::TypeId tensorType(std::span<const FormId> forms, FormId place, std::uint32_t rank);
    [[nodiscard]] bool isSizeExpression(FormId form) const;
    std::optional<Symbol> sizeName(FormId form);

    FileContext& m_file;
    ir::TypeTable& m_types;
    int m_depth = 0;
};

}  // namespace mitos::ks
