// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of arrays.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/sized.h"
#include "core/tensor/internal/slice_part.h"
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
using ir::TermId;

// --- Slice ------------------------------------------------------------------------------------------------------------

/// Whether the position, counted from the end, exists for every value of the size: the last one of N does, that of N-1 or N/2 may
/// not.
bool isThere(const SizeExpression& size, std::int64_t fromEnd) {
    const std::optional<std::int64_t> least = size.leastValue();
    return least && *least >= 0 && fromEnd >= -*least;
}

/// The size of a slice of an axis whose size has a name, if it follows; else a name that describes the slice.
SizeExpression countOf(const SizeExpression& size, std::int64_t start, std::int64_t end, std::int64_t step) {
    const bool isOpen = end == ToTheEnd;
    const bool isFromEnd = start < 0 && (isOpen || end < 0);
    const bool isDetermined =
        step > 0 && (isFromEnd ? isThere(size, start) : start >= 0 && (isOpen || end < 0 || end <= start));
    if (!isDetermined) {
        return SizeExpression::named(
            fmt::format("slice({}:{}:{}:{})", size.text(), start, isOpen ? "" : fmt::format("{}", end), step));
    }
    if (!isOpen && (end < 0) == (start < 0)) {
        return end <= start ? SizeExpression(0) : SizeExpression((end - start - 1) / step + 1);
    }
    const SizeExpression from = start < 0 ? size + start : SizeExpression(start);
    const SizeExpression to = isOpen ? size : size + end;
    return (to - from + (step - 1)) / step;
}

struct SliceLists {
    const std::vector<std::int64_t>& starts;
    const std::vector<std::int64_t>& ends;
    const std::vector<std::int64_t>& axes;
    const std::vector<std::int64_t>& steps;
};

SliceLists listsOf(const Attributes& attributes) {
    return {attributes.integers("starts"), attributes.integers("ends"), attributes.integers("axes"),
            attributes.integers("steps")};
}

Result<std::vector<ArrayType>> sliceShape(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    const SliceLists lists = listsOf(in.attributes);
    const std::size_t count = lists.axes.size();
    if (lists.starts.size() != count || lists.ends.size() != count || lists.steps.size() != count) {
        return shapeError("Slice takes as many starts, ends and steps as axes");
    }
    for (const std::int64_t step : lists.steps) {
        if (step == 0 || step == std::numeric_limits<std::int64_t>::min())
            return shapeError(fmt::format("Slice cannot take steps of {}", step));
    }
    if (!result.hasRank) return std::vector<ArrayType>{result};
    for (std::size_t i = 0; i < count; ++i) {
        MITOS_REQUIRE(checkAxis(in, lists.axes[i], result.rank()));
        if (i > 0 && lists.axes[i] <= lists.axes[i - 1]) {
            return shapeError(fmt::format("Slice takes rising axes; found [{}]", fmt::join(lists.axes, ",")));
        }
        Dimension& size = result.dimensions[static_cast<std::size_t>(lists.axes[i])];
        size = size.isKnown()
                   ? Dimension::of(partOf(size.size, lists.starts[i], lists.ends[i], lists.steps[i]).count)
                   : countOf({size, in.symbols}, lists.starts[i], lists.ends[i], lists.steps[i]).dimension(in.symbols);
    }
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> sliceEvaluate(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    const SliceLists lists = listsOf(in.attributes);
    Shape steps = strides(data.shape);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < lists.axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(lists.axes[i]);
        const SlicePart part = partOf(data.shape[axis], lists.starts[i], lists.ends[i], lists.steps[i]);
        offset += part.start * steps[axis];
        steps[axis] *= part.step;
    }
    return std::vector<ArrayPtr>{gathered(data, offset, steps, in.outputs[0].shape())};
}

/// The work, which is that of a view if the slice is contiguous.
Work sliceWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const SliceLists lists = listsOf(in.attributes);
    work.readBytes = work.writtenBytes;
    const std::int64_t first = lists.axes.empty() ? 0 : lists.axes.front();
    work.isView = in.inputs[0].hasRank && lists.axes.size() <= 1 && (lists.steps.empty() || lists.steps.front() == 1) &&
                  std::all_of(in.inputs[0].dimensions.begin(), in.inputs[0].dimensions.begin() + first,
                              [](Dimension d) { return d == Dimension::of(1); });
    return work;
}

