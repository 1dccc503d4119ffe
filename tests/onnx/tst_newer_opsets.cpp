// SPDX-License-Identifier: GPL-3.0-or-later
// Opsets 18 to 25, which ONNX's library here does not know: what they changed (ONNX's docs/Changelog.md) is read as what it means
// and written as they have it.
#include "core/base/random.h"
#include "core/tensor/samples.h"
#include "tests/onnx/model_bytes.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>
#include <cmath>

namespace tst_newer_opsets {

using namespace mitos;
using namespace mitos::tests;

class TestNewerOpsets : public QObject, private OnnxFixture {
    Q_OBJECT

private:
    /// The program of a graph that has one input x of those sizes.
    std::string programOf(const std::string& sizes, const std::string& rest, int opset) {
        return programText(model(fmt::format("g (float[{}] x) => (float[a, b] y) {}", sizes, rest), opset));
    }

private Q_SLOTS:
    void init() { newBank(); }

    void formsOfNewerOpsetsAreRead_data() {
        QTest::addColumn<int>("opset");
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QByteArray>("program");
        const auto row = [](const char* name, int opset, const char* graph, const char* program) {
            QTest::newRow(name) << opset << QByteArray(graph) << QByteArray(program);
        };
        row("axes of reductions are inputs", 18,
            "g (float[2, 3] x) => (float[2, 1] y) <int64[1] axes = {-1}> { y = ReduceMean(x, axes) }",
            "ReduceMean[[1]$true](x)");
        row("no axes are all", 18, "g (float[2, 3] x) => (float[1, 1] y) { y = ReduceMax(x) }",
            "ReduceMax[[0,1]$true](x)");
        row("Split says how many", 18,
            "g (float[2, 5] x) => (float[2, 3] y, float[2, 2] z) { y, z = Split <axis = 1, num_outputs = 2> (x) }",
            "tuple(get.0(Split[1$[3,2]](x)), get.1(Split[1$[3,2]](x)))");
        row("Cast saturates", 19, "g (float[2] x) => (double[2] y) { y = Cast <to = 11, saturate = 0> (x) }",
            "Cast[f64](x)");
        row("Gelu is ONNX's own", 20, "g (float[2] x) => (float[2] y) { y = Gelu(x) }", "Gelu(x)");
        row("Gelu by tanh", 20, "g (float[2] x) => (float[2] y) { y = Gelu <approximate = \"tanh\"> (x) }",
            "FastGelu(x)");
        row("Cast rounds powers of two", 24,
            "g (float[2] x) => (double[2] y) { y = Cast <to = 11, round_mode = \"nearest\"> (x) }", "Cast[f64](x)");
        row("Swish is ONNX's own", 24, "g (float[2] x) => (float[2] y) { y = Swish(x) }", "QuickGelu[1.0](x)");
        row("Swish of a multiple", 25, "g (float[2] x) => (float[2] y) { y = Swish <alpha = 1.5> (x) }",
            "QuickGelu[1.5](x)");
        row("Resize of some axes", 18,
            "g (float[1, 2, 4, 4] x) => (float[1, 2, 8, 4] y) <float[1] s = {2}> "
            "{ y = Resize <axes = [2], mode = \"nearest\", keep_aspect_ratio_policy = \"stretch\"> (x, , s) }",
            "Resize[[1.0,1.0,2.0,1.0]$[]$nearest$half_pixel$round_prefer_floor$-0.75$false$[]$0.0](x)");
        row("bilinear is linear", 20,
            "g (float[1, 1, 4, 4] x, float[1, 2, 2, 2] p) => (float[1, 1, 2, 2] y) "
            "{ y = GridSample <mode = \"linear\"> (x, p) }",
            "GridSample[bilinear$zeros$false](x, p)");
        row("Pad of some axes", 18,
            "g (float[2, 3] x) => (float[2, 5] y) <int64[2] p = {1, 1}, int64[1] a = {1}> { y = Pad(x, p, , a) }",
            "Pad[[0,1,0,1]$constant$0.0](x)");
        row("zeros of products of Integers", 21,
            "g (uint8[2, 3] x, int8[3, 2] w) => (int32[2, 2] y) <uint8 z = {3}> { y = MatMulInteger(x, w, z) }",
            "MatMulInteger(x, w, Constant[3.0$u8$[]])");
        row("dilations of 1", 19,
            "g (float[1, 1, 4] x) => (float[1, 1, 3] y) "
            "{ y = AveragePool <kernel_shape = [2], dilations = [1]> (x) }",
            "AveragePool[[2]$[1]$[0,0]$false$false](x)");
    }
    void formsOfNewerOpsetsAreRead() {
        QFETCH(const int, opset);
        QFETCH(const QByteArray, graph);
        QFETCH(const QByteArray, program);
        const tensor::Model read = model(graph.toStdString(), opset);
        QCOMPARE(programText(read), program.toStdString());
        QVERIFY(read.opaque.empty());
        QCOMPARE(read.opset, std::int64_t{opset});
        // It is written at that opset, in its forms, and at the oldest: the same program both times.
        for (const int target : {opset, 17, onnx::NewestOpset}) {
            const std::string bytes = written(
                read, {.profile = onnx::Profile::Microsoft, .foldWeights = false, .keepIdle = true, .opset = target});
            QCOMPARE(programText(modelOf(bytes)), program.toStdString());
            QVERIFY(bytes.find(bytes::field(8, bytes::field(1, "") + bytes::integerField(2, target))) !=
                        std::string::npos ||
                    bytes.find(bytes::field(8, bytes::integerField(2, target))) != std::string::npos);
        }
        QVERIFY(written(read).find(bytes::integerField(2, opset)) != std::string::npos);
    }

