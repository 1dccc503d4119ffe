// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/sums.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

/// Compilers write out loops of a fixed number of iterations up to about this one.
constexpr std::int64_t FewIterations = 16;
/// Sums in more loops than this are many, mostly short, and processors compute several of them at once.
constexpr std::size_t MostLoops = 1;

class Sums {
public:
    Sums(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function), m_effects(function) {}

    void run(Block& block, std::size_t loopsAround = 0) {
        std::vector<Statement> made;
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            const std::size_t inside = loopsAround + (std::holds_alternative<For>(block.statements[i].what) ? 1 : 0);
            forEachBlock(block.statements[i], [&](Block& inner) { run(inner, inside); });
            std::vector<Statement> sums;
            if (loopsAround <= MostLoops) sums = declared(block, made, i);
            if (sums.empty()) {
                made.push_back(std::move(block.statements[i]));
            } else {
                std::ranges::move(sums, std::back_inserter(made));
            }
        }
        block.statements = std::move(made);
        removeEmptyStatements(block);
    }

private:
    /// A loop of sums as loops that declare them; their declarations disappear from the statements before. Empty if it is none.
    std::vector<Statement> declared(Block& block, std::vector<Statement>& before, std::size_t at) {
        const auto* const loop = std::get_if<For>(&block.statements[at].what);
        if (loop == nullptr || !isPlain(*loop) || isShort(loop->end)) return {};
        const std::size_t count = std::ranges::count_if(loop->body.statements, [](const Statement& statement) {
            return std::holds_alternative<Accumulate>(statement.what);
        });
        const bool isOne = count == 1 && std::holds_alternative<Accumulate>(loop->body.statements.back().what);
        if (!isOne && (count == 0 || count != loop->body.statements.size())) return {};
        std::vector<Statement*> starts;
        for (const Statement& statement : loop->body.statements) {
            if (!isArithmetic(statement)) return {};
            const auto* const add = std::get_if<Accumulate>(&statement.what);
            SymbolSet mentioned;
            addMentioned(m_function, isOne ? block.statements[at] : statement, mentioned);
            if (!mentioned.contains(loop->index)) return {};
            if (add == nullptr) continue;
            Statement* const start = startOf(*add, before, block, at);
            if (start == nullptr) return {};
            starts.push_back(start);
        }
        std::vector<Statement> sums;
        for (std::size_t k = 0; k < count; ++k) {
            Statement one = block.statements[at];
            For& sum = std::get<For>(one.what);
            if (!isOne) sum.body.statements = {loop->body.statements[k]};
            sum.sum = std::get<Declare>(starts[k]->what).symbol;
            m_function.symbols[sum.sum.value].storage = Storage::Constant;
            sums.push_back(std::move(one));
            *starts[k] = emptyStatement();
        }
        return sums;
    }

    /// Whether a loop makes few iterations, or some of several do.
    [[nodiscard]] bool isShort(ExpressionId end) const {
        const Expression& at = m_function.at(end);
        if (at.kind == ExpressionKind::Literal) return std::get<std::int64_t>(at.payload) <= FewIterations;
        return dependsOnIndex(end);
    }
    [[nodiscard]] bool dependsOnIndex(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) {
            const auto symbol = std::get<SymbolId>(at.payload);
            const ExpressionId definition = m_effects.definition(symbol);
            return m_function.at(symbol).storage == Storage::Index ||
                   (definition.isValid() && dependsOnIndex(definition));
        }
        return std::ranges::any_of(at.operands, [this](ExpressionId operand) { return dependsOnIndex(operand); });
    }

    /// The declaration of the number to which the only statement that changes it adds, among the statements before the loop; null if there is none, or
    /// the number is not read after the loop only.
    [[nodiscard]] Statement* startOf(const Accumulate& add, std::vector<Statement>& before, const Block& block,
                                     std::size_t loop) const {
        if (add.isDifference || m_function.at(add.place).kind != ExpressionKind::Name) return nullptr;
        const auto sum = std::get<SymbolId>(m_function.at(add.place).payload);
        if (m_function.at(sum).storage != Storage::Variable || mentionsName(m_function, add.value, sum)) return nullptr;
        const auto start = std::ranges::find_if(before, [&](const Statement& statement) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            return declare != nullptr && declare->symbol == sum && declare->value.isValid() &&
                   isLiteral(m_function, declare->value, 0.0);
        });
        if (start == before.end()) return nullptr;
        const auto mentions = [&](const Statement& statement) {
            SymbolSet mentioned;
            addMentioned(m_function, statement, mentioned);
            return mentioned.contains(sum);
        };
        if (std::any_of(std::next(start), before.end(), mentions)) return nullptr;
        bool isRead = false;
        for (std::size_t i = loop + 1; i < block.statements.size(); ++i) {
            SymbolSet changed;
            m_effects.addChanged(block.statements[i], changed);
            if (changed.contains(sum)) return nullptr;
            isRead = isRead || mentions(block.statements[i]);
        }
        return isRead ? &*start : nullptr;
    }

    [[nodiscard]] bool isArithmetic(const Statement& statement) const {
        if (const auto* const add = std::get_if<Accumulate>(&statement.what))
            return m_function.at(add->place).type == m_types.floating() && !add->isByParts && isArithmetic(add->value);
        const auto* const declare = std::get_if<Declare>(&statement.what);
        return declare != nullptr && declare->value.isValid() &&
               m_function.at(declare->symbol).storage == Storage::Constant && isArithmetic(declare->value);
    }
    /// Whether compilers compute several such values at once.
    [[nodiscard]] bool isArithmetic(ExpressionId expression) const {
        return isComputedBy(m_function, expression, [](Operation operation) {
            return operation == Operation::Sqrt || operation == Operation::Abs || operation == Operation::Max ||
                   operation == Operation::Copy;
        });
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
};

}  // namespace

void declareSums(const ir::TypeTable& types, Function& function) { Sums(types, function).run(function.body); }

}  // namespace mitos::loops
