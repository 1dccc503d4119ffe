// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of tensor programs as a runtime computes them: groups of operators are one kernel.
#include "core/base/source_text.h"
#include "core/cost/cost_model.h"
#include "core/cost/kernels.h"
#include "tests/dialects/random_graphs.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <cmath>

namespace tst_kernels {

using namespace mitos;

namespace {

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};
    QTemporaryDir folder;

    std::string file(const QString& name, const std::string& text) {
        const std::string path = folder.filePath(name).toStdString();
        if (const Status written = writeFile(path, text); !written) qFatal("%s", written.error().render().c_str());
        return path;
    }
    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    std::unique_ptr<cost::CostEvaluator> costs(const std::string& model, const ir::Program& program) {
        const auto found = cost::findCostModel(model, "tensor");
        if (!found) qFatal("%s", found.error().render().c_str());
        return (*found)->evaluator(bank, program.function);
    }
    double cost(const std::string& model, const std::string& text) {
        const ir::Program program = parse(text);
        const Result<double> found = costs(model, program)->cost(program.root);
        if (!found) qFatal("%s", found.error().render().c_str());
        return *found;
    }
};

constexpr double OneNode = 1e-5;
constexpr const char* Plain = "roofline:laptop";
constexpr const char* Fused = "roofline:laptop,kernels=onnxruntime";

}  // namespace

class TstKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A group costs what the runtime's operator for it costs.
    void groupsCostTheirKernel_data() {
        QTest::addColumn<QString>("group");
        QTest::addColumn<QString>("kernel");
        const auto row = [](const char* name, const char* group, const char* kernel) {
            QTest::newRow(name) << group << kernel;
        };
        row("no group", "MatMul(x, y)", "MatMul(x, y)");
        row("Gelu",
            "Mul(Mul(x, Constant[value=0.5, dtype=f32, shape=[]]()), Add(Erf(Div(x, Constant[value=1.4142135, "
            "dtype=f32, shape=[]]())), "
            "Constant[value=1.0, dtype=f32, shape=[]]()))",
            "Gelu(x)");
        row("Gelu of a sum",
            "let s = Add(x, b) in Mul(Mul(s, Constant[value=0.5, dtype=f32, shape=[]]()), Add(Erf(Div(s, "
            "Constant[value=1.4142135, dtype=f32, shape=[]]())), "
            "Constant[value=1.0, dtype=f32, shape=[]]()))",
            "BiasGelu(x, b)");
        row("product and bias", "Add(MatMul(x, w), b)", "Gemm(x, w, b)");
        row("product, bias and activation", "Relu(Add(MatMul(x, w), b))", "FusedGemm[activation=Relu](x, w, b)");
        row("layer normalization",
            "let d = Sub(x, ReduceMean[axes=[1], keepdims=true](x)) in Add(Mul(Div(d, "
            "Sqrt(Add(ReduceMean[axes=[1], keepdims=true](Pow(d, Constant[value=2.0, dtype=f32, shape=[]]())), "
            "Constant[value=0.00001, dtype=f32, shape=[]]()))), "
            "b), c)",
            "LayerNormalization[axis=1, epsilon=0.00001](x, b, c)");
        const auto root = [](const char* square) {
            return QStringLiteral(
                       "Mul(Div(x, Sqrt(Add(ReduceMean[axes=[1], keepdims=true](%1), Constant[value=0.00001, "
                       "dtype=f32, shape=[]]()))), b)")
                .arg(QString::fromLatin1(square))
                .toStdString();
        };
        row("root normalization", root("Pow(x, Constant[value=2.0, dtype=f32, shape=[]]())").c_str(),
            "RMSNormalization[axis=1, epsilon=0.00001](x, b)");
        row("root normalization by the inverse",
            "Mul(b, Mul(Div(Constant[value=1.0, dtype=f32, shape=[]](), Sqrt(Add(Constant[value=0.00001, dtype=f32, "
            "shape=[]](), ReduceMean[axes=[1], keepdims=true](Pow(x, Constant[value=2.0, dtype=f32, shape=[]]()))))), "
            "x))",
            "RMSNormalization[axis=1, epsilon=0.00001](x, b)");
        row("product of a transposed matrix", "MatMul(x, Transpose[perm=[1,0]](y))", "FusedMatMul[transB=true](x, y)");
        row("convolution and activation", "Relu(Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=1](i, k))",
            "FusedConv[strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1, activation=Relu](i, k)");
    }
    void groupsCostTheirKernel() {
        QFETCH(const QString, group);
        QFETCH(const QString, kernel);
        Fixture f;
        const double expected = f.cost(Plain, listing(kernel));
        const double ofGroup = f.cost(Fused, listing(group));
        const double ofKernel = f.cost(Fused, listing(kernel));
        QCOMPARE(ofKernel, expected + OneNode);
        QVERIFY(std::abs(ofGroup - ofKernel) < 20 * OneNode);
        if (group == kernel) return;
        QVERIFY(ofGroup > ofKernel);  // it has more nodes
        QVERIFY(f.cost(Plain, listing(group)) > expected + 0.1);
    }

    /// The runtime knows normalizations by a power only; the same with a product of equal factors stays as it is.
    void unknownFormsAreNoGroup() {
        Fixture f;
        const std::string text = listing(QStringLiteral(
            "Mul(Div(x, Sqrt(Add(ReduceMean[axes=[1], keepdims=true](Mul(x, x)), Constant[value=0.00001, "
            "dtype=f32, shape=[]]()))), b)"));
        QVERIFY(std::abs(f.cost(Fused, text) - f.cost(Plain, text)) < 20 * OneNode);
    }

    /// Slices that are all of an axis are one Split, whatever else uses the value; others stay slices.
    void neighbouringSlicesAreOneSplit() {
        Fixture f;
        const auto text = [](const std::string& parts, const std::string& results) {
            return "graph f(x: f32[4,8])\n" + parts + "  return (" + results + ", Neg(x))\n";
        };
        const std::string first = "  a = Slice[starts=[0],ends=[3],axes=[1],steps=[1]](x)\n";
        const std::string rest = "  b = Slice[starts=[3],ends=[8],axes=[1],steps=[1]](x)\n";
        const std::string inside = "  c = Slice[starts=[2],ends=[5],axes=[1],steps=[1]](x)\n";
        const double split = f.cost(Fused, text("  s = Split[axis=1,sizes=[3,5]](x)\n", "Neg(s[0]), Neg(s[1])"));
        const double slices = f.cost(Fused, text(first + rest, "Neg(a), Neg(b)"));
        QVERIFY(std::abs(slices - split) < 2 * OneNode);
        QCOMPARE(f.cost(Fused, text(rest + first, "Neg(a), Neg(b)")), slices);
        const double one = f.cost(Plain, text(inside, "c")) - f.cost(Plain, "graph f(x: f32[4,8])\n  return Neg(x)\n");
        QVERIFY(std::abs(f.cost(Fused, text(first + rest + inside, "Neg(a), Neg(b), c")) - slices - one) < 2 * OneNode);
        const double overlapping = f.cost(Fused, text(first + inside, "Neg(a), Neg(c)"));
        QVERIFY(std::abs(overlapping - f.cost(Plain, text(first + inside, "Neg(a), Neg(c)"))) < 6 * OneNode);
        QVERIFY(overlapping > slices);
    }

    /// A value that something else needs has to be computed by itself.
    void whatOthersUseIsInNoGroup() {
        Fixture f;
        const std::string text = listing(QStringLiteral(
            "let conv = Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=1](i, k) in Add(Relu(conv), conv)"));
        QCOMPARE(f.cost(Fused, text), f.cost(Plain, text) + 3 * OneNode);
        const std::string tuple =
            "graph f(i: f32[1,8,16,16])\n weight k: f32[8,8,3,3]\n conv = "
            "Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=1](i, k)\n "
            "return (Relu(conv), conv)\n";
        QCOMPARE(f.cost(Fused, tuple), f.cost(Plain, tuple) + 2 * OneNode);
    }

    /// Costs of states of one program do not depend on which were priced before.
    void statesDoNotDisturbEachOther() {
        Fixture f;
        const ir::Program fused =
            f.parse(listing(QStringLiteral("Relu(Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=1](i, k))")));
        const ir::Program shared = f.parse(listing(
            QStringLiteral(
                "let conv = Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=1](i, k) in Add(Relu(conv), conv)"),
            "g"));
        const auto together = f.costs(Fused, fused);
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(*together->cost(fused.root), *f.costs(Fused, fused)->cost(fused.root));
            QCOMPARE(*together->cost(shared.root), *f.costs(Fused, shared)->cost(shared.root));
        }
    }

    void kernelsAreExplained() {
        Fixture f;
        const ir::Program program = f.parse(listing(QStringLiteral("Exp(Relu(Add(MatMul(x, w), b)))")));
        const auto costs = f.costs(Fused, program);
        const auto parts = *costs->explain(program.root);
        double sum = 0.0;
        std::string reasons;
        for (const cost::CostPart& part : parts) {
            sum += part.own;
            reasons += part.reason + "\n";
        }
        QCOMPARE(sum, *costs->cost(program.root));
        QCOMPARE(parts.front().total, sum);
        QVERIFY2(parts[1].reason.starts_with("FusedGemm: "), reasons.c_str());
        QCOMPARE(parts[2].reason, std::string("Add: part of the kernel FusedGemm"));
        QCOMPARE(parts[3].reason, std::string("MatMul: part of the kernel FusedGemm"));
        QCOMPARE(parts[3].own, OneNode);
    }

    /// On random graphs, the parts add up to the cost, and no graph costs more than without kernels.
    void randomGraphs() {
        Random random(3);
        int cheaper = 0;
        for (int i = 0; i < 60; ++i) {
            Fixture f;
            const std::string rules = f.file(QStringLiteral("sums.rules"),
                                             "use tensor\nrule sum_relu [real-only]: Relu(x + y) => Relu(x)\n"
                                             "rule product_sum [real-only]: x * y + z => x * z\n"
                                             "rule sum_of_sums [real-only]: x + y + z => x + y\n");
            const ir::Program program = test::randomGraph(f.bank, random, 12);
            const auto fused = f.costs(fmt::format("roofline:laptop,kernels={}", rules), program);
            const double plain = *f.costs(Plain, program)->cost(program.root);
            const double cost = *fused->cost(program.root);
            double sum = 0.0;
            const std::vector<cost::CostPart> parts = *fused->explain(program.root);
            for (const cost::CostPart& part : parts) sum += part.own;
            QVERIFY(std::abs(sum - cost) <= 1e-9 * cost);
            QVERIFY(cost <= plain + 1e-3);
            cheaper += cost < plain ? 1 : 0;
        }
        QVERIFY(cheaper > 20);
    }

    void kernelsOfAFile() {
        Fixture f;
        const std::string rules =
            f.file(QStringLiteral("mine.rules"), "use tensor\nrule one [real-only]: Relu(x + y) => Relu(x)\n");
        const std::string model = fmt::format("roofline:laptop,kernels={}", rules);
        QCOMPARE(f.cost(model, listing(QStringLiteral("Relu(Add(x, z))"))),
                 f.cost(Plain, listing(QStringLiteral("Relu(x)"))) + 2 * OneNode);
        QVERIFY(!cost::findCostModel("roofline:kernels=nothing.rules", "tensor").ok());
        QVERIFY(!cost::findCostModel("roofline:kernels=cudnn", "tensor").ok());
        const std::string wrong = f.file(QStringLiteral("wrong.rules"), "use tensor\nrule one: Relu(x => x\n");
        const ir::Program program = f.parse(listing(QStringLiteral("Relu(x)")));
        const Result<double> refused = f.costs("roofline:kernels=" + wrong, program)->cost(program.root);
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().render().find("wrong.rules") != std::string::npos, refused.error().render().c_str());
    }

private:
    /// A graph that returns the expression; "let s = A in B" names a value of it.
    static std::string listing(QString expression, const char* name = "f") {
        QString lines;
        if (expression.startsWith(QStringLiteral("let "))) {
            const auto in = expression.indexOf(QStringLiteral(" in "));
            lines = QStringLiteral(" %1\n").arg(expression.mid(4, in - 4));
            expression = expression.mid(in + 4);
        }
        return QStringLiteral(
                   "graph %1(x: f32[64,32], y: f32[32,32], z: f32[64,32], i: f32[1,8,16,16])\n"
                   " weight w: f32[32,32]\n weight b: f32[32]\n weight c: f32[32]\n"
                   " weight k: f32[8,8,3,3]\n%2 return %3\n")
            .arg(QLatin1StringView(name), lines, expression)
            .toStdString();
    }
};

MITOS_TEST(TstKernels)

}  // namespace tst_kernels

#include "tst_kernels.moc"
