// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/files/cost_graph.h"

#include "core/base/number_text.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::tasks {

namespace {

/// Deeper messages are refused. Those of a graph have three levels.
constexpr int DeepestMessage = 32;

struct Input {
    std::int64_t node = 0;
    std::int64_t port = 0;
    std::size_t offset = 0;
};

struct Node {
    std::string name;
    std::int64_t id = 0;
    double cost = 0.0;
    bool isFinal = false;
    std::vector<std::uint64_t> sizes;
    std::vector<Input> inputs;
    std::vector<Input> controls;
    std::size_t offset = 0;
};

/// Protobuf text: fields `name: value` and messages `name { fields }`.
class CostGraphReader {
public:
    explicit CostGraphReader(const SourceText& source) : m_source(source), m_text(source.text()) { advance(); }

    Result<TaskGraph> read() {
        while (!m_word.empty()) {
            if (m_word != "node") return fail(fmt::format("expected 'node', found '{}'", m_word));
            Node node;
            node.offset = m_begin;
            advance();
            MITOS_REQUIRE(message([&](std::string_view field) { return readNode(field, node); }));
            m_nodes.push_back(std::move(node));
        }
        return build();
    }

private:
    Status readNode(std::string_view field, Node& node) {
        if (field == "name") return readText(node.name);
        if (field == "id") return readNumber(node.id);
        if (field == "compute_cost") return readNumber(node.cost);
        if (field == "is_final") {
            MITOS_REQUIRE(expect(":"));
            node.isFinal = m_word == "true" || m_word == "1";
            advance();
            return Success{};
        }
        if (field == "control_input") {
            Input input{.offset = m_begin};
            MITOS_REQUIRE(readNumber(input.node));
            node.controls.push_back(input);
            return Success{};
        }
        if (field == "output_info") {
            std::uint64_t size = 0;
            MITOS_REQUIRE(
                message([&](std::string_view inner) { return inner == "size" ? readNumber(size) : skip(0); }));
            node.sizes.push_back(size);
            return Success{};
        }
        if (field == "input_info") {
            Input input{.offset = m_begin};
            MITOS_REQUIRE(message([&](std::string_view inner) {
                if (inner == "preceding_node") return readNumber(input.node);
                if (inner == "preceding_port") return readNumber(input.port);
                return skip(0);
            }));
            node.inputs.push_back(input);
            return Success{};
        }
        return skip(0);
    }

    /// The fields of a message between braces. The reader of a field begins behind its name.
    template <typename ReadField>
    Status message(ReadField readField) {
        if (m_word == ":") advance();
        MITOS_REQUIRE(expect("{"));
        while (m_word != "}") {
            if (m_word.empty()) return fail("a message is not closed with '}'");
            const std::string_view field = m_word;
            advance();
            MITOS_REQUIRE(readField(field));
            if (m_word == "," || m_word == ";") advance();
        }
        advance();
        return Success{};
    }
    Status skip(int depth) {
        if (depth > DeepestMessage) return fail("messages are nested too deeply");
        if (m_word == ":") {
            advance();
            if (m_word != "{") {
                if (m_word.empty()) return fail("expected a value, found the end");
                advance();
                return Success{};
            }
        }
        return message([&](std::string_view) { return skip(depth + 1); });
    }

    Status expect(std::string_view sign) {
        if (m_word != sign) {
            return fail(
                fmt::format("expected '{}', found {}", sign, m_word.empty() ? "the end" : fmt::format("'{}'", m_word)));
        }
        advance();
        return Success{};
    }
    template <typename Number>
    Status readNumber(Number& number) {
        MITOS_REQUIRE(expect(":"));
        const std::optional<Number> value = numberFrom<Number>(m_word);
        if (!value) return fail(fmt::format("expected a number, found '{}'", m_word));
        number = *value;
        advance();
        return Success{};
    }
    Status readText(std::string& text) {
        MITOS_REQUIRE(expect(":"));
        if (m_word.size() < 2 || m_word.front() != '"')
            return fail(fmt::format("expected a text in quotes, found '{}'", m_word));
        text = m_word.substr(1, m_word.size() - 2);
        advance();
        return Success{};
    }

