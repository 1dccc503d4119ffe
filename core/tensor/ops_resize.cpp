// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays sampled at other places: nearest and linear interpolation, axis by axis.
#include "core/tensor/dimension.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops.h"
#include "core/tensor/strided.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::tensor {

namespace {

using ir::Dimension;

Result<std::vector<ArrayType>> resizeShape(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{result};
    const std::vector<std::int64_t>& sizes = in.attributes.integers("sizes");
    const std::vector<double>& scales = in.attributes.floats("scales");
    if ((sizes.empty() ? scales.size() : sizes.size()) != result.rank() || (!sizes.empty() && !scales.empty())) {
        return shapeError(fmt::format("Resize takes {} numbers, as sizes or as scales", result.rank()));
    }
    for (std::size_t i = 0; i < result.rank(); ++i) {
        Dimension& size = result.dimensions[i];
        if (!sizes.empty()) {
            if (sizes[i] < 1) return shapeError(fmt::format("Resize: {} is no size", sizes[i]));
            size = Dimension::of(sizes[i]);
            continue;
        }
        const double scale = scales[i];
        if (!(scale > 0.0) || scale > 1e6) return shapeError(fmt::format("Resize: {} is no scale", scale));
        if (size.isKnown())
            size = Dimension::of(static_cast<std::int64_t>(std::floor(static_cast<double>(size.size) * scale)));
        else if (scale == std::floor(scale))
            size = (SizeExpression(size, in.symbols) * static_cast<std::int64_t>(scale)).dimension(in.symbols);
        else
            size = SizeExpression::named(fmt::format("floor({}:{})", scale, dimensionText(size, in.symbols)))
                       .dimension(in.symbols);
    }
    return std::vector<ArrayType>{std::move(result)};
}

/// Where place `at` of the result lies in the source.
double sourcePlace(std::string_view mode, std::int64_t at, std::int64_t from, std::int64_t to, double scale) {
    const auto x = static_cast<double>(at);
    if (mode == "asymmetric") return x / scale;
    if (mode == "align_corners") return to == 1 ? 0.0 : x * static_cast<double>(from - 1) / static_cast<double>(to - 1);
    if (mode == "pytorch_half_pixel" && to == 1) return 0.0;
    return (x + 0.5) / scale - 0.5;
}

double rounded(std::string_view mode, double x) {
    if (mode == "floor") return std::floor(x);
    if (mode == "ceil") return std::ceil(x);
    return mode == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}

/// Along one axis, between the two neighbours of each place; beyond the ends there is more of the ends.
ArrayPtr interpolated(const Array& from, std::size_t axis, const std::vector<double>& places) {
    auto result = std::make_shared<Array>();
    result->dtype = from.dtype;
    result->shape = from.shape;
    result->shape[axis] = static_cast<std::int64_t>(places.size());
    const std::int64_t before = elementCount(std::span(from.shape).first(axis));
    const std::int64_t behind = elementCount(std::span(from.shape).subspan(axis + 1));
    const auto last = static_cast<double>(from.shape[axis] - 1);
    for (std::int64_t outer = 0; outer < before; ++outer) {
        for (const double place : places) {
            const double x = std::clamp(place, 0.0, last);
            const double low = std::floor(x);
            const double weight = x - low;
            const double* const a =
                from.elements.data() + (outer * from.shape[axis] + static_cast<std::int64_t>(low)) * behind;
            const double* const b = weight > 0.0 ? a + behind : a;
            for (std::int64_t i = 0; i < behind; ++i) result->elements.push_back(a[i] * (1.0 - weight) + b[i] * weight);
        }
    }
    return result;
}

Result<std::vector<ArrayPtr>> resizeEvaluate(const EvaluateInput& in) {
    ArrayPtr data = in.inputs[0];
    const Shape shape = in.outputs[0].shape();
    const std::vector<double>& scales = in.attributes.floats("scales");
    const std::string& coordinates = in.attributes.word("coordinate_transformation_mode");
    AxisMaps maps;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::int64_t size = in.inputs[0]->shape[axis];
        const double scale =
            scales.empty() ? static_cast<double>(shape[axis]) / static_cast<double>(size) : scales[axis];
        std::vector<double> places;
        for (std::int64_t i = 0; i < shape[axis]; ++i)
            places.push_back(sourcePlace(coordinates, i, size, shape[axis], scale));
        if (in.attributes.word("mode") == "linear") {
            if (shape[axis] != size || scale != 1.0) data = interpolated(*data, axis, places);
            continue;
        }
        Shape map;
        for (const double place : places) {
            const double nearest = rounded(in.attributes.word("nearest_mode"), place);
            map.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(nearest), 0, size - 1));
        }
        maps.push_back(std::move(map));
    }
    return std::vector<ArrayPtr>{maps.empty() && !shape.empty() ? data : gathered(*data, maps)};
}

