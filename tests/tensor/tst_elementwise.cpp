// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that work element by element: their functions, broadcasting, element types, and how ONNX writes them.
#include "tests/support/test_program.h"
#include "tests/tensor/operators.h"

#include <QtTest/QTest>

#include <cmath>

Q_DECLARE_METATYPE(std::vector<double>)

namespace tst_elementwise {

using namespace mitos;
using namespace mitos::tensor;
using namespace mitos::tensor::test;
using ir::Dtype;

namespace {

const double NaN = std::nan("");
const std::vector<double> Five{-2.0, -0.5, 0.0, 0.5, 2.0};

}  // namespace

class TestElementwise : public QObject {
    Q_OBJECT

private:
    static ArrayPtr vector(std::vector<double> elements, Dtype dtype = Dtype::F32) {
        const auto size = static_cast<std::int64_t>(elements.size());
        return array({size}, std::move(elements), dtype);
    }

private Q_SLOTS:
    void functionsOfOneNumber_data() {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<std::vector<double>>("from");
        QTest::addColumn<std::vector<double>>("to");
        const auto row = [](const char* name, const char* attributes, const std::vector<double>& from,
                            const std::vector<double>& to) {
            QTest::newRow(name) << QString::fromLatin1(attributes) << from << to;
        };
        row("Relu", "", Five, {0, 0, 0, 0.5, 2});
        row("LeakyRelu", "0.1", Five, {-0.2, -0.05, 0, 0.5, 2});
        row("ThresholdedRelu", "0.5", Five, {0, 0, 0, 0, 2});
        row("Elu", "2.0", Five, {-1.729329433527, -0.786938680575, 0, 0.5, 2});
        row("Celu", "2.0", Five, {-1.264241117657, -0.442398433857, 0, 0.5, 2});
        row("Selu", "1.6732632$1.050701", Five, {-1.520166448411, -0.691758178618, 0, 0.5253505, 2.101402});
        row("Sigmoid", "", Five, {0.119202922022, 0.377540668798, 0.5, 0.622459331202, 0.880797077978});
        row("HardSigmoid", "0.5$0.6", Five, {0, 0.35, 0.6, 0.85, 1});
        row("HardSwish", "", Five, {-1.0 / 3, -0.208333333333, 0, 0.291666666667, 5.0 / 3});
        row("Tanh", "", Five, {-0.964027580076, -0.46211715726, 0, 0.46211715726, 0.964027580076});
        row("Softplus", "", {-2, 0, 2, 1000, -1000}, {0.126928011043, 0.69314718056, 2.126928011043, 1000, 0});
        row("Softsign", "", Five, {-2.0 / 3, -1.0 / 3, 0, 1.0 / 3, 2.0 / 3});
        row("Shrink", "1.5$1.5", {-2, -1, 0, 1, 2}, {-0.5, 0, 0, 0, 0.5});
        row("Gelu", "", Five, {-0.045500263896, -0.154268769363, 0, 0.345731230637, 1.954499736104});
        row("QuickGelu", "1.702", Five, {-0.064341376856, -0.149611563394, 0, 0.350388436606, 1.935658623144});
        row("Exp", "", Five, {0.135335283237, 0.606530659713, 1, 1.6487212707, 7.389056098931});
        row("Log", "", {0.25, 0.5, 0, -1}, {-1.38629436112, -0.69314718056, -HUGE_VAL, NaN});
        row("Sqrt", "", {4, 2.25, -1}, {2, 1.5, NaN});
        row("Reciprocal", "", {4, -0.5, 0}, {0.25, -2, HUGE_VAL});
        row("Erf", "", Five, {-0.995322265019, -0.520499877813, 0, 0.520499877813, 0.995322265019});
        row("Sin", "", Five, {-0.909297426826, -0.479425538604, 0, 0.479425538604, 0.909297426826});
        row("Cos", "", Five, {-0.416146836547, 0.87758256189, 1, 0.87758256189, -0.416146836547});
        row("Tan", "", Five, {2.185039863262, -0.546302489844, 0, 0.546302489844, -2.185039863262});
        row("Asin", "", {0.25, 0.5, 0.75}, {0.252680255142, 0.523598775598, 0.848062078981});
        row("Acos", "", {0.25, 0.5, 0.75}, {1.318116071653, 1.047197551197, 0.722734247813});
        row("Atan", "", Five, {-1.107148717794, -0.463647609001, 0, 0.463647609001, 1.107148717794});
        row("Sinh", "", Five, {-3.626860407847, -0.521095305494, 0, 0.521095305494, 3.626860407847});
        row("Cosh", "", Five, {3.762195691084, 1.127625965206, 1, 1.127625965206, 3.762195691084});
        row("Asinh", "", Five, {-1.443635475179, -0.48121182506, 0, 0.48121182506, 1.443635475179});
        row("Acosh", "", {1, 2, 3}, {0, 1.316957896925, 1.762747174039});
        row("Atanh", "", {0.25, 0.5, 0.75}, {0.255412811883, 0.549306144334, 0.972955074528});
        row("Abs", "", Five, {2, 0.5, 0, 0.5, 2});
        row("Neg", "", Five, {2, 0.5, 0, -0.5, -2});
        row("Sign", "", Five, {-1, -1, 0, 1, 1});
        row("Floor", "", {-1.5, 1.2, 2}, {-2, 1, 2});
        row("Ceil", "", {-1.5, 1.2, 2}, {-1, 2, 2});
        row("Round", "", {0.9, 2.5, 2.3, 1.5, -4.5}, {1, 2, 2, 2, -4});
        row("IsNaN", "", {NaN, 1, HUGE_VAL}, {1, 0, 0});
        row("IsInf", "true$false", {NaN, -HUGE_VAL, HUGE_VAL}, {0, 1, 0});
        row("Identity", "", {NaN, 1}, {NaN, 1});
        row("Dropout", "0.5$1", {2, 1}, {2, 1});
        row("Clip", "-1.0$1.0", {-2, 0.5, 2, NaN}, {-1, 0.5, 1, NaN});
        row("Clip", "-3.4028234663852886e+38$0.0", {-HUGE_VAL, 1}, {-HUGE_VAL, 0});
    }
    void functionsOfOneNumber() {
        QFETCH(QString, attributes);
        QFETCH(std::vector<double>, from);
        QFETCH(std::vector<double>, to);
        const std::vector<double> found =
            elementsOf(run(QTest::currentDataTag(), attributes.toStdString(), {vector(from)}));
        QVERIFY2(areClose(found, to), found.empty() ? "" : qPrintable(QString::number(found.front())));
    }

