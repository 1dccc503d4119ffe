// SPDX-License-Identifier: GPL-3.0-or-later
// Sequences of rules tried on a copy of a run's e-graph, for the tree search that chooses rules (guided_growth.h).
#pragma once

#include "core/base/random.h"
#include "core/egraph/rule_steps.h"
#include "core/extract/content.h"
#include "core/ir/term_bank.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search {

/// The parts of a run that a simulator uses.
struct SimulatorSource {
    egraph::RunInProgress run;
    ir::FunctionId function;
    const cost::CostModel& cost;
    std::vector<egraph::ENodeId> roots;
    std::string method;  ///< of extraction
    extract::Priced priced = extract::Priced::Program;
    std::uint64_t seed = 1;
    /// By rule: rules are tried in the order of these probabilities (ranked_rules.h). Empty: in random order.
    std::vector<double> ranks = {};
    extract::ContentCosts& known;
    std::function<std::optional<double>()> secondsLeft;  ///< any thread may call it
    std::stop_token stop;
};

/// The expansion of a node of the tree by a rule, and a simulation from the child.
struct Trial {
    std::vector<std::uint32_t> path;  ///< the rules that lead from the run's graph to the node
    std::uint64_t key = 0;            ///< of the node: random choices at it and below depend on it only
    /// The rules that may be tried at the node, where it is not known yet which of them match.
    std::vector<std::uint32_t> unchecked = {};
    std::optional<std::uint32_t> rule = {};  ///< to expand the node by; empty: the first of `unchecked` that matches
    std::uint32_t depth = 0;                 ///< the most applications of the simulation
};

/// The same for equal trials on equal graphs, whatever the simulator did before.
struct TrialResult {
    std::optional<std::vector<std::uint32_t>> candidates;  ///< the unchecked rules that match, in the order of trials
    bool isInterrupted = false;                            ///< nothing else counts then
    bool isChanged = false;            ///< otherwise there is no child: the rule did not change the graph
    bool isFull = false;               ///< a limit ended the application, so that nothing was simulated
    std::uint64_t nodes = 0;           ///< e-nodes of the child
    std::vector<std::uint32_t> rules;  ///< that were applied from the node on; the first one leads to the child
    std::vector<double> costs;         ///< of the graphs that they lead to
};

/// The key of the child that a rule leads to.
[[nodiscard]] std::uint64_t childKey(std::uint64_t key, std::uint32_t rule);
/// The reduction of the cost, not below 0; none where a graph could not be priced.
[[nodiscard]] double reduction(double from, double to);

/// Makes trials on its own copy of the run's graph, in its own bank, so that simulators can work side by side. A graph is not copied for a
/// trial: what a trial changed is undone.
class Simulator {
public:
    /// Copies the graph, which must not change meanwhile.
    explicit Simulator(const SimulatorSource& source);

    [[nodiscard]] TrialResult run(const Trial& trial);
    /// The cost of the run's graph.
    [[nodiscard]] double startCost();

private:
    [[nodiscard]] std::optional<double> secondsLeft() const { return m_source.secondsLeft(); }
    [[nodiscard]] bool mayGoOn() const;
    egraph::RuleSteps::Outcome apply(std::uint32_t rule) { return m_steps.apply(rule, secondsLeft()); }
    /// Undoes or applies rules until the graph is that of the path. Returns false if it was interrupted.
    bool goTo(const std::vector<std::uint32_t>& path);
    [[nodiscard]] std::vector<std::uint32_t> matching(const Trial& trial);
    void simulate(const Trial& trial, std::uint64_t key, TrialResult& result);

    struct Applied {
        std::uint32_t rule = 0;
        egraph::EGraph::Mark before;
    };
    SimulatorSource m_source;
    std::unique_ptr<ir::TermBank> m_bank;
    egraph::EGraph m_graph;
    egraph::RuleSteps m_steps;
    extract::GraphPricer m_pricer;
    std::vector<std::uint32_t> m_all;  ///< rules that take part
    std::vector<Applied> m_path;
};

/// Makes the trials, each on one of the simulators, as many at a time as there are simulators. The results are in the order of the trials.
[[nodiscard]] std::vector<TrialResult> runTrials(const std::vector<Trial>& trials,
                                                 std::vector<std::unique_ptr<Simulator>>& simulators);

}  // namespace mitos::search
