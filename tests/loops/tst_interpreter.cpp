// SPDX-License-Identifier: GPL-3.0-or-later
// The interpreter of the loop form: what it counts, that it looks where compiled code does not, and that forms compute what the evaluator
// does, for samples, random programs, and their derivatives.
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "core/eval/samples.h"
#include "core/eval/testing/random_terms.h"
#include "core/ks/module.h"
#include "core/loops/interpreter.h"
#include "tests/loops/lowered.h"
#include "tests/support/fold_programs.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QDirIterator>
#include <cmath>
#include <string_view>
#include <variant>

namespace tst_interpreter {

using namespace mitos;
using tests::Lowered;

namespace {

eval::Value vectorOf(const std::vector<double>& numbers) {
    eval::TensorValue tensor{{static_cast<std::int64_t>(numbers.size())}, {}};
    for (const double number : numbers) tensor.elements.emplace_back(number);
    return eval::Value(std::move(tensor));
}

/// Runs the form of a program on samples of its inputs; the text says where it differs from the evaluator, or why it has no form.
struct Comparison {
    int compared = 0;
    std::string difference = {};
};

Comparison compare(const ir::TermBank& bank, const ir::Program& program, int count) {
    Comparison comparison;
    const Result<loops::Program> form = loops::lower(bank, program);
    if (!form) return {0, form.error().message};
    const Result<eval::Samples> drawn = eval::drawSamples(bank, program, count, 1, {.steps = 200'000});
    if (!drawn) return {0, drawn.error().message};
    for (const eval::Sample& sample : drawn->samples) {
        const Result<loops::Interpretation> run = loops::interpret(bank, *form, sample.inputs);
        const std::string inputs = eval::describeInputs(bank, bank.function(program.function), sample.inputs);
        if (!run) return {comparison.compared, run.error().message + " at " + inputs};
        if (eval::deviation(sample.expected, run->value) > 1e-12) {
            return {comparison.compared, fmt::format("{} instead of {} at {}", eval::toString(run->value),
                                                     eval::toString(sample.expected), inputs)};
        }
        ++comparison.compared;
    }
    return comparison;
}

/// The value with the number in place of the first Float of each vector and tuple.
eval::Value withNumber(const eval::Value& value, double number) {
    const auto first = [&](std::vector<eval::Value> parts) {
        for (eval::Value& part : parts) {
            const bool isLast = part.isFloat();
            part = withNumber(part, number);
            if (isLast) break;
        }
        return parts;
    };
    if (value.isFloat()) return eval::Value(number);
    if (value.isTuple()) return eval::Value(eval::TupleValue{first(value.asTuple().elements)});
    if (value.isTensor())
        return eval::Value(eval::TensorValue{value.asTensor().dims, first(value.asTensor().elements)});
    return value;
}

/// The same for its reverse derivative; nothing is compared if there is none.
Comparison compareDerivative(ir::TermBank& bank, const ir::Program& program, int count) {
    const Result<ir::FunctionId> derived = autodiff::derive(bank, autodiff::Direction::Reverse, program.function);
    if (!derived) return {};
    return compare(bank, {*derived, bank.function(*derived).body}, count);
}

}  // namespace

class TestInterpreter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countsAreThoseByHand_data();
    void countsAreThoseByHand();
    void onlyTheBranchTakenIsCounted();
    void elementsOutsideOfAVectorAreNotRead();
    void numbersAreNotReadBeforeTheyAreSet();
    void failuresAreThoseOfThePrograms_data();
    void failuresAreThoseOfThePrograms();
    void changesInPlaceKeepSignsOfZeros();
    void callsHaveTheEvaluatorsValues_data();
    void callsHaveTheEvaluatorsValues();
    void foldsHaveTheEvaluatorsValues_data();
    void foldsHaveTheEvaluatorsValues();
    void samplesHaveTheEvaluatorsValues_data();
    void samplesHaveTheEvaluatorsValues();
    void randomProgramsHaveTheEvaluatorsValues();
};

void TestInterpreter::countsAreThoseByHand_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QList<double>>("numbers");  // of v
    QTest::addColumn<double>("value");
    QTest::addColumn<QList<int>>("counts");  // additions, multiplications, divisions, read, written, allocations
    QTest::newRow("a sum of products")
        << "(def f Float (v : Vec n Float) (sumbuild n (lam (i : Integer) (mul 2.0 (index i v)))))"
        << QList<double>{1, 2, 4} << 14.0 << QList<int>{3, 3, 0, 24, 0, 0};
    QTest::newRow("a vector that is stored")
        << "(def f Float (v : Vec n Float) (let (w (build n (lam (i : Integer) (div 8.0 (index i v))))) (sumbuild n "
           "(lam "
           "(i : Integer) (sumbuild n (lam (j : Integer) (mul (index i w) (index j w))))))))"
        << QList<double>{2, 4} << 36.0 << QList<int>{6, 4, 2, 16 + 8 * 8, 16, 1};
    QTest::newRow("whole vectors") << "(def f Float (v : Vec n Float) (sum (add v v)))" << QList<double>{1, 2, 3}
                                   << 12.0 << QList<int>{5, 0, 0, 48 + 24, 24, 1};
}

void TestInterpreter::countsAreThoseByHand() {
    QFETCH(const QString, program);
    QFETCH(const QList<double>, numbers);
    QFETCH(const double, value);
    QFETCH(const QList<int>, counts);
    const Lowered lowered(program.toStdString());
    const auto run = loops::interpret(lowered.bank, lowered.form, {{vectorOf({numbers.begin(), numbers.end()})}, {}});
    QVERIFY2(run.ok(), run ? "" : run.error().message.c_str());
    QCOMPARE(run->value.asFloat(), value);
    const loops::Counts& found = run->counts;
    const QList<int> all{static_cast<int>(found.additions), static_cast<int>(found.multiplications),
                         static_cast<int>(found.divisions), static_cast<int>(found.read),
                         static_cast<int>(found.written),   static_cast<int>(found.allocations)};
    QCOMPARE(all, counts);
}

void TestInterpreter::onlyTheBranchTakenIsCounted() {
    const Lowered lowered(
        "(def f Float (v : Vec n Float) (sumbuild n (lam (i : Integer) (let (x (index i v)) (if (gt x 0.0) (exp (mul x "
        "(mul x x))) x)))))");
    const auto run = loops::interpret(lowered.bank, lowered.form, {{vectorOf({1.0, -1.0, -2.0})}, {}});
    QVERIFY(run.ok());
    QCOMPARE(run->counts.multiplications, std::uint64_t{2});
    QCOMPARE(run->counts.calls, (std::map<std::string, std::uint64_t>{{"exp", 1}}));
    QCOMPARE(run->counts.comparisons, std::uint64_t{3});
    QCOMPARE(run->counts.operations(), std::uint64_t{9});
}

void TestInterpreter::elementsOutsideOfAVectorAreNotRead() {
    Lowered lowered("(def f Float (v : Vec n Float) (sumbuild n (lam (i : Integer) (index i v))))");
    loops::Function& function = lowered.form.functions.back();
    for (loops::Expression& expression : function.expressions) {
        if (expression.kind == loops::ExpressionKind::Element) expression.payload = false;
    }
    for (loops::Statement& statement : function.body.statements) {
        auto* const loop = std::get_if<loops::For>(&statement.what);
        if (loop == nullptr) continue;
        loop->end = function.add(
            loops::Expression{loops::ExpressionKind::Literal, lowered.bank.types().integer(), std::int64_t{3}});
    }
    const auto run = loops::interpret(lowered.bank, lowered.form, {{vectorOf({1.0, 2.0})}, {}});
    QVERIFY(!run.ok());
    QCOMPARE(QString::fromStdString(run.error().message),
             QStringLiteral("the index 2 is not checked, and outside of 2 elements"));
}

void TestInterpreter::numbersAreNotReadBeforeTheyAreSet() {
    Lowered lowered("(def f (Vec Float) (v : Vec n Float) (build n (lam (i : Integer) (mul 2.0 (index i v)))))");
    loops::Function& function = lowered.form.functions.back();
    for (loops::Statement& statement : function.body.statements) {
        auto* const loop = std::get_if<loops::For>(&statement.what);
        if (loop == nullptr) continue;
        loop->end = function.add(
            loops::Expression{loops::ExpressionKind::Literal, lowered.bank.types().integer(), std::int64_t{1}});
    }
    const auto run = loops::interpret(lowered.bank, lowered.form, {{vectorOf({1.0, 2.0})}, {}});
    QVERIFY(!run.ok());
    QCOMPARE(QString::fromStdString(run.error().message), QStringLiteral("a value has a number that was not set"));
}

void TestInterpreter::failuresAreThoseOfThePrograms_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("message");
    QTest::newRow("an index") << "(def f Float () (index 2 (Vec_init 1.0 2.0)))"
                              << "an index is outside of a vector";
    QTest::newRow("sizes") << "(def f (Vec Float) () (add (Vec_init 1.0 2.0) (Vec_init 1.0)))"
                           << "the sizes of two vectors differ";
    QTest::newRow("the size of a vector that is added in place")
        << "(def f (Vec Float) () (fold (lam (p : Tuple (Vec Float) Integer) (add (get$1$2 p) (deltaVec 3 (get$2$2 p) "
           "1.0))) (constVec 2 0.0) (build 2 (lam (i : Integer) i))))"
        << "the sizes of two vectors differ";
    QTest::newRow("an assertion") << "(def f Float () (assert (gt 1.0 2.0) 3.0))"
                                  << "an assertion does not hold";
    QTest::newRow("a quotient") << "(def f Integer () (div 1 (sub 2 2)))"
                                << "an Integer is divided by zero";
}

