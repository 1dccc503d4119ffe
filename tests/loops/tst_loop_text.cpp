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
    void linesKnowWhereTheyComeFrom();
    void growthLeavesOutWhatIsSmaller();
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
    var result = filled(n, zeros(m))
    require n == 0 or m == 0 or l > 0
    result += product(a, b) of n x l x m  # 2*l*m*n operations, 16*l*m*n + 8*l*n bytes read, 8*l*m*n bytes written
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
    var result = zeros(k)
    require n > 0
    for i to n  # 2*k*n operations, 16*k*n bytes read, 8*k*n bytes written
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
        s = sum for i to k  # 2*k operations, 16*k bytes read
            v[i] * t[0]
        return s + g(s)
    return 1.0
)";
}

void TestLoopText::programs() {
    QFETCH(const QString, program);
    QFETCH(const QString, expected);
    const Lowered lowered(program.toStdString());
    QCOMPARE(QString::fromStdString(loops::text(lowered.bank, lowered.form)), expected);
}

void TestLoopText::linesKnowWhereTheyComeFrom() {
    const Lowered lowered(
        "(def g Float (x : Float) (mul x x)) (def f Float ((n : Integer) (v : Vec Float)) (add (g 1.0) (sumbuild n "
        "(lam "
        "(i : Integer) (sumbuild n (lam (j : Integer) (mul (index i v) (index j v))))))))");
    const std::vector<loops::Line> lines = loops::lines(lowered.bank, lowered.form);
    QStringList texts;
    QStringList around;
    for (const loops::Line& line : lines) {
        texts << QString::fromStdString(line.text);
        around << (line.around ? QString::number(*line.around) : QStringLiteral("-"));
    }
    const QString all = texts.join(QLatin1Char('\n'));
    QVERIFY2(
        all.startsWith(QLatin1String("g(x: Float): Float\n    return x * x\n\nf(n: Integer, v: (Vec Float)): Float\n")),
        qPrintable(all));
    QCOMPARE(lines[0].function, loops::FunctionIndex(0));
    QCOMPARE(lines[2].function, loops::FunctionIndex(1));
    QCOMPARE(around.mid(0, 5), QString(QStringLiteral("- 0 - - 3")).split(QLatin1Char(' ')));
    const ir::TermBank& bank = lowered.bank;
    const ir::TermId outer = bank.child(lowered.program.root, 1);
    const ir::TermId inner = bank.child(bank.child(outer, 1), 0);
    std::vector<std::size_t> loops;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const loops::Line& line = lines[i];
        QCOMPARE(line.statement == nullptr, i == 0 || i == 2 || i == 3);
        const bool isLoop = line.statement != nullptr && std::holds_alternative<loops::For>(line.statement->what);
        if (isLoop) loops.push_back(i);
        // Only the nest has work.
        QCOMPARE(line.work.has_value(), isLoop && loops.size() == 1);
        if (line.work) QCOMPARE(*line.work, loops::workOf(bank, lowered.form, lowered.function(), *line.statement));
    }
    QCOMPARE(loops.size(), std::size_t(2));
    QCOMPARE(lines[loops[0]].statement->term, outer);
    QCOMPARE(lines[loops[1]].statement->term, inner);
    QCOMPARE(lines[loops[1]].around, std::optional(loops[0]));
}

void TestLoopText::growthLeavesOutWhatIsSmaller() {
    const auto n = loops::Amount::named("n");
    loops::Work work{.operations = n * n + n, .calls = {{"exp", n}}, .read = n * loops::Amount(16.0)};
    work.written = n * loops::Amount(8.0) + loops::Amount(1.0);
    QCOMPARE(loops::growthText(work), std::string("~n*n op, n exp, ~24*n B"));
    QCOMPARE(loops::growthText({}), std::string());
    QCOMPARE(loops::text(work), std::string("n*n + n operations, n exp, 16*n bytes read, 8*n + 1 bytes written"));
}

MITOS_TEST(TestLoopText)

}  // namespace tst_loop_text

#include "tst_loop_text.moc"
