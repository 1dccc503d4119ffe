// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Schedule, driven as a user drives it: with two programs, two schedules, and what is not possible.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/main_window/perspectives.h"
#include "views/schedule/internal/alive_table.h"
#include "views/schedule/internal/gantt_chart.h"
#include "views/schedule/internal/operation_list.h"
#include "views/schedule/schedule_view.h"
#include "views/search_dialog/search_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

namespace tst_schedule_view {

using namespace mitos;
using namespace mitos::views;

namespace {

QString branches() {
    return QStringLiteral(
        "graph branches(x: f32[1,64,56,56])\n"
        "  weight w1: f32[64,64,3,3]\n"
        "  weight w2: f32[64,64,3,3]\n"
        "  weight w3: f32[64,64,1,1]\n"
        "  a = Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1]](x, w1)\n"
        "  b = Relu(a)\n"
        "  c = Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1]](b, w2)\n"
        "  d = Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1]](x, w3)\n"
        "  e = Sigmoid(d)\n"
        "  f = Mul(d, e)\n"
        "  return Add(c, f)\n");
}

struct Window : test::ShownWindow {
    [[nodiscard]] ScheduleView& view() { return *child<ScheduleView>("scheduleView"); }
    [[nodiscard]] GanttChart& chart() { return *child<GanttChart>("ganttChart"); }
    [[nodiscard]] QString summary() { return child<QLabel>("scheduleSummary")->text(); }
    [[nodiscard]] bool open(const QString& title, const QString& text) {
        window.document().openText(title, text);
        return isOpen() && settle();
    }
    /// Runs a strategy for a schedule and waits until it is shown.
    [[nodiscard]] bool schedule(const char* strategy, ParameterValues parameters, const QString& model = {}) {
        SearchSettings settings;
        settings.strategy = QString::fromLatin1(strategy);
        settings.parameters = std::move(parameters);
        settings.budget.evaluations = 400;
        settings.costModel = model;
        window.schedule(settings);
        const auto number = window.document().runs().back().number;
        return settle() &&
               QTest::qWaitFor([&] { return view().shownRun() == number && view().hasSchedule() && isShowing(number); },
                               20'000);
    }
    [[nodiscard]] bool isShowing(int number) { return view().shownRun() == number && !summary().isEmpty(); }
};

}  // namespace

class TestScheduleView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void emptyStateSchedulesOnTwoDevices() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        shown.window.showPerspective(schedulePerspective());
        QVERIFY(shown.settle());
        auto* const button = shown.view().findChild<QPushButton*>(QStringLiteral("emptyStateAction"));
        QVERIFY(button != nullptr);
        QCOMPARE(button->text(), QStringLiteral("Schedule This Network on Two Devices"));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("schedule-empty")));
        button->click();
        QVERIFY(QTest::qWaitFor([&] { return shown.view().hasSchedule(); }, 30'000));
        QVERIFY(shown.settle());
        const Run& run = shown.window.document().runs().back();
        QCOMPARE(run.outcomeKind, std::string("schedule"));
        QVERIFY(run.bestCost < run.initialCost);
        QVERIFY2(shown.summary().contains(QLatin1String("on 2 device")), qPrintable(shown.summary()));
        QVERIFY2(shown.summary().contains(QLatin1String("schedule checked")), qPrintable(shown.summary()));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("schedule")));
    }

    void selectionIsShared() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        QVERIFY(shown.schedule("schedule-list", {{"devices", std::int64_t{2}}}));
        auto* const list = shown.child<QTableView>("operationList");
        int row = 0;
        while (list->model()->index(row, 0).data().toString() != QLatin1String("e")) {
            ++row;
            QVERIFY(row < list->model()->rowCount());
        }
        list->setCurrentIndex(list->model()->index(row, 0));
        const auto path = shown.window.selection().subterm();
        QVERIFY(path.has_value());
        const auto term = ir::subterm(shown.window.document().bank(), shown.window.document().current().root, *path);
        QCOMPARE(shown.window.document().bank().opName(*term), std::string_view("Sigmoid"));
        QVERIFY(shown.chart().selected().has_value());
        // The other way: the sum is the root.
        shown.window.selection().setSubterm(ir::Path{});
        const auto last = list->model()->index(list->model()->rowCount() - 1, 0);
        QCOMPARE(list->currentIndex().row(), last.row());
        // A click on a bar.
        const QRectF bar = shown.chart().barOf(0, *shown.chart().selected());
        QVERIFY(!bar.isEmpty());
        shown.window.selection().setSubterm({});
        QTest::mouseClick(&shown.chart(), Qt::LeftButton, {}, bar.center().toPoint());
        QCOMPARE(shown.window.selection().subterm(), std::optional<ir::Path>(ir::Path{}));
    }

    void aClickOnTheMemoryListsWhatIsThere() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        QVERIFY(shown.schedule("schedule-brkga", {{"devices", std::int64_t{1}}}, QStringLiteral("peak-memory")));
        QCOMPARE(shown.window.document().runs().back().costModel, std::string("peak-memory"));
        const QString title = shown.child<QLabel>("aliveTitle")->text();
        QVERIFY2(title.startsWith(QLatin1String("The peak: ")), qPrintable(title));
        QVERIFY2(title.contains(QLatin1String("weights that are always there")), qPrintable(title));
        auto* const table = shown.child<QTableView>("aliveTable");
        QVERIFY(table->model()->rowCount() >= 2);
        const QPoint start = shown.chart().placeIn(0, 0, GanttLane::Kind::Memory, 0.0).toPoint() + QPoint(1, 0);
        QTest::mouseClick(&shown.chart(), Qt::LeftButton, {}, start);
        QVERIFY(!shown.child<QLabel>("aliveTitle")->text().startsWith(QLatin1String("The peak: ")));
        QVERIFY(table->model()->rowCount() >= 1);
    }

    void twoSchedulesOnOneScale() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        QVERIFY(shown.schedule("schedule-order", {{"devices", std::int64_t{1}}}));
        const int first = shown.view().shownRun();
        QVERIFY(shown.schedule("schedule-brkga", {{"devices", std::int64_t{2}}}));
        shown.view().showBeside(first);
        QVERIFY(QTest::qWaitFor([&] { return !shown.chart().barOf(1, 0).isNull(); }, 20'000));
        shown.child<QCheckBox>("scheduleLifetimes")->click();
        QVERIFY(test::takePictures(shown.window, QStringLiteral("schedule-two")));
        // The same time is at the same place in both.
        QCOMPARE(shown.chart().placeIn(0, 0, GanttLane::Kind::Memory, 1.0).x(),
                 shown.chart().placeIn(1, 0, GanttLane::Kind::Memory, 1.0).x());
        shown.view().zoom(1);
        QVERIFY(shown.chart().isZoomed());
        shown.view().zoom(0);
        QVERIFY(!shown.chart().isZoomed());
    }

    void isThereAgainAfterAnotherProgram() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        QVERIFY(shown.schedule("schedule-heft", {{"devices", std::int64_t{3}}}));
        const QString before = shown.summary();
        const QString session = shown.window.document().sessionPath();
        QVERIFY(shown.open(QStringLiteral("other"), QStringLiteral("graph other(x: f32[8])\n  return Relu(x)\n")));
        QVERIFY(!shown.view().hasSchedule());
        QVERIFY(shown.view().runs().empty());
        // A program that is not scheduled has no such perspective.
        QVERIFY(shown.open(QStringLiteral("typed"), QStringLiteral("(add x y)")));
        QVERIFY(!shown.child<QAction>("perspectiveSchedule")->isVisible());
        shown.window.openSession(session);
        QVERIFY(QTest::qWaitFor([&] { return !shown.window.document().runs().empty(); }, 20'000) && shown.settle());
        shown.window.showPerspective(schedulePerspective());
        QVERIFY(QTest::qWaitFor([&] { return shown.view().hasSchedule(); }, 20'000));
        QCOMPARE(shown.summary(), before);
    }

    void discardedRunsAreGone() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        QVERIFY(shown.schedule("schedule-list", {{"devices", std::int64_t{2}}}));
        const int first = shown.view().shownRun();
        QVERIFY(shown.schedule("schedule-order", {{"devices", std::int64_t{1}}}));
        const int second = shown.view().shownRun();
        shown.view().showBeside(first);
        shown.window.document().discardRun(second);  // while the second schedule is read
        QVERIFY(QTest::qWaitFor([&] { return shown.view().shownRun() == first; }, 20'000) && shown.settle());
        shown.window.document().discardRun(first);
        QVERIFY(shown.settle());
        QVERIFY(shown.view().runs().empty());
        QVERIFY(!shown.view().hasSchedule());
    }

    void exportsPicturesAndData() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        QVERIFY(shown.schedule("schedule-list", {{"devices", std::int64_t{2}}}));
        const QTemporaryDir folder;
        for (const char* const name :
             {"scheduleSvg", "schedulePng", "schedulePdf", "scheduleCsv", "scheduleTrace", "scheduleJson"}) {
            auto* const action = shown.view().findChild<QAction*>(QString::fromLatin1(name));
            QVERIFY(action != nullptr);
            action->trigger();
            QFileDialog* dialog = nullptr;
            QVERIFY(QTest::qWaitFor(
                [&] { return (dialog = shown.window.findChild<QFileDialog*>(QStringLiteral("scheduleSaveDialog"))); },
                5'000));
            const QString path =
                folder.filePath(QString::fromLatin1(name) + QLatin1Char('.') + dialog->defaultSuffix());
            dialog->selectFile(path);
            QMetaObject::invokeMethod(dialog, "accept");
            QVERIFY(QTest::qWaitFor([&] { return QFileInfo(path).size() > 100; }, 10'000));
            QVERIFY(shown.settle());
            QVERIFY(QTest::qWaitFor(
                [&] { return !shown.window.findChild<QFileDialog*>(QStringLiteral("scheduleSaveDialog")); }));
        }
    }

    void aMachineThatIsTooSmallIsAMessage() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        SearchSettings settings;
        settings.strategy = QStringLiteral("schedule-list");
        settings.parameters = {{"devices", std::int64_t{2}}, {"device_memory", 0.5}};
        shown.window.schedule(settings);
        QVERIFY(shown.settle());
        QVERIFY(!shown.view().hasSchedule());
        const Run& run = shown.window.document().runs().back();
        QCOMPARE(run.state, search::RunState::Failed);
        QVERIFY2(run.stop.find("no schedule was found that fits") != std::string::npos, run.stop.c_str());
    }

    void theDialogAsksForTheObjective() {
        Window shown;
        QVERIFY(shown.open(QStringLiteral("branches"), branches()));
        shown.window.showPerspective(schedulePerspective());
        shown.trigger("schedule");
        auto* const dialog = shown.child<SearchDialog>("scheduleDialog");
        QVERIFY(dialog != nullptr);
        auto* const objective = dialog->findChild<QComboBox*>(QStringLiteral("scheduleObjective"));
        QCOMPARE(objective->count(), 2);
        QVERIFY(test::takePictures(*dialog, QStringLiteral("schedule-dialog")));
        QCOMPARE(dialog->settings().costModel, QString());
        objective->setCurrentIndex(1);
        QCOMPARE(dialog->settings().costModel, QStringLiteral("peak-memory"));
        auto* const strategy = dialog->findChild<QComboBox*>(QStringLiteral("searchStrategy"));
        strategy->setCurrentIndex(strategy->findData(QStringLiteral("schedule-memory-greedy")));
        dialog->accept();
        QVERIFY(QTest::qWaitFor([&] { return shown.view().hasSchedule(); }, 30'000));
        QVERIFY(shown.summary().contains(QLatin1String("peak")));
    }
};

MITOS_TEST(TestScheduleView)

}  // namespace tst_schedule_view

#include "tst_schedule_view.moc"
