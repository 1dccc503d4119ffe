// SPDX-License-Identifier: GPL-3.0-or-later
// Short vectors as numbers: the values stay the same bit for bit, what fails fails, and the program does not grow without bound.
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/eval/testing/random_terms.h"
#include "core/ks/module.h"
#include "core/loops/static_vectors.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tst_static_vectors {

using namespace mitos;

namespace {

/// Whether two values are the same but for the bits of NaNs.
bool isSame(const eval::Value& a, const eval::Value& b) {
    if (a.isFloat() && b.isFloat()) {
        if (std::isnan(a.asFloat())) return std::isnan(b.asFloat());
        return std::bit_cast<std::uint64_t>(a.asFloat()) == std::bit_cast<std::uint64_t>(b.asFloat());
    }
    if (a.isInteger() && b.isInteger()) return a.asInteger() == b.asInteger();
    if (a.isBool() && b.isBool()) return a.asBool() == b.asBool();
    if (a.isString() && b.isString()) return a.asString() == b.asString();
    if (a.isTensor() != b.isTensor() || a.isTuple() != b.isTuple()) return false;
    if (!a.isTensor() && !a.isTuple()) return false;
    if (a.isTensor() && a.asTensor().dims != b.asTensor().dims) return false;
    const auto& x = a.isTensor() ? a.asTensor().elements : a.asTuple().elements;
    const auto& y = b.isTensor() ? b.asTensor().elements : b.asTuple().elements;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!isSame(x[i], y[i])) return false;
    }
    return x.size() == y.size();
}

std::uint64_t sizeOf(const ir::TermBank& bank) {
    std::uint64_t size = 0;
    for (std::uint32_t i = 0; i < bank.functionCount(); ++i) {
        const ir::TermId body = bank.function(ir::FunctionId(i)).body;
        if (body.isValid()) size += bank.treeSize(body);
    }
    return size;
}

std::string show(const loops::OwnProgram& own) { return ks::printProgram(*own.bank, own.program); }

/// The first difference between a program and its short form at random inputs; empty if there is none. `compared` counts the values.
std::string difference(const ir::TermBank& bank, const ir::Program& program, int samples, int& compared) {
    const loops::OwnProgram own = loops::withStaticVectors(bank, program);
    constexpr eval::Region Regions[] = {eval::Region::Plain, eval::Region::Zero, eval::Region::Mixed,
                                        eval::Region::NotANumber};
    Random random(7);
    for (int i = 0; i < samples; ++i) {
        eval::InputOptions options;
        options.region = Regions[static_cast<std::size_t>(i) % std::size(Regions)];
        const Result<eval::Inputs> inputs = eval::randomInputs(bank, bank.function(program.function), random, options);
        if (!inputs) return {};
        const eval::Limits limits{.steps = 2'000'000};
        const Result<eval::Evaluation> before = eval::evaluate(bank, program, *inputs, limits);
        const Result<eval::Evaluation> after = eval::evaluate(*own.bank, own.program, *inputs, limits);
        const bool isLimit =
            (!before && before.error().code == ErrorCode::Limit) || (!after && after.error().code == ErrorCode::Limit);
        if (isLimit) continue;
        // A vector that nothing uses is not computed, even if that would fail.
        if (!before) continue;
        if (!after) return fmt::format("a value\n{}\n{}", after.error().message, show(own));
        ++compared;
        if (!isSame(before->value, after->value)) {
            return fmt::format("{}\n{}\n{}", eval::toJson(before->value), eval::toJson(after->value), show(own));
        }
    }
    return {};
}

