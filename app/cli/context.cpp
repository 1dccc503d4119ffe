// SPDX-License-Identifier: GPL-3.0-or-later
// Opens files and reports errors in the same way for every command.
#include "app/cli/context.h"

#include "app/cli/egraph_input.h"
#include "core/base/child_process.h"
#include "core/base/number_text.h"
#include "core/base/process_memory.h"
#include "core/cost/operator_costs.h"
#include "core/dialects/dialects.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/ks/operators.h"
#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "core/rules/rule_sets.h"
#include "core/tensor/dialect.h"
#include "core/tensor/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace mitos::cli {

bool isEGraphName(const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return ending == ".json";
}

void CommonOptions::addJson(CLI::App& command) {
    command.add_flag("--json", json, "machine-readable output: one JSON object");
}

void CommonOptions::addFile(CLI::App& command) {
    CLI::Option* const named =
        command.add_option("FILE", file,
                           "a .ks program, an .onnx or .onnxtxt model, a tensor program as a listing, or a task graph "
                           "(.tasks, .stg, .pbtxt, .json; info, show and export: or an e-graph, .json); - reads any of "
                           "them from standard input");
    addExpression(command, *named);
    command.add_option("--function", function, "the function to work on (default: the last one of the file)");
    addJson(command);
}

void CommonOptions::addExpression(CLI::App& command, CLI::Option& file) {
    command
        .add_option("--expr", expression,
                    "the program itself instead of a FILE: '(div (mul x y) x)' over Floats, definitions, or a listing")
        ->excludes(&file);
}

void CommonOptions::addRules(CLI::App& command) {
    m_rulesOption =
        command
            .add_option("--rules", rules,
                        fmt::format("rule sets, by name or file, separated by commas; -NAME leaves a rule out (tensor "
                                    "programs: {})",
                                    tensor::dialect().defaultRules))
            ->capture_default_str();
    command.add_flag(
        "--allow-assumptions", allowAssumptions,
        "apply rules that need a sign that is not known, log(a * b) => log(a) + log(b) for instance; what is "
        "assumed stands beside the result");
}

void CommonOptions::addCost(CLI::App& command) {
    m_costOption = command.add_option("--cost", cost, "cost model (see `mitos-cli costs`; tensor programs: roofline)")
                       ->capture_default_str();
    command.add_option("--set-cost", costSettings,
                       "name=value: a parameter of the cost model (see `mitos-cli costs`); may be repeated");
    command.parse_complete_callback([this] { cost = costWith(std::move(cost)); });
}

std::string CommonOptions::costWith(std::string model) const {
    for (const std::string& setting : costSettings) {
        model += model.find(':') == std::string::npos ? ':' : ',';
        model += setting;
    }
    return model;
}

Status CommonOptions::settle() {
    if (!expression.empty()) {
        file = ExpressionName;
        program = storage::typedProgram(SourceText(file, expression));
    } else if (file.empty()) {
        return inputError("no program is named", "name a FILE, or give the program itself: --expr '(mul x 2.0)'");
    } else {
        Result<storage::ProgramFile> loaded =
            storage::loadProgramFile(file, isEGraphName(file) ? std::optional(LargestEGraphFile) : std::nullopt);
        if (!loaded) {
            Error error = std::move(loaded).error();
            if (file.starts_with('(')) error.hint = "a program is given as an argument with --expr '(…)'";
            return error;
        }
        program = *std::move(loaded);
    }
    settleDialect();
    return mitos::Success{};
}

void CommonOptions::settleDialect() {
    const auto registry = dialects::makeRegistry();
    const ir::Dialect& dialect = storage::dialectOf(program, *registry);
    if (dialect.recognizes == nullptr) return;  // the commands' own defaults are for ks
    if (!hasOwnRules()) rules = dialect.defaultRules;
    if (m_costOption != nullptr && m_costOption->count() == 0) cost = costWith(dialect.defaultCost);
    cost = settledCost(cost);
}

bool CommonOptions::hasOwnRules() const { return m_rulesOption != nullptr && m_rulesOption->count() > 0; }

