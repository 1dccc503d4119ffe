// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/hoist.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace mitos::loops {

namespace {

/// Moves code out of the loops of one function, outermost loops first.
class Hoister {
public:
    Hoister(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            if (auto* const loop = std::get_if<For>(&block.statements[i].what)) {
                m_isIterated = isRequiredToIterate(m_function, block, i);
                Block before = outOf(*loop);
                for (Statement& statement : before.statements) statement.term = block.statements[i].term;
                const std::size_t count = before.statements.size();
                const auto at = block.statements.begin() + static_cast<std::ptrdiff_t>(i);
                block.statements.insert(at, std::make_move_iterator(before.statements.begin()),
                                        std::make_move_iterator(before.statements.end()));
                i += count;
            }
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
        }
    }

private:
    /// A value that is computed before a loop.
    struct Known {
        SymbolId symbol;
        bool isTable = false;
    };

    /// The statements that are put before the loop, in which it uses what they compute.
    Block outOf(For& loop) {
        if (isOnce(loop) || mayLeave(loop.body)) return {};
        m_changed.clear();
        m_changed.insert(loop.index);
        m_effects.addChanged(loop.body, m_changed);
        m_known.clear();
        m_before = {};
        m_path = {&loop};
        rewrite(loop.body);
        m_path.clear();
        return std::exchange(m_before, {});
    }

    [[nodiscard]] bool isOnce(const For& loop) const {
        const Expression& end = m_function.at(loop.end);
        const auto* const count = std::get_if<std::int64_t>(&end.payload);
        return !loop.begin.isValid() && end.kind == ExpressionKind::Literal && count != nullptr && *count <= 1;
    }

    void rewrite(Block& block) {
        for (Statement& statement : block.statements) {
            if (std::holds_alternative<DefineFunction>(statement.what)) continue;
            const auto* const require = std::get_if<Require>(&statement.what);
            if (require != nullptr && !require->isAlways) continue;
            if (std::holds_alternative<Resize>(statement.what)) continue;
            replaceExpressions(statement, [this](ExpressionId expression) { return rewritten(expression); });
            if (auto* const loop = std::get_if<For>(&statement.what)) {
                m_path.push_back(loop);
                rewrite(loop->body);
                m_path.pop_back();
            }
        }
    }

    ExpressionId rewritten(ExpressionId expression) {
        if (isCostlyNumber(m_types, m_function, expression)) {
            if (const std::optional<ExpressionId> moved = hoisted(expression)) return *moved;
        }
        Expression made = m_function.at(expression);
        const std::vector<ExpressionId> before = made.operands;
        const bool isLazy = made.kind == ExpressionKind::Choice || isOneOf(made, Operator::And, Operator::Or);
        for (std::size_t i = 0; i < made.operands.size() && (i == 0 || !isLazy); ++i) {
            made.operands[i] = rewritten(made.operands[i]);
        }
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    static bool isOneOf(const Expression& expression, Operator a, Operator b) {
        const auto* const op = std::get_if<Operator>(&expression.payload);
        return op != nullptr && (*op == a || *op == b);
    }

    /// The name or element of a table that has the expression's value, if it can be computed before the loop.
    std::optional<ExpressionId> hoisted(ExpressionId expression) {
        std::optional<Outside> value = outside(m_function, m_effects, expression, m_changed, m_path);
        if (!value || std::ranges::find(value->loops, m_path[0]) != value->loops.end()) return std::nullopt;
        if (value->loops.size() > MostDimensions || !areRangesOutside(value->loops)) return std::nullopt;
        const std::string key = keyOf(m_function, *value);
        if (const auto known = m_known.find(key); known != m_known.end()) return read(known->second, value->loops);
        std::vector<ExpressionId> guards;
        if (!isTotal(m_types, m_function, value->expression)) {
            // It is computed only if some iteration of every loop around it would do so.
            for (const For* const loop : m_path) {
                if (std::ranges::find(value->loops, loop) != value->loops.end()) continue;
                const std::optional<ExpressionId> iterates = condition(*loop);
                if (!iterates) return std::nullopt;
                if (iterates->isValid()) guards.push_back(*iterates);
            }
        }
        const Known made = value->loops.empty() ? scalar(value->expression, guards) : table(*value, guards);
        m_known.emplace(key, made);
        return read(made, value->loops);
    }

    /// Whether the ranges of these loops are known before the loop that is left.
    [[nodiscard]] bool areRangesOutside(const LoopPath& loops) const {
        return std::ranges::all_of(loops, [this](const For* loop) {
            return isUnchanged(loop->end) &&
                   (!loop->begin.isValid() || isLiteral(m_function, loop->begin, std::int64_t{0})) &&
                   !mayLeave(loop->body);
        });
    }
    [[nodiscard]] bool isUnchanged(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name && m_effects.isIn(std::get<SymbolId>(at.payload), m_changed)) return false;
        return isTotal(m_types, m_function, expression) &&
               std::ranges::all_of(at.operands, [this](ExpressionId operand) { return isUnchanged(operand); });
    }