    void newOperatorsAreExpandedInOlderOpsets_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QByteArray>("program");
        const auto row = [](const char* name, const char* graph, const char* program) {
            QTest::newRow(name) << QByteArray(graph) << QByteArray(program);
        };
        row("RMSNormalization",
            "g (float[2, N, 3] x, float[3] s) => (float[2, N, 3] y) { y = RMSNormalization <epsilon = 0.01> (x, s) }",
            "RMSNormalization[2$0.01](x, s)");
        row("RMSNormalization from an axis on",
            "g (float[2, 2, 3] x, float[2, 1] s) => (float[2, 2, 3] y) "
            "{ y = RMSNormalization <axis = 1, stash_type = 1> (x, s) }",
            "RMSNormalization[1$1e-05](x, s)");
        row("Attention",
            "g (float[N, S, 8] q, float[N, L, 8] k, float[N, L, 6] v) => (float[N, S, 6] y) "
            "{ y = Attention <q_num_heads = 2, kv_num_heads = 2, softcap = 2.0> (q, k, v) }",
            "Attention[2$2$0.0$false$2.0](q, k, v)");
        row("heads with an axis of their own",
            "g (float[N, 2, S, 4] q, float[N, 2, L, 4] k, float[N, 2, L, 3] v, float[L] m) => (float[N, 2, S, 3] y) "
            "{ y = Attention <scale = 0.75> (q, k, v, m) }",
            "Attention[0$0$0.75$false$0.0](q, k, v, m)");
        row("heads in groups",
            "g (float[2, 3, 8] q, float[2, 5, 4] k, float[2, 5, 6] v, float[2, 4, 3, 5] m) => (float[2, 3, 12] y) "
            "{ y = Attention <q_num_heads = 4, kv_num_heads = 2> (q, k, v, m) }",
            "Attention[4$2$0.0$false$0.0](q, k, v, m)");
        row("heads in groups, a mask for all",
            "g (float[N, 4, S, 2] q, float[N, 2, L, 2] k, float[N, 2, L, 2] v, bool[N, 1, S, L] m) => "
            "(float[N, 4, S, 2] y) { y = Attention(q, k, v, m) }",
            "Attention[0$0$0.0$false$0.0](q, k, v, m)");
        row("masks of truth values that look back",
            "g (float[1, 4, 3, 2] q, float[1, 2, 4, 2] k, float[1, 2, 4, 3] v, bool[4, 3, 4] m) => "
            "(float[1, 4, 3, 3] y) { y = Attention <is_causal = 1> (q, k, v, m) }",
            "Attention[0$0$0.0$true$0.0](q, k, v, m)");
        row("a mask of numbers that looks back",
            "g (float[1, 2, 3, 2] q, float[1, 2, 5, 2] k, float[1, 2, 5, 3] v, float[1, 5] m) => "
            "(float[1, 2, 3, 3] y) { y = Attention <is_causal = 1> (q, k, v, m) }",
            "Attention[0$0$0.0$true$0.0](q, k, v, m)");
        row("Col2Im",
            "g (float[N, 8, 4] x) => (float[N, 2, 3, 3] y) <int64[2] i = {3, 3}, int64[2] b = {2, 2}> "
            "{ y = Col2Im(x, i, b) }",
            "Col2Im[[3,3]$[2,2]$[1,1]$[0,0,0,0]$[1,1]](x)");
        row("Col2Im with further columns behind the last block",
            "g (float[2, 4, 4] x) => (float[2, 1, 4, 5] y) <int64[2] i = {4, 5}, int64[2] b = {2, 2}> "
            "{ y = Col2Im <strides = [2, 2], pads = [0, 1, 0, 0], dilations = [1, 2]> (x, i, b) }",
            "Col2Im[[4,5]$[2,2]$[2,2]$[0,1,0,0]$[1,2]](x)");
    }
    void newOperatorsAreExpandedInOlderOpsets() {
        QFETCH(const QByteArray, graph);
        QFETCH(const QByteArray, program);
        const tensor::Model read = model(graph.toStdString(), 23);
        QCOMPARE(programText(read), program.toStdString());
        for (const int opset : {23, onnx::NewestOpset}) {
            QCOMPARE(programText(modelOf(written(read, {.opset = opset}))), program.toStdString());
        }
        const tensor::Model older = modelOf(written(read, {.opset = 17}));
        QVERIFY(older.opaque.empty());
        QCOMPARE(typeText(older), typeText(read));
        QVERIFY2(programText(older).find(program.left(program.indexOf('[')).toStdString() + "[") == std::string::npos,
                 programText(older).c_str());
        Random random(5);
        const tensor::Inputs inputs =
            *tensor::randomInputs(*m_bank, m_bank->function(read.program.function), {}, random);
        QVERIFY(*tensor::maxDeviation(*evaluated(read, inputs), *evaluated(older, inputs)) < 1e-6);
    }

