// SPDX-License-Identifier: GPL-3.0-or-later
// The statements of do: what they are read as, what they compute, and the messages for wrong ones.
#include "core/eval/evaluator.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QByteArray>
#include <string>

namespace tst_ks_statements {

using namespace mitos;

namespace {

std::string definition(const std::string& statements, const std::string& result = "Integer") {
    return "(def f " + result + " ((n : Integer) (x : Float)) (do " + statements + "))";
}

/// The body that the statements are read as, on one line, or the message.
std::string read(const std::string& text) {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "f.ks", text);
    return program ? ks::printTerm(bank, program->root, {.width = 0}) : program.error().render();
}

/// The value for n and x = 0.5 in JSON, or the message.
std::string value(const std::string& text, std::int64_t n) {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "f.ks", text);
    if (!program) return program.error().render();
    eval::Inputs inputs;
    inputs.arguments = {eval::Value(n), eval::Value(0.5)};
    const Result<eval::Evaluation> result = eval::evaluate(bank, *program, inputs, {.steps = 100'000});
    return result ? eval::toJson(result->value) : result.error().message;
}

}  // namespace

class TestKsStatements : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areReadAsTerms_data();
    void areReadAsTerms();
    void compute_data();
    void compute();
    void haveMessages_data();
    void haveMessages();
    void stopAtTheLimitOfSteps();
    void doIsStillAName();
};

void TestKsStatements::areReadAsTerms_data() {
    QTest::addColumn<QByteArray>("statements");
    QTest::addColumn<QByteArray>("result");
    QTest::addColumn<QByteArray>("term");
    QTest::newRow("assignment") << QByteArray("(var a x) (set a (mul a a)) (return a)") << QByteArray("Float")
                                << QByteArray("(let (a x) (mul a a))");
    QTest::newRow("branch") << QByteArray("(var a 1) (if (gt n 0) (set a n)) (return (add a a))")
                            << QByteArray("Integer") << QByteArray("(let (a (if (gt n 0) n 1)) (add a a))");
    QTest::newRow("counted loop")
        << QByteArray("(var w 1.0) (var k 0) (while (lt k n) (set w (mul w x)) (set k (add k 1))) (return w)")
        << QByteArray("Float")
        << QByteArray(
               "(let (r (loop n 1.0 (lam (p : (Tuple Integer Float)) (let (w (get$2$2 p)) (tuple false (mul w x)))))) "
               "(get$2$2 r))");
    QTest::newRow("break")
        << QByteArray(
               "(var w 1.0) (var k 0) (while (lt k n) (set k (add k 1)) (if (lt w 0.1) (break)) (set w "
               "(mul w x))) (return w)")
        << QByteArray("Float")
        << QByteArray(
               "(let (r (loop n 1.0 (lam (p : (Tuple Integer Float)) (let (w (get$2$2 p)) (if (lt w "
               "0.1) (tuple true w) (tuple false (mul w x))))))) (get$2$2 r))");
    QTest::newRow("for")
        << QByteArray("(var w 0) (for i n (set w (add w i))) (return w)") << QByteArray("Integer")
        << QByteArray(
               "(fold (lam (q : (Tuple Integer Integer)) (let (i (get$2$2 q)) (let (w (get$1$2 q)) (add w "
               "i)))) 0 (build n (lam (i : Integer) i)))");
}

void TestKsStatements::areReadAsTerms() {
    QFETCH(QByteArray, statements);
    QFETCH(QByteArray, result);
    QFETCH(QByteArray, term);
    QCOMPARE(QByteArray::fromStdString(read(definition(statements.toStdString(), result.toStdString()))), term);
}

