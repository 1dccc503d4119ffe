// SPDX-License-Identifier: GPL-3.0-or-later
// The command line contract (architecture.md, "The two programs") on real programs.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QTest>
#include <csignal>

namespace tst_cli {

using mitos::tests::CliResult;
using mitos::tests::heedsInterrupts;
using mitos::tests::runCli;
using mitos::tests::sample;

class TestCli : public QObject, private mitos::tests::CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void infoTellsSignatureAndCosts();
    void showRoundTrips();
    void showTellsLoopsAndTheirWork();
    void everySampleParsesPrintsReparsesAndEvaluates_data();
    void everySampleParsesPrintsReparsesAndEvaluates();
    void rewritesListCostChanges();
    void searchOnThePapersExpressions_data();
    void searchOnThePapersExpressions();
    void aThreadIsReplayedAndATamperedOneIsRefused();
    void exportedCppIsCheckedAndTimed();
    void callsTooShortToCompareGetNoRatio();
    void gemmIsSearchedReplayedAndExported();
    void interruptKeepsTheBestSoFar();
    void evalRunsMainAndFunctions();
    void rulesAreCheckedListedAndTested();
    void aWrongRuleIsCaught();
    void listsNameWhatThereIs();
    void rulesAreLeftOut();
    void standardInputIsAProgram();
};

void TestCli::infoTellsSignatureAndCosts() {
    const CliResult result =
        runCli({QStringLiteral("info"), sample(QStringLiteral("linear-algebra/gemm.ks")), QStringLiteral("--json")});
    QCOMPARE(result.status, 0);
    const QJsonObject costs = result.json()[QStringLiteral("costs")].toObject();
    // knossos-optimizer.md 3.1: the paper's Figure 4 starts at 7160405.1; its profile gives 7160400.8 for the listing.
    QVERIFY(qAbs(costs[QStringLiteral("ks-2019")].toDouble() - 7160400.8) < 0.05);
    QVERIFY(costs.contains(QStringLiteral("ks-2021")) && costs.contains(QStringLiteral("size")));
    QCOMPARE(result.json()[QStringLiteral("program")].toString(), QStringLiteral("gemm"));
}

void TestCli::showRoundTrips() {
    const QString file = sample(QStringLiteral("linear-algebra/gemm.ks"));
    const CliResult text = runCli({QStringLiteral("show"), file});
    QCOMPARE(text.status, 0);
    const CliResult again = runCli({QStringLiteral("show"), QStringLiteral("-")}, text.output);
    QCOMPARE(again.output, text.output);
    for (const char* as : {"tree", "dot", "svg"}) {
        const CliResult drawn = runCli({QStringLiteral("show"), file, QStringLiteral("--as"), QLatin1String(as)});
        QCOMPARE(drawn.status, 0);
        QVERIFY(drawn.output.contains("sumbuild"));
    }
    const QByteArray math =
        runCli({QStringLiteral("show"), file, QStringLiteral("--as"), QStringLiteral("math")}).output;
    QVERIFY2(math.startsWith("gemm(α, mat_a, mat_b, β, mat_c) =\n"), math.constData());
    const QByteArray latex =
        runCli({QStringLiteral("show"), file, QStringLiteral("--as"), QStringLiteral("latex")}).output;
    QVERIFY2(
        latex.startsWith("\\begin{align*}\n&\\operatorname{gemm}(\\alpha, ") && latex.endsWith("\n\\end{align*}\n"),
        latex.constData());
    // Called functions come first.
    const CliResult called =
        runCli({QStringLiteral("show"), QStringLiteral("-"), QStringLiteral("--as"), QStringLiteral("math")},
               "(def sq Float (x : Float) (mul x x))\n(def f Float (y : Float) (add (sq y) 1.0))\n");
    QCOMPARE(called.output, QByteArray("sq(x) = x · x\n\nf(y) = sq(y) + 1\n"));
}

