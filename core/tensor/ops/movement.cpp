// SPDX-License-Identifier: GPL-3.0-or-later
// Elements in another order, joined and taken apart.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/strided.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace mitos::tensor {

namespace {

using ir::Dimension;

/// Whether all axes before `axis` have one element, so that a part along it is contiguous.
bool isOutermost(const ArrayType& type, std::int64_t axis) {
    return type.hasRank && std::all_of(type.dimensions.begin(), type.dimensions.begin() + axis,
                                       [](Dimension d) { return d == Dimension::of(1); });
}

// --- Transpose --------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> transposeShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    if (!data.hasRank) return std::vector<ArrayType>{data};
    const std::vector<std::int64_t>& order = in.attributes.integers("perm");
    std::vector<std::int64_t> all(data.rank());
    std::iota(all.begin(), all.end(), 0);
    if (!std::is_permutation(order.begin(), order.end(), all.begin(), all.end())) {
        return shapeError(
            fmt::format("Transpose takes an order of {} axes; found [{}]", data.rank(), fmt::join(order, ",")));
    }
    ArrayType result{.dtype = data.dtype};
    for (const std::int64_t axis : order) result.dimensions.push_back(data.dimensions[static_cast<std::size_t>(axis)]);
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> transposeEvaluate(const EvaluateInput& in) {
    const Shape own = strides(in.inputs[0]->shape);
    Shape steps;
    for (const std::int64_t axis : in.attributes.integers("perm")) steps.push_back(own[static_cast<std::size_t>(axis)]);
    return std::vector<ArrayPtr>{gathered(*in.inputs[0], 0, steps, in.outputs[0].shape())};
}

/// The work, which is that of a view if the axes of more than one element keep their order.
Work transposeWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    if (!in.inputs[0].hasRank) return work;
    std::vector<std::int64_t> order = in.attributes.integers("perm");
    std::erase_if(order, [&](std::int64_t axis) {
        return in.inputs[0].dimensions[static_cast<std::size_t>(axis)] == Dimension::of(1);
    });
    work.isView = std::ranges::is_sorted(order);
    return work;
}

Result<Imported> importTranspose(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    std::optional<std::vector<std::int64_t>> order = integersOf(node, "perm");
    if (!order) {
        MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
        order.emplace(data.rank());
        std::iota(order->rbegin(), order->rend(), 0);
    }
    Attributes attributes(op);
    attributes.set("perm", *std::move(order));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

// --- Concat -----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> concatShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Any));
    ArrayType result = in.inputs[0];
    for (const ArrayType& input : in.inputs) {
        if (!input.hasRank) return std::vector<ArrayType>{{.dtype = result.dtype, .hasRank = false}};
    }
    const std::int64_t axis = in.attributes.integer("axis");
    MITOS_REQUIRE(checkAxis(in, axis, result.rank()));
    for (std::size_t i = 1; i < in.inputs.size(); ++i) {
        const ArrayType& input = in.inputs[i];
        if (input.rank() != result.rank()) {
            return shapeError(
                fmt::format("Concat takes arrays of one rank; found {} and {}", result.rank(), input.rank()));
        }
        for (std::size_t d = 0; d < input.rank(); ++d) {
            Dimension& size = result.dimensions[d];
            const Dimension other = input.dimensions[d];
            if (d == static_cast<std::size_t>(axis)) {
                size = (SizeExpression(size, in.symbols) + SizeExpression(other, in.symbols)).dimension(in.symbols);
            } else if (!mayBeEqual(size, other)) {
                return shapeError(fmt::format("Concat along axis {}: sizes {} and {} of axis {} differ", axis,
                                              size.size, other.size, d));
            } else if (!size.isKnown()) {
                size = other.isKnown() ? other : size;
            }
        }
    }
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> concatEvaluate(const EvaluateInput& in) {
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
    const Shape steps = strides(result->shape);
    double* to = result->elements.data();
    for (const ArrayPtr& input : in.inputs) {
        copyStrided(input->elements.data(), strides(input->shape), to, steps, input->shape);
        to += input->shape[axis] * steps[axis];
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importConcat(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    std::int64_t axis = integerOf(node, "axis", 1);
    if (axis < 0) {
        MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
        MITOS_TRY(axis, normalizedAxis(axis, data.rank()));
    }
    Attributes attributes(op);
    attributes.set("axis", axis);
    return Imported{.attributes = std::move(attributes), .inputs = firstInputs(node, node.inputs.size())};
}

// --- Split ------------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> splitShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    const std::vector<std::int64_t>& sizes = in.attributes.integers("sizes");
    if (sizes.empty()) return shapeError("Split takes the sizes of one or more parts");
    std::vector<ArrayType> parts(sizes.size(), data);
    if (!data.hasRank) return parts;
    const std::int64_t axis = in.attributes.integer("axis");
    MITOS_REQUIRE(checkAxis(in, axis, data.rank()));
    const Dimension whole = data.dimensions[static_cast<std::size_t>(axis)];
    std::int64_t total = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 0 || sizes[i] > std::numeric_limits<std::int32_t>::max())
            return shapeError(fmt::format("Split: {} is no size", sizes[i]));
        parts[i].dimensions[static_cast<std::size_t>(axis)] = Dimension::of(sizes[i]);
        total += sizes[i];
    }
    if (whole.isKnown() && whole.size != total) {
        return shapeError(fmt::format("Split: parts of [{}] do not make the {} elements of axis {}",
                                      fmt::join(sizes, ","), whole.size, axis));
    }
    return parts;
}