Result<OpenProgram> openModule(const CommonOptions& options, std::shared_ptr<const ir::OperatorRegistry> registry) {
    if (isEGraph(options)) {
        return Error{ErrorCode::Unsupported, fmt::format("{}: an e-graph is no program", options.file), std::nullopt,
                     "`mitos-cli show`, `info`, `export` and `extract` accept e-graphs"};
    }
    OpenProgram open{std::make_unique<ir::TermBank>(std::move(registry)), {}, {}};
    MITOS_TRY(open.read,
              storage::readModule(*open.bank, options.program, options.function,
                                  {.weights = options.weights, .keepsArraysOfOne = options.wantsAllWeights}));
    for (const std::string& warning : open.read.warnings) {
        fmt::print(stderr, "{}{}\n", open.read.model ? options.file + ": " : std::string(), warning);
    }
    return open;
}

Result<OpenProgram> openProgram(const CommonOptions& options, std::shared_ptr<const ir::OperatorRegistry> registry) {
    MITOS_TRY(OpenProgram open, openModule(options, std::move(registry)));
    MITOS_TRY(open.program, storage::chosenProgram(*open.bank, open.read, options.program, options.function));
    return open;
}

Result<OpenProgram> openProgram(const CommonOptions& options, const rules::RuleBook& book) {
    MITOS_TRY(OpenProgram open, openProgram(options, book.registry()));
    MITOS_REQUIRE(rules::requireFor(book, open.dialect()));
    return open;
}

Result<rules::RuleBook> openRules(const std::string& names, rules::Assumptions assumptions) {
    MITOS_TRY(rules::RuleBook book, rules::RuleBook::load(names, dialects::makeRegistry(), assumptions));
    MITOS_REQUIRE(rules::requireLeftOut(names, book));
    for (const Error& problem : book.problems()) fmt::print(stderr, "left out: {}", problem.render());
    return book;
}

Result<rules::RuleBook> openRules(const CommonOptions& options) {
    const auto assumptions = options.allowAssumptions ? rules::Assumptions::Allowed : rules::Assumptions::Forbidden;
    if (options.rules.empty() && !options.hasOwnRules()) {
        return rules::RuleBook::none(dialects::makeRegistry(), assumptions);
    }
    return openRules(options.rules, assumptions);
}

namespace {

std::string withoutRules(const ir::Dialect& dialect) {
    return fmt::format("there are no rules for {} programs", dialect.name);
}

std::string ruleHint(const ir::Dialect& dialect) {
    const std::string own = fmt::format("--rules names a file of your own that begins with `use {}`", dialect.name);
    return dialect.can(ir::Capability::Schedule) ? own + "; `mitos-cli schedule` places the operations on devices"
                                                 : own;
}

}  // namespace

Status requireRules(const rules::RuleBook& book, const ir::Dialect& dialect) {
    if (!book.directions().empty()) return mitos::Success{};
    return inputError(withoutRules(dialect) + ", so there is nothing to search", ruleHint(dialect));
}

void noteRules(const rules::RuleBook& book, const ir::Dialect& dialect) {
    if (book.directions().empty()) fmt::print(stderr, "{}: {}\n", withoutRules(dialect), ruleHint(dialect));
}

Result<rules::RuleBook> withSets(const rules::RuleBook& book, const CommonOptions& options, std::string_view more) {
    return rules::RuleBook::load(
        fmt::format("{},{}", options.rules, more), book.registry(),
        options.allowAssumptions ? rules::Assumptions::Allowed : rules::Assumptions::Forbidden);
}

void printNotes(const onnx::ExportReport& report, const std::string& path, onnx::Profile profile) {
    if (report.expanded > 0) {
        fmt::print(stderr, "{}: {} operator{} that ONNX does not have {} written out as what {} for{}\n", path,
                   report.expanded, report.expanded == 1 ? "" : "s", report.expanded == 1 ? "is" : "are",
                   report.expanded == 1 ? "it stands" : "they stand",
                   profile == onnx::Profile::Standard ? " (`export --profile microsoft` keeps ONNX Runtime's)" : "");
    }
    if (report.unfolded > 0) {
        fmt::print(stderr, "{}: {} weight{} computed where the file is run, as there was no time to compute {} here\n",
                   path, report.unfolded, report.unfolded == 1 ? " is" : "s are", report.unfolded == 1 ? "it" : "them");
    }
    for (const std::string& warning : report.warnings) fmt::print(stderr, "{}: {}\n", path, warning);
    if (!report.checkerSays.empty()) fmt::print(stderr, "{}: ONNX's checker says: {}\n", path, report.checkerSays);
    if (!report.inferenceSays.empty()) {
        fmt::print(stderr, "{}: ONNX's shape inference says: {}\n", path, report.inferenceSays);
    }
}

