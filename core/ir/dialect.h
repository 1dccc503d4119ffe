// SPDX-License-Identifier: GPL-3.0-or-later
// A dialect as a value: all that code for programs in general needs to know about one language of programs. ks, tensor and tasks
// define theirs in their own folders (ks/dialect.h, …); dialects/dialects.h lists them. A registry of operators carries the
// dialects it was made from, and a function names its own, so that TermBank::dialect() finds it.
#pragma once

#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/ir/function.h"
#include "core/ir/printed_text.h"
#include "core/ir/term_bank.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::eval {
struct Semantics;
}
namespace mitos::ir {

/// A text that was read.
struct ParsedText {
    Program program;
    std::vector<std::string> warnings = {};
};

/// A function that is declared as a derivative of another one: [rev f] of f.
struct DerivedFunction {
    std::string derivation;  ///< "fwd", "rev", "shape", …
    FunctionId function;
    FunctionId base;
};

using TermPrinter = std::function<std::string(TermId, const PrintOptions&)>;

/// The default of a strategy's parameter for the programs of a dialect, as written after --set.
struct ParameterDefault {
    std::string strategy;
    std::string parameter;
    std::string value;
};

/// A use of the programs of a dialect, beyond those that its functions show.
enum class Capability : std::uint8_t {
    Weights,   ///< numbers belong to them (tensor::Model): they are found again, checked and stored with the program
    Runtime,   ///< they run in ONNX Runtime, whose graph of them can be asked for, and are timed there
    Measure,   ///< their operators are measured one by one
    Train,     ///< training graphs are made of them
    Schedule,  ///< their operators are placed on devices and ordered
    Divide,    ///< parts of them are programs of their own (core/partition)
};

struct Dialect {
    std::string name;  ///< "ks", "tensor", "tasks"; also OperatorInfo::dialect of its operators
    Sharing sharing = Sharing::Tree;
    /// Adds the dialect's operators.
    void (*addOperators)(OperatorRegistry& registry) = nullptr;

    // --- text -----------------------------------------------------------------------------------------------------

    /// Whether a text begins, after blanks, as programs of this dialect do. Null for the dialect of all texts that no other one recognizes.
    bool (*recognizes)(std::string_view text) = nullptr;
    /// Endings of the names of files with such texts, ".stg". They decide where no dialect recognizes the text, which has a mistake then.
    std::vector<std::string> fileEndings = {};
    /// Reads the program of a text: the function of that name, or the last one if the name is empty. Returns the errors of the text.
    Result<ParsedText> (*parse)(TermBank& bank, const SourceText& source, std::string_view function) = nullptr;
    /// Reads a text about another program of the bank, `like`, into a program with the same signature. Null: not defined.
    Result<Program> (*parseLike)(TermBank& bank, const SourceText& source, const Program& like) = nullptr;
    /// The program as text that parses to an equal program.
    std::string (*print)(const TermBank& bank, const Program& program, const PrintOptions& options) = nullptr;
    /// The program itself (without the functions it calls), with the place of every node.
    PrintedText (*printWithSpans)(const TermBank& bank, const Program& program, const PrintOptions& options) = nullptr;
    /// The program itself as on paper, with the place of every node. Null where the text above is the reading form too.
    PrintedText (*printMath)(const TermBank& bank, const Program& program, MathForm form) = nullptr;
    /// A closed term, without a program around it.
    std::string (*printTerm)(const TermBank& bank, TermId term, const PrintOptions& options) = nullptr;
    /// Prints terms that are, or may be, at the position of the program. The bank must outlive the printer.
    TermPrinter (*printerAt)(const TermBank& bank, const Program& program, const Path& position) = nullptr;
    /// Whether that printer prints every level of a term; false if only the uppermost ones.
    bool printsWholeTerms = true;
    /// The label of a node in pictures and lists; nothing where ir::nodeLabel has it. May be null.
    std::optional<std::string> (*nodeLabel)(const TermBank& bank, TermId term,
                                            const std::vector<TermId>& binders) = nullptr;

    // --- meaning --------------------------------------------------------------------------------------------------

    /// Evaluation and random inputs. Null for programs of scalars, tuples and vectors whose operators have
    /// OperatorInfo::evaluate.
    const eval::Semantics* semantics = nullptr;
    /// Gives a derived function without a body its body, and the derived functions that it calls theirs. Returns the function, which is
    /// declared here if its id is invalid. Fails if the base cannot be differentiated. Null: derivatives are not defined.
    Result<FunctionId> (*derive)(TermBank& bank, const DerivedFunction& derived) = nullptr;

    // --- defaults -------------------------------------------------------------------------------------------------

    std::string defaultRules = {};                         ///< sets of rules, as after --rules
    std::string defaultCost = {};                          ///< the name of a cost model
    std::string defaultStrategy = {};                      ///< the name of a strategy
    std::vector<ParameterDefault> parameterDefaults = {};  ///< where they differ from those of the strategy
    /// The forms in which programs can be exported, as after --to; the first is the usual one.
    std::vector<std::string> exports = {};

    std::vector<Capability> capabilities = {};
    std::string exampleRule = {};  ///< a rule with a comment, for a first set of one's own

    [[nodiscard]] bool canExport(std::string_view form) const;
    [[nodiscard]] bool can(Capability capability) const;
    /// Whether a subterm that occurs several times is one node, which is printed, computed and paid for once.
    [[nodiscard]] bool sharesNodes() const { return sharing == Sharing::Graph; }
    /// Whether programs share only what a `let` binds.
    [[nodiscard]] bool sharesByLet() const { return sharing == Sharing::Tree; }
};

/// The dialect of a text: the one that recognizes it, else the one with an ending that the name has, else the first of the registry, which must
/// have one.
[[nodiscard]] const Dialect& recognized(const OperatorRegistry& registry, std::string_view text,
                                        std::string_view name = {});
/// Parses a program of any dialect of the bank's registry; `name` is used in messages. Returns the errors of the text's dialect.
[[nodiscard]] Result<Program> parseProgram(TermBank& bank, std::string name, std::string text);

// Programs and terms of any dialect, by the functions above.
[[nodiscard]] std::string printProgram(const TermBank& bank, const Program& program, const PrintOptions& options = {});
[[nodiscard]] PrintedText printWithSpans(const TermBank& bank, const Program& program,
                                         const PrintOptions& options = {});
[[nodiscard]] PrintedText printMath(const TermBank& bank, const Program& program, MathForm form);
[[nodiscard]] std::string printTermAt(const TermBank& bank, const Program& program, const Path& position, TermId term,
                                      const PrintOptions& options = {});

/// The dialect of the uppermost operator of a term that belongs to one, else the first dialect of the registry.
[[nodiscard]] const Dialect& dialectOf(const TermBank& bank, TermId term);

/// The label of a node in pictures and lists: that of the dialect that has one, else ir::nodeLabel.
[[nodiscard]] std::string labelOf(const TermBank& bank, TermId term, const std::vector<TermId>& binders = {});

}  // namespace mitos::ir
