// SPDX-License-Identifier: GPL-3.0-or-later
// What is written: names, weights, opaque nodes, metadata; files with their weights beside them; real networks and back.
#include "core/tensor/samples.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>

namespace tst_onnx_export {

using namespace mitos;
using namespace mitos::tests;
namespace fs = std::filesystem;

class TestOnnxExport : public QObject, private OnnxFixture {
    Q_OBJECT

private:
    /// Written and read again.
    tensor::Model again(const tensor::Model& before, const onnx::ExportOptions& options = {}) {
        return modelOf(written(before, options));
    }
    static tensor::Model randomized(tensor::Model model) {
        model.weights = std::make_shared<const tensor::Weights>(model.weights->randomized(7, false));
        return model;
    }

private Q_SLOTS:
    void init() { newBank(); }

    void programsComeBack_data() {
        QTest::addColumn<QByteArray>("body");
        const auto row = [](const char* name, const char* body) { QTest::newRow(name) << QByteArray(body); };
        row("one output under two names", "g (float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Identity(y) }");
        row("an input as output", "g (float[2] x) => (float[2] y) { y = Identity(x) }");
        row("an input as output under its own name", "g (float[2] x) => (float[2] x, float[2] y) { y = Relu(x) }");
        row("a weight as output", "g (float[2] x) => (float[2] w, float[2] y) <float[2] w = {1, 2}> { y = Relu(x) }");
        row("a constant as output", "g (float[2] x) => (float[1] y) <float[1] c = {1}> { y = Identity(c) }");
        row("sizes with names", "g (float[N, 3, ?] x) => (float[N, 3, M] y) { y = Relu(x) }");
        row("an unknown rank", "g (float x) => (float y) { y = Relu(x) }");
        row("fills",
            "g (float[N, 1000] x) => (float[N, 1000] y) <int64[1] s = {1000}> "
            "{ w = ConstantOfShape <value = float[1] {0.5}> (s) y = Add(x, w) }");
        row("opaque nodes",
            "g (float[2, 3] x) => (int64[2, M] y, float z) "
            "{ y = NonZero(x) a, b = my.ops.Two <kind = \"fast\"> (x, , x) z = my.ops.One(b, a) }");
        row("subgraphs",
            "g (bool c, float[2] x) => (float[2] y) { z = Relu(x) y = If (c) <"
            "then_branch = t () => (float[2] a) { a = Add(x, z) }, "
            "else_branch = e () => (float[2] b) { b = Mul(x, x) }> }");
        row("sequences inside",
            "g (float[2] x, int64 i) => (float[2] y) "
            "{ s = SequenceConstruct(x, x) y = SequenceAt(s, i) }");
        row("texts", "g (string[1] x) => (string[N] y) { y = StringNormalizer <locale = \"en\"> (x) }");
        row("integers as attributes",
            "g (float[2, 3] x) => (float[3, 2] y, float[2, 1] z) "
            "<int64[2] s = {3, 2}, int64[1] a = {1}> "
            "{ y = Reshape(x, s) z = ReduceSum <keepdims = 1> (x, a) }");
    }
    void programsComeBack() {
        QFETCH(const QByteArray, body);
        const tensor::Model before = model(body.toStdString());
        const tensor::Model after = again(before, {.foldWeights = false, .keepIdle = true});
        QVERIFY2(after.program.root == before.program.root,
                 fmt::format("\n{}\n{}", programText(before), programText(after)).c_str());
        QCOMPARE(after.outputs, before.outputs);
        QCOMPARE(after.opaque.size(), before.opaque.size());
        QCOMPARE(after.name, before.name);
        const auto& parameters = m_bank->function(before.program.function).parameters;
        QCOMPARE(m_bank->function(after.program.function).parameters.size(), parameters.size());
    }

    void olderOpsetsAreWrittenAsToday() {
        const tensor::Model before =
            model("g (float[2, 3] x) => (float[2, 1, 3] y) { y = Unsqueeze <axes = [1]> (x) }", 9);
        const tensor::Model after = again(before);
        QCOMPARE(after.program.root, before.program.root);
    }

