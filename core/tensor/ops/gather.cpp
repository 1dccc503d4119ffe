// SPDX-License-Identifier: GPL-3.0-or-later
// Elements that index arrays select. Negative indices count from the end; those out of range are errors of evaluation.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::tensor {

namespace {

using ir::Dimension;

Status checkIndices(const ShapeInput& in) {
    const ir::Dtype dtype = in.inputs[1].dtype;
    if (dtype == ir::Dtype::I32 || dtype == ir::Dtype::I64) return Success{};
    return shapeError(fmt::format("{} takes indices of type i32 or i64; found {}", in.op.name, ir::dtypeName(dtype)));
}

ArrayType unranked(const ArrayType& data) { return {.dtype = data.dtype, .hasRank = false}; }

Result<std::int64_t> place(double index, std::int64_t size) {
    const std::int64_t at = wholeNumber(index);
    if (at >= -size && at < size) return at < 0 ? at + size : at;
    return Error{ErrorCode::Evaluation, fmt::format("there is no element {} along an axis of {}", at, size)};
}

/// The numbers of elements over the axes before an axis, and after it.
struct Around {
    std::int64_t before = 1;
    std::int64_t size = 1;
    std::int64_t behind = 1;
};

Around around(const Shape& shape, std::int64_t axis) {
    const auto at = static_cast<std::size_t>(axis);
    return {elementCount(std::span(shape).first(at)), shape[at], elementCount(std::span(shape).subspan(at + 1))};
}

std::shared_ptr<Array> emptyResult(const EvaluateInput& in) {
    auto result = std::make_shared<Array>();
    result->dtype = in.inputs[0]->dtype;
    result->shape = in.outputs[0].shape();
    result->elements.reserve(static_cast<std::size_t>(elementCount(result->shape)));
    return result;
}

// --- Gather -----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> gatherShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    const ArrayType& indices = in.inputs[1];
    MITOS_REQUIRE(checkIndices(in));
    if (!data.hasRank || !indices.hasRank) return std::vector<ArrayType>{unranked(data)};
    const std::int64_t axis = in.attributes.integer("axis");
    MITOS_REQUIRE(checkAxis(in, axis, data.rank()));
    ArrayType result{.dtype = data.dtype};
    result.dimensions.assign(data.dimensions.begin(), data.dimensions.begin() + axis);
    result.dimensions.insert(result.dimensions.end(), indices.dimensions.begin(), indices.dimensions.end());
    result.dimensions.insert(result.dimensions.end(), data.dimensions.begin() + axis + 1, data.dimensions.end());
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> gatherEvaluate(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    const auto [before, size, behind] = around(data.shape, in.attributes.integer("axis"));
    std::shared_ptr<Array> result = emptyResult(in);
    std::vector<std::int64_t> places;  // they must be in range even if the result has no elements
    for (const double index : in.inputs[1]->elements) {
        MITOS_TRY(const std::int64_t at, place(index, size));
        places.push_back(at);
    }
    for (std::int64_t outer = 0; outer < before; ++outer) {
        for (const std::int64_t at : places) {
            const auto from = data.elements.begin() + (outer * size + at) * behind;
            result->elements.insert(result->elements.end(), from, from + behind);
        }
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

/// The work of reading as much of the data as is written.
Work gatherWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    work.readBytes = bytes(outputs[0]) + bytes(in.inputs[1]);
    return work;
}

/// The axis counts from 0 in terms.
Result<Imported> importAxis(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    MITOS_TRY(Imported imported, importPlainly(op, node));
    MITOS_TRY(const std::int64_t axis, normalizedAxis(imported.attributes.integer("axis"), data.rank()));
    imported.attributes.set("axis", axis);
    return imported;
}

// --- GatherElements, ScatterElements ----------------------------------------------------------------------------------

Result<std::vector<ArrayType>> gatherElementsShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    const ArrayType& indices = in.inputs[1];
    MITOS_REQUIRE(checkIndices(in));
    if (!data.hasRank || !indices.hasRank) return std::vector<ArrayType>{unranked(data)};
    if (data.rank() != indices.rank()) {
        return shapeError(fmt::format("{} takes data and indices of one rank; found {} and {}", in.op.name, data.rank(),
                                      indices.rank()));
    }
    const std::int64_t axis = in.attributes.integer("axis");
    MITOS_REQUIRE(checkAxis(in, axis, data.rank()));
    for (std::size_t i = 0; i < data.rank(); ++i) {
        const Dimension own = data.dimensions[i];
        const Dimension other = indices.dimensions[i];
        if (i == static_cast<std::size_t>(axis) || !own.isKnown() || !other.isKnown() || other.size <= own.size)
            continue;
        return shapeError(
            fmt::format("{}: {} indices for {} elements of axis {}", in.op.name, other.size, own.size, i));
    }
    return std::vector<ArrayType>{{.dtype = data.dtype, .dimensions = indices.dimensions}};
}

/// Calls f(element of data, number of the index) for every index. Fails if a position is out of range; f cannot fail.
template <typename F>
Status forEachPlace(const Array& data, const Array& indices, std::int64_t axis, F f) {
    const Shape steps = strides(data.shape);
    Shape index(indices.shape.size(), 0);
    for (std::size_t i = 0; i < indices.elements.size(); ++i) {
        const auto along = static_cast<std::size_t>(axis);
        MITOS_TRY(const std::int64_t at, place(indices.elements[i], data.shape[along]));
        std::int64_t source = at * steps[along];
        for (std::size_t d = 0; d < index.size(); ++d) source += d == along ? 0 : index[d] * steps[d];
        f(static_cast<std::size_t>(source), i);
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < indices.shape[d]) break;
            index[d] = 0;
        }
    }
    return Success{};
}

