// SPDX-License-Identifier: GPL-3.0-or-later
// Operators on images with the channels last compute what the plain ones compute, in another order of axes.
#include "core/tensor/expand.h"
#include "core/tensor/layout.h"
#include "tests/support/test_program.h"
#include "tests/tensor/operators.h"

#include <QtTest/QTest>

namespace tst_layout {

using namespace mitos;
using namespace mitos::tensor;
using namespace mitos::tensor::test;

namespace {

using Numbers = std::vector<double>;

/// By transposed copies around the plain operator.
std::vector<double> between(const char* plain, const std::string& attributes, std::vector<ArrayPtr> inputs) {
    inputs[0] = run("Transpose", "[0,3,1,2]", {inputs[0]})->front();
    if (inputs.size() > 3) inputs[3] = run("Transpose", "[0,3,1,2]", {inputs[3]})->front();
    const ArrayPtr result = run(plain, attributes, inputs)->front();
    return run("Transpose", "[0,2,3,1]", {result})->front()->elements;
}

}  // namespace

class TestLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Two positions high, two wide, with a small and a large channel.
    void aConvolutionByHand() {
        const ArrayPtr x = array({1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
        const auto pointwise = run("NhwcConv", "[1,1]$[0,0,0,0]$[1,1]$1",
                                   {x, array({3, 2, 1, 1}, {1, 0, 0, 1, 1, 1}), array({3}, {0, 0, 100})});
        QCOMPARE(pointwise->front()->shape, (Shape{1, 2, 2, 3}));
        QCOMPARE(pointwise->front()->elements, (Numbers{1, 10, 111, 2, 20, 122, 3, 30, 133, 4, 40, 144}));
        // The kernel has the axes that it has for Conv: 1 2 3 4 for the small channel, 0 0 0 1 for the large one.
        const ArrayPtr kernel = array({1, 2, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 1});
        QCOMPARE(run("NhwcConv", "[1,1]$[0,0,0,0]$[1,1]$1", {x, kernel})->front()->elements, (Numbers{30 + 40}));
    }

    void poolsByHand() {
        const ArrayPtr x = array({1, 1, 3, 2}, {1, 6, 5, 2, 3, 4});
        const auto largest = run("NhwcMaxPool", "[1,2]$[1,1]$[0,0,0,0]$[1,1]$false", {x});
        QCOMPARE(largest->front()->shape, (Shape{1, 1, 2, 2}));
        QCOMPARE(largest->front()->elements, (Numbers{5, 6, 5, 4}));
        const auto mean = run("NhwcAveragePool", "[1,2]$[1,1]$[0,0,0,0]$false$false", {x});
        QCOMPARE(mean->front()->elements, (Numbers{3, 4, 4, 3}));
        const auto padded = run("NhwcAveragePool", "[1,2]$[1,2]$[0,1,0,0]$false$true", {x});
        QCOMPARE(padded->front()->elements, (Numbers{0.5, 3, 4, 3}));
    }

    void aFusedConvolutionByHand() {
        const ArrayPtr x = array({1, 1, 2, 1}, {1, -2});
        const ArrayPtr w = array({2, 1, 1, 1}, {1, 2});
        const ArrayPtr bias = array({2}, {0, 1});
        const ArrayPtr z = array({1, 1, 2, 2}, {10, 0, 5, 7});
        const std::string relu = "[1,1]$[0,0,0,0]$[1,1]$1$Relu$[]";
        QCOMPARE(run("NhwcFusedConv", relu, {x, w, bias, z})->front()->elements, (Numbers{11, 3, 3, 4}));
        QCOMPARE(run("NhwcFusedConv", relu, {x, w, bias})->front()->elements, (Numbers{1, 3, 0, 0}));
        QCOMPARE(run("NhwcFusedConv", relu, {x, w, nullptr, z})->front()->elements, (Numbers{11, 2, 3, 3}));
        QCOMPARE(run("NhwcFusedConv", "[1,1]$[0,0,0,0]$[1,1]$1$LeakyRelu$[0.5]", {x, w})->front()->elements,
                 (Numbers{1, 2, -1, -2}));
    }

    void attributesMeanTheSame_data() {
        QTest::addColumn<QByteArray>("plain");
        QTest::addColumn<QByteArray>("attributes");
        QTest::newRow("strides and pads") << QByteArray("Conv") << QByteArray("[2,1]$[1,0,0,2]$[1,1]$1");
        QTest::newRow("dilations") << QByteArray("Conv") << QByteArray("[1,1]$[2,1,2,1]$[2,1]$1");
        QTest::newRow("groups") << QByteArray("Conv") << QByteArray("[1,2]$[1,1,1,1]$[1,1]$2");
        QTest::newRow("fused") << QByteArray("FusedConv") << QByteArray("[1,2]$[1,1,1,1]$[1,1]$2$Clip$[-3.0,8.0]");
        QTest::newRow("largest") << QByteArray("MaxPool") << QByteArray("[3,2]$[2,1]$[1,0,1,1]$[1,2]$true");
        QTest::newRow("mean") << QByteArray("AveragePool") << QByteArray("[3,2]$[2,3]$[1,0,1,1]$true$true");
    }
    void attributesMeanTheSame() {
        QFETCH(const QByteArray, plain);
        QFETCH(const QByteArray, attributes);
        Random random(7);
        std::vector<ArrayPtr> inputs{randomIntegers({2, 5, 6, 4}, random)};
        if (plain.endsWith("Conv")) {
            const std::int64_t channels = attributes.contains("$2") && !attributes.contains("[2,1]$1") ? 2 : 4;
            inputs.push_back(randomIntegers({6, channels, 3, 3}, random));
            inputs.push_back(randomIntegers({6}, random));
        }
        const auto result = run("Nhwc" + plain.toStdString(), attributes.toStdString(), inputs);
        QCOMPARE(elementsOf(result), between(plain, attributes.toStdString(), inputs));
    }

    void typesOfResults() {
        const char* const same = "[1,1]$[1,1,1,1]$[1,1]$1";
        QCOMPARE(types("NhwcConv", same, {"f32[N,H,W,8]", "f32[16,8,3,3]"}), "f32[N,H,W,16]");
        QCOMPARE(types("NhwcConv", "[2,2]$[0,0,0,0]$[1,1]$1", {"f32[1,9,7,8]", "f32[16,8,3,3]", "f32[16]"}),
                 "f32[1,4,3,16]");
        QCOMPARE(types("NhwcConv", same, {"f32[...]", "f32[16,8,3,3]"}), "f32[...]");
        QCOMPARE(types("NhwcConv", same, {"f32[1,9,7,8]", "f32[...]"}), "f32[...]");
        QCOMPARE(types("NhwcConv", same, {"f32[1,9,8]", "f32[16,8,3]"}), "NhwcConv takes X[N,H,W,C]; found rank 3");
        QCOMPARE(types("NhwcConv", same, {"f32[1,8,9,7]", "f32[16,8,3,3]"}),
                 "NhwcConv: X has 7 channels, W (with group 1) 8");
        QCOMPARE(types("NhwcMaxPool", "[3,3]$[2,2]$[0,0,0,0]$[1,1]$false", {"f32[N,15,11,C]"}), "f32[N,7,5,C]");
        QCOMPARE(types("NhwcMaxPool", "[3,3]$[2,2]$[0,0,0,0]$[1,1]$false", {"f32[15,11,C]"}),
                 "NhwcMaxPool takes X[N,H,W,C]; found rank 3");
        QCOMPARE(types("NhwcAveragePool", "[3]$[2,2]$[0,0,0,0]$false$false", {"f32[1,9,7,8]"}),
                 "NhwcAveragePool takes 2 numbers as kernel_shape; found 1");
        const std::string fused = std::string(same) + "$Relu$[]";
        QCOMPARE(types("NhwcFusedConv", fused, {"f32[1,9,7,8]", "f32[16,8,3,3]", "", "f32[1,9,7,16]"}),
                 "f32[1,9,7,16]");
        QCOMPARE(types("NhwcFusedConv", fused, {"f32[1,9,7,8]", "f32[16,8,3,3]", "", "f32[1,16,9,7]"}),
                 "NhwcFusedConv: the array that is added does not have the shape of the convolution's result");
    }

    /// A cost model that knows no orders charges the same.
    void workIsThatOfThePlainOperator() {
        const Work work = workOf("NhwcConv", "[1,1]$[1,1,1,1]$[1,1]$1", {"f32[1,5,6,4]", "f32[8,4,3,3]"});
        QCOMPARE(work.flops, 2.0 * 8 * 5 * 6 * 4 * 9);
        QCOMPARE(work.readBytes, 4.0 * (5 * 6 * 4 + 8 * 4 * 9));
        QCOMPARE(work.writtenBytes, 4.0 * 5 * 6 * 8);
        QVERIFY(!work.isView);
        QCOMPARE(workOf("NhwcMaxPool", "[2,2]$[2,2]$[0,0,0,0]$[1,1]$false", {"f32[1,8,6,4]"}).flops, 4.0 * 4 * 3 * 4);
    }

    void plainForms() {
        QCOMPARE(channelsFirstForm(*findOperator("NhwcConv")), findOperator("Conv"));
        QCOMPARE(channelsFirstForm(*findOperator("NhwcFusedConv")), findOperator("FusedConv"));
        QCOMPARE(channelsFirstForm(*findOperator("Conv")), nullptr);
        QVERIFY(!isStandard(*findOperator("NhwcMaxPool")));
    }
};

MITOS_TEST(TestLayout)

}  // namespace tst_layout

#include "tst_layout.moc"