    void sizesThatAreOnlyNamesAreNotWrittenInOlderOpsets() {
        const tensor::Model read = model(
            "g (float[1, 2, S, 4] q, float[1, 2, L, 4] k) => (float[1, 2, S, 4] y) "
            "{ y = Attention <is_causal = 1> (q, k, k) }",
            23);
        comesBack(read);
        const Result<onnx::ExportedBytes> older = onnx::exportBytes(*m_bank, read, {.opset = 22});
        QVERIFY(!older);
        QCOMPARE(older.error().message, std::string("Attention is an operator of ONNX since opset 23, and cannot be "
                                                    "written out as such: the number of queries is only a name"));
    }

    void operatorsOf23AreUnknownBefore() {
        const tensor::Model read =
            model("g (float[2, 3] x, float[3] s) => (float[2, 3] y) { y = RMSNormalization <axis = 1> (x, s) }", 22);
        QCOMPARE(read.opaque.size(), std::size_t{1});
    }

    void whatTheTableCannotSayIsKept_data() {
        QTest::addColumn<int>("opset");
        QTest::addColumn<QByteArray>("graph");
        QTest::newRow("antialias")
            << 18
            << QByteArray(
                   "g (float[1, 1, 4, 4] x) => (float[1, 1, 2, 2] y) <float[4] s = {1, 1, 0.5, 0.5}> "
                   "{ y = Resize <antialias = 1, mode = \"linear\"> (x, , s) }");
        QTest::newRow("rounded windows of a norm")
            << 18
            << QByteArray(
                   "g (float[1, 1, 4] x) => (float[1, 1, 2] y) "
                   "{ y = LpPool <kernel_shape = [3], strides = [2], ceil_mode = 1> (x) }");
        QTest::newRow("windows with holes") << 19
                                            << QByteArray(
                                                   "g (float[1, 1, 4] x) => (float[1, 1, 2] y) "
                                                   "{ y = AveragePool <kernel_shape = [2], dilations = [2]> (x) }");
        QTest::newRow("scales of blocks") << 21
                                          << QByteArray(
                                                 "g (float[2, 4] x, float[2, 2] s, int8[2, 2] z) => (int8[2, 4] y) "
                                                 "{ y = QuantizeLinear <block_size = 2> (x, s, z) }");
        QTest::newRow("Mish") << 18 << QByteArray("g (float[2] x) => (float[2] y) { y = Mish(x) }");
        QTest::newRow("a cache of keys") << 24
                                         << QByteArray(
                                                "g (float[1, 2, 4, 3] x, float[1, 2, 1, 3] u, int64[1] i) => "
                                                "(float[1, 2, 4, 3] y) { y = TensorScatter(x, u, i) }");
        QTest::newRow("attention to the past")
            << 23
            << QByteArray(
                   "g (float[1, 2, 4, 3] x, float[1, 2, 2, 3] p) => (float[1, 2, 4, 3] y) "
                   "{ y = Attention(x, x, x, , p, p) }");
        QTest::newRow("attention to as many keys as there are")
            << 24
            << QByteArray(
                   "g (float[1, 2, 4, 3] x, int64[1] n) => (float[1, 2, 4, 3] y) "
                   "{ y = Attention(x, x, x, , , , n) }");
        QTest::newRow("windows of keys") << 25
                                         << QByteArray(
                                                "g (float[1, 2, 4, 3] x) => (float[1, 2, 4, 3] y) "
                                                "{ y = Attention <left_window_size = 2> (x, x, x) }");
        QTest::newRow("groups of channels") << 21
                                            << QByteArray(
                                                   "g (float[1, 4, 2] x, float[4] s, float[4] b) => (float[1, 4, 2] y) "
                                                   "{ y = GroupNormalization <num_groups = 2> (x, s, b) }");
    }
    void whatTheTableCannotSayIsKept() {
        QFETCH(const int, opset);
        QFETCH(const QByteArray, graph);
        const tensor::Model read = model(graph.toStdString(), opset);
        QCOMPARE(read.opaque.size(), std::size_t{1});
        comesBack(read);
        const Result<onnx::ExportedBytes> older = onnx::exportBytes(*m_bank, read, {.opset = 17});
        QVERIFY(!older);
        QVERIFY2(older.error().message.find("has another meaning at opset 17") != std::string::npos,
                 older.error().message.c_str());
    }

