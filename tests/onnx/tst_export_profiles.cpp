// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of ONNX Runtime: written as they are by the profile of that name, else as what they stand for.
#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/expand.h"
#include "core/tensor/samples.h"
#include "core/tensor/text.h"
#include "tests/onnx/onnx_models.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>

namespace tst_export_profiles {

using namespace mitos;
using namespace mitos::tests;

class TestExportProfiles : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const ir::OperatorRegistry> m_registry = tensorRegistry();
    std::unique_ptr<ir::TermBank> m_bank;

    tensor::Model model(const std::string& body) {
        const Result<tensor::Model> read = onnx::importText(
            *m_bank,
            fmt::format("<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1, \"mitos\" : 1]>\n{}", body));
        if (!read) qFatal("%s", read.error().render().c_str());
        return *read;
    }
    onnx::ExportedBytes written(const tensor::Model& model, onnx::Profile profile) {
        Result<onnx::ExportedBytes> bytes = onnx::exportBytes(*m_bank, model, {.profile = profile});
        if (!bytes) qFatal("%s", bytes.error().render().c_str());
        if (!bytes->report.isAccepted()) {
            qFatal("%s %s", bytes->report.checkerSays.c_str(), bytes->report.inferenceSays.c_str());
        }
        return *std::move(bytes);
    }
    tensor::Model again(const tensor::Model& model, onnx::Profile profile) {
        const Result<tensor::Model> read = onnx::importBytes(*m_bank, written(model, profile).bytes);
        if (!read) qFatal("%s", read.error().render().c_str());
        return *read;
    }
    /// Operators that ONNX does not have, by domain.
    std::map<std::string, int> others(const tensor::Model& model) {
        std::map<std::string, int> result;
        for (const auto& [name, count] : nodeCounts(*m_bank, model.program.root)) {
            const tensor::Operator* const op = tensor::findOperator(name);
            if (op == nullptr || !tensor::isStandard(*op)) result[op == nullptr ? name : op->onnx.domain] += count;
        }
        return result;
    }
    double deviation(const tensor::Model& a, const tensor::Model& b) {
        Random random(5);
        const tensor::Inputs inputs = *tensor::randomInputs(*m_bank, m_bank->function(a.program.function), {}, random);
        const auto first = tensor::evaluate(*m_bank, a.program.root, inputs, *a.weights);
        const auto second = tensor::evaluate(*m_bank, b.program.root, inputs, *b.weights);
        if (!first || !second) qFatal("%s", (first ? second.error() : first.error()).message.c_str());
        return *tensor::maxDeviation(*first, *second);
    }

private Q_SLOTS:
    void init() { m_bank = std::make_unique<ir::TermBank>(m_registry); }

