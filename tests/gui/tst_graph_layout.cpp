// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts of graphs as data: places of boxes, routes of edges, and what Graphviz is asked and answers.
#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "views/graph/graph_items.h"
#include "views/graph/graphviz_layout.h"
#include "views/graph/internal/layered_layout.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <utility>
#include <vector>

namespace tst_graph_layout {

using namespace mitos;
using namespace mitos::views;

namespace {

GraphDescription randomGraph(Random& random, GraphIndex nodes, GraphIndex edges, bool cyclic) {
    GraphDescription graph;
    for (GraphIndex i = 0; i < nodes; ++i) {
        GraphNode node;
        node.size = QSizeF(random.uniform(20, 120), random.uniform(15, 40));
        graph.nodes.push_back(node);
    }
    for (GraphIndex i = 0; i < edges; ++i) {
        auto from = static_cast<GraphIndex>(random.below(nodes));
        auto to = static_cast<GraphIndex>(random.below(nodes));
        if (!cyclic && from > to) std::swap(from, to);
        if (from != to || cyclic) graph.edges.push_back({from, to});
    }
    return graph;
}

QRectF boxOf(const GraphDescription& graph, const GraphLayout& layout, std::size_t node) {
    QRectF box(QPointF(), graph.nodes[node].size);
    box.moveCenter(layout.centres[node]);
    return box;
}

void checkBoxesAreApart(const GraphDescription& graph, const GraphLayout& layout) {
    QCOMPARE(layout.centres.size(), graph.nodes.size());
    QCOMPARE(layout.routes.size(), graph.edges.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const QRectF box = boxOf(graph, layout, i);
        QVERIFY(layout.bounds.adjusted(-0.5, -0.5, 0.5, 0.5).contains(box));
        for (std::size_t k = i + 1; k < graph.nodes.size(); ++k) {
            QVERIFY(!box.adjusted(0.1, 0.1, -0.1, -0.1).intersects(boxOf(graph, layout, k)));
        }
    }
}

}  // namespace

class TestGraphLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layersGrowAlongEdges() {
        Random random(5);
        for (int round = 0; round < 60; ++round) {
            const auto nodes = static_cast<GraphIndex>(1 + random.below(40));
            const GraphDescription graph = randomGraph(random, nodes, nodes + nodes / 2, false);
            for (const GraphDirection direction : {GraphDirection::Down, GraphDirection::Right}) {
                const GraphLayout layout = layeredLayout(graph, direction);
                checkBoxesAreApart(graph, layout);
                for (std::size_t i = 0; i < graph.edges.size(); ++i) {
                    const QPointF way = layout.centres[graph.edges[i].to] - layout.centres[graph.edges[i].from];
                    QVERIFY(direction == GraphDirection::Down ? way.y() > 0 : way.x() > 0);
                    QCOMPARE(layout.routes[i].size() % 3, std::size_t(1));
                }
            }
            if (QTest::currentTestFailed()) return;
        }
    }

    void cyclesAreLaidOutToo() {
        Random random(6);
        for (int round = 0; round < 60; ++round) {
            const auto nodes = static_cast<GraphIndex>(1 + random.below(30));
            const GraphDescription graph = randomGraph(random, nodes, 2 * nodes, true);
            checkBoxesAreApart(graph, layeredLayout(graph, GraphDirection::Down));
            if (QTest::currentTestFailed()) return;
        }
    }

