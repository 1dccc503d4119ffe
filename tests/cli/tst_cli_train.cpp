// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli train without a library for networks that it can use: the program is run in a folder of its own.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QJsonArray>

namespace tst_cli_train {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TestCliTrain : public QObject, CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        newFolder();
        m_program = path(u"mitos-cli"_s);
        QVERIFY(QFile::copy(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"), m_program));
    }

    void saysWhatToInstall() {
        QVERIFY(QFile::remove(path(u"mitos-learned.so"_s)) || !QFile::exists(path(u"mitos-learned.so"_s)));
        expectRefusal("there is no mitos-learned.so beside this program: it was built without LibTorch");
    }

    void saysWhyItCannotLoad() {
        QVERIFY(!write(u"mitos-learned.so"_s, "no library").isEmpty());
        expectRefusal("LibTorch cannot be loaded");
    }

    /// Searches without a model of a network need no library.
    void otherPoliciesNeedNone() {
        const QString graph = write(u"two.stg"_s, "2\n0 0 0\n1 3 1 0\n2 4 1 0\n3 0 2 1 2\n#\n");
        const CliResult result = run({u"schedule"_s, graph, u"--strategy"_s, u"brkga-learned"_s, u"--set"_s,
                                      u"model=critical-path"_s, u"--evaluations"_s, u"100"_s});
        QVERIFY2(result.status == 0, result.errors.constData());
        QVERIFY(result.output.contains("4 units of time"));
    }

    /// The network of terms needs no library either.
    void aNetworkOfTermsNeedsNone() {
        const QString model = path(u"terms.model"_s);
        const CliResult made = run({u"train"_s, u"value"_s, sample(u"arithmetic/table6-4.ks"_s), u"-o"_s, model,
                                    u"--epochs"_s, u"1"_s, u"--set"_s, u"search_evaluations=50"_s});
        QVERIFY2(made.status == 0, made.errors.constData());
        const CliResult used = run({u"optimize"_s, sample(u"arithmetic/table6-4.ks"_s), u"--strategy"_s, u"astar"_s,
                                    u"--set"_s, u"value=learned:"_s + model, u"--evaluations"_s, u"50"_s});
        QVERIFY2(used.status == 0, used.errors.constData());
    }

    /// From the runs of a session, for searches over e-graphs.
    void makesARankingOfRules() {
        const QString session = path(u"runs.mitos"_s);
        const QString ranking = path(u"rules.json"_s);
        const QStringList search{u"optimize"_s, u"--expr"_s, u"(add (mul x 1.0) (mul y 0.0))"_s, u"--strategy"_s};
        QCOMPARE(run(search + QStringList{u"greedy"_s, u"--session"_s, session}).status, 0);
        const CliResult made = run({u"train"_s, u"rules"_s, session, u"-o"_s, ranking, u"--json"_s});
        QVERIFY2(made.status == 0, made.errors.constData());
        QCOMPARE(made.json()[u"threads"_s].toInt(), 1);
        const QJsonObject rules = made.json()[u"rules"_s].toObject();
        QVERIFY(made.json()[u"steps"_s].toInt() >= 2 && rules.contains(u"mul_one"_s));
        const CliResult text = run({u"train"_s, u"rules"_s, session, u"-o"_s, ranking});
        QVERIFY(text.output.contains("mul_one") && text.output.contains("steps of 1 threads"));
        for (const QString& strategy : {u"egraph-mcts"_s, u"saturation"_s}) {
            const CliResult used = run(search + QStringList{strategy, u"--set"_s, u"ranking="_s + ranking});
            QVERIFY2(used.status == 0, used.errors.constData());
        }

        const CliResult others = run(
            {u"train"_s, u"rules"_s, session, u"-o"_s, ranking, u"--json"_s, u"--rules"_s, u"ks-simple,-mul_one"_s});
        QVERIFY(others.json()[u"ignored_rules"_s].toArray().contains(u"mul_one"_s));
        QVERIFY(others.json()[u"ignored_steps"_s].toInt() > 0);
        const auto refuses = [&](const QStringList& arguments, const char* message) {
            const CliResult result = run(arguments);
            return result.status == 2 && result.errors.contains(message);
        };
        const QStringList train{u"train"_s, u"rules"_s, u"-o"_s, path(u"new.json"_s)};
        QVERIFY(refuses(train + QStringList{path(u"missing.mitos"_s)}, "no such file"));
        QVERIFY(!QFile::exists(path(u"missing.mitos"_s)));
        QVERIFY(refuses(train + QStringList{ranking}, "is not a session"));
        QVERIFY(refuses(train + QStringList{session, u"--rules"_s, u"tensor-default"_s}, "no step to learn from"));
        QVERIFY(
            refuses({u"train"_s, u"rules"_s, u"-o"_s, path(u"new.txt"_s), session}, "names of rankings end in .json"));
        QVERIFY(!QFile::exists(path(u"new.json"_s)));
        const QString foreign = write(u"foreign.json"_s, "{\"operators\": []}");
        QVERIFY(refuses(search + QStringList{u"saturation"_s, u"--set"_s, u"ranking="_s + foreign},
                        "is no ranking of rules"));
    }

private:
    [[nodiscard]] CliResult run(const QStringList& arguments) const { return runProgram(m_program, arguments); }

    /// Before anything is written.
    void expectRefusal(const char* message) const {
        expectRefusalOf({u"train"_s, u"policy"_s, u"-o"_s, path(u"a.model"_s), u"--generated"_s, u"4"_s, u"--steps"_s,
                         u"1"_s, u"--evaluations"_s, u"10"_s},
                        message);
        expectRefusalOf({u"train"_s, u"value"_s, sample(u"arithmetic/table6-4.ks"_s), u"-o"_s, path(u"a.model"_s),
                         u"--epochs"_s, u"1"_s, u"--set"_s, u"network=knossos"_s},
                        message);
    }
    void expectRefusalOf(const QStringList& arguments, const char* message) const {
        const CliResult result = run(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains("learned strategies need LibTorch, but "), result.errors.constData());
        QVERIFY2(result.errors.contains(message), result.errors.constData());
        QVERIFY2(result.errors.contains("install the package libtorch-dev"), result.errors.constData());
        QVERIFY(!QFile::exists(path(u"a.model"_s)) && !QFile::exists(path(u"a.model.training"_s)));
    }

    QString m_program;
};

MITOS_TEST(TestCliTrain)

}  // namespace tst_cli_train

#include "tst_cli_train.moc"
