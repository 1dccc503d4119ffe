// SPDX-License-Identifier: GPL-3.0-or-later
// Imported ONNX models: inputs and weights, constants, known sizes, unknown nodes; and real networks.
#include "core/onnx/import.h"
#include "tests/onnx/onnx_models.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>

namespace tst_onnx_import {

using namespace mitos;
using namespace mitos::tests;
using Counts = std::map<std::string, int>;

class TestOnnxImport : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const ir::OperatorRegistry> m_registry = tensorRegistry();
    std::unique_ptr<ir::TermBank> m_bank;

    tensor::Model model(const std::string& body, int opset = 17) {
        const Result<tensor::Model> read = onnx::importText(
            *m_bank, fmt::format("<ir_version: 8, opset_import: [\"\" : {}, \"my.ops\" : 2]>\n{}", opset, body));
        if (!read) qFatal("%s", read.error().render().c_str());
        return *read;
    }
    std::string programText(const tensor::Model& read) { return text(*m_bank, read.program.root); }
    std::string typeText(ir::TermId term) { return m_bank->types().toString(m_bank->type(term)); }
    std::vector<std::string> parameters(const tensor::Model& read) {
        std::vector<std::string> names;
        for (const ir::Parameter& parameter : m_bank->function(read.program.function).parameters) {
            names.emplace_back(m_bank->text(parameter.name));
        }
        return names;
    }

private Q_SLOTS:
    void init() { m_bank = std::make_unique<ir::TermBank>(m_registry); }

    void inputsThatAreInitializersAreWeights() {
        const tensor::Model read = model(
            "g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}, float[3] unused = {1, 2, 3}> "
            "{ y = Add(x, w) }");
        QCOMPARE(programText(read), std::string("Add(x, w)"));
        QCOMPARE(parameters(read), std::vector<std::string>{"x"});
        QCOMPARE(read.outputs, std::vector<std::string>{"y"});
        QCOMPARE(read.weights->size(), std::size_t(1));
        QCOMPARE((*read.weights->find("w")->read())->elements, (std::vector<double>{1, 2}));
        QCOMPARE(read.warnings, std::vector<std::string>{"1 input with a default value is read as a weight: w"});
        QCOMPARE(read.name, std::string("g"));
        QCOMPARE(m_bank->function(read.program.function).sharing, ir::Sharing::Graph);
        QCOMPARE(std::string(m_bank->text(m_bank->hint(read.program.root))), std::string("y"));
    }

    void sizesWithNamesStay() {
        const tensor::Model read = model("g (float[N, 3, ?] x) => (float[N, 3, M] y) { y = Relu(x) }");
        QCOMPARE(typeText(read.program.root), std::string("f32[N,3,x_2]"));
    }

    void elementsOfAllTypesAreRead_data() {
        QTest::addColumn<QByteArray>("type");
        for (const char* const type :
             {"float", "double", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}) {
            QTest::newRow(type) << QByteArray(type);
        }
    }
    void elementsOfAllTypesAreRead() {
        QFETCH(const QByteArray, type);
        const std::string t = type.toStdString();
        const tensor::Model read = model(
            fmt::format("g ({0}[3] x) => ({0}[3] y, {0}[3] w) <{0}[3] w = {{1, 2, 100}}> {{ y = Identity(x) }}", t));
        QCOMPARE((*read.weights->find("w")->read())->elements, (std::vector<double>{1, 2, 100}));
    }

    void oneElementIsAConstant() {
        const tensor::Model read = model(
            "g (float[2] x) => (float[2] y) <float half = {0.5}> "
            "{ two = Constant <value = float[1] {2.0}> () a = Mul(x, half) y = Mul(a, two) }");
        QCOMPARE(programText(read), std::string("Mul(Mul(x, Constant[0.5$f32$[]]), Constant[2.0$f32$[1]])"));
        QCOMPARE(read.weights->size(), std::size_t(0));
    }

    void whatIsComputedFromWeightsStaysComputed() {
        const char* const text =
            "g (float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}, int64[2] i = {1, 0}> "
            "{ e = Gather <axis = 0> (w, i) y = Mul(x, e) }";
        const tensor::Model read = model(text);
        QCOMPARE(nodeCounts(*m_bank, read.program.root), (Counts{{"Gather", 1}, {"Mul", 1}}));
        QVERIFY(read.weights->find("w") != nullptr);
        // Elements that are computed from weights still become attributes.
        const tensor::Model resized = model(
            "g (float[1, 1, 2, 2] x) => (float[1, 1, 4, 4] y) <float[2] s = {2, 1}, int64[4] i = {1, "
            "1, 0, 0}> "
            "{ scales = Gather <axis = 0> (s, i) y = Resize <mode = \"nearest\"> (x, , scales) }");
        QCOMPARE(nodeCounts(*m_bank, resized.program.root), (Counts{{"Resize", 1}}));
    }

