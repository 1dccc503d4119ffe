// SPDX-License-Identifier: GPL-3.0-or-later
// The command line with files, streams, signals and child processes.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace tst_cli_files {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TestCliFiles : public QObject, private mitos::tests::CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void init() { newFolder(); }

    void textOfFilesDoesNotSpeakToTheTerminal();
    void aFullStandardOutputIsTold_data();
    void aFullStandardOutputIsTold();
    void standardErrorIsNotNeeded_data();
    void standardErrorIsNotNeeded();
    void outputsDoNotOverwrite_data();
    void outputsDoNotOverwrite();
    void signalsKeepWhatWasFound_data();
    void signalsKeepWhatWasFound();
    void nothingOutlivesAKill();
    void markdownShowsNamesAsTheyAre();
    void memoryIsKeptTo_data();
    void memoryIsKeptTo();

private:
    /// Through a shell, in the test's folder: "$M" is the program.
    [[nodiscard]] CliResult shell(const QString& line) const {
        QProcess process;
        process.setWorkingDirectory(folder());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"M"_s, QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"));
        process.setProcessEnvironment(environment);
        process.start(u"/bin/sh"_s, {u"-c"_s, line});
        const bool ended = process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit;
        return {ended ? process.exitCode() : -2, process.readAllStandardOutput(), process.readAllStandardError()};
    }
};

void TestCliFiles::textOfFilesDoesNotSpeakToTheTerminal() {
    const QString bad = write(u"a.ks"_s, "(mul x \x1b]0;title\x07)\n");
    const CliResult refused = runCli({u"show"_s, bad});
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.errors.contains("\\u001b]0;title"), refused.errors.constData());
    QVERIFY(!refused.errors.contains('\x1b'));
    // The file's name is in every message, and in JSON.
    const CliResult missing = runCli({u"show"_s, u"no\x1b[31mfile\u009b.ks"_s, u"--json"_s});
    QVERIFY(!missing.errors.contains('\x1b') && !missing.output.contains('\x1b') &&
            !missing.output.contains("\xc2\x9b"));
    QVERIFY2(missing.json()[u"error"_s][u"message"_s].toString().contains(u"no\x1b[31mfile\u009b.ks"_s),
             missing.output.constData());
    // Strings of programs are escaped when shown, and unchanged when written to a file.
    const QString odd = write(u"odd.ks"_s, "(def f String (x : String) \"bell\u202e\")\n");
    const CliResult shown = runCli({u"show"_s, odd});
    QVERIFY2(!shown.output.contains("\xe2\x80\xae"), shown.output.constData());
}

void TestCliFiles::aFullStandardOutputIsTold_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("show") << u"$M show a.ks > /dev/full"_s;
    QTest::newRow("JSON") << u"$M optimize a.ks --evaluations 10 --json > /dev/full"_s;
    QTest::newRow("help") << u"$M --help > /dev/full"_s;
    QTest::newRow("a file") << u"$M export a.ks --to ks > /dev/full"_s;
    QTest::newRow("closed") << u"$M show a.ks >&-"_s;
}

void TestCliFiles::aFullStandardOutputIsTold() {
    QFETCH(QString, line);
    write(u"a.ks"_s, "(mul x 1.0)\n");
    const CliResult full = shell(line);
    QCOMPARE(full.status, 2);
    QVERIFY2(full.errors.contains("standard output") && full.errors.contains("could not be written completely"),
             full.errors.constData());
}

void TestCliFiles::standardErrorIsNotNeeded_data() {
    QTest::addColumn<QString>("where");
    QTest::newRow("full") << u"2>/dev/full"_s;
    QTest::newRow("closed") << u"2>&-"_s;
    QTest::newRow("a reader that is gone") << u"2>&1 >out | true; cat out"_s;
}