    void nodesOfOlderFilesMoveOnWhereTheyMeanTheSame() {
        const std::string of17 =
            "g (float[2, 3] x, bool c) => (float[a, b] y) { y = If(c) <then_branch = t () => (float[2, 1] p) "
            "{ p = ReduceMean <axes = [1]> (x) }, else_branch = e () => (float[2, 3] q) { q = Relu(x) }> }";
        const tensor::Model read = model(of17, 17);
        QCOMPARE(read.opaque.size(), std::size_t{1});
        QVERIFY(onnx::checkExportable(read));
        const Status newer = onnx::checkExportable(read, 18);
        QVERIFY(!newer);
        QCOMPARE(newer.error().message,
                 std::string("ReduceMean of opset 17 has another meaning at opset 18, and cannot be converted"));
        QVERIFY(!onnx::checkExportable(read, 16));
        QVERIFY(!onnx::checkExportable(read, onnx::NewestOpset + 1));
    }

    void geluIsOneNodeWhereOnnxHasIt() {
        const tensor::Model read = model("g (float[2] x) => (float[2] y) { y = com.microsoft.Gelu(x) }", 17);
        QVERIFY(written(read, {.opset = 19}).find("Erf") != std::string::npos);
        const std::string bytes = written(read, {.opset = 20});
        QVERIFY(bytes.find("Erf") == std::string::npos);
        QCOMPARE(programText(modelOf(bytes)), std::string("Gelu(x)"));
    }

    void swishIsOneNodeWhereOnnxHasIt() {
        const tensor::Model read =
            model("g (float[2] x) => (float[2] y) { y = com.microsoft.QuickGelu <alpha = 1.5> (x) }", 17);
        QVERIFY(written(read, {.opset = 23}).find("Sigmoid") != std::string::npos);
        const std::string bytes = written(read, {.opset = 24});
        QVERIFY(bytes.find("Sigmoid") == std::string::npos && bytes.find("Swish") != std::string::npos);
        QCOMPARE(programText(modelOf(bytes)), std::string("QuickGelu[1.5](x)"));
    }

    /// The versions of the format that ONNX's releases 1.19 and 1.20 have (onnx.helper.VERSION_TABLE).
    void filesHaveTheFormatOfTheirOpset() {
        const tensor::Model read = model("g (float[2] x) => (float[2] y) { y = Relu(x) }");
        for (const auto& [opset, format] : {std::pair(22, 10), std::pair(23, 11), std::pair(24, 12), std::pair(25, 13)})
            QVERIFY(written(read, {.opset = opset}).starts_with(bytes::integerField(1, format)));
    }

    void attributesOfFunctionsHaveDefaults() {
        // function leaky(a; alpha = 0.25) => o { o = LeakyRelu <alpha = @alpha> (a) }, of IR version 9.
        const std::string alpha = bytes::field(1, "alpha") + std::string("\x15", 1) +
                                  bytes::raw(std::vector<float>{0.25F}) + bytes::integerField(20, 1);
        const std::string reference = bytes::field(1, "alpha") + bytes::field(21, "alpha") + bytes::integerField(20, 1);
        const std::string function =
            bytes::function("leaky", {"a"}, {"o"},
                            {{.type = "LeakyRelu", .inputs = {"a"}, .outputs = {"o"}, .attributes = {reference}}}) +
            bytes::field(11, alpha);
        const tensor::Model read =
            modelOf(bytes::model({.nodes = {{.type = "leaky", .inputs = {"x"}, .outputs = {"y"}, .domain = "loc"}},
                                  .inputs = {bytes::value("x", bytes::Float, {"2"})},
                                  .outputs = {bytes::value("y", bytes::Float, {"2"})}},
                                 {function}));
        QCOMPARE(programText(read), std::string("LeakyRelu[0.25](x)"));
    }
};

MITOS_TEST(TestNewerOpsets)

}  // namespace tst_newer_opsets

#include "tst_newer_opsets.moc"
