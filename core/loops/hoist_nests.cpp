// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/hoist_nests.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

/// Moves nests out of the loops of one function, innermost loops first.
class NestHoister {
public:
    NestHoister(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
            auto* const loop = std::get_if<For>(&block.statements[i].what);
            if (loop == nullptr) continue;
            Block before = outOf(*loop, iterates(block, i));
            const std::size_t count = before.statements.size();
            block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(i),
                                    std::make_move_iterator(before.statements.begin()),
                                    std::make_move_iterator(before.statements.end()));
            i += count;
        }
    }

private:
    /// How a loop tells that it has an iteration.
    struct Iterates {
        bool isKnown = false;
        ExpressionId condition = {};  ///< if it is not known; invalid if there is none
    };

    [[nodiscard]] Iterates iterates(const Block& block, std::size_t at) {
        const auto& loop = std::get<For>(block.statements[at].what);
        if (loop.begin.isValid()) return {};
        if (m_function.at(loop.end).range.low > 0.0) return {true};
        const ExpressionId zero = m_function.add({ExpressionKind::Literal, m_types.integer(), std::int64_t(0)});
        const ExpressionId condition =
            m_function.add({ExpressionKind::Binary, m_types.boolean(), Operator::Greater, {loop.end, zero}});
        return {isRequiredToIterate(m_function, block, at), condition};
    }

    /// The statements that are put before the loop.
    Block outOf(For& loop, const Iterates& iterates) {
        Block before;
        if (!iterates.isKnown && !iterates.condition.isValid()) return before;
        if (mayLeave(loop.body)) return before;
        m_changed.clear();
        m_changed.insert(loop.index);
        m_effects.addChanged(loop.body, m_changed);
        std::size_t at = 0;
        while (at < loop.body.statements.size()) {
            if (const std::optional<std::size_t> end = endOfNest(loop.body, at, iterates.isKnown)) {
                move(loop, at, *end, iterates, before);
            } else {
                ++at;
            }
        }
        return before;
    }

    /// The end of the statements from there on that compute a symbol, if these are loops and no others change it, and if they depend on
    /// nothing that the loop changes.
    [[nodiscard]] std::optional<std::size_t> endOfNest(const Block& body, std::size_t first,
                                                       bool isComputedAnyway) const {
        if (isComputedAnyway && isFixedRequirement(body.statements[first])) return first + 1;
        const auto* const declare = std::get_if<Declare>(&body.statements[first].what);
        if (declare == nullptr || !declare->value.isValid()) return std::nullopt;
        if (m_effects.mentionsAny(declare->value, m_changed)) return std::nullopt;
        const Storage storage = m_function.at(declare->symbol).storage;
        const bool isPossible = isComputedAnyway || startsTotal(declare->value);
        // Nests that read a constant can move, too.
        if (storage == Storage::Constant && isPossible) return first + 1;
        if (storage != Storage::Variable || !isPossible) return std::nullopt;
        std::size_t end = first + 1;
        bool isNest = false;
        for (std::size_t i = first + 1; i < body.statements.size(); ++i) {
            SymbolSet changed;
            m_effects.addChanged(body.statements[i], changed);
            if (!changed.contains(declare->symbol)) continue;
            // Between the statements of the nest stands nothing else but conditions.
            for (; end < i; ++end) {
                if (!isFixedRequirement(body.statements[end])) return std::nullopt;
            }
            if (!isFixedNest(body.statements[i], declare->symbol)) return std::nullopt;
            isNest = true;
            end = i + 1;
        }
        return isNest ? std::optional(end) : std::nullopt;
    }

    [[nodiscard]] bool startsTotal(ExpressionId expression) const {
        const Expression& value = m_function.at(expression);
        if (value.kind != ExpressionKind::Filled) return isTotal(m_types, m_function, expression);
        return std::ranges::all_of(value.operands, [this](ExpressionId operand) {
            const auto* const operation = std::get_if<Operation>(&m_function.at(operand).payload);
            const bool isShape =
                operation != nullptr && (*operation == Operation::Sizes || *operation == Operation::Dimension ||
                                         *operation == Operation::ZeroLike);
            const auto isSymbol = [this](ExpressionId of) { return m_function.at(of).kind == ExpressionKind::Name; };
            return isTotal(m_types, m_function, operand) ||
                   (isShape && std::ranges::all_of(m_function.at(operand).operands, isSymbol));
        });
    }

    [[nodiscard]] bool isFixedRequirement(const Statement& statement) const {
        const auto* const require = std::get_if<Require>(&statement.what);
        return require != nullptr && !m_effects.mentionsAny(require->condition, m_changed);
    }

    /// Whether a statement is a loop, perhaps in a branch, that changes that symbol only, and reads nothing else that the outer loop changes.
    [[nodiscard]] bool isFixedNest(const Statement& statement, SymbolId symbol) const {
        if (!hasLoop(statement)) return false;
        SymbolSet own;
        addDeclared(statement, own);
        own.insert(symbol);
        SymbolSet changed;
        m_effects.addChanged(statement, changed);
        const bool changesOthers = std::ranges::any_of(changed, [&](SymbolId other) { return !own.contains(other); });
        if (changesOthers) return false;
        SymbolSet others;
        for (const SymbolId other : m_changed) {
            if (!own.contains(other)) others.insert(other);
        }
        SymbolSet mentioned;
        addMentioned(m_function, statement, mentioned);
        return std::ranges::none_of(mentioned, [&](SymbolId other) { return m_effects.isIn(other, others); });
    }

    static bool hasLoop(const Statement& statement) {
        if (std::holds_alternative<For>(statement.what)) return true;
        const auto* const branch = std::get_if<If>(&statement.what);
        return branch != nullptr && (std::ranges::any_of(branch->then.statements, hasLoop) ||
                                     std::ranges::any_of(branch->otherwise.statements, hasLoop));
    }

    void addDeclared(const Statement& statement, SymbolSet& declared) const {
        if (const auto* const declare = std::get_if<Declare>(&statement.what)) declared.insert(declare->symbol);
        if (const auto* const loop = std::get_if<For>(&statement.what)) {
            if (!loop->isVisibleAfter) declared.insert(loop->index);
        }
        forEachBlock(statement, [&](const Block& block) {
            for (const Statement& inner : block.statements) addDeclared(inner, declared);
        });
    }

    /// Moves statements of a loop's body to the end of those before it. What the first one declares stays visible to the loop.
    void move(For& loop, std::size_t first, std::size_t end, const Iterates& iterates, Block& before) {
        std::vector<Statement>& body = loop.body.statements;
        const auto begin = body.begin() + static_cast<std::ptrdiff_t>(first);
        const auto last = body.begin() + static_cast<std::ptrdiff_t>(end);
        SymbolSet moved;
        for (auto at = begin; at != last; ++at) addDeclared(*at, moved);
        for (const SymbolId symbol : moved) m_changed.erase(symbol);
        before.statements.push_back(std::move(*begin));
        Block nest;
        std::move(begin + 1, last, std::back_inserter(nest.statements));
        body.erase(begin, last);
        if (iterates.isKnown || isOver(nest, loop.end)) {
            std::ranges::move(nest.statements, std::back_inserter(before.statements));
            return;
        }
        // Its elements are set in some cases only.
        std::get<Declare>(before.statements.back().what).isOverwritten = false;
        before.statements.push_back({If{iterates.condition, std::move(nest)}});
    }

    /// Whether statements are loops that make an iteration only if there is one up to that end.
    [[nodiscard]] bool isOver(const Block& nest, ExpressionId end) const {
        return std::ranges::all_of(nest.statements, [&](const Statement& statement) {
            const auto* const loop = std::get_if<For>(&statement.what);
            return loop != nullptr && !loop->begin.isValid() && areSame(m_function, loop->end, end);
        });
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    SymbolSet m_changed;  ///< by the loop that is left
};

}  // namespace

void hoistNests(const ir::TypeTable& types, Function& function) { NestHoister(types, function).run(function.body); }

}  // namespace mitos::loops
