// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli train value, and what it wrote in the hands of `optimize`: bad input, interrupts, and that the same seed gives the same.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QDir>
#include <QJsonArray>

namespace tst_cli_train_value {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TestCliTrainValue : public QObject, private CliFolder {
    Q_OBJECT

private:
    static QString program() { return QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"); }
    static QString expression(int number) { return sample(u"arithmetic/table6-%1.ks"_s.arg(number)); }
    [[nodiscard]] QString model(const QString& name = u"a.model"_s) const { return path(name); }
    static QString stateOf(const QString& model) { return model + u".training"_s; }
    /// A training on four expressions whose epochs take a fraction of a second.
    [[nodiscard]] static QStringList train(const QString& model, const QStringList& more) {
        QStringList arguments{u"train"_s, u"value"_s, u"-o"_s, model, u"--rules"_s, u"ks-simple"_s};
        for (const int number : {1, 4, 5, 7}) arguments << expression(number);
        for (const char* const setting : {"search_evaluations=60", "labels=4", "label_evaluations=60",
                                          "validation_evaluations=60", "hidden=8", "readout=8"})
            arguments << u"--set"_s << QString::fromLatin1(setting);
        return arguments + more;
    }
    [[nodiscard]] static QStringList optimize(const QString& model, const QStringList& more = {}) {
        return QStringList{u"optimize"_s,      expression(4), u"--rules"_s,
                           u"ks-simple"_s,     u"--set"_s,    u"value=learned:"_s + model,
                           u"--evaluations"_s, u"300"_s,      u"--json"_s} +
               (more.contains(u"--strategy"_s) ? more : more + QStringList{u"--strategy"_s, u"astar"_s});
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

private Q_SLOTS:
    void init() { newFolder(); }

    void refusesArguments_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const QStringList& arguments, const char* message) {
            QTest::newRow(name) << arguments << QByteArray(message);
        };
        const QStringList output{expression(4), u"-o"_s, u"a.model"_s, u"--epochs"_s, u"1"_s};
        row("no output", {expression(4)}, "--output is required");
        row("no programs", {u"-o"_s, u"a.model"_s}, "PROGRAMS is required");
        row("another ending", {expression(4), u"-o"_s, u"a.txt"_s}, "-o a.txt: names of models end in .model");
        row("no epochs", {expression(4), u"-o"_s, u"a.model"_s, u"--epochs"_s, u"0"_s}, "--epochs");
        row("setting", output + QStringList{u"--set"_s, u"nothing=1"_s}, "train value has no such parameter");
        row("setting with an option", output + QStringList{u"--set"_s, u"epochs=1"_s},
            "train value has no such parameter");
        row("range", output + QStringList{u"--set"_s, u"depth=0"_s}, "depth = 0 is out of range");
        row("network", output + QStringList{u"--set"_s, u"network=other"_s}, "network cannot be \"other\"");
        row("missing file", {u"missing.ks"_s, u"-o"_s, u"a.model"_s}, "missing.ks: no such file");
        row("missing second file", output + QStringList{u"missing.ks"_s}, "missing.ks: no such file");
        row("missing file to validate", output + QStringList{u"--validate"_s, u"missing.ks"_s},
            "missing.ks: no such file");
        row("empty folder", {u"empty"_s, u"-o"_s, u"a.model"_s}, "empty has no programs");
        row("bad program", {u"bad.ks"_s, u"-o"_s, u"a.model"_s}, "bad.ks");
        row("rules", output + QStringList{u"--rules"_s, u"missing.rules"_s}, "missing.rules");
        row("cost", output + QStringList{u"--cost"_s, u"nothing"_s}, "nothing");
        row("rules of another dialect", output + QStringList{u"--rules"_s, u"tensor-default"_s}, "tensor");
        row("missing folder", {expression(4), u"-o"_s, u"missing/a.model"_s}, "missing/a.model: cannot be written");
        row("nothing to resume", output + QStringList{u"--resume"_s}, "there is no training to go on with");
        row("hints", output + QStringList{u"--set"_s, u"network=knossos"_s, u"--set"_s, u"hints=all"_s},
            "takes no hints");
    }
    void refusesArguments() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, message);
        QVERIFY(QDir(folder()).mkdir(u"empty"_s));
        write(u"bad.ks"_s, "(def f Float (x : Float) (mul x");
        QProcess process;
        process.setWorkingDirectory(folder());
        process.start(program(), QStringList{u"train"_s, u"value"_s} + arguments);
        QVERIFY(process.waitForFinished(30'000));
        const QByteArray errors = process.readAllStandardError();
        QCOMPARE(process.exitCode(), 2);
        QVERIFY2(errors.contains(message), errors.constData());
        QVERIFY(!QFile::exists(model()) && !QFile::exists(stateOf(model())));
    }

    void theSameSeedGivesTheSame() {
        const QStringList epochs{u"--epochs"_s, u"3"_s, u"--json"_s};
        const CliResult first = runCli(train(model(), epochs + QStringList{u"--jobs"_s, u"1"_s}));
        QVERIFY2(first.status == 0, first.errors.constData());
        QCOMPARE(first.json()[u"training_programs"_s].toInt(), 3);
        QCOMPARE(first.json()[u"validation_programs"_s].toInt(), 1);
        QCOMPARE(curveOf(first.json()).size(), 4);  // before the first epoch, and after each
        const CliResult second = runCli(train(model(u"b.model"_s), epochs + QStringList{u"--jobs"_s, u"2"_s}));
        const CliResult other = runCli(train(model(u"c.model"_s), epochs + QStringList{u"--seed"_s, u"2"_s}));
        QCOMPARE(curveOf(second.json()), curveOf(first.json()));
        QCOMPARE(numbersOf(model(u"b.model"_s), second.json()), numbersOf(model(), first.json()));
        QCOMPARE(numbersOf(stateOf(model(u"b.model"_s)), second.json()), numbersOf(stateOf(model()), first.json()));
        QVERIFY(numbersOf(stateOf(model(u"c.model"_s)), other.json()) != numbersOf(stateOf(model()), first.json()));
        const CliResult resumed = runCli(train(model(), {u"--resume"_s, u"--epochs"_s, u"6"_s, u"--seed"_s, u"2"_s}));
        QCOMPARE(resumed.status, 2);
        QVERIFY2(resumed.errors.contains("belongs to another training: seed is 1 there and 2 here"),
                 resumed.errors.constData());
    }

    /// One program: it validates itself.
    void searchesUseTheModel() {
        QStringList one{u"train"_s,   u"value"_s,     expression(4), u"-o"_s, model(),
                        u"--rules"_s, u"ks-simple"_s, u"--epochs"_s, u"8"_s};
        for (const char* const setting : {"search_evaluations=200", "labels=8", "learning_rate=0.01"})
            one << u"--set"_s << QString::fromLatin1(setting);
        const CliResult made = runCli(one);
        QVERIFY2(made.status == 0, made.errors.constData());
        QVERIFY2(made.output.contains("on 1 programs for validation"), made.output.constData());
        for (const char* const strategy : {"astar", "greedy", "beam", "mcts"}) {
            const CliResult used = runCli(optimize(model(), {u"--strategy"_s, QString::fromLatin1(strategy)}));
            QVERIFY2(used.status == 0, used.errors.constData());
        }
        QCOMPARE(runCli(optimize(model())).json()[u"best_cost"_s].toDouble(), 4.1);
        const CliResult longForm =
            runCli({u"optimize"_s, expression(4), u"--rules"_s, u"ks-simple"_s, u"--strategy"_s, u"astar"_s, u"--set"_s,
                    u"value=learned"_s, u"--set"_s, u"model="_s + model(), u"--evaluations"_s, u"300"_s, u"--json"_s});
        QCOMPARE(longForm.json()[u"best_cost"_s], runCli(optimize(model())).json()[u"best_cost"_s]);
    }

    /// The threads of a session are fitted first, and the training is one of its runs.
    void learnsFromSessions() {
        const QString session = path(u"runs.mitos"_s);
        const CliResult searched = runCli({u"optimize"_s, expression(5), u"--rules"_s, u"ks-simple"_s, u"--strategy"_s,
                                           u"astar"_s, u"--session"_s, session, u"--evaluations"_s, u"300"_s});
        QVERIFY2(searched.status == 0, searched.errors.constData());
        const QStringList learn{u"train"_s, u"value"_s,   session,        u"-o"_s,
                                model(),    u"--rules"_s, u"ks-simple"_s, u"--epochs"_s,
                                u"2"_s,     u"--json"_s,  u"--session"_s, path(u"own.mitos"_s)};
        const CliResult made = runCli(learn);
        QVERIFY2(made.status == 0, made.errors.constData());
        QCOMPARE(made.json()[u"threads"_s].toInt(), 1);
        QCOMPARE(made.json()[u"training_programs"_s].toInt(), 1);
        const CliResult none = runCli({u"train"_s, u"value"_s, path(u"own.mitos"_s), u"-o"_s, model(u"b.model"_s)});
        QCOMPARE(none.status, 2);
        QVERIFY2(none.errors.contains("has no threads"), none.errors.constData());
    }

    void refusesModels() {
        const CliResult made = runCli(train(model(), {u"--epochs"_s, u"1"_s, u"--quiet"_s}));
        QVERIFY2(made.status == 0, made.errors.constData());
        const QByteArray bytes = read(model());
        const CliResult used = runCli(optimize(model()));
        QVERIFY2(used.status == 0, used.errors.constData());
        const auto refuses = [&](const QStringList& arguments, const char* message) {
            const CliResult result = runCli(arguments);
            QCOMPARE(result.status, 2);
            QVERIFY2(result.errors.contains(message), result.errors.constData());
        };
        const auto file = [&](const char* name, const QByteArray& content) {
            return write(QString::fromLatin1(name), content);
        };
        refuses(optimize(path(u"missing.model"_s)), "missing.model: no such file");
        refuses(optimize(file("text.model", "nothing")), "text.model is no model");
        refuses(optimize(file("new.model", QByteArray(bytes).replace(0, 13, "mitos-model 9"))),
                "new.model is a model of format 9, and this program reads format 1");
        refuses(optimize(file("cut.model", bytes.chopped(100))), "cut.model is a damaged model: it was cut off");
        QByteArray changed = bytes;
        changed[changed.size() - 1] = static_cast<char>(changed.back() ^ 1);
        refuses(optimize(file("changed.model", changed)), "changed.model is a damaged model");
        refuses(optimize(file("state.model", read(stateOf(model())))),
                "it is no value function, but a model of the kind \"value-training\"");
        refuses(optimize(QStringLiteral(MITOS_SOURCE_DIR "/resources/models/memory-2.model")),
                "it is no value function, but a model of the kind \"policy\"");
        refuses(optimize(model(), {u"--cost"_s, u"size"_s}), "it was trained for --cost ks-2021, and this is size");
        refuses({u"optimize"_s, sample(u"linear-algebra/gemm.ks"_s), u"--strategy"_s, u"astar"_s, u"--set"_s,
                 u"value=learned:"_s + model()},
                "a kind of node of the program");
        refuses(optimize(model(), {u"--rules"_s, u"ks-all"_s}), "--rules");
    }

    /// A limit on the size of files stands for a full disk.
    void aFullDiskIsTold() {
        const QStringList arguments = train(model(), {u"--epochs"_s, u"2"_s, u"--set"_s, u"hidden=32"_s});
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
        QProcess process;
        process.start(program(), train(model(), {u"--seconds"_s, u"100"_s, u"--json"_s}));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(model()), 60'000);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QVERIFY(!json[u"curve"_s].toArray().isEmpty());
        QCOMPARE(runCli(optimize(model())).status, 0);
    }

    void aKilledTrainingGoesOn() {
        QProcess process;
        process.start(program(), train(model(), {u"--epochs"_s, u"100000"_s}));
        QByteArray table;
        const auto lastStep = [&] {
            table += process.readAllStandardOutput();
            const QList<QByteArray> lines = table.left(table.lastIndexOf('\n')).split('\n');
            return lines.back().trimmed().split(' ').front().toInt();
        };
        QTRY_VERIFY_WITH_TIMEOUT(lastStep() >= 2, 60'000);
        process.kill();
        QVERIFY(process.waitForFinished(30'000));
        const QStringList epochs{u"--epochs"_s, QString::number(lastStep() + 4), u"--json"_s};
        const CliResult resumed = runCli(train(model(), epochs + QStringList{u"--resume"_s}));
        QVERIFY2(resumed.status == 0, resumed.errors.constData());
        const QString whole = model(u"whole.model"_s);
        const CliResult expected = runCli(train(whole, epochs));
        QCOMPARE(curveOf(resumed.json()), curveOf(expected.json()));
        QCOMPARE(numbersOf(model(), resumed.json()), numbersOf(whole, expected.json()));
        QCOMPARE(numbersOf(stateOf(model()), resumed.json()), numbersOf(stateOf(whole), expected.json()));
    }
};

MITOS_TEST(TestCliTrainValue)

}  // namespace tst_cli_train_value

#include "tst_cli_train_value.moc"
