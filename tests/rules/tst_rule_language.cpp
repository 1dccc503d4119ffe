// SPDX-License-Identifier: GPL-3.0-or-later
// The grammar and the checks of the rule language: every construct, every kind of error by its text, bad files.
#include "core/rules/language/editing.h"
#include "core/rules/rule_sets.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QFile>
#include <QTemporaryDir>

namespace tst_rule_language {

using namespace mitos;
using namespace mitos::tests;

namespace {

/// "ok", "N roots" for a rule with several, or the errors.
std::string verdict(const std::string& text) {
    const Result<rules::LoadedRules> loaded = load(text);
    if (!loaded || !loaded->errors.empty()) return errorsOf(text);
    for (const auto& rule : loaded->set.rules) {
        if (rule->hasSeveralRoots()) return fmt::format("{} roots", rule->directions.front()->roots().size());
    }
    return "ok";
}

}  // namespace

class TestRuleLanguage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void constructs_data();
    void constructs();
    void errors_data();
    void errors();
    void documentationAndTags();
    void mistypedTags();
    void badRulesDoNotTakeTheFileDown();
    void errorsShowTheLine();
    void badFiles();
    void partsOfAText();
    void ruleBooks();
    void unreachableAlternatesAreNamed();
    void variablesThatMayStayUnboundAreNamed();
    void operatorsMayBeDeclaredAgain();
    void examplesOfTheHelpPage();
};

void TestRuleLanguage::constructs_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* source, const char* expected = "ok") {
        QTest::newRow(name) << QString::fromUtf8(source) << QString::fromUtf8(expected);
    };
    row("infix", "rule r: -a + b * c / 2 - 1 => b * c / 2 - a - 1");
    row("calls", "rule r: add(a, exp(b)) => add(exp(b), a)");
    row("numbers", "rule r: a + 1 + 1.5 + 1e-3 + ~2.5 => a + 1 + 1.5 + 1e-3 + 2.5");
    row("booleans", "rule r: if(true, a, b) => a\nrule s: if(False, a, b) => b");
    row("strings", "rule r: print(a, \"x y\") => print(\"x y\", a)");
    row("let", "rule r: let x = a in b => b[x := a]");
    row("lambda", "rule r: build(n, \\x. b) => build(n, \\x. b)");
    row("typed lambda", "rule r: sum(v) => sum(map(\\x: Float. x, v)) where v.type == Vec(Float)");
    row("substitution of a term", "rule r: let x = a in b + c => (b + c)[x := a]");
    row("tuples", "rule r: (a, b) => (a, b)\nrule s: tuple() => ()");
    row("projections",
        "rule r: (a, b).0 => a\nrule s: select((a, b), 1) => b\nrule t: get[index=i](tuple(a..., e, b...)) => e "
        "where a.length == i");
    row("paper's order of select", "rule s: select(1, (a, b)) => b");
    row("expansions", "rule r: tuple(a...) * z => tuple((a * z)...)");
    row("two directions", "rule r: a * (b + c) <=> a * b + a * c");
    row("tags", "rule r [phase1, real-only][expand]: a + b => b + a");
    row("branches", "rule r: a * b =>\n  b * a if a.is_const\n  b * (a) if b.is_const");
    row("conditions",
        "rule r: a / b => a / b where not (a == 1 or b != 2) and a + 1 < b * 2 - 3 % 2 and (a <= b or a > b or a >= "
        "b)");
    row("attributes",
        "rule r: a + b => b + a where a.type == Tensor(2, Float) or a.type == Tuple(Float, Integer) or a.rank == 2");
    row("exclusions", "rule r: let x = e in b => b where x not in b");
    row("mentions", "rule r: let x = e in b => b[x := e] where x in b or e.is_var");
    row("function variables", "rule r: F(a..., let x = e in b, c...) => let x = e in F(a..., b, c...)");
    row("two function variables", "rule r: F(G1(x)) => F(G1(x)) where F: pointwise and G1 in {exp, log}");
    row("classes", "class trig = sin, cos\nrule r: F(F(x)) => F(x) where F: trig and not F: commutative");
    row("operators",
        "# fused\nop fused(x, y)\nop e() -> 1\nop two(x) -> 2\nop many(x...)\nrule r: a * b + e() => fused(a, b)\n"
        "rule s: two(x).0 => x\nrule t: many(a, b, c) => a");
    row("operators with attributes", "op concat[axis](x, y)\nrule r: concat[axis=1](x, y) => x");
    row("alternates", "pattern Half(x) = x / 2\npattern Half(x) = x * 0.5\nrule r: Half(x) => x / 2");
    row("recursion", "pattern Chain(x, F) = F(Chain(x, F))\npattern Chain(x, F) = F(x)\nrule r: Chain(x, F) => F(x)");
    row("match constraints",
        "pattern Tree(x, F, G) = x  with local y,    x <= F(Tree(y, F, G))\n"
        "pattern Tree(x, F, G) = x  with local y, z, x <= G(Tree(y, F, G), Tree(z, F, G))\n"
        "pattern Tree(x, F, G) = x\nrule r: Tree(x, F, G) => x");
    row("several roots",
        "rule merge:\n    mul(x, y), mul(x, z)\n    => s.0, s.1\n    let m = mul(x, y), s = (m, m + z)\n    where "
        "y.rank == 2",
        "2 roots");
    row("trailing let", "rule r: a * b => m + m let m = b * a");
    row("computed constants", "rule r: c * d => const(-c * exp(d) + max(c, 2)) where c.is_const and d.is_const");
    row("use", "use ks\nrule r: a + b => b + a");
    row("comments", "# one\n\n# two\nrule r: a + b # three\n    => b + a # four");
}

