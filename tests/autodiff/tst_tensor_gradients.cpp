// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients of tensor programs: every operator against an independent reference and against differences, whole models, bad input.
#include "core/autodiff/tensor_check.h"
#include "core/autodiff/training_graph.h"
#include "core/dialects/dialects.h"
#include "core/ir/dialect.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/expand.h"
#include "core/tensor/samples.h"
#include "core/tensor/text.h"
#include "tests/autodiff/derived.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QFile>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tst_tensor_gradients {

using namespace mitos;
using namespace Qt::StringLiterals;
using tensor::ArrayPtr;

/// A tensor program in a bank of its own.
class Listing {
public:
    explicit Listing(const std::string& text)
        : m_bank(std::make_unique<ir::TermBank>(dialects::makeRegistry())),
          m_program(ir::parseProgram(*m_bank, "test", text)) {}

    [[nodiscard]] ir::TermBank& bank() { return *m_bank; }

    [[nodiscard]] Result<autodiff::TrainingGraph> graph(const autodiff::TrainingRequest& request) {
        if (!m_program) return m_program.error();
        return autodiff::trainingGraph(*m_bank, tensor::modelOf(*m_bank, *m_program), request, obstacles);
    }
    /// The training graph as a listing, or the error's message.
    [[nodiscard]] QString text(const autodiff::TrainingRequest& request) {
        const Result<autodiff::TrainingGraph> made = graph(request);
        return QString::fromStdString(made ? ir::printProgram(*m_bank, made->model.program) : made.error().message);
    }
    /// Loss and gradients for inputs by name; weights are random.
    [[nodiscard]] Result<std::vector<ArrayPtr>> values(const autodiff::TrainingGraph& graph,
                                                       const tensor::Inputs& inputs) {
        return tensor::evaluate(*m_bank, graph.model.program.root, inputs,
                                tensor::sampledWeights(*m_bank, graph.model.program.root, 1));
    }

    std::vector<autodiff::TensorObstacle> obstacles;

private:
    std::unique_ptr<ir::TermBank> m_bank;
    Result<ir::Program> m_program;
};

autodiff::TrainingRequest byInputs() {
    autodiff::TrainingRequest request;
    request.byWeights = false;
    request.byInputs = true;
    return request;
}

autodiff::TrainingRequest byWeights(autodiff::Loss loss) {
    autodiff::TrainingRequest request;
    request.loss = loss;
    return request;
}

/// A program of tensor_gradients.txt with its loss and gradients.
struct Reference {
    QString name;
    bool isPositive = false;
    std::string listing = {};
    double loss = 0.0;
    std::vector<std::vector<double>> gradients = {};
};

std::vector<double> numbers(const QString& line) {
    std::vector<double> result;
    for (const QString& word : line.split(u' ', Qt::SkipEmptyParts)) result.push_back(word.toDouble());
    return result;
}

std::vector<Reference> references() {
    QFile file(QStringLiteral(MITOS_SOURCE_DIR "/tests/autodiff/tensor_gradients.txt"));
    std::vector<Reference> result;
    if (!file.open(QIODevice::ReadOnly)) return result;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n')) {
        if (line.startsWith(u"* "_s)) {
            result.push_back({.name = line.mid(2), .isPositive = line.endsWith(u"(positive)"_s)});
        } else if (line.startsWith(u"= "_s)) {
            result.back().loss = line.mid(2).toDouble();
        } else if (line.startsWith(u"- "_s)) {
            result.back().gradients.push_back(numbers(line.mid(2)));
        } else if (!line.isEmpty() && !line.startsWith(u'#')) {
            result.back().listing += line.toStdString() + "\n";
        }
    }
    return result;
}

/// The inputs that the reference describes.
tensor::Inputs inputsOf(const ir::TermBank& bank, const ir::Function& function, bool isPositive) {
    tensor::Inputs inputs;
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
        const tensor::ArrayType type = tensor::arrayType(bank.types(), function.parameters[k].type);
        auto array = std::make_shared<tensor::Array>();
        array->dtype = type.dtype;
        array->shape = type.shape();
        const auto count = static_cast<int>(tensor::elementCount(array->shape));
        for (int i = 0; i < count; ++i) {
            const double x = 0.9 * std::sin(1.0 + 1.7 * i + 2.3 * static_cast<double>(k));
            const double number = isPositive ? 0.6 + 0.5 * std::abs(x) : x;
            array->elements.push_back(ir::isFloating(type.dtype) ? number : i % 3);
        }
        inputs.emplace(bank.text(function.parameters[k].name), std::move(array));
    }
    return inputs;
}