Result<std::vector<ArrayPtr>> gatherElementsEvaluate(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    std::shared_ptr<Array> result = emptyResult(in);
    const auto take = [&](std::size_t from, std::size_t) { result->elements.push_back(data.elements[from]); };
    MITOS_REQUIRE(forEachPlace(data, *in.inputs[1], in.attributes.integer("axis"), take));
    return std::vector<ArrayPtr>{std::move(result)};
}

/// Changes an element of that type by an update. A result that is not exact becomes NaN, as that of held().
void change(ir::Dtype dtype, double& element, double update, std::string_view reduction) {
    if (reduction == "none") {
        element = update;
        return;
    }
    const bool isKnown = ir::isFloating(dtype) || (std::abs(element) < EndOfExact && std::abs(update) < EndOfExact);
    const double changed = reduction == "add" ? element + update : element * update;
    element = isKnown ? held(dtype, changed) : std::numeric_limits<double>::quiet_NaN();
}

Status checkUpdates(const ShapeInput& in, std::span<const Dimension> expected) {
    const ArrayType& updates = in.inputs[2];
    if (updates.dtype != in.inputs[0].dtype) {
        return shapeError(fmt::format("{} takes updates of the data's element type; found {} and {}", in.op.name,
                                      ir::dtypeName(updates.dtype), ir::dtypeName(in.inputs[0].dtype)));
    }
    if (!updates.hasRank) return Success{};
    if (std::ranges::equal(updates.dimensions, expected, mayBeEqual)) return Success{};
    return shapeError(
        fmt::format("{}: the updates do not have the sizes of the parts that the indices name", in.op.name));
}

Result<std::vector<ArrayType>> scatterElementsShape(const ShapeInput& in) {
    MITOS_TRY(const std::vector<ArrayType> updates, gatherElementsShape(in));
    if (updates.front().hasRank) MITOS_REQUIRE(checkUpdates(in, updates.front().dimensions));
    return std::vector<ArrayType>{in.inputs[0]};
}

