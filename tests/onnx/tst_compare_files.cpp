// SPDX-License-Identifier: GPL-3.0-or-later
// Files of models compared as they lie there: by the evaluator, and by interpreters that do their work, fail, hang or lie.
#include "core/onnx/compare_files.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace tst_compare_files {

using namespace mitos;
using namespace mitos::tests;
using onnx::FileVerdict;
namespace fs = std::filesystem;

class TestCompareFiles : public QObject, private OnnxFixture {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] fs::path home() const { return m_folder->path().toStdString(); }
    fs::path file(const std::string& name, const std::string& graph) {
        const fs::path path = home() / name;
        if (!onnx::exportFile(*m_bank, model(graph), path, {.foldWeights = false})) qFatal("not written");
        return path;
    }
    fs::path fake(const std::string& commands) {
        const fs::path path = home() / "python";
        std::ofstream(path) << "#!/bin/sh\n" << commands << '\n';
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    onnx::FileComparison compared(const fs::path& a, const fs::path& b, const onnx::FileComparisonOptions& options) {
        const Result<onnx::FileComparison> comparison = onnx::compareFiles(m_registry, a, b, options);
        if (!comparison) qFatal("%s", comparison.error().render().c_str());
        return *comparison;
    }

private Q_SLOTS:
    void init() {
        newBank();
        m_folder = std::make_unique<QTemporaryDir>();
    }

    void theEvaluatorComparesWhatTheFilesSay() {
        const fs::path twice = file("twice.onnx", "g (float[N] x) => (float[N] y) { y = Add(x, x) }");
        const fs::path product =
            file("product.onnx", "g (float[N] x) => (float[N] y) <float two = {2}> { y = Mul(x, two) }");
        const fs::path square = file("square.onnx", "g (float[N] x) => (float[N] y) { y = Mul(x, x) }");
        const onnx::FileComparison same = compared(twice, product, {});
        QCOMPARE(same.verdict, FileVerdict::Same);
        QCOMPARE(same.samples, 2);
        const onnx::FileComparison different = compared(twice, square, {});
        QCOMPARE(different.verdict, FileVerdict::Different);
        QVERIFY2(different.note.starts_with("the output y deviates by"), different.note.c_str());
    }

    void whatCannotBeComparedIsUndecided() {
        const fs::path known = file("known.onnx", "g (float[2] x) => (float[2] y) { y = Relu(x) }");
        const fs::path unknown = file("unknown.onnx", "g (float[2] x) => (float[2] y) { y = my.ops.Strange(x) }");
        const fs::path nowhere = file("nowhere.onnx",
                                      "g (float[2] x) => (float[2] y) "
                                      "{ z = Sub(x, x) y = Div(z, z) }");
        QCOMPARE(compared(known, unknown, {}).verdict, FileVerdict::Undecided);
        QCOMPARE(compared(known, home() / "missing.onnx", {}).verdict, FileVerdict::Undecided);
        QCOMPARE(compared(nowhere, nowhere, {}).note, std::string("no output has a finite value on random inputs"));
        // Where the original has no finite value, the other file may have one.
        const fs::path partly = file(
            "partly.onnx", "g (float[2] x) => (float[2] y, float[2] z) { a = Sub(x, x) y = Div(a, a) z = Neg(x) }");
        const fs::path whole =
            file("whole.onnx", "g (float[2] x) => (float[2] y, float[2] z) { y = Sub(x, x) z = Neg(x) }");
        QCOMPARE(compared(partly, whole, {}).verdict, FileVerdict::Same);
        QCOMPARE(compared(whole, partly, {}).verdict, FileVerdict::Different);
        const fs::path random = file("random.onnx", "g (float[2] x) => (float[2] y) { y = RandomUniformLike(x) }");
        QCOMPARE(compared(random, random, {}).note, std::string("the models draw random numbers"));
        // Two elements, twice, are 2 operations and the time to make 2 elements each.
        const onnx::FileComparison costly = compared(known, known, {.operations = 400.0});
        QCOMPARE(costly.verdict, FileVerdict::Undecided);
        QCOMPARE(costly.note, std::string("it would compute 404 operations, and the limit is 400"));
        QCOMPARE(compared(known, known, {.operations = 404.0}).verdict, FileVerdict::Same);
    }

    void sizesAreLargeEnoughForWindows() {
        const std::string graph = "g (float[B, 1, H, W] x) => (float[B, 1, P, Q] y) <float[1, 1, 11, 11] w = {" + [] {
            std::string ones = "1";
            for (int i = 1; i < 121; ++i) ones += ", 1";
            return ones;
        }() + "}> { c = Conv <strides = [4, 4]> (x, w) y = MaxPool <kernel_shape = [3, 3], strides = [2, 2]> (c) }";
        const fs::path windows = file("windows.onnx", graph);
        const onnx::FileComparison comparison = compared(windows, windows, {});
        QVERIFY2(comparison.verdict == FileVerdict::Same, comparison.note.c_str());
    }

    void interpretersAreBelievedNumbersOnly_data() {
        QTest::addColumn<QByteArray>("commands");
        QTest::addColumn<int>("verdict");
        QTest::addColumn<QByteArray>("note");
        const auto row = [](const char* name, const char* commands, FileVerdict verdict, const char* note) {
            QTest::newRow(name) << QByteArray(commands) << static_cast<int>(verdict) << QByteArray(note);
        };
        row("it does its work",
            "echo onnxruntime 9.9; for f in 0 1; do cp in_0_0 out_0_${f}_0; echo output 0 $f 0 float32 2; done",
            FileVerdict::Same, "");
        row("other values",
            "cp in_0_0 out_0_0_0; head -c 8 /dev/zero > out_0_1_0; echo output 0 0 0 float32 2; "
            "echo output 0 1 0 float32 2",
            FileVerdict::Different, "the output y deviates by");
        row("other sizes",
            "for f in 0 1; do cp in_0_0 out_0_${f}_0; done; echo output 0 0 0 float32 2; "
            "echo output 0 1 0 float32 1,2",
            FileVerdict::Different, "the output y: ");
        row("it says nothing", "exit 0", FileVerdict::Undecided, "ended without the values of all outputs");
        row("it says that all is well", "echo the same; exit 0", FileVerdict::Undecided, "ended without the values");
        row("it names values that are not there", "for f in 0 1; do echo output 0 $f 0 float32 2; done",
            FileVerdict::Undecided, "fewer or more numbers than its shape has");
        row("it has the values of one file", "cp in_0_0 out_0_0_0; echo output 0 0 0 float32 2", FileVerdict::Undecided,
            "ended without the values of all outputs");
        row("it fails after all of them",
            "for f in 0 1; do cp in_0_0 out_0_${f}_0; echo output 0 $f 0 float32 2; done; echo no module >&2; exit 3",
            FileVerdict::Undecided, "ended with status 3: no module");
        row("it hangs", "sleep 60", FileVerdict::Undecided, "");
        row("sizes below 0", "for f in 0 1; do echo output 0 $f 0 float32 -2; done", FileVerdict::Undecided, "");
        row("types of its own", "for f in 0 1; do echo output 0 $f 0 float9 2; done", FileVerdict::Undecided,
            "an unknown element type");
    }
    void interpretersAreBelievedNumbersOnly() {
        QFETCH(const QByteArray, commands);
        QFETCH(const int, verdict);
        QFETCH(const QByteArray, note);
        const fs::path known = file("known.onnx", "g (float[2] x) => (float[2] y) { y = Relu(x) }");
        const onnx::FileComparison comparison =
            compared(known, known, {.python = fake(commands.toStdString()).string(), .samples = 1, .seconds = 2.0});
        QVERIFY2(static_cast<int>(comparison.verdict) == verdict, comparison.toString().c_str());
        QVERIFY2(comparison.note.find(note.toStdString()) != std::string::npos, comparison.note.c_str());
    }

    void anInterpreterThatIsNotThere() {
        const fs::path known = file("known.onnx", "g (float[2] x) => (float[2] y) { y = Relu(x) }");
        const onnx::FileComparison comparison = compared(known, known, {.python = (home() / "none").string()});
        QCOMPARE(comparison.verdict, FileVerdict::Undecided);
        QVERIFY(!comparison.note.empty());
    }
};

MITOS_TEST(TestCompareFiles)

}  // namespace tst_compare_files

#include "tst_compare_files.moc"
