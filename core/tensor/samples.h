// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs to try programs of the tensor dialect on, and how far apart two results are.
#pragma once

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/evaluate.h"

#include <absl/container/btree_map.h>

#include <cstdint>
#include <string>

namespace mitos::tensor {

/// What the names of sizes stand for: {"N", 4}. What is computed of them ("2*N") follows from theirs.
using Sizes = absl::btree_map<std::string, std::int64_t, std::less<>>;

/// Random elements of an array type: floating ones uniform in [-1, 1) and representable in their type, Integers of 0 to
/// 3 (indices of something, mostly), Bools. The same for the same Random on every machine. Errors: an unknown rank, a
/// name without a size, strings, complex numbers, more than 2^28 elements.
[[nodiscard]] Result<ArrayPtr> randomArray(const ir::TypeTable& types, ir::TypeId type, const Sizes& sizes,
                                           Random& random);

/// Numbers for all names of sizes in the parameters' types, those in `given` and others of 2 to 5, or as many more as are needed for
/// the sizes that the function's body computes to be 1 or more (up to 512 and some). Errors: one in the parameters' types is less
/// than 1 all the same.
[[nodiscard]] Result<Sizes> randomSizes(const ir::TermBank& bank, const ir::Function& function, const Sizes& given,
                                        Random& random);

/// One for each parameter of the function, of randomSizes(). Errors: also as randomArray().
[[nodiscard]] Result<Inputs> randomInputs(const ir::TermBank& bank, const ir::Function& function, const Sizes& sizes,
                                          Random& random);

/// The largest |a - b| / max(1, |a|, |b|) of the elements: relative for large ones, absolute for small ones. Two that
/// are not a number deviate by 0, as do equal infinities; one alone deviates infinitely. Errors: element types or shapes
/// differ.
[[nodiscard]] Result<double> maxDeviation(const Array& a, const Array& b);
/// Over all outputs. Errors: also, their number differs.
[[nodiscard]] Result<double> maxDeviation(std::span<const ArrayPtr> a, std::span<const ArrayPtr> b);

}  // namespace mitos::tensor
