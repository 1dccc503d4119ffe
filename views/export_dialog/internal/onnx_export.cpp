// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export_dialog/internal/onnx_export.h"

#include "core/eval/evaluator.h"
#include "core/ir/shared.h"
#include "core/onnx/import.h"
#include "core/tensor/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

using Verdict = OnnxCheck::Verdict;

OnnxCheck said(const std::string& complaint) {
    if (complaint.empty()) return {Verdict::Passed, "accepted"};
    return {Verdict::Failed, complaint};
}

OnnxCheck compared(const onnx::FileComparison& comparison) {
    switch (comparison.verdict) {
        case onnx::FileVerdict::Same: return {Verdict::Passed, comparison.toString()};
        case onnx::FileVerdict::Different: return {Verdict::Failed, comparison.toString()};
        case onnx::FileVerdict::Undecided: break;
    }
    return {Verdict::NotDone, comparison.note};
}

/// The written file, read into a separate bank.
struct Written {
    ir::TermBank bank;
    Result<tensor::Model> model;

    Written(const ir::TermBank& like, const std::string& path)
        : bank(like.sharedRegistry()),
          model(onnx::importFile(bank, path)) {}
};

OnnxCheck readAgain(const ir::TermBank& bank, const ir::Program& program, const Written& written,
                    const onnx::ExportReport& report) {
    if (!written.model) return {Verdict::Failed, written.model.error().message};
    const bool same = written.bank.hash(written.model->program.root) == bank.hash(program.root);
    if (same) return {Verdict::Passed, "the file, read again, is this program"};
    if (report.foldedWeights == 0 && report.expanded == 0 && report.idle == 0) {
        return {Verdict::Failed, "the file, read again, is another program"};
    }
    std::string why;
    if (report.expanded > 0) why = fmt::format("operators written as standard operators: {}", report.expanded);
    const auto add = [&why](const char* what, std::size_t count) {
        if (count > 0) why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", what, count);
    };
    add("weights computed while writing", report.foldedWeights);
    add("operators left out that do nothing", report.idle);
    return {Verdict::NotDone, why + "; so the file is another program, and its values are compared below"};
}

/// Compares the start program with the written file on the same random inputs, each with its own weights.
OnnxCheck compareFile(const ir::TermBank& bank, const ir::Program& start, const OpenModel& open, const Written& written,
                      const std::stop_token& stop) {
    const auto failed = [](const Error& error) {
        const bool stopped = error.code == ErrorCode::Cancelled;
        return OnnxCheck{Verdict::NotDone, stopped ? "stopped by you" : error.message};
    };
    Random random(1);
    eval::Limits limits;
    limits.stop = stop;
    Result<eval::Inputs> inputs = eval::randomInputs(bank, bank.function(start.function), random);
    if (!inputs) return failed(inputs.error());
    inputs->weights = open.model.weights;
    const Result<eval::Evaluation> expected = eval::evaluate(bank, start, *inputs, limits);
    if (!expected) return failed(expected.error());
    inputs->weights = written.model->weights;
    const Result<eval::Evaluation> found = eval::evaluate(written.bank, written.model->program, *inputs, limits);
    if (!found) return failed(found.error());
    const double apart = eval::deviation(expected->value, found->value);
    constexpr double Single = 1e-4;  // folded weights are rounded to the precision of their type
    std::string text =
        fmt::format("the start program and the file on a random input: largest difference {:.3g}", apart);
    const auto fills =
        std::ranges::count_if(*open.model.weights, [](const auto& weight) { return weight.second.fill().has_value(); });
    if (2 * static_cast<std::size_t>(fills) > open.model.weights->size()) {
        text += "; most weights are one number repeated, so this says little";
    }
    return {apart <= Single ? Verdict::Passed : Verdict::Failed, text};
}

/// Compares the start program with the program in the file.
OnnxCheck comparePrograms(const ir::TermBank& bank, const ir::Program& start, const ir::Program& end,
                          const OpenModel& open, const std::stop_token& stop) {
    eval::EquivalenceOptions options;
    options.limits.stop = stop;
    options.weights = open.givenWeights();
    const Result<eval::Equivalence> verdict = eval::compare(bank, start, end, options);
    if (!verdict) {
        const bool stopped = verdict.error().code == ErrorCode::Cancelled;
        return {Verdict::NotDone, stopped ? "stopped by you" : verdict.error().message};
    }
    if (verdict->compared == 0) return {Verdict::NotDone, verdict->note};
    if (!verdict->equivalent) return {Verdict::Failed, verdict->counterexample};
    return {Verdict::Passed,
            fmt::format("the start program and this one on random inputs ({}): largest difference {:.3g}; {}",
                        verdict->compared, verdict->maxDeviation, verdict->note)};
}

}  // namespace

std::size_t runtimeOperators(const ir::TermBank& bank, ir::TermId root) {
    const ir::SharedNodes nodes(bank, root);
    return static_cast<std::size_t>(std::ranges::count_if(nodes, [&bank](ir::TermId term) {
        const tensor::Operator* const op = tensor::operatorOf(bank, term);
        return op != nullptr && !tensor::isStandard(*op);
    }));
}

Result<OnnxOutcome> exportOnnx(ExportSource& source, const OpenModel& open, const std::string& path,
                               const OnnxOptions& options, const std::stop_token& stop,
                               const std::function<void(const char* doing)>& report) {
    report("writing the model");
    const std::string& thread = source.threadText();
    const ir::Program end = source.thread().end();
    tensor::Model model = open.model;
    model.program = end;
    onnx::ExportOptions chosen{.profile = options.profile,
                               .foldWeights = options.foldWeights,
                               .foldingStop = stop,
                               .externalData = options.externalData,
                               .opset = options.opset,
                               .metadata = {}};
    if (options.withThread && !source.thread().steps.empty()) chosen.metadata["mitos_thread"] = thread;
    std::optional<onnx::OriginalFile> original = options.original;
    if (original) {
        report("comparing with the original file");
        original->comparing.stop = stop;
    }
    Result<onnx::ComparedExport> written = onnx::exportCompared(source.bank(), model, path, chosen, original);
    const bool isStopped = !written && written.error().code == ErrorCode::Cancelled;
    if (isStopped) written = onnx::exportCompared(source.bank(), model, path, chosen, std::nullopt);
    if (!written) return std::move(written).error();
    OnnxOutcome outcome;
    outcome.isWritten = written->isWritten;
    if (isStopped) outcome.original = OnnxCheck{Verdict::NotDone, "stopped by you"};
    if (written->comparison) outcome.original = compared(*written->comparison);
    outcome.report = std::move(written->report);
    outcome.checker = said(outcome.report.checkerSays);
    outcome.inference = said(outcome.report.inferenceSays);
    if (!outcome.isWritten) {
        outcome.reading = outcome.values = {Verdict::NotDone, "nothing was saved"};
        return outcome;
    }
    report("reading it again");
    const Written again(source.bank(), path);
    outcome.reading = readAgain(source.bank(), end, again, outcome.report);
    if (!options.compareValues) {
        outcome.values = {Verdict::NotDone, "not asked for"};
    } else if (outcome.reading.verdict == Verdict::Failed) {
        outcome.values = {Verdict::NotDone, "the file cannot stand for this program"};
    } else if (outcome.reading.verdict == Verdict::Passed) {
        report("comparing values");
        outcome.values = comparePrograms(source.bank(), source.thread().start, end, open, stop);
    } else {
        report("comparing values");
        outcome.values = compareFile(source.bank(), source.thread().start, open, again, stop);
    }
    return outcome;
}

}  // namespace mitos::views
