// SPDX-License-Identifier: GPL-3.0-or-later
// Signatures of functions, and those of derived functions such as `[rev f]` (ks-language.md 2, 3).
#pragma once

#include "core/ir/term_bank.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

/// A ks function with this signature, without a body. The sizes that the types name become its SizeNames.
[[nodiscard]] ir::Function signature(ir::TermBank& bank, std::string name, std::vector<ir::Parameter> parameters,
                                     ir::TypeId result);

/// Whether the text of the function's argument or result type is longer than 10,000 characters. These types are part of the names of
/// derived functions, and each derivation of a derived function about doubles them.
[[nodiscard]] bool hasLargeTypes(const ir::TermBank& bank, ir::FunctionId function);

/// The signature of `[derivation [f T]]` for f = `base`: the point is one parameter, and the tangent another. Sizes that the types of
/// f name are named here too. Returns nothing for derivations whose types depend on the body of f (suffwdpass and sufrevpass, which
/// pass on intermediate values), for unknown derivations and for functions with large types.
[[nodiscard]] std::optional<ir::Function> derivedSignature(ir::TermBank& bank, std::string_view derivation,
                                                           ir::FunctionId base);

/// The function that the bank knows as this derivation of `base`, under its full name `[rev [f T]]` or as `[rev f]`. Invalid if there is
/// none.
[[nodiscard]] ir::FunctionId findDerived(ir::TermBank& bank, std::string_view derivation, ir::FunctionId base);

}  // namespace mitos::ks