    /// A value that every node of a long chain uses would turn in each layer as often as there are nodes below.
    void theLongestEdgesOfLargeGraphsHaveNoTurns() {
        const auto turnsOfUses = [](GraphIndex nodes) {
            GraphDescription graph;
            graph.nodes.resize(nodes);
            for (GraphNode& node : graph.nodes) node.size = QSizeF(30, 20);
            for (GraphIndex i = 1; i < nodes; ++i) graph.edges.push_back({i - 1, i});
            for (GraphIndex i = 2; i < nodes; ++i) graph.edges.push_back({0, i});
            const GraphLayout layout = layeredLayout(graph, GraphDirection::Down);
            std::vector<std::size_t> points;
            for (const auto& route : layout.routes) points.push_back(route.size());
            return std::pair(points[nodes - 1], points.back());  // the uses by the third node and by the last one
        };
        QCOMPARE(turnsOfUses(100), std::pair(std::size_t(7), std::size_t(3 * 99 + 1)));
        QCOMPARE(turnsOfUses(400), std::pair(std::size_t(7), std::size_t(4)));
    }

    void routesLeadFromTheirBeginning() {
        Random random(9);
        for (const GraphDirection direction : {GraphDirection::Down, GraphDirection::Right}) {
            const GraphDescription graph = randomGraph(random, 25, 60, true);
            const GraphLayout layout = layeredLayout(graph, direction);
            for (std::size_t i = 0; i < graph.edges.size(); ++i) {
                const GraphEdge& edge = graph.edges[i];
                QCOMPARE(layout.routes[i].empty(), edge.from == edge.to);
                if (layout.routes[i].empty()) continue;
                const QRectF from = boxOf(graph, layout, edge.from).adjusted(-0.5, -0.5, 0.5, 0.5);
                const QRectF to = boxOf(graph, layout, edge.to).adjusted(-0.5, -0.5, 0.5, 0.5);
                QVERIFY(from.contains(layout.routes[i].front()) && to.contains(layout.routes[i].back()));
            }
        }
    }

    void edgesLeaveRowsAtTheSide() {
        GraphNode node;
        node.title = QStringLiteral("class");
        node.rows.resize(3);
        for (GraphRow& row : node.rows) row.text = QStringLiteral("operator");
        const GraphStyle style(QApplication::palette(), QApplication::font());
        style.measure(node);
        QVERIFY(node.headHeight > 0 && node.size.height() >= node.headHeight + 3 * node.rowHeight);
        QRectF box(QPointF(), node.size);
        box.moveCenter({0, 0});
        const double rowY = node.rowMiddle(2);
        QVERIFY(rowY > node.rowMiddle(0) && rowY < box.bottom());
        const QRectF right(300, -20, 40, 40);
        const QRectF left(-300, -20, 40, 40);
        const auto onwards =
            routeFromRow(directRoute(box, right, GraphDirection::Right), box, rowY, GraphDirection::Right);
        QCOMPARE(onwards.front(), QPointF(box.right(), rowY));
        QCOMPARE(onwards.back(), QPointF(right.left(), 0));
        std::vector<QPointF> back = directRoute(left, box, GraphDirection::Right);
        std::reverse(back.begin(), back.end());
        QCOMPARE(routeFromRow(back, box, rowY, GraphDirection::Right).front(), QPointF(box.left(), rowY));
        const auto loop = loopRoute(box, rowY);
        QCOMPARE(loop.front(), QPointF(box.right(), rowY));
        QCOMPARE(loop.back().y(), box.top());
        // One that is bold needs more room, and says so.
        GraphNode bold = node;
        for (GraphRow& row : bold.rows) row.strong = true;
        style.measure(bold);
        QVERIFY(bold.size.width() > node.size.width());
    }

    void argumentsStayInOrder() {
        Random random(7);
        GraphDescription graph;
        graph.ordered = true;
        for (GraphIndex i = 0; i < 120; ++i) {
            GraphNode node;
            node.size = QSizeF(random.uniform(20, 90), 20);
            graph.nodes.push_back(node);
            if (i > 0) graph.edges.push_back({static_cast<GraphIndex>(random.below(i)), i});
        }
        const GraphLayout layout = layeredLayout(graph, GraphDirection::Down);
        checkBoxesAreApart(graph, layout);
        std::vector<double> last(graph.nodes.size(), -1e9);
        for (const GraphEdge& edge : graph.edges) {
            QVERIFY(layout.centres[edge.to].x() > last[edge.from]);
            last[edge.from] = layout.centres[edge.to].x();
        }
    }