void TestCliFiles::standardErrorIsNotNeeded() {
    QFETCH(QString, where);
    write(u"a.ks"_s, "(mul x 1.0)\n");
    write(u"bad.rules"_s, "use ks\nrule wrong: a * 1.0 => 0.0\n");
    // A rule that fails its test is reported on standard error before the search.
    const CliResult result =
        shell(u"$M optimize a.ks --evaluations 40 --rules ks-simple,bad.rules -o best.ks "_s + where);
    QVERIFY2(result.status == 0, result.errors.constData());
    QVERIFY2(result.output.contains("cost 2 -> 0"), result.output.constData());
    QVERIFY(!read(path(u"best.ks"_s)).isEmpty());
    QCOMPARE(shell(u"$M nosuch 2>&-"_s).status, 2);
    // The number of a closed descriptor is not given to a file that is written.
    QVERIFY(!read(path(u"best.ks"_s)).contains("fails"));
}

void TestCliFiles::outputsDoNotOverwrite_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QByteArray>("says");
    const QByteArray input = "would overwrite the file that is read";
    const QByteArray same = "name the same file";
    QTest::newRow("the input") << u"optimize a.ks --evaluations 10 -o a.ks"_s << input;
    QTest::newRow("a link to it") << u"optimize a.ks --evaluations 10 --thread link.ks"_s << input;
    QTest::newRow("its other name") << u"optimize a.ks --evaluations 10 -o ./hard.ks"_s << input;
    QTest::newRow("the rules") << u"optimize a.ks --evaluations 10 --rules my.rules -o my.rules"_s << input;
    QTest::newRow("rules that others include")
        << u"optimize a.ks --evaluations 10 --rules outer.rules -o my.rules"_s << input;
    QTest::newRow("rules with an error that others include")
        << u"optimize a.ks --evaluations 10 --rules outer.rules -o broken.rules"_s << input;
    QTest::newRow("rules of TENSAT's") << u"saturate --term x --rules tensat:few.txt -o few.txt"_s << input;
    QTest::newRow("an exported program's rules") << u"export a.ks --to ks --rules outer.rules -o my.rules"_s << input;
    QTest::newRow("a report's rules")
        << u"compare a.ks --strategies greedy --evaluations 10 --rules outer.rules -o my.rules"_s << input;
    QTest::newRow("the device")
        << u"optimize a.listing --evaluations 10 --cost roofline:device.json,n=4 --thread device.json"_s << input;
    QTest::newRow("a header") << u"export a.ks --to cpp -o a.cpp --header a.ks"_s << input;
    QTest::newRow("two exported files") << u"export a.ks --to cpp -o a.cpp --header ./a.cpp"_s << same;
    QTest::newRow("the log of a session")
        << u"optimize a.ks --evaluations 10 --session s.mitos -o s.mitos-wal"_s << same;
    QTest::newRow("two outputs") << u"optimize a.ks --evaluations 10 -o out.ks --thread ./out.ks"_s << same;
    QTest::newRow("with a session") << u"optimize a.ks --evaluations 10 --session s --thread s"_s << same;
    QTest::newRow("to standard output twice") << u"optimize a.ks --evaluations 10 -o - --thread -"_s << same;
    QTest::newRow("export") << u"export a.ks --to ks -o a.ks"_s << input;
    QTest::newRow("export of a thread") << u"export a.ks --to ks --steps t -o t"_s << input;
    QTest::newRow("apply") << u"apply a.ks --steps t -o t"_s << input;
    QTest::newRow("compare") << u"compare a.ks --strategies greedy --evaluations 10 -o a.ks"_s << input;
    QTest::newRow("a folder's file") << u"compare . --strategies greedy --evaluations 10 -o a.ks"_s << input;
    QTest::newRow("saturate") << u"saturate a.ks --iterations 1 -o a.ks"_s << input;
    QTest::newRow("threads with numbers")
        << u"saturate --term 'x * 1.0' --term 'x' --iterations 1 --thread out --output out.2"_s << same;
}

