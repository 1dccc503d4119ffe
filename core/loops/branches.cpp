// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/branches.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

constexpr std::size_t MostBetween = 12;  // statements

class Merging {
public:
    explicit Merging(Function& function) : m_function(function), m_effects(function) {}

    /// Outer blocks first: branches that become one may have choices to merge.
    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            while (takeNext(block, i)) {
            }
        }
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
    }

private:
    bool takeNext(Block& block, std::size_t& first) {
        const auto* const choice = std::get_if<If>(&block.statements[first].what);
        if (choice == nullptr || leaves(*choice)) return false;
        SymbolSet changed;
        m_effects.addChanged(block.statements[first], changed);
        if (m_effects.mentionsAny(choice->condition, changed)) return false;
        const std::size_t last = std::min(block.statements.size(), first + 2 + MostBetween);
        for (std::size_t next = first + 1; next < last; ++next) {
            const Statement& statement = block.statements[next];
            const auto* const other = std::get_if<If>(&statement.what);
            if (other != nullptr && areSame(m_function, other->condition, choice->condition) && !leaves(*other))
                return merge(block, first, next);
            const auto* const require = std::get_if<Require>(&statement.what);
            const bool isPassed =
                std::holds_alternative<Declare>(statement.what) || (require != nullptr && !require->isAlways);
            if (!isPassed) return false;
        }
        return false;
    }
    [[nodiscard]] static bool leaves(const If& choice) { return mayLeave(choice.then) || mayLeave(choice.otherwise); }

    /// Moves the second choice to the first one, if nothing between minds.
    bool merge(Block& block, std::size_t& first, std::size_t next) {
        SymbolSet changed;  // by the second
        m_effects.addChanged(block.statements[next], changed);
        SymbolSet mentioned;
        addMentioned(m_function, block.statements[next], mentioned);
        std::vector<std::size_t> earlier;
        for (std::size_t i = first + 1; i < next; ++i) {
            const auto* const declare = std::get_if<Declare>(&block.statements[i].what);
            if (declare != nullptr && mentioned.contains(declare->symbol)) {
                // The second choice moves to the first one, where all values must exist that it needs.
                if (!isOfNothing(*declare)) return false;
                earlier.push_back(i);
                continue;
            }
            SymbolSet made;
            m_effects.addChanged(block.statements[i], made);
            if (mentionsAny(block.statements[i], changed) || mentionsAny(block.statements[next], made)) return false;
        }
        for (std::size_t i = first + 1; i < next; ++i) {
            for (const std::size_t one : earlier) {
                const SymbolSet symbol{std::get<Declare>(block.statements[one].what).symbol};
                if (i != one && mentionsAny(block.statements[i], symbol)) return false;
            }
        }
        If& choice = std::get<If>(block.statements[first].what);
        If& other = std::get<If>(block.statements[next].what);
        std::ranges::move(other.then.statements, std::back_inserter(choice.then.statements));
        std::ranges::move(other.otherwise.statements, std::back_inserter(choice.otherwise.statements));
        block.statements[next] = emptyStatement();
        std::vector<Statement> before;
        for (const std::size_t i : earlier) before.push_back(std::exchange(block.statements[i], emptyStatement()));
        block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(first),
                                std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
        first += before.size();
        removeEmptyStatements(block);
        return true;
    }
    /// Whether a declaration computes nothing.
    [[nodiscard]] bool isOfNothing(const Declare& declare) const {
        if (!declare.value.isValid()) return true;
        const ExpressionKind kind = m_function.at(declare.value).kind;
        return kind == ExpressionKind::Empty || kind == ExpressionKind::Literal;
    }
    [[nodiscard]] bool mentionsAny(const Statement& statement, const SymbolSet& symbols) const {
        SymbolSet mentioned;
        addMentioned(m_function, statement, mentioned);
        return std::ranges::any_of(mentioned, [&](SymbolId symbol) { return m_effects.isIn(symbol, symbols); });
    }

    Function& m_function;
    Effects m_effects;
};

}  // namespace

void mergeBranches(Function& function) { Merging(function).run(function.body); }

}  // namespace mitos::loops