    void functionsOfTwoNumbers() {
        const ArrayPtr a = vector({-5, 5, 3, NaN});
        const ArrayPtr b = vector({3, -3, 3, 1});
        const auto of = [&](const char* name, const char* attributes = "") {
            return elementsOf(run(name, attributes, {a, b}));
        };
        QVERIFY(areClose(of("Add"), {-2, 2, 6, NaN}));
        QVERIFY(areClose(of("Sub"), {-8, 8, 0, NaN}));
        QVERIFY(areClose(of("Mul"), {-15, -15, 9, NaN}));
        QVERIFY(areClose(of("Div"), {-5.0 / 3, -5.0 / 3, 1, NaN}));
        QVERIFY(areClose(of("Max"), {3, 5, 3, NaN}));
        QVERIFY(areClose(of("Min"), {-5, -3, 3, NaN}));
        QVERIFY(areClose(of("Mod", "true"), {-2, 2, 0, NaN}));
        QVERIFY(areClose(of("Pow"), {-125, 1.0 / 125, 27, NaN}));
        QVERIFY(areClose(of("Mean"), {-1, 1, 3, NaN}));
        QVERIFY(areClose(of("PRelu"), {-15, 5, 3, NaN}));
        QVERIFY(areClose(of("Equal"), {0, 0, 1, 0}));
        QVERIFY(areClose(of("Less"), {1, 0, 0, 0}));
        QVERIFY(areClose(of("LessOrEqual"), {1, 0, 1, 0}));
        QVERIFY(areClose(of("Greater"), {0, 1, 0, 0}));
        QVERIFY(areClose(of("GreaterOrEqual"), {0, 1, 1, 0}));
        QCOMPARE(run("Less", "", {a, b})->front()->dtype, Dtype::Bool);
        const ArrayPtr p = vector({0, 0, 1, 1}, Dtype::Bool);
        const ArrayPtr q = vector({0, 1, 0, 1}, Dtype::Bool);
        QCOMPARE(elementsOf(run("And", "", {p, q})), (std::vector<double>{0, 0, 0, 1}));
        QCOMPARE(elementsOf(run("Or", "", {p, q})), (std::vector<double>{0, 1, 1, 1}));
        QCOMPARE(elementsOf(run("Xor", "", {p, q})), (std::vector<double>{0, 1, 1, 0}));
        QCOMPARE(elementsOf(run("Not", "", {q})), (std::vector<double>{1, 0, 1, 0}));
        QVERIFY(areClose(elementsOf(run("Where", "", {q, a, b})), {3, 5, 3, NaN}));
    }

