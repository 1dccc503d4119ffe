// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli schedule in several processes: one result, printed once, the same as in one process. Left out where mpirun cannot start
// processes; nothing here needs a network.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QFileInfo>
#include <QProcessEnvironment>
#include <algorithm>
#include <csignal>
#include <filesystem>

namespace tst_cli_mpi {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

const QString Cli = QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli");
const QString Module = QStringLiteral(MITOS_BINARY_DIR "/app/mitos-mpi.so");

/// More processes than processors are fine, as is the user root in a container; they talk through memory alone.
QStringList launcher(int ranks) {
    return {u"--oversubscribe"_s,
            u"--allow-run-as-root"_s,
            u"--mca"_s,
            u"pml"_s,
            u"ob1"_s,
            u"--mca"_s,
            u"btl"_s,
            u"self,vader"_s,
            u"-n"_s,
            QString::number(ranks)};
}

CliResult runProgram(const QString& program, const QStringList& arguments,
                     const QList<std::pair<QString, QString>>& variables = {}) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : variables) environment.insert(name, value);
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    process.closeWriteChannel();
    constexpr int Milliseconds = 120'000;
    const bool ended = process.waitForFinished(Milliseconds) && process.exitStatus() == QProcess::NormalExit;
    if (!ended) process.kill();
    return {ended ? process.exitCode() : -2, process.readAllStandardOutput(), process.readAllStandardError()};
}

CliResult runRanks(int ranks, const QStringList& arguments) {
    return runProgram(u"mpirun"_s, launcher(ranks) + QStringList{Cli} + arguments);
}

QJsonObject withoutTimes(const CliResult& result) {
    QJsonObject json = result.json();
    json.remove(u"seconds"_s);
    return json;
}

}  // namespace

class TestCliMpi : public QObject, private CliFolder {
    Q_OBJECT

private:
    /// MPI is optional: where its module is not built, or mpirun has no network interface to start with, there is nothing to test.
    bool m_hasMpi = false;

    static QStringList schedule(const QStringList& more) {
        return QStringList{u"schedule"_s, sample(u"task-graphs/layers.tasks"_s)} + more;
    }

private Q_SLOTS:
    void initTestCase() {
        m_hasMpi =
            QFileInfo::exists(Module) && runProgram(u"mpirun"_s, launcher(2) + QStringList{u"true"_s}).status == 0;
    }