class TestTensorGradients : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheReference_data();
    void agreesWithTheReference();
    void agreesWithDifferences_data() { agreesWithTheReference_data(); }
    void agreesWithDifferences();
    void everyRuleHasAReference();
    void readsWellAsAListing();
    void sumsWhatANodeContributes();
    void makesLosses_data();
    void makesLosses();
    void keepsNamesOfSizes();
    void choosesArrays();
    void leavesOutWhatTheLossDoesNotDependOn();
    void checksModels_data();
    void checksModels();
    void findsWrongGradients();
    void findsGraphsOfAnotherLoss();
    void explainsWhatHasNoGradient_data();
    void explainsWhatHasNoGradient();
    void listsAllObstacles();
    void keepsTheConventionsOfKsAtKinks_data();
    void keepsTheConventionsOfKsAtKinks();
};

void TestTensorGradients::agreesWithTheReference_data() {
    QTest::addColumn<int>("row");
    const std::vector<Reference> rows = references();
    QVERIFY(rows.size() > 100);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QTest::newRow(qPrintable(rows[i].name)) << static_cast<int>(i);
    }
}

void TestTensorGradients::agreesWithTheReference() {
    QFETCH(const int, row);
    const Reference reference = references()[static_cast<std::size_t>(row)];
    Listing listing(reference.listing);
    autodiff::TrainingRequest request = byInputs();
    request.loss = autodiff::Loss::Cotangent;
    const Result<autodiff::TrainingGraph> graph = listing.graph(request);
    QVERIFY2(graph.ok(), graph ? "" : graph.error().message.c_str());
    const ir::Function& function = listing.bank().function(graph->model.program.function);
    const Result<std::vector<ArrayPtr>> values =
        listing.values(*graph, inputsOf(listing.bank(), function, reference.isPositive));
    QVERIFY2(values.ok(), values ? "" : values.error().message.c_str());
    QCOMPARE(values->size(), reference.gradients.size() + 1);
    QVERIFY(std::abs((*values)[0]->elements[0] - reference.loss) < 1e-9);
    for (std::size_t i = 0; i < reference.gradients.size(); ++i) {
        const std::vector<double>& expected = reference.gradients[i];
        const std::vector<double>& found = (*values)[i + 1]->elements;
        QCOMPARE(found.size(), expected.size());
        for (std::size_t j = 0; j < found.size(); ++j) {
            const double apart = std::abs(found[j] - expected[j]);
            QVERIFY2(apart < 1e-9 * std::max(1.0, std::abs(expected[j])),
                     qPrintable(
                         u"gradient %1, element %2: %3 instead of %4"_s.arg(i).arg(j).arg(found[j]).arg(expected[j])));
        }
    }
}

void TestTensorGradients::agreesWithDifferences() {
    QFETCH(const int, row);
    const Reference reference = references()[static_cast<std::size_t>(row)];
    Listing listing(reference.listing);
    autodiff::TrainingRequest request = byInputs();
    request.loss = autodiff::Loss::Cotangent;
    const Result<autodiff::TrainingGraph> graph = listing.graph(request);
    QVERIFY(graph.ok());
    const ir::Function& function = listing.bank().function(graph->model.program.function);
    const Result<autodiff::TensorCheckReport> report = autodiff::checkGradients(
        listing.bank(), *graph,
        {.points = 1, .given = inputsOf(listing.bank(), function, reference.isPositive), .evaluation = {}});
    QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
    QVERIFY2(report->passed, qPrintable(u"deviation %1"_s.arg(report->deviation)));
    QVERIFY(report->deviation < 1e-6);
    QCOMPARE(report->points, 1);
}

