// SPDX-License-Identifier: GPL-3.0-or-later
// checkCpp tells right from wrong C++, times it, and ends when it is asked to.
#include "core/codegen/cpp.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/codegen/gemm.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <stop_token>

namespace tst_codegen_check {

using namespace mitos;
using mitos::tests::Gemm;

class TestCodegenCheck : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void checkPassesAndTimes();
    void checkFindsAWrongProgram();
    void checkWithoutACompiler();
    void checkStopsWhenAsked();
};

void TestCodegenCheck::checkPassesAndTimes() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "gemm.ks", Gemm);
    codegen::CheckOptions options;
    options.secondsPerProgram = 0.1;
    const Result<codegen::CheckReport> report = codegen::checkCpp(bank, *program, *program, options);
    QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
    QVERIFY2(report->compiled && report->passed, report->message.c_str());
    QCOMPARE(report->samples, 16);
    QVERIFY(report->maxError < 1e-12);
    QVERIFY2(report->isTimed() && report->input.seconds.median > 0.0 && report->output.seconds.median > 0.0,
             report->message.c_str());
    QVERIFY(report->ratio.low <= report->ratio.value && report->ratio.value <= report->ratio.high);
    QVERIFY(report->timingSize >= 2 && report->timingSize <= 1000);
    QVERIFY(!report->compilerVersion.empty());
}

void TestCodegenCheck::checkFindsAWrongProgram() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "-", "(sub (mul x y) y)");
    const Result<ir::Program> wrong =
        ks::parseProgram(bank, "-", "(def wrong Float ((x : Float) (y : Float)) (sub (mul x y) x))");
    QVERIFY(program.ok() && wrong.ok());
    const Result<codegen::CheckReport> report = codegen::checkCpp(bank, *program, *wrong);
    QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
    QVERIFY(report->compiled);
    QVERIFY(!report->passed);
    QVERIFY2(QString::fromStdString(report->message).contains(QStringLiteral("the evaluator gives")),
             report->message.c_str());
}

void TestCodegenCheck::checkWithoutACompiler() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "-", "(add x 1.0)");
    codegen::CheckOptions options;
    options.compiler = "no-such-compiler";
    const Result<codegen::CheckReport> report = codegen::checkCpp(bank, *program, *program, options);
    QVERIFY(!report.ok());
    QCOMPARE(static_cast<int>(report.error().code), static_cast<int>(ErrorCode::Io));
    QVERIFY(!report.error().hint.empty());
}

void TestCodegenCheck::checkStopsWhenAsked() {
    std::stop_source source;
    source.request_stop();
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "-", "(add x 1.0)");
    codegen::CheckOptions options;
    options.stop = source.get_token();
    const Result<codegen::CheckReport> report = codegen::checkCpp(bank, *program, *program, options);
    QVERIFY(!report.ok());
    QCOMPARE(static_cast<int>(report.error().code), static_cast<int>(ErrorCode::Cancelled));
}

MITOS_TEST(TestCodegenCheck)

}  // namespace tst_codegen_check

#include "tst_codegen_check.moc"
