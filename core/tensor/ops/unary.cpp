// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of one number, applied to every element: activations, elementary functions, rounding, tests.
#include "core/tensor/internal/array_facts.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/internal/gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mitos::tensor {

using ir::ValueRange;

namespace {

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double relu(double x) { return x > 0 || std::isnan(x) ? x : 0.0; }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }

/// Used in place of std::clamp, which is undefined for NaN.
double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

auto alphaOf(const Attributes& attributes) { return attributes.floating("alpha"); }

auto leakyRelu(const Attributes& attributes) {
    return [alpha = alphaOf(attributes)](double x) { return x < 0 ? alpha * x : x; };
}
auto elu(const Attributes& attributes) {
    return [alpha = alphaOf(attributes)](double x) { return x < 0 ? alpha * std::expm1(x) : x; };
}
auto celu(const Attributes& attributes) {
    return [alpha = alphaOf(attributes)](double x) { return x < 0 ? alpha * std::expm1(x / alpha) : x; };
}
auto selu(const Attributes& attributes) {
    return [alpha = alphaOf(attributes), gamma = attributes.floating("gamma")](double x) {
        return gamma * (x < 0 ? alpha * std::expm1(x) : x);
    };
}
auto thresholdedRelu(const Attributes& attributes) {
    return [alpha = alphaOf(attributes)](double x) { return x > alpha || std::isnan(x) ? x : 0.0; };
}
auto hardSigmoid(const Attributes& attributes) {
    return [alpha = alphaOf(attributes), beta = attributes.floating("beta")](double x) {
        return clamped(alpha * x + beta, 0.0, 1.0);
    };
}
auto shrink(const Attributes& attributes) {
    return [lambda = attributes.floating("lambd"), bias = attributes.floating("bias")](double x) {
        return x < -lambda ? x + bias : x > lambda ? x - bias : x == x ? 0.0 : x;
    };
}
auto isInfinite(const Attributes& attributes) {
    return [negative = attributes.boolean("detect_negative"), positive = attributes.boolean("detect_positive")](
               double x) { return std::isinf(x) && (x < 0 ? negative : positive) ? 1.0 : 0.0; };
}

// --- gradients that take several steps --------------------------------------------------------------------------------

ArrayTerm seluGradient(Operands p) {
    const double gamma = p.attributes.floating("gamma");
    const ArrayTerm below = p.d * (p.r + gamma * alphaOf(p.attributes));
    return where(apply("Less", p.a, 0.0), below, p.d * gamma);
}
ArrayTerm hardSigmoidGradient(Operands p) {
    const ArrayTerm isBetween = apply("And", apply("Greater", p.r, 0.0), apply("Less", p.r, 1.0));
    return where(isBetween, p.d * alphaOf(p.attributes), 0.0);
}
ArrayTerm hardSwishGradient(Operands p) {
    const ArrayTerm between = where(apply("Less", p.a, 3.0), p.d * (p.a / 3.0 + 0.5), p.d);
    return where(apply("Greater", p.a, -3.0), between, 0.0);
}
ArrayTerm softsignGradient(Operands p) {
    const ArrayTerm below = apply("Abs", p.a) + 1.0;
    return p.d / (below * below);
}
/// A root has the slope 0 at zero, where it has none, so that lengths have it as absolute values do.
ArrayTerm rootGradient(Operands p) { return where(apply("Equal", p.r, 0.0), 0.0, p.d * 0.5 / p.r); }
ArrayTerm shrinkGradient(Operands p) {
    return where(apply("Greater", apply("Abs", p.a), p.attributes.floating("lambd")), p.d, 0.0);
}

/// ONNX has no negative numbers without a sign.
Result<std::vector<ArrayType>> negShape(const ShapeInput& in) {
    using ir::Dtype;
    const Dtype dtype = in.inputs[0].dtype;
    if (dtype == Dtype::U8 || dtype == Dtype::U16 || dtype == Dtype::U32 || dtype == Dtype::U64)
        return shapeError(fmt::format("Neg takes numbers with a sign; found {}", ir::dtypeName(dtype)));
    return elementwiseShape<Takes::Numbers>(in);
}

Operator unary(std::string name, std::string doc, ShapeRule shape, Evaluate evaluate,
               std::vector<AttributeInfo> attributes = {}) {
    return {.name = std::move(name),
            .doc = std::move(doc),
            .inputs = {{.name = "X"}},
            .attributes = std::move(attributes),
            .shape = shape,
            .evaluate = evaluate,
            .traits = {.pointwise = true}};
}

/// An entry for a function of numbers that takes an addition or one or two comparisons for each element.
template <auto Function>
Operator simple(std::string name, std::string doc, std::vector<AttributeInfo> attributes = {}) {
    return unary(std::move(name), std::move(doc), elementwiseShape<Takes::Numbers>, mapElements<Function>,
                 std::move(attributes));
}

