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
    MITOS_REQUIRE(require("features of nodes", shape.nodeFeatures, 1, MostFeatures));
    MITOS_REQUIRE(require("features of edges", shape.edgeFeatures, 1, MostFeatures));
    MITOS_REQUIRE(require("hidden units", shape.hidden, 1, LargestHidden));
    MITOS_REQUIRE(require("rounds", shape.rounds, 0, MostRounds));
    return require("outputs", shape.outputs, 1, MostFeatures);
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