Result<std::vector<ArrayPtr>> splitEvaluate(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
    const Shape steps = strides(data.shape);
    std::int64_t total = 0;
    for (const ArrayType& part : in.outputs) total += part.dimensions[axis].size;
    if (total != data.shape[axis]) {
        return shapeError(
            fmt::format("the parts have {} elements along axis {}, the array {}", total, axis, data.shape[axis]));
    }
    std::vector<ArrayPtr> parts;
    std::int64_t offset = 0;
    for (const ArrayType& part : in.outputs) {
        parts.push_back(gathered(data, offset, steps, part.shape()));
        offset += parts.back()->shape[axis] * steps[axis];
    }
    return parts;
}

Work splitWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    work.isView = isOutermost(in.inputs[0], in.attributes.integer("axis"));
    return work;
}

Result<Imported> importSplit(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const std::optional<std::vector<std::int64_t>> given, integersOf(node, context, "split", 1));
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    MITOS_TRY(const std::int64_t axis, normalizedAxis(integerOf(node, "axis", 0), data.rank()));
    std::vector<std::int64_t> sizes = given.value_or(std::vector<std::int64_t>());
    if (!given) {
        const Dimension whole = data.dimensions[static_cast<std::size_t>(axis)];
        const auto count = static_cast<std::int64_t>(node.outputs.size());
        if (!whole.isKnown() || count == 0) return notThisForm("the size that Split divides is unknown");
        const std::int64_t part = (whole.size + count - 1) / count;
        for (std::int64_t i = 0; i < count; ++i)
            sizes.push_back(std::clamp<std::int64_t>(whole.size - i * part, 0, part));
    }
    if (sizes.size() != node.outputs.size()) {
        return notThisForm(fmt::format("Split has {} sizes and {} outputs", sizes.size(), node.outputs.size()));
    }
    Attributes attributes(op);
    attributes.set("axis", axis).set("sizes", std::move(sizes));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Exported exportSplit(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    return {.type = "Split",
            .attributes = {{"axis", attributes.integer("axis")}},
            .constants = {{.input = 1, .values = attributes.integers("sizes")}}};
}

// --- gradients ------------------------------------------------------------------------------------------------------

std::vector<ir::TermId> transposeGradient(const GradientInput& in) {
    const std::vector<std::int64_t>& order = in.attributes.integers("perm");
    std::vector<std::int64_t> inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return {in.make.node("Transpose", {in.cotangents[0]}, {{"perm", inverse}})};
}

std::vector<ir::TermId> concatGradient(const GradientInput& in) {
    std::vector<ir::TermId> result(in.inputs.size());
    const std::int64_t axis = in.attributes.integer("axis");
    std::vector<std::int64_t> sizes;
    for (const ir::TermId input : in.inputs) {
        const ArrayType type = in.make.type(input);
        if (!type.hasRank) {
            in.make.fail(shapeError("the rank of an input is unknown"));
            return result;
        }
        const ir::Dimension size = type.dimensions[static_cast<std::size_t>(axis)];
        sizes.push_back(in.make.known(size, "the size of an input along the axis"));
    }
    const ir::TermId parts = in.make.node("Split", {in.cotangents[0]}, {{"axis", axis}, {"sizes", sizes}});
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (in.isWanted[i])
            result[i] = sizes.size() == 1 ? parts : in.make.output(parts, static_cast<std::uint32_t>(i));
    }
    return result;
}

std::vector<ir::TermId> splitGradient(const GradientInput& in) {
    std::vector<ir::TermId> parts;
    for (std::size_t i = 0; i < in.cotangents.size(); ++i) {
        const bool isUsed = in.cotangents[i].isValid();
        parts.push_back(isUsed ? in.cotangents[i] : zerosLike(in.make, in.outputs[i]));
    }
    return {in.make.node("Concat", parts, {{"axis", in.attributes.integer("axis")}})};
}

}  // namespace

Status checkAxis(const ShapeInput& in, std::int64_t axis, std::size_t rank) {
    if (axis >= 0 && axis < static_cast<std::int64_t>(rank)) return Success{};
    return shapeError(fmt::format("{}: there is no axis {} in rank {}", in.op.name, axis, rank));
}

void addMovement(std::vector<Operator>& table) {
    table.push_back({.name = "Transpose",
                     .doc = "with its axes in another order",
                     .inputs = {{.name = "data"}},
                     .attributes = {{.name = "perm",
                                     .kind = AttributeKind::Integers,
                                     .doc = "for each axis of the result, the axis of the input"}},
                     .shape = transposeShape,
                     .evaluate = transposeEvaluate,
                     .work = transposeWork,
                     .onnx = {.import = importTranspose},
                     .gradient = {.rule = transposeGradient}});
    table.push_back({.name = "Concat",
                     .doc = "arrays joined along an axis",
                     .inputs = {{.name = "inputs", .kind = InputInfo::Kind::Variadic}},
                     .attributes = {{.name = "axis", .kind = AttributeKind::Integer}},
                     .shape = concatShape,
                     .evaluate = concatEvaluate,
                     .work = movement,
                     .onnx = {.import = importConcat},
                     .gradient = {.rule = concatGradient}});
    table.push_back({.name = "Split",
                     .doc = "parts of those sizes along an axis; as many results as sizes",
                     .inputs = {{.name = "input"}},
                     .attributes = {{.name = "axis", .kind = AttributeKind::Integer},
                                    {.name = "sizes", .kind = AttributeKind::Integers}},
                     .shape = splitShape,
                     .evaluate = splitEvaluate,
                     .work = splitWork,
                     .onnx = {.import = importSplit, .exportNode = exportSplit},
                     .gradient = {.rule = splitGradient}});
}

}  // namespace mitos::tensor
