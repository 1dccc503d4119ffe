// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing searches of several programs in the desktop: choosing them, their rows and charts, and their sessions.
#include "search/parallel.h"
#include "tests/gui/history_bench.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/compare/compare_model.h"
#include "views/compare/compare_view.h"
#include "views/compare/internal/compare_charts.h"
#include "views/document/compared_programs.h"
#include "views/plot/qcustomplot_wrapper.h"
#include "views/search_dialog/compare_dialog.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

namespace tst_compared_programs {

using namespace mitos;
using namespace mitos::views;
using test::part;

namespace {

/// (x * 2) / 2 becomes x, and a b + a c becomes a (b + c).
constexpr const char* TwoFunctions =
    "(def halved Float ((x : Float)) (div (mul x 2.0) 2.0))\n"
    "(def factored Float ((a : Float) (b : Float) (c : Float))\n"
    "  (add (mul a b) (mul a c)))\n";

std::vector<SearchSettings> threeSearches() {
    std::vector<SearchSettings> all;
    for (const auto& [strategy, seed] : {std::pair("greedy", 1), std::pair("random", 1), std::pair("random", 2)}) {
        SearchSettings& settings = all.emplace_back();
        settings.strategy = QLatin1String(strategy);
        settings.budget.evaluations = 200;
        settings.seed = static_cast<std::uint64_t>(seed);
    }
    return all;
}

std::vector<SearchSettings> endlessSearches(int count) {
    std::vector<SearchSettings> all;
    for (int i = 1; i <= count; ++i) {
        SearchSettings& settings = all.emplace_back();
        settings.strategy = QStringLiteral("random");
        settings.budget.seconds = 600;
        settings.seed = static_cast<std::uint64_t>(i);
    }
    return all;
}

struct Bench : test::HistoryBench {
    QTemporaryDir folder;
    CompareView view{document, selection, jobs};

