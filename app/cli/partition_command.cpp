// SPDX-License-Identifier: GPL-3.0-or-later
// partition: divides a program into regions by a pattern, and hands them to a cost model, a strategy or an exporter (PyPM paper, section 4.2).
#include "app/cli/commands.h"
#include "app/cli/region_report.h"
#include "app/cli/search_options.h"
#include "app/cli/session_log.h"
#include "app/cli/verification.h"
#include "core/base/source_text.h"
#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/ir/transplant.h"
#include "core/partition/region_groups.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/rule_sets.h"
#include "search/strategies/strategies.h"
#include "storage/workspace/region_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mitos::cli {

namespace {

struct PartitionOptions : SearchOptions {
    std::string pattern;
    std::string strategy;  ///< empty: regions are not searched
    std::optional<std::uint64_t> evaluations;
    std::size_t region = 0;  ///< number of the only region that is searched and exported; 0: all
    std::size_t leastNodes = 1;
    std::string exportTo;
    std::string thread;
    std::string session;
    VerifyFlags verify;
};

/// Whether a strategy is written as the strategy `regions` reads it: with parameters, or with others for other forms of regions.
bool isForForms(const std::string& strategy) { return strategy.find_first_of(":;(") != std::string::npos; }

/// Fails if options do not belong together.
Status requireMeant(const PartitionOptions& options) {
    const bool isSearched = !options.strategy.empty();
    const auto needsStrategy = [&](const char* name, bool isGiven) -> Status {
        if (!isGiven || isSearched) return mitos::Success{};
        return inputError(fmt::format("{} is for regions that are searched", name),
                          "add --strategy S, or leave it out");
    };
    MITOS_REQUIRE(needsStrategy("--set", !options.set.empty()));
    MITOS_REQUIRE(needsStrategy("--thread", !options.thread.empty()));
    MITOS_REQUIRE(needsStrategy("--session", !options.session.empty()));
    if (!options.set.empty() && isForForms(options.strategy)) {
        return inputError("--set is for one strategy that is named alone",
                          "write the parameters in parentheses: --strategy \"greedy; 2: mcts(depth=100)\"");
    }
    if (options.seeds > 1) return inputError("partition makes one search", "leave --seeds out");
    if (!options.exportTo.empty() && options.output.empty())
        return inputError("--export needs a folder for its files", "name one: -o DIR");
    if (options.exportTo.empty()) MITOS_REQUIRE(needsStrategy("-o without --export", !options.output.empty()));
    return mitos::Success{};
}

/// The rules for a search. Of the sets that the user named, those that have only patterns are none.
Result<rules::RuleBook> rulesFor(PartitionOptions& options) {
    if (!options.hasOwnRules()) return openRules(static_cast<const CommonOptions&>(options));
    std::string sets;
    for (const std::string& set : splitList(options.rules)) {
        MITOS_TRY(const SourceText text,
                  set.starts_with('-') ? Result<SourceText>(SourceText(set, "")) : rules::patternSetText(set));
        const auto patterns = rules::namedPatterns(text, dialects::makeRegistry());
        const bool hasPatternsOnly =
            patterns && !patterns->empty() && !rules::loadRules(text, dialects::makeRegistry());
        if (!hasPatternsOnly) sets += (sets.empty() ? "" : ",") + set;
    }
    const auto assumptions = options.allowAssumptions ? rules::Assumptions::Allowed : rules::Assumptions::Forbidden;
    if (sets.empty()) return rules::RuleBook::none(dialects::makeRegistry(), assumptions);
    return openRules(sets, assumptions);
}

/// The strategy and its parameters as the strategy `regions` reads them: "mcts(depth=100)".
std::string partText(const PartitionOptions& options) {
    std::string settings;
    for (const std::string& setting : options.set) settings += (settings.empty() ? "" : ", ") + setting;
    return settings.empty() ? options.strategy : fmt::format("{}({})", options.strategy, settings);
}

/// A divided program, and what is done with its regions.
class PartitionRun {
public:
    PartitionRun(PartitionOptions& options, const rules::RuleBook& book, const rules::FoundPattern& pattern,
                 OpenProgram& open, std::shared_ptr<const cost::CostModel> model)
        : m_options(options),
          m_book(book),
          m_pattern(pattern),
          m_open(open),
          m_model(std::move(model)),
          m_progress(!options.quiet && !options.json) {}

