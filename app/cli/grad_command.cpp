// SPDX-License-Identifier: GPL-3.0-or-later
// grad: derivatives of a ks function, as functions, or the training graph of a tensor program, and their check against differences.
#include "app/cli/coarsening_output.h"
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/training_output.h"
#include "app/cli/work_limits.h"
#include "core/autodiff/check.h"
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "core/ks/operators.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
    bool second = false;
    std::string form = "scatter";
    std::string output = "-";
    bool check = false;
    std::optional<int> points;
    autodiff::CheckOptions checkOptions;
    CoarseningFlags coarsening;
    TrainingFlags training;
    const CLI::Option* formOption = nullptr;
    WorkLimits limits;
    LimitWatch* watch = nullptr;  ///< of these limits, while the command runs
};

/// The registry of all dialects, whose ks leaves requested derivatives to this command.
std::shared_ptr<const ir::OperatorRegistry> registryWithoutDerivatives() {
    std::vector<ir::Dialect> dialects = dialects::all();
    for (ir::Dialect& dialect : dialects) dialect.derive = nullptr;
    return dialects::makeRegistry(std::move(dialects));
}

/// Whether `[rev f]` or the gradient is made; the second derivative is one of it.
bool wantsReverse(const GradOptions& options) { return options.reverse || options.second || !options.forward; }

/// Makes the derivatives that the file itself requests, in the form of this command. One that cannot be made is a warning, as it is
/// when a file is opened.
void makeRequested(const GradOptions& options, ir::TermBank& bank, const ks::Module& module, autodiff::Form form) {
    for (const ir::DerivedFunction& derived : module.derived) {
        const Result<ir::FunctionId> made = autodiff::deriveDeclared(bank, derived, form);
        if (made) continue;
        const std::string& name = bank.function(derived.function).name;
        const std::optional<SourcePlace> place = ks::placeOf(*options.program.text, name, {});
        const std::string at = place ? fmt::format("{}:{}:{}: ", place->file, place->line, place->column) : "";
        fmt::print(stderr, "{}{} cannot be made: {}\n", at, name, made.error().message);
    }
}

Json asJson(const autodiff::CheckReport& report) {
    return {{"passed", report.isUndecided ? Json(nullptr) : Json(report.passed)},
            {"points", report.points},
            {"redrawn", report.redrawn},
            {"unsettled", report.unsettled},
            {"singular", report.singular},
            {"failed", report.failed},
            {"skipped", report.skipped},
            {"forward_deviation", report.forwardDeviation},
            {"reverse_deviation", report.reverseDeviation},
            {"law_deviation", report.lawDeviation},
            {"gradient_deviation", report.hasGradient ? Json(report.gradientDeviation) : Json(nullptr)},
            {"worst", report.worst},
            {"failure", report.failure},
            {"reason", report.reason},
            {"note", report.note}};
}

