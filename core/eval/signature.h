// SPDX-License-Identifier: GPL-3.0-or-later
// What a function's signature says about its inputs. Private to core/eval and core/codegen.
#pragma once

#include "core/eval/evaluator.h"

#include <optional>

namespace mitos::eval {

/// Whether the type, as declared, names a size anywhere.
[[nodiscard]] bool namesSizes(const ir::TypeTable& types, ir::TypeId type);
/// The size that a "name" which is a number stands for.
[[nodiscard]] std::optional<std::int64_t> constantSize(const ir::TermBank& bank, Symbol name);
/// Why the inputs do not fit the signature (number, types, extra sizes), if they do not.
[[nodiscard]] std::optional<Error> checkInputs(const ir::TermBank& bank, const ir::Function& function,
                                               const Inputs& inputs);

}  // namespace mitos::eval
