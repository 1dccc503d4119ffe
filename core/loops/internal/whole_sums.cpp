// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/whole_sums.h"

#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>

namespace mitos::loops {

namespace {

/// Sums and differences as operators of the form stay below, or they would be operations that wrap.
constexpr double LargestSum = 0x1p62;
constexpr int MostNames = 16;  ///< that are defined by each other

bool isSum(const Expression& at) {
    return at.kind == ExpressionKind::Binary &&
           (at.payload == Expression::Payload(Operator::Add) || at.payload == Expression::Payload(Operator::Sub));
}

}  // namespace

std::optional<WholeSum> WholeSums::of(ExpressionId expression, SymbolId index) const {
    WholeSum sum;
    return collect(expression, index, 1, sum) ? std::optional(std::move(sum)) : std::nullopt;
}

bool WholeSums::collect(ExpressionId expression, SymbolId index, std::int64_t times, WholeSum& sum) const {
    const Expression& at = m_function.at(expression);
    if (at.type != m_types.integer()) return false;
    if (isName(m_function, expression, index)) {
        sum.ofIndex += times;
        return true;
    }
    if (const auto* const number = std::get_if<std::int64_t>(&at.payload); at.kind == ExpressionKind::Literal) {
        constexpr std::int64_t Largest = std::int64_t{1} << 48U;
        if (number == nullptr || *number < -Largest || *number > Largest) return false;
        sum.number += times * *number;
        return true;
    }
    if (isSum(at)) {
        const std::int64_t sign = at.payload == Expression::Payload(Operator::Add) ? 1 : -1;
        return collect(at.operands[0], index, times, sum) && collect(at.operands[1], index, sign * times, sum);
    }
    if (at.kind == ExpressionKind::Unary) return collect(at.operands[0], index, -times, sum);
    if (at.kind == ExpressionKind::Convert || at.payload == Expression::Payload(Operation::Copy))
        return collect(at.operands[0], index, times, sum);
    if (mentionsName(m_function, expression, index) || !isTotal(m_types, m_function, expression)) return false;
    addTerm(sum, expression, times);
    return true;
}

void WholeSums::addTerm(WholeSum& sum, ExpressionId expression, std::int64_t times) const {
    const auto known = std::ranges::find_if(
        sum.terms, [&](const WholeSum::Term& term) { return areSame(m_function, term.expression, expression); });
    if (known == sum.terms.end()) {
        sum.terms.push_back({expression, times});
        return;
    }
    known->times += times;
    if (known->times == 0) sum.terms.erase(known);
}

void WholeSums::add(WholeSum& sum, const WholeSum& other, std::int64_t times) const {
    sum.ofIndex += times * other.ofIndex;
    sum.number += times * other.number;
    for (const WholeSum::Term& term : other.terms) addTerm(sum, term.expression, times * term.times);
}

std::optional<std::int64_t> WholeSums::difference(const WholeSum& a, const WholeSum& b) const {
    WholeSum sum = a;
    add(sum, b, -1);
    if (!sum.terms.empty()) sum = opened(sum);
    return sum.terms.empty() ? std::optional(sum.number) : std::nullopt;
}

/// The sum with the definitions of its parts in their places, where these are sums.
WholeSum WholeSums::opened(const WholeSum& sum) const {
    WholeSum whole = sum;
    for (int opened = 0; opened < MostNames; ++opened) {
        WholeSum next{whole.ofIndex, {}, whole.number};
        bool isChanged = false;
        for (const WholeSum::Term& term : whole.terms) {
            const Expression& at = m_function.at(term.expression);
            const ExpressionId definition =
                at.kind == ExpressionKind::Name ? m_effects.definition(std::get<SymbolId>(at.payload)) : ExpressionId();
            const bool isOpened = definition.isValid() && isFixed(definition);
            const std::optional<WholeSum> parts = isOpened ? of(definition, {}) : std::nullopt;
            isChanged = isChanged || parts;
            add(next, parts.value_or(WholeSum{0, {{term.expression, 1}}}), term.times);
        }
        whole = std::move(next);
        if (!isChanged) break;
    }
    return whole;
}

/// Whether the names in an expression always mean the same.
bool WholeSums::isFixed(ExpressionId expression) const {
    const Expression& at = m_function.at(expression);
    if (at.kind == ExpressionKind::Name) {
        const Storage storage = m_function.at(std::get<SymbolId>(at.payload)).storage;
        return storage == Storage::Constant || storage == Storage::Parameter || storage == Storage::Index;
    }
    return std::ranges::all_of(at.operands, [this](ExpressionId operand) { return isFixed(operand); });
}

bool WholeSums::fits(const WholeSum& sum) const {
    if (std::ranges::any_of(sum.terms, [](const WholeSum::Term& term) { return term.times != 1 && term.times != -1; }))
        return false;
    if (sum.terms.size() == 1 && sum.number == 0 && sum.terms[0].times == 1) return true;
    double most = std::abs(static_cast<double>(sum.number));
    for (const WholeSum::Term& term : sum.terms) {
        const ir::ValueRange range = rangeOf(term.expression);
        most += std::max(std::abs(range.low), std::abs(range.high));
    }
    return most < LargestSum;
}

ExpressionId WholeSums::expression(const WholeSum& sum) {
    const auto literal = [&](std::int64_t number) {
        return m_function.add({ExpressionKind::Literal, m_types.integer(), number});
    };
    ExpressionId all;
    const auto join = [&](ExpressionId part, bool isAdded) {
        if (all.isValid()) {
            const Operator op = isAdded ? Operator::Add : Operator::Sub;
            all = m_function.add({ExpressionKind::Binary, m_types.integer(), op, {all, part}});
        } else {
            all = isAdded ? part : m_function.add({ExpressionKind::Unary, m_types.integer(), Operator::Negate, {part}});
        }
    };
    for (const WholeSum::Term& term : sum.terms) {
        if (term.times > 0) join(term.expression, true);
    }
    if (sum.number > 0) join(literal(sum.number), true);
    for (const WholeSum::Term& term : sum.terms) {
        if (term.times < 0) join(term.expression, false);
    }
    if (sum.number < 0 && all.isValid()) join(literal(-sum.number), false);
    return all.isValid() ? all : literal(sum.number);
}

ir::ValueRange WholeSums::rangeOf(ExpressionId expression) const { return rangeOf(expression, 0); }

ir::ValueRange WholeSums::rangeOf(ExpressionId expression, int depth) const {
    const Expression& at = m_function.at(expression);
    const auto ofOperand = [&](std::size_t i) { return rangeOf(at.operands[i], depth + 1); };
    const ir::ValueRange any = at.range;
    if (depth > MostNames) return any;
    switch (at.kind) {
        case ExpressionKind::Literal: {
            const auto* const number = std::get_if<std::int64_t>(&at.payload);
            return number != nullptr ? ir::ValueRange::exactly(static_cast<double>(*number)) : any;
        }
        case ExpressionKind::Name: {
            const auto symbol = std::get<SymbolId>(at.payload);
            if (m_function.at(symbol).storage == Storage::Index) return ir::sizeRange();
            const ExpressionId definition = m_effects.definition(symbol);
            return definition.isValid() ? meet(any, rangeOf(definition, depth + 1)) : any;
        }
        case ExpressionKind::Convert: return at.type == m_types.integer() ? ofOperand(0) : any;
        case ExpressionKind::Choice: return hull(ofOperand(1), ofOperand(2));
        case ExpressionKind::Unary: return at.type == m_types.integer() ? negated(ofOperand(0)) : any;
        case ExpressionKind::Binary: {
            if (at.type != m_types.integer()) return any;
            const ir::ValueRange plain{-LargestSum, LargestSum, false};
            switch (std::get<Operator>(at.payload)) {
                case Operator::Add: return meet(plain, sum(ofOperand(0), ofOperand(1)));
                case Operator::Sub: return meet(plain, sum(ofOperand(0), ir::negated(ofOperand(1))));
                case Operator::Mul: return meet(plain, product(ofOperand(0), ofOperand(1)));
                case Operator::Div: return truncatedQuotient(ofOperand(0), ofOperand(1));
                default: return any;
            }
        }
        case ExpressionKind::Run:
            switch (std::get<Operation>(at.payload)) {
                case Operation::Size:
                case Operation::SizeIfAny:
                case Operation::Dimension:
                case Operation::AsSize: return ir::sizeRange();
                default: return any;
            }
        default: return any;
    }
}

}  // namespace mitos::loops
