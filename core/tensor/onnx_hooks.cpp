// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

template <typename Value>
const Value* find(const OnnxNode& node, std::string_view name) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : std::get_if<Value>(&found->second);
}

}  // namespace

Error notThisForm(std::string message) { return {ErrorCode::Unsupported, std::move(message)}; }

Error invalidNode(std::string message) { return {ErrorCode::InvalidInput, std::move(message)}; }

std::int64_t integerOf(const OnnxNode& node, std::string_view name, std::int64_t otherwise) {
    const auto* const value = find<std::int64_t>(node, name);
    return value != nullptr ? *value : otherwise;
}

double floatOf(const OnnxNode& node, std::string_view name, double otherwise) {
    const auto* const value = find<double>(node, name);
    return value != nullptr ? *value : otherwise;
}

std::string wordOf(const OnnxNode& node, std::string_view name, std::string_view otherwise) {
    const auto* const value = find<std::string>(node, name);
    return value != nullptr ? *value : std::string(otherwise);
}

std::optional<std::vector<std::int64_t>> integersOf(const OnnxNode& node, std::string_view name) {
    const auto* const value = find<std::vector<std::int64_t>>(node, name);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<double>> floatsOf(const OnnxNode& node, std::string_view name) {
    const auto* const value = find<std::vector<double>>(node, name);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

bool hasInput(const OnnxNode& node, std::size_t input) {
    return input < node.inputs.size() && !node.inputs[input].empty();
}

Result<std::optional<std::vector<std::int64_t>>> integersOf(const OnnxNode& node, const OnnxContext& context,
                                                            std::string_view name, std::size_t input) {
    if (!hasInput(node, input)) return integersOf(node, name);
    std::optional<std::vector<std::int64_t>> values = context.integers(input);
    if (!values) return notThisForm(fmt::format("the input {} of {} is no constant", name, node.type));
    return values;
}

Result<ArrayType> rankedInput(const OnnxNode& node, const OnnxContext& context, std::size_t input) {
    const ArrayType* const type = hasInput(node, input) ? context.type(input) : nullptr;
    if (type == nullptr || !type->hasRank) {
        return notThisForm(fmt::format("the rank of input {} of {} is unknown", input, node.type));
    }
    return *type;
}

Result<std::int64_t> normalizedAxis(std::int64_t axis, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
        return notThisForm(fmt::format("there is no axis {} in an array of rank {}", axis, rank));
    }
    return axis < 0 ? axis + count : axis;
}

Result<std::vector<std::int64_t>> normalizedAxes(std::vector<std::int64_t> axes, std::size_t rank) {
    for (std::int64_t& axis : axes) {
        MITOS_TRY(axis, normalizedAxis(axis, rank));
    }
    std::ranges::sort(axes);
    const auto twice = std::adjacent_find(axes.begin(), axes.end());
    if (twice != axes.end()) return notThisForm(fmt::format("the axis {} is named twice", *twice));
    return axes;
}

std::vector<int> firstInputs(const OnnxNode& node, std::size_t count) {
    std::vector<int> inputs;
    for (std::size_t i = 0; i < std::min(count, node.inputs.size()); ++i) {
        inputs.push_back(hasInput(node, i) ? static_cast<int>(i) : -1);
    }
    while (!inputs.empty() && inputs.back() == -1) inputs.pop_back();
    return inputs;
}

}  // namespace mitos::tensor