/// The bounds in canonical form, and only for axes of which something is left out.
Attributes canonicalSlice(const Operator& op, const ArrayType& data, const SliceLists& given) {
    std::vector<std::size_t> order(given.axes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return given.axes[a] < given.axes[b]; });
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> axes;
    std::vector<std::int64_t> steps;
    for (const std::size_t i : order) {
        const Dimension size = data.dimensions[static_cast<std::size_t>(given.axes[i])];
        std::int64_t start = given.starts[i];
        std::int64_t end = given.ends[i];
        std::int64_t step = given.steps[i];
        if (size.isKnown()) {
            const SlicePart part = partOf(size.size, start, end, step);
            step = part.count <= 1 ? 1 : step;
            start = part.start;
            end = part.count == 0 ? 0 : part.start + (part.count - 1) * step + (step > 0 ? 1 : -1);
            if (end < 0) end = -size.size - 1;  // backwards to the first
            if (start == 0 && part.count == size.size && step == 1) continue;
        } else {
            if (end >= std::numeric_limits<std::int32_t>::max()) end = ToTheEnd;
            if (start == 0 && end == ToTheEnd && step == 1) continue;
        }
        starts.push_back(start);
        ends.push_back(end);
        axes.push_back(given.axes[i]);
        steps.push_back(step);
    }
    Attributes attributes(op);
    attributes.set("starts", std::move(starts)).set("ends", std::move(ends));
    attributes.set("axes", std::move(axes)).set("steps", std::move(steps));
    return attributes;
}

/// The bounds of a slice as a file has them, one for each axis; axes count from 0.
struct Bounds {
    std::vector<SizeExpression> starts;
    std::vector<SizeExpression> ends;
    std::vector<std::int64_t> axes;
    std::vector<std::int64_t> steps;
};

Result<std::vector<SizeExpression>> boundsIn(const OnnxNode& node, const OnnxContext& context, std::string_view name,
                                             std::size_t input) {
    if (!hasInput(node, input)) {
        const std::optional<std::vector<std::int64_t>> given = integersOf(node, name);
        if (!given) return notThisForm(fmt::format("Slice has no {}", name));
        return std::vector<SizeExpression>(given->begin(), given->end());
    }
    std::optional<std::vector<SizeExpression>> sizes = context.sizes(input);
    if (!sizes) return notThisForm(fmt::format("the {} of Slice are known only when the program runs", name));
    return *std::move(sizes);
}

Result<Bounds> readBounds(const OnnxNode& node, const OnnxContext& context, const ArrayType& data) {
    MITOS_TRY(std::vector<SizeExpression> starts, boundsIn(node, context, "starts", 1));
    MITOS_TRY(std::vector<SizeExpression> ends, boundsIn(node, context, "ends", 2));
    MITOS_TRY(std::optional<std::vector<std::int64_t>> axes, integersOf(node, context, "axes", 3));
    MITOS_TRY(std::optional<std::vector<std::int64_t>> steps, integersOf(node, context, "steps", 4));
    std::vector<std::int64_t> all(starts.size());
    std::iota(all.begin(), all.end(), 0);
    Bounds bounds{std::move(starts), std::move(ends), axes.value_or(std::move(all)), {}};
    bounds.steps = steps.value_or(std::vector<std::int64_t>(bounds.axes.size(), 1));
    const std::size_t count = bounds.axes.size();
    if (bounds.starts.size() != count || bounds.ends.size() != count || bounds.steps.size() != count) {
        return notThisForm("Slice does not have as many starts, ends and steps as axes");
    }
    for (std::size_t i = 0; i < count; ++i) {
        MITOS_TRY(bounds.axes[i], normalizedAxis(bounds.axes[i], data.rank()));
        if (bounds.steps[i] == 0) return notThisForm("Slice cannot take steps of 0");
    }
    MITOS_REQUIRE(normalizedAxes(bounds.axes, data.rank()));
    return bounds;
}

/// A bound as a number, as in terms; counted from the end of the axis if only that makes it a number.
std::optional<std::int64_t> boundNumber(const SizeExpression& bound, const SizeExpression& size, bool isEnd) {
    if (bound.number()) return bound.number();
    const std::optional<std::int64_t> fromEnd = (bound - size).number();
    if (!fromEnd || *fromEnd > 0) return std::nullopt;
    if (*fromEnd == 0) return isEnd ? std::optional(ToTheEnd) : std::nullopt;
    return fromEnd;
}

