// SPDX-License-Identifier: GPL-3.0-or-later
// Signatures of derived functions such as `[rev f]` (ks-language.md 2, 3). Their bodies are not generated here.
#pragma once

#include "core/ks/internal/type_reader.h"

#include <string_view>

namespace mitos::ks {

/// Whether the text of the function's argument or result type is longer than 10,000 characters. These types are part of the names of
/// derived functions, and each derivation of a derived function about doubles them.
[[nodiscard]] bool hasLargeTypes(const ir::TermBank& bank, ir::FunctionId function);

/// Declares `[derivation name]`, so that calls of it type-check; `base` is the function of exactly that name. Returns false and
/// declares nothing for derivations whose types depend on the body of `base` (suffwdpass and sufrevpass, which pass on
/// intermediate values) and for functions with large types.
bool declareDerived(FileContext& file, std::string_view derivation, const FunctionName& name, ir::FunctionId base);

}  // namespace mitos::ks