Result<autodiff::CheckReport> checked(const GradOptions& options, const ir::TermBank& bank,
                                      const autodiff::Derivatives& derivatives) {
    const InterruptGuard interrupt;
    const std::stop_callback interrupted(interrupt.token(), [&options] { options.watch->stop(); });
    autodiff::CheckOptions checkOptions = options.checkOptions;
    checkOptions.points = options.points.value_or(checkOptions.points);
    checkOptions.limits.stop = options.watch->token();
    checkOptions.mayFail = options.form == "delta";
    Result<autodiff::CheckReport> report = autodiff::check(bank, derivatives, checkOptions);
    return report ? std::move(report) : options.watch->explained(std::move(report).error());
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

/// The error with the place of the form that has no derivative; in generated functions that is the definition of `function`.
Error placed(Error error, const autodiff::Obstacle& obstacle, const GradOptions& options, const ir::TermBank& bank,
             ir::FunctionId function) {
    if (!options.program.isModel()) {
        for (const ir::FunctionId id : {obstacle.function, function}) {
            if (id.isValid() && !error.place) {
                error.place = ks::placeOf(*options.program.text, bank.function(id).name, obstacle.head);
            }
        }
    }
    if (!error.place) error.place = SourcePlace{options.file, 0, 0, {}};
    if (error.hint.empty() && error.code == ErrorCode::Unsupported) {
        error.hint = "define the derivative in the file: (def [rev g] dS ((x : S) (dt : dT)) ...), and [fwd g]";
    }
    return error;
}

/// The check of both first derivatives, and of a gradient in chosen parameters if there are some.
Result<autodiff::CheckReport> checkedFirst(const GradOptions& options, ir::TermBank& bank, ir::FunctionId base,
                                           autodiff::Form form, ir::FunctionId gradient, std::vector<std::size_t> wrt) {
    std::array<ir::FunctionId, 2> both;
    for (const autodiff::Direction direction : {autodiff::Direction::Forward, autodiff::Direction::Reverse}) {
        autodiff::Obstacle obstacle;
        Result<ir::FunctionId> made = autodiff::derive(bank, direction, base, form, &obstacle);
        if (!made) {
            Error error = placed(std::move(made).error(), obstacle, options, bank, base);
            error.message =
                fmt::format("--check compares [fwd {0}] and [rev {0}]; {1}", bank.function(base).name, error.message);
            return error;
        }
        both[direction == autodiff::Direction::Forward ? 0 : 1] = *made;
    }
    if (wrt.empty()) return checked(options, bank, {base, both[0], both[1]});
    return checked(options, bank, {base, both[0], both[1], gradient, std::move(wrt)});
}

/// The gradients of a tensor program.
Result<int> runTraining(const GradOptions& options, OpenProgram& open) {
    if (options.forward || options.second || options.formOption->count() > 0) {
        const std::string_view unfit = options.forward ? "forward" : "form";
        return inputError(fmt::format("--{} is for ks programs; {} is a tensor program",
                                      options.second ? "second" : unfit, options.file),
                          "tensor programs have gradients only, by reverse mode");
    }
    TrainingOutput output{
        .path = options.output, .isChecked = options.check, .seed = options.checkOptions.seed, .watch = options.watch};
    output.points = options.points.value_or(output.points);
    return writeTrainingGraph(options, open, options.training, output);
}

/// The derivatives of a ks function.
struct Made {
    std::vector<ir::FunctionId> derivatives = {};  ///< in the order of printing
    std::optional<coarsening::Coarsened> coarse = {};
    ir::FunctionId first = {};          ///< `[rev f]` or the gradient, if wanted
    ir::FunctionId second = {};         ///< its forward derivative, if wanted
    std::vector<std::size_t> wrt = {};  ///< the parameters of the gradient; none if `first` is `[rev f]`
};

/// The first derivatives, as they are or coarsened.
Status makeFirst(const GradOptions& options, ir::TermBank& bank, const ir::Program& program,
                 const coarsening::CoarsenOptions& wanted, autodiff::Obstacle& obstacle, Made& made) {
    ir::FunctionId forward;
    if (options.coarsening.isOn) {
        MITOS_TRY(made.coarse, coarsened(options.coarsening, bank, program, wanted, obstacle));
        forward = made.coarse->forward;
        made.first = made.coarse->derivative;
    } else {
        const ir::FunctionId base = program.function;
        if (wanted.forward) {
            MITOS_TRY(forward, autodiff::derive(bank, autodiff::Direction::Forward, base, wanted.form, &obstacle));
        }
        if (wanted.reverse) {
            MITOS_TRY(made.first,
                      wanted.wrt.empty()
                          ? autodiff::derive(bank, autodiff::Direction::Reverse, base, wanted.form, &obstacle)
                          : autodiff::gradient(bank, base, wanted.wrt, wanted.form, &obstacle));
        }
    }
    if (forward.isValid()) made.derivatives.push_back(forward);
    if (made.first.isValid()) made.derivatives.push_back(made.first);
    return mitos::Success{};
}

Result<Made> makeDerivatives(const GradOptions& options, ir::TermBank& bank, const ir::Program& program,
                             autodiff::Form form) {
    MITOS_TRY(const std::vector<std::size_t> wrt, chosenParameters(options, bank, program.function));
    const coarsening::CoarsenOptions wanted{.form = form,
                                            .wrt = wrt,
                                            .reverse = wantsReverse(options),
                                            .forward = options.forward,
                                            .stop = options.watch->token()};
    Made made{.wrt = wrt};
    autodiff::Obstacle obstacle;
    if (const Status first = makeFirst(options, bank, program, wanted, obstacle, made); !first) {
        if (first.error().code == ErrorCode::Cancelled) return options.watch->explained(first.error());
        return placed(first.error(), obstacle, options, bank, program.function);
    }
    MITOS_REQUIRE(options.watch->status());
    if (options.second) {
        Result<ir::FunctionId> second =
            autodiff::derive(bank, autodiff::Direction::Forward, made.first, form, &obstacle);
        if (!second) return placed(std::move(second).error(), obstacle, options, bank, program.function);
        made.second = *second;
        made.derivatives.push_back(made.second);
    }
    return made;
}

/// Compares first and second derivatives with differences, if this is wanted, and reports it in the JSON or on standard error. Returns whether
/// they agree.
Result<bool> compareWithDifferences(const GradOptions& options, ir::TermBank& bank, const ir::Program& program,
                                    autodiff::Form form, const Made& made, Json& json) {
    if (!options.check) return true;
    MITOS_TRY(const autodiff::CheckReport first,
              checkedFirst(options, bank, program.function, form, made.first, made.wrt));
    json["check"] = asJson(first);
    bool passed = first.passed;
    std::string text = autodiff::describe(first);
    const char* verdict = autodiff::verdictOf(first);
    if (made.second.isValid()) {
        MITOS_TRY(const autodiff::CheckReport second, checked(options, bank, {made.first, made.second, {}}));
        json["second_check"] = asJson(second);
        const bool isSecondWrong = !second.passed && !second.isUndecided;
        if (passed || (first.isUndecided && isSecondWrong)) verdict = autodiff::verdictOf(second);
        passed = passed && second.passed;
        text += "second derivative, " + autodiff::describe(second);
    }
    if (!options.json) {
        fmt::print(stderr, "{}{}\n", text, verdict);
    }
    return passed;
}

Result<int> runGrad(GradOptions options) {
    LimitWatch watch(options.limits);
    options.watch = &watch;
    MITOS_REQUIRE(options.settle());
    options.weights = splitList(options.training.wrt);
    options.wantsAllWeights = options.training.wantsWeights();
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
    makeRequested(options, bank, open.read.module, form);
    MITOS_TRY(const Made made, makeDerivatives(options, bank, open.program, form));
    MITOS_REQUIRE(watch.status());
    const std::string text = autodiff::withDerivatives(bank, open.program, made.derivatives);
    if (made.coarse && options.coarsening.showsRegions && !options.json) {
        fmt::print(stderr, "{}", coarseningText(*made.coarse, bank));
    }
    const bool toFile = options.output != "-";
    if (toFile) MITOS_REQUIRE(writeFile(options.output, text));
    if (!toFile && !options.json) fmt::print("{}", text);
    Json json{{"function", bank.function(open.program.function).name},
              {"derivatives", Json::array()},
              {"form", options.form},
              {"program", text}};
    for (const ir::FunctionId id : made.derivatives) json["derivatives"].push_back(bank.function(id).name);
    if (made.coarse) json["coarsening"] = coarseningJson(*made.coarse, bank, options.coarsening.sizeLimit);
    MITOS_TRY(const bool passed, compareWithDifferences(options, bank, open.program, form, made, json));
    if (options.json) print(json);
    return passed ? ExitStatus::Success : ExitStatus::CheckFailed;
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
    command->add_flag(
        "--second", options->second,
        "[fwd [rev f]], or with --wrt the forward derivative of the gradient: products of the matrix of second "
        "derivatives with a tangent");
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
    options->limits.add(*command);
    command->callback([options, choose] { choose([options] { return runGrad(*options); }); });
}

}  // namespace mitos::cli
