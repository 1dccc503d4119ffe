// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that work on slices: reductions, what goes along an axis, softmax, normalization.
#include "tests/support/test_program.h"
#include "tests/tensor/operators.h"

#include <QtTest/QTest>

#include <cmath>
#include <numeric>

namespace tst_reduce {

using namespace mitos;
using namespace mitos::tensor;
using namespace mitos::tensor::test;
using ir::Dtype;

class TestReduce : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reductions() {
        const ArrayPtr x = array({2, 3}, {1, 2, 3, -4, 5, -6});
        const auto rows = [&x](const char* name) { return elementsOf(run(name, "[1]$false", {x})); };
        QCOMPARE(rows("ReduceSum"), (std::vector<double>{6, -5}));
        QVERIFY(areClose(rows("ReduceMean"), {2, -5.0 / 3}));
        QCOMPARE(rows("ReduceMax"), (std::vector<double>{3, 5}));
        QCOMPARE(rows("ReduceMin"), (std::vector<double>{1, -6}));
        QCOMPARE(rows("ReduceProd"), (std::vector<double>{6, 120}));
        QCOMPARE(rows("ReduceL1"), (std::vector<double>{6, 15}));
        QVERIFY(areClose(rows("ReduceL2"), {3.741657386774, std::sqrt(77.0)}));
        QCOMPARE(rows("ReduceSumSquare"), (std::vector<double>{14, 77}));
        QVERIFY(areClose(rows("ReduceLogSum"), {1.791759469228, std::nan("")}));
        QVERIFY(std::abs(rows("ReduceLogSumExp")[0] - 3.407605964444) < 1e-10);
        QCOMPARE(elementsOf(run("ReduceLogSumExp", "[0]$false", {array({2}, {1000, 1000})})).front(),
                 1000 + std::log(2.0));  // nothing overflows
        QCOMPARE(elementsOf(run("ReduceSum", "[0]$true", {x})), (std::vector<double>{-3, 7, -3}));
        QCOMPARE(run("ReduceSum", "[0]$true", {x})->front()->shape, (Shape{1, 3}));
        QCOMPARE(elementsOf(run("ReduceSum", "[0,1]$false", {x})), std::vector<double>{1});
        QCOMPARE(elementsOf(run("ReduceSum", "[]$true", {x})), x->elements);
        QCOMPARE(elementsOf(run("ReduceSum", "[0,2]$false", {counting({2, 2, 2})})), (std::vector<double>{10, 18}));
        QCOMPARE(elementsOf(run("ReduceMean", "[0]$false", {array({2}, {1, 2}, Dtype::I64)})), std::vector<double>{1});
    }

