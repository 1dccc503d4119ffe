// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/targets.h"

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

constexpr const char* Differ = "the sizes of two vectors differ";

class Targets {
public:
    Targets(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    /// Outer blocks first: what is added to a vector inside has a target then.
    void run(Block& block) {
        Mentions mentioned(m_function, block);
        std::vector<Before> before;
        for (std::size_t i = block.statements.size(); i-- > 0;) takeTarget(block, i, mentioned, before);
        insertAll(block, std::move(before));
        removeEmptyStatements(block);
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
    }

private:
    /// A statement that is put after another one.
    struct Before {
        std::size_t place;
        Statement statement;
    };

    void takeTarget(Block& block, std::size_t added, Mentions& mentioned, std::vector<Before>& before) {
        const auto* const add = std::get_if<Accumulate>(&block.statements[added].what);
        if (add == nullptr || add->isDifference) return;
        const std::optional<SymbolId> vector = vectorOf(add->value);
        if (!vector) return;
        const std::vector<std::size_t> uses = mentioned.of(*vector);
        if (uses.size() < 2 || uses.back() != added) return;
        const std::size_t declared = uses.front();
        const auto* const declare = std::get_if<Declare>(&block.statements[declared].what);
        if (declare == nullptr || declare->symbol != *vector || !declare->value.isValid()) return;
        const Expression made = m_function.at(declare->value);
        if (made.kind != ExpressionKind::Filled || made.operands.size() != 1) return;
        const std::optional<std::size_t> named = placeOf(block, *add, declared, added, mentioned);
        if (!named) return;
        const bool isFilled = declare->isOverwritten;
        if (!(isFilled ? isFilledOnce(block, uses, *vector, made.operands[0]) : isAddedTo(block, uses, *vector)))
            return;
        if (!m_zeros) m_zeros.emplace(m_types, m_function);
        if (!m_zeros->hasNone(add->place)) return;

        const ir::TermId term = block.statements[declared].term;
        const Accumulate addition = *add;
        if (isFilled) addElements(std::get<For>(block.statements[uses[1]].what).body, *vector);
        if (*named == added && m_function.at(addition.place).kind == ExpressionKind::Name) {
            for (const std::size_t use : uses) {
                mentioned.forget(block.statements[use], use);
                if (use != declared && use != added) {
                    replaceName(m_function, block.statements[use], *vector, addition.place);
                    mentioned.update(block.statements[use], use);
                }
            }
            block.statements[added] = emptyStatement();
            block.statements[declared] = {Require{isOfSize(addition.place, made.operands[0]), Differ}, term};
            mentioned.update(block.statements[declared], declared);
            return;
        }
        SymbolInfo& symbol = m_function.symbols[vector->value];
        symbol.storage = Storage::Place;
        const ExpressionId own = m_function.add({ExpressionKind::Name, symbol.type, *vector});
        before.push_back({declared, {Require{isOfSize(own, made.operands[0]), Differ}, term}});
        Statement name{Declare{*vector, addition.place}, term};
        if (*named != added) {
            const SymbolId other = std::get<Declare>(block.statements[*named].what).symbol;
            const bool isUsedHereOnly = mentioned.of(other).size() == 2;
            if (!isUsedHereOnly) before.push_back({declared, name});
            m_effects.learn(name);
            mentioned.forget(block.statements[*named], *named);
            if (isUsedHereOnly) {
                std::get<Declare>(name.what).value = std::get<Declare>(block.statements[*named].what).value;
            } else {
                name = std::move(block.statements[*named]);
            }
            block.statements[*named] = emptyStatement();
        }
        block.statements[added] = emptyStatement();
        block.statements[declared] = std::move(name);
        mentioned.update(block.statements[declared], declared);
        m_effects.learn(block.statements[declared]);
    }
    ExpressionId isOfSize(ExpressionId vector, ExpressionId size) {
        const ExpressionId length =
            m_function.add({ExpressionKind::Run, m_types.integer(), Operation::Size, {vector}, {}, 0, ir::sizeRange()});
        return m_function.add({ExpressionKind::Binary, m_types.boolean(), Operator::Equal, {length, size}});
    }
    static void insertAll(Block& block, std::vector<Before> before) {
        std::ranges::stable_sort(before, std::ranges::greater(), &Before::place);
        for (Before& one : before) {
            block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(one.place) + 1,
                                    std::move(one.statement));
        }
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

    /// Where the place that is added to has got its name, if that may happen where the vector is declared; else the addition itself, if the place
    /// exists there. Nothing between may use it.
    [[nodiscard]] std::optional<std::size_t> placeOf(const Block& block, const Accumulate& add, std::size_t declared,
                                                     std::size_t added, const Mentions& mentioned) const {
        SymbolSet owners;
        m_effects.addChanged(Statement{Clear{add.place}}, owners);
        std::size_t named = added;
        const Expression& place = m_function.at(add.place);
        if (place.kind == ExpressionKind::Name) {
            const SymbolId symbol = std::get<SymbolId>(place.payload);
            owners.insert(symbol);
            const std::vector<std::size_t>& uses = mentioned.of(symbol);
            if (!uses.empty() && uses.front() > declared) named = uses.front();
        }
        if (named != added) {
            const auto* const name = std::get_if<Declare>(&block.statements[named].what);
            if (name == nullptr || m_function.at(name->symbol).storage != Storage::Place || !isSteadyPlace(name->value))
                return std::nullopt;
        } else if (!isSteadyPlace(add.place)) {
            return std::nullopt;
        }
        for (std::size_t i = declared + 1; i < added; ++i) {
            if (i == named) continue;
            SymbolSet used;
            addMentioned(m_function, block.statements[i], used);
            if (std::ranges::any_of(used, [&](SymbolId symbol) { return m_effects.isIn(symbol, owners); }))
                return std::nullopt;
            if (leaves(block.statements[i])) return std::nullopt;
            // Indices of the place have their values already.
            const auto* const declare = std::get_if<Declare>(&block.statements[i].what);
            const ExpressionId value =
                named == added ? add.place : std::get<Declare>(block.statements[named].what).value;
            if (declare != nullptr && mentionsName(m_function, value, declare->symbol)) return std::nullopt;
        }
        return named;
    }
    [[nodiscard]] static bool leaves(const Statement& statement) {
        Block block;
        block.statements.push_back(statement);
        return mayLeave(block);
    }
    /// Whether a place is the same one in the whole block.
    [[nodiscard]] bool isSteadyPlace(ExpressionId place) const {
        const Expression& at = m_function.at(place);
        if (at.kind == ExpressionKind::Name) {
            const Storage storage = m_function.at(std::get<SymbolId>(at.payload)).storage;
            return storage == Storage::Variable || storage == Storage::Series || storage == Storage::Place;
        }
        return at.kind == ExpressionKind::Element && isSteadyPlace(at.operands[0]) &&
               std::all_of(std::next(at.operands.begin()), at.operands.end(), [this](ExpressionId index) {
                   const Expression& of = m_function.at(index);
                   if (of.kind == ExpressionKind::Literal) return true;
                   if (of.kind != ExpressionKind::Name) return false;
                   const Storage storage = m_function.at(std::get<SymbolId>(of.payload)).storage;
                   return storage == Storage::Index || storage == Storage::Constant || storage == Storage::Parameter;
               });
    }

    /// Whether numbers are added to the elements of a vector, and nothing else is done with it before the last use.
    [[nodiscard]] bool isAddedTo(const Block& block, const std::vector<std::size_t>& uses, SymbolId vector) const {
        const ir::TypeId element = m_types.element(m_function.at(vector).type);
        if (!isOfNumbers(element)) return false;
        return std::all_of(std::next(uses.begin()), std::prev(uses.end()),
                           [&](std::size_t use) { return isAddedTo(block.statements[use], vector); });
    }
    [[nodiscard]] bool isOfNumbers(ir::TypeId type) const {
        if (!m_types.isTuple(type)) return m_types.isNumeric(type);
        return std::ranges::all_of(m_types.children(type), [this](ir::TypeId part) { return isOfNumbers(part); });
    }
    [[nodiscard]] bool isAddedTo(const Statement& statement, SymbolId vector) const {
        if (std::holds_alternative<DefineFunction>(statement.what)) {
            SymbolSet mentioned;
            addMentioned(m_function, statement, mentioned);
            return !mentioned.contains(vector);
        }
        if (const auto* const add = std::get_if<Accumulate>(&statement.what)) {
            return !mentionsName(m_function, add->value, vector) && isPlainPlace(add->place, vector);
        }
        bool isFine = true;
        forEachExpression(statement, [&](ExpressionId expression) {
            isFine = isFine && !mentionsName(m_function, expression, vector);
        });
        forEachBlock(statement, [&](const Block& inner) {
            isFine = isFine && std::ranges::all_of(inner.statements,
                                                   [&](const Statement& each) { return isAddedTo(each, vector); });
        });
        return isFine;
    }
    /// Whether only the root of a place is the vector.
    [[nodiscard]] bool isPlainPlace(ExpressionId place, SymbolId vector) const {
        const Expression& at = m_function.at(place);
        if (at.kind == ExpressionKind::Name) return true;
        for (std::size_t i = 1; i < at.operands.size(); ++i) {
            if (mentionsName(m_function, at.operands[i], vector)) return false;
        }
        return at.operands.empty() || isPlainPlace(at.operands[0], vector);
    }

    /// Whether a loop sets each element once, whatever branches it takes, and nothing else is done with the vector.
    [[nodiscard]] bool isFilledOnce(const Block& block, const std::vector<std::size_t>& uses, SymbolId vector,
                                    ExpressionId size) const {
        if (uses.size() != 3) return false;
        const auto* const loop = std::get_if<For>(&block.statements[uses[1]].what);
        if (loop == nullptr || loop->begin.isValid() || loop->isVisibleAfter || mayLeave(loop->body)) return false;
        return areSame(m_function, loop->end, size) && setsOnce(loop->body, vector, loop->index);
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

    /// Adds what would be set.
    void addElements(Block& block, SymbolId vector) {
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [&](Block& inner) { addElements(inner, vector); });
            const auto* const assign = std::get_if<Assign>(&statement.what);
            if (assign == nullptr) continue;
            const Expression place = m_function.at(assign->place);
            if (place.kind != ExpressionKind::Element || !isName(m_function, place.operands[0], vector)) continue;
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
        removeEmptyStatements(block);
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
};

}  // namespace

void addToTargets(const ir::TypeTable& types, Function& function) { Targets(types, function).run(function.body); }

}  // namespace mitos::loops
