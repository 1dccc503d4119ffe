// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli partition: regions, their costs, searches of regions, exported files, bad input.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>
#include <QThread>
#include <csignal>

namespace tst_cli_partition {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

const QByteArray TwoLayers =
    "graph f(x: f32[8,8])\n weight w: f32[8,8]\n weight v: f32[8,8]\n m = MatMul(x, w)\n a = Relu(m)\n b = Relu(a)\n"
    " n = MatMul(b, v)\n c = Relu(n)\n d = Relu(c)\n return (d, m)\n";

}  // namespace

class CliPartition : public QObject, private CliFolder {
    Q_OBJECT

private:
    static QStringList namesOf(const QJsonValue& values) {
        QStringList names;
        for (const QJsonValue& value : values.toArray())
            names << value[u"name"_s].toString() + u": "_s + value[u"type"_s].toString();
        return names;
    }
    CliResult partition(const QStringList& more) {
        return runCli(QStringList{u"partition"_s, write(u"two.txt"_s, TwoLayers)} + more);
    }

private Q_SLOTS:
    void init() { newFolder(); }

    void regionsHaveInterfacesAndCosts() {
        const CliResult result = partition({u"--pattern"_s, u"MatMulEpilog"_s, u"--cost"_s, u"size"_s, u"--json"_s});
        QVERIFY2(result.status == 0, result.errors.constData());
        const QJsonObject json = result.json();
        QCOMPARE(json[u"pattern"_s].toString(), u"MatMulEpilog(a, b)"_s);
        QCOMPARE(json[u"patterns"_s].toString(), u"regions"_s);
        const QJsonArray regions = json[u"regions"_s].toArray();
        QCOMPARE(regions.size(), 2);
        QCOMPARE(regions[0][u"number"_s].toInt(), 1);
        QCOMPARE(regions[0][u"root"_s].toString(), u"d"_s);
        QCOMPARE(regions[0][u"position"_s].toString(), u"/0"_s);
        QCOMPARE(regions[0][u"operators"_s].toArray(), (QJsonArray{u"n"_s, u"c"_s, u"d"_s}));
        QCOMPARE(namesOf(regions[0][u"inputs"_s]), QStringList{u"b: f32[8,8]"_s});
        QCOMPARE(namesOf(regions[0][u"outputs"_s]), QStringList{u"d: f32[8,8]"_s});
        QCOMPARE(namesOf(regions[1][u"outputs"_s]), (QStringList{u"m: f32[8,8]"_s, u"b: f32[8,8]"_s}));
        QVERIFY(regions[0][u"cost"_s].toDouble() > 0.0);
        QVERIFY(regions[0][u"after"_s].isNull());
        QVERIFY(json[u"cost"_s].toDouble() > regions[0][u"cost"_s].toDouble());
        QVERIFY(json[u"refused"_s].toArray().isEmpty());

        const CliResult text = partition({u"--pattern"_s, u"Relu(Relu(x))"_s, u"--region"_s, u"2"_s});
        QVERIFY2(text.status == 0, text.errors.constData());
        QVERIFY2(text.output.contains("region 2  form 1  at b (/0/0/0/0)  2 operators: a b\n"),
                 text.output.constData());
        QVERIFY(!text.output.contains("region 1  form"));
        QVERIFY(text.output.contains("2 regions of Relu(Relu(x)), 4 of 6 operators\n"));
    }

