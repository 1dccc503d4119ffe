// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measure/operators.h"

#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <array>
#include <cmath>
#include <utility>

namespace mitos::measure {

namespace {

constexpr std::array<Family, 9> Families{prepareUnary,     prepareBinary,   prepareConvolution,
                                         preparePooling,   prepareProduct,  prepareNormalization,
                                         prepareReduction, prepareMovement, prepareIndexing};

/// Operators whose second input has indices into an axis of the first.
bool takesIndices(const Request& request, std::size_t input) {
    return input == 1 && (request.op == "Gather" || request.op == "GatherElements" || request.op == "ScatterElements");
}

/// The numbers that indices of an input must lie below.
std::int64_t boundOf(const Request& request, std::size_t input) {
    constexpr std::int64_t SmallNumbers = 100;
    if (request.op == "OneHot" && input == 0) return std::max<std::int64_t>(1, request.integer("depth"));
    if (!takesIndices(request, input)) return SmallNumbers;
    const std::vector<std::int64_t>& shape = request.inputs[0].shape;
    std::int64_t axis = request.integer("axis");
    if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) throw Refusal("there is no such axis");
    return std::max<std::int64_t>(1, shape[static_cast<std::size_t>(axis)]);
}

/// N(0,1) for numbers: denormal numbers, which zeros and uninitialized memory lead to, would be slow. Integers are small and positive,
/// since they divide and index.
Tensor randomTensor(const Request& request, std::size_t input, const at::Device& device) {
    const Operand& operand = request.inputs[input];
    const at::ScalarType type = scalarType(operand.dtype);
    const auto options = at::TensorOptions().device(device);
    if (type == at::kBool) return at::rand(operand.shape, options.dtype(at::kFloat)).gt(0.5);
    if (!at::isFloatingType(type)) {
        const std::int64_t bound = boundOf(request, input);
        return at::randint(bound > 1 && !takesIndices(request, input) && request.op != "OneHot" ? 1 : 0, bound,
                           operand.shape, options.dtype(at::kLong))
            .to(type);
    }
    Tensor numbers = at::randn(operand.shape, options.dtype(at::kFloat)).to(type);
    const bool isVariance = request.op == "BatchNormalization" && input == 4;
    return isVariance ? numbers.abs().add(0.5) : numbers;
}

double bytesOf(const Operand& operand) {
    double bytes = static_cast<double>(c10::elementSize(scalarType(operand.dtype)));
    for (const std::int64_t size : operand.shape) bytes *= static_cast<double>(size);
    return bytes;
}

/// The beginning of the names of operators on images N, H, W, C.
constexpr std::string_view ChannelsLast = "Nhwc";

/// The images N, H, W, C among the inputs as N, C, H, W, and the kernel, which LibTorch reorders in advance, in the same order in memory.
Prepared withChannelsFirst(const Prepared& operation) {
    constexpr std::size_t Kernel = 1;
    constexpr std::int64_t ImageRank = 4;
    Prepared result = operation;
    for (std::size_t i = 0; i < result.inputs.size(); ++i) {
        Tensor& input = result.inputs[i];
        if (!input.defined() || input.dim() == 1) continue;
        if (input.dim() != ImageRank) throw Refusal("images have four axes");
        input = i == Kernel ? input.contiguous(at::MemoryFormat::ChannelsLast) : input.permute({0, 3, 1, 2});
    }
    return result;
}

}  // namespace

Run runOfImages(const Prepared& operation, ImageFamily family) {
    const std::string_view op = operation.request.op;
    if (op.substr(0, ChannelsLast.size()) != ChannelsLast) {
        const Compute compute = family(op, operation);
        return compute ? Run([compute] { compute(); }) : Run();
    }
    const Compute compute = family(op.substr(ChannelsLast.size()), withChannelsFirst(operation));
    return compute ? Run([compute] { static_cast<void>(compute().permute({0, 2, 3, 1}).contiguous()); }) : Run();
}

const Tensor& Prepared::input(std::size_t index) const {
    if (!has(index)) throw Refusal("the input " + std::to_string(index + 1) + " is missing");
    return inputs[index];
}

void Prepared::requireAll() const {
    for (std::size_t i = 0; i < inputs.size(); ++i) static_cast<void>(input(i));
    static_cast<void>(input(0));
}

at::ScalarType scalarType(const std::string& dtype) {
    static const std::map<std::string, at::ScalarType, std::less<>> types{
        {"f16", at::kHalf},  {"bf16", at::kBFloat16}, {"f32", at::kFloat}, {"f64", at::kDouble}, {"i8", at::kChar},
        {"i16", at::kShort}, {"i32", at::kInt},       {"i64", at::kLong},  {"u8", at::kByte},    {"bool", at::kBool}};
    const auto found = types.find(dtype);
    if (found == types.end()) throw Refusal("LibTorch has no element type " + dtype);
    return found->second;
}

std::int64_t axisOf(std::int64_t axis, const Tensor& tensor) {
    const std::int64_t counted = axis < 0 ? axis + tensor.dim() : axis;
    if (counted < 0 || counted >= tensor.dim()) throw Refusal("there is no axis " + std::to_string(axis));
    return counted;
}

std::vector<std::int64_t> paddingPairs(const std::vector<std::int64_t>& pads) {
    std::vector<std::int64_t> pairs;
    const std::size_t axes = pads.size() / 2;
    for (std::size_t axis = axes; axis-- > 0;) {
        pairs.push_back(pads[axis]);
        pairs.push_back(pads[axes + axis]);
    }
    return pairs;
}

Run prepare(const Request& request, const at::Device& device, double mostBytes) {
    double bytes = 0.0;
    for (const Operand& operand : request.inputs) bytes += operand.isAbsent ? 0.0 : bytesOf(operand);
    if (!(bytes <= mostBytes)) throw Refusal("its inputs do not fit into the memory that measuring may use");
    Prepared operation{request, {}};
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        operation.inputs.push_back(request.inputs[i].isAbsent ? Tensor() : randomTensor(request, i, device));
    }
    for (const Family family : Families) {
        if (Run run = family(operation)) return run;
    }
    throw Refusal("LibTorch has no operator that computes it in one call or a few");
}

}  // namespace mitos::measure
