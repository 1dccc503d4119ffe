// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions: one number for each slice along some axes; and other operators along one axis: ArgMax, CumSum, TopK.
#include "core/tensor/internal/axes.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/strided.h"
#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using Lane = std::span<const double>;

double sum(Lane slice) { return std::accumulate(slice.begin(), slice.end(), 0.0); }
double mean(Lane slice) { return sum(slice) / static_cast<double>(slice.size()); }
double laneProduct(Lane slice) { return std::accumulate(slice.begin(), slice.end(), 1.0, std::multiplies<>()); }
double largest(Lane slice) {
    return std::accumulate(slice.begin(), slice.end(), -HUGE_VAL,
                           [](double a, double b) { return std::isnan(a) || a > b ? a : b; });
}
double smallest(Lane slice) {
    return std::accumulate(slice.begin(), slice.end(), HUGE_VAL,
                           [](double a, double b) { return std::isnan(a) || a < b ? a : b; });
}
double absoluteSum(Lane slice) {
    return std::accumulate(slice.begin(), slice.end(), 0.0, [](double a, double b) { return a + std::abs(b); });
}
double squareSum(Lane slice) {
    return std::accumulate(slice.begin(), slice.end(), 0.0, [](double a, double b) { return a + b * b; });
}
double euclidean(Lane slice) { return std::sqrt(squareSum(slice)); }
double logSum(Lane slice) { return std::log(sum(slice)); }
/// The logarithm is computed relative to the largest element, so that nothing overflows.
double logSumExp(Lane slice) {
    const double top = largest(slice);
    if (!std::isfinite(top)) return top;
    return top + std::log(std::accumulate(slice.begin(), slice.end(), 0.0,
                                          [top](double a, double b) { return a + std::exp(b - top); }));
}

/// The position of the first of the best elements, or of the last.
template <double (*Best)(Lane)>
double indexOf(Lane slice, bool last) {
    const double best = Best(slice);
    const auto isBest = [best](double element) { return element == best || (std::isnan(best) && std::isnan(element)); };
    if (last) return static_cast<double>(slice.rend() - std::find_if(slice.rbegin(), slice.rend(), isBest) - 1);
    return static_cast<double>(std::ranges::find_if(slice, isBest) - slice.begin());
}

// --- reductions -----------------------------------------------------------------------------------------------------

/// The type without the axes, or with 1 in their place. Fails if axes are out of range or out of order.
Result<ArrayType> reduced(const ShapeInput& in, std::span<const std::int64_t> axes) {
    ArrayType type = in.inputs[0];
    if (!type.hasRank) return type;
    MITOS_REQUIRE(checkAxes(in, axes));
    for (std::size_t i = axes.size(); i-- > 0;) {
        if (in.attributes.boolean("keepdims"))
            type.dimensions[static_cast<std::size_t>(axes[i])] = Dimension::of(1);
        else
            type.dimensions.erase(type.dimensions.begin() + axes[i]);
    }
    return type;
}

Result<std::vector<ArrayType>> reduceShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Numbers));
    return reduced(in, in.attributes.integers("axes")).map([](const ArrayType& type) { return std::vector{type}; });
}

/// Whether a reduction of Integers to a value is known: what it accumulates before a last step must not wrap around, as runtimes accumulate
/// in the element type or in a wider one. They do not agree about exponentials of Integers either.
template <double (*Function)(Lane)>
bool isKnown(ir::Dtype dtype, Lane slice, double value) {
    if constexpr (Function == mean || Function == logSum) return isHeld(dtype, sum(slice));
    if constexpr (Function == euclidean) return isHeld(dtype, squareSum(slice));
    if constexpr (Function == logSumExp) return false;
    return isHeld(dtype, value);
}

