// SPDX-License-Identifier: GPL-3.0-or-later
// The successors of states that are graphs. Private to SuccessorIndex.
#pragma once

#include "core/rewrite/joint_places.h"
#include "core/rewrite/local_rewrites.h"
#include "core/rewrite/rewriter.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mitos::rewrite {

/// A state one rewrite away from another, not built yet. Valid during the lifetime of the index, for the state it was listed for.
struct Successor {
    std::uint32_t number = 0;  ///< of the rewrite among all rewrites of the state, in the rewriter's fixed order
    std::uint32_t rule = 0;    ///< index into the rules
};

/// Lists and builds successors. The rewrites at a node depend on the node alone and are cached for each distinct term; the nodes of a state
/// are found by a traversal, so listing takes time proportional to their number. A rewrite changes everything above its node, so counts
/// below terms are not cached as for trees. Rewrites of rules with several roots depend on the tuple of their nodes alone, are cached
/// by tuple, and come after the others. Successors that replace the same node by the same term are listed once; others may still have
/// equal results, which is detected only when they are built.
class GraphSuccessors {
public:
    GraphSuccessors(ir::TermBank& bank, const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
                    RewriteLimits limits)
        : m_known(LocalRewrites(bank, rules)),
          m_joint(LocalRewrites(bank, rules, LocalRewrites::Roots::Several)),
          m_jointPlaces(bank, rules),
          m_limits(limits) {}

    std::optional<std::uint64_t> list(ir::TermId root, std::vector<Successor>& successors,
                                      absl::FunctionRef<bool()> goOn);
    [[nodiscard]] ir::TermId build(ir::TermId root, Successor successor);
    [[nodiscard]] Rewrite rewrite(ir::TermId root, Successor successor);
    [[nodiscard]] std::size_t bytes() const;

private:
    /// A node of the last visited state at which rules match, or a tuple of nodes at which a rule with several roots matches.
    struct Place {
        std::uint32_t firstNumber = 0;
        ir::TermId node;
        std::optional<std::uint32_t> joint =
            {};  ///< of a tuple: its rule; other rules that match there have places of their own
    };

    [[nodiscard]] ir::TermBank& bank() const { return m_known.local().bank(); }
    [[nodiscard]] std::span<const KnownRewrites::Local> rewritesAt(const Place& place) {
        return place.joint ? m_joint.of(place.node) : m_known.of(place.node);
    }
    [[nodiscard]] std::vector<ir::NodeReplacement> replacementsAt(const Place& place, ir::TermId replacement) const;
    bool visit(ir::TermId root, absl::FunctionRef<bool()> goOn);
    [[nodiscard]] const Place& placeOf(std::uint32_t number) const;

    KnownRewrites m_known;
    KnownRewrites m_joint;  ///< by tuples
    JointPlaces m_jointPlaces;
    RewriteLimits m_limits;
    // The last visited state, kept because searches list a state and then build many of its successors.
    std::optional<ir::SharedNodes> m_state;
    std::vector<Place> m_places;
};

}  // namespace mitos::rewrite
