// SPDX-License-Identifier: GPL-3.0-or-later
// `rules test`: every shipped rule passes, wrong rules are caught with a counterexample.
#include "core/eval/rule_test.h"
#include "tests/rules/rule_helpers.h"

#include <QtTest/QTest>

#include <QTemporaryDir>
#include <fstream>

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
    if (!book) return {{"", Verdict::Untested, "", 0, book.error().render(), 0.0}};
    return eval::testRules(*book, options);
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
    void counterexamplesAreSmall();
    void limits();
};

void TestRuleSoundness::shippedRulesPass() {
    const Result<rules::RuleBook> book = rules::RuleBook::load("ks-simple,ks-extended,ks-folding,ks-log-exp", registry());
    QVERIFY(book.ok());
    const std::vector<eval::RuleVerdict> verdicts = eval::testRules(*book, {.samplesPerRule = 60, .seed = 7});
    QCOMPARE(verdicts.size(), std::size_t{64});
    for (const eval::RuleVerdict& v : verdicts) {
        const std::string shown =
            v.name + ": " + eval::toString(v.verdict) + " " + std::to_string(v.samples) + " " + v.counterexample;
        QVERIFY2(v.verdict == Verdict::Pass, shown.c_str());
        QVERIFY2(v.samples >= 20, shown.c_str());
    }
    QCOMPARE(verdicts.at(0).name, std::string("add_zero"));
    QCOMPARE(verdicts.at(0).tag, std::string("exact"));
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
    row("wrong function", "rule r [domain]: F(a..., let x = e in b, c...) => let x = e in b where e.type == Float");
}

void TestRuleSoundness::wrongRulesAreCaught() {
    QFETCH(const QString, rule);
    const std::vector<eval::RuleVerdict> verdicts = test(rule.toStdString(), {.samplesPerRule = 400});
    QCOMPARE(verdicts.size(), std::size_t{1});
    QVERIFY2(verdicts[0].verdict == Verdict::Fail, verdicts[0].counterexample.c_str());
    QVERIFY(verdicts[0].counterexample.find(", but ") != std::string::npos);
}

void TestRuleSoundness::rightRulesPass_data() {
    QTest::addColumn<QString>("rule");
    const auto row = [](const char* name, const char* rule) { QTest::newRow(name) << QString::fromUtf8(rule); };
    row("loops change places",
        "rule r [domain]: sumbuild(m, \\x. build(n, \\y. e)) <=> build(n, \\y. sumbuild(m, \\x. e)) "
        "where x not in n and y not in m");
    row("transposed twice",
        "rule r [domain]: index(i, index(j, build(n, \\x. build(m, \\y. e)))) => "
        "let x = j in let y = i in e where x not in m");
    row("folded", "rule r [exact]: c + d => const(c + d) where c.is_const and d.is_const");
    row("exp and log", "rule r [domain]: exp(log(a)) => a");
    row("alternates", "pattern Neg(x) = -x\npattern Neg(x) = 0 - x\nrule r [domain]: Neg(x) => -1 * x");
}

void TestRuleSoundness::rightRulesPass() {
    QFETCH(const QString, rule);
    for (const eval::RuleVerdict& v : test(rule.toStdString())) {
        QVERIFY2(v.verdict == Verdict::Pass, (v.name + ": " + v.counterexample).c_str());
        QVERIFY(v.samples >= 5);
    }
}

void TestRuleSoundness::counterexamplesAreSmall() {
    const std::vector<eval::RuleVerdict> verdicts = test("rule swap [exact]: a - b => b - a");
    QCOMPARE(verdicts.at(0).name, std::string("swap"));
    // Two leaves below one operator: "(sub x 1.0) = -2.5, but (sub 1.0 x) = 2.5 where x = …".
    const std::string& shown = verdicts[0].counterexample;
    QCOMPARE(std::count(shown.begin(), shown.end(), '('), std::ptrdiff_t{2});
    // The same seed finds the same.
    QCOMPARE(test("rule swap [exact]: a - b => b - a").at(0).counterexample, shown);
}

void TestRuleSoundness::limits() {
    const auto several = test("rule r: exp(a), log(a) => exp(a), log(a)");
    QCOMPARE(several.at(0).verdict, Verdict::Untested);
    QCOMPARE(several.at(0).counterexample, std::string("rules with several roots are checked but not matched yet"));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = test("rule r: a + b => b + a", {.stop = stop.get_token()});
    QCOMPARE(stopped.at(0).verdict, Verdict::Untested);
    QCOMPARE(stopped.at(0).counterexample, std::string("stopped"));
    const auto late =
        test("rule r: a + b => b + a\nrule s: a - b => b - a", {.samplesPerRule = 1'000'000, .seconds = 0.2});
    QCOMPARE(late.size(), std::size_t{2});
    QVERIFY(late[0].seconds < 5.0);
}

QTEST_GUILESS_MAIN(TestRuleSoundness)
#include "tst_rule_soundness.moc"
