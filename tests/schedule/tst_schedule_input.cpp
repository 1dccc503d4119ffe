// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs, machines and schedules that make no sense are refused with a reason.
#include "core/schedule/performance_model.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <limits>

namespace tst_schedule_input {

using namespace mitos::schedule;
using namespace mitos::tests;
using mitos::Result;

namespace {

constexpr double Infinite = std::numeric_limits<double>::infinity();
constexpr double NotANumber = std::numeric_limits<double>::quiet_NaN();

QString messageOf(const TaskGraph& graph, const Machine& machine = equalDevices(2)) {
    const Result<Problem> problem = Problem::make(graph, machine);
    return problem ? QString() : QString::fromStdString(problem.error().message);
}

QString messageOf(const Machine& machine) { return messageOf(diamond(), machine); }

}  // namespace

class TestScheduleInput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesGraphs() {
        QCOMPARE(messageOf(TaskGraph{}), QStringLiteral("the graph has no operations"));
        for (const double duration : {-1.0, NotANumber, Infinite, 1e16}) {
            TaskGraph graph = diamond();
            graph.operations[1].duration = duration;
            QVERIFY(messageOf(graph).startsWith(QStringLiteral("b has the duration ")));
        }
        TaskGraph graph = diamond();
        for (Operation& operation : graph.operations) operation.duration = 1e15;
        QVERIFY(messageOf(graph).startsWith(QStringLiteral("all operations together take ")));
        graph = diamond();
        graph.tensors[0].bytes = std::uint64_t{1} << 61U;
        graph.tensors[1].bytes = (std::uint64_t{1} << 61U) + 1;
        QCOMPARE(messageOf(graph), QStringLiteral("the sizes of all tensors together are more than 2^62 bytes"));
        graph = diamond();
        graph.tensors[1].consumers.push_back(7);
        QCOMPARE(messageOf(graph), QStringLiteral("an edge leads from operation 1 to operation 7, but there are 4"));
        graph = diamond();
        graph.tensors[1].producer = 9;
        QCOMPARE(messageOf(graph), QStringLiteral("an edge leads from operation 9 to operation 9, but there are 4"));
        graph = diamond();
        graph.controlEdges.emplace_back(4, 0);
        QCOMPARE(messageOf(graph), QStringLiteral("an edge leads from operation 4 to operation 0, but there are 4"));
    }

    void namesACycle() {
        TaskGraph graph = diamond();
        graph.controlEdges.emplace_back(3, 1);
        QCOMPARE(messageOf(graph), QStringLiteral("the graph has a cycle: b → e → b"));
        graph.controlEdges = {{2, 2}};
        QCOMPARE(messageOf(graph), QStringLiteral("the graph has a cycle: c → c"));
        // A long one is cut; a name that is missing is a number.
        TaskGraph ring;
        for (std::uint32_t i = 0; i < 100'000; ++i) {
            ring.operations.push_back({});
            ring.controlEdges.emplace_back(i, (i + 1) % 100'000);
        }
        QVERIFY(messageOf(ring).startsWith(
            QStringLiteral("the graph has a cycle: operation 0 → operation 1 → operation 2 →")));
        QVERIFY(messageOf(ring).endsWith(QStringLiteral("→ …")));
    }

    void refusesMachines() {
        QCOMPARE(messageOf(Machine{}), QStringLiteral("a machine with 0 devices cannot run anything"));
        QVERIFY(messageOf(equalDevices(1'025)).startsWith(QStringLiteral("a machine with 1025 devices")));
        for (const double speed : {0.0, -1.0, NotANumber, Infinite}) {
            Machine machine = equalDevices(2);
            machine.devices[1].speed = speed;
            QVERIFY(messageOf(machine).startsWith(QStringLiteral("device 1 has speed ")));
        }
        for (const double latency : {-1.0, NotANumber, Infinite}) {
            Machine machine = equalDevices(2, UnlimitedMemory, TransferMode::Async);
            machine.latency = latency;
            QVERIFY(messageOf(machine).startsWith(QStringLiteral("the latency of transfers is ")));
        }
        for (const double bandwidth : {0.0, -5.0, NotANumber}) {
            Machine machine = equalDevices(2, UnlimitedMemory, TransferMode::Async);
            machine.bandwidth = bandwidth;
            QVERIFY(messageOf(machine).startsWith(QStringLiteral("the bandwidth of transfers is ")));
        }
        Machine machine = equalDevices(2);
        machine.latency = 1.0;
        QCOMPARE(messageOf(machine), QStringLiteral("instant transfers have neither latency nor bandwidth"));
    }

    void refusesSchedules() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        const auto message = [&](const Schedule& schedule) {
            const Result<Timeline> timeline = timelineOf(problem, schedule);
            return timeline ? QString() : QString::fromStdString(timeline.error().message);
        };
        const Schedule good{{0, 1, 0, 1}, {0.1F, 0.2F, 0.3F, 0.4F}, {}};
        QCOMPARE(message(good), QString());
        Schedule bad = good;
        bad.device.pop_back();
        QCOMPARE(message(bad), QStringLiteral("the schedule has 3 devices and 4 priorities for 4 operations"));
        bad = good;
        bad.device[2] = 2;
        QCOMPARE(message(bad), QStringLiteral("the schedule puts operation 2 on device 2, but there are 2"));
        bad = good;
        bad.priority[0] = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(message(bad), QStringLiteral("a priority of the schedule is not a number"));
        bad = good;
        bad.transferPriority = {1.0F};
        QCOMPARE(message(bad), QStringLiteral("the schedule has 1 priorities of transfers, but 8 are possible"));
    }

    void edgesMayBeRepeated() {
        TaskGraph graph = diamond();
        graph.tensors[0].consumers = {1, 2, 2, 1};
        graph.controlEdges = {{0, 1}, {0, 1}};
        const Problem problem = mustMake(graph, equalDevices(2));
        QCOMPARE(mustRun(problem, {{0, 0, 1, 0}, {4, 3, 2, 1}, {}}).runtime, 7.0);
    }
};

MITOS_TEST(TestScheduleInput)

}  // namespace tst_schedule_input

#include "tst_schedule_input.moc"
