// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/window.h"

#include "core/tensor/dimension.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

using ir::Dimension;

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

Status checkList(std::string_view op, std::string_view name, std::span<const std::int64_t> values, std::size_t count,
                 std::int64_t least) {
    if (values.size() != count) {
        return shapeError(fmt::format("{} takes {} numbers as {}; found {}", op, count, name, values.size()));
    }
    for (const std::int64_t value : values) {
        if (value < least) return shapeError(fmt::format("{}: {} of {} are less than {}", op, name, value, least));
    }
    return Success{};
}

}  // namespace

bool areTooLarge(std::span<const std::int64_t> values) {
    return std::ranges::any_of(values, [](std::int64_t value) { return value > MostPositions; });
}

std::array<std::int64_t, 2> WindowAxis::inside(std::int64_t window) const {
    const std::int64_t at = start(window);
    const std::int64_t first = at >= 0 ? 0 : std::min(kernel, ceilDivide(-at, dilation));
    const std::int64_t last = at >= input ? 0 : std::min(kernel, ceilDivide(input - at, dilation));
    return {first, std::max(first, last)};
}

std::int64_t Window::inputSize() const { return axes[0].input * axes[1].input * axes[2].input; }
std::int64_t Window::outputSize() const { return axes[0].output * axes[1].output * axes[2].output; }
std::int64_t Window::kernelSize() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }

AttributeInfo integersAttribute(std::string name, std::string doc) {
    return {.name = std::move(name), .kind = AttributeKind::Integers, .doc = std::move(doc)};
}

Status checkWindow(std::string_view op, const WindowAttributes& window, std::size_t rank) {
    if (rank < 1 || rank > MaxSpatialRank) {
        return shapeError(fmt::format("{} takes an array [N,C,...] with one to {} further axes; found {} axes", op,
                                      MaxSpatialRank, rank + 2));
    }
    if (std::ranges::any_of(window.kernel, [](std::int64_t size) { return size < 1; }))
        return shapeError(fmt::format("{}: the window is empty", op));
    MITOS_REQUIRE(checkList(op, "strides", window.strides, rank, 1));
    MITOS_REQUIRE(checkList(op, "pads", window.pads, 2 * rank, 0));
    if (!window.dilations.empty()) MITOS_REQUIRE(checkList(op, "dilations", window.dilations, rank, 1));
    for (const auto& numbers :
         {std::span(window.kernel), std::span(window.strides), std::span(window.pads), std::span(window.dilations)}) {
        if (areTooLarge(numbers))
            return shapeError(fmt::format("{}: no number may be more than {}", op, MostPositions));
    }
    return Success{};
}

Status checkWindowNode(const OnnxNode& node) {
    const auto check = [](std::string_view name, std::span<const std::int64_t> values, std::int64_t least) -> Status {
        for (const std::int64_t value : values) {
            if (value < least)
                return invalidNode(fmt::format("its {} cannot be {}; the least is {}", name, value, least));
        }
        return Success{};
    };
    for (const std::string_view name : {"kernel_shape", "strides", "dilations"}) {
        MITOS_REQUIRE(check(name, integersOf(node, name).value_or(std::vector<std::int64_t>()), 1));
    }
    const std::string_view extra = "output_padding";
    MITOS_REQUIRE(check(extra, integersOf(node, extra).value_or(std::vector<std::int64_t>()), 0));
    return check("group", std::array{integerOf(node, "group", 1)}, 1);
}

WindowAttributes windowAttributes(const Attributes& attributes) {
    const auto numbers = [&](std::string_view name) {
        const std::vector<AttributeInfo>& known = attributes.op().attributes;
        const bool hasIt = std::ranges::any_of(known, [&](const auto& info) { return info.name == name; });
        return hasIt ? attributes.integers(name) : std::vector<std::int64_t>();
    };
    return {.kernel = numbers("kernel_shape"),
            .strides = numbers("strides"),
            .pads = numbers("pads"),
            .dilations = numbers("dilations")};
}

