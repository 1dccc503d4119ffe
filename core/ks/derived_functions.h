// SPDX-License-Identifier: GPL-3.0-or-later
// Functions derived from others, `[rev f]`: their signatures (ks-language.md 2, 3). Their bodies are not made here.
#pragma once

#include "core/ks/type_reader.h"

#include <string_view>

namespace mitos::ks {

/// Whether the types, which are part of the names of what is derived, are longer than some thousand characters: each
/// derivation of a derived function about doubles them.
[[nodiscard]] bool hasLargeTypes(const ir::TermBank& bank, ir::FunctionId function);

/// Makes calls of `[derivation name]` check, `base` being the function of that exact name. False, and nothing declared,
/// for derivations whose types depend on the body of `base` (suffwdpass and sufrevpass pass on what they please), and for
/// functions with large types.
bool declareDerived(FileContext& file, std::string_view derivation, const FunctionName& name, ir::FunctionId base);

}  // namespace mitos::ks
