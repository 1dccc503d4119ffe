// SPDX-License-Identifier: GPL-3.0-or-later
// Normalization: elements relative to the mean and the spread of those around them.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/axes.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/strided.h"
#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::TermId;
using Slice = std::vector<double>;

struct Moments {
    double mean = 0.0;
    double variance = 0.0;
};

Moments moments(const Slice& slice) {
    const auto count = static_cast<double>(slice.size());
    Moments result{.mean = std::accumulate(slice.begin(), slice.end(), 0.0) / count};
    for (const double element : slice) result.variance += (element - result.mean) * (element - result.mean) / count;
    return result;
}

// --- by channel (axis 1) --------------------------------------------------------------------------------------------

/// X of rank 2 or more, then vectors with an element for each channel.
Result<std::vector<ArrayType>> channelShape(const ShapeInput& in) {
    for (const ArrayType& input : in.inputs) {
        const ShapeInput one{in.op, in.attributes, std::span(&input, 1), in.symbols};
        MITOS_REQUIRE(checkElements(one, Takes::Floats));
    }
    const ArrayType& x = in.inputs[0];
    if (!x.hasRank) return std::vector<ArrayType>{x};
    if (x.rank() < 2) return shapeError(fmt::format("{} takes X of rank 2 or more; found {}", in.op.name, x.rank()));
    for (std::size_t i = 1; i < in.inputs.size(); ++i) {
        const ArrayType& vector = in.inputs[i];
        if (!vector.hasRank) continue;
        if (vector.rank() != 1 || !mayBeEqual(vector.dimensions[0], x.dimensions[1])) {
            return shapeError(fmt::format("{} takes {} numbers as {}, one for each channel", in.op.name,
                                          dimensionText(x.dimensions[1], in.symbols), in.op.inputs[i].name));
        }
    }
    return std::vector<ArrayType>{x};
}

/// All axes except those of batch and channels.
std::vector<std::int64_t> axesOfChannel(std::size_t rank) {
    std::vector<std::int64_t> axes = axesFrom(1, rank);
    axes.front() = 0;
    return axes;
}

Result<std::vector<ArrayPtr>> batchNormalize(const EvaluateInput& in) {
    const double epsilon = in.attributes.floating("epsilon");
    const auto of = [&in](std::size_t input, std::size_t channel) { return in.inputs[input]->elements[channel]; };
    const Array& x = *in.inputs[0];
    return std::vector<ArrayPtr>{mapSlices(x, axesOfChannel(x.shape.size()), [&](std::size_t channel, Slice& slice) {
        const double factor = of(1, channel) / std::sqrt(of(4, channel) + epsilon);
        for (double& element : slice) element = (element - of(3, channel)) * factor + of(2, channel);
    })};
}

Result<Imported> importBatchNormalization(const Operator& op, const OnnxNode& node, const OnnxContext&) {
    if (integerOf(node, "training_mode", 0) != 0) return notThisForm("BatchNormalization is in training mode");
    if (integerOf(node, "spatial", 1) != 1) return notThisForm("BatchNormalization for each place, of an old opset");
    const auto isNamed = [](const std::string& name) { return !name.empty(); };
    if (std::ranges::count_if(node.outputs, isNamed) > 1) {
        return notThisForm("BatchNormalization has outputs for training");
    }
    Attributes attributes(op);
    attributes.set("epsilon", floatOf(node, "epsilon", 1e-5));
    return Imported{std::move(attributes), {0, 1, 2, 3, 4}};
}

Result<std::vector<ArrayPtr>> instanceNormalize(const EvaluateInput& in) {
    const double epsilon = in.attributes.floating("epsilon");
    const Array& x = *in.inputs[0];
    const auto channels = static_cast<std::size_t>(x.shape[1]);
    return std::vector<ArrayPtr>{mapSlices(x, axesFrom(2, x.shape.size()), [&](std::size_t place, Slice& slice) {
        const Moments found = moments(slice);
        const double factor = in.inputs[1]->elements[place % channels] / std::sqrt(found.variance + epsilon);
        for (double& element : slice) {
            element = (element - found.mean) * factor + in.inputs[2]->elements[place % channels];
        }
    })};
}

