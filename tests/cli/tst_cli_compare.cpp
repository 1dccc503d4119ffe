// SPDX-License-Identifier: GPL-3.0-or-later
// Several searches: `optimize --seeds`, and `compare` with its table, JSON and report.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QSet>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <csignal>

namespace tst_cli_compare {

using namespace Qt::StringLiterals;
using mitos::tests::CliResult;
using mitos::tests::heedsInterrupts;
using mitos::tests::runCli;
using mitos::tests::sample;

class TestCliCompare : public QObject, private mitos::tests::CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void theBestOfSeveralSeedsIsTaken();
    void seedsAreKeptInTheSession();
    void runsAreKeptInSessions();
    void comparesFilesAndFolders();
    void settingsReachTheirStrategies();
    void oneBadFileDoesNotLoseTheOthers();
    void nothingButBadFilesIsSaidOnce();
    void whatIsNamedTwiceIsDoneOnce();
    void outputsAreTriedBeforeTheSearch();
    void writesAReport();
    void aReportDoesNotAnswerWithAWrongResult();
    void writesItsRuns();
    void interruptedItWritesWhatThereIs();
    void badUsage_data();
    void badUsage();
};

void TestCliCompare::theBestOfSeveralSeedsIsTaken() {
    const QString file = sample(u"arithmetic/table6-2.ks"_s);
    const QStringList arguments{
        u"optimize"_s, file,         u"--strategy"_s, u"random"_s, u"--rules"_s, u"ks-simple"_s, u"--evaluations"_s,
        u"300"_s,      u"--seeds"_s, u"6"_s,          u"--seed"_s, u"3"_s,       u"--json"_s};
    const CliResult several = runCli(arguments + QStringList{u"--jobs"_s, u"3"_s});
    QVERIFY2(several.status == 0, several.errors.constData());
    const QJsonArray seeds = several.json()[u"seeds"_s].toArray();
    QCOMPARE(seeds.size(), 6);
    double least = 1e9;
    QSet<double> found;
    for (qsizetype i = 0; i < seeds.size(); ++i) {
        const QJsonObject seed = seeds[i].toObject();
        QCOMPARE(seed[u"seed"_s].toInt(), 3 + static_cast<int>(i));
        QCOMPARE(seed[u"evaluations"_s].toInt(), 300);
        QCOMPARE(seed[u"thread_checked"_s].toBool(), true);
        least = std::min(least, seed[u"best_cost"_s].toDouble());
        found.insert(seed[u"thread_length"_s].toInt() * 1000 + seed[u"best_cost"_s].toDouble());
        // Each result is the one that its seed finds alone.
        if (i > 1) continue;
        const CliResult alone =
            runCli({u"optimize"_s, file, u"--strategy"_s, u"random"_s, u"--rules"_s, u"ks-simple"_s, u"--evaluations"_s,
                    u"300"_s, u"--seed"_s, QString::number(3 + i), u"--json"_s});
        QCOMPARE(alone.json()[u"best_cost"_s], seed[u"best_cost"_s]);
    }
    QVERIFY(found.size() > 1);
    QCOMPARE(several.json()[u"best_cost"_s].toDouble(), least);
    QCOMPARE(several.json()[u"equivalent"_s].toBool(), true);
    const CliResult again = runCli(arguments + QStringList{u"--jobs"_s, u"1"_s});
    QCOMPARE(again.json()[u"program"_s], several.json()[u"program"_s]);
    QCOMPARE(again.json()[u"seed"_s], several.json()[u"seed"_s]);
}

