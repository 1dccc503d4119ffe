// SPDX-License-Identifier: GPL-3.0-or-later
// See region_report.h.
#include "app/cli/region_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mitos::cli {

namespace {

constexpr std::size_t MostShown = 12;

Json valuesJson(const std::vector<partition::RegionValue>& values) {
    Json list = Json::array();
    for (const partition::RegionValue& value : values) list.push_back({{"name", value.name}, {"type", value.type}});
    return list;
}

std::string costText(const std::optional<double>& cost) { return cost ? fmt::format("{:.6g}", *cost) : "not priced"; }

Json costJson(const std::optional<double>& cost) { return cost ? Json(*cost) : Json(nullptr); }

Json formJson(const partition::RegionForm& form) {
    Json json{{"nodes", form.nodes},
              {"inputs", valuesJson(form.inputs)},
              {"outputs", valuesJson(form.outputs)},
              {"cost", costJson(form.cost)}};
    if (!form.problem.empty()) json["problem"] = form.problem;
    return json;
}

}  // namespace

void printRegion(const RegionRow& row) {
    fmt::print("region {}  at {} ({})  {} operator{}: {}\n", row.number, row.root, row.position, row.before.nodes,
               row.before.nodes == 1 ? "" : "s", fmt::join(row.operators, " "));
    fmt::print("  inputs   {}\n  outputs  {}\n", partition::inWords(row.before.inputs),
               partition::inWords(row.before.outputs));
    if (!row.after) {
        fmt::print("  cost     {}\n", costText(row.before.cost));
    } else {
        fmt::print("  cost     {} -> {}  in {} step{}, {} operator{} left\n", costText(row.before.cost),
                   costText(row.after->cost), row.steps, row.steps == 1 ? "" : "s", row.after->nodes,
                   row.after->nodes == 1 ? "" : "s");
    }
    const std::string& problem = row.after ? row.after->problem : row.before.problem;
    if (!problem.empty()) fmt::print("  {}\n", problem);
}

Json regionJson(const RegionRow& row) {
    Json json{{"number", row.number}, {"root", row.root}, {"position", row.position}, {"operators", row.operators}};
    json.update(formJson(row.before));
    json["after"] = row.after ? formJson(*row.after) : Json(nullptr);
    if (row.after) json["steps"] = row.steps;
    return json;
}

void printRefused(const ir::TermBank& bank, const partition::Partition& parts) {
    for (std::size_t i = 0; i < std::min(MostShown, parts.refused.size()); ++i) {
        const partition::RefusedMatch& match = parts.refused[i];
        const std::string instead =
            match.instead ? fmt::format("; region {} is a smaller match there", *match.instead + 1) : std::string();
        fmt::print("refused  at {}  {} operator{}: {}, but {}{}\n", partition::nodeName(bank, match.root), match.nodes,
                   match.nodes == 1 ? "" : "s", partition::reasonOf(bank, match), partition::inWords(match.law),
                   instead);
    }
    if (parts.refused.size() > MostShown)
        fmt::print("         and {} others (--json has all)\n", parts.refused.size() - MostShown);
    if (parts.unfinished.empty()) return;
    fmt::print(stderr, "warning: the pattern matches in very many ways at {}{}; not all of them were looked at\n",
               partition::nodeName(bank, parts.unfinished.front()),
               parts.unfinished.size() > 1 ? fmt::format(" and {} other nodes", parts.unfinished.size() - 1) : "");
}

Json refusedJson(const ir::TermBank& bank, const partition::Partition& parts) {
    Json list = Json::array();
    for (const partition::RefusedMatch& match : parts.refused) {
        list.push_back({{"root", partition::nodeName(bank, match.root)},
                        {"nodes", match.nodes},
                        {"law", partition::inWords(match.law)},
                        {"reason", partition::reasonOf(bank, match)},
                        {"region", match.region ? Json(*match.region + 1) : Json(nullptr)},
                        {"instead", match.instead ? Json(*match.instead + 1) : Json(nullptr)}});
    }
    return list;
}

}  // namespace mitos::cli
