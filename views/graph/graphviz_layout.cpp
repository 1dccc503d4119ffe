// SPDX-License-Identifier: GPL-3.0-or-later
// The input consists of sizes and the output of positions; fonts play no role.
#include "views/graph/graphviz_layout.h"

#include "core/base/child_process.h"
#include "core/ir/dot.h"

#include <fmt/format.h>

#include <map>
#include <queue>
#include <sstream>
#include <utility>

namespace mitos::views {

namespace {

constexpr double PointsAnInch = 72.0;
constexpr std::uint64_t MostMemory = 1ULL << 30U;
constexpr std::size_t MostErrors = 2'000;  // most characters of Graphviz's error output that are reported

Error unreadable(const std::string& what) {
    return Error{ErrorCode::Io, "Graphviz's answer could not be read: " + what};
}

ir::DotGraph toDotGraph(const GraphDescription& graph, GraphDirection direction, GraphvizEffort effort) {
    ir::DotGraph dot;
    dot.ordered = graph.ordered;
    for (const GraphNode& node : graph.nodes) {
        ir::DotNode made;
        made.width = node.size.width();
        made.height = node.size.height();
        dot.nodes.push_back(std::move(made));
    }
    for (const GraphEdge& edge : graph.edges) {
        if (edge.kind == GraphEdge::Kind::Child) dot.edges.push_back({edge.from, edge.to});
    }
    const auto set = [&dot](const char* name, const char* value) { dot.attributes.emplace_back(name, value); };
    set("rankdir", direction == GraphDirection::Right ? "LR" : "TB");
    set("nodesep", "0.18");
    set("ranksep", graph.groups.empty() ? "0.38" : "0.7");
    set("start", "1");  // makes the drawing of a graph reproducible
    if (effort == GraphvizEffort::Bounded || effort == GraphvizEffort::Straight) {
        // Not nslimit1: too small a value makes layers collapse.
        set("nslimit", "0.1");
        set("mclimit", "0.2");
    }
    if (effort == GraphvizEffort::Straight) set("splines", "line");
    if (effort == GraphvizEffort::Springs) set("overlap", "prism");
    return dot;
}

}  // namespace

std::optional<GraphvizEffort> graphvizEffort(std::size_t nodes, std::size_t edges) {
    constexpr std::size_t LargestForSprings = 10'000;
    if (nodes == 0) return std::nullopt;
    const double density = static_cast<double>(edges) / static_cast<double>(nodes);
    if (density <= 3.0) {
        const std::size_t scale = density <= 2.0 ? 1 : 2;
        if (nodes * scale <= 1'000) return GraphvizEffort::Full;
        if (nodes * scale <= 4'000) return GraphvizEffort::Bounded;
    } else {
        if (nodes <= 150) return GraphvizEffort::Full;
        if (nodes <= 500) return GraphvizEffort::Straight;
    }
    if (nodes <= LargestForSprings) return GraphvizEffort::Springs;
    return std::nullopt;
}

Result<GraphLayout> graphvizLayout(const GraphDescription& graph, GraphDirection direction, GraphvizEffort effort,
                                   double seconds, std::stop_token stop) {
    const std::string program = effort == GraphvizEffort::Springs ? "sfdp" : "dot";
    ChildOptions options;
    options.input = ir::toDot(toDotGraph(graph, direction, effort));
    options.seconds = seconds;
    options.memoryBytes = MostMemory;
    options.stop = std::move(stop);
    MITOS_TRY(ChildOutput answer, runChild({program, "-Tplain"}, options));
    if (answer.exitStatus != 0) {
        return Error{ErrorCode::Io, fmt::format("{} gave up (status {}): {}", program, answer.exitStatus,
                                                answer.errors.substr(0, MostErrors))};
    }
    return parsePlainLayout(graph, answer.output);
}

Result<GraphLayout> parsePlainLayout(const GraphDescription& graph, const std::string& text) {
    GraphLayout layout;
    layout.centres.resize(graph.nodes.size());
    layout.routes.resize(graph.edges.size());
    // Parallel edges arrive in any order and are assigned one by one.
    std::map<std::pair<GraphIndex, GraphIndex>, std::queue<std::size_t>> waiting;
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const GraphEdge& edge = graph.edges[i];
        if (edge.kind == GraphEdge::Kind::Child) waiting[{edge.from, edge.to}].push(i);
    }
    std::istringstream lines(text);
    lines.imbue(std::locale::classic());
    std::string line;
    double height = 0.0;
    std::size_t nodes = 0;
    const auto place = [&height](double x, double y) { return QPointF(x, height - y) * PointsAnInch; };
    const auto number = [&graph](const std::string& name) -> std::optional<GraphIndex> {
        if (name.size() < 2 || name[0] != 'n' || name.find_first_not_of("0123456789", 1) != std::string::npos ||
            name.size() > 9) {
            return std::nullopt;
        }
        const auto index = static_cast<GraphIndex>(std::stoul(name.substr(1)));
        return index < graph.nodes.size() ? std::optional(index) : std::nullopt;
    };
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        words.imbue(std::locale::classic());
        std::string kind;
        words >> kind;
        if (kind == "graph") {
            double scale = 1.0;
            double width = 0.0;
            words >> scale >> width >> height;
        } else if (kind == "node") {
            std::string name;
            double x = 0.0;
            double y = 0.0;
            words >> name >> x >> y;
            const auto index = number(name);
            if (!words || !index) return unreadable(line);
            layout.centres[*index] = place(x, y);
            ++nodes;
        } else if (kind == "edge") {
            std::string from;
            std::string to;
            std::size_t count = 0;
            words >> from >> to >> count;
            const auto tail = number(from);
            const auto head = number(to);
            if (!words || !tail || !head || count % 3 != 1) return unreadable(line);
            const auto found = waiting.find({*tail, *head});
            if (found == waiting.end() || found->second.empty()) return unreadable(line);
            std::vector<QPointF>& route = layout.routes[found->second.front()];
            found->second.pop();
            for (std::size_t i = 0; i < count; ++i) {
                double x = 0.0;
                double y = 0.0;
                words >> x >> y;
                route.push_back(place(x, y));
            }
            if (!words) return unreadable(line);
        } else if (kind == "stop") {
            break;
        }
    }
    if (nodes != graph.nodes.size()) return unreadable(fmt::format("{} of {} nodes", nodes, graph.nodes.size()));
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        QRectF box(QPointF(), graph.nodes[i].size);
        box.moveCenter(layout.centres[i]);
        layout.bounds |= box;
    }
    return layout;
}

}  // namespace mitos::views
