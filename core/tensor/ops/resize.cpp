// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays sampled at other positions: nearest, linear and cubic interpolation, axis by axis.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/interpolation.h"
#include "core/tensor/internal/strided.h"
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

/// The scaled size, computed in single precision as in ONNX, where 100 times 0.29 is 29.
std::int64_t scaledSize(std::int64_t size, double scale) {
    return wholeNumber(std::floor(static_cast<float>(size) * static_cast<float>(scale)));
}

Result<std::vector<ArrayType>> resizeShape(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{result};
    const std::vector<std::int64_t>& sizes = in.attributes.integers("sizes");
    const std::vector<double>& scales = in.attributes.floats("scales");
    const std::size_t rois = in.attributes.floats("roi").size();
    if (rois != 0 && rois != 2 * result.rank()) return shapeError("Resize takes two numbers of a region for each axis");
    if (in.attributes.word("coordinate_transformation_mode") == "tf_crop_and_resize" && rois == 0 && result.rank() > 0)
        return shapeError("Resize has no region to cut out");
    if ((sizes.empty() ? scales.size() : sizes.size()) != result.rank() || (!sizes.empty() && !scales.empty())) {
        return shapeError(fmt::format("Resize takes {} numbers, as sizes or as scales", result.rank()));
    }
    for (std::size_t i = 0; i < result.rank(); ++i) {
        Dimension& size = result.dimensions[i];
        if (!sizes.empty()) {
            if (sizes[i] < 1) return shapeError(fmt::format("Resize: {} is no size", sizes[i]));
            if (size == Dimension::of(0)) return shapeError("Resize: there is nothing to enlarge");
            size = Dimension::of(sizes[i]);
            continue;
        }
        const double scale = scales[i];
        if (!(scale > 0.0) || scale > 1e6) return shapeError(fmt::format("Resize: {} is no scale", scale));
        if (size.isKnown())
            size = Dimension::of(scaledSize(size.size, scale));
        else if (scale == std::floor(scale))
            size = (SizeExpression(size, in.symbols) * static_cast<std::int64_t>(scale)).dimension(in.symbols);
        else
            size = SizeExpression::named(fmt::format("floor({}:{})", scale, dimensionText(size, in.symbols)))
                       .dimension(in.symbols);
    }
    return std::vector<ArrayType>{std::move(result)};
}

/// An axis of the source and of the result.
struct ResizedAxis {
    std::int64_t from = 1;
    std::int64_t to = 1;
    double scale = 1.0;
    double first = 0.0;  ///< start of the sampled part, as a fraction of the axis
    double last = 1.0;

    /// Whether the result is the source.
    [[nodiscard]] bool isWhole() const { return to == from && scale == 1.0 && first == 0.0 && last == 1.0; }
};

/// The position in the source of position `at` of the result.
double sourcePlace(std::string_view mode, std::int64_t at, const ResizedAxis& axis) {
    const auto x = static_cast<double>(at);
    const auto from = static_cast<double>(axis.from - 1);
    const auto to = static_cast<double>(axis.to - 1);
    if (mode == "asymmetric") return x / axis.scale;
    if (mode == "align_corners") return axis.to == 1 ? 0.0 : x * from / to;
    if (mode == "pytorch_half_pixel" && axis.to == 1) return 0.0;
    if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
    if (mode == "tf_crop_and_resize") {
        if (axis.to == 1) return 0.5 * (axis.first + axis.last) * from;
        return axis.first * from + x * (axis.last - axis.first) * from / to;
    }
    return (x + 0.5) / axis.scale - 0.5;
}

double rounded(std::string_view mode, double x) {
    if (mode == "floor") return std::floor(x);
    if (mode == "ceil") return std::ceil(x);
    return mode == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}

/// The weights of up to four neighbours, the first of them at `first`.
struct Weights4 {
    std::int64_t first = 0;
    std::array<double, 4> weights{};
};