/// Two functions with short vectors of stated and of unknown length, one of which calls the other.
std::string randomProgram(std::uint64_t seed) {
    ir::TermBank bank(dialects::makeRegistry());
    Random random(seed);
    ir::TypeTable& types = bank.types();
    const ir::TypeId vec = types.vec(types.floating());
    const auto parameter = [&](const char* name, ir::TypeId type) {
        return ir::Parameter{bank.symbols().intern(name), type};
    };
    const auto body = [&](ir::TypeId type, const std::vector<ir::Parameter>& free, std::uint32_t size) {
        const eval::TermScope scope{.free = free, .bound = {}, .usualSize = 3, .hasLoops = true};
        return ks::printTerm(bank, eval::randomTerm(bank, type, scope, random, size), {.width = 0});
    };
    std::vector<ir::Parameter> inner{parameter("v", vec), parameter("x", types.floating())};
    const std::string g = body(seed % 2 == 0 ? vec : types.floating(), inner, 25);
    std::vector<ir::Parameter> outer{parameter("v", vec),
                                     parameter("w", vec),
                                     parameter("x", types.floating()),
                                     parameter("n", types.integer()),
                                     parameter("m", types.vec(vec)),
                                     parameter("a", vec),
                                     parameter("p", seed % 2 == 0 ? vec : types.floating())};
    const std::vector<ir::TypeId> pair{types.floating(), vec};
    const std::vector<ir::TypeId> wanted{types.floating(), vec, types.tuple(pair), types.vec(vec)};
    const ir::TypeId result = wanted[seed / 2 % wanted.size()];
    const std::string f = body(result, outer, 50);
    return fmt::format(
        "(def g {} ((v : Vec 3 Float) (x : Float)) {}) (def f {} ((v : Vec 3 Float) (w : Vec Float) (x : Float) (n : "
        "Integer) (m : Vec 2 (Vec 3 Float))) (let ((a (Vec_init x (index 0 v) -0.0)) (p (g (if (gt x 0.0) v a) x))) "
        "{}))",
        types.toString(seed % 2 == 0 ? vec : types.floating()), g, types.toString(result), f);
}

/// The short form of a program, its last definition on one line.
std::string shortForm(const char* text) {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "test.ks", text);
    if (!program) return program.error().render();
    const loops::OwnProgram own = loops::withStaticVectors(bank, *program);
    return ks::printTerm(*own.bank, own.program.root, {.width = 0});
}

}  // namespace

class TestStaticVectors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keepTheValuesOfTheSamples_data();
    void keepTheValuesOfTheSamples();
    void keepTheValuesOfRandomPrograms();
    void becomeNumbers_data();
    void becomeNumbers();
    void keepZerosAndErrors_data();
    void keepZerosAndErrors();
    void growBoundedly();
    void takeLinearTime();
};

void TestStaticVectors::keepTheValuesOfTheSamples_data() {
    QTest::addColumn<QString>("path");
    QDirIterator files(QStringLiteral(MITOS_SOURCE_DIR "/samples"), {QStringLiteral("*.ks")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        QTest::newRow(qPrintable(path.section(QLatin1Char('/'), -2))) << path;
    }
}

void TestStaticVectors::keepTheValuesOfTheSamples() {
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "sample.ks", file.readAll().toStdString());
    QVERIFY(program.ok());
    int compared = 0;
    const std::string primal = difference(bank, *program, 12, compared);
    QVERIFY2(primal.empty(), primal.c_str());
    for (const autodiff::Direction direction : {autodiff::Direction::Forward, autodiff::Direction::Reverse}) {
        const Result<ir::FunctionId> derivative = autodiff::derive(bank, direction, program->function);
        if (!derivative) continue;
        const std::string changed = difference(bank, {*derivative, bank.function(*derivative).body}, 12, compared);
        QVERIFY2(changed.empty(), changed.c_str());
    }
}

void TestStaticVectors::keepTheValuesOfRandomPrograms() {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const std::string text = randomProgram(seed);
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(bank, "random.ks", text);
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        const std::string primal = difference(bank, *program, 8, compared);
        QVERIFY2(primal.empty(), fmt::format("{}\n{}", text, primal).c_str());
        const Result<ir::FunctionId> derivative =
            autodiff::derive(bank, autodiff::Direction::Reverse, program->function);
        if (!derivative) continue;
        const std::string changed = difference(bank, {*derivative, bank.function(*derivative).body}, 4, compared);
        QVERIFY2(changed.empty(), fmt::format("{}\n{}", text, changed).c_str());
    }
    QVERIFY2(compared > 1000, fmt::format("{} values", compared).c_str());
}

