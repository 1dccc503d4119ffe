// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/graph_order.h"

#include "core/onnx/internal/opaque.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

namespace mitos::onnx {

namespace {

constexpr int NoNode = -1;  ///< for a value that no node makes: an input, an initializer

class Orderer {
public:
    explicit Orderer(const proto::GraphProto& graph) : m_graph(graph) {}

    Result<GraphOrder> order() {
        MITOS_REQUIRE(findMakers());
        MITOS_REQUIRE(findReads());
        MITOS_REQUIRE(findLive());
        sort();
        if (m_result.nodes.size() < m_liveCount) {
            return onnxError(ErrorCode::Parse,
                             fmt::format("nodes depend on each other in a cycle, among them {}", stuck()));
        }
        return std::move(m_result);
    }

private:
    Status define(const std::string& name, int node) {
        if (name.empty()) return onnxError(ErrorCode::Parse, "a value has no name");
        if (m_maker.emplace(name, node).second) return Success{};
        return onnxError(ErrorCode::Parse, fmt::format("two values are called {}", name));
    }

    /// The error for a value that is read but does not exist.
    [[nodiscard]] Error missing(const std::string& reader, const std::string& name) const {
        const bool isSparse =
            std::any_of(m_graph.sparse_initializer().begin(), m_graph.sparse_initializer().end(),
                        [&](const proto::SparseTensorProto& tensor) { return tensor.values().name() == name; });
        if (!isSparse) {
            return onnxError(ErrorCode::Parse, fmt::format("{} reads {}, which no node produces", reader, name));
        }
        return onnxError(ErrorCode::Unsupported,
                         fmt::format("{} reads {}, a sparse weight; sparse weights cannot be read", reader, name),
                         "save the model with dense weights");
    }

    Status findMakers() {
        for (const auto& tensor : m_graph.initializer()) {
            MITOS_REQUIRE(define(tensor.name(), NoNode));
            m_result.initializers.emplace(tensor.name(), &tensor);
        }
        for (const auto& input : m_graph.input()) {
            // Before IR 4, every initializer is also an input.
            if (m_result.initializers.contains(input.name())) continue;
            MITOS_REQUIRE(define(input.name(), NoNode));
        }
        for (int i = 0; i < m_graph.node_size(); ++i) {
            for (const std::string& output : m_graph.node(i).output()) {
                if (output.empty()) continue;
                MITOS_REQUIRE(define(output, i));
            }
        }
        return Success{};
    }

    Status findReads() {
        m_reads.resize(static_cast<std::size_t>(m_graph.node_size()));
        for (int i = 0; i < m_graph.node_size(); ++i) {
            const proto::NodeProto& node = m_graph.node(i);
            std::vector<int>& makers = m_reads[static_cast<std::size_t>(i)];
            const auto read = [&](const std::string& name) -> Status {
                if (name.empty()) return Success{};
                const auto found = m_maker.find(name);
                if (found == m_maker.end()) return missing(nodeText(node), name);
                if (found->second != NoNode) makers.push_back(found->second);
                return Success{};
            };
            for (const std::string& input : node.input()) MITOS_REQUIRE(read(input));
            for (const std::string& name : capturedNames(node)) MITOS_REQUIRE(read(name));
        }
        return Success{};
    }

    Status findLive() {
        m_isLive.resize(m_reads.size());
        std::vector<int> open;
        const auto need = [&](int node) {
            if (node == NoNode || m_isLive[static_cast<std::size_t>(node)]) return;
            m_isLive[static_cast<std::size_t>(node)] = true;
            ++m_liveCount;
            open.push_back(node);
        };
        absl::flat_hash_set<std::string_view> outputs;
        for (const auto& output : m_graph.output()) {
            if (!outputs.insert(output.name()).second) {
                return onnxError(ErrorCode::Parse, fmt::format("two outputs are called {}", output.name()));
            }
            const auto found = m_maker.find(output.name());
            if (found == m_maker.end()) {
                return onnxError(ErrorCode::Parse, fmt::format("no node produces the output {}", output.name()));
            }
            m_result.used.insert(found->first);
            need(found->second);
        }
        while (!open.empty()) {
            const int node = open.back();
            open.pop_back();
            for (const int maker : m_reads[static_cast<std::size_t>(node)]) need(maker);
            for (const std::string& input : m_graph.node(node).input()) {
                if (!input.empty()) m_result.used.insert(m_maker.find(input)->first);
            }
            for (const std::string& name : capturedNames(m_graph.node(node))) {
                m_result.used.insert(m_maker.find(name)->first);
            }
        }
        return Success{};
    }

    /// Sorts by Kahn's algorithm; of several nodes that could come next, it takes the first in the file.
    void sort() {
        std::vector<std::vector<int>> readers(m_reads.size());
        m_missing.resize(m_reads.size());
        std::priority_queue<int, std::vector<int>, std::greater<>> ready;
        for (std::size_t i = 0; i < m_reads.size(); ++i) {
            if (!m_isLive[i]) continue;
            m_missing[i] = m_reads[i].size();
            for (const int maker : m_reads[i]) readers[static_cast<std::size_t>(maker)].push_back(static_cast<int>(i));
            if (m_missing[i] == 0) ready.push(static_cast<int>(i));
        }
        while (!ready.empty()) {
            const int node = ready.top();
            ready.pop();
            m_result.nodes.push_back(node);
            for (const int reader : readers[static_cast<std::size_t>(node)]) {
                if (--m_missing[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
            }
        }
    }

    [[nodiscard]] std::string stuck() const {
        for (std::size_t i = 0; i < m_missing.size(); ++i) {
            if (m_isLive[i] && m_missing[i] > 0) return nodeText(m_graph.node(static_cast<int>(i)));
        }
        return {};
    }

    const proto::GraphProto& m_graph;
    GraphOrder m_result;
    absl::flat_hash_map<std::string_view, int> m_maker;
    std::vector<std::vector<int>> m_reads;  ///< for each node, the nodes whose outputs it reads, once per use
    std::vector<bool> m_isLive;
    std::vector<std::size_t> m_missing;
    std::size_t m_liveCount = 0;
};

}  // namespace

Result<GraphOrder> orderGraph(const proto::GraphProto& graph) { return Orderer(graph).order(); }

std::string nodeText(const proto::NodeProto& node) {
    if (!node.name().empty()) return fmt::format("the node \"{}\" ({})", node.name(), node.op_type());
    const std::string made = node.output_size() > 0 ? node.output(0) : "nothing";
    return fmt::format("the node that produces {} ({})", made, node.op_type());
}

}  // namespace mitos::onnx
