// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices, convolutions and pools: by hand, and against loops that follow the definitions.
#include "tests/support/test_program.h"
#include "tests/tensor/operators.h"

#include <QtTest/QTest>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace tst_linear {

using namespace mitos;
using namespace mitos::tensor;
using namespace mitos::tensor::test;

namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;

/// The element of an image at a place that may lie outside of it, in the padding.
double at(const Array& image, std::int64_t plane, const Integers& place) {
    std::int64_t index = plane;
    for (std::size_t i = 0; i < place.size(); ++i) {
        if (place[i] < 0 || place[i] >= image.shape[i + 2]) return 0.0;
        index = index * image.shape[i + 2] + place[i];
    }
    return image.elements[static_cast<std::size_t>(index)];
}

/// Every index of a shape, in order.
std::vector<Integers> indices(const Shape& shape) {
    std::vector<Integers> all{{}};
    for (const std::int64_t size : shape) {
        std::vector<Integers> longer;
        for (const Integers& index : all) {
            for (std::int64_t i = 0; i < size; ++i) {
                longer.push_back(index);
                longer.back().push_back(i);
            }
        }
        all = std::move(longer);
    }
    return all;
}

struct ConvCase {
    Shape x;
    Shape w;
    Integers strides;
    Integers pads;
    Integers dilations;
    std::int64_t group = 1;
    bool hasBias = false;

    [[nodiscard]] std::string text() const {
        return fmt::format("[{}]$[{}]$[{}]$", fmt::join(strides, ","), fmt::join(pads, ","), fmt::join(dilations, ","));
    }
};

ConvCase randomCase(Random& random) {
    ConvCase made;
    const auto rank = static_cast<std::size_t>(random.integer(1, 3));
    made.group = random.integer(1, 3);
    made.hasBias = random.chance(0.5);
    const std::int64_t channels = random.integer(1, 3);  // of a group
    made.x = {random.integer(1, 2), channels * made.group};
    made.w = {made.group * random.integer(1, 3), channels};
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t kernel = random.integer(1, 3);
        made.w.push_back(kernel);
        made.strides.push_back(random.integer(1, 3));
        made.dilations.push_back(random.integer(1, 2));
        made.x.push_back((kernel - 1) * made.dilations.back() + random.integer(1, 5));
    }
    for (std::size_t i = 0; i < 2 * rank; ++i) made.pads.push_back(random.integer(0, 2));
    return made;
}

/// The definition: each output is a sum over the channels of its group and the positions of its window.
Numbers convolved(const ConvCase& made, const Array& x, const Array& w, const Array* bias, const Shape& result) {
    Numbers elements;
    const Shape kernel(made.w.begin() + 2, made.w.end());
    const std::int64_t features = made.w[0] / made.group;
    const std::vector<Integers> offsets = indices(kernel);
    for (const Integers& index : indices(result)) {
        const std::int64_t filter = index[1];
        double sum = bias != nullptr ? bias->elements[static_cast<std::size_t>(filter)] : 0.0;
        for (std::int64_t channel = 0; channel < made.w[1]; ++channel) {
            const std::int64_t plane = index[0] * made.x[1] + filter / features * made.w[1] + channel;
            for (const Integers& offset : offsets) {
                Integers place;
                for (std::size_t i = 0; i < kernel.size(); ++i)
                    place.push_back(index[i + 2] * made.strides[i] - made.pads[i] + offset[i] * made.dilations[i]);
                sum += at(x, plane, place) * at(w, filter * made.w[1] + channel, offset);
            }
        }
        elements.push_back(sum);
    }
    return elements;
}

}  // namespace