void TestCliFiles::outputsDoNotOverwrite() {
    QFETCH(QString, line);
    QFETCH(QByteArray, says);
    const QByteArray text = "(mul x 1.0)\n";
    write(u"a.ks"_s, text);
    write(u"my.rules"_s, "use ks\nrule one: a * 1.0 => a\n");
    write(u"outer.rules"_s, "use ks\ninclude \"my.rules\"\ninclude \"broken.rules\"\nrule zero: a + 0.0 => a\n");
    write(u"broken.rules"_s, "use ks\nrule half: a *\n");
    write(u"few.txt"_s, "(ewadd ?input_1 ?input_2)=>(ewadd ?input_2 ?input_1)\n");
    write(u"a.listing"_s, "graph f(x: f32[64,64])\n  return Relu(Relu(x))\n");
    write(u"device.json"_s,
          R"({"launch_seconds": 1e-6, "half_flops": 1e12, "single_flops": 1e12, "double_flops": 1e12,
              "bytes_per_second": 1e12})");
    write(u"t"_s, "thread");
    QVERIFY(QFile::link(path(u"a.ks"_s), path(u"link.ks"_s)));
    QCOMPARE(::link(path(u"a.ks"_s).toUtf8().constData(), path(u"hard.ks"_s).toUtf8().constData()), 0);
    const QStringList before = QDir(folder()).entryList(QDir::Files | QDir::Hidden);
    const CliResult refused = shell(u"$M "_s + line);
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.errors.contains(says), refused.errors.constData());
    QCOMPARE(read(path(u"a.ks"_s)), text);
    QCOMPARE(QDir(folder()).entryList(QDir::Files | QDir::Hidden), before);
}

void TestCliFiles::signalsKeepWhatWasFound_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("signal");
    const QString search =
        u"optimize %1 --seconds 600 --strategy random --session s.mitos -o best.ks --thread thread"_s;
    QTest::newRow("hang up") << search << SIGHUP;
    QTest::newRow("terminate") << search << SIGTERM;
    QTest::newRow("interrupt") << search << SIGINT;
}

