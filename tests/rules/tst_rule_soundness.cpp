// SPDX-License-Identifier: GPL-3.0-or-later
// `rules test`: every shipped rule passes, wrong rules are caught with a counterexample.
#include "core/eval/testing/rule_test.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QTemporaryDir>
#include <fstream>

namespace tst_rule_soundness {

using namespace mitos;
using namespace mitos::tests;
using eval::Verdict;

namespace {

/// Verdicts on the rules of a text.
std::vector<eval::RuleVerdict> test(const std::string& text, const eval::RuleTestOptions& options = {}) {
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("t.rules")).toStdString();
    std::ofstream(path) << text;
    const Result<rules::RuleBook> book = rules::RuleBook::load(path, registry());
    if (!book) {
        eval::RuleVerdict bad;
        bad.note = book.error().render();
        return {bad};
    }
    return eval::testRules(*book, options);
}

/// Verdict, samples and the counterexample of a direction, for messages.
std::string shown(const eval::RuleVerdict& v) {
    return v.name + ": " + eval::toString(v.verdict) + " " + std::to_string(v.samples) + " " + v.note +
           (v.counterexample ? v.counterexample->toString() : "");
}

}  // namespace

class TestRuleSoundness : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shippedRulesPass();
    void wrongRulesAreCaught_data();
    void wrongRulesAreCaught();
    void rightRulesPass_data();
    void rightRulesPass();
    void theWorstDifferenceIsSaid();
    void counterexamplesAreSmall_data();
    void counterexamplesAreSmall();
    void limits();
};

void TestRuleSoundness::shippedRulesPass() {
    const Result<rules::RuleBook> book = rules::RuleBook::load("ks-all", registry());
    QVERIFY(book.ok());
    const std::vector<eval::RuleVerdict> verdicts = eval::testRules(*book, {.samplesPerRule = 400, .seed = 7});
    QCOMPARE(verdicts.size(), book->directions().size());
    for (const eval::RuleVerdict& v : verdicts) {
        QVERIFY2(v.verdict == Verdict::Pass, shown(v).c_str());
        // Random programs seldom have what the guarded folds of ks-loops match.
        QVERIFY2(v.samples == 400 || (v.name.starts_with("hoist_of_") && v.samples >= 30), shown(v).c_str());
    }
    QCOMPARE(verdicts.at(0).name, std::string("add_zero"));
    QCOMPARE(verdicts.at(0).tag, std::string("exact-but-zero-sign"));
}

