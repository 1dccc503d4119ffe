// SPDX-License-Identifier: GPL-3.0-or-later
// `train rules`: a ranking of rules from the runs of sessions.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "core/base/read_file.h"
#include "core/base/source_text.h"
#include "search/rule_ranking.h"
#include "storage/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

struct TrainRulesOptions {
    std::vector<std::string> sessions;
    std::string output;
    std::string rules;
    bool json = false;
};

Status checkRankingFiles(const TrainRulesOptions& options) {
    if (!options.output.ends_with(search::RankingEnding)) {
        return inputError(fmt::format("-o {}: names of rankings end in {}", options.output, search::RankingEnding),
                          "strategies recognize them by it");
    }
    std::vector<NamedFile> inputs;
    for (const std::string& session : options.sessions) inputs.push_back({"SESSIONS", session});
    return requireOutputs(CommonOptions(), {{"-o", options.output}}, inputs);
}

Status addSession(search::RuleRankingFold& fold, const std::string& path) {
    // Session::open() would create it.
    MITOS_TRY(const std::ifstream exists, openFile(path));
    if (!storage::looksLikeSession(path)) {
        return inputError(path + " is not a session",
                          "sessions are written by the desktop, and by `optimize --session`");
    }
    MITOS_TRY(storage::Session session, storage::Session::open(path));
    MITOS_TRY(const std::vector<storage::Run> runs, session.runs());
    for (const storage::Run& run : runs) fold.add(run);
    return mitos::Success{};
}

void printRanking(const TrainRulesOptions& options, const search::RuleRankingFold& fold) {
    constexpr double Percent = 100.0;
    std::vector<std::pair<std::string, search::RuleRanking::Entry>> entries(fold.ranking().rules.begin(),
                                                                            fold.ranking().rules.end());
    std::ranges::stable_sort(entries, std::ranges::greater(), [](const auto& entry) { return entry.second.weight(); });
    fmt::print("{:>9} {:>8}  rule\n", "gain", "uses");
    for (const auto& [rule, entry] : entries) {
        fmt::print("{:>7.2f} % {:>8}  {}\n", Percent * entry.gain, entry.uses, rule);
    }
    const auto& counts = fold.counts();
    fmt::print("{} steps of {} threads; left out: {} runs without steps, {} without a checked thread and its costs\n",
               counts.steps, counts.threads, counts.empty, counts.unusable);
    if (counts.ignored > 0) {
        fmt::print("ignored: {} steps of {} rules that are not among {}\n", counts.ignored, fold.ignoredRules().size(),
                   options.rules);
    }
    fmt::print("{}: use it with --strategy egraph-mcts or saturation and --set ranking={}\n", options.output,
               options.output);
}

Json rankingJson(const TrainRulesOptions& options, const search::RuleRankingFold& fold) {
    Json rules = Json::object();
    for (const auto& [rule, entry] : fold.ranking().rules) rules[rule] = {{"gain", entry.gain}, {"uses", entry.uses}};
    const auto& counts = fold.counts();
    return {{"ranking", options.output},
            {"threads", counts.threads},
            {"steps", counts.steps},
            {"runs_without_steps", counts.empty},
            {"runs_left_out", counts.unusable},
            {"ignored_steps", counts.ignored},
            {"ignored_rules", fold.ignoredRules()},
            {"rules", std::move(rules)}};
}

Result<int> runTrainRules(const TrainRulesOptions& options) {
    MITOS_REQUIRE(checkRankingFiles(options));
    std::optional<rules::RuleBook> book;
    if (!options.rules.empty()) {
        MITOS_TRY(book, openRules(options.rules));
    }
    search::RuleRankingFold fold([&book](const std::string& rule) { return !book || book->find(rule) != nullptr; });
    for (const std::string& path : options.sessions) MITOS_REQUIRE(addSession(fold, path));
    const auto& counts = fold.counts();
    if (counts.steps == 0) {
        return inputError(
            fmt::format(
                "the sessions have no step to learn from: {} runs without steps, {} without a checked thread and "
                "its costs, {} steps of other rules",
                counts.empty, counts.unusable, counts.ignored),
            "search the programs first, or leave --rules out");
    }
    MITOS_REQUIRE(writeFile(options.output, search::toText(fold.ranking())));
    if (options.json) {
        print(rankingJson(options, fold));
    } else {
        printRanking(options, fold);
    }
    return Success;
}

}  // namespace

void addTrainRulesCommand(CLI::App& train, const Choose& choose) {
    CLI::App* command = train.add_subcommand(
        "rules",
        "a ranking of rules by what they gained in the runs of sessions: for each step, the reduction of the cost that "
        "its thread had afterwards. For --strategy egraph-mcts and saturation");
    auto options = std::make_shared<TrainRulesOptions>();
    command->add_option("SESSIONS", options->sessions, "sessions of the desktop, or of `optimize --session`")
        ->required()
        ->type_name("FILE");
    command->add_option("-o,--output", options->output, "the ranking, a file that ends in .json")
        ->required()
        ->type_name("FILE");
    command->add_option("--rules", options->rules, "count only the rules of these sets, whose names `rulesets` lists");
    command->add_flag("--json", options->json, "print the ranking and the counts as JSON");
    command->callback([options, choose] { choose([options] { return runTrainRules(*options); }); });
}

}  // namespace mitos::cli