void TestKsStatements::compute_data() {
    QTest::addColumn<QByteArray>("statements");
    QTest::addColumn<int>("n");
    QTest::addColumn<QByteArray>("expected");
    const auto counting = [](const char* statements) {
        return QByteArray("(var k 0) (var s 0) (while (lt k n) ") + statements + ") (return (add (mul 1000 s) k))";
    };
    const QByteArray first = counting("(set k (add k 1)) (if (eq k 3) (break)) (set s (add s k))");
    QTest::newRow("counter first, with a break") << first << 10 << QByteArray("3003");
    QTest::newRow("counter first, to the bound") << first << 2 << QByteArray("3002");
    QTest::newRow("counter first, no iteration") << first << -4 << QByteArray("0");
    const QByteArray last = counting("(if (eq k 3) (break)) (set s (add s k)) (set k (add k 1))");
    QTest::newRow("counter last, with a break") << last << 10 << QByteArray("3003");
    QTest::newRow("counter last, to the bound") << last << 3 << QByteArray("3003");
    const QByteArray between =
        counting("(if (eq k 7) (break)) (set k (add k 1)) (set s (add s k)) (if (gt s 9) (break))");
    QTest::newRow("counter between breaks, the second") << between << 10 << QByteArray("10004");
    QTest::newRow("counter between breaks, to the bound") << between << 2 << QByteArray("3002");
    QTest::newRow("from another start")
        << QByteArray(
               "(var k 5) (var s 0) (while (lte k n) (set s (add s k)) (set k (add k 1))) "
               "(return (add (mul 1000 s) k))")
        << 7 << QByteArray("18008");
    QTest::newRow("the limit first") << QByteArray(
                                            "(var k n) (var s 0) (while (gt 4 k) (set s (add s k)) (set k (add k 1))) "
                                            "(return (add (mul 1000 s) k))")
                                     << 2 << QByteArray("5004");
    QTest::newRow("several conditions")
        << QByteArray(
               "(var k 0) (var s 0) (while (and (lt k n) (lt s 9)) (set s (add s k)) (set "
               "k (add k 1))) (return (add (mul 1000 s) k))")
        << 100 << QByteArray("10005");
    QTest::newRow("a bound of its own") << QByteArray(
                                               "(var s 1) (while (lt s n) (bound 5) (set s (mul 2 s))) (return s)")
                                        << 10 << QByteArray("16");
    QTest::newRow("a bound that is reached")
        << QByteArray("(var s 1) (while (lt s n) (bound 5) (set s (mul 2 s))) (return s)") << 1000 << QByteArray("32");
    QTest::newRow("continue") << QByteArray(
                                     "(var s 0) (for i n (if (eq (mul 2 (div i 2)) i) (continue)) (set s (add s i))) "
                                     "(return s)")
                              << 6 << QByteArray("9");
    QTest::newRow("break of for") << QByteArray(
                                         "(var s 0) (for i n (if (gt i 3) (break)) (set s (add s i))) (return s)")
                                  << 100 << QByteArray("6");
    QTest::newRow("nested loops") << QByteArray(
                                         "(var s 0) (for i n (for j i (if (gt j 1) (break)) (set s (add s j))) (set s "
                                         "(add s 10))) (return s)")
                                  << 4 << QByteArray("42");
    QTest::newRow("break in a branch that goes on")
        << QByteArray(
               "(var s 0) (for i n (if (gt i 1) (do (set s (add s 100)) (if "
               "(gt i 2) (break)))) (set s (add s 1))) (return s)")
        << 10 << QByteArray("203");
    QTest::newRow("break and continue in a branch") << QByteArray(
                                                           "(var s 0) (for i n (if (gt i 1) (do (if (gt i 4) (break)) "
                                                           "(if (gt i 2) (continue)) (set s (add s 100)))) "
                                                           "(set s (add s 1))) (return s)")
                                                    << 10 << QByteArray("103");
    QTest::newRow("both branches")
        << QByteArray(
               "(var s 0) (var t 0) (for i n (if (lt i 2) (set s (add s i)) (do (set t (add t "
               "i)) (set s (sub s 1))))) (return (add (mul 1000 t) s))")
        << 4 << QByteArray("4999");
    QTest::newRow("a search") << QByteArray(
                                     "(var k 0) (while (lt k n) (if (gt (mul k k) 50) (break)) (set k (add k 1))) "
                                     "(return k)")
                              << 100 << QByteArray("8");
    QTest::newRow("within an expression")
        << QByteArray("(return (add 1 (do (var a n) (set a (mul a a)) (return a))))") << 3 << QByteArray("10");
}

void TestKsStatements::compute() {
    QFETCH(QByteArray, statements);
    QFETCH(int, n);
    QFETCH(QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(value(definition(statements.toStdString()), n)), expected);
}

