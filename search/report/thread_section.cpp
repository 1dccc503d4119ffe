// SPDX-License-Identifier: GPL-3.0-or-later
// The thread of a program's best run as steps. The steps are a list; the page's script shows one of them at a time.
#include "core/base/time_unit.h"
#include "search/report/html.h"
#include "search/report/internal/sections.h"
#include "search/report/internal/stepped_thread.h"
#include "search/report/svg_chart.h"

#include <fmt/format.h>

namespace mitos::search::report {

namespace {

constexpr std::size_t LongestExchangeText = 60'000;
constexpr double PathWidth = 1080.0;
constexpr double PathHeight = 170.0;

/// The cost of every state; nothing if the thread does not state one of them.
std::optional<std::vector<double>> costsOf(const SteppedThread& thread) {
    std::vector<double> costs;
    for (const ShownState& state : thread.states) {
        if (!state.cost) return std::nullopt;
        costs.push_back(*state.cost);
    }
    return costs;
}

Chart pathChart(const std::vector<double>& costs, const std::string& unit) {
    Chart chart{
        .title = "Cost along the path, step by step. A search that accepts a peak must accept programs that cost more.",
        .xTitle = "step",
        .yTitle = unit,
        .markPeak = true,
        .showsHere = true,
        .width = PathWidth,
        .height = PathHeight,
        .series = {{.label = "cost", .style = 0, .points = {}}}};
    for (std::size_t i = 0; i < costs.size(); ++i) {
        chart.series.front().points.push_back({static_cast<double>(i), costs[i], costs[i], costs[i]});
    }
    return chart;
}

std::string stepHead(const SteppedThread& thread, std::size_t step, const std::string& id, const std::string& unit) {
    const ShownState& state = thread.states[step];
    std::string html =
        step == 0 ? std::string("<b>Start</b>")
                  : fmt::format("<a class=\"soft\" href=\"#{}\">{}</a> <b>{}</b>", id, step, escaped(state.rule));
    if (!state.place.empty()) html += fmt::format(" <span class=\"soft\">{}</span>", escaped(state.place));
    if (state.cost) {
        const std::optional<double> from = step > 0 ? thread.states[step - 1].cost : std::nullopt;
        std::string cost = costHtml(*state.cost, unit);
        if (from) {
            // Times are not all in one unit.
            const std::string before = isTimeUnit(unit) ? costHtml(*from, unit) : costText(*from);
            cost = fmt::format("{} → {} {}", before, cost, changeHtml(*from, *state.cost));
        }
        html += " <span class=\"cost\">" + cost + "</span>";
    }
    html = "<div class=\"head\">" + html + "</div>";
    if (!state.before.empty() && !state.after.empty() && state.before != state.after) {
        html += fmt::format("<div class=\"change soft\"><code>{}</code> → <code>{}</code></div>", escaped(state.before),
                            escaped(state.after));
    }
    return html;
}

/// The command that writes the run's thread.
std::string threadCommand(const Run& run) {
    std::string command = "mitos-cli optimize FILE --strategy " + run.strategy;
    if (run.budget.evaluations) command += fmt::format(" --evaluations {}", *run.budget.evaluations);
    if (run.budget.seconds) command += fmt::format(" --seconds {:g}", *run.budget.seconds);
    command += fmt::format(" --seed {} --rules {} --cost {}", run.seed, run.rules, run.costModel);
    return command + " --thread THREAD";
}

std::string exchangeText(const std::string& title, const std::string& text) {
    if (text.empty()) return {};
    return folded(title,
                  text.size() > LongestExchangeText
                      ? fmt::format("<p>Its {} characters are left out, to keep this page small.</p>\n", text.size())
                      : "<pre>" + escaped(text) + "</pre>\n");
}

/// The result, if it is more than the program at the end of the thread.
std::string outcomeHtml(const Run& run) {
    if (run.outcomeKind.empty()) return {};
    return fmt::format("<p><b>{}</b>: {}</p>\n", escaped(run.outcomeKind), escaped(run.outcomeSummary)) +
           exchangeText("The " + run.outcomeKind + " as text", run.outcome);
}

}  // namespace

std::string threadSection(const Contest& contest, const Outcome& outcome, std::size_t program,
                          const rules::RuleBook& rules, std::size_t bytes) {
    if (outcome.best == nullptr) return {};
    const Run& run = *outcome.best;
    const SteppedThread thread = steppedThread(run, rules, bytes);
    const std::string verdict =
        fmt::format("<p class=\"passed\">✓ {}</p>\n", escaped(shortened(run.verdict->toString(), 400)));
    std::string note;
    if (!thread.note.empty()) {
        note = fmt::format("<p>{} To get the whole thread: <code>{}</code></p>\n", escaped(shortened(thread.note, 400)),
                           escaped(threadCommand(run)));
    }
    const std::string value = outcomeHtml(run);
    if (thread.states.size() < 2) return value + verdict + note + exchangeText("The program as text", thread.end);
    const std::size_t last = thread.states.size() - 1;
    std::vector<ChartPlace> places;
    std::string chart;
    if (const auto costs = costsOf(thread)) {
        const Chart path = pathChart(*costs, contest.unit);
        places = placesOf(path);
        chart = "<div class=\"path\">" + svgChart(path) + "</div>\n";
    }
    std::string steps;
    for (std::size_t i = 0; i < thread.states.size(); ++i) {
        const std::string id = fmt::format("p{}-s{}", program + 1, i);
        steps += fmt::format("<li id=\"{}\"", id);
        if (i < places.size()) steps += fmt::format(" data-x=\"{:.1f}\" data-y=\"{:.1f}\"", places[i].x, places[i].y);
        steps += ">" + stepHead(thread, i, id, contest.unit);
        if (!thread.states[i].program.empty()) steps += "<pre>" + thread.states[i].program + "</pre>";
        steps += "</li>\n";
    }
    std::string html = fmt::format(
        "<section class=\"thread\">\n<div class=\"controls\" hidden=\"hidden\"><button type=\"button\" "
        "class=\"back\">◀ Back</button><button type=\"button\" class=\"next\">Next ▶</button><input type=\"range\" "
        "min=\"0\" max=\"{}\" value=\"0\" aria-label=\"Step\"/><output>start</output></div>\n",
        last);
    html += chart;
    html +=
        fmt::format("<details class=\"all\"><summary>All {} steps</summary>\n<ol class=\"steps\">\n{}</ol></details>\n",
                    last, steps);
    html += "</section>\n" + value + verdict + note;
    return html + exchangeText("The start as text", thread.start) +
           exchangeText("The best program as text", thread.end);
}

}  // namespace mitos::search::report
