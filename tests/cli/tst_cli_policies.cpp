// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli train policy, and what it wrote in the hands of `schedule`: bad input, interrupts, and that the same seed gives the same.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QDir>
#include <QJsonArray>

namespace tst_cli_policies {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TestCliPolicies : public QObject, private CliFolder {
    Q_OBJECT

private:
    static QString program() { return QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"); }
    static bool hasNetworks() { return QFile::exists(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-learned.so")); }

    [[nodiscard]] QString model(const QString& name = u"a.model"_s) const { return path(name); }
    /// A training whose steps take a fraction of a second.
    [[nodiscard]] static QStringList train(const QString& model, const QStringList& more) {
        QStringList arguments{u"train"_s, u"policy"_s,      u"--objective"_s, u"time"_s,          u"-o"_s,
                              model,      u"--generated"_s, u"4"_s,           u"--evaluations"_s, u"60"_s};
        for (const char* const setting : {"population=8", "elites=2", "mutants=4", "hidden=8", "graphs_per_step=2",
                                          "samples=2", "validate_every=2", "imitation_steps=0"})
            arguments << u"--set"_s << QString::fromLatin1(setting);
        return arguments + more;
    }
    [[nodiscard]] static QStringList schedule(const QString& model, const QStringList& more = {}) {
        return QStringList{u"schedule"_s,      sample(u"task-graphs/layers.tasks"_s),
                           u"--strategy"_s,    u"brkga-learned"_s,
                           u"--set"_s,         u"model="_s + model,
                           u"--evaluations"_s, u"100"_s,
                           u"--json"_s} +
               more;
    }
    /// Without the times.
    static QJsonArray curveOf(const QJsonObject& json) {
        QJsonArray curve;
        for (const QJsonValue& point : json[u"curve"_s].toArray()) {
            QJsonObject plain = point.toObject();
            plain.remove(u"seconds"_s);
            curve << plain;
        }
        return curve;
    }
    /// The numbers at the end of the file of a model, or of the state of a training.
    static QByteArray numbersOf(const QString& file, const QJsonObject& json) {
        return read(file).right(json[u"parameters"_s].toInteger() * static_cast<qint64>(sizeof(float)));
    }
    static QString stateOf(const QString& model) { return model + u".training"_s; }

private Q_SLOTS:
    void init() { newFolder(); }

    void refusesArguments_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const QStringList& arguments, const char* message) {
            QTest::newRow(name) << arguments << QByteArray(message);
        };
        const QStringList output{u"-o"_s, u"a.model"_s, u"--steps"_s, u"1"_s};
        row("no output", {}, "--output is required");
        row("another ending", {u"-o"_s, u"a.txt"_s}, "-o a.txt: names of models end in .model");
        row("an ending only", {u"-o"_s, u".model"_s, u"--steps"_s, u"1"_s}, "does not end in .model");
        row("objective", output + QStringList{u"--objective"_s, u"speed"_s}, "speed not in {time,memory}");
        row("no devices", output + QStringList{u"--devices"_s, u"0"_s}, "--devices");
        row("many devices", output + QStringList{u"--devices"_s, u"1025"_s}, "--devices");
        row("few graphs", output + QStringList{u"--generated"_s, u"3"_s}, "--generated");
        row("no steps", {u"-o"_s, u"a.model"_s, u"--steps"_s, u"0"_s}, "--steps");
        row("no time", {u"-o"_s, u"a.model"_s, u"--seconds"_s, u"-1"_s}, "--seconds");
        row("setting", output + QStringList{u"--set"_s, u"nothing=1"_s}, "train policy has no such parameter");
        row("setting with an option", output + QStringList{u"--set"_s, u"steps=1"_s},
            "train policy has no such parameter");
        row("range", output + QStringList{u"--set"_s, u"hidden=0"_s}, "hidden = 0 is out of range");
        row("missing file", output + QStringList{u"missing.tasks"_s}, "missing.tasks: no such file");
        row("folder without graphs", output + QStringList{u"empty"_s}, "empty has no task graphs or models");
        row("no graph", output + QStringList{u"bad.tasks"_s}, "bad.tasks");
        row("missing folder", {u"-o"_s, u"missing/a.model"_s}, "missing/a.model: cannot be written");
        row("no folder of files", {u"-o"_s, u"/proc/a.model"_s}, "cannot be written");
        row("nothing to resume", output + QStringList{u"--resume"_s}, "there is no training to go on with");
    }
    void refusesArguments() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, message);
        QVERIFY(QDir(folder()).mkdir(u"empty"_s));
        write(u"bad.tasks"_s, "tasks bad\n  a(b) takes\n");
        QProcess process;
        process.setWorkingDirectory(folder());
        process.start(program(), QStringList{u"train"_s, u"policy"_s} + arguments);
        QVERIFY(process.waitForFinished(30'000));
        const QByteArray errors = process.readAllStandardError();
        const bool needsNetworks = errors.contains("learned strategies need LibTorch");
        if (needsNetworks && !hasNetworks()) QSKIP("there is no LibTorch");
        QCOMPARE(process.exitCode(), 2);
        QVERIFY2(errors.contains(message), errors.constData());
        QVERIFY(!QFile::exists(model()) && !QFile::exists(stateOf(model())));
    }

    void otherCommandsDoNotTrain_data() {
        QTest::addColumn<QString>("command");
        for (const char* const command : {"optimize", "compare", "schedule"})
            QTest::newRow(command) << QString::fromLatin1(command);
    }
    void otherCommandsDoNotTrain() {
        QFETCH(const QString, command);
        const QString option = command == u"compare"_s ? u"--strategies"_s : u"--strategy"_s;
        const CliResult result = runCli(
            {command, sample(u"task-graphs/layers.tasks"_s), option, u"train-policy"_s, u"--evaluations"_s, u"5"_s});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains("train-policy"), result.errors.constData());
    }

