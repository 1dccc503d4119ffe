// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/direct_sums.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"
#include "core/loops/internal/signed_zeros.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

class DirectSums {
public:
    DirectSums(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
        Mentions mentioned(m_function, block);
        std::vector<std::vector<Statement>> before(block.statements.size());
        bool isChanged = false;
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            isChanged = addDirectly(block, i, mentioned, before) || isChanged;
        }
        if (!isChanged) return;
        std::vector<Statement> all;
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            std::ranges::move(before[i], std::back_inserter(all));
            all.push_back(std::move(block.statements[i]));
        }
        block.statements = std::move(all);
        removeEmptyStatements(block);
    }

private:
    bool addDirectly(Block& block, std::size_t declared, Mentions& mentioned,
                     std::vector<std::vector<Statement>>& before) {
        const auto* const declare = std::get_if<Declare>(&block.statements[declared].what);
        if (declare == nullptr || !isOfZeros(*declare)) return false;
        const SymbolId vector = declare->symbol;
        const ExpressionId size = m_function.at(declare->value).operands[0];
        const std::vector<std::size_t> uses = mentioned.of(vector);
        if (uses.size() < 3) return false;
        const std::size_t first = uses[1];
        const std::size_t last = uses.back();
        const auto* const sum = std::get_if<Accumulate>(&block.statements[last].what);
        if (sum == nullptr || !isVector(sum->value, vector) || mentionsName(m_function, sum->place, vector))
            return false;
        const std::optional<std::size_t> named = placeOf(block, *sum, first, last, mentioned);
        if (!named) return false;
        for (std::size_t use = 1; use + 1 < uses.size(); ++use) {
            const Statement& statement = block.statements[uses[use]];
            if (isNamed(statement, vector)) return false;
            if (!isOnlyAddedTo(statement, [&](SymbolId symbol) { return symbol == vector; })) return false;
        }
        const SymbolSet owners =
            ownersOf(*named == last ? sum->place : std::get<Declare>(block.statements[*named].what).value);
        for (std::size_t i = first; i < last; ++i) {
            if (i != *named && !leaves(block.statements[i], owners)) return false;
        }
        // A place with -0.0 would lose its sign to the vector's zeros.
        if (!m_zeros) m_zeros.emplace(m_types, m_function);
        if (!m_zeros->hasNone(sum->place)) return false;
        const ExpressionId place = sum->place;
        const bool isDifference = sum->isDifference;
        if (*named != last && *named > first) {
            mentioned.forget(block.statements[*named], *named);
            before[first].push_back(std::exchange(block.statements[*named], emptyStatement()));
        }
        before[first].push_back(
            {Require{fits(place, size), "the sizes of two vectors differ"}, block.statements[last].term});
        for (const std::size_t use : {declared, last}) {
            mentioned.forget(block.statements[use], use);
            block.statements[use] = emptyStatement();
        }
        for (std::size_t use = 1; use + 1 < uses.size(); ++use) {
            mentioned.forget(block.statements[uses[use]], uses[use]);
            redirect(block.statements[uses[use]], vector, place, isDifference);
            mentioned.update(block.statements[uses[use]], uses[use]);
        }
        return true;
    }

    /// A vector of Floats that begins with zeros.
    [[nodiscard]] bool isOfZeros(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (symbol.storage != Storage::Variable || !declare.value.isValid() || declare.isOverwritten) return false;
        const Expression& value = m_function.at(declare.value);
        return value.kind == ExpressionKind::Filled && value.operands.size() == 1 && m_types.isTensor(symbol.type) &&
               m_types.rank(symbol.type) == 1 && m_types.element(symbol.type) == m_types.floating();
    }
    [[nodiscard]] bool isVector(ExpressionId expression, SymbolId vector) const {
        const Expression& at = m_function.at(expression);
        return isName(m_function, at.kind == ExpressionKind::Move ? at.operands[0] : expression, vector);
    }

    /// Whether a statement gives a vector, or a part of it, another name.
    [[nodiscard]] bool isNamed(const Statement& statement, SymbolId vector) const {
        const auto* const declare = std::get_if<Declare>(&statement.what);
        bool isIt = declare != nullptr && declare->value.isValid() && mentionsName(m_function, declare->value, vector);
        forEachBlock(statement, [&](const Block& inner) {
            isIt = isIt ||
                   std::ranges::any_of(inner.statements, [&](const Statement& each) { return isNamed(each, vector); });
        });
        return isIt;
    }

    /// The statement that names the place of the sum, or the sum itself if the place is written there; nothing if it cannot be written earlier.
    [[nodiscard]] std::optional<std::size_t> placeOf(const Block& block, const Accumulate& sum, std::size_t first,
                                                     std::size_t last, const Mentions& mentioned) const {
        const Expression& place = m_function.at(sum.place);
        if (place.kind == ExpressionKind::Name) {
            const auto symbol = std::get<SymbolId>(place.payload);
            const std::vector<std::size_t>& uses = mentioned.of(symbol);
            const auto* const declare = std::get_if<Declare>(&block.statements[uses.front()].what);
            const bool isDeclared = declare != nullptr && declare->symbol == symbol;
            if (isDeclared && uses.front() >= first) {
                const bool isMoved = m_function.at(symbol).storage == Storage::Place && declare->value.isValid() &&
                                     isKnownBefore(declare->value, first, block, mentioned);
                return isMoved ? std::optional(uses.front()) : std::nullopt;
            }
            return last;
        }
        return isKnownBefore(sum.place, first, block, mentioned) ? std::optional(last) : std::nullopt;
    }
    /// Whether an expression is a place at known indices of what exists before a statement.
    [[nodiscard]] bool isKnownBefore(ExpressionId expression, std::size_t first, const Block& block,
                                     const Mentions& mentioned) const {
        const Expression& at = m_function.at(expression);
        switch (at.kind) {
            case ExpressionKind::Literal: return true;
            case ExpressionKind::Name: {
                const auto symbol = std::get<SymbolId>(at.payload);
                for (const std::size_t use : mentioned.of(symbol)) {
                    const auto* const declare = std::get_if<Declare>(&block.statements[use].what);
                    if (declare != nullptr && declare->symbol == symbol) return use < first;
                }
                return true;
            }
            case ExpressionKind::Part: return isKnownBefore(at.operands[0], first, block, mentioned);
            case ExpressionKind::Element: {
                const auto isFixed = [&](ExpressionId index) {
                    const Expression& number = m_function.at(index);
                    if (number.kind == ExpressionKind::Literal) return true;
                    if (number.kind != ExpressionKind::Name) return false;
                    const Storage storage = m_function.at(std::get<SymbolId>(number.payload)).storage;
                    return storage == Storage::Constant || storage == Storage::Index || storage == Storage::Parameter;
                };
                return std::ranges::all_of(at.operands.begin() + 1, at.operands.end(), isFixed) &&
                       std::ranges::all_of(at.operands, [&](ExpressionId operand) {
                           return isKnownBefore(operand, first, block, mentioned);
                       });
            }
            default: return false;
        }
    }

    /// The symbol at the root of a place, and the storage that it is a name for.
    [[nodiscard]] SymbolSet ownersOf(ExpressionId place) const {
        while (m_function.at(place).kind != ExpressionKind::Name) place = m_function.at(place).operands[0];
        SymbolSet owners;
        m_effects.forEachOwner(std::get<SymbolId>(m_function.at(place).payload),
                               [&](SymbolId owner) { owners.insert(owner); });
        return owners;
    }

    /// Whether a statement goes on to the next one, and does not read numbers of the storage or change what it is.
    [[nodiscard]] bool leaves(const Statement& statement, const SymbolSet& owners) const {
        if (std::holds_alternative<Return>(statement.what) || std::holds_alternative<Break>(statement.what))
            return false;
        bool mayEnd = false;
        forEachBlock(statement, [&](const Block& inner) { mayEnd = mayEnd || mayLeave(inner) || returns(inner); });
        return !mayEnd && isOnlyAddedTo(statement, [&](SymbolId symbol) { return m_effects.isIn(symbol, owners); });
    }
    [[nodiscard]] static bool returns(const Block& block) {
        return std::ranges::any_of(block.statements, [](const Statement& statement) {
            bool isReturn = std::holds_alternative<Return>(statement.what);
            forEachBlock(statement, [&](const Block& inner) { isReturn = isReturn || returns(inner); });
            return isReturn;
        });
    }

    /// Whether all symbols of a set that a statement mentions are places that it adds to, gives names, or compares the sizes of.
    template <typename IsIn>
    [[nodiscard]] bool isOnlyAddedTo(const Statement& statement, const IsIn& isIn) const {
        if (const auto* const declare = std::get_if<Declare>(&statement.what);
            declare != nullptr && declare->value.isValid() &&
            m_function.at(declare->symbol).storage == Storage::Place) {
            return areIndicesApart(declare->value, isIn);
        }
        if (std::holds_alternative<Require>(statement.what))
            return areSizesOnly(std::get<Require>(statement.what).condition, isIn);
        if (const auto* const add = std::get_if<Accumulate>(&statement.what)) {
            return areIndicesApart(add->place, isIn) && isApart(add->value, isIn);
        }
        bool isFine = true;
        forEachExpression(statement, [&](ExpressionId expression) { isFine = isFine && isApart(expression, isIn); });
        if (std::holds_alternative<DefineFunction>(statement.what)) {
            forEachBlock(statement, [&](const Block& inner) { isFine = isFine && isApart(inner, isIn); });
            return isFine;
        }
        forEachBlock(statement, [&](const Block& inner) {
            isFine = isFine && std::ranges::all_of(inner.statements,
                                                   [&](const Statement& each) { return isOnlyAddedTo(each, isIn); });
        });
        return isFine;
    }
    template <typename IsIn>
    [[nodiscard]] bool isApart(ExpressionId expression, const IsIn& isIn) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) return !isIn(std::get<SymbolId>(at.payload));
        return std::ranges::all_of(at.operands, [&](ExpressionId operand) { return isApart(operand, isIn); });
    }
    template <typename IsIn>
    [[nodiscard]] bool isApart(const Block& block, const IsIn& isIn) const {
        return std::ranges::all_of(block.statements, [&](const Statement& statement) {
            bool isFine = true;
            forEachExpression(statement,
                              [&](ExpressionId expression) { isFine = isFine && isApart(expression, isIn); });
            forEachBlock(statement, [&](const Block& inner) { isFine = isFine && isApart(inner, isIn); });
            return isFine;
        });
    }
    /// Whether a place, if it is one, has its root as the only symbol of the set.
    template <typename IsIn>
    [[nodiscard]] bool areIndicesApart(ExpressionId place, const IsIn& isIn) const {
        const Expression& at = m_function.at(place);
        if (at.kind == ExpressionKind::Name) return true;
        if (at.kind != ExpressionKind::Part && at.kind != ExpressionKind::Element) return isApart(place, isIn);
        return areIndicesApart(at.operands[0], isIn) &&
               std::ranges::all_of(at.operands.begin() + 1, at.operands.end(),
                                   [&](ExpressionId index) { return isApart(index, isIn); });
    }
    template <typename IsIn>
    [[nodiscard]] bool areSizesOnly(ExpressionId condition, const IsIn& isIn) const {
        const Expression& at = m_function.at(condition);
        if (at.kind == ExpressionKind::Name) return !isIn(std::get<SymbolId>(at.payload));
        if (at.kind == ExpressionKind::Run) {
            const Operation operation = std::get<Operation>(at.payload);
            const bool isSize = operation == Operation::Size || operation == Operation::Sizes ||
                                operation == Operation::Shape || operation == Operation::Dimension;
            if (isSize) return areIndicesApart(at.operands[0], isIn);
        }
        return std::ranges::all_of(at.operands, [&](ExpressionId operand) { return areSizesOnly(operand, isIn); });
    }

    /// Adds to the place what the statement adds to the vector.
    void redirect(Statement& statement, SymbolId vector, ExpressionId place, bool isDifference) {
        if (auto* const require = std::get_if<Require>(&statement.what)) {
            require->condition = replaced(m_function, require->condition, vector, place);
        }
        if (auto* const add = std::get_if<Accumulate>(&statement.what);
            add != nullptr && mentionsName(m_function, add->place, vector)) {
            add->place = within(place, add->place);
            add->isDifference = add->isDifference != isDifference;
        }
        forEachBlock(statement, [&](Block& inner) {
            for (Statement& each : inner.statements) redirect(each, vector, place, isDifference);
        });
    }
    /// The place itself, or an element of it instead of one of the vector.
    ExpressionId within(ExpressionId place, ExpressionId ofVector) {
        Expression element = m_function.at(ofVector);
        if (element.kind == ExpressionKind::Name) return place;
        const Expression& outer = m_function.at(place);
        if (outer.kind != ExpressionKind::Element) {
            element.operands[0] = place;
            return m_function.add(std::move(element));
        }
        std::vector<ExpressionId> operands = outer.operands;
        operands.insert(operands.end(), element.operands.begin() + 1, element.operands.end());
        element.operands = std::move(operands);
        return m_function.add(std::move(element));
    }
    ExpressionId fits(ExpressionId place, ExpressionId size) {
        Expression& length = m_function.expressions[size.value];
        if (length.kind == ExpressionKind::Run && std::get<Operation>(length.payload) == Operation::AsSize)
            size = length.operands[0];
        const ExpressionId own =
            m_function.add({ExpressionKind::Run, m_types.integer(), Operation::Size, {place}, {}, 0, ir::sizeRange()});
        return m_function.add({ExpressionKind::Binary, m_types.boolean(), Operator::Equal, {own, size}});
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    std::optional<SignedZeros> m_zeros;
};

}  // namespace

void addDirectly(const ir::TypeTable& types, Function& function) { DirectSums(types, function).run(function.body); }

}  // namespace mitos::loops
