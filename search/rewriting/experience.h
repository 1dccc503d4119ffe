// SPDX-License-Identifier: GPL-3.0-or-later
// Experience: programs, and the cost reductions that were realized from them. A search and a stored thread give it in one way.
#pragma once

#include "core/base/result.h"
#include "core/cost/cost_model.h"
#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mitos::search {

/// A step between two states, by their numbers.
struct StateEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;

    friend bool operator==(const StateEdge&, const StateEdge&) = default;
};

/// V^target of the Knossos paper (Algorithm 2): for each state the largest cost reduction within 1, 2, … `times` steps along the edges; a row
/// for each state. It is never negative, since a state may stay as it is, and never falls with time. What a step changes counts discount^n if it is the
/// n-th; below 1, states that are nearer to a reduction have more of it, so that a search does not wander among states from which the
/// same can be reached.
[[nodiscard]] std::vector<double> reductionsWithin(std::span<const double> costs, std::span<const StateEdge> edges,
                                                   std::uint32_t times, double discount = 1.0);

/// States that were visited in one search or in several, or those of a thread.
struct Experience {
    std::shared_ptr<const ir::TermBank> bank;
    ir::Program program;  ///< the start
    std::vector<ir::TermId> roots;
    std::vector<double> costs;
    std::vector<StateEdge> edges;
    std::vector<std::vector<float>> hints;  ///< by state, as ValueHints makes them; empty where they are not known
    std::vector<std::uint32_t> examples;    ///< states to learn from; empty: all with a successor

    [[nodiscard]] std::size_t size() const { return roots.size(); }
};

/// A thread with the bank that holds it.
struct StoredThread {
    std::shared_ptr<const ir::TermBank> bank;
    rewrite::Thread thread;
};
/// The states of threads as experience, an Experience for each start program, in the order of the threads: a state that several threads share is one, as is a
/// step that they share. A state whose cost is not a finite number ends its thread. Threads without steps have none.
[[nodiscard]] std::vector<Experience> experienceOf(std::span<const StoredThread> threads, const cost::CostModel& cost);

/// Experiences of one program merged into one, in a bank of its own: states are equal if their terms are.
class MergedExperience {
public:
    /// Adds the states, and the edges between different ones. Returns the numbers that the states have now.
    std::vector<std::uint32_t> add(const Experience& experience);
    /// The states without hints and examples; edges occur once.
    [[nodiscard]] Experience take();

private:
    std::shared_ptr<ir::TermBank> m_bank;
    Experience m_all;
    absl::flat_hash_map<ir::TermId, std::uint32_t> m_numbers;
};

}  // namespace mitos::search
