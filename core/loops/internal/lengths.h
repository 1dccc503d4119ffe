// SPDX-License-Identifier: GPL-3.0-or-later
// Lengths of vectors of Floats that follow from terms alone. Private to core/loops.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::loops {

/// The lengths of a vector of vectors of Floats, outermost first, negative where one is not known; none of a number. Rows have one length.
using Lengths = std::vector<std::int64_t>;

/// Whether all lengths are known.
[[nodiscard]] bool areKnown(const Lengths& lengths);

/// Tells lengths of values, if the values exist. Nothing is told of values that are no vectors of vectors of Floats, or that the walk does not follow.
class KnownLengths {
public:
    explicit KnownLengths(const ir::TermBank& bank) : m_bank(bank) {}

    /// The lengths of a value that a declared type states.
    [[nodiscard]] std::optional<Lengths> ofType(ir::TypeId declared) const;
    /// The lengths of what a function gives, for arguments of its parameters' types.
    std::optional<Lengths> ofResult(ir::FunctionId function);
    /// The lengths of a term. `outside` tells those of a free variable, of a bound one by its index outside of the term, and of a part.
    using Outside = absl::FunctionRef<std::optional<Lengths>(ir::TermId place, std::uint32_t index)>;
    std::optional<Lengths> of(ir::TermId term, Outside outside);

private:
    std::optional<Lengths> walk(ir::TermId term, Outside outside);
    std::optional<Lengths> ofVector(ir::TermId size, std::optional<Lengths> element) const;
    std::optional<Lengths> below(ir::TermId term, std::optional<Lengths> variable, Outside outside);

    const ir::TermBank& m_bank;
    std::vector<std::optional<Lengths>> m_bound;
    absl::flat_hash_map<ir::FunctionId, std::optional<Lengths>> m_results;  ///< nothing while one is looked for
};

}  // namespace mitos::loops
