// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/egraph/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace mitos::egraph {

namespace {

/// {fmt} prints the shortest decimals that read back; a whole number keeps its ".0", as in other writers.
std::string number(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

void writeNode(const Snapshot& snapshot, const Snapshot::Node& node, std::string& out) {
    const auto add = std::back_inserter(out);
    fmt::format_to(add, "    {}: {{\n      \"op\": {},\n      \"children\": [", jsonText(node.id), jsonText(node.op));
    for (std::uint32_t i = 0; i < node.childCount; ++i) {
        const Snapshot::Node& child = snapshot.nodes[snapshot.children[node.firstChild + i]];
        fmt::format_to(add, "{}\n        {}", i == 0 ? "" : ",", jsonText(child.id));
    }
    fmt::format_to(add, "{}],\n      \"eclass\": {},\n      \"cost\": {}", node.childCount == 0 ? "" : "\n      ",
                   jsonText(snapshot.classes[node.eclass].id), number(node.cost));
    if (node.subsumed) out += ",\n      \"subsumed\": true";
    out += "\n    }";
}

void writeClassData(const Snapshot& snapshot, std::string& out) {
    const auto add = std::back_inserter(out);
    out += ",\n  \"class_data\": {";
    bool first = true;
    for (const Snapshot::Class& eclass : snapshot.classes) {
        if (eclass.type.empty() && eclass.data.empty()) continue;
        fmt::format_to(add, "{}\n    {}: {{", first ? "" : ",", jsonText(eclass.id));
        first = false;
        const char* separator = "";
        if (!eclass.type.empty()) {
            fmt::format_to(add, "\n      \"type\": {}", jsonText(eclass.type));
            separator = ",";
        }
        for (const auto& [key, value] : eclass.data) {
            fmt::format_to(add, "{}\n      {}: {}", separator, jsonText(key), jsonText(value));
            separator = ",";
        }
        out += "\n    }";
    }
    out += first ? "}" : "\n  }";
}

}  // namespace

std::string jsonText(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string writeJson(const Snapshot& snapshot) {
    std::string out = "{\n  \"nodes\": {";
    const auto add = std::back_inserter(out);
    for (std::size_t i = 0; i < snapshot.nodes.size(); ++i) {
        out += i == 0 ? "\n" : ",\n";
        writeNode(snapshot, snapshot.nodes[i], out);
    }
    out += snapshot.nodes.empty() ? "},\n  \"root_eclasses\": [" : "\n  },\n  \"root_eclasses\": [";
    for (std::size_t i = 0; i < snapshot.roots.size(); ++i) {
        fmt::format_to(add, "{}\n    {}", i == 0 ? "" : ",", jsonText(snapshot.classes[snapshot.roots[i]].id));
    }
    out += snapshot.roots.empty() ? "]" : "\n  ]";
    writeClassData(snapshot, out);
    for (const auto& [key, value] : snapshot.otherKeys) fmt::format_to(add, ",\n  {}: {}", jsonText(key), value);
    out += "\n}\n";
    return out;
}

}  // namespace mitos::egraph
