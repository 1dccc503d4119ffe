// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/unused.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"

#include <algorithm>
#include <vector>

namespace mitos::loops {

namespace {

class Unused {
public:
    Unused(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_mentions(function.symbols.size()) {}

    void run() {
        count(m_function.body);
        drop(m_function.body);
        for (Parameter& parameter : m_function.parameters) {
            parameter.isUsed = parameter.isUsed && isMentioned(parameter.symbol);
        }
    }

private:
    [[nodiscard]] bool isMentioned(SymbolId symbol) const { return m_mentions[symbol.value] > 0; }

    void count(const Block& block) {
        for (const Statement& statement : block.statements) {
            const ExpressionId place = placeOf(statement);
            forEachExpression(statement, [&](ExpressionId expression) {
                const bool isOnlySet = expression == place && m_function.at(place).kind == ExpressionKind::Name;
                if (!isOnlySet) add(expression, 1);
            });
            forEachBlock(statement, [this](const Block& inner) { count(inner); });
        }
    }
    /// The place that a statement sets, if it does.
    [[nodiscard]] static ExpressionId placeOf(const Statement& statement) {
        if (const auto* const assign = std::get_if<Assign>(&statement.what)) return assign->place;
        if (const auto* const accumulate = std::get_if<Accumulate>(&statement.what)) return accumulate->place;
        return {};
    }
    void add(ExpressionId expression, int mentions) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) m_mentions[std::get<SymbolId>(at.payload).value] += mentions;
        for (const ExpressionId operand : at.operands) add(operand, mentions);
    }

    /// From the end, since what is dropped mentions what is declared before.
    void drop(Block& block) {
        for (auto statement = block.statements.rbegin(); statement != block.statements.rend(); ++statement) {
            forEachBlock(*statement, [this](Block& inner) { drop(inner); });
            if (auto* const function = std::get_if<DefineFunction>(&statement->what))
                function->isArgumentUsed = function->isArgumentUsed && isMentioned(function->argument);
            auto* const declare = std::get_if<Declare>(&statement->what);
            if (declare == nullptr || isMentioned(declare->symbol)) continue;
            const Storage storage = m_function.at(declare->symbol).storage;
            declare->mayBeUnused = declare->mayBeUnused || isRemarkedOn(declare->symbol);
            if ((storage != Storage::Constant && storage != Storage::View) || mayFail(declare->value)) continue;
            add(declare->value, -1);
            *statement = emptyStatement();
        }
        removeEmptyStatements(block);
    }

    /// Whether compilers remark on a symbol of which nothing is read: not if it is a vector or a second name for what is set.
    [[nodiscard]] bool isRemarkedOn(SymbolId symbol) const {
        const SymbolInfo& info = m_function.at(symbol);
        return info.type.isValid() && info.storage != Storage::Place &&
               (info.storage != Storage::Variable || !m_types.isTensor(info.type));
    }

    [[nodiscard]] bool mayFail(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        return !hasAlwaysAValue(at) ||
               std::ranges::any_of(at.operands, [this](ExpressionId operand) { return mayFail(operand); });
    }
    /// Of operands that have one.
    [[nodiscard]] bool hasAlwaysAValue(const Expression& at) const {
        switch (at.kind) {
            case ExpressionKind::Literal:
            case ExpressionKind::Name:
            case ExpressionKind::Part:
            case ExpressionKind::Unary:
            case ExpressionKind::Choice:
            case ExpressionKind::Tuple:
            case ExpressionKind::Convert: return true;
            case ExpressionKind::Element: return !std::get<bool>(at.payload);
            case ExpressionKind::Binary:
                return std::get<Operator>(at.payload) != Operator::Div || at.type == m_types.floating();
            case ExpressionKind::Run: break;
            default: return false;
        }
        switch (std::get<Operation>(at.payload)) {
            case Operation::Plus:
            case Operation::Minus:
            case Operation::Times:
            case Operation::Exp:
            case Operation::Log:
            case Operation::Sin:
            case Operation::Cos:
            case Operation::Tanh:
            case Operation::Cosh:
            case Operation::Sqrt:
            case Operation::Erf:
            case Operation::Lgamma:
            case Operation::Abs:
            case Operation::Pow:
            case Operation::Max:
            case Operation::Size: return true;
            default: return false;
        }
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    std::vector<int> m_mentions;  ///< by symbol; places that are only set do not count
};

}  // namespace

void dropUnused(const ir::TypeTable& types, Function& function) { Unused(types, function).run(); }

}  // namespace mitos::loops
