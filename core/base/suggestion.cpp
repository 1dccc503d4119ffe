// SPDX-License-Identifier: GPL-3.0-or-later
// See suggestion.h.
#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos {

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> older(b.size() + 1);
    std::vector<std::size_t> old(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        older.swap(old);
        old.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), old[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], older[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::string_view closestName(std::string_view name, const std::vector<std::string_view>& candidates) {
    constexpr std::size_t LongestCompared = 100;
    std::size_t best = (name.size() <= 3 ? 1 : std::max<std::size_t>(2, name.size() / 3)) + 1;
    std::string_view closest;
    for (const std::string_view candidate : candidates) {
        const std::size_t longer = std::max(name.size(), candidate.size());
        const std::size_t apart = longer - std::min(name.size(), candidate.size());
        if (apart > best || candidate == name || longer > LongestCompared) continue;
        const std::size_t distance = editDistance(name, candidate);
        const bool isBetter =
            distance < best || (distance == best && !closest.empty() && apart == 0 && closest.size() != name.size());
        if (!isBetter || distance >= longer) continue;
        best = distance;
        closest = candidate;
    }
    return closest;
}

std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates, std::string fallback) {
    const std::string_view closest = closestName(name, candidates);
    return closest.empty() ? std::move(fallback) : fmt::format("did you mean {}?", closest);
}

Error noSuchName(std::string_view kind, std::string_view name, const std::vector<std::string_view>& known) {
    const std::string meant = suggestion(name, known);
    return inputError(
        fmt::format("there is no {} \"{}\"", kind, name),
        fmt::format("{}{}choose one of {}", meant, meant.empty() ? "" : " Otherwise ", fmt::join(known, ", ")));
}

}  // namespace mitos
