// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals over the reals, with outward rounding.
#include "core/rules/matching/value_range.h"

#include "core/base/deep_stack.h"
#include "core/rules/language/array_operators.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr int MostVisits = 4000;  ///< of terms, per call
constexpr std::uint32_t MostDepth = 400;

constexpr ValueRange Anything{};

ValueRange exactly(double value) {
    if (!std::isfinite(value)) return Anything;
    return {value, value, value != 0.0};
}

/// The least range that contains both.
ValueRange hull(const ValueRange& a, const ValueRange& b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high), a.excludesZero() && b.excludesZero()};
}

/// The intersection of both. If it is empty, the term has no value, and any range holds, so `a` is returned.
ValueRange meet(const ValueRange& a, const ValueRange& b) {
    const ValueRange both{std::max(a.low, b.low), std::min(a.high, b.high), a.excludesZero() || b.excludesZero()};
    return both.low <= both.high ? both : a;
}

/// The sum; if it was rounded, the next Float in the direction.
double sumTowards(double a, double b, double direction) {
    const double sum = a + b;
    if (std::isnan(sum)) return direction;
    if (!std::isfinite(sum)) return std::isinf(a) || std::isinf(b) ? sum : direction;
    const double rest = sum - a;
    const bool isExact = (a - (sum - rest)) + (b - rest) == 0.0;
    return isExact ? sum : std::nextafter(sum, direction);
}

double productTowards(double a, double b, double direction) {
    if (a == 0.0 || b == 0.0) return 0.0;  // an infinite end is open, so zero times it is zero
    const double product = a * b;
    if (std::isinf(product)) return std::isinf(a) || std::isinf(b) ? product : std::nextafter(product, direction);
    const bool isExact = std::abs(product) > 1e-280 && std::fma(a, b, -product) == 0.0;
    return isExact ? product : std::nextafter(product, direction);
}

double quotientTowards(double a, double b, double direction) {
    if (std::isinf(b)) return 0.0;
    const double quotient = a / b;
    if (std::isinf(quotient)) return std::isinf(a) ? quotient : std::nextafter(quotient, direction);
    const bool isExact = a == 0.0 || (std::abs(quotient) > 1e-280 && std::fma(quotient, b, -a) == 0.0);
    return isExact ? quotient : std::nextafter(quotient, direction);
}

/// The range of the values of `f` at the ends of both, rounded outward.
template <typename F>
ValueRange ofEnds(const ValueRange& a, const ValueRange& b, F f) {
    ValueRange result{Infinity, -Infinity, false};
    for (const double x : {a.low, a.high}) {
        for (const double y : {b.low, b.high}) {
            result.low = std::min(result.low, f(x, y, -Infinity));
            result.high = std::max(result.high, f(x, y, Infinity));
        }
    }
    return result;
}

ValueRange negated(const ValueRange& a) { return {-a.high, -a.low, a.isNonzero}; }

ValueRange sum(const ValueRange& a, const ValueRange& b) {
    ValueRange result{sumTowards(a.low, b.low, -Infinity), sumTowards(a.high, b.high, Infinity), false};
    // Rounding must not lose that the sum of a positive number and a nonnegative one is positive.
    if (a.isNonnegative() && b.isNonnegative()) {
        result.low = std::max(result.low, 0.0);
        result.isNonzero = a.isPositive() || b.isPositive();
    }
    if (a.isNonpositive() && b.isNonpositive()) {
        result.high = std::min(result.high, 0.0);
        result.isNonzero = a.isNegative() || b.isNegative();
    }
    return result;
}

ValueRange product(const ValueRange& a, const ValueRange& b) {
    ValueRange result = ofEnds(a, b, productTowards);
    const bool isNonnegative = (a.isNonnegative() && b.isNonnegative()) || (a.isNonpositive() && b.isNonpositive());
    const bool isNonpositive = (a.isNonnegative() && b.isNonpositive()) || (a.isNonpositive() && b.isNonnegative());
    if (isNonnegative) result.low = std::max(result.low, 0.0);
    if (isNonpositive) result.high = std::min(result.high, 0.0);
    result.isNonzero = a.excludesZero() && b.excludesZero();
    return result;
}

/// The quotient over the reals, where the divisor is not zero.
ValueRange quotient(const ValueRange& a, const ValueRange& b) {
    ValueRange result = Anything;
    if (b.low > 0.0 || b.high < 0.0) {
        result = ofEnds(a, b, quotientTowards);
    } else {
        const bool isNonnegative = (a.isNonnegative() && b.isNonnegative()) || (a.isNonpositive() && b.isNonpositive());
        const bool isNonpositive = (a.isNonnegative() && b.isNonpositive()) || (a.isNonpositive() && b.isNonnegative());
        if (isNonnegative) result.low = 0.0;
        if (isNonpositive) result.high = 0.0;
    }
    result.isNonzero = a.excludesZero();
    return result;
}