Result<std::vector<ArrayPtr>> localResponse(const EvaluateInput& in) {
    const std::int64_t size = in.attributes.integer("size");
    const double alpha = in.attributes.floating("alpha");
    const double beta = in.attributes.floating("beta");
    const double bias = in.attributes.floating("bias");
    return std::vector<ArrayPtr>{mapSlices(*in.inputs[0], std::array{std::int64_t{1}}, [&](std::size_t, Slice& slice) {
        const Slice x = slice;
        const auto count = static_cast<std::int64_t>(x.size());
        for (std::int64_t c = 0; c < count; ++c) {
            double squares = 0.0;
            const std::int64_t last = std::min(count - 1, c + size / 2);
            for (std::int64_t i = std::max<std::int64_t>(0, c - (size - 1) / 2); i <= last; ++i) {
                squares += x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
            }
            slice[static_cast<std::size_t>(c)] /= std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
        }
    })};
}

Result<std::vector<ArrayType>> localResponseShape(const ShapeInput& in) {
    const std::int64_t size = in.attributes.integer("size");
    if (size < 1) return shapeError(fmt::format("LRN takes a size of 1 or more; found {}", size));
    return channelShape(in);
}

Work localResponseWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work result = movement(in, outputs);
    const double window = 2.0 * static_cast<double>(in.attributes.integer("size"));
    result.flops = (window + SeriesFlops) * elements(outputs[0]);
    return result;
}

/// The squares of neighbouring channels are added up from slices, each moved by one channel.
Result<TermId> localResponseSteps(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                                  Symbol hint) {
    TermMaker make(bank, hint);
    const ArrayType type = make.type(inputs[0]);
    if (!type.hasRank || type.rank() < 2) return shapeError("the rank of X is unknown");
    const std::int64_t size = attributes.integer("size");
    const std::int64_t channels = make.known(type.dimensions[1], "the number of channels");
    constexpr std::int64_t MostSlices = 4096;
    if (std::min(size, channels) > MostSlices)
        return shapeError(fmt::format("sums of {} channels are too long to be written out", size));
    std::vector<std::int64_t> pads(2 * type.rank(), 0);
    pads[1] = (size - 1) / 2;
    pads[type.rank() + 1] = size / 2;
    const ArrayTerm x(make, inputs[0]);
    const ArrayTerm padded = apply("Pad", x * x, {{"pads", pads}});
    using Places = std::vector<std::int64_t>;
    const auto moved = [&](std::int64_t by) {
        return apply(
            "Slice", padded,
            {{"starts", Places{by}}, {"ends", Places{by + channels}}, {"axes", Places{1}}, {"steps", Places{1}}});
    };
    // Slices beyond the last channel add nothing.
    ArrayTerm squares = moved(0);
    for (std::int64_t i = 1; i < std::min(size, 2 * channels + 1); ++i) squares = squares + moved(i);
    const ArrayTerm base =
        squares * (attributes.floating("alpha") / static_cast<double>(size)) + attributes.floating("bias");
    return make.take((x / apply("Pow", base, attributes.floating("beta"))).id());
}

// --- from an axis on ------------------------------------------------------------------------------------------------

/// Scale and B broadcast to X. The mean and the inverse deviation are of type f32, as ONNX computes them, with a size of 1
/// for each normalized axis.
Result<std::vector<ArrayType>> layerShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    const std::int64_t axis = in.attributes.integer("axis");
    const std::int64_t outputs = in.attributes.integer(OutputsName);
    if (outputs < 1 || outputs > 3)
        return shapeError(fmt::format("{} has 1 to 3 outputs, not {}", in.op.name, outputs));
    MITOS_REQUIRE(checkAxes(in, std::array{axis}));
    const std::size_t given = in.isPresent(2) ? 3 : 2;
    MITOS_TRY(const ArrayType broadcast, broadcastInputs({in.op, in.attributes, in.inputs.first(given), in.symbols}));
    ArrayType statistics = in.inputs[0];
    if (broadcast.hasRank && !std::ranges::equal(broadcast.dimensions, statistics.dimensions, mayBeEqual)) {
        return shapeError(fmt::format("{} takes Scale and B that broadcast to X", in.op.name));
    }
    std::vector<ArrayType> types{statistics};
    statistics.dtype = ir::Dtype::F32;
    for (std::size_t i = static_cast<std::size_t>(axis); i < statistics.rank(); ++i) {
        statistics.dimensions[i] = Dimension::of(1);
    }
    types.resize(static_cast<std::size_t>(outputs), statistics);
    return types;
}

