// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs: the view's mouse and keys, what is drawn of a program, pictures.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/support/test_program.h"
#include "views/graph/graph_items.h"
#include "views/graph/graph_pane.h"
#include "views/graph/internal/minimap.h"
#include "views/graph/internal/picture_dialog.h"
#include "views/program/code_view.h"
#include "views/program/internal/program_graph.h"
#include "views/program/program_view.h"

#include <QApplication>
#include <QComboBox>
#include <QImageReader>
#include <QLabel>
#include <QMouseEvent>
#include <QSettings>
#include <QToolButton>

namespace tst_graph {

using namespace mitos;
using namespace mitos::views;

namespace {

/// A sum with that many products: 4 n - 1 nodes, deep.
QString longSum(int products) {
    QString text = QStringLiteral("(mul x y)");
    for (int i = 1; i < products; ++i) text = QStringLiteral("(add (mul x y) %1)").arg(text);
    return text;
}

/// A column of boxes, each with a fill, joined by edges.
GraphDescription column(GraphIndex boxes) {
    GraphDescription graph;
    graph.nodes.resize(boxes);
    for (GraphIndex i = 0; i < boxes; ++i) {
        graph.nodes[i].title = QStringLiteral("box");
        graph.nodes[i].fill = static_cast<int>(i) % Theme::Fills;
        if (i > 0) graph.edges.push_back({i - 1, i});
    }
    return graph;
}

void sendMouse(QWidget& widget, QEvent::Type type, const QPointF& place) {
    const bool isMove = type == QEvent::MouseMove;
    QMouseEvent event(type, place, widget.mapToGlobal(place), isMove ? Qt::NoButton : Qt::LeftButton,
                      type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, {});
    QApplication::sendEvent(&widget, &event);
}

struct Shown {
    test::Desk desk;
    ProgramView view{desk.document, desk.selection, desk.jobs};
    ProgramGraph* graph = view.findChild<ProgramGraph*>(QStringLiteral("programGraph"));

    bool open(const QString& text) {
        view.resize(700, 500);
        view.show();
        if (!desk.open(text)) return false;
        view.showAs(ProgramView::GraphTab);
        return settle();
    }
    bool settle() {
        return QTest::qWaitFor(
            [this] {
                return view.isComplete() && !desk.document.isReceiving() && desk.jobs.isIdle() &&
                       !graph->view().isLayoutPending();
            },
            20'000);
    }
    [[nodiscard]] std::string selected() const {
        return desk.selection.subterm() ? ir::toString(*desk.selection.subterm()) : "none";
    }
    [[nodiscard]] QString footer() const { return view.findChild<QLabel*>(QStringLiteral("graphFooter"))->text(); }
    void press(int key) { QTest::keyClick(&graph->view(), static_cast<Qt::Key>(key)); }
};

}  // namespace

class TestGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// In a narrow pane the buttons continue in a second line.
    void buttonsNeverMakeThePaneWide() {
        JobRunner jobs;
        GraphPane pane(jobs);
        for (const char* name : {"first", "second", "third", "fourth"}) {
            pane.addButton(QLatin1String(name), QStringLiteral("A long name"), {}, false);
        }
        pane.resize(1200, 400);
        pane.show();
        QVERIFY(QTest::qWaitForWindowExposed(&pane));
        const auto* first = pane.findChild<QToolButton*>(QStringLiteral("first"));
        const auto* last = pane.findChild<QToolButton*>(QStringLiteral("graphPicture"));
        QCOMPARE(first->y(), last->y());
        QVERIFY(last->geometry().right() > 1180 && first->x() > 200);
        pane.resize(300, 400);
        QTRY_COMPARE(pane.width(), 300);
        QTRY_VERIFY(last->y() > first->y());
        for (const QToolButton* button : pane.findChildren<QToolButton*>()) {
            if (button->isVisibleTo(&pane))
                QVERIFY2(pane.rect().contains(button->geometry()), qPrintable(button->objectName()));
        }
    }

    void init() { QSettings().clear(); }

