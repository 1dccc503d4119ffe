// SPDX-License-Identifier: GPL-3.0-or-later
// See paying_steps.h.
#include "app/cli/paying_steps.h"

#include "app/cli/search_options.h"
#include "core/onnx/time_programs.h"

#include <fmt/format.h>

namespace mitos::cli {

namespace {

std::string_view wordsOf(const search::JudgedPart& part) {
    if (part.isMeasured) return timing::wordsFor(part.pace);
    return part.isKept ? "measured with others" : "not measured alone";
}

}  // namespace

Result<search::PayingParts> payingSteps(const WholeResult& what, const TimingFlags& how, bool isQuiet,
                                        const std::stop_token& stop) {
    const tensor::Model model =
        what.open.read.model ? *what.open.read.model : tensor::modelOf(*what.open.bank, what.open.program);
    const ProgressLine progress(!isQuiet);
    std::size_t done = 0;
    const onnx::PairTiming timing{
        .runtime = how.runtime(stop),
        .seconds = how.seconds,
        .sizes = how.sizesFor(what.model),
        .exported = what.exported,
        .operators = nullptr,
        .progress = [&](double /*part*/, const std::string& doing) {
            progress.show(fmt::format("measuring parts, {} of at most {}: {}", done + 1, what.measurements, doing));
        }};
    const search::ComparePace compare = [&](const ir::Program& first,
                                            const ir::Program& other) -> Result<search::Pace> {
        const bool isInput = first.root == what.thread.start.root;
        MITOS_TRY(const timing::TimeRatio ratio,
                  onnx::timeRatioOf(what.bank, model, {first, isInput ? what.file : std::nullopt},
                                    {other, std::nullopt}, timing));
        ++done;
        return ratio.pace();
    };
    Result<search::PayingParts> found =
        search::payingParts(what.bank, what.thread, what.costs, what.ratio.pace(), what.measurements, compare);
    progress.clear();
    return found;
}

void printPayingSteps(const search::PayingParts& parts) {
    fmt::print("The whole result is not faster, so its parts were measured ({} measurement{}):\n", parts.measurements,
               parts.measurements == 1 ? "" : "s");
    for (const search::JudgedPart& part : parts.parts) {
        fmt::print("  {:<5} {:>3} × {}  (cost {:+.6g}; {})\n", part.isKept ? "kept" : "left", part.part.places,
                   part.part.kind, part.gain == 0.0 ? 0.0 : -part.gain, wordsOf(part));
    }
}

Json payingStepsJson(const search::PayingParts& parts) {
    Json list = Json::array();
    for (const search::JudgedPart& part : parts.parts) {
        list.push_back({{"rules", part.part.kind},
                        {"places", part.part.places},
                        {"steps", part.part.steps.size()},
                        {"cost_change", part.gain == 0.0 ? 0.0 : -part.gain},
                        {"pace", part.isMeasured ? Json(timing::toString(part.pace)) : Json(nullptr)},
                        {"kept", part.isKept}});
    }
    return {{"measurements", parts.measurements}, {"parts", std::move(list)}};
}

}  // namespace mitos::cli
