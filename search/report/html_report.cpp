// SPDX-License-Identifier: GPL-3.0-or-later
// See html_report.h.
#include "search/report/html_report.h"

#include "search/report/html.h"
#include "search/report/sections.h"
#include "search/report/style.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::search {

std::string htmlReport(const Comparison& comparison, const ReportFacts& facts) {
    using namespace report;
    const Material material(comparison);
    const auto count = [&](RunRecord::State state) {
        return std::ranges::count(comparison.runs, state, &RunRecord::state);
    };
    std::string html = fmt::format(
        "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n<meta name=viewport "
        "content=\"width=device-width\">\n<title>{}</title>\n<style>{}</style></head>\n<body>\n<h1>{}</h1>\n"
        "<p class=soft>{} programs, {} strategies, {} budgets, {} seeds: {} searches. Costs are estimates of the cost "
        "model. Each best program comes with a thread of rewrite steps; an independent checker replayed it, and input "
        "and output were compared on random inputs.</p>\n",
        escaped(facts.title), StyleSheet, escaped(facts.title), comparison.programs.size(),
        comparison.strategies.size(), comparison.budgets.size(), comparison.seeds.size(), comparison.runs.size());
    if (const auto missing = count(RunRecord::State::NotRun); missing > 0) {
        html += fmt::format("<p class=bad>Stopped early: {} searches were not run.</p>\n", missing);
    }
    if (const auto failed = count(RunRecord::State::Failed); failed > 0) {
        html += fmt::format("<p class=bad>{} searches failed; the tables say why.</p>\n", failed);
    }
    for (const auto& [file, message] : facts.failures) {
        html += fmt::format("<p class=bad>{} is not compared: {}</p>\n", escaped(file), escaped(message));
    }
    html += totalsSection(material) + summarySection(material) + strategiesSection(material);
    html += "<h2>Each program</h2>\n";
    for (std::size_t p = 0; p < comparison.programs.size(); ++p) html += programSection(material, p);
    Table environment({"", ""});
    for (const auto& [what, value] : facts.environment) environment.add({escaped(what), escaped(value)});
    return html + "<h2>Environment</h2>\n" + environment.html() + "</body></html>\n";
}

}  // namespace mitos::search
