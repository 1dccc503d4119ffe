// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/files/task_graph_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>

namespace mitos::tasks {

namespace {

using Json = nlohmann::json;

constexpr std::size_t DeepestNesting = 8;

/// Reads the parts of a parsed text. After the first mistake, error() has it and the values do not matter.
class TaskGraphReader {
public:
    explicit TaskGraphReader(const SourceText& source) : m_source(source) {}

    Result<TaskGraph> read(const Json& json) {
        TaskGraph graph;
        if (members(json, "the text", {"operations", "tensors", "control"}, {"operations"})) {
            each(json, "operations", [&](const Json& part, const std::string& where) {
                if (!members(part, where, {"name", "duration"}, {"duration"})) return;
                Operation operation;
                if (part.contains("name")) operation.name = text(part["name"], where + ".name");
                operation.duration = number(part["duration"], where + ".duration");
                graph.operations.push_back(std::move(operation));
            });
            each(json, "tensors", [&](const Json& part, const std::string& where) {
                if (!members(part, where, {"producer", "bytes", "consumers", "output"}, {"producer"})) return;
                Tensor tensor;
                tensor.producer = operation(part["producer"], where + ".producer");
                if (part.contains("bytes")) tensor.bytes = count(part["bytes"], where + ".bytes");
                each(part, "consumers", [&](const Json& consumer, const std::string& place) {
                    tensor.consumers.push_back(operation(consumer, where + "." + place));
                });
                if (part.contains("output")) tensor.isOutput = truth(part["output"], where + ".output");
                graph.tensors.push_back(std::move(tensor));
            });
            each(json, "control", [&](const Json& part, const std::string& where) {
                if (!part.is_array() || part.size() != 2) {
                    fail(where, "is not a pair of operations");
                    return;
                }
                graph.controlEdges.emplace_back(operation(part[0], where + "[0]"), operation(part[1], where + "[1]"));
            });
        }
        if (m_error) return *std::move(m_error);
        MITOS_REQUIRE(checkGraph(graph));
        return graph;
    }

private:
    void fail(const std::string& where, std::string_view what) {
        if (m_error) return;
        m_error = Error{ErrorCode::Parse, fmt::format("{}: {} {}", m_source.name(), where, what), std::nullopt,
                        "a task graph has operations with durations, tensors with bytes, producer and consumers, and "
                        "control edges"};
    }
    bool members(const Json& json, const std::string& where, std::initializer_list<std::string_view> known,
                 std::initializer_list<std::string_view> required) {
        if (!json.is_object()) {
            fail(where, "is not an object");
            return false;
        }
        for (const std::string_view name : required) {
            if (!json.contains(name)) fail(where, fmt::format("has no member '{}'", name));
        }
        for (const auto& item : json.items()) {
            if (std::ranges::find(known, item.key()) == known.end()) {
                fail(where, fmt::format("has an unknown member '{}'", item.key()));
            }
        }
        return !m_error;
    }
    template <typename Read>
    void each(const Json& object, const char* member, Read read) {
        if (m_error || !object.contains(member)) return;
        const Json& list = object[member];
        if (!list.is_array()) {
            fail(member, "is not a list");
            return;
        }
        for (std::size_t i = 0; i < list.size() && !m_error; ++i) read(list[i], fmt::format("{}[{}]", member, i));
    }
    std::string text(const Json& json, const std::string& where) {
        if (json.is_string()) return json.get<std::string>();
        fail(where, "is not a text");
        return {};
    }
    double number(const Json& json, const std::string& where) {
        if (json.is_number()) return json.get<double>();
        fail(where, "is not a number");
        return 0.0;
    }
    bool truth(const Json& json, const std::string& where) {
        if (json.is_boolean()) return json.get<bool>();
        fail(where, "is neither true nor false");
        return false;
    }
    std::uint64_t count(const Json& json, const std::string& where) {
        if (json.is_number_unsigned()) return json.get<std::uint64_t>();
        fail(where, "is not a whole number of 0 or more");
        return 0;
    }
    std::uint32_t operation(const Json& json, const std::string& where) {
        const std::uint64_t value = count(json, where);
        if (value <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(value);
        fail(where, "is not the number of an operation");
        return 0;
    }

    const SourceText& m_source;
    std::optional<Error> m_error;
};

}  // namespace

Result<TaskGraph> readTaskGraph(const SourceText& source) {
    if (jsonNesting(source.text()) > DeepestNesting) {
        return source.error({0, 0}, "the text is nested too deeply for a task graph", "a task graph has three levels");
    }
    try {
        return TaskGraphReader(source).read(Json::parse(source.text()));
    } catch (const Json::parse_error& problem) {
        const std::size_t offset = problem.byte == 0 ? 0 : std::min(problem.byte - 1, source.text().size());
        return source.error({offset, offset}, "the text is not JSON here", "a task graph is one JSON object");
    } catch (const Json::exception& problem) {
        return source.error({0, 0}, fmt::format("the text cannot be read: {}", problem.what()),
                            "a task graph is one JSON object");
    }
}

std::string toJson(const TaskGraph& graph) {
    Json operations = Json::array();
    for (const Operation& operation : graph.operations) {
        operations.push_back({{"name", operation.name}, {"duration", operation.duration}});
    }
    Json tensors = Json::array();
    for (const Tensor& tensor : graph.tensors) {
        tensors.push_back({{"producer", tensor.producer},
                           {"bytes", tensor.bytes},
                           {"consumers", tensor.consumers},
                           {"output", tensor.isOutput}});
    }
    const Json json = {
        {"operations", std::move(operations)}, {"tensors", std::move(tensors)}, {"control", graph.controlEdges}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mitos::tasks
