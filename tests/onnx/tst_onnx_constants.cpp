// SPDX-License-Identifier: GPL-3.0-or-later
// What reading a model computes, and what it must not: constants of Integers wrap around as their type does, an If with a constant
// condition is its branch, and nodes that draw random numbers are never one.
#include "core/ir/shared.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <map>
#include <set>

namespace tst_onnx_constants {

using namespace mitos;
using namespace mitos::tests;
using Numbers = std::vector<double>;

class TestOnnxConstants : public QObject, private OnnxFixture {
    Q_OBJECT

private:
    /// The first output where all inputs are 0.
    Numbers atZero(const tensor::Model& read) {
        tensor::Inputs inputs;
        for (const ir::Parameter& parameter : m_bank->function(read.program.function).parameters) {
            const tensor::ArrayType type = tensor::arrayType(m_bank->types(), parameter.type);
            auto array = std::make_shared<tensor::Array>();
            array->dtype = type.dtype;
            array->shape = type.shape();
            array->elements.resize(static_cast<std::size_t>(tensor::elementCount(array->shape)));
            inputs.insert_or_assign(std::string(m_bank->text(parameter.name)), array);
        }
        return evaluated(read, inputs)->elements;
    }

    /// The names of opaque nodes, in the order of the graph.
    std::vector<std::string> opaqueNames(const tensor::Model& read) {
        std::vector<std::string> names;
        for (const ir::TermId term : ir::SharedNodes(*m_bank, read.program.root)) {
            if (m_bank->opName(term) == tensor::OpaqueName)
                names.emplace_back(m_bank->text(m_bank->payload(term).asSymbol()));
        }
        return names;
    }

private Q_SLOTS:
    void init() { newBank(); }

    // --- Integers -----------------------------------------------------------------------------------------------------

    void constantsWrapAround_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<Numbers>("numbers");
        const auto row = [](const char* name, const char* graph, const Numbers& numbers) {
            QTest::newRow(name) << QByteArray(graph) << numbers;
        };
        row("i8, a sum",
            "g (int8[3] x) => (int8[3] y) <int8[3] a = {127, 1, 2}, int8[3] b = {1, 1, 1}> "
            "{ s = Add(a, b) y = Add(x, s) }",
            {-128, 2, 3});
        row("i8, a sum of one element and several",
            "g (int8[2] x) => (int8[2] y) <int8[2] a = {126, 127}, int8[1] b = {2}> { s = Add(b, a) y = Add(x, s) }",
            {-128, -127});
        row("i8, a sum of three", "g (int8[1] x) => (int8[1] y) <int8[1] a = {100}> { s = Sum(a, a, a) y = Add(x, s) }",
            {44});
        row("i8, a difference",
            "g (int8[1] x) => (int8[1] y) <int8[1] a = {-128}, int8[1] b = {1}> { s = Sub(a, b) y = Add(x, s) }",
            {127});
        row("i8, a product",
            "g (int8[1] x) => (int8[1] y) <int8[1] a = {100}, int8[1] b = {3}> { s = Mul(a, b) y = Add(x, s) }", {44});
        row("i8, the least divided by -1, negated, and its absolute value",
            "g (int8[3] x) => (int8[3] y) <int8[1] a = {-128}, int8[1] b = {-1}> "
            "{ p = Div(a, b) q = Neg(a) r = Abs(a) s = Concat <axis = 0> (p, q, r) y = Add(x, s) }",
            {-128, -128, -128});
        row("i16, a cast to fewer bits",
            "g (int8[2] x) => (int8[2] y) <int16[2] a = {300, -129}> { s = Cast <to = 3> (a) y = Add(x, s) }",
            {44, 127});
        row("i32, a sum of one element",
            "g (int32[2] x) => (int32[2] y) <int32[1] k = {1}, int32[1] a = {2147483647}, int32[1] b = {1}> "
            "{ m = Add(x, k) s = Add(a, b) y = Add(m, s) }",
            {-2147483647, -2147483647});
        row("i32, sums up to each element",
            "g (int32[3] x) => (int32[3] y) <int32[3] a = {2147483647, 1, 1}, int64 axis = {0}> "
            "{ s = CumSum(a, axis) y = Add(x, s) }",
            {2147483647, -2147483648, -2147483647});
        row("u8, a sum",
            "g (uint8[1] x) => (uint8[1] y) <uint8[1] a = {255}, uint8[1] b = {1}> { s = Add(a, b) y = Add(x, s) }",
            {0});
        row("u32, a difference",
            "g (uint32[1] x) => (uint32[1] y) <uint32[1] a = {3}, uint32[1] b = {4}> { s = Sub(a, b) y = Add(x, s) }",
            {4294967295});
        row("u8, bits shifted out",
            "g (uint8[1] x) => (uint8[1] y) <uint8[1] a = {129}, uint8[1] b = {1}> "
            "{ s = BitShift <direction = \"LEFT\"> (a, b) y = Add(x, s) }",
            {2});
        row("i8, added at a place",
            "g (int8[2] x) => (int8[2] y) <int8[2] a = {127, 1}, int64[1] i = {0}, int8[1] u = {1}> "
            "{ s = ScatterElements <reduction = \"add\"> (a, i, u) y = Add(x, s) }",
            {-128, 1});
    }
    void constantsWrapAround() {
        QFETCH(const QByteArray, graph);
        QFETCH(const Numbers, numbers);
        const tensor::Model read = model(graph.toStdString());
        QCOMPARE(atZero(read), numbers);
        // The constants are computed when a file is written, at the latest.
        QCOMPARE(atZero(modelOf(written(read, {}))), numbers);
    }

