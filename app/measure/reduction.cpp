// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions along axes, and operators that order or sum up along one axis.
#include "app/measure/operators.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/argmin.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/topk.h>

namespace mitos::measure {

namespace {

using Sizes = std::vector<std::int64_t>;
using ReduceFunction = void (*)(const Tensor& x, const Sizes& axes, bool keep);

const std::map<std::string, ReduceFunction, std::less<>>& reductions() {
    static const std::map<std::string, ReduceFunction, std::less<>> functions{
        {"ReduceSum", [](const Tensor& x, const Sizes& axes, bool keep) { at::sum(x, axes, keep); }},
        {"ReduceMean", [](const Tensor& x, const Sizes& axes, bool keep) { at::mean(x, axes, keep); }},
        {"ReduceMax", [](const Tensor& x, const Sizes& axes, bool keep) { at::amax(x, axes, keep); }},
        {"ReduceMin", [](const Tensor& x, const Sizes& axes, bool keep) { at::amin(x, axes, keep); }},
        {"ReduceL1", [](const Tensor& x, const Sizes& axes, bool keep) { at::abs(x).sum(axes, keep); }},
        {"ReduceL2", [](const Tensor& x, const Sizes& axes, bool keep) { at::norm(x, at::Scalar(2), axes, keep); }},
        {"ReduceSumSquare", [](const Tensor& x, const Sizes& axes, bool keep) { at::mul(x, x).sum(axes, keep); }},
        {"ReduceLogSum", [](const Tensor& x, const Sizes& axes, bool keep) { at::sum(x, axes, keep).log_(); }},
        {"ReduceLogSumExp", [](const Tensor& x, const Sizes& axes, bool keep) { at::logsumexp(x, axes, keep); }},
        {"ReduceProd",
         [](const Tensor& x, const Sizes& axes, bool keep) {
             Tensor result = x;
             for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) result = at::prod(result, *axis, keep);
         }},
    };
    return functions;
}

}  // namespace

Run prepareReduction(const Prepared& operation) {
    const Request& request = operation.request;
    const std::string& op = request.op;
    if (const auto found = reductions().find(op); found != reductions().end()) {
        const Tensor& x = operation.input(0);
        const Sizes axes = request.integers("axes");
        if (axes.empty()) return [x] { x.clone(); };  // LibTorch reduces all axes if there are none
        return [x, axes, keep = request.boolean("keepdims"), f = found->second] { f(x, axes, keep); };
    }
    if (op == "ArgMax" || op == "ArgMin") {
        const Tensor& x = operation.input(0);
        return [x, axis = axisOf(request.integer("axis"), x), keep = request.boolean("keepdims"),
                isMax = op == "ArgMax"] { isMax ? at::argmax(x, axis, keep) : at::argmin(x, axis, keep); };
    }
    if (op == "CumSum") {
        const Tensor& x = operation.input(0);
        return [x, axis = axisOf(request.integer("axis"), x), isExclusive = request.boolean("exclusive"),
                isReverse = request.boolean("reverse")] {
            Tensor sums = at::cumsum(isReverse ? at::flip(x, {axis}) : x, axis);
            if (isExclusive) sums.sub_(x);
            if (isReverse) at::flip(sums, {axis});
        };
    }
    if (op == "TopK") {
        const Tensor& x = operation.input(0);
        return [x, k = request.integer("k"), axis = axisOf(request.integer("axis"), x),
                isLargest = request.boolean("largest"),
                isSorted = request.boolean("sorted")] { at::topk(x, k, axis, isLargest, isSorted); };
    }
    return {};
}

}  // namespace mitos::measure
