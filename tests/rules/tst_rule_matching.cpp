// SPDX-License-Identifier: GPL-3.0-or-later
// What rules match and make: every rule of Tables 3 and 4 on a literal program, binders and capture, the constructs of
// the language, and the independent check of substitutions.
#include "core/rules/directed_rule.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_rule_matching {

using namespace mitos;
using namespace mitos::tests;

namespace {

std::string program(const std::string& parameters, const std::string& body, const std::string& result = "Float") {
    return "(def f " + result + " (" + parameters + ") " + body + ")";
}

const char* const Floats = "(a : Float) (b : Float) (c : Float)";
const char* const Vectors = "(n : Integer) (m : Integer) (v : (Vec Float)) (w : (Vec Float))";

QString text(const std::string& s) { return QString::fromStdString(s); }

}  // namespace

class TestRuleMatching : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void shippedRules_data();
    void shippedRules();
    void everyShippedRuleIsShown();
    void sumsOfIntegersAreNotDistributed();
    void liftBindUnderBinders();
    void captureIsAvoided();
    void nonlinearVariables();
    void bothDirections();
    void numbers();
    void alternatesAndRecursion();
    void conditions();
    void termsAreCompared();
    void operatorClasses();
    void sequences();
    void branchesConstantsAndLets();
    void bindersKeepTheirNames();
    void tamperedSubstitutions();
    void looseSubjects();

private:
    rules::RuleBook m_book;
};

