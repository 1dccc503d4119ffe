// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli grad: derivatives as text and as files, their check, exported C++, requests in files, bad input.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>

namespace tst_cli_grad {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TestCliGrad : public QObject, CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void init() { newFolder(); }
    void writesTheDerivativeAfterTheProgram();
    void writesTheGradientByChosenParameters();
    void differentiatesLoops();
    void writesFilesThatCanBeUsed();
    void checksDerivatives();
    void reportsWrongDerivatives();
    void comparesAtSizesThatTheProgramNeeds();
    void saysThatNothingWasCompared();
    void makesWhatFilesRequest();
    void coarsensGradients();
    void writesLoopsOut();
    void coarsensSegments();
    void coarsensForwardAndSecondDerivatives();
    void givesUpAtItsLimits();
    void aSignalEndsTheCheck();
    void saysWhatHasNoDerivative_data();
    void saysWhatHasNoDerivative();
    void saysWhereInWhatIsMadeOfTheProgram();
};

void TestCliGrad::writesTheDerivativeAfterTheProgram() {
    const CliResult result = runCli({u"grad"_s, u"-"_s}, "(def f Float (x : Float) (mul x (sin x)))");
    QCOMPARE(result.status, 0);
    QCOMPARE(result.output, QByteArray("(def f Float (x : Float)\n"
                                       "  (mul x (sin x)))\n"
                                       "\n"
                                       "(def [rev [f Float]] Float ((x : Float) (dt : Float))\n"
                                       "  (add (mul dt (sin x)) (mul (mul x dt) (cos x))))\n"));
    QVERIFY(result.errors.isEmpty());
    const QJsonObject json =
        runCli({u"grad"_s, u"--expr"_s, u"(mul x y)"_s, u"--forward"_s, u"--reverse"_s, u"--json"_s}).json();
    const QJsonArray names{u"[fwd [expression (Tuple Float Float)]]"_s, u"[rev [expression (Tuple Float Float)]]"_s};
    QCOMPARE(json[u"derivatives"_s].toArray(), names);
    QCOMPARE(json[u"function"_s].toString(), u"expression"_s);
    QVERIFY(json[u"program"_s].toString().contains(u"(def [rev [expression (Tuple Float Float)]]"_s));
}

void TestCliGrad::writesTheGradientByChosenParameters() {
    const char* const program = "(def f Float ((x : Float) (y : Float)) (mul x (sin y)))";
    const CliResult result = runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"y"_s}, program);
    QCOMPARE(result.status, 0);
    QCOMPARE(result.output, QByteArray("(def f Float ((x : Float) (y : Float))\n"
                                       "  (mul x (sin y)))\n"
                                       "\n"
                                       "(def f_gradient Float ((x : Float) (y : Float))\n"
                                       "  (mul x (cos y)))\n"));
    // The verdict is about this function, too.
    const CliResult checked = runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"y"_s, u"--check"_s}, program);
    QCOMPARE(checked.status, 0);
    QVERIFY2(checked.errors.contains("the gradient in the chosen parameters deviates from reverse by 0 (relative)"),
             checked.errors.constData());
    const CliResult unknown = runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"y,z"_s}, program);
    QCOMPARE(unknown.status, 2);
    QVERIFY2(unknown.errors.contains("f has no parameter z"), unknown.errors.constData());
    QVERIFY2(unknown.errors.contains("its parameters are x, y"), unknown.errors.constData());
}

void TestCliGrad::differentiatesLoops() {
    const CliResult checked =
        runCli({u"grad"_s, sample(u"coarsening/bgd_descent.ks"_s), u"--check"_s, u"-o"_s, path(u"gradient.ks"_s)});
    QCOMPARE(checked.status, 0);
    QVERIFY2(checked.errors.contains("the derivatives agree"), checked.errors.constData());
    const CliResult unbounded =
        runCli({u"grad"_s, u"-"_s},
               "(def f Float (x : Float) (do (var w x)\n  (while (lt w 1.0) (set w (mul 2.0 w)))\n"
               "  (return w)))");
    QCOMPARE(unbounded.status, 2);
    QVERIFY2(unbounded.errors.contains("2:3: "), unbounded.errors.constData());
    QVERIFY2(unbounded.errors.contains("this loop has no bound"), unbounded.errors.constData());
}