    void integersAreCutOffAndWrapAround() {
        const ArrayPtr a = vector({-7, 7, 100}, Dtype::I8);
        const ArrayPtr b = vector({2, -2, 3}, Dtype::I8);
        QCOMPARE(elementsOf(run("Div", "", {a, b})), (std::vector<double>{-3, -3, 33}));
        QCOMPARE(elementsOf(run("Mod", "false", {a, b})), (std::vector<double>{1, -1, 1}));
        QCOMPARE(elementsOf(run("Mod", "true", {a, b})), (std::vector<double>{-1, 1, 1}));
        QCOMPARE(elementsOf(run("Mul", "", {a, b})), (std::vector<double>{-14, -14, 44}));  // 300 - 256
        const Result<std::vector<ArrayPtr>> byZero = run("Div", "", {a, vector({1, 0, 1}, Dtype::I8)});
        QVERIFY(!byZero.ok());
        QCOMPARE(byZero.error().code, ErrorCode::Evaluation);
        const ArrayPtr bits = vector({129, 4}, Dtype::U8);
        const ArrayPtr one = array({}, {1}, Dtype::U8);
        QCOMPARE(elementsOf(run("BitShift", "LEFT", {bits, one})), (std::vector<double>{2, 8}));
        QCOMPARE(elementsOf(run("BitShift", "RIGHT", {bits, one})), (std::vector<double>{64, 2}));
    }

    void castsRound() {
        const ArrayPtr x = vector({1.7, -1.7, 100, 0.1});
        QCOMPARE(elementsOf(run("Cast", "i8", {x})), (std::vector<double>{1, -1, 100, 0}));
        QCOMPARE(elementsOf(run("Cast", "bool", {x})), (std::vector<double>{1, 1, 1, 1}));
        QCOMPARE(elementsOf(run("Cast", "f16", {x}))[3], 0.0999755859375);
        QCOMPARE(elementsOf(run("Cast", "f32", {x})), x->elements);
        QCOMPARE(run("Cast", "i64", {x})->front()->dtype, Dtype::I64);
        QVERIFY(!run("Cast", "string", {x}).ok());
        // Integers wrap around; ONNX leaves open what becomes of other numbers that the type does not hold.
        QCOMPARE(elementsOf(run("Cast", "i8", {vector({300, -129}, Dtype::I32)})), (std::vector<double>{44, 127}));
        for (const double outside : {300.0, -129.0, NaN, HUGE_VAL})
            QCOMPARE(run("Cast", "i8", {vector({outside})}).error().code, ErrorCode::Unsupported);
        QCOMPARE(elementsOf(run("Cast", "i8", {vector({-128.9})})), std::vector<double>{-128});
        QVERIFY(!run("Cast", "i32", {vector({0x1p60}, Dtype::I64)}).ok());  // read of 2^60 + 1 perhaps
    }

    void shiftsAreWithinTheElement() {
        const ArrayPtr x = vector({3}, Dtype::U8);
        QCOMPARE(elementsOf(run("BitShift", "LEFT", {x, vector({7}, Dtype::U8)})), std::vector<double>{128});
        QVERIFY(!run("BitShift", "LEFT", {x, vector({8}, Dtype::U8)}).ok());
        QVERIFY(!run("BitShift", "RIGHT", {x, vector({200}, Dtype::U8)}).ok());
    }

