// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/singles.h"

#include "core/loops/internal/effects.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <variant>

namespace mitos::loops {

namespace {

class Unwrapper {
public:
    Unwrapper(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function) {}

    void run() {
        find(m_function.body);
        if (m_singles.empty()) return;
        findOtherUses(m_function.body);
        if (m_singles.empty()) return;
        for (const SymbolId symbol : m_singles) {
            SymbolInfo& info = m_function.symbols[symbol.value];
            info.type = m_types.element(info.type);
        }
        m_expressions.resize(m_function.expressions.size());
        rewrite(m_function.body);
    }

private:
    /// Vectors that are declared with one element.
    void find(const Block& block) {
        for (const Statement& statement : block.statements) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            if (declare != nullptr && declare->value.isValid() && startOf(*declare)) {
                m_singles.insert(declare->symbol);
                m_declaredIn.emplace(declare->symbol, &block);
            }
            forEachBlock(statement, [this](const Block& inner) { find(inner); });
        }
    }

    /// The element that a vector of one element is declared with; invalid if that is zero; nothing for other declarations.
    [[nodiscard]] std::optional<ExpressionId> startOf(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        const Expression& value = m_function.at(declare.value);
        if (symbol.storage != Storage::Variable || value.kind != ExpressionKind::Filled) return std::nullopt;
        if (!m_types.isTensor(symbol.type) || m_types.rank(symbol.type) != 1 || value.type != symbol.type)
            return std::nullopt;
        if (!isLiteral(m_function, value.operands[0], std::int64_t{1})) return std::nullopt;
        if (value.operands.size() == 2) return value.operands[1];
        return m_types.element(symbol.type) == m_types.floating() ? std::optional(ExpressionId()) : std::nullopt;
    }

    void findOtherUses(const Block& block) {
        for (const Statement& statement : block.statements) {
            forEachExpression(statement, [this](ExpressionId expression) { findOtherUses(expression); });
            forEachBlock(statement, [this](const Block& inner) { findOtherUses(inner); });
        }
    }
    void findOtherUses(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) m_singles.erase(std::get<SymbolId>(at.payload));
        const std::size_t first = isElementOfSingle(at) ? 2 : 0;
        for (std::size_t i = first; i < at.operands.size(); ++i) findOtherUses(at.operands[i]);
    }
    [[nodiscard]] bool isElementOfSingle(const Expression& expression) const {
        if (expression.kind != ExpressionKind::Element) return false;
        const Expression& vector = m_function.at(expression.operands[0]);
        return vector.kind == ExpressionKind::Name && m_singles.contains(std::get<SymbolId>(vector.payload)) &&
               isLiteral(m_function, expression.operands[1], std::int64_t{0});
    }

