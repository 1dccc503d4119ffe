// SPDX-License-Identifier: GPL-3.0-or-later
// See region_program.h.
#include "core/partition/region_program.h"

#include "core/ir/shared.h"
#include "core/rewrite/thread_parts.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::partition {

using ir::TermId;

namespace {

/// The names that a program's parameters and leaves have.
absl::flat_hash_set<std::string> namesIn(const ir::TermBank& bank, TermId root) {
    absl::flat_hash_set<std::string> names;
    for (const TermId node : ir::SharedNodes(bank, root)) {
        if (bank.childCount(node) > 0) continue;
        const Symbol name = bank.is(node, ir::CoreOp::Variable) ? bank.payload(node).asSymbol() : bank.hint(node);
        if (name.isValid()) names.emplace(bank.text(name));
    }
    return names;
}

}  // namespace

Result<RegionProgram> programOf(ir::TermBank& bank, const ir::Program& whole, const Region& region) {
    MITOS_TRY(ir::PartProgram part, ir::programOf(bank, whole, {{region.nodes}}, ir::PartNames::OfValues));
    RegionProgram result{std::move(part), {}};
    absl::flat_hash_set<std::string> taken = namesIn(bank, result.program().root);
    for (const TermId output : region.outputs) {
        const Symbol hint = bank.hint(output);
        const std::string name =
            hint.isValid() ? std::string(bank.text(hint)) : fmt::format("output_{}", result.outputs.size());
        std::string own = name;
        for (int number = 2; !taken.insert(own).second; ++number) own = fmt::format("{}_{}", name, number);
        result.outputs.push_back(std::move(own));
    }
    return result;
}

Result<TermId> putBack(ir::TermBank& bank, const ir::Program& whole, const Region& region, const RegionProgram& program,
                       TermId result) {
    absl::flat_hash_map<TermId, TermId> forms;
    for (const ir::Parameter& parameter : bank.function(program.program().function).parameters) {
        const TermId variable = bank.variable(parameter.name, parameter.type);
        if (const auto input = program.part.images.front().find(variable); input != program.part.images.front().end())
            forms.emplace(variable, input->second);
    }
    std::vector<TermId> children;
    for (const TermId node : ir::SharedNodes(bank, result)) {
        if (bank.childCount(node) == 0) continue;
        children.clear();
        for (const TermId child : bank.children(node)) {
            const auto form = forms.find(child);
            children.push_back(form == forms.end() ? child : form->second);
        }
        MITOS_TRY(const TermId form, bank.withChildren(node, children));
        forms.emplace(node, form);
    }
    const auto formOf = [&](TermId node) {
        const auto form = forms.find(node);
        return form == forms.end() ? node : form->second;
    };
    std::vector<TermId> results{formOf(result)};
    if (region.outputs.size() > 1)
        results.assign(bank.children(formOf(result)).begin(), bank.children(formOf(result)).end());
    std::vector<ir::NodeReplacement> replacements;
    for (std::size_t i = 0; i < region.outputs.size(); ++i) {
        if (i >= results.size() || bank.type(results[i]) != bank.type(region.outputs[i]))
            return inputError("the results are not those of the region", "put back a form of its own program");
        if (results[i] != region.outputs[i]) replacements.push_back({region.outputs[i], results[i]});
    }
    return ir::replaceShared(bank, ir::SharedNodes(bank, whole.root), replacements);
}

Region regionAtEnd(const ir::TermBank& bank, const rewrite::Thread& thread, const Region& region) {
    std::vector<TermId> values = region.outputs;
    values.insert(values.end(), region.inputs.begin(), region.inputs.end());
    values.push_back(region.root);
    values = rewrite::formsAtEnd(bank, thread, std::move(values));
    const auto outputs = values.begin() + static_cast<std::ptrdiff_t>(region.outputs.size());
    const absl::flat_hash_set<TermId> inputs(outputs, values.end() - 1);
    absl::flat_hash_set<TermId> inside;
    std::vector<TermId> open(values.begin(), outputs);
    while (!open.empty()) {
        const TermId node = open.back();
        open.pop_back();
        if (inputs.contains(node) || bank.childCount(node) == 0 || !inside.insert(node).second) continue;
        open.insert(open.end(), bank.children(node).begin(), bank.children(node).end());
    }
    Region result{values.back(), {}, {}, {}};
    for (const TermId node : ir::SharedNodes(bank, thread.end().root)) {
        if (!inside.contains(node)) continue;
        result.nodes.push_back(node);
        if (std::find(values.begin(), outputs, node) != outputs) result.outputs.push_back(node);
        for (const TermId child : bank.children(node)) {
            const bool isKnown = std::ranges::find(result.inputs, child) != result.inputs.end();
            if (inputs.contains(child) && !isKnown) result.inputs.push_back(child);
        }
    }
    return result;
}

}  // namespace mitos::partition