bool hasWeights(const OpenProgram& open) {
    bool found = false;
    ir::forEachShared(*open.bank, open.program.root, [&](const ir::Path&, ir::TermId node) {
        found = open.bank->opName(node) == tensor::WeightName;
        return !found;
    });
    return found;
}

Result<bool> isModelOutput(const std::string& path) {
    if (!onnx::isModelFile(path)) return false;
    if (onnx::isBinaryModelFile(path)) return true;
    return Error{ErrorCode::Unsupported, fmt::format("{}: models are not written in ONNX's textual syntax", path),
                 std::nullopt, "name a file that ends in .onnx"};
}

Result<bool> writeProgram(const OpenProgram& open, const ir::TermBank& bank, const ir::Program& program,
                          const std::string& threadText, const std::string& path) {
    MITOS_TRY(const bool isModel, isModelOutput(path));
    if (!isModel) {
        const Status written = writeFile(path, dialects::printProgram(bank, program) + "\n");
        return written ? Result<bool>(true) : written.error();
    }
    const Result<onnx::ComparedExport> written = writeModel({open, bank, program, threadText}, path);
    return written ? Result<bool>(written->report.isAccepted()) : written.error();
}

Result<onnx::ComparedExport> writeModel(const WrittenProgram& what, const std::string& path,
                                        onnx::ExportOptions options,
                                        const std::optional<onnx::OriginalFile>& original) {
    const auto& [open, bank, program, threadText] = what;
    if (!bank.dialect(program.function).canExport("onnx")) {
        return Error{ErrorCode::Unsupported, "only a tensor program can be written as an ONNX model"};
    }
    tensor::Model model = open.read.model ? *open.read.model : tensor::modelOf(bank, program);
    model.program = program;
    if (!threadText.empty()) options.metadata["mitos_thread"] = threadText;
    MITOS_TRY(const onnx::ComparedExport written, onnx::exportCompared(bank, model, path, options, original));
    if (written.comparison) fmt::print(stderr, "{}: {}\n", path, written.comparison->toString());
    if (written.isWritten)
        printNotes(written.report, path, options.profile);
    else
        fmt::print(stderr, "{}: not written (--insist writes it)\n", path);
    return written;
}

CLI::Validator positiveNumber() {
    return CLI::Validator(
        [](std::string& text) -> std::string {
            double value = 0.0;
            if (CLI::detail::lexical_cast(text, value) && value > 0.0) return {};
            return fmt::format("{} is not a number above 0", text);
        },
        "POSITIVE");
}

CLI::Validator wholeNumber(std::uint64_t least) {
    return CLI::Validator(
        [least](std::string& text) -> std::string {
            if (const auto value = numberFrom<std::uint64_t>(text); value && *value >= least) return {};
            return fmt::format("{} is not a whole number from {} to 18446744073709551615", text, least);
        },
        "WHOLE");
}

std::string shortPosition(const ir::Path& position) {
    constexpr std::size_t MaxLevels = 24;
    constexpr std::ptrdiff_t KeptLevels = 8;
    if (position.size() <= MaxLevels) return ir::toString(position);
    return ir::toString(ir::Path(position.begin(), position.begin() + KeptLevels)) + "/…" +
           ir::toString(ir::Path(position.end() - KeptLevels, position.end()));
}