    void aParentStandsOverItsChildren() {
        GraphDescription graph;
        graph.nodes.resize(3);
        for (GraphNode& node : graph.nodes) node.size = QSizeF(40, 20);
        graph.edges = {{0, 1}, {0, 2}};
        const GraphLayout layout = layeredLayout(graph, GraphDirection::Down);
        QCOMPARE(layout.centres[0].x(), (layout.centres[1].x() + layout.centres[2].x()) / 2);
        QVERIFY(layout.centres[1].x() < layout.centres[2].x());
        QCOMPARE(layout.centres[1].y(), layout.centres[2].y());
    }

    void graphvizIsAskedForWhatItCanDo() {
        QCOMPARE(graphvizEffort(300, 463), std::optional(GraphvizEffort::Full));
        QCOMPARE(graphvizEffort(4'000, 6'254), std::optional(GraphvizEffort::Bounded));
        QCOMPARE(graphvizEffort(170, 768), std::optional(GraphvizEffort::Straight));
        QCOMPARE(graphvizEffort(2'906, 13'776), std::optional(GraphvizEffort::Springs));
        QCOMPARE(graphvizEffort(50'000, 80'000), std::optional<GraphvizEffort>());
        QCOMPARE(graphvizEffort(0, 0), std::optional<GraphvizEffort>());
    }

    void graphvizAnswersAreRead() {
        GraphDescription graph;
        graph.nodes.resize(2);
        for (GraphNode& node : graph.nodes) node.size = QSizeF(72, 36);
        graph.edges = {{0, 1}};
        const std::string answer =
            "graph 1 1 2\nnode n0 0.5 1.75 1 0.5 \"\" rounded box black lightgrey\n"
            "node n1 0.5 0.25 1 0.5 \"\" rounded box black lightgrey\n"
            "edge n0 n1 4 0.5 1.5 0.5 1.2 0.5 0.8 0.5 0.5 solid black\nstop\n";
        const Result<GraphLayout> layout = parsePlainLayout(graph, answer);
        QVERIFY(layout.ok());
        QCOMPARE(layout->centres[0], QPointF(36, 18));
        QCOMPARE(layout->centres[1], QPointF(36, 126));
        QCOMPARE(layout->routes[0].front(), QPointF(36, 36));
        QCOMPARE(layout->bounds, QRectF(0, 0, 72, 144));
        for (const char* wrong :
             {"", "node n0 1\n", "node n7 1 1 1 1\n", "node n0 1 1\nnode n1 1 1\nedge n0 n1 2 1 1\n",
              "node n0 1 1\nnode n1 1 1\nedge n1 n0 4 1 1 1 1 1 1 1 1\n", "node n99999999999 1 1\n"}) {
            QVERIFY2(!parsePlainLayout(graph, wrong).ok(), wrong);
        }
    }

    void graphvizLaysOut() {
        Random random(8);
        const GraphDescription graph = randomGraph(random, 40, 55, false);
        for (const GraphvizEffort effort : {GraphvizEffort::Full, GraphvizEffort::Bounded, GraphvizEffort::Straight}) {
            const Result<GraphLayout> layout = graphvizLayout(graph, GraphDirection::Right, effort, 30.0, {});
            QVERIFY2(layout.ok(), layout.ok() ? "" : layout.error().message.c_str());
            checkBoxesAreApart(graph, *layout);
        }
        std::stop_source stopped;
        stopped.request_stop();
        const Result<GraphLayout> none =
            graphvizLayout(graph, GraphDirection::Down, GraphvizEffort::Full, 30.0, stopped.get_token());
        QCOMPARE(none.error().code, ErrorCode::Cancelled);
    }
};

MITOS_TEST(TestGraphLayout)

}  // namespace tst_graph_layout

#include "tst_graph_layout.moc"
