// SPDX-License-Identifier: GPL-3.0-or-later
// What each step of a tensor program's thread makes anew, and whose values it needs. Private to core/eval.
#pragma once

#include "core/eval/graph_effort.h"
#include "core/eval/verify.h"
#include "core/ir/shared.h"

#include <absl/container/flat_hash_map.h>

#include <utility>
#include <vector>

namespace mitos::eval {

/// A node, and the node whose value it has: of nodes that are new only because something below them was replaced, the one
/// that they stand for.
struct NodeUse {
    ir::TermId node;
    ir::TermId origin;
};

/// One step. Nodes above the places are new terms too, but have the values of those that they stand for.
struct StepRegion {
    std::vector<NodeUse> before;       ///< replaced, one a position
    std::vector<ir::TermId> after;     ///< what took their places
    std::vector<ir::TermId> interior;  ///< nodes of `after` that the state before does not have
    std::vector<NodeUse> frontier;     ///< nodes of the state before that they need, without leaves
    Effort effort;                     ///< of the interior and of the nodes before
    std::string obstacle;              ///< why the step cannot be followed; empty: it can
};

/// The regions of all steps.
class StepRegions {
public:
    StepRegions(const ir::TermBank& bank, const ir::Program& start, const std::vector<VerifyStep>& steps);

    [[nodiscard]] const StepRegion& operator[](std::size_t step) const { return m_regions[step]; }
    /// The last step that needs the value of an origin; 0, and no step at all, where none does.
    [[nodiscard]] std::size_t lastUse(ir::TermId origin) const;
    [[nodiscard]] bool isUsed(ir::TermId origin) const { return m_lastUse.contains(origin); }
    /// The nodes of the start whose values are needed.
    [[nodiscard]] const std::vector<ir::TermId>& neededOfStart() const { return m_neededOfStart; }

private:
    [[nodiscard]] StepRegion region(ir::TermId before, const VerifyStep& step);
    void findNew(const ir::SharedNodes& before, StepRegion& region) const;
    bool follow(const ir::SharedNodes& before, ir::TermId after, const StepRegion& region);
    [[nodiscard]] ir::TermId origin(ir::TermId node) const;

    const ir::TermBank& m_bank;
    std::vector<StepRegion> m_regions;
    absl::flat_hash_map<ir::TermId, ir::TermId> m_origin;
    absl::flat_hash_map<ir::TermId, std::size_t> m_lastUse;
    std::vector<ir::TermId> m_neededOfStart;
};

}  // namespace mitos::eval