void TestRuleSoundness::wrongRulesAreCaught_data() {
    QTest::addColumn<QString>("rule");
    const auto row = [](const char* name, const char* rule) { QTest::newRow(name) << QString::fromUtf8(rule); };
    row("subtraction commutes", "rule r [domain]: a - b => b - a");
    row("a loop forgets its size", "rule r [domain]: sumbuild(n, \\x. c) => c where x not in c");
    row("loops of a product",
        "rule r [domain]: sumbuild(n, \\x. a * b) => sumbuild(n, \\x. a) * sumbuild(n, \\x. b) where a.type == Float");
    row("index off", "rule r [domain]: index(i, build(n, \\x. b)) => b[x := n]");
    row("dropped let", "rule r [domain]: let x = e in b => b[x := e + e] where e.type == Float");
    row("binders swapped",
        "rule r [domain]: build(n, \\x. build(m, \\y. e)) => build(n, \\y. build(m, \\x. e)) "
        "where x not in m");
    row("division of Integers", "rule r [exact]: (a / b) * c => (a * c) / b");
    row("rounding is not exact", "rule r [exact]: (a + b) + c => a + (b + c)");
    row("a failure is dropped", "rule r [exact]: size(build(n, \\x. b)) => n");
    row("wrong arm", "rule r [exact]: if(p, a, b) => if(p, b, a)");
    row("wrong alternate", "pattern Half(x) = x / 2\npattern Half(x) = x - 2\nrule r [domain]: Half(x) => x * 0.5");
    row("a bound that is far away", "rule t [exact]: max(a, -1000000000.0) => a");
    row("a bound that is far away, over the reals", "rule t [real-only]: max(a, -1000000000.0) => a");
    row("overflow is not exact", "rule t [exact]: (a * 2) / 2 => a where a.type == Float");
    row("a logarithm loses its value", "rule r [domain]: log(a * b) => log(a) + log(b)");
    row("a root loses its value", "rule r [domain]: sqrt(a * b) => sqrt(a) * sqrt(b)");
    row("a root forgets the sign", "rule r [domain]: sqrt(a * a) => a");
    row("a constant one off", "rule r [real-only]: if(gt(a, 41.0), b, c) => if(gt(a, 42.0), b, c)");
    row("what may fail leaves a loop that does not run",
        "rule r [domain]: build(n, \\x. c) => constVec(n, c) where x not in c");
    row("loops change places, and one may never run",
        "rule r [domain]: build(n, \\y. sumbuild(m, \\x. e)) => sumbuild(m, \\x. build(n, \\y. e)) where y not in m");
    row("a difference of Integers wraps around", "rule r [exact]: gt(a - b, 0) => gt(a, b)  where a.type == Integer");
    row("a product of Integers wraps around", "rule r [exact]: a * 2 / 2 => a  where a.type == Integer");
    row("no Integer is the largest", "rule r [domain]: gt(a + 1, a) => true  where a.type == Integer");
    row("one Integer decides", "rule r [domain]: if(eq(n, 12345), a, b) => b  where n.type == Integer");
    row("one large Integer decides",
        "rule r [domain]: if(eq(n, 123456789), a, b) => b  where n.type == Integer and a.type == Float");
    row("large Integers decide",
        "rule r [domain]: if(gt(n, 1000000), a, b) => b  where n.type == Integer and a.type == Float");
    row("the root of a constant decides",
        "rule r [domain]: if(eq(x * x, 2.25), a, b) => b  where x.type == Float and a.type == Float");
    row("one size decides", "rule r [domain]: if(eq(size(v), 30), 1.0, 0.0) => 0.0  where v.type == Vec(Float)");
    row("the sign of zero is not exact", "rule r [exact]: 0 + a => a  where a.type == Float");
    row("the sign of zero is not NaN", "rule r [exact-but-nan]: 0 + a => a  where a.type == Float");
    row("NaN is not exact", "rule r [exact]: not(gt(a, b)) => lte(a, b)  where a.type == Float");
    row("NaN is no sign of zero", "rule r [exact-but-zero-sign]: not(gt(a, b)) => lte(a, b)  where a.type == Float");
    row("wrong function", "rule r [domain]: F(a..., let x = e in b, c...) => let x = e in b where e.type == Float");
}

void TestRuleSoundness::wrongRulesAreCaught() {
    QFETCH(const QString, rule);
    const std::vector<eval::RuleVerdict> verdicts = test(rule.toStdString(), {.samplesPerRule = 400});
    QCOMPARE(verdicts.size(), std::size_t{1});
    QVERIFY2(verdicts[0].verdict == Verdict::Fail, shown(verdicts[0]).c_str());
    QVERIFY(verdicts[0].counterexample.has_value());
}