void TestCli::showTellsLoopsAndTheirWork() {
    const QStringList show{QStringLiteral("show"), QStringLiteral("-"), QStringLiteral("--as"),
                           QStringLiteral("loops")};
    const CliResult result =
        runCli(show, "(def f (Vec Float) (v : Vec n Float) (build n (lam (i : Integer) (exp (mul 2.0 (index i v))))))");
    QVERIFY2(result.status == 0, result.errors.constData());
    QCOMPARE(result.output, QByteArray("f(v: (Vec n Float)): (Vec Float)\n"
                                       "    n = size(v)\n"
                                       "    var result = unset(n)\n"
                                       "    for i to n  # n operations, n exp, 8*n bytes read, 8*n bytes written\n"
                                       "        result[i] := exp(2.0 * v[i])\n"
                                       "    return result\n"));
    const CliResult network =
        runCli({QStringLiteral("show"), QStringLiteral("-"), QStringLiteral("--as"), QStringLiteral("loops")},
               "graph f(x: f32[4])\n  return Relu(x)\n");
    QCOMPARE(network.status, 2);
    QVERIFY2(network.errors.contains("a tensor program has no loop form"), network.errors.constData());
}

void TestCli::everySampleParsesPrintsReparsesAndEvaluates_data() {
    QTest::addColumn<QString>("file");
    QDirIterator files(sample({}), {QStringLiteral("*.ks")}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        QTest::newRow(qPrintable(QDir(sample({})).relativeFilePath(file))) << file;
    }
}

void TestCli::everySampleParsesPrintsReparsesAndEvaluates() {
    QFETCH(const QString, file);
    const CliResult text = runCli({QStringLiteral("show"), file});
    QCOMPARE(text.status, 0);
    const CliResult again = runCli({QStringLiteral("show"), QStringLiteral("-")}, text.output);
    QCOMPARE(again.output, text.output);
    const CliResult value =
        runCli({QStringLiteral("eval"), file, QStringLiteral("--random"), QStringLiteral("--json")});
    QVERIFY2(value.status == 0, value.errors.constData());
    QVERIFY(value.json().contains(QStringLiteral("value")));
}

void TestCli::rewritesListCostChanges() {
    const CliResult result =
        runCli({QStringLiteral("rewrites"), QStringLiteral("-"), QStringLiteral("--json")}, "(div (mul x y) x)");
    QCOMPARE(result.status, 0);
    bool divides = false;
    for (const auto& value : result.json()[QStringLiteral("rewrites")].toArray()) {
        const QJsonObject rewrite = value.toObject();
        QCOMPARE(rewrite[QStringLiteral("cost_before")].toDouble(), 4.0);
        QVERIFY(rewrite[QStringLiteral("cost_after")].isDouble());
        // Table 3: (div (mul a b) c) -> (mul (div a c) b), no cost change.
        if (rewrite[QStringLiteral("result")].toString().contains(QStringLiteral("(mul (div x x) y)"))) {
            divides = true;
            QCOMPARE(rewrite[QStringLiteral("cost_after")].toDouble(), 4.0);
            QCOMPARE(rewrite[QStringLiteral("position")].toString(), QStringLiteral("/"));
            QCOMPARE(rewrite[QStringLiteral("direction")].toString(), QStringLiteral("forward"));
        }
    }
    QVERIFY(divides);
}

void TestCli::searchOnThePapersExpressions_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("initial");
    QTest::addColumn<double>("best");
    // Table 6 of the paper, costs as in knossos-optimizer.md 3.3. 4, 5 and 8 reach the best cost known within the paper's
    // 5,000 evaluations; the others need a value function (or more evaluations), so they only must not get worse.
    const double initial[] = {7, 10, 10, 6, 6, 10, 8, 7};
    const double best[] = {7, 10, 10, 4.1, 4.1, 10, 8, 5.1};
    for (int i = 0; i < 8; ++i) {
        QTest::addRow("table6-%d", i + 1)
            << sample(QStringLiteral("arithmetic/table6-%1.ks").arg(i + 1)) << initial[i] << best[i];
    }
}

