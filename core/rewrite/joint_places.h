// SPDX-License-Identifier: GPL-3.0-or-later
// Where rules with several roots may match in a graph.
#pragma once

#include "core/rewrite/local_rewrites.h"
#include "core/rules/multi_rule.h"

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

/// Nodes of a graph that agree in what the roots of a rule share, found by a join on the shared variables. What root number i
/// finds at a term depends on the term alone and is remembered, so a state costs its join. (rules/multi_matcher.h joins the
/// places of e-graphs, which stand for other terms from time to time.) Belongs to one thread.
class JointPlaces {
public:
    /// Those of the rules that have several roots; they must outlive this.
    JointPlaces(ir::TermBank& bank, const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules);

    [[nodiscard]] bool isEmpty() const { return m_rules.empty(); }
    /// Calls `found` with tuples of different nodes, in the order of the roots of a rule (an index into the rules), which may
    /// match there; `found` says whether it does. Of one set of nodes only the first order at which it does is given: two
    /// products are merged with one as the first or with the other. Rules come in their order, tuples in that of the
    /// nodes. False if `goOn`, asked at every node and every few tuples, said no.
    bool forEach(std::span<const ir::TermId> nodes, absl::FunctionRef<bool(ir::TermId tuple, std::uint32_t rule)> found,
                 absl::FunctionRef<bool()> goOn);

private:
    using Values = absl::InlinedVector<ir::TermId, 6>;
    struct SharedRule {
        const rules::MultiRule* rule;
        std::uint32_t index;                         ///< among all rules given
        std::vector<rules::VarIndex> shared;         ///< variables that the matches of several roots bind
        std::vector<std::vector<std::size_t>> keys;  ///< by root: those of them that it and a root before it bind
    };
    /// A match of one root, as far as others must agree with it.
    struct Partial {
        std::uint32_t rule;
        std::uint32_t root;
        Values shared;  ///< invalid: not this root's
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
