// SPDX-License-Identifier: GPL-3.0-or-later
// measure: measures the operations of tensor programs, here or by way of files on another machine, and writes their times as a cost
// profile.
#include "app/cli/commands.h"
#include "app/cli/search_options.h"
#include "core/cost/calibration.h"
#include "core/cost/measuring/answers.h"
#include "core/cost/measuring/growing_profile.h"
#include "core/cost/measuring/torch.h"
#include "core/cost/profile.h"
#include "core/dialects/dialects.h"
#include "core/egraph/runner.h"
#include "core/extract/operations.h"
#include "core/networks/networks.h"
#include "core/onnx/measure_operators.h"
#include "core/tensor/dialect.h"
#include "search/saturation/saturation_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace mitos::cli {

namespace {

constexpr std::int64_t UnknownSize = 1;

struct MeasureOptions : CommonOptions {
    std::vector<std::string> files;
    std::vector<std::string> networks;
    bool realistic = false;
    cost::TorchOptions torch;
    std::string runtime = "torch";
    std::string python = onnx::RuntimeOptions{}.python;
    std::string level = "all";
    std::optional<std::uint64_t> nodes;
    std::string sizes = "1";
    std::string title;
    std::string output;
    std::string requests;     ///< the file to write instead of measuring
    std::string answers;      ///< the file to read instead of measuring
    bool calibrates = false;  ///< the machine, instead of programs
    bool again = false;
    bool quiet = false;

    [[nodiscard]] bool namesPrograms() const { return !files.empty() || !networks.empty(); }
};

/// The operations to measure, each once, in the order in which they were found.
class Wanted {
public:
    explicit Wanted(const cost::Measurer& measurer) : m_measurer(&measurer) {}
    void add(std::vector<cost::Operation> operations) {
        for (cost::Operation& operation : operations) {
            if (m_measurer->isFree(operation) || !m_seen.insert(operation).second) continue;
            m_operations.push_back(std::move(operation));
        }
    }
    void addProgram(const ir::TermBank& bank, const ir::Program& program, const cost::AssumedSizes& sizes) {
        add(cost::operationsOf(bank, program.root, sizes));
        m_unknownNodes += cost::nodesWithoutOperation(bank, program.root);
        m_sizeNames.merge(cost::sizeNamesIn(bank, program.root));
    }
    [[nodiscard]] const std::vector<cost::Operation>& operations() const { return m_operations; }
    [[nodiscard]] bool contains(const cost::Operation& operation) const { return m_seen.contains(operation); }
    /// The nodes of the programs that are no operations.
    [[nodiscard]] std::size_t unknownNodes() const { return m_unknownNodes; }