void TestRuleMatching::initTestCase() {
    Result<rules::RuleBook> book = rules::RuleBook::load("ks-simple,ks-extended", registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    m_book = std::move(*book);
}

void TestRuleMatching::shippedRules_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("position");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* rule, const std::string& source, const char* position, const char* expected) {
        QTest::newRow(rule) << text(source) << QString::fromUtf8(position) << QString::fromUtf8(expected);
    };
    const auto floats = [&](const char* rule, const char* body, const char* expected) {
        row(rule, program(Floats, body), "/", expected);
    };
    // Table 3
    floats("add_zero", "(add 0.0 a)", "a");
    floats("mul_one", "(mul 1.0 a)", "a");
    floats("sub_zero", "(sub a 0.0)", "a");
    floats("div_one", "(div a 1.0)", "a");
    floats("add_neg_to_sub", "(add a (mul b -1.0))", "(sub a b)");
    floats("commute_mul", "(mul a b)", "(mul b a)");
    floats("commute_add", "(add a b)", "(add b a)");
    floats("sub_self", "(sub (exp a) (exp a))", "0.0");
    floats("assoc_add_add", "(add (add a b) c)", "(add (add a c) b)");
    floats("assoc_sub_add", "(sub (add a b) c)", "(add (sub a c) b)");
    floats("assoc_add_sub", "(add (sub a b) c)", "(sub (add a c) b)");
    floats("assoc_sub_sub", "(sub (sub a b) c)", "(sub (sub a c) b)");
    floats("sub_sub_to_sub_add", "(sub a (sub b c))", "(sub (add a c) b)");
    floats("assoc_mul_mul", "(mul (mul a b) c)", "(mul (mul a c) b)");
    floats("assoc_div_mul", "(div (mul a b) c)", "(mul (div a c) b)");
    floats("assoc_mul_div", "(mul (div a b) c)", "(div (mul a c) b)");
    floats("assoc_div_div", "(div (div a b) c)", "(div (div a c) b)");
    floats("div_by_div", "(div a (div b c))", "(div (mul a c) b)");
    floats("div_of_div", "(div (div a b) c)", "(div a (mul b c))");
    floats("mul_by_add", "(mul a (add b c))", "(add (mul a b) (mul a c))");
    floats("add_of_muls", "(add (mul a b) (mul a c))", "(mul a (add b c))");
    floats("mul_by_sub", "(mul a (sub b c))", "(sub (mul a b) (mul a c))");
    floats("add_neg_to_sub_mirrored", "(add a (mul -1.0 b))", "(sub a b)");
    floats("sub_of_muls", "(sub (mul a b) (mul a c))", "(mul a (sub b c))");
    floats("add_of_divs", "(add (div a c) (div b c))", "(div (add a b) c)");
    floats("sub_of_divs", "(sub (div a c) (div b c))", "(div (sub a b) c)");
    floats("div_by_mul", "(div a (mul b c))", "(div (div a b) c)");
    floats("mul_zero", "(mul 0.0 a)", "0.0");
    floats("new_bind", "(exp a)", "(let (x (exp a)) x)");
    floats("lift_bind", "(mul a (let (x (exp a)) (add x b)))", "(let (x (exp a)) (mul a (add x b)))");
    floats("cse_bind", "(let (x (exp a)) (let (y (exp a)) (mul x y)))", "(let (x (exp a)) (mul x x))");
    floats("inline_let", "(let (x (exp a)) (mul x (add x b)))", "(mul (exp a) (add (exp a) b))");
    floats("delete_let", "(let (x (exp a)) (mul a b))", "(mul a b)");
    // Table 4
    row("size_of_build", program(Vectors, "(size (build n (lam (i : Integer) (index i v))))", "Integer"), "/", "n");
    row("index_of_build", program(Vectors, "(index m (build n (lam (i : Integer) (index i v))))"), "/",
        "(let (i m) (index i v))");
    row("select_of_tuple", program(Vectors, "(get$2$3 (tuple n (index m v) w))"), "/", "(index m v)");
    row("mk_sumbuild", program(Vectors, "(sum (build n (lam (i : Integer) (index i v))))"), "/",
        "(sumbuild n (lam i (index i v)))");
    row("sumbuild_other_deltavec",
        program(Vectors, "(sumbuild n (lam (i : Integer) (deltaVec m (add n m) (index i v))))", "(Vec Float)"), "/",
        "(deltaVec m (add n m) (sumbuild n (lam i (index i v))))");
    row("sumbuild_other_deltavec",
        program(Vectors, "(sumbuild n (lam (i : Integer) (deltaVec 3 m (if (gt i 1) v w))))", "(Vec (Vec Float))"), "/",
        "(deltaVec 3 m (sumbuild n (lam i (if (gt i 1) v w))))");
    row("sumbuild_of_tuple",
        program(Vectors, "(sumbuild n (lam (i : Integer) (tuple (index i v) (index i w))))", "(Tuple Float Float)"),
        "/", "(tuple (sumbuild n (lam i (index i v))) (sumbuild n (lam i (index i w))))");
    row("sumbuild_of_if", program(Vectors, "(sumbuild n (lam (i : Integer) (if (gt n m) (index i v) (index i w))))"),
        "/", "(if (gt n m) (sumbuild n (lam i (index i v))) (sumbuild n (lam i (index i w))))");
    row("sumbuild_invariant", program(Vectors, "(sumbuild n (lam (i : Integer) (index m v)))"), "/",
        "(mul (to_float n) (index m v))");
    row("sumbuild_of_sum", program(Vectors, "(sumbuild n (lam (i : Integer) (add (index i v) (index i w))))"), "/",
        "(add (sumbuild n (lam i (index i v))) (sumbuild n (lam i (index i w))))");
    row("sumbuild_of_build",
        program(Vectors, "(sumbuild n (lam (i : Integer) (build m (lam (j : Integer) (mul (index i v) (index j w))))))",
                "(Vec Float)"),
        "/", "(build m (lam j (sumbuild n (lam i (mul (index i v) (index j w))))))");
    row("sum_of_deltavecs", program(Vectors, "(add (deltaVec n m 1.0) (deltaVec n m 2.0))", "(Vec Float)"), "/",
        "(deltaVec n m (add 1.0 2.0))");
    row("add_tuples", program(Vectors, "(add (tuple 1.0 v) (tuple 2.0 w))", "(Tuple Float (Vec Float))"), "/",
        "(tuple (add 1.0 2.0) (add v w))");
    row("mul_tuple_scalar", program(Vectors, "(mul (tuple 1.0 v) 3.0)", "(Tuple Float (Vec Float))"), "/",
        "(tuple (mul 1.0 3.0) (mul v 3.0))");
    floats("if_true", "(if true a b)", "a");
    floats("if_false", "(if false a b)", "b");
    row("if_return_p", program(Floats, "(if (gt a b) true false)", "Bool"), "/", "(gt a b)");
    floats("if_both_same", "(if (gt a b) (exp c) (exp c))", "(exp c)");
    row("eq_self", program(Floats, "(eq a a)", "Bool"), "/", "true");
}

void TestRuleMatching::shippedRules() {
    QFETCH(const QString, program);
    QFETCH(const QString, position);
    QFETCH(const QString, expected);
    const auto rule = m_book.find(QTest::currentDataTag());
    QVERIFY(rule != nullptr);
    QCOMPARE(text(rewrites(*rule, program.toStdString(), position.toStdString())), expected);
}

