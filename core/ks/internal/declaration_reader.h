// SPDX-License-Identifier: GPL-3.0-or-later
// Reads top-level forms: def, edef, gdef, rule, or one bare expression.
#pragma once

#include "core/ks/internal/expression_reader.h"
#include "core/ks/module.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mitos::ks {

class DeclarationReader {
public:
    explicit DeclarationReader(FileContext& file) : m_file(file), m_bank(file.bank), m_types(file) {}

    /// Reads the whole file; errors go to the file's diagnostics.
    Module read();

private:
    enum class Keyword { None, Def, Edef, Gdef, Rule };

    [[nodiscard]] Keyword keyword(FormId form) const;
    [[nodiscard]] const FormTree& forms() const { return m_file.forms; }
    [[nodiscard]] std::string definedName(FormId form) const;
    void readDefinitions(std::span<const FormId> top);
    void readBare(FormId form);

    bool readDef(FormId form, std::span<const FormId> parts);
    bool readEdef(FormId form, std::span<const FormId> parts);
    bool readGdef(FormId form, std::span<const FormId> parts);
    bool readRule(FormId form, std::span<const FormId> parts);
    void rejectExpression(FormId form);
    /// Checks [f T] against the argument type. Reports a mismatch and returns false.
    bool argumentAgrees(FormId form, const FunctionName& name, const ir::Function& function);
    /// The function's id: a new one, or that of the bank's function with exactly this signature.
    std::optional<ir::FunctionId> declare(FormId form, ir::Function function);
    std::optional<std::vector<ir::Parameter>> externalParameters(FormId form);
    void setBody(ir::FunctionId id, ir::TermId body);
    bool readDeclaredCost(const std::string& edef, const std::vector<ir::Parameter>& parameters, ir::TermId body);
    bool isShallow(FormId form, ir::TermId body);
    /// Whether the depth of the body with the bodies that it calls is within MaxNesting. Stores the depth for its callers.
    bool callsAreShallow(FormId form, ir::FunctionId function, ir::TermId body);

    FileContext& m_file;
    ir::TermBank& m_bank;
    TypeReader m_types;
    Module m_module;
    absl::flat_hash_set<ir::FunctionId> m_own;                   // functions of m_module
    absl::flat_hash_map<ir::FunctionId, std::size_t> m_nesting;  // depth of bodies with the bodies they call
};

}  // namespace mitos::ks