Result<std::vector<ArrayPtr>> scatterElementsEvaluate(const EvaluateInput& in) {
    auto result = std::make_shared<Array>(*in.inputs[0]);
    const std::vector<double>& updates = in.inputs[2]->elements;
    const std::string& reduction = in.attributes.word("reduction");
    const auto put = [&](std::size_t at, std::size_t i) {
        change(result->dtype, result->elements[at], updates[i], reduction);
    };
    MITOS_REQUIRE(forEachPlace(*in.inputs[0], *in.inputs[1], in.attributes.integer("axis"), put));
    return std::vector<ArrayPtr>{std::move(result)};
}

// --- GatherND, ScatterND: the last axis of the indices holds places -----------------------------------------------------

/// The sizes of the gathered or scattered parts; nullopt if ranks are not known.
Result<std::optional<std::vector<Dimension>>> namedParts(const ShapeInput& in, std::int64_t batch) {
    const ArrayType& data = in.inputs[0];
    const ArrayType& indices = in.inputs[1];
    MITOS_REQUIRE(checkIndices(in));
    if (!data.hasRank || !indices.hasRank) return std::optional<std::vector<Dimension>>();
    if (data.rank() == 0 || indices.rank() == 0) {
        return shapeError(fmt::format("{} takes data and indices of rank 1 or more", in.op.name));
    }
    const Dimension depth = indices.dimensions.back();
    if (!depth.isKnown()) return std::optional<std::vector<Dimension>>();
    if (batch < 0 || batch >= static_cast<std::int64_t>(std::min(data.rank(), indices.rank())) || depth.size < 1 ||
        batch + depth.size > static_cast<std::int64_t>(data.rank())) {
        return shapeError(fmt::format("{}: {} indices (after {} axes of a batch) for an array of rank {}", in.op.name,
                                      depth.size, batch, data.rank()));
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch); ++i) {
        if (!mayBeEqual(data.dimensions[i], indices.dimensions[i]))
            return shapeError(fmt::format("{}: data and indices are batches of different sizes", in.op.name));
    }
    std::vector<Dimension> sizes(indices.dimensions.begin(), indices.dimensions.end() - 1);
    sizes.insert(sizes.end(), data.dimensions.begin() + batch + depth.size, data.dimensions.end());
    return std::optional(std::move(sizes));
}

Result<std::vector<ArrayType>> gatherNdShape(const ShapeInput& in) {
    MITOS_TRY(std::optional<std::vector<Dimension>> sizes, namedParts(in, in.attributes.integer("batch_dims")));
    if (!sizes) return std::vector<ArrayType>{unranked(in.inputs[0])};
    return std::vector<ArrayType>{{.dtype = in.inputs[0].dtype, .dimensions = *std::move(sizes)}};
}

Result<std::vector<ArrayType>> scatterNdShape(const ShapeInput& in) {
    MITOS_TRY(const std::optional<std::vector<Dimension>> sizes, namedParts(in, 0));
    if (sizes) MITOS_REQUIRE(checkUpdates(in, *sizes));
    return std::vector<ArrayType>{in.inputs[0]};
}

/// Calls f(first element of the part, elements of a part, number of the part) for every part that the indices select.
template <typename F>
Status forEachPart(const Array& data, const Array& indices, std::int64_t batch, F f) {
    const std::int64_t depth = indices.shape.back();
    const auto inner = static_cast<std::size_t>(batch + depth);
    const Shape steps = strides(data.shape);
    const std::int64_t size = elementCount(std::span(data.shape).subspan(inner));
    const std::int64_t batches = elementCount(std::span(data.shape).first(static_cast<std::size_t>(batch)));
    const std::int64_t batchSize = elementCount(std::span(data.shape).subspan(static_cast<std::size_t>(batch)));
    const std::int64_t parts = elementCount(indices.shape) / depth;
    for (std::int64_t part = 0; part < parts; ++part) {
        std::int64_t from = part / (parts / batches) * batchSize;
        for (std::int64_t i = 0; i < depth; ++i) {
            const auto axis = static_cast<std::size_t>(batch + i);
            MITOS_TRY(const std::int64_t at,
                      place(indices.elements[static_cast<std::size_t>(part * depth + i)], data.shape[axis]));
            from += at * steps[axis];
        }
        f(from, size, part);
    }
    return Success{};
}