    void shapesOfReductions() {
        QCOMPARE(types("ReduceSum", "[1]$true", {"f32[N,3,M]"}), std::string("f32[N,1,M]"));
        QCOMPARE(types("ReduceSum", "[0,1]$false", {"f32[N,3,M]"}), std::string("f32[M]"));
        QCOMPARE(types("ReduceSum", "[1]$true", {"f32[...]"}), std::string("f32[...]"));
        QVERIFY(types("ReduceSum", "[3]$true", {"f32[N,3,M]"}).find('[') == std::string::npos);
        QCOMPARE(types("ReduceSum", "[1,0]$true", {"f32[N,3]"}),
                 std::string("ReduceSum takes axes in rising order; found [1,0]"));
        QCOMPARE(types("ArgMax", "1$false$false", {"f32[N,3]"}), std::string("i64[N]"));
        QCOMPARE(types("CumSum", "0$false$false", {"i32[N]"}), std::string("i32[N]"));
        QCOMPARE(types("TopK", "1$2$true$true", {"f32[N,3]"}), std::string("f32[N,2] i64[N,2]"));
        QCOMPARE(types("TopK", "1$4$true$true", {"f32[N,3]"}), std::string("TopK cannot take 4 elements of 3"));
        QCOMPARE(types("TopK", "0$4$true$true", {"f32[N,3]"}), std::string("f32[4,3] i64[4,3]"));
        QCOMPARE(types("Softmax", "1", {"f32[N,M]"}), std::string("f32[N,M]"));
        QVERIFY(types("Softmax", "2", {"f32[N,M]"}).find('[') == std::string::npos);
        QCOMPARE(types("BatchNormalization", "1e-05", {"f32[N,C,H]", "f32[C]", "f32[C]", "f32[C]", "f32[C]"}),
                 std::string("f32[N,C,H]"));
        QCOMPARE(types("BatchNormalization", "1e-05", {"f32[N,4]", "f32[4]", "f32[3]", "f32[4]", "f32[4]"}),
                 std::string("BatchNormalization takes 4 numbers as B, one for each channel"));
        QCOMPARE(types("LayerNormalization", "1$1e-05$3", {"f16[N,3,M]", "f16[3,M]"}),
                 std::string("f16[N,3,M] f32[N,1,1] f32[N,1,1]"));
        QCOMPARE(types("LayerNormalization", "1$1e-05$1", {"f32[2,1]", "f32[3]"}),
                 std::string("LayerNormalization takes Scale and B that broadcast to X"));
        QCOMPARE(types("LayerNormalization", "0$1e-05$1", {"f32[3]", "f32[2,3]"}),
                 std::string("LayerNormalization takes Scale and B that broadcast to X"));
        QCOMPARE(types("RMSNormalization", "1$1e-05", {"f16[N,3,M]", "f16[3,M]"}), std::string("f16[N,3,M]"));
        QCOMPARE(types("RMSNormalization", "0$1e-05", {"f32[3]", "f32[2,3]"}),
                 std::string("RMSNormalization takes a scale that broadcasts to X"));
        QCOMPARE(types("LRN", "0.0001$0.75$1.0$0", {"f32[1,2]"}),
                 std::string("LRN takes a size of 1 or more; found 0"));
    }

    void alongAnAxis() {
        const ArrayPtr x = array({2, 3}, {2, 2, 1, 3, 4, 4});
        QCOMPARE(elementsOf(run("ArgMax", "1$false$false", {x})), (std::vector<double>{0, 1}));
        QCOMPARE(elementsOf(run("ArgMax", "1$false$true", {x})), (std::vector<double>{1, 2}));
        QCOMPARE(elementsOf(run("ArgMin", "0$true$false", {x})), (std::vector<double>{0, 0, 0}));
        QCOMPARE(elementsOf(run("CumSum", "1$false$false", {x})), (std::vector<double>{2, 4, 5, 3, 7, 11}));
        QCOMPARE(elementsOf(run("CumSum", "1$true$false", {x})), (std::vector<double>{0, 2, 4, 0, 3, 7}));
        QCOMPARE(elementsOf(run("CumSum", "1$false$true", {x})), (std::vector<double>{5, 3, 1, 11, 8, 4}));
        QCOMPARE(elementsOf(run("CumSum", "0$true$true", {x})), (std::vector<double>{3, 4, 4, 0, 0, 0}));
        const Result<std::vector<ArrayPtr>> top = run("TopK", "1$2$true$true", {x});
        QCOMPARE(elementsOf(top), (std::vector<double>{2, 2, 4, 4}));
        QCOMPARE(elementsOf(top, 1), (std::vector<double>{0, 1, 1, 2}));
        QCOMPARE(elementsOf(run("TopK", "0$1$false$true", {x})), (std::vector<double>{2, 2, 1}));
        QVERIFY(!run("ArgMax", "0$false$false", {array({0}, {})}).ok());
    }

    void softmax() {
        const ArrayPtr x = array({1, 3}, {1, 2, 3});
        QVERIFY(areClose(elementsOf(run("Softmax", "1", {x})), {0.09003057317, 0.244728471055, 0.665240955775}));
        QVERIFY(areClose(elementsOf(run("Softmax", "0", {x})), {1, 1, 1}));
        QVERIFY(areClose(elementsOf(run("LogSoftmax", "1", {x})), {-2.4076059644, -1.4076059644, -0.4076059644}));
        QCOMPARE(elementsOf(run("Hardmax", "1", {array({2, 3}, {1, 3, 3, 2, 0, 1})})),
                 (std::vector<double>{0, 1, 0, 1, 0, 0}));
        QVERIFY(areClose(elementsOf(run("Softmax", "1", {array({1, 2}, {1000, 1000})})), {0.5, 0.5}));
        QVERIFY(areClose(elementsOf(run("SoftmaxFrom", "1", {counting({1, 2, 2})})),
                         {0.03205860328, 0.087144318742, 0.23688281809, 0.643914259888}));
        QVERIFY(areClose(elementsOf(run("HardmaxFrom", "0", {counting({2, 2})})), {0, 0, 0, 1}));
    }

