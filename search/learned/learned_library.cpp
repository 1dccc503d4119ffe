// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/learned_library.h"

#include "core/base/loaded_module.h"
#include "search/learned/learned_module.h"

#include <fmt/format.h>

namespace mitos::search::learned {

Status checkShape(const NetworkShape& shape) {
    constexpr std::uint32_t MostFeatures = 1U << 16U;
    const auto require = [](const char* name, std::uint32_t size, std::uint32_t least, std::uint32_t most) -> Status {
        if (size >= least && size <= most) return Success{};
        return inputError(fmt::format("a network with {} {}", size, name),
                          fmt::format("{} to {} of them are possible", least, most));
    };
    const bool isGated = shape.kind == NetworkKind::Gated;
    MITOS_REQUIRE(require(isGated ? "kinds of nodes" : "features of nodes", shape.nodeFeatures, 1, MostFeatures));
    MITOS_REQUIRE(require(isGated ? "types of edges" : "features of edges", shape.edgeFeatures, 1, MostFeatures));
    MITOS_REQUIRE(require("hidden units", shape.hidden, 1, LargestHidden));
    MITOS_REQUIRE(require("rounds", shape.rounds, 0, MostRounds));
    MITOS_REQUIRE(require("outputs", shape.outputs, 1, MostFeatures));
    if (!isGated) return Success{};
    MITOS_REQUIRE(require("layers behind the read-out", shape.layers, 0, MostLayers));
    if (shape.layers > 0) {
        MITOS_REQUIRE(require("units of a layer behind the read-out", shape.readout, 1, LargestHidden));
    }
    if (!(shape.dropout >= 0.0 && shape.dropout < 1.0)) {
        return inputError(fmt::format("a network that leaves out a part of {} in training", shape.dropout),
                          "from 0 to less than 1 is possible");
    }
    if (shape.hidden < shape.nodeFeatures) {
        return inputError(
            fmt::format("a network with {} hidden units for {} kinds of nodes", shape.hidden, shape.nodeFeatures),
            "each kind takes one of them: choose at least as many");
    }
    return Success{};
}

Error networkFailed(const GraphNetwork& network) {
    return {ErrorCode::Evaluation, fmt::format("the network failed: {}", network.failure()), std::nullopt,
            "this is a defect of Mitos or of LibTorch"};
}

Result<LearnedLibrary> LearnedLibrary::load(std::string_view file) {
    auto module = loadModuleAs<LearnedModule>({.file = file, .library = "LibTorch", .function = GetLearnedModuleName});
    if (!module) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("learned strategies need LibTorch, but {}", module.error().message), std::nullopt,
                     "install the package libtorch-dev (1.13 or newer) and build Mitos again"};
    }
    return LearnedLibrary(**module);
}

std::string LearnedLibrary::version() const { return fmt::format("LibTorch {}", m_module->libraryVersion()); }

Result<std::unique_ptr<GraphNetwork>> LearnedLibrary::makeNetwork(const NetworkShape& shape) const {
    MITOS_REQUIRE(checkShape(shape));
    std::unique_ptr<GraphNetwork> network(m_module->makeGraphNetwork(shape));
    if (!network)
        return Error{ErrorCode::Limit, "there is not enough memory for the network", std::nullopt, "a smaller one"};
    return network;
}

}  // namespace mitos::search::learned
