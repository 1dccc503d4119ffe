// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that read or write at indices, and that make arrays from few numbers.
#include "app/measure/operators.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/grid_sampler.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>

namespace mitos::measure {

namespace {

using Sizes = std::vector<std::int64_t>;

/// The indices in the type that LibTorch takes.
Tensor indicesOf(const Tensor& x) { return x.to(at::kLong).contiguous(); }

Run gather(const Prepared& operation) {
    const Tensor& x = operation.input(0);
    const std::int64_t axis = axisOf(operation.request.integer("axis"), x);
    const Tensor& given = operation.input(1);
    Sizes shape = x.sizes().vec();
    shape.erase(shape.begin() + axis);
    const Sizes chosen = given.sizes().vec();
    shape.insert(shape.begin() + axis, chosen.begin(), chosen.end());
    return [x, axis, indices = indicesOf(given).view({-1}), shape] { at::index_select(x, axis, indices).view(shape); };
}

Run scatter(const Prepared& operation) {
    const Request& request = operation.request;
    const Tensor& x = operation.input(0);
    const std::string& reduction = request.word("reduction");
    return [x, axis = axisOf(request.integer("axis"), x), indices = indicesOf(operation.input(1)),
            updates = operation.input(2), reduction] {
        if (reduction == "none") {
            at::scatter(x, axis, indices, updates);
        } else if (reduction == "add") {
            at::scatter_add(x, axis, indices, updates);
        } else {
            at::scatter(x, axis, indices, updates, "multiply");
        }
    };
}

Run gridSample(const Prepared& operation) {
    const Request& request = operation.request;
    const std::map<std::string, std::int64_t, std::less<>> modes{{"bilinear", 0}, {"nearest", 1}, {"bicubic", 2}};
    const std::map<std::string, std::int64_t, std::less<>> borders{{"zeros", 0}, {"border", 1}, {"reflection", 2}};
    const auto mode = modes.find(request.word("mode"));
    const auto border = borders.find(request.word("padding_mode"));
    if (mode == modes.end() || border == borders.end()) throw Refusal("there is no such mode");
    return [x = operation.input(0), grid = operation.input(1), mode = mode->second, border = border->second,
            isAligned = request.boolean("align_corners")] { at::grid_sampler(x, grid, mode, border, isAligned); };
}

}  // namespace

Run prepareIndexing(const Prepared& operation) {
    const Request& request = operation.request;
    const std::string& op = request.op;
    if (op == "Gather") return gather(operation);
    if (op == "GatherElements") {
        const Tensor& x = operation.input(0);
        return [x, axis = axisOf(request.integer("axis"), x), indices = indicesOf(operation.input(1))] {
            at::gather(x, axis, indices);
        };
    }
    if (op == "ScatterElements") return scatter(operation);
    if (op == "GridSample") return gridSample(operation);
    if (op == "NonZero") return [x = operation.input(0)] { at::nonzero(x).t().contiguous(); };
    if (op == "OneHot") {
        const std::int64_t depth = request.integer("depth");
        return [x = indicesOf(operation.input(0)), depth, type = operation.input(1).scalar_type()] {
            at::one_hot(x, depth).to(type);
        };
    }
    if (op == "EyeLike") {
        const Tensor& x = operation.input(0);
        if (x.dim() != 2) throw Refusal("it needs a matrix");
        return [rows = x.size(0), columns = x.size(1), options = x.options().dtype(scalarType(request.word("dtype")))] {
            at::eye(rows, columns, options);
        };
    }
    if (op == "Constant") {
        const auto options = at::TensorOptions().dtype(scalarType(request.word("dtype")));
        return [shape = request.integers("shape"), value = request.floating("value"), options] {
            at::full(shape, value, options);
        };
    }
    return {};
}

}  // namespace mitos::measure