    /// The next sign, text in quotes, or word.
    void advance() {
        while (m_at < m_text.size() &&
               (m_text[m_at] == '#' || std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)) {
            m_at = m_text[m_at] == '#' ? std::min(m_text.find('\n', m_at), m_text.size()) : m_at + 1;
        }
        m_begin = m_at;
        if (m_at < m_text.size()) {
            if (m_text[m_at] == '"') {
                ++m_at;
                while (m_at < m_text.size() && m_text[m_at] != '"') m_at += m_text[m_at] == '\\' ? 2 : 1;
                m_at = std::min(m_at + 1, m_text.size());
            } else if (isSign(m_text[m_at])) {
                ++m_at;
            } else {
                const auto ends = [&](char c) {
                    return isSign(c) || c == '"' || c == '#' || std::isspace(static_cast<unsigned char>(c)) != 0;
                };
                while (m_at < m_text.size() && !ends(m_text[m_at])) ++m_at;
            }
        }
        m_word = m_text.substr(m_begin, m_at - m_begin);
    }
    static bool isSign(char c) { return std::string_view("{}:,;").find(c) != std::string_view::npos; }

    [[nodiscard]] Error fail(std::string message) const { return failAt(m_begin, std::move(message)); }
    [[nodiscard]] Error failAt(std::size_t offset, std::string message) const {
        return m_source.error({offset, offset}, std::move(message),
                              "the file must be a CostGraphDef in protobuf's text format");
    }

    Result<TaskGraph> build() {
        TaskGraph graph;
        absl::flat_hash_map<std::int64_t, std::uint32_t> byId;
        std::vector<std::uint32_t> firstTensor;
        for (std::uint32_t i = 0; i < m_nodes.size(); ++i) {
            Node& node = m_nodes[i];
            if (!byId.emplace(node.id, i).second)
                return failAt(node.offset, fmt::format("two nodes have the id {}", node.id));
            firstTensor.push_back(static_cast<std::uint32_t>(graph.tensors.size()));
            for (const std::uint64_t size : node.sizes) {
                graph.tensors.push_back({.bytes = size, .producer = i, .isOutput = node.isFinal});
            }
            graph.operations.push_back({std::move(node.name), node.cost});
        }
        for (std::uint32_t i = 0; i < m_nodes.size(); ++i) {
            for (const Input& input : m_nodes[i].inputs) {
                const auto found = byId.find(input.node);
                if (found == byId.end()) return failAt(input.offset, fmt::format("no node has the id {}", input.node));
                const std::size_t outputs = m_nodes[found->second].sizes.size();
                if (outputs == 0) {
                    graph.controlEdges.emplace_back(found->second, i);
                } else if (input.port < 0 || static_cast<std::size_t>(input.port) >= outputs) {
                    return failAt(input.offset, fmt::format("node {} has no output {}", input.node, input.port));
                } else {
                    graph.tensors[firstTensor[found->second] + static_cast<std::size_t>(input.port)]
                        .consumers.push_back(i);
                }
            }
            for (const Input& control : m_nodes[i].controls) {
                const auto found = byId.find(control.node);
                if (found == byId.end())
                    return failAt(control.offset, fmt::format("no node has the id {}", control.node));
                graph.controlEdges.emplace_back(found->second, i);
            }
        }
        MITOS_REQUIRE(checkGraph(graph));
        return graph;
    }

    const SourceText& m_source;
    const std::string_view m_text;
    std::string_view m_word;
    std::size_t m_begin = 0;
    std::size_t m_at = 0;
    std::vector<Node> m_nodes;
};

}  // namespace

Result<TaskGraph> readCostGraph(const SourceText& source) { return CostGraphReader(source).read(); }

}  // namespace mitos::tasks