    void softmaxOfOldOpsets() {
        const auto as = [](const char* name, const OnnxNode& node, const char* type) {
            const Operator& op = *findOperator(name);
            const FakeContext context({type});
            const Result<Imported> result = op.onnx.import(op, node, context);
            return result ? result->attributes.text() : result.error().message;
        };
        const OnnxNode old{.type = "Softmax", .opset = 9, .inputs = {"x"}};
        QCOMPARE(as("Softmax", old, "f32[N,1000]"), std::string("1"));
        QCOMPARE(as("Softmax", old, "f32[N,1000,1,1]"), std::string("1"));
        QCOMPARE(as("Softmax", old, "f32[N,10,4]"), std::string("it goes over several axes"));
        QCOMPARE(as("SoftmaxFrom", old, "f32[N,10,4]"), std::string("1"));
        QCOMPARE(as("SoftmaxFrom", old, "f32[N,M,4]"), std::string("it goes over axes of unknown sizes"));
        const OnnxNode young{.type = "Softmax", .opset = 13, .inputs = {"x"}};
        QCOMPARE(as("Softmax", young, "f32[N,10,4]"), std::string("2"));
        QCOMPARE(as("SoftmaxFrom", young, "f32[N,10,4]"), std::string("it goes along one axis"));

        const Operator& from = *findOperator("SoftmaxFrom");
        SymbolTable symbols;
        const std::vector<ArrayType> inputs{type("f32[N,10,4]", symbols)};
        const Exported exported = from.onnx.exportNode(attributes(from, "1"), inputs);
        QCOMPARE(exported.type, std::string("Flatten"));
        QCOMPARE(exported.then.size(), std::size_t{2});
        QCOMPARE(exported.then[0].type, std::string("Softmax"));
        QCOMPARE(std::get<std::vector<std::int64_t>>(exported.then[1].constants[0].values),
                 (std::vector<std::int64_t>{-1, 10, 4}));
    }

