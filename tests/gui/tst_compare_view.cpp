// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing searches in the desktop: choosing them, the table with its filter, the charts, the results side by side.
#include "search/parallel.h"
#include "tests/gui/history_bench.h"
#include "tests/gui/large_subjects.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/compare/compare_model.h"
#include "views/compare/compare_view.h"
#include "views/compare/internal/compare_charts.h"
#include "views/compare/internal/run_details.h"
#include "views/plot/qcustomplot_wrapper.h"
#include "views/search_dialog/compare_dialog.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeView>

namespace tst_compare_view {

using namespace mitos;
using namespace mitos::views;
using test::part;

namespace {

SearchSettings searchOf(const char* strategy, std::uint64_t seed, std::uint64_t evaluations = 400) {
    SearchSettings settings;
    settings.strategy = QLatin1String(strategy);
    settings.budget.evaluations = evaluations;
    settings.seed = seed;
    return settings;
}

/// Greedy once, and random walks with three seeds.
std::vector<SearchSettings> fourSearches(std::uint64_t evaluations = 400) {
    return {searchOf("greedy", 1, evaluations), searchOf("random", 1, evaluations), searchOf("random", 2, evaluations),
            searchOf("random", 3, evaluations)};
}

/// No search of these ends by itself.
std::vector<SearchSettings> endlessSearches(int count) {
    std::vector<SearchSettings> all;
    for (int i = 1; i <= count; ++i) {
        SearchSettings& settings = all.emplace_back(searchOf("random", static_cast<std::uint64_t>(i)));
        settings.budget = {};
        settings.budget.seconds = 600;
    }
    return all;
}

struct Bench : test::HistoryBench {
    CompareView view{document, selection, jobs};

    Bench() {
        view.resize(1300, 800);
        view.show();
    }
    /// Until all results are judged, and the table shows them.
    [[nodiscard]] bool compare(const std::vector<SearchSettings>& searches) {
        document.startComparison(searches);
        return QTest::qWaitFor([this] { return !document.comparison().isRunning(); }, 60'000) && settle() &&
               QTest::qWaitFor([this] { return judgedRows() == document.runs().size(); });
    }
    [[nodiscard]] std::size_t judgedRows() {
        std::size_t judged = 0;
        for (int row = 0; row < rows().rowCount(); ++row) {
            const QModelIndex group = rows().index(row, 0);
            for (int child = 0; child < rows().rowCount(group); ++child)
                judged += cell(rows().index(child, 0, group), CompareModel::VerdictsColumn).startsWith(u'✓') ? 1 : 0;
        }
        return judged;
    }
    [[nodiscard]] QTreeView& table() { return part<QTreeView>(view, "compareRows"); }
    [[nodiscard]] QAbstractItemModel& rows() { return *table().model(); }
    [[nodiscard]] BandChart& bands() { return part<BandChart>(view, "bandChart"); }
    [[nodiscard]] ParetoChart& pareto() { return part<ParetoChart>(view, "paretoChart"); }
    [[nodiscard]] QModelIndex group(const QString& strategy) {
        for (int row = 0; row < rows().rowCount(); ++row) {
            if (rows().index(row, 0).data().toString().startsWith(strategy)) return rows().index(row, 0);
        }
        return {};
    }
    [[nodiscard]] QString cell(const QModelIndex& row, CompareModel::Column column) {
        return row.siblingAtColumn(column).data().toString();
    }
    void filter(const QString& text) { part<QLineEdit>(view, "compareFilter").setText(text); }
    void press(const char* name) { part<QPushButton>(view, name).click(); }
    void showTab(int tab) { part<QTabBar>(view, "compareTabs").setCurrentIndex(tab); }
};

const QString Greedy = QStringLiteral("Greedy");
const QString RandomWalk = QStringLiteral("Random");

}  // namespace

class TestCompareView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }
    void cleanup() { QApplication::setPalette(Theme::lightPalette()); }