template <double (*Function)(Lane)>
Result<std::vector<ArrayPtr>> reduce(const EvaluateInput& in) {
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const Slices slices(in.inputs[0]->shape, in.attributes.integers("axes"));
    const bool isFloating = ir::isFloating(result->dtype);
    std::vector<double> slice;
    for (std::size_t i = 0; i < slices.count(); ++i) {
        slices.read(in.inputs[0]->elements, i, slice);
        const double value = Function(slice);
        result->elements[i] = value;
        if (isFloating) continue;
        if (!std::isfinite(value)) return shapeError("an element has no result among the Integers");
        if constexpr (Function != largest && Function != smallest) {
            if (absoluteSum(slice) >= EndOfExact || !isKnown<Function>(result->dtype, slice, value)) return inexact();
            result->elements[i] = held(result->dtype, value);
        }
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

/// No axes, without noop_with_empty_axes, mean all of them. In ONNX they are an attribute, for ReduceSum since opset 13
/// an input.
Result<Imported> importReduce(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType type, rankedInput(node, context, 0));
    MITOS_TRY(const std::optional<std::vector<std::int64_t>> given, integersOf(node, context, "axes", 1));
    std::vector<std::int64_t> axes = given.value_or(std::vector<std::int64_t>());
    if (axes.empty() && integerOf(node, "noop_with_empty_axes", 0) == 0) {
        axes.resize(type.rank());
        std::iota(axes.begin(), axes.end(), 0);
    }
    MITOS_TRY(std::vector<std::int64_t> normal, normalizedAxes(std::move(axes), type.rank()));
    Attributes attributes(op);
    attributes.set("axes", std::move(normal)).set("keepdims", integerOf(node, "keepdims", 1) != 0);
    return Imported{std::move(attributes), {0}};
}

Exported exportReduceSum(const Attributes& attributes, std::span<const ArrayType>) {
    Exported result = exportPlainly(attributes);
    result.attributes.erase("axes");
    if (attributes.integers("axes").empty())
        result.attributes.emplace("noop_with_empty_axes", std::int64_t{1});
    else
        result.constants.push_back({.input = 1, .values = attributes.integers("axes")});
    return result;
}

template <double (*Function)(Lane)>
Operator reduction(const std::string& name, const std::string& doc) {
    return {.name = name,
            .doc = doc,
            .inputs = {{.name = "data"}},
            .attributes = {listAttribute("axes", "the axes that are reduced, in rising order"),
                           flagAttribute("keepdims", "true", "whether reduced axes stay, with the size 1")},
            .shape = reduceShape,
            .evaluate = reduce<Function>,
            .work = workPerElement<1>,
            .onnx = {.import = importReduce}};
}

/// The rule of a reduction: a function that gives the cotangent of the input, or one that broadcasts to it. The result and its cotangent
/// have the reduced axes, with the size 1.
template <auto Function>
std::vector<ir::TermId> reductionGradient(const GradientInput& in) {
    if (!in.isWanted[0]) return {ir::TermId()};
    const std::vector<std::int64_t>& axes = in.attributes.integers("axes");
    const auto widened = [&](ir::TermId reduced) {
        if (in.attributes.boolean("keepdims") || axes.empty()) return reduced;
        return in.make.node("Unsqueeze", {reduced}, {{"axes", axes}});
    };
    Pointwise operands = pointwise(in);
    const std::optional<double> constant = in.make.constantValue(operands.d.id());
    operands.r = {in.make, widened(operands.r.id())};
    operands.d = constant ? operands.d.scalar(*constant) : ArrayTerm(in.make, widened(operands.d.id()));
    return {broadcastTo(in.make, Function(operands).id(), in.inputs[0])};
}

ArrayTerm meanGradientOf(Operands p) {
    TermMaker& make = p.a.make();
    const ArrayType type = make.type(p.a.id());
    double count = 1.0;
    for (const std::int64_t axis : p.attributes.integers("axes")) {
        const Dimension size = type.dimensions[static_cast<std::size_t>(axis)];
        if (size.isKnown()) {
            count *= static_cast<double>(size.size);
            continue;
        }
        const ir::TermId sizes = make.node("Size", {p.a.id()});
        const ArrayTerm all = apply("Cast", {make, sizes}, {{"to", std::string(ir::dtypeName(type.dtype))}});
        const ArrayTerm left =
            apply("Cast", {make, make.node("Size", {p.r.id()})}, {{"to", std::string(ir::dtypeName(type.dtype))}});
        return p.d * left / all;
    }
    return p.d / count;
}

/// Equal elements share the cotangent.
ArrayTerm extremeGradient(Operands p) {
    const ArrayTerm isChosen = apply("Equal", p.a, p.r);
    const std::string dtype(ir::dtypeName(p.a.make().type(p.a.id()).dtype));
    const ArrayTerm chosen = apply("Cast", isChosen, {{"to", dtype}});
    return chosen * (p.d / sumAlong(chosen, p.attributes.integers("axes")));
}

// --- along one axis -------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> argShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Numbers));
    MITOS_TRY(ArrayType type, reduced(in, std::array{in.attributes.integer("axis")}));
    type.dtype = ir::Dtype::I64;
    return std::vector<ArrayType>{std::move(type)};
}

