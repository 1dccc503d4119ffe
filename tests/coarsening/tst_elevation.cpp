// SPDX-License-Identifier: GPL-3.0-or-later
// Closed forms of loops as threads of rule steps: the forms chosen, their values against the plain loops, replay by the checker.
#include "core/base/random.h"
#include "core/rewrite/verify.h"
#include "tests/coarsening/elevated.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

namespace tst_elevation {

using namespace mitos;
using namespace mitos::tests;

class TestElevation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void closesLoops_data();
    void closesLoops();
    void keepsLoops_data();
    void keepsLoops();
    void hoistsSumsOutOfLoops();
    void aMissingRuleIsAnError();
    void closesLoopsWithExits();
    void keepsLoopsWithExits_data();
    void keepsLoopsWithExits();
    void computesNamedLoopsOnce_data();
    void computesNamedLoopsOnce();
    void randomRecurrences();
};

/// The values are those of the plain loops at n = 1, 2, 3 and 5, a = 0.9 and v = [0.5, -1.25, 2.0, 0.75, -0.5].
void TestElevation::closesLoops_data() {
    QTest::addColumn<QString>("step");
    QTest::addColumn<QString>("rules");
    QTest::addColumn<QList<double>>("expected");
    const auto row = [](const char* name, const char* step, const char* rules, const QList<double>& expected) {
        QTest::newRow(name) << QString::fromUtf8(step) << QString::fromUtf8(rules) << expected;
    };
    row("C6", "(add 0.25 (mul (get$1$2 p) a))", "loop_of_affine geometric_sum", {1.6, 1.69, 1.771, 1.90951});
    row("C6 in a difference of products", "(sub (mul 2.0 (get$1$2 p)) (mul (sub (get$1$2 p) 0.5) (sub 2.0 a)))",
        "loop_of_affine geometric_sum", {1.9, 2.26, 2.584, 3.13804});
    row("C6 by lets", "(let (s (get$1$2 p)) (let (t (mul s a)) (add t 0.25)))", "loop_of_affine geometric_sum",
        {1.6, 1.69, 1.771, 1.90951});
    row("a = 1", "(add (get$1$2 p) (mul a a))", "loop_of_sum", {2.31, 3.12, 3.93, 5.55});
    row("b = 0", "(neg (mul (get$1$2 p) a))", "loop_of_product", {-1.35, 1.215, -1.0935, -0.885735});
    row("C7", "(add (mul a (get$1$2 p)) (index (get$2$2 p) v))", "loop_of_indexed_affine",
        {1.85, 0.415, 2.3735, 2.097535});
    row("C7, a = 1", "(add (index (get$2$2 p) v) (get$1$2 p))", "loop_of_indexed_sum", {2.0, 0.75, 2.75, 3.0});
    row("C7 with the index in a sum",
        "(add (get$1$2 p) (sumbuild n (lam (i : Integer) (mul (index i v) (to_float (get$2$2 p))))))",
        "loop_of_indexed_sum", {1.5, 0.75, 5.25, 16.5});
    row("C8, b = 0", "(mul (index (get$2$2 p) v) (get$1$2 p))", "loop_of_indexed_product",
        {0.75, -0.9375, -1.875, 0.703125});
    row("C9", "(mul a (pow (get$1$2 p) 2))", "loop_of_power",
        {2.025, 3.6905625, 12.258226409765625, 16460.31274029763});
    row("a state that does not change", "(exp a)", "loop_invariant",
        {2.45960311115695, 2.45960311115695, 2.45960311115695, 2.45960311115695});
    row("a choice of steps", "(if (gt a 0.5) (mul a (get$1$2 p)) (add (get$1$2 p) 1.0))",
        "loop_of_affine geometric_sum", {1.35, 1.215, 1.0935, 0.885735});
}

