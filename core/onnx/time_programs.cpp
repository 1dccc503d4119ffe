// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/time_programs.h"

#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/cost/cost_model.h"
#include "core/cost/measuring/measurer.h"
#include "core/onnx/measure_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

namespace mitos::onnx {

namespace {

namespace fs = std::filesystem;

constexpr double SecondsPerOperation = 0.05;

void report(const PairTiming& how, double part, const std::string& doing) {
    if (how.progress) how.progress(part, doing);
}

/// The file of the program; written into the folder if there is none.
Result<fs::path> fileOf(const ProgramToTime& program, const fs::path& path, const ExportOptions& exported) {
    if (program.file) return *program.file;
    MITOS_REQUIRE(exportFile(program.bank, program.model, path, exported));
    return path;
}

/// Times the operators that are not known yet, and sums them up.
Status timeOperators(const ProgramToTime& first, const ProgramToTime& other, const PairTiming& how,
                     const fs::path& home, PairTimes& times) {
    MITOS_TRY(const cost::AssumedSizes sizes, cost::readSizes(how.sizes, 1));
    const std::unique_ptr<cost::Measurer> measurer =
        runtimeMeasurer(first.bank.sharedRegistry(), how.runtime, SecondsPerOperation);
    std::vector<cost::Operation> operations = cost::operationsOf(first.bank, first.model.program.root, sizes);
    std::ranges::move(cost::operationsOf(other.bank, other.model.program.root, sizes), std::back_inserter(operations));
    std::erase_if(operations, [&](const cost::Operation& operation) { return measurer->isFree(operation); });
    const std::size_t all = cost::missingIn(*how.operators, operations, cost::Remeasure::Never).size();
    std::size_t done = 0;
    MITOS_REQUIRE(cost::measureInto(
        *how.operators, *measurer, operations, cost::Remeasure::Never,
        [&](const cost::OperationOutcome&) {
            ++done;
            report(how, static_cast<double>(done) / static_cast<double>(std::max(all, done)),
                   fmt::format("{} of {} operators timed", done, std::max(all, done)));
        },
        how.runtime.stop));
    const std::string file = (home / "operators.json").string();
    MITOS_REQUIRE(writeFile(file, cost::profileText(*how.operators)));
    MITOS_TRY(const auto model, cost::findCostModel(fmt::format("measured:{},{}", file, how.sizes)));
    const auto sum = [&](const ProgramToTime& program) {
        return model->evaluator(program.bank, program.model.program.function)->cost(program.model.program.root);
    };
    MITOS_TRY(times.firstOperators, sum(first));
    MITOS_TRY(times.otherOperators, sum(other));
    return Success{};
}

}  // namespace

Result<PairTimes> timePair(const ProgramToTime& first, const ProgramToTime& other, const PairTiming& how) {
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    const fs::path home = folder.path();
    report(how, -1.0, "writing the models");
    MITOS_TRY(const fs::path firstFile, fileOf(first, home / "input.onnx", how.exported));
    MITOS_TRY(const fs::path otherFile, fileOf(other, home / "result.onnx", how.exported));
    PairTimes times;
    if (how.operators != nullptr) MITOS_REQUIRE(timeOperators(first, other, how, home, times));
    TimingOptions timing{.seconds = how.seconds};
    MITOS_TRY(timing.sizes, cost::readSizes(how.sizes, 1));
    timing.progress = [&how](double part) { report(how, part, fmt::format("timing: {:.0f} %", 100.0 * part)); };
    MITOS_TRY(times.models, timeModels({firstFile, otherFile}, how.runtime, timing));
    return times;
}

Result<timing::TimeRatio> timeRatioOf(const ir::TermBank& bank, const tensor::Model& model, const TimedForm& first,
                                      const TimedForm& other, const PairTiming& how) {
    tensor::Model one = model;
    tensor::Model two = model;
    one.program = first.program;
    two.program = other.program;
    MITOS_TRY(const PairTimes times, timePair({bank, one, first.file}, {bank, two, other.file}, how));
    return times.models.ratios.back();
}

}  // namespace mitos::onnx
