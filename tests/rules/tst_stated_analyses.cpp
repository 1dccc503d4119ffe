// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses that rule files state: their values, what rules ask of them, folding, their laws, and the test of their equations.
#include "core/eval/testing/rule_test.h"
#include "core/rules/language/compiled_analysis.h"
#include "core/rules/language/editing.h"
#include "core/rules/matching/term_analysis.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <algorithm>
#include <fstream>

namespace tst_stated_analyses {

using namespace mitos;
using namespace mitos::tests;

namespace {

const std::string Sign =
    "use ks\n"
    "analysis sign [real-only]:\n"
    "    values negative, zero, positive\n"
    "    literal c = positive if c > 0\n"
    "    literal c = negative if c < 0\n"
    "    literal c = zero if c == 0\n"
    "    value exp(a) = positive\n"
    "    value a * b = zero if a == zero or b == zero\n"
    "    value a * b = positive if a == b and a.type == Float\n"
    "    value a * b = negative\n"
    "        if a != b and a.type == Float\n"
    "    value neg(a) = positive if a == negative and a.type == Float\n"
    "    value neg(a) = negative if a == positive\n"
    "    value neg(a) = zero if a == zero\n"
    "    value a + b = a if a == b and a.type == Float\n"
    "    join a, b = a if a == b\n"
    "    means x, v: v == positive and x >= 0 or v == zero and x == 0 or v == negative and x <= 0\n";

/// What the first analysis of the rules knows of a ks term over Floats x and y.
std::string known(const std::string& rules, const std::string& term) {
    const Result<rules::LoadedRules> loaded = load(rules);
    if (!loaded) return loaded.error().render();
    if (!loaded->errors.empty()) return loaded->errors.front().render();
    ir::TermBank bank(loaded->registry);
    const Result<ir::Program> parsed =
        ks::parseProgram(bank, "test.ks", "(def f Float ((x : Float) (y : Float) (k : Integer)) " + term + ")");
    if (!parsed) return parsed.error().render();
    rules::TermAnalysis analysis(bank, rules::analysesOf(loaded->set).front());
    return analysis.text(parsed->root);
}

/// The verdicts on the equations and rules of a text: "sign.mul fail".
std::string verdicts(const std::string& rules) {
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("test.rules")).toStdString();
    std::ofstream(file) << rules;
    const Result<rules::RuleBook> book = rules::RuleBook::load(file, registry());
    if (!book) return book.error().render();
    eval::RuleTestOptions options;
    options.samplesPerRule = 100;
    std::string result;
    for (const eval::RuleVerdict& verdict : eval::testRules(*book, options)) {
        result += (result.empty() ? "" : ", ") + verdict.name + " " + eval::toString(verdict.verdict);
        if (verdict.note.empty()) continue;
        const std::string note = verdict.note.substr(std::min(verdict.note.size(), verdict.note.find("test.rules")));
        result += " (" + note + ")";
    }
    return result;
}

}  // namespace

