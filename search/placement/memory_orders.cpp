// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/memory_orders.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace mitos::search::placement {

namespace {

using schedule::Problem;

/// Memory while operations are chosen one after the other. A tensor stays on its producer's device and on each device that got a copy until all
/// its consumers have run, which overestimates only copies.
class GreedyMemory {
public:
    explicit GreedyMemory(const Problem& problem)
        : m_problem(problem),
          m_inUse(problem.deviceCount()),
          m_openUses(problem.tensorCount()),
          m_copies(std::size_t{problem.tensorCount()} * problem.deviceCount()),
          m_needed(std::size_t{problem.operationCount()} * problem.deviceCount()),
          m_released(problem.operationCount()),
          m_device(problem.operationCount()) {
        for (std::uint32_t t = 0; t < problem.tensorCount(); ++t) {
            m_openUses[t] = static_cast<std::uint32_t>(problem.consumersOf(t).size());
            if (m_openUses[t] == 1) noteLastUse(t);
        }
        for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
            std::uint64_t bytes = 0;
            for (const std::uint32_t tensor : problem.inputsOf(i)) bytes += problem.bytesOf(tensor);
            for (const std::uint32_t tensor : problem.outputsOf(i)) {
                bytes += problem.bytesOf(tensor);
                if (m_openUses[tensor] == 0 && !problem.isRetained(tensor)) m_released[i] += problem.bytesOf(tensor);
            }
            for (std::uint32_t d = 0; d < problem.deviceCount(); ++d) needed(i, d) = bytes;
            m_waits.push_back(static_cast<std::uint32_t>(problem.predecessorsOf(i).size()));
            if (m_waits.back() == 0) m_ready.push_back(i);
        }
    }

    schedule::Schedule run() {
        while (!m_ready.empty()) {
            Step best = stepOf(0, 0);
            for (std::uint32_t place = 0; place < m_ready.size(); ++place) {
                for (std::uint32_t d = 0; d < m_problem.deviceCount(); ++d) {
                    const Step step = stepOf(place, d);
                    if (isBetter(step, best)) best = step;
                }
            }
            m_peak = best.peak;
            m_ready[best.place] = m_ready.back();
            m_ready.pop_back();
            take(best.operation, best.device);
        }
        return schedule::inOrder(std::move(m_device), m_order);
    }

private:
    struct Step {
        std::uint64_t peak;   ///< the highest one after the step
        std::uint64_t inUse;  ///< on the device after it
        std::uint32_t operation;
        std::uint32_t device;
        std::uint32_t place;  ///< among those that are ready
    };
    static bool isBetter(const Step& one, const Step& two) {
        if (one.peak != two.peak) return one.peak < two.peak;
        if (one.inUse != two.inUse) return one.inUse < two.inUse;
        return std::pair(one.operation, one.device) < std::pair(two.operation, two.device);
    }

    [[nodiscard]] std::uint64_t& needed(std::uint32_t operation, std::uint32_t device) {
        return m_needed[std::size_t{operation} * m_problem.deviceCount() + device];
    }

    [[nodiscard]] Step stepOf(std::uint32_t place, std::uint32_t device) {
        const std::uint32_t operation = m_ready[place];
        const std::uint64_t during = m_inUse[device] + needed(operation, device);
        return {std::max(m_peak, during), during - m_released[operation], operation, device, place};
    }

    void take(std::uint32_t operation, std::uint32_t device) {
        for (const std::uint32_t tensor : m_problem.inputsOf(operation)) {
            if (!m_copies[copyOf(tensor, device)]) add(tensor, device);
            --m_openUses[tensor];
            if (m_openUses[tensor] == 1) noteLastUse(tensor);
            if (m_openUses[tensor] == 0) release(tensor);
        }
        for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
            add(tensor, device);
            if (m_openUses[tensor] == 0) release(tensor);
        }
        m_device[operation] = device;
        m_order.push_back(operation);
        for (const std::uint32_t next : m_problem.successorsOf(operation)) {
            if (--m_waits[next] == 0) m_ready.push_back(next);
        }
    }
    [[nodiscard]] std::size_t copyOf(std::uint32_t tensor, std::uint32_t device) const {
        return std::size_t{tensor} * m_problem.deviceCount() + device;
    }
    void add(std::uint32_t tensor, std::uint32_t device) {
        m_copies[copyOf(tensor, device)] = true;
        m_inUse[device] += m_problem.bytesOf(tensor);
        for (const std::uint32_t consumer : m_problem.consumersOf(tensor))
            needed(consumer, device) -= m_problem.bytesOf(tensor);
    }
    /// The tensor is released by its last consumer that has not run. For those that have, it does not matter.
    void noteLastUse(std::uint32_t tensor) {
        if (m_problem.isRetained(tensor)) return;
        for (const std::uint32_t consumer : m_problem.consumersOf(tensor))
            m_released[consumer] += m_problem.bytesOf(tensor);
    }
    void release(std::uint32_t tensor) {
        if (m_problem.isRetained(tensor)) return;
        for (std::uint32_t d = 0; d < m_problem.deviceCount(); ++d) {
            if (!m_copies[copyOf(tensor, d)]) continue;
            m_copies[copyOf(tensor, d)] = false;
            m_inUse[d] -= m_problem.bytesOf(tensor);
        }
    }

    const Problem& m_problem;
    std::uint64_t m_peak = 0;
    std::vector<std::uint64_t> m_inUse;
    std::vector<std::uint32_t> m_openUses;
    std::vector<bool> m_copies;
    std::vector<std::uint64_t>
        m_needed;  ///< by operation and device: bytes of outputs, and of inputs that are not there
    std::vector<std::uint64_t> m_released;  ///< by operation: bytes that its end releases
    std::vector<std::uint32_t> m_device;
    std::vector<std::uint32_t> m_waits;
    std::vector<std::uint32_t> m_ready;
    std::vector<std::uint32_t> m_order;
};

