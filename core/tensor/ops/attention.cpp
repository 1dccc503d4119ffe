// SPDX-License-Identifier: GPL-3.0-or-later
// Multi-head attention in one operator, without past: as in ONNX Runtime (domain com.microsoft), with masks as numbers that are
// added, and as in ONNX since opset 23.
#include "core/tensor/dimension.h"
#include "core/tensor/expand.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/internal/gemm.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::TermId;

// --- MultiHeadAttention: the type -------------------------------------------------------------------------------------

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

// --- the computation --------------------------------------------------------------------------------------------------

/// How the heads of an array [batch,length,width] or [batch,heads,length,size] lie in memory.
struct HeadLayout {
    std::int64_t heads = 1;
    std::int64_t length = 0;
    std::int64_t size = 0;
    std::int64_t batchStep = 0;
    std::int64_t headStep = 0;
    std::int64_t rowStep = 0;
};

HeadLayout layoutOf(const Shape& shape, std::int64_t heads) {
    if (shape.size() == 4)
        return {shape[1], shape[2], shape[3], shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3]};
    const std::int64_t size = shape[2] / heads;
    return {heads, shape[1], size, shape[1] * shape[2], size, shape[2]};
}

struct HeadArray {
    const double* data = nullptr;
    HeadLayout layout;

    [[nodiscard]] MatrixView head(std::int64_t batch, std::int64_t head, bool isTransposed = false) const {
        return {.data = data + batch * layout.batchStep + head * layout.headStep,
                .rows = layout.length,
                .columns = layout.size,
                .stride = layout.rowStep,
                .isTransposed = isTransposed};
    }
};

/// The elements of a mask that broadcasts to [batch,heads,rows,keys].
class Mask {
public:
    explicit Mask(const Array* mask) : m_mask(mask) {
        if (mask == nullptr) return;
        std::int64_t step = 1;
        for (std::size_t axis = mask->shape.size(); axis-- > 0;) {
            const std::int64_t size = mask->shape[axis];
            m_steps[m_steps.size() - mask->shape.size() + axis] = size == 1 ? 0 : step;
            step *= size;
        }
    }
    /// `otherwise` if there is no mask.
    [[nodiscard]] double element(const std::array<std::int64_t, 4>& place, double otherwise) const {
        if (m_mask == nullptr) return otherwise;
        std::int64_t at = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis) at += place[axis] * m_steps[axis];
        return m_mask->elements[static_cast<std::size_t>(at)];
    }

private:
    const Array* m_mask;
    std::array<std::int64_t, 4> m_steps{};
};

/// A row of which every element is hidden, -infinity, becomes 0.
void softmax(double* row, std::int64_t size) {
    const double largest = *std::max_element(row, row + size);
    if (largest == -HUGE_VAL) {
        std::fill(row, row + size, 0.0);
        return;
    }
    double sum = 0.0;
    for (std::int64_t i = 0; i < size; ++i) sum += row[i] = std::exp(row[i] - largest);
    for (std::int64_t i = 0; i < size; ++i) row[i] /= sum;
}

/// Writes softmax(scores) value to the heads of `result`, whose elements are `to`. Several heads of the query may have one of the key and the
/// value. score(place, product) makes the score of a place [batch,head,row,key] from the product of query and key.
template <typename Score>
void attend(const HeadArray& query, const HeadArray& key, const HeadArray& value, std::int64_t batches,
            const HeadLayout& result, double* to, Score score) {
    const std::int64_t rows = query.layout.length;
    const std::int64_t length = key.layout.length;
    const std::int64_t group = query.layout.heads / key.layout.heads;
    std::vector<double> scores(static_cast<std::size_t>(rows * length));
    for (std::int64_t part = 0; part < batches * query.layout.heads; ++part) {
        const std::int64_t batch = part / query.layout.heads;
        const std::int64_t head = part % query.layout.heads;
        multiply(query.head(batch, head), key.head(batch, head / group, true), scores.data(), length);
        for (std::int64_t row = 0; row < rows && length > 0; ++row) {
            double* const line = scores.data() + row * length;
            for (std::int64_t i = 0; i < length; ++i) line[i] = score(std::array{batch, head, row, i}, line[i]);
            softmax(line, length);
        }
        multiply({.data = scores.data(), .rows = rows, .columns = length, .stride = length},
                 value.head(batch, head / group), to + batch * result.batchStep + head * result.headStep,
                 result.rowStep);
    }
}

