// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/in_place.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

class InPlace {
public:
    InPlace(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function) {}

    void run(Block& block) {
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
        Mentions mentioned(m_function, block);
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            while (unite(block, i, mentioned)) {
            }
        }
        removeEmptyStatements(block);
    }

private:
    /// Where a vector is used last, and what is made of it there.
    struct LastUse {
        std::size_t loop = 0;     ///< the statement
        ExpressionId whole = {};  ///< the vector or row that is made
    };

    /// Gives the vector that a statement declares the storage of another one, if possible.
    bool unite(Block& block, std::size_t declared, Mentions& mentioned) {
        const auto* const declare = std::get_if<Declare>(&block.statements[declared].what);
        if (declare == nullptr || !isVectorOfFloats(*declare)) return false;
        const SymbolId vector = declare->symbol;
        const std::vector<std::size_t> uses = mentioned.of(vector);
        const std::optional<LastUse> last = lastUse(block, declared, uses);
        if (!last) return false;
        const std::optional<std::size_t> making =
            makingOf(block, *last, vector, m_function.at(declare->value).operands[0], mentioned);
        if (!making) return false;
        const bool isOverwritten = declare->isOverwritten;
        const ExpressionId whole = last->whole;
        mentioned.forget(block.statements[declared], declared);
        for (const std::size_t use : uses) {
            if (use != declared) replaceName(m_function, block.statements[use], vector, whole);
        }
        removeIdleCopy(std::get<For>(block.statements[last->loop].what));
        // The other vector exists from where this one did, or from before.
        const std::size_t first = std::min(*making, declared);
        Statement made = std::move(block.statements[*making]);
        mentioned.forget(made, *making);
        if (auto* const other = std::get_if<Declare>(&made.what)) other->isOverwritten = isOverwritten;
        if (auto* const resize = std::get_if<Resize>(&made.what)) resize->isOverwritten = isOverwritten;
        block.statements[*making] = emptyStatement();
        block.statements[declared] = emptyStatement();
        block.statements[first] = std::move(made);
        if (std::get<For>(block.statements[last->loop].what).body.isEmpty()) {
            mentioned.forget(block.statements[last->loop], last->loop);
            block.statements[last->loop] = emptyStatement();
        }
        mentioned.update(block.statements[first], first);
        for (const std::size_t use : uses) mentioned.update(block.statements[use], use);
        return first == declared;
    }

    [[nodiscard]] bool isVectorOfFloats(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (!declare.value.isValid()) return false;
        const Expression& value = m_function.at(declare.value);
        if (value.kind != ExpressionKind::Filled || value.operands.size() != 1) return false;
        if (symbol.storage == Storage::Series) return symbol.type == m_types.floating();
        return symbol.storage == Storage::Variable && m_types.isTensor(symbol.type) && m_types.rank(symbol.type) == 1 &&
               m_types.element(symbol.type) == m_types.floating();
    }

    /// The last statement that mentions a vector, if it is a loop that makes an element of another vector of each element.
    [[nodiscard]] std::optional<LastUse> lastUse(const Block& block, std::size_t declared,
                                                 const std::vector<std::size_t>& uses) const {
        if (uses.empty() || uses.back() == declared) return std::nullopt;
        const std::size_t at = uses.back();
        const auto* const loop = std::get_if<For>(&block.statements[at].what);
        const Declare& declare = std::get<Declare>(block.statements[declared].what);
        const Expression& size = m_function.at(declare.value);
        const SymbolId vector = declare.symbol;
        if (loop == nullptr || loop->begin.isValid() || loop->isVisibleAfter || loop->body.isEmpty())
            return std::nullopt;
        if (!areSame(m_function, loop->end, size.operands[0])) return std::nullopt;
        const auto* const assign = std::get_if<Assign>(&loop->body.statements.back().what);
        if (assign == nullptr || !readsAt(loop->body, vector, loop->index)) return std::nullopt;
        const Expression& place = m_function.at(assign->place);
        if (place.kind != ExpressionKind::Element || place.type != m_types.floating()) return std::nullopt;
        if (!isName(m_function, place.operands.back(), loop->index)) return std::nullopt;
        if (place.operands.size() == 2) return LastUse{at, place.operands[0]};
        return std::nullopt;
    }

    /// Whether a block only reads elements of the vector at this index.
    [[nodiscard]] bool readsAt(const Block& block, SymbolId vector, SymbolId index) const {
        return std::ranges::all_of(block.statements, [&](const Statement& statement) {
            if (std::holds_alternative<DefineFunction>(statement.what)) return !mentions(statement, vector);
            bool isFine = true;
            forEachExpression(statement,
                              [&](ExpressionId expression) { isFine = isFine && readsAt(expression, vector, index); });
            const auto* const add = std::get_if<Accumulate>(&statement.what);
            if (add != nullptr && mentions(add->place, vector)) isFine = false;
            forEachBlock(statement, [&](const Block& inner) { isFine = isFine && readsAt(inner, vector, index); });
            return isFine;
        });
    }
    [[nodiscard]] bool readsAt(ExpressionId expression, SymbolId vector, SymbolId index) const {
        const Expression& at = m_function.at(expression);
        if (isName(m_function, expression, vector) || at.kind == ExpressionKind::Move)
            return !mentions(expression, vector);
        if (at.kind == ExpressionKind::Element && at.operands.size() == 2 && isName(m_function, at.operands[0], vector))
            return isName(m_function, at.operands[1], index);
        return std::ranges::all_of(at.operands, [&](ExpressionId operand) { return readsAt(operand, vector, index); });
    }

    /// The statement that makes the other vector, of this size; nothing if that is used before the loop.
    [[nodiscard]] std::optional<std::size_t> makingOf(const Block& block, const LastUse& last, SymbolId vector,
                                                      ExpressionId size, const Mentions& mentioned) const {
        const Expression& whole = m_function.at(last.whole);
        const bool isRow = whole.kind == ExpressionKind::Element;
        const ExpressionId root = isRow ? whole.operands[0] : last.whole;
        if (m_function.at(root).kind != ExpressionKind::Name) return std::nullopt;
        const auto symbol = std::get<SymbolId>(m_function.at(root).payload);
        if (symbol == vector) return std::nullopt;
        const std::vector<std::size_t>& places = mentioned.of(symbol);
        if (places.size() < 2) return std::nullopt;
        // It is made, and then the loop is the first that uses it.
        const bool isFirstUse = places[1] == last.loop && countOf(block.statements[last.loop], symbol) == 1;
        if (!isFirstUse || !makes(block.statements[places[0]], symbol, last.whole, size, isRow)) return std::nullopt;
        return places[0];
    }
    [[nodiscard]] bool makes(const Statement& statement, SymbolId symbol, ExpressionId whole, ExpressionId size,
                             bool isRow) const {
        if (isRow) {
            const auto* const resize = std::get_if<Resize>(&statement.what);
            return resize != nullptr && areSame(m_function, resize->place, whole) && resize->sizes.size() == 1 &&
                   areSame(m_function, resize->sizes[0], size);
        }
        const auto* const declare = std::get_if<Declare>(&statement.what);
        return declare != nullptr && declare->symbol == symbol && isVectorOfFloats(*declare) &&
               areSame(m_function, m_function.at(declare->value).operands[0], size);
    }
    [[nodiscard]] std::size_t countOf(const Statement& statement, SymbolId symbol) const {
        std::size_t count = 0;
        forEachExpression(statement, [&](ExpressionId expression) { count += countOf(expression, symbol); });
        forEachBlock(statement, [&](const Block& inner) {
            for (const Statement& each : inner.statements) count += countOf(each, symbol);
        });
        return count;
    }
    [[nodiscard]] std::size_t countOf(ExpressionId expression, SymbolId symbol) const {
        std::size_t count = isName(m_function, expression, symbol) ? 1 : 0;
        for (const ExpressionId operand : m_function.at(expression).operands) count += countOf(operand, symbol);
        return count;
    }

    [[nodiscard]] bool mentions(ExpressionId expression, SymbolId symbol) const {
        return countOf(expression, symbol) > 0;
    }
    [[nodiscard]] bool mentions(const Statement& statement, SymbolId symbol) const {
        const auto* const declare = std::get_if<Declare>(&statement.what);
        return (declare != nullptr && declare->symbol == symbol) || countOf(statement, symbol) > 0;
    }

    void removeIdleCopy(For& loop) const {
        const Assign& assign = std::get<Assign>(loop.body.statements.back().what);
        // Whether an index is checked makes no difference where it is the loop's.
        const Expression& value = m_function.at(assign.value);
        const Expression& place = m_function.at(assign.place);
        if (value.kind == place.kind &&
            std::ranges::equal(value.operands, place.operands,
                               [this](ExpressionId a, ExpressionId b) { return areSame(m_function, a, b); }))
            loop.body.statements.pop_back();
    }

    const ir::TypeTable& m_types;
    Function& m_function;
};

}  // namespace

void reuseInPlace(const ir::TypeTable& types, Function& function) { InPlace(types, function).run(function.body); }

}  // namespace mitos::loops