void TestRuleSoundness::rightRulesPass_data() {
    QTest::addColumn<QString>("rule");
    const auto row = [](const char* name, const char* rule) { QTest::newRow(name) << QString::fromUtf8(rule); };
    row("loops change places",
        "rule r [domain]: sumbuild(m, \\x. build(n, \\y. e)) <=> build(n, \\y. sumbuild(m, \\x. e)) "
        "where x not in n and y not in m and m.is_positive");
    row("transposed twice",
        "rule r [domain]: index(i, index(j, build(n, \\x. build(m, \\y. e)))) => "
        "let x = j in let y = i in e where x not in m");
    row("folded", "rule r [exact]: c + d => const(c + d) where c.is_const and d.is_const");
    row("exp and log", "rule r [domain]: exp(log(a)) => a");
    row("logarithms of what is positive", "rule r [domain]: log(a * b) => log(a) + log(b) where a.is_positive");
    row("roots of what is not negative",
        "rule r [domain]: sqrt(a * b) => sqrt(a) * sqrt(b) where a.is_nonnegative and b.is_nonnegative");
    row("exact but for the sign of zero", "rule r [exact-but-zero-sign]: 0 + a => a");
    row("exact but for NaN", "rule r [exact-but-nan]: not(gt(a, b)) => lte(a, b)  where a.type == Float");
    row("Integers wrap around on both sides", "rule r [domain]: (a + b) - b => a  where a.type == Integer");
    row("overflow is no difference over the reals", "rule r [real-only]: (a * 2) / 2 => a where a.type == Float");
    row("alternates", "pattern Neg(x) = -x\npattern Neg(x) = 0 - x\nrule r [domain]: Neg(x) => -1 * x");
}

void TestRuleSoundness::rightRulesPass() {
    QFETCH(const QString, rule);
    for (const eval::RuleVerdict& v : test(rule.toStdString())) {
        QVERIFY2(v.verdict == Verdict::Pass, shown(v).c_str());
        QVERIFY(v.samples >= 5);
    }
}

void TestRuleSoundness::theWorstDifferenceIsSaid() {
    const auto difference = [](const char* rule) { return std::string(eval::toString(test(rule).at(0).difference)); };
    QCOMPARE(difference("rule r [exact]: a + b => b + a"), std::string());
    QCOMPARE(difference("rule r [exact]: (a * 2) / 2 => a where a.type == Float"), std::string("real-only"));
    QCOMPARE(difference("rule r [exact]: 0 + a => a where a.type == Float"), std::string("zero-sign"));
    QCOMPARE(difference("rule r [exact]: not(gt(a, b)) => lte(a, b) where a.type == Float"), std::string("nan"));
    QCOMPARE(difference("rule r [exact]: a * 2 / 2 => a where a.type == Integer"), std::string("different"));
    QCOMPARE(difference("rule r [real-only]: (a * 2) / 2 => a where a.type == Float"), std::string("real-only"));
    QCOMPARE(difference("rule r [real-only]: (a + b) - b => a where a.type == Float"), std::string("real-only"));
    QCOMPARE(difference("rule r [domain]: log(a * b) => log(a) + log(b)"), std::string("domain"));
    QCOMPARE(difference("rule r [real-only]: max(a, -1000000000.0) => a"), std::string("different"));
    QCOMPARE(difference("rule r [exact]: size(build(n, \\x. b)) => n"), std::string("defines"));
}