template <double (*Best)(Lane)>
Result<std::vector<ArrayPtr>> arg(const EvaluateInput& in) {
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const Slices slices(in.inputs[0]->shape, std::array{in.attributes.integer("axis")});
    if (slices.size() == 0) return shapeError("no elements are left to compare");
    std::vector<double> slice;
    for (std::size_t i = 0; i < slices.count(); ++i) {
        slices.read(in.inputs[0]->elements, i, slice);
        result->elements[i] = indexOf<Best>(slice, in.attributes.boolean("select_last_index"));
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importArg(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    return importWithAxis(op, node, context, 0);
}

template <double (*Best)(Lane)>
Operator argOperator(const std::string& name, const std::string& doc) {
    return {
        .name = name,
        .doc = doc,
        .inputs = {{.name = "data"}},
        .attributes = {integerAttribute("axis", {}, "the axis along which elements are compared"),
                       flagAttribute("keepdims", "true", "whether the axis stays, with the size 1"),
                       flagAttribute("select_last_index", "false", "of equal elements, the last instead of the first")},
        .shape = argShape,
        .evaluate = arg<Best>,
        .work = workPerElement<1>,
        .onnx = {.import = importArg}};
}

/// For each element the product of the others, which a zero among them or beside them does not hide.
ArrayTerm productGradient(Operands p) {
    const std::vector<std::int64_t>& axes = p.attributes.integers("axes");
    const ArrayTerm isZero = apply("Equal", p.a, p.a.scalar(0.0));
    const ArrayTerm nonzero = where(isZero, 1.0, p.a);
    const ArrayTerm product = apply("ReduceProd", nonzero, {{"axes", axes}, {"keepdims", true}});
    const ArrayTerm one = p.a.scalar(1.0);
    const ArrayTerm zeros = sumAlong(where(isZero, one, 0.0), axes);
    const ArrayTerm others = where(apply("Greater", zeros, 0.0), where(isZero, product, 0.0), product / nonzero);
    return p.d * where(apply("Greater", zeros, 1.0), 0.0, others);
}

Result<std::vector<ArrayType>> cumulateShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Numbers));
    MITOS_REQUIRE(checkAxes(in, std::array{in.attributes.integer("axis")}));
    return std::vector<ArrayType>{in.inputs[0]};
}