    Result<int> run() {
        if (!m_options.strategy.empty()) MITOS_REQUIRE(requireRules(m_book, m_open.dialect()));
        if (!m_options.exportTo.empty()) MITOS_REQUIRE(storage::requireExport(files(), m_open.dialect()));
        MITOS_TRY(m_parts, partition::divide(*m_open.bank, m_open.program, *m_pattern.pattern,
                                             {.leastNodes = m_options.leastNodes, .stop = m_interrupt.token()}));
        if (m_options.region > m_parts.regions.size()) {
            return inputError(fmt::format("there is no region {}: {} gives {}", m_options.region, m_pattern.name,
                                          m_parts.regions.size()),
                              "`mitos-cli partition` without --region lists them");
        }
        if (m_options.strategy.empty()) {
            const Result<double> cost = m_open.costs(*m_model)->cost(m_open.program.root, m_interrupt.token());
            if (cost) m_cost = *cost;
        } else {
            MITOS_REQUIRE(search());
        }
        m_interrupt.endWork();
        makeRows();
        if (!m_options.exportTo.empty()) exportRegions();
        return report();
    }

private:
    [[nodiscard]] storage::RegionFiles files() const {
        return {m_options.exportTo, m_options.output, m_open.read.model ? &*m_open.read.model : nullptr};
    }
    [[nodiscard]] bool isChosen(std::size_t index) const {
        return m_options.region == 0 || index + 1 == m_options.region;
    }

    /// Searches the regions, and judges and records the result as `optimize` does.
    Status search() {
        if (!isForForms(m_options.strategy)) {
            MITOS_TRY(const std::shared_ptr<const search::Strategy> part, search::findStrategy(m_options.strategy));
            MITOS_REQUIRE(parametersOf(search::fitted(part->info(), m_open.dialect()), m_options.set));
        }
        const std::shared_ptr<const search::Strategy> strategy = search::makeRegions();
        search::Judging judging = m_options.verify.judging(
            m_open.weights(), trustedRules(m_book, {.insists = m_options.insist}, m_interrupt.token()),
            m_options.budget({}).memoryBytes);
        judging.abandoned = m_interrupt.abandoned();
        search::Budget budget = m_options.budget(m_options.evaluations);
        budget.reservedBytes = reservedMemory(*budget.memoryBytes);
        const ParameterValues parameters{{"pattern", m_options.pattern},
                                         {"patterns", m_options.hasOwnRules() ? m_options.rules : std::string()},
                                         {"part", partText(m_options)},
                                         {"region", static_cast<std::int64_t>(m_options.region)},
                                         {"least", static_cast<std::int64_t>(m_options.leastNodes)}};
        search::SearchTask task{
            .strategy = strategy,
            .problem = {.bank = *m_open.bank,
                        .program = m_open.program,
                        .rules = judging.rules->directions,
                        .cost = m_model,
                        .budget = budget,
                        .seed = m_options.seed,
                        .parameters = parameters,
                        .comparingSeconds = m_options.insist ? 0.0 : m_options.verify.secondsToCompare()},
            .judging = judging};
        std::optional<SessionLog> log;
        if (!m_options.session.empty()) {
            MITOS_TRY(log, SessionLog::open(m_options.session, m_options, m_open, *m_model));
        }
        task.run = search::requestedRun(strategy->info().name, task.problem, log ? log->rules() : std::string());
        task.run.number = 1;
        task.run.allowsAssumptions = m_options.allowAssumptions;
        if (log) task.record = log->recording();
        SearchProgress progress(m_progress);
        m_judged = search::runJudged(task, m_interrupt.token(), progress);
        m_progress.clear();
        m_rules = judging.rules;
        if (!m_judged->result)
            return m_judged->error.value_or(Error{ErrorCode::Cancelled, "stopped before the search began"});
        m_cost = m_judged->result->initialCost;
        if (log) {
            const Status added = log->addThread(m_open, search::originOf(m_judged->run), *m_judged->result);
            if (!added) m_failures.push_back(added.error());
        }
        if (m_judged->recordError) m_failures.push_back(*m_judged->recordError);
        return mitos::Success{};
    }

