// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/roofline_model.h"

#include "core/cost/graph_costs.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::cost {

using ir::TermId;

namespace {

constexpr double Micro = 1e6;  ///< microseconds per second

/// Formats flops or bytes: "1.5 MB".
std::string amount(double value, std::string_view unit) {
    constexpr double Thousand = 1000.0;
    const char* prefix = "";
    for (const char* next : {"k", "M", "G", "T"}) {
        if (value < Thousand) break;
        value /= Thousand;
        prefix = next;
    }
    return fmt::format("{:.3g} {}{}", value, prefix, unit);
}

class RooflineEvaluator final : public CostEvaluator {
public:
    RooflineEvaluator(const ir::TermBank& bank, Device device, const AssumedSizes& sizes)
        : m_bank(bank),
          m_device(std::move(device)),
          m_works(bank, sizes) {}

    double cost(TermId root) override {
        double sum = 0.0;
        for (const TermId node : ir::SharedNodes(m_bank, root)) sum += own(m_works[node]);
        return sum;
    }

    std::vector<CostPart> explain(TermId root) override {
        return graphParts(m_bank, root, [this](TermId node) {
            const NodeWork& work = m_works[node];
            return OwnCost{own(work), reason(work, m_bank.opName(node)), shares(work)};
        });
    }

    [[nodiscard]] std::size_t bytes() const override { return m_works.bytes(); }

private:
    [[nodiscard]] double computing(const NodeWork& node) const {
        return Micro * node.work.flops / m_device.flops(node.dtype);
    }
    [[nodiscard]] double moving(const NodeWork& node) const {
        return Micro * (node.work.readBytes + node.work.writtenBytes) / m_device.bytesPerSecond;
    }
    [[nodiscard]] static bool runs(const NodeWork& node) {
        return node.isKernel && !node.isOffline && !node.work.isView;
    }
    [[nodiscard]] double own(const NodeWork& node) const {
        if (!runs(node)) return 0.0;
        return Micro * m_device.launchSeconds + std::max(computing(node), moving(node));
    }
    [[nodiscard]] std::vector<CostShare> shares(const NodeWork& node) const {
        if (!runs(node)) return {};
        const bool isComputing = computing(node) >= moving(node);
        return {{"launch", Micro * m_device.launchSeconds},
                {isComputing ? "computing" : "memory", std::max(computing(node), moving(node))}};
    }
    [[nodiscard]] std::string reason(const NodeWork& node, std::string_view op) const {
        if (!node.isKernel) return "nothing runs";
        if (node.isOffline) return fmt::format("{}: of weights only, computed before the program runs", op);
        if (node.work.isView) return fmt::format("{}: a view, nothing is moved", op);
        const bool isBound = computing(node) >= moving(node);
        return fmt::format(
            "{}: {:.3g} µs to launch + {:.3g} µs for {} (bound by {})", op, Micro * m_device.launchSeconds,
            std::max(computing(node), moving(node)),
            isBound ? amount(node.work.flops, "FLOP") : amount(node.work.readBytes + node.work.writtenBytes, "B"),
            isBound ? "computing" : "memory");
    }

    const ir::TermBank& m_bank;
    Device m_device;
    NodeWorks m_works;
};

class RooflineModel final : public CostModel {
public:
    RooflineModel(CostModelInfo info, Device device, AssumedSizes sizes)
        : m_info(std::move(info)),
          m_device(std::move(device)),
          m_sizes(std::move(sizes)) {}

    [[nodiscard]] const CostModelInfo& info() const override { return m_info; }
    [[nodiscard]] std::unique_ptr<CostEvaluator> evaluator(const ir::TermBank& bank, ir::FunctionId) const override {
        return std::make_unique<RooflineEvaluator>(bank, m_device, m_sizes);
    }

private:
    CostModelInfo m_info;
    Device m_device;
    AssumedSizes m_sizes;
};

class PeakMemoryEvaluator final : public CostEvaluator {
public:
    PeakMemoryEvaluator(const ir::TermBank& bank, const AssumedSizes& sizes) : m_bank(bank), m_works(bank, sizes) {}

    double cost(TermId root) override {
        const Lives lives = livesOf(root);
        return lives.resident + lives.peak;
    }

