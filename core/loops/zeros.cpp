// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/zeros.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"
#include "core/loops/internal/signed_zeros.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

class Zeros {
public:
    Zeros(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function), m_effects(function) {
        findVectors(function.body);
        SymbolSet set;
        findAdditions(function.body, set);
        m_zeros.emplace(types, function, set);
        m_seen.emplace(types, function, *m_zeros);
    }

    void run(Block& block) {
        Mentions mentioned(m_function, block);
        for (std::size_t i = 0; i < block.statements.size(); ++i) setElements(block, i, mentioned);
        removeEmptyStatements(block);
        for (Statement& statement : block.statements) {
            const bool isSeen = m_seen->isValueSeen(statement);
            replaceExpressions(statement, [&](ExpressionId expression) { return withoutZeros(expression, isSeen); });
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
    }

private:
    /// Notes the sizes of vectors of zeros, and which vectors may get others.
    void findVectors(const Block& block) {
        for (const Statement& statement : block.statements) {
            if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
                if (const ExpressionId size = sizeOfZeros(*declare); size.isValid()) m_sizes[declare->symbol] = size;
            }
            const auto* const assign = std::get_if<Assign>(&statement.what);
            const bool isWhole = assign != nullptr && m_function.at(assign->place).kind == ExpressionKind::Name;
            if (isWhole || std::holds_alternative<Resize>(statement.what)) m_effects.addChanged(statement, m_reshaped);
            forEachExpression(statement, [&](ExpressionId expression) {
                m_effects.addChanged(Statement{Drop{expression}}, m_reshaped);  // what is moved
            });
            forEachBlock(statement, [&](const Block& inner) { findVectors(inner); });
        }
    }
    /// Adds the vectors whose elements may be set.
    void findAdditions(const Block& block, SymbolSet& vectors) const {
        const Mentions mentioned(m_function, block);
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            if (const std::optional<Addition> found = additionAt(block, i, mentioned)) vectors.insert(found->vector);
            forEachBlock(block.statements[i], [&](const Block& inner) { findAdditions(inner, vectors); });
        }
    }
    /// The size of a vector of Floats that is declared as zeros.
    [[nodiscard]] ExpressionId sizeOfZeros(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (!declare.value.isValid()) return {};
        const Expression& value = m_function.at(declare.value);
        const bool isVector = m_types.isTensor(symbol.type) && m_types.rank(symbol.type) == 1 &&
                              m_types.element(symbol.type) == m_types.floating() && symbol.storage == Storage::Variable;
        const bool isOfFloats = symbol.storage == Storage::Series ? symbol.type == m_types.floating() : isVector;
        if (!isOfFloats || value.kind != ExpressionKind::Filled) return {};
        const bool isOfZeros =
            value.payload != Expression::Payload(true) || isLiteral(m_function, value.operands.back(), 0.0);
        return isOfZeros ? value.operands[0] : ExpressionId();
    }

    /// Zeros at a place of a block, and the loop that comes first and adds to each of them.
    struct Addition {
        SymbolId vector;
        ExpressionId size;
        std::size_t loop;       ///< in the block
        std::size_t statement;  ///< in the body of the loop
    };
    [[nodiscard]] std::optional<Addition> additionAt(const Block& block, std::size_t at,
                                                     const Mentions& mentioned) const {
        const auto* const declare = std::get_if<Declare>(&block.statements[at].what);
        const auto* const clear = std::get_if<Clear>(&block.statements[at].what);
        Addition found;
        if (declare != nullptr) {
            found.vector = declare->symbol;
            found.size = sizeOfZeros(*declare);
        } else if (clear != nullptr && m_function.at(clear->place).kind == ExpressionKind::Name) {
            found.vector = std::get<SymbolId>(m_function.at(clear->place).payload);
            const auto known = m_sizes.find(found.vector);
            if (known != m_sizes.end() && !m_reshaped.contains(found.vector)) found.size = known->second;
        }
        if (!found.size.isValid()) return std::nullopt;
        const std::vector<std::size_t>& uses = mentioned.of(found.vector);
        const auto next = std::ranges::find_if(uses, [at](std::size_t use) { return use > at; });
        if (next == uses.end()) return std::nullopt;
        found.loop = *next;
        const auto* const loop = std::get_if<For>(&block.statements[*next].what);
        if (loop == nullptr || loop->begin.isValid() || loop->isVisibleAfter || mayLeave(loop->body) ||
            !isSameSize(m_function, loop->end, found.size) || !isOnlyAt(loop->body, found.vector, loop->index))
            return std::nullopt;
        for (found.statement = 0; found.statement < loop->body.statements.size(); ++found.statement) {
            const Statement& statement = loop->body.statements[found.statement];
            SymbolSet symbols;
            addMentioned(m_function, statement, symbols);
            if (!symbols.contains(found.vector)) continue;
            return isAddition(statement, found.vector) ? std::optional(found) : std::nullopt;
        }
        return std::nullopt;
    }
    /// Whether a statement adds a number to an element of a vector that it does not read.
    [[nodiscard]] bool isAddition(const Statement& statement, SymbolId vector) const {
        const auto* const add = std::get_if<Accumulate>(&statement.what);
        if (add == nullptr || mentionsName(m_function, add->value, vector)) return false;
        const Expression& place = m_function.at(add->place);
        return place.kind == ExpressionKind::Element && isName(m_function, place.operands[0], vector) &&
               m_function.at(add->value).type == m_types.floating();
    }

    /// Sets the elements of a vector that is declared, or cleared, at that place and then added to.
    void setElements(Block& block, std::size_t at, Mentions& mentioned) {
        const std::optional<Addition> found = additionAt(block, at, mentioned);
        if (!found) return;
        Statement& zeros = block.statements[at];
        auto* const declare = std::get_if<Declare>(&zeros.what);
        auto& loop = std::get<For>(block.statements[found->loop].what);
        Statement& statement = loop.body.statements[found->statement];
        const auto& add = std::get<Accumulate>(statement.what);
        const ExpressionId value = valueSet(add, found->vector, declare == nullptr);
        if (!value.isValid()) return;
        statement.what = Assign{element(add.place), value};
        if (declare == nullptr) {
            mentioned.forget(zeros, at);
            zeros = emptyStatement();
            return;
        }
        const ir::TypeId type = m_function.at(declare->value).type;
        declare->value = m_function.add({ExpressionKind::Filled, type, false, {found->size}});
        declare->isConstructed = declare->isOverwritten = true;
    }
    /// Whether statements mention no other elements of a vector than that at an index.
    [[nodiscard]] bool isOnlyAt(const Block& block, SymbolId vector, SymbolId index) const {
        return std::ranges::all_of(block.statements, [&](const Statement& statement) {
            bool isOnly = true;
            forEachExpression(statement, [&](ExpressionId each) { isOnly = isOnly && isOnlyAt(each, vector, index); });
            forEachBlock(statement, [&](const Block& inner) { isOnly = isOnly && isOnlyAt(inner, vector, index); });
            return isOnly;
        });
    }
    [[nodiscard]] bool isOnlyAt(ExpressionId expression, SymbolId vector, SymbolId index) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) return !m_effects.isIn(std::get<SymbolId>(at.payload), {vector});
        if (at.kind == ExpressionKind::Element && isName(m_function, at.operands[0], vector))
            return at.operands.size() == 2 && isName(m_function, at.operands[1], index);
        return std::ranges::all_of(at.operands, [&](ExpressionId each) { return isOnlyAt(each, vector, index); });
    }
    /// The value that an element is set to instead of being added to; invalid if it may not be set.
    ExpressionId valueSet(const Accumulate& add, SymbolId vector, bool isCleared) {
        const ir::TypeId number = m_types.floating();
        const bool isSeen = m_seen->isSeen(vector);
        if (!add.isDifference && (!isSeen || m_zeros->hasNone(add.value))) return add.value;
        if (add.isDifference && !isSeen)
            return m_function.add({ExpressionKind::Unary, number, Operator::Negate, {add.value}});
        if (!isCleared) return {};
        const ExpressionId zero = m_function.add({ExpressionKind::Literal, number, 0.0});
        const Operator op = add.isDifference ? Operator::Sub : Operator::Add;
        return m_function.add({ExpressionKind::Binary, number, op, {zero, add.value}});
    }
    /// An element that is inside for sure.
    ExpressionId element(ExpressionId place) {
        Expression made = m_function.at(place);
        made.payload = false;
        return m_function.add(std::move(made));
    }

    ExpressionId withoutZeros(ExpressionId expression, bool isSeen) {
        Expression made = m_function.at(expression);
        const std::vector<ExpressionId> before = made.operands;
        for (std::size_t i = 0; i < before.size(); ++i) {
            made.operands[i] = withoutZeros(before[i], m_seen->isOperandSeen(m_function.at(expression), i, isSeen));
        }
        const bool isSum = made.kind == ExpressionKind::Binary && made.type == m_types.floating() &&
                           made.payload == Expression::Payload(Operator::Add);
        for (const std::size_t i : {0U, 1U}) {
            const bool isZero = isSum && isLiteral(m_function, made.operands[i], 0.0);
            if (isZero && (!isSeen || m_zeros->hasNone(made.operands[1 - i]))) return made.operands[1 - i];
        }
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    std::optional<SignedZeros> m_zeros;
    std::optional<SeenSigns> m_seen;
    absl::flat_hash_map<SymbolId, ExpressionId> m_sizes;  ///< of vectors of zeros
    SymbolSet m_reshaped;
};

}  // namespace

void omitZeros(const ir::TypeTable& types, Function& function) { Zeros(types, function).run(function.body); }

}  // namespace mitos::loops
