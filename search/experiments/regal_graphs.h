// SPDX-License-Identifier: GPL-3.0-or-later
// The test sets of the REGAL experiment, as scheduling problems.
#pragma once

#include "core/schedule/problem.h"
#include "search/experiments/regal.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// The first seed of the test graphs: far from those of training, which begin at 1, and from those that policies are tried on while they
/// are developed (tests/bench/bench_policy.cpp).
inline constexpr std::uint64_t FirstUnseenSeed = 2'000'001;

/// May be used by several threads at once.
class RegalGraphs {
public:
    explicit RegalGraphs(const RegalPlan& plan);

    /// Number below RegalPlan::graphCount().
    [[nodiscard]] std::string name(RegalSet set, std::uint32_t number) const;
    /// The operations of a graph.
    [[nodiscard]] std::size_t operations(RegalSet set, std::uint32_t number) const;
    /// The graph on the task's machine. For Capped, a search for the least memory says what a device has. Fails if the graph is no problem, and with
    /// Cancelled after a stop.
    [[nodiscard]] Result<schedule::Problem> problem(RegalTask task, RegalSet set, std::uint32_t number,
                                                    const std::stop_token& stop) const;

private:
    [[nodiscard]] const NamedTaskGraph& entry(RegalSet set, std::uint32_t number) const;
    [[nodiscard]] Result<std::uint64_t> memoryFor(RegalSet set, std::uint32_t number,
                                                  const std::stop_token& stop) const;

    const RegalPlan& m_plan;
    std::vector<NamedTaskGraph> m_unseen;
    std::vector<NamedTaskGraph> m_noisy;
    mutable std::mutex m_mutex;
    mutable std::map<std::pair<RegalSet, std::uint32_t>, std::uint64_t> m_memory;
};

}  // namespace mitos::search::experiments