    void clicksAndKeysWalkTheProgram() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(add (mul a b) (mul c d))")));
        GraphView& view = shown.graph->view();
        QCOMPARE(view.graph().nodes.size(), std::size_t(7));
        QCOMPARE(view.graph().edges.size(), std::size_t(6));
        QCOMPARE(view.layoutNote(), QStringLiteral("Graphviz layout"));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.rectOf(4).center());
        QCOMPARE(shown.selected(), std::string("/1"));
        QCOMPARE(view.selected(), std::optional<GraphIndex>(4));
        view.setFocus();
        shown.press(Qt::Key_Down);
        QCOMPARE(shown.selected(), std::string("/1/0"));
        shown.press(Qt::Key_Right);
        QCOMPARE(shown.selected(), std::string("/1/1"));
        shown.press(Qt::Key_Left);
        shown.press(Qt::Key_Left);
        QCOMPARE(shown.selected(), std::string("/0/1"));
        shown.press(Qt::Key_Up);
        shown.press(Qt::Key_Up);
        QCOMPARE(shown.selected(), std::string("/"));
        shown.press(Qt::Key_Up);
        QCOMPARE(shown.selected(), std::string("/"));
        shown.desk.selection.setSubterm(ir::Path{0, 0});
        QCOMPARE(view.selected(), std::optional<GraphIndex>(2));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(2, 2));
        QCOMPARE(shown.selected(), std::string("none"));
        // The same term elsewhere is marked: add, exp, mul, a, b, mul.
        QVERIFY(shown.open(QStringLiteral("(add (exp (mul a b)) (mul a b))")));
        shown.desk.selection.setSubterm(ir::Path{1});
        QCOMPARE(view.selected(), std::optional<GraphIndex>(5));
        QCOMPARE(view.marked(NodeState::Shared), (std::vector<GraphIndex>{2, 5}));
    }

    void zoomStaysUntilSpaceFits() {
        Shown shown;
        QVERIFY(shown.open(longSum(40)));
        GraphView& view = shown.graph->view();
        const double before = view.transform().m11();
        shown.press(Qt::Key_Plus);
        QVERIFY(view.transform().m11() > before);
        QTest::keyClick(&view, Qt::Key_Equal);
        QCOMPARE(view.transform().m11(), 1.0);
        // The user has a place of their own: a better layout only offers itself.
        view.improveLayout();
        view.zoom(1);
        QVERIFY(shown.settle());
        auto* chip = shown.view.findChild<QToolButton*>(QStringLiteral("graphBetterLayout"));
        QVERIFY(chip->isVisible());
        QTest::mouseClick(chip, Qt::LeftButton);
        QVERIFY(!chip->isVisible());
        shown.press(Qt::Key_Space);
        const QRect all = view.mapFromScene(view.sceneRect()).boundingRect();
        QVERIFY(all.width() <= view.viewport()->width() + 2 && all.height() <= view.viewport()->height() + 2);
    }

    void draggingMovesTheGraph() {
        Shown shown;
        QVERIFY(shown.open(longSum(40)));
        GraphView& view = shown.graph->view();
        view.zoom(0);
        const QPoint before = view.rectOf(3).center();
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, QPoint(200, 200));
        QTest::mouseMove(view.viewport(), QPoint(180, 170));
        QTest::mouseMove(view.viewport(), QPoint(150, 140));
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, QPoint(150, 140));
        QVERIFY(view.rectOf(3).center() != before);
        QCOMPARE(shown.selected(), std::string("none"));
    }

    void aMapShowsWhichPartIsVisible() {
        Shown shown;
        shown.graph->view().setReducedMotion(true);
        QVERIFY(shown.open(longSum(40)));
        GraphView& view = shown.graph->view();
        auto* map = view.findChild<Minimap*>(QStringLiteral("graphMinimap"));
        auto* button = shown.view.findChild<QToolButton*>(QStringLiteral("graphMap"));
        shown.press(Qt::Key_Space);
        QVERIFY(!map->isVisible());  // all of it is
        shown.press(Qt::Key_Equal);
        QVERIFY(map->isVisible());
        QTRY_VERIFY(!map->isDrawing());
        QVERIFY(view.viewport()->geometry().contains(map->geometry()));
        // A click shows that place, and a drag follows the pointer.
        const auto placeOf = [&](GraphIndex node) {
            const QRect seen = view.rectOf(node);
            return map->onMap(view.mapToScene(seen).boundingRect()).center();
        };
        const auto isSeen = [&](GraphIndex node) { return view.viewport()->rect().contains(view.rectOf(node)); };
        const auto last = static_cast<GraphIndex>(view.graph().nodes.size() - 1);
        QTest::mouseClick(map, Qt::LeftButton, {}, placeOf(last).toPoint());
        QVERIFY(isSeen(last) && !isSeen(0));
        QVERIFY(map->frame().contains(placeOf(last)) && !map->frame().contains(placeOf(0)));
        sendMouse(*map, QEvent::MouseButtonPress, placeOf(last));
        sendMouse(*map, QEvent::MouseMove, placeOf(0));
        sendMouse(*map, QEvent::MouseButtonRelease, placeOf(0));
        QVERIFY(isSeen(0) && !isSeen(last));
        QCOMPARE(shown.selected(), std::string("none"));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("graph-map")));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!map->isVisible());
        view.zoom(1);
        QVERIFY(!map->isVisible());
        QVERIFY(!Shown().graph->view().hasMinimap());  // the choice is stored
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(map->isVisible());
    }

    void theMapHasTheColoursOfTheBoxes() {
        JobRunner jobs;
        GraphPane pane(jobs);
        pane.resize(700, 500);
        pane.show();
        GraphView& view = pane.view();
        view.setReducedMotion(true);
        view.setGraph(column(12), false);
        QTRY_VERIFY(!view.isLayoutPending());
        view.zoom(3);
        auto* map = view.findChild<Minimap*>(QStringLiteral("graphMinimap"));
        for (const QPalette& palette : {Theme::darkPalette(), Theme::lightPalette()}) {
            QApplication::setPalette(palette);
            QCoreApplication::processEvents();
            QTRY_VERIFY(!map->isDrawing());
            QVERIFY(map->isVisible());
            const QImage picture = map->grab().toImage();
            for (const GraphIndex node : {10U, 11U}) {  // below the visible part
                const QRectF box = map->onMap(view.mapToScene(view.rectOf(node)).boundingRect());
                QVERIFY(!map->frame().intersects(box));
                QCOMPARE(picture.pixelColor(box.center().toPoint()), Theme(palette).fill(static_cast<int>(node)));
            }
        }
    }

    void aMapOfManyBoxesIsDrawnInSlices() {
        JobRunner jobs;
        GraphView view(jobs);
        view.resize(700, 500);
        view.setVisible(true);
        view.setPrepared(GraphView::prepare(column(10'000), view.style(), GraphDirection::Down), false);
        auto* map = view.findChild<Minimap*>(QStringLiteral("graphMinimap"));
        QVERIFY(map->isVisible() && map->isDrawing());
        QTRY_VERIFY(!map->isDrawing());
        QVERIFY(map->width() >= 56);  // although the column is ten thousand times as high as wide
        // Another graph may come at any time.
        view.setPrepared(GraphView::prepare(column(10'000), view.style(), GraphDirection::Down), false);
        QCoreApplication::processEvents();
        view.setGraph(column(2), false);
        QVERIFY(!map->isVisible() && !map->isDrawing());
    }

    void longEdgesArePaler() {
        for (const QPalette& palette : {Theme::lightPalette(), Theme::darkPalette()}) {
            const GraphStyle style(palette, QApplication::font());
            QCOMPARE(style.edges.front(), style.frame);
            for (std::size_t i = 1; i < style.edges.size(); ++i) {
                const auto contrast = [&](const QColor& colour) {
                    return std::abs(colour.lightness() - style.box.lightness());
                };
                QVERIFY(contrast(style.edges[i]) < contrast(style.edges[i - 1]));
                QVERIFY(contrast(style.edges[i]) > 30);  // visible
            }
        }
        const GraphStyle style(Theme::lightPalette(), QApplication::font());
        EdgeLayer layer(style);
        const auto fade = [&](double length) {
            EdgeLayer::Line line;
            line.length = length;
            line.from = 3;
            line.to = 4;
            return layer.fadeOf(line);
        };
        QCOMPARE(fade(60), std::size_t(0));
        QCOMPARE(fade(300), std::size_t(1));
        QCOMPARE(fade(700), std::size_t(2));
        QCOMPARE(fade(1'500), std::size_t(3));
        QCOMPARE(fade(9'000), std::size_t(4));
        layer.setSelected(4);
        QCOMPARE(fade(9'000), std::size_t(0));
        layer.setSelected(5);
        QCOMPARE(fade(9'000), std::size_t(4));
        // A shortcut over a column of boxes is longer than its other edges.
        JobRunner jobs;
        GraphView view(jobs);
        GraphDescription graph = column(20);
        graph.edges.push_back({0, 19});
        view.setGraph(graph, false);
        double longest = 0.0;
        for (const EdgeLayer::Line& line : view.edges().lines()) {
            if (line.from == 0 && line.to == 19)
                longest = std::max(longest, line.length);
            else
                QCOMPARE(view.edges().fadeOf(line), std::size_t(0));
        }
        QVERIFY(longest > 400);
    }

    void largeProgramsAreCutAndSaySo() {
        Shown shown;
        QVERIFY(shown.open(longSum(1'000)));
        QCOMPARE(shown.graph->shownNodes().size(), GraphExtract::UsualLimit);
        QVERIFY2(shown.footer().startsWith(QLatin1String("250 of 3,999 nodes")), qPrintable(shown.footer()));
        // Somewhere deep: the graph goes there.
        ir::Path deep(700, 1);
        shown.desk.selection.setSubterm(deep);
        QVERIFY(shown.settle());
        QVERIFY(shown.graph->view().selected().has_value());
        QCOMPARE(shown.graph->shownNodes().size(), GraphExtract::UsualLimit);
        QVERIFY(shown.graph->shownNodes().front() != 0);
        // + shows more behind a box, and − less.
        const GraphDescription& graph = shown.graph->view().graph();
        std::size_t cut = 0;
        while (graph.nodes[cut].hidden == 0 || cut == 0) ++cut;
        const NodeIndex node = shown.graph->picture().boxes[cut].node;
        shown.graph->toggle(node);
        QVERIFY(shown.graph->shownNodes().size() > GraphExtract::UsualLimit);
        const auto box = shown.graph->picture().place(node);
        QVERIFY(box);
        QCOMPARE(shown.graph->view().graph().nodes[*box].hidden, std::uint64_t(0));
    }

    void aBoxFoldsWithEnter() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        shown.desk.selection.setSubterm(ir::Path{0});
        shown.press(Qt::Key_Return);
        QCOMPARE(shown.graph->shownNodes(), (std::vector<NodeIndex>{0, 1, 4, 5, 6}));
        QCOMPARE(shown.graph->view().graph().nodes[1].hidden, std::uint64_t(2));
        QVERIFY(shown.footer().startsWith(QLatin1String("5 of 7 nodes")));
        shown.press(Qt::Key_Return);
        QCOMPARE(shown.graph->shownNodes().size(), std::size_t(7));
        // Through its button.
        GraphView& view = shown.graph->view();
        QVERIFY(shown.settle());
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                          QPoint(view.rectOf(1).center().x(), view.rectOf(1).bottom()));
        QCOMPARE(shown.graph->shownNodes().size(), std::size_t(5));
    }

    void variablesAreDrawnOnce() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(let (t (mul a b)) (let (u (exp t)) (add (add t u) (mul a t))))")));
        const GraphDescription& graph = shown.graph->view().graph();
        QStringList titles;
        for (const GraphNode& node : graph.nodes) titles << node.title;
        QCOMPARE(titles, QStringList({QStringLiteral("let t"), QStringLiteral("mul"), QStringLiteral("a"),
                                      QStringLiteral("b"), QStringLiteral("let u"), QStringLiteral("exp"),
                                      QStringLiteral("add"), QStringLiteral("add"), QStringLiteral("mul")}));
        QStringList edges;
        for (const GraphEdge& edge : graph.edges) {
            edges << titles[static_cast<qsizetype>(edge.from)] + QLatin1Char(' ') + edge.label + QStringLiteral("> ") +
                         titles[static_cast<qsizetype>(edge.to)];
        }
        // Uses lead to values, under the names of the variables; the lets only to what they are computed for.
        QCOMPARE(edges.join(QStringLiteral(", ")),
                 QStringLiteral(
                     "mul > a, mul > b, let t > let u, exp t> mul, let u > add, add > add, add t> mul, add u> exp, "
                     "add > mul, mul > a, mul t> mul"));
        // A use is selected where its variable is drawn; the box selects what it is.
        shown.desk.selection.setSubterm(ir::Path{1, 1, 1, 0});  // the second a
        QCOMPARE(shown.graph->view().selected(), std::optional<GraphIndex>(2));
        shown.desk.selection.setSubterm(ir::Path{1, 1, 0, 1});  // u
        QCOMPARE(shown.graph->view().selected(), std::optional<GraphIndex>(5));
        QVERIFY(shown.settle());
        shown.graph->view().fit();
        QTest::mouseClick(shown.graph->view().viewport(), Qt::LeftButton, {}, shown.graph->view().rectOf(5).center());
        QCOMPARE(shown.selected(), std::string("/1/0"));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("graph-variables")));
    }

    /// The variable of a function is one box, however often it is used; a new use in another state does not make it new.
    void variablesOfFunctionsAreDrawnOnce() {
        Shown shown;
        QVERIFY(
            shown.open(QStringLiteral("(def f (Vec Float) ((n : Integer) (v : Vec Float))"
                                      " (build n (lam (i : Integer) (mul (index i v) (exp (index i v))))))")));
        QStringList titles;
        for (const GraphNode& node : shown.graph->view().graph().nodes) titles << node.title;
        QCOMPARE(titles.join(QLatin1Char(' ')), QStringLiteral("build n lam i : Integer mul index i v exp index"));
        std::size_t labelled = 0;
        for (const EdgeLayer::Line& line : shown.graph->view().edges().lines())
            labelled += line.label.isEmpty() ? 0 : 1;
        QCOMPARE(labelled, std::size_t(0));
        const auto step = test::findStep(shown.desk.document, "commute_mul");
        QVERIFY(step);
        shown.desk.document.apply(*step);
        QVERIFY(shown.settle());
        shown.desk.selection.setCompared(shown.desk.document.history().start());
        QVERIFY(shown.settle());
        QStringList changed;
        for (const GraphIndex box : shown.graph->view().marked(NodeState::Changed)) changed << titles[box];
        QVERIFY2(!changed.isEmpty(), "nothing is marked");
        QVERIFY2(!changed.contains(QStringLiteral("i")) && !changed.contains(QStringLiteral("v")),
                 qPrintable(changed.join(QLatin1Char(' '))));
    }

    void bindersAndVariablesAreJoined() {
        Shown shown;
        QVERIFY(
            shown.open(QStringLiteral("(def f (Vec Float) ((n : Integer) (v : Vec Float))"
                                      " (let (t (exp 2.0)) (build n (lam (i : Integer) (mul t (index i v))))))")));
        // 0 let t, 1 exp, 2 2.0, 3 build, 4 n, 5 lam i, 6 mul, 7 t, 8 index, 9 i, 10 v
        const auto& text = shown.graph->picture();
        const auto joined = [&](NodeIndex node) {
            QStringList found;
            const ProgramText printed(shown.desk.document.bank(), shown.desk.document.current(), 80);
            for (const GraphEdge& edge : bindingEdges(shown.desk.document.bank(), printed, text, node)) {
                found << shown.graph->view().graph().nodes[edge.from].title + QLatin1Char('-') +
                             shown.graph->view().graph().nodes[edge.to].title;
            }
            return found.join(QLatin1Char(' '));
        };
        QCOMPARE(joined(0), QStringLiteral("let t-exp"));
        QCOMPARE(joined(7), QStringLiteral("let t-exp"));
        QCOMPARE(joined(5), QStringLiteral("lam i : Integer-i"));
        QCOMPARE(joined(9), QStringLiteral("lam i : Integer-i"));
        QCOMPARE(joined(6), QString());
    }

    void statesAreCompared() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::CancelText)));
        shown.view.showAs(ProgramView::TextTab);
        Document& document = shown.desk.document;
        const double cost = document.cost(document.current().root);
        const auto step = test::findStep(document, "new_bind");
        QVERIFY(step);
        document.apply(*step);
        QVERIFY(document.cost(document.current().root) > cost);
        shown.desk.selection.setCompared(document.history().start());
        auto* before = shown.view.findChild<CodeView*>(QStringLiteral("programBefore"));
        auto* code = shown.view.findChild<CodeView*>(QStringLiteral("programText"));
        QVERIFY(before->isVisible());
        QVERIFY(before->text().contains(QLatin1String("(div (mul x 2.0) 2.0)")));
        QVERIFY(!code->marks(CodeView::Mark::Added).empty());
        QVERIFY(code->marks(CodeView::Mark::Removed).empty());
        const auto* title = shown.view.findChild<QLabel*>(QStringLiteral("programBeforeTitle"));
        QVERIFY(title->text().contains(QLatin1String("the start")));
        const auto* costs = shown.view.findChild<QLabel*>(QStringLiteral("programBeforeCost"));
        QVERIFY(costs->isVisible() && costs->text().contains(QStringLiteral("▲")));
        QTest::mouseClick(shown.view.findChild<QToolButton*>(QStringLiteral("programBeforeClose")), Qt::LeftButton);
        QVERIFY(!before->isVisible());
        QVERIFY(!shown.desk.selection.compared());
    }

    void largeStatesAreComparedElsewhere() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(let (t (mul a b)) (add t %1))").arg(longSum(1'000))));
        Document& document = shown.desk.document;
        document.apply(*test::anyStep(document));
        shown.desk.selection.setCompared(document.history().start());
        QVERIFY(shown.settle());
        shown.view.showAs(ProgramView::TextTab);
        auto* before = shown.view.findChild<CodeView*>(QStringLiteral("programBefore"));
        QTRY_VERIFY(before->isVisible());
        QVERIFY(!before->marks(CodeView::Mark::Removed).empty() || !before->marks(CodeView::Mark::Moved).empty());
    }

    void picturesKnowTheirSize() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        PictureDialog dialog(shown.graph->view(), QStringLiteral("factor"), shown.footer());
        const auto* size = dialog.findChild<QLabel*>(QStringLiteral("pictureSize"));
        QTemporaryDir folder;
        for (const char* suffix : {"svg", "pdf", "png"}) {
            dialog.findChild<QComboBox*>(QStringLiteral("pictureFormat"))
                ->setCurrentIndex(suffix[0] == 's'   ? 0
                                  : suffix[1] == 'd' ? 1
                                                     : 2);
            const QString path = folder.filePath(QLatin1String("graph.") + QLatin1String(suffix));
            QVERIFY(dialog.write(path));
            const Picture picture = makePicture(shown.graph->view(), dialog.options());
            QVERIFY(size->text().contains(QLocale().toString(picture.pixels.width())));
            QVERIFY(QFileInfo(path).size() > 500);
            if (suffix[1] == 'n') QCOMPARE(QImageReader(path).size(), picture.pixels);
        }
        QFile svg(folder.filePath(QStringLiteral("graph.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        const QSize pixels = makePicture(shown.graph->view(), dialog.options()).pixels;
        QVERIFY(
            text.contains(QStringLiteral("viewBox=\"0 0 %1 %2\"").arg(pixels.width()).arg(pixels.height()).toUtf8()));
        QVERIFY(text.contains(">mul<") && text.contains("All 7 nodes"));
        QVERIFY(!dialog.write(QStringLiteral("/no/such/folder/graph.svg")));
        QVERIFY(dialog.findChild<QLabel*>(QStringLiteral("pictureStatus"))->text().contains(QLatin1String("/no/such")));
    }

    void pictures() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(let (t (mul a (exp b))) (let (u (exp t)) (add (mul t u) (div t 2.0))))")));
        shown.desk.selection.setSubterm(ir::Path{});
        QVERIFY(test::takePictures(shown.view, QStringLiteral("graph")));
    }
};

MITOS_TEST(TestGraph)

}  // namespace tst_graph

#include "tst_graph.moc"
