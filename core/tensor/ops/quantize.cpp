// SPDX-License-Identifier: GPL-3.0-or-later
// Conversions between floating-point numbers and Integers that represent them, x = (q - zero point) * scale; and products and
// convolutions of such Integers, which use the entries of MatMul and Conv.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/convolution.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::Dtype;

/// The least and the largest Integer that represents a number.
std::pair<double, double> rangeOf(Dtype dtype) {
    return dtype == Dtype::U8 ? std::pair(0.0, 255.0) : std::pair(-128.0, 127.0);
}

bool isQuantized(Dtype dtype) { return dtype == Dtype::U8 || dtype == Dtype::I8; }

/// Fails unless an input has one number, or one for each place along an axis of that size; `places` names these in the message.
Status checkAlong(const ShapeInput& in, std::size_t input, std::optional<Dimension> size, const std::string& places) {
    if (!in.isPresent(input) || !in.inputs[input].hasRank || in.inputs[input].rank() == 0) return Success{};
    const ArrayType& numbers = in.inputs[input];
    if (numbers.rank() == 1 && numbers.dimensions[0] == Dimension::of(1)) return Success{};
    if (numbers.rank() == 1 && size && mayBeEqual(numbers.dimensions[0], *size)) return Success{};
    return shapeError(fmt::format("{}: {} has one number for all{}", in.op.name, in.op.inputs[input].name,
                                  size ? fmt::format(", or one for each {}", places) : ""));
}

/// Fails unless there is one scale for all elements, or one for each position along the axis.
Status checkScale(const ShapeInput& in, std::size_t input) {
    if (!in.isPresent(input) || !in.inputs[0].hasRank || !in.inputs[input].hasRank) return Success{};
    if (checkAlong(in, input, std::nullopt, {})) return Success{};
    const std::int64_t axis = in.attributes.integer("axis");
    MITOS_REQUIRE(checkAxis(in, axis, in.inputs[0].rank()));
    return checkAlong(in, input, in.inputs[0].dimensions[static_cast<std::size_t>(axis)],
                      fmt::format("place along axis {}", axis));
}

