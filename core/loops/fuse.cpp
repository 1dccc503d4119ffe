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
constexpr std::size_t MostDimensions = 2;

/// How a vector is used after its elements are set. A matrix is a vector of rows.
struct Reading {
    std::size_t reads = 0;           ///< places in the code that read an element
    bool isOnlyRead = true;          ///< elements are read, and nothing else is done with it
    bool isReadOncePerIndex = true;  ///< by the indices of the only loops around the read
    bool isReadInNests = false;      ///< in more loops than there are indices
    bool hasPlainIndices = true;     ///< names and numbers
    bool isInRange = true;           ///< the indices are those of loops over the same ranges, or not checked
    bool isReadAlways = false;       ///< one of the reads is done for each element
    bool isReadAround = false;       ///< one is, each time in another iteration of the loops around
};

/// Where a statement is executed.
struct Position {
    LoopPath loops = {};         ///< around it, outermost first
    std::size_t outside = 0;     ///< the number of those around the block in which the vector is declared
    bool isBound = false;        ///< an expression that a loop computes before its iterations
    bool isConditional = false;  ///< in a branch, or after a way out of a loop
};

class Fusion {
public:
    Fusion(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run() { run(m_function.body, {}); }

private:
    void run(Block& block, Position position) {
        for (Statement& statement : block.statements) {
            const Position inside = inStatement(statement, position);
            forEachBlock(statement, [&](Block& inner) { run(inner, inside); });
        }
        position.outside = position.loops.size();
        Mentions mentioned(m_function, block);
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            const auto* const declare = std::get_if<Declare>(&block.statements[i].what);
            const std::size_t dimensions = declare != nullptr ? dimensionsOf(*declare) : 0;
            if (dimensions == 0) continue;
            const SymbolId vector = declare->symbol;
            // Its declaration, the loops that fill it, and those that read it.
            const std::vector<std::size_t> places = mentioned.of(vector);
            if (places.size() < 3 || places[0] != i) continue;
            const LoopPath fill = fillOf(block.statements[places[1]], vector, dimensions);
            if (fill.empty() || !canFuse(block, vector, fill, places, position)) continue;
            Block body = fill.back()->body;
            mentioned.forget(block.statements[places[1]], places[1]);
            for (std::size_t use = 2; use < places.size(); ++use) {
                replaceIn(block.statements[places[use]], vector, fill, body);
                mentioned.update(block.statements[places[use]], places[use]);
            }
            block.statements[places[1]] = emptyStatement();
            block.statements[i] = emptyStatement();
        }
        removeEmptyStatements(block);
    }

    /// Where the blocks of a statement are executed.
    static Position inStatement(const Statement& statement, Position position) {
        const auto* const loop = std::get_if<For>(&statement.what);
        if (loop != nullptr) position.loops.push_back(loop);
        position.isConditional = position.isConditional || std::holds_alternative<If>(statement.what) ||
                                 std::holds_alternative<DefineFunction>(statement.what) ||
                                 (loop != nullptr && mayLeave(loop->body));
        return position;
    }

    /// The number of indices of an element: 1 for a vector of Floats, 2 for a matrix, 0 for what is neither.
    [[nodiscard]] std::size_t dimensionsOf(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        const bool isSeries = symbol.storage == Storage::Series;
        if ((!isSeries && symbol.storage != Storage::Variable) || !declare.value.isValid()) return 0;
        const Expression& value = m_function.at(declare.value);
        if (value.kind != ExpressionKind::Filled || value.operands.size() != 1) return 0;
        if (!isTotal(m_types, m_function, value.operands[0])) return 0;  // a size that may be negative
        ir::TypeId type = symbol.type;                                   // of a series that of its elements
        if (isSeries) return m_types.isNumeric(type) ? 1 : 0;
        std::size_t dimensions = 0;
        for (; m_types.isTensor(type) && m_types.rank(type) == 1; ++dimensions) type = m_types.element(type);
        return type == m_types.floating() && dimensions <= MostDimensions ? dimensions : 0;
    }

    [[nodiscard]] bool areIndicesOf(const std::vector<ExpressionId>& indices, const LoopPath& loops) const {
        return std::ranges::equal(indices, loops, [this](ExpressionId index, const For* loop) {
            return isName(m_function, index, loop->index);
        });
    }

