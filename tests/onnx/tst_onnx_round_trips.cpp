// SPDX-License-Identifier: GPL-3.0-or-later
// What must survive when a model is read and written: outputs that nobody uses, names, bodies of older opsets, values of types
// that the file does not tell.
#include "tests/onnx/model_bytes.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <array>

namespace tst_onnx_round_trips {

using namespace mitos;
using namespace mitos::tests;

class TestOnnxRoundTrips : public QObject, private OnnxFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { newBank(); }

    // --- outputs ------------------------------------------------------------------------------------------------------

    void outputsThatNobodyUsesAreWrittenWhereOnnxWantsThem_data() {
        QTest::addColumn<QByteArray>("graph");
        const auto row = [](const char* name, const char* graph) { QTest::newRow(name) << QByteArray(graph); };
        row("the values of TopK",
            "g (float[2, 5] x) => (float[2, 3] y) <int64[1] k = {3}> { v, i = TopK <axis = 1> (x, k) y = Relu(v) }");
        row("the indices of TopK",
            "g (float[2, 5] x) => (int64[2, 3] y) <int64[1] k = {3}> { v, i = TopK <axis = 1> (x, k) y = Neg(i) }");
        row("the first part of Split",
            "g (float[2, 5] x) => (float[2, 3] y) <int64[2] k = {3, 2}> { a, b = Split <axis = 1> (x, k) y = Relu(a) "
            "}");
        row("the middle part of Split",
            "g (float[2, 6] x) => (float[2, 2] y) { a, b, c = Split <axis = 1> (x) y = Relu(b) }");
        row("a part of what has no known size",
            "g (float[N, C] x) => (float[N, 3] y) <int64[2] k = {3, 2}> { a, b = Split <axis = 1> (x, k) y = Relu(a) "
            "}");
        row("two of the three of DynamicQuantizeLinear",
            "g (float[2, 6] x) => (float[2, 6] y) <uint8 o = {0}> { q, s, z = DynamicQuantizeLinear(x) "
            "y = DequantizeLinear(q, s, o) }");
        row("the last states of GRU, which may be left out",
            "g (float[4, 2, 3] x, float[1, 6, 3] w, float[1, 6, 2] r) => (float[4, 1, 2, 2] y) "
            "{ a, b = GRU <hidden_size = 2> (x, w, r) y = Relu(a) }");
    }
    void outputsThatNobodyUsesAreWrittenWhereOnnxWantsThem() {
        QFETCH(const QByteArray, graph);
        const tensor::Model read = model(graph.toStdString());
        QVERIFY(read.opaque.empty());
        comesBack(read);
    }

    // --- names --------------------------------------------------------------------------------------------------------

