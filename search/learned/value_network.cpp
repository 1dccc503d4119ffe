// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/value_network.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mitos::search::learned {

namespace {

constexpr std::array<std::pair<ValueNetworkKind, const char*>, 2> ValueKinds{
    {{ValueNetworkKind::Knossos, "knossos"}, {ValueNetworkKind::Terms, "terms"}}};

}  // namespace

const char* toString(ValueNetworkKind kind) {
    return std::ranges::find(ValueKinds, kind, &std::pair<ValueNetworkKind, const char*>::first)->second;
}

std::optional<ValueNetworkKind> valueNetworkKindFrom(std::string_view name) {
    for (const auto& [kind, own] : ValueKinds) {
        if (name == own) return kind;
    }
    return std::nullopt;
}

}  // namespace mitos::search::learned