    /// The condition that a loop has an iteration, invalid if it always does; nothing if it is not known outside.
    std::optional<ExpressionId> condition(const For& loop) {
        if (loop.begin.isValid() && !isLiteral(m_function, loop.begin, std::int64_t{0})) return std::nullopt;
        if (&loop != m_path[0] && !isUnchanged(loop.end)) return std::nullopt;
        if (isPositive(m_function, loop.end) || (m_isIterated && areSame(m_function, loop.end, m_path[0]->end)))
            return ExpressionId();
        const ExpressionId zero = literal(0);
        return m_function.add({ExpressionKind::Binary, m_types.boolean(), Operator::Greater, {loop.end, zero}});
    }

    ExpressionId literal(std::int64_t value) {
        return m_function.add({ExpressionKind::Literal,
                               m_types.integer(),
                               value,
                               {},
                               {},
                               0,
                               ir::ValueRange::exactly(static_cast<double>(value))});
    }
    ExpressionId name(SymbolId symbol) {
        const bool isIndex = m_function.at(symbol).storage == Storage::Index;
        return m_function.add({ExpressionKind::Name,
                               m_function.at(symbol).type,
                               symbol,
                               {},
                               {},
                               0,
                               isIndex ? ir::sizeRange() : ir::ValueRange()});
    }
    ExpressionId joined(std::vector<ExpressionId> conditions) {
        ExpressionId all = conditions[0];
        for (std::size_t i = 1; i < conditions.size(); ++i) {
            all = m_function.add({ExpressionKind::Binary, m_types.boolean(), Operator::And, {all, conditions[i]}});
        }
        return all;
    }

    Known scalar(ExpressionId value, const std::vector<ExpressionId>& guards) {
        const SymbolId symbol = m_function.add({"repeated", {}, m_types.floating(), Storage::Constant, true});
        if (!guards.empty()) {
            const ExpressionId zero = m_function.add({ExpressionKind::Literal, m_types.floating(), 0.0});
            value = m_function.add({ExpressionKind::Choice, m_types.floating(), {}, {joined(guards), value, zero}});
        }
        m_before.statements.push_back({Declare{symbol, value}});
        return {symbol, false};
    }

    Known table(const Outside& value, const std::vector<ExpressionId>& guards) {
        ExpressionId count = value.loops[0]->end;
        for (std::size_t i = 1; i < value.loops.size(); ++i) count = product(count, value.loops[i]->end);
        const SymbolId symbol = m_function.add({"table", {}, m_types.floating(), Storage::Series});
        const ExpressionId zeros = m_function.add({ExpressionKind::Filled, m_types.floating(), false, {count}});
        m_before.statements.push_back({Declare{symbol, zeros, false, true, guards.empty()}});
        absl::flat_hash_map<SymbolId, SymbolId> indices;
        std::vector<ExpressionId> at;
        for (const For* const loop : value.loops) {
            const SymbolId made = m_function.add(SymbolInfo(m_function.at(loop->index)));
            indices.emplace(loop->index, made);
            at.push_back(name(made));
        }
        Statement fill{Assign{element(symbol, place(value.loops, at)), renamed(m_function, value.expression, indices)}};
        for (std::size_t i = value.loops.size(); i-- > 0;) {
            For loop{indices.at(value.loops[i]->index), {}, value.loops[i]->end};
            loop.body.statements.push_back(std::move(fill));
            fill = {std::move(loop)};
        }
        if (!guards.empty()) {
            If guarded{joined(guards)};
            guarded.then.statements.push_back(std::move(fill));
            fill = {std::move(guarded)};
        }
        m_before.statements.push_back(std::move(fill));
        return {symbol, true};
    }

    ExpressionId read(const Known& known, const LoopPath& loops) {
        if (!known.isTable) return name(known.symbol);
        std::vector<ExpressionId> indices;
        for (const For* const loop : loops) indices.push_back(name(loop->index));
        return element(known.symbol, place(loops, indices));
    }

    /// The place in a table, whose last dimension is the fastest.
    ExpressionId place(const LoopPath& loops, const std::vector<ExpressionId>& indices) {
        ExpressionId at = indices[0];
        for (std::size_t i = 1; i < loops.size(); ++i) {
            at = m_function.add({ExpressionKind::Binary,
                                 m_types.integer(),
                                 Operator::Add,
                                 {product(at, loops[i]->end), indices[i]},
                                 {},
                                 0,
                                 ir::sizeRange()});
        }
        return at;
    }
    ExpressionId product(ExpressionId a, ExpressionId b) {
        return m_function.add(
            {ExpressionKind::Binary, m_types.integer(), Operator::Mul, {a, b}, {}, 0, ir::sizeRange()});
    }
    ExpressionId element(SymbolId table, ExpressionId at) {
        return m_function.add({ExpressionKind::Element, m_types.floating(), false, {name(table), at}});
    }

    static constexpr std::size_t MostDimensions = 2;

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    SymbolSet m_changed;
    absl::flat_hash_map<std::string, Known> m_known;
    LoopPath m_path;
    bool m_isIterated = false;  ///< the first loop of the path always has an iteration
    Block m_before;
};

}  // namespace

void hoist(const ir::TypeTable& types, Function& function) { Hoister(types, function).run(function.body); }

}  // namespace mitos::loops
