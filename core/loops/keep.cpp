// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/keep.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

class Keeping {
public:
    Keeping(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
        for (std::size_t second = 1; second < block.statements.size(); ++second) {
            if (!hasSums(block.statements[second])) continue;
            for (std::size_t first = 0; first < second; ++first) {
                if (hasSums(block.statements[first])) second += keepAll(block, first, second);
            }
        }
    }

private:
    /// The symbols of a statement, and those of another one that have their part.
    using Names = absl::flat_hash_map<SymbolId, SymbolId>;

    /// The declaration of a number and a loop that computes it: where they are in the body.
    [[nodiscard]] bool isSum(const Block& body, std::size_t at) const {
        if (at + 1 >= body.statements.size()) return false;
        const auto* const declare = std::get_if<Declare>(&body.statements[at].what);
        const auto* const loop = std::get_if<For>(&body.statements[at + 1].what);
        if (declare == nullptr || loop == nullptr || loop->isVisibleAfter || mayLeave(loop->body)) return false;
        const SymbolInfo& symbol = m_function.at(declare->symbol);
        if (symbol.storage != Storage::Variable || symbol.type != m_types.floating() || !declare->value.isValid())
            return false;
        SymbolSet changed;
        m_effects.addChanged(loop->body, changed);
        SymbolSet own;
        addDeclared(loop->body, own);
        for (const SymbolId symbol : own) changed.erase(symbol);
        if (changed.size() != 1 || !changed.contains(declare->symbol)) return false;
        return std::none_of(body.statements.begin() + static_cast<std::ptrdiff_t>(at) + 2, body.statements.end(),
                            [&](const Statement& later) {
                                SymbolSet after;
                                m_effects.addChanged(later, after);
                                return after.contains(declare->symbol);
                            });
    }
    [[nodiscard]] bool hasSums(const Statement& statement) const {
        const auto* const loop = std::get_if<For>(&statement.what);
        if (loop == nullptr || loop->begin.isValid() || loop->isVisibleAfter || mayLeave(loop->body)) return false;
        for (std::size_t i = 0; i < loop->body.statements.size(); ++i) {
            if (isSum(loop->body, i)) return true;
        }
        return false;
    }

