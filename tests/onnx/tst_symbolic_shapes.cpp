// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes with names: what exporters compute from them is known when a model is read, so that its shapes are.
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>

namespace tst_symbolic_shapes {

using namespace mitos;
using namespace mitos::tests;
using Counts = std::map<std::string, int>;
using Numbers = std::vector<double>;

namespace {

/// The sizes B and S of the first input x, one by one, as PyTorch's exporter reads them.
constexpr const char* Sizes =
    "sb = Shape(x) b0 = Gather <axis = 0> (sb, zero) b = Unsqueeze(b0, axis) "
    "ss = Shape(x) s0 = Gather <axis = 0> (ss, one) s = Unsqueeze(s0, axis) ";

}  // namespace

class TestSymbolicShapes : public QObject, private OnnxFixture {
    Q_OBJECT

private:
    /// The signature: inputs => (outputs) <weights>.
    tensor::Model model(const std::string& signature, const std::string& body) {
        const std::size_t arrow = signature.find(" => ");
        return OnnxFixture::model(
            fmt::format("g ({}) => {} {{ {} }}", signature.substr(0, arrow), signature.substr(arrow + 4), body));
    }

private Q_SLOTS:
    void init() { newBank(); }

    void chainsBecomeAttributes_data() {
        QTest::addColumn<QByteArray>("signature");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<Counts>("counts");
        QTest::addColumn<QByteArray>("type");
        const std::string constants =
            "<int64 zero = {0}, int64 one = {1}, int64[1] axis = {0}, int64[1] open = {-1}, "
            "int64[1] heads = {2}, int64[1] size = {4}, int64[1] hidden = {8}, "
            "int64[1] copied = {0}, float[8, 8] w = {";
        std::string numbers;
        for (int i = 0; i < 64; ++i) numbers += fmt::format("{}{}", i > 0 ? "," : "", i % 7);
        const auto row = [&](const char* name, const char* inputs, const char* output, const std::string& body,
                             const Counts& counts, const char* type) {
            QTest::newRow(name) << QByteArray::fromStdString(
                                       fmt::format("{} => ({}) {}{}}}>", inputs, output, constants, numbers))
                                << QByteArray::fromStdString(body) << counts << QByteArray(type);
        };
        row("the flattening of a CNN", "float[N, 3, 2, 2] x", "float[N, M] y",
            "s = Shape(x) n = Gather <axis = 0> (s, zero) u = Unsqueeze(n, axis) "
            "shape = Concat <axis = 0> (u, open) y = Reshape(x, shape)",
            {{"Reshape", 1}}, "f32[N,12]");
        row("the heads of an attention, and back", "float[B, S, 8] x", "float[B, S, 8] y",
            std::string(Sizes) +
                "shape = Concat <axis = 0> (b, s, heads, size) h = Reshape(x, shape) t = Transpose <perm = [0,2,1,3]> "
                "(h) "
                "back = Transpose <perm = [0,2,1,3]> (t) all = Concat <axis = 0> (b, s, hidden) y = Reshape(back, all)",
            {{"Reshape", 2}, {"Transpose", 2}}, "f32[B,S,8]");
        row("zeros that copy", "float[B, S, 8] x", "float[B, S, 2, 4] y",
            "shape = Concat <axis = 0> (copied, copied, heads, open) y = Reshape(x, shape)", {{"Reshape", 1}},
            "f32[B,S,2,4]");
        row("rows of all sequences, and back", "float[B, S, 8] x", "float[B, S, 8] y",
            std::string(Sizes) +
                "rows = Concat <axis = 0> (open, hidden) r = Reshape(x, rows) m = MatMul(r, w) "
                "all = Concat <axis = 0> (b, s, hidden) y = Reshape(m, all)",
            {{"Reshape", 1},
             {"MatMul", 1},
             {"ReshapeTo", 1},
             {"Shape", 1},
             {"Gather", 2},
             {"Unsqueeze", 2},
             {"Concat", 1}},
            "f32[B,S,8]");
        row("products of sizes", "float[B, S, 2, 4] x", "float[P, 8] y",
            std::string(Sizes) + "p = Mul(b, s) shape = Concat <axis = 0> (p, hidden) y = Reshape(x, shape)",
            {{"Reshape", 1}}, "f32[B*S,8]");
        row("a slice to the last but one", "float[B, S, 8] x", "float[B, T, 8] y",
            std::string(Sizes) + "last = Sub(s, one) y = Slice(x, axis, last, heads_axis)", {{"Slice", 1}},
            "f32[B,S-1,8]");
        row("a slice of all", "float[B, S, 8] x", "float[B, S, 8] y",
            std::string(Sizes) + "z = Relu(x) y = Slice(z, axis, s, heads_axis)", {{"Relu", 1}, {"Slice", 1}},
            "f32[B,S,8]");
    }
    void chainsBecomeAttributes() {
        QFETCH(const QByteArray, signature);
        QFETCH(const QByteArray, body);
        QFETCH(const Counts, counts);
        QFETCH(const QByteArray, type);
        std::string nodes = body.toStdString();
        // Slices are along the axis of the sequence.
        if (nodes.find("heads_axis") != std::string::npos) {
            nodes = "heads_axis = Identity(along) " + nodes;
            nodes = "along = Constant <value_ints = [1]> () " + nodes;
        }
        const tensor::Model read = model(signature.toStdString(), nodes);
        QVERIFY2(read.warnings.empty(), read.warnings.empty() ? "" : read.warnings.front().c_str());
        const Counts found = nodeCounts(*m_bank, read.program.root);
        QVERIFY2(found == counts, text(*m_bank, read.program.root).c_str());
        QCOMPARE(typeText(read), type.toStdString());
        comesBack(read);
    }