void TestKsStatements::haveMessages_data() {
    QTest::addColumn<QByteArray>("statements");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("no return") << QByteArray("(var a 1)") << QByteArray("the last statement of do must return a value");
    QTest::newRow("not declared") << QByteArray("(set a 1) (return 1)") << QByteArray("a is not declared");
    QTest::newRow("parameter") << QByteArray("(set n 1) (return n)")
                               << QByteArray("n is not a variable of this do, so it cannot be assigned");
    QTest::newRow("declared twice") << QByteArray("(var a 1) (var a 2) (return a)")
                                    << QByteArray("a is declared already");
    QTest::newRow("type") << QByteArray("(var a 1) (set a x) (return a)")
                          << QByteArray("a is a Integer, but this is a Float");
    QTest::newRow("break outside") << QByteArray("(break) (return 1)") << QByteArray("break stands outside of a loop");
    QTest::newRow("bound") << QByteArray("(var a 1) (while (lt a n) (set a (mul 2 a))) (return a)")
                           << QByteArray("this loop has no bound");
    QTest::newRow("limit that changes")
        << QByteArray(
               "(var a 1) (var b 9) (while (lt a b) (set a (add a 1)) (set b (sub b 1))) "
               "(return a)")
        << QByteArray("this loop has no bound");
    QTest::newRow("counter behind continue")
        << QByteArray(
               "(var a 1) (var s 0) (while (lt a n) (if (gt a 3) (continue)) (set s "
               "a) (set a (add a 1))) (return s)")
        << QByteArray("this loop has no bound");
    QTest::newRow("not reached") << QByteArray("(var s 0) (for i n (set s 1) (break) (set s 2)) (return s)")
                                 << QByteArray("this is not reached, after break");
    QTest::newRow("return in a loop") << QByteArray("(var s 0) (for i n (set s 1) (return s)) (return s)")
                                      << QByteArray("return can only be the last statement of do");
    QTest::newRow("return in a branch") << QByteArray("(var s 0) (if (gt n 0) (do (set s 1) (return 5))) (return s)")
                                        << QByteArray("return can only be the last statement of do");
    QByteArray exits;
    for (int i = 0; i < 3000; ++i) exits += "(if (eq s 7) (break)) ";
    QTest::newRow("many exits") << QByteArray("(var s 0) (for i n (set s i) ") + exits + ") (return s)"
                                << QByteArray("more than 500 branches and exits");
    QTest::newRow("no effect") << QByteArray("(for i n (var s i)) (return 1)") << QByteArray("this loop has no effect");
    QTest::newRow("no statement") << QByteArray("(add 1 2) (return 1)") << QByteArray("(add 1 2) is not a statement");
    QTest::newRow("condition") << QByteArray("(var s 0) (if n (set s 1)) (return s)")
                               << QByteArray("a condition is a Bool; this is a Integer");
    QTest::newRow("bound's type") << QByteArray("(var s 0) (for i x (set s i)) (return s)")
                                  << QByteArray("the bound of a loop is an Integer; this is a Float");
    QTest::newRow("index") << QByteArray("(var s 0) (for i n (set i 1) (set s 1)) (return s)")
                           << QByteArray("i is not a variable of this do");
}

void TestKsStatements::haveMessages() {
    QFETCH(QByteArray, statements);
    QFETCH(QByteArray, message);
    const QByteArray found = QByteArray::fromStdString(read(definition(statements.toStdString())));
    QVERIFY2(found.contains(message), found.constData());
    QVERIFY2(found.contains("f.ks:1:"), found.constData());
}

void TestKsStatements::stopAtTheLimitOfSteps() {
    const std::string text = definition(
        "(var s 0) (while (gte s 0) (bound 9000000000000000000) (set s (add s 1))) "
        "(return s)");
    const std::string found = value(text, 1);
    QVERIFY2(found.find("100000") != std::string::npos, found.c_str());
}

void TestKsStatements::doIsStillAName() {
    const std::string text = "(def do Float (x : Float) (mul 2.0 x)) (def f Float ((n : Integer) (x : Float)) (do x))";
    QCOMPARE(value(text, 1), std::string("1.0"));
}

MITOS_TEST(TestKsStatements)

}  // namespace tst_ks_statements

#include "tst_ks_statements.moc"
