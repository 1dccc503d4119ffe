// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped rules that are not in the paper's tables: each on a literal program, and how the sets are made of each other.
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QTemporaryDir>
#include <fstream>
#include <set>

namespace tst_rule_families {

using namespace mitos;
using namespace mitos::tests;

namespace {

QString text(const std::string& s) { return QString::fromStdString(s); }

const char* const Parameters =
    "(a : Float) (b : Float) (c : Float) (n : Integer) (m : Integer) (p : Bool) (v : (Vec Float)) (w : (Vec Float)) "
    "(g : (LM Float Float)) (h : (LM Float Float))";

std::string program(const std::string& body, const std::string& result) {
    return "(def f " + result + " (" + Parameters + ") " + body + ")";
}

std::set<std::string> namesIn(const char* set) {
    std::set<std::string> names;
    const Result<rules::RuleBook> book = rules::RuleBook::load(set, registry());
    if (!book) return {book.error().render()};
    for (const auto& rule : book->sets().at(0).rules) names.insert(rule->name);
    return names;
}

/// The names of sets of other dialects do not begin so.
std::vector<std::string> setsOfKs() {
    std::vector<std::string> result;
    for (const std::string& name : rules::shippedRuleSets()) {
        if (name.starts_with("ks-")) result.push_back(name);
    }
    return result;
}

}  // namespace

class TestRuleFamilies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void rules_data();
    void rules();
    void everyRuleIsShown();
    void noRewrite_data();
    void noRewrite();
    void setsAreMadeOfEachOther();
    void groupsOfARuleSet();
    void everyRuleIsDocumented();
    void includes();
    void badIncludes();

private:
    rules::RuleBook m_book;
    std::set<std::string> m_shown;
};