ValueRange absolute(const ValueRange& a) {
    if (a.isNonnegative()) return a;
    if (a.isNonpositive()) return negated(a);
    return {0.0, std::max(-a.low, a.high), a.isNonzero};
}

ValueRange square(const ValueRange& a) {
    ValueRange result = product(absolute(a), absolute(a));
    result.isNonzero = a.excludesZero();
    return result;
}

ValueRange larger(const ValueRange& a, const ValueRange& b) {
    const double low = std::max(a.low, b.low);
    // If both ends are zero, it is enough that one operand is positive.
    const bool isNonzero = a.isPositive() || b.isPositive() || (a.excludesZero() && b.excludesZero());
    return {low, std::max(a.high, b.high), isNonzero};
}

ValueRange smaller(const ValueRange& a, const ValueRange& b) { return negated(larger(negated(a), negated(b))); }

/// The range of a function of one number; nothing if the function is not known.
std::optional<ValueRange> ofFunction(std::string_view op, const ValueRange& a) {
    if (op == "exp" || op == "Exp") {
        return ValueRange{a.isNonnegative() ? 1.0 : 0.0, a.isNonpositive() ? 1.0 : Infinity, true};
    }
    if (op == "abs" || op == "Abs") return absolute(a);
    if (op == "neg" || op == "Neg" || op == "ts_neg") return negated(a);
    if (op == "sqrt" || op == "Sqrt") return ValueRange{a.low >= 1.0 ? 1.0 : 0.0, Infinity, a.excludesZero()};
    if (op == "log" || op == "Log") {
        return ValueRange{a.low >= 1.0 ? 0.0 : -Infinity, a.high <= 1.0 ? 0.0 : Infinity, a.low > 1.0 || a.high < 1.0};
    }
    if (op == "cosh") return ValueRange{1.0, Infinity, true};
    if (op == "sin" || op == "cos" || op == "Sin" || op == "Cos") return ValueRange{-1.0, 1.0, false};
    if (op == "tanh" || op == "erf" || op == "Tanh" || op == "Erf") {
        return ValueRange{a.isNonnegative() ? 0.0 : -1.0, a.isNonpositive() ? 0.0 : 1.0, a.excludesZero()};
    }
    if (op == "Sigmoid" || op == "Softmax") return ValueRange{0.0, 1.0, true};
    if (op == "Relu") return larger(a, exactly(0.0));
    if (op == "Identity" || op == "to_float" || op == "copydown" || op == "elim") return a;
    if (op == "bool_to_float") return ValueRange{0.0, 1.0, false};
    return std::nullopt;
}

class RangeAnalysis {
public:
    explicit RangeAnalysis(const ir::TermBank& bank) : m_bank(bank) {}

    ValueRange range(TermId term) {
        if (++m_visits > MostVisits || m_depth >= MostDepth) return Anything;
        const bool isClosed = m_bank.looseBound(term) == 0;
        if (isClosed && m_facts.empty()) {
            if (const auto known = m_known.find(term); known != m_known.end()) return known->second;
        }
        ++m_depth;
        ValueRange result = computed(term);
        --m_depth;
        for (const auto& [subject, depth, fact] : m_facts) {
            if (subject == term && (isClosed || depth == m_bound.size())) result = meet(result, fact);
        }
        if (isClosed && m_facts.empty()) m_known.emplace(term, result);
        return result;
    }

private:
    /// A fact that the condition of an `if` implies about a term below `depth` bound variables.
    struct Fact {
        TermId subject;
        std::size_t depth;
        ValueRange range;
    };

    ValueRange child(TermId term, std::size_t index) { return range(m_bank.child(term, index)); }

