// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a tensor program as the sum of measured times of its operations.
#include "core/cost/factory.h"
#include "core/cost/internal/charges.h"
#include "core/cost/internal/kernel_cover.h"
#include "core/cost/internal/profile_times.h"
#include "core/tensor/operator.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::cost::models {

namespace {

constexpr double MicrosPerSecond = 1e6;
constexpr std::int64_t UnknownMeasuredSize = 1;

/// How a measured operation differs from the one that has its time.
std::string_view whoseTime(ProfileTimes::Source source) {
    switch (source) {
        case ProfileTimes::Source::Swapped: return ", with its inputs in the other order";
        case ProfileTimes::Source::OtherConstants: return ", with other inputs constant";
        default: return {};
    }
}

/// Microseconds: the least time that was measured of each operation that is charged, as under `roofline`. Views that the runtime copies
/// are no views here.
class MeasuredCosts final : public NodeCosts {
public:
    MeasuredCosts(std::shared_ptr<const ProfileTimes> times, AssumedSizes sizes, Charges charges)
        : m_times(std::move(times)),
          m_sizes(std::move(sizes)),
          m_charges(charges) {}

    [[nodiscard]] Status costs(std::span<const Node> nodes, std::span<double> costs, const std::stop_token&) override {
        std::ranges::transform(nodes, costs.begin(), [this](const Node& node) { return costOf(node); });
        return Success{};
    }

    [[nodiscard]] Result<NodeCost> explain(const Node& node) override {
        const NodeWork work = this->work(node);
        const std::string_view op = node.opName();
        if (const auto free = whyFree(node, work, m_charges)) {
            return NodeCost{0.0, work.isKernel ? fmt::format("{}: {}", op, *free) : std::string(*free)};
        }
        const std::optional<Operation> operation = operationOf(node, m_sizes);
        const ProfileTimes::Time time = operation ? m_times->of(*operation, work) : m_times->ofUnknown(work);
        NodeCost cost;
        cost.cost = MicrosPerSecond * time.seconds;
        if (time.source == ProfileTimes::Source::Estimated) {
            const std::string refused = operation ? m_times->whyRefused(*operation) : std::string();
            cost.reason = fmt::format(
                "{}: {:.3g} µs estimated, {}: {:.3g} times its roofline, as {} measured{}", op, cost.cost,
                refused.empty() ? "not in the profile" : fmt::format("not measured ({})", refused), time.factor,
                time.similar == 0 ? "all operations" : fmt::format("the most similar {} operations", op),
                whyCharged(node, m_charges));
            cost.shares = {{"estimated", cost.cost}};
            return cost;
        }
        if (time.source == ProfileTimes::Source::OtherOrder) {
            cost.reason = fmt::format("{}: {:.3g} µs estimated, as with the channels first; no {} is in the profile",
                                      op, cost.cost, op);
            cost.shares = {{"estimated", cost.cost}};
            return cost;
        }
        const std::string_view whose = whoseTime(time.source);
        cost.spread = MicrosPerSecond * time.measurement.spread;
        cost.reason =
            fmt::format("{}: {:.3g} µs measured{} (median {:.3g} µs, spread {:.3g} µs){}", op, cost.cost, whose,
                        MicrosPerSecond * time.measurement.median, cost.spread, whyCharged(node, m_charges));
        cost.shares = {{"measured", cost.cost}};
        return cost;
    }

private:
    /// The key of a node's cost in the bank of this evaluator.
    using Key = absl::InlinedVector<std::uint64_t, 8>;

    static Key keyOf(const Node& node) {
        Key key{node.op.value, 0, node.offlineInputs, node.output.value, node.isOffline ? 1U : 0U};
        const ir::PayloadKind kind = node.payload.kind();
        const bool hasText =
            kind == ir::PayloadKind::Attributes || kind == ir::PayloadKind::Name || kind == ir::PayloadKind::String;
        if (hasText) key[1] = std::uint64_t{node.payload.asSymbol().value} + 1;
        for (const ir::TypeId input : node.inputs) key.push_back(input.value);
        return key;
    }

    [[nodiscard]] NodeWork work(const Node& node) const {
        NodeWork work = workOf(node, m_sizes);
        work.work.isView = m_times->isFree(node.opName(), work);
        return work;
    }

    /// Pricing asks about the same nodes again and again.
    double costOf(const Node& node) {
        if (node.isOffline && m_charges == Charges::Run) return 0.0;
        const auto [known, isNew] = m_known.try_emplace(keyOf(node), 0.0);
        if (!isNew) return known->second;
        const NodeWork work = this->work(node);
        if (whyFree(node, work, m_charges)) return 0.0;
        const std::optional<Operation> operation = operationOf(node, m_sizes);
        known->second =
            MicrosPerSecond * (operation ? m_times->of(*operation, work) : m_times->ofUnknown(work)).seconds;
        return known->second;
    }

    std::shared_ptr<const ProfileTimes> m_times;
    AssumedSizes m_sizes;
    Charges m_charges;
    absl::flat_hash_map<Key, double> m_known;
};

Result<std::shared_ptr<const CostModel>> makeMeasured(CostModelInfo info) {
    MITOS_TRY(CostProfile profile, findProfile(std::get<std::string>(info.values.at("profile"))));
    MITOS_TRY(AssumedSizes sizes, parseSizes(info.name, info.values, UnknownMeasuredSize));
    if (profile.times.empty()) {
        return inputError(fmt::format("the cost profile {} has no times", profile.name),
                          "mitos-cli measure FILE -o PROFILE.json measures the operations of a program");
    }
    MITOS_TRY(std::shared_ptr<const Kernels> kernels, kernelsOf(info.values));
    const Charges charges = chargesOf(info.values);
    const MeasuringSetup& setup = profile.setup;
    info.description = fmt::format(
        "Sum of the times of a tensor program's operations, as measured: {} ({}, {}, {} {}; {} operations, drift "
        "{:.0f} %). Operations "
        "that were not measured are estimated from similar ones. {} cost nothing. "
        "Profiles: `measured:FILE.json`, written by `mitos-cli measure`; sizes that are names count as {} "
        "(`measured:FILE.json,N=8`).",
        profile.title, setup.processor, setup.runtime, setup.threads, setup.threads == 1 ? "thread" : "threads",
        profile.times.size(), profile.drift * 100.0, freeText(charges), sizes.otherwise);
    auto times = std::make_shared<const ProfileTimes>(std::make_shared<const CostProfile>(std::move(profile)));
    return modelOfKernels(std::move(info), std::move(kernels),
                          [times = std::move(times), sizes = std::move(sizes), charges] {
                              return std::make_unique<MeasuredCosts>(times, sizes, charges);
                          });
}

}  // namespace

CostModelFactory measured() {
    return {.info = {.name = "measured",
                     .title = "Measured",
                     .unit = "µs",
                     .description = "",
                     .dialects = {std::string(tensor::DialectName)},
                     .parameters = {profileParameter(), sizesParameter(UnknownMeasuredSize), chargesParameter(),
                                    kernelsParameter()}},
            .make = makeMeasured};
}

}  // namespace mitos::cost::models