    void sizesThatAttributesCannotSayAreInputs() {
        const std::string constants =
            " <int64 zero = {0}, int64 one = {1}, int64[1] axis = {0}, int64[1] hidden = {8}>";
        const tensor::Model read =
            model("float[B, S, 8] x, float[P, 8] m => (float[B, S, 8] y)" + constants,
                  std::string(Sizes) + "all = Concat <axis = 0> (b, s, hidden) y = Reshape(m, all)");
        QCOMPARE(typeText(read), std::string("f32[B,S,8]"));
        const tensor::ArrayPtr y = evaluated(read, {{"x", counting({2, 3, 8})}, {"m", counting({6, 8})}});
        QCOMPARE(y->shape, (tensor::Shape{2, 3, 8}));
        QCOMPARE(y->elements.back(), 47.0);
        // Elements that do not make that shape are an error of the run.
        const auto wrong = tensor::evaluate(*m_bank, read.program.root,
                                            {{"x", counting({2, 3, 8})}, {"m", counting({5, 8})}}, *read.weights);
        QVERIFY(!wrong.ok());
        QVERIFY2(wrong.error().message.find("do not make") != std::string::npos, wrong.error().message.c_str());
    }

    void masksAreExpanded() {
        // expand() of PyTorch: sizes of -1 stay as they are.
        const tensor::Model read = model(
            "float[B, S] x => (float[B, H, S, T] y) <int64 zero = {0}, int64 one = {1}, int64[1] axis = {0}, "
            "int64[2] middle = {1, 2}, int64[1] keep = {-1}, int64[1] heads = {1}, int64[1] rank = {4}>",
            std::string(Sizes) +
                "m = Unsqueeze(x, middle) wanted = Concat <axis = 0> (b, heads, s, keep) "
                "ones = ConstantOfShape <value = int64[1] {1}> (rank) minus = Mul(ones, keep) "
                "isKept = Equal(wanted, minus) shape = Where(isKept, ones, wanted) y = Expand(m, shape)");
        QVERIFY2(read.warnings.empty(), read.warnings.empty() ? "" : read.warnings.front().c_str());
        QCOMPARE(typeText(read), std::string("f32[B,1,S,S]"));
        comesBack(read);
        const tensor::ArrayPtr y = evaluated(read, {{"x", counting({2, 3})}});
        QCOMPARE(y->shape, (tensor::Shape{2, 1, 3, 3}));
        QCOMPARE(y->elements, (Numbers{0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5}));
    }