    void rewrite(Block& block) {
        std::vector<Statement> kept;
        kept.reserve(block.statements.size());
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            Statement& statement = block.statements[i];
            auto* const declare = std::get_if<Declare>(&statement.what);
            if (declare != nullptr && m_singles.contains(declare->symbol)) {
                declareElement(*declare);
            } else {
                replaceExpressions(statement, [this](ExpressionId expression) { return rewritten(expression); });
            }
            if (declare != nullptr && isSecondName(*declare, block, i)) continue;
            if (auto* const accumulate = std::get_if<Accumulate>(&statement.what)) {
                const Expression& place = m_function.at(accumulate->place);
                if (place.kind == ExpressionKind::Name && m_types.isNumeric(place.type)) accumulate->isByParts = false;
            }
            if (auto* const returned = std::get_if<Return>(&statement.what)) returned->value = moved(returned->value);
            forEachBlock(statement, [this](Block& inner) { rewrite(inner); });
            kept.push_back(std::move(statement));
        }
        block.statements = std::move(kept);
    }

    void declareElement(Declare& declare) {
        const ir::TypeId type = m_function.at(declare.symbol).type;
        const Expression value = m_function.at(declare.value);
        const bool isGiven = value.operands.size() == 2;
        declare.value = isGiven ? rewritten(value.operands[1]) : m_function.add({ExpressionKind::Literal, type, 0.0});
        const ExpressionKind kind = m_function.at(declare.value).kind;
        declare.isConstructed = kind == ExpressionKind::Filled || kind == ExpressionKind::Tuple;
        declare.isOverwritten = false;
    }

    /// Whether a declaration only gives the element another name, which is replaced then.
    bool isSecondName(const Declare& declare, const Block& block, std::size_t at) {
        const Storage storage = m_function.at(declare.symbol).storage;
        if (storage != Storage::Place && storage != Storage::View && storage != Storage::Constant) return false;
        if (!declare.value.isValid()) return false;
        const Expression& value = m_function.at(declare.value);
        if (value.kind != ExpressionKind::Name) return false;
        const auto owner = std::get<SymbolId>(value.payload);
        if (!m_singles.contains(owner)) return false;
        if (storage == Storage::Constant && !isLastState(owner, block, at)) return false;
        // The program's name says more than that of a place for sums.
        if (storage != Storage::Place) m_function.symbols[owner.value].hint = m_function.at(declare.symbol).hint;
        m_names.emplace(declare.symbol, declare.value);
        return true;
    }

    /// Whether a symbol is declared in the block, and changed by none of its statements from that one on.
    [[nodiscard]] bool isLastState(SymbolId symbol, const Block& block, std::size_t at) const {
        SymbolSet changed;
        const auto begin = block.statements.begin() + static_cast<std::ptrdiff_t>(at);
        for (auto each = begin + 1; each != block.statements.end(); ++each) m_effects.addChanged(*each, changed);
        return !changed.contains(symbol) && m_declaredIn.at(symbol) == &block;
    }

    ExpressionId rewritten(ExpressionId expression) {
        if (expression.value < m_expressions.size() && m_expressions[expression.value].isValid()) {
            return m_expressions[expression.value];
        }
        const ExpressionId made = rewrittenAnew(expression);
        if (expression.value < m_expressions.size()) m_expressions[expression.value] = made;
        return made;
    }

    ExpressionId rewrittenAnew(ExpressionId expression) {
        Expression made = m_function.at(expression);
        if (made.kind == ExpressionKind::Name) {
            const auto known = m_names.find(std::get<SymbolId>(made.payload));
            return known == m_names.end() ? expression : known->second;
        }
        if (isElementOfSingle(made)) {
            const Expression vector = m_function.at(made.operands[0]);
            const auto symbol = std::get<SymbolId>(vector.payload);
            Expression name = vector;
            name.type = m_function.at(symbol).type;
            const ExpressionId element = m_function.add(std::move(name));
            if (made.operands.size() == 2) return element;
            made.operands.erase(made.operands.begin() + 1);
            made.operands[0] = element;
            for (std::size_t i = 1; i < made.operands.size(); ++i) made.operands[i] = rewritten(made.operands[i]);
            return m_function.add(std::move(made));
        }
        const std::vector<ExpressionId> before = made.operands;
        for (ExpressionId& operand : made.operands) operand = rewritten(operand);
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    /// A returned value, or one that is a tuple of such, without copies of the elements' variables.
    ExpressionId moved(ExpressionId expression) {
        Expression made = m_function.at(expression);
        if (made.kind == ExpressionKind::Tuple) {
            for (std::size_t i = 0; i < made.operands.size(); ++i) {
                const bool isAlone = std::ranges::count_if(made.operands, [&](ExpressionId other) {
                                         return areSame(m_function, other, made.operands[i]);
                                     }) == 1;
                if (isAlone) made.operands[i] = moved(made.operands[i]);
            }
            return m_function.add(std::move(made));
        }
        if (made.kind != ExpressionKind::Name || m_types.isNumeric(made.type)) return expression;
        if (!m_singles.contains(std::get<SymbolId>(made.payload))) return expression;
        return m_function.add({ExpressionKind::Move, made.type, {}, {expression}});
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects{m_function};
    SymbolSet m_singles;
    absl::flat_hash_map<SymbolId, const Block*> m_declaredIn;
    absl::flat_hash_map<SymbolId, ExpressionId> m_names;  ///< of elements, for second names
    std::vector<ExpressionId> m_expressions;              ///< rewritten ones, by those before
};

}  // namespace

void unwrapSingles(const ir::TypeTable& types, Function& function) { Unwrapper(types, function).run(); }

}  // namespace mitos::loops
