// SPDX-License-Identifier: GPL-3.0-or-later
// See html_report.h.
#include "search/report/html_report.h"

#include "search/report/internal/html.h"
#include "search/report/internal/sections.h"
#include "search/report/internal/style.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::search {

namespace {

/// Explains the terms and charts of the page.
constexpr const char* Legend = R"(<h2>How to read this page</h2>
<dl>
<dt>Evaluations</dt><dd>Distinct programs whose cost a search worked out, its start included. Each budget is a search of its
own, not a place on the curve of a larger one.</dd>
<dt>Best</dt><dd>The least cost of all seeds. It is the cost of the thread's last program, whatever the way there cost.</dd>
<dt>Median, quartiles</dt><dd>Each seed has its own best; these are the middle one and, in brackets, those a quarter of the
seeds are below and above. Without brackets they are equal, as for strategies that do not use the seed.</dd>
<dt>Curves, band</dt><dd>A line is the median of the best so far, the shaded band the middle half of the seeds, under the
largest budget. Searches that ended stay where they were. Over time there are bands for every strategy, as no two runs are
equally quick.</dd>
<dt>Path, peak</dt><dd>The costs of the programs along the best thread, from the input to the best program. Where the path
climbs, a search had to accept programs that cost more; the peak is the most expensive of them. Axes are logarithmic where values
differ by a factor of fifty.</dd>
</dl>
)";

}  // namespace

std::string htmlReport(const Comparison& comparison, const ReportFacts& facts) {
    using namespace report;
    const Material material(comparison);
    const auto count = [&](RunState state) {
        return std::ranges::count_if(comparison.runs, [=](const ComparedRun& each) { return each.run.state == state; });
    };
    std::string html = fmt::format(
        "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n<meta name=viewport "
        "content=\"width=device-width\">\n<title>{}</title>\n<style>{}</style></head>\n<body>\n<h1>{}</h1>\n"
        "<p class=soft>{} programs, {} strategies, {} budgets, {} seeds: {} searches. Costs are estimates of the cost "
        "model. Each best program comes with a thread of rewrite steps; an independent checker replayed it, and input "
        "and output were compared on random inputs.</p>\n",
        escaped(facts.title), StyleSheet, escaped(facts.title), comparison.programs.size(),
        comparison.strategies.size(), comparison.budgets.size(), comparison.seeds.size(), comparison.runs.size());
    if (const auto missing = count(RunState::NotRun); missing > 0) {
        html += fmt::format("<p class=bad>Stopped early: {} searches were not run.</p>\n", missing);
    }
    if (const auto failed = count(RunState::Failed); failed > 0) {
        html += fmt::format("<p class=bad>{} searches failed; the tables say why.</p>\n", failed);
    }
    for (const auto& [file, message] : facts.failures) {
        html += fmt::format("<p class=bad>{} is not compared: {}</p>\n", escaped(file), escaped(message));
    }
    html += Legend + totalsSection(material) + summarySection(material) + strategiesSection(material);
    html += "<h2>Each program</h2>\n";
    for (std::size_t p = 0; p < comparison.programs.size(); ++p) html += programSection(material, p);
    Table environment({"", ""});
    for (const auto& [what, value] : facts.environment) environment.add({escaped(what), escaped(value)});
    return html + "<h2>Environment</h2>\n" + environment.html() + "</body></html>\n";
}

}  // namespace mitos::search
