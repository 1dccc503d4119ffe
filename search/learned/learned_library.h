// SPDX-License-Identifier: GPL-3.0-or-later
// The library with the networks, loaded when it is first used.
#pragma once

#include "core/base/result.h"
#include "search/learned/graph_network.h"

#include <memory>
#include <string>
#include <string_view>

namespace mitos::search::learned {

struct LearnedModule;

class LearnedLibrary {
public:
    /// The file of the library, beside the programs of this project.
    static constexpr std::string_view FileName = "mitos-learned.so";

    /// Loads the library, or returns the one that is loaded. A `file` with a slash is a path. Fails with Unsupported if it is not there, if LibTorch is
    /// missing or too old for it, and if it belongs to another version; the hint says what to install.
    [[nodiscard]] static Result<LearnedLibrary> load(std::string_view file = FileName);

    /// "LibTorch 1.13.0"
    [[nodiscard]] std::string version() const;
    /// A network with parameters of 0. Fails for a shape without features or outputs, and beyond LargestHidden and MostRounds.
    [[nodiscard]] Result<std::unique_ptr<GraphNetwork>> makeNetwork(const NetworkShape& shape) const;

private:
    explicit LearnedLibrary(const LearnedModule& module) : m_module(&module) {}
    const LearnedModule* m_module;
};

/// Fails for sizes that are 0 or too large, for a Gated network with fewer hidden units than kinds of nodes, and for a dropout that is no probability below 1.
[[nodiscard]] Status checkShape(const NetworkShape& shape);
/// The error of a call that returned false.
[[nodiscard]] Error networkFailed(const GraphNetwork& network);

}  // namespace mitos::search::learned