std::string shortPlace(const ir::TermBank& bank, const ir::Program& program, const rewrite::Step& step) {
    const bool hasNames = bank.dialect(program.function).sharesNodes();
    std::vector<std::string> texts;
    for (const ir::Path& position : step.positions) {
        const std::optional<ir::TermId> node = ir::subterm(bank, program.root, position);
        texts.push_back(hasNames && node ? tensor::nodeText(bank, *node) : shortPosition(position));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string settledCost(const std::string& name) {
    cost::SettledName settled = cost::settledName(name);
    if (!settled.warning.empty()) fmt::print(stderr, "warning: {}\n", settled.warning);
    return std::move(settled.name);
}

Result<std::shared_ptr<const cost::CostModel>> openCostModel(const CommonOptions& options,
                                                             const ir::OperatorRegistry& registry,
                                                             std::string_view dialect) {
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model, cost::findCostModel(options.cost, dialect));
    MITOS_REQUIRE(cost::requireOperators(model->info(), registry));
    return model;
}

std::vector<std::string> splitList(const std::string& list) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        if (end > begin) parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

namespace {

Status requireWritable(const std::string& path) {
    if (path.empty() || path == "-") return mitos::Success{};
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const auto failureAt = [](const std::string& target) { return ::access(target.c_str(), W_OK) == 0 ? 0 : errno; };
    std::error_code code;
    int failure = std::filesystem::is_directory(path, code) ? EISDIR : failureAt(path);
    // The folder decides where there is no file, or where another process removes it at this moment.
    if (failure == ENOENT) failure = failureAt(folder.empty() ? "." : folder.string());
    if (failure == 0) return mitos::Success{};
    return Error{ErrorCode::Io, fmt::format("{}: cannot be written ({})", path, std::strerror(failure)), std::nullopt,
                 "check that the folder exists and is writable"};
}

}  // namespace

std::vector<NamedFile> filesRead(const rules::RuleBook& book, const tensor::Model* model) {
    std::vector<NamedFile> files;
    for (const std::string& file : book.files()) files.push_back({"--rules", file});
    if (model == nullptr) return files;
    for (const std::string& file : model->dataFiles) files.push_back({"the weights of FILE", file});
    return files;
}

Status requireOutputs(const CommonOptions& options, const std::vector<NamedFile>& outputs,
                      std::vector<NamedFile> inputs) {
    for (const NamedFile& output : outputs) MITOS_REQUIRE(requireWritable(output.path));
    return requireOwnFiles(options, outputs, std::move(inputs));
}

Status requireOwnFiles(const CommonOptions& options, std::vector<NamedFile> outputs, std::vector<NamedFile> inputs) {
    for (std::size_t i = 0, named = outputs.size(); i < named; ++i) {
        if (!onnx::isBinaryModelFile(outputs[i].path)) continue;
        outputs.push_back({fmt::format("the weights of {}", outputs[i].name), outputs[i].path + ".data"});
    }
    inputs.push_back({"FILE", options.file});
    if (const auto model = cost::findCostModel(options.cost)) {
        for (std::string& file : (*model)->info().files()) inputs.push_back({"--cost", std::move(file)});
    }
    return requireSeparate(outputs, inputs);
}

std::uint64_t reservedMemory(std::uint64_t limitBytes) {
    constexpr std::uint64_t Rest = 12;  // tables grow by doubling, and finding the steps of the thread takes memory
    return residentBytes() + limitBytes / Rest;
}

std::string utcNow() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

Result<std::string> drawDot(const std::string& dot) {
    constexpr double DrawSeconds = 60.0;
    MITOS_TRY(ChildOutput svg, runChild({"dot", "-Tsvg"}, ChildOptions{.input = dot, .seconds = DrawSeconds}));
    if (svg.exitStatus != 0) return Error{ErrorCode::Io, "dot could not draw the picture: " + svg.errors};
    return std::move(svg.output);
}

void print(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

int fail(const Error& error, bool json) {
    if (json) {
        Json report{{"error", {{"code", toString(error.code)}, {"message", error.message}}}};
        if (error.place && error.place->line > 0) {
            report["error"]["file"] = error.place->file;
            report["error"]["line"] = error.place->line;
            report["error"]["column"] = error.place->column;
        }
        if (!error.hint.empty()) report["error"]["hint"] = error.hint;
        for (const Error& other : error.others) report["error"]["others"].push_back(other.oneLine());
        print(report);
    }
    fmt::print(stderr, "{}", error.render());
    return BadInput;
}

InterruptGuard::InterruptGuard()
    : m_watch([this](int signal) { hear(signal); }, std::chrono::milliseconds(900),
              [this] { return m_isWorking.load(); }) {}

void InterruptGuard::hear(int signal) {
    constexpr std::chrono::milliseconds UntilAbandoned{500};
    m_source.request_stop();
    if (signal != SIGTERM) return;
    m_timer = std::jthread([this, UntilAbandoned](const std::stop_token& ended) {
        std::mutex mutex;
        std::condition_variable_any wakes;
        std::unique_lock lock(mutex);
        wakes.wait_for(lock, ended, UntilAbandoned, [] { return false; });
        if (!ended.stop_requested()) m_abandoned.request_stop();
    });
}

}  // namespace mitos::cli