    /// Fails if a size is given that no program has.
    [[nodiscard]] Status requireSizes(const cost::AssumedSizes& sizes) const {
        for (const auto& [name, size] : sizes.named) {
            if (m_sizeNames.contains(name)) continue;
            return inputError(fmt::format("--sizes: no size is named {}", name),
                              m_sizeNames.empty() ? std::string("all sizes are numbers")
                                                  : fmt::format("names of sizes: {}", fmt::join(m_sizeNames, ", ")));
        }
        return mitos::Success{};
    }

private:
    std::size_t m_unknownNodes = 0;
    std::set<std::string> m_sizeNames;
    const cost::Measurer* m_measurer;
    std::set<cost::Operation> m_seen;
    std::vector<cost::Operation> m_operations;
};

/// Adds the operations of a program, and those of an e-graph grown from it if the user limits its e-nodes.
Status addOperations(const MeasureOptions& options, ir::TermBank& bank, const ir::Program& program,
                     const rules::RuleBook& book, const cost::AssumedSizes& sizes, const std::stop_token& stop,
                     Wanted& wanted) {
    wanted.addProgram(bank, program, sizes);
    if (!options.nodes) return mitos::Success{};
    constexpr std::uint32_t Iterations = 15;
    constexpr double Seconds = 60.0;
    MITOS_TRY(const auto rules, egraph::prepareRules(book.directions()));
    egraph::SaturationOptions growth = search::usualPlan(bank.dialect(program.function)).growth;
    growth.limits = {.iterations = Iterations, .nodes = options.nodes, .seconds = Seconds, .memoryBytes = std::nullopt};
    egraph::EGraph graph(bank, /*explain=*/false);
    graph.addExactly(program.root);
    graph.rebuild();
    MITOS_REQUIRE(egraph::saturate(graph, rules, growth, stop, [](auto&, auto&) { return true; }));
    wanted.add(extract::operationsOf(graph, sizes));
    return mitos::Success{};
}

/// The operations that the user wants measured. Fails also if the output is a file that was read for them.
Result<Wanted> wantedBy(const MeasureOptions& options, const cost::Measurer& measurer, const std::stop_token& stop) {
    MITOS_TRY(const cost::AssumedSizes sizes, cost::readSizes(options.sizes, UnknownSize));
    MITOS_TRY(const rules::RuleBook book, openRules(options));
    Wanted wanted(measurer);
    std::vector<NamedFile> read = filesRead(book);
    for (const std::string& file : options.files) {
        auto one = static_cast<const CommonOptions&>(options);
        one.file = file;
        MITOS_REQUIRE(one.settle());
        MITOS_TRY(const OpenProgram open, openProgram(one, book.registry()));
        if (!open.dialect().can(ir::Capability::Measure)) {
            return inputError(fmt::format("{} is not a tensor program", file),
                              "runtimes of tensor programs are measured: give a model, or a listing");
        }
        read.push_back({"FILE", file});
        for (NamedFile& used : filesRead(book, open.read.model.get())) read.push_back(std::move(used));
        MITOS_REQUIRE(requireOwnFiles(options, {{"-o", options.output}, {"--requests", options.requests}}, read));
        MITOS_REQUIRE(addOperations(options, *open.bank, open.program, book, sizes, stop, wanted));
    }
    for (const std::string& name : options.networks) {
        MITOS_TRY(const networks::Network* network, networks::findNetwork(name));
        ir::TermBank bank(book.registry());
        const networks::Style style = options.realistic ? networks::Style::Realistic : networks::Style::Paper;
        MITOS_TRY(const tensor::Model model, networks::build(bank, *network, style));
        MITOS_REQUIRE(addOperations(options, bank, model.program, book, sizes, stop, wanted));
    }
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped before measuring began"};
    MITOS_REQUIRE(wanted.requireSizes(sizes));
    return wanted;
}

/// The operations that answers are taken for: those of the programs, or without programs all that have an answer. Fails also if there is
/// an answer for an operation that the programs do not have.
Result<Wanted> answeredBy(const MeasureOptions& options, const cost::AnswersFile& answers,
                          const cost::Measurer& measurer, const std::stop_token& stop) {
    if (!options.namesPrograms()) {
        Wanted wanted(measurer);
        for (const cost::Answer& answer : answers.answers) wanted.add({answer.operation});
        return wanted;
    }
    MITOS_TRY(Wanted wanted, wantedBy(options, measurer, stop));
    for (const cost::Answer& answer : answers.answers) {
        if (wanted.contains(answer.operation)) continue;
        return inputError(fmt::format("{} answers other requests: the programs have no operation {}", answers.name,
                                      cost::text(answer.operation)),
                          "repeat the options with which the requests were written; without FILE, all answers count");
    }
    return wanted;
}

/// The profile that the output extends; an empty one if there is no such file.
Result<cost::CostProfile> profileToExtend(const std::string& path) {
    std::error_code unknown;
    if (path == "-" || !std::filesystem::exists(path, unknown)) return cost::CostProfile();
    MITOS_TRY(const SourceText text, readSourceFile(path));
    return cost::readProfile(path, text.text());
}

std::string outcomeText(const cost::OperationOutcome& outcome) {
    constexpr double Micros = 1e6;
    return outcome.time ? fmt::format("{:.4g} µs", Micros * outcome.time->minimum)
                        : fmt::format("refused: {}", outcome.refused);
}

struct Counts {
    std::size_t wanted = 0;
    std::size_t known = 0;
    std::size_t measured = 0;
    std::size_t refused = 0;
    std::size_t unknownNodes = 0;

