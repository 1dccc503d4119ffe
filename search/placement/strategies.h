// SPDX-License-Identifier: GPL-3.0-or-later
// All strategies for placement and scheduling, in one list, described as data.
#pragma once

#include "core/base/parameters.h"
#include "search/placement/placement.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::placement {

/// The question that a strategy answers.
struct Request {
    Objective objective = Objective::Runtime;
    std::uint64_t seed = 1;
    std::uint64_t evaluations = 5'000;   ///< the most schedules to evaluate; 0: no limit
    std::optional<double> seconds = {};  ///< the longest time
    std::uint32_t threads = 1;           ///< the result is the same for any number
    ParameterValues parameters = {};     ///< as given; defaults are filled in
    std::stop_token stop = {};           ///< the best schedule so far is the result
    ProgressObserver observer = {};      ///< of strategies with generations
    /// Processes that run the same request together, for strategies with islands; null: this process is alone.
    random_keys::Team* team = nullptr;
};

struct Strategy {
    std::string name;           ///< "list", "brkga"
    std::string title;          ///< how people call it: "HLFET list scheduling"
    std::string description;    ///< what it does, and its source
    bool isRandomized = false;  ///< whether the result depends on the seed, and evaluations are counted
    bool hasIslands = false;    ///< whether several processes can share the work; others ignore the team
    std::vector<ParameterInfo> parameters = {};
    Result<Placement> (*run)(const schedule::Problem& problem, const Request& request) = nullptr;
};

[[nodiscard]] const std::vector<Strategy>& strategies();
/// The name under which the usual strategy for an objective stands in the list.
inline constexpr std::string_view UsualStrategy = "brkga";
/// Fails for a name that is not in the list.
[[nodiscard]] Result<Strategy> findStrategy(std::string_view name);
/// Runs a strategy with the parameters checked. Fails as it does, and if a team has more processes than the search has islands.
[[nodiscard]] Result<Placement> place(const Strategy& strategy, const schedule::Problem& problem, Request request);

}  // namespace mitos::search::placement