void TestInterpreter::failuresAreThoseOfThePrograms() {
    QFETCH(const QString, program);
    QFETCH(const QString, message);
    const Lowered lowered(program.toStdString());
    const auto run = loops::interpret(lowered.bank, lowered.form, {});
    QVERIFY(!run.ok());
    QCOMPARE(QString::fromStdString(run.error().message), message);
}

void TestInterpreter::changesInPlaceKeepSignsOfZeros() {
    // Each step adds 0.0 to the elements that it does not name: -0.0 becomes 0.0, and so 1 / -0.0 becomes 1 / 0.0.
    const std::string program =
        "(def f (Vec Float) (v : Vec n Float) (let (r (fold (lam (p : Tuple (Vec Float) Integer) (add (get$1$2 p) "
        "(deltaVec n (get$2$2 p) -0.0))) {} (build n (lam (i : Integer) i)))) (build n (lam (i : Integer) (div 1.0 "
        "(index i r))))))";
    for (const char* const start : {"v", "(constVec n 0.0)", "(constVec n -0.0)"}) {
        const Lowered lowered(fmt::format(fmt::runtime(program), start));
        for (const std::vector<double>& numbers : {std::vector{-0.0}, std::vector{-0.0, 0.0, -0.0}}) {
            const bool isKept = numbers.size() == 1 && std::string_view(start) != "(constVec n 0.0)";
            const double one = isKept ? -HUGE_VAL : HUGE_VAL;
            const auto run = loops::interpret(lowered.bank, lowered.form, {{vectorOf(numbers)}, {}});
            QVERIFY2(run.ok(), run ? "" : run.error().message.c_str());
            for (const eval::Value& element : run->value.asTensor().elements) QCOMPARE(element.asFloat(), one);
        }
    }
}

