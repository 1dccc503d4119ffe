// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli time, measure --runtime onnxruntime and optimize --time, with programs in the place of a Python, and with the Python that
// MITOS_ONNXRUNTIME names.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QJsonArray>

namespace tst_cli_time {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TestCliTime : public QObject, private CliFolder {
    Q_OBJECT

private:
    /// A model file of x W + z W, which (x + z) W replaces, and one of that.
    QString model(const QString& name, const QByteArray& nodes) {
        const QString text =
            write(name,
                  "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                  "g (float[64, 128] x, float[64, 128] z, float[128, 128] w) => (float[64, 128] y) {\n" +
                      nodes + "}\n");
        const QString binary = path(name).replace(u".onnxtxt"_s, u".onnx"_s);
        const CliResult made = runCli({u"export"_s, text, u"--to"_s, u"onnx"_s, u"-o"_s, binary});
        return made.status == 0 ? binary : QString();
    }
    QString slow() { return model(u"slow.onnxtxt"_s, "a = MatMul(x, w)\nb = MatMul(z, w)\ny = Add(a, b)\n"); }
    QString fast() { return model(u"fast.onnxtxt"_s, "s = Add(x, z)\ny = MatMul(s, w)\n"); }

    /// A program in the place of a Python: the second model takes that many times as long as the first.
    QString python(const QByteArray& ratio) {
        QByteArray commands =
            "#!/bin/sh\nread job\n"
            R"(echo '{"onnxruntime": "9.9.0", "python": "3.99.1"}')"
            "\ncase \"$job\" in *check*) echo '{\"done\": 0}'; exit;; esac\n";
        for (int block = 0; block < 5; ++block) {
            const QByteArray number = QByteArray::number(block);
            commands += "echo '{\"block\": " + number + ", \"launches\": [1, 1]}'\n";
            commands += "echo '{\"block\": " + number + ", \"seconds\": [1, " + ratio + "], \"elapsed\": 4}'\n";
        }
        const QString file = write(u"python"_s, commands + "echo '{\"done\": 5}'\n");
        QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return file;
    }
    CliResult time(const QByteArray& ratio, const QStringList& more = {}) {
        return runCli(QStringList{u"time"_s, slow(), fast(), u"--onnxruntime"_s, python(ratio)} + more);
    }

private Q_SLOTS:
    void init() { newFolder(); }

    void aSlowerModelIsCalledSlower() {
        const CliResult result = time("1.5");
        QCOMPARE(result.status, 0);
        const QString text = QString::fromUtf8(result.output);
        QVERIFY2(text.contains(u"ONNX Runtime 9.9.0, Python 3.99.1; level all"_s), result.output);
        QVERIFY2(text.contains(u"fast.onnx is slower than "_s), result.output);
        QVERIFY2(text.contains(u"it takes 1.500 times as long"_s), result.output);
        QVERIFY2(text.contains(u"The cost model roofline expected 0."_s), result.output);
    }

    void aFasterModelIsCalledFasterAndNoiseIsNoDifference() {
        const CliResult faster = time("0.5");
        QVERIFY2(QString::fromUtf8(faster.output).contains(u"fast.onnx is faster than "_s), faster.output);
        QVERIFY2(!faster.output.contains(" expected "), faster.output);
        const CliResult same = time("1.005");
        QVERIFY2(QString::fromUtf8(same.output).contains(u"No difference beyond noise between "_s), same.output);
    }

    void modelsWithOtherInputsAreNamed() {
        const QString text = write(u"other.onnxtxt"_s,
                                   "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                   "g (float[32, 128] x) => (float[32, 128] y) {\n y = Relu(x)\n}\n");
        const QString other = path(u"other.onnx"_s);
        QCOMPARE(runCli({u"export"_s, text, u"--to"_s, u"onnx"_s, u"-o"_s, other}).status, 0);
        const QStringList models{u"time"_s, fast(), other, u"--onnxruntime"_s, python("0.5")};
        const CliResult result = runCli(models);
        QVERIFY2(result.output.contains("They have different inputs, so these are times of different computations: "
                                        "x: f32[32,128] instead of x: f32[64,128], z: f32[64,128]"),
                 result.output);
        QVERIFY(runCli(models + QStringList{u"--json"_s}).json()[u"models"_s][1][u"inputs_differ"_s].toBool());
        QVERIFY(!time("0.5").output.contains("different inputs"));
    }

    void costsThatAreTheSameExpectNoDifference() {
        const CliResult result =
            runCli({u"time"_s, fast(), fast(), u"--onnxruntime"_s, python("0.5"), u"--cost"_s, u"size"_s});
        QVERIFY2(result.output.contains(
                     "The cost model size expected 1.000 of the cost; measured 0.50 (0.50 to 0.50): faster.\n"),
                 result.output);
    }

    void columnsAreAsWideAsTheirTexts() {
        const QList<QByteArray> lines = time("1234567.5").output.split('\n');
        const QString head = QString::fromUtf8(lines[1]);
        const QString row = QString::fromUtf8(lines[3]);
        QVERIFY2(row.contains(u" 1.235e+06  "_s), qPrintable(row));
        QVERIFY2(row.contains(u"  1234567.50 (1234567.50 to 1234567.50)  "_s), qPrintable(row));
        QCOMPARE(row.size(), head.size());
        QVERIFY2(head.endsWith(u"  roofline µs"_s), qPrintable(head));
    }

    void jsonHasTheNumbers() {
        const QJsonObject json = time("0.5", {u"--json"_s}).json();
        QCOMPARE(json[u"runtime"_s].toString(), u"ONNX Runtime 9.9.0"_s);
        QCOMPARE(json[u"rounds"_s].toInt(), 5);
        const QJsonObject second = json[u"models"_s].toArray()[1].toObject();
        QCOMPARE(second[u"median_seconds"_s].toDouble(), 0.5);
        QCOMPARE(second[u"ratio"_s].toObject()[u"value"_s].toDouble(), 0.5);
        QCOMPARE(second[u"verdict"_s].toString(), u"faster"_s);
        QVERIFY(second[u"cost"_s].toDouble() > 0.0);
    }

    void withoutOnnxRuntimeItSaysHowToGetIt() {
        const QString file = slow();
        for (const QString& no : {u"/bin/true"_s, u"/bin/cat"_s, path(u"none"_s)}) {
            const CliResult result = runCli({u"time"_s, file, u"--onnxruntime"_s, no});
            QCOMPARE(result.status, 2);
            QVERIFY2(result.errors.contains("pip install onnxruntime"), result.errors);
        }
        const CliResult searched = runCli({u"optimize"_s, file, u"--time"_s, u"--onnxruntime"_s, u"/bin/true"_s});
        QCOMPARE(searched.status, 2);
        QVERIFY2(searched.errors.contains("pip install onnxruntime"), searched.errors);
        const CliResult measured = runCli({u"measure"_s, file, u"--runtime"_s, u"onnxruntime"_s, u"--onnxruntime"_s,
                                           u"/bin/true"_s, u"-o"_s, path(u"profile.json"_s)});
        QCOMPARE(measured.status, 2);
        QVERIFY2(measured.errors.contains("pip install onnxruntime"), measured.errors);
        QVERIFY(!QFile::exists(path(u"profile.json"_s)));
    }

    void badUsageIsRefused() {
        const QString file = slow();
        QCOMPARE(runCli({u"time"_s}).status, 2);
        QCOMPARE(runCli({u"time"_s, path(u"missing.onnx"_s)}).status, 2);
        QCOMPARE(runCli({u"time"_s, sample(u"linear-algebra/gemm.ks"_s)}).status, 2);
        QCOMPARE(runCli({u"time"_s, file, u"--level"_s, u"most"_s}).status, 2);
        QCOMPARE(runCli({u"time"_s, file, u"--sizes"_s, u"N=0"_s, u"--onnxruntime"_s, python("1")}).status, 2);
        QCOMPARE(runCli({u"time"_s, file, u"--optimized"_s, file}).status, 2);
        QCOMPARE(runCli({u"time"_s, file, file, u"--optimized"_s, path(u"o.onnx"_s)}).status, 2);
        QCOMPARE(runCli({u"optimize"_s, sample(u"linear-algebra/gemm.ks"_s), u"--time"_s}).status, 2);
    }

    void aSlowerResultGivesWayToTheInput() {
        const QString output = path(u"output.txt"_s);
        const QStringList search{u"optimize"_s,      slow(),        u"--strategy"_s, u"greedy"_s,
                                 u"--cost"_s,        u"measured"_s, u"--time"_s,     u"--json"_s,
                                 u"--onnxruntime"_s, python("1.5"), u"-o"_s,         output};
        const CliResult found = runCli(search);
        QVERIFY2(found.status == 0, found.errors);
        const QJsonObject kept = found.json();
        QCOMPARE(kept[u"thread_length"_s].toInt(), 0);
        QCOMPARE(kept[u"best_cost"_s].toDouble(), kept[u"initial_cost"_s].toDouble());
        const int steps = kept[u"slower_result"_s][u"thread_length"_s].toInt();
        QVERIFY(steps > 0);
        QVERIFY(kept[u"slower_result"_s][u"cost"_s].toDouble() < kept[u"initial_cost"_s].toDouble());
        // Its parts were judged, and none was kept.
        const QJsonArray parts = kept[u"parts"_s][u"parts"_s].toArray();
        QVERIFY(!parts.isEmpty());
        for (const auto& part : parts) QCOMPARE(part[u"kept"_s].toBool(), false);
        const auto products = [](const CliResult& info) { return info.json()[u"operators"_s][u"MatMul"_s].toInt(); };
        QCOMPARE(products(runCli({u"info"_s, output, u"--json"_s})), 2);
        // Who insists, and whose result is not slower, gets the result.
        const QJsonObject insisted = runCli(search + QStringList{u"--insist"_s}).json();
        QCOMPARE(insisted[u"thread_length"_s].toInt(), steps);
        QVERIFY(!insisted.contains(u"slower_result"_s));
        QVERIFY(!insisted.contains(u"parts"_s));
        QVERIFY(products(runCli({u"info"_s, output, u"--json"_s})) < 2);
        python("1.005");
        QCOMPARE(runCli(search).json()[u"thread_length"_s].toInt(), steps);
        // A result that is faster is not divided.
        python("0.8");
        QVERIFY(!runCli(search).json().contains(u"parts"_s));
    }

    void theRealOneTimesASearch() {
        const QString real = qEnvironmentVariable("MITOS_ONNXRUNTIME");
        // ONNX Runtime is no package of Debian, so only a user's own can be tested; the rest of this file does without.
        if (real.isEmpty()) QSKIP("MITOS_ONNXRUNTIME names no Python that has ONNX Runtime");
        const QJsonObject json = runCli({u"optimize"_s, slow(), u"--strategy"_s, u"greedy"_s, u"--time"_s,
                                         u"--onnxruntime"_s, real, u"--time-seconds"_s, u"1"_s, u"--json"_s})
                                     .json();
        const QJsonObject result = json[u"times"_s].toObject()[u"models"_s].toArray()[1].toObject();
        QCOMPARE(result[u"verdict"_s].toString(), u"faster"_s);
        QVERIFY(result[u"operator_microseconds"_s].toDouble() > 0.0);
        const QString graph = path(u"optimized.onnx"_s);
        QCOMPARE(
            runCli({u"time"_s, slow(), u"--onnxruntime"_s, real, u"--seconds"_s, u"0.5"_s, u"--optimized"_s, graph})
                .status,
            0);
        QCOMPARE(runCli({u"info"_s, graph}).status, 0);
        const QString profile = path(u"profile.json"_s);
        QCOMPARE(runCli({u"measure"_s, slow(), u"--runtime"_s, u"onnxruntime"_s, u"--onnxruntime"_s, real,
                         u"--seconds"_s, u"0.01"_s, u"-o"_s, profile, u"--quiet"_s})
                     .status,
                 0);
        QVERIFY(read(profile).contains("ONNX Runtime"));
        const QJsonObject priced = runCli({u"optimize"_s, slow(), u"--strategy"_s, u"greedy"_s, u"--cost"_s,
                                           u"measured:"_s + profile, u"--json"_s})
                                       .json();
        QVERIFY(priced[u"best_cost"_s].toDouble() < priced[u"initial_cost"_s].toDouble());
    }
};

MITOS_TEST(TestCliTime)

}  // namespace tst_cli_time

#include "tst_cli_time.moc"