class TestStatedAnalyses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesOfTerms() {
        const std::string rules = Sign + "rule r: a => a + 0 where a.sign == zero\n";
        QCOMPARE(known(rules, "(mul 2.0 -3.0)"), std::string("negative"));
        QCOMPARE(known(rules, "(mul (exp x) (exp y))"), std::string("positive"));
        QCOMPARE(known(rules, "(neg (mul (exp x) -0.5))"), std::string("positive"));
        QCOMPARE(known(rules, "(mul x 0.0)"), std::string("zero"));
        QCOMPARE(known(rules, "(mul x (exp y))"), std::string("nothing"));
        QCOMPARE(known(rules, "(add (exp x) -1.0)"), std::string("nothing"));
        QCOMPARE(known(rules, "x"), std::string("nothing"));
        QCOMPARE(known(rules, "(let (z (exp x)) z)"), std::string("nothing"));
    }

    void rulesAskForValues() {
        const Result<rules::LoadedRules> loaded =
            load(Sign +
                 "rule root_of_square: sqrt(a * a) => a where a.sign == positive\n"
                 "rule is_something: neg(a) => a * -1.0 where a.sign != negative\n");
        QVERIFY2(loaded && loaded->errors.empty(), loaded ? "" : loaded.error().render().c_str());
        const auto rewrite = [&](const char* rule, const std::string& term) {
            return rewrites(*direction(*loaded, rule), "(def f Float ((x : Float)) " + term + ")");
        };
        QCOMPARE(rewrite("root_of_square", "(sqrt (mul (exp x) (exp x)))"), std::string("(exp x)"));
        QCOMPARE(rewrite("root_of_square", "(sqrt (mul x x))"), std::string("none"));
        QCOMPARE(rewrite("is_something", "(neg (exp x))"), std::string("(mul (exp x) -1.0)"));
        // Nothing is known of x, so it is not known that the sign differs either.
        QCOMPARE(rewrite("is_something", "(neg x)"), std::string("none"));
    }

    void valuesAreNumbersTruthsAndLists() {
        const std::string range =
            "analysis range [real-only]:\n"
            "    literal c = [c, c]\n"
            "    value max(a, b) = [max(a[0], b[0]), max(a[1], b[1])]\n"
            "    value a + b = [a[0] + b[0], a[1] + b[1]]\n"
            "    join a, b = [max(a[0], b[0]), min(a[1], b[1])] if max(a[0], b[0]) <= min(a[1], b[1])\n"
            "    means x, v: v[0] <= x and x <= v[1]\n"
            "rule r: a => a + 0 where a.range[0] > 0\n";
        QCOMPARE(known(range, "(add (max 2.0 3.0) 1.5)"), std::string("[4.5, 4.5]"));
        const std::string parity =
            "analysis even:\n"
            "    literal c = c % 2 == 0 if c < 1.0e15 and c > -1.0e15\n"
            "    value a + b = true if a == b and (a == true or a == false)\n"
            "    value a * b = true if a == true or b == true\n"
            "    join a, b = a if a == b\n"
            "    means x, v: v == (x % 2 == 0)\n"
            "rule r: a => a + 0 where a.even\n";
        QCOMPARE(known(parity, "(to_float (mul k 4))"), std::string("nothing"));
    }

    void folding() {
        const Result<rules::LoadedRules> loaded =
            rules::loadRules(*rules::shippedRuleSetText("ks-constants"), registry());
        QVERIFY2(loaded && loaded->errors.empty() && loaded->warnings.empty(), "ks-constants");
        const auto fold = [&](const std::string& type, const std::string& term) {
            return rewrites(*direction(*loaded, "constant"), "(def f " + type + " ((x : Float)) " + term + ")");
        };
        QCOMPARE(fold("Float", "(mul (add 1.0 2.0) 3.0)"), std::string("9.0"));
        QCOMPARE(fold("Float", "(add 0.1 0.2)"), std::string("0.30000000000000004"));
        QCOMPARE(fold("Float", "(neg 0.0)"), std::string("-0.0"));
        QCOMPARE(fold("Float", "(mul -1.0 0.0)"), std::string("-0.0"));
        QCOMPARE(fold("Float", "(to_float 3)"), std::string("3.0"));
        QCOMPARE(fold("Integer", "(div -7 2)"), std::string("-3"));
        // Not folded: a literal, a term with a variable, what is infinite or NaN, a sum that wraps, a division that fails.
        QCOMPARE(fold("Float", "2.0"), std::string("none"));
        QCOMPARE(fold("Float", "(mul x 0.0)"), std::string("none"));
        QCOMPARE(fold("Float", "(div 1.0 0.0)"), std::string("none"));
        QCOMPARE(fold("Float", "(div 0.0 0.0)"), std::string("none"));
        QCOMPARE(fold("Float", "(mul 1e300 1e300)"), std::string("none"));
        QCOMPARE(fold("Integer", "(add 9223372036854775807 1)"), std::string("none"));
        QCOMPARE(fold("Integer", "(mul 3037000500 3037000500)"), std::string("none"));
        QCOMPARE(fold("Integer", "(div 1 0)"), std::string("none"));
    }

    void includedSetsBringTheirAnalyses() {
        const Result<rules::LoadedRules> loaded =
            load("include ks-constants\nrule r: a + b => b + a where a.constant == 2.0\n");
        QVERIFY2(loaded && loaded->errors.empty(), loaded ? "" : loaded.error().render().c_str());
        QVERIFY(direction(*loaded, "constant") != nullptr);
        const std::string program = "(def f Float ((x : Float)) (add (add 1.0 1.0) x))";
        QCOMPARE(rewrites(*direction(*loaded, "r"), program), std::string("(add x (add 1.0 1.0))"));
        QCOMPARE(errorsOf("include ks-constants\nanalysis constant:\n    literal c = c\n    fold\n"),
                 std::string("2:10 there is an analysis constant already | choose another name"));
    }

    void mistakes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* text, const char* message) {
            QTest::addRow("%s", name) << QString::fromUtf8(text) << QString::fromUtf8(message);
        };
        row("no such analysis", "rule r: a => a + 0 where a.sine == 1", "1:28 there is no attribute sine");
        row("no line", "analysis s:\n  vaule exp(a) = 1", "2:3 expected a line of the analysis, found 'vaule'");
        row("not two operands", "analysis s:\n  value a * a = 1\n  fold",
            "2:13 the operands of an equation are different names");
        row("not an operator", "analysis s:\n  value a = 1\n  fold", "2:9 expected an operator over names");
        row("nested", "analysis s:\n  value exp(a + b) = a\n  fold",
            "2:13 the operands of an equation are different names");
        row("asks for the term", "analysis s:\n  value exp(a) = 1.0 if a.is_var\n  fold",
            "2:25 an analysis sees the values of operands and their types, not the operands");
        row("an unknown name", "analysis s:\n  value exp(a) = b\n  fold",
            "2:18 b is not bound: it does not occur on the side that is matched");
        row("the name of an attribute", "analysis rank:\n  literal c = c\n  fold",
            "1:10 terms have an attribute rank already");
        row("without meaning", "analysis s:\n  literal c = 1",
            "1:10 it is not said what the values of s mean, so nothing can test it");
        row("nothing", "analysis s:\n  fold", "1:10 the analysis s says nothing");
        row("a join that depends on the order", "analysis s:\n  literal c = c\n  join a, b = a\n  fold",
            "3:3 the join of 0 and 1 is 0, that of 1 and 0 is 1");
        row("a join that depends on the order of three",
            "analysis s:\n  values p, q, r\n  join a, b = p if a == q and b == r or a == r and b == q\n"
            "  join a, b = a if b == p\n  join a, b = b if a == p\n  means x, v: x == x",
            "3:3 the join of q, q and r is p or q, depending on which two are joined first");
        row("a join that is not idempotent", "analysis s:\n  literal c = c\n  join a, b = a + b\n  fold",
            "3:3 the join of 1 and 1 is 2");
        row("less from more",
            "analysis s:\n  literal c = c\n  value exp(a) = 1.0 if a == 0.0\n"
            "  value exp(a) = 7.0\n  join a, b = a if a == b\n  fold",
            "4:3 less is known where more is known: with nothing for a the value is 7, with 0 it is 1");
    }
    void mistakes() {
        QFETCH(const QString, text);
        QFETCH(const QString, message);
        const std::string errors = errorsOf("use ks\nrule none: a + 0 => a\n" + text.toStdString() + "\n");
        // Places count from the first line of the text.
        const std::size_t colon = errors.find(':');
        const std::string shifted =
            colon == std::string::npos ? errors : std::to_string(std::stoi(errors) - 2) + errors.substr(colon);
        QVERIFY2(shifted.starts_with(message.toStdString()), shifted.c_str());
    }

    void equationsAreTested() {
        QCOMPARE(verdicts(Sign + "rule root_of_square [domain]: sqrt(a * a) => a where a.sign == positive\n"),
                 std::string("root_of_square pass, sign.literal pass, sign.exp pass, sign.mul pass, sign.neg pass, "
                             "sign.add pass"));
        // 1 - 2 is not 1.
        QCOMPARE(verdicts("use ks\nanalysis k [exact]:\n    literal c = c\n    value a + b = a + b\n"
                          "    value a - b = b - a\n    join a, b = a if a == b\n    fold\n"),
                 std::string("k fail, k.literal pass, k.add pass, k.sub fail (test.rules:5:5: value a - b = b - a)"));
        // The product of negative numbers.
        QCOMPARE(verdicts("use ks\nanalysis s [real-only]:\n    values negative\n    literal c = negative if c < 0\n"
                          "    value a * b = negative if a == negative and b == negative\n"
                          "    join a, b = a if a == b\n    means x, v: x < 0\n"
                          "rule r: a => a + 0 where a.s == negative\n"),
                 std::string("r pass, s.literal pass, s.mul fail (test.rules:5:5: value a * b = negative if a == "
                             "negative and b == negative)"));
    }

    void shippedConstantsPass() {
        const Result<rules::RuleBook> book = rules::RuleBook::load("ks-constants", registry());
        QVERIFY(book.ok());
        eval::RuleTestOptions options;
        options.samplesPerRule = 100;
        const std::vector<eval::RuleVerdict> all = eval::testRules(*book, options);
        QCOMPARE(all.size(), std::size_t(8));
        for (const eval::RuleVerdict& verdict : all) {
            QVERIFY2(verdict.verdict == eval::Verdict::Pass, verdict.name.c_str());
        }
    }

    void wordsOfAnAnalysisAreKeywordsInIt() {
        const std::string text = "analysis s:\n    value exp(a) = 1\n    fold\nrule r: value * 2 => value\n";
        std::vector<std::string> keywords;
        for (const rules::TextPart& part : rules::partsOf(text)) {
            if (part.kind == rules::PartKind::Keyword) {
                keywords.push_back(text.substr(part.span.begin, part.span.end - part.span.begin));
            }
        }
        QCOMPARE(keywords, (std::vector<std::string>{"analysis", "value", "fold", "rule"}));
    }
};

MITOS_TEST(TestStatedAnalyses)

}  // namespace tst_stated_analyses

#include "tst_stated_analyses.moc"