/// The same for a function of floating-point numbers.
template <auto Function>
Operator floating(std::string name, std::string doc, std::vector<AttributeInfo> attributes = {}) {
    Operator op = simple<Function>(std::move(name), std::move(doc), std::move(attributes));
    op.shape = elementwiseShape<Takes::Floats>;
    return op;
}

/// An entry for a function of floating-point numbers that is computed by a series.
template <auto Function>
Operator series(std::string name, std::string doc, std::vector<AttributeInfo> attributes = {}) {
    Operator op = floating<Function>(std::move(name), std::move(doc), std::move(attributes));
    op.work = workPerElement<SeriesFlops>;
    return op;
}

void addActivations(std::vector<Operator>& table) {
    const auto alpha = [](std::string defaultText) { return floatAttribute("alpha", std::move(defaultText), "alpha"); };
    table.push_back(simple<relu>("Relu", "negative elements become 0"));
    table.back().facts = UnaryFacts<[](const ValueRange& a) { return larger(a, ValueRange::exactly(0.0)); }>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return where(apply("Greater", p.r, 0.0), p.d, 0.0); }>;
    table.push_back(floating<leakyRelu>("LeakyRelu", "negative elements are multiplied by alpha", {alpha("0.01")}));
    table.back().gradient =
        PointwiseGradient<[](Operands p) { return where(apply("Less", p.a, 0.0), p.d * alphaOf(p.attributes), p.d); }>;
    table.push_back(floating<thresholdedRelu>("ThresholdedRelu", "elements up to alpha become 0", {alpha("1.0")}));
    table.back().gradient =
        PointwiseGradient<[](Operands p) { return where(apply("Greater", p.a, alphaOf(p.attributes)), p.d, 0.0); }>;
    table.push_back(series<elu>("Elu", "negative elements become alpha (e^x - 1)", {alpha("1.0")}));
    table.back().gradient = PointwiseGradient<[](Operands p) {
        return where(apply("Less", p.a, 0.0), p.d * (p.r + alphaOf(p.attributes)), p.d);
    }>;
    table.push_back(series<celu>("Celu", "negative elements become alpha (e^(x/alpha) - 1)", {alpha("1.0")}));
    table.back().gradient = PointwiseGradient<[](Operands p) {
        return where(apply("Less", p.a, 0.0), p.d * apply("Exp", p.a / alphaOf(p.attributes)), p.d);
    }>;
    table.push_back(
        series<selu>("Selu", "gamma times Elu", {alpha("1.6732632"), floatAttribute("gamma", "1.050701", "factor")}));
    table.back().gradient = PointwiseGradient<seluGradient>;
    table.push_back(series<sigmoid>("Sigmoid", "1 / (1 + e^-x)"));
    table.back().facts = BoundedFacts<0, 1, true>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * (p.r * (1.0 - p.r)); }>;
    table.push_back(floating<hardSigmoid>("HardSigmoid", "alpha x + beta, kept between 0 and 1",
                                          {alpha("0.2"), floatAttribute("beta", "0.5", "value at 0")}));
    table.back().gradient = PointwiseGradient<hardSigmoidGradient>;
    table.push_back(floating<[](double x) { return x * clamped(x / 6.0 + 0.5, 0.0, 1.0); }>(
        "HardSwish", "x times HardSigmoid with alpha 1/6"));
    table.back().gradient = PointwiseGradient<hardSwishGradient>;
    table.push_back(series<[](double x) { return std::tanh(x); }>("Tanh", "hyperbolic tangent"));
    table.back().facts = UnaryFacts<ir::oddUnitRange>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * (1.0 - p.r * p.r); }>;
    table.push_back(series<softplus>("Softplus", "log(1 + e^x)"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * apply("Sigmoid", p.a); }>;
    table.push_back(floating<[](double x) { return x / (1.0 + std::abs(x)); }>("Softsign", "x / (1 + |x|)"));
    table.back().gradient = PointwiseGradient<softsignGradient>;
    table.push_back(floating<shrink>("Shrink", "elements come closer to 0 by bias; those within lambd become 0",
                                     {floatAttribute("lambd", "0.5", "half the width of the interval that becomes 0"),
                                      floatAttribute("bias", "0.0", "how much closer")}));
    table.back().gradient = PointwiseGradient<shrinkGradient>;
}