void TestElevation::closesLoops() {
    QFETCH(const QString, step);
    QFETCH(const QString, rules);
    QFETCH(const QList<double>, expected);
    Elevated loop(loopOf(step.toStdString()));
    const rewrite::Thread thread = loop.thread();
    QCOMPARE(QString::fromStdString(fmt::format("{}", fmt::join(Elevated::rulesOf(thread), " "))), rules);
    const rewrite::ThreadReport report = rewrite::check(loop.bank(), thread);
    QVERIFY2(report.valid, report.reason.c_str());
    constexpr std::array Trips{"1", "2", "3", "5"};
    for (std::size_t i = 0; i < Trips.size(); ++i) {
        const double value =
            loop.value(thread.start.function, thread.end().root, {Trips.at(i), "0.9", "[0.5, -1.25, 2.0, 0.75, -0.5]"});
        const double wanted = expected[static_cast<qsizetype>(i)];
        QVERIFY2(std::abs(value - wanted) <= 1e-13 * std::abs(wanted),
                 fmt::format("n = {}: {} instead of {}", Trips.at(i), value, wanted).c_str());
    }
    QCOMPARE(loop.value(thread.start.function, thread.end().root, {"0", "0.9", "[]"}), 1.5);
}

void TestElevation::keepsLoops_data() {
    QTest::addColumn<QString>("step");
    QTest::newRow("not linear") << QStringLiteral("(sin (get$1$2 p))");
    QTest::newRow("quadratic") << QStringLiteral("(mul (get$1$2 p) (get$1$2 p))");
    QTest::newRow("a divisor") << QStringLiteral("(div a (get$1$2 p))");
    QTest::newRow("factor and summand depend on the index")
        << QStringLiteral("(add (mul (index (get$2$2 p) v) (get$1$2 p)) (to_float (get$2$2 p)))");
    QTest::newRow("a choice by the state") << QStringLiteral("(if (gt (get$1$2 p) 1.0) (mul a (get$1$2 p)) 1.0)");
    QTest::newRow("an index in one branch")
        << QStringLiteral("(add (get$1$2 p) (if (gt a 0.5) (index (get$2$2 p) v) 0.0))");
}

void TestElevation::keepsLoops() {
    QFETCH(const QString, step);
    Elevated loop(loopOf(step.toStdString()));
    const rewrite::Thread thread = loop.thread();
    QCOMPARE(thread.steps.size(), std::size_t{0});
    QCOMPARE(thread.end().root, loop.program().root);
}

/// The sums over the data do not depend on the state, so the loop runs no more: the cost is O(n + m) instead of O(n m).
void TestElevation::hoistsSumsOutOfLoops() {
    Elevated loop(
        loopOf("(add (get$1$2 p) (mul a (sumbuild (size v) (lam (i : Integer) (mul (index i v) (sub 1.0 (mul "
               "(index i v) (get$1$2 p))))))))",
               "0.0"));
    const rewrite::Thread thread = loop.thread();
    QCOMPARE(
        loop.text(thread.end().root),
        std::string("(if (gt n 0) (let (q (add 1.0 (mul a (sumbuild (size v) (lam i (mul (index i v) (neg (index i "
                    "v)))))))) (mul (if (gt (abs (sub q 1.0)) 0.01) (div (sub (pow q n) 1.0) (sub q 1.0)) "
                    "(sumbuild n (lam i (pow q i)))) (mul a (sumbuild (size v) (lam i (index i v)))))) 0.0)"));
    const std::string values = rewrite::writeThread(loop.bank(), thread);
    const Result<rewrite::Replay> replay =
        rewrite::readThread(loop.bank(), SourceText("t.thread", values), elevationRules().book());
    QVERIFY(replay.ok());
    QVERIFY(replay->report.valid);
    QCOMPARE(replay->thread.end().root, thread.end().root);
}

