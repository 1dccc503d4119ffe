// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of mitos-learned.so, the only part that links LibTorch.
#pragma once

#include "search/learned/graph_network.h"

namespace mitos::search::learned {

struct LearnedModule {
    /// Grows with every change of this structure and of GraphNetwork; the first member in all versions.
    static constexpr std::uint32_t CurrentVersion = 3;
    std::uint32_t version = CurrentVersion;

    /// The version of LibTorch, "1.13.0".
    const char* (*libraryVersion)() = nullptr;
    /// A network with parameters of 0; null if there is no memory for it. Its owner deletes it.
    GraphNetwork* (*makeGraphNetwork)(const NetworkShape& shape) = nullptr;
};

/// The one function that the module exports.
inline constexpr const char* GetLearnedModuleName = "mitosLearnedModule";

}  // namespace mitos::search::learned