Result<std::vector<ArrayPtr>> layerNormalize(const EvaluateInput& in) {
    const double epsilon = in.attributes.floating("epsilon");
    const Array& x = *in.inputs[0];
    std::vector<double> means;
    std::vector<double> inverses;
    const std::vector<std::int64_t> axes = axesFrom(in.attributes.integer("axis"), x.shape.size());
    const std::shared_ptr<Array> y = mapSlices(x, axes, [&](std::size_t, Slice& slice) {
        const Moments found = moments(slice);
        means.push_back(found.mean);
        inverses.push_back(1.0 / std::sqrt(found.variance + epsilon));
        for (double& element : slice) element = (element - means.back()) * inverses.back();
    });
    const bool hasBias = in.inputs.size() > 2 && in.inputs[2] != nullptr;
    BroadcastWalk walk(x.shape, in.inputs.subspan(1, hasBias ? 2 : 1));
    for (double& element : y->elements) {
        element = element * walk.element(0) + (hasBias ? walk.element(1) : 0.0);
        walk.next();
    }
    std::vector<ArrayPtr> results{y};
    for (std::size_t i = 1; i < in.outputs.size(); ++i) {
        const std::shared_ptr<Array> statistics = blank(in.outputs[i]);
        statistics->elements = i == 1 ? means : inverses;
        results.push_back(statistics);
    }
    return results;
}

Result<std::vector<ArrayType>> rootShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    MITOS_REQUIRE(checkAxes(in, std::array{in.attributes.integer("axis")}));
    MITOS_TRY(const ArrayType broadcast, broadcastInputs(in));
    const ArrayType& x = in.inputs[0];
    if (!broadcast.hasRank || std::ranges::equal(broadcast.dimensions, x.dimensions, mayBeEqual))
        return std::vector<ArrayType>{x};
    return shapeError(fmt::format("{} takes a scale that broadcasts to X", in.op.name));
}

Result<std::vector<ArrayPtr>> rootNormalize(const EvaluateInput& in) {
    const double epsilon = in.attributes.floating("epsilon");
    const Array& x = *in.inputs[0];
    const std::vector<std::int64_t> axes = axesFrom(in.attributes.integer("axis"), x.shape.size());
    const std::shared_ptr<Array> y = mapSlices(x, axes, [&](std::size_t, Slice& slice) {
        double squares = 0.0;
        for (const double element : slice) squares += element * element;
        const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(slice.size()) + epsilon);
        for (double& element : slice) element *= inverse;
    });
    BroadcastWalk walk(x.shape, in.inputs.subspan(1, 1));
    for (double& element : y->elements) {
        element *= walk.element(0);
        walk.next();
    }
    return std::vector<ArrayPtr>{y};
}

Result<ir::TermId> expandRoot(ir::TermBank& bank, std::span<const ir::TermId> inputs, const Attributes& attributes,
                              Symbol hint) {
    TermMaker make(bank, hint);
    const ArrayType type = make.type(inputs[0]);
    if (!type.hasRank) return shapeError("the rank of X is unknown");
    const ArrayTerm x{make, inputs[0]};
    const ArrayTerm scale{make, inputs[1]};
    // A power, not a product: runtimes recognize the normalization by it.
    const ArrayTerm squares = meanAlong(apply("Pow", x, 2.0), axesFrom(attributes.integer("axis"), type.rank()));
    return make.take((x / apply("Sqrt", squares + attributes.floating("epsilon")) * scale).id());
}

Result<Imported> importComputedIn32Bits(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    if (integerOf(node, "stash_type", 1) != 1)
        return notThisForm(fmt::format("{} computes in another type than f32", node.type));
    OnnxNode plain = node;
    plain.attributes.erase("stash_type");
    return importWithAxis(op, plain, context, -1);
}

