// SPDX-License-Identifier: GPL-3.0-or-later
// Prices of replacements are those of the whole graphs after them.
#include "core/cost/node_cost.h"
#include "core/cost/replacement_costs.h"
#include "core/networks/networks.h"
#include "core/rewrite/rewriter.h"
#include "tests/dialects/random_graphs.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>
#include <cmath>

namespace tst_replacement_costs {

using namespace mitos;

namespace {

constexpr const char* Kernels = "roofline:laptop,kernels=onnxruntime";

/// How many rewrites had prices without their graphs, and whether these were right.
struct Tally {
    std::size_t rewrites = 0;
    std::size_t priced = 0;
    std::string wrong;
};

Tally tally(ir::TermBank& bank, const ir::Program& program, const std::string& model, const rules::RuleBook& book,
            std::size_t every = 1) {
    Tally tally;
    const auto found = cost::findCostModel(model, "tensor");
    if (!found) qFatal("%s", found.error().render().c_str());
    const auto costs = (*found)->evaluator(bank, program.function);
    constexpr std::size_t MostNodes = 1'000;
    cost::ReplacementCosts replacements(bank, *costs, program.root, MostNodes);
    const rewrite::Rewriter rewriter(bank, book.directions(), ir::Sharing::Graph);
    rewriter.forEachApplicable(program.root, [&](const rewrite::Applicable& one) {
        if (one.position == nullptr || ++tally.rewrites % every != 0) return true;
        const std::optional<double> cost = replacements.of(one.subterm, one.replacement);
        if (!cost) return true;
        ++tally.priced;
        const double whole = costs->costOrInfinity(one.make().result);
        if (std::abs(*cost - whole) > 1e-9 * std::max(1.0, std::abs(whole))) {
            tally.wrong +=
                fmt::format("{} at {}: {} instead of {}\n", one.rule.name(), bank.opName(one.subterm), *cost, whole);
        }
        return true;
    });
    return tally;
}

rules::RuleBook book(const ir::TermBank& bank, const char* sets) {
    Result<rules::RuleBook> loaded = rules::RuleBook::load(sets, bank.sharedRegistry());
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return *std::move(loaded);
}

ir::Program chain(ir::TermBank& bank, int length) {
    ir::TermId node = test::node(bank, "Relu", {test::parameter(bank, "x")});
    for (int i = 1; i < length; ++i) node = test::node(bank, "Add", {node, test::parameter(bank, "x")});
    return test::graphProgram(bank, fmt::format("chain{}", length), {"x"}, node);
}

/// Each node costs 1.
class Counting final : public cost::NodeCosts {
public:
    explicit Counting(std::size_t& priced) : m_priced(priced) {}
    Status costs(std::span<const cost::Node> nodes, std::span<double> costs, const std::stop_token&) override {
        m_priced += nodes.size();
        std::ranges::fill(costs, 1.0);
        return Success{};
    }
    Result<cost::NodeCost> explain(const cost::Node&) override { return cost::NodeCost{1.0, "a node"}; }

private:
    std::size_t& m_priced;
};

std::size_t pricedNodes(int length) {
    ir::TermBank bank(dialects::makeRegistry());
    const ir::Program program = chain(bank, length);
    std::size_t priced = 0;
    const auto costs = cost::sumOfNodes(bank, ir::Sharing::Graph, std::make_unique<Counting>(priced));
    cost::ReplacementCosts replacements(bank, *costs, program.root);
    const rules::RuleBook rules = book(bank, "tensor-default");
    const rewrite::Rewriter rewriter(bank, rules.directions(), ir::Sharing::Graph);
    bool areAllKnown = true;
    rewriter.forEachApplicable(program.root, [&](const rewrite::Applicable& one) {
        areAllKnown = areAllKnown && replacements.of(one.subterm, one.replacement);
        return true;
    });
    return areAllKnown ? priced : 0;
}

}  // namespace

class TstReplacementCosts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomGraphs_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"size", "roofline:laptop", "measured", Kernels}) QTest::newRow(model) << model;
    }
    void randomGraphs() {
        QFETCH(const QString, model);
        Random random(11);
        Tally all;
        for (int i = 0; i < 40; ++i) {
            ir::TermBank bank(dialects::makeRegistry());
            const ir::Program program = test::randomGraph(bank, random, 6 + i / 2);
            const Tally one = tally(bank, program, model.toStdString(), book(bank, "tensor-default"));
            QVERIFY2(one.wrong.empty(), one.wrong.c_str());
            all.rewrites += one.rewrites;
            all.priced += one.priced;
        }
        QVERIFY(all.rewrites > 500);
        QVERIFY(all.priced * 2 > all.rewrites);
    }

    /// Networks with many kernels of several operators.
    void networks_data() {
        QTest::addColumn<QString>("network");
        QTest::addColumn<QString>("model");
        for (const char* network : {"bert", "squeezenet"}) {
            for (const char* model : {"roofline:laptop", Kernels})
                QTest::addRow("%s %s", network, model) << network << model;
        }
    }
    void networks() {
        QFETCH(const QString, network);
        QFETCH(const QString, model);
        constexpr std::size_t Every = 31;
        ir::TermBank bank(dialects::makeRegistry());
        const auto found = networks::findNetwork(network.toStdString());
        if (!found) qFatal("%s", found.error().render().c_str());
        const tensor::Model built = *networks::build(bank, **found, networks::Style::Realistic);
        const Tally all = tally(bank, built.program, model.toStdString(), book(bank, "tensor-default"), Every);
        QVERIFY2(all.wrong.empty(), all.wrong.c_str());
        QVERIFY(all.priced * Every * 2 > all.rewrites);
    }

    void pricedNodesGrowWithTheLength() {
        const std::size_t some = pricedNodes(200);
        QVERIFY(some > 200);
        QVERIFY(pricedNodes(400) < 2 * some + 100);
    }

    /// The sum that takes the place of the first one is there already, so that the nodes above them become one.
    void equalNodesNeedTheWholeGraph() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::TermId x = test::parameter(bank, "x");
        const ir::TermId a = test::node(bank, "Add", {x, x});
        const ir::TermId b = test::node(bank, "Relu", {x});
        const ir::TermId root = test::node(bank, "Mul", {test::node(bank, "Relu", {a}), test::node(bank, "Relu", {b})});
        const ir::Program program = test::graphProgram(bank, "f", {"x"}, root);
        const auto costs = (*cost::findCostModel("size", "tensor"))->evaluator(bank, program.function);
        cost::ReplacementCosts replacements(bank, *costs, program.root);
        QVERIFY(!replacements.of(a, b));
        QVERIFY(!replacements.of(a, x));  // Relu(x) is b
    }

    void modelsOfWholePrograms() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = chain(bank, 10);
        const auto costs = (*cost::findCostModel("peak-memory", "tensor"))->evaluator(bank, program.function);
        cost::ReplacementCosts replacements(bank, *costs, program.root);
        QVERIFY(!replacements.isAble());
        QVERIFY(!replacements.of(program.root, test::parameter(bank, "x")));
    }
};

MITOS_TEST(TstReplacementCosts)

}  // namespace tst_replacement_costs

#include "tst_replacement_costs.moc"
