// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli grad on tensor programs: training graphs as listings and models, their check, their optimization, bad input.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QJsonArray>

namespace tst_cli_training {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

constexpr const char* Cell =
    "graph lstm(x: f32[3,4], h: f32[3,5], c: f32[3,5])\n"
    "  weight w: f32[4,20]\n"
    "  weight r: f32[5,20]\n"
    "  gates = Split[axis=1,sizes=[5,5,5,5]](Add(MatMul(x, w), MatMul(h, r)))\n"
    "  kept = Mul(Sigmoid(gates[1]), c)\n"
    "  cell = Add(kept, Mul(Sigmoid(gates[0]), Tanh(gates[2])))\n"
    "  return Mul(Sigmoid(gates[3]), Tanh(cell))\n";

class TestCliTraining : public QObject, CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void init() { newFolder(); }
    void writesListings();
    void writesModels();
    void includesWeightsThatConstantsRead();
    void findsWeightsOfOneElement();
    void findsAllWeights();
    void gradientsOfNothing();
    void lowersTheCost();
    void warnsAboutASecondSoftmax();
    void explainsBadInput_data();
    void explainsBadInput();
    void listsOperatorsWithoutDerivative();
};

void TestCliTraining::writesListings() {
    const CliResult result =
        runCli({u"grad"_s, u"-"_s, u"--check"_s},
               "graph f(x: f32[2,3])\n  weight w: f32[3,2]\n  y = MatMul(x, w)\n  return Tanh(y)\n");
    QCOMPARE(result.status, 0);
    QVERIFY(result.output.startsWith("graph f_gradient(x: f32[2,3], w: f32[3,2], cotangent: f32[2,2])\n"));
    QVERIFY(result.errors.startsWith("loss: cotangent of output_0; outputs: loss, w_grad\nchecked at 3 points: "));
    QVERIFY(result.errors.endsWith("the gradients agree\n"));
    const CliResult again = runCli({u"info"_s, u"-"_s}, result.output);
    QCOMPARE(again.status, 0);
}

void TestCliTraining::writesModels() {
    const QString file = path(u"training.onnx"_s);
    const CliResult made = runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"all"_s, u"--loss"_s, u"mse"_s, u"-o"_s, file,
                                   u"--check"_s, u"--points"_s, u"1"_s, u"--json"_s},
                                  Cell);
    QCOMPARE(made.status, 0);
    const QJsonObject json = made.json();
    QCOMPARE(json[u"loss"_s].toString(), u"mse"_s);
    QCOMPARE(json[u"of"_s].toString(), u"output_0"_s);
    const QJsonArray outputs{u"loss"_s, u"x_grad"_s, u"h_grad"_s, u"c_grad"_s, u"w_grad"_s, u"r_grad"_s};
    QCOMPARE(json[u"outputs"_s].toArray(), outputs);
    QCOMPARE(json[u"check"_s][u"passed"_s].toBool(), true);
    QCOMPARE(json[u"check"_s][u"arrays"_s].toArray().size(), 5);
    QVERIFY(json[u"check"_s][u"deviation"_s].toDouble() < 1e-8);
    const CliResult evaluated = runCli({u"eval"_s, file, u"--random"_s, u"--json"_s});
    QCOMPARE(evaluated.status, 0);
    QCOMPARE(evaluated.json()[u"value"_s][u"tuple"_s].toArray().size(), 6);
    // The gradient of a gradient: one more time.
    const CliResult second =
        runCli({u"grad"_s, file, u"--of"_s, u"w_grad"_s, u"--wrt"_s, u"w"_s, u"--check"_s, u"--points"_s, u"1"_s});
    QVERIFY2(second.status == 0, second.errors.constData());
    QCOMPARE(runCli({u"grad"_s, file, u"-o"_s, file}).status, 2);
}

