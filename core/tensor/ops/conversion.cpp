// SPDX-License-Identifier: GPL-3.0-or-later
// Constants, and operators that pass elements on: unchanged, clipped to bounds, or as another element type.
#include "core/tensor/internal/array_facts.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mitos::tensor {

namespace {

using ir::Dtype;

/// A bound of this magnitude has no effect: it is ONNX's former default, which finite attributes can express.
constexpr double LargestFloat = std::numeric_limits<float>::max();
constexpr const char* LargestFloatText = "3.4028234663852886e+38";

// --- Constant -------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> constantShape(const ShapeInput& in) {
    ArrayType type{.dtype = *ir::dtypeFromName(in.attributes.word("dtype")), .dimensions = {}};
    if (!isComputable(type.dtype)) {
        return shapeError(fmt::format("there are no constants of type {}", ir::dtypeName(type.dtype)));
    }
    const double value = in.attributes.floating("value");
    const double rounded = roundTo(type.dtype, value);
    const bool isLost = ir::isFloating(type.dtype) ? std::isinf(rounded) != std::isinf(value) : rounded != value;
    if (isLost && !std::isnan(value)) {
        return shapeError(fmt::format("{} is no value of type {}", value, ir::dtypeName(type.dtype)));
    }
    for (const std::int64_t size : in.attributes.integers("shape")) {
        if (size < 0) return shapeError(fmt::format("a constant cannot have the size {}", size));
        type.dimensions.push_back(ir::Dimension::of(size));
    }
    return std::vector<ArrayType>{std::move(type)};
}

Result<std::vector<ArrayPtr>> constant(const EvaluateInput& in) {
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    std::ranges::fill(result->elements, in.attributes.floating("value"));
    return std::vector<ArrayPtr>{std::move(result)};
}

Work nothing(const ShapeInput&, std::span<const ArrayType>) { return {.isView = true}; }

// --- Identity, Dropout ----------------------------------------------------------------------------------------------

Result<std::vector<ArrayPtr>> identity(const EvaluateInput& in) { return std::vector<ArrayPtr>{in.inputs[0]}; }

Result<std::vector<ArrayType>> dropoutShape(const ShapeInput& in) {
    const std::int64_t outputs = in.attributes.integer(OutputsName);
    if (outputs < 1 || outputs > 2) return shapeError(fmt::format("Dropout has 1 or 2 outputs, not {}", outputs));
    std::vector<ArrayType> types(static_cast<std::size_t>(outputs), in.inputs[0]);
    if (outputs == 2) types[1].dtype = Dtype::Bool;
    return types;
}

Result<std::vector<ArrayPtr>> dropout(const EvaluateInput& in) {
    std::vector<ArrayPtr> results{in.inputs[0]};
    if (in.outputs.size() == 2) {
        const std::shared_ptr<Array> mask = blank(in.outputs[1]);
        std::ranges::fill(mask->elements, 1.0);
        results.push_back(mask);
    }
    return results;
}

Result<Imported> importDropout(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    Attributes attributes(op);
    double ratio = floatOf(node, "ratio", 0.5);  // an attribute before opset 12
    if (hasInput(node, 1)) {
        const std::optional<std::vector<double>> given = context.floats(1);
        if (!given || given->size() != 1) return notThisForm("the ratio of Dropout is no constant");
        ratio = given->front();
    }
    if (hasInput(node, 2)) {
        const std::optional<std::vector<std::int64_t>> isTraining = context.integers(2);
        if (!isTraining || isTraining->size() != 1 || isTraining->front() != 0) {
            return notThisForm("Dropout may be in training mode");
        }
    }
    const bool hasMask = node.outputs.size() > 1 && !node.outputs[1].empty();
    if (hasMask && node.opset < 10) return notThisForm("the mask of Dropout was no bool before opset 10");
    attributes.set("ratio", ratio).set(OutputsName, std::int64_t{hasMask ? 2 : 1});
    return Imported{std::move(attributes), {0}};
}

Exported exportDropout(const Attributes& attributes, std::span<const ArrayType>) {
    return {.type = "Dropout", .constants = {{.input = 1, .values = attributes.floating("ratio")}}};
}

// --- Cast -----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> castShape(const ShapeInput& in) {
    ArrayType type = in.inputs[0];
    type.dtype = *ir::dtypeFromName(in.attributes.word("to"));
    return std::vector<ArrayType>{std::move(type)};
}

