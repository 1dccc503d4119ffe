// SPDX-License-Identifier: GPL-3.0-or-later
// What every command of mitos-cli shares: options, opening programs and rules, output, exit statuses.
#pragma once

#include "core/base/signal_watch.h"
#include "core/base/source_text.h"
#include "core/base/write_file.h"
#include "core/cost/cost_model.h"
#include "core/ir/path.h"
#include "core/ir/term_bank.h"
#include "core/ks/module.h"
#include "core/onnx/compared_export.h"
#include "core/rewrite/step.h"
#include "core/rules/rule.h"
#include "core/tensor/model.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::cli {

using Json = nlohmann::ordered_json;

/// Stands for the file's name where a program is given as --expr.
inline constexpr const char* ExpressionName = "expression";

/// The contract's exit statuses (architecture.md, "The two programs").
enum ExitStatus : int { Success = 0, CheckFailed = 1, BadInput = 2 };

/// Options that many commands take. Each command adds those it needs to its CLI11 subcommand.
struct CommonOptions {
    std::string file;
    std::string expression;  ///< the program itself, instead of a file
    std::string function;
    std::string rules = std::string(rules::DefaultRules);
    std::string cost = "ks-2021";
    bool json = false;
    bool allowAssumptions = false;  ///< rules::Assumptions::Allowed
    /// The file's text, once settle() has read it; null for a model.
    std::shared_ptr<const SourceText> source = nullptr;
    /// A model that came by standard input, once settle() has read it.
    std::shared_ptr<const std::string> model = nullptr;

    /// Reads the file, and where the user named no rules or cost model takes those of its dialect. Errors: of reading it; no
    /// file and no expression is named.
    Status settle();

    void addJson(CLI::App& command);
    void addFile(CLI::App& command);  ///< FILE or --expr, --function and --json
    /// --expr, which excludes the option of the file.
    void addExpression(CLI::App& command, CLI::Option& file);
    void addRules(CLI::App& command);  ///< --rules and --allow-assumptions
    void addCost(CLI::App& command);

private:
    const CLI::Option* m_rulesOption = nullptr;
    const CLI::Option* m_costOption = nullptr;
};

/// A program opened from a file, in a bank of its own.
struct OpenProgram {
    std::unique_ptr<ir::TermBank> bank;
    ks::Module module;  ///< of a tensor program its only function
    ir::Program program;
    std::shared_ptr<const tensor::Model> model = nullptr;  ///< of an ONNX file

    [[nodiscard]] ir::Sharing sharing() const { return bank->function(program.function).sharing; }
    /// The model's; null where the file has none.
    [[nodiscard]] std::shared_ptr<const tensor::Weights> weights() const { return model ? model->weights : nullptr; }

    [[nodiscard]] std::unique_ptr<cost::CostEvaluator> costs(const cost::CostModel& model) const {
        return model.evaluator(*bank, program.function);
    }
};

/// The rules named, and FILE's module and chosen program over their registry. Warnings go to stderr.
[[nodiscard]] Result<OpenProgram> openProgram(const CommonOptions& options,
                                              std::shared_ptr<const ir::OperatorRegistry> registry);
/// The same over the rules' registry. Errors: also, the rules are for other programs (rules/rule_sets.h).
[[nodiscard]] Result<OpenProgram> openProgram(const CommonOptions& options, const rules::RuleBook& book);
/// As openProgram, but a file without any program (only edefs, or empty) is no error.
[[nodiscard]] Result<OpenProgram> openModule(const CommonOptions& options,
                                             std::shared_ptr<const ir::OperatorRegistry> registry);
[[nodiscard]] Result<rules::RuleBook> openRules(const std::string& names,
                                                rules::Assumptions assumptions = rules::Assumptions::Forbidden);
[[nodiscard]] Result<rules::RuleBook> openRules(const CommonOptions& options);

