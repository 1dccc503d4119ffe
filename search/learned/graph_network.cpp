// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/graph_network.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mitos::search::learned {

namespace {

constexpr std::array<std::pair<NetworkKind, const char*>, 3> Kinds{
    {{NetworkKind::Graph, "graph"}, {NetworkKind::Sequence, "sequence"}, {NetworkKind::Gated, "gated"}}};

}  // namespace

const char* toString(NetworkKind kind) {
    return std::ranges::find(Kinds, kind, &std::pair<NetworkKind, const char*>::first)->second;
}

std::optional<NetworkKind> networkKindFrom(std::string_view name) {
    for (const auto& [kind, own] : Kinds) {
        if (name == own) return kind;
    }
    return std::nullopt;
}

}  // namespace mitos::search::learned
