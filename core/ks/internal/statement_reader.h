// SPDX-License-Identifier: GPL-3.0-or-later
// Reads (do statement ...): assignments, branches and loops, as lets, ifs, `loop` and `fold`.
#pragma once

#include "core/ks/internal/expression_reader.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

/// Every assignment binds the variable's name anew, so that its last value is the innermost binding of the name. A branch or a loop gives
/// the values of the variables that it assigns: one value, or a tuple in the order of their declarations.
class StatementReader {
public:
    explicit StatementReader(ExpressionReader& expressions)
        : m_reader(expressions),
          m_file(expressions.m_file),
          m_bank(expressions.m_bank) {}

    /// The value of a do form: its statements, of which the last one returns.
    ir::TermId read(FormId form);

private:
    using Statements = std::span<const FormId>;

    struct Variable {
        Symbol name;
        ir::TypeId type;
        std::optional<std::int64_t> known = {};  ///< its value, if it is an Integer literal
    };
    /// The ways out of a list of statements.
    enum class Exit : std::int64_t { End, Continue, Break };
    /// Makes the value of a list of statements that is left in this way. The form is the place for errors.
    using Leave = absl::FunctionRef<ir::TermId(Exit, FormId)>;

    /// Bindings that are in effect, until close() wraps them around the result.
    class Scope {
    public:
        explicit Scope(StatementReader& reader) : m_reader(reader), m_outer(reader.m_reader.m_locals.size()) {}
        void bind(Symbol name, Symbol hint, ir::TermId value);
        [[nodiscard]] ir::TermId close(ir::TermId result);

    private:
        StatementReader& m_reader;
        std::size_t m_outer;
        std::vector<ExpressionReader::Binding> m_bindings;
    };

    /// A while loop's variable that counts up by one from its value before the loop, and what is known from it.
    struct Counter {
        Symbol name;
        FormId limit = 0;           ///< the loop goes on while the counter is below
        bool isInclusive = false;   ///< or equal to it
        bool isCarried = false;     ///< its value after the loop does not follow from the number of iterations
        bool isAhead = false;       ///< after an exit, it has been increased once more than iterations are counted
        std::size_t condition = 0;  ///< index of the comparison among the conditions
    };
    struct Loop {
        FormId form = 0;
        std::vector<FormId> tests = {};  ///< conditions to be tested at the beginning of an iteration
        std::optional<FormId> bound = {};
        std::optional<Counter> counter = {};
        Symbol index = {};  ///< of for
        Statements body = {};
    };

    [[nodiscard]] const FormTree& forms() const { return m_file.forms; }
    [[nodiscard]] std::string_view headOf(FormId form) const;
    [[nodiscard]] Statements argumentsOf(FormId form) const { return forms().children(form).subspan(1); }
    /// The statements of a branch: those of a do form, or one.
    [[nodiscard]] Statements branch(const FormId& form) const;

    // statement_reader.cpp
    ir::TermId run(Statements statements, Leave leave);
    ir::TermId runInner(Statements statements, Leave leave);
    /// Reads statement `at` and, if it decides how the list goes on, the rest. Returns nothing if the list goes on.
    std::optional<ir::TermId> step(Scope& scope, Statements statements, std::size_t at, Leave leave);
    bool assign(Scope& scope, FormId form, bool isDeclaration);
    std::optional<ir::TermId> choose(Scope& scope, Statements statements, std::size_t at, Leave leave);
    bool chooseValues(Scope& scope, FormId form);
    ir::TermId chooseExit(Scope& scope, FormId form, Statements rest, Leave leave);
    ir::TermId condition(FormId form);
    ir::TermId made(FormId form, Op op, const Terms& children);

    [[nodiscard]] Variable* find(Symbol name);
    void noteAssigned(FormId form);
    [[nodiscard]] std::vector<Symbol> assignedIn(Statements statements);
    void collectAssigned(Statements statements, std::vector<Symbol>& own, std::vector<Symbol>& found);
    /// The variable of the binder that was entered as the place-th one.
    [[nodiscard]] ir::TermId local(std::size_t place);
    [[nodiscard]] ir::TermId packed(const std::vector<Symbol>& names);
    /// Binds the names to a value that packed() made.
    void unpack(Scope& scope, const std::vector<Symbol>& names, absl::FunctionRef<ir::TermId()> value);
    [[nodiscard]] bool canLeave(Statements statements, std::string_view how) const;
    [[nodiscard]] bool alwaysLeaves(Statements statements) const;

    // loop_reader.cpp
    bool readWhile(Scope& scope, FormId form);
    bool readFor(Scope& scope, FormId form);
    bool readLoop(Scope& scope, Loop& loop);
    ir::TermId boundOf(const Loop& loop);
    ir::TermId foldOver(const Loop& loop, const std::vector<Symbol>& names, ir::TermId count, ir::TermId start);
    ir::TermId exitLoop(const Loop& loop, const std::vector<Symbol>& names, ir::TermId bound, ir::TermId start);
    ir::TermId tested(const Loop& loop, const std::vector<Symbol>& names, std::size_t test);
    ir::TermId counted(const Counter& counter, ir::TermId iterations);
    void splitConditions(FormId form, std::vector<FormId>& conditions) const;
    [[nodiscard]] std::optional<Counter> counterOf(const std::vector<FormId>& conditions, Statements body);
    [[nodiscard]] bool increases(FormId statement, std::string_view name) const;
    [[nodiscard]] bool mentionsAny(FormId form, const std::vector<Symbol>& names) const;

    ExpressionReader& m_reader;
    FileContext& m_file;
    ir::TermBank& m_bank;
    std::vector<Variable> m_variables;
    absl::flat_hash_set<Symbol> m_assigned;  ///< names of variables that are set somewhere
    std::uint32_t m_inner = 0;               ///< nested calls of runInner
    std::uint32_t m_loops = 0;               ///< loops around the statement that is read
};

}  // namespace mitos::ks