Result<std::vector<ArrayType>> quantizeShape(const ShapeInput& in) {
    const Dtype to = in.isPresent(2) ? in.inputs[2].dtype : Dtype::U8;
    if (to != Dtype::Unknown && !isQuantized(to))
        return shapeError(fmt::format("{} makes u8 or i8, not {}", in.op.name, ir::dtypeName(to)));
    for (const std::size_t input : {1U, 2U}) MITOS_REQUIRE(checkScale(in, input));
    ArrayType result = in.inputs[0];
    result.dtype = to;
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayType>> dequantizeShape(const ShapeInput& in) {
    const Dtype from = in.inputs[0].dtype;
    if (!isQuantized(from) && from != Dtype::I32 && from != Dtype::Unknown)
        return shapeError(fmt::format("{} takes u8, i8 or i32; found {}", in.op.name, ir::dtypeName(from)));
    if (in.isPresent(2) && in.inputs[2].dtype != from)
        return shapeError(fmt::format("{}: x and its zero point are of two types", in.op.name));
    for (const std::size_t input : {1U, 2U}) MITOS_REQUIRE(checkScale(in, input));
    ArrayType result = in.inputs[0];
    result.dtype = in.inputs[1].dtype;
    return std::vector<ArrayType>{std::move(result)};
}

/// One number for all elements of an array, or one for each place along an axis.
class Along {
public:
    /// `otherwise` for all if there are no numbers.
    Along(const Array* numbers, const Shape& shape, std::size_t axis, double otherwise = 0.0)
        : m_numbers(numbers),
          m_otherwise(otherwise) {
        if (numbers == nullptr || numbers->elements.size() <= 1 || axis >= shape.size()) return;
        m_behind = elementCount(std::span(shape).subspan(axis + 1));
        m_size = shape[axis];
    }
    [[nodiscard]] double of(std::size_t element) const {
        if (m_numbers == nullptr) return m_otherwise;
        return m_numbers->elements[static_cast<std::size_t>(static_cast<std::int64_t>(element) / m_behind % m_size)];
    }

private:
    const Array* m_numbers;
    double m_otherwise;
    std::int64_t m_behind = 1;
    std::int64_t m_size = 1;
};

const Array* inputOf(const EvaluateInput& in, std::size_t input) {
    return input < in.inputs.size() ? in.inputs[input].get() : nullptr;
}

/// Calls f(element, scale, zero point) for every element.
template <typename Function>
Result<std::vector<ArrayPtr>> mapScaled(const EvaluateInput& in, Function function) {
    const Array& x = *in.inputs[0];
    const std::shared_ptr<Array> result = blank(in.outputs[0]);
    const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
    const Along scale(inputOf(in, 1), x.shape, axis);
    const Along zero(inputOf(in, 2), x.shape, axis);
    for (std::size_t i = 0; i < x.elements.size(); ++i) {
        result->elements[i] = function(x.elements[i], scale.of(i), zero.of(i));
    }
    return std::vector<ArrayPtr>{result};
}

/// The Integer that represents a multiple of the scale, rounded to the nearest, with halves rounded to even. It is computed in 32 bits
/// as in the standard: near a half, the rounding of the multiple decides.
double represented(float multiple, double zero, Dtype to) {
    const auto [least, largest] = rangeOf(to);
    const double q = std::nearbyint(multiple) + zero;
    return std::isnan(q) ? 0.0 : std::clamp(q, least, largest);
}

double quantized(double x, double scale, double zero, Dtype to) {
    return represented(static_cast<float>(x) / static_cast<float>(scale), zero, to);
}

Result<std::vector<ArrayPtr>> quantize(const EvaluateInput& in) {
    const Dtype to = in.outputs[0].dtype;
    return mapScaled(in, [to](double x, double scale, double zero) { return quantized(x, scale, zero, to); });
}

Result<std::vector<ArrayPtr>> dequantize(const EvaluateInput& in) {
    return mapScaled(in, [](double q, double scale, double zero) { return (q - zero) * scale; });
}

Result<std::vector<ArrayType>> dynamicQuantizeShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    std::vector<ArrayType> types(3, in.inputs[0]);
    types[0].dtype = Dtype::U8;
    types[1] = {.dtype = in.inputs[0].dtype};
    types[2] = {.dtype = Dtype::U8};
    return types;
}

/// Maps the range of all elements and 0 to that of u8.
Result<std::vector<ArrayPtr>> dynamicQuantize(const EvaluateInput& in) {
    double least = 0.0;
    double largest = 0.0;
    for (const double x : in.inputs[0]->elements) {
        least = std::min(least, x);
        largest = std::max(largest, x);
    }
    const double scale = largest > least ? static_cast<float>((largest - least) / 255.0) : 1.0;
    const double zero = std::clamp(std::nearbyint(-least / scale), 0.0, 255.0);
    std::vector<std::shared_ptr<Array>> results;
    for (const ArrayType& type : in.outputs) results.push_back(blank(type));
    for (std::size_t i = 0; i < in.inputs[0]->elements.size(); ++i)
        results[0]->elements[i] = quantized(in.inputs[0]->elements[i], scale, zero, Dtype::U8);
    results[1]->elements[0] = scale;
    results[2]->elements[0] = zero;
    return std::vector<ArrayPtr>(results.begin(), results.end());
}

/// With one scale the axis has no effect; else it counts from 0.
Result<Imported> importScaled(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    Attributes attributes(op);
    MITOS_TRY(const ArrayType scale, rankedInput(node, context, 1));
    const bool isOne = scale.rank() == 0 || (scale.rank() == 1 && scale.dimensions[0] == Dimension::of(1));
    if (!isOne) {
        MITOS_TRY(const ArrayType x, rankedInput(node, context, 0));
        MITOS_TRY(const std::int64_t axis, normalizedAxis(integerOf(node, "axis", 1), x.rank()));
        attributes.set("axis", axis);
    }
    return Imported{.attributes = std::move(attributes), .inputs = firstInputs(node, 3)};
}

// --- products and convolutions ----------------------------------------------------------------------------------------

/// Places among the inputs of an operator on Integers: those with scales have more of them.
template <bool HasScales>
struct Places {
    static constexpr std::size_t XZero = 2;
    static constexpr std::size_t W = HasScales ? 3 : 1;
    static constexpr std::size_t WZero = HasScales ? 5 : 3;
    static constexpr std::size_t XScale = 1;
    static constexpr std::size_t WScale = 4;
    static constexpr std::size_t YScale = 6;
    static constexpr std::size_t YZero = 7;
    static constexpr std::size_t Bias = 8;
};

