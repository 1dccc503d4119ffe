// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/fuse.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

constexpr std::size_t CheapOperations = 2;
constexpr std::size_t FewReads = 2;

/// How a vector is used after its elements are set.
struct Reading {
    ExpressionId size;               ///< of the vector
    std::size_t reads = 0;           ///< places in the code that read an element
    bool isOnlyRead = true;          ///< elements are read, and nothing else is done with it
    bool isReadOncePerIndex = true;  ///< by the index of the only loop around the read
    bool isReadInNests = false;      ///< in a loop inside another
    bool hasPlainIndices = true;     ///< names and numbers
    bool isInside = true;            ///< no read fails
    bool isConditional = false;      ///< an expression reads an element only if a condition holds
};

class Fusion {
public:
    Fusion(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        for (Statement& statement : block.statements) {
            const auto* const loop = std::get_if<For>(&statement.what);
            if (loop != nullptr) m_around.push_back(loop);
            forEachBlock(statement, [this](Block& inner) { run(inner); });
            if (loop != nullptr) m_around.pop_back();
        }
        Mentions mentioned(m_function, block);
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            const auto* const declare = std::get_if<Declare>(&block.statements[i].what);
            if (declare == nullptr || !isVector(*declare)) continue;
            const SymbolId vector = declare->symbol;
            // Its declaration, the loop that fills it, and those that read it.
            const std::vector<std::size_t> places = mentioned.of(vector);
            if (places.size() < 3 || places[0] != i || !isFill(block.statements[places[1]], vector)) continue;
            if (!canFuse(block, vector, places)) continue;
            For& fill = std::get<For>(block.statements[places[1]].what);
            mentioned.forget(block.statements[places[1]], places[1]);
            for (std::size_t use = 2; use < places.size(); ++use) {
                replaceIn(block.statements[places[use]], vector, fill);
                mentioned.update(block.statements[places[use]], places[use]);
            }
            block.statements[places[1]] = emptyStatement();
            block.statements[i] = emptyStatement();
        }
        removeEmptyStatements(block);
    }

