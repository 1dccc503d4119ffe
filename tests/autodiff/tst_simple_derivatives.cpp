// SPDX-License-Identifier: GPL-3.0-or-later
// How simple derivatives are: summands are joined, zeros are not made, and functions of the primal are not computed twice.
#include "tests/autodiff/derived.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_simple_derivatives {

using namespace mitos;
using autodiff::Direction;
using tests::Derived;

class TestSimpleDerivatives : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areSimple_data();
    void areSimple();
    void computeNoFunctionTwice_data();
    void computeNoFunctionTwice();
};

void TestSimpleDerivatives::areSimple_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* program, const char* expected) {
        QTest::newRow(name) << QString::fromUtf8(program) << QString::fromUtf8(expected);
    };
    row("a square", "(def f Float (x : Float) (mul x x))", "(mul 2.0 (mul dt x))");
    row("half of a square", "(def f Float (x : Float) (mul 0.5 (mul x x)))", "(mul dt x)");
    row("a cube", "(def f Float (x : Float) (mul x (mul x x)))", "(mul 3.0 (mul dt (mul x x)))");
    row("equal values", "(def f Float (x : Float) (add x (add x x)))", "(mul 3.0 dt)");
    row("quotients by one value", "(def f Float ((x : Float) (s : Float)) (add (div (mul x x) s) (div x s)))",
        "(let (x (get$1$2 args)) (let (s (get$2$2 args)) (let (d (div dt s)) (let (ds (neg (mul d (div (add (mul x x) "
        "x) s)))) (let (dx (add (mul 2.0 (mul d x)) d)) (tuple dx ds))))))");
    row("a square of a vector", "(def f Float (v : Vec n Float) (mul 0.5 (dot v v)))", "(ts_scale dt v)");
    row("one of two elements",
        "(def f Float ((v : Vec n Float) (i : Integer) (j : Integer)) (if (gt i 3) (mul 2.0 (index i v)) (index j v)))",
        "(let (i (get$2$3 args)) (let (j (get$3$3 args)) (let (dv (deltaVec n (if (gt i 3) i j) (if (gt i 3) (mul 2.0 "
        "dt) dt))) (tuple dv (tuple) (tuple)))))");
    row("a sum is multiplied once by what does not change in its loop",
        "(def f Float (w : Float) (sumbuild 3 (lam (i : Integer) (mul (to_float i) (mul w w)))))",
        "(mul (mul 2.0 (mul dt w)) (sumbuild 3 (lam (i : Integer) (to_float i))))");
    row("a sum that one branch needs is passed on there only",
        "(def f Float ((x : Vec n Float) (b : Float)) (let (s (sumbuild n (lam (i : Integer) (mul (index i x) (index i "
        "x))))) (if (gt s b) s b)))",
        "(let (x (get$1$2 args)) (let (b (get$2$2 args)) (let (s (sumbuild n (lam (i : Integer) (mul (index i x) "
        "(index i x))))) (let (d (if (gt s b) (tuple (build n (lam (i : Integer) (mul 2.0 (mul dt (index i x))))) "
        "0.0) (tuple (constVec n 0.0) dt))) (let (dx (get$1$2 d)) (let (db (get$2$2 d)) (tuple dx db)))))))");
    row("the element of a deltaVec", "(def f Float ((i : Integer) (x : Float)) (index 1 (deltaVec 3 i x)))",
        "(let (i (get$1$2 args)) (let (dx (delta 1 i dt)) (tuple (tuple) dx)))");
    row("a deltaVec", "(def f (Vec 3 Float) ((i : Integer) (x : Float)) (deltaVec 3 i x))",
        "(let (i (get$1$2 args)) (let (dx (if (and (gte i 0) (lt i 3)) (index i dt) 0.0)) (tuple (tuple) dx)))");
    row("a quotient behind a test", "(def f Float ((x : Float) (y : Float)) (max 0.5 (div x y)))",
        "(let (x (get$1$2 args)) (let (y (get$2$2 args)) (let (t (div x y)) (let (d (mul dt (if (gt t 0.5) 1.0 (if (eq "
        "0.5 t) 0.5 0.0)))) (let (dx (if (eq d 0.0) 0.0 (div d y))) (let (dy (if (eq d 0.0) 0.0 (neg (mul dx t)))) "
        "(tuple dx dy)))))))");
    row("a fold over indices reads vectors in order",
        "(def f Float (v : Vec n Float) (fold (lam (p : Tuple Float Integer) (mul (index (get$2$2 p) v) (get$1$2 p))) "
        "1.0 (build n (lam (i : Integer) i))))",
        "(let (d (RFold (tuple) (lam (p : (Tuple Float (Tuple Integer Float))) (mul (get$2$2 (get$2$2 p)) (get$1$2 "
        "p))) "
        "(lam (p : (Tuple (Tuple Float (Tuple Integer Float)) Float)) (let (p_1 (get$1$2 p)) (let (dt_1 (get$2$2 p)) "
        "(tuple "
        "(tuple) (tuple (mul (get$2$2 (get$2$2 p_1)) dt_1) (tuple (tuple) (mul dt_1 (get$1$2 p_1)))))))) 1.0 (build n "
        "(lam "
        "(i : Integer) (tuple i (index i v)))) dt)) (build n (lam (i : Integer) (get$2$2 (index i (get$2$2 (get$2$2 "
        "d)))))))");
    row("a fold over constants gives them no tangent",
        "(def f Float (x : Float) (fold (lam (p : Tuple Float Float) (mul (get$1$2 p) (add x (get$2$2 p)))) 1.0 (build "
        "3 (lam (i : Integer) (to_float i)))))",
        "(get$1$2 (RFold 0.0 (lam (p : (Tuple Float Float)) (mul (get$1$2 p) (add x (get$2$2 p)))) (lam (p : (Tuple "
        "(Tuple Float Float) Float)) (let (p_1 (get$1$2 p)) (let (dt_1 (get$2$2 p)) (tuple (mul (get$1$2 p_1) dt_1) "
        "(tuple (mul dt_1 (add x (get$2$2 p_1))) 0.0))))) 1.0 (build 3 (lam (i : Integer) (to_float i))) dt))");
    row("the square of a difference of vectors",
        "(def f Float ((v : Vec n Float) (w : Vec n Float)) (let (e (sub v w)) (dot e e)))",
        "(let (v (get$1$2 args)) (let (w (get$2$2 args)) (let (e (sub v w)) (let (dv (ts_scale (mul 2.0 dt) e)) (let "
        "(dw "
        "(ts_neg dv)) (tuple dv dw))))))");
    row("what is built has the size that it is built with",
        "(def f Float (v : Vec n Float) (sum (build n (lam (i : Integer) (mul 2.0 (index i v))))))",
        "(build n (lam (i : Integer) (mul 2.0 dt)))");
    row("a vector twice", "(def f (Vec n Float) (v : Vec n Float) (ts_add v v))", "(ts_scale 2.0 dt)");
}

