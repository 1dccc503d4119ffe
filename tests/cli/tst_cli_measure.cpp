// SPDX-License-Identifier: GPL-3.0-or-later
// `measure`: profiles that are written, extended and refused, and what an interrupt leaves.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QJsonArray>
#include <QScopeGuard>
#include <QTest>
#include <cmath>
#include <csignal>

namespace tst_cli_measure {

using mitos::tests::CliResult;
using mitos::tests::runCli;
using namespace Qt::StringLiterals;

class TestCliMeasure : public QObject, public mitos::tests::CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        newFolder();
        m_program =
            write(u"program.txt"_s, "graph f(x: f32[64,64])\n weight w: f32[64,64]\n return Relu(MatMul(x, w))\n");
        m_profile = path(u"profile.json"_s);
    }

    void aProfileIsWrittenAndPricesPrograms() {
        const CliResult measured = measure({m_program, u"--title"_s, u"My machine"_s});
        QCOMPARE(measured.status, 0);
        QCOMPARE(measured.json()[u"operations"_s].toInt(), 2);
        QCOMPARE(measured.json()[u"measured"_s].toInt(), 2);
        QCOMPARE(measured.json()[u"complete"_s].toBool(), true);
        QCOMPARE(measured.json()[u"title"_s].toString(), u"My machine"_s);
        QVERIFY(measured.json()[u"refused"_s].toArray().isEmpty());

        const QJsonObject profile = QJsonDocument::fromJson(read(m_profile)).object();
        QCOMPARE(profile[u"operations"_s].toArray().size(), 2);
        double sum = 0.0;
        for (const QJsonValue one : profile[u"operations"_s].toArray()) sum += 1e6 * one[u"minimum"_s].toDouble();
        const CliResult rewrites = runCli({u"optimize"_s, m_program, u"--cost"_s, u"measured:"_s + m_profile,
                                           u"--strategy"_s, u"greedy"_s, u"--json"_s});
        QCOMPARE(rewrites.status, 0);
        const double before = rewrites.json()[u"initial_cost"_s].toDouble();
        QVERIFY2(std::abs(before - sum) < 1e-6 * sum, qPrintable(QString::fromUtf8(rewrites.output)));
    }

    void infoShowsWhatACostConsistsOf() {
        const CliResult info = runCli({u"info"_s, m_program});
        QCOMPARE(info.status, 0);
        const QList<QByteArray> lines = info.output.split('\n');
        const auto lineOf = [&](const char* model) {
            for (const QByteArray& line : lines) {
                if (line.startsWith("cost") && line.contains(model)) return line;
            }
            return QByteArray();
        };
        QVERIFY2(lineOf("roofline").contains(" launch "), lineOf("roofline").constData());
        QVERIFY2(lineOf("measured").contains(" %"), lineOf("measured").constData());
        QVERIFY2(lineOf("size").endsWith(" nodes"), lineOf("size").constData());
    }

    void anExistingProfileIsExtended() {
        QCOMPARE(measure({m_program}).status, 0);
        const QByteArray first = read(m_profile);
        const QJsonObject again = measure({m_program}).json();
        QCOMPARE(again[u"measured"_s].toInt(), 0);
        QCOMPARE(again[u"already_known"_s].toInt(), 2);
        QCOMPARE(read(m_profile), first);
        const QString other = write(u"other.txt"_s, "graph f(x: f32[64,64])\n return Tanh(Relu(x))\n");
        const QJsonObject extended = measure({other}).json();
        QCOMPARE(extended[u"measured"_s].toInt(), 1);
        QCOMPARE(extended[u"already_known"_s].toInt(), 1);
        QCOMPARE(measure({other, u"--again"_s}).json()[u"measured"_s].toInt(), 2);
    }

    void theOperationsThatRulesLeadToAreMeasured() {
        const QString twice = write(u"twice.txt"_s,
                                    "graph f(x: f32[8,16], y: f32[8,16], z: f32[16,8])\n"
                                    " return Add(MatMul(x, z), MatMul(y, z))\n");
        QCOMPARE(measure({twice}).json()[u"operations"_s].toInt(), 2);
        // (x + y) z needs a sum of another size, and more follows from that.
        QVERIFY(measure({twice, u"--nodes"_s, u"100"_s}).json()[u"operations"_s].toInt() > 2);
    }

    /// Two programs may measure into one file at the same time: each keeps what the other wrote.
    void timesOfAnotherProgramAreKept() {
        QProcess first;
        first.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                    {u"measure"_s, u"--network"_s, u"squeezenet"_s, u"--seconds"_s, u"0.1"_s, u"-o"_s, m_profile});
        QVERIFY(first.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_profile), 60'000);
        QCOMPARE(measure({m_program}).json()[u"measured"_s].toInt(), 2);
        QVERIFY(first.waitForFinished(120'000));
        QCOMPARE(first.exitCode(), 0);
        QCOMPARE(measure({m_program}).json()[u"already_known"_s].toInt(), 2);
        QCOMPARE(measure({u"--network"_s, u"squeezenet"_s}).json()[u"measured"_s].toInt(), 0);
    }

    void whatCannotBeMeasuredIsCounted() {
        const QString model = write(u"unknown.onnxtxt"_s,
                                    "<ir_version: 8, opset_import: [\"\" : 17, \"own\" : 1]>\n"
                                    "g (float[4] x) => (float[4] y) {\n  a = own.Thing(x)\n  y = Relu(a)\n}\n");
        const CliResult measured = measure({model});
        QCOMPARE(measured.status, 0);
        QCOMPARE(measured.json()[u"operations"_s].toInt(), 0);
        QCOMPARE(measured.json()[u"unknown_nodes"_s].toInt(), 2);
        QVERIFY(!QFile::exists(m_profile));
        const CliResult text = runCli({u"measure"_s, model, u"-o"_s, m_profile});
        QVERIFY2(text.errors.contains("left out: 2 nodes whose operator or number of axes is unknown"), text.errors);
        QVERIFY2(text.errors.contains("nothing was written"), text.errors);
    }

    void sizesThatNoProgramHasAreErrors() {
        const QString named = write(u"named.txt"_s, "graph f(x: f32[batch,64])\n return Relu(x)\n");
        const CliResult wrong = measure({named, u"--sizes"_s, u"bach=8"_s});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.errors.contains("no size is named bach") && wrong.errors.contains("names of sizes: batch"),
                 wrong.errors);
        QCOMPARE(measure({named, u"--sizes"_s, u"batch=8"_s}).status, 0);
        QVERIFY2(read(m_profile).contains("f32[8,64]"), read(m_profile));
    }

    void foreignAndDamagedProfilesAreKeptAsTheyAre() {
        QCOMPARE(measure({m_program}).status, 0);
        QByteArray foreign = read(m_profile);
        foreign.replace("\"threads\": 1", "\"threads\": 4");
        write(u"profile.json"_s, foreign);
        const CliResult other = measure({m_program});
        QCOMPARE(other.status, 2);
        QVERIFY2(other.errors.contains("threads: 1 instead of 4"), other.errors.constData());
        QCOMPARE(read(m_profile), foreign);

        const QByteArray damaged = foreign.left(foreign.size() / 2);
        write(u"profile.json"_s, damaged);
        const CliResult broken = measure({m_program});
        QCOMPARE(broken.status, 2);
        QVERIFY2(broken.errors.contains("its end is missing"), broken.errors.constData());
        QCOMPARE(read(m_profile), damaged);
    }

    /// Requests go to another machine as a file, and its answers come back as one.
    void anotherMachineMeasures() {
        const QString requests = path(u"requests.txt"_s);
        const CliResult asked = runCli({u"measure"_s, m_program, u"--seconds"_s, u"0.02"_s, u"--threads"_s, u"2"_s,
                                        u"--requests"_s, requests, u"--json"_s});
        QCOMPARE(asked.status, 0);
        QCOMPARE(asked.json()[u"operations"_s].toInt(), 2);
        QCOMPARE(read(requests), QByteArray("mitos-requests\t1\toperations=2\tdevice=cpu\tthreads=2\tseconds=0.02\n"
                                            "operation\tMatMul\tin f32[64,64]\tin f32[64,64] constant\n"
                                            "operation\tRelu\tin f32[64,64]\n"));
        QVERIFY(!QFile::exists(m_profile));

        const QByteArray answered = answersTo(requests);
        const QString answers = write(u"answers.txt"_s, answered);
        const CliResult made = runCli({u"measure"_s, u"--answers"_s, answers, u"-o"_s, m_profile, u"--json"_s});
        QVERIFY2(made.status == 0, made.errors);
        QCOMPARE(made.json()[u"measured"_s].toInt(), 2);
        const QJsonObject profile = QJsonDocument::fromJson(read(m_profile)).object();
        QCOMPARE(profile[u"operations"_s].toArray().size(), 2);
        QCOMPARE(profile[u"setup"_s].toObject()[u"threads"_s].toInt(), 2);
        const QByteArray first = read(m_profile);

        // All is known now, so there is nothing left to ask for, or to add.
        const CliResult none =
            runCli({u"measure"_s, m_program, u"--requests"_s, requests, u"-o"_s, m_profile, u"--json"_s});
        QCOMPARE(none.json()[u"operations"_s].toInt(-1), 0);
        QCOMPARE(none.json()[u"already_known"_s].toInt(), 2);
        QCOMPARE(runCli({u"measure"_s, m_program, u"--answers"_s, answers, u"-o"_s, m_profile}).status, 0);
        QCOMPARE(read(m_profile), first);
    }

    void answersAreNotTrusted() {
        const QString requests = path(u"requests.txt"_s);
        QCOMPARE(runCli({u"measure"_s, m_program, u"--seconds"_s, u"0.02"_s, u"--requests"_s, requests}).status, 0);
        const QByteArray whole = answersTo(requests);
        const auto fails = [&](const QByteArray& text, const QStringList& more, const char* message) {
            const QString answers = write(u"answers.txt"_s, text);
            const CliResult made =
                runCli(QStringList{u"measure"_s, u"--answers"_s, answers, u"-o"_s, m_profile} + more);
            return made.status == 2 && made.errors.contains(message);
        };
        const CliResult none = runCli({u"measure"_s, u"--answers"_s, u"/nowhere/answers"_s, u"-o"_s, m_profile});
        QVERIFY(none.status == 2 && none.errors.contains("/nowhere/answers"));
        QVERIFY(fails("nonsense\n", {}, "these are no answers of mitos-measure"));
        QVERIFY(fails(QByteArray(whole).replace("time\t1\t", "time\t1\t-"), {}, "a time is not a time"));
        QVERIFY(fails(QByteArray("\xff\xfe"), {}, "answers.txt"));
        QVERIFY(!QFile::exists(m_profile));
        const QString relu = write(u"relu.txt"_s, "graph f(x: f32[64,64])\n return Relu(x)\n");
        QVERIFY(fails(whole, {relu}, "answers other requests"));
        QVERIFY(!QFile::exists(m_profile));

        // Answers before an interrupt count.
        QVERIFY(fails(whole.left(whole.indexOf("operation\tRelu")), {}, "was cut off after 1 answer"));
        QCOMPARE(QJsonDocument::fromJson(read(m_profile)).object()[u"operations"_s].toArray().size(), 1);
        QVERIFY(
            fails(whole.left(whole.indexOf("operation\tRelu")), {m_program}, "has no answer for 1 of 1 operations"));
        QVERIFY(fails(QByteArray(whole).replace("threads=1", "threads=4"), {}, "threads: 4 instead of 1"));
    }

    /// The calibration becomes the device of the default costs, under a name that states its parameters.
    void theMachineIsCalibrated() {
        const QByteArray before = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(folder()));
        const auto restore = qScopeGuard([&] { qputenv("XDG_CONFIG_HOME", before); });
        const auto usualCost = [this] {
            const CliResult rewrites = runCli({u"rewrites"_s, m_program, u"--json"_s});
            return rewrites.json()[u"cost_model"_s].toString();
        };
        QCOMPARE(usualCost(), u"roofline:laptop,kernels=onnxruntime"_s);
        QVERIFY(runCli({u"rewrites"_s, m_program, u"--cost"_s, u"roofline:this-machine"_s}).status == 2);

        const CliResult made = runCli({u"measure"_s, u"--calibrate"_s, u"--seconds"_s, u"0.02"_s, u"--json"_s});
        QVERIFY2(made.status == 0, made.errors);
        const QString file = path(u"mitos/this-machine.json"_s);
        QCOMPARE(made.json()[u"device"_s].toString(), file);
        const QJsonObject device = QJsonDocument::fromJson(read(file)).object();
        // From a slow machine to a fast one.
        const auto isBetween = [&](const QString& key, double least, double most) {
            return device[key].toDouble() >= least && device[key].toDouble() <= most;
        };
        QVERIFY2(isBetween(u"launch_seconds"_s, 1e-8, 1e-3), read(file));
        QVERIFY2(isBetween(u"single_flops"_s, 1e8, 1e13), read(file));
        QVERIFY2(isBetween(u"bytes_per_second"_s, 1e8, 1e12), read(file));
        const QString name = made.json()[u"cost"_s].toString();
        QVERIFY2(name.startsWith(u"roofline:calibrated@"_s), qPrintable(name));
        QCOMPARE(usualCost(), name + u",kernels=onnxruntime"_s);
        const CliResult found = runCli({u"optimize"_s, m_program, u"--strategy"_s, u"greedy"_s, u"--cost"_s,
                                        u"roofline:this-machine"_s, u"--json"_s});
        QCOMPARE(found.json()[u"cost_model"_s].toString(), name);

        write(u"mitos/this-machine.json"_s, "{");
        const CliResult damaged = runCli({u"rewrites"_s, m_program, u"--json"_s});
        QCOMPARE(damaged.json()[u"cost_model"_s].toString(), u"roofline:laptop,kernels=onnxruntime"_s);
        QVERIFY2(damaged.errors.contains("the calibration of this machine is ignored"), damaged.errors);
    }

    /// Another machine is calibrated by way of files; its device does not become that of this one.
    void anotherMachineIsCalibrated() {
        const QString requests = path(u"requests.txt"_s);
        QCOMPARE(runCli({u"measure"_s, u"--calibrate"_s, u"--seconds"_s, u"0.02"_s, u"--requests"_s, requests}).status,
                 0);
        const QString answers = write(u"answers.txt"_s, answersTo(requests));
        const CliResult unnamed = runCli({u"measure"_s, u"--calibrate"_s, u"--answers"_s, answers});
        QCOMPARE(unnamed.status, 2);
        QVERIFY2(unnamed.errors.contains("the calibration of this machine is measured on its processor"),
                 unnamed.errors);
        const QString device = path(u"device.json"_s);
        const CliResult made = runCli({u"measure"_s, u"--calibrate"_s, u"--answers"_s, answers, u"-o"_s, device});
        QVERIFY2(made.status == 0, made.errors);
        QCOMPARE(runCli({u"rewrites"_s, m_program, u"--cost"_s, u"roofline:"_s + device}).status, 0);
    }

    void badUsageIsAnError_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const QStringList& arguments, const char* message) {
            QTest::newRow(name) << arguments << QByteArray(message);
        };
        row("nothing", {}, "there is nothing to measure");
        row("no such network", {u"--network"_s, u"nothing"_s}, "nothing");
        row("a ks program", {mitos::tests::sample(u"linear-algebra/gemm.ks"_s)}, "is not a tensor program");
        row("no such device", {u"--device"_s, u"tpu"_s}, "--device");
        row("no size", {u"--network"_s, u"nasrnn"_s, u"--sizes"_s, u"N=0"_s}, "'N=0' is not a size from 1 to");
        row("no threads", {u"--threads"_s, u"0"_s}, "--threads");
        row("requests and answers", {u"--requests"_s, u"r"_s, u"--answers"_s, u"a"_s}, "--answers");
        row("answers are measured", {u"--answers"_s, u"a"_s, u"--threads"_s, u"2"_s}, "--answers");
        row("requests to another runtime",
            {u"--network"_s, u"nasrnn"_s, u"--requests"_s, u"r"_s, u"--runtime"_s, u"onnxruntime"_s},
            "requests are for LibTorch");
        row("a program is calibrated", {u"--calibrate"_s, m_program}, "--calibrate");
        row("no GPU", {u"--network"_s, u"nasrnn"_s, u"--device"_s, u"cuda"_s}, "there is no CUDA GPU");
    }

    void badUsageIsAnError() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, message);
        const CliResult result = measure(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.constData());
        QVERIFY(!QFile::exists(m_profile));
    }

    void aProfileHasTheNameOfAProfile() {
        const CliResult result =
            runCli({u"measure"_s, m_program, u"--seconds"_s, u"0.02"_s, u"-o"_s, path(u"profile.txt"_s)});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains("is no name of a cost profile"), result.errors);
        QVERIFY(!QFile::exists(path(u"profile.txt"_s)));
    }

    /// Ctrl-C keeps what was measured.
    void anInterruptKeepsWhatWasMeasured() {
        QProcess process;
        process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                      {u"measure"_s, u"--network"_s, u"inception-v3"_s, u"--json"_s, u"-o"_s, m_profile});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_profile), 60'000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject said = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(said[u"complete"_s].toBool(true), false);
        const QJsonObject profile = QJsonDocument::fromJson(read(m_profile)).object();
        QVERIFY(!profile[u"operations"_s].toArray().isEmpty());
        QCOMPARE(profile[u"operations"_s].toArray().size(), said[u"measured"_s].toInt());
        QVERIFY(said[u"measured"_s].toInt() < said[u"operations"_s].toInt());
    }

    /// A killed program leaves what it has written; the next run goes on from there.
    void aKilledProgramLeavesAWholeProfile() {
        QProcess process;
        process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                      {u"measure"_s, u"--network"_s, u"inception-v3"_s, u"-o"_s, m_profile});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_profile), 60'000);
        process.kill();
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(measure({m_program}).status, 0);
        QVERIFY(QJsonDocument::fromJson(read(m_profile)).object()[u"operations"_s].toArray().size() >= 3);
    }

private:
    /// The answers of mitos-measure; empty if it fails.
    [[nodiscard]] static QByteArray answersTo(const QString& requests) {
        QProcess program;
        program.setStandardInputFile(requests);
        program.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-measure"), QStringList());
        const bool ended = program.waitForFinished(120'000) && program.exitCode() == 0;
        return ended ? program.readAllStandardOutput() : QByteArray();
    }
    [[nodiscard]] CliResult measure(const QStringList& arguments) const {
        return runCli(QStringList{u"measure"_s, u"--json"_s, u"--seconds"_s, u"0.02"_s, u"-o"_s, m_profile} +
                      arguments);
    }

    QString m_program;
    QString m_profile;
};

MITOS_TEST(TestCliMeasure)

}  // namespace tst_cli_measure

#include "tst_cli_measure.moc"