void TestRuleSoundness::counterexamplesAreSmall_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* rule, const char* expected) {
        QTest::newRow(name) << QString::fromUtf8(rule) << QString::fromUtf8(expected);
    };
    row("arithmetic", "rule r [exact]: a - b => b - a", "(sub 0 1) = -1, but (sub 1 0) = 1");
    row("constants", "rule r [exact]: a / 2 => a * 2  where a.type == Float",
        "(div 1.0 2.0) = 0.5, but (mul 1.0 2.0) = 2.0");
    row("only one number is wrong", "rule r [domain]: a * a => a + a", "(mul 1 1) = 1, but (add 1 1) = 2");
    row("let capture",
        "rule r [domain]: let x = e in let y = d in body => let y = d[x := e] in let x = d[x := e] in body where "
        "e.type == Float and d.type == Float",
        "(let (x 1.0) (let (x_1 0.0) x)) = 1.0, but (let (y 0.0) (let (y_1 0.0) y_1)) = 0.0");
    row("let, one binder is lost", "rule r [domain]: let x = e in let y = d in body => let x = e in body[y := x]",
        "(let (x 0.0) (let (y 1.0) y)) = 1.0, but (let (y 0.0) y) = 0.0");
    row("build index", "rule r [domain]: index(i, build(n, \\x. b)) => b[x := n]",
        "(index 0 (build 1 (lam i i))) = 0, but 1 = 1");
    row("build size", "rule r [domain]: size(build(n, \\x. b)) => n + 1",
        "(size (build 0 (lam x 0))) = 0, but (add 0 1) = 1");
    row("tuple", "rule r [exact]: tuple(a, b).0 => b", "(get$1$2 (tuple 1 0)) = 1, but 0 = 0");
    row("tuple, any length", "rule r [exact]: tuple(a..., e, b...) => tuple(a..., b..., e)",
        "(tuple 0.0 1.0) = (0.0, 1.0), but (tuple 1.0 0.0) = (1.0, 0.0)");
    row("if", "rule r [exact]: if(p, a, b) => if(p, b, a)", "(if false 0 1) = 1, but (if false 1 0) = 0");
    row("if, the condition", "rule r [exact]: if(p, true, q) => p", "(if false true true) = true, but false = false");
    row("sumbuild, side condition", "rule r [domain]: sumbuild(n, \\x. a * b) => a[x := 0] * sumbuild(n, \\x. b)",
        "(sumbuild 2 (lam x (mul x x))) = 1, but (mul 0 (sumbuild 2 (lam x x))) = 0");
    row("sumbuild, place in the loop",
        "rule r [domain]: sumbuild(n, \\x. deltaVec(m, i, v)) => deltaVec(m, i[x := 0], sumbuild(n, \\x. v)) where x "
        "not in m",
        "(sumbuild 2 (lam x (deltaVec 1 x x))) = [0], but (deltaVec 1 0 (sumbuild 2 (lam x x))) = [1]");
    row("loops change places",
        "rule r [domain]: build(n, \\x. build(m, \\y. e)) => build(m, \\y. build(n, \\x. e)) where x not in m",
        "(build 1 (lam x (build 0 (lam y 0)))) = [[]], but (build 0 (lam y (build 1 (lam y_1 0)))) = []");
    row("function variable", "rule r [domain]: F(a..., let x = e in b, c...) => let x = e in b",
        "(exp (let (t 0.0) t)) = 1.0, but (let (t 0.0) t) = 0.0");
    row("a loop over a condition",
        "rule r [domain]: sumbuild(n, \\i. if(p, a, b)) => if(p[i := 0], sumbuild(n, \\i. a), sumbuild(n, \\i. b))",
        "(sumbuild 2 (lam i (if (ne i 0) 0.0 1.0))) = 1.0, but (if (ne 0 0) (sumbuild 2 (lam i 0.0)) (sumbuild 2 (lam "
        "i 1.0))) = 2.0");
    row("a loop that copies", "rule r [domain]: build(n, \\i. index(i, v)) => v  where i not in v",
        "(build 0 (lam i (index i v))) = [], but v = [0.0] where v = [0.0]");
    row("conditions change places", "rule r [exact]: if(p, if(q, a, b), c) => if(q, if(p, a, c), b)",
        "(if false (if false 0 0) 1) = 1, but (if false (if false 0 1) 0) = 0");
    row("sums of tuples", "rule r [exact]: (a, b) + (c, d) => (a + c, b + c)",
        "(add (tuple 0 0) (tuple 0 1)) = (0, 1), but (tuple (add 0 0) (add 0 0)) = (0, 0)");
    row("an element of a condition", "rule r [exact]: (if(p, a, b)).0 => if(p, a.0, b.1)",
        "(get$1$2 (if false (tuple 0 0) (tuple 0 1))) = 0, but (if false (get$1$2 (tuple 0 0)) (get$2$2 (tuple 0 1))) "
        "= "
        "1");
    row("an element of a mapped vector", "rule r [domain]: index(i, map(\\x. e, v)) => e[x := index(0, v)]",
        "(index 1 (map (lam x x) v)) = 0.0, but (index 0 v) = 1.0 where v = [1.0, 0.0]");
    row("a sum of deltas", "rule r [domain]: sumbuild(n, \\i. deltaVec(n, i, a)) => build(n, \\i. a + a)",
        "(sumbuild 1 (lam i (deltaVec 1 i 1))) = [1], but (build 1 (lam i (add 1 1))) = [2]");
    row("any unary operator", "rule r [exact]: F(if(p, a, b)) => if(p, F(a), a)  where F: unary_pointwise",
        "(cos (if false 0.0 0.0)) = 1.0, but (if false (cos 0.0) 0.0) = 0.0");
    row("a recursive pattern",
        "pattern Chain(x, F) = F(Chain(x, F))\npattern Chain(x, F) = F(x)\nrule r [domain]: Chain(x, F) => F(x)",
        "(neg (neg 1)) = 1, but (neg 1) = -1");
    row("a match constraint", "rule r [exact]: if(p, a, a) => b  with local b, a <= b + 1",
        "(if false (add 0.0 1.0) (add 0.0 1.0)) = 1.0, but 0.0 = 0.0");
    row("linear map", "rule r [domain]: lmCompose(f, g) => lmAdd(f, g)",
        "(lmApply (lmCompose (lmOne 0.0) (lmOne 0.0)) 1.0) = 1.0, but (lmApply (lmAdd (lmOne 0.0) (lmOne 0.0)) 1.0) = "
        "2.0");
}