void TestRuleFamilies::initTestCase() {
    Result<rules::RuleBook> book = rules::RuleBook::load("ks-all", registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    m_book = std::move(*book);
}

void TestRuleFamilies::rules_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    const auto row = [&](const char* rule, const char* result, const char* body, const char* expected) {
        QTest::newRow(rule) << text(program(body, result)) << QString::fromUtf8(expected);
        m_shown.insert(rule);
    };
    const char* const pairType = "(Tuple Float (Vec Float))";
    const char* const mapType = "(LM Float Float)";
    // Constant folding
    row("cprop_add", "Float", "(add 1.5 2.0)", "3.5");
    row("cprop_sub", "Float", "(sub 1.5 2.0)", "-0.5");
    row("cprop_mul", "Float", "(mul 1.5 2.0)", "3.0");
    row("cprop_div", "Integer", "(div -7 2)", "-3");
    row("cprop_to_float", "Float", "(to_float 3)", "3.0");
    row("div_by_self", "Float", "(div (exp a) (exp a))", "1.0");
    // Lets
    row("let_recover", "Float", "(let (x (exp a)) x)", "(exp a)");
    // Vectors
    row("sumbuild_of_deltavec", "(Vec Float)", "(sumbuild n (lam (i : Integer) (deltaVec n i (index i v))))",
        "(build n (lam i (index i v)))");
    row("sumbuild_of_zero_vec", "(Vec Float)", "(sumbuild n (lam (i : Integer) (constVec m 0.0)))", "(constVec m 0.0)");
    row("sumbuild_of_deltavec_elsewhere", "(Vec Float)", "(sumbuild n (lam (i : Integer) (deltaVec m i (index i v))))",
        "(build m (lam i (if (gt n i) (index i v) 0.0)))");
    row("sumbuild_of_deltavec_after", "(Vec Float)",
        "(sumbuild n (lam (i : Integer) (deltaVec m (add i 3) (index i v))))",
        "(build m (lam y (let (i (sub y 3)) (if (and (gte i 0) (gt n i)) (index i v) 0.0))))");
    row("sumbuild_of_deltavec_before", "(Vec Float)",
        "(sumbuild n (lam (i : Integer) (deltaVec m (sub i 3) (index i v))))",
        "(build m (lam y (let (i (add y 3)) (if (and (gte i 0) (gt n i)) (index i v) 0.0))))");
    row("sumbuild_of_deltavec_around", "(Vec Float)",
        "(sumbuild n (lam (i : Integer) (deltaVec m (sub (add i 3) m) (index i v))))",
        "(build m (lam y (let (i (add (sub y 3) m)) (if (and (gte i 0) (gt n i)) (index i v) 0.0))))");
    row("zeros_or_deltavec", "(Vec Float)", "(if p (constVec n 0.0) (deltaVec n (div m 2) a))",
        "(deltaVec n (div m 2) (if p 0.0 a))");
    row("deltavec_or_zeros", "(Vec Float)", "(if p (deltaVec n m a) (constVec n 0.0))", "(deltaVec n m (if p a 0.0))");
    row("place_of_zero", "(Vec Float)", "(deltaVec n (if p 0 m) (if p 0.0 a))", "(deltaVec n m (if p 0.0 a))");
    row("let_into_deltavec", "(Vec Float)", "(let (x (exp a)) (deltaVec n m x))", "(deltaVec n m (let (x (exp a)) x))");
    row("let_into_place", "(Vec Float)", "(let (x (mul m 2)) (deltaVec n x (index x v)))",
        "(deltaVec n (mul m 2) (let (x (mul m 2)) (index x v)))");
    row("let_into_deltavecs", "(Tuple Float (Vec Float))", "(let (x (exp a)) (tuple b (deltaVec n m x)))",
        "(tuple (let (x (exp a)) b) (let (x (exp a)) (deltaVec n m x)))");
    row("sumbuild_swap", "Float",
        "(sumbuild n (lam (i : Integer) (sumbuild m (lam (j : Integer) (mul (index i v) (index j w))))))",
        "(sumbuild m (lam j (sumbuild n (lam i (mul (index i v) (index j w))))))");
    // Conditions
    row("cprop_eq", "Bool", "(eq 1.0 1.0)", "true");
    row("cprop_ne", "Bool", "(ne true true)", "false");
    row("cprop_gt", "Bool", "(gt 2 3)", "false");
    row("cprop_gteq", "Bool", "(gte 3 3)", "true");
    row("cprop_lt", "Bool", "(lt 2 3)", "true");
    row("cprop_lteq", "Bool", "(lte 3.5 3.0)", "false");
    row("lift_if", "Float", "(mul a (if p b c))", "(if p (mul a b) (mul a c))");
    row("build_of_if", "(Vec Float)", "(build n (lam (i : Integer) (if p (index i v) a)))",
        "(if p (build n (lam i (index i v))) (build n (lam i a)))");
    // Logarithms and exponentials
    row("log_of_exp", "Float", "(log (exp a))", "a");
    row("exp_of_log", "Float", "(exp (log a))", "a");
    row("cprop_log", "Float", "(log 1.0)", "0.0");
    row("cprop_exp", "Float", "(exp 0.0)", "1.0");
    row("exp_of_add", "Float", "(exp (add a b))", "(mul (exp a) (exp b))");
    row("mul_of_exps", "Float", "(mul (exp a) (exp b))", "(exp (add a b))");
    row("log_of_mul", "Float", "(log (mul (exp a) b))", "(add (log (exp a)) (log b))");
    row("add_of_logs", "Float", "(add (log a) (log b))", "(log (mul a b))");
    // ksc: zeros
    row("add_zeros_right", "(Vec Float)", "(add v (constVec n 0.0))", "v");
    row("add_zeros_left", "(Vec Float)", "(add (deltaVec n m 0.0) v)", "v");
    row("sub_zeros", pairType, "(sub (tuple a v) (tuple 0.0 (constVec n 0.0)))", "(tuple a v)");
    row("mul_zeros", "(Vec Float)", "(mul a (constVec n 0.0))", "(constVec n 0.0)");
    row("scale_zeros", "(Vec Float)", "(ts_scale a (build n (lam (i : Integer) 0.0)))", "(build n (lam i 0.0))");
    row("dot_zeros_left", "Float", "(dot (constVec n 0.0) v)", "0.0");
    row("dot_zeros_right", "Float", "(dot v (constVec n 0.0))", "0.0");
    row("ts_dot_zeros_left", "Float", "(ts_dot (tuple 0.0 0.0) (tuple a b))", "0.0");
    row("ts_dot_zeros_right", "Float", "(ts_dot (tuple a b) (tuple 0.0 0.0))", "0.0");
    // ksc: tangents
    row("scale_one", "(Vec Float)", "(ts_scale 1.0 v)", "v");
    row("scale_scale", "(Vec Float)", "(ts_scale a (ts_scale b v))", "(ts_scale (mul a b) v)");
    row("scale_floats", "(Vec Float)", "(ts_scale a v)", "(mul a v)");
    row("ts_neg_float", "Float", "(ts_neg a)", "(neg a)");
    row("ts_add_floats", "(Vec Float)", "(ts_add v w)", "(add v w)");
    row("ts_add_tuples", pairType, "(ts_add (tuple a v) (tuple b w))", "(tuple (ts_add a b) (ts_add v w))");
    row("scale_tuple", pairType, "(ts_scale a (tuple b v))", "(tuple (ts_scale a b) (ts_scale a v))");
    row("ts_dot_floats", "Float", "(ts_dot a b)", "(mul a b)");
    // ksc: sizes and elements
    row("size_of_constvec", "Integer", "(size (constVec n a))", "n");
    row("size_of_deltavec", "Integer", "(size (deltaVec n m a))", "n");
    row("size_of_diag", "Integer", "(size (diag n m (lam (i : Integer) a)))", "n");
    row("size_of_map", "Integer", "(size (map (lam (x : Float) (exp x)) v))", "(size v)");
    row("index_of_constvec", "Float", "(index m (constVec n a))", "a");
    row("index_of_deltavec", "Float", "(index m (deltaVec n 2 a))", "(delta m 2 a)");
    row("index_of_vec_init", "Float", "(index 1 (Vec_init a b c))", "b");
    row("index_of_map", "Float", "(index m (map (lam (x : Float) (mul x a)) v))", "(let (x (index m v)) (mul x a))");
    row("index_of_add", "Float", "(index m (add v w))", "(add (index m v) (index m w))");
    row("index_of_sub", "Float", "(index m (sub v w))", "(sub (index m v) (index m w))");
    row("index_of_mul", "Float", "(index m (mul a v))", "(mul a (index m v))");
    row("index_of_scale", "Float", "(index m (ts_scale a v))", "(ts_scale a (index m v))");
    row("index_of_sumbuild", "Float", "(index m (sumbuild n (lam (i : Integer) (mul (index i v) w))))",
        "(sumbuild n (lam i (index m (mul (index i v) w))))");
    // ksc: deltas
    row("deltavec_of_zero", "(Vec Float)", "(deltaVec n m 0.0)", "(constVec n 0.0)");
    row("delta_of_zero", "Float", "(delta n m 0.0)", "0.0");
    row("delta_same", "Float", "(delta n n a)", "a");
    row("delta_to_if", "Float", "(delta n m a)", "(if (eq n m) a 0.0)");
    row("if_to_delta", "Integer", "(if (eq n m) (add n 1) 0)", "(delta n m (add n 1))");
    row("build_of_delta", "(Vec Float)", "(build n (lam (i : Integer) (delta i m a)))", "(deltaVec n m a)");
    row("build_of_delta_mirrored", "(Vec Float)", "(build n (lam (i : Integer) (delta m i a)))", "(deltaVec n m a)");
    row("build_of_deltavec", "(Vec (Vec Float))", "(build n (lam (i : Integer) (deltaVec m i (index i v))))",
        "(diag n m (lam i (index i v)))");
    row("sumbuild_of_delta", "Float", "(sumbuild n (lam (i : Integer) (delta i m (index i v))))",
        "(if (and (gte m 0) (gt n m)) (let (i m) (index i v)) 0.0)");
    // ksc: the same again and again
    row("build_invariant", "(Vec Float)", "(build n (lam (i : Integer) (exp a)))", "(constVec n (exp a))");
    row("sum_of_constvec", "Float", "(sum (constVec n a))", "(mul (to_float n) a)");
    row("sum_of_deltavec", "Float", "(sum (deltaVec 3 1 a))", "a");
    row("sum_of_diag", "(Vec Float)", "(sum (diag n n (lam (i : Integer) (index i v))))",
        "(build n (lam i (index i v)))");
    // Linear maps
    row("lm_one_left", mapType, "(lmCompose (lmOne a) g)", "g");
    row("lm_one_right", mapType, "(lmCompose g (lmOne a))", "g");
    row("lm_scale_scale", mapType, "(lmCompose (lmScale a b) (lmScale a c))", "(lmScale a (mul b c))");
    row("lm_assoc", mapType, "(lmCompose (lmCompose g h) g)", "(lmCompose g (lmCompose h g))");
    row("lm_compose_hcat", "(LM (Tuple Float Float) Float)", "(lmCompose g (lmHCat h g))",
        "(lmHCat (lmCompose g h) (lmCompose g g))");
    row("lm_vcat_compose", "(LM Float (Tuple Float Float))", "(lmCompose (lmVCat g h) h)",
        "(lmVCat (lmCompose g h) (lmCompose h h))");
    row("lm_hcat_vcat_one", mapType, "(lmCompose (lmHCat g) (lmVCat h))", "(lmCompose g h)");
    row("lm_hcat_vcat", mapType, "(lmCompose (lmHCat g h) (lmVCat h g))",
        "(lmAdd (lmCompose g h) (lmCompose (lmHCat h) (lmVCat g)))");
    row("lm_add_zero_left", mapType, "(lmAdd (lmZero a b) g)", "g");
    row("lm_add_zero_right", mapType, "(lmAdd g (lmZero a b))", "g");
    row("lm_add_scales", mapType, "(lmAdd (lmScale a b) (lmScale a c))", "(lmScale a (add b c))");
    row("lm_add_hcats", "(LM (Tuple Float Float) Float)", "(lmAdd (lmHCat g h) (lmHCat h g))",
        "(lmHCat (lmAdd g h) (lmAdd h g))");
    row("lm_add_vcats", "(LM Float (Tuple Float Float))", "(lmAdd (lmVCat g h) (lmVCat h g))",
        "(lmVCat (lmAdd g h) (lmAdd h g))");
    row("lm_vcat_zeros", "(LM Float (Tuple Float (Vec Float)))", "(lmVCat (lmZero a b) (lmZero a v))",
        "(lmZero a (tuple b v))");
    row("lm_hcat_zeros", "(LM (Tuple Float (Vec Float)) Float)", "(lmHCat (lmZero a b) (lmZero v b))",
        "(lmZero (tuple a v) b)");
    row("lm_apply_one", "(Vec Float)", "(lmApply (lmOne v) w)", "w");
    row("lm_apply_scale", "(Vec Float)", "(lmApply (lmScale v a) w)", "(ts_scale a w)");
    row("lm_apply_scale_r", "(Vec Float)", "(lmApply (lmScaleR v) a)", "(ts_scale a v)");
    row("lm_apply_dot", "Float", "(lmApply (lmDot v) w)", "(ts_dot v w)");
    row("lm_apply_compose", "Float", "(lmApply (lmCompose g h) a)", "(lmApply g (lmApply h a))");
    row("lm_apply_add", "Float", "(lmApply (lmAdd g h) a)", "(add (lmApply g a) (lmApply h a))");
    row("lm_apply_vcat", "(Tuple Float Float)", "(lmApply (lmVCat g h) a)", "(tuple (lmApply g a) (lmApply h a))");
    row("lm_apply_hcat", "Float", "(lmApply (lmHCat g h) (tuple a b))",
        "(add (lmApply g (get$1$2 (tuple a b))) (lmApply h (get$2$2 (tuple a b))))");
    // Calls
    QTest::newRow("inline_call") << text("(def called Float ((x : Float)) (mul x 2.0))\n" +
                                         program("(called (exp a))", "Float"))
                                 << QStringLiteral("(let (x (exp a)) (mul x 2.0))");
    m_shown.insert("inline_call");
    // Loops
    row("hoist_of_sumbuild", "Float", "(sumbuild n (lam (i : Integer) (let (s (sum v)) (mul s (index i v)))))",
        "(let (s (sum v)) (sumbuild n (lam i (mul s (index i v)))))");
    row("hoist_of_build", "(Vec Float)", "(build n (lam (i : Integer) (let (s (exp a)) (mul s (index i v)))))",
        "(let (s (exp a)) (build n (lam i (mul s (index i v)))))");
    row("hoist_of_build_if_run", "(Vec Float)", "(build n (lam (i : Integer) (let (s (sum v)) (mul s (index i v)))))",
        "(let (s (if (gt n 0) (sum v) 0.0)) (build n (lam i (mul s (index i v)))))");
    row("hoist_of_map", "(Vec Float)", "(map (lam (y : Float) (let (s (exp a)) (mul s y))) v)",
        "(let (s (exp a)) (map (lam y (mul s y)) v))");
    row("hoist_of_map_if_run", "(Vec Float)", "(map (lam (y : Float) (let (s (sum v)) (mul s y))) v)",
        "(let (s (if (gt (size v) 0) (sum v) 0.0)) (map (lam y (mul s y)) v))");
    row("hoist_of_fold", "Float", "(fold (lam (t : Tuple Float Float) (let (s (exp a)) (mul s (get$1$2 t)))) b v)",
        "(let (s (exp a)) (fold (lam t (mul s (get$1$2 t))) b v))");
    row("hoist_of_fold_if_run", "Float",
        "(fold (lam (t : Tuple Float Float) (let (s (sum v)) (mul s (get$1$2 t)))) b v)",
        "(let (s (if (gt (size v) 0) (sum v) 0.0)) (fold (lam t (mul s (get$1$2 t))) b v))");
}

