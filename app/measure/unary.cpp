// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of one array, element by element.
#include "app/measure/operators.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/acos.h>
#include <ATen/ops/acosh.h>
#include <ATen/ops/asin.h>
#include <ATen/ops/asinh.h>
#include <ATen/ops/atan.h>
#include <ATen/ops/atanh.h>
#include <ATen/ops/ceil.h>
#include <ATen/ops/celu.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/cosh.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/round.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/sinh.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/tan.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/threshold.h>

namespace mitos::measure {

namespace {

using UnaryFunction = Tensor (*)(const Tensor&);

/// Operators without attributes.
const std::map<std::string, UnaryFunction, std::less<>>& plainUnaryFunctions() {
    static const std::map<std::string, UnaryFunction, std::less<>> functions{
        {"Abs", [](const Tensor& x) { return at::abs(x); }},
        {"Acos", [](const Tensor& x) { return at::acos(x); }},
        {"Acosh", [](const Tensor& x) { return at::acosh(x); }},
        {"Asin", [](const Tensor& x) { return at::asin(x); }},
        {"Asinh", [](const Tensor& x) { return at::asinh(x); }},
        {"Atan", [](const Tensor& x) { return at::atan(x); }},
        {"Atanh", [](const Tensor& x) { return at::atanh(x); }},
        {"Ceil", [](const Tensor& x) { return at::ceil(x); }},
        {"Cos", [](const Tensor& x) { return at::cos(x); }},
        {"Cosh", [](const Tensor& x) { return at::cosh(x); }},
        {"Erf", [](const Tensor& x) { return at::erf(x); }},
        {"Exp", [](const Tensor& x) { return at::exp(x); }},
        {"Floor", [](const Tensor& x) { return at::floor(x); }},
        {"Gelu", [](const Tensor& x) { return at::gelu(x); }},
        {"HardSwish", [](const Tensor& x) { return at::hardswish(x); }},
        {"IsInf", [](const Tensor& x) { return at::isinf(x); }},
        {"IsNaN", [](const Tensor& x) { return at::isnan(x); }},
        {"Log", [](const Tensor& x) { return at::log(x); }},
        {"Neg", [](const Tensor& x) { return at::neg(x); }},
        {"Not", [](const Tensor& x) { return at::logical_not(x); }},
        {"Reciprocal", [](const Tensor& x) { return at::reciprocal(x); }},
        {"Relu", [](const Tensor& x) { return at::relu(x); }},
        {"Round", [](const Tensor& x) { return at::round(x); }},
        {"Sigmoid", [](const Tensor& x) { return at::sigmoid(x); }},
        {"Sign", [](const Tensor& x) { return at::sign(x); }},
        {"Sin", [](const Tensor& x) { return at::sin(x); }},
        {"Sinh", [](const Tensor& x) { return at::sinh(x); }},
        {"Softplus", [](const Tensor& x) { return at::softplus(x); }},
        {"Softsign", [](const Tensor& x) { return x.div(at::abs(x).add_(1.0)); }},
        {"Sqrt", [](const Tensor& x) { return at::sqrt(x); }},
        {"Tan", [](const Tensor& x) { return at::tan(x); }},
        {"Tanh", [](const Tensor& x) { return at::tanh(x); }},
    };
    return functions;
}

/// A bound of Clip as LibTorch takes it: none if it is infinite for the type.
c10::optional<at::Scalar> boundFrom(double bound) {
    constexpr double Unbounded = 3.4e38;
    if (bound <= -Unbounded || bound >= Unbounded) return c10::nullopt;
    return at::Scalar(bound);
}

Tensor clipped(const Tensor& x, const c10::optional<at::Scalar>& low, const c10::optional<at::Scalar>& high) {
    return low || high ? at::clamp(x, low, high) : x.clone();
}

}  // namespace

void activate(Tensor& x, const std::string& activation, double a, double b) {
    if (activation == "Relu") {
        x.relu_();
    } else if (activation == "Tanh") {
        x.tanh_();
    } else if (activation == "Sigmoid") {
        x.sigmoid_();
    } else if (activation == "LeakyRelu") {
        at::leaky_relu_(x, a);
    } else if (activation == "HardSigmoid") {
        x.mul_(a).add_(b).clamp_(0.0, 1.0);
    } else if (activation == "Clip") {
        x.clamp_(a, b);
    } else {
        throw Refusal("there is no activation " + activation);
    }
}

Run prepareUnary(const Prepared& operation) {
    const Request& request = operation.request;
    const std::string& op = request.op;
    if (const auto plain = plainUnaryFunctions().find(op); plain != plainUnaryFunctions().end()) {
        return [x = operation.input(0), f = plain->second] { f(x); };
    }
    if (op == "Cast") {
        const at::ScalarType to = scalarType(request.word("to"));
        return [x = operation.input(0), to] { x.to(to, /*non_blocking=*/false, /*copy=*/true); };
    }
    if (op == "Clip") {
        const auto low = boundFrom(request.floating("min"));
        const auto high = boundFrom(request.floating("max"));
        return [x = operation.input(0), low, high] { clipped(x, low, high); };
    }
    if (op == "LeakyRelu") {
        return [x = operation.input(0), alpha = request.floating("alpha")] { at::leaky_relu(x, alpha); };
    }
    if (op == "ThresholdedRelu") {
        return [x = operation.input(0), alpha = request.floating("alpha")] { at::threshold(x, alpha, 0.0); };
    }
    if (op == "Elu") return [x = operation.input(0), alpha = request.floating("alpha")] { at::elu(x, alpha); };
    if (op == "Celu") return [x = operation.input(0), alpha = request.floating("alpha")] { at::celu(x, alpha); };
    if (op == "Selu") {
        return [x = operation.input(0), alpha = request.floating("alpha"), gamma = request.floating("gamma")] {
            at::elu(x, alpha, gamma);
        };
    }
    if (op == "HardSigmoid") {
        return [x = operation.input(0), a = request.floating("alpha"), b = request.floating("beta")] {
            at::mul(x, a).add_(b).clamp_(0.0, 1.0);
        };
    }
    if (op == "QuickGelu") {
        return [x = operation.input(0), alpha = request.floating("alpha")] { at::mul(x, alpha).sigmoid_().mul_(x); };
    }
    return {};
}

}  // namespace mitos::measure
