// SPDX-License-Identifier: GPL-3.0-or-later
// Amounts as polynomials, and the work of nests counted by hand.
#include "core/loops/amount.h"
#include "core/loops/work.h"
#include "tests/loops/lowered.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <variant>

namespace tst_work {

using namespace mitos;
using loops::Amount;
using loops::Work;
using tests::Lowered;

namespace {

/// The work of all statements of the program's function.
Work workOf(const Lowered& lowered) {
    Work work;
    for (const loops::Statement& statement : lowered.function().body.statements) {
        work += loops::workOf(lowered.bank, lowered.form, lowered.function(), statement);
    }
    return work;
}

}  // namespace

class TestWork : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void amountsAreAddedAndMultiplied();
    void theLargerAmountBoundsBoth();
    void amountsHaveValues();
    void matrixProduct();
    void functionsAndBranches();
    void sizesThatAreNoNames();
};

void TestWork::amountsAreAddedAndMultiplied() {
    const Amount n = Amount::named("n");
    const Amount one(1.0);
    QCOMPARE(((n + one) * (n - one)).text(), std::string("n*n - 1"));
    QCOMPARE((Amount(2.0) * n * Amount::named("m") + n).text(), std::string("2*m*n + n"));
    QCOMPARE((one - n).text(), std::string("-1*n + 1"));
    QVERIFY((n - n).isZero());
    QCOMPARE((n - n).text(), std::string("0"));
    QVERIFY(n * Amount::named("m") == Amount::named("m") * n);
}

void TestWork::theLargerAmountBoundsBoth() {
    const Amount n = Amount::named("n");
    QCOMPARE(larger(Amount(2.0) * n, n + Amount(3.0)).text(), std::string("2*n + 3"));
    QCOMPARE(larger(Amount(), n).text(), std::string("n"));
}

void TestWork::amountsHaveValues() {
    const Amount amount = Amount(3.0) * Amount::named("n") * Amount::named("n") + Amount::named("m") - Amount(1.0);
    QCOMPARE(amount.at([](std::string_view name) { return name == "n" ? 10.0 : 4.0; }), 303.0);
}

/// The products are added to the result, for each of l, whose rows of m numbers of 8 bytes are zeros before; then it is made of them and c.
void TestWork::matrixProduct() {
    const Work work = workOf(Lowered(tests::Gemm));
    QCOMPARE(work.operations.text(), std::string("2*l*m*n + 3*m*n"));
    QCOMPARE(
        work.read.text(),
        std::string("16*l*m*n + 8*l*n + 16*m*n"));  // the result and b, an element of a for each row; the result and c
    QCOMPARE(work.written.text(), std::string("8*l*m*n + 16*m*n + 8*m"));  // the sums; zeros and the result; a row
    QVERIFY(work.calls.empty());
}

/// Two branches count as one with the more of each: one exponential, and two operations.
void TestWork::functionsAndBranches() {
    const Work work = workOf(Lowered(
        "(def g Float (x : Float) (mul x x)) (def f (Vec Float) (v : Vec n Float) (build n (lam (i : Integer) (if (gt "
        "(index i v) 0.0) (exp (neg (index i v))) (add (g 0.5) (mul 2.0 (index i v)))))))"));
    QCOMPARE(loops::text(work), std::string("2*n operations, n exp, n g, 16*n bytes read, 8*n bytes written"));
}

void TestWork::sizesThatAreNoNames() {
    const Work work = workOf(
        Lowered("(def f Float ((v : Vec Float) (k : Integer)) (sumbuild (add (mul k 2) 1) (lam (i : Integer) (index "
                "0 v))))"));
    QCOMPARE(loops::text(work), std::string("size operations, 8*size bytes read"));
}

MITOS_TEST(TestWork)

}  // namespace tst_work

#include "tst_work.moc"
