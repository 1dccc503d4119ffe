// SPDX-License-Identifier: GPL-3.0-or-later
// Joins the matches of the roots of a rule on the variables that they share.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>
#include <absl/functional/function_ref.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::rules {

/// A hash join: no cross product is formed for roots that share a variable. The values of variables are numbers, which are equal for
/// values that may stand for each other: terms in a program, classes in an e-graph.
class RootJoin {
public:
    static constexpr std::uint32_t Unbound = 0xFFFFFFFFU;
    using Values = absl::InlinedVector<std::uint32_t, 6>;
    /// Matches of the first roots, by root: the number of a match is the number of matches added before to its root.
    using Tuple = std::span<const std::uint32_t>;

    RootJoin(std::size_t roots, std::size_t variables) : m_roots(roots), m_bound(variables, Unbound) {}

    /// Adds a match of a root with a value for each variable; Unbound for variables that it leaves open.
    void add(std::size_t root, std::span<const std::uint32_t> values, bool isNew = true);
    /// Reports every tuple with a match of each root that agree on all variables, of which at least one is new. Those of the first new
    /// root come first, among these the order is that of the matches. `admits` is called each time a match is added to a tuple, and
    /// `mayGoOn` before. Returns false if `found` or `mayGoOn` did. To be called once.
    bool run(absl::FunctionRef<bool(Tuple)> admits, absl::FunctionRef<bool(Tuple)> found,
             absl::FunctionRef<bool()> mayGoOn);

private:
    struct Root {
        std::vector<std::uint32_t> values;  ///< by match and variable
        std::vector<bool> isNew;            ///< by match
        /// The variables that every match binds, as does every match of some earlier root. A variable that alternates may leave open is
        /// compared match by match.
        std::vector<std::uint32_t> keys;
        /// The matches by the values of `keys`: those that are not new, and those that are.
        std::array<absl::flat_hash_map<Values, absl::InlinedVector<std::uint32_t, 4>>, 2> index;
    };
    struct Calls {
        absl::FunctionRef<bool(Tuple)> admits;
        absl::FunctionRef<bool(Tuple)> found;
        absl::FunctionRef<bool()> mayGoOn;
    };

    void prepare();
    bool joinFrom(std::size_t root, const Calls& calls);
    bool joinWith(std::size_t root, std::uint32_t match, const Calls& calls);

    std::vector<Root> m_roots;
    Values m_bound;            ///< by variable
    std::size_t m_firstNew{};  ///< in this pass: the first root whose match is new
    absl::InlinedVector<std::uint32_t, 4> m_tuple;
};

}  // namespace mitos::rules
