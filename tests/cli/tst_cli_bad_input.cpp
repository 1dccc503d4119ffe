// SPDX-License-Identifier: GPL-3.0-or-later
// For any input, mitos-cli prints one clear message and returns the right exit status; it never crashes.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <sys/stat.h>

#include <QFileInfo>
#include <QTest>

namespace tst_cli_bad_input {

using mitos::tests::CliResult;
using mitos::tests::runCli;
using mitos::tests::sample;

class TestCliBadInput : public QObject, private mitos::tests::CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void badUsage_data();
    void badUsage();
    void badPrograms_data();
    void badPrograms();
    void missingFilesAndFolders();
    void namedPipesAreNotWaitedFor();
    void outputThatCannotBeWritten();
    void badThreadsAndSessions();
    void jsonReportsTheErrorToo();
};

void TestCliBadInput::badUsage_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("message");
    const QString file = sample(QStringLiteral("arithmetic/table6-1.ks"));
    QTest::newRow("nothing") << QStringList{} << QByteArray("subcommand");
    QTest::newRow("unknown command") << QStringList{QStringLiteral("optimise"), file} << QByteArray("mitos-cli:");
    QTest::newRow("unknown flag") << QStringList{QStringLiteral("info"), file, QStringLiteral("--colour")}
                                  << QByteArray("--colour");
    QTest::newRow("no file") << QStringList{QStringLiteral("info")} << QByteArray("FILE");
    QTest::newRow("unknown strategy") << QStringList{QStringLiteral("optimize"), file, QStringLiteral("--strategy"),
                                                     QStringLiteral("magic")}
                                      << QByteArray("astar");
    QTest::newRow("unknown parameter") << QStringList{QStringLiteral("optimize"), file, QStringLiteral("--set"),
                                                      QStringLiteral("width=3")}
                                       << QByteArray("depth");
    QTest::newRow("bad value") << QStringList{QStringLiteral("optimize"), file, QStringLiteral("--set"),
                                              QStringLiteral("depth=many")}
                               << QByteArray("depth");
    QTest::newRow("value out of range") << QStringList{QStringLiteral("optimize"), file, QStringLiteral("--set"),
                                                       QStringLiteral("depth=-1")}
                                        << QByteArray("depth");
    QTest::newRow("negative budget") << QStringList{QStringLiteral("optimize"), file, QStringLiteral("--seconds"),
                                                    QStringLiteral("-1")}
                                     << QByteArray("seconds");
    QTest::newRow("negative seed") << QStringList{QStringLiteral("optimize"), file, QStringLiteral("--seed"),
                                                  QStringLiteral("-1")}
                                   << QByteArray("whole number");
    QTest::newRow("more nodes than numbers go")
        << QStringList{QStringLiteral("optimize"), file, QStringLiteral("--nodes"),
                       QStringLiteral("99999999999999999999")}
        << QByteArray("whole number");
    QTest::newRow("unknown cost") << QStringList{QStringLiteral("rewrites"), file, QStringLiteral("--cost"),
                                                 QStringLiteral("gold")}
                                  << QByteArray("ks-2021");
    QTest::newRow("unknown rule left out") << QStringList{QStringLiteral("rewrites"), file, QStringLiteral("--rules"),
                                                          QStringLiteral("ks-simple,-commute_mull")}
                                           << QByteArray("did you mean commute_mul?");
    QTest::newRow("all rules left out") << QStringList{QStringLiteral("saturate"), QStringLiteral("--term"),
                                                       QStringLiteral("f(a, b)"), QStringLiteral("--rules"),
                                                       sample(QStringLiteral("egraphs/assoc-comm.rules")) +
                                                           QStringLiteral(",-commute,-associate")}
                                        << QByteArray("every rule of");
    QTest::newRow("unknown rules") << QStringList{QStringLiteral("rewrites"), file, QStringLiteral("--rules"),
                                                  QStringLiteral("nonsense")}
                                   << QByteArray("ks-simple");
    QTest::newRow("unknown function") << QStringList{QStringLiteral("info"), file, QStringLiteral("--function"),
                                                     QStringLiteral("f")}
                                      << QByteArray("f");
    QTest::newRow("unknown format") << QStringList{QStringLiteral("export"), file, QStringLiteral("--to"),
                                                   QStringLiteral("pdf")}
                                    << QByteArray("pdf");
    QTest::newRow("unknown way of products") << QStringList{QStringLiteral("export"), file,
                                                            QStringLiteral("--to"),   QStringLiteral("cpp"),
                                                            QStringLiteral("--set"),  QStringLiteral("products=blas")}
                                             << QByteArray("products=eigen");
    QTest::newRow("bad position") << QStringList{QStringLiteral("rewrites"), file, QStringLiteral("--position"),
                                                 QStringLiteral("left")}
                                  << QByteArray("position");
    QTest::newRow("no such position") << QStringList{QStringLiteral("rewrites"), file, QStringLiteral("--position"),
                                                     QStringLiteral("/9/9")}
                                      << QByteArray("/9/9");
    QTest::newRow("no compiler") << QStringList{QStringLiteral("export"),
                                                file,
                                                QStringLiteral("--to"),
                                                QStringLiteral("cpp"),
                                                QStringLiteral("--check"),
                                                QStringLiteral("--compiler"),
                                                QStringLiteral("no-such-compiler")}
                                 << QByteArray("no-such-compiler");
}

