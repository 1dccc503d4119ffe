// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/onnx_mapping.h"

#include "core/tensor/operator.h"
#include "core/tensor/ops/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::tensor {

namespace {

using ir::Dtype;

/// Element types in the order of ONNX's numbers, from 1.
constexpr std::array OnnxOrder{Dtype::F32, Dtype::U8,     Dtype::I8,   Dtype::U16, Dtype::I16, Dtype::I32,
                               Dtype::I64, Dtype::String, Dtype::Bool, Dtype::F16, Dtype::F64, Dtype::U32,
                               Dtype::U64, Dtype::C64,    Dtype::C128, Dtype::Bf16};

bool isDtype(const AttributeInfo& info) { return info.kind == AttributeKind::Word && info.words.empty(); }

/// Converts a value from a file to the table's form; nullopt if it is of another kind.
std::optional<AttributeValue> imported(const AttributeInfo& info, const AttributeValue& value) {
    const auto* const integer = std::get_if<std::int64_t>(&value);
    if (info.kind == AttributeKind::Boolean && integer != nullptr) return *integer != 0;
    if (isDtype(info) && integer != nullptr) {
        const std::optional<Dtype> dtype = dtypeOfOnnx(*integer);
        if (!dtype) return std::nullopt;
        return std::string(dtypeName(*dtype));
    }
    const Result<AttributeValue> read = readAttribute(info, attributeText(value));  // checks the kind, and the words
    if (!read || read->index() != value.index()) return std::nullopt;
    return value;
}

AttributeValue exported(const AttributeInfo& info, const AttributeValue& value) {
    if (info.kind == AttributeKind::Boolean) return std::int64_t{std::get<bool>(value) ? 1 : 0};
    if (isDtype(info)) return onnxNumber(*ir::dtypeFromName(std::get<std::string>(value)));
    return value;
}

/// The number of names without those at the end that are empty.
std::size_t usedCount(const std::vector<std::string>& names) {
    const auto last = std::find_if(names.rbegin(), names.rend(), [](const std::string& name) { return !name.empty(); });
    return static_cast<std::size_t>(names.rend() - last);
}

}  // namespace

std::optional<std::vector<SizeExpression>> OnnxContext::sizes(std::size_t input) const {
    const std::optional<std::vector<std::int64_t>> numbers = integers(input);
    if (!numbers) return std::nullopt;
    return std::vector<SizeExpression>(numbers->begin(), numbers->end());
}

Result<Imported> importPlainly(const Operator& op, const OnnxNode& node) {
    Imported result{Attributes(op), {}};
    for (const auto& attribute : node.attributes) {
        const std::string& name = attribute.first;
        const AttributeValue& value = attribute.second;
        const auto info = std::ranges::find(op.attributes, name, &AttributeInfo::name);
        if (info == op.attributes.end() || name == OutputsName) {
            return shapeError(fmt::format("{} has an unknown attribute {}", node.type, name));
        }
        std::optional<AttributeValue> converted = imported(*info, value);
        if (!converted) {
            return shapeError(
                fmt::format("{} cannot have {} as its attribute {}", node.type, attributeText(value), name));
        }
        result.attributes.set(name, *std::move(converted));
    }
    for (const AttributeInfo& info : op.attributes) {
        if (info.name == OutputsName) {
            result.attributes.set(OutputsName,
                                  static_cast<std::int64_t>(std::max<std::size_t>(1, usedCount(node.outputs))));
        } else if (info.defaultText.empty() && !node.attributes.contains(info.name)) {
            return shapeError(fmt::format("{} lacks the attribute {}", node.type, info.name));
        }
    }
    for (std::size_t i = 0; i < usedCount(node.inputs); ++i) {
        result.inputs.push_back(node.inputs[i].empty() ? -1 : static_cast<int>(i));
    }
    return result;
}

Exported exportPlainly(const Attributes& attributes) {
    const Operator& op = attributes.op();
    Exported result{.type = op.onnx.type.empty() ? op.name : op.onnx.type, .domain = op.onnx.domain};
    for (std::size_t i = 0; i < op.attributes.size(); ++i) {
        const AttributeInfo& info = op.attributes[i];
        if (info.name != OutputsName) result.attributes.emplace(info.name, exported(info, attributes.values()[i]));
    }
    return result;
}

std::optional<Dtype> dtypeOfOnnx(std::int64_t number) {
    if (number < 1 || number > static_cast<std::int64_t>(OnnxOrder.size())) return std::nullopt;
    return OnnxOrder[static_cast<std::size_t>(number - 1)];
}

std::int64_t onnxNumber(Dtype dtype) {
    const auto* const found = std::ranges::find(OnnxOrder, dtype);
    return found == OnnxOrder.end() ? 0 : found - OnnxOrder.begin() + 1;
}

}  // namespace mitos::tensor
