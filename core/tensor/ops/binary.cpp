// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of two numbers (and three: Where), applied to all elements of arrays that broadcast. ONNX's variadic Sum, Max
// and Min are read as chains of binary operators, so that one rule fits all of them.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/array_facts.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/internal/gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mitos::tensor {

using ir::ValueRange;

namespace {

constexpr double NotANumber = std::numeric_limits<double>::quiet_NaN();

double maximum(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double minimum(double a, double b) { return std::isnan(a) || a < b ? a : b; }

/// The remainder with the sign of the divisor, as in Python.
double floorModulo(double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

auto modulo(const Attributes& attributes) {
    return attributes.boolean("fmod") ? +[](double a, double b) { return std::fmod(a, b); } : floorModulo;
}

auto shift(const Attributes& attributes) {
    return [isLeft = attributes.word("direction") == "LEFT"](double x, double bits) {
        return isLeft ? std::ldexp(x, static_cast<int>(bits)) : std::floor(std::ldexp(x, -static_cast<int>(bits)));
    };
}

/// A shift by as many bits as the elements have, or more, is undefined.
Result<std::vector<ArrayPtr>> shiftElements(const EvaluateInput& in) {
    const auto width = static_cast<double>(8 * ir::dtypeBytes(in.outputs[0].dtype));
    const auto isWithin = [width](double bits) { return bits >= 0 && bits < width; };
    if (!std::ranges::all_of(in.inputs[1]->elements, isWithin))
        return shapeError(fmt::format("BitShift: elements of {} bits are shifted by fewer bits", width));
    return mapElements<shift>(in);
}

/// For Integers, rounding the result truncates the quotient; only a divisor of 0 needs care.
Result<std::vector<ArrayPtr>> divide(const EvaluateInput& in) {
    if (ir::isFloating(in.outputs[0].dtype)) return mapElements<[](double a, double b) { return a / b; }>(in);
    return mapElements<[](double a, double b) { return b == 0 ? NotANumber : a / b; }>(in);
}

/// The power of Integers, by repeated squaring.
std::uint64_t integerPower(std::uint64_t base, std::uint64_t exponent) {
    if (static_cast<std::int64_t>(exponent) < 0) {  // a fraction, which is truncated, unless the base is 1 or -1
        if (base == 1 || (base + 1 == 0 && exponent % 2 == 0)) return 1;
        return base + 1 == 0 ? base : 0;
    }
    std::uint64_t result = 1;
    for (; exponent > 0; exponent /= 2, base *= base) {
        if (exponent % 2 == 1) result *= base;
    }
    return result;
}

Result<std::vector<ArrayPtr>> power(const EvaluateInput& in) {
    constexpr auto OfFloats = [](double a, double b) { return std::pow(a, b); };
    if (!ir::isFloating(in.inputs[1]->dtype)) return mapArithmetic<OfFloats, integerPower>(in);
    return mapElements<OfFloats>(in);
}

/// The exponent may be of another element type.
Result<std::vector<ArrayType>> powerShape(const ShapeInput& in) {
    for (const ArrayType& input : in.inputs) {
        const ShapeInput one{in.op, in.attributes, std::span(&input, 1), in.symbols};
        MITOS_REQUIRE(checkElements(one, Takes::Numbers));
    }
    return broadcastInputs(in).map([](const ArrayType& type) { return std::vector<ArrayType>{type}; });
}

Result<std::vector<ArrayType>> whereShape(const ShapeInput& in) {
    const ShapeInput condition{in.op, in.attributes, in.inputs.first(1), in.symbols};
    MITOS_REQUIRE(checkElements(condition, Takes::Bools));
    const ShapeInput values{in.op, in.attributes, in.inputs.subspan(1), in.symbols};
    MITOS_REQUIRE(checkElements(values, Takes::Any));
    MITOS_TRY(ArrayType type, broadcastInputs(in));
    type.dtype = in.inputs[in.inputs[1].dtype == ir::Dtype::Unknown ? 2 : 1].dtype;
    return std::vector<ArrayType>{std::move(type)};
}

/// The slopes broadcast to X, never the reverse.
Result<std::vector<ArrayType>> slopeShape(const ShapeInput& in) {
    Result<std::vector<ArrayType>> result = elementwiseShape<Takes::Numbers>(in);
    if (!result || !result->front().hasRank) return result;
    const std::vector<ir::Dimension>& x = in.inputs[0].dimensions;
    std::vector<ir::Dimension>& sizes = result->front().dimensions;
    if (!std::ranges::equal(x, sizes, mayBeEqual)) return shapeError("PRelu takes slopes that broadcast to X");
    sizes = x;
    return result;
}

Result<std::vector<ArrayPtr>> mean(const EvaluateInput& in) {
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    BroadcastWalk walk(result->shape, in.inputs);
    for (double& element : result->elements) {
        for (std::size_t i = 0; i < in.inputs.size(); ++i) element += walk.element(i);
        element /= static_cast<double>(in.inputs.size());
        walk.next();
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Work meanWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work result = movement(in, outputs);
    result.flops = static_cast<double>(in.inputs.size()) * elements(outputs[0]);
    return result;
}

Work powerWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work result = movement(in, outputs);
    result.flops = SeriesFlops * elements(outputs[0]);
    return result;
}

/// The exponent in the element type of the base.
ArrayTerm exponent(Operands p) {
    TermMaker& make = p.a.make();
    const ir::Dtype dtype = make.type(p.a.id()).dtype;
    if (make.type(p.b.id()).dtype == dtype) return p.b;
    return apply("Cast", p.b, {{"to", std::string(ir::dtypeName(dtype))}});
}
/// Zero has the slope 0 to powers below 1, as to that of a root, and to the power 0.
ArrayTerm powerGradient(Operands p) {
    const ArrayTerm b = exponent(p);
    const ArrayTerm slope = p.d * (b * apply("Pow", p.a, b - 1.0));
    if (p.a.make().constantValue(p.b.id()).value_or(0.0) >= 1.0) return slope;
    return where(apply("And", apply("Equal", p.a, 0.0), apply("Less", b, 1.0)), 0.0, slope);
}
/// The cotangent of the operand that is chosen; equal ones have half of it each.
ArrayTerm shareOf(Operands p, ArrayTerm isChosen) {
    return where(apply("Equal", p.a, p.b), p.d * 0.5, where(isChosen, p.d, 0.0));
}
/// The logarithm of 0 is infinite, but a power of 0 does not change with its exponent.
ArrayTerm exponentGradient(Operands p) { return where(apply("Equal", p.a, 0.0), 0.0, p.d * (p.r * apply("Log", p.a))); }

std::vector<ir::TermId> meanGradient(const GradientInput& in) {
    const ArrayTerm part = ArrayTerm(in.make, in.cotangents[0]) / static_cast<double>(in.inputs.size());
    std::vector<ir::TermId> result(in.inputs.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (in.isWanted[i]) result[i] = summedTo(in.make, part.id(), in.inputs[i]);
    }
    return result;
}

/// Imports ONNX's variadic forms.
Result<Imported> importFold(const Operator& op, const OnnxNode& node, const OnnxContext&) {
    Result<Imported> imported = importPlainly(op, node);
    if (imported) imported->isFold = true;
    return imported;
}

ir::OperationFacts factsOfQuotient(const ir::FactInput& in) {
    const ValueRange a = in.range(0);
    const ValueRange b = in.range(1);
    if (in.isSame(0, 1)) return factsInRange(in, ValueRange::exactly(1.0));
    return factsInRange(in, ir::isFloating(in.types.dtype(in.type)) ? quotient(a, b) : truncatedQuotient(a, b));
}

enum class Order : std::uint8_t { Matters, Free };

Operator binary(std::string name, std::string doc, ShapeRule shape, Evaluate evaluate, Order order,
                std::vector<AttributeInfo> attributes = {}) {
    return {.name = std::move(name),
            .doc = std::move(doc),
            .inputs = {{.name = "A"}, {.name = "B"}},
            .attributes = std::move(attributes),
            .shape = shape,
            .evaluate = evaluate,
            .traits = {.commutative = order == Order::Free, .pointwise = true}};
}

void addArithmetic(std::vector<Operator>& table) {
    const ShapeRule numbers = elementwiseShape<Takes::Numbers>;
    using Bits = std::uint64_t;
    const Evaluate add = mapArithmetic<[](double a, double b) { return a + b; }, [](Bits a, Bits b) { return a + b; }>;
    const Evaluate subtract =
        mapArithmetic<[](double a, double b) { return a - b; }, [](Bits a, Bits b) { return a - b; }>;
    const Evaluate multiplyElements =
        mapArithmetic<[](double a, double b) { return a * b; }, [](Bits a, Bits b) { return a * b; }>;
    table.push_back(binary("Add", "sum", numbers, add, Order::Free));
    table.back().facts = BinaryFacts<[](const ValueRange& a, const ValueRange& b, bool) { return sum(a, b); }>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d; }, [](Operands p) { return p.d; }>;
    table.back().onnx = {.alsoFrom = {"Sum"}, .import = importFold};
    table.push_back(binary("Sub", "difference", numbers, subtract, Order::Matters));
    table.back().facts = BinaryFacts<[](const ValueRange& a, const ValueRange& b, bool isSame) {
        return isSame ? ValueRange::exactly(0.0) : sum(a, negated(b));
    }>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return p.d; }, [](Operands p) { return -p.d; }>;
    table.push_back(binary("Mul", "product", numbers, multiplyElements, Order::Free));
    table.back().facts = BinaryFacts<[](const ValueRange& a, const ValueRange& b, bool isSame) {
        return isSame ? square(a) : product(a, b);
    }>;
    table.back().gradient =
        PointwiseGradient<[](Operands p) { return p.d * p.b; }, [](Operands p) { return p.d * p.a; }>;
    table.push_back(binary("Div", "quotient; of Integers cut off towards 0", numbers, divide, Order::Matters));
    table.back().facts = {factsOfQuotient};
    table.back().gradient = PointwiseGradient<[](Operands p) { return unlessMasked(p.d, p.b, p.d / p.b); },
                                              [](Operands p) { return unlessMasked(p.d, p.b, -(p.d * p.r / p.b)); }>;
    table.push_back(binary("Max", "the larger one", numbers, mapElements<maximum>, Order::Free));
    table.back().facts = BinaryFacts<[](const ValueRange& a, const ValueRange& b, bool) { return larger(a, b); }>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return shareOf(p, apply("Greater", p.a, p.b)); },
                                              [](Operands p) { return shareOf(p, apply("Greater", p.b, p.a)); }>;
    table.back().onnx = {.import = importFold};
    table.push_back(binary("Min", "the smaller one", numbers, mapElements<minimum>, Order::Free));
    table.back().facts = BinaryFacts<[](const ValueRange& a, const ValueRange& b, bool) { return smaller(a, b); }>;
    table.back().gradient = PointwiseGradient<[](Operands p) { return shareOf(p, apply("Less", p.a, p.b)); },
                                              [](Operands p) { return shareOf(p, apply("Less", p.b, p.a)); }>;
    table.back().onnx = {.import = importFold};
    table.push_back(binary("Pow", "A to the power of B", powerShape, power, Order::Matters));
    table.back().facts = BinaryFacts<[](const ValueRange& a, const ValueRange& b, bool) { return power(a, b); }>;
    table.back().gradient = PointwiseGradient<powerGradient, exponentGradient>;
    table.back().work = powerWork;
    table.push_back(binary("Mod", "remainder", numbers, mapElements<modulo>, Order::Matters,
                           {flagAttribute("fmod", "false", "with the sign of A instead of B")}));
    table.back().gradient =
        PointwiseGradient<[](Operands p) { return p.d; }, [](Operands p) { return p.d * (p.r - p.a) / p.b; }>;
    table.push_back(binary("BitShift", "A shifted by B bits", elementwiseShape<Takes::Integers>, shiftElements,
                           Order::Matters,
                           {{.name = "direction",
                             .kind = AttributeKind::Word,
                             .doc = "LEFT multiplies by powers of 2",
                             .words = {"LEFT", "RIGHT"}}}));
    table.push_back(binary("PRelu", "negative elements are multiplied by slopes", slopeShape,
                           mapElements<[](double x, double slope) { return x < 0 ? slope * x : x; }>, Order::Matters));
    table.back().gradient =
        PointwiseGradient<[](Operands p) { return where(apply("Less", p.a, 0.0), p.d * p.b, p.d); },
                          [](Operands p) { return where(apply("Less", p.a, 0.0), p.d * p.a, 0.0); }>;
    table.back().inputs = {{.name = "X"}, {.name = "slope"}};
    table.push_back(binary("Mean", "mean of all inputs", elementwiseShape<Takes::Floats>, mean, Order::Matters));
    table.back().gradient.rule = meanGradient;
    table.back().inputs = {{.name = "data", .kind = InputInfo::Kind::Variadic}};
    table.back().work = meanWork;
}