// --- along axes -----------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> meanVarianceShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    MITOS_REQUIRE(checkAxes(in, in.attributes.integers("axes")));
    return std::vector<ArrayType>{in.inputs[0]};
}

/// ONNX defines it with 1e-9 added to the deviation.
Result<std::vector<ArrayPtr>> meanVariance(const EvaluateInput& in) {
    return std::vector<ArrayPtr>{
        mapSlices(*in.inputs[0], in.attributes.integers("axes"), [](std::size_t, Slice& slice) {
            const Moments found = moments(slice);
            for (double& element : slice) element = (element - found.mean) / (std::sqrt(found.variance) + 1e-9);
        })};
}

Result<Imported> importMeanVariance(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType type, rankedInput(node, context, 0));
    MITOS_TRY(std::vector<std::int64_t> axes,
              normalizedAxes(integersOf(node, "axes").value_or(std::vector<std::int64_t>{0, 2, 3}), type.rank()));
    Attributes attributes(op);
    attributes.set("axes", std::move(axes));
    return Imported{std::move(attributes), {0}};
}

Result<std::vector<ArrayType>> normShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    MITOS_REQUIRE(checkAxes(in, std::array{in.attributes.integer("axis")}));
    const std::int64_t p = in.attributes.integer("p");
    if (p != 1 && p != 2) return shapeError(fmt::format("LpNormalization takes 1 or 2 as p; found {}", p));
    return std::vector<ArrayType>{in.inputs[0]};
}

/// If all elements are 0, so are the results.
Result<std::vector<ArrayPtr>> normNormalize(const EvaluateInput& in) {
    const bool isManhattan = in.attributes.integer("p") == 1;
    const std::array axis{in.attributes.integer("axis")};
    return std::vector<ArrayPtr>{mapSlices(*in.inputs[0], axis, [isManhattan](std::size_t, Slice& slice) {
        double norm = 0.0;
        for (const double element : slice) norm += isManhattan ? std::abs(element) : element * element;
        if (!isManhattan) norm = std::sqrt(norm);
        if (norm == 0.0) return;
        for (double& element : slice) element /= norm;
    })};
}

Result<Imported> importNorm(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    return importWithAxis(op, node, context, -1);
}

// --- gradients ------------------------------------------------------------------------------------------------------

/// A vector with a number for each channel, in the form [C,1,…] that broadcasts to X.
ArrayTerm overChannels(ArrayTerm vector, std::size_t rank) {
    if (rank <= 2) return vector;
    return apply("Unsqueeze", vector, {{"axes", axesBetween(1, rank - 1)}});
}

/// Sums over all axes but that of the channels.
ir::TermId channelSums(ArrayTerm term, std::size_t rank) {
    std::vector<std::int64_t> axes = axesBetween(0, rank);
    axes.erase(axes.begin() + 1);
    return apply("ReduceSum", term, {{"axes", axes}, {"keepdims", false}}).id();
}

bool hasChannels(const GradientInput& in) {
    const ArrayType x = in.make.type(in.inputs[0]);
    if (x.hasRank && x.rank() >= 2) return true;
    in.make.fail(shapeError("the rank of X is unknown or less than 2"));
    return false;
}

std::vector<ir::TermId> batchGradient(const GradientInput& in) {
    std::vector<ir::TermId> result(in.inputs.size());
    if (!hasChannels(in)) return result;
    const std::size_t rank = in.make.type(in.inputs[0]).rank();
    const auto input = [&](std::size_t i) { return ArrayTerm(in.make, in.inputs[i]); };
    const ArrayTerm d{in.make, in.cotangents[0]};
    const ArrayTerm deviation = apply("Sqrt", input(4) + in.attributes.floating("epsilon"));
    const ArrayTerm factor = input(1) / deviation;
    const ArrayTerm centred = input(0) - overChannels(input(3), rank);
    if (in.isWanted[0]) result[0] = (d * overChannels(factor, rank)).id();
    if (in.isWanted[1]) result[1] = channelSums(d * (centred / overChannels(deviation, rank)), rank);
    if (in.isWanted[2]) result[2] = channelSums(d, rank);
    if (in.isWanted[3]) result[3] = channelSums(-(d * overChannels(factor, rank)), rank);
    if (in.isWanted[4]) {
        const ArrayTerm cube = deviation * deviation * deviation;
        result[4] = channelSums(d * centred * overChannels(input(1) / cube * -0.5, rank), rank);
    }
    return result;
}

