// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli schedule: the fields scripts rely on, the files it writes, task graphs and programs, bad input.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QJsonArray>
#include <QTemporaryDir>
#include <algorithm>

namespace tst_cli_schedule {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

/// a → b, a → c, {b, c} → e with durations 2, 3, 1 and 2.
const QByteArray Diamond = R"({
  "operations": [{"name": "a", "duration": 2}, {"name": "b", "duration": 3}, {"name": "c", "duration": 1},
                 {"name": "e", "duration": 2}],
  "tensors": [{"producer": 0, "bytes": 100, "consumers": [1, 2]}, {"producer": 1, "bytes": 10, "consumers": [3]},
              {"producer": 2, "bytes": 10, "consumers": [3]}, {"producer": 3, "bytes": 1}]
})";

const QByteArray Listing = "graph f(x: f32[64,64])\n a = Relu(x)\n b = Sigmoid(a)\n c = Tanh(a)\n return Add(b, c)\n";

}  // namespace

class TestCliSchedule : public QObject {
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
    void everyStrategyHasTheFields_data() {
        QTest::addColumn<QString>("strategy");
        for (const QString& name : {u"order"_s, u"list"_s, u"heft"_s, u"memory-greedy"_s, u"xla"_s, u"partition"_s,
                                    u"brkga"_s, u"brkga-tuned"_s, u"local-search"_s, u"random"_s, u"exact"_s})
            QTest::newRow(qPrintable(name)) << name;
    }
    void everyStrategyHasTheFields() {
        QFETCH(const QString, strategy);
        const CliResult result = runCli({u"schedule"_s, file(u"d.json"_s, Diamond), u"--strategy"_s, strategy,
                                         u"--evaluations"_s, u"200"_s, u"--json"_s});
        QVERIFY2(result.status == 0, result.errors.constData());
        const QJsonObject json = result.json();
        for (const char* const field :
             {"runtime", "peak_bytes", "feasible", "bound", "proven", "evaluations", "seconds", "valid", "seed"}) {
            QVERIFY2(json.contains(QLatin1String(field)), field);
        }
        QCOMPARE(json[u"bound"_s].toDouble(), 7.0);
        QVERIFY(json[u"runtime"_s].toDouble() >= 7.0 && json[u"runtime"_s].toDouble() <= 8.0);
        QVERIFY(json[u"valid"_s].toBool());
        QCOMPARE(json[u"peak_bytes"_s].toArray().size(), 2);
    }

    void theBestIsProven() {
        const CliResult result = runCli({u"schedule"_s, file(u"d.json"_s, Diamond), u"--evaluations"_s, u"200"_s});
        QVERIFY2(result.status == 0, result.errors.constData());
        QVERIFY2(result.output.contains("this is the least run time there is"), result.output.constData());
    }

    void theLeastMemoryOrderIsProven() {
        const CliResult result = runCli({u"schedule"_s, file(u"d.json"_s, Diamond), u"--strategy"_s, u"frontier"_s,
                                         u"--objective"_s, u"memory"_s, u"--devices"_s, u"1"_s, u"--json"_s});
        QVERIFY2(result.status == 0, result.errors.constData());
        QCOMPARE(result.json()[u"peak_bytes"_s].toArray().at(0).toInt(), 120);
        QVERIFY(result.json()[u"proven"_s].toBool());
    }

    void exactSearchSaysWhetherItIsComplete() {
        const QString path = file(u"d.json"_s, Diamond);
        const QStringList exact{u"schedule"_s, path, u"--strategy"_s, u"exact"_s, u"--transfers"_s, u"rendezvous"_s};
        const CliResult proven = runCli(exact + QStringList{u"--latency"_s, u"1"_s, u"--json"_s});
        QVERIFY2(proven.status == 0, proven.errors.constData());
        QVERIFY(proven.json()[u"proven"_s].toBool());
        // Everything on one device; two transfers would make it 9.
        QCOMPARE(proven.json()[u"runtime"_s].toDouble(), 8.0);
        QCOMPARE(proven.json()[u"bound"_s].toDouble(), 8.0);
        // The bound without transfers is 7, and one node does not show that none can be left out.
        const CliResult open = runCli(exact + QStringList{u"--latency"_s, u"1"_s, u"--set"_s, u"nodes=1"_s});
        QVERIFY2(open.status == 0, open.errors.constData());
        QVERIFY2(open.output.contains("the proof is not complete: a limit ended the search"), open.output.constData());
        const CliResult none = runCli(exact + QStringList{u"--device-memory"_s, u"50B"_s});
        QCOMPARE(none.status, 1);
        // While b or c runs, its 10 bytes are beside the 100 of a.
        QVERIFY2(none.errors.contains("no schedule fits: each needs at least 60 bytes more than a device has"),
                 none.errors.constData());
        QVERIFY2(!none.output.contains("none is less"), none.output.constData());
    }

