// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays with something around them.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/strided.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::tensor {

namespace {

using ir::Dimension;

Result<std::vector<ArrayType>> padShape(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{result};
    const std::vector<std::int64_t>& pads = in.attributes.integers("pads");
    const std::string& mode = in.attributes.word("mode");
    const std::size_t rank = result.rank();
    if (pads.size() != 2 * rank) {
        return shapeError(fmt::format("Pad takes {} numbers as pads; found {}", 2 * rank, pads.size()));
    }
    constexpr std::int64_t Most = std::int64_t{1} << 31U;  // sums do not overflow
    if (std::ranges::any_of(pads, [](std::int64_t pad) { return pad < -Most || pad > Most; }))
        return shapeError(fmt::format("Pad: no number may be more than {}", Most));
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
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    MITOS_TRY(const std::optional<std::vector<std::int64_t>> given, integersOf(node, context, "pads", 1));
    if (!given) return notThisForm("Pad has no pads");
    std::vector<std::int64_t> pads = *given;
    double value = floatOf(node, "value", 0.0);
    if (hasInput(node, 2)) {
        const std::optional<std::vector<double>> floats = context.floats(2);
        const std::optional<std::vector<std::int64_t>> integers = floats ? std::nullopt : context.integers(2);
        if (floats && floats->size() == 1)
            value = floats->front();
        else if (integers && integers->size() == 1)
            value = static_cast<double>(integers->front());
        else
            return notThisForm("the value with which Pad fills is not a constant");
    }
    if (hasInput(node, 3)) {  // pads of some axes
        const std::optional<std::vector<std::int64_t>> axes = context.integers(3);
        if (!axes || pads.size() != 2 * axes->size()) return notThisForm("the axes of Pad are unknown");
        std::vector<std::int64_t> all(2 * data.rank(), 0);
        for (std::size_t i = 0; i < axes->size(); ++i) {
            MITOS_TRY(const std::int64_t axis, normalizedAxis((*axes)[i], data.rank()));
            all[static_cast<std::size_t>(axis)] = pads[i];
            all[static_cast<std::size_t>(axis) + data.rank()] = pads[i + axes->size()];
        }
        pads = std::move(all);
    }
    const std::string mode = wordOf(node, "mode", "constant");
    if (mode != "constant" && mode != "reflect" && mode != "edge") {
        return notThisForm(fmt::format("Pad of mode {}", mode));
    }
    if (!std::isfinite(value)) return notThisForm("the value with which Pad fills is not a number");
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

std::vector<ir::TermId> padGradient(const GradientInput& in) {
    if (in.attributes.word("mode") != "constant") {
        in.make.fail(shapeError("the border repeats elements"));
        return {ir::TermId()};
    }
    std::vector<std::int64_t> pads = in.attributes.integers("pads");
    for (std::int64_t& pad : pads) pad = -pad;
    return {in.make.node("Pad", {in.cotangents[0]}, {{"pads", pads}})};
}

}  // namespace

void addPads(std::vector<Operator>& table) {
    const auto list = [](std::string name, std::string doc) {
        return AttributeInfo{.name = std::move(name), .kind = AttributeKind::Integers, .doc = std::move(doc)};
    };
    table.push_back({.name = "Pad",
                     .doc = "an array with a border: a value, its edge repeated, or its elements mirrored",
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
                     .onnx = {.import = importPad, .exportNode = exportPad},
                     .gradient = {.rule = padGradient}});
}

}  // namespace mitos::tensor
