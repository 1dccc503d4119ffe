// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of several arrays that broadcast, element by element.
#include "app/measure/operators.h"

#include <ATen/ops/add.h>
#include <ATen/ops/bitwise_left_shift.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/fmod.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/logical_xor.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/prelu.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/where.h>

namespace mitos::measure {

namespace {

using BinaryFunction = Tensor (*)(const Tensor&, const Tensor&);

/// Operators without attributes.
const std::map<std::string, BinaryFunction, std::less<>>& functionsOfTwo() {
    static const std::map<std::string, BinaryFunction, std::less<>> functions{
        {"Add", [](const Tensor& a, const Tensor& b) { return at::add(a, b); }},
        {"Sub", [](const Tensor& a, const Tensor& b) { return at::sub(a, b); }},
        {"Mul", [](const Tensor& a, const Tensor& b) { return at::mul(a, b); }},
        {"Max", [](const Tensor& a, const Tensor& b) { return at::maximum(a, b); }},
        {"Min", [](const Tensor& a, const Tensor& b) { return at::minimum(a, b); }},
        {"Pow", [](const Tensor& a, const Tensor& b) { return at::pow(a, b); }},
        {"And", [](const Tensor& a, const Tensor& b) { return at::logical_and(a, b); }},
        {"Or", [](const Tensor& a, const Tensor& b) { return at::logical_or(a, b); }},
        {"Xor", [](const Tensor& a, const Tensor& b) { return at::logical_xor(a, b); }},
        {"Equal", [](const Tensor& a, const Tensor& b) { return at::eq(a, b); }},
        {"Less", [](const Tensor& a, const Tensor& b) { return at::lt(a, b); }},
        {"LessOrEqual", [](const Tensor& a, const Tensor& b) { return at::le(a, b); }},
        {"Greater", [](const Tensor& a, const Tensor& b) { return at::gt(a, b); }},
        {"GreaterOrEqual", [](const Tensor& a, const Tensor& b) { return at::ge(a, b); }},
        {"BiasGelu", [](const Tensor& a, const Tensor& b) { return at::gelu(at::add(a, b)); }},
    };
    return functions;
}

Run divide(const Prepared& operation) {
    const bool isFloating = at::isFloatingType(operation.input(0).scalar_type());
    return [a = operation.input(0), b = operation.input(1), isFloating] {
        if (isFloating) {
            at::div(a, b);
        } else {
            at::div(a, b, "trunc");
        }
    };
}

/// LibTorch's own operator takes one slope, or one for each channel.
Run slopes(const Prepared& operation) {
    const Tensor& x = operation.input(0);
    const Tensor& slope = operation.input(1);
    const bool isOfChannels =
        x.dim() > 1 && slope.dim() == x.dim() - 1 && slope.numel() == x.size(1) && slope.size(0) == x.size(1);
    if (slope.numel() == 1 || isOfChannels) {
        return [x, weight = slope.reshape({slope.numel()})] { at::prelu(x, weight); };
    }
    return [x, slope] { at::where(x.lt(0), at::mul(x, slope), x); };
}

Run mean(const Prepared& operation) {
    operation.requireAll();
    return [inputs = operation.inputs] {
        Tensor sum = inputs[0].clone();
        for (std::size_t i = 1; i < inputs.size(); ++i) sum = at::add(sum, inputs[i]);
        sum.div_(static_cast<double>(inputs.size()));
    };
}

}  // namespace

Run prepareBinary(const Prepared& operation) {
    const Request& request = operation.request;
    const std::string& op = request.op;
    if (const auto plain = functionsOfTwo().find(op); plain != functionsOfTwo().end()) {
        return [a = operation.input(0), b = operation.input(1), f = plain->second] { f(a, b); };
    }
    if (op == "Div") return divide(operation);
    if (op == "PRelu") return slopes(operation);
    if (op == "Mean") return mean(operation);
    if (op == "Mod") {
        return [a = operation.input(0), b = operation.input(1), isCut = request.boolean("fmod")] {
            isCut ? at::fmod(a, b) : at::remainder(a, b);
        };
    }
    if (op == "BitShift") {
        return [a = operation.input(0), b = operation.input(1), isLeft = request.word("direction") == "LEFT"] {
            isLeft ? at::bitwise_left_shift(a, b) : at::bitwise_right_shift(a, b);
        };
    }
    if (op == "FastGelu") {
        return [x = operation.input(0), bias = operation.optional(1)] {
            at::gelu(bias.defined() ? at::add(x, bias) : x, "tanh");
        };
    }
    if (op == "ClipBetween") {
        const c10::optional<Tensor> low = operation.has(1) ? c10::optional<Tensor>(operation.input(1)) : c10::nullopt;
        const c10::optional<Tensor> high = operation.has(2) ? c10::optional<Tensor>(operation.input(2)) : c10::nullopt;
        if (!low && !high) return [x = operation.input(0)] { x.clone(); };
        return [x = operation.input(0), low, high] { at::clamp(x, low, high); };
    }
    if (op == "Where") {
        return [c = operation.input(0), x = operation.input(1), y = operation.input(2)] { at::where(c, x, y); };
    }
    return {};
}

}  // namespace mitos::measure
