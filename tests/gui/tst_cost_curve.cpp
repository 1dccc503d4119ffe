// SPDX-License-Identifier: GPL-3.0-or-later
// The cost curve: what its plots show, and that clicks and keys walk the history.
#include "tests/gui/history_bench.h"
#include "tests/support/test_program.h"
#include "views/common/widgets.h"
#include "views/cost_curve/cost_curve_view.h"
#include "views/cost_curve/internal/path_curve.h"
#include "views/cost_curve/internal/run_curves.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QImageReader>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QSet>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <cmath>

namespace tst_cost_curve {

using namespace mitos;
using namespace mitos::views;
using rewrite::StateId;
using test::part;

namespace {

/// The fourth expression of the paper's Table 6: 6, up to 6.2 while a variable is bound, and down to 4.1.
constexpr const char* HillText = "(mul (div x y) (div x y))\n";

struct Bench : test::HistoryBench {
    CostCurveView curve{document, selection};

    Bench() {
        curve.resize(760, 300);
        curve.show();
    }
    [[nodiscard]] PathCurve& path() { return part<PathCurve>(curve, "pathCurve"); }
    [[nodiscard]] RunCurves& runs() { return part<RunCurves>(curve, "runCurves"); }
    [[nodiscard]] RunPaths& runPaths() { return part<RunPaths>(curve, "runPaths"); }
    void show(int what) { part<QComboBox>(curve, "curveWhat").setCurrentIndex(what); }
    /// Until all changes are drawn.
    [[nodiscard]] bool drawn() {
        return QTest::qWaitFor(
            [this] { return !path().isReplotPending() && !runs().isReplotPending() && !runPaths().isReplotPending(); });
    }
};

/// The numbers written at the marks of an axis.
QStringList labels(const QCPAxis& axis) { return axis.tickVectorLabels().toList(); }

void sendMouse(QWidget& widget, QEvent::Type type, const QPointF& place, Qt::KeyboardModifiers modifiers = {}) {
    const bool isMove = type == QEvent::MouseMove;
    QMouseEvent event(type, place, widget.mapToGlobal(place), isMove ? Qt::NoButton : Qt::LeftButton,
                      type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, modifiers);
    QApplication::sendEvent(&widget, &event);
}

void turnWheel(QWidget& widget, const QPointF& place, int notches) {
    QWheelEvent event(place, widget.mapToGlobal(place), {}, QPoint(0, 120 * notches), {}, {}, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

}  // namespace

class TestCostCurve : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QApplication::setPalette(Theme::lightPalette());
    }

    void init() { QDir(Document::sessionFolder()).removeRecursively(); }

    void pathShowsTheWayAndClicksWalkIt() {
        Bench bench;
        QVERIFY(part<EmptyState>(bench.curve, "emptyState").isVisible());
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(bench.step("new_bind"));
        QVERIFY(bench.step("delete_let") || bench.step("inline_let"));
        QVERIFY(bench.step("add_of_muls"));
        QTRY_VERIFY(bench.path().replots() > 0);
        QCOMPARE(bench.path().states().size(), std::size_t{4});
        QCOMPARE(bench.path().currentStep(), std::size_t{3});
        QVERIFY(bench.drawn());
        QVERIFY(test::takePictures(bench.curve, QStringLiteral("curve-path")));

        const QPoint second = bench.path().placeOf(1).toPoint();
        QTest::mouseClick(&bench.path().plot(), Qt::LeftButton, {}, second);
        QCOMPARE(bench.current(), StateId(1));
        QCOMPARE(bench.path().states().size(), std::size_t{4});  // the way ahead stays visible
        QTest::mouseClick(&bench.path().plot(), Qt::LeftButton, {}, second + QPoint(0, 60));
        QCOMPARE(bench.current(), StateId(1));

        QTest::keyClick(&bench.path().plot(), Qt::Key_Right);
        QCOMPARE(bench.current(), StateId(2));
        QTest::keyClick(&bench.path().plot(), Qt::Key_Left);
        QTest::keyClick(&bench.path().plot(), Qt::Key_Left);
        QTest::keyClick(&bench.path().plot(), Qt::Key_Left);  // nothing before the start
        QCOMPARE(bench.current(), StateId(0));
    }