    void boundsAsInputs() {
        const ArrayPtr x = vector({-7, 2, 9}, Dtype::I32);
        const ArrayPtr low = array({}, {0}, Dtype::I32);
        const ArrayPtr high = array({}, {5}, Dtype::I32);
        QCOMPARE(elementsOf(run("ClipBetween", "", {x, low, high})), (std::vector<double>{0, 2, 5}));
        QCOMPARE(elementsOf(run("ClipBetween", "", {x, nullptr, high})), (std::vector<double>{-7, 2, 5}));
        QCOMPARE(elementsOf(run("ClipBetween", "", {x, low})), (std::vector<double>{0, 2, 9}));
        QCOMPARE(types("ClipBetween", "", {"i32[N]", "", "i64[]"}),
                 std::string("ClipBetween takes arrays of one element type; found i32 and i64"));
    }

    void integersWrapAroundExactly() {
        const auto of = [](const char* name, double a, double b, Dtype dtype) {
            return run(name, "", {vector({a}, dtype), vector({b}, dtype)});
        };
        const auto same = [](const Result<std::vector<ArrayPtr>>& found, double wanted) {
            return elementsOf(found) == std::vector<double>{wanted};
        };
        // 2^80 + 2^41 + 1 without the bits from the 64th on; (2^31 - 1)^2 = 2^62 - 2^32 + 1 without those from the 32nd on.
        QVERIFY(same(of("Mul", 0x1p40 + 1, 0x1p40 + 1, Dtype::I64), 2199023255553.0));
        QVERIFY(same(of("Mul", 0x1p31 - 1, 0x1p31 - 1, Dtype::I32), 1.0));
        QVERIFY(same(of("Mul", 200, 2, Dtype::U8), 144.0));
        QVERIFY(same(of("Add", -0x1p31, -1, Dtype::I32), 0x1p31 - 1));
        QVERIFY(same(of("Sub", 3, 4, Dtype::U32), 0x1p32 - 1));
        QVERIFY(same(of("Pow", 3, 40, Dtype::I32), 689956897.0));
        QVERIFY(same(of("Pow", -1, -3, Dtype::I64), -1.0));
        QVERIFY(same(of("Pow", 2, -1, Dtype::I64), 0.0));
    }

    /// They are not values, and make no difference.
    void integersThatAreNotExactAreNotComputed() {
        const auto isRefused = [](const Result<std::vector<ArrayPtr>>& found) {
            return !found && found.error().code == ErrorCode::Unsupported;
        };
        const ArrayPtr large = vector({0x1p52, 0x1p52, -0x1p52}, Dtype::I64);
        const ArrayPtr one = vector({1}, Dtype::I64);
        QVERIFY(isRefused(run("Add", "", {vector({0x1p53 - 1}, Dtype::I64), one})));
        QVERIFY(isRefused(run("Add", "", {vector({0x1p53}, Dtype::I64), one})));  // read of 2^53 + 1 perhaps
        QVERIFY(isRefused(run("Mul", "", {vector({0x1p31 + 1}, Dtype::I64), vector({0x1p31 + 1}, Dtype::I64)})));
        QVERIFY(isRefused(run("Sub", "", {vector({0}, Dtype::U64), vector({1}, Dtype::U64)})));
        QVERIFY(isRefused(run("ReduceSum", "[0]$true", {large})));
        QVERIFY(isRefused(run("ReduceProd", "[0]$true", {large})));
        QVERIFY(isRefused(run("MatMul", "", {large, large})));
        QVERIFY(isRefused(run("Einsum", "[a,b,ab]", {large, large})));
        QVERIFY(isRefused(run("CumSum", "0$false$false", {large})));
        QVERIFY(isRefused(run("PRelu", "", {vector({-0x1p31}, Dtype::I32), vector({0x1p31 - 1}, Dtype::I32)})));
        const ArrayPtr first = vector({0}, Dtype::I64);
        QVERIFY(isRefused(run("ScatterElements", "0$add", {large, first, vector({0x1p52}, Dtype::I64)})));
        // The sum of a mean would wrap around before it is divided.
        QVERIFY(isRefused(run("ReduceMean", "[0]$true", {vector({100, 100}, Dtype::I8)})));
        QVERIFY(isRefused(run("ReduceLogSumExp", "[0]$true", {vector({1, 2}, Dtype::I32)})));
        // Operators that only move or compare them continue.
        QCOMPARE(elementsOf(run("Max", "", {vector({0x1p62}, Dtype::I64), one})), std::vector<double>{0x1p62});
        QVERIFY(isRefused(run("Max", "", {vector({0x1p63}, Dtype::I64), one})));  // read of 2^63 - 1
        QCOMPARE(elementsOf(run("ReduceMax", "[0]$true", {vector({0x1p63, 1}, Dtype::I64)})),
                 std::vector<double>{0x1p63});
    }

