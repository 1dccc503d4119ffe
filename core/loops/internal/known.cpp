// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/known.h"

#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <variant>

namespace mitos::loops {

namespace {

constexpr std::size_t MostKept = 128;  // conditions of each kind
constexpr std::int64_t Far = std::int64_t{1} << 53U;

bool isSizeOperation(const Expression& expression) {
    if (expression.kind != ExpressionKind::Run) return false;
    const auto operation = std::get<Operation>(expression.payload);
    return operation == Operation::Size || operation == Operation::Sizes || operation == Operation::Shape ||
           operation == Operation::Dimension;
}

/// Whether the indices of a place, or the sizes of what they lead to, are others after changes.
bool isPlaceAffected(const Function& function, const Effects& effects, ExpressionId place, const Changes& changes) {
    const Expression& at = function.at(place);
    if (at.kind == ExpressionKind::Name) return effects.isIn(std::get<SymbolId>(at.payload), changes.sizes);
    if (at.kind != ExpressionKind::Part && at.kind != ExpressionKind::Element)
        return isAffected(function, effects, place, changes);
    return isPlaceAffected(function, effects, at.operands[0], changes) ||
           std::any_of(std::next(at.operands.begin()), at.operands.end(),
                       [&](ExpressionId index) { return isAffected(function, effects, index, changes); });
}

template <typename Value>
void keepLast(std::vector<Value>& values) {
    if (values.size() > MostKept) values.erase(values.begin());
}

Operator opposite(Operator comparison) {
    switch (comparison) {
        case Operator::Less: return Operator::GreaterEqual;
        case Operator::Greater: return Operator::LessEqual;
        case Operator::LessEqual: return Operator::Greater;
        case Operator::GreaterEqual: return Operator::Less;
        case Operator::Equal: return Operator::NotEqual;
        default: return Operator::Equal;
    }
}

}  // namespace

void addChanges(const ir::TypeTable& types, const Function& function, const Effects& effects,
                const Statement& statement, Changes& changes) {
    bool hasBlocks = false;
    forEachBlock(statement, [&](const Block& inner) {
        hasBlocks = true;
        for (const Statement& each : inner.statements) addChanges(types, function, effects, each, changes);
    });
    if (hasBlocks) {
        SymbolSet own;
        if (const auto* const loop = std::get_if<For>(&statement.what)) own.insert(loop->index);
        if (const auto* const made = std::get_if<DefineFunction>(&statement.what)) {
            own.insert(made->symbol);
            own.insert(made->argument);
        }
        for (const SymbolId symbol : own) changes.values.insert(symbol);
        return;
    }
    effects.addChanged(statement, changes.values);
    const auto* const assign = std::get_if<Assign>(&statement.what);
    const ir::TypeId type = assign == nullptr ? ir::TypeId() : function.at(assign->place).type;
    const bool isNumber = type.isValid() && (types.isNumeric(type) || type == types.boolean());
    const bool keepsSizes = isNumber || std::holds_alternative<Accumulate>(statement.what) ||
                            std::holds_alternative<AddProduct>(statement.what) ||
                            std::holds_alternative<Clear>(statement.what);
    if (!keepsSizes) effects.addChanged(statement, changes.sizes);
    forEachExpression(statement, [&](ExpressionId expression) {
        effects.addChanged(Statement{Drop{expression}}, changes.sizes);  // what is moved
    });
}

bool isAffected(const Function& function, const Effects& effects, ExpressionId expression, const Changes& changes) {
    const Expression& at = function.at(expression);
    if (at.kind == ExpressionKind::Name) return effects.isIn(std::get<SymbolId>(at.payload), changes.values);
    if (isSizeOperation(at)) return isPlaceAffected(function, effects, at.operands[0], changes);
    return std::ranges::any_of(at.operands,
                               [&](ExpressionId operand) { return isAffected(function, effects, operand, changes); });
}

void Known::learn(ExpressionId condition, bool holds) {
    const Expression& at = m_function->at(condition);
    if (at.kind == ExpressionKind::Unary) return learn(at.operands[0], !holds);
    m_truths.push_back({condition, holds});
    keepLast(m_truths);
    if (at.kind != ExpressionKind::Binary) return;
    const auto op = std::get<Operator>(at.payload);
    if ((op == Operator::And && holds) || (op == Operator::Or && !holds)) {
        for (const ExpressionId operand : at.operands) learn(operand, holds);
        return;
    }
    if (op == Operator::And || op == Operator::Or || !isInteger(at.operands[0])) return;
    const ExpressionId a = at.operands[0];
    const ExpressionId b = at.operands[1];
    switch (holds ? op : opposite(op)) {
        case Operator::Less: return learnAtMost(a, b, -1);
        case Operator::LessEqual: return learnAtMost(a, b, 0);
        case Operator::Greater: return learnAtMost(b, a, -1);
        case Operator::GreaterEqual: return learnAtMost(b, a, 0);
        case Operator::Equal: learnAtMost(a, b, 0); return learnAtMost(b, a, 0);
        case Operator::NotEqual:
            if (isAtMost(b, a, 0)) return learnAtMost(b, a, -1);
            if (isAtMost(a, b, 0)) return learnAtMost(a, b, -1);
            return;
        default: return;
    }
}

void Known::learn(const Declare& declare, ExpressionId name) {
    const Storage storage = m_function->at(declare.symbol).storage;
    if (!declare.value.isValid()) return;
    if (storage == Storage::View || storage == Storage::Place)
        m_places->insert_or_assign(declare.symbol, declare.value);
    const Expression& value = m_function->at(declare.value);
    if (storage == Storage::Constant && value.type == m_types->integer()) {
        learnAtMost(name, declare.value, 0);
        learnAtMost(declare.value, name, 0);
    }
    if (storage == Storage::Constant && isSizeOperation(value)) {
        m_values.push_back({name, declare.value});
        keepLast(m_values);
    }
    if (value.kind != ExpressionKind::Run || std::get<Operation>(value.payload) != Operation::ZeroLike) return;
    m_alike.push_back({name, value.operands[0]});
    keepLast(m_alike);
}

void Known::learnSize(ExpressionId size, ExpressionId number) {
    const Expression& at = m_function->at(number);
    if (at.payload == Expression::Payload(Operation::AsSize)) number = at.operands[0];
    learnAtMost(size, number, 0);
    learnAtMost(number, size, 0);
}

void Known::learnRange(const For& loop, ExpressionId index) {
    if (!loop.isVisibleAfter) learnAtMost(loop.begin, index, 0);
    learnAtMost(index, loop.end, -1);
    if (!loop.isVisibleAfter) learnAtMost(loop.begin, loop.end, -1);
}

void Known::forget(const Changes& changes) {
    const auto isChanged = [&](ExpressionId expression) {
        return expression.isValid() && isAffected(*m_function, *m_effects, expression, changes);
    };
    std::erase_if(m_values, [&](const Pair& pair) { return isChanged(pair.a) || isChanged(pair.b); });
    std::erase_if(m_truths, [&](const Truth& truth) { return isChanged(truth.condition); });
    std::erase_if(m_bounds, [&](const Bound& bound) { return isChanged(bound.small) || isChanged(bound.large); });
    std::erase_if(m_alike, [&](const Pair& pair) {
        return isPlaceAffected(*m_function, *m_effects, pair.a, changes) ||
               isPlaceAffected(*m_function, *m_effects, pair.b, changes);
    });
}

std::optional<bool> Known::holds(ExpressionId condition) const {
    const Expression& at = m_function->at(condition);
    if (const auto* const value = std::get_if<bool>(&at.payload);
        value != nullptr && at.kind == ExpressionKind::Literal)
        return *value;
    for (const Truth& truth : m_truths) {
        if (areSame(*m_function, truth.condition, condition)) return truth.holds;
    }
    if (at.kind == ExpressionKind::Unary && at.payload == Expression::Payload(Operator::Not)) {
        const std::optional<bool> inner = holds(at.operands[0]);
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (at.kind != ExpressionKind::Binary) return std::nullopt;
    const auto op = std::get<Operator>(at.payload);
    if (op == Operator::And || op == Operator::Or) return joined(at);
    if (const std::optional<bool> known = compared(at)) return known;
    // One of two conditions holds, and the other one does not.
    for (const Truth& truth : m_truths) {
        const Expression& either = m_function->at(truth.condition);
        if (!truth.holds || either.payload != Expression::Payload(Operator::Or)) continue;
        for (const std::size_t i : {0U, 1U}) {
            if (areSame(*m_function, either.operands[i], condition) &&
                followsFromRanges(either.operands[1 - i]) == false)
                return true;
        }
    }
    return std::nullopt;
}

std::optional<bool> Known::joined(const Expression& at) const {
    const bool decisive = std::get<Operator>(at.payload) == Operator::Or;
    const std::optional<bool> first = holds(at.operands[0]);
    if (first == decisive) return decisive;
    const std::optional<bool> second = holds(at.operands[1]);
    if (second == decisive && (first || isSafe(at.operands[0]))) return decisive;
    return first && second ? std::optional(!decisive) : std::nullopt;
}

std::optional<bool> Known::followsFromRanges(ExpressionId condition) const {
    const Expression& at = m_function->at(condition);
    if (at.kind != ExpressionKind::Binary) return std::nullopt;
    const auto op = std::get<Operator>(at.payload);
    if (op != Operator::And && op != Operator::Or) return compared(at);
    const std::optional<bool> first = followsFromRanges(at.operands[0]);
    const std::optional<bool> second = followsFromRanges(at.operands[1]);
    return first == second ? first : std::nullopt;
}

std::optional<bool> Known::compared(const Expression& at) const {
    if (at.kind != ExpressionKind::Binary) return std::nullopt;
    const ExpressionId a = at.operands[0];
    const ExpressionId b = at.operands[1];
    const auto op = std::get<Operator>(at.payload);
    const auto valueOf = [this](ExpressionId id) -> const Expression& {
        const Expression& value = m_function->at(id);
        if (value.kind != ExpressionKind::Name) return value;
        const auto known = std::ranges::find_if(m_values, [&](const Pair& pair) { return isSame(pair.a, id); });
        return known == m_values.end() ? value : m_function->at(known->b);
    };
    const Expression& left = valueOf(a);
    const Expression& right = valueOf(b);
    if (op == Operator::Equal && left.kind == ExpressionKind::Run && right.kind == ExpressionKind::Run &&
        left.payload == Expression::Payload(Operation::Shape) && right.payload == left.payload)
        return areAlike(left.operands[0], right.operands[0]) ? std::optional(true) : std::nullopt;
    if (!isInteger(a) || !isSafe(a) || !isSafe(b)) return std::nullopt;
    const auto decided = [](bool holds, bool fails) {
        return holds ? std::optional(true) : fails ? std::optional(false) : std::nullopt;
    };
    switch (op) {
        case Operator::Less: return decided(isAtMost(a, b, -1), isAtMost(b, a, 0));
        case Operator::LessEqual: return decided(isAtMost(a, b, 0), isAtMost(b, a, -1));
        case Operator::Greater: return decided(isAtMost(b, a, -1), isAtMost(a, b, 0));
        case Operator::GreaterEqual: return decided(isAtMost(b, a, 0), isAtMost(a, b, -1));
        case Operator::Equal:
            return decided(isAtMost(a, b, 0) && isAtMost(b, a, 0), isAtMost(a, b, -1) || isAtMost(b, a, -1));
        case Operator::NotEqual:
            return decided(isAtMost(a, b, -1) || isAtMost(b, a, -1), isAtMost(a, b, 0) && isAtMost(b, a, 0));
        default: return std::nullopt;
    }
}

void Known::learnAtMost(ExpressionId a, ExpressionId b, std::int64_t most) {
    const Term small = a.isValid() ? termOf(a) : Term{};
    const Term large = b.isValid() ? termOf(b) : Term{};
    m_bounds.push_back({small.number, large.number, most - small.offset + large.offset});
    keepLast(m_bounds);
}

bool Known::isInside(ExpressionId index, ExpressionId size) const {
    return isSafe(index) && lowest(termOf(index).number) + static_cast<double>(termOf(index).offset) >= 0.0 &&
           isAtMost(index, size, -1);
}

bool Known::isAtMost(ExpressionId a, ExpressionId b, std::int64_t most) const {
    Term small = termOf(a);
    const Term large = termOf(b);
    small.offset -= most;
    if (isAtMost(small, large)) return true;
    return std::ranges::any_of(m_bounds, [&](const Bound& bound) {
        return isSame(bound.small, small.number) && isAtMost(Term{bound.large, small.offset + bound.most}, large);
    });
}

bool Known::isAtMost(const Term& small, const Term& large) const {
    const std::int64_t most = large.offset - small.offset;
    if (isSame(small.number, large.number)) return most >= 0;
    for (const Bound& bound : m_bounds) {
        if (bound.most <= most && isSame(bound.small, small.number) && isSame(bound.large, large.number)) return true;
    }
    return highest(small.number) - lowest(large.number) <= static_cast<double>(most);
}

double Known::highest(ExpressionId number) const {
    if (!number.isValid()) return 0.0;
    double high = m_function->at(number).range.high;
    for (const Bound& bound : m_bounds) {
        if (!isSame(bound.small, number)) continue;
        const double large = bound.large.isValid() ? m_function->at(bound.large).range.high : 0.0;
        high = std::min(high, large + static_cast<double>(bound.most));
    }
    return high;
}

double Known::lowest(ExpressionId number) const {
    if (!number.isValid()) return 0.0;
    double low = m_function->at(number).range.low;
    if (std::ranges::any_of(m_function->sizes, [&](const NamedSize& size) { return isSame(size.value, number); }))
        low = std::max(low, 0.0);
    for (const Bound& bound : m_bounds) {
        if (!isSame(bound.large, number)) continue;
        const double small = bound.small.isValid() ? m_function->at(bound.small).range.low : 0.0;
        low = std::max(low, small - static_cast<double>(bound.most));
    }
    return low;
}

Known::Term Known::termOf(ExpressionId number) const {
    const Expression& at = m_function->at(number);
    const auto literal = [&](ExpressionId expression) -> std::optional<std::int64_t> {
        const Expression& operand = m_function->at(expression);
        const auto* const value = std::get_if<std::int64_t>(&operand.payload);
        const bool isNear =
            operand.kind == ExpressionKind::Literal && value != nullptr && -Far < *value && *value < Far;
        return isNear ? std::optional(*value) : std::nullopt;
    };
    if (const auto value = literal(number)) return {ExpressionId(), *value};
    // An operator of C++ on Integers does not wrap.
    if (at.kind == ExpressionKind::Binary && at.payload == Expression::Payload(Operator::Add)) {
        if (const auto value = literal(at.operands[1])) return {at.operands[0], *value};
        if (const auto value = literal(at.operands[0])) return {at.operands[1], *value};
    }
    if (at.kind == ExpressionKind::Binary && at.payload == Expression::Payload(Operator::Sub)) {
        if (const auto value = literal(at.operands[1])) return {at.operands[0], -*value};
    }
    return {number, 0};
}

bool Known::isSame(ExpressionId a, ExpressionId b) const {
    if (!a.isValid() || !b.isValid()) return a.isValid() == b.isValid();
    if (areSame(*m_function, a, b)) return true;
    const Expression& x = m_function->at(a);
    const Expression& y = m_function->at(b);
    return isSizeOperation(x) && isSizeOperation(y) && x.payload == y.payload && x.number == y.number &&
           areSame(*m_function, whole(x.operands[0]), whole(y.operands[0]));
}

bool Known::areAlike(ExpressionId a, ExpressionId b) const {
    if (areSame(*m_function, a, b)) return isSafe(a);
    for (const Pair& pair : m_alike) {
        if (isSame(pair.a, a) && isSame(pair.b, b)) return true;
        if (isSame(pair.a, b) && isSame(pair.b, a)) return true;
    }
    const Expression& x = m_function->at(whole(a));
    const Expression& y = m_function->at(whole(b));
    if (x.kind != y.kind || x.operands.size() != y.operands.size()) return false;
    const bool isStep = x.kind == ExpressionKind::Element || (x.kind == ExpressionKind::Part && x.payload == y.payload);
    return isStep &&
           std::equal(std::next(x.operands.begin()), x.operands.end(), std::next(y.operands.begin()),
                      [this](ExpressionId i, ExpressionId j) { return isSame(i, j); }) &&
           areAlike(x.operands[0], y.operands[0]);
}

/// The place that a name stands for, if its indices are still the same.
ExpressionId Known::whole(ExpressionId place) const {
    const Expression& at = m_function->at(place);
    if (at.kind != ExpressionKind::Name) return place;
    const auto named = m_places->find(std::get<SymbolId>(at.payload));
    if (named == m_places->end()) return place;
    const ExpressionKind kind = m_function->at(named->second).kind;
    if (kind == ExpressionKind::Name || kind == ExpressionKind::Part) return named->second;
    if (kind != ExpressionKind::Element) return place;
    const auto& operands = m_function->at(named->second).operands;
    const bool isFixed = std::all_of(std::next(operands.begin()), operands.end(), [this](ExpressionId index) {
        const Expression& i = m_function->at(index);
        if (i.kind != ExpressionKind::Name) return i.kind == ExpressionKind::Literal;
        const Storage storage = m_function->at(std::get<SymbolId>(i.payload)).storage;
        return storage == Storage::Index || storage == Storage::Constant || storage == Storage::Parameter;
    });
    return isFixed ? named->second : place;
}

bool Known::isSafe(ExpressionId expression) const {
    const Expression& at = m_function->at(expression);
    switch (at.kind) {
        case ExpressionKind::Literal:
        case ExpressionKind::Name:
        case ExpressionKind::Part: break;
        case ExpressionKind::Element:
            if (at.payload == Expression::Payload(true)) return false;
            break;
        case ExpressionKind::Unary: break;
        case ExpressionKind::Binary:
            if (at.payload == Expression::Payload(Operator::Div)) return false;
            break;
        case ExpressionKind::Run:
            if (!isSizeOperation(at)) return false;
            break;
        default: return false;
    }
    return std::ranges::all_of(at.operands, [this](ExpressionId operand) { return isSafe(operand); });
}

bool Known::isInteger(ExpressionId expression) const {
    const Expression& at = m_function->at(expression);
    return at.type == m_types->integer();
}

}  // namespace mitos::loops