    void makeRows() {
        const std::stop_token none;  // what was found is reported whole
        m_rows = storage::listedRegions(*m_open.bank, m_open.program, m_parts.regions, *m_model, none);
        if (!m_judged) return;
        const search::SearchResult& result = *m_judged->result;
        ir::Transplanter intoResult(*m_open.bank, *result.bank);
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (!isChosen(i)) continue;
            const partition::Region& region = m_parts.regions[i];
            storage::ListedRegion& row = m_rows[i];
            const auto copied = [&](std::vector<ir::TermId> nodes) {
                for (ir::TermId& node : nodes) node = intoResult.term(node);
                return nodes;
            };
            const partition::Region start{intoResult.term(region.root), copied(region.nodes), copied(region.inputs),
                                          copied(region.outputs)};
            const partition::Region end = partition::regionAtEnd(*result.bank, result.thread, start);
            row.after = partition::formOf(*result.bank, result.thread.end(), end, *m_model, none);
            const std::string name = partition::regionName(m_pattern.name, i);
            row.steps =
                static_cast<std::size_t>(std::ranges::count_if(result.thread.steps, [&](const rewrite::Step& step) {
                    return step.region != nullptr && step.region->name == name;
                }));
        }
    }

    /// Writes each region, the searched form if there is one, and then the file with their interfaces.
    void exportRegions() {
        if (m_judged && !mayBeWritten(*m_judged->run.verdict, m_options.insist)) {
            m_isRefused = true;
            return;
        }
        storage::removeRegionList(m_options.output);
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (!isChosen(i)) continue;
            const storage::ListedRegion& row = m_rows[i];
            m_progress.show(fmt::format("writing region {} of {}", row.number, m_rows.size()));
            const partition::RegionForm& form = row.after ? *row.after : row.before;
            const ir::TermBank& bank = row.after ? *m_judged->result->bank : *m_open.bank;
            if (!form.program) {
                m_files.push_back(
                    {row.number,
                     {},
                     Error{ErrorCode::Unsupported, fmt::format("region {}: {}", row.number, form.problem)}});
                continue;
            }
            m_files.push_back(storage::writeRegion(files(), row.number, bank, *form.program));
        }
        m_progress.clear();
        if (const Status written = storage::writeRegionList(m_options.output, json()); !written)
            m_failures.push_back(written.error());
    }

    [[nodiscard]] Json json() const {
        Json json = storage::toJson(*m_open.bank, {.pattern = m_pattern.text,
                                                   .patterns = m_pattern.set,
                                                   .costModel = m_options.cost,
                                                   .cost = m_cost,
                                                   .regions = m_rows,
                                                   .refused = m_parts.refused,
                                                   .unfinished = m_parts.unfinished.size(),
                                                   .isStopped = m_parts.isStopped});
        if (m_judged) {
            const search::SearchResult& result = *m_judged->result;
            json["strategy"] = partText(m_options);
            json["rules"] = m_book.names();
            json["initial_cost"] = result.initialCost;
            json["best_cost"] = result.bestCost;
            json["program"] = dialects::printProgram(*result.bank, result.thread.end());
            json["evaluations"] = result.statistics.evaluations;
            json["states"] = result.statistics.states;
            json["seconds"] = result.statistics.seconds;
            json["stop"] = search::toString(result.reason);
            json["thread_length"] = result.thread.steps.size();
            json["seed"] = m_judged->run.seed;
            json["notes"] = result.notes;
            addVerdict(json, *m_judged->run.verdict);
            addTrust(json, *m_rules);
        }
        if (!m_options.exportTo.empty()) json["files"] = storage::toJson(m_files);
        return json;
    }

    void print() const {
        for (const storage::ListedRegion& row : m_rows) {
            if (isChosen(row.number - 1)) printRegion(row);
        }
        printRefused(*m_open.bank, m_parts);
        std::size_t covered = 0;
        for (const partition::Region& region : m_parts.regions) covered += region.nodes.size();
        fmt::print("{} region{} of {}, {} of {} operators\n", m_parts.regions.size(),
                   m_parts.regions.size() == 1 ? "" : "s", m_pattern.text, covered, operatorCount());
        if (m_judged) {
            const search::SearchResult& result = *m_judged->result;
            fmt::print("cost {:.6g} -> {:.6g} ({})  in {} step{}\n", result.initialCost, result.bestCost,
                       m_options.cost, result.thread.steps.size(), result.thread.steps.size() == 1 ? "" : "s");
            fmt::print("{} evaluations, {} states, {:.2f} s, stopped by: {}, seed {}\n", result.statistics.evaluations,
                       result.statistics.states, result.statistics.seconds, search::toString(result.reason),
                       m_judged->run.seed);
            for (const std::string& note : result.notes) fmt::print("{}\n", note);
            printResultVerdict(*m_judged->run.verdict);
        } else if (m_cost) {
            fmt::print("cost {:.6g} ({})\n", *m_cost, m_options.cost);
        }
        for (const storage::RegionFile& file : m_files) {
            if (file.isFine()) fmt::print("wrote {}\n", file.path);
        }
    }

    [[nodiscard]] std::size_t operatorCount() const {
        std::size_t count = 0;
        for (const ir::TermId node : ir::SharedNodes(*m_open.bank, m_open.program.root)) {
            const bool isResults = node == m_open.program.root && m_open.bank->is(node, ir::CoreOp::Tuple);
            if (m_open.bank->childCount(node) > 0 && !isResults) ++count;
        }
        return count;
    }

    /// Writes the whole result, if requested. Returns whether ONNX's checks accept it.
    Result<bool> writeWhole() const {
        const search::JudgedRun& best = *m_judged;
        const bool writesProgram = !m_options.output.empty() && m_options.exportTo.empty();
        if (m_options.thread.empty() && !writesProgram) return true;
        if (!mayBeWritten(*best.run.verdict, m_options.insist)) return true;
        if (!m_options.thread.empty()) MITOS_REQUIRE(writeFile(m_options.thread, best.run.thread));
        if (!writesProgram) return true;
        return writeProgram(m_open, *best.result->bank, best.result->thread.end(), best.run.thread, m_options.output);
    }

    int report() {
        Result<bool> written = true;
        if (m_judged) written = writeWhole();
        if (m_options.json)
            cli::print(json());
        else
            print();
        if (m_judged && m_judged->refused) cli::printRefused(m_judged->refused->verdict);
        int status = m_parts.regions.empty() || m_isRefused ? ExitStatus::CheckFailed : ExitStatus::Success;
        if (m_parts.regions.empty()) fmt::print(stderr, "{} matches nowhere\n", m_pattern.text);
        if (m_judged) status = std::max(status, verdictStatus(*m_judged->run.verdict));
        for (const storage::RegionFile& file : m_files) {
            if (file.error) static_cast<void>(fail(*file.error, false));
            for (const std::string& finding : file.findings) fmt::print(stderr, "{}: {}\n", file.path, finding);
            if (!file.isFine()) status = std::max<int>(status, ExitStatus::CheckFailed);
        }
        for (const Error& failure : m_failures) {
            static_cast<void>(fail(failure, false));
            status = ExitStatus::BadInput;
        }
        if (!written) {
            static_cast<void>(fail(written.error(), false));
            return ExitStatus::BadInput;
        }
        return *written ? status : std::max<int>(status, ExitStatus::CheckFailed);
    }

    PartitionOptions& m_options;
    const rules::RuleBook& m_book;
    const rules::FoundPattern& m_pattern;
    OpenProgram& m_open;
    std::shared_ptr<const cost::CostModel> m_model;
    ProgressLine m_progress;
    InterruptGuard m_interrupt;
    partition::Partition m_parts;
    std::optional<double> m_cost;  ///< of the whole program before
    std::optional<search::JudgedRun> m_judged;
    std::shared_ptr<const eval::TrustedRules> m_rules;
    std::vector<storage::ListedRegion> m_rows;
    std::vector<storage::RegionFile> m_files;
    std::vector<Error> m_failures;
    bool m_isRefused = false;  ///< the result of the search is not written
};

