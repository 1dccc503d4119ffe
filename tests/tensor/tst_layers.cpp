// SPDX-License-Identifier: GPL-3.0-or-later
// Einstein's sums, recurrent layers, quantization, selection by values, sampling: numbers worked out by hand.
#include "tests/support/test_program.h"
#include "tests/tensor/operators.h"

#include <QtTest/QTest>

#include <cmath>

namespace tst_layers {

using namespace mitos;
using namespace mitos::tensor;
using namespace mitos::tensor::test;

namespace {

using Numbers = std::vector<double>;

ArrayPtr of(ir::Dtype dtype, Shape shape, Numbers elements) {
    return array(std::move(shape), std::move(elements), dtype);
}

Shape shapeOf(const Result<std::vector<ArrayPtr>>& result, std::size_t output = 0) {
    return result ? (*result)[output]->shape : Shape{-999};
}

}  // namespace

class TestLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void einsumSumsOverLetters() {
        const ArrayPtr a = array({2, 2}, {1, 2, 3, 4});
        const ArrayPtr b = array({2, 2}, {5, 6, 7, 8});
        QCOMPARE(elementsOf(run("Einsum", "[ab,bc,ac]", {a, b})), (Numbers{19, 22, 43, 50}));
        QCOMPARE(elementsOf(run("Einsum", "[ab,cb,ac]", {a, b})), (Numbers{17, 23, 39, 53}));
        QCOMPARE(elementsOf(run("Einsum", "[ab,ba]", {a})), (Numbers{1, 3, 2, 4}));
        QCOMPARE(elementsOf(run("Einsum", "[aa,a]", {a})), (Numbers{1, 4}));
        const auto trace = run("Einsum", "[aa,_]", {a});
        QCOMPARE(elementsOf(trace), Numbers{5});
        QCOMPARE(shapeOf(trace), Shape());
        QCOMPARE(elementsOf(run("Einsum", "[a,b,ab]", {array({2}, {1, 2}), array({3}, {1, 10, 100})})),
                 (Numbers{1, 10, 100, 2, 20, 200}));
        // An axis of 1 is repeated.
        QCOMPARE(elementsOf(run("Einsum", "[ab,ab,ab]", {a, array({1, 2}, {10, 100})})), (Numbers{10, 200, 30, 400}));
        QCOMPARE(elementsOf(run("Einsum", "[a,a,a,_]", {array({2}, {1, 2}), array({2}, {3, 4}), array({2}, {5, 6})})),
                 Numbers{1 * 3 * 5 + 2 * 4 * 6});
    }

    void einsumHasTypesAndWork() {
        QCOMPARE(types("Einsum", "[abc,acd,abd]", {"f32[B,N,M]", "f32[B,M,K]"}), "f32[B,N,K]");
        QCOMPARE(types("Einsum", "[ab,bc,ac]", {"f32[2,3]", "f32[4,5]"}), "Einsum: the letter b has two sizes");
        QCOMPARE(types("Einsum", "[ab,ac]", {"f32[2,3]"}), "Einsum: no array has the axis c");
        QCOMPARE(types("Einsum", "[ab,aa]", {"f32[2,3]"}), "Einsum: the result has an axis twice");
        QCOMPARE(types("Einsum", "[ab,a]", {"f32[2]"}), "Einsum: 2 letters for an array of rank 1");
        QCOMPARE(types("Einsum", "[ab,a]", {"f32[2,3]", "f32[2]"}), "Einsum: the equation [ab,a] is not for 2 arrays");
        QCOMPARE(workOf("Einsum", "[ab,bc,ac]", {"f32[2,3]", "f32[3,4]"}).flops, 48.0);
    }

