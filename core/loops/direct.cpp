// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/direct.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

class Direct {
public:
    Direct(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function), m_effects(function) {
        findCaptured(function.body);
    }

    void run(Block& block) {
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
        Mentions mentioned(m_function, block);
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            setEarlier(block, i, mentioned);
            moveLast(block, i, mentioned);
            if (std::holds_alternative<Declare>(block.statements[i].what)) dropZeros(block, i, mentioned);
        }
        removeEmptyStatements(block);
    }

private:
    void findCaptured(const Block& block) {
        for (const Statement& statement : block.statements) {
            if (std::holds_alternative<DefineFunction>(statement.what)) {
                addMentioned(m_function, statement, m_captured);
            } else {
                forEachBlock(statement, [this](const Block& inner) { findCaptured(inner); });
            }
        }
    }
    [[nodiscard]] bool isScalar(ir::TypeId type) const { return m_types.isNumeric(type) || type == m_types.boolean(); }
    [[nodiscard]] std::optional<SymbolId> nameOf(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        return at.kind == ExpressionKind::Name ? std::optional(std::get<SymbolId>(at.payload)) : std::nullopt;
    }

    /// Sets the variable of an assignment where the constant is declared that it gets.
    void setEarlier(Block& block, std::size_t at, Mentions& mentioned) {
        const auto* const assign = std::get_if<Assign>(&block.statements[at].what);
        if (assign == nullptr) return;
        const std::optional<SymbolId> variable = nameOf(assign->place);
        const std::optional<SymbolId> constant = nameOf(assign->value);
        if (!variable || !constant || !isScalar(m_function.at(*variable).type) ||
            m_function.at(*variable).storage != Storage::Variable || *variable == *constant ||
            (m_function.at(*constant).storage != Storage::Constant &&
             m_function.at(*constant).storage != Storage::Variable))
            return;
        const std::vector<std::size_t> uses = mentioned.of(*constant);
        const std::vector<std::size_t> others = mentioned.of(*variable);
        const std::size_t first = uses[0];
        const auto* const declare = std::get_if<Declare>(&block.statements[first].what);
        if (declare == nullptr || declare->symbol != *constant || !declare->value.isValid()) return;
        // Between, nothing sees the variable, and afterwards either that or the constant is not used.
        const auto isBetween = [&](std::size_t place) { return place > first && place < at; };
        const bool isUsedAfter = uses.back() > at && others.back() > at;
        if (isUsedAfter || std::ranges::any_of(others, isBetween)) return;
        for (const std::size_t use : uses) {
            if (use != first && changes(block.statements[use], *constant)) return;
        }
        const auto mayGoOn = [&](std::size_t place) {
            const Statement& statement = block.statements[place];
            return !std::holds_alternative<Break>(statement.what) && !std::holds_alternative<Return>(statement.what) &&
                   !std::holds_alternative<DefineFunction>(statement.what) && !mayLeaveBlock(statement) &&
                   !mentionsOtherName(statement, *variable);
        };
        for (std::size_t place = first; place <= uses.back() || place <= at; ++place) {
            if (!mayGoOn(place)) return;
        }
        takeHint(*variable, *constant);
        const ExpressionId value = declare->value;
        const ExpressionId place = assign->place;
        if (isName(m_function, value, *variable)) {
            block.statements[first] = emptyStatement();
        } else {
            block.statements[first].what = Assign{place, value};
        }
        mentioned.forget(block.statements[at], at);
        block.statements[at] = emptyStatement();
        for (const std::size_t use : uses) {
            if (use != first && use != at) replaceName(m_function, block.statements[use], *constant, place);
            if (use != at) mentioned.update(block.statements[use], use);
        }
    }
    /// Moves a vector of the block where it is used last, and would be copied.
    void moveLast(Block& block, std::size_t at, const Mentions& mentioned) {
        if (auto* const result = std::get_if<Return>(&block.statements[at].what)) {
            result->value = withMoves(result->value, result->value);
            return;
        }
        auto* const assign = std::get_if<Assign>(&block.statements[at].what);
        if (assign == nullptr) return;
        const std::optional<SymbolId> vector = nameOf(assign->value);
        if (!vector || m_function.at(*vector).storage != Storage::Variable ||
            !m_types.isTensor(m_function.at(*vector).type))
            return;
        const std::vector<std::size_t>& uses = mentioned.of(*vector);
        const auto* const declare = std::get_if<Declare>(&block.statements[uses.front()].what);
        if (declare == nullptr || declare->symbol != *vector || uses.back() != at) return;
        // Other names for it, or functions that keep it.
        for (std::size_t i = uses.front(); i < at; ++i) {
            if (mayKeep(block.statements[i], *vector)) return;
        }
        assign->value = m_function.add({ExpressionKind::Move, m_function.at(*vector).type, {}, {assign->value}});
    }
    /// The result with moves of variables that are parts of it, unless it mentions them again.
    ExpressionId withMoves(ExpressionId part, ExpressionId result) {
        Expression made = m_function.at(part);
        if (made.kind != ExpressionKind::Tuple) return part;
        for (ExpressionId& operand : made.operands) {
            const std::optional<SymbolId> variable = nameOf(operand);
            if (!variable) {
                operand = withMoves(operand, result);
            } else if (m_function.at(*variable).storage == Storage::Variable && !m_captured.contains(*variable) &&
                       !isScalar(m_function.at(*variable).type) && countOf(*variable, result) == 1) {
                operand = m_function.add({ExpressionKind::Move, m_function.at(operand).type, {}, {operand}});
            }
        }
        return m_function.add(std::move(made));
    }
    /// How often a value mentions a variable, or a part of one.
    [[nodiscard]] std::size_t countOf(SymbolId variable, ExpressionId value) const {
        const Expression& at = m_function.at(value);
        if (at.kind == ExpressionKind::Name) return m_effects.isIn(std::get<SymbolId>(at.payload), {variable}) ? 1 : 0;
        std::size_t count = 0;
        for (const ExpressionId operand : at.operands) count += countOf(variable, operand);
        return count;
    }
    [[nodiscard]] bool changes(const Statement& statement, SymbolId symbol) const {
        SymbolSet changed;
        m_effects.addChanged(statement, changed);
        return m_effects.isIn(symbol, changed);
    }
    /// Whether a statement mentions a variable by another name.
    [[nodiscard]] bool mentionsOtherName(const Statement& statement, SymbolId variable) const {
        SymbolSet symbols;
        addMentioned(m_function, statement, symbols);
        return std::ranges::any_of(
            symbols, [&](SymbolId symbol) { return symbol != variable && m_effects.isIn(symbol, {variable}); });
    }
    [[nodiscard]] bool mayKeep(const Statement& statement, SymbolId vector) const {
        const auto* const declare = std::get_if<Declare>(&statement.what);
        const bool isName = declare != nullptr && declare->value.isValid() &&
                            (m_function.at(declare->symbol).storage == Storage::View ||
                             m_function.at(declare->symbol).storage == Storage::Place) &&
                            mentionsName(m_function, declare->value, vector);
        bool keeps = isName;
        if (std::holds_alternative<DefineFunction>(statement.what)) {
            SymbolSet symbols;
            addMentioned(m_function, statement, symbols);
            keeps = symbols.contains(vector);
        }
        return keeps;
    }
    [[nodiscard]] static bool mayLeaveBlock(const Statement& statement) {
        if (std::holds_alternative<DefineFunction>(statement.what)) return true;
        bool leaves = false;
        forEachBlock(statement, [&](const Block& inner) { leaves = leaves || mayLeave(inner); });
        return leaves;
    }
    /// A variable without a name of the program, such as a part of a tuple, is named after its value.
    void takeHint(SymbolId variable, SymbolId constant) {
        if (m_function.at(variable).isNameless && !m_function.at(constant).isNameless) {
            m_function.symbols[variable.value].hint = m_function.at(constant).hint;
            m_function.symbols[variable.value].isNameless = false;
        }
    }

    /// The branches of the first statement after the declaration of a zero need not set it to zero.
    void dropZeros(Block& block, std::size_t declared, const Mentions& mentioned) {
        const Declare& declare = std::get<Declare>(block.statements[declared].what);
        const SymbolId variable = declare.symbol;
        if (!declare.value.isValid() || m_function.at(declare.value).kind != ExpressionKind::Empty ||
            !isScalar(m_function.at(variable).type))
            return;
        const std::vector<std::size_t>& uses = mentioned.of(variable);
        if (uses.size() < 2) return;
        auto* const branches = std::get_if<If>(&block.statements[uses[1]].what);
        if (branches == nullptr || mentionsName(m_function, branches->condition, variable)) return;
        for (Block* const branch : {&branches->then, &branches->otherwise}) {
            const auto first = std::ranges::find_if(branch->statements, [&](const Statement& statement) {
                SymbolSet symbols;
                addMentioned(m_function, statement, symbols);
                return symbols.contains(variable);
            });
            if (first == branch->statements.end()) continue;
            const auto* const assign = std::get_if<Assign>(&first->what);
            if (assign != nullptr && isName(m_function, assign->place, variable) && isZero(assign->value))
                branch->statements.erase(first);
        }
        if (!branches->then.isEmpty() || branches->otherwise.isEmpty()) return;
        branches->condition =
            m_function.add({ExpressionKind::Unary, m_types.boolean(), Operator::Not, {branches->condition}});
        std::swap(branches->then, branches->otherwise);
    }
    [[nodiscard]] bool isZero(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind != ExpressionKind::Literal) return false;
        if (const auto* const number = std::get_if<double>(&at.payload))
            return *number == 0.0 && !std::signbit(*number);
        return at.payload == Expression::Payload(false) || at.payload == Expression::Payload(std::int64_t{0});
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    SymbolSet m_captured;  ///< those that function values mention
};

}  // namespace

void setDirectly(const ir::TypeTable& types, Function& function) { Direct(types, function).run(function.body); }

}  // namespace mitos::loops
