// SPDX-License-Identifier: GPL-3.0-or-later
// grad: derivatives of a ks function, as functions, or the training graph of a tensor program, and their check against differences.
#include "app/cli/coarsening_output.h"
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/training_output.h"
#include "core/autodiff/check.h"
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "core/ks/operators.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

struct GradOptions : CommonOptions {
    bool forward = false;
    bool reverse = false;
    std::string form = "scatter";
    std::string output = "-";
    bool check = false;
    std::optional<int> points;
    autodiff::CheckOptions checkOptions;
    CoarseningFlags coarsening;
    TrainingFlags training;
    const CLI::Option* formOption = nullptr;
};

/// The registry of all dialects, whose ks leaves requested derivatives to this command.
std::shared_ptr<const ir::OperatorRegistry> registryWithoutDerivatives() {
    std::vector<ir::Dialect> dialects = dialects::all();
    for (ir::Dialect& dialect : dialects) dialect.derive = nullptr;
    return dialects::makeRegistry(std::move(dialects));
}

/// The derivatives to make as they are, without coarsening.
std::vector<autodiff::Direction> directionsOf(const GradOptions& options) {
    std::vector<autodiff::Direction> directions;
    if (options.forward) directions.push_back(autodiff::Direction::Forward);
    if (!options.coarsening.isOn && (options.reverse || !options.forward))
        directions.push_back(autodiff::Direction::Reverse);
    return directions;
}

/// Makes the derivatives that the file itself requests, in the form of this command. One that cannot be made is a warning, as it is
/// when a file is opened.
void makeRequested(ir::TermBank& bank, const ks::Module& module, autodiff::Form form) {
    for (const ir::DerivedFunction& derived : module.derived) {
        const Result<ir::FunctionId> made = autodiff::deriveDeclared(bank, derived, form);
        if (!made) {
            fmt::print(stderr, "{} cannot be made: {}\n", bank.function(derived.function).name, made.error().message);
        }
    }
}

Json asJson(const autodiff::CheckReport& report) {
    return {{"passed", report.passed},
            {"points", report.points},
            {"redrawn", report.redrawn},
            {"unsettled", report.unsettled},
            {"singular", report.singular},
            {"failed", report.failed},
            {"skipped", report.skipped},
            {"forward_deviation", report.forwardDeviation},
            {"reverse_deviation", report.reverseDeviation},
            {"law_deviation", report.lawDeviation},
            {"worst", report.worst},
            {"failure", report.failure},
            {"note", report.note}};
}

Result<autodiff::CheckReport> checked(const GradOptions& options, ir::TermBank& bank, ir::FunctionId base,
                                      autodiff::Form form) {
    const InterruptGuard interrupt;
    autodiff::CheckOptions checkOptions = options.checkOptions;
    checkOptions.points = options.points.value_or(checkOptions.points);
    checkOptions.limits.stop = interrupt.token();
    checkOptions.mayFail = form == autodiff::Form::Delta;
    MITOS_TRY(const ir::FunctionId forward, autodiff::derive(bank, autodiff::Direction::Forward, base, form));
    MITOS_TRY(const ir::FunctionId reverse, autodiff::derive(bank, autodiff::Direction::Reverse, base, form));
    return autodiff::check(bank, {base, forward, reverse}, checkOptions);
}

/// The parameters that --wrt names; none if it is not given.
Result<std::vector<std::size_t>> chosenParameters(const GradOptions& options, const ir::TermBank& bank,
                                                  ir::FunctionId base) {
    const ir::Function& function = bank.function(base);
    std::vector<std::string_view> known;
    for (const ir::Parameter& parameter : function.parameters) known.push_back(bank.text(parameter.name));
    std::vector<std::size_t> chosen;
    for (const std::string& name : splitList(options.training.wrt)) {
        const auto found = std::ranges::find(known, name);
        if (found == known.end()) {
            return Error{ErrorCode::InvalidInput, fmt::format("{} has no parameter {}", function.name, name),
                         std::nullopt, fmt::format("its parameters are {}", fmt::join(known, ", "))};
        }
        const auto index = static_cast<std::size_t>(found - known.begin());
        if (std::ranges::find(chosen, index) == chosen.end()) chosen.push_back(index);
    }
    if (!chosen.empty() && options.forward) {
        return inputError("--wrt and --forward exclude each other", "a gradient is reverse mode");
    }
    return chosen;
}

/// The error with the place of the form that has no derivative.
Error placed(Error error, const autodiff::Obstacle& obstacle, const GradOptions& options, const ir::TermBank& bank) {
    if (obstacle.function.isValid() && options.source) {
        error.place = ks::placeOf(*options.source, bank.function(obstacle.function).name, obstacle.head);
    }
    if (!error.place) error.place = SourcePlace{options.file, 0, 0, {}};
    if (error.hint.empty() && error.code == ErrorCode::Unsupported) {
        error.hint = "define the derivative in the file: (def [rev g] dS ((x : S) (dt : dT)) ...), and [fwd g]";
    }
    return error;
}

