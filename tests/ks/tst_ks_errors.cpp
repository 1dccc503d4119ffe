// SPDX-License-Identifier: GPL-3.0-or-later
// What the ks reader says about wrong programs: every message with its place, all of a file in one run, never a crash.
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QElapsedTimer>
#include <QTest>

namespace tst_ks_errors {

using namespace mitos;

namespace {

struct Failed {
    ir::TermBank bank{ks::makeRegistry()};
    Result<ks::Module> module;

    explicit Failed(const std::string& text) : module(ks::parseModule(bank, SourceText("t.ks", text))) {}
    /// "line:column: message" of every error, one a line.
    [[nodiscard]] std::string all() const {
        if (module) return "no error";
        std::string text = one(module.error());
        for (const Error& other : module.error().others) text += "\n" + one(other);
        return text;
    }
    static std::string one(const Error& error) {
        return std::to_string(error.place->line) + ":" + std::to_string(error.place->column) + ": " + error.message;
    }
};

std::string repeated(const std::string& text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

}  // namespace

class TestKsErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each derivation of a derived function about doubles its types, and names are made of types.
    void derivationsOfDerivationsEnd() {
        std::string source = "(def f Float ((x : Float) (y : Float)) (mul x y))\n";
        std::string name = "f";
        for (int i = 0; i < 60; ++i) {
            source += fmt::format("(gdef rev {})\n", name);
            name = fmt::format("[rev {}]", name);
        }
        ir::TermBank bank(ks::makeRegistry());
        const Result<ks::Module> module = ks::parseModule(bank, SourceText("test.ks", source));
        QVERIFY(!module.ok());
        QVERIFY2(module.error().message.find("are too large to derive from") != std::string::npos,
                 module.error().message.c_str());
    }

