// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/targets.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"
#include "core/loops/internal/signed_zeros.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

constexpr const char* Differ = "the sizes of two vectors differ";

/// The statements of a block, and those that are put before each of them.
class Slots {
public:
    Slots(const Function& function, Block& block)
        : m_block(block),
          m_mentioned(function, block),
          m_before(block.statements.size()) {}

    [[nodiscard]] std::size_t count() const { return m_before.size(); }
    [[nodiscard]] const Statement& at(std::size_t slot) const { return m_block.statements[slot]; }
    /// Those with a statement that mentions a symbol.
    [[nodiscard]] const std::vector<std::size_t>& of(SymbolId symbol) const { return m_mentioned.of(symbol); }
    /// Where a symbol is declared, if that is in this block.
    [[nodiscard]] std::optional<std::size_t> declarationOf(SymbolId symbol) const {
        for (const std::size_t slot : of(symbol)) {
            if (findDeclaration(slot, symbol) != nullptr) return slot;
        }
        return std::nullopt;
    }
    [[nodiscard]] const Declare* findDeclaration(std::size_t slot, SymbolId symbol) const {
        const Declare* found = nullptr;
        forEachIn(slot, [&](const Statement& statement) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            if (declare != nullptr && declare->symbol == symbol) found = declare;
        });
        return found;
    }
    template <typename Visit>
    void forEachIn(std::size_t slot, const Visit& visit) const {
        for (const Statement& statement : m_before[slot]) visit(statement);
        visit(m_block.statements[slot]);
    }
    template <typename Holds>
    [[nodiscard]] bool allIn(std::size_t slot, const Holds& holds) const {
        return std::ranges::all_of(m_before[slot], holds) && holds(m_block.statements[slot]);
    }

    /// Changes statements of a slot.
    template <typename Change>
    void change(std::size_t slot, const Change& change) {
        forEachIn(slot, [&](const Statement& statement) { m_mentioned.forget(statement, slot); });
        for (Statement& statement : m_before[slot]) change(statement);
        change(m_block.statements[slot]);
        forEachIn(slot, [&](const Statement& statement) { m_mentioned.update(statement, slot); });
    }
    void remove(std::size_t slot) {
        change(slot, [&](Statement& statement) {
            if (&statement == &m_block.statements[slot]) statement = emptyStatement();
        });
    }
    void insert(std::size_t slot, std::vector<Statement> statements) {
        for (const Statement& statement : statements) m_mentioned.update(statement, slot);
        std::vector<Statement>& before = m_before[slot];
        before.insert(before.begin(), std::make_move_iterator(statements.begin()),
                      std::make_move_iterator(statements.end()));
    }
    /// Puts everything into the block.
    void close() {
        std::vector<Statement> all;
        for (std::size_t slot = 0; slot < count(); ++slot) {
            std::ranges::move(m_before[slot], std::back_inserter(all));
            all.push_back(std::move(m_block.statements[slot]));
        }
        m_block.statements = std::move(all);
        removeEmptyStatements(m_block);
    }

private:
    Block& m_block;
    Mentions m_mentioned;
    std::vector<std::vector<Statement>> m_before;
};

/// The vectors that are zeros of the shape of another one in the whole function.
class SteadyShapes {
public:
    explicit SteadyShapes(const Function& function) : m_function(function), m_effects(function) {
        learn(function.body, false);
    }

    /// Whether a place has the shape of an example, wherever both are visible.
    [[nodiscard]] bool isLike(ExpressionId place, ExpressionId example) const {
        const Expression& name = m_function.at(place);
        if (name.kind != ExpressionKind::Name) return false;
        const auto symbol = std::get<SymbolId>(name.payload);
        const auto own = m_examples.find(symbol);
        return own != m_examples.end() && !m_reshaped.contains(symbol) && areSame(m_function, own->second, example) &&
               !m_effects.mentionsAny(example, m_reshaped);
    }

private:
    void learn(const Block& block, bool isFunction) {
        for (const Statement& statement : block.statements) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            const auto* const assign = std::get_if<Assign>(&statement.what);
            if (declare != nullptr && declare->value.isValid()) {
                const Expression& value = m_function.at(declare->value);
                if (value.kind == ExpressionKind::Run && std::get<Operation>(value.payload) == Operation::ZeroLike)
                    m_examples.emplace(declare->symbol, value.operands[0]);
            }
            if (assign != nullptr || std::holds_alternative<Resize>(statement.what))
                m_effects.addChanged(statement, m_reshaped);
            // Nothing comes after a return, unless a function value is called again.
            if (isFunction || !std::holds_alternative<Return>(statement.what))
                forEachExpression(statement, [&](ExpressionId expression) { addMoved(expression); });
            forEachBlock(statement, [&](const Block& inner) {
                learn(inner, isFunction || std::holds_alternative<DefineFunction>(statement.what));
            });
        }
    }
    void addMoved(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Move) m_effects.addChanged(Statement{Clear{at.operands[0]}}, m_reshaped);
        for (const ExpressionId operand : at.operands) addMoved(operand);
    }

    const Function& m_function;
    Effects m_effects;
    absl::flat_hash_map<SymbolId, ExpressionId> m_examples;
    SymbolSet m_reshaped;  ///< may get, or lose, elements
};

