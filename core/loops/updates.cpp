// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/updates.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"
#include "core/loops/internal/signed_zeros.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

constexpr std::size_t MostNames = 6;  // that stand between a vector and its size

class Updates {
public:
    Updates(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run() {
        takePlaces(m_function.body);
        addSources(m_function.body);
        addInPlace(m_function.body);
        changeOneElement(m_function.body);
    }

private:
    // --- values are made where they are assigned ----------------------------------------------------------------------

    void takePlaces(Block& block) {
        Mentions mentioned(m_function, block);
        for (std::size_t i = block.statements.size(); i-- > 0;) {
            const auto* const assign = std::get_if<Assign>(&block.statements[i].what);
            if (assign != nullptr) takePlace(block, i, mentioned);
        }
        removeEmptyStatements(block);
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { takePlaces(inner); });
        }
    }

    /// Gives a variable that is assigned to another one at the end the place of that one.
    void takePlace(Block& block, std::size_t assigned, Mentions& mentioned) {
        const Assign assign = std::get<Assign>(block.statements[assigned].what);
        if (isIdle(assign)) return drop(block, assigned, mentioned);
        const std::optional<SymbolId> made = madeVariable(assign.value);
        if (!made || !isSteadyPlace(assign.place)) return;
        const std::vector<std::size_t> uses = mentioned.of(*made);
        if (uses.size() < 2 || uses.back() != assigned) return;
        const std::size_t declared = uses.front();
        const auto* const declare = std::get_if<Declare>(&block.statements[declared].what);
        if (declare == nullptr || declare->symbol != *made || !declare->value.isValid()) return;
        const ExpressionKind kind = m_function.at(declare->value).kind;
        if (kind == ExpressionKind::Empty) {
            SymbolSet owners;
            m_effects.addChanged(Statement{Clear{assign.place}}, owners);
            const bool isChosen = uses.size() == 3 && isLastIn(block.statements[uses[1]], *made, owners) &&
                                  isApart(block, uses[1] + 1, assigned, assign.place);
            if (!isChosen) return;
            assignInBranches(block.statements[uses[1]], *made, assign.place);
            mentioned.update(block.statements[uses[1]], uses[1]);
        } else {
            const bool isName = m_function.at(assign.place).kind == ExpressionKind::Name;
            if (!isName || kind == ExpressionKind::Filled || !isApart(block, declared + 1, assigned, assign.place))
                return;
            for (const std::size_t use : uses) {
                if (use == declared || use == assigned) continue;
                mentioned.forget(block.statements[use], use);
                replaceName(m_function, block.statements[use], *made, assign.place);
                m_effects.learn(block.statements[use]);
                mentioned.update(block.statements[use], use);
            }
            const Assign first{assign.place, declare->value};
            mentioned.forget(block.statements[declared], declared);
            block.statements[declared].what = first;
            mentioned.update(block.statements[declared], declared);
            drop(block, assigned, mentioned);
            if (isIdle(first)) drop(block, declared, mentioned);
            return;
        }
        drop(block, declared, mentioned);
        drop(block, assigned, mentioned);
    }

    void drop(Block& block, std::size_t at, Mentions& mentioned) {
        mentioned.forget(block.statements[at], at);
        block.statements[at] = emptyStatement();
    }

    /// Whether a place is assigned to itself.
    [[nodiscard]] bool isIdle(const Assign& assign) const {
        const Expression& at = m_function.at(assign.value);
        const ExpressionId value = at.kind == ExpressionKind::Move ? at.operands[0] : assign.value;
        return isPlace(m_function, value) && areSame(m_function, assign.place, resolved(value));
    }
    /// The place that a view names.
    [[nodiscard]] ExpressionId resolved(ExpressionId expression) const {
        while (m_function.at(expression).kind == ExpressionKind::Name) {
            const SymbolId symbol = std::get<SymbolId>(m_function.at(expression).payload);
            if (m_function.at(symbol).storage != Storage::View) break;
            const ExpressionId definition = m_effects.definition(symbol);
            if (!definition.isValid() || !isSteadyPlace(definition)) break;
            expression = definition;
        }
        return expression;
    }
    /// The variable that is moved or copied.
    [[nodiscard]] std::optional<SymbolId> madeVariable(ExpressionId value) const {
        const Expression& at = m_function.at(value);
        const Expression& name = at.kind == ExpressionKind::Move ? m_function.at(at.operands[0]) : at;
        if (name.kind != ExpressionKind::Name) return std::nullopt;
        const SymbolId symbol = std::get<SymbolId>(name.payload);
        return m_function.at(symbol).storage == Storage::Variable ? std::optional(symbol) : std::nullopt;
    }
    /// Whether a place is the same one in the whole block.
    [[nodiscard]] bool isSteadyPlace(ExpressionId place) const {
        const Expression& at = m_function.at(place);
        if (at.kind == ExpressionKind::Name) {
            const Storage storage = m_function.at(std::get<SymbolId>(at.payload)).storage;
            return storage == Storage::Variable || storage == Storage::Series;
        }
        if (at.kind != ExpressionKind::Element) return false;
        return isSteadyPlace(at.operands[0]) && std::all_of(std::next(at.operands.begin()), at.operands.end(),
                                                            [this](ExpressionId index) { return isSteady(index); });
    }
    /// Whether a number is a literal or a name whose value stays.
    [[nodiscard]] bool isSteady(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Literal) return true;
        if (at.kind != ExpressionKind::Name) return false;
        const Storage storage = m_function.at(std::get<SymbolId>(at.payload)).storage;
        return storage == Storage::Index || storage == Storage::Constant || storage == Storage::Parameter;
    }

    /// Whether statements have nothing to do with a place, and the last of them is always reached.
    [[nodiscard]] bool isApart(const Block& block, std::size_t begin, std::size_t end, ExpressionId place) const {
        SymbolSet owners;
        m_effects.addChanged(Statement{Assign{place, place}}, owners);
        return std::all_of(
            block.statements.begin() + static_cast<std::ptrdiff_t>(begin),
            block.statements.begin() + static_cast<std::ptrdiff_t>(end),
            [&](const Statement& statement) { return !mentionsAny(statement, owners) && !mayLeave(statement); });
    }
    [[nodiscard]] bool mentionsAny(const Statement& statement, const SymbolSet& symbols) const {
        SymbolSet mentioned;
        addMentioned(m_function, statement, mentioned);
        return std::ranges::any_of(mentioned, [&](SymbolId symbol) { return m_effects.isIn(symbol, symbols); });
    }

    /// Whether each branch of a choice assigns the variable once, perhaps in branches of its own, and does nothing else with it; afterwards
    /// it does not use the owners of the place that is to be assigned instead.
    [[nodiscard]] bool isLastIn(const Statement& statement, SymbolId symbol, const SymbolSet& owners) const {
        const auto* const either = std::get_if<If>(&statement.what);
        if (either == nullptr || mentionsName(m_function, either->condition, symbol)) return false;
        return isLastIn(either->then, symbol, owners) && isLastIn(either->otherwise, symbol, owners);
    }
    [[nodiscard]] bool isLastIn(const Block& block, SymbolId symbol, const SymbolSet& owners) const {
        if (mayLeave(block)) return false;
        const std::optional<std::size_t> at = placeIn(block, symbol);
        if (!at) return false;
        for (std::size_t i = *at + 1; i < block.statements.size(); ++i) {
            if (mentionsAny(block.statements[i], owners) || mentionsAny(block.statements[i], SymbolSet{symbol}))
                return false;
        }
        const auto* const assign = std::get_if<Assign>(&block.statements[*at].what);
        if (assign == nullptr) return isLastIn(block.statements[*at], symbol, owners);
        return isName(m_function, assign->place, symbol) && !mentionsName(m_function, assign->value, symbol);
    }
    /// The first statement that mentions a variable.
    [[nodiscard]] std::optional<std::size_t> placeIn(const Block& block, SymbolId symbol) const {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            if (mentionsAny(block.statements[i], SymbolSet{symbol})) return i;
        }
        return std::nullopt;
    }
    void assignInBranches(Statement& choice, SymbolId symbol, ExpressionId place) {
        forEachBlock(choice, [&](Block& branch) {
            const std::size_t at = *placeIn(branch, symbol);
            auto* const assign = std::get_if<Assign>(&branch.statements[at].what);
            if (assign == nullptr) return assignInBranches(branch.statements[at], symbol, place);
            assign->place = place;
            if (isIdle(*assign)) branch.statements.erase(branch.statements.begin() + static_cast<std::ptrdiff_t>(at));
        });
        If& either = std::get<If>(choice.what);
        if (!either.then.isEmpty() || either.otherwise.isEmpty()) return;
        either.condition =
            m_function.add({ExpressionKind::Unary, m_types.boolean(), Operator::Not, {either.condition}});
        std::swap(either.then, either.otherwise);
    }

    // --- sums ---------------------------------------------------------------------------------------------------------

    /// Visits the blocks of a statement; what is known of the indices of loops holds inside.
    void inside(Statement& statement, absl::FunctionRef<void(Block&)> visit) {
        const auto* const loop = std::get_if<For>(&statement.what);
        if (loop != nullptr && !loop->isVisibleAfter) m_ends.emplace_back(loop->index, loop->end);
        forEachBlock(statement, visit);
        if (loop != nullptr && !loop->isVisibleAfter) m_ends.pop_back();
    }

    void addInPlace(Block& block) {
        std::vector<Statement> made;
        made.reserve(block.statements.size());
        for (Statement& statement : block.statements) {
            inside(statement, [this](Block& inner) { addInPlace(inner); });
            const auto* const assign = std::get_if<Assign>(&statement.what);
            std::vector<Statement> changes;
            if (assign != nullptr && isSteadyPlace(assign->place) &&
                addChanges(assign->place, assign->value, statement.term, changes)) {
                std::ranges::move(changes, std::back_inserter(made));
            } else if (const auto* const add = std::get_if<Accumulate>(&statement.what);
                       add && isDelta(add->value) && canSkipZeros(add->place, add->isDifference)) {
                addDelta(*add, statement.term, made);
            } else {
                made.push_back(std::move(statement));
            }
        }
        block.statements = std::move(made);
    }

    /// Makes the statements that change a vector in a place to a value, if that is the vector with something added or subtracted.
    bool addChanges(ExpressionId place, ExpressionId value, ir::TermId term, std::vector<Statement>& made) {
        const Expression at = m_function.at(value);
        if (at.kind != ExpressionKind::Run || !m_types.isTensor(at.type) || m_types.rank(at.type) != 1) return false;
        const Operation operation = std::get<Operation>(at.payload);
        const bool isDifference = operation == Operation::SubParts;
        if (!isDifference && operation != Operation::AddParts && operation != Operation::AddTangent) return false;
        const bool isFirst = isOf(at.operands[0], place);
        const ExpressionId summand = at.operands[isFirst ? 1 : 0];
        const ExpressionId sum = at.operands[isFirst ? 0 : 1];
        SymbolSet owners;
        m_effects.addChanged(Statement{Assign{place, place}}, owners);
        if (m_function.at(summand).type != at.type && !isDelta(summand)) return false;
        if (isDifference && (!isFirst || !isDelta(summand))) return false;
        if (!isPlaceItself(sum, place)) {
            // A sum of more than two: the first ones are added first.
            if (!isFirst || m_effects.mentionsAny(summand, owners) || !addChanges(place, sum, term, made)) return false;
        }
        const Accumulate add{place, summand, isDifference, true};
        if (isDelta(summand) && canSkipZeros(place, isDifference)) {
            addDelta(add, term, made);
            return true;
        }
        if (isDifference) return false;
        made.push_back({add, term});
        return true;
    }
    /// Whether a value is that of a place, or a sum that begins with it.
    [[nodiscard]] bool isOf(ExpressionId value, ExpressionId place) const {
        const Expression& at = m_function.at(value);
        if (at.kind == ExpressionKind::Run && at.operands.size() == 2) return isOf(at.operands[0], place);
        return isPlaceItself(value, place);
    }
    [[nodiscard]] bool isPlaceItself(ExpressionId value, ExpressionId place) const {
        const Expression& at = m_function.at(value);
        return areSame(m_function, resolved(at.kind == ExpressionKind::Move ? at.operands[0] : value), place);
    }
    [[nodiscard]] bool isDelta(ExpressionId value) const {
        const Expression& at = m_function.at(value);
        return at.kind == ExpressionKind::Run && at.payload == Expression::Payload(Operation::DeltaVector) &&
               m_types.isNumeric(m_types.element(at.type));
    }
    /// Whether adding 0.0 to the numbers in a place, or subtracting it, leaves them as they are.
    [[nodiscard]] bool canSkipZeros(ExpressionId place, bool isDifference) {
        if (isDifference) return true;
        if (!m_zeros) m_zeros.emplace(m_types, m_function);
        return m_zeros->hasNone(place);
    }

    /// Adds the only element of a vector that is not zero.
    void addDelta(const Accumulate& add, ir::TermId term, std::vector<Statement>& made) {
        const Expression delta = m_function.at(add.value);
        const ir::TypeId type = m_types.element(delta.type);
        const ExpressionId size = declared(delta.operands[0], m_types.integer(), "size", term, made);
        const ExpressionId at = declared(delta.operands[1], m_types.integer(), "at", term, made);
        const ExpressionId value = declared(delta.operands[2], type, "e", term, made);
        if (!hasSize(add.place, size)) {
            const ExpressionId length = m_function.add(
                {ExpressionKind::Run, m_types.integer(), Operation::Size, {add.place}, {}, 0, ir::sizeRange()});
            made.push_back({Require{binary(Operator::Equal, length, size), "the sizes of two vectors differ"}, term});
        }
        Block change;
        change.statements.push_back({Accumulate{elementOf(add.place, at), value, add.isDifference}, term});
        ifInside(at, size, std::move(change), term, made);
    }
    /// Makes one statement of those that need an element to exist.
    void ifInside(ExpressionId at, ExpressionId size, Block change, ir::TermId term, std::vector<Statement>& made) {
        const bool isCertain = std::ranges::any_of(m_ends, [&](const auto& end) {
            return isName(m_function, at, end.first) && isSteady(size) && areSame(m_function, size, end.second);
        });
        if (isCertain && change.statements.size() == 1) {
            made.push_back(std::move(change.statements[0]));
        } else {
            made.push_back({If{isInside(at, size), std::move(change)}, term});
        }
    }
    ExpressionId declared(ExpressionId expression, ir::TypeId type, std::string_view hint, ir::TermId term,
                          std::vector<Statement>& made) {
        if (isSteady(expression)) return original(expression);
        const SymbolId symbol = m_function.add({std::string(hint), {}, type, Storage::Constant});
        made.push_back({Declare{symbol, expression}, term});
        return m_function.add({ExpressionKind::Name, type, symbol, {}, {}, 0, m_function.at(expression).range});
    }
    /// The name or literal that a constant is another name for.
    [[nodiscard]] ExpressionId original(ExpressionId expression) const {
        while (m_function.at(expression).kind == ExpressionKind::Name) {
            const SymbolId symbol = std::get<SymbolId>(m_function.at(expression).payload);
            const bool isConstant = m_function.at(symbol).storage == Storage::Constant;
            const ExpressionId definition = isConstant ? m_effects.definition(symbol) : ExpressionId();
            if (!definition.isValid() || !isSteady(definition)) break;
            expression = definition;
        }
        return expression;
    }
    ExpressionId binary(Operator op, ExpressionId left, ExpressionId right) {
        return m_function.add({ExpressionKind::Binary, m_types.boolean(), op, {left, right}});
    }
    ExpressionId isInside(ExpressionId at, ExpressionId size) {
        const ExpressionId isBelow = binary(Operator::Less, at, size);
        const auto* const symbol = std::get_if<SymbolId>(&m_function.at(at).payload);
        const bool isIndex = symbol != nullptr && m_function.at(*symbol).storage == Storage::Index;
        if (isIndex || m_function.at(at).range.isNonnegative()) return isBelow;
        const ExpressionId zero = m_function.add({ExpressionKind::Literal, m_types.integer(), std::int64_t{0}});
        return binary(Operator::And, binary(Operator::GreaterEqual, at, zero), isBelow);
    }
    ExpressionId elementOf(ExpressionId vector, ExpressionId at) {
        const ir::TypeId type = m_types.element(m_function.at(vector).type);
        return m_function.add({ExpressionKind::Element, type, false, {vector, at}});
    }

    // --- one element --------------------------------------------------------------------------------------------------

    void addSources(const Block& block) {
        for (const Statement& statement : block.statements) {
            if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
                const Storage storage = m_function.at(declare->symbol).storage;
                if (storage == Storage::Place) {
                    m_effects.forEachOwner(declare->symbol, [&](SymbolId owner) { m_sources[owner].emplace_back(); });
                } else {
                    m_sources[declare->symbol].push_back(declare->value);
                }
            } else if (const auto* const assign = std::get_if<Assign>(&statement.what)) {
                const Expression& place = m_function.at(assign->place);
                if (place.kind == ExpressionKind::Name)
                    m_sources[std::get<SymbolId>(place.payload)].push_back(assign->value);
            } else if (const auto* const resize = std::get_if<Resize>(&statement.what)) {
                const Expression& place = m_function.at(resize->place);
                if (place.kind == ExpressionKind::Name) m_sources[std::get<SymbolId>(place.payload)].emplace_back();
            }
            forEachBlock(statement, [this](const Block& inner) { addSources(inner); });
        }
    }
    /// Whether a vector has a size wherever it has a value. Variables in `assumed` have it.
    [[nodiscard]] bool hasSize(ExpressionId value, ExpressionId size, SymbolSet assumed = {}) const {
        if (!value.isValid()) return false;
        const Expression& at = m_function.at(value);
        switch (at.kind) {
            case ExpressionKind::Filled: return areSame(m_function, original(at.operands[0]), original(size));
            case ExpressionKind::Move: return hasSize(at.operands[0], size, std::move(assumed));
            case ExpressionKind::Run:
                switch (std::get<Operation>(at.payload)) {
                    case Operation::AddParts:
                    case Operation::SubParts:
                    case Operation::AddTangent: return hasSize(at.operands[0], size, std::move(assumed));
                    default: return false;
                }
            case ExpressionKind::Name: break;
            default: return false;
        }
        const SymbolId symbol = std::get<SymbolId>(at.payload);
        const Storage storage = m_function.at(symbol).storage;
        if (storage == Storage::View) return hasSize(m_effects.definition(symbol), size, std::move(assumed));
        const auto found = m_sources.find(symbol);
        if (storage != Storage::Variable || found == m_sources.end()) return false;
        if (assumed.size() >= MostNames || !assumed.insert(symbol).second) return assumed.size() < MostNames;
        return std::ranges::all_of(found->second, [&](ExpressionId source) { return hasSize(source, size, assumed); });
    }

    void changeOneElement(Block& block) {
        for (Statement& statement : block.statements) {
            inside(statement, [this](Block& inner) { changeOneElement(inner); });
        }
        if (block.statements.size() < 3) return;
        const Mentions mentioned(m_function, block);
        for (std::size_t i = 2; i < block.statements.size(); ++i) changeOneElement(block, i, mentioned);
        removeEmptyStatements(block);
    }

    /// The statements before `assigned` may make a copy of a variable with another element at one index.
    void changeOneElement(Block& block, std::size_t assigned, const Mentions& mentioned) {
        const auto* const assign = std::get_if<Assign>(&block.statements[assigned].what);
        if (assign == nullptr || m_function.at(assign->place).kind != ExpressionKind::Name) return;
        const ExpressionId place = assign->place;
        const std::optional<SymbolId> copy = madeVariable(assign->value);
        if (!copy) return;
        const std::vector<std::size_t>& uses = mentioned.of(*copy);
        if (uses.size() != 3 || uses[1] + 1 != assigned || uses[2] != assigned) return;
        auto* const loop = std::get_if<For>(&block.statements[uses[1]].what);
        if (loop == nullptr || !isPlain(*loop) || loop->body.statements.size() != 1) return;
        const auto* const declare = std::get_if<Declare>(&block.statements[uses[0]].what);
        if (declare == nullptr || !isSteady(loop->end) || !hasSize(declare->value, loop->end) ||
            !hasSize(place, loop->end))
            return;
        const std::optional<Change> change = changeOf(loop->body.statements[0], *copy, loop->index, place);
        if (!change) return;
        const ir::TermId term = block.statements[assigned].term;
        Block made = change->made;
        renameIndex(made, loop->index, change->at);
        made.statements.push_back(
            {Assign{elementOf(place, change->at), replaced(m_function, change->value, loop->index, change->at)}, term});
        std::vector<Statement> changes;
        ifInside(change->at, loop->end, std::move(made), term, changes);
        block.statements[uses[1]] = std::move(changes[0]);
        block.statements[uses[0]] = emptyStatement();
        block.statements[assigned] = emptyStatement();
    }
    void renameIndex(Block& block, SymbolId index, ExpressionId by) {
        for (Statement& statement : block.statements) replaceName(m_function, statement, index, by);
    }

    /// A new element, and the statements that it needs.
    struct Change {
        ExpressionId at;
        Block made = {};
        ExpressionId value;
    };
    /// What a statement changes that copies an element of a place otherwise.
    [[nodiscard]] std::optional<Change> changeOf(const Statement& statement, SymbolId copy, SymbolId index,
                                                 ExpressionId place) const {
        if (const auto* const assign = std::get_if<Assign>(&statement.what)) {
            const Expression& value = m_function.at(assign->value);
            if (value.kind != ExpressionKind::Choice || !isElementOf(assign->place, copy, index)) return std::nullopt;
            const ExpressionId at = indexOf(value.operands[0], index);
            if (!at.isValid() || !isKept(value.operands[2], place, index)) return std::nullopt;
            return Change{at, {}, value.operands[1]};
        }
        const auto* const either = std::get_if<If>(&statement.what);
        if (either == nullptr || either->then.isEmpty() || either->otherwise.statements.size() != 1)
            return std::nullopt;
        const auto* const kept = std::get_if<Assign>(&either->otherwise.statements[0].what);
        const auto* const changed = std::get_if<Assign>(&either->then.statements.back().what);
        const ExpressionId at = indexOf(either->condition, index);
        if (kept == nullptr || changed == nullptr || !at.isValid() || mayLeave(either->then)) return std::nullopt;
        if (!isElementOf(kept->place, copy, index) || !isElementOf(changed->place, copy, index)) return std::nullopt;
        if (!isKept(kept->value, place, index)) return std::nullopt;
        Change change{at, either->then, changed->value};
        change.made.statements.pop_back();
        const auto mentionsCopy = [&](const Statement& each) { return mentionsAny(each, SymbolSet{copy}); };
        if (std::ranges::any_of(change.made.statements, mentionsCopy)) return std::nullopt;
        return mentionsName(m_function, change.value, copy) ? std::nullopt : std::optional(change);
    }
    [[nodiscard]] bool isElementOf(ExpressionId expression, SymbolId vector, SymbolId index) const {
        const Expression& at = m_function.at(expression);
        return at.kind == ExpressionKind::Element && at.operands.size() == 2 &&
               isName(m_function, at.operands[0], vector) && isName(m_function, at.operands[1], index);
    }
    [[nodiscard]] bool isKept(ExpressionId value, ExpressionId place, SymbolId index) const {
        const Expression& at = m_function.at(value);
        return at.kind == ExpressionKind::Element && at.operands.size() == 2 && isPlaceItself(at.operands[0], place) &&
               isName(m_function, at.operands[1], index);
    }
    /// The other side of a test whether an index is some number.
    [[nodiscard]] ExpressionId indexOf(ExpressionId condition, SymbolId index) const {
        const Expression& at = m_function.at(condition);
        if (at.kind != ExpressionKind::Binary || at.payload != Expression::Payload(Operator::Equal)) return {};
        for (std::size_t i = 0; i < 2; ++i) {
            if (isName(m_function, original(at.operands[i]), index) && isSteady(at.operands[1 - i]) &&
                m_function.at(at.operands[1 - i]).type == m_types.integer())
                return original(at.operands[1 - i]);
        }
        return {};
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    std::optional<SignedZeros> m_zeros;
    std::vector<std::pair<SymbolId, ExpressionId>> m_ends;  ///< the loops around: their indices, which are below
    absl::flat_hash_map<SymbolId, std::vector<ExpressionId>> m_sources;  ///< what variables are assigned as a whole
};

}  // namespace

void updateInPlace(const ir::TypeTable& types, Function& function) { Updates(types, function).run(); }

}  // namespace mitos::loops
