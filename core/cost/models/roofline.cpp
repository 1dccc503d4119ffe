// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a tensor program by the roofline model.
#include "core/cost/device.h"
#include "core/cost/factory.h"
#include "core/cost/internal/charges.h"
#include "core/cost/internal/kernel_cover.h"
#include "core/cost/internal/node_work.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mitos::cost::models {

namespace {

constexpr double Micro = 1e6;  ///< microseconds per second
constexpr std::int64_t UnknownArraySize = 1;

/// Operators that change sizes only. A runtime that computes kernel by kernel calls each of them, which takes about half as long as a launch
/// that moves data (ONNX Runtime on processors: 0.5 to 1 µs); other views are copies there.
constexpr std::array<std::string_view, 7> ChangingSizesOnly{"Reshape",   "ReshapeTo", "Flatten", "Squeeze",
                                                            "Unsqueeze", "Identity",  "Dropout"};
constexpr double PartOfLaunch = 0.5;
/// Operators that take several kernels there, about three. Convolutions compute images in blocks of channels, which the first of these
/// operators need undone and made again; Einsum transposes its operands before it multiplies them, and the product after it.
constexpr double SeveralKernels = 3.0;
constexpr std::array<std::string_view, 3> WithoutBlocks{"Split", "Slice", "ReduceMean"};

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

/// Microseconds: launch + max(flops / peak, bytes / bandwidth), after Williams, Waterman and Patterson (Roofline, 2009), of the nodes
/// that are charged.
class RooflineCosts final : public NodeCosts {
public:
    /// `callsViews`: views cost a call, or a copy.
    RooflineCosts(Device device, AssumedSizes sizes, Charges charges, bool callsViews)
        : m_device(std::move(device)),
          m_sizes(std::move(sizes)),
          m_charges(charges),
          m_callsViews(callsViews) {}

    [[nodiscard]] Status costs(std::span<const Node> nodes, std::span<double> costs, const std::stop_token&) override {
        std::ranges::transform(nodes, costs.begin(), [this](const Node& node) { return at(node).cost(); });
        return Success{};
    }

    [[nodiscard]] Result<NodeCost> explain(const Node& node) override {
        const Roofline at = this->at(node);
        const std::string_view op = node.opName();
        if (!at.work.isKernel) return NodeCost{0.0, std::string(*at.free)};
        if (at.isCall) {
            return NodeCost{at.cost(),
                            fmt::format("{}: {:.3g} µs to call it; nothing is moved", op, at.cost()),
                            {{"launch", at.cost()}}};
        }
        if (at.free) return NodeCost{0.0, fmt::format("{}: {}", op, *at.free)};
        const tensor::Work& work = at.work.work;
        const bool isComputing = at.computing >= at.moving;
        const std::string longest =
            isComputing ? amount(work.flops, "FLOP") : amount(work.readBytes + work.writtenBytes, "B");
        return NodeCost{
            at.cost(),
            fmt::format("{}: {:.3g} µs to launch + {:.3g} µs for {} (bound by {}){}", op, at.launch,
                        std::max(at.computing, at.moving), longest, isComputing ? "computing" : "memory",
                        whyCharged(node, m_charges)),
            {{"launch", at.launch}, {isComputing ? "computing" : "memory", std::max(at.computing, at.moving)}}};
    }

private:
    /// The times of a node, in microseconds.
    struct Roofline {
        NodeWork work;
        std::optional<std::string_view> free = {};  ///< why it costs nothing
        bool isCall = false;                        ///< it moves nothing, but is called
        double launch = 0.0;
        double computing = 0.0;
        double moving = 0.0;

        [[nodiscard]] double cost() const {
            if (isCall) return PartOfLaunch * launch;
            return free ? 0.0 : launch + std::max(computing, moving);
        }
    };

    /// Whether the first input may be images, [batch,channels,height,width].
    [[nodiscard]] static bool isImage(const Node& node) {
        constexpr std::size_t Rank = 4;
        const ir::TypeTable& types = node.bank.types();
        if (node.inputs.empty() || !types.isArray(node.inputs.front())) return false;
        const tensor::ArrayType input = tensor::arrayType(types, node.inputs.front());
        return input.hasRank && input.rank() == Rank;
    }

    [[nodiscard]] Roofline at(const Node& node) const {
        const NodeWork work = workOf(node, m_sizes);
        const bool isCalled =
            m_callsViews && m_charges == Charges::Run && work.isKernel && work.work.isView && !node.isOffline;
        const bool isCall = isCalled && std::ranges::find(ChangingSizesOnly, node.opName()) != ChangingSizesOnly.end();
        const std::string_view op = node.opName();
        const bool undoesBlocks = isImage(node) && std::ranges::find(WithoutBlocks, op) != WithoutBlocks.end();
        const bool takesSeveral = m_callsViews && (undoesBlocks || op == "Einsum");
        return {.work = work,
                .free = isCalled ? std::nullopt : whyFree(node, work, m_charges),
                .isCall = isCall,
                .launch = (takesSeveral ? SeveralKernels : 1.0) * Micro * m_device.launchSeconds,
                .computing = Micro * work.work.flops / m_device.flops(work.dtype),
                .moving = (takesSeveral ? SeveralKernels : 1.0) * Micro *
                          (work.work.readBytes + work.work.writtenBytes) / m_device.bytesPerSecond};
    }

    Device m_device;
    AssumedSizes m_sizes;
    Charges m_charges;
    bool m_callsViews;
};

Result<std::shared_ptr<const CostModel>> makeRoofline(CostModelInfo info) {
    MITOS_TRY(Device device, findDevice(std::get<std::string>(info.values.at("device"))));
    MITOS_TRY(AssumedSizes sizes, parseSizes(info.name, info.values, UnknownArraySize));
    MITOS_TRY(const std::shared_ptr<const Kernels> kernels, kernelsOf(info.values));
    const Charges charges = chargesOf(info.values);
    info.description = fmt::format(
        "Time of a tensor program on {}: for each node {} µs to launch it, then the longer of computing and "
        "moving its inputs and outputs once. {} cost nothing. Devices: "
        "`roofline:laptop`, or a .json file; sizes that are names count as {} (`roofline:a100,N=8`).",
        device.title, device.launchSeconds * 1e6, freeText(charges), sizes.otherwise);
    if (kernels != nullptr) info.description += " With kernels, views cost half a launch, or a copy.";
    return modelOfKernels(std::move(info), kernels,
                          [device = std::move(device), sizes = std::move(sizes), charges, calls = kernels != nullptr] {
                              return std::make_unique<RooflineCosts>(device, sizes, charges, calls);
                          });
}

Result<std::string> settleRoofline(ParameterValues& given) {
    const auto device = given.find("device");
    return device == given.end() ? std::string() : settleDevice(std::get<std::string>(device->second));
}

}  // namespace

CostModelFactory roofline() {
    return {.info = {.name = "roofline",
                     .title = "Roofline",
                     .unit = "µs",
                     .description = "",
                     .dialects = {std::string(tensor::DialectName)},
                     .parameters = {deviceParameter(), sizesParameter(UnknownArraySize), chargesParameter(),
                                    kernelsParameter()}},
            .make = makeRoofline,
            .settle = settleRoofline};
}

}  // namespace mitos::cost::models