Result<std::vector<ArrayPtr>> gatherNdEvaluate(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    std::shared_ptr<Array> result = emptyResult(in);
    const auto take = [&](std::int64_t from, std::int64_t size, std::int64_t) {
        const auto first = data.elements.begin() + from;
        result->elements.insert(result->elements.end(), first, first + size);
    };
    MITOS_REQUIRE(forEachPart(data, *in.inputs[1], in.attributes.integer("batch_dims"), take));
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<std::vector<ArrayPtr>> scatterNdEvaluate(const EvaluateInput& in) {
    auto result = std::make_shared<Array>(*in.inputs[0]);
    const std::vector<double>& updates = in.inputs[2]->elements;
    const std::string& reduction = in.attributes.word("reduction");
    const auto put = [&](std::int64_t from, std::int64_t size, std::int64_t part) {
        for (std::int64_t i = 0; i < size; ++i)
            change(result->dtype, result->elements[static_cast<std::size_t>(from + i)],
                   updates[static_cast<std::size_t>(part * size + i)], reduction);
    };
    MITOS_REQUIRE(forEachPart(*in.inputs[0], *in.inputs[1], 0, put));
    return std::vector<ArrayPtr>{std::move(result)};
}

// --- gradients ------------------------------------------------------------------------------------------------------

using ir::TermId;

/// Axes of an array in another order.
TermId ordered(TermMaker& make, TermId term, const std::vector<std::int64_t>& order) {
    return std::ranges::is_sorted(order) ? term : make.node("Transpose", {term}, {{"perm", order}});
}

/// The slices are added where they were read, along the first axis; another one is moved there and back.
std::vector<TermId> gatherGradient(const GradientInput& in) {
    TermMaker& make = in.make;
    const ArrayType data = make.type(in.inputs[0]);
    const ArrayType indices = make.type(in.inputs[1]);
    if (!data.hasRank || !indices.hasRank) {
        make.fail(shapeError("the rank of an input is unknown"));
        return {TermId(), TermId()};
    }
    const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
    std::vector<std::int64_t> first = axesBetween(axis, axis + indices.rank());
    std::vector<std::int64_t> forth{static_cast<std::int64_t>(axis)};
    std::vector<std::int64_t> back = axesBetween(1, axis + 1);
    back.push_back(0);
    for (std::size_t i = 0; i + 1 < data.rank(); ++i) {
        first.push_back(static_cast<std::int64_t>(i < axis ? i : i + indices.rank()));
        forth.push_back(static_cast<std::int64_t>(i < axis ? i : i + 1));
    }
    for (std::size_t i = axis + 1; i < data.rank(); ++i) back.push_back(static_cast<std::int64_t>(i));
    const TermId places =
        make.node("Unsqueeze", {in.inputs[1]}, {{"axes", axesBetween(indices.rank(), indices.rank() + 1)}});
    const TermId long64 = indices.dtype == ir::Dtype::I64
                              ? places
                              : make.node("Cast", {places}, {{"to", std::string(ir::dtypeName(ir::Dtype::I64))}});
    const TermId zeros = ordered(make, zerosLike(make, in.inputs[0]), forth);
    const TermId updates = ordered(make, in.cotangents[0], first);
    const TermId added = make.node("ScatterND", {zeros, long64, updates}, {{"reduction", std::string("add")}});
    return {ordered(make, added, back), TermId()};
}

std::vector<TermId> gatherElementsGradient(const GradientInput& in) {
    return {in.make.node("ScatterElements", {zerosLike(in.make, in.inputs[0]), in.inputs[1], in.cotangents[0]},
                         {{"axis", in.attributes.integer("axis")}, {"reduction", std::string("add")}}),
            TermId()};
}

std::vector<TermId> gatherNdGradient(const GradientInput& in) {
    if (in.attributes.integer("batch_dims") != 0) {
        in.make.fail(shapeError("it has batch axes"));
        return {TermId(), TermId()};
    }
    return {in.make.node("ScatterND", {zerosLike(in.make, in.inputs[0]), in.inputs[1], in.cotangents[0]},
                         {{"reduction", std::string("add")}}),
            TermId()};
}

/// The cotangents of data, with zeros at the places that were overwritten, and of the updates: those read from these places.
template <bool IsNd>
std::vector<TermId> scatterGradient(const GradientInput& in) {
    std::vector<TermId> result(3);
    const std::string& reduction = in.attributes.word("reduction");
    if (reduction == "mul") {
        in.make.fail(shapeError("it multiplies"));
        return result;
    }
    const TermId d = in.cotangents[0];
    const TermId indices = in.inputs[1];
    if (in.isWanted[2]) {
        if constexpr (IsNd)
            result[2] = in.make.node("GatherND", {d, indices});
        else
            result[2] = in.make.node("GatherElements", {d, indices}, {{"axis", in.attributes.integer("axis")}});
    }
    if (!in.isWanted[0]) return result;
    if (reduction == "add") {
        result[0] = d;
        return result;
    }
    const TermId zeros = zerosLike(in.make, in.inputs[2]);
    if constexpr (IsNd)
        result[0] = in.make.node("ScatterND", {d, indices, zeros});
    else
        result[0] = in.make.node("ScatterElements", {d, indices, zeros}, {{"axis", in.attributes.integer("axis")}});
    return result;
}

}  // namespace