Result<std::vector<ArrayPtr>> cast(const EvaluateInput& in) {
    const Dtype from = in.inputs[0]->dtype;
    const Dtype to = in.outputs[0].dtype;
    if (to == from) return identity(in);
    if (!isComputable(to)) return shapeError(fmt::format("elements of type {} cannot be computed", ir::dtypeName(to)));
    const bool isInteger = !ir::isFloating(to) && to != Dtype::Bool;
    if (isInteger && !isExact(*in.inputs[0])) return inexact();
    auto result = std::make_shared<Array>(*in.inputs[0]);
    result->dtype = to;
    for (double& element : result->elements) {
        const double converted = roundTo(to, element);
        // Integers wrap around; what becomes of a floating-point number that the type does not hold is undefined.
        if (isInteger && ir::isFloating(from) && converted != std::trunc(element)) {
            return Error{ErrorCode::Unsupported,
                         fmt::format("a Cast of {} to {} is undefined", element, ir::dtypeName(to))};
        }
        element = converted;
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importCast(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    if (node.type == "Cast") return importPlainly(op, node);
    const ArrayType* const like = context.type(1);
    if (like == nullptr || like->dtype == Dtype::Unknown) return notThisForm("the element type to cast to is unknown");
    Attributes attributes(op);
    attributes.set("to", std::string(ir::dtypeName(like->dtype)));
    return Imported{std::move(attributes), {0}};
}

// --- Clip -----------------------------------------------------------------------------------------------------------

double clipped(double x, double low, double high) { return x < low ? std::min(low, high) : x > high ? high : x; }

auto clip(const Attributes& attributes) {
    const auto bound = [](double value) {
        return std::abs(value) < LargestFloat ? value : std::copysign(HUGE_VAL, value);
    };
    return [low = bound(attributes.floating("min")), high = bound(attributes.floating("max"))](double x) {
        return clipped(x, low, high);
    };
}

/// ONNX has the bounds as inputs since opset 11. Those of Integers stay inputs: ClipBetween.
Result<Imported> importClip(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    Attributes attributes(op);
    const ArrayType* const x = context.type(0);
    if (x == nullptr || !ir::isFloating(x->dtype)) return notThisForm("the type of Clip is not a floating type");
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string_view name = i == 0 ? "min" : "max";
        double bound = floatOf(node, name, i == 0 ? -LargestFloat : LargestFloat);
        if (hasInput(node, i + 1)) {
            const std::optional<std::vector<double>> given = context.floats(i + 1);
            if (!given || given->size() != 1 || std::isnan(given->front())) {
                return notThisForm("a bound of Clip is not a constant");
            }
            bound = given->front();
            // A bound beyond the range of f32 is no bound here, but it is one for f64.
            if (x->dtype == Dtype::F64 && std::isfinite(bound) && std::abs(bound) > LargestFloat)
                return notThisForm("a bound of Clip is beyond the range of f32");
        }
        attributes.set(name, std::clamp(bound, -LargestFloat, LargestFloat));
    }
    return Imported{std::move(attributes), {0}};
}

Exported exportClip(const Attributes& attributes, std::span<const ArrayType>) {
    return {.type = "Clip",
            .constants = {{.input = 1, .values = attributes.floating("min")},
                          {.input = 2, .values = attributes.floating("max")}}};
}

Result<std::vector<ArrayType>> clipBetweenShape(const ShapeInput& in) {
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
        if (!in.isPresent(i)) continue;
        const std::array types{in.inputs[0], in.inputs[i]};
        const ShapeInput pair{in.op, in.attributes, types, in.symbols};
        MITOS_REQUIRE(checkElements(pair, Takes::Numbers));
        if (i > 0 && in.inputs[i].hasRank && in.inputs[i].rank() > 0)
            return shapeError("the bounds of a Clip are scalars");
    }
    return std::vector<ArrayType>{in.inputs[0]};
}

Result<std::vector<ArrayPtr>> clipBetween(const EvaluateInput& in) {
    const auto bound = [&in](std::size_t input, double otherwise) {
        return input < in.inputs.size() && in.inputs[input] != nullptr ? in.inputs[input]->elements.front() : otherwise;
    };
    const double low = bound(1, -HUGE_VAL);
    const double high = bound(2, HUGE_VAL);
    auto result = std::make_shared<Array>(*in.inputs[0]);
    for (double& element : result->elements) element = clipped(element, low, high);
    return std::vector<ArrayPtr>{std::move(result)};
}

// --- gradients ------------------------------------------------------------------------------------------------------

ArrayTerm castGradient(Operands p) {
    const ir::Dtype from = p.a.make().type(p.a.id()).dtype;
    return apply("Cast", p.d, {{"to", std::string(ir::dtypeName(from))}});
}

ArrayTerm clipGradient(Operands p) {
    const ArrayTerm isAbove = apply("GreaterOrEqual", p.a, p.attributes.floating("min"));
    const ArrayTerm isBelow = apply("LessOrEqual", p.a, p.attributes.floating("max"));
    return where(apply("And", isAbove, isBelow), p.d, 0.0);
}

