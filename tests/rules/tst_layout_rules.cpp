// SPDX-License-Identifier: GPL-3.0-or-later
// Rules on the order of axes, each on a literal program. (That they are true is tested by evaluation in tst_tensor_rules.)
#include "tests/rules/graph_rules.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_layout_rules {

using namespace mitos;

namespace {

const rules::LoadedRules& layout() {
    static const rules::LoadedRules loaded =
        *rules::loadRules(*rules::shippedRuleSetText("tensor-layout"), tests::graphRegistry());
    return loaded;
}

const std::string ToLast = "Transpose[perm=[0,2,3,1]]";
const std::string ToFirst = "Transpose[perm=[0,3,1,2]]";

}  // namespace

class TestLayoutRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matches_data();
    void matches();
};

void TestLayoutRules::matches_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* rule, const char* parameters, const std::string& body,
                        const std::string& expected) {
        QTest::newRow(name) << rule << parameters << QString::fromStdString(body) << QString::fromStdString(expected);
    };
    const char* const image = "x: f32[1,4,5,6], w: f32[8,2,3,3], b: f32[8], z: f32[1,8,5,6]";
    const std::string conv = "Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=2]";
    const std::string fused = "FusedConv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=2,activation=Relu]";
    const std::string pool = "MaxPool[kernel_shape=[3,3],strides=[2,1],pads=[1,1,1,1],dilations=[1,1],ceil_mode=true]";
    const std::string mean = "AveragePool[kernel_shape=[3,3],strides=[2,1],pads=[1,1,1,1],count_include_pad=true]";
    row("a convolution", "conv_channels_last", image, "return " + conv + "(x, w)",
        ToFirst + "(Nhwc" + conv + "(" + ToLast + "(x), w))");
    row("and back", "conv_channels_last~", image, "return " + ToFirst + "(Nhwc" + conv + "(" + ToLast + "(x), w))",
        conv + "(x, w)");
    row("one whose result stays", "conv_channels_last~", image, "return Nhwc" + conv + "(" + ToLast + "(x), w)",
        "none");
    row("with a bias", "conv_bias_channels_last", image, "return " + conv + "(x, w, b)",
        ToFirst + "(Nhwc" + conv + "(" + ToLast + "(x), w, b))");
    row("of lines", "conv_channels_last", "x: f32[1,4,5], w: f32[8,4,3]",
        "return Conv[strides=[1],pads=[1,1],dilations=[1]](x, w)", "none");
    row("named sizes", "conv_channels_last", "x: f32[N,4,H,W], w: f32[8,2,3,3]", "return " + conv + "(x, w)",
        ToFirst + "(Nhwc" + conv + "(" + ToLast + "(x), w))");
    row("a fused convolution", "fused_conv_channels_last", image, "return " + fused + "(x, w)",
        ToFirst + "(Nhwc" + fused + "(" + ToLast + "(x), w))");
    row("a fused one with a bias", "fused_conv_bias_channels_last", image, "return " + fused + "(x, w, b)",
        ToFirst + "(Nhwc" + fused + "(" + ToLast + "(x), w, b))");
    row("a fused one that adds", "fused_conv_sum_channels_last", image, "return " + fused + "(x, w, b, z)",
        ToFirst + "(Nhwc" + fused + "(" + ToLast + "(x), w, b, " + ToLast + "(z)))");
    row("the largest of windows", "maxpool_channels_last", image, "return " + pool + "(x)",
        ToFirst + "(Nhwc" + pool + "(" + ToLast + "(x)))");
    row("means of windows", "averagepool_channels_last", image, "return " + mean + "(x)",
        ToFirst + "(Nhwc" + mean + "(" + ToLast + "(x)))");

    const char* const last = "x: f32[1,5,6,4], c: f32[1,4,1,1], v: f32[4,1,1], n: f32[], y: f32[1,4,5,6]";
    const std::string moved = ToFirst + "(x)";
    row("a number for each channel", "channel_channels_last_left", last, "return Mul(" + moved + ", c)",
        ToFirst + "(Mul(x, " + ToLast + "(c)))");
    row("the number first", "channel_channels_last_right", last, "return Sub(c, " + moved + ")",
        ToFirst + "(Sub(" + ToLast + "(c), x))");
    row("an image is not a number for each channel", "channel_channels_last_left", last, "return Mul(" + moved + ", y)",
        "none");
    row("without the axis of images", "vector_channels_last_left", last, "return Add(" + moved + ", v)",
        ToFirst + "(Add(x, " + ToLast + "(Unsqueeze[axes=[0]](v))))");
    row("the same first", "vector_channels_last_right", last, "return Div(v, " + moved + ")",
        ToFirst + "(Div(" + ToLast + "(Unsqueeze[axes=[0]](v)), x))");
    row("one number", "number_channels_last_left", last, "return Pow(" + moved + ", n)", ToFirst + "(Pow(x, n))");
    row("one number first", "number_channels_last_right", last, "return Pow(n, " + moved + ")",
        ToFirst + "(Pow(n, x))");
    row("another order", "number_channels_last_left", last, "return Pow(" + ToLast + "(x), n)", "none");

    row("there and back", "transposes_cancel", last, "return " + ToLast + "(" + moved + ")", "x");
    row("there and further", "transposes_cancel", last, "return " + ToFirst + "(" + moved + ")", "none");
    row("pads", "pad_transpose", last, "return Pad[pads=[0,1,2,3,4,5,6,7]](" + moved + ")",
        ToFirst + "(Pad[pads=[0,2,3,1,4,6,7,5]](x))");
    row("a mean of positions", "mean_channels_last", last, "return ReduceMean[axes=[2,3]](" + moved + ")",
        ToFirst + "(ReduceMean[axes=[1,2]](x))");
    row("a mean without its axes", "mean_of_channels_last", last,
        "return ReduceMean[axes=[2,3],keepdims=false](" + moved + ")", "ReduceMean[axes=[1,2],keepdims=false](x)");
    row("a mean of channels", "mean_channels_last", last, "return ReduceMean[axes=[1]](" + moved + ")", "none");
    row("a mean of all positions", "global_average_channels_last", last, "return GlobalAveragePool(" + moved + ")",
        ToFirst + "(ReduceMean[axes=[1,2]](x))");
}

void TestLayoutRules::matches() {
    QFETCH(const QString, rule);
    QFETCH(const QString, parameters);
    QFETCH(const QString, body);
    QFETCH(const QString, expected);
    QCOMPARE(QString::fromStdString(
                 tests::rewrittenRoot(layout(), rule.toStdString(), parameters.toStdString(), body.toStdString())),
             expected);
}

MITOS_TEST(TestLayoutRules)

}  // namespace tst_layout_rules

#include "tst_layout_rules.moc"