    void numbersOfTheFileAreReplaced() {
        auto moved = std::make_shared<tensor::Array>(tensor::Array{ir::Dtype::F32, {2}, {5.0, 7.0}});
        onnx::ImportOptions options;
        options.replaced.set("w", tensor::WeightData::of(moved));
        options.weights = {"s"};
        const Result<tensor::Model> read =
            onnx::importText(*m_bank,
                             "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[2] y) "
                             "<float[2] w = {1, 2}, float s = {3}> { a = Mul(x, w) y = Mul(a, s) }",
                             options);
        QVERIFY(read.ok());
        QCOMPARE((*read->weights->find("w")->read())->elements, (std::vector<double>{5, 7}));
        QVERIFY(read->weights->find("s") != nullptr);
    }

    void fillsAreNotAllocated() {
        const tensor::Model read = model(
            "g (float[10000000] x) => (float[10000000] y) <int64[3] s = {4000, 1000, 10000000}> "
            "{ w = ConstantOfShape <value = float[1] {0.25}> (s) z = Add(x, w) y = Relu(z) }");
        QCOMPARE(read.weights->find("w")->fill(), std::optional(0.25));
        QCOMPARE(typeText(read.program.root), std::string("f32[4000,1000,10000000]"));
    }

    void sizesThatAreKnownBecomeAttributes() {
        const tensor::Model read = model(
            "g (float[2, 3, 4] x) => (float[2, 12] y) <int64 zero = {0}, int64[1] rest = {-1}> {\n"
            "  s = Shape(x)\n"
            "  n = Gather(s, zero)\n"
            "  u = Unsqueeze <axes = [0]> (n)\n"
            "  shape = Concat <axis = 0> (u, rest)\n"
            "  y = Reshape(x, shape)\n"
            "}",
            11);
        QCOMPARE(nodeCounts(*m_bank, read.program.root), (Counts{{"Reshape", 1}}));
        QCOMPARE(m_bank->childCount(read.program.root), std::size_t(1));
        QCOMPARE(typeText(read.program.root), std::string("f32[2,12]"));
        QVERIFY(read.warnings.empty());
    }

    void sizesBehindBranchesAreThoseOfBoth() {
        const tensor::Model read = model(
            "g (float[4, N] x, bool c) => (float[3, N] y, float[4, N] z) <int64[1] o = {0}, int64[1] two = {2}, "
            "int64[1] three = {3}> {\n"
            "  a, z = If(c) <then_branch = t () => (float[2, 7] p, float[4, 7] r) { p = Slice(x, o, two, o) r = "
            "Relu(x) },"
            " else_branch = e () => (float[2, 7] q, float[4, 7] s) { q = Relu(x) s = Sigmoid(x) }>\n"
            "  y = Slice(a, o, three, o)\n}");
        const ir::TypeId type = m_bank->type(read.program.root);
        const std::string first = m_bank->types().toString(m_bank->types().children(type)[0]);
        QVERIFY2(first.starts_with("f32[slice(") && first.ends_with(",N]"), first.c_str());
        QCOMPARE(m_bank->types().toString(m_bank->types().children(type)[1]), std::string("f32[4,N]"));
        QVERIFY(!read.warnings.empty());
    }

    void ranksThatDifferInBranchesAreUnknown() {
        const tensor::Model read = model(
            "g (float[4] x, bool c) => (float[4] y) <int64[2] s = {2, 2}> {\n"
            "  y = If(c) <then_branch = t () => (float[4] p) { p = Relu(x) },"
            " else_branch = e () => (float[4] q) { q = Reshape(x, s) }>\n}");
        QCOMPARE(typeText(read.program.root), std::string("f32[...]"));
    }

    void sizesBehindLoopsAreThoseOfAllRounds() {
        const tensor::Model read = model(
            "g (float[2, N] x, float[2, N] v, int64 n, bool go) => (float[2, N] y, float[2, N] z, float[R, 2, N] w) {\n"
            "  y, z, w = Loop(n, go, x, v) <body = b (int64 i, bool c, float[2, N] p, float[2, N] q) => "
            "(bool k, float[2, N] pp, float[2, N] qq, float[2, N] each) "
            "{ k = Identity(c) pp = Concat <axis = 0> (p, x) qq = Relu(q) each = Relu(v) }>\n}");
        const auto types = m_bank->types().children(m_bank->type(read.program.root));
        QCOMPARE(m_bank->types().toString(types[0]), std::string("f32[y_0,N]"));
        QCOMPARE(m_bank->types().toString(types[1]), std::string("f32[2,N]"));
        QCOMPARE(m_bank->types().toString(types[2]), std::string("f32[w_0,2,N]"));
    }