    Bench() {
        view.resize(1300, 800);
        view.show();
    }
    [[nodiscard]] QString file(const char* name, const char* text) {
        return test::writeText(folder, QLatin1String(name), text);
    }
    [[nodiscard]] bool compare(const std::vector<SearchSettings>& searches,
                               const std::vector<ProgramChoice>& programs) {
        document.startComparison(searches, programs);
        return isOver();
    }
    /// Until all results are judged, the sessions of the further programs were read, and the table shows them.
    [[nodiscard]] bool isOver() {
        return QTest::qWaitFor([this] { return !document.comparison().isRunning(); }, 300'000) && settle() &&
               areRead() && QTest::qWaitFor([this] { return areShown(); }, 60'000);
    }
    [[nodiscard]] bool areShown() {
        std::size_t all = document.runs().size();
        for (int i = 1; i <= document.comparedPrograms().count(); ++i)
            all += document.comparedPrograms().runsOf(i).size();
        std::size_t shown = 0;
        for (int row = 0; row < rows().rowCount(); ++row)
            shown += static_cast<std::size_t>(rows().rowCount(rows().index(row, 0)));
        return shown == all;
    }
    [[nodiscard]] bool areRead() {
        return QTest::qWaitFor(
            [this] {
                for (int i = 1; i <= document.comparedPrograms().count(); ++i) {
                    const auto state = document.comparedPrograms().at(i).state;
                    if (state != ComparedProgram::State::Ready && state != ComparedProgram::State::Lost) return false;
                }
                return jobs.isIdle();
            },
            60'000);
    }
    [[nodiscard]] bool reopen(const QString& session) {
        document.openSession(session);
        return QTest::qWaitFor([this] { return document.isOpen() && !document.isOpening(); }) && settle() && areRead();
    }
    [[nodiscard]] QTreeView& table() { return part<QTreeView>(view, "compareRows"); }
    [[nodiscard]] QAbstractItemModel& rows() { return *table().model(); }
    /// The rows as "strategy program", sorted.
    [[nodiscard]] QStringList rowNames() {
        QStringList names;
        for (int row = 0; row < rows().rowCount(); ++row)
            names << rows().index(row, CompareModel::StrategyColumn).data().toString().section(u' ', 0, 0) + u' ' +
                         rows().index(row, CompareModel::ProgramColumn).data().toString();
        names.sort();
        return names;
    }
    [[nodiscard]] QModelIndex row(const QString& strategy, const QString& program) {
        for (int row = 0; row < rows().rowCount(); ++row) {
            const QModelIndex index = rows().index(row, 0);
            if (index.data().toString().startsWith(strategy) &&
                index.siblingAtColumn(CompareModel::ProgramColumn).data().toString() == program)
                return index;
        }
        return {};
    }
    [[nodiscard]] QString cell(const QModelIndex& row, CompareModel::Column column) {
        return row.siblingAtColumn(column).data().toString();
    }
    [[nodiscard]] BandChart& bands() { return part<BandChart>(view, "bandChart"); }
    [[nodiscard]] QString costLabel() { return bands().plot().yAxis->label(); }
};

const QStringList FourRows{QStringLiteral("Greedy test"), QStringLiteral("Greedy two · halved"),
                           QStringLiteral("Random test"), QStringLiteral("Random two · halved")};

}  // namespace

class TestComparedPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void searchesRunOnEachProgram() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        const QAbstractItemModelTester tester(&bench.rows());
        QVERIFY(bench.table().isColumnHidden(CompareModel::ProgramColumn));
        QVERIFY(bench.compare(threeSearches(), {{bench.file("two.ks", TwoFunctions), QStringLiteral("halved")}}));
        QTRY_COMPARE(bench.rowNames(), FourRows);
        QVERIFY(!bench.table().isColumnHidden(CompareModel::ProgramColumn));
        QTRY_COMPARE(part<QLabel>(bench.view, "compareTitle").text(),
                     QStringLiteral("6 searches of 2 programs, 4 kinds"));
        QCOMPARE(part<QLabel>(bench.view, "compareProgress").text(), QStringLiteral("6 of 6 finished"));
        for (int row = 0; row < 4; ++row)
            QTRY_COMPARE(bench.cell(bench.rows().index(row, 0), CompareModel::VerdictsColumn),
                         QStringLiteral("✓ replayed  ✓ same values"));
        // x * 2 / 2 becomes x, whose cost is that of a variable.
        const ComparedProgram& other = bench.document.comparedPrograms().at(1);
        QCOMPARE(other.runs.size(), std::size_t(3));
        QVERIFY(other.opened->history->size() > 1);
        for (const Run& run : other.runs) QVERIFY(run.resultState.isValid() && run.verdict && run.verdict->isGood());
        // Costs of different programs are drawn relative to each start.
        QTRY_COMPARE(bench.bands().entries().size(), std::size_t(4));
        QCOMPARE(bench.costLabel(), QStringLiteral("cost (% of start)"));
        auto& axis = part<QComboBox>(bench.view, "compareAxis");
        axis.setCurrentIndex(axis.findText(QStringLiteral("over evaluations")));
        for (const ChartEntry& entry : bench.bands().entries()) {
            QCOMPARE(entry.band.front().y.median, 100.0);
            QVERIFY(entry.cost < 100.0);
        }
        // A strategy has one colour, a program one kind of line.
        const auto styleOf = [&](const QString& label) {
            const auto found = std::ranges::find(bench.bands().entries(), label, &ChartEntry::label);
            return found == bench.bands().entries().end() ? CurveStyle{-1, -1} : found->style;
        };
        const CurveStyle here = styleOf(QStringLiteral("Greedy · test"));
        const CurveStyle there = styleOf(QStringLiteral("Greedy · two · halved"));
        QCOMPARE(here.colour, there.colour);
        QVERIFY(here.dash != there.dash);
        QVERIFY(test::takePictures(bench.view, QStringLiteral("compare-programs")));
    }

    void oneProgramIsShownAlone() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(threeSearches(), {{bench.file("two.ks", TwoFunctions), QStringLiteral("halved")}}));
        QTRY_COMPARE(bench.rows().rowCount(), 4);
        auto& programs = part<QComboBox>(bench.view, "comparePrograms");
        QCOMPARE(programs.count(), 3);
        programs.setCurrentIndex(2);
        QCOMPARE(bench.rowNames(), QStringList({FourRows[1], FourRows[3]}));
        QCOMPARE(bench.bands().entries().size(), std::size_t(2));
        QVERIFY2(bench.costLabel().startsWith(QStringLiteral("cost")) && !bench.costLabel().contains(u'%'),
                 qPrintable(bench.costLabel()));
        QCOMPARE(bench.bands().entries().front().scale, 1.0);
        programs.setCurrentIndex(0);
        QCOMPARE(bench.rows().rowCount(), 4);
        part<QLineEdit>(bench.view, "compareFilter").setText(QStringLiteral("halved greedy"));
        QCOMPARE(bench.rowNames(), QStringList{FourRows[1]});
        part<QLineEdit>(bench.view, "compareFilter").clear();
        bench.table().sortByColumn(CompareModel::ProgramColumn, Qt::DescendingOrder);
        QCOMPARE(bench.cell(bench.rows().index(0, 0), CompareModel::ProgramColumn), QStringLiteral("two · halved"));
    }