void TestCliGrad::writesFilesThatCanBeUsed() {
    const QString file = path(u"gradient.ks"_s);
    QCOMPARE(runCli({u"grad"_s, sample(u"gradients/gmm.ks"_s), u"-o"_s, file}).status, 0);
    const CliResult exported =
        runCli({u"export"_s, file, u"--to"_s, u"cpp"_s, u"--check"_s, u"-o"_s, path(u"gradient.cpp"_s), u"--json"_s});
    QCOMPARE(exported.status, 0);
    QCOMPARE(exported.json()[u"compiled"_s].toBool(), true);
    QVERIFY(exported.json()[u"max_error"_s].toDouble() < 1e-9);
    const CliResult overwritten = runCli({u"grad"_s, file, u"-o"_s, file});
    QCOMPARE(overwritten.status, 2);
}

void TestCliGrad::checksDerivatives() {
    for (const QString& form : {u"scatter"_s, u"delta"_s}) {
        const CliResult result = runCli({u"grad"_s, sample(u"gradients/conv1d.ks"_s), u"--form"_s, form, u"--check"_s,
                                         u"--points"_s, u"6"_s, u"--json"_s});
        QCOMPARE(result.status, 0);
        const QJsonObject check = result.json()[u"check"_s].toObject();
        QCOMPARE(check[u"passed"_s].toBool(), true);
        QCOMPARE(check[u"points"_s].toInt(), 6);
        QVERIFY(check[u"law_deviation"_s].toDouble() < 1e-9);
        QCOMPARE(result.json()[u"program"_s].toString().contains(u"buildFromSparse"_s), form == u"scatter"_s);
    }
    const CliResult text = runCli({u"grad"_s, u"--expr"_s, u"(abs x)"_s, u"--check"_s});
    QCOMPARE(text.status, 0);
    QVERIFY(text.errors.contains(" drawn again: a branch changes there\n"));
    QVERIFY(text.errors.endsWith("the derivatives agree\n"));
}

void TestCliGrad::reportsWrongDerivatives() {
    const QByteArray wrong =
        "(edef g Float Float) (def [fwd g] Float ((x : Float) (dx : Float)) (mul dx (cos x)))"
        "(def h Float (x : Float) (mul x x)) (def [rev h] Float ((x : Float) (dt : Float)) (mul x dt))"
        "(def f Float (x : Float) (h x))";
    const CliResult result = runCli({u"grad"_s, u"-"_s, u"--check"_s}, wrong);
    QCOMPARE(result.status, 1);
    QVERIFY(result.errors.contains("largest deviation at x = "));
    QVERIFY(result.errors.endsWith("the derivatives do not agree\n"));
}

void TestCliGrad::comparesAtSizesThatTheProgramNeeds() {
    // Eight actions are read; random vectors have up to four elements.
    const CliResult result = runCli({u"grad"_s, sample(u"coarsening/cartpole_steps.ks"_s), u"--function"_s,
                                     u"cartpole_8"_s, u"--wrt"_s, u"actions"_s, u"--coarsen"_s, u"--check"_s});
    QCOMPARE(result.status, 0);
    QVERIFY2(result.errors.contains("checked at 20 points"), result.errors.constData());
    QVERIFY2(result.errors.contains("with sizes from 8: "), result.errors.constData());
    QVERIFY(result.errors.endsWith("the derivatives agree\n"));
    const CliResult last = runCli({u"grad"_s, u"-"_s, u"--check"_s}, "(def f Float (v : Vec Float) (index 17 v))");
    QCOMPARE(last.status, 0);
    QVERIFY2(last.errors.endsWith("the derivatives agree\n"), last.errors.constData());
}

void TestCliGrad::saysThatNothingWasCompared() {
    const QByteArray program = "(def f Float (x : Float) (assert (gt x (add (abs x) 1.0)) x))";
    const CliResult result = runCli({u"grad"_s, u"-"_s, u"--check"_s}, program);
    QCOMPARE(result.status, 1);
    QVERIFY2(result.errors.contains("no point could be compared: of the inputs drawn, the function has no finite "
                                    "value on 640; on one of them: "),
             result.errors.constData());
    QVERIFY2(result.errors.endsWith("the derivatives were not compared\n"), result.errors.constData());
    const QJsonObject check =
        runCli({u"grad"_s, u"-"_s, u"--check"_s, u"--json"_s}, program).json()[u"check"_s].toObject();
    QVERIFY(check[u"passed"_s].isNull());
    QVERIFY(!check[u"reason"_s].toString().isEmpty());
}