    void ranksOfQuantizedProductsAreKnown() {
        const tensor::Model read =
            model("g (uint8[B, 4] a, int8[4, 6] w) => (int32[B, 6] y) { y = MatMulInteger(a, w) }");
        QCOMPARE(typeText(read.program.root), std::string("i32[B,6]"));
        const tensor::Model resized = model(
            "g (float[1, 3, H, W] x, float[4] s) => (float[1, 3, P, Q] y) { z = Resize <mode = \"nearest\"> (x, , s) "
            "y = Relu(z) }");
        const ir::TypeId type = m_bank->type(resized.program.root);
        QCOMPARE(m_bank->types().dimensions(type).size(), std::size_t{4});
    }

    void sumsOfManyAreAdditions() {
        const tensor::Model read =
            model("g (float[2] a, float[2] b, float[2] c) => (float[2] y, float[2] z) { y = Sum(a, b, c) z = Sum(a) }");
        QCOMPARE(programText(read), std::string("tuple(Add(Add(a, b), c), a)"));
    }

    void nodesMayStandInAnyOrder() {
        const tensor::Model read = model("g (float[2] x) => (float[2] y) { y = Relu(z) z = Sigmoid(x) }");
        QCOMPARE(programText(read), std::string("Relu(Sigmoid(x))"));
    }

    void whatNoOutputNeedsIsLeftOut() {
        const tensor::Model read = model("g (float[2] x) => (float[2] y) { z = my.ops.Strange(x) y = Relu(x) }");
        QCOMPARE(programText(read), std::string("Relu(x)"));
        QVERIFY(read.warnings.empty());
        QVERIFY(read.opaque.empty());
    }

    void unknownNodesAreKept() {
        const tensor::Model read = model(
            "g (float[2, 3] x) => (float[2, 3] y) { a = my.ops.Strange <speed = 2> (x) b = my.ops.Strange <speed = 2> "
            "(a) "
            "y = Add(x, b) }");
        QCOMPARE(read.opaque.size(), std::size_t(2));  // it is not known whether equal ones give equal results
        const ir::TermId b = m_bank->child(read.program.root, 1);
        QCOMPARE(std::string(m_bank->opName(b)), std::string("Opaque"));
        QVERIFY(m_bank->text(m_bank->payload(b).asSymbol()).starts_with("my.ops::Strange#"));
        QCOMPARE(read.warnings,
                 std::vector<std::string>{"2 nodes of my.ops.Strange are kept as they are: the operator is unknown"});
    }

    void onnxKnowsTypesOfWhatWeDoNot() {
        const tensor::Model read = model("g (float[2, 3] x) => (float[M] y) { y = Unique(x) }");
        QCOMPARE(typeText(read.program.root), std::string("f32[M]"));
    }

    void subgraphsReadWhatIsOutside() {
        const tensor::Model read = model(
            "g (bool c, float[2] x) => (float[2] y) { z = Relu(x) y = If (c) <"
            "then_branch = t () => (float[2] a) { a = Add(x, z) }, "
            "else_branch = e () => (float[2] b) { b = Mul(x, x) }> }");
        const ir::TermId root = read.program.root;
        QCOMPARE(std::string(m_bank->opName(root)), std::string("Opaque"));
        QCOMPARE(m_bank->childCount(root), std::size_t(3));
        QCOMPARE(text(*m_bank, m_bank->child(root, 0)), std::string("c"));
        QCOMPARE(text(*m_bank, m_bank->child(root, 1)), std::string("x"));
        QCOMPARE(text(*m_bank, m_bank->child(root, 2)), std::string("Relu(x)"));
        QCOMPARE(typeText(root), std::string("f32[2]"));
        QCOMPARE(read.warnings,
                 std::vector<std::string>{"1 node of If is kept as it is: its subgraphs cannot be read"});
    }

    void nodesAreReadAsWhatTheyConsistOf() {
        // ONNX defines HardSwish by HardSigmoid and Mul. Another function of the file gives its input back.
        const tensor::Model read = model("g (float[2] x) => (float[2] y) { y = HardSwish(x) }", 14);
        QVERIFY(read.opaque.empty());
        const Result<tensor::Model> own = onnx::importText(
            *m_bank,
            "<ir_version: 8, opset_import: [\"\" : 17, \"my.ops\" : 1]>\n"
            "g (float[2] x) => (float[2] y) { y = my.ops.twice <factor = 3.0> (x) }\n"
            "<domain: \"my.ops\", opset_import: [\"\" : 17]>\n"
            "twice <factor> (a) => (b) { c = Constant <value_float : float = @factor> () b = Mul(a, c) }");
        QVERIFY2(own, own ? "" : own.error().message.c_str());
        QCOMPARE(programText(*own), std::string("Mul(x, Constant[3.0$f32$[]])"));
    }

