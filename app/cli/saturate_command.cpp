// SPDX-License-Identifier: GPL-3.0-or-later
// `saturate`: grow an e-graph from start terms, report each iteration, and give the smallest term of each start term.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/search_options.h"
#include "core/egraph/explain.h"
#include "core/egraph/json.h"
#include "core/egraph/runner.h"
#include "core/egraph/take_snapshot.h"
#include "core/extract/egraph_problem.h"
#include "core/extract/extract.h"
#include "core/extract/least_terms.h"
#include "core/extract/rule_gains.h"
#include "core/ks/module.h"
#include "core/rewrite/start_term.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace mitos::cli {

namespace {

using egraph::EGraph;
using egraph::ENodeId;

struct SaturateOptions : CommonOptions {
    std::vector<std::string> terms;
    std::optional<std::uint32_t> iterations;
    std::optional<std::uint64_t> nodes;
    std::optional<double> seconds;
    std::uint64_t memoryMiB = 4096;
    egraph::SaturationOptions saturation;
    std::string method = "tree";
    double extractionSeconds = 10.0;
    std::string threads;
    std::string output;
    bool withoutReasons = false;
    bool followsCost = false;  ///< a model was asked for: costs and gains of each iteration
    bool quiet = false;
    bool insist = false;
};

struct Start {
    ir::Program program;
    ENodeId node;
};

/// What became of a start term.
struct Smallest {
    ir::TermId term;
    std::uint64_t size = 0;                 ///< as a tree
    double cost = 0.0;                      ///< under the model
    std::optional<rewrite::Thread> thread;  ///< if reasons are kept
    bool checked = false;
};

/// The program of FILE and the terms of --term, in the one bank.
Result<std::vector<ir::Program>> openStarts(const SaturateOptions& options, ir::TermBank& bank,
                                            const std::optional<OpenProgram>& file) {
    std::vector<ir::Program> starts;
    if (file) starts.push_back(file->program);
    for (std::size_t i = 0; i < options.terms.size(); ++i) {
        const std::string name = fmt::format("--term number {}", i + 1);
        const Result<ir::Program> program = rewrite::readStartTerm(bank, name, options.terms[i]);
        if (!program) return program.error();
        starts.push_back(*program);
    }
    if (starts.empty()) {
        return inputError("there is nothing to saturate", "give a start term, --term 'f(a(), b())', or --program FILE");
    }
    return starts;
}

std::string textOf(const ir::TermBank& bank, ir::TermId term) { return ks::printTerm(bank, term); }

Json iterationJson(const egraph::SaturationReport& report, const egraph::IterationReport& iteration) {
    Json applied = Json::object();
    Json matches = Json::object();
    Json added = Json::object();
    Json banned = Json::array();
    Json gains = Json::object();
    for (std::size_t i = 0; i < iteration.rules.size(); ++i) {
        const egraph::RuleReport& rule = iteration.rules[i];
        applied[report.rules[i]] = rule.applied;
        matches[report.rules[i]] = rule.matches;
        added[report.rules[i]] = rule.nodes;
        gains[report.rules[i]] = rule.gain;
        if (rule.banned) banned.push_back(report.rules[i]);
    }
    Json json{{"nodes", iteration.nodes},
              {"classes", iteration.classes},
              {"applied", std::move(applied)},
              {"matches", std::move(matches)},
              {"added", std::move(added)},
              {"banned", std::move(banned)},
              {"seconds", iteration.seconds()},
              {"search_seconds", iteration.searchSeconds},
              {"apply_seconds", iteration.applySeconds},
              {"rebuild_seconds", iteration.rebuildSeconds},
              {"bytes", iteration.bytes}};
    if (iteration.cost) json["cost"] = *iteration.cost;
    if (iteration.gain) json["gain"] = std::move(gains);
    return json;
}

/// The rules that did most, for a line of the table.
std::string busiest(const egraph::SaturationReport& report, const egraph::IterationReport& iteration) {
    constexpr std::size_t Shown = 3;
    std::vector<std::size_t> order(iteration.rules.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return iteration.rules[a].applied > iteration.rules[b].applied;
    });
    std::string text;
    for (std::size_t i = 0; i < std::min(Shown, order.size()); ++i) {
        const std::uint64_t applied = iteration.rules[order[i]].applied;
        if (applied != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", report.rules[order[i]], applied);
    }
    return text;
}

void printHead(bool followsCost) {
    fmt::print("{:>9}  {:>9}  {:>9}  {:>10}  {:>12}  {}rules that made most terms equal\n", "iteration", "e-nodes",
               "classes", "time", "memory", followsCost ? fmt::format("{:>12}  ", "cheapest") : "");
}

void printIteration(const egraph::SaturationReport& report, bool followsCost) {
    const egraph::IterationReport& last = report.iterations.back();
    const std::string cheapest = last.cost ? fmt::format("{:.6g}", *last.cost) : "–";
    fmt::print("{:>9}  {:>9}  {:>9}  {:>8.3f} s  {:>8.1f} MiB  {}{}\n", report.iterations.size(), last.nodes,
               last.classes, last.seconds(), static_cast<double>(last.bytes) / (1024.0 * 1024.0),
               followsCost ? fmt::format("{:>12}  ", cheapest) : "", busiest(report, last));
}

/// Who made the cheapest programs cheaper, the most first; what is not known, and why.
void printGains(const egraph::SaturationReport& report) {
    std::vector<std::pair<double, std::string>> gains;
    for (std::size_t rule = 0; rule < report.rules.size(); ++rule) {
        double gain = 0.0;
        for (const egraph::IterationReport& iteration : report.iterations) gain += iteration.rules[rule].gain;
        if (gain > 0.0) gains.emplace_back(gain, report.rules[rule]);
    }
    std::stable_sort(gains.begin(), gains.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (!gains.empty()) fmt::print("what the rules gained on the way to the cheapest:\n");
    for (const auto& [gain, rule] : gains) fmt::print("{:>12.6g}  {}\n", gain, rule);
    if (!report.gainDetail.empty()) {
        fmt::print("it is not always known which rules made it cheaper: {}\n", report.gainDetail);
    }
}

/// The e-graph as extraction sees it: the model's costs of terms, and what each e-node adds to them.
class Prices {
public:
    Prices(EGraph& graph, const cost::CostModel& model, ir::FunctionId function)
        : m_costs(model.evaluator(graph.bank(), function)),
          m_least(graph, *m_costs) {
        update();
    }
    /// To be called when the graph has changed.
    void update() {
        m_least.update([] { return true; });
    }
    [[nodiscard]] cost::CostEvaluator& costs() { return *m_costs; }
    [[nodiscard]] const extract::LeastTerms& leastTerms() const { return m_least; }
    [[nodiscard]] double cost(ir::TermId term) { return m_costs->cost(term); }
    [[nodiscard]] double operator()(ENodeId node) { return m_least.addedCost(node); }
    [[nodiscard]] ir::TermId least(ENodeId node) const { return m_least.of(node).term; }

private:
    std::unique_ptr<cost::CostEvaluator> m_costs;
    extract::LeastTerms m_least;
};

Result<ir::TermId> extractOne(const SaturateOptions& options, EGraph& graph, ENodeId root, Prices& prices) {
    // The model's own cost of whole terms where sharing plays no part; costs of e-nodes for the other methods.
    if (options.method == "tree") return prices.least(root);
    const extract::Problem problem =
        extract::makeProblem(graph, {&root, 1}, [&](ENodeId node) { return prices(node); });
    extract::Options extraction;
    extraction.seconds = options.extractionSeconds;
    const Result<extract::Extraction> found = extract::extract(problem, options.method, extraction);
    if (!found) return found.error();
    return extract::chosenTerms(graph, problem, found->choice).front();
}

/// Each start term for itself.
Result<std::vector<Smallest>> extractEach(const SaturateOptions& options, EGraph& graph,
                                          const std::vector<Start>& starts, Prices& prices) {
    std::vector<Smallest> results;
    for (const Start& start : starts) {
        graph.rebuild();
        const Result<ir::TermId> term = extractOne(options, graph, start.node, prices);
        if (!term) return term.error();
        if (!term->isValid()) return inputError("a start term has no finite cost", "choose another cost model");
        Smallest& smallest = results.emplace_back();
        smallest.term = *term;
        smallest.size = graph.bank().treeSize(*term);
        smallest.cost = prices.cost(*term);
    }
    // Explaining adds members that stand for the very terms: after the prices were asked.
    for (std::size_t i = 0; graph.explains() && i < starts.size(); ++i) {
        Result<rewrite::Thread> thread = egraph::explain(graph, starts[i].program, results[i].term);
        if (!thread) return thread.error();
        const rewrite::ThreadReport report = rewrite::check(graph.bank(), *thread);
        results[i].checked = report.valid && thread->end().root == results[i].term;
        results[i].thread = *std::move(thread);
    }
    return results;
}

Status writeGraph(const SaturateOptions& options, EGraph& graph, const std::vector<Start>& starts, Prices& prices) {
    if (options.output.empty()) return mitos::Success{};
    std::vector<ENodeId> roots;
    for (const Start& start : starts) roots.push_back(start.node);
    return writeFile(options.output,
                     egraph::writeJson(egraph::takeSnapshot(graph, roots, [&](ENodeId node) { return prices(node); })));
}

Status writeThreads(const SaturateOptions& options, ir::TermBank& bank, const std::vector<Smallest>& results) {
    if (options.threads.empty()) return mitos::Success{};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string path = results.size() == 1 ? options.threads : fmt::format("{}.{}", options.threads, i + 1);
        const Status written = writeFile(path, rewrite::writeThread(bank, *results[i].thread));
        if (!written) return written;
    }
    return mitos::Success{};
}

int runSaturate(SaturateOptions& options) {
    const Result<rules::RuleBook> book = openRules(options.rules);
    if (!book) return fail(book.error(), options.json);
    const InterruptGuard interrupt;
    const eval::TrustedRules trusted = trustedRules(*book, options.insist, interrupt.token());
    const auto rules = egraph::prepareRules(trusted.directions, trusted.multis);
    if (!rules) return fail(rules.error(), options.json);
    const auto model = cost::findCostModel(options.cost);
    if (!model) return fail(model.error(), options.json);
    for (const std::string& path : {options.threads, options.output}) {
        if (const Status writable = requireWritable(path); !writable) return fail(writable.error(), options.json);
    }
    std::optional<OpenProgram> file;
    if (!options.file.empty()) {
        Result<OpenProgram> opened = openProgram(options, book->registry());
        if (!opened) return fail(opened.error(), options.json);
        file = *std::move(opened);
    }
    const std::unique_ptr<ir::TermBank> own = file ? nullptr : std::make_unique<ir::TermBank>(book->registry());
    ir::TermBank& bank = file ? *file->bank : *own;
    const Result<std::vector<ir::Program>> programs = openStarts(options, bank, file);
    if (!programs) return fail(programs.error(), options.json);

    EGraph graph(bank, !options.withoutReasons);
    std::vector<Start> starts;
    for (const ir::Program& program : *programs) starts.push_back({program, graph.addExactly(program.root)});
    egraph::SaturationOptions& saturation = options.saturation;
    saturation.limits = {options.iterations, options.nodes, options.seconds, options.memoryMiB << 20U};
    const bool showTable = !options.json && !options.quiet;
    if (showTable) printHead(options.followsCost);
    const auto mayGoOn = [&interrupt] { return !interrupt.token().stop_requested(); };
    graph.rebuild();
    Prices prices(graph, **model, starts.front().program.function);
    std::optional<extract::RuleGains> gains;
    if (options.followsCost) gains.emplace(graph, prices.costs(), *rules, *programs, prices.leastTerms());
    const Result<egraph::SaturationReport> report =
        egraph::saturate(graph, *rules, saturation, interrupt.token(), [&](egraph::SaturationReport& soFar, EGraph&) {
            if (gains) {
                prices.update();
                gains->record(prices.leastTerms(), soFar, mayGoOn);
            }
            if (showTable) printIteration(soFar, options.followsCost);
            return true;
        });
    if (!report) return fail(report.error(), options.json);
    prices.update();
    if (const Status written = writeGraph(options, graph, starts, prices); !written) {
        return fail(written.error(), options.json);
    }
    const Result<std::vector<Smallest>> results = extractEach(options, graph, starts, prices);
    if (!results) return fail(results.error(), options.json);
    if (const Status written = writeThreads(options, bank, *results); !written) {
        return fail(written.error(), options.json);
    }
    const bool isRight = graph.explains() ? std::all_of(results->begin(), results->end(),
                                                        [](const Smallest& result) { return result.checked; })
                                          : true;
    if (options.json) {
        Json iterations = Json::array();
        for (const egraph::IterationReport& iteration : report->iterations) {
            iterations.push_back(iterationJson(*report, iteration));
        }
        Json terms = Json::array();
        for (std::size_t i = 0; i < results->size(); ++i) {
            const Smallest& result = (*results)[i];
            Json term{{"term", textOf(bank, starts[i].program.root)},
                      {"smallest", textOf(bank, result.term)},
                      {"size", result.size},
                      {"cost", result.cost}};
            if (result.thread) {
                term["thread_length"] = result.thread->steps.size();
                term["thread_checked"] = result.checked;
            }
            terms.push_back(std::move(term));
        }
        Json json{{"iterations", std::move(iterations)},
                  {"stop", toString(report->stop)},
                  {"start_nodes", report->startNodes},
                  {"start_classes", report->startClasses},
                  {"scheduler", saturation.scheduler},
                  {"cost_model", (*model)->info().name},
                  {"method", options.method},
                  {"terms", std::move(terms)}};
        if (report->startCost) json["start_cost"] = *report->startCost;
        if (!report->gainDetail.empty()) json["gain_detail"] = report->gainDetail;
        if (!report->detail.empty()) json["detail"] = report->detail;
        addTrust(json, trusted);
        print(json);
    } else {
        fmt::print("stopped: {} after {} iteration{}\n", toString(report->stop), report->iterations.size(),
                   report->iterations.size() == 1 ? "" : "s");
        if (!report->detail.empty()) fmt::print("{}\n", report->detail);
        printGains(*report);
        for (std::size_t i = 0; i < results->size(); ++i) {
            const Smallest& result = (*results)[i];
            const std::string cost = options.cost == "size" ? "" : fmt::format(", cost {}", result.cost);
            fmt::print("\n{}\n  smallest, {} nodes{}: {}\n", textOf(bank, starts[i].program.root), result.size, cost,
                       textOf(bank, result.term));
            if (result.thread) {
                fmt::print("  by {} steps ({})\n", result.thread->steps.size(),
                           result.checked ? "checked" : "THE CHECK FAILED");
            }
        }
    }
    return isRight && report->stop != egraph::StopReason::Contradiction ? Success : CheckFailed;
}

}  // namespace