void TestRuleMatching::everyShippedRuleIsShown() {
    // The paper's tables hold 33 and 18 rules; the rows above are one for each.
    QCOMPARE(m_book.sets().at(0).rules.size(), std::size_t{33});
    QCOMPARE(m_book.sets().at(1).rules.size(), std::size_t{18});
    QCOMPARE(m_book.directions().size(), std::size_t{51});
    std::vector<std::string> phase1;
    for (const auto& rule : m_book.sets().at(1).rules) {
        QVERIFY2(!rule->doc.empty(), rule->name.c_str());
        if (rule->hasTag("phase1")) phase1.push_back(rule->name);
    }
    const std::vector<std::string> expected{"index_of_build",    "mk_sumbuild",       "sumbuild_other_deltavec",
                                            "sumbuild_of_tuple", "sumbuild_of_if",    "sumbuild_invariant",
                                            "sumbuild_of_sum",   "sumbuild_of_build", "sum_of_deltavecs",
                                            "add_tuples",        "mul_tuple_scalar"};
    QCOMPARE(phase1, expected);
    QVERIFY(m_book.find("no_such_rule") == nullptr);
}

void TestRuleMatching::sumsOfIntegersAreNotDistributed() {
    // The Float 1 times 2^63 - 1 plus the Float 1 times 1 is 2^63; the Float 1 times their sum, which wraps around, is -2^63.
    const char* const mixed = "(x : Float) (n : Integer) (m : Integer)";
    const auto at = [&](const char* rule, const char* body) {
        return rewrites(*m_book.find(rule), program(mixed, body));
    };
    QCOMPARE(at("add_of_muls", "(add (mul x n) (mul x m))"), std::string("none"));
    QCOMPARE(at("sub_of_muls", "(sub (mul x n) (mul x m))"), std::string("none"));
    QCOMPARE(at("mul_by_add", "(mul x (add n m))"), std::string("none"));
    QCOMPARE(at("mul_by_sub", "(mul x (sub n m))"), std::string("none"));
    QCOMPARE(at("assoc_mul_mul", "(mul (mul n m) x)"), std::string("none"));
    QCOMPARE(at("assoc_mul_mul", "(mul (mul n x) m)"), std::string("none"));
    QCOMPARE(at("assoc_mul_mul", "(mul (mul x n) m)"), std::string("(mul (mul x m) n)"));
    QCOMPARE(rewrites(*m_book.find("mul_by_add"), program(mixed, "(mul n (add m m))", "Integer")),
             std::string("(add (mul n m) (mul n m))"));
}

void TestRuleMatching::liftBindUnderBinders() {
    const auto lift = m_book.find("lift_bind");
    const auto at = [&](const std::string& source, const char* position = "/") {
        return rewrites(*lift, source, position);
    };
    // The other arguments move below the let: their variables must still be the same ones.
    QCOMPARE(at(program(Floats, "(let (y (exp a)) (mul y (let (x (exp b)) (add x y))))"), "/1"),
             std::string("(let (y (exp a)) (let (x (exp b)) (mul y (add x y))))"));
    // Out of the body of a let, past its variable…
    QCOMPARE(at(program(Floats, "(let (y (exp a)) (let (x (exp b)) (add x y)))")),
             std::string("(let (x (exp b)) (let (y (exp a)) (add x y)))"));
    // … unless the value mentions it.
    QCOMPARE(at(program(Floats, "(let (y (exp a)) (let (x (exp y)) (add x y)))")), std::string("none"));
    // Out of the value of a let.
    QCOMPARE(at(program(Floats, "(let (y (let (x (exp a)) (mul x x))) (add y b))")),
             std::string("(let (x (exp a)) (let (y (mul x x)) (add y b)))"));
    // Two arguments can move; a lambda stays closed.
    QCOMPARE(
        at(program(Floats, "(mul (let (x a) (exp x)) (let (y b) (exp y)))")),
        std::string("(let (x a) (mul (exp x) (let (y b) (exp y)))) | (let (y b) (mul (let (x a) (exp x)) (exp y)))"));
    QCOMPARE(at(program(Vectors, "(build n (lam (i : Integer) (let (x 1.0) x)))", "(Vec Float)"), "/1"),
             std::string("none"));
    // Inside a loop, out of an argument that mentions the loop's variable.
    QCOMPARE(
        at(program(Vectors, "(build n (lam (i : Integer) (mul (index i w) (let (x (index i v)) (add x (index i w))))))",
                   "(Vec Float)"),
           "/1/0"),
        std::string("(build n (lam i (let (x (index i v)) (mul (index i w) (add x (index i w))))))"));
}