/// The gradients of a tensor program.
Result<int> runTraining(const GradOptions& options, OpenProgram& open) {
    if (options.forward || options.formOption->count() > 0) {
        return inputError(fmt::format("--{} is for ks programs; {} is a tensor program",
                                      options.forward ? "forward" : "form", options.file),
                          "tensor programs have gradients only, by reverse mode");
    }
    TrainingOutput output{.path = options.output, .isChecked = options.check, .seed = options.checkOptions.seed};
    output.points = options.points.value_or(output.points);
    return writeTrainingGraph(options, open, options.training, output);
}

Result<int> runGrad(GradOptions options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(OpenProgram open, openProgram(options, registryWithoutDerivatives()));
    if (open.dialect().name == tensor::DialectName) return runTraining(options, open);
    if (open.dialect().name != ks::DialectName) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("{}: gradients of a {} program are not available", options.file, open.dialect().name),
                     std::nullopt, "give a ks program or a tensor program"};
    }
    if (options.training.hasLoss()) {
        return inputError(fmt::format("--loss and --of are for tensor programs; {} is a ks program", options.file),
                          "--wrt takes the gradient of the function's own result");
    }
    MITOS_REQUIRE(requireOwnFiles(options, {{"-o", options.output}, {"--thread", options.coarsening.thread}}, {}));
    ir::TermBank& bank = *open.bank;
    const autodiff::Form form = options.form == "delta" ? autodiff::Form::Delta : autodiff::Form::Scatter;
    makeRequested(bank, open.module, form);
    const ir::FunctionId base = open.program.function;
    MITOS_TRY(const std::vector<std::size_t> wrt, chosenParameters(options, bank, base));
    std::vector<ir::FunctionId> derivatives;
    std::optional<coarsening::Coarsened> coarse;
    if (options.coarsening.isOn) {
        autodiff::Obstacle obstacle;
        Result<coarsening::Coarsened> made =
            coarsened(options.coarsening, bank, open.program, {.form = form, .wrt = wrt}, obstacle);
        if (!made) return placed(std::move(made).error(), obstacle, options, bank);
        derivatives.push_back(made->derivative);
        coarse = *std::move(made);
    }
    for (const autodiff::Direction direction : directionsOf(options)) {
        autodiff::Obstacle obstacle;
        Result<ir::FunctionId> derivative = wrt.empty() ? autodiff::derive(bank, direction, base, form, &obstacle)
                                                        : autodiff::gradient(bank, base, wrt, form, &obstacle);
        if (!derivative) return placed(std::move(derivative).error(), obstacle, options, bank);
        derivatives.push_back(*derivative);
    }
    const std::string text = autodiff::withDerivatives(bank, open.program, derivatives);
    if (coarse && options.coarsening.showsRegions && !options.json) {
        fmt::print(stderr, "{}", coarseningText(*coarse, bank));
    }
    const bool toFile = options.output != "-";
    if (toFile) MITOS_REQUIRE(writeFile(options.output, text));
    if (!toFile && !options.json) fmt::print("{}", text);
    std::optional<autodiff::CheckReport> report;
    if (options.check) {
        MITOS_TRY(report, checked(options, bank, open.program.function, form));
    }
    if (options.json) {
        Json json{{"function", bank.function(open.program.function).name},
                  {"derivatives", Json::array()},
                  {"form", options.form},
                  {"program", text}};
        for (const ir::FunctionId id : derivatives) json["derivatives"].push_back(bank.function(id).name);
        if (coarse) json["coarsening"] = coarseningJson(*coarse, bank, options.coarsening.sizeLimit);
        if (report) json["check"] = asJson(*report);
        print(json);
    } else if (report) {
        fmt::print(stderr, "{}{}\n", autodiff::describe(*report),
                   report->passed ? "the derivatives agree" : "the derivatives do not agree");
    }
    return !report || report->passed ? ExitStatus::Success : ExitStatus::CheckFailed;
}

}  // namespace

void addGradCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand(
        "grad",
        "derivatives of a ks function, as ks functions; of a tensor program, a graph of its loss and gradients");
    auto options = std::make_shared<GradOptions>();
    options->addFile(*command);
    command->add_flag("--forward", options->forward,
                      "[fwd f]: the tangent of the result for a tangent of the arguments");
    command->add_flag("--reverse", options->reverse,
                      "[rev f]: the gradient, for a tangent of the result (the default)");
    options->formOption =
        command
            ->add_option(
                "--form", options->form,
                "how reverse mode adds up tangents of vectors: scatter (code to run), delta (input of the optimizer)")
            ->check(CLI::IsMember({"scatter", "delta"}))
            ->capture_default_str();
    command
        ->add_option("-o,--output", options->output,
                     "ks file to write; of a tensor program, FILE.onnx or a listing; - is standard output")
        ->capture_default_str();
    CLI::Option* check = command->add_flag(
        "--check", options->check, "compare with central differences, and forward with reverse, at random inputs");
    options->training.add(*command);
    command->add_option("--points", options->points, "inputs to compare at (default: 20; 3 for tensor programs)")
        ->check(CLI::Range(1, 10'000))
        ->needs(check);
    command->add_option("--seed", options->checkOptions.seed, "of the random inputs")
        ->check(wholeNumber())
        ->needs(check)
        ->capture_default_str();
    options->coarsening.add(*command);
    command->callback([options, choose] { choose([options] { return runGrad(*options); }); });
}

}  // namespace mitos::cli
