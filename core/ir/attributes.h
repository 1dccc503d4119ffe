// SPDX-License-Identifier: GPL-3.0-or-later
// Attribute values of operators that a rule file declares (`op conv[stride, mode](x, w)`): the data of a term that are not
// inputs (PyPM, section 2). A payload keeps them as one text, "2$same", which is also their form in ks programs:
// (conv$2$same x w).
#pragma once

#include "core/ir/term_bank.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ir {

/// The separate values, in the order of OperatorInfo::attributes. The views point into `text`.
[[nodiscard]] std::vector<std::string_view> attributeValues(std::string_view text);

/// The payload that carries the values. No value may be empty or contain '$'; attributeText returns valid ones.
[[nodiscard]] Payload attributesPayload(TermBank& bank, std::span<const std::string> values);

/// The literal that a value denotes: an Integer, a Float, a Bool, a tuple of these for a list ("[1,1]"), else a String.
TermId attributeLiteral(TermBank& bank, std::string_view value);

/// The value that denotes a literal or a tuple of literals: the inverse of attributeLiteral. Returns nothing for terms that are not
/// literals, for Floats that are not finite, and for Strings that are not a word (letters, digits, _ . + - * / ( ) :) or that would be
/// read as another literal (true, 12).
[[nodiscard]] std::optional<std::string> attributeText(const TermBank& bank, TermId literal);

}  // namespace mitos::ir
