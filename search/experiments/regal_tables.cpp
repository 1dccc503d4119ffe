// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_tables.h.
#include "search/experiments/regal_tables.h"

#include "search/experiments/csv_table.h"
#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace mitos::search::experiments {

namespace {

constexpr const char* None = "–";

const char* groupText(RegalGroup group) {
    switch (group) {
        case RegalGroup::Paper: return "paper";
        case RegalGroup::Control: return "control";
        case RegalGroup::Beside: return "beside";
    }
    return "";
}

/// The paper's gain of a method, where it could be had.
std::string paperGain(const RegalResults& results, const RegalKey& key) {
    if (key.method != RegalMethod::Regal || key.evaluations != results.plan().evaluations) return None;
    const std::string name =
        fmt::format("{}{}_gain", toString(key.task), key.set == RegalSet::Networks ? "_transfer" : "");
    const NamedNumber* const number = results.paper().find(name);
    return number == nullptr ? None : gainText(number->value);
}

/// Rows by method as the methods are listed, each with its usual and then its other numbers of evaluations.
std::vector<RegalKey> tableKeys(const RegalResults& results, RegalTask task, RegalSet set) {
    std::vector<RegalKey> keys;
    for (const RegalKey& key : results.keys(task, set)) {
        const bool isUsual = key.evaluations == 0 || key.evaluations == results.plan().evaluations;
        const bool isLong = key.method == RegalMethod::Brkga && key.evaluations == results.plan().longEvaluations();
        if (isUsual || isLong) keys.push_back(key);
    }
    return keys;
}

std::string taskTitle(RegalTask task) {
    switch (task) {
        case RegalTask::Memory: return "Peak memory";
        case RegalTask::Time: return "Run time";
        case RegalTask::Capped: return "Run time under a limit of memory";
    }
    return "";
}

std::string setText(const RegalResults& results, RegalSet set) {
    switch (set) {
        case RegalSet::Unseen: return fmt::format("{} generated graphs", results.plan().graphs);
        case RegalSet::Noisy: return fmt::format("{} noisy variants of them", results.plan().graphCount(set));
        case RegalSet::Networks: return report::plural(results.plan().networks.size(), "network", "networks");
    }
    return "";
}

std::size_t provenCount(const RegalResults& results, RegalTask task, RegalSet set) {
    std::size_t proven = 0;
    for (std::uint32_t i = 0; i < results.plan().graphCount(set); ++i) proven += results.isProven(task, set, i) ? 1 : 0;
    return proven;
}

/// Numbers of the paper on REGAL beside its gain.
std::string paperRegalText(const RegalResults& results, RegalTask task, RegalSet set) {
    const auto value = [&](const char* name) {
        const NamedNumber* const number = results.paper().find(fmt::format("{}_{}", toString(task), name));
        return number == nullptr ? 0.0 : number->value;
    };
    if (set != RegalSet::Unseen || task == RegalTask::Capped) return {};
    std::string text = fmt::format(
        " The paper's REGAL is not worse on {:g} % of its graphs, its highest gain is {} and its lowest {}, and its "
        "mean gain {:g} times that of the next "
        "best method",
        value("not_worse"), gainText(value("best")), gainText(value("worst")), value("times_next"));
    if (task == RegalTask::Memory) text += fmt::format(" ({})", gainText(value("next_gain")));
    return text + ".";
}

std::string methodText(const RegalResults& results, RegalTask task, RegalSet set) {
    std::string text = fmt::format(
        "*gain*: how much lower the {} is than that of BRKGA with {} evaluations, mean over graphs with its 95 % "
        "interval "
        "(bootstrap over graphs); a graph has the mean of {}. *gap*: above the best known of all searches here",
        task == RegalTask::Memory ? "peak" : "run time", groupedText(results.plan().evaluations),
        report::plural(results.plan().seeds, "seed", "seeds"));
    const std::size_t proven = provenCount(results, task, set);
    if (proven > 0)
        text += fmt::format(", which is proven to be the best of all schedules for {} of the graphs", proven);
    text += ". Seconds are of one search, on one processor.";
    text += paperRegalText(results, task, set);
    if (task == RegalTask::Capped) {
        text += fmt::format(
            " Each device has {:g} times the peak that BRKGA finds when it minimizes memory. Graphs for which one of "
            "the two methods found a "
            "schedule that does not fit, with any seed, are left out of the row; *do not fit* counts such schedules.",
            results.plan().memoryFactor);
    }
    return text;
}

std::string trainedText(const RegalModel& model) {
    const learned::CurvePoint* const best = model.bestPoint();
    const double seconds = model.model.curve.empty() ? 0.0 : model.model.curve.back().seconds;
    return fmt::format("{}{}", best == nullptr ? "" : fmt::format("step {} of ", best->step),
                       model.model.curve.empty()
                           ? std::string(None)
                           : fmt::format("{}, {}", model.model.curve.back().step, report::durationText(seconds)));
}

std::string networkText(const RegalModel& model) {
    if (model.model.shape.kind == learned::NetworkKind::Sequence)
        return fmt::format("sequence, {}, {} wide", report::plural(model.model.shape.rounds, "layer", "layers"),
                           model.model.shape.hidden);
    return fmt::format("graph, T = {}, {} wide, features: {}", model.model.shape.rounds, model.model.shape.hidden,
                       placement::toString(model.model.features));
}

std::string rewardText(const RegalModel& model) {
    const learned::CurvePoint* const best = model.bestPoint();
    return best == nullptr ? None : fmt::format("−{:.4f}", 1.0 - best->improvement);
}

}  // namespace

