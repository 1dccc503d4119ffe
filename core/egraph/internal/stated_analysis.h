// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses that rule files state, as e-class analyses. Private to core/egraph.
#pragma once

#include "core/egraph/class_analysis.h"
#include "core/egraph/egraph.h"
#include "core/rules/matching/term_analysis.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::egraph {

/// The fact of a class is a *witness*: a term of the class of which the analysis by itself knows most. So a step that relies on a fact is an
/// instance of its rule with the witness in place of another term of the class, and the checker, which knows nothing of the graph, sees the
/// same. Two values that together say more than each are not combined, because no term would show it; the smaller witness is kept then.
class StatedAnalysis final : public ClassAnalysis {
public:
    StatedAnalysis(ir::TermBank& bank, std::shared_ptr<const rules::CompiledAnalysis> analysis);

    /// From now on, classes get the constants that are known of them, by this rule, which is registered in the graph.
    void foldBy(std::shared_ptr<const EGraphRule> rule) { m_fold = std::move(rule); }
    [[nodiscard]] const std::shared_ptr<const rules::CompiledAnalysis>& stated() const { return m_stated; }

    [[nodiscard]] Fact make(EGraph& graph, ENodeId node, std::span<const Fact> children) override;
    [[nodiscard]] Fact join(Fact a, Fact b) override;
    void settle(EGraph& graph, ENodeId eclass) override;
    [[nodiscard]] std::shared_ptr<ClassAnalysis> copy(ir::TermBank& bank) const override;

private:
    /// Unites the term, of which a constant is known, with the constant.
    void fold(EGraph& graph, ir::TermId witness);

    std::shared_ptr<const rules::CompiledAnalysis> m_stated;
    rules::TermAnalysis m_terms;
    std::shared_ptr<const EGraphRule> m_fold;
    /// Witnesses of one class of which different things are known: both are folded, so that the graph has the contradiction.
    std::vector<std::pair<ir::TermId, ir::TermId>> m_conflicts;
};

/// Attaches to the graph the analyses that the rules ask for or fold by, but for the rules that are left out; those that are attached
/// already stay.
void attachAnalyses(EGraph& graph, const std::vector<std::shared_ptr<const EGraphRule>>& rules,
                    const std::vector<bool>& isOut);
/// The number of the analysis in the graph; nothing if it is not attached.
[[nodiscard]] std::optional<std::size_t> attached(const EGraph& graph, const rules::CompiledAnalysis& analysis);

}  // namespace mitos::egraph
