// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor programs as task graphs.
#include "core/cost/cost_model.h"
#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/networks/networks.h"
#include "core/schedule/performance_model.h"
#include "core/schedule/program_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>

namespace tst_program_graph {

using namespace mitos;

namespace {

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};

    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    [[nodiscard]] std::vector<cost::NodeCost> costs(const ir::Program& program) {
        return *(*cost::findCostModel("roofline:laptop", "tensor"))
                    ->evaluator(bank, program.function)
                    ->explainNodes(program.root);
    }
    [[nodiscard]] schedule::ProgramGraph graph(const ir::Program& program, bool hasWeights = false) {
        Result<schedule::ProgramGraph> made =
            schedule::graphOf(bank, program, costs(program), {.sizes = {}, .hasWeights = hasWeights});
        if (!made) qFatal("%s", made.error().render().c_str());
        return *std::move(made);
    }
};

const std::string Shared = R"(graph f(x: f32[4,4])
    weight w: f32[4,4]
    a = MatMul(x, w)
    b = Reshape[shape=[16]](a)
    c = Relu(b)
    return Add(c, b)
)";

const schedule::Tensor* madeBy(const schedule::TaskGraph& graph, const std::string& name) {
    for (const schedule::Tensor& tensor : graph.tensors) {
        if (graph.operations[tensor.producer].name.starts_with(name)) return &tensor;
    }
    return nullptr;
}

}  // namespace

class TestProgramGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void viewsHoldWhatTheyLookAt() {
        Fixture f;
        const schedule::ProgramGraph made = f.graph(f.parse(Shared));
        const schedule::TaskGraph& graph = made.graph;
        // The inputs, MatMul, Reshape, Relu and Add; a Reshape has no memory of its own.
        QCOMPARE(graph.operations.size(), std::size_t{5});
        QCOMPARE(graph.tensors.size(), std::size_t{4});
        QCOMPARE(made.residentBytes, std::uint64_t{64});
        const auto numberOf = [&](const char* name) {
            const auto found = std::ranges::find_if(graph.operations, [name](const schedule::Operation& operation) {
                return operation.name.starts_with(name);
            });
            return static_cast<std::uint32_t>(found - graph.operations.begin());
        };
        const schedule::Tensor* const product = madeBy(graph, "a");
        QVERIFY(product != nullptr);
        QCOMPARE(product->bytes, std::uint64_t{64});
        auto users = product->consumers;
        std::ranges::sort(users);
        std::vector<std::uint32_t> expected{numberOf("b"), numberOf("c"), numberOf("Add")};
        std::ranges::sort(expected);
        QVERIFY(users == expected);
        QVERIFY(std::ranges::count(graph.controlEdges, std::pair(numberOf("b"), numberOf("c"))) == 1);
        QVERIFY(madeBy(graph, "Add")->isOutput);
        QVERIFY(!product->isOutput);
    }

    void weightsAreProvidedBeforeAllOthers() {
        Fixture f;
        const schedule::ProgramGraph made = f.graph(f.parse(Shared), true);
        QCOMPARE(made.residentBytes, std::uint64_t{0});
        QCOMPARE(made.graph.operations.size(), std::size_t{6});
        const schedule::Tensor* const weight = madeBy(made.graph, "weights of");
        QVERIFY(weight != nullptr && weight->isOutput);
        QCOMPARE(weight->bytes, std::uint64_t{64});
        QVERIFY(std::ranges::count(made.graph.controlEdges, std::pair(weight->producer, 0U)) == 1);
    }

    void whatIsComputedBeforehandIsNoOperation() {
        Fixture f;
        const ir::Program program = f.parse("graph f(x: f32[2])\n weight w: f32[2]\n return Add(x, Relu(w))\n");
        const schedule::ProgramGraph made = f.graph(program);
        QCOMPARE(made.graph.operations.size(), std::size_t{2});
        QCOMPARE(made.residentBytes, std::uint64_t{8});
        const ir::Program known = f.parse("graph f(x: f32[2])\n weight w: f32[2]\n return Relu(w)\n");
        const auto costs = f.costs(known);
        QVERIFY(!schedule::graphOf(f.bank, known, costs));
    }

    /// One device that runs a network in its own order has the run time and the peak that the cost models say.
    void networksCostWhatTheModelsSay_data() {
        QTest::addColumn<QByteArray>("name");
        for (const char* const name : {"squeezenet", "bert", "inception-v3", "nasrnn"})
            QTest::newRow(name) << QByteArray(name);
    }
    void networksCostWhatTheModelsSay() {
        QFETCH(const QByteArray, name);
        Fixture f;
        const auto network = networks::findNetwork(name.toStdString());
        QVERIFY(network);
        const auto model = networks::build(f.bank, **network, networks::Style::Paper);
        QVERIFY(model);
        const ir::Program& program = model->program;
        const schedule::ProgramGraph made = f.graph(program);
        const auto problem = schedule::Problem::make(made.graph, schedule::equalDevices(1));
        QVERIFY2(problem, problem ? "" : problem.error().message.c_str());
        std::vector<std::uint32_t> order(problem->operationCount());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        const auto timeline =
            schedule::timelineOf(*problem, schedule::inOrder(std::vector<std::uint32_t>(order.size(), 0), order));
        QVERIFY(timeline);
        const double cost = *(*cost::findCostModel("roofline:laptop", "tensor"))
                                 ->evaluator(f.bank, program.function)
                                 ->cost(program.root);
        QVERIFY(std::abs(timeline->runtime - cost) <= 1e-9 * cost);
        const double peak =
            *(*cost::findCostModel("peak-memory", "tensor"))->evaluator(f.bank, program.function)->cost(program.root);
        QCOMPARE(static_cast<double>(timeline->peak[0] + made.residentBytes), peak);
    }
};

MITOS_TEST(TestProgramGraph)

}  // namespace tst_program_graph

#include "tst_program_graph.moc"
