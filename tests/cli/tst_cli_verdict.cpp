// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli: every command reports the same verdict on a result, and returns no program with other values unless told to.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>
#include <csignal>

namespace tst_cli_verdict {

using namespace Qt::StringLiterals;
using mitos::tests::CliResult;
using mitos::tests::runCli;

namespace {

/// The first is wrong, and makes programs cheaper.
constexpr const char* NudgeRules =
    "rule nudge [real-only]: (a * 2.0) / 2.0 => a * 1.001\n"
    "rule add_none [real-only]: a + 0.0 => a\n";
constexpr const char* NudgeProgram = "(def f Float ((x : Float)) (add (mul (sub (div (mul x 2.0) 2.0) x) 1000.0) 0.0))";
constexpr const char* StrangeRules =
    "op strange(x) -> 1\n"
    "rule unknown: a * a => strange(a)\n"
    "rule known [real-only]: a + 0.0 => a\n";

}  // namespace

class TestCliVerdict : public QObject, private mitos::tests::CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_rules = write(u"nudge.rules"_s, NudgeRules);
        m_program = write(u"nudge.ks"_s, NudgeProgram);
    }

    /// The logarithm of a product is the sum of logarithms only where both factors are positive.
    void signsAreKnownOrAssumed() {
        const QStringList search{u"optimize"_s, u"--expr"_s, u"(log (mul (add x 3.0) (add x 3.0)))"_s, u"--json"_s};
        const QJsonObject known = runCli(search).json();
        QCOMPARE(known[u"equivalent"_s].toBool(), true);
        QVERIFY(known[u"assumptions"_s].toArray().isEmpty());
        QVERIFY(!known[u"program"_s].toString().contains(u"(log (add"_s));

        const QJsonObject assumed = runCli(search + QStringList{u"--allow-assumptions"_s}).json();
        QCOMPARE(assumed[u"assumptions"_s].toArray(), QJsonArray{u"x + 3 > 0"_s});
        QVERIFY(assumed[u"best_cost"_s].toDouble() < known[u"best_cost"_s].toDouble());
        QCOMPARE(assumed[u"equivalent"_s].toBool(), true);
    }

    /// The file of verdicts is replaced when a rule was tested.
    void rulesAreTestedOnceForAllRuns() {
        const QByteArray before = qgetenv("XDG_CACHE_HOME");
        qputenv("XDG_CACHE_HOME", QFile::encodeName(path(u"cache"_s)));
        const QStringList search{u"optimize"_s, m_program, u"--rules"_s, m_rules, u"--strategy"_s, u"greedy"_s};
        const auto stored = [this] {
            const QDir folder(path(u"cache/mitos"_s));
            const QFileInfoList files = folder.entryInfoList(QDir::Files);
            return files.size() == 1 ? files.front().lastModified() : QDateTime();
        };
        const CliResult first = runCli(search);
        const QDateTime written = stored();
        const CliResult second = runCli(search);
        QCOMPARE(stored(), written);
        // The order of rules and comments do not matter, but the text of a rule does.
        const QString other = write(u"other.rules"_s, QByteArray("# Others.\n") + NudgeRules);
        const CliResult third = runCli(QStringList(search).replaceInStrings(m_rules, other));
        QCOMPARE(stored(), written);
        const QString changed = write(u"changed.rules"_s, QByteArray(NudgeRules).replace("1.001", "1.01"));
        const CliResult fourth = runCli(QStringList(search).replaceInStrings(m_rules, changed));
        qputenv("XDG_CACHE_HOME", before);
        QVERIFY(stored() > written);
        QVERIFY2(first.errors.contains("nudge (") && first.errors.contains("failed its test and is left out"),
                 first.errors.constData());
        QCOMPARE(second.errors, first.errors);
        QCOMPARE(QString::fromUtf8(third.errors).replace(other, m_rules), QString::fromUtf8(first.errors));
        QVERIFY(fourth.errors.contains("failed its test and is left out") && fourth.errors != first.errors);
    }

    void otherValuesAreGivenOnlyToWhoInsists() {
        const QString thread = path(u"part.thread"_s);
        const QStringList search{u"optimize"_s, m_program,     u"--rules"_s, m_rules,    u"--strategy"_s,
                                 u"astar"_s,    u"--thread"_s, thread,       u"--json"_s};
        const CliResult part = runCli(search);
        QCOMPARE(part.status, 0);
        QCOMPARE(part.json()[u"equivalent"_s].toBool(), true);
        QVERIFY(!part.json()[u"program"_s].toString().contains(u"1.001"_s));
        QVERIFY(read(thread).contains("; verdict: 1 of 1 step checked; same values on "));

        const CliResult insisted = runCli(search + QStringList{u"--insist"_s});
        QCOMPARE(insisted.status, 1);
        QCOMPARE(insisted.json()[u"equivalent"_s].toBool(true), false);
        QCOMPARE(insisted.json()[u"verdict"_s][u"rules"_s][u"failed"_s][0][u"name"_s].toString(), u"nudge"_s);
        QVERIFY(insisted.json()[u"program"_s].toString().contains(u"1.001"_s));
        QVERIFY(read(thread).contains("DIFFERENT VALUES"));

        // The other commands with such a thread.
        const QString output = path(u"out.ks"_s);
        const QStringList apply{u"apply"_s, m_program, u"--rules"_s, m_rules, u"--steps"_s, thread, u"-o"_s, output};
        const CliResult applied = runCli(apply);
        QCOMPARE(applied.status, 1);
        QVERIFY2(applied.output.contains("DIFFERENT VALUES"), applied.output.constData());
        QVERIFY(!QFile::exists(output));
        const QStringList exporting{u"export"_s, m_program, u"--rules"_s, m_rules, u"--steps"_s,
                                    thread,      u"--to"_s, u"ks"_s,      u"-o"_s, output};
        const CliResult exported = runCli(exporting);
        QCOMPARE(exported.status, 1);
        QVERIFY2(exported.errors.contains("DIFFERENT VALUES"), exported.errors.constData());
        QVERIFY(!QFile::exists(output));
        QCOMPARE(runCli(exporting + QStringList{u"--insist"_s}).status, 1);
        QVERIFY(read(output).contains("1.001"));
    }

    /// Division by itself is 1, but where the divisor is 0 another branch is taken. The other rules give what they give without it.
    void aRuleThatChangesValuesIsDropped() {
        const QString program =
            u"(add (if (lte (div y y) 5.0) x z) (add (div (mul 2.0 x) x) (add (mul x z) (mul x y))))"_s;
        for (const char* const strategy : {"portfolio", "saturation", "greedy"}) {
            const QStringList search{
                u"optimize"_s, u"--expr"_s,        program,  u"--strategy"_s, QString::fromUtf8(strategy),
                u"--json"_s,   u"--evaluations"_s, u"8000"_s};
            const CliResult found = runCli(search);
            QCOMPARE(found.status, 0);
            const QJsonObject json = found.json();
            QCOMPARE(json[u"best_cost"_s].toDouble(), 11.0);
            QCOMPARE(json[u"equivalent"_s].toBool(), true);
            const QJsonObject dropped = json[u"verdict"_s][u"rules"_s][u"dropped"_s][0].toObject();
            QCOMPARE(dropped[u"name"_s].toString(), u"div_by_self"_s);
            QVERIFY(dropped[u"reason"_s].toString().contains(u"y = 0.0"_s));
            QVERIFY(
                json[u"verdict"_s][u"text"_s].toString().contains(u"dropped, as they changed values: div_by_self"_s));
            const CliResult insisted = runCli(search + QStringList{u"--insist"_s});
            QCOMPARE(insisted.status, 1);
            QCOMPARE(insisted.json()[u"equivalent"_s].toBool(true), false);
        }
    }

    /// An explanation may pass through variables that are not bound; what takes their place leaves each step its value.
    void noStepOfAProofIsUndefined() {
        const QString program = write(u"proof.ks"_s,
                                      "(def f (Vec n Float) ((v : Vec n Float) (y : Float)) (build n (lam (t : Integer)"
                                      " (sub y (sub (let (k (sub (index t v) (index t v)))"
                                      " (sumbuild n (lam (k : Integer) y))) y)))))");
        const QString thread = path(u"proof.thread"_s);
        QCOMPARE(runCli({u"optimize"_s, program, u"--strategy"_s, u"saturation"_s, u"--evaluations"_s, u"2000"_s,
                         u"--thread"_s, thread})
                     .status,
                 0);
        const QJsonObject verified = runCli({u"apply"_s, program, u"--steps"_s, thread, u"--verify"_s, u"--json"_s})
                                         .json()[u"verification"_s]
                                         .toObject();
        QCOMPARE(verified[u"verdict"_s].toString(), u"same"_s);
        // Of 25 steps that explain it, those that pass through such a term and back are left out.
        QCOMPARE(verified[u"steps"_s].toInt(), 3);
        QCOMPARE(verified[u"within_program"_s], verified[u"steps"_s]);
    }

    void whatDiffersForNaNIsStated() {
        const CliResult found = runCli({u"optimize"_s, u"--expr"_s, u"(if (eq x x) y z)"_s, u"--json"_s});
        QCOMPARE(found.status, 0);
        QCOMPARE(found.json()[u"best_cost"_s].toDouble() < found.json()[u"initial_cost"_s].toDouble(), true);
        const QJsonObject verdict = found.json()[u"verdict"_s].toObject();
        QCOMPARE(verdict[u"values"_s].toString(), u"same"_s);
        QVERIFY(!verdict[u"good"_s].toBool(true));
        QVERIFY2(verdict[u"text"_s].toString().contains(u" random inputs but for NaN ("_s),
                 qPrintable(verdict[u"text"_s].toString()));
        QCOMPARE(verdict[u"exceptions"_s][0][u"for"_s].toString(), u"NaN"_s);
        QVERIFY(verdict[u"exceptions"_s][0][u"example"_s].toString().contains(u"nan"_s));
    }

    /// 0 / 0 is NaN, which is not at most 5: the only step is refuted.
    void anUnchangedProgramIsNoFailure() {
        const QString rules = write(u"self.rules"_s, "rule self [domain]: a / a => 1.0  where a.type == Float\n");
        const CliResult found =
            runCli({u"optimize"_s, u"--expr"_s, u"(if (lte (div y y) 5.0) x z)"_s, u"--rules"_s, rules, u"--json"_s});
        QCOMPARE(found.status, 0);
        QCOMPARE(found.json()[u"thread_length"_s].toInt(-1), 0);
        QCOMPARE(found.json()[u"equivalent"_s].toBool(), true);
    }

    void rulesWithoutATestAreLeftOut() {
        const QString rules = write(u"strange.rules"_s, StrangeRules);
        const QString program = write(u"square.ks"_s, "(def f Float ((x : Float)) (add (mul x x) 0.0))");
        const QStringList search{u"optimize"_s, program, u"--rules"_s, rules, u"--json"_s};
        const CliResult found = runCli(search);
        QCOMPARE(found.status, 0);
        QCOMPARE(found.errors.count("unknown ("), 1);
        QVERIFY2(found.errors.contains("left out (--insist applies it)"), found.errors.constData());
        QCOMPARE(found.json()[u"thread_length"_s].toInt(), 1);
        const QJsonObject untested = found.json()[u"rules_untested"_s].toArray().at(0).toObject();
        QCOMPARE(untested[u"name"_s].toString(), u"unknown"_s);
        QVERIFY(untested[u"left_out"_s].toBool());
        const QStringList grow{u"saturate"_s, program, u"--rules"_s, rules, u"--iterations"_s, u"3"_s, u"--json"_s};
        const CliResult grown = runCli(grow);
        QVERIFY(!grown.json()[u"iterations"_s][0][u"applied"_s].toObject().contains(u"unknown"_s));
        QVERIFY(runCli(grow + QStringList{u"--insist"_s})
                    .json()[u"iterations"_s][0][u"applied"_s]
                    .toObject()
                    .contains(u"unknown"_s));
    }

    void saturationComparesValues() {
        const QString program = write(u"cancel.ks"_s, "(def f Float ((x : Float) (y : Float)) (sub (add x y) y))");
        const QStringList grow{u"saturate"_s, program, u"--rules"_s, u"ks-simple"_s, u"--iterations"_s, u"4"_s};
        const CliResult text = runCli(grow);
        QVERIFY2(text.output.contains(" checked; same values on "), text.output.constData());
        const QJsonObject term = runCli(grow + QStringList{u"--json"_s}).json()[u"terms"_s][0].toObject();
        QCOMPARE(term[u"equivalent"_s].toBool(), true);
        QCOMPARE(term[u"verdict"_s][u"values"_s].toString(), u"same"_s);
        QVERIFY(term[u"verdict"_s][u"inputs"_s].toInt() > 0);
        // Without reasons there is no thread, but values are compared all the same.
        const QJsonObject bare =
            runCli(grow + QStringList{u"--json"_s, u"--no-reasons"_s}).json()[u"terms"_s][0].toObject();
        QCOMPARE(bare[u"thread_checked"_s].toBool(true), false);
        QCOMPARE(bare[u"equivalent"_s].toBool(), true);
    }

    void appliedThreadsWarnOfFailedRules() {
        const QString rules = write(u"wrong.rules"_s, "rule wrong [real-only]: max(a, 0.0) => a\n");
        const QString program = write(u"max.ks"_s, "(def f Float ((x : Float)) (max (exp x) 0.0))");
        const QString thread = path(u"max.thread"_s);
        // In this program the argument is never negative: the values are the same, and only the test tells.
        QCOMPARE(runCli({u"optimize"_s, program, u"--rules"_s, rules, u"--insist"_s, u"--thread"_s, thread}).status, 0);
        for (const QStringList& command :
             {QStringList{u"apply"_s, u"--check"_s}, QStringList{u"export"_s, u"--to"_s, u"ks"_s}}) {
            const CliResult found = runCli(command + QStringList{program, u"--rules"_s, rules, u"--steps"_s, thread});
            QCOMPARE(found.status, 0);
            QVERIFY2(found.errors.contains("warning: wrong (") && found.errors.contains("failed its test"),
                     found.errors.constData());
        }
        const QJsonObject json =
            runCli({u"apply"_s, program, u"--rules"_s, rules, u"--steps"_s, thread, u"--json"_s}).json();
        QCOMPARE(json[u"verdict"_s][u"rules"_s][u"failed"_s][0][u"name"_s].toString(), u"wrong"_s);
        QCOMPARE(json[u"verdict"_s][u"good"_s].toBool(true), false);
    }

    /// A cost or a verdict that was written into the file by hand is passed on by no command.
    void whatAThreadClaimsIsNotBelieved() {
        const QString program = write(u"zero.ks"_s, "(def f Float ((x : Float)) (add (mul x 3.0) 0.0))");
        const QString thread = path(u"zero.thread"_s);
        QCOMPARE(runCli({u"optimize"_s, program, u"--rules"_s, m_rules, u"--thread"_s, thread}).status, 0);
        QByteArray text = read(thread);
        text.replace("; verdict: ", "; verdict: proven by an oracle; ");
        write(u"claims.thread"_s, text);
        const QString claims = path(u"claims.thread"_s);
        const QStringList exporting{u"export"_s, program,   u"--rules"_s, m_rules, u"--steps"_s,
                                    claims,      u"--to"_s, u"cpp"_s,     u"-o"_s, path(u"zero.cpp"_s)};
        QCOMPARE(runCli(exporting).status, 0);
        const QByteArray cpp = read(path(u"zero.cpp"_s));
        QVERIFY(cpp.contains("1 of 1 step checked; same values on ") && !cpp.contains("oracle"));
        const qsizetype cost = text.lastIndexOf("  cost ") + 7;
        text.replace(cost, text.indexOf(' ', cost) - cost, "0.25");
        write(u"claims.thread"_s, text);
        const CliResult tampered = runCli(exporting);
        QCOMPARE(tampered.status, 2);
        QVERIFY2(tampered.errors.contains("not 0.25 as the file says"), tampered.errors.constData());
    }

    void aFileForTheProgramMeansTheSummaryOnly() {
        const QStringList search{u"optimize"_s, m_program, u"--rules"_s, m_rules, u"--evaluations"_s, u"1"_s};
        QVERIFY(runCli(search).output.contains("(def f"));
        const CliResult found = runCli(search + QStringList{u"-o"_s, path(u"summary.ks"_s)});
        QVERIFY2(!found.output.contains("(def f") && found.output.contains("cost "), found.output.constData());
    }

    void theComparisonHasALimit() {
        const QString program =
            write(u"slow.ks"_s,
                  "(def f Float ((x : Float)) (add (sumbuild 1000000 (lam (i : Integer) (mul x (to_float i)))) 0.0))");
        const CliResult found =
            runCli({u"optimize"_s, program, u"--rules"_s, m_rules, u"--compare-seconds"_s, u"0.05"_s, u"--json"_s});
        QCOMPARE(found.status, 0);
        QVERIFY(found.json()[u"equivalent"_s].isNull());
        QVERIFY2(found.json()[u"verdict"_s][u"text"_s].toString().contains(u"that comparing may take ended"_s),
                 found.output.constData());
    }

    void aTestThatWasInterruptedDidNotPass() {
        QProcess process;
        process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                      {u"rules"_s, u"test"_s, u"ks-simple"_s, u"--samples"_s, u"1000000"_s});
        QVERIFY(process.waitForStarted());
        // Before the program waits for the signal it would end by it.
        QTRY_VERIFY_WITH_TIMEOUT(mitos::tests::heedsInterrupts(process.processId()), 30'000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 1);
        QVERIFY(process.readAllStandardError().contains("interrupted: "));
    }

private:
    QString m_rules;
    QString m_program;
};

MITOS_TEST(TestCliVerdict)

}  // namespace tst_cli_verdict

#include "tst_cli_verdict.moc"