class TestLinear : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matricesAreMultiplied() {
        const auto product = run("MatMul", "", {counting({2, 3}, 1), counting({3, 2}, 1)});
        QCOMPARE(product->front()->elements, (Numbers{22, 28, 49, 64}));
        const auto vectors = run("MatMul", "", {counting({3}, 1), counting({3}, 4)});
        QCOMPARE(vectors->front()->shape, Shape{});
        QCOMPARE(vectors->front()->elements, Numbers{32});
        const auto row = run("MatMul", "", {counting({3}, 1), counting({3, 2}, 1)});
        QCOMPARE(row->front()->shape, Shape{2});
        QCOMPARE(row->front()->elements, (Numbers{22, 28}));
        const auto column = run("MatMul", "", {counting({2, 2, 2}), counting({2}, 1)});
        QCOMPARE(column->front()->shape, (Shape{2, 2}));
        QCOMPARE(column->front()->elements, (Numbers{2, 8, 14, 20}));
    }

    void productsOfIntegersWrapAround() {
        const ArrayPtr large = array({1, 2}, {100, 100}, ir::Dtype::U8);
        const ArrayPtr two = array({2, 1}, {2, 1}, ir::Dtype::U8);
        QCOMPARE(run("MatMul", "", {large, two})->front()->elements, Numbers{300 - 256});
    }

    void batchesOfMatricesBroadcast() {
        Random random(7);
        const ArrayPtr a = randomIntegers({2, 1, 3, 4}, random);
        const ArrayPtr b = randomIntegers({5, 4, 2}, random);
        const auto product = run("MatMul", "", {a, b});
        QCOMPARE(product->front()->shape, (Shape{2, 5, 3, 2}));
        std::size_t next = 0;
        for (const Integers& i : indices({2, 5, 3, 2})) {
            double sum = 0.0;
            for (std::int64_t k = 0; k < 4; ++k)
                sum += a->elements[static_cast<std::size_t>((i[0] * 3 + i[2]) * 4 + k)] *
                       b->elements[static_cast<std::size_t>((i[1] * 4 + k) * 2 + i[3])];
            QCOMPARE(product->front()->elements[next++], sum);
        }
    }

    void gemmScalesTransposesAndAdds() {
        const ArrayPtr a = counting({3, 2}, 1);  // transposed: 1 3 5, 2 4 6
        const ArrayPtr b = counting({2, 3}, 1);  // transposed: 1 4, 2 5, 3 6
        QCOMPARE(run("Gemm", "1.0$1.0$true$true", {a, b})->front()->elements, (Numbers{22, 49, 28, 64}));
        QCOMPARE(run("Gemm", "0.5$2.0$false$false", {a, b, array({3, 1}, {1, 10, 100})})->front()->elements,
                 (Numbers{6.5, 8, 9.5, 29.5, 33, 36.5, 214.5, 220, 225.5}));
        QCOMPARE(run("Gemm", "1.0$1.0$true$true", {a, b, array({2}, {1, 2})})->front()->elements,
                 (Numbers{23, 51, 29, 66}));
        QCOMPARE(run("Gemm", "1.0$1.0$true$true", {a, b, array({}, {1})})->front()->elements,
                 (Numbers{23, 50, 29, 65}));
    }

    void typesOfProducts() {
        QCOMPARE(types("MatMul", "", {"f32[N,64,128]", "f32[128,M]"}), "f32[N,64,M]");
        QCOMPARE(types("MatMul", "", {"f32[...]", "f32[128,M]"}), "f32[...]");
        QCOMPARE(types("MatMul", "", {"f32[2,3]", "f32[4,5]"}), "MatMul: the inner sizes 3 and 4 differ");
        QCOMPARE(types("MatMul", "", {"f32[2,3]", "f64[3,5]"}),
                 "MatMul takes arrays of one element type; found f32 and f64");
        QCOMPARE(types("MatMul", "", {"f32[]", "f32[4,5]"}), "MatMul takes arrays of rank 1 or more; found a scalar");
        QCOMPARE(types("Gemm", "1.0$1.0$true$false", {"f32[K,N]", "f32[K,7]", "f32[7]"}), "f32[N,7]");
        QCOMPARE(types("Gemm", "1.0$1.0$false$false", {"f32[2,3]", "f32[3,7]", "f32[3]"}),
                 "Gemm: C does not broadcast to the product of 2 times 7");
        QCOMPARE(workOf("MatMul", "", {"f32[8,64,128]", "f32[128,32]"}).flops, 2.0 * 8 * 64 * 128 * 32);
        QCOMPARE(workOf("Gemm", "1.0$1.0$true$false", {"f32[128,64]", "f32[128,32]"}).flops, 2.0 * 64 * 128 * 32);
        QCOMPARE(workOf("Gemm", "1.0$1.0$false$false", {"f32[1,4]", "f32[4,2]", "f32[2]"}).flops, 18.0);
    }

    void aConvolutionByHand() {
        // 3x3 image 0 … 8, a filter of ones with a border: sums of neighbours
        const auto ones = array({1, 1, 3, 3}, Numbers(9, 1.0));
        const auto sums = run("Conv", "[1,1]$[1,1,1,1]$[1,1]$1", {counting({1, 1, 3, 3}), ones});
        QCOMPARE(sums->front()->elements, (Numbers{8, 15, 12, 21, 36, 27, 20, 33, 24}));
        const auto biased = run("Conv", "[2,2]$[0,0,0,0]$[1,1]$1",
                                {counting({1, 1, 3, 3}), array({2, 1, 1, 1}, {1, -1}), array({2}, {10, 0})});
        QCOMPARE(biased->front()->shape, (Shape{1, 2, 2, 2}));
        QCOMPARE(biased->front()->elements, (Numbers{10, 12, 16, 18, 0, -2, -6, -8}));
    }

    void convolutionsFollowTheirDefinition() {
        Random random(2026);
        for (int round = 0; round < 150; ++round) {
            const ConvCase made = randomCase(random);
            const ArrayPtr x = randomIntegers(made.x, random);
            const ArrayPtr w = randomIntegers(made.w, random);
            std::vector<ArrayPtr> inputs{x, w};
            if (made.hasBias) inputs.push_back(randomIntegers({made.w[0]}, random));
            const auto result = run("Conv", fmt::format("{}{}", made.text(), made.group), inputs);
            QVERIFY2(result.ok(), result ? "" : result.error().message.c_str());
            const Array& y = *result->front();
            QCOMPARE(y.elements, convolved(made, *x, *w, made.hasBias ? inputs[2].get() : nullptr, y.shape));
        }
    }

    /// <conv(y, w), x> = <y, convTranspose(x, w)>: one is the transpose of the other as a linear map.
    void transposedConvolutionsAreTheTransposes() {
        Random random(99);
        for (int round = 0; round < 100; ++round) {
            ConvCase made = randomCase(random);
            const ArrayPtr y = randomIntegers(made.x, random);
            const ArrayPtr w = randomIntegers(made.w, random);
            const auto forward = run("Conv", fmt::format("{}{}", made.text(), made.group), {y, w});
            const ArrayPtr x = randomIntegers(forward->front()->shape, random);
            Integers rest;  // what rounding cut off
            for (std::size_t i = 2; i < made.x.size(); ++i) {
                const std::int64_t extent = (made.w[i] - 1) * made.dilations[i - 2] + 1;
                const std::int64_t padded = made.x[i] + made.pads[i - 2] + made.pads[i - 2 + made.strides.size()];
                rest.push_back((padded - extent) % made.strides[i - 2]);
            }
            const auto back =
                run("ConvTranspose", fmt::format("{}[{}]${}", made.text(), fmt::join(rest, ","), made.group), {x, w});
            QVERIFY2(back.ok(), back ? "" : back.error().message.c_str());
            QCOMPARE(back->front()->shape, made.x);
            double left = 0.0;
            double right = 0.0;
            for (std::size_t i = 0; i < x->elements.size(); ++i) left += forward->front()->elements[i] * x->elements[i];
            for (std::size_t i = 0; i < y->elements.size(); ++i) right += y->elements[i] * back->front()->elements[i];
            QCOMPARE(left, right);
        }
    }

    void aTransposedConvolutionByHand() {
        const auto y = run("ConvTranspose", "[2]$[0,0]$[1]$[1]$1",
                           {array({1, 1, 2}, {1, 2}), array({1, 2, 2}, {1, 10, 100, 1000}), array({2}, {0, 5})});
        QCOMPARE(y->front()->shape, (Shape{1, 2, 5}));
        QCOMPARE(y->front()->elements, (Numbers{1, 10, 2, 20, 0, 105, 1005, 205, 2005, 5}));
    }

    void typesOfConvolutions() {
        QCOMPARE(types("Conv", "[2,2]$[3,3,3,3]$[1,1]$1", {"f32[N,3,224,224]", "f32[64,3,7,7]", "f32[64]"}),
                 "f32[N,64,112,112]");
        QCOMPARE(types("Conv", "[1,1]$[1,1,1,1]$[1,1]$1", {"f32[1,3,H,W]", "f32[8,3,3,3]"}), "f32[1,8,H,W]");
        QCOMPARE(types("Conv", "[2]$[0,0]$[1]$1", {"f32[1,3,L]", "f32[8,3,3]"}), "f32[1,8,(L+1)/2-1]");
        QCOMPARE(types("ConvTranspose", "[2]$[0,0]$[1]$[0]$2", {"f32[1,4,L]", "f32[4,3,2]"}), "f32[1,6,2*L]");
        QCOMPARE(types("Conv", "[1]$[0,0]$[1]$1", {"f32[1,3,9]", "f32[8,4,3]"}),
                 "Conv: X has 3 channels, W (with group 1) 4");
        QCOMPARE(types("Conv", "[1]$[0,0]$[1]$3", {"f32[1,3,9]", "f32[8,1,3]"}),
                 "Conv: 8 channels in W are no multiple of group 3");
        QCOMPARE(types("Conv", "[1]$[0,1]$[2]$1", {"f32[1,3,3]", "f32[8,3,3]"}),
                 "Conv: a window of 5 does not fit into a padded size of 4");
        QCOMPARE(types("Conv", "[0]$[0,0]$[1]$1", {"f32[1,3,9]", "f32[8,3,3]"}), "Conv: strides of 0 are less than 1");
        QCOMPARE(types("Conv", "[1,1]$[0,0]$[1]$1", {"f32[1,3,9]", "f32[8,3,3]"}),
                 "Conv takes 1 numbers as strides; found 2");
        QCOMPARE(types("Conv", "[1]$[0,0]$[1]$1", {"f32[1,3,9]", "f32[8,3,3]", "f32[7]"}),
                 "Conv takes a bias with one number for each of 8 channels");
        QCOMPARE(types("Conv", "[1]$[0,0]$[1]$1", {"f32[1,3,9]", "f32[8,3,3,3]"}),
                 "Conv takes X and W of one rank; found 3 and 4");
        // 2 * outputs * channels * kernel, plus the bias
        QCOMPARE(workOf("Conv", "[2,2]$[3,3,3,3]$[1,1]$1", {"f32[1,3,224,224]", "f32[64,3,7,7]", "f32[64]"}).flops,
                 2.0 * 64 * 112 * 112 * 3 * 49 + 64 * 112 * 112);
        QCOMPARE(workOf("Conv", "[1]$[1,1]$[1]$4", {"f32[1,8,10]", "f32[8,2,3]"}).flops, 2.0 * 8 * 10 * 2 * 3);
        QCOMPARE(workOf("ConvTranspose", "[2]$[0,0]$[1]$[0]$1", {"f32[1,4,10]", "f32[4,3,2]"}).flops,
                 2.0 * 4 * 10 * 3 * 2);
    }

    void poolsByHand() {
        const ArrayPtr x = counting({1, 1, 3, 3});
        QCOMPARE(run("MaxPool", "[2,2]$[1,1]$[0,0,0,0]$[1,1]$false", {x})->front()->elements, (Numbers{4, 5, 7, 8}));
        QCOMPARE(run("MaxPool", "[2,2]$[1,1]$[0,0,0,0]$[2,2]$false", {x})->front()->elements, Numbers{8});
        const ArrayPtr negative = array({1, 1, 2}, {-1, -2});  // padding is not larger than them
        QCOMPARE(run("MaxPool", "[2]$[1]$[1,0]$[1]$false", {negative})->front()->elements, (Numbers{-1, -1}));
        QCOMPARE(run("AveragePool", "[2,2]$[2,2]$[1,1,0,0]$false$false", {x})->front()->elements,
                 (Numbers{0, 1.5, 4.5, 6}));
        QCOMPARE(run("AveragePool", "[2,2]$[2,2]$[1,1,0,0]$false$true", {x})->front()->elements,
                 (Numbers{0, 0.75, 2.25, 6}));
        // rounded up, a last window reaches beyond the end
        QCOMPARE(run("MaxPool", "[2,2]$[2,2]$[0,0,0,0]$[1,1]$true", {x})->front()->elements, (Numbers{4, 5, 7, 8}));
        QCOMPARE(run("AveragePool", "[2,2]$[2,2]$[0,0,0,0]$true$true", {x})->front()->elements,
                 (Numbers{2, 3.5, 6.5, 8}));
        // More positions than a whole number counts.
        const auto wide = run("AveragePool",
                              "[2000000000,2000000000,2000000000]$[1,1,1]$[1999999999,1999999999,1999999999,0,0,0]"
                              "$false$true",
                              {array({1, 1, 1, 1, 1}, {8})});
        QVERIFY(wide.ok());
        QVERIFY(std::abs(wide->front()->elements.at(0) / 1e-27 - 1.0) < 1e-12);
        QCOMPARE(run("LpPool", "[2]$[1]$[0,0]$2", {array({1, 1, 3}, {3, -4, 0})})->front()->elements, (Numbers{5, 4}));
        const ArrayPtr two = array({1, 2, 1, 2}, {3, -4, 1, 2});
        QCOMPARE(run("GlobalMaxPool", "", {two})->front()->elements, (Numbers{3, 2}));
        QCOMPARE(run("GlobalAveragePool", "", {two})->front()->elements, (Numbers{-0.5, 1.5}));
        QCOMPARE(run("GlobalLpPool", "1", {two})->front()->elements, (Numbers{7, 3}));
        QCOMPARE(run("GlobalLpPool", "1", {two})->front()->shape, (Shape{1, 2, 1, 1}));
    }

    void placesOfTheLargest() {
        const ArrayPtr x = array({1, 2, 2, 3}, {1, 5, 2, 5, 0, 3, -1, -2, -3, -1, -5, -6});
        const auto found = run("MaxPoolWithIndices", "[2,2]$[1,1]$[0,1,0,0]$[1,1]$false", {x});
        QVERIFY(found.ok());
        QCOMPARE((*found)[0]->elements, (Numbers{5, 5, 5, -1, -1, -2}));
        QCOMPARE((*found)[1]->elements, (Numbers{3, 1, 1, 6, 6, 7}));  // of equal ones the first
        QCOMPARE((*found)[1]->dtype, ir::Dtype::I64);
        QCOMPARE(types("MaxPoolWithIndices", "[2]$[2]$[0,0]$[1]$false", {"f32[N,3,8]"}), "f32[N,3,4] i64[N,3,4]");
        // Only positions inside the input are gone through.
        const auto wide = run("MaxPoolWithIndices", "[2000000000]$[1999999999]$[1999999999,1999999999]$[1]$false",
                              {array({1, 1, 1}, {7})});
        QVERIFY(wide.ok());
        QCOMPARE((*wide)[0]->elements, (Numbers{7, 7}));
        QCOMPARE((*wide)[1]->elements, (Numbers{0, 0}));
    }

    void typesOfPools() {
        QCOMPARE(types("MaxPool", "[3,3]$[2,2]$[1,1,1,1]$[1,1]$false", {"f32[N,64,112,112]"}), "f32[N,64,56,56]");
        QCOMPARE(types("MaxPool", "[3,3]$[2,2]$[0,0,0,0]$[1,1]$true", {"f32[1,64,54,54]"}), "f32[1,64,27,27]");
        QCOMPARE(types("MaxPool", "[1]$[2]$[0,0]$[1]$true", {"f32[1,1,4]"}),
                 "f32[1,1,2]");  // the third would be outside
        QCOMPARE(types("GlobalAveragePool", "", {"f32[N,64,H,W]"}), "f32[N,64,1,1]");
        QCOMPARE(types("AveragePool", "[2]$[1]$[2,0]$false$false", {"f32[1,1,4]"}),
                 "AveragePool: a window of 2 can lie entirely in the padding");
        QCOMPARE(types("AveragePool", "[2,2]$[1]$[0,0]$false$false", {"f32[1,1,4]"}),
                 "AveragePool takes 1 numbers as kernel_shape; found 2");
        QCOMPARE(types("MaxPool", "[2]$[9223372036854775807]$[0,0]$[1]$false", {"f32[1,1,4]"}),
                 "MaxPool: no number may be more than 2147483648");
        QCOMPARE(types("MaxPool", "[0]$[1]$[0,0]$[1]$false", {"f32[1,1,4]"}), "MaxPool: the window is empty");
    }

    void onnxNodesGetExplicitPads() {
        const FakeContext context({"f32[1,3,5,6]", "f32[8,3,3,2]"});
        OnnxNode node{.domain = "", .type = "Conv", .inputs = {"x", "w"}};
        QCOMPARE(imported(node, context), "[1,1]$[0,0,0,0]$[1,1]$1");
        node.attributes = {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Integers{2, 1}}};
        QCOMPARE(imported(node, context), "[2,1]$[1,0,1,1]$[1,1]$1");
        node.attributes["auto_pad"] = std::string("SAME_LOWER");
        QCOMPARE(imported(node, context), "[2,1]$[1,1,1,0]$[1,1]$1");
        QCOMPARE(imported(node, FakeContext({"f32[1,3,H,6]", "f32[8,3,3,2]"})),
                 "auto_pad of Conv depends on an unknown size");
        QCOMPARE(imported(node, FakeContext({"f32[1,3,5,6]", "f32[8,3,K,2]"})), "the sizes of the kernel are unknown");
        const OnnxNode transposed{.domain = "",
                                  .type = "ConvTranspose",
                                  .inputs = {"x", "w"},
                                  .attributes = {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Integers{2}}}};
        QCOMPARE(imported(transposed, FakeContext({"f32[1,1,3]", "f32[1,1,3]"})), "[2]$[0,1]$[1]$[0]$1");
        OnnxNode sized = transposed;
        sized.attributes = {{"strides", Integers{3, 2}}, {"output_shape", Integers{10, 4}}};
        QCOMPARE(imported(sized, FakeContext({"f32[1,1,3,3]", "f32[1,2,3,3]"})),
                 "[3,2]$[0,2,0,1]$[1,1]$[1,0]$1");  // 9 and 7 without pads
        const OnnxNode pool{.domain = "",
                            .type = "AveragePool",
                            .inputs = {"x"},
                            .attributes = {{"kernel_shape", Integers{2, 2}}, {"count_include_pad", std::int64_t{1}}}};
        QCOMPARE(imported(pool, context), "[2,2]$[1,1]$[0,0,0,0]$false$true");
        const OnnxNode indices{.domain = "",
                               .type = "MaxPool",
                               .inputs = {"x"},
                               .outputs = {"y", "i"},
                               .attributes = {{"kernel_shape", Integers{2, 2}}}};
        QCOMPARE(imported(indices, context), "MaxPool has indices as its second output");
        const Operator& indexed = *findOperator("MaxPoolWithIndices");
        const auto read = indexed.onnx.import(indexed, indices, context);
        QVERIFY(read.ok());
        QCOMPARE(read->attributes.text(), "[2,2]$[1,1]$[0,0,0,0]$[1,1]$false");
    }
};

MITOS_TEST(TestLinear)

}  // namespace tst_linear

#include "tst_linear.moc"