void TestCliTraining::includesWeightsThatConstantsRead() {
    const QString file = write(u"tied.onnxtxt"_s,
                               "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "tied (double[2,3] x) => (double[2,2] y)\n"
                               "<double[2,3] w = {1, 2, 3, 4, 5, 6}, int64[2] i = {1, -1}> {\n"
                               "  e = Gather <axis = 0> (w, i)\n"
                               "  ex = Mul(e, x)\n"
                               "  wt = Transpose <perm = [1, 0]> (w)\n"
                               "  y = MatMul(ex, wt)\n"
                               "}\n");
    const QString training = path(u"training.onnx"_s);
    const CliResult made = runCli({u"grad"_s, file, u"--loss"_s, u"sum"_s, u"--check"_s, u"-o"_s, training});
    QVERIFY2(made.status == 0, made.errors.constData());
    QVERIFY(made.errors.endsWith("the gradients agree\n"));
    const CliResult evaluated = runCli(
        {u"eval"_s, training, u"--json"_s, u"--inputs"_s, u"[[[1, 1, 1], [1, 1, 1]], [[1, 2, 3], [4, 5, 6]]]"_s});
    QVERIFY2(evaluated.status == 0, evaluated.errors.constData());
    // The loss is the sum over k of w1k Xk (w0k + w1k), where Xk is the sum of the column k of x.
    const QJsonArray expected{QJsonArray{8, 10, 12}, QJsonArray{18, 24, 30}};
    QCOMPARE(evaluated.json()[u"value"_s][u"tuple"_s][1].toArray(), expected);
}

void TestCliTraining::findsWeightsOfOneElement() {
    const QString file = write(u"scaled.onnxtxt"_s,
                               "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "scaled (double[2] x) => (double[2] y) <double[1] s = {3}, double t = {3}> {\n"
                               "  a = Mul(x, s)\n"
                               "  y = Mul(a, t)\n"
                               "}\n");
    const CliResult made = runCli({u"grad"_s, file, u"--loss"_s, u"sum"_s, u"--wrt"_s, u"s"_s, u"--check"_s});
    QVERIFY2(made.status == 0, made.errors.constData());
    QVERIFY2(made.errors.contains("outputs: loss, s_grad\n"), made.errors.constData());
    const CliResult other = runCli({u"grad"_s, file, u"--loss"_s, u"sum"_s, u"--wrt"_s, u"s,t"_s, u"--check"_s});
    QVERIFY2(other.errors.contains("outputs: loss, s_grad, t_grad\n"), other.errors.constData());
}

/// A layer with one output has a bias of one element. Numbers without a dimension are constants, unless they are named.
void TestCliTraining::findsAllWeights() {
    const QString file = write(u"layer.onnxtxt"_s,
                               "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "layer (double[2, 3] x) => (double[2, 1] y)\n"
                               "<double[3, 1] w = {1, 2, 3}, double[1] b = {4}, double half = {0.5}> {\n"
                               "  p = MatMul(x, w)\n"
                               "  s = Add(p, b)\n"
                               "  y = Mul(s, half)\n"
                               "}\n");
    const CliResult made = runCli({u"grad"_s, file, u"--loss"_s, u"sum"_s, u"--check"_s});
    QVERIFY2(made.status == 0, made.errors.constData());
    QVERIFY2(made.errors.contains("outputs: loss, w_grad, b_grad\n"), made.errors.constData());
    const CliResult inputs = runCli({u"grad"_s, file, u"--loss"_s, u"sum"_s, u"--wrt"_s, u"inputs"_s});
    QVERIFY2(inputs.errors.contains("outputs: loss, x_grad\n"), inputs.errors.constData());
}

/// What has no elements has a gradient without elements, and what it was made of one of zeros.
void TestCliTraining::gradientsOfNothing() {
    for (const char* const mode : {"linear", "nearest", "cubic"}) {
        const CliResult result =
            runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"all"_s, u"--loss"_s, u"sum"_s},
                   QByteArray("graph f(x: f32[1,1,2,3])\n  return Resize[scales=[0.5,1.0,2.0,1.5],sizes=[],mode=") +
                       mode + "](x)\n");
        QVERIFY2(result.status == 0, result.errors.constData());
        QVERIFY2(result.errors.endsWith("outputs: loss, x_grad\n"), result.errors.constData());
    }
}