    /// While c runs, t waits: 10 + 1 + 20 bytes. From x, u and t can be made again: 1 + 1 + 20.
    void operationsRunAgainForLessMemory() {
        const QString path = file(u"skip.json"_s, R"({
            "operations": [{"name": "x", "duration": 1}, {"name": "u", "duration": 2}, {"name": "t", "duration": 3},
                           {"name": "b", "duration": 4}, {"name": "c", "duration": 5}, {"name": "d", "duration": 6},
                           {"name": "e", "duration": 7}],
            "tensors": [{"producer": 0, "bytes": 1, "consumers": [1]}, {"producer": 1, "bytes": 8, "consumers": [2]},
                        {"producer": 2, "bytes": 10, "consumers": [3, 6]}, {"producer": 3, "bytes": 1, "consumers": [4]},
                        {"producer": 4, "bytes": 20, "consumers": [5]}, {"producer": 5, "bytes": 1, "consumers": [6]},
                        {"producer": 6, "bytes": 1, "consumers": []}]})");
        const QStringList common{u"schedule"_s,      path,     u"--objective"_s,    u"memory"_s,
                                 u"--evaluations"_s, u"100"_s, u"--rematerialize"_s};
        const CliResult text = runCli(common + QStringList{u"--devices"_s, u"1"_s});
        QVERIFY2(text.status == 0, text.errors.constData());
        QVERIFY2(text.output.contains("2 operations run again: peak 31 bytes before, 22 bytes after (29.0 % less)"),
                 text.output.constData());
        QVERIFY2(text.output.contains("they take 5 units of time (17.9 % more run time)"), text.output.constData());
        const CliResult limited =
            runCli(common + QStringList{u"--devices"_s, u"1"_s, u"--extra-time"_s, u"11"_s, u"--json"_s});
        const QJsonObject repeated = limited.json()[u"rematerialization"_s].toObject();
        QCOMPARE(repeated[u"repeated_operations"_s].toInt(), 1);
        QCOMPARE(repeated[u"peak_bytes_before"_s].toInt(), 31);
        QCOMPARE(repeated[u"peak_bytes"_s].toInt(), 29);
        QCOMPARE(repeated[u"added_runtime"_s].toDouble(), 3.0);
        QCOMPARE(limited.json()[u"runtime"_s].toDouble(), 31.0);
        const CliResult two = runCli(common + QStringList{u"--devices"_s, u"2"_s});
        QCOMPARE(two.status, 2);
        QVERIFY2(two.errors.contains("only to lower the peak memory of one device"), two.errors.constData());
    }

    void whatDoesNotFitSaysByHowMuch() {
        const QString path = file(u"d.json"_s, Diamond);
        const CliResult result = runCli({u"schedule"_s, path, u"--devices"_s, u"1"_s, u"--device-memory"_s, u"100B"_s,
                                         u"--evaluations"_s, u"100"_s, u"--json"_s});
        QCOMPARE(result.status, 1);
        QVERIFY(!result.json()[u"feasible"_s].toBool());
        // b and c take 10 bytes each beside the 100 of a.
        QCOMPARE(result.json()[u"overflow_bytes"_s].toInt(), 20);
        QVERIFY2(result.errors.contains("needs 20 bytes more"), result.errors.constData());
    }

    /// One search of a sweep is a line; the lines together are a comparison.
    void aSweepIsMerged() {
        const QStringList sweep{u"schedule"_s,
                                file(u"d.json"_s, Diamond),
                                file(u"two.stg"_s, "2\n0 0 0\n1 5 1 0\n2 4 1 0\n3 0 2 1 2\n"),
                                u"--strategy"_s,
                                u"list,brkga"_s,
                                u"--seeds"_s,
                                u"2"_s,
                                u"--evaluations"_s,
                                u"200"_s};
        QCOMPARE(runCli(sweep + QStringList{u"--array-size"_s}).output, QByteArray("6\n"));
        QByteArray rows;
        for (int task = 0; task < 6; ++task) {
            const CliResult row = runCli(sweep + QStringList{u"--array"_s, QString::number(task)});
            QVERIFY2(row.status == 0, row.errors.constData());
            QCOMPARE(row.output.count('\n'), 1);
            rows += row.output;
        }
        qputenv("SLURM_ARRAY_TASK_ID", "5");
        const CliResult told = runCli(sweep + QStringList{u"--array"_s});
        qunsetenv("SLURM_ARRAY_TASK_ID");
        QCOMPARE(told.json()[u"program"_s].toString(), u"two"_s);
        QCOMPARE(told.json()[u"seed"_s].toInt(), 2);
        const QString file0 = file(u"rows.jsonl"_s, rows + told.output);  // one of them twice
        const QString csv = m_folder.filePath(u"runs.csv"_s);
        const QString page = m_folder.filePath(u"page.html"_s);
        const CliResult merged = runCli({u"compare"_s, file0, u"--json"_s, u"--runs"_s, csv, u"-o"_s, page});
        QVERIFY2(merged.status == 0, merged.errors.constData());
        const QJsonArray programs = merged.json()[u"programs"_s].toArray();
        QCOMPARE(programs.size(), 4);
        const QJsonObject first = programs.at(0).toObject();
        QCOMPARE(first[u"program"_s].toString(), u"d"_s);
        QCOMPARE(first[u"strategy"_s].toString(), u"schedule-brkga"_s);
        QCOMPARE(first[u"runs"_s].toInt(), 2);
        QCOMPARE(first[u"best_cost"_s].toDouble(), 7.0);
        QCOMPARE(first[u"initial_cost"_s].toDouble(), 8.0);
        QCOMPARE(first[u"proven"_s].toInt(), 2);
        QFile written(csv);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(written.readAll().count('\n'), 7);
        QVERIFY(QFile::exists(page));
    }

    void sweepsThatMakeNoSenseAreRefused() {
        const QString path = file(u"d.json"_s, Diamond);
        const auto errorsOf = [](const QStringList& arguments) {
            const CliResult result = runCli(arguments);
            return result.status == 2 ? result.errors : QByteArray("no error");
        };
        QVERIFY(errorsOf({u"schedule"_s, path, path}).contains("several files or strategies are a sweep"));
        QVERIFY(errorsOf({u"schedule"_s, path, u"--array"_s, u"1"_s}).contains("there is no task 1; this sweep has 1"));
        QVERIFY(errorsOf({u"schedule"_s, path, u"--array"_s, u"-1"_s}).contains("no number of a task"));
        QVERIFY(errorsOf({u"schedule"_s, path, u"--array"_s}).contains("SLURM_ARRAY_TASK_ID is not set"));
        const QString cut = file(u"cut.jsonl"_s, "\n{\"program\": \"d\", \"strat");
        QVERIFY(errorsOf({u"compare"_s, cut}).contains("cut.jsonl: line 2 is no run"));
        QVERIFY(errorsOf({u"compare"_s, cut, path}).contains("is no file of rows"));
        QVERIFY(errorsOf({u"compare"_s, cut, u"--strategies"_s, u"greedy"_s}).contains("nothing can be asked of them"));
        QVERIFY(errorsOf({u"compare"_s, file(u"none.jsonl"_s, "")}).contains("hold no rows"));
    }

    /// Graphs of every family are the same for the same seed, and those with a planted optimum are scheduled no better.
    void graphsAreGenerated_data() {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QStringList>("how");
        for (const QString& family :
             {u"erdos-renyi"_s, u"barabasi-albert"_s, u"watts-strogatz"_s, u"stochastic-blocks"_s, u"sameprob"_s,
              u"samepred"_s, u"layrprob"_s, u"layrpred"_s})
            QTest::newRow(qPrintable(family)) << family << QStringList();
        QTest::newRow("planted") << u"planted"_s << QStringList{u"--devices"_s, u"4"_s};
        QTest::newRow("transfers") << u"planted"_s << QStringList{u"--devices"_s, u"4"_s, u"--transfers"_s, u"async"_s,
                                                                  u"--latency"_s, u"2"_s, u"--bandwidth"_s, u"25"_s};
        QTest::newRow("memory") << u"planted-memory"_s
                                << QStringList{u"--devices"_s, u"4"_s, u"--objective"_s, u"memory"_s,
                                               u"--release-outputs"_s};
    }
    void graphsAreGenerated() {
        QFETCH(const QString, family);
        QFETCH(const QStringList, how);
        const QString path = m_folder.filePath(u"made.tasks"_s);
        QStringList options = how;
        for (const QString& ofSchedules :
             {u"--transfers"_s, u"async"_s, u"--objective"_s, u"memory"_s, u"--release-outputs"_s})
            options.removeAll(ofSchedules);
        const QStringList command =
            QStringList{u"generate"_s, family, u"--operations"_s, u"40"_s, u"--seed"_s, u"7"_s, u"--json"_s} + options;
        const CliResult made = runCli(command + QStringList{u"-o"_s, path});
        QVERIFY2(made.status == 0, made.errors.constData());
        const CliResult again = runCli(command);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(again.json()[u"text"_s].toString().toUtf8(), file.readAll());
        const CliResult found =
            runCli(QStringList{u"schedule"_s, path, u"--evaluations"_s, u"500"_s, u"--json"_s} + how);
        QVERIFY2(found.status == 0, found.errors.constData());
        QCOMPARE(found.json()[u"operations"_s], made.json()[u"operations"_s]);
        if (!made.json().contains(u"optimum"_s)) return;
        const QJsonArray peaks = found.json()[u"peak_bytes"_s].toArray();
        double value = found.json()[u"runtime"_s].toDouble();
        if (family == u"planted-memory") {
            value = 0.0;
            for (const QJsonValue& peak : peaks) value = std::max(value, peak.toDouble());
        }
        QVERIFY(value >= made.json()[u"optimum"_s].toDouble());
    }

    void graphsThatCannotBeGeneratedAreExplained() {
        const auto errorsOf = [](const QStringList& arguments) {
            const CliResult result = runCli(QStringList{u"generate"_s} + arguments);
            return result.status == 2 ? result.errors : QByteArray("no error");
        };
        QVERIFY(errorsOf({u"complete"_s}).contains("complete"));
        QVERIFY(
            errorsOf({u"planted"_s, u"--operations"_s, u"41"_s}).contains("not the same number for each of 2 devices"));
        QVERIFY(errorsOf({u"sameprob"_s, u"--gain"_s, u"20"_s}).contains("--gain is for the four families"));
        QVERIFY(errorsOf({u"sameprob"_s, u"-o"_s, m_folder.filePath(u"no/such/folder.tasks"_s)}).contains("folder"));
    }

    void runsAreKeptInASession() {
        const QString session = m_folder.filePath(u"kept.mitos"_s);
        const CliResult result = runCli({u"schedule"_s, file(u"d.json"_s, Diamond), u"--evaluations"_s, u"200"_s,
                                         u"--seeds"_s, u"2"_s, u"--session"_s, session});
        QVERIFY2(result.status == 0, result.errors.constData());
        QFile kept(session);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QVERIFY(kept.readAll().contains("schedule-brkga"));
        const CliResult folder = runCli(
            {u"schedule"_s, file(u"d.json"_s, Diamond), u"--session"_s, m_folder.filePath(u"no/such/folder.mitos"_s)});
        QCOMPARE(folder.status, 2);
    }

    void programsAreScheduled() {
        const QString path = file(u"p.txt"_s, Listing);
        const QString csv = m_folder.filePath(u"out.csv"_s);
        const CliResult result =
            runCli({u"schedule"_s, path, u"--cost"_s, u"roofline:laptop"_s, u"--objective"_s, u"memory"_s,
                    u"--devices"_s, u"1"_s, u"--evaluations"_s, u"100"_s, u"-o"_s, csv});
        QVERIFY2(result.status == 0, result.errors.constData());
        QFile read(csv);
        QVERIFY(read.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = read.readAll().trimmed().split('\n');
        QCOMPARE(lines.front(), QByteArray("number,kind,name,device,start,end,bytes,memory"));
        QCOMPARE(lines.size(), 6);  // the inputs and four operators
    }

    void taskGraphsAreOpenedLikePrograms() {
        const QString path = file(u"d.json"_s, Diamond);
        const CliResult info = runCli({u"info"_s, path, u"--json"_s});
        QVERIFY2(info.status == 0, info.errors.constData());
        QCOMPARE(info.json()[u"dialect"_s].toString(), u"tasks"_s);
        QCOMPARE(info.json()[u"nodes"_s].toInt(), 5);
        QCOMPARE(info.json()[u"costs"_s][u"task-time"_s].toDouble(), 8.0);
        QCOMPARE(info.json()[u"costs"_s][u"task-memory"_s].toDouble(), 120.0);
        const CliResult shown = runCli({u"show"_s, path});
        QCOMPARE(shown.output, QByteArray("tasks d\n  a() takes 2, makes 100\n  b(a) takes 3, makes 10\n"
                                          "  c(a) takes 1, makes 10\n  e(b, c) takes 2, makes 1\n\n"));
        const QString text = file(u"d.tasks"_s, shown.output);
        QCOMPARE(runCli({u"show"_s, text}).output, shown.output);
        const CliResult tree = runCli({u"show"_s, path, u"--as"_s, u"tree"_s});
        QVERIFY2(tree.output.contains("e(b, c) takes 2"), tree.output.constData());
        const CliResult dot = runCli({u"show"_s, path, u"--as"_s, u"dot"_s});
        QVERIFY2(dot.output.contains("label=\"a\""), dot.output.constData());
    }

    void thereAreNoRulesForTaskGraphs() {
        const QString path = file(u"d.json"_s, Diamond);
        const CliResult rewrites = runCli({u"rewrites"_s, path});
        QCOMPARE(rewrites.status, 0);
        QVERIFY2(rewrites.output.contains("0 rewrites, cost 8 (task-time)"), rewrites.output.constData());
        QVERIFY2(rewrites.errors.contains("there are no rules for tasks programs"), rewrites.errors.constData());
        for (const QStringList& command : {QStringList{u"optimize"_s, path}, QStringList{u"compare"_s, path},
                                           QStringList{u"saturate"_s, u"--program"_s, path}}) {
            const CliResult result = runCli(command);
            QCOMPARE(result.status, 2);
            QVERIFY2(result.errors.contains("there are no rules for tasks programs, so there is nothing to search"),
                     result.errors.constData());
            QVERIFY2(result.errors.contains("mitos-cli schedule"), result.errors.constData());
        }
        const CliResult other = runCli({u"rewrites"_s, path, u"--rules"_s, u"ks-simple"_s});
        QCOMPARE(other.status, 2);
        QVERIFY2(other.errors.contains("is a rule for ks programs"), other.errors.constData());
    }

    void tracesAreJson() {
        const QString trace = m_folder.filePath(u"out.trace.json"_s);
        const CliResult result =
            runCli({u"schedule"_s, file(u"d.json"_s, Diamond), u"--strategy"_s, u"list"_s, u"-o"_s, trace});
        QVERIFY2(result.status == 0, result.errors.constData());
        QFile read(trace);
        QVERIFY(read.open(QIODevice::ReadOnly));
        const QJsonArray events = QJsonDocument::fromJson(read.readAll())[u"traceEvents"_s].toArray();
        QVERIFY(std::ranges::any_of(events, [](const QJsonValue& event) {
            return event[u"name"_s] == u"b"_s && event[u"ph"_s] == u"X"_s && event[u"dur"_s].toDouble() == 3.0;
        }));
    }

    void badInputIsExplained_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no device") << Diamond << u"d.json"_s << QStringList{u"--devices"_s, u"0"_s}
                                   << QByteArray("--devices");
        QTest::newRow("strategy") << Diamond << u"d.json"_s << QStringList{u"--strategy"_s, u"lisp"_s}
                                  << QByteArray("there is no strategy for schedules");
        QTest::newRow("parameter") << Diamond << u"d.json"_s << QStringList{u"--set"_s, u"elite=3"_s}
                                   << QByteArray("elite");
        QTest::newRow("speeds") << Diamond << u"d.json"_s << QStringList{u"--speeds"_s, u"1,2,3"_s}
                                << QByteArray("3 speeds for 2 devices");
        QTest::newRow("negative") << QByteArray(R"({"operations": [{"duration": -1}]})") << u"n.json"_s << QStringList()
                                  << QByteArray("duration");
        QTest::newRow("cycle")
            << QByteArray(R"({"operations": [{"duration": 1}, {"duration": 1}], "control": [[0, 1], [1, 0]]})")
            << u"c.json"_s << QStringList() << QByteArray("cycle");
        QTest::newRow("ks") << QByteArray("(def f Float ((x : Float)) (mul x x))") << u"f.ks"_s << QStringList()
                            << QByteArray("ks programs are not scheduled");
        QTest::newRow("cut") << QByteArray("3\n0 0 0\n1 5") << u"cut.stg"_s << QStringList() << QByteArray("cut.stg");
    }
    void badInputIsExplained() {
        QFETCH(const QByteArray, content);
        QFETCH(const QString, name);
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, says);
        const CliResult result = runCli(QStringList{u"schedule"_s, file(name, content)} + arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(says), result.errors.constData());
    }
};

MITOS_TEST(TestCliSchedule)

}  // namespace tst_cli_schedule

#include "tst_cli_schedule.moc"