void addComparisons(std::vector<Operator>& table) {
    const ShapeRule bools = elementwiseShape<Takes::Bools>;
    table.push_back(binary("And", "both", bools, mapElements<[](double a, double b) { return a * b; }>, Order::Free));
    table.push_back(
        binary("Or", "one or both", bools, mapElements<[](double a, double b) { return a + b; }>, Order::Free));
    table.push_back(
        binary("Xor", "one, not both", bools, mapElements<[](double a, double b) { return a - b; }>, Order::Free));
    const auto compare = [&table](std::string name, std::string doc, Evaluate evaluate) {
        table.push_back(
            binary(std::move(name), std::move(doc), predicateShape<Takes::Numbers>, evaluate, Order::Matters));
    };
    compare("Equal", "whether A = B", mapElements<[](double a, double b) { return a == b ? 1.0 : 0.0; }>);
    table.back().shape = predicateShape<Takes::Any>;
    table.back().traits.commutative = true;
    compare("Less", "whether A < B", mapElements<[](double a, double b) { return a < b ? 1.0 : 0.0; }>);
    compare("LessOrEqual", "whether A <= B", mapElements<[](double a, double b) { return a <= b ? 1.0 : 0.0; }>);
    compare("Greater", "whether A > B", mapElements<[](double a, double b) { return (a > b) ? 1.0 : 0.0; }>);
    compare("GreaterOrEqual", "whether A >= B", mapElements<[](double a, double b) { return a >= b ? 1.0 : 0.0; }>);
}

}  // namespace

void addBinary(std::vector<Operator>& table) {
    addArithmetic(table);
    addComparisons(table);
    table.push_back({.name = "Where",
                     .doc = "X where the condition is true, else Y",
                     .inputs = {{.name = "condition"}, {.name = "X"}, {.name = "Y"}},
                     .shape = whereShape,
                     .evaluate = mapElements<[](double c, double x, double y) { return c != 0 ? x : y; }>,
                     .traits = {.pointwise = true},
                     .gradient = PointwiseGradient<NoGradient, [](Operands p) { return where(p.a, p.d, 0.0); },
                                                   [](Operands p) { return where(p.a, 0.0, p.d); }>});
}

}  // namespace mitos::tensor
