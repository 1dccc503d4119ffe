// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/operation.h"

#include "core/base/number_text.h"
#include "core/base/printable.h"
#include "core/cost/internal/node_work.h"
#include "core/ir/shared.h"
#include "core/tensor/dimension.h"
#include "core/tensor/operator.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace mitos::cost {

namespace {

constexpr std::string_view Absent = "absent";
constexpr std::string_view Constant = " constant";

/// Whether an operator of the tensor dialect runs there, rather than a leaf or a tuple.
const tensor::Operator* operatorAt(const Node& node) {
    const ir::OperatorInfo& info = node.bank.registry().info(node.op);
    return info.dialect == tensor::DialectName ? tensor::findOperator(info.name) : nullptr;
}

/// Whether the attribute changes nothing: it is the default, or steps of 1, or padding of 0.
bool isUsual(const tensor::AttributeInfo& info, const tensor::AttributeValue& value) {
    if (tensor::attributeText(value) == info.defaultText) return true;
    const auto* const list = std::get_if<std::vector<std::int64_t>>(&value);
    if (list == nullptr || (info.name != "strides" && info.name != "dilations" && info.name != "pads")) return false;
    return std::ranges::all_of(*list, [&](std::int64_t each) { return each == (info.name == "pads" ? 0 : 1); });
}

/// Visits the nodes that run with the program, those below before those above; what depends on weights alone does not run.
void forEachRunning(const ir::TermBank& bank, ir::TermId root, absl::FunctionRef<void(const Node&)> visit) {
    absl::flat_hash_set<ir::TermId> offline;
    InputTypes inputs;
    for (const ir::TermId term : ir::SharedNodes(bank, root)) {
        const auto isChildOffline = [&](std::size_t child) { return offline.contains(bank.child(term, child)); };
        if (isOffline(bank, term, isChildOffline))
            offline.insert(term);
        else
            visit(nodeOf(bank, term, false, inputs, offlineInputs(bank.childCount(term), isChildOffline)));
    }
}

}  // namespace

std::optional<Operation> operationOf(const Node& node, const AssumedSizes& sizes) {
    const tensor::Operator* const op = operatorAt(node);
    if (op == nullptr) return std::nullopt;
    Operation operation{op->name};
    if (!op->attributes.empty()) operation.attributes = node.bank.text(node.payload.asSymbol());
    constexpr std::size_t Bits = 64;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const bool isConstant = i < Bits && ((node.offlineInputs >> i) & 1U) != 0;
        const std::vector<tensor::ArrayType> arrays = arraysOf(node.bank, node.inputs[i], sizes);
        if (arrays.empty()) operation.inputs.push_back({.isAbsent = true});
        for (const tensor::ArrayType& array : arrays) {
            if (!array.hasRank) return std::nullopt;
            operation.inputs.push_back({array.dtype, array.shape(), isConstant});
        }
    }
    return operation;
}

std::string text(const Operand& operand) {
    if (operand.isAbsent) return std::string(Absent);
    return fmt::format("{}[{}]{}", ir::dtypeName(operand.dtype), fmt::join(operand.shape, ","),
                       operand.isConstant ? Constant : "");
}

std::optional<Operand> operandFrom(std::string_view text) {
    Operand operand;
    if (text == Absent) {
        operand.isAbsent = true;
        return operand;
    }
    operand.isConstant = text.ends_with(Constant);
    if (operand.isConstant) text.remove_suffix(Constant.size());
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
    const std::optional<ir::Dtype> dtype = ir::dtypeFromName(text.substr(0, open));
    if (!dtype) return std::nullopt;
    operand.dtype = *dtype;
    std::string_view sizes = text.substr(open + 1, text.size() - open - 2);
    for (bool isLast = sizes.empty(); !isLast;) {
        const std::size_t comma = sizes.find(',');
        isLast = comma == std::string_view::npos;
        const auto size = numberFrom<std::int64_t>(sizes.substr(0, comma));
        if (!size || *size < 0) return std::nullopt;
        operand.shape.push_back(*size);
        if (!isLast) sizes.remove_prefix(comma + 1);
    }
    return operand;
}

std::string text(const Operation& operation) {
    std::string text = operation.op;
    if (const tensor::Operator* const op = tensor::findOperator(operation.op);
        op != nullptr && !op->attributes.empty()) {
        if (const auto attributes = tensor::Attributes::read(*op, operation.attributes)) {
            for (std::size_t i = 0; i < op->attributes.size(); ++i) {
                const tensor::AttributeInfo& info = op->attributes[i];
                const tensor::AttributeValue& value = attributes->values()[i];
                if (!isUsual(info, value)) text += fmt::format(" {}={}", info.name, tensor::attributeText(value));
            }
        }
    }
    std::string inputs;
    for (const Operand& input : operation.inputs) inputs += (inputs.empty() ? "" : ", ") + cost::text(input);
    return fmt::format("{} of {}", text, inputs);
}