    void integersThatHaveNoResult() {
        const ArrayPtr negative = vector({4, -1}, Dtype::I32);
        const Result<std::vector<ArrayPtr>> root = run("Pow", "", {negative, array({}, {0.5})});
        QVERIFY(!root.ok());
        QCOMPARE(root.error().message, std::string("an element has no result among the Integers"));
    }

    void constantsAndMasks() {
        const Result<std::vector<ArrayPtr>> constant = run("Constant", "0.5$f16$[2,1]", {});
        QVERIFY(constant.ok());
        QCOMPARE(constant->front()->shape, (Shape{2, 1}));
        QCOMPARE(constant->front()->dtype, Dtype::F16);
        QCOMPARE(constant->front()->elements, (std::vector<double>{0.5, 0.5}));
        QCOMPARE(types("Constant", "0.5$i64$[]", {}), std::string("0.5 is no value of type i64"));
        QCOMPARE(types("Constant", "1000000.0$f16$[]", {}), std::string("1000000 is no value of type f16"));
        QCOMPARE(types("Constant", "300.0$u8$[]", {}), std::string("300 is no value of type u8"));
        QCOMPARE(types("Constant", "1.0$f32$[-1]", {}), std::string("a constant cannot have the size -1"));
        const Result<std::vector<ArrayPtr>> dropout = run("Dropout", "0.5$2", {vector({3, 4})});
        QCOMPARE(dropout->size(), std::size_t{2});
        QCOMPARE((*dropout)[1]->elements, (std::vector<double>{1, 1}));
        QCOMPARE((*dropout)[1]->dtype, Dtype::Bool);
        QCOMPARE(types("Dropout", "0.5$3", {"f32[1]"}), std::string("Dropout has 1 or 2 outputs, not 3"));
    }

    void shapesBroadcast() {
        QCOMPARE(types("Add", "", {"f32[N,3]", "f32[3]"}), std::string("f32[N,3]"));
        QCOMPARE(types("Add", "", {"f32[N,1]", "f32[1,M]"}), std::string("f32[N,M]"));
        QCOMPARE(types("Add", "", {"f32[N]", "f32[4]"}), std::string("f32[4]"));
        QCOMPARE(types("Add", "", {"f32[]", "f32[2,N]"}), std::string("f32[2,N]"));
        QCOMPARE(types("Add", "", {"f32[...]", "f32[2]"}), std::string("f32[...]"));
        QCOMPARE(types("Add", "", {"f32[2]", "f32[3]"}), std::string("sizes 2 and 3 do not broadcast"));
        QCOMPARE(types("Add", "", {"f32[N]", "f32[M]"}), std::string("f32[max(M:N)]"));
        QCOMPARE(types("Add", "", {"f32[2]", "f64[2]"}),
                 std::string("Add takes arrays of one element type; found f32 and f64"));
        QCOMPARE(types("Add", "", {"bool[2]", "bool[2]"}), std::string("Add takes numbers; found bool"));
        QCOMPARE(types("Exp", "", {"i64[2]"}), std::string("Exp takes floating numbers; found i64"));
        QCOMPARE(types("Pow", "", {"f32[2,N]", "i64[]"}), std::string("f32[2,N]"));
        QCOMPARE(types("Less", "", {"i64[N]", "i64[1]"}), std::string("bool[N]"));
        QCOMPARE(types("Where", "", {"bool[N,1]", "f32[4]", "f32[]"}), std::string("f32[N,4]"));
        QCOMPARE(types("Where", "", {"f32[N,1]", "f32[4]", "f32[]"}),
                 std::string("Where takes elements of type bool; found f32"));
        QCOMPARE(types("Mean", "", {"f32[2,1]", "f32[N]", "f32[2,1]"}), std::string("f32[2,N]"));
        QCOMPARE(types("PRelu", "", {"f32[3]", "f32[2,1]"}), std::string("PRelu takes slopes that broadcast to X"));
        QCOMPARE(types("PRelu", "", {"f32[1,3]", "f32[5,3]"}), std::string("PRelu takes slopes that broadcast to X"));
        QCOMPARE(types("PRelu", "", {"f32[N,3]", "f32[5,1]"}), std::string("f32[N,3]"));
        QCOMPARE(types("Cast", "i32", {"f32[N]"}), std::string("i32[N]"));
        QCOMPARE(types("IsNaN", "", {"f16[N]"}), std::string("bool[N]"));
        QCOMPARE(types("Add", "", {"f32[0]", "f32[1]"}), std::string("f32[0]"));
    }