Result<Imported> importSlice(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    MITOS_TRY(const Bounds bounds, readBounds(node, context, data));
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < bounds.axes.size(); ++i) {
        const SizeExpression size(data.dimensions[static_cast<std::size_t>(bounds.axes[i])], context.symbols());
        const std::optional<std::int64_t> start = boundNumber(bounds.starts[i], size, false);
        const std::optional<std::int64_t> end = boundNumber(bounds.ends[i], size, true);
        if (!start || !end) return notThisForm("the bounds of Slice are computed when the program runs");
        starts.push_back(*start);
        ends.push_back(*end);
    }
    return Imported{.attributes = canonicalSlice(op, data, {starts, ends, bounds.axes, bounds.steps}), .inputs = {0}};
}

// --- SliceTo ----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> sliceToShape(const ShapeInput& in) {
    ArrayType result = sizedType(in, in.inputs[0].dtype);
    if (!in.inputs[0].hasRank || in.inputs[0].rank() == result.rank()) return std::vector<ArrayType>{std::move(result)};
    return shapeError(fmt::format("SliceTo: rank {} cannot become rank {}", in.inputs[0].rank(), result.rank()));
}

Result<std::vector<ArrayPtr>> sliceTo(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    const auto given = [&in](std::size_t input) { return input < in.inputs.size() && in.inputs[input] != nullptr; };
    const std::vector<std::int64_t> starts = integersIn(*in.inputs[1]);
    const std::vector<std::int64_t> ends = integersIn(*in.inputs[2]);
    std::vector<std::int64_t> axes(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (given(3)) axes = integersIn(*in.inputs[3]);
    const std::vector<std::int64_t> ones(starts.size(), 1);
    const std::vector<std::int64_t> jumps = given(4) ? integersIn(*in.inputs[4]) : ones;
    if (ends.size() != starts.size() || axes.size() != starts.size() || jumps.size() != starts.size())
        return shapeError("SliceTo takes as many starts, ends and steps as axes");
    Shape shape = data.shape;
    Shape steps = strides(data.shape);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const Result<std::int64_t> normal = normalizedAxis(axes[i], shape.size());
        if (!normal || jumps[i] == 0) return shapeError("SliceTo: there is no such axis, or a step of 0");
        const auto axis = static_cast<std::size_t>(*normal);
        const SlicePart part = partOf(data.shape[axis], starts[i], ends[i], jumps[i]);
        shape[axis] = part.count;
        offset += part.start * steps[axis];
        steps[axis] *= part.step;
    }
    return std::vector<ArrayPtr>{gathered(data, offset, steps, std::move(shape))};
}

/// The size of the part taken of an axis; nullopt for computed bounds with steps. Computed bounds are assumed to be in range.
std::optional<Dimension> takenSize(Dimension whole, const SizeExpression& start, const SizeExpression& end,
                                   std::int64_t step, SymbolTable& symbols) {
    const SizeExpression size(whole, symbols);
    const std::optional<std::int64_t> from = boundNumber(start, size, false);
    std::optional<std::int64_t> to = boundNumber(end, size, true);
    if (to && *to >= std::numeric_limits<std::int32_t>::max()) to = ToTheEnd;
    if (from && to) {
        if (whole.isKnown()) return Dimension::of(partOf(whole.size, *from, *to, step).count);
        return countOf(size, *from, *to, step).dimension(symbols);
    }
    if (step != 1) return std::nullopt;
    const auto placed = [&size](const SizeExpression& bound, std::optional<std::int64_t> number) {
        if (!number) return bound;
        if (*number == ToTheEnd) return size;
        return *number < 0 ? size + *number : SizeExpression(*number);
    };
    const SizeExpression count = placed(end, to) - placed(start, from);
    return count.number().value_or(0) < 0 ? Dimension::of(0) : count.dimension(symbols);
}

Result<Imported> importSliceTo(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    if (!hasInput(node, 1) || !hasInput(node, 2)) return notThisForm("Slice has no computed bounds");
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    MITOS_TRY(const Bounds bounds, readBounds(node, context, data));
    std::vector<Dimension> sizes = data.dimensions;
    for (std::size_t i = 0; i < bounds.axes.size(); ++i) {
        Dimension& size = sizes[static_cast<std::size_t>(bounds.axes[i])];
        const std::optional<Dimension> taken =
            takenSize(size, bounds.starts[i], bounds.ends[i], bounds.steps[i], context.symbols());
        if (!taken) return notThisForm("the bounds of Slice are computed when the program runs");
        size = *taken;
    }
    MITOS_TRY(std::vector<std::string> names, sizeNames(sizes, context.symbols()));
    Attributes attributes(op);
    attributes.set("sizes", std::move(names));
    return Imported{.attributes = std::move(attributes), .inputs = firstInputs(node, 5)};
}

