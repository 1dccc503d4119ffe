// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/branch.h"

#include "core/onnx/internal/opaque.h"
#include "core/onnx/internal/tensor_proto.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <string>

namespace mitos::onnx {

namespace {

using NewNames = absl::flat_hash_map<std::string, std::string>;

/// The names of the branch's values, and their names outside: those of its outputs are the node's. nullopt if one name is two values.
std::optional<NewNames> newNames(const proto::GraphProto& branch, const proto::NodeProto& node,
                                 const std::string& prefix) {
    NewNames names;
    bool isClear = true;
    const auto add = [&](const std::string& name) {
        if (!name.empty()) isClear = names.emplace(name, prefix + name).second && isClear;
    };
    for (const proto::TensorProto& tensor : branch.initializer()) add(tensor.name());
    NewNames made;
    for (const proto::NodeProto& inner : branch.node()) {
        for (const std::string& output : inner.output()) {
            add(output);
            made.emplace(output, output);
        }
    }
    for (int i = 0; i < branch.output_size(); ++i) {
        const std::string& name = branch.output(i).name();
        if (!node.output(i).empty() && made.erase(name) > 0) names[name] = node.output(i);
    }
    return isClear ? std::optional(std::move(names)) : std::nullopt;
}

void addConstant(const proto::TensorProto& tensor, const std::string& name, proto::GraphProto& to) {
    proto::NodeProto& constant = *to.add_node();
    constant.set_op_type("Constant");
    constant.add_output(name);
    proto::AttributeProto& attribute = *constant.add_attribute();
    attribute.set_name("value");
    attribute.set_type(proto::AttributeProto::TENSOR);
    *attribute.mutable_t() = tensor;
    attribute.mutable_t()->clear_name();
}

}  // namespace

std::optional<proto::GraphProto> branchOf(const proto::NodeProto& node, bool condition) {
    const proto::AttributeProto* const attribute = findAttribute(node, condition ? "then_branch" : "else_branch");
    if (attribute == nullptr || !attribute->has_g() || node.output_size() == 0) return std::nullopt;
    const proto::GraphProto& branch = attribute->g();
    const bool isPlain = branch.input_size() == 0 && branch.sparse_initializer_size() == 0;
    if (!isPlain || branch.output_size() != node.output_size()) return std::nullopt;
    const std::optional<NewNames> names =
        newNames(branch, node, fmt::format("{}.{}.", node.output(0), condition ? "then" : "else"));
    if (!names) return std::nullopt;
    const auto rename = [&names](std::string& name) {
        if (const auto found = names->find(name); found != names->end()) name = found->second;
    };
    proto::GraphProto result;
    for (const proto::TensorProto& tensor : branch.initializer()) addConstant(tensor, names->at(tensor.name()), result);
    for (const proto::NodeProto& inner : branch.node()) {
        proto::NodeProto& copy = *result.add_node();
        copy = inner;
        for (std::string& input : *copy.mutable_input()) rename(input);
        for (std::string& output : *copy.mutable_output()) rename(output);
        visitCaptured(copy, rename);
    }
    const auto declare = [&](const proto::ValueInfoProto& info, const std::string& name) {
        proto::ValueInfoProto& copy = *result.add_value_info();
        copy = info;
        copy.set_name(name);
    };
    for (const proto::ValueInfoProto& info : branch.value_info()) {
        if (const auto found = names->find(info.name()); found != names->end()) declare(info, found->second);
    }
    for (int i = 0; i < branch.output_size(); ++i) {
        const std::string& output = node.output(i);
        if (output.empty()) continue;
        declare(branch.output(i), output);
        std::string value = branch.output(i).name();
        rename(value);
        if (value == output) continue;
        proto::NodeProto& copy =
            *result.add_node();  // of a value from outside, a weight, or one that is another output too
        copy.set_op_type("Identity");
        copy.add_input(value);
        copy.add_output(output);
    }
    return result;
}

}  // namespace mitos::onnx