void TestCli::searchOnThePapersExpressions() {
    QFETCH(const QString, file);
    QFETCH(const double, initial);
    QFETCH(const double, best);
    const QString thread = path(QStringLiteral("found.thread"));
    const CliResult found =
        runCli({QStringLiteral("optimize"), file, QStringLiteral("--strategy"), QStringLiteral("astar"),
                QStringLiteral("--rules"), QStringLiteral("ks-simple"), QStringLiteral("--evaluations"),
                QStringLiteral("5000"), QStringLiteral("--thread"), thread, QStringLiteral("--json")});
    QVERIFY2(found.status == 0, found.errors.constData());
    const QJsonObject json = found.json();
    QCOMPARE(json[QStringLiteral("initial_cost")].toDouble(), initial);
    QVERIFY2(json[QStringLiteral("best_cost")].toDouble() <= best + 1e-9, found.output.constData());
    QVERIFY(json[QStringLiteral("evaluations")].toInt() <= 5000);
    QCOMPARE(json[QStringLiteral("thread_checked")].toBool(), true);
    QCOMPARE(json[QStringLiteral("equivalent")].toBool(), true);
    for (const char* field : {"program", "states", "seconds", "stop", "thread_length", "seed"}) {
        QVERIFY2(json.contains(QLatin1String(field)), field);
    }
    const CliResult replayed = runCli({QStringLiteral("apply"), file, QStringLiteral("--steps"), thread,
                                       QStringLiteral("--check"), QStringLiteral("--json")});
    QCOMPARE(replayed.status, 0);
    QCOMPARE(replayed.json()[QStringLiteral("valid")].toBool(), true);
    QCOMPARE(replayed.json()[QStringLiteral("steps")].toInt(), json[QStringLiteral("thread_length")].toInt());
    QCOMPARE(replayed.json()[QStringLiteral("final_cost")].toDouble(), json[QStringLiteral("best_cost")].toDouble());
}

void TestCli::aThreadIsReplayedAndATamperedOneIsRefused() {
    const QString file = sample(QStringLiteral("arithmetic/table6-1.ks"));
    const QString thread = path(QStringLiteral("t.thread"));
    QCOMPARE(runCli({QStringLiteral("optimize"), file, QStringLiteral("--evaluations"), QStringLiteral("2000"),
                     QStringLiteral("--thread"), thread})
                 .status,
             0);
    QFile stored(thread);
    QVERIFY(stored.open(QIODevice::ReadOnly));
    QByteArray text = stored.readAll();
    const qsizetype at = text.indexOf("\n1. ");
    QVERIFY2(at >= 0, text.constData());
    const qsizetype position = text.indexOf(" at /", at);
    QVERIFY(position > 0);
    // A place the program does not have.
    text.insert(position + 5, text[position + 5] == ' ' ? "7/7" : "7/7/");
    const CliResult refused = runCli({QStringLiteral("apply"), file, QStringLiteral("--steps"),
                                      write(QStringLiteral("bad.thread"), text), QStringLiteral("--json")});
    QCOMPARE(refused.status, 1);
    QCOMPARE(refused.json()[QStringLiteral("valid")].toBool(), false);
    QCOMPARE(refused.json()[QStringLiteral("failed_step")].toInt(), 1);
    // A cost that the model does not give: that of the last step plus 0.5.
    QFile again(thread);
    QVERIFY(again.open(QIODevice::ReadOnly));
    QByteArray dearer = again.readAll();
    const qsizetype cost = dearer.lastIndexOf("  cost ") + 7;
    const qsizetype digits = dearer.indexOf(' ', cost) - cost;
    dearer.replace(cost, digits, QByteArray::number(dearer.mid(cost, digits).toDouble() + 0.5));
    const CliResult lied = runCli({QStringLiteral("apply"), file, QStringLiteral("--steps"),
                                   write(QStringLiteral("dearer.thread"), dearer), QStringLiteral("--json")});
    QCOMPARE(lied.status, 1);
    QVERIFY2(lied.errors.contains("(ks-2021), not") && lied.errors.contains("(line "), lied.errors.constData());
    // It is not a thread of another program.
    const CliResult other = runCli(
        {QStringLiteral("apply"), sample(QStringLiteral("arithmetic/table6-4.ks")), QStringLiteral("--steps"), thread});
    QCOMPARE(other.status, 2);
    QVERIFY(other.errors.contains("does not start at"));
}

