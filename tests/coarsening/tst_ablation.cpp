// SPDX-License-Identifier: GPL-3.0-or-later
// Times of a function and its derivatives: which variants are measured, on which inputs, with and without a compiler.
#include "core/base/source_text.h"
#include "core/dialects/dialects.h"
#include "core/ks/module.h"
#include "search/experiments/ablation.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <memory>
#include <stop_token>
#include <string>

namespace tst_ablation {

using namespace mitos;
using search::experiments::AblationReport;
using Variant = search::experiments::AblationTime::Variant;

namespace {

constexpr const char* Loop =
    "(def f Float ((x : Float) (v : Vec Float)) (fold (lam (p : (Tuple Float Float)) (add (mul x (get$1$2 p)) "
    "(get$2$2 p))) 0.0 v))";

search::experiments::AblationPlan planFor(const char* text) {
    search::experiments::AblationPlan plan;
    plan.make = [text]() -> Result<search::experiments::OwnProgram> {
        auto bank = std::make_shared<ir::TermBank>(dialects::makeRegistry());
        MITOS_TRY(const ir::Program program, ks::parseProgram(*bank, "test", text));
        return search::experiments::OwnProgram{std::move(bank), program};
    };
    plan.timing.rounds = 2;
    plan.timing.secondsPerProgram = 0.02;
    return plan;
}

void requireAll(const Result<AblationReport>& report) {
    QVERIFY2(report, report ? "" : report.error().message.c_str());
    QCOMPARE(report->times.size(), std::size_t{4});
    for (std::size_t i = 0; i < report->times.size(); ++i) {
        const search::experiments::AblationTime& each = report->times[i];
        QCOMPARE(static_cast<std::size_t>(each.variant), i);
        QVERIFY2(each.time.problem.empty(), each.time.problem.c_str());
        const timing::TimeSummary& call = each.time.call;
        QVERIFY(call.count > 0 && call.seconds.least > 0.0);
        QVERIFY(call.likely.low <= call.seconds.median && call.seconds.median <= call.likely.high);
    }
}

}  // namespace

class TestAblation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theVariantsAreCompiled() {
        const Result<AblationReport> report = search::experiments::measureAblation(planFor(Loop));
        requireAll(report);
        QVERIFY(report->isCompiled);
        QVERIFY(report->compiler.find("-O3") != std::string::npos);
    }

    void withoutACompilerTheEvaluatorMeasures() {
        search::experiments::AblationPlan plan = planFor(Loop);
        plan.timing.compiling.compiler = "no-such-compiler";
        const Result<AblationReport> report = search::experiments::measureAblation(plan);
        requireAll(report);
        QVERIFY(!report->isCompiled);
    }

    void theSizeOfTheInputsIsChosen() {
        search::experiments::AblationPlan plan = planFor(Loop);
        plan.timing.compiling.compiler = "no-such-compiler";
        plan.size = 100;
        const Result<AblationReport> report = search::experiments::measureAblation(plan);
        requireAll(report);
        QCOMPARE(report->numbers, std::size_t{101});
    }

    void aResultOfSeveralNumbersHasAReverseDerivative() {
        search::experiments::AblationPlan plan =
            planFor("(def f (Tuple Float Float) (x : Float) (tuple (sin x) (exp x)))");
        plan.timing.compiling.compiler = "no-such-compiler";
        requireAll(search::experiments::measureAblation(plan));
    }

    void samplesAreMeasured_data() {
        QTest::addColumn<QString>("file");
        for (const char* const file : {"bundle", "conv1d", "descent", "gmm", "lstm", "matrix_multiply", "maxpool"})
            QTest::newRow(file) << QStringLiteral(MITOS_SOURCE_DIR "/samples/gradients/%1.ks").arg(QLatin1String(file));
    }
    void samplesAreMeasured() {
        QFETCH(const QString, file);
        const Result<SourceText> source = readSourceFile(file.toStdString());
        QVERIFY(source);
        const std::string text(source->text());
        search::experiments::AblationPlan plan = planFor(text.c_str());
        plan.timing.compiling.compiler = "no-such-compiler";
        plan.timing.rounds = 1;
        requireAll(search::experiments::measureAblation(plan));
    }

    void inputsTooLargeForTheEvaluatorAreRefused() {
        search::experiments::AblationPlan plan = planFor(
            "(def f (Vec Float) (v : Vec Float) (build (size v) (lam (i : Integer) (sumbuild (size v) (lam (j : "
            "Integer) "
            "(mul (index i v) (index j v)))))))");
        plan.size = 10'000;
        const Result<AblationReport> report = search::experiments::measureAblation(plan);
        QVERIFY(!report);
        QCOMPARE(static_cast<int>(report.error().code), static_cast<int>(ErrorCode::Limit));
        QCOMPARE(report.error().hint, std::string("choose a smaller size"));
    }

    void whatHasNoDerivativeIsRefused() {
        const Result<AblationReport> report = search::experiments::measureAblation(planFor(
            "(def f Float (x : Float) ($check (lam (y : Float) y) (lam (p : (Tuple Float Float)) (get$2$2 p)) x "
            "1.0 1.0))"));
        QVERIFY(!report);
        QVERIFY2(report.error().message.starts_with("f has no derivative"), report.error().message.c_str());
    }

    void aStopEndsIt() {
        std::stop_source stop;
        search::experiments::AblationPlan plan = planFor(Loop);
        plan.timing.compiling.stop = stop.get_token();
        plan.timing.onStep = [&stop](double, const std::string& doing) {
            if (doing.starts_with("compiling")) stop.request_stop();
        };
        const Result<AblationReport> report = search::experiments::measureAblation(plan);
        QVERIFY(!report);
        QCOMPARE(static_cast<int>(report.error().code), static_cast<int>(ErrorCode::Cancelled));
    }
};

MITOS_TEST(TestAblation)

}  // namespace tst_ablation

#include "tst_ablation.moc"
