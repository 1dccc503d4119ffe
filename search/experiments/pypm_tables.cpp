// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm_tables.h.
#include "search/experiments/pypm_tables.h"

#include "search/experiments/csv_table.h"
#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace mitos::search::experiments {

namespace {

constexpr const char* NothingHere = "–";
constexpr double MillisecondsOfSecond = 1e3;

std::string millisecondsText(double seconds) { return fmt::format("{:.2f}", MillisecondsOfSecond * seconds); }

}  // namespace

std::string speedupText(double speedup) { return fmt::format("{:.3f}", speedup); }

ReportTable speedupSummaryTable(const PypmResults& results) {
    ReportTable table{
        .name = "speedup-summary",
        .title = "Relative speed-ups",
        .text =
            "How many times as fast models are as with neither optimization: the geometric mean, the least and the "
            "greatest, and the models that are faster and slower beyond noise.",
        .head = {"suite", "measure", "compilation", "models", "mean", "least", "greatest", "faster", "slower"},
        .rows = {},
        .textColumns = 3};
    for (const std::string& suite : results.suites()) {
        for (const PypmMeasure& measure : results.measures()) {
            for (const PypmCompilationInfo& info : pypmCompilations().subspan(1)) {
                const std::vector<PypmSpeedup> speedups = results.speedups(measure, info.compilation, suite);
                if (speedups.empty()) continue;
                const PypmSpeedupSummary summary = summaryOf(speedups);
                table.rows.push_back({suite, measure.title, info.title, fmt::format("{}", summary.models),
                                      speedupText(summary.mean), speedupText(summary.least), speedupText(summary.most),
                                      fmt::format("{}", summary.faster), fmt::format("{}", summary.slower)});
            }
        }
    }
    return table;
}

ReportTable speedupTable(const PypmResults& results, const PypmMeasure& measure) {
    ReportTable table{
        .name = "speedups-" + measure.name,
        .title = "Speed-ups of each model: " + measure.title,
        .text = measure.isMeasured()
                    ? "How many times as fast, with the interval of 95 %. A model that no rule has changed "
                      "is the same program, which is not timed again: *same*."
                    : "The cost with neither optimization, divided by that with some.",
        .head = {"suite", "model"},
        .rows = {},
        .textColumns = 2};
    for (const PypmCompilationInfo& info : pypmCompilations().subspan(1)) table.head.emplace_back(info.title);
    for (const auto& [model, record] : results.entries()) {
        std::vector<std::string> row{model->suite, model->title};
        bool hasNumbers = false;
        for (const PypmCompilationInfo& info : pypmCompilations().subspan(1)) {
            const auto speedup = PypmResults::speedup(record, measure, info.compilation);
            hasNumbers = hasNumbers || speedup.has_value();
            if (!speedup) {
                row.emplace_back(NothingHere);
            } else if (!measure.isMeasured()) {
                row.push_back(speedupText(speedup->value));
            } else {
                const PypmTime& time = record.find(measure.level)->compilations[indexOf(info.compilation)];
                const bool isSame = time.timedAs == infoOf(PypmCompilation::Neither).name;
                row.push_back(isSame
                                  ? "same"
                                  : fmt::format("{} ({} to {})", speedupText(speedup->value),
                                                speedupText(1.0 / time.ratio.high), speedupText(1.0 / time.ratio.low)));
            }
        }
        if (hasNumbers) table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable matchingTable(const PypmResults& results) {
    ReportTable table{
        .name = "matching",
        .title = "The pass to its fixed point",
        .text = fmt::format("The median of {} passes over each model in milliseconds, rewriting included, "
                            "and the matches that were rewritten. *Neither* walks over the nodes once.",
                            results.plan().repetitions),
        .head = {"suite", "model", "nodes"},
        .rows = {},
        .textColumns = 2};
    for (const PypmCompilationInfo& info : pypmCompilations()) {
        if (info.compilation != PypmCompilation::Neither) table.head.push_back(fmt::format("{}: matches", info.title));
        table.head.push_back(fmt::format("{}: ms", info.title));
    }
    for (const auto& [model, record] : results.entries()) {
        std::vector<std::string> row{model->suite, model->title, groupedText(record.nodes)};
        for (const PypmCompilationInfo& info : pypmCompilations()) {
            const PypmPass& pass = PypmResults::pass(record, info.compilation);
            if (info.compilation != PypmCompilation::Neither) row.push_back(groupedText(pass.matches()));
            row.push_back(millisecondsText(pass.medianSeconds()));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable pypmRuleTable(const PypmResults& results) {
    struct Use {
        std::uint64_t matches = 0;
        std::size_t models = 0;
    };
    std::map<std::string, Use> uses;
    for (const auto& [model, record] : results.entries()) {
        for (const auto& [rule, matches] : PypmResults::pass(record, PypmCompilation::Both).rules) {
            uses[rule].matches += matches;
            ++uses[rule].models;
        }
    }
    ReportTable table{.name = "rules",
                      .title = "Matches by rule",
                      .text = "Those that were rewritten with both optimizations.",
                      .head = {"rule", "matches", "models"},
                      .rows = {}};
    for (const auto& [rule, use] : uses)
        table.rows.push_back({rule, groupedText(use.matches), fmt::format("{}", use.models)});
    return table;
}

std::string pypmRunsCsv(const PypmResults& results) {
    const std::vector<PypmMeasure> measures = results.measures();
    std::vector<std::string> titles{"suite",   "model", "graph_nodes", "compilation", "matches",     "walks",
                                    "seconds", "least", "greatest",    "nodes",       "fixed_point", "verdict"};
    for (const PypmMeasure& measure : measures) titles.push_back("speedup_" + measure.name);
    CsvTable csv(titles);
    for (const auto& [model, record] : results.entries()) {
        for (const PypmCompilationInfo& info : pypmCompilations()) {
            const PypmPass& pass = PypmResults::pass(record, info.compilation);
            const auto [least, greatest] = std::ranges::minmax(pass.seconds);
            std::vector<std::string> row{model->suite,
                                         model->title,
                                         fmt::format("{}", record.nodes),
                                         info.name,
                                         fmt::format("{}", pass.matches()),
                                         fmt::format("{}", pass.walks),
                                         CsvTable::number(pass.medianSeconds()),
                                         CsvTable::number(least),
                                         CsvTable::number(greatest),
                                         fmt::format("{}", pass.nodes),
                                         pass.isFixedPoint ? "1" : "0",
                                         pass.verdict};
            for (const PypmMeasure& measure : measures) {
                const auto speedup = PypmResults::speedup(record, measure, info.compilation);
                row.push_back(speedup ? CsvTable::number(speedup->value) : std::string());
            }
            csv.add(row);
        }
    }
    return csv.text();
}

}  // namespace mitos::search::experiments
