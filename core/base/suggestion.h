// SPDX-License-Identifier: GPL-3.0-or-later
// Suggests the right spelling of names.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mitos {

/// The number of insertions, deletions, replacements and exchanges of neighbours that turn one text into the other.
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);

/// The candidate most similar to a misspelt name; empty if none is close. Among equally similar ones, one of the same length is
/// preferred: a letter is mistyped more often than omitted.
[[nodiscard]] std::string_view closestName(std::string_view name, const std::vector<std::string_view>& candidates);
/// "did you mean X?", or the fallback if no candidate is close.
[[nodiscard]] std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates,
                                     std::string fallback = {});

/// The error that nothing of a kind ("cost model") has that name. The hint suggests the closest of the known ones and lists them all.
[[nodiscard]] Error noSuchName(std::string_view kind, std::string_view name,
                               const std::vector<std::string_view>& known);

}  // namespace mitos
