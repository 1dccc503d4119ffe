// SPDX-License-Identifier: GPL-3.0-or-later
// Where in a program its cost can still be reduced, as a value function estimates it for every part of the program.
#pragma once

#include "search/rewriting/value.h"

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search {

/// Bounds of the work for a map. What they exclude has no number, or is an error that names the bound.
struct GainLimits {
    std::uint64_t nodes = 20'000;  ///< of the program; a larger one is an error
    std::uint64_t part = 2'000;    ///< nodes of a part; larger parts have no number
    std::uint64_t allParts =
        10'000'000;  ///< nodes of all parts together, the smallest parts first; the others have no number
};

/// The gain in the parts of a program. Nodes are numbered as ir::NodePlaces does: occurrences in pre-order, of a graph its nodes at their
/// first paths.
///
/// The *gain* in a node is the cost reduction that the value function expects of the node's subterm as a program of its own, times the
/// number of runs of the node in the program (cost::CostPart::times). It is in the unit of the cost model and never negative. The variables
/// that are bound outside of the subterm count as parameters of it.
///
/// A part contains what its own parts can gain, so the gains alone mark the whole path from the root to a place. The gain that *arises* in
/// a node is therefore its gain minus that of its operands: it needs the node as a whole, such as the binding of an expression that two
/// operands have in common. This tells where there is something to gain, and it is drawn as heat: as a share of the largest
/// gain that arises in a node of the program, so that equal heat means equally much, wherever it is.
///
/// A node has no number if it is a function (which is counted where it runs), if it is too large (GainLimits), or if the value function
/// returned no finite number. Its operands then count as operands of the nodes above it.
class GainMap {
public:
    /// `gains`: a row for each node, a column for each of the steps; NaN where there is no number. `operands`: of each node, the nodes with
    /// a number whose gains it contains. `large`: number of nodes that GainLimits exclude.
    GainMap(TimesLeft steps, std::vector<double> costs, std::vector<double> gains,
            std::vector<std::vector<std::uint32_t>> operands, std::size_t large);

    [[nodiscard]] TimesLeft steps() const { return m_steps; }
    [[nodiscard]] std::size_t size() const { return m_costs.size(); }
    /// What the node's subterm contributes to the cost of the program; in a graph, the node alone.
    [[nodiscard]] double cost(std::size_t node) const { return m_costs[node]; }
    /// Within that many steps, which must be in the range steps().
    [[nodiscard]] std::optional<double> gain(std::size_t node, std::uint32_t steps) const;
    [[nodiscard]] std::optional<double> arising(std::size_t node, std::uint32_t steps) const;
    /// The largest gain that arises in a node; 0 if there is none.
    [[nodiscard]] double largest(std::uint32_t steps) const { return m_largest[steps - m_steps.least]; }
    /// arising() as a share of largest(), 0…1; 0 if nothing can be gained. Nothing if the node has no number.
    [[nodiscard]] std::optional<double> heat(std::size_t node, std::uint32_t steps) const;
    /// Nodes without a number because of GainLimits.
    [[nodiscard]] std::size_t large() const { return m_large; }

private:
    [[nodiscard]] std::optional<double> at(const std::vector<double>& table, std::size_t node,
                                           std::uint32_t steps) const;

    TimesLeft m_steps;
    std::vector<double> m_costs;
    std::vector<double> m_gains;    // a row for each node
    std::vector<double> m_arising;  // likewise
    std::vector<double> m_largest;  // by steps
    std::size_t m_large = 0;
};

/// The map of the problem's program for the value function named by the problem's parameter `value`, one of `values`. Of its other parameters
/// those that are not given have their defaults, except `discount`: later savings count in full, so that gains are differences of costs. The
/// budget is not used. Each distinct subterm is valued once, many in a call.
///
/// Fails if there is no such value function, if it cannot be made or has no estimates for such programs, if the cost model cannot price the
/// program, or if the program is too large; and with Cancelled if a stop is requested. `progress` receives shares of the work, 0…1.
[[nodiscard]] Result<GainMap> gainMap(
    const ValueInfos& values, const SearchProblem& problem, TimesLeft steps, const GainLimits& limits = {},
    const std::stop_token& stop = {}, absl::FunctionRef<void(double)> progress = [](double) {});

}  // namespace mitos::search
