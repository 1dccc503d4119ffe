// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/dimension.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace mitos::tensor {

namespace {

using ir::Dimension;

constexpr std::int64_t Largest = std::numeric_limits<std::int64_t>::max();

// Sizes come from files: what overflows is cut off, not undefined.
std::int64_t plus(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? (a > 0 ? Largest : -Largest) : result;
}
std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? ((a > 0) == (b > 0) ? Largest : -Largest) : result;
}
std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Names in alphabetical order, a repeated one as often as it is multiplied. None: the constant, ordered last.
using Monomial = std::vector<std::string>;
struct ConstantLast {
    bool operator()(const Monomial& a, const Monomial& b) const {
        if (a.empty() || b.empty()) return !a.empty() && b.empty();
        return a < b;
    }
};
/// Monomials with their factors, none of which is 0.
using Polynomial = std::map<Monomial, std::int64_t, ConstantLast>;

void add(Polynomial& to, const Monomial& monomial, std::int64_t factor) {
    std::int64_t& at = to[monomial];
    at = plus(at, factor);
    if (at == 0) to.erase(monomial);
}

Polynomial constant(std::int64_t value) {
    Polynomial result;
    add(result, {}, value);
    return result;
}

Polynomial multiplied(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    for (const auto& [left, leftFactor] : a) {
        for (const auto& [right, rightFactor] : b) {
            Monomial both = left;
            both.insert(both.end(), right.begin(), right.end());
            std::sort(both.begin(), both.end());
            add(result, both, times(leftFactor, rightFactor));
        }
    }
    return result;
}

std::string text(const Polynomial& polynomial) {
    if (polynomial.empty()) return "0";
    std::string result;
    for (const auto& [monomial, factor] : polynomial) {
        if (factor > 0 && !result.empty()) result += '+';
        if (monomial.empty())
            result += fmt::format("{}", factor);
        else if (factor == 1 || factor == -1)
            result += fmt::format("{}{}", factor < 0 ? "-" : "", fmt::join(monomial, "*"));
        else
            result += fmt::format("{}*{}", factor, fmt::join(monomial, "*"));
    }
    return result;
}

/// Reads sums of products of numbers and names. What stands in parentheses, and quotients, are names as a whole.
class Reader {
public:
    explicit Reader(std::string_view text) : m_rest(text) {}

    /// Nothing for what is not written so; it is then a name as a whole.
    std::optional<Polynomial> read() {
        Polynomial result;
        bool isNegative = accept('-');
        do {
            std::optional<Polynomial> term = product();
            if (!term) return std::nullopt;
            for (const auto& [monomial, factor] : *term) add(result, monomial, isNegative ? -factor : factor);
            if (m_rest.empty()) return result;
            isNegative = m_rest.front() == '-';
        } while (accept('+') || accept('-'));
        return std::nullopt;
    }

private:
    bool accept(char c) {
        if (m_rest.empty() || m_rest.front() != c) return false;
        m_rest.remove_prefix(1);
        return true;
    }

    std::optional<Polynomial> product() {
        Polynomial result = constant(1);
        do {
            const std::string_view factor = name();
            if (factor.empty()) return std::nullopt;
            std::int64_t number = 0;
            const auto [end, code] = std::from_chars(factor.data(), factor.data() + factor.size(), number);
            const bool isNumber = code == std::errc() && end == factor.data() + factor.size();
            result = multiplied(result, isNumber ? constant(number) : Polynomial{{{std::string(factor)}, 1}});
        } while (accept('*'));
        return result;
    }

    /// Up to the next operator outside parentheses; '/' belongs to the name.
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

    std::string_view m_rest;
};

Polynomial polynomial(Dimension dimension, const SymbolTable& symbols) {
    if (dimension.isKnown()) return constant(dimension.size);
    const std::string_view name = symbols.text(dimension.name);
    std::optional<Polynomial> read = Reader(name).read();
    return read ? *std::move(read) : Polynomial{{{std::string(name)}, 1}};
}