/// An element is passed on where it is between the bounds; elsewhere the bound is.
std::vector<ir::TermId> clipBetweenGradient(const GradientInput& in) {
    const Pointwise p = pointwise(in);
    std::vector<ir::TermId> result(in.inputs.size());
    const auto part = [&](std::size_t input, ArrayTerm kept) {
        if (in.isWanted[input]) result[input] = summedTo(in.make, kept.id(), in.inputs[input]);
    };
    ArrayTerm rest = p.d;
    if (in.inputs.size() > 2 && in.make.type(in.inputs[2]).dtype != ir::Dtype::Unknown) {
        part(2, where(apply("Greater", p.a, p.c), p.d, 0.0));
        rest = where(apply("Greater", p.a, p.c), 0.0, rest);
    }
    if (in.inputs.size() > 1 && in.make.type(in.inputs[1]).dtype != ir::Dtype::Unknown) {
        part(1, where(apply("Less", p.a, p.b), p.d, 0.0));
        rest = where(apply("Less", p.a, p.b), 0.0, rest);
    }
    part(0, rest);
    return result;
}

}  // namespace

ir::OperationFacts factsOfConstant(const ir::FactInput& in) {
    const Result<Attributes> attributes =
        Attributes::read(*findOperator(in.op.name), in.types.symbols().text(in.payload.asSymbol()));
    return factsInRange(in, attributes ? ir::ValueRange::exactly(attributes->floating("value")) : ir::ValueRange());
}

void addConversions(std::vector<Operator>& table) {
    table.push_back({.name = "Constant",
                     .doc = "an array of one value",
                     .inputs = {},
                     .attributes = {floatAttribute("value", {}, "of every element"),
                                    {.name = "dtype", .kind = AttributeKind::Word, .doc = "element type"},
                                    listAttribute("shape", "its sizes; none: a scalar")},
                     .shape = constantShape,
                     .evaluate = constant,
                     .work = nothing,
                     .onnx = {.exists = false},  // core/onnx writes it as an initializer
                     .facts = {factsOfConstant}});
    table.push_back({.name = "Identity",
                     .doc = "its input",
                     .inputs = {{.name = "X"}},
                     .shape = elementwiseShape<Takes::Any>,
                     .evaluate = identity,
                     .work = view,
                     .traits = {.pointwise = true},
                     .gradient = PointwiseGradient<[](Operands p) { return p.d; }>,
                     .facts = UnaryFacts<[](const ir::ValueRange& a) { return a; }>});
    table.push_back({.name = "Dropout",
                     .doc = "its input, as dropout happens only in training; and the mask of kept elements: all",
                     .inputs = {{.name = "data"}},
                     .attributes = {floatAttribute("ratio", "0.5", "of elements dropped in training"),
                                    integerAttribute(std::string(OutputsName), "1", "2 with the mask")},
                     .shape = dropoutShape,
                     .evaluate = dropout,
                     .work = view,
                     .onnx = {.import = importDropout, .exportNode = exportDropout},
                     .gradient = PointwiseGradient<[](Operands p) { return p.d; }>});
    table.push_back({.name = "Cast",
                     .doc = "the same numbers as another element type",
                     .inputs = {{.name = "X"}},
                     .attributes = {{.name = "to", .kind = AttributeKind::Word, .doc = "element type"}},
                     .shape = castShape,
                     .evaluate = cast,
                     .traits = {.pointwise = true},
                     .onnx = {.alsoFrom = {"CastLike"}, .import = importCast},
                     .gradient = PointwiseGradient<castGradient>});
    table.push_back({.name = "Clip",
                     .doc = "elements kept between two numbers",
                     .inputs = {{.name = "X"}},
                     .attributes = {floatAttribute("min", std::string("-") + LargestFloatText,
                                                   "lower bound; the default is no bound"),
                                    floatAttribute("max", LargestFloatText, "upper bound; the default is no bound")},
                     .shape = elementwiseShape<Takes::Floats>,
                     .evaluate = mapElements<clip>,
                     .traits = {.pointwise = true},
                     .onnx = {.import = importClip, .exportNode = exportClip},
                     .gradient = PointwiseGradient<clipGradient>});
    table.push_back({.name = "ClipBetween",
                     .doc = "elements kept between two scalars",
                     .inputs = {{.name = "X"},
                                {.name = "min", .kind = InputInfo::Kind::Optional},
                                {.name = "max", .kind = InputInfo::Kind::Optional}},
                     .shape = clipBetweenShape,
                     .evaluate = clipBetween,
                     .onnx = {.type = "Clip"},
                     .gradient = {.rule = clipBetweenGradient}});
}

}  // namespace mitos::tensor