void TestRuleMatching::captureIsAvoided() {
    // The value mentions a variable that is bound again inside the body.
    const std::string shadow = program(Floats, "(let (y (exp a)) (let (x (add y 1.0)) (let (y (exp b)) (mul x y))))");
    QCOMPARE(rewrites(*m_book.find("inline_let"), shadow, "/1"),
             std::string("(let (y (exp a)) (let (y_1 (exp b)) (mul (add y 1.0) y_1)))"));
    const std::string loop = program(Vectors,
                                     "(build n (lam (i : Integer) (let (x (index i v)) "
                                     "(build m (lam (i : Integer) (mul x (index i w)))))))",
                                     "(Vec (Vec Float))");
    QCOMPARE(rewrites(*m_book.find("inline_let"), loop, "/1/0"),
             std::string("(build n (lam i (build m (lam i_1 (mul (index i v) (index i_1 w))))))"));
    // A variable that the moved term mentions must not be the one it moves past.
    const std::string dependent =
        program(Vectors, "(sumbuild n (lam (i : Integer) (build i (lam (j : Integer) 1.0))))", "(Vec Float)");
    QCOMPARE(rewrites(*m_book.find("sumbuild_of_build"), dependent), std::string("none"));
    const std::string condition = program(Vectors, "(sumbuild n (lam (i : Integer) (if (gt i m) (index i v) 1.0)))");
    QCOMPARE(rewrites(*m_book.find("sumbuild_of_if"), condition), std::string("none"));
    QCOMPARE(rewrites(*m_book.find("delete_let"), program(Floats, "(let (x (exp a)) (mul x b))")), std::string("none"));
    // The inner value mentions the outer variable: not the same value.
    QCOMPARE(rewrites(*m_book.find("cse_bind"), program(Floats, "(let (x a) (let (y (exp x)) (mul x y)))")),
             std::string("none"));
    QCOMPARE(
        rewrites(*m_book.find("index_of_build"),
                 program(Vectors, "(let (i n) (index i (build n (lam (j : Integer) (mul (index j v) (index i w))))))"),
                 "/1"),
        std::string("(let (i n) (let (j i) (mul (index j v) (index i w))))"));
}

void TestRuleMatching::nonlinearVariables() {
    const std::string twice = "rule twice: a + a => 2 * a";
    QCOMPARE(rewritesBy(twice, "twice", program(Floats, "(add (exp a) (exp a))")), std::string("(mul 2.0 (exp a))"));
    QCOMPARE(rewritesBy(twice, "twice", program(Floats, "(add a b)")), std::string("none"));
    // Equal up to the names of bound variables.
    QCOMPARE(rewritesBy(twice, "twice", program(Floats, "(add (let (x a) (exp x)) (let (y a) (exp y)))")),
             std::string("(mul 2.0 (let (x a) (exp x)))"));
    // The same variable below two binders of one name.
    const std::string fuse = "rule fuse: sumbuild(n, \\i. e) + sumbuild(n, \\i. e) => sumbuild(n, \\i. e + e)";
    QCOMPARE(
        rewritesBy(
            fuse, "fuse",
            program(Vectors,
                    "(add (sumbuild n (lam (i : Integer) (index i v))) (sumbuild n (lam (j : Integer) (index j v))))")),
        std::string("(sumbuild n (lam i (add (index i v) (index i v))))"));
    QCOMPARE(
        rewritesBy(
            fuse, "fuse",
            program(Vectors,
                    "(add (sumbuild n (lam (i : Integer) (index i v))) (sumbuild n (lam (j : Integer) (index j w))))")),
        std::string("none"));
}

void TestRuleMatching::bothDirections() {
    const std::string rule = "rule distribute: a * (b + c) <=> a * b + a * c";
    QCOMPARE(rewritesBy(rule, "distribute", program(Floats, "(mul a (add b c))")),
             std::string("(add (mul a b) (mul a c))"));
    QCOMPARE(rewritesBy(rule, "distribute~", program(Floats, "(add (mul a b) (mul a c))")),
             std::string("(mul a (add b c))"));
    const std::string loops =
        "rule swap: sumbuild(m, \\x. build(n, \\y. e)) <=> build(n, \\y. sumbuild(m, \\x. e)) "
        "where x not in n and y not in m";
    QCOMPARE(rewritesBy(
                 loops, "swap~",
                 program(Vectors,
                         "(build m (lam (j : Integer) (sumbuild n (lam (i : Integer) (mul (index i v) (index j w))))))",
                         "(Vec Float)")),
             std::string("(sumbuild n (lam i (build m (lam j (mul (index i v) (index j w))))))"));
}

