// SPDX-License-Identifier: GPL-3.0-or-later
// Substitutions as text, for files and sessions: a value is named by a place in the program before the step where it stands.
#pragma once

#include "core/rewrite/step.h"

namespace mitos::rewrite {

/// A step's substitution as text: "x=./0 y=/1/1 p=[1,1] a=(./1,./2)", each variable in its order. A value is the term at a position,
/// relative to the step's (first) position if it begins with a dot, or a literal. A position may end with ^N, or ^N@M: the term is moved out
/// of N binders, the innermost ones or those outside the M innermost; with ^-N or ^-N@M: it is moved into N binders; or with /binder: the variable
/// that the term there binds.
/// Parentheses enclose a sequence. A value that is neither a place nor a literal is `_`.
struct SubstitutionText {
    std::string text;
    std::vector<ir::TermId> given;  ///< the values of `_`, in their order
};

/// The text of a step's substitution; `root` is the program before the step, or for a reversed step the one after it.
[[nodiscard]] SubstitutionText substitutionText(ir::TermBank& bank, const Step& step, ir::TermId root);

/// The number of `_` in such a text. Fails if the text is not a list of variables with values.
[[nodiscard]] Result<std::size_t> givenCount(std::string_view text);

/// The substitution that the text states, for a step whose rule and positions are known. Fails if the text does not give each variable
/// of the rule a value, or names a position that the program does not have. Whether the step is an instance is not checked.
[[nodiscard]] Result<rules::Substitution> readSubstitution(ir::TermBank& bank, const Step& step, ir::TermId root,
                                                           std::string_view text, std::span<const ir::TermId> given);

/// The substitution of the match with that number (from 1) in a program, for a step whose rule and position are known: files and sessions of
/// earlier versions name instances so. Fails if there are fewer matches.
[[nodiscard]] Result<rules::Substitution> matchOf(ir::TermBank& bank, const Step& step, ir::TermId root,
                                                  std::size_t number);

}  // namespace mitos::rewrite