void TestRuleFamilies::rules() {
    QFETCH(const QString, program);
    QFETCH(const QString, expected);
    const auto rule = m_book.find(QTest::currentDataTag());
    QVERIFY(rule != nullptr);
    QCOMPARE(text(rewrites(*rule, program.toStdString())), expected);
}

/// The rows above and the paper's tables are all there is.
void TestRuleFamilies::everyRuleIsShown() {
    std::set<std::string> shown = m_shown;
    shown.merge(namesIn("ks-simple"));
    shown.merge(namesIn("ks-extended"));
    QCOMPARE(QStringList(), [&] {
        QStringList missing;
        for (const std::string& name : namesIn("ks-all")) {
            if (!shown.contains(name)) missing << text(name);
        }
        return missing;
    }());
}

void TestRuleFamilies::noRewrite_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("program");
    const auto row = [](const char* name, const char* rule, const char* result, const char* body) {
        QTest::newRow(name) << QString::fromUtf8(rule) << text(program(body, result));
    };
    row("no finite quotient", "cprop_div", "Float", "(div 1.0 0.0)");
    row("division of Integers by zero", "cprop_div", "Integer", "(div 1 0)");
    row("overflow", "cprop_add", "Integer", "(add 9223372036854775807 1)");
    row("a variable", "cprop_add", "Float", "(add a 1.0)");
    row("log of zero", "cprop_log", "Float", "(log 0.0)");
    row("log of a negative number", "cprop_log", "Float", "(log -1.0)");
    row("exp out of range", "cprop_exp", "Float", "(exp 1000.0)");
    row("zero by zero", "div_by_self", "Float", "(div 0.0 0.0)");
    row("an if in the arm of an if", "lift_if", "Float", "(if p (if (gt a b) b c) c)");
    row("a condition under the let that binds it", "lift_if", "Float", "(let (x a) (if (gt x b) x c))");
    row("a condition of the loop", "build_of_if", "(Vec Float)",
        "(build n (lam (i : Integer) (if (gt i m) (index i v) a)))");
    row("other sizes", "sumbuild_of_deltavec", "(Vec Float)", "(sumbuild n (lam (i : Integer) (deltaVec m i a)))");
    row("elements of different sizes", "sumbuild_other_deltavec", "(Vec (Vec Float))",
        "(sumbuild n (lam (i : Integer) (deltaVec m 0 (if (gt i 1) v (constVec i 1.0)))))");
    row("an offset of the loop", "sumbuild_of_deltavec_after", "(Vec Float)",
        "(sumbuild n (lam (i : Integer) (deltaVec m (add i (mul i i)) a)))");
    row("a place that may fail", "zeros_or_deltavec", "(Vec Float)",
        "(if p (constVec n 0.0) (deltaVec n (div m n) a))");
    row("a place that may fail where it is not zero", "place_of_zero", "(Vec Float)",
        "(deltaVec n (if p 0 (imax v)) (if p 0.0 a))");
    row("an inner loop of another length in each iteration", "sumbuild_swap", "Float",
        "(sumbuild n (lam (i : Integer) (sumbuild i (lam (j : Integer) a))))");
    row("Bools are not added up", "sumbuild_of_deltavec", "(Vec Bool)",
        "(sumbuild n (lam (i : Integer) (deltaVec n i p)))");
    row("not zero", "add_zeros_right", "(Vec Float)", "(add v (constVec n 1.0))");
    row("zeros that are not there", "add_zeros_right", "(Vec Float)", "(add a (constVec n 0.0))");
    row("a place outside", "sum_of_deltavec", "(Vec Float)", "(sum (deltaVec 1 2 v))");
    row("what can fail stays guarded", "if_to_delta", "Float", "(if (eq n m) (index n v) 0.0)");
    row("sizes may differ", "if_to_delta", "Float", "(if (eq n m) (sum (add v w)) 0.0)");
    row("not square", "sum_of_diag", "(Vec Float)", "(sum (diag n m (lam (i : Integer) a)))");
}

