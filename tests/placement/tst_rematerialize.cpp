// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs in which operations run again, and the search for those that need less memory.
#include "core/base/result.h"
#include "core/schedule/timeline_check.h"
#include "search/placement/frontier.h"
#include "search/placement/rematerialize.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <numeric>
#include <vector>

namespace tst_rematerialize {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Random;

namespace {

/// x makes u, u makes t, which b and, much later, e use. Between them, c is large. The operations take 1, 2, 3, …
TaskGraph skipConnection() {
    return makeGraph({{"x", 1.0, 1, {1}},
                      {"u", 2.0, 8, {2}},
                      {"t", 3.0, 10, {3, 6}},
                      {"b", 4.0, 1, {4}},
                      {"c", 5.0, 20, {5}},
                      {"d", 6.0, 1, {6}},
                      {"e", 7.0, 1}});
}

/// `layers` operations forward, whose tensors the same number of operations backward use in the opposite order.
TaskGraph trainingChain(std::uint32_t layers) {
    std::vector<Node> nodes{{"input", 0.0, 1, {1}}};
    const std::uint32_t last = 2 * layers;
    for (std::uint32_t i = 1; i <= layers; ++i) {
        std::vector<std::uint32_t> users{i + 1};
        if (i < layers) users.push_back(last + 1 - i);
        nodes.push_back({"f" + std::to_string(i), 1.0, 10, users});
    }
    for (std::uint32_t i = layers + 1; i <= last; ++i) {
        nodes.push_back(
            {"b" + std::to_string(i), 2.0, 1, i < last ? std::vector{i + 1} : std::vector<std::uint32_t>{}});
    }
    return makeGraph(nodes);
}

/// The skip connection behind a chain of diamonds: each of `count` small tensors is used by two operations that the next one uses.
TaskGraph diamondsBeforeSkip(std::uint32_t count) {
    std::vector<Node> nodes{{"x", 1.0, 1, {1, 2}}};
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t join = 3 * i + 3;
        nodes.push_back({"l" + std::to_string(i), 1.0, 1, {join}});
        nodes.push_back({"r" + std::to_string(i), 1.0, 1, {join}});
        const bool isLast = i + 1 == count;
        nodes.push_back({"j" + std::to_string(i), 1.0, isLast ? 8U : 1U,
                         isLast ? std::vector{join + 1} : std::vector{join + 1, join + 2}});
    }
    const std::uint32_t t = 3 * count + 1;
    nodes.push_back({"t", 3.0, 10, {t + 1, t + 4}});
    nodes.push_back({"b", 4.0, 1, {t + 2}});
    nodes.push_back({"c", 5.0, 20, {t + 3}});
    nodes.push_back({"d", 6.0, 1, {t + 4}});
    nodes.push_back({"e", 7.0, 1});
    return makeGraph(nodes);
}

std::vector<std::uint32_t> ascending(std::size_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

Timeline timelineOfOrder(const Problem& problem, const std::vector<std::uint32_t>& order) {
    return mustRun(problem, inOrder(std::vector<std::uint32_t>(order.size(), 0), order));
}

}  // namespace

class TestRematerialize : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each tensor of the chain is made again once, although two operations need it: with a copy for each there would be 2^40.
    void sharedInputsAreMadeAgainOnce() {
        constexpr std::uint32_t Count = 40;
        const Problem problem = mustMake(diamondsBeforeSkip(Count), equalDevices(1));
        const Rematerialization found = rematerialize(problem, ascending(problem.operationCount()));
        // While c runs, t waits: 10 + 1 + 20 bytes; from x, everything can be made again: 1 + 1 + 20.
        QCOMPARE(found.peakBefore, 31U);
        QCOMPARE(found.peak, 22U);
        QCOMPARE(found.graph.graph.operations.size(), problem.operationCount() + 3 * Count + 1U);
    }

