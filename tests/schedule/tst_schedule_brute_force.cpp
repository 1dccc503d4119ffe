// SPDX-License-Identifier: GPL-3.0-or-later
// The performance model against a simulation of its own, over all placements and all orders of operations and transfers.
#include "core/schedule/performance_model.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace tst_schedule_brute_force {

using namespace mitos::schedule;
using namespace mitos::tests;
using mitos::Random;

namespace {

/// An operation, or the transfer of a tensor to a device.
struct Task {
    bool isTransfer;
    std::uint32_t number;
    std::uint32_t to;
    auto operator<=>(const Task&) const = default;
};

/// So many orders are compared of placements that have very many.
constexpr int MostOrders = 200;

struct Outcome {
    double runtime;
    std::vector<std::uint64_t> peak;
};

/// All tasks of a placement, and which tasks each waits for.
std::map<Task, std::set<Task>> tasksOf(const TaskGraph& graph, const std::vector<std::uint32_t>& device) {
    std::map<Task, std::set<Task>> tasks;
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) tasks[{false, i, device[i]}];
    for (std::uint32_t t = 0; t < graph.tensors.size(); ++t) {
        const std::uint32_t producer = graph.tensors[t].producer;
        for (const std::uint32_t c : graph.tensors[t].consumers) {
            const Task made{false, producer, device[producer]};
            if (device[c] == device[producer]) {
                tasks[{false, c, device[c]}].insert(made);
            } else {
                const Task transfer{true, t, device[c]};
                tasks[transfer].insert(made);
                tasks[{false, c, device[c]}].insert(transfer);
            }
        }
    }
    for (const auto& [first, second] : graph.controlEdges) {
        tasks[{false, second, device[second]}].insert({false, first, device[first]});
    }
    return tasks;
}

/// Calls `visit` with each order in which all waits are respected, until it returns false. Returns whether it did not.
bool forEachOrder(const std::map<Task, std::set<Task>>& tasks, std::vector<Task>& order, std::set<Task>& done,
                  const std::function<bool(const std::vector<Task>&)>& visit) {
    if (order.size() == tasks.size()) return visit(order);
    for (const auto& [task, waits] : tasks) {
        if (done.contains(task) || !std::ranges::includes(done, waits)) continue;
        order.push_back(task);
        done.insert(task);
        if (!forEachOrder(tasks, order, done, visit)) return false;
        done.erase(task);
        order.pop_back();
    }
    return true;
}

/// Carries out the tasks in this order, with transfers that take no time. The memory of a device after k of its tasks holds the copies that
/// one of them made and one of the k-th and later ones uses.
Outcome simulate(const TaskGraph& graph, std::uint32_t devices, const std::vector<std::uint32_t>& device,
                 bool isRendezvous, const std::vector<Task>& order) {
    std::vector<double> free(devices);
    std::map<Task, double> end;
    const std::map<Task, std::set<Task>> waits = tasksOf(graph, device);
    std::vector<std::vector<Task>> onDevice(devices);
    Outcome outcome{0.0, std::vector<std::uint64_t>(devices)};
    for (const Task& task : order) {
        double start = 0.0;
        for (const Task& before : waits.at(task)) start = std::max(start, end[before]);
        std::set<std::uint32_t> occupied{task.to};
        if (task.isTransfer) occupied.insert(device[graph.tensors[task.number].producer]);
        if (!task.isTransfer || isRendezvous) {
            for (const std::uint32_t d : occupied) start = std::max(start, free[d]);
        }
        end[task] = start + (task.isTransfer ? 0.0 : graph.operations[task.number].duration);
        if (!task.isTransfer || isRendezvous) {
            for (const std::uint32_t d : occupied) free[d] = end[task];
        }
        for (const std::uint32_t d : occupied) onDevice[d].push_back(task);
        outcome.runtime = std::max(outcome.runtime, end[task]);
    }
    for (std::uint32_t d = 0; d < devices; ++d) {
        const std::vector<Task>& here = onDevice[d];
        for (std::size_t k = 0; k < here.size(); ++k) {
            std::uint64_t inUse = 0;
            for (std::uint32_t t = 0; t < graph.tensors.size(); ++t) {
                const Tensor& tensor = graph.tensors[t];
                const auto makes = [&](const Task& task) {
                    return task.isTransfer ? task.number == t && task.to == d : task.number == tensor.producer;
                };
                const auto uses = [&](const Task& task) {
                    if (task.isTransfer) return task.number == t && task.to != d;
                    return std::ranges::find(tensor.consumers, task.number) != tensor.consumers.end();
                };
                const auto made = std::ranges::find_if(here, makes);
                if (made == here.end() || made - here.begin() > static_cast<std::ptrdiff_t>(k)) continue;
                const bool isKept = tensor.consumers.empty();
                const bool isUsed = std::any_of(here.begin() + static_cast<std::ptrdiff_t>(k), here.end(),
                                                [&](const Task& task) { return makes(task) || uses(task); });
                if (isKept || isUsed) inUse += tensor.bytes;
            }
            outcome.peak[d] = std::max(outcome.peak[d], inUse);
        }
    }
    return outcome;
}