    ValueRange computed(TermId term) {
        const ir::Payload& payload = m_bank.payload(term);
        if (m_bank.is(term, CoreOp::Literal)) {
            if (payload.kind() == ir::PayloadKind::Float) return exactly(payload.asFloat());
            if (payload.kind() == ir::PayloadKind::Integer) return exactly(static_cast<double>(payload.asInteger()));
            return Anything;
        }
        if (m_bank.is(term, CoreOp::Bound)) {
            const std::uint32_t index = payload.asIndex();
            return index < m_bound.size() ? m_bound[m_bound.size() - 1 - index] : Anything;
        }
        if (m_bank.is(term, CoreOp::Let)) return below(term, 1, child(term, 0));
        if (m_bank.is(term, CoreOp::Tuple)) return ofAll(term);
        if (m_bank.is(term, CoreOp::Get)) {
            const TermId tuple = m_bank.child(term, 0);
            if (m_bank.is(tuple, CoreOp::Tuple)) return child(tuple, payload.projectionIndex());
            return range(tuple);
        }
        if (const std::optional<double> constant = constantValue(m_bank, term)) return exactly(*constant);
        if (m_bank.childCount(term) == 0) return Anything;
        return ofOperator(term, m_bank.opName(term));
    }

    ValueRange ofOperator(TermId term, std::string_view op) {
        const std::size_t count = m_bank.childCount(term);
        if (count == 2) {
            if (const std::optional<ValueRange> known = ofTwo(term, op)) return *known;
        }
        if (op == "if") return choice(term);
        if (op == "size" || op == "imax") return {0.0, Infinity, false};
        if (op == "index" || op == "sum" || op == "map" || op == "build" || op == "sumbuild" || op == "constVec" ||
            op == "Vec_init" || op == "deltaVec" || op == "delta" || op == "diag") {
            return ofTensor(term, op);
        }
        if (count == 1) {
            if (op == "max") return child(term, 0);  // of a vector: its largest element
            return ofFunction(op, child(term, 0)).value_or(Anything);
        }
        if (op == "Sum" || op == "Max") return ofAll(term);
        return Anything;
    }

    std::optional<ValueRange> ofTwo(TermId term, std::string_view op) {
        const TermId first = m_bank.child(term, 0);
        const TermId second = m_bank.child(term, 1);
        const bool isSame = first == second;
        // The product of a matrix and a vector has the same operator, but its numbers are sums of products.
        const auto& types = m_bank.types();
        if ((op == "mul" || op == "Mul" || op == "mymul") &&
            !(types.isTensor(m_bank.type(first)) && types.isTensor(m_bank.type(second)))) {
            return isSame ? square(range(first)) : product(range(first), range(second));
        }
        if (op == "add" || op == "Add" || op == "ts_add") return sum(range(first), range(second));
        if (op == "sub" || op == "Sub") return isSame ? exactly(0.0) : sum(range(first), negated(range(second)));
        if (op == "div" || op == "Div") {
            ValueRange result = isSame ? exactly(1.0) : quotient(range(first), range(second));
            const bool isWhole = types.kind(m_bank.type(term)) == ir::TypeKind::Integer;
            if (isWhole && !isSame) result = {std::min(result.low, 0.0), std::max(result.high, 0.0), false};
            if (isWhole && result.isNonnegative()) result.low = 0.0;
            return result;
        }
        if (op == "ts_scale") return product(range(first), range(second));
        if (op == "max" || op == "Max") return larger(range(first), range(second));
        if (op == "min" || op == "Min") return smaller(range(first), range(second));
        if (op == "pow" || op == "Pow") return power(range(first), second);
        if ((op == "dot" || op == "ts_dot") && isSame) return ValueRange{0.0, Infinity, false};
        if (op == "dot" || op == "ts_dot") {
            ValueRange result = product(range(first), range(second));
            return ValueRange{result.isNonnegative() ? 0.0 : -Infinity, result.isNonpositive() ? 0.0 : Infinity, false};
        }
        return std::nullopt;
    }

    std::optional<ValueRange> power(const ValueRange& base, TermId exponent) {
        const ValueRange by = range(exponent);
        if (by.low != by.high) return std::nullopt;
        if (by.low == 2.0) return square(base);
        const bool isEven = std::fmod(by.low, 2.0) == 0.0;
        if (!isEven && !base.isNonnegative()) return std::nullopt;
        return ValueRange{0.0, Infinity, base.excludesZero()};
    }

    ValueRange ofTensor(TermId term, std::string_view op) {
        const std::size_t count = m_bank.childCount(term);
        if (op == "index") return child(term, 1);
        if (op == "sum") return repeated(child(term, 0));
        if (op == "map") return below(m_bank.child(term, 0), 0, child(term, 1));
        if (op == "build") return below(m_bank.child(term, 1), 0, {0.0, Infinity, false});
        if (op == "sumbuild") return repeated(below(m_bank.child(term, 1), 0, {0.0, Infinity, false}));
        if (op == "constVec") return child(term, 1);
        if (op == "Vec_init") return ofAll(term);
        ValueRange element =
            op == "diag" ? below(m_bank.child(term, count - 1), 0, {0.0, Infinity, false}) : child(term, count - 1);
        return hull(element, exactly(0.0));
    }