Weights4 neighbours(const Attributes& attributes, double place, std::int64_t size) {
    const double low = std::floor(place);
    const double rest = place - low;
    // A region may lie anywhere; beyond the ends, the end elements repeat.
    const double beyond = static_cast<double>(size) + 2.0;
    Weights4 result{.first = wholeNumber(std::clamp(low, -beyond, beyond)) - 1,
                    .weights = {0.0, 1.0 - rest, rest, 0.0}};
    if (attributes.word("mode") == "cubic") {
        for (std::size_t i = 0; i < 4; ++i) {
            result.weights[i] =
                cubicKernel(rest - (static_cast<double>(i) - 1.0), attributes.floating("cubic_coeff_a"));
        }
    }
    if (!attributes.boolean("exclude_outside")) return result;
    double sum = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t at = result.first + static_cast<std::int64_t>(i);
        if (at < 0 || at >= size) result.weights[i] = 0.0;
        sum += result.weights[i];
    }
    for (double& weight : result.weights) weight /= sum;
    return result;
}

/// Interpolates along one axis between the neighbours of each position; beyond the ends, the end elements repeat.
ArrayPtr interpolated(const Array& from, std::size_t axis, const std::vector<double>& places,
                      const Attributes& attributes) {
    auto result = std::make_shared<Array>();
    result->dtype = from.dtype;
    result->shape = from.shape;
    result->shape[axis] = static_cast<std::int64_t>(places.size());
    result->elements.assign(static_cast<std::size_t>(elementCount(result->shape)), 0.0);
    const std::int64_t before = elementCount(std::span(from.shape).first(axis));
    const std::int64_t behind = elementCount(std::span(from.shape).subspan(axis + 1));
    const std::int64_t size = from.shape[axis];
    double* to = result->elements.data();
    for (std::int64_t outer = 0; outer < before; ++outer) {
        for (const double place : places) {
            const Weights4 near = neighbours(attributes, place, size);
            for (std::size_t n = 0; n < 4; ++n) {
                if (near.weights[n] == 0.0) continue;
                const std::int64_t at =
                    std::clamp<std::int64_t>(near.first + static_cast<std::int64_t>(n), 0, size - 1);
                const double* const source = from.elements.data() + (outer * size + at) * behind;
                for (std::int64_t i = 0; i < behind; ++i) to[i] += near.weights[n] * source[i];
            }
            to += behind;
        }
    }
    return result;
}

/// Fills the elements whose positions are outside of the source.
void fillOutside(Array& result, std::size_t axis, const std::vector<double>& places, std::int64_t size, double value) {
    const std::int64_t behind = elementCount(std::span(result.shape).subspan(axis + 1));
    for (std::size_t i = 0; i < result.elements.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i) / behind % result.shape[axis];
        const double place = places[static_cast<std::size_t>(at)];
        if (place < 0.0 || place > static_cast<double>(size - 1)) result.elements[i] = value;
    }
}

ResizedAxis resizedAxis(const Attributes& attributes, std::size_t axis, std::size_t rank, std::int64_t from,
                        std::int64_t to) {
    const std::vector<double>& scales = attributes.floats("scales");
    const std::vector<double>& roi = attributes.floats("roi");
    ResizedAxis result{.from = from, .to = to};
    result.scale = scales.empty() ? static_cast<double>(to) / static_cast<double>(from) : scales[axis];
    if (!roi.empty()) result.first = roi[axis];
    if (!roi.empty()) result.last = roi[axis + rank];
    return result;
}

std::vector<double> sourcePlaces(const Attributes& attributes, const ResizedAxis& axis) {
    std::vector<double> places;
    for (std::int64_t i = 0; i < axis.to; ++i)
        places.push_back(sourcePlace(attributes.word("coordinate_transformation_mode"), i, axis));
    return places;
}

std::vector<std::int64_t> nearestElements(const Attributes& attributes, const std::vector<double>& places,
                                          std::int64_t size) {
    std::vector<std::int64_t> elements;
    for (const double place : places) {
        const double nearest = rounded(attributes.word("nearest_mode"), place);
        elements.push_back(std::clamp<std::int64_t>(wholeNumber(nearest), 0, size - 1));
    }
    return elements;
}