    std::vector<CostPart> explain(TermId root) override {
        const Lives lives = livesOf(root);
        absl::flat_hash_map<TermId, std::size_t> numbers;
        for (const TermId node : lives.nodes) numbers.emplace(node, numbers.size());
        return graphParts(m_bank, root, [&](TermId node) {
            const Life& life = lives.of[numbers.at(node)];
            if (life.isResident) return OwnCost{life.bytes, "held all the time"};
            const bool isThere = life.bytes > 0.0 && life.from <= lives.peakAt && life.until >= lives.peakAt;
            return OwnCost{isThere ? life.bytes : 0.0,
                           isThere ? "held when most is held" : "not held when most is held"};
        });
    }

    [[nodiscard]] std::size_t bytes() const override { return m_works.bytes(); }

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

    Lives livesOf(TermId root) {
        Lives lives{.nodes = ir::SharedNodes(m_bank, root), .of = {}};
        absl::flat_hash_map<TermId, std::size_t> numbers;
        std::vector<std::size_t> holder;  // the node whose memory holds a node's value
        const std::size_t last = lives.nodes.size() - 1;
        for (const TermId node : lives.nodes) {
            const std::size_t at = holder.size();
            numbers.emplace(node, at);
            const NodeWork& work = m_works[node];
            const bool isTuple = m_bank.is(node, ir::CoreOp::Tuple);
            const bool isView = m_bank.childCount(node) > 0 && (work.work.isView || m_bank.is(node, ir::CoreOp::Get));
            holder.push_back(isView ? holder[numbers.at(m_bank.child(node, 0))] : at);
            const bool isInput = m_bank.is(node, ir::CoreOp::Variable);
            const bool isHeld = !isView && !isTuple && !work.isOffline;
            lives.of.push_back({isHeld ? work.bytes : 0.0, isInput ? 0 : at, at, false});
            for (const TermId child : m_bank.children(node)) {
                const std::size_t number = numbers.at(child);
                Life& life = lives.of[holder[number]];
                // Later uses of a tuple's elements are not tracked, so the elements are held to the end.
                life.until = std::max(life.until, isTuple ? last : at);
                if (m_works[child].isOffline && !work.isOffline && !lives.of[number].isResident) {
                    lives.of[number].isResident = true;
                    lives.of[number].bytes = m_works[child].bytes;
                    lives.resident += m_works[child].bytes;
                }
            }
        }
        lives.of[holder[last]].until = last;
        if (m_works[root].isOffline) {
            lives.of[last].isResident = true;
            lives.of[last].bytes = lives.resident = m_works[root].bytes;
        }
        std::vector<double> change(lives.nodes.size() + 1, 0.0);
        for (const Life& life : lives.of) {
            if (life.isResident) continue;
            change[life.from] += life.bytes;
            change[life.until + 1] -= life.bytes;
        }
        double held = 0.0;
        for (std::size_t at = 0; at <= last; ++at) {
            held += change[at];
            if (held <= lives.peak) continue;
            lives.peak = held;
            lives.peakAt = at;
        }
        return lives;
    }

    const ir::TermBank& m_bank;
    NodeWorks m_works;
};

class PeakMemoryModel final : public CostModel {
public:
    PeakMemoryModel(CostModelInfo info, AssumedSizes sizes) : m_info(std::move(info)), m_sizes(std::move(sizes)) {}

    [[nodiscard]] const CostModelInfo& info() const override { return m_info; }
    [[nodiscard]] std::unique_ptr<CostEvaluator> evaluator(const ir::TermBank& bank, ir::FunctionId) const override {
        return std::make_unique<PeakMemoryEvaluator>(bank, m_sizes);
    }

private:
    CostModelInfo m_info;
    AssumedSizes m_sizes;
};

}  // namespace

std::shared_ptr<const CostModel> makeRooflineModel(CostModelInfo info, Device device, AssumedSizes sizes) {
    return std::make_shared<RooflineModel>(std::move(info), std::move(device), std::move(sizes));
}

std::shared_ptr<const CostModel> makePeakMemoryModel(CostModelInfo info, AssumedSizes sizes) {
    return std::make_shared<PeakMemoryModel>(std::move(info), std::move(sizes));
}

}  // namespace mitos::cost