/// The sums are computed before the loop, which then only counts the iterations.
void TestElevation::closesLoopsWithExits() {
    Elevated loop(
        "(def f Float ((n : Integer) (v : Vec Float)) (let (r (loop n 0.0 (lam (p : (Tuple Integer Float)) (let (w "
        "(get$2$2 "
        "p)) (let (d (sumbuild (size v) (lam (i : Integer) (mul (index i v) (sub 1.0 w))))) (if (lt d 0.1) (tuple true "
        "w) (if "
        "(gt w 9.0) (tuple true w) (tuple false (add w (mul 0.5 d))))))))))"
        " (get$2$2 r)))");
    const rewrite::Thread thread = loop.thread();
    QCOMPARE(loop.text(thread.end().root),
             std::string(
                 "(let (x (if (gt n 0) (sumbuild (size v) (lam i (mul (index i v) -1.0))) 0.0)) (let (x_1 (if (gt n 0) "
                 "(sumbuild (size v) (lam i (index i v))) 0.0)) (let (k (get$1$2 (loop n 0.0 (lam p (if (or (lt (add "
                 "(mul x (get$2$2 p)) x_1) 0.1) (gt (get$2$2 p) 9.0)) (tuple true (get$2$2 p)) (tuple false (add "
                 "(get$2$2 p) (mul 0.5 (add (mul x (get$2$2 p)) x_1))))))))) (if (gt k 0) (let (q (add 1.0 (mul 0.5 "
                 "x))) (mul (if (gt (abs (sub q 1.0)) 0.01) (div (sub (pow q k) 1.0) (sub q 1.0)) (sumbuild k (lam i "
                 "(pow q i)))) (mul 0.5 x_1))) 0.0))))"));
    // w = 0.25, 0.4375, ... from a sum of 0.5: 1 - 0.75^k, until 0.5 * 0.75^k < 0.1 at k = 6.
    QCOMPARE(loop.value(thread.start.function, thread.end().root, {"3", "[0.25, 0.25]"}), 0.578125);
    QCOMPARE(loop.value(thread.start.function, thread.end().root, {"100", "[0.25, 0.25]"}), 0.822021484375);
    QCOMPARE(loop.value(thread.start.function, thread.end().root, {"0", "[]"}), 0.0);
    const std::string text = rewrite::writeThread(loop.bank(), thread);
    const Result<rewrite::Replay> replay =
        rewrite::readThread(loop.bank(), SourceText("t.thread", text), elevationRules().book());
    QVERIFY2(replay.ok(), replay ? "" : replay.error().render().c_str());
    QVERIFY2(replay->report.valid, replay->report.reason.c_str());
    QCOMPARE(replay->thread.end().root, thread.end().root);
}

void TestElevation::keepsLoopsWithExits_data() {
    QTest::addColumn<QString>("step");
    QTest::newRow("not linear") << QStringLiteral("(if (lt w 0.1) (tuple true w) (tuple false (mul a (sin w))))");
    QTest::newRow("an exit that changes the state")
        << QStringLiteral("(if (lt w 0.1) (tuple true (add w 1.0)) (tuple false (mul a w)))");
    QTest::newRow("done is computed") << QStringLiteral("(tuple (lt w 0.1) (mul a w))");
}

void TestElevation::keepsLoopsWithExits() {
    QFETCH(const QString, step);
    Elevated loop(
        "(def f Float ((n : Integer) (a : Float)) (get$2$2 (loop n 1.5 (lam (p : (Tuple Integer Float)) (let (w "
        "(get$2$2 p)) (let (b (mul w w)) " +
        step.toStdString() + "))))))");
    const rewrite::Thread thread = loop.thread();
    QVERIFY(Elevated::rulesOf(thread).empty());
    QVERIFY(rewrite::check(loop.bank(), thread).valid);
}

/// A loop that is bound by a let is not computed again at each use, and above all not in each iteration of another loop.
void TestElevation::computesNamedLoopsOnce_data() {
    QTest::addColumn<QString>("next");
    QTest::addColumn<QString>("rest");
    const QString inSum = QStringLiteral("(sumbuild (size v) (lam (i : Integer) (mul (get$2$2 r) (index i v))))");
    QTest::newRow("not linear") << QStringLiteral("(sin (get$2$2 p))")
                                << QStringLiteral("(mul (get$2$2 r) (exp (get$2$2 r)))");
    QTest::newRow("not linear, in a sum") << QStringLiteral("(sin (get$2$2 p))") << inSum;
    QTest::newRow("linear, in a sum") << QStringLiteral("(add (mul 0.5 (get$2$2 p)) 1.0)") << inSum;
}

