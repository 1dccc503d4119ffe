// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/coarsening_output.h"

#include "core/coarsening/elevate.h"

#include <fmt/format.h>

#include <utility>

namespace mitos::cli {

namespace {

Json asJson(const coarsening::Region& region) {
    Json json{{"kind", coarsening::toString(region.kind)}, {"definitions", region.definitions}};
    if (region.size > 0) json["size"] = region.size;
    json["large"] = region.isLarge;
    if (region.segment > 0) json["segment"] = region.segment;
    json["children"] = Json::array();
    for (const coarsening::Region& child : region.children) json["children"].push_back(asJson(child));
    return json;
}

/// The file for the steps of a segment: "out.thread", then "out.2.thread".
std::string threadFile(const std::string& file, std::size_t index) {
    if (index == 0) return file;
    const std::size_t dot = file.rfind('.');
    const bool hasExtension = dot != std::string::npos && file.find('/', dot) == std::string::npos;
    const std::string number = fmt::format(".{}", index + 1);
    return hasExtension ? file.substr(0, dot) + number + file.substr(dot) : file + number;
}

}  // namespace

void CoarseningFlags::add(CLI::App& command) {
    CLI::Option* coarsen = command.add_flag(
        "--coarsen", isOn, "derivatives of symbolic forms: loops become closed forms where rules give them");
    command.add_option("--size-limit", sizeLimit, "the largest segment, in operators of its symbolic form")
        ->check(CLI::Range(1, 1'000'000))
        ->needs(coarsen)
        ->capture_default_str();
    command.add_option("--unroll", mostUnrolled, "loops of at most so many iterations, a constant, are written out")
        ->check(CLI::Range(0, 256))
        ->needs(coarsen)
        ->capture_default_str();
    command.add_flag("--regions", showsRegions, "print the region tree, its sizes and the segments")->needs(coarsen);
    command.add_option("--thread", thread, "file for the steps to the symbolic form; one for each segment")
        ->needs(coarsen);
}

Result<coarsening::Coarsened> coarsened(const CoarseningFlags& flags, ir::TermBank& bank, const ir::Program& program,
                                        coarsening::CoarsenOptions options, autodiff::Obstacle& obstacle) {
    options.sizeLimit = flags.sizeLimit;
    options.mostUnrolled = flags.mostUnrolled;
    MITOS_TRY(const coarsening::ElevationRules rules, coarsening::ElevationRules::load(bank.sharedRegistry()));
    MITOS_TRY(coarsening::Coarsened result, coarsening::coarsen(bank, program, rules, options, &obstacle));
    for (std::size_t i = 0; i < result.segments.size(); ++i) {
        const rewrite::Thread& thread = result.segments[i].thread;
        const rewrite::ThreadReport report = rewrite::check(bank, thread);
        if (!report.valid) {
            return Error{ErrorCode::Evaluation,
                         fmt::format("step {} of segment {} is wrong: {}", report.failedStep, i + 1, report.reason)};
        }
        if (flags.thread.empty()) continue;
        MITOS_REQUIRE(writeFile(threadFile(flags.thread, i), rewrite::writeThread(bank, thread)));
    }
    return result;
}

std::string coarseningText(const coarsening::Coarsened& result, const ir::TermBank& bank) {
    std::string text = coarsening::toString(result.root);
    for (std::size_t i = 0; i < result.segments.size(); ++i) {
        const coarsening::Segment& segment = result.segments[i];
        text += fmt::format("segment {}: {}, {} step{}\n", i + 1,
                            segment.isWhole ? "the whole function" : bank.function(segment.function).name,
                            segment.thread.steps.size(), segment.thread.steps.size() == 1 ? "" : "s");
    }
    return text + (result.segments.empty() ? "no segment\n" : "");
}

Json coarseningJson(const coarsening::Coarsened& result, const ir::TermBank& bank, std::size_t sizeLimit) {
    Json json{{"size_limit", sizeLimit},
              {"seconds", result.seconds},
              {"regions", asJson(result.root)},
              {"segments", Json::array()}};
    for (const coarsening::Segment& segment : result.segments) {
        Json rules = Json::array();
        for (const rewrite::Step& step : segment.thread.steps) rules.push_back(step.name());
        json["segments"].push_back({{"function", bank.function(segment.function).name},
                                    {"whole", segment.isWhole},
                                    {"rules", std::move(rules)}});
    }
    return json;
}

}  // namespace mitos::cli