    [[nodiscard]] bool mentions(const Statement& statement, SymbolId symbol) const {
        bool found = false;
        forEachExpression(
            statement, [&](ExpressionId expression) { found = found || mentionsName(m_function, expression, symbol); });
        forEachBlock(statement, [&](const Block& inner) {
            found = found || std::ranges::any_of(inner.statements,
                                                 [&](const Statement& each) { return mentions(each, symbol); });
        });
        return found;
    }

    /// The loops of a nest that sets all elements: one assignment, after constants. Rows get their size before.
    [[nodiscard]] LoopPath fillOf(const Statement& statement, SymbolId vector, std::size_t dimensions) const {
        LoopPath loops;
        for (const Statement* at = &statement; loops.size() < dimensions; at = &loops.back()->body.statements.back()) {
            const auto* const loop = std::get_if<For>(&at->what);
            if (loop == nullptr || loop->begin.isValid() || loop->isVisibleAfter || loop->body.isEmpty()) return {};
            loops.push_back(loop);
            if (loops.size() < dimensions && !beginsRow(*loop, vector)) return {};
        }
        const std::vector<Statement>& body = loops.back()->body.statements;
        const auto* const assign = std::get_if<Assign>(&body.back().what);
        if (assign == nullptr || mentionsName(m_function, assign->value, vector)) return {};
        const auto isConstant = [this](const Statement& each) {
            const auto* const declare = std::get_if<Declare>(&each.what);
            if (declare == nullptr || !declare->value.isValid()) return false;
            const Storage storage = m_function.at(declare->symbol).storage;
            return storage == Storage::Constant || storage == Storage::View;
        };
        const bool isFill = areIndicesOf(indicesOf(m_function, assign->place, vector), loops) &&
                            std::all_of(body.begin(), std::prev(body.end()), isConstant);
        return isFill ? loops : LoopPath();
    }

    /// Whether a loop over rows sets the size of each, the same for all, and has one more loop, over its elements.
    [[nodiscard]] bool beginsRow(const For& rows, SymbolId matrix) const {
        if (rows.body.statements.size() != 2) return false;
        const auto* const resize = std::get_if<Resize>(&rows.body.statements[0].what);
        const auto* const elements = std::get_if<For>(&rows.body.statements[1].what);
        return resize != nullptr && elements != nullptr && resize->sizes.size() == 1 &&
               areIndicesOf(indicesOf(m_function, resize->place, matrix), {&rows}) &&
               areSame(m_function, resize->sizes[0], elements->end) &&
               !mentionsName(m_function, elements->end, rows.index) && isTotal(m_types, m_function, elements->end);
    }

    [[nodiscard]] bool canFuse(const Block& block, SymbolId vector, const LoopPath& fill,
                               const std::vector<std::size_t>& places, const Position& position) {
        findEqualEnds(block, fill, places.back());
        Reading uses;
        const Position inBlock{position.loops, position.outside};
        for (std::size_t use = 2; use < places.size(); ++use) {
            addUses(block.statements[places[use]], vector, fill, inBlock, uses);
            if (!uses.isOnlyRead) return false;
        }
        if (uses.reads == 0 || !uses.hasPlainIndices || !uses.isInRange ||
            !(isFree(*fill.back(), uses) || (uses.reads == 1 && uses.isReadOncePerIndex)))
            return false;
        // The elements are made of values that stay as they are until these are read.
        SymbolSet changed;
        for (std::size_t i = places[1] + 1; i <= places.back(); ++i) m_effects.addChanged(block.statements[i], changed);
        if (!std::ranges::all_of(fill, [&](const For* loop) { return !readsAny(loop->end, changed); })) return false;
        bool isUnchanged = true;
        bool isChecked = false;
        for (const Statement& statement : fill.back()->body.statements) {
            forEachExpression(statement, [&](ExpressionId expression) {
                isUnchanged = isUnchanged && !readsAny(expression, changed);
                isChecked = isChecked || mayFail(expression);
            });
        }
        if (!isUnchanged) return false;
        return !isChecked || uses.isReadAlways ||
               (uses.isReadAround && !position.isConditional && isSameAround(fill, position));
    }

