// SPDX-License-Identifier: GPL-3.0-or-later
// See report_page.h.
#include "search/experiments/report_page.h"

#include "search/report/html.h"
#include "search/report/page.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::search::experiments {

namespace {

using namespace report;

std::string verdictCell(Verdict verdict) {
    switch (verdict) {
        case Verdict::Holds: return "<span class=\"who passed\">✓ holds</span>";
        case Verdict::Fails: return "<span class=\"who doubtful\">does not hold</span>";
        case Verdict::Open: return "<span class=\"who soft\">not decided</span>";
    }
    return "";
}

std::string claimTable(const std::vector<Claim>& claims) {
    Table table({"Claim", "Place", "Verdict", "Our runs"});
    for (const Claim& claim : claims) {
        table.add({escaped(claim.claim), "<small>" + escaped(claim.place) + "</small>", verdictCell(claim.verdict),
                   escaped(claim.finding)});
    }
    return table.html();
}

}  // namespace

const char* toString(Verdict verdict) {
    switch (verdict) {
        case Verdict::Holds: return "holds";
        case Verdict::Fails: return "does not hold";
        case Verdict::Open: return "not decided";
    }
    return "";
}

std::string htmlOf(const ReportPage& page, const std::vector<Claim>& claims, const Environment& environment) {
    const auto holding = std::ranges::count(claims, Verdict::Holds, &Claim::verdict);
    const auto failing = std::ranges::count(claims, Verdict::Fails, &Claim::verdict);
    std::string html =
        fmt::format("<header><h1>{}</h1><p>{}</p></header>\n", escaped(page.title), escaped(page.subtitle));
    for (const std::string& warning : page.warnings) html += "<p class=\"alarm\">" + escaped(warning) + "</p>\n";
    html += fmt::format(
        "<p class=\"answer\">Of {} claims <strong>{} hold</strong>, {} do not, and {} are not decided.</p>\n",
        claims.size(), holding, failing, static_cast<std::ptrdiff_t>(claims.size()) - holding - failing);
    html += page.introduction;
    html += "<h2>Claims</h2>\n<div class=\"panel\">" + claimTable(claims) + "</div>\n";
    for (const ReportSection& section : page.sections) {
        const std::string& shown = section.content;
        html +=
            fmt::format("<h2 id=\"{}\">{}</h2>\n<div class=\"panel\">{}</div>\n", section.id, escaped(section.title),
                        shown.empty() ? "<p class=\"soft\">There are no runs for this yet.</p>\n" : shown);
    }
    html += page.closing;
    return report::page(page.title, html + "<h2>Details</h2>\n" + folded("Environment", factList(environment), true));
}

}  // namespace mitos::search::experiments
