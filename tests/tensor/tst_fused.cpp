// SPDX-License-Identifier: GPL-3.0-or-later
// Fused operators compute what the operators compute that they stand for.
#include "tests/support/test_program.h"
#include "tests/tensor/operators.h"

#include <QtTest/QTest>

#include <cmath>

namespace tst_fused {

using namespace mitos;
using namespace mitos::tensor;
using namespace mitos::tensor::test;

namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;

}  // namespace

class TestFused : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aConvolutionWithWhatFollows() {
        const ArrayPtr x = array({1, 1, 3}, {1, 2, -3});
        const ArrayPtr w = array({1, 1, 1}, {2});
        const ArrayPtr bias = array({1}, {1});
        const ArrayPtr z = array({1, 1, 3}, {0, -10, 1});
        const std::string window = "[1]$[0,0]$[1]$1$";
        QCOMPARE(run("FusedConv", window + "Relu$[]", {x, w, bias, z})->front()->elements, (Numbers{3, 0, 0}));
        QCOMPARE(run("FusedConv", window + "LeakyRelu$[0.5]", {x, w, bias, nullptr})->front()->elements,
                 (Numbers{3, 5, -2.5}));
        QCOMPARE(run("FusedConv", window + "Clip$[-1.0,4.0]", {x, w})->front()->elements, (Numbers{2, 4, -1}));
        QCOMPARE(run("FusedConv", window + "HardSigmoid$[0.25,0.5]", {x, w})->front()->elements, (Numbers{1, 1, 0}));
        const auto sigmoid = run("FusedConv", window + "Sigmoid$[]", {x, w})->front()->elements;
        QCOMPARE(sigmoid[0], 1.0 / (1.0 + std::exp(-2.0)));
        QCOMPARE(run("FusedConv", window + "Tanh$[]", {x, w})->front()->elements[2], std::tanh(-6.0));
        QCOMPARE(types("FusedConv", window + "Clip$[]", {"f32[1,1,3]", "f32[1,1,1]"}),
                 "FusedConv: Clip has 2 parameters");
        QCOMPARE(types("FusedConv", window + "Relu$[]", {"f32[1,1,3]", "f32[1,1,1]", "", "f32[1,1,2]"}),
                 "FusedConv: the array that is added does not have the shape of the convolution's result");
        QCOMPARE(workOf("FusedConv", window + "Relu$[]", {"f32[1,1,3]", "f32[1,1,1]"}).flops, 2.0 * 3 + 3);
        const OnnxNode node{.domain = "com.microsoft",
                            .type = "FusedConv",
                            .inputs = {"x", "w"},
                            .attributes = {{"activation", std::string("LeakyRelu")},
                                           {"activation_params", Numbers{0.25}},
                                           {"auto_pad", std::string("SAME_UPPER")},
                                           {"kernel_shape", Integers{3}}}};
        QCOMPARE(imported(node, FakeContext({"f32[1,1,5]", "f32[1,1,3]"})), "[1]$[1,1]$[1]$1$LeakyRelu$[0.25]");
    }

    void products() {
        const ArrayPtr a = counting({3, 2}, 1);
        const ArrayPtr b = counting({2, 3}, 1);
        QCOMPARE(run("FusedMatMul", "0.5$true$true", {a, b})->front()->elements, (Numbers{11, 24.5, 14, 32}));
        QCOMPARE(types("FusedMatMul", "1.0$false$true", {"f32[B,8,64,32]", "f32[B,8,64,32]"}), "f32[B,8,64,64]");
        QCOMPARE(types("FusedMatMul", "1.0$true$false", {"f32[3]", "f32[3,2]"}),
                 "FusedMatMul transposes arrays of rank 2 or more");
        QCOMPARE(workOf("FusedMatMul", "1.0$true$false", {"f32[5,2]", "f32[5,3]"}).flops, 2.0 * 2 * 3 * 5);
        QCOMPARE(run("FusedGemm", "1.0$1.0$false$false$Relu$0.0$0.0", {a, b, array({1}, {-20})})->front()->elements,
                 (Numbers{0, 0, 0, 0, 6, 13, 9, 20, 31}));
        OnnxNode node{.domain = "com.microsoft",
                      .type = "FusedMatMul",
                      .inputs = {"a", "b"},
                      .attributes = {{"transA", std::int64_t{1}}, {"transBatchA", std::int64_t{0}}}};
        QCOMPARE(imported(node, FakeContext({"f32[3,2]", "f32[3,2]"})), "1.0$true$false");
        node.attributes["transBatchA"] = std::int64_t{1};
        QCOMPARE(imported(node, FakeContext({"f32[3,2]", "f32[3,2]"})),
                 "FusedMatMul has an unknown attribute transBatchA");
    }

    /// Against the operators that attention is made of, and by hand where it is causal.
    void attentionIsWhatItsPartsCompute() {
        Random random(3);
        const ArrayPtr query = randomIntegers({2, 3, 8}, random);
        const ArrayPtr key = randomIntegers({2, 5, 8}, random);
        const ArrayPtr value = randomIntegers({2, 5, 4}, random);
        const auto heads = [](const ArrayPtr& x) {
            const std::string shape =
                "[2," + std::to_string(x->shape[1]) + ",2," + std::to_string(x->shape[2] / 2) + "]";
            return run("Transpose", "[0,2,1,3]", {run("Reshape", shape, {x})->front()})->front();
        };
        auto scores =
            std::make_shared<Array>(*run("FusedMatMul", "0.5$false$true", {heads(query), heads(key)})->front());
        for (std::size_t row = 0; row < scores->elements.size(); row += 5) {
            double sum = 0.0;
            for (std::size_t i = row; i < row + 5; ++i) sum += scores->elements[i] = std::exp(scores->elements[i]);
            for (std::size_t i = row; i < row + 5; ++i) scores->elements[i] /= sum;
        }
        const auto mixed = run("MatMul", "", {scores, heads(value)});
        const auto expected =
            run("Reshape", "[2,3,4]", {run("Transpose", "[0,2,1,3]", {mixed->front()})->front()})->front();
        const auto result = run("MultiHeadAttention", "2$0.0$false", {query, key, value});  // 1 / sqrt(4)
        QCOMPARE(result->front()->shape, expected->shape);
        for (std::size_t i = 0; i < expected->elements.size(); ++i)
            QVERIFY(std::abs(result->front()->elements[i] - expected->elements[i]) < 1e-12);

        // one head of one number; the bias makes every key 0, so that rows are means of the values before them
        const ArrayPtr x = array({1, 3, 1}, {1, 2, 3});
        const ArrayPtr zero = array({1, 3, 1}, {0, 0, 0});
        const auto causal = run("MultiHeadAttention", "1$1.0$true", {x, zero, x, array({3}, {0, 0, 10})});
        QCOMPARE(causal->front()->elements, (Numbers{11, 11.5, 12}));
    }

    void typesOfAttention() {
        QCOMPARE(
            types("MultiHeadAttention", "12$0.0$false", {"f32[B,S,768]", "f32[B,L,768]", "f32[B,L,768]", "f32[2304]"}),
            "f32[B,S,768]");
        QCOMPARE(types("MultiHeadAttention", "5$0.0$false", {"f32[B,S,768]", "f32[B,L,768]", "f32[B,L,768]"}),
                 "MultiHeadAttention: a width of 768 is no multiple of 5 heads");
        QCOMPARE(types("MultiHeadAttention", "2$0.0$false", {"f32[1,3,8]", "f32[1,5,8]", "f32[1,4,8]"}),
                 "MultiHeadAttention: query, key and value do not fit together");
        QCOMPARE(types("MultiHeadAttention", "2$0.0$false", {"f32[1,3,8]", "f32[1,5,8]", "f32[1,5,4]", "f32[7]"}),
                 "MultiHeadAttention takes a bias of 20 numbers");
        QCOMPARE(workOf("MultiHeadAttention", "2$0.0$false", {"f32[1,3,8]", "f32[1,5,8]", "f32[1,5,4]"}).flops,
                 2.0 * 3 * 5 * 8 + 2.0 * 3 * 5 * 4 + 5.0 * 3 * 5 * 2);
    }

    /// Numbers of ONNX's reference implementation.
    void attentionOfOnnx() {
        const auto steps = [](Shape shape, double first, double step) {
            std::vector<double> elements(static_cast<std::size_t>(elementCount(shape)));
            for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = first + step * static_cast<double>(i);
            return array(std::move(shape), std::move(elements));
        };
        // Two heads of the query share the one of key and value.
        const ArrayPtr q = steps({1, 2, 3, 2}, -2, 0.5);
        const ArrayPtr k = steps({1, 1, 4, 2}, -1, 0.25);
        const ArrayPtr v = counting({1, 1, 4, 2});
        const auto attended = run("Attention", "0$0$0.0$false$0.0", {q, k, v});
        QCOMPARE(attended->front()->shape, (Shape{1, 2, 3, 2}));
        QVERIFY(areClose(elementsOf(attended), {0.760318918699, 1.760318918699, 1.769613068968, 2.769613068968,
                                                3.438074890057, 4.438074890057, 4.831971651975, 5.831971651975,
                                                5.502112810114, 6.502112810114, 5.777481144813, 6.777481144813}));
        // Each row of a mask of truth values has the keys of a query; the second query has none.
        const ArrayPtr mask = array({3, 4}, {1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0}, ir::Dtype::Bool);
        QVERIFY(areClose(elementsOf(run("Attention", "0$0$0.0$false$0.0", {q, k, v, mask})),
                         {0.435885791591, 1.435885791591, 0, 0, 1.088158886698, 2.088158886698, 5.157814702203,
                          6.157814702203, 0, 0, 1.817438627785, 2.817438627785}));
        QVERIFY(areClose(elementsOf(run("Attention", "0$0$0.0$true$0.0", {q, k, v, mask})),
                         {0, 1, 0, 0, 1.088158886698, 2.088158886698, 0, 1, 0, 0, 1.817438627785, 2.817438627785}));
        // A mask of numbers for each head, a scale of 2 and a bound of 1.5.
        QVERIFY(
            areClose(elementsOf(run("Attention", "0$0$2.0$false$1.5", {q, k, v, steps({2, 3, 4}, -1, 0.125)})),
                     {1.373997917906, 2.373997917906, 1.471238537223, 2.471238537223, 4.345339185589, 5.345339185589,
                      5.169020368917, 6.169020368917, 5.097854245304, 6.097854245304, 5.019995781209, 6.019995781209}));
        const auto flat = run("Attention", "4$2$0.0$true$0.0",
                              {steps({1, 2, 8}, -2, 0.25), steps({1, 3, 4}, -1, 0.25), counting({1, 3, 4})});
        QCOMPARE(flat->front()->shape, (Shape{1, 2, 8}));
        QVERIFY(
            areClose(elementsOf(flat), {0, 1, 0, 1, 2, 3, 2, 3, 2.176317773397, 3.176317773397, 2.830505303898,
                                        3.830505303898, 5.323021519084, 6.323021519084, 5.63487725557, 6.63487725557}));
    }

    void typesOfAttentionOfOnnx() {
        const std::string split = "0$0$0.0$false$0.0";
        QCOMPARE(types("Attention", split, {"f32[B,8,S,64]", "f32[B,2,L,64]", "f32[B,2,L,32]", "bool[S,L]"}),
                 "f32[B,8,S,32]");
        QCOMPARE(types("Attention", "8$2$0.0$false$0.0", {"f32[B,S,512]", "f32[B,L,128]", "f32[B,L,64]"}),
                 "f32[B,S,256]");
        QCOMPARE(types("Attention", split, {"f32[1,3,4,2]", "f32[1,2,4,2]", "f32[1,2,4,2]"}),
                 "Attention: the heads of the query are no multiple of those of the key");
        QCOMPARE(types("Attention", split, {"f32[1,2,4,2]", "f32[1,0,4,2]", "f32[1,0,4,2]"}),
                 "Attention: the heads of the query are no multiple of those of the key");
        QCOMPARE(types("Attention", split, {"f32[1,4,8]", "f32[1,4,8]", "f32[1,4,8]"}),
                 "Attention takes numbers of heads for arrays [batch,length,width], and only for these");
        // A mask has a number for each key.
        QCOMPARE(types("Attention", split, {"f32[1,2,4,2]", "f32[1,2,4,2]", "f32[1,2,4,2]", "f32[4,1]"}),
                 "Attention takes a mask that broadcasts to [batch,heads,queries,keys]");
        QCOMPARE(types("Attention", split, {"f32[1,2,4,2]", "f32[1,2,4,2]", "f32[1,2,4,2]", "i64[4,4]"}),
                 "Attention takes a mask of bool or f32; found i64");
        QCOMPARE(workOf("Attention", "4$2$0.0$false$0.0", {"f32[1,3,8]", "f32[1,5,4]", "f32[1,5,4]"}).flops,
                 2.0 * 5 * (3 * 8 + 3 * 8) + 5.0 * 4 * 3 * 5);
        QCOMPARE(workOf("Attention", split, {"f32[1,4,3,2]", "f32[1,2,5,2]", "f32[1,2,5,2]"}).flops,
                 2.0 * 5 * (3 * 8 + 3 * 8) + 5.0 * 4 * 3 * 5);
    }

    void formsOfAttentionOfOnnx() {
        const FakeContext flat({"f32[1,3,8]", "f32[1,5,4]", "f32[1,5,4]"});
        const FakeContext split({"f32[1,4,3,2]", "f32[1,2,5,2]", "f32[1,2,5,2]"});
        OnnxNode node{.type = "Attention",
                      .opset = 23,
                      .inputs = {"q", "k", "v"},
                      .outputs = {"y"},
                      .attributes = {{"q_num_heads", std::int64_t{4}},
                                     {"kv_num_heads", std::int64_t{2}},
                                     {"qk_matmul_output_mode", std::int64_t{2}},
                                     {"softmax_precision", std::int64_t{1}}}};
        QCOMPARE(imported(node, flat), "4$2$0.0$false$0.0");
        QCOMPARE(imported(node, split), "0$0$0.0$false$0.0");
        node.attributes["q_num_heads"] = std::int64_t{2};
        QCOMPARE(imported(node, split), "Attention with another number of heads than its axis has is not supported");
        node.attributes = {{"softmax_precision", std::int64_t{10}}};
        QCOMPARE(imported(node, split), "Attention with a softmax of another precision is not supported");
        node.attributes = {{"scale", 0.0}};
        QCOMPARE(imported(node, split), "Attention with a scale of 0 or less is not supported");
        node.attributes = {{"right_window_size", std::int64_t{1}}};
        QCOMPARE(imported(node, split), "Attention to windows of keys is not supported");
        node.attributes = {};
        node.outputs = {"y", "", "", "scores"};
        QCOMPARE(imported(node, split), "Attention whose keys, values or scores are used too is not supported");
        node.inputs = {"q", "k", "v", "", "p", "r"};
        QCOMPARE(imported(node, split), "Attention with a past is not supported");
        const Operator& op = *findOperator("Attention");
        QVERIFY(op.onnx.exportNode(attributes(op, "0$0$0.0$true$0.0"), {}).attributes ==
                (decltype(Exported::attributes){{"is_causal", std::int64_t{1}}}));
    }
};

MITOS_TEST(TestFused)

}  // namespace tst_fused

#include "tst_fused.moc"
