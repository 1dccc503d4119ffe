// SPDX-License-Identifier: GPL-3.0-or-later
// The values of a substitution as words, for keys and stored reasons.
#pragma once

#include "core/rules/rule.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mitos::rules {

/// The term of a value, the number of its sequence's terms, and these.
inline void appendWords(const Binding& value, std::vector<std::uint32_t>& words) {
    words.push_back(value.term.value);
    words.push_back(static_cast<std::uint32_t>(value.sequence.size()));
    for (const ir::TermId element : value.sequence) words.push_back(element.value);
}

/// All values, in order.
inline void appendWords(const Substitution& substitution, std::vector<std::uint32_t>& words) {
    for (const Binding& value : substitution.values) appendWords(value, words);
}

}  // namespace mitos::rules
