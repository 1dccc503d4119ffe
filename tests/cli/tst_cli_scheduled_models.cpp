// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli schedule -o MODEL.onnx, and searches for schedules by optimize and compare.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QJsonArray>
#include <QTemporaryDir>

namespace tst_cli_scheduled_models {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

/// In its own order both large values are there at once; the one of least memory makes each small before the next.
const QByteArray Wide =
    "graph f(x: f32[8,64], w: f32[64,4096], v: f32[4096,64], u: f32[64,4096])\n"
    " a = MatMul(x, w)\n b = Relu(a)\n c = MatMul(x, u)\n d = Relu(c)\n e = MatMul(b, v)\n f = MatMul(d, v)\n"
    " return Add(e, f)\n";
const QByteArray Stg = "2\n0 0 0\n1 3 1 0\n2 4 1 0\n3 0 2 1 2\n";

}  // namespace

class TestCliScheduledModels : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    QString file(const QString& name, const QByteArray& content) {
        const QString path = m_folder.filePath(name);
        QFile out(path);
        if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size()) qFatal("cannot write");
        return path;
    }

private Q_SLOTS:
    void theModelSaysItsSchedule() {
        const QString model = m_folder.filePath(u"scheduled.onnx"_s);
        const CliResult result = runCli({u"schedule"_s, file(u"wide.txt"_s, Wide), u"--devices"_s, u"1"_s,
                                         u"--objective"_s, u"memory"_s, u"-o"_s, model, u"--json"_s});
        QVERIFY2(result.status == 0, result.errors.constData());
        QFile written(model);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray bytes = written.readAll();
        QVERIFY(bytes.contains("mitos_schedule"));
        const double peak = result.json()[u"peak_bytes"_s].toArray().first().toDouble();
        // Each has its Relu and its second product before the other begins.
        const CliResult own = runCli({u"schedule"_s, file(u"wide.txt"_s, Wide), u"--devices"_s, u"1"_s,
                                      u"--objective"_s, u"memory"_s, u"--strategy"_s, u"order"_s, u"--json"_s});
        QVERIFY(peak <= own.json()[u"peak_bytes"_s].toArray().first().toDouble());
        const CliResult again =
            runCli({u"schedule"_s, model, u"--devices"_s, u"1"_s, u"--objective"_s, u"memory"_s, u"--json"_s});
        QVERIFY2(again.status == 0, again.errors.constData());
        QCOMPARE(again.json()[u"peak_bytes"_s].toArray().first().toDouble(), peak);
    }

    void isRefusedWhereThereIsNoModel_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("error");
        QTest::newRow("a task graph") << QStringList{u"-o"_s, u"x.onnx"_s}
                                      << u"only a tensor program can be written as an ONNX model"_s;
        QTest::newRow("measured") << QStringList{u"--onnxruntime"_s, u"python3"_s, u"--devices"_s, u"1"_s}
                                  << u"--onnxruntime is for models"_s;
        QTest::newRow("repeated") << QStringList{u"--rematerialize"_s, u"--objective"_s, u"memory"_s,
                                                 u"--devices"_s,       u"1"_s,           u"-o"_s,
                                                 u"x.onnx"_s}
                                  << u"a model computes each node once"_s;
    }
    void isRefusedWhereThereIsNoModel() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, error);
        const CliResult result = runCli(QStringList{u"schedule"_s, file(u"two.stg"_s, Stg)} + arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(error.toUtf8()), result.errors.constData());
    }

    /// 3 and 4 side by side; there are no rules for task graphs, and none are needed.
    void taskGraphsAreScheduledWithoutRules() {
        const QString graph = file(u"two.stg"_s, Stg);
        const CliResult one = runCli({u"optimize"_s, graph, u"--strategy"_s, u"schedule-list"_s, u"--json"_s});
        QVERIFY2(one.status == 0, one.errors.constData());
        QCOMPARE(one.json()[u"initial_cost"_s].toDouble(), 7.0);
        QCOMPARE(one.json()[u"best_cost"_s].toDouble(), 4.0);
        const CliResult both = runCli({u"compare"_s, graph, u"--strategies"_s, u"schedule-list,schedule-exact"_s});
        QVERIFY2(both.status == 0, both.errors.constData());
        const CliResult mixed = runCli({u"compare"_s, graph, u"--strategies"_s, u"schedule-list,greedy"_s});
        QCOMPARE(mixed.status, 2);
    }

    void optimizeAndCompareMakeSchedules() {
        const QString program = file(u"wide.txt"_s, Wide);
        const CliResult one = runCli({u"optimize"_s, program, u"--strategy"_s, u"schedule-list"_s, u"--json"_s});
        QVERIFY2(one.status == 0, one.errors.constData());
        const QJsonObject outcome = one.json()[u"outcome"_s].toObject();
        QCOMPARE(outcome[u"kind"_s].toString(), u"schedule"_s);
        QVERIFY(outcome[u"summary"_s].toString().startsWith(u"2 devices, "_s));
        QVERIFY(one.json()[u"best_cost"_s].toDouble() < one.json()[u"initial_cost"_s].toDouble());
        const CliResult several = runCli({u"compare"_s, program, u"--strategies"_s,
                                          u"schedule-list,schedule-brkga,greedy"_s, u"--evaluations"_s, u"200"_s});
        QVERIFY2(several.status == 0, several.errors.constData());
        QVERIFY(several.output.contains("schedule-brkga"));
    }
};

MITOS_TEST(TestCliScheduledModels)

}  // namespace tst_cli_scheduled_models

#include "tst_cli_scheduled_models.moc"
