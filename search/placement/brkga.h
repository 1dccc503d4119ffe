// SPDX-License-Identifier: GPL-3.0-or-later
// Placement and scheduling by a biased random-key genetic algorithm (REGAL paper, section 2).
#pragma once

#include "search/placement/placement.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mitos::search::placement {

/// The meaning of the keys.
enum class Decode {
    /// The chromosome of the paper: for each operation an affinity to each device, of which the highest decides, then a priority for each operation,
    /// then one for each transfer (left out where transfers are instant and have none).
    Paper,
    /// A priority for each operation alone, which goes to the device where it ends first. The best for run time.
    EarliestFinish,
};

struct BrkgaOptions {
    Objective objective = Objective::Runtime;
    Decode decode = Decode::EarliestFinish;
    random_keys::Settings settings = {};
    /// Whether individuals that decode to the schedule of a better one of their generation rank behind all others, so that the elites are different
    /// schedules. Schedules are equal if each operation ends at the same time and the same operations share a device.
    bool ranksDuplicatesLast = false;
    /// Whether each schedule is shifted to the right and back to the left (justified), and its keys are replaced by those of the result if that
    /// is shorter. It applies to run time with Decode::EarliestFinish on several devices, with instant transfers and without a limit of
    /// memory. A justified schedule is three evaluations: two more are made on its way. The rest of a limit that is no multiple of three is
    /// not used, but counted; with a limit below three, nothing is justified.
    /// Source: Valls, Ballestín and Quintanilla, "Justification and RCPSP: a technique that pays", 2005.
    bool justifies = false;
    std::uint32_t threads = 1;  ///< the result is the same for any number
    std::vector<schedule::Schedule> starts =
        {};  ///< schedules of heuristics, which become individuals of the first generation; in a team those of the first rank
    /// A file for the state, random_keys::Checkpoint: the search goes on from it if it exists, and saves its state there. Empty: none.
    std::string checkpoint = {};
    random_keys::Team* team = nullptr;  ///< processes that share the islands; null: this one has all of them
};

/// Keys of a chromosome.
[[nodiscard]] std::size_t geneCount(const schedule::Problem& problem, Decode decode);

/// The schedule that keys mean.
[[nodiscard]] schedule::Schedule decoded(const schedule::Problem& problem, Decode decode, std::span<const float> keys);

/// The same for keys that mean equal schedules, in the sense of BrkgaOptions::ranksDuplicatesLast; never 0.
[[nodiscard]] std::uint64_t decodedHash(const schedule::Problem& problem, Decode decode, std::span<const float> keys);

/// Keys that mean the schedule, as far as the decode can express it: affinities of 1 to the device of the schedule and 0 to others, and
/// priorities by the order in which the performance model starts things.
[[nodiscard]] std::vector<float> encoded(const schedule::Problem& problem, Decode decode,
                                         const schedule::Schedule& schedule);

/// The best schedule found within the limits; in a team the same one on all ranks. Fails as random_keys::start() and the team do, for starts that are no schedules of the problem, for a checkpoint that cannot be read or written or belongs to another search,
/// and if the limits do not allow a single evaluation.
[[nodiscard]] Result<Placement> searchByRandomKeys(const schedule::Problem& problem, const BrkgaOptions& options,
                                                   const random_keys::Limits& limits,
                                                   const ProgressObserver& observer = {});

}  // namespace mitos::search::placement
