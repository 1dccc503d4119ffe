// SPDX-License-Identifier: GPL-3.0-or-later
// What is printed reads back as the same program, for every sample and for random programs, in any width.
#include "core/eval/testing/random_terms.h"
#include "core/ir/binding.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QTest>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tst_ks_printer {

using namespace mitos;
using ir::Path;
using ir::TermId;
using ir::TypeId;

namespace {

std::string repeated(const std::string& text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

/// Why the text does not read back as this program, in its own bank and in a fresh one; empty if it does.
std::string difference(ir::TermBank& bank, const ir::Program& program, const std::string& text) {
    const Result<ir::Program> here = ks::parseProgram(bank, "printed", text);
    if (!here) return here.error().render() + text;
    if (here->root != program.root) return "another term:\n" + text;
    ir::TermBank fresh(bank.sharedRegistry());
    const Result<ir::Program> there = ks::parseProgram(fresh, "printed", text);
    if (!there) return "fresh bank: " + there.error().render() + text;
    // Names of functions are part of the hash, names of binders are not.
    if (fresh.hash(there->root) != bank.hash(program.root)) return "another term in a fresh bank:\n" + text;
    return {};
}

}  // namespace

class TestKsPrinter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySampleReadsBack_data() {
        QTest::addColumn<QString>("path");
        const QString folder = QStringLiteral(MITOS_SOURCE_DIR "/samples");
        QDirIterator files(folder, {QStringLiteral("*.ks")}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(qPrintable(path.mid(folder.size() + 1))) << path;
        }
    }
    void everySampleReadsBack() {
        QFETCH(QString, path);
        ir::TermBank bank(ks::makeRegistry());
        const Result<SourceText> source = readSourceFile(path.toStdString());
        const Result<ks::Module> module = ks::parseModule(bank, *source);
        QVERIFY(module.ok());
        const ir::Program program = *ks::selectProgram(bank, *module, "");
        for (const int width : {100, 40, 0}) {
            const std::string text = ks::printProgram(bank, program, {.width = width});
            const std::string problem = difference(bank, program, text);
            QVERIFY2(problem.empty(), problem.c_str());
        }
        const Result<ks::Module> again = ks::parseModule(bank, SourceText("printed", ks::printModule(bank, *module)));
        QVERIFY2(again.ok(), again ? "" : again.error().render().c_str());
        QCOMPARE(again->functions, module->functions);
        QCOMPARE(again->bodies, module->bodies);
    }

    /// [[rev f] T] is the derived function of one argument type, and may be derived from again.
    void namesOfDerivedFunctionsReadBack() {
        for (const char* const source :
             {"(def f Float ((x : Float) (y : Float)) (mul x y))\n(gdef rev [f (Tuple Float Float)])\n"
              "(gdef shape [rev [f (Tuple Float Float)]])\n"
              "(def g Float ((x : Float)) (let (s ([shape [rev f]] (tuple x x) 1.0)) x))",
              "(def f Float (v : Vec Float) (index 0 v))\n(gdef fwd [f (Vec Float)])\n(gdef rev [fwd f])\n"
              "(def g Float ((x : Float)) (let (s ([rev [fwd f]] (tuple (Vec_init x) (Vec_init x)) x)) x))"}) {
            ir::TermBank bank(ks::makeRegistry());
            const Result<ks::Module> module = ks::parseModule(bank, SourceText("names.ks", source));
            QVERIFY2(module.ok(), module ? "" : module.error().render().c_str());
            const ir::Program program = *ks::selectProgram(bank, *module, "");
            const std::string text = ks::printProgram(bank, program, {});
            QVERIFY2(text.find("[[") != std::string::npos, text.c_str());
            const std::string problem = difference(bank, program, text);
            QVERIFY2(problem.empty(), problem.c_str());
            const Result<ks::Module> again =
                ks::parseModule(bank, SourceText("printed", ks::printModule(bank, *module)));
            QVERIFY2(again.ok(), again ? "" : again.error().render().c_str());
            QCOMPARE(again->functions, module->functions);
        }
    }

