// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Measure: measuring the open program with a runtime of the test's own, stopping, profiles side by side, and files that
// are no profiles.
#include "core/base/source_text.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/common/widgets.h"
#include "views/document/session_names.h"
#include "views/measure/internal/operation_table.h"
#include "views/measure/internal/times_chart.h"
#include "views/measure/measure_view.h"
#include "views/measure/profiles.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QTableView>
#include <atomic>
#include <memory>
#include <thread>

namespace tst_measure_view {

using namespace mitos;
using namespace mitos::views;

namespace {

/// A runtime in which a convolution takes 2 µs and everything else 1 µs. It refuses additions.
class FakeRuntime final : public cost::Measurer {
public:
    struct Orders {
        std::atomic<int> measured = 0;
        std::atomic<bool> waits = false;  ///< until it is stopped, or need not wait any more, after the first operation
        std::atomic<bool> isMissing = false;
        std::atomic<double> factor = 1.0;
    };
    explicit FakeRuntime(std::shared_ptr<Orders> orders, int threads) : m_orders(std::move(orders)) {
        m_setup = {.protocol = cost::MeasuringProtocol,
                   .device = "cpu",
                   .processor = "Test processor",
                   .features = "avx2",
                   .runtime = "Test runtime 1.0",
                   .blas = "",
                   .threads = threads,
                   .settings = ""};
    }

    Result<cost::MeasuringSetup> setup(const std::stop_token& /*stop*/) override {
        if (m_orders->isMissing) return inputError("the runtime is not installed", "install it");
        return m_setup;
    }
    cost::MeasuredProfile measure(std::span<const cost::Operation> operations, const cost::MeasureObserver& observer,
                                  const std::stop_token& stop) override {
        cost::MeasuredProfile result;
        result.profile.setup = m_setup;
        for (const cost::Operation& operation : operations) {
            if (m_orders->waits && m_orders->measured > 0) {
                while (m_orders->waits && !stop.stop_requested()) std::this_thread::yield();
            }
            if (stop.stop_requested()) {
                result.ended = Error{ErrorCode::Cancelled, "stopped"};
                return result;
            }
            ++m_orders->measured;
            cost::OperationOutcome outcome{operation, std::nullopt, {}};
            if (operation.op == "Add") {
                outcome.refused = "no additions";
                result.profile.refused[operation] = outcome.refused;
            } else {
                const double seconds = (operation.op == "Conv" ? 2e-6 : 1e-6) * m_orders->factor;
                outcome.time = cost::Measurement{
                    seconds, seconds * 1.1, seconds * 0.2, 100, 15, QDateTime::currentSecsSinceEpoch()};
                result.profile.times[operation] = *outcome.time;
            }
            observer(outcome);
        }
        return result;
    }

private:
    std::shared_ptr<Orders> m_orders;
    cost::MeasuringSetup m_setup;
};

struct Shown : test::Desk {
    std::shared_ptr<FakeRuntime::Orders> orders = std::make_shared<FakeRuntime::Orders>();
    MeasureView view{document, jobs, [orders = orders](const MeasuringChoice& choice) {
                         return std::make_unique<FakeRuntime>(orders, choice.threads);
                     }};
    QStringList failures;
    QStringList notices;