OperationTexts textsOf(const Operation& operation) {
    OperationTexts texts{.op = operation.op};
    const tensor::Operator* const op = tensor::findOperator(operation.op);
    if (op != nullptr && !op->attributes.empty()) {
        if (const auto attributes = tensor::Attributes::read(*op, operation.attributes)) {
            for (std::size_t i = 0; i < op->attributes.size(); ++i) {
                texts.attributes.emplace_back(op->attributes[i].name, tensor::attributeText(attributes->values()[i]));
            }
        }
    }
    for (const Operand& input : operation.inputs) texts.inputs.push_back(text(input));
    return texts;
}

Result<Operation> operationFrom(const OperationTexts& texts) {
    const auto fails = [](const std::string& what) {
        return Error{ErrorCode::Parse, what, std::nullopt, "mitos-cli measure writes operations as they must be"};
    };
    const tensor::Operator* const op = tensor::findOperator(texts.op);
    if (op == nullptr) return fails(fmt::format("there is no operator \"{}\"", printable(texts.op)));
    Operation operation{op->name};
    tensor::Attributes attributes(*op);
    std::set<std::string_view> named;
    for (const auto& [name, value] : texts.attributes) {
        const auto info = std::ranges::find(op->attributes, name, &tensor::AttributeInfo::name);
        if (info == op->attributes.end()) {
            return fails(fmt::format("{} has no attribute \"{}\"", op->name, printable(name)));
        }
        if (!named.insert(info->name).second) return fails(fmt::format("{} has \"{}\" twice", op->name, info->name));
        Result<tensor::AttributeValue> read = tensor::readAttribute(*info, value);
        if (!read) return fails(fmt::format("{}: {}", op->name, read.error().message));
        attributes.set(info->name, *std::move(read));
    }
    for (const tensor::AttributeInfo& info : op->attributes) {
        if (info.defaultText.empty() && !named.contains(info.name)) {
            return fails(fmt::format("{} needs \"{}\"", op->name, info.name));
        }
    }
    if (!op->attributes.empty()) operation.attributes = attributes.text();
    for (const std::string& input : texts.inputs) {
        const std::optional<Operand> operand = operandFrom(input);
        if (!operand) {
            return fails(fmt::format(
                "{}: an input must be like \"f32[1,3,224,224]\", \"f32[64] constant\" or \"absent\"", op->name));
        }
        operation.inputs.push_back(*operand);
    }
    if (operation.inputs.size() < op->minArity() || operation.inputs.size() > op->maxArity()) {
        return fails(fmt::format("the number of inputs of {} cannot be {}", op->name, operation.inputs.size()));
    }
    return operation;
}

bool isView(const Operation& operation) {
    const std::optional<NodeWork> work = workOf(operation);
    return work && work->work.isView;
}

std::vector<Operation> operationsOf(const ir::TermBank& bank, ir::TermId root, const AssumedSizes& sizes) {
    std::vector<Operation> operations;
    for (UsedOperation& used : usedOperations(bank, root, sizes)) operations.push_back(std::move(used.operation));
    return operations;
}

std::vector<UsedOperation> usedOperations(const ir::TermBank& bank, ir::TermId root, const AssumedSizes& sizes) {
    std::map<Operation, std::size_t> places;
    std::vector<UsedOperation> used;
    forEachRunning(bank, root, [&](const Node& node) {
        const std::optional<Operation> operation = operationOf(node, sizes);
        if (!operation) return;
        const auto [place, isNew] = places.emplace(*operation, used.size());
        if (isNew) used.push_back({*operation, 0});
        ++used[place->second].nodes;
    });
    return used;
}

std::size_t nodesWithoutOperation(const ir::TermBank& bank, ir::TermId root) {
    std::size_t count = 0;
    forEachRunning(bank, root, [&](const Node& node) {
        const bool isUnknown = bank.registry().info(node.op).name == tensor::OpaqueName;
        if (isUnknown || (operatorAt(node) != nullptr && !operationOf(node, {}))) ++count;
    });
    return count;
}

std::set<std::string> sizeNamesIn(const ir::TermBank& bank, ir::TermId root) {
    std::set<std::string> names;
    const auto note = [&names](std::string_view name, auto) {
        names.emplace(name);
        return std::optional<std::int64_t>(1);
    };
    const auto read = [&](auto& self, ir::TypeId type) -> void {
        if (bank.types().isTuple(type)) {
            for (const ir::TypeId element : bank.types().children(type)) self(self, element);
        }
        if (!bank.types().isArray(type)) return;
        for (const ir::Dimension& dimension : tensor::arrayType(bank.types(), type).dimensions) {
            if (!dimension.isKnown()) static_cast<void>(tensor::SizeExpression::value(bank.text(dimension.name), note));
        }
    };
    for (const ir::TermId term : ir::SharedNodes(bank, root)) read(read, bank.type(term));
    return names;
}

}  // namespace mitos::cost