    void whatIsNoSingleNodeTodayIsWrittenAsSeveral() {
        const tensor::Model before =
            model("g (float[N, 3, 2] x) => (float[N, 3, 2] y) { y = Softmax <axis = 1> (x) }", 9);
        QVERIFY(programText(before).find("SoftmaxFrom") != std::string::npos);
        const tensor::Model after = again(before);
        QVERIFY(programText(after).find("SoftmaxFrom") == std::string::npos);
        Random random(1);
        const ir::Function& function = m_bank->function(before.program.function);
        const tensor::Inputs inputs = *tensor::randomInputs(*m_bank, function, {}, random);
        const auto first = tensor::evaluate(*m_bank, before.program.root, inputs, *before.weights);
        const auto second = tensor::evaluate(*m_bank, after.program.root, inputs, *after.weights);
        QVERIFY(first.ok() && second.ok());
        QVERIFY(*tensor::maxDeviation(*first, *second) < 1e-12);
    }

    void opaqueNodesThatChangedTheirMeaningAreRefused() {
        const tensor::Model before = model(
            "g (float[1, 1, 2, 2] x, float[4] scales) => (float[1, 1, 4, 4] y) "
            "{ y = Resize <mode = \"linear\"> (x, scales) }",
            10);
        QCOMPARE(before.opaque.size(), std::size_t{1});  // its scales are no constant
        const Result<onnx::ExportedBytes> bytes = onnx::exportBytes(*m_bank, before);
        QVERIFY(!bytes);
        QCOMPARE(bytes.error().code, ErrorCode::Unsupported);
        QVERIFY2(bytes.error().message.starts_with("Resize of opset 10 has another meaning at opset 17"),
                 bytes.error().message.c_str());
    }

    /// A size of 0 in the shape of a Reshape would copy one.
    void normalizationOfNothingCanBeReadAgain() {
        const tensor::Model before = model(
            "g (float[2, 3, 0, 5] x) => (float[2, 3, 0, 5] y, float[2, 3, 0, 5] z) "
            "{ y = Softmax(x) z = LogSoftmax <axis = 2> (x) }",
            12);
        QCOMPARE(programText(before), std::string("tuple(SoftmaxFrom[1](x), LogSoftmaxFrom[2](x))"));
        const tensor::Model after = modelOf(written(before));
        QCOMPARE(typeText(after), typeText(before));
    }

    void namesAreKeptAndMadeUnique() {
        const tensor::Model before =
            model("g (float[2] relu) => (float[2] y) <float[2] w = {1, 2}> { a = Relu(relu) y = Add(a, w) }");
        tensor::Model changed = before;
        // A node without a hint, whose operator's name is taken by the input.
        const tensor::Operator& op = *tensor::findOperator("Relu");
        const ir::TermId inner = *tensor::make(*m_bank, op, std::array{before.program.root}, tensor::Attributes(op));
        changed.program.root = *tensor::make(*m_bank, op, std::array{inner}, tensor::Attributes(op));
        const tensor::Model after = again(changed);
        QCOMPARE(after.program.root, changed.program.root);
        QVERIFY(after.weights->find("w") != nullptr);
    }

    void anOutputIsNotCalledLikeAnInput() {
        tensor::Model changed = model("g (float[2] x) => (float[2] y) { y = Relu(x) }");
        changed.outputs = {"x"};
        const Result<onnx::ExportedBytes> written = onnx::exportBytes(*m_bank, changed);
        QVERIFY(!written.ok());
        QVERIFY(written.error().message.find("an output is called x") != std::string::npos);
    }

    void anOutputIsNotCalledLikeAWeight() {
        tensor::Model changed = model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }");
        changed.outputs = {"w"};
        const Result<onnx::ExportedBytes> written = onnx::exportBytes(*m_bank, changed);
        QVERIFY(!written.ok());
        QCOMPARE(written.error().message, std::string("an output is called w, like a weight"));
    }