Schedule scheduleOf(const Problem& problem, const std::vector<std::uint32_t>& device, const std::vector<Task>& order) {
    Schedule schedule{device, std::vector<float>(device.size()),
                      std::vector<float>(std::size_t{problem.tensorCount()} * problem.deviceCount())};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const float priority = -static_cast<float>(i);
        if (order[i].isTransfer) {
            schedule.transferPriority[order[i].number * problem.deviceCount() + order[i].to] = priority;
        } else {
            schedule.priority[order[i].number] = priority;
        }
    }
    return schedule;
}

}  // namespace

class TestScheduleBruteForce : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Every order of every placement has the run time and the peaks of the simulation. The best run time is not below the bounds.
    void agreesWithTheSimulation_data() {
        QTest::addColumn<bool>("isRendezvous");
        QTest::addColumn<int>("operations");
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("graphs");
        QTest::newRow("instant, two devices") << false << 4 << 2 << 6;
        QTest::newRow("rendezvous, two devices") << true << 4 << 2 << 6;
        QTest::newRow("rendezvous, three devices") << true << 3 << 3 << 6;
        QTest::newRow("one device") << true << 7 << 1 << 6;
    }
    void agreesWithTheSimulation() {
        QFETCH(const bool, isRendezvous);
        QFETCH(const int, operations);
        QFETCH(const int, devices);
        QFETCH(const int, graphs);
        const auto deviceCount = static_cast<std::uint32_t>(devices);
        Random random(5);
        int total = 0;
        for (int g = 0; g < graphs; ++g) {
            const TaskGraph graph = randomGraph(random, static_cast<std::uint32_t>(operations));
            const Problem problem =
                mustMake(graph, equalDevices(deviceCount, UnlimitedMemory,
                                             isRendezvous ? TransferMode::Rendezvous : TransferMode::Instant));
            PerformanceModel model(problem);
            double best = std::numeric_limits<double>::infinity();
            std::vector<std::uint32_t> device(static_cast<std::size_t>(operations));
            bool isLast = false;
            while (!isLast) {
                int compared = 0;
                int different = 0;
                std::vector<Task> order;
                std::set<Task> done;
                forEachOrder(tasksOf(graph, device), order, done, [&](const std::vector<Task>& tasks) {
                    const Schedule schedule = scheduleOf(problem, device, tasks);
                    const Timeline timeline =
                        model.timeline({schedule.device, schedule.priority, schedule.transferPriority});
                    const Outcome expected = simulate(graph, deviceCount, device, isRendezvous, tasks);
                    // Instant transfers do not wait for their turn, so the order of tasks says nothing about memory.
                    const bool agrees =
                        timeline.runtime == expected.runtime && (!isRendezvous || timeline.peak == expected.peak);
                    if (!agrees) ++different;
                    best = std::min(best, timeline.runtime);
                    return ++compared < MostOrders;
                });
                QCOMPARE(different, 0);
                total += compared;
                std::size_t digit = 0;
                while (digit < device.size() && ++device[digit] == deviceCount) device[digit++] = 0;
                isLast = digit == device.size();
            }
            QVERIFY(best >= runtimeBounds(problem).best() - 1e-9);
        }
        QVERIFY2(total > 500, qPrintable(QString::number(total)));
    }
};

MITOS_TEST(TestScheduleBruteForce)

}  // namespace tst_schedule_brute_force

#include "tst_schedule_brute_force.moc"
