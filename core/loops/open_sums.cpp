// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/open_sums.h"

#include "core/loops/internal/effects.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

class Opening {
public:
    Opening(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function) {}

    void run() {
        find(m_function.body);
        visit(m_function.body, false);
    }

private:
    void find(const Block& block) {
        for (const Statement& statement : block.statements) {
            forEachExpression(statement, [this](ExpressionId expression) { findWhole(expression); });
            const auto* const declare = std::get_if<Declare>(&statement.what);
            const bool isMade = declare != nullptr && declare->value.isValid() &&
                                m_function.at(declare->value).kind == ExpressionKind::Filled;
            if (isMade) m_made.insert(declare->symbol);
            forEachBlock(statement, [this](const Block& inner) { find(inner); });
        }
    }
    void findWhole(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) m_whole.insert(std::get<SymbolId>(at.payload));
        const bool isElement = at.kind == ExpressionKind::Element && at.operands.size() == 2;
        const bool isSize = at.kind == ExpressionKind::Run && at.payload == Expression::Payload(Operation::Size);
        const bool isRead = (isElement || isSize) && m_function.at(at.operands[0]).kind == ExpressionKind::Name;
        for (std::size_t i = isRead ? 1 : 0; i < at.operands.size(); ++i) findWhole(at.operands[i]);
    }

    void visit(Block& block, bool isInLoop) {
        std::vector<Statement> made;
        made.reserve(block.statements.size());
        for (Statement& statement : block.statements) {
            const bool isLoop = std::holds_alternative<For>(statement.what);
            forEachBlock(statement, [&](Block& inner) { visit(inner, isInLoop || isLoop); });
            const auto* const declare = std::get_if<Declare>(&statement.what);
            const std::optional<Operator> op = isInLoop && declare != nullptr ? opened(*declare) : std::nullopt;
            if (op) {
                open(*declare, *op, statement.term, made);
            } else {
                made.push_back(std::move(statement));
            }
        }
        block.statements = std::move(made);
    }

    /// The operator of a sum that becomes a loop.
    [[nodiscard]] std::optional<Operator> opened(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        const bool isOpen = symbol.storage == Storage::Variable && declare.value.isValid() &&
                            isVectorOfFloats(symbol.type) && !m_whole.contains(declare.symbol);
        if (!isOpen) return std::nullopt;
        const Expression& value = m_function.at(declare.value);
        if (value.kind != ExpressionKind::Run || value.operands.size() != 2) return std::nullopt;
        for (const ExpressionId operand : value.operands) {
            if (!isPlace(m_function, operand) || !isVectorOfFloats(m_function.at(operand).type)) return std::nullopt;
        }
        switch (std::get<Operation>(value.payload)) {
            case Operation::AddTangent:
            case Operation::AddParts: return Operator::Add;
            case Operation::SubParts: return Operator::Sub;
            default: return std::nullopt;
        }
    }
    [[nodiscard]] bool isVectorOfFloats(ir::TypeId type) const {
        return type.isValid() && m_types.isTensor(type) && m_types.rank(type) == 1 &&
               m_types.element(type) == m_types.floating();
    }

    void open(const Declare& declare, Operator op, ir::TermId term, std::vector<Statement>& made) {
        const ExpressionId left = m_function.at(declare.value).operands[0];
        const ExpressionId right = m_function.at(declare.value).operands[1];
        const ir::TypeId vector = m_function.at(declare.symbol).type;
        // That of a vector that is made here is the end of other loops, too.
        const bool isRightKnown = isMade(right) && !isMade(left);
        const ExpressionId size = sizeOf(isRightKnown ? right : left);
        const ExpressionId other = sizeOf(isRightKnown ? left : right);
        const ExpressionId agree =
            m_function.add({ExpressionKind::Binary, m_types.boolean(), Operator::Equal, {size, other}});
        made.push_back({Require{agree, "the sizes of two vectors differ"}, term});
        Declare unset{declare.symbol, m_function.add({ExpressionKind::Filled, vector, false, {size}})};
        unset.mayBeUnused = declare.mayBeUnused;
        unset.isConstructed = unset.isOverwritten = true;
        made.push_back({unset, term});
        For loop{m_function.add(SymbolInfo{"i", {}, m_types.integer(), Storage::Index}), {}, size};
        const ExpressionId index = m_function.add({ExpressionKind::Name, m_types.integer(), loop.index});
        const auto element = [&](ExpressionId of) {
            return m_function.add({ExpressionKind::Element, m_types.floating(), false, {of, index}});
        };
        const ExpressionId name = m_function.add({ExpressionKind::Name, vector, declare.symbol});
        const ExpressionId sum =
            m_function.add({ExpressionKind::Binary, m_types.floating(), op, {element(left), element(right)}});
        loop.body.statements.push_back({Assign{element(name), sum}, term});
        made.push_back({std::move(loop), term});
    }
    [[nodiscard]] bool isMade(ExpressionId vector) const {
        const Expression& at = m_function.at(vector);
        return at.kind == ExpressionKind::Name && m_made.contains(std::get<SymbolId>(at.payload));
    }
    ExpressionId sizeOf(ExpressionId vector) {
        Expression size{ExpressionKind::Run, m_types.integer(), Operation::Size, {vector}};
        size.range = ir::sizeRange();
        return m_function.add(std::move(size));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    SymbolSet m_made;   ///< vectors that are declared with a size
    SymbolSet m_whole;  ///< symbols that are mentioned otherwise than by elements and sizes
};

}  // namespace

void openSums(const ir::TypeTable& types, Function& function) { Opening(types, function).run(); }

}  // namespace mitos::loops
