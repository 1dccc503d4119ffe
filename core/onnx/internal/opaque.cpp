// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/opaque.h"

#include "core/base/hash.h"

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace mitos::onnx {

namespace {

using Names = absl::flat_hash_set<std::string>;
using Visitor = absl::FunctionRef<void(std::string&)>;

Names definedIn(const proto::GraphProto& graph) {
    Names names;
    for (const auto& input : graph.input()) names.insert(input.name());
    for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
    for (const auto& tensor : graph.sparse_initializer()) names.insert(tensor.values().name());
    for (const auto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
    return names;
}

/// The parsers limit how deep graphs nest.
void visitFree(proto::GraphProto& graph, std::vector<Names>& scopes, Visitor visit);

void visitSubgraphs(proto::NodeProto& node, std::vector<Names>& scopes, Visitor visit) {
    for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) visitFree(*attribute.mutable_g(), scopes, visit);
        for (auto& graph : *attribute.mutable_graphs()) visitFree(graph, scopes, visit);
    }
}

void visitFree(proto::GraphProto& graph, std::vector<Names>& scopes, Visitor visit) {
    scopes.push_back(definedIn(graph));
    const auto isFree = [&scopes](const std::string& name) {
        return !name.empty() && std::ranges::none_of(scopes, [&](const Names& names) { return names.contains(name); });
    };
    for (auto& node : *graph.mutable_node()) {
        for (auto& input : *node.mutable_input()) {
            if (isFree(input)) visit(input);
        }
        visitSubgraphs(node, scopes, visit);
    }
    for (auto& output : *graph.mutable_output()) {
        if (isFree(output.name())) visit(*output.mutable_name());
    }
    scopes.pop_back();
}

template <typename Strings>
std::size_t usedCount(const Strings& names) {
    auto count = static_cast<std::size_t>(names.size());
    while (count > 0 && names.Get(static_cast<int>(count - 1)).empty()) --count;
    return count;
}

/// The text as a word, for names in payloads.
std::string word(const std::string& text) {
    std::string result;
    for (const char c : text) {
        const bool isPlain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
        result += isPlain ? c : '_';
    }
    return result;
}

/// Adds the functions that nodes call, directly or indirectly.
class FunctionCollector {
public:
    FunctionCollector(const proto::ModelProto& file, proto::ModelProto& kept) : m_file(file), m_kept(kept) {}

    void visit(const proto::NodeProto& root) {
        std::vector<const proto::FunctionProto*> found = calledBy(root);
        while (!found.empty()) {
            const proto::FunctionProto* const function = found.back();
            found.pop_back();
            if (!m_seen.insert(function).second) continue;
            *m_kept.add_functions() = *function;
            for (const auto& node : function->node()) {
                const auto more = calledBy(node);
                found.insert(found.end(), more.begin(), more.end());
            }
        }
    }
    [[nodiscard]] const absl::btree_set<std::string>& domains() const { return m_domains; }

private:
    std::vector<const proto::FunctionProto*> calledBy(const proto::NodeProto& root) {
        std::vector<const proto::FunctionProto*> found;
        visitNodes(root, [&](const proto::NodeProto& node) {
            m_domains.insert(canonicalDomain(node.domain()));
            for (const auto& function : m_file.functions()) {
                if (function.name() == node.op_type() && function.domain() == node.domain()) found.push_back(&function);
            }
        });
        return found;
    }

    const proto::ModelProto& m_file;
    proto::ModelProto& m_kept;
    absl::flat_hash_set<const proto::FunctionProto*> m_seen;
    absl::btree_set<std::string> m_domains;
};

using TensorVisitor = absl::FunctionRef<Status(proto::TensorProto&)>;

/// Calls `visit` with each tensor of the node, at any depth, until one call fails.
Status visitTensors(proto::NodeProto& node, TensorVisitor visit) {
    const auto all = [&visit](auto& list) -> Status {
        for (proto::TensorProto& tensor : list) MITOS_REQUIRE(visit(tensor));
        return Success{};
    };
    const auto graph = [&](proto::GraphProto& inner) -> Status {
        MITOS_REQUIRE(all(*inner.mutable_initializer()));
        for (proto::NodeProto& below : *inner.mutable_node()) MITOS_REQUIRE(visitTensors(below, visit));
        return Success{};
    };
    for (proto::AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_t()) MITOS_REQUIRE(visit(*attribute.mutable_t()));
        MITOS_REQUIRE(all(*attribute.mutable_tensors()));
        if (attribute.has_g()) MITOS_REQUIRE(graph(*attribute.mutable_g()));
        for (proto::GraphProto& inner : *attribute.mutable_graphs()) MITOS_REQUIRE(graph(inner));
    }
    return Success{};
}

