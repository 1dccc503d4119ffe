// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/dimension.h"

#include "core/base/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

namespace mitos::tensor {

namespace {

using ir::Dimension;

constexpr std::int64_t Largest = std::numeric_limits<std::int64_t>::max();

// Sizes come from files, so overflow saturates instead of being undefined.
std::int64_t plus(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? (a > 0 ? Largest : -Largest) : result;
}
std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? ((a > 0) == (b > 0) ? Largest : -Largest) : result;
}
// The least Integer divided by -1 is not an Integer.
std::int64_t dividedBy(std::int64_t a, std::int64_t b) { return b == -1 ? times(a, -1) : a / b; }
bool isMultiple(std::int64_t a, std::int64_t b) { return b == -1 || a % b == 0; }
std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = dividedBy(a, b);
    return !isMultiple(a, b) && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Parses sums of products of numbers and names. Parenthesized parts and quotients are names as a whole.
class SizeReader {
public:
    explicit SizeReader(std::string_view text) : m_rest(text) {}

    bool accept(char c) {
        if (m_rest.empty() || m_rest.front() != c) return false;
        m_rest.remove_prefix(1);
        return true;
    }
    [[nodiscard]] bool atEnd() const { return m_rest.empty(); }

    /// The name up to the next operator outside parentheses; empty if there is none.
    std::string_view name() {
        std::size_t end = 0;
        int depth = 0;
        for (; end < m_rest.size(); ++end) {
            const char c = m_rest[end];
            if (depth == 0 && (c == '+' || c == '-' || c == '*')) break;
            if (c == '(') ++depth;
            if (c == ')' && --depth < 0) return {};
        }
        if (depth != 0) return {};
        const std::string_view result = m_rest.substr(0, end);
        m_rest.remove_prefix(end);
        return result;
    }

private:
    std::string_view m_rest;
};

bool isInParentheses(std::string_view text) {
    if (!text.starts_with('(') || !text.ends_with(')')) return false;
    int depth = 0;
    for (const char c : text.substr(0, text.size() - 1)) {
        if (c == '(') ++depth;
        if (c == ')' && --depth == 0) return false;
    }
    return true;
}

/// Whether a name must be in parentheses to be recognized within an expression.
bool needsParentheses(std::string_view name) {
    SizeReader reader(name);
    return reader.name().size() != name.size() || name.empty() || isInParentheses(name);
}

std::string inParentheses(std::string_view text) { return fmt::format("({})", text); }

}  // namespace

SizeExpression::SizeExpression(Dimension dimension, const SymbolTable& symbols) {
    if (dimension.isKnown()) {
        m_number = dimension.size;
        return;
    }
    const std::string_view name = symbols.text(dimension.name);
    std::optional<SizeExpression> expression = readNormal(name);
    *this = expression ? *std::move(expression) : named(std::string(name));
}

std::optional<SizeExpression> SizeExpression::readNormal(std::string_view text) {
    std::optional<SizeExpression> expression = read(text);
    const bool isNormal = expression && expression->number().value_or(0) >= 0 && expression->text() == text;
    return isNormal ? std::move(expression) : std::nullopt;
}

SizeExpression SizeExpression::named(std::string name) {
    SizeExpression result(0);
    result.add({std::move(name)}, 1);
    return result;
}

/// The expression; nullopt if the text is not written as one.
std::optional<SizeExpression> SizeExpression::read(std::string_view text) {
    SizeReader reader(text);
    SizeExpression sum(0);
    bool isNegative = reader.accept('-');
    while (true) {
        SizeExpression term(isNegative ? -1 : 1);
        do {
            const std::string_view factor = reader.name();
            if (factor.empty()) return std::nullopt;
            const std::optional<std::int64_t> number = numberFrom<std::int64_t>(factor);
            const std::string_view inner = factor.substr(1, factor.size() - 2);
            const bool isName = isInParentheses(factor) && needsParentheses(inner);
            term = term * (number ? SizeExpression(*number) : named(std::string(isName ? inner : factor)));
        } while (reader.accept('*'));
        sum = sum + term;
        if (reader.atEnd()) return sum;
        isNegative = reader.accept('-');
        if (!isNegative && !reader.accept('+')) return std::nullopt;
    }
}