    void weightsAloneAreComputed() {
        const tensor::Model before = model(
            "g (float[2, 2] x) => (float[2, 2] y) <float[2, 2] v = {1, 2, 3, 4}, float[2, 2] w = {5, 6, 7, 8}> "
            "{ p = MatMul(v, w) y = Add(x, p) }");
        const Result<onnx::ExportedBytes> bytes = onnx::exportBytes(*m_bank, before);
        QVERIFY(bytes);
        QCOMPARE(bytes->report.foldedWeights, std::size_t(1));
        QCOMPARE(bytes->report.nodes, std::size_t(1));
        QCOMPARE(bytes->report.initializers, std::size_t(1));
        const tensor::Model after = again(before);
        QCOMPARE(programText(after), std::string("Add(x, p)"));
        QCOMPARE((*after.weights->find("p")->read())->elements, (std::vector<double>{19, 22, 43, 50}));
    }

    void weightsThatAreNotComputedStayNodes() {
        const tensor::Model before = model(
            "g (float[2, 2] x) => (float[2, 2] y) <float[2, 2] v = {1, 2, 3, 4}, float[2, 2] w = {5, 6, 7, 8}> "
            "{ p = MatMul(v, w) y = Add(x, p) }");
        std::stop_source stopped;
        stopped.request_stop();
        const Result<onnx::ExportedBytes> bytes =
            onnx::exportBytes(*m_bank, before, {.foldingStop = stopped.get_token()});
        QVERIFY(bytes);
        QCOMPARE(bytes->report.foldedWeights, std::size_t(0));
        QCOMPARE(bytes->report.unfolded, std::size_t(1));
        const Result<tensor::Model> after = onnx::importBytes(*m_bank, bytes->bytes);
        QVERIFY(after);
        QCOMPARE(after->program.root, before.program.root);
    }

    void metadataSayWhereItComesFrom() {
        tensor::Model before = model("g (float[2] x) => (float[2] y) { y = Relu(x) }");
        before.metadata = {{"author", "somebody"}, {"thread", "old"}};
        const tensor::Model after = again(before, {.metadata = {{"thread", "two\n\tlines"}}});
        const decltype(after.metadata) expected{{"author", "somebody"}, {"thread", "two\n\tlines"}};
        QVERIFY(after.metadata == expected);
        QVERIFY(after.warnings.empty());
    }

    void weightsInAFileOfTheirOwn() {
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "m.onnx";
        const tensor::Model before = randomized(
            model("g (float[N, 1000] x) => (float[N, 1000] y) <int64[1] s = {1000}, float[1000] small = {1}> "
                  "{ w = ConstantOfShape(s) v = ConstantOfShape(s) a = Add(x, w) y = Mul(a, v) }"));
        const Result<onnx::ExportReport> report = onnx::exportFile(*m_bank, before, path, {.externalData = true});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY2(report->isAccepted(), (report->checkerSays + report->inferenceSays).c_str());
        QVERIFY(fs::file_size(path) < 1000);
        QVERIFY(report->dataFile && fs::file_size(*report->dataFile) >= 8000);
        const Result<tensor::Model> after = onnx::importFile(*m_bank, path);
        QVERIFY(after);
        QCOMPARE(after->program.root, before.program.root);
        for (const char* const name : {"v", "w"}) {
            const auto expected = *before.weights->find(name)->read();
            const auto found = *after->weights->find(name)->read();
            QCOMPARE(found->elements.size(), expected->elements.size());
            for (std::size_t i = 0; i < expected->elements.size(); ++i) {
                QCOMPARE(found->elements[i], static_cast<double>(static_cast<float>(expected->elements[i])));
            }
        }
    }