/// The operator on numbers that one on Integers extends.
template <bool IsConv>
const Operator& plainOperator() {
    return *findOperator(IsConv ? "Conv" : "MatMul");
}

/// The axis of X along which there may be a zero point and scale for each place: the rows of matrices; nullopt if there is none.
template <bool IsConv>
std::optional<std::size_t> axisOfX(std::size_t rank) {
    return IsConv || rank < 2 ? std::nullopt : std::optional(rank - 2);
}
/// The same for W: the filters of a convolution, the columns of matrices.
template <bool IsConv>
std::optional<std::size_t> axisOfW(std::size_t rank) {
    if (IsConv) return 0;
    return rank < 2 ? std::nullopt : std::optional(rank - 1);
}

/// Fails unless an operand and its zero point are of the same type, u8 or i8.
Status checkOperand(const ShapeInput& in, std::size_t operand, std::size_t zero) {
    const Dtype dtype = in.inputs[operand].dtype;
    if (dtype == Dtype::Unknown) return Success{};
    if (!isQuantized(dtype)) {
        return shapeError(fmt::format("{} takes u8 or i8 as {}; found {}", in.op.name, in.op.inputs[operand].name,
                                      ir::dtypeName(dtype)));
    }
    if (!in.isPresent(zero) || in.inputs[zero].dtype == dtype || in.inputs[zero].dtype == Dtype::Unknown)
        return Success{};
    return shapeError(
        fmt::format("{}: {} and its zero point are of two types", in.op.name, in.op.inputs[operand].name));
}

template <bool IsConv>
Status checkScales(const ShapeInput& in, std::optional<Dimension> ofX, std::optional<Dimension> ofW,
                   const std::string& filters) {
    using Scaled = Places<true>;
    for (const std::size_t scale : {Scaled::XScale, Scaled::WScale, Scaled::YScale}) {
        const Dtype dtype = in.inputs[scale].dtype;
        if (dtype == Dtype::F32 || dtype == Dtype::Unknown) continue;
        return shapeError(fmt::format("{} takes scales of f32; found {}", in.op.name, ir::dtypeName(dtype)));
    }
    MITOS_REQUIRE(checkOperand(in, Scaled::YZero, Scaled::YZero));
    MITOS_REQUIRE(checkAlong(in, Scaled::XScale, ofX, "row"));
    MITOS_REQUIRE(checkAlong(in, Scaled::WScale, ofW, filters));
    for (const std::size_t input : {Scaled::YScale, Scaled::YZero}) {
        MITOS_REQUIRE(checkAlong(in, input, std::nullopt, {}));
    }
    if (!in.isPresent(Scaled::Bias)) return Success{};
    const Dtype bias = in.inputs[Scaled::Bias].dtype;
    if (bias == Dtype::I32 || bias == Dtype::Unknown) return Success{};
    return shapeError(fmt::format("{} takes a bias of i32; found {}", in.op.name, ir::dtypeName(bias)));
}

template <bool IsConv, bool HasScales>
Result<std::vector<ArrayType>> integerProductShape(const ShapeInput& in) {
    using Place = Places<HasScales>;
    const ArrayType& x = in.inputs[0];
    const ArrayType& w = in.inputs[Place::W];
    MITOS_REQUIRE(checkOperand(in, 0, Place::XZero));
    MITOS_REQUIRE(checkOperand(in, Place::W, Place::WZero));
    // The sizes are those of the operator on numbers.
    std::vector<ArrayType> operands{x, w};
    if (HasScales && in.isPresent(Place::Bias)) operands.push_back(in.inputs[Place::Bias]);
    for (ArrayType& operand : operands) operand.dtype = Dtype::F32;
    MITOS_TRY(std::vector<ArrayType> outputs,
              plainOperator<IsConv>().shape({in.op, in.attributes, operands, in.symbols}));
    outputs[0].dtype = HasScales ? in.inputs[Place::YZero].dtype : Dtype::I32;
    if (!x.hasRank || !w.hasRank) return outputs;
    const auto along = [](const ArrayType& type, std::optional<std::size_t> axis) {
        return axis ? std::optional(type.dimensions[*axis]) : std::nullopt;
    };
    const std::optional<Dimension> ofX = along(x, axisOfX<IsConv>(x.rank()));
    const std::optional<Dimension> ofW = along(w, axisOfW<IsConv>(w.rank()));
    const std::string filters = IsConv ? "filter" : "column";
    MITOS_REQUIRE(checkAlong(in, Place::XZero, ofX, "row"));
    MITOS_REQUIRE(checkAlong(in, Place::WZero, ofW, filters));
    if (HasScales) MITOS_REQUIRE(checkScales<IsConv>(in, ofX, ofW, filters));
    return outputs;
}

