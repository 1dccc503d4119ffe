// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Measure with the real measuring process, mitos-measure. Built only where LibTorch was found.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/document/session_names.h"
#include "views/main_window/internal/message_bar.h"
#include "views/measure/internal/operation_table.h"
#include "views/measure/measure_view.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QTableView>
#include <algorithm>

namespace tst_measure_process {

using namespace mitos;
using namespace mitos::views;

namespace {

constexpr const char* ThreeOperators = R"(graph three(x: f32[16,32])
  weight w: f32[32,32]
  product = MatMul(x, w)
  limited = Tanh(product)
  y = Softmax[axis=1](limited)
  return y
)";
/// One operator of ThreeOperators, and another one.
constexpr const char* TwoOperators = R"(graph two(x: f32[16,32])
  limited = Tanh(x)
  y = Exp(limited)
  return y
)";

/// The processes that this one has started and that still run.
QList<qint64> childProcesses() {
    QList<qint64> found;
    const QDir tasks(QStringLiteral("/proc/self/task"));
    for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile children(tasks.filePath(task + QStringLiteral("/children")));
        if (!children.open(QIODevice::ReadOnly)) continue;
        for (const QByteArray& child : children.readAll().split(' ')) {
            if (!child.trimmed().isEmpty()) found << child.toLongLong();
        }
    }
    return found;
}

struct Measured : test::ShownWindow {
    [[nodiscard]] bool openListing(const char* text) {
        window.document().openText(QStringLiteral("listing"), QLatin1String(text));
        return isOpen();
    }
    [[nodiscard]] bool showMeasuring() {
        window.showPerspective(QStringLiteral("measure"));
        QCoreApplication::processEvents();  // a view that is shown begins to read after the events that are pending
        return settle();
    }
    [[nodiscard]] QPushButton* button(const char* name) { return child<QPushButton>(name); }
    [[nodiscard]] QString title() { return child<QLabel>("measureTitle")->text(); }
    [[nodiscard]] QString message() { return window.findChild<MessageBar*>()->text(); }
    [[nodiscard]] const std::vector<OperationRow>& rows() { return window.findChild<OperationTable*>()->all(); }
    /// Rows of the open program that have a time.
    [[nodiscard]] std::ptrdiff_t timed() {
        return std::ranges::count_if(rows(), [](const OperationRow& row) { return row.nodes > 0 && row.time; });
    }
    /// The number of operations that the running job has measured.
    [[nodiscard]] int done() {
        int done = 0;
        for (const JobInfo& job : window.jobs().jobs()) {
            if (job.title.startsWith(QLatin1String("Measuring ")) && job.state == JobInfo::State::Running)
                done = job.status.section(QLatin1Char(' '), 0, 0).toInt();
        }
        return done;
    }
};

}  // namespace

