// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of ks-phi: closed forms of loops against numbers of the plain loops, sums, forms that do not overflow, and their soundness.
#include "core/eval/evaluator.h"
#include "core/eval/testing/rule_test.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <cmath>

namespace tst_phi_rules {

using namespace mitos;
using namespace mitos::tests;

class TestPhiRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void closedForms_data();
    void closedForms();
    void writtenForms_data();
    void writtenForms();
    void writtenOut_data();
    void writtenOut();
    void values_data();
    void values();
    void leavesAlone_data();
    void leavesAlone();
    void everyRulePasses();

private:
    /// The value of the program after the rule was applied to its root, on these inputs in JSON.
    [[nodiscard]] double valueAfter(const QString& rule, const std::string& program, const std::string& inputs) const;

    rules::RuleBook m_book;
};

void TestPhiRules::initTestCase() {
    Result<rules::RuleBook> book = rules::RuleBook::load("ks-phi", registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    m_book = std::move(*book);
}

double TestPhiRules::valueAfter(const QString& rule, const std::string& program, const std::string& input) const {
    ir::TermBank bank(registry());
    const Result<ir::Program> parsed = ks::parseProgram(bank, "test.ks", program);
    const auto direction = m_book.find(rule.toStdString());
    if (!parsed || direction == nullptr) return NAN;
    ir::TermId after;
    direction->match(bank, parsed->root, [&](const rules::Substitution& match) {
        const Result<ir::TermId> result = direction->apply(bank, match, parsed->root);
        if (result) after = *result;
        return !after.isValid();
    });
    if (!after.isValid()) return NAN;
    Result<eval::Value> value = eval::valueFromJson(bank, bank.function(parsed->function).parameters.at(0).type, input);
    if (!value) return NAN;
    eval::Inputs inputs;
    inputs.arguments.push_back(*std::move(value));
    const Result<eval::Evaluation> result = eval::evaluate(bank, {parsed->function, after}, inputs);
    return result ? result->value.asFloat() : NAN;
}

/// The loops run over the first 0, 1, 2, 3 and 5 elements of [0.5, -1.25, 2.0, 0.75, -0.5].
void TestPhiRules::closedForms_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QList<double>>("expected");
    const auto row = [](const char* name, const char* rule, const char* body, const QList<double>& expected) {
        QTest::newRow(name) << QString::fromUtf8(rule) << QString::fromUtf8(body) << expected;
    };
    row("C6", "loop_of_affine", "(add (mul 0.9 (get$1$2 p)) 0.25)", {1.5, 1.6, 1.69, 1.771, 1.90951});
    row("C6 at a = 1", "loop_of_affine", "(add (mul 1.0 (get$1$2 p)) 0.25)", {1.5, 1.75, 2.0, 2.25, 2.75});
    row("C6, a = 1", "loop_of_sum", "(add (get$1$2 p) 0.25)", {1.5, 1.75, 2.0, 2.25, 2.75});
    row("C6, b = 0", "loop_of_product", "(mul 0.9 (get$1$2 p))", {1.5, 1.35, 1.215, 1.0935, 0.885735});
    row("C7", "loop_of_indexed_affine", "(let (x (get$2$2 p)) (add (mul 0.9 (get$1$2 p)) x))",
        {1.5, 1.85, 0.415, 2.3735, 2.097535});
    row("C7, a = 1", "loop_of_indexed_sum", "(let (x (get$2$2 p)) (add (get$1$2 p) x))", {1.5, 2.0, 0.75, 2.75, 3.0});
    row("C8", "loop_of_indexed_linear", "(let (x (get$2$2 p)) (add (mul x (get$1$2 p)) (mul x x)))",
        {1.5, 1.0, 0.3125, 4.625, -1.765625});
    row("C8, b = 0", "loop_of_indexed_product", "(let (x (get$2$2 p)) (mul x (get$1$2 p)))",
        {1.5, 0.75, -0.9375, -1.875, 0.703125});
    row("C9", "loop_of_power", "(mul 0.9 (pow (get$1$2 p) 2))",
        {1.5, 2.025, 3.6905625, 12.258226409765625, 16460.31274029763});
    row("C9 with exponents beyond Integers", "loop_of_power", "(mul 1.0 (pow (get$1$2 p) 1000000))",
        {1.5, INFINITY, INFINITY, INFINITY, INFINITY});
    row("a constant state", "loop_invariant", "2.5", {1.5, 2.5, 2.5, 2.5, 2.5});
}

