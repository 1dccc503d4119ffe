// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence about a match, kind by kind, and the marks of the parts of the pattern.
#include "core/ir/dialect.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/matching/explanation.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_match_explanation {

using namespace mitos;
using namespace mitos::tests;

namespace {

const char* const Definitions =
    "use ks\n"
    "op Three(x, y, z)\n"
    "op Many(xs...)\n"
    "pattern Half(x) = x / 2.0\n"
    "pattern Half(x) = x * 0.5\n"
    "pattern Open(x, y) = exp(x)\n";

rules::MatchExplanation explain(const rules::DirectedRule& rule, std::shared_ptr<const ir::OperatorRegistry> operators,
                                const std::string& program, const std::string& position) {
    ir::TermBank bank(std::move(operators));
    const auto parsed = ks::parseProgram(bank, "test.ks", program);
    if (!parsed) qFatal("%s", parsed.error().render().c_str());
    const ir::Path path = *ir::parsePath(position);
    const ir::TermPrinter print = bank.dialect(parsed->function).printerAt(bank, *parsed, path);
    const rules::TermPrinter printer = [&print](ir::TermId id) { return print(id, {.width = 0, .compact = true}); };
    return rules::explainMatch(bank, *parsed, path, rule, {.allMatches = true}, printer).explanation;
}

rules::MatchExplanation explainPattern(const std::string& pattern, const std::string& program,
                                       const std::string& position = "/") {
    const SourceText definitions("definitions.rules", Definitions);
    const auto loaded = rules::loadPattern(SourceText("pattern", pattern), &definitions, registry());
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return explain(*loaded->pattern, loaded->registry, program, position);
}

/// "✓ a * (b + c) | x · f(y)", a line a part, indented by depth; – for parts not reached.
QString parts(const rules::MatchExplanation& explanation) {
    QStringList lines;
    for (const rules::MatchPart& part : explanation.parts) {
        QString line(static_cast<qsizetype>(part.depth) * 2, QLatin1Char(' '));
        line += part.mark == rules::MatchPart::Mark::Matched   ? QStringLiteral("✓ ")
                : part.mark == rules::MatchPart::Mark::Refused ? QStringLiteral("✗ ")
                                                               : QStringLiteral("– ");
        line += QString::fromStdString(part.pattern);
        if (!part.found.empty()) line += QStringLiteral(" | ") + QString::fromStdString(part.found);
        lines << line;
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

class TestMatchExplanation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sentences_data();
    void sentences();
    void aRuleThatMatches();
    void aPositionInsideAProgram();
    void marks();
    void longTermsAreCutOff();
};

void TestMatchExplanation::sentences_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* kind, const char* pattern, const char* program, const char* expected) {
        QTest::newRow(kind) << QString::fromUtf8(pattern) << QString::fromUtf8(program) << QString::fromUtf8(expected);
    };
    row("operator", "a * b + c", "(add (exp x) y)",
        "the pattern does not match here: it needs the product `a * b` at the left of the sum, but there is `exp(x)`.");
    row("operator without a sign", "exp(log(x))", "(exp (sin a))",
        "the pattern does not match here: it needs `log(x)` inside `exp`, but there is `sin(a)`.");
    row("number", "x * 2", "(mul a 3.0)",
        "the pattern does not match here: it needs the number 2 at the right of the product, but there is `3`.");
    row("argument", "Three(x, 1, z)", "(Three a b 1.0)",
        "the pattern does not match here: it needs the number 1 as argument 2 of `Three`, but there is `b`.");
    row("repeated, sides", "a / a", "(div (exp x) y)",
        "the pattern does not match here: the two places of `a` must be equal: left is `exp(x)`, right is `y`.");
    row("repeated, deeper", "a * b + a * c", "(add (mul x y) (mul z y))",
        "the pattern does not match here: the two places of `a` must be equal: the first is `x`, the second is `z`.");
    row("condition false", "x * y where x.is_const and y.is_const", "(mul 2.0 a)",
        "the pattern matches here, but its condition `y.is_const` does not hold: y = `a`.");
    row("condition unknown", "log(x) where x.is_positive", "(log a)",
        "the pattern matches here, but its condition `x.is_positive` is not known to hold: x = `a`.");
    row("condition refuted", "log(x) where x.is_positive", "(log -2.0)",
        "the pattern matches here, but its condition `x.is_positive` does not hold: x = `−2`.");
    row("type", "log(x) where x.type == Integer", "(log a)",
        "the pattern matches here, but its condition `x.type == Integer` does not hold: x = `a` of type Float.");
    row("bound variable", "let v = x in y where v not in y", "(let (t a) (exp t))",
        "the pattern does not match here: `y` must not depend on `t`, but it is `exp(t)`.");
    row("arguments of a function variable", "F(x)", "(mul a b)",
        "the pattern does not match here: `F(x)` needs another number of arguments than `a · b` has.");
    row("operator of a function variable", "F(F(x))", "(exp (log a))",
        "the pattern does not match here: the two places of `F` must have the same operator, but first it is `exp`, "
        "then `log`.");
    row("no operator", "F(x)", "a", "the pattern does not match here: `F` must be an operator, but `a` has none.");
    row("sequence", "F(xs...) * F(xs...)", "(mul (add a b) (add c d))",
        "the pattern does not match here: the two places of `xs...` must have the same arguments: the first has "
        "`a, b`, the second has `c, d`.");
    row("local", "Open(x, y) with local y", "(exp a)",
        "the pattern does not match here: its local variable `y` stands for nothing here.");
    row("alternates", "exp(Half(x))", "(exp (mul a 0.25))",
        "the pattern does not match here: it needs `0.5` at the right of the product, but there is `0.25`.");
}

