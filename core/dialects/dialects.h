// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of any dialect. Code for programs in general (threads, searches, sessions, views) uses these functions; features of a
// single dialect (the modules of ks, the models of tensors) are in its own folder.
#pragma once

#include "core/base/result.h"
#include "core/ir/function.h"
#include "core/ir/printed_text.h"
#include "core/ir/term_bank.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::dialects {

/// The operators of all dialects: those of the core and of ks, with the ids they have there, then those of tensors.
[[nodiscard]] std::shared_ptr<const ir::OperatorRegistry> makeRegistry();

/// The display name of a program's dialect: "ks", "tensor".
[[nodiscard]] std::string_view dialectOf(const ir::Function& function);

/// Parses a program of either dialect; a tensor program is a listing (tensor/text.h). Returns the errors of the text's dialect.
[[nodiscard]] Result<ir::Program> parseProgram(ir::TermBank& bank, std::string name, std::string text);
/// The program as text that parses to an equal program.
[[nodiscard]] std::string printProgram(const ir::TermBank& bank, const ir::Program& program,
                                       const ir::PrintOptions& options = {});
/// The program itself (in ks without its callees), with the place of every node.
[[nodiscard]] ir::PrintedText printWithSpans(const ir::TermBank& bank, const ir::Program& program,
                                             const ir::PrintOptions& options = {});
/// A term that is, or may be, at a position of the program. Of a graph only the uppermost levels are printed.
[[nodiscard]] std::string printTermAt(const ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                                      ir::TermId term, const ir::PrintOptions& options = {});

/// The label of a node in pictures and lists. For ks it is ir::nodeLabel; for tensors it is the operator with its attributes
/// (`Conv[strides=[2,2]]`), the name of a weight, or "output 2 of 3".
[[nodiscard]] std::string nodeLabel(const ir::TermBank& bank, ir::TermId term,
                                    const std::vector<ir::TermId>& binders = {});

}  // namespace mitos::dialects