void TestPhiRules::closedForms() {
    QFETCH(const QString, rule);
    QFETCH(const QString, body);
    QFETCH(const QList<double>, expected);
    const std::vector<std::string> inputs{"[]", "[0.5]", "[0.5, -1.25]", "[0.5, -1.25, 2.0]",
                                          "[0.5, -1.25, 2.0, 0.75, -0.5]"};
    const std::string program =
        "(def f Float (v : (Vec Float)) (fold (lam (p : (Tuple Float Float)) " + body.toStdString() + ") 1.5 v))";
    for (qsizetype i = 0; i < expected.size(); ++i) {
        const double value = valueAfter(rule, program, inputs[static_cast<std::size_t>(i)]);
        const bool isNear = std::isinf(expected[i]) ? value == expected[i]
                                                    : std::abs(value - expected[i]) <= 1e-14 * std::abs(expected[i]);
        QVERIFY2(isNear, qPrintable(QStringLiteral("%1: %2 instead of %3").arg(i).arg(value).arg(expected[i])));
    }
}

void TestPhiRules::writtenForms_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* rule, const char* body, const char* expected) {
        QTest::newRow(rule) << QString::fromUtf8(body) << QString::fromUtf8(expected);
    };
    row("phi_complement", "(if (not p) a b)", "(if p b a)");
    row("phi_complement~", "(if p b a)", "(if (not p) a b)");
    row("phi_of_phi", "(if p a (if (gt a b) b c))", "(if (gt a b) (if p a b) (if p a c))");
    row("phi_of_exits", "(if p a (if (gt a b) a c))", "(if (gt a b) a (if p a c))");
    row("phi_of_either", "(if p a (if (gt a b) a c))", "(if (or p (gt a b)) a c)");
    row("loop_with_exits",
        "(get$2$2 (loop n a (lam (q : (Tuple Integer Float)) (if (gt (get$2$2 q) b) (tuple true (get$2$2 q)) (tuple "
        "false (mul c (get$2$2 q)))))))",
        "(let (k (get$1$2 (loop n a (lam q (if (gt (get$2$2 q) b) (tuple true (get$2$2 q)) (tuple false (mul c "
        "(get$2$2 q)))))))) (fold (lam q (let (q_1 (tuple (get$2$2 q) (get$1$2 q))) (mul c (get$2$2 q_1)))) a (build "
        "k (lam i i))))");
    row("loop_start", "(fold (lam (q : (Tuple Float Integer)) (sin (get$1$2 q))) a (build 0 (lam (i : Integer) i)))",
        "a");
    row("loop_last", "(fold (lam (q : (Tuple Float Integer)) (sin (get$1$2 q))) a (build 3 (lam (i : Integer) i)))",
        "(let (q (tuple (fold (lam q (sin (get$1$2 q))) a (build 2 (lam i i))) (let (i 2) i))) (sin (get$1$2 q)))");
    row("loop_exit", "(if (gt (size v) 0) (fold (lam (q : (Tuple Float Float)) (sin (get$1$2 q))) a v) a)",
        "(fold (lam q (sin (get$1$2 q))) a v)");
    row("loop_of_if", "(fold (lam (q : (Tuple Float Float)) (if p (get$1$2 q) (get$2$2 q))) a v)",
        "(if p (fold (lam q (get$1$2 q)) a v) (fold (lam q (get$2$2 q)) a v))");
    row("loop_of_affine", "(fold (lam (q : (Tuple Float Float)) (add (mul (exp a) (get$1$2 q)) b)) c v)",
        "(if (gt (size v) 0) (let (q (exp a)) (add (mul (pow q (size v)) c) (mul (sumbuild (size v) (lam i (pow q "
        "i))) b))) c)");
    row("affine_of_sumbuild", "(sumbuild n (lam (i : Integer) (add (mul (index i v) a) (index i w))))",
        "(add (mul (sumbuild n (lam i (index i v))) a) (sumbuild n (lam i (index i w))))");
    row("affine_of_if_then", "(if p (add (mul a c) b) (exp b))", "(add (mul (if p a 0.0) c) (if p b (exp b)))");
    row("div_of_constant", "(div (sin a) 4.0)", "(mul 0.25 (sin a))");
    row("mul_of_constants", "(mul 3.0 (mul 0.5 (sin a)))", "(mul 1.5 (sin a))");
    row("neg_of_constant", "(neg 2.5)", "-2.5");
    row("neg_of_zero", "(neg 0.0)", "0.0");
    row("sumbuild_of_sub", "(sumbuild n (lam (i : Integer) (sub (index i v) a)))",
        "(sub (sumbuild n (lam i (index i v))) (sumbuild n (lam i a)))");
    row("sumbuild_of_neg", "(sumbuild n (lam (i : Integer) (neg (index i v))))",
        "(neg (sumbuild n (lam i (index i v))))");
    row("sumbuild_of_multiple", "(sumbuild n (lam (i : Integer) (mul a (index i v))))",
        "(mul a (sumbuild n (lam i (index i v))))");
    row("sumbuild_of_multiple_right", "(sumbuild n (lam (i : Integer) (mul (index i v) a)))",
        "(mul (sumbuild n (lam i (index i v))) a)");
    row("sumbuild_of_quotient", "(sumbuild n (lam (i : Integer) (div (index i v) a)))",
        "(div (sumbuild n (lam i (index i v))) a)");
    row("sum_of_indices", "(sumbuild n (lam (i : Integer) (to_float i)))",
        "(div (mul (to_float n) (sub (to_float n) 1.0)) 2.0)");
    row("geometric_sum", "(sumbuild n (lam (i : Integer) (pow a i)))",
        "(let (q a) (if (gt (abs (sub q 1.0)) 0.01) (div (sub (pow q n) 1.0) (sub q 1.0)) (sumbuild n (lam i (pow q "
        "i)))))");
    row("stable_logistic", "(div (exp a) (add 1.0 (exp a)))", "(div 1.0 (add 1.0 (exp (neg a))))");
}