    void addsARunOfTheProducer() {
        const RematerializedGraph first = withoutRecomputation(skipConnection());
        QVERIFY(first.graph == skipConnection());
        const auto again = withRecomputation(first, {.tensor = 2, .consumers = {6}});
        QVERIFY(again.ok());
        const TaskGraph& graph = again->graph;
        QCOMPARE(graph.operations.size(), 8U);
        QCOMPARE(QString::fromStdString(graph.operations[7].name), QStringLiteral("t again"));
        QCOMPARE(again->original, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 2}));
        QCOMPARE(again->originalTensor, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 2}));
        QCOMPARE(again->addedDuration, 3.0);
        QCOMPARE(graph.tensors[2].consumers, (std::vector<std::uint32_t>{3}));
        QVERIFY((graph.tensors[7] == Tensor{.bytes = 10, .producer = 7, .consumers = {6}}));
        QCOMPARE(graph.tensors[1].consumers, (std::vector<std::uint32_t>{2, 7}));
        QVERIFY((graph.controlEdges == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 7}}));
        QVERIFY(checkGraph(graph).ok());
        // The second run of t can use a second copy of u.
        const auto both = withRecomputation(*again, {.tensor = 1, .consumers = {7}});
        QVERIFY(both.ok());
        QCOMPARE(both->graph.tensors[8].consumers, (std::vector<std::uint32_t>{7}));
        QCOMPARE(both->addedDuration, 5.0);
    }

    void refusesWhatCannotBeRepeated() {
        const RematerializedGraph graph = withoutRecomputation(skipConnection());
        const auto message = [&](const Recomputation& recomputation) {
            const auto found = withRecomputation(graph, recomputation);
            return found ? QString() : QString::fromStdString(found.error().message);
        };
        QCOMPARE(message({.tensor = 9, .consumers = {1}}), QStringLiteral("there is no tensor 9 to recompute"));
        QCOMPARE(message({.tensor = 2}), QStringLiteral("a recomputed tensor needs a consumer"));
        QCOMPARE(message({.tensor = 2, .consumers = {4}}), QStringLiteral("operation 4 does not use tensor 2"));
        QCOMPARE(message({.tensor = 1, .consumers = {2}}),
                 QStringLiteral("nothing would use the first copy of tensor 1"));
        QCOMPARE(message({.tensor = 2, .consumers = {6}, .inputs = {0}}),
                 QStringLiteral("the inputs are not copies of those of operation 2"));
        RematerializedGraph source = withoutRecomputation(makeGraph({{"a", 1.0, 1, {1, 2}}, {"b"}, {"c"}}));
        QCOMPARE(QString::fromStdString(withRecomputation(source, {.tensor = 0, .consumers = {2}}).error().message),
                 QStringLiteral("operation 0 has no inputs, so its tensor comes from outside"));
        TaskGraph several = skipConnection();
        several.tensors.push_back({.bytes = 1, .producer = 2, .consumers = {3}});
        QVERIFY(!withRecomputation(withoutRecomputation(several), {.tensor = 2, .consumers = {6}}).ok());
    }

    /// While c runs, t waits: 10 + 1 + 20. Without it there is x, from which t can be made again: 1 + 1 + 20. u would be 8 + 1 + 20.
    void makesATensorAgain() {
        const Problem problem = mustMake(skipConnection(), equalDevices(1));
        const Rematerialization found = rematerialize(problem, ascending(7));
        QCOMPARE(found.peakBefore, 31U);
        QCOMPARE(found.peak, 22U);
        QCOMPARE(found.graph.addedDuration, 5.0);
        QCOMPARE(found.order, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 8, 7, 6}));
        const Problem again = mustMake(found.graph.graph, equalDevices(1));
        const Timeline timeline = timelineOfOrder(again, found.order);
        QCOMPARE(timeline.peak[0], 22U);
        QCOMPARE(timeline.runtime, 33.0);
        // With less time, only t is made again; with still less, nothing is.
        const Rematerialization cheap = rematerialize(problem, ascending(7), {.mostAdded = 3.0});
        QCOMPARE(cheap.peak, 29U);
        QCOMPARE(cheap.graph.addedDuration, 3.0);
        const Rematerialization none = rematerialize(problem, ascending(7), {.mostAdded = 2.0});
        QCOMPARE(none.peak, 31U);
        QVERIFY(none.graph == withoutRecomputation(skipConnection()));
    }

    void chainsNeedMuchLess() {
        const Problem problem = mustMake(trainingChain(16), equalDevices(1));
        const Rematerialization found = rematerialize(problem, leastMemoryOrder(problem).order);
        QVERIFY(found.peakBefore >= 150);
        QVERIFY2(found.peak <= 80, qPrintable(QString::number(found.peak)));
        QVERIFY(found.graph.addedDuration > 0.0);
    }

    void resultsHoldUnderTheIndependentCheck() {
        Random random(6);
        int better = 0;
        for (int i = 0; i < 40; ++i) {
            const Problem problem = mustMake(randomGraph(random, 18), equalDevices(1), {.retainOutputs = i % 2 == 0});
            const MemoryOrder start = leastMemoryOrder(problem);
            const Rematerialization found = rematerialize(problem, start.order, {.mostAdded = 20.0});
            QCOMPARE(found.peakBefore, start.peak);
            QVERIFY(found.peak <= found.peakBefore);
            QVERIFY(found.graph.addedDuration <= 20.0);
            if (found.peak < found.peakBefore) ++better;
            const Problem again = mustMake(found.graph.graph, equalDevices(1), problem.options());
            const Timeline timeline = timelineOfOrder(again, found.order);
            QVERIFY(timeline.order == found.order);
            QCOMPARE(timeline.peak[0], found.peak);
            const Schedule schedule = inOrder(std::vector<std::uint32_t>(found.order.size(), 0), found.order);
            QVERIFY(faultsOf(again.graph(), again.machine(), again.options(), schedule, timeline).empty());
            // Each operation uses the same tensors as the original one, and takes as long.
            for (std::uint32_t operation = 0; operation < again.operationCount(); ++operation) {
                const std::uint32_t original = found.graph.original[operation];
                std::vector<std::uint32_t> inputs;
                for (const std::uint32_t tensor : again.inputsOf(operation))
                    inputs.push_back(found.graph.originalTensor[tensor]);
                std::ranges::sort(inputs);
                const auto expected = problem.inputsOf(original);
                QVERIFY(std::ranges::equal(inputs, expected));
                QCOMPARE(again.graph().operations[operation].duration, problem.graph().operations[original].duration);
            }
        }
        QVERIFY2(better >= 3, qPrintable(QString::number(better)));
        std::stop_source stopped;
        stopped.request_stop();
        const Problem problem = mustMake(skipConnection(), equalDevices(1));
        QCOMPARE(rematerialize(problem, ascending(7), {.stop = stopped.get_token()}).peak, 31U);
    }
};

MITOS_TEST(TestRematerialize)

}  // namespace tst_rematerialize

#include "tst_rematerialize.moc"
