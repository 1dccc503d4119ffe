// SPDX-License-Identifier: GPL-3.0-or-later
// The most that a tensor program holds at a time. A model of whole programs: when a value is released depends on its uses.
#include "core/cost/factory.h"
#include "core/cost/internal/node_work.h"
#include "core/ir/shared.h"
#include "core/tensor/operator.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mitos::cost::models {

namespace {

constexpr std::int64_t UnknownSize = 1;

/// Whether the node's value lies in the memory of its first input.
bool isInItsInput(const Node& node, const NodeWork& work) {
    return !node.inputs.empty() && (work.work.isView || node.is(ir::CoreOp::Get));
}

/// The size that a node alone adds: that of its value, unless the value lies elsewhere. A value computed beforehand replaces those that it is computed from.
class ValueSizes final : public NodeCosts {
public:
    explicit ValueSizes(AssumedSizes sizes) : m_sizes(std::move(sizes)) {}

    [[nodiscard]] Status costs(std::span<const Node> nodes, std::span<double> costs, const std::stop_token&) override {
        std::ranges::transform(nodes, costs.begin(), [this](const Node& node) { return size(node); });
        return Success{};
    }
    [[nodiscard]] Result<NodeCost> explain(const Node& node) override { return NodeCost{size(node), "its value"}; }

private:
    [[nodiscard]] double size(const Node& node) const {
        const NodeWork work = workOf(node, m_sizes);
        if (node.isOffline) return std::max(0.0, work.bytes - work.inputBytes);
        return isInItsInput(node, work) || node.is(ir::CoreOp::Tuple) ? 0.0 : work.bytes;
    }

    AssumedSizes m_sizes;
};

class PeakMemoryEvaluator final : public CostEvaluator {
public:
    PeakMemoryEvaluator(const ir::TermBank& bank, const AssumedSizes& sizes)
        : m_bank(bank),
          m_sizes(sizes),
          m_estimates(sizes) {}

    Result<double> cost(ir::TermId root, const std::stop_token&) override {
        const Lives lives = livesOf(root);
        return lives.resident + lives.peak;
    }

    Result<std::vector<CostPart>> explain(ir::TermId root, const std::stop_token& stop) override {
        MITOS_TRY(std::vector<NodeCost> nodes, explainNodes(root, stop));
        return graphParts(m_bank, root, std::move(nodes));
    }

    Result<std::vector<NodeCost>> explainNodes(ir::TermId root, const std::stop_token&) override {
        const Lives lives = livesOf(root);
        std::vector<NodeCost> costs;
        for (const Life& life : lives.of) {
            const bool isThere = life.bytes > 0.0 && life.from <= lives.peakAt && life.until >= lives.peakAt;
            costs.push_back(life.isResident ? NodeCost{life.bytes, "held all the time"}
                            : isThere       ? NodeCost{life.bytes, "held when most is held"}
                                            : NodeCost{0.0, "not held when most is held"});
        }
        return costs;
    }

    [[nodiscard]] NodeCosts* nodes() override { return &m_estimates; }
    [[nodiscard]] std::size_t bytes() const override { return m_known.capacity() * sizeof(std::optional<Known>); }

private:
    struct Known {
        double bytes = 0.0;
        bool isInItsInput = false;
        bool isOffline = false;
    };
    /// The memory that a node's value takes, and the time it is held; 0 bytes if the value is in another node's memory.
    struct Life {
        double bytes = 0.0;
        std::size_t from = 0;
        std::size_t until = 0;
        bool isResident = false;
    };
    struct Lives {
        ir::SharedNodes nodes;
        std::vector<Life> of;
        double resident = 0.0;
        double peak = 0.0;
        std::size_t peakAt = 0;
    };