Result<int> runPartition(PartitionOptions options) {
    MITOS_REQUIRE(requireMeant(options));
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(const rules::RuleBook book, rulesFor(options));
    MITOS_TRY(
        const rules::FoundPattern pattern,
        rules::findPattern(options.pattern, options.hasOwnRules() ? options.rules : std::string(), book.registry()));
    MITOS_TRY(OpenProgram open, openProgram(options, pattern.registry));
    MITOS_REQUIRE(rules::requireFor(book, open.dialect()));
    std::vector<NamedFile> outputs = sessionFiles(options.session);
    outputs.push_back({"--thread", options.thread});
    if (options.exportTo.empty()) outputs.push_back({"-o", options.output});
    MITOS_REQUIRE(requireOutputs(options, outputs, filesRead(book, open.read.model.get())));
    MITOS_TRY(std::shared_ptr<const cost::CostModel> model,
              openCostModel(options, open.bank->registry(), open.dialect().name));
    return PartitionRun(options, book, pattern, open, std::move(model)).run();
}

}  // namespace

void addPartitionCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand(
        "partition", "divide a program by a pattern into regions, and search or export each as a program of its own");
    auto options = std::make_shared<PartitionOptions>();
    options->addFile(*command);
    options->addRules(*command);
    options->addCost(*command);
    command
        ->add_option("--pattern", options->pattern,
                     "a named pattern of the --rules or of those that come with the program (Pointwise, MatMulEpilog, "
                     "Epilog, FeedForward, SoftmaxAttention, HeadedAttention), or a left side, \"Relu(Conv(x, w))\"")
        ->required();
    command->add_option("--least", options->leastNodes, "operators that a region has at least")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--region", options->region, "search and export that region only, by its number; 0: all")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    command->add_option("--strategy", options->strategy,
                        "search each region with it, and put the results back; see `mitos-cli strategies`. Or another "
                        "one for each form of regions, by the numbers of the forms: \"greedy; 2, 4-6: mcts(depth=100); "
                        "3: none\"");
    command->add_option("--set", options->set, "name=value, a parameter of the strategy; may be repeated");
    options->addSearch(*command);
    command
        ->add_option("--evaluations", options->evaluations,
                     "stop after valuing that many expressions in all (default 5000 if no limit is given)")
        ->check(wholeNumber(1));
    command->add_option("--export", options->exportTo, "write each region as a file of its own")
        ->check(CLI::IsMember({"c++", "onnx"}));
    command->add_option("-o,--output", options->output,
                        "with --export the folder of the regions, with their interfaces in regions.json; else the file "
                        "of the whole result");
    command->add_option("--thread", options->thread, "write the thread there; its steps name their regions");
    command->add_option("--session", options->session, "keep the run in that session file");
    options->verify.add(*command);
    command->callback([options, choose] { choose([options] { return runPartition(*options); }); });
}

}  // namespace mitos::cli