    /// Runtimes do not agree about reductions that leave the type: they stay nodes.
    void reductionsThatWrapAroundAreNotComputed() {
        const tensor::Model read = model(
            "g (int32[1] x) => (int32[1] y) <int32[2] a = {65536, 65537}> { s = ReduceProd <axes = [0]> (a) y = Add(x, "
            "s) }");
        QCOMPARE(nodeCounts(*m_bank, read.program.root), (std::map<std::string, int>{{"Add", 1}, {"ReduceProd", 1}}));
        QCOMPARE(nodeCounts(*m_bank, modelOf(written(read, {})).program.root),
                 (std::map<std::string, int>{{"Add", 1}, {"ReduceProd", 1}}));
    }

    void anOutputMayBeAConstantThatWraps() {
        const tensor::Model read = model(
            "g (float[1] x) => (uint8[1] c, float[1] y) <uint8[1] a = {255}, uint8[1] b = {1}> "
            "{ c = Add(a, b) y = Relu(x) }");
        QCOMPARE(atZero(read), Numbers{0});
    }

    /// They are exact as bytes, and as doubles are not: 2^64 - 1 must not become 2^63 - 1.
    void integersBeyondDoublePrecisionStay() {
        const tensor::Model read = model(
            "g (uint64[1] x) => (uint64[1] y) <uint64[2] a = {18446744073709551615, 5}, int64 i = {0}, int64[1] axes = "
            "{0}> "
            "{ s = Gather(a, i) t = Unsqueeze(s, axes) y = Add(x, t) }");
        const std::string bytes = written(read, {});
        QVERIFY(bytes.find(std::string(8, '\xff')) != std::string::npos);
    }

    // --- If -------------------------------------------------------------------------------------------------------------

