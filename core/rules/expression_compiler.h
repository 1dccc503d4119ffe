// SPDX-License-Identifier: GPL-3.0-or-later
// From syntax to nodes: resolves names and keeps track of which bound variables are in scope where.
#pragma once

#include "core/rules/compiled.h"
#include "core/rules/names.h"
#include "core/rules/syntax.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// What a rule or an alternate of a named pattern is compiled with.
struct CompileContext {
    const SourceText& source;
    const Names& names;
    const PatternTable& patterns;
    std::vector<Error>& errors;

    void error(SourceSpan span, std::string message, std::string hint = {}) const {
        errors.push_back(source.error(span, std::move(message), std::move(hint)));
    }
};

/// Bound variables of named patterns get indices from here on: they are no variables of the rule.
constexpr VarIndex FirstPatternBinder = 0x8000;

/// Compiles the expressions of one direction of a rule (or of one alternate) into one NodeTable.
class ExpressionCompiler {
public:
    enum class Side : std::uint8_t { Left, Right };
    using Scope = std::vector<VarIndex>;  ///< outermost first; a Function variable: the variable its operator may bind

    /// Where a variable stands on one side, with what is bound there.
    struct Occurrence {
        VarIndex var;
        Scope scope;
        SourceSpan span;
        Side side;
    };

    /// What a part of a condition is. A constant of the program is known only when a rule matches.
    enum class Sort : std::uint8_t {
        Truth,
        Number,
        Text,
        Operator,
        Type,
        Constant,
        List,     ///< of numbers
        Numeric,  ///< a number or a list of numbers: what is computed from constants
    };

    explicit ExpressionCompiler(const CompileContext& context) : m_context(context) {}
    /// For the alternates of a named pattern: the names of the parameters (with the kinds in `pattern`) and the locals.
    void setParameters(const NamedPattern& pattern, std::vector<LocalVariable> locals);

    /// The root node of the expression; NoNode after an error.
    std::uint32_t compile(const syntax::Expr& expr, Side side);
    /// A right side whose `let` abbreviations stand for values.
    std::uint32_t compileRight(const syntax::Expr& root, const std::vector<syntax::NamedExpr>& lets);
    /// variable <= pattern; the pattern may bind further variables. Nothing after an error.
    std::optional<CompiledConstraint> compileConstraint(const syntax::Constraint& constraint);
    /// A condition; NoNode after an error, also where a part can have no meaning (condition_sorts.cpp).
    std::uint32_t compileTruth(const syntax::Expr& expr);
    /// As compileTruth, but conjuncts `x not in m` become exclusions; NoNode if nothing is left.
    std::uint32_t compileGuard(const syntax::Expr& expr);
    /// Everything on the left has been compiled: names that appear from now on are no new variables.
    void closeLeft() { m_leftClosed = true; }

    [[nodiscard]] VarIndex find(std::string_view name) const;
    VarIndex addVariable(std::string name, VarKind kind);

    NodeTable table;
    std::vector<Variable> variables;
    std::vector<Occurrence> occurrences;
    /// (bound variable, variable that must not mention it)
    std::vector<std::pair<VarIndex, VarIndex>> exclusions;
    /// The match depends on more than the variables: numbers of two types, alternates.
    bool hasChoices = false;
    std::vector<LocalVariable> locals;
    std::vector<bool> localOccurs;  ///< on the side that is matched

private:
    std::uint32_t node(Node node, const std::vector<std::uint32_t>& children = {});
    std::uint32_t name(const syntax::Expr& expr, Side side);
    /// `array`: see Node::op.
    std::uint32_t number(const syntax::Expr& expr, Side side, ir::OpId array);
    std::uint32_t call(const syntax::Expr& expr, Side side);
    std::uint32_t operatorCall(const syntax::Expr& expr, ir::OpId op, Side side);
    std::uint32_t projection(const syntax::Expr& expr, const syntax::Expr& tuple, const syntax::Expr& index, Side side);
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
    /// Where an array may stand, numbers are constant arrays; else invalid.
    [[nodiscard]] ir::OpId numberOperator() const;
    std::uint32_t localName(const syntax::Expr& expr, int index);
    void noteLocal(int index);
    [[nodiscard]] int parameter(std::string_view name) const;
    [[nodiscard]] int local(std::string_view name) const;
    [[nodiscard]] bool isFunctionOf(Owner owner, VarIndex index) const;
    void noteOccurrence(VarIndex var, SourceSpan span, Side side);
    std::optional<TypeSpec> type(const syntax::Expr& expr);

    // what conditions mean (condition_sorts.cpp)
    /// Nothing after an error.
    std::optional<Sort> sortOf(std::uint32_t condition);
    std::optional<Sort> findSort(std::uint32_t condition);
    bool isOfSort(std::uint32_t condition, Sort wanted);
    bool areElements(const ConditionNode& node);
    std::optional<Sort> arithmeticSort(const ConditionNode& node);
    std::optional<Sort> listCallSort(const ConditionNode& node);
    [[nodiscard]] static Sort attributeSort(Attribute attribute);
    [[nodiscard]] static bool isDtype(std::string_view word);
    /// What const(…) and attributes compute: a number, a truth value, a word or a list.
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
    std::uint32_t operatorWord(const syntax::Expr& expr);
    [[nodiscard]] bool isVariable(std::string_view name) const;
    [[nodiscard]] bool isOperator(const syntax::Expr& expr) const;
    [[nodiscard]] bool isSequenceOf(Owner owner, VarIndex index) const;
    std::uint32_t memberOf(const syntax::Expr& subject, std::vector<std::string> words, bool negated);
    bool exclusion(const syntax::Expr& expr);
    /// The variable or parameter a condition speaks about.
    bool subject(const syntax::Expr& expr, ConditionNode& node);

    const CompileContext& m_context;
    std::map<std::string, VarIndex, std::less<>> m_byName;
    std::vector<std::string> m_parameters;
    std::vector<bool> m_functionParameters;
    std::map<std::string, VarIndex, std::less<>> m_patternBinders;
    bool m_inPattern = false;
    bool m_leftClosed = false;
    bool m_expanding = false;             ///< inside (e)...
    std::size_t m_expandedSequences = 0;  ///< sequence elements named inside it
    Scope m_scope;
    std::vector<std::pair<std::string, VarIndex>> m_scopeNames;
    std::map<std::uint32_t, std::optional<Sort>> m_sorts;  ///< by condition
    VarIndex m_nextPatternBinder = FirstPatternBinder;
};

}  // namespace mitos::rules