    /// Ends of ranges that statements of a block require to be those of the loops that set the elements, until a statement.
    void findEqualEnds(const Block& block, const LoopPath& fill, std::size_t last) {
        m_equalEnds.clear();
        for (std::size_t i = 0; i < last; ++i) {
            const auto* const require = std::get_if<Require>(&block.statements[i].what);
            if (require == nullptr) continue;
            const Expression& condition = m_function.at(require->condition);
            if (condition.payload != Expression::Payload(Operator::Equal)) continue;
            SymbolSet changed;
            for (std::size_t k = i; k <= last; ++k) m_effects.addChanged(block.statements[k], changed);
            if (readsAny(require->condition, changed)) continue;
            for (const For* const loop : fill) {
                for (const std::size_t side : {0, 1}) {
                    if (areSame(m_function, condition.operands[side], loop->end))
                        m_equalEnds.emplace_back(loop, condition.operands[1 - side]);
                }
            }
        }
    }
    [[nodiscard]] bool isEndOf(ExpressionId end, const For* loop) const {
        return areSame(m_function, end, loop->end) || std::ranges::any_of(m_equalEnds, [&](const auto& equal) {
                   return equal.first == loop && areSame(m_function, equal.second, end);
               });
    }

    /// Whether a vector has the same elements in all iterations of the loops around it.
    [[nodiscard]] bool isSameAround(const LoopPath& fill, const Position& position) const {
        SymbolSet changed;
        for (const For* const loop : position.loops) {
            changed.insert(loop->index);
            m_effects.addChanged(loop->body, changed);
        }
        for (const For* const loop : fill) changed.erase(loop->index);
        const std::vector<Statement>& body = fill.back()->body.statements;
        return body.size() == 1 && !readsAny(std::get<Assign>(body[0].what).value, changed);
    }

    /// Whether an expression is an error for some values.
    [[nodiscard]] bool mayFail(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Element) {
            return std::get<bool>(at.payload) ||
                   std::ranges::any_of(at.operands, [this](ExpressionId operand) { return mayFail(operand); });
        }
        return !isTotal(m_types, m_function, expression);
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