Result<std::vector<ArrayPtr>> cumulate(const EvaluateInput& in) {
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const Slices slices(result->shape, std::array{in.attributes.integer("axis")});
    const bool isExclusive = in.attributes.boolean("exclusive");
    const bool isReverse = in.attributes.boolean("reverse");
    std::vector<double> slice;
    for (std::size_t i = 0; i < slices.count(); ++i) {
        slices.read(in.inputs[0]->elements, i, slice);
        if (isReverse) std::ranges::reverse(slice);
        double total = 0.0;
        for (double& element : slice) {
            const double before = total;
            total = held(result->dtype, total + element);
            element = isExclusive ? before : total;
        }
        if (isReverse) std::ranges::reverse(slice);
        slices.write(slice, i, result->elements);
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importCumulate(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType type, rankedInput(node, context, 0));
    const std::optional<std::vector<std::int64_t>> given = context.integers(1);
    if (!given || given->size() != 1) return notThisForm("the axis of CumSum is not a constant");
    MITOS_TRY(const std::int64_t axis, normalizedAxis(given->front(), type.rank()));
    Attributes attributes(op);
    attributes.set("axis", axis)
        .set("exclusive", integerOf(node, "exclusive", 0) != 0)
        .set("reverse", integerOf(node, "reverse", 0) != 0);
    return Imported{std::move(attributes), {0}};
}

Exported exportCumulate(const Attributes& attributes, std::span<const ArrayType>) {
    Exported result = exportPlainly(attributes);
    result.attributes.erase("axis");
    result.constants.push_back({.input = 1, .values = attributes.integer("axis")});
    return result;
}

ArrayTerm cumulateGradient(Operands p) {
    return apply("CumSum", p.d,
                 {{"axis", p.attributes.integer("axis")},
                  {"exclusive", p.attributes.boolean("exclusive")},
                  {"reverse", !p.attributes.boolean("reverse")}});
}

Result<std::vector<ArrayType>> topShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Numbers));
    const std::int64_t axis = in.attributes.integer("axis");
    const std::int64_t count = in.attributes.integer("k");
    MITOS_REQUIRE(checkAxes(in, std::array{axis}));
    ArrayType values = in.inputs[0];
    if (values.hasRank) {
        Dimension& size = values.dimensions[static_cast<std::size_t>(axis)];
        if (count < 0 || (size.isKnown() && count > size.size)) {
            return shapeError(fmt::format("TopK cannot take {} elements of {}", count, size.size));
        }
        size = Dimension::of(count);
    }
    ArrayType indices = values;
    indices.dtype = ir::Dtype::I64;
    return std::vector<ArrayType>{std::move(values), std::move(indices)};
}

/// Always sorted: ONNX leaves the order open if `sorted` is not set. Equal elements keep their order.
Result<std::vector<ArrayPtr>> top(const EvaluateInput& in) {
    std::shared_ptr<Array> values = blank(in.outputs[0]);
    std::shared_ptr<Array> indices = blank(in.outputs[1]);
    const std::array axis{in.attributes.integer("axis")};
    const Slices from(in.inputs[0]->shape, axis);
    const Slices to(values->shape, axis);
    const bool isLargest = in.attributes.boolean("largest");
    std::vector<double> slice;
    std::vector<std::size_t> order(from.size());
    std::vector<double> chosen(to.size());
    for (std::size_t i = 0; i < from.count(); ++i) {
        from.read(in.inputs[0]->elements, i, slice);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(
            order, [&](std::size_t a, std::size_t b) { return isLargest ? slice[a] > slice[b] : slice[a] < slice[b]; });
        std::transform(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(to.size()), chosen.begin(),
                       [&](std::size_t place) { return slice[place]; });
        to.write(chosen, i, values->elements);
        std::copy_n(order.begin(), to.size(), chosen.begin());
        to.write(chosen, i, indices->elements);
    }
    return std::vector<ArrayPtr>{std::move(values), std::move(indices)};
}

Result<Imported> importTop(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const std::optional<std::vector<std::int64_t>> given =
        hasInput(node, 1) ? context.integers(1)
                          : std::vector{integerOf(node, "k", -1)};  // an attribute before opset 10
    if (!given || given->size() != 1 || given->front() < 0) return notThisForm("the k of TopK is not a constant");
    MITOS_TRY(const ArrayType type, rankedInput(node, context, 0));
    MITOS_TRY(const std::int64_t axis, normalizedAxis(integerOf(node, "axis", -1), type.rank()));
    Attributes attributes(op);
    attributes.set("axis", axis)
        .set("k", given->front())
        .set("largest", integerOf(node, "largest", 1) != 0)
        .set("sorted", integerOf(node, "sorted", 1) != 0);
    return Imported{std::move(attributes), {0}};
}

Exported exportTop(const Attributes& attributes, std::span<const ArrayType>) {
    Exported result = exportPlainly(attributes);
    result.attributes.erase("k");
    result.constants.push_back({.input = 1, .values = std::vector{attributes.integer("k")}});
    return result;
}