void SizeExpression::add(const Monomial& monomial, std::int64_t factor) {
    if (monomial.empty()) {
        m_number = plus(m_number, factor);
        return;
    }
    std::int64_t& at = m_terms[monomial];
    at = plus(at, factor);
    if (at == 0) m_terms.erase(monomial);
}

SizeExpression operator+(const SizeExpression& a, const SizeExpression& b) {
    SizeExpression result = a;
    for (const auto& [monomial, factor] : b.m_terms) result.add(monomial, factor);
    result.add({}, b.m_number);
    return result;
}

SizeExpression operator-(const SizeExpression& a, const SizeExpression& b) { return a + SizeExpression(-1) * b; }

SizeExpression operator*(const SizeExpression& a, const SizeExpression& b) {
    SizeExpression result(times(a.m_number, b.m_number));
    for (const auto& [monomial, factor] : a.m_terms) {
        if (b.m_number != 0) result.add(monomial, times(factor, b.m_number));
        for (const auto& [other, otherFactor] : b.m_terms) {
            SizeExpression::Monomial both;
            std::merge(monomial.begin(), monomial.end(), other.begin(), other.end(), std::back_inserter(both));
            result.add(both, times(factor, otherFactor));
        }
    }
    if (a.m_number == 0) return result;
    for (const auto& [monomial, factor] : b.m_terms) result.add(monomial, times(factor, a.m_number));
    return result;
}

/// The quotient, if the divisor is one monomial that divides each of this expression's.
std::optional<SizeExpression> SizeExpression::exactQuotient(const SizeExpression& divisor) const {
    SizeExpression result(0);
    if (divisor.m_terms.empty()) {
        if (!isMultiple(m_number, divisor.m_number)) return std::nullopt;
        result.m_number = dividedBy(m_number, divisor.m_number);
        for (const auto& [monomial, factor] : m_terms) {
            if (!isMultiple(factor, divisor.m_number)) return std::nullopt;
            result.add(monomial, dividedBy(factor, divisor.m_number));
        }
        return result;
    }
    if (m_number != 0 || divisor.m_number != 0 || divisor.m_terms.size() != 1) return std::nullopt;
    const auto& [names, number] = *divisor.m_terms.begin();
    for (const auto& [monomial, factor] : m_terms) {
        const bool divides = std::includes(monomial.begin(), monomial.end(), names.begin(), names.end());
        if (!divides || !isMultiple(factor, number)) return std::nullopt;
        Monomial rest;
        std::set_difference(monomial.begin(), monomial.end(), names.begin(), names.end(), std::back_inserter(rest));
        result.add(rest, dividedBy(factor, number));
    }
    return result;
}

SizeExpression operator/(const SizeExpression& a, const SizeExpression& b) {
    assert(b != SizeExpression(0));
    const std::optional<std::int64_t> divisor = b.number();
    if (divisor && a.number()) return floorDivide(a.m_number, *divisor);
    if (std::optional<SizeExpression> exact = a.exactQuotient(b)) return *std::move(exact);
    SizeExpression whole(0);
    SizeExpression rest = a;
    if (divisor) {
        // floor((q b + r) / b) = q + floor(r / b), so the remaining factors are within 0 … b - 1.
        whole.m_number = floorDivide(a.m_number, *divisor);
        for (const auto& [monomial, factor] : a.m_terms) whole.add(monomial, floorDivide(factor, *divisor));
        rest = a - whole * b;
        if (rest.number()) return whole;
    }
    return whole + SizeExpression::named(fmt::format("{}/{}", rest.grouped(), b.grouped()));
}