    void normalization() {
        const auto scalars = [](std::vector<double> elements) { return array({2}, std::move(elements)); };
        QVERIFY(areClose(elementsOf(run("BatchNormalization", "1.0",
                                        {array({2, 2}, {1, 2, 3, 4}), scalars({2, 3}), scalars({0.5, -1}),
                                         scalars({1, 0}), scalars({3, 8})})),
                         {0.5, 1, 2.5, 3}));
        const double third = 1.0 / 3;
        QVERIFY(areClose(elementsOf(run("InstanceNormalization", attributeText(third),
                                        {array({1, 2, 3}, {1, 2, 3, 4, 6, 8}), scalars({1, 3}), scalars({10, 0})})),
                         {9, 10, 11, -6 / std::sqrt(3.0), 0, 6 / std::sqrt(3.0)}));
        const ArrayPtr x = array({2, 3}, {1, 2, 3, 2, 4, 9});
        const Result<std::vector<ArrayPtr>> layer =
            run("LayerNormalization", "1$0.0$3", {x, array({3}, {1, 1, 2}), array({}, {1})});
        const double wide = std::sqrt(1.5);
        QVERIFY(areClose(elementsOf(layer), {1 - wide, 1, 1 + 2 * wide, 1 - 1.0190493307301363, 1 - 0.3396831102433787,
                                             1 + 2 * 1.3587324409735149}));
        QVERIFY(areClose(elementsOf(layer, 1), {2, 5}));
        QVERIFY(areClose(elementsOf(layer, 2), {wide, 0.3396831102433787}));
        QVERIFY(areClose(elementsOf(run("LayerNormalization", "1$0.0$1", {x, array({1}, {2})})),
                         {-2 * wide, 0, 2 * wide, -2.0380986614602726, -0.6793662204867574, 2.7174648819470298}));
        const ArrayPtr triples = array({2, 3}, {1, 2, 2, 0, 3, -4});  // mean squares of 3 and 25 / 3
        const double first = 1 / std::sqrt(3.0);
        const double second = std::sqrt(3.0) / 5;
        QVERIFY(areClose(elementsOf(run("RMSNormalization", "1$0.0", {triples, array({3}, {1, 2, 0.5})})),
                         {first, 4 * first, first, 0, 6 * second, -2 * second}));
        const double all = std::sqrt(20.0 / 3);  // the mean square is 34 / 6, and 1 is added
        QVERIFY(areClose(elementsOf(run("RMSNormalization", "0$1.0", {triples, array({1, 1}, {2})})),
                         {2 / all, 4 / all, 4 / all, 0, 6 / all, -8 / all}));
        const ArrayPtr channels = array({1, 4, 1}, {1, 2, 3, 4});
        QVERIFY(areClose(elementsOf(run("LRN", "3.0$1.0$1.0$3", {channels})), {1.0 / 6, 2.0 / 15, 0.1, 2.0 / 13}));
        QVERIFY(areClose(elementsOf(run("LRN", "4.0$1.0$1.0$4", {channels})), {1.0 / 15, 2.0 / 31, 0.1, 2.0 / 13}));
        const ArrayPtr pairs = array({2, 2}, {3, -4, 0, 0});
        QVERIFY(areClose(elementsOf(run("LpNormalization", "1$2", {pairs})), {0.6, -0.8, 0, 0}));
        QVERIFY(areClose(elementsOf(run("LpNormalization", "0$1", {pairs})), {1, -1, 0, 0}));
        QVERIFY(std::abs(elementsOf(run("MeanVarianceNormalization", "[0]", {array({2}, {1, 5})}))[1] - 1) < 1e-8);
    }

    /// Shifting all elements of a row changes no softmax; scaling them no normalization.
    void laws() {
        Random random(5);
        for (int i = 0; i < 20; ++i) {
            const ArrayPtr x = randomIntegers({3, 4, 2}, random);
            Array shifted = *x;
            Array scaled = *x;
            for (double& element : shifted.elements) element += 17;
            for (double& element : scaled.elements) element *= 2;
            for (const char* const axis : {"0", "1", "2"}) {
                const std::vector<double> y = elementsOf(run("Softmax", axis, {x}));
                QVERIFY(areClose(y, elementsOf(run("Softmax", axis, {std::make_shared<Array>(shifted)}))));
                QVERIFY(std::abs(std::accumulate(y.begin(), y.end(), 0.0) -
                                 24.0 / static_cast<double>(x->shape[*axis - '0'])) < 1e-10);
                const std::string norm = std::string(axis) + "$2";
                QVERIFY(areClose(elementsOf(run("LpNormalization", norm, {x})),
                                 elementsOf(run("LpNormalization", norm, {std::make_shared<Array>(scaled)}))));
            }
            // Reducing axis by axis is reducing at once.
            const ArrayPtr once = run("ReduceSum", "[2]$true", {x})->front();
            QCOMPARE(elementsOf(run("ReduceSum", "[0]$true", {once})), elementsOf(run("ReduceSum", "[0,2]$true", {x})));
        }
    }