void TestRuleLanguage::constructs() {
    QFETCH(const QString, source);
    QFETCH(const QString, expected);
    QCOMPARE(QString::fromStdString(verdict(source.toStdString())), expected);
}

void TestRuleLanguage::errors_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* source, const char* expected) {
        QTest::newRow(expected) << QString::fromUtf8(source) << QString::fromUtf8(expected);
    };
    row("rule r: a +",
        "1:12 expected an expression, found the end of the file | a variable, a number, op(arguments), \\x. e, "
        "let x = e in e, (e, e)");
    row("rule r: a + b", "1:14 expected '=>' or '<=>' and the right side, found the end of the file");
    row("rule r a => b", "1:8 expected ':' and the left side of the rule, found 'a'");
    row("rule let: a => a",
        "1:6 expected the name of the rule, found 'let' | 'let' is a word of the language and cannot be a name");
    row("rule r: f(a, b => a", "1:16 expected ',' or ')', found '=>'");
    row("rule r: a ? b => a", "1:11 expected '=>' or '<=>' and the right side, found the character '?'");
    row("rule r: print(\"a) => 1",
        "1:15 expected an expression, found a string without closing quote | a variable, a number, "
        "op(arguments), \\x. e, let x = e in e, (e, e)");
    row("rule r: build(n, \\x.1) => a",
        "1:20 a space is missing after the point of the lambda | write \\x. 1: without the space it "
        "would be an element of a tuple");
    row("hello",
        "1:1 expected an item, found 'hello' | items begin with use, include, op, class, analysis, pattern or rule");
    row("rule r: a => a a",
        "1:16 expected the next item, found 'a' | a rule may continue with `if`, `where`, `let` or `with`; a new item "
        "begins at the start of a line");
    row("rule r: a + 99999999999999999999 => a",
        "1:13 the number does not fit 64 bits | write it with a point for a Float");
    row("use tensors\nrule r: a => a", "1:5 there is no dialect tensors | the dialects are ks");
    row("rule r: ad(a, b) => a", "1:9 there is no operator ad | did you mean add?");
    row("rule r: gelu_fused_kernel(a) => a",
        "1:9 there is no operator gelu_fused_kernel | declare it with `op gelu_fused_kernel(x)`, or name a function "
        "variable with one "
        "capital letter, F(x)");
    row("rule r: add(a, b, c) => a", "1:9 add takes 2 arguments, 3 given | (add a b): a + b, part by part");
    row("rule r: a + b => a + c",
        "1:22 c is not bound: it does not occur on the side that is matched | every variable of the result must "
        "occur in the pattern");
    row("rule r: a * 0 <=> 0",
        "1:9 a is not bound: it does not occur on the side that is matched | every variable of the result must occur "
        "in the pattern");
    row("rule r: let x = e in b => b",
        "1:27 b may mention x, which is not bound here | put it below a binder named x, replace it with b[x := …], or "
        "require `x not in b`");
    row("rule r: sumbuild(n, \\x. if(c, t, f)) => if(c, sumbuild(n, \\x. t), sumbuild(n, \\x. f))",
        "1:44 c may mention x, which is not bound here | put it below a binder named x, replace it with c[x := …], or "
        "require `x not in c`");
    row("rule r: build(n, \\x. b) + x => x",
        "1:27 the bound variable x is used outside its scope | it is bound inside \\x. … or let x = … in …");
    row("rule r: let x = a in let x = b in c => c", "1:26 x is bound twice, one inside the other | use two names");
    row("rule r: F(x) + F => x", "1:16 F is a term here and a function variable elsewhere | use two names");
    row("rule r: a[x := b] => a",
        "1:9 a substitution e[x := …] cannot be matched | it can stand on a right side; a rule with it goes one way "
        "only (=>)");
    row("rule r: a => gt(a, a)",
        "1:9 the result can never have the type of what it replaces | the matched side can be a Float, for instance");
    row("rule r: exp(true) => 1", "1:9 the matched side has no type | check the argument types of its operators");
    row("rule r: a => a where a.colour == 1",
        "1:24 there is no attribute colour | the attributes are type, dtype, rank, is_const, is_var, is_let, "
        "is_lambda, "
        "is_tuple, is_scalar, "
        "has_effects, is_total, is_zero, has_one_shape, value, length, nodes, op, name, arity, binds, may_fail, "
        "effectful, "
        "commutative, "
        "pointwise, shape, is_static, is_floating, is_weight, is_positive, is_nonnegative, is_nonzero, "
        "is_negative, is_nonpositive");
    row("rule r: a => a where and(a, b)",
        "1:22 and cannot be computed in a condition | there are + - * / % and log, exp, sqrt, sin, cos, tanh, abs, "
        "neg, "
        "erf, max, min, to_float");
    row("rule r: F(a) => a where F: linear",
        "1:28 there is no class of operators linear | the classes are pointwise, unary_pointwise, binary_pointwise, "
        "commutative, binder");
    row("rule r: a => b...", "1:14 a sequence can only be an argument | for instance tuple(a..., b)");
    row("rule r: tuple(a) => tuple((a + 1)...)",
        "1:27 there is no sequence to expand here | (a + b)... needs a sequence variable a... on the left");
    row("pattern P(x) = P(x)\nrule r: P(x) => x",
        "1:9 P can unfold forever without consuming an operator: P -> P | put the recursive use below an operator\n"
        "2:9 the pattern P has an error | see the message about it");
    row("pattern P(x) = Q(x)\npattern Q(y) = P(y)\nrule r: a + b => b + a",
        "1:9 P can unfold forever without consuming an operator: P -> Q -> P | put the recursive use below an "
        "operator\n"
        "2:9 Q can unfold forever without consuming an operator: Q -> P -> Q | put the recursive use below an "
        "operator");
    row("pattern P(x) = exp(x)\nrule r: P(a, b) => a", "2:9 P takes 1 argument, 2 given | P(x)");
    row("rule r: a + b => b + a\nrule r: a * b => b * a",
        "2:6 there is a rule r already | rules of a file have different names");
    row("rule r: a + b => b + a where x not in a",
        "1:30 the left operand of `in` must be a bound variable of the side that is matched | x in e, where x is bound "
        "by \\x. … or "
        "let x = … in …");
    row("rule r: a + b <=> b + a if a.is_const",
        "1:6 a rule in two directions has one right side, without condition and `let` | write two rules with =>, or "
        "move the condition "
        "after `where`");
    row("rule r: sum(v) => sum(map(\\x. x, v))", "1:27 the type of x is not known here | write it: \\x: Float. …");
    row("rule r: exp(a), log(a) => exp(a)",
        "1:27 the rule matches 2 roots and gives 1 result | there must be one result for each root");
}