    [[nodiscard]] std::size_t done() const { return measured + refused; }
};

void warnOfDrift(const cost::CostProfile& profile) {
    if (profile.drift <= cost::LargestDrift) return;
    fmt::print(stderr,
               "warning: the machine became up to {:.0f} % slower meanwhile, so the times are not well comparable; "
               "measure again when nothing else runs\n",
               100.0 * profile.drift);
}

void report(const MeasureOptions& options, const cost::CostProfile& profile, const Counts& counts, bool isComplete) {
    if (options.json) {
        Json refused = Json::array();
        for (const auto& [operation, reason] : profile.refused) {
            refused.push_back({{"operation", cost::text(operation)}, {"reason", reason}});
        }
        print({{"profile", options.output},
               {"title", profile.title},
               {"runtime", profile.setup.runtime},
               {"processor", profile.setup.processor},
               {"operations", counts.wanted},
               {"already_known", counts.known},
               {"measured", counts.measured},
               {"refused", refused},
               {"unknown_nodes", counts.unknownNodes},
               {"drift", profile.drift},
               {"complete", isComplete}});
        return;
    }
    if (options.quiet) return;
    fmt::print(stderr, "{}: {} operation{} measured, {} refused, {} already known{}; {} time{} in all\n",
               options.output, counts.measured, counts.measured == 1 ? "" : "s", counts.refused, counts.known,
               isComplete ? "" : " (stopped before the end)", profile.times.size(),
               profile.times.size() == 1 ? "" : "s");
    if (counts.unknownNodes > 0) {
        fmt::print(stderr, "  left out: {} node{} whose operator or number of axes is unknown\n", counts.unknownNodes,
                   counts.unknownNodes == 1 ? "" : "s");
    }
    if (profile.times.empty() && profile.refused.empty()) {
        fmt::print(stderr, "  nothing was written, as there is no operation that could be measured\n");
    }
    for (const auto& [operation, reason] : profile.refused) {
        fmt::print(stderr, "  not measured: {}: {}\n", cost::text(operation), reason);
    }
    warnOfDrift(profile);
}

std::unique_ptr<cost::Measurer> measurerOf(const MeasureOptions& options,
                                           const std::optional<cost::AnswersFile>& answers) {
    if (answers) return cost::answersMeasurer(*answers);
    if (options.runtime == "torch") return cost::torchMeasurer(options.torch);
    return onnx::runtimeMeasurer(
        dialects::makeRegistry(),
        {.python = options.python,
         .level = onnx::optimizationLevel(options.level).value_or(onnx::OptimizationLevel::All),
         .threads = static_cast<int>(options.torch.threads)},
        options.torch.secondsPerOperation);
}

/// Checks what a calibration needs besides requireUsage().
Status requireCalibration(const MeasureOptions& options) {
    const bool isElsewhere = !options.answers.empty() || options.torch.device != "cpu";
    if (options.output.empty() && options.requests.empty() && isElsewhere) {
        return inputError("the calibration of this machine is measured on its processor",
                          "-o NAME.json writes that of another device to a file; --cost roofline:NAME.json uses it");
    }
    return mitos::Success{};
}

Status requireUsage(const MeasureOptions& options) {
    if (options.runtime != "torch" && options.torch.device != "cpu") {
        return inputError("ONNX Runtime is measured on the processor only", "--device cpu");
    }
    if (options.runtime != "torch" && !options.requests.empty()) {
        return inputError("requests are for LibTorch", "leave --runtime out");
    }
    if (options.calibrates) MITOS_REQUIRE(requireCalibration(options));
    if (!options.namesPrograms() && options.answers.empty() && !options.calibrates) {
        return inputError("there is nothing to measure", "give a FILE, or --network NAME");
    }
    if (options.output.empty() && options.requests.empty() && !options.calibrates) {
        return inputError("no cost profile is named", "-o NAME.json");
    }
    if (!options.output.empty() && options.output != "-" && !options.output.ends_with(".json")) {
        return inputError(
            fmt::format("{} is no name of a {}", options.output, options.calibrates ? "device" : "cost profile"),
            "-o NAME.json");
    }
    return requireOutputs(options, {{"-o", options.output}, {"--requests", options.requests}},
                          {{"--answers", options.answers}});
}

Result<std::optional<cost::AnswersFile>> answersOf(const MeasureOptions& options) {
    if (options.answers.empty()) return std::optional<cost::AnswersFile>();
    MITOS_TRY(const SourceText text, readSourceFile(options.answers));
    MITOS_TRY(cost::AnswersFile answers, cost::readAnswers(options.answers, text.text()));
    return std::optional(std::move(answers));
}

/// Writes what would be measured. Nothing runs.
Result<int> writeRequests(const MeasureOptions& options, const cost::CostProfile& known, const Wanted& wanted,
                          cost::Remeasure remeasure) {
    const std::vector<cost::Operation> missing = cost::missingIn(known, wanted.operations(), remeasure);
    MITOS_REQUIRE(writeFile(options.requests, cost::torchRequests(options.torch, missing)));
    if (options.json && options.requests != "-") {
        print({{"requests", options.requests},
               {"operations", missing.size()},
               {"already_known", wanted.operations().size() - missing.size()},
               {"unknown_nodes", wanted.unknownNodes()}});
    } else if (!options.quiet) {
        fmt::print(stderr, "{}: {} operation{} to measure: mitos-measure < {} > ANSWERS\n", options.requests,
                   missing.size(), missing.size() == 1 ? "" : "s", options.requests);
    }
    return ExitStatus::Success;
}

/// Measures into the profile, writes it, and reports.
Result<int> measureAndWrite(const MeasureOptions& options, cost::CostProfile& profile, cost::Measurer& measurer,
                            const Wanted& wanted, cost::Remeasure remeasure, const std::stop_token& stop) {
    const std::size_t missing = cost::missingIn(profile, wanted.operations(), remeasure).size();
    Counts counts{.wanted = wanted.operations().size(),
                  .known = wanted.operations().size() - missing,
                  .unknownNodes = wanted.unknownNodes()};
    cost::GrowingProfile file(options.output, profile);
    const auto nameProfile = [&] {
        if (!options.title.empty()) profile.title = options.title;
        if (profile.title.empty()) profile.title = cost::titleOf(profile.setup);
    };
    const ProgressLine progress(!options.quiet);
    const Status ended = cost::measureInto(
        profile, measurer, wanted.operations(), remeasure,
        [&](const cost::OperationOutcome& outcome) {
            ++(outcome.time ? counts.measured : counts.refused);
            progress.show(fmt::format("{}/{}  {}: {}", counts.done(), missing, cost::text(outcome.operation),
                                      outcomeText(outcome)));
            nameProfile();
            file.writeIfDue();
        },
        stop);
    progress.clear();
    const bool wasStopped = !ended && ended.error().code == ErrorCode::Cancelled;
    nameProfile();
    if (ended || counts.done() > 0) MITOS_REQUIRE(file.write());
    if (!ended && !wasStopped) return ended.error();
    if (wasStopped && counts.done() == 0) return ended.error();
    report(options, profile, counts, ended.ok());
    return ExitStatus::Success;
}

void reportCalibration(const MeasureOptions& options, const cost::CostProfile& profile, const cost::Device& device,
                       const std::string& file) {
    const bool isThisMachine = options.output.empty();
    const std::string costs = fmt::format("roofline:{}", isThisMachine ? device.name : file);
    if (options.json && file != "-") {
        print({{"device", file},
               {"title", device.title},
               {"launch_seconds", device.launchSeconds},
               {"single_flops", device.singleFlops},
               {"double_flops", device.doubleFlops},
               {"half_flops", device.halfFlops},
               {"bytes_per_second", device.bytesPerSecond},
               {"cost", costs},
               {"drift", profile.drift}});
    }
    if (options.json || options.quiet) return;
    constexpr double Micro = 1e6;
    constexpr double Giga = 1e-9;
    fmt::print(
        stderr,
        "{}\n  {:.3g} µs a launch, {:.3g} GFLOP/s (f64: {:.3g}, f16: {:.3g}), {:.3g} GB/s\n  written to {}; {}\n",
        device.title, Micro * device.launchSeconds, Giga * device.singleFlops, Giga * device.doubleFlops,
        Giga * device.halfFlops, Giga * device.bytesPerSecond, file,
        isThisMachine ? "tensor programs are priced by it from now on, unless --cost names another device"
                      : fmt::format("--cost {}", costs));
    for (const auto& [operation, reason] : profile.refused) {
        fmt::print(stderr, "  not measured: {}: {}\n", cost::text(operation), reason);
    }
    warnOfDrift(profile);
}

/// Measures what shows how fast the machine is, and writes it as a device.
Result<int> runCalibration(const MeasureOptions& options, cost::Measurer& measurer,
                           const std::optional<cost::AnswersFile>& answers, const std::stop_token& stop) {
    Wanted wanted(measurer);
    wanted.add(cost::calibrationOperations(answers ? answers->setup.device : options.torch.device));
    cost::CostProfile profile;
    if (!options.requests.empty()) return writeRequests(options, profile, wanted, cost::Remeasure::Never);
    const ProgressLine progress(!options.quiet);
    const Status ended = cost::measureInto(
        profile, measurer, wanted.operations(), cost::Remeasure::Never,
        [&](const cost::OperationOutcome& outcome) {
            progress.show(fmt::format("{}: {}", cost::text(outcome.operation), outcomeText(outcome)));
        },
        stop);
    progress.clear();
    if (!ended) return ended.error();
    MITOS_TRY(cost::Device device, cost::fittedDevice(profile));
    if (!options.title.empty()) device.title = options.title;
    std::string file = options.output;
    if (file.empty()) {
        MITOS_TRY(file, cost::writeCalibration(device));
    } else {
        MITOS_REQUIRE(writeFile(file, cost::deviceText(device)));
    }
    reportCalibration(options, profile, device, file);
    return ExitStatus::Success;
}

Result<int> runMeasure(const MeasureOptions& options) {
    MITOS_REQUIRE(requireUsage(options));
    const InterruptGuard interrupt;
    if (options.calibrates) {
        MITOS_TRY(const std::optional<cost::AnswersFile> given, answersOf(options));
        return runCalibration(options, *measurerOf(options, given), given, interrupt.token());
    }
    MITOS_TRY(cost::CostProfile profile, profileToExtend(options.output));
    MITOS_TRY(const std::optional<cost::AnswersFile> answers, answersOf(options));
    const std::unique_ptr<cost::Measurer> measurer = measurerOf(options, answers);
    MITOS_TRY(const Wanted wanted, answers ? answeredBy(options, *answers, *measurer, interrupt.token())
                                           : wantedBy(options, *measurer, interrupt.token()));
    const cost::Remeasure remeasure = options.again ? cost::Remeasure::Always : cost::Remeasure::Never;
    if (!options.requests.empty()) return writeRequests(options, profile, wanted, remeasure);
    MITOS_TRY(const int status, measureAndWrite(options, profile, *measurer, wanted, remeasure, interrupt.token()));
    if (answers && !answers->isWhole) {
        return inputError(
            fmt::format("{} has no end: mitos-measure was interrupted, or the file was cut off after {} answer{}",
                        options.answers, answers->answers.size(), answers->answers.size() == 1 ? "" : "s"),
            "those answers are kept; --requests with -o PROFILE asks for the others");
    }
    return status;
}

/// The options that say how operations are measured.
std::vector<CLI::Option*> addMeasuring(CLI::App& command, MeasureOptions& options) {
    return {command.add_option("--device", options.torch.device, "where the operations run")
                ->check(CLI::IsMember({"cpu", "cuda"}))
                ->capture_default_str(),
            command.add_option("--runtime", options.runtime, "what runs the operations: LibTorch or ONNX Runtime")
                ->check(CLI::IsMember({"torch", "onnxruntime"}))
                ->capture_default_str(),
            command
                .add_option("--onnxruntime", options.python,
                            "onnxruntime: a Python interpreter that has it (modules onnxruntime and numpy)")
                ->capture_default_str(),
            command
                .add_option("--level", options.level,
                            "onnxruntime: its own optimizations, disabled, basic, extended or all")
                ->check(CLI::IsMember(onnx::optimizationLevels()))
                ->capture_default_str(),
            command.add_option("--threads", options.torch.threads, "threads of the runtime")
                ->check(CLI::Range(1, 1024))
                ->capture_default_str(),
            command.add_option("--seconds", options.torch.secondsPerOperation, "least time spent on each operation")
                ->check(positiveNumber())
                ->capture_default_str()};
}

}  // namespace

void addMeasureCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand(
        "measure",
        "measure the operations of tensor programs on this machine, or on another one by --requests and --answers; "
        "Ctrl-C keeps what was measured");
    auto options = std::make_shared<MeasureOptions>();
    CLI::Option* const files = command->add_option("FILE", options->files, "tensor programs or models");
    CLI::Option* const networks = command->add_option("--network", options->networks,
                                                      "one of the thirteen networks (mitos-cli model lists them)");
    command->add_flag("--realistic,!--paper", options->realistic,
                      "the networks as trained ones are; --paper (the default): as the papers' scripts build them");
    const std::vector<CLI::Option*> ways = addMeasuring(*command, *options);
    options->rules = tensor::dialect().defaultRules;
    options->addRules(*command);
    CLI::Option* const nodes =
        command
            ->add_option(
                "--nodes", options->nodes,
                "also measure the operations of an e-graph that the rules grow from each program, up to so many "
                "e-nodes")
            ->check(wholeNumber(1));
    command->add_option("--sizes", options->sizes, "sizes that are names in the programs: 64,N=8")
        ->capture_default_str();
    CLI::Option* const again =
        command->add_flag("--again", options->again, "also measure operations that the profile has already");
    command->add_option("--title", options->title, "title of the profile, or of the device");
    command->add_option("-o,--output", options->output,
                        "file of the profile (.json); one that exists is extended if it was measured in the same way");
    CLI::Option* const requests = command->add_option(
        "--requests", options->requests,
        "measure nothing, and write requests to this file, for a machine that has mitos-measure and LibTorch only: "
        "mitos-measure < REQUESTS > ANSWERS; with -o, without what that profile has");
    CLI::Option* const answers = command->add_option(
        "--answers", options->answers,
        "measure nothing, and make the profile from what mitos-measure wrote there; with FILE, the answers must be "
        "those for its operations");
    answers->excludes(requests);
    for (CLI::Option* const way : ways) answers->excludes(way);
    CLI::Option* const calibrates = command->add_flag(
        "--calibrate", options->calibrates,
        "measure how fast this machine is, in less than a minute, and price tensor programs by that from now on "
        "(roofline:this-machine); with -o, write a device file instead (--cost roofline:FILE.json)");
    for (CLI::Option* const other : {files, networks, nodes, again}) calibrates->excludes(other);
    command->add_flag("--quiet", options->quiet, "no progress and no summary");
    options->addJson(*command);
    command->callback([options, choose] { choose([options] { return runMeasure(*options); }); });
}

}  // namespace mitos::cli