class Targets {
public:
    Targets(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    /// Outer blocks first: what is added to a vector inside has a target then.
    void run(Block& block) {
        Slots slots(m_function, block);
        bool isChanged = false;
        for (std::size_t i = 0; i < slots.count(); ++i) isChanged = takeTarget(slots, i) || isChanged;
        if (isChanged) slots.close();
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
    }

private:
    /// A vector that is only made to be added, in the slots of a block.
    struct Sum {
        SymbolId vector;
        ExpressionId size;  ///< or what the vector has the shape of
        ExpressionId place;
        bool isLike;                       ///< the vector has the shape of another one
        bool isFilled;                     ///< each element is set once
        std::vector<std::size_t> between;  ///< what adds to the vector, or sets its elements
        std::size_t declared;
        std::size_t first;  ///< the first of these, or the addition
        std::size_t added;
    };

    bool takeTarget(Slots& slots, std::size_t added) {
        const std::optional<Sum> sum = sumOf(slots, added);
        if (!sum || !isMadeToBeAdded(slots, *sum) || !isSizeKept(slots, *sum)) return false;
        const std::optional<SymbolId> moved = movedName(slots, *sum);
        if (!moved && !isKnownBefore(slots, sum->place, sum->first)) return false;
        if (!isPlaceFree(slots, *sum)) return false;
        if (!m_zeros) m_zeros.emplace(m_types, m_function);
        // A place with -0.0 would lose its sign to the vector's zeros.
        if (!m_zeros->hasNone(sum->place)) return false;
        replace(slots, *sum, moved);
        return true;
    }

    [[nodiscard]] std::optional<Sum> sumOf(const Slots& slots, std::size_t added) const {
        const auto* const add = std::get_if<Accumulate>(&slots.at(added).what);
        if (add == nullptr || add->isDifference) return std::nullopt;
        const std::optional<SymbolId> vector = vectorOf(add->value);
        if (!vector || mentionsName(m_function, add->place, *vector)) return std::nullopt;
        const std::vector<std::size_t>& uses = slots.of(*vector);
        if (uses.size() < 2 || uses.back() != added) return std::nullopt;
        const auto* const declare = std::get_if<Declare>(&slots.at(uses.front()).what);
        if (declare == nullptr || declare->symbol != *vector || !declare->value.isValid()) return std::nullopt;
        const Expression& made = m_function.at(declare->value);
        const bool isLike =
            made.kind == ExpressionKind::Run && made.payload == Expression::Payload(Operation::ZeroLike);
        if (!isLike && (made.kind != ExpressionKind::Filled || made.operands.size() != 1)) return std::nullopt;
        return Sum{.vector = *vector,
                   .size = made.operands[0],
                   .place = add->place,
                   .isLike = isLike,
                   .isFilled = declare->isOverwritten,
                   .between = {std::next(uses.begin()), std::prev(uses.end())},
                   .declared = uses.front(),
                   .first = uses[1],
                   .added = added};
    }
    /// The vector of numbers, or of vectors, that is added and not used afterwards.
    [[nodiscard]] std::optional<SymbolId> vectorOf(ExpressionId value) const {
        const Expression& at = m_function.at(value);
        const Expression& name = at.kind == ExpressionKind::Move ? m_function.at(at.operands[0]) : at;
        if (name.kind != ExpressionKind::Name) return std::nullopt;
        const SymbolId symbol = std::get<SymbolId>(name.payload);
        if (m_function.at(symbol).storage != Storage::Variable || !m_types.isTensor(name.type)) return std::nullopt;
        return m_types.rank(name.type) == 1 ? std::optional(symbol) : std::nullopt;
    }

    /// Whether nothing but its addition reads the vector.
    [[nodiscard]] bool isMadeToBeAdded(const Slots& slots, const Sum& sum) {
        const ir::TypeId element = m_types.element(m_function.at(sum.vector).type);
        if (sum.isFilled) return isFilledOnce(slots, sum);
        if (!isOfNumbers(element) && !(sum.isLike && isLikePlace(sum))) return false;
        const SymbolSet vector{sum.vector};
        return std::ranges::all_of(sum.between, [&](std::size_t use) {
            return slots.allIn(use, [&](const Statement& statement) {
                return isOnlyAddedTo(statement, vector) && endsBefore(slots, statement, sum);
            });
        });
    }
    [[nodiscard]] bool isOfNumbers(ir::TypeId type) const {
        if (!m_types.isTuple(type)) return m_types.isNumeric(type);
        return std::ranges::all_of(m_types.children(type), [this](ir::TypeId part) { return isOfNumbers(part); });
    }
    [[nodiscard]] bool isLikePlace(const Sum& sum) {
        if (!m_shapes) m_shapes.emplace(m_function);
        return m_shapes->isLike(sum.place, sum.size);
    }
    /// Whether a name that a statement gives a part of the vector is not used after the addition.
    [[nodiscard]] bool endsBefore(const Slots& slots, const Statement& statement, const Sum& sum) const {
        const auto* const declare = std::get_if<Declare>(&statement.what);
        return declare == nullptr || !declare->value.isValid() ||
               !mentionsName(m_function, declare->value, sum.vector) || slots.of(declare->symbol).back() < sum.added;
    }
    /// Whether a loop sets each element once, whatever branches it takes, and nothing else is done with the vector.
    [[nodiscard]] bool isFilledOnce(const Slots& slots, const Sum& sum) const {
        if (sum.between.size() != 1) return false;
        const auto* const loop = std::get_if<For>(&slots.at(sum.first).what);
        if (loop == nullptr || loop->begin.isValid() || loop->isVisibleAfter || mayLeave(loop->body)) return false;
        return areSame(m_function, loop->end, sum.size) && setsOnce(loop->body, sum.vector, loop->index);
    }
    [[nodiscard]] bool setsOnce(const Block& block, SymbolId vector, SymbolId index) const {
        const Statement* found = nullptr;
        for (const Statement& statement : block.statements) {
            SymbolSet mentioned;
            addMentioned(m_function, statement, mentioned);
            if (!mentioned.contains(vector)) continue;
            if (found != nullptr) return false;
            found = &statement;
        }
        if (found == nullptr) return false;
        if (const auto* const either = std::get_if<If>(&found->what)) {
            return !mentionsName(m_function, either->condition, vector) && setsOnce(either->then, vector, index) &&
                   setsOnce(either->otherwise, vector, index);
        }
        const auto* const assign = std::get_if<Assign>(&found->what);
        if (assign == nullptr || mentionsName(m_function, assign->value, vector)) return false;
        const Expression& place = m_function.at(assign->place);
        return place.kind == ExpressionKind::Element && place.operands.size() == 2 &&
               isName(m_function, place.operands[0], vector) && isName(m_function, place.operands[1], index);
    }

    /// Whether the size of the vector is the same one until something is added to it.
    [[nodiscard]] bool isSizeKept(const Slots& slots, const Sum& sum) const {
        SymbolSet changed;
        for (std::size_t i = sum.declared + 1; i < sum.first; ++i) {
            slots.forEachIn(i, [&](const Statement& statement) { m_effects.addChanged(statement, changed); });
        }
        return !m_effects.mentionsAny(sum.size, changed);
    }

    /// The name of the place, if it is declared after something was added to the vector already, but could be before.
    [[nodiscard]] std::optional<SymbolId> movedName(const Slots& slots, const Sum& sum) const {
        const Expression& place = m_function.at(sum.place);
        if (place.kind != ExpressionKind::Name) return std::nullopt;
        const auto symbol = std::get<SymbolId>(place.payload);
        const std::optional<std::size_t> named = slots.declarationOf(symbol);
        if (!named || *named < sum.first || m_function.at(symbol).storage != Storage::Place) return std::nullopt;
        const ExpressionId value = slots.findDeclaration(*named, symbol)->value;
        return value.isValid() && isKnownBefore(slots, value, sum.first) ? std::optional(symbol) : std::nullopt;
    }
    /// Whether an expression is a place at known indices of what exists before a slot.
    [[nodiscard]] bool isKnownBefore(const Slots& slots, ExpressionId expression, std::size_t first) const {
        const Expression& at = m_function.at(expression);
        switch (at.kind) {
            case ExpressionKind::Literal: return true;
            case ExpressionKind::Name: return slots.declarationOf(std::get<SymbolId>(at.payload)).value_or(0) < first;
            case ExpressionKind::Part: return isKnownBefore(slots, at.operands[0], first);
            case ExpressionKind::Element: {
                const auto isFixed = [&](ExpressionId index) {
                    const Expression& number = m_function.at(index);
                    if (number.kind == ExpressionKind::Literal) return true;
                    if (number.kind != ExpressionKind::Name) return false;
                    const Storage storage = m_function.at(std::get<SymbolId>(number.payload)).storage;
                    return storage == Storage::Constant || storage == Storage::Index || storage == Storage::Parameter;
                };
                return std::all_of(std::next(at.operands.begin()), at.operands.end(), isFixed) &&
                       std::ranges::all_of(at.operands,
                                           [&](ExpressionId operand) { return isKnownBefore(slots, operand, first); });
            }
            default: return false;
        }
    }

    /// Whether the place is only added to until the vector is added to it.
    [[nodiscard]] bool isPlaceFree(const Slots& slots, const Sum& sum) const {
        SymbolSet owners;
        ExpressionId root = sum.place;
        while (m_function.at(root).kind != ExpressionKind::Name) root = m_function.at(root).operands[0];
        m_effects.forEachOwner(std::get<SymbolId>(m_function.at(root).payload),
                               [&](SymbolId owner) { owners.insert(owner); });
        for (std::size_t i = sum.first; i < sum.added; ++i) {
            if (!slots.allIn(i, [&](const Statement& statement) {
                    return !mayLeave(statement) && isOnlyAddedTo(statement, owners);
                }))
                return false;
        }
        return true;
    }

    /// Whether all symbols of a set that a statement mentions are places that it adds to, gives names, or compares the sizes of.
    [[nodiscard]] bool isOnlyAddedTo(const Statement& statement, const SymbolSet& set) const {
        if (const auto* const declare = std::get_if<Declare>(&statement.what);
            declare != nullptr && declare->value.isValid() && m_function.at(declare->symbol).storage == Storage::Place)
            return areIndicesApart(declare->value, set);
        if (const auto* const require = std::get_if<Require>(&statement.what))
            return areSizesOnly(require->condition, set);
        if (const auto* const add = std::get_if<Accumulate>(&statement.what))
            return areIndicesApart(add->place, set) && isApart(add->value, set);
        bool isFine = true;
        forEachExpression(statement, [&](ExpressionId expression) { isFine = isFine && isApart(expression, set); });
        const bool isFunction = std::holds_alternative<DefineFunction>(statement.what);
        forEachBlock(statement, [&](const Block& inner) {
            isFine = isFine && std::ranges::all_of(inner.statements, [&](const Statement& each) {
                         return isFunction ? isApart(each, set) : isOnlyAddedTo(each, set);
                     });
        });
        return isFine;
    }
    [[nodiscard]] bool isApart(ExpressionId expression, const SymbolSet& set) const {
        return !m_effects.mentionsAny(expression, set);
    }
    [[nodiscard]] bool isApart(const Statement& statement, const SymbolSet& set) const {
        SymbolSet mentioned;
        addMentioned(m_function, statement, mentioned);
        return std::ranges::none_of(mentioned, [&](SymbolId symbol) { return m_effects.isIn(symbol, set); });
    }
    /// Whether a place, if it is one, has its root as the only symbol of the set.
    [[nodiscard]] bool areIndicesApart(ExpressionId place, const SymbolSet& set) const {
        const Expression& at = m_function.at(place);
        if (at.kind == ExpressionKind::Name) return true;
        if (at.kind != ExpressionKind::Part && at.kind != ExpressionKind::Element) return isApart(place, set);
        return areIndicesApart(at.operands[0], set) &&
               std::all_of(std::next(at.operands.begin()), at.operands.end(),
                           [&](ExpressionId index) { return isApart(index, set); });
    }
    [[nodiscard]] bool areSizesOnly(ExpressionId condition, const SymbolSet& set) const {
        const Expression& at = m_function.at(condition);
        if (at.kind == ExpressionKind::Name) return isApart(condition, set);
        if (at.kind == ExpressionKind::Run) {
            const Operation operation = std::get<Operation>(at.payload);
            const bool isSize = operation == Operation::Size || operation == Operation::Sizes ||
                                operation == Operation::Shape || operation == Operation::Dimension;
            if (isSize) return areIndicesApart(at.operands[0], set);
        }
        return std::ranges::all_of(at.operands, [&](ExpressionId operand) { return areSizesOnly(operand, set); });
    }

    /// Makes the vector another name for the place, or uses the name that the place has.
    void replace(Slots& slots, const Sum& sum, std::optional<SymbolId> moved) {
        const ir::TermId term = slots.at(sum.declared).term;
        std::vector<Statement> before;
        if (moved) {
            slots.change(*slots.declarationOf(*moved), [&](Statement& statement) {
                const auto* const declare = std::get_if<Declare>(&statement.what);
                if (declare != nullptr && declare->symbol == *moved)
                    before.push_back(std::exchange(statement, emptyStatement()));
            });
        }
        ExpressionId place = sum.place;
        const bool hasName = m_function.at(place).kind == ExpressionKind::Name;
        if (!hasName) {
            SymbolInfo& symbol = m_function.symbols[sum.vector.value];
            symbol.storage = Storage::Place;
            before.push_back({Declare{sum.vector, place}, term});
            m_effects.learn(before.back());
            place = m_function.add({ExpressionKind::Name, symbol.type, sum.vector});
        }
        if (isOfNumbers(m_types.element(m_function.at(sum.vector).type)) || !sum.isLike) {
            const ExpressionId size = sum.isLike ? sizeOf(sum.size) : sum.size;
            before.push_back({Require{isOfSize(place, size), Differ}, term});
        }
        slots.remove(sum.declared);
        slots.remove(sum.added);
        for (const std::size_t use : sum.between) {
            slots.change(use, [&](Statement& statement) {
                if (sum.isFilled) addElements(statement, sum);
                if (hasName) replaceName(m_function, statement, sum.vector, place);
                m_effects.learn(statement);
            });
        }
        slots.insert(sum.first, std::move(before));
    }
    ExpressionId isOfSize(ExpressionId vector, ExpressionId size) {
        const Expression& length = m_function.at(size);
        if (length.payload == Expression::Payload(Operation::AsSize)) size = length.operands[0];
        return m_function.add({ExpressionKind::Binary, m_types.boolean(), Operator::Equal, {sizeOf(vector), size}});
    }
    ExpressionId sizeOf(ExpressionId vector) {
        return m_function.add(
            {ExpressionKind::Run, m_types.integer(), Operation::Size, {vector}, {}, 0, ir::sizeRange()});
    }
    /// Adds what would be set.
    void addElements(Statement& statement, const Sum& sum) {
        forEachBlock(statement, [&](Block& inner) {
            for (Statement& each : inner.statements) addElements(each, sum);
            removeEmptyStatements(inner);
        });
        const auto* const assign = std::get_if<Assign>(&statement.what);
        if (assign == nullptr) return;
        const Expression place = m_function.at(assign->place);
        if (place.kind != ExpressionKind::Element || !isName(m_function, place.operands[0], sum.vector)) return;
        const Expression value = m_function.at(assign->value);
        if (isZero(value)) {
            statement = emptyStatement();
        } else if (value.kind == ExpressionKind::Filled && value.operands.size() == (isOfZeros(value) ? 2 : 1) &&
                   m_types.isTensor(place.type) && isOfNumbers(m_types.element(place.type))) {
            statement.what = Require{isOfSize(assign->place, value.operands[0]), Differ};
        } else {
            statement.what = Accumulate{assign->place, assign->value, false, !m_types.isNumeric(place.type)};
        }
    }
    [[nodiscard]] bool isZero(const Expression& value) const {
        return value.kind == ExpressionKind::Literal &&
               (value.payload == Expression::Payload(0.0) || value.payload == Expression::Payload(std::int64_t{0}));
    }
    [[nodiscard]] bool isOfZeros(const Expression& filled) const {
        return filled.payload == Expression::Payload(true) && isZero(m_function.at(filled.operands.back()));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    std::optional<SignedZeros> m_zeros;
    std::optional<SteadyShapes> m_shapes;
};

}  // namespace

void addToTargets(const ir::TypeTable& types, Function& function) { Targets(types, function).run(function.body); }

}  // namespace mitos::loops