void TestCliTraining::lowersTheCost() {
    const QString file = path(u"training.onnx"_s);
    QCOMPARE(runCli({u"grad"_s, u"-"_s, u"--loss"_s, u"mse"_s, u"-o"_s, file}, Cell).status, 0);
    const CliResult run =
        runCli({u"optimize"_s, file, u"--strategy"_s, u"tensat"_s, u"-o"_s, path(u"best.onnx"_s), u"--json"_s});
    QCOMPARE(run.status, 0);
    const QJsonObject found = run.json();
    const double before = found[u"initial_cost"_s].toDouble();
    const double after = found[u"best_cost"_s].toDouble();
    QVERIFY2(before > 0.0 && after < 0.9 * before, qPrintable(u"%1 to %2"_s.arg(before).arg(after)));
}

void TestCliTraining::warnsAboutASecondSoftmax() {
    const CliResult result =
        runCli({u"grad"_s, u"-"_s, u"--loss"_s, u"softmax-cross-entropy"_s},
               "graph f(x: f32[2,3])\n  weight w: f32[3,2]\n  return Softmax[axis=1](MatMul(x, w))\n");
    QCOMPARE(result.status, 0);
    QVERIFY(result.errors.startsWith("warning: the output output_0 is already a Softmax"));
}

void TestCliTraining::explainsBadInput_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<QByteArray>("message");
    const QByteArray product = "graph f(x: f32[2,3])\n  weight w: f32[3,2]\n  return MatMul(x, w)\n";
    QTest::newRow("unknown weight") << QStringList{u"--wrt"_s, u"v"_s} << product
                                    << QByteArray("no input or weight of the output output_0 is named v");
    QTest::newRow("unknown output") << QStringList{u"--of"_s, u"y"_s} << product << QByteArray("there is no output y");
    QTest::newRow("unknown loss") << QStringList{u"--loss"_s, u"hinge"_s} << product << QByteArray("--loss");
    QTest::newRow("not a number") << QStringList{u"--loss"_s, u"output"_s} << product
                                  << QByteArray("the output output_0 is f32[2,2], not one number");
    QTest::newRow("no weights") << QStringList() << QByteArray("graph f(x: f32[3])\n  return Exp(x)\n")
                                << QByteArray("differentiate by the inputs: --wrt inputs");
    QTest::newRow("Integers") << QStringList() << QByteArray("graph f(x: f32[3])\n  return ArgMax[axis=0](x)\n")
                              << QByteArray("the output output_0 is i64[1], which has no gradient");
    QTest::newRow("forward") << QStringList{u"--forward"_s} << product << QByteArray("--forward is for ks programs");
    QTest::newRow("form") << QStringList{u"--form"_s, u"delta"_s} << product << QByteArray("--form is for ks programs");
    QTest::newRow("ks") << QStringList{u"--loss"_s, u"mse"_s} << QByteArray("(def f Float (x : Float) x)")
                        << QByteArray("--loss and --of are for tensor programs");
}

void TestCliTraining::explainsBadInput() {
    QFETCH(const QStringList, options);
    QFETCH(const QByteArray, program);
    QFETCH(const QByteArray, message);
    const CliResult result = runCli(QStringList{u"grad"_s, u"-"_s} + options, program);
    QCOMPARE(result.status, 2);
    QVERIFY2(result.errors.contains(message), result.errors.constData());
    QVERIFY(result.output.isEmpty());
}

void TestCliTraining::listsOperatorsWithoutDerivative() {
    const CliResult result = runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"inputs"_s},
                                    "graph f(x: f32[2,2])\n  a = Det(x)\n"
                                    "  b = Opaque[\"com.acme::Fancy#1\"](x): f32[2]\n"
                                    "  return Add(a, ReduceSum[axes=[0],keepdims=false](b))\n");
    QCOMPARE(result.status, 2);
    QVERIFY2(result.errors.contains("2:3: error: a (Det) has no gradient: no derivative is known"),
             result.errors.constData());
    QVERIFY2(result.errors.contains("3:3: error: b (com.acme::Fancy) has no gradient: no derivative is known"),
             result.errors.constData());
}

MITOS_TEST(TestCliTraining)

}  // namespace tst_cli_training

#include "tst_cli_training.moc"
