// SPDX-License-Identifier: GPL-3.0-or-later
// Start terms in both notations.
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/start_term.h"
#include "core/rules/language/term_text.h"
#include "core/rules/rule.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_start_term {

using namespace mitos;

namespace {

/// The term in ks, with the names of the parameters behind it; or the error.
std::string read(const std::string& text) {
    const auto loaded =
        rules::loadRules(SourceText("declared.rules",
                                    "op f(x)\nop g(x, y)\nop a()\nop b()\nop Join[axis](x, y)\nop split(x) -> 2\n"
                                    "rule r: f(x) => x\n"),
                         ks::makeRegistry());
    if (!loaded || !loaded->errors.empty()) return "the rules are wrong";
    ir::TermBank bank(loaded->registry);
    const Result<ir::Program> program = rewrite::readStartTerm(bank, "--term", text);
    if (!program) {
        const Error& error = program.error();
        return "error: " + error.oneLine() + (error.hint.empty() ? "" : " | " + error.hint);
    }
    std::string result = ks::printTerm(bank, program->root, {.width = 0, .compact = true});
    std::string names;
    for (const ir::Parameter& parameter : bank.function(program->function).parameters) {
        names += " " + std::string(bank.text(parameter.name));
    }
    return result + (names.empty() ? "" : " over" + names);
}

}  // namespace

class TestStartTerm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void notations_data();
    void notations();
    void severalInOneBank();
};

void TestStartTerm::notations_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* text, const char* expected) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(expected);
    };
    row("f(f(a()))", "(f (f (a)))");
    row("(f (f (a)))", "(f (f (a)))");
    row("(f (add (a) x))", "(f (add (a) x)) over x");
    row("f(a() + x)", "(f (add (a) x)) over x");
    row("y * (x + 1) - 2", "(sub (mul y (add x 1.0)) 2.0) over y x");
    row("(x + y) * x", "(mul (add x y) x) over x y");
    row("(x - y)", "(sub x y) over x y");
    row("x", "x over x");
    row("a()", "(a)");
    row("g(b(), -x)", "(g (b) (neg x)) over x");
    row("Join[axis=2](x, y)", "(Join$2 x y) over x y");
    row("split(x).1", "(get$2$2 (split x)) over x");
    row("let v = x * x in v + v", "(let (v (mul x x)) (add v v)) over x");
    row("sumbuild(3, \\i. x)", "(sumbuild 3 (lam i x)) over x");
    row("(gt x 0.0)", "(gt x 0.0) over x");
    // What is wrong is said in the notation in which it went further.
    row("f(f(a)", "error: --term:1:7: expected ',' or ')', found the end of the file");
    row("a + f(b())", "error: a is an operator of the rules, not a variable | a constant is written a() or (a)");
    row("(f a)", "error: a is an operator of the rules, not a variable | a constant is written a() or (a)");
    row("", "error");
    row("f(x", "error");
    row("(f (g x)", "error");
    row("nothing(x)", "error");
    row("f(x, y)", "error");
    row("x where x.rank == 2", "error");
    row("F(x)", "error");
    row("x...", "error");
}

void TestStartTerm::notations() {
    QFETCH(const QString, text);
    QFETCH(const QString, expected);
    const QString found = QString::fromStdString(read(text.toStdString()));
    if (expected == QStringLiteral("error")) {
        QVERIFY2(found.startsWith(expected), qPrintable(found));
    } else {
        QCOMPARE(found, expected);
    }
}

void TestStartTerm::severalInOneBank() {
    ir::TermBank bank(ks::makeRegistry());
    const auto first = rewrite::readStartTerm(bank, "1", "x + y");
    const auto second = rewrite::readStartTerm(bank, "2", "(mul x (add x y))");
    const auto third = rewrite::readStartTerm(bank, "3", "x + y");
    QVERIFY(first.ok() && second.ok() && third.ok());
    QCOMPARE(bank.child(second->root, 1), first->root);
    QVERIFY(third->root == first->root);
    const auto term = rules::readTerm(bank, SourceText("4", "x + y"));
    QVERIFY(term.ok() && *term == first->root);
}

MITOS_TEST(TestStartTerm)

}  // namespace tst_start_term

#include "tst_start_term.moc"