void TestElevation::computesNamedLoopsOnce() {
    QFETCH(const QString, next);
    QFETCH(const QString, rest);
    Elevated named(
        "(def f Float ((n : Integer) (v : Vec Float)) (let (r (loop n 1.5 (lam (p : (Tuple Integer Float)) (if (gt "
        "(get$2$2 p) 9.0) (tuple true (get$2$2 p)) (tuple false " +
        next.toStdString() + "))))) " + rest.toStdString() + "))");
    QCOMPARE(QString::fromStdString(named.text(named.thread().end().root)),
             QString::fromStdString(named.text(named.program().root)));
}

namespace {

/// A random term that is linear in the state p.0, and may mention the index p.1 in its summands.
std::string linearStep(Random& random, int budget) {
    const auto invariant = [&] {
        constexpr std::array Terms{"a", "0.5", "(sin a)", "(index 0 v)", "1.0", "-0.25"};
        return std::string(Terms.at(random.below(Terms.size())));
    };
    const auto summand = [&] { return random.chance(0.3) ? std::string("(index (get$2$2 p) v)") : invariant(); };
    if (budget == 0) return "(get$1$2 p)";
    const std::string inner = linearStep(random, budget - 1);
    switch (random.below(8)) {
        case 0: return fmt::format("(add {} {})", inner, summand());
        case 1: return fmt::format("(add {} {})", summand(), inner);
        case 2: return fmt::format("(sub {} {})", inner, summand());
        case 3: return fmt::format("(sub {} {})", summand(), inner);
        case 4: return fmt::format("(mul {} {})", inner, invariant());
        case 5: return fmt::format("(neg {})", inner);
        case 6: return fmt::format("(let (t {}) (div t (add 1.5 a)))", inner);
        default: return fmt::format("(sumbuild 3 (lam (i : Integer) (mul (to_float i) {})))", inner);
    }
}

}  // namespace

void TestElevation::aMissingRuleIsAnError() {
    const Result<rules::RuleBook> book = rules::RuleBook::load("ks-all", dialects::makeRegistry());
    QVERIFY(book.ok());
    const Result<coarsening::ElevationRules> rules = coarsening::ElevationRules::in(*book);
    QVERIFY(!rules.ok());
    QCOMPARE(rules.error().message,
             std::string("the rule affine_of_add, by which loops become closed forms, is not in ks-all"));
}

void TestElevation::randomRecurrences() {
    int closed = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        Elevated loop(loopOf(linearStep(random, 4)));
        const rewrite::Thread thread = loop.thread();
        QCOMPARE(coarsening::symbolicForm(loop.bank(), loop.program(), elevationRules()), thread.end().root);
        closed += thread.steps.empty() ? 0 : 1;
        const rewrite::ThreadReport report = rewrite::check(loop.bank(), thread);
        QVERIFY2(report.valid, report.reason.c_str());
        const std::string a = fmt::format("{}", random.uniform(-1.2, 1.2));
        const std::string v = fmt::format("[{}, {}, {}, {}]", random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                                          random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
        for (const char* const trips : {"0", "1", "4"}) {
            const double before = loop.value(thread.start.function, thread.start.root, {trips, a, v});
            const double after = loop.value(thread.start.function, thread.end().root, {trips, a, v});
            QVERIFY2(std::abs(before - after) <= 1e-11 * std::max(1.0, std::abs(before)),
                     fmt::format("seed {}, n = {}: {} and {}", seed, trips, before, after).c_str());
        }
    }
    QVERIFY2(closed >= 140, std::to_string(closed).c_str());
}

MITOS_TEST(TestElevation)

}  // namespace tst_elevation

#include "tst_elevation.moc"
