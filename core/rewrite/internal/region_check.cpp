// SPDX-License-Identifier: GPL-3.0-or-later
// See region_check.h.
#include "core/rewrite/internal/region_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mitos::rewrite {

using ir::TermId;
using NodeSet = absl::flat_hash_set<TermId>;

namespace {

bool isConstant(const ir::TermBank& bank, TermId node) {
    return bank.childCount(node) == 0 && !bank.is(node, ir::CoreOp::Variable);
}

Error outside(const StepRegion& region, std::string_view why) {
    return {ErrorCode::InvalidInput, fmt::format("not within the region {}: {}", region.name, why)};
}

Result<std::vector<TermId>> nodesAt(const ir::TermBank& bank, TermId root, const StepRegion& region,
                                    const std::vector<ir::Path>& paths) {
    std::vector<TermId> nodes;
    for (const ir::Path& path : paths) {
        const std::optional<TermId> node = ir::subterm(bank, root, path);
        if (!node) return outside(region, fmt::format("the program has no position {}", ir::toString(path)));
        nodes.push_back(*node);
    }
    return nodes;
}

/// The nodes from the outputs down to the inputs, without constants. Fails if a variable is none of the inputs.
Result<NodeSet> nodesOf(const ir::TermBank& bank, const StepRegion& region, std::vector<TermId> open,
                        const NodeSet& inputs) {
    NodeSet nodes;
    while (!open.empty()) {
        const TermId node = open.back();
        open.pop_back();
        if (inputs.contains(node) || isConstant(bank, node) || nodes.contains(node)) continue;
        if (bank.is(node, ir::CoreOp::Variable)) {
            return outside(region, fmt::format("it needs {}, which is none of its inputs",
                                               bank.text(bank.payload(node).asSymbol())));
        }
        nodes.insert(node);
        open.insert(open.end(), bank.children(node).begin(), bank.children(node).end());
    }
    return nodes;
}

/// Fails if replacing a node of the region has an effect outside that is none on the outputs.
Status isReplaceable(const ir::TermBank& bank, TermId root, const StepRegion& region, TermId replaced,
                     const NodeSet& nodes, const NodeSet& inputs, const NodeSet& outputs) {
    NodeSet below;
    std::vector<TermId> open(inputs.begin(), inputs.end());
    while (!open.empty()) {
        const TermId node = open.back();
        open.pop_back();
        if (node == replaced) return outside(region, "something leads out of it there and back into it");
        if (!below.insert(node).second) continue;
        open.insert(open.end(), bank.children(node).begin(), bank.children(node).end());
    }
    if (outputs.contains(replaced)) return Success{};
    for (const TermId user : ir::SharedNodes(bank, root)) {
        const auto& operands = bank.children(user);
        if (!nodes.contains(user) && std::ranges::find(operands, replaced) != operands.end())
            return outside(region, "the replaced value is used outside and is none of its outputs");
    }
    return Success{};
}

}  // namespace

void forEachOwn(const ir::TermBank& bank, TermId top, const NodeSet& operands, absl::FunctionRef<void(TermId)> visit) {
    NodeSet seen;
    std::vector<TermId> open{top};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (operands.contains(term) || !seen.insert(term).second) continue;
        visit(term);
        open.insert(open.end(), bank.children(term).begin(), bank.children(term).end());
    }
}

Status withinRegion(const ir::TermBank& bank, const ir::Program& program, const Step& step) {
    const StepRegion& region = *step.region;
    if (bank.function(program.function).sharing == ir::Sharing::Tree)
        return outside(region, "a program that is a tree has no regions");
    MITOS_TRY(const std::vector<TermId> outputList, nodesAt(bank, program.root, region, region.outputs));
    MITOS_TRY(const std::vector<TermId> inputList, nodesAt(bank, program.root, region, region.inputs));
    const NodeSet inputs(inputList.begin(), inputList.end());
    const NodeSet outputs(outputList.begin(), outputList.end());
    MITOS_TRY(const NodeSet nodes, nodesOf(bank, region, outputList, inputs));
    const std::vector<TermId> operandList = operandsOf(bank, step);
    const NodeSet operands(operandList.begin(), operandList.end());
    for (const ir::Path& position : step.positions) {
        MITOS_TRY(const std::vector<TermId> place, nodesAt(bank, program.root, region, {position}));
        if (!nodes.contains(place.front()))
            return outside(region, fmt::format("it has no node at {}", ir::toString(position)));
        MITOS_REQUIRE(isReplaceable(bank, program.root, region, place.front(), nodes, inputs, outputs));
        bool isInside = true;
        // A reversed step replaces an instance of the right side, whose own nodes are those above its operands as well.
        forEachOwn(bank, place.front(), operands,
                   [&](TermId node) { isInside = isInside && (nodes.contains(node) || isConstant(bank, node)); });
        if (!isInside) return outside(region, "the rule reaches beyond its inputs");
    }
    return Success{};
}

}  // namespace mitos::rewrite