    void chainsOfCallsHaveALimit() {
        const auto chain = [](int functions) {
            std::string text = "(def f0 Float (x : Float) x)\n";
            for (int i = 1; i <= functions; ++i) {
                text += "(def f" + std::to_string(i) + " Float (x : Float) (f" + std::to_string(i - 1) + " x))\n";
            }
            return text;
        };
        ir::TermBank bank(ks::makeRegistry());
        QVERIFY(ks::parseModule(bank, SourceText("test.ks", chain(20'000))).ok());
        ir::TermBank other(ks::makeRegistry());
        const Result<ks::Module> module = ks::parseModule(other, SourceText("test.ks", chain(60'000)));
        QVERIFY(!module.ok());
        QCOMPARE(module.error().code, ErrorCode::Limit);
    }

    void warningsOnOneLineAreFew() {
        std::string source = "(def f Float ((a : Float) (b : Float)) ";
        for (int i = 0; i < 3'000; ++i) source += "(let ((a b) (b a)) ";
        source += "a" + std::string(3'001, ')');
        ir::TermBank bank(ks::makeRegistry());
        const Result<ks::Module> module = ks::parseModule(bank, SourceText("test.ks", source));
        QVERIFY2(module.ok(), module ? "" : module.error().message.c_str());
        QCOMPARE(module->warnings.size(), std::size_t{100});
    }

    void messagesNameThePlaceAndWhatWasFound_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("errors");
        QTest::addColumn<QByteArray>("hint");
        const auto row = [](const char* name, const char* source, const char* errors, const char* hint = "") {
            QTest::newRow(name) << QByteArray(source) << QByteArray(errors) << QByteArray(hint);
        };
        // Characters and forms.
        row("non-ASCII name", "(def größe Float () 1.0)", "1:8: the character ö cannot stand in a name",
            "names consist of ASCII letters");
        row("control character", "(def f Float () \x01)", "1:17: found the control character 0x01");
        row("brace", "{def f", "1:1: found the character {, with which no expression begins");
        row("number and name", "(def f Float () 1x)", "1:17: 1x is neither a number nor a name");
        row("point without digits", "(def f Float () 1.)", "1:17: 1. is neither a number nor a name",
            "write 1.0 for a Float");
        row("Integer too large", "(def f Integer () 9223372036854775808)",
            "1:19: the Integer 9223372036854775808 does not fit into 64 bits");
        row("String not closed", "(def f String () \"ab\n)", "1:18: this String is not closed on its line");
        row("unknown escape", "(def f String () \"\\q\")", "1:18: this String has an unknown escape");
        row("comment not closed", "(def f Float () 1.0) #| a #| b |#", "1:22: this block comment is never closed");
        row("form not closed", "(def f Float ()\n (log 1.0)", "1:1: this ( is never closed: the file ends before that");
        row("form not closed before the next", "(def f Float () (log 1.0)\n(def g Float () 1.0)\n(def h Float () (f))",
            "1:1: this ( is never closed: the next definition begins in line 2");
        row("closed too often", "(def f Float () 1.0)))\n(def g Float () x)",
            "1:21: this ) closes nothing\n2:17: unknown variable x");
        row("wrong bracket", "([rev f) 1.0)", "1:8: found ) where ] would close what begins in line 1");
        // Top level.
        row("expression beside definitions", "(def f Float () 1.0)\n(f)", "2:1: found an expression beside definitions",
            "a file holds definitions, or one bare expression");
        row("two expressions", "(add x y) (mul x y)",
            "1:11: found 2 expressions; a file holds definitions, or one expression");
        row("misspelt def", "(def f Float () 1.0) (defn g Float () 1.0)", "1:23: defn begins no definition",
            "did you mean def?");
        row("def too short", "(def f Float)",
            "1:1: def takes a name, a result type, parameters and a body; found 2 forms");
        row("defined twice", "(def f Float (x : Float) x) (def f Float (y : Float) y)",
            "1:34: f is defined twice for the argument type Float");
        row("reserved name", "(def let Float () 1.0)", "1:6: let is a reserved word, not the name of a function");
        row("built-in name", "(def build Float () 1.0)", "1:6: build is built in and cannot be defined");
        row("wrong result", "(def f Integer (x : Float) x)",
            "1:28: f is declared to give Integer, but its body is a Float");
        row("two parameters of a name", "(def f Float ((x : Float) (x : Float)) x)",
            "1:27: there are two parameters called x");
        row("parameter without type", "(def f Float (x) x)", "1:14: expected a parameter with its type",
            "parameters look like (x : Float)");
        row("unknown type", "(def f Flaot () 1.0)", "1:8: Flaot is not a type", "did you mean Float?");
        row("Vec alone", "(def f Float (v : Vec) 1.0)", "1:19: Vec alone is not a type");
        row("bad rank", "(def f Float (v : Tensor 0 Float) 1.0)",
            "1:19: Tensor takes its rank first, an Integer of 1 or more");
        row("wrong argument in name", "(def [f Integer] Float (x : Float) x)",
            "1:6: [f Integer] is defined with the argument type Float");
        row("gdef of nothing", "(def foo Float (x : Float) x) (gdef rev [fop Float])",
            "1:41: there is no function [fop Float] to derive from", "did you mean foo?");
        row("gdef of an unknown derivation", "(gdef back [f Float])",
            "1:1: gdef takes a derivation and the function it derives from");
        row("edef too short", "(edef f Float)",
            "1:1: edef takes a name, a result type and an argument type; found 2 forms");
        row("rule with two types", "(rule \"r\" (x : Float) x 1)",
            "1:25: the left side is a Float, the right side a Integer");
        row("rule with a loose variable", "(rule \"r\" ((x : Float) (y : Float)) x y)",
            "1:39: the right side uses y, which the left side does not bind");
        // Names.
        row("unknown variable", "(def f Float (alpha : Float) alhpa)", "1:30: unknown variable alhpa",
            "did you mean alpha?");
        row("function as a value", "(def f Float () pi)", "1:17: unknown variable pi",
            "to call the function pi, write (pi)");
        row("unknown function", "(def f Float (x : Float) (lgo x))", "1:27: unknown function lgo", "did you mean log?");
        row("defined later", "(def f Float () (g))\n(def g Float () 1.0)", "1:18: g is defined further down, in line 2",
            "a definition must come before its uses");
        row("variable as a function", "(def f Float (x : Float) (x x))", "1:27: x is a Float, not a function");
        row("derivative that was not requested",
            "(def f Float (x : Float) x) (def g Float (x : Float) ([rev f] x 1.0))", "1:55: no definition of [rev f]",
            "request it with (gdef rev [f T]), or define it");
        row("derivative whose type nobody knows",
            "(def f Float (x : Float) x) (gdef suffwdpass [f Float]) (def g Float (x : Float) (get$1$2 ([suffwdpass f] "
            "x)))",
            "1:92: no definition of [suffwdpass f]", "request it with (gdef rev [f T]), or define it");
        row("two points of $check",
            "(def f Float (x : Float) x) (gdef rev [f Float]) (def g Float (x : Float) ($check f [rev f] x 2.0 1.0 "
            "1.0))",
            "1:95: the reverse derivative is checked at another point than the function",
            "give $check the same point twice, or once: ($check f revf x dx df)");
        row("ifold of too little", "(def f Float (x : Float) (ifold 3 x))", "1:26: ifold takes 3 arguments; found 2",
            "(ifold n f s): f applied to (state, i) for each i below n, from state s");
        row("a function by name that does not fit",
            "(def g Float (v : Vec Float) 1.0) (def f (Vec Float) () (build 3 g))",
            "1:66: g takes (Vec Float); found Integer");
        row("old derivative of a broken definition", "(def f Flot () 1.0) (def g Float (x : Float) (rev$f x 1.0))",
            "1:8: Flot is not a type");
        row("use of a broken definition", "(def f Flot () 1.0) (def g Float () (f))", "1:8: Flot is not a type");
        // Types.
        row("Float and Bool", "(def f Float (x : Float) (add x true))",
            "1:26: add takes two Floats, two Integers, two tuples or tensors of the same type, or one of them and a "
            "number; found "
            "Float and Bool");
        row("Float and Integer", "(def f Float (x : Float) (sub x 1))",
            "1:26: sub takes two Floats, two Integers, two tuples or tensors of the same type, or one of them and a "
            "number; found "
            "Float and Integer",
            "a Float literal has a point, 2.0");
        row("index the wrong way round", "(def f Float (v : Vec Float) (index v 0))",
            "1:30: index takes an index first, then a tensor (an Integer and a Vec, or a k-tuple of Integers and a "
            "Tensor k); found "
            "(Vec Float) and Integer",
            "the index comes first: (index i v)");
        row("unequal branches", "(def f Float (x : Float) (if true x 1))",
            "1:26: if takes a Bool and two values of the same type; found Bool, Float and Integer");
        row("wrong overload",
            "(def f Float (x : Float) x) (def f Float ((x : Float) (y : Integer)) x) (def g Float () (f true))",
            "1:89: f takes Float or Float, Integer; found Bool");
        row("too few for an operator", "(def f Float (x : Float) (mul x))", "1:26: mul takes 2 arguments, 1 given");
        row("lam out of place", "(def f Float (x : Float) (let (g (lam (y : Float) y)) x))",
            "1:34: a lam can only stand as an argument of build, sumbuild, fold, map and the like, or of an edef that "
            "takes a (Lam S T)");
        row("lam of unknown type",
            "(edef g Float (Lam Float Float)) (def f Float ((x : Float) (y : Integer)) (fold (lam s x) x y))",
            "1:86: the type of s is not known here", "write (lam (s : Float) ...) with its type");
        row("lam of the wrong type", "(def f (Vec Float) () (build 3 (lam (x : Float) x)))",
            "1:23: build takes a size (Integer, or a tuple of Integers) and a function of an index of that type; found "
            "Integer and "
            "(Lam Float Float)");
        row("binding of the wrong type", "(def f Float () (let (x : Integer 1.0) 1.0))",
            "1:35: x is declared as Integer, but its value is a Float");
        row("pattern of the wrong size", "(def f Float (t : Tuple Float Float) (let ((a b c) t) a))",
            "1:52: a tuple with 3 elements is taken apart here; found (Tuple Float Float)");
        row("get beyond the tuple", "(def f Float (t : Tuple Float Float) (get$3$2 t))",
            "1:38: get$3$2 is not an element of a tuple");
        row("get of another size", "(def f Float (t : Tuple Float Float) (get$1$3 t))",
            "1:38: get$1$3 takes a tuple with 3 elements; found (Tuple Float Float)");
        row("select beyond the tuple", "(def f Float (t : Tuple Float Float) (select t 2))",
            "1:38: element 2 is selected from a tuple with 2 elements", "select counts from 0");
        row("empty form", "(def f Float () ())", "1:17: () is not an expression", "the empty tuple is written (tuple)");
        row("let without body", "(def f Float () (let (x 1.0)))", "1:17: let takes bindings and a body");
        row("reserved variable", "(def f Float () (let (if 1.0) 1.0))",
            "1:23: if is a reserved word, not a name for a variable");
        row("in a bare expression", "(add x (mull y x))", "1:9: unknown function mull", "did you mean mul?");
    }
    void messagesNameThePlaceAndWhatWasFound() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, errors);
        QFETCH(QByteArray, hint);
        const Failed failed(source.toStdString());
        QCOMPARE(QByteArray::fromStdString(failed.all()), errors);
        QVERIFY2(failed.module.error().hint.starts_with(hint.toStdString()), failed.module.error().hint.c_str());
        QCOMPARE(failed.module.error().place->file, std::string("t.ks"));
    }

    void oneRunListsAllErrorsOfAFile() {
        const Failed failed(
            "(def a Float () x)\n(def b Float () (a))\n(def c Float () tru)\n(def d Float () 1.0\n(def e Integer () "
            "1.0)\n(def f Float () (d))");
        QCOMPARE(failed.all(), std::string("1:17: unknown variable x\n3:17: unknown variable tru\n"
                                           "4:1: this ( is never closed: the next definition begins in line 5\n"
                                           "5:19: e is declared to give Integer, but its body is a Float"));
        const Failed many(repeated("(def f Float () x)\n", 70));
        QCOMPARE(many.module.error().others.size(), std::size_t(69));
        const std::string shown = many.module.error().render();
        QCOMPARE(QByteArray::fromStdString(shown).count("error:"), 20);
        QVERIFY(shown.ends_with("… and 50 more errors\n"));
    }

    void renderedErrorsPointAtTheColumn() {
        QCOMPARE(Failed("(def f Float\n  (x : Float) (lgo x))").module.error().render(),
                 std::string("t.ks:2:16: error: unknown function lgo\n    (x : Float) (lgo x))\n                 ^\n  "
                             "hint: did you mean log?\n"));
    }

    void messagesStayTextWhenTheyQuote() {
        // Cut between characters, not between the bytes of one.
        for (const std::string& shift : {std::string(), std::string("a")}) {
            const Failed failed("(def f Float () (\"" + shift + repeated("é", 50) + "\" 1.0))");
            const SourceText message("m", failed.module.error().message);
            QCOMPARE(message.firstInvalidByte(), std::string::npos);
            QVERIFY(message.text().ends_with("…"));
        }
        QCOMPARE(Failed("((add\n1 2) 3)").all(), std::string("1:2: expected the name of a function, found (add…"));
    }

    void notATextIsOneError() {
        std::string bytes;
        for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
        QCOMPARE(Failed(bytes).all(), std::string("1:1: this is not a text file: byte 0x00 at offset 0 is not UTF-8"));
        QCOMPARE(Failed("(def f\n \xff)").all(),
                 std::string("2:2: this is not a text file: byte 0xff at offset 8 is not UTF-8"));
    }

    void tenMegabytesOfParenthesesAreOneQuickError_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("errors");
        constexpr int TenMillion = 10'000'000;
        const QByteArray deep("1:10001: forms are nested more than 10000 levels deep here");
        QTest::newRow("opening") << QByteArray(TenMillion, '(') << deep;
        QTest::newRow("closing") << QByteArray(TenMillion, ')') << QByteArray("1:1: this ) closes nothing");
        QTest::newRow("balanced") << QByteArray(TenMillion / 2, '(') + QByteArray(TenMillion / 2, ')') << deep;
        QTest::newRow("brackets") << QByteArray(TenMillion, '[') << deep;
        QTest::newRow("then a definition")
            << QByteArray(TenMillion, '(') + "\n(def f Float () y)" << deep + "\n2:17: unknown variable y";
    }
    void tenMegabytesOfParenthesesAreOneQuickError() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, errors);
        QElapsedTimer timer;
        timer.start();
        const Failed failed(text.toStdString());
        QCOMPARE(QByteArray::fromStdString(failed.all()), errors);
        QVERIFY(timer.elapsed() < 60'000);
    }

    void depthIsBounded() {
        const auto nested = [](std::size_t n) {
            return "(def f Float (x : Float) " + repeated("(add x ", n) + "x" + repeated(")", n) + ")";
        };
        QVERIFY(Failed(nested(9'999)).module.ok());
        QCOMPARE(Failed(nested(10'000)).module.error().code, ErrorCode::Limit);
        QVERIFY(Failed(repeated("(", 9'999) + "x" + repeated(")", 9'999)).module.ok());
        QVERIFY(Failed("(def f Float (x : Float) " + repeated("(let (x (log x)) ", 9'000) + "x" + repeated(")", 9'001))
                    .module.ok());
        // A group of bindings nests as terms, though not as forms.
        const Failed group("(def f Float (x : Float) (let (" + repeated("(x (log x)) ", 50'000) + ") x))");
        QCOMPARE(group.all(), std::string("1:1: this program is nested 50002 levels deep"));
        QCOMPARE(group.module.error().code, ErrorCode::Limit);
        QVERIFY(Failed("(def f " + repeated("(Vec ", 5'000) + "Float" + repeated(")", 5'000) + " () 1.0)")
                    .all()
                    .ends_with("types are nested more than 200 levels deep here"));
        QVERIFY(!Failed("(def " + repeated("[rev ", 9'000) + "f" + repeated("]", 9'000) + ")").module.ok());
    }
};

MITOS_TEST(TestKsErrors)

}  // namespace tst_ks_errors

#include "tst_ks_errors.moc"
