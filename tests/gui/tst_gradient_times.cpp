// SPDX-License-Identifier: GPL-3.0-or-later
// The ablation chart of the perspective Gradient: times of the function, reverse mode and both coarsened forms.
#include "tests/gui/gradient_desk.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabBar>

namespace tst_gradient_times {

using namespace mitos;
using namespace mitos::views;
using Shown = test::GradientDesk;

namespace {

constexpr const char* Loop =
    "(def f Float ((x : Float) (v : Vec Float)) (fold (lam (p : (Tuple Float Float)) (add (mul x (get$1$2 p)) "
    "(get$2$2 p))) 0.0 v))\n";
constexpr const char* Refused =
    "(def f Float (x : Float) ($check (lam (y : Float) y) (lam (p : (Tuple Float Float)) (get$2$2 p)) x 1.0 1.0))\n";

void showTimes(Shown& shown) { shown.child<QTabBar>("gradientPages").setCurrentIndex(3); }
QString timesOf(Shown& shown) { return shown.child<QLabel>("gradientTimes").text(); }

}  // namespace

class TestGradientTimes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void theVariantsAreMeasured() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        showTimes(shown);
        QVERIFY(shown.child<EmptyState>("gradientTimesEmpty").isVisible());
        shown.child<QSpinBox>("gradientSize").setValue(200);
        shown.click("gradientMeasure");
        QVERIFY(shown.child<QPushButton>("gradientStopMeasuring").isVisible());
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-measuring")));
        QTRY_VERIFY_WITH_TIMEOUT(!timesOf(shown).isEmpty(), 120'000);
        const QStringList lines = timesOf(shown).split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 5);
        const QStringList titles{QStringLiteral("function: "), QStringLiteral("reverse mode: "),
                                 QStringLiteral("segments, loops kept: "), QStringLiteral("coarsened: ")};
        for (qsizetype i = 0; i < titles.size(); ++i) {
            QVERIFY2(lines[i].startsWith(titles[i]) && lines[i].contains(QStringLiteral(" to ")), qPrintable(lines[i]));
        }
        QVERIFY2(lines[4].contains(u"inputs with 201 numbers; compiled by "), qPrintable(lines[4]));
        auto& plot = shown.child<QCustomPlot>("gradientTimesPlot");
        QVERIFY(plot.isVisible());
        QCOMPARE(plot.graphCount(), 4);
        for (const QSize size : {QSize(1280, 800), QSize(950, 560)}) {
            shown.view.resize(size);
            QVERIFY(shown.settle());
            QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-times-%1").arg(size.width())));
        }
        // Times belong to the inputs that were measured.
        QVERIFY(!timesOf(shown).isEmpty());
        shown.child<QSpinBox>("gradientSize").setValue(300);
        QVERIFY(timesOf(shown).isEmpty());
        QVERIFY(!plot.isVisible());
    }

    void aMeasurementIsStopped() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        showTimes(shown);
        shown.click("gradientMeasure");
        shown.click("gradientStopMeasuring");
        QTRY_COMPARE(shown.child<EmptyState>("gradientTimesEmpty").text(),
                     QStringLiteral("The measurement was stopped."));
        QVERIFY(shown.settle());
        QVERIFY(shown.child<QPushButton>("gradientMeasure").isVisible());
    }

    /// It ends in the Jobs view, and the page is free for the program that is open.
    void aMeasurementGoesOnWhenAnotherProgramIsOpened() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        showTimes(shown);
        const QString session = shown.document.sessionPath();
        shown.child<QSpinBox>("gradientSize").setValue(50);
        shown.click("gradientMeasure");
        shown.document.openText(QStringLiteral("other"), QLatin1String(test::FactorText));
        QVERIFY(QTest::qWaitFor([&] { return shown.document.title() == QLatin1String("other"); }, 10'000));
        QCOMPARE(shown.notices.last(), QStringLiteral("Measuring the gradients goes on in the view Jobs."));
        QVERIFY(!shown.child<QPushButton>("gradientMeasure").isHidden());
        QVERIFY(timesOf(shown).isEmpty());
        QTRY_VERIFY(shown.child<QPushButton>("gradientMeasure").isEnabled());
        QTRY_COMPARE_WITH_TIMEOUT(shown.jobs.runningVisible(), 0, 120'000);
        const JobInfo job = shown.jobs.jobs().front();
        QCOMPARE(job.title, QStringLiteral("Measuring the gradients of f"));
        QCOMPARE(job.state, JobInfo::State::Finished);
        QVERIFY2(job.status.startsWith(QLatin1String("medians: function ")) &&
                     job.status.contains(QLatin1String("; reverse mode ")) &&
                     job.status.contains(QLatin1String("; coarsened ")),
                 qPrintable(job.status));
        QVERIFY(timesOf(shown).isEmpty());
        // Opened again, the first program shows no times of another one and can be measured.
        shown.document.openSession(session);
        QVERIFY(QTest::qWaitFor([&] { return shown.document.sessionPath() == session; }, 10'000));
        QVERIFY(shown.settle());
        QVERIFY(timesOf(shown).isEmpty());
        QVERIFY(shown.child<QPushButton>("gradientMeasure").isEnabled());
        QVERIFY(shown.failures.isEmpty());
    }

    void whatWasLetGoIsStoppedInTheJobsView() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        showTimes(shown);
        shown.click("gradientMeasure");
        shown.document.leave();
        QVERIFY(!shown.child<QPushButton>("gradientMeasure").isEnabled());
        shown.jobs.stop(shown.jobs.jobs().front().id);
        QVERIFY(shown.settle());
        QCOMPARE(shown.jobs.jobs().front().state, JobInfo::State::Stopped);
        QVERIFY(shown.load(Loop));
        showTimes(shown);
        QVERIFY(timesOf(shown).isEmpty());
        QVERIFY(shown.child<QPushButton>("gradientMeasure").isEnabled());
    }

    void whatHasNoDerivativeIsNotMeasured() {
        Shown shown;
        QVERIFY(shown.load(Refused));
        showTimes(shown);
        QVERIFY(!shown.child<QPushButton>("gradientMeasure").isEnabled());
    }
};

MITOS_TEST(TestGradientTimes)

}  // namespace tst_gradient_times

#include "tst_gradient_times.moc"
