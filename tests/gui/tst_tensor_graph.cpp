// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that are graphs, drawn: blocks, shapes, weights, searching, what a rewrite touches; and the outline beside.
#include "core/ir/diff.h"
#include "core/ir/shared.h"
#include "core/rewrite/rewriter.h"
#include "core/rules/rule_sets.h"
#include "tests/gui/pictures.h"
#include "tests/gui/tensor_desk.h"
#include "tests/support/test_program.h"
#include "views/program/internal/program_graph.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QToolButton>

namespace tst_tensor_graph {

using namespace mitos;
using namespace mitos::views;

namespace {

struct Shown {
    JobRunner jobs;
    ProgramGraph graph{jobs};
    test::GraphContent program;

    bool show() {
        graph.resize(900, 700);
        graph.view().setReducedMotion(true);
        graph.show();
        graph.setContent(program.content, program.bank.get(), false);
        return settle();
    }
    bool settle() {
        return QTest::qWaitFor([this] { return jobs.isIdle(); }, 20'000);
    }
    bool read(const std::string& text) {
        program.read(text);
        return show();
    }
    [[nodiscard]] QStringList titles() {
        QStringList found;
        for (const GraphNode& node : graph.view().graph().nodes) found << node.title;
        return found;
    }
    [[nodiscard]] GraphIndex box(const QString& title) { return static_cast<GraphIndex>(titles().indexOf(title)); }
    void press(const char* button) {
        QTest::mouseClick(graph.findChild<QToolButton*>(QLatin1String(button)), Qt::LeftButton);
        QVERIFY(settle());
    }
    void click(GraphIndex box) {
        graph.view().reveal(box);
        QTest::mouseClick(graph.view().viewport(), Qt::LeftButton, {}, graph.view().rectOf(box).center());
    }
    [[nodiscard]] QStringList marked(NodeState state) {
        QStringList found;
        for (const GraphIndex index : graph.view().marked(state)) found << graph.view().graph().nodes[index].title;
        return found;
    }
};

constexpr const char* Small = R"(graph f(x: f32[1,3,8,8])
  weight w: f32[4,3,3,3]
  c = Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1]](x, w)
  r = Relu(c)
  t = Tanh(c)
  return Add(r, t)
)";

}  // namespace

class TestTensorGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The paths of all nodes together would fill gigabytes.
    void deepProgramsAreLaidOut() {
        constexpr std::uint32_t Depth = 20'000;
        std::string listing = "graph chain(x: f32[8])\n n1 = Relu(x)\n";
        for (std::uint32_t i = 2; i <= Depth; ++i) listing += fmt::format(" n{} = Add(n{}, x)\n", i, i - 1);
        test::GraphContent program;
        program.read(listing + fmt::format(" return n{}\n", Depth));
        const ProgramText& text = program.content->text;
        QCOMPARE(text.nodes().size(), std::size_t(Depth + 1));
        QCOMPARE(text.name(0), QStringLiteral("n20000"));
        QCOMPARE(text.name(7), QStringLiteral("n19993"));
        QVERIFY(text.path(7) == ir::Path(7, 0));
        QVERIFY(text.path(Depth) == ir::Path(Depth, 0));
        QCOMPARE(text.name(Depth), QStringLiteral("x"));
        QCOMPARE(text.find(ir::Path(7, 0)), std::optional<NodeIndex>(7));
        QCOMPARE(text.find(ir::Path{0, 0, 1}), std::optional<NodeIndex>(Depth));  // x, at another path
        QCOMPARE(program.content->costs.size(), std::size_t(Depth + 1));
    }

    void init() { QSettings().clear(); }

    void valuesFlowWithTheirShapes() {
        Shown shown;
        QVERIFY(shown.read(Small));
        QCOMPARE(shown.titles().size(), 5);
        const GraphDescription& graph = shown.graph.view().graph();
        QCOMPARE(graph.nodes[shown.box(QStringLiteral("Conv"))].caption, QStringLiteral("1x4x8x8 f32"));
        QCOMPARE(graph.nodes[shown.box(QStringLiteral("x"))].caption, QStringLiteral("1x3x8x8 f32"));
        QCOMPARE(graph.edges.size(), std::size_t(5));
        for (const GraphEdge& edge : graph.edges) {  // downwards
            QVERIFY(shown.graph.view().rectOf(edge.from).bottom() < shown.graph.view().rectOf(edge.to).top());
        }
    }

    void weightsAreHiddenUntilAskedFor() {
        Shown shown;
        QVERIFY(shown.read(Small));
        QVERIFY(!shown.titles().contains(QStringLiteral("w")));
        QVERIFY(shown.graph.footer().contains(QLatin1String("hidden weights: 1")));
        shown.press("graphWeights");
        QVERIFY(shown.titles().contains(QStringLiteral("w")));
        // Right above what uses it, not at the top.
        const QRect weight = shown.graph.view().rectOf(shown.box(QStringLiteral("w")));
        QCOMPARE(weight.center().y(), shown.graph.view().rectOf(shown.box(QStringLiteral("x"))).center().y());
        // The next graph is as its user had this one.
        {
            Shown again;
            QVERIFY(again.read(Small));
            QVERIFY(again.titles().contains(QStringLiteral("w")));
            QVERIFY(again.graph.findChild<QToolButton*>(QStringLiteral("graphWeights"))->isChecked());
        }
        shown.press("graphWeights");
        QVERIFY(!shown.titles().contains(QStringLiteral("w")));
    }

    void sharesOfCostsAreBars() {
        Shown shown;
        QVERIFY(shown.read(Small));
        const GraphDescription& graph = shown.graph.view().graph();
        const GraphNode& conv = graph.nodes[shown.box(QStringLiteral("Conv"))];
        QCOMPARE(conv.parts.size(), std::size_t(3));
        QVERIFY(qAbs(conv.parts[0] + conv.parts[1] + conv.parts[2] - 1.0) < 1e-9);
        double dearest = 0.0;
        for (const GraphNode& node : graph.nodes) dearest = std::max(dearest, node.share);
        QCOMPARE(dearest, 1.0);
        shown.press("graphBars");
        for (const GraphNode& node : shown.graph.view().graph().nodes) QVERIFY(node.share < 0);
    }

    void blocksCollapseAndExpand() {
        Shown shown;
        QVERIFY(shown.read(test::layeredListing(3)));
        QCOMPARE(shown.titles(), (QStringList{QStringLiteral("x"), QStringLiteral("Relu"), QStringLiteral("layer1"),
                                              QStringLiteral("layer2"), QStringLiteral("layer3")}));
        GraphView& view = shown.graph.view();
        QSignalSpy chosen(&shown.graph, &ProgramGraph::chosen);
        // By mouse, at its button.
        const GraphIndex second = shown.box(QStringLiteral("layer2"));
        view.reveal(second);
        const QRect rect = view.rectOf(second);
        Q_EMIT view.nodeToggled(static_cast<int>(second));
        QVERIFY(shown.settle());
        QVERIFY(!rect.isEmpty());
        QCOMPARE(shown.titles().size(), 9);
        QVERIFY(shown.titles().contains(QStringLiteral("MatMul")));
        // A frame with its name; a click on that closes it.
        QCOMPARE(view.framedGroups().size(), std::size_t(1));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.titleRectOf(view.framedGroups()[0]).center());
        QVERIFY(shown.settle());
        QCOMPARE(shown.titles().size(), 5);
        // By keyboard: Enter opens the block selected, and closes the one around the operator selected.
        shown.click(shown.box(QStringLiteral("layer3")));
        QCOMPARE(chosen.count(), 1);
        shown.graph.setSelected(shown.program.node(QStringLiteral("layer3/out")), {});
        QCOMPARE(shown.marked(NodeState::Selected), QStringList{QStringLiteral("layer3")});
        QTest::keyClick(&view, Qt::Key_Return);
        QVERIFY(shown.settle());
        QCOMPARE(shown.titles().size(), 9);
        QCOMPARE(shown.marked(NodeState::Selected), QStringList{QStringLiteral("Add")});
        QTest::keyClick(&view, Qt::Key_Return);
        QVERIFY(shown.settle());
        QCOMPARE(shown.titles().size(), 5);
        shown.press("graphExpand");
        QCOMPARE(shown.titles().size(), 17);
        QTest::keyClick(&view, Qt::Key_C, Qt::ShiftModifier);
        QVERIFY(shown.settle());
        QCOMPARE(shown.titles().size(), 5);
    }

    void arrowsWalkAlongEdges() {
        Shown shown;
        QVERIFY(shown.read(Small));
        GraphView& view = shown.graph.view();
        connect(&shown.graph, &ProgramGraph::chosen, &shown.graph,
                [&shown](quint32 node) { shown.graph.setSelected(node, {}); });
        shown.graph.setSelected(shown.program.node(QStringLiteral("x")), {});
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(shown.marked(NodeState::Selected), QStringList{QStringLiteral("Conv")});
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(shown.marked(NodeState::Selected), QStringList{QStringLiteral("Relu")});
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(shown.marked(NodeState::Selected), QStringList{QStringLiteral("Add")});
        QTest::keyClick(&view, Qt::Key_Up);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(shown.marked(NodeState::Selected), QStringList{QStringLiteral("Tanh")});
    }

    void whatIsFoundIsUncovered() {
        Shown shown;
        QVERIFY(shown.read(test::layeredListing(3)));
        const ProgramParts& parts = shown.program.content->parts;
        QCOMPARE(findNodes(parts, QStringLiteral("tanh")).size(), std::size_t(3));
        QCOMPARE(findNodes(parts, QStringLiteral("layer2/")).size(), std::size_t(5));
        QCOMPARE(findNodes(parts, QStringLiteral("8x8 f32")).size(), std::size_t(1));  // the weight
        QVERIFY(findNodes(parts, QStringLiteral("nothing")).empty());
        shown.graph.setFound(findNodes(parts, QStringLiteral("layer2/")));
        QCOMPARE(shown.marked(NodeState::Found), QStringList{QStringLiteral("layer2")});
        shown.graph.uncover(findNodes(parts, QStringLiteral("layer2/"))[0]);
        QVERIFY(shown.settle());
        QCOMPARE(shown.marked(NodeState::Found).size(), 5);
        shown.graph.uncover(shown.program.node(QStringLiteral("w")));
        QVERIFY(shown.settle());
        QVERIFY(shown.titles().contains(QStringLiteral("w")));
    }

    void allRootsOfARewriteLightUp() {
        Shown shown;
        QVERIFY(shown.read(Small));
        const NodeIndex relu = shown.program.node(QStringLiteral("r"));
        const NodeIndex tanh = shown.program.node(QStringLiteral("t"));
        shown.graph.setTouched({relu, tanh, shown.program.node(QStringLiteral("c"))}, {relu, tanh});
        QCOMPARE(shown.marked(NodeState::Root), (QStringList{QStringLiteral("Relu"), QStringLiteral("Tanh")}));
        QCOMPARE(shown.marked(NodeState::Gone).size(), 3);
        shown.graph.setTouched({}, {});
        QVERIFY(shown.marked(NodeState::Root).isEmpty());
    }

    void theOutlineHoldsEveryNode() {
        test::GraphContent program;
        program.build("nasnet-a");
        ProgramTreeModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setContent(program.content, program.bank.get());
        const auto count = static_cast<NodeIndex>(program.content->text.nodes().size());
        for (NodeIndex node = 0; node < count; ++node) {
            const QModelIndex index = model.indexOf(node);
            if (program.content->parts.nodes[node].kind == PartNode::Kind::Absent) continue;
            QVERIFY(index.isValid());
            QCOMPARE(model.nodeOf(index), node);
            QVERIFY(!index.data().toString().isEmpty());
        }
        QVERIFY(model.index(0, 0).data().toString().startsWith(QLatin1String("Inputs (1)")));
        // Heads cost what is in them.
        double sum = 0.0;
        for (const std::uint32_t top : program.content->parts.top) {
            const OutlineRow& row = program.content->parts.outline[top];
            sum += row.isHead ? row.cost : program.content->costs[row.node].own;
        }
        QVERIFY(qAbs(sum - program.content->costs[0].total) < 1e-6 * sum);
    }

    void aRewriteMarksWhatItMakes_data() {
        QTest::addColumn<QString>("network");
        for (const char* network : {"resnet-50", "squeezenet", "nasnet-a", "bert"})
            QTest::newRow(network) << QString::fromLatin1(network);
    }

    /// Lines that stay what they were are not marked: of the program after a rewrite only the nodes of its replacement are new.
    /// What stands above them is another term, but does what it did.
    void aRewriteMarksWhatItMakes() {
        QFETCH(QString, network);
        test::GraphContent program;
        program.build(network.toUtf8().constData());
        const ir::TermBank& bank = *program.bank;
        const ir::TermId root = program.program.root;
        const Result<rules::RuleBook> book = rules::RuleBook::load("tensor", bank.sharedRegistry());
        QVERIFY(book.ok());
        std::vector<rewrite::Rewrite> rewrites;
        rewrite::Rewriter(*program.bank, book->directions(), ir::Sharing::Graph)
            .forEach(root, [&](const rewrite::Rewrite& one) {
                rewrites.push_back(one);
                return rewrites.size() < 400;
            });
        QVERIFY(!rewrites.empty());
        const ir::SharedNodes before(bank, root);
        for (std::size_t i = 0; i < rewrites.size(); i += 1 + rewrites.size() / 25) {
            const ir::SharedNodes replacement(bank, rewrites[i].replacement);
            std::size_t made = 0;
            for (const ir::TermId node : replacement) made += before.contains(node) ? 0 : 1;
            const ir::Diff found = ir::diff(bank, root, rewrites[i].result, ir::Sharing::Graph);
            const auto marked = static_cast<std::size_t>(
                std::ranges::count_if(found.after, [](ir::DiffMark mark) { return mark != ir::DiffMark::Kept; }));
            QVERIFY2(marked <= made, qPrintable(QStringLiteral("%1: %2 marked, %3 made")
                                                    .arg(QString::fromStdString(rewrites[i].step.name()))
                                                    .arg(marked)
                                                    .arg(made)));
        }
    }

    void linesThatStayAreNotMarked_data() {
        QTest::addColumn<QString>("network");
        for (const char* network : {"squeezenet", "nasnet-a", "bert"})
            QTest::newRow(network) << QString::fromLatin1(network);
    }

    /// After twenty rewrites here and there: a line that both listings have is the same line.
    void linesThatStayAreNotMarked() {
        QFETCH(QString, network);
        test::GraphContent program;
        program.build(network.toUtf8().constData());
        const ir::TermBank& bank = *program.bank;
        const Result<rules::RuleBook> book = rules::RuleBook::load("tensor", bank.sharedRegistry());
        QVERIFY(book.ok());
        ir::Program after = program.program;
        for (int step = 0; step < 20; ++step) {
            int left = 7 * step;
            rewrite::Rewriter(*program.bank, book->directions(), ir::Sharing::Graph)
                .forEach(ir::TermId(after.root), [&](const rewrite::Rewrite& one) {
                    after.root = one.result;
                    return left-- > 0;
                });
        }
        const ProgramText before(bank, program.program, 100);
        const ProgramText now(bank, after, 100);
        QSet<QString> lines;
        for (NodeIndex node = 0; node < before.nodes().size(); ++node) lines.insert(before.text(node));
        const ir::Diff found = ir::diff(bank, program.program.root, after.root, ir::Sharing::Graph);
        std::size_t changed = 0;
        for (NodeIndex node = 0; node < now.nodes().size(); ++node) {
            if (found.after[node] == ir::DiffMark::Kept) continue;
            ++changed;
            QVERIFY2(!lines.contains(now.text(node)), qPrintable(now.text(node)));
        }
        QVERIFY(changed > 5);
    }

    void largeGraphsAreDrawnInJobs() {
        Shown shown;
        QVERIFY(shown.read(test::layeredListing(400)));
        QCOMPARE(shown.titles().size(), 402);
        shown.press("graphExpand");
        QCOMPARE(shown.titles().size(), 2'002);
        QVERIFY(!shown.graph.grab().isNull());
        shown.graph.view().fit();
        QVERIFY(!shown.graph.grab().isNull());
    }

    void pictures_data() {
        QTest::addColumn<QString>("network");
        QTest::addColumn<bool>("expanded");
        QTest::newRow("squeezenet") << QStringLiteral("squeezenet") << true;
        QTest::newRow("nasnet") << QStringLiteral("nasnet-a") << false;
        QTest::newRow("bert") << QStringLiteral("bert") << true;
        QTest::newRow("resnet") << QStringLiteral("resnet-50") << false;
    }

    void pictures() {
        QFETCH(QString, network);
        QFETCH(bool, expanded);
        Shown shown;
        shown.program.build(network.toUtf8().constData());
        QVERIFY(shown.show());
        if (expanded) shown.press("graphExpand");
        QVERIFY(
            test::takePictures(shown.graph, QStringLiteral("graph-") + QString::fromLatin1(QTest::currentDataTag())));
    }
};

MITOS_TEST(TestTensorGraph)

}  // namespace tst_tensor_graph

#include "tst_tensor_graph.moc"