    void operators_data() {
        QTest::addColumn<QByteArray>("body");
        const auto row = [](const char* name, const char* body) { QTest::newRow(name) << QByteArray(body); };
        row("Gelu", "g (float[2, 5] x) => (float[2, 5] y) { y = com.microsoft.Gelu(x) }");
        row("QuickGelu", "g (float[N] x) => (float[N] y) { y = com.microsoft.QuickGelu <alpha = 1.5> (x) }");
        row("FastGelu", "g (float[2, 5] x) => (float[2, 5] y) { y = com.microsoft.FastGelu(x) }");
        row("FastGelu with a bias",
            "g (float[2, 5] x, float[5] b) => (float[2, 5] y) { y = com.microsoft.FastGelu(x, b) }");
        row("BiasGelu", "g (float[2, 5] x, float[5] b) => (float[2, 5] y) { y = com.microsoft.BiasGelu(x, b) }");
        row("FusedMatMul",
            "g (float[B, 4, 2] x, float[B, 3, 4] z) => (float[B, 2, 3] y) "
            "{ y = com.microsoft.FusedMatMul <alpha = 0.5, transA = 1, transB = 1> (x, z) }");
        row("FusedMatMul that is a product",
            "g (float[4, 2] x, float[2, 3] z) => (float[4, 3] y) "
            "{ y = com.microsoft.FusedMatMul(x, z) }");
        row("FusedGemm",
            "g (float[4, 2] x, float[2, 3] w, float[3] b) => (float[4, 3] y) "
            "{ y = com.microsoft.FusedGemm <activation = \"Relu\", beta = 2.0> (x, w, b) }");
        row("FusedGemm with a parameter",
            "g (float[4, 2] x, float[3, 2] w) => (float[4, 3] y) { y = com.microsoft.FusedGemm "
            "<activation = \"LeakyRelu\", activation_alpha = 0.25, transB = 1> (x, w) }");
        row("FusedConv",
            "g (float[N, 4, 7, 7] x, float[6, 2, 3, 3] w, float[6] b) => (float[N, 6, 4, 4] y) "
            "{ y = com.microsoft.FusedConv <activation = \"Tanh\", group = 2, strides = [2, 2], "
            "pads = [1, 1, 1, 1]> (x, w, b) }");
        row("FusedConv with parameters",
            "g (float[1, 2, 5] x, float[3, 2, 3] w) => (float[1, 3, 3] y) "
            "{ y = com.microsoft.FusedConv <activation = \"Clip\", activation_params = [0.0, 1.5]> (x, w) }");
        row("FusedConv with a summand",
            "g (float[1, 2, 5] x, float[3, 2, 3] w, float[1, 3, 3] z) => (float[1, 3, 3] y) { y = "
            "com.microsoft.FusedConv <activation = \"HardSigmoid\", activation_params = [0.25, 0.5]> (x, w, , z) }");
        row("SkipLayerNormalization",
            "g (float[N, 3, 4] x, float[N, 3, 4] z, float[4] s, float[4] b, float[4] c) => (float[N, 3, 4] y) "
            "{ y = com.microsoft.SkipLayerNormalization <epsilon = 0.001> (x, z, s, b, c) }");
        row("SkipLayerNormalization without a shift",
            "g (float[3, 4] x, float[3, 4] z, float[4] s, float[4] c) => (float[3, 4] y) "
            "{ y = com.microsoft.SkipLayerNormalization <epsilon = 0.001> (x, z, s, , c) }");
        row("MultiHeadAttention",
            "g (float[2, 3, 8] q, float[2, 5, 8] k, float[2, 5, 4] v) => (float[2, 3, 4] y) "
            "{ y = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v) }");
        row("MultiHeadAttention of any batch, with biases",
            "g (float[B, 3, 4] q, float[B, L, 4] k, float[B, L, 4] v, float[12] b) => (float[B, 3, 4] y) "
            "{ y = com.microsoft.MultiHeadAttention <num_heads = 2, scale = 0.75> (q, k, v, b) }");
        row("MultiHeadAttention with a mask",
            "g (float[2, 3, 4] q, float[2, 5, 4] k, float[2, 5, 4] v, float[1, 2, 3, 5] m) => (float[2, 3, 4] y) "
            "{ y = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v, , , m) }");
        row("MultiHeadAttention that looks back",
            "g (float[2, 3, 4] q, float[2, 5, 4] k, float[2, 5, 4] v) => (float[2, 3, 4] y) "
            "{ y = com.microsoft.MultiHeadAttention <num_heads = 2, unidirectional = 1> (q, k, v) }");
    }
    /// Both ways mean the same, and what is written as it is comes back as it was.
    void operators() {
        QFETCH(const QByteArray, body);
        const tensor::Model before = model(body.toStdString());
        QCOMPARE(before.opaque.size(), std::size_t{0});
        QCOMPARE(others(before), (std::map<std::string, int>{{"com.microsoft", 1}}));
        const tensor::Model same = again(before, onnx::Profile::Microsoft);
        QVERIFY2(same.program.root == before.program.root, text(*m_bank, same.program.root).c_str());
        QCOMPARE(written(before, onnx::Profile::Microsoft).report.expanded, std::size_t{0});
        QCOMPARE(written(before, onnx::Profile::Standard).report.expanded, std::size_t{1});
        const tensor::Model plain = again(before, onnx::Profile::Standard);
        QVERIFY2(others(plain).empty(), text(*m_bank, plain.program.root).c_str());
        QCOMPARE(m_bank->type(plain.program.root), m_bank->type(before.program.root));
        QVERIFY(deviation(before, plain) < 1e-6);
    }

    /// Our own operators are written out whatever the profile: nobody else has them.
    void kernelsOfMergedGroups() {
        const tensor::Model before = model(
            "g (float[8, 3, 2, 2] w) => (float[8, 6, 2, 2] y) "
            "{ y = mitos.MergeGroups <group = 4, count = 2> (w) }");
        QCOMPARE(others(before), (std::map<std::string, int>{{"mitos", 1}}));
        for (const onnx::Profile profile : {onnx::Profile::Standard, onnx::Profile::Microsoft}) {
            const tensor::Model plain = again(before, profile);
            QVERIFY(others(plain).empty());
            QCOMPARE(deviation(before, plain), 0.0);
        }
    }

    /// Operators with the channels last are written between Transposes, whatever the profile.
    void theChannelsLast() {
        const tensor::Model before = model(
            "g (float[1, 6, 5, 4] x, float[8, 4, 3, 3] w) => (float[1, 4, 3, 8] y) "
            "{ y = mitos.NhwcConv <strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1]> (x, w) }");
        for (const onnx::Profile profile : {onnx::Profile::Standard, onnx::Profile::Microsoft}) {
            const tensor::Model plain = again(before, profile);
            QCOMPARE(QString::fromStdString(tensor::termText(*m_bank, plain.program.root, 20)),
                     QString::fromUtf8("Transpose[perm=[0,2,3,1]](Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1]]("
                                       "Transpose[perm=[0,3,1,2]](x), w))"));
            QCOMPARE(deviation(before, plain), 0.0);
        }
    }

