// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli experiment: its numbers, what it refuses, and that it goes on where it was stopped.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QJsonArray>
#include <QTest>

using namespace Qt::StringLiterals;

namespace tst_cli_experiment {

using mitos::tests::CliResult;
using mitos::tests::runCli;

class TestCliExperiment : public QObject, private mitos::tests::CliFolder {
    Q_OBJECT

    [[nodiscard]] CliResult run(const QStringList& arguments, const QString& folder) const {
        return runCli(QStringList{u"experiment"_s, u"egraph-mcts"_s, u"-o"_s, path(folder)} + arguments);
    }

    /// The tools of one measure in a configuration's JSON, all of whose results are right.
    static QStringList toolsOf(const QJsonValue& configuration, const QString& measure) {
        QStringList tools;
        const QJsonArray times = configuration[measure].toArray();
        for (const auto time : times) {
            const bool isRight = time[u"median_seconds"_s].toDouble() > 0.0 && time[u"apart"_s].toDouble() < 1e-12;
            tools.append(isRight ? time[u"tool"_s].toString() : u"wrong: "_s + time[u"tool"_s].toString());
        }
        return tools;
    }

private Q_SLOTS:
    /// Table 1 for two networks: the paper's function is exact on one and too large on the other.
    void table1IsThePapersFinding() {
        const CliResult result =
            run({u"--only"_s, u"table1"_s, u"--models"_s, u"nasnet-a,vgg-19"_s, u"--json"_s}, u"one"_s);
        QVERIFY2(result.status == 0, result.errors.constData());
        const QJsonArray table = result.json()[u"table1"_s].toArray();
        QCOMPARE(table.size(), 2);
        const QJsonObject nasnet = table[0].toObject();
        QVERIFY(nasnet[u"paper"_s].toDouble() > nasnet[u"ilp"_s].toDouble() * 1.01);
        const QJsonObject vgg = table[1].toObject();
        QCOMPARE(vgg[u"paper"_s].toDouble(), vgg[u"ilp"_s].toDouble());
        QCOMPARE(vgg[u"default"_s].toDouble(), vgg[u"ilp"_s].toDouble());
        QCOMPARE(result.json()[u"claims"_s].toArray()[0].toObject()[u"verdict"_s].toString(), u"holds"_s);
        QVERIFY(read(path(u"one/report.html"_s)).contains("Table 1"));
        QVERIFY(read(path(u"one/table1.csv"_s)).contains("vgg-19"));
    }

    /// The profile that comes with the program prices VGG-19 as `--cost measured` does, and otherwise than the roofline.
    void costsComeFromAProfile() {
        const auto cost = [this](const QStringList& arguments, const QString& folder) {
            const CliResult result =
                run(QStringList{u"--only"_s, u"table1"_s, u"--models"_s, u"vgg-19"_s, u"--json"_s} + arguments, folder);
            return result.json()[u"table1"_s].toArray()[0].toObject()[u"ilp"_s].toDouble();
        };
        const double measured = cost({u"--cost"_s, u"measured"_s}, u"measured"_s);
        QVERIFY(measured > 0.0);
        QVERIFY(measured != cost({}, u"roofline"_s));
        const QString shipped = QStringLiteral(MITOS_SOURCE_DIR "/resources/costs/");
        const QStringList files = QDir(shipped).entryList({u"*.json"_s});
        QCOMPARE(cost({u"--profile"_s, shipped + files.front()}, u"profile"_s), measured);
    }

