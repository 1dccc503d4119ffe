// SPDX-License-Identifier: GPL-3.0-or-later
// grad: derivatives of a ks function, as functions, and their check against differences.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "core/autodiff/check.h"
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "core/ir/calls.h"
#include "core/ks/operators.h"

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
    std::string form = "scatter";
    std::string output = "-";
    bool check = false;
    autodiff::CheckOptions checkOptions;
};

/// The registry of all dialects, whose ks leaves requested derivatives to this command.
std::shared_ptr<const ir::OperatorRegistry> registryWithoutDerivatives() {
    std::vector<ir::Dialect> dialects = dialects::all();
    for (ir::Dialect& dialect : dialects) dialect.derive = nullptr;
    return dialects::makeRegistry(std::move(dialects));
}

std::vector<autodiff::Direction> directionsOf(const GradOptions& options) {
    std::vector<autodiff::Direction> directions;
    if (options.forward) directions.push_back(autodiff::Direction::Forward);
    if (options.reverse || !options.forward) directions.push_back(autodiff::Direction::Reverse);
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

/// The function, its derivatives and all that they call, each after what it calls.
std::string moduleText(const ir::TermBank& bank, const ir::Program& program,
                       const std::vector<ir::FunctionId>& derivatives) {
    ks::Module module;
    const auto add = [&](ir::FunctionId id) {
        if (std::ranges::find(module.functions, id) != module.functions.end()) return;
        module.functions.push_back(id);
        module.bodies.push_back(id == program.function ? program.root : bank.function(id).body);
    };
    for (const ir::FunctionId id : ir::callOrder(bank, program)) add(id);
    add(program.function);
    for (const ir::FunctionId derivative : derivatives) {
        for (const ir::FunctionId id : ir::callOrder(bank, {derivative, bank.function(derivative).body})) add(id);
        add(derivative);
    }
    return ks::printModule(bank, module, {.headed = true});
}

std::string readable(const autodiff::CheckReport& report) {
    std::string text = fmt::format(
        "checked at {} point{}: from central differences, forward deviates by {:.2g} and reverse by {:.2g} (relative); "
        "<rev, dx> and <dt, fwd> differ by {:.2g} (relative)\n",
        report.points, report.points == 1 ? "" : "s", report.forwardDeviation, report.reverseDeviation,
        report.lawDeviation);
    const std::array<std::pair<int, const char*>, 4> others{
        {{report.redrawn, "a branch changes there"},
         {report.unsettled, "the differences do not converge there"},
         {report.singular, "a derivative is singular there"},
         {report.failed, "the delta form sums over nothing there, which fails"}}};
    for (const auto& [count, why] : others) {
        if (count > 0) text += fmt::format("{} point{} drawn again: {}\n", count, count == 1 ? "" : "s", why);
    }
    if (report.skipped > 0) {
        text += fmt::format("{} input{} without a finite value\n", report.skipped, report.skipped == 1 ? "" : "s");
    }
    if (!report.note.empty()) text += report.note + "\n";
    if (!report.failure.empty()) text += "a derivative failed: " + report.failure + "\n";
    if (report.points == 0) text += "no point could be compared\n";
    if (!report.worst.empty()) text += "largest deviation at " + report.worst + "\n";
    return text + (report.passed ? "the derivatives agree\n" : "the derivatives do not agree\n");
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
    checkOptions.limits.stop = interrupt.token();
    checkOptions.mayFail = form == autodiff::Form::Delta;
    MITOS_TRY(const ir::FunctionId forward, autodiff::derive(bank, autodiff::Direction::Forward, base, form));
    MITOS_TRY(const ir::FunctionId reverse, autodiff::derive(bank, autodiff::Direction::Reverse, base, form));
    return autodiff::check(bank, {base, forward, reverse}, checkOptions);
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

Result<int> runGrad(GradOptions options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(OpenProgram open, openProgram(options, registryWithoutDerivatives()));
    if (open.dialect().name != ks::DialectName) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("{}: gradients of a {} program are not available", options.file, open.dialect().name),
                     std::nullopt, "give a ks program"};
    }
    MITOS_REQUIRE(requireOwnFiles(options, {{"-o", options.output}}, {}));
    ir::TermBank& bank = *open.bank;
    const autodiff::Form form = options.form == "delta" ? autodiff::Form::Delta : autodiff::Form::Scatter;
    makeRequested(bank, open.module, form);
    std::vector<ir::FunctionId> derivatives;
    for (const autodiff::Direction direction : directionsOf(options)) {
        autodiff::Obstacle obstacle;
        Result<ir::FunctionId> derivative = autodiff::derive(bank, direction, open.program.function, form, &obstacle);
        if (!derivative) return placed(std::move(derivative).error(), obstacle, options, bank);
        derivatives.push_back(*derivative);
    }
    const std::string text = moduleText(bank, open.program, derivatives);
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
        if (report) json["check"] = asJson(*report);
        print(json);
    } else if (report) {
        fmt::print(stderr, "{}", readable(*report));
    }
    return !report || report->passed ? ExitStatus::Success : ExitStatus::CheckFailed;
}

}  // namespace

void addGradCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("grad", "derivatives of a ks function, as ks functions");
    auto options = std::make_shared<GradOptions>();
    options->addFile(*command);
    command->add_flag("--forward", options->forward,
                      "[fwd f]: the tangent of the result for a tangent of the arguments");
    command->add_flag("--reverse", options->reverse,
                      "[rev f]: the gradient, for a tangent of the result (the default)");
    command
        ->add_option(
            "--form", options->form,
            "how reverse mode adds up tangents of vectors: scatter (code to run), delta (input of the optimizer)")
        ->check(CLI::IsMember({"scatter", "delta"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "ks file to write; - is standard output")
        ->capture_default_str();
    CLI::Option* check = command->add_flag(
        "--check", options->check, "compare with central differences, and forward with reverse, at random inputs");
    command->add_option("--points", options->checkOptions.points, "inputs to compare at")
        ->check(CLI::Range(1, 10'000))
        ->needs(check)
        ->capture_default_str();
    command->add_option("--seed", options->checkOptions.seed, "of the random inputs")
        ->check(wholeNumber())
        ->needs(check)
        ->capture_default_str();
    command->callback([options, choose] { choose([options] { return runGrad(*options); }); });
}

}  // namespace mitos::cli
