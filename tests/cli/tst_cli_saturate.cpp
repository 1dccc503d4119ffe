// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli saturate: the contract's fields, limits, threads that replay, files for other tools, bad input.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <cmath>

namespace tst_cli_saturate {

using namespace Qt::StringLiterals;
using namespace mitos::tests;

class TestCliSaturate : public QObject, private mitos::tests::CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_ac = write(
            u"ac.rules"_s,
            "op f(x, y) -> 1\nrule commute: f(x, y) => f(y, x)\nrule associate: f(f(x, y), z) => f(x, f(y, z))\n");
        m_edges = write(u"edges.rules"_s,
                        "op path(x, y) -> 1\nop fact(x) -> 1\nop yes() -> 1\n"
                        "rule trans: path(x, y), path(y, z) => path(x, z), path(y, z)\n"
                        "rule given: fact(x) => x\nrule holds: fact(x) => yes()\n");
    }

    void fieldsOfTheContract() {
        const QJsonObject result = saturate({u"--rules"_s, m_ac, u"--term"_s, u"f(a, f(b, f(c, d)))"_s});
        QCOMPARE(result[u"stop"_s].toString(), u"saturated"_s);
        const QJsonArray iterations = result[u"iterations"_s].toArray();
        QVERIFY(iterations.size() >= 2);
        const QJsonObject last = iterations.last().toObject();
        QCOMPARE(last[u"nodes"_s].toInt(), 81 - 32 + 1 + 4);  // 3^n - 2^(n+1) + 1 + n
        QCOMPARE(last[u"classes"_s].toInt(), 15);
        QVERIFY(last[u"seconds"_s].isDouble() && last[u"bytes"_s].toDouble() > 0.0);
        QCOMPARE(iterations.first().toObject()[u"applied"_s].toObject()[u"commute"_s].toInt(), 3);
        const QJsonObject term = result[u"terms"_s].toArray().first().toObject();
        QCOMPARE(term[u"term"_s].toString(), u"(f a (f b (f c d)))"_s);
        QCOMPARE(term[u"size"_s].toInt(), 7);
    }

    /// With the numbers that their comments state.
    void samples() {
        const QString commutes = sample(u"egraphs/assoc-comm.rules"_s);
        const QJsonObject grown = saturate({u"--rules"_s, commutes, u"--term"_s, u"f(a, f(b, f(c, f(d, e))))"_s});
        QCOMPARE(grown[u"iterations"_s].toArray().last().toObject()[u"nodes"_s].toInt(), 243 - 64 + 1 + 5);
        // Ten e-nodes are too few for all rules at once, and enough for those that tree search chooses.
        const QStringList small{u"--rules"_s, sample(u"egraphs/phase-order.rules"_s),
                                u"--term"_s,  u"over(times(a, two()), two())"_s,
                                u"--nodes"_s, u"10"_s};
        const auto smallest = [&](const QStringList& scheduler) {
            return saturate(small + scheduler)[u"terms"_s].toArray().first().toObject()[u"smallest"_s].toString();
        };
        QCOMPARE(smallest({}), u"(over (times a (two)) (two))"_s);
        QCOMPARE(smallest({u"--scheduler"_s, u"mcts"_s}), u"a"_s);
        const QString closure = sample(u"egraphs/closure.rules"_s);
        const QJsonObject closed = saturate({u"--rules"_s, closure, u"--term"_s, u"fact(path(a, b))"_s, u"--term"_s,
                                             u"fact(path(b, c))"_s, u"--term"_s, u"fact(path(c, d))"_s});
        QCOMPARE(closed[u"stop"_s].toString(), u"saturated"_s);
        // 3 · 4 / 2 paths, 4 points, one fact, yes.
        QCOMPARE(closed[u"iterations"_s].toArray().last().toObject()[u"nodes"_s].toInt(), 6 + 4 + 1 + 1);
    }

    void bothNotations() {
        const QJsonObject rules = saturate({u"--rules"_s, m_ac, u"--term"_s, u"f(a, b)"_s});
        const QJsonObject ks = saturate({u"--rules"_s, m_ac, u"--term"_s, u"(f a b)"_s});
        QCOMPARE(rules[u"terms"_s].toArray(), ks[u"terms"_s].toArray());
    }

    void aMultiPatternSaturates() {
        QStringList arguments{u"--rules"_s, m_edges};
        for (int i = 0; i < 6; ++i) arguments << u"--term"_s << u"fact(path(a%1, a%2))"_s.arg(i).arg(i + 1);
        const QJsonObject result = saturate(arguments);
        QCOMPARE(result[u"stop"_s].toString(), u"saturated"_s);
        const QJsonObject last = result[u"iterations"_s].toArray().last().toObject();
        // 6 · 7 / 2 paths, 7 points, 6 facts (all of them one e-node in the end), yes.
        QCOMPARE(last[u"nodes"_s].toInt(), 21 + 7 + 1 + 1);
        const QJsonArray terms = result[u"terms"_s].toArray();
        for (const QJsonValueConstRef term : terms) {
            QCOMPARE(term.toObject()[u"smallest"_s].toString(), u"(yes)"_s);
            QVERIFY(term.toObject()[u"thread_checked"_s].toBool());
        }
    }

    void programsGetThreads() {
        const QString thread = path(u"t.thread"_s);
        const QString program = write(u"p.ks"_s, "(def f Float (x : Float) (mul (add x 0.0) (sub 3.0 2.0)))");
        const QJsonObject result = saturate({u"--program"_s, program, u"--thread"_s, thread, u"--nodes"_s, u"2000"_s});
        const QJsonObject term = result[u"terms"_s].toArray().first().toObject();
        QCOMPARE(term[u"smallest"_s].toString(), u"x"_s);
        QVERIFY(term[u"thread_checked"_s].toBool());
        const CliResult replay = runCli({u"apply"_s, program, u"--steps"_s, thread, u"--json"_s});
        QCOMPARE(replay.status, 0);
        QCOMPARE(replay.json()[u"valid"_s].toBool(), true);
        QCOMPARE(replay.json()[u"steps"_s].toInt(), term[u"thread_length"_s].toInt());
    }

    void costModels() {
        const QString program = write(u"loop.ks"_s,
                                      "(def f (Vec Float) ((n : Integer) (x : Float))"
                                      " (build n (lam (i : Integer) (div (mul (exp x) 2.0) 2.0))))");
        const QStringList arguments{u"--program"_s, program, u"--nodes"_s, u"2000"_s, u"--cost"_s, u"ks-2021"_s};
        const QJsonObject tree = saturate(arguments);
        QCOMPARE(tree[u"cost_model"_s].toString(), u"ks-2021"_s);
        const QJsonObject term = tree[u"terms"_s].toArray().first().toObject();
        QVERIFY(term[u"thread_checked"_s].toBool());
        // The same program as `optimize` would price it.
        const QString least = write(u"least.ks"_s, "(def f (Vec Float) ((n : Integer) (x : Float)) " +
                                                       term[u"smallest"_s].toString().toUtf8() + ")");
        const CliResult info = runCli({u"info"_s, least, u"--json"_s});
        QCOMPARE(info.status, 0);
        QVERIFY2(info.output.contains(QByteArray::number(term[u"cost"_s].toDouble())), info.output.constData());
        // Costs of e-nodes add up to the cost of the term, so methods for sharing find nothing more expensive here.
        const QJsonObject dag = saturate(arguments + QStringList{u"--method"_s, u"dag"_s});
        QCOMPARE(dag[u"terms"_s].toArray().first().toObject()[u"cost"_s].toDouble(), term[u"cost"_s].toDouble());
    }

    void gains() {
        const QString program =
            write(u"gains.ks"_s, "(def f Float (x : Float) (add (mul 1.0 x) (div (mul x 2.0) 2.0)))");
        const QStringList arguments{u"--program"_s, program, u"--nodes"_s, u"2000"_s};
        const QJsonObject result = saturate(arguments + QStringList{u"--cost"_s, u"ks-2021"_s});
        double last = result[u"start_cost"_s].toDouble();
        double whole = 0.0;
        const QJsonArray iterations = result[u"iterations"_s].toArray();
        for (const QJsonValueConstRef iteration : iterations) {
            double sum = 0.0;
            const QJsonObject gains = iteration.toObject()[u"gain"_s].toObject();
            for (const QJsonValueConstRef gain : gains) sum += gain.toDouble();
            const double cost = iteration.toObject()[u"cost"_s].toDouble();
            QVERIFY(std::abs(last - cost - sum) < 1e-6);
            whole += sum;
            last = cost;
        }
        QVERIFY(whole > 0.0);
        QCOMPARE(last, result[u"terms"_s].toArray().first().toObject()[u"cost"_s].toDouble());
        // Costs were not requested, so gains of rules are unknown.
        const QJsonObject plain = saturate(arguments);
        QVERIFY(!plain.contains(u"start_cost"_s));
        QVERIFY(!plain[u"iterations"_s].toArray().first().toObject().contains(u"gain"_s));
        const QJsonObject silent = saturate(arguments + QStringList{u"--cost"_s, u"ks-2021"_s, u"--no-reasons"_s});
        QCOMPARE(silent[u"iterations"_s].toArray().last().toObject()[u"cost"_s].toDouble(), last);
        QVERIFY(!silent[u"iterations"_s].toArray().first().toObject().contains(u"gain"_s));
        QCOMPARE(silent[u"gain_detail"_s].toString(), u"the e-graph keeps no reasons"_s);
        const CliResult text = runCli(QStringList{u"saturate"_s} + arguments + QStringList{u"--cost"_s, u"ks-2021"_s});
        QVERIFY2(text.output.contains("what the rules gained"), text.output.constData());
    }

    void filesForOtherTools() {
        const QString file = path(u"g.json"_s);
        saturate({u"--rules"_s, m_ac, u"--term"_s, u"f(a, f(b, c))"_s, u"-o"_s, file});
        const CliResult extracted = runCli({u"extract"_s, file, u"--method"_s, u"tree"_s, u"--json"_s});
        QCOMPARE(extracted.status, 0);
        QCOMPARE(extracted.json()[u"tree_cost"_s].toInt(), 5);
        QCOMPARE(extracted.json()[u"nodes"_s].toInt(), 27 - 16 + 1 + 3);
        // A program by itself: equal subterms are one e-node.
        const QString program = write(u"s.ks"_s, "(mul (add x y) (add x y))");
        QCOMPARE(runCli({u"export"_s, program, u"--to"_s, u"egraph-json"_s, u"-o"_s, file}).status, 0);
        const CliResult alone = runCli({u"extract"_s, file, u"--method"_s, u"dag"_s, u"--json"_s});
        QCOMPARE(alone.json()[u"cost"_s].toInt(), 4);
        QCOMPARE(alone.json()[u"tree_cost"_s].toInt(), 7);
    }

    /// The result is printed before it is written.
    void aFullDiskLosesNoResult() {
        const QString full = u"/dev/full"_s;
        // Linux has it; elsewhere a disk cannot be filled without rights.
        if (!QFile::exists(full)) QSKIP("there is no file here that is always full");
        const CliResult result =
            runCli({u"saturate"_s, u"--rules"_s, m_ac, u"--term"_s, u"f(a, f(b, c))"_s, u"--json"_s, u"-o"_s, full});
        QCOMPARE(result.status, 2);
        QCOMPARE(result.json()[u"stop"_s].toString(), u"saturated"_s);
        QVERIFY2(result.errors.contains("could not be written"), result.errors.constData());
    }

    void limits_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("stop");
        QTest::newRow("nodes") << QStringList{u"--nodes"_s, u"500"_s} << u"nodes"_s;
        QTest::newRow("iterations") << QStringList{u"--iterations"_s, u"3"_s} << u"iterations"_s;
        QTest::newRow("seconds") << QStringList{u"--seconds"_s, u"0.05"_s} << u"seconds"_s;
        QTest::newRow("memory") << QStringList{u"--memory"_s, u"8"_s} << u"memory"_s;
    }
    void limits() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, stop);
        QString term = u"a0"_s;
        for (int i = 1; i < 14; ++i) term = u"f(a%1, %2)"_s.arg(i).arg(term);
        const QJsonObject result = saturate(QStringList{u"--rules"_s, m_ac, u"--term"_s, term} + arguments);
        QCOMPARE(result[u"stop"_s].toString(), stop);
        const QJsonObject last = result[u"iterations"_s].toArray().last().toObject();
        if (stop == u"nodes"_s) QVERIFY(last[u"nodes"_s].toInt() <= 500);
        if (stop == u"memory"_s) QVERIFY(last[u"bytes"_s].toDouble() < 16.0 * 1024 * 1024);
        QVERIFY(result[u"terms"_s].toArray().first().toObject()[u"thread_checked"_s].toBool());
    }

    void contradictions() {
        const QString rules = write(u"bad.rules"_s, "use ks\nrule zero: x * 0.0 => 0.0\nrule bad: x * 0.0 => 1.0\n");
        const CliResult result =
            runCli({u"saturate"_s, u"--rules"_s, rules, u"--insist"_s, u"--term"_s, u"a * 0.0"_s, u"--json"_s});
        QCOMPARE(result.status, 0);
        QCOMPARE(result.json()[u"stop"_s].toString(), u"saturated"_s);
        const QJsonObject leftOut = result.json()[u"left_out"_s].toArray().first().toObject();
        QCOMPARE(leftOut[u"rule"_s].toString(), u"bad"_s);
        const QString reason = leftOut[u"reason"_s].toString();
        QVERIFY2(reason.contains(u"became equal"_s) && reason.contains(u"bad"_s) && reason.contains(u"zero"_s),
                 qPrintable(reason));
        const QJsonObject term = result.json()[u"terms"_s].toArray().first().toObject();
        QCOMPARE(term[u"smallest"_s].toString(), u"0.0"_s);
        QVERIFY(term[u"thread_checked"_s].toBool());
        // The table tells the two runs apart.
        const CliResult table = runCli({u"saturate"_s, u"--rules"_s, rules, u"--insist"_s, u"--term"_s, u"a * 0.0"_s});
        QVERIFY2(table.output.contains("\nstarting again without bad:\n"), table.output.constData());
    }

    /// Without limits it still ends, and reports at which limit.
    void usualLimits() {
        const QJsonObject result = saturate({u"--rules"_s, m_ac, u"--term"_s, u"f(a, b)"_s});
        const QJsonObject limits = result[u"limits"_s].toObject();
        QCOMPARE(limits[u"nodes"_s].toInt(), 1'000'000);
        QCOMPARE(limits[u"seconds"_s].toInt(), 60);
        const CliResult asked =
            runCli({u"saturate"_s, u"--rules"_s, m_ac, u"--term"_s, u"f(a, b)"_s, u"--iterations"_s, u"3"_s});
        QVERIFY2(asked.output.contains("limits: 3 iterations, 1000000 e-nodes, 4096 MiB"), asked.output.constData());
    }

    void goals() {
        const QString thread = path(u"goal.thread"_s);
        const CliResult found = runCli({u"saturate"_s, u"--json"_s, u"--rules"_s, m_ac, u"--term"_s, u"f(a, f(b, c))"_s,
                                        u"--goal"_s, u"f(c, f(b, a))"_s, u"--thread"_s, thread});
        QCOMPARE(found.status, 0);
        QCOMPARE(found.json()[u"stop"_s].toString(), u"found"_s);
        const QJsonArray goals = found.json()[u"goals"_s].toArray();
        QCOMPARE(goals.size(), 1);
        const QJsonObject goal = goals.first().toObject();
        QCOMPARE(goal[u"goal"_s].toString(), u"(f c (f b a))"_s);
        QCOMPARE(goal[u"term"_s].toString(), u"(f a (f b c))"_s);
        QVERIFY(goal[u"found"_s].toBool() && goal[u"thread_checked"_s].toBool());
        QCOMPARE(goal[u"iteration"_s].toInt(), 2);  // commutes first, then associates
        QVERIFY(goal[u"thread_length"_s].toInt() >= 3);
        QVERIFY2(read(thread).contains("=> (f c (f b a))\nend"), read(thread).constData());
        const CliResult text = runCli({u"saturate"_s, u"--rules"_s, m_ac, u"--term"_s, u"f(a, f(b, c))"_s, u"--goal"_s,
                                       u"f(c, f(b, a))"_s, u"--quiet"_s});
        QVERIFY2(text.output.contains("goal (f c (f b a))\n  found after iteration 2, equal to (f a (f b c))\n"),
                 text.output.constData());
    }

    /// A program's thread to a goal is replayed as others are.
    void threadsToGoalsReplay() {
        const QString thread = path(u"proof.thread"_s);
        const QString program = write(u"proof.ks"_s, "(def f Float (v : Vec Float) (mul (add (index 0 v) 0.0) 1.0))");
        const QString goal = u"(def f Float (v : Vec Float) (index 0 v))"_s;
        const QJsonObject result =
            saturate({u"--program"_s, program, u"--goal"_s, goal, u"--thread"_s, thread, u"--rules"_s, u"ks-simple"_s});
        const QJsonObject found = result[u"goals"_s].toArray().first().toObject();
        QCOMPARE(found[u"equivalent"_s].toBool(), true);
        const CliResult replay = runCli(
            {u"apply"_s, program, u"--steps"_s, thread, u"--check"_s, u"--rules"_s, u"ks-simple"_s, u"--json"_s});
        QCOMPARE(replay.status, 0);
        QCOMPARE(replay.json()[u"steps"_s].toInt(), found[u"thread_length"_s].toInt());
    }

    /// Rules apply to goals as well: neither term can be rewritten to the other one, but both to a third.
    void proofsMeetInTheMiddle() {
        const QString rules =
            write(u"meet.rules"_s,
                  "op a(x) -> 1\nop b(x) -> 1\nop c(x) -> 1\nrule ac: a(x) => c(x)\nrule bc: b(x) => c(x)\n");
        const QString thread = path(u"meet.thread"_s);
        const QJsonObject result = saturate({u"--rules"_s, rules, u"--term"_s, u"a(v)"_s, u"--goal"_s, u"b(v)"_s,
                                             u"--goal"_s, u"a(v)"_s, u"--goal"_s, u"c(v)"_s, u"--thread"_s, thread});
        const QJsonArray goals = result[u"goals"_s].toArray();
        QCOMPARE(goals[0].toObject()[u"thread_length"_s].toInt(), 2);
        QCOMPARE(goals[0].toObject()[u"iteration"_s].toInt(), 1);
        QCOMPARE(goals[1].toObject()[u"thread_length"_s].toInt(), 0);
        QCOMPARE(goals[1].toObject()[u"iteration"_s].toInt(), 0);
        QCOMPARE(goals[2].toObject()[u"thread_length"_s].toInt(), 1);
        QVERIFY2(read(thread + u".1"_s).contains("reversed bc"), read(thread + u".1"_s).constData());
        QVERIFY(QFile::exists(thread + u".3"_s) && !QFile::exists(thread));
    }

    void goalsThatAreNotFound() {
        const QString thread = path(u"none.thread"_s);
        const QStringList arguments{u"saturate"_s, u"--rules"_s, m_ac,        u"--term"_s, u"f(a, b)"_s,
                                    u"--goal"_s,   u"f(a, a)"_s, u"--goal"_s, u"f(b, a)"_s};
        const CliResult result = runCli(arguments + QStringList{u"--json"_s, u"--thread"_s, thread});
        QCOMPARE(result.status, 1);
        QCOMPARE(result.json()[u"stop"_s].toString(), u"saturated"_s);
        const QJsonArray goals = result.json()[u"goals"_s].toArray();
        QCOMPARE(goals[0].toObject()[u"found"_s].toBool(), false);
        QVERIFY(goals[0].toObject()[u"iteration"_s].isNull());
        QVERIFY(!goals[0].toObject().contains(u"thread_checked"_s));
        QCOMPARE(goals[1].toObject()[u"found"_s].toBool(), true);
        QVERIFY(!QFile::exists(thread + u".1"_s) && QFile::exists(thread + u".2"_s));
        const QString output = QString::fromUtf8(runCli(arguments).output);
        QVERIFY2(output.contains(u"NOT FOUND"_s), qPrintable(output));
        QVERIFY2(
            output.contains(u"nothing new comes from these rules, so they do not prove it; another rule is needed"_s) &&
                output.contains(u"They would be equal if b and a were."_s),
            qPrintable(output));
    }

    /// Rules that failed their test are named where they are missing: with --insist they prove the goal.
    void goalsThatRulesLeftOutWouldProve() {
        const QString rules = write(u"left-out.rules"_s,
                                    "use ks\nop g(x) -> 1\nrule wrong: a - b => b - a\nrule half: g(x) => x / 2\n"
                                    "rule right: a + b => b + a\n");
        const QStringList arguments{u"saturate"_s, u"--rules"_s,      rules, u"--term"_s, u"(x - y) * 0.0"_s,
                                    u"--goal"_s,   u"(y - x) * 0.0"_s};
        const CliResult result = runCli(arguments + QStringList{u"--json"_s});
        QCOMPARE(result.status, 1);
        const QJsonObject goal = result.json()[u"goals"_s].toArray().first().toObject();
        QCOMPARE(goal[u"rules_left_out"_s].toArray(), (QJsonArray{u"wrong"_s, u"half"_s}));
        const QString reason = goal[u"reason"_s].toString();
        QVERIFY2(reason.contains(u"nothing new comes from the rules that were applied, so they do not prove it"_s) &&
                     reason.contains(u"wrong and half failed their test or could not be tested, and were left out; "
                                     u"to apply them, add --insist."_s) &&
                     !reason.contains(u"another rule is needed"_s),
                 qPrintable(reason));
        const CliResult insisted = runCli(arguments + QStringList{u"--insist"_s, u"--json"_s});
        QVERIFY(insisted.json()[u"goals"_s].toArray().first().toObject()[u"found"_s].toBool());
    }

    /// Goals of graphs are written with the names of the listing.
    void goalsOfGraphs() {
        const QString program = write(u"net.txt"_s,
                                      "graph net(x: f32[2,3])\n  weight w: f32[2,3]\n  t = Transpose[perm=[1,0]](x)\n"
                                      "  back = Transpose[perm=[1,0]](t)\n  y = Relu(back)\n  return Add(y, w)\n");
        const QString thread = path(u"net.thread"_s);
        const QStringList arguments{u"saturate"_s, program, u"--iterations"_s, u"4"_s, u"--json"_s};
        const CliResult found =
            runCli(arguments + QStringList{u"--thread"_s, thread, u"--goal"_s, u"z = Relu(x)\nAdd(w, z)"_s});
        QCOMPARE(found.status, 0);
        const QJsonObject goal = found.json()[u"goals"_s].toArray().first().toObject();
        QVERIFY(goal[u"found"_s].toBool() && goal[u"thread_checked"_s].toBool());
        QCOMPARE(goal[u"equivalent"_s].toBool(), true);
        QVERIFY2(goal[u"goal"_s].toString().contains(u"Add(w, z)"_s), qPrintable(goal[u"goal"_s].toString()));
        const CliResult replay = runCli({u"apply"_s, program, u"--steps"_s, thread, u"--check"_s, u"--json"_s});
        QCOMPARE(replay.status, 0);
        QCOMPARE(replay.json()[u"steps"_s].toInt(), goal[u"thread_length"_s].toInt());

        const CliResult other = runCli(arguments + QStringList{u"--goal"_s, u"Add(Relu(x), x)"_s});
        QCOMPARE(other.status, 1);
        const QString reason = other.json()[u"goals"_s].toArray().first().toObject()[u"reason"_s].toString();
        QVERIFY2(reason.startsWith(u"They have different values, so no sound rule makes them equal."_s),
                 qPrintable(reason));
        QVERIFY2(reason.contains(u"They would be equal if w and x were."_s), qPrintable(reason));
    }

    /// The choice in the file is the term that the report calls smallest.
    void resultsAreRecordedInTheFile() {
        const QString file = path(u"recorded.json"_s);
        const QString rules = write(u"fold.rules"_s, "op f(x, y) -> 1\nrule fold: f(x, f(y, z)) => f(y, z)\n");
        const QJsonObject result =
            saturate({u"--rules"_s, rules, u"--term"_s, u"f(a, f(b, f(c, d)))"_s, u"-o"_s, file});
        QCOMPARE(result[u"terms"_s].toArray().first().toObject()[u"smallest"_s].toString(), u"(f c d)"_s);
        const CliResult shown = runCli({u"show"_s, file, u"--json"_s});
        QCOMPARE(shown.status, 0);
        QVERIFY2(shown.output.contains("extraction recorded in the file, cost 3"), shown.output.constData());
        const QJsonObject written = QJsonDocument::fromJson(read(file)).object();
        QStringList operators;
        for (const QJsonValue eclass : written[u"class_data"_s].toObject()) {
            const QString node = eclass.toObject()[u"chosen"_s].toString();
            if (!node.isEmpty()) operators << written[u"nodes"_s].toObject()[node].toObject()[u"op"_s].toString();
        }
        operators.sort();
        QCOMPARE(operators, (QStringList{u"c"_s, u"d"_s, u"f"_s}));
    }

    void whyGoalsAreNotFound_data() {
        QTest::addColumn<QString>("goal");
        QTest::addColumn<QString>("says");
        QTest::newRow("other values") << u"(add (mul y x) (exp y))"_s
                                      << u"They have different values, so no sound rule makes them equal. x = "_s;
        QTest::newRow("where they differ") << u"(add (mul y x) (exp y))"_s << u"They would be equal if x and y were."_s;
        QTest::newRow("a limit") << u"(sub (sub (mul y x) 1.0) (sub 0.0 (add (exp x) 1.0)))"_s
                                 << u"the growth ended after 1 iteration; with higher limits a proof may be found"_s;
    }
    void whyGoalsAreNotFound() {
        QFETCH(QString, goal);
        QFETCH(QString, says);
        const QString program = path(u"f.ks"_s);
        QFile file(program);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("(def f Float ((x : Float) (y : Float)) (add (mul x y) (exp x)))");
        file.close();
        const CliResult result = runCli({u"saturate"_s, u"--program"_s, program, u"--goal"_s, goal, u"--iterations"_s,
                                         u"1"_s, u"--rules"_s, u"ks-simple"_s, u"--json"_s});
        QCOMPARE(result.status, 1);
        const QString reason = result.json()[u"goals"_s].toArray().first().toObject()[u"reason"_s].toString();
        QVERIFY2(reason.contains(says), qPrintable(reason));
    }

    /// A goal is compared with the start term that has its variables.
    void whyAGoalIsNotFoundBesideSeveralTerms() {
        const CliResult result =
            runCli({u"saturate"_s, u"--rules"_s, u"ks-simple"_s, u"--term"_s, u"(add x 1.0)"_s, u"--term"_s,
                    u"(mul y 2.0)"_s, u"--goal"_s, u"(mul y 3.0)"_s, u"--iterations"_s, u"1"_s, u"--json"_s});
        QCOMPARE(result.status, 1);
        const QString reason = result.json()[u"goals"_s].toArray().first().toObject()[u"reason"_s].toString();
        QVERIFY2(reason.startsWith(u"Compared with (mul y 2.0): They have different values"_s), qPrintable(reason));
    }

    /// Without reasons a goal is found, but no thread leads to it.
    void goalsWithoutReasons() {
        const QJsonObject result =
            saturate({u"--rules"_s, m_ac, u"--term"_s, u"f(a, b)"_s, u"--goal"_s, u"f(b, a)"_s, u"--no-reasons"_s});
        const QJsonObject goal = result[u"goals"_s].toArray().first().toObject();
        QVERIFY(goal[u"found"_s].toBool() && !goal.contains(u"thread_length"_s));
    }

    void costsOfOperators() {
        const QString rules =
            write(u"costs.rules"_s,
                  "op f(x) -> 1\nop g(x) -> 1\nop h(x) -> 1\nrule fg: f(x) => g(g(x))\nrule gh: g(x) => h(x)\n");
        const QStringList arguments{u"--rules"_s, rules, u"--term"_s, u"f(v)"_s};
        const auto term = [&](const QStringList& costs) {
            return saturate(arguments + costs)[u"terms"_s].toArray().first().toObject();
        };
        QCOMPARE(term({})[u"smallest"_s].toString(), u"(f v)"_s);
        const QJsonObject cheap = term({u"--set-cost"_s, u"f=3"_s, u"--set-cost"_s, u"h=0.25"_s});
        QCOMPARE(cheap[u"smallest"_s].toString(), u"(h (h v))"_s);
        QCOMPARE(cheap[u"cost"_s].toDouble(), 1.5);
        QVERIFY(cheap[u"thread_checked"_s].toBool());
        QCOMPARE(term({u"--cost"_s, u"size:f=2,g=0.5,h=0.75"_s})[u"smallest"_s].toString(), u"(g (g v))"_s);
        QCOMPARE(term({u"--set-cost"_s, u"f=0"_s})[u"cost"_s].toDouble(), 1.0);
    }

    /// Each term has variables of its own; their equalities do not connect the terms.
    void freeNamesOfSeveralTerms() {
        const QJsonObject result = saturate({u"--rules"_s, u"ks-simple"_s, u"--nodes"_s, u"600"_s, u"--iterations"_s,
                                             u"8"_s, u"--term"_s, u"((x * x) * (x * x)) + (exp(0.0) + (x - x))"_s,
                                             u"--term"_s, u"(exp(0.0) - (y - 0.0)) + ((1.0 * 0.0) - (y - 0.0))"_s,
                                             u"--term"_s, u"((z - 1.0) * (z + 0.0)) - ((0.0 - z) * (z * z))"_s});
        const QJsonArray terms = result[u"terms"_s].toArray();
        QCOMPARE(terms.size(), 3);
        for (const QJsonValue term : terms) QVERIFY(term[u"thread_checked"_s].toBool());
        QCOMPARE(terms[1].toObject()[u"size"_s].toInt(), 6);  // (exp(0.0) - y) - y
    }

    void badInput_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("message");
        const QStringList rules{u"--rules"_s, m_ac};
        QTest::newRow("nothing to start from") << rules << u"there is nothing to saturate"_s;
        QTest::newRow("a term that does not parse")
            << rules + QStringList{u"--term"_s, u"f(a"_s} << u"--term number 1"_s;
        QTest::newRow("an operator with too few arguments")
            << rules + QStringList{u"--term"_s, u"f(a)"_s} << u"--term number 1"_s;
        QTest::newRow("no such rules") << QStringList{u"--rules"_s, u"nowhere.rules"_s, u"--term"_s, u"a"_s}
                                       << u"nowhere.rules"_s;
        QTest::newRow("no such program") << rules + QStringList{u"--program"_s, u"nowhere.ks"_s} << u"nowhere.ks"_s;
        QTest::newRow("no such scheduler")
            << rules + QStringList{u"--term"_s, u"f(a, b)"_s, u"--scheduler"_s, u"chaos"_s} << u"chaos"_s;
        QTest::newRow("no such cost model")
            << rules + QStringList{u"--term"_s, u"f(a, b)"_s, u"--cost"_s, u"gold"_s} << u"gold"_s;
        QTest::newRow("no such method") << rules + QStringList{u"--term"_s, u"f(a, b)"_s, u"--method"_s, u"magic"_s}
                                        << u"magic"_s;
        QTest::newRow("a goal that does not parse")
            << rules + QStringList{u"--term"_s, u"f(a, b)"_s, u"--goal"_s, u"f(a"_s} << u"--goal number 1"_s;
        QTest::newRow("a goal with a variable of its own")
            << rules + QStringList{u"--term"_s, u"f(a, b)"_s, u"--goal"_s, u"f(a, z)"_s}
            << u"no start term has all variables of f(a, z)"_s;
        QTest::newRow("a goal for a graph")
            << QStringList{u"--program"_s, write(u"g.txt"_s, "graph g(x: f32[2])\n  return Relu(x)\n"), u"--goal"_s,
                           u"Add(x, y)"_s}
            << u"there is no 'y' above"_s;
        QTest::newRow("a cost of no operator")
            << rules + QStringList{u"--term"_s, u"f(a, b)"_s, u"--set-cost"_s, u"nothing=2"_s}
            << u"there is no operator nothing"_s;
        QTest::newRow("a negative cost") << rules + QStringList{u"--term"_s, u"f(a, b)"_s, u"--set-cost"_s, u"f=-2"_s}
                                         << u"'f=-2' is not an operator with a cost of 0 or more"_s;
        QTest::newRow("where nothing can be written")
            << rules + QStringList{u"--term"_s, u"f(a, b)"_s, u"-o"_s, u"/nowhere/g.json"_s} << u"/nowhere/g.json"_s;
    }
    void badInput() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, message);
        const CliResult result = runCli(QStringList{u"saturate"_s} + arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message.toUtf8()), result.errors.constData());
    }

private:
    static QJsonObject saturate(const QStringList& arguments) {
        const CliResult result = runCli(QStringList{u"saturate"_s, u"--json"_s} + arguments);
        if (result.status != 0) qWarning("%s", result.errors.constData());
        return result.json();
    }

    QString m_ac;
    QString m_edges;
};

MITOS_TEST(TestCliSaturate)

}  // namespace tst_cli_saturate

#include "tst_cli_saturate.moc"