/// 1 / sqrt(width of a head) if no scale is given.
double scaleOf(const Attributes& attributes, std::int64_t headSize) {
    const double given = attributes.floating("scale");
    return given != 0.0 ? given : 1.0 / std::sqrt(static_cast<double>(headSize));
}

/// The work of two products, and of five operations for each score: its scaling and the softmax.
double attentionFlops(const ShapeInput& in, std::span<const ArrayType> outputs, double keys, double scores) {
    return 2.0 * keys * (elements(in.inputs[0]) + elements(outputs[0])) + 5.0 * scores;
}

/// The same elements with other sizes. Those that are names are the same as before along that axis, or one follows from the others.
TermId reshaped(TermMaker& make, TermId x, const std::vector<Dimension>& sizes) {
    if (make.failed()) return {};
    const std::vector<Dimension> from = make.type(x).dimensions;
    const auto names = std::ranges::count_if(sizes, [](Dimension size) { return !size.isKnown(); });
    Shape shape;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool isCopied = names > 1 && i < from.size() && from[i] == sizes[i];
        shape.push_back(sizes[i].isKnown() ? sizes[i].size : isCopied ? 0 : -1);
    }
    if (std::ranges::count(shape, -1) > 1) make.fail(shapeError("several of its sizes are only names"));
    return make.node("Reshape", {x}, {{"shape", shape}});
}

/// Splits the width of [batch,length,width] into heads, these into groups unless those are of 1, and changes the order of the axes.
TermId heads(TermMaker& make, TermId x, std::int64_t count, std::int64_t group, const Shape& order) {
    const ArrayType type = make.type(x);
    if (!type.hasRank) {
        make.fail(shapeError("the ranks of its inputs are unknown"));
        return {};
    }
    std::vector<Dimension> sizes{type.dimensions[0], type.dimensions[1], Dimension::of(count)};
    if (group > 1) sizes.push_back(Dimension::of(group));
    sizes.push_back(Dimension::of(make.known(type.dimensions[2], "a width") / (count * group)));
    return make.node("Transpose", {reshaped(make, x, sizes)}, {{"perm", order}});
}

// --- MultiHeadAttention -----------------------------------------------------------------------------------------------

/// The array with its part of the bias added to each row.
std::vector<double> biased(const Array& array, const Array* bias, std::int64_t from) {
    std::vector<double> elements = array.elements;
    if (bias == nullptr) return elements;
    const std::int64_t width = array.shape[2];
    for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] += bias->elements[static_cast<std::size_t>(from + static_cast<std::int64_t>(i) % width)];
    return elements;
}

Result<std::vector<ArrayPtr>> attentionEvaluate(const EvaluateInput& in) {
    const Array* const bias = in.inputs.size() > 3 ? in.inputs[3].get() : nullptr;
    const std::int64_t width = in.inputs[0]->shape[2];
    const std::vector<double> query = biased(*in.inputs[0], bias, 0);
    const std::vector<double> key = biased(*in.inputs[1], bias, width);
    const std::vector<double> value = biased(*in.inputs[2], bias, 2 * width);
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const std::int64_t count = in.attributes.integer("num_heads");
    const auto layout = [&](std::size_t input) { return layoutOf(in.inputs[input]->shape, count); };
    const double scale = scaleOf(in.attributes, width / count);
    const Mask mask(in.inputs.size() > 4 ? in.inputs[4].get() : nullptr);
    const std::int64_t later = in.inputs[1]->shape[1] - in.inputs[0]->shape[1];
    const bool looksBack = in.attributes.boolean("unidirectional");
    attend({query.data(), layout(0)}, {key.data(), layout(1)}, {value.data(), layout(2)}, result->shape[0],
           layoutOf(result->shape, count), result->elements.data(),
           [&](const std::array<std::int64_t, 4>& place, double product) {
               const bool isHidden = looksBack && place[3] > place[2] + later;
               return isHidden ? -HUGE_VAL : product * scale + mask.element(place, 0.0);
           });
    return std::vector<ArrayPtr>{std::move(result)};
}

