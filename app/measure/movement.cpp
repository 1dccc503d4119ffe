// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that move elements to other places. Their results are contiguous, as the next operator needs them; what LibTorch gives as a
// view that is contiguous already costs no copy.
#include "app/measure/operators.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/pixel_shuffle.h>
#include <ATen/ops/pixel_unshuffle.h>
#include <ATen/ops/reflection_pad1d.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/replication_pad1d.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_nearest2d.h>

#include <algorithm>
#include <cmath>

namespace mitos::measure {

namespace {

using Sizes = std::vector<std::int64_t>;

/// Reshape's sizes: 0 keeps a size, -1 takes what is left.
Run reshape(const Prepared& operation) {
    const Tensor& x = operation.input(0);
    Sizes shape = operation.request.integers("shape");
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0 && static_cast<std::int64_t>(i) < x.dim()) shape[i] = x.size(static_cast<std::int64_t>(i));
    }
    return [x, shape] { x.view(shape); };
}

Run squeeze(const Prepared& operation, bool isInverse) {
    const Tensor& x = operation.input(0);
    Sizes axes = operation.request.integers("axes");
    Sizes shape = x.sizes().vec();
    const auto rank = static_cast<std::int64_t>(shape.size() + (isInverse ? axes.size() : 0));
    for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
    std::sort(axes.begin(), axes.end());
    if (!axes.empty() && (axes.front() < 0 || axes.back() >= rank)) throw Refusal("there is no such axis");
    if (isInverse) {
        for (const std::int64_t axis : axes) shape.insert(shape.begin() + axis, 1);
    } else {
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) shape.erase(shape.begin() + *axis);
    }
    return [x, shape] { x.view(shape); };
}

Run flatten(const Prepared& operation) {
    const Tensor& x = operation.input(0);
    std::int64_t axis = operation.request.integer("axis");
    if (axis < 0) axis += x.dim();
    std::int64_t rows = 1;
    for (std::int64_t i = 0; i < std::min(axis, x.dim()); ++i) rows *= x.size(i);
    return [x, rows] { x.view({rows, rows == 0 ? 0 : x.numel() / rows}); };
}

Run slice(const Prepared& operation) {
    const Request& request = operation.request;
    const Tensor& x = operation.input(0);
    const Sizes starts = request.integers("starts");
    const Sizes ends = request.integers("ends");
    const Sizes axes = request.integers("axes");
    const Sizes steps = request.integers("steps");
    if (starts.size() != ends.size() || starts.size() != axes.size() ||
        (!steps.empty() && steps.size() != axes.size())) {
        throw Refusal("its lists differ in length");
    }
    const auto isBackwards = [](std::int64_t step) { return step < 0; };
    if (std::any_of(steps.begin(), steps.end(), isBackwards)) throw Refusal("LibTorch has no slices backwards");
    return [x, starts, ends, axes, steps] {
        Tensor part = x;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            part = part.slice(axes[i], starts[i], ends[i], steps.empty() ? 1 : steps[i]);
        }
        part.contiguous();
    };
}

/// Whether pads touch only the last `axes` axes.
bool isOfLast(const Sizes& pads, std::size_t axes) {
    const std::size_t rank = pads.size() / 2;
    for (std::size_t i = 0; i + axes < rank; ++i) {
        if (pads[i] != 0 || pads[rank + i] != 0) return false;
    }
    return rank > axes;
}

Run pad(const Prepared& operation) {
    const Request& request = operation.request;
    const Tensor& x = operation.input(0);
    const Sizes pads = request.integers("pads");
    const std::string& mode = request.word("mode");
    Sizes pairs = paddingPairs(pads);
    if (mode == "constant") {
        return [x, pairs, value = request.floating("value")] { at::constant_pad_nd(x, pairs, value); };
    }
    constexpr std::size_t NumbersOfAxis = 2;
    const std::size_t axes = isOfLast(pads, 1) ? 1 : 2;
    if (!isOfLast(pads, axes) || x.dim() > 4) throw Refusal("LibTorch mirrors and repeats edges of the last axes only");
    pairs.resize(NumbersOfAxis * axes);
    const bool isMirrored = mode == "reflect";
    const Tensor flat =
        axes == 1 ? x.reshape({-1, x.size(-2), x.size(-1)}) : x.reshape({-1, x.size(-3), x.size(-2), x.size(-1)});
    return [flat, pairs, axes, isMirrored] {
        if (axes == 1) {
            isMirrored ? at::reflection_pad1d(flat, pairs) : at::replication_pad1d(flat, pairs);
        } else {
            isMirrored ? at::reflection_pad2d(flat, pairs) : at::replication_pad2d(flat, pairs);
        }
    };
}

