// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli: --verify, rules that fail their test, and compare on tensor programs.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

namespace tst_cli_verify {

using namespace Qt::StringLiterals;
using mitos::tests::CliResult;
using mitos::tests::runCli;

namespace {

constexpr const char* Program =
    "graph f(x: f32[64,64], y: f32[64,64])\n"
    "  s = Relu(Relu(x))\n"
    "  return Add(Mul(s, y), Sub(s, y))\n";
constexpr const char* Rules =
    "# For tests: the second one is wrong.\n"
    "rule relu_twice: Relu(Relu(a)) => Relu(a)\n"
    "rule lost_factor [real-only]: Mul(a, b) => a\n";

}  // namespace

class TestCliVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        write(m_program, Program);
        write(m_rules, Rules);
    }

    void aFoundThreadIsVerified() {
        const CliResult found = runCli({u"optimize"_s, m_program, u"--strategy"_s, u"greedy"_s, u"--verify"_s,
                                        u"--evaluations"_s, u"100"_s, u"--json"_s});
        QVERIFY2(found.status == 0, found.errors.constData());
        const QJsonObject verification = found.json()[u"verification"_s].toObject();
        QCOMPARE(verification[u"verdict"_s].toString(), u"same"_s);
        QVERIFY(verification[u"steps"_s].toInt() > 0);
        QCOMPARE(verification[u"within_program"_s].toInt(), verification[u"steps"_s].toInt());
        QVERIFY(verification[u"difference"_s].isNull());
        QVERIFY(!runCli({u"optimize"_s, m_program, u"--evaluations"_s, u"10"_s, u"--json"_s})
                     .json()
                     .contains(u"verification"_s));
    }

    void rulesThatFailAreLeftOut() {
        const CliResult found = runCli({u"optimize"_s, m_program, u"--rules"_s, m_rules, u"--strategy"_s, u"greedy"_s,
                                        u"--verify"_s, u"--json"_s});
        QVERIFY2(found.status == 0, found.errors.constData());
        QCOMPARE(found.json()[u"thread_length"_s].toInt(), 1);
        const QJsonArray failed = found.json()[u"rules_failed"_s].toArray();
        QCOMPARE(failed.size(), 1);
        QCOMPARE(failed[0].toObject()[u"name"_s].toString(), u"lost_factor"_s);
        QCOMPARE(failed[0].toObject()[u"set"_s].toString(), m_rules);
        QVERIFY(failed[0].toObject()[u"left_out"_s].toBool());
        QVERIFY(failed[0].toObject()[u"counterexample"_s].toString().startsWith(u"Mul("_s));
        QVERIFY(found.json()[u"rules_untested"_s].toArray().isEmpty());
        QVERIFY2(found.errors.contains("lost_factor") && found.errors.contains("left out"), found.errors.constData());
        const CliResult compared =
            runCli({u"compare"_s, m_program, u"--rules"_s, m_rules, u"--strategies"_s, u"greedy"_s, u"--json"_s});
        QCOMPARE(compared.json()[u"rules_failed"_s].toArray().size(), 1);
        const CliResult grown = runCli({u"saturate"_s, u"--term"_s, u"f(a())"_s, u"--rules"_s, m_rules, u"--json"_s});
        QVERIFY(grown.errors.contains("lost_factor"));
    }

    void aWrongStepIsFound() {
        const QString thread = m_folder.filePath(u"wrong.thread"_s);
        const CliResult found = runCli({u"optimize"_s, m_program, u"--rules"_s, m_rules, u"--strategy"_s, u"greedy"_s,
                                        u"--insist"_s, u"--verify"_s, u"--thread"_s, thread, u"--json"_s});
        QCOMPARE(found.status, 1);
        QVERIFY(!found.json()[u"rules_failed"_s].toArray()[0].toObject()[u"left_out"_s].toBool());
        const QJsonObject verification = found.json()[u"verification"_s].toObject();
        QCOMPARE(verification[u"verdict"_s].toString(), u"different"_s);
        const QJsonObject difference = verification[u"difference"_s].toObject();
        QCOMPARE(difference[u"rule"_s].toString(), u"lost_factor"_s);

        // Replayed: every step is an instance of its rule, and one changes a value.
        const QStringList apply{u"apply"_s, m_program, u"--steps"_s, thread, u"--rules"_s, m_rules};
        const CliResult plain = runCli(apply);
        QCOMPARE(plain.status, 1);
        QVERIFY(plain.errors.contains("warning: lost_factor (") && plain.output.contains("DIFFERENT VALUES"));
        const CliResult verified = runCli(apply + QStringList{u"--verify"_s});
        QCOMPARE(verified.status, 1);
        QVERIFY2(verified.errors.contains("\nstep ") && verified.errors.contains("lost_factor at /"),
                 verified.errors.constData());
        const QJsonObject json = runCli(apply + QStringList{u"--verify"_s, u"--json"_s}).json();
        QVERIFY(json[u"valid"_s].toBool());
        QCOMPARE(json[u"verification"_s].toObject()[u"difference"_s].toObject()[u"step"_s], difference[u"step"_s]);
        // The budget does not allow any step to be verified. The ends differ nevertheless.
        const CliResult untold =
            runCli(apply + QStringList{u"--verify"_s, u"--verify-limit"_s, u"1e-9"_s, u"--json"_s});
        QCOMPARE(untold.status, 1);
        QCOMPARE(untold.json()[u"verification"_s].toObject()[u"verdict"_s].toString(), u"undecided"_s);
        QCOMPARE(runCli(apply + QStringList{u"--verify"_s, u"--verify-limit"_s, u"0"_s}).status, 2);
    }

    void ksThreadsAreVerified() {
        const QString thread = m_folder.filePath(u"ks.thread"_s);
        const QString file = mitos::tests::sample(u"arithmetic/table6-2.ks"_s);
        const CliResult found = runCli({u"optimize"_s, file, u"--strategy"_s, u"greedy"_s, u"--evaluations"_s, u"200"_s,
                                        u"--verify"_s, u"--json"_s});
        QVERIFY2(found.status == 0, found.errors.constData());
        QCOMPARE(found.json()[u"verification"_s].toObject()[u"verdict"_s].toString(), u"same"_s);
    }

    void comparingFollowsTheDialect() {
        const QString table = m_folder.filePath(u"table.md"_s);
        const CliResult compared = runCli({u"compare"_s, m_program, u"--strategies"_s, u"greedy,astar"_s,
                                           u"--evaluations"_s, u"100"_s, u"--json"_s, u"-o"_s, table});
        QVERIFY2(compared.status == 0, compared.errors.constData());
        const QJsonObject environment = compared.json()[u"environment"_s].toObject();
        QCOMPARE(environment[u"Cost model"_s].toString(), u"roofline:laptop,kernels=onnxruntime"_s);
        QVERIFY(environment[u"Rules"_s].toString().startsWith(u"tensor"_s));
        QFile file(table);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[0], QByteArray("| program | initial | greedy | astar | least | same values |"));
        QCOMPARE(lines[1], QByteArray("|---|---|---|---|---|---|"));
        QVERIFY2(lines[2].startsWith("| f | ") && lines[2].endsWith(" % | yes |"), lines[2].constData());
        const CliResult mixed = runCli({u"compare"_s, m_program, mitos::tests::sample(u"arithmetic/table6-2.ks"_s)});
        QCOMPARE(mixed.status, 2);
        QVERIFY2(mixed.errors.contains("of different dialects"), mixed.errors.constData());
    }

private:
    static void write(const QString& path, const char* text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
    }

    QTemporaryDir m_folder;
    QString m_program = m_folder.filePath(u"f.graph"_s);
    QString m_rules = m_folder.filePath(u"own.rules"_s);
};

MITOS_TEST(TestCliVerify)

}  // namespace tst_cli_verify

#include "tst_cli_verify.moc"