void addGathers(std::vector<Operator>& table) {
    const AttributeInfo axis = {.name = "axis", .kind = AttributeKind::Integer, .defaultText = "0"};
    const AttributeInfo reduction = {.name = "reduction",
                                     .kind = AttributeKind::Word,
                                     .defaultText = "none",
                                     .doc = "how an update is combined with the old element",
                                     .words = {"none", "add", "mul"}};
    const std::vector<InputInfo> reads = {{.name = "data"}, {.name = "indices"}};
    const std::vector<InputInfo> writes = {{.name = "data"}, {.name = "indices"}, {.name = "updates"}};
    const auto add = [&table](Operator op) {
        op.traits.mayFail = true;
        table.push_back(std::move(op));
    };
    add({.name = "Gather",
         .doc = "one slice along an axis for each index",
         .inputs = reads,
         .attributes = {axis},
         .shape = gatherShape,
         .evaluate = gatherEvaluate,
         .work = gatherWork,
         .onnx = {.import = importAxis},
         .gradient = {.rule = gatherGradient}});
    add({.name = "GatherElements",
         .doc = "elements along an axis, chosen by the index at the same place",
         .inputs = reads,
         .attributes = {axis},
         .shape = gatherElementsShape,
         .evaluate = gatherElementsEvaluate,
         .work = gatherWork,
         .onnx = {.import = importAxis},
         .gradient = {.rule = gatherElementsGradient}});
    add({.name = "GatherND",
         .doc = "parts of an array; the last axis of the indices says where each begins",
         .inputs = reads,
         .attributes = {{.name = "batch_dims", .kind = AttributeKind::Integer, .defaultText = "0"}},
         .shape = gatherNdShape,
         .evaluate = gatherNdEvaluate,
         .work = gatherWork,
         .gradient = {.rule = gatherNdGradient}});
    add({.name = "ScatterElements",
         .doc = "with elements along an axis changed, chosen by the index at the same place",
         .inputs = writes,
         .attributes = {axis, reduction},
         .shape = scatterElementsShape,
         .evaluate = scatterElementsEvaluate,
         .work = movement,
         .onnx = {.alsoFrom = {"Scatter"}, .import = importAxis},
         .gradient = {.rule = scatterGradient<false>}});
    add({.name = "ScatterND",
         .doc = "with parts changed; the last axis of the indices says where each begins",
         .inputs = writes,
         .attributes = {reduction},
         .shape = scatterNdShape,
         .evaluate = scatterNdEvaluate,
         .work = movement,
         .gradient = {.rule = scatterGradient<true>}});
}

}  // namespace mitos::tensor
