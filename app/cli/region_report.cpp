// SPDX-License-Identifier: GPL-3.0-or-later
// See region_report.h.
#include "app/cli/region_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mitos::cli {

namespace {

constexpr std::size_t MostShown = 12;

std::string costText(const std::optional<double>& cost) { return cost ? fmt::format("{:.6g}", *cost) : "not priced"; }

}  // namespace

void printRegion(const storage::ListedRegion& region) {
    fmt::print("region {}  form {}  at {} ({})  {} operator{}: {}\n", region.number, region.form, region.root,
               region.position, region.before.nodes, region.before.nodes == 1 ? "" : "s",
               fmt::join(region.operators, " "));
    fmt::print("  inputs   {}\n  outputs  {}\n", partition::inWords(region.before.inputs),
               partition::inWords(region.before.outputs));
    if (!region.after) {
        fmt::print("  cost     {}\n", costText(region.before.cost));
    } else {
        fmt::print("  cost     {} -> {}  in {} step{}, {} operator{} left\n", costText(region.before.cost),
                   costText(region.after->cost), region.steps, region.steps == 1 ? "" : "s", region.after->nodes,
                   region.after->nodes == 1 ? "" : "s");
    }
    const std::string& problem = region.after ? region.after->problem : region.before.problem;
    if (!problem.empty()) fmt::print("  {}\n", problem);
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

}  // namespace mitos::cli