    void equationsAreCanonical_data() {
        QTest::addColumn<QByteArray>("equation");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("other letters") << QByteArray("bik,bkj->bij") << QByteArray("[abc,acd,abd]");
        QTest::newRow("spaces") << QByteArray(" b i k , b k j -> b i j") << QByteArray("[abc,acd,abd]");
        QTest::newRow("without a result") << QByteArray("bik,bkj") << QByteArray("[abc,acd,bd]");
        QTest::newRow("points") << QByteArray("...ik,...kj->...ij") << QByteArray("[abc,acd,abd]");
        QTest::newRow("points alone") << QByteArray("...,...->...") << QByteArray("[abc,abc,abc]");
        QTest::newRow("points of one axis") << QByteArray("x...,x...y") << QByteArray("[abc,acd,bcd]");
        QTest::newRow("a scalar") << QByteArray("ijk,ijk->") << QByteArray("[abc,abc,_]");
        QTest::newRow("too many letters")
            << QByteArray("abcd,abc->d") << QByteArray("the equation of Einsum does not fit the ranks");
        QTest::newRow("too few letters") << QByteArray("ab,abc->a")
                                         << QByteArray("the equation of Einsum does not fit the ranks");
        QTest::newRow("other signs") << QByteArray("a1c,abc->a")
                                     << QByteArray("the equation of Einsum has other signs than letters");
        QTest::newRow("one term") << QByteArray("abc->a")
                                  << QByteArray("the equation of Einsum is for another number of inputs");
    }
    void equationsAreCanonical() {
        QFETCH(const QByteArray, equation);
        QFETCH(const QByteArray, expected);
        const OnnxNode node{
            .type = "Einsum", .inputs = {"x", "y"}, .attributes = {{"equation", equation.toStdString()}}};
        QCOMPARE(imported(node, FakeContext({"f32[2,3,4]", "f32[2,4,5]"})), expected.toStdString());
    }

    void rnnSeesItsLastOutput() {
        const ArrayPtr x = array({3, 1, 1}, {1, 2, 3});
        const ArrayPtr one = array({1, 1, 1}, {1});
        const auto forward = run("RNN", "1$forward$[Relu]$0.0$false$2", {x, one, one});
        QCOMPARE(elementsOf(forward), (Numbers{1, 3, 6}));
        QCOMPARE(shapeOf(forward), (Shape{3, 1, 1, 1}));
        QCOMPARE(elementsOf(forward, 1), Numbers{6});
        QCOMPARE(shapeOf(forward, 1), (Shape{1, 1, 1}));
        QCOMPARE(elementsOf(run("RNN", "1$reverse$[Relu]$0.0$false$1", {x, one, one})), (Numbers{6, 5, 3}));
        // Both directions, side by side.
        const ArrayPtr ones = array({2, 1, 1}, {1, 1});
        const auto both = run("RNN", "1$bidirectional$[Relu,Relu]$0.0$false$2", {x, ones, ones});
        QCOMPARE(elementsOf(both), (Numbers{1, 6, 3, 5, 6, 3}));
        QCOMPARE(elementsOf(both, 1), (Numbers{6, 6}));
        // Two steps only; the biases of input and state add up; what goes into activations is clipped.
        const ArrayPtr two = of(ir::Dtype::I32, {1}, {2});
        const auto shorter = run("RNN", "1$forward$[Relu]$0.0$false$2", {x, one, one, nullptr, two});
        QCOMPARE(elementsOf(shorter), (Numbers{1, 3, 0}));
        QCOMPARE(elementsOf(shorter, 1), Numbers{3});
        const ArrayPtr bias = array({1, 2}, {10, 20});
        QCOMPARE(elementsOf(run("RNN", "1$forward$[Relu]$0.0$false$1", {x, one, one, bias})), (Numbers{31, 63, 96}));
        QCOMPARE(elementsOf(run("RNN", "1$forward$[Relu]$5.0$false$1", {x, one, one})), (Numbers{1, 3, 5}));
        const ArrayPtr first = array({1, 1, 1}, {100});
        QCOMPARE(elementsOf(run("RNN", "1$forward$[Relu]$0.0$false$1", {x, one, one, nullptr, nullptr, first})),
                 (Numbers{101, 103, 106}));
        // The batch first.
        const auto batched = run("RNN", "1$forward$[Relu]$0.0$true$2", {array({2, 2, 1}, {1, 2, 10, 20}), one, one});
        QCOMPARE(elementsOf(batched), (Numbers{1, 3, 10, 30}));
        QCOMPARE(shapeOf(batched), (Shape{2, 2, 1, 1}));
        QCOMPARE(elementsOf(batched, 1), (Numbers{3, 30}));
    }

