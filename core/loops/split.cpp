// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/split.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/index_conditions.h"
#include "core/loops/internal/outside.h"
#include "core/loops/internal/signed_zeros.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

constexpr std::size_t MostStatements = 8;
/// A loop that is known to make fewer iterations is left to compilers, which unroll it.
constexpr double FewestIterations = 16.0;

class RangeSplitter {
public:
    RangeSplitter(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function),
          m_conditions(types, function, m_effects) {}

    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
            auto* const loop = std::get_if<For>(&block.statements[i].what);
            if (loop == nullptr || !m_conditions.enter(*loop)) continue;
            m_names.clear();
            settle(loop->body);
            if (!mayBeSplit(*loop) || !findBounds(*loop)) continue;
            Block made = parts(*loop, block.statements[i].term);
            m_effects.learn(made);
            const std::size_t count = made.statements.size();
            const auto at = block.statements.begin() + static_cast<std::ptrdiff_t>(i);
            block.statements.insert(block.statements.erase(at), std::make_move_iterator(made.statements.begin()),
                                    std::make_move_iterator(made.statements.end()));
            i += count - 1;
        }
    }

private:
    /// Forgets conditions that are known in all iterations.
    void settle(Block& block) {
        std::vector<Statement> statements;
        for (Statement& statement : block.statements) {
            if (auto* const choice = std::get_if<If>(&statement.what)) {
                if (const std::optional<bool> isThen = m_conditions.truth(choice->condition, {})) {
                    Block taken = std::move(*isThen ? choice->then : choice->otherwise);
                    settle(taken);
                    std::ranges::move(taken.statements, std::back_inserter(statements));
                    continue;
                }
            }
            if (holds(statement, {})) continue;
            if (!std::holds_alternative<DefineFunction>(statement.what)) {
                replaceExpressions(statement, [this](ExpressionId expression) { return copied(expression, {}); });
                forEachBlock(statement, [this](Block& inner) { settle(inner); });
            }
            statements.push_back(std::move(statement));
        }
        block.statements = std::move(statements);
    }
    /// Whether a statement requires what is known.
    bool holds(const Statement& statement, Parts part) {
        const auto* const require = std::get_if<Require>(&statement.what);
        return require != nullptr && m_conditions.truth(require->condition, part) == true;
    }

    // --- loops that are split -----------------------------------------------------------------------------------------

    bool mayBeSplit(const For& loop) {
        std::size_t count = 0;
        if (!isPlain(loop) || !isArithmetic(loop.body, count)) return false;
        const Expression& end = m_function.at(loop.end);
        const bool isSize = end.kind == ExpressionKind::Name || end.kind == ExpressionKind::Literal;
        const ir::ValueRange range = m_conditions.sums().rangeOf(loop.end);
        return isSize && range.isNonnegative() && range.high >= FewestIterations;
    }
    /// Whether a block has few statements, which compute numbers and do nothing that takes long; adds their number.
    bool isArithmetic(const Block& block, std::size_t& count) const {
        count += block.statements.size();
        return count <= MostStatements && std::ranges::all_of(block.statements, [&](const Statement& statement) {
                   bool isFine = isArithmetic(statement);
                   forEachExpression(statement, [&](ExpressionId each) { isFine = isFine && isArithmetic(each); });
                   if (const auto* const choice = std::get_if<If>(&statement.what))
                       return isFine && isArithmetic(choice->then, count) && isArithmetic(choice->otherwise, count);
                   return isFine;
               });
    }
    [[nodiscard]] bool isArithmetic(const Statement& statement) const {
        if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
            const SymbolInfo& symbol = m_function.at(declare->symbol);
            const bool isNumber = symbol.storage == Storage::Constant || symbol.storage == Storage::Variable;
            return (isNumber && isScalar(symbol.type)) || symbol.storage == Storage::View ||
                   symbol.storage == Storage::Place;
        }
        if (const auto* const assign = std::get_if<Assign>(&statement.what))
            return isScalar(m_function.at(assign->value).type);
        if (const auto* const add = std::get_if<Accumulate>(&statement.what))
            return isScalar(m_function.at(add->value).type);
        const auto* const require = std::get_if<Require>(&statement.what);
        return std::holds_alternative<If>(statement.what) || (require != nullptr && !require->isAlways);
    }
    [[nodiscard]] bool isArithmetic(ExpressionId expression) const {
        return isComputedBy(m_function, expression,
                            [](Operation operation) { return RangeSplitter::isArithmetic(operation); });
    }
    [[nodiscard]] static bool isArithmetic(Operation operation) {
        switch (operation) {
            case Operation::Plus:
            case Operation::Minus:
            case Operation::Times:
            case Operation::Abs:
            case Operation::Max:
            case Operation::Size:
            case Operation::Copy: return true;
            default: return false;
        }
    }
    [[nodiscard]] bool isScalar(ir::TypeId type) const { return m_types.isNumeric(type) || type == m_types.boolean(); }

    // --- conditions ---------------------------------------------------------------------------------------------------

    /// Finds where the range of a loop has to be split; false if that would leave a condition in the middle, or there is none.
    bool findBounds(const For& loop) {
        std::vector<ExpressionId> guards;
        addGuards(loop.body, guards);
        const auto isBounded = [this](ExpressionId guard) {
            return m_conditions.addBounds(m_conditions.written(guard));
        };
        const auto isKnown = [this](ExpressionId guard) { return m_conditions.truth(guard, Part::Middle).has_value(); };
        return !guards.empty() && std::ranges::all_of(guards, isBounded) && std::ranges::all_of(guards, isKnown);
    }
    /// The conditions that decide about statements, or about a value with an element.
    void addGuards(const Block& block, std::vector<ExpressionId>& guards) const {
        for (const Statement& statement : block.statements) {
            if (const auto* const choice = std::get_if<If>(&statement.what)) guards.push_back(choice->condition);
            forEachExpression(statement, [&](ExpressionId expression) { addGuards(expression, guards); });
            forEachBlock(statement, [&](const Block& inner) { addGuards(inner, guards); });
        }
    }
    void addGuards(ExpressionId expression, std::vector<ExpressionId>& guards) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Choice && (hasElement(at.operands[1]) || hasElement(at.operands[2])))
            guards.push_back(at.operands[0]);
        for (const ExpressionId operand : at.operands) addGuards(operand, guards);
    }
    [[nodiscard]] bool hasElement(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        return at.kind == ExpressionKind::Element ||
               std::ranges::any_of(at.operands, [this](ExpressionId operand) { return hasElement(operand); });
    }

    // --- the parts ----------------------------------------------------------------------------------------------------

    /// The statements instead of the loop.
    Block parts(const For& loop, ir::TermId term) {
        Block made;
        const ExpressionId zero = m_conditions.sums().expression(WholeSum{});
        ExpressionId begin;
        ExpressionId end = loop.end;
        const std::optional<WholeSum>& low = m_conditions.low();
        const std::optional<WholeSum>& high = m_conditions.high();
        if (low) begin = declareBound("begin", *low, zero, loop.end, made);
        if (high) end = declareBound("end", *high, low ? begin : zero, loop.end, made);
        if (low) addLoop(loop, {}, begin, Part::First, made);
        addLoop(loop, begin, end, Part::Middle, made);
        if (high) addLoop(loop, end, loop.end, Part::Last, made);
        for (Statement& statement : made.statements) statement.term = term;
        return made;
    }
    /// Declares a number that is kept between two others.
    ExpressionId declareBound(const char* hint, const WholeSum& value, ExpressionId least, ExpressionId largest,
                              Block& block) {
        const ir::TypeId type = m_types.integer();
        const SymbolId symbol = m_function.add({hint, {}, type, Storage::Constant});
        const ExpressionId clamped = m_function.add(
            {ExpressionKind::Run, type, Operation::Clamp, {m_conditions.sums().expression(value), least, largest}});
        block.statements.push_back({Declare{symbol, clamped}});
        return m_function.add({ExpressionKind::Name, type, symbol, {}, {}, 0, ir::sizeRange()});
    }
    void addLoop(const For& loop, ExpressionId begin, ExpressionId end, Part which, Block& block) {
        m_names.clear();
        For made{fresh(loop.index), begin, end};
        copy(loop.body, made.body, which);
        if (!made.body.isEmpty()) block.statements.push_back({std::move(made)});
    }
    SymbolId fresh(SymbolId symbol) {
        const SymbolId made = m_function.add(SymbolInfo(m_function.at(symbol)));
        m_names[symbol] = m_function.add({ExpressionKind::Name, m_function.at(symbol).type, made});
        return made;
    }

    void copy(const Block& from, Block& to, Part part) {
        for (const Statement& statement : from.statements) {
            if (const auto* const choice = std::get_if<If>(&statement.what)) {
                copyChoice(*choice, statement.term, to, part);
                continue;
            }
            if (addsNothing(statement, part) || holds(statement, part)) continue;
            Statement made = statement;
            replaceExpressions(made, [&](ExpressionId expression) { return copied(expression, part); });
            if (auto* const declare = std::get_if<Declare>(&made.what)) {
                const bool isLiteral =
                    declare->value.isValid() && m_function.at(declare->value).kind == ExpressionKind::Literal;
                if (isLiteral && m_function.at(declare->symbol).storage == Storage::Constant) {
                    m_names[declare->symbol] = declare->value;
                    continue;
                }
                declare->symbol = fresh(declare->symbol);
            }
            to.statements.push_back(std::move(made));
        }
    }
    /// Whether a statement adds a zero to a number that stays the same.
    bool addsNothing(const Statement& statement, Part part) {
        const auto* const add = std::get_if<Accumulate>(&statement.what);
        if (add == nullptr || m_function.at(add->place).kind != ExpressionKind::Name) return false;
        const Expression value = m_function.at(copied(add->value, part));
        const auto* const zero = std::get_if<double>(&value.payload);
        if (value.kind != ExpressionKind::Literal || zero == nullptr || *zero != 0.0) return false;
        if (!m_zeros) m_zeros.emplace(m_types, m_function);
        return std::signbit(*zero) != add->isDifference || m_zeros->hasNone(add->place);
    }
    void copyChoice(const If& choice, ir::TermId term, Block& to, Part part) {
        if (const std::optional<bool> isThen = m_conditions.truth(choice.condition, part))
            return copy(*isThen ? choice.then : choice.otherwise, to, part);
        If made{copied(choice.condition, part)};
        copy(choice.then, made.then, part);
        copy(choice.otherwise, made.otherwise, part);
        to.statements.push_back({std::move(made), term});
    }
    ExpressionId copied(ExpressionId expression, Parts part) {
        const Expression at = m_function.at(expression);  // a copy: expressions are added
        if (at.kind == ExpressionKind::Name) {
            const auto known = m_names.find(std::get<SymbolId>(at.payload));
            if (known != m_names.end()) return known->second;
        }
        if (at.type == m_types.boolean() && at.kind != ExpressionKind::Literal) {
            if (const std::optional<bool> known = m_conditions.truth(expression, part))
                return m_function.add({ExpressionKind::Literal, at.type, *known});
        }
        if (at.kind == ExpressionKind::Choice) {
            if (const std::optional<bool> isFirst = m_conditions.truth(at.operands[0], part))
                return copied(at.operands[*isFirst ? 1 : 2], part);
        }
        if (isJoined(at)) {
            const bool decides = at.payload == Expression::Payload(Operator::Or);
            const std::optional<bool> left = m_conditions.truth(at.operands[0], part);
            if (left == decides) return m_function.add({ExpressionKind::Literal, at.type, decides});
            if (left) return copied(at.operands[1], part);
            if (m_conditions.truth(at.operands[1], part) == !decides) return copied(at.operands[0], part);
        }
        Expression made = at;
        for (ExpressionId& operand : made.operands) operand = copied(operand, part);
        return made.operands == at.operands ? expression : m_function.add(std::move(made));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    IndexConditions m_conditions;
    std::optional<SignedZeros> m_zeros;                   ///< of the function before; found when they are needed
    absl::flat_hash_map<SymbolId, ExpressionId> m_names;  ///< of the loop, in a part of it
};

}  // namespace

void splitRanges(const ir::TypeTable& types, Function& function) { RangeSplitter(types, function).run(function.body); }

}  // namespace mitos::loops