Result<std::vector<ArrayPtr>> resizeEvaluate(const EvaluateInput& in) {
    ArrayPtr data = in.inputs[0];
    const Shape shape = in.outputs[0].shape();
    const std::string& coordinates = in.attributes.word("coordinate_transformation_mode");
    const bool isNearest = in.attributes.word("mode") == "nearest";
    AxisMaps maps;
    std::vector<std::vector<double>> allPlaces;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const ResizedAxis sizes =
            resizedAxis(in.attributes, axis, shape.size(), in.inputs[0]->shape[axis], shape[axis]);
        std::vector<double> places = sourcePlaces(in.attributes, sizes);
        if (!isNearest) {
            if (!sizes.isWhole()) data = interpolated(*data, axis, places, in.attributes);
            allPlaces.push_back(std::move(places));
            continue;
        }
        maps.push_back(nearestElements(in.attributes, places, sizes.from));
        allPlaces.push_back(std::move(places));
    }
    auto result = std::make_shared<Array>(maps.empty() && !shape.empty() ? *data : *gathered(*data, maps));
    for (std::size_t axis = 0; axis < shape.size() && coordinates == "tf_crop_and_resize"; ++axis) {
        fillOutside(*result, axis, allPlaces[axis], in.inputs[0]->shape[axis],
                    in.attributes.floating("extrapolation_value"));
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

/// The work of a few multiplications and additions for each axis.
Work resizeWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const std::string& mode = in.attributes.word("mode");
    if (mode != "nearest")
        work.flops = (mode == "linear" ? 3.0 : 7.0) * elements(outputs[0]) * static_cast<double>(outputs[0].rank());
    return work;
}

/// Numbers as a term; equal neighbours are one constant.
TermId numbersTerm(TermMaker& make, const std::vector<double>& numbers, ir::Dtype dtype) {
    std::vector<TermId> runs;
    const auto add = [&](double number, std::int64_t count) {
        runs.push_back(
            make.node("Constant", {},
                      {{"value", number}, {"dtype", std::string(ir::dtypeName(dtype))}, {"shape", Shape{count}}}));
    };
    for (auto first = numbers.begin(); first != numbers.end();) {
        const auto last = std::find_if(first, numbers.end(), [&](double number) { return number != *first; });
        add(*first, last - first);
        first = last;
    }
    if (runs.empty()) add(0.0, 0);
    return runs.size() == 1 ? runs.front() : make.node("Concat", runs, {{"axis", std::int64_t{0}}});
}

/// Along one axis, the elements at the given places.
TermId gatheredAlong(TermMaker& make, TermId data, std::size_t axis, const std::vector<std::int64_t>& elements) {
    const TermId indices = numbersTerm(make, std::vector<double>(elements.begin(), elements.end()), ir::Dtype::I64);
    return make.node("Gather", {data, indices}, {{"axis", static_cast<std::int64_t>(axis)}});
}

/// The interpolation along one axis: up to four gathered neighbours, each times its weights.
TermId interpolatedAlong(TermMaker& make, TermId data, std::size_t axis, const std::vector<double>& places,
                         const Attributes& attributes, std::int64_t size) {
    if (places.empty()) return gatheredAlong(make, data, axis, {});
    const ArrayType type = make.type(data);
    TermId sum;
    for (std::size_t n = 0; n < 4; ++n) {
        std::vector<std::int64_t> elements;
        std::vector<double> weights;
        for (const double place : places) {
            const Weights4 near = neighbours(attributes, place, size);
            elements.push_back(std::clamp<std::int64_t>(near.first + static_cast<std::int64_t>(n), 0, size - 1));
            weights.push_back(near.weights[n]);
        }
        if (std::ranges::all_of(weights, [](double weight) { return weight == 0.0; })) continue;
        TermId factors = numbersTerm(make, weights, type.dtype);
        if (axis + 1 < type.rank())
            factors = make.node("Unsqueeze", {factors}, {{"axes", axesBetween(1, type.rank() - axis)}});
        const TermId part = make.node("Mul", {gatheredAlong(make, data, axis, elements), factors});
        sum = sum.isValid() ? make.node("Add", {sum, part}) : part;
    }
    return sum;
}

