// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/zeros.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"
#include "core/loops/internal/signed_zeros.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

class Zeros {
public:
    Zeros(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function) {
        SymbolSet made;
        findVectors(function.body, made);
        m_zeros.emplace(types, function, made);
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
    void findVectors(const Block& block, SymbolSet& made) {
        const Effects effects(m_function);
        findVectors(block, effects, made);
    }
    void findVectors(const Block& block, const Effects& effects, SymbolSet& made) {
        for (const Statement& statement : block.statements) {
            if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
                if (const ExpressionId size = sizeOfZeros(*declare); size.isValid()) {
                    made.insert(declare->symbol);
                    m_sizes[declare->symbol] = size;
                }
            }
            const auto* const assign = std::get_if<Assign>(&statement.what);
            const bool isWhole = assign != nullptr && m_function.at(assign->place).kind == ExpressionKind::Name;
            if (isWhole || std::holds_alternative<Resize>(statement.what)) effects.addChanged(statement, m_reshaped);
            forEachExpression(statement, [&](ExpressionId expression) {
                effects.addChanged(Statement{Drop{expression}}, m_reshaped);  // what is moved
            });
            forEachBlock(statement, [&](const Block& inner) { findVectors(inner, effects, made); });
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

    /// Sets the elements of a vector that is declared, or cleared, at that place and then added to.
    void setElements(Block& block, std::size_t at, Mentions& mentioned) {
        Statement& zeros = block.statements[at];
        auto* const declare = std::get_if<Declare>(&zeros.what);
        const auto* const clear = std::get_if<Clear>(&zeros.what);
        SymbolId vector;
        ExpressionId size;
        if (declare != nullptr) {
            vector = declare->symbol;
            size = sizeOfZeros(*declare);
        } else if (clear != nullptr && m_function.at(clear->place).kind == ExpressionKind::Name) {
            vector = std::get<SymbolId>(m_function.at(clear->place).payload);
            const auto known = m_sizes.find(vector);
            if (known != m_sizes.end() && !m_reshaped.contains(vector)) size = known->second;
        }
        if (!size.isValid()) return;
        std::optional<std::size_t> next;
        for (const std::size_t use : mentioned.of(vector)) {
            if (use > at && !next) next = use;
        }
        if (!next) return;
        auto* const loop = std::get_if<For>(&block.statements[*next].what);
        if (loop == nullptr || loop->begin.isValid() || loop->isVisibleAfter || mayLeave(loop->body) ||
            !isSameSize(m_function, loop->end, size))
            return;
        for (Statement& statement : loop->body.statements) {
            SymbolSet symbols;
            addMentioned(m_function, statement, symbols);
            if (!symbols.contains(vector)) continue;
            const ExpressionId value = onlyValue(statement, vector, loop->index, clear != nullptr);
            if (!value.isValid()) return;
            statement.what = Assign{element(std::get<Accumulate>(statement.what).place), value};
            if (declare != nullptr) {
                const ir::TypeId type = m_function.at(declare->value).type;
                declare->value = m_function.add({ExpressionKind::Filled, type, false, {size}});
                declare->isConstructed = declare->isOverwritten = true;
            } else {
                mentioned.forget(zeros, at);
                zeros = emptyStatement();
            }
            return;
        }
    }
    /// What an element is set to instead of being added to; invalid if the statement does not add to it, or may not set it.
    [[nodiscard]] ExpressionId onlyValue(const Statement& statement, SymbolId vector, SymbolId index, bool isCleared) {
        const auto* const add = std::get_if<Accumulate>(&statement.what);
        if (add == nullptr || mentionsName(m_function, add->value, vector)) return {};
        const Expression& place = m_function.at(add->place);
        if (place.kind != ExpressionKind::Element || place.operands.size() != 2 ||
            !isName(m_function, place.operands[0], vector) || !isName(m_function, place.operands[1], index) ||
            m_function.at(add->value).type != m_types.floating())
            return {};
        const ir::TypeId number = m_types.floating();
        const bool isSeen = m_seen->isSeen(vector);
        if (!add->isDifference && (!isSeen || m_zeros->hasNone(add->value))) return add->value;
        if (add->isDifference && !isSeen)
            return m_function.add({ExpressionKind::Unary, number, Operator::Negate, {add->value}});
        if (!isCleared) return {};
        const ExpressionId zero = m_function.add({ExpressionKind::Literal, number, 0.0});
        const Operator op = add->isDifference ? Operator::Sub : Operator::Add;
        return m_function.add({ExpressionKind::Binary, number, op, {zero, add->value}});
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
        if (isSum && isLiteral(m_function, made.operands[0], 0.0) && (!isSeen || m_zeros->hasNone(made.operands[1])))
            return made.operands[1];
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    std::optional<SignedZeros> m_zeros;
    std::optional<SeenSigns> m_seen;
    absl::flat_hash_map<SymbolId, ExpressionId> m_sizes;  ///< of vectors of zeros
    SymbolSet m_reshaped;
};

}  // namespace

void omitZeros(const ir::TypeTable& types, Function& function) { Zeros(types, function).run(function.body); }

}  // namespace mitos::loops
