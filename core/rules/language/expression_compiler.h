// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles syntax trees to nodes: resolves names and keeps track of which bound variables are in scope where.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/language/names.h"
#include "core/rules/language/syntax.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::rules {

/// The inputs for compiling a rule or an alternate of a named pattern, and the list that receives the errors.
struct CompileContext {
    const SourceText& source;
    const Names& names;
    const PatternTable& patterns;
    std::vector<Error>& errors;

    /// Adds an error; returns NoNode.
    std::uint32_t error(SourceSpan span, std::string message, std::string hint = {}) const {
        errors.push_back(source.error(span, std::move(message), std::move(hint)));
        return NoNode;
    }
};

/// Bound variables of named patterns get indices from here on, because they are not variables of the rule.
constexpr VarIndex FirstPatternBinder = 0x8000;

/// Compiles the expressions of one direction of a rule (or of one alternate) into one NodeTable.
class ExpressionCompiler {
public:
    enum class Side : std::uint8_t { Left, Right };
    using Scope = std::vector<VarIndex>;  ///< outermost first; a Function variable: the variable its operator may bind

    /// An occurrence of a variable on one side, with the bound variables in scope there.
    struct Occurrence {
        VarIndex var;
        Scope scope;
        SourceSpan span;
        Side side;
    };

    /// The sort of a part of a condition. `Constant` is a constant of the program, whose type is known only when a rule matches.
    enum class Sort : std::uint8_t {
        Truth,
        Number,
        Text,
        Operator,
        Type,
        Constant,
        List,     ///< of numbers
        Numeric,  ///< a number or a list of numbers, computed from constants
    };

    explicit ExpressionCompiler(const CompileContext& context) : m_context(context) {}
    /// Sets the parameters (with the kinds in `pattern`) and the locals; called for the alternates of a named pattern.
    void setParameters(const NamedPattern& pattern, std::vector<LocalVariable> locals);

    /// Compiles an expression and returns its root node; NoNode after an error.
    std::uint32_t compile(const syntax::Expr& expr, Side side);
    /// Compiles a right side whose `let` abbreviations stand for values.
    std::uint32_t compileRight(const syntax::Expr& root, const std::vector<syntax::NamedExpr>& lets);
    /// Compiles `variable <= pattern`; the pattern may bind further variables. Returns nothing after an error.
    std::optional<CompiledConstraint> compileConstraint(const syntax::Constraint& constraint);
    /// Compiles a condition. Returns NoNode after an error, which includes parts of the wrong sort (condition_sorts.cpp).
    std::uint32_t compileTruth(const syntax::Expr& expr);
    /// Compiles the value of an equation of an analysis: a number, a truth value, a word or a list.
    std::uint32_t compileValue(const syntax::Expr& expr);
    /// Like compileTruth, but turns conjuncts `x not in m` into exclusions; returns NoNode if nothing is left.
    std::uint32_t compileGuard(const syntax::Expr& expr);
    /// Ends the left side: names that appear from now on do not introduce new variables.
    void closeLeft() { m_leftClosed = true; }

    [[nodiscard]] VarIndex find(std::string_view name) const;
    VarIndex addVariable(std::string name, VarKind kind);

