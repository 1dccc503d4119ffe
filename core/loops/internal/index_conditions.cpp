// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/index_conditions.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace mitos::loops {

namespace {

/// An index is equal to a number that is so near to an end of the range.
constexpr std::int64_t NearEnd = 2;

Operator turned(Operator op) {
    switch (op) {
        case Operator::Less: return Operator::Greater;
        case Operator::LessEqual: return Operator::GreaterEqual;
        case Operator::Greater: return Operator::Less;
        case Operator::GreaterEqual: return Operator::LessEqual;
        default: return op;
    }
}

WholeSum after(WholeSum sum) {
    ++sum.number;
    return sum;
}

}  // namespace

bool isJoined(const Expression& at) {
    return at.payload == Expression::Payload(Operator::And) || at.payload == Expression::Payload(Operator::Or);
}

bool IndexConditions::enter(const For& loop) {
    if (loop.begin.isValid() || loop.isVisibleAfter) return false;
    m_loop = &loop;
    m_path = {&loop};
    m_changed.clear();
    m_effects.addChanged(loop.body, m_changed);
    m_changed.insert(loop.index);
    m_written.clear();
    setBounds({}, {});
    m_size = m_sums.of(loop.end, loop.index);
    return m_size.has_value();
}

void IndexConditions::setBounds(std::optional<WholeSum> low, std::optional<WholeSum> high) {
    m_low = std::move(low);
    m_high = std::move(high);
}

ExpressionId IndexConditions::written(ExpressionId expression) {
    const auto [known, isNew] = m_written.try_emplace(expression);
    if (!isNew) return known->second;
    const std::optional<Outside> found = outside(m_function, m_effects, expression, m_changed, m_path);
    return known->second = found ? found->expression : ExpressionId();
}

std::optional<IndexConditions::Test> IndexConditions::testOf(const Expression& at) const {
    if (at.kind != ExpressionKind::Binary || m_function.at(at.operands[0]).type != m_types.integer()) return {};
    auto op = std::get<Operator>(at.payload);
    std::optional<WholeSum> left = m_sums.of(at.operands[0], m_loop->index);
    const std::optional<WholeSum> right = m_sums.of(at.operands[1], m_loop->index);
    if (!left || !right) return {};
    // The index is moved to the left side, and all else to the right.
    m_sums.add(*left, *right, -1);
    const std::int64_t sign = std::exchange(left->ofIndex, 0);
    if (sign != 1 && sign != -1) return {};
    Test test{Test::What::Equal, {}};
    m_sums.add(test.at, *left, -sign);
    if (sign < 0) op = turned(op);
    switch (op) {
        case Operator::Less: test.what = Test::What::Below; break;
        case Operator::LessEqual:
            test.what = Test::What::Below;
            ++test.at.number;
            break;
        case Operator::Greater:
            test.what = Test::What::AtLeast;
            ++test.at.number;
            break;
        case Operator::GreaterEqual: test.what = Test::What::AtLeast; break;
        case Operator::Equal: break;
        case Operator::NotEqual: test.what = Test::What::NotEqual; break;
        default: return {};
    }
    return test;
}

bool IndexConditions::addBounds(ExpressionId condition) {
    if (!condition.isValid()) return false;
    const Expression at = m_function.at(condition);
    if (at.kind == ExpressionKind::Literal) return true;
    if (at.kind == ExpressionKind::Unary || isJoined(at))
        return std::ranges::all_of(at.operands, [this](ExpressionId operand) { return addBounds(operand); });
    const std::optional<Test> test = testOf(at);
    if (!test) return false;
    if (test->what == Test::What::Below || test->what == Test::What::AtLeast) return addBound(test->at, false);
    return addBound(test->at, true) && addBound(after(test->at), true);
}