void TestTensorGradients::everyRuleHasAReference() {
    std::string listings;
    for (const Reference& reference : references()) listings += reference.listing;
    QStringList missing;
    for (const tensor::Operator& op : tensor::operators()) {
        const bool hasRule = op.gradient.rule != nullptr || op.gradient.instead != nullptr;
        const bool isListed = listings.find(" " + op.name + "(") != std::string::npos ||
                              listings.find(" " + op.name + "[") != std::string::npos ||
                              listings.find("(" + op.name + "(") != std::string::npos ||
                              listings.find("(" + op.name + "[") != std::string::npos;
        if (hasRule && !isListed) missing << QString::fromStdString(op.name);
    }
    QCOMPARE(missing.join(u' '), QString());
}

void TestTensorGradients::readsWellAsAListing() {
    Listing listing("graph f(x: f32[2,3])\n  weight w: f32[3,4]\n  y = MatMul(x, w)\n  return Tanh(y)\n");
    QCOMPARE(listing.text(byWeights(autodiff::Loss::Sum)),
             u"graph f_gradient(x: f32[2,3], w: f32[3,4])\n"
             "  y = MatMul(x, w)                                            # f32[2,4]\n"
             "  tanh = Tanh(y)                                              # f32[2,4]\n"
             "  loss = ReduceSum[axes=[0,1],keepdims=false](tanh)           # f32[]\n"
             "  y_grad = Transpose[perm=[1,0]](x)                           # f32[3,2]\n"
             "  loss_grad = Constant[value=1.0,dtype=f32,shape=[]]()        # f32[]\n"
             "  tanh_grad = Mul(tanh, tanh)                                 # f32[2,4]\n"
             "  tanh_grad_2 = Sub(loss_grad, tanh_grad)                     # f32[2,4]\n"
             "  y_grad_2 = MatMul(y_grad, tanh_grad_2)                      # f32[3,4]\n"
             "  return (loss, y_grad_2)\n"_s);
}

void TestTensorGradients::sumsWhatANodeContributes() {
    // f = sum(x * x + x) + sum(x), so df/dx = 2 x + 2.
    Listing listing("graph f(x: f32[3])\n  return Add(Add(Mul(x, x), x), x)\n");
    autodiff::TrainingRequest request = byInputs();
    request.loss = autodiff::Loss::Sum;
    const Result<autodiff::TrainingGraph> graph = listing.graph(request);
    QVERIFY(graph.ok());
    const auto x = std::make_shared<tensor::Array>(tensor::Array{ir::Dtype::F32, {3}, {1.0, -2.0, 0.5}});
    const Result<std::vector<ArrayPtr>> values = listing.values(*graph, {{"x", x}});
    QVERIFY(values.ok());
    QCOMPARE((*values)[0]->elements, (std::vector<double>{4.25}));
    QCOMPARE((*values)[1]->elements, (std::vector<double>{4.0, -2.0, 3.0}));
}

void TestTensorGradients::makesLosses_data() {
    QTest::addColumn<int>("loss");
    QTest::addColumn<QString>("further");
    QTest::addColumn<double>("value");
    QTest::addColumn<std::vector<double>>("gradient");
    using autodiff::Loss;
    // y = x = (1, 2; 3, 5); the target or cotangent is (0, 1; 1, 0).
    QTest::newRow("cotangent") << int(Loss::Cotangent) << u"cotangent"_s << 5.0 << std::vector<double>{0, 1, 1, 0};
    QTest::newRow("sum") << int(Loss::Sum) << QString() << 11.0 << std::vector<double>{1, 1, 1, 1};
    QTest::newRow("mse") << int(Loss::MeanSquare) << u"target"_s << 7.75 << std::vector<double>{0.5, 0.5, 1, 2.5};
    // -log(softmax): log(1 + e^-1) and log(1 + e^2), their mean; softmax minus target, halved.
    QTest::newRow("softmax-cross-entropy")
        << int(Loss::SoftmaxCrossEntropy) << u"target"_s << 1.2200948492805995
        << std::vector<double>{0.13447071068499756, -0.13447071068499756, -0.44039853898894116, 0.44039853898894116};
}