    /// Chains of them need Transposes at their ends only, also where something is done element by element, joined or averaged.
    void chainsWithTheChannelsLast() {
        const std::string window = "strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1]";
        const tensor::Model before = model(
            "g (float[1, 6, 5, 4] x, float[8, 4, 3, 3] w, float[8] b, float[8, 8, 3, 3] v, float[1, 6, 5, 8] z, float "
            "s) "
            "=> (float[1, 1, 1, 16] y) { c = mitos.NhwcConv <" +
            window + "> (x, w, b) r = Relu(c) t = Mul(r, s) f = mitos.NhwcFusedConv <" + window +
            ", activation = \"Relu\"> (t, v, , z) a = Add(f, r) j = Concat <axis = 3> (a, f) "
            "p = mitos.NhwcMaxPool <kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], dilations = [1, 1]> "
            "(j) m = ReduceMean <axes = [1, 2], keepdims = 1> (p) "
            "y = mitos.NhwcAveragePool <kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0]> (m) }");
        QCOMPARE(others(before), (std::map<std::string, int>{{"mitos", 4}}));
        const tensor::Model standard = again(before, onnx::Profile::Standard);
        QVERIFY(others(standard).empty());
        const std::map<std::string, int> counts = nodeCounts(*m_bank, standard.program.root);
        QCOMPARE(counts.at("Transpose"), 3);  // of x, of z, and of the result
        QCOMPARE(counts.at("Conv"), 2);
        QCOMPARE(counts.at("Relu"), 2);
        QCOMPARE(counts.at("Concat"), 1);
        QCOMPARE(counts.at("ReduceMean"), 1);
        QCOMPARE(deviation(before, standard), 0.0);
        const tensor::Model microsoft = again(before, onnx::Profile::Microsoft);
        QCOMPARE(others(microsoft), (std::map<std::string, int>{{"com.microsoft", 1}}));
        QCOMPARE(nodeCounts(*m_bank, microsoft.program.root).at("Transpose"), 3);
        QCOMPARE(deviation(before, microsoft), 0.0);
    }

    /// What also leaves the chain in its order is reordered there.
    void valuesOfAChainThatLeaveIt() {
        const std::string window = "strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1]";
        const tensor::Model before = model(
            "g (float[1, 4, 6, 5] x, float[4, 4, 1, 1] w) => (float[1, 6, 5, 4] y, float[1, 4, 6, 5] u) "
            "{ l = Transpose <perm = [0, 2, 3, 1]> (x) c = mitos.NhwcConv <" +
            window + "> (l, w) y = Relu(c) d = mitos.NhwcConv <" + window +
            "> (y, w) u = Transpose <perm = [0, 3, 1, 2]> (d) }");
        const tensor::Model plain = again(before, onnx::Profile::Standard);
        const std::map<std::string, int> counts = nodeCounts(*m_bank, plain.program.root);
        QCOMPARE(counts.at("Transpose"), 1);
        QCOMPARE(counts.at("Conv"), 2);
        QCOMPARE(deviation(before, plain), 0.0);
    }

    void everyOperatorThatOnnxLacksSaysWhatItStandsFor() {
        for (const tensor::Operator& op : tensor::operators()) {
            QVERIFY2(tensor::isStandard(op) == (op.expand == nullptr), op.name.c_str());
        }
    }

    void whatCannotBeWrittenOutIsRefused() {
        const tensor::Model before = model(
            "g (float[2, 3, W] q, float[2, 5, W] k, float[2, 5, 4] v) => (float[2, 3, 4] y) "
            "{ y = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v) }");
        const Result<onnx::ExportedBytes> bytes = onnx::exportBytes(*m_bank, before);
        QVERIFY(!bytes);
        QCOMPARE(bytes.error().code, ErrorCode::Unsupported);
        QCOMPARE(bytes.error().message, std::string("MultiHeadAttention is no operator of ONNX, and cannot be written "
                                                    "out as such: a width is only a name"));
        QCOMPARE(again(before, onnx::Profile::Microsoft).program.root, before.program.root);
    }

    void formsThatAreNotKnownStayOpaque() {
        const tensor::Model padded = model(
            "g (float[2, 3, 4] q, float[2, 5, 4] k, float[2, 5, 4] v, int32[2, 5] m) => (float[2, 3, 4] y) "
            "{ y = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v, , m) }");
        QCOMPARE(padded.opaque.size(), std::size_t{1});
        QCOMPARE(again(padded, onnx::Profile::Standard).program.root, padded.program.root);
    }

    void whatIsKnownToBeSlowIsSaid() {
        const tensor::Model slow = model(
            "g (float[1, 2, 5] x, float[3, 2, 3] w, float[1, 3, 3] z, float[3] s) => (float[1, 3, 3] y) "
            "{ c = com.microsoft.FusedConv <activation = \"Relu\"> (x, w, , z) "
            "y = com.microsoft.SkipLayerNormalization(c, z, s) }");
        QCOMPARE(written(slow, onnx::Profile::Microsoft).report.warnings.size(), std::size_t{2});
        QVERIFY(written(slow, onnx::Profile::Standard).report.warnings.empty());
        const tensor::Model quick = model("g (float[2] x) => (float[2] y) { y = com.microsoft.Gelu(x) }");
        QVERIFY(written(quick, onnx::Profile::Microsoft).report.warnings.empty());
    }
};

MITOS_TEST(TestExportProfiles)

}  // namespace tst_export_profiles

#include "tst_export_profiles.moc"
