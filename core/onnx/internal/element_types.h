// SPDX-License-Identifier: GPL-3.0-or-later
// Infers element types that a file does not declare: ONNX's operators tie the types of their inputs and outputs to each other, so
// the output of an unknown operator has the type of the value that it is added to. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/proto.h"

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

    /// The element type as ONNX numbers it; 0 if none follows, or two that contradict each other.
    [[nodiscard]] std::int32_t find(const std::string& value);

private:
    /// Values that share a type, as a tree whose root holds the type.
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
