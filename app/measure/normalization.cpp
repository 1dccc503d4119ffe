// SPDX-License-Identifier: GPL-3.0-or-later
// Normalizations and softmax.
#include "app/measure/operators.h"

#include <ATen/ops/add.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/div.h>
#include <ATen/ops/instance_norm.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

namespace mitos::measure {

namespace {

using Sizes = std::vector<std::int64_t>;

c10::optional<Tensor> optionalInput(const Prepared& operation, std::size_t index) {
    return operation.has(index) ? c10::optional<Tensor>(operation.input(index)) : c10::nullopt;
}

/// The sizes from an axis on.
Sizes sizesFrom(const Tensor& x, std::int64_t axis) { return x.sizes().slice(static_cast<std::size_t>(axis)).vec(); }

Run layer(const Prepared& operation) {
    const Request& request = operation.request;
    const Tensor& x = operation.input(0);
    const Sizes shape = sizesFrom(x, axisOf(request.integer("axis"), x));
    const double epsilon = request.floating("epsilon");
    // A scale that broadcasts, which ONNX allows, is not LibTorch's.
    const Tensor scale = operation.input(1).expand(shape).contiguous();
    const Tensor bias = operation.has(2) ? operation.input(2).expand(shape).contiguous() : Tensor();
    return [x, shape, scale, bias, epsilon] { at::native_layer_norm(x, shape, scale, bias, epsilon); };
}

Run skipLayer(const Prepared& operation) {
    const Tensor& x = operation.input(0);
    const Sizes shape{x.size(-1)};
    return [x, skip = operation.input(1), scale = operation.input(2), beta = optionalInput(operation, 3),
            bias = operation.optional(4), shape, epsilon = operation.request.floating("epsilon")] {
        Tensor sum = at::add(x, skip);
        if (bias.defined()) sum.add_(bias);
        at::layer_norm(sum, shape, scale, beta, epsilon);
    };
}

/// As LibTorch's functional layer does: a mean over neighbouring channels by a pool over three axes.
Run localResponse(const Prepared& operation) {
    const Request& request = operation.request;
    const Tensor& x = operation.input(0);
    if (x.dim() < 3) throw Refusal("it needs channels and axes behind them");
    const std::int64_t size = request.integer("size");
    if (size < 1) throw Refusal("the size must be at least 1");
    return
        [x, size, alpha = request.floating("alpha"), beta = request.floating("beta"), bias = request.floating("bias")] {
            const Sizes sizes = x.sizes().vec();
            const std::int64_t rest = x.numel() / std::max<std::int64_t>(1, x.size(0) * x.size(1) * x.size(2));
            const Tensor squares = at::mul(x, x).view({sizes[0], 1, sizes[1], sizes[2], rest});
            const Tensor padded = at::constant_pad_nd(squares, {0, 0, 0, 0, (size - 1) / 2, size / 2}, 0.0);
            Tensor means = at::avg_pool3d(padded, {size, 1, 1}, {1});
            at::div(x, means.view(sizes).mul_(alpha).add_(bias).pow_(beta));
        };
}

Run meanVariance(const Prepared& operation) {
    return [x = operation.input(0), axes = operation.request.integers("axes")] {
        constexpr double Epsilon = 1e-9;
        const Tensor centred = at::sub(x, at::mean(x, axes, true));
        centred.div(at::mul(centred, centred).mean(axes, true).sqrt_().add_(Epsilon));
    };
}

using Along = void (*)(const Tensor& x, std::int64_t axis);

void hardmax(const Tensor& x, std::int64_t axis) { at::zeros_like(x).scatter_(axis, at::argmax(x, axis, true), 1.0); }

/// The operator along an axis. The older forms normalize over all axes from one on.
Run along(const Prepared& operation, Along function, bool isFrom) {
    const Tensor& x = operation.input(0);
    const std::int64_t axis = axisOf(operation.request.integer("axis"), x);
    if (!isFrom) return [x, axis, function] { function(x, axis); };
    std::int64_t rows = 1;
    for (std::int64_t i = 0; i < axis; ++i) rows *= x.size(i);
    return [matrix = x.view({rows, rows == 0 ? 0 : x.numel() / rows}), function] { function(matrix, 1); };
}

}  // namespace

Run prepareNormalization(const Prepared& operation) {
    const Request& request = operation.request;
    const std::string& op = request.op;
    if (op == "BatchNormalization") {
        return [x = operation.input(0), scale = operation.input(1), bias = operation.input(2),
                mean = operation.input(3), variance = operation.input(4), epsilon = request.floating("epsilon")] {
            at::batch_norm(x, scale, bias, mean, variance, /*training=*/false, 0.1, epsilon, /*cudnn_enabled=*/true);
        };
    }
    if (op == "InstanceNormalization") {
        return [x = operation.input(0), scale = operation.input(1), bias = operation.input(2),
                epsilon = request.floating("epsilon")] {
            at::instance_norm(x, scale, bias, {}, {}, /*use_input_stats=*/true, 0.1, epsilon, /*cudnn_enabled=*/true);
        };
    }
    if (op == "LayerNormalization") return layer(operation);
    if (op == "SkipLayerNormalization") return skipLayer(operation);
    if (op == "LRN") return localResponse(operation);
    if (op == "MeanVarianceNormalization") return meanVariance(operation);
    if (op == "LpNormalization") {
        const Tensor& x = operation.input(0);
        return [x, axes = Sizes{axisOf(request.integer("axis"), x)}, p = at::Scalar(request.integer("p"))] {
            at::div(x, at::norm(x, p, axes, true));
        };
    }
    const Along softmax = [](const Tensor& x, std::int64_t axis) { at::softmax(x, axis); };
    const Along logSoftmax = [](const Tensor& x, std::int64_t axis) { at::log_softmax(x, axis); };
    if (op == "Softmax" || op == "SoftmaxFrom") return along(operation, softmax, op == "SoftmaxFrom");
    if (op == "LogSoftmax" || op == "LogSoftmaxFrom") return along(operation, logSoftmax, op == "LogSoftmaxFrom");
    if (op == "Hardmax" || op == "HardmaxFrom") return along(operation, hardmax, op == "HardmaxFrom");
    return {};
}

}  // namespace mitos::measure