    void theSameSeedGivesTheSame() {
        if (!hasNetworks()) QSKIP("there is no LibTorch");
        const QStringList steps{u"--steps"_s, u"4"_s, u"--json"_s};
        const CliResult first = runCli(train(model(), steps + QStringList{u"--jobs"_s, u"1"_s}));
        QVERIFY2(first.status == 0, first.errors.constData());
        const CliResult second = runCli(train(model(u"b.model"_s), steps + QStringList{u"--jobs"_s, u"2"_s}));
        const CliResult other = runCli(train(model(u"c.model"_s), steps + QStringList{u"--seed"_s, u"2"_s}));
        QCOMPARE(curveOf(first.json()).size(), 3);  // before the first step, and after each second one
        QCOMPARE(curveOf(second.json()), curveOf(first.json()));
        QVERIFY(numbersOf(model(), first.json()).size() > 400);
        QCOMPARE(numbersOf(model(u"b.model"_s), second.json()), numbersOf(model(), first.json()));
        QCOMPARE(numbersOf(stateOf(model(u"b.model"_s)), second.json()), numbersOf(stateOf(model()), first.json()));
        QVERIFY(numbersOf(model(u"c.model"_s), other.json()) != numbersOf(model(), first.json()));
        const CliResult resumed = runCli(train(model(), {u"--resume"_s, u"--steps"_s, u"6"_s, u"--seed"_s, u"2"_s}));
        QCOMPARE(resumed.status, 2);
        QVERIFY2(resumed.errors.contains("belongs to another training: seed is 1 there and 2 here"),
                 resumed.errors.constData());
    }

