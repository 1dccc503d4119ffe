// SPDX-License-Identifier: GPL-3.0-or-later
// export: writes a program, the end of a thread, or an e-graph in another format.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/egraph_input.h"
#include "app/cli/model_output.h"
#include "app/cli/search_options.h"
#include "app/cli/thread_input.h"
#include "app/cli/verification.h"
#include "core/codegen/cpp.h"
#include "core/dialects/dialects.h"
#include "core/egraph/json.h"
#include "core/egraph/take_snapshot.h"
#include "core/extract/recorded.h"
#include "core/ir/draw.h"
#include "core/rewrite/assumptions.h"
#include "core/rewrite/step.h"
#include "core/timing/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

struct ExportOptions : CommonOptions {
    std::string to;
    std::string output = "-";
    std::string steps;
    std::string profile = "standard";
    bool externalData = false;
    ModelOutput modelOutput;
    bool check = false;
    bool main = false;
    bool insist = false;
    VerifyFlags verify;
    std::string name;
    std::string nameSpace;
    std::string header;
    std::vector<std::string> settings;
    codegen::CheckOptions checkOptions;
    std::vector<std::pair<const CLI::Option*, std::string>> special;  ///< options for one format only
    EGraphFlags egraph;
    std::vector<const CLI::Option*> ofPrograms;
};

/// Fails if an option would be ignored.
Status requireMeant(const ExportOptions& options) {
    for (const auto& [option, to] : options.special) {
        if (option->count() == 0 || to == options.to) continue;
        return inputError(fmt::format("{} is for --to {}", option->get_name(), to), "leave it out");
    }
    return mitos::Success{};
}

/// How C++ is written: sets what --set chooses.
Status choose(const ExportOptions& options, codegen::CppOptions& chosen) {
    for (const std::string& setting : options.settings) {
        if (setting == "products=eigen" || setting == "products=loops") {
            chosen.products = setting == "products=eigen" ? codegen::Products::Eigen : codegen::Products::Loops;
        } else if (setting == "sums=in-parts" || setting == "sums=in-order") {
            chosen.sums = setting == "sums=in-order" ? codegen::Sums::InOrder : codegen::Sums::InParts;
        } else {
            return inputError(fmt::format("--set {}: there is no such choice", setting),
                              "write products=loops, products=eigen, sums=in-parts or sums=in-order");
        }
    }
    return mitos::Success{};
}

/// Fails if the extension of the output file means another format.
Status requireEnding(const ExportOptions& options) {
    struct Ending {
        std::string_view ending;
        std::string_view to;
    };
    constexpr std::array Endings{Ending{".onnx", "onnx"},       Ending{".ks", "ks"},   Ending{".cpp", "cpp"},
                                 Ending{".h", "cpp"},           Ending{".dot", "dot"}, Ending{".svg", "svg"},
                                 Ending{".json", "egraph-json"}};
    MITOS_TRY(const bool isModel, isModelOutput(options.output));
    const std::string found = isModel ? ".onnx" : std::filesystem::path(options.output).extension().string();
    const auto* const said = std::ranges::find(Endings, found, &Ending::ending);
    if (said == Endings.end() || said->to == options.to) return mitos::Success{};
    return inputError(
        fmt::format("{}: the ending is that of --to {}, and not of --to {}", options.output, said->to, options.to),
        "name another file, or another form");
}

/// The exported program: the program as opened, or the end of the thread that starts at it.
struct Subject {
    ir::Program program;
    std::string threadText = {};  ///< written anew, so that no costs and values from the file are passed on
    std::optional<rewrite::Verdict> verdict = {};     ///< of a thread
    std::vector<eval::AssumedSign> assumptions = {};  ///< of a thread
};

Result<Subject> subjectOf(const ExportOptions& options, OpenProgram& open, const rules::RuleBook& book,
                          const std::stop_token& stop) {
    if (options.steps.empty()) return Subject{open.program};
    const Result<ReadThread> read = openThread(options.steps, options, open, book);
    if (!read) return read.error();
    if (!read->report.valid) {
        return inputError(
            fmt::format("{}: step {} is wrong: {}", options.steps, read->report.failedStep, read->report.reason),
            "only a thread that replays can be exported");
    }
    const search::Judging judging = options.verify.judging(open.weights(), trustInRulesOf(read->thread, book, stop));
    Subject subject{read->thread.end()};
    subject.verdict = rewrite::judge(*open.bank, read->thread, read->report, judging.options(1, stop));
    subject.assumptions = rewrite::signsOf(*open.bank, rewrite::assumptionsOf(*open.bank, read->thread));
    subject.threadText = rewrite::writeThread(*open.bank, read->thread, read->costs, read->costModel,
                                              "verdict: " + subject.verdict->toString());
    return subject;
}

