// SPDX-License-Identifier: GPL-3.0-or-later
// rewrites, apply: list the rewrites of a program, and apply steps or replay threads.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/search_options.h"
#include "app/cli/thread_input.h"
#include "app/cli/verification.h"
#include "core/cost/replacement_costs.h"
#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/step.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mitos::cli {

namespace {

struct RewritesOptions : CommonOptions {
    std::string position;
};

/// The limit on new terms in the bank: each result has new terms from its position up to the root. Graphs have costs without results
/// (cost::ReplacementCosts), which take fewer. Later rewrites are listed without results and costs, so that all rewrites of deep programs
/// are found in time proportional to their number.
constexpr std::size_t MaxNewTerms = 2'000'000;
/// The limit on the text of results in the JSON, which are whole programs; results of later rewrites are null.
constexpr std::size_t MaxResultBytes = 128U << 20U;

/// One side of a rewrite on one line: the term, or for a large one its operator and its number of nodes.
std::string shortTerm(const ir::TermBank& bank, const ir::Program& program, const ir::Path& position, ir::TermId term) {
    constexpr std::uint64_t MaxNodes = 200;
    if (bank.dialect(program.function).printsWholeTerms && bank.treeSize(term) > MaxNodes) {
        return fmt::format("({} … {} nodes)", bank.opName(term), bank.treeSize(term));
    }
    return dialects::printTermAt(bank, program, position, term, {.width = 0, .compact = true});
}

/// One side of a rewrite; for a rewrite with several roots, which is of a graph, the sides of all roots.
std::string shortSide(const ir::TermBank& bank, const ir::Program& program, const rewrite::Applicable& one,
                      ir::TermId side) {
    if (one.position != nullptr) return shortTerm(bank, program, *one.position, side);
    std::vector<std::string> texts;
    for (const ir::TermId part : bank.children(side)) texts.push_back(shortTerm(bank, program, {}, part));
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// The place of a rewrite: the names of its nodes if the dialect has such, else the position.
std::string placeOf(const ir::TermBank& bank, const ir::Program& program, const rewrite::Applicable& one) {
    if (!bank.dialect(program.function).sharesNodes()) return shortPosition(*one.position);
    if (one.position != nullptr) return tensor::nodeText(bank, one.subterm);
    std::vector<std::string> texts;
    for (const ir::TermId node : bank.children(one.subterm)) texts.push_back(tensor::nodeText(bank, node));
    return fmt::format("{}", fmt::join(texts, ", "));
}

Json positionsOf(const ir::TermBank& bank, const ir::Program& program, const rewrite::Applicable& one) {
    if (one.position != nullptr) return Json::array({ir::toString(*one.position)});
    Json positions = Json::array();
    for (const ir::TermId node : bank.children(one.subterm))
        positions.push_back(ir::toString(*ir::firstPath(bank, program.root, node)));
    return positions;
}

Result<int> runRewrites(RewritesOptions options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(rules::RuleBook book, openRules(options));
    MITOS_TRY(OpenProgram open, openProgram(options, book));
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model,
              openCostModel(options, open.bank->registry(), open.dialect().name));
    ir::TermBank& bank = *open.bank;
    noteRules(book, open.dialect());
    const std::unique_ptr<cost::CostEvaluator> costs = open.costs(*model);
    MITOS_TRY(const double known, costs->cost(open.program.root));
    const double before = known;

    rewrite::Rewriter rewriter(bank, book.directions(), open.sharing());
    cost::ReplacementCosts replacements(bank, *costs, open.program.root);
    Json report{{"cost", before}, {"cost_model", model->info().name}, {"rewrites", Json::array()}};
    std::size_t count = 0;
    std::size_t unpriced = 0;
    std::size_t resultBytes = 0;
    const std::size_t mostTerms = bank.size() + MaxNewTerms;
    const auto list = [&](const rewrite::Applicable& one) {
        ++count;
        const bool hasRoom = bank.size() < mostTerms;
        std::optional<double> after;
        if (hasRoom && one.position != nullptr) after = replacements.of(one.subterm, one.replacement);
        const bool isBuilt = hasRoom && (!after || (options.json && resultBytes < MaxResultBytes));
        const std::optional<rewrite::Rewrite> made = isBuilt ? std::optional(one.make()) : std::nullopt;
        if (made && !after) after = costs->costOrInfinity(made->result);
        unpriced += after ? 0 : 1;
        if (options.json) {
            const bool forward = one.rule.direction() == rules::Direction::Forward;
            const Json positions = positionsOf(bank, open.program, one);
            report["rewrites"].push_back({{"rule", one.rule.rule().name},
                                          {"direction", forward ? "forward" : "backward"},
                                          {"position", positions.front()},
                                          {"positions", positions},
                                          {"cost_before", before},
                                          {"cost_after", after ? Json(*after) : Json(nullptr)},
                                          {"tag", rules::toString(one.rule.rule().soundness)},
                                          {"result", nullptr}});
            if (made && resultBytes < MaxResultBytes) {
                std::string text = dialects::printProgram(bank, {open.program.function, made->result});
                resultBytes += text.size();
                report["rewrites"].back()["result"] = std::move(text);
            }
        } else {
            fmt::print("{:>12}  {:<24} {:<12} {}  =>  {}\n", after ? fmt::format("{:+.6g}", *after - before) : "?",
                       one.rule.name(), placeOf(bank, open.program, one),
                       shortSide(bank, open.program, one, one.subterm),
                       shortSide(bank, open.program, one, one.replacement));
        }
        return true;
    };
    if (options.position.empty()) {
        rewriter.forEachApplicable(open.program.root, list);
    } else {
        MITOS_TRY(const ir::Path path, ir::parsePath(options.position));
        MITOS_REQUIRE(rewriter.forEachAt(open.program.root, path, list));
    }
    if (options.json) {
        report["complete"] = unpriced == 0;
        print(report);
    } else {
        fmt::print("{} rewrites, cost {:.6g} ({})\n", count, before, model->info().name);
    }
    if (unpriced > 0) {
        fmt::print(stderr,
                   "{} rewrites are listed without their costs: all results of so deep a program take too much memory; "
                   "--position prices those at one place\n",
                   unpriced);
    }
    return Success;
}

struct ApplyOptions : CommonOptions {
    std::string steps;
    std::string output;
    bool checkOnly = false;
    bool insist = false;
    VerifyFlags verify;
};

Result<int> runApply(ApplyOptions options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(rules::RuleBook book, openRules(options));
    MITOS_TRY(OpenProgram open, openProgram(options, book));
    std::vector<NamedFile> inputs = filesRead(book, open.read.model.get());
    inputs.push_back({"--steps", options.steps});
    MITOS_REQUIRE(requireOwnFiles(options, {{"-o", options.output}}, std::move(inputs)));
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model,
              openCostModel(options, open.bank->registry(), open.dialect().name));
    ir::TermBank& bank = *open.bank;
    MITOS_TRY(const ReadThread read, openThread(options.steps, options, open, book));
    const rewrite::ThreadReport& check = read.report;
    const ir::Program end = read.thread.end();
    MITOS_TRY(const double finalCost, open.costs(*model)->cost(end.root));
    const InterruptGuard interrupt;
    const search::Judging judging =
        options.verify.judging(open.weights(), trustInRulesOf(read.thread, book, interrupt.token()));
    const rewrite::Verdict verdict = rewrite::judge(bank, read.thread, check, judging.options(1, interrupt.token()));
    if (options.json) {
        Json report{{"valid", check.valid},
                    {"steps", check.steps},
                    {"final", dialects::printProgram(bank, end)},
                    {"final_cost", finalCost},
                    {"failed_step", check.valid ? Json(nullptr) : Json(check.failedStep)}};
        if (!check.valid) report["reason"] = check.reason;
        addVerdict(report, verdict);
        addTrust(report, *judging.rules);
        print(report);
    } else if (check.valid) {
        fmt::print("{} steps, each an instance of its rule; cost {:.6g} ({})\n", check.steps, finalCost,
                   model->info().name);
        printResultVerdict(verdict);
        if (!options.checkOnly && options.output.empty()) fmt::print("{}\n", dialects::printProgram(bank, end));
    }
    if (!check.valid) {
        const std::string where = check.failedStep == 0 ? "the thread" : fmt::format("step {}", check.failedStep);
        fmt::print(stderr, "{} is wrong: {}\n", where, check.reason);
        return CheckFailed;
    }
    const int status = verdictStatus(verdict);
    if (options.output.empty() || status == BadInput || !mayBeWritten(verdict, options.insist)) return status;
    const std::string text =
        rewrite::writeThread(bank, read.thread, read.costs, read.costModel, "verdict: " + verdict.toString());
    MITOS_TRY(const bool written, writeProgram(open, bank, end, text, options.output));
    return written ? status : CheckFailed;
}

}  // namespace

void addRewritesCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("rewrites", "every applicable rewrite: rule, position, cost change");
    auto options = std::make_shared<RewritesOptions>();
    options->addFile(*command);
    options->addRules(*command);
    options->addCost(*command);
    command->add_option("--position", options->position, "only at that position, e.g. /0/2");
    command->callback([options, choose] { choose([options] { return runRewrites(*options); }); });
}

void addApplyCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("apply", "replay a thread on a program, checking every step");
    auto options = std::make_shared<ApplyOptions>();
    options->addFile(*command);
    options->addRules(*command);
    options->addCost(*command);
    command->add_option("--steps", options->steps, "the thread's file")->required();
    command->add_flag("--check", options->checkOnly, "only check it, do not print the result");
    options->verify.add(*command);
    command->add_option("-o,--output", options->output, "write the resulting program there");
    addInsist(*command, options->insist);
    command->callback([options, choose] { choose([options] { return runApply(*options); }); });
}

}  // namespace mitos::cli