void TestStaticVectors::becomeNumbers_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    QTest::newRow("an element") << "(def f Float (x : Float) (index 1 (Vec_init x (exp x) 2.0)))"
                                << "(exp x)";
    QTest::newRow("a size") << "(def f Integer (x : Float) (size (Vec_init x (exp x) 2.0)))"
                            << "3";
    QTest::newRow("an inner product of squares")
        << "(def f Float ((x : Float) (y : Float)) (let (v (Vec_init (sin x) (sin y))) (dot v v)))"
        << "(let (v_0 (sin x)) (let (v_1 (sin y)) (add (mul v_0 v_0) (mul v_1 v_1))))";
    QTest::newRow("a parameter of stated length")
        << "(def f (Vec Float) ((p : Vec 3 Float) (q : Vec 3 Float)) (sub p q))"
        << "(Vec_init (sub (index 0 p) (index 0 q)) (sub (index 1 p) (index 1 q)) (sub (index 2 p) (index 2 q)))";
    QTest::newRow("a vector of unknown length stays")
        << "(def f (Vec Float) ((p : Vec 3 Float) (q : Vec Float)) (sub p q))"
        << "(sub p q)";
    QTest::newRow("a branch of numbers") << "(def f Float ((c : Bool) (x : Float)) (let (v (if c (Vec_init x 1.0) "
                                            "(Vec_init 2.0 x))) (mul (index 0 v) (index 1 v))))"
                                         << "(let (v_0 (if c x 2.0)) (let (v_1 (if c 1.0 x)) (mul v_0 v_1)))";
    QTest::newRow("a branch with more to do")
        << "(def f Float ((c : Bool) (x : Float)) (let (v (if c (let (y (sin x)) (Vec_init y (mul y y))) (Vec_init 2.0 "
           "x))) (mul (index 0 v) (index 1 v))))"
        << "(let (v (if c (let (y (sin x)) (tuple y (mul y y))) (tuple 2.0 x))) (mul (get$1$2 v) (get$2$2 v)))";
    QTest::newRow("only what is used of a branch")
        << "(def f Float ((c : Bool) (x : Float)) (let (v (if c (let (y (sin x)) (Vec_init y (mul y y))) (Vec_init 2.0 "
           "x))) (index 0 v)))"
        << "(let (v (if c (let (y (sin x)) y) 2.0)) v)";
    QTest::newRow("a small loop") << "(def f Float (x : Float) (let (v (build 2 (lam (i : Integer) (mul x (to_float "
                                     "i))))) (add (index 0 v) (index 1 v))))"
                                  << "(let (v_0 (mul x 0.0)) (add v_0 x))";
    QTest::newRow("a sum of vectors over a loop")
        << "(def f Float (w : Vec n (Vec 2 Float)) (let (s (sumbuild n (lam (i : Integer) (ts_scale 2.0 (index i "
           "w))))) (mul (index 0 s) (index 1 s))))"
        << "(let (s (sumbuild n (lam (i : Integer) (let (vector (index i w)) (tuple (mul 2.0 (index 0 vector)) (mul "
           "2.0 (index 1 vector))))))) (mul (get$1$2 s) (get$2$2 s)))";
    QTest::newRow("a call") << "(def g (Vec Float) ((a : Vec 2 Float) (s : Float)) (Vec_init (mul s (index 1 a)) "
                               "(index 0 a))) (def f Float (x : Float) (index 0 (g (g (Vec_init x 3.0) (exp x)) 2.0)))"
                            << "(mul 2.0 x)";
    QTest::newRow("a recursion takes and gives numbers")
        << "(def g (Vec Float) ((k : Integer) (a : Vec 2 Float)) (if (lt k 1) (Vec_init (index 1 a) 1.0) (Vec_init "
           "(sum "
           "(g (sub k 1) a)) 2.0))) (def f Float (x : Float) (index 1 (g 3 (Vec_init x 3.0))))"
        << "(get$2$2 (g 3 (tuple x 3.0)))";
    QTest::newRow("a recursion takes the parts of a tuple")
        << "(def g Float (p : (Tuple Integer (Vec Float))) (if (lt (get$1$2 p) 1) (sum (get$2$2 p)) (g (tuple (sub "
           "(get$1$2 p) 1) (get$2$2 p))))) (def f Float (v : Vec Float) (g (tuple 3 v)))"
        << "(g 3 v)";
    QTest::newRow("a call of numbers stays")
        << "(def g Float ((a : Float) (b : Float)) (mul a b)) (def f Float (x : Float) (g x (g x x)))"
        << "(g x (g x x))";
    QTest::newRow("a vector made once, outside of the loop")
        << "(def f Float ((x : Float) (k : Integer)) (let (v (Vec_init x 1.0)) (sumbuild k (lam (i : Integer) (add "
           "(index i v) (index (sub i 1) v))))))"
        << "(let (v (Vec_init x 1.0)) (sumbuild k (lam (i : Integer) (add (index i v) (index (sub i 1) v)))))";
    QTest::newRow("a state of a fold")
        << "(def f Float (v : Vec Float) (index 0 (fold (lam (p : (Tuple (Vec Float) Float)) (Vec_init (index 1 "
           "(get$1$2 p)) (get$2$2 p))) (Vec_init 1.0 2.0) v)))"
        << "(get$1$2 (fold (lam (p : (Tuple (Tuple Float Float) Float)) (tuple (get$2$2 (get$1$2 p)) (get$2$2 p))) "
           "(tuple 1.0 2.0) v))";
    QTest::newRow("a value of an earlier branch")
        << "(def f Float ((c : Bool) (x : Float)) (let ((v (if c (let (y (sin x)) (Vec_init y (mul y y))) (Vec_init "
           "2.0 x))) (w (if c (let (z (sin x)) (Vec_init (add z 1.0) z)) (Vec_init x x)))) (mul (dot v v) (index 0 "
           "w))))"
        << "(let (v (if c (let (y (sin x)) (tuple y (mul y y))) (tuple 2.0 x))) (let (w (if c (add (get$1$2 v) 1.0) "
           "x)) (mul (add (mul (get$1$2 v) (get$1$2 v)) (mul (get$2$2 v) (get$2$2 v))) w)))";
}

