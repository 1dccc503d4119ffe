// SPDX-License-Identifier: GPL-3.0-or-later
// Finds where rules with several roots may match in a graph.
#pragma once

#include "core/rewrite/local_rewrites.h"
#include "core/rules/language/compiled.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mitos::rewrite {

/// Finds tuples of nodes that agree on the variables shared by the roots of a rule, by a join on these variables. The matches of
/// a root at a term depend on the term alone and are cached, so a state costs only its join. (rules/multi_matcher.h joins the
/// places of e-graphs, which may represent other terms when the graph changes.) Must be used from one thread only.
class JointPlaces {
public:
    /// Takes those of the rules that have several roots; they must outlive this object.
    JointPlaces(ir::TermBank& bank, const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules);

    [[nodiscard]] bool isEmpty() const { return m_rules.empty(); }
    /// Calls `found` with tuples of different nodes, in the order of the roots, and with the index of a rule that may match there;
    /// `found` returns whether it does. For one set of nodes, the orders after the first one that matches are skipped: two products, say,
    /// could be merged with either as the first. Rules come in their order, tuples in that of the nodes. Returns false if `goOn`, which is
    /// called at every node and every few tuples, returned false.
    bool forEach(std::span<const ir::TermId> nodes, absl::FunctionRef<bool(ir::TermId tuple, std::uint32_t rule)> found,
                 absl::FunctionRef<bool()> goOn);

private:
    using Values = absl::InlinedVector<ir::TermId, 6>;
    struct SharedRule {
        std::span<const rules::RuleRoot> roots;
        std::uint32_t index;                         ///< among all rules given
        std::vector<rules::VarIndex> shared;         ///< variables that the matches of several roots bind
        std::vector<std::vector<std::size_t>> keys;  ///< by root: shared variables that it and an earlier root bind
    };
    /// The part of a root's match on which other roots must agree with it.
    struct Partial {
        std::uint32_t rule;
        std::uint32_t root;
        Values shared;  ///< invalid for variables that this root does not bind
    };
    struct Candidate {
        ir::TermId node;
        const Partial* partial;
    };
    struct Join;

    [[nodiscard]] const std::vector<Partial>& partialsOf(ir::TermId node);
    bool join(Join& join, std::size_t root);

    ir::TermBank& m_bank;
    std::vector<SharedRule> m_rules;
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> m_byOperator;  ///< rule and root, by operator id
    absl::flat_hash_map<ir::TermId, std::vector<Partial>> m_partials;
};

}  // namespace mitos::rewrite
