// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/carry.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/index_conditions.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

class Carrying {
public:
    Carrying(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function),
          m_conditions(types, function, m_effects) {}

    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
            auto* const loop = std::get_if<For>(&block.statements[i].what);
            if (loop == nullptr || !isPlain(*loop) || !m_conditions.enter(*loop)) continue;
            m_index = loop->index;
            Block declared;
            keepValues(*loop, declared);
            for (Statement& statement : declared.statements) {
                statement.term = block.statements[i].term;
                block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(i++),
                                        std::move(statement));
            }
        }
    }

private:
    /// Keeps values of a loop for the next iteration, in variables that are declared before it.
    void keepValues(For& loop, Block& declared) {
        std::vector<ExpressionId> later;
        replaceLater(loop.body, false, [&](ExpressionId each) {
            later.push_back(each);
            return each;
        });
        if (later.empty()) return;
        const std::size_t count = loop.body.statements.size();
        for (std::size_t i = 0; i < count; ++i) {
            const auto* const declare = std::get_if<Declare>(&loop.body.statements[i].what);
            if (declare == nullptr || !declare->value.isValid() || !isCostly(declare->value) ||
                m_function.at(declare->symbol).storage != Storage::Constant)
                continue;
            const ExpressionId value = declare->value;
            absl::flat_hash_set<ExpressionId> again;
            for (const ExpressionId each : later) {
                if (m_function.at(each).payload == m_function.at(value).payload && isComputedAgain(each, value))
                    again.insert(each);
            }
            if (!again.empty()) keep(loop.body, i, again, declared);
        }
    }
    /// Declares a variable for a constant of the body, and reads it instead of computing some expressions.
    void keep(Block& body, std::size_t constant, const absl::flat_hash_set<ExpressionId>& again, Block& declared) {
        const SymbolId symbol = std::get<Declare>(body.statements[constant].what).symbol;
        SymbolInfo info = m_function.at(symbol);
        info.storage = Storage::Variable;
        const SymbolId variable = m_function.add(std::move(info));
        const ExpressionId zero = m_function.add({ExpressionKind::Literal, m_types.floating(), 0.0});
        declared.statements.push_back({Declare{variable, zero}});
        const ExpressionId kept = nameOf(variable);
        replaceLater(body, false, [&](ExpressionId each) { return again.contains(each) ? kept : each; });
        body.statements.push_back({Assign{kept, nameOf(symbol)}, body.statements[constant].term});
    }
    ExpressionId nameOf(SymbolId symbol) {
        return m_function.add({ExpressionKind::Name, m_function.at(symbol).type, symbol});
    }
    [[nodiscard]] bool isCostly(ExpressionId expression) const {
        return m_function.at(expression).kind == ExpressionKind::Run && isCostlyNumber(m_types, m_function, expression);
    }

    using Replace = absl::FunctionRef<ExpressionId(ExpressionId)>;

    /// Replaces expressions that take long and that the first iteration does not come to; `isLater` if it does not come to the block.
    void replaceLater(Block& block, bool isLater, Replace replace) {
        for (Statement& statement : block.statements) {
            if (std::holds_alternative<For>(statement.what) || std::holds_alternative<DefineFunction>(statement.what))
                continue;
            replaceExpressions(statement, [&](ExpressionId each) { return replacedLater(each, isLater, replace); });
            auto* const choice = std::get_if<If>(&statement.what);
            if (choice == nullptr) continue;
            replaceLater(choice->then, isLater || isAtFirst(choice->condition, false), replace);
            replaceLater(choice->otherwise, isLater || isAtFirst(choice->condition, true), replace);
        }
    }
    ExpressionId replacedLater(ExpressionId expression, bool isLater, Replace replace) {
        if (isLater && isCostly(expression)) {
            const ExpressionId by = replace(expression);
            if (by != expression) return by;
        }
        Expression made = m_function.at(expression);
        const std::vector<ExpressionId> before = made.operands;
        for (std::size_t i = 0; i < before.size(); ++i) {
            const bool isBranch = made.kind == ExpressionKind::Choice && i > 0;
            const bool isPassed = isBranch && !isLater && isAtFirst(before[0], i == 2);
            made.operands[i] = replacedLater(before[i], isLater || isPassed, replace);
        }
        return made.operands == before ? expression : m_function.add(std::move(made));
    }
    /// Whether a condition is known to have a value in the first iteration.
    bool isAtFirst(ExpressionId condition, bool value) {
        m_conditions.setBounds(WholeSum{.number = 1}, {});
        return m_conditions.truth(condition, Part::First) == value;
    }

    /// Whether an expression has in each iteration but the first the value that another one had in the iteration before.
    bool isComputedAgain(ExpressionId expression, ExpressionId before) {
        const ExpressionId now = m_conditions.written(expression);
        const ExpressionId then = m_conditions.written(before);
        return now.isValid() && then.isValid() && isBefore(now, then);
    }
    /// The same of expressions as written without names of the loop.
    bool isBefore(ExpressionId now, ExpressionId then) {
        // From the second iteration on, and up to the last but one.
        m_conditions.setBounds(WholeSum{.number = 1}, {});
        now = taken(now);
        WholeSum last = m_conditions.size();
        --last.number;
        m_conditions.setBounds({}, std::move(last));
        then = taken(then);
        const Expression a = m_function.at(now);
        const Expression b = m_function.at(then);
        if (a.type == m_types.integer()) {
            std::optional<WholeSum> difference = m_conditions.sums().of(now, m_index);
            std::optional<WholeSum> other = m_conditions.sums().of(then, m_index);
            if (difference && other && difference->ofIndex == other->ofIndex) {
                other->number -= std::exchange(other->ofIndex, 0);
                difference->ofIndex = 0;
                if (m_conditions.sums().difference(*difference, *other) == 0) return true;
            }
        }
        const bool isName = a.kind == ExpressionKind::Name && b.kind == a.kind;
        if (isName) return a.payload == b.payload && a.payload != Expression::Payload(m_index);
        const bool isSame = a.kind == b.kind && a.type == b.type && a.told == b.told && a.number == b.number &&
                            (a.payload == b.payload || a.kind == ExpressionKind::Element);
        return isSame && std::ranges::equal(a.operands, b.operands, [this](ExpressionId left, ExpressionId right) {
                   return isBefore(left, right);
               });
    }
    /// The branch of a choice that is taken, if that is known.
    ExpressionId taken(ExpressionId expression) {
        while (m_function.at(expression).kind == ExpressionKind::Choice) {
            const std::vector<ExpressionId>& operands = m_function.at(expression).operands;
            const std::optional<bool> isThen = m_conditions.truthOf(operands[0], Part::Middle);
            if (!isThen) break;
            expression = operands[*isThen ? 1 : 2];
        }
        return expression;
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    IndexConditions m_conditions;
    SymbolId m_index;
};

}  // namespace

void carry(const ir::TypeTable& types, Function& function) { Carrying(types, function).run(function.body); }

}  // namespace mitos::loops