    void runsAreDrawnWhileTheySearch() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        part<QComboBox>(bench.curve, "curveWhat").setCurrentIndex(1);
        QCOMPARE(part<EmptyState>(bench.curve, "emptyState").text(),
                 QStringLiteral("Run a search to see cost over time."));
        QVERIFY(!part<QPushButton>(bench.curve, "emptyStateAction").isVisible());  // nobody would answer it

        SearchSettings settings;
        settings.strategy = QStringLiteral("random");
        settings.budget.seconds = 600;
        const RunNumber live = bench.document.startSearch(settings);
        QTRY_VERIFY(bench.runs().pointCount(live) > 0);
        bench.document.stopRun(live);
        QVERIFY(bench.settle());

        bench.document.checkout(StateId(0));
        const RunNumber best = bench.search("astar");
        QVERIFY(best != 0);
        bench.document.checkout(StateId(0));
        QVERIFY(bench.search("greedy") != 0);
        QCOMPARE(bench.runs().curveCount(), std::size_t{3});
        auto& logarithmic = part<QCheckBox>(bench.curve, "curveLogarithmic");
        QVERIFY(logarithmic.isEnabled());
        QVERIFY(bench.drawn());
        QVERIFY(test::takePictures(bench.curve, QStringLiteral("curve-runs")));
        logarithmic.setChecked(true);
        QVERIFY(bench.drawn());
        QCOMPARE(bench.runs().plot().yAxis->scaleType(), QCPAxis::stLogarithmic);
        QVERIFY(test::takePictures(bench.curve, QStringLiteral("curve-runs-log")));
        part<QComboBox>(bench.curve, "curveAxis").setCurrentIndex(1);
        QVERIFY(bench.drawn());
        QCOMPARE(bench.runs().plot().xAxis->label(), QStringLiteral("seconds"));
        QCOMPARE(bench.runs().curveCount(), std::size_t{3});

        // The end of a curve belongs to its run, and a click goes to what it found.
        part<QComboBox>(bench.curve, "curveAxis").setCurrentIndex(0);
        logarithmic.setChecked(false);
        QVERIFY(bench.drawn());
        bench.document.checkout(StateId(0));
        QCustomPlot& plot = bench.runs().plot();
        const QCPGraph& graph = *plot.graph(1);
        const QPointF end(plot.xAxis->coordToPixel(graph.dataMainKey(graph.dataCount() - 1)),
                          plot.yAxis->coordToPixel(graph.dataMainValue(graph.dataCount() - 1)));
        const RunNumber clicked = bench.runs().runAt(end);
        QVERIFY(clicked != 0);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, end.toPoint());
        QCOMPARE(bench.selection.run(), clicked);
        QCOMPARE(bench.current(), bench.document.run(clicked)->resultState);

