// SPDX-License-Identifier: GPL-3.0-or-later
// Programs given as arguments, reasons for what does not match, programs that are too large for what is asked of them, and
// the hints of the samples.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QMap>
#include <QRegularExpression>
#include <QTest>

namespace tst_cli_expressions {

using mitos::tests::CliResult;
using mitos::tests::runCli;
using mitos::tests::sample;

class TestCliExpressions : public QObject, private mitos::tests::CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void everyCommandTakesAnExpression_data();
    void everyCommandTakesAnExpression();
    void aFileAndAnExpressionExcludeEachOther();
    void nearestRefusalIsNamed();
    void longChainsOfCalls();
    void growingConcatsEndAtOnce();
    void deepInputsAreRefused();
    void tooLittleMemoryIsSaid();
    void oneBadRuleLeavesTheOthers();
    void headersAreWritten();
    void hintsOfSamplesCanBeFollowed_data();
    void hintsOfSamplesCanBeFollowed();
    void searchesThatHintsNameFindSomething();
};

void TestCliExpressions::everyCommandTakesAnExpression_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("info") << QStringLiteral("info") << QByteArray("program   expression");
    QTest::newRow("show") << QStringLiteral("show") << QByteArray("(add (mul x 1.0) 0.0)");
    QTest::newRow("rewrites") << QStringLiteral("rewrites --rules ks-simple") << QByteArray("commute_mul");
    QTest::newRow("match") << QStringLiteral("match --pattern a+0.0 --rules ks-simple") << QByteArray("matches at /");
    QTest::newRow("optimize") << QStringLiteral("optimize --strategy greedy --rules ks-simple") << QByteArray("x");
    QTest::newRow("compare") << QStringLiteral("compare --strategies greedy --evaluations 10")
                             << QByteArray("expression");
    QTest::newRow("export") << QStringLiteral("export --to cpp") << QByteArray("double expression(double x)");
    QTest::newRow("eval") << QStringLiteral("eval --inputs [2.5]") << QByteArray("2.5");
}

void TestCliExpressions::everyCommandTakesAnExpression() {
    QFETCH(const QString, command);
    QFETCH(const QByteArray, expected);
    const QStringList expression{QStringLiteral("--expr"), QStringLiteral("(add (mul x 1.0) 0.0)")};
    const CliResult result = runCli(command.split(QLatin1Char(' ')) + expression);
    QVERIFY2(result.status == 0, result.errors.constData());
    QVERIFY2(result.output.contains(expected), result.output.constData());
    // The same from standard input.
    if (command.startsWith(QStringLiteral("compare")) || command.startsWith(QStringLiteral("optimize"))) return;
    const CliResult input =
        runCli(command.split(QLatin1Char(' ')) << QStringLiteral("-"), QByteArray("(add (mul x 1.0) 0.0)"));
    QCOMPARE(input.status, 0);
    QCOMPARE(QByteArray(result.output).replace("expression:", "-:"), input.output);
}

void TestCliExpressions::aFileAndAnExpressionExcludeEachOther() {
    const CliResult both = runCli({QStringLiteral("info"), sample(QStringLiteral("teaching/cancel.ks")),
                                   QStringLiteral("--expr"), QStringLiteral("x")});
    QCOMPARE(both.status, 2);
    const CliResult none = runCli({QStringLiteral("info")});
    QCOMPARE(none.status, 2);
    QVERIFY2(none.errors.contains("FILE") && none.errors.contains("--expr"), none.errors.constData());
    const CliResult meant = runCli({QStringLiteral("info"), QStringLiteral("(mul x 2.0)")});
    QCOMPARE(meant.status, 2);
    QVERIFY2(meant.errors.contains("--expr"), meant.errors.constData());
    const CliResult listing =
        runCli({QStringLiteral("info"), QStringLiteral("--expr"),
                QStringLiteral("graph g(x: f32[2])\n  return Relu(x)\n"), QStringLiteral("--json")});
    QCOMPARE(listing.json()[QStringLiteral("dialect")].toString(), QStringLiteral("tensor"));
}

