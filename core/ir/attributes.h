// SPDX-License-Identifier: GPL-3.0-or-later
// Values of the attributes of an operator that a rule file declares (`op conv[stride, mode](x, w)`): what a term carries
// that is no input of it (PyPM, section 2). A payload keeps them as one text, "2$same", as they are written in ks
// programs too: (conv$2$same x w).
#pragma once

#include "core/ir/term_bank.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ir {

/// The single values, in the order of OperatorInfo::attributes. The views are into `text`.
[[nodiscard]] std::vector<std::string_view> attributeValues(std::string_view text);

/// The payload that carries the values; none of them may be empty or contain '$' (attributeText makes such).
[[nodiscard]] Payload attributesPayload(TermBank& bank, std::span<const std::string> values);

/// A value as the literal it stands for: an Integer, a Float, a Bool, a tuple of such for a list ("[1,1]"), else a
/// String.
TermId attributeLiteral(TermBank& bank, std::string_view value);

/// The value that a literal, or a tuple of literals, stands for: the inverse of attributeLiteral. Nothing for what is no literal, for Floats that
/// are not finite, and for Strings that are no word (letters, digits, _ . + - * / ( ) :) or that read as something else (true,
/// 12).
[[nodiscard]] std::optional<std::string> attributeText(const TermBank& bank, TermId literal);

}  // namespace mitos::ir