void TestRuleLanguage::errors() {
    QFETCH(const QString, source);
    QFETCH(const QString, expected);
    QCOMPARE(QString::fromStdString(errorsOf(source.toStdString())), expected);
}

void TestRuleLanguage::mistypedTags() {
    // A tag that was meant to say how far the rule holds must not become a label: the rule would count as exact.
    const auto errors = [](const char* tag) { return errorsOf(std::string("rule r [") + tag + "]: a + b => b + a\n"); };
    QCOMPARE(errors("real-onyl"), std::string("1:9 there is no tag real-onyl | did you mean real-only?"));
    QCOMPARE(errors("real_only"), std::string("1:9 there is no tag real_only | did you mean real-only?"));
    QCOMPARE(errors("phase1, domian"), std::string("1:17 there is no tag domian | did you mean domain?"));
    QCOMPARE(errors("excat"), std::string("1:9 there is no tag excat | did you mean exact?"));
    QCOMPARE(errors("reasociating"), std::string("1:9 there is no tag reasociating | did you mean reassociating?"));
    for (const char* const right : {"real-only", "phase1", "expand", "main"}) QCOMPARE(errors(right), std::string());
    const auto labelled = load("rule r [mine]: a + b => b + a\n");
    QVERIFY(labelled.ok());
    QCOMPARE(labelled->set.rules.size(), std::size_t{1});
    QCOMPARE(labelled->warnings.size(), std::size_t{1});
    QVERIFY(labelled->warnings.front().starts_with("test.rules:1:9: the tag mine has no meaning of its own"));
}

