// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/conditions.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/known.h"
#include "core/loops/internal/outside.h"

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

/// Moves requirements out of loops, inner loops first.
class Lifting {
public:
    Lifting(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        std::vector<Statement> all;
        all.reserve(block.statements.size());
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
            if (auto* const loop = std::get_if<For>(&statement.what)) {
                for (Require& require : outOf(*loop)) all.push_back({std::move(require), statement.term});
            }
            all.push_back(std::move(statement));
        }
        block.statements = std::move(all);
    }

private:
    std::vector<Require> outOf(For& loop) {
        std::vector<Require> lifted;
        if (loop.isVisibleAfter || loop.begin.isValid() || mayLeave(loop.body)) return lifted;
        std::optional<Changes> changes;
        std::erase_if(loop.body.statements, [&](const Statement& statement) {
            const auto* const require = std::get_if<Require>(&statement.what);
            if (require == nullptr || require->isAlways || require->isCostly) return false;
            if (!changes) {
                changes.emplace();
                changes->values.insert(loop.index);
                for (const Statement& each : loop.body.statements)
                    addChanges(m_types, m_function, m_effects, each, *changes);
            }
            if (!isTotal(m_types, m_function, require->condition) ||
                isAffected(m_function, m_effects, require->condition, *changes))
                return false;
            lifted.push_back(requiredIfAny(m_types, m_function, *require, loop.end));
            return true;
        });
        return lifted;
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
};

class Conditions {
public:
    Conditions(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function),
          m_known(types, function, m_effects, m_places) {}