Dimension dimension(const Polynomial& polynomial, SymbolTable& symbols) {
    if (polynomial.empty()) return Dimension::of(0);
    if (polynomial.size() == 1 && polynomial.begin()->first.empty()) return Dimension::of(polynomial.begin()->second);
    return Dimension::named(symbols.intern(text(polynomial)));
}

/// a / b where b is one monomial that divides each of a's.
std::optional<Polynomial> divided(const Polynomial& a, const Polynomial& b) {
    if (b.size() != 1) return std::nullopt;
    const auto& [divisor, factor] = *b.begin();
    Polynomial result;
    for (const auto& [monomial, coefficient] : a) {
        if (coefficient % factor != 0 ||
            !std::includes(monomial.begin(), monomial.end(), divisor.begin(), divisor.end()))
            return std::nullopt;
        Monomial rest;
        std::set_difference(monomial.begin(), monomial.end(), divisor.begin(), divisor.end(), std::back_inserter(rest));
        add(result, rest, coefficient / factor);
    }
    return result;
}

std::string grouped(const Polynomial& polynomial) {
    std::string result = text(polynomial);
    const bool isOne = polynomial.size() == 1 && result.find_first_of("+-*/") == std::string::npos;
    return isOne ? result : fmt::format("({})", result);
}

}  // namespace

std::string dimensionText(Dimension dimension, const SymbolTable& symbols) {
    return dimension.isKnown() ? fmt::format("{}", dimension.size) : std::string(symbols.text(dimension.name));
}

Dimension sum(Dimension a, Dimension b, SymbolTable& symbols) {
    if (a.isKnown() && b.isKnown()) return Dimension::of(plus(a.size, b.size));
    Polynomial result = polynomial(a, symbols);
    for (const auto& [monomial, factor] : polynomial(b, symbols)) add(result, monomial, factor);
    return dimension(result, symbols);
}

Dimension difference(Dimension a, Dimension b, SymbolTable& symbols) {
    return sum(a, product(Dimension::of(-1), b, symbols), symbols);
}

Dimension product(Dimension a, Dimension b, SymbolTable& symbols) {
    if (a.isKnown() && b.isKnown()) return Dimension::of(times(a.size, b.size));
    return dimension(multiplied(polynomial(a, symbols), polynomial(b, symbols)), symbols);
}

Dimension product(std::span<const Dimension> dimensions, SymbolTable& symbols) {
    Dimension result = Dimension::of(1);
    for (const Dimension& dimension : dimensions) result = product(result, dimension, symbols);
    return result;
}

Dimension quotient(Dimension a, Dimension b, SymbolTable& symbols) {
    assert(b != Dimension::of(0));
    if (a.isKnown() && b.isKnown()) return Dimension::of(floorDivide(a.size, b.size));
    const Polynomial dividend = polynomial(a, symbols);
    const Polynomial divisor = polynomial(b, symbols);
    if (const std::optional<Polynomial> exact = divided(dividend, divisor)) return dimension(*exact, symbols);
    Polynomial whole;
    Polynomial rest = dividend;
    if (b.isKnown()) {
        // floor((q b + r) / b) = q + floor(r / b): the rest has factors of 0 … b - 1 only.
        rest.clear();
        for (const auto& [monomial, factor] : dividend) {
            const std::int64_t part = floorDivide(factor, b.size);
            add(whole, monomial, part);
            add(rest, monomial, factor - part * b.size);
        }
    }
    if (rest.size() == 1 && rest.begin()->first.empty() && b.isKnown()) return dimension(whole, symbols);
    add(whole, {fmt::format("{}/{}", grouped(rest), grouped(divisor))}, 1);
    return dimension(whole, symbols);
}

bool mayBeEqual(Dimension a, Dimension b) { return a == b || !a.isKnown() || !b.isKnown(); }

}  // namespace mitos::tensor
