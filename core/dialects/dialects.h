// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of any dialect. Who deals with programs in general (threads, searches, sessions, views) asks here; what a dialect
// alone has (the modules of ks, the models of tensors) is asked there.
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

/// The operators of all dialects: the core's and those of ks, under the ids they have there, then those of tensors.
[[nodiscard]] std::shared_ptr<const ir::OperatorRegistry> makeRegistry();

/// A program's dialect, as people call it: "ks", "tensor".
[[nodiscard]] std::string_view dialectOf(const ir::Function& function);

/// Reads a program of either dialect; a tensor program is a listing (tensor/text.h). Errors: of the dialect whose text it is.
[[nodiscard]] Result<ir::Program> parseProgram(ir::TermBank& bank, std::string name, std::string text);
/// The program as text that parses to an equal program.
[[nodiscard]] std::string printProgram(const ir::TermBank& bank, const ir::Program& program,
                                       const ir::PrintOptions& options = {});
/// The program itself (of ks without its callees), with the place of every node.
[[nodiscard]] ir::PrintedText printWithSpans(const ir::TermBank& bank, const ir::Program& program,
                                             const ir::PrintOptions& options = {});
/// A term that stands, or may stand, at a position of the program; of a graph only its uppermost levels.
[[nodiscard]] std::string printTermAt(const ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                                      ir::TermId term, const ir::PrintOptions& options = {});

/// What one node shows, for people, in pictures and lists: of ks as ir::nodeLabel; of tensors the operator with its attributes
/// (`Conv[strides=[2,2]]`), the name of a weight, "output 2 of 3".
[[nodiscard]] std::string nodeLabel(const ir::TermBank& bank, ir::TermId term,
                                    const std::vector<ir::TermId>& binders = {});

}  // namespace mitos::dialects