Work attentionWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    if (in.inputs[1].rank() != 3) return work;
    const double keys = elements({.dimensions = {in.inputs[1].dimensions[1]}});
    const double rows = elements({.dimensions = {in.inputs[0].dimensions.begin(), in.inputs[0].dimensions.end() - 1}});
    work.flops =
        attentionFlops(in, outputs, keys, rows * keys * static_cast<double>(in.attributes.integer("num_heads")));
    if (in.isPresent(3)) work.flops += elements(in.inputs[0]) + elements(in.inputs[1]) + elements(in.inputs[2]);
    return work;
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
    const TermId q = heads(make, parts[0], count, 1, {0, 2, 1, 3});
    const TermId k = heads(make, parts[1], count, 1, {0, 2, 3, 1});
    const TermId v = heads(make, parts[2], count, 1, {0, 2, 1, 3});
    const double scale = scaleOf(attributes, width / count);
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
    return make.take(reshaped(make, back, {query.dimensions[0], query.dimensions[1], Dimension::of(valueWidth)}));
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

// --- Attention --------------------------------------------------------------------------------------------------------

/// The sizes of an input as [batch,heads,length,size].
struct HeadSizes {
    Dimension batch;
    Dimension heads;
    Dimension length;
    Dimension size;
};

Result<HeadSizes> headSizes(const ShapeInput& in, std::size_t input) {
    const std::vector<Dimension>& sizes = in.inputs[input].dimensions;
    const std::int64_t heads = in.attributes.integer(input == 0 ? "q_num_heads" : "kv_num_heads");
    if (sizes.size() == 4) return HeadSizes{sizes[0], sizes[1], sizes[2], sizes[3]};
    if (sizes[2].isKnown() && sizes[2].size % heads != 0) {
        return shapeError(fmt::format("Attention: a width of {} is no multiple of {} heads", sizes[2].size, heads));
    }
    const SizeExpression width(sizes[2], in.symbols);
    return HeadSizes{sizes[0], Dimension::of(heads), sizes[1], (width / heads).dimension(in.symbols)};
}

/// Fails unless the mask broadcasts to the scores [batch,heads,queries,keys]; it has a number for each key.
Status checkMask(const ArrayType& mask, ir::Dtype dtype, const std::array<Dimension, 4>& scores) {
    const bool isTyped = mask.dtype == ir::Dtype::Bool || mask.dtype == dtype;
    if (!isTyped && mask.dtype != ir::Dtype::Unknown && dtype != ir::Dtype::Unknown) {
        return shapeError(fmt::format("Attention takes a mask of bool or {}; found {}", ir::dtypeName(dtype),
                                      ir::dtypeName(mask.dtype)));
    }
    if (!mask.hasRank) return Success{};
    bool fits = mask.rank() >= 1 && mask.rank() <= 4;
    for (std::size_t i = 0; fits && i < mask.rank(); ++i) {
        const Dimension wanted = scores[scores.size() - mask.rank() + i];
        const bool isRepeated = i + 1 < mask.rank() && mask.dimensions[i] == Dimension::of(1);
        fits = isRepeated || mayBeEqual(mask.dimensions[i], wanted);
    }
    if (fits) return Success{};
    return shapeError("Attention takes a mask that broadcasts to [batch,heads,queries,keys]");
}

Status checkStandardAttributes(const ShapeInput& in, std::size_t rank) {
    const Attributes& attributes = in.attributes;
    const std::int64_t queryHeads = attributes.integer("q_num_heads");
    const std::int64_t keyHeads = attributes.integer("kv_num_heads");
    if (!(attributes.floating("scale") >= 0.0) || !(attributes.floating("softcap") >= 0.0)) {
        return shapeError("Attention takes a scale and a softcap of 0 or more");
    }
    const bool areThere = queryHeads > 0 && queryHeads <= MostElements && keyHeads > 0;
    const bool areAbsent = queryHeads == 0 && keyHeads == 0;
    if (rank == 3 ? areThere : areAbsent) return Success{};
    return shapeError("Attention takes numbers of heads for arrays [batch,length,width], and only for these");
}

