// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of the sign of a term.
#include "core/facts/analysis.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

namespace tst_value_range {

using namespace mitos;
using namespace mitos::tests;

class TestValueRange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void signs_data();
    void signs();
    void ends();
};

namespace {

/// The value of `return` in (def f Float ((x : Float) (y : Float) (v : (Vec Float)) (n : Integer) (p : (Tuple Float Float))) …).
ir::ValueRange rangeOf(const std::string& body) {
    ir::TermBank bank(registry());
    const Result<ir::Program> program = ks::parseProgram(
        bank, "-",
        "(def f Float ((x : Float) (y : Float) (v : (Vec Float)) (n : Integer) (p : (Tuple Float Float))) " + body +
            ")");
    if (!program) qFatal("%s", program.error().render().c_str());
    return facts::of(bank).range(program->root);
}

}  // namespace

void TestValueRange::signs_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("sign");
    const auto row = [](const char* body, const char* sign) { QTest::newRow(body) << body << sign; };
    row("x", "");
    row("2.5", "positive nonnegative nonzero");
    row("-0.0", "nonnegative nonpositive");
    row("(exp x)", "positive nonnegative nonzero");
    row("(neg (exp x))", "negative nonpositive nonzero");
    row("(mul x x)", "nonnegative");
    row("(mul x y)", "");
    row("(add (mul x x) 1.0)", "positive nonnegative nonzero");
    row("(add (mul x x) (exp y))", "positive nonnegative nonzero");
    row("(sub (mul x x) 1.0)", "");
    row("(sub x x)", "nonnegative nonpositive");
    row("(add x 3.0)", "");
    row("(mul (add x 3.0) (add x 3.0))", "nonnegative");
    row("(mul (exp x) (exp y))", "positive nonnegative nonzero");
    row("(div (exp x) (exp y))", "positive nonnegative nonzero");
    row("(div 1.0 x)", "nonzero");
    row("(div x (exp y))", "");
    row("(abs x)", "nonnegative");
    row("(max x 0.5)", "positive nonnegative nonzero");
    row("(max x y)", "");
    row("(add (tanh x) 1.5)", "positive nonnegative nonzero");
    row("(add (sin x) 1.0)", "nonnegative");
    row("(sqrt (exp x))", "positive nonnegative nonzero");
    row("(pow x 2)", "nonnegative");
    row("(pow x 3)", "");
    row("(let (t (exp x)) (mul t t))", "positive nonnegative nonzero");
    row("(let (t x) (mul t t))", "nonnegative");
    row("(to_float (size v))", "nonnegative");
    row("(to_float (add 1 (size v)))", "positive nonnegative nonzero");
    row("(sum (build n (lam (i : Integer) (exp (index i v)))))", "positive nonnegative nonzero");
    row("(sumbuild n (lam (i : Integer) (to_float i)))", "nonnegative");
    row("(index 0 (build n (lam (i : Integer) (abs (index i v)))))", "nonnegative");
    row("(if (gt x 0.0) x 1.0)", "positive nonnegative nonzero");
    row("(if (lt x 0.0) (neg x) x)", "nonnegative");
    row("(if (gte x 0.0) x 1.0)", "nonnegative");
    row("(if (gt (mul 2.0 y) 0.0) x 1.0)", "");
    row("(if (and (gt x 0.0) (lt y 0.0)) (mul x (neg y)) 1.0)", "positive nonnegative nonzero");
    row("(if (or (gt x 0.0) (lt y 0.0)) x 1.0)", "");
    row("(if (eq x 0.0) 1.0 x)", "nonzero");
    row("(if (ne x 0.0) x 1.0)", "nonzero");
    // Two tuples that differ may have an equal component.
    row("(if (ne p (tuple 0.0 0.0)) (get$1$2 p) 1.0)", "");
    row("(if (eq p (tuple 0.0 0.0)) 1.0 (get$2$2 p))", "");
    // The x that is bound here is another one.
    row("(if (gt x 0.0) (let (x y) x) 1.0)", "");
}

void TestValueRange::signs() {
    QFETCH(const QString, body);
    QFETCH(const QString, sign);
    const ir::ValueRange range = rangeOf(body.toStdString());
    QStringList found;
    if (range.isPositive()) found << QStringLiteral("positive");
    if (range.isNegative()) found << QStringLiteral("negative");
    if (range.isNonnegative()) found << QStringLiteral("nonnegative");
    if (range.isNonpositive()) found << QStringLiteral("nonpositive");
    if (range.excludesZero()) found << QStringLiteral("nonzero");
    QCOMPARE(found.join(QLatin1Char(' ')), sign);
}

void TestValueRange::ends() {
    const ir::ValueRange bounded = rangeOf("(max (mul 2.0 (tanh x)) -0.5)");
    QCOMPARE(bounded.low, -0.5);
    QCOMPARE(bounded.high, 2.0);
    // 0.1 + 0.2 is a Float above 0.3: over the reals nothing is known of the sign of the difference.
    QVERIFY(!rangeOf("(sub (add 0.1 0.2) 0.3)").isPositive());
    // Deep and large terms end.
    std::string deep;
    for (int i = 0; i < 3000; ++i) deep += "(exp ";
    deep += "x" + std::string(3000, ')');
    QVERIFY(rangeOf(deep).low <= 1.0);
}

MITOS_TEST(TestValueRange)

}  // namespace tst_value_range

#include "tst_value_range.moc"