/// Visits the tensors of the node and of the functions that it calls.
Status visitKeptTensors(proto::ModelProto& kept, TensorVisitor visit) {
    MITOS_REQUIRE(visitTensors(*kept.mutable_graph()->mutable_node(0), visit));
    for (proto::FunctionProto& function : *kept.mutable_functions()) {
        for (proto::NodeProto& inner : *function.mutable_node()) MITOS_REQUIRE(visitTensors(inner, visit));
    }
    return Success{};
}

/// Makes tensors in other files part of the node, as their locations are meaningless in another file. Also fails if the node then
/// has more than that many bytes, which is checked before any are copied.
Status inlineTensors(proto::ModelProto& kept, TensorReader& tensors, std::uintmax_t mostBytes) {
    std::uintmax_t bytes = kept.ByteSizeLong();
    const auto isElsewhere = [](const proto::TensorProto& tensor) {
        return tensor.data_location() == proto::TensorProto::EXTERNAL;
    };
    const Status counted = visitKeptTensors(kept, [&](proto::TensorProto& tensor) -> Status {
        if (!isElsewhere(tensor)) return Success{};
        MITOS_TRY(const tensor::WeightData data, tensors.read(tensor));
        bytes += data.bytes().size();
        return Success{};
    });
    if (!counted) return counted;
    if (bytes > mostBytes) {
        return onnxError(ErrorCode::Limit, "unknown nodes hold more than 1 GB of numbers",
                         "make these numbers inputs of the nodes: weights are not copied");
    }
    return visitKeptTensors(kept, [&](proto::TensorProto& tensor) -> Status {
        if (!isElsewhere(tensor)) return Success{};
        MITOS_TRY(const tensor::WeightData data, tensors.read(tensor));
        MITOS_REQUIRE(data.check());
        tensor.set_raw_data(data.bytes().data(), data.bytes().size());
        tensor.clear_external_data();
        tensor.clear_data_location();
        return Success{};
    });
}

}  // namespace

void visitCaptured(proto::NodeProto& node, Visitor visit) {
    std::vector<Names> scopes;
    visitSubgraphs(node, scopes, visit);
}

void visitNodes(const proto::NodeProto& node, absl::FunctionRef<void(const proto::NodeProto&)> visit) {
    visit(node);
    for (const auto& attribute : node.attribute()) {
        for (const auto& inner : attribute.g().node()) visitNodes(inner, visit);
        for (const auto& graph : attribute.graphs()) {
            for (const auto& inner : graph.node()) visitNodes(inner, visit);
        }
    }
}

std::vector<std::string> capturedNames(const proto::NodeProto& node) {
    std::vector<std::string> names;
    const bool hasGraphs = std::ranges::any_of(
        node.attribute(), [](const proto::AttributeProto& a) { return a.has_g() || a.graphs_size() > 0; });
    if (!hasGraphs) return names;
    proto::NodeProto copy = node;
    visitCaptured(copy, [&names](const std::string& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    });
    return names;
}

