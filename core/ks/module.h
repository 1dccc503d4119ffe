// SPDX-License-Identifier: GPL-3.0-or-later
// Reads ks files, selects a program in them, and prints programs.
#pragma once

#include "core/base/source_text.h"
#include "core/ir/dialect.h"
#include "core/ir/function.h"
#include "core/ir/printed_text.h"
#include "core/ir/term_bank.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

/// `(gdef derivation [f T])`: a request for a derived function.
struct DerivativeRequest {
    std::string derivation;   ///< "fwd", "rev", "D", …
    std::string name;         ///< canonical text of the function's structured name, "[f (Vec Float)]"
    ir::FunctionId function;  ///< the function from which it is derived
};

/// `(rule "name" params lhs rhs)` in a ks file. Rules are checked and kept.
struct KsRule {
    std::string name;
    std::vector<ir::Parameter> variables;
    ir::TermId lhs;
    ir::TermId rhs;
};

/// All declarations of one ks file, in source order.
struct Module {
    std::vector<ir::FunctionId> functions;
    /// The bodies of the functions in the file (invalid for an edef). A body differs from Function::body if the bank already held
    /// a function of that signature, for example when a rewritten program is printed and read again.
    std::vector<ir::TermId> bodies;
    std::vector<DerivativeRequest> derivatives;
    std::vector<ir::DerivedFunction> derived;  ///< what the file requests, and what it calls without a request
    std::vector<KsRule> rules;
    std::vector<std::string> warnings;  ///< "file:line:column: …", e.g. the one real ambiguity of the grammar
};

/// Parses and type-checks a file in the ks, paper and old dialects (ks-language.md) into the bank. A file of one bare
/// expression is a module of one function whose Float parameters are the expression's free variables in order of
/// first appearance. On failure, all errors of the file are returned (Error::others), each with its place and what was found and
/// expected. A depth above 10,000 is an error. A file without any definition or expression is a module without functions; the
/// caller reports what it required. Derived functions that the file requests or calls get their bodies from Dialect::derive; one that
/// cannot be made stays without, which is a warning.
[[nodiscard]] Result<Module> parseModule(ir::TermBank& bank, const SourceText& source);

/// The program of a module: the function of that name, or the last function with a body if the name is empty. Any overload
/// matches; an ambiguous name is an error that lists the overloads. Other errors list the available names.
[[nodiscard]] Result<ir::Program> selectProgram(const ir::TermBank& bank, const Module& module, std::string_view name);

/// The place of the first application of `head` in the definition of that name, else that of the definition; nothing if the text has
/// no such definition.
[[nodiscard]] std::optional<SourcePlace> placeOf(const SourceText& source, std::string_view function,
                                                 std::string_view head);

/// Parses one expression over these variables, which may call built-in operators and these functions.
[[nodiscard]] Result<ir::TermId> parseExpression(ir::TermBank& bank, const std::string& text,
                                                 std::span<const ir::Parameter> variables,
                                                 std::span<const ir::FunctionId> functions = {});

/// parseModule and selectProgram of a text, for tests, rule files and stored programs.
[[nodiscard]] Result<ir::Program> parseProgram(ir::TermBank& bank, std::string name, std::string text);

using ir::PrintedSpan;
using ir::PrintedText;
using ir::PrintOptions;

/// The program as ks text that parses to an equal program. Called functions and edefs come first (each once, before its
/// uses), the program's own function last. Bare expressions print as bare expressions if that is still possible (a `let` is
/// possible). Names of bound variables come from hints and are made unique where they would capture.
[[nodiscard]] std::string printProgram(const ir::TermBank& bank, const ir::Program& program,
                                       const PrintOptions& options = {});
/// The definition of the program itself, without its callees, with the place of every subterm.
[[nodiscard]] PrintedText printWithSpans(const ir::TermBank& bank, const ir::Program& program,
                                         const PrintOptions& options = {});
/// A single term. Loose bound variables print as the given names (outermost first), or as <bound 1>, <bound 2>, … beyond them.
[[nodiscard]] std::string printTerm(const ir::TermBank& bank, ir::TermId term, const PrintOptions& options = {},
                                    const std::vector<std::string>& outerNames = {});
/// A whole module, including derivative requests and rules.
[[nodiscard]] std::string printModule(const ir::TermBank& bank, const Module& module, const PrintOptions& options = {});
/// The names that printProgram gives to the binders above a path, outermost first; for printing a subterm in its context.
[[nodiscard]] std::vector<std::string> binderNames(const ir::TermBank& bank, const ir::Program& program,
                                                   const ir::Path& path);

}  // namespace mitos::ks
