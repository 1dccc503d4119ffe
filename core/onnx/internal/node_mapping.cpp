// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/node_mapping.h"

#include "core/onnx/internal/opset_changes.h"
#include "core/tensor/onnx_hooks.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::onnx {

namespace {

using tensor::Attributes;
using tensor::Imported;
using tensor::notThisForm;
using tensor::OnnxContext;
using tensor::OnnxNode;
using tensor::Operator;

std::string key(std::string_view domain, std::string_view type) { return fmt::format("{}::{}", domain, type); }

/// The table operators that read an ONNX operator; there may be several. The index is built once.
std::span<const Operator* const> readers(std::string_view domain, std::string_view type) {
    static const auto table = [] {
        absl::flat_hash_map<std::string, std::vector<const Operator*>> made;
        for (const Operator& op : tensor::operators()) {
            if (!op.onnx.exists) continue;
            made[key(op.onnx.domain, op.onnx.type.empty() ? op.name : op.onnx.type)].push_back(&op);
            for (const std::string& other : op.onnx.alsoFrom) made[key(op.onnx.domain, other)].push_back(&op);
        }
        return made;
    }();
    const auto found = table.find(key(domain, type));
    return found == table.end() ? std::span<const Operator* const>() : found->second;
}

/// Converts nodes of opsets before 7, where attributes requested broadcasting, is_test requested inference, and consumed_inputs
/// listed what may be overwritten. Nodes with a current equivalent are read as that.
Result<OnnxNode> modernized(OnnxNode node, const OnnxContext& context) {
    auto& attributes = node.attributes;
    attributes.erase("consumed_inputs");
    const auto integer = [&attributes](std::string_view name) -> std::optional<std::int64_t> {
        const auto found = attributes.find(name);
        if (found == attributes.end() || !std::holds_alternative<std::int64_t>(found->second)) return std::nullopt;
        return std::get<std::int64_t>(found->second);
    };
    if (node.type == "BatchNormalization" || node.type == "Dropout") {
        if (integer("is_test").value_or(0) == 0) return notThisForm("training mode of an opset before 7");
        attributes.erase("is_test");
    }
    if (!attributes.contains("broadcast")) return node;
    const std::optional<std::int64_t> axis = integer("axis");
    if (integer("broadcast").value_or(0) != 0 && axis) {
        const tensor::ArrayType* const a = context.type(0);
        const tensor::ArrayType* const b = context.type(1);
        const bool isKnown = a != nullptr && b != nullptr && a->hasRank && b->hasRank;
        if (!isKnown || *axis + static_cast<std::int64_t>(b->rank()) != static_cast<std::int64_t>(a->rank())) {
            return notThisForm("broadcasting along inner axes, of an opset before 7");
        }
    }
    attributes.erase("broadcast");
    attributes.erase("axis");
    return node;
}

/// Fails unless the inputs that a hook names exist.
Status checkInputs(const Operator& op, const OnnxNode& node, Imported& imported) {
    std::vector<int>& inputs = imported.inputs;
    for (int& input : inputs) {
        if (input >= static_cast<int>(node.inputs.size())) return notThisForm("an input is missing");
        if (input >= 0 && node.inputs[static_cast<std::size_t>(input)].empty()) input = -1;
    }
    while (!inputs.empty() && inputs.back() < 0) inputs.pop_back();
    if (imported.isFold) {
        const bool isWhole = !inputs.empty() && std::ranges::none_of(inputs, [](int input) { return input < 0; });
        return isWhole ? Status(Success{}) : notThisForm("an input is missing");
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (op.inputs.empty()) return notThisForm("it has no inputs");
        const tensor::InputInfo& info = op.inputs[std::min(i, op.inputs.size() - 1)];
        if (inputs[i] < 0 && info.kind != tensor::InputInfo::Kind::Optional) {
            return notThisForm(fmt::format("the input {} is missing", info.name));
        }
    }
    if (inputs.size() < op.minArity() || inputs.size() > op.maxArity()) {
        return notThisForm(fmt::format("its form with {} inputs is unknown", inputs.size()));
    }
    return Success{};
}

Result<MappedNode> mapTo(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(Imported imported,
              op.onnx.import != nullptr ? op.onnx.import(op, node, context) : tensor::importPlainly(op, node));
    MITOS_REQUIRE(checkInputs(op, node, imported));
    return MappedNode{&op, std::move(imported)};
}

}  // namespace

Result<MappedNode> mapNode(OnnxNode node, const OnnxContext& context) {
    if (node.domain.empty() && node.opset > Opset) {
        MITOS_TRY(node, lowered(std::move(node), context));
    }
    const std::span<const Operator* const> candidates = readers(node.domain, node.type);
    if (candidates.empty()) return notThisForm("the operator is unknown");
    if (node.domain.empty() && node.opset < 7) {
        MITOS_TRY(node, modernized(std::move(node), context));
    }
    std::optional<Error> problem;
    for (const Operator* const op : candidates) {
        if (node.domain.empty() && op->onnx.since > node.opset) continue;
        Result<MappedNode> mapped = mapTo(*op, node, context);
        if (mapped || mapped.error().code == ErrorCode::InvalidInput) return mapped;
        if (!problem) problem = std::move(mapped).error();
    }
    return problem ? *std::move(problem) : notThisForm("the operator is not one of this opset");
}

tensor::Exported exportedForm(const Operator& op, const Attributes& attributes,
                              std::span<const tensor::ArrayType> inputs) {
    return op.onnx.exportNode != nullptr ? op.onnx.exportNode(attributes, inputs) : tensor::exportPlainly(attributes);
}

}  // namespace mitos::onnx