/// Says on stderr what there is to say about a model written to `path`: operators written out, warnings, what ONNX's checks do not
/// accept.
void printNotes(const onnx::ExportReport& report, const std::string& path, onnx::Profile profile);

/// Whether a file of that name is written as an ONNX model: it ends in .onnx. Errors: .onnxtxt, which is only read.
[[nodiscard]] Result<bool> isModelOutput(const std::string& path);

/// Writes what became of a program that was opened, in `bank`: an ONNX model if isModelOutput(), else text. Whether ONNX's checks
/// accept the model. Errors: of writing; a ks program as a model; as isModelOutput().
[[nodiscard]] Result<bool> writeProgram(const OpenProgram& open, const ir::TermBank& bank, const ir::Program& program,
                                        const std::string& threadText, const std::string& path);
/// The same as an ONNX model, with the thread in its metadata, compared first with an original, where there is one. What is worth
/// knowing, and what ONNX's checks do not accept, is said on stderr.
[[nodiscard]] Result<onnx::ComparedExport> writeModel(const OpenProgram& open, const ir::TermBank& bank,
                                                      const ir::Program& program, const std::string& threadText,
                                                      const std::string& path, onnx::ExportOptions options = {},
                                                      const std::optional<onnx::OriginalFile>& original = {});

/// For options that take a number above 0.
[[nodiscard]] CLI::Validator positiveNumber();
/// For options that take a whole number of 64 bits: CLI11 reads -1 and 10^20 as some other number.
[[nodiscard]] CLI::Validator wholeNumber(std::uint64_t least = 0);
/// A position for a line of a table: the middle of a long one left out.
[[nodiscard]] std::string shortPosition(const ir::Path& position);
/// Where a step of the program is, for people: its position, in a graph the names of its nodes.
[[nodiscard]] std::string shortPlace(const ir::TermBank& bank, const ir::Program& program, const rewrite::Step& step);

/// The parts of a list separated by commas, empty ones left out.
[[nodiscard]] std::vector<std::string> splitList(const std::string& list);

/// What was read besides the files that options name: what rules include, and the weights of a model (null: none).
[[nodiscard]] std::vector<NamedFile> filesRead(const rules::RuleBook& book, const tensor::Model* model = nullptr);
/// Whether outputs overwrite neither each other nor what is read: FILE, the file of the device, `inputs`. An empty path names
/// nothing; "-" is standard output. With a model goes its FILE.data.
[[nodiscard]] Status requireOwnFiles(const CommonOptions& options, std::vector<NamedFile> outputs,
                                     std::vector<NamedFile> inputs);
/// Asked before long work: the same, and whether its results can be written there.
[[nodiscard]] Status requireOutputs(const CommonOptions& options, const std::vector<NamedFile>& outputs,
                                    std::vector<NamedFile> inputs = {});

/// A drawing in the language of Graphviz as SVG. Errors: `dot` is not there, fails, or takes too long.
[[nodiscard]] Result<std::string> drawDot(const std::string& dot);

/// Of a limit on this process's memory: what it holds already, and a part for what comes after the work that is limited (finding
/// the thread, checking it).
[[nodiscard]] std::uint64_t reservedMemory(std::uint64_t limitBytes);

/// Now, ISO 8601 in UTC.
[[nodiscard]] std::string utcNow();

/// What the user asked for cannot be: why, and what to do.
[[nodiscard]] Error inputError(std::string message, std::string hint);
/// Prints the JSON object.
void print(const Json& json);
/// Prints the error on stderr (and as {"error": …} on standard output with --json) and gives the exit status 2.
[[nodiscard]] int fail(const Error& error, bool json);

/// A stop token that SIGINT, SIGTERM and SIGHUP (unless it is ignored) trigger: a search answers with the best so far. A second
/// SIGINT or SIGTERM kills.
class InterruptGuard {
public:
    InterruptGuard() : m_watch([this](int) { m_source.request_stop(); }) {}
    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    SignalWatch m_watch;
};

}  // namespace mitos::cli