void TestStaticVectors::becomeNumbers() {
    QFETCH(QString, program);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(shortForm(program.toUtf8().constData())), expected);
}

void TestStaticVectors::keepZerosAndErrors_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    QTest::newRow("an index outside") << "(def f Float (x : Float) (index 2 (Vec_init x 1.0)))"
                                      << "(index 2 (Vec_init x 1.0))";
    QTest::newRow("a negative index") << "(def f Float (x : Float) (index -1 (Vec_init x 1.0)))"
                                      << "(index -1 (Vec_init x 1.0))";
    QTest::newRow("an index outside of a stated length") << "(def f Float (v : Vec 2 Float) (index 2 v))"
                                                         << "(index 2 v)";
    QTest::newRow("lengths that differ") << "(def f (Vec Float) (x : Float) (add (Vec_init x 1.0) (Vec_init x x 2.0)))"
                                         << "(add (Vec_init x 1.0) (Vec_init x x 2.0))";
    QTest::newRow("an error in an element that is not used")
        << "(def f Float ((x : Float) (v : Vec Float)) (index 0 (Vec_init x (index 5 v))))"
        << "(let (unused (index 5 v)) x)";
    QTest::newRow("an error that occurs anyway")
        << "(def f Float (v : Vec Float) (let (p (Vec_init (index 5 v) (mul 2.0 (index 5 v)))) (index 0 p)))"
        << "(let (p_0 (index 5 v)) p_0)";
    QTest::newRow("a division of Integers") << "(def f Integer (n : Integer) (index 0 (Vec_init n (div 1 n))))"
                                            << "(let (unused (div 1 n)) n)";
    QTest::newRow("an inner product may be a sum of negative zeros")
        << "(def f Float ((x : Float) (y : Float)) (dot (Vec_init x y) (Vec_init y x)))"
        << "(add (add 0.0 (mul x y)) (mul y x))";
    QTest::newRow("added to zero") << "(def f Float (x : Float) (index 0 (buildFromSparse (constVec 1 (tuple)) 1 (lam "
                                      "(i : Integer) (tuple 0 x)))))"
                                   << "(add 0.0 x)";
    QTest::newRow("a square added to zero") << "(def f Float (x : Float) (index 0 (buildFromSparse (constVec 1 "
                                               "(tuple)) 1 (lam (i : Integer) (tuple 0 (mul x x))))))"
                                            << "(mul x x)";
    QTest::newRow("an index outside of a sparse sum")
        << "(def f Float (x : Float) (index 0 (buildFromSparse (constVec 1 (tuple)) 1 (lam (i : Integer) (tuple 1 "
           "x)))))"
        << "(index 0 (buildFromSparse (constVec 1 (tuple)) 1 (lam (i : Integer) (tuple 1 x))))";
    QTest::newRow("a call with another length stays")
        << "(def g Float (a : Vec 2 Float) (index 0 a)) (def f Float (x : Float) (g (Vec_init x x x)))"
        << "(g (constVec 3 x))";
    QTest::newRow("a length that is checked") << "(def g Float ((a : Vec n Float) (b : Vec n Float)) (dot a b)) (def f "
                                                 "Float ((v : Vec Float) (x : Float)) (g v (Vec_init x x)))"
                                              << "(let (fits (assert (eq 2 (size v)) true)) (dot v (constVec 2 x)))";
}