    /// The range of a sum of one or more numbers of the range.
    static ValueRange repeated(const ValueRange& element) {
        return {element.isNonnegative() ? element.low : -Infinity, element.isNonpositive() ? element.high : Infinity,
                (element.isNonnegative() || element.isNonpositive()) && element.isNonzero};
    }

    ValueRange ofAll(TermId term) {
        ValueRange result = child(term, 0);
        for (std::size_t i = 1; i < m_bank.childCount(term); ++i) result = hull(result, child(term, i));
        return result;
    }

    /// The range of the body of a binder whose variable has the range `bound`.
    ValueRange below(TermId binder, std::size_t body, ValueRange bound) {
        if (m_bank.boundIn(binder, body) == 0) return Anything;  // a function given by its name
        m_bound.push_back(bound);
        const ValueRange result = child(binder, body);
        m_bound.pop_back();
        return result;
    }

    ValueRange choice(TermId term) {
        const TermId condition = m_bank.child(term, 0);
        const std::size_t before = m_facts.size();
        learn(condition, true);
        const ValueRange yes = child(term, 1);
        m_facts.resize(before);
        learn(condition, false);
        const ValueRange no = child(term, 2);
        m_facts.resize(before);
        return hull(yes, no);
    }

    /// Learns facts from a condition that holds or does not: a comparison, or several joined by `and`, `or`, `not`.
    void learn(TermId condition, bool holds) {
        if (++m_visits > MostVisits || m_depth >= MostDepth) return;
        const std::string_view op = m_bank.opName(condition);
        if (op == "not" || op == (holds ? "and" : "or")) {
            ++m_depth;
            for (const TermId part :
                 std::vector<TermId>(m_bank.children(condition).begin(), m_bank.children(condition).end()))
                learn(part, holds == (op != "not"));
            --m_depth;
            return;
        }
        static constexpr std::array<std::string_view, 6> Comparisons{"gt", "lte", "lt", "gte", "eq", "ne"};
        const auto* const found = std::ranges::find(Comparisons, op);
        if (found == Comparisons.end()) return;
        // Each comparison is next to its negation. (With NaN neither holds, but then the term has no value over the
        // reals.)
        const auto number = static_cast<std::size_t>(found - Comparisons.begin());
        const std::string_view known = holds ? op : Comparisons.at(number ^ 1U);
        const TermId left = m_bank.child(condition, 0);
        const TermId right = m_bank.child(condition, 1);
        const ValueRange a = range(left);
        const ValueRange b = range(right);
        note(left, a, b, known);
        static constexpr std::array<std::string_view, 6> Mirrored{"lt", "gte", "gt", "lte", "eq", "ne"};
        const auto* const same = std::ranges::find(Comparisons, known);
        note(right, b, a, Mirrored.at(static_cast<std::size_t>(same - Comparisons.begin())));
    }

    void note(TermId subject, const ValueRange& own, const ValueRange& other, std::string_view comparison) {
        // A difference between two tuples says nothing about a single component.
        const ir::TypeKind kind = m_bank.types().kind(m_bank.type(subject));
        if (kind != ir::TypeKind::Float && kind != ir::TypeKind::Integer) return;
        ValueRange fact = Anything;
        if (comparison == "gt" || comparison == "gte") {
            fact.low = other.low;
            fact.isNonzero = other.low == 0.0 && (comparison == "gt" || other.excludesZero());
        } else if (comparison == "lt" || comparison == "lte") {
            fact.high = other.high;
            fact.isNonzero = other.high == 0.0 && (comparison == "lt" || other.excludesZero());
        } else if (comparison == "eq") {
            fact = other;
        } else {
            fact.isNonzero = other.low == 0.0 && other.high == 0.0;
        }
        if (fact == Anything || meet(own, fact) == own) return;
        m_facts.push_back({subject, m_bound.size(), fact});
    }

    const ir::TermBank& m_bank;
    std::vector<ValueRange> m_bound;  ///< innermost last
    std::vector<Fact> m_facts;
    absl::flat_hash_map<TermId, ValueRange> m_known;  ///< of closed terms, computed without facts
    int m_visits = 0;
    std::uint32_t m_depth = 0;
};

}  // namespace

ValueRange valueRange(const ir::TermBank& bank, TermId term) {
    ValueRange result;
    withDeepStack(std::min(bank.depth(term), MostDepth), [&] { result = RangeAnalysis(bank).range(term); });
    return result;
}

}  // namespace mitos::rules