/// Takes note of the first index for which a condition is another one; `isOfOne` if it is known at one place only.
bool IndexConditions::addBound(const WholeSum& at, bool isOfOne) {
    if (isBelow(at, {})) return true;
    if (!m_sums.fits(at)) return false;
    const std::optional<std::int64_t> toEnd = m_sums.difference(*m_size, at);
    const std::optional<std::int64_t> fromBegin = m_sums.difference(at, {});
    const bool isNear = (toEnd && *toEnd <= NearEnd) || (fromBegin && *fromBegin <= NearEnd);
    if (isOfOne && !isNear) return false;
    // The last iterations are those that the size of the range tells.
    WholeSum rest = at;
    m_sums.add(rest, *m_size, -1);
    const bool isHigh = toEnd ? !fromBegin || *toEnd < *fromBegin : !fromBegin && rest.terms.size() < at.terms.size();
    std::optional<WholeSum>& bound = isHigh ? m_high : m_low;
    if (!bound) {
        bound = at;
        return true;
    }
    // If several places are near to each other, that one counts after which all is known.
    const std::optional<std::int64_t> distance = m_sums.difference(at, *bound);
    if (distance && (isHigh ? *distance < 0 : *distance > 0)) bound = at;
    return distance.has_value();
}

/// Whether all indices of some iterations, or of all, are below a number; nothing if that is not known, or differs.
std::optional<bool> IndexConditions::isBelow(const WholeSum& at, Parts part) const {
    const auto isAtMost = [&](const WholeSum& a, const WholeSum& b) {
        const std::optional<std::int64_t> distance = m_sums.difference(b, a);
        return distance && *distance >= 0;
    };
    const bool isBelowLow = part == Part::First;
    const bool isAboveLow = m_low && part && part != Part::First;
    const bool isBelowHigh = m_high && part == Part::Middle;
    const bool isAboveHigh = part == Part::Last;
    if (isAtMost(at, {}) || (isAboveLow && isAtMost(at, *m_low)) || (isAboveHigh && isAtMost(at, *m_high)))
        return false;
    if (isAtMost(*m_size, at) || (isBelowLow && isAtMost(*m_low, at)) || (isBelowHigh && isAtMost(*m_high, at)))
        return true;
    return {};
}

std::optional<bool> IndexConditions::truth(ExpressionId condition, Parts part) {
    const ExpressionId at = written(condition);
    return at.isValid() ? truthOf(at, part) : std::nullopt;
}

std::optional<bool> IndexConditions::truthOf(ExpressionId condition, Parts part) const {
    const Expression& at = m_function.at(condition);
    if (at.kind == ExpressionKind::Literal) return std::get<bool>(at.payload);
    if (at.kind == ExpressionKind::Unary) {
        const std::optional<bool> inner = truthOf(at.operands[0], part);
        return inner ? std::optional(!*inner) : inner;
    }
    if (isJoined(at)) {
        const bool decides = at.payload == Expression::Payload(Operator::Or);
        const std::optional<bool> left = truthOf(at.operands[0], part);
        const std::optional<bool> right = truthOf(at.operands[1], part);
        // A left side that may fail is computed before the right one.
        if (left == decides || (right == decides && isTotal(m_types, m_function, at.operands[0]))) return decides;
        if (right == decides) return {};
        return left && right ? std::optional(!decides) : std::nullopt;
    }
    const std::optional<Test> test = testOf(at);
    if (!test) return {};
    const std::optional<bool> isBelowIt = isBelow(test->at, part);
    if (test->what == Test::What::Below) return isBelowIt;
    if (test->what == Test::What::AtLeast) return isBelowIt ? std::optional(!*isBelowIt) : isBelowIt;
    const bool isWanted = test->what == Test::What::Equal;
    const std::optional<bool> isUpToIt = isBelow(after(test->at), part);
    if (isBelowIt == true || isUpToIt == false) return !isWanted;
    return isBelowIt == false && isUpToIt == true ? std::optional(isWanted) : std::nullopt;
}

}  // namespace mitos::loops