void TestCliGrad::makesWhatFilesRequest() {
    const CliResult minimum = runCli({u"eval"_s, sample(u"gradients/newton.ks"_s)});
    QCOMPARE(minimum.status, 0);
    QCOMPARE(minimum.output.trimmed().left(12), QByteArray("1.1309011226"));
    const CliResult warned = runCli({u"eval"_s, u"-"_s},
                                    "(edef g Float Float)\n(def f Float (x : Float) (g x))\n(gdef rev [f Float])\n"
                                    "(def main Float () 1.0)");
    QCOMPARE(warned.status, 0);
    QCOMPARE(warned.output.trimmed(), QByteArray("1.0"));
    QVERIFY2(warned.errors.contains("3:11") && warned.errors.contains("[rev [f Float]] cannot be made"),
             warned.errors.constData());
}

void TestCliGrad::coarsensGradients() {
    const QString program = sample(u"gradients/descent.ks"_s);
    const QString gradient = path(u"gradient.ks"_s);
    const QString thread = path(u"closed.thread"_s);
    const CliResult made = runCli(
        {u"grad"_s, program, u"--coarsen"_s, u"--regions"_s, u"--thread"_s, thread, u"-o"_s, gradient, u"--check"_s});
    QCOMPARE(made.status, 0);
    QVERIFY2(made.errors.startsWith("function w result, size 33, segment 1\n"
                                    "  loop w, size 27\n"),
             made.errors.constData());
    QVERIFY(made.errors.contains("\nsegment 1: the whole function, "));
    QVERIFY(made.errors.endsWith("the derivatives agree\n"));
    const CliResult applied =
        runCli({u"apply"_s, program, u"--rules"_s, u"ks-all,ks-phi"_s, u"--steps"_s, thread, u"--json"_s});
    QCOMPARE(applied.status, 0);
    QVERIFY(applied.output.contains("pow"));
    const CliResult exported = runCli(
        {u"export"_s, gradient, u"--to"_s, u"cpp"_s, u"--check"_s, u"-o"_s, path(u"gradient.cpp"_s), u"--json"_s});
    QCOMPARE(exported.status, 0);
    QVERIFY(exported.json()[u"max_error"_s].toDouble() < 1e-9);
}

/// The first program has a loop of three steps over a table; a loop that stays keeps the gradient right, too.
void TestCliGrad::writesLoopsOut() {
    const QByteArray program =
        "(def f Float ((a : Float) (v : Vec Float)) (let (weights (Vec_init 0.5 1.5 2.5)) (fold (lam (p : (Tuple Float "
        "Integer)) (sin (mul (get$1$2 p) (index (get$2$2 p) weights)))) a (build 3 (lam (i : Integer) i)))))";
    const CliResult out = runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"a"_s, u"--coarsen"_s, u"--json"_s}, program);
    QCOMPARE(out.status, 0);
    const QString gradient = out.json()[u"program"_s].toString();
    QVERIFY2(gradient.contains(u"(def f_gradient "_s), qPrintable(gradient));
    QVERIFY(!gradient.mid(gradient.indexOf(u"f_gradient"_s)).contains(u"Fold"_s, Qt::CaseInsensitive));
    const CliResult kept =
        runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"a"_s, u"--coarsen"_s, u"--unroll"_s, u"2"_s, u"--json"_s}, program);
    QCOMPARE(kept.status, 0);
    QVERIFY(kept.json()[u"program"_s].toString().contains(u"(RFold"_s));
    QCOMPARE(runCli({u"grad"_s, u"-"_s, u"--unroll"_s, u"2"_s}, program).status, 2);
    const QString checked = path(u"f.ks"_s);
    QCOMPARE(runCli({u"grad"_s, u"-"_s, u"--coarsen"_s, u"--check"_s, u"-o"_s, checked}, program).status, 0);
}

void TestCliGrad::coarsensSegments() {
    const QString thread = path(u"steps.thread"_s);
    const CliResult made = runCli({u"grad"_s, sample(u"gradients/lstm.ks"_s), u"--coarsen"_s, u"--size-limit"_s,
                                   u"12"_s, u"--thread"_s, thread, u"--check"_s, u"--json"_s});
    QCOMPARE(made.status, 0);
    const QJsonObject json = made.json();
    QCOMPARE(json[u"check"_s].toObject()[u"passed"_s].toBool(), true);
    const QJsonObject coarsening = json[u"coarsening"_s].toObject();
    QCOMPARE(coarsening[u"size_limit"_s].toInt(), 12);
    QCOMPARE(coarsening[u"regions"_s].toObject()[u"kind"_s].toString(), u"function"_s);
    QCOMPARE(coarsening[u"regions"_s].toObject()[u"large"_s].toBool(), true);
    const QJsonArray segments = coarsening[u"segments"_s].toArray();
    QCOMPARE(segments.size(), 3);
    QCOMPARE(segments[1].toObject()[u"function"_s].toString(), u"lstm$segment2"_s);
    QVERIFY(json[u"program"_s].toString().contains(u"(def [rev [lstm$segment2 "_s));
    QVERIFY(QFile::exists(path(u"steps.3.thread"_s)));
    QCOMPARE(runCli({u"grad"_s, u"--expr"_s, u"x"_s, u"--size-limit"_s, u"5"_s}).status, 2);
}