void TestRuleFamilies::noRewrite() {
    QFETCH(const QString, rule);
    QFETCH(const QString, program);
    const auto direction = m_book.find(rule.toStdString());
    QVERIFY(direction != nullptr);
    QCOMPARE(text(rewrites(*direction, program.toStdString())), QStringLiteral("none"));
}

void TestRuleFamilies::setsAreMadeOfEachOther() {
    QCOMPARE(namesIn("ks-algebraic").size(), std::size_t{28});
    std::set<std::string> both = namesIn("ks-algebraic");
    both.merge(namesIn("ks-binding"));
    both.erase("let_recover");
    QCOMPARE(both, namesIn("ks-simple"));
    std::set<std::string> arithmetic = namesIn("ks-simple");
    arithmetic.insert("div_by_self");
    QCOMPARE(namesIn("ks-arithmetic"), arithmetic);
    QVERIFY(namesIn("ks-folding").contains("cprop_log"));
    QVERIFY(!namesIn("ks-folding").contains("log_of_exp"));
    // The union of all but the closed forms, which may make programs longer; each rule once, and whatever set a rule is chosen through, it is the same one.
    std::set<std::string> all;
    for (const std::string& set : setsOfKs()) {
        if (set != "ks-phi" && set != "ks-constants") all.merge(namesIn(set.c_str()));
    }
    QCOMPARE(all, namesIn("ks-all"));
    QCOMPARE(m_book.sets().at(0).rules.size(), all.size());
    const auto twice = rules::RuleBook::load("ks-log-exp,ks-all", registry());
    QVERIFY(twice.ok());
    QCOMPARE(twice->directions().size(), m_book.directions().size());
}