void TestRuleSoundness::counterexamplesAreSmall() {
    QFETCH(const QString, rule);
    QFETCH(const QString, expected);
    const std::vector<eval::RuleVerdict> verdicts = test(rule.toStdString());
    QVERIFY2(verdicts.at(0).counterexample.has_value(), shown(verdicts.at(0)).c_str());
    QCOMPARE(QString::fromStdString(verdicts[0].counterexample->toString()), expected);
}

void TestRuleSoundness::limits() {
    // Of several roots each is tested that determines its rewrite alone.
    const auto several = test("rule r: exp(a), log(b) => exp(a + 0.0 * b), 0.0 + log(b)");
    QCOMPARE(several.size(), std::size_t{2});
    QCOMPARE(several.at(0).name, std::string("r.0"));
    QCOMPARE(several.at(0).verdict, Verdict::Untested);
    QCOMPARE(several.at(0).note, std::string("only the other roots determine b"));
    QVERIFY2(several.at(1).name == "r.1" && several.at(1).verdict == Verdict::Pass, shown(several.at(1)).c_str());
    const auto wrong = test("rule r: exp(a), log(b) => exp(a), log(0.0 + b * 2.0)");
    QVERIFY2(wrong.at(1).verdict == Verdict::Fail, shown(wrong.at(1)).c_str());
    // What cannot be evaluated is not said to pass; nor is what never changes anything.
    const auto declared = test("op foo(x)\nrule r: foo(foo(x)) => foo(x)");
    QCOMPARE(declared.at(0).verdict, Verdict::Untested);
    QCOMPARE(declared.at(0).note, std::string("foo is declared in a rule file: it has no value to compare"));
    const auto nothing = test("rule r: a + b => a + b");
    QCOMPARE(nothing.at(0).verdict, Verdict::Untested);
    // A match that leaves a variable open.
    const auto open = test("pattern P(x, y) = exp(x)\npattern P(x, y) = y\nrule r: P(x, y) => y + 1 - 1");
    QCOMPARE(open.at(0).verdict, Verdict::Fail);
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = test("rule r: a + b => b + a", {.stop = stop.get_token()});
    QCOMPARE(stopped.at(0).verdict, Verdict::Untested);
    QCOMPARE(stopped.at(0).note, std::string("stopped"));
    const auto late =
        test("rule r: a + b => b + a\nrule s: a - b => b - a", {.samplesPerRule = 1'000'000, .seconds = 0.2});
    QCOMPARE(late.size(), std::size_t{2});
    QVERIFY(late[0].seconds < 5.0);
}

MITOS_TEST(TestRuleSoundness)

}  // namespace tst_rule_soundness

#include "tst_rule_soundness.moc"