/// The longest axis that resizeSteps() makes.
constexpr std::int64_t MostPlaces = 4096;

/// A term of the same value that gathers elements: the form that is differentiated.
Result<TermId> resizeSteps(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                           Symbol hint) {
    if (attributes.word("coordinate_transformation_mode") == "tf_crop_and_resize")
        return shapeError("the region that is cut out may reach beyond the array");
    TermMaker make(bank, hint);
    const ArrayType from = make.type(inputs[0]);
    if (!from.hasRank) return shapeError("the rank of X is unknown");
    MITOS_TRY(const TermId resized, tensor::make(bank, attributes.op(), inputs, attributes));
    const ArrayType to = make.type(resized);
    TermId data = inputs[0];
    for (std::size_t axis = 0; axis < from.rank() && !make.failed(); ++axis) {
        if (from.dimensions[axis] == to.dimensions[axis] && attributes.floats("scales").empty()) continue;
        if (!attributes.floats("scales").empty() && attributes.floats("scales")[axis] == 1.0) continue;
        const ResizedAxis sizes =
            resizedAxis(attributes, axis, from.rank(), make.known(from.dimensions[axis], "a size"),
                        make.known(to.dimensions[axis], "a size"));
        if (sizes.to > MostPlaces)
            return shapeError(fmt::format("an axis of {} elements is too long to be written out", sizes.to));
        const std::vector<double> places = sourcePlaces(attributes, sizes);
        data = attributes.word("mode") == "nearest"
                   ? gatheredAlong(make, data, axis, nearestElements(attributes, places, sizes.from))
                   : interpolatedAlong(make, data, axis, places, attributes, sizes.from);
    }
    return make.take(data);
}

/// Extends scales or sizes of some axes to all axes: the others keep their size.
Status completeResize(const OnnxNode& node, const OnnxContext& context, const std::vector<std::int64_t>& axes,
                      std::optional<std::vector<double>>& scales, std::optional<std::vector<std::int64_t>>& sizes) {
    MITOS_TRY(const ArrayType x, rankedInput(node, context, 0));
    if (hasInput(node, 1)) return notThisForm("Resize of some axes that cuts out a region");
    if (axes.size() != (sizes ? sizes->size() : scales->size())) {
        return notThisForm("Resize has another number of axes than of scales or sizes");
    }
    std::vector<double> allScales(x.rank(), 1.0);
    std::vector<std::int64_t> allSizes;
    for (const ir::Dimension dimension : x.dimensions) allSizes.push_back(dimension.isKnown() ? dimension.size : -1);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        MITOS_TRY(const std::int64_t axis, normalizedAxis(axes[i], x.rank()));
        const auto at = static_cast<std::size_t>(axis);
        if (sizes)
            allSizes[at] = (*sizes)[i];
        else
            allScales[at] = (*scales)[i];
    }
    if (!sizes) {
        scales = std::move(allScales);
        return Success{};
    }
    if (std::ranges::find(allSizes, -1) != allSizes.end()) {
        return notThisForm("Resize of some axes to sizes where others have names");
    }
    sizes = std::move(allSizes);
    return Success{};
}