void TestSimpleDerivatives::areSimple() {
    QFETCH(QString, program);
    QFETCH(QString, expected);
    Derived f(program.toStdString());
    QCOMPARE(QString::fromStdString(f.text(Direction::Reverse)), expected);
}

void TestSimpleDerivatives::computeNoFunctionTwice_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("functions");
    const auto row = [](const char* name, const char* program, const char* functions) {
        QTest::newRow(name) << QString::fromUtf8(program) << QString::fromUtf8(functions);
    };
    row("exponential", "(def f Float (x : Float) (exp (mul x x)))", "exp 1");
    row("hyperbolic tangent", "(def f Float (x : Float) (let (y (tanh x)) (mul y y)))", "tanh 1");
    row("sigmoid", "(def f Float (x : Float) (div 1.0 (add 1.0 (exp (neg x)))))", "exp 1 div 1");
    row("softplus", "(def f Float (x : Float) (log (add 1.0 (exp x))))", "exp 1 div 1");
    row("a reciprocal", "(def f Float (x : Float) (mul (div 1.0 x) (log x)))", "log 1 div 1");
    // 1 / s, the quotient by s of the tangent of s, and that by 2 s
    row("a root",
        "(def f Float ((x : Float) (y : Float)) (let (s (sqrt (add (mul x x) (mul y y)))) (add (div x s) (div y s))))",
        "sqrt 1 div 3");
    row("a root of a sum",
        "(def f Float (v : Vec n Float) (sqrt (add 1.0 (sumbuild n (lam (i : Integer) (exp (index i v)))))))",
        "exp 1 sqrt 1 div 1");
    row("the logarithm of a sum of exponentials",
        "(def f Float (v : Vec n Float) (log (sumbuild n (lam (i : Integer) (exp (index i v))))))", "exp 1 div 1");
    row("a vector of exponentials and its sum",
        "(def f Float (v : Vec n Float) (let ((e (build n (lam (i : Integer) (exp (index i v))))) (s (sum e))) (mul s "
        "(dot e e))))",
        "exp 1");
    row("two values of an iteration",
        "(def f Float (v : Vec n Float) (let (s (sumbuild n (lam (i : Integer) (mul (exp (index i v)) (tanh (index i "
        "v)))))) (mul s s)))",
        "exp 1 tanh 1");
    row("in a loop",
        "(def f Float (w : Vec k (Vec n Float)) (sumbuild k (lam (j : Integer) (log (sumbuild n (lam (i : Integer) "
        "(exp (index i (index j w)))))))))",
        "exp 1 div 1");
    row("the step of a fold",
        "(def f Float ((v : Vec n Float) (w : Float)) (fold (lam (p : Tuple Float Float) (tanh (add (mul w (get$1$2 "
        "p)) (exp (get$2$2 p))))) 0.5 v))",
        "exp 1 tanh 1");
    row("vectors in the step of a fold",
        "(def f (Vec Float) ((v : Vec n Float) (k : Integer)) (fold (lam (p : Tuple (Vec Float) Integer) (let (s (log "
        "(sumbuild n (lam (i : Integer) (exp (index i (get$1$2 p))))))) (build n (lam (i : Integer) (tanh (mul s "
        "(index i (get$1$2 p)))))))) v (build k (lam (i : Integer) i))))",
        "exp 1 log 1 tanh 1 div 1");
    row("in a loop in an iteration that runs twice",
        "(def f Float (w : Vec k (Vec n Float)) (let (s (build k (lam (j : Integer) (sumbuild n (lam (i : Integer) "
        "(let (e (exp (index i (index j w)))) (mul e e))))))) (dot s s)))",
        "exp 1");
    row("in a loop of three",
        "(def f Float ((x : Vec n Float) (w : Vec k (Vec n Float))) (let (s (build k (lam (j : Integer) (sumbuild n "
        "(lam (i : Integer) (sumbuild (add i 1) (lam (l : Integer) (let (e (exp (mul (index l (index j w)) (index i "
        "x)))) (mul e e))))))))) (dot s s)))",
        "exp 1");
    row("a loop whose value is not needed",
        "(def f Float (v : Vec n Float) (sumbuild n (lam (i : Integer) (exp (index i v)))))", "exp 1");
}

/// Counts the functions of the primal in its derivative. A value that is kept is the same in both.
void TestSimpleDerivatives::computeNoFunctionTwice() {
    QFETCH(QString, program);
    QFETCH(QString, functions);
    Derived f(program.toStdString());
    const QString text = QString::fromStdString(f.text(Direction::Reverse));
    QStringList counts;
    for (const char* const function : {"exp", "log", "tanh", "sqrt", "div"}) {
        const auto count = text.count(QStringLiteral("(%1 ").arg(QLatin1String(function)));
        if (count > 0) counts.push_back(QStringLiteral("%1 %2").arg(QLatin1String(function)).arg(count));
    }
    QVERIFY2(counts.join(QLatin1Char(' ')) == functions, qPrintable(text));
    const Result<autodiff::CheckReport> report = f.check();
    QVERIFY2(report.ok() && report->passed, qPrintable(text));
}

MITOS_TEST(TestSimpleDerivatives)

}  // namespace tst_simple_derivatives

#include "tst_simple_derivatives.moc"
