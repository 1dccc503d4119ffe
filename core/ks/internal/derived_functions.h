// SPDX-License-Identifier: GPL-3.0-or-later
// Declares derived functions such as `[rev f]` for the file that is read. Their bodies are made after the file has been read, except for
// those of the split reverse mode.
#pragma once

#include "core/ks/internal/file_context.h"

#include <string_view>

namespace mitos::ks {

/// Declares `[derivation name]`, so that calls of it type-check; `base` is the function of exactly that name, and `place` is what asks
/// for it. Returns false and declares nothing if the derivation has no signature (signature.h).
bool declareDerived(FileContext& file, std::string_view derivation, const FunctionName& name, ir::FunctionId base,
                    FormId place);

}  // namespace mitos::ks
