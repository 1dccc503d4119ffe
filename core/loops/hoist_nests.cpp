// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/hoist_nests.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
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
        if (isPositive(m_function, loop.end)) return {true};
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
        // A nest may wait for another one behind it only.
        constexpr int MostRounds = 8;
        for (int round = 0; round < MostRounds && moveSome(loop, iterates, before); ++round) {
        }
        return before;
    }

    /// Moves all nests that depend on nothing that the loop changes; whether there were some.
    bool moveSome(For& loop, const Iterates& iterates, Block& before) {
        std::vector<Statement>& body = loop.body.statements;
        absl::flat_hash_map<SymbolId, std::vector<std::size_t>>
            changes;  // the statements that change a symbol, by symbol
        for (std::size_t i = 0; i < body.size(); ++i) {
            SymbolSet changed;
            m_effects.addChanged(body[i], changed);
            for (const SymbolId symbol : changed) changes[symbol].push_back(i);
        }
        const std::vector<std::size_t> constants = fixedConstants(body, iterates.isKnown);
        std::vector<std::vector<std::size_t>> nests(body.size());  // by their first statement
        SymbolSet needed;
        std::vector<bool> areTaken(body.size());
        for (std::size_t i = 0; i < body.size(); ++i) {
            nests[i] = nestFrom(body, i, changes, iterates.isKnown);
            if (!nests[i].empty()) addRequirements(body, nests[i], areTaken);
            for (const std::size_t part : nests[i]) addMentioned(m_function, body[part], needed);
        }
        std::vector<std::vector<std::size_t>> parts;
        for (auto at = constants.rbegin(); at != constants.rend(); ++at) {
            const SymbolId symbol = std::get<Declare>(body[*at].what).symbol;
            m_changed.insert(symbol);
            if (!needed.contains(symbol)) continue;
            addMentioned(m_function, body[*at], needed);
            parts.push_back({*at});
        }
        // Constants first: they read no nest.
        std::ranges::reverse(parts);
        std::ranges::copy_if(nests, std::back_inserter(parts), [](const auto& nest) { return !nest.empty(); });
        std::vector<bool> isMoved(body.size());
        for (const std::vector<std::size_t>& moved : parts) {
            for (const std::size_t part : moved) isMoved[part] = true;
            move(body, moved, loop.end, iterates, before);
        }
        std::vector<Statement> rest;
        for (std::size_t i = 0; i < body.size(); ++i) {
            if (!isMoved[i]) rest.push_back(std::move(body[i]));
        }
        const bool isSome = rest.size() < body.size();
        body = std::move(rest);
        return isSome;
    }

    /// The declarations of constants that may be moved with nests that read them. They do not count as changed until all nests are found.
    [[nodiscard]] std::vector<std::size_t> fixedConstants(const std::vector<Statement>& body, bool isComputedAnyway) {
        std::vector<std::size_t> constants;
        for (std::size_t i = 0; i < body.size(); ++i) {
            const auto* const declare = std::get_if<Declare>(&body[i].what);
            if (declare == nullptr || m_function.at(declare->symbol).storage != Storage::Constant) continue;
            if (m_effects.mentionsAny(declare->value, m_changed)) continue;
            if (!isComputedAnyway && !startsTotal(declare->value)) continue;
            m_changed.erase(declare->symbol);
            constants.push_back(i);
        }
        return constants;
    }

    /// The statement with all others that change what it declares, if these are loops, and if all depend on nothing that the loop changes; none
    /// otherwise.
    [[nodiscard]] std::vector<std::size_t> nestFrom(
        const std::vector<Statement>& body, std::size_t first,
        const absl::flat_hash_map<SymbolId, std::vector<std::size_t>>& changes, bool isComputedAnyway) const {
        const auto* const declare = std::get_if<Declare>(&body[first].what);
        if (declare == nullptr || !declare->value.isValid()) return {};
        if (m_effects.mentionsAny(declare->value, m_changed)) return {};
        if (m_function.at(declare->symbol).storage != Storage::Variable) return {};
        if (!isComputedAnyway && !startsTotal(declare->value)) return {};
        const std::vector<std::size_t>& nest = changes.at(declare->symbol);
        if (nest.size() < 2) return {};
        for (std::size_t i = first + 1; i <= nest.back(); ++i) {
            if (std::ranges::find(nest, i) == nest.end()) {
                // It could read a value that is not complete.
                SymbolSet mentioned;
                addMentioned(m_function, body[i], mentioned);
                if (mentionsOrNames(mentioned, declare->symbol)) return {};
            } else if (!isFixedNest(body[i], declare->symbol)) {
                return {};
            }
        }
        return nest;
    }

    /// Adds, behind the declaration, what is required before the nest and is the same in all iterations: the nest may read elements that exist
    /// for that reason only.
    void addRequirements(const std::vector<Statement>& body, std::vector<std::size_t>& nest,
                         std::vector<bool>& areTaken) const {
        std::vector<std::size_t> required;
        for (std::size_t i = 0; i < nest[1]; ++i) {
            const auto* const require = std::get_if<Require>(&body[i].what);
            if (require == nullptr || areTaken[i] || m_effects.mentionsAny(require->condition, m_changed)) continue;
            areTaken[i] = true;
            required.push_back(i);
        }
        nest.insert(nest.begin() + 1, required.begin(), required.end());
    }

    [[nodiscard]] bool mentionsOrNames(const SymbolSet& mentioned, SymbolId symbol) const {
        return std::ranges::any_of(mentioned, [&](SymbolId other) { return m_effects.isIn(other, {symbol}); });
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

    /// Moves statements of a loop's body to the end of those before it. What the first one declares stays visible to the loop.
    void move(std::vector<Statement>& body, const std::vector<std::size_t>& parts, ExpressionId end,
              const Iterates& iterates, Block& before) {
        SymbolSet moved;
        Block nest;
        for (const std::size_t part : parts) {
            addDeclared(body[part], moved);
            nest.statements.push_back(std::move(body[part]));
        }
        for (const SymbolId symbol : moved) m_changed.erase(symbol);
        const std::size_t start = before.statements.size();
        before.statements.push_back(std::move(nest.statements.front()));
        nest.statements.erase(nest.statements.begin());
        for (Statement& statement : nest.statements) {
            auto* const require = std::get_if<Require>(&statement.what);
            if (require == nullptr) continue;
            if (!iterates.isKnown) *require = requiredIfAny(m_types, m_function, std::move(*require), end);
            before.statements.push_back(std::exchange(statement, emptyStatement()));
        }
        removeEmptyStatements(nest);
        if (iterates.isKnown || isOver(nest, end)) {
            std::ranges::move(nest.statements, std::back_inserter(before.statements));
            return;
        }
        // Its elements are set in some cases only.
        std::get<Declare>(before.statements[start].what).isOverwritten = false;
        const ir::TermId term = before.statements[start].term;
        before.statements.push_back({If{iterates.condition, std::move(nest)}, term});
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
