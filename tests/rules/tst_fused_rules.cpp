// SPDX-License-Identifier: GPL-3.0-or-later
// The patterns of the PyPM paper as rules over arrays: each way of writing something is found, and what only looks like it is not.
// (That the rules are true is tested by evaluation in tst_tensor_rules.)
#include "tests/rules/graph_rules.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <memory>
#include <string>

namespace tst_fused_rules {

using namespace mitos;

namespace {

const rules::LoadedRules& fused() {
    static const rules::LoadedRules loaded =
        *rules::loadRules(*rules::shippedRuleSetText("fused"), tests::graphRegistry());
    return loaded;
}

}  // namespace

class TestFusedRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matches_data();
    void matches();
};

void TestFusedRules::matches_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* rule, const char* parameters, const std::string& body,
                        const char* expected) {
        QTest::newRow(name) << rule << parameters << QString::fromStdString(body) << expected;
    };
    const std::string constants =
        "half = Constant[value=0.5,dtype=f32,shape=[]]()\ntwo = Constant[value=2.0,dtype=f32,shape=[1]]()\n"
        "one = Constant[value=1.0,dtype=f32,shape=[]]()\nroot = "
        "Constant[value=1.4142135381698608,dtype=f32,shape=[]]()\n"
        "inverse = Constant[value=0.70710677,dtype=f32,shape=[]]()\n";
    const auto gelu = [&](const char* name, const std::string& body, const char* expected = "Gelu(x)") {
        row(name, "fuse_gelu", "x: f32[2,3], y: f32[2,3]", constants + "return " + body, expected);
    };
    gelu("as the paper draws it", "Mul(Div(x, two), Add(one, Erf(Div(x, root))))");
    gelu("x 0.5", "Mul(Mul(x, half), Add(Erf(Div(x, root)), one))");
    gelu("0.5 x, by a factor", "Mul(Mul(half, x), Add(Erf(Mul(x, inverse)), one))");
    gelu("the gate first", "Mul(Add(Erf(Mul(inverse, x)), one), Mul(x, half))");
    gelu("halved in the end", "Mul(Mul(x, Add(Erf(Div(x, root)), one)), half)");
    gelu("divided in the end", "Div(Mul(Add(one, Erf(Div(x, root))), x), two)");
    gelu("the gate halved", "Mul(x, Mul(half, Add(one, Erf(Div(x, root)))))");
    gelu("another x in the gate", "Mul(Mul(x, half), Add(Erf(Div(y, root)), one))", "none");
    gelu("another factor", "Mul(Mul(x, half), Add(Erf(Div(x, two)), one))", "none");

    const std::string tanh = constants +
                             "c = Constant[value=0.044715,dtype=f32,shape=[]]()\n"
                             "s = Constant[value=0.7978846,dtype=f32,shape=[]]()\n"
                             "three = Constant[value=3.0,dtype=f32,shape=[]]()\nreturn ";
    row("by tanh and a power", "fuse_fast_gelu", "x: f32[4]",
        tanh + "Mul(Mul(half, x), Add(one, Tanh(Mul(s, Add(x, Mul(c, Pow(x, three)))))))", "FastGelu(x)");
    row("by tanh and products", "fuse_fast_gelu", "x: f32[4]",
        tanh + "Mul(Mul(x, half), Add(Tanh(Mul(Mul(x, s), Add(Mul(Mul(x, x), c), one))), one))", "FastGelu(x)");
    row("x sigmoid(a x)", "fuse_quick_gelu", "x: f32[4]", tanh + "Mul(Sigmoid(Mul(x, three)), x)",
        "QuickGelu[alpha=3.0](x)");

    const char* const layer = "x: f32[2,3], w: f32[3,4], b: f32[4]";
    row("a layer", "fuse_dense_activation", layer, "return Tanh(Add(b, MatMul(x, w)))",
        "FusedGemm[activation=Tanh](x, w, b)");
    row("a chain of one operator, of any length", "fuse_dense_activation", layer,
        "return Relu(Identity(Relu(Relu(Add(MatMul(x, w), b)))))", "FusedGemm[activation=Relu](x, w, b)");
    row("Tanh twice is not Tanh", "fuse_dense_activation", layer, "return Tanh(Tanh(Add(MatMul(x, w), b)))", "none");
    row("two operators are no chain of one", "fuse_dense_activation", layer,
        "return Relu(Sigmoid(Add(MatMul(x, w), b)))", "none");
    row("an activation that there is not", "fuse_dense_activation", layer, "return Abs(Add(MatMul(x, w), b))", "none");
    const char* const image = "x: f32[1,2,5,5], w: f32[3,2,3,3], b: f32[3], z: f32[1,3,5,5]";
    const std::string conv = "Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1]]";
    row("a residual", "fuse_conv_add_activation", image, "return Relu(Add(z, " + conv + "(x, w, b)))",
        "FusedConv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],activation=Relu](x, w, b, z)");
    row("a residual that may broadcast", "fuse_conv_add_activation",
        "x: f32[1,2,5,5], w: f32[3,2,3,3], b: f32[3], z: f32[1,C,5,5]", "return Relu(Add(z, " + conv + "(x, w, b)))",
        "none");
    row("a residual of one named size", "fuse_conv_add_activation",
        "x: f32[N,2,5,5], w: f32[3,2,3,3], b: f32[3], z: f32[N,3,5,5]", "return Relu(Add(z, " + conv + "(x, w, b)))",
        "FusedConv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],activation=Relu](x, w, b, z)");
    row("Relu6", "fuse_conv_clip", image, "return Clip[min=0.0,max=6.0](" + conv + "(x, w))",
        "FusedConv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],activation=Clip,activation_params=[0.0,6.0]](x, w)");

    const char* const batches = "x: f32[2,3,4], y: f32[2,5,4], c: f32[]";
    row("a quotient", "fuse_matmul_scale", "x: f32[2,3], y: f32[3,4]", constants + "return Div(MatMul(x, y), two)",
        "FusedMatMul[alpha=0.5](x, y)");
    row("a factor that is not known", "fuse_matmul_scale", "x: f32[2,3], y: f32[3,4], c: f32[]",
        "return Mul(MatMul(x, y), c)", "none");
    const std::string factors = "c = Constant[value=2.0,dtype=f32,shape=[1,3]]()\n";
    row("a factor of one shape", "fuse_matmul_scale_left", "x: f32[2,3], y: f32[3,4]",
        factors + "return MatMul(Mul(x, c), y)", "FusedMatMul[alpha=2.0](x, y)");
    row("a factor that may broadcast", "fuse_matmul_scale_left", "x: f32[2,K], y: f32[3,4]",
        factors + "return MatMul(Mul(x, c), y)", "none");
    row("a factor that may broadcast, on the right", "fuse_matmul_scale_right", "x: f32[2,3], y: f32[3,K]",
        factors + "return MatMul(x, Mul(c, y))", "none");
    row("scales of one shape", "fuse_skip_layer_normalization", "x: f32[N,3], y: f32[N,3], s: f32[3]",
        "return LayerNormalization[axis=1](Add(x, y), s, s)", "SkipLayerNormalization[epsilon=1e-05](x, y, s, s)");
    row("scales that may broadcast", "fuse_skip_layer_normalization", "x: f32[N,W], y: f32[N,W], s: f32[3]",
        "return LayerNormalization[axis=1](Add(x, y), s, s)", "none");
    row("the last axes exchanged", "fuse_matmul_transpose_right", batches,
        "return MatMul(x, Transpose[perm=[0,2,1]](y))", "FusedMatMul[transB=true](x, y)");
    row("other axes exchanged", "fuse_matmul_transpose_right", "x: f32[2,3,4], y: f32[4,2,5]",
        "return MatMul(x, Transpose[perm=[1,0,2]](y))", "none");

    // Attention: q, k, v of 2 sequences, 2 heads of 4.
    const char* const sequences = "q: f32[2,3,8], k: f32[2,5,8], v: f32[2,5,8], m: f32[1,1,3,5]";
    const std::string cut = constants +
                            "qh = Transpose[perm=[0,2,1,3]](Reshape[shape=[2,3,2,4]](q))\n"
                            "kt = Transpose[perm=[0,2,3,1]](Reshape[shape=[2,5,2,4]](k))\n"
                            "vh = Transpose[perm=[0,2,1,3]](Reshape[shape=[2,5,2,4]](v))\n";
    const auto attention = [&](const char* name, const char* rule, const std::string& scores, const char* expected) {
        row(name, rule, sequences,
            cut + "return Reshape[shape=[2,3,8]](Transpose[perm=[0,2,1,3]](MatMul(Softmax[axis=3](" + scores +
                "), vh)))",
            expected);
    };
    const char* const whole = "MultiHeadAttention[num_heads=2,scale=0.5](q, k, v)";
    attention("scaled behind", "fuse_attention", "Mul(MatMul(qh, kt), half)", whole);
    attention("divided behind", "fuse_attention", "Div(MatMul(qh, kt), two)", whole);
    attention("the queries scaled", "fuse_attention", "MatMul(Mul(half, qh), kt)", whole);
    attention("the keys divided", "fuse_attention", "MatMul(qh, Div(kt, two))", whole);
    attention(
        "keys transposed twice", "fuse_attention",
        "Mul(MatMul(qh, Transpose[perm=[0,1,3,2]](Transpose[perm=[0,2,1,3]](Reshape[shape=[2,5,2,4]](k)))), half)",
        whole);
    attention("not scaled", "fuse_attention_unscaled", "MatMul(qh, kt)",
              "MultiHeadAttention[num_heads=2,scale=1.0](q, k, v)");
    attention("masked", "fuse_attention_mask", "Add(m, Div(MatMul(qh, kt), two))",
              "MultiHeadAttention[num_heads=2,scale=0.5](q, k, v, _, m)");
    attention("masked, not scaled", "fuse_attention_mask_unscaled", "Add(MatMul(qh, kt), m)",
              "MultiHeadAttention[num_heads=2,scale=1.0](q, k, v, _, m)");
    attention("queries and keys scaled", "fuse_attention_both_scaled", "MatMul(Mul(qh, half), Mul(half, kt))",
              "MultiHeadAttention[num_heads=2,scale=0.25](q, k, v)");
    attention("queries and keys scaled by two numbers", "fuse_attention_both_scaled",
              "MatMul(Mul(qh, half), Mul(two, kt))", "none");
    attention("queries and keys scaled, masked", "fuse_attention_mask_both_scaled",
              "Add(MatMul(Mul(qh, half), Mul(kt, half)), m)",
              "MultiHeadAttention[num_heads=2,scale=0.25](q, k, v, _, m)");
    row("a mask for all queries", "fuse_attention_mask", "q: f32[2,3,8], k: f32[2,5,8], v: f32[2,5,8], m: f32[2,1,1,5]",
        cut +
            "return Reshape[shape=[2,3,8]](Transpose[perm=[0,2,1,3]](MatMul(Softmax[axis=3](Add(Mul(MatMul(qh, kt), "
            "half), m)), vh)))",
        "MultiHeadAttention[num_heads=2,scale=0.5](q, k, v, _, Expand[shape=[2,1,3,5]](m))");
    row("no Softmax", "fuse_attention_unscaled", sequences,
        cut + "return Reshape[shape=[2,3,8]](Transpose[perm=[0,2,1,3]](MatMul(MatMul(qh, kt), vh)))", "none");
    row("heads that are not cut from the width", "fuse_attention_unscaled", "q: f32[2,2,3,4]",
        "h = Transpose[perm=[0,2,1,3]](Reshape[shape=[2,2,3,4]](q))\n"
        "return Reshape[shape=[2,2,12]](Transpose[perm=[0,2,1,3]](MatMul(Softmax[axis=3](MatMul(h, "
        "Transpose[perm=[0,1,3,2]](h))), h)))",
        "none");
    row("one sequence", "fuse_attention_of_one", "x: f32[3,8]",
        constants +
            "r = Reshape[shape=[3,2,4]](x)\nh = Transpose[perm=[1,0,2]](r)\nt = Transpose[perm=[1,2,0]](r)\n"
            "return Reshape[shape=[3,8]](Transpose[perm=[1,0,2]](MatMul(Softmax[axis=2](Mul(MatMul(h, t), half)), h)))",
        "Squeeze[axes=[0]](MultiHeadAttention[num_heads=2,scale=0.5](Unsqueeze[axes=[0]](x), Unsqueeze[axes=[0]](x), "
        "Unsqueeze[axes=[0]](x)))");
    row("three biases", "fuse_attention_bias", "q: f32[2,3,8], k: f32[2,5,8], v: f32[2,5,8], b: f32[8]",
        "return MultiHeadAttention[num_heads=2](Add(q, b), Add(b, k), Add(v, b))",
        "MultiHeadAttention[num_heads=2](q, k, v, Concat[axis=0](b, b, b))");
}

void TestFusedRules::matches() {
    QFETCH(const QString, rule);
    QFETCH(const QString, parameters);
    QFETCH(const QString, body);
    QFETCH(const QString, expected);
    QCOMPARE(QString::fromStdString(
                 tests::rewrittenRoot(fused(), rule.toStdString(), parameters.toStdString(), body.toStdString())),
             expected);
}

MITOS_TEST(TestFusedRules)

}  // namespace tst_fused_rules

#include "tst_fused_rules.moc"