class TestMeasureProcess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        test::forgetEverything();
        QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/profiles"))
            .removeRecursively();
    }

    void threeOperatorsAreMeasuredAndComeBack() {
        QString session;
        {
            Measured shown;
            QVERIFY(shown.openListing(ThreeOperators));
            QVERIFY(shown.showMeasuring());
            shown.button("measureStart")->click();
            QVERIFY(shown.button("measureStop")->isVisible());
            QTRY_COMPARE_WITH_TIMEOUT(shown.timed(), std::ptrdiff_t(3), 120'000);
            QVERIFY(shown.settle());
            QCOMPARE(shown.message(), QStringLiteral("3 operations measured"));
            QCOMPARE(shown.title(), QStringLiteral("listing · three: 3 of 3 operations measured"));
            for (const OperationRow& row : shown.rows()) {
                QVERIFY2(row.time && row.time->minimum > 0.0 && row.time->median >= row.time->minimum,
                         qPrintable(row.name));
            }
            // The table shows them with their units.
            const QAbstractItemModel& table = *shown.child<QTableView>("measureRows")->model();
            QCOMPARE(table.rowCount(), 3);
            for (int row = 0; row < 3; ++row) {
                const QString time = table.index(row, OperationTable::Time).data().toString();
                QVERIFY2(time.endsWith(QStringLiteral("s")), qPrintable(time));
            }
            QVERIFY2(shown.child<QLabel>("measureSetup")->text().contains(QLatin1String("LibTorch")),
                     qPrintable(shown.child<QLabel>("measureSetup")->text()));
            QVERIFY(test::takePictures(shown.window, QStringLiteral("measure-process")));
            session = shown.window.document().sessionPath();
            // A second program uses what is known, and measures the rest.
            QVERIFY(shown.openListing(TwoOperators));
            QVERIFY(shown.showMeasuring());
            shown.button("measureStart")->click();
            QTRY_COMPARE_WITH_TIMEOUT(shown.timed(), std::ptrdiff_t(2), 120'000);
            QVERIFY(shown.settle());
            QCOMPARE(shown.message(), QStringLiteral("1 operation measured"));
        }
        Measured again;
        again.window.openSession(session);
        QVERIFY(again.isOpen());
        QVERIFY(again.showMeasuring());
        QCOMPARE(again.timed(), std::ptrdiff_t(3));
        QVERIFY(childProcesses().isEmpty());
    }

    void stoppingInTheMiddleKeepsWhatWasMeasured() {
        Measured shown;
        shown.window.document().openNetwork(QStringLiteral("squeezenet"), false);
        QVERIFY(shown.isOpen());
        QVERIFY(shown.showMeasuring());
        shown.button("measureStart")->click();
        QTRY_VERIFY_WITH_TIMEOUT(shown.done() >= 2, 120'000);
        shown.button("measureStop")->click();
        QVERIFY(shown.settle());
        QVERIFY2(shown.message().startsWith(QLatin1String("Stopped: ")), qPrintable(shown.message()));
        QVERIFY(shown.timed() >= 2);
        QVERIFY(shown.timed() <
                std::ranges::count_if(shown.rows(), [](const OperationRow& row) { return row.nodes > 0; }));
        QVERIFY(shown.button("measureStart")->isVisible());
        QVERIFY(childProcesses().isEmpty());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("measure-process-stopped")));
        // Another program is not disturbed by it.
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        QVERIFY(shown.showMeasuring());
        QVERIFY(!shown.button("measureStart")->isEnabled());
    }

    void closingTheWindowInTheMiddleEndsTheProcess() {
        {
            Measured shown;
            shown.window.document().openNetwork(QStringLiteral("squeezenet"), false);
            QVERIFY(shown.isOpen());
            QVERIFY(shown.showMeasuring());
            shown.button("measureStart")->click();
            QTRY_VERIFY_WITH_TIMEOUT(shown.done() >= 1, 120'000);
            QVERIFY(!childProcesses().isEmpty());
            shown.window.close();
        }
        QTRY_VERIFY(childProcesses().isEmpty());
    }

    void theProgramIsClosedInTheMiddle() {
        Measured shown;
        shown.window.document().openNetwork(QStringLiteral("squeezenet"), false);
        QVERIFY(shown.isOpen());
        QVERIFY(shown.showMeasuring());
        shown.button("measureStart")->click();
        QTRY_VERIFY_WITH_TIMEOUT(shown.done() >= 1, 120'000);
        QVERIFY(shown.window.document().isOpen());
        shown.window.document().openText(QStringLiteral("listing"), QLatin1String(TwoOperators));
        QTRY_COMPARE_WITH_TIMEOUT(shown.window.document().title(), QStringLiteral("listing · two"), 20'000);
        // Measuring goes on in the Jobs view, and can be stopped there; its times are not in the new session.
        const auto measuring = std::ranges::find_if(shown.window.jobs().jobs(), [](const JobInfo& job) {
            return job.title.startsWith(QLatin1String("Measuring ")) && job.state == JobInfo::State::Running;
        });
        QVERIFY(measuring != shown.window.jobs().jobs().end());
        shown.window.jobs().stop(measuring->id);
        QVERIFY(shown.settle());
        QCOMPARE(shown.window.document().viewValue(measuredTimesKey()), QString());
        QVERIFY(childProcesses().isEmpty());
    }
};

MITOS_TEST(TestMeasureProcess)

}  // namespace tst_measure_process

#include "tst_measure_process.moc"
