// SPDX-License-Identifier: GPL-3.0-or-later
// Follows parameters to their arguments.
#include "core/rules/matching/frame.h"

namespace mitos::rules {

Resolved resolveParameter(std::uint32_t index, Frame* frame) {
    const Node& argument = frame->argument(index);
    switch (argument.kind) {
        case NodeKind::Variable:
        case NodeKind::Parameter:
        case NodeKind::Local:
        case NodeKind::Function: break;
        default: return {Owner::Parameter, index, frame, &argument};
    }
    // F(x) as an argument is a pattern; the bare name F has no children.
    const bool isPattern = argument.kind == NodeKind::Function && !frame->pattern->isFunction[index];
    if (isPattern) return {Owner::Parameter, index, frame, &argument};
    return resolve(argument, frame->outer);
}

Resolved resolve(const Node& node, Frame* frame) {
    if (node.kind == NodeKind::Parameter) return resolveParameter(node.index, frame);
    if (node.kind == NodeKind::Local) return {Owner::Local, node.index, frame, nullptr};
    if (node.kind == NodeKind::Function) {
        if (node.owner == Owner::Parameter) return resolveParameter(node.index, frame);
        if (node.owner == Owner::Local) return {Owner::Local, node.index, frame, nullptr};
    }
    return {Owner::Rule, node.var, nullptr, nullptr};
}

std::vector<const Binding*> parameterValues(Frame& frame, std::span<const Binding> values) {
    std::vector<const Binding*> result;
    for (std::uint32_t i = 0; i < frame.pattern->parameters.size(); ++i) {
        const Resolved resolved = resolveParameter(i, &frame);
        result.push_back(resolved.owner == Owner::Rule ? &values[resolved.index] : resolved.slot());
    }
    return result;
}

}  // namespace mitos::rules