void TestRuleFamilies::groupsOfARuleSet() {
    const std::vector<std::string> expected{"ks-simple", "ks-extended",    "ks-folding", "ks-arithmetic",
                                            "ks-if",     "ks-log-exp",     "ks-binding", "ks-tensors",
                                            "ks-ksc",    "ks-linear-maps", "ks-calls",   "ks-loops"};
    QCOMPARE(m_book.sets().at(0).origins(), expected);
}

void TestRuleFamilies::everyRuleIsDocumented() {
    for (const auto& rule : m_book.sets().at(0).rules) {
        QVERIFY2(!rule->doc.empty(), rule->name.c_str());
        QVERIFY2(!rule->directions.empty(), rule->name.c_str());
    }
    for (const std::string& set : setsOfKs()) {
        const Result<rules::LoadedRules> loaded = rules::loadRules(*rules::shippedRuleSetText(set), registry());
        QVERIFY(loaded.ok());
        QVERIFY2(loaded->errors.empty() && loaded->warnings.empty(), set.c_str());
        QVERIFY2(!loaded->set.title.empty() && !loaded->set.doc.empty(), set.c_str());
    }
}

void TestRuleFamilies::includes() {
    const QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& content) {
        std::ofstream(folder.filePath(QString::fromUtf8(name)).toStdString()) << content;
        return folder.filePath(QString::fromUtf8(name)).toStdString();
    };
    write("ops.rules", "op twice(x)\nrule unfold: twice(a) => a + a\n");
    const std::string file = write("main.rules",
                                   "rule first: a * 2 => twice(a)\n"
                                   "include \"ops.rules\"\n"
                                   "include ks-simple [binding]\n"
                                   "include ks-all [exact, phase1]\n"
                                   "rule last: twice(twice(a)) => 4 * a where a.type == Integer\n");
    const Result<rules::RuleBook> book = rules::RuleBook::load(file, registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    const auto& found = book->sets().at(0).rules;
    QCOMPARE(found.front()->name, std::string("first"));
    QCOMPARE(found.at(1)->name, std::string("unfold"));
    QCOMPARE(found.at(2)->name, std::string("new_bind"));
    QCOMPARE(found.back()->name, std::string("last"));
    for (std::size_t i = 7; i + 1 < found.size(); ++i) {
        QVERIFY2(found[i]->soundness == rules::Soundness::Exact || found[i]->hasTag("phase1"), found[i]->name.c_str());
    }
    QCOMPARE(book->sets().at(0).origins().front(), file);
    // An operator that an included file declares can be used here, and everywhere the book is.
    QVERIFY(book->registry()->find("twice").isValid());
}

