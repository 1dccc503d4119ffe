// SPDX-License-Identifier: GPL-3.0-or-later
// A position in a program: the index of the child at each level, from the root.
#pragma once

#include "core/base/result.h"

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mitos::ir {

/// Child indices from the root; the empty path is the root. A ks program is a tree, so a path denotes ONE occurrence of a term.
/// Text form: "/" for the root, "/0/2" for child 2 of child 0.
using Path = absl::InlinedVector<std::uint32_t, 8>;

[[nodiscard]] std::string toString(const Path& path);
[[nodiscard]] Result<Path> parsePath(std::string_view text);
/// Whether `inner` is `outer` or a position below it.
[[nodiscard]] bool isWithin(const Path& inner, const Path& outer);
[[nodiscard]] Path child(const Path& path, std::uint32_t index);

}  // namespace mitos::ir
