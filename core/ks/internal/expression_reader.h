// SPDX-License-Identifier: GPL-3.0-or-later
// Turns forms of expressions into typed terms in one pass (ks-language.md 2, 4, 5, 9).
#pragma once

#include "core/ks/internal/file_context.h"
#include "core/ks/internal/type_reader.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mitos::ks {

using Terms = absl::InlinedVector<ir::TermId, 4>;

/// Reads the expressions of one definition. Every read function reports errors and then returns an invalid term; the
/// rest of the definition is not read.
class ExpressionReader {
public:
    enum class FreeNames {
        Declared,  ///< only parameters and size names
        Floats,    ///< any name; free names of a bare expression are Float parameters, and its integers may be Floats
    };

    ExpressionReader(FileContext& file, FreeNames freeNames)
        : m_file(file),
          m_bank(file.bank),
          m_types(file),
          m_freeNames(freeNames) {}

    /// Declares a parameter or size name. If a name is declared twice, the first declaration holds.
    void declare(Symbol name, ir::TypeId type);
    ir::TermId read(FormId form);
    /// The free names in order of their first appearance (FreeNames::Floats).
    [[nodiscard]] const std::vector<ir::Parameter>& floats() const { return m_floats; }

private:
    friend class StatementReader;

    struct Local {
        Symbol name;
        ir::TypeId type;
    };
    struct Binding {
        Symbol hint;
        ir::TermId value;
    };

    [[nodiscard]] const FormTree& forms() const { return m_file.forms; }
    [[nodiscard]] std::string typeText(ir::TermId term) const {
        return m_bank.types().toShortString(m_bank.type(term));
    }
    [[nodiscard]] std::string shortText(FormId form) const { return forms().shortText(form); }

    // expression_reader.cpp
    ir::TermId readAtom(FormId form);
    ir::TermId readName(FormId form, bool mayBecomeFloat);
    ir::TermId readList(FormId form);
    ir::TermId readIf(FormId form, std::span<const FormId> arguments);
    ir::TermId readDummy(FormId form, std::span<const FormId> arguments);
    /// Reads a function argument: a lam, whose untyped variable gets the expected type (Integer if that is unknown and
    /// `orInteger` is set), or any other expression.
    ir::TermId readFunction(FormId form, ir::TypeId expected, bool orInteger);
    /// Expands the name of a function where a lam is expected: (lam (x : T) (f x)). Returns nothing if the form names no function.
    std::optional<ir::TermId> readFunctionName(FormId form, ir::TypeId expected);
    ir::TermId readLam(FormId form, ir::TypeId expected, bool orInteger);
    void enter(Local local);
    void leaveTo(std::size_t locals);
    [[nodiscard]] ir::TermId findVariable(Symbol name);
    [[nodiscard]] std::vector<std::string_view> knownVariables() const;
    std::optional<Symbol> binderName(FormId form);

    // let_reader.cpp
    ir::TermId readLet(FormId form, std::span<const FormId> arguments);
    bool readBinding(std::span<const FormId> forms, FormId place, std::vector<Binding>& bindings);
    bool readPattern(FormId pattern, FormId value, std::vector<Binding>& bindings);
    bool bind(FormId name, ir::TermId value, std::vector<Binding>& bindings);
    bool isNameList(FormId form) const;
    bool takesTuplePattern(FormId pattern, FormId second);

    // call_reader.cpp
    [[nodiscard]] bool isBuiltIn(std::string_view name) const;
    ir::TermId readCall(FormId form, FormId head, std::span<const FormId> arguments);
    ir::TermId readNamedCall(FormId form, const FunctionName& name, std::span<const FormId> arguments);
    ir::TermId callFunction(FormId form, const FunctionName& name, std::span<const ir::FunctionId> overloads,
                            const Terms& arguments);
    ir::TermId callOperator(FormId form, Op op, std::string_view name, const Terms& arguments,
                            ir::Payload payload = {});
    ir::TermId callCoreOrSpecial(FormId form, std::string_view name, const Terms& arguments);
    ir::TermId readLambdaOperator(FormId form, Op op, std::span<const FormId> arguments);
    ir::TermId readGet(FormId form, std::string_view name, const Terms& arguments);
    ir::TermId readSelect(FormId form, const Terms& arguments);
    /// An operator declared in a rule file, and the text after its name: "2$same" of conv$2$same.
    struct Declared {
        ir::OpId op;
        std::string_view attributes;
    };
    [[nodiscard]] std::optional<Declared> declaredOperator(std::string_view word) const;
    ir::TermId callDeclared(FormId form, const Declared& declared, std::string_view word,
                            std::span<const FormId> arguments);
    ir::TermId unknownFunction(FormId head, const FunctionName& name);
    std::optional<Terms> readArguments(std::span<const FormId> arguments, std::span<const ir::FunctionId> overloads);
    std::string argumentTypes(const Terms& arguments) const;
    /// Applies `use` to the elements of a tuple. A tuple that is neither built here nor a variable is bound by a let.
    template <typename Use>
    ir::TermId withElements(ir::TermId tuple, Use use);

    // old_calls.cpp
    std::optional<FunctionName> calledName(FormId head);
    bool derive(FormId head, std::string_view derivation, const FunctionName& base);
    ir::TermId callWithLooseArguments(FormId form, std::span<const ir::FunctionId> overloads, const Terms& arguments);
    ir::TermId readTwoPointCheck(FormId form, std::span<const FormId> arguments);
    ir::TermId readIfold(FormId form, std::span<const FormId> arguments);

    // bare_literals.cpp
    void makeFloats(Op op, Terms& arguments);
    ir::TermId asFloats(ir::TermId term);

    FileContext& m_file;
    ir::TermBank& m_bank;
    TypeReader m_types;
    FreeNames m_freeNames;
    absl::flat_hash_map<Symbol, ir::TypeId> m_declared;
    std::vector<ir::Parameter> m_floats;
    std::vector<Local> m_locals;  // innermost last
    absl::flat_hash_map<Symbol, std::vector<std::uint32_t>>
        m_places;  // the indices in m_locals of each name, innermost last
};

/// Whether a term is an integer literal or arithmetic on integer literals. Beside Floats, a bare expression reads it as Floats.
[[nodiscard]] bool isIntegerConstant(const ir::TermBank& bank, ir::TermId term);

/// Whether an operator takes functions. Its arguments are then read in a special order, and it cannot be redefined.
[[nodiscard]] bool takesFunctions(Op op);

}  // namespace mitos::ks