    /// The steps of all regions are one thread of the whole program; `apply` replays it, and a session keeps it with its regions.
    void regionsAreSearchedAndPutBack() {
        const CliResult result = partition({u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"greedy"_s,
                                            u"--evaluations"_s, u"400"_s, u"--thread"_s, path(u"t.thread"_s), u"-o"_s,
                                            path(u"out.txt"_s), u"--session"_s, path(u"s.mitos"_s), u"--json"_s});
        QVERIFY2(result.status == 0, result.errors.constData());
        const QJsonObject json = result.json();
        QVERIFY(json[u"best_cost"_s].toDouble() < json[u"initial_cost"_s].toDouble());
        QVERIFY(json[u"thread_checked"_s].toBool());
        QVERIFY(json[u"equivalent"_s].toBool());
        QVERIFY(json[u"thread_length"_s].toInt() >= 2);
        for (const QJsonValue& region : json[u"regions"_s].toArray()) {
            QVERIFY(region[u"after"_s][u"cost"_s].toDouble() < region[u"cost"_s].toDouble());
            QVERIFY(region[u"steps"_s].toInt() >= 1);
            QCOMPARE(namesOf(region[u"after"_s][u"inputs"_s]).size(), 1);
        }
        const QByteArray thread = read(path(u"t.thread"_s));
        QVERIFY(thread.startsWith("mitos-thread 5\n"));
        QVERIFY(thread.contains(" in MatMulEpilog 1\n"));
        QVERIFY(thread.contains(" in MatMulEpilog 2\n"));
        QVERIFY(!read(path(u"out.txt"_s)).isEmpty());
        const CliResult replayed =
            runCli({u"apply"_s, path(u"two.txt"_s), u"--steps"_s, path(u"t.thread"_s), u"--json"_s});
        QVERIFY2(replayed.status == 0, replayed.errors.constData());
        QVERIFY(replayed.json()[u"valid"_s].toBool());

        const CliResult one = partition({u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"greedy"_s, u"--region"_s,
                                         u"2"_s, u"--evaluations"_s, u"400"_s, u"--json"_s});
        QVERIFY2(one.status == 0, one.errors.constData());
        QVERIFY(one.json()[u"regions"_s][0][u"after"_s].isNull());
        QVERIFY(one.json()[u"regions"_s][1][u"steps"_s].toInt() >= 1);
    }

    /// Another strategy for each form; a form without one stays as it is.
    void formsHaveTheirStrategies() {
        const auto search = [&](const QString& strategy, const QStringList& more = {}) {
            return partition(QStringList{u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, strategy,
                                         u"--evaluations"_s, u"400"_s, u"--json"_s} +
                             more);
        };
        const auto steps = [](const CliResult& result) {
            QList<int> counts;
            for (const QJsonValue& region : result.json()[u"regions"_s].toArray())
                counts << region[u"steps"_s].toInt(-1);
            return counts;
        };
        const auto notes = [](const CliResult& result) { return result.json()[u"notes"_s].toArray(); };
        const CliResult both = search(u"greedy; 2: mcts(depth=7)"_s);
        QVERIFY2(both.status == 0, both.errors.constData());
        QCOMPARE(steps(both), (QList{1, 1}));
        QCOMPARE(both.json()[u"regions"_s][0][u"form"_s].toInt(), 1);
        QCOMPARE(both.json()[u"regions"_s][1][u"form"_s].toInt(), 2);
        QCOMPARE(notes(both), (QJsonArray{u"regions of form 1 were searched with greedy"_s,
                                          u"regions of form 2 were searched with mcts(depth=7)"_s}));
        QCOMPARE(both.json()[u"strategy"_s].toString(), u"greedy; 2: mcts(depth=7)"_s);
        // The last entry that names a form holds; a form that none names is not searched.
        QCOMPARE(steps(search(u"all: greedy; 1: none"_s)), (QList{0, 1}));
        QCOMPARE(steps(search(u"1: greedy"_s)), (QList{1, 0}));
        QCOMPARE(steps(search(u"1: none; 1-2: greedy"_s)), (QList{1, 1}));
        QCOMPARE(steps(search(u"2: greedy"_s, {u"--region"_s, u"2"_s})), (QList{-1, 1}));
        const CliResult without = search(u"2: greedy"_s, {u"--region"_s, u"1"_s});
        QCOMPARE(without.status, 2);
        QVERIFY2(without.errors.contains("region 1 has no strategy"), without.errors.constData());
    }