    Shown() {
        view.resize(1280, 800);
        view.show();
        QObject::connect(&view, &MeasureView::failed, &view,
                         [this](const QString& title, const QString& details) { failures << title + details; });
        QObject::connect(&view, &MeasureView::notice, &view, [this](const QString& text) { notices << text; });
    }
    template <typename Widget>
    [[nodiscard]] Widget* child(const char* name) {
        return view.findChild<Widget*>(QLatin1String(name));
    }
    void click(const char* name) { child<QPushButton>(name)->click(); }
    /// The texts of a row, cells separated by bars.
    [[nodiscard]] QString row(int row) {
        const QAbstractItemModel& model = *child<QTableView>("measureRows")->model();
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << model.index(row, column).data().toString();
        return cells.join(QLatin1Char('|'));
    }
    [[nodiscard]] int rows() { return child<QTableView>("measureRows")->model()->rowCount(); }
};

QString writeProfile(const QTemporaryDir& folder, const QString& name, const cost::CostProfile& profile) {
    return test::writeText(folder, name, QByteArray::fromStdString(cost::profileText(profile)));
}

}  // namespace

class TestMeasureView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        test::forgetEverything();
        QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/profiles"))
            .removeRecursively();
    }

    void theProgramIsMeasuredOnceAndKept() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::TwoBranches)));
        QVERIFY(shown.settle());
        shown.click("measureStart");
        QVERIFY(shown.settle());
        // Two equal convolutions, three equal relus, one addition.
        QCOMPARE(shown.orders->measured.load(), 3);
        QCOMPARE(shown.notices.last(), QStringLiteral("2 operations measured, 1 cannot be run by itself"));
        QVERIFY(shown.failures.isEmpty());
        QVERIFY2(
            shown.row(0).startsWith(QStringLiteral("Conv of f32[1,3,8,8], f32[4,3,1,1] constant|2.000 µs|± 200.0 ns")),
            qPrintable(shown.row(0)));
        // 2 × 2 µs of 2 × 2 µs + 3 × 1 µs.
        QVERIFY2(shown.row(0).contains(QLatin1String("|2|57.1 %|now")), qPrintable(shown.row(0)));
        QVERIFY2(shown.row(1).startsWith(QStringLiteral("Relu of f32[1,4,8,8]|1.000 µs")), qPrintable(shown.row(1)));
        QVERIFY2(shown.row(1).contains(QLatin1String("|3|42.9 %|now")), qPrintable(shown.row(1)));
        QVERIFY2(shown.row(2).startsWith(QLatin1String("Add of f32[1,4,8,8], f32[1,4,8,8]|refused")),
                 qPrintable(shown.row(2)));
        QVERIFY(shown.child<QLabel>("measureSetup")->text().contains(QLatin1String("Test processor (avx2)")));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("measure")));

        // What is known is not measured again, unless it is asked for; the addition is tried again.
        shown.click("measureStart");
        QVERIFY(shown.settle());
        QVERIFY(shown.orders->measured.load() <= 4);
        const int before = shown.orders->measured;
        shown.click("measureAgain");
        QVERIFY(shown.settle());
        QCOMPARE(shown.orders->measured.load(), before + 3);
    }

    void stoppingKeepsWhatWasMeasured() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::TwoBranches)));
        QVERIFY(shown.settle());
        shown.orders->waits = true;
        shown.click("measureStart");
        QVERIFY(QTest::qWaitFor([&] { return shown.orders->measured.load() == 1; }, 10'000));
        QVERIFY(shown.child<QPushButton>("measureStop")->isVisible());
        QVERIFY(!shown.child<QPushButton>("measureStart")->isVisible());
        // The time that was measured is on the disk already, in case the program is killed.
        QVERIFY(QTest::qWaitFor([] { return profileNames().first().endsWith(QLatin1String(".json")); }, 10'000));
        const auto kept = cost::findProfile(QFile::encodeName(profileNames().first()).toStdString());
        QVERIFY(kept.ok());
        QCOMPARE(kept->times.size(), std::size_t(1));
        shown.click("measureStop");
        QVERIFY(shown.settle());
        QVERIFY2(shown.notices.last().startsWith(QLatin1String("Stopped: 1 operation measured")),
                 qPrintable(shown.notices.last()));
        QVERIFY(shown.failures.isEmpty());
        QVERIFY(shown.child<QPushButton>("measureStart")->isVisible());
        // The rest is measured the next time.
        shown.orders->waits = false;
        shown.click("measureStart");
        QVERIFY(shown.settle());
        QCOMPARE(shown.orders->measured.load(), 3);
    }

    /// A batch that is only a name has the size that the cost model assumes.
    void namedSizesAreThoseOfTheCostModel() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("graph f(x: f32[batch,16])\n  y = Relu(x)\n  return y\n")));
        shown.document.setCostModel(QStringLiteral("roofline:batch=8"));
        QVERIFY(shown.settle());
        shown.click("measureStart");
        QVERIFY(shown.settle());
        QVERIFY2(shown.row(0).startsWith(QStringLiteral("Relu of f32[8,16]|1.000 µs")), qPrintable(shown.row(0)));
        shown.document.setCostModel(QStringLiteral("roofline:batch=4"));
        QVERIFY(shown.settle());
        shown.child<QCheckBox>("measureOnlyUsed")->setChecked(true);
        QCOMPARE(shown.rows(), 1);
        QVERIFY2(shown.row(0).startsWith(QLatin1String("Relu of f32[4,16]|not measured")), qPrintable(shown.row(0)));
    }

    /// It ends in the Jobs view, and the view is free for the program that is open.
    void measuringGoesOnWhenAnotherProgramIsOpened() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::TwoBranches)));
        QVERIFY(shown.settle());
        const QString session = shown.document.sessionPath();
        shown.orders->waits = true;
        shown.click("measureStart");
        QVERIFY(QTest::qWaitFor([&] { return shown.orders->measured.load() == 1; }, 10'000));
        shown.document.openText(QStringLiteral("other"), QLatin1String(test::FactorText));
        QVERIFY(QTest::qWaitFor([&] { return shown.document.title() == QLatin1String("other"); }, 10'000));
        QCOMPARE(shown.notices.last(), QStringLiteral("Measuring goes on in the view Jobs."));
        QCOMPARE(shown.jobs.runningVisible(), 1);
        // The other one, a ks program, has no operations to measure.
        QVERIFY(shown.child<QPushButton>("measureStart")->isVisible());
        QVERIFY(!shown.child<QPushButton>("measureStart")->isEnabled());
        shown.orders->waits = false;
        QVERIFY(shown.settle());
        QCOMPARE(shown.orders->measured.load(), 3);
        const JobInfo job = shown.jobs.jobs().front();
        QVERIFY2(job.title.startsWith(QLatin1String("Measuring ")), qPrintable(job.title));
        QCOMPARE(job.state, JobInfo::State::Finished);
        QCOMPARE(job.status, QStringLiteral("2 operations measured, 1 cannot be run by itself"));
        QCOMPARE(shown.document.viewValue(measuredTimesKey()), QString());
        shown.document.openSession(session);
        QVERIFY(QTest::qWaitFor([&] { return shown.document.sessionPath() == session; }, 10'000));
        QVERIFY(shown.settle());
        QVERIFY(shown.settle());
        QVERIFY(shown.document.viewValue(measuredTimesKey()).contains(QLatin1String("Test processor")));
        QVERIFY(shown.failures.isEmpty());
    }

    void whatWasLetGoIsStoppedInTheJobsView() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::TwoBranches)));
        QVERIFY(shown.settle());
        shown.orders->waits = true;
        shown.click("measureStart");
        QVERIFY(QTest::qWaitFor([&] { return shown.orders->measured.load() == 1; }, 10'000));
        shown.document.leave();
        QVERIFY(shown.child<QPushButton>("measureStop")->isHidden());
        shown.jobs.stop(shown.jobs.jobs().front().id);
        QVERIFY(shown.settle());
        QCOMPARE(shown.jobs.jobs().front().state, JobInfo::State::Stopped);
        QVERIFY2(shown.jobs.jobs().front().status.startsWith(QLatin1String("Stopped: 1 operation measured")),
                 qPrintable(shown.jobs.jobs().front().status));
    }

    void timesThatCannotBeWrittenStayInTheSession() {
        const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
        QVERIFY(QDir().mkpath(folder));
        QFile inTheWay(folder + QStringLiteral("/profiles"));
        QVERIFY(inTheWay.open(QIODevice::WriteOnly));
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::TwoBranches)));
        QVERIFY(shown.settle());
        shown.click("measureStart");
        QVERIFY(shown.settle());
        QVERIFY(inTheWay.remove());
        QCOMPARE(shown.failures.size(), 1);
        QVERIFY2(shown.failures[0].startsWith(QLatin1String("Measuring failed")), qPrintable(shown.failures[0]));
        QCOMPARE(shown.child<QComboBox>("measureProfile")->currentText(), QStringLiteral("times in this session"));
        QVERIFY2(
            shown.row(0).startsWith(QStringLiteral("Conv of f32[1,3,8,8], f32[4,3,1,1] constant|2.000 µs|± 200.0 ns")),
            qPrintable(shown.row(0)));
    }

    void aMissingRuntimeIsSaid() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::TwoBranches)));
        QVERIFY(shown.settle());
        shown.orders->isMissing = true;
        shown.click("measureStart");
        QVERIFY(shown.settle());
        QCOMPARE(shown.failures.size(), 1);
        QVERIFY2(shown.failures[0].contains(QLatin1String("the runtime is not installed")),
                 qPrintable(shown.failures[0]));
        QVERIFY2(shown.failures[0].contains(QLatin1String("install it")), qPrintable(shown.failures[0]));
    }

    void twoProfilesStandSideBySide() {
        const QTemporaryDir folder;
        cost::CostProfile slow;
        slow.title = "Slow machine";
        slow.setup = {.protocol = 1,
                      .device = "cpu",
                      .processor = "Slow",
                      .features = "",
                      .runtime = "R 1",
                      .blas = "",
                      .threads = 1,
                      .settings = ""};
        const cost::Operand image{ir::Dtype::F32, {1, 4, 8, 8}};
        slow.times[{"Relu", "", {image}}] = {4e-6, 4e-6, 0.0, 10, 15, 1'700'000'000};
        slow.times[{"Tanh", "", {image}}] = {8e-6, 8e-6, 0.0, 10, 15, 1'700'000'000};
        slow.drift = 0.3;
        cost::CostProfile fast = slow;
        fast.title = "Fast machine";
        fast.times[{"Relu", "", {image}}].minimum = 1e-6;
        fast.times.erase({"Tanh", "", {image}});

        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::TwoBranches)));
        shown.view.openProfile(writeProfile(folder, QStringLiteral("slow.json"), slow));
        QVERIFY(shown.settle());
        addProfile(writeProfile(folder, QStringLiteral("fast.json"), fast));
        shown.view.openProfile(folder.filePath(QStringLiteral("slow.json")));
        QVERIFY(shown.settle());
        auto* other = shown.child<QComboBox>("measureOther");
        const int row = other->findText(QStringLiteral("fast"));
        QVERIFY(row > 0);
        other->setCurrentIndex(row);
        Q_EMIT other->activated(row);
        QVERIFY(shown.settle());
        QVERIFY2(shown.row(0).startsWith(QStringLiteral("Relu of f32[1,4,8,8]|4.000 µs|± 0 ns|1.000 µs|× 0.25|3|")),
                 qPrintable(shown.row(0)));
        auto* chart = shown.view.findChild<TimesChart*>();
        QVERIFY(chart->isVisible());
        QCOMPARE(chart->points().size(), std::size_t(1));
        QCOMPARE(chart->points()[0].time, 4e-6);
        QCOMPARE(chart->points()[0].other, 1e-6);
        QVERIFY2(shown.child<QLabel>("measureSetup")->text().contains(QLatin1String("up to 30 % longer")),
                 qPrintable(shown.child<QLabel>("measureSetup")->text()));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("measure-two")));

        shown.child<QLineEdit>("measureFilter")->setText(QStringLiteral("tanh"));
        QCOMPARE(shown.rows(), 1);
        QVERIFY2(shown.row(0).startsWith(QStringLiteral("Tanh of f32[1,4,8,8]|8.000 µs")), qPrintable(shown.row(0)));
        QVERIFY(chart->points().empty());
    }

    void damagedProfilesAreNamed() {
        const QTemporaryDir folder;
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::TwoBranches)));
        shown.view.openProfile(test::writeText(folder, QStringLiteral("cut.json"), "{\"format\": \"mitos cost pro"));
        QVERIFY(shown.settle());
        const auto* empty = shown.view.findChild<EmptyState*>();
        QVERIFY(empty->isVisible());
        QVERIFY2(empty->text().contains(QLatin1String("this is no JSON text, or its end is missing")),
                 qPrintable(empty->text()));
        QVERIFY(!shown.child<QPushButton>("measureUse")->isEnabled());
    }
};

MITOS_TEST(TestMeasureView)

}  // namespace tst_measure_view

#include "tst_measure_view.moc"
