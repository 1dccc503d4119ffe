// SPDX-License-Identifier: GPL-3.0-or-later
// Rules applied to an e-graph one at a time, for searches that try sequences of them.
#pragma once

#include "core/egraph/runner.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::egraph {

class Applications;

/// Applies rules to one graph, each to all of its matches, as an iteration of saturate() with that rule alone does. The graph may be
/// marked and undone in between; what was computed for the rules stays valid.
class RuleSteps {
public:
    /// The graph must be clean, and outlive this object. Of the options, those for cycles, roots and limits count, except the number of
    /// iterations.
    RuleSteps(EGraph& graph, const std::vector<std::shared_ptr<const EGraphRule>>& rules,
              const SaturationOptions& options, std::stop_token stop);
    RuleSteps(const RuleSteps&) = delete;
    RuleSteps& operator=(const RuleSteps&) = delete;
    ~RuleSteps();

    /// Whether the rule matches somewhere; a rule with several roots, whether they match together.
    [[nodiscard]] bool hasMatch(std::uint32_t rule);

    enum class Outcome : std::uint8_t {
        Unchanged,  ///< nothing became equal, or a contradiction would follow; the graph is as before
        Changed,
        Full,  ///< the limit of e-nodes or of memory ended the application; the graph has what was applied until then
        Interrupted,  ///< by the stop or the time limit; the graph is as before
    };
    /// Applies the rule. `seconds`: the time limit.
    Outcome apply(std::uint32_t rule, std::optional<double> seconds = {});

private:
    EGraph& m_graph;
    std::unique_ptr<Applications> m_applications;
    IterationReport m_report;  // of the last application
};

}  // namespace mitos::egraph