    void regionsAreExported() {
        const CliResult made = runCli({u"model"_s, u"squeezenet"_s, u"-o"_s, path(u"s.onnx"_s)});
        QVERIFY2(made.status == 0, made.errors.constData());
        const QString folder = path(u"regions"_s);
        const CliResult result = runCli({u"partition"_s, path(u"s.onnx"_s), u"--pattern"_s, u"Epilog"_s, u"--region"_s,
                                         u"1"_s, u"--export"_s, u"onnx"_s, u"-o"_s, folder, u"--json"_s});
        QVERIFY2(result.status == 0, result.errors.constData());
        QCOMPARE(QDir(folder).entryList(QDir::Files), (QStringList{u"region-1.onnx"_s, u"regions.json"_s}));
        const QJsonObject known = QJsonDocument::fromJson(read(folder + u"/regions.json"_s)).object();
        const CliResult info = runCli({u"info"_s, folder + u"/region-1.onnx"_s, u"--json"_s});
        QVERIFY2(info.status == 0, info.errors.constData());
        const CliResult again =
            runCli({u"partition"_s, folder + u"/region-1.onnx"_s, u"--pattern"_s, u"Epilog"_s, u"--json"_s});
        const QJsonValue whole = again.json()[u"regions"_s][0];
        const QJsonValue region = known[u"regions"_s][0];
        QCOMPARE(namesOf(whole[u"inputs"_s]), namesOf(region[u"inputs"_s]));
        QCOMPARE(namesOf(whole[u"outputs"_s]), namesOf(region[u"outputs"_s]));
        QCOMPARE(whole[u"nodes"_s], region[u"nodes"_s]);
    }