void TestTensorGradients::makesLosses() {
    QFETCH(const int, loss);
    QFETCH(const QString, further);
    QFETCH(const double, value);
    QFETCH(const std::vector<double>, gradient);
    Listing listing("graph f(x: f32[2,2])\n  return Identity(x)\n");
    autodiff::TrainingRequest request = byInputs();
    request.loss = static_cast<autodiff::Loss>(loss);
    const Result<autodiff::TrainingGraph> graph = listing.graph(request);
    QVERIFY(graph.ok());
    tensor::Inputs inputs;
    inputs.emplace("x", std::make_shared<tensor::Array>(tensor::Array{ir::Dtype::F32, {2, 2}, {1, 2, 3, 5}}));
    const auto last = std::make_shared<tensor::Array>(tensor::Array{ir::Dtype::F32, {2, 2}, {0, 1, 1, 0}});
    if (!further.isEmpty()) inputs.emplace(further.toStdString(), last);
    const ir::Function& function = listing.bank().function(graph->model.program.function);
    QCOMPARE(function.parameters.size(), inputs.size());
    const Result<std::vector<ArrayPtr>> values = listing.values(*graph, inputs);
    QVERIFY(values.ok());
    QVERIFY((*values)[0]->shape.empty());
    QVERIFY(std::abs((*values)[0]->elements[0] - value) < 1e-12);
    for (std::size_t i = 0; i < 4; ++i) QVERIFY(std::abs((*values)[1]->elements[i] - gradient[i]) < 1e-12);
}

void TestTensorGradients::keepsNamesOfSizes() {
    Listing listing(
        "graph f(x: f32[N,4], b: f32[3])\n  weight w: f32[4,3]\n"
        "  y = Softmax[axis=1](Add(MatMul(x, w), b))\n"
        "  return ReduceMean[axes=[0,1],keepdims=false](Mul(y, y))\n");
    autodiff::TrainingRequest request;
    request.byInputs = true;
    const Result<autodiff::TrainingGraph> graph = listing.graph(request);
    QVERIFY2(graph.ok(), graph ? "" : graph.error().message.c_str());
    QCOMPARE(graph->arrays, (std::vector<std::string>{"x", "b", "w"}));
    const ir::TermBank& bank = listing.bank();
    QCOMPARE(tensor::typeText(bank.types(), bank.type(graph->model.program.root)),
             std::string("(f32[], f32[N,4], f32[3], f32[4,3])"));
    const Result<autodiff::TensorCheckReport> report = autodiff::checkGradients(bank, *graph);
    QVERIFY(report.ok() && report->passed);
}

void TestTensorGradients::choosesArrays() {
    const std::string text =
        "graph f(x: f32[2,2,1], i: i64[1])\n"
        "  weight scale: f32[2]\n  weight bias: f32[2]\n  weight mean: f32[2]\n  weight var: f32[2]\n"
        "  y = BatchNormalization(x, scale, bias, mean, var)\n"
        "  return (Gather(y, i), Relu(x))\n";
    using Names = std::vector<std::string>;
    const auto arrays = [&](const autodiff::TrainingRequest& request) {
        Listing listing(text);
        const Result<autodiff::TrainingGraph> graph = listing.graph(request);
        return graph ? graph->arrays : Names{graph.error().message};
    };
    QCOMPARE(arrays({}), (Names{"scale", "bias"}));  // statistics are not trained
    QCOMPARE(arrays({.byInputs = true}), (Names{"x", "scale", "bias"}));
    QCOMPARE(arrays({.byWeights = false, .names = {"var", "x"}}), (Names{"x", "var"}));
    QCOMPARE(arrays({.byWeights = false, .byInputs = true, .output = "output_1"}), (Names{"x"}));
    QCOMPARE(arrays({.output = "output_1"}), (Names{"the output output_1 has no weight with a gradient"}));
    QCOMPARE(arrays({.output = "y"}), (Names{"there is no output y"}));
    QCOMPARE(arrays({.names = {"v"}}), (Names{"no input or weight of the output output_0 is named v"}));
    QCOMPARE(arrays({.names = {"i"}}), (Names{"i is i64[1], which has no gradient"}));
}