    NodeTable table;
    std::vector<Variable> variables;
    std::vector<Occurrence> occurrences;
    /// Pairs of a bound variable and a variable that must not mention it.
    std::vector<std::pair<VarIndex, VarIndex>> exclusions;
    /// Whether a match depends on more than the variables: on numbers of two types or on alternates.
    bool hasChoices = false;
    std::vector<LocalVariable> locals;
    std::vector<bool> localOccurs;  ///< by local: whether it occurs on the side that is matched

private:
    std::uint32_t node(Node node, const std::vector<std::uint32_t>& children = {});
    std::uint32_t name(const syntax::Expr& expr, Side side);
    /// `array` is the value for Node::op.
    std::uint32_t number(const syntax::Expr& expr, Side side, ir::OpId array);
    std::uint32_t call(const syntax::Expr& expr, Side side);
    std::uint32_t operatorCall(const syntax::Expr& expr, ir::OpId op, Side side);
    std::uint32_t projection(const syntax::Expr& expr, const syntax::Expr& tuple, const syntax::Expr& index, Side side);
    /// Sets the function variable that the node denotes; false after an error.
    bool nameFunction(Node& function, const syntax::Expr& expr, Side side);
    std::uint32_t functionCall(const syntax::Expr& expr, Side side);
    std::uint32_t unfold(const syntax::Expr& expr, std::uint32_t pattern, Side side);
    std::uint32_t binder(const syntax::Expr& expr, Side side);
    std::uint32_t substitute(const syntax::Expr& expr, Side side);
    std::uint32_t expand(const syntax::Expr& expr, Side side);
    std::uint32_t inlined(const syntax::Expr& expr, Side side);
    std::uint32_t constant(const syntax::Expr& expr, Side side);
    std::vector<std::uint32_t> all(const std::vector<syntax::Expr>& exprs, Side side);
    VarIndex variable(const syntax::Expr& expr, std::string_view name, VarKind kind, Side side);
    VarIndex enterBinder(const syntax::Expr& expr, Side side);
    [[nodiscard]] bool isFunctionName(std::string_view name) const;
    std::optional<std::vector<std::uint32_t>> attributes(const syntax::Expr& expr, const ir::OperatorInfo& info,
                                                         Side side);
    std::uint32_t attribute(const syntax::Expr& value, bool isFloat, Side side);
    std::uint32_t listAttribute(const syntax::Expr& value, bool isFloat, Side side);
    /// The variable that [...rest] binds to an attribute.
    static std::string restVariable(std::string_view rest, std::string_view attribute) {
        return std::string(rest) + "." + std::string(attribute);
    }
    /// The operator of constant arrays, for numbers where an array may stand; otherwise invalid.
    [[nodiscard]] ir::OpId numberOperator() const;
    std::uint32_t localName(const syntax::Expr& expr, int index);
    void noteLocal(std::size_t index);
    /// The parameter, local or variable of that name; nothing if there is none.
    [[nodiscard]] std::optional<std::pair<Owner, VarIndex>> lookUp(std::string_view name) const;
    [[nodiscard]] int parameter(std::string_view name) const;
    [[nodiscard]] int local(std::string_view name) const;
    [[nodiscard]] bool isFunctionOf(Owner owner, VarIndex index) const;
    void noteOccurrence(VarIndex var, SourceSpan span, Side side);
    std::optional<TypeSpec> type(const syntax::Expr& expr);

    // what conditions mean (condition_sorts.cpp)
    /// The sort of a condition; nothing after an error.
    std::optional<Sort> sortOf(std::uint32_t condition);
    std::optional<Sort> findSort(std::uint32_t condition);
    bool isOfSort(std::uint32_t condition, Sort wanted);
    bool areElements(const ConditionNode& node);
    std::optional<Sort> arithmeticSort(const ConditionNode& node);
    std::optional<Sort> listCallSort(const ConditionNode& node);
    [[nodiscard]] static Sort attributeSort(Attribute attribute);
    [[nodiscard]] static bool isDtype(std::string_view word);
    /// Compiles the expression of const(…) or of an attribute: a number, a truth value, a word or a list.
    std::uint32_t compileConstant(const syntax::Expr& expr);

    // conditions (condition_compiler.cpp)
    std::uint32_t compileCondition(const syntax::Expr& expr);
    std::uint32_t condition(ConditionNode node);
    std::uint32_t conditionOf(const syntax::Expr& expr);
    std::uint32_t conditionCall(const syntax::Expr& expr);
    std::optional<std::uint32_t> listCall(const syntax::Expr& expr);
    std::uint32_t elements(const syntax::Expr& expr, std::size_t first, ConditionNode node);
    std::uint32_t comparison(const syntax::Expr& expr);
    std::uint32_t membership(const syntax::Expr& expr);
    std::uint32_t member(const syntax::Expr& expr);
    std::uint32_t operand(const syntax::Expr& expr, const syntax::Expr& other);
    std::uint32_t conditionName(const syntax::Expr& expr);
    std::uint32_t typeWord(const syntax::Expr& expr);
    /// Reports an error unless the name is that of an operator.
    bool requireOperator(const syntax::Expr& expr);
    [[nodiscard]] bool isOperator(const syntax::Expr& expr) const;
    [[nodiscard]] bool isSequenceOf(Owner owner, VarIndex index) const;
    std::uint32_t memberOf(const syntax::Expr& subject, std::vector<std::string> words, bool negated);
    bool exclusion(const syntax::Expr& expr);
    /// Sets the variable or parameter that a condition refers to.
    bool subject(const syntax::Expr& expr, ConditionNode& node);

    const CompileContext& m_context;
    std::map<std::string, VarIndex, std::less<>> m_byName;
    std::vector<std::string> m_parameters;
    std::vector<bool> m_functionParameters;
    std::map<std::string, VarIndex, std::less<>> m_patternBinders;
    bool m_inPattern = false;
    bool m_leftClosed = false;
    bool m_expanding = false;             ///< inside (e)...
    std::size_t m_expandedSequences = 0;  ///< number of sequences used inside (e)...
    Scope m_scope;
    std::vector<std::pair<std::string, VarIndex>> m_scopeNames;
    std::map<std::uint32_t, std::optional<Sort>> m_sorts;  ///< by condition
    VarIndex m_nextPatternBinder = FirstPatternBinder;
};

}  // namespace mitos::rules
