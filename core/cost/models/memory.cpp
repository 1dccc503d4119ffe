// SPDX-License-Identifier: GPL-3.0-or-later
// The most that a tensor program holds at a time. A model of whole programs: when a value is released depends on its uses.
#include "core/cost/factory.h"
#include "core/cost/internal/node_work.h"
#include "core/cost/value_memory.h"
#include "core/ir/shared.h"
#include "core/tensor/operator.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

namespace mitos::cost::models {

namespace {

constexpr std::int64_t UnknownSize = 1;

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
          m_memory(bank, sizes),
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
    [[nodiscard]] std::size_t bytes() const override { return m_memory.bytes(); }

private:
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

    Lives livesOf(ir::TermId root) {
        Lives lives{.nodes = ir::SharedNodes(m_bank, root), .of = {}};
        const std::vector<ValuePlace> places = m_memory.placesOf(lives.nodes);
        absl::flat_hash_map<ir::TermId, std::size_t> numbers;
        const std::size_t last = lives.nodes.size() - 1;
        for (const ir::TermId node : lives.nodes) {
            const std::size_t at = lives.of.size();
            numbers.emplace(node, at);
            const ValuePlace& place = places[at];
            const bool isResident = place.kind == ValuePlace::Kind::Resident;
            if (isResident) lives.resident += place.bytes;
            lives.of.push_back({place.bytes, place.kind == ValuePlace::Kind::Input ? 0 : at, at, isResident});
            const bool isTuple = m_bank.is(node, ir::CoreOp::Tuple);
            for (const ir::TermId child : m_bank.children(node)) {
                Life& life = lives.of[places[numbers.at(child)].holder];
                // Later uses of a tuple's elements are not tracked, so the elements are held to the end.
                life.until = std::max(life.until, isTuple ? last : at);
            }
        }
        lives.of[places[last].holder].until = last;
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
    ValueMemory m_memory;
    ValueSizes m_estimates;
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
