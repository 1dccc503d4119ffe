// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli on tensor programs: listings and ONNX models, with the rules and costs of their dialect.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>

namespace tst_cli_tensor {

using namespace mitos::tests;

namespace {

constexpr const char* Program =
    "graph f(x: f32[64,64], y: f32[64,64], z: f32[64,64])\n"
    "  s = Relu(Relu(x))\n"
    "  sum = Add(Mul(s, y), Mul(z, s))\n"
    "  return Mul(sum, sum)\n";
constexpr const char* Rules =
    "# For tests.\n"
    "rule commute_mul [real-only]: Mul(a, b) => Mul(b, a)\n"
    "rule factor [real-only]: Add(Mul(a, b), Mul(a, c)) => Mul(a, Add(b, c))\n"
    "rule relu_twice: Relu(Relu(a)) => Relu(a)\n";

}  // namespace

class TestCliTensor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        write(m_program, Program);
        write(m_rules, Rules);
    }

    void infoNamesTheDialect() {
        const QJsonObject info = runCli({QStringLiteral("info"), m_program, QStringLiteral("--json")}).json();
        QCOMPARE(info[QStringLiteral("dialect")].toString(), QStringLiteral("tensor"));
        QCOMPARE(info[QStringLiteral("nodes")].toInt(), 9);
        QCOMPARE(info[QStringLiteral("operators")].toObject()[QStringLiteral("Mul")].toInt(), 3);
        QCOMPARE(info[QStringLiteral("costs")].toObject().keys(),
                 (QStringList{QStringLiteral("measured"), QStringLiteral("peak-memory"), QStringLiteral("roofline"),
                              QStringLiteral("roofline:laptop,kernels=onnxruntime"), QStringLiteral("size")}));
    }

    void aProgramIsShown_data() {
        QTest::addColumn<QString>("as");
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("text") << QStringLiteral("text") << QByteArray("  s = Relu(relu)");
        QTest::newRow("tree") << QStringLiteral("tree") << QByteArray("Mul(sum, sum)");
        QTest::newRow("dot") << QStringLiteral("dot") << QByteArray("n8");
        QTest::newRow("math") << QStringLiteral("math") << QByteArray("  s = Relu(relu)");
        QTest::newRow("latex") << QStringLiteral("latex") << QByteArray("\\begin{verbatim}\ngraph ");
    }
    void aProgramIsShown() {
        QFETCH(const QString, as);
        QFETCH(const QByteArray, line);
        const CliResult shown = runCli({QStringLiteral("show"), m_program, QStringLiteral("--as"), as});
        QCOMPARE(shown.status, 0);
        QVERIFY2(shown.output.contains(line), shown.output.constData());
    }

    void rulesOfOtherProgramsAreRefused_data() {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("rewrites") << QStringList{QStringLiteral("rewrites")};
        QTest::newRow("optimize") << QStringList{QStringLiteral("optimize"), QStringLiteral("--strategy"),
                                                 QStringLiteral("greedy")};
        QTest::newRow("apply") << QStringList{QStringLiteral("apply"), QStringLiteral("--steps"), m_program};
        QTest::newRow("saturate") << QStringList{QStringLiteral("saturate"), QStringLiteral("--program")};
        QTest::newRow("match") << QStringList{QStringLiteral("match"), QStringLiteral("--pattern"),
                                              QStringLiteral("new_bind")};
    }
    void rulesOfOtherProgramsAreRefused() {
        QFETCH(const QStringList, command);
        const CliResult found =
            runCli(command + QStringList{m_program, QStringLiteral("--rules"), QStringLiteral("ks-binding")});
        QCOMPARE(found.status, 2);
        QVERIFY2(found.errors.contains("is a rule for ks programs, and this is a tensor program"),
                 found.errors.constData());
        QVERIFY2(found.errors.contains("tensor-default"), found.errors.constData());
        const QString sum = mitos::tests::sample(QStringLiteral("arithmetic/table6-2.ks"));
        const CliResult other =
            runCli({QStringLiteral("rewrites"), sum, QStringLiteral("--rules"), QStringLiteral("tensor-elementwise")});
        QCOMPARE(other.status, 2);
        QVERIFY2(other.errors.contains("is a rule for tensor programs, and this is a ks program"),
                 other.errors.constData());
    }

    void rulesAreMatchedByName() {
        const QJsonObject found =
            runCli({QStringLiteral("match"), m_program, QStringLiteral("--pattern"), QStringLiteral("tensor_relu_relu"),
                    QStringLiteral("--anywhere"), QStringLiteral("--json")})
                .json();
        QVERIFY(found[QStringLiteral("matched")].toBool());
    }

    void whatCannotBeWrittenIsRefusedBeforeTheSearch_data() {
        QTest::addColumn<QString>("output");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("C++") << QStringLiteral("f.cpp") << QByteArray("tensor programs have no C++ form");
        QTest::newRow("no numbers") << QStringLiteral("f.onnx")
                                    << QByteArray("a listing has no numbers for its weights");
    }
    void whatCannotBeWrittenIsRefusedBeforeTheSearch() {
        QFETCH(const QString, output);
        QFETCH(const QByteArray, message);
        const QString program = m_folder.filePath(QStringLiteral("weighted.graph"));
        write(program, "graph f(x: f32[2,3])\n  weight w: f32[3,3]\n  return MatMul(x, w)\n");
        const CliResult refused =
            runCli({QStringLiteral("optimize"), program, QStringLiteral("-o"), m_folder.filePath(output),
                    QStringLiteral("--strategy"), QStringLiteral("greedy")});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.errors.contains(message), refused.errors.constData());
        QVERIFY(refused.output.isEmpty());
    }

    void optionsOfAnotherFormAreRefused() {
        const CliResult refused =
            runCli({QStringLiteral("export"), m_program, QStringLiteral("--to"), QStringLiteral("dot"),
                    QStringLiteral("--profile"), QStringLiteral("microsoft")});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.errors.startsWith("error: --profile is for --to onnx"), refused.errors.constData());
    }

    void aThreadIsFoundAndReplayed() {
        const QString thread = m_folder.filePath(QStringLiteral("found.thread"));
        const QString best = m_folder.filePath(QStringLiteral("best.graph"));
        const QJsonObject found =
            runCli({QStringLiteral("optimize"), m_program, QStringLiteral("--rules"), m_rules,
                    QStringLiteral("--strategy"), QStringLiteral("greedy"), QStringLiteral("--thread"), thread,
                    QStringLiteral("-o"), best, QStringLiteral("--json")})
                .json();
        QCOMPARE(found[QStringLiteral("cost_model")].toString(), QStringLiteral("roofline:laptop,kernels=onnxruntime"));
        QVERIFY(found[QStringLiteral("best_cost")].toDouble() < 0.7 * found[QStringLiteral("initial_cost")].toDouble());
        QVERIFY(found[QStringLiteral("thread_checked")].toBool());
        QVERIFY(found[QStringLiteral("equivalent")].toBool());
        const QJsonObject applied = runCli({QStringLiteral("apply"), m_program, QStringLiteral("--steps"), thread,
                                            QStringLiteral("--rules"), m_rules, QStringLiteral("--json")})
                                        .json();
        QVERIFY(applied[QStringLiteral("valid")].toBool());
        QCOMPARE(applied[QStringLiteral("final_cost")].toDouble(), found[QStringLiteral("best_cost")].toDouble());
        QCOMPARE(runCli({QStringLiteral("info"), best}).status, 0);
    }

    /// Searches take a step in each copy of a block, one after the other; the thread has each of them.
    void equalStepsAreOneLineOfTheSummary() {
        const QString program = m_folder.filePath(QStringLiteral("copies.graph"));
        const QString thread = m_folder.filePath(QStringLiteral("copies.thread"));
        write(program,
              "graph f(x: f32[64,64], y: f32[64,64], z: f32[64,64])\n"
              "  a = Relu(Relu(x))\n  b = Relu(Relu(y))\n  c = Relu(Relu(z))\n"
              "  sum = Add(Mul(a, b), Mul(a, c))\n  return Mul(sum, sum)\n");
        const CliResult found =
            runCli({QStringLiteral("optimize"), program, QStringLiteral("--rules"), m_rules,
                    QStringLiteral("--strategy"), QStringLiteral("greedy"), QStringLiteral("--cost"),
                    QStringLiteral("size"), QStringLiteral("--thread"), thread});
        QCOMPARE(found.status, 0);
        QVERIFY2(found.output.startsWith("     1. factor                     sum              cost 12\n"
                                         "   2-4. relu_twice × 3                              cost 9\n"
                                         "\ngraph f("),
                 found.output.constData());
        QVERIFY(found.output.contains("\ncost 13 -> 9 (size)  in 4 steps\n"));
        QFile file(thread);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        for (const char* step : {"\n2. relu_twice at ", "\n3. relu_twice at ", "\n4. relu_twice at "})
            QVERIFY2(text.contains(step), text.constData());
        // Steps of trees keep their lines.
        const CliResult tree =
            runCli({QStringLiteral("optimize"), QStringLiteral("--expr"),
                    QStringLiteral("(add (add (mul 1.0 a) (mul 1.0 b)) (add (mul 1.0 c) (add 0.0 d)))"),
                    QStringLiteral("--strategy"), QStringLiteral("greedy"), QStringLiteral("--evaluations"),
                    QStringLiteral("500")});
        QVERIFY2(tree.output.contains("   2. mul_one                    /0               cost 6\n"
                                      "   3. mul_one                    /1/0             cost 4\n"),
                 tree.output.constData());
    }

    void aRewriteReplacesANodeOnce() {
        const QJsonObject rewrites = runCli({QStringLiteral("rewrites"), m_program, QStringLiteral("--rules"), m_rules,
                                             QStringLiteral("--json")})
                                         .json();
        // Two products turned round (the square is the same then), one Relu that is used twice.
        QCOMPARE(rewrites[QStringLiteral("rewrites")].toArray().size(), 3);
    }

    /// Queries, keys and values over one input become one product: one rewrite with three places.
    void rulesWithSeveralRootsAreSteps() {
        const QString program = m_folder.filePath(QStringLiteral("heads.graph"));
        const QString thread = m_folder.filePath(QStringLiteral("heads.thread"));
        write(program,
              "graph heads(x: f32[64,512])\n  weight q: f32[512,512]\n  weight k: f32[512,512]\n"
              "  weight v: f32[512,512]\n  return (Relu(MatMul(x, q)), Tanh(MatMul(x, k)), Exp(MatMul(x, v)))\n");
        const QStringList rules{QStringLiteral("--rules"), QStringLiteral("tensor-default"), QStringLiteral("--cost"),
                                QStringLiteral("roofline"), QStringLiteral("--json")};
        const QJsonArray rewrites = runCli(QStringList{QStringLiteral("rewrites"), program} + rules)
                                        .json()[QStringLiteral("rewrites")]
                                        .toArray();
        QJsonArray positions;
        for (const auto& one : rewrites) {
            if (one[QStringLiteral("rule")] != QStringLiteral("merge_matmul_three")) continue;
            QVERIFY(positions.isEmpty());
            positions = one[QStringLiteral("positions")].toArray();
            QVERIFY(one[QStringLiteral("cost_after")].toDouble() < one[QStringLiteral("cost_before")].toDouble());
        }
        QCOMPARE(positions, (QJsonArray{QStringLiteral("/0/0"), QStringLiteral("/1/0"), QStringLiteral("/2/0")}));
        for (const char* strategy : {"greedy", "astar", "mcts", "beam", "backtracking"}) {
            const QJsonObject found =
                runCli(QStringList{QStringLiteral("optimize"), program, QStringLiteral("--strategy"),
                                   QString::fromUtf8(strategy), QStringLiteral("--evaluations"), QStringLiteral("50"),
                                   QStringLiteral("--thread"), thread} +
                       rules)
                    .json();
            QVERIFY(found[QStringLiteral("thread_checked")].toBool() && found[QStringLiteral("equivalent")].toBool());
            QVERIFY2(found[QStringLiteral("best_cost")].toDouble() < found[QStringLiteral("initial_cost")].toDouble(),
                     strategy);
            const QJsonObject applied =
                runCli(QStringList{QStringLiteral("apply"), program, QStringLiteral("--steps"), thread} + rules).json();
            QVERIFY(applied[QStringLiteral("valid")].toBool());
            QCOMPARE(applied[QStringLiteral("final_cost")], found[QStringLiteral("best_cost")]);
        }
    }

    void programsRun() {
        const CliResult value = runCli({QStringLiteral("eval"), QStringLiteral("-"), QStringLiteral("--inputs"),
                                        QStringLiteral("[[1, -2], [3, 4]]")},
                                       "graph f(x: f32[2], y: f32[N])\n  return Add(Relu(x), y)\n");
        QCOMPARE(value.output, QByteArray("[4.0, 4.0]\n"));
        QCOMPARE(runCli({QStringLiteral("eval"), m_program, QStringLiteral("--random")}).status, 0);
    }

    void matchesAreFoundOnce() {
        const CliResult found =
            runCli({QStringLiteral("match"), m_program, QStringLiteral("--pattern"), QStringLiteral("Relu(a)"),
                    QStringLiteral("--anywhere"), QStringLiteral("--all"), QStringLiteral("--json")});
        QCOMPARE(found.json()[QStringLiteral("matches")].toArray().size(), 2);
    }

    void modelsAreWrittenAndRead() {
        const QString model = m_folder.filePath(QStringLiteral("f.onnx"));
        const CliResult written = runCli({QStringLiteral("export"), m_program, QStringLiteral("--to"),
                                          QStringLiteral("onnx"), QStringLiteral("-o"), model});
        QVERIFY2(written.status == 0, written.errors.constData());
        const QJsonObject before = runCli({QStringLiteral("info"), m_program, QStringLiteral("--json")}).json();
        const QJsonObject after = runCli({QStringLiteral("info"), model, QStringLiteral("--json")}).json();
        QCOMPARE(after[QStringLiteral("operators")], before[QStringLiteral("operators")]);
        QCOMPARE(after[QStringLiteral("costs")], before[QStringLiteral("costs")]);
        // Optimized from one model to another.
        const QString best = m_folder.filePath(QStringLiteral("best.onnx"));
        const CliResult optimized =
            runCli({QStringLiteral("optimize"), model, QStringLiteral("--rules"), m_rules, QStringLiteral("--strategy"),
                    QStringLiteral("astar"), QStringLiteral("-o"), best});
        QVERIFY2(optimized.status == 0, optimized.errors.constData());
        const QJsonObject info = runCli({QStringLiteral("info"), best, QStringLiteral("--json")}).json();
        QCOMPARE(info[QStringLiteral("operators")].toObject()[QStringLiteral("Relu")].toInt(), 1);
    }

    void modelsGoToTheFileThatIsNamed() {
        const auto exported = [this](const QString& to, const QString& file) {
            return runCli(
                {QStringLiteral("export"), m_program, QStringLiteral("--to"), to, QStringLiteral("-o"), file});
        };
        const QString plain = m_folder.filePath(QStringLiteral("exactly"));
        QCOMPARE(exported(QStringLiteral("onnx"), plain).status, 0);
        QVERIFY(QFile::exists(plain) && !QFile::exists(plain + QStringLiteral(".onnx")));
        const CliResult full = exported(QStringLiteral("onnx"), QStringLiteral("/dev/full"));
        QCOMPARE(full.status, 2);
        QVERIFY2(full.errors.startsWith("error: /dev/full: could not be written completely"), full.errors.constData());
        const auto refused = [&](const CliResult& result, const QString& file, const QByteArray& why) {
            QCOMPARE(result.status, 2);
            QVERIFY2(result.errors.startsWith("error: " + file.toUtf8() + ": " + why), result.errors.constData());
            QVERIFY(!QFile::exists(file));
        };
        const QString svg = m_folder.filePath(QStringLiteral("f.svg"));
        refused(exported(QStringLiteral("onnx"), svg), svg, "the ending is that of --to svg, and not of --to onnx");
        const QString text = m_folder.filePath(QStringLiteral("f.onnxtxt"));
        const QByteArray onlyRead = "models are not written in ONNX's textual syntax";
        refused(exported(QStringLiteral("onnx"), text), text, onlyRead);
        refused(runCli({QStringLiteral("optimize"), m_program, QStringLiteral("--strategy"), QStringLiteral("greedy"),
                        QStringLiteral("-o"), text}),
                text, onlyRead);
        refused(runCli({QStringLiteral("model"), QStringLiteral("squeezenet"), QStringLiteral("-o"), text}), text,
                onlyRead);
    }

    void modelsAreReadFromStandardInput() {
        const QString model = m_folder.filePath(QStringLiteral("piped.ONNX"));
        QCOMPARE(runCli({QStringLiteral("export"), m_program, QStringLiteral("--to"), QStringLiteral("onnx"),
                         QStringLiteral("-o"), model})
                     .status,
                 0);
        QFile file(model);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto info = [](const QString& from, const QByteArray& input = {}) {
            const CliResult shown = runCli({QStringLiteral("info"), from, QStringLiteral("--json")}, input);
            return shown.json()[QStringLiteral("operators")].toObject();
        };
        const QJsonObject operators = info(model);
        QVERIFY(operators.contains(QStringLiteral("Mul")));
        QCOMPARE(info(QStringLiteral("-"), file.readAll()), operators);
        QCOMPARE(info(QStringLiteral("-"), Program), operators);
        const QJsonObject text =
            info(QStringLiteral("-"),
                 "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[2] y) { y = Relu(x) }");
        QCOMPARE(text[QStringLiteral("Relu")].toInt(), 1);
        const CliResult cut = runCli({QStringLiteral("info"), QStringLiteral("-")}, QByteArray("\x08\x08\x3a", 3));
        QCOMPARE(cut.status, 2);
        QVERIFY2(cut.errors.startsWith("error: this is not an ONNX model"), cut.errors.constData());
    }

    void bodiesThatCannotBeWrittenAreToldOfBeforeTheSearch() {
        const QString model = m_folder.filePath(QStringLiteral("body.onnxtxt"));
        write(model,
              "<ir_version: 8, opset_import: [\"\" : 11]> g (bool c, float[2, 2] x) => (float[2, 2] y) "
              "{ y = If (c) <then_branch = t () => (float[2, 2] a) { a = Softmax(x) }, "
              "else_branch = e () => (float[2, 2] b) { b = Add(x, x) }> }");
        const CliResult refused = runCli(
            {QStringLiteral("optimize"), model, QStringLiteral("-o"), m_folder.filePath(QStringLiteral("body.onnx"))});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.errors.contains("error: Softmax of opset 11 has another meaning at opset 17"),
                 refused.errors.constData());
        QVERIFY(refused.output.isEmpty());
    }

    void exportsTellWhatOnnxSays() {
        const QString model = m_folder.filePath(QStringLiteral("apart.onnx"));
        QByteArray numbers = "0";  // 1200 bytes: smaller weights stay in the model
        for (int i = 1; i < 300; ++i) numbers += "," + QByteArray::number(i);
        const QString program = m_folder.filePath(QStringLiteral("apart.onnxtxt"));
        write(program,
              "<ir_version: 8, opset_import: [\"\" : 17]> g (float[300] x) => (float[300] y) <float[300] w = {" +
                  numbers + "}> { y = Add(x, w) }");
        const QJsonObject report =
            runCli({QStringLiteral("export"), program, QStringLiteral("--to"), QStringLiteral("onnx"),
                    QStringLiteral("--external-data"), QStringLiteral("--json"), QStringLiteral("-o"), model})
                .json();
        const QString data = report[QStringLiteral("data")].toString();
        QVERIFY2(
            QRegularExpression(QStringLiteral(R"(^%1\.[0-9a-f]{16}\.data$)").arg(QRegularExpression::escape(model)))
                .match(data)
                .hasMatch(),
            qPrintable(data));
        QVERIFY(QFile::exists(data));
        QCOMPARE(report[QStringLiteral("checker")], QJsonValue(QString()));
        QCOMPARE(report[QStringLiteral("shape_inference")], QJsonValue(QString()));
        QCOMPARE(report[QStringLiteral("accepted")].toBool(), true);
        QVERIFY(report[QStringLiteral("nodes")].toInt() > 0);
    }

    void writtenFilesAreComparedWithTheOriginal() {
        const QString program = m_folder.filePath(QStringLiteral("compared.onnxtxt"));
        write(program,
              "<ir_version: 8, opset_import: [\"\" : 18]> g (float[N, 3] x) => (float[N] y) "
              "<int64[1] a = {1}> { y = ReduceMean <keepdims = 0> (x, a) }");
        const auto exported = [&](const QStringList& more) {
            return runCli(QStringList{QStringLiteral("export"), program, QStringLiteral("--to"), QStringLiteral("onnx"),
                                      QStringLiteral("--json"), QStringLiteral("-o"),
                                      m_folder.filePath(QStringLiteral("compared.onnx"))} +
                          more);
        };
        const auto verdict = [](const CliResult& result) {
            return result.json()[QStringLiteral("comparison")].toObject()[QStringLiteral("verdict")].toString();
        };
        const CliResult own = exported({});
        QCOMPARE(own.json()[QStringLiteral("opset")].toInt(), 18);
        QCOMPARE(verdict(own), QStringLiteral("same"));  // without being asked, since it is quick
        QVERIFY(exported({QStringLiteral("--no-compare-file")}).json()[QStringLiteral("comparison")].isNull());
        const CliResult other =
            exported({QStringLiteral("--opset"), QStringLiteral("21"), QStringLiteral("--compare-file")});
        QCOMPARE(other.status, 0);
        QCOMPARE(other.json()[QStringLiteral("opset")].toInt(), 21);
        QCOMPARE(verdict(other), QStringLiteral("same"));
        // A program without output confirms nothing.
        const CliResult silent = exported({QStringLiteral("--onnxruntime"), QStringLiteral("true")});
        QCOMPARE(silent.status, 1);
        QCOMPARE(verdict(silent), QStringLiteral("undecided"));
        QCOMPARE(exported({QStringLiteral("--opset"), QStringLiteral("16")}).status, 2);
    }

    void filesDecideAboutUnknownOperators() {
        const QString program = m_folder.filePath(QStringLiteral("unknown.onnxtxt"));
        write(program,
              "<ir_version: 8, opset_import: [\"\" : 17, \"my.ops\" : 1]> g (float[4] x) => (float[4] y) "
              "{ a = Relu(x) b = Relu(a) y = my.ops.Strange(b) }");
        // A program in the place of a Python: both files give their input, or the second one gives zeros.
        const QString python = m_folder.filePath(QStringLiteral("python"));
        const auto optimized = [&](const char* second, const QString& output) {
            write(python, QByteArray("#!/bin/sh\necho onnxruntime 9.9\nfor s in 0 1; do cp in_${s}_0 out_${s}_0_0; ") +
                              second + "; for f in 0 1; do echo output $s $f 0 float32 4; done; done\n");
            QFile::setPermissions(python, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
            return runCli({QStringLiteral("optimize"), program, QStringLiteral("--rules"), m_rules,
                           QStringLiteral("--cost"), QStringLiteral("size"), QStringLiteral("--strategy"),
                           QStringLiteral("greedy"), QStringLiteral("--json"), QStringLiteral("--onnxruntime"), python,
                           QStringLiteral("-o"), output});
        };
        const QString output = m_folder.filePath(QStringLiteral("known.onnx"));
        const CliResult same = optimized("cp in_${s}_0 out_${s}_1_0", output);
        QVERIFY2(same.status == 0, same.errors);
        QCOMPARE(same.json()[QStringLiteral("thread_length")].toInt(), 1);
        QCOMPARE(same.json()[QStringLiteral("equivalent")].toBool(), true);
        QCOMPARE(same.json()[QStringLiteral("samples_compared")].toInt(), 2);
        QVERIFY2(same.json()[QStringLiteral("note")].toString().startsWith(
                     QStringLiteral("the two files, computed by ONNX Runtime 9.9")),
                 same.output);
        const QString other = m_folder.filePath(QStringLiteral("other.onnx"));
        const CliResult different = optimized("head -c 16 /dev/zero > out_${s}_1_0", other);
        QCOMPARE(different.status, 1);
        QCOMPARE(different.json()[QStringLiteral("equivalent")].toBool(true), false);
        QVERIFY(!QFile::exists(other));
    }

    void operatorsOfOnnxRuntimeAreWrittenByProfile() {
        const QString program = m_folder.filePath(QStringLiteral("gelu.graph"));
        write(program, "graph f(x: f32[2,3], b: f32[3])\n  return Gelu(Add(x, b))\n");
        const auto operators = [&](const QString& profile, QByteArray& said) {
            const QString model = m_folder.filePath(profile + QStringLiteral(".onnx"));
            const CliResult written =
                runCli({QStringLiteral("export"), program, QStringLiteral("--to"), QStringLiteral("onnx"),
                        QStringLiteral("--profile"), profile, QStringLiteral("-o"), model});
            said = written.status == 0 ? written.errors : QByteArray("failed: ") + written.errors;
            return runCli({QStringLiteral("info"), model, QStringLiteral("--json")})
                .json()[QStringLiteral("operators")]
                .toObject();
        };
        QByteArray said;
        QCOMPARE(operators(QStringLiteral("microsoft"), said)[QStringLiteral("Gelu")].toInt(), 1);
        QCOMPARE(said, QByteArray());
        const QJsonObject plain = operators(QStringLiteral("standard"), said);
        QVERIFY(!plain.contains(QStringLiteral("Gelu")));
        QCOMPARE(plain[QStringLiteral("Erf")].toInt(), 1);
        QVERIFY2(said.contains("1 operator that ONNX does not have is written out as what it stands for"),
                 said.constData());
    }

    void badInput_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const QString& arguments, const char* input, const char* message) {
            QTest::newRow(name) << arguments.split(QLatin1Char(' ')) << QByteArray(input) << QByteArray(message);
        };
        row("listing", QStringLiteral("info -"), "graph f(x: f32[2])\n  return Rleu(x)\n",
            "-:2:10: error: there is no operator 'Rleu'");
        row("cost", QStringLiteral("rewrites - --cost ks-2021"), Program,
            "the cost model ks-2021 does not price tensor programs");
        row("C++", QStringLiteral("export - --to cpp"), Program, "a tensor program cannot be written as cpp");
        row("model on standard output", QStringLiteral("export - --to onnx"), Program, "an ONNX model is binary");
        row("a profile that there is not", QStringLiteral("export - --to onnx --profile cuda -o a.onnx"), Program,
            "--profile");
        row("no model", QStringLiteral("info nothing.onnx"), "", "nothing.onnx");
        row("inputs", QStringLiteral("eval - --inputs [[1],[2],[3]]"), Program, "input 1");
        row("ks as a model", QStringLiteral("export - --to onnx -o /nonexistent/a.onnx"), "(add x x)",
            "only a tensor program can be written as an ONNX model");
    }
    void badInput() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, input);
        QFETCH(const QByteArray, message);
        const CliResult result = runCli(arguments, input);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.constData());
    }

private:
    static void write(const QString& path, const QByteArray& text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
    }

    QTemporaryDir m_folder;
    QString m_program = m_folder.filePath(QStringLiteral("f.graph"));
    QString m_rules = m_folder.filePath(QStringLiteral("small.rules"));
};

MITOS_TEST(TestCliTensor)

}  // namespace tst_cli_tensor

#include "tst_cli_tensor.moc"