    void refusesModels() {
        if (!hasNetworks()) QSKIP("there is no LibTorch");
        const CliResult made = runCli(train(model(), {u"--steps"_s, u"1"_s, u"--quiet"_s}));
        QVERIFY2(made.status == 0, made.errors.constData());
        const QByteArray bytes = read(model());
        const CliResult used = runCli(schedule(model()));
        QVERIFY2(used.status == 0, used.errors.constData());
        const auto refuses = [&](const QStringList& arguments, const char* message) {
            const CliResult result = runCli(arguments);
            QCOMPARE(result.status, 2);
            QVERIFY2(result.errors.contains(message), result.errors.constData());
        };
        const auto file = [&](const char* name, const QByteArray& content) {
            return write(QString::fromLatin1(name), content);
        };
        refuses(schedule(path(u"missing.model"_s)), "missing.model: no such file");
        refuses(schedule(file("text.model", "nothing")), "text.model is no model");
        refuses(schedule(file("new.model", QByteArray(bytes).replace(0, 13, "mitos-model 9"))),
                "new.model is a model of format 9, and this program reads format 1");
        refuses(schedule(file("cut.model", bytes.chopped(100))), "cut.model is a damaged model: it was cut off");
        QByteArray changed = bytes;
        changed[changed.size() - 1] = static_cast<char>(changed.back() ^ 1);
        refuses(schedule(file("changed.model", changed)), "changed.model is a damaged model");
        refuses(schedule(file("state.model", read(stateOf(model())))),
                "it is no policy, but a model of the kind \"training\"");
        refuses(schedule(model(), {u"--objective"_s, u"memory"_s}),
                "does not fit: it was trained for --objective time, and this is memory");
        refuses(schedule(model(), {u"--devices"_s, u"3"_s}),
                "does not fit: it was trained for 2 devices, and there are 3");
    }

    /// A limit on the size of files stands for a full disk.
    void aFullDiskIsTold() {
        if (!hasNetworks()) QSKIP("there is no LibTorch");
        QStringList arguments = train(model(), {u"--steps"_s, u"2"_s});
        const CliResult result = runProgram(
            u"/bin/sh"_s,
            QStringList{u"-c"_s, u"trap '' XFSZ; ulimit -f 1; exec \"$@\""_s, u"sh"_s, program()} + arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains("a.model"), result.errors.constData());
        QVERIFY2(result.errors.contains("cannot be written") || result.errors.contains("could not be written"),
                 result.errors.constData());
        QCOMPARE(QDir(folder()).entryList(QDir::Files), QStringList());
    }

    void anInterruptKeepsTheBest() {
        if (!hasNetworks()) QSKIP("there is no LibTorch");
        QProcess process;
        process.start(program(), train(model(), {u"--seconds"_s, u"100"_s, u"--json"_s}));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(model()), 60'000);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QVERIFY(!json[u"curve"_s].toArray().isEmpty());
        QCOMPARE(runCli(schedule(model())).status, 0);
    }

    void aKilledTrainingGoesOn() {
        if (!hasNetworks()) QSKIP("there is no LibTorch");
        QProcess process;
        process.start(program(), train(model(), {u"--steps"_s, u"100000"_s}));
        QByteArray table;
        const auto lastStep = [&] {
            table += process.readAllStandardOutput();
            const QList<QByteArray> lines = table.left(table.lastIndexOf('\n')).split('\n');
            return lines.back().trimmed().split(' ').front().toInt();
        };
        QTRY_VERIFY_WITH_TIMEOUT(lastStep() >= 2, 60'000);
        process.kill();
        QVERIFY(process.waitForFinished(30'000));
        const QStringList steps{u"--steps"_s, QString::number(lastStep() + 4), u"--json"_s};
        const CliResult resumed = runCli(train(model(), steps + QStringList{u"--resume"_s}));
        QVERIFY2(resumed.status == 0, resumed.errors.constData());
        const QString whole = model(u"whole.model"_s);
        const CliResult expected = runCli(train(whole, steps));
        QCOMPARE(curveOf(resumed.json()), curveOf(expected.json()));
        QCOMPARE(numbersOf(model(), resumed.json()), numbersOf(whole, expected.json()));
        QCOMPARE(numbersOf(stateOf(model()), resumed.json()), numbersOf(stateOf(whole), expected.json()));
    }
};

MITOS_TEST(TestCliPolicies)

}  // namespace tst_cli_policies

#include "tst_cli_policies.moc"
