// SPDX-License-Identifier: GPL-3.0-or-later
// Code that the commands of mitos-cli share: options, opening programs and rules, output, exit statuses.
#pragma once

#include "core/base/signal_watch.h"
#include "core/base/write_file.h"
#include "core/cost/cost_model.h"
#include "core/ir/path.h"
#include "core/ir/term_bank.h"
#include "core/ks/dialect.h"
#include "core/onnx/compared_export.h"
#include "core/rewrite/step.h"
#include "core/rules/rule.h"
#include "storage/workspace/program_file.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace mitos::cli {

using Json = nlohmann::ordered_json;

/// The file name that is shown for a program given with --expr.
inline constexpr const char* ExpressionName = "expression";

/// The most bytes of an e-graph file that are read.
inline constexpr std::size_t LargestEGraphFile = 1U << 30U;
/// Whether the name may be that of an e-graph file: it ends in .json.
[[nodiscard]] bool isEGraphName(const std::string& path);

/// The exit statuses of the command-line contract (architecture.md, "The two programs").
enum ExitStatus : int { Success = 0, CheckFailed = 1, BadInput = 2 };

/// Options that many commands take. Each command adds those it needs to its CLI11 subcommand.
struct CommonOptions {
    std::string file;
    std::string expression;  ///< the program itself, instead of a file
    std::string function;
    std::string rules = ks::dialect().defaultRules;
    std::string cost = ks::dialect().defaultCost;
    std::vector<std::string> costSettings = {};  ///< "name=value"; already part of `cost`
    bool json = false;
    bool allowAssumptions = false;  ///< rules::Assumptions::Allowed
    /// The program of FILE or --expr, after settle() has read it.
    storage::ProgramFile program = {};
    /// Names of a model's weights that are asked for, so that they are not read as constants (onnx::ImportOptions).
    std::vector<std::string> weights = {};
    /// Whether all weights are asked for (onnx::ImportOptions::keepsArraysOfOne).
    bool wantsAllWeights = false;

    /// Reads the file, and chooses the rules and the cost model of its dialect if the user named none. Fails if the file cannot be
    /// read, or if neither a file nor an expression is given.
    Status settle();
    /// The part of settle() that follows the reading of `program`.
    void settleDialect();

    void addJson(CLI::App& command);
    void addFile(CLI::App& command);  ///< FILE or --expr, --function and --json
    /// Adds --expr, which excludes the option of the file.
    void addExpression(CLI::App& command, CLI::Option& file);
    void addRules(CLI::App& command);  ///< --rules and --allow-assumptions
    void addCost(CLI::App& command);   ///< --cost and --set-cost
    /// The name of a cost model with the parameters that the user set.
    [[nodiscard]] std::string costWith(std::string model) const;
    /// Whether the user named the rules.
    [[nodiscard]] bool hasOwnRules() const;

private:
    const CLI::Option* m_rulesOption = nullptr;
    const CLI::Option* m_costOption = nullptr;
};

/// A program opened from a file, in its own bank.
struct OpenProgram {
    std::unique_ptr<ir::TermBank> bank;
    storage::ReadModule read;
    ir::Program program;

    [[nodiscard]] const ir::Dialect& dialect() const { return bank->dialect(program.function); }
    [[nodiscard]] ir::Sharing sharing() const { return dialect().sharing; }
    /// The model's weights; null if the file is not a model.
    [[nodiscard]] std::shared_ptr<const tensor::Weights> weights() const {
        return read.model ? read.model->weights : nullptr;
    }

    [[nodiscard]] std::unique_ptr<cost::CostEvaluator> costs(const cost::CostModel& model) const {
        return model.evaluator(*bank, program.function);
    }
};

/// Opens the program of settled options over the registry. Warnings go to stderr.
[[nodiscard]] Result<OpenProgram> openProgram(const CommonOptions& options,
                                              std::shared_ptr<const ir::OperatorRegistry> registry);
/// The same over the rules' registry. Also fails if the rules do not apply to this kind of program (rules/rule_sets.h).
[[nodiscard]] Result<OpenProgram> openProgram(const CommonOptions& options, const rules::RuleBook& book);
/// As openProgram(), but accepts a file without any program (only edefs, or empty).
[[nodiscard]] Result<OpenProgram> openModule(const CommonOptions& options,
                                             std::shared_ptr<const ir::OperatorRegistry> registry);
[[nodiscard]] Result<rules::RuleBook> openRules(const std::string& names,
                                                rules::Assumptions assumptions = rules::Assumptions::Forbidden);
/// The rules of settled options: those of the program's dialect if the user named none, which may be none at all.
[[nodiscard]] Result<rules::RuleBook> openRules(const CommonOptions& options);
/// Fails if there are no rules, so that a search makes no sense.
[[nodiscard]] Status requireRules(const rules::RuleBook& book, const ir::Dialect& dialect);
/// Says on stderr if there are no rules.
void noteRules(const rules::RuleBook& book, const ir::Dialect& dialect);
/// The rules of a book and those of further sets that come with the program, for programs that were opened with the book.
[[nodiscard]] Result<rules::RuleBook> withSets(const rules::RuleBook& book, const CommonOptions& options,
                                               std::string_view more);

