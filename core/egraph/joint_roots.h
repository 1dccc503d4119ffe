// SPDX-License-Identifier: GPL-3.0-or-later
// Constrains which classes the roots of a rule with several roots may match together.
#pragma once

#include "core/egraph/egraph.h"
#include "core/egraph/flat_pattern.h"
#include "core/rules/language/compiled.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::egraph {

/// The combinations of classes allowed for the roots of a rule.
enum class RootChoice : std::uint8_t {
    Any,  ///< all matches: facts are members of one class, and a rule may join a fact with itself
    Different,  ///< as in TENSAT: different classes; of two interchangeable roots, the first is in the one with the smaller number
    /// For programs that are graphs, where rewriting visits different nodes in one order only (rewrite::JointPlaces):
    /// the same, and no two roots have a part in common, since a node that provides the parts of both would compute
    /// that part twice.
    Apart,
};

/// Pairs of roots that are interchangeable: patterns and condition are unchanged when the two are swapped.
[[nodiscard]] std::vector<std::vector<bool>> interchangeableRoots(const rules::CompiledRule& rule);

/// Checks RootChoice::Different or Apart for one rule.
class ApartRoots {
public:
    ApartRoots(const rules::CompiledRule& rule, RootChoice choice)
        : m_interchangeable(interchangeableRoots(rule)),
          m_separatesParts(choice == RootChoice::Apart) {}

    /// Whether the two may be roots of one match. The parts of a class are the projections of unary nodes over it, such
    /// as the products that a Split takes out of a merged product. A `Memory` belongs to one search on a graph that
    /// does not change during it.
    using Parts = absl::InlinedVector<std::uint32_t, 4>;
    using Memory = absl::flat_hash_map<std::uint32_t, Parts>;
    [[nodiscard]] bool admits(const EGraph& graph, RootClass one, RootClass other, Memory& memory) const;

private:
    std::vector<std::vector<bool>> m_interchangeable;
    bool m_separatesParts;
};

}  // namespace mitos::egraph