void TestCli::exportedCppIsCheckedAndTimed() {
    const QString out = path(QStringLiteral("axpy.cpp"));
    const CliResult result =
        runCli({QStringLiteral("export"), sample(QStringLiteral("linear-algebra/axpy.ks")), QStringLiteral("--to"),
                QStringLiteral("cpp"), QStringLiteral("-o"), out, QStringLiteral("--check"), QStringLiteral("--json")});
    QVERIFY2(result.status == 0, result.errors.constData());
    QCOMPARE(result.json()[QStringLiteral("compiled")].toBool(), true);
    QVERIFY(result.json()[QStringLiteral("max_error")].toDouble() < 1e-9);
    QVERIFY(result.json()[QStringLiteral("input_seconds")].toDouble() > 0.0);
    QVERIFY(result.json()[QStringLiteral("output_seconds")].toDouble() > 0.0);
    QVERIFY(QFile(out).size() > 200);
}

void TestCli::callsTooShortToCompareGetNoRatio() {
    const QString file = sample(QStringLiteral("arithmetic/table6-4.ks"));
    const QStringList check{QStringLiteral("export"),
                            file,
                            QStringLiteral("--to"),
                            QStringLiteral("cpp"),
                            QStringLiteral("--check"),
                            QStringLiteral("-o"),
                            path(QStringLiteral("short.cpp")),
                            QStringLiteral("--seconds"),
                            QStringLiteral("0.2")};
    const CliResult words = runCli(check);
    QVERIFY2(words.status == 0, words.errors.constData());
    QVERIFY2(words.output.contains("too short to compare"), words.output.constData());
    QVERIFY(!words.output.contains("times as fast"));
    const CliResult sized =
        runCli({QStringLiteral("export"), sample(QStringLiteral("linear-algebra/gemm.ks")), QStringLiteral("--to"),
                QStringLiteral("cpp"), QStringLiteral("--check"), QStringLiteral("--size"), QStringLiteral("60"),
                QStringLiteral("--seconds"), QStringLiteral("0.2"), QStringLiteral("--json")});
    QVERIFY2(sized.status == 0, sized.errors.constData());
    QCOMPARE(sized.json()[QStringLiteral("size")].toInt(), 60);
    QCOMPARE(sized.json()[QStringLiteral("too_short")].toBool(), false);
}

void TestCli::gemmIsSearchedReplayedAndExported() {
    const QString file = sample(QStringLiteral("linear-algebra/gemm.ks"));
    const QString thread = path(QStringLiteral("gemm.thread"));
    const CliResult found = runCli({QStringLiteral("optimize"), file, QStringLiteral("--evaluations"),
                                    QStringLiteral("1000"), QStringLiteral("--set"), QStringLiteral("depth=30"),
                                    QStringLiteral("--thread"), thread, QStringLiteral("--json")});
    QVERIFY2(found.status == 0, found.errors.constData());
    QVERIFY(found.json()[QStringLiteral("best_cost")].toDouble() <
            found.json()[QStringLiteral("initial_cost")].toDouble());
    QCOMPARE(
        runCli({QStringLiteral("apply"), file, QStringLiteral("--steps"), thread, QStringLiteral("--check")}).status,
        0);
    const CliResult checked =
        runCli({QStringLiteral("export"), file, QStringLiteral("--steps"), thread, QStringLiteral("--to"),
                QStringLiteral("cpp"), QStringLiteral("--check"), QStringLiteral("--json")});
    QVERIFY2(checked.status == 0, checked.errors.constData());
    QVERIFY(checked.json()[QStringLiteral("max_error")].toDouble() < 1e-9);
}