/// A few multiplications and additions for each axis.
Work resizeWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    if (in.attributes.word("mode") == "linear")
        work.flops = 3.0 * elements(outputs[0]) * static_cast<double>(outputs[0].rank());
    return work;
}

Result<Imported> importResize(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const bool isOld = node.type == "Upsample" || node.opset < 11;
    std::optional<std::vector<double>> scales = floatsOf(node, "scales");
    std::optional<std::vector<std::int64_t>> sizes;
    const std::size_t scalesInput = isOld ? 1 : 2;
    if (hasInput(node, scalesInput)) scales = context.floats(scalesInput);
    if (!isOld && hasInput(node, 3)) sizes = context.integers(3);
    if (scales && scales->empty()) scales.reset();
    if (!scales && !sizes) return notThisForm("neither sizes nor scales of Resize are constants");
    const std::string mode = wordOf(node, "mode", "nearest");
    const std::string coordinates = wordOf(node, "coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
    const std::string nearest = wordOf(node, "nearest_mode", isOld ? "floor" : "round_prefer_floor");
    for (const char* const name : {"antialias", "keep_aspect_ratio_policy", "axes", "exclude_outside"}) {
        if (node.attributes.contains(name) && integerOf(node, name, 1) != 0)
            return notThisForm(fmt::format("Resize with {}", name));
    }
    Attributes attributes(op);
    const std::vector<std::pair<const char*, std::string>> words = {
        {"mode", mode}, {"coordinate_transformation_mode", coordinates}, {"nearest_mode", nearest}};
    for (const auto& [name, word] : words) {
        const auto info =
            std::find_if(op.attributes.begin(), op.attributes.end(),
                         [name = std::string_view(name)](const AttributeInfo& a) { return a.name == name; });
        if (std::find(info->words.begin(), info->words.end(), word) == info->words.end())
            return notThisForm(fmt::format("Resize with {} {}", name, word));
        attributes.set(name, word);
    }
    attributes.set("scales", sizes ? std::vector<double>() : *std::move(scales));
    attributes.set("sizes", sizes.value_or(std::vector<std::int64_t>()));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Exported exportResize(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    Exported result{.type = "Resize"};
    for (const char* const name : {"mode", "coordinate_transformation_mode", "nearest_mode"})
        result.attributes.emplace(name, attributes.word(name));
    if (attributes.integers("sizes").empty())
        result.constants.push_back({2, attributes.floats("scales")});
    else
        result.constants.push_back({3, attributes.integers("sizes")});
    return result;
}

}  // namespace

void addResizes(std::vector<Operator>& table) {
    const auto word = [](std::string name, std::vector<std::string> words) {
        return AttributeInfo{
            .name = std::move(name), .kind = AttributeKind::Word, .defaultText = words.front(), .words = words};
    };
    table.push_back(
        {.name = "Resize",
         .doc = "sampled at other places: each axis by a scale, or to a size",
         .inputs = {{.name = "X"}},
         .attributes = {{.name = "scales", .kind = AttributeKind::Floats, .doc = "one an axis, or none"},
                        {.name = "sizes", .kind = AttributeKind::Integers, .doc = "one an axis where scales has none"},
                        word("mode", {"nearest", "linear"}),
                        word("coordinate_transformation_mode",
                             {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}),
                        word("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})},
         .shape = resizeShape,
         .evaluate = resizeEvaluate,
         .work = resizeWork,
         .onnx = {.alsoFrom = {"Upsample"}, .import = importResize, .exportNode = exportResize}});
}

}  // namespace mitos::tensor