void TestInterpreter::callsHaveTheEvaluatorsValues_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("a recursion over short vectors")
        << "(def g (Vec Float) ((k : Integer) (m : Vec n (Vec 2 Float)) (x : Vec 2 Float)) (if (lt k 0) x (g (sub "
           "k 1) m (Vec_init (dot (index k m) x) (mul 0.5 (index 0 x)))))) (def f Float (m : Vec n (Vec 2 Float)) "
           "(let (v (g (sub n 1) m (Vec_init 1.0 0.5))) (mul (index 0 v) (add 1.0 (index 1 v)))))";
    QTest::newRow("a recursion whose values are added up")
        << "(def times (Vec Float) ((a : Vec Float) (b : Vec 2 Float)) (Vec_init (mul (index 0 a) (index 0 b)) "
           "(add (index 1 a) (index 1 b)))) (def path (Vec Float) ((k : Integer) (m : Vec n (Vec 2 Float))) (if "
           "(lt k 1) (index k m) (times (path (sub k 1) m) (index k m)))) (def f Float (m : Vec n (Vec 2 Float)) "
           "(sumbuild n (lam (i : Integer) (let (p (path i m)) (mul (index 0 p) (index 1 p))))))";
    QTest::newRow("a recursion whose derivative adds to a vector")
        << "(def times (Vec (Vec Float)) ((a : Vec 2 (Vec 2 Float)) (b : Vec 2 (Vec 2 Float))) (build 2 (lam (i : "
           "Integer) (build 2 (lam (j : Integer) (sumbuild 2 (lam (k : Integer) (mul (index k (index i a)) (index "
           "j (index k b)))))))))) (def path (Vec (Vec Float)) ((k : Integer) (m : Vec n (Vec 2 (Vec 2 Float)))) "
           "(if (lt k 1) (index k m) (times (path (sub k 1) m) (index k m)))) (def f Float (m : Vec n (Vec 2 (Vec "
           "2 Float))) (sumbuild n (lam (i : Integer) (index 1 (index 0 (path i m))))))";
    QTest::newRow("a tangent that is made of several reads")
        << "(def path (Vec Float) ((k : Integer) (m : Vec n (Vec 2 Float))) (if (lt k 1) (index 0 m) (let (a "
           "(path (sub k 1) m)) (Vec_init (mul (index 0 a) (index 0 (index k m))) (add (index 1 a) (index 1 "
           "(index k m))))))) (def f Float (m : Vec n (Vec 2 Float)) (sumbuild n (lam (i : Integer) (let (p (path "
           "i m)) (mul (index 0 p) (index 1 p))))))";
    QTest::newRow("sums that are subtracted")
        << "(def f Float ((c : Vec d Float) (x : Vec n (Vec d Float))) (sumbuild n (lam (i : Integer) (let (e "
           "(sub (index i x) c)) (sumbuild d (lam (j : Integer) (if (gt j 0) (mul (index j e) (index (sub j 1) "
           "e)) (index j e))))))))";
    QTest::newRow("a recursion with a tuple of vectors")
        << "(def g (Tuple Float (Vec Float)) (p : (Tuple Integer (Vec n Float))) (if (lt (get$1$2 p) 1) (tuple "
           "1.0 (get$2$2 p)) (let (r (g (tuple (sub (get$1$2 p) 1) (get$2$2 p)))) (tuple (mul 0.5 (get$1$2 r)) "
           "(ts_scale (get$1$2 r) (get$2$2 r)))))) (def f Float (v : Vec n Float) (add (get$1$2 (g (tuple 3 v))) "
           "(sum (get$2$2 (g (tuple 3 v))))))";
}