std::vector<ir::TermId> topGradient(const GradientInput& in) {
    if (!in.isWanted[0]) return {ir::TermId()};
    return {in.make.node("ScatterElements", {zerosLike(in.make, in.inputs[0]), in.outputs[1], in.cotangents[0]},
                         {{"axis", in.attributes.integer("axis")}})};
}

void addReductions(std::vector<Operator>& table) {
    table.push_back(reduction<sum>("ReduceSum", "sum along axes"));
    table.back().onnx.exportNode = exportReduceSum;
    table.back().gradient.rule = reductionGradient<[](Operands p) { return p.d; }>;
    table.push_back(reduction<mean>("ReduceMean", "mean along axes"));
    table.back().gradient.rule = reductionGradient<meanGradientOf>;
    table.push_back(reduction<largest>("ReduceMax", "largest element along axes"));
    table.back().gradient.rule = reductionGradient<extremeGradient>;
    table.push_back(reduction<smallest>("ReduceMin", "smallest element along axes"));
    table.back().gradient.rule = reductionGradient<extremeGradient>;
    table.push_back(reduction<laneProduct>("ReduceProd", "product along axes"));
    table.back().gradient.rule = reductionGradient<productGradient>;
    table.push_back(reduction<absoluteSum>("ReduceL1", "sum of absolute values along axes"));
    table.back().gradient.rule = reductionGradient<[](Operands p) { return p.d * apply("Sign", p.a); }>;
    table.push_back(reduction<euclidean>("ReduceL2", "square root of the sum of squares along axes"));
    table.back().gradient.rule = reductionGradient<[](Operands p) {
        return where(apply("Equal", p.r, 0.0), 0.0, p.d * (p.a / p.r));  // the length of zeros has the slope 0
    }>;
    table.push_back(reduction<squareSum>("ReduceSumSquare", "sum of squares along axes"));
    table.back().gradient.rule = reductionGradient<[](Operands p) { return p.d * 2.0 * p.a; }>;
    table.push_back(reduction<logSum>("ReduceLogSum", "logarithm of the sum along axes"));
    table.back().gradient.rule = reductionGradient<[](Operands p) { return p.d * apply("Exp", -p.r); }>;
    table.push_back(reduction<logSumExp>("ReduceLogSumExp", "logarithm of the sum of e^x along axes"));
    table.back().gradient.rule = reductionGradient<[](Operands p) { return p.d * apply("Exp", p.a - p.r); }>;
    table.back().work = workPerElement<SeriesFlops + 1>;
}

}  // namespace

void addReduce(std::vector<Operator>& table) {
    addReductions(table);
    table.push_back(argOperator<largest>("ArgMax", "where the largest element is"));
    table.push_back(argOperator<smallest>("ArgMin", "where the smallest element is"));
    table.push_back({.name = "CumSum",
                     .doc = "sums up to each element",
                     .inputs = {{.name = "x"}},
                     .attributes = {integerAttribute("axis", {}, "the axis along which elements are added"),
                                    flagAttribute("exclusive", "false", "excludes the element itself"),
                                    flagAttribute("reverse", "false", "sums from the end")},
                     .shape = cumulateShape,
                     .evaluate = cumulate,
                     .onnx = {.import = importCumulate, .exportNode = exportCumulate},
                     .gradient = PointwiseGradient<cumulateGradient>});
    table.push_back({.name = "TopK",
                     .doc = "the k largest elements, and where they are",
                     .inputs = {{.name = "X"}},
                     .attributes = {integerAttribute("axis", {}, "the axis along which elements are compared"),
                                    integerAttribute("k", {}, "how many"),
                                    flagAttribute("largest", "true", "the largest, else the smallest"),
                                    flagAttribute("sorted", "true", "whether they are sorted")},
                     .shape = topShape,
                     .evaluate = top,
                     .work = workPerElement<SeriesFlops>,
                     .onnx = {.import = importTop, .exportNode = exportTop},
                     .gradient = {.rule = topGradient}});
}

}  // namespace mitos::tensor