void TestCliExpressions::nearestRefusalIsNamed() {
    const QStringList common{
        QStringLiteral("match"),     QStringLiteral("--expr"),    QStringLiteral("(add (mul x y) (exp x))"),
        QStringLiteral("--rules"),   QStringLiteral("ks-simple"), QStringLiteral("--anywhere"),
        QStringLiteral("--pattern"), QStringLiteral("a * 2.0")};
    const CliResult result = runCli(common);
    QCOMPARE(result.status, 1);
    QVERIFY2(result.output.startsWith("no match at any of "), result.output.constData());
    QVERIFY2(result.output.contains("nearest at /0"), result.output.constData());
    const CliResult json = runCli(common + QStringList{QStringLiteral("--json")});
    QCOMPARE(json.json()[QStringLiteral("refusal")].toObject()[QStringLiteral("position")].toString(),
             QStringLiteral("/0"));
}

void TestCliExpressions::longChainsOfCalls() {
    constexpr int Functions = 8'000;
    QByteArray text = "(def f0 Float (x : Float) (mul x x))\n";
    for (int i = 1; i <= Functions; ++i) {
        text +=
            "(def f" + QByteArray::number(i) + " Float (x : Float) (add (f" + QByteArray::number(i - 1) + " x) 1.0))\n";
    }
    const QString file = write(QStringLiteral("chain.ks"), text);
    const auto run = [&](const QStringList& arguments) {
        const CliResult result = runCli(arguments);
        return result.status == 0 ? result.output : "status " + QByteArray::number(result.status) + result.errors;
    };
    QVERIFY(run({QStringLiteral("info"), file}).contains("24002"));  // 2 + 3 · 8000
    QCOMPARE(run({QStringLiteral("eval"), file, QStringLiteral("--inputs"), QStringLiteral("[3.0]")}),
             QByteArray("8009.0\n"));
    QVERIFY(run({QStringLiteral("show"), file}).contains("(def f7999 Float"));
    QVERIFY(run({QStringLiteral("show"), file, QStringLiteral("--as"), QStringLiteral("tree")}).contains("f7999"));
    QVERIFY(run({QStringLiteral("rewrites"), file, QStringLiteral("--rules"), QStringLiteral("ks-simple")})
                .contains("commute_add"));
    QVERIFY(run({QStringLiteral("optimize"), file, QStringLiteral("--strategy"), QStringLiteral("greedy"),
                 QStringLiteral("--rules"), QStringLiteral("ks-simple"), QStringLiteral("--verify")})
                .contains("24002"));
    QVERIFY(run({QStringLiteral("export"), file, QStringLiteral("--to"), QStringLiteral("cpp")})
                .contains("double f8000(double x)"));
}

void TestCliExpressions::growingConcatsEndAtOnce() {
    QByteArray listing = "graph g(x0: f32[2])\n";
    for (int i = 1; i <= 60; ++i) {
        const QByteArray before = "x" + QByteArray::number(i - 1);
        listing += "  x" + QByteArray::number(i) + " = Concat[axis=0](" + before + ", " + before + ")\n";
    }
    const QString file = write(QStringLiteral("concats.txt"), listing + "  return x60\n");
    QElapsedTimer timer;
    timer.start();
    const CliResult result = runCli({QStringLiteral("eval"), file, QStringLiteral("--random")});
    QCOMPARE(result.status, 2);
    QVERIFY2(result.errors.contains("elements"), result.errors.constData());
    QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
}