void TestTensorGradients::leavesOutWhatTheLossDoesNotDependOn() {
    Listing listing("graph f(x: f32[2], y: f32[2])\n  return ReduceSum[axes=[0]](Mul(x, Sign(y)))\n");
    const Result<autodiff::TrainingGraph> graph = listing.graph(byInputs());
    QVERIFY(graph.ok());
    QCOMPARE(graph->arrays, std::vector<std::string>{"x"});
    QCOMPARE(graph->warnings,
             std::vector<std::string>{"the loss does not depend smoothly on y: no gradient is written"});
}

void TestTensorGradients::checksModels_data() {
    QTest::addColumn<std::string>("listing");
    QTest::addColumn<int>("loss");
    using autodiff::Loss;
    QTest::newRow("MLP") << std::string(
                                "graph mlp(x: f32[8,10])\n"
                                "  weight w1: f32[10,16]\n  weight b1: f32[16]\n  weight w2: f32[16,5]\n"
                                "  weight b2: f32[5]\n"
                                "  h = Relu(Gemm(x, w1, b1))\n  return Gemm(h, w2, b2)\n")
                         << int(Loss::SoftmaxCrossEntropy);
    QTest::newRow("LSTM cell")
        << std::string(
               "graph lstm(x: f32[3,4], h: f32[3,5], c: f32[3,5])\n"
               "  weight w: f32[4,20]\n  weight r: f32[5,20]\n  weight b: f32[20]\n"
               "  gates = Split[axis=1,sizes=[5,5,5,5]](Add(Add(MatMul(x, w), MatMul(h, r)), b))\n"
               "  kept = Mul(Sigmoid(gates[1]), c)\n"
               "  cell = Add(kept, Mul(Sigmoid(gates[0]), Tanh(gates[2])))\n"
               "  return Mul(Sigmoid(gates[3]), Tanh(cell))\n")
        << int(Loss::MeanSquare);
    QTest::newRow("LeNet") << std::string(
                                  "graph lenet(x: f32[2,1,16,16])\n"
                                  "  weight k1: f32[4,1,5,5]\n  weight c1: f32[4]\n  weight k2: f32[6,4,3,3]\n"
                                  "  weight c2: f32[6]\n  weight w: f32[24,10]\n  weight b: f32[10]\n"
                                  "  a = Relu(Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1]](x, k1, c1))\n"
                                  "  p = MaxPool[kernel_shape=[2,2],strides=[2,2],pads=[0,0,0,0],dilations=[1,1]](a)\n"
                                  "  d = Relu(Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1]](p, k2, c2))\n"
                                  "  q = AveragePool[kernel_shape=[2,2],strides=[2,2],pads=[0,0,0,0]](d)\n"
                                  "  return Gemm(Flatten(q), w, b)\n")
                           << int(Loss::SoftmaxCrossEntropy);
    QTest::newRow("a batch of any size")
        << std::string(
               "graph net(x: f32[N,2,6,6])\n  weight k: f32[4,2,3,3]\n  weight w: f32[4,3]\n"
               "  a = Relu(Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1]](x, k))\n"
               "  p = MaxPool[kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1],dilations=[1,1]](a)\n"
               "  return MatMul(Flatten(GlobalAveragePool(p)), w)\n")
        << int(Loss::MeanSquare);
    QTest::newRow("transformer block")
        << std::string(
               "graph block(x: f32[1,4,8])\n"
               "  weight q: f32[8,8]\n  weight k: f32[8,8]\n  weight v: f32[8,8]\n  weight o: f32[8,8]\n"
               "  weight s: f32[8]\n  weight t: f32[8]\n  weight up: f32[8,16]\n  weight down: f32[16,8]\n"
               "  attended = MultiHeadAttention[num_heads=2](MatMul(x, q), MatMul(x, k), MatMul(x, v))\n"
               "  first = LayerNormalization[axis=2](Add(x, MatMul(attended, o)), s, t)\n"
               "  return Add(first, MatMul(Gelu(MatMul(first, up)), down))\n")
        << int(Loss::Cotangent);
}