    void run(Block& block) {
        std::vector<Statement> kept;
        kept.reserve(block.statements.size());
        visit(block.statements, kept);
        block.statements = std::move(kept);
    }

private:
    void visit(std::vector<Statement>& statements, std::vector<Statement>& kept) {
        for (Statement& statement : statements) {
            Changes changes;
            addChanges(m_types, m_function, m_effects, statement, changes);
            if (auto* const loop = std::get_if<For>(&statement.what)) {
                visit(*loop, changes);
            } else if (auto* const choice = std::get_if<If>(&statement.what)) {
                if (Block* const taken = branchOf(*choice)) {
                    std::vector<Statement> inner = std::exchange(taken->statements, {});
                    visit(inner, kept);
                    continue;
                }
                visit(*choice, changes);
            } else if (auto* const function = std::get_if<DefineFunction>(&statement.what)) {
                // It may be called when something else holds.
                const Known outside = std::exchange(m_known, Known(m_types, m_function, m_effects, m_places));
                run(function->body);
                m_known = outside;
            } else {
                // Assertions of the program stay where checks are switched off, and so do their conditions.
                const auto* const require = std::get_if<Require>(&statement.what);
                if (require == nullptr || !require->isAlways)
                    replaceExpressions(statement, [this](ExpressionId expression) { return rewritten(expression); });
                if (isKnown(statement)) continue;
                m_known.forget(changes);
                learn(statement);
            }
            kept.push_back(std::move(statement));
        }
    }
    void visit(For& loop, const Changes& changes) {
        if (loop.begin.isValid()) loop.begin = rewritten(loop.begin);
        loop.end = rewritten(loop.end);
        m_known.forget(changes);
        const Known outside = m_known;
        const Expression index{ExpressionKind::Name,
                               m_types.integer(),
                               loop.index,
                               {},
                               {},
                               0,
                               loop.begin.isValid() ? ir::ValueRange() : ir::sizeRange()};
        m_known.learnRange(loop, m_function.add(index));
        run(loop.body);
        m_known = outside;
    }
    void visit(If& choice, const Changes& changes) {
        choice.condition = rewritten(choice.condition);
        const Known outside = m_known;
        m_known.learn(choice.condition, true);
        run(choice.then);
        m_known = outside;
        m_known.learn(choice.condition, false);
        run(choice.otherwise);
        m_known = outside;
        m_known.forget(changes);
    }
    /// The only branch that is taken, as far as that is known.
    [[nodiscard]] Block* branchOf(If& choice) const {
        const std::optional<bool> holds = m_known.holds(choice.condition);
        if (!holds) return nullptr;
        return *holds ? &choice.then : &choice.otherwise;
    }
    [[nodiscard]] bool isKnown(const Statement& statement) const {
        const auto* const require = std::get_if<Require>(&statement.what);
        return require != nullptr && !require->isAlways &&
               isLiteral(m_function, require->condition, Expression::Payload(true));
    }
    void learn(const Statement& statement) {
        if (const auto* const require = std::get_if<Require>(&statement.what)) {
            m_known.learn(require->condition, true);
        } else if (const auto* const leave = std::get_if<Break>(&statement.what)) {
            if (leave->condition.isValid()) m_known.learn(leave->condition, false);
        } else if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
            const SymbolInfo& symbol = m_function.at(declare->symbol);
            if (!symbol.type.isValid() || !declare->value.isValid()) return;
            const ExpressionId name = m_function.add({ExpressionKind::Name, symbol.type, declare->symbol});
            m_known.learn(*declare, name);
            const Expression value = m_function.at(declare->value);
            const bool isVector =
                symbol.storage == Storage::Series || (m_types.isTensor(symbol.type) && m_types.rank(symbol.type) == 1);
            if (isVector && value.kind == ExpressionKind::Filled) m_known.learnSize(sizeOf(name), value.operands[0]);
        }
    }

    ExpressionId rewritten(ExpressionId expression) {
        Expression made = m_function.at(expression);
        if (made.type == m_types.boolean() && made.kind != ExpressionKind::Name &&
            made.kind != ExpressionKind::Literal) {
            if (const std::optional<bool> holds = m_known.holds(expression)) return truth(*holds);
        }
        if (made.kind == ExpressionKind::Element) return element(std::move(made), expression);
        if (made.kind == ExpressionKind::Choice) return choice(std::move(made), expression);
        const bool isAnd = made.kind == ExpressionKind::Binary && made.payload == Expression::Payload(Operator::And);
        const bool isOr = made.kind == ExpressionKind::Binary && made.payload == Expression::Payload(Operator::Or);
        const std::vector<ExpressionId> before = made.operands;
        if (isAnd || isOr) {
            made.operands[0] = rewritten(before[0]);
            made.operands[1] = under(made.operands[0], isAnd, before[1]);
            for (const std::size_t i : {0U, 1U}) {
                if (isLiteral(m_function, made.operands[i], Expression::Payload(isAnd))) return made.operands[1 - i];
            }
            const bool isDecided = isLiteral(m_function, made.operands[1], Expression::Payload(isOr));
            if (isDecided && isTotal(m_types, m_function, made.operands[0])) return made.operands[1];
        } else {
            for (ExpressionId& operand : made.operands) operand = rewritten(operand);
        }
        return made.operands == before ? expression : m_function.add(std::move(made));
    }
    /// An element of a vector, where it is checked only if it may be outside.
    ExpressionId element(Expression made, ExpressionId expression) {
        const std::vector<ExpressionId> before = made.operands;
        for (ExpressionId& operand : made.operands) operand = rewritten(operand);
        const bool isChecked = made.payload == Expression::Payload(true);
        if (isChecked && made.operands.size() == 2 && m_known.isInside(made.operands[1], sizeOf(made.operands[0])))
            made.payload = false;
        const bool isSame = made.operands == before && made.payload == m_function.at(expression).payload;
        return isSame ? expression : m_function.add(std::move(made));
    }
    ExpressionId sizeOf(ExpressionId vector) {
        return m_function.add(
            {ExpressionKind::Run, m_types.integer(), Operation::Size, {vector}, {}, 0, ir::sizeRange()});
    }
    ExpressionId choice(Expression made, ExpressionId expression) {
        const std::vector<ExpressionId> before = made.operands;
        if (const std::optional<bool> holds = m_known.holds(before[0])) return rewritten(before[*holds ? 1 : 2]);
        made.operands[0] = rewritten(before[0]);
        made.operands[1] = under(made.operands[0], true, before[1]);
        made.operands[2] = under(made.operands[0], false, before[2]);
        return made.operands == before ? expression : m_function.add(std::move(made));
    }
    /// An expression that is computed only if a condition holds, or does not.
    ExpressionId under(ExpressionId condition, bool holds, ExpressionId expression) {
        const Known outside = m_known;
        m_known.learn(condition, holds);
        const ExpressionId made = rewritten(expression);
        m_known = outside;
        return made;
    }
    ExpressionId truth(bool holds) { return m_function.add({ExpressionKind::Literal, m_types.boolean(), holds}); }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    Places m_places;
    Known m_known;
};

}  // namespace

void simplifyConditions(const ir::TypeTable& types, Function& function) {
    Lifting(types, function).run(function.body);
    Conditions(types, function).run(function.body);
}

}  // namespace mitos::loops