Result<std::vector<ArrayType>> standardShape(const ShapeInput& in) {
    const auto first = in.inputs.first(3);
    MITOS_REQUIRE(checkElements({in.op, in.attributes, first, in.symbols}, Takes::Floats));
    ArrayType result{.dtype = first[0].dtype, .hasRank = false};
    if (std::ranges::any_of(first, [](const ArrayType& type) { return !type.hasRank; }))
        return std::vector<ArrayType>{result};
    const std::size_t rank = first[0].rank();
    if ((rank != 3 && rank != 4) || first[1].rank() != rank || first[2].rank() != rank) {
        return shapeError("Attention takes three arrays of rank 3, or three of rank 4");
    }
    MITOS_REQUIRE(checkStandardAttributes(in, rank));
    MITOS_TRY(const HeadSizes q, headSizes(in, 0));
    MITOS_TRY(const HeadSizes k, headSizes(in, 1));
    MITOS_TRY(const HeadSizes v, headSizes(in, 2));
    const bool areKnown = q.heads.isKnown() && k.heads.isKnown();
    const bool hasGroups = areKnown ? k.heads.size > 0 && q.heads.size % k.heads.size == 0 : q.heads == k.heads;
    if (!hasGroups) return shapeError("Attention: the heads of the query are no multiple of those of the key");
    if (!mayBeEqual(q.batch, k.batch) || !mayBeEqual(q.batch, v.batch) || !mayBeEqual(q.size, k.size) ||
        !mayBeEqual(k.length, v.length) || !mayBeEqual(k.heads, v.heads)) {
        return shapeError("Attention: query, key and value do not fit together");
    }
    if (in.isPresent(3)) {
        MITOS_REQUIRE(checkMask(in.inputs[3], first[0].dtype, {q.batch, q.heads, q.length, k.length}));
    }
    result.hasRank = true;
    if (rank == 4) {
        result.dimensions = {q.batch, q.heads, q.length, v.size};
        return std::vector<ArrayType>{result};
    }
    const SizeExpression width = q.heads == v.heads
                                     ? SizeExpression(first[2].dimensions[2], in.symbols)
                                     : SizeExpression(v.size, in.symbols) * SizeExpression(q.heads, in.symbols);
    result.dimensions = {q.batch, q.length, width.dimension(in.symbols)};
    return std::vector<ArrayType>{result};
}

Result<std::vector<ArrayPtr>> standardEvaluate(const EvaluateInput& in) {
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const auto part = [&](std::size_t input) {
        const std::int64_t count = in.attributes.integer(input == 0 ? "q_num_heads" : "kv_num_heads");
        return HeadArray{in.inputs[input]->elements.data(), layoutOf(in.inputs[input]->shape, count)};
    };
    const HeadArray query = part(0);
    const Array* const given = in.inputs.size() > 3 ? in.inputs[3].get() : nullptr;
    const Mask mask(given);
    const bool isBool = given != nullptr && given->dtype == ir::Dtype::Bool;
    const bool isCausal = in.attributes.boolean("is_causal");
    const double scale = scaleOf(in.attributes, query.layout.size);
    const double cap = in.attributes.floating("softcap");
    attend(query, part(1), part(2), result->shape[0], layoutOf(result->shape, in.attributes.integer("q_num_heads")),
           result->elements.data(), [&](const std::array<std::int64_t, 4>& place, double product) {
               const double masked = mask.element(place, isBool ? 1.0 : 0.0);
               const bool isHidden = (isCausal && place[3] > place[2]) || (isBool && masked == 0.0);
               if (isHidden) return -HUGE_VAL;
               const double score = cap > 0.0 ? cap * std::tanh(product * scale / cap) : product * scale;
               return isBool ? score : score + masked;
           });
    return std::vector<ArrayPtr>{std::move(result)};
}

Work standardWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const ArrayType& q = in.inputs[0];
    if (!q.hasRank || !in.inputs[1].hasRank) return work;
    const double keys = elements({.dimensions = {in.inputs[1].dimensions[q.rank() - 2]}});
    const double rows = elements({.dimensions = {q.dimensions.begin(), q.dimensions.end() - 1}});
    const double heads = q.rank() == 3 ? static_cast<double>(in.attributes.integer("q_num_heads")) : 1.0;
    const double scores = heads * rows * keys;
    work.flops = attentionFlops(in, outputs, keys, scores);
    if (in.attributes.floating("softcap") > 0.0) work.flops += (SeriesFlops + 2) * scores;
    return work;
}

/// The mask for scores whose heads are in groups.
TermId groupedMask(TermMaker& make, TermId mask, std::int64_t heads, std::int64_t group) {
    const ArrayType type = make.type(mask);
    if (!type.hasRank) make.fail(shapeError("the rank of its mask is unknown"));
    if (make.failed() || group == 1 || type.rank() < 3) return mask;
    const std::size_t axis = type.rank() - 3;
    std::vector<Dimension> sizes = type.dimensions;
    if (make.known(sizes[axis], "the number of heads of the mask") == 1)
        return axis == 0 ? mask : make.node("Unsqueeze", {mask}, {{"axes", Shape{2}}});
    sizes[axis] = Dimension::of(group);
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), Dimension::of(heads));
    return reshaped(make, mask, sizes);
}

