// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/element_types.h"

#include "core/onnx/internal/library.h"

#include <algorithm>

namespace mitos::onnx {

ElementTypes::ElementTypes(const proto::GraphProto& graph, int opset) {
    for (const auto& tensor : graph.initializer()) declare(tensor.name(), tensor.data_type());
    for (const auto* const list : {&graph.input(), &graph.output(), &graph.value_info()}) {
        for (const proto::ValueInfoProto& info : *list) declare(info);
    }
    for (const proto::NodeProto& node : graph.node()) tie(node, opset);
}

std::int32_t ElementTypes::find(const std::string& value) {
    const auto found = m_groups.find(value);
    return found == m_groups.end() ? 0 : std::max(0, m_all[rootOf(found->second)].type);
}

std::size_t ElementTypes::groupOf(const std::string& value) {
    const auto [found, isNew] = m_groups.try_emplace(value, m_all.size());
    if (isNew) m_all.push_back({.parent = m_all.size()});
    return found->second;
}

std::size_t ElementTypes::rootOf(std::size_t group) {
    while (m_all[group].parent != group) {
        m_all[group].parent = m_all[m_all[group].parent].parent;  // path halving
        group = m_all[group].parent;
    }
    return group;
}

void ElementTypes::unite(std::size_t a, std::size_t b) {
    a = rootOf(a);
    b = rootOf(b);
    if (a == b) return;
    const std::int32_t type = m_all[a].type;
    m_all[a].parent = b;
    if (type != 0) m_all[b].type = m_all[b].type == 0 || m_all[b].type == type ? type : Contradiction;
}

void ElementTypes::declare(const std::string& value, std::int32_t type) {
    if (type == 0) return;
    Group& root = m_all[rootOf(groupOf(value))];
    root.type = root.type == 0 || root.type == type ? type : Contradiction;
}

void ElementTypes::declare(const proto::ValueInfoProto& info) {
    if (info.type().has_tensor_type()) declare(info.name(), info.type().tensor_type().elem_type());
}

void ElementTypes::tie(const proto::NodeProto& node, int opset) {
    const TypeNames names = typeNames(node, opset);
    absl::flat_hash_map<std::string, std::size_t> first;  // group of each name
    const auto all = [&](const auto& values, const std::vector<std::string>& types) {
        for (std::size_t i = 0; i < types.size(); ++i) {
            const std::string& value = values[static_cast<int>(i)];
            if (value.empty() || types[i].empty()) continue;
            if (const std::int32_t type = elementTypeOf(types[i]); type != 0) {
                declare(value, type);
                continue;
            }
            const std::size_t group = groupOf(value);
            const auto [found, isFirst] = first.try_emplace(types[i], group);
            if (!isFirst) unite(found->second, group);
        }
    };
    all(node.input(), names.inputs);
    all(node.output(), names.outputs);
}

}  // namespace mitos::onnx
