// SPDX-License-Identifier: GPL-3.0-or-later
// A cost model of one file, as core/cost/README.md says how to add it, and the evaluator that sums costs of nodes.
#include "core/base/write_file.h"
#include "core/cost/factory.h"
#include "core/dialects/dialects.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <limits>

namespace tst_node_cost {

using namespace mitos;

namespace {

using cost::Node;
using cost::NodeCost;

/// Additions have a weight, an exponential has no cost, and a sumbuild runs its body ten times.
class Additions final : public cost::NodeCosts {
public:
    Additions(double weight, int* batches) : m_weight(weight), m_batches(batches) {}

    Status costs(std::span<const Node> nodes, std::span<double> costs, const std::stop_token& stop) override {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped"};
        if (m_batches != nullptr) ++*m_batches;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Result<NodeCost> own = explain(nodes[i]);
            if (!own) return own.error();
            costs[i] = own->cost;
        }
        return Success{};
    }
    Result<NodeCost> explain(const Node& node) override {
        if (node.opName() == "exp") return Error{ErrorCode::InvalidInput, "exp has no cost"};
        if (node.opName() != "add" && node.opName() != "Add") return NodeCost{0.0, "free"};
        return NodeCost{m_weight, "an addition"};
    }
    double times(const Node& node, std::size_t input) const override {
        return node.opName() == "sumbuild" && input == 1 ? 10.0 : 1.0;
    }

private:
    double m_weight;
    int* m_batches;
};

cost::CostModelFactory additions() {
    return {.info = {.name = "additions",
                     .title = "Additions",
                     .unit = "units",
                     .description = "The weight of all additions.",
                     .parameters = {{.name = "weight",
                                     .title = "Weight",
                                     .help = "of an addition",
                                     .defaultValue = 2.0,
                                     .minimum = 0.0,
                                     .maximum = 100.0,
                                     .choices = {}}}},
            .make = [](cost::CostModelInfo info) -> Result<std::shared_ptr<const cost::CostModel>> {
                const double weight = std::get<double>(info.values.at("weight"));
                return cost::modelOfNodes(std::move(info),
                                          [weight] { return std::make_unique<Additions>(weight, nullptr); });
            }};
}

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};

    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    std::unique_ptr<cost::CostEvaluator> evaluator(const ir::Program& program, std::string_view given = "weight=2") {
        const auto model = cost::makeCostModel(additions(), given);
        if (!model) qFatal("%s", model.error().render().c_str());
        return (*model)->evaluator(bank, program.function);
    }
};

}  // namespace

