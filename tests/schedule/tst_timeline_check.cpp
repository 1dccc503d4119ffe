// SPDX-License-Identifier: GPL-3.0-or-later
// The independent check accepts what the performance model makes, and finds each change of it.
#include "core/schedule/timeline_check.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <functional>
#include <utility>

namespace tst_timeline_check {

using namespace mitos::schedule;
using namespace mitos::tests;
using mitos::Random;

class TestTimelineCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void acceptsWhatTheModelMakes() {
        Random random(3);
        for (int i = 0; i < 400; ++i) {
            Machine machine =
                equalDevices(1 + static_cast<std::uint32_t>(random.below(3)), 30, static_cast<TransferMode>(i % 3));
            if (machine.transfers != TransferMode::Instant && random.chance(0.5)) {
                machine.latency = 0.5;
                machine.bandwidth = 3.0;
            }
            machine.devices.back().speed = random.chance(0.5) ? 1.0 : 3.0;
            const ModelOptions options{.retainOutputs = random.chance(0.5)};
            const Problem problem = mustMake(randomGraph(random, 14), machine, options);
            const Schedule schedule = randomSchedule(random, problem);
            const auto faults = faultsOf(problem.graph(), machine, options, schedule, mustRun(problem, schedule));
            QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
        }
    }

    /// The diamond with rendezvous transfers: a 0–2 on device 0, its transfer at 2, c 2–3 on device 1, c's transfer at 3, b 3–6, e 6–8.
    void findsChanges_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("fault");
        const auto row = [](const char* change, const char* fault) {
            QTest::newRow(change) << QString::fromUtf8(change) << QString::fromUtf8(fault);
        };
        row("device", "b runs on device 1, not on 0");
        row("duration", "b takes 1, not 3");
        row("negative", "a starts at -1");
        row("early", "e starts at 5, but its input of b is there at 6");
        row("early transfer", "the transfer of tensor 0 to device 1 starts at 1, before a ends at 2");
        row("before the transfer", "c starts at 1, but its input of a is there at 2");
        row("control", "e starts before d ends, for which it has to wait");
        row("missing transfer", "tensor 2 is never transferred to device 0, where e needs it");
        row("repeated transfer", "the transfer of tensor 2 to device 0 is repeated");
        row("needless transfer", "the transfer of tensor 1 to device 1 is not needed");
        row("overlap", "device 0 has to do b and d at time 4");
        row("order", "the order of starting has task 3 before 1");
        row("order without all", "the order of starting does not have each operation and transfer once");
        row("peak", "the peak of device 0 is 3 bytes, not 2");
        row("memory", "the memory in use of device 1 is another one");
        row("overflow", "1 bytes do not fit into the memory of a device, not 0");
        row("run time", "the run time is 9, not 7");
        row("no device", "the timeline uses device 5 of 2");
        row("no operations", "schedule and timeline have 5 and 0 operations, the graph has 5");
    }
    void findsChanges() {
        QFETCH(const QString, change);
        QFETCH(const QString, fault);
        // d, on device 0, comes between b and e. Each of the three tensors that device 0 has at a time has one byte.
        TaskGraph graph = diamond();
        graph.operations.push_back({"d", 1.0});
        graph.controlEdges = {{0, 4}, {4, 3}};
        const Machine machine = equalDevices(2, 2, TransferMode::Rendezvous);
        const Problem problem = mustMake(graph, machine);
        const Schedule schedule = inOrder({0, 0, 1, 0, 0}, std::vector<std::uint32_t>{0, 2, 1, 4, 3});
        Timeline timeline = mustRun(problem, schedule);
        QCOMPARE(timeline.runtime, 9.0);
        QVERIFY(faultsOf(graph, machine, {}, schedule, timeline).empty());

        const auto move = [&timeline](std::size_t operation, double time) {
            timeline.operations[operation].start += time;
            timeline.operations[operation].end += time;
        };
        const std::vector<std::pair<const char*, std::function<void()>>> changes{
            {"device", [&] { timeline.operations[1].device = 1; }},
            {"duration", [&] { timeline.operations[1].end = timeline.operations[1].start + 1.0; }},
            {"negative", [&] { move(0, -1.0); }},
            {"early", [&] { move(3, -2.0); }},
            {"early transfer",
             [&] {
                 timeline.transfers[0] = {0, 0, 1, 1.0, 1.0};
             }},
            {"before the transfer", [&] { move(2, -1.0); }},
            {"control", [&] { move(3, -1.0); }},
            {"missing transfer", [&] { timeline.transfers.pop_back(); }},
            {"repeated transfer", [&] { timeline.transfers.push_back(timeline.transfers[1]); }},
            {"needless transfer",
             [&] {
                 timeline.transfers.push_back({1, 0, 1, 6.0, 6.0});
             }},
            {"overlap", [&] { move(4, -2.0); }},
            {"order", [&] { std::swap(timeline.order[4], timeline.order[6]); }},
            {"order without all", [&] { timeline.order[1] = 0; }},
            {"peak", [&] { timeline.peak[0] = 2; }},
            {"memory", [&] { ++timeline.memory[1][0].bytes; }},
            {"overflow", [&] { timeline.overflow = 0; }},
            {"run time", [&] { timeline.runtime = 7.0; }},
            {"no device", [&] { timeline.operations[0].device = 5; }},
            {"no operations", [&] { timeline.operations.clear(); }},
        };
        bool isKnown = false;
        for (const auto& [name, apply] : changes) {
            if (change == QLatin1String(name)) {
                apply();
                isKnown = true;
            }
        }
        QVERIFY(isKnown);
        QStringList found;
        for (const std::string& one : faultsOf(graph, machine, {}, schedule, timeline))
            found << QString::fromStdString(one);
        QVERIFY2(found.contains(fault), qPrintable(found.join(u'\n')));
    }
};

MITOS_TEST(TestTimelineCheck)

}  // namespace tst_timeline_check

#include "tst_timeline_check.moc"