/// X less its mean along axes, divided by its deviation; and the deviation.
struct Normalized {
    ArrayTerm x;
    ArrayTerm deviation;
};
Normalized normalized(ArrayTerm x, const std::vector<std::int64_t>& axes, double epsilon) {
    const ArrayTerm centred = x - meanAlong(x, axes);
    const ArrayTerm deviation = apply("Sqrt", meanAlong(centred * centred, axes) + epsilon);
    return {centred / deviation, deviation};
}

/// The cotangent of X if that of its normalized form is `d`.
ArrayTerm normalizedGradient(const Normalized& normal, ArrayTerm d, const std::vector<std::int64_t>& axes) {
    return (d - meanAlong(d, axes) - normal.x * meanAlong(d * normal.x, axes)) / normal.deviation;
}

std::vector<ir::TermId> instanceGradient(const GradientInput& in) {
    std::vector<ir::TermId> result(in.inputs.size());
    if (!hasChannels(in)) return result;
    const std::size_t rank = in.make.type(in.inputs[0]).rank();
    const std::vector<std::int64_t> axes = axesBetween(2, rank);
    const ArrayTerm d{in.make, in.cotangents[0]};
    const Normalized normal = normalized({in.make, in.inputs[0]}, axes, in.attributes.floating("epsilon"));
    if (in.isWanted[0]) {
        const ArrayTerm scaled = d * overChannels({in.make, in.inputs[1]}, rank);
        result[0] = normalizedGradient(normal, scaled, axes).id();
    }
    if (in.isWanted[1]) result[1] = channelSums(d * normal.x, rank);
    if (in.isWanted[2]) result[2] = channelSums(d, rank);
    return result;
}

std::vector<ir::TermId> layerGradient(const GradientInput& in) {
    std::vector<ir::TermId> result(in.inputs.size());
    const ArrayType x = in.make.type(in.inputs[0]);
    const bool isPlain = std::all_of(in.cotangents.begin() + 1, in.cotangents.end(),
                                     [](ir::TermId cotangent) { return !cotangent.isValid(); });
    if (!isPlain || !x.hasRank) {
        in.make.fail(shapeError(x.hasRank ? "its mean and deviation are used" : "the rank of X is unknown"));
        return result;
    }
    const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
    const std::vector<std::int64_t> axes = axesBetween(axis, x.rank());
    const ArrayTerm d{in.make, in.cotangents[0]};
    const Normalized normal = normalized({in.make, in.inputs[0]}, axes, in.attributes.floating("epsilon"));
    if (in.isWanted[0]) {
        result[0] = normalizedGradient(normal, d * ArrayTerm(in.make, in.inputs[1]), axes).id();
    }
    if (in.isWanted[1]) result[1] = summedTo(in.make, (d * normal.x).id(), in.inputs[1]);
    if (in.inputs.size() > 2 && in.isWanted[2]) result[2] = summedTo(in.make, d.id(), in.inputs[2]);
    return result;
}

ArrayTerm normGradient(Operands p) {
    const std::vector<std::int64_t> axes{p.attributes.integer("axis")};
    const bool isManhattan = p.attributes.integer("p") == 1;
    const ArrayTerm norm = apply(isManhattan ? "ReduceL1" : "ReduceL2", p.a, {{"axes", axes}, {"keepdims", true}});
    const ArrayTerm direction = isManhattan ? apply("Sign", p.a) : p.r;
    return (p.d - direction * sumAlong(p.d * p.r, axes)) / norm;
}

/// The same in operators that have gradients.
Result<ir::TermId> meanVarianceSteps(ir::TermBank& bank, std::span<const ir::TermId> inputs,
                                     const Attributes& attributes, Symbol hint) {
    TermMaker make(bank, hint);
    const std::vector<std::int64_t>& axes = attributes.integers("axes");
    const ArrayTerm x{make, inputs[0]};
    const ArrayTerm centred = x - meanAlong(x, axes);
    const ArrayTerm deviation = apply("Sqrt", meanAlong(centred * centred, axes));
    return make.take((centred / (deviation + 1e-9)).id());
}

