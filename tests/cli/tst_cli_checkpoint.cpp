// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli schedule with a checkpoint: a search that was stopped or killed finds what it would have found without a pause.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QDir>
#include <QRegularExpression>

namespace tst_cli_checkpoint {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TestCliCheckpoint : public QObject, private CliFolder {
    Q_OBJECT

private:
    [[nodiscard]] QString file() const { return path(u"state.json"_s); }

    /// A search for the memory of four devices, in two islands.
    static QStringList schedule(const QStringList& more) {
        return QStringList{u"schedule"_s,    sample(u"task-graphs/layers.tasks"_s),
                           u"--devices"_s,   u"4"_s,
                           u"--objective"_s, u"memory"_s,
                           u"--set"_s,       u"islands=2"_s,
                           u"--json"_s} +
               more;
    }
    [[nodiscard]] QStringList withFile() const { return {u"--set"_s, u"checkpoint="_s + file()}; }
    static QStringList until(quint64 evaluations) { return {u"--evaluations"_s, QString::number(evaluations)}; }

    [[nodiscard]] quint64 savedEvaluations() const {
        static const QRegularExpression count(u"\"evaluations\":(\\d+)"_s);
        return count.match(QString::fromUtf8(read(file()))).captured(1).toULongLong();
    }
    /// Everything but the time.
    static QJsonObject found(const CliResult& result) {
        QJsonObject json = result.json();
        json.remove(u"seconds"_s);
        return json;
    }

private Q_SLOTS:
    void init() { newFolder(); }

    void goesOnWhereItEnded() {
        const CliResult expected = runCli(schedule(until(5'000)));
        QVERIFY2(expected.status == 0, expected.errors.constData());
        const CliResult first = runCli(schedule(until(2'000) + withFile()));
        QVERIFY2(first.status == 0, first.errors.constData());
        QCOMPARE(first.json()[u"evaluations"_s].toInt(), 2'000);
        QCOMPARE(savedEvaluations(), 2'000U);
        const CliResult second = runCli(schedule(until(5'000) + withFile()));
        QVERIFY2(second.status == 0, second.errors.constData());
        QCOMPARE(found(second), found(expected));
        // It is complete, so nothing changes.
        const QByteArray state = read(file());
        QCOMPARE(found(runCli(schedule(until(5'000) + withFile()))), found(expected));
        QCOMPARE(read(file()), state);
    }

    void anInterruptSavesTheState() {
        QProcess process;
        process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                      schedule(QStringList{u"--seconds"_s, u"100"_s} + withFile()));
        // The first state that is saved after the one before the first evaluation.
        QTRY_VERIFY_WITH_TIMEOUT(savedEvaluations() > 0, 60'000);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QVERIFY(savedEvaluations() > 0);
        QCOMPARE(static_cast<quint64>(json[u"evaluations"_s].toInteger()), savedEvaluations());
    }

    void aKilledSearchGoesOn() {
        QProcess process;
        process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                      schedule(QStringList{u"--seconds"_s, u"100"_s} + withFile()));
        QTRY_VERIFY_WITH_TIMEOUT(savedEvaluations() > 0, 60'000);  // after five seconds
        process.kill();
        QVERIFY(process.waitForFinished(30'000));
        const quint64 evaluations = savedEvaluations() + 777;
        const CliResult second = runCli(schedule(until(evaluations) + withFile()));
        QVERIFY2(second.status == 0, second.errors.constData());
        QCOMPARE(savedEvaluations(), evaluations);
        QCOMPARE(found(second), found(runCli(schedule(until(evaluations)))));
        // The next process removes what the killed one may have left.
        QCOMPARE(QDir(folder()).entryList(QDir::Files | QDir::Hidden), QStringList{u"state.json"_s});
    }

    void refusesWhatDoesNotFit_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("seed") << QStringList{u"--seed"_s, u"2"_s} << QByteArray("other settings: seed 1 instead of 2");
        QTest::newRow("transfers") << QStringList{u"--transfers"_s, u"rendezvous"_s}
                                   << QByteArray("another search: it differs in the machine");
        QTest::newRow("seeds") << QStringList{u"--seeds"_s, u"2"_s} << QByteArray("a checkpoint is that of one search");
    }
    void refusesWhatDoesNotFit() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, message);
        QCOMPARE(runCli(schedule(until(100) + withFile())).status, 0);
        const QByteArray state = read(file());
        const CliResult result = runCli(schedule(arguments + withFile()));
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.constData());
        QCOMPARE(read(file()), state);
    }

    void filesOfOtherKindsAreKept() {
        const QString graph =
            write(u"graph.json"_s, "{\"operations\": [{\"name\": \"a\", \"duration\": 1}], \"tensors\": []}");
        const CliResult other = runCli(schedule({u"--set"_s, u"checkpoint="_s + graph}));
        QCOMPARE(other.status, 2);
        QVERIFY2(other.errors.contains("graph.json: is not the checkpoint of a search"), other.errors.constData());
        const CliResult own = runCli({u"schedule"_s, graph, u"--set"_s, u"checkpoint="_s + graph});
        QCOMPARE(own.status, 2);
        QVERIFY2(own.errors.contains("would overwrite the file that is read as FILE"), own.errors.constData());
        const CliResult twice = runCli(schedule(withFile() + QStringList{u"-o"_s, file()}));
        QCOMPARE(twice.status, 2);
        QVERIFY2(twice.errors.contains("name the same file"), twice.errors.constData());
        QVERIFY(!QFile::exists(file()));
    }
};

MITOS_TEST(TestCliCheckpoint)

}  // namespace tst_cli_checkpoint

#include "tst_cli_checkpoint.moc"