void TestRuleLanguage::documentationAndTags() {
    const auto loaded = load(
        "# Title\n#\n# More about\n# the file.\n\n# Not attached.\n\n# Swaps.\n# Twice is nothing.\n"
        "rule swap [phase1, domain, expand]:\n    a + b => b + a\n");
    QVERIFY(loaded.ok());
    QCOMPARE(loaded->set.title, std::string("Title"));
    QCOMPARE(loaded->set.doc, std::string("More about\nthe file."));
    const rules::Rule& rule = *loaded->set.rules.at(0);
    QCOMPARE(rule.doc, std::string("Swaps.\nTwice is nothing."));
    QCOMPARE(rule.text, std::string("rule swap [phase1, domain, expand]:\n    a + b => b + a"));
    QCOMPARE(rule.tags, (std::vector<std::string>{"phase1", "expand"}));
    QCOMPARE(rule.soundness, rules::Soundness::Domain);
    QVERIFY(rule.hasTag("expand") && !rule.hasTag("domain"));
    QCOMPARE(rule.place.line, 10);
    QCOMPARE(rule.place.column, 6);
    QCOMPARE(rule.directions.at(0)->variables(), (std::vector<std::string>{"a", "b"}));
    QCOMPARE(rule.directions.at(0)->rule().name, std::string("swap"));
}

void TestRuleLanguage::badRulesDoNotTakeTheFileDown() {
    const std::string text =
        "rule one: a + b => b + a\n"
        "rule two: a + => b\n"
        "rule three: a * b => b * a\n"
        "rule four: a * c => d\n"
        "rule five: a - 0 => a\n";
    const auto loaded = load(text);
    QVERIFY(loaded.ok());
    std::vector<std::string> names;
    for (const auto& rule : loaded->set.rules) names.push_back(rule->name);
    QCOMPARE(names, (std::vector<std::string>{"one", "three", "five"}));
    QCOMPARE(loaded->errors.size(), std::size_t{2});
    QCOMPARE(loaded->errors[0].place->line, 2);
    QCOMPARE(loaded->errors[1].place->line, 4);
    // An item that ends too early does not swallow the next one.
    const auto cut = load("rule one: a + b =>\nrule two: a * b => b * a\n");
    QVERIFY(cut.ok());
    QCOMPARE(cut->set.rules.size(), std::size_t{1});
    QCOMPARE(cut->errors.size(), std::size_t{1});
}

void TestRuleLanguage::errorsShowTheLine() {
    const auto loaded = load("rule swap: a + b => b + c\n");
    QVERIFY(!loaded.ok());
    QCOMPARE(loaded.error().render(),
             std::string("test.rules:1:25: error: c is not bound: it does not occur on the side that is matched\n"
                         "  rule swap: a + b => b + c\n"
                         "                          ^\n"
                         "  hint: every variable of the result must occur in the pattern\n"));
}

