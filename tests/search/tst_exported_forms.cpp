// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in the forms that exporters write, with biases and with nodes that do nothing: what is left of them after a search.
#include "core/cost/cost_model.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/ir/shared.h"
#include "core/tensor/operator.h"
#include "search/rewriting/rewriting.h"
#include "search/strategies/strategies.h"
#include "tests/search/running.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tst_exported_forms {

using namespace mitos;

namespace {

/// The operators of a program that are computed when it runs, by name.
std::map<std::string, int> operatorsOf(const ir::TermBank& bank, ir::TermId root) {
    std::map<std::string, int> counts;
    std::map<ir::TermId, bool> isKnown;  // before the program runs
    for (const ir::TermId node : ir::SharedNodes(bank, root)) {
        const auto children = bank.children(node);
        const std::string_view op = bank.opName(node);
        const bool isLeaf = op == tensor::WeightName || op == "Constant";
        isKnown[node] = isLeaf || (!children.empty() &&
                                   std::ranges::all_of(children, [&](ir::TermId child) { return isKnown[child]; }));
        if (!isKnown[node] && tensor::operatorOf(bank, node) != nullptr) ++counts[std::string(op)];
    }
    return counts;
}

std::string textOf(const std::map<std::string, int>& counts) {
    std::string text;
    for (const auto& [op, count] : counts)
        text += (text.empty() ? "" : " ") + op + (count > 1 ? std::to_string(count) : "");
    return text;
}

struct Outcome {
    std::string operators;
    bool isValid = false;
    bool isEquivalent = false;
};

Outcome searched(const QString& text, const std::string& rules, const search::Strategy& strategy) {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<rules::RuleBook> book = rules::RuleBook::load(rules, bank.sharedRegistry());
    if (!book) qFatal("%s", book.error().render().c_str());
    const Result<ir::Program> start = dialects::parseProgram(bank, "test", text.toStdString());
    if (!start) qFatal("%s", start.error().render().c_str());
    const search::SearchResult result = search::test::searched(
        strategy, {.bank = bank,
                   .program = *start,
                   .rules = book->directions(),
                   .cost = *cost::findCostModel("roofline:laptop,kernels=onnxruntime"),
                   .budget = {.evaluations = 4000, .seconds = {}, .states = {}, .memoryBytes = {}},
                   .parameters = {}});
    const Result<eval::Equivalence> same = eval::compare(*result.bank, result.thread.start, result.thread.end(), {});
    return {textOf(operatorsOf(*result.bank, result.thread.end().root)), result.check.valid,
            same && same->equivalent && same->compared > 0};
}

}  // namespace