void TestInterpreter::foldsHaveTheEvaluatorsValues_data() {
    QTest::addColumn<QString>("text");
    for (const tests::FoldProgram& fold : tests::FoldPrograms) QTest::newRow(fold.name) << QString::fromUtf8(fold.text);
}

/// Also of derivatives at inputs that are not finite.
void TestInterpreter::foldsHaveTheEvaluatorsValues() {
    QFETCH(const QString, text);
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "test.ks", text.toStdString());
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Comparison derivative = compareDerivative(bank, *program, 20);
    QVERIFY2(derivative.difference.empty(), derivative.difference.c_str());
    QVERIFY(derivative.compared > 0);
    const ir::FunctionId derived = *autodiff::derive(bank, autodiff::Direction::Reverse, program->function);
    const ir::Program reverse{derived, bank.function(derived).body};
    const Result<loops::Program> form = loops::lower(bank, reverse);
    const Result<eval::Samples> drawn = eval::drawSamples(bank, reverse, 10, 2, {.steps = 200'000});
    QVERIFY(form.ok() && drawn.ok());
    for (const double number : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        for (const eval::Sample& sample : drawn->samples) {
            eval::Inputs inputs = sample.inputs;
            for (eval::Value& argument : inputs.arguments) argument = withNumber(argument, number);
            const Result<eval::Evaluation> expected = eval::evaluate(bank, reverse, inputs);
            const Result<loops::Interpretation> run = loops::interpret(bank, *form, inputs);
            QVERIFY(expected.ok() && run.ok());
            QVERIFY2(eval::deviation(expected->value, run->value) < 1e-12,
                     (eval::toString(run->value) + " instead of " + eval::toString(expected->value)).c_str());
        }
    }
}

void TestInterpreter::callsHaveTheEvaluatorsValues() {
    QFETCH(const QString, text);
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "test.ks", text.toStdString());
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Comparison own = compare(bank, *program, 20);
    QVERIFY2(own.difference.empty(), own.difference.c_str());
    QVERIFY(own.compared > 0);
    const Comparison derivative = compareDerivative(bank, *program, 20);
    QVERIFY2(derivative.difference.empty(), derivative.difference.c_str());
    QVERIFY(derivative.compared > 0);
}

