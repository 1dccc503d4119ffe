// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX messages made by hand (https://onnx.ai/onnx/api/classes.html has the numbers of fields): for what the textual syntax
// has no words for, and for what no exporter would write.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tests::bytes {

using Names = std::vector<std::string>;

inline std::string varint(std::uint64_t value) {
    std::string result;
    for (; value >= 0x80; value >>= 7U) result += static_cast<char>((value & 0x7FU) | 0x80U);
    return result + static_cast<char>(value);
}
inline std::string field(std::uint64_t number, std::string_view content) {
    return varint(number << 3U | 2U) + varint(content.size()) + std::string(content);
}
inline std::string integerField(std::uint64_t number, std::int64_t value) {
    return varint(number << 3U) + varint(std::bit_cast<std::uint64_t>(value));
}
inline std::string all(std::uint64_t number, const std::vector<std::string>& contents) {
    std::string result;
    for (const std::string& content : contents) result += field(number, content);
    return result;
}

/// Little-endian.
template <typename Number>
std::string raw(const std::vector<Number>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

inline std::string intAttribute(std::string_view name, std::int64_t value) {
    return field(1, name) + integerField(3, value) + integerField(20, 2);
}
inline std::string tensorAttribute(std::string_view name, std::string_view tensor) {
    return field(1, name) + field(5, tensor) + integerField(20, 4);
}
inline std::string graphAttribute(std::string_view name, std::string_view graph) {
    return field(1, name) + field(6, graph) + integerField(20, 5);
}

struct Node {
    std::string type;
    Names inputs = {};
    Names outputs = {};
    std::string name = {};
    std::string domain = {};
    std::vector<std::string> attributes = {};

    [[nodiscard]] std::string bytes() const {
        return all(1, inputs) + all(2, outputs) + (name.empty() ? "" : field(3, name)) + field(4, type) +
               all(5, attributes) + (domain.empty() ? "" : field(7, domain));
    }
};

inline std::string nodes(std::uint64_t number, const std::vector<Node>& list) {
    std::string result;
    for (const Node& node : list) result += field(number, node.bytes());
    return result;
}

constexpr std::int64_t Float = 1;
constexpr std::int64_t Bool = 9;

/// A tensor of floats; what is behind `rest` says where its elements are.
inline std::string tensor(std::string_view name, std::int64_t size, const std::string& rest) {
    return integerField(1, size) + integerField(2, Float) + (name.empty() ? "" : field(8, name)) + rest;
}
inline std::string elements(const std::vector<float>& numbers) { return field(9, raw(numbers)); }
inline std::string externalElements(std::string_view location) {
    return field(13, field(1, "location") + field(2, location)) + integerField(14, 1);
}

/// An input or output; every size is a name, though it be "5".
inline std::string value(std::string_view name, std::int64_t type, const Names& sizes) {
    std::string shape;
    for (const std::string& size : sizes) shape += field(1, field(2, size));
    return field(1, name) + field(2, field(1, integerField(1, type) + field(2, shape)));
}

struct Graph {
    std::vector<Node> nodes = {};
    std::vector<std::string> inputs = {};
    std::vector<std::string> outputs = {};
    std::vector<std::string> initializers = {};
    std::vector<std::string> sparse = {};

    [[nodiscard]] std::string bytes() const {
        return bytes::nodes(1, nodes) + field(2, "g") + all(5, initializers) + all(11, inputs) + all(12, outputs) +
               all(15, sparse);
    }
};

inline std::string opset(std::string_view domain, std::int64_t version) {
    return field(1, domain) + integerField(2, version);
}

/// In the domain "loc".
inline std::string function(std::string_view name, const Names& inputs, const Names& outputs,
                            const std::vector<Node>& body) {
    return field(1, name) + all(4, inputs) + all(5, outputs) + nodes(7, body) + field(9, opset("", 17)) +
           field(9, opset("loc", 1)) + field(10, "loc");
}

inline std::string model(const Graph& graph, const std::vector<std::string>& functions = {}) {
    return integerField(1, 8) + field(8, opset("", 17)) + field(8, opset("loc", 1)) + field(7, graph.bytes()) +
           all(25, functions);
}

/// Functions that call each other `count` times, `levels` deep.
inline std::string nestedFunctions(int levels, int count) {
    std::vector<std::string> functions;
    for (int level = 0; level < levels; ++level) {
        const bool isLast = level + 1 == levels;
        std::vector<Node> body;
        std::string before = "a";
        for (int i = 0; i < count; ++i) {
            std::string after = i + 1 == count ? "o" : "v" + std::to_string(i);
            body.push_back({.type = isLast ? "Relu" : "f" + std::to_string(level + 1),
                            .inputs = {before},
                            .outputs = {after},
                            .domain = isLast ? "" : "loc"});
            before = std::move(after);
        }
        functions.push_back(function("f" + std::to_string(level), {"a"}, {"o"}, body));
    }
    return model({.nodes = {{.type = "f0", .inputs = {"x"}, .outputs = {"y"}, .domain = "loc"}},
                  .inputs = {value("x", Float, {"N"})},
                  .outputs = {value("y", Float, {"N"})}},
                 functions);
}

/// A function with a node that makes nothing, and calls nothing that is known, if `isKnown` is false.
inline std::string functionWithAnEmptyNode(bool isKnown) {
    const std::string type = isKnown ? "f1" : "Nobody";
    return model({.nodes = {{.type = "f0", .inputs = {"x"}, .outputs = {"y"}, .domain = "loc"}},
                  .inputs = {value("x", Float, {"N"})},
                  .outputs = {value("y", Float, {"N"})}},
                 {function("f0", {"a"}, {"o"},
                           {{.type = type, .inputs = {"a"}, .outputs = {}, .domain = "loc"},
                            {.type = "Relu", .inputs = {"a"}, .outputs = {"o"}}}),
                  function("f1", {"a"}, {}, {{.type = "Relu", .inputs = {"a"}, .outputs = {"o"}}})});
}

}  // namespace mitos::tests::bytes
