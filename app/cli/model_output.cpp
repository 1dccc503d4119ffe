// SPDX-License-Identifier: GPL-3.0-or-later
// See model_output.h.
#include "app/cli/model_output.h"

#include "core/base/child_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace mitos::cli {

namespace {

namespace fs = std::filesystem;

/// The file that the program was read from; a model from standard input is written into `folder` first.
Result<fs::path> originalFile(const CommonOptions& from, const fs::path& folder) {
    if (const auto file = from.program.modelFile()) return *file;
    if (!from.program.isModel()) {
        return inputError("a listing computes nothing that the model could be compared with",
                          "begin with a model, or leave out --compare-file and --onnxruntime");
    }
    const fs::path path = folder / "input.onnx";
    const Status written = writeFile(path.string(), *from.program.bytes);
    return written ? Result<fs::path>(path) : written.error();
}

}  // namespace

std::vector<CLI::Option*> ModelOutput::add(CLI::App& command) {
    return {
        command
            .add_option("--opset", opset,
                        fmt::format("onnx: version of ONNX's operators in the file, {} to {} (default: the input "
                                    "file's, {} where that is older)",
                                    onnx::OldestWrittenOpset, onnx::NewestOpset, onnx::OldestWrittenOpset))
            ->check(CLI::Range(onnx::OldestWrittenOpset, onnx::NewestOpset)),
        command.add_flag_function(
            "--compare-file,!--no-compare-file", [this](std::int64_t count) { isCompared = count > 0; },
            "onnx: read the written file and FILE again and compare what they compute, by the evaluator; one "
            "that computes something else is not written without --insist (default: if that takes a few seconds at "
            "most)"),
        command.add_option("--onnxruntime", python,
                           "onnx: compare them with ONNX Runtime instead, which that Python interpreter has (modules "
                           "onnxruntime and numpy)")};
}

Result<onnx::ComparedExport> writeComparedModel(const ModelOutput& how, const CommonOptions& from,
                                                const WrittenProgram& what, const std::string& path,
                                                onnx::ExportOptions options) {
    options.opset = how.opset;
    options.foldingStop = how.foldingStop;
    options.foldingSeconds = how.foldingSeconds;
    const bool isAsked = how.asksToCompare();
    if (!isAsked && (how.isCompared || !from.program.isModel())) return writeModel(what, path, options);
    MITOS_TRY(TemporaryFolder folder, TemporaryFolder::make());
    MITOS_TRY(const fs::path original, originalFile(from, folder.path()));
    onnx::FileComparisonOptions comparing{.python = how.python, .seconds = how.seconds, .stop = how.stop};
    if (!isAsked) comparing.operations = onnx::OperationsOfSeconds;
    return writeModel(
        what, path, options,
        onnx::OriginalFile{.path = original, .comparing = comparing, .isAsked = isAsked, .insists = how.insist});
}

rewrite::Verdict withFiles(rewrite::Verdict verdict, const std::optional<onnx::FileComparison>& files) {
    const bool isDecided = files && files->verdict != onnx::FileVerdict::Undecided;
    const bool isOpen = verdict.inputs == 0 && !verdict.isRefuted();
    if (!isDecided || !isOpen) return verdict;
    const bool isSame = files->verdict == onnx::FileVerdict::Same;
    verdict.values = isSame ? rewrite::Values::Same : rewrite::Values::Different;
    verdict.inputs = files->samples;
    verdict.maxDeviation = std::max(verdict.maxDeviation, files->deviation);
    verdict.valuesNote = fmt::format("the two files, computed by {}{}", files->by,
                                     verdict.isStepByStep ? "; also the same step by step" : "");
    verdict.isStepByStep = false;
    if (!isSame) verdict.counterexample = files->note;
    return verdict;
}

Json comparisonJson(const std::optional<onnx::FileComparison>& comparison) {
    if (!comparison) return nullptr;
    const char* const verdict = comparison->verdict == onnx::FileVerdict::Same        ? "same"
                                : comparison->verdict == onnx::FileVerdict::Different ? "different"
                                                                                      : "undecided";
    return {{"verdict", verdict},
            {"by", comparison->by},
            {"samples", comparison->samples},
            {"max_deviation", comparison->deviation},
            {"note", comparison->note}};
}

}  // namespace mitos::cli
