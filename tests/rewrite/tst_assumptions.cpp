// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that need a sign: applied where it is known, or assumed where the user allows it, and then said.
#include "core/rewrite/assumptions.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/verify.h"
#include "tests/rewrite/programs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_assumptions {

using namespace mitos;
using test::qt;

class TestAssumptions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rulesApplyWhereTheSignIsKnown_data();
    void rulesApplyWhereTheSignIsKnown();
    void whatIsAssumedIsSaid();
    void withoutThemTheThreadIsWrong();
    void aBookIsTurned();
};

namespace {

rules::RuleBook logBook(rules::Assumptions assumptions) {
    Result<rules::RuleBook> loaded = rules::RuleBook::load("ks-log-exp", ks::makeRegistry(), assumptions);
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return *std::move(loaded);
}

/// The first rewrite of the rule, as a thread; empty: there is none.
rewrite::Thread threadOf(ir::TermBank& bank, const ir::Program& program, const rules::RuleBook& book,
                         const std::string& rule) {
    rewrite::Thread thread{program, {}, {}};
    for (const rewrite::Rewrite& each : rewrite::Rewriter(bank, {book.find(rule)}).all(program.root)) {
        thread.steps.push_back(each.step);
        thread.states.push_back(each.result);
        break;
    }
    return thread;
}

}  // namespace

void TestAssumptions::rulesApplyWhereTheSignIsKnown_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<bool>("applies");
    QTest::newRow("nothing is known") << "(log (mul x y))" << false;
    QTest::newRow("a square") << "(log (mul (add x 3.0) (add x 3.0)))" << false;
    QTest::newRow("the first factor") << "(log (mul (exp x) y))" << true;
    QTest::newRow("the second factor") << "(log (mul x 2.0))" << true;
    QTest::newRow("a negative factor") << "(log (mul x -2.0))" << false;
    QTest::newRow("a sum") << "(log (mul x (add 1.0 (mul y y))))" << true;
}

void TestAssumptions::rulesApplyWhereTheSignIsKnown() {
    QFETCH(const QString, program);
    QFETCH(const bool, applies);
    ir::TermBank bank(ks::makeRegistry());
    const ir::Program start = test::parse(bank, program.toStdString());
    const rules::RuleBook book = logBook(rules::Assumptions::Forbidden);
    rewrite::Thread thread = threadOf(bank, start, book, "log_of_mul");
    QCOMPARE(!thread.steps.empty(), applies);
    if (!applies) return;
    QVERIFY(rewrite::assumptionsOf(bank, thread).empty());
    QVERIFY(rewrite::check(bank, thread).valid);
}

void TestAssumptions::whatIsAssumedIsSaid() {
    ir::TermBank bank(ks::makeRegistry());
    const ir::Program start = test::parse(bank, "(let (t (add x 3.0)) (log (mul (add x 3.0) t)))");
    const rules::RuleBook book = logBook(rules::Assumptions::Allowed);
    const rewrite::Thread thread = threadOf(bank, start, book, "log_of_mul");
    QCOMPARE(thread.steps.size(), std::size_t{1});
    QVERIFY(rewrite::check(bank, thread).valid);
    const std::vector<rewrite::Assumption> assumed = rewrite::assumptionsOf(bank, thread);
    QCOMPARE(assumed.size(), std::size_t{1});
    QCOMPARE(qt(assumed.front().text), QStringLiteral("x + 3 > 0"));
    QCOMPARE(assumed.front().step, std::size_t{1});
    QCOMPARE(qt(assumed.front().rule), QStringLiteral("log_of_mul"));
    QVERIFY(thread.steps.front().rule->rule().soundness != rules::Soundness::Exact);
    // The values are the same where it is true, and only there.
    eval::EquivalenceOptions options;
    const Result<eval::Equivalence> anywhere = rewrite::compareEnds(bank, thread, options);
    QVERIFY(anywhere.ok() && !anywhere->equivalent);
    options.assumptions = rewrite::signsOf(bank, assumed);
    const Result<eval::Equivalence> there = rewrite::compareEnds(bank, thread, options);
    QVERIFY2(there.ok() && there->equivalent, there ? there->counterexample.c_str() : "");
    QCOMPARE(qt(rewrite::infixText(bank, start.root, {})), QStringLiteral("let(x + 3, t: log((x + 3) * t))"));
    // What is known to be negative is not assumed to be positive.
    const ir::Program negative = test::parse(bank, "(log (mul (neg (exp x)) (neg (exp x))))");
    QVERIFY(threadOf(bank, negative, book, "log_of_mul").steps.empty());
}

void TestAssumptions::withoutThemTheThreadIsWrong() {
    ir::TermBank bank(ks::makeRegistry());
    const ir::Program start = test::parse(bank, "(log (mul x y))");
    rewrite::Thread thread = threadOf(bank, start, logBook(rules::Assumptions::Allowed), "log_of_mul");
    QCOMPARE(thread.steps.size(), std::size_t{1});
    thread.steps.front().rule = logBook(rules::Assumptions::Forbidden).find("log_of_mul");
    const rewrite::ThreadReport report = rewrite::check(bank, thread);
    QVERIFY(!report.valid);
    QVERIFY2(qt(report.reason).contains(QStringLiteral("the condition of log_of_mul does not hold")),
             report.reason.c_str());
}

/// Nothing is read again: the rules are those that were loaded.
void TestAssumptions::aBookIsTurned() {
    ir::TermBank bank(ks::makeRegistry());
    const ir::Program start = test::parse(bank, "(log (mul x y))");
    const rules::RuleBook strict = logBook(rules::Assumptions::Forbidden);
    const rules::RuleBook assuming = strict.with(rules::Assumptions::Allowed);
    QCOMPARE(assuming.assumptions(), rules::Assumptions::Allowed);
    QCOMPARE(assuming.directions().size(), strict.directions().size());
    QVERIFY(threadOf(bank, start, strict, "log_of_mul").steps.empty());
    const rewrite::Thread thread = threadOf(bank, start, assuming, "log_of_mul");
    QCOMPARE(rewrite::assumptionTexts(bank, start.root, thread.steps.at(0)), (std::vector<std::string>{"x > 0"}));
    QVERIFY(threadOf(bank, start, assuming.with(rules::Assumptions::Forbidden), "log_of_mul").steps.empty());
}

MITOS_TEST(TestAssumptions)

}  // namespace tst_assumptions

#include "tst_assumptions.moc"