    void searchesRunSideBySide() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        const QAbstractItemModelTester tester(&bench.rows());
        const rewrite::StateId before = bench.current();
        QVERIFY(bench.compare(fourSearches()));
        QCOMPARE(bench.document.runs().size(), std::size_t(4));
        QCOMPARE(bench.current(), before);  // the user's place is kept
        QTRY_COMPARE(bench.rows().rowCount(), 2);
        QTRY_COMPARE(bench.cell(bench.group(RandomWalk), CompareModel::VerdictsColumn),
                     QStringLiteral("✓ replayed  ✓ same values"));
        QCOMPARE(bench.rows().rowCount(bench.group(RandomWalk)), 3);
        QCOMPARE(bench.rows().rowCount(bench.group(Greedy)), 1);
        QCOMPARE(bench.cell(bench.group(RandomWalk), CompareModel::SeedsColumn), QStringLiteral("3"));
        const QModelIndex seed = bench.rows().index(1, 0, bench.group(RandomWalk));
        QCOMPARE(bench.cell(seed, CompareModel::SeedsColumn), QStringLiteral("seed 2"));
        // Adding 0 and multiplying by 1 are removed by both; what remains, a b + (a c + d), has a shorter form a (b + c) + d.
        QVERIFY(bench.cell(bench.group(Greedy), CompareModel::ChangeColumn).startsWith(QStringLiteral("▼ −")));
        for (const Run& run : bench.document.runs()) {
            QVERIFY(run.verdict && run.verdict->isGood());
            QVERIFY(run.resultState.isValid());
            QVERIFY(bench.document.isCompared(run.number));
        }
        QCOMPARE(part<QLabel>(bench.view, "compareProgress").text(), QStringLiteral("4 of 4 finished"));
        QVERIFY(part<QLabel>(bench.view, "compareTitle").text().startsWith(QStringLiteral("4 searches of ")));
        QCOMPARE(bench.bands().entries().size(), std::size_t(2));
        for (const ChartEntry& entry : bench.bands().entries()) QVERIFY(!entry.band.empty() && entry.isFinished);
        QVERIFY(!bench.pareto().front().empty());
        QVERIFY(test::takePictures(bench.view, QStringLiteral("compare")));
    }

    void onlyAsManyRunAsThereAreProcessors() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        const auto processors = static_cast<int>(search::defaultJobs());
        bench.document.startComparison(endlessSearches(processors + 2));
        QCOMPARE(bench.document.runningSearches(), processors);
        QCOMPARE(bench.document.comparison().searches, processors + 2);
        QTRY_VERIFY(bench.rows().rowCount() == 1);
        // One that is discarded makes room for the next.
        bench.document.discardRun(bench.document.runs().front().number);
        QTRY_COMPARE(bench.document.runningSearches(), processors);
        QCOMPARE(bench.document.comparison().ended, 1);
        // Stopped: those that wait never begin, and those that run keep what they found.
        QVERIFY(part<QPushButton>(bench.view, "compareStop").isVisible());
        bench.press("compareStop");
        QTRY_VERIFY(!bench.document.comparison().isRunning());
        QVERIFY(bench.settle());
        QCOMPARE(bench.document.runs().size(), static_cast<std::size_t>(processors));
        for (const Run& run : bench.document.runs()) QCOMPARE(run.stop, std::string("stopped"));
        QVERIFY(!part<QPushButton>(bench.view, "compareStop").isVisible());
    }

    void anotherProgramEndsTheComparison() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        bench.document.startComparison(endlessSearches(5));
        QTRY_COMPARE(bench.rows().rowCount(), 1);
        bench.table().setCurrentIndex(bench.rows().index(0, 0));
        bench.document.openText(QStringLiteral("other"), QString::fromUtf8(test::FactorText));
        QTRY_VERIFY(bench.document.isOpen() && bench.document.title().contains(QStringLiteral("other")));
        QVERIFY(bench.settle());
        QCOMPARE(bench.rows().rowCount(), 0);
        QVERIFY(!bench.document.comparison().isRunning());
        QVERIFY(bench.bands().entries().empty());
        QVERIFY(bench.compare(fourSearches(100)));
        QTRY_COMPARE(bench.rows().rowCount(), 2);
        QCOMPARE(bench.document.runs().size(), std::size_t(4));
    }

    void rowsAreFiltered_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QStringList>("shown");
        QTest::newRow("word") << QStringLiteral("greedy") << QStringList{Greedy};
        QTest::newRow("number") << QStringLiteral("seed = 2") << QStringList{RandomWalk};
        QTest::newRow("both do") << QStringLiteral("change < 0") << QStringList{Greedy, RandomWalk};
        QTest::newRow("as changes are shown") << QStringLiteral("change < −1 %") << QStringList{Greedy, RandomWalk};
        QTest::newRow("none does") << QStringLiteral("best < 0.001k") << QStringList{};
        QTest::newRow("word and number") << QStringLiteral("random seed >= 3 time < 60 s") << QStringList{RandomWalk};
        QTest::newRow("unknown word") << QStringLiteral("mcts") << QStringList{};
    }

    void rowsAreFiltered() {
        QFETCH(QString, filter);
        QFETCH(QStringList, shown);
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches()));
        QTRY_COMPARE(bench.rows().rowCount(), 2);
        bench.filter(filter);
        QTRY_COMPARE(bench.rows().rowCount(), shown.size());
        for (const QString& strategy : shown) QVERIFY(bench.group(strategy).isValid());
        QCOMPARE(bench.bands().entries().size(), static_cast<std::size_t>(shown.size()));
        if (filter.contains(QStringLiteral("seed"))) QCOMPARE(bench.rows().rowCount(bench.group(RandomWalk)), 1);
        bench.filter({});
        QCOMPARE(bench.rows().rowCount(), 2);
    }

    void rowsAreSorted() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches()));
        QTRY_COMPARE(bench.rows().rowCount(), 2);
        bench.table().sortByColumn(CompareModel::SeedsColumn, Qt::AscendingOrder);
        QCOMPARE(bench.group(Greedy).row(), 0);
        bench.table().sortByColumn(CompareModel::SeedsColumn, Qt::DescendingOrder);
        QCOMPARE(bench.group(Greedy).row(), 1);
        bench.table().sortByColumn(CompareModel::StrategyColumn, Qt::DescendingOrder);
        QCOMPARE(bench.group(RandomWalk).row(), 0);
    }

    void aClickOnACurveLeadsToItsState() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches()));
        QTRY_COMPARE(bench.rows().rowCount(), 2);
        QTRY_VERIFY(!bench.bands().isReplotPending() && bench.bands().replots() > 0);
        const auto wanted = std::ranges::find(bench.bands().entries(), Greedy, &ChartEntry::label);
        QVERIFY(wanted != bench.bands().entries().end());
        const auto& last = wanted->band.back();
        QCustomPlot& plot = bench.bands().plot();
        const QPoint place(static_cast<int>(plot.xAxis->coordToPixel(last.x)) - 1,
                           static_cast<int>(plot.yAxis->coordToPixel(last.y.median)));
        const int hit = bench.bands().groupAt(place);  // another curve may lie there too
        QVERIFY(hit >= 0);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, place);
        QCOMPARE(bench.bands().selected(), hit);
        QCOMPARE(bench.pareto().selected(), hit);
        QVERIFY(bench.table().currentIndex().isValid());
        QSignalSpy taken(&bench.view, &CompareView::stateTaken);
        bench.table().setCurrentIndex(bench.group(Greedy));
        bench.press("compareGo");
        QCOMPARE(taken.size(), 1);
        const Run& run = bench.document.runs().front();
        QCOMPARE(run.strategy, std::string("greedy"));
        QCOMPARE(bench.current(), run.resultState);
        QCOMPARE(bench.selection.run(), run.number);
    }

    void theBaselineIsKeptInTheSession() {
        QString session;
        {
            Bench bench;
            QVERIFY(bench.load(test::SearchText));
            QVERIFY(bench.compare(fourSearches()));
            QTRY_COMPARE(bench.rows().rowCount(), 2);
            QVERIFY(bench.table().isColumnHidden(CompareModel::BaselineColumn));
            bench.table().setCurrentIndex(bench.group(RandomWalk));
            bench.press("comparePin");
            QVERIFY(!bench.table().isColumnHidden(CompareModel::BaselineColumn));
            QCOMPARE(bench.cell(bench.group(RandomWalk), CompareModel::BaselineColumn), QStringLiteral("baseline"));
            QCOMPARE(part<QPushButton>(bench.view, "comparePin").text(), QStringLiteral("Remove &Baseline"));
            session = bench.document.sessionPath();
        }
        Bench again;
        again.document.openSession(session);
        QTRY_VERIFY(again.document.isOpen());
        QVERIFY(again.settle());
        QTRY_COMPARE(again.rows().rowCount(), 2);
        QCOMPARE(again.cell(again.group(RandomWalk), CompareModel::BaselineColumn), QStringLiteral("baseline"));
        QCOMPARE(again.cell(again.group(RandomWalk), CompareModel::VerdictsColumn),
                 QStringLiteral("✓ replayed  ✓ same values"));
        QVERIFY(!again.bands().entries().front().band.empty());
        again.table().setCurrentIndex(again.group(RandomWalk));
        again.press("comparePin");
        QVERIFY(again.table().isColumnHidden(CompareModel::BaselineColumn));
    }

    void gainsAndStepsExplainTheResults() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches()));
        QTRY_COMPARE(bench.rows().rowCount(), 2);
        bench.showTab(1);
        const QAbstractItemModel& gains = *part<QTableView>(bench.view, "compareGains").model();
        QCOMPARE(gains.columnCount(), 2);
        QVERIFY(gains.rowCount() >= 2);
        // The gains of all rules add up to what the search has gained.
        const Run& greedy = bench.document.runs().front();
        const auto found = threadOf(bench.document.history(), greedy);
        QVERIFY(found);
        double sum = 0.0;
        for (const search::RuleGain& gain : search::ruleGains(found->thread, found->costs)) sum += gain.gain;
        QCOMPARE(sum, greedy.initialCost - greedy.bestCost);
        QVERIFY(test::takePictures(bench.view, QStringLiteral("compare-gains")));

        // How often each rule was applied adds up to the steps.
        bench.showTab(2);
        const QAbstractItemModel& uses = *part<QTableView>(bench.view, "compareUses").model();
        QCOMPARE(uses.columnCount(), 2);
        double used = 0.0;
        for (int row = 0; row < uses.rowCount(); ++row) used += uses.index(row, 0).data().toString().toDouble();
        QCOMPARE(used, static_cast<double>(found->thread.steps.size()));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("compare-uses")));

        bench.showTab(3);
        auto& steps = static_cast<StepsModel&>(*part<QTableView>(bench.view, "compareSteps").model());
        bench.table().setCurrentIndex({});
        QCOMPARE(steps.rowCount(), 0);
        bench.table().setCurrentIndex(bench.group(Greedy));
        bench.press("comparePin");
        // A result has all its steps in common with itself.
        QCOMPARE(steps.common(), found->thread.steps.size());
        QCOMPARE(steps.rowCount(), static_cast<int>(found->thread.steps.size()));
        bench.table().setCurrentIndex(bench.group(RandomWalk));
        const std::size_t all = steps.steps(StepsModel::LeftColumn) + steps.steps(StepsModel::RightColumn);
        QCOMPARE(static_cast<std::size_t>(steps.rowCount()) + steps.common(), all);
        QVERIFY(test::takePictures(bench.view, QStringLiteral("compare-steps")));
    }

    void tablesAreSavedAndCopied() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches()));
        QTRY_COMPARE(bench.rows().rowCount(), 2);
        QTemporaryDir folder;
        bench.filter(QStringLiteral("random"));
        bench.view.saveTable(folder.filePath(QStringLiteral("runs.csv")));
        QVERIFY(bench.settle());
        QFile file(folder.filePath(QStringLiteral("runs.csv")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 1 + 3);  // the rows that are shown
        for (const QByteArray& line : lines.mid(1)) QVERIFY2(line.contains(",random,"), line.constData());
        QSignalSpy failed(&bench.view, &CompareView::failed);
        bench.view.saveTable(folder.filePath(QStringLiteral("runs.xls")));
        QCOMPARE(failed.size(), 1);
        bench.view.saveTable(folder.filePath(QStringLiteral("no/such/folder.csv")));
        QTRY_COMPARE(failed.size(), 2);
    }

    void aReportIsSaved() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches()));
        QTemporaryDir folder;
        QSignalSpy failed(&bench.view, &CompareView::failed);
        QSignalSpy notice(&bench.view, &CompareView::notice);
        bench.view.saveReport(folder.filePath(QStringLiteral("a.html")));
        QTRY_COMPARE(notice.size(), 1);
        QFile file(folder.filePath(QStringLiteral("a.html")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray page = file.readAll();
        QVERIFY(page.contains("Searches of test"));
        QVERIFY(page.contains("Greedy") && page.contains("Random"));
        // The steps of the best thread are there: one of them removes the multiplication by 1.
        QVERIFY(page.contains("mul_one") || page.contains("one_mul"));
        QVERIFY(!page.contains("http://") || page.contains("http://www.w3.org"));
        bench.view.saveReport(folder.filePath(QStringLiteral("no/such/a.html")));
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(notice.size(), 1);
    }

    /// The greedy result a (b + c) + d has 2 additions and 1 multiplication, with 4 variables: 7 nodes.
    void costIsDrawnAgainstASecondModel() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches()));
        auto& against = part<QComboBox>(bench.view, "compareAgainst");
        QCOMPARE(against.findData(QStringLiteral("ks-2021")), -1);  // the model in force is the other axis
        const int size = against.findData(QStringLiteral("size"));
        QVERIFY(size > 0);
        against.setCurrentIndex(size);
        Q_EMIT against.activated(size);
        const auto entryOf = [&](const QString& label) {
            const auto found = std::ranges::find(bench.pareto().entries(), label, &ChartEntry::label);
            return found == bench.pareto().entries().end() ? ChartEntry() : *found;
        };
        QTRY_VERIFY(entryOf(Greedy).isFinished && entryOf(Greedy).against == 7.0);
        QCOMPARE(entryOf(QStringLiteral("Random rollouts")).against, 9.0);  // a b + (a c + d)
        QCOMPARE(bench.pareto().plot().xAxis->label().contains(QStringLiteral("against")), true);
        // Another program has other results.
        bench.document.openText(QStringLiteral("other"), QString::fromUtf8(test::FactorText));
        QTRY_VERIFY(bench.document.isOpen() && bench.document.title().contains(QStringLiteral("other")));
        QVERIFY(bench.settle());
        QVERIFY(bench.pareto().entries().empty());
        QVERIFY(bench.compare(fourSearches(100)));
        QTRY_VERIFY(entryOf(Greedy).isFinished && entryOf(Greedy).against == 5.0);  // a (b + c)
    }

    void coloursAndLinesAreChosenAndKept() {
        QString session;
        {
            Bench bench;
            QVERIFY(bench.load(test::SearchText));
            QVERIFY(bench.compare(fourSearches()));
            bench.table().setCurrentIndex(bench.group(Greedy));
            part<QAction>(bench.view, "compareStyle5").trigger();  // the sixth colour
            part<QAction>(bench.view, "compareStyle9").trigger();  // dotted
            const auto greedy = std::ranges::find(bench.bands().entries(), Greedy, &ChartEntry::label);
            QCOMPARE(greedy->style.colour, 5);
            QCOMPARE(greedy->style.dash, 2);
            session = bench.document.sessionPath();
        }
        Bench again;
        again.document.openSession(session);
        QTRY_VERIFY(again.document.isOpen());
        QVERIFY(again.settle());
        QTRY_COMPARE(again.bands().entries().size(), std::size_t(2));
        const auto greedy = std::ranges::find(again.bands().entries(), Greedy, &ChartEntry::label);
        QCOMPARE(greedy->style.colour, 5);
        QCOMPARE(greedy->style.dash, 2);
    }

    /// Saturation has iterations, and no seeds; the others are named above the curves.
    void iterationsAreAnAxis() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        std::vector<SearchSettings> searches = fourSearches(100);
        SearchSettings grown = test::saturation(2, 2000, std::nullopt);
        grown.seed = 1;
        searches.push_back(grown);
        QVERIFY(bench.compare(searches));
        QTRY_COMPARE(bench.rows().rowCount(), 3);
        const QModelIndex saturation = bench.group(QStringLiteral("Saturation"));
        QVERIFY(saturation.isValid());
        QCOMPARE(bench.cell(saturation, CompareModel::SeedsColumn), QStringLiteral("1 run"));
        QCOMPARE(bench.cell(saturation, CompareModel::StopColumn), QStringLiteral("iteration limit"));
        auto& axis = part<QComboBox>(bench.view, "compareAxis");
        axis.setCurrentIndex(axis.findText(QStringLiteral("over iterations")));
        QCOMPARE(bench.bands().plot().xAxis->label(), QStringLiteral("iterations of the e-graph"));
        for (const ChartEntry& entry : bench.bands().entries()) {
            if (!entry.label.startsWith(QStringLiteral("Saturation"))) {
                QVERIFY(entry.band.empty());
                continue;
            }
            QCOMPARE(entry.band.front().x, 0.0);
            QCOMPARE(entry.band.back().x, 2.0);
            QVERIFY(entry.band.back().y.median < entry.band.front().y.median);
        }
        const QString note = part<QLabel>(bench.view, "compareNote").text();
        QVERIFY2(note.startsWith(QStringLiteral("without iterations: Greedy, Random")), qPrintable(note));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("compare-iterations")));
    }

    void chartsShareACursor() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches()));
        QTRY_COMPARE(bench.bands().entries().size(), std::size_t(2));
        QTRY_VERIFY(!bench.bands().isReplotPending() && bench.bands().replots() > 0);
        QTRY_VERIFY(!bench.pareto().isReplotPending() && bench.pareto().replots() > 0);
        QCustomPlot& plot = bench.bands().plot();
        const QRect frame = plot.axisRect()->rect();
        QVERIFY(bench.bands().cursorTexts().isEmpty());
        const QPoint place(frame.right() - 2, frame.center().y());
        QTest::mouseMove(&plot, place);
        // The place, and each strategy with its quartiles where the seeds differ.
        QTRY_COMPARE(bench.bands().cursorTexts().size(), 3);
        const auto greedy = std::ranges::find(bench.bands().entries(), Greedy, &ChartEntry::label);
        QCOMPARE(bench.bands().cursorTexts()[1],
                 QStringLiteral("Greedy: %1").arg(costText(greedy->band.back().y.median)));
        // Cost against time has the same axis, if that place is on it.
        const double key = plot.xAxis->pixelToCoord(place.x());
        const bool isInside = bench.pareto().plot().xAxis->range().contains(key);
        QCOMPARE(bench.pareto().cursorTexts(),
                 isInside ? QStringList(bench.bands().cursorTexts().front()) : QStringList());
        QVERIFY(test::takePictures(bench.view, QStringLiteral("compare-cursor")));
        auto& axis = part<QComboBox>(bench.view, "compareAxis");
        axis.setCurrentIndex(axis.findText(QStringLiteral("over evaluations")));
        QVERIFY(bench.bands().cursorTexts().isEmpty());  // the place was a time
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&plot, &leave);
        QVERIFY(bench.pareto().cursorTexts().isEmpty());
    }

    void searchesUnderAnotherCostModelAreNotMixed() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(fourSearches(50)));
        QTRY_COMPARE(bench.rows().rowCount(), 2);
        bench.document.setCostModel(QStringLiteral("size"));
        QVERIFY(bench.settle());
        QTRY_COMPARE(bench.rows().rowCount(), 0);
        QVERIFY(part<QLabel>(bench.view, "compareTitle").text().contains(QStringLiteral("4 under other cost models")));
        bench.document.setCostModel(QStringLiteral("ks-2021"));
        QVERIFY(bench.settle());
        QTRY_COMPARE(bench.rows().rowCount(), 2);
    }

    void theDialogNamesTheSearches() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        {
            CompareDialog dialog(bench.document, bench.jobs);
            auto& list = part<QListWidget>(dialog, "compareStrategies");
            auto& message = part<QLabel>(dialog, "compareMessage");
            auto* ok = part<QDialogButtonBox>(dialog, "compareButtons").button(QDialogButtonBox::Ok);
            for (int row = 0; row < list.count(); ++row) list.item(row)->setCheckState(Qt::Unchecked);
            QVERIFY(!ok->isEnabled());
            QVERIFY(message.text().contains(QStringLiteral("Choose at least one strategy")));
            part<QSpinBox>(dialog, "compareSeeds").setValue(4);
            part<QSpinBox>(dialog, "compareFirstSeed").setValue(7);
            for (int row = 0; row < list.count(); ++row) {
                if (list.item(row)->text() == QStringLiteral("MCTS") || list.item(row)->text() == Greedy)
                    list.item(row)->setCheckState(Qt::Checked);
            }
            QVERIFY(ok->isEnabled());
            QCOMPARE(dialog.searches().size(), std::size_t(1 + 4));  // greedy does not depend on the seed
            QCOMPARE(dialog.searches().back().seed, std::uint64_t{10});
            // A variant of the strategy is compared too.
            list.setCurrentRow(list.row(list.findItems(QStringLiteral("MCTS"), Qt::MatchExactly).front()));
            part<QPushButton>(dialog, "compareVariant").click();
            QCOMPARE(dialog.searches().size(), std::size_t(1 + 4 + 4));
            dialog.accept();
        }
        CompareDialog again(bench.document, bench.jobs);
        QCOMPARE(again.searches().size(), std::size_t(9));
        QCOMPARE(again.searches().back().seed, std::uint64_t{10});
        part<QListWidget>(again, "compareStrategies")
            .setCurrentItem(part<QListWidget>(again, "compareStrategies")
                                .findItems(QStringLiteral("MCTS"), Qt::MatchExactly)
                                .back());
        part<QPushButton>(again, "compareRemove").click();
        QCOMPARE(again.searches().size(), std::size_t(5));
        again.show();
        QVERIFY(test::takePictures(again, QStringLiteral("compare-dialog")));
    }

    /// Its verdicts still hold: steps replay under the rules of today. The start page opens a copy.
    void theSampleSessionShowsItsSearches() {
        const QString path = test::sample("sessions/gemm-compared.mitos");
        const auto contents = [&] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const QByteArray before = contents();
        QVERIFY(before.size() > 100'000);
        qputenv("MITOS_SAMPLES", MITOS_SOURCE_DIR "/samples");
        test::ShownWindow shown;
        auto& samples = *shown.child<QListWidget>("samples");
        const auto find = [&]() -> QListWidgetItem* {
            const auto found = samples.findItems(QStringLiteral("gemm-compared"), Qt::MatchStartsWith);
            return found.isEmpty() ? nullptr : found.front();
        };
        QTRY_VERIFY(find() != nullptr);
        QVERIFY2(find()->text().contains(QStringLiteral("9 finished searches of gemm.ks")), qPrintable(find()->text()));
        QTest::mouseClick(samples.viewport(), Qt::LeftButton, {}, samples.visualItemRect(find()).center());
        QVERIFY(shown.isOpen());
        QVERIFY(shown.window.document().sessionPath() != path);
        shown.trigger("perspectiveCompare");
        QTreeView& table = *shown.child<QTreeView>("compareRows");
        QTRY_COMPARE(table.model()->rowCount(), 5);
        QCOMPARE(shown.window.document().runs().size(), std::size_t(9));
        for (const Run& run : shown.window.document().runs()) {
            QVERIFY2(run.verdict && run.verdict->isGood(), run.strategy.c_str());
            QVERIFY(run.resultState.isValid());
        }
        // The GEMM without temporary matrices, as other tests and the README have it.
        const auto best = std::ranges::min_element(shown.window.document().runs(), {}, &Run::bestCost);
        QCOMPARE(QString::number(best->bestCost), QStringLiteral("26163.6"));
        shown.window.document().mark(rewrite::StateId(1), {.name = "seen", .note = {}});
        QVERIFY(shown.settle());
        QCOMPARE(contents(), before);
    }

    /// Through the window: by its actions alone, with a second program, and closed in the middle.
    void theWindowCompares() {
        test::ShownWindow shown;
        QVERIFY(!shown.child<QAction>("perspectiveCompare")->isEnabled());
        QVERIFY(shown.open(test::sample("teaching/cancel.ks")));
        shown.trigger("perspectiveCompare");
        auto& view = *shown.child<CompareView>("compareView");
        QVERIFY(view.isVisible());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("window-compare-empty")));
        shown.window.document().startComparison(fourSearches());
        QVERIFY(QTest::qWaitFor([&] { return !shown.window.document().comparison().isRunning(); }, 60'000));
        QVERIFY(shown.settle());
        QTreeView& table = *shown.child<QTreeView>("compareRows");
        QTRY_COMPARE(table.model()->rowCount(), 2);
        QVERIFY(test::takePictures(shown.window, QStringLiteral("window-compare-searches")));
        table.setFocus();
        table.setCurrentIndex(table.model()->index(0, 0));
        QTest::keyClick(&table, Qt::Key_Return);
        QVERIFY(shown.child<QAction>("perspectiveStep")->isChecked());
        QVERIFY(shown.window.document().history().current() != rewrite::StateId(0));
        shown.trigger("perspectiveCompare");
        QVERIFY(shown.open(test::sample("teaching/factor.ks")));
        QTRY_VERIFY(shown.window.document().title().contains(QStringLiteral("factor")));
        shown.trigger("perspectiveCompare");
        QCOMPARE(table.model()->rowCount(), 0);
        shown.window.document().startComparison(endlessSearches(3));
        QTRY_VERIFY(table.model()->rowCount() == 1);
    }

    /// The events of a long search are looked at in portions; all of them count in the end.
    void aLongSearchIsReadInPortions() {
        const QTemporaryDir folder;
        const std::string path = test::makeSession(folder, 2, 25'000);
        test::Desk desk;
        desk.document.openSession(QString::fromStdString(path));
        QVERIFY(desk.settle());
        CompareModel model(desk.document);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.groups().size(), std::size_t(1));
        QTRY_COMPARE(model.groups().front().runs.front()->events.size(), std::size_t(25'000));
        QCOMPARE(model.groups().front().runs.front()->events.back().best, 40.0);  // 1e6 / 25,000
    }
};

MITOS_TEST(TestCompareView)

}  // namespace tst_compare_view

#include "tst_compare_view.moc"
