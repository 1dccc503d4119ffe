// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos_tables.h.
#include "search/experiments/knossos_tables.h"

#include "search/experiments/csv_table.h"
#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::search::experiments {

namespace {

constexpr const char* NoNumber = "–";

/// The number of the paper for the method, with its evaluations.
std::string paperTotal(const KnossosResults& results, const KnossosKey& key) {
    const std::string_view name = key.method->name;
    std::string_view rest;
    if (key.strategy == key.method->strategy) {
        if (name == KnossosAsPrinted) rest = "knossos";
        if (name == KnossosFlat) rest = "flat";
        if (name == "greedy-zero") rest = "greedy";
        if (name == "random") rest = "random";
    }
    const std::optional<double> level = rest.empty() ? std::nullopt : results.paperOf(key.task, rest);
    return level ? fmt::format("{:g}", *level) : NoNumber;
}

std::string evaluationsHead(std::uint64_t budget) { return groupedText(budget) + " evaluations"; }

std::string timesText(double one, double other) {
    return other > 0.0 ? fmt::format("{:.2g}", one / other) : std::string(NoNumber);
}

std::vector<std::string> effortRow(const KnossosResults& results, const KnossosKey& key, const KnossosTarget& target) {
    const KnossosEfforts own = results.efforts(key, target.total);
    std::vector<std::string> row{results.title(key), target.title, fmt::format("{:.2f}", target.total),
                                 fmt::format("{} of {}", own.reached.size(), own.runs)};
    if (own.reached.empty()) {
        row.insert(row.end(), 4, NoNumber);
        return row;
    }
    std::vector<double> evaluations;
    std::vector<double> seconds;
    for (const KnossosEffort& one : own.reached) {
        evaluations.push_back(one.evaluations);
        seconds.push_back(one.seconds);
    }
    row.push_back(fmt::format("{:.0f}", meanOf(evaluations)));
    row.push_back(target.effort ? timesText(target.effort->evaluations, meanOf(evaluations)) : NoNumber);
    row.push_back(report::durationText(meanOf(seconds)));
    row.push_back(target.effort ? timesText(target.effort->seconds, meanOf(seconds)) : NoNumber);
    return row;
}

}  // namespace

std::string totalText(const std::vector<double>& totals) {
    if (totals.empty()) return NoNumber;
    if (totals.size() == 1) return fmt::format("{:.2f}", totals.front());
    const IntervalMean mean = intervalMean(totals);
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", mean.mean, mean.low, mean.high);
}

