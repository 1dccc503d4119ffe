// SPDX-License-Identifier: GPL-3.0-or-later
// Multi-head attention in one operator, as in ONNX Runtime (domain com.microsoft), without past, with masks as numbers that are added.
#include "core/tensor/dimension.h"
#include "core/tensor/expand.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/gemm.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::TermId;

Result<std::vector<ArrayType>> attentionShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    const std::int64_t heads = in.attributes.integer("num_heads");
    if (heads < 1) return shapeError(fmt::format("MultiHeadAttention: {} is no number of heads", heads));
    const auto first = in.inputs.first(3);
    if (std::ranges::any_of(first, [](const ArrayType& type) { return !type.hasRank; }))
        return std::vector<ArrayType>{{.dtype = in.inputs[0].dtype, .hasRank = false}};
    for (const ArrayType& type : first) {
        if (type.rank() != 3) {
            return shapeError(
                fmt::format("MultiHeadAttention takes arrays [batch,length,width]; found rank {}", type.rank()));
        }
        if (type.dimensions[2].isKnown() && type.dimensions[2].size % heads != 0) {
            return shapeError(fmt::format("MultiHeadAttention: a width of {} is no multiple of {} heads",
                                          type.dimensions[2].size, heads));
        }
    }
    const auto& [q, k, v] = std::tie(first[0].dimensions, first[1].dimensions, first[2].dimensions);
    if (!mayBeEqual(q[0], k[0]) || !mayBeEqual(q[0], v[0]) || !mayBeEqual(q[2], k[2]) || !mayBeEqual(k[1], v[1])) {
        return shapeError("MultiHeadAttention: query, key and value do not fit together");
    }
    if (in.isPresent(4) && in.inputs[4].hasRank) {
        const std::vector<Dimension>& mask = in.inputs[4].dimensions;
        const auto isOneOr = [](Dimension size, Dimension wanted) {
            return size == Dimension::of(1) || mayBeEqual(size, wanted);
        };
        if (mask.size() != 4 || !isOneOr(mask[0], q[0]) || !isOneOr(mask[1], Dimension::of(heads)) ||
            !mayBeEqual(mask[2], q[1]) || !mayBeEqual(mask[3], k[1])) {
            return shapeError("MultiHeadAttention takes a mask [batch or 1,heads or 1,queries,keys]");
        }
    }
    if (in.isPresent(3) && in.inputs[3].hasRank) {
        const SizeExpression width = SizeExpression(q[2], in.symbols) * 2 + SizeExpression(v[2], in.symbols);
        if (in.inputs[3].rank() != 1 || !mayBeEqual(in.inputs[3].dimensions[0], width.dimension(in.symbols)))
            return shapeError(fmt::format("MultiHeadAttention takes a bias of {} numbers", width.text()));
    }
    return std::vector<ArrayType>{{.dtype = in.inputs[0].dtype, .dimensions = {q[0], q[1], v[2]}}};
}

/// The array with its part of the bias added to each row.
std::vector<double> biased(const Array& array, const Array* bias, std::int64_t from) {
    std::vector<double> elements = array.elements;
    if (bias == nullptr) return elements;
    const std::int64_t width = array.shape[2];
    for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] += bias->elements[static_cast<std::size_t>(from + static_cast<std::int64_t>(i) % width)];
    return elements;
}

void softmax(double* row, std::int64_t size) {
    const double largest = *std::max_element(row, row + size);
    double sum = 0.0;
    for (std::int64_t i = 0; i < size; ++i) sum += row[i] = std::exp(row[i] - largest);
    for (std::int64_t i = 0; i < size; ++i) row[i] /= sum;
}