void TestCliGrad::coarsensForwardAndSecondDerivatives() {
    const QString program = sample(u"coarsening/bgd_descent.ks"_s);
    const CliResult forward =
        runCli({u"grad"_s, program, u"--coarsen"_s, u"--forward"_s, u"-o"_s, path(u"forward.ks"_s), u"--json"_s});
    QCOMPARE(forward.status, 0);
    QCOMPARE(forward.json()[u"derivatives"_s].toArray().size(), 1);
    QVERIFY(forward.json()[u"derivatives"_s].toArray()[0].toString().startsWith(u"[fwd [bgd_descent "_s));
    const CliResult second = runCli({u"grad"_s, program, u"--coarsen"_s, u"--second"_s, u"--wrt"_s, u"r"_s,
                                     u"--check"_s, u"--points"_s, u"5"_s, u"-o"_s, path(u"second.ks"_s), u"--json"_s});
    QCOMPARE(second.status, 0);
    const QJsonArray derivatives = second.json()[u"derivatives"_s].toArray();
    QCOMPARE(derivatives.size(), 2);
    QCOMPARE(derivatives[0].toString(), u"bgd_descent_gradient"_s);
    QVERIFY(derivatives[1].toString().startsWith(u"[fwd [bgd_descent_gradient "_s));
    const QJsonObject check = second.json()[u"second_check"_s].toObject();
    QCOMPARE(check[u"passed"_s].toBool(), true);
    QCOMPARE(check[u"points"_s].toInt(), 5);
    const CliResult tensors =
        runCli({u"grad"_s, u"-"_s, u"--second"_s},
               "graph f(x: f32[2])\n  weight w: f32[2]\n  return ReduceSum[axes=[0],keepdims=false](Mul(x, w))\n");
    QCOMPARE(tensors.status, 2);
    QVERIFY2(tensors.errors.contains("--second is for ks programs"), tensors.errors.constData());
}

void TestCliGrad::givesUpAtItsLimits() {
    const QString program = sample(u"gradients/newton.ks"_s);
    const QStringList check{u"grad"_s, program, u"--check"_s, u"--points"_s, u"10000"_s};
    QElapsedTimer timer;
    timer.start();
    const CliResult time = runCli(check + QStringList{u"--seconds"_s, u"0.5"_s});
    QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(time.status, 2);
    QVERIFY2(time.errors.contains("error: the command did not end within 0.5 s\n  hint: raise --seconds"),
             time.errors.constData());
    const CliResult memory = runCli({u"grad"_s, program, u"--memory"_s, u"1"_s});
    QCOMPARE(memory.status, 2);
    QVERIFY2(memory.errors.contains("error: the command needed more than 1 MiB\n  hint: raise --memory"),
             memory.errors.constData());
    const CliResult network = runCli({u"grad"_s, u"-"_s, u"--wrt"_s, u"inputs"_s, u"--memory"_s, u"1"_s},
                                     "graph f(x: f32[2])\n  return Relu(x)\n");
    QCOMPARE(network.status, 2);
    QVERIFY2(network.errors.contains("needed more than 1 MiB"), network.errors.constData());
    const CliResult both = runCli(
        {u"grad"_s, program, u"--check"_s, u"--points"_s, u"2"_s, u"--seconds"_s, u"600"_s, u"--memory"_s, u"4096"_s});
    QCOMPARE(both.status, 0);
    QCOMPARE(runCli({u"grad"_s, program, u"--seconds"_s, u"0"_s}).status, 2);
    QCOMPARE(runCli({u"grad"_s, program, u"--memory"_s, u"0"_s}).status, 2);
}