/// The program's terms as an e-graph without equalities: equal subterms are one e-node, and each e-node costs 1.
std::string egraphJson(ir::TermBank& bank, ir::TermId root) {
    egraph::EGraph graph(bank, false);
    const egraph::ENodeId node = graph.add(root);
    graph.rebuild();
    return egraph::writeJson(egraph::takeSnapshot(graph, {&node, 1}, [](egraph::ENodeId) { return 1.0; }));
}

Result<codegen::CppOptions> cppOptions(const ExportOptions& options, const ir::TermBank& bank, const Subject& subject) {
    const std::string file = options.output == "-" ? std::string() : options.output;
    codegen::CppOptions made{.functionName = options.name,
                             .testMain = options.main,
                             .comment = subject.threadText,
                             .nameSpace = options.nameSpace.empty() ? codegen::nameSpaceFor(bank, subject.program, file)
                                                                    : options.nameSpace};
    MITOS_REQUIRE(choose(options, made));
    return made;
}

Result<std::string> render(const ExportOptions& options, ir::TermBank& bank, const Subject& subject) {
    if (options.to == "egraph-json") return egraphJson(bank, subject.program.root);
    const ir::Dialect& dialect = bank.dialect(subject.program.function);
    if ((options.to == "ks" || options.to == "cpp") && !dialect.canExport(options.to)) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("a {} program cannot be written as {}", dialect.name, options.to), std::nullopt,
                     "`mitos-cli show` prints it as a listing"};
    }
    if (options.to == "ks") return dialects::printProgram(bank, subject.program) + "\n";
    if (options.to == "cpp") {
        MITOS_TRY(const codegen::CppOptions cpp, cppOptions(options, bank, subject));
        return codegen::emitCpp(bank, subject.program, cpp);
    }
    const std::string dot = ir::dotText(bank, subject.program.root, bank.function(subject.program.function).sharing,
                                        ir::MostDrawn, ir::labelOf);
    if (options.to == "dot") return dot;
    return drawDot(dot);
}

void printTimes(const codegen::CheckReport& check) {
    const std::string ratio = check.tooShort() ? "too short to compare: such calls are mostly overhead"
                                               : fmt::format("{} of the time: {}", timing::ratioText(check.ratio),
                                                             timing::wordsFor(check.ratio.pace()));
    fmt::print("input program {:.6g} s, output program {:.6g} s ({}), medians of {} alternating batches of calls{}\n",
               check.input.seconds.median, check.output.seconds.median, ratio, check.input.count,
               check.timingSize > 0 ? fmt::format(", every size {}", check.timingSize) : "");
}

/// Prints the verdict on standard error, since the program may go to standard output. Returns the exit status.
int sayVerdict(const rewrite::Verdict& verdict, const ExportOptions& options) {
    if (!options.json) fmt::print(stderr, "{}\n", verdict.toString());
    if (verdict.values == rewrite::Values::Different) fmt::print(stderr, "{}\n", verdict.counterexample);
    return verdictStatus(verdict);
}

/// An e-graph as JSON has the extraction recorded in it if a method was named; otherwise it is written as it was read.
Result<int> exportEGraph(const ExportOptions& options) {
    MITOS_REQUIRE(requireForEGraph(options.ofPrograms));
    if (options.to != "egraph-json" && options.to != "dot" && options.to != "svg") {
        return Error{ErrorCode::Unsupported, fmt::format("an e-graph cannot be written as {}", options.to),
                     std::nullopt, "--to egraph-json, dot or svg"};
    }
    MITOS_REQUIRE(requireOwnFiles(options, {{"-o", options.output}}, {}));
    MITOS_TRY(OpenGraph graph, openGraph(options));
    InterruptGuard interrupt;
    MITOS_TRY(const ShownExtraction extraction,
              shownExtraction(graph.snapshot, options.egraph.method, interrupt.token()));
    interrupt.endWork();
    std::string text;
    if (options.to == "egraph-json") {
        if (!options.egraph.method.empty()) extract::record(graph.snapshot, extraction.nodes);
        text = egraph::writeJson(graph.snapshot);
    } else {
        MITOS_TRY(text, drawnGraph(graph.snapshot, extraction, options.to, options.egraph));
    }
    const bool toFile = options.output != "-";
    if (toFile || !options.json) MITOS_REQUIRE(writeFile(options.output, text));
    if (!options.json) return Success;
    Json report{{"to", options.to}, {"output", toFile ? Json(options.output) : Json(nullptr)}};
    if (!toFile) report["text"] = text;
    print(report);
    return Success;
}

