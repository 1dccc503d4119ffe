// SPDX-License-Identifier: GPL-3.0-or-later
// What the rule language knows of operators over arrays: their attributes' kinds and defaults, and constant arrays.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"

#include <optional>
#include <string>
#include <string_view>

namespace mitos::rules {

/// Whether the operator is one of the tensor dialect.
[[nodiscard]] bool isOfArrays(const ir::OperatorInfo& info);

// --- attributes of such operators, by their number -------------------------------------------------------------------

/// The text that programs need not write; nothing if there is no default.
[[nodiscard]] std::optional<std::string> defaultAttribute(const ir::OperatorInfo& info, std::size_t attribute);
/// Whether whole numbers stand for Floats there.
[[nodiscard]] bool isFloatAttribute(const ir::OperatorInfo& info, std::size_t attribute);
/// The one text that programs have for a value: "1" is "1.0" where the attribute is a Float. Errors: of another kind.
/// Attributes of operators of other dialects stay as they are.
[[nodiscard]] Result<std::string> canonicalAttribute(const ir::OperatorInfo& info, std::size_t attribute,
                                                     std::string_view text);

// --- constant arrays: all elements are one number ---------------------------------------------------------------------

/// The operator of constant arrays; invalid if the registry has none.
[[nodiscard]] ir::OpId constantOperator(const ir::OperatorRegistry& registry);
/// The number of which a term of that operator is made; nothing for every other term.
[[nodiscard]] std::optional<double> constantValue(const ir::TermBank& bank, ir::TermId term);
/// A constant array of the element type of `like`, an array type: a scalar, or of its shape too. Errors: `like` is no array of
/// known shape; a fraction where the elements are whole numbers.
[[nodiscard]] Result<ir::TermId> constantArray(ir::TermBank& bank, double value, ir::TypeId like, bool isScalar);

/// Whether the element types of a term that is made of constants alone hold its numbers (tensor::isHeld). True for all other terms,
/// and for large ones.
[[nodiscard]] bool holdsConstants(const ir::TermBank& bank, ir::TermId term);
/// Whether the numbers of a computed attribute are held where ONNX writes them, in single precision; true for others.
[[nodiscard]] bool holdsAttribute(const ir::TermBank& bank, const ir::OperatorInfo& info, std::size_t attribute,
                                  ir::TermId literal);

/// Whether a term is known before the program runs: no variable below it, neither free nor bound outside of it.
[[nodiscard]] bool dependsOnWeightsOnly(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::rules