void TestInterpreter::samplesHaveTheEvaluatorsValues_data() {
    QTest::addColumn<QString>("path");
    const QDir samples(QStringLiteral(MITOS_SOURCE_DIR "/samples"));
    QDirIterator files(samples.path(), {QStringLiteral("*.ks")}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        QTest::newRow(qPrintable(samples.relativeFilePath(file))) << file;
    }
}

void TestInterpreter::samplesHaveTheEvaluatorsValues() {
    QFETCH(const QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "test.ks", file.readAll().toStdString());
    QVERIFY(program.ok());
    const Comparison own = compare(bank, *program, 6);
    QVERIFY2(own.difference.empty(), own.difference.c_str());
    QVERIFY(own.compared > 0);
    const Comparison derivative = compareDerivative(bank, *program, 6);
    QVERIFY2(derivative.difference.empty(), derivative.difference.c_str());
}

void TestInterpreter::randomProgramsHaveTheEvaluatorsValues() {
    constexpr int Programs = 500;
    int compared = 0;
    int derivatives = 0;
    Random random(7);
    for (int i = 0; i < Programs; ++i) {
        ir::TermBank bank(dialects::makeRegistry());
        ir::TypeTable& types = bank.types();
        const ir::TypeId vec = types.vec(types.floating());
        const std::vector<ir::TypeId> pair{types.floating(), vec};
        const std::vector<std::pair<ir::TypeId, std::string>> results{
            {types.floating(), "Float"},
            {vec, "(Vec Float)"},
            {types.tuple(pair), "(Tuple Float (Vec Float))"},
            {types.integer(), "Integer"},
            {types.boolean(), "Bool"},
            {types.vec(vec), "(Vec (Vec Float))"},
            {types.tensor(2, types.floating()), "(Tensor 2 Float)"}};
        const std::vector<ir::Parameter> parameters{{bank.symbols().intern("x"), types.floating()},
                                                    {bank.symbols().intern("v"), vec},
                                                    {bank.symbols().intern("k"), types.integer()},
                                                    {bank.symbols().intern("m"), types.vec(vec)}};
        const eval::TermScope scope{.free = parameters, .bound = {}, .usualSize = 2, .hasLoops = i % 2 == 0};
        const auto& [result, name] = results[static_cast<std::size_t>(i) % results.size()];
        const ir::TermId body = eval::randomTerm(bank, result, scope, random, 40);
        const std::string text =
            fmt::format("(def f {} ((x : Float) (v : Vec Float) (k : Integer) (m : Vec (Vec Float))) {})", name,
                        ks::printTerm(bank, body, {.width = 0}));
        ir::TermBank own(dialects::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(own, "random.ks", text);
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        const Comparison values = compare(own, *program, 4);
        QVERIFY2(values.difference.empty(), (text + "\n" + values.difference).c_str());
        compared += values.compared > 0 ? 1 : 0;
        const Comparison tangents = compareDerivative(own, *program, 3);
        QVERIFY2(tangents.difference.empty(), (text + "\nderivative: " + tangents.difference).c_str());
        derivatives += tangents.compared > 0 ? 1 : 0;
    }
    qInfo("%d programs and %d derivatives were compared", compared, derivatives);
    QVERIFY(compared > Programs * 3 / 4);
    QVERIFY(derivatives > Programs / 4);
}

MITOS_TEST(TestInterpreter)

}  // namespace tst_interpreter

#include "tst_interpreter.moc"
