// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the sizes of a term depend on the variable of a loop.
#include "core/eval/evaluator.h"
#include "core/eval/testing/random_terms.h"
#include "core/facts/analysis.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

namespace tst_loop_shape {

using namespace mitos;
using namespace mitos::tests;

class TestLoopShape : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shapes_data();
    void shapes();
    void holdsForRandomTerms();
    void deepTermsEnd();
};

namespace {

/// (def f T ((v …) …) (build n (lam (x : Integer) BODY))): whether BODY has one shape for all x.
bool hasOneShape(const std::string& type, const std::string& body) {
    ir::TermBank bank(registry());
    const Result<ir::Program> program =
        ks::parseProgram(bank, "-",
                         "(def f (Vec " + type +
                             ") ((v : (Vec Float)) (w : (Vec Float)) (m : (Vec (Vec Float))) (n : Integer)) "
                             "(build n (lam (x : Integer) " +
                             body + ")))");
    if (!program) qFatal("%s", program.error().render().c_str());
    return facts::of(bank).hasOneShape(bank.child(bank.child(program->root, 1), 0), 1);
}

/// Sizes at every level, as text; elements of a vector may differ.
std::string shapeOf(const eval::Value& value) {
    std::string text;
    if (value.isTuple()) {
        for (const eval::Value& element : value.asTuple().elements) text += shapeOf(element) + ";";
    } else if (value.isTensor()) {
        text = "[" + std::to_string(value.asTensor().elements.size());
        for (const eval::Value& element : value.asTensor().elements) text += " " + shapeOf(element);
        text += "]";
    }
    return text;
}

}  // namespace

void TestLoopShape::shapes_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("expected");
    const auto row = [](const char* type, const char* body, bool expected) {
        QTest::newRow(body) << type << body << expected;
    };
    row("Float", "(if (gt x 0) 1.0 2.0)", true);
    row("(Vec Float)", "v", true);
    row("(Vec (Vec Float))", "m", true);
    row("(Vec Float)", "(index x m)", false);
    row("(Vec Float)", "(index 0 m)", true);
    row("(Vec Float)", "(if (gt x 0) v w)", false);
    row("(Vec Float)", "(if (gt n 0) v w)", true);
    row("(Vec Float)", "(if (gt x 0) v v)", true);
    row("(Vec Float)", "(if (gt x 0) (constVec n 0.0) (deltaVec n x 1.0))", true);
    row("(Vec Float)", "(if (gt x 0) (constVec n 0.0) (deltaVec x n 1.0))", false);
    row("(Vec Float)", "(constVec x 0.0)", false);
    row("(Vec Float)", "(constVec (add n 1) (to_float x))", true);
    row("(Vec Float)", "(build n (lam (y : Integer) (to_float (add x y))))", true);
    row("(Vec (Vec Float))", "(build n (lam (y : Integer) (constVec y 1.0)))", true);
    row("(Vec (Vec Float))", "(build n (lam (y : Integer) (constVec (add x y) 1.0)))", false);
    row("(Vec Float)", "(let (k (add x 1)) (constVec k 1.0))", false);
    row("(Vec Float)", "(let (k (size v)) (constVec k (to_float x)))", true);
    row("(Vec Float)", "(let (k (size v)) (let (t (constVec k (to_float x))) t))", true);
    row("(Vec Float)", "(let (t (constVec x 1.0)) (let (k (size v)) t))", false);
    row("(Vec Float)", "(let (t (constVec n (to_float x))) (if (gt x 0) t (constVec n 0.0)))", true);
    // The same text below two lets stands for two terms.
    row("(Vec Float)", "(if (gt x 0) (let (t (constVec n (to_float x))) t) (let (t (constVec (size v) 0.0)) t))",
        false);
    row("(Vec Float)", "(add (index x m) v)", true);
    row("(Vec Float)", "(add (index x m) (index x m))", false);
    row("(Tuple (Vec Float) Float)", "(tuple v (to_float x))", true);
    row("(Tuple (Vec Float) Float)", "(tuple (index x m) 1.0)", false);
    row("(Vec Float)", "(sumbuild n (lam (y : Integer) (deltaVec n y (to_float x))))", true);
    row("(Vec Float)", "(get$1$2 (tuple v (index x m)))", true);
    row("(Vec Float)", "(get$2$2 (tuple v (index x m)))", false);
}

void TestLoopShape::shapes() {
    QFETCH(const QString, type);
    QFETCH(const QString, body);
    QFETCH(const bool, expected);
    QCOMPARE(hasOneShape(type.toStdString(), body.toStdString()), expected);
}

void TestLoopShape::holdsForRandomTerms() {
    Random random(11);
    int known = 0;
    int unknown = 0;
    for (int i = 0; i < 4000; ++i) {
        ir::TermBank bank(registry());
        ir::TypeTable& types = bank.types();
        const ir::TypeId vec = types.vec(types.floating());
        const ir::TypeId type = random.chance(0.7) ? vec : types.vec(vec);
        const Result<ir::Program> program =
            ks::parseProgram(bank, "-", "(def f Float ((v : (Vec Float)) (m : (Vec (Vec Float))) (k : Integer)) 0.0)");
        QVERIFY(program.ok());
        const ir::Function& function = bank.function(program->function);
        const ir::TermId body = eval::randomTerm(bank, type, {function.parameters, {types.integer()}}, random, 12);
        if (!ir::mentions(bank, body, 0)) continue;
        if (!facts::of(bank).hasOneShape(body, 1)) {
            ++unknown;
            continue;
        }
        ++known;
        for (int draw = 0; draw < 4; ++draw) {
            const Result<eval::Inputs> inputs =
                eval::randomInputs(bank, function, random, {.minSize = 0, .maxSize = 3, .isRagged = draw % 2 == 1});
            QVERIFY(inputs.ok());
            std::optional<std::string> shape;
            for (std::int64_t x = 0; x < 4; ++x) {
                const ir::TermId term = ir::instantiate(bank, body, bank.integer(x));
                const Result<eval::Evaluation> value =
                    eval::evaluate(bank, {program->function, term}, *inputs, {.steps = 100'000});
                if (!value) continue;
                const std::string own = shapeOf(value->value);
                QCOMPARE(own, shape.value_or(own));
                shape = own;
            }
        }
    }
    QVERIFY2(known > 300 && unknown > 10, qPrintable(QStringLiteral("%1 %2").arg(known).arg(unknown)));
}

void TestLoopShape::deepTermsEnd() {
    constexpr int Levels = 3000;
    std::string deep;
    for (int i = 0; i < Levels; ++i) deep += "(let (t ";
    deep += "v";
    for (int i = 0; i < Levels; ++i) deep += ") (add t t))";
    QVERIFY(hasOneShape("(Vec Float)", "(add (index x m) " + deep + ")"));
    QVERIFY(!hasOneShape("(Vec Float)", "(let (v (index x m)) " + deep + ")"));
}

MITOS_TEST(TestLoopShape)

}  // namespace tst_loop_shape

#include "tst_loop_shape.moc"
