// SPDX-License-Identifier: GPL-3.0-or-later
// `model`: writes the networks of the comparison as model files.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "core/dialects/dialects.h"
#include "core/networks/networks.h"
#include "core/onnx/export.h"

#include <fmt/format.h>

namespace mitos::cli {

namespace {

/// The value of light weights; small, so that the values of deep networks stay finite.
constexpr double LightWeight = 0.01;

struct ModelOptions : CommonOptions {
    std::string name;
    std::string output = "-";
    bool realistic = false;
    bool randomWeights = false;
};

Result<int> listNetworks(bool json) {
    Json list = Json::array();
    for (const networks::Network& network : networks::allNetworks()) {
        list.push_back(
            {{"name", network.name}, {"title", network.title}, {"doc", network.doc}, {"quirks", network.quirks}});
        if (!json)
            fmt::print("{:<24} {}\n{:<24} as in the papers: {}\n", network.name, network.doc, "", network.quirks);
    }
    if (json) print({{"networks", list}});
    return ExitStatus::Success;
}

/// Replaces every weight by a constant, so that the file takes only a few kilobytes.
std::shared_ptr<const tensor::Weights> lightened(const tensor::Weights& weights) {
    auto light = std::make_shared<tensor::Weights>();
    for (const auto& [name, data] : weights) {
        light->set(name, tensor::WeightData::filled(data.dtype(), data.shape(), data.fill().value_or(LightWeight)));
    }
    return light;
}

Result<int> writeOnnx(const ir::TermBank& bank, const tensor::Model& model, const ModelOptions& options) {
    const onnx::ExportOptions exportOptions{.foldWeights = false, .keepIdle = true};
    MITOS_TRY(const onnx::ExportReport report, onnx::exportFile(bank, model, options.output, exportOptions));
    printNotes(report, options.output, exportOptions.profile);
    if (options.json) {
        print({{"name", options.name},
               {"nodes", report.nodes},
               {"initializers", report.initializers},
               {"bytes", report.bytes},
               {"checker", report.checkerSays},
               {"shape_inference", report.inferenceSays}});
    } else {
        fmt::print("{}: {} nodes, {} weights, {} bytes; {} by ONNX's checker and shape inference\n", options.output,
                   report.nodes, model.weights->size(), report.bytes,
                   report.isAccepted() ? "accepted" : "not accepted");
    }
    return report.isAccepted() ? ExitStatus::Success : ExitStatus::CheckFailed;
}

Result<int> runModel(const ModelOptions& options) {
    if (options.name.empty()) return listNetworks(options.json);
    MITOS_TRY(const networks::Network* network, networks::findNetwork(options.name));
    MITOS_REQUIRE(requireOutputs(options, {{"-o", options.output}}));
    ir::TermBank bank(dialects::makeRegistry());
    const networks::Style style = options.realistic ? networks::Style::Realistic : networks::Style::Paper;
    MITOS_TRY(tensor::Model model, networks::build(bank, *network, style));
    if (!options.randomWeights) model.weights = lightened(*model.weights);
    MITOS_TRY(const bool isModel, isModelOutput(options.output));
    if (isModel) return writeOnnx(bank, model, options);
    const std::string listing = dialects::printProgram(bank, model.program) + "\n";
    if (options.json) {
        print({{"name", options.name}, {"program", listing}});
        if (options.output == "-") return ExitStatus::Success;
    }
    MITOS_REQUIRE(writeFile(options.output, listing));
    return ExitStatus::Success;
}

}  // namespace

void addModelCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command =
        app.add_subcommand("model", "make one of the thirteen networks of the comparison; without a name: list them");
    auto options = std::make_shared<ModelOptions>();
    command->add_option("NAME", options->name, "a network's name");
    command->add_flag("--realistic,!--paper", options->realistic,
                      "biases, normalization, softmax, heads, as trained networks have; --paper (the default): as the "
                      "papers' scripts build it");
    command->add_flag("--random-weights", options->randomWeights,
                      "random numbers as weights (VGG-19: 574 MB); else one number repeated, a few kilobytes");
    command->add_option("-o,--output", options->output, "file to write: FILE.onnx, or a listing; - is standard output")
        ->capture_default_str();
    options->addJson(*command);
    command->callback([options, choose] { choose([options] { return runModel(*options); }); });
}

}  // namespace mitos::cli