std::optional<std::int64_t> SizeExpression::number() const {
    return m_terms.empty() ? std::optional(m_number) : std::nullopt;
}

std::optional<std::int64_t> SizeExpression::leastValue() const {
    std::int64_t least = m_number;
    for (const auto& [monomial, factor] : m_terms) {
        std::int64_t smallest = factor;
        for (const std::string& name : monomial) {
            // Quotients and the like are names here: those of plain names are 0 or more, others have no known bound.
            if (name.find_first_of("-(") != std::string::npos) return std::nullopt;
            if (name.find('/') != std::string::npos) smallest = 0;
        }
        if (factor < 0) return std::nullopt;
        least = plus(least, smallest);
    }
    return least;
}

bool SizeExpression::isOneName() const {
    return m_number == 0 && m_terms.size() == 1 && m_terms.begin()->first.size() == 1 && m_terms.begin()->second == 1;
}

std::string SizeExpression::text() const {
    if (isOneName()) return m_terms.begin()->first.front();
    std::string result;
    for (const auto& [monomial, factor] : m_terms) {
        if (factor > 0 && !result.empty()) result += '+';
        if (factor == -1) result += '-';
        if (factor != 1 && factor != -1) result += fmt::format("{}*", factor);
        for (std::size_t i = 0; i < monomial.size(); ++i) {
            if (i > 0) result += '*';
            result += needsParentheses(monomial[i]) ? inParentheses(monomial[i]) : monomial[i];
        }
    }
    if (m_number == 0 && !m_terms.empty()) return result;
    return result + fmt::format("{}{}", m_number > 0 && !m_terms.empty() ? "+" : "", m_number);
}

/// The text as an operand of a quotient.
std::string SizeExpression::grouped() const {
    std::string result = text();
    const bool isOne = result.find_first_of("+-*/") == std::string::npos;
    return isOne ? result : inParentheses(result);
}

Dimension SizeExpression::dimension(SymbolTable& symbols) const {
    assert(!m_terms.empty() || m_number >= 0);
    return m_terms.empty() ? Dimension::of(m_number) : Dimension::named(symbols.intern(text()));
}

Dimension readDimension(std::string_view text, SymbolTable& symbols) {
    if (const std::optional<std::int64_t> number = numberFrom<std::int64_t>(text); number && *number >= 0) {
        return Dimension::of(*number);
    }
    return Dimension::named(symbols.intern(text));
}

std::string dimensionText(Dimension dimension, const SymbolTable& symbols) {
    return dimension.isKnown() ? fmt::format("{}", dimension.size) : std::string(symbols.text(dimension.name));
}

SizeExpression product(std::span<const Dimension> dimensions, const SymbolTable& symbols) {
    SizeExpression result(1);
    for (const Dimension& dimension : dimensions) result = result * SizeExpression(dimension, symbols);
    return result;
}

Dimension larger(Dimension a, Dimension b, SymbolTable& symbols) {
    if (a.isKnown() && b.isKnown()) return Dimension::of(std::max(a.size, b.size));
    if (a == b) return a;
    std::set<std::string> names;
    for (const Dimension dimension : {a, b}) {
        const std::string text = dimensionText(dimension, symbols);
        std::string_view rest = text;
        // A "max(…)" name is split into its names, unless one of them contains parentheses.
        const bool isLarger = rest.starts_with("max(") && rest.ends_with(")") &&
                              rest.substr(4, rest.size() - 5).find_first_of("()") == std::string_view::npos;
        if (!isLarger) {
            names.insert(text);
            continue;
        }
        rest = rest.substr(4, rest.size() - 5);
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(':'), rest.size());
            names.emplace(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return Dimension::named(symbols.intern(fmt::format("max({})", fmt::join(names, ":"))));
}

bool mayBeEqual(Dimension a, Dimension b) { return a == b || !a.isKnown() || !b.isKnown(); }

}  // namespace mitos::tensor
