// SPDX-License-Identifier: GPL-3.0-or-later
// See program_graph.h.
#include "core/schedule/program_graph.h"

#include "core/cost/value_memory.h"
#include "core/ir/shared.h"
#include "core/tasks/program.h"
#include "core/tensor/text.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace mitos::schedule {

namespace {

using cost::ValuePlace;
using ir::TermId;

constexpr std::uint32_t None = std::numeric_limits<std::uint32_t>::max();

class Builder {
public:
    Builder(const ir::TermBank& bank, TermId root, std::span<const cost::NodeCost> costs,
            const ProgramGraphOptions& options)
        : m_bank(bank),
          m_nodes(bank, root),
          m_places(cost::ValueMemory(bank, options.sizes).placesOf(m_nodes)),
          m_costs(costs),
          m_hasWeights(options.hasWeights) {}

    Result<ProgramGraph> build() {
        for (const TermId node : m_nodes) m_numbers.emplace(node, static_cast<std::uint32_t>(m_numbers.size()));
        m_operation.assign(m_nodes.size(), None);
        m_tensor.assign(m_nodes.size(), None);
        provideInputs();
        std::uint32_t number = 0;
        for (const TermId node : m_nodes) add(node, number++);
        markOutputs();
        if (m_result.graph.operations.size() == (m_hasInputs ? 1U : 0U)) {
            return inputError("the program computes nothing when it runs, so there is nothing to schedule", {});
        }
        if (m_hasWeights)
            provideWeights();
        else
            countWeights();
        MITOS_REQUIRE(checkGraph(m_result.graph));
        return std::move(m_result);
    }

private:
    [[nodiscard]] std::uint32_t addOperation(std::string name, double duration, TermId term) {
        m_result.graph.operations.push_back({std::move(name), duration});
        m_result.terms.push_back(term);
        return static_cast<std::uint32_t>(m_result.graph.operations.size() - 1);
    }
    [[nodiscard]] std::uint32_t addTensor(double bytes, std::uint32_t producer) {
        m_result.graph.tensors.push_back({.bytes = bytesOf(bytes), .producer = producer});
        return static_cast<std::uint32_t>(m_result.graph.tensors.size() - 1);
    }
    [[nodiscard]] static std::uint64_t bytesOf(double bytes) {
        constexpr double Most = 9e18;
        return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, Most));
    }

    void provideInputs() {
        for (std::size_t at = 0; at < m_places.size(); ++at) {
            if (m_places[at].kind != ValuePlace::Kind::Input) continue;
            if (!std::exchange(m_hasInputs, true)) static_cast<void>(addOperation("inputs", 0.0, {}));
            m_operation[at] = 0;
            m_tensor[at] = addTensor(m_places[at].bytes, 0);
        }
    }

    void add(TermId node, std::uint32_t number) {
        const ValuePlace& place = m_places[number];
        if (m_bank.is(node, ir::CoreOp::Get)) {
            m_operation[number] = m_operation[m_numbers.at(m_bank.child(node, 0))];
            return;
        }
        const bool isView = place.kind == ValuePlace::Kind::Elsewhere;
        if (!isView && place.kind != ValuePlace::Kind::Computed) return;
        const std::uint32_t operation = addOperation(tensor::nodeText(m_bank, node), m_costs[number].cost, node);
        m_operation[number] = operation;
        for (const TermId child : m_bank.children(node)) use(m_numbers.at(child), operation);
        if (!isView) m_tensor[number] = addTensor(place.bytes, operation);
    }

    /// The operation uses the value of a node.
    void use(std::uint32_t number, std::uint32_t operation) {
        const auto holder = static_cast<std::uint32_t>(m_places[number].holder);
        if (m_places[holder].kind == ValuePlace::Kind::Resident) {
            if (m_hasWeights) m_usersOfWeights[holder].push_back(operation);
            if (holder == number) return;
        }
        if (m_places[number].kind == ValuePlace::Kind::Absent && m_bank.is(nodeAt(number), ir::CoreOp::Tuple)) {
            for (const TermId child : m_bank.children(nodeAt(number))) use(m_numbers.at(child), operation);
            return;
        }
        if (const std::uint32_t tensor = m_tensor[holder]; tensor != None) {
            std::vector<std::uint32_t>& consumers = m_result.graph.tensors[tensor].consumers;
            if (consumers.empty() || consumers.back() != operation) consumers.push_back(operation);
        }
        const std::uint32_t maker = m_operation[number];
        const bool waitsForView = holder != number && maker != None && maker != m_operation[holder];
        if (waitsForView) m_result.graph.controlEdges.emplace_back(maker, operation);
    }

    [[nodiscard]] TermId nodeAt(std::uint32_t number) const { return *(m_nodes.begin() + number); }

    void markOutputs() {
        const auto mark = [this](std::uint32_t number) {
            const std::uint32_t tensor = m_tensor[m_places[number].holder];
            if (tensor != None) m_result.graph.tensors[tensor].isOutput = true;
        };
        const auto root = static_cast<std::uint32_t>(m_nodes.size() - 1);
        if (!m_bank.is(nodeAt(root), ir::CoreOp::Tuple)) {
            mark(root);
            return;
        }
        for (const TermId child : m_bank.children(nodeAt(root))) mark(m_numbers.at(child));
    }

    void provideWeights() {
        absl::btree_map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> byUsers;
        for (auto& [number, users] : m_usersOfWeights) {
            std::ranges::sort(users);
            users.erase(std::unique(users.begin(), users.end()), users.end());
            byUsers[users].push_back(number);
        }
        std::vector<bool> waits(m_result.graph.operations.size(), false);
        for (const Tensor& tensor : m_result.graph.tensors) {
            for (const std::uint32_t consumer : tensor.consumers) waits[consumer] = true;
        }
        for (const auto& edge : m_result.graph.controlEdges) waits[edge.second] = true;
        for (const auto& [users, numbers] : byUsers) {
            const std::string& first = m_result.graph.operations[users.front()].name;
            const std::uint32_t provider = addOperation(fmt::format("weights of {}", first), 0.0, {});
            for (const std::uint32_t number : numbers) {
                const std::uint32_t tensor = addTensor(m_places[number].bytes, provider);
                m_result.graph.tensors[tensor].consumers = users;
                m_result.graph.tensors[tensor].isOutput = true;
            }
            for (std::uint32_t first = 0; first < waits.size(); ++first) {
                if (!waits[first]) m_result.graph.controlEdges.emplace_back(provider, first);
            }
        }
    }

    void countWeights() {
        for (const ValuePlace& place : m_places) {
            if (place.kind == ValuePlace::Kind::Resident) m_result.residentBytes += bytesOf(place.bytes);
        }
    }

    const ir::TermBank& m_bank;
    const ir::SharedNodes m_nodes;
    const std::vector<ValuePlace> m_places;
    std::span<const cost::NodeCost> m_costs;
    const bool m_hasWeights;
    bool m_hasInputs = false;
    absl::flat_hash_map<TermId, std::uint32_t> m_numbers;
    std::vector<std::uint32_t> m_operation;  // by node: the one that makes its value
    std::vector<std::uint32_t> m_tensor;     // by node, of those with memory of their own
    absl::btree_map<std::uint32_t, std::vector<std::uint32_t>> m_usersOfWeights;
    ProgramGraph m_result;
};

}  // namespace

Result<ProgramGraph> graphOf(const ir::TermBank& bank, const ir::Program& program,
                             std::span<const cost::NodeCost> costs, const ProgramGraphOptions& options) {
    if (bank.function(program.function).dialect == tasks::DialectName) {
        MITOS_TRY(tasks::ProgramTasks known, tasks::tasksOf(bank, program.root));
        return ProgramGraph{.graph = std::move(known.graph), .terms = std::move(known.terms), .hasOwnDurations = true};
    }
    return Builder(bank, program.root, costs, options).build();
}

}  // namespace mitos::schedule