void TestRuleMatching::numbers() {
    const char* const mixed = "(a : Float) (k : Integer)";
    const auto zero = m_book.find("add_zero");
    QCOMPARE(rewrites(*zero, program(mixed, "(add 0 k)", "Integer")), std::string("k"));
    QCOMPARE(rewrites(*zero, program(mixed, "(add -0.0 a)")), std::string("none"));
    QCOMPARE(rewrites(*m_book.find("sub_self"), program(mixed, "(sub k k)", "Integer")), std::string("0"));
    QCOMPARE(rewrites(*m_book.find("mul_zero"), program(mixed, "(mul 0 k)", "Integer")), std::string("0"));
    // Zero times a vector is no number.
    QCOMPARE(rewrites(*m_book.find("mul_zero"), program(Vectors, "(mul 0.0 v)", "(Vec Float)")), std::string("none"));
    // Divisions of Integers truncate.
    QCOMPARE(rewrites(*m_book.find("assoc_div_mul"), program("(k : Integer)", "(div (mul 1 4) k)", "Integer")),
             std::string("none"));
    QCOMPARE(rewritesBy("rule f: a * 1.0 => a", "f", program(mixed, "(mul k 1)", "Integer")), std::string("none"));
    QCOMPARE(rewritesBy("rule near: a * ~0.3333333 => a / 3", "near", program(mixed, "(mul a 0.33333333333)")),
             std::string("(div a 3.0)"));
    QCOMPARE(rewritesBy("rule near: a * ~0.3333333 => a / 3", "near", program(mixed, "(mul a 0.3334)")),
             std::string("none"));
}

void TestRuleMatching::alternatesAndRecursion() {
    // Figure 1 of PyPM, in ks.
    const std::string half =
        "pattern Half(x) = x / 2\npattern Half(x) = x * 0.5\n"
        "rule halve: exp(Half(x)) => sqrt(exp(x))";
    QCOMPARE(rewritesBy(half, "halve", program(Floats, "(exp (div a 2.0))")), std::string("(sqrt (exp a))"));
    QCOMPARE(rewritesBy(half, "halve", program(Floats, "(exp (mul a 0.5))")), std::string("(sqrt (exp a))"));
    QCOMPARE(rewritesBy(half, "halve", program(Floats, "(exp (mul a 0.25))")), std::string("none"));
    const std::string chain =
        "pattern Chain(x, F) = F(Chain(x, F))\npattern Chain(x, F) = F(x)\n"
        "rule last: Chain(x, F) => F(x) where F: unary_pointwise";
    // All matches: every length of the chain.
    QCOMPARE(rewritesBy(chain, "last", program(Floats, "(exp (exp (exp a)))")),
             std::string("(exp a) | (exp (exp a)) | (exp (exp (exp a)))"));
    QCOMPARE(rewritesBy(chain, "last", program(Floats, "(exp (log (exp a)))")), std::string("(exp (log (exp a)))"));
    const std::string guarded =
        "pattern Big(x) = x * c where x.type == Float\n"
        "rule big: Big(x) => x";
    QCOMPARE(errorsOf(guarded),
             std::string(
                 "1:22 c is not a parameter of this pattern | add it to the parameters, or declare it: with local c\n"
                 "2:11 the pattern Big has an error | see the message about it"));
    const std::string typed = "pattern Twice(x) = x + x where x.is_var\nrule twice: Twice(x) => 2 * x";
    QCOMPARE(rewritesBy(typed, "twice", program(Floats, "(add a a)")), std::string("(mul 2.0 a)"));
    QCOMPARE(rewritesBy(typed, "twice", program(Floats, "(add (exp a) (exp a))")), std::string("none"));
    // What a pattern is used with may mention what is bound around it; what the pattern binds itself, it cannot.
    const std::string loops =
        "pattern Half(x) = x / 2\npattern Half(x) = x * 0.5\n"
        "rule out: sumbuild(n, \\i. Half(index(i, v))) => sumbuild(n, \\i. index(i, v)) / 2\n"
        "pattern Drop(x) = let v = x in y  with local y  where v not in y\n"
        "rule drop: Drop(exp(x)) => x\n";
    QCOMPARE(rewritesBy(loops, "out", program(Vectors, "(sumbuild n (lam (k : Integer) (mul (index k v) 0.5)))")),
             std::string("(div (sumbuild n (lam k (index k v))) 2.0)"));
    QCOMPARE(rewritesBy(loops, "out", program(Vectors, "(sumbuild n (lam (k : Integer) (mul (index m v) 0.5)))")),
             std::string("none"));
    QCOMPARE(rewritesBy(loops, "drop", program(Floats, "(let (t (exp a)) (mul a b))")), std::string("a"));
    QCOMPARE(rewritesBy(loops, "drop", program(Floats, "(let (t (exp a)) (mul a t))")), std::string("none"));
    // Arguments may be patterns.
    const std::string nested = "pattern Half(x) = x / 2\nrule quarter: Half(Half(x)) => x / 4";
    QCOMPARE(rewritesBy(nested, "quarter", program(Floats, "(div (div a 2.0) 2.0)")), std::string("(div a 4.0)"));
}

