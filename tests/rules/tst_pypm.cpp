// SPDX-License-Identifier: GPL-3.0-or-later
// The examples of the PyPM paper (Figures 1 to 4 and 14), in the rule language, and what section 3 says of them.
#include "core/rules/language/pattern_text.h"
#include "core/rules/matching/trace.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_pypm {

using namespace mitos;
using namespace mitos::tests;

namespace {

const char* const Figure1 =
    "use ks\n"
    "op MatMul(x, y) -> 1\n"
    "op Trans(x) -> 1\n"
    "op cublasMM_xyT_f64(x, y) -> 1\n"
    "op cublasMM_xyT_i64(x, y) -> 1\n"
    "pattern MMxyT(x, y) = MatMul(x, Trans(y))  where x.rank == 2 and y.rank == 2\n"
    "rule cublasrule: MMxyT(x, y) =>\n"
    "    cublasMM_xyT_f64(x, y)  if x.dtype == f64 and y.dtype == f64\n"
    "    cublasMM_xyT_i64(x, y)  if x.dtype == i64 and y.dtype == i64\n";

const char* const Figure2 =
    "use ks\n"
    "op Gelu_fused(x)\n"
    "pattern Half(x) = x / 2\n"
    "pattern Half(x) = x * 0.5\n"
    "pattern Gelu(x) = Half(x) * (1 + erf(x / ~1.41421356))\n"
    "rule fuse_gelu: Gelu(x) => Gelu_fused(x)\n";

const char* const Figure3 =
    "use ks\n"
    "op Relu(x)\n"
    "pattern UnaryChain(x, F) = F(UnaryChain(x, F))\n"
    "pattern UnaryChain(x, F) = F(x)\n"
    "rule shorten: UnaryChain(x, F) => F(x)  where F == Relu\n";

const char* const Figure4 =
    "use ks\n"
    "op u(x)\n"
    "op b(x, y)\n"
    "op other(x, y)\n"
    "pattern P(x, F, G) = x  with local y,    x <= F(P(y, F, G))\n"
    "pattern P(x, F, G) = x  with local y, z, x <= G(P(y, F, G), P(z, F, G))\n"
    "pattern P(x, F, G) = x\n";

const char* const Figure14 =
    "use ks\n"
    "op MatMul(x, y)\n"
    "op Fused(x)\n"
    "pattern PwSubgraph(x) = x  with local y, UnaryOp, x <= UnaryOp(PwSubgraph(y))  where UnaryOp: unary_pointwise\n"
    "pattern PwSubgraph(x) = x\n"
    "pattern MatMulEpilog(x) = x  with local a, b, x <= PwSubgraph(MatMul(a, b))\n"
    // What the text around the figure describes: pointwise operators over a product.
    "pattern Pointwise(x) = UnaryOp(Pointwise(x))  with local UnaryOp  where UnaryOp: unary_pointwise\n"
    "pattern Pointwise(x) = x\n"
    "pattern Epilog(x) = x  with local a, b, x <= Pointwise(MatMul(a, b))\n";

std::string program(const std::string& parameters, const std::string& body, const std::string& type = "Float") {
    return "(def f " + type + " (" + parameters + ") " + body + ")";
}

std::string matrices(const std::string& body, const std::string& type = "Float") {
    const std::string matrix = "(Tensor 2 " + type + ")";
    return program("(p : " + matrix + ") (q : " + matrix + ")", body, matrix);
}

std::string vectors(const std::string& body) {
    return program("(p : (Vec Float)) (q : (Vec Float))", body, "(Vec Float)");
}

/// "x = a, F = exp" for each match, "nothing" if it binds nothing, joined by " | "; "none".
std::string matches(const char* definitions, const std::string& pattern, const std::string& text, bool all = true) {
    const SourceText source("figure.rules", definitions);
    const auto loaded = rules::loadPattern(SourceText("pattern", pattern), &source, registry());
    if (!loaded) return loaded.error().render();
    ir::TermBank bank(loaded->registry);
    const auto parsed = ks::parseProgram(bank, "test.ks", text);
    if (!parsed) return parsed.error().render();
    const rules::TermPrinter print = [&bank](ir::TermId term) { return printed(bank, term); };
    const rules::MatchTrace trace =
        rules::traceMatch(bank, parsed->root, *loaded->pattern, {.allMatches = all, .maxStates = 0}, print);
    std::vector<rules::Substitution> compiled;
    loaded->pattern->match(bank, parsed->root, [&](const rules::Substitution& match) {
        compiled.push_back(match);
        return all;
    });
    if (compiled != trace.matches) return "the matcher and the machine differ";
    std::string result;
    for (const rules::Substitution& match : trace.matches) {
        if (const Status status = loaded->pattern->isInstance(bank, match, parsed->root); !status) {
            return status.error().message;
        }
        result += result.empty() ? "" : " | ";
        std::string values;
        for (std::size_t i = 0; i < match.values.size(); ++i) {
            const std::string& name = loaded->pattern->variables()[i];
            if (name == "choices" || !match.values[i].term.isValid()) continue;
            values +=
                (values.empty() ? "" : ", ") + name + " = " + rules::valueText(bank, *loaded->pattern, match, i, print);
        }
        result += values.empty() ? "nothing" : values;
    }
    return result.empty() ? "none" : result;
}

}  // namespace

