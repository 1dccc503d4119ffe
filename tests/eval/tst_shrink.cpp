// SPDX-License-Identifier: GPL-3.0-or-later
// Shrinking: every proposal is smaller and of the same kind, and what can be smaller is found by following the proposals.
#include "core/eval/testing/internal/shrink.h"
#include "core/eval/testing/internal/simple_terms.h"
#include "core/eval/testing/random_terms.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <functional>

namespace tst_shrink {

using namespace mitos;
using eval::Value;

namespace {

/// Follows the first proposal that keeps the property until there is none.
std::string smallest(const std::string& body, const std::function<bool(const std::string&)>& property) {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> parsed =
        ks::parseProgram(bank, "t.ks", "(def f Float ((x : Float) (n : Integer) (v : (Vec Float))) " + body + ")");
    if (!parsed) return parsed.error().render();
    const std::vector<ir::Parameter> variables = bank.function(parsed->function).parameters;
    const auto text = [&](ir::TermId term) { return ks::printTerm(bank, term, {.width = 0, .compact = true}); };
    ir::TermId best = parsed->root;
    for (bool improved = true; improved;) {
        improved = false;
        for (const ir::TermId candidate : eval::smallerPrograms(bank, best, variables)) {
            if (!property(text(candidate))) continue;
            best = candidate;
            improved = true;
            break;
        }
    }
    return text(best);
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

class TestShrink : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programs_data();
    void programs();
    void proposalsAreSmaller();
    void values();
    void simpleTermsFitTheirTypes();
};

void TestShrink::programs_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("kept");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* body, const char* kept, const char* expected) {
        QTest::newRow(name) << QString::fromUtf8(body) << QString::fromUtf8(kept) << QString::fromUtf8(expected);
    };
    row("an operator", "(add (mul x 2.54) (exp (sub x 7.25)))", "sub", "(sub 0.0 0.0)");
    row("out of lets", "(let (a (exp x)) (let (b (mul a a)) (sub b a)))", "sub", "(sub 0.0 0.0)");
    row("a let", "(add (let (a (exp x)) (mul a 3.0)) x)", "let", "(let (a 0.0) a)");
    row("out of a loop", "(sumbuild n (lam (i : Integer) (mul (index i v) 3.0)))", "index", "(index 0 v)");
    row("a loop", "(add x (sumbuild (size v) (lam (i : Integer) (mul (index i v) 3.0))))", "sumbuild",
        "(sumbuild 0 (lam i 0.0))");
    row("vectors", "(index 2 (Vec_init x 2.0 (exp x)))", "Vec_init", "(Vec_init 0.0)");
    row("numbers", "(add x (mul 37.5 x))", "mul", "(mul 0.0 0.0)");
    row("nothing is left", "(if (gt x 0.0) (exp x) x)", "", "0.0");
}

void TestShrink::programs() {
    QFETCH(const QString, body);
    QFETCH(const QString, kept);
    QFETCH(const QString, expected);
    const std::string part = kept.toStdString();
    const std::string result =
        smallest(body.toStdString(), [&](const std::string& t) { return contains(t, part.c_str()); });
    QCOMPARE(QString::fromStdString(result), expected);
}

void TestShrink::proposalsAreSmaller() {
    ir::TermBank bank(ks::makeRegistry());
    ir::TypeTable& types = bank.types();
    const std::vector<ir::Parameter> variables{{bank.symbols().intern("x"), types.floating()},
                                               {bank.symbols().intern("v"), types.vec(types.floating())}};
    Random random(11);
    std::size_t proposals = 0;
    for (int i = 0; i < 100; ++i) {
        const ir::TermId program =
            eval::randomTerm(bank, eval::randomType(bank, random), {variables, {}}, random, 1 + i % 12);
        for (const ir::TermId smaller : eval::smallerPrograms(bank, program, variables)) {
            QVERIFY(eval::measure(bank, smaller) < eval::measure(bank, program));
            QCOMPARE(bank.looseBound(smaller), 0U);
            ++proposals;
        }
    }
    QVERIFY(proposals > 1000);
}

void TestShrink::values() {
    const auto shown = [](const Value& value) {
        std::string result;
        for (const Value& simpler : eval::simplerValues(value))
            result += (result.empty() ? "" : " ") + eval::toString(simpler);
        return result;
    };
    const auto vector = [](const std::vector<double>& numbers) {
        std::vector<Value> elements;
        for (const double x : numbers) elements.emplace_back(x);
        return Value(eval::TensorValue{{static_cast<std::int64_t>(numbers.size())}, std::move(elements)});
    };
    QCOMPARE(QString::fromStdString(shown(Value(0.0))), QString());
    QCOMPARE(QString::fromStdString(shown(Value(2.75))), QStringLiteral("0.0 1.0 -1.0 2.0 2.0 2.8"));
    QCOMPARE(QString::fromStdString(shown(Value(std::int64_t{5}))), QStringLiteral("0 1 2 2 4"));
    QCOMPARE(QString::fromStdString(shown(Value(std::int64_t{-1}))), QStringLiteral("0 0 0 1"));
    QCOMPARE(QString::fromStdString(shown(Value(true))), QStringLiteral("false"));
    QCOMPARE(QString::fromStdString(shown(vector({1.0}))), QStringLiteral("[] [0.0]"));
    QCOMPARE(QString::fromStdString(shown(vector({0.0, 1.0}))), QStringLiteral("[0.0] [1.0] [0.0, 0.0]"));
    const Value matrix(eval::TensorValue{{1, 2}, {Value(0.0), Value(1.0)}});
    QCOMPARE(eval::simplerValues(matrix).size(), std::size_t{1});  // its shape stays
}

void TestShrink::simpleTermsFitTheirTypes() {
    ir::TermBank bank(ks::makeRegistry());
    ir::TypeTable& types = bank.types();
    const ir::TypeId floating = types.floating();
    const std::array parts{floating, types.vec(types.boolean())};
    for (const ir::TypeId type :
         {floating, types.integer(), types.boolean(), types.string(), types.tuple(parts), types.vec(floating),
          types.tensor(2, floating), types.lambda(types.integer(), floating), types.linearMap(floating, floating),
          types.linearMap(floating, types.vec(floating))}) {
        const std::vector<ir::TermId> simple = eval::simpleTerms(bank, type);
        QVERIFY(!simple.empty());
        for (const ir::TermId term : simple) QCOMPARE(bank.type(term), type);
    }
    QCOMPARE(bank.type(eval::zeroTerm(bank, types.vec(floating), 3)), types.vec(floating));
    QVERIFY(!eval::zeroTerm(bank, types.boolean(), 3).isValid());
}

MITOS_TEST(TestShrink)

}  // namespace tst_shrink

#include "tst_shrink.moc"