/// Sizes of the result of Expand: 1 keeps a size.
Sizes expandedShape(const Tensor& x, Sizes shape) {
    while (static_cast<std::int64_t>(shape.size()) < x.dim()) shape.insert(shape.begin(), 1);
    for (std::int64_t i = 1; i <= x.dim(); ++i) {
        std::int64_t& size = shape[shape.size() - static_cast<std::size_t>(i)];
        if (size == 1) size = x.size(-i);
    }
    return shape;
}

Run resize(const Prepared& operation) {
    const Request& request = operation.request;
    const Tensor& x = operation.input(0);
    if (x.dim() != 4) throw Refusal("only images of four axes are resized");
    const std::vector<double> scales = request.floats("scales");
    Sizes sizes = request.integers("sizes");
    if (scales.size() == 4) {
        sizes = x.sizes().vec();
        for (std::size_t i = 0; i < 4; ++i) {
            sizes[i] = static_cast<std::int64_t>(std::floor(static_cast<double>(sizes[i]) * scales[i]));
        }
    }
    if (sizes.size() != 4 || sizes[0] != x.size(0) || sizes[1] != x.size(1)) {
        throw Refusal("LibTorch resizes the last two axes only");
    }
    const Sizes output{sizes[2], sizes[3]};
    const std::string& mode = request.word("mode");
    const bool isAligned = request.word("coordinate_transformation_mode") == "align_corners";
    if (mode == "nearest") return [x, output] { at::upsample_nearest2d(x, output); };
    if (mode == "linear") return [x, output, isAligned] { at::upsample_bilinear2d(x, output, isAligned); };
    return [x, output, isAligned] { at::upsample_bicubic2d(x, output, isAligned); };
}

/// Depth to space and back: LibTorch's own operator for one order of channels, a transposed copy for the other.
Run blocks(const Prepared& operation) {
    const Request& request = operation.request;
    const Tensor& x = operation.input(0);
    const std::int64_t size = request.integer("blocksize");
    if (x.dim() != 4 || size < 1) throw Refusal("it needs images of four axes");
    if (request.op == "SpaceToDepth") return [x, size] { at::pixel_unshuffle(x, size); };
    if (request.word("mode") == "CRD") return [x, size] { at::pixel_shuffle(x, size); };
    return [x, size] {
        x.view({x.size(0), size, size, x.size(1) / (size * size), x.size(2), x.size(3)})
            .permute({0, 3, 4, 1, 5, 2})
            .contiguous();
    };
}

}  // namespace

Run prepareMovement(const Prepared& operation) {
    const Request& request = operation.request;
    const std::string& op = request.op;
    if (op == "Identity" || op == "Dropout") return [x = operation.input(0)] { x.alias(); };
    if (op == "Reshape") return reshape(operation);
    if (op == "Flatten") return flatten(operation);
    if (op == "Squeeze") return squeeze(operation, false);
    if (op == "Unsqueeze") return squeeze(operation, true);
    if (op == "Transpose") {
        return [x = operation.input(0), order = request.integers("perm")] { x.permute(order).contiguous(); };
    }
    if (op == "Concat") {
        const std::int64_t axis = axisOf(request.integer("axis"), operation.input(0));
        operation.requireAll();
        return [inputs = operation.inputs, axis] { at::cat(inputs, axis); };
    }
    if (op == "Split") {
        const Tensor& x = operation.input(0);
        return [x, sizes = request.integers("sizes"), axis = axisOf(request.integer("axis"), x)] {
            for (const Tensor& part : at::split_with_sizes(x, sizes, axis)) part.contiguous();
        };
    }
    if (op == "Slice") return slice(operation);
    if (op == "Pad") return pad(operation);
    if (op == "Expand") {
        const Tensor& x = operation.input(0);
        return [x, shape = expandedShape(x, request.integers("shape"))] {
            x.expand(shape).clone(at::MemoryFormat::Contiguous);
        };
    }
    if (op == "Tile") {
        return [x = operation.input(0), repeats = request.integers("repeats")] { x.repeat(repeats); };
    }
    if (op == "Trilu") {
        return [x = operation.input(0), isUpper = request.boolean("upper"), k = request.integer("k")] {
            isUpper ? at::triu(x, k) : at::tril(x, k);
        };
    }
    if (op == "DepthToSpace" || op == "SpaceToDepth") return blocks(operation);
    if (op == "Resize") return resize(operation);
    return {};
}

}  // namespace mitos::measure