    void processesFindWhatOneFinds_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("settings");
        QTest::newRow("2 ranks") << 2 << u"--set islands=4 --transfers async --latency 0.3"_s;
        QTest::newRow("3 ranks") << 3 << u"--set islands=4 --set shake=3 --transfers async --latency 0.3"_s;
        QTest::newRow("paths") << 3 << u"--set islands=4 --set relink=2 --set decode=paper --set starts=false"_s;
        QTest::newRow("seeds") << 2 << u"--set islands=2 --seeds 3 --objective memory"_s;
        QTest::newRow("another seed") << 2 << u"--set islands=3 --seed 5 --set decode=paper --jobs 2"_s;
    }
    void processesFindWhatOneFinds() {
        if (!m_hasMpi) QSKIP("mpirun cannot start processes");
        QFETCH(const int, ranks);
        QFETCH(const QString, settings);
        const QString file = path(u"schedule.csv"_s);
        const QStringList arguments =
            schedule(settings.split(u' ') + QStringList{u"--evaluations"_s, u"1500"_s, u"--json"_s, u"-o"_s, file});
        const CliResult alone = runCli(arguments);
        QVERIFY2(alone.status == 0, alone.errors.constData());
        const QByteArray expected = read(file);
        QVERIFY(QFile::remove(file));
        const CliResult together = runRanks(ranks, arguments);
        QVERIFY2(together.status == 0, together.errors.constData());
        QCOMPARE(together.errors, QByteArray());
        QVERIFY(!expected.isEmpty());
        QCOMPARE(read(file), expected);
        QCOMPARE(withoutTimes(together), withoutTimes(alone));
    }

    /// The state of all islands goes from two processes to one, and from one to three.
    void checkpointsGoFromTeamToTeam() {
        if (!m_hasMpi) QSKIP("mpirun cannot start processes");
        const QString file = path(u"state.json"_s);
        const auto until = [&file](int evaluations, bool hasFile) {
            const QStringList arguments = schedule({u"--objective"_s, u"memory"_s, u"--set"_s, u"islands=3"_s,
                                                    u"--evaluations"_s, QString::number(evaluations), u"--json"_s});
            return hasFile ? arguments + QStringList{u"--set"_s, u"checkpoint="_s + file} : arguments;
        };
        QCOMPARE(runRanks(2, until(700, true)).status, 0);
        QCOMPARE(runCli(until(1'400, true)).status, 0);
        const CliResult together = runRanks(3, until(2'100, true));
        QVERIFY2(together.status == 0, together.errors.constData());
        QCOMPARE(withoutTimes(together), withoutTimes(runCli(until(2'100, false))));
        // The first process alone sees that the file is another one's.
        const CliResult other = runRanks(2, until(2'100, true) + QStringList{u"--seed"_s, u"9"_s});
        QCOMPARE(other.status, 2);
        QVERIFY2(other.errors.count("other settings: seed 1 instead of 9") == 1, other.errors.constData());
        QVERIFY(QFile::remove(file));
    }

    void otherStrategiesRunOnce() {
        if (!m_hasMpi) QSKIP("mpirun cannot start processes");
        const QStringList arguments = schedule({u"--strategy"_s, u"heft"_s, u"--json"_s});
        const CliResult together = runRanks(2, arguments);
        QVERIFY2(together.status == 0, together.errors.constData());
        QCOMPARE(withoutTimes(together), withoutTimes(runCli(arguments)));
    }

    void errorsAreReportedOnce_data() {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("parameter") << u"--set islands=2 --set elites=100"_s << 2
                                   << QByteArray("there must be between 1 and 99 elites, not 100");
        QTest::newRow("too few islands") << u"--set islands=1"_s << 2
                                         << QByteArray("2 processes cannot share 1 island");
        QTest::newRow("unknown strategy")
            << u"--strategy nothing"_s << 2 << QByteArray("there is no strategy for schedules \"nothing\"");
        QTest::newRow("output") << u"--set islands=2 -o /nowhere/a.csv"_s << 2
                                << QByteArray("/nowhere/a.csv: cannot be written");
        QTest::newRow("memory") << u"--set islands=2 --device-memory 1B"_s << 1
                                << QByteArray("no schedule was found that fits");
    }
    void errorsAreReportedOnce() {
        if (!m_hasMpi) QSKIP("mpirun cannot start processes");
        QFETCH(const QString, arguments);
        QFETCH(const int, status);
        QFETCH(const QByteArray, message);
        const CliResult result =
            runRanks(2, schedule(arguments.split(u' ') + QStringList{u"--evaluations"_s, u"200"_s}));
        QCOMPARE(result.status, status);
        QVERIFY2(result.errors.count(message) == 1, result.errors.constData());
    }

    /// The second process has another file name, so it fails alone.
    void oneProcessThatFailsEndsAll() {
        if (!m_hasMpi) QSKIP("mpirun cannot start processes");
        const QStringList second{
            u":"_s,     u"-n"_s,       u"1"_s, u"--oversubscribe"_s, Cli, u"schedule"_s, u"/nowhere.tasks"_s,
            u"--set"_s, u"islands=2"_s};
        const CliResult result =
            runProgram(u"mpirun"_s, launcher(1) + QStringList{Cli} + schedule({u"--set"_s, u"islands=2"_s}) + second);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains("in process 1: /nowhere.tasks: no such file"), result.errors.constData());
        QCOMPARE(result.output, QByteArray());
    }

    void differentSearchesAreRefused() {
        if (!m_hasMpi) QSKIP("mpirun cannot start processes");
        const QStringList first = schedule({u"--set"_s, u"islands=2"_s, u"--seed"_s, u"1"_s});
        const QStringList second = schedule({u"--set"_s, u"islands=2"_s, u"--seed"_s, u"2"_s});
        const CliResult result = runProgram(
            u"mpirun"_s, launcher(1) + QStringList{Cli} + first + QStringList{u":"_s, u"-n"_s, u"1"_s, Cli} + second);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains("the processes do not run the same search"), result.errors.constData());
    }

    void aKilledProcessEndsAll() {
        if (!m_hasMpi) QSKIP("mpirun cannot start processes");
        QProcess process;
        process.start(u"mpirun"_s, launcher(2) + QStringList{Cli} +
                                       schedule({u"--objective"_s, u"memory"_s, u"--set"_s, u"islands=2"_s,
                                                 u"--seconds"_s, u"100"_s,  // memory: no proof ends it
                                                 u"--set"_s, u"checkpoint="_s + path(u"killed.json"_s)}));
        // The ranks are the children that became mitos-cli and handle signals.
        const auto ranks = [&process] {
            QFile file(u"/proc/%1/task/%1/children"_s.arg(process.processId()));
            QList<qint64> found;
            if (!file.open(QIODevice::ReadOnly)) return found;
            for (const QByteArray& child : file.readAll().simplified().split(' ')) {
                if (heedsInterrupts(child.toLongLong())) found.append(child.toLongLong());
            }
            return found;
        };
        QTRY_COMPARE_WITH_TIMEOUT(ranks().size(), 2, 30'000);
        // A state is saved when both have met; a process that is killed before may leave mpirun waiting.
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path(u"killed.json"_s)), 60'000);
        QCOMPARE(::kill(static_cast<pid_t>(ranks().last()), SIGKILL), 0);
        QVERIFY(process.waitForFinished(60'000));
        QVERIFY(process.exitCode() != 0);
        QVERIFY(!process.readAllStandardOutput().contains("runtime"));
    }

    /// Slurm gives every job step a number of tasks, and prepares it for MPI where that is the default.
    void jobStepsWithoutMpiWorkAlone() {
        const QStringList arguments = schedule({u"--evaluations"_s, u"200"_s, u"--json"_s});
        const QJsonObject expected = withoutTimes(runCli(arguments));
        const CliResult plain = runProgram(Cli, arguments,
                                           {{u"SLURM_JOB_ID"_s, u"7"_s},
                                            {u"SLURM_NTASKS"_s, u"2"_s},
                                            {u"SLURM_STEP_NUM_TASKS"_s, u"2"_s},
                                            {u"SLURM_PROCID"_s, u"1"_s}});
        QVERIFY2(plain.status == 0, plain.errors.constData());
        QCOMPARE(withoutTimes(plain), expected);
        const CliResult off =
            runProgram(Cli, arguments, {{u"OMPI_COMM_WORLD_SIZE"_s, u"2"_s}, {u"MITOS_MPI"_s, u"off"_s}});
        QVERIFY2(off.status == 0, off.errors.constData());
        QCOMPARE(withoutTimes(off), expected);
    }

    void withoutTheModuleItSaysWhatToInstall() {
        // The module is looked for beside the program, and there is none beside this second name of it.
        const QString program =
            QStringLiteral(MITOS_BINARY_DIR "/app/cli/mitos-cli-%1").arg(QCoreApplication::applicationPid());
        std::error_code failure;
        std::filesystem::create_hard_link(Cli.toStdString(), program.toStdString(), failure);
        if (failure) QSKIP("the file system has no hard links");
        const CliResult result = runProgram(program, schedule({u"--json"_s}), {{u"OMPI_COMM_WORLD_SIZE"_s, u"2"_s}});
        QFile::remove(program);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains("there is no mitos-mpi.so beside this program"), result.errors.constData());
        QVERIFY2(result.errors.contains("libopenmpi-dev"), result.errors.constData());
        QCOMPARE(result.json()[u"error"_s].toObject()[u"code"_s].toString(), u"unsupported"_s);
    }
};

MITOS_TEST(TestCliMpi)

}  // namespace tst_cli_mpi

#include "tst_cli_mpi.moc"