void TestPhiRules::writtenForms() {
    QFETCH(const QString, body);
    QFETCH(const QString, expected);
    const auto rule = m_book.find(QTest::currentDataTag());
    QVERIFY(rule != nullptr);
    const std::string program =
        "(def f Float ((a : Float) (b : Float) (c : Float) (n : Integer) (p : Bool) (v : (Vec Float)) (w : (Vec "
        "Float))) " +
        body.toStdString() + ")";
    QCOMPARE(QString::fromStdString(rewrites(*rule, program)), expected);
}

/// Rules on vectors, tuples and Integers, below an operator that makes a Float of them.
void TestPhiRules::writtenOut_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* rule, const char* body, const char* expected) {
        QTest::newRow(rule) << QString::fromUtf8(body) << QString::fromUtf8(expected);
    };
    row("phi_of_exit", "(get$2$2 (if p (tuple true (sin a)) (tuple false (sin a))))", "(get$2$2 (tuple p (sin a)))");
    row("sumbuild_last", "(sin (sumbuild 3 (lam (i : Integer) (index i v))))",
        "(sin (add (sumbuild 2 (lam i (index i v))) (index 2 v)))");
    row("sumbuild_of_one", "(sin (sumbuild 1 (lam (i : Integer) (index i v))))", "(sin (index 0 v))");
    row("build_written_out", "(sum (build 2 (lam (i : Integer) (mul a (index i v)))))",
        "(sum (Vec_init (mul a (index 0 v)) (mul a (index 1 v))))");
    row("map_of_vec_init", "(sum (map (lam (x : Float) (mul x x)) (Vec_init a b)))",
        "(sum (Vec_init (let (x a) (mul x x)) (let (x b) (mul x x))))");
    row("size_of_vec_init", "(to_float (size (Vec_init a b c)))", "(to_float 3)");
}

void TestPhiRules::writtenOut() {
    QFETCH(const QString, body);
    QFETCH(const QString, expected);
    const auto rule = m_book.find(QTest::currentDataTag());
    QVERIFY(rule != nullptr);
    const std::string program =
        "(def f Float ((a : Float) (b : Float) (c : Float) (p : Bool) (v : (Vec Float))) " + body.toStdString() + ")";
    QCOMPARE(QString::fromStdString(rewrites(*rule, program, "/0")), expected);
}