void TestRuleMatching::conditions() {
    const auto run = [](const std::string& condition, const std::string& body) {
        return rewritesBy("rule r: a * b => b * a where " + condition, "r", program(Floats, body));
    };
    QCOMPARE(run("a.is_const", "(mul 2.0 b)"), std::string("(mul b 2.0)"));
    QCOMPARE(run("a.is_const", "(mul a b)"), std::string("none"));
    QCOMPARE(run("a.is_const and a > 1 and a + 1 < 4", "(mul 2.0 b)"), std::string("(mul b 2.0)"));
    QCOMPARE(run("a > 1", "(mul a b)"), std::string("none"));
    QCOMPARE(run("not a > 1", "(mul a b)"), std::string("none"));  // there is no value to compare
    QCOMPARE(run("a.nodes <= b.nodes", "(mul a (exp b))"), std::string("(mul (exp b) a)"));
    QCOMPARE(run("a.op == exp or b.op == exp", "(mul a (exp b))"), std::string("(mul (exp b) a)"));
    QCOMPARE(run("a.type == b.type and a.type != Vec(Float)", "(mul a b)"), std::string("(mul b a)"));
    QCOMPARE(run("a.dtype == f64 and a.rank == 0", "(mul a b)"), std::string("(mul b a)"));
    QCOMPARE(run("a.dtype == f32", "(mul a b)"), std::string("none"));
    const std::string used = "rule used: let x = e in b => b[x := e] where x in b";
    QCOMPARE(rewritesBy(used, "used", program(Floats, "(let (x a) (exp x))")), std::string("(exp a)"));
    QCOMPARE(rewritesBy(used, "used", program(Floats, "(let (x a) (exp b))")), std::string("none"));
    const auto inlineLet = m_book.find("inline_let");
    QCOMPARE(rewrites(*inlineLet, program(Floats, "(let (x (print a)) (mul a b))")), std::string("none"));
}

/// Two names of variables denote their terms, and the values of these if both are constants.
void TestRuleMatching::termsAreCompared() {
    const auto run = [](const std::string& condition, const std::string& body) {
        return rewritesBy("rule r: a * b => b + a where " + condition, "r", program(Floats, body));
    };
    const std::string different = "(add b a)";
    QCOMPARE(run("a != b", "(mul a b)"), different);
    QCOMPARE(run("not a == b", "(mul a b)"), different);
    QCOMPARE(run("a.is_var and b.is_var and a != b", "(mul a b)"), different);
    QCOMPARE(run("a == b", "(mul a b)"), std::string("none"));
    for (const char* const condition : {"a != b", "not a == b"}) {
        QCOMPARE(run(condition, "(mul a a)"), std::string("none"));
        QCOMPARE(run(condition, "(mul (exp a) (exp a))"), std::string("none"));
        QCOMPARE(run(condition, "(mul 2.0 2.0)"), std::string("none"));
        QCOMPARE(run(condition, "(mul (exp a) a)"), std::string("(add a (exp a))"));
        QCOMPARE(run(condition, "(mul 2.0 3.0)"), std::string("(add 3.0 2.0)"));
        QCOMPARE(run(condition, "(mul 2.0 a)"), std::string("(add a 2.0)"));
    }
    QCOMPARE(run("a == b", "(mul (exp a) (exp a))"), std::string("(add (exp a) (exp a))"));
    QCOMPARE(run("a == b", "(mul 2.0 2.0)"), std::string("(add 2.0 2.0)"));
    QCOMPARE(run("a == b", "(mul 2.0 a)"), std::string("none"));
    // Below binders: the same term, at another distance from its variable, and the innermost variable beside another one.
    const std::string rule = "rule r: let x = e in b => b[x := e] where b == e";
    const auto inLoop = [](const std::string& body) {
        return program(Vectors, "(sumbuild n (lam (i : Integer) " + body + "))");
    };
    QCOMPARE(rewritesBy(rule, "r", inLoop("(let (x (index i v)) (index i v))"), "/1/0"),
             std::string("(sumbuild n (lam i (index i v)))"));
    QCOMPARE(rewritesBy(rule, "r", inLoop("(let (x (index i v)) (index i w))"), "/1/0"), std::string("none"));
    QCOMPARE(rewritesBy(rule, "r", inLoop("(let (x (index i v)) x)"), "/1/0"), std::string("none"));
    // In named patterns, too.
    const std::string named = "pattern Other(y) = exp(y) * z  with local z where y != z\nrule r: Other(y) => y";
    QCOMPARE(rewritesBy(named, "r", program(Floats, "(mul (exp a) b)")), std::string("a"));
    QCOMPARE(rewritesBy(named, "r", program(Floats, "(mul (exp a) a)")), std::string("none"));
    // The operator of all variables, bound ones included, is `variable`.
    const std::string operators = "rule r: a * b => b + a where a.op == b.op";
    QCOMPARE(rewritesBy(operators, "r", program(Floats, "(let (x (exp a)) (mul x b))"), "/1"),
             std::string("(let (x (exp a)) (add b x))"));
    QCOMPARE(errorsOf("rule r: a * b => b * a\n    where a.is_var and b.is_var and a.name != b.name"),
             std::string("2:11 this condition can never hold | all variables of programs have the operator `variable`; "
                         "to state that two terms differ, write a != b"));
}

