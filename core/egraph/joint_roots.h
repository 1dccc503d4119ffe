// SPDX-License-Identifier: GPL-3.0-or-later
// Which classes the roots of a rule with several may stand in together.
#pragma once

#include "core/egraph/egraph.h"
#include "core/egraph/flat_pattern.h"
#include "core/rules/multi_rule.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::egraph {

/// What the roots of a rule with several may be.
enum class RootChoice : std::uint8_t {
    Any,  ///< all matches: facts are members of one class, a rule may join a fact with itself
    /// For programs that are graphs, where rewriting takes different nodes in one order only (rewrite::JointPlaces): the roots
    /// are different classes; where the rule says the same of two of its roots, the first is in the class of the smaller number (as
    /// TENSAT does); and no two roots have a part in common, for what hands out the parts of both computes that part twice.
    Apart,
};

/// Roots of a rule of which the left side says the same: patterns and condition stay what they are when the two trade places.
[[nodiscard]] std::vector<std::vector<bool>> interchangeableRoots(const rules::MultiRule& rule);

/// RootChoice::Apart, asked for one rule.
class ApartRoots {
public:
    explicit ApartRoots(const rules::MultiRule& rule) : m_mayTrade(interchangeableRoots(rule)) {}

    /// Whether the two may be roots of one match. Parts of a class are the
    /// projections of what is computed of it alone: a product that is one Split of a merged product. `Memory` is of one search
    /// on a graph that does not change meanwhile.
    using Parts = absl::InlinedVector<std::uint32_t, 4>;
    using Memory = absl::flat_hash_map<std::uint32_t, Parts>;
    [[nodiscard]] bool admits(const EGraph& graph, RootClass one, RootClass other, Memory& memory) const;

private:
    std::vector<std::vector<bool>> m_mayTrade;
};

}  // namespace mitos::egraph