/// The weights of the values: the softmax of the scores. Hidden ones are 0, also if all of a row are.
TermId standardWeights(TermMaker& make, TermId scores, TermId mask, TermId causal) {
    const bool isBool = mask.isValid() && make.type(mask).dtype == ir::Dtype::Bool;
    if (mask.isValid() && !isBool) scores = make.node("Add", {scores, mask});
    TermId allowed = isBool ? mask : TermId();
    if (causal.isValid()) allowed = isBool ? make.node("And", {mask, causal}) : causal;
    if (make.failed()) return {};
    const auto axis = static_cast<std::int64_t>(make.type(scores).rank()) - 1;
    if (!allowed.isValid()) return make.node("Softmax", {scores}, {{"axis", axis}});
    // The exponential of the difference to any other score is 0.
    const double least = make.type(scores).dtype == ir::Dtype::F16 ? -65504.0 : -1e30;
    scores = make.node("Where", {allowed, scores, make.scalar(least, scores)});
    const TermId weights = make.node("Softmax", {scores}, {{"axis", axis}});
    return isBool ? make.node("Where", {allowed, weights, make.scalar(0.0, weights)}) : weights;
}

/// A row that a mask of numbers hides as a whole, with -infinity, is 0 in Attention, and has no value in its expansion.
Result<TermId> expandStandard(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                              Symbol hint) {
    TermMaker make(bank, hint);
    const ArrayType query = make.type(inputs[0]);
    const ArrayType key = make.type(inputs[1]);
    const ArrayType value = make.type(inputs[2]);
    if (!query.hasRank || !key.hasRank || !value.hasRank) return shapeError("the ranks of its inputs are unknown");
    const bool isSplit = query.rank() == 4;
    const auto headsOf = [&](const ArrayType& type, std::string_view name) {
        return isSplit ? make.known(type.dimensions[1], "the number of heads") : attributes.integer(name);
    };
    const std::int64_t queryHeads = headsOf(query, "q_num_heads");
    const std::int64_t count = headsOf(key, "kv_num_heads");
    const std::int64_t width = make.known(query.dimensions.back(), "a width");
    const std::int64_t valueWidth = make.known(value.dimensions.back(), "a width");
    if (make.failed()) return make.take({});
    const std::int64_t group = queryHeads / count;
    TermId q = inputs[0];
    TermId k = isSplit ? make.transposed(inputs[1]) : heads(make, inputs[1], count, 1, {0, 2, 3, 1});
    TermId v = isSplit ? inputs[2] : heads(make, inputs[2], count, 1, {0, 2, 1, 3});
    if (!isSplit) {
        q = heads(make, q, count, group, group == 1 ? Shape{0, 2, 1, 3} : Shape{0, 2, 3, 1, 4});
    } else if (group > 1) {
        const std::vector<Dimension>& sizes = query.dimensions;
        q = reshaped(make, q, {sizes[0], Dimension::of(count), Dimension::of(group), sizes[2], sizes[3]});
    }
    if (group > 1) {
        for (TermId* const shared : {&k, &v}) *shared = make.node("Unsqueeze", {*shared}, {{"axes", Shape{2}}});
    }
    const double scale = scaleOf(attributes, isSplit ? width : width / queryHeads);
    TermId scores = make.node("Mul", {make.node("MatMul", {q, k}), make.scalar(scale, q)});
    if (const double cap = attributes.floating("softcap"); cap > 0.0) {
        const TermId gate = make.node("Tanh", {make.node("Mul", {scores, make.scalar(1.0 / cap, q)})});
        scores = make.node("Mul", {gate, make.scalar(cap, q)});
    }
    const bool hasMask = inputs.size() > 3 && bank.types().isArray(bank.type(inputs[3]));
    const TermId mask = hasMask ? groupedMask(make, inputs[3], count, group) : TermId();
    TermId causal;
    if (attributes.boolean("is_causal")) {
        const std::int64_t rows = make.known(query.dimensions[query.rank() - 2], "the number of queries");
        const std::int64_t length = make.known(key.dimensions[query.rank() - 2], "the number of keys");
        const TermId lower = make.node("Trilu", {make.constant(1.0, {rows, length}, inputs[0])},
                                       {{"upper", false}, {"k", std::int64_t{0}}});
        causal = make.node("Greater", {lower, make.scalar(0.5, inputs[0])});
    }
    if (make.failed()) return make.take({});
    const TermId mixed = make.node("MatMul", {standardWeights(make, scores, mask, causal), v});
    const std::vector<Dimension>& sizes = query.dimensions;
    if (isSplit) {
        if (group == 1) return make.take(mixed);
        return make.take(reshaped(make, mixed, {sizes[0], sizes[1], sizes[2], Dimension::of(valueWidth)}));
    }
    const TermId back =
        make.node("Transpose", {mixed}, {{"perm", group == 1 ? Shape{0, 2, 1, 3} : Shape{0, 3, 1, 2, 4}}});
    return make.take(reshaped(make, back, {sizes[0], sizes[1], Dimension::of(valueWidth / count * queryHeads)}));
}

