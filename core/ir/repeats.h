// SPDX-License-Identifier: GPL-3.0-or-later
// Finds parts of a graph that occur several times, such as the layers of a network.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

namespace mitos::ir {

/// A part of a graph and its copies: equal operators with equal types and equal edges among them. Weights and what else comes from outside
/// may differ. Copies do not overlap, and each is convex: no path leads out of it and back.
struct RepeatedPart {
    /// The operators (nodes with children) of each copy, children before their parents; those with the same index correspond. At least two
    /// copies.
    std::vector<std::vector<TermId>> copies;
};

/// The parts that are repeated one after the other in an order of evaluation, those that cover most operators first; of at least four
/// operators, and disjoint. Looks at most 32 times at what is left, each time at parts of up to 512 operators.
[[nodiscard]] std::vector<RepeatedPart> repeatedParts(const TermBank& bank, TermId root);

/// The first copy of a repeated part as a program: what comes from outside, except constants, is its parameters; what is used outside is its
/// results.
struct PartProgram {
    Program program;
    /// For each copy: the nodes of the whole graph for the nodes of `program`, except for a tuple of results.
    std::vector<absl::flat_hash_map<TermId, TermId>> images;
};

/// The names of the parameters of such a program.
enum class PartNames : std::uint8_t {
    Numbered,  ///< x1, x2, …
    OfValues,  ///< those that the values have in the whole program, as far as they have one; made different where two are equal
};

/// Parameters are in the order of their first uses by the nodes of the first copy, results in the order of these nodes. Fails if the part has
/// no result.
[[nodiscard]] Result<PartProgram> programOf(TermBank& bank, const Program& whole, const RepeatedPart& part,
                                            PartNames names = PartNames::Numbered);

}  // namespace mitos::ir