    void gatesOfZerosHalve() {
        // Without weights every gate is sigmoid(0) = 1/2, and what is new is tanh(0) = 0.
        const ArrayPtr x = array({2, 1, 1}, {7, 7});
        const ArrayPtr none3 = array({1, 3, 1}, {0, 0, 0});
        QCOMPARE(elementsOf(run("GRU", "1$forward$[Sigmoid,Tanh]$0.0$false$false$1",
                                {x, none3, none3, nullptr, nullptr, array({1, 1, 1}, {4})})),
                 (Numbers{2, 1}));
        const ArrayPtr none4 = array({1, 4, 1}, {0, 0, 0, 0});
        const auto lstm = run("LSTM", "1$forward$[Sigmoid,Tanh,Tanh]$0.0$false$3",
                              {x, none4, none4, nullptr, nullptr, nullptr, array({1, 1, 1}, {2})});
        QVERIFY(areClose(elementsOf(lstm), {0.5 * std::tanh(1.0), 0.5 * std::tanh(0.5)}));
        QVERIFY(areClose(elementsOf(lstm, 2), {0.5}));
        // The bias alone opens the input and output gates (and closes the forget gate): h = tanh(tanh(3)).
        const ArrayPtr bias = array({1, 8}, {1e3, 1e3, -1e3, 3, 0, 0, 0, 0});
        const auto open = run("LSTM", "1$forward$[Sigmoid,Tanh,Tanh]$0.0$false$1", {x, none4, none4, bias});
        QVERIFY(areClose(elementsOf(open), {std::tanh(std::tanh(3.0)), std::tanh(std::tanh(3.0))}));
        // A peephole of the forget gate keeps the cell.
        const auto peeped = run("LSTM", "1$forward$[Sigmoid,Tanh,Tanh]$0.0$false$3",
                                {array({1, 1, 1}, {0}), none4, none4, nullptr, nullptr, nullptr, array({1, 1, 1}, {2}),
                                 array({1, 3}, {0, 0, 1e3})});
        QVERIFY(areClose(elementsOf(peeped, 2), {2.0}));
    }

    void resetsComeBeforeOrBehindTheProduct() {
        // Update gate 0, reset gate 1/2 (no weights), hidden: x + r h or the state's bias inside of the reset.
        const ArrayPtr x = array({1, 1, 1}, {0});
        const ArrayPtr w = array({1, 3, 1}, {0, 0, 0});
        const ArrayPtr r = array({1, 3, 1}, {0, 0, 1});
        const ArrayPtr bias = array({1, 6}, {-1e3, 0, 0, 0, 0, 4});
        const ArrayPtr h = array({1, 1, 1}, {2});
        QCOMPARE(elementsOf(run("GRU", "1$forward$[Sigmoid,Relu]$0.0$false$false$1", {x, w, r, bias, nullptr, h})),
                 Numbers{0.5 * 2 + 4});
        QCOMPARE(elementsOf(run("GRU", "1$forward$[Sigmoid,Relu]$0.0$false$true$1", {x, w, r, bias, nullptr, h})),
                 Numbers{0.5 * (2 + 4)});
    }

    void recurrentLayersHaveTypes() {
        const char* const lstm = "5$bidirectional$[Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh]$0.0$false$3";
        QCOMPARE(types("LSTM", lstm, {"f32[S,B,3]", "f32[2,20,3]", "f32[2,20,5]"}),
                 "f32[S,2,B,5] f32[2,B,5] f32[2,B,5]");
        QCOMPARE(types("LSTM", lstm, {"f32[S,B,3]", "f32[2,20,4]", "f32[2,20,5]"}),
                 "LSTM: the sizes of W do not fit the others");
        QCOMPARE(types("RNN", "5$forward$[Sine]$0.0$false$1", {"f32[S,B,3]", "f32[1,5,3]", "f32[1,5,5]"}),
                 "RNN has no activation Sine");
        const OnnxNode node{.type = "LSTM",
                            .inputs = {"x", "w", "r"},
                            .outputs = {"", "h"},
                            .attributes = {{"hidden_size", std::int64_t{5}}}};
        QCOMPARE(imported(node, FakeContext({"f32[S,B,3]", "f32[1,20,3]", "f32[1,20,5]"})),
                 "5$forward$[Sigmoid,Tanh,Tanh]$0.0$false$2");
    }