    void addUses(const Statement& statement, SymbolId vector, const LoopPath& fill, const Position& position,
                 Reading& uses) const {
        if (std::holds_alternative<DefineFunction>(statement.what)) {
            uses.isOnlyRead = uses.isOnlyRead && !mentions(statement, vector);
            return;
        }
        Position here = position;
        here.isBound = std::holds_alternative<For>(statement.what);
        forEachExpression(statement, [&](ExpressionId expression) { addUses(expression, vector, fill, here, uses); });
        const Position inside = inStatement(statement, position);
        forEachBlock(statement, [&](const Block& inner) {
            for (const Statement& each : inner.statements) addUses(each, vector, fill, inside, uses);
        });
    }
    void addUses(ExpressionId expression, SymbolId vector, const LoopPath& fill, const Position& position,
                 Reading& uses) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) {
            if (std::get<SymbolId>(at.payload) == vector) uses.isOnlyRead = false;
            return;
        }
        if (const std::vector<ExpressionId> indices = indicesOf(m_function, expression, vector);
            indices.size() == fill.size()) {
            ++uses.reads;
            const LoopPath own(position.loops.begin() + static_cast<std::ptrdiff_t>(position.outside),
                               position.loops.end());
            const bool isOnce = !position.isBound && areIndicesOf(indices, own);
            const bool areRanges = areOfRanges(indices, fill, position.loops);
            uses.isReadOncePerIndex = uses.isReadOncePerIndex && isOnce;
            uses.isReadInNests = uses.isReadInNests || own.size() > fill.size();
            uses.isInRange = uses.isInRange && (areRanges || !isChecked(expression));
            uses.isReadAlways = uses.isReadAlways || (isOnce && areRanges && !position.isConditional);
            uses.isReadAround = uses.isReadAround || (own.empty() && areRanges && !position.isConditional);
            for (const ExpressionId index : indices) {
                const ExpressionKind kind = m_function.at(index).kind;
                uses.hasPlainIndices =
                    uses.hasPlainIndices && (kind == ExpressionKind::Name || kind == ExpressionKind::Literal);
                addUses(index, vector, fill, position, uses);
            }
            return;
        }
        const bool isLazy = at.kind == ExpressionKind::Choice || at.payload == Expression::Payload(Operator::And) ||
                            at.payload == Expression::Payload(Operator::Or);
        for (std::size_t i = 0; i < at.operands.size(); ++i) {
            Position inside = position;
            inside.isConditional = inside.isConditional || (isLazy && i > 0);
            addUses(at.operands[i], vector, fill, inside, uses);
        }
    }
    /// Whether each index is that of a loop over the same range as the one that sets the elements.
    [[nodiscard]] bool areOfRanges(const std::vector<ExpressionId>& indices, const LoopPath& fill,
                                   const LoopPath& loops) const {
        return std::ranges::equal(indices, fill, [&](ExpressionId index, const For* filling) {
            return std::ranges::any_of(loops, [&](const For* loop) {
                return isName(m_function, index, loop->index) && !loop->begin.isValid() && !loop->isVisibleAfter &&
                       isEndOf(loop->end, filling);
            });
        });
    }
    /// Whether an index of an element is checked.
    [[nodiscard]] bool isChecked(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        return at.kind == ExpressionKind::Element && (std::get<bool>(at.payload) || isChecked(at.operands[0]));
    }

    /// Computes the elements where a statement reads them; `body` sets one.
    void replaceIn(Statement& statement, SymbolId vector, const LoopPath& fill, Block& body) {
        const ExpressionId value = std::get<Assign>(body.statements.back().what).value;
        if (body.statements.size() == 1 && operationsOf(value) <= CheapOperations) {
            replaceExpressions(statement, [&](ExpressionId expression) {
                return replaced(expression, vector, fill.size(), [&](const std::vector<ExpressionId>& indices) {
                    return withIndices(value, fill, indices);
                });
            });
            forEachBlock(statement, [&](Block& inner) {
                for (Statement& each : inner.statements) replaceIn(each, vector, fill, body);
            });
            return;
        }
        forEachBlock(statement, [&](Block& inner) { computeIn(inner, vector, fill, body); });
    }

    /// The only read is in a block of the only loops around it: there the element gets a name.
    void computeIn(Block& block, SymbolId vector, const LoopPath& fill, Block& body) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            std::vector<ExpressionId> indices;
            const SymbolInfo& whole = m_function.at(vector);
            const ir::TypeId type = whole.storage == Storage::Series ? whole.type : m_types.floating();
            const SymbolId element = m_function.add({std::string(whole.hint), {}, type, Storage::Constant});
            replaceExpressions(block.statements[i], [&](ExpressionId expression) {
                return replaced(expression, vector, fill.size(), [&](const std::vector<ExpressionId>& at) {
                    indices = at;
                    return m_function.add({ExpressionKind::Name, type, element});
                });
            });
            if (indices.empty()) {
                forEachBlock(block.statements[i], [&](Block& inner) { computeIn(inner, vector, fill, body); });
                continue;
            }
            const ExpressionId value = std::get<Assign>(body.statements.back().what).value;
            body.statements.back().what = Declare{element, value};
            for (Statement& each : body.statements) {
                replaceExpressions(each,
                                   [&](ExpressionId expression) { return withIndices(expression, fill, indices); });
            }
            block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(i),
                                    std::make_move_iterator(body.statements.begin()),
                                    std::make_move_iterator(body.statements.end()));
            return;
        }
    }

    ExpressionId withIndices(ExpressionId expression, const LoopPath& fill, const std::vector<ExpressionId>& indices) {
        for (std::size_t i = 0; i < fill.size(); ++i) {
            expression = loops::replaced(m_function, expression, fill[i]->index, indices[i]);
        }
        return expression;
    }

    /// The expression where each read of an element is another expression, which depends on the indices.
    template <typename Make>
    ExpressionId replaced(ExpressionId expression, SymbolId vector, std::size_t dimensions, const Make& make) {
        std::vector<ExpressionId> indices = indicesOf(m_function, expression, vector);
        if (indices.size() == dimensions) {
            for (ExpressionId& index : indices) index = replaced(index, vector, dimensions, make);
            return make(indices);
        }
        Expression made = m_function.at(expression);
        const std::vector<ExpressionId> before = made.operands;
        for (ExpressionId& operand : made.operands) operand = replaced(operand, vector, dimensions, make);
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    std::vector<std::pair<const For*, ExpressionId>> m_equalEnds;
};

}  // namespace

void fuse(const ir::TypeTable& types, Function& function) { Fusion(types, function).run(); }

}  // namespace mitos::loops
