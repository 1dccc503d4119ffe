// SPDX-License-Identifier: GPL-3.0-or-later
// A ks file: reading it, choosing a program in it, and printing.
#pragma once

#include "core/base/source_text.h"
#include "core/ir/function.h"
#include "core/ir/printed_text.h"
#include "core/ir/term_bank.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mitos::ks {

/// `(gdef derivation [f T])`: a request for a derived function. Kept and printed; not generated yet.
struct DerivativeRequest {
    std::string derivation;   ///< "fwd", "rev", "D", …
    std::string name;         ///< canonical text of the function's structured name, "[f (Vec Float)]"
    ir::FunctionId function;  ///< the function it derives from
};

/// `(rule "name" params lhs rhs)` inside a ks file: checked and kept.
struct KsRule {
    std::string name;
    std::vector<ir::Parameter> variables;
    ir::TermId lhs;
    ir::TermId rhs;
};

/// Everything one ks file declares, in the order written.
struct Module {
    std::vector<ir::FunctionId> functions;
    /// What the file says their bodies are (invalid: an edef). Differs from Function::body when the bank held a function
    /// of that signature already, as when a rewritten program is printed and read again.
    std::vector<ir::TermId> bodies;
    std::vector<DerivativeRequest> derivatives;
    std::vector<KsRule> rules;
    std::vector<std::string> warnings;  ///< "file:line:column: …", e.g. the one real ambiguity of the grammar
};

/// Parses and type-checks a file, in ks, paper and old dialects (ks-language.md), into the bank. A file of one bare
/// expression is a module of one function whose Float parameters are the expression's free variables in order of
/// first appearance. Errors: all of the file (Error::others), each with place, found, expected; depth above 10,000;
/// a file without any definition or expression is a module without functions (the caller says what it needed).
[[nodiscard]] Result<Module> parseModule(ir::TermBank& bank, const SourceText& source);

/// The program of a module: the function of that name (any overload; ambiguous: error that lists them), or the last
/// one with a body if name is empty. Errors list the names there are.
[[nodiscard]] Result<ir::Program> selectProgram(const ir::TermBank& bank, const Module& module, std::string_view name);

/// parseModule and selectProgram of a text, for tests, rule files and stored programs.
[[nodiscard]] Result<ir::Program> parseProgram(ir::TermBank& bank, std::string name, std::string text);

using ir::PrintedSpan;
using ir::PrintedText;
using ir::PrintOptions;

/// The program as ks text that parses to an equal program: the functions and edefs it calls first (each once, before
/// its uses), the program's own function last. Bare expressions print as bare expressions (if still possible: a `let`
/// is). Names of bound variables come from hints and are made unique where they would capture.
[[nodiscard]] std::string printProgram(const ir::TermBank& bank, const ir::Program& program,
                                       const PrintOptions& options = {});
/// Only the definition of the program itself (without its callees), with the place of every subterm.
[[nodiscard]] PrintedText printWithSpans(const ir::TermBank& bank, const ir::Program& program,
                                         const PrintOptions& options = {});
/// A term by itself; loose bound variables print as the names given (outermost first), or as <bound 1>, <bound 2>, … beyond them.
[[nodiscard]] std::string printTerm(const ir::TermBank& bank, ir::TermId term, const PrintOptions& options = {},
                                    const std::vector<std::string>& outerNames = {});
/// A whole module (derivative requests and rules too).
[[nodiscard]] std::string printModule(const ir::TermBank& bank, const Module& module, const PrintOptions& options = {});
/// The names printProgram gives to the binders above a path, outermost first: for printing a subterm in its place.
[[nodiscard]] std::vector<std::string> binderNames(const ir::TermBank& bank, const ir::Program& program,
                                                   const ir::Path& path);

}  // namespace mitos::ks