void TestCliBadInput::badUsage() {
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, message);
    const CliResult result = runCli(arguments);
    QCOMPARE(result.status, 2);
    QVERIFY2(result.errors.contains(message), result.errors.constData());
    QVERIFY(result.output.isEmpty());
}

void TestCliBadInput::badPrograms_data() {
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("empty") << QByteArray() << QByteArray("no ");
    QTest::newRow("only a comment") << QByteArray("; nothing here\n") << QByteArray("no ");
    QTest::newRow("binary") << QByteArray(
                                   "\x7f"
                                   "ELF\x02\x01\x01\x00\xff\xfe",
                                   10)
                            << QByteArray("not a text file");
    QTest::newRow("ten megabytes of parentheses") << QByteArray(10'000'000, '(') << QByteArray("10");
    QTest::newRow("ten megabytes of pairs") << QByteArray("()").repeated(5'000'000) << QByteArray(":1:");
    QTest::newRow("unclosed") << QByteArray("(def f Float (x : Float) (add x 1.0)") << QByteArray(":1:1");
    QTest::newRow("unknown operator") << QByteArray("(def f Float (x : Float) (sin_ x))") << QByteArray("sin_");
    QTest::newRow("wrong types") << QByteArray("(def f Float (x : Float) (add x true))") << QByteArray("Bool");
    QTest::newRow("wrong result type") << QByteArray("(def f Integer (x : Float) x)") << QByteArray("Integer");
    QTest::newRow("non-ASCII name") << QByteArray("(def f Float (\xc3\xa9 : Float) 1.0)") << QByteArray(":1:");
    QTest::newRow("text after it") << QByteArray("(def f Float (x : Float) x))") << QByteArray(":1:28");
}

void TestCliBadInput::badPrograms() {
    QFETCH(const QByteArray, program);
    QFETCH(const QByteArray, message);
    const QString file = write(QStringLiteral("program.ks"), program);
    for (const char* command : {"info", "show", "rewrites", "eval", "optimize"}) {
        const CliResult result = runCli({QLatin1String(command), file});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.left(2000).constData());
        QVERIFY2(result.errors.size() < 20'000, "one clear message");
    }
}

void TestCliBadInput::missingFilesAndFolders() {
    const CliResult missing = runCli({QStringLiteral("info"), QStringLiteral("no/such/file.ks")});
    QCOMPARE(missing.status, 2);
    QVERIFY(missing.errors.contains("no such file"));
    const CliResult asFile = runCli({QStringLiteral("info"), folder()});
    QCOMPARE(asFile.status, 2);
    QVERIFY(asFile.errors.contains("folder"));
}