ReportTable totalsTable(const KnossosResults& results, KnossosTask task) {
    const KnossosTaskInfo& info = infoOf(task);
    ReportTable table{
        .name = fmt::format("{}-totals", info.name),
        .title = fmt::format("{}: total costs of {}", info.title, info.subject),
        .text =
            "Means over the repetitions, at the end of the trainings, with the 95 % intervals that drawing "
            "repetitions again gives. Before any optimization the total is " +
            (results.initial(task) ? fmt::format("{:g}", *results.initial(task)) : std::string(NoNumber)) +
            ". The paper's searches have 5,000 evaluations.",
        .head = {"search", "kind", "repetitions"},
        .rows = {},
        .textColumns = 2};
    for (const std::uint64_t budget : results.plan().budgets) table.head.push_back(evaluationsHead(budget));
    table.head.emplace_back("paper");
    for (const KnossosKey& key : results.keys(task)) {
        std::vector<std::string> row{results.title(key), key.method->isLearned() ? "trained" : "without learning",
                                     fmt::format("{}", results.totals(key, results.plan().mostEvaluations()).size())};
        for (const std::uint64_t budget : results.plan().budgets) row.push_back(totalText(results.totals(key, budget)));
        row.push_back(paperTotal(results, key));
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable gainsTable(const KnossosResults& results, KnossosTask task) {
    ReportTable table{.name = fmt::format("{}-gains", infoOf(task).name),
                      .title = "Gains over the best search without learning",
                      .text =
                          "By how much the costs of programs are lower than those of the search without learning "
                          "whose total is least with as many evaluations: means over programs, each the mean of "
                          "its repetitions, with 95 % intervals over programs.",
                      .head = {"search", "evaluations", "best without learning", "gain", "better / equal / worse"},
                      .rows = {},
                      .textColumns = 3};
    for (const KnossosKey& key : results.keys(task)) {
        if (!key.method->isLearned()) continue;
        for (const std::uint64_t budget : results.plan().budgets) {
            const auto best = results.bestUnlearned(task, budget);
            const std::vector<double> own = results.programCosts(key, budget);
            if (!best || own.empty()) continue;
            const std::vector<double> reference = results.programCosts(*best, budget);
            if (own.size() != reference.size()) continue;
            const PairedComparison comparison = compared(own, reference);
            table.rows.push_back({results.title(key), groupedText(budget), results.title(*best),
                                  gainText(comparison.improvement),
                                  fmt::format("{} / {} / {}", comparison.better, comparison.equal, comparison.worse)});
        }
    }
    return table;
}

ReportTable effortTable(const KnossosResults& results, KnossosTask task) {
    ReportTable table{
        .name = fmt::format("{}-effort", infoOf(task).name),
        .title = "Effort to come to totals without learning",
        .text = fmt::format(
            "The least number of evaluations, and of seconds of search, for each program with which the total is not "
            "above that of the searches *to match* with {} evaluations; means over the repetitions that come there. "
            "*times fewer* compares with what these need themselves, the least of all. Training is not part of it. An "
            "evaluation of saturation is a term, of all others a program.",
            groupedText(results.plan().mostEvaluations())),
        .head = {"search", "to match", "total", "reached", "evaluations", "times fewer", "seconds", "times fewer"},
        .rows = {},
        .textColumns = 2};
    for (const KnossosMethod* const reference :
         {static_cast<const KnossosMethod*>(nullptr), findKnossosMethod("astar-potential"),
          findKnossosMethod("astar-zero")}) {
        const std::optional<KnossosTarget> target = results.target(task, reference);
        if (!target) continue;
        for (const KnossosKey& key : results.keys(task)) {
            if (reference == nullptr || key.strategy == reference->strategy)
                table.rows.push_back(effortRow(results, key, *target));
        }
    }
    return table;
}

ReportTable programTable(const KnossosResults& results, KnossosTask task) {
    const std::uint64_t budget = results.plan().mostEvaluations();
    ReportTable table{
        .name = fmt::format("{}-programs", infoOf(task).name),
        .title = "Program by program",
        .text = fmt::format("Costs with {} evaluations, as means over the repetitions.", groupedText(budget)),
        .head = {"program", "at first"},
        .rows = {}};
    std::vector<std::vector<double>> columns;
    const KnossosEvaluation* first = nullptr;
    for (const KnossosKey& key : results.keys(task)) {
        if (!(key == ownKey(task, *key.method))) continue;
        std::vector<double> costs = results.programCosts(key, budget);
        if (costs.empty()) continue;
        if (first == nullptr) {
            first = results.of(task, *key.method).front()->stages.back().find(key.strategy, budget);
        }
        if (!columns.empty() && columns.front().size() != costs.size()) continue;
        columns.push_back(std::move(costs));
        table.head.push_back(results.title(key));
    }
    if (first == nullptr) return table;
    for (std::size_t i = 0; i < first->searches.size(); ++i) {
        std::vector<std::string> row{first->searches[i].program, fmt::format("{:g}", first->searches[i].initialCost)};
        for (const std::vector<double>& column : columns) row.push_back(fmt::format("{:.2f}", column[i]));
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable trainingTable(const KnossosResults& results) {
    ReportTable table{
        .name = "training",
        .title = "Trainings",
        .text =
            "Means over the repetitions. The value function that counts is the one of all validations "
            "so far with which A* with 300 evaluations does best on the *training* programs; the "
            "programs that are compared are not looked at, unless they are those to train on. Time "
            "includes these validations. Speed is that of values on the states of a search, on one "
            "thread, beside the other runs.",
        .head = {"method", "what", "task", "repetitions", "epochs", "time", "last loss", "states a second"},
        .rows = {},
        .textColumns = 3};
    for (const KnossosMethod& method : knossosMethods()) {
        if (!method.isLearned()) continue;
        for (const KnossosTaskInfo& info : knossosTasks()) {
            std::vector<double> seconds;
            std::vector<double> losses;
            std::vector<double> speeds;
            std::uint32_t epochs = 0;
            for (const KnossosRecord* const record : results.of(info.task, method)) {
                epochs = record->stages.back().epochs;
                seconds.push_back(record->stages.back().trainingSeconds);
                losses.push_back(record->stages.back().loss);
                speeds.push_back(record->statesPerSecond);
            }
            if (seconds.empty()) continue;
            table.rows.push_back({method.title, method.meaning, info.name, fmt::format("{}", seconds.size()),
                                  fmt::format("{}", epochs), report::durationText(meanOf(seconds)),
                                  fmt::format("{:.3g}", meanOf(losses)), fmt::format("{:.0f}", meanOf(speeds))});
        }
    }
    return table;
}

std::string knossosRunsCsv(const KnossosResults& results) {
    CsvTable csv({"task", "method", "repetition", "epochs", "training_seconds", "strategy", "limit", "program",
                  "initial_cost", "cost", "evaluations", "seconds", "evaluations_to_best", "seconds_to_best", "good"});
    for (const auto& [run, record] : results.records()) {
        for (const KnossosStage& stage : record.stages) {
            for (const KnossosEvaluation& evaluation : stage.evaluations) {
                for (const KnossosSearch& search : evaluation.searches) {
                    const bool hasWay = !search.way.empty();
                    csv.add({infoOf(run.task).name, run.method->name, fmt::format("{}", run.repetition),
                             fmt::format("{}", stage.epochs), CsvTable::number(stage.trainingSeconds),
                             evaluation.strategy, fmt::format("{}", evaluation.budget), search.program,
                             CsvTable::number(search.initialCost), CsvTable::number(search.cost),
                             fmt::format("{}", search.evaluations), CsvTable::number(search.seconds),
                             hasWay ? fmt::format("{}", search.way.back().evaluations) : std::string(),
                             hasWay ? CsvTable::number(search.way.back().seconds) : std::string(),
                             search.isGood ? "true" : "false"});
                }
            }
        }
    }
    return csv.text();
}

}  // namespace mitos::search::experiments