    void anIfWithAConstantConditionIsItsBranch_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QByteArray>("program");
        const auto row = [](const char* name, const char* graph, const char* program) {
            QTest::newRow(name) << QByteArray(graph) << QByteArray(program);
        };
        row("a size decides",
            "g (float[4, 1, 3] x) => (float[4, 3] y) <int64 one = {1}> { s = Shape(x) d = Gather(s, one) "
            "c = Equal(d, one) m = If (c) <then_branch = then () => (float[4, 3] t) <int64[1] axes = {1}> "
            "{ t = Squeeze(x, axes) }, else_branch = else () => (float[4, 1, 3] e) { e = Identity(x) }> y = Relu(m) }",
            "Relu(Squeeze[[1]](x))");
        row("the other branch, of what lies outside",
            "g (float[2] x) => (float[2] y) <bool c = {0}> { z = Relu(x) y = If (c) <then_branch = then () => "
            "(float[2] t) { t = Neg(z) }, else_branch = else () => (float[2] e) { a = Abs(z) e = Add(a, x) }> }",
            "Add(Abs(Relu(x)), x)");
        row("a value from outside is the result",
            "g (float[2] x) => (float[2] y) <bool c = {1}> { z = Relu(x) m = If (c) <then_branch = then () => "
            "(float[2] z) { }, else_branch = else () => (float[2] e) { e = Neg(x) }> y = Abs(m) }",
            "Abs(Relu(x))");
        row("one value is both results",
            "g (float[2] x) => (float[2] y) <bool c = {1}> { p, q = If (c) <then_branch = then () => (float[2] t, "
            "float[2] t) "
            "{ t = Neg(x) }, else_branch = else () => (float[2] e, float[2] f) { e = Neg(x) f = Abs(x) }> y = Add(p, "
            "q) }",
            "Add(Neg(x), Neg(x))");
        row("branches in branches",
            "g (float[2] x) => (float[2] y) <bool c = {1}> { y = If (c) <then_branch = then () => (float[2] t) { a = "
            "Neg(x) "
            "t = If (c) <then_branch = inner () => (float[2] u) { u = Abs(a) }, else_branch = other () => (float[2] v) "
            "{ v = Exp(a) }> }, else_branch = else () => (float[2] e) { e = Abs(x) }> }",
            "Abs(Neg(x))");
    }
    void anIfWithAConstantConditionIsItsBranch() {
        QFETCH(const QByteArray, graph);
        QFETCH(const QByteArray, program);
        const tensor::Model read = model(graph.toStdString());
        QCOMPARE(QByteArray::fromStdString(programText(read)), program);
        QVERIFY(read.opaque.empty());
        comesBack(read);
    }

    void aBranchMayHaveUnknownNodes() {
        const tensor::Model read = model(
            "g (float[2] x) => (float[2] y) <bool c = {1}> { y = If (c) <then_branch = then () => (float[2] t) "
            "{ a = Neg(x) t = my.ops.Strange(a) }, else_branch = else () => (float[2] e) { e = Abs(x) }> }");
        QCOMPARE(nodeCounts(*m_bank, read.program.root), (std::map<std::string, int>{{"Neg", 1}, {"Opaque", 1}}));
        QVERIFY(opaqueNames(read).front().starts_with("my.ops::Strange#"));
        comesBack(read);
    }

    // --- random nodes -----------------------------------------------------------------------------------------------------

    void randomNodesAreNeverOne_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<int>("count");
        const auto row = [](const char* name, const char* graph, int count) {
            QTest::newRow(name) << QByteArray(graph) << count;
        };
        row("uniform",
            "g (float x) => (float[3] y) { a = RandomUniform <shape = [3]> () b = RandomUniform <shape = [3]> () "
            "d = Sub(a, b) y = Add(d, x) }",
            2);
        row("in the other order",
            "g (float x) => (float[3] y) { a = RandomNormal <shape = [3]> () b = RandomNormal <shape = [3]> () "
            "c = RandomNormal <shape = [3]> () d = Sub(c, a) e = Sub(b, d) y = Add(e, x) }",
            3);
        row("with equal inputs",
            "g (float[3] x) => (float[3] y) { a = RandomUniformLike(x) b = RandomUniformLike(x) y = Sub(a, b) }", 2);
        row("one of another",
            "g (float[3] x) => (float[3] y) { a = RandomNormalLike(x) b = RandomNormalLike(a) y = Sub(b, a) }", 2);
        row("Bernoulli", "g (float[3] x) => (float[3] y) { a = Bernoulli(x) b = Bernoulli(x) y = Sub(a, b) }", 2);
        row("Multinomial",
            "g (float[1, 3] x) => (int32[1, 5] y) { a = Multinomial <sample_size = 5> (x) "
            "b = Multinomial <sample_size = 5> (x) y = Sub(a, b) }",
            2);
        row("Dropout in training",
            "g (float[3] x) => (float[3] y) <float r = {0.5}, bool t = {1}> { a = Dropout(x, r, t) b = Dropout(x, r, "
            "t) "
            "y = Sub(a, b) }",
            2);
        row("in a branch",
            "g (float[3] x, bool c) => (float[3] y) { a = If (c) <then_branch = t () => (float[3] p) "
            "{ p = RandomUniform <shape = [3]> () }, else_branch = e () => (float[3] q) { q = Neg(x) }> "
            "b = If (c) <then_branch = t () => (float[3] p) { p = RandomUniform <shape = [3]> () }, "
            "else_branch = e () => (float[3] q) { q = Neg(x) }> y = Sub(a, b) }",
            2);
        row("in a function of the file",
            "g (float[3] x) => (float[3] y) { a = my.ops.Noise(x) b = my.ops.Noise(x) y = Sub(a, b) }\n"
            "<domain: \"my.ops\", opset_import: [\"\" : 17]>\nNoise (a) => (b) { c = RandomNormalLike(a) b = Add(a, c) "
            "}\n",
            2);
        row("unknown operators may be random",
            "g (float[3] x) => (float[3] y) { a = my.ops.Strange(x) b = my.ops.Strange(x) y = Sub(a, b) }", 2);
        row("others are one",
            "g (float[3] x, bool c) => (float[3] y) { a = If (c) <then_branch = t () => (float[3] p) { p = Abs(x) }, "
            "else_branch = e () => (float[3] q) { q = Neg(x) }> b = If (c) <then_branch = t () => (float[3] p) { p = "
            "Abs(x) }, "
            "else_branch = e () => (float[3] q) { q = Neg(x) }> y = Sub(a, b) }",
            1);
    }
    void randomNodesAreNeverOne() {
        QFETCH(const QByteArray, graph);
        QFETCH(const int, count);
        const tensor::Model read = model(graph.toStdString());
        const std::vector<std::string> names = opaqueNames(read);
        QCOMPARE(names.size(), static_cast<std::size_t>(count));
        QCOMPARE(std::set<std::string>(names.begin(), names.end()).size(), static_cast<std::size_t>(count));
        QCOMPARE(read.opaque.size(), static_cast<std::size_t>(count));
        comesBack(read);
    }
};

MITOS_TEST(TestOnnxConstants)

}  // namespace tst_onnx_constants

#include "tst_onnx_constants.moc"