        bench.document.discardRun(live);
        QCOMPARE(bench.runs().curveCount(), std::size_t{2});
    }

    void manyChangesAreOneReplot() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        const RunNumber run = bench.search("greedy");
        QVERIFY(run != 0);
        QVERIFY(bench.drawn());
        const int before = bench.runs().replots();
        for (int i = 0; i < 10'000; ++i) bench.runs().update(run);
        QCOMPARE(bench.runs().replots(), before);
        QVERIFY(bench.drawn());
        QCOMPARE(bench.runs().replots(), before + 1);
    }

    void theWheelZoomsAndDraggingPans() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(bench.step("new_bind"));
        QVERIFY(bench.step("delete_let") || bench.step("inline_let"));
        QVERIFY(bench.drawn());
        QCustomPlot& plot = bench.path().plot();
        plot.replot();
        const QCPAxis& keys = *plot.xAxis;
        const QCPAxis& costs = *plot.yAxis;
        const QCPRange allKeys = keys.range();
        const QCPRange allCosts = costs.range();
        const QPointF centre = plot.axisRect()->rect().center();
        const QPointF place = centre + QPointF(60, 20);
        const double key = keys.pixelToCoord(place.x());
        const double cost = costs.pixelToCoord(place.y());
        turnWheel(plot, place, 1);
        QVERIFY(bench.path().isZoomed());
        QVERIFY(qAbs(keys.range().size() - allKeys.size() / 1.2) < 1e-9);
        QVERIFY(qAbs(costs.range().size() - allCosts.size() / 1.2) < 1e-9);
        QVERIFY(qAbs(keys.pixelToCoord(place.x()) - key) < 1e-9);
        QVERIFY(qAbs(costs.pixelToCoord(place.y()) - cost) < 1e-9);

        // Dragging moves what is under the pointer along, and selects nothing.
        const rewrite::StateId current = bench.current();
        const double dragged = keys.pixelToCoord(place.x());
        sendMouse(plot, QEvent::MouseButtonPress, place);
        sendMouse(plot, QEvent::MouseMove, place + QPointF(-15, 5));
        sendMouse(plot, QEvent::MouseMove, place + QPointF(-40, 10));
        sendMouse(plot, QEvent::MouseButtonRelease, place + QPointF(-40, 10));
        QVERIFY(qAbs(keys.pixelToCoord(place.x() - 40) - dragged) < 1e-9);
        QCOMPARE(bench.current(), current);

        // New data do not change the part in view.
        const QCPRange chosen = keys.range();
        const int before = bench.path().replots();
        QVERIFY(bench.step("add_of_muls"));
        QTRY_VERIFY(bench.path().replots() > before);
        QVERIFY(bench.path().isZoomed());
        QCOMPARE(keys.range(), chosen);

        // A click still selects.
        bench.path().resetZoom();
        QVERIFY(bench.drawn());
        turnWheel(plot, bench.path().placeOf(1), 1);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, bench.path().placeOf(1).toPoint());
        QCOMPARE(bench.current(), StateId(1));
        QVERIFY(bench.path().isZoomed());

        QTest::mouseDClick(&plot, Qt::LeftButton, {}, centre.toPoint());
        QVERIFY(!bench.path().isZoomed());
        QVERIFY(bench.drawn());

        // A box drawn with Shift fills the plot; a tiny one was not meant.
        const QPointF corner = centre + QPointF(80, 30);
        const QCPRange boxed(keys.pixelToCoord(centre.x()), keys.pixelToCoord(corner.x()));
        for (const QPointF& end : {centre + QPointF(2, 2), corner}) {
            QVERIFY(!bench.path().isZoomed());
            sendMouse(plot, QEvent::MouseButtonPress, centre, Qt::ShiftModifier);
            sendMouse(plot, QEvent::MouseMove, end, Qt::ShiftModifier);
            sendMouse(plot, QEvent::MouseButtonRelease, end, Qt::ShiftModifier);
        }
        QVERIFY(bench.path().isZoomed());
        const double pixel = boxed.size() / 80;
        QVERIFY(qAbs(keys.range().lower - boxed.lower) <= pixel && qAbs(keys.range().upper - boxed.upper) <= 2 * pixel);
        QVERIFY(plot.findChildren<QRubberBand*>().isEmpty());
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, centre.toPoint());
        QVERIFY(!bench.path().isZoomed());
        QVERIFY(bench.drawn());
        const QCPRange whole = keys.range();
        QVERIFY(whole.upper > 3.0 && whole.lower < 0.0);
        // Out again is all of it, and never less than that.
        turnWheel(plot, centre, 1);
        turnWheel(plot, centre, -1);
        QVERIFY(!bench.path().isZoomed());
        turnWheel(plot, centre, -3);
        QVERIFY(!bench.path().isZoomed());
        QCOMPARE(keys.range(), whole);
        // Below the horizontal axis, only that is zoomed.
        const QCPRange wholeCosts = costs.range();
        turnWheel(plot, QPointF(centre.x(), plot.axisRect()->rect().bottom() + 8), 1);
        QCOMPARE(costs.range(), wholeCosts);
        QVERIFY(keys.range().size() < whole.size());
        // Another program is shown as a whole.
        QVERIFY(bench.load(HillText));
        QVERIFY(bench.drawn());
        QVERIFY(!bench.path().isZoomed());
    }

    void plotsAreSavedAsPicturesAndData() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        bench.document.setCostModel(QStringLiteral("size"));
        QVERIFY(bench.step("commute_add"));
        QVERIFY(bench.step("add_of_muls"));
        QVERIFY(bench.drawn());
        QCustomPlot& plot = bench.path().plot();
        turnWheel(plot, QPointF(plot.axisRect()->rect().center()), 3);  // the data are all of them nevertheless
        const QString data =
            QStringLiteral("curve,step,%1\npath,0,7\npath,1,7\npath,2,5\nahead,2,5\n").arg(plot.yAxis->label());
        QCOMPARE(bench.path().dataAsCsv(), data);

        QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(50, 50), plot.mapToGlobal(QPoint(50, 50)));
        QApplication::sendEvent(&plot, &event);
        auto& menu = part<QMenu>(bench.path(), "plotMenu");
        QStringList texts;
        for (QAction* action : menu.actions()) {
            if (action->isSeparator()) continue;
            texts << action->text();
            if (action->text() == QLatin1String("Copy data as CSV")) action->trigger();
        }
        QCOMPARE(texts, (QStringList{QStringLiteral("Save as PNG…"), QStringLiteral("Save as SVG…"),
                                     QStringLiteral("Save as PDF…"), QStringLiteral("Copy data as CSV"),
                                     QStringLiteral("Save data as CSV…"), QStringLiteral("Show everything")}));
        QCOMPARE(QApplication::clipboard()->text(), data);
        menu.close();

        QTemporaryDir folder;
        const auto saved = [&](const char* name) {
            const QString path = folder.filePath(QLatin1String(name));
            QFile file(path);
            return bench.path().save(path) && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QCOMPARE(saved("plot.csv"), data.toUtf8());
        QVERIFY(saved("plot.pdf").startsWith("%PDF"));
        const QByteArray viewBox =
            QStringLiteral("viewBox=\"0 0 %1 %2\"").arg(plot.width()).arg(plot.height()).toUtf8();
        QVERIFY(saved("plot.svg").contains(viewBox));
        QVERIFY(!saved("plot.png").isEmpty());
        QCOMPARE(QImageReader(folder.filePath(QStringLiteral("plot.png"))).size(), 2 * plot.size());
        QVERIFY(!bench.path().save(QStringLiteral("/no/such/folder/plot.svg")));
        part<QWidget>(bench.path(), "plotSaveFailed").close();
    }

    void smallChangesOfLargeCostsAreSeen() {
        Bench bench;
        // The axis shows the costs there are, unless it is to begin at zero.
        QVERIFY(bench.load(test::FactorText));
        bench.document.setCostModel(QStringLiteral("size"));
        QVERIFY(bench.step("commute_add"));
        QVERIFY(bench.drawn());
        const QCPAxis& axis = *bench.path().plot().yAxis;
        QVERIFY(axis.range().lower > 5.0 && axis.range().upper < 9.0);  // a straight line at 7, with room
        QVERIFY(bench.step("add_of_muls"));
        QVERIFY(bench.drawn());
        QVERIFY(axis.range().lower > 4.0 && axis.range().lower < 5.0);  // 7 to 5
        auto& fromZero = part<QCheckBox>(bench.curve, "curveFromZero");
        fromZero.setChecked(true);
        QVERIFY(bench.drawn());
        QCOMPARE(axis.range().lower, 0.0);
        QVERIFY(axis.range().upper > 7.0);
        part<QCheckBox>(bench.curve, "curveLogarithmic").setChecked(true);
        QVERIFY(!fromZero.isEnabled());
        QVERIFY(bench.drawn());
        QVERIFY(axis.range().lower > 4.0);
        QVERIFY(labels(axis).size() >= 2);  // although there is no power of ten between 5 and 7
    }

    void labelsTellSmallChangesApart() {
        Bench bench;
        bench.document.openFile(QStringLiteral(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks"));
        QVERIFY(bench.settle());
        // The step that changes the cost least, though it does.
        const double before = bench.document.history().state(StateId(0)).cost;
        rewrite::Rewriter rewriter(bench.document.bank(), bench.document.rules().directions());
        std::optional<rewrite::Step> smallest;
        double change = before;
        for (const rewrite::Rewrite& one : rewriter.all(bench.document.current().root)) {
            const double delta = std::abs(bench.document.cost(one.result) - before);
            if (delta < 1e-6 * before || delta >= change) continue;
            change = delta;
            smallest = one.step;
        }
        QVERIFY(smallest && change < 1e-3 * before);
        bench.document.apply(*smallest);
        QVERIFY(bench.drawn());
        const QCPRange range = bench.path().plot().yAxis->range();
        QVERIFY(range.size() < 1.5 * change);
        const QStringList written = labels(*bench.path().plot().yAxis);
        QVERIFY(written.size() >= 2);
        QCOMPARE(QSet<QString>(written.begin(), written.end()).size(), written.size());
    }

    void runsShowTheirWayOverThePeak() {
        Bench bench;
        bench.curve.resize(760, 340);
        QVERIFY(bench.load(HillText));
        bench.show(2);
        QCOMPARE(part<EmptyState>(bench.curve, "emptyState").text(),
                 QStringLiteral("Run a search to see cost over time."));
        const RunNumber hill = bench.search("astar", 3000);
        QVERIFY(hill != 0);
        const Run* run = bench.document.run(hill);
        const std::vector<StateId> states = bench.runPaths().statesOf(hill);
        QCOMPARE(states.front(), StateId(0));
        QCOMPARE(states.back(), run->resultState);
        const std::optional<std::size_t> peak = bench.runPaths().peakOf(hill);
        QVERIFY(peak && *peak > 0);
        const auto cost = [&](std::size_t step) { return bench.document.history().state(states[step]).cost; };
        QCOMPARE(cost(0), 6.0);
        QCOMPARE(cost(*peak), 6.2);
        QCOMPARE(cost(states.size() - 1), 4.1);

        bench.document.checkout(StateId(0));
        QVERIFY(bench.search("random", 800) != 0);
        bench.show(2);
        QVERIFY(bench.drawn());
        QVERIFY(test::takePictures(bench.curve, QStringLiteral("curve-run-paths")));

        // Where curves cross, the selected run is chosen.
        bench.document.checkout(StateId(0));
        bench.selection.setRun(hill);
        QTest::mouseClick(&bench.runPaths().plot(), Qt::LeftButton, {},
                          bench.runPaths().placeOf(hill, *peak).toPoint());
        QCOMPARE(bench.current(), states[*peak]);
        QCOMPARE(bench.selection.run(), hill);
        bench.selection.setRun(2);
        const QPoint end = bench.runPaths().placeOf(hill, states.size() - 1).toPoint();
        QTest::mouseClick(&bench.runPaths().plot(), Qt::LeftButton, {}, end);
        QCOMPARE(bench.document.history().state(bench.current()).cost, 4.1);
    }

    void runsAreToldApartWithoutColour() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        for (int i = 0; i < 4; ++i) {
            bench.document.checkout(StateId(0));
            QVERIFY(bench.search("greedy", 50) != 0);
        }
        QSet<int> styles;
        QSet<QRgb> colours;
        for (int i = 0; i < 4; ++i) {
            styles << bench.runs().plot().graph(i)->pen().style();
            colours << bench.runs().plot().graph(i)->pen().color().rgb();
        }
        QCOMPARE(styles.size(), 4);
        QCOMPARE(colours.size(), 4);
    }
};

MITOS_TEST(TestCostCurve)

}  // namespace tst_cost_curve

#include "tst_cost_curve.moc"
