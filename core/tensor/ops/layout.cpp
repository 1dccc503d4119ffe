// SPDX-License-Identifier: GPL-3.0-or-later
// Operators on images with the channels last. Each is the entry that it stands for between two changes of the order of axes, so
// neither shape rules nor evaluation are repeated here. Kernels have the axes that they have for Conv.
#include "core/tensor/layout.h"

#include "core/tensor/expand.h"
#include "core/tensor/internal/strided.h"
#include "core/tensor/ops/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tensor {

namespace {

using ir::TermId;
using Order = std::array<std::int64_t, 4>;

constexpr std::array<std::string_view, 4> Plain{"Conv", "MaxPool", "AveragePool", "FusedConv"};

ArrayType reordered(ArrayType type, const Order& order) {
    if (!type.hasRank) return type;
    const std::vector<ir::Dimension> given = type.dimensions;
    std::ranges::transform(order, type.dimensions.begin(),
                           [&given](std::int64_t axis) { return given[static_cast<std::size_t>(axis)]; });
    return type;
}

ArrayPtr reordered(const Array& array, const Order& order) {
    const Shape own = strides(array.shape);
    Shape steps;
    Shape shape;
    for (const std::int64_t axis : order) {
        steps.push_back(own[static_cast<std::size_t>(axis)]);
        shape.push_back(array.shape[static_cast<std::size_t>(axis)]);
    }
    return gathered(array, 0, steps, std::move(shape));
}

std::vector<ArrayType> reordered(std::span<const ArrayType> types, const Order& order) {
    std::vector<ArrayType> result;
    for (const ArrayType& type : types) result.push_back(reordered(type, order));
    return result;
}

/// The types of the inputs with images as N, C, H, W.
Result<std::vector<ArrayType>> channelsFirstInputs(const ShapeInput& in) {
    std::vector<ArrayType> inputs(in.inputs.begin(), in.inputs.end());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!in.isPresent(i) || !isImage(in.op, i) || !inputs[i].hasRank) continue;
        if (inputs[i].rank() != ToChannelsFirst.size()) {
            return shapeError(
                fmt::format("{} takes {}[N,H,W,C]; found rank {}", in.op.name, in.op.inputs[i].name, inputs[i].rank()));
        }
        inputs[i] = reordered(inputs[i], ToChannelsFirst);
    }
    return inputs;
}

Result<std::vector<ArrayType>> layoutShape(const ShapeInput& in) {
    MITOS_TRY(const std::vector<ArrayType> inputs, channelsFirstInputs(in));
    return channelsFirstForm(in.op)
        ->shape({in.op, in.attributes, inputs, in.symbols})
        .map([](const std::vector<ArrayType>& outputs) { return reordered(outputs, ToChannelsLast); });
}

Result<std::vector<ArrayPtr>> layoutEvaluate(const EvaluateInput& in) {
    const Operator& op = in.attributes.op();
    std::vector<ArrayPtr> inputs(in.inputs.begin(), in.inputs.end());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] != nullptr && isImage(op, i)) inputs[i] = reordered(*inputs[i], ToChannelsFirst);
    }
    const std::vector<ArrayType> types = reordered(in.outputs, ToChannelsFirst);
    MITOS_TRY(std::vector<ArrayPtr> outputs,
              channelsFirstForm(op)->evaluate({in.attributes, inputs, types, in.maxElements}));
    for (ArrayPtr& output : outputs) output = reordered(*output, ToChannelsLast);
    return outputs;
}

Work layoutWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    const Result<std::vector<ArrayType>> inputs = channelsFirstInputs(in);
    if (!inputs) return {};
    return channelsFirstForm(in.op)->work({in.op, in.attributes, *inputs, in.symbols},
                                          reordered(outputs, ToChannelsFirst));
}

Result<TermId> expandLayout(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                            Symbol hint) {
    TermMaker make(bank, hint);
    const Operator& op = attributes.op();
    const Operator& plain = *channelsFirstForm(op);
    std::vector<TermId> changed(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < changed.size(); ++i) {
        const bool isPresent = bank.types().isArray(bank.type(changed[i]));
        if (!isPresent || !isImage(op, i)) continue;
        changed[i] =
            make.node("Transpose", {changed[i]}, {{"perm", Shape(ToChannelsFirst.begin(), ToChannelsFirst.end())}});
    }
    Attributes same(plain);
    for (std::size_t i = 0; i < plain.attributes.size(); ++i) {
        same.set(plain.attributes[i].name, attributes.values()[i]);
    }
    if (make.failed()) return make.take({});
    MITOS_TRY(const TermId result, tensor::make(bank, plain, changed, same, hint));
    return make.take(make.node("Transpose", {result}, {{"perm", Shape(ToChannelsLast.begin(), ToChannelsLast.end())}}));
}

}  // namespace

void addLayouts(std::vector<Operator>& table) {
    for (const std::string_view name : Plain) {
        Operator op = *std::ranges::find(table, name, &Operator::name);
        op.doc = fmt::format("{} of images N, H, W, C, to images in that order: {}", name, op.doc);
        op.name = fmt::format("{}{}", ChannelsLastPrefix, name);
        op.shape = layoutShape;
        op.evaluate = layoutEvaluate;
        op.work = layoutWork;
        op.onnx = {.domain = "mitos"};
        op.expand = expandLayout;
        op.gradient = {};  // that of the expansion
        table.push_back(std::move(op));
    }
}

}  // namespace mitos::tensor
