// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that are read as other nodes: those of a definition, and those of the branch that an If takes.
#include "core/onnx/internal/branch.h"
#include "core/onnx/internal/graph_reader.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

namespace mitos::onnx {

namespace {

using tensor::ArrayType;

/// A limit, since functions that call functions can expand to any number of nodes.
constexpr std::int64_t MostExpandedNodes = 100'000;
constexpr int DeepestExpansion = 8;

}  // namespace

Result<bool> GraphReader::readExpanded(const proto::NodeProto& node, const NodeInputs& context) {
    if (m_expansionDepth >= DeepestExpansion) return false;
    const auto imported = m_opsets.find(canonicalDomain(node.domain()));
    std::vector<proto::TypeProto> types;
    for (std::size_t i = 0; i < static_cast<std::size_t>(node.input_size()); ++i) {
        types.emplace_back();
        const ArrayType* const type = context.type(i);
        if (type != nullptr && type->dtype != ir::Dtype::Unknown) writeType(*type, m_bank.symbols(), types.back());
    }
    std::optional<Expansion> expansion =
        expanded(node, imported == m_opsets.end() ? 1 : static_cast<int>(imported->second), types, *m_file.model);
    if (!expansion) return false;
    return readInstead(node, {.nodes = std::move(expansion->nodes), .opset = expansion->opset, .mayBeOpaque = false});
}

Result<bool> GraphReader::readBranch(const proto::NodeProto& node) {
    if (node.input_size() != 1 || node.input(0).empty() || m_expansionDepth >= DeepestExpansion) return false;
    MITOS_TRY(const Value* input, value(node.input(0)));
    const std::optional<std::vector<std::int64_t>> condition = m_values.integers(*input);
    if (!condition || condition->size() != 1) return false;
    std::optional<proto::GraphProto> nodes = branchOf(node, condition->front() != 0);
    if (!nodes) return false;
    for (const std::string& name : capturedNames(node)) MITOS_REQUIRE(value(name));
    return readInstead(node, {.nodes = *std::move(nodes), .opset = m_opsets.at(""), .mayBeOpaque = true});
}

Result<bool> GraphReader::readInstead(const proto::NodeProto& node, Replacement replacement) {
    m_expandedNodes += replacement.nodes.node_size();
    if (m_expandedNodes > MostExpandedNodes) return false;
    const std::size_t bodies = m_expansions.size();
    const std::size_t names = m_expansionNames.size();
    const Opsets opsets = m_opsets;
    const auto opaqueCounts = m_opaqueCounts;
    m_expansions.push_back(std::make_shared<const proto::GraphProto>(std::move(replacement.nodes)));
    const proto::GraphProto& body = *m_expansions.back();
    const std::shared_ptr<const void> owner = m_tensors.owner();
    m_tensors.readFrom(m_expansions.back());
    m_opsets[""] = replacement.opset;
    std::vector<std::string> declared;
    for (const proto::ValueInfoProto& info : body.value_info()) {
        if (m_declared.try_emplace(info.name(), &info.type()).second) declared.push_back(info.name());
    }
    ++m_expansionDepth;
    // If they cannot be read, the node stays as it is, and their errors are not reported.
    const bool isRead = readBody(body, node.output(), replacement.mayBeOpaque ? nullptr : &opaqueCounts);
    m_tensors.setOwner(owner);
    --m_expansionDepth;
    m_opsets = opsets;
    if (isRead) {
        if (m_expansionDepth == 0) keepName(node, {});
        return true;
    }
    m_opaqueCounts = opaqueCounts;
    for (std::size_t i = names; i < m_expansionNames.size(); ++i) {
        m_values.erase(std::string(m_expansionNames[i]));
        m_order.used.erase(m_expansionNames[i]);
    }
    for (const std::string& output : node.output()) m_values.erase(output);
    for (const std::string& name : declared) m_declared.erase(name);
    m_expansionNames.resize(names);
    m_expansions.resize(bodies);
    return false;
}

bool GraphReader::readBody(const proto::GraphProto& body, const Names& outputs, const OpaqueCounts* opaqueCounts) {
    absl::flat_hash_set<std::string_view> made;
    for (const proto::NodeProto& inner : body.node()) {
        const auto isThere = [&](const std::string& name) {
            return name.empty() || made.contains(name) || m_values.contains(name);
        };
        if (inner.output_size() == 0 || !std::ranges::all_of(inner.input(), isThere)) return false;
        // Subgraphs of a definition have names of the definition.
        const std::vector<std::string> captured = capturedNames(inner);
        if (opaqueCounts != nullptr ? !captured.empty() : !std::ranges::all_of(captured, isThere)) return false;
        for (const std::string& name : inner.output()) {
            if (name.empty()) continue;
            if (m_values.contains(name) || !made.insert(name).second) return false;
        }
    }
    for (const std::string_view name : made) {
        if (m_order.used.insert(name).second) m_expansionNames.push_back(name);
    }
    const bool isWhole =
        std::ranges::all_of(outputs, [&](const std::string& name) { return name.empty() || made.contains(name); });
    return isWhole && std::ranges::all_of(body.node(), [&](const proto::NodeProto& inner) {
               return readNode(inner).ok() && (opaqueCounts == nullptr || m_opaqueCounts == *opaqueCounts);
           });
}

}  // namespace mitos::onnx