    /// The law of broadcasting: an operator over repeated elements is the operator over the arrays as they are.
    void broadcastingRepeatsElements() {
        Random random(7);
        for (int i = 0; i < 50; ++i) {
            Shape full;
            Shape partial;
            for (int d = 0; d < 3; ++d) {
                full.push_back(random.integer(1, 3));
                partial.push_back(random.chance(0.5) ? 1 : full.back());
            }
            const ArrayPtr a = randomIntegers(full, random);
            const ArrayPtr b = randomIntegers(partial, random);
            std::vector<double> repeated;
            for (std::int64_t x = 0; x < full[0]; ++x) {
                for (std::int64_t y = 0; y < full[1]; ++y) {
                    for (std::int64_t z = 0; z < full[2]; ++z) {
                        const std::int64_t at =
                            ((x % partial[0]) * partial[1] + y % partial[1]) * partial[2] + z % partial[2];
                        repeated.push_back(b->elements[static_cast<std::size_t>(at)]);
                    }
                }
            }
            QCOMPARE(elementsOf(run("Sub", "", {a, b})), elementsOf(run("Sub", "", {a, array(full, repeated)})));
            QCOMPARE(elementsOf(run("Sub", "", {b, a})), elementsOf(run("Sub", "", {array(full, repeated), a})));
        }
        QCOMPARE(run("Add", "", {array({0, 2}, {}), vector({1, 2})})->front()->shape, (Shape{0, 2}));
    }

    void commutativeOperatorsAre() {
        Random random(3);
        int count = 0;
        for (const Operator& op : operators()) {
            if (!op.traits.commutative) continue;
            ++count;
            const Dtype dtype = op.name == "And" || op.name == "Or" || op.name == "Xor" ? Dtype::Bool : Dtype::F32;
            const auto draw = [&](Shape shape) {
                auto drawn = std::make_shared<Array>(*randomIntegers(std::move(shape), random));
                drawn->dtype = dtype;
                if (dtype == Dtype::Bool)
                    for (double& element : drawn->elements) element = element > 0 ? 1 : 0;
                return drawn;
            };
            const ArrayPtr a = draw({4, 1, 5});
            const ArrayPtr b = draw({3, 1});
            QCOMPARE(elementsOf(run(op.name, "", {a, b})), elementsOf(run(op.name, "", {b, a})));
        }
        QCOMPARE(count, 8);
    }

