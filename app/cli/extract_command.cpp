// SPDX-License-Identifier: GPL-3.0-or-later
// `extract`: extracts the cheapest terms of an e-graph from a file, by any method.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/egraph_input.h"
#include "app/cli/verification.h"
#include "core/egraph/congruence.h"
#include "core/egraph/json.h"
#include "core/extract/check.h"
#include "core/extract/extract.h"
#include "core/extract/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace mitos::cli {

namespace {

constexpr std::size_t ChoicesShown = 40;

struct ExtractOptions : CommonOptions {
    std::string method = "best";
    std::vector<std::string> roots;
    extract::Options extraction;
    bool rebuild = false;
    std::string output;
};

/// Sets the roots that the user named; otherwise those of the file remain.
Status chooseRoots(egraph::Snapshot& snapshot, const ExtractOptions& options) {
    if (!options.roots.empty()) snapshot.roots.clear();
    for (const std::string& id : options.roots) {
        const auto found = std::ranges::find(snapshot.classes, id, &egraph::Snapshot::Class::id);
        if (found == snapshot.classes.end()) {
            return inputError(fmt::format("there is no class {}", egraph::jsonText(id)),
                              "--root takes ids as they stand under \"eclass\"");
        }
        snapshot.roots.push_back(static_cast<std::uint32_t>(found - snapshot.classes.begin()));
    }
    if (snapshot.roots.empty()) {
        return inputError(fmt::format("{}: there are no roots, so nothing is to be extracted", options.file),
                          "name a class: --root ID");
    }
    return mitos::Success{};
}

/// FILE with the chosen roots, closed under congruence if requested.
Result<OpenGraph> openForExtraction(const ExtractOptions& options) {
    MITOS_TRY(OpenGraph graph, openGraph(options));
    MITOS_REQUIRE(chooseRoots(graph.snapshot, options));
    if (!options.rebuild) return graph;
    egraph::CongruentSnapshot closed = egraph::closeUnderCongruence(graph.snapshot);
    return OpenGraph{std::move(closed.snapshot), std::move(closed.report)};
}

/// The verdict that accompanies every result. Nodes of an e-graph file have names and costs, but no semantics.
rewrite::Verdict verdictOnTerms() {
    return rewrite::verdictWithoutProgram("an e-graph file has no rules", "an e-graph file has no values");
}

/// The number for JSON; null if there is none or it is not finite.
Json numberOrNull(const std::optional<double>& value) { return value && std::isfinite(*value) ? Json(*value) : Json(); }

Json choicesJson(const egraph::Snapshot& snapshot, const extract::Problem& problem, const extract::Choice& choice) {
    Json choices = Json::object();
    for (std::uint32_t eclass = 0; eclass < choice.size(); ++eclass) {
        if (choice[eclass] == extract::None) continue;
        choices[snapshot.classes[eclass].id] = snapshot.nodes[problem.origin[choice[eclass]]].id;
    }
    return choices;
}

void printText(const OpenGraph& graph, const extract::Problem& problem, const extract::Extraction& found, bool valid,
               std::size_t infeasible) {
    const egraph::Snapshot& snapshot = graph.snapshot;
    fmt::print("{} nodes in {} classes, {} roots{}\n", snapshot.nodes.size(), snapshot.classes.size(),
               snapshot.roots.size(),
               infeasible == 0 ? "" : fmt::format(", {} classes without a finite term", infeasible));
    if (!graph.merged.nodes.empty()) {
        fmt::print("closed under congruence: {} nodes were equal to others, {} classes merged\n",
                   graph.merged.nodes.size(), graph.merged.classes.size());
    }
    fmt::print("{}: cost {}{}", found.method, found.cost, found.proven ? ", the least there is" : "");
    if (!found.proven && found.bound) fmt::print(", none is below {}", *found.bound);
    fmt::print(" ({:.2f} s, {})\n", found.seconds, valid ? "choice checked" : "THE CHECK FAILED");
    printResultVerdict(verdictOnTerms());
    fmt::print("as a tree, without sharing: {}\n", found.treeCost);
    if (found.predicted) fmt::print("predicted by the cost function: {}\n", *found.predicted);
    if (!found.note.empty()) fmt::print("{}\n", found.note);
    const auto chosen =
        static_cast<std::size_t>(std::ranges::count_if(found.choice, [](auto node) { return node != extract::None; }));
    fmt::print("\n{} classes are needed:\n", chosen);
    std::size_t shown = 0;
    for (std::uint32_t eclass = 0; eclass < found.choice.size() && shown < ChoicesShown; ++eclass) {
        if (found.choice[eclass] == extract::None) continue;
        const egraph::Snapshot::Node& node = snapshot.nodes[problem.origin[found.choice[eclass]]];
        fmt::print("  {:<20} {:>10}  {}\n", snapshot.classes[eclass].id, node.cost, node.op);
        ++shown;
    }
    if (shown < chosen) fmt::print("  … and {} more; --json lists all\n", chosen - shown);
}

/// Writes the e-graph with the extraction recorded in it, if a file is named and the extraction is valid.
Status writeChosen(const ExtractOptions& options, egraph::Snapshot snapshot, const extract::Problem& problem,
                   const extract::Extraction& found, bool valid) {
    if (options.output.empty() || !valid) return mitos::Success{};
    extract::record(snapshot, extract::chosenNodes(problem, found.choice));
    return writeFile(options.output, egraph::writeJson(snapshot));
}

Result<int> runExtract(const ExtractOptions& options) {
    MITOS_REQUIRE(requireOutputs(options, {{"-o", options.output}}));
    const auto started = std::chrono::steady_clock::now();
    MITOS_TRY(OpenGraph graph, openForExtraction(options));
    const egraph::Snapshot& snapshot = graph.snapshot;
    const extract::Problem problem = extract::makeProblem(snapshot);
    const std::vector<std::uint32_t> infeasible = extract::infeasibleClasses(problem);
    for (const std::uint32_t root : snapshot.roots) {
        if (!std::ranges::binary_search(infeasible, root)) continue;
        return inputError(fmt::format("{}: the root {} has no finite term", options.file,
                                      egraph::jsonText(snapshot.classes[root].id)),
                          "each of its nodes is subsumed or needs the class itself; choose another with --root");
    }
    InterruptGuard interrupt;
    extract::Options extraction = options.extraction;
    extraction.seconds -= std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const Result<extract::Extraction> found = extract::extract(problem, options.method, extraction, interrupt.token());
    if (!found) return found.error();
    interrupt.endWork();
    const extract::CheckReport report = extract::check(problem, found->choice);
    const bool valid = report.valid && report.cost == found->cost;
    if (!options.json) {
        printText(graph, problem, *found, valid, infeasible.size());
        MITOS_REQUIRE(writeChosen(options, graph.snapshot, problem, *found, valid));
        return valid ? Success : CheckFailed;
    }
    Json roots = Json::array();
    for (const std::uint32_t root : snapshot.roots) roots.push_back(snapshot.classes[root].id);
    Json json{{"method", found->method},
              {"cost", found->cost},
              {"tree_cost", numberOrNull(found->treeCost)},
              {"predicted", numberOrNull(found->predicted)},
              {"valid", valid},
              {"verdict", verdictJson(verdictOnTerms())},
              {"proven", found->proven},
              {"bound", numberOrNull(found->bound)},
              {"seconds", found->seconds},
              {"seed", options.extraction.seed},
              {"nodes", snapshot.nodes.size()},
              {"classes", snapshot.classes.size()},
              {"infeasible_classes", infeasible.size()},
              {"negative_costs", extract::hasNegativeCosts(problem)},
              {"roots", std::move(roots)},
              {"choices", choicesJson(snapshot, problem, found->choice)}};
    if (options.rebuild) {
        json["merged_nodes"] = graph.merged.nodes.size();
        json["merged_classes"] = graph.merged.classes.size();
    }
    if (!found->note.empty()) json["note"] = found->note;
    print(json);
    MITOS_REQUIRE(writeChosen(options, graph.snapshot, problem, *found, valid));
    return valid ? Success : CheckFailed;
}

std::string methodHelp() {
    std::string help = "one of";
    for (const extract::MethodInfo& method : extract::methods()) {
        help += fmt::format("\n{}: {}", method.name, method.help);
    }
    return help;
}

}  // namespace

void addExtractCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("extract", "the cheapest terms of an e-graph (egraph-serialize JSON)");
    auto options = std::make_shared<ExtractOptions>();
    command->add_option("FILE", options->file, "an e-graph in the egraph-serialize format; - reads standard input")
        ->required();
    command->add_option("--method", options->method, methodHelp())->capture_default_str();
    command
        ->add_option("--seconds", options->extraction.seconds,
                     "for methods that go on improving; reading FILE counts, and cheapest trees are always found")
        ->check(positiveNumber())
        ->capture_default_str();
    command->add_option("--seed", options->extraction.seed, "of brkga and best")
        ->check(wholeNumber())
        ->capture_default_str();
    command
        ->add_option("--generations", options->extraction.generations,
                     "of brkga: ends after that many, with the same answer on every machine; 0: when the time is up")
        ->capture_default_str();
    command->add_option("--root", options->roots, "extract this class instead of the file's roots; may be repeated");
    command->add_flag(
        "--rebuild", options->rebuild,
        "close the e-graph under congruence first; as it stands, equal nodes may be in different classes");
    command
        ->add_option("-o,--output", options->output,
                     "write the e-graph with the extraction recorded in it; `show` and `info` use that")
        ->type_name("FILE");
    options->addJson(*command);
    command->callback([options, choose] { choose([options] { return runExtract(*options); }); });
}

}  // namespace mitos::cli