void TestRuleMatching::operatorClasses() {
    const auto run = [](const std::string& condition, const std::string& body) {
        return rewritesBy("class growing = exp, cosh\nrule r: F(F(x)) => F(x) where " + condition, "r",
                          program(Floats, body));
    };
    QCOMPARE(run("F: growing", "(exp (exp a))"), std::string("(exp a)"));
    QCOMPARE(run("F in growing", "(log (log a))"), std::string("none"));
    QCOMPARE(run("F in {log, exp}", "(log (log a))"), std::string("(log a)"));
    QCOMPARE(run("F not in {log, exp}", "(log (log a))"), std::string("none"));
    QCOMPARE(run("F == log", "(log (log a))"), std::string("(log a)"));
    QCOMPARE(run("F.arity == 1 and F.pointwise and not F.effectful", "(log (log a))"), std::string("(log a)"));
    QCOMPARE(run("F: unary_pointwise", "(log (exp a))"), std::string("none"));
}

void TestRuleMatching::sequences() {
    // All ways to split the arguments, the first sequence shortest first.
    QCOMPARE(rewritesBy("rule front: tuple(a..., e, b...) => tuple(e, a..., b...)", "front",
                        program(Floats, "(tuple a b c)", "(Tuple Float Float Float)")),
             std::string("(tuple a b c) | (tuple b a c) | (tuple c a b)"));
    const std::string pairs = "rule p: tuple(tuple(a...), tuple(b...)) => tuple(tuple((a + b)...), tuple(b...))";
    QCOMPARE(rewritesBy(
                 pairs, "p",
                 program(Floats, "(tuple (tuple a b) (tuple b c))", "(Tuple (Tuple Float Float) (Tuple Float Float))")),
             std::string("(tuple (tuple (add a b) (add b c)) (tuple b c))"));
    QCOMPARE(rewritesBy("rule r: tuple(a..., tuple(b...), a...) => tuple(a..., tuple(b...), a...)", "r",
                        program(Floats, "(tuple a (tuple b) c)", "(Tuple Float (Tuple Float) Float)")),
             std::string("none"));
    QCOMPARE(rewritesBy("rule third: select(t, 2) => t.2", "third",
                        program("(t : (Tuple Float Float Float))", "(get$3$3 t)")),
             std::string("(get$3$3 t)"));
}

void TestRuleMatching::branchesConstantsAndLets() {
    const std::string fold = "rule fold: c + d => const(c + d) where c.is_const and d.is_const";
    QCOMPARE(rewritesBy(fold, "fold", program(Floats, "(add 1.5 2.0)")), std::string("3.5"));
    QCOMPARE(rewritesBy(fold, "fold", program(Floats, "(add 2 3)", "Integer")), std::string("5"));
    QCOMPARE(rewritesBy(fold, "fold", program(Floats, "(add 9223372036854775807 1)", "Integer")), std::string("none"));
    QCOMPARE(rewritesBy(fold, "fold", program(Floats, "(add a 1.0)")), std::string("none"));
    QCOMPARE(rewritesBy("rule q: c / d => const(c / d)", "q", program(Floats, "(div 1.0 0.0)")), std::string("none"));
    QCOMPARE(rewritesBy("rule less: lt(c, d) => const(c < d)", "less", program(Floats, "(lt 1.0 2.0)", "Bool")),
             std::string("true"));
    const std::string branches = "rule b: a * b =>\n    b + b if a == 2\n    exp(b) if a == 3\n    b * a";
    QCOMPARE(rewritesBy(branches, "b", program(Floats, "(mul 2.0 b)")), std::string("(add b b)"));
    QCOMPARE(rewritesBy(branches, "b", program(Floats, "(mul 3.0 b)")), std::string("(exp b)"));
    QCOMPARE(rewritesBy(branches, "b", program(Floats, "(mul a b)")), std::string("(mul b a)"));
    const std::string lets = "rule l: a * b => s + m let m = b * a, s = exp(m)";
    QCOMPARE(rewritesBy(lets, "l", program(Floats, "(mul a b)")), std::string("(add (exp (mul b a)) (mul b a))"));
}

