// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of the coarsening paper (OOPSLA 2021, its section 7), to be shown beside ours: resources/experiments/coarsening-paper.json.
#pragma once

#include "core/base/result.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// A speed-up for each of the three configurations; nothing where the paper has none.
using PaperSpeedUps = std::array<std::optional<double>, 3>;

/// All of them were measured on the paper's server.
struct CoarseningNumbers {
    std::string name;                  ///< of the benchmark
    PaperSpeedUps differentiation;     ///< Table 3
    PaperSpeedUps iteration;           ///< Table 3, "overall"
    PaperSpeedUps primalOverGradient;  ///< the time of the primal alone over that of the coarsened gradient
    PaperSpeedUps environment;         ///< of CartPole's environment without its network
    PaperSpeedUps withoutCalculus;     ///< differentiation without φ-calculus
    PaperSpeedUps insideLibrary;       ///< Table 4: in Adept
};

/// Reads a data file, whose name is for messages. Fails if it is not of the format, names a benchmark twice, or holds a speed-up that is
/// not above 0.
[[nodiscard]] Result<std::vector<CoarseningNumbers>> readCoarseningNumbers(std::string_view file,
                                                                           std::string_view text);
/// Reads the file that comes with Mitos.
[[nodiscard]] Result<std::vector<CoarseningNumbers>> coarseningNumbers();

/// Those of a benchmark; none of its numbers is set if the paper does not have it.
[[nodiscard]] CoarseningNumbers numbersOf(const std::vector<CoarseningNumbers>& all, std::string_view benchmark);

}  // namespace mitos::search::experiments