    void randomProgramsReadBack() {
        ir::TermBank bank(ks::makeRegistry());
        Random random(20261120);
        ir::TypeTable& types = bank.types();
        const std::array size{bank.symbols().intern("n")};
        const std::vector<ir::Parameter> parameters{
            {bank.symbols().intern("x"), types.floating()},
            {bank.symbols().intern("k"), types.integer()},
            {bank.symbols().intern("v"), types.tensor(1, types.floating(), size)}};
        eval::TermScope scope{.free = parameters, .bound = {}, .hasLoops = true};
        scope.free.push_back({size[0], types.integer()});
        const std::array pair{types.floating(), types.vec(types.integer())};
        const std::array results{types.floating(),
                                 types.integer(),
                                 types.boolean(),
                                 types.vec(types.floating()),
                                 types.tensor(2, types.floating()),
                                 types.tuple(pair),
                                 types.linearMap(types.floating(), types.floating())};
        for (int i = 0; i < 1'500; ++i) {
            const TypeId result = results.at(random.below(results.size()));
            ir::Function function;
            function.name = "f" + std::to_string(i);
            function.parameters = parameters;
            const std::array arguments{types.floating(), types.integer(), types.vec(types.floating())};
            function.argument = types.tuple(arguments);
            function.result = function.declaredResult = result;
            function.sizes = {{size[0], 2, {}, 0}};
            const TermId root =
                eval::randomTerm(bank, result, scope, random, 1 + static_cast<std::uint32_t>(random.below(80)));
            const ir::FunctionId id = *bank.declare(function);
            bank.define(id, root);
            const int width = static_cast<int>(random.below(120));
            const std::string text = ks::printProgram(bank, {id, root}, {.width = width});
            const std::string problem = difference(bank, {id, root}, text);
            QVERIFY2(problem.empty(), problem.c_str());
            checkSpans(bank, {id, root}, width);
            if (QTest::currentTestFailed()) return;
        }
    }

    void randomBareExpressionsReadBack() {
        ir::TermBank bank(ks::makeRegistry());
        Random random(7);
        const TypeId floating = bank.types().floating();
        const ir::Program start = *ks::parseProgram(bank, "t", "(add x (mul y z))");
        const eval::TermScope scope{bank.function(start.function).parameters, {}};
        for (int i = 0; i < 1'000; ++i) {
            const ir::Program program{
                start.function,
                eval::randomTerm(bank, floating, scope, random, 1 + static_cast<std::uint32_t>(random.below(40)))};
            const std::string text = ks::printProgram(bank, program);
            const Result<ir::Program> again = ks::parseProgram(bank, "printed", text);
            QVERIFY2(again.ok() && again->root == program.root, text.c_str());
        }
    }

    void bareExpressionsStayBareWhileTheyCan() {
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program start = *ks::parseProgram(bank, "t", "(div (mul x y) x)");
        QCOMPARE(ks::printProgram(bank, start), std::string("(div (mul x y) x)\n"));
        const ir::Program bound{start.function, ks::parseProgram(bank, "t", "(let (p (mul x y)) (div p x))")->root};
        QCOMPARE(ks::printProgram(bank, bound), std::string("(let (p (mul x y)) (div p x))\n"));
        const ir::Program one{start.function, ks::parseProgram(bank, "t", "y")->root};
        QCOMPARE(ks::printProgram(bank, one), std::string("y\n"));
        // An Integer beside a Float would be read as a Float.
        const TermId mixed = *bank.make(ks::opId(ks::Op::Mul), std::array{bank.integer(2), one.root});
        QCOMPARE(ks::printProgram(bank, {start.function, mixed}),
                 std::string("(def expression Float ((x : Float) (y : Float))\n  (mul 2 y))\n"));
    }

