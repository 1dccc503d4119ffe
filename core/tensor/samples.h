// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs for programs of the tensor dialect, and the deviation between two results.
#pragma once

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/evaluate.h"

#include <absl/container/btree_map.h>

#include <cstdint>
#include <string>

namespace mitos::tensor {

/// The values of the names of sizes: {"N", 4}. Computed sizes ("2*N") follow from them.
using Sizes = absl::btree_map<std::string, std::int64_t, std::less<>>;

/// Random elements of an array type: floating-point ones uniform in [-1, 1) and representable in their type, Integers from 0 to
/// 3 (mostly used as indices), Bools. The same Random gives the same elements on every machine. Fails for an unknown rank, a
/// name without a size, strings, complex numbers, and more than 2^28 elements.
[[nodiscard]] Result<ArrayPtr> randomArray(const ir::TypeTable& types, ir::TypeId type, const Sizes& sizes,
                                           Random& random);

/// Numbers for all names of sizes in the parameters' types: those in `given`, and others from 2 to 5, or as much more as is needed
/// for the sizes that the function's body computes to be 1 or more (up to somewhat above 512). Fails if a size in the parameters'
/// types is still less than 1.
[[nodiscard]] Result<Sizes> randomSizes(const ir::TermBank& bank, const ir::Function& function, const Sizes& given,
                                        Random& random);

/// One input for each parameter of the function, with sizes from randomSizes(). Also fails as randomArray() does.
[[nodiscard]] Result<Inputs> randomInputs(const ir::TermBank& bank, const ir::Function& function, const Sizes& sizes,
                                          Random& random);

/// The largest |a - b| / max(1, |a|, |b|) of the elements: relative for large ones, absolute for small ones. Two NaNs
/// deviate by 0, as do equal infinities; a single NaN deviates infinitely. Fails if element types or shapes differ.
[[nodiscard]] Result<double> maxDeviation(const Array& a, const Array& b);
/// The largest deviation over all outputs. Also fails if their numbers differ.
[[nodiscard]] Result<double> maxDeviation(std::span<const ArrayPtr> a, std::span<const ArrayPtr> b);

}  // namespace mitos::tensor
