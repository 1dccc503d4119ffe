// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/axes.h"

#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace mitos::tensor {

Status checkAxes(const ShapeInput& in, std::span<const std::int64_t> axes) {
    return checkAxes(in, axes, in.inputs[0].hasRank ? in.inputs[0].rank() : INT64_MAX);
}

Status checkAxes(const ShapeInput& in, std::span<const std::int64_t> axes, std::size_t rank) {
    for (const std::int64_t axis : axes) MITOS_REQUIRE(checkAxis(in, axis, rank));
    if (std::adjacent_find(axes.begin(), axes.end(), std::greater_equal<>()) != axes.end()) {
        return shapeError(fmt::format("{} takes axes in rising order; found [{}]", in.op.name, fmt::join(axes, ",")));
    }
    return Success{};
}

std::vector<std::int64_t> axesFrom(std::int64_t first, std::size_t rank) {
    std::vector<std::int64_t> axes(rank - static_cast<std::size_t>(first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

Result<Imported> importWithAxis(const Operator& op, const OnnxNode& node, const OnnxContext& context,
                                std::int64_t otherwise) {
    MITOS_TRY(const ArrayType type, rankedInput(node, context, 0));
    MITOS_TRY(const std::int64_t axis, normalizedAxis(integerOf(node, "axis", otherwise), type.rank()));
    OnnxNode counted = node;
    counted.attributes.insert_or_assign("axis", axis);
    return importPlainly(op, counted);
}

}  // namespace mitos::tensor