void TestCli::interruptKeepsTheBestSoFar() {
    QProcess process;
    process.start(
        QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
        {QStringLiteral("optimize"), sample(QStringLiteral("linear-algebra/gemm.ks")), QStringLiteral("--seconds"),
         QStringLiteral("600"), QStringLiteral("--set"), QStringLiteral("depth=40"), QStringLiteral("--json")});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(heedsInterrupts(process.processId()), 30'000);
    QVERIFY(!process.waitForFinished(1500));  // it searches
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(30'000));
    QCOMPARE(process.exitCode(), 0);
    const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    QCOMPARE(json[QStringLiteral("stop")].toString(), QStringLiteral("stopped"));
    QCOMPARE(json[QStringLiteral("thread_checked")].toBool(), true);
}

void TestCli::evalRunsMainAndFunctions() {
    const QString file = write(QStringLiteral("main.ks"),
                               "(def twice Float (x : Float) (mul 2.0 x))\n"
                               "(def main Integer () (print \"twice: \" (twice 2.5)))\n");
    const CliResult main = runCli({QStringLiteral("eval"), file, QStringLiteral("--json")});
    QVERIFY2(main.status == 0, main.errors.constData());
    QVERIFY(main.json()[QStringLiteral("printed")].toString().startsWith(QStringLiteral("twice: 5")));
    QCOMPARE(main.json()[QStringLiteral("value")].toInt(), 1);  // print gives count − 1
    const CliResult twice = runCli({QStringLiteral("eval"), file, QStringLiteral("--function"), QStringLiteral("twice"),
                                    QStringLiteral("--inputs"), QStringLiteral("[4]"), QStringLiteral("--json")});
    QCOMPARE(twice.json()[QStringLiteral("value")].toDouble(), 8.0);
    const CliResult wrong = runCli({QStringLiteral("eval"), file, QStringLiteral("--function"), QStringLiteral("twice"),
                                    QStringLiteral("--inputs"), QStringLiteral("[true]")});
    QCOMPARE(wrong.status, 2);
    QVERIFY(wrong.errors.contains("Float"));
}

void TestCli::rulesAreCheckedListedAndTested() {
    for (const char* set : {"ks-simple", "ks-extended"}) {
        QCOMPARE(runCli({QStringLiteral("rules"), QStringLiteral("check"), QLatin1String(set)}).status, 0);
        const CliResult list =
            runCli({QStringLiteral("rules"), QStringLiteral("list"), QLatin1String(set), QStringLiteral("--json")});
        // Tables 3 and 4 hold 33 and 18 lines; select over tuples may take more than one rule.
        QVERIFY(list.json()[QStringLiteral("rules")].toArray().size() >=
                (QLatin1String(set) == QLatin1String("ks-simple") ? 33 : 18));
    }
    const CliResult test = runCli({QStringLiteral("rules"), QStringLiteral("test"), QStringLiteral("ks-simple"),
                                   QStringLiteral("--samples"), QStringLiteral("20"), QStringLiteral("--json")});
    QVERIFY2(test.status == 0, test.output.constData());
    for (const auto& rule : test.json()[QStringLiteral("rules")].toArray()) {
        QCOMPARE(rule[QStringLiteral("verdict")].toString(), QStringLiteral("pass"));
        QVERIFY(rule[QStringLiteral("samples")].toInt() > 0);
    }
}

void TestCli::aWrongRuleIsCaught() {
    const QString file = write(QStringLiteral("wrong.rules"), "# Not true.\nrule swap_sub [exact]: a - b => b - a\n");
    const CliResult test = runCli({QStringLiteral("rules"), QStringLiteral("test"), file, QStringLiteral("--json")});
    QCOMPARE(test.status, 1);
    const QJsonObject rule = test.json()[QStringLiteral("rules")].toArray()[0].toObject();
    QCOMPARE(rule[QStringLiteral("verdict")].toString(), QStringLiteral("fail"));
    QCOMPARE(rule[QStringLiteral("counterexample")].toString(), QStringLiteral("(sub 1 0) = 1, but (sub 0 1) = -1"));
    QCOMPARE(rule[QStringLiteral("shrunk")][QStringLiteral("before")].toString(), QStringLiteral("(sub 1 0)"));
    QCOMPARE(test.json()[QStringLiteral("tolerance")].toDouble(), 1e-8);
    const CliResult shown = runCli({QStringLiteral("rules"), QStringLiteral("test"), file});
    QCOMPARE(shown.status, 1);
    QVERIFY2(shown.output.contains("          rule swap_sub [exact]: a - b => b - a\n"
                                   "          before  (sub 1 0) = 1\n"
                                   "          after   (sub 0 1) = -1\n"),
             shown.output.constData());
    QVERIFY(shown.output.contains("tolerance 0 for exact rules"));
}

void TestCli::listsNameWhatThereIs() {
    const auto names = [](const QString& command) {
        QStringList found;
        for (const auto& entry : runCli({command, QStringLiteral("--json")}).json()[command].toArray()) {
            found.append(entry[QStringLiteral("name")].toString());
        }
        return found;
    };
    const QStringList strategies = names(QStringLiteral("strategies"));
    QVERIFY(strategies.contains(QStringLiteral("random")) && strategies.contains(QStringLiteral("greedy")) &&
            strategies.contains(QStringLiteral("astar")));
    const QStringList costs = names(QStringLiteral("costs"));
    QVERIFY(costs.contains(QStringLiteral("size")) && costs.contains(QStringLiteral("ks-2021")) &&
            costs.contains(QStringLiteral("ks-2019")) && costs.contains(QStringLiteral("ks-sized")));
    const QStringList sets = names(QStringLiteral("rulesets"));
    QVERIFY(sets.contains(QStringLiteral("ks-simple")) && sets.contains(QStringLiteral("ks-extended")) &&
            sets.contains(QStringLiteral("ks-all")));
    const CliResult all = runCli({QStringLiteral("rules"), QStringLiteral("list"), QStringLiteral("ks-all")});
    QVERIFY(all.output.startsWith("ks-all: All rules for ks programs ("));
    QVERIFY(all.output.contains("\n  from ks-log-exp\n  log_of_exp "));
}

/// A rule that is left out is missing in lists, searches and saturations alike.
void TestCli::rulesAreLeftOut() {
    const QByteArray program = "(add (mul x 1.0) 0.0)";
    const auto rulesOf = [&](const QString& sets) {
        QStringList names;
        const CliResult result = runCli({QStringLiteral("rewrites"), QStringLiteral("-"), QStringLiteral("--rules"),
                                         sets, QStringLiteral("--json")},
                                        program);
        for (const auto& one : result.json()[QStringLiteral("rewrites")].toArray())
            names.append(one[QStringLiteral("rule")].toString());
        return names.join(QLatin1Char(' '));
    };
    QCOMPARE(rulesOf(QStringLiteral("ks-simple")), QStringLiteral("commute_add new_bind commute_mul new_bind"));
    QCOMPARE(rulesOf(QStringLiteral("ks-simple,-commute_mul")), QStringLiteral("commute_add new_bind new_bind"));
    QCOMPARE(rulesOf(QStringLiteral("-new_bind, ks-simple, -commute_mul")), QStringLiteral("commute_add"));
    const auto best = [&](const QString& strategy, const QString& sets) {
        return runCli({QStringLiteral("optimize"), QStringLiteral("-"), QStringLiteral("--strategy"), strategy,
                       QStringLiteral("--rules"), sets, QStringLiteral("--json")},
                      "(add (mul a b) (mul a c))")
            .json()[QStringLiteral("best_cost")]
            .toDouble();
    };
    for (const QString& strategy : {QStringLiteral("greedy"), QStringLiteral("saturation")}) {
        QCOMPARE(best(strategy, QStringLiteral("ks-algebraic")), 3.0);
        QCOMPARE(best(strategy, QStringLiteral("ks-algebraic,-add_of_muls")), 5.0);
    }
    const CliResult list = runCli({QStringLiteral("rules"), QStringLiteral("list"),
                                   sample(QStringLiteral("egraphs/assoc-comm.rules")) + QStringLiteral(",-commute")});
    QVERIFY2(list.output.contains("(1 rules)") && !list.output.contains("rule commute"), list.output.constData());
}

void TestCli::standardInputIsAProgram() {
    const CliResult result = runCli({QStringLiteral("info"), QStringLiteral("-"), QStringLiteral("--json")},
                                    "(div (div 1.0 x) (add 1.0 (div 1.0 x)))");
    QCOMPARE(result.status, 0);
    QCOMPARE(result.json()[QStringLiteral("costs")][QStringLiteral("ks-2021")].toDouble(), 7.0);
}

MITOS_TEST(TestCli)

}  // namespace tst_cli

#include "tst_cli.moc"