/// The array less its zero points.
ArrayPtr centred(const Array& x, const Array* zeros, std::optional<std::size_t> axis) {
    auto result = std::make_shared<Array>(x);
    const Along zero(zeros, x.shape, axis.value_or(0));
    for (std::size_t i = 0; i < x.elements.size(); ++i) result->elements[i] -= zero.of(i);
    return result;
}

template <bool IsConv, bool HasScales>
Result<std::vector<ArrayPtr>> integerProduct(const EvaluateInput& in) {
    using Place = Places<HasScales>;
    const Array& x = *in.inputs[0];
    const Array& w = *in.inputs[Place::W];
    std::vector<ArrayPtr> operands{centred(x, inputOf(in, Place::XZero), axisOfX<IsConv>(x.shape.size())),
                                   centred(w, inputOf(in, Place::WZero), axisOfW<IsConv>(w.shape.size()))};
    if (HasScales && inputOf(in, Place::Bias) != nullptr) operands.push_back(in.inputs[Place::Bias]);
    // Sums of fewer than 2^37 products of two such Integers are exact.
    std::vector<ArrayType> sums(in.outputs.begin(), in.outputs.end());
    sums[0].dtype = Dtype::F64;
    MITOS_TRY(const std::vector<ArrayPtr> made,
              plainOperator<IsConv>().evaluate({in.attributes, operands, sums, in.maxElements}));
    const std::shared_ptr<Array> result = blank(in.outputs[0]);
    for (std::size_t i = 0; i < result->elements.size(); ++i) {
        result->elements[i] = held(Dtype::I32, made[0]->elements[i]);
    }
    if (!HasScales) return std::vector<ArrayPtr>{result};
    // Rows and columns of a result that vectors make are its only axis.
    const std::size_t rank = result->shape.size();
    const bool hasColumns = IsConv || w.shape.size() > 1;
    const Along xScale(inputOf(in, Place::XScale), result->shape,
                       rank - std::min<std::size_t>(rank, hasColumns ? 2 : 1));
    const Along wScale(inputOf(in, Place::WScale), result->shape, IsConv ? 1 : rank - std::min<std::size_t>(rank, 1));
    const auto yScale = static_cast<float>(in.inputs[Place::YScale]->elements.front());
    const double yZero = in.inputs[Place::YZero]->elements.front();
    for (std::size_t i = 0; i < result->elements.size(); ++i) {
        const float factor = static_cast<float>(xScale.of(i)) * static_cast<float>(wScale.of(i)) / yScale;
        result->elements[i] = represented(static_cast<float>(result->elements[i]) * factor, yZero, in.outputs[0].dtype);
    }
    return std::vector<ArrayPtr>{result};
}

template <bool IsConv, bool HasScales>
Work integerProductWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const std::array operands{in.inputs[0], in.inputs[Places<HasScales>::W]};
    work.flops = plainOperator<IsConv>().work({in.op, in.attributes, operands, in.symbols}, outputs).flops;
    if (HasScales) work.flops += (in.isPresent(Places<HasScales>::Bias) ? 4.0 : 3.0) * elements(outputs[0]);
    return work;
}

template <bool HasScales>
Result<Imported> importIntegerConv(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(Imported imported, importConvolution(op, node, context, Places<HasScales>::W));
    imported.inputs = firstInputs(node, op.inputs.size());
    return imported;
}

template <bool HasScales>
Exported exportIntegerConv(const Attributes& attributes, std::span<const ArrayType> inputs) {
    return exportConvolution(attributes, inputs[Places<HasScales>::W]);
}

