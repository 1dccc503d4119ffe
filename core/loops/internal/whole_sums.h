// SPDX-License-Identifier: GPL-3.0-or-later
// Integers as sums, to be rearranged. Private to core/loops.
#pragma once

#include "core/ir/type_table.h"
#include "core/ir/value_range.h"
#include "core/loops/internal/effects.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::loops {

/// A sum of the index of a loop, perhaps several times, of expressions that are no sums, and a number.
struct WholeSum {
    struct Term {
        ExpressionId expression;
        std::int64_t times;  ///< not 0
    };
    std::int64_t ofIndex = 0;
    std::vector<Term> terms = {};
    std::int64_t number = 0;
};

/// Sums of one function. Only those that do not wrap are taken apart.
class WholeSums {
public:
    WholeSums(const ir::TypeTable& types, Function& function, const Effects& effects)
        : m_types(types),
          m_function(function),
          m_effects(effects) {}

    /// An Integer as a sum; nothing if something else is done with the index, or its other parts may fail.
    [[nodiscard]] std::optional<WholeSum> of(ExpressionId expression, SymbolId index) const;
    /// Adds a sum so many times.
    void add(WholeSum& sum, const WholeSum& other, std::int64_t times) const;
    /// The difference of two sums without the index if it is a number, whatever their parts are.
    [[nodiscard]] std::optional<std::int64_t> difference(const WholeSum& a, const WholeSum& b) const;
    /// Whether a sum without the index, however its parts are ordered, is computed without wrapping.
    [[nodiscard]] bool fits(const WholeSum& sum) const;
    /// A sum without the index as an expression.
    [[nodiscard]] ExpressionId expression(const WholeSum& sum);
    /// Where an Integer lies, as far as its definition tells.
    [[nodiscard]] ir::ValueRange rangeOf(ExpressionId expression) const;

private:
    bool collect(ExpressionId expression, SymbolId index, std::int64_t times, WholeSum& sum) const;
    void addTerm(WholeSum& sum, ExpressionId expression, std::int64_t times) const;
    [[nodiscard]] WholeSum opened(const WholeSum& sum) const;
    [[nodiscard]] bool isFixed(ExpressionId expression) const;
    [[nodiscard]] ir::ValueRange rangeOf(ExpressionId expression, int depth) const;

    const ir::TypeTable& m_types;
    Function& m_function;
    const Effects& m_effects;
};

}  // namespace mitos::loops