Result<Imported> importResize(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const bool isOld = node.type == "Upsample" || node.opset < 11;
    std::optional<std::vector<double>> scales = floatsOf(node, "scales");
    std::optional<std::vector<std::int64_t>> sizes;
    const std::size_t scalesInput = isOld ? 1 : 2;
    if (hasInput(node, scalesInput)) scales = context.floats(scalesInput);
    if (!isOld && hasInput(node, 3)) sizes = context.integers(3);
    if (scales && scales->empty()) scales.reset();
    if (!scales && !sizes) return notThisForm("neither the sizes nor the scales of Resize are constants");
    const std::string mode = wordOf(node, "mode", "nearest");
    const std::string coordinates = wordOf(node, "coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
    const std::string nearest = wordOf(node, "nearest_mode", isOld ? "floor" : "round_prefer_floor");
    for (const char* const name : {"antialias", "keep_aspect_ratio_policy"}) {
        if (node.attributes.contains(name) && integerOf(node, name, 1) != 0)
            return notThisForm(fmt::format("Resize with {}", name));
    }
    if (const auto axes = integersOf(node, "axes")) MITOS_REQUIRE(completeResize(node, context, *axes, scales, sizes));
    Attributes attributes(op);
    const std::vector<std::pair<const char*, std::string>> words = {
        {"mode", mode}, {"coordinate_transformation_mode", coordinates}, {"nearest_mode", nearest}};
    for (const auto& [name, word] : words) {
        const auto info = std::ranges::find_if(
            op.attributes, [name = std::string_view(name)](const AttributeInfo& a) { return a.name == name; });
        if (std::ranges::find(info->words, word) == info->words.end())
            return notThisForm(fmt::format("Resize with {} {}", name, word));
        attributes.set(name, word);
    }
    // Terms keep the defaults of attributes that their mode does not use.
    if (mode == "cubic") attributes.set("cubic_coeff_a", floatOf(node, "cubic_coeff_a", -0.75));
    if (mode != "nearest") attributes.set("exclude_outside", integerOf(node, "exclude_outside", 0) != 0);
    if (coordinates == "tf_crop_and_resize") {
        std::optional<std::vector<double>> roi = hasInput(node, 1) ? context.floats(1) : std::nullopt;
        if (!roi) return notThisForm("the region that Resize cuts out is not a constant");
        attributes.set("roi", *std::move(roi)).set("extrapolation_value", floatOf(node, "extrapolation_value", 0.0));
    }
    attributes.set("scales", sizes ? std::vector<double>() : *std::move(scales));
    attributes.set("sizes", sizes.value_or(std::vector<std::int64_t>()));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Exported exportResize(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    Exported result{.type = "Resize"};
    for (const char* const name : {"mode", "coordinate_transformation_mode", "nearest_mode"})
        result.attributes.emplace(name, attributes.word(name));
    if (attributes.word("mode") == "cubic")
        result.attributes.emplace("cubic_coeff_a", attributes.floating("cubic_coeff_a"));
    if (attributes.boolean("exclude_outside")) result.attributes.emplace("exclude_outside", std::int64_t{1});
    if (!attributes.floats("roi").empty()) {
        result.attributes.emplace("extrapolation_value", attributes.floating("extrapolation_value"));
        result.constants.push_back({1, attributes.floats("roi")});
    }
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
         .attributes =
             {{.name = "scales", .kind = AttributeKind::Floats, .doc = "one for each axis, or none"},
              {.name = "sizes", .kind = AttributeKind::Integers, .doc = "one for each axis that has no scale"},
              word("mode", {"nearest", "linear", "cubic"}),
              word("coordinate_transformation_mode", {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
                                                      "tf_half_pixel_for_nn", "tf_crop_and_resize"}),
              word("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}),
              {.name = "cubic_coeff_a", .kind = AttributeKind::Float, .defaultText = "-0.75"},
              {.name = "exclude_outside",
               .kind = AttributeKind::Boolean,
               .defaultText = "false",
               .doc = "positions beyond the ends have no weight"},
              {.name = "roi",
               .kind = AttributeKind::Floats,
               .defaultText = "[]",
               .doc = "the region that is cut out: where it begins along each axis, then where it ends"},
              {.name = "extrapolation_value", .kind = AttributeKind::Float, .defaultText = "0.0"}},
         .shape = resizeShape,
         .evaluate = resizeEvaluate,
         .work = resizeWork,
         .onnx = {.alsoFrom = {"Upsample"}, .import = importResize, .exportNode = exportResize},
         .gradient = {.instead = resizeSteps}});
}

}  // namespace mitos::tensor
