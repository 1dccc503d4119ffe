// SPDX-License-Identifier: GPL-3.0-or-later
// The output of `saturate`: the table of iterations, and the results as text and as JSON.
#pragma once

#include "app/cli/context.h"
#include "core/rewrite/verdict.h"
#include "search/saturation/saturation_run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::cli {

/// The result for a start term.
struct Smallest {
    ir::TermId term;
    std::uint64_t size = 0;                 ///< tree size; for graphs, the number of distinct nodes
    double cost = 0.0;                      ///< under the model
    std::optional<rewrite::Thread> thread;  ///< if reasons are kept
    rewrite::ThreadReport check;            ///< of the thread
    std::optional<extract::CheckedExtraction::Refused> refused;  ///< a cheaper term
    std::vector<double> costs = {};                              ///< of the thread's states
    rewrite::Verdict verdict = {};
    std::optional<rewrite::Verdict> different = {};  ///< on a smaller term that was rejected because its values differ
};

/// The result for a goal.
struct Reached {
    search::SaturationRun::Goal goal;
    std::optional<rewrite::Thread> thread;  ///< if the goal was found and reasons are kept
    std::string threadNote;                 ///< why there is no thread
    std::vector<double> costs = {};         ///< of the thread's states
    rewrite::Verdict verdict = {};          ///< if the goal was found
    std::string reason = {};                ///< if it was not found: why not
    std::vector<std::string> leftOut = {};  ///< likewise: rules that failed their test or could not be tested
};

/// The term of a tree, or the listing of a graph.
[[nodiscard]] std::string textOf(const ir::TermBank& bank, const ir::Program& program);
[[nodiscard]] std::string limitsText(const egraph::Limits& limits);

/// The table of iterations, with the cost of the cheapest programs if it is followed.
void printHead(bool followsCost);
void printIteration(const egraph::SaturationReport& report, bool followsCost);

[[nodiscard]] Json resultsJson(const search::SaturationPlan& plan, bool followsCost, ir::TermBank& bank,
                               const std::vector<ir::Program>& starts, const std::vector<Smallest>& results,
                               const egraph::SaturationReport& report);
[[nodiscard]] Json goalsJson(ir::TermBank& bank, const std::vector<ir::Program>& starts,
                             const std::vector<Reached>& goals);
/// `model` names the cost model; `note` concerns the extraction methods and may be empty.
void printResults(const std::string& model, ir::TermBank& bank, const std::vector<ir::Program>& starts,
                  const std::vector<Smallest>& results, const egraph::SaturationReport& report,
                  const std::string& note);
void printGoal(ir::TermBank& bank, const std::vector<ir::Program>& starts, const Reached& reached);

}  // namespace mitos::cli
