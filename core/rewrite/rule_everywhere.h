// SPDX-License-Identifier: GPL-3.0-or-later
// One rule, wherever it applies.
#pragma once

#include "core/rewrite/step.h"
#include "core/rules/rule.h"

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <memory>

namespace mitos::rewrite {

inline constexpr std::size_t MostPlacesOfRule = 1'000;

/// Steps of one rule at the places where it matches in the program, the first MostPlacesOfRule of them, innermost places first. Where it
/// matches in several ways, the first one is taken; a place at which it does not match any more, because of a step before, is left out.
/// Ends early, between two steps, when `goesOn` returns false. The result is valid by construction.
[[nodiscard]] Thread everywhere(ir::TermBank& bank, const ir::Program& program,
                                const std::shared_ptr<const rules::DirectedRule>& rule,
                                absl::FunctionRef<bool()> goesOn);

}  // namespace mitos::rewrite