class TstExportedForms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingUselessStays_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("operators");
        QTest::newRow("squeezes")
            << "graph f(x: f32[1,3,1,1,2])\n  p = Squeeze[axes=[2]](x)\n  q = Squeeze[axes=[0]](p)\n"
               "  return Unsqueeze[axes=[2]](q)\n"
            << "Reshape";
        QTest::newRow("an empty slice in a join")
            << "graph f(x: f32[2,5])\n  e = Slice[starts=[3],ends=[3],axes=[1],steps=[1]](x)\n"
               "  c = Concat[axis=1](e, x)\n  return Relu(c)\n"
            << "Relu";
        QTest::newRow("reshapes and a slice of everything")
            << "graph f(x: f32[4,3])\n  q = Relu(x)\n  a = Unsqueeze[axes=[1]](q)\n  b = Squeeze[axes=[1]](a)\n"
               "  c = Reshape[shape=[3,4]](b)\n  d = Reshape[shape=[2,6]](c)\n"
               "  e = Slice[starts=[0],ends=[9],axes=[0],steps=[1]](d)\n  return Neg(e)\n"
            << "Neg Relu Reshape";
        QTest::newRow("keys that are transposed by rows")
            << "graph f(x: f32[2,3,4,5])\n  a = Reshape[shape=[-1,4,5]](x)\n  b = Transpose[perm=[0,2,1]](a)\n"
               "  c = Reshape[shape=[2,3,5,4]](b)\n  return c\n"
            << "Transpose";
        QTest::newRow("slices that are joined again")
            << "graph f(x: f32[4,7])\n  a = Slice[starts=[0],ends=[3],axes=[1],steps=[1]](x)\n"
               "  b = Slice[starts=[3],ends=[9],axes=[1],steps=[1]](x)\n  c = Concat[axis=1](a, b)\n  return Relu(c)\n"
            << "Relu";
        QTest::newRow("parts that are joined again") << "graph f(x: f32[4,7])\n  s = Split[axis=1,sizes=[3,4]](x)\n  c "
                                                        "= Concat[axis=1](s[0], s[1])\n  return Relu(c)\n"
                                                     << "Relu";
        QTest::newRow("a difference of nothing")
            << "graph f(x: f32[4,7], y: f32[4,7])\n  a = Sub(x, x)\n  return Add(a, y)\n"
            << "";
        QTest::newRow("a mean over images") << "graph f(x: f32[2,3,4,5])\n  return ReduceMean[axes=[2,3]](x)\n"
                                            << "GlobalAveragePool";
        QTest::newRow("queries and keys with factors")
            << "graph f(q: f32[2,3,4], k: f32[2,4,3])\n  c = Constant[value=0.5,dtype=f32,shape=[1]]()\n"
               "  a = Mul(q, c)\n  b = Mul(k, c)\n  return MatMul(a, b)\n"
            << "MatMul Mul";
        QTest::newRow("shares behind a finite mask")
            << "graph f(x: f32[2,4,4], m: bool[4,4])\n  z = Constant[value=0.0,dtype=f32,shape=[]]()\n"
               "  l = Constant[value=-1e9,dtype=f32,shape=[]]()\n  w = Where(m, z, l)\n  a = Add(x, w)\n"
               "  s = Softmax[axis=2](a)\n  n = IsNaN(s)\n  return Where(n, z, s)\n"
            << "Add Softmax Where";
        QTest::newRow("a convolution with a factor and a summand")
            << "graph f(x: f32[1,3,6,6])\n  weight w: f32[4,3,3,3]\n  weight b: f32[4]\n  weight s: f32[1,4,1,1]\n"
               "  weight t: f32[4,1,1]\n  c = Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1]](x, w, b)\n"
               "  d = Mul(c, s)\n  return Add(d, t)\n"
            << "Conv";
    }
    void nothingUselessStays() {
        QFETCH(QString, text);
        QFETCH(QString, operators);
        const Outcome outcome = searched(text, "tensor-default", **search::findStrategy("phases"));
        QVERIFY(outcome.isValid);
        QVERIFY(outcome.isEquivalent);
        // A sum with zeros of every element is the summand: then nothing is computed.
        QCOMPARE(QString::fromStdString(outcome.operators), operators);
    }

    void layersWithBiasesAreFolded_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("operators");
        const QString conv = QStringLiteral("[strides=[1,1],pads=[%1,%1,%1,%1],dilations=[1,1]]");
        const QString wide = conv.arg(1);
        const QString plain = conv.arg(0);
        QTest::newRow("one position after three, with a bias outside")
            << QStringLiteral(
                   "graph f(x: f32[1,3,9,9])\n  weight u: f32[16,3,3,3]\n  weight v: f32[4,16,1,1]\n  weight c: "
                   "f32[4]\n"
                   "  a = Conv%1(x, u)\n  return Conv%2(a, v, c)\n")
                   .arg(wide, plain)
            << "Conv";
        QTest::newRow("both biases") << QStringLiteral(
                                            "graph f(x: f32[1,3,9,9])\n  weight u: f32[16,3,3,3]\n"
                                            "  weight v: f32[4,16,1,1]\n  weight b: f32[16]\n  weight c: f32[4]\n"
                                            "  a = Conv%1(x, u, b)\n  return Conv%2(a, v, c)\n")
                                            .arg(wide, plain)
                                     << "Conv";
        QTest::newRow("two branches and the input itself")
            << QStringLiteral(
                   "graph f(x: f32[1,4,9,9])\n  weight u: f32[4,4,3,3]\n  weight v: f32[4,4,1,1]\n  weight b: f32[4]\n"
                   "  weight c: f32[4]\n  a = Conv%1(x, u, b)\n  d = Conv%2(x, v, c)\n  e = Add(a, d)\n"
                   "  g = Add(e, x)\n  return Relu(g)\n")
                   .arg(wide, plain)
            << "Conv Relu";
        QTest::newRow("zeros around images") << QStringLiteral(
                                                    "graph f(x: f32[1,3,6,6])\n  weight w: f32[4,3,3,3]\n"
                                                    "  weight b: f32[4]\n"
                                                    "  p = Pad[pads=[0,0,1,1,0,0,1,1],mode=constant,value=0.0](x)\n"
                                                    "  return Conv%1(p, w, b)\n")
                                                    .arg(plain)
                                             << "Conv";
        QTest::newRow("two layers")
            << "graph f(x: f32[1,6,8])\n  weight u: f32[8,32]\n  weight v: f32[32,4]\n  weight b: f32[32]\n"
               "  weight c: f32[4]\n  m = MatMul(x, u)\n  a = Add(b, m)\n  n = MatMul(a, v)\n"
               "  return Add(c, n)\n"
            << "Add MatMul";
        QTest::newRow("two layers of rank 2")
            << "graph f(x: f32[6,8])\n  weight u: f32[32,8]\n  weight v: f32[4,32]\n  weight b: f32[32]\n  weight c: "
               "f32[4]\n"
               "  a = Gemm[transB=true](x, u, b)\n  return Gemm[transB=true](a, v, c)\n"
            << "Gemm";
        QTest::newRow("a layer and its scale")
            << "graph f(x: f32[1,6,8])\n  weight u: f32[8,4]\n  weight b: f32[4]\n  weight s: f32[4]\n"
               "  m = MatMul(x, u)\n  a = Add(m, b)\n  return Mul(a, s)\n"
            << "Add MatMul";
        QTest::newRow("one row of a layer")
            << "graph f(x: f32[1,300,64])\n  weight u: f32[64,128]\n  weight b: f32[128]\n"
               "  i = Constant[value=0,dtype=i64,shape=[]]()\n  m = MatMul(x, u)\n"
               "  a = Add(b, m)\n  return Gather[axis=1](a, i)\n"
            << "Gather Gemm";
        QTest::newRow("the mean of a layer")
            << "graph f(x: f32[1,300,64])\n  weight u: f32[64,128]\n  weight b: f32[128]\n"
               "  m = MatMul(x, u)\n  a = Add(b, m)\n"
               "  return ReduceMean[axes=[1],keepdims=false](a)\n"
            << "Gemm ReduceMean";
        QTest::newRow("a normalization before a convolution")
            << QStringLiteral(
                   "graph f(x: f32[1,3,9,9])\n  weight w: f32[4,3,1,1]\n  weight c: f32[4]\n  weight s: f32[3]\n"
                   "  weight b: f32[3]\n  weight m: f32[3]\n  weight v: f32[3]\n"
                   "  n = BatchNormalization(x, s, b, m, v)\n  return Conv%1(n, w, c)\n")
                   .arg(plain)
            << "Conv";
        QTest::newRow("a sum in Einstein's notation")
            << "graph f(x: f32[2,3,4])\n  weight w: f32[4,5]\n  return Einsum[equation=[abc,cd,abd]](x, w)\n"
            << "MatMul";
    }
    void layersWithBiasesAreFolded() {
        QFETCH(QString, text);
        QFETCH(QString, operators);
        const Outcome outcome = searched(text, "tensor-default", **search::findStrategy("portfolio"));
        QVERIFY(outcome.isValid);
        QVERIFY(outcome.isEquivalent);
        QCOMPARE(QString::fromStdString(outcome.operators), operators);
    }

    void attentionIsFound_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("operators");
        const QString heads = QStringLiteral(
            "graph f(x: f32[1,6,8], y: f32[1,6,8], z: f32[1,6,8]%1)\n  c = Constant[value=0.5,dtype=f32,shape=[1]]()\n"
            "  a = Reshape[shape=[1,6,2,4]](x)\n  q = Transpose[perm=[0,2,1,3]](a)\n"
            "  b = Reshape[shape=[1,6,2,4]](y)\n%2"
            "  d = Reshape[shape=[1,6,2,4]](z)\n  v = Transpose[perm=[0,2,1,3]](d)\n"
            "  qs = Mul(q, c)\n  ks = Mul(k, c)\n  s = MatMul(qs, ks)\n%3"
            "  p = Softmax[axis=3](%4)\n  o = MatMul(p, v)\n  t = Transpose[perm=[0,2,1,3]](o)\n"
            "  return Reshape[shape=[%5]](t)\n");
        const QString once = QStringLiteral("  k = Transpose[perm=[0,2,3,1]](b)\n");
        const QString byRows = QStringLiteral(
            "  k1 = Transpose[perm=[0,2,1,3]](b)\n  k2 = Reshape[shape=[-1,6,4]](k1)\n  k3 = "
            "Transpose[perm=[0,2,1]](k2)\n"
            "  k = Reshape[shape=[1,2,4,6]](k3)\n");
        const auto form = [&heads](const char* mask, const QString& keys, const char* added, const char* scores,
                                   const char* shape) {
            return heads.arg(QLatin1String(mask), keys, QLatin1String(added), QLatin1String(scores),
                             QLatin1String(shape));
        };
        QTest::newRow("both scaled") << form("", once, "", "s", "1,6,8") << "Attention";
        QTest::newRow("keys by rows, as a matrix") << form("", byRows, "", "s", "6,8") << "Attention Reshape";
        QTest::newRow("with a mask") << form(", m: f32[1,1,6,6]", byRows, "  n = Add(s, m)\n", "n", "1,6,8")
                                     << "Attention";
        QTest::newRow("with one row as a mask")
            << form(", m: f32[1,1,1,6]", once, "  n = Add(m, s)\n", "n", "1,6,8") << "Attention Expand";
    }
    void attentionIsFound() {
        QFETCH(QString, text);
        QFETCH(QString, operators);
        const Outcome outcome = searched(text, "tensor-default,tensor-attention", **search::findStrategy("phases"));
        QVERIFY(outcome.isValid);
        QVERIFY(outcome.isEquivalent);
        QCOMPARE(QString::fromStdString(outcome.operators), operators);
    }
};

MITOS_TEST(TstExportedForms)

}  // namespace tst_exported_forms

#include "tst_exported_forms.moc"
