// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes that each step of a tensor program's thread creates, and the nodes whose values it needs; the weights among them that their
// element type cannot hold. Private to core/eval.
#pragma once

#include "core/eval/internal/graph_effort.h"
#include "core/eval/verify/verify.h"
#include "core/ir/shared.h"
#include "core/ir/term_bank.h"
#include "core/tensor/evaluate.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mitos::eval {

/// A node, and the node whose value it has. They differ for nodes that are new only because something below them was replaced: the origin
/// is then the node that they replace.
struct NodeUse {
    ir::TermId node;
    ir::TermId origin;
};

/// One step. Nodes above the places are new terms too, but have the values of the nodes that they replace.
struct StepRegion {
    std::vector<NodeUse> before;       ///< replaced, one per position
    std::vector<ir::TermId> after;     ///< the nodes that replace them
    std::vector<ir::TermId> interior;  ///< nodes of `after` that are not in the state before
    std::vector<NodeUse> frontier;     ///< nodes of the state before that they need, without leaves
    Effort effort;                     ///< of the interior and of the nodes before
    std::string obstacle;              ///< why the step cannot be followed; empty if it can
};

/// The regions of all steps.
class StepRegions {
public:
    StepRegions(const ir::TermBank& bank, const ir::Program& start, const std::vector<VerifyStep>& steps);

    [[nodiscard]] const StepRegion& operator[](std::size_t step) const { return m_regions[step]; }
    /// The last step that needs the value of an origin. 0 if no step needs it (0 is then not a step; see isUsed).
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

/// Detects steps that do the same in different places, as layers repeat: encodes the computation between the cuts and the nodes, up to the identity of the cuts and the names of inputs and weights: nodes with
/// equal keys have equal values if these have equal numbers. Keys are comparable within one bank.
[[nodiscard]] std::vector<std::uint32_t> regionKey(const ir::TermBank& bank, std::span<const ir::TermId> nodes,
                                                   std::span<const ir::TermId> cuts);

/// Among the nodes that a step creates, the topmost ones that depend on weights alone and have floating-point elements.
[[nodiscard]] std::vector<ir::TermId> newWeights(const ir::TermBank& bank, const StepRegion& region);

/// Describes the first weights in `fresh` (newWeights() of the region, with values in `made`) that cannot be held (tensor::isHeld). Empty
/// if all can be held, or if the state before already has such weights at these places.
[[nodiscard]] std::optional<std::string> lostWeights(const ir::TermBank& bank, const StepRegion& region,
                                                     const std::vector<ir::TermId>& fresh,
                                                     const tensor::NodeValues& made, const tensor::Weights& weights,
                                                     const tensor::EvaluateOptions& options);

}  // namespace mitos::eval