AttributeInfo epsilonAttribute() { return floatAttribute("epsilon", "1e-05", "added to the variance"); }

}  // namespace

void addNormalization(std::vector<Operator>& table) {
    table.push_back({.name = "BatchNormalization",
                     .doc = "normalized by given means and variances of each channel",
                     .inputs = {{.name = "X"}, {.name = "scale"}, {.name = "B"}, {.name = "mean"}, {.name = "var"}},
                     .attributes = {epsilonAttribute()},
                     .shape = channelShape,
                     .evaluate = batchNormalize,
                     .work = workPerElement<2>,
                     .onnx = {.import = importBatchNormalization},
                     .gradient = {.rule = batchGradient}});
    table.push_back({.name = "InstanceNormalization",
                     .doc = "normalized by the mean and variance of each channel of each instance",
                     .inputs = {{.name = "X"}, {.name = "scale"}, {.name = "B"}},
                     .attributes = {epsilonAttribute()},
                     .shape = channelShape,
                     .evaluate = instanceNormalize,
                     .work = workPerElement<6>,
                     .gradient = {.rule = instanceGradient}});
    table.push_back(
        {.name = "LayerNormalization",
         .doc = "normalized by the mean and variance over all axes from `axis` on; with mean and deviation, if they "
                "are outputs",
         .inputs = {{.name = "X"}, {.name = "Scale"}, {.name = "B", .kind = InputInfo::Kind::Optional}},
         .attributes = {integerAttribute("axis", {}, "the first of those normalized over"), epsilonAttribute(),
                        integerAttribute(std::string(OutputsName), "1",
                                         "2 with the mean, 3 with 1 / deviation as well")},
         .shape = layerShape,
         .evaluate = layerNormalize,
         .work = workPerElement<8>,
         .onnx = {.import = importComputedIn32Bits},
         .gradient = {.rule = layerGradient}});
    table.push_back({.name = "RMSNormalization",
                     .doc = "divided by the root of the mean square over all axes from `axis` on, and scaled",
                     .inputs = {{.name = "X"}, {.name = "scale"}},
                     .attributes = {integerAttribute("axis", {}, "the first of those normalized over"),
                                    floatAttribute("epsilon", "1e-05", "added to the mean square")},
                     .shape = rootShape,
                     .evaluate = rootNormalize,
                     .work = workPerElement<4>,
                     .onnx = {.import = importComputedIn32Bits, .since = 23},
                     .expand = expandRoot});
    table.push_back({.name = "LRN",
                     .doc = "normalized by the squares of neighbouring channels",
                     .inputs = {{.name = "X"}},
                     .attributes = {floatAttribute("alpha", "0.0001", "factor of the mean of squares"),
                                    floatAttribute("beta", "0.75", "exponent"), floatAttribute("bias", "1.0", "bias"),
                                    integerAttribute("size", {}, "channels that count")},
                     .shape = localResponseShape,
                     .evaluate = localResponse,
                     .work = localResponseWork,
                     .gradient = {.instead = localResponseSteps}});
    table.push_back(
        {.name = "LpNormalization",
         .doc = "normalized by the norm along an axis",
         .inputs = {{.name = "input"}},
         .attributes = {integerAttribute("axis", {}, "along which"), integerAttribute("p", "2", "of the norm")},
         .shape = normShape,
         .evaluate = normNormalize,
         .work = workPerElement<3>,
         .onnx = {.import = importNorm},
         .gradient = PointwiseGradient<normGradient>});
    table.push_back({.name = "MeanVarianceNormalization",
                     .doc = "normalized by the mean and deviation along axes",
                     .inputs = {{.name = "X"}},
                     .attributes = {listAttribute("axes", "along which, in rising order")},
                     .shape = meanVarianceShape,
                     .evaluate = meanVariance,
                     .work = workPerElement<6>,
                     .onnx = {.import = importMeanVariance},
                     .gradient = {.instead = meanVarianceSteps}});
}

}  // namespace mitos::tensor
