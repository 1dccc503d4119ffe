// SPDX-License-Identifier: GPL-3.0-or-later
// The generated networks: how many nodes of each operator they have, their inputs and outputs.
#include "core/networks/networks.h"
#include "core/tensor/dialect.h"
#include "core/tensor/operator.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tst_networks {

using namespace Qt::StringLiterals;
using namespace mitos;
using namespace mitos::networks;

namespace {

using Counts = std::map<std::string, int>;

std::shared_ptr<const ir::OperatorRegistry> registry() {
    const auto made = std::make_shared<ir::OperatorRegistry>();
    made->addDialect(tensor::dialect());
    return made;
}

/// Nodes that are no weights, by operator.
Counts countsOf(const ir::TermBank& bank, ir::TermId root) {
    Counts counts;
    std::set<ir::TermId> seen;
    std::vector<ir::TermId> open{root};
    while (!open.empty()) {
        const ir::TermId term = open.back();
        open.pop_back();
        if (!seen.insert(term).second) continue;
        if (tensor::operatorOf(bank, term) != nullptr) ++counts[std::string(bank.opName(term))];
        for (const ir::TermId child : bank.children(term)) open.push_back(child);
    }
    return counts;
}

tensor::Model model(ir::TermBank& bank, std::string_view name, Style style) {
    const Result<const Network*> network = findNetwork(name);
    Result<tensor::Model> built = build(bank, **network, style);
    if (!built) qFatal("%s", built.error().message.c_str());
    return *std::move(built);
}

}  // namespace

