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
    /// Where a vector or matrix is used last, and what is made of it there.
    struct LastUse {
        std::size_t loop = 0;     ///< the statement
        ExpressionId whole = {};  ///< the vector, row or matrix that is made
    };

    /// Gives the vector that a statement declares the storage of another one, if possible.
    bool unite(Block& block, std::size_t declared, Mentions& mentioned) {
        const auto* const declare = std::get_if<Declare>(&block.statements[declared].what);
        if (declare == nullptr || !(isVectorOfFloats(*declare) || isMatrix(*declare))) return false;
        const bool hasRows = isMatrix(*declare);
        const SymbolId vector = declare->symbol;
        const std::vector<std::size_t> uses = mentioned.of(vector);
        const std::optional<LastUse> last =
            hasRows ? lastUseOfMatrix(block, declared, uses) : lastUse(block, declared, uses);
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
        std::vector<Statement>& body = std::get<For>(block.statements[last->loop].what).body.statements;
        if (hasRows) body.erase(body.begin());  // the rows have their size
        if (!hasRows) removeIdleCopy(body);
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
        if (!isSameSize(m_function, loop->end, size.operands[0])) return std::nullopt;
        const auto* const assign = std::get_if<Assign>(&loop->body.statements.back().what);
        if (assign == nullptr || !readsAt(loop->body, vector, {loop->index})) return std::nullopt;
        const Expression& place = m_function.at(assign->place);
        if (place.kind != ExpressionKind::Element || place.type != m_types.floating()) return std::nullopt;
        if (!isName(m_function, place.operands.back(), loop->index)) return std::nullopt;
        if (place.operands.size() == 2) return LastUse{at, place.operands[0]};
        return std::nullopt;
    }

    /// A matrix whose rows get their size after it.
    [[nodiscard]] bool isMatrix(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (symbol.storage != Storage::Variable || !declare.value.isValid()) return false;
        const Expression& value = m_function.at(declare.value);
        if (value.kind != ExpressionKind::Filled || value.operands.size() != 1) return false;
        if (!m_types.isTensor(symbol.type) || m_types.rank(symbol.type) != 1) return false;
        const ir::TypeId row = m_types.element(symbol.type);
        return m_types.isTensor(row) && m_types.rank(row) == 1 && m_types.element(row) == m_types.floating();
    }

    /// As lastUse(), of a matrix: the last statement gives rows of the same size to another matrix, and sets their elements.
    [[nodiscard]] std::optional<LastUse> lastUseOfMatrix(const Block& block, std::size_t declared,
                                                         const std::vector<std::size_t>& uses) const {
        if (uses.size() < 3) return std::nullopt;
        const Declare& declare = std::get<Declare>(block.statements[declared].what);
        const ExpressionId count = m_function.at(declare.value).operands[0];
        const Resize* const resize = resizeOfRows(block.statements[uses.back()], count);
        const Resize* const before = resizeOfRows(block.statements[uses[1]], count);
        if (resize == nullptr || before == nullptr || !isRowOf(before->place, declare.symbol)) return std::nullopt;
        if (!areSame(m_function, resize->sizes[0], before->sizes[0])) return std::nullopt;
        // Nothing else changes the sizes of the rows.
        std::size_t wholes = 0;
        for (const std::size_t use : uses) wholes += wholesOf(block.statements[use], declare.symbol);
        const auto& rows = std::get<For>(block.statements[uses.back()].what);
        if (wholes != 1 || rows.body.statements.size() != 2) return std::nullopt;
        const auto* const elements = std::get_if<For>(&rows.body.statements[1].what);
        if (elements == nullptr || !isPlain(*elements) || elements->body.isEmpty() ||
            !areSame(m_function, elements->end, resize->sizes[0]))
            return std::nullopt;
        const auto* const assign = std::get_if<Assign>(&elements->body.statements.back().what);
        const ExpressionId whole = m_function.at(resize->place).operands[0];
        const auto other = std::get<SymbolId>(m_function.at(whole).payload);
        const std::vector<SymbolId> indices{rows.index, elements->index};
        if (assign == nullptr || !isElementAt(assign->place, other, indices)) return std::nullopt;
        return readsAt(rows.body, declare.symbol, indices) ? std::optional(LastUse{uses.back(), whole}) : std::nullopt;
    }
    /// The first statement of a loop over so many rows, if it gives each row of a matrix the same size; null otherwise.
    [[nodiscard]] const Resize* resizeOfRows(const Statement& statement, ExpressionId count) const {
        const auto* const loop = std::get_if<For>(&statement.what);
        if (loop == nullptr || !isPlain(*loop) || !areSame(m_function, loop->end, count) || loop->body.isEmpty())
            return nullptr;
        const auto* const resize = std::get_if<Resize>(&loop->body.statements[0].what);
        if (resize == nullptr || resize->sizes.size() != 1 || !isConstant(resize->sizes[0])) return nullptr;
        const Expression& row = m_function.at(resize->place);
        const bool isRow = row.kind == ExpressionKind::Element && row.operands.size() == 2 &&
                           m_function.at(row.operands[0]).kind == ExpressionKind::Name &&
                           isName(m_function, row.operands[1], loop->index);
        return isRow ? resize : nullptr;
    }
    [[nodiscard]] bool isRowOf(ExpressionId row, SymbolId matrix) const {
        return isName(m_function, m_function.at(row).operands[0], matrix);
    }
    /// Whether an expression is a size that never changes.
    [[nodiscard]] bool isConstant(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Literal) return true;
        return at.kind == ExpressionKind::Name &&
               m_function.at(std::get<SymbolId>(at.payload)).storage == Storage::Constant;
    }
    /// The number of places where a statement mentions a matrix, or a row of it, as a whole.
    [[nodiscard]] std::size_t wholesOf(const Statement& statement, SymbolId matrix) const {
        std::size_t count = 0;
        forEachExpression(statement, [&](ExpressionId expression) { count += wholesOf(expression, matrix); });
        forEachBlock(statement, [&](const Block& inner) {
            for (const Statement& each : inner.statements) count += wholesOf(each, matrix);
        });
        return count;
    }
    [[nodiscard]] std::size_t wholesOf(ExpressionId expression, SymbolId matrix) const {
        const Expression& at = m_function.at(expression);
        if (isName(m_function, expression, matrix)) return 1;
        const bool isElement = at.type == m_types.floating() && !indicesOf(m_function, expression, matrix).empty();
        std::size_t count = 0;
        for (std::size_t i = isElement ? 1 : 0; i < at.operands.size(); ++i) count += wholesOf(at.operands[i], matrix);
        return count;
    }
    [[nodiscard]] bool isElementAt(ExpressionId expression, SymbolId vector,
                                   const std::vector<SymbolId>& indices) const {
        return std::ranges::equal(indicesOf(m_function, expression, vector), indices,
                                  [this](ExpressionId at, SymbolId index) { return isName(m_function, at, index); });
    }

    /// Whether a block only reads elements of the vector at these indices.
    [[nodiscard]] bool readsAt(const Block& block, SymbolId vector, const std::vector<SymbolId>& indices) const {
        return std::ranges::all_of(block.statements, [&](const Statement& statement) {
            if (std::holds_alternative<DefineFunction>(statement.what)) return !mentions(statement, vector);
            bool isFine = true;
            forEachExpression(
                statement, [&](ExpressionId expression) { isFine = isFine && readsAt(expression, vector, indices); });
            const auto* const add = std::get_if<Accumulate>(&statement.what);
            if (add != nullptr && mentions(add->place, vector)) isFine = false;
            forEachBlock(statement, [&](const Block& inner) { isFine = isFine && readsAt(inner, vector, indices); });
            return isFine;
        });
    }
    [[nodiscard]] bool readsAt(ExpressionId expression, SymbolId vector, const std::vector<SymbolId>& indices) const {
        const Expression& at = m_function.at(expression);
        if (isName(m_function, expression, vector) || at.kind == ExpressionKind::Move)
            return !mentions(expression, vector);
        if (!indicesOf(m_function, expression, vector).empty()) return isElementAt(expression, vector, indices);
        return std::ranges::all_of(at.operands,
                                   [&](ExpressionId operand) { return readsAt(operand, vector, indices); });
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
        const auto* const declare = std::get_if<Declare>(&block.statements[places[0]].what);
        const bool hasRows = declare != nullptr && isMatrix(*declare);
        // The size of a row is set before its elements.
        const std::size_t wanted = hasRows ? 2 : 1;
        const bool isFirstUse = places[1] == last.loop && countOf(block.statements[last.loop], symbol) == wanted;
        if (!isFirstUse || !makes(block.statements[places[0]], symbol, last.whole, size, isRow)) return std::nullopt;
        return places[0];
    }
    [[nodiscard]] bool makes(const Statement& statement, SymbolId symbol, ExpressionId whole, ExpressionId size,
                             bool isRow) const {
        if (isRow) {
            const auto* const resize = std::get_if<Resize>(&statement.what);
            return resize != nullptr && areSame(m_function, resize->place, whole) && resize->sizes.size() == 1 &&
                   isSameSize(m_function, resize->sizes[0], size);
        }
        const auto* const declare = std::get_if<Declare>(&statement.what);
        return declare != nullptr && declare->symbol == symbol && (isVectorOfFloats(*declare) || isMatrix(*declare)) &&
               isSameSize(m_function, m_function.at(declare->value).operands[0], size);
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

    void removeIdleCopy(std::vector<Statement>& body) const {
        const Assign& assign = std::get<Assign>(body.back().what);
        // Whether an index is checked makes no difference where it is the loop's.
        const Expression& value = m_function.at(assign.value);
        const Expression& place = m_function.at(assign.place);
        if (value.kind == place.kind &&
            std::ranges::equal(value.operands, place.operands,
                               [this](ExpressionId a, ExpressionId b) { return areSame(m_function, a, b); }))
            body.pop_back();
    }

    const ir::TypeTable& m_types;
    Function& m_function;
};

}  // namespace

void reuseInPlace(const ir::TypeTable& types, Function& function) { InPlace(types, function).run(function.body); }

}  // namespace mitos::loops