void addFunctions(std::vector<Operator>& table) {
    table.push_back(series<[](double x) { return std::exp(x); }>("Exp", "e^x"));
    table.back().facts = UnaryFacts<ir::exponential>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * p.r; }>;
    table.push_back(series<[](double x) { return std::log(x); }>("Log", "natural logarithm"));
    table.back().facts = UnaryFacts<ir::logarithm>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return unlessMasked(p.d, p.a, p.d / p.a); }>;
    table.push_back(floating<[](double x) { return std::sqrt(x); }>("Sqrt", "square root"));
    table.back().facts = UnaryFacts<ir::squareRoot>;
    table.back().gradient = PointwiseGradient<rootGradient>;
    table.push_back(floating<[](double x) { return 1.0 / x; }>("Reciprocal", "1 / x"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return unlessMasked(p.d, p.a, -(p.d * (p.r * p.r))); }>;
    table.push_back(series<[](double x) { return std::erf(x); }>("Erf", "error function"));
    table.back().facts = UnaryFacts<ir::oddUnitRange>;
    table.back().gradient = PointwiseGradient<[](Operands p) {
        return p.d * (apply("Exp", -(p.a * p.a)) * (2.0 * std::numbers::inv_sqrtpi));
    }>;
    table.back().shape = elementwiseShape<Takes::Numbers>;
    table.push_back(series<[](double x) { return std::sin(x); }>("Sin", "sine"));
    table.back().facts = BoundedFacts<-1, 1, false>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * apply("Cos", p.a); }>;
    table.push_back(series<[](double x) { return std::cos(x); }>("Cos", "cosine"));
    table.back().facts = BoundedFacts<-1, 1, false>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return -(p.d * apply("Sin", p.a)); }>;
    table.push_back(series<[](double x) { return std::tan(x); }>("Tan", "tangent"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * (p.r * p.r + 1.0); }>;
    table.push_back(series<[](double x) { return std::asin(x); }>("Asin", "inverse sine"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d / apply("Sqrt", 1.0 - p.a * p.a); }>;
    table.push_back(series<[](double x) { return std::acos(x); }>("Acos", "inverse cosine"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return -(p.d / apply("Sqrt", 1.0 - p.a * p.a)); }>;
    table.push_back(series<[](double x) { return std::atan(x); }>("Atan", "inverse tangent"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d / (p.a * p.a + 1.0); }>;
    table.push_back(series<[](double x) { return std::sinh(x); }>("Sinh", "hyperbolic sine"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * apply("Cosh", p.a); }>;
    table.push_back(series<[](double x) { return std::cosh(x); }>("Cosh", "hyperbolic cosine"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * apply("Sinh", p.a); }>;
    table.push_back(series<[](double x) { return std::asinh(x); }>("Asinh", "inverse hyperbolic sine"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d / apply("Sqrt", p.a * p.a + 1.0); }>;
    table.push_back(series<[](double x) { return std::acosh(x); }>("Acosh", "inverse hyperbolic cosine"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d / apply("Sqrt", p.a * p.a - 1.0); }>;
    table.push_back(series<[](double x) { return std::atanh(x); }>("Atanh", "inverse hyperbolic tangent"));
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d / (1.0 - p.a * p.a); }>;
    table.push_back(simple<[](double x) { return std::abs(x); }>("Abs", "without the sign"));
    table.back().facts = UnaryFacts<[](const ValueRange& a) { return absolute(a); }>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d * apply("Sign", p.a); }>;
    table.push_back(simple<[](double x) { return -x; }>("Neg", "with the other sign"));
    table.back().shape = negShape;
    table.back().facts = UnaryFacts<[](const ValueRange& a) { return negated(a); }>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return -p.d; }>;
    table.push_back(simple<sign>("Sign", "-1, 0 or 1"));
    table.back().gradient = ZeroGradient;
    table.push_back(floating<[](double x) { return std::floor(x); }>("Floor", "rounded down"));
    table.back().gradient = ZeroGradient;
    table.push_back(floating<[](double x) { return std::ceil(x); }>("Ceil", "rounded up"));
    table.back().gradient = ZeroGradient;
    table.push_back(floating<[](double x) { return std::nearbyint(x); }>("Round", "rounded; halves to even"));
    table.back().gradient = ZeroGradient;
}

void addTests(std::vector<Operator>& table) {
    table.push_back(unary("Not", "false where the element is true", elementwiseShape<Takes::Bools>,
                          mapElements<[](double x) { return 1.0 - x; }>));
    table.push_back(unary("IsNaN", "whether an element is not a number", predicateShape<Takes::Floats>,
                          mapElements<[](double x) { return std::isnan(x) ? 1.0 : 0.0; }>));
    table.push_back(unary("IsInf", "whether an element is infinite", predicateShape<Takes::Floats>,
                          mapElements<isInfinite>,
                          {flagAttribute("detect_negative", "true", "whether -inf counts"),
                           flagAttribute("detect_positive", "true", "whether inf counts")}));
}

}  // namespace

void addUnary(std::vector<Operator>& table) {
    addActivations(table);
    addFunctions(table);
    addTests(table);
}

}  // namespace mitos::tensor
