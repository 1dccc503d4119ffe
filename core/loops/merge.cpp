// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/merge.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

/// A loop has at most so many sums, which then stay in registers.
constexpr std::size_t MostSums = 8;
/// Statements between two loops.
constexpr std::size_t MostBetween = 12;

class Merge {
public:
    Merge(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function), m_effects(function) {}

    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
        }
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            while (takeNext(block, i)) removeEmptyStatements(block);
            if (std::holds_alternative<For>(block.statements[i].what)) uniteEqual(block, i);
        }
    }

private:
    /// Moves the next loop over the range of a loop of sums into it.
    bool takeNext(Block& block, std::size_t& at) {
        auto* const loop = std::get_if<For>(&block.statements[at].what);
        SymbolSet sums;
        if (loop == nullptr || !isOfSums(*loop, sums)) return false;
        SymbolSet changed;
        m_effects.addChanged(block.statements[at], changed);
        const std::size_t last = std::min(block.statements.size(), at + 2 + MostBetween);
        for (std::size_t next = at + 1; next < last; ++next) {
            const Statement& statement = block.statements[next];
            const auto* const other = std::get_if<For>(&statement.what);
            SymbolSet others;
            if (other != nullptr && areSame(m_function, other->end, loop->end) && isOfSums(*other, others)) {
                return sums.size() + others.size() <= MostSums && merge(block, at, next, others, changed);
            }
            const auto* const require = std::get_if<Require>(&statement.what);
            const bool isPassed = std::holds_alternative<Declare>(statement.what) ||
                                  std::holds_alternative<Assign>(statement.what) ||
                                  (require != nullptr && !require->isAlways);
            if (!isPassed) return false;
            m_effects.addChanged(statement, changed);
        }
        return false;
    }

    /// Whether a loop does nothing but add to numbers.
    [[nodiscard]] bool isOfSums(const For& loop, SymbolSet& sums) const {
        if (!isPlain(loop)) return false;
        for (const Statement& statement : loop.body.statements) {
            if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
                const Storage storage = m_function.at(declare->symbol).storage;
                if (!declare->value.isValid() || (storage != Storage::Constant && storage != Storage::View))
                    return false;
                continue;
            }
            const auto* const add = std::get_if<Accumulate>(&statement.what);
            if (add == nullptr || m_function.at(add->place).kind != ExpressionKind::Name) return false;
            if (m_function.at(add->place).type != m_types.floating()) return false;
            sums.insert(std::get<SymbolId>(m_function.at(add->place).payload));
        }
        return !sums.empty();
    }

    bool merge(Block& block, std::size_t& at, std::size_t next, const SymbolSet& others, SymbolSet changed) {
        // The declarations of the other loop's sums move before the first loop.
        std::vector<std::size_t> moved;
        for (std::size_t i = at + 1; i < next; ++i) {
            const auto* const declare = std::get_if<Declare>(&block.statements[i].what);
            if (declare != nullptr && others.contains(declare->symbol)) {
                const bool isLiteral =
                    declare->value.isValid() && m_function.at(declare->value).kind == ExpressionKind::Literal;
                if (!isLiteral) return false;
                moved.push_back(i);
                changed.erase(declare->symbol);
                continue;
            }
            SymbolSet mentioned;
            addMentioned(m_function, block.statements[i], mentioned);
            if (std::ranges::any_of(others, [&](SymbolId sum) { return mentioned.contains(sum); })) return false;
        }
        if (std::ranges::any_of(others, [&](SymbolId sum) { return changed.contains(sum); })) return false;
        if (mentionsAny(block.statements[next], changed)) return false;
        Statement taken = std::exchange(block.statements[next], emptyStatement());
        For& other = std::get<For>(taken.what);
        For& loop = std::get<For>(block.statements[at].what);
        renameIndex(m_function, other.body, other.index, loop.index);
        std::ranges::move(other.body.statements, std::back_inserter(loop.body.statements));
        std::vector<Statement> before;
        for (const std::size_t i : moved) before.push_back(std::exchange(block.statements[i], emptyStatement()));
        block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(at),
                                std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
        at += before.size();
        return true;
    }

    /// Sums of one loop that begin with one number and get the same summands: the first is computed, and the others are names for it.
    void uniteEqual(Block& block, std::size_t at) {
        For& loop = std::get<For>(block.statements[at].what);
        SymbolSet sums;
        if (!isOfSums(loop, sums) || sums.size() < 2) return;
        std::vector<Statement>& body = loop.body.statements;
        std::vector<Statement> names;
        for (std::size_t i = 0; i < body.size(); ++i) {
            for (std::size_t k = i + 1; k < body.size(); ++k) {
                const auto* const first = std::get_if<Accumulate>(&body[i].what);
                const auto* const other = std::get_if<Accumulate>(&body[k].what);
                if (first == nullptr || other == nullptr || first->isDifference != other->isDifference) continue;
                if (!areSame(m_function, first->value, other->value)) continue;
                const auto sum = std::get<SymbolId>(m_function.at(other->place).payload);
                const Statement* const start =
                    startOf(block, at, std::get<SymbolId>(m_function.at(first->place).payload));
                Statement* const otherStart = startOf(block, at, sum);
                if (start == nullptr || otherStart == nullptr || start == otherStart) continue;
                const ExpressionId zero = std::get<Declare>(start->what).value;
                if (!areSame(m_function, zero, std::get<Declare>(otherStart->what).value)) continue;
                m_function.symbols[sum.value].storage = Storage::Constant;
                names.push_back({Declare{.symbol = sum, .value = first->place}, body[k].term});
                *otherStart = emptyStatement();
                body[k] = emptyStatement();
            }
        }
        removeEmptyStatements(loop.body);
        block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                std::make_move_iterator(names.begin()), std::make_move_iterator(names.end()));
        removeEmptyStatements(block);
    }
    /// The declaration of a sum as a number, before a loop in which one statement adds to it; null if there is more that changes it.
    [[nodiscard]] Statement* startOf(Block& block, std::size_t at, SymbolId sum) const {
        for (std::size_t i = 0; i < at; ++i) {
            const auto* const declare = std::get_if<Declare>(&block.statements[i].what);
            if (declare == nullptr || declare->symbol != sum) continue;
            const bool isNumber =
                declare->value.isValid() && m_function.at(declare->value).kind == ExpressionKind::Literal;
            return isNumber && changesOf(m_function.body, sum) == 2 ? &block.statements[i] : nullptr;
        }
        return nullptr;
    }
    /// The number of statements that declare or change a symbol.
    [[nodiscard]] std::size_t changesOf(const Block& block, SymbolId symbol) const {
        std::size_t count = 0;
        for (const Statement& statement : block.statements) {
            bool hasBlocks = false;
            forEachBlock(statement, [&](const Block& inner) {
                hasBlocks = true;
                count += changesOf(inner, symbol);
            });
            if (hasBlocks) continue;
            SymbolSet changed;
            m_effects.addChanged(statement, changed);
            count += changed.contains(symbol) ? 1 : 0;
        }
        return count;
    }

    [[nodiscard]] bool mentionsAny(const Statement& statement, const SymbolSet& symbols) const {
        bool isMentioned = false;
        forEachExpression(statement, [&](ExpressionId expression) {
            isMentioned = isMentioned || m_effects.mentionsAny(expression, symbols);
        });
        forEachBlock(statement, [&](const Block& inner) {
            for (const Statement& each : inner.statements) isMentioned = isMentioned || mentionsAny(each, symbols);
        });
        return isMentioned;
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
};

}  // namespace

void mergeSums(const ir::TypeTable& types, Function& function) { Merge(types, function).run(function.body); }

}  // namespace mitos::loops