    /// A killed export leaves whole files only, and no list of them; the next one is complete.
    void aKilledExportLeavesNoHalves() {
        const CliResult made = runCli({u"model"_s, u"bert"_s, u"--realistic"_s, u"-o"_s, path(u"b.onnx"_s)});
        QVERIFY2(made.status == 0, made.errors.constData());
        const QString out = path(u"regions"_s);
        const QStringList arguments{u"partition"_s, path(u"b.onnx"_s), u"--pattern"_s, u"Epilog"_s,
                                    u"--export"_s,  u"onnx"_s,         u"-o"_s,        out};
        const auto files = [&] { return QDir(out).entryList(QDir::Files | QDir::Hidden); };
        constexpr int Regions = 64;
        for (const int last : {1, 20}) {
            QDir(out).removeRecursively();
            QVERIFY(QDir().mkpath(out));
            QVERIFY(!write(u"regions/regions.json"_s, "{}").isEmpty());  // of an earlier export
            QProcess process;
            process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"), arguments);
            QVERIFY(process.waitForStarted());
            const QString awaited = out + u"/region-%1.onnx"_s.arg(last);
            QElapsedTimer timer;
            for (timer.start(); !QFile::exists(awaited) && timer.elapsed() < 30'000;) QThread::usleep(200);
            QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGKILL), 0);
            QVERIFY(process.waitForFinished(30'000));
            if (process.exitStatus() == QProcess::NormalExit) continue;  // it had ended before the signal
            const QStringList left = files().filter(QRegularExpression(u"^region"_s));
            QVERIFY(left.size() >= last && left.size() < Regions);
            QVERIFY(!left.contains(u"regions.json"_s));
            for (const QString& file : left) {
                const CliResult info = runCli({u"info"_s, out + u'/' + file});
                QVERIFY2(info.status == 0, info.errors.constData());
            }
        }
        const CliResult next = runCli(arguments);
        QVERIFY2(next.status == 0, next.errors.constData());
        QCOMPARE(files().size(), Regions + 1);
        QVERIFY(files().contains(u"regions.json"_s));
        const QJsonArray listed =
            QJsonDocument::fromJson(read(out + u"/regions.json"_s)).object()[u"files"_s].toArray();
        QCOMPARE(listed.size(), Regions);
        for (const QJsonValue& file : listed) QVERIFY(QFile::exists(file[u"file"_s].toString()));
    }

    void badInputIsRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const QStringList& arguments, const char* message) {
            QTest::newRow(name) << arguments << QString::fromUtf8(message);
        };
        row("unknown pattern", {u"--pattern"_s, u"MatMulEpilogue"_s}, "did you mean MatMulEpilog?");
        row("unknown operator", {u"--pattern"_s, u"MatMull(x, y)"_s}, "there is no operator MatMull");
        row("no such region", {u"--pattern"_s, u"MatMulEpilog"_s, u"--region"_s, u"3"_s},
            "there is no region 3: MatMulEpilog gives 2");
        row("no folder", {u"--pattern"_s, u"MatMulEpilog"_s, u"--export"_s, u"onnx"_s}, "--export needs a folder");
        row("no C++", {u"--pattern"_s, u"MatMulEpilog"_s, u"--export"_s, u"c++"_s, u"-o"_s, u"/tmp"_s},
            "tensor programs have no C++ form");
        row("no strategy", {u"--pattern"_s, u"MatMulEpilog"_s, u"--set"_s, u"depth=3"_s},
            "--set is for regions that are searched");
        row("unknown strategy", {u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"gredy"_s},
            "did you mean greedy?");
        row("no such form", {u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"greedy; 3: mcts"_s},
            "there is no form 3: the regions of MatMulEpilog have 2");
        row("a form that is none", {u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"2-1: mcts"_s},
            "\"2-1\" is no form of regions");
        row("nothing to search", {u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"all: none"_s},
            "no form would be searched");
        row("a part of the budget", {u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"1: mcts @ 20%"_s},
            "so a share is not given");
        row("regions of regions", {u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"greedy; 2: regions"_s},
            "regions does not search regions");
        row("parameters of several",
            {u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"greedy; 2: mcts"_s, u"--set"_s, u"depth=3"_s},
            "--set is for one strategy");
        row("unknown parameter",
            {u"--pattern"_s, u"MatMulEpilog"_s, u"--strategy"_s, u"greedy"_s, u"--set"_s, u"size=3"_s},
            "no such parameter");
        row("a file that is none",
            {u"--pattern"_s, u"MatMulEpilog"_s, u"--export"_s, u"onnx"_s, u"-o"_s, u"/proc/regions"_s},
            "cannot make the folder /proc/regions");
        row("a set that is none", {u"--pattern"_s, u"MatMulEpilog"_s, u"--rules"_s, u"nothing"_s},
            "there is no rule set nothing");
    }
    void badInputIsRefused() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, message);
        const CliResult result = partition(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message.toUtf8()), result.errors.constData());
    }

    /// Patterns that cannot end are refused where they are defined, with the cycle; those of a file with patterns alone are found.
    void patternsOfFiles() {
        const QString endless = write(u"endless.rules"_s, "use tensor\npattern Loop(x) = Loop(x)\n");
        const CliResult refused = partition({u"--rules"_s, endless, u"--pattern"_s, u"Loop"_s});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.errors.contains("Loop can unfold forever without consuming an operator: Loop -> Loop"),
                 refused.errors.constData());
        const QString own = write(u"own.rules"_s, "use tensor\npattern Twice(x) = Relu(Relu(x))\n");
        const CliResult found = partition({u"--rules"_s, own, u"--pattern"_s, u"Twice"_s, u"--json"_s});
        QVERIFY2(found.status == 0, found.errors.constData());
        QCOMPARE(found.json()[u"regions"_s].toArray().size(), 2);
        const CliResult searched = partition({u"--rules"_s, own + u",tensor-default"_s, u"--pattern"_s, u"Twice"_s,
                                              u"--strategy"_s, u"greedy"_s, u"--evaluations"_s, u"50"_s, u"--json"_s});
        QVERIFY2(searched.status == 0, searched.errors.constData());
        QVERIFY(searched.json()[u"best_cost"_s].toDouble() < searched.json()[u"initial_cost"_s].toDouble());
    }

    void programsWithoutRegions() {
        const CliResult ks =
            runCli({u"partition"_s, u"--expr"_s, u"(mul x (add x 1.0))"_s, u"--pattern"_s, u"x * y"_s});
        QCOMPARE(ks.status, 2);
        QVERIFY2(ks.errors.contains("a ks program is not divided into regions"), ks.errors.constData());
        const CliResult none = partition({u"--pattern"_s, u"SoftmaxAttention"_s});
        QCOMPARE(none.status, 1);
        QVERIFY(none.errors.contains("matches nowhere"));
        const QString empty = write(u"empty.txt"_s, "graph g(x: f32[2])\n return x\n");
        QCOMPARE(runCli({u"partition"_s, empty, u"--pattern"_s, u"Epilog"_s}).status, 1);
    }
};

MITOS_TEST(CliPartition)

}  // namespace tst_cli_partition

#include "tst_cli_partition.moc"
