// SPDX-License-Identifier: GPL-3.0-or-later
// The successors of states that are graphs. Private to SuccessorIndex.
#pragma once

#include "core/rewrite/local_rewrites.h"
#include "core/rewrite/rewriter.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::rewrite {

/// A state one rewrite away from another, not built. Good as long as the index lives, for the state it was found at.
struct Successor {
    std::uint32_t number = 0;  ///< of the rewrite among all those of the state, in the rewriter's fixed order
    std::uint32_t rule = 0;    ///< index into the rules
};

/// Rewrites at a node depend on the node alone and are remembered for each distinct term; which nodes a state has is found by
/// a walk, so a state costs its nodes. As a rewrite changes everything above its node, there is nothing to count below terms as in
/// trees. Successors that replace the same node by the same term are listed once; others may still have equal results,
/// which whoever builds them sees.
class GraphSuccessors {
public:
    GraphSuccessors(LocalRewrites local, RewriteLimits limits) : m_local(std::move(local)), m_limits(limits) {}

    std::optional<std::uint64_t> list(ir::TermId root, std::vector<Successor>& successors,
                                      absl::FunctionRef<bool()> goOn);
    [[nodiscard]] ir::TermId build(ir::TermId root, Successor successor);
    [[nodiscard]] std::optional<Rewrite> find(ir::TermId root, ir::TermId result);
    [[nodiscard]] std::size_t bytes() const;

private:
    struct Local {
        ir::TermId replacement;
        std::uint32_t rule;
    };
    struct Entry {
        std::uint32_t firstLocal = 0;
        std::uint32_t localCount = 0;
    };
    /// A node of the state looked at last, at which rules match.
    struct Place {
        std::uint32_t firstNumber = 0;
        ir::TermId node;
    };

    [[nodiscard]] Entry known(ir::TermId term);
    bool visit(ir::TermId root, absl::FunctionRef<bool()> goOn);
    [[nodiscard]] const Place& placeOf(std::uint32_t number) const;

    static constexpr std::uint32_t Unknown = 0xFFFFFFFF;

    LocalRewrites m_local;
    RewriteLimits m_limits;
    std::vector<std::uint32_t> m_entryOf;  // by term id
    std::vector<Entry> m_entries;
    std::vector<Local> m_locals;
    // Of the state looked at last: searches list a state and then build many of its successors.
    std::optional<ir::SharedNodes> m_state;
    std::vector<Place> m_places;
};

}  // namespace mitos::rewrite
