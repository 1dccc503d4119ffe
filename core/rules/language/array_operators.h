// SPDX-License-Identifier: GPL-3.0-or-later
// Array operators as the rule language sees them: the kinds and defaults of their attributes, and constant arrays.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"

#include <optional>
#include <string>
#include <string_view>

namespace mitos::rules {

/// Whether the operator belongs to the tensor dialect.
[[nodiscard]] bool isOfArrays(const ir::OperatorInfo& info);

// --- attributes of such operators, by their number -------------------------------------------------------------------

/// The text of the attribute's default value; nothing if it has no default.
[[nodiscard]] std::optional<std::string> defaultAttribute(const ir::OperatorInfo& info, std::size_t attribute);
/// Whether the attribute is a Float or a list of Floats, so that a whole number in it denotes a Float.
[[nodiscard]] bool isFloatAttribute(const ir::OperatorInfo& info, std::size_t attribute);
/// The canonical text of an attribute value: "1" becomes "1.0" if the attribute is a Float. Returns an error if the value is of another
/// kind. Attributes of operators of other dialects are returned unchanged.
[[nodiscard]] Result<std::string> canonicalAttribute(const ir::OperatorInfo& info, std::size_t attribute,
                                                     std::string_view text);

// --- constant arrays: all elements are the same number ----------------------------------------------------------------

/// The operator of constant arrays; invalid if the registry has none.
[[nodiscard]] ir::OpId constantOperator(const ir::OperatorRegistry& registry);
/// The element value of a term of that operator; nothing for every other term.
[[nodiscard]] std::optional<double> constantValue(const ir::TermBank& bank, ir::TermId term);
/// A constant array with the element type of the array type `like`: a scalar, or an array of the shape of `like`. Fails if `like` is not
/// an array type, if its shape is needed but not known, or if `value` is a fraction and the elements are whole numbers.
[[nodiscard]] Result<ir::TermId> constantArray(ir::TermBank& bank, double value, ir::TypeId like, bool isScalar);

/// Whether the element type of a term built from constants alone holds the numbers of its value (tensor::isHeld). True for all other
/// terms, and for large ones.
[[nodiscard]] bool holdsConstants(const ir::TermBank& bank, ir::TermId term);
/// Whether single precision, in which ONNX stores Float attributes, holds the numbers of a computed attribute (tensor::isHeld); true for
/// all other attributes.
[[nodiscard]] bool holdsAttribute(const ir::TermBank& bank, const ir::OperatorInfo& info, std::size_t attribute,
                                  ir::TermId literal);

/// Whether the value of a term is known before the program runs: it contains no free variable and none that is bound outside of it.
[[nodiscard]] bool dependsOnWeightsOnly(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::rules
