// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the REGAL paper (Paliwal et al., "Reinforced Genetic Algorithm Learning for Optimizing Computation Graphs", ICLR 2020): its
// tasks, test sets and methods, and the runs that its parts need.
#pragma once

#include "core/schedule/task_graph.h"
#include "search/learned/learned_library.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

inline constexpr std::uint32_t RegalDevices = 2;

/// The quantity that is minimized, on two equal devices with instant transfers.
enum class RegalTask : std::uint8_t {
    Memory,  ///< the peak of the fuller device
    Time,    ///< the run time without a limit of memory
    Capped,  ///< the run time where each device has only a little more than the least peak that a search finds
};
/// The graphs that it is minimized for.
enum class RegalSet : std::uint8_t {
    Unseen,    ///< generated graphs of the four families that nothing is trained on
    Noisy,     ///< variants of these with multiplied durations and sizes
    Networks,  ///< tensor programs, about ten times larger
};
[[nodiscard]] const char* toString(RegalTask task);  ///< "memory", "time", "capped"
[[nodiscard]] const char* toString(RegalSet set);    ///< "unseen", "noisy", "networks"
[[nodiscard]] std::span<const RegalTask> regalTasks();

/// A trained model that a method needs.
enum class RegalRole : std::uint8_t {
    None,
    Regal,     ///< a graph network with messages
    Other,     ///< another one: trained with noise if the one above was not, and without if it was
    Sequence,  ///< a recurrent network over the operations in order (GAS of the paper)
    Random,    ///< trained for searches of one generation (IDRS of the paper)
    Isolated,  ///< a graph network without rounds of messages (T = 0)
    Constant,  ///< the same choices for all operations
    Alone,  ///< as Regal, but of the other kind of features: without those of simple methods if it has them, as in the paper, and else with them
};

/// A method of Table 1, or one to compare them with.
enum class RegalMethod : std::uint8_t {
    PartitionDepthFirst,
    LocalSearch,
    Sequence,
    Brkga,
    TunedBrkga,
    RandomSearch,
    Regal,
    CriticalPath,
    Constant,
    Isolated,
    Alone,
    OtherNoise,
    List,
    WarmStart,
    Usual,
    Exact,
};
enum class RegalGroup : std::uint8_t {
    Paper,    ///< of its Table 1
    Control,  ///< to see where a gain comes from
    Beside,   ///< not in the paper
};
struct RegalMethodInfo {
    RegalMethod method;
    const char* name;   ///< in files: "local-search"
    const char* title;  ///< "Local search"
    RegalGroup group;
    RegalRole role;
    bool isRandomized;  ///< whether there is a run for each seed, and evaluations are limited
};
/// In the order of the enumeration.
[[nodiscard]] std::span<const RegalMethodInfo> regalMethods();
[[nodiscard]] const RegalMethodInfo& infoOf(RegalMethod method);

/// A part of the report.
struct RegalPart {
    const char* name;
    const char* title;
};
[[nodiscard]] std::span<const RegalPart> regalParts();
[[nodiscard]] std::vector<std::string_view> regalPartNames();

/// A task graph with a name for tables.
struct NamedTaskGraph {
    std::string name;
    schedule::TaskGraph graph;
};

struct RegalPlan {
    std::vector<std::string> parts = {};  ///< names; empty: all
    std::uint32_t graphs = 100;           ///< unseen ones
    std::uint32_t seeds = 3;              ///< of each search: 1, 2, …
    std::uint64_t evaluations = 5'000;    ///< of each search
    std::uint32_t variants = 2;           ///< noisy ones of each graph
    double noise = 0.2;                   ///< schedule::withNoise
    /// Each device of RegalTask::Capped has so many times the peak that the genetic algorithm finds for RegalTask::Memory with seed 1.
    double memoryFactor = 1.1;
    double exactSeconds = 2.0;     ///< for each graph
    bool releasesOutputs = false;  ///< schedule::ModelOptions
    std::string models = {};       ///< a folder with trained models; empty: those that come with the program
    std::vector<NamedTaskGraph> networks = {};
    std::string networkUnit = "ms";  ///< of their durations
    unsigned jobs = 1;
    std::string library{learned::LearnedLibrary::FileName};

    [[nodiscard]] bool hasPart(std::string_view name) const;
    /// The evaluations of Figure 3's long searches: ten times the usual ones.
    [[nodiscard]] std::uint64_t longEvaluations() const { return 10 * evaluations; }
    /// The limits of Figure 3 in ascending order, the usual and the long one among them.
    [[nodiscard]] std::vector<std::uint64_t> limits() const;
    [[nodiscard]] std::uint32_t graphCount(RegalSet set) const;
};
/// Fails for parts that do not exist, and for numbers that make no sense.
[[nodiscard]] Status checkPlan(const RegalPlan& plan);

/// The searches of one method on one task and set.
struct RegalKey {
    RegalTask task = RegalTask::Memory;
    RegalSet set = RegalSet::Unseen;
    RegalMethod method = RegalMethod::Brkga;
    std::uint64_t evaluations = 0;  ///< of each search; 0 for methods that are not randomized

    friend auto operator<=>(const RegalKey&, const RegalKey&) = default;
};
/// Those on some graphs of the set, which are one record.
struct RegalRun {
    RegalKey key;
    std::uint32_t first = 0;
    std::uint32_t count = 0;

    [[nodiscard]] std::string name() const;  ///< "memory-unseen-regal-5000-0020"
    friend bool operator==(const RegalRun&, const RegalRun&) = default;
};
/// The key of a method with the plan's evaluations.
[[nodiscard]] RegalKey usualKey(const RegalPlan& plan, RegalTask task, RegalSet set, RegalMethod method);
/// All runs that the plan's parts need, each once; those that need a model included.
[[nodiscard]] std::vector<RegalRun> regalRuns(const RegalPlan& plan);

}  // namespace mitos::search::experiments