Result<std::vector<ArrayPtr>> attentionEvaluate(const EvaluateInput& in) {
    const Array* const bias = in.inputs.size() > 3 ? in.inputs[3].get() : nullptr;
    const std::int64_t width = in.inputs[0]->shape[2];
    const std::int64_t valueWidth = in.inputs[2]->shape[2];
    const std::vector<double> query = biased(*in.inputs[0], bias, 0);
    const std::vector<double> key = biased(*in.inputs[1], bias, width);
    const std::vector<double> value = biased(*in.inputs[2], bias, 2 * width);
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const std::int64_t heads = in.attributes.integer("num_heads");
    const std::int64_t rows = in.inputs[0]->shape[1];
    const std::int64_t length = in.inputs[1]->shape[1];
    const std::int64_t size = width / heads;
    const double given = in.attributes.floating("scale");
    const double scale = given != 0.0 ? given : 1.0 / std::sqrt(static_cast<double>(size));
    const Array* const mask = in.inputs.size() > 4 ? in.inputs[4].get() : nullptr;
    std::vector<double> scores(static_cast<std::size_t>(rows * length));
    for (std::int64_t part = 0; part < result->shape[0] * heads; ++part) {
        const std::int64_t batch = part / heads;
        const std::int64_t head = part % heads;
        multiply(
            {.data = query.data() + batch * rows * width + head * size, .rows = rows, .columns = size, .stride = width},
            {.data = key.data() + batch * length * width + head * size,
             .rows = length,
             .columns = size,
             .stride = width,
             .isTransposed = true},
            scores.data(), length);
        const double* masked = nullptr;
        if (mask != nullptr) {
            const std::int64_t first = mask->shape[0] == 1 ? 0 : batch;
            masked =
                mask->elements.data() + (first * mask->shape[1] + (mask->shape[1] == 1 ? 0 : head)) * rows * length;
        }
        for (std::int64_t row = 0; row < rows && length > 0; ++row) {
            double* const line = scores.data() + row * length;
            for (std::int64_t i = 0; i < length; ++i) {
                const bool isHidden = in.attributes.boolean("unidirectional") && i > row + length - rows;
                const double added = masked != nullptr ? masked[row * length + i] : 0.0;
                line[i] = isHidden ? -HUGE_VAL : line[i] * scale + added;
            }
            softmax(line, length);
        }
        const std::int64_t valueSize = valueWidth / heads;
        multiply({.data = scores.data(), .rows = rows, .columns = length, .stride = length},
                 {.data = value.data() + batch * length * valueWidth + head * valueSize,
                  .rows = length,
                  .columns = valueSize,
                  .stride = valueWidth},
                 result->elements.data() + batch * rows * valueWidth + head * valueSize, valueWidth);
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

/// The work of two products, and of five operations for each element of a softmax and its scaling.
Work attentionWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    if (in.inputs[1].rank() != 3) return work;
    const Dimension length = in.inputs[1].dimensions[1];
    const double keys = static_cast<double>(length.isKnown() ? length.size : 1);
    const double rows = elements({.dimensions = {in.inputs[0].dimensions.begin(), in.inputs[0].dimensions.end() - 1}});
    work.flops = 2.0 * keys * (elements(in.inputs[0]) + elements(outputs[0])) +
                 5.0 * rows * keys * static_cast<double>(in.attributes.integer("num_heads"));
    if (in.isPresent(3)) work.flops += elements(in.inputs[0]) + elements(in.inputs[1]) + elements(in.inputs[2]);
    return work;
}

/// Batch and length as the beginning of Reshape's attribute. A single name becomes -1 (the rest), two become 0 (copied).
Shape lengths(const ArrayType& type) {
    const std::span<const Dimension> front = std::span(type.dimensions).first(2);
    const auto names = std::ranges::count_if(front, [](Dimension size) { return !size.isKnown(); });
    Shape shape;
    for (const Dimension size : front) shape.push_back(size.isKnown() ? size.size : names == 1 ? -1 : 0);
    return shape;
}

/// Splits the width into heads and moves the heads before the positions.
TermId heads(TermMaker& make, TermId x, std::int64_t count, const Shape& order) {
    const ArrayType type = make.type(x);
    if (!type.hasRank) {
        make.fail(shapeError("the ranks of its inputs are unknown"));
        return {};
    }
    const std::int64_t width = make.known(type.dimensions[2], "a width");
    Shape shape = lengths(type);
    shape.push_back(count);
    shape.push_back(width / count);
    return make.node("Transpose", {make.node("Reshape", {x}, {{"shape", shape}})}, {{"perm", order}});
}

Result<TermId> expandAttention(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                               Symbol hint) {
    TermMaker make(bank, hint);
    const auto isThere = [&](std::size_t i) { return i < inputs.size() && bank.types().isArray(bank.type(inputs[i])); };
    const std::int64_t count = attributes.integer("num_heads");
    std::array<TermId, 3> parts{inputs[0], inputs[1], inputs[2]};
    const ArrayType query = make.type(parts[0]);
    const ArrayType value = make.type(parts[2]);
    if (!query.hasRank || !value.hasRank) return shapeError("the ranks of its inputs are unknown");
    const std::int64_t width = make.known(query.dimensions[2], "a width");
    const std::int64_t valueWidth = make.known(value.dimensions[2], "a width");
    if (isThere(3)) {
        const TermId biases =
            make.node("Split", {inputs[3]}, {{"axis", std::int64_t{0}}, {"sizes", Shape{width, width, valueWidth}}});
        for (std::uint32_t i = 0; i < 3; ++i) parts[i] = make.node("Add", {parts[i], make.output(biases, i)});
    }
    if (make.failed()) return make.take({});
    const TermId q = heads(make, parts[0], count, {0, 2, 1, 3});
    const TermId k = heads(make, parts[1], count, {0, 2, 3, 1});
    const TermId v = heads(make, parts[2], count, {0, 2, 1, 3});
    const double given = attributes.floating("scale");
    const std::int64_t headSize = width / count;
    const double scale = given != 0.0 ? given : 1.0 / std::sqrt(static_cast<double>(headSize));
    TermId scores = make.node("Mul", {make.node("MatMul", {q, k}), make.scalar(scale, parts[0])});
    if (isThere(4)) scores = make.node("Add", {scores, inputs[4]});
    if (attributes.boolean("unidirectional")) {
        // Positions after a row's own get a number whose exponential is 0.
        constexpr double Hidden = -1e30;
        const std::int64_t rows = make.known(query.dimensions[1], "the number of queries");
        const std::int64_t length = make.known(make.type(parts[1]).dimensions[1], "the number of keys");
        if (rows > length)
            return shapeError("there are more queries than keys, but each query uses only keys that are not after it");
        const TermId mask = make.node("Trilu", {make.constant(Hidden, {rows, length}, parts[0])},
                                      {{"upper", true}, {"k", length - rows + 1}});
        scores = make.node("Add", {scores, mask});
    }
    const TermId mixed = make.node("MatMul", {make.node("Softmax", {scores}, {{"axis", std::int64_t{3}}}), v});
    const TermId back = make.node("Transpose", {mixed}, {{"perm", Shape{0, 2, 1, 3}}});
    Shape shape = lengths(query);
    shape.push_back(valueWidth);
    return make.take(make.node("Reshape", {back}, {{"shape", shape}}));
}

/// Imports nodes without the mask of a padded batch and without a past.
Result<Imported> importAttention(const Operator& op, const OnnxNode& node, const OnnxContext& /*context*/) {
    if (hasInput(node, 4)) return notThisForm("MultiHeadAttention with a padding mask is not supported");
    MITOS_TRY(Imported imported, importPlainly(op, node));
    imported.inputs = firstInputs(node, 4);
    if (hasInput(node, 6) || hasInput(node, 7)) return notThisForm("MultiHeadAttention with a past is not supported");
    if (!hasInput(node, 5)) return imported;
    imported.inputs.resize(4, -1);
    imported.inputs.push_back(5);
    return imported;
}

Exported exportAttention(const Attributes& attributes, std::span<const ArrayType> inputs) {
    Exported result = exportPlainly(attributes);
    if (inputs.size() > 4) result.constants.push_back({.input = 4, .values = std::string()});
    return result;
}

}  // namespace

void addAttention(std::vector<Operator>& table) {
    table.push_back({.name = "MultiHeadAttention",
                     .doc = "softmax(scale query key^T) value, for each head on its part of the width",
                     .inputs = {{.name = "query"},
                                {.name = "key"},
                                {.name = "value"},
                                {.name = "bias", .kind = InputInfo::Kind::Optional},
                                {.name = "attention_bias", .kind = InputInfo::Kind::Optional}},
                     .attributes = {{.name = "num_heads", .kind = AttributeKind::Integer},
                                    {.name = "scale",
                                     .kind = AttributeKind::Float,
                                     .defaultText = "0.0",
                                     .doc = "factor of the scores; 0: 1 / sqrt(width of a head)"},
                                    {.name = "unidirectional",
                                     .kind = AttributeKind::Boolean,
                                     .defaultText = "false",
                                     .doc = "whether a query uses only the keys that are not after it"}},
                     .shape = attentionShape,
                     .evaluate = attentionEvaluate,
                     .work = attentionWork,
                     .onnx = {.domain = "com.microsoft", .import = importAttention, .exportNode = exportAttention},
                     .expand = expandAttention});
}

}  // namespace mitos::tensor