    void onnxFormsOfAllOpsets() {
        const float largest = std::numeric_limits<float>::max();
        const FakeContext x({"f32[N,3]"});
        QCOMPARE(imported({.type = "Clip", .opset = 6, .inputs = {"x"}, .attributes = {{"min", 0.0}, {"max", 6.0}}}, x),
                 std::string("0.0$6.0"));
        const FakeContext bounds({"f32[N,3]", "f32[]", "f32[]"}, {}, {{1, {0.0}}});
        QCOMPARE(imported({.type = "Clip", .inputs = {"x", "low"}}, bounds),
                 "0.0$" + attributeText(static_cast<double>(largest)));
        const OnnxNode dynamic{.type = "Clip", .inputs = {"x", "low", "high"}};
        QCOMPARE(imported(dynamic, bounds), std::string("a bound of Clip is not a constant"));
        QVERIFY(importPlainly(*findOperator("ClipBetween"), dynamic).ok());
        // A bound of f64 that f32 does not have: the other form has it.
        const FakeContext wide({"f64[N,3]", "f64[]", "f64[]"}, {}, {{1, {0.0}}, {2, {1e39}}});
        QCOMPARE(imported(dynamic, wide), std::string("a bound of Clip is beyond the range of f32"));
        const FakeContext open({"f64[N,3]", "f64[]", "f64[]"}, {}, {{1, {0.0}}, {2, {HUGE_VAL}}});
        QCOMPARE(imported(dynamic, open), "0.0$" + attributeText(static_cast<double>(largest)));
        QCOMPARE(imported({.type = "Dropout", .opset = 7, .inputs = {"x"}, .attributes = {{"ratio", 0.25}}}, x),
                 std::string("0.25$1"));
        const FakeContext ratio({"f32[N,3]", "f32[]", "bool[]"}, {{2, {1}}}, {{1, {0.25}}});
        QCOMPARE(imported({.type = "Dropout", .inputs = {"x", "ratio"}, .outputs = {"y", "mask"}}, ratio),
                 std::string("0.25$2"));
        QCOMPARE(imported({.type = "Dropout", .inputs = {"x", "ratio", "training"}}, ratio),
                 std::string("Dropout may be in training mode"));
        QCOMPARE(imported({.type = "Cast", .inputs = {"x"}, .attributes = {{"to", std::int64_t{7}}}}, x),
                 std::string("i64"));
        const Operator& cast = *findOperator("Cast");
        const FakeContext like({"f32[N,3]", "f16[1]"});
        QCOMPARE(cast.onnx.import(cast, {.type = "CastLike", .inputs = {"x", "like"}}, like)->attributes.text(),
                 std::string("f16"));
        const Operator& add = *findOperator("Add");
        const Result<Imported> sum = add.onnx.import(add, {.type = "Sum", .inputs = {"a", "b", "c"}}, x);
        QVERIFY(sum.ok() && sum->isFold);
        QCOMPARE(sum->inputs, (std::vector<int>{0, 1, 2}));
        QCOMPARE(imported({.type = "BitShift", .inputs = {"x", "y"}}, x),
                 std::string("BitShift lacks the attribute direction"));
        QCOMPARE(imported({.type = "Exp", .inputs = {"x"}, .attributes = {{"odd", 1.0}}}, x),
                 std::string("Exp has an unknown attribute odd"));
        QCOMPARE(imported({.type = "LeakyRelu", .inputs = {"x"}, .attributes = {{"alpha", std::int64_t{1}}}}, x),
                 std::string("LeakyRelu cannot have 1 as its attribute alpha"));
    }

    void exportsAreOpset17() {
        const std::vector<ArrayType> none;
        const Operator& clip = *findOperator("Clip");
        const Exported clipped = clip.onnx.exportNode(attributes(clip, "0.0$6.0"), none);
        QCOMPARE(clipped.type, std::string("Clip"));
        QVERIFY(clipped.attributes.empty());
        QCOMPARE(clipped.constants.size(), std::size_t{2});
        QCOMPARE(clipped.constants[1].input, std::size_t{2});
        QCOMPARE(std::get<double>(clipped.constants[1].values), 6.0);
        const Exported cast = exportPlainly(attributes(*findOperator("Cast"), "f64"));
        QCOMPARE(std::get<std::int64_t>(cast.attributes.at("to")), std::int64_t{11});
        const Exported mod = exportPlainly(attributes(*findOperator("Mod"), "true"));
        QCOMPARE(std::get<std::int64_t>(mod.attributes.at("fmod")), std::int64_t{1});
        QCOMPARE(exportPlainly(attributes(*findOperator("Gelu"), "")).domain, std::string("com.microsoft"));
        QCOMPARE(exportPlainly(attributes(*findOperator("ClipBetween"), "")).type, std::string("Clip"));
    }
};

MITOS_TEST(TestElementwise)

}  // namespace tst_elementwise

#include "tst_elementwise.moc"