void TestTensorGradients::checksModels() {
    QFETCH(const std::string, listing);
    QFETCH(const int, loss);
    Listing model(listing);
    autodiff::TrainingRequest request;
    request.byInputs = true;
    request.loss = static_cast<autodiff::Loss>(loss);
    const Result<autodiff::TrainingGraph> graph = model.graph(request);
    QVERIFY2(graph.ok(), graph ? "" : graph.error().message.c_str());
    const Result<autodiff::TensorCheckReport> report = autodiff::checkGradients(model.bank(), *graph, {.points = 2});
    QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
    QVERIFY2(report->passed, qPrintable(u"deviation %1"_s.arg(report->deviation)));
    QVERIFY(report->deviation < 1e-7);
    QCOMPARE(report->points, 2);
    QCOMPARE(report->arrays.size(), graph->arrays.size());
}

void TestTensorGradients::findsWrongGradients() {
    Listing listing("graph f(x: f32[4])\n  return ReduceSum[axes=[0]](Exp(x))\n");
    Result<autodiff::TrainingGraph> graph = listing.graph(byInputs());
    QVERIFY(graph.ok());
    ir::TermBank& bank = listing.bank();
    tensor::TermMaker make(bank);
    const ir::TermId root = graph->model.program.root;
    const ir::TermId gradient = bank.child(root, 1);
    const ir::TermId wrong = make.node("Mul", {gradient, make.scalar(1.0001, gradient)});
    graph->model.program.root = bank.tuple(std::vector{bank.child(root, 0), wrong});
    const Result<autodiff::TensorCheckReport> report = autodiff::checkGradients(bank, *graph);
    QVERIFY(report.ok());
    QVERIFY(!report->passed);
    QVERIFY(!report->arrays[0].isWithin);
    QVERIFY(report->deviation > 1e-5 && report->deviation < 1e-3);
}

void TestTensorGradients::findsGraphsOfAnotherLoss() {
    // The gradients are those of the graph's loss; but the model's own output is four times as large.
    Listing listing("graph f(x: f32[4])\n  return Exp(x)\n");
    autodiff::TrainingRequest request = byInputs();
    request.loss = autodiff::Loss::Sum;
    Result<autodiff::TrainingGraph> graph = listing.graph(request);
    QVERIFY(graph.ok());
    QVERIFY(autodiff::checkGradients(listing.bank(), *graph)->passed);
    tensor::TermMaker make(listing.bank());
    const ir::TermId root = graph->source.program.root;
    graph->source.program.root = make.node("Mul", {root, make.scalar(4.0, root)});
    const Result<autodiff::TensorCheckReport> report = autodiff::checkGradients(listing.bank(), *graph);
    QVERIFY(report.ok());
    QVERIFY(report->arrays[0].isWithin);
    QVERIFY(!report->isLossWithin && !report->passed);
    QCOMPARE(report->lossDeviation, 0.75);
}

void TestTensorGradients::explainsWhatHasNoGradient_data() {
    QTest::addColumn<QString>("listing");
    QTest::addColumn<QString>("message");
    QTest::newRow("Integer output") << u"graph f(x: f32[3])\n  return ArgMax[axis=0](x)\n"_s
                                    << u"the output output_0 is i64[1], which has no gradient"_s;
    QTest::newRow("no way") << u"graph f(x: f32[3])\n  return ReduceSum[axes=[0]](Floor(x))\n"_s
                            << u"the loss does not depend smoothly on x"_s;
    QTest::newRow("no input") << u"graph f()\n  return Constant[value=1.0,dtype=f32,shape=[]]()\n"_s
                              << u"the output output_0 has no input or weight with a gradient"_s;
    QTest::newRow("steps without a number")
        << u"graph f(x: f32[N,1,2], w: f32[1,8,2], r: f32[1,8,2])\n"
           "  y = LSTM[hidden_size=2,activations=[Sigmoid,Tanh,Tanh]](x, w, r)\n  return y\n"_s
        << u"y (LSTM[hidden_size=2,activations=[Sigmoid,Tanh,Tanh]]) has no gradient: the number of steps is only a name"_s;
    QTest::newRow("too many steps")
        << u"graph f(x: f32[513,1,2], w: f32[1,2,2], r: f32[1,2,2])\n"
           "  y = RNN[hidden_size=2,activations=[Tanh]](x, w, r)\n  return y\n"_s
        << u"y (RNN[hidden_size=2,activations=[Tanh]]) has no gradient: 1 to 512 steps are written out, not 513"_s;
    QTest::newRow("no outputs") << u"graph f(x: f32[3])\n  return ()\n"_s << u"the graph has no output"_s;
}