Result<int> runExport(ExportOptions options) {
    MITOS_REQUIRE(requireMeant(options));
    MITOS_REQUIRE(requireEnding(options));
    MITOS_REQUIRE(options.settle());
    if (isEGraph(options)) return exportEGraph(options);
    MITOS_REQUIRE(requireForProgram(options.egraph.options));
    MITOS_TRY(rules::RuleBook book, openRules(options));
    MITOS_TRY(OpenProgram open, openProgram(options, book));
    std::vector<NamedFile> inputs = filesRead(book, open.read.model.get());
    inputs.push_back({"--steps", options.steps});
    MITOS_REQUIRE(requireOwnFiles(options, {{"-o", options.output}, {"--header", options.header}}, std::move(inputs)));
    InterruptGuard interrupt;
    MITOS_TRY(const Subject subject, subjectOf(options, open, book, interrupt.token()));
    interrupt.endWork();
    const int status = subject.verdict ? sayVerdict(*subject.verdict, options) : ExitStatus::Success;
    if (subject.verdict && !mayBeWritten(*subject.verdict, options.insist)) return status;
    if (options.to == "onnx") {
        if (options.output == "-") return inputError("an ONNX model is binary", "name a file: -o model.onnx");
        const onnx::Profile profile =
            options.profile == "microsoft" ? onnx::Profile::Microsoft : onnx::Profile::Standard;
        options.modelOutput.seconds = options.verify.secondsToCompare();
        options.modelOutput.insist = options.insist;
        options.modelOutput.stop = interrupt.token();
        MITOS_TRY(
            const onnx::ComparedExport outcome,
            writeComparedModel(options.modelOutput, options, {open, *open.bank, subject.program, subject.threadText},
                               options.output, {.profile = profile, .externalData = options.externalData}));
        const onnx::ExportReport* const report = &outcome.report;
        if (options.json) {
            Json json{{"to", "onnx"},
                      {"output", outcome.isWritten ? Json(options.output) : Json(nullptr)},
                      {"opset", report->opset},
                      {"comparison", comparisonJson(outcome.comparison)},
                      {"data", report->dataFile ? Json(report->dataFile->string()) : Json(nullptr)},
                      {"nodes", report->nodes},
                      {"initializers", report->initializers},
                      {"bytes", report->bytes},
                      {"accepted", report->isAccepted()},
                      {"checker", report->checkerSays},
                      {"shape_inference", report->inferenceSays}};
            if (subject.verdict) json["verdict"] = verdictJson(*subject.verdict);
            print(json);
        }
        return outcome.isFine() ? status : CheckFailed;
    }
    MITOS_TRY(std::string text, render(options, *open.bank, subject));
    // With --check or --json standard output is for the report, so the program is written only if a file is named.
    const bool toFile = options.output != "-";
    if (toFile || (!options.check && !options.json)) MITOS_REQUIRE(writeFile(options.output, text));
    if (!options.header.empty()) {
        MITOS_TRY(const codegen::CppOptions cpp, cppOptions(options, *open.bank, subject));
        MITOS_TRY(const std::string header, codegen::emitCppHeader(*open.bank, subject.program, cpp));
        MITOS_REQUIRE(writeFile(options.header, header));
    }
    Json report{{"to", options.to}, {"output", toFile ? Json(options.output) : Json(nullptr)}};
    if (!toFile) report["text"] = text;
    if (subject.verdict) report["verdict"] = verdictJson(*subject.verdict);
    if (!options.check) {
        if (options.json) print(report);
        return status;
    }
    codegen::CheckOptions checkOptions = options.checkOptions;
    checkOptions.stop = interrupt.token();
    checkOptions.assumptions = subject.assumptions;
    Result<codegen::CheckReport> check = codegen::checkCpp(*open.bank, open.program, subject.program, checkOptions);
    if (!check) return check.error();
    if (options.json) {
        report["compiled"] = check->compiled;
        report["passed"] = check->passed;
        report["samples"] = check->samples;
        report["max_error"] = check->maxError;
        report["input_seconds"] = check->input.seconds.median;
        report["output_seconds"] = check->output.seconds.median;
        report["repetitions"] = check->input.count;
        report["too_short"] = check->isTimed() && check->tooShort();
        if (check->isTimed()) {
            const timing::TimeRatio& ratio = check->ratio;
            report["ratio"] = {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
            if (!check->tooShort()) report["pace"] = timing::toString(ratio.pace());
        }
        report["size"] = check->timingSize;
        report["compiler"] = check->compilerVersion;
        report["flags"] = check->flags;
        report["message"] = check->message;
        print(report);
    } else {
        fmt::print("compiled {} with {} {}\n", check->compiled ? "cleanly" : "NOT", check->compilerVersion,
                   check->flags);
        if (check->passed) {
            fmt::print("same values as the evaluator on {} random inputs, largest error {:.3g}\n", check->samples,
                       check->maxError);
            if (check->isTimed()) printTimes(*check);
        }
        if (!check->message.empty()) fmt::print("{}\n", check->message);
    }
    return check->passed ? status : CheckFailed;
}

}  // namespace

void addExportCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand(
        "export",
        "write a program, the end of a thread, or an e-graph, as ks, C++, an ONNX model, dot, svg or e-graph JSON");
    auto options = std::make_shared<ExportOptions>();
    options->addFile(*command);
    options->addRules(*command);
    command->add_option("--to", options->to, "ks, cpp, onnx, dot, svg or egraph-json (`saturate -o` writes grown ones)")
        ->required()
        ->check(CLI::IsMember({"ks", "cpp", "onnx", "dot", "svg", "egraph-json"}));
    command->add_option("-o,--output", options->output, "file to write; - is standard output")->capture_default_str();
    command->add_option("--steps", options->steps, "a thread that starts at FILE: its end is exported");
    options->verify.addSeconds(*command);
    addInsist(*command, options->insist);
    for (const char* const name :
         {"--function", "--rules", "--allow-assumptions", "--steps", "--compare-seconds", "--insist"}) {
        options->ofPrograms.push_back(command->get_option(name));
    }
    options->egraph.addMethod(*command);
    options->egraph.addLimit(*command);
    const auto forOnnx = [options](CLI::Option* option) {
        options->special.emplace_back(option, "onnx");
        return option;
    };
    const auto forCpp = [options](CLI::Option* option) {
        options->special.emplace_back(option, "cpp");
        return option;
    };
    forOnnx(
        command->add_option("--profile", options->profile,
                            "onnx: `standard` writes ONNX's operators only, `microsoft` those of ONNX Runtime as well"))
        ->check(CLI::IsMember({"standard", "microsoft"}))
        ->capture_default_str();
    forOnnx(command->add_flag("--external-data", options->externalData,
                              "onnx: weights of 1 kB and more in a file of their own, FILE.onnx.HASH.data"));
    for (CLI::Option* const option : options->modelOutput.add(*command)) forOnnx(option);
    forCpp(command->add_flag("--check", options->check,
                             "cpp: compile, compare with the evaluator, time against the input program"));
    forCpp(command->add_flag("--main", options->main, "cpp: append a main() that runs it once"));
    forCpp(command->add_option("--name", options->name, "cpp: name of the function"));
    forCpp(command->add_option("--namespace", options->nameSpace,
                               "cpp: the namespace of all but main() (default: ks_ and the name of the file written)"));
    forCpp(command->add_option(
        "--set", options->settings,
        "cpp: products=eigen writes products of matrices as calls of Eigen (default: "
        "products=loops); sums=in-order adds the summands of sums in the order of the evaluator (default: "
        "sums=in-parts, which is faster)"));
    forCpp(command->add_option("--header", options->header, "cpp: write the function's declaration into this file"));
    forCpp(command->add_option("--samples", options->checkOptions.samples, "cpp: random inputs compared"))
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    forCpp(command->add_option("--seed", options->checkOptions.seed, "cpp: of the random inputs")->check(wholeNumber()))
        ->capture_default_str();
    forCpp(
        command->add_option("--size", options->checkOptions.timingSize, "cpp: every size while timing; 0 chooses one"))
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    forCpp(command->add_option("--seconds", options->checkOptions.secondsPerProgram,
                               "cpp: time to spend on timing each program; long calls need more for a good median"))
        ->check(CLI::Range(0.1, 600.0))
        ->capture_default_str();
    forCpp(command->add_option("--compiler", options->checkOptions.compiler, "cpp: C++ compiler"))
        ->capture_default_str();
    command->callback([options, choose] { choose([options] { return runExport(*options); }); });
}

}  // namespace mitos::cli
