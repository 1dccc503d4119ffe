// SPDX-License-Identifier: GPL-3.0-or-later
// Valid models at the edges: the largest Integers, names of sizes that look like something else, where ONNX's inference and
// ours differ, tensors in other files inside unknown nodes, names of nodes.
#include "core/tensor/samples.h"
#include "tests/onnx/model_bytes.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace tst_onnx_edges {

using namespace mitos;
using namespace mitos::tests;
namespace fs = std::filesystem;
using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

namespace {

constexpr std::int64_t Largest = 9'223'372'036'854'775'807;
constexpr std::int64_t Odd = 9'007'199'254'740'993;  // 2^53 + 1, which no double is

/// The names of the nodes, as they are in the file: of three bytes and more, each behind its tag and length.
bool hasNodeCalled(const std::string& bytes, const std::string& name) {
    return bytes.find(bytes::field(3, name)) != std::string::npos;
}

}  // namespace

class TestOnnxEdges : public QObject, private OnnxFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { newBank(); }

    // --- large Integers -----------------------------------------------------------------------------------------------

    void slicesToTheEnd_data() {
        QTest::addColumn<QByteArray>("body");
        const auto row = [](const char* name, const char* body) { QTest::newRow(name) << QByteArray(body); };
        row("weights",
            "g (float[N, 6] x) => (float[M, 6] y) <int64[1] s = {1}, int64[1] e = {9223372036854775807}, "
            "int64[1] a = {0}> { y = Slice(x, s, e, a) }");
        row("constants",
            "g (float[N, 6] x) => (float[M, 6] y) { s = Constant <value_ints = [1]> () "
            "e = Constant <value_ints = [9223372036854775807]> () a = Constant <value_ints = [0]> () "
            "y = Slice(x, s, e, a) }");
        row("a scalar that becomes a list",
            "g (float[N, 6] x) => (float[M, 6] y) { s = Constant <value_ints = [1]> () "
            "i = Constant <value_int = 9223372036854775807> () z = Constant <value_ints = [0]> () "
            "e = Unsqueeze(i, z) y = Slice(x, s, e, z) }");
        row("a list put together",
            "g (float[N, 6] x) => (float[M, 6] y) { s = Constant <value_ints = [1, 0]> () "
            "i = Constant <value_ints = [9223372036854775807]> () a = Constant <value_ints = [0, 1]> () "
            "e = Concat <axis = 0> (i, i) y = Slice(x, s, e, a) }");
    }
    void slicesToTheEnd() {
        QFETCH(const QByteArray, body);
        const tensor::Model read = model(body.toStdString());
        QVERIFY2(read.warnings.empty(), read.warnings.empty() ? "" : read.warnings.front().c_str());
        QCOMPARE(typeText(read), std::string("f32[N-1,6]"));
        comesBack(read);
        QVERIFY(written(read).find(bytes::raw(Integers{Largest})) != std::string::npos);
        const tensor::ArrayPtr y = evaluated(read, {{"x", counting({3, 6})}});
        QCOMPARE(y->shape, (tensor::Shape{2, 6}));
        QCOMPARE(y->elements.front(), 6.0);
    }

    void boundsOfTheRunReachTheEnd() {
        const tensor::Model read = model(
            "g (float[N, M] x, float[M] z) => (float[A, B] y) <int64[1] e = {9223372036854775807}, int64[1] a = {0}> "
            "{ s = Shape(z) y = Slice(x, s, e, a) }");
        const tensor::ArrayPtr y = evaluated(read, {{"x", counting({5, 2})}, {"z", counting({2})}});
        QCOMPARE(y->shape, (tensor::Shape{3, 2}));
        QCOMPARE(y->elements, (Numbers{4, 5, 6, 7, 8, 9}));
    }

    void integersKeepTheirBits_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<bool>("foldWeights");
        const std::string weights =
            "g (int64[2] i) => (int64[2] y) <int64[2] w = {9007199254740993, 9223372036854775807}> { ";
        const std::string constants =
            "g (int64[2] i) => (int64[2] y) { w = Constant <value_ints = [9007199254740993, 9223372036854775807]> () ";
        const std::string gather = "c = Concat <axis = 0> (w, w) y = Gather <axis = 0> (c, i) }";
        for (const bool fold : {false, true}) {
            const std::string how = fold ? ", folded at export" : "";
            QTest::newRow(("weights" + how).c_str()) << QByteArray::fromStdString(weights + gather) << fold;
            QTest::newRow(("constants" + how).c_str()) << QByteArray::fromStdString(constants + gather) << fold;
        }
    }
    void integersKeepTheirBits() {
        QFETCH(const QByteArray, body);
        QFETCH(const bool, foldWeights);
        const std::string bytes = written(model(body.toStdString()), {.foldWeights = foldWeights});
        QVERIFY(bytes.find(bytes::raw(Integers{Odd, Largest})) != std::string::npos);
    }

    void sumsOfLargeIntegersAreExactOrLeft() {
        // 2^53 + 1 + 1 is computed; 2^63 - 1 + 1 wraps around, which is left to whoever runs it.
        const std::string bytes = written(model(
            "g (int64[1] i) => (int64[1] y, int64[1] z) <int64[2] one = {1, 1}, int64[2] w = {9007199254740993, 7}, "
            "int64[2] v = {9223372036854775807, 7}> { a = Add(w, one) y = Gather <axis = 0> (a, i) "
            "b = Add(v, one) z = Gather <axis = 0> (b, i) }"));
        QVERIFY(bytes.find(bytes::raw(Integers{Odd + 1, 8})) != std::string::npos);
        QVERIFY(bytes.find(bytes::raw(Integers{Largest, 7})) != std::string::npos);
        QVERIFY(bytes.find(bytes::raw(Integers{Largest, 8})) == std::string::npos);
    }

    void theLeastIntegerDividedByMinusOne() {
        const tensor::Model read = model(
            "g (float[N] x) => (float[A, B] y) { s = Shape(x) m = Constant <value_ints = [-9223372036854775808]> () "
            "c = Concat <axis = 0> (m, s) o = Constant <value_ints = [-1, 1]> () d = Div(c, o) y = Reshape(x, d) }");
        QCOMPARE(read.opaque.size(), std::size_t{1});
    }

    // --- work ---------------------------------------------------------------------------------------------------------

    void whatTakesLongIsNotComputedWhileReading() {
        const tensor::Model read = model(
            "g (float[N] x) => (int64[1] y) <int64[1] s = {4096}> { v = ConstantOfShape <value = int64[1] {1}> (s) "
            "y = Einsum <equation = \"a,b,c,d->\"> (v, v, v, v) }");
        QCOMPARE(nodeCounts(*m_bank, read.program.root), (std::map<std::string, int>{{"Einsum", 1}}));
        const Result<onnx::ExportedBytes> bytes = onnx::exportBytes(*m_bank, read, {.foldWeights = true});
        QVERIFY(bytes);
        QCOMPARE(bytes->report.foldedWeights, std::size_t{0});
    }

    void functionsThatAreTooManyNodesStayOpaque() {
        const tensor::Model few = modelOf(bytes::nestedFunctions(3, 6));
        QCOMPARE(nodeCounts(*m_bank, few.program.root), (std::map<std::string, int>{{"Relu", 216}}));
        const tensor::Model many = modelOf(bytes::nestedFunctions(5, 12));  // 248 832 nodes
        QCOMPARE(nodeCounts(*m_bank, many.program.root), (std::map<std::string, int>{{"Opaque", 1}}));
    }

    /// They are read long after the reader, which puts the body of each call together, is gone.
    void numbersOfFunctionsAreThere() {
        const tensor::Model read = model(
            "g (int64[2] x) => (int64[2] y) { y = my.ops.Twice(x) }\n"
            "<domain: \"my.ops\", opset_import: [\"\" : 17, \"my.ops\" : 2]>\n"
            "Twice (a) => (b) { c = my.ops.Shift(a) b = my.ops.Shift(c) }\n"
            "<domain: \"my.ops\", opset_import: [\"\" : 17]>\n"
            "Shift (a) => (b) { c = Constant <value = int64[2] {300, 40}> () b = Add(a, c) }\n");
        const auto input = std::make_shared<const tensor::Array>(
            tensor::Array{.dtype = ir::Dtype::I64, .shape = {2}, .elements = {1.0, 2.0}});
        QCOMPARE(evaluated(read, {{"x", input}})->elements, (std::vector<double>{601.0, 82.0}));
        comesBack(read);
    }

    void functionsWithNodesThatMakeNothing() {
        for (const bool isKnown : {false, true}) {
            const tensor::Model read = modelOf(bytes::functionWithAnEmptyNode(isKnown));
            QCOMPARE(read.opaque.size(), std::size_t{1});
        }
    }

    // --- names of sizes -----------------------------------------------------------------------------------------------

    void namesOfSizesThatAreNoExpressions_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("type");
        const auto row = [](const char* name, const char* type) {
            QTest::newRow(name) << QByteArray(name) << QByteArray(type);
        };
        row("seq-len", "f32[seq-len,4]");
        row("-3", "f32[-3,4]");
        row("2-5", "f32[2-5,4]");
        row("1+N", "f32[1+N,4]");
        row("N+1", "f32[N+1,4]");
        row("5", "f32[5,4]");
        row("max-seq-len", "f32[max-seq-len,4]");
        row("-1+0", "f32[-1+0,4]");
    }
    void namesOfSizesThatAreNoExpressions() {
        QFETCH(const QByteArray, name);
        QFETCH(const QByteArray, type);
        const bytes::Names sizes{name.toStdString(), "4"};
        const tensor::Model read =
            modelOf(bytes::model({.nodes = {{.type = "Flatten",
                                             .inputs = {"x"},
                                             .outputs = {"a"},
                                             .attributes = {bytes::intAttribute("axis", 1)}},
                                            {.type = "Relu", .inputs = {"x"}, .outputs = {"b"}},
                                            {.type = "Add", .inputs = {"a", "b"}, .outputs = {"y"}}},
                                  .inputs = {bytes::value("x", bytes::Float, sizes)},
                                  .outputs = {bytes::value("y", bytes::Float, sizes)}}));
        QCOMPARE(typeText(read), type.toStdString());
        comesBack(read);
        Random random(1);
        const Result<tensor::Inputs> inputs =
            tensor::randomInputs(*m_bank, m_bank->function(read.program.function), {}, random);
        QVERIFY2(inputs, inputs ? "" : inputs.error().message.c_str());
        QCOMPARE(evaluated(read, *inputs)->shape, inputs->at("x")->shape);
    }

    // --- what others see otherwise ------------------------------------------------------------------------------------

    void whatIsSkippedMayBeOneForTheBatch() {
        const tensor::Model read = model(
            "g (float[2, 1, 2] x, float[1, 1, 2] s, float[2] scale) => (float[2, 1, 2] y) "
            "{ y = com.microsoft.SkipLayerNormalization <epsilon = 0.0> (x, s, scale) }");
        QVERIFY(read.opaque.empty());
        QCOMPARE(typeText(read), std::string("f32[2,1,2]"));
        // (0, 1) + (5, 0) and (2, 3) + (5, 0), each to mean 0 and variance 1.
        auto skip = std::make_shared<tensor::Array>(*counting({1, 1, 2}));
        skip->elements = {5.0, 0.0};
        auto scale = std::make_shared<tensor::Array>(*counting({2}));
        scale->elements = {1.0, 1.0};
        const tensor::ArrayPtr y = evaluated(read, {{"x", counting({2, 1, 2})}, {"s", skip}, {"scale", scale}});
        QCOMPARE(y->elements, (Numbers{1, -1, 1, -1}));
        // Written out, it is a sum that broadcasts.
        const tensor::Model again = modelOf(written(read));
        QCOMPARE(evaluated(again, {{"x", counting({2, 1, 2})}, {"s", skip}, {"scale", scale}})->elements, y->elements);
    }

    void nodesOfOthersThatTheTableRefusesStayOpaque() {
        const tensor::Model read = model(
            "g (float[2, 3, 8] q, float[2, 2, 5, 4] k, float[2, 2, 5, 4] v) => (float[2, 3, 8] y) "
            "{ y = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v) }");
        QCOMPARE(read.opaque.size(), std::size_t{1});
        QCOMPARE(read.warnings.size(), std::size_t{2});
        QCOMPARE(read.warnings.back(),
                 std::string("sizes behind unknown operators are taken as the file declares them: y"));
        comesBack(read);
    }

    void aLastWindowWithNothingToLookAt() {
        // Of 3 positions, windows of 2 begin at 0 and at 3; ONNX 1.12's inference counts the second.
        const tensor::Model read = model(
            "g (float[1, 1, 3, N] x) => (float[1, 1, A, B] y) "
            "{ p = MaxPool <kernel_shape = [2, 2], strides = [3, 3], ceil_mode = 1> (x) y = Relu(p) }");
        QCOMPARE(typeText(read), std::string("f32[1,1,1,(N+2)/3]"));
        comesBack(read);
        for (const auto& [size, count] : std::map<std::int64_t, std::int64_t>{{2, 1}, {3, 1}, {4, 2}, {6, 2}, {7, 3}}) {
            QCOMPARE(evaluated(read, {{"x", counting({1, 1, 3, size})}})->shape, (tensor::Shape{1, 1, 1, count}));
        }
    }

    void outputsBehindOpaqueNodesKeepTheirRank() {
        const tensor::Model conv = model(
            "g (float[N, 3, H, W] x, float[4, 3, 3, 3] w) => (float[N, 4, A, B] y) "
            "{ c = Conv <auto_pad = \"SAME_UPPER\", strides = [2, 2]> (x, w) y = Relu(c) }");
        QCOMPARE(conv.opaque.size(), std::size_t{1});
        QCOMPARE(typeText(conv), std::string("f32[N,4,c_2,c_3]"));
        comesBack(conv);
        // The declarations of the file are kept for unknown operators.
        const tensor::Model unknown = model(
            "g (float[N, 3] x) => (float[N, 4] y) { c = NonZero(x) d = Cast <to = 1> (c) e = my.ops.What(d) "
            "f = CastLike(e, x) y = Relu(f) }");
        QVERIFY(!unknown.opaque.empty());
        comesBack(unknown);
    }

    void kernelsThatOneSideKnows() {
        const auto pool = [this](const char* kernel, const char* w) {
            return model(
                fmt::format("g (float[1, 3, 8, 8] x, float[4, 3, {}] w) => (float[1, 4, A, B] y) "
                            "{{ y = Conv <kernel_shape = {}> (x, w) }}",
                            w, kernel));
        };
        QVERIFY(pool("[3, 3]", "kh, kw").opaque.empty());
        QVERIFY(pool("[3, 3]", "3, 3").opaque.empty());
        const tensor::Model contradicts = pool("[5, 5]", "3, 3");
        QCOMPARE(contradicts.warnings,
                 std::vector<std::string>{"1 node of Conv is kept as it is: kernel_shape says 5, and W 3"});
        const tensor::Model order = model(
            "g (float[1, 3, 8, 8] x) => (float[1, 3, 7, 7] y) { y = MaxPool <kernel_shape = [2, 2], storage_order = 1> "
            "(x) }");
        QVERIFY(order.opaque.empty());  // it is about indices, and there are none
    }

    // --- files --------------------------------------------------------------------------------------------------------

    void tensorsBesideTheFileInOpaqueNodes() {
        const QTemporaryDir folder;
        const fs::path home(folder.path().toStdString());
        std::vector<float> numbers(300, 0.5F);
        numbers[7] = 12.25F;
        std::ofstream(home / "w.bin", std::ios::binary) << bytes::raw(numbers);
        const bytes::Graph branch{.nodes = {{.type = "Constant",
                                             .outputs = {"t"},
                                             .attributes = {bytes::tensorAttribute(
                                                 "value", bytes::tensor("", 300, bytes::externalElements("w.bin")))}},
                                            {.type = "Add", .inputs = {"x", "t"}, .outputs = {"r"}}},
                                  .outputs = {bytes::value("r", bytes::Float, {"300"})}};
        const std::string file =
            bytes::model({.nodes = {{.type = "If",
                                     .inputs = {"c"},
                                     .outputs = {"y"},
                                     .attributes = {bytes::graphAttribute("then_branch", branch.bytes()),
                                                    bytes::graphAttribute("else_branch", branch.bytes())}}},
                          .inputs = {bytes::value("c", bytes::Bool, {}), bytes::value("x", bytes::Float, {"300"})},
                          .outputs = {bytes::value("y", bytes::Float, {"300"})}});
        std::ofstream(home / "m.onnx", std::ios::binary) << file;
        const Result<tensor::Model> read = onnx::importFile(*m_bank, home / "m.onnx");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const std::string bytes = written(*read);
        QVERIFY(bytes.find(bytes::raw(numbers)) != std::string::npos);
        QVERIFY(bytes.find("w.bin") == std::string::npos);
        fs::remove(home / "w.bin");
        const Result<tensor::Model> gone = onnx::importFile(*m_bank, home / "m.onnx");
        QVERIFY(!gone);
        QVERIFY2(gone.error().message.find("w.bin is missing") != std::string::npos, gone.error().message.c_str());
    }

    void weightsThatAreCutOffWhileTheyAreOpen() {
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "m.onnx";
        tensor::Model before = model(
            "g (float[N, 3000] x) => (float[N, 3000] y) <int64[1] s = {3000}> { w = ConstantOfShape(s) y = Add(x, w) "
            "}");
        before.weights = std::make_shared<const tensor::Weights>(before.weights->randomized(1, false));
        const Result<onnx::ExportReport> report = onnx::exportFile(*m_bank, before, path, {.externalData = true});
        QVERIFY(report && report->dataFile);
        const Result<tensor::Model> read = onnx::importFile(*m_bank, path);
        QVERIFY(read && read->weights->find("w")->read());
        fs::resize_file(*report->dataFile, 100);
        const std::string expected = report->dataFile->string() + " has become shorter since it was opened";
        const Result<tensor::ArrayPtr> numbers = read->weights->find("w")->read();
        QVERIFY(!numbers);
        QCOMPARE(numbers.error().message, expected);
        const Result<onnx::ExportedBytes> bytes = onnx::exportBytes(*m_bank, *read);
        QVERIFY(!bytes);
        QCOMPARE(bytes.error().message, expected);
    }

    void inputsWithDefaultsAreToldOf() {
        const std::string body = "g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }";
        const std::vector<std::string> expected{"1 input with a default value is read as a weight: w"};
        QCOMPARE(model(body).warnings, expected);
        const Result<tensor::Model> old =
            onnx::importText(*m_bank, "<ir_version: 3, opset_import: [\"\" : 7]> " + body);
        QVERIFY(old && old->warnings.empty());  // there every initializer is an input
    }

    // --- names of nodes -----------------------------------------------------------------------------------------------

    void nodesKeepTheirNames() {
        const std::string file = bytes::model(
            {.nodes = {{.type = "Neg", .inputs = {"x"}, .outputs = {"17"}, .name = "layer1/neg"},
                       {.type = "Split",
                        .inputs = {"17"},
                        .outputs = {"18", "19"},
                        .name = "layer1/split",
                        .attributes = {bytes::intAttribute("axis", 1)}},
                       {.type = "Nobody", .inputs = {"19"}, .outputs = {"20"}, .name = "their/own", .domain = "loc"},
                       {.type = "Add", .inputs = {"18", "20"}, .outputs = {"y"}}},
             .inputs = {bytes::value("x", bytes::Float, {"N", "4"})},
             .outputs = {bytes::value("y", bytes::Float, {"N", "2"})}});
        const tensor::Model read = modelOf(file);
        const std::string bytes = written(read);
        for (const char* const name : {"layer1/neg", "layer1/split", "their/own", "y"}) {
            QVERIFY2(hasNodeCalled(bytes, name), name);
        }
        QCOMPARE(modelOf(bytes).nodeNames.size(), std::size_t{4});
    }

    void nodesMadeByRewritingSayWhatTheyAre() {
        tensor::Model read =
            modelOf(bytes::model({.nodes = {{.type = "Neg", .inputs = {"x"}, .outputs = {"17"}, .name = "first"},
                                            {.type = "Relu", .inputs = {"17"}, .outputs = {"y"}, .name = "second"}},
                                  .inputs = {bytes::value("x", bytes::Float, {"N"})},
                                  .outputs = {bytes::value("y", bytes::Float, {"N"})}}));
        // The output is made by another operator now, and so is the value in between.
        const auto applied = [this](const char* op, ir::TermId to, Symbol hint) {
            const tensor::Operator& entry = *tensor::findOperator(op);
            return *tensor::make(*m_bank, entry, std::array{to}, tensor::Attributes(entry), hint);
        };
        const ir::TermId x = m_bank->child(m_bank->child(read.program.root, 0), 0);
        const ir::TermId between = applied("Abs", x, m_bank->symbols().intern("17"));
        read.program.root = applied("Sigmoid", between, {});
        const std::string bytes = written(read);
        QVERIFY(hasNodeCalled(bytes, "first_abs"));
        QVERIFY(hasNodeCalled(bytes, "second_sigmoid"));
        QVERIFY(!hasNodeCalled(bytes, "first") && !hasNodeCalled(bytes, "second"));
    }
};

MITOS_TEST(TestOnnxEdges)

}  // namespace tst_onnx_edges

#include "tst_onnx_edges.moc"