    void foldersThatCannotBeWritten() {
        const tensor::Model before = model("g (float[2] x) => (float[2] y) { y = Relu(x) }");
        const Result<onnx::ExportReport> report = onnx::exportFile(*m_bank, before, "/nowhere/at/all/m.onnx");
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Io);
    }

    void whatDoesNothingIsNotWritten() {
        const tensor::Model read = [&] {
            const Result<tensor::Model> model = onnx::importText(
                *m_bank,
                "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1, 4, 4] x) => (float[1, 4, 4] y) "
                "<int64[3] shape = {1, 4, 4}, int64[6] pads = {0, 0, 0, 0, 0, 0}> {\n"
                "  a = Transpose <perm = [0, 1, 2]> (x)\n  b = Relu(a)\n  c = Dropout(b)\n  d = Reshape(c, shape)\n"
                "  e = Cast <to = 1> (d)\n  f = Concat <axis = 1> (e)\n  h = Pad(f, pads)\n"
                "  i = Transpose <perm = [0, 2, 1]> (h)\n  j = Sigmoid(i)\n  y = Transpose <perm = [0, 1, 2]> (j)\n}");
            if (!model) qFatal("%s", model.error().render().c_str());
            return *model;
        }();
        const tensor::Model after = again(read, {});
        QCOMPARE(text(*m_bank, after.program.root), std::string("Sigmoid(Transpose[[0,2,1]](Relu(x)))"));
        const tensor::Model whole = again(read, {.keepIdle = true});
        QCOMPARE(nodeCounts(*m_bank, whole.program.root)["Transpose"], 3);
    }

    void quantizedWeightsStayQuantized() {
        const Result<tensor::Model> read = onnx::importText(
            *m_bank,
            "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2, 2] x) => (float[2, 2] y) "
            "<int8[2, 2] w = {1, -2, 3, 4}, float s = {0.5}, int8 z = {0}, float[2] v = {1, 2}, float[2] u = {3, 4}> "
            "{ d = DequantizeLinear(w, s, z) m = MatMul(x, d) c = Add(u, v) y = Add(m, c) }");
        QVERIFY(read);
        const tensor::Model after = again(*read, {.foldWeights = true});
        // What is of floats is computed now; what is of Integers stays 8 bits wide.
        QCOMPARE(nodeCounts(*m_bank, after.program.root),
                 (std::map<std::string, int>{{"Add", 1}, {"DequantizeLinear", 1}, {"MatMul", 1}}));
        QCOMPARE(after.weights->find("w")->dtype(), ir::Dtype::I8);
    }

    void networksComeBack_data() {
        QTest::addColumn<QByteArray>("file");
        for (const char* const name : {"squeezenet", "vgg19", "inception_v1", "resnet50", "shufflenet"}) {
            QTest::newRow(name) << QByteArray("light_") + name + ".onnx";
        }
    }
    void networksComeBack() {
        QFETCH(const QByteArray, file);
        const fs::path path = networkFolder() / file.toStdString();
        // They lie beside a checkout, not in it: a clone elsewhere has none.
        if (!fs::exists(path)) QSKIP("the shared reference data are not there");
        const Result<tensor::Model> before = onnx::importFile(*m_bank, path);
        QVERIFY(before);
        const Result<onnx::ExportedBytes> bytes =
            onnx::exportBytes(*m_bank, *before, {.foldWeights = false, .keepIdle = true});
        QVERIFY2(bytes, bytes ? "" : bytes.error().message.c_str());
        QCOMPARE(bytes->report.checkerSays, std::string());
        QCOMPARE(bytes->report.inferenceSays, std::string());
        QVERIFY(bytes->bytes.size() < 1'000'000);  // VGG's 143 million weights are still a number each
        const Result<tensor::Model> after = onnx::importBytes(*m_bank, bytes->bytes);
        QVERIFY(after);
        QCOMPARE(after->program.root, before->program.root);
        QCOMPARE(after->weights->size(), before->weights->size());
    }
};

MITOS_TEST(TestOnnxExport)

}  // namespace tst_onnx_export

#include "tst_onnx_export.moc"
