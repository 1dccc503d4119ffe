// SPDX-License-Identifier: GPL-3.0-or-later
// The part of array operators in analyses (ir/fact_rule.h): the range of all elements. Sizes of arrays are part of their types.
#pragma once

#include "core/ir/fact_rule.h"

namespace mitos::tensor {

/// What holds for every operator of arrays: shapes were checked when the term was made, so that only what the row states can fail.
[[nodiscard]] ir::OperationFacts factsOfArrays(const ir::FactInput& in);
/// The same, with elements in a range that was computed without limits.
[[nodiscard]] ir::OperationFacts factsInRange(const ir::FactInput& in, const ir::ValueRange& exact);

/// The part of an operator whose elements are a function of the element of one input, or of two.
template <auto Range>
inline constexpr ir::OperatorFacts UnaryFacts{
    [](const ir::FactInput& in) { return factsInRange(in, Range(in.range(0))); }};
template <auto Range>
inline constexpr ir::OperatorFacts BinaryFacts{
    [](const ir::FactInput& in) { return factsInRange(in, Range(in.range(0), in.range(1), in.isSame(0, 1))); }};
/// Elements lie between two numbers.
template <int Low, int High, bool IsNonzero>
inline constexpr ir::OperatorFacts BoundedFacts{[](const ir::FactInput& in) {
    return factsInRange(in, {double(Low), double(High), IsNonzero});
}};

}  // namespace mitos::tensor
