// SPDX-License-Identifier: GPL-3.0-or-later
// Element types that a file does not tell, where they follow: ONNX's operators tie the types of their inputs and outputs to each
// other, so what a node of an unknown operator makes is of the type of what it is added to. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/proto.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mitos::onnx {

/// The element types of a graph's values, from those of its inputs, initializers, outputs and value_info.
class ElementTypes {
public:
    ElementTypes(const proto::GraphProto& graph, int opset);

    /// As ONNX numbers them; 0: it does not follow, or two that contradict each other do.
    [[nodiscard]] std::int32_t find(const std::string& value);

private:
    /// Values that have one type, as a tree: the root has the type.
    struct Group {
        std::size_t parent = 0;
        std::int32_t type = 0;
    };
    static constexpr std::int32_t Contradiction = -1;

    std::size_t groupOf(const std::string& value);
    std::size_t rootOf(std::size_t group);
    void unite(std::size_t a, std::size_t b);
    void declare(const std::string& value, std::int32_t type);
    void declare(const proto::ValueInfoProto& info);
    void tie(const proto::NodeProto& node, int opset);

    absl::flat_hash_map<std::string, std::size_t> m_groups;
    std::vector<Group> m_all;
};

}  // namespace mitos::onnx
