// SPDX-License-Identifier: GPL-3.0-or-later
// Nests of loops as text: which values are stored, which loops fill them, and what is added in place.
#include "core/loops/text.h"
#include "tests/loops/lowered.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_loop_text {

using namespace mitos;
using tests::Lowered;

class TestLoopText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void programs_data();
    void programs();
};

void TestLoopText::programs_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    QTest::newRow("an expression") << "(add (mul x y) (exp (mul x (sub 2.0 y))))"
                                   << "expression(x: Float, y: Float): Float\n"
                                      "    return x * y + exp(x * (2.0 - y))\n";
    QTest::newRow("a matrix product, row by row") << tests::Gemm <<
        R"(gemm(alpha: Float, a: (Vec n (Vec l Float)), b: (Vec l (Vec m Float)), beta: Float, c: (Vec n (Vec m Float))): (Vec (Vec Float))
    n = size(a)
    l = sizeIfAny(a, size(a[0]))
    m = sizeIfAny(b, size(b[0]))
    var result = unset(n)
    for i to n  # 8*m*n bytes written
        result[i] := zeros(m)
        require m == 0 or l > 0
    result += product(a, b) of n x l x m
    for i to n  # 3*m*n operations, 16*m*n bytes read, 8*m*n bytes written
        for j to m
            result[i][j] := alpha * result[i][j] + beta * c[i, j]
    return result
)";
    QTest::newRow("a sum of vectors in place")
        << "(def f (Vec Float) ((x : Vec n (Vec k Float)) (w : Vec k Float)) (ts_add w (sumbuild n (lam (i : Integer) "
           "(build k (lam (j : Integer) (mul 2.0 (index j (index i x)))))))))"
        <<
        R"(f(x: (Vec n (Vec k Float)), w: (Vec k Float)): (Vec Float)
    n = size(x)
    k = sizeIfAny(x, size(x[0]))
    var result = zeroLike(w)
    require n > 0
    for i to n  # 2*k*n operations, 16*k*n bytes read, 8*k*n bytes written
        require size(result) == k
        for j to k
            result[j] += 2.0 * x[i, j]
    result += w
    return result
)";
    QTest::newRow("a branch, a table and a call")
        << "(def g Float (x : Float) (mul x x)) (def f Float ((k : Integer) (v : Vec Float)) (let (t (Vec_init 0.5 "
           "2.0)) "
           "(if (gt k 0) (let (s (sumbuild k (lam (i : Integer) (mul (index i v) (index 0 t))))) (add s (g s))) 1.0)))"
        <<
        R"(g(x: Float): Float
    return x * x

f(k: Integer, v: (Vec Float)): Float
    t = [0.5, 2.0]
    if k > 0
        require k > 0
        var s = 0.0
        for i to k  # 2*k operations, 16*k bytes read
            s += v[i] * t[0]
        s2 = s
        return s2 + g(s2)
    return 1.0
)";
}

void TestLoopText::programs() {
    QFETCH(const QString, program);
    QFETCH(const QString, expected);
    const Lowered lowered(program.toStdString());
    QCOMPARE(QString::fromStdString(loops::text(lowered.bank, lowered.form)), expected);
}

MITOS_TEST(TestLoopText)

}  // namespace tst_loop_text

#include "tst_loop_text.moc"
