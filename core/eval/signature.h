// SPDX-License-Identifier: GPL-3.0-or-later
// Size names and inputs of a function's signature. Private to core/eval and core/codegen.
#pragma once

#include "core/eval/evaluator.h"

#include <optional>

namespace mitos::eval {

/// Whether the type, as declared, names a size anywhere.
[[nodiscard]] bool namesSizes(const ir::TypeTable& types, ir::TypeId type);
/// The size denoted by a "name" that is a number.
[[nodiscard]] std::optional<std::int64_t> constantSize(const ir::TermBank& bank, Symbol name);
/// The error if the inputs do not fit the signature (number, types, extra sizes); empty if they fit.
[[nodiscard]] std::optional<Error> checkInputs(const ir::TermBank& bank, const ir::Function& function,
                                               const Inputs& inputs);

}  // namespace mitos::eval