void TestTensorGradients::explainsWhatHasNoGradient() {
    QFETCH(const QString, listing);
    QFETCH(const QString, message);
    Listing program(listing.toStdString());
    QCOMPARE(program.text({.byInputs = true}), message);
}

void TestTensorGradients::listsAllObstacles() {
    Listing listing("graph f(x: f32[2,2])\n  a = Det(x)\n  b = Det(Relu(x))\n  return Add(a, b)\n");
    const Result<autodiff::TrainingGraph> graph = listing.graph(byInputs());
    QVERIFY(!graph.ok());
    QCOMPARE(graph.error().code, ErrorCode::Unsupported);
    QCOMPARE(listing.obstacles.size(), 2U);
    QCOMPARE(graph.error().message, std::string("a (Det) has no gradient: no derivative is known, and 1 more"));
    QCOMPARE(listing.obstacles[0].reason, std::string("no derivative is known"));
    QCOMPARE(tensor::nodeText(listing.bank(), listing.obstacles[0].node), std::string("a"));
    QCOMPARE(tensor::nodeText(listing.bank(), listing.obstacles[1].node), std::string("b"));
}

/// The same function in both dialects, with its gradient at one kink by hand.
struct Kink {
    const char* name;
    const char* ks;      ///< over the Floats x and y
    const char* tensor;  ///< over arrays x and y of one element
    double x;
    double y;
    double dx;
    double dy;
};

constexpr Kink Kinks[] = {
    {"absolute value", "(abs x)", "Abs(x)", 0, 1, 0, 0},
    {"equal numbers", "(max x y)", "Max(x, y)", 1, 1, 0.5, 0.5},
    {"equal numbers, the smaller one", "(neg (max (neg x) (neg y)))", "Min(x, y)", -1, -1, 0.5, 0.5},
    {"equal elements", "(max (Vec_init x y))", "ReduceMax[axes=[0],keepdims=true](Concat[axis=0](x, y))", 0, 0, 0.5,
     0.5},
    {"equal elements, the smallest one", "(neg (max (Vec_init (neg x) (neg y))))",
     "ReduceMin[axes=[0],keepdims=true](Concat[axis=0](x, y))", 1, 1, 0.5, 0.5},
    {"rectifier", "(if (gt x 0.0) x 0.0)", "Relu(x)", 0, 1, 0, 0},
    {"root", "(sqrt (abs x))", "Sqrt(Abs(x))", 0, 1, 0, 0},
    {"root as a power", "(mul y (sqrt (abs x)))", "Mul(y, Pow(Abs(x), Constant[value=0.5,dtype=f32,shape=[]]()))", 0, 1,
     0, 0},
    {"length", "(sqrt (add (mul x x) (mul y y)))", "Sqrt(Add(Mul(x, x), Mul(y, y)))", 0, 0, 0, 0},
    {"length of a vector", "(let (v (Vec_init x y)) (sqrt (dot v v)))",
     "ReduceL2[axes=[0],keepdims=true](Concat[axis=0](x, y))", 0, 0, 0, 0},
    {"length with a floor", "(max (sqrt (add (mul x x) (mul y y))) 1e-10)",
     "Max(Sqrt(Add(Mul(x, x), Mul(y, y))), Constant[value=1e-10,dtype=f32,shape=[]]())", 0, 0, 0, 0},
    {"square of a length", "(let (n (sqrt (add (mul x x) (mul y y)))) (mul n n))",
     "Mul(Sqrt(Add(Mul(x, x), Mul(y, y))), Sqrt(Add(Mul(x, x), Mul(y, y))))", 0, 0, 0, 0},
    {"logarithm with a floor", "(max (log (mul x x)) -10.0)",
     "Max(Log(Mul(x, x)), Constant[value=-10.0,dtype=f32,shape=[]]())", 0, 1, 0, 0},
    {"logarithm that is not chosen", "(let (l (log x)) (if (gt x 0.0) l y))",
     "Where(Greater(x, Constant[value=0.0,dtype=f32,shape=[]]()), Log(x), y)", 0, 1, 0, 1},
    {"quotient that is not chosen", "(let (q (div x y)) (if (eq y 0.0) x q))",
     "Where(Equal(y, Constant[value=0.0,dtype=f32,shape=[]]()), x, Div(x, y))", -1, 0, 1, 0},
    {"power of zero", "(mul y (pow x 0))", "Mul(y, Pow(x, Constant[value=0.0,dtype=f32,shape=[]]()))", 0, 1, 0, 1},
};

