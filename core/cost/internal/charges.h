// SPDX-License-Identifier: GPL-3.0-or-later
// The parameter `charges` of cost models of tensor programs: which nodes cost something.
#pragma once

#include "core/base/parameters.h"
#include "core/cost/internal/node_work.h"
#include "core/cost/node_cost.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace mitos::cost {

enum class Charges : std::uint8_t {
    Run,  ///< what runs with the program: nodes that depend on weights alone are computed before, and views move nothing
    /// As TASO's and TENSAT's published programs charge (tensor-onnx.md 9.1): movement is free, even where it is a copy, and so is joining
    /// weights; all other nodes are charged, even if they depend on weights alone.
    Taso,
};

[[nodiscard]] ParameterInfo chargesParameter();
[[nodiscard]] Charges chargesOf(const ParameterValues& values);

/// The subject of a sentence: what costs nothing.
[[nodiscard]] std::string_view freeText(Charges charges);
/// Why the node costs nothing, as the rest of a sentence: "a view, nothing is moved". Nothing if the node is charged.
[[nodiscard]] std::optional<std::string_view> whyFree(const Node& node, const NodeWork& work, Charges charges);
/// Added to the explanation of a node that is charged under these charges only; otherwise empty.
[[nodiscard]] std::string_view whyCharged(const Node& node, Charges charges);

}  // namespace mitos::cost
