// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the types that the variables of a rule can have, by trying types on the operators' own type rules.
#pragma once

#include "core/rules/language/compiled.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mitos::rules {

/// A well-typed choice of types for one direction of a rule.
struct Typing {
    std::vector<ir::TypeId> types;                   ///< by variable: terms and bound variables
    std::vector<std::vector<ir::TypeId>> sequences;  ///< by variable: the types of a sequence's elements
    std::vector<std::int64_t> attributes;            ///< by variable
    std::vector<ir::TypeId> numbers;                 ///< by node: the type of a number of open type
    ir::TypeId result;                               ///< of the left side
};

/// Whether typings can be enumerated. Function variables, named patterns and match constraints can match too many terms, and arrays have
/// too many types, so a rule with any of them has no typings.
[[nodiscard]] bool canBeTyped(const CompiledRule& rule);

/// Every typing from a fixed list of types (numbers, Bool, vectors, tuples, their nestings; if that gives none, also
/// functions, linear maps, Strings and longer tuples) in which the left side is well-typed and, if `bothSides`, some branch
/// of the right side has the same type. Return false from `found` to stop. Returns whether everything was tried: for rules with
/// many variables, the search gives up after `mostSteps`, the number of times that a side is typed.
bool forEachTyping(const CompiledRule& rule, const ir::OperatorRegistry& registry, ir::TypeTable& types, bool bothSides,
                   absl::FunctionRef<bool(const Typing&)> found, std::uint64_t mostSteps = 300'000);

}  // namespace mitos::rules