Exported exportSlice(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    const SliceLists lists = listsOf(attributes);
    return {.type = "Slice",
            .constants = {{.input = 1, .values = lists.starts},
                          {.input = 2, .values = lists.ends},
                          {.input = 3, .values = lists.axes},
                          {.input = 4, .values = lists.steps}}};
}

// --- gradient -------------------------------------------------------------------------------------------------------

/// The elements along an axis in reverse order.
TermId reversed(TermMaker& make, TermId term, std::int64_t axis) {
    return make.node("Slice", {term},
                     {{"starts", Shape{-1}}, {"ends", Shape{-ToTheEnd}}, {"axes", Shape{axis}}, {"steps", Shape{-1}}});
}

/// step - 1 zeros behind each element along an axis.
TermId spread(TermMaker& make, TermId term, std::size_t axis, std::int64_t step) {
    const ArrayType type = make.type(term);
    if (!type.isStatic()) {
        make.fail(shapeError("the sizes of a part with steps are only names"));
        return {};
    }
    const auto next = static_cast<std::int64_t>(axis + 1);
    Shape pads(2 * (type.rank() + 1), 0);
    pads[type.rank() + 1 + axis + 1] = step - 1;
    Shape joined = type.shape();
    joined[axis] *= step;
    const TermId apart = make.node("Unsqueeze", {term}, {{"axes", Shape{next}}});
    return make.node("Reshape", {make.node("Pad", {apart}, {{"pads", pads}})}, {{"shape", joined}});
}

/// The part, where it was, with zeros around it.
std::vector<TermId> sliceGradient(const GradientInput& in) {
    TermMaker& make = in.make;
    const ArrayType whole = make.type(in.inputs[0]);
    if (!whole.hasRank) {
        make.fail(shapeError("the rank of data is unknown"));
        return {TermId()};
    }
    TermId d = in.cotangents[0];
    const std::vector<std::int64_t>& axes = in.attributes.integers("axes");
    Shape pads(2 * whole.rank(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(axes[i]);
        const std::int64_t size = make.known(whole.dimensions[axis], "the size of an axis");
        const SlicePart part = partOf(size, in.attributes.integers("starts")[i], in.attributes.integers("ends")[i],
                                      in.attributes.integers("steps")[i]);
        const std::int64_t step = std::abs(part.step);
        if (part.step < 0) d = reversed(make, d, axes[i]);
        if (step > 1) d = spread(make, d, axis, step);
        pads[axis] = part.step < 0 ? part.start - (part.count - 1) * step : part.start;
        pads[whole.rank() + axis] = size - pads[axis] - part.count * step;  // may cut zeros off
    }
    return {make.node("Pad", {d}, {{"pads", pads}})};
}

}  // namespace

void addSlices(std::vector<Operator>& table) {
    const auto list = [](std::string name, std::string doc) {
        return AttributeInfo{.name = std::move(name), .kind = AttributeKind::Integers, .doc = std::move(doc)};
    };
    table.push_back({.name = "Slice",
                     .doc = "part of an array: from starts up to ends (not included) along some axes",
                     .inputs = {{.name = "data"}},
                     .attributes = {list("starts", "first places; negative ones count from the end"),
                                    list("ends", "places behind the last"), list("axes", "rising"),
                                    list("steps", "every how many; negative: backwards")},
                     .shape = sliceShape,
                     .evaluate = sliceEvaluate,
                     .work = sliceWork,
                     .onnx = {.import = importSlice, .exportNode = exportSlice},
                     .gradient = {.rule = sliceGradient}});
    table.push_back({.name = "SliceTo",
                     .doc = "part of an array, between bounds that inputs say",
                     .inputs = {{.name = "data"},
                                {.name = "starts"},
                                {.name = "ends"},
                                {.name = "axes", .kind = InputInfo::Kind::Optional},
                                {.name = "steps", .kind = InputInfo::Kind::Optional}},
                     .attributes = {sizesAttribute()},
                     .shape = sliceToShape,
                     .evaluate = sliceTo,
                     .work = movement,
                     .traits = {.mayFail = true},
                     .onnx = {.type = "Slice", .import = importSliceTo, .exportNode = exportSized}});
}

}  // namespace mitos::tensor
