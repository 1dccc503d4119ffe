// SPDX-License-Identifier: GPL-3.0-or-later
// See region_form.h.
#include "core/partition/region_form.h"

#include <fmt/format.h>

namespace mitos::partition {

std::string nodeName(const ir::TermBank& bank, ir::TermId node) {
    if (!node.isValid()) return {};
    if (bank.is(node, ir::CoreOp::Variable)) return std::string(bank.text(bank.payload(node).asSymbol()));
    if (bank.hint(node).isValid()) return std::string(bank.text(bank.hint(node)));
    return std::string(bank.opName(node));
}

std::string inWords(const std::vector<RegionValue>& values) {
    std::string text;
    for (const RegionValue& value : values)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", value.name, value.type);
    return text.empty() ? "none" : text;
}

RegionForm formOf(ir::TermBank& bank, const ir::Program& whole, const Region& region, const cost::CostModel& model,
                  const std::stop_token& stop) {
    RegionForm form;
    form.nodes = region.nodes.size();
    if (region.nodes.empty()) {
        form.cost = 0.0;
        form.problem = "no operator is left of it";
        return form;
    }
    Result<RegionProgram> program = programOf(bank, whole, region);
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

std::string reasonOf(const ir::TermBank& bank, const RefusedMatch& match) {
    const std::string region = match.region ? fmt::format("region {}", *match.region + 1) : std::string();
    switch (match.law) {
        case Law::Disjoint: return fmt::format("{} belongs to {}", nodeName(bank, match.node), region);
        case Law::Acyclic:
            return fmt::format("{} leads out of it and back into it",
                               match.region ? region : nodeName(bank, match.node));
        case Law::Arrays: return fmt::format("{} is a tuple", nodeName(bank, match.node));
    }
    return {};
}

}  // namespace mitos::partition