    void theSessionRemembersItsPrograms() {
        QString session;
        QString other;
        {
            Bench bench;
            QVERIFY(bench.load(test::SearchText));
            QVERIFY(bench.compare(threeSearches(), {{bench.file("two.ks", TwoFunctions), QStringLiteral("halved")}}));
            session = bench.document.sessionPath();
            other = bench.document.comparedPrograms().at(1).session;
            QVERIFY(QFileInfo(other).absolutePath() == QFileInfo(session).absolutePath());
            bench.table().setCurrentIndex(bench.row(QStringLiteral("Random"), QStringLiteral("two · halved")));
            part<QPushButton>(bench.view, "comparePin").click();
        }
        {
            Bench again;
            QVERIFY(again.reopen(session));
            QTRY_COMPARE(again.rowNames(), FourRows);
            QCOMPARE(again.cell(again.row(QStringLiteral("Random"), QStringLiteral("two · halved")),
                                CompareModel::BaselineColumn),
                     QStringLiteral("baseline"));
            // The same strategy is the baseline for the other program.
            QCOMPARE(
                again.cell(again.row(QStringLiteral("Random"), QStringLiteral("test")), CompareModel::BaselineColumn),
                QStringLiteral("baseline"));
            for (const Run* run : again.document.comparedPrograms().runsOf(1))
                QVERIFY(run->verdict && run->verdict->isGood() && !run->events.empty());
        }
        // Its session is gone: this is said, and the open program's runs are shown.
        QVERIFY(QFile::remove(other));
        Bench last;
        QSignalSpy failed(&last.document, &Document::failed);
        QVERIFY(last.reopen(session));
        QTRY_COMPARE(last.rowNames(), QStringList({FourRows[0], FourRows[2]}));
        QCOMPARE(failed.size(), 1);
        QTRY_VERIFY(part<QLabel>(last.view, "compareTitle").text().contains(QStringLiteral("is missing")));
    }

