// SPDX-License-Identifier: GPL-3.0-or-later
// See region_report.h.
#include "app/cli/region_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mitos::cli {

namespace {

constexpr std::size_t MostShown = 12;

std::string valuesText(const std::vector<RegionValue>& values) {
    std::string text;
    for (const RegionValue& value : values)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", value.name, value.type);
    return text.empty() ? "none" : text;
}

Json valuesJson(const std::vector<RegionValue>& values) {
    Json list = Json::array();
    for (const RegionValue& value : values) list.push_back({{"name", value.name}, {"type", value.type}});
    return list;
}

std::string costText(const std::optional<double>& cost) { return cost ? fmt::format("{:.6g}", *cost) : "not priced"; }

Json costJson(const std::optional<double>& cost) { return cost ? Json(*cost) : Json(nullptr); }

/// Why a match is no region, as a sentence without its end.
std::string reasonOf(const ir::TermBank& bank, const partition::RefusedMatch& match) {
    const std::string region = match.region ? fmt::format("region {}", *match.region + 1) : std::string();
    switch (match.law) {
        case partition::Law::Disjoint: return fmt::format("{} belongs to {}", nodeName(bank, match.node), region);
        case partition::Law::Acyclic:
            return fmt::format("{} leads out of it and back into it",
                               match.region ? region : nodeName(bank, match.node));
        case partition::Law::Arrays: return fmt::format("{} is a tuple", nodeName(bank, match.node));
    }
    return {};
}

Json formJson(const RegionForm& form) {
    Json json{{"nodes", form.nodes},
              {"inputs", valuesJson(form.inputs)},
              {"outputs", valuesJson(form.outputs)},
              {"cost", costJson(form.cost)}};
    if (!form.problem.empty()) json["problem"] = form.problem;
    return json;
}

}  // namespace

std::string nodeName(const ir::TermBank& bank, ir::TermId node) {
    if (!node.isValid()) return {};
    if (bank.is(node, ir::CoreOp::Variable)) return std::string(bank.text(bank.payload(node).asSymbol()));
    if (bank.hint(node).isValid()) return std::string(bank.text(bank.hint(node)));
    return std::string(bank.opName(node));
}

RegionForm formOf(ir::TermBank& bank, const ir::Program& whole, const partition::Region& region,
                  const cost::CostModel& model, const std::stop_token& stop) {
    RegionForm form;
    form.nodes = region.nodes.size();
    if (region.nodes.empty()) {
        form.cost = 0.0;
        form.problem = "no operator is left of it";
        return form;
    }
    Result<partition::RegionProgram> program = partition::programOf(bank, whole, region);
    if (!program) {
        form.problem = program.error().message;
        return form;
    }
    const ir::Function& function = bank.function(program->program().function);
    for (const ir::Parameter& parameter : function.parameters)
        form.inputs.push_back({std::string(bank.text(parameter.name)), bank.types().toString(parameter.type)});
    for (std::size_t i = 0; i < region.outputs.size(); ++i)
        form.outputs.push_back({program->outputs[i], bank.types().toString(bank.type(region.outputs[i]))});
    const Result<double> cost = model.evaluator(bank, program->program().function)->cost(program->program().root, stop);
    if (cost)
        form.cost = *cost;
    else
        form.problem = cost.error().message;
    form.program = *std::move(program);
    return form;
}

void printRegion(const RegionRow& row) {
    fmt::print("region {}  at {} ({})  {} operator{}: {}\n", row.number, row.root, row.position, row.before.nodes,
               row.before.nodes == 1 ? "" : "s", fmt::join(row.operators, " "));
    fmt::print("  inputs   {}\n  outputs  {}\n", valuesText(row.before.inputs), valuesText(row.before.outputs));
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
        fmt::print("refused  at {}  {} operator{}: {}, but {}{}\n", nodeName(bank, match.root), match.nodes,
                   match.nodes == 1 ? "" : "s", reasonOf(bank, match), partition::inWords(match.law), instead);
    }
    if (parts.refused.size() > MostShown)
        fmt::print("         and {} others (--json has all)\n", parts.refused.size() - MostShown);
    if (parts.unfinished.empty()) return;
    fmt::print(stderr, "warning: the pattern matches in very many ways at {}{}; not all of them were looked at\n",
               nodeName(bank, parts.unfinished.front()),
               parts.unfinished.size() > 1 ? fmt::format(" and {} other nodes", parts.unfinished.size() - 1) : "");
}

Json refusedJson(const ir::TermBank& bank, const partition::Partition& parts) {
    Json list = Json::array();
    for (const partition::RefusedMatch& match : parts.refused) {
        list.push_back({{"root", nodeName(bank, match.root)},
                        {"nodes", match.nodes},
                        {"law", partition::inWords(match.law)},
                        {"reason", reasonOf(bank, match)},
                        {"region", match.region ? Json(*match.region + 1) : Json(nullptr)},
                        {"instead", match.instead ? Json(*match.instead + 1) : Json(nullptr)}});
    }
    return list;
}

}  // namespace mitos::cli
