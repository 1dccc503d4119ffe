// SPDX-License-Identifier: GPL-3.0-or-later
// See training_output.h.
#include "app/cli/training_output.h"

#include "core/autodiff/tensor_check.h"
#include "core/autodiff/training_graph.h"
#include "core/dialects/dialects.h"
#include "core/onnx/export.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace mitos::cli {

namespace {

using autodiff::Loss;

constexpr std::array<std::pair<std::string_view, Loss>, 5> LossNames{
    {{"output", Loss::Output},
     {"cotangent", Loss::Cotangent},
     {"sum", Loss::Sum},
     {"mse", Loss::MeanSquare},
     {"softmax-cross-entropy", Loss::SoftmaxCrossEntropy}}};

std::string_view nameOf(Loss loss) {
    const auto* const found = std::ranges::find(LossNames, loss, [](const auto& entry) { return entry.second; });
    return found == LossNames.end() ? std::string_view() : found->first;
}

autodiff::TrainingRequest requestOf(const TrainingFlags& flags) {
    autodiff::TrainingRequest request{.byWeights = false, .byInputs = false, .output = flags.of};
    for (const std::string& word : splitList(flags.wrt.empty() ? "weights" : flags.wrt)) {
        const bool isAll = word == "all";
        if (isAll || word == "weights") request.byWeights = true;
        if (isAll || word == "inputs") request.byInputs = true;
        if (!isAll && word != "weights" && word != "inputs") request.names.push_back(word);
    }
    const auto* const found = std::ranges::find(LossNames, flags.loss, [](const auto& entry) { return entry.first; });
    if (found != LossNames.end()) request.loss = found->second;
    return request;
}

/// The line of a listing that defines a node of that name; only the file for a model, or for a node within another's line.
SourcePlace placeOf(const CommonOptions& options, std::string_view name) {
    SourcePlace file{options.file, 0, 0, {}};
    if (options.program.isModel() || name.empty()) return file;
    const std::string_view text = options.program.text->text();
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t begin = text.find_last_of('\n', at) + 1;  // npos + 1 is 0
        const std::size_t behind = text.find_first_not_of(' ', at + name.size());
        const bool isFirst = text.substr(begin, at - begin).find_first_not_of(' ') == std::string_view::npos;
        if (isFirst && behind != std::string_view::npos && text[behind] == '=') return options.program.text->place(at);
    }
    return file;
}

/// The error with all operators that have no derivative, each with its place.
Error withPlaces(Error error, const std::vector<autodiff::TensorObstacle>& obstacles, const CommonOptions& options,
                 const ir::TermBank& bank) {
    std::vector<Error> all;
    for (const autodiff::TensorObstacle& obstacle : obstacles) {
        const Symbol hint = bank.hint(obstacle.node);
        all.push_back({ErrorCode::Unsupported, autodiff::describe(bank, obstacle),
                       placeOf(options, hint.isValid() ? bank.text(hint) : std::string_view())});
    }
    if (all.empty()) {
        if (!error.place) error.place = SourcePlace{options.file, 0, 0, {}};
        return error;
    }
    Error first = std::move(all.front());
    first.hint = "differentiate by arrays behind it only: --wrt NAME,NAME";
    first.others.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
    return first;
}

std::string readable(const autodiff::TensorCheckReport& report) {
    if (report.passed) return autodiff::describe(report) + "the gradients agree\n";
    const bool areWithin = report.isLossWithin && std::ranges::all_of(report.arrays, &autodiff::ArrayCheck::isWithin);
    return autodiff::describe(report) +
           (areWithin ? "not all gradients could be compared\n" : "the gradients do not agree\n");
}

Json asJson(const autodiff::TensorCheckReport& report) {
    Json json{{"passed", report.passed},
              {"points", report.points},
              {"redrawn", report.redrawn},
              {"unsettled", report.unsettled},
              {"singular", report.singular},
              {"deviation", report.deviation},
              {"loss_deviation", report.lossDeviation},
              {"arrays", Json::array()}};
    for (const autodiff::ArrayCheck& array : report.arrays) {
        json["arrays"].push_back({{"name", array.array}, {"compared", array.compared}, {"deviation", array.deviation}});
    }
    return json;
}

