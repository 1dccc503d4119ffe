// SPDX-License-Identifier: GPL-3.0-or-later
// Multi-head attention in one operator, as ONNX Runtime has it (domain com.microsoft): no masks, no past.
#include "core/tensor/dimension.h"
#include "core/tensor/gemm.h"
#include "core/tensor/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::tensor {

namespace {

using ir::Dimension;

Result<std::vector<ArrayType>> attentionShape(const ShapeInput& in) {
    if (Status status = sameDtype(in); !status) return std::move(status).error();
    const std::int64_t heads = in.attributes.integer("num_heads");
    if (heads < 1) return shapeError(fmt::format("MultiHeadAttention: {} is no number of heads", heads));
    const auto first = in.inputs.first(3);
    if (std::any_of(first.begin(), first.end(), [](const ArrayType& type) { return !type.hasRank; }))
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
    if (in.isPresent(3) && in.inputs[3].hasRank) {
        const SizeExpression width = SizeExpression(q[2], in.symbols) * 2 + SizeExpression(v[2], in.symbols);
        if (in.inputs[3].rank() != 1 || !mayBeEqual(in.inputs[3].dimensions[0], width.dimension(in.symbols)))
            return shapeError(fmt::format("MultiHeadAttention takes a bias of {} numbers", width.text()));
    }
    return std::vector<ArrayType>{{.dtype = in.inputs[0].dtype, .dimensions = {q[0], q[1], v[2]}}};
}

/// With its part of the bias added to each row.
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
    auto result = std::make_shared<Array>();
    result->dtype = in.inputs[0]->dtype;
    result->shape = in.outputs[0].shape();
    result->elements.resize(static_cast<std::size_t>(elementCount(result->shape)));
    const std::int64_t heads = in.attributes.integer("num_heads");
    const std::int64_t rows = in.inputs[0]->shape[1];
    const std::int64_t length = in.inputs[1]->shape[1];
    const std::int64_t size = width / heads;
    const double given = in.attributes.floating("scale");
    const double scale = given != 0.0 ? given : 1.0 / std::sqrt(static_cast<double>(size));
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
        for (std::int64_t row = 0; row < rows && length > 0; ++row) {
            double* const line = scores.data() + row * length;
            for (std::int64_t i = 0; i < length; ++i) {
                const bool isHidden = in.attributes.boolean("unidirectional") && i > row + length - rows;
                line[i] = isHidden ? -HUGE_VAL : line[i] * scale;
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

/// Two products, and five operations for each element of a softmax and its scaling.
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

}  // namespace

void addAttention(std::vector<Operator>& table) {
    table.push_back({.name = "MultiHeadAttention",
                     .doc = "softmax(scale query key^T) value, for each head on its part of the width",
                     .inputs = {{.name = "query"},
                                {.name = "key"},
                                {.name = "value"},
                                {.name = "bias", .kind = InputInfo::Kind::Optional}},
                     .attributes = {{.name = "num_heads", .kind = AttributeKind::Integer},
                                    {.name = "scale",
                                     .kind = AttributeKind::Float,
                                     .defaultText = "0.0",
                                     .doc = "0: one by the square root of a head's width"},
                                    {.name = "unidirectional",
                                     .kind = AttributeKind::Boolean,
                                     .defaultText = "false",
                                     .doc = "whether a row sees only what is not behind it"}},
                     .shape = attentionShape,
                     .evaluate = attentionEvaluate,
                     .work = attentionWork,
                     .onnx = {.domain = "com.microsoft"}});
}

}  // namespace mitos::tensor