void TestCliCompare::seedsAreKeptInTheSession() {
    const QString session = path(u"seeds.mitos"_s);
    const CliResult result =
        runCli({u"optimize"_s, sample(u"arithmetic/table6-4.ks"_s), u"--strategy"_s, u"mcts"_s, u"--rules"_s,
                u"ks-simple"_s, u"--seeds"_s, u"4"_s, u"--session"_s, session, u"--json"_s});
    QVERIFY2(result.status == 0, result.errors.constData());
    QVERIFY(QFile::exists(session));
    QVERIFY(QFile(session).size() > 10'000);
    const CliResult full = runCli({u"optimize"_s, sample(u"arithmetic/table6-4.ks"_s), u"--seeds"_s, u"2"_s,
                                   u"--session"_s, path(u"no/such/folder.mitos"_s)});
    QCOMPARE(full.status, 2);
}

/// One for each program; tests of the desktop open them.
void TestCliCompare::runsAreKeptInSessions() {
    const auto compared = [](const QString& session, const QString& strategies) {
        return runCli({u"compare"_s, sample(u"teaching/cancel.ks"_s), sample(u"teaching/factor.ks"_s),
                       u"--strategies"_s, strategies, u"--evaluations"_s, u"50"_s, u"--session"_s, session});
    };
    QVERIFY(QDir().mkpath(path(u"kept"_s)));
    const CliResult result = compared(path(u"kept/runs.mitos"_s), u"greedy,random"_s);
    QVERIFY2(result.status == 0, result.errors.constData());
    QCOMPARE(QDir(path(u"kept"_s)).entryList({u"*.mitos"_s}, QDir::Files),
             QStringList({u"runs-factor.mitos"_s, u"runs.mitos"_s}));
    // Bad usage is found before a session is begun.
    QCOMPARE(compared(path(u"kept/other.mitos"_s), u"no-such"_s).status, 2);
    QVERIFY(!QFile::exists(path(u"kept/other.mitos"_s)));
    QCOMPARE(compared(path(u"no/such/folder.mitos"_s), u"greedy"_s).status, 2);
}

void TestCliCompare::comparesFilesAndFolders() {
    QVERIFY(QDir().mkpath(path(u"programs/deeper"_s)));
    write(u"programs/a.ks"_s, "(mul (div x y) (div x y))");
    write(u"programs/deeper/b.ks"_s, "(div (mul (div x y) x) y)");
    write(u"programs/notes.txt"_s, "not a program");
    const CliResult result = runCli({u"compare"_s, path(u"programs"_s), path(u"programs/a.ks"_s), u"--rules"_s,
                                     u"ks-simple"_s, u"--strategies"_s, u"astar,greedy,random"_s, u"--evaluations"_s,
                                     u"500,50"_s, u"--seeds"_s, u"2"_s, u"--json"_s});
    QVERIFY2(result.status == 0, result.errors.constData());
    const QJsonObject json = result.json();
    const QJsonArray runs = json[u"runs"_s].toArray();
    QCOMPARE(runs.size(), 2 * 3 * 2 * 2);
    QCOMPARE(runs[0].toObject()[u"program"_s].toString(), u"a"_s);
    QCOMPARE(runs[0].toObject()[u"budget"_s].toObject()[u"evaluations"_s].toInt(), 50);
    QCOMPARE(runs.last().toObject()[u"program"_s].toString(), u"b"_s);
    for (const auto& value : runs) {
        const QJsonObject run = value.toObject();
        QCOMPARE(run[u"initial_cost"_s].toDouble(), 6.0);
        QVERIFY(run[u"best_cost"_s].toDouble() <= 6.0);
        QCOMPARE(run[u"thread_checked"_s].toBool(), true);
        QCOMPARE(run[u"equivalent"_s].toBool(), true);
        QVERIFY(!run[u"curve"_s].toArray().isEmpty());
        QVERIFY(run[u"evaluations"_s].toInt() <= run[u"budget"_s].toObject()[u"evaluations"_s].toInt());
    }
    QCOMPARE(json[u"programs"_s].toArray().size(), 2 * 3 * 2);
    const QJsonArray totals = json[u"totals"_s].toArray();
    QCOMPARE(totals.size(), 3 * 2);
    QCOMPARE(totals[0].toObject()[u"initial_cost"_s].toDouble(), 12.0);
    // Table 6, expressions 4 and 5: 4.1 each under all rules.
    QVERIFY(qAbs(totals[1].toObject()[u"best_cost"_s].toDouble() - 8.2) < 1e-9);
    for (const char* fact : {"Mitos", "Machine", "Rules", "Cost model", "Made", "Seeds"}) {
        QVERIFY2(json[u"environment"_s].toObject().contains(QLatin1String(fact)), fact);
    }
    const CliResult text = runCli({u"compare"_s, path(u"programs"_s), u"--rules"_s, u"ks-simple"_s, u"--strategies"_s,
                                   u"greedy"_s, u"--evaluations"_s, u"50"_s});
    QCOMPARE(text.status, 0);
    QVERIFY(text.output.contains("totals over 2 programs"));
}

void TestCliCompare::settingsReachTheirStrategies() {
    const CliResult result =
        runCli({u"compare"_s, sample(u"arithmetic/table6-4.ks"_s), u"--strategies"_s, u"astar,random,greedy"_s,
                u"--evaluations"_s, u"50"_s, u"--set"_s, u"depth=7"_s, u"--set"_s, u"random.depth=3"_s, u"--json"_s});
    QVERIFY2(result.status == 0, result.errors.constData());
    const QJsonArray strategies = result.json()[u"strategies"_s].toArray();
    const auto depth = [&](qsizetype i) {
        return strategies[i].toObject()[u"parameters"_s].toObject()[u"depth"_s].toString();
    };
    QCOMPARE(depth(0), u"7"_s);
    QCOMPARE(depth(1), u"3"_s);
    QCOMPARE(depth(2), QString());
}

void TestCliCompare::oneBadFileDoesNotLoseTheOthers() {
    const QString report = path(u"some.html"_s);
    const CliResult result = runCli({u"compare"_s, path(u"missing.ks"_s), sample(u"arithmetic/table6-4.ks"_s),
                                     write(u"broken.ks"_s, "(add x"), u"--strategies"_s, u"greedy"_s,
                                     u"--evaluations"_s, u"50"_s, u"--json"_s, u"-o"_s, report});
    QCOMPARE(result.status, 2);
    QCOMPARE(result.json()[u"runs"_s].toArray().size(), 1);
    QCOMPARE(result.json()[u"failures"_s].toArray().size(), 2);
    QVERIFY(result.errors.contains("missing.ks") && result.errors.contains("broken.ks"));
    const QByteArray html = read(report);
    QVERIFY(html.contains("table6-4") && html.contains("missing.ks") && html.contains("broken.ks"));
}

void TestCliCompare::nothingButBadFilesIsSaidOnce() {
    const QString broken = write(u"alone.ks"_s, "(def f Float");
    const CliResult result = runCli({u"compare"_s, broken});
    QCOMPARE(result.status, 2);
    QCOMPARE(result.errors.count("is never closed"), 1);
    const CliResult folder = runCli({u"compare"_s, write(u"missing/"_s, {}), path(u"nowhere.ks"_s), u"--json"_s});
    QCOMPARE(folder.status, 2);
    QVERIFY(!folder.json()[u"failures"_s].toArray().isEmpty());
}

void TestCliCompare::whatIsNamedTwiceIsDoneOnce() {
    const CliResult result =
        runCli({u"compare"_s, sample(u"teaching/factor.ks"_s), sample(u"teaching/factor.ks"_s), u"--strategies"_s,
                u"greedy,greedy"_s, u"--evaluations"_s, u"9,5,9"_s, u"--json"_s});
    QCOMPARE(result.status, 0);
    const QJsonArray runs = result.json()[u"runs"_s].toArray();
    QCOMPARE(runs.size(), 2);
    QCOMPARE(runs[0][u"budget"_s][u"evaluations"_s].toInt(), 5);
    QCOMPARE(runs[1][u"budget"_s][u"evaluations"_s].toInt(), 9);
}

/// These searches would take minutes: the message must not wait for them.
void TestCliCompare::outputsAreTriedBeforeTheSearch() {
    const QString file = sample(u"linear-algebra/gemm.ks"_s);
    const QString nowhere = path(u"no/such/folder/x"_s);
    for (const QStringList& command : {QStringList{u"compare"_s, file, u"--strategies"_s, u"random"_s, u"-o"_s},
                                       QStringList{u"optimize"_s, file, u"--strategy"_s, u"random"_s, u"-o"_s},
                                       QStringList{u"optimize"_s, file, u"--strategy"_s, u"random"_s, u"--thread"_s}}) {
        const CliResult result = runCli(command + QStringList{nowhere, u"--seconds"_s, u"300"_s}, {}, 20'000);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains("cannot be written"), result.errors.constData());
    }
}

void TestCliCompare::writesAReport() {
    const QString report = path(u"report.html"_s);
    const CliResult result =
        runCli({u"compare"_s, sample(u"arithmetic/table6-1.ks"_s), sample(u"arithmetic/table6-8.ks"_s), u"--rules"_s,
                u"ks-simple"_s, u"--strategies"_s, u"astar,mcts"_s, u"--seeds"_s, u"3"_s, u"--evaluations"_s,
                u"100,300"_s, u"-o"_s, report, u"--title"_s, u"Two <expressions>"_s});
    QVERIFY2(result.status == 0, result.errors.constData());
    const QByteArray html = read(report);
    QVERIFY(html.startsWith("<!DOCTYPE html>"));
    QVERIFY(html.contains("Two &lt;expressions&gt;") && html.contains("<polygon") && html.contains("</html>"));
    // It begins with the answer, by the names that people know, and has the steps of each program.
    QVERIFY(html.indexOf("class=\"answer\">Over 2 programs, <strong>A* search</strong>") > 0);
    QVERIFY(html.indexOf("class=\"answer\"") < html.indexOf("<svg"));
    QVERIFY(html.contains("<li id=\"p1-s1\"") && html.contains("<li id=\"p2-s1\""));
    QVERIFY(html.contains("units</span>") && html.contains("evaluation limit"));
    QXmlStreamReader page(html);
    while (!page.atEnd()) page.readNext();
    QVERIFY2(!page.hasError(), qPrintable(page.errorString()));
    const QByteArray account = qgetenv("HOME");
    QVERIFY(account.size() < 4 || !html.contains(account));
    const CliResult refused = runCli({u"compare"_s, sample(u"arithmetic/table6-1.ks"_s), u"--strategies"_s, u"greedy"_s,
                                      u"--evaluations"_s, u"10"_s, u"-o"_s, path(u"no/such/r.html"_s)});
    QCOMPARE(refused.status, 2);
    QVERIFY(!refused.errors.isEmpty());
}

void TestCliCompare::aReportDoesNotAnswerWithAWrongResult() {
    const QString report = path(u"wrong.html"_s);
    const CliResult result =
        runCli({u"compare"_s, sample(u"arithmetic/table6-4.ks"_s), u"--rules"_s,
                u"ks-simple,"_s + write(u"wrong.rules"_s, "rule wrong [exact]: a / b => b\n"), u"--insist"_s,
                u"--strategies"_s, u"greedy"_s, u"--evaluations"_s, u"200"_s, u"-o"_s, report});
    QCOMPARE(result.status, 1);
    const QByteArray html = read(report);
    QVERIFY(html.contains("⚠ Wrong results."));
    QVERIFY(html.contains("<p class=\"answer\"><strong>No answer:</strong> no result passed all checks.</p>"));
    QVERIFY(!html.contains("★"));
}

void TestCliCompare::writesItsRuns() {
    const QStringList arguments{u"compare"_s,       sample(u"arithmetic/table6-4.ks"_s),
                                u"--strategies"_s,  u"astar,random"_s,
                                u"--seeds"_s,       u"2"_s,
                                u"--evaluations"_s, u"50"_s,
                                u"--set"_s,         u"astar.depth=7"_s};
    for (const auto& [name, piece] :
         {std::pair(u"runs.csv"_s, u"\r\ntable6-4,astar,"_s), std::pair(u"runs.json"_s, u"\"strategy\": \"random\""_s),
          std::pair(u"runs.md"_s, u"| depth = 7 |"_s), std::pair(u"runs.tex"_s, u"\\begin{tabular}"_s)}) {
        const CliResult result = runCli(arguments + QStringList{u"--runs"_s, path(name)});
        QVERIFY2(result.status == 0, result.errors.constData());
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        QVERIFY2(text.contains(piece), qPrintable(text));
    }
    QCOMPARE(runCli(arguments + QStringList{u"--runs"_s, path(u"runs.xls"_s)}).status, 2);
    QCOMPARE(runCli(arguments + QStringList{u"--runs"_s, path(u"no/such/folder.csv"_s)}).status, 2);
}

void TestCliCompare::interruptedItWritesWhatThereIs() {
    const QString report = path(u"stopped.html"_s);
    QProcess process;
    process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                  {u"compare"_s, sample(u"arithmetic/table6-4.ks"_s), sample(u"linear-algebra/gemm.ks"_s),
                   u"--strategies"_s, u"greedy"_s, u"--seconds"_s, u"600"_s, u"--seeds"_s, u"8"_s, u"--jobs"_s, u"2"_s,
                   u"--json"_s, u"-o"_s, report});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(heedsInterrupts(process.processId()), 30'000);
    QVERIFY(!process.waitForFinished(1500));
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(30'000));
    QCOMPARE(process.exitCode(), 0);
    const QJsonArray runs = QJsonDocument::fromJson(process.readAllStandardOutput()).object()[u"runs"_s].toArray();
    QCOMPARE(runs.size(), 16);
    QCOMPARE(runs[0].toObject()[u"stop"_s].toString(), u"stopped"_s);
    QCOMPARE(runs[15].toObject()[u"error"_s].toString(), u"not run"_s);
    QVERIFY(read(report).contains("were not run"));
}

void TestCliCompare::badUsage_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("no file") << QStringList{} << QByteArray("FILE");
    const QString file = sample(u"arithmetic/table6-4.ks"_s);
    QTest::newRow("unknown strategy") << QStringList{file, u"--strategies"_s, u"astar,magic"_s} << QByteArray("magic");
    QTest::newRow("no strategy") << QStringList{file, u"--strategies"_s, u","_s} << QByteArray("none");
    QTest::newRow("bad budget") << QStringList{file, u"--evaluations"_s, u"100,many"_s} << QByteArray("many");
    QTest::newRow("zero budget") << QStringList{file, u"--evaluations"_s, u"0"_s} << QByteArray("above 0");
    QTest::newRow("no seeds") << QStringList{file, u"--seeds"_s, u"0"_s} << QByteArray("seeds");
    QTest::newRow("unknown setting") << QStringList{file, u"--strategies"_s, u"astar"_s, u"--set"_s, u"colour=3"_s}
                                     << QByteArray("colour");
    QTest::newRow("setting of another") << QStringList{file, u"--strategies"_s, u"greedy"_s, u"--set"_s,
                                                       u"mcts.beta=3"_s}
                                        << QByteArray("mcts.beta");
    QTest::newRow("bad value") << QStringList{file, u"--strategies"_s, u"mcts"_s, u"--set"_s, u"mcts.beta=much"_s}
                               << QByteArray("beta");
    QTest::newRow("nothing opens") << QStringList{path(u"missing.ks"_s)} << QByteArray("missing.ks");
    QDir().mkpath(path(u"empty"_s));
    QTest::newRow("empty folder") << QStringList{path(u"empty"_s)} << QByteArray("no .ks, .onnx or .onnxtxt file");
}

void TestCliCompare::badUsage() {
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, message);
    const CliResult result = runCli(QStringList{u"compare"_s} + arguments);
    QCOMPARE(result.status, 2);
    QVERIFY2(result.errors.contains(message), result.errors.constData());
}

MITOS_TEST(TestCliCompare)

}  // namespace tst_cli_compare

#include "tst_cli_compare.moc"