class TestPyPM : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void figure1();
    void figure2();
    void figure3();
    void figure4();
    void figure14();
    void alternatesAreLeftEager();
    void localsMustEndBound();
    void declaredOperators();
    void opaqueOperators();
};

void TestPyPM::figure1() {
    QCOMPARE(rewritesBy(Figure1, "cublasrule", matrices("(MatMul p (Trans q))")),
             std::string("(cublasMM_xyT_f64 p q)"));
    QCOMPARE(rewritesBy(Figure1, "cublasrule", matrices("(MatMul p (Trans q))", "Integer")),
             std::string("(cublasMM_xyT_i64 p q)"));
    // No branch fits, a guard refuses, another shape.
    QCOMPARE(rewritesBy(Figure1, "cublasrule", matrices("(MatMul p (Trans q))", "Bool")), std::string("none"));
    QCOMPARE(rewritesBy(Figure1, "cublasrule", vectors("(MatMul p (Trans q))")), std::string("none"));
    QCOMPARE(rewritesBy(Figure1, "cublasrule", matrices("(MatMul (Trans p) q)")), std::string("none"));
}

void TestPyPM::figure2() {
    const std::string x = "(a : Float) (b : Float)";
    const std::string rest = "(add 1.0 (erf (div a 1.4142135623730951)))";
    QCOMPARE(rewritesBy(Figure2, "fuse_gelu", program(x, "(mul (div a 2.0) " + rest + ")")),
             std::string("(Gelu_fused a)"));
    QCOMPARE(rewritesBy(Figure2, "fuse_gelu", program(x, "(mul (mul a 0.5) " + rest + ")")),
             std::string("(Gelu_fused a)"));
    QCOMPARE(rewritesBy(Figure2, "fuse_gelu", program(x, "(mul (div b 2.0) " + rest + ")")), std::string("none"));
    QCOMPARE(rewritesBy(Figure2, "fuse_gelu", program(x, "(mul (div a 3.0) " + rest + ")")), std::string("none"));
}

void TestPyPM::figure3() {
    const std::string tower = program("(a : Float)", "(Relu (Relu (Relu a)))");
    // The first match is the longest chain; the others follow.
    QCOMPARE(rewritesBy(Figure3, "shorten", tower), std::string("(Relu a) | (Relu (Relu a)) | (Relu (Relu (Relu a)))"));
    QCOMPARE(matches(Figure3, "UnaryChain(x, F)", tower, false), std::string("x = a, F = Relu"));
    // One operator only.
    QCOMPARE(matches(Figure3, "UnaryChain(x, F)", program("(a : Float)", "(Relu (exp (exp a)))")),
             std::string("x = (exp (exp a)), F = Relu"));
    QCOMPARE(matches(Figure3, "UnaryChain(x, F)", program("(a : Float) (b : Float)", "(add a b)")),
             std::string("none"));
}

void TestPyPM::figure4() {
    const std::string variables = "(k : Float) (l : Float)";
    // x is the root of the tree, not one of its leaves; F and G are found on the way.
    QCOMPARE(matches(Figure4, "P(x, F, G)", program(variables, "(b (u k) (u (u l)))"), false),
             std::string("x = (b (u k) (u (u l))), F = u, G = b"));
    QCOMPARE(matches(Figure4, "P(x, F, G)", program(variables, "(u k)")), std::string("x = (u k), F = u | x = (u k)"));
    // A leaf: neither is bound (figure 4's third alternate).
    QCOMPARE(matches(Figure4, "P(x, F, G)", program(variables, "k")), std::string("x = k"));
    // Two different binary operators: the lower one is a leaf.
    QCOMPARE(matches(Figure4, "P(x, F, G)", program(variables, "(b (other k l) l)"), false),
             std::string("x = (b (other k l) l), G = b"));
    QCOMPARE(matches(Figure4, "P(x, F, G) where G == other", program(variables, "(b (other k l) l)"), false),
             std::string("none"));
}

