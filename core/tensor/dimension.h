// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on dimensions. A computed size is named by its expression, in a normal form ("N+1", "2*N", "(N+1)/2"), so
// that equal computations have equal names. A name in that form is read as the expression, wherever it comes from; any other
// ("seq-len", "1+N", "-3") is one name as a whole, which larger expressions contain in parentheses ("(seq-len)+1").
#pragma once

#include "core/base/symbol_table.h"
#include "core/ir/type_table.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tensor {

/// A whole number, or a polynomial over names of sizes. Intermediate results may be negative.
class SizeExpression {
public:
    SizeExpression(std::int64_t number) : m_number(number) {}
    SizeExpression(ir::Dimension dimension, const SymbolTable& symbols);
    /// A name as a whole, not read as an expression.
    static SizeExpression named(std::string name);

    friend SizeExpression operator+(const SizeExpression& a, const SizeExpression& b);
    friend SizeExpression operator-(const SizeExpression& a, const SizeExpression& b);
    friend SizeExpression operator*(const SizeExpression& a, const SizeExpression& b);
    /// The quotient is rounded down. The divisor is not 0.
    friend SizeExpression operator/(const SizeExpression& a, const SizeExpression& b);
    friend bool operator==(const SizeExpression& a, const SizeExpression& b) = default;

    /// The number; nullopt if it depends on names.
    [[nodiscard]] std::optional<std::int64_t> number() const;
    [[nodiscard]] std::string text() const;
    /// A lower bound that holds whatever sizes (1 or more) the names stand for; nullopt if none can be derived.
    [[nodiscard]] std::optional<std::int64_t> leastValue() const;
    /// Whether it is certainly 0 or more, whatever sizes the names stand for.
    [[nodiscard]] bool isNeverNegative() const { return leastValue().value_or(-1) >= 0; }
    /// The dimension with this value. If it is a number, it must not be negative.
    [[nodiscard]] ir::Dimension dimension(SymbolTable& symbols) const;

    /// Whether a name is read as an expression; otherwise it is one name as a whole, even if value() can parse it.
    [[nodiscard]] static bool isNormal(std::string_view name) { return readNormal(name).has_value(); }

    /// The kinds of names that value() looks up: computed ones, which need not be known, and those that they are computed from.
    enum class Asked : std::uint8_t { Computed, Plain };
    using NumberOf = absl::FunctionRef<std::optional<std::int64_t>(std::string_view, Asked)>;
    /// The value of a size's name when the names in it are numbers. Reads all forms that shape rules make, "(N+1)/2", "max(M:N)",
    /// "slice(N:0:5:1)", "floor(0.5:N)", and sums and products as people write them. nullopt if a name has no number, or the
    /// computation has no value.
    [[nodiscard]] static std::optional<std::int64_t> value(std::string_view text, NumberOf numberOf) {
        return value(text, numberOf, 0);
    }

private:
    /// Names in alphabetical order; each occurs as often as it is multiplied.
    using Monomial = std::vector<std::string>;

    static std::optional<SizeExpression> read(std::string_view text);
    static std::optional<SizeExpression> readNormal(std::string_view text);
    [[nodiscard]] bool isOneName() const;
    static std::optional<std::int64_t> value(std::string_view text, NumberOf numberOf, int level);
    static std::optional<std::int64_t> factorValue(std::string_view text, NumberOf numberOf, int level);
    void add(const Monomial& monomial, std::int64_t factor);
    [[nodiscard]] std::optional<SizeExpression> exactQuotient(const SizeExpression& divisor) const;
    [[nodiscard]] std::string grouped() const;

    std::map<Monomial, std::int64_t> m_terms;  ///< monomials with their factors, none of which is 0
    std::int64_t m_number = 0;                 ///< the constant term
};

/// Reads a size as types show it: a number, or a name taken literally. The inverse of dimensionText.
[[nodiscard]] ir::Dimension readDimension(std::string_view text, SymbolTable& symbols);
/// A size as types show it: "3", "N+1".
[[nodiscard]] std::string dimensionText(ir::Dimension dimension, const SymbolTable& symbols);
/// The product of the dimensions; 1 if there are none.
[[nodiscard]] SizeExpression product(std::span<const ir::Dimension> dimensions, const SymbolTable& symbols);
/// The larger of two sizes, as broadcasting produces it: either of two equal ones, or the one that is not 1. Where that depends
/// on names it is "max(M:N)", with every name once, in alphabetical order.
[[nodiscard]] ir::Dimension larger(ir::Dimension a, ir::Dimension b, SymbolTable& symbols);
/// Whether the two can be the same size when the program runs: they are equal, or one of them is a name.
[[nodiscard]] bool mayBeEqual(ir::Dimension a, ir::Dimension b);

}  // namespace mitos::tensor
