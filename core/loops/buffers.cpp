// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/buffers.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace mitos::loops {

namespace {

class Reuse {
public:
    Reuse(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function), m_effects(function) {}

    /// Inner loops first: their buffers are then moved out of the loops around them, too.
    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
            auto* const loop = std::get_if<For>(&block.statements[i].what);
            if (loop == nullptr) continue;
            m_changed.clear();
            m_changed.insert(loop->index);
            m_effects.addChanged(loop->body, m_changed);
            m_leaving.clear();
            m_resized.clear();
            addLeaving(loop->body);
            m_before.clear();
            moveFrom(loop->body);
            const auto at = block.statements.begin() + static_cast<std::ptrdiff_t>(i);
            i += m_before.size();
            block.statements.insert(at, std::make_move_iterator(m_before.begin()),
                                    std::make_move_iterator(m_before.end()));
        }
    }

private:
    /// Replaces declarations of a block, and of the branches in it, by what sets the buffers to zero.
    void moveFrom(Block& block) {
        std::vector<Statement> kept;
        kept.reserve(block.statements.size());
        for (Statement& statement : block.statements) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            if (declare != nullptr && canMove(*declare)) {
                if (!declare->isOverwritten) kept.push_back({Clear{name(declare->symbol)}, statement.term});
                m_before.push_back(std::move(statement));
                // Each iteration sets its elements.
                Declare& before = std::get<Declare>(m_before.back().what);
                const ir::TypeId type = m_function.at(before.symbol).type;
                const bool isOfFloats = type == m_types.floating() ||
                                        (m_types.isTensor(type) && m_types.element(type) == m_types.floating());
                before.isOverwritten =
                    before.isOverwritten || (isOfFloats && m_function.at(before.value).operands.size() == 1);
                continue;
            }
            if (std::holds_alternative<If>(statement.what)) {
                forEachBlock(statement, [this](Block& branch) { moveFrom(branch); });
            }
            kept.push_back(std::move(statement));
        }
        block.statements = std::move(kept);
    }

    [[nodiscard]] bool canMove(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        const bool isBuffer = symbol.storage == Storage::Variable || symbol.storage == Storage::Series;
        if (!isBuffer || !declare.value.isValid() || m_leaving.contains(declare.symbol)) return false;
        // Rows that are made in the iteration are there from the iteration before; all of them are made again.
        if (m_resized.contains(declare.symbol) && !declare.isOverwritten) return false;
        return isOfZeros(declare.value) && m_function.at(declare.value).kind == ExpressionKind::Filled;
    }

    /// Vectors of zeros, with sizes that are known before the loop.
    [[nodiscard]] bool isOfZeros(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Filled) {
            // Sizes first, then the element, if there is one.
            const std::size_t sizes = at.operands.size() - (at.payload == Expression::Payload(true) ? 1 : 0);
            for (std::size_t i = 0; i < at.operands.size(); ++i) {
                if (!(i < sizes ? isUnchanged(at.operands[i]) : isOfZeros(at.operands[i]))) return false;
            }
            return true;
        }
        return false;
    }

    [[nodiscard]] bool isUnchanged(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.type != m_types.integer() || !isNonnegative(expression)) return false;
        if (at.kind == ExpressionKind::Run && std::get<Operation>(at.payload) == Operation::Size) {
            // The size of a vector; one that is a place changes only if the place does.
            return isTotal(m_types, m_function, expression) && isUntouched(at.operands[0]);
        }
        if (!isTotal(m_types, m_function, expression)) return false;
        return isUntouched(expression);
    }
    [[nodiscard]] bool isNonnegative(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.range.isNonnegative()) return true;
        if (at.kind == ExpressionKind::Literal) return std::get<std::int64_t>(at.payload) >= 0;
        if (at.kind == ExpressionKind::Name) {
            const SymbolId symbol = std::get<SymbolId>(at.payload);
            const ExpressionId definition = m_effects.definition(symbol);
            return m_function.at(symbol).storage == Storage::Index ||
                   (definition.isValid() && isNonnegative(definition));
        }
        if (at.kind == ExpressionKind::Run) {
            const Operation operation = std::get<Operation>(at.payload);
            return operation == Operation::Size || operation == Operation::SizeIfAny ||
                   operation == Operation::Dimension;
        }
        const bool isMonotone =
            at.payload == Expression::Payload(Operator::Add) || at.payload == Expression::Payload(Operator::Mul);
        return isMonotone &&
               std::ranges::all_of(at.operands, [this](ExpressionId operand) { return isNonnegative(operand); });
    }
    [[nodiscard]] bool isUntouched(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name && m_effects.isIn(std::get<SymbolId>(at.payload), m_changed)) return false;
        return std::ranges::all_of(at.operands, [this](ExpressionId operand) { return isUntouched(operand); });
    }

    /// Symbols whose storage may be used after the iteration, or has another size then.
    void addLeaving(const Block& block) {
        for (const Statement& statement : block.statements) {
            if (const auto* const resize = std::get_if<Resize>(&statement.what)) {
                const bool isSame =
                    resize->isOverwritten &&
                    std::ranges::all_of(resize->sizes, [this](ExpressionId size) { return isUnchanged(size); });
                addNames(resize->place, isSame ? m_resized : m_leaving);
            }
            if (const auto* const assign = std::get_if<Assign>(&statement.what)) {
                // A vector that is assigned as a whole may get another size.
                if (hasVector(m_function.at(assign->place).type)) addNames(assign->place);
            }
            if (std::holds_alternative<DefineFunction>(statement.what) ||
                std::holds_alternative<Return>(statement.what)) {
                forEachExpression(statement, [this](ExpressionId expression) { addNames(expression); });
                forEachBlock(statement, [this](const Block& inner) { addAll(inner); });
                continue;
            }
            forEachExpression(statement, [this](ExpressionId expression) { addMoved(expression); });
            forEachBlock(statement, [this](const Block& inner) { addLeaving(inner); });
        }
    }
    [[nodiscard]] bool hasVector(ir::TypeId type) const {
        if (!m_types.isTuple(type)) return m_types.isTensor(type);
        return std::ranges::any_of(m_types.children(type), [this](ir::TypeId part) { return hasVector(part); });
    }
    void addAll(const Block& block) {
        for (const Statement& statement : block.statements) {
            forEachExpression(statement, [this](ExpressionId expression) { addNames(expression); });
            forEachBlock(statement, [this](const Block& inner) { addAll(inner); });
        }
    }
    void addMoved(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Move) addNames(expression);
        for (const ExpressionId operand : at.operands) addMoved(operand);
    }
    void addNames(ExpressionId expression) { addNames(expression, m_leaving); }
    void addNames(ExpressionId expression, SymbolSet& names) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) {
            m_effects.forEachOwner(std::get<SymbolId>(at.payload), [&](SymbolId symbol) { names.insert(symbol); });
        }
        for (const ExpressionId operand : at.operands) addNames(operand, names);
    }

    ExpressionId name(SymbolId symbol) {
        return m_function.add({ExpressionKind::Name, m_function.at(symbol).type, symbol});
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    SymbolSet m_changed;
    SymbolSet m_leaving;
    SymbolSet m_resized;  ///< vectors whose elements get the same sizes in all iterations
    std::vector<Statement> m_before;
};

}  // namespace

void reuseBuffers(const ir::TypeTable& types, Function& function) { Reuse(types, function).run(function.body); }

}  // namespace mitos::loops