    void positionsAreSliced() {
        const tensor::Model read = model(
            "float[B, S] x, int64[1, 16] positions => (int64[1, S] y) <int64 zero = {0}, int64 one = {1}, "
            "int64[1] axis = {0}, int64[1] along = {1}>",
            std::string(Sizes) + "y = Slice(positions, axis, s, along)");
        QVERIFY(read.warnings.empty());
        QCOMPARE(typeText(read), std::string("i64[1,S]"));
        comesBack(read);
        const tensor::ArrayPtr y =
            evaluated(read, {{"x", counting({2, 5})}, {"positions", counting({1, 16}, ir::Dtype::I64)}});
        QCOMPARE(y->elements, (Numbers{0, 1, 2, 3, 4}));
    }

    void rangesAndFillsHaveTheirSizes() {
        const std::string constants = " <int64 zero = {0}, int64 one = {1}, int64[1] axis = {0}>";
        const tensor::Model range =
            model("float[B, S] x => (int64[S] y)" + constants, std::string(Sizes) + "y = Range(zero, s0, one)");
        QCOMPARE(typeText(range), std::string("i64[S]"));
        comesBack(range);
        QCOMPARE(evaluated(range, {{"x", counting({2, 4})}})->elements, (Numbers{0, 1, 2, 3}));
        const tensor::Model fill = model("float[B, S] x => (float[B, S] y)" + constants,
                                         std::string(Sizes) +
                                             "shape = Concat <axis = 0> (b, s) "
                                             "y = ConstantOfShape <value = float[1] {0.5}> (shape)");
        QVERIFY(fill.warnings.empty());
        QCOMPARE(typeText(fill), std::string("f32[B,S]"));
        comesBack(fill);
        QCOMPARE(evaluated(fill, {{"x", counting({1, 3})}})->elements, (Numbers{0.5, 0.5, 0.5}));
    }

    void whatIsKnownOfAShapeIsANumber() {
        const tensor::Model read = model(
            "float[N, 6] x => (float[N, 3, 2] y) <int64 one = {1}, int64[1] axis = {0}, int64[1] two = {2}, "
            "int64[1] open = {-1}>",
            "s = Shape(x) c = Gather <axis = 0> (s, one) u = Unsqueeze(c, axis) half = Div(u, two) "
            "shape = Concat <axis = 0> (open, half, two) y = Reshape(x, shape)");
        QCOMPARE(text(*m_bank, read.program.root), std::string("Reshape[[-1,3,2]](x)"));
        QCOMPARE(typeText(read), std::string("f32[N,3,2]"));
    }

    void shapesThatOnlyTheRunKnowsStayOpaque() {
        const tensor::Model read = model("float[N, 6] x, int64[2] s => (float[A, B] y)", "y = Reshape(x, s)");
        QCOMPARE(read.opaque.size(), std::size_t{1});
        QCOMPARE(read.warnings,
                 std::vector<std::string>{"1 node of Reshape is kept as it is: the shape of Reshape is known "
                                          "only when the program runs"});
        QCOMPARE(typeText(read), std::string("f32[A,B]"));
    }

    void sizesOfTwoNamesMayBeOne() {
        const tensor::Model read =
            model("float[batch, 3] x, float[batch_size, 3] z, float[batch, 1] b => (float[N, 3] y)",
                  "a = Add(x, z) y = Mul(b, a)");
        QCOMPARE(typeText(read), std::string("f32[max(batch:batch_size),3]"));
        comesBack(read);
        QCOMPARE(evaluated(read, {{"x", counting({2, 3})}, {"z", counting({2, 3})}, {"b", counting({2, 1})}})->elements,
                 (Numbers{0, 0, 0, 6, 8, 10}));
    }

    void sumsOfSizesAreSizes() {
        const std::string found = [this] {
            const tensor::Model read =
                model("float[past, 2] x, float[S, 2] z => (float[T, 2] y)", "y = Concat <axis = 0> (x, z)");
            return typeText(read);
        }();
        QCOMPARE(found, std::string("f32[S+past,2]"));
    }
};

MITOS_TEST(TestSymbolicShapes)

}  // namespace tst_symbolic_shapes

#include "tst_symbolic_shapes.moc"
