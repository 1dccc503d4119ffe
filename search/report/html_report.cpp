// SPDX-License-Identifier: GPL-3.0-or-later
// See html_report.h.
#include "search/report/html_report.h"

#include "search/report/html.h"
#include "search/report/internal/sections.h"
#include "search/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace mitos::search {

namespace {

using namespace report;

constexpr std::size_t ThreadBytes = 1'500'000;  // the programs of all threads
constexpr std::size_t LeastThreadBytes = 60'000;

constexpr const char* Legend = R"(<dl>
<dt>Best</dt><dd>The least cost of all seeds. It is the cost of the thread's last program, whatever the way there cost.</dd>
<dt>Median, quartiles</dt><dd>Each seed has its own best; these are the middle one and those that a quarter of the seeds are below
and above. Strategies that do not use the seed have only one.</dd>
<dt>Curves, band</dt><dd>A line is the median of the best so far, the shaded band the middle half of the seeds, under the largest
limit. Searches that ended stay where they were. Over time there are bands for every strategy, as no two runs are equally
quick. An axis is logarithmic where its values differ by more than a factor of 100.</dd>
<dt>Within 1 %</dt><dd>The time until the best cost so far was within 1 % of the cost named.</dd>
<dt>Evaluations</dt><dd>Distinct programs whose cost a search worked out, its start included. Each limit is a search of its own, not
a place on the curve of a larger one.</dd>
<dt>Verdicts</dt><dd>Each best program comes with a thread of rewrite steps. An independent checker replayed it, and the values of start
and end were compared on random inputs. A result that is known to be wrong counts in no number and no curve; only one that passed
all checks can be the answer.</dd>
<dt>Path, peak</dt><dd>The costs of the programs along the thread, from the start to the best program; the peak is the most expensive of
them.</dd>
<dt>Marks in programs</dt><dd><ins>Filled</ins>: what the step changed. <u>Underlined</u>: what the next step replaces. The steps answer to
the arrow keys, and a click on the path shows its nearest step.</dd>
</dl>
)";

/// "2 programs, 3 strategies, 3 seeds: 36 searches".
std::string sizeText(const Contest& contest, std::size_t runs) {
    std::set<std::uint64_t> seeds;
    for (const RunGroup& group : contest.groups) {
        for (const Run* run : group.runs) seeds.insert(run->seed);
    }
    return fmt::format("{}, {}, {}: {}", plural(contest.programs.size(), "program", "programs"),
                       plural(contest.contestants.size(), "strategy", "strategies"),
                       plural(seeds.size(), "seed", "seeds"), plural(runs, "search", "searches"));
}

/// The part about one of several programs, which is folded.
std::string programPart(const Contest& contest, const Outcome& outcome, std::size_t program, bool isOpen,
                        const std::string& thread) {
    std::string summary = "<strong>" + escaped(contest.programs[program]) + "</strong>";
    if (outcome.best != nullptr) {
        summary += " " + costHtml(outcome.best->bestCost, contest.unit) + " " +
                   changeHtml(outcome.startCost, outcome.best->bestCost);
    }
    if (outcome.best == nullptr || outcome.doubtful != nullptr) {
        summary += outcome.best == nullptr ? " <span class=\"doubtful\">no confirmed result</span>"
                                           : " <span class=\"doubtful\">a cheaper result is not confirmed</span>";
    }
    const std::string chart = bestSoFarChart(contest, {program}, Axis::Seconds, ChartRole::Further);
    return fmt::format(
        "<details class=\"program\" id=\"program-{}\"{}><summary>{}</summary>\n<p class=\"small-answer\">{}</p>\n{}{}{}"
        "</details>\n",
        program + 1, isOpen ? " open=\"open\"" : "", summary, answerText(contest, outcome, program), thread,
        chart.empty() ? "" : folded("Curves", chart), folded("Strategies", strategyTable(contest, outcome, program)));
}

}  // namespace

std::string htmlReport(std::span<const TableRun> runs, const ReportFacts& facts, const rules::RuleBook& rules) {
    const Contest contest(runs, facts.strategies, facts.unit);
    const std::size_t count = contest.programs.size();
    std::vector<Outcome> outcomes;
    for (std::size_t p = 0; p < count; ++p) outcomes.push_back(outcomeOf(contest, p));
    const std::size_t bytes = std::max(ThreadBytes / std::max<std::size_t>(count, 1), LeastThreadBytes);
    const auto threadOf = [&](std::size_t p) { return threadSection(contest, outcomes[p], p, rules, bytes); };

    std::string html =
        fmt::format("<header><h1>{}</h1><p>{}</p></header>\n", escaped(facts.title), sizeText(contest, runs.size()));
    html += warningBoxes(contest, outcomes);
    for (const auto& [file, message] : facts.failures) {
        const std::string prefix = message.starts_with(file) ? "" : file + ": ";
        html += warningBox("Not compared.", escaped(shortened(prefix + message, 400)));
    }
    std::vector<std::size_t> charted = count == 1 ? std::vector<std::size_t>{0} : contest.completePrograms();
    if (count > 0) {
        html += fmt::format("<p class=\"answer\">{}</p>\n", count == 1 ? answerText(contest, outcomes.front(), 0)
                                                                       : overallAnswerText(contest, outcomes));
        const std::string chart = bestSoFarChart(contest, charted, Axis::Seconds, ChartRole::Main);
        if (!chart.empty()) html += "<div class=\"panel\">" + chart + "</div>\n";
        html += "<h2>Strategies</h2>\n<div class=\"panel\">" +
                (count == 1 ? strategyTable(contest, outcomes.front(), 0) : totalsTable(contest, outcomes)) +
                "</div>\n";
    }
    if (count == 1) {
        const std::string thread = threadOf(0);
        if (!thread.empty()) html += "<h2 id=\"program-1\">The way to the best program</h2>\n" + thread;
    } else if (count > 1) {
        html += "<h2>Programs</h2>\n<div class=\"panel\">" + programTable(contest, outcomes) + "</div>\n";
        html += "<h2>The way to each best program</h2>\n";
        for (std::size_t p = 0; p < count; ++p) {
            html += programPart(contest, outcomes[p], p, p == 0, threadOf(p));
        }
    }
    html += "<h2>Details</h2>\n" + folded("How to read this page", Legend);
    if (count > 0) {
        const std::string charts =
            bestSoFarChart(contest, charted, Axis::Evaluations, ChartRole::Small) + limitsChart(contest, charted);
        if (!charts.empty()) html += folded("More charts", "<div class=\"charts\">" + charts + "</div>\n");
        if (contest.hasSeveralLimits()) html += folded("Under every limit", groupTable(contest));
        html += folded("Every search under the largest limit", runTable(contest));
        html += folded("Strategies and their parameters", methodTable(contest, facts.strategies));
    }
    html += folded("Environment", factList(facts.environment));
    return page(facts.title, html);
}

}  // namespace mitos::search