    void functionsThatMakeNothingAreKept() {
        const Result<tensor::Model> own =
            onnx::importText(*m_bank,
                             "<ir_version: 8, opset_import: [\"\" : 17, \"my.ops\" : 1]>\n"
                             "g (float[2] x) => (float[2] y) { y = my.ops.empty(x) }\n"
                             "<domain: \"my.ops\", opset_import: [\"\" : 17]>\n"
                             "empty (a) => (a) { c = Relu(a) }");
        QVERIFY2(own, own ? "" : own.error().message.c_str());
        QCOMPARE(std::string(m_bank->opName(own->program.root)), std::string("Opaque"));
    }

    void functionsOfOneNameAreNumbered() {
        const std::string text = "g (float[2] x) => (float[2] y) { y = Relu(x) }";
        const tensor::Model first = model(text);
        const tensor::Model second = model(text);
        QCOMPARE(second.program.root, first.program.root);
        QCOMPARE(m_bank->function(first.program.function).name, std::string("g"));
        QCOMPARE(m_bank->function(second.program.function).name, std::string("g_2"));
    }

    void networks_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<Counts>("expected");
        // Sum becomes Add, and ConstantOfShape weights.
        QTest::newRow("squeezenet")
            << QByteArray("light_squeezenet.onnx")
            << Counts{{"Conv", 26},   {"Relu", 26},  {"Concat", 8}, {"MaxPool", 3}, {"GlobalAveragePool", 1},
                      {"Dropout", 1}, {"Softmax", 1}};
        QTest::newRow("vgg19") << QByteArray("light_vgg19.onnx")
                               << Counts{{"Conv", 16},   {"Relu", 18},   {"MaxPool", 5}, {"Gemm", 3},
                                         {"Dropout", 2}, {"Reshape", 1}, {"Softmax", 1}};
        QTest::newRow("inception_v1") << QByteArray("light_inception_v1.onnx")
                                      << Counts{{"Conv", 57},       {"Relu", 57},  {"MaxPool", 13}, {"Concat", 9},
                                                {"LRN", 2},         {"Gemm", 1},   {"Reshape", 2},  {"Dropout", 1},
                                                {"AveragePool", 1}, {"Softmax", 1}};
        QTest::newRow("resnet50") << QByteArray("light_resnet50.onnx")
                                  << Counts{{"Conv", 53},   {"BatchNormalization", 53}, {"Relu", 49}, {"Add", 16},
                                            {"MaxPool", 1}, {"AveragePool", 1},         {"Gemm", 1},  {"Reshape", 1},
                                            {"Softmax", 1}};
        QTest::newRow("shufflenet") << QByteArray("light_shufflenet.onnx")
                                    << Counts{{"Conv", 49},      {"BatchNormalization", 49},
                                              {"Relu", 33},      {"Reshape", 33},
                                              {"Transpose", 16}, {"Add", 13},
                                              {"Concat", 3},     {"AveragePool", 4},
                                              {"MaxPool", 1},    {"Gemm", 1},
                                              {"Softmax", 1}};
    }
    void networks() {
        QFETCH(const QByteArray, file);
        QFETCH(const Counts, expected);
        const std::filesystem::path path = networkFolder() / file.toStdString();
        // They lie beside a checkout, not in it: a clone elsewhere has none.
        if (!std::filesystem::exists(path)) QSKIP("the shared reference data are not there");
        const Result<tensor::Model> read = onnx::importFile(*m_bank, path);
        QVERIFY2(read, read ? "" : read.error().render().c_str());
        QVERIFY2(read->warnings.empty(), read->warnings.empty() ? "" : read->warnings.front().c_str());
        const Counts found = nodeCounts(*m_bank, read->program.root);
        for (const auto& [op, count] : found) {
            const auto wanted = expected.find(op);
            QVERIFY2(wanted != expected.end() && wanted->second == count, fmt::format("{} {}", op, count).c_str());
        }
        QCOMPARE(found.size(), expected.size());
        QCOMPARE(m_bank->function(read->program.function).parameters.size(), std::size_t(1));
    }
};

MITOS_TEST(TestOnnxImport)

}  // namespace tst_onnx_import

#include "tst_onnx_import.moc"
