// SPDX-License-Identifier: GPL-3.0-or-later
// Prints the loop form as C++. Private to core/codegen.
#pragma once

#include "core/base/result.h"
#include "core/codegen/internal/helpers.h"
#include "core/ir/term_bank.h"
#include "core/loops/form.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::codegen {

/// Thrown for types without a C++ equivalent; caught by emitProgram().
struct Unsupported {
    std::string message;
    std::string hint = {};
};

/// The functions of one program as text, and the helpers that they need.
struct EmittedProgram {
    std::string functions;
    std::string entry;        ///< name of the program's function
    std::string declaration;  ///< of the program's function, without ';'
    Helpers helpers;
};

/// Errors: as emitCpp.
[[nodiscard]] Result<EmittedProgram> emitProgram(const ir::TermBank& bank, const ir::Program& program,
                                                 const std::string& functionName);
/// The C++ type of a ks type. Throws Unsupported.
[[nodiscard]] std::string cppType(const ir::TypeTable& types, ir::TypeId type, Helpers& helpers);

/// Precedence of the C++ operators that are printed, weakest first.
enum Precedence : std::uint8_t {
    Conditional,
    LogicalOr,
    LogicalAnd,
    Equality,
    Relational,
    Additive,
    Multiplicative,
    Unary,
    Primary
};

class Printer {
public:
    /// Helpers that the text needs are added to `helpers`.
    Printer(const ir::TermBank& bank, const loops::Program& program, const loops::Function& function, Helpers& helpers)
        : m_bank(bank),
          m_types(bank.types()),
          m_program(program),
          m_function(function),
          m_helpers(helpers) {}

    /// The function's result type, name and parameters; inline for a function that only others of the file call.
    std::string signature();
    /// The function's definition.
    std::string definition();
    std::string expression(loops::ExpressionId id) { return print(id).text; }

private:
    struct Text {
        std::string text;
        Precedence precedence = Primary;
    };

    // print_expressions.cpp
    Text print(loops::ExpressionId id);
    Text literal(const loops::Expression& expression);
    Text unary(const loops::Expression& expression);
    Text binary(const loops::Expression& expression);
    Text joined(const loops::Expression& expression, const char* symbol, Precedence precedence);
    Text choice(loops::ExpressionId id);
    std::string element(const loops::Expression& expression);
    std::string filled(const loops::Expression& expression);
    std::string converted(const loops::Expression& expression);
    std::string run(const loops::Expression& expression);
    std::string deltaTensor(const loops::Expression& expression);
    /// Whether the leftmost factor of a product is a quotient.
    [[nodiscard]] bool beginsWithQuotient(loops::ExpressionId id) const;
    static std::string wrapped(const Text& text, Precedence least);
    std::string wrapped(loops::ExpressionId id, Precedence least) { return wrapped(print(id), least); }
    std::string list(const std::vector<loops::ExpressionId>& ids, std::size_t first = 0, std::size_t count = SIZE_MAX);
    std::string ksCall(const std::string& helper, const std::string& arguments);
    std::string type(ir::TypeId type) { return cppType(m_types, type, m_helpers); }
    [[nodiscard]] bool isScalar(ir::TypeId type) const;
    [[nodiscard]] bool isVector(ir::TypeId type) const { return m_types.isTensor(type) && m_types.rank(type) == 1; }

    // print_statements.cpp
    void line(const std::string& text);
    void open(const std::string& head);
    void close(std::string_view after = {});
    void block(const loops::Block& block);
    /// The number of declarations of zeros of one type, from a statement on; they are printed as one.
    [[nodiscard]] std::size_t zerosAt(const loops::Block& block, std::size_t first) const;
    void printZeros(const loops::Block& block, std::size_t first, std::size_t count);
    void print(const loops::Declare& declare);
    void print(const loops::Assign& assign);
    void print(const loops::Resize& resize);
    void print(const loops::Accumulate& accumulate);
    void print(const loops::AddProduct& product);
    void print(const loops::Clear& clear);
    void print(const loops::For& loop);
    void printSum(const loops::For& loop);
    void print(const loops::If& conditional);
    void print(const loops::Require& require);
    void print(const loops::Return& result);
    void print(const loops::Break& leave);
    void print(const loops::DefineFunction& function);
    void print(const loops::Drop& drop);
    void print(const loops::Print& print);
    void print(const loops::StartClock& clock);
    void print(const loops::ReadClock& clock);
    void resize(const std::string& place, const std::vector<loops::ExpressionId>& sizes);
    /// A value where its type is known: a tuple is a list of its parts.
    std::string listed(loops::ExpressionId id);
    /// Declares a value that is made in place.
    void printConstructed(const std::string& name, const loops::Expression& value);
    [[nodiscard]] const std::string& nameOf(loops::SymbolId symbol) const { return m_function.at(symbol).name; }

    const ir::TermBank& m_bank;
    const ir::TypeTable& m_types;
    const loops::Program& m_program;
    const loops::Function& m_function;
    Helpers& m_helpers;
    std::string m_out;
    int m_indent = 0;
};

}  // namespace mitos::codegen