    /// Returns how many statements are inserted before the loops.
    std::size_t keepAll(Block& block, std::size_t first, std::size_t second) {
        For& made = std::get<For>(block.statements[first].what);
        For& read = std::get<For>(block.statements[second].what);
        if (!areSame(m_function, made.end, read.end)) return 0;
        m_changed.clear();
        for (std::size_t i = first; i <= second; ++i) m_effects.addChanged(block.statements[i], m_changed);
        if (m_effects.mentionsAny(made.end, m_changed)) return 0;
        m_inside.clear();
        addDeclared(made.body, m_inside);
        addDeclared(read.body, m_inside);
        std::vector<Statement> series;
        for (std::size_t i = 0; i < read.body.statements.size(); ++i) {
            if (!isSum(read.body, i)) continue;
            for (std::size_t k = 0; k < made.body.statements.size(); ++k) {
                if (!isSum(made.body, k) || !areEqual(made, k, read, i)) continue;
                series.push_back(keep(made, k, read, i));
                break;
            }
        }
        const std::size_t count = series.size();
        block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(first),
                                std::make_move_iterator(series.begin()), std::make_move_iterator(series.end()));
        return count;
    }

    Statement keep(For& made, std::size_t at, For& read, std::size_t again) {
        const SymbolId sum = std::get<Declare>(made.body.statements[at].what).symbol;
        const SymbolId same = std::get<Declare>(read.body.statements[again].what).symbol;
        const ir::TypeId type = m_types.floating();
        const SymbolId kept = m_function.add({"kept", {}, type, Storage::Series});
        const auto element = [&](SymbolId index) {
            const ExpressionId vector = m_function.add({ExpressionKind::Name, type, kept});
            const ExpressionId place =
                m_function.add({ExpressionKind::Name, m_types.integer(), index, {}, {}, 0, ir::sizeRange()});
            return m_function.add({ExpressionKind::Element, type, false, {vector, place}});
        };
        const ir::TermId term = read.body.statements[again].term;
        const ExpressionId value = m_function.add({ExpressionKind::Name, type, sum});
        made.body.statements.insert(made.body.statements.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                                    {Assign{element(made.index), value}, term});
        m_function.symbols[same.value].storage = Storage::Constant;
        read.body.statements[again] = {Declare{same, element(read.index)}, term};
        read.body.statements.erase(read.body.statements.begin() + static_cast<std::ptrdiff_t>(again) + 1);
        const ExpressionId zeros = m_function.add({ExpressionKind::Filled, type, false, {made.end}});
        return {Declare{kept, zeros, false, true, true}, term};
    }

    // --- comparing ----------------------------------------------------------------------------------------------------

    [[nodiscard]] bool areEqual(const For& made, std::size_t at, const For& read, std::size_t again) const {
        const Declare& sum = std::get<Declare>(made.body.statements[at].what);
        const Declare& same = std::get<Declare>(read.body.statements[again].what);
        Names names{{read.index, made.index}, {same.symbol, sum.symbol}};
        return areEqual(sum.value, same.value, names) &&
               areEqual(made.body.statements[at + 1], read.body.statements[again + 1], names);
    }
    [[nodiscard]] bool areEqual(const Block& a, const Block& b, Names& names) const {
        return std::ranges::equal(a.statements, b.statements,
                                  [&](const Statement& x, const Statement& y) { return areEqual(x, y, names); });
    }
    [[nodiscard]] bool areEqual(const Statement& a, const Statement& b, Names& names) const {
        if (a.what.index() != b.what.index()) return false;
        if (const auto* const x = std::get_if<Declare>(&a.what)) {
            const Declare& y = std::get<Declare>(b.what);
            const SymbolInfo& symbol = m_function.at(x->symbol);
            names[y.symbol] = x->symbol;
            return symbol.storage == m_function.at(y.symbol).storage && symbol.type == m_function.at(y.symbol).type &&
                   x->isOverwritten == y.isOverwritten && areEqual(x->value, y.value, names);
        }
        if (const auto* const x = std::get_if<Accumulate>(&a.what)) {
            const Accumulate& y = std::get<Accumulate>(b.what);
            return x->isDifference == y.isDifference && areEqual(x->place, y.place, names) &&
                   areEqual(x->value, y.value, names);
        }
        if (const auto* const x = std::get_if<Assign>(&a.what)) {
            const Assign& y = std::get<Assign>(b.what);
            return areEqual(x->place, y.place, names) && areEqual(x->value, y.value, names);
        }
        if (const auto* const x = std::get_if<If>(&a.what)) {
            const If& y = std::get<If>(b.what);
            return areEqual(x->condition, y.condition, names) && areEqual(x->then, y.then, names) &&
                   areEqual(x->otherwise, y.otherwise, names);
        }
        if (const auto* const x = std::get_if<Require>(&a.what)) {
            return areEqual(x->condition, std::get<Require>(b.what).condition, names);
        }
        const auto* const x = std::get_if<For>(&a.what);
        if (x == nullptr) return false;
        const For& y = std::get<For>(b.what);
        names[y.index] = x->index;
        return x->isBackwards == y.isBackwards && !x->isVisibleAfter && !y.isVisibleAfter &&
               areEqual(x->begin, y.begin, names) && areEqual(x->end, y.end, names) && areEqual(x->body, y.body, names);
    }
    [[nodiscard]] bool areEqual(ExpressionId a, ExpressionId b, const Names& names) const {
        if (!a.isValid() || !b.isValid()) return a.isValid() == b.isValid();
        a = defined(a, names);
        b = defined(b, names);
        const Expression& x = m_function.at(a);
        const Expression& y = m_function.at(b);
        if (x.kind != y.kind) return false;
        if (x.kind == ExpressionKind::Name) {
            const SymbolId symbol = std::get<SymbolId>(y.payload);
            const auto other = names.find(symbol);
            if (other != names.end()) return other->second == std::get<SymbolId>(x.payload);
            return x.payload == y.payload && !m_effects.isIn(symbol, m_changed) && !m_inside.contains(symbol);
        }
        const bool isPlain =
            x.kind != ExpressionKind::Call && x.kind != ExpressionKind::Apply && x.kind != ExpressionKind::Move;
        return isPlain && (x.kind == ExpressionKind::Element || x.payload == y.payload) && x.told == y.told &&
               x.number == y.number && x.type == y.type &&
               std::ranges::equal(x.operands, y.operands,
                                  [&](ExpressionId left, ExpressionId right) { return areEqual(left, right, names); });
    }
    /// The value of a constant or a view of an iteration, unless it has its part in the other loop.
    [[nodiscard]] ExpressionId defined(ExpressionId expression, const Names& names) const {
        while (m_function.at(expression).kind == ExpressionKind::Name) {
            const SymbolId symbol = std::get<SymbolId>(m_function.at(expression).payload);
            const bool hasPart = names.contains(symbol) ||
                                 std::ranges::any_of(names, [&](const auto& pair) { return pair.second == symbol; });
            const ExpressionId definition = m_effects.definition(symbol);
            if (hasPart || !m_inside.contains(symbol) || !definition.isValid()) break;
            expression = definition;
        }
        return expression;
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    SymbolSet m_changed;  ///< from the first loop to the end of the second
    SymbolSet m_inside;   ///< what the two declare
};

}  // namespace

void keepNumbers(const ir::TypeTable& types, Function& function) { Keeping(types, function).run(function.body); }

}  // namespace mitos::loops