    void quantizationIsThatOfTheStandard() {
        const ArrayPtr zero = of(ir::Dtype::U8, {}, {128});
        const auto q = run("QuantizeLinear", "1", {array({6}, {0, 2, 3, 1000, -254, -1000}), array({}, {2}), zero});
        QCOMPARE(elementsOf(q), (Numbers{128, 129, 130, 255, 1, 0}));
        QCOMPARE(q->front()->dtype, ir::Dtype::U8);
        const auto x = run("DequantizeLinear", "1", {of(ir::Dtype::U8, {4}, {0, 3, 128, 255}), array({}, {2}), zero});
        QCOMPARE(elementsOf(x), (Numbers{-256, -250, 0, 254}));
        // A scale for each row; halves go to even numbers.
        QCOMPARE(elementsOf(run("QuantizeLinear", "0", {array({2, 2}, {0.5, 1.5, 5, -5}), array({2}, {1, 10})})),
                 (Numbers{0, 2, 0, 0}));
        const auto dynamic = run("DynamicQuantizeLinear", "", {array({6}, {0, 2, -3, -2.5, 1.34, 0.5})});
        QCOMPARE(elementsOf(dynamic), (Numbers{153, 255, 0, 26, 221, 179}));
        QCOMPARE(elementsOf(dynamic, 2), Numbers{153});
        QVERIFY(areClose(elementsOf(dynamic, 1), {static_cast<double>(5.0F / 255.0F)}));
        QCOMPARE(types("QuantizeLinear", "1", {"f32[N,3]", "f32[]", "i8[]"}), "i8[N,3]");
        QCOMPARE(types("QuantizeLinear", "1", {"f32[N,3]", "f32[]", "i16[]"}),
                 "QuantizeLinear makes u8 or i8, not i16");
        QCOMPARE(types("DequantizeLinear", "1", {"i8[N,3]", "f32[4]", "i8[4]"}),
                 "DequantizeLinear: x_scale has one number for all, or one for each place along axis 1");
    }

    /// ONNX's examples, and others by hand.
    void productsOfIntegers() {
        const ArrayPtr a = of(ir::Dtype::U8, {2, 3}, {11, 7, 3, 10, 6, 2});
        const ArrayPtr b = of(ir::Dtype::I8, {3, 2}, {1, -4, 2, 5, 3, -6});
        const auto u8 = [](std::vector<double> elements) {
            const auto size = static_cast<std::int64_t>(elements.size());
            return of(ir::Dtype::U8, {size}, std::move(elements));
        };
        const auto i8 = [](std::vector<double> elements) {
            const auto size = static_cast<std::int64_t>(elements.size());
            return of(ir::Dtype::I8, {size}, std::move(elements));
        };
        const auto plain = run("MatMulInteger", "", {a, b, of(ir::Dtype::U8, {}, {12})});
        QCOMPARE(elementsOf(plain), (Numbers{-38, 33, -44, 38}));
        QCOMPARE(plain->front()->dtype, ir::Dtype::I32);
        // A zero point for each row of A, and for each column of B.
        QCOMPARE(elementsOf(run("MatMulInteger", "", {a, b, u8({12, 1}), i8({2, -1})})), (Numbers{-8, 18, -8, -2}));
        QCOMPARE(elementsOf(run("MatMulInteger", "", {u8({1, 2, 3}), b, nullptr, i8({1})})), (Numbers{8, -18}));
        const ArrayPtr zero = u8({12});
        const ArrayPtr none = i8({0});
        // 0.5 * 0.25 / 0.8 = 0.15625; and 0.5 * 1.5 / 0.8 for the second column.
        QCOMPARE(elementsOf(run("QLinearMatMul", "",
                                {a, array({}, {0.5}), zero, b, array({}, {0.25}), none, array({}, {0.8}), u8({100})})),
                 (Numbers{94, 105, 93, 106}));
        QCOMPARE(elementsOf(
                     run("QLinearMatMul", "",
                         {a, array({}, {0.5}), zero, b, array({2}, {0.25, 1.5}), none, array({1}, {0.8}), u8({100})})),
                 (Numbers{94, 131, 93, 136}));
        // Halves go to even numbers before the zero point is added, and the result to the range of the type.
        const auto halves =
            run("QLinearMatMul", "", {a, array({}, {1}), zero, b, array({}, {0.5}), none, array({}, {1}), i8({101})});
        QCOMPARE(elementsOf(halves), (Numbers{82, 117, 79, 120}));
        QCOMPARE(halves->front()->dtype, ir::Dtype::I8);
        QCOMPARE(elementsOf(run("QLinearMatMul", "",
                                {a, array({}, {1}), zero, b, array({}, {5}), none, array({}, {1}), u8({50})})),
                 (Numbers{0, 215, 0, 240}));
        QCOMPARE(types("MatMulInteger", "", {"u8[N,K]", "i8[K,3]", "u8[N]", "i8[3]"}), "i32[N,3]");
        QCOMPARE(types("MatMulInteger", "", {"i32[2,3]", "i8[3,2]"}), "MatMulInteger takes u8 or i8 as A; found i32");
        QCOMPARE(types("MatMulInteger", "", {"u8[2,3]", "i8[3,2]", "i8[]"}),
                 "MatMulInteger: A and its zero point are of two types");
        QCOMPARE(types("MatMulInteger", "", {"u8[2,3]", "i8[3,2]", "u8[3]"}),
                 "MatMulInteger: a_zero_point has one number for all, or one for each row");
        QCOMPARE(
            types("QLinearMatMul", "", {"u8[2,3]", "f32[]", "u8[]", "i8[3,2]", "f32[2]", "i8[2]", "f32[]", "u8[2]"}),
            "QLinearMatMul: y_zero_point has one number for all");
        QCOMPARE(workOf("MatMulInteger", "", {"u8[2,3]", "i8[3,4]"}).flops, 2.0 * 2 * 3 * 4);
        QCOMPARE(workOf("MatMulInteger", "", {"u8[2,3]", "i8[3,4]"}).writtenBytes, 4.0 * 2 * 4);
    }