/// Imports nodes without a past and without lengths, of which only the first output is used.
Result<Imported> importStandard(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const bool hasMore =
        std::ranges::any_of(node.outputs.begin() + std::min<std::ptrdiff_t>(1, std::ssize(node.outputs)),
                            node.outputs.end(), [](const std::string& name) { return !name.empty(); });
    if (hasInput(node, 4) || hasInput(node, 5)) return notThisForm("Attention with a past is not supported");
    if (hasInput(node, 6)) return notThisForm("Attention with lengths of keys is not supported");
    if (hasMore) return notThisForm("Attention whose keys, values or scores are used too is not supported");
    if (integerOf(node, "left_window_size", -1) != -1 || integerOf(node, "right_window_size", -1) != -1)
        return notThisForm("Attention to windows of keys is not supported");
    MITOS_TRY(const ArrayType query, rankedInput(node, context, 0));
    MITOS_TRY(const ArrayType key, rankedInput(node, context, 1));
    const std::int64_t own = onnxNumber(query.dtype);
    if (integerOf(node, "softmax_precision", own) != own)
        return notThisForm("Attention with a softmax of another precision is not supported");
    if (floatOf(node, "scale", 1.0) <= 0.0) return notThisForm("Attention with a scale of 0 or less is not supported");
    if (floatOf(node, "softcap", 0.0) < 0.0) return notThisForm("Attention with a negative softcap is not supported");
    OnnxNode plain = node;
    for (const char* const name :
         {"left_window_size", "right_window_size", "softmax_precision", "qk_matmul_output_mode"}) {
        plain.attributes.erase(name);
    }
    // Where the heads have an axis, the attributes repeat its size.
    for (const auto& [name, type] : {std::pair("q_num_heads", query), std::pair("kv_num_heads", key)}) {
        if (type.rank() != 4 || !plain.attributes.contains(name)) continue;
        if (type.dimensions[1] != Dimension::of(integerOf(node, name, 0)))
            return notThisForm("Attention with another number of heads than its axis has is not supported");
        plain.attributes.erase(name);
    }
    MITOS_TRY(Imported imported, importPlainly(op, plain));
    imported.inputs = firstInputs(node, 4);
    return imported;
}

Exported exportStandard(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    Exported result = exportPlainly(attributes);
    for (const char* const name : {"q_num_heads", "kv_num_heads"}) {
        if (attributes.integer(name) == 0) result.attributes.erase(name);
    }
    for (const char* const name : {"scale", "softcap"}) {
        if (attributes.floating(name) == 0.0) result.attributes.erase(name);
    }
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
    table.push_back(
        {.name = "Attention",
         .doc = "softmax(softcap of scale Q K^T, masked) V, for each head; several heads of Q may share one of K and V",
         .inputs =
             {{.name = "Q"}, {.name = "K"}, {.name = "V"}, {.name = "attn_mask", .kind = InputInfo::Kind::Optional}},
         .attributes = {integerAttribute("q_num_heads", "0", "heads of Q; 0 for arrays [batch,heads,length,size]"),
                        integerAttribute("kv_num_heads", "0",
                                         "heads of K and V; 0 for arrays [batch,heads,length,size]"),
                        floatAttribute("scale", "0.0", "factor of the scores; 0: 1 / sqrt(width of a head)"),
                        flagAttribute("is_causal", "false", "whether query i uses only the keys 0 to i"),
                        floatAttribute("softcap", "0.0", "bound c of the scores: c tanh(x / c); 0: none")},
         .shape = standardShape,
         .evaluate = standardEvaluate,
         .work = standardWork,
         .onnx = {.import = importStandard, .exportNode = exportStandard, .since = 23},
         .expand = expandStandard});
}

}  // namespace mitos::tensor
