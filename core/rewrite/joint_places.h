// SPDX-License-Identifier: GPL-3.0-or-later
// Finds where rules with several roots may match in a graph.
#pragma once

#include "core/rewrite/local_rewrites.h"
#include "core/rules/language/compiled.h"
#include "core/rules/matching/root_join.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mitos::rewrite {

/// Finds tuples of nodes that agree on the variables shared by the roots of a rule, by a join on these variables (rules::RootJoin). The matches of
/// a root at a term depend on the term alone and are cached, so a state costs only its join. (rules/multi_matcher.h joins the
/// places of e-graphs, which may represent other terms when the graph changes.) Must be used from one thread only.
class JointPlaces {
public:
    /// Uses the rules with more than one root; they must outlive this object.
    JointPlaces(ir::TermBank& bank, const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules);

    [[nodiscard]] bool isEmpty() const { return m_rules.empty(); }
    /// Calls `found` with tuples of different nodes, in the order of the roots, and with the index of a rule that may match there;
    /// `found` returns whether it does. For one set of nodes, the orders after the first one that matches are skipped: two products, say,
    /// could be merged with either as the first. Rules come in their order, tuples in that of the nodes. Returns false if `goOn`, which is
    /// called at every node and every few tuples, returned false.
    bool forEach(std::span<const ir::TermId> nodes, absl::FunctionRef<bool(ir::TermId tuple, std::uint32_t rule)> found,
                 absl::FunctionRef<bool()> goOn);

private:
    struct SharedRule {
        std::span<const rules::RuleRoot> roots;
        std::uint32_t index;                  ///< among all rules given
        std::vector<rules::VarIndex> shared;  ///< variables that the matches of more than one root bind
    };
    /// The part of a root's match on which other roots must agree with it.
    struct Partial {
        std::uint32_t rule;
        std::uint32_t root;
        rules::RootJoin::Values shared;  ///< the terms of SharedRule::shared; unbound if this root does not bind them
    };

    [[nodiscard]] const std::vector<Partial>& partialsOf(ir::TermId node);

    ir::TermBank& m_bank;
    std::vector<SharedRule> m_rules;
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> m_byOperator;  ///< rule and root, by operator id
    absl::flat_hash_map<ir::TermId, std::vector<Partial>> m_partials;
};

}  // namespace mitos::rewrite