void TestRuleMatching::bindersKeepTheirNames() {
    QCOMPARE(
        rewrites(*m_book.find("sumbuild_of_build"),
                 program(Vectors, "(sumbuild n (lam (row : Integer) (build m (lam (column : Integer) (index row v)))))",
                         "(Vec Float)")),
        std::string("(build m (lam column (sumbuild n (lam row (index row v)))))"));
}

void TestRuleMatching::tamperedSubstitutions() {
    ir::TermBank bank(registry());
    const Result<ir::Program> parsed =
        ks::parseProgram(bank, "t.ks", program(Floats, "(let (x (exp a)) (let (y (exp a)) (mul x y)))"));
    QVERIFY(parsed.ok());
    const auto cse = m_book.find("cse_bind");
    std::vector<rules::Substitution> found;
    cse->match(bank, parsed->root, [&](const rules::Substitution& s) {
        found.push_back(s);
        return true;
    });
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(cse->isInstance(bank, found[0], parsed->root).ok());
    QCOMPARE(cse->variables(), (std::vector<std::string>{"e", "x", "y", "body"}));
    // Every value replaced by another term, left out, or turned into a sequence.
    const ir::TermId other = bank.floating(7.0);
    for (std::size_t i = 0; i < found[0].values.size(); ++i) {
        rules::Substitution changed = found[0];
        changed.values[i].term = other;
        QVERIFY(!cse->isInstance(bank, changed, parsed->root).ok());
        changed.values[i].term = ir::TermId();
        QVERIFY(!cse->isInstance(bank, changed, parsed->root).ok());
        changed.values[i].term = ir::TermId(4'000'000'000U);
        QVERIFY(!cse->isInstance(bank, changed, parsed->root).ok());
        changed = found[0];
        changed.values[i].sequence.push_back(other);
        QVERIFY(!cse->isInstance(bank, changed, parsed->root).ok());
    }
    // The bound variable with another type.
    rules::Substitution retyped = found[0];
    retyped.values[1].term = bank.variable(bank.symbols().intern("x"), bank.types().integer());
    QVERIFY(!cse->isInstance(bank, retyped, parsed->root).ok());
    rules::Substitution shorter = found[0];
    shorter.values.pop_back();
    QVERIFY(!cse->isInstance(bank, shorter, parsed->root).ok());
    QVERIFY(!cse->apply(bank, shorter, parsed->root).ok());
    // Another subject, and a condition that does not hold.
    QVERIFY(!cse->isInstance(bank, found[0], bank.child(parsed->root, 1)).ok());
    const auto bind = m_book.find("new_bind");
    rules::Substitution variable;
    const ir::TermId a = bank.variable(bank.symbols().intern("a"), bank.types().floating());
    variable.values.push_back({a, {}});
    const Status refused = bind->isInstance(bank, variable, a);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().message, std::string("the condition of new_bind does not hold"));
    // A number that the pattern does not have.
    const auto one = m_book.find("mul_one");
    rules::Substitution number;
    number.values.push_back({a, {}});
    number.values.push_back({{}, {bank.floating(2.0)}});
    const std::array factors{bank.floating(2.0), a};
    const ir::TermId product = *bank.make(ks::opId(ks::Op::Mul), factors);
    QVERIFY(!one->isInstance(bank, number, product).ok());
}

void TestRuleMatching::looseSubjects() {
    // Subterms under binders are matched as they stand: loose variables belong to the surroundings.
    const std::string source = program(Vectors,
                                       "(build n (lam (i : Integer) (sumbuild m (lam (j : Integer) "
                                       "(add (index i v) (index j w))))))",
                                       "(Vec Float)");
    QCOMPARE(rewrites(*m_book.find("sumbuild_of_sum"), source, "/1/0"),
             std::string("(build n (lam i (add (sumbuild m (lam j (index i v))) (sumbuild m (lam j (index j w))))))"));
    const std::string second =
        program(Vectors, "(build n (lam (i : Integer) (sumbuild m (lam (j : Integer) (index i v)))))", "(Vec Float)");
    QCOMPARE(rewrites(*m_book.find("sumbuild_invariant"), second, "/1/0"),
             std::string("(build n (lam i (mul (to_float m) (index i v))))"));
}

MITOS_TEST(TestRuleMatching)

}  // namespace tst_rule_matching

#include "tst_rule_matching.moc"