private:
    [[nodiscard]] bool isVector(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (!declare.value.isValid()) return false;
        const bool isSeries = symbol.storage == Storage::Series;
        if (!isSeries && symbol.storage != Storage::Variable) return false;
        const bool isVector = !isSeries && m_types.isTensor(symbol.type) && m_types.rank(symbol.type) == 1;
        const ir::TypeId element = isVector ? m_types.element(symbol.type) : symbol.type;
        const bool isOfNumbers =
            (isVector || isSeries) && (element == m_types.floating() || (isSeries && element == m_types.integer()));
        const Expression& value = m_function.at(declare.value);
        return isOfNumbers && value.kind == ExpressionKind::Filled && value.operands.size() == 1;
    }

    [[nodiscard]] bool mentions(ExpressionId expression, SymbolId symbol) const {
        if (isName(m_function, expression, symbol)) return true;
        return std::ranges::any_of(m_function.at(expression).operands,
                                   [&](ExpressionId operand) { return mentions(operand, symbol); });
    }
    [[nodiscard]] bool mentions(const Statement& statement, SymbolId symbol) const {
        bool found = false;
        forEachExpression(statement, [&](ExpressionId expression) { found = found || mentions(expression, symbol); });
        forEachBlock(statement, [&](const Block& inner) {
            found = found || std::ranges::any_of(inner.statements,
                                                 [&](const Statement& each) { return mentions(each, symbol); });
        });
        return found;
    }

    /// Whether a statement is a loop that sets all elements: one assignment, after constants.
    [[nodiscard]] bool isFill(const Statement& statement, SymbolId vector) const {
        const auto* const loop = std::get_if<For>(&statement.what);
        if (loop == nullptr || loop->begin.isValid() || loop->isVisibleAfter || loop->body.isEmpty()) return false;
        const auto* const assign = std::get_if<Assign>(&loop->body.statements.back().what);
        if (assign == nullptr || mentions(assign->value, vector)) return false;
        const Expression& place = m_function.at(assign->place);
        const bool isElement = place.kind == ExpressionKind::Element && place.operands.size() == 2 &&
                               isName(m_function, place.operands[0], vector) &&
                               isName(m_function, place.operands[1], loop->index);
        const auto isConstant = [this](const Statement& statement) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            if (declare == nullptr || !declare->value.isValid()) return false;
            const Storage storage = m_function.at(declare->symbol).storage;
            return storage == Storage::Constant || storage == Storage::View;
        };
        const auto last = std::prev(loop->body.statements.end());
        return isElement && std::all_of(loop->body.statements.begin(), last, isConstant);
    }

    [[nodiscard]] bool canFuse(const Block& block, SymbolId vector, const std::vector<std::size_t>& places) {
        const For& loop = std::get<For>(block.statements[places[1]].what);
        Reading uses{.size = loop.end};
        for (std::size_t use = 2; use < places.size(); ++use) {
            LoopPath path;
            addUses(block.statements[places[use]], vector, path, uses);
            if (!uses.isOnlyRead) return false;
        }
        const bool isOnce = uses.reads == 1 && uses.isReadOncePerIndex;
        if (uses.reads == 0 || !uses.hasPlainIndices || !(isFree(loop, uses) || isOnce)) return false;
        m_isInside = uses.isInside;
        if (!m_isInside && (!isOnce || uses.isConditional)) return false;
        // The elements are made of values that stay as they are until these are read.
        SymbolSet changed;
        for (std::size_t i = places[1] + 1; i <= places.back(); ++i) m_effects.addChanged(block.statements[i], changed);
        bool isUnchanged = !readsAny(loop.end, changed);
        for (const Statement& statement : loop.body.statements) {
            forEachExpression(statement, [&](ExpressionId expression) {
                isUnchanged = isUnchanged && !readsAny(expression, changed);
            });
        }
        return isUnchanged;
    }

    /// Whether computing an element where it is read takes no longer than reading it.
    [[nodiscard]] bool isFree(const For& loop, const Reading& uses) const {
        if (loop.body.statements.size() != 1) return false;
        const std::size_t operations = operationsOf(std::get<Assign>(loop.body.statements[0].what).value);
        return operations == 0 || (operations <= CheapOperations && uses.reads <= FewReads && !uses.isReadInNests);
    }

    [[nodiscard]] bool readsAny(ExpressionId expression, const SymbolSet& changed) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name && m_effects.isIn(std::get<SymbolId>(at.payload), changed)) return true;
        if (at.kind == ExpressionKind::Move || at.kind == ExpressionKind::Apply) return true;
        return std::ranges::any_of(at.operands, [&](ExpressionId operand) { return readsAny(operand, changed); });
    }

    /// The operations of a cheap expression; many for others.
    [[nodiscard]] std::size_t operationsOf(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        std::size_t count = 0;
        switch (at.kind) {
            case ExpressionKind::Literal:
            case ExpressionKind::Name:
            case ExpressionKind::Part: break;
            case ExpressionKind::Element:
            case ExpressionKind::Unary: count = 1; break;
            case ExpressionKind::Binary:
                count = std::get<Operator>(at.payload) == Operator::Div ? CheapOperations + 1 : 1;
                break;
            default: return CheapOperations + 1;
        }
        for (const ExpressionId operand : at.operands) count += operationsOf(operand);
        return count;
    }

    void addUses(const Statement& statement, SymbolId vector, LoopPath& path, Reading& uses) const {
        if (std::holds_alternative<DefineFunction>(statement.what)) {
            uses.isOnlyRead = uses.isOnlyRead && !mentions(statement, vector);
            return;
        }
        const bool isLoop = std::holds_alternative<For>(statement.what);
        forEachExpression(statement, [&](ExpressionId expression) { addUses(expression, vector, path, isLoop, uses); });
        const auto* const loop = std::get_if<For>(&statement.what);
        if (loop != nullptr) path.push_back(loop);
        forEachBlock(statement, [&](const Block& inner) {
            for (const Statement& each : inner.statements) addUses(each, vector, path, uses);
        });
        if (loop != nullptr) path.pop_back();
    }
    void addUses(ExpressionId expression, SymbolId vector, const LoopPath& path, bool isBound, Reading& uses) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) {
            if (std::get<SymbolId>(at.payload) == vector) uses.isOnlyRead = false;
            return;
        }
        if (at.kind == ExpressionKind::Element && at.operands.size() == 2 &&
            isName(m_function, at.operands[0], vector)) {
            ++uses.reads;
            const bool isOnce = path.size() == 1 && !isBound && isName(m_function, at.operands[1], path[0]->index);
            uses.isReadOncePerIndex = uses.isReadOncePerIndex && isOnce;
            uses.isReadInNests = uses.isReadInNests || path.size() > 1;
            const ExpressionKind index = m_function.at(at.operands[1]).kind;
            uses.hasPlainIndices =
                uses.hasPlainIndices && (index == ExpressionKind::Name || index == ExpressionKind::Literal);
            uses.isInside = uses.isInside && (!std::get<bool>(at.payload) || isInside(at.operands[1], path, uses.size));
            addUses(at.operands[1], vector, path, isBound, uses);
            return;
        }
        const std::size_t reads = uses.reads;
        for (std::size_t i = 0; i < at.operands.size(); ++i) {
            addUses(at.operands[i], vector, path, isBound, uses);
            const bool mayBeSkipped =
                at.kind == ExpressionKind::Choice || isOperator(at, Operator::And) || isOperator(at, Operator::Or);
            uses.isConditional = uses.isConditional || (mayBeSkipped && i > 0 && uses.reads > reads);
        }
    }
    [[nodiscard]] static bool isOperator(const Expression& expression, Operator op) {
        return expression.kind == ExpressionKind::Binary && std::get<Operator>(expression.payload) == op;
    }

    /// Whether an index is less than a size for sure: a number, or of a loop up to that size.
    [[nodiscard]] bool isInside(ExpressionId index, const LoopPath& path, ExpressionId size) const {
        const auto* const number = std::get_if<std::int64_t>(&m_function.at(index).payload);
        if (number != nullptr) {
            const auto* const end = std::get_if<std::int64_t>(&m_function.at(size).payload);
            return m_function.at(size).kind == ExpressionKind::Literal && end != nullptr && *number >= 0 &&
                   *number < *end;
        }
        const auto isBelow = [&](const For* loop) {
            return isName(m_function, index, loop->index) && areSame(m_function, loop->end, size);
        };
        return std::ranges::any_of(path, isBelow) || std::ranges::any_of(m_around, isBelow);
    }

    /// Computes the elements where a statement reads them.
    void replaceIn(Statement& statement, SymbolId vector, For& fill) {
        const ExpressionId value = std::get<Assign>(fill.body.statements.back().what).value;
        if (m_isInside && fill.body.statements.size() == 1 && operationsOf(value) <= CheapOperations) {
            replaceExpressions(statement, [&](ExpressionId expression) {
                return replaced(expression, vector,
                                [&](ExpressionId at) { return loops::replaced(m_function, value, fill.index, at); });
            });
            forEachBlock(statement, [&](Block& inner) {
                for (Statement& each : inner.statements) replaceIn(each, vector, fill);
            });
            return;
        }
        forEachBlock(statement, [&](Block& inner) { computeIn(inner, vector, fill); });
    }

    /// The only read is in a block of the only loop around it: there the element gets a name.
    void computeIn(Block& block, SymbolId vector, For& fill) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            ExpressionId index;
            const SymbolInfo& whole = m_function.at(vector);
            const ir::TypeId type = whole.storage == Storage::Series ? whole.type : m_types.element(whole.type);
            const SymbolId element = m_function.add({m_function.at(vector).hint, {}, type, Storage::Constant});
            replaceExpressions(block.statements[i], [&](ExpressionId expression) {
                return replaced(expression, vector, [&](ExpressionId at) {
                    index = at;
                    return m_function.add({ExpressionKind::Name, type, element});
                });
            });
            if (!index.isValid()) {
                forEachBlock(block.statements[i], [&](Block& inner) { computeIn(inner, vector, fill); });
                continue;
            }
            std::vector<Statement>& body = fill.body.statements;
            const ExpressionId value = std::get<Assign>(body.back().what).value;
            body.back().what = Declare{element, value};
            for (Statement& each : body) {
                replaceExpressions(each, [&](ExpressionId expression) {
                    return loops::replaced(m_function, expression, fill.index, index);
                });
            }
            const auto place =
                block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(i),
                                        std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
            if (m_isInside) return;
            const ExpressionId isBelow =
                m_function.add({ExpressionKind::Binary, m_types.boolean(), Operator::Less, {index, fill.end}});
            block.statements.insert(place, {Require{isBelow, "an index is outside of a vector"}, place->term});
            return;
        }
    }

    /// The expression where each read of an element is another expression, which depends on the index.
    template <typename Make>
    ExpressionId replaced(ExpressionId expression, SymbolId vector, const Make& make) {
        Expression made = m_function.at(expression);
        if (made.kind == ExpressionKind::Element && made.operands.size() == 2 &&
            isName(m_function, made.operands[0], vector))
            return make(replaced(made.operands[1], vector, make));
        const std::vector<ExpressionId> before = made.operands;
        for (ExpressionId& operand : made.operands) operand = replaced(operand, vector, make);
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    LoopPath m_around;       ///< the loops around the block
    bool m_isInside = true;  ///< whether no read of the vector fails
};

}  // namespace

void fuse(const ir::TypeTable& types, Function& function) { Fusion(types, function).run(function.body); }

}  // namespace mitos::loops