ReportTable methodTable(const RegalResults& results, RegalTask task, RegalSet set) {
    ReportTable table{.name = fmt::format("{}-{}", toString(task), toString(set)),
                      .title = fmt::format("{}: {}", taskTitle(task), setText(results, set)),
                      .text = methodText(results, task, set),
                      .head = {"method", "from", "gain (95 %)", "paper", "gap", "better / equal / worse", "highest",
                               "lowest", "search", "network"},
                      .rows = {},
                      .textColumns = 2};
    if (task == RegalTask::Capped) table.head.emplace_back("do not fit");
    for (const RegalKey& key : tableKeys(results, task, set)) {
        const std::optional<RegalSummary> summary = results.summary(key);
        if (!summary) continue;
        const PairedComparison& comparison = summary->comparison;
        const bool isReference = key == usualKey(results.plan(), task, set, RegalMethod::Brkga);
        const bool hasGraphs = comparison.count() > 0;
        std::vector<std::string> row{results.title(key), groupText(infoOf(key.method).group)};
        row.push_back(isReference ? "reference" : hasGraphs ? gainText(comparison.improvement) : None);
        row.push_back(paperGain(results, key));
        row.push_back(hasGraphs ? fmt::format("{:.2f} %", summary->gap.mean) : None);
        row.push_back(isReference || !hasGraphs
                          ? None
                          : fmt::format("{} / {} / {}", comparison.better, comparison.equal, comparison.worse));
        row.push_back(isReference || !hasGraphs ? None : gainText(comparison.best));
        row.push_back(isReference || !hasGraphs ? None : gainText(comparison.worst));
        row.push_back(report::durationText(summary->seconds));
        row.push_back(infoOf(key.method).role == RegalRole::None ? None
                                                                 : report::durationText(summary->inferenceSeconds));
        if (task == RegalTask::Capped) row.push_back(fmt::format("{} of {}", summary->unfit, summary->searches));
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable networkTable(const RegalResults& results) {
    ReportTable table{.name = "transfer",
                      .title = "Network by network",
                      .text = "Gain of REGAL over BRKGA, both as means over the seeds.",
                      .head = {"network", "operations", "peak of BRKGA", "gain", "run time of BRKGA", "gain"},
                      .rows = {}};
    for (std::uint32_t i = 0; i < results.plan().networks.size(); ++i) {
        const NamedTaskGraph& network = results.plan().networks[i];
        std::vector<std::string> row{network.name, fmt::format("{}", network.graph.operations.size())};
        bool hasAny = false;
        for (const RegalTask task : {RegalTask::Memory, RegalTask::Time}) {
            const auto of = [&](RegalMethod method) {
                return results.objective(usualKey(results.plan(), task, RegalSet::Networks, method), i);
            };
            const std::optional<double> reference = of(RegalMethod::Brkga);
            const std::optional<double> ours = of(RegalMethod::Regal);
            hasAny = hasAny || reference;
            row.push_back(!reference                  ? None
                          : task == RegalTask::Memory ? amountText(*reference, "bytes")
                                                      : amountText(*reference, results.plan().networkUnit));
            row.push_back(reference && ours ? gainText(report::Percent * (1.0 - *ours / *reference)) : None);
        }
        if (hasAny) table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable noiseTable(const RegalResults& results) {
    ReportTable table{
        .name = "noise",
        .title = "Gains on graphs and on their noisy variants",
        .text = fmt::format(
            "Durations and sizes are multiplied by numbers whose logarithms are normal with a deviation of {:g}. "
            "Gains over BRKGA with as many evaluations, with their 95 % intervals.",
            results.plan().noise),
        .head = {"task", "method", "graphs as generated", "noisy variants", "better / equal / worse"},
        .rows = {},
        .textColumns = 2};
    for (const RegalTask task : {RegalTask::Memory, RegalTask::Time}) {
        for (const RegalKey& key : results.keys(task, RegalSet::Noisy)) {
            if (key.method == RegalMethod::Brkga) continue;
            RegalKey plainKey = key;
            plainKey.set = RegalSet::Unseen;
            const std::optional<RegalSummary> noisy = results.summary(key);
            const std::optional<RegalSummary> plain = results.summary(plainKey);
            if (!noisy) continue;
            const PairedComparison& comparison = noisy->comparison;
            table.rows.push_back({toString(task), results.title(key),
                                  plain ? gainText(plain->comparison.improvement) : None,
                                  gainText(comparison.improvement),
                                  fmt::format("{} / {} / {}", comparison.better, comparison.equal, comparison.worse)});
        }
    }
    return table;
}

ReportTable evaluationTable(const RegalResults& results) {
    ReportTable table{.name = "figure3",
                      .title = "Gain by evaluations",
                      .text = fmt::format("Gain over BRKGA with {} evaluations, with its 95 % interval.",
                                          groupedText(results.plan().evaluations)),
                      .head = {"task", "evaluations", "BRKGA", "REGAL"},
                      .rows = {},
                      .textColumns = 1};
    for (const RegalTask task : {RegalTask::Memory, RegalTask::Time}) {
        for (const std::uint64_t limit : results.plan().limits()) {
            const auto cell = [&](RegalMethod method) {
                const std::optional<RegalSummary> summary = results.summary({task, RegalSet::Unseen, method, limit});
                return summary ? gainText(summary->comparison.improvement) : std::string(None);
            };
            const std::string brkga = cell(RegalMethod::Brkga);
            const std::string regal = cell(RegalMethod::Regal);
            if (brkga == None && regal == None) continue;
            table.rows.push_back({toString(task), groupedText(limit), brkga, regal});
        }
    }
    return table;
}

std::string roleText(const RegalModel& model) {
    std::string title = "REGAL";
    for (const RegalMethodInfo& info : regalMethods()) {
        if (info.role == model.role() && info.role != RegalRole::None) title = info.title;
    }
    return fmt::format("{}, {}", title, model.model.objective == placement::Objective::Memory ? "memory" : "time");
}

ReportTable modelTable(const RegalResults& results) {
    ReportTable table{.name = "models",
                      .title = "Models",
                      .text =
                          "The models in the folder, those that a method uses with ✓. A model is known by what it says "
                          "of itself. Of several for "
                          "one method that one is used whose training had the evaluations nearest to those here, and "
                          "of these the one "
                          "with the best reward on its validation graphs.",
                      .head = {"model", "for", "network", "trained on", "used", "evaluations", "step, time", "reward"},
                      .rows = {},
                      .textColumns = 4};
    for (const RegalModel& model : results.models().all()) {
        const placement::Objective objective = model.model.objective;
        const bool isUsed = results.models().find(objective, model.role()) == &model ||
                            results.models().find(objective, RegalRole::Other) == &model;
        std::string graphs;
        for (const std::string& text : model.model.graphs) {
            if (graphs.size() < 80) graphs += (graphs.empty() ? "" : ", ") + text;
        }
        if (model.model.noise > 0.0)
            graphs += fmt::format(", {} variants with noise of {:g}", model.model.variants, model.model.noise);
        table.rows.push_back({model.file, roleText(model), networkText(model), graphs, isUsed ? "✓" : "",
                              groupedText(model.model.evaluations), trainedText(model), rewardText(model)});
    }
    return table;
}

std::vector<const RegalModel*> bestByRounds(const RegalResults& results, placement::Objective objective) {
    const RegalModel* const regal = results.models().find(objective, RegalRole::Regal);
    std::map<std::uint32_t, const RegalModel*> best;
    for (const RegalModel& model : results.models().all()) {
        const bool isGraph = model.role() == RegalRole::Regal || model.role() == RegalRole::Isolated;
        if (!isGraph || model.model.objective != objective || model.bestPoint() == nullptr) continue;
        // Improvements on other graphs for validation, or seen otherwise, say nothing about the rounds.
        const bool isAlike = regal == nullptr || (model.model.evaluations == regal->model.evaluations &&
                                                  model.model.graphs == regal->model.graphs &&
                                                  model.model.features == regal->model.features);
        if (!isAlike) continue;
        const RegalModel*& known = best[model.model.shape.rounds];
        if (known == nullptr || model.bestPoint()->improvement > known->bestPoint()->improvement) known = &model;
    }
    std::vector<const RegalModel*> models;
    for (const auto& [rounds, model] : best) models.push_back(model);
    return models;
}

ReportTable roundsTable(const RegalResults& results) {
    ReportTable table{
        .name = "rounds",
        .title = "Rounds of messages",
        .text =
            "The best reward on validation graphs of all models with so many rounds (T), as the paper takes the best "
            "of a "
            "sweep; −1 is that of uniform mutants. Only models whose training had the graphs, the features and as many "
            "evaluations as REGAL's.",
        .head = {"task", "T", "reward", "gain on validation graphs", "model"},
        .rows = {}};
    for (const placement::Objective objective : {placement::Objective::Memory, placement::Objective::Runtime}) {
        for (const RegalModel* const model : bestByRounds(results, objective)) {
            table.rows.push_back({objective == placement::Objective::Memory ? "memory" : "time",
                                  fmt::format("{}", model->model.shape.rounds), rewardText(*model),
                                  gainText(report::Percent * model->bestPoint()->improvement), model->file});
        }
    }
    return table;
}

ReportTable paperTable(const RegalResults& results) {
    return numbersTable(results.paper(),
                        "Those that could be had, with their sources. The paper's graphs are not published, so that "
                        "its numbers are of other graphs than ours.");
}

std::string regalRunsCsv(const RegalResults& results) {
    CsvTable csv({"task", "set", "method", "limit", "graph", "operations", "seed", "run_time", "peak_bytes",
                  "overflow_bytes", "evaluations", "seconds", "network_seconds", "entropy_devices",
                  "entropy_priorities", "proven", "model"});
    for (const auto& [run, record] : results.records()) {
        for (const RegalOutcome& outcome : record.outcomes) {
            for (std::size_t seed = 0; seed < outcome.searches.size(); ++seed) {
                const RegalSearch& search = outcome.searches[seed];
                csv.add({toString(run.key.task), toString(run.key.set), infoOf(run.key.method).name,
                         fmt::format("{}", run.key.evaluations), outcome.graph, fmt::format("{}", outcome.operations),
                         fmt::format("{}", seed + 1), CsvTable::number(search.runtime), fmt::format("{}", search.peak),
                         fmt::format("{}", search.overflow), fmt::format("{}", search.evaluations),
                         CsvTable::number(search.seconds), CsvTable::number(outcome.inferenceSeconds),
                         outcome.actions ? CsvTable::number(outcome.actions->devices) : std::string(),
                         outcome.actions ? CsvTable::number(outcome.actions->priorities) : std::string(),
                         outcome.isProven ? "true" : "false", record.model});
            }
        }
    }
    return csv.text();
}

}  // namespace mitos::search::experiments
