// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of arrays, and arrays with something around them.
#include "core/tensor/dimension.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops.h"
#include "core/tensor/strided.h"
#include "core/tensor/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mitos::tensor {

namespace {

using ir::Dimension;

/// As the end of a slice: to the end of the axis.
constexpr std::int64_t ToTheEnd = std::numeric_limits<std::int64_t>::max();

// --- Slice ------------------------------------------------------------------------------------------------------------

struct Part {
    std::int64_t start = 0;
    std::int64_t count = 0;
    std::int64_t step = 1;
};

/// What a slice takes of an axis of that size: negative bounds count from its end, and those outside are moved inside.
Part partOf(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (start < 0) start += size;
    if (end < 0) end += size;
    std::int64_t length = 0;
    if (step > 0) {
        start = std::clamp<std::int64_t>(start, 0, size);
        length = std::clamp<std::int64_t>(end, 0, size) - start;
    } else {
        start = std::clamp<std::int64_t>(start, 0, std::max<std::int64_t>(0, size - 1));
        length = size == 0 ? 0 : start - std::clamp<std::int64_t>(end, -1, size - 1);
    }
    if (length <= 0) return {};
    return {start, (length - 1) / std::abs(step) + 1, step};
}

/// The size that a slice has of a size with a name, where it follows; else a name that says what is taken.
SizeExpression countOf(const SizeExpression& size, std::int64_t start, std::int64_t end, std::int64_t step) {
    const bool isOpen = end == ToTheEnd;
    const bool isTold = step > 0 && (isOpen || end < 0 || start < 0 || end <= start);
    if (!isTold || (start < 0 && end >= 0 && !isOpen))
        return SizeExpression::named(fmt::format("slice({}:{}:{}:{})", size.text(), start, end, step));
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
        if (Status status = checkAxis(in, lists.axes[i], result.rank()); !status) return std::move(status).error();
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
        const Part part = partOf(data.shape[axis], lists.starts[i], lists.ends[i], lists.steps[i]);
        offset += part.start * steps[axis];
        steps[axis] *= part.step;
    }
    return std::vector<ArrayPtr>{gathered(data, offset, steps, in.outputs[0].shape())};
}

/// A view where what is taken lies in one piece.
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

/// Bounds in the only way to say what they say, and only of axes of which something is left out.
Attributes canonicalSlice(const Operator& op, const ArrayType& data, const SliceLists& given) {
    std::vector<std::size_t> order(given.axes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return given.axes[a] < given.axes[b]; });
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
            const Part part = partOf(size.size, start, end, step);
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

Result<Imported> importSlice(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const Result<ArrayType> data = rankedInput(node, context, 0);
    if (!data) return data.error();
    std::vector<std::vector<std::int64_t>> lists;
    for (const char* const name : {"starts", "ends", "axes", "steps"}) {
        Result<std::optional<std::vector<std::int64_t>>> given = integersOf(node, context, name, lists.size() + 1);
        if (!given) return std::move(given).error();
        if (!*given && lists.size() < 2) return notThisForm(fmt::format("Slice has no {}", name));
        std::vector<std::int64_t> otherwise(lists.empty() ? 0 : lists.front().size(), 1);
        if (lists.size() == 2) std::iota(otherwise.begin(), otherwise.end(), 0);
        lists.push_back(given->value_or(std::move(otherwise)));
        if (lists.back().size() != lists.front().size()) {
            return notThisForm("Slice does not have as many starts, ends and steps as axes");
        }
    }
    for (std::size_t i = 0; i < lists[2].size(); ++i) {
        const Result<std::int64_t> axis = normalizedAxis(lists[2][i], data->rank());
        if (!axis) return axis.error();
        lists[2][i] = *axis;
        if (lists[3][i] == 0) return notThisForm("Slice cannot take steps of 0");
    }
    if (const Result<std::vector<std::int64_t>> axes = normalizedAxes(lists[2], data->rank()); !axes)
        return axes.error();
    return Imported{.attributes = canonicalSlice(op, *data, {lists[0], lists[1], lists[2], lists[3]}), .inputs = {0}};
}

Exported exportSlice(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    const SliceLists lists = listsOf(attributes);
    return {.type = "Slice",
            .constants = {{.input = 1, .values = lists.starts},
                          {.input = 2, .values = lists.ends},
                          {.input = 3, .values = lists.axes},
                          {.input = 4, .values = lists.steps}}};
}