    /// Requires earlier calls for the children.
    const Known& known(ir::TermId term) {
        if (term.value >= m_known.size()) m_known.resize(m_bank.size());
        std::optional<Known>& known = m_known[term.value];
        if (!known) {
            const bool isOffline = cost::isOffline(
                m_bank, term, [&](std::size_t child) { return m_known[m_bank.child(term, child).value]->isOffline; });
            const Node node = nodeOf(m_bank, term, isOffline, m_inputs);
            const NodeWork work = workOf(node, m_sizes);
            known = {work.bytes, isInItsInput(node, work), isOffline};
        }
        return *known;
    }

    Lives livesOf(ir::TermId root) {
        Lives lives{.nodes = ir::SharedNodes(m_bank, root), .of = {}};
        absl::flat_hash_map<ir::TermId, std::size_t> numbers;
        std::vector<std::size_t> holder;  // the node whose memory holds a node's value
        const std::size_t last = lives.nodes.size() - 1;
        for (const ir::TermId node : lives.nodes) {
            const std::size_t at = holder.size();
            numbers.emplace(node, at);
            const Known work = known(node);
            const bool isTuple = m_bank.is(node, ir::CoreOp::Tuple);
            holder.push_back(work.isInItsInput ? holder[numbers.at(m_bank.child(node, 0))] : at);
            const bool isInput = m_bank.is(node, ir::CoreOp::Variable);
            const bool isHeld = !work.isInItsInput && !isTuple && !work.isOffline;
            lives.of.push_back({isHeld ? work.bytes : 0.0, isInput ? 0 : at, at, false});
            for (const ir::TermId child : m_bank.children(node)) {
                const std::size_t number = numbers.at(child);
                Life& life = lives.of[holder[number]];
                // Later uses of a tuple's elements are not tracked, so the elements are held to the end.
                life.until = std::max(life.until, isTuple ? last : at);
                if (known(child).isOffline && !work.isOffline && !lives.of[number].isResident) {
                    lives.of[number].isResident = true;
                    lives.of[number].bytes = known(child).bytes;
                    lives.resident += known(child).bytes;
                }
            }
        }
        lives.of[holder[last]].until = last;
        if (known(root).isOffline) {
            lives.of[last].isResident = true;
            lives.of[last].bytes = lives.resident = known(root).bytes;
        }
        findPeak(lives);
        return lives;
    }

    static void findPeak(Lives& lives) {
        std::vector<double> change(lives.nodes.size() + 1, 0.0);
        for (const Life& life : lives.of) {
            if (life.isResident) continue;
            change[life.from] += life.bytes;
            change[life.until + 1] -= life.bytes;
        }
        double held = 0.0;
        for (std::size_t at = 0; at < lives.nodes.size(); ++at) {
            held += change[at];
            if (held <= lives.peak) continue;
            lives.peak = held;
            lives.peakAt = at;
        }
    }

    const ir::TermBank& m_bank;
    AssumedSizes m_sizes;
    ValueSizes m_estimates;
    std::vector<std::optional<Known>> m_known;  // by term
    InputTypes m_inputs;
};

Result<std::shared_ptr<const CostModel>> makePeakMemory(CostModelInfo info) {
    MITOS_TRY(AssumedSizes sizes, parseSizes(info.name, info.values, UnknownSize));
    return modelOfPrograms(std::move(info), [sizes = std::move(sizes)](const ir::TermBank& bank, ir::FunctionId) {
        return std::make_unique<PeakMemoryEvaluator>(bank, sizes);
    });
}

}  // namespace

CostModelFactory memory() {
    return {.info = {.name = "peak-memory",
                     .title = "Peak memory",
                     .unit = "bytes",
                     .description = "The most that is held at a time: weights all the time, inputs and results until "
                                    "their last use. Sizes that are names count as 1 (`peak-memory:N=8`).",
                     .dialects = {std::string(tensor::DialectName)},
                     .parameters = {sizesParameter(UnknownSize)}},
            .make = makePeakMemory};
}

}  // namespace mitos::cost::models