void TestCliGrad::aSignalEndsTheCheck() {
    QProcess process;
    process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                  {u"grad"_s, sample(u"gradients/newton.ks"_s), u"--check"_s, u"--points"_s, u"10000"_s});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(heedsInterrupts(process.processId()), 30'000);
    QVERIFY(!process.waitForFinished(500));  // it checks
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGTERM), 0);
    QVERIFY(process.waitForFinished(30'000));
    QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 2);
    const QByteArray errors = process.readAllStandardError();
    QVERIFY2(errors.contains("was stopped"), errors.constData());
}

void TestCliGrad::saysWhatHasNoDerivative_data() {
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<QByteArray>("place");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("opaque call") << QByteArray("(edef g Float Float)\n(def f Float (x : Float)\n  (mul 2.0 (g x)))\n")
                                 << QByteArray("3:12: error: ")
                                 << QByteArray("(g x): g is defined outside of the program");
    QTest::newRow("in a callee") << QByteArray(
                                        "(def h Float (x : Float)\n  (add 1.0 ($BENCH (lam (u : (Tuple)) x))))\n"
                                        "(def f Float (x : Float) (h x))\n")
                                 << QByteArray("2:12: error: ") << QByteArray("$BENCH has no derivative");
    QTest::newRow("linear map")
        << QByteArray(
               "(def f Float (x : Float)\n"
               "  (mul x (lmApply (index 0 (build 2 (lam (i : Integer) (lmScale 1.0 x)))) 2.0)))\n")
        << QByteArray("2:10: error: ")
        << QByteArray("lmApply has a derivative only where its linear map is constructed in place");
    QTest::newRow("no body") << QByteArray("(edef g Float Float)\n") << QByteArray("error: ")
                             << QByteArray("there is no program in this file");
}

void TestCliGrad::saysWhatHasNoDerivative() {
    QFETCH(QByteArray, program);
    QFETCH(QByteArray, place);
    QFETCH(QByteArray, message);
    const CliResult result = runCli({u"grad"_s, u"-"_s}, program);
    QCOMPARE(result.status, 2);
    QVERIFY2(result.errors.contains(place), result.errors.constData());
    QVERIFY2(result.errors.contains(message), result.errors.constData());
    QVERIFY(result.output.isEmpty());
}

void TestCliGrad::saysWhereInWhatIsMadeOfTheProgram() {
    const QByteArray opaque = "(edef g Float Float)\n(def f Float (x : Float)\n  (mul 2.0 (g x)))\n";
    const CliResult coarse = runCli({u"grad"_s, u"-"_s, u"--coarsen"_s}, opaque);
    QCOMPARE(coarse.status, 2);
    QVERIFY2(coarse.errors.contains("3:12: error: f has no derivative: (g x): g is defined outside"),
             coarse.errors.constData());
    // The check of a reverse derivative compares it with the forward one, which this file does not define.
    const QByteArray reverseOnly =
        "(edef g Float Float)\n(def [rev g] Float ((x : Float) (dt : Float)) (mul dt x))\n"
        "(def f Float (x : Float)\n  (mul 2.0 (g x)))\n";
    QCOMPARE(runCli({u"grad"_s, u"-"_s}, reverseOnly).status, 0);
    const CliResult checked = runCli({u"grad"_s, u"-"_s, u"--check"_s}, reverseOnly);
    QCOMPARE(checked.status, 2);
    QVERIFY2(checked.errors.contains("4:12: error: --check compares [fwd f] and [rev f]; f has no derivative: (g x)"),
             checked.errors.constData());
    const CliResult second = runCli({u"grad"_s, u"-"_s, u"--second"_s, u"--wrt"_s, u"x"_s},
                                    "(edef g Float Float)\n(edef [rev g] Float (Float Float))\n"
                                    "(def f Float (x : Float)\n  (mul x (g x)))\n");
    QCOMPARE(second.status, 2);
    QVERIFY2(second.errors.contains("4:10: error: f_gradient has no derivative: "), second.errors.constData());
    // A request in the file, and a call of what it asks for.
    const CliResult requested = runCli({u"grad"_s, u"-"_s},
                                       "(edef g Float Float)\n(def f Float (x : Float) (g x))\n"
                                       "  (gdef fwd [f Float])\n"
                                       "(def h Float (x : Float)\n  (mul 2.0 ([fwd f] x 1.0)))\n");
    QVERIFY2(requested.errors.contains("3:3: [fwd [f Float]] cannot be made: f has no derivative: (g x)"),
             requested.errors.constData());
    QVERIFY2(requested.errors.contains("5:12: error: h has no derivative: "), requested.errors.constData());
}

MITOS_TEST(TestCliGrad)

}  // namespace tst_cli_grad

#include "tst_cli_grad.moc"
