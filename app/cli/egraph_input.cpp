// SPDX-License-Identifier: GPL-3.0-or-later
// See egraph_input.h.
#include "app/cli/egraph_input.h"

#include "core/egraph/draw.h"
#include "core/egraph/json.h"
#include "core/extract/recorded.h"
#include "core/tasks/files/any_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::cli {

bool isEGraph(const CommonOptions& options) {
    if (options.program.text == nullptr) return false;
    const std::string_view text = options.program.text->text();
    if (tasks::isGraphText(text)) return false;
    if (isEGraphName(options.file)) return true;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

namespace {

Status requireUnused(const std::vector<const CLI::Option*>& options, const char* kind) {
    for (const CLI::Option* const option : options) {
        if (option->count() == 0) continue;
        return inputError(fmt::format("{} is for {}", option->get_name(), kind), "leave it out");
    }
    return mitos::Success{};
}

std::string aboutText(const std::string& method, bool isRecorded, double cost) {
    return isRecorded ? fmt::format("extraction recorded in the file, cost {}", cost)
                      : fmt::format("extraction by {}, cost {}", method, cost);
}

}  // namespace

Status requireForEGraph(const std::vector<const CLI::Option*>& ofPrograms) {
    return requireUnused(ofPrograms, "programs, and FILE is an e-graph");
}

Status requireForProgram(const std::vector<const CLI::Option*>& ofEGraphs) {
    return requireUnused(ofEGraphs, "e-graphs, and FILE is a program");
}

Result<OpenGraph> openGraph(const CommonOptions& options) {
    std::shared_ptr<const SourceText> source = options.program.text;
    if (source == nullptr) {
        MITOS_TRY(SourceText text, readSourceFile(options.file, LargestEGraphFile));
        source = std::make_shared<const SourceText>(std::move(text));
    }
    MITOS_TRY(egraph::LoadedSnapshot loaded, egraph::readJson(*source));
    for (const std::string& warning : loaded.warnings) fmt::print(stderr, "warning: {}\n", warning);
    return OpenGraph{std::move(loaded.snapshot)};
}

Result<ShownExtraction> shownExtraction(const egraph::Snapshot& snapshot, const std::string& method,
                                        const std::stop_token& stop) {
    ShownExtraction shown;
    shown.method = method.empty() ? "tree" : method;
    MITOS_REQUIRE(extract::requireMethod(shown.method));
    if (method.empty()) {
        const Result<std::optional<extract::RecordedChoice>> recorded = extract::recordedChoice(snapshot);
        if (!recorded) fmt::print(stderr, "warning: {}\n", recorded.error().message);
        if (recorded && *recorded) {
            shown = {(*recorded)->nodes, {}, "recorded", true, (*recorded)->cost};
            shown.about = aboutText(shown.method, true, *shown.cost);
            return shown;
        }
    }
    const extract::Problem problem = extract::makeProblem(snapshot);
    const std::vector<std::uint32_t> infeasible = extract::infeasibleClasses(problem);
    const auto isInfeasible = [&](std::uint32_t root) { return std::ranges::binary_search(infeasible, root); };
    const auto bad = std::ranges::find_if(snapshot.roots, isInfeasible);
    if (snapshot.roots.empty() || bad != snapshot.roots.end()) {
        const std::string why = snapshot.roots.empty() ? "there are no roots"
                                                       : fmt::format("the root {} has no finite term",
                                                                     egraph::jsonText(snapshot.classes[*bad].id));
        if (!method.empty()) return inputError(fmt::format("nothing can be extracted: {}", why), "leave --method out");
        return ShownExtraction{{}, fmt::format("no extraction: {}", why), {}, false, {}};
    }
    MITOS_TRY(const extract::Extraction found, extract::extract(problem, shown.method, {}, stop));
    shown.nodes = extract::chosenNodes(problem, found.choice);
    shown.cost = found.cost;
    shown.about = aboutText(shown.method, false, found.cost);
    return shown;
}

void EGraphFlags::addMethod(CLI::App& command) {
    options.push_back(command.add_option("--method", method,
                                         "e-graphs: the extraction, by a method of `mitos-cli extract` (default: that "
                                         "recorded in the file, else tree)"));
}

void EGraphFlags::addLimit(CLI::App& command) {
    options.push_back(
        command
            .add_option(
                "--limit", limit,
                fmt::format("e-graphs: at most N e-nodes, those of the extraction first (default: {} in a drawing, "
                            "all in a text)",
                            egraph::UsuallyDrawn))
            ->type_name("N")
            ->check(wholeNumber(1)));
}

Result<std::string> drawnGraph(const egraph::Snapshot& snapshot, const ShownExtraction& extraction,
                               const std::string& as, const EGraphFlags& flags) {
    if (as == "text") {
        return egraph::listText({snapshot, extraction.nodes, extraction.about, flags.limit.value_or(egraph::NoLimit)});
    }
    const std::string dot =
        egraph::dotText({snapshot, extraction.nodes, extraction.about, flags.limit.value_or(egraph::UsuallyDrawn)});
    if (as == "dot") return dot;
    Result<std::string> svg = drawDot(dot);
    if (svg || !svg.error().hint.empty()) return svg;
    Error error = std::move(svg).error();
    error.hint = "draw fewer e-nodes: --limit 100";
    return error;
}

}  // namespace mitos::cli