    void aProgramGoesOnInItsSession() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        const ProgramChoice two{bench.file("two.ks", TwoFunctions), QStringLiteral("halved")};
        QVERIFY(bench.compare(threeSearches(), {two}));
        const QString session = bench.document.comparedPrograms().at(1).session;
        QVERIFY(bench.compare(threeSearches(), {two}));
        QCOMPARE(bench.document.comparedPrograms().count(), 1);
        QCOMPARE(bench.document.comparedPrograms().at(1).session, session);
        QCOMPARE(bench.document.comparedPrograms().at(1).runs.size(), std::size_t(6));
        QCOMPARE(bench.document.comparedPrograms().at(1).runs.back().number, 6);
        QTRY_COMPARE(bench.rows().rowCount(), 4);
        // The program of its session is the same one.
        QVERIFY(bench.compare(threeSearches(), {{session, {}}}));
        QCOMPARE(bench.document.comparedPrograms().at(1).runs.size(), std::size_t(9));
    }

    void programsThatCannotBeComparedAreNamed_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("message");
        QTest::newRow("it does not parse")
            << QStringLiteral("bad.ks") << QByteArray("(add (mul a b)") << QStringLiteral("bad.ks");
        QTest::newRow("another kind of program")
            << QStringLiteral("net.txt") << QByteArray("graph f(x: f32[4,4])\n  y = Relu(x)\n  return y\n")
            << QStringLiteral("is a tensor program");
    }

    void programsThatCannotBeComparedAreNamed() {
        QFETCH(QString, name);
        QFETCH(QByteArray, text);
        QFETCH(QString, message);
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QSignalSpy failed(&bench.document, &Document::failed);
        QVERIFY(bench.compare(threeSearches(), {{test::writeText(bench.folder, name, text)},
                                                {bench.file("two.ks", TwoFunctions), QStringLiteral("halved")}}));
        QCOMPARE(failed.size(), 1);
        QVERIFY2(failed[0][0].toString().contains(name), qPrintable(failed[0][0].toString()));
        QVERIFY2(failed[0][1].toString().contains(message), qPrintable(failed[0][1].toString()));
        QTRY_COMPARE(bench.rowNames(), FourRows);
        QCOMPARE(bench.document.comparison().searches, 6);
    }

    void searchesOfAllProgramsAreStopped() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        bench.document.startComparison(endlessSearches(1),
                                       {{bench.file("two.ks", TwoFunctions), QStringLiteral("halved")}});
        if (search::defaultJobs() == 1) bench.document.stopRun(1);
        QTRY_COMPARE(bench.rowNames(), QStringList({FourRows[2], FourRows[3]}));
        part<QPushButton>(bench.view, "compareStop").click();
        QVERIFY(bench.isOver());
        QCOMPARE(bench.document.comparedPrograms().at(1).runs.size(), std::size_t(1));
        QCOMPARE(bench.document.comparedPrograms().at(1).runs.front().stop, std::string("stopped"));
        QVERIFY(bench.document.comparedPrograms().at(1).runs.front().verdict);
    }

    void leavingTheProgramKeepsWhatWasFound() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        bench.document.startComparison(endlessSearches(1),
                                       {{bench.file("two.ks", TwoFunctions), QStringLiteral("halved")}});
        const auto hasBegun = [&] {
            return bench.document.comparedPrograms().count() == 1 &&
                   bench.document.comparedPrograms().at(1).state == ComparedProgram::State::Searching;
        };
        QTRY_VERIFY(hasBegun());
        bench.document.stopRun(1);  // leaves a processor to the other program
        QTRY_VERIFY(!bench.document.comparedPrograms().runsOf(1).empty());
        const QString other = bench.document.comparedPrograms().at(1).session;
        // Its own session is opened in the middle of the search, which ends and keeps its result.
        QSignalSpy failed(&bench.document, &Document::failed);
        QVERIFY(bench.reopen(other));
        QVERIFY(bench.settle());
        QCOMPARE(failed.size(), 0);
        QVERIFY(!bench.document.comparison().isRunning());
        QCOMPARE(bench.document.sessionPath(), other);
        QVERIFY(!bench.document.runs().empty());
        for (const Run& run : bench.document.runs()) QCOMPARE(run.stop, std::string("stopped"));
        QVERIFY(!part<QComboBox>(bench.view, "comparePrograms").isVisible());
    }

    void tablesAndReportsHaveAllPrograms() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(threeSearches(), {{bench.file("two.ks", TwoFunctions), QStringLiteral("halved")}}));
        QTRY_COMPARE(bench.rows().rowCount(), 4);
        const auto saved = [&](const char* name) {
            bench.view.saveTable(bench.folder.filePath(QLatin1String(name)));
            if (!bench.settle()) return QByteArray();
            QFile file(bench.folder.filePath(QLatin1String(name)));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QStringList programs;
        for (const QJsonValue row : QJsonDocument::fromJson(saved("runs.json")).array())
            programs << row.toObject()[QStringLiteral("program")].toString();
        programs.sort();
        const QString other = QStringLiteral("two.ks · halved");
        QCOMPARE(programs, QStringList({QStringLiteral("test"), QStringLiteral("test"), QStringLiteral("test"), other,
                                        other, other}));
        QVERIFY(saved("runs.md").startsWith("| Program |"));
        bench.view.saveReport(bench.folder.filePath(QStringLiteral("a.html")));
        QVERIFY(bench.settle());
        QFile page(bench.folder.filePath(QStringLiteral("a.html")));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QByteArray text = page.readAll();
        QVERIFY(text.contains("Searches of 2 programs") && text.contains("halved"));
    }

    void detailsAreOfEachProgram() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        QVERIFY(bench.compare(threeSearches(), {{bench.file("two.ks", TwoFunctions), QStringLiteral("halved")}}));
        QTRY_COMPARE(bench.rows().rowCount(), 4);
        part<QTabBar>(bench.view, "compareTabs").setCurrentIndex(3);
        bench.table().setCurrentIndex(bench.row(QStringLiteral("Greedy"), QStringLiteral("two · halved")));
        const QAbstractItemModel& steps = *part<QTableView>(bench.view, "compareSteps").model();
        QTRY_VERIFY(steps.rowCount() >= 1);
        QVERIFY2(steps.headerData(0, Qt::Horizontal).toString().contains(QStringLiteral("halved")),
                 qPrintable(steps.headerData(0, Qt::Horizontal).toString()));
        // A second cost model is relative, too: the size of x is a fifth of that of x * 2 / 2.
        part<QTabBar>(bench.view, "compareTabs").setCurrentIndex(0);
        auto& against = part<QComboBox>(bench.view, "compareAgainst");
        const int size = against.findData(QStringLiteral("size"));
        against.setCurrentIndex(size);
        Q_EMIT against.activated(size);
        auto& pareto = part<ParetoChart>(bench.view, "paretoChart");
        const auto entry = [&] {
            const auto found =
                std::ranges::find(pareto.entries(), QStringLiteral("Greedy · two · halved"), &ChartEntry::label);
            return found == pareto.entries().end() ? ChartEntry() : *found;
        };
        QTRY_VERIFY(entry().isFinished && entry().against == 20.0);
    }

    void theDialogOffersPrograms() {
        Bench bench;
        QVERIFY(bench.load(test::SearchText));
        CompareDialog dialog(bench.document, bench.jobs,
                             {{QStringLiteral("open one"), {QStringLiteral("/there/open.mitos")}}});
        auto& list = part<QListWidget>(dialog, "comparePrograms");
        QCOMPARE(list.count(), 2);
        QVERIFY(dialog.programs().empty());
        list.item(1)->setCheckState(Qt::Checked);
        QCOMPARE(dialog.programs().front().path, QStringLiteral("/there/open.mitos"));
        list.item(1)->setCheckState(Qt::Unchecked);
        const auto addFile = [&](const QString& path) {
            part<QPushButton>(dialog, "compareAddFile").click();
            auto* files = dialog.findChild<QDialog*>(QStringLiteral("compareFileDialog"));
            QVERIFY(files != nullptr);
            QVERIFY(QMetaObject::invokeMethod(files, "filesSelected", Q_ARG(QStringList, QStringList{path})));
            files->close();
            QVERIFY(bench.settle());
        };
        const QString two = bench.file("two.ks", TwoFunctions);
        addFile(two);
        QCOMPARE(list.count(), 3);
        QVERIFY((dialog.programs() == std::vector<ProgramChoice>{{two, QStringLiteral("factored")}}));  // the last one
        auto& function = part<QComboBox>(dialog, "compareFunction");
        QCOMPARE(function.count(), 2);
        function.setCurrentText(QStringLiteral("halved"));
        Q_EMIT function.activated(function.currentIndex());
        QVERIFY((dialog.programs() == std::vector<ProgramChoice>{{two, QStringLiteral("halved")}}));
        QCOMPARE(list.item(2)->text(), QStringLiteral("two · halved"));
        addFile(two);  // its other function
        QCOMPARE(dialog.programs().size(), std::size_t(2));
        addFile(bench.file("bad.ks", "(add (mul a b)"));
        QCOMPARE(list.count(), 4);
        QVERIFY(part<QLabel>(dialog, "compareProgramProblem").text().contains(QStringLiteral("bad.ks")));
        QVERIFY(part<QLabel>(dialog, "compareMessage").text().contains(QStringLiteral("of 3 programs")));
        dialog.show();
        QVERIFY(test::takePictures(dialog, QStringLiteral("compare-dialog-programs")));
    }

    void samplesOfTheSameKindAreCompared() {
        qputenv("MITOS_SAMPLES", MITOS_SOURCE_DIR "/samples");
        Bench bench;
        const auto groupsOf = [](CompareDialog& dialog) {
            return part<QToolButton>(dialog, "compareAddSample").menu()->actions();
        };
        QVERIFY(bench.load(test::SearchText));
        {
            CompareDialog dialog(bench.document, bench.jobs);
            QVERIFY(bench.settle());
            const QList<QAction*> groups = groupsOf(dialog);
            QVERIFY(std::ranges::find(groups, QStringLiteral("Teaching"), &QAction::text) != groups.end());
            QVERIFY(std::ranges::find(groups, QStringLiteral("Networks"), &QAction::text) == groups.end());
        }
        QVERIFY(bench.load(test::TwoBranches));
        CompareDialog dialog(bench.document, bench.jobs);
        QVERIFY(bench.settle());
        const QList<QAction*> groups = groupsOf(dialog);
        QVERIFY(std::ranges::find(groups, QStringLiteral("Teaching"), &QAction::text) == groups.end());
        const auto group = std::ranges::find(groups, QStringLiteral("Networks"), &QAction::text);
        QVERIFY(group != groups.end());
        const QList<QAction*> networks = (*group)->menu()->actions();
        const auto network = std::ranges::find(networks, QStringLiteral("channels_last"), &QAction::text);
        QVERIFY(network != networks.end());
        (*network)->trigger();
        QVERIFY(bench.settle());
        QCOMPARE(part<QListWidget>(dialog, "comparePrograms").item(1)->text(), QStringLiteral("channels_last"));
        QVERIFY(!part<QComboBox>(dialog, "compareFunction").isEnabled());
        QVERIFY(part<QLabel>(dialog, "compareProgramProblem").text().isEmpty());
        const QSignalSpy failed(&bench.document, &Document::failed);
        QVERIFY(bench.compare(threeSearches(), dialog.programs()));
        QVERIFY2(failed.isEmpty(), qPrintable(failed.value(0).value(1).toString()));
        QCOMPARE(bench.rowNames().filter(QStringLiteral("channels_last")).join(QStringLiteral(", ")),
                 QStringLiteral("Greedy channels_last · block, Random channels_last · block"));
    }

    /// The desktop shows the sessions that the command line stores, one for each program.
    void sessionsOfTheCommandLineAreOpened() {
        Bench bench;
        const QString session = bench.folder.filePath(QStringLiteral("runs.mitos"));
        QProcess search;
        search.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                     {QStringLiteral("compare"), test::sample("teaching/cancel.ks"), test::sample("teaching/factor.ks"),
                      QStringLiteral("--strategies"), QStringLiteral("greedy,random"), QStringLiteral("--seeds"),
                      QStringLiteral("2"), QStringLiteral("--evaluations"), QStringLiteral("100"),
                      QStringLiteral("--session"), session});
        QVERIFY(search.waitForFinished());
        QVERIFY2(search.exitCode() == 0, search.readAllStandardError().constData());
        QVERIFY(QFile::exists(bench.folder.filePath(QStringLiteral("runs-factor.mitos"))));
        QVERIFY(bench.reopen(session));
        QTRY_COMPARE(bench.rowNames(), QStringList({QStringLiteral("Greedy cancel"), QStringLiteral("Greedy factor"),
                                                    QStringLiteral("Random cancel"), QStringLiteral("Random factor")}));
        for (int row = 0; row < 4; ++row)
            QTRY_COMPARE(bench.cell(bench.rows().index(row, 0), CompareModel::VerdictsColumn),
                         QStringLiteral("✓ replayed  ✓ same values"));
        for (const Run& run : bench.document.runs()) QVERIFY(run.resultState.isValid() && !run.events.empty());
    }

    /// A result of another program is shown by opening its session in the window.
    void theWindowOpensAnotherProgramAtItsResult() {
        test::ShownWindow shown;
        QVERIFY(shown.open(test::sample("teaching/cancel.ks")));
        shown.trigger("perspectiveCompare");
        Document& document = shown.window.document();
        document.startComparison(threeSearches(), {{test::sample("teaching/factor.ks")}});
        QVERIFY(QTest::qWaitFor([&] { return !document.comparison().isRunning(); }, 60'000));
        QVERIFY(shown.settle());
        QTreeView& table = *shown.child<QTreeView>("compareRows");
        QTRY_COMPARE(table.model()->rowCount(), 4);
        QVERIFY(test::takePictures(shown.window, QStringLiteral("window-compare-programs")));
        int row = 0;
        while (table.model()->index(row, CompareModel::ProgramColumn).data().toString() != QStringLiteral("factor"))
            ++row;
        table.setFocus();
        table.setCurrentIndex(table.model()->index(row, 0));
        QTest::keyClick(&table, Qt::Key_Return);
        QTRY_VERIFY(document.isOpen() && document.title().contains(QStringLiteral("factor")));
        QVERIFY(shown.isOpen());
        QTRY_VERIFY(document.history().current() != rewrite::StateId(0));
        QVERIFY(shown.child<QAction>("perspectiveStep")->isChecked());
        QCOMPARE(document.history().current(), document.run(shown.window.selection().run())->resultState);
    }
};

MITOS_TEST(TestComparedPrograms)

}  // namespace tst_compared_programs

#include "tst_compared_programs.moc"