void TestRuleFamilies::badIncludes() {
    QCOMPARE(errorsOf("include ks-simples\n"),
             std::string("1:9 there is no rule set ks-simples | the rule sets are ks-simple, ks-extended, ks-all, "
                         "ks-algebraic, ks-arithmetic, ks-folding, ks-binding, ks-tensors, ks-if, ks-log-exp, ks-ksc, "
                         "ks-linear-maps, "
                         "ks-calls, ks-loops, ks-phi, ks-constants, tensor, tensor-multi, tensor-default, "
                         "tensor-elementwise, tensor-matmul, "
                         "tensor-conv, tensor-pool, tensor-movement, tensor-norm, tensor-attention, tensor-layout, "
                         "fused, tensor-approximate; "
                         "others are files"));
    QCOMPARE(errorsOf("include ks-simple [bindings]\n"),
             std::string("1:9 ks-simple has no rule with such a tag | `mitos-cli rules list` shows the tags of rules"));
    QCOMPARE(
        errorsOf("rule add_zero: a + 0 => a\ninclude ks-simple\n"),
        std::string("2:9 ks-simple has a rule add_zero, and there is one in test.rules already | rules of a set have "
                    "different names"));
    QCOMPARE(errorsOf("include 7\n"),
             std::string("1:9 expected the name of a rule set, or a file in quotes, found '7'"));
    const QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(QString::fromUtf8(name)).toStdString(); };
    std::ofstream(path("a.rules")) << "include \"b.rules\"\n";
    std::ofstream(path("b.rules")) << "include \"a.rules\"\n";
    const Result<rules::RuleBook> cycle = rules::RuleBook::load(path("a.rules"), registry());
    QVERIFY(!cycle.ok());
    QCOMPARE(cycle.error().message, path("b.rules") + " cannot be included: it has an error");
    QVERIFY(text(cycle.error().hint).contains(text(path("a.rules") + " includes itself")));
}

MITOS_TEST(TestRuleFamilies)

}  // namespace tst_rule_families

#include "tst_rule_families.moc"