    void literalsReadBackExactly() {
        ir::TermBank bank(ks::makeRegistry());
        Random random(1);
        std::vector<double> values{
            0.0,  -0.0, 1.0,   -1.0,   0.1,   1e22,     1e-7,     123456789012345680.0, 5e-324, 1.7976931348623157e308,
            1e16, 1e15, 1e100, 1.5e-9, 2e300, HUGE_VAL, -HUGE_VAL};
        for (const std::uint64_t bits : {0x7ff8000000000000ULL, 0xfff8000000000000ULL, 0x7ff0000000000001ULL}) {
            values.push_back(std::bit_cast<double>(bits));
        }
        for (int i = 0; i < 5'000; ++i) values.push_back(std::bit_cast<double>(random.next()));
        for (const double value : values) {
            const TermId term = bank.floating(value);
            const std::string text = ks::printTerm(bank, term);
            const Result<ir::Program> again = ks::parseProgram(bank, "t", text);
            QVERIFY2(again.ok() && again->root == term, text.c_str());
        }
        QCOMPARE(ks::printTerm(bank, bank.floating(1.0)), std::string("1.0"));
        QCOMPARE(ks::printTerm(bank, bank.floating(-0.0)), std::string("-0.0"));
        QCOMPARE(ks::printTerm(bank, bank.floating(0.1)), std::string("0.1"));
        QCOMPARE(ks::printTerm(bank, bank.floating(HUGE_VAL)), std::string("1e999"));
        for (const std::string& value : {std::string("plain"), std::string("q\"\\\n\t\r\x01\x7f ü€")}) {
            const TermId term = bank.string(value);
            const Result<ir::Program> again = ks::parseProgram(bank, "t", ks::printTerm(bank, term));
            QVERIFY(again.ok() && again->root == term);
        }
    }

    void namesNeverCapture() {
        ir::TermBank bank(ks::makeRegistry());
        const TypeId floating = bank.types().floating();
        const Symbol x = bank.symbols().intern("x");
        const TermId free = bank.variable(x, floating);
        const auto add = [&](TermId a, TermId b) { return *bank.make(ks::opId(ks::Op::Add), std::array{a, b}); };
        // let x' = x in let x'' = x' in x + x' + x''
        const TermId inner = add(free, add(bank.bound(1, floating), bank.bound(0, floating)));
        const TermId root = bank.let(x, free, bank.let(x, bank.bound(0, floating), inner));
        QCOMPARE(ks::printTerm(bank, root, {.width = 0}),
                 std::string("(let (x_1 x) (let (x_2 x_1) (add x (add x_1 x_2))))"));
        // (pi) would be the variable, if one were called so.
        const TermId pi = *bank.make(ks::opId(ks::Op::Pi), {});
        const TermId named = bank.let(bank.symbols().intern("pi"), free, add(pi, bank.bound(0, floating)));
        QCOMPARE(ks::printTerm(bank, named, {.width = 0}), std::string("(let (pi_1 x) (add (pi) pi_1))"));
        // Hints that are no names, or reserved.
        for (const char* hint : {"let", "true", "1x", "", "ü", "a b", "-1", "$nan"}) {
            const TermId odd = bank.let(bank.symbols().intern(hint), bank.floating(1.25),
                                        add(bank.bound(0, floating), bank.floating(0.5)));
            const std::string text = ks::printTerm(bank, odd, {.width = 0});
            QVERIFY2(text.starts_with("(let (x 1.25)"), text.c_str());
        }
        // Siblings may share a name.
        const TermId once = bank.let(x, bank.floating(1.0), bank.bound(0, floating));
        QCOMPARE(ks::printTerm(bank, add(once, once), {.width = 0}),
                 std::string("(add (let (x 1.0) x) (let (x 1.0) x))"));
    }

    void looseVariablesTakeTheNamesGiven() {
        ir::TermBank bank(ks::makeRegistry());
        const TypeId floating = bank.types().floating();
        const TermId sum =
            *bank.make(ks::opId(ks::Op::Add), std::array{bank.bound(0, floating), bank.bound(2, floating)});
        QCOMPARE(ks::printTerm(bank, sum), std::string("(add <bound 1> <bound 3>)"));
        QCOMPARE(ks::printTerm(bank, sum, {}, {"outer", "middle", "inner"}), std::string("(add inner outer)"));
        QCOMPARE(ks::printTerm(bank, sum, {}, {"inner"}), std::string("(add inner <bound 2>)"));
        const ir::Program program = *ks::parseProgram(
            bank, "t",
            "(def f Float (i : Float) (let (p (log i)) (sumbuild 3 (lam (i : Integer) (mul p (to_float i))))))");
        QCOMPARE(ks::binderNames(bank, program, {1, 1, 0, 1}), (std::vector<std::string>{"p", "i_1"}));
        QCOMPARE(ks::binderNames(bank, program, {0}), std::vector<std::string>());
    }

    void spansCoverEverySubterm() {
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program program =
            *ks::parseProgram(bank, "t", "(def f Float ((x : Float) (y : Float)) (let (p (mul x y)) (add p (log x))))");
        const ks::PrintedText printed = ks::printWithSpans(bank, program);
        const auto at = [&](const Path& path) {
            const ks::PrintedSpan* span = printed.find(path);
            return span != nullptr ? printed.text.substr(span->begin, span->end - span->begin) : "nothing";
        };
        QCOMPARE(printed.spans.size(), std::size_t(8));
        QCOMPARE(at({}), std::string("(let (p (mul x y)) (add p (log x)))"));
        QCOMPARE(at({0}), std::string("(mul x y)"));
        QCOMPARE(at({1, 0}), std::string("p"));
        QCOMPARE(at({1, 1, 0}), std::string("x"));
        QCOMPARE(at({1, 2}), std::string("nothing"));
        for (const int width : {0, 10, 30, 100}) checkSpans(bank, program, width);
    }

    void longLinesAreBroken() {
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program gemm = *ks::parseProgram(
            bank, "t", std::string(readSourceFile(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks")->text()));
        const QList<QByteArray> lines =
            QByteArray::fromStdString(ks::printProgram(bank, gemm, {.width = 80})).split('\n');
        QVERIFY(lines.size() > 15);
        for (const QByteArray& line : lines.mid(2)) QVERIFY2(line.size() <= 80, line.constData());
        QCOMPARE(ks::printProgram(bank, gemm, {.width = 0}).find('\n'),
                 ks::printProgram(bank, gemm, {.width = 0}).size() - 1);
        QCOMPARE(ks::printWithSpans(
                     bank,
                     *ks::parseProgram(
                         bank, "t", "(def g (Vec n Float) (v : Vec n Float) (build n (lam i (mul 2.0 (index i v)))))"),
                     {.width = 0, .compact = true})
                     .text,
                 std::string("(build n (lam i (mul 2.0 (index i v))))"));
    }

    void calleesComeFirstAndOnce() {
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program program = *ks::parseProgram(bank, "t",
                                                      "(edef e Float (Tuple Float Integer)) (def cost$e Float () 3.5) "
                                                      "(def unused Float () 1.0) (def a Float (x : Float) (e x 1))"
                                                      "(def b Float (x : Float) (a (a x))) (def f Float (k : Integer) "
                                                      "(if (gt k 0) (f (sub k 1)) (add (b 1.0) (a 2.0))))");
        const std::string text = ks::printProgram(bank, program);
        QCOMPARE(text,
                 std::string("(edef e Float (Tuple Float Integer))\n"
                             "(def cost$e Float ((x1 : Float) (x2 : Integer)) 3.5)\n\n"
                             "(def a Float (x : Float)\n  (e x 1))\n\n"
                             "(def b Float (x : Float)\n  (a (a x)))\n\n"
                             "(def f Float (k : Integer)\n  (if (gt k 0) (f (sub k 1)) (add (b 1.0) (a 2.0))))\n"));
        QCOMPARE(QByteArray::fromStdString(difference(bank, program, text)), QByteArray());
    }

    void wholeModulesReadBack() {
        ir::TermBank bank(ks::makeRegistry());
        const SourceText source(
            "t",
            "(edef h Float (Lam Float Float)) (def f Float (x : Float) (h (lam y (mul x y)))) (gdef rev [f Float])"
            "(def [f (Vec Float)] Float (v : Vec n Float) (sum v)) (gdef fwd [f (Vec Float)])"
            "(def g Float (x : Float) ([rev f] x 1.0)) (rule \"r\" ((a : Float) (v : Vec n Float)) (mul a (sum v)) "
            "(sum (mul a v)))");
        const Result<ks::Module> module = ks::parseModule(bank, source);
        QVERIFY2(module.ok(), module ? "" : module.error().render().c_str());
        const std::string text = ks::printModule(bank, *module);
        const Result<ks::Module> again = ks::parseModule(bank, SourceText("printed", text));
        QVERIFY2(again.ok(), again ? "" : (again.error().render() + text).c_str());
        QCOMPARE(again->functions, module->functions);
        QCOMPARE(again->bodies, module->bodies);
        QCOMPARE(again->derivatives.size(), std::size_t(2));
        QCOMPARE(again->derivatives[1].function, module->derivatives[1].function);
        QCOMPARE(again->rules.size(), std::size_t(1));
        QCOMPARE(again->rules[0].rhs, module->rules[0].rhs);
        QCOMPARE(ks::printModule(bank, *again), text);
    }

    void deepProgramsArePrinted() {
        ir::TermBank bank(ks::makeRegistry());
        constexpr std::size_t Levels = 9'900;
        for (const std::string& level : {std::string("(add x "), std::string("(let (x (log x)) "),
                                         std::string("(sumbuild 2 (lam (i : Integer) ")}) {
            const std::size_t times = level.ends_with("Integer) ") ? Levels / 2 : Levels;
            const std::size_t closing = static_cast<std::size_t>(std::count(level.begin(), level.end(), '(') -
                                                                 std::count(level.begin(), level.end(), ')'));
            const Result<ir::Program> program =
                ks::parseProgram(bank, "t", repeated(level, times) + "x" + repeated(")", closing * times));
            QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
            const std::string text = ks::printProgram(bank, *program);
            QVERIFY(text.size() < 3'000'000);
            const Result<ir::Program> again = ks::parseProgram(bank, "printed", text);
            QVERIFY(again.ok() && again->root == program->root);
        }
    }

private:
    /// One span a node, in pre-order, properly nested, whose texts are those of the subterms.
    static void checkSpans(const ir::TermBank& bank, const ir::Program& program, int width) {
        const ks::PrintedText printed = ks::printWithSpans(bank, program, {.width = width});
        QCOMPARE(printed.spans.size(), static_cast<std::size_t>(bank.treeSize(program.root)));
        std::size_t next = 0;
        std::string wrong;
        ir::forEachSubterm(bank, program.root, [&](const Path& path, TermId term) {
            const auto place = static_cast<ir::NodePlaces::Index>(next++);
            const ks::PrintedSpan& span = printed.spans[place];
            const ks::PrintedSpan& outer = printed.spans[printed.places.parent(place)];
            const bool inside = span.begin >= outer.begin && span.end <= outer.end;
            const std::string text = printed.text.substr(span.begin, span.end - span.begin);
            const bool atom = bank.childCount(term) == 0 && text.find_first_of("()") == std::string::npos;
            const bool whole = atom || (text.front() == '(' && text.back() == ')');
            if (printed.places.path(place) != path || !inside || !whole) wrong = text;
            return true;
        });
        QCOMPARE(QByteArray::fromStdString(wrong), QByteArray());
    }
};

MITOS_TEST(TestKsPrinter)

}  // namespace tst_ks_printer

#include "tst_ks_printer.moc"
