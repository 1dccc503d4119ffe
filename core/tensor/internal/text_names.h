// SPDX-License-Identifier: GPL-3.0-or-later
// Words and names of listings, for their printer and their reader. Private to core/tensor.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>

namespace mitos::tensor {

inline constexpr std::string_view GraphWord = "graph";
inline constexpr std::string_view WeightWord = "weight";
inline constexpr std::string_view ReturnWord = "return";
inline constexpr std::string_view AbsentWord = "_";

/// Whether names without quotes may contain the character.
[[nodiscard]] bool isNameCharacter(char c);
/// The name as listings write it: in quotes if it would not be read as a name otherwise.
[[nodiscard]] std::string quoted(std::string_view name);
/// The text in quotes, always.
[[nodiscard]] std::string inQuotes(std::string_view text);

/// Unique names for the nodes of one listing.
class NodeNames {
public:
    explicit NodeNames(const ir::TermBank& bank) : m_bank(bank) {}

    /// The name that the term was given; empty if it has none.
    [[nodiscard]] std::string_view find(ir::TermId term) const;
    /// Gives the term this name, or a similar one if it is taken.
    std::string_view give(ir::TermId term, std::string wanted);
    /// Gives the term a name from its hint, else from its operator.
    std::string_view give(ir::TermId term);

private:
    const ir::TermBank& m_bank;
    absl::flat_hash_map<ir::TermId, std::string> m_names;
    absl::flat_hash_set<std::string> m_taken;
    absl::flat_hash_map<std::string, int> m_next;  ///< number to try next, by name
};

}  // namespace mitos::tensor