void TestPhiRules::values_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("input");
    QTest::addColumn<double>("expected");
    const auto row = [](const char* name, const char* rule, const char* body, const char* input, double expected) {
        QTest::newRow(name) << QString::fromUtf8(rule) << QString::fromUtf8(body) << QString::fromUtf8(input)
                            << expected;
    };
    const char* const softplus = "(log (add 1.0 (exp (index 0 v))))";
    row("log(1 + exp(1000))", "stable_softplus", softplus, "[1000.0]", 1000.0);
    row("log(1 + exp(0))", "stable_softplus", softplus, "[0.0]", 0.6931471805599453);
    row("log(1 + exp(-2))", "stable_softplus", softplus, "[-2.0]", 0.1269280110429726);
    const char* const logistic = "(div (exp (index 0 v)) (add 1.0 (exp (index 0 v))))";
    row("logistic at 1000", "stable_logistic", logistic, "[1000.0]", 1.0);
    row("logistic at -1000", "stable_logistic", logistic, "[-1000.0]", 0.0);
    row("log-sum-exp", "stable_log_sum_exp", "(log (sumbuild (size v) (lam (i : Integer) (exp (index i v)))))",
        "[1000.0, 1000.0]", 1000.6931471805599);
    const char* const sum = "(sumbuild 100 (lam (i : Integer) (pow (index 0 v) i)))";
    row("geometric sum at 1", "geometric_sum", sum, "[1.0]", 100.0);
    row("geometric sum beside 1", "geometric_sum", sum, "[1.000000001]", 100.00000495000057);
    row("geometric sum at 1.5", "geometric_sum", sum, "[1.5]", 8.131223550704305e+17);
    row("geometric sum at -1", "geometric_sum", sum, "[-1.0]", 0.0);
    // By moments, the second sum would be zero or negative: the residuals are 1e-9 of the values.
    const char* const squares =
        "(sumbuild (size v) (lam (i : Integer) (mul (sub (index i v) (mul (to_float i) 2.0)) (sub (index i v) (mul "
        "(to_float i) 2.0)))))";
    row("squares by moments", "moments_of_residuals", squares, "[0.5, 2.5, 4.5]", 0.75);
    row("tiny residuals", "moments_of_residuals", squares, "[0.0, 2.000000001, 3.999999999]", 2.0000003309614977e-18);
}

void TestPhiRules::values() {
    QFETCH(const QString, rule);
    QFETCH(const QString, body);
    QFETCH(const QString, input);
    QFETCH(const double, expected);
    const double value =
        valueAfter(rule, "(def f Float (v : (Vec Float)) " + body.toStdString() + ")", input.toStdString());
    QVERIFY2(std::abs(value - expected) <= 1e-13 * std::abs(expected),
             qPrintable(QString::number(value, 'g', 17) + QStringLiteral(" instead of ") +
                        QString::number(expected, 'g', 17)));
}

void TestPhiRules::leavesAlone_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("body");
    const auto row = [](const char* name, const char* rule, const char* body) {
        QTest::newRow(name) << QString::fromUtf8(rule) << QString::fromUtf8(body);
    };
    row("a factor that depends on the iteration", "loop_of_affine",
        "(fold (lam (q : (Tuple Float Float)) (add (mul (get$2$2 q) (get$1$2 q)) a)) b v)");
    row("a summand that depends on the state", "loop_of_sum",
        "(fold (lam (q : (Tuple Float Float)) (add (get$1$2 q) (sin (get$1$2 q)))) b v)");
    row("a condition that may fail", "phi_of_phi", "(if p a (if (gt (sum v) b) b c))");
    row("a condition of the iteration", "loop_of_if",
        "(fold (lam (q : (Tuple Float Float)) (if (gt (get$2$2 q) a) (get$1$2 q) b)) a v)");
    row("a factor that depends on the index", "sumbuild_of_multiple",
        "(sumbuild n (lam (i : Integer) (mul (index i v) (index i w))))");
    row("another start than the state of the skipped loop", "loop_exit",
        "(if (gt (size v) 0) (fold (lam (q : (Tuple Float Float)) (sin (get$1$2 q))) a v) b)");
    row("a form that is stable already", "stable_softplus", "(log (add 1.0 (exp (neg (abs a)))))");
}

void TestPhiRules::leavesAlone() {
    QFETCH(const QString, rule);
    QFETCH(const QString, body);
    const auto direction = m_book.find(rule.toStdString());
    QVERIFY(direction != nullptr);
    const std::string program =
        "(def f Float ((a : Float) (b : Float) (c : Float) (n : Integer) (p : Bool) (v : (Vec Float)) (w : (Vec "
        "Float))) " +
        body.toStdString() + ")";
    QCOMPARE(QString::fromStdString(rewrites(*direction, program)), QStringLiteral("none"));
}

void TestPhiRules::everyRulePasses() {
    for (const eval::RuleVerdict& verdict : eval::testRules(m_book, {.samplesPerRule = 600, .seed = 11})) {
        const std::string shown = verdict.name + ", " + std::to_string(verdict.samples) + " samples: " +
                                  (verdict.counterexample ? verdict.counterexample->toString() : verdict.note);
        QVERIFY2(verdict.verdict == eval::Verdict::Pass && verdict.samples >= 25, shown.c_str());
    }
}

MITOS_TEST(TestPhiRules)

}  // namespace tst_phi_rules

#include "tst_phi_rules.moc"