void addSaturateCommand(CLI::App& app, const Choose& choose) {
    auto options = std::make_shared<SaturateOptions>();
    CLI::App& command = *app.add_subcommand(
        "saturate", "Grow an e-graph from start terms with all rules at once, and extract the smallest terms");
    options->addJson(command);
    options->addRules(command);
    command
        .add_option("--term", options->terms, "Start term, as in rules, f(a(), x * 2), or in ks, (f (a) (mul x 2.0))")
        ->type_name("TERM");
    command.add_option("--program", options->file, "A .ks file whose program is a start term")->type_name("FILE");
    command.add_option("--function", options->function, "The program of the file (default: the last one)");
    command.add_option("--iterations", options->iterations, "Stop after N iterations")->type_name("N");
    command.add_option("--nodes", options->nodes, "Never more than N e-nodes")->type_name("N");
    command.add_option("--seconds", options->seconds, "Stop after N seconds")->type_name("N")->check(positiveNumber());
    command.add_option("--memory", options->memoryMiB, "Stop at N MiB held by the e-graph (default: 4096)")
        ->type_name("N");
    command.add_option("--scheduler", options->saturation.scheduler, "simple, backoff or sequential (default: simple)");
    command.add_option("--match-limit", options->saturation.schedulerOptions.matchLimit,
                       "backoff: matches a rule may have before it is banned (default: 1000)");
    command.add_option("--ban-length", options->saturation.schedulerOptions.banLength,
                       "backoff: iterations of the first ban (default: 5)");
    command.add_option("--multi-iterations", options->saturation.schedulerOptions.multiIterations,
                       "sequential: iterations in which rules with several roots take part (default: 1)");
    options->cost = "size";
    options->addCost(command);
    command.add_option("--method", options->method, "Extraction method, as in `mitos-cli extract` (default: tree)");
    command.add_option("--extraction-seconds", options->extractionSeconds, "Time for each extraction (default: 10)")
        ->check(positiveNumber());
    command
        .add_option("--thread", options->threads,
                    "Write the thread from start term to smallest term; several: FILE.1, …")
        ->type_name("FILE");
    command.add_option("-o,--output", options->output, "Write the e-graph as egraph-serialize JSON")->type_name("FILE");
    command.add_flag("--no-reasons", options->withoutReasons, "Keep no reasons: less memory, no threads")
        ->excludes("--thread");
    addInsist(command, options->insist);
    command.add_flag("--quiet", options->quiet, "Print the result only");
    command.callback([options, choose, &command] {
        options->followsCost = command.count("--cost") > 0;
        choose([options] { return runSaturate(*options); });
    });
}

}  // namespace mitos::cli