    void onnxFormsOfAllOpsets() {
        const FakeContext x({"f32[N,3,4]", "i64[1]"}, {{1, {-1}}});
        QCOMPARE(
            imported(
                {.type = "ReduceMean", .inputs = {"x"}, .attributes = {{"axes", std::vector<std::int64_t>{-1, 1}}}}, x),
            std::string("[1,2]$true"));
        QCOMPARE(
            imported({.type = "ReduceSum", .inputs = {"x", "axes"}, .attributes = {{"keepdims", std::int64_t{0}}}}, x),
            std::string("[2]$false"));
        QCOMPARE(imported({.type = "ReduceMax", .inputs = {"x"}}, x), std::string("[0,1,2]$true"));
        QCOMPARE(
            imported({.type = "ReduceSum", .inputs = {"x"}, .attributes = {{"noop_with_empty_axes", std::int64_t{1}}}},
                     x),
            std::string("[]$true"));
        QCOMPARE(imported({.type = "ReduceSum", .inputs = {"x", "axes"}}, FakeContext({"f32[N]", "i64[1]"})),
                 std::string("the input axes of ReduceSum is no constant"));
        QCOMPARE(imported({.type = "ReduceSum", .inputs = {"x"}}, FakeContext({"f32[...]"})),
                 std::string("the rank of input 0 of ReduceSum is unknown"));
        QCOMPARE(imported({.type = "ArgMax", .inputs = {"x"}}, x), std::string("0$true$false"));
        QCOMPARE(imported({.type = "CumSum", .inputs = {"x", "axis"}}, x), std::string("2$false$false"));
        const FakeContext two({"f32[N,3,4]", "i64[1]"}, {{1, {2}}});
        QCOMPARE(imported({.type = "TopK", .inputs = {"x", "k"}}, two), std::string("2$2$true$true"));
        QCOMPARE(imported({.type = "TopK", .opset = 9, .inputs = {"x"}, .attributes = {{"k", std::int64_t{3}}}}, x),
                 std::string("2$3$true$true"));
        QCOMPARE(imported({.type = "BatchNormalization",
                           .opset = 7,
                           .attributes = {{"momentum", 0.8}, {"spatial", std::int64_t{1}}}},
                          x),
                 std::string("1e-05"));
        QCOMPARE(imported({.type = "BatchNormalization", .attributes = {{"training_mode", std::int64_t{1}}}}, x),
                 std::string("BatchNormalization is in training mode"));
        QCOMPARE(
            imported({.type = "LayerNormalization", .inputs = {"x", "s", "b"}, .outputs = {"y", "", "inverse"}}, x),
            std::string("2$1e-05$3"));
        QCOMPARE(imported({.type = "LRN", .inputs = {"x"}, .attributes = {{"size", std::int64_t{5}}}}, x),
                 std::string("0.0001$0.75$1.0$5"));
        QCOMPARE(imported({.type = "MeanVarianceNormalization", .inputs = {"x"}}, FakeContext({"f32[1,2,3,4]"})),
                 std::string("[0,2,3]"));

        const Operator& sum = *findOperator("ReduceSum");
        const Exported exported = sum.onnx.exportNode(attributes(sum, "[0,2]$false"), {});
        QVERIFY(!exported.attributes.contains("axes"));
        QCOMPARE(std::get<std::int64_t>(exported.attributes.at("keepdims")), std::int64_t{0});
        QCOMPARE(std::get<std::vector<std::int64_t>>(exported.constants.at(0).values),
                 (std::vector<std::int64_t>{0, 2}));
        QVERIFY(exportPlainly(attributes(*findOperator("ReduceMean"), "[0]$true")).attributes.contains("axes"));
        QVERIFY(!exportPlainly(attributes(*findOperator("LayerNormalization"), "1$1e-05$2"))
                     .attributes.contains(OutputsName));
    }

    void workCountsElements() {
        QCOMPARE(workOf("ReduceSum", "[1]$false", {"f32[4,8]"}).flops, 32.0);
        QCOMPARE(workOf("ReduceSum", "[1]$false", {"f32[4,8]"}).writtenBytes, 16.0);
        QCOMPARE(workOf("BatchNormalization", "1e-05", {"f32[1,2,8]", "f32[2]", "f32[2]", "f32[2]", "f32[2]"}).flops,
                 32.0);
        QVERIFY(workOf("Dropout", "0.5$1", {"f32[4]"}).isView);
        QCOMPARE(workOf("Constant", "1.0$f32$[100]", {}).writtenBytes, 0.0);
    }
};

MITOS_TEST(TestReduce)

}  // namespace tst_reduce

#include "tst_reduce.moc"
