// SPDX-License-Identifier: GPL-3.0-or-later
// Results timed in ONNX Runtime: the card shows what the cost model expects and what was measured, and the session keeps it.
#include "tests/gui/fake_runtime.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/compare/compare_model.h"
#include "views/compare/compare_view.h"
#include "views/document/compared_programs.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/result_banner.h"
#include "views/preferences/preferences_dialog.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QToolButton>
#include <QTreeView>
#include <memory>

namespace tst_result_times {

using namespace mitos;
using namespace mitos::views;

namespace {

constexpr const char* Chain =
    "graph chain(x: f32[1,3,8,8])\n"
    "  weight w: f32[4,3,1,1]\n"
    "  c = Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1],group=1](x, w)\n"
    "  r = Relu(Relu(Relu(c)))\n"
    "  return r\n";

/// A window with a small model open.
struct Timed : test::ShownWindow {
    QTemporaryDir folder;

    [[nodiscard]] QString file() const { return folder.filePath(QStringLiteral("branches.onnx")); }
    [[nodiscard]] bool openModel() { return !test::writeModel(file(), test::TwoBranches).isEmpty() && open(file()); }
    /// Opens another program, and stops what goes on in the Jobs view for the one before.
    [[nodiscard]] bool leaves() {
        window.openPath(test::sample("linear-algebra/gemm.ks"));
        const auto isThere = [this] {
            return window.document().isOpen() && window.document().title().startsWith(QLatin1String("gemm.ks"));
        };
        if (!QTest::qWaitFor(isThere, 30'000) || window.jobs().runningVisible() != 1) return false;
        for (const JobInfo& job : std::vector<JobInfo>(window.jobs().jobs())) {
            if (job.state == JobInfo::State::Running) window.jobs().stop(job.id);
        }
        return settle();
    }
    /// Searches until there is a cheaper program.
    [[nodiscard]] bool search() {
        window.document().startSearch(
            {.strategy = QStringLiteral("greedy"), .parameters = {}, .budget = {.evaluations = 200}});
        return settle() && child<QWidget>("resultBanner")->isVisible();
    }
    /// Searches the open program and a further one, and shows the comparison.
    [[nodiscard]] bool compareWithChain() { return compareWithChain(folder); }
    [[nodiscard]] bool compareWithChain(const QTemporaryDir& where) {
        const QString chain = where.filePath(QStringLiteral("chain.onnx"));
        if (test::writeModel(chain, Chain).isEmpty()) return false;
        SearchSettings greedy{.strategy = QStringLiteral("greedy"), .parameters = {}, .budget = {.evaluations = 200}};
        window.document().startComparison({greedy}, {{chain, {}}});
        if (!QTest::qWaitFor([this] { return isCompared(); }, 60'000)) return false;
        trigger("perspectiveCompare");
        return settle() && QTest::qWaitFor([this] { return row("chain").isValid() && row("branches").isValid(); });
    }
    [[nodiscard]] bool isCompared() {
        const ComparedPrograms& others = window.document().comparedPrograms();
        return !window.document().comparison().isRunning() && others.count() == 1 &&
               others.at(1).state == ComparedProgram::State::Ready && window.isSettled();
    }
    /// The row of that program in the comparison.
    [[nodiscard]] QModelIndex row(const char* program) {
        const QAbstractItemModel& rows = *child<QTreeView>("compareRows")->model();
        for (int i = 0; i < rows.rowCount(); ++i) {
            if (rows.index(i, CompareModel::ProgramColumn).data().toString().startsWith(QLatin1String(program)))
                return rows.index(i, 0);
        }
        return {};
    }
    [[nodiscard]] QString ratioOf(const char* program) {
        return row(program).siblingAtColumn(CompareModel::RatioColumn).data().toString();
    }
    void select(const char* program) { child<QTreeView>("compareRows")->setCurrentIndex(row(program)); }
    [[nodiscard]] QString text(const char* name) { return child<QLabel>(name)->text(); }
    [[nodiscard]] QPushButton* button(const char* name) { return child<QPushButton>(name); }
    [[nodiscard]] MessageBar* messages() { return window.findChild<MessageBar*>(); }
};

}  // namespace

class TestResultTimes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        test::forgetEverything();
        QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/profiles"))
            .removeRecursively();
    }

    void aSlowerResultContradictsTheModel() {
        Timed shown;
        test::useRuntime(shown.folder, {.ratio = "1.5"});
        QVERIFY(shown.openModel());
        QVERIFY(shown.search());
        QVERIFY(shown.button("timesStart")->isVisible());
        QCOMPARE(shown.button("timesStart")->text(), QStringLiteral("Time with ONNX Runtime"));
        QVERIFY(!shown.child<QLabel>("timesSentence")->isVisible());
        shown.button("timesStart")->click();
        QVERIFY(shown.settle());
        QVERIFY(shown.child<QLabel>("timesSentence")->isVisible());
        QVERIFY2(
            shown.text("timesSentence").contains(QLatin1String("of the time; measured 1.50 (1.50 to 1.50): slower.")),
            qPrintable(shown.text("timesSentence")));
        QVERIFY(shown.text("timesSentence").startsWith(QStringLiteral("⚠ The cost model roofline expected 0.")));
        QCOMPARE(shown.text("timesWhole"), QStringLiteral("2.00 ms → 3.00 ms\n2.00 to 2.00 ms → 3.00 to 3.00 ms"));
        QCOMPARE(shown.text("timesWholeRatio"), QStringLiteral("× 1.50\n1.50 to 1.50"));
        QCOMPARE(shown.text("timesModelTitle"), QStringLiteral("Cost model roofline"));
        QVERIFY2(shown.text("timesModel").endsWith(QStringLiteral(" µs")), qPrintable(shown.text("timesModel")));
        QVERIFY(shown.child<QLabel>("timesOperators")->isVisible());
        QVERIFY2(shown.text("timesOperators").contains(QStringLiteral("µs → ")),
                 qPrintable(shown.text("timesOperators")));
        QVERIFY2(shown.text("timesOrigin").startsWith(QStringLiteral("ONNX Runtime 9.9.0, today ")),
                 qPrintable(shown.text("timesOrigin")));
        QVERIFY2(shown.child<QLabel>("timesOrigin")->toolTip().contains(QLatin1String("own optimizations: all")),
                 qPrintable(shown.child<QLabel>("timesOrigin")->toolTip()));
        QCOMPARE(shown.button("timesStart")->text(), QStringLiteral("Time Again"));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("result-times")));
        for (const char* name : {"timesWholeTitle", "timesWhole", "timesWholeRatio"}) {
            const auto* label = shown.child<QLabel>(name);
            QVERIFY2(label->height() >= label->sizeHint().height(), name);
        }
        // In the smallest window there is room for the sentence; its tool tip has the numbers.
        shown.window.resize(1024, 640);
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("result-times-small")));
        QCOMPARE(shown.window.size(), QSize(1024, 640));
        const auto* sentence = shown.child<QLabel>("timesSentence");
        QVERIFY(sentence->height() >= sentence->heightForWidth(sentence->width()));
        QVERIFY(!shown.child<QLabel>("timesWhole")->isVisible());
        QVERIFY2(sentence->toolTip().contains(QStringLiteral("2.00 ms → 3.00 ms")), qPrintable(sentence->toolTip()));
        shown.window.resize(1280, 800);
        QVERIFY(shown.settle());
        QVERIFY(shown.child<QLabel>("timesWhole")->isVisible());
    }

    void aFasterResultAgreesAndComesBackWithTheSession() {
        QString session;
        QString sentence;
        const QTemporaryDir folder;
        test::useRuntime(folder, {.ratio = "0.5"});
        const QString file = folder.filePath(QStringLiteral("branches.onnx"));
        QVERIFY(!test::writeModel(file, test::TwoBranches).isEmpty());
        {
            Timed shown;
            QVERIFY(shown.open(file));
            QVERIFY(shown.search());
            shown.button("timesStart")->click();
            QVERIFY(shown.settle());
            sentence = shown.text("timesSentence");
            QVERIFY2(sentence.contains(QLatin1String("measured 0.50 (0.50 to 0.50): faster.")), qPrintable(sentence));
            session = shown.window.document().sessionPath();
            // Another program has no result; the first one has it again.
            QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
            QVERIFY(!shown.child<QWidget>("resultBanner")->isVisible());
            QVERIFY(!shown.child<QAction>("timeResult")->isEnabled());
            shown.window.openSession(session);
            QVERIFY(shown.isOpen());
            QVERIFY(shown.child<QWidget>("resultBanner")->isVisible());
            QCOMPARE(shown.text("timesSentence"), sentence);
        }
        Timed again;
        again.window.openSession(session);
        QVERIFY(again.isOpen());
        QVERIFY(again.child<QLabel>("timesSentence")->isVisible());
        QCOMPARE(again.text("timesSentence"), sentence);
        QCOMPARE(again.text("timesWhole"), QStringLiteral("2.00 ms → 1.00 ms\n2.00 to 2.00 ms → 1.00 to 1.00 ms"));
        QCOMPARE(again.button("timesStart")->text(), QStringLiteral("Time Again"));
        // With the verdict of the search that found it; closed, it comes back with the state.
        QVERIFY2(again.text("resultHow").startsWith(QLatin1String("Greedy, ")), qPrintable(again.text("resultHow")));
        again.child<QToolButton>("resultClose")->click();
        QVERIFY(!again.child<QWidget>("resultBanner")->isVisible());
        again.trigger("undo");
        QVERIFY(again.settle());
        QVERIFY(!again.child<QWidget>("resultBanner")->isVisible());
        again.trigger("redo");
        QVERIFY(again.settle());
        QVERIFY(again.child<QWidget>("resultBanner")->isVisible());
        QCOMPARE(again.text("timesSentence"), sentence);
    }

    void theComparisonShowsMeasuredTimes() {
        Timed shown;
        test::useRuntime(shown.folder, {.ratio = "1.5"});
        QVERIFY(shown.openModel());
        QVERIFY(shown.search());
        auto* table = shown.child<QTreeView>("compareRows");
        shown.trigger("perspectiveCompare");
        QVERIFY(shown.settle());
        QVERIFY(table->isColumnHidden(CompareModel::MeasuredColumn));
        shown.trigger("perspectiveStep");
        shown.button("timesStart")->click();
        QVERIFY(shown.settle());
        const auto isShown = [&] {
            const QModelIndex row = table->model()->index(0, 0);
            const QModelIndex seed = table->model()->index(0, 0, row);
            for (const QModelIndex& index : {row, seed}) {
                QCOMPARE(index.siblingAtColumn(CompareModel::MeasuredColumn).data().toString(),
                         QStringLiteral("3.00 ms"));
                QCOMPARE(index.siblingAtColumn(CompareModel::RatioColumn).data().toString(),
                         QStringLiteral("1.50 (1.50 to 1.50)"));
            }
            const QString tip = row.siblingAtColumn(CompareModel::RatioColumn).data(Qt::ToolTipRole).toString();
            QVERIFY2(tip.startsWith(u"start 2.00 ms, result 3.00 ms\n"), qPrintable(tip));
            for (const int column : {CompareModel::MeasuredColumn, CompareModel::RatioColumn}) {
                QVERIFY(!table->isColumnHidden(column));
                const QString text = row.siblingAtColumn(column).data().toString();
                QVERIFY(table->columnWidth(column) > table->fontMetrics().horizontalAdvance(text));
            }
        };
        shown.trigger("perspectiveCompare");
        QVERIFY(shown.settle());
        isShown();
        QVERIFY(test::takePictures(shown.window, QStringLiteral("compare-measured")));
        shown.child<QLineEdit>("compareFilter")->setText(QStringLiteral("ratio < 1"));
        QCOMPARE(table->model()->rowCount(), 0);
        shown.child<QLineEdit>("compareFilter")->setText(QStringLiteral("ratio > 1 measured < 4 ms"));
        QCOMPARE(table->model()->rowCount(), 1);
        const QString path = shown.folder.filePath(QStringLiteral("runs.csv"));
        shown.child<CompareView>("compareView")->saveTable(path);
        QVERIFY(shown.settle());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        QVERIFY2(text.contains(u",measured_ratio,"), qPrintable(text));
        QVERIFY2(text.contains(u",1.5,1.5,1.5,ONNX Runtime 9.9.0"), qPrintable(text));
        // They come back with the session.
        shown.child<QLineEdit>("compareFilter")->clear();
        const QString session = shown.window.document().sessionPath();
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        QTRY_VERIFY(shown.window.document().title().startsWith(u"gemm"));
        QVERIFY(shown.settle());
        shown.window.openSession(session);
        QVERIFY(shown.isOpen());
        QTRY_COMPARE(shown.window.document().sessionPath(), session);
        QVERIFY(shown.settle());
        isShown();
    }

    void resultsOfFurtherProgramsAreTimed() {
        QString session;
        QString other;
        const QTemporaryDir folder;
        {
            Timed shown;
            test::useRuntime(folder, {.ratio = "0.5"});
            QVERIFY(shown.openModel());
            QVERIFY(shown.compareWithChain(folder));
            auto* table = shown.child<QTreeView>("compareRows");
            auto* time = shown.button("compareTime");
            QVERIFY(table->isColumnHidden(CompareModel::RatioColumn));
            table->setCurrentIndex({});
            QVERIFY(!time->isEnabled());
            shown.select("chain");
            QVERIFY(time->isEnabled());
            QCOMPARE(time->text(), QStringLiteral("Ti&me Result"));
            time->click();
            QCOMPARE(time->text(), QStringLiteral("Stop Ti&ming"));
            QVERIFY2(shown.text("compareProgress").startsWith(QLatin1String("Timing a result of chain")),
                     qPrintable(shown.text("compareProgress")));
            QVERIFY(shown.settle());
            QCOMPARE(time->text(), QStringLiteral("Ti&me Result"));
            QCOMPARE(shown.text("compareProgress"), QStringLiteral("2 of 2 finished"));
            QCOMPARE(shown.ratioOf("chain"), QStringLiteral("0.50 (0.50 to 0.50)"));
            QCOMPARE(shown.ratioOf("branches"), QString());
            QVERIFY(!table->isColumnHidden(CompareModel::RatioColumn));
            // The open program's result is timed in the same way, and its bar shows the times.
            test::useRuntime(folder, {.ratio = "1.5"});
            shown.select("branches");
            time->click();
            QVERIFY(shown.settle());
            QCOMPARE(shown.ratioOf("branches"), QStringLiteral("1.50 (1.50 to 1.50)"));
            QCOMPARE(shown.ratioOf("chain"), QStringLiteral("0.50 (0.50 to 0.50)"));
            QVERIFY(test::takePictures(shown.window, QStringLiteral("compare-timed")));
            shown.window.resize(1024, 640);
            QVERIFY(shown.settle());
            QVERIFY(test::takePictures(shown.window, QStringLiteral("compare-timed-small")));
            QCOMPARE(shown.window.size(), QSize(1024, 640));
            QVERIFY(time->width() >= time->sizeHint().width());
            session = shown.window.document().sessionPath();
            other = shown.window.document().comparedPrograms().at(1).session;
        }
        {
            Timed again;
            again.window.openSession(session);
            QVERIFY(again.isOpen());
            QTRY_VERIFY_WITH_TIMEOUT(again.isCompared(), 60'000);
            again.trigger("perspectiveCompare");
            QVERIFY(again.settle());
            QTRY_COMPARE(again.ratioOf("chain"), QStringLiteral("0.50 (0.50 to 0.50)"));
            QCOMPARE(again.ratioOf("branches"), QStringLiteral("1.50 (1.50 to 1.50)"));
            // Timed again, the newer times count.
            test::useRuntime(folder, {.ratio = "0.8"});
            again.select("chain");
            again.button("compareTime")->click();
            QVERIFY(again.settle());
            QCOMPARE(again.ratioOf("chain"), QStringLiteral("0.80 (0.80 to 0.80)"));
            // The model of the open program is gone.
            again.select("branches");
            QVERIFY(!again.button("compareTime")->isEnabled());
            QVERIFY2(again.button("compareTime")->toolTip().startsWith(u"The weights of this session were not found"),
                     qPrintable(again.button("compareTime")->toolTip()));
        }
        // The times are those of the other program's own session.
        Timed alone;
        alone.window.openSession(other);
        QVERIFY(alone.isOpen());
        alone.window.document().checkout(alone.window.document().runs().back().resultState);
        QVERIFY(alone.settle());
        QVERIFY2(alone.text("timesSentence").contains(QLatin1String("measured 0.80 (0.80 to 0.80): faster.")),
                 qPrintable(alone.text("timesSentence")));
    }

    void aTimingOfAFurtherProgramCanBeLeft() {
        Timed shown;
        test::useRuntime(shown.folder, {.hangs = true});
        QVERIFY(shown.openModel());
        QVERIFY(shown.compareWithChain());
        const auto begins = [&shown] {
            shown.select("chain");
            shown.button("compareTime")->click();
            return QTest::qWaitFor([&shown] { return shown.text("compareProgress").contains(u'·'); }, 20'000) &&
                   shown.window.timer().running().has_value();
        };
        const auto step = test::anyStep(shown.window.document());
        QVERIFY(step.has_value());
        shown.window.document().apply(*step);
        QVERIFY(shown.settle());
        QVERIFY(begins());
        // The history of the open program is another one.
        QVERIFY(!shown.button("timesStop")->isVisible());
        shown.trigger("perspectiveStep");
        shown.trigger("undo");
        QVERIFY(shown.window.timer().running().has_value());
        shown.trigger("perspectiveCompare");
        shown.button("compareTime")->click();
        QVERIFY(shown.settle());
        QVERIFY(!shown.messages()->isVisible());
        QCOMPARE(shown.window.jobs().jobs().back().state, JobInfo::State::Stopped);
        QVERIFY(shown.child<QTreeView>("compareRows")->isColumnHidden(CompareModel::RatioColumn));
        // Another program is opened under the timing, which goes on in the Jobs view; then the window is closed.
        QVERIFY(begins());
        QVERIFY(shown.leaves());
        QVERIFY(!shown.window.timer().running());
        QVERIFY(!shown.button("compareTime")->isVisible());
        QVERIFY(shown.open(shown.file()));
        QVERIFY(shown.compareWithChain());
        QVERIFY(begins());
        shown.window.close();
    }

    void aFurtherProgramThatIsGoneIsReported() {
        Timed shown;
        test::useRuntime(shown.folder, {.ratio = "0.5"});
        QVERIFY(shown.openModel());
        QVERIFY(shown.compareWithChain());
        QVERIFY(QFile::remove(shown.window.document().comparedPrograms().at(1).session));
        shown.select("chain");
        shown.button("compareTime")->click();
        QVERIFY(shown.settle());
        QVERIFY(shown.messages()->isVisible());
        QCOMPARE(shown.messages()->text(), QStringLiteral("Timing with ONNX Runtime failed"));
        QCOMPARE(shown.ratioOf("chain"), QString());
        QVERIFY(!shown.window.timer().running());
    }

    void stepsByHandAreTimedFromTheMenu() {
        Timed shown;
        test::useRuntime(shown.folder, {.ratio = "1.0"});
        QVERIFY(shown.openModel());
        QVERIFY(!shown.child<QAction>("timeResult")->isEnabled());  // nothing differs from the start
        const auto step = test::anyStep(shown.window.document());
        QVERIFY(step.has_value());
        shown.window.document().apply(*step);
        QVERIFY(shown.settle());
        shown.trigger("timeResult");
        QVERIFY(!shown.child<QAction>("timeResult")->isEnabled());  // one at a time
        QVERIFY(shown.button("timesStop")->isVisible());
        QVERIFY(shown.settle());
        QVERIFY2(shown.text("timesSentence").contains(QLatin1String("measured 1.000 (1.000 to 1.000): no difference")),
                 qPrintable(shown.text("timesSentence")));
        shown.trigger("undo");
        QVERIFY(shown.settle());
        QVERIFY(!shown.child<QAction>("timeResult")->isEnabled());
    }

    void stoppingLeavesTheResultAsItWas() {
        Timed shown;
        test::useRuntime(shown.folder, {.hangs = true});
        QVERIFY(shown.openModel());
        QVERIFY(shown.search());
        shown.button("timesStart")->click();
        QTRY_VERIFY_WITH_TIMEOUT(shown.text("timesProgress").contains(QLatin1String("operators timed")), 20'000);
        QVERIFY(!shown.button("timesStart")->isVisible());
        shown.button("timesStop")->click();
        QVERIFY(shown.settle());
        QVERIFY(shown.button("timesStart")->isVisible());
        QCOMPARE(shown.button("timesStart")->text(), QStringLiteral("Time with ONNX Runtime"));
        QVERIFY(!shown.messages()->isVisible());
        QCOMPARE(shown.window.jobs().jobs().back().state, JobInfo::State::Stopped);
    }

    void closingInTheMiddleEndsTheRuntime() {
        {
            Timed shown;
            test::useRuntime(shown.folder, {.hangs = true});
            QVERIFY(shown.openModel());
            QVERIFY(shown.search());
            shown.button("timesStart")->click();
            QTRY_VERIFY_WITH_TIMEOUT(shown.text("timesProgress").contains(QLatin1String("operators timed")), 20'000);
            // Another program is opened under the timing, which goes on in the Jobs view; then the window is closed.
            QVERIFY(shown.leaves());
            QVERIFY(!shown.child<QWidget>("resultBanner")->isVisible());
            QVERIFY(!shown.window.timer().running());
        }
        Timed shown;
        test::useRuntime(shown.folder, {.hangs = true});
        QVERIFY(shown.openModel());
        QVERIFY(shown.search());
        shown.button("timesStart")->click();
        // The operators are known from the first time.
        QTRY_VERIFY_WITH_TIMEOUT(shown.text("timesProgress").contains(QLatin1String("writing the models")), 20'000);
        shown.window.close();
    }

    /// Where no group of steps makes the model faster, the start is shown again, and a sentence says so. Undoing that is possible.
    void groupsThatDoNotPayAreLeftOut() {
        Timed shown;
        test::useRuntime(shown.folder, {.ratio = "1.5"});
        QVERIFY(shown.openModel());
        QVERIFY(!shown.button("timesKeep")->isVisible());
        QVERIFY(shown.search());
        const rewrite::History& history = shown.window.document().history();
        const rewrite::StateId result = history.current();
        QVERIFY(result != history.start());
        shown.button("timesStart")->click();
        QVERIFY(shown.settle());
        QVERIFY(shown.button("timesKeep")->isVisible());
        shown.button("timesKeep")->click();
        QVERIFY(shown.settle());
        QCOMPARE(history.current(), history.start());
        QVERIFY2(shown.messages()->text().startsWith(QStringLiteral("0 of 1 groups of steps pay (")),
                 qPrintable(shown.messages()->text()));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("result-keep")));
        shown.trigger("redo");
        QVERIFY(shown.settle());
        QCOMPARE(history.current(), result);
    }

    void withoutOnnxRuntimeThePreferencesAreOffered() {
        Timed shown;
        Preferences preferences = Preferences::stored();
        preferences.python = QStringLiteral("/bin/true");
        preferences.store();
        QVERIFY(shown.openModel());
        QVERIFY(shown.search());
        shown.button("timesStart")->click();
        QVERIFY(shown.settle());
        QVERIFY(shown.messages()->isVisible());
        QCOMPARE(shown.messages()->text(), QStringLiteral("Timing with ONNX Runtime failed"));
        QVERIFY2(shown.messages()->details().contains(QLatin1String("pip install onnxruntime")),
                 qPrintable(shown.messages()->details()));
        QVERIFY(shown.button("timesStart")->isEnabled());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("result-times-missing")));
        auto* offer = shown.child<QToolButton>("messageOffer");
        QCOMPARE(offer->text(), QStringLiteral("Choose a Python…"));
        offer->click();
        QVERIFY(shown.window.findChild<PreferencesDialog*>() != nullptr);
    }

    void theRealOneTimesAResult() {
        const QString real = qEnvironmentVariable("MITOS_ONNXRUNTIME");
        // ONNX Runtime is no package of Debian, so only a user's own can be tested; the other tests here do without.
        if (real.isEmpty()) QSKIP("MITOS_ONNXRUNTIME names no Python that has ONNX Runtime");
        Timed shown;
        Preferences preferences = Preferences::stored();
        preferences.python = real;
        preferences.store();
        QVERIFY(shown.openModel());
        QVERIFY(shown.search());
        shown.button("timesStart")->click();
        QVERIFY(shown.settle(120'000));
        QVERIFY2(shown.text("timesSentence").contains(QLatin1String("measured ")),
                 qPrintable(shown.text("timesSentence")));
        const ResultTimes* const times = shown.window.timer().timesOf(
            {shown.window.document().history().start(), shown.window.document().history().current()});
        QVERIFY(times != nullptr);
        QVERIFY(times->start.whole.likely.low > 0.0);
        QVERIFY(times->start.whole.likely.low <= times->start.whole.seconds.median);
        QVERIFY(times->start.whole.seconds.median <= times->start.whole.likely.high);
        QVERIFY(*times->start.operators > 0.0);
        QVERIFY(times->runtime.startsWith(QLatin1String("ONNX Runtime ")));
    }
};

MITOS_TEST(TestResultTimes)

}  // namespace tst_result_times

#include "tst_result_times.moc"