void TestPyPM::figure14() {
    const std::string product = vectors("(MatMul p q)");
    const std::string chain = vectors("(exp (exp (MatMul p q)))");
    // As printed, PwSubgraph(MatMul(a, b)) asks its root to be the product: x is both the root and MatMul(a, b).
    QCOMPARE(matches(Figure14, "MatMulEpilog(x)", product), std::string("x = (MatMul p q)"));
    QCOMPARE(matches(Figure14, "MatMulEpilog(x)", chain), std::string("none"));
    // Its first pattern by itself finds every pointwise chain below x.
    QCOMPARE(matches(Figure14, "PwSubgraph(x)", chain, false), std::string("x = (exp (exp (MatMul p q)))"));
    // As described: some number of pointwise operators over a product, not all the same.
    QCOMPARE(matches(Figure14, "Epilog(x)", product), std::string("x = (MatMul p q)"));
    QCOMPARE(matches(Figure14, "Epilog(x)", chain), std::string("x = (exp (exp (MatMul p q)))"));
    const std::string numbers = program("(p : Float) (q : Float)", "(exp (neg (sin (MatMul p q))))");
    QCOMPARE(matches(Figure14, "Epilog(x)", numbers), std::string("x = (exp (neg (sin (MatMul p q))))"));
    QCOMPARE(matches(Figure14, "Epilog(x)", program("(p : Float) (q : Float)", "(exp (mul p q))")),
             std::string("none"));
}

void TestPyPM::alternatesAreLeftEager() {
    // Section 3.1.2: f(x, y) || f(y, x) against f(c1, c2) gives {x ↦ c1, y ↦ c2} only; asked again, our machine goes on.
    const char* const swapped =
        "use ks\nop g(x, y)\nop c1()\nop c2()\npattern P(x, y) = g(x, y)\npattern P(x, y) = g(y, x)\n";
    const std::string term = program("", "(g (c1) (c2))");
    QCOMPARE(matches(swapped, "P(x, y)", term, false), std::string("x = (c1), y = (c2)"));
    QCOMPARE(matches(swapped, "P(x, y)", term), std::string("x = (c1), y = (c2) | x = (c2), y = (c1)"));
}

void TestPyPM::localsMustEndBound() {
    const std::string term = program("(a : Float)", "(exp a)");
    const char* const open =
        "use ks\npattern Q(x, y) = exp(x)\npattern Q(x, y) = exp(y)\npattern R(x) = Q(x, y)  with local y\n";
    // The first alternate of Q leaves y unbound; the second one leaves x unbound, which is no local.
    QCOMPARE(matches(open, "R(x)", term), std::string("nothing"));
    QCOMPARE(matches(open, "Q(x, y)", term), std::string("x = a | y = a"));
    QCOMPARE(matches(open, "Q(x, y) with local y", term), std::string("y = a"));
    // A constraint about something that is not bound does not match.
    const char* const early = "use ks\npattern Q(x, y) = exp(x)  with y <= exp(x)\n";
    QCOMPARE(matches(early, "Q(x, y)", term), std::string("none"));
    QCOMPARE(matches(early, "y with x <= log(y)", term).substr(0, 9), std::string("pattern:1"));
    // At the top: a rule with locals and constraints; the locals may be used on the right.
    const std::string rule = "rule split: x => log(y)  with local y, x <= exp(y)  where y.is_var";
    QCOMPARE(rewritesBy(rule, "split", term), std::string("(log a)"));
    QCOMPARE(rewritesBy(rule, "split", program("(a : Float)", "(exp (exp a))")), std::string("none"));
    // Under a binder: what the variable may mention, the constraint may mention.
    const std::string loop =
        "rule first: sumbuild(n, \\i. e) => y  with local y, v, e <= index(i, v) * y  where i not in y";
    const std::string sum =
        "(def f Float ((v : Vec Float) (a : Float)) (sumbuild 3 (lam (i : Integer) (mul (index i v) a))))";
    QCOMPARE(rewritesBy(loop, "first", sum), std::string("a"));
    const std::string dependent =
        "(def f Float ((v : Vec Float) (a : Float)) (sumbuild 3 (lam (i : Integer) (mul (index i v) (index i v)))))";
    QCOMPARE(rewritesBy(loop, "first", dependent), std::string("none"));
}