Result<KeptNode> keepNode(const proto::NodeProto& node, const proto::ModelProto& file, const Opsets& opsets,
                          TensorReader& tensors, std::uintmax_t mostBytes) {
    KeptNode result;
    proto::ModelProto kept;
    kept.set_ir_version(8);
    proto::NodeProto& copy = *kept.mutable_graph()->add_node();
    copy = node;
    copy.clear_name();
    copy.clear_doc_string();
    copy.set_domain(canonicalDomain(node.domain()));
    copy.clear_input();
    copy.clear_output();
    for (std::size_t i = 0; i < usedCount(node.input()); ++i) {
        const std::string& name = node.input(static_cast<int>(i));
        result.inputs.push_back(name);
        result.canonical.push_back(name.empty() ? "" : fmt::format("in{}", i));
        copy.add_input(result.canonical.back());
    }
    for (std::size_t i = 0; i < usedCount(node.output()); ++i) {
        copy.add_output(node.output(static_cast<int>(i)).empty() ? "" : fmt::format("out{}", i));
    }
    // Subgraphs may have values of their own with that prefix.
    std::string prefix = "@outer";
    Names inner;
    visitNodes(node, [&inner](const proto::NodeProto& n) { inner.insert(n.output().begin(), n.output().end()); });
    while (std::ranges::any_of(inner, [&](const std::string& name) { return name.starts_with(prefix); })) prefix += '@';
    absl::flat_hash_map<std::string, std::string> renamed;
    for (const std::string& name : capturedNames(node)) {
        renamed.emplace(name, fmt::format("{}{}", prefix, renamed.size()));
        result.inputs.push_back(name);
        result.canonical.push_back(renamed[name]);
    }
    visitCaptured(copy, [&renamed](std::string& name) { name = renamed.at(name); });

    FunctionCollector functions(file, kept);
    functions.visit(node);
    MITOS_REQUIRE(inlineTensors(kept, tensors, mostBytes));
    for (const std::string& domain : functions.domains()) {
        if (domain.empty()) continue;  // its version is the file's, not the node's (OpaqueNode::opset)
        proto::OperatorSetIdProto& opset = *kept.add_opset_import();
        opset.set_domain(domain);
        const auto found = opsets.find(domain);
        opset.set_version(found == opsets.end() ? 1 : found->second);
    }
    auto bytes = std::make_shared<const std::string>(kept.SerializeAsString());
    const std::string domain = copy.domain().empty() ? "ai.onnx" : copy.domain();
    result.name = fmt::format("{}::{}#{:016x}", word(domain), word(node.op_type()), hashText(*bytes));
    const auto own = opsets.find("");
    result.node = {copy.domain(), node.op_type(), own == opsets.end() ? 1 : own->second, std::move(bytes)};
    result.determinism = determinismOf(kept);
    return result;
}

Determinism determinismOf(const proto::ModelProto& kept) {
    const auto isDefined = [&kept](const proto::NodeProto& node) {
        return std::ranges::any_of(kept.functions(), [&node](const proto::FunctionProto& function) {
            return function.name() == node.op_type() && function.domain() == node.domain();
        });
    };
    auto result = Determinism::Certain;
    const auto add = [&](const proto::NodeProto& node) {
        if (!isDefined(node)) result = std::max(result, determinismOf(node));
    };
    visitNodes(kept.graph().node(0), add);
    for (const proto::FunctionProto& function : kept.functions()) {
        for (const proto::NodeProto& node : function.node()) visitNodes(node, add);
    }
    return result;
}

proto::ModelProto keptModel(const tensor::OpaqueNode& node) {
    proto::ModelProto kept;
    [[maybe_unused]] const bool isRead = kept.ParseFromString(*node.bytes);
    assert(isRead);  // keepNode wrote it
    return kept;
}

Status checkCarried(const tensor::OpaqueNode& node, const proto::ModelProto& kept, int opset) {
    std::optional<std::string> changed;
    visitNodes(kept.graph().node(0), [&](const proto::NodeProto& inner) {
        const bool isOwn = canonicalDomain(inner.domain()).empty();
        if (isOwn && !meansTheSame(inner.op_type(), static_cast<int>(node.opset), opset)) changed = inner.op_type();
    });
    if (!changed) return Success{};
    return onnxError(ErrorCode::Unsupported,
                     fmt::format("{} of opset {} has another meaning at opset {}, and cannot be converted", *changed,
                                 node.opset, opset),
                     fmt::format("convert the model to opset {} first, or write it at its own", opset));
}

proto::NodeProto restoredNode(const proto::ModelProto& kept, std::span<const std::string> inputs,
                              std::span<const std::string> outputs) {
    proto::NodeProto node = kept.graph().node(0);
    const auto own = static_cast<std::size_t>(node.input_size());
    absl::flat_hash_map<std::string, std::string> names;
    const std::vector<std::string> captured = capturedNames(node);
    for (std::size_t i = 0; i < captured.size(); ++i) names.emplace(captured[i], inputs[own + i]);
    visitCaptured(node, [&names](std::string& name) { name = names.at(name); });
    for (std::size_t i = 0; i < own; ++i) node.set_input(static_cast<int>(i), inputs[i]);
    for (std::size_t i = 0; i < outputs.size(); ++i) node.set_output(static_cast<int>(i), outputs[i]);
    return node;
}

}  // namespace mitos::onnx
