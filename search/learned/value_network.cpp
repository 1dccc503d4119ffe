// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/value_network.h"

#include "search/learned/graph_network.h"
#include "search/learned/knossos_network.h"
#include "search/learned/term_network.h"

#include <fmt/format.h>

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

Result<std::unique_ptr<ValueNetwork>> makeValueNetwork(const ValueNetworkShape& shape) {
    constexpr std::uint32_t MostTimes = 1000;
    constexpr std::uint32_t MostKinds = 10'000;
    constexpr std::uint32_t MostLayers = 16;
    const auto isWithin = [](std::uint32_t size, std::uint32_t most) { return size >= 1 && size <= most; };
    if (!isWithin(shape.kinds, MostKinds) || !isWithin(shape.hidden, LargestHidden) ||
        !isWithin(shape.readout, LargestHidden) || !isWithin(shape.times, MostTimes) || shape.layers > MostLayers ||
        shape.rounds > MostRounds || !(shape.dropout >= 0.0 && shape.dropout < 1.0)) {
        return inputError(
            fmt::format("a network of {} kinds of nodes, {} hidden numbers, {} in the read-out, {} layers and {} times",
                        shape.kinds, shape.hidden, shape.readout, shape.layers, shape.times),
            fmt::format("sizes are from 1 to {} numbers, {} layers and {} times", LargestHidden, MostLayers,
                        MostTimes));
    }
    if (shape.kind == ValueNetworkKind::Terms) return makeTermNetwork(shape);
    if (shape.hints > 0)
        return inputError("the graph network of the Knossos paper takes no hints", "use the network terms");
    return makeKnossosNetwork(shape);
}

}  // namespace mitos::search::learned
