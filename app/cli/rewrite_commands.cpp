// SPDX-License-Identifier: GPL-3.0-or-later
// rewrites, apply: list the rewrites of a program, and apply steps or replay threads.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/search_options.h"
#include "app/cli/thread_input.h"
#include "app/cli/verification.h"
#include "core/dialects/dialects.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/step.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::cli {

namespace {

struct RewritesOptions : CommonOptions {
    std::string position;
};

/// The limit on new terms in the bank, since each rewrite rebuilds the terms from its position up to the root.
constexpr std::size_t MaxNewTerms = 4'000'000;
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

/// One side of a step; for a step with several roots, the sides of all roots.
std::string shortSide(const ir::TermBank& bank, const ir::Program& program, const rewrite::Step& step,
                      ir::TermId side) {
    const std::vector<ir::Path>& positions = step.positions;
    if (positions.size() == 1) return shortTerm(bank, program, positions.front(), side);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        texts.push_back(shortTerm(bank, program, positions[i], bank.child(side, i)));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

Result<int> runRewrites(RewritesOptions options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(rules::RuleBook book, openRules(options));
    MITOS_TRY(OpenProgram open, openProgram(options, book));
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model,
              openCostModel(options, open.bank->registry(), open.sharing()));
    ir::TermBank& bank = *open.bank;
    const std::unique_ptr<cost::CostEvaluator> costs = open.costs(*model);
    MITOS_TRY(const double known, costs->cost(open.program.root));
    const double before = known;

    rewrite::Rewriter rewriter(bank, book.directions(), open.sharing());
    Json report{{"cost", before}, {"cost_model", model->info().name}, {"rewrites", Json::array()}};
    std::size_t count = 0;
    std::size_t resultBytes = 0;
    const std::size_t mostTerms = bank.size() + MaxNewTerms;
    const auto list = [&](const rewrite::Rewrite& r) {
        ++count;
        const double after = costs->costOrInfinity(r.result);
        if (options.json) {
            const bool forward = r.step.rule->direction() == rules::Direction::Forward;
            Json positions = Json::array();
            for (const ir::Path& path : r.step.positions) positions.push_back(ir::toString(path));
            report["rewrites"].push_back({{"rule", r.step.rule->rule().name},
                                          {"direction", forward ? "forward" : "backward"},
                                          {"position", ir::toString(r.step.positions.front())},
                                          {"positions", std::move(positions)},
                                          {"cost_before", before},
                                          {"cost_after", after},
                                          {"tag", rules::toString(r.step.rule->rule().soundness)},
                                          {"result", nullptr}});
            if (resultBytes < MaxResultBytes) {
                std::string text = dialects::printProgram(bank, {open.program.function, r.result});
                resultBytes += text.size();
                report["rewrites"].back()["result"] = std::move(text);
            }
        } else {
            fmt::print("{:>+12.6g}  {:<24} {:<12} {}  =>  {}\n", after - before, r.step.rule->name(),
                       shortPlace(bank, open.program, r.step), shortSide(bank, open.program, r.step, r.subterm),
                       shortSide(bank, open.program, r.step, r.replacement));
        }
        return bank.size() < mostTerms;
    };
    if (options.position.empty()) {
        rewriter.forEach(open.program.root, list);
    } else {
        MITOS_TRY(const ir::Path path, ir::parsePath(options.position));
        MITOS_TRY(std::vector<rewrite::Rewrite> at, rewriter.at(open.program.root, path));
        static_cast<void>(std::ranges::all_of(at, list));
    }
    const bool complete = bank.size() < mostTerms;
    if (options.json) {
        report["complete"] = complete;
        print(report);
    } else {
        fmt::print("{} rewrites, cost {:.6g} ({})\n", count, before, model->info().name);
    }
    if (!complete) {
        fmt::print(stderr,
                   "the list ends here: all rewrites of so deep a program take too much memory; --position lists "
                   "those at one place\n");
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
    std::vector<NamedFile> inputs = filesRead(book, open.model.get());
    inputs.push_back({"--steps", options.steps});
    MITOS_REQUIRE(requireOwnFiles(options, {{"-o", options.output}}, std::move(inputs)));
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model,
              openCostModel(options, open.bank->registry(), open.sharing()));
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