/// Prints notes on a model written to `path` to stderr: expanded operators, warnings, and findings of ONNX's checks.
void printNotes(const onnx::ExportReport& report, const std::string& path, onnx::Profile profile);

/// Whether the program has weights, of which a listing has no numbers.
[[nodiscard]] bool hasWeights(const OpenProgram& open);
/// Whether an output of that name is written as an ONNX model, which is so if it ends in .onnx. Fails for .onnxtxt, a format that can
/// only be read.
[[nodiscard]] Result<bool> isModelOutput(const std::string& path);

/// Writes a program in `bank` that was derived from `open`: as an ONNX model if isModelOutput(), else as text. Returns whether ONNX's
/// checks accept the model (true for text). Fails if the file cannot be written, if a ks program is to be written as a model, or as
/// isModelOutput() does.
[[nodiscard]] Result<bool> writeProgram(const OpenProgram& open, const ir::TermBank& bank, const ir::Program& program,
                                        const std::string& threadText, const std::string& path);
/// A program in `bank` that was derived from `open`, with the text of its thread.
struct WrittenProgram {
    const OpenProgram& open;
    const ir::TermBank& bank;
    const ir::Program& program;
    const std::string& threadText;
};
/// Writes the program as an ONNX model with the thread in its metadata, after a comparison with the original if one is given. Prints
/// notes and findings of ONNX's checks to stderr.
[[nodiscard]] Result<onnx::ComparedExport> writeModel(const WrittenProgram& what, const std::string& path,
                                                      onnx::ExportOptions options = {},
                                                      const std::optional<onnx::OriginalFile>& original = {});

/// A validator for options that take a number above 0.
[[nodiscard]] CLI::Validator positiveNumber();
/// A validator for options that take an unsigned 64-bit integer, since CLI11 converts -1 and 10^20 to other numbers.
[[nodiscard]] CLI::Validator wholeNumber(std::uint64_t least = 0);
/// A position for a line of a table; the middle of a long one is elided.
[[nodiscard]] std::string shortPosition(const ir::Path& position);
/// The place of a step, for display: its position, or in a graph the names of its nodes.
[[nodiscard]] std::string shortPlace(const ir::TermBank& bank, const ir::Program& program, const rewrite::Step& step);

/// The cost model of the options for such programs. Fails as cost::findCostModel() and cost::requireOperators() do.
[[nodiscard]] Result<std::shared_ptr<const cost::CostModel>> openCostModel(const CommonOptions& options,
                                                                           const ir::OperatorRegistry& registry,
                                                                           std::string_view dialect);

/// The name that is stored with results (cost::settledName). Prints its warning to stderr.
[[nodiscard]] std::string settledCost(const std::string& name);

/// The nonempty parts of a list separated by commas.
[[nodiscard]] std::vector<std::string> splitList(const std::string& list);

/// The files that were read in addition to those that options name: rule files with their includes, and the weights of a model, which
/// may be null.
[[nodiscard]] std::vector<NamedFile> filesRead(const rules::RuleBook& book, const tensor::Model* model = nullptr);
/// Fails if an output would overwrite another output or an input: FILE, the device file, or one of `inputs`. An empty path is
/// ignored; "-" is standard output. A model also occupies its FILE.data.
[[nodiscard]] Status requireOwnFiles(const CommonOptions& options, std::vector<NamedFile> outputs,
                                     std::vector<NamedFile> inputs);
/// The same, and also fails if an output cannot be written. For checks before long work.
[[nodiscard]] Status requireOutputs(const CommonOptions& options, const std::vector<NamedFile>& outputs,
                                    std::vector<NamedFile> inputs = {});

/// Renders a drawing in the language of Graphviz as SVG. Fails if `dot` is missing, fails, or takes too long.
[[nodiscard]] Result<std::string> drawDot(const std::string& dot);

/// The bytes of a limit on this process's memory to reserve: the current resident memory, and a part of the limit for the work that
/// follows the search (finding and checking the thread).
[[nodiscard]] std::uint64_t reservedMemory(std::uint64_t limitBytes);

/// The current time, ISO 8601 in UTC.
[[nodiscard]] std::string utcNow();

/// Prints the JSON object.
void print(const Json& json);
/// Prints the error on stderr (and as {"error": …} on standard output with --json) and returns the exit status 2.
[[nodiscard]] int fail(const Error& error, bool json);

/// Provides a stop token that SIGINT, SIGTERM and SIGHUP (unless it is ignored) trigger; a search then returns its best result so
/// far. A second SIGINT or SIGTERM kills the process. Work that goes on for nearly a second after SIGTERM ends with the process, with
/// status 128 + SIGTERM, unless endWork() was called before.
class InterruptGuard {
public:
    InterruptGuard();
    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }
    /// Fires half a second after SIGTERM: what is still done then, such as comparing the values of the best so far, is cut short.
    [[nodiscard]] std::stop_token abandoned() const { return m_abandoned.get_token(); }
    /// From now on the result is checked and written, which is not cut short.
    void endWork() { m_isWorking = false; }

private:
    void hear(int signal);

    std::stop_source m_source;
    std::stop_source m_abandoned;
    std::atomic<bool> m_isWorking = true;
    std::jthread m_timer;  ///< of m_abandoned
    SignalWatch m_watch;   // last, because it uses the other members
};

}  // namespace mitos::cli