    void valuesOfNodesWithSeveralOutputsKeepTheirNames_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QStringList>("names");
        const auto row = [](const char* name, const char* graph, const QStringList& names) {
            QTest::newRow(name) << QByteArray(graph) << names;
        };
        row("Split",
            "g (float[2, 6] x) => (float[2, 2] y) { q, k, v = Split <axis = 1> (x) a = Add(q, k) y = Add(a, v) }",
            {QStringLiteral("q"), QStringLiteral("k"), QStringLiteral("v")});
        row("one of two is used",
            "g (float[2, 6] x) => (float[2, 3] y) { low, high = Split <axis = 1> (x) y = Relu(low) }",
            {QStringLiteral("low"), QStringLiteral("high")});
        row("the mask of Dropout is not", "g (float[2] x) => (float[2] y) { data, mask = Dropout(x) y = Relu(data) }",
            {QStringLiteral("data")});
        row("a node that nobody knows",
            "g (float[2] x) => (float[2] y) { first, second = my.ops.Two(x) y = my.ops.One(second) }",
            {QStringLiteral("first"), QStringLiteral("second")});
    }
    void valuesOfNodesWithSeveralOutputsKeepTheirNames() {
        QFETCH(const QByteArray, graph);
        QFETCH(const QStringList, names);
        const std::string once = written(model(graph.toStdString()));
        for (const QString& name : names) {
            QVERIFY2(once.find(bytes::field(2, name.toStdString())) != std::string::npos, qPrintable(name));
        }
        newBank();
        QCOMPARE(written(modelOf(once)), once);
    }

    void namesThatAreNoTextAreWrittenOtherwise() {
        const std::string name = "y\xFF\x1B[31m\xC3\xA4";
        const bytes::Names sizes{std::string("N\0", 2)};
        const tensor::Model read = modelOf(bytes::model(
            {.nodes = {{.type = "Relu", .inputs = {"x"}, .outputs = {name}, .name = "a\nb"},
                       {.type = "What\x07", .inputs = {name}, .outputs = {"z"}, .domain = "loc"}},
             .inputs = {bytes::value("x", bytes::Float, sizes)},
             .outputs = {bytes::value(name, bytes::Float, sizes), bytes::value("z", bytes::Float, sizes)}}));
        QCOMPARE(read.outputs, (std::vector<std::string>{"y%FF%1B[31m\xC3\xA4", "z"}));
        QVERIFY2(typeText(read).find("f32[N%00]") != std::string::npos, typeText(read).c_str());
        QCOMPARE(read.nodeNames.begin()->second.name, std::string("a%0Ab"));
        QVERIFY2(std::ranges::find(read.warnings,
                                   "names with control characters, or that are not UTF-8, are changed: "
                                   "y%FF%1B[31m\xC3\xA4") != read.warnings.end(),
                 read.warnings.front().c_str());
        comesBack(read);
        QVERIFY(modelOf(written(read)).warnings.size() == 2);  // of the node that nobody knows, and its output
    }

    // --- identity -----------------------------------------------------------------------------------------------------

    /// A model with every field that says which one it is; without a producer if that is empty.
    static std::string labelledModel(const std::string& producer) {
        const auto size = [](const std::string& dimension, const std::string& denotation) {
            return bytes::field(1, dimension + (denotation.empty() ? "" : bytes::field(3, denotation)));
        };
        const std::string shape = size(bytes::field(2, "N"), "DATA_BATCH") + size(bytes::integerField(1, 3), "");
        const auto declared = [&](const char* name, const char* documentation) {
            const std::string tensor = bytes::integerField(1, bytes::Float) + bytes::field(2, shape);
            return bytes::field(1, name) + bytes::field(2, bytes::field(1, tensor) + bytes::field(6, "IMAGE")) +
                   bytes::field(3, documentation);
        };
        const auto node = [](const char* type, const char* input, const char* output, const char* documentation) {
            return bytes::field(1, bytes::field(1, input) + bytes::field(2, output) + bytes::field(4, type) +
                                       bytes::field(6, documentation));
        };
        const std::string graph = node("Relu", "x", "a", "the first") + node("Neg", "a", "y", "the second") +
                                  bytes::field(2, "g") + bytes::field(10, "about the graph") +
                                  bytes::field(11, declared("x", "pixels")) + bytes::field(12, declared("y", "scores"));
        const std::string producers = producer.empty() ? "" : bytes::field(2, producer) + bytes::field(3, "2.8.0");
        return bytes::integerField(1, 8) + producers + bytes::field(4, "org.example") + bytes::integerField(5, 7) +
               bytes::field(6, "about\nthe model") + bytes::field(7, graph) + bytes::field(8, bytes::opset("", 17));
    }

    void identityIsWrittenAgain() {
        const tensor::Model read = modelOf(labelledModel("pytorch"));
        const tensor::Identity identity{.producer = "pytorch",
                                        .producerVersion = "2.8.0",
                                        .domain = "org.example",
                                        .version = 7,
                                        .documentation = "about\nthe model",
                                        .graphDocumentation = "about the graph"};
        const tensor::ValueNotes pixels{.documentation = "pixels", .denotation = "IMAGE", .axes = {"DATA_BATCH", ""}};
        const tensor::ValueNotes scores{.documentation = "scores", .denotation = "IMAGE", .axes = {"DATA_BATCH", ""}};
        QVERIFY(read.metadata.empty());
        const std::string once = written(read);
        for (const tensor::Model& model : {read, modelOf(once)}) {
            QVERIFY(model.identity == identity);
            QCOMPARE(model.notes.size(), std::size_t{2});
            QVERIFY(model.notes.at("x") == pixels);
            QVERIFY(model.notes.at("y") == scores);
            QCOMPARE(model.nodeNames.at("a").documentation, std::string("the first"));
            QCOMPARE(model.nodeNames.at("y").documentation, std::string("the second"));
        }
        newBank();
        const tensor::Model again = modelOf(once);
        QCOMPARE(again.metadata.size(), std::size_t{1});
        QVERIFY(!again.metadata.at("mitos_version").empty());
        QCOMPARE(written(again), once);
    }

    void documentationOfANodeThatChangedIsNotWritten() {
        tensor::Model read = modelOf(labelledModel("pytorch"));
        const ir::TermId negative = read.program.root;
        const std::array square{m_bank->child(negative, 0), m_bank->child(negative, 0)};
        const tensor::Operator& product = *tensor::findOperator("Mul");
        read.program.root =
            *tensor::make(*m_bank, product, square, tensor::Attributes(product), m_bank->hint(negative));
        const std::string once = written(read);
        QVERIFY(once.find("the first") != std::string::npos);
        QVERIFY(once.find("the second") == std::string::npos);
    }

    void filesWithoutAProducerGetOne() {
        const tensor::Model read = modelOf(labelledModel(""));
        QVERIFY(read.identity.producer.empty());
        const tensor::Model again = modelOf(written(read));
        QCOMPARE(again.identity.producer, std::string("mitos"));
        QVERIFY(again.metadata.empty());
    }

    // --- sizes without names ------------------------------------------------------------------------------------------

    void sizesWithoutNamesGetNoneOfTheFile_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QByteArray>("type");
        const auto row = [](const char* name, const char* graph, const char* type) {
            QTest::newRow(name) << QByteArray(graph) << QByteArray(type);
        };
        row("an input", "g (float[?, 2] x, float[x_0, 2] z) => (float[A, 2] y) { y = Concat <axis = 0> (x, z) }",
            "f32[x_0+x_0_2,2]");
        row("an operator's result",
            "g (float[2, 3] x, int64[2, r_1] z) => (int64[2, A] y) { r = NonZero(x) y = Concat <axis = 1> (r, z) }",
            "i64[2,r_1+r_2_1]");
        row("a node that is not understood",
            "g (float[N, 3, H, W] x, float[4, 3, 3, 3] w, float[N, 4, c_2, 1] z) => (float[N, 4, A, B] y) "
            "{ c = Conv <auto_pad = \"SAME_UPPER\", strides = [2, 2]> (x, w) y = Add(c, z) }",
            "f32[N,4,max(c_2:c_2_2),c_3]");
        row("the name is its own", "g (float[x_0, 2] x, float[x_0, 2] z) => (float[A, 2] y) { y = Add(x, z) }",
            "f32[x_0,2]");
    }
    void sizesWithoutNamesGetNoneOfTheFile() {
        QFETCH(const QByteArray, graph);
        QFETCH(const QByteArray, type);
        const tensor::Model read = model(graph.toStdString());
        QCOMPARE(typeText(read), type.toStdString());
        comesBack(read);
        QCOMPARE(written(modelOf(written(read))), written(read));
    }

    void sizesOfResultsAreDescribedWhereTheyAreNamedAfterThem() {
        const tensor::Model read =
            model("g (float[2] x) => (float[A, B] y) { r = NonZero(x) c = Cast <to = 1> (r) y = Relu(c) }");
        QCOMPARE(typeText(read), std::string("f32[1,r_1]"));
        comesBack(read);
    }

    // --- bodies of older opsets ---------------------------------------------------------------------------------------

    /// A branch that adds, and one that applies an operator.
    static std::string branches(const std::string& node) {
        return fmt::format(
            "g (bool c, float[2, 2] x) => (float[2, 2] y) {{ y = If (c) <then_branch = t () => (float[2, 2] a) "
            "{{ a = Add(x, x) }}, else_branch = e () => (float[2, 2] b) {{ b = {} }}> }}",
            node);
    }

    void bodiesOfOlderOpsetsThatMeanTheSameAreWritten_data() {
        QTest::addColumn<QByteArray>("node");
        QTest::addColumn<int>("opset");
        QTest::newRow("more element types") << QByteArray("Mul(x, x)") << 13;
        QTest::newRow("several versions ago") << QByteArray("MatMul(x, x)") << 7;
        QTest::newRow("an attribute more, at its default") << QByteArray("Reshape(x, x)") << 13;
    }
    void bodiesOfOlderOpsetsThatMeanTheSameAreWritten() {
        QFETCH(const QByteArray, node);
        QFETCH(const int, opset);
        const tensor::Model read = model(branches(node.toStdString()), opset);
        QCOMPARE(read.opaque.size(), std::size_t{1});
        QVERIFY(onnx::checkExportable(read));
        QVERIFY(onnx::exportBytes(*m_bank, read));
    }

    void bodiesThatMeanSomethingElseNowAreToldOfWhenTheyAreRead_data() {
        QTest::addColumn<QByteArray>("node");
        QTest::addColumn<int>("opset");
        QTest::addColumn<QByteArray>("what");
        QTest::newRow("other axes") << QByteArray("Softmax(x)") << 11 << QByteArray("Softmax of opset 11");
        QTest::newRow("other axes, though they are given")
            << QByteArray("Softmax <axis = 1> (x)") << 11 << QByteArray("Softmax of opset 11");
        QTest::newRow("attributes that are inputs now")
            << QByteArray("ReduceSum <axes = [0]> (x)") << 11 << QByteArray("ReduceSum of opset 11");
        QTest::newRow("slopes by channel") << QByteArray("PRelu(x, x)") << 6 << QByteArray("PRelu of opset 6");
        QTest::newRow("an operator that is gone")
            << QByteArray("Upsample(x, x)") << 9 << QByteArray("Upsample of opset 9");
    }
    void bodiesThatMeanSomethingElseNowAreToldOfWhenTheyAreRead() {
        QFETCH(const QByteArray, node);
        QFETCH(const int, opset);
        QFETCH(const QByteArray, what);
        const tensor::Model read = model(branches(node.toStdString()), opset);
        const std::string why = what.toStdString() + " has another meaning at opset 17, and cannot be converted";
        QVERIFY(!read.warnings.empty());
        QVERIFY2(read.warnings.front().ends_with("; the model cannot be written again: " + why),
                 read.warnings.front().c_str());
        const Status exportable = onnx::checkExportable(read);
        QVERIFY(!exportable);
        QCOMPARE(exportable.error().message, why);
        QCOMPARE(onnx::exportBytes(*m_bank, read).error().message, why);
    }

    // --- what is declared ---------------------------------------------------------------------------------------------

    void outputsThatAreNotWhatIsDeclaredAreToldOf_data() {
        QTest::addColumn<QByteArray>("declared");
        QTest::addColumn<QByteArray>("warning");
        QTest::newRow("another size") << QByteArray("float[4]")
                                      << QByteArray("the output y is declared as f32[4], and is f32[3]");
        QTest::newRow("another element type")
            << QByteArray("int64[3]") << QByteArray("the output y is declared as i64[3], and is f32[3]");
        QTest::newRow("another rank") << QByteArray("float[3, 1]")
                                      << QByteArray("the output y is declared as f32[3,1], and is f32[3]");
        QTest::newRow("a name") << QByteArray("float[N]") << QByteArray();
        QTest::newRow("no rank") << QByteArray("float[]") << QByteArray();
    }
    void outputsThatAreNotWhatIsDeclaredAreToldOf() {
        QFETCH(const QByteArray, declared);
        QFETCH(const QByteArray, warning);
        const tensor::Model read =
            model(fmt::format("g (float[3] x) => ({} y) {{ y = Relu(x) }}", declared.toStdString()));
        const std::string found = read.warnings.empty() ? std::string() : read.warnings.front();
        QCOMPARE(found, warning.toStdString());
        QCOMPARE(typeText(read), std::string("f32[3]"));
    }

    // --- types that are not told --------------------------------------------------------------------------------------

    void typesThatNobodyDeclaresFollowFromThoseWhoRead() {
        const tensor::Model read =
            model("g (float[4, 4] x) => (float[4, 4] y) { a = my.ops.Foo(x) b = Relu(a) y = Identity(b) }");
        QCOMPARE(nodeCounts(*m_bank, read.program.root), (std::map<std::string, int>{{"Opaque", 1}, {"Relu", 1}}));
        QCOMPARE(typeText(read), std::string("f32[...]"));
        comesBack(read);
        QCOMPARE(modelOf(written(read)).declaredSizes.at("y"), (std::vector<std::string>{"4", "4"}));
    }

    void typesFollowFromWhatIsReadBesides() {
        const tensor::Model read = model(
            "g (int64[N] x) => (bool[N] y) <int64[1] w = {3}> { a, b = my.ops.Foo(x) c = Add(b, w) d = Equal(a, c) "
            "y = Not(d) }");
        QCOMPARE(typeText(read), std::string("bool[...]"));
        comesBack(read);
    }

    void whatOnlyTheUnknownReadMayHaveNoType() {
        const tensor::Model read =
            model("g (float[4] x) => (float[4] y) { a = my.ops.Foo(x) b = my.ops.Bar(a) y = Cast <to = 1> (b) }");
        QCOMPARE(nodeCounts(*m_bank, read.program.root), (std::map<std::string, int>{{"Cast", 1}, {"Opaque", 2}}));
        comesBack(read);
    }
};

MITOS_TEST(TestOnnxRoundTrips)

}  // namespace tst_onnx_round_trips

#include "tst_onnx_round_trips.moc"
