// SPDX-License-Identifier: GPL-3.0-or-later
// time: runs models with ONNX Runtime, alternately, and compares their times.
#include "app/cli/commands.h"
#include "app/cli/timing.h"
#include "core/dialects/dialects.h"
#include "core/onnx/import.h"
#include "core/tensor/dialect.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace mitos::cli {

namespace {

struct TimeOptions : CommonOptions {
    std::vector<std::string> files;
    std::string costModel = tensor::dialect().defaultCost;
    std::string optimized;
    bool quiet = false;
    TimingFlags timing;
};

/// The file with its inputs and its cost, which are missing if it cannot be read or priced here: ONNX Runtime may run it all the same.
TimedFile described(const std::string& file, const cost::CostModel& model) {
    TimedFile timed{file, file};
    ir::TermBank bank(dialects::makeRegistry());
    const Result<tensor::Model> read = onnx::importFile(bank, file);
    if (!read) return timed;
    for (const ir::Parameter& input : bank.function(read->program.function).parameters) {
        timed.inputs += fmt::format("{}{}: {}", timed.inputs.empty() ? "" : ", ", bank.text(input.name),
                                    bank.types().toString(input.type));
    }
    const Result<double> cost = model.evaluator(bank, read->program.function)->cost(read->program.root);
    if (cost) timed.cost = *cost;
    return timed;
}

Result<std::shared_ptr<const cost::CostModel>> priceOfGraphs(const TimeOptions& options) {
    CommonOptions priced;
    priced.cost = settledCost(options.costModel);
    return openCostModel(priced, *dialects::makeRegistry(), tensor::DialectName);
}

Result<int> runTime(const TimeOptions& options) {
    MITOS_TRY(const std::shared_ptr<const cost::CostModel> model, priceOfGraphs(options));
    if (!options.optimized.empty() && options.files.size() != 1) {
        return inputError("--optimized is for one model", "name one FILE");
    }
    std::vector<TimedFile> files;
    std::vector<NamedFile> inputs;
    for (const std::string& file : options.files) {
        if (!onnx::isModelFile(file))
            return inputError(fmt::format("{} is not an ONNX model", file), "name a file that ends in .onnx");
        std::error_code unknown;
        if (!std::filesystem::exists(file, unknown)) {
            return Error{ErrorCode::Io, fmt::format("there is no file {}", file)};
        }
        inputs.push_back({"FILE", file});
    }
    MITOS_REQUIRE(requireOutputs(options, {{"--optimized", options.optimized}}, std::move(inputs)));
    const InterruptGuard interrupt;
    for (const std::string& file : options.files) files.push_back(described(file, *model));
    if (!options.optimized.empty()) {
        MITOS_REQUIRE(
            onnx::writeOptimized(files[0].path, options.optimized, options.timing.runtime(interrupt.token())));
    }
    MITOS_TRY(const onnx::TimedModels times,
              options.timing.time(files, model->info(), options.quiet || options.json, interrupt.token()));
    if (options.json) {
        print(timesJson(files, times, options.timing, model->info()));
    } else {
        printTimes(files, times, options.timing, model->info());
    }
    return ExitStatus::Success;
}

}  // namespace

void addTimeCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("time", "time ONNX models alternately with ONNX Runtime, and compare them");
    auto options = std::make_shared<TimeOptions>();
    command->add_option("FILE", options->files, "ONNX models; the others are compared with the first")->required();
    options->timing.addPython(*command);
    options->timing.addOthers(*command, "--");
    command->add_option("--cost", options->costModel, "the cost model shown beside the times")->capture_default_str();
    command->add_option("--optimized", options->optimized,
                        "also write the graph that ONNX Runtime makes of the model at that level, as a model");
    command->add_flag("--quiet", options->quiet, "no progress line");
    options->addJson(*command);
    command->callback([options, choose] { choose([options] { return runTime(*options); }); });
}

}  // namespace mitos::cli