/// The ready operation that releases most bytes, net of its outputs.
std::vector<std::uint32_t> listOrder(const Problem& problem) {
    std::vector<std::uint32_t> openUses(problem.tensorCount());
    for (std::uint32_t t = 0; t < problem.tensorCount(); ++t) {
        openUses[t] = static_cast<std::uint32_t>(problem.consumersOf(t).size());
    }
    std::vector<std::uint32_t> waits;
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
        waits.push_back(static_cast<std::uint32_t>(problem.predecessorsOf(i).size()));
        if (waits.back() == 0) ready.push_back(i);
    }
    const auto released = [&](std::uint32_t operation) {
        std::int64_t bytes = 0;
        for (const std::uint32_t tensor : problem.inputsOf(operation)) {
            if (openUses[tensor] == 1 && !problem.isRetained(tensor))
                bytes += static_cast<std::int64_t>(problem.bytesOf(tensor));
        }
        for (const std::uint32_t tensor : problem.outputsOf(operation)) {
            if (openUses[tensor] != 0 || problem.isRetained(tensor))
                bytes -= static_cast<std::int64_t>(problem.bytesOf(tensor));
        }
        return bytes;
    };
    std::vector<std::uint32_t> order;
    while (!ready.empty()) {
        const auto best = std::ranges::max_element(ready, {}, released);
        const std::uint32_t operation = *best;
        ready.erase(best);
        order.push_back(operation);
        for (const std::uint32_t tensor : problem.inputsOf(operation)) --openUses[tensor];
        for (const std::uint32_t next : problem.successorsOf(operation)) {
            if (--waits[next] == 0) ready.push_back(next);
        }
    }
    return order;
}

/// All operations, each after its predecessors; those of an operation are visited in the order that `sorted` gives them.
std::vector<std::uint32_t> postOrder(const Problem& problem,
                                     const std::function<void(std::vector<std::uint32_t>&)>& sorted) {
    std::vector<std::uint32_t> order;
    std::vector<bool> isVisited(problem.operationCount());
    // The operations on the way from a root, each with its predecessors that are not visited yet, the next one last.
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> path;
    const auto open = [&](std::uint32_t operation) {
        isVisited[operation] = true;
        const std::span<const std::uint32_t> before = problem.predecessorsOf(operation);
        std::vector<std::uint32_t> next(before.begin(), before.end());
        sorted(next);
        std::ranges::reverse(next);
        path.emplace_back(operation, std::move(next));
    };
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
        if (problem.successorsOf(i).empty()) roots.push_back(i);
    }
    sorted(roots);
    for (const std::uint32_t root : roots) {
        open(root);
        while (!path.empty()) {
            std::vector<std::uint32_t>& next = path.back().second;
            if (next.empty()) {
                order.push_back(path.back().first);
                path.pop_back();
                continue;
            }
            const std::uint32_t operation = next.back();
            next.pop_back();
            if (!isVisited[operation]) open(operation);
        }
    }
    return order;
}

/// Operands with more extra users (users beyond one, of all operations below) first, of equal ones those with more bytes below.
std::vector<std::uint32_t> depthFirstOrder(const Problem& problem) {
    std::vector<double> extraUsers(problem.operationCount());
    std::vector<double> bytes(problem.operationCount());
    for (const std::uint32_t operation : problem.topologicalOrder()) {
        const std::size_t users = problem.successorsOf(operation).size();
        extraUsers[operation] = users == 0 ? 0.0 : static_cast<double>(users - 1);
        for (const std::uint32_t tensor : problem.outputsOf(operation))
            bytes[operation] += static_cast<double>(problem.bytesOf(tensor));
        for (const std::uint32_t before : problem.predecessorsOf(operation)) {
            extraUsers[operation] += extraUsers[before];
            bytes[operation] += bytes[before];
        }
    }
    return postOrder(problem, [&](std::vector<std::uint32_t>& operations) {
        std::ranges::stable_sort(operations, std::greater<>(), [&](std::uint32_t operation) {
            return std::pair(extraUsers[operation], bytes[operation]);
        });
    });
}

}  // namespace

schedule::Schedule greedyMemory(const Problem& problem) { return GreedyMemory(problem).run(); }

XlaOrders xlaOrders(const Problem& problem) {
    return {listOrder(problem), depthFirstOrder(problem), postOrder(problem, [](std::vector<std::uint32_t>&) {})};
}

Placement bestOfXla(const Problem& problem, std::span<const std::uint32_t> device, Objective objective) {
    const XlaOrders orders = xlaOrders(problem);
    schedule::PerformanceModel model(problem);
    Placement best;
    for (const std::vector<std::uint32_t>* const order : {&orders.list, &orders.depthFirst, &orders.postOrder}) {
        Placement found = evaluated(model, schedule::inOrder({device.begin(), device.end()}, *order));
        const bool isBetter =
            best.evaluations == 0 || fitnessOf(found.score, objective) < fitnessOf(best.score, objective);
        const std::uint64_t evaluations = best.evaluations + 1;
        if (isBetter) best = std::move(found);
        best.evaluations = evaluations;
    }
    return best;
}

}  // namespace mitos::search::placement
