// SPDX-License-Identifier: GPL-3.0-or-later
// The genetic algorithm as the task that a policy is trained for.
#pragma once

#include "search/learned/reinforce.h"
#include "search/placement/genetic.h"
#include "search/placement/policy_model.h"

#include <memory>
#include <vector>

namespace mitos::search::placement {

/// The searches whose schedules are imitated.
struct Examples {
    std::uint32_t searches = 2;  ///< for each graph, with different seeds
    std::uint64_t evaluations = 20'000;
};

/// Costs are the run times or peaks that the search finds with the distributions of choices. The first problems are trained on.
class PolicyTask final : public learned::Task {
public:
    /// `search` has resolved parameters of the genetic algorithm, the objective and the number of evaluations; its seed does not count. Trials run on
    /// `jobs` threads, with the same costs for any number. Fails if there are not enough problems, if one has another number of
    /// devices than the model, if its objective is 0 whatever the schedule is, and if a search fails.
    [[nodiscard]] static Result<std::unique_ptr<PolicyTask>> make(std::vector<schedule::Problem> problems,
                                                                  std::size_t trainingCount, const PolicyModel& model,
                                                                  Request search, unsigned jobs,
                                                                  const Examples& examples = {});

    [[nodiscard]] std::size_t trainingCount() const override { return m_trainingCount; }
    [[nodiscard]] std::size_t graphCount() const override { return m_problems.size(); }
    [[nodiscard]] learned::GraphView graph(std::size_t number) const override { return m_graphs[number].view(); }
    [[nodiscard]] Result<std::vector<double>> costs(std::span<const learned::Trial> trials,
                                                    const std::stop_token& stop) override;
    /// By valuesOfChoices() for the schedules of long searches by the strategy "brkga", which are made when they are first asked for.
    [[nodiscard]] Result<std::vector<std::span<const float>>> values(std::span<const std::size_t> graphs,
                                                                     const std::stop_token& stop) override;
    [[nodiscard]] const schedule::Problem& problem(std::size_t number) const { return m_problems[number]; }
    /// The cost of one search with these distributions.
    [[nodiscard]] Result<double> cost(std::size_t graph, random_keys::MutantDistributions mutants, std::uint64_t seed,
                                      const std::stop_token& stop) const;

private:
    PolicyTask() = default;

    std::vector<schedule::Problem> m_problems;
    std::vector<PolicyGraph> m_graphs;
    std::vector<GeneticStarts> m_starts;
    std::size_t m_trainingCount = 0;
    Decode m_decode = Decode::Paper;
    std::vector<random_keys::Beta> m_betas;
    Request m_search;
    unsigned m_jobs = 1;
    Examples m_examples;
    std::vector<std::vector<float>> m_values;  ///< by graph; empty where they are not known yet
};

}  // namespace mitos::search::placement