/// Writes the graph; returns whether ONNX's checks accept it.
Result<bool> write(const CommonOptions& options, const ir::TermBank& bank, const autodiff::TrainingGraph& graph,
                   const std::string& listing, const std::string& path) {
    MITOS_TRY(const bool isModel, isModelOutput(path));
    if (isModel) {
        const onnx::ExportOptions exportOptions;
        MITOS_TRY(const onnx::ExportReport report, onnx::exportFile(bank, graph.model, path, exportOptions));
        printNotes(report, path, exportOptions.profile);
        return report.isAccepted();
    }
    if (path != "-" || !options.json) MITOS_REQUIRE(writeFile(path, listing));
    return true;
}

}  // namespace

void TrainingFlags::add(CLI::App& command) {
    std::vector<std::string> losses;
    for (const auto& [name, loss] : LossNames) losses.emplace_back(name);
    command.add_option(
        "--wrt", wrt,
        "what is differentiated by, separated by commas. ks: names of parameters; the result is a function "
        "NAME_gradient "
        "of the same parameters, and f gives a Float. Tensor programs: weights (the default), inputs, all, or names of "
        "weights and inputs");
    command
        .add_option("--loss", loss,
                    "tensor programs: how the loss is made of the output: output (the default if it is one "
                    "number), cotangent (else: its products with a further input, summed), sum, mse or "
                    "softmax-cross-entropy (with a further input `target`)")
        ->check(CLI::IsMember(losses));
    command.add_option("--of", of, "tensor programs: the output that the loss is made of (default: the first one)");
}

bool TrainingFlags::wantsWeights() const { return requestOf(*this).byWeights; }

Result<int> writeTrainingGraph(const CommonOptions& options, OpenProgram& open, const TrainingFlags& flags,
                               const TrainingOutput& output) {
    MITOS_REQUIRE(requireOwnFiles(options, {{"-o", output.path}}, filesRead({}, open.read.model.get())));
    ir::TermBank& bank = *open.bank;
    const tensor::Model model = open.read.model ? *open.read.model : tensor::modelOf(bank, open.program);
    std::vector<autodiff::TensorObstacle> obstacles;
    const autodiff::TrainingRequest request = requestOf(flags);
    Result<autodiff::TrainingGraph> made = autodiff::trainingGraph(bank, model, request, obstacles);
    if (!made) return withPlaces(std::move(made).error(), obstacles, options, bank);
    MITOS_REQUIRE(output.watch->status());
    const autodiff::TrainingGraph& graph = *made;
    for (const std::string& warning : graph.warnings) fmt::print(stderr, "warning: {}\n", warning);
    const std::string listing = dialects::printProgram(bank, graph.model.program) + "\n";
    MITOS_TRY(const bool isAccepted, write(options, bank, graph, listing, output.path));
    std::optional<autodiff::TensorCheckReport> report;
    if (output.isChecked) {
        const InterruptGuard interrupt;
        const std::stop_callback interrupted(interrupt.token(), [&output] { output.watch->stop(); });
        autodiff::TensorCheckOptions checking{
            .points = output.points, .seed = output.seed, .evaluation = {.stop = output.watch->token()}};
        if (open.read.model) {
            checking.reread = [&options](ir::TermBank& own, const tensor::Weights& numbers) {
                return storage::importModel(own, options.program, {.replaced = numbers});
            };
        }
        Result<autodiff::TensorCheckReport> checked = autodiff::checkGradients(bank, graph, checking);
        if (!checked) return output.watch->explained(std::move(checked).error());
        report = *std::move(checked);
    }
    if (options.json) {
        Json json{{"function", bank.function(graph.model.program.function).name},
                  {"loss", nameOf(graph.loss)},
                  {"of", graph.output},
                  {"arrays", graph.arrays},
                  {"outputs", graph.model.outputs},
                  {"warnings", graph.warnings},
                  {"program", listing}};
        if (report) json["check"] = asJson(*report);
        print(json);
    } else {
        fmt::print(stderr, "loss: {} of {}; outputs: {}\n", nameOf(graph.loss), graph.output,
                   fmt::join(graph.model.outputs, ", "));
        if (report) fmt::print(stderr, "{}", readable(*report));
    }
    return isAccepted && (!report || report->passed) ? ExitStatus::Success : ExitStatus::CheckFailed;
}

}  // namespace mitos::cli