void TestPyPM::declaredOperators() {
    const std::string rules =
        "op conv[stride, mode](x, w)\nop e()\nop two(x) -> 2\n"
        "rule more: conv[stride=s](x, w) => conv[stride=s + 1, mode=\"valid\"](w, x)  where s < 3\n"
        "rule same: conv[stride=2, mode=m](x, e()) => conv[mode=m, stride=1](x, x)\n"
        "rule twice: conv[stride=s](conv[stride=s](x, y), z) => x\n"
        "rule first: two(x).0 => x\n";
    const std::string ab = "(a : Float) (b : Float)";
    QCOMPARE(rewritesBy(rules, "more", program(ab, "(conv$2$same a b)")), std::string("(conv$3$valid b a)"));
    QCOMPARE(rewritesBy(rules, "more", program(ab, "(conv$3$same a b)")), std::string("none"));
    QCOMPARE(rewritesBy(rules, "same", program(ab, "(conv$2$same a (e))")), std::string("(conv$1$same a a)"));
    QCOMPARE(rewritesBy(rules, "same", program(ab, "(conv$2$same a b)")), std::string("none"));
    QCOMPARE(rewritesBy(rules, "twice", program(ab, "(conv$1$x (conv$1$y a b) b)")), std::string("a"));
    QCOMPARE(rewritesBy(rules, "twice", program(ab, "(conv$1$x (conv$2$x a b) b)")), std::string("none"));
    QCOMPARE(rewritesBy(rules, "first", program(ab, "(get$1$2 (two a))")), std::string("a"));
    // Operators of other attributes are other operators for function variables too.
    const char* const definitions = "op conv[stride](x)\n";
    QCOMPARE(matches(definitions, "F(F(x))", program(ab, "(conv$1 (conv$1 a))")), std::string("F = conv$1, x = a"));
    QCOMPARE(matches(definitions, "F(F(x))", program(ab, "(conv$1 (conv$2 a))")), std::string("none"));
    // The symbol alone is what their names say: two function variables, one condition.
    const char* const convolutions =
        "op conv[stride](x)\npattern Convs(x, F) = G(Convs(x, F))  with local G  where G.op == F.op\n"
        "pattern Convs(x, F) = F(x)\n";
    QCOMPARE(matches(definitions, "F(G(x)) where F.op == G.op", program(ab, "(conv$1 (conv$2 a))")),
             std::string("F = conv$1, G = conv$2, x = a"));
    QCOMPARE(matches(definitions, "F(G(x)) where F.op == G.op", program(ab, "(conv$1 (exp a))")), std::string("none"));
    QCOMPARE(matches(convolutions, "Convs(x, F)", program(ab, "(conv$1 (conv$2 (conv$2 a)))"), false),
             std::string("x = a, F = conv$2"));
    QCOMPARE(matches(convolutions, "Convs(x, F)", program(ab, "(conv$1 (exp (conv$2 a)))"), false),
             std::string("x = (exp (conv$2 a)), F = conv$1"));
    // A program that does not give them.
    ir::TermBank bank(load(rules)->registry);
    const auto wrong = ks::parseProgram(bank, "p.ks", program(ab, "(conv$2 a b)"));
    QVERIFY(!wrong.ok());
    QCOMPARE(wrong.error().oneLine(), std::string("p.ks:1:40: conv$2 is not the operator conv with its attributes"));
    QCOMPARE(wrong.error().hint, std::string("write their values behind it: conv$stride$mode"));
}

void TestPyPM::opaqueOperators() {
    // Nobody declared Ext to the rules: calls of it are carried through, and function variables may stand for it.
    const std::string external = "(edef Ext Float (Float))\n";
    const std::string twice =
        "rule twice: F(F(x)) => F(x)\nrule one: x * 1 => x\nop Known(x)\nrule known: Known(x) => exp(x)\n"
        "rule make: sin(x) => Known(x)";
    const std::string body = program("(a : Float)", "(mul (Ext (Ext a)) 1.0)");
    QCOMPARE(rewritesBy(twice, "one", external + body), std::string("(Ext (Ext a))"));
    QCOMPARE(rewritesBy(twice, "twice", external + program("(a : Float)", "(Ext (Ext a))")), std::string("(Ext a)"));
    // A declared operator is the program's function of that name, if it has one: on both sides.
    const std::string known = "(edef Known Float (Float))\n";
    QCOMPARE(rewritesBy(twice, "known", known + program("(a : Float)", "(Known a)")), std::string("(exp a)"));
    QCOMPARE(rewritesBy(twice, "known", program("(a : Float)", "(Known a)")), std::string("(exp a)"));
    // So do conditions see it.
    const std::string named =
        "op Known(x)\nclass mine = Known\nrule a: F(x) => x where F == Known\n"
        "rule b: F(x) => x where F: mine\n";
    for (const char* const rule : {"a", "b"}) {
        QCOMPARE(rewritesBy(named, rule, known + program("(a : Float)", "(Known a)")), std::string("a"));
        QCOMPARE(rewritesBy(named, rule, program("(a : Float)", "(Known a)")), std::string("a"));
        QCOMPARE(rewritesBy(named, rule, external + program("(a : Float)", "(Ext a)")), std::string("none"));
    }
    QCOMPARE(rewritesBy(twice, "make", known + program("(a : Float)", "(sin a)")), std::string("(Known a)"));
}

MITOS_TEST(TestPyPM)

}  // namespace tst_pypm

#include "tst_pypm.moc"
