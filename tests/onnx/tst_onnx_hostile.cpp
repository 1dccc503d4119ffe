// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are wrong: each gets one clear message, and nothing that is only declared is allocated.
#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "core/tensor/evaluate.h"
#include "tests/onnx/model_bytes.h"
#include "tests/onnx/mutations.h"
#include "tests/onnx/onnx_models.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace tst_onnx_hostile {

using namespace mitos;
using namespace mitos::tests;
namespace fs = std::filesystem;

class TestOnnxHostile : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const ir::OperatorRegistry> m_registry = tensorRegistry();

    std::string failure(const std::string& body) {
        ir::TermBank bank(m_registry);
        const Result<tensor::Model> model =
            onnx::importText(bank, "<ir_version: 8, opset_import: [\"\" : 17, \"my.ops\" : 2]>\n" + body);
        return model ? "(no error)" : model.error().message;
    }

private Q_SLOTS:
    void graphsThatAreWrong_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* text, const char* message) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(message);
        };
        row("a value nobody makes", "g (float[2] x) => (float[2] y) { y = Add(x, z) }",
            "the node that produces y (Add) reads z, which no node produces");
        row("an output nobody makes", "g (float[2] x) => (float[2] y) { z = Relu(x) }",
            "no node produces the output y");
        row("two values of one name", "g (float[2] x) => (float[2] y) { y = Relu(x) y = Sigmoid(x) }",
            "two values are called y");
        row("an input that is made again", "g (float[2] x) => (float[2] x) { x = Relu(x) }", "two values are called x");
        row("a circle", "g (float[2] x) => (float[2] y) { y = Add(x, z) z = Relu(y) }",
            "nodes depend on each other in a cycle, among them the node that produces y (Add)");
        row("a node that reads itself", "g (float[2] x) => (float[2] y) { y = Add(x, y) }", "in a cycle");
        row("shapes that do not fit", "g (float[2] x, float[3] z) => (float[2] y) { y = Add(x, z) }",
            "the node that produces y (Add): ");
        row("too few inputs", "g (float[2] x) => (float[2] y) { y = Add(x) }", "the node that produces y (Add): ");
        row("an attribute of another kind", "g (float[2] x) => (float[2] y) { y = Softmax <axis = [1, 2]> (x) }",
            "the node that produces y (Softmax): ");
        row("two outputs of one name", "g (float[2] x) => (float[2] y, float[2] y) { y = Relu(x) }",
            "two outputs are called y");
        row("no outputs", "g (float[2] x) => () { y = Relu(x) }", "the model has no outputs");
        row("an initializer with too few numbers",
            "g (float[2] x) => (float[2] y) <float[2000000000000] w = {1}> { y = Add(x, w) }",
            "the initializer w: 2000000000000 elements of type f32 are 8000000000000 bytes; found 4");
        row("sizes beyond any memory",
            "g (float[2] x) => (float[2] y) <float[9000000000000000000, 9000000000000000000] w = {1}> { y = Add(x, w) "
            "}",
            "the initializer w: the declared sizes are beyond any memory");
        row("a fill beyond any memory",
            "g (float[2] x) => (float[2] y) <int64[2] s = {9000000000000000000, 9000000000000000000}> "
            "{ w = ConstantOfShape(s) y = Add(x, w) }",
            "the node that produces w (ConstantOfShape): the declared sizes are beyond any memory");
        row("a window below 0",
            "g (float[1, 1, 6, 6] x) => (float[1, 1, 8, 4] y) { y = MaxPool <kernel_shape = [-1, 3]> (x) }",
            "the node that produces y (MaxPool): its kernel_shape cannot be -1; the least is 1");
        row("a window of 0", "g (float[1, 1, 6] x) => (float[1, 1, N] y) { y = AveragePool <kernel_shape = [0]> (x) }",
            "its kernel_shape cannot be 0; the least is 1");
        row("a window below 0 with places",
            "g (float[1, 1, 6] x) => (float[1, 1, N] y) { y, i = MaxPool <kernel_shape = [-3]> (x) }",
            "its kernel_shape cannot be -3; the least is 1");
        row("strides of 0",
            "g (float[1, 1, 6] x) => (float[1, 1, N] y) { y = LpPool <kernel_shape = [2], strides = [0]> (x) }",
            "its strides cannot be 0; the least is 1");
        row("a kernel that its attribute contradicts",
            "g (float[1, 1, 6] x, float[1, 1, 3] w) => (float[1, 1, N] y) { y = Conv <kernel_shape = [-1]> (x, w) }",
            "the node that produces y (Conv): its kernel_shape cannot be -1; the least is 1");
        row("dilations of 0",
            "g (float[1, 1, 6] x, float[1, 1, 3] w) => (float[1, 1, N] y) { y = Conv <dilations = [0]> (x, w) }",
            "its dilations cannot be 0; the least is 1");
        row("no groups", "g (float[1, 1, 6] x, float[1, 1, 3] w) => (float[1, 1, N] y) { y = Conv <group = 0> (x, w) }",
            "its group cannot be 0; the least is 1");
        row("a negative extension",
            "g (float[1, 1, 6] x, float[1, 1, 3] w) => (float[1, 1, N] y) "
            "{ y = ConvTranspose <output_padding = [-1]> (x, w) }",
            "its output_padding cannot be -1; the least is 0");
        row("a sequence as output", "g (float[2] x) => (float[2] y) { y = SequenceConstruct(x) }",
            "the output y is not a dense tensor");
        row("no text of ONNX", "hello", "");
    }
    void graphsThatAreWrong() {
        QFETCH(const QString, text);
        QFETCH(const QString, message);
        const QString found = QString::fromStdString(failure(text.toStdString()));
        QVERIFY2(found.contains(message) && found != QStringLiteral("(no error)"), qPrintable(found));
    }

    void sizesThatMakeNoSense_data() {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* name, const char* text) { QTest::newRow(name) << QByteArray(text); };
        row("below 0", "g (float[2] x) => (float[2] y) <float[-2] w = {1}> { y = Add(x, w) }");
        row("of a reshape, beyond any number",
            "g (float[2] x) => (float[N] y) <int64[3] s = {9223372036854775807, 9223372036854775807, -1}> "
            "{ y = Reshape(x, s) }");
        row("of a reshape, below -1", "g (float[N] x) => (float[M] y) <int64[2] s = {-7, -1}> { y = Reshape(x, s) }");
        row("a repetition below 0", "g (float[2] x) => (float[N] y) <int64[1] s = {-9}> { y = Tile(x, s) }");
        row("products beyond any number",
            "g (float[N, 4611686018427387904] x, float z) => (float[M, K] y) "
            "{ a = Shape(x) p = Mul(a, a) q = Mul(p, p) y = Expand(z, q) }");
        row("differences below 0",
            "g (float[N] x, float z) => (float[M] y) { a = Shape(x) b = Add(a, a) c = Sub(a, b) y = Expand(z, c) }");
        row("bounds that are no Integers",
            "g (float[N] x) => (float[M] y) <int64[1] s = {0}, float[1] f = {0}> { y = Slice(x, s, f) }");
        row("bounds that are too many",
            "g (float[N] x) => (float[M] y) <int64[1] s = {0}> { a = Shape(x) b = Concat <axis = 0> (a, a) "
            "y = Slice(x, s, b) }");
    }
    void sizesThatMakeNoSense() {
        QFETCH(const QByteArray, text);
        ir::TermBank bank(m_registry);
        const Result<tensor::Model> model =
            onnx::importText(bank, "<ir_version: 8, opset_import: [\"\" : 17]>\n" + text.toStdString());
        if (!model) {
            QVERIFY(!model.error().message.empty());
            return;
        }
        // What is read all the same has no sizes below 0, and is not computed.
        const ir::TypeId type = bank.type(model->program.root);
        for (const ir::Dimension size : bank.types().dimensions(type)) QVERIFY(!size.isKnown() || size.size >= 0);
        auto ten = std::make_shared<tensor::Array>();
        ten->shape = {10};
        ten->elements.resize(10);
        auto one = std::make_shared<tensor::Array>();
        one->elements = {1.0};
        const auto outputs = tensor::evaluate(bank, model->program.root, {{"x", ten}, {"z", one}}, *model->weights);
        QVERIFY(!outputs.ok());
    }

    void attributesThatInferenceTrusts_data() {
        QTest::addColumn<QByteArray>("node");
        QTest::newRow("an axis before the first") << QByteArray("LayerNormalization <axis = -12> (x, x)");
        QTest::newRow("strides of 0") << QByteArray("MaxPool <kernel_shape = [2], strides = [0]> (x)");
        QTest::newRow("no groups") << QByteArray("Conv <group = 0> (x, x)");
        QTest::newRow("an axis after the last") << QByteArray("Concat <axis = 1000000> (x, x)");
    }
    void attributesThatInferenceTrusts() {
        QFETCH(const QByteArray, node);
        ir::TermBank bank(m_registry);
        const Result<tensor::Model> model = onnx::importText(
            bank, "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,3,4] x) => (float[2,3,4] y) { y = " +
                      node.toStdString() + " }");
        // The library reads beyond arrays and divides by zero when it is asked; keeping the node is fine.
        if (model) QVERIFY(!model->opaque.empty() && onnx::exportBytes(bank, *model));
    }

    void opsetsAfterThoseKnown() {
        ir::TermBank bank(m_registry);
        const Result<tensor::Model> model = onnx::importText(
            bank, "<ir_version: 8, opset_import: [\"\" : 26]> g (float[2] x) => (float[2] y) { y = Relu(x) }");
        QVERIFY(!model);
        QCOMPARE(model.error().code, ErrorCode::Unsupported);
        QCOMPARE(model.error().message, std::string("the model uses opset 26; opsets up to 25 can be read"));
        QVERIFY(!model.error().hint.empty());
    }

    void nestingIsLimited() {
        std::string text = "g (float[2] x) => (float[2] y) { y = If <then_branch = ";
        for (int i = 0; i < 100'000; ++i) text += "g () => (float[2] z) { z = If <then_branch = ";
        QCOMPARE(failure(text), std::string("brackets are nested more than 100 deep"));
    }

    void sparseWeights() {
        // The numbers, where they are, and how many there would be.
        const std::string sparse = bytes::field(1, bytes::tensor("w", 1, bytes::elements({1.0F}))) +
                                   bytes::field(2, bytes::tensor("", 1, bytes::elements({0.0F}))) +
                                   bytes::integerField(3, 3);
        ir::TermBank bank(m_registry);
        const Result<tensor::Model> model =
            onnx::importBytes(bank, bytes::model({.nodes = {{.type = "Add", .inputs = {"x", "w"}, .outputs = {"y"}}},
                                                  .inputs = {bytes::value("x", bytes::Float, {"3"})},
                                                  .outputs = {bytes::value("y", bytes::Float, {"3"})},
                                                  .sparse = {sparse}}));
        QVERIFY(!model);
        QCOMPARE(model.error().code, ErrorCode::Unsupported);
        QCOMPARE(model.error().message, std::string("the node that produces y (Add) reads w, a sparse weight; sparse "
                                                    "weights cannot be read"));
    }

    void filesThatAreNone() {
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "model.onnx";
        ir::TermBank bank(m_registry);
        const auto message = [&](const fs::path& file) {
            const Result<tensor::Model> model = onnx::importFile(bank, file);
            return model ? std::string() : model.error().message;
        };
        QCOMPARE(message(path), path.string() + ": there is no such file");
        QCOMPARE(message(path.parent_path()), path.parent_path().string() + " is a folder, not a model");
        std::ofstream(path).close();
        QCOMPARE(message(path), path.string() + ": this is not an ONNX model, or the file is cut off");
        std::ofstream(path) << "(def f Float (x : Float) (add x 1.0))";
        QCOMPARE(message(path), path.string() + ": this is not an ONNX model, or the file is cut off");
        // A file of 3 GB that takes no room on the disk.
        fs::resize_file(path, 3'000'000'000);
        QVERIFY2(message(path).find("at most 2 GB") != std::string::npos, message(path).c_str());
    }

    void weightsOutsideOfTheFolder_data() {
        QTest::addColumn<QByteArray>("location");
        QTest::newRow("above") << QByteArray("../w.data");
        QTest::newRow("absolute") << QByteArray("//tmp/w.d");
        QTest::newRow("missing") << QByteArray("mo.nowhere");
        QTest::newRow("a link that leads out") << QByteArray("linked.out");
    }
    void weightsOutsideOfTheFolder() {
        QFETCH(const QByteArray, location);
        const QTemporaryDir folder;
        const fs::path home = fs::path(folder.path().toStdString()) / "home";
        fs::create_directory(home);
        ir::TermBank bank(m_registry);
        const auto write = [&](const std::string& name, const std::string& weights) {
            std::ofstream(home / name, std::ios::binary)
                << bytes::model({.nodes = {{.type = "Add", .inputs = {"x", "w"}, .outputs = {"y"}}},
                                 .inputs = {bytes::value("x", bytes::Float, {"300"})},
                                 .outputs = {bytes::value("y", bytes::Float, {"300"})},
                                 .initializers = {bytes::tensor("w", 300, bytes::externalElements(weights))}});
        };
        std::ofstream(home / "m.data", std::ios::binary) << std::string(1200, '\0');
        write("m.onnx", "m.data");
        QVERIFY(onnx::importFile(bank, home / "m.onnx"));
        fs::copy_file(home / "m.data", home.parent_path() / "w.data");
        fs::create_symlink(home.parent_path() / "w.data", home / "linked.out");
        write("changed.onnx", location.toStdString());
        const Result<tensor::Model> read = onnx::importFile(bank, home / "changed.onnx");
        QVERIFY(!read);
        const std::string& message = read.error().message;
        const bool isMissing = location.startsWith("mo.");
        QVERIFY2(message.find(isMissing ? "is missing" : "outside of its folder") != std::string::npos,
                 message.c_str());
    }

    void weightsInAFileThatIsTooShort() {
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "m.onnx";
        ir::TermBank bank(m_registry);
        Result<tensor::Model> model =
            onnx::importText(bank,
                             "<ir_version: 8, opset_import: [\"\" : 17]> g (float[300] x) => (float[300] y) "
                             "<int64[1] s = {300}> { w = ConstantOfShape(s) y = Add(x, w) }");
        QVERIFY(model);
        model->weights = std::make_shared<const tensor::Weights>(model->weights->randomized(1, false));
        const Result<onnx::ExportReport> report = onnx::exportFile(bank, *model, path, {.externalData = true});
        QVERIFY(report && report->dataFile);
        fs::resize_file(*report->dataFile, 1000);
        const Result<tensor::Model> read = onnx::importFile(bank, path);
        QVERIFY(!read);
        QVERIFY2(
            read.error().message.find(report->dataFile->filename().string() + " is too short") != std::string::npos,
            read.error().message.c_str());
    }

    void largeFilesThatAreCutOffOrChanged() {
        // From 1 MB on files are mapped, and the elements of weights are left where they are.
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "m.onnx";
        ir::TermBank bank(m_registry);
        Result<tensor::Model> model =
            onnx::importText(bank,
                             "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N,600] x) => (float[N,600] y) "
                             "<int64[2] s = {600, 600}> { w = ConstantOfShape(s) y = MatMul(x, w) }");
        QVERIFY(model);
        model->weights = std::make_shared<const tensor::Weights>(model->weights->randomized(1, false));
        QVERIFY(onnx::exportFile(bank, *model, path));
        const std::string whole = fileBytes(path);
        QVERIFY(whole.size() > 1'440'000);
        const Result<tensor::Model> read = onnx::importFile(bank, path);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->program.root, model->program.root);
        const auto expected = *model->weights->find("w")->read();
        const auto found = *read->weights->find("w")->read();
        QCOMPARE(static_cast<float>(found->elements.back()), static_cast<float>(expected->elements.back()));
        // Over the file itself: the weights that are written are those that are read meanwhile.
        QVERIFY(onnx::exportFile(bank, *read, path));
        QCOMPARE(fileBytes(path), whole);
        // Cut off anywhere, and with wrong bytes among those that are not weights.
        Random random(7);
        int refused = 0;
        for (int i = 0; i < 40; ++i) {
            std::string bytes = whole;
            if (i % 2 == 0)
                bytes.resize(1'048'576 + random.below(bytes.size() - 1'048'576));
            else
                bytes[bytes.size() - 1 - random.below(100)] = static_cast<char>(random.below(256));
            if (i % 4 == 1) bytes[random.below(300)] = static_cast<char>(random.below(256));
            const fs::path broken = path.parent_path() / "broken.onnx";
            std::ofstream(broken, std::ios::binary) << bytes;
            const Result<tensor::Model> again = onnx::importFile(bank, broken);
            if (!again) QVERIFY(!again.error().message.empty());
            refused += again ? 0 : 1;
        }
        QVERIFY(refused >= 20);  // at least all that are cut off
    }

    void brokenFilesDoNoHarm() {
        // Longer runs: fuzz_onnx.
        const std::vector<fs::path> paths = conformanceModels();
        QVERIFY2(!paths.empty(), "libonnx-testdata is not installed (resources/debian-packages.txt)");
        Random random(20'261'122);
        int read = 0;
        int refused = 0;
        const std::vector<std::string> functions{bytes::nestedFunctions(3, 2), bytes::functionWithAnEmptyNode(true),
                                                 bytes::functionWithAnEmptyNode(false)};
        for (int i = 0; i < 3000; ++i) {
            const std::string whole =
                i % 10 == 0 ? functions[random.below(3)] : fileBytes(paths[random.below(paths.size())]);
            const std::string bytes = mutated(whole, random);
            ir::TermBank bank(m_registry);
            const Result<tensor::Model> model = onnx::importBytes(bank, bytes);
            (model ? read : refused) += 1;
            if (!model) QVERIFY(!model.error().message.empty());
        }
        QVERIFY(read > 100);  // or the mutations do not get past the parser
        QVERIFY(refused > 100);
    }
};

MITOS_TEST(TestOnnxHostile)

}  // namespace tst_onnx_hostile

#include "tst_onnx_hostile.moc"