void TestCliExpressions::deepInputsAreRefused() {
    const QString deepType = write(QStringLiteral("deep.ks"), "(def f Float (x : " + QByteArray("(Vec ").repeated(190) +
                                                                  "Float" + QByteArray(190, ')') + ") 1.0)");
    const CliResult random = runCli({QStringLiteral("eval"), deepType, QStringLiteral("--random")});
    QCOMPARE(random.status, 2);
    QVERIFY2(random.errors.contains("would be too large"), random.errors.constData());
    const QString file = write(QStringLiteral("deep.json"), QByteArray(200'000, '[') + QByteArray(200'000, ']'));
    const CliResult result = runCli({QStringLiteral("eval"), QStringLiteral("--expr"), QStringLiteral("(mul x x)"),
                                     QStringLiteral("--inputs"), QStringLiteral("@") + file});
    QCOMPARE(result.status, 2);
    QVERIFY2(result.errors.contains("nested more than"), result.errors.constData());
}

void TestCliExpressions::tooLittleMemoryIsSaid() {
    QProcess shell;
    const QString binary = QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli");
    // Some 250 MB of addresses: enough to start, too little for the program.
    QByteArray text = "(def f Float (x : Float) (add x 0.0";
    for (int i = 0; i < 400'000; ++i) text += ") )\n(def f" + QByteArray::number(i) + " Float (x : Float) (add x 0.0";
    const QString file = write(QStringLiteral("large.ks"), text + "))\n");
    shell.start(QStringLiteral("sh"),
                {QStringLiteral("-c"), QStringLiteral("ulimit -v 250000; exec \"$0\" info \"$1\""), binary, file});
    QVERIFY(shell.waitForFinished(120'000));
    const QByteArray errors = shell.readAllStandardError();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // The sanitizers need more addresses than that to start; they or the loader say it in words of their own, or the system ends a program
    // that it cannot map.
    QVERIFY2(shell.exitStatus() == QProcess::CrashExit || (shell.exitCode() != 0 && !errors.isEmpty()),
             errors.left(500).constData());
#else
    QCOMPARE(shell.exitStatus(), QProcess::NormalExit);
    QVERIFY2(shell.exitCode() == 2 && errors.contains("not enough memory"), errors.left(500).constData());
    QVERIFY(!errors.contains("internal error"));
#endif
}

void TestCliExpressions::oneBadRuleLeavesTheOthers() {
    const QString rules = write(QStringLiteral("some.rules"), "rule good: a * 1.0 => a\nrule bad: exq(a) => a\n");
    const CliResult result = runCli({QStringLiteral("rewrites"), QStringLiteral("--expr"),
                                     QStringLiteral("(mul x 1.0)"), QStringLiteral("--rules"), rules});
    QCOMPARE(result.status, 0);
    QVERIFY2(result.output.contains("good"), result.output.constData());
    QVERIFY2(result.errors.contains("left out") && result.errors.contains("there is no operator exq"),
             result.errors.constData());
    QCOMPARE(runCli({QStringLiteral("rules"), QStringLiteral("check"), rules}).status, 1);
}

void TestCliExpressions::headersAreWritten() {
    const QString cpp = path(QStringLiteral("scaled.cpp"));
    const QString header = path(QStringLiteral("scaled.h"));
    const CliResult result = runCli({QStringLiteral("export"), QStringLiteral("--expr"), QStringLiteral("(mul x 2.0)"),
                                     QStringLiteral("--to"), QStringLiteral("cpp"), QStringLiteral("-o"), cpp,
                                     QStringLiteral("--header"), header});
    QVERIFY2(result.status == 0, result.errors.constData());
    QFile file(header);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY2(text.contains("namespace ks_scaled {\n\ndouble expression(double x);\n\n}"), text.constData());
}

/// A hint that says "apply `rule`, then `rule`" is followed: from the start, each rule in turn, wherever it applies.
void TestCliExpressions::hintsOfSamplesCanBeFollowed_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QStringList>("rules");
    QTest::addColumn<bool>("isCheaper");  // "the cost falls"
    const QString folder = QStringLiteral(MITOS_SOURCE_DIR "/samples");
    QDirIterator files(folder, {QStringLiteral("*.ks")}, QDir::Files, QDirIterator::Subdirectories);
    int followed = 0;
    while (files.hasNext()) {
        const QString path = files.next();
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QStringList rules;
        const QByteArray text = file.readAll();
        for (const QByteArray& line : text.split('\n')) {
            if (!line.startsWith(';')) break;
            static const QRegularExpression quotedName(QStringLiteral("`([a-z_0-9~]+)`"));
            for (auto match = quotedName.globalMatch(QString::fromUtf8(line)); match.hasNext();) {
                rules << match.next().captured(1);
            }
        }
        if (rules.isEmpty()) continue;
        ++followed;
        QTest::newRow(qPrintable(path.mid(folder.size() + 1))) << path << rules << text.contains("the cost falls");
    }
    QVERIFY(followed >= 5);
}

void TestCliExpressions::hintsOfSamplesCanBeFollowed() {
    QFETCH(const QString, path);
    QFETCH(const QStringList, rules);
    QFETCH(const bool, isCheaper);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QStringList programs{QString::fromUtf8(file.readAll())};
    double start = 0.0;
    double best = 0.0;
    for (const QString& rule : rules) {
        QStringList next;
        for (const QString& program : programs) {
            const CliResult result =
                runCli({QStringLiteral("rewrites"), QStringLiteral("-"), QStringLiteral("--json")}, program.toUtf8());
            QVERIFY2(result.status == 0, result.errors.constData());
            for (const auto& value : result.json()[QStringLiteral("rewrites")].toArray()) {
                const QJsonObject rewrite = value.toObject();
                const QString name = rewrite[QStringLiteral("rule")].toString();
                const bool isBackward = rewrite[QStringLiteral("direction")].toString() == QStringLiteral("backward");
                if ((isBackward ? name + QLatin1Char('~') : name) != rule) continue;
                if (start == 0.0) start = rewrite[QStringLiteral("cost_before")].toDouble();
                const double cost = rewrite[QStringLiteral("cost_after")].toDouble();
                best = next.isEmpty() ? cost : std::min(best, cost);
                next << rewrite[QStringLiteral("result")].toString();
            }
        }
        QVERIFY2(!next.isEmpty(), qPrintable(rule + QStringLiteral(" does not apply")));
        next.removeDuplicates();
        programs = next.mid(0, 20);
    }
    QVERIFY2(!isCheaper || best < start, qPrintable(QStringLiteral("%1 is not less than %2").arg(best).arg(start)));
}

/// "search with A* and the rule set ks-simple", "A*, the rule set ks-simple and 200000 evaluations", "A* reaches 6.1".
void TestCliExpressions::searchesThatHintsNameFindSomething() {
    static const QRegularExpression searchWords(
        QStringLiteral("search with A\\*(?: and|,) the rule set ([a-z-]+)(?: and (\\d+) evaluations)?\\."));
    static const QRegularExpression reachedCost(QStringLiteral("A\\* reaches (\\d+(?:\\.\\d+)?)\\."));
    QMap<QStringList, QStringList> searches;  // options, and the samples to search with them
    QMap<QString, double> expected;           // by name of the sample; 0: less than at the start
    QDirIterator files(QStringLiteral(MITOS_SOURCE_DIR "/samples"), {QStringLiteral("*.ks")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        const QString usual = QStringLiteral("20000");
        if (const auto search = searchWords.match(text); search.hasMatch()) {
            const QString evaluations = search.captured(2).isEmpty() ? usual : search.captured(2);
            searches[{QStringLiteral("--rules"), search.captured(1), QStringLiteral("--evaluations"), evaluations}]
                << path;
            expected[QFileInfo(path).completeBaseName()] = 0.0;
        } else if (const auto reaches = reachedCost.match(text); reaches.hasMatch()) {
            searches[{QStringLiteral("--evaluations"), usual}] << path;
            expected[QFileInfo(path).completeBaseName()] = reaches.captured(1).toDouble();
        }
    }
    QVERIFY(expected.size() >= 50);
    for (auto search = searches.cbegin(); search != searches.cend(); ++search) {
        const QStringList options = QStringList{QStringLiteral("compare"), QStringLiteral("--json"),
                                                QStringLiteral("--strategies"), QStringLiteral("astar")} +
                                    search.key() + search.value();
        const CliResult result = runCli(options, {}, 300'000);
        QVERIFY2(result.status == 0, result.errors.constData());
        for (const auto& value : result.json()[QStringLiteral("programs")].toArray()) {
            const QJsonObject program = value.toObject();
            const QString name = program[QStringLiteral("program")].toString();
            const double best = program[QStringLiteral("best_cost")].toDouble();
            const double start = program[QStringLiteral("initial_cost")].toDouble();
            const double wanted = expected.take(name);
            const bool isKept = wanted > 0.0 ? best <= wanted + 1e-9 : best < start;
            QVERIFY2(isKept, qPrintable(QStringLiteral("%1: %2 becomes %3").arg(name).arg(start).arg(best)));
        }
    }
    QVERIFY(expected.isEmpty());
}

MITOS_TEST(TestCliExpressions)

}  // namespace tst_cli_expressions

#include "tst_cli_expressions.moc"