void TestRuleLanguage::badFiles() {
    QCOMPARE(errorsOf(""), std::string("1:1 there is no rule in this file | rule add_zero: 0 + a => a"));
    QCOMPARE(errorsOf("# only a comment\n"),
             std::string("1:1 there is no rule in this file | rule add_zero: 0 + a => a"));
    QCOMPARE(errorsOf(std::string("rule r\0: a", 10)),
             std::string("1:7 this is not a text file in UTF-8 | rule files are plain text"));
    QCOMPARE(errorsOf("\xFF\xFE rule"),
             std::string("1:1 this is not a text file in UTF-8 | rule files are plain text"));
    // Ten megabytes: one message. One megabyte of each: an answer, not a crash, and not a message for each byte.
    const std::size_t size = 1'000'000;
    QCOMPARE(errorsOf("rule r: " + std::string(10 * size, '(')),
             std::string("1:1 the file is larger than a rule file can be | rule files have at most 1 MB"));
    const Result<rules::LoadedRules> parentheses = load("rule r: " + std::string(size, '('));
    QVERIFY(!parentheses.ok());
    QCOMPARE(parentheses.error().message, std::string("the expression is nested too deeply"));
    const Result<rules::LoadedRules> minus = load("rule r: " + std::string(size, '-'));
    QVERIFY(!minus.ok());
    QCOMPARE(minus.error().message, std::string("the expression is nested too deeply"));
    std::string words;
    while (words.size() < size) words += "rule rule rule\n";
    const Result<rules::LoadedRules> garbage = load(words);
    QVERIFY(!garbage.ok());
    QCOMPARE(garbage.error().others.size(), std::size_t{99});
    // Very many items: the same for each kind.
    for (const char* const item : {"op o{0}(x)\n", "class c{0} = sin\n", "pattern P{0}(x) = exp(x)\n",
                                   "pattern P(x) = x + {0}\n", "rule r{0}: a + b => b + a\n", "include ks-simple\n"}) {
        std::string many;
        for (int i = 0; i < 6'000; ++i) many += fmt::format(fmt::runtime(item), i);
        const Result<rules::LoadedRules> large = load(many);
        const Error& error = large ? large->errors.front() : large.error();
        QCOMPARE(error.hint, std::string("a file has at most 5000 items; `include` combines files"));
    }
    for (const char* const link : {" + a", " * a", ".0", "[x := a]", " and a"}) {
        std::string chain = "rule r: (a";
        while (chain.size() < size) chain += link;
        const Result<rules::LoadedRules> endless = load(chain + ") => a");
        QVERIFY(!endless.ok());
        QCOMPARE(endless.error().message, std::string("the item is too large"));
    }
}

/// The parts that an editor colours, each with its kind.
void TestRuleLanguage::partsOfAText() {
    using Kind = rules::PartKind;
    const auto kinds = [](std::string_view text) {
        std::vector<std::pair<std::string_view, Kind>> found;
        for (const rules::TextPart& part : rules::partsOf(text))
            found.emplace_back(text.substr(part.span.begin, part.span.end - part.span.begin), part.kind);
        return found;
    };
    using Parts = std::vector<std::pair<std::string_view, Kind>>;
    QCOMPARE(kinds("# a comment"), (Parts{{"# a comment", Kind::Comment}}));
    QCOMPARE(kinds("rule r [exact]: F(x) => 2.5  # why"), (Parts{{"rule", Kind::Keyword},
                                                                 {"r", Kind::Defined},
                                                                 {"[", Kind::Symbol},
                                                                 {"exact", Kind::Variable},
                                                                 {"]", Kind::Symbol},
                                                                 {":", Kind::Symbol},
                                                                 {"F", Kind::FunctionVariable},
                                                                 {"(", Kind::Symbol},
                                                                 {"x", Kind::Variable},
                                                                 {")", Kind::Symbol},
                                                                 {"=>", Kind::Symbol},
                                                                 {"2.5", Kind::Number},
                                                                 {"# why", Kind::Comment}}));
    QCOMPARE(kinds("where a.is_const and \"in\" == b"), (Parts{{"where", Kind::Keyword},
                                                               {"a", Kind::Variable},
                                                               {".", Kind::Symbol},
                                                               {"is_const", Kind::Member},
                                                               {"and", Kind::Keyword},
                                                               {"\"in\"", Kind::Text},
                                                               {"==", Kind::Symbol},
                                                               {"b", Kind::Variable}}));
    QCOMPARE(kinds("include ks-if"),
             (Parts{{"include", Kind::Keyword}, {"ks", Kind::Defined}, {"-", Kind::Symbol}, {"if", Kind::Defined}}));
    const Parts element = kinds("get[index=i](if(c, a, \"open");
    QCOMPARE(element.front().second, Kind::Operator);
    QCOMPARE(element[7], (std::pair<std::string_view, Kind>("if", Kind::Operator)));
    QCOMPARE(element.back(), (std::pair<std::string_view, Kind>("\"open", Kind::Bad)));
    QVERIFY(kinds("").empty());
}

void TestRuleLanguage::ruleBooks() {
    const auto both = rules::RuleBook::load("ks-simple, ks-extended,ks-simple", registry());
    QVERIFY(both.ok());
    QCOMPARE(both->directions().size(), std::size_t{51});
    QCOMPARE(both->sets().size(), std::size_t{3});
    QVERIFY(both->sets()[2].rules.empty());
    // Rules are left out whichever set has them; those that no set has are not kept in the name.
    const auto fewer = rules::RuleBook::load("-commute_add, ks-simple,ks-extended,-no_such_rule", registry());
    QVERIFY(fewer.ok());
    QCOMPARE(fewer->directions().size(), std::size_t{50});
    QVERIFY(fewer->find("commute_add") == nullptr && fewer->find("commute_mul") != nullptr);
    QCOMPARE(fewer->names(), std::string("ks-simple,ks-extended,-commute_add"));
    const Status named = rules::requireLeftOut("ks-simple,-commute_ad", *fewer);
    QVERIFY(!named.ok());
    QCOMPARE(named.error().message, std::string("there is no rule commute_ad to leave out"));
    QVERIFY(!rules::RuleBook::load("-commute_add", registry()).ok());
    rules::RuleChoice choice = rules::RuleChoice::parse("ks-simple,my.rules,-commute_add");
    choice.use("ks-simple", false);
    choice.leaveOut("commute_add", false);
    choice.leaveOut("mul_one", true);
    QCOMPARE(choice.toString(), std::string("my.rules,-mul_one"));
    QCOMPARE(rules::shippedRuleSets(), (std::vector<std::string>{"ks-simple",
                                                                 "ks-extended",
                                                                 "ks-all",
                                                                 "ks-algebraic",
                                                                 "ks-arithmetic",
                                                                 "ks-folding",
                                                                 "ks-binding",
                                                                 "ks-tensors",
                                                                 "ks-if",
                                                                 "ks-log-exp",
                                                                 "ks-ksc",
                                                                 "ks-linear-maps",
                                                                 "ks-calls",
                                                                 "ks-loops",
                                                                 "ks-phi",
                                                                 "ks-constants",
                                                                 "tensor",
                                                                 "tensor-multi",
                                                                 "tensor-default",
                                                                 "tensor-elementwise",
                                                                 "tensor-matmul",
                                                                 "tensor-conv",
                                                                 "tensor-pool",
                                                                 "tensor-movement",
                                                                 "tensor-norm",
                                                                 "tensor-attention",
                                                                 "tensor-layout",
                                                                 "fused",
                                                                 "tensor-approximate"}));
    const auto unknown = rules::RuleBook::load("ks-simples", registry());
    QVERIFY(!unknown.ok());
    QCOMPARE(unknown.error().message, std::string("there is no rule set ks-simples"));
    QCOMPARE(
        unknown.error().hint,
        std::string(
            "the rule sets are ks-simple, ks-extended, ks-all, ks-algebraic, ks-arithmetic, ks-folding, ks-binding, "
            "ks-tensors, ks-if, ks-log-exp, ks-ksc, ks-linear-maps, ks-calls, ks-loops, ks-phi, "
            "ks-constants, tensor, tensor-multi, "
            "tensor-default, "
            "tensor-elementwise, tensor-matmul, tensor-conv, tensor-pool, tensor-movement, tensor-norm, "
            "tensor-attention, "
            "tensor-layout, fused, "
            "tensor-approximate; others are files"));
    QVERIFY(!rules::RuleBook::load("", registry()).ok());
    QVERIFY(!rules::RuleBook::load("no/such/file.rules", registry()).ok());
    QVERIFY(!rules::shippedRuleSetText("nothing").ok());
}

void TestRuleLanguage::unreachableAlternatesAreNamed() {
    const auto warnings = [](const std::string& patterns) {
        const auto loaded = load(patterns + "rule r: P(x, y) => x + y\n");
        return loaded ? loaded->warnings : std::vector<std::string>{loaded.error().render()};
    };
    const std::vector<std::string> second{
        "test.rules:2:9: this alternate of P finds nothing that the one at line 1 does not"};
    const std::vector<std::string> none;
    QCOMPARE(warnings("pattern P(x, y) = x + exp(y)\npattern P(x, y) = x + exp( y )\n"), second);
    // Other names, a condition more, a number less general, other names of locals and bound variables.
    QCOMPARE(warnings("pattern P(x, y) = x + exp(y)\npattern P(b, a) = b + exp(a)\n"), second);
    QCOMPARE(warnings("pattern P(x, y) = x + y\npattern P(x, y) = x + y  where x.is_var\n"), second);
    QCOMPARE(warnings("pattern P(x, y) = x + y * 2\npattern P(x, y) = x + y * 2.0\n"), second);
    QCOMPARE(warnings("pattern P(x, y) = let v = x in y  with local z, y <= exp(z)\n"
                      "pattern P(x, y) = let w = x in y  with local q, y <= exp(q)\n"),
             second);
    // Each of these finds something.
    QCOMPARE(warnings("pattern P(x, y) = x + y\npattern P(x, y) = y + x\n"), none);
    QCOMPARE(warnings("pattern P(x, y) = x + y  where x.is_var\npattern P(x, y) = x + y\n"), none);
    QCOMPARE(warnings("pattern P(x, y) = x + y * 2.0\npattern P(x, y) = x + y * 2\n"), none);
    QCOMPARE(warnings("pattern P(x, y) = x + y\npattern P(x, y) = x + exp(y)\n"), none);
}

void TestRuleLanguage::variablesThatMayStayUnboundAreNamed() {
    const std::string patterns =
        "pattern P(x, y, F) = exp(x)\npattern P(x, y, F) = F(y) * x\n"
        "pattern Q(x, F) = F(Q(x, F))\npattern Q(x, F) = F(x)\n";
    const auto warnings = [&](const std::string& rule) {
        const auto loaded = load(patterns + "rule r: " + rule + "\n");
        return loaded ? loaded->warnings : std::vector<std::string>{loaded.error().render()};
    };
    const std::vector<std::string> none;
    QCOMPARE(warnings("P(x, y, F) => y"),
             std::vector<std::string>{"test.rules:5:23: y is bound by some alternates only; where it is not, there is "
                                      "no rewrite"});
    QCOMPARE(warnings("P(x, y, F) => x where y.is_var and y.nodes == 1"),
             std::vector<std::string>{"test.rules:5:31: y is bound by some alternates only; where it is not, the "
                                      "condition does not hold"});
    QCOMPARE(warnings("P(x, y, F) => F(x) if x.is_var").size(), std::size_t{1});
    QCOMPARE(warnings("P(x, y, F) => x"), none);
    QCOMPARE(warnings("P(x, y, F) + y => y"), none);
    QCOMPARE(warnings("P(x, y, F) => y with local y"), none);  // then it must be bound
    QCOMPARE(warnings("Q(x, F) => F(x) where F: unary_pointwise"), none);
}

void TestRuleLanguage::operatorsMayBeDeclaredAgain() {
    // Two files that share an operator, and a third one that includes both.
    const QTemporaryDir folder;
    const auto write = [&](const char* name, const char* text) {
        QFile file(folder.filePath(QLatin1String(name)));
        if (file.open(QIODevice::WriteOnly)) file.write(text);
        return file.fileName().toStdString();
    };
    write("shared.rules", "op fused[n](x, y)\nrule s: fused[n=1](x, y) => x * y\n");
    const std::string one =
        write("one.rules", "include \"shared.rules\"\nop fused[n](a, b)\nrule one: a * b => a / b\n");
    const std::string two = write("two.rules", "include \"shared.rules\"\nrule two: a * b => fused[n=1](a, b)\n");
    const std::string both = write("both.rules", "include \"one.rules\"\ninclude \"two.rules\"\n");
    const auto rulesOf = [](const std::string& names) {
        const auto book = rules::RuleBook::load(names, registry());
        if (!book) return book.error().render();
        std::string text = std::to_string(book->directions().size());
        for (const Error& problem : book->problems()) text += "\n" + problem.render();
        return text;
    };
    QCOMPARE(rulesOf(both), std::string("3"));
    QCOMPARE(rulesOf(one + "," + two), std::string("3"));
    const std::string other = write("other.rules", "op fused[m](x, y)\nrule o: a * b => b * a\n");
    QVERIFY(rulesOf(one + "," + other).find("there is an operator named fused already") != std::string::npos);
}

/// Every indented block of the page (but for what is fenced) is a rule file, or the middle of one.
void TestRuleLanguage::examplesOfTheHelpPage() {
    QFile page(QStringLiteral(MITOS_SOURCE_DIR "/resources/help/rule-language.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = page.readAll().split('\n');
    std::vector<std::string> blocks;
    bool isInside = false;
    bool isFenced = false;  // output of commands
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QByteArray& line = lines[i];
        if (line.startsWith("```")) isFenced = !isFenced;
        const bool isCode = !isFenced && (line.startsWith("    ") ||
                                          (isInside && line.isEmpty() && lines.value(i + 1).startsWith("    ")));
        if (isCode && !isInside) blocks.emplace_back();
        if (isCode) blocks.back() += line.mid(4).toStdString() + "\n";
        isInside = isCode;
    }
    QVERIFY2(blocks.size() >= 18, "examples are missing");
    // A file that an example includes.
    const QTemporaryDir folder;
    QFile included(folder.filePath(QStringLiteral("my.rules")));
    QVERIFY(included.open(QIODevice::WriteOnly));
    included.write("rule mine: a - b => a + -b\n");
    included.close();
    const std::string name = folder.filePath(QStringLiteral("page.rules")).toStdString();
    std::string whole;
    for (const std::string& block : blocks) {
        const auto loaded =
            rules::loadRules(SourceText(name, block + "rule of_the_test: a + b => b + a\n"), registry());
        const std::string problem = !loaded                     ? loaded.error().render()
                                    : !loaded->errors.empty()   ? loaded->errors.front().render()
                                    : !loaded->warnings.empty() ? loaded->warnings.front()
                                                                : "";
        QVERIFY2(problem.empty(), (block + problem).c_str());
        whole += block;
    }
    // Every construct has its example.
    for (const char* const construct :
         {"=>",        "<=>",      "where",      "with local", "<=",           " if ",
          "let v",     "pattern",  "class",      "op ",        "use ks",       "...",
          "\\i.",      ":=",       "const(",     "~",          "not in",       ": unary_pointwise",
          "[phase1",   "[stride",  "e()",        "-> 1",       "F(x)",         "m.0",
          "include",   ": trig",   "[index=",    "F(F(x))",    ")...",         "in body",
          "F not in",  "F in",     ".type",      ".dtype",     ".rank",        ".is_const",
          ".is_var",   ".is_let",  ".is_lambda", ".is_tuple",  ".is_scalar",   ".has_effects",
          ".is_total", ".is_zero", ".value",     ".nodes",     ".op",          ".length",
          ".arity",    ".binds",   ".may_fail",  ".effectful", ".commutative", ".pointwise",
          " or ",      " and ",    "not ",       "==",         "!=",           "< ",
          ">",         " % "}) {
        QVERIFY2(whole.find(construct) != std::string::npos, construct);
    }
}

MITOS_TEST(TestRuleLanguage)

}  // namespace tst_rule_language

#include "tst_rule_language.moc"