void TestStaticVectors::keepZerosAndErrors() {
    QFETCH(QString, program);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(shortForm(program.toUtf8().constData())), expected);
}

void TestStaticVectors::growBoundedly() {
    // Each function calls the one before twice: opened whole, the last would have 2^20 copies of the first.
    std::string text = "(def f0 (Vec Float) (v : Vec 3 Float) (Vec_init (index 1 v) (index 2 v) (exp (index 0 v))))";
    for (int i = 1; i <= 20; ++i) {
        text += fmt::format(" (def f{0} (Vec Float) (v : Vec 3 Float) (add (f{1} v) (f{1} (mul 2.0 v))))", i, i - 1);
    }
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "grow.ks", text);
    QVERIFY(program.ok());
    const loops::OwnProgram own = loops::withStaticVectors(bank, *program);
    QVERIFY2(sizeOf(*own.bank) < 5 * sizeOf(bank) + 4000,
             fmt::format("{} of {}", sizeOf(*own.bank), sizeOf(bank)).c_str());
}

void TestStaticVectors::takeLinearTime() {
    std::string text = "(def f Float (x : Float)";
    constexpr int Lets = 3200;
    for (int i = 0; i < Lets; ++i) {
        text += fmt::format(" (let (v{0} (Vec_init (sin {1}) {1})) (let (y{0} (dot v{0} v{0}))", i,
                            i == 0 ? "x" : fmt::format("y{}", i - 1));
    }
    text += fmt::format(" y{}", Lets - 1) + std::string(2 * Lets, ')') + ")";
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "long.ks", text);
    QVERIFY2(program.ok(), program ? "" : program.error().message.c_str());
    QElapsedTimer timer;
    timer.start();
    const loops::OwnProgram own = loops::withStaticVectors(bank, *program);
    QVERIFY2(timer.elapsed() < 2000, fmt::format("{} ms", timer.elapsed()).c_str());
    QVERIFY(own.program.root.isValid());
}

MITOS_TEST(TestStaticVectors)

}  // namespace tst_static_vectors

#include "tst_static_vectors.moc"
