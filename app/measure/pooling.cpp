// SPDX-License-Identifier: GPL-3.0-or-later
// Pools: of windows, and of whole channels.
#include "app/measure/operators.h"

#include <ATen/ops/amax.h>
#include <ATen/ops/avg_pool1d.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/max_pool1d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool3d.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/norm.h>

#include <limits>
#include <numeric>
#include <tuple>

namespace mitos::measure {

namespace {

using Sizes = std::vector<std::int64_t>;

struct Windows {
    Tensor x;
    Sizes kernel;
    Sizes strides;
    Sizes pads;
    Sizes pairs = {};  ///< of pads that LibTorch's pools do not take
    bool isCeil = false;

    explicit Windows(const Prepared& operation)
        : x(operation.input(0)),
          kernel(operation.request.integers("kernel_shape")),
          strides(operation.request.integers("strides")),
          isCeil(operation.request.boolean("ceil_mode")) {
        const Sizes given = operation.request.integers("pads");
        const std::size_t axes = given.size() / 2;
        if (axes < 1 || axes > 3 || kernel.size() != axes || strides.size() != axes) {
            throw Refusal("LibTorch pools along one to three axes");
        }
        pads.assign(axes, 0);
        bool isPlain = true;
        for (std::size_t i = 0; i < axes; ++i) {
            isPlain = isPlain && given[i] == given[axes + i] && 2 * given[i] <= kernel[i];
        }
        if (isPlain) {
            pads.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(axes));
        } else {
            pairs = paddingPairs(given);
        }
    }

    [[nodiscard]] Tensor padded(double value) const { return pairs.empty() ? x : at::constant_pad_nd(x, pairs, value); }
};

Compute largest(const Prepared& operation, bool withIndices) {
    const Windows windows(operation);
    const Sizes dilations = operation.request.integers("dilations");
    const std::size_t axes = windows.kernel.size();
    if (withIndices && axes != 2) throw Refusal("LibTorch gives indices of windows along two axes only");
    return [windows, dilations, axes, withIndices] {
        const Tensor x = windows.padded(-std::numeric_limits<double>::infinity());
        const Sizes& kernel = windows.kernel;
        if (withIndices) {
            return std::get<0>(
                at::max_pool2d_with_indices(x, kernel, windows.strides, windows.pads, dilations, windows.isCeil));
        }
        if (axes == 1) return at::max_pool1d(x, kernel, windows.strides, windows.pads, dilations, windows.isCeil);
        if (axes == 2) return at::max_pool2d(x, kernel, windows.strides, windows.pads, dilations, windows.isCeil);
        return at::max_pool3d(x, kernel, windows.strides, windows.pads, dilations, windows.isCeil);
    };
}

Compute average(const Prepared& operation) {
    const Windows windows(operation);
    const bool countsPads = operation.request.boolean("count_include_pad");
    return [windows, countsPads] {
        const Tensor x = windows.padded(0.0);
        const std::size_t axes = windows.kernel.size();
        if (axes == 1)
            return at::avg_pool1d(x, windows.kernel, windows.strides, windows.pads, windows.isCeil, countsPads);
        if (axes == 2)
            return at::avg_pool2d(x, windows.kernel, windows.strides, windows.pads, windows.isCeil, countsPads);
        return at::avg_pool3d(x, windows.kernel, windows.strides, windows.pads, windows.isCeil, countsPads);
    };
}

/// The axes behind batch and channel.
Sizes spatialAxes(const Tensor& x) {
    if (x.dim() < 3) throw Refusal("there are no axes to pool over");
    Sizes axes(static_cast<std::size_t>(x.dim() - 2));
    std::iota(axes.begin(), axes.end(), 2);
    return axes;
}

Compute poolOf(std::string_view op, const Prepared& operation) {
    if (op == "MaxPool") return largest(operation, false);
    if (op == "MaxPoolWithIndices") return largest(operation, true);
    if (op == "AveragePool") return average(operation);
    if (op == "GlobalAveragePool") {
        return [x = operation.input(0), axes = spatialAxes(operation.input(0))] { return at::mean(x, axes, true); };
    }
    if (op == "GlobalMaxPool") {
        return [x = operation.input(0), axes = spatialAxes(operation.input(0))] { return at::amax(x, axes, true); };
    }
    if (op == "GlobalLpPool") {
        return [x = operation.input(0), axes = spatialAxes(operation.input(0)),
                p = at::Scalar(operation.request.integer("p"))] { return at::norm(x, p, axes, true); };
    }
    return {};
}

}  // namespace

Run preparePooling(const Prepared& operation) { return runOfImages(operation, poolOf); }

}  // namespace mitos::measure