void TestTensorGradients::keepsTheConventionsOfKsAtKinks_data() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < std::size(Kinks); ++i) QTest::newRow(Kinks[i].name) << static_cast<int>(i);
}

void TestTensorGradients::keepsTheConventionsOfKsAtKinks() {
    QFETCH(const int, row);
    const Kink& kink = Kinks[row];
    tests::Derived tree(std::string("(def f Float ((x : Float) (y : Float)) ") + kink.ks + ")");
    const Result<ir::FunctionId> forward = tree.derivative(autodiff::Direction::Forward);
    const Result<ir::FunctionId> reverse = tree.derivative(autodiff::Direction::Reverse);
    QVERIFY(forward.ok() && reverse.ok());
    // The zero that Sub adds to y keeps both arrays in the graph.
    Listing listing(std::string("graph f(x: f32[1], y: f32[1])\n  z = Sub(Add(x, y), Add(x, y))\n  return Add(") +
                    kink.tensor + ", z)\n");
    autodiff::TrainingRequest request = byInputs();
    request.loss = autodiff::Loss::Sum;
    const Result<autodiff::TrainingGraph> graph = listing.graph(request);
    QVERIFY2(graph.ok(), graph ? "" : graph.error().message.c_str());
    for (const double x : {-1.0, 0.0, 1.0, 2.0}) {
        for (const double y : {-1.0, 0.0, 1.0}) {
            const auto array = [](double number) {
                return std::make_shared<tensor::Array>(tensor::Array{ir::Dtype::F32, {1}, {number}});
            };
            const Result<std::vector<ArrayPtr>> values = listing.values(*graph, {{"x", array(x)}, {"y", array(y)}});
            QVERIFY2(values.ok(), values ? "" : values.error().message.c_str());
            const double loss = (*values)[0]->elements[0];
            if (!std::isfinite(loss)) continue;
            const double dx = (*values)[1]->elements[0];
            const double dy = (*values)[2]->elements[0];
            if (x == kink.x && y == kink.y) {
                QCOMPARE(dx, kink.dx);
                QCOMPARE(dy, kink.dy);
            }
            const eval::Sample sample{{{eval::Value(x), eval::Value(y)}, {}}, eval::Value(1.0)};
            const Result<eval::Evaluation> back = tree.at(*reverse, sample, autodiff::Direction::Reverse);
            const Result<eval::Evaluation> along = tree.at(*forward, sample, autodiff::Direction::Forward);
            QVERIFY(back.ok() && along.ok());
            const std::vector<eval::Value>& parts = back->value.asTuple().elements;
            const QString at = u"x = %1, y = %2: ks (%3, %4), forward %5; tensor (%6, %7)"_s.arg(x)
                                   .arg(y)
                                   .arg(parts[0].asFloat())
                                   .arg(parts[1].asFloat())
                                   .arg(along->value.asFloat())
                                   .arg(dx)
                                   .arg(dy);
            QVERIFY2(std::abs(parts[0].asFloat() - dx) < 1e-6 && std::abs(parts[1].asFloat() - dy) < 1e-6,
                     qPrintable(at));
            QVERIFY2(std::abs(along->value.asFloat() - dx - dy) < 1e-6, qPrintable(at));
        }
    }
}

MITOS_TEST(TestTensorGradients)

}  // namespace tst_tensor_gradients

#include "tst_tensor_gradients.moc"