void TestMatchExplanation::sentences() {
    QFETCH(const QString, pattern);
    QFETCH(const QString, program);
    QFETCH(const QString, expected);
    QCOMPARE(QString::fromStdString(explainPattern(pattern.toStdString(), program.toStdString()).sentence), expected);
}

void TestMatchExplanation::aRuleThatMatches() {
    const auto loaded = load("use ks\nrule out: a * b + a * c => a * (b + c)\nrule twice: x + y => y + x");
    QVERIFY(loaded.ok());
    QCOMPARE(explain(*direction(*loaded, "out"), loaded->registry, "(add (mul x y) (mul x 2.0))", "/").sentence,
             std::string("out matches here with a = `x`, b = `y`, c = `2`; it would become `x · (y + 2)`."));
    // A result that cannot be computed is reported, not shown.
    const auto folding = load("use ks\nrule fold: x / y => const(x.value / y.value) where x.is_const and y.is_const");
    QVERIFY(folding.ok());
    const std::string sentence =
        explain(*direction(*folding, "fold"), folding->registry, "(div 1.0 0.0)", "/").sentence;
    QVERIFY2(sentence.starts_with("fold matches here with x = `1`, y = `0`, but it cannot be applied: "),
             sentence.c_str());
}

void TestMatchExplanation::aPositionInsideAProgram() {
    // Names of the program, also of the variables that are bound around the position.
    const char* const program = "(def f Float ((v : Vec Float) (i : Integer)) (let (y (index i v)) (mul y (exp y))))";
    QCOMPARE(explainPattern("x * log(y)", program, "/1").sentence,
             std::string("the pattern does not match here: it needs `log(y)` at the right of the product, but there is "
                         "`exp(y)`."));
    QCOMPARE(explainPattern("exp(x)", program, "/0").sentence,
             std::string("the pattern does not match here: it needs `exp(x)`, but there is `v[i]`."));
}

void TestMatchExplanation::marks() {
    QCOMPARE(
        parts(explainPattern("a * (b + c) where b.is_const", "(mul x (sub y z))")),
        QStringLiteral("✓ a * (b + c) | x · (y − z)\n  ✓ a | x\n  ✗ b + c | y − z\n    – b\n    – c\n– b.is_const"));
    QCOMPARE(parts(explainPattern("a * b where b.is_const", "(mul x y)")),
             QStringLiteral("✓ a * b | x · y\n  ✓ a | x\n  ✓ b | y\n✗ b.is_const"));
    // What a named pattern refuses is marked at its use.
    QCOMPARE(parts(explainPattern("exp(Half(x))", "(exp (mul a 0.25))")),
             QStringLiteral("✓ exp(Half(x)) | exp(a · 0.25)\n  ✗ Half(x) | a · 0.25"));
    QCOMPARE(parts(explainPattern("x * y", "(mul a 2.0)")), QStringLiteral("✓ x * y | a · 2\n  ✓ x | a\n  ✓ y | 2"));
}

MITOS_TEST(TestMatchExplanation)

/// A sentence stays one that is read, and drawing the parts costs no more for a large program.
void TestMatchExplanation::longTermsAreCutOff() {
    QString program = QStringLiteral("x");
    for (int i = 0; i < 200; ++i) program = QStringLiteral("(add %1 y)").arg(program);
    const rules::MatchExplanation explanation = explainPattern("a * b", program.toStdString());
    QVERIFY2(explanation.sentence.size() < 400 && explanation.sentence.find("…") != std::string::npos,
             explanation.sentence.c_str());
    for (const rules::MatchPart& part : explanation.parts) QVERIFY2(part.found.size() < 200, part.found.c_str());
}

}  // namespace tst_match_explanation

#include "tst_match_explanation.moc"
