// SPDX-License-Identifier: GPL-3.0-or-later
// What the ks reader accepts, and what it means: the listings of the paper and real ks files.
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QTest>

namespace tst_ks_reader {

using namespace mitos;
using ir::TermId;

namespace {

/// One text, read into a bank of its own.
struct Read {
    ir::TermBank bank{ks::makeRegistry()};
    Result<ks::Module> module;

    explicit Read(const std::string& text) : module(ks::parseModule(bank, SourceText("t.ks", text))) {}
    [[nodiscard]] std::string problem() const { return module ? std::string() : module.error().render(); }
    /// The last function's body on one line.
    [[nodiscard]] std::string body() const {
        return module ? ks::printTerm(bank, module->bodies.back(), {.width = 0}) : problem();
    }
    [[nodiscard]] const ir::Function& function(std::size_t i = 0) const {
        return bank.function(module->functions.at(i));
    }
};

std::string sampleFolder() { return MITOS_SOURCE_DIR "/samples"; }

}  // namespace

class TestKsReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bodiesMeanTheSame_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("meaning");
        const auto row = [](const char* name, const char* source, const char* meaning) {
            QTest::newRow(name) << QByteArray(source) << QByteArray(meaning);
        };
        row("comments anywhere", "; one\n#| two #| nested |# |#(def f#|glued|#Float(x : Float)#||#(log;c\n x))",
            "(log x)");
        row("CRLF", "(def f Float\r\n (x : Float)\r\n (log x))\r\n", "(log x)");
        row("byte order mark", "\xEF\xBB\xBF(def f Float (x : Float) (log x))", "(log x)");
        row("non-ASCII comment", "; größe λ\n(def f Float (x : Float) (log x))", "(log x)");
        row("strange names", "(def f@ii Float (_x'$1 : Float) (let (sum$i _x'$1) (let (~a|b sum$i) ~a|b)))",
            "(let (sum$i _x'$1) (let (~a|b sum$i) ~a|b))");
        row("numbers",
            "(def f (Tuple Integer Integer Integer Float Float Float) () (tuple -1 +2 007 -1e38 4.4715e-2 1E3))",
            "(tuple -1 2 7 -1e+38 0.044715 1000.0)");
        row("a sign alone is a name", "(def f Float ((x : Float) (y : Float)) (- x (+ y (* x (/ y -2.0)))))",
            "(sub x (add y (mul x (div y -2.0))))");
        row("limits of numbers", "(def f (Tuple Integer Float Float) () (tuple -9223372036854775808 1e999 5e-324))",
            "(tuple -9223372036854775808 1e999 5e-324)");
        row("strings", "(def f String () \"a\\\"b\\n\\\\ \\x41 ü\")", "\"a\\\"b\\n\\\\ A ü\"");
        row("booleans", "(def f Bool () (and true (or False True)))", "(and true (or false true))");
        row("parameters without parentheses", "(def f Float (v : Vec Float) (sum v))", "(sum v)");
        row("types in parentheses", "(def f ((Bool)) ((a : (Bool)) (v : ((Vec (Float))))) a)", "a");
        row("no parameter", "(def g Float () 1.0) (def f Float () (add (g) (g (tuple))))", "(add (g) (g))");
        row("expression in parentheses", "(def f Float (x : Float) ((let (y (x)) ((log (y))))))",
            "(let (y x) (log y))");
        row("tuple call",
            "(def g Float ((a : Float) (b : Integer)) a) (def f Float (t : Tuple Float Integer) (add (g t) (g (tuple "
            "1.0 2))))",
            "(add (g (get$1$2 t) (get$2$2 t)) (g 1.0 2))");
        row("tuple call of an expression", "(def h (Tuple Float Float) () (tuple 1.0 2.0)) (def f Float () (add (h)))",
            "(let (t (h)) (add (get$1$2 t) (get$2$2 t)))");
        row("several arguments for one tuple",
            "(def g Float (t : Tuple Float Float) (get$1$2 t)) (def f Float () (g 1.0 2.0))", "(g (tuple 1.0 2.0))");
        row("one-element tuple", "(def f (Tuple Float) () (tuple 0.0))", "(tuple 0.0)");
        row("empty tuple", "(def f (Tuple) () (tuple))", "(tuple)");
        row("get of several", "(def f Float () (get$2$2 1 2.0))", "(get$2$2 (tuple 1 2.0))");
        row("select, both orders", "(def f Float (t : Tuple Float Float) (add (select t 0) (select 1 t)))",
            "(add (get$1$2 t) (get$2$2 t))");
        row("let, single", "(def f Float (x : Float) (let (y (log x)) y))", "(let (y (log x)) y)");
        row("let, group", "(def f Float (x : Float) (let ((y (log x)) (z (log y))) z))",
            "(let (y (log x)) (let (z (log y)) z))");
        row("let, oldest", "(def f Float (x : Float) (let y (log x) y))", "(let (y (log x)) y)");
        row("let, typed",
            "(def f Float (x : Float) (let (y : Float (log x)) (let ((z : Float y) (v : Vec Float (build 2 (lam i "
            "z)))) z)))",
            "(let (y (log x)) (let (z y) (let (v (build 2 (lam (i : Integer) z))) z)))");
        row("let, empty group", "(def f Float (x : Float) (let () x))", "x");
        row("tuple pattern of a variable", "(def f Float (t : Tuple Float Integer) (let ((a b) t) a))",
            "(let (a (get$1$2 t)) (let (b (get$2$2 t)) a))");
        row("tuple pattern of an expression", "(def f Float (x : Float) (let ((a b c) (tuple x 1 x)) c))",
            "(let (a_b_c (tuple x 1 x)) (let (a (get$1$3 a_b_c)) (let (b (get$2$3 a_b_c)) (let (c (get$3$3 a_b_c)) "
            "c))))");
        row("tuple pattern in a group", "(def f Integer (x : Float) (let ((y x) ((a b) (tuple y 1)) (z b)) z))",
            "(let (y x) (let (a_b (tuple y 1)) (let (a (get$1$2 a_b)) (let (b (get$2$2 a_b)) (let (z b) z)))))");
        row("shadowing", "(def f Float (x : Float) (let (x (log x)) (let (x (exp x)) x)))",
            "(let (x_1 (log x)) (let (x_2 (exp x_1)) x_2))");
        row("sizes",
            "(def f (Vec n (Vec m Float)) (a : Vec n (Vec m Float)) (build n (lam i (build m (lam j (index j (index i "
            "a)))))))",
            "(build n (lam (i : Integer) (build m (lam (j : Integer) (index j (index i a))))))");
        row("a parameter wins over a size", "(def f Integer ((n : Integer) (v : Vec n Float)) (add n (size v)))",
            "(add n (size v))");
        row("untyped lambdas",
            "(def f Float (v : Vec Float) (add (fold (lam s (add (get$1$2 s) (get$2$2 s))) 0.0 v) (sum (map2 (lam p "
            "(mul p)) v (map (lam e (log e)) v)))))",
            "(add (fold (lam (s : (Tuple Float Float)) (add (get$1$2 s) (get$2$2 s))) 0.0 v) (sum (map2 (lam (p : "
            "(Tuple Float Float)) "
            "(mul (get$1$2 p) (get$2$2 p))) v (map (lam (e : Float) (log e)) v))))");
        row("diag and delta", "(def f (Vec (Vec Float)) () (diag 2 3 (lam k (delta k 1 5.0))))",
            "(diag 2 3 (lam (k : Integer) (delta k 1 5.0)))");
        row("matrix",
            "(def f Float (a : Tensor 2 Float) (index (tuple 0 1) (build (size a) (lam (ij : Tuple Integer Integer) "
            "(index ij a)))))",
            "(index (tuple 0 1) (build (size a) (lam (ij : (Tuple Integer Integer)) (index ij a))))");
        row("broadcasting",
            "(def f (Tuple Float (Vec Float)) ((t : Tuple Float (Vec Float)) (r : Float)) (add (mul r t) (div t 2.0)))",
            "(add (mul r t) (div t 2.0))");
        row("function values",
            "(edef g Float (Tuple (Lam Float Float) Float)) (def f Float (h : Lam Float Float) (add (g (lam x (h x)) "
            "1.0) (apply h 2.0)))",
            "(add (g (lam (x : Float) (apply h x)) 1.0) (apply h 2.0))");
        row("if, assert, $dummy", "(def f Float (x : Float) (assert (gte x 0.0) (if (eq x 1.0) x ($dummy Float))))",
            "(assert (gte x 0.0) (if (eq x 1.0) x ($dummy Float)))");
        row("dup, elim", "(def f (Tuple Float Float Float) (x : Float) (let (u (elim x)) (dup$3 x)))",
            "(let (u (elim x)) (dup$3 x))");
        row("linear maps",
            "(def f Float (x : Float) (lmApply (lmCompose (lmDot x) (lmHCat (lmOne x) (lmScale x 2.0))) (tuple 1.0 "
            "2.0)))",
            "(lmApply (lmCompose (lmDot x) (lmHCat (lmOne x) (lmScale x 2.0))) (tuple 1.0 2.0))");
        row("a variable may be called like a function", "(def f Float (sum : Vec Float) (let (max (sum sum)) max))",
            "(let (max (sum sum)) max)");
        row("a function may be called like a primitive",
            "(def dot Float ((v : Vec Float) (w : Vec Float)) (sum v)) (def f Float (v : Vec Float) (dot v v))",
            "(dot v v)");
        row("recursion", "(def f Integer (k : Integer) (if (gt k 0) (f (sub k 1)) 0))",
            "(if (gt k 0) (f (sub k 1)) 0)");
        row("old mangled names",
            "(def add$ff Float ((a : Float) (b : Float)) (add a b)) (def f Float (x : Float) (add$ff x x))",
            "(add$ff x x)");
        row("mangled names of what is built in",
            "(edef mul@ff Float (Float Float)) (def f Float ((n : Integer) (x : Float)) (if (lt@ii n 2) (neg@f x) "
            "(mul@ff (sub$ff x 1.0) (to_float@i n))))",
            "(if (lt n 2) (neg x) (mul (sub x 1.0) (to_float n)))");
        row("mangled name of an own function",
            "(def g Float ((a : Float) (v : Vec Float)) a) (def f Float (v : Vec Float) (g@fT1f 1.0 v))", "(g 1.0 v)");
        row("operator signs",
            "(def f Integer (x : Float) (if (and (== x 1.0) (or (< x 2.0) (>= x 3.0))) (pr x (!= x 4.0)) 0))",
            "(if (and (eq x 1.0) (or (lt x 2.0) (gte x 3.0))) (print x (ne x 4.0)) 0)");
        row("a sign that the file defines", "(def < Float (x : Float) x) (def f Float (x : Float) (< x))", "(< x)");
        row("worked out sizes",
            "(def f (Tensor 2 (div n 2) _ Float) ((v : Vec n Float) (w : Vec (sub n 1) Float)) (build (tuple n 1) (lam "
            "ij 0.0)))",
            "(build (tuple n 1) (lam (ij : (Tuple Integer Integer)) 0.0))");
        row("functions by name",
            "(def twice Float (x : Float) (mul 2.0 x)) (def at Float (i : Integer) (to_float i)) (def f Float (v : Vec "
            "Float) (fold add (sum (build 3 at)) (map twice (map2 mul v (build (size v) to_float)))))",
            "(fold (lam (x : (Tuple Float Float)) (add (get$1$2 x) (get$2$2 x))) (sum (build 3 (lam (x : Integer) (at "
            "x)))) (map (lam (x : Float) (twice x)) (map2 (lam (x : (Tuple Float Float)) (mul (get$1$2 x) (get$2$2 "
            "x))) v (build (size v) (lam (x : Integer) (to_float x))))))");
        row("overload chosen by where its name stands",
            "(def g Float (x : Float) x) (def g Float (i : Integer) 1.0) (def f (Vec Float) () (build 2 g))",
            "(build 2 (lam (x : Integer) (g x)))");
        row("ifold", "(def f Float (n : Integer) (ifold n (lam s (add (get$1$2 s) (to_float (get$2$2 s)))) 0.5))",
            "(fold (lam (s : (Tuple Float Integer)) (add (get$1$2 s) (to_float (get$2$2 s)))) 0.5 (build n (lam (i : "
            "Integer) i)))");
        row("$check, both ways",
            "(def sq Float (x : Float) (mul x x)) (gdef rev [sq Float]) (def f Float (a : Float) (add ($check sq [rev "
            "sq] a 0.1 1.0) ($check sq [rev sq] a a 0.1 1.0)))",
            "(add ($check (lam (x : Float) (sq x)) (lam (x : (Tuple Float Float)) ([rev [sq Float]] (get$1$2 x) "
            "(get$2$2 x))) a 0.1 1.0) ($check (lam (x : Float) (sq x)) (lam (x : (Tuple Float Float)) ([rev [sq "
            "Float]] (get$1$2 x) (get$2$2 x))) a 0.1 1.0))");
        row("named arguments of an edef",
            "(edef g Float ((n : Integer) (v : Vec Float))) (edef h Float (x : Float)) (def f Float (v : Vec Float) (h "
            "(g 1 v)))",
            "(h (g 1 v))");
    }
    void bodiesMeanTheSame() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, meaning);
        QCOMPARE(QByteArray::fromStdString(Read(source.toStdString()).body()), meaning);
    }

    void bareExpressions_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("meaning");
        QTest::addColumn<QByteArray>("parameters");
        const auto row = [](const char* source, const char* meaning, const char* parameters) {
            QTest::newRow(source) << QByteArray(source) << QByteArray(meaning) << QByteArray(parameters);
        };
        row("(div (mul x y) x)", "(div (mul x y) x)", "x y ");
        row("(mul b a)", "(mul b a)", "b a ");
        row("(sub (add x 1) 2)", "(sub (add x 1.0) 2.0)", "x ");
        row("(mul (add 1 2) x)", "(mul (add 1.0 2.0) x)", "x ");
        row("(add 1 2)", "(add 1 2)", "");
        row("(div 1 (log 2))", "(div 1.0 (log 2.0))", "");
        row("(pow x 2)", "(pow x 2)", "x ");
        row("(if (gt x 0) 1 x)", "(if (gt x 0.0) 1.0 x)", "x ");
        row("(sumbuild 3 (lam i (mul x (to_float i))))", "(sumbuild 3 (lam (i : Integer) (mul x (to_float i))))", "x ");
        row("(let (p (x)) (mul p 2))", "(let (p x) (mul p 2.0))", "x ");
        row("x", "x", "x ");
        row("1.5 ; only a number", "1.5", "");
    }
    void bareExpressions() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, meaning);
        QFETCH(QByteArray, parameters);
        const Read read(source.toStdString());
        QCOMPARE(QByteArray::fromStdString(read.body()), meaning);
        QVERIFY(read.function().bareExpression);
        std::string names;
        for (const ir::Parameter& p : read.function().parameters) names += std::string(read.bank.text(p.name)) + " ";
        QCOMPARE(QByteArray::fromStdString(names), parameters);
    }

    void theAmbiguousLetIsReadByWhatIsInScope() {
        // ((a b) (g h)): a call of g, if there is a function g; else two bindings.
        const Read call(
            "(def g (Tuple Float Float) (x : Float) (tuple x x)) (def f Float (h : Float) (let ((a b) (g h)) (add a "
            "b)))");
        QCOMPARE(call.body(),
                 std::string("(let (a_b (g h)) (let (a (get$1$2 a_b)) (let (b (get$2$2 a_b)) (add a b))))"));
        QCOMPARE(call.module->warnings.size(), std::size_t(1));
        QVERIFY(call.module->warnings[0].starts_with("t.ks:1:"));
        QVERIFY(call.module->warnings[0].ends_with(
            "(a b) (g h) can be read in two ways; it is read as a tuple that is taken apart"));
        const Read two("(def f Float ((b : Float) (h : Float)) (let ((a b) (g h)) (add a g)))");
        QCOMPARE(two.body(), std::string("(let (a b) (let (g h) (add a g)))"));
        QVERIFY(two.module->warnings.at(0).ends_with("it is read as two bindings"));
        const Read three("(def f Float ((b : Float) (h : Float)) (let ((a b) (log h) (c a)) (add a log)))");
        QCOMPARE(three.body(), std::string("(let (a b) (let (log h) (let (c a) (add a log))))"));
        QVERIFY(three.module->warnings.empty());
    }

    void overloadsAreChosenByArgument() {
        const Read read(
            "(def f Integer (x : Integer) x) (def f Float (x : Float) x) (def f Float ((x : Float) (y : Float)) x)"
            "(def [f (Vec Float)] Float (v : Vec Float) (sum v))"
            "(def g Float (v : Vec Float) (add (f 1.0) (add ([f (Vec Float)] v) (f (f 2.0) (to_float (f 1))))))");
        QCOMPARE(read.body(), std::string("(add (f 1.0) (add (f v) (f (f 2.0) (to_float (f 1)))))"));
        QCOMPARE(ks::selectProgram(read.bank, *read.module, "f").error().message,
                 std::string("there are 4 functions called f in this file"));
        QCOMPARE(ks::selectProgram(read.bank, *read.module, "[f (Vec Float)]")->function, read.module->functions[3]);
    }

    void structuredNames() {
        const Read read(
            "(def f Float ((x : Float) (k : Integer)) x)"
            "(gdef fwd [f (Tuple Float Integer)]) (gdef rev [f (Tuple Float Integer)]) (gdef suffwdpass [f (Tuple "
            "Float Integer)])"
            "(def g (Tuple Float (Tuple)) (x : Float) ([rev f] (tuple x 1) 1.0))"
            "(def h Float (x : Float) ([fwd [f (Tuple Float Integer)]] (tuple x 1) (tuple 1.0 (tuple))))"
            "(edef e Float Float) (edef [D e] (LM Float Float) Float) (def [fwd e] Float ((x : Float) (dx : Float)) dx)"
            "(def [shape [e Float]] (Tuple) (x : Float) (tuple))"
            "(def k Float (x : Float) (lmApply ([D e] x) ([fwd e] x 1.0)))");
        QCOMPARE(read.problem(), std::string());
        QCOMPARE(read.module->derivatives.size(), std::size_t(3));
        QCOMPARE(read.module->derivatives[2].derivation, std::string("suffwdpass"));
        QCOMPARE(read.module->derivatives[0].name, std::string("[f (Tuple Float Integer)]"));
        QCOMPARE(read.body(), std::string("(lmApply ([D e] x) ([fwd e] x 1.0))"));
        QCOMPARE(ks::printTerm(read.bank, read.module->bodies[1], {.width = 0}),
                 std::string("([rev [f (Tuple Float Integer)]] (tuple x 1) 1.0)"));
    }

    void everyDerivationHasItsType_data() {
        QTest::addColumn<QByteArray>("call");
        QTest::addColumn<QByteArray>("type");
        QTest::newRow("fwd") << QByteArray("[fwd f] (tuple 1.0 2) (tuple 1.0 (tuple))") << QByteArray("(Vec Float)");
        QTest::newRow("rev") << QByteArray("[rev f] (tuple 1.0 2) (Vec_init 1.0)")
                             << QByteArray("(Tuple Float (Tuple))");
        QTest::newRow("sufrev") << QByteArray("[sufrev f] (tuple 1.0 2) (Vec_init 1.0)")
                                << QByteArray("(Tuple Float (Tuple))");
        QTest::newRow("CL") << QByteArray("[CL f] 1.0 2") << QByteArray("(Vec Float)");
        QTest::newRow("shape") << QByteArray("[shape f] 1.0 2") << QByteArray("Integer");
        QTest::newRow("D") << QByteArray("[D f] 1.0 2") << QByteArray("(LM (Tuple Float Integer) (Vec Float))");
        QTest::newRow("Dt") << QByteArray("[Dt f] 1.0 2")
                            << QByteArray("(Tuple (Vec Float) (LM (Tuple Float Integer) (Vec Float)))");
        QTest::newRow("old name") << QByteArray("rev$f (tuple 1.0 2) (Vec_init 1.0)")
                                  << QByteArray("(Tuple Float (Tuple))");
        QTest::newRow("arguments in parts") << QByteArray("fwd$f 1.0 2 1.0 (tuple)") << QByteArray("(Vec Float)");
        QTest::newRow("some in parts") << QByteArray("[rev f] 1.0 2 (Vec_init 1.0)")
                                       << QByteArray("(Tuple Float (Tuple))");
    }
    void everyDerivationHasItsType() {
        QFETCH(QByteArray, call);
        QFETCH(QByteArray, type);
        std::string text = "(def f (Vec Float) ((x : Float) (n : Integer)) (build n (lam i x)))";
        for (const char* derivation : {"fwd", "rev", "sufrev", "CL", "shape", "D", "Dt", "suffwdpass", "sufrevpass"}) {
            text += std::string("(gdef ") + derivation + " [f (Tuple Float Integer)])";
        }
        const Read read(text + "(def g " + type.toStdString() + " () (" + call.toStdString() + "))");
        QCOMPARE(read.problem(), std::string());
    }

    void oldFilesNeedNotRequestDerivatives() {
        const Read read("(def f Float (x : Float) (mul x x)) (def g Float (x : Float) (rev$f x 1.0))");
        QCOMPARE(read.problem(), std::string());
        QCOMPARE(read.body(), std::string("([rev [f Float]] x 1.0)"));
        QCOMPARE(read.module->warnings.size(), std::size_t(1));
        QVERIFY(read.module->warnings[0].ends_with("rev$f is not requested; write (gdef rev f) before its uses"));
    }

    void sizeNamesKnowWhereTheyComeFrom() {
        const Read read(
            "(def f (Vec k Float) ((a : Float) (t : Tuple Float (Vec n (Vec m Float)))) (build k (lam i (to_float (mul "
            "n m)))))");
        const std::vector<ir::SizeName>& sizes = read.function().sizes;
        QCOMPARE(sizes.size(), std::size_t(3));
        QCOMPARE(read.bank.text(sizes[0].name), std::string_view("n"));
        QCOMPARE(*sizes[0].parameter, std::uint32_t(1));
        QCOMPARE(sizes[0].steps, std::vector<std::uint32_t>{1});
        QCOMPARE(read.bank.text(sizes[1].name), std::string_view("m"));
        QCOMPARE(sizes[1].steps, (std::vector<std::uint32_t>{1, 0}));
        QCOMPARE(read.bank.text(sizes[2].name), std::string_view("k"));
        QVERIFY(!sizes[2].parameter);
        QVERIFY(Read("(def f (Vec 3 Float) (v : Vec 3 Float) v)").function().sizes.empty());
    }

    void externalFunctionsAndTheirCosts() {
        const Read read(
            "(edef f Bool (Integer Float)) (edef g Float ()) (edef h Float (Tuple Float)) (edef k Float (Float))"
            "(def cost$f Float ((a : Integer) (b : Float)) 12.5) (def cost$g Float () 3.0) (edef sin Float Float)"
            "(def main Integer () (if (f 1 (add (g) (add (h (tuple 1.0)) (k (sin 2.0))))) 1 0))");
        QCOMPARE(read.problem(), std::string());
        QCOMPARE(read.module->functions.size(), std::size_t(5));  // sin is built in, and says the same
        QCOMPARE(read.function(0).parameters.size(), std::size_t(2));
        QCOMPARE(*read.function(0).declaredCost, 12.5);
        QCOMPARE(*read.function(1).declaredCost, 3.0);
        QCOMPARE(read.function(2).parameters.size(), std::size_t(1));
    }

    void rulesAreKept() {
        const Read read(
            "(rule \"zero\" (x : Float) (add x 0.0) x) (rule bare ((x : Float) (v : Vec n Float)) (sum (build n (lam i "
            "x))) (mul (to_float n) x))"
            "(rule (mul a 1) a)");
        QCOMPARE(read.problem(), std::string());
        QCOMPARE(read.module->rules.size(), std::size_t(3));
        QCOMPARE(read.module->rules[0].name, std::string("zero"));
        QCOMPARE(read.module->rules[1].name, std::string("bare"));
        QCOMPARE(ks::printTerm(read.bank, read.module->rules[2].lhs), std::string("(mul a 1.0)"));
        QVERIFY(read.module->functions.empty());
    }

    void filesWithoutProgramsAreEmptyModules() {
        for (const char* source : {"", "  \n\t ", "; only a comment", "#| only\n a comment |#", "\xEF\xBB\xBF"}) {
            const Read read(source);
            QVERIFY2(read.module.ok(), source);
            QVERIFY(read.module->functions.empty());
            QCOMPARE(ks::selectProgram(read.bank, *read.module, "").error().message,
                     std::string("there is no program in this file"));
        }
    }

    void programsAreChosenByName() {
        const Read read("(def f Float () 1.0) (def g Float () 2.0) (edef e Float ())");
        QCOMPARE(ks::selectProgram(read.bank, *read.module, "")->function, read.module->functions[1]);
        QCOMPARE(ks::selectProgram(read.bank, *read.module, "f")->function, read.module->functions[0]);
        const Error error = ks::selectProgram(read.bank, *read.module, "h").error();
        QCOMPARE(error.message, std::string("there is no function h in this file"));
        QCOMPARE(error.hint, std::string("there are: f, g"));
    }

    void everySampleReads_data() {
        QTest::addColumn<QString>("path");
        QDirIterator files(QString::fromStdString(sampleFolder()), {QStringLiteral("*.ks")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(qPrintable(path.mid(static_cast<qsizetype>(sampleFolder().size()) + 1))) << path;
        }
    }
    void everySampleReads() {
        QFETCH(QString, path);
        const Result<SourceText> source = readSourceFile(path.toStdString());
        QVERIFY(source.ok());
        ir::TermBank bank(ks::makeRegistry());
        const Result<ks::Module> module = ks::parseModule(bank, *source);
        QVERIFY2(module.ok(), module ? "" : module.error().render().c_str());
        QVERIFY(module->warnings.empty());
        QVERIFY(ks::selectProgram(bank, *module, "").ok());
        // A title and two lines on what to try.
        const QList<QByteArray> lines = QByteArray::fromStdString(std::string(source->text())).split('\n');
        for (int i = 0; i < 3; ++i) QVERIFY(lines.at(i).startsWith("; "));
    }

    void theListsOfTheArithmeticSetsAddUp() {
        // Knossos: the training and test expressions of Table 5 cost 482 and 161, those of Table 6 cost 64.
        QCOMPARE(totalCost("table5-train-*.ks", 36), 482);
        QCOMPARE(totalCost("table5-test-*.ks", 12), 161);
        QCOMPARE(totalCost("table6-*.ks", 8), 64);
    }

    void largeFilesAreReadInSeconds() {
        std::string text;
        for (int i = 0; text.size() < 10'000'000; ++i) {
            text += "(def f" + std::to_string(i) + " Float (x : Float) (add x (mul " + std::to_string(i) +
                    ".5 (log x))))\n";
        }
        const Read read(text);
        QVERIFY(read.module.ok());
        QVERIFY(read.module->functions.size() > 150'000);
    }

    void aFunctionKeepsItsIdInItsBank() {
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program first = *ks::parseProgram(bank, "a", "(def f Float (x : Float) (div (mul x 2.0) 2.0))");
        const ir::Program rewritten = *ks::parseProgram(bank, "b", "(def f Float (x : Float) (mul x 1.0))");
        QCOMPARE(rewritten.function, first.function);
        QVERIFY(rewritten.root != first.root);
        QCOMPARE(bank.function(first.function).body, first.root);
        QCOMPARE(ks::parseProgram(bank, "c", "(div (mul x y) x)")->function,
                 ks::parseProgram(bank, "d", "(mul x y)")->function);
        QVERIFY(ks::parseProgram(bank, "e", "(mul y x)")->function !=
                ks::parseProgram(bank, "d", "(mul x y)")->function);
        // Calls would mean the older body.
        const Result<ir::Program> caller =
            ks::parseProgram(bank, "g", "(def f Float (x : Float) x) (def g Float (x : Float) (f x))");
        QCOMPARE(caller.error().message,
                 std::string("f is defined here in another way than in the program that is open"));
        QVERIFY(!ks::parseProgram(bank, "h", "(def f Float (y : Float) y)").ok());
    }

private:
    static int operationCost(const ir::TermBank& bank, TermId term) {
        int cost = 0;
        switch (ks::ksOp(bank.op(term))) {
            case ks::Op::Add:
            case ks::Op::Sub: cost = 1; break;
            case ks::Op::Mul:
            case ks::Op::Div: cost = 2; break;
            case ks::Op::Log: cost = 4; break;
            default: break;
        }
        for (std::size_t i = 0; i < bank.childCount(term); ++i) cost += operationCost(bank, bank.child(term, i));
        return cost;
    }
    static int totalCost(const char* pattern, int count) {
        const QDir folder(QString::fromStdString(sampleFolder() + "/arithmetic"));
        const QStringList names = folder.entryList({QString::fromLatin1(pattern)}, QDir::Files);
        if (names.size() != count) return -1;
        int total = 0;
        for (const QString& name : names) {
            ir::TermBank bank(ks::makeRegistry());
            const Result<SourceText> source = readSourceFile(folder.filePath(name).toStdString());
            total += operationCost(bank, ks::parseProgram(bank, "t", std::string(source->text()))->root);
        }
        return total;
    }
};

MITOS_TEST(TestKsReader)

}  // namespace tst_ks_reader

#include "tst_ks_reader.moc"