/// x, w and the result with their scales and zero points.
std::vector<InputInfo> scaledInputs(const std::string& x, const std::string& w) {
    std::vector<InputInfo> inputs;
    for (const std::string& name : {x, w, std::string("y")}) {
        if (name != "y") inputs.push_back({.name = name});
        inputs.push_back({.name = name + "_scale"});
        inputs.push_back({.name = name + "_zero_point"});
    }
    return inputs;
}

void addIntegerProducts(std::vector<Operator>& table) {
    const std::vector<AttributeInfo> window = std::ranges::find(table, "Conv", &Operator::name)->attributes;
    table.push_back({.name = "MatMulInteger",
                     .doc = "matrix product of Integers of 8 bits less their zero points, in 32 bits",
                     .inputs = {{.name = "A"},
                                {.name = "B"},
                                {.name = "a_zero_point", .kind = InputInfo::Kind::Optional},
                                {.name = "b_zero_point", .kind = InputInfo::Kind::Optional}},
                     .shape = integerProductShape<false, false>,
                     .evaluate = integerProduct<false, false>,
                     .work = integerProductWork<false, false>});
    table.push_back({.name = "ConvInteger",
                     .doc = "convolution of Integers of 8 bits less their zero points, in 32 bits",
                     .inputs = {{.name = "x"},
                                {.name = "w"},
                                {.name = "x_zero_point", .kind = InputInfo::Kind::Optional},
                                {.name = "w_zero_point", .kind = InputInfo::Kind::Optional}},
                     .attributes = window,
                     .shape = integerProductShape<true, false>,
                     .evaluate = integerProduct<true, false>,
                     .work = integerProductWork<true, false>,
                     .onnx = {.import = importIntegerConv<false>, .exportNode = exportIntegerConv<false>}});
    table.push_back({.name = "QLinearMatMul",
                     .doc = "matrix product of the numbers that Integers of 8 bits stand for, as such an Integer",
                     .inputs = scaledInputs("a", "b"),
                     .shape = integerProductShape<false, true>,
                     .evaluate = integerProduct<false, true>,
                     .work = integerProductWork<false, true>});
    Operator conv{.name = "QLinearConv",
                  .doc =
                      "convolution of the numbers that Integers of 8 bits stand for, plus a bias of type i32 with the "
                      "product of their scales, as such an Integer",
                  .inputs = scaledInputs("x", "w"),
                  .attributes = window,
                  .shape = integerProductShape<true, true>,
                  .evaluate = integerProduct<true, true>,
                  .work = integerProductWork<true, true>,
                  .onnx = {.import = importIntegerConv<true>, .exportNode = exportIntegerConv<true>}};
    conv.inputs.push_back({.name = "B", .kind = InputInfo::Kind::Optional});
    table.push_back(std::move(conv));
}

}  // namespace

void addQuantization(std::vector<Operator>& table) {
    const AttributeInfo axis = integerAttribute("axis", "1", "of the scales, where there are several");
    table.push_back({.name = "QuantizeLinear",
                     .doc = "the Integers of 8 bits that stand for numbers",
                     .inputs = {{.name = "x"}, {.name = "y_scale"}, {"y_zero_point", InputInfo::Kind::Optional}},
                     .attributes = {axis},
                     .shape = quantizeShape,
                     .evaluate = quantize,
                     .work = workPerElement<3>,
                     .onnx = {.import = importScaled}});
    table.push_back({.name = "DequantizeLinear",
                     .doc = "the numbers that Integers of 8 bits stand for",
                     .inputs = {{.name = "x"}, {.name = "x_scale"}, {"x_zero_point", InputInfo::Kind::Optional}},
                     .attributes = {axis},
                     .shape = dequantizeShape,
                     .evaluate = dequantize,
                     .work = workPerElement<2>,
                     .onnx = {.import = importScaled}});
    table.push_back({.name = "DynamicQuantizeLinear",
                     .doc = "Integers of 8 bits for the range of the input's numbers, with scale and zero point",
                     .inputs = {{.name = "x"}},
                     .shape = dynamicQuantizeShape,
                     .evaluate = dynamicQuantize,
                     .work = workPerElement<5>});
    addIntegerProducts(table);
}

}  // namespace mitos::tensor
