// SPDX-License-Identifier: GPL-3.0-or-later
// Functions derived from others, `[rev f]`: their signatures (ks-language.md 2, 3). Their bodies are not made here.
#pragma once

#include "core/ks/type_reader.h"

#include <string_view>

namespace mitos::ks {

/// Makes calls of `[derivation name]` check, `base` being the function of that exact name. False, and nothing declared,
/// for derivations whose types depend on the body of `base` (suffwdpass and sufrevpass pass on what they please).
bool declareDerived(FileContext& file, std::string_view derivation, const FunctionName& name, ir::FunctionId base);

}  // namespace mitos::ks