    void runsAreKeptAndContinued() {
        const QStringList arguments{u"--only"_s, u"figure7"_s, u"--models"_s, u"resnet-50"_s, u"--json"_s};
        const CliResult first = run(arguments, u"two"_s);
        QVERIFY2(first.status == 0, first.errors.constData());
        QCOMPARE(first.json()[u"runs_found"_s].toInt(), 0);
        const CliResult again = run(arguments, u"two"_s);
        QCOMPARE(again.json()[u"runs_found"_s].toInt(), 1);
        QCOMPARE(again.json()[u"table2"_s], first.json()[u"table2"_s]);
        QVERIFY(QFile::exists(path(u"two/graphs/resnet-50.tensat.last.json"_s)));
        const CliResult shown = runCli({u"info"_s, path(u"two/graphs/resnet-50.tensat.last.json"_s)});
        QVERIFY2(shown.status == 0, shown.errors.constData());
        const CliResult other = run(arguments + QStringList{u"--nodes"_s, u"300"_s}, u"two"_s);
        QCOMPARE(other.status, 2);
        QVERIFY2(other.errors.contains("nodes is 2000 there and 300 here"), other.errors.constData());
    }

    void badArgumentsAreNamed_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("model") << QStringList{u"--models"_s, u"resnet-51"_s} << QByteArray("resnet-50");
        QTest::newRow("profile and cost")
            << QStringList{u"--profile"_s, u"p.json"_s, u"--cost"_s, u"measured"_s} << QByteArray("--profile");
        QTest::newRow("no profile") << QStringList{u"--profile"_s, u"p.json"_s} << QByteArray("p.json");
        QTest::newRow("no model") << QStringList{u"--models"_s, u","_s} << QByteArray("--programs names none");
        QTest::newRow("part") << QStringList{u"--only"_s, u"table3"_s} << QByteArray("table1");
        QTest::newRow("no part") << QStringList{u"--only"_s, u","_s} << QByteArray("--only names no part");
        QTest::newRow("repetitions") << QStringList{u"--repetitions"_s, u"0"_s} << QByteArray("--repetitions");
        QTest::newRow("budget") << QStringList{u"--budget"_s, u"none"_s} << QByteArray("--budget");
        QTest::newRow("nodes") << QStringList{u"--nodes"_s, u"-1"_s} << QByteArray("whole number");
        QTest::newRow("seconds") << QStringList{u"--seconds-per-run"_s, u"0"_s} << QByteArray("--seconds-per-run");
        QTest::newRow("device of the paper") << QStringList{u"--paper-device"_s, u"h200"_s} << QByteArray("p100");
        QTest::newRow("beside") << QStringList{u"--beside"_s, u"nowhere"_s} << QByteArray("experiment.json");
        QTest::newRow("cost") << QStringList{u"--cost"_s, u"ks-2021"_s} << QByteArray("roofline");
        QTest::newRow("rules") << QStringList{u"--rules"_s, u"ks-simple"_s} << QByteArray("tensor");
    }
    void badArgumentsAreNamed() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, message);
        const CliResult result = run(arguments, u"bad"_s);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.constData());
        QVERIFY(!QFile::exists(path(u"bad"_s)));
    }

    void theFolderMustBeItsOwn() {
        QCOMPARE(runCli({u"experiment"_s}).status, 2);
        QVERIFY(runCli({u"experiment"_s, u"egraph-mtcs"_s}).errors.contains("egraph-mcts"));
        QVERIFY(runCli({u"experiment"_s, u"egraph-mcts"_s}).errors.contains("--output"));
        const QStringList quick{u"--only"_s, u"table1"_s, u"--models"_s, u"vgg-19"_s};
        QVERIFY(QDir(folder()).mkpath(u"full"_s));
        write(u"full/notes.txt"_s, "mine");
        const CliResult full = run(quick, u"full"_s);
        QCOMPARE(full.status, 2);
        QVERIFY2(full.errors.contains("not empty"), full.errors.constData());
        const CliResult file = run(quick, u"full/notes.txt"_s);
        QCOMPARE(file.status, 2);
        QVERIFY2(file.errors.contains("not a folder"), file.errors.constData());
        QCOMPARE(read(path(u"full/notes.txt"_s)), QByteArray("mine"));
    }

    /// Without models, the methods that need one are named, and the status says so; the same command finds all runs.
    void schedulesAreSearchedWithAndWithoutLearning() {
        QVERIFY(QDir().mkpath(path(u"no_models"_s)));
        const QStringList command{u"experiment"_s,      u"regal"_s,
                                  u"--graphs"_s,        u"2"_s,
                                  u"--models"_s,        path(u"no_models"_s),
                                  u"--seeds"_s,         u"1"_s,
                                  u"--only"_s,          u"table1,transfer"_s,
                                  u"--networks"_s,      u"vgg-19"_s,
                                  u"--evaluations"_s,   u"60"_s,
                                  u"--exact-seconds"_s, u"0.1"_s,
                                  u"--json"_s,          u"-o"_s,
                                  path(u"regal"_s)};
        const CliResult result = runCli(command);
        QVERIFY2(result.status == 1, result.errors.constData());
        const QJsonObject json = result.json();
        QStringList missing;
        for (const auto failure : json[u"failures"_s].toArray()) missing.append(failure[u"run"_s].toString());
        QVERIFY2(missing.contains(u"REGAL for memory"_s), qPrintable(missing.join(u", "_s)));
        QStringList methods;
        for (const auto method : json[u"methods"_s].toArray()) {
            if (method[u"set"_s].toString() == u"networks"_s && method[u"task"_s].toString() == u"time"_s)
                methods.append(method[u"method"_s].toString());
        }
        QCOMPARE(methods, (QStringList{u"gp-dfs"_s, u"local-search"_s, u"brkga"_s, u"brkga"_s, u"brkga-tuned"_s,
                                       u"critical-path"_s, u"list"_s, u"warm-start"_s, u"usual"_s}));
        QVERIFY(QFile::exists(path(u"regal/report.html"_s)) && QFile::exists(path(u"regal/runs.csv"_s)));
        const QJsonObject again = runCli(command).json();
        QCOMPARE(again[u"runs_found"_s].toInt(), json[u"runs_wanted"_s].toInt());
        const CliResult nowhere =
            runCli({u"experiment"_s, u"regal"_s, u"--models"_s, u"/no/such/folder"_s, u"-o"_s, path(u"other"_s)});
        QCOMPARE(nowhere.status, 2);
        QVERIFY2(nowhere.errors.contains("/no/such/folder"), nowhere.errors.constData());
        QCOMPARE(runCli({u"experiment"_s, u"regal"_s, u"--only"_s, u"figure9"_s, u"-o"_s, path(u"other"_s)}).status, 2);
    }

    /// A value function is trained for an epoch, with searches of tens of expressions; the same command finds all runs.
    void valueFunctionsAreTrainedAndCompared() {
        const QStringList command{u"experiment"_s,    u"knossos-arithmetic"_s,
                                  u"--only"_s,        u"bootstrap"_s,
                                  u"--repetitions"_s, u"1"_s,
                                  u"--methods"_s,     u"terms,astar-zero,astar-potential"_s,
                                  u"--epochs"_s,      u"1"_s,
                                  u"--evaluations"_s, u"10,40"_s,
                                  u"--set"_s,         u"labels=2"_s,
                                  u"--set"_s,         u"label_evaluations=20"_s,
                                  u"--set"_s,         u"search_evaluations=20"_s,
                                  u"--set"_s,         u"passes=1"_s,
                                  u"--json"_s,        u"-o"_s,
                                  path(u"knossos"_s)};
        const CliResult result = runCli(command);
        QVERIFY2(result.status == 0, result.errors.constData());
        QStringList searches;
        for (const auto one : result.json()[u"totals"_s].toArray()) {
            const double total = one[u"total"_s].toDouble();
            QVERIFY(total >= 40.5 && total <= 64.0);
            if (one[u"evaluations"_s].toInt() == 40)
                searches.append(one[u"method"_s].toString() + u' ' + one[u"strategy"_s].toString());
        }
        QCOMPARE(searches, (QStringList{u"terms astar"_s, u"terms greedy"_s, u"terms beam"_s, u"terms mcts"_s,
                                        u"astar-zero astar"_s, u"astar-potential astar"_s}));
        QVERIFY(QFile::exists(path(u"knossos/report.html"_s)) && QFile::exists(path(u"knossos/runs.csv"_s)));
        QCOMPARE(runCli(command).json()[u"runs_found"_s].toInt(), 3);
        const CliResult other = runCli(command + QStringList{u"--set"_s, u"passes=2"_s});
        QCOMPARE(other.status, 2);
        QVERIFY2(other.errors.contains("training"), other.errors.constData());
        const auto refused = [&](const QStringList& arguments) {
            const CliResult bad =
                runCli(QStringList{u"experiment"_s, u"knossos-arithmetic"_s, u"-o"_s, path(u"none"_s)} + arguments);
            return bad.status == 2 ? bad.errors : QByteArray("not refused");
        };
        QVERIFY(refused({u"--methods"_s, u"term"_s}).contains("terms"));
        QVERIFY(refused({u"--methods"_s, u","_s}).contains("--methods names none"));
        QVERIFY(refused({u"--only"_s, u"figure5"_s}).contains("bootstrap"));
        QVERIFY(refused({u"--evaluations"_s, u"100,many"_s}).contains("many is not a whole number"));
        QVERIFY(refused({u"--evaluations"_s, u"300,100"_s}).contains("ascending"));
        QVERIFY(refused({u"--set"_s, u"pases=2"_s}).contains("passes"));
        QVERIFY(refused({u"--repetitions"_s, u"0"_s}).contains("--repetitions"));
        QVERIFY(!QFile::exists(path(u"none"_s)));
    }

    /// Two networks in one form, and a folder with a model and a file that is none.
    void modelsAreCompiledWithAndWithoutOptimizations() {
        QVERIFY(QDir().mkpath(path(u"suite"_s)));
        write(u"suite/broken.onnx"_s, "no model");
        const QByteArray layer =
            "<ir_version: 8, opset_import: [\"\" : 17]>\n"
            "g (float[4, 8] x, float[8, 2] w) => (float[4, 2] y) {\na = MatMul(x, w)\ny = Relu(a)\n}\n";
        write(u"suite/layer.onnxtxt"_s, layer);
        const QStringList command{u"experiment"_s,    u"pypm"_s,    path(u"suite"_s),       u"--networks"_s,
                                  u"bert"_s,          u"--forms"_s, u"realistic"_s,         u"--costs-only"_s,
                                  u"--repetitions"_s, u"2"_s,       u"--compare-seconds"_s, u"1"_s,
                                  u"--json"_s,        u"-o"_s,      path(u"pypm"_s)};
        const CliResult result = runCli(command);
        QVERIFY2(result.status == 1, result.errors.constData());
        const QJsonObject json = result.json();
        QCOMPARE(json[u"failures"_s].toArray().size(), 1);
        QVERIFY(json[u"failures"_s].toArray()[0][u"run"_s].toString().endsWith(u"broken.onnx"_s));
        const QJsonArray models = json[u"models"_s].toArray();
        QCOMPARE(models.size(), 2);
        QCOMPARE(models[0][u"model"_s].toString(), u"BERT"_s);
        const QJsonArray bert = models[0][u"compilations"_s].toArray();
        QCOMPARE(bert[0][u"matches"_s].toInt(), 0);
        QVERIFY(bert[1][u"matches"_s].toInt() > 0);
        QVERIFY(bert[2][u"matches"_s].toInt() > 0);
        QVERIFY(bert[3][u"speedups"_s][u"cost"_s].toDouble() > 1.0);
        QCOMPARE(models[1][u"suite"_s].toString(), u"suite"_s);
        QCOMPARE(models[1][u"compilations"_s].toArray()[2][u"matches"_s].toInt(), 1);
        QVERIFY(QFile::exists(path(u"pypm/report.html"_s)) && QFile::exists(path(u"pypm/runs.csv"_s)));
        QCOMPARE(runCli(command).json()[u"runs_found"_s].toInt(), 2);
    }

    void badModelsToCompileAreNamed_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("no file") << QStringList{u"nowhere.onnx"_s} << QByteArray("nowhere.onnx");
        QTest::newRow("no model") << QStringList{QStringLiteral(MITOS_SOURCE_DIR "/README.md")}
                                  << QByteArray("not an ONNX model");
        QTest::newRow("folder") << QStringList{QStringLiteral(MITOS_SOURCE_DIR "/resources/rules")}
                                << QByteArray("no ONNX model in");
        QTest::newRow("network") << QStringList{u"--networks"_s, u"resnet-51"_s} << QByteArray("resnet-50");
        QTest::newRow("none at all") << QStringList{u"--networks"_s, u"none"_s} << QByteArray("no model to compile");
        QTest::newRow("form") << QStringList{u"--forms"_s, u"large"_s} << QByteArray("realistic");
        QTest::newRow("level") << QStringList{u"--levels"_s, u"most"_s} << QByteArray("extended");
        QTest::newRow("no level") << QStringList{u"--levels"_s, u","_s} << QByteArray("--levels names none");
        QTest::newRow("part") << QStringList{u"--only"_s, u"figure10"_s} << QByteArray("speedups");
        QTest::newRow("repetitions") << QStringList{u"--repetitions"_s, u"0"_s} << QByteArray("--repetitions");
        QTest::newRow("rules without tags")
            << QStringList{u"--rules"_s, u"tensor-pool"_s} << QByteArray("has the tag attention");
        QTest::newRow("other rules") << QStringList{u"--rules"_s, u"ks-simple"_s} << QByteArray("tensor");
        QTest::newRow("runtime") << QStringList{u"--onnxruntime"_s, u"/bin/true"_s}
                                 << QByteArray("pip install onnxruntime");
        QTest::newRow("sizes") << QStringList{u"--sizes"_s, u"N=0"_s} << QByteArray("N");
    }
    void badModelsToCompileAreNamed() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, message);
        QStringList command{u"experiment"_s, u"pypm"_s, u"-o"_s, path(u"none"_s)};
        if (!arguments.contains(u"--networks"_s)) command += {u"--networks"_s, u"vgg-19"_s};
        const CliResult result = runCli(command + arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.constData());
        QVERIFY(!QFile::exists(path(u"none"_s)));
    }

    void gradientsAreTimedBesideDualNumbers() {
        const QString folder = path(u"gradients"_s);
        const CliResult result = runCli({u"experiment"_s, u"coarsening"_s, u"--programs"_s, u"HMC"_s, u"--seconds"_s,
                                         u"0.01"_s, u"--json"_s, u"-o"_s, folder});
        QVERIFY2(result.status == 0, result.errors.constData());
        const QJsonArray runs = result.json()[u"runs"_s].toArray();
        QCOMPARE(runs.size(), 1);
        QCOMPARE(runs[0][u"benchmark"_s].toString(), u"HMC"_s);
        const QJsonArray configurations = runs[0][u"configurations"_s].toArray();
        QStringList names;
        for (const auto configuration : configurations) names.append(configuration[u"name"_s].toString());
        QCOMPARE(names,
                 (QStringList{u"100 observations of 1"_s, u"1000 observations of 2"_s, u"800 observations of 3"_s}));
        for (const auto configuration : configurations) {
            // Dual numbers are written by hand, and the other gradients are not.
            QCOMPARE(toolsOf(configuration, u"iteration"_s).first(4),
                     (QStringList{u"reverse"_s, u"coarsened"_s, u"loops kept"_s, u"dual numbers"_s}));
            const QStringList gradients = toolsOf(configuration, u"gradient"_s);
            for (const QString& made :
                 {u"primal"_s, u"closed primal"_s, u"with primal"_s, u"smaller segments"_s, u"by statement"_s,
                  u"recomputed"_s, u"masked"_s, u"masked coarsened"_s, u"dual numbers"_s}) {
                QVERIFY2(gradients.contains(made), qPrintable(gradients.join(u", "_s)));
            }
        }
        const QByteArray report = read(folder + u"/report.html"_s);
        const auto at = [&](const char* text) { return report.indexOf(text); };
        QVERIFY(at("Differentiation is 1.03 to 27 times") > 0);
        QVERIFY(at("Differentiation is 1.03 to 27 times") < at("id=\"table3\""));
        QVERIFY(at("Not in Debian 12: Adept, autodiff.") > 0);
        QVERIFY(at("id=\"masks\"") > at("id=\"table3\""));
        QVERIFY(at("id=\"ablations\"") > at("id=\"table3\""));
        QVERIFY(at("Commit") > at("id=\"ablations\""));
        // The paper's speed-ups stand in their columns.
        const QByteArray table = read(folder + u"/table3.csv"_s);
        const qsizetype row = table.indexOf("\"HMC, 800 observations of 3\",");
        QVERIFY(row > 0);
        const QByteArray cells = table.mid(row, table.indexOf("\r\n", row) - row);
        QVERIFY2(cells.contains(",2.54×,") && cells.endsWith(",2.27×"), cells.constData());
        const QByteArray times = read(folder + u"/runs.csv"_s);
        QVERIFY(times.startsWith("benchmark,configuration,measure,tool,median,lowest,highest,spread,calls,apart\r\n"));
        QVERIFY(times.contains("\nHMC,800 observations of 3,iteration,reverse,"));
        // The run is kept, and the report is made of it again.
        QVERIFY(QFile::exists(folder + u"/runs/HMC.json"_s));
        const CliResult again = runCli({u"experiment"_s, u"coarsening"_s, u"--programs"_s, u"HMC"_s, u"--seconds"_s,
                                        u"0.01"_s, u"--only"_s, u"table3"_s, u"--json"_s, u"-o"_s, folder});
        QVERIFY2(again.status == 0, again.errors.constData());
        QCOMPARE(again.json()[u"runs_found"_s].toInt(), 1);
        QCOMPARE(again.json()[u"runs"_s], result.json()[u"runs"_s]);
        // It is not an experiment of the other paper.
        const CliResult other = run({u"--only"_s, u"table1"_s, u"--models"_s, u"vgg-19"_s}, u"gradients"_s);
        QCOMPARE(other.status, 2);
        QVERIFY2(other.errors.contains("experiment is \"coarsening\" there and \"egraph-mcts\" here"),
                 other.errors.constData());
    }

    void badGradientExperimentsAreNamed() {
        const auto refused = [&](const QStringList& arguments) {
            const CliResult result =
                runCli(QStringList{u"experiment"_s, u"coarsening"_s, u"-o"_s, path(u"none"_s)} + arguments);
            return result.status == 2 ? result.errors : QByteArray("not refused");
        };
        QVERIFY(refused({u"--programs"_s, u"BGD"_s}).contains("BGDHyperOpt"));
        QVERIFY(refused({u"--only"_s, u"table9"_s}).contains("table3"));
        QVERIFY(refused({u"--compiler"_s, u"no-such-compiler"_s}).contains("no-such-compiler"));
        QVERIFY(refused({u"--seconds"_s, u"0"_s}).contains("--seconds"));
        QVERIFY(!QFile::exists(path(u"none"_s)));
        write(u"file.txt"_s, "mine");
        const CliResult file = runCli({u"experiment"_s, u"coarsening"_s, u"-o"_s, path(u"file.txt"_s)});
        QCOMPARE(file.status, 2);
        QVERIFY2(file.errors.contains("not a folder"), file.errors.constData());
        QCOMPARE(read(path(u"file.txt"_s)), QByteArray("mine"));
    }
};

MITOS_TEST(TestCliExperiment)

}  // namespace tst_cli_experiment

#include "tst_cli_experiment.moc"