class TestNetworks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The printed node counts (weights apart). Activations that the papers' scripts fuse into convolutions are nodes of
    /// their own here, so Relu counts those too.
    void hasThePrintedNodes_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<Counts>("expected");
        QTest::newRow("bert") << u"bert"_s << Counts{{"MatMul", 48}, {"Reshape", 32}, {"Transpose", 32}, {"Relu", 1}};
        QTest::newRow("inception")
            << u"inception-v3"_s
            << Counts{{"Conv", 94}, {"Relu", 94}, {"Concat", 15}, {"AveragePool", 9}, {"MaxPool", 5}};
        QTest::newRow("mobilenet") << u"mobilenet-v2"_s
                                   << Counts{{"Conv", 54}, {"BatchNormalization", 53}, {"Relu", 36},
                                             {"Add", 10},  {"AveragePool", 1},         {"Reshape", 1}};
        // Printed: 51 average pools. A normal cell adds the average of one input to itself: one node here, as equal terms are
        // one term, so 15 fewer; a reduction cell uses one maximum twice, so 3 fewer. Relus: the stem's, and two a cell.
        QTest::newRow("nasnet") << u"nasnet-a"_s << Counts{{"Conv", 217},  {"Add", 90},    {"AveragePool", 36},
                                                           {"Concat", 18}, {"MaxPool", 4}, {"Relu", 37}};
        QTest::newRow("nasrnn") << u"nasrnn"_s << Counts{{"MatMul", 80}, {"Add", 55},     {"Mul", 20},
                                                         {"Tanh", 40},   {"Sigmoid", 25}, {"Relu", 10}};
        // 16 after the additions, 32 within the blocks, 4 on shortcuts.
        QTest::newRow("resnet") << u"resnet-50"_s << Counts{{"Conv", 52}, {"Add", 16}, {"Relu", 52}};
        QTest::newRow("resnext") << u"resnext-50"_s << Counts{{"Conv", 53}, {"Add", 16}, {"Relu", 53}, {"MaxPool", 1}};
        QTest::newRow("squeezenet") << u"squeezenet"_s
                                    << Counts{{"Conv", 26},       {"Relu", 26},   {"Concat", 8}, {"MaxPool", 3},
                                              {"AveragePool", 1}, {"Dropout", 1}, {"Reshape", 1}};
        QTest::newRow("vgg") << u"vgg-19"_s << Counts{{"Conv", 16},   {"Relu", 18},     {"MaxPool", 5}, {"MatMul", 3},
                                                      {"Reshape", 3}, {"Transpose", 3}, {"Dropout", 2}};
        QTest::newRow("transducer") << u"transformer-transducer"_s
                                    << Counts{{"MatMul", 116}, {"Reshape", 56}, {"Transpose", 56},
                                              {"Add", 28},     {"Relu", 15},    {"Concat", 1}};
        QTest::newRow("vit base") << u"vit-base"_s
                                  << Counts{
                                         {"MatMul", 96}, {"Reshape", 48}, {"Transpose", 48}, {"Add", 24}, {"Relu", 1}};
        QTest::newRow("vit large")
            << u"vit-large"_s << Counts{{"MatMul", 192}, {"Reshape", 96}, {"Transpose", 96}, {"Add", 48}, {"Relu", 1}};
        QTest::newRow("vit huge")
            << u"vit-huge"_s << Counts{{"MatMul", 256}, {"Reshape", 128}, {"Transpose", 128}, {"Add", 64}, {"Relu", 1}};
    }
    void hasThePrintedNodes() {
        QFETCH(QString, name);
        QFETCH(Counts, expected);
        ir::TermBank bank(registry());
        const Counts found = countsOf(bank, model(bank, name.toStdString(), Style::Paper).program.root);
        for (const auto& [op, count] : expected) {
            const auto there = found.find(op);
            QVERIFY2(there != found.end() && there->second == count,
                     qPrintable(u"%1: %2 expected, %3 found"_s.arg(QString::fromStdString(op))
                                    .arg(count)
                                    .arg(there == found.end() ? 0 : there->second)));
        }
        QCOMPARE(found.size(), expected.size());
    }

    void realisticOnesHaveWhatTrainedNetworksHave_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<Counts>("expected");
        QTest::addColumn<QString>("result");
        QTest::newRow("resnet") << u"resnet-50"_s << Counts{{"Conv", 53}, {"BatchNormalization", 53}}
                                << u"f32[1,1000]"_s;
        QTest::newRow("mobilenet") << u"mobilenet-v2"_s << Counts{{"Conv", 53}, {"Clip", 35}} << u"f32[1,1000]"_s;
        QTest::newRow("bert") << u"bert"_s << Counts{{"Softmax", 8}, {"Erf", 8}, {"LayerNormalization", 17}}
                              << u"f32[64,1024]"_s;
        QTest::newRow("vit base") << u"vit-base"_s << Counts{{"Softmax", 12}, {"LayerNormalization", 25}, {"Slice", 1}}
                                  << u"f32[1,1000]"_s;
        QTest::newRow("vgg") << u"vgg-19"_s << Counts{{"Softmax", 1}} << u"f32[1,1000]"_s;
    }
    void realisticOnesHaveWhatTrainedNetworksHave() {
        QFETCH(QString, name);
        QFETCH(Counts, expected);
        QFETCH(QString, result);
        ir::TermBank bank(registry());
        const tensor::Model made = model(bank, name.toStdString(), Style::Realistic);
        const Counts found = countsOf(bank, made.program.root);
        for (const auto& [op, count] : expected) QCOMPARE(found.at(op), count);
        QCOMPARE(QString::fromStdString(bank.types().toString(bank.type(made.program.root))), result);
    }

    void everyNetworkIsBuiltInBothStyles() {
        for (const Network& network : allNetworks()) {
            for (const Style style : {Style::Paper, Style::Realistic}) {
                ir::TermBank bank(registry());
                const Result<tensor::Model> made = build(bank, network, style);
                QVERIFY(made.ok());
                const ir::Function& function = bank.function(made->program.function);
                QVERIFY(function.sharing == ir::Sharing::Graph);
                QCOMPARE(function.result, bank.type(made->program.root));
                QVERIFY(made->weights->size() > 10);
                for (const ir::Parameter& input : function.parameters) {
                    const std::string name(bank.text(input.name));
                    QVERIFY(std::find(made->outputs.begin(), made->outputs.end(), name) == made->outputs.end());
                    QVERIFY(made->weights->find(name) == nullptr);
                }
            }
        }
    }

    void weightsTakeNoMemoryBeforeTheyAreRead() {
        ir::TermBank bank(registry());
        const tensor::Model made = model(bank, "vgg-19", Style::Paper);
        std::int64_t elements = 0;
        for (const auto& [name, data] : *made.weights) {
            QVERIFY(data.bytes().empty());
            elements += tensor::elementCount(data.shape());
        }
        QCOMPARE(elements, std::int64_t{143'652'544});  // VGG-19's parameters without biases
    }

    void unknownNamesAreToldWhatThereIs() {
        const Result<const Network*> network = findNetwork("alexnet");
        QVERIFY(!network.ok());
        QVERIFY(network.error().hint.find("vgg-19") != std::string::npos);
    }

    void oneNameIsOneProgram() {
        ir::TermBank bank(registry());
        const Network& network = **findNetwork("nasrnn");
        QVERIFY(build(bank, network, Style::Paper).ok());
        QVERIFY(!build(bank, network, Style::Realistic).ok());
    }
};

MITOS_TEST(TestNetworks)

}  // namespace tst_networks

#include "tst_networks.moc"
