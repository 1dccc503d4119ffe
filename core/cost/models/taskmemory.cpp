// SPDX-License-Identifier: GPL-3.0-or-later
// The most that one device holds while it runs a task graph. A model of whole programs: when a tensor is released depends on its uses.
#include "core/cost/factory.h"
#include "core/ir/shared.h"
#include "core/tasks/program.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <utility>

namespace mitos::cost::models {

namespace {

/// The bytes that a node makes.
class MadeBytes final : public NodeCosts {
public:
    [[nodiscard]] Status costs(std::span<const Node> nodes, std::span<double> costs, const std::stop_token&) override {
        std::ranges::transform(nodes, costs.begin(), bytesOf);
        return Success{};
    }
    [[nodiscard]] Result<NodeCost> explain(const Node& node) override { return NodeCost{bytesOf(node), "its tensors"}; }

private:
    static double bytesOf(const Node& node) {
        if (node.opName() != tasks::TaskName) return 0.0;
        const ir::TypeTable& types = node.bank.types();
        const auto size = [&types](ir::TypeId tensor) { return static_cast<double>(types.dimensions(tensor)[0].size); };
        if (types.isArray(node.output)) return size(node.output);
        double sum = 0.0;
        for (const ir::TypeId tensor : types.children(node.output)) sum += size(tensor);
        return sum;
    }
};

/// The memory of one device that runs the operations one after another: the one with the least number among those that are ready.
class HeldMemory {
public:
    explicit HeldMemory(const tasks::TaskGraph& graph) : m_graph(graph), m_uses(graph.tensors.size()) {
        std::vector<std::vector<std::uint32_t>> next(graph.operations.size());
        std::vector<std::size_t> open(graph.operations.size());
        m_made.resize(graph.operations.size());
        m_used.resize(graph.operations.size());
        for (std::uint32_t tensor = 0; tensor < graph.tensors.size(); ++tensor) {
            const tasks::Tensor& one = graph.tensors[tensor];
            m_made[one.producer].push_back(tensor);
            m_uses[tensor] = one.consumers.size();
            for (const std::uint32_t consumer : one.consumers) {
                m_used[consumer].push_back(tensor);
                next[one.producer].push_back(consumer);
                ++open[consumer];
            }
        }
        for (const auto& [first, second] : graph.controlEdges) {
            next[first].push_back(second);
            ++open[second];
        }
        std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
        for (std::uint32_t i = 0; i < open.size(); ++i) {
            if (open[i] == 0) ready.push(i);
        }
        while (!ready.empty()) {
            const std::uint32_t operation = ready.top();
            ready.pop();
            run(operation);
            for (const std::uint32_t after : next[operation]) {
                if (--open[after] == 0) ready.push(after);
            }
        }
    }

    [[nodiscard]] std::uint64_t peak() const { return m_peak; }
    /// By operation: the bytes of its tensors that are held when most is held.
    [[nodiscard]] std::vector<std::uint64_t> heldAtPeak() const {
        std::vector<std::uint64_t> held(m_graph.operations.size());
        for (const std::uint32_t tensor : m_heldAtPeak) {
            held[m_graph.tensors[tensor].producer] += m_graph.tensors[tensor].bytes;
        }
        return held;
    }

private:
    void run(std::uint32_t operation) {
        for (const std::uint32_t tensor : m_made[operation]) {
            m_held.push_back(tensor);
            m_bytes += m_graph.tensors[tensor].bytes;
        }
        if (m_bytes > m_peak) {
            m_peak = m_bytes;
            m_heldAtPeak = m_held;
        }
        bool isReleased = false;
        for (const std::uint32_t tensor : m_used[operation]) {
            const tasks::Tensor& one = m_graph.tensors[tensor];
            if (--m_uses[tensor] > 0 || one.isOutput) continue;
            m_bytes -= one.bytes;
            isReleased = true;
        }
        if (!isReleased) return;
        std::erase_if(m_held, [this](std::uint32_t tensor) {
            const tasks::Tensor& one = m_graph.tensors[tensor];
            return m_uses[tensor] == 0 && !one.isOutput && !one.consumers.empty();
        });
    }

    const tasks::TaskGraph& m_graph;
    std::vector<std::vector<std::uint32_t>> m_made;
    std::vector<std::vector<std::uint32_t>> m_used;
    std::vector<std::size_t> m_uses;  ///< by tensor: those to come
    std::vector<std::uint32_t> m_held;
    std::vector<std::uint32_t> m_heldAtPeak;
    std::uint64_t m_bytes = 0;
    std::uint64_t m_peak = 0;
};

class TaskMemoryEvaluator final : public CostEvaluator {
public:
    explicit TaskMemoryEvaluator(const ir::TermBank& bank) : m_bank(bank) {}

    Result<double> cost(ir::TermId root, const std::stop_token&) override {
        MITOS_TRY(const tasks::ProgramTasks tasks, tasks::tasksOf(m_bank, root));
        return static_cast<double>(HeldMemory(tasks.graph).peak());
    }
    Result<std::vector<CostPart>> explain(ir::TermId root, const std::stop_token& stop) override {
        MITOS_TRY(std::vector<NodeCost> nodes, explainNodes(root, stop));
        return graphParts(m_bank, root, std::move(nodes));
    }
    Result<std::vector<NodeCost>> explainNodes(ir::TermId root, const std::stop_token&) override {
        MITOS_TRY(const tasks::ProgramTasks tasks, tasks::tasksOf(m_bank, root));
        const std::vector<std::uint64_t> held = HeldMemory(tasks.graph).heldAtPeak();
        absl::flat_hash_map<ir::TermId, std::uint64_t> bytes;
        for (std::size_t i = 0; i < held.size(); ++i) bytes.emplace(tasks.terms[i], held[i]);
        std::vector<NodeCost> costs;
        for (const ir::TermId node : ir::SharedNodes(m_bank, root)) {
            const auto found = bytes.find(node);
            const double own = found == bytes.end() ? 0.0 : static_cast<double>(found->second);
            costs.push_back({own, own > 0.0 ? "held when most is held" : "not held when most is held"});
        }
        return costs;
    }
    [[nodiscard]] NodeCosts* nodes() override { return &m_estimates; }

private:
    const ir::TermBank& m_bank;
    MadeBytes m_estimates;
};

}  // namespace

CostModelFactory taskmemory() {
    return {.info = {.name = "task-memory",
                     .title = "Peak memory of the tasks",
                     .unit = "bytes",
                     .description = "The most that one device holds at a time if it runs the operations of a task "
                                    "graph in the order of their numbers, as far as they need not wait. A tensor is "
                                    "held until its last use, results of the graph to the end.",
                     .dialects = {std::string(tasks::DialectName)}},
            .make = [](CostModelInfo info) -> Result<std::shared_ptr<const CostModel>> {
                return modelOfPrograms(std::move(info), [](const ir::TermBank& bank, ir::FunctionId) {
                    return std::make_unique<TaskMemoryEvaluator>(bank);
                });
            }};
}

}  // namespace mitos::cost::models