void TestCliBadInput::namedPipesAreNotWaitedFor() {
    const QString pipe = path(QStringLiteral("pipe"));
    const QString model = path(QStringLiteral("pipe.onnx"));
    for (const QString& name : {pipe, model}) QCOMPARE(::mkfifo(name.toLocal8Bit().constData(), 0600), 0);
    const QString file = write(QStringLiteral("program.ks"), "(mul x 2.0)");
    const QByteArray message = "pipe: is not a regular file but a pipe";
    const QStringList optimize{QStringLiteral("optimize"), file};
    for (const QStringList& arguments :
         {QStringList{QStringLiteral("info"), pipe}, optimize + QStringList{QStringLiteral("--rules"), pipe},
          QStringList{QStringLiteral("eval"), file, QStringLiteral("--inputs"), u'@' + pipe}}) {
        const CliResult result = runCli(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.constData());
    }
    const CliResult result = runCli({QStringLiteral("info"), model});
    QCOMPARE(result.status, 2);
    QVERIFY2(result.errors.contains("pipe.onnx: is not a regular file but a pipe"), result.errors.constData());
    // Standard input is a pipe here.
    for (const char* const input : {"-", "/dev/stdin"}) {
        const CliResult read = runCli({QStringLiteral("info"), QLatin1String(input)}, "(mul x 2.0)");
        QCOMPARE(read.status, 0);
        QVERIFY2(read.output.contains("expression(x : Float) -> Float"), read.output.constData());
    }
}

void TestCliBadInput::outputThatCannotBeWritten() {
    const QString file = sample(QStringLiteral("arithmetic/table6-1.ks"));
    const CliResult noFolder = runCli({QStringLiteral("export"), file, QStringLiteral("--to"), QStringLiteral("ks"),
                                       QStringLiteral("-o"), path(QStringLiteral("absent/out.ks"))});
    QCOMPARE(noFolder.status, 2);
    QVERIFY(noFolder.errors.contains("written"));
    // Nothing half-written is left, and what was there stays.
    const QString kept = write(QStringLiteral("kept.ks"), "(add x y)");
    const CliResult full = runCli({QStringLiteral("export"), file, QStringLiteral("--to"), QStringLiteral("ks"),
                                   QStringLiteral("-o"), QStringLiteral("/dev/full/x")});
    QCOMPARE(full.status, 2);
    QCOMPARE(QFileInfo(kept).size(), 9);
}

void TestCliBadInput::badThreadsAndSessions() {
    const QString file = sample(QStringLiteral("arithmetic/table6-1.ks"));
    for (const QByteArray& content : {QByteArray(), QByteArray("not a thread\n"), QByteArray("mitos-thread 99\n"),
                                      QByteArray("mitos-thread 1\n"), QByteArray("\xff\xfe\x00", 3)}) {
        const CliResult result = runCli(
            {QStringLiteral("apply"), file, QStringLiteral("--steps"), write(QStringLiteral("bad.thread"), content)});
        QCOMPARE(result.status, 2);
        QVERIFY(!result.errors.isEmpty());
    }
    const QString notASession =
        write(QStringLiteral("session.mitos"), "this is no database, only text that is long enough to look at");
    const CliResult session = runCli({QStringLiteral("optimize"), file, QStringLiteral("--evaluations"),
                                      QStringLiteral("10"), QStringLiteral("--session"), notASession});
    QCOMPARE(session.status, 2);
    QVERIFY(!session.errors.isEmpty());
    QFile untouched(notASession);
    QVERIFY(untouched.open(QIODevice::ReadOnly));
    QVERIFY(untouched.readAll().startsWith("this is no database"));
}

void TestCliBadInput::jsonReportsTheErrorToo() {
    const CliResult result = runCli({QStringLiteral("info"), QStringLiteral("-"), QStringLiteral("--json")},
                                    "(def f Float (x : Float)\n  (ad x 1.0))");
    QCOMPARE(result.status, 2);
    const QJsonObject error = result.json()[QStringLiteral("error")].toObject();
    QCOMPARE(error[QStringLiteral("code")].toString(), QStringLiteral("parse"));
    QCOMPARE(error[QStringLiteral("line")].toInt(), 2);
}

MITOS_TEST(TestCliBadInput)

}  // namespace tst_cli_bad_input

#include "tst_cli_bad_input.moc"