class TstNodeCost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aModelIsItsFactory() {
        const auto usual = cost::makeCostModel(additions());
        QVERIFY(usual.ok());
        QCOMPARE((*usual)->info().name, std::string("additions"));
        const auto heavy = cost::makeCostModel(additions(), "weight=3");
        QVERIFY(heavy.ok());
        QCOMPARE((*heavy)->info().name, std::string("additions:weight=3"));
        QVERIFY(!cost::makeCostModel(additions(), "weight=many").ok());
        QVERIFY(!cost::makeCostModel(additions(), "weight=101").ok());
        QVERIFY(!cost::makeCostModel(additions(), "height=1").ok());
        QCOMPARE(cost::costModelName((*usual)->info(), {{"weight", 3.0}}), std::string("additions:weight=3"));
        QCOMPARE(cost::costModelName((*heavy)->info(), {{"weight", 2.0}}), std::string("additions"));
    }

    void treesPayForEveryOccurrenceAndRound() {
        Fixture f;
        const ir::Program program = f.parse(
            "(def f Float ((x : Float)) (let (a (add x 1.0)) (sumbuild 7 (lam (i : Integer) (add a (add a x))))))");
        const auto costs = f.evaluator(program, "weight=3");
        QCOMPARE(*costs->cost(program.root), 3.0 + 10 * 2 * 3.0);
        const Result<std::vector<cost::CostPart>> parts = costs->explain(program.root);
        QVERIFY(parts.ok());
        QCOMPARE(parts->size(), static_cast<std::size_t>(f.bank.treeSize(program.root)));
        QCOMPARE(parts->front().total, 63.0);
        double sum = 0.0;
        for (const cost::CostPart& part : *parts) sum += part.own * part.times;
        QCOMPARE(sum, 63.0);
    }

    void graphsPayForANodeOnce() {
        Fixture f;
        const ir::Program program = f.parse("graph f(x: f32[2])\n a = Add(x, x)\n b = Add(a, a)\n return Mul(b, b)\n");
        const auto costs = f.evaluator(program);
        QCOMPARE(*costs->cost(program.root), 4.0);
        QCOMPARE(costs->explain(program.root)->size(), std::size_t(4));
    }

    /// The sum `d` needs `a` through both of its operands, one of which is found below the other.
    void totalsCountANodeOnce() {
        Fixture f;
        const ir::Program program = f.parse(
            "graph f(x: f32[2])\n a = Add(x, x)\n b = Mul(a, a)\n c = Add(a, x)\n d = Add(b, c)\n return Relu(d)\n");
        std::vector<double> totals;
        const auto parts = f.evaluator(program)->explain(program.root);
        QVERIFY(parts.ok());
        for (const cost::CostPart& part : *parts) totals.push_back(part.total);
        QCOMPARE(totals, (std::vector<double>{6.0, 6.0, 2.0, 2.0, 0.0, 4.0}));  // Relu, d, b, a, x, c
    }

    /// The paths of this graph have five thousand million levels in all.
    void deepGraphsAreExplainedByNodes() {
        Fixture f;
        std::string text = "graph f(x: f32[2])\n n0 = Add(x, x)\n";
        for (int i = 1; i < 100'000; ++i) text += fmt::format(" n{} = Add(n{}, x)\n", i, i - 1);
        const ir::Program program = f.parse(text + " return n99999\n");
        const auto costs = f.evaluator(program);
        const auto nodes = costs->explainNodes(program.root);
        QVERIFY(nodes.ok());
        QCOMPARE(nodes->size(), std::size_t(100'001));
        double sum = 0.0;
        for (const NodeCost& node : *nodes) sum += node.cost;
        QCOMPARE(sum, 200'000.0);
        QCOMPARE(*costs->cost(program.root), 200'000.0);
    }

    void treesAreNotExplainedByNodes() {
        Fixture f;
        const ir::Program program = f.parse("(def f Float ((x : Float)) (add x 1.0))");
        QVERIFY(!f.evaluator(program)->explainNodes(program.root));
    }

    void aNodeWithoutACostFailsItsPrograms() {
        Fixture f;
        const ir::Program good = f.parse("(def f Float ((x : Float)) (add x 1.0))");
        const ir::Program bad = f.parse("(def g Float ((x : Float)) (exp (add x 2.0)))");
        const auto costs = f.evaluator(good);
        const Result<double> none = costs->cost(bad.root);
        QVERIFY(!none);
        QCOMPARE(none.error().message, std::string("exp has no cost"));
        QVERIFY(!costs->explain(bad.root));
        const std::array both{good.root, bad.root};
        QVERIFY(!costs->costs(both));
        QCOMPARE(costs->costOrInfinity(bad.root), std::numeric_limits<double>::infinity());
        QCOMPARE(*costs->cost(good.root), 2.0);
        QCOMPARE(*costs->cost(f.bank.child(bad.root, 0)), 2.0);
    }

    void severalRootsAreOneBatch() {
        Fixture f;
        const ir::Program one = f.parse("(def f Float ((x : Float)) (add x 1.0))");
        const ir::Program two = f.parse("(def g Float ((x : Float)) (add (add x 1.0) 1.0))");
        int batches = 0;
        const auto costs = cost::sumOfNodes(f.bank, ir::Sharing::Tree, std::make_unique<Additions>(1.0, &batches));
        const std::array both{one.root, two.root};
        QCOMPARE(*costs->costs(both), (std::vector{1.0, 2.0}));
        QCOMPARE(batches, 1);
        QCOMPARE(*costs->cost(two.root), 2.0);
        QCOMPARE(batches, 1);
    }

    void aStopEndsCosting() {
        Fixture f;
        const ir::Program program = f.parse("(def f Float ((x : Float)) (add x 1.0))");
        std::stop_source source;
        source.request_stop();
        const std::array roots{program.root};
        const Result<std::vector<double>> sums = f.evaluator(program)->costs(roots, source.get_token());
        QVERIFY(!sums);
        QCOMPARE(sums.error().code, ErrorCode::Cancelled);
        const auto whole = (*cost::findCostModel("ks-2021"))->evaluator(f.bank, program.function);
        QVERIFY(!whole->costs(roots, source.get_token()));
        QVERIFY(whole->costs(roots).ok());
    }

    void parametersAreWrittenBehindTheName_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* written, const char* name) {
            QTest::newRow(written) << QString::fromUtf8(written) << QString::fromUtf8(name);
        };
        row("roofline", "roofline");
        row("roofline:laptop", "roofline:laptop");
        row("roofline:device=laptop", "roofline:laptop");
        row("roofline:laptop,N=8", "roofline:laptop,N=8");
        row("roofline:N=8,64", "roofline:N=8,64");
        row("roofline:sizes=64,N=8,device=laptop", "roofline:laptop,64,N=8");
        row("peak-memory:8", "peak-memory:8");
        row("ks-sized:n=64,m=8", "ks-sized:n=64,m=8");
        row("size:mul=3,add=0.5", "size:mul=3,add=0.5");
        row("size:operators=mul=3,add=0.5", "size:mul=3,add=0.5");
    }
    void parametersAreWrittenBehindTheName() {
        QFETCH(QString, written);
        QFETCH(QString, name);
        const auto model = cost::findCostModel(written.toStdString());
        QVERIFY2(model.ok(), model ? "" : model.error().render().c_str());
        QCOMPARE(QString::fromStdString((*model)->info().name), name);
        QCOMPARE((*model)->info().values.size(), (*model)->info().parameters.size());
    }

    void filesInNamesAreFound() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("gpu.json")).toStdString();
        QVERIFY(writeFile(path, R"({"launch_seconds": 1, "half_flops": 1, "single_flops": 1, "double_flops": 1,
                                    "bytes_per_second": 1})")
                    .ok());
        for (const char* name : {"roofline:device={},N=8", "roofline:{}", "roofline:N=8,device={}"}) {
            const auto model = cost::findCostModel(fmt::format(fmt::runtime(name), path));
            QVERIFY2(model.ok(), model ? "" : model.error().render().c_str());
            QCOMPARE((*model)->info().files(), std::vector{path});
        }
        QVERIFY((*cost::findCostModel("roofline:laptop"))->info().files().empty());
        QVERIFY((*cost::findCostModel("size"))->info().files().empty());
    }
};

MITOS_TEST(TstNodeCost)

}  // namespace tst_node_cost

#include "tst_node_cost.moc"