Result<Dimension> windowCount(const ShapeInput& in, const WindowAttributes& window, std::size_t axis, Dimension input,
                              Dimension kernel, bool ceil) {
    SymbolTable& symbols = in.symbols;
    const std::int64_t stride = window.strides[axis];
    const std::int64_t dilation = window.dilations.empty() ? 1 : window.dilations[axis];
    const std::int64_t padBegin = window.pads[axis];
    const std::int64_t pads = padBegin + window.pads[axis + window.pads.size() / 2];
    if (kernel.isKnown() && kernel.size < 1) return shapeError(fmt::format("{}: the window is empty", in.op.name));
    const SizeExpression size(input, symbols);
    const SizeExpression extent = (SizeExpression(kernel, symbols) - 1) * dilation + 1;
    const SizeExpression room = size + pads - extent;
    if (room.number().value_or(0) < 0) {
        return shapeError(fmt::format("{}: a window of {} does not fit into a padded size of {}", in.op.name,
                                      extent.text(), (size + pads).text()));
    }
    if (!ceil) return (room / stride + 1).dimension(symbols);
    // A last window that begins in the padding behind the input is dropped. Whether there is one depends on how far the
    // latest possible window reaches beyond the end; if that distance does not decide it, exactly the windows that begin
    // inside count.
    const std::int64_t beyond =
        (SizeExpression(window.pads[axis + window.pads.size() / 2]) + stride - extent).number().value_or(0);
    if (beyond > 0 && beyond < stride) return ((size + padBegin + (stride - 1)) / stride).dimension(symbols);
    return ((room + (stride - 1)) / stride + (beyond >= stride ? 0 : 1)).dimension(symbols);
}

Window windowOf(const WindowAttributes& window, const Shape& input, const Shape& output) {
    Window result;
    const std::size_t rank = window.kernel.size();
    for (std::size_t i = 0; i < rank; ++i) {
        result.axes[MaxSpatialRank - rank + i] = {.input = input[i + 2],
                                                  .output = output[i + 2],
                                                  .kernel = window.kernel[i],
                                                  .stride = window.strides[i],
                                                  .dilation = window.dilations.empty() ? 1 : window.dilations[i],
                                                  .padBegin = window.pads[i],
                                                  .padEnd = window.pads[i + rank]};
    }
    return result;
}

Result<std::vector<std::int64_t>> importedPads(const OnnxNode& node, std::span<const Dimension> input,
                                               std::span<const std::int64_t> kernel,
                                               std::span<const std::int64_t> strides,
                                               std::span<const std::int64_t> dilations) {
    const std::size_t rank = kernel.size();
    const std::string mode = wordOf(node, "auto_pad", "NOTSET");
    if (mode == "NOTSET") return integersOf(node, "pads").value_or(std::vector<std::int64_t>(2 * rank, 0));
    std::vector<std::int64_t> pads(2 * rank, 0);
    if (mode == "VALID") return pads;
    if (mode != "SAME_UPPER" && mode != "SAME_LOWER") {
        return notThisForm(fmt::format("auto_pad of {} is {}", node.type, mode));
    }
    if (input.size() != rank || strides.size() != rank || dilations.size() != rank) {
        return notThisForm(fmt::format("{} does not have one number for each spatial axis", node.type));
    }
    for (const std::span<const std::int64_t> numbers : {kernel, strides, dilations}) {
        if (areTooLarge(numbers)) return notThisForm(fmt::format("a window of {} is too large", node.type));
    }
    for (std::size_t i = 0; i < rank; ++i) {
        if (input[i].isKnown() && input[i].size > MostPositions)
            return notThisForm(fmt::format("{} has more than {} positions", node.type, MostPositions));
        const std::int64_t extent = (kernel[i] - 1) * dilations[i] + 1;
        if (!input[i].isKnown() && strides[i] != 1) {
            return notThisForm(fmt::format("auto_pad of {} depends on an unknown size", node.type));
        }
        const std::int64_t size = input[i].isKnown() ? input[i].size : extent;  // irrelevant with stride 1
        const std::int64_t count = ceilDivide(size, std::max<std::int64_t>(1, strides[i]));
        const std::int64_t total = std::max<std::int64_t>(0, (count - 1) * strides[i] + extent - size);
        const std::int64_t less = total / 2;
        pads[i] = mode == "SAME_UPPER" ? less : total - less;
        pads[i + rank] = total - pads[i];
    }
    return pads;
}

}  // namespace mitos::tensor
