// SPDX-License-Identifier: GPL-3.0-or-later
// Linear maps, kept as constructed and applied on demand. Private to core/eval.
#pragma once

#include "core/eval/internal/meter.h"

#include <cstdint>
#include <vector>

namespace mitos::eval {

enum class LinearMapKind : std::uint8_t {
    Zero,  ///< values: zero tangents of source and target
    One,
    Scale,    ///< factor
    ScaleR,   ///< values: v; r -> r v
    Dot,      ///< values: v; x -> <v, x>
    Compose,  ///< maps: outer, inner
    Add,      ///< maps: both
    VCat,     ///< maps: one per element of the result
    HCat,     ///< maps: one per element of the argument
    VCatV,    ///< maps in row-major order, dims
    HCatV,    ///< maps in row-major order, dims
};

struct LinearMapValue {
    LinearMapKind kind = LinearMapKind::One;
    std::vector<Value> values = {};
    std::vector<Value> maps = {};
    std::vector<std::int64_t> dims = {};
    double factor = 1.0;
    std::uint32_t nesting = 0;  ///< set by makeLinearMap
};

/// Fails with Limit if maps are nested more than some thousand levels deep.
[[nodiscard]] Value makeLinearMap(LinearMapValue map);
/// Applies the map to a tangent of its source.
[[nodiscard]] Value applyMap(Meter& meter, const LinearMapValue& map, const Value& ds);
/// Applies the transposed map to a tangent of its target.
[[nodiscard]] Value applyTransposed(Meter& meter, const LinearMapValue& map, const Value& dt);

}  // namespace mitos::eval