void TestCliFiles::signalsKeepWhatWasFound() {
    QFETCH(QString, line);
    QFETCH(int, signal);
    QProcess process;
    process.setWorkingDirectory(folder());
    process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                  line.arg(sample(u"linear-algebra/gemm.ks"_s)).split(u' '));
    QVERIFY(process.waitForStarted());
    // Once the session has a thread, something was found.
    QVERIFY(QTest::qWaitFor([&] { return read(path(u"s.mitos-wal"_s)).contains("mitos-thread "); }, 30'000));
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    if (signal == SIGHUP) ::kill(static_cast<pid_t>(process.processId()), signal);  // terminals do so twice
    QVERIFY(process.waitForFinished(30'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(read(path(u"best.ks"_s)).contains("def"));
    QVERIFY(!read(path(u"thread"_s)).isEmpty());
}

void TestCliFiles::nothingOutlivesAKill() {
    const QString temporary = path(u"tmp"_s);
    QVERIFY(QDir().mkdir(temporary));
    // A compiler that starts a child process that runs long.
    const QString compiler = write(u"slow"_s,
                                   "#!/bin/sh\ncase \"$1\" in --version) echo slow; exit;; esac\n"
                                   "sleep 300 &\necho $! > \"$PIDS.new\"; mv \"$PIDS.new\" \"$PIDS\"\nwait\n");
    QVERIFY(QFile::setPermissions(compiler, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const QString file = write(u"a.ks"_s, "(mul x 1.0)\n");
    const QString pids = path(u"pids"_s);
    const auto contents = [&] {
        return QDir(temporary).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    };
    for (const int signal : {SIGHUP, SIGKILL}) {
        QFile::remove(pids);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"TMPDIR"_s, temporary);
        environment.insert(u"PIDS"_s, pids);
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                      {u"export"_s, file, u"--to"_s, u"cpp"_s, u"--check"_s, u"--compiler"_s, compiler});
        QVERIFY(process.waitForStarted());
        QVERIFY2(QTest::qWaitFor([&] { return QFile::exists(pids); }, 30'000),
                 process.readAllStandardError().constData());
        const auto child = static_cast<pid_t>(read(pids).trimmed().toInt());
        QVERIFY(child > 0);
        QCOMPARE(::kill(child, 0), 0);
        QCOMPARE(contents().size(), 1);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
        QVERIFY(process.waitForFinished(30'000));
        // Gone, or a zombie that its new parent has not reaped yet.
        const auto isGone = [child] {
            return ::kill(child, 0) != 0 || read(u"/proc/%1/stat"_s.arg(child)).contains(") Z ");
        };
        QVERIFY(QTest::qWaitFor(isGone, 10'000));
        QCOMPARE(contents().size(), signal == SIGKILL ? 1 : 0);
    }
    // The next start removes our own files, and no others.
    QVERIFY(QDir(temporary).mkdir(u"mitos-notes"_s));
    QVERIFY(QFile::link(folder(), temporary + u"/mitos-link"_s));
    const CliResult next = shell(u"TMPDIR=tmp $M show a.ks"_s);
    QCOMPARE(next.status, 0);
    QCOMPARE(contents(), (QStringList{u"mitos-link"_s, u"mitos-notes"_s}));
}

void TestCliFiles::markdownShowsNamesAsTheyAre() {
    write(u"a|b`c<i>*d_e[f](g).ks"_s, "(mul x 1.0)\n");
    const CliResult result = shell(u"$M compare . --strategies greedy --evaluations 10 -o out.md"_s);
    QVERIFY2(result.status == 0, result.errors.constData());
    const QByteArray table = read(path(u"out.md"_s));
    QVERIFY2(table.contains("| a\\|b\\`c\\<i\\>\\*d\\_e\\[f\\](g) | 2 | 0 |"), table.constData());
    const CliResult page = shell(u"$M compare . --strategies greedy --evaluations 10 -o out.html"_s);
    QVERIFY2(page.status == 0, page.errors.constData());
    QVERIFY(!read(path(u"out.html"_s)).contains("c<i>"));
}

/// The peak that the system measured against the limit: a program that does not search takes some 13 MiB, and tables grow in
/// steps.
void TestCliFiles::memoryIsKeptTo_data() {
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QString>("stop");
    const QString gemm = sample(u"linear-algebra/gemm.ks"_s);
    QTest::newRow("beam") << QStringList{u"optimize"_s, gemm, u"--strategy"_s, u"beam"_s} << u"memory"_s;
    QTest::newRow("greedy") << QStringList{u"optimize"_s, gemm, u"--strategy"_s, u"greedy"_s} << u"memory"_s;
    QTest::newRow("saturate") << QStringList{u"saturate"_s, gemm, u"--rules"_s, u"ks-all"_s} << u"memory"_s;
    // Each value takes 69 MiB.
    const QString large = u"graph f(x: f32[3000,3000])\n  y = Add(Relu(x), Neg(x))\n  return Mul(Exp(y), Relu(y))\n"_s;
    QTest::newRow("values") << QStringList{u"optimize"_s, u"--expr"_s,        large,  u"--strategy"_s,
                                           u"greedy"_s,   u"--evaluations"_s, u"50"_s}
                            << u"evaluations"_s;
}

void TestCliFiles::memoryIsKeptTo() {
    QFETCH(QStringList, command);
    QFETCH(QString, stop);
    constexpr long Limit = 200;
    const std::string program = QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli").toStdString();
    command += {u"--seconds"_s, u"100"_s, u"--json"_s, u"--memory"_s};
    command.append(QString::number(Limit));
    std::vector<std::string> words{program};
    for (const QString& word : command) words.push_back(word.toStdString());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string output = path(u"out.json"_s).toStdString();
    const pid_t child = ::fork();
    if (child == 0) {
        const int out = ::open(output.c_str(), O_WRONLY | O_CREAT, 0600);
        ::dup2(out, STDOUT_FILENO);
        ::execv(program.c_str(), arguments.data());
        ::_exit(127);
    }
    int status = 0;
    rusage used{};
    QCOMPARE(::wait4(child, &status, 0, &used), child);
    QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const QJsonObject result = QJsonDocument::fromJson(read(path(u"out.json"_s))).object();
    QCOMPARE(result[u"stop"_s].toString(), stop);
    const long peak = used.ru_maxrss / 1024;
#ifdef __SANITIZE_ADDRESS__
    constexpr long Percent = 600;  // with the sanitizer's red zones, and what it keeps of freed memory
#else
    constexpr long Percent = 105;
#endif
    QVERIFY2(peak <= Limit * Percent / 100, qPrintable(u"%1 MiB"_s.arg(peak)));
}

MITOS_TEST(TestCliFiles)

}  // namespace tst_cli_files

#include "tst_cli_files.moc"