// --- Pad --------------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> padShape(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{result};
    const std::vector<std::int64_t>& pads = in.attributes.integers("pads");
    const std::string& mode = in.attributes.word("mode");
    const std::size_t rank = result.rank();
    if (pads.size() != 2 * rank) {
        return shapeError(fmt::format("Pad takes {} numbers as pads; found {}", 2 * rank, pads.size()));
    }
    for (std::size_t i = 0; i < rank; ++i) {
        Dimension& size = result.dimensions[i];
        const std::int64_t least = std::min(pads[i], pads[i + rank]);
        const std::int64_t most = std::max(pads[i], pads[i + rank]);
        const SizeExpression padded = SizeExpression(size, in.symbols) + pads[i] + pads[i + rank];
        if (padded.number().value_or(0) < 0 || (least < 0 && mode != "constant")) {
            return shapeError(fmt::format("Pad: {} cannot be taken from a size of {}",
                                          -std::min(least, pads[i] + pads[i + rank]), dimensionText(size, in.symbols)));
        }
        if (size.isKnown() && most > 0 && mode != "constant" &&
            (mode == "reflect" ? most >= size.size : size.size == 0)) {
            return shapeError(fmt::format("Pad: a size of {} has nothing to {} {} times", size.size,
                                          mode == "reflect" ? "reflect" : "repeat", most));
        }
        size = padded.dimension(in.symbols);
    }
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> padEvaluate(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    const std::vector<std::int64_t>& pads = in.attributes.integers("pads");
    const std::string& mode = in.attributes.word("mode");
    const Shape shape = in.outputs[0].shape();
    AxisMaps maps;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::int64_t last = data.shape[axis] - 1;
        Shape map;
        for (std::int64_t i = -pads[axis]; i < shape[axis] - pads[axis]; ++i) {
            std::int64_t place = i < 0 || i > last ? -1 : i;
            if (mode == "edge") place = std::clamp<std::int64_t>(i, 0, last);
            if (mode == "reflect") place = last - std::abs(last - std::abs(i));
            map.push_back(place);
        }
        maps.push_back(std::move(map));
    }
    return std::vector<ArrayPtr>{gathered(data, maps, in.attributes.floating("value"))};
}

Result<Imported> importPad(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const Result<ArrayType> data = rankedInput(node, context, 0);
    if (!data) return data.error();
    const Result<std::optional<std::vector<std::int64_t>>> given = integersOf(node, context, "pads", 1);
    if (!given) return given.error();
    if (!*given) return notThisForm("Pad has no pads");
    std::vector<std::int64_t> pads = **given;
    double value = floatOf(node, "value", 0.0);
    if (hasInput(node, 2)) {
        const std::optional<std::vector<double>> floats = context.floats(2);
        const std::optional<std::vector<std::int64_t>> integers = floats ? std::nullopt : context.integers(2);
        if (floats && floats->size() == 1)
            value = floats->front();
        else if (integers && integers->size() == 1)
            value = static_cast<double>(integers->front());
        else
            return notThisForm("what Pad pads with is no constant");
    }
    if (hasInput(node, 3)) {  // pads of some axes
        const std::optional<std::vector<std::int64_t>> axes = context.integers(3);
        if (!axes || pads.size() != 2 * axes->size()) return notThisForm("the axes of Pad are not known");
        std::vector<std::int64_t> all(2 * data->rank(), 0);
        for (std::size_t i = 0; i < axes->size(); ++i) {
            const Result<std::int64_t> axis = normalizedAxis((*axes)[i], data->rank());
            if (!axis) return axis.error();
            all[static_cast<std::size_t>(*axis)] = pads[i];
            all[static_cast<std::size_t>(*axis) + data->rank()] = pads[i + axes->size()];
        }
        pads = std::move(all);
    }
    const std::string mode = wordOf(node, "mode", "constant");
    if (mode != "constant" && mode != "reflect" && mode != "edge") {
        return notThisForm(fmt::format("Pad of mode {}", mode));
    }
    if (!std::isfinite(value)) return notThisForm("Pad with what is no number");
    Attributes attributes(op);
    attributes.set("pads", std::move(pads)).set("mode", mode).set("value", mode == "constant" ? value : 0.0);
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Exported exportPad(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    Exported result{.type = "Pad",
                    .attributes = {{"mode", attributes.word("mode")}},
                    .constants = {{.input = 1, .values = attributes.integers("pads")}}};
    if (attributes.floating("value") != 0.0) result.constants.push_back({2, attributes.floating("value")});
    return result;
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
                     .onnx = {.import = importSlice, .exportNode = exportSlice}});
    table.push_back({.name = "Pad",
                     .doc = "with something around it: a value, its edge, or what lies behind its edge",
                     .inputs = {{.name = "data"}},
                     .attributes = {list("pads", "places before each axis, then behind each; negative: fewer"),
                                    {.name = "mode",
                                     .kind = AttributeKind::Word,
                                     .defaultText = "constant",
                                     .words = {"constant", "reflect", "edge"}},
                                    {.name = "value", .kind = AttributeKind::Float, .defaultText = "0.0"}},
                     .shape = padShape,
                     .evaluate = padEvaluate,
                     .work = movement,
                     .onnx = {.import = importPad, .exportNode = exportPad}});
}

}  // namespace mitos::tensor