    void convolutionsOfIntegers() {
        const ArrayPtr x = of(ir::Dtype::U8, {1, 1, 3, 3}, {2, 3, 4, 5, 6, 7, 8, 9, 10});
        const ArrayPtr ones = of(ir::Dtype::U8, {1, 1, 2, 2}, {1, 1, 1, 1});
        const ArrayPtr one = of(ir::Dtype::U8, {}, {1});
        QCOMPARE(elementsOf(run("ConvInteger", "[1,1]$[0,0,0,0]$[1,1]$1", {x, ones, one})), (Numbers{12, 16, 24, 28}));
        // Behind the edge is the zero point.
        QCOMPARE(elementsOf(run("ConvInteger", "[1,1]$[1,1,1,1]$[1,1]$1", {x, ones, one})),
                 (Numbers{1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9}));
        const ArrayPtr w = of(ir::Dtype::I8, {2, 1, 2, 2}, {1, 2, 3, 4, 0, -1, 2, -3});
        const ArrayPtr zeros = of(ir::Dtype::I8, {2}, {1, -1});
        QCOMPARE(elementsOf(run("ConvInteger", "[1,1]$[0,0,0,0]$[1,1]$1", {x, w, one, zeros})),
                 (Numbers{25, 31, 43, 49, 3, 5, 9, 11}));
        // With the bias: 35, 41, 53, 59 times 1 / 8; -17, -15, -11, -9 times 1 / 4.
        const auto scaled = run("QLinearConv", "[1,1]$[0,0,0,0]$[1,1]$1",
                                {x, array({}, {0.5}), one, w, array({2}, {0.5, 1}), zeros, array({}, {2}),
                                 of(ir::Dtype::I8, {}, {3}), of(ir::Dtype::I32, {2}, {10, -20})});
        QCOMPARE(elementsOf(scaled), (Numbers{7, 8, 10, 10, -1, -1, 0, 1}));
        QCOMPARE(scaled->front()->dtype, ir::Dtype::I8);
        const std::vector<std::string> inputs{"u8[N,2,5,5]", "f32[]", "u8[]", "i8[4,2,3,3]", "f32[4]",
                                              "i8[4]",       "f32[]", "u8[]", "i32[4]"};
        QCOMPARE(types("QLinearConv", "[1,1]$[0,0,0,0]$[1,1]$1", inputs), "u8[N,4,3,3]");
        QCOMPARE(workOf("QLinearConv", "[1,1]$[0,0,0,0]$[1,1]$1", inputs).flops, (2.0 * 2 * 9 + 4) * 4 * 9);
        const OnnxNode node{.type = "QLinearConv",
                            .inputs = {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"},
                            .attributes = {{"auto_pad", std::string("SAME_UPPER")}}};
        QCOMPARE(imported(node, FakeContext(inputs)), "[1,1]$[1,1,1,1]$[1,1]$1");
    }

    /// Numbers of ONNX's reference implementation.
    void imagesFromTheColumnsOfTheirWindows() {
        QCOMPARE(elementsOf(run("Col2Im", "[3,3]$[2,2]$[1,1]$[0,0,0,0]$[1,1]", {counting({1, 8, 4})})),
                 (Numbers{0, 5, 5, 10, 30, 20, 10, 25, 15, 16, 37, 21, 42, 94, 52, 26, 57, 31}));
        QCOMPARE(elementsOf(run("Col2Im", "[4,5]$[2,2]$[2,2]$[0,1,0,0]$[1,2]", {counting({1, 4, 4})})),
                 (Numbers{0, 5, 0, 5, 0, 0, 21, 0, 13, 0, 0, 9, 0, 7, 0, 0, 25, 0, 15, 0}));
        QCOMPARE(types("Col2Im", "[5,5]$[1,5]$[1,1]$[0,0,0,0]$[1,1]", {"f32[N,10,5]"}), "f32[N,2,5,5]");
        QCOMPARE(types("Col2Im", "[5,5]$[1,5]$[1,1]$[0,0,0,0]$[1,1]", {"f32[1,9,5]"}),
                 "Col2Im: 9 rows are no multiple of the 5 of a block");
        QCOMPARE(types("Col2Im", "[5,5]$[1,5]$[1,1]$[0,0,0,0]$[1,1]", {"f32[1,10,4]"}),
                 "Col2Im: the image does not have 4 blocks");
        const FakeContext sizes({"f32[1,5,5]", "i64[2]", "i64[2]"}, {{1, {5, 5}}, {2, {1, 5}}});
        QCOMPARE(imported({.type = "Col2Im", .opset = 18, .inputs = {"x", "i", "b"}}, sizes),
                 "[5,5]$[1,5]$[1,1]$[0,0,0,0]$[1,1]");
    }

    void elementsAreChosenByValues() {
        const auto places = run("NonZero", "[2,n]", {array({2, 2}, {1, 0, 1, 1})});
        QCOMPARE(elementsOf(places), (Numbers{0, 1, 1, 0, 0, 1}));
        QCOMPARE(shapeOf(places), (Shape{2, 3}));
        const ArrayPtr data = array({3, 2}, {1, 2, 3, 4, 5, 6});
        const ArrayPtr condition = of(ir::Dtype::Bool, {3}, {0, 1, 1});
        QCOMPARE(elementsOf(run("Compress", "0$[n,2]", {data, condition})), (Numbers{3, 4, 5, 6}));
        QCOMPARE(elementsOf(run("Compress", "-1$[n]", {data, condition})), (Numbers{2, 3}));
        QVERIFY(!run("Compress", "1$[3,n]", {data, condition}).ok());
        const ArrayPtr square = array({4, 4}, {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
        const ArrayPtr lengths = of(ir::Dtype::I64, {4}, {4, 3, 2, 1});
        QCOMPARE(elementsOf(run("ReverseSequence", "0$1", {square, lengths})),
                 (Numbers{3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15}));
        QVERIFY(!run("ReverseSequence", "0$1", {square, of(ir::Dtype::I64, {4}, {5, 3, 2, 1})}).ok());
    }

    void gridsAreSampled() {
        const ArrayPtr image = array({1, 1, 2, 2}, {1, 2, 3, 4});
        const auto at = [&](const char* how, double x, double y) {
            return elementsOf(run("GridSample", how, {image, array({1, 1, 1, 2}, {x, y})}));
        };
        QCOMPARE(at("bilinear$zeros$false", 0, 0), Numbers{2.5});
        QCOMPARE(at("bilinear$zeros$true", -1, -1), Numbers{1});
        QCOMPARE(at("bilinear$zeros$true", 1, -1), Numbers{2});  // across first, then down
        QCOMPARE(at("bilinear$zeros$false", -1, -1), Numbers{0.25});
        QCOMPARE(at("bilinear$border$false", -1, -1), Numbers{1});
        QCOMPARE(at("nearest$border$false", 9, 9), Numbers{4});
        QCOMPARE(at("nearest$zeros$false", 9, 9), Numbers{0});
        QCOMPARE(at("nearest$reflection$false", 1.5, -0.5), Numbers{2});
        QVERIFY(areClose(at("bicubic$border$false", 0, 0), {2.5}));
        QCOMPARE(types("GridSample", "bilinear$zeros$false", {"f32[N,3,H,W]", "f32[N,5,6,2]"}), "f32[N,3,5,6]");
        QCOMPARE(types("GridSample", "bilinear$border$false", {"f32[1,3,0,4]", "f32[1,5,6,2]"}),
                 "GridSample: the image has no elements to sample");
    }

    void determinants() {
        QVERIFY(areClose(elementsOf(run("Det", "", {array({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0})})), {-2, -1}));
        QCOMPARE(types("Det", "", {"f32[N,3,3]"}), "f32[N]");
        QCOMPARE(types("Det", "", {"f32[2,3]"}), "Det takes square matrices");
    }

    void cubicInterpolationKeepsLines() {
        // With a = -1/2 the kernel reproduces straight lines, away from the ends.
        const auto resized =
            elementsOf(run("Resize", "[2.0]$[]$cubic$half_pixel$floor$-0.5$false$[]$0.0", {counting({8})}));
        for (std::size_t i = 4; i < 12; ++i)
            QVERIFY(std::abs(resized[i] - ((static_cast<double>(i) + 0.5) / 2 - 0.5)) < 1e-12);
        // Whatever a is, constants stay constants, also where neighbours are left out.
        const ArrayPtr same = array({5}, {3, 3, 3, 3, 3});
        for (const char* const how : {"[1.7]$[]$cubic$half_pixel$floor$-0.75$false$[]$0.0",
                                      "[1.7]$[]$cubic$half_pixel$floor$-0.75$true$[]$0.0"}) {
            QVERIFY(areClose(elementsOf(run("Resize", how, {same})), Numbers(8, 3.0)));
        }
    }

    void sizesThatInputsSay() {
        QCOMPARE(types("ReshapeTo", "false$[B,S,8]", {"f32[P,8]", "i64[3]"}), "f32[B,S,8]");
        QCOMPARE(types("ReshapeTo", "false$[B,S,8]", {"f32[P,8]", "i64[2]"}), "ReshapeTo takes 3 numbers as shape");
        QCOMPARE(types("ExpandTo", "[2*N,3]", {"f32[3]", "i64[2]"}), "f32[2*N,3]");
        QCOMPARE(types("SliceTo", "[N]", {"f32[2,3]", "i64[1]", "i64[1]"}), "SliceTo: rank 2 cannot become rank 1");
        const auto integers = [](Numbers values) {
            const auto count = static_cast<std::int64_t>(values.size());
            return of(ir::Dtype::I64, {count}, std::move(values));
        };
        QCOMPARE(shapeOf(run("ReshapeTo", "false$[a,b,c]", {counting({2, 6}), integers({0, -1, 3})})),
                 (Shape{2, 2, 3}));
        QCOMPARE(shapeOf(run("ReshapeTo", "true$[a,b]", {counting({0, 6}), integers({3, 0})})), (Shape{3, 0}));
        QVERIFY(!run("ReshapeTo", "false$[a,b]", {counting({2, 6}), integers({5, -1})}).ok());
        QCOMPARE(elementsOf(run("ExpandTo", "[a,b]", {array({2, 1}, {1, 2}), integers({1, 3})})),
                 (Numbers{1, 1, 1, 2, 2, 2}));
        QCOMPARE(elementsOf(run("SliceTo", "[a,b]", {counting({3, 4}), integers({1}), integers({-1}), integers({1})})),
                 (Numbers{1, 2, 5, 6, 9, 10}));
        QCOMPARE(
            elementsOf(run("SliceTo", "[a]", {counting({5}), integers({-1}), integers({-9}), nullptr, integers({-2})})),
            (Numbers{4, 2, 0}));
    }

    void anInputOfUnknownTypeIsThere() {
        const Operator& op = *findOperator("Gemm");
        const Attributes attributes(op);
        SymbolTable symbols;
        std::vector<ArrayType> inputs{type("f32[2,3]", symbols), type("f32[3,4]", symbols), ArrayType::absent()};
        QVERIFY(!(ShapeInput{op, attributes, inputs, symbols}.isPresent(2)));
        inputs[2] = {.dtype = ir::Dtype::Unknown, .hasRank = false};
        QVERIFY((ShapeInput{op, attributes, inputs, symbols}.isPresent(2)));
    }
};

MITOS_TEST(TestLayers)

}  // namespace tst_layers

#include "tst_layers.moc"
