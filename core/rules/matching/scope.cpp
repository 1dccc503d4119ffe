// SPDX-License-Identifier: GPL-3.0-or-later
// Moves terms between surroundings, and decides whether single nodes match.
#include "core/rules/matching/scope.h"

#include "core/ir/binding.h"
#include "core/rules/language/array_operators.h"
#include "core/rules/matching/conditions.h"

#include <algorithm>
#include <cmath>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;

TermId moved(ir::TermBank& bank, TermId term, std::span<const BinderKey> from, std::span<const BinderKey> to) {
    const std::uint32_t loose = bank.looseBound(term);
    if (loose == 0 || std::ranges::equal(from, to)) return term;
    const auto depth = static_cast<std::uint32_t>(from.size());
    const auto size = static_cast<std::uint32_t>(to.size());
    absl::InlinedVector<std::uint32_t, 6> target(depth);  // by index of the bound variable, innermost 0
    bool same = depth == size;
    for (std::uint32_t index = 0; index < depth; ++index) {
        const BinderKey& key = from[depth - 1 - index];
        const auto found = key.var == NoVar ? to.end() : std::ranges::find(to, key);
        if (found == to.end()) {
            if (index < loose && ir::mentions(bank, term, index)) return {};
            same = false;
            continue;
        }
        target[index] = static_cast<std::uint32_t>(to.end() - found - 1);
        same = same && target[index] == index;
    }
    if (same) return term;
    const auto by = static_cast<std::int32_t>(size) - static_cast<std::int32_t>(depth);
    return ir::substituteLoose(bank, term, depth, by,
                               [&](std::uint32_t i, ir::TypeId type) { return bank.bound(target[i], type); });
}

Surroundings contextOf(const ir::TermBank& bank, const CompiledRule& rule, std::span<const Binding> values,
                       VarIndex var) {
    Surroundings result;
    for (const VarIndex entry : effectiveContext(bank, rule, values, var)) result.push_back({0, entry});
    return result;
}

Surroundings contextOf(std::span<const BinderKey> aroundUse, std::uint32_t frame, const LocalVariable* local) {
    Surroundings result;
    std::ranges::copy_if(aroundUse, std::back_inserter(result), [](const BinderKey& key) { return key.var != NoVar; });
    if (local == nullptr) return result;
    for (const VarIndex own : local->context) result.push_back({frame, own});
    return result;
}

bool hasOperator(const ir::TermBank& bank, TermId term, const Node& node) {
    if (bank.op(term) == node.op) return true;
    return node.isDeclared && node.attributes.empty() && bank.is(term, CoreOp::Call) &&
           bank.function(bank.payload(term).asFunction()).name == bank.registry().info(node.op).name;
}

bool isApplication(const ir::TermBank& bank, TermId term) {
    // Terms without a type rule (literals, variables, weights, unknown operators) cannot be built over other arguments.
    const bool hasType = bank.registry().info(bank.op(term)).typeRule != nullptr || bank.is(term, CoreOp::Call);
    return hasType && !bank.is(term, CoreOp::Lam);
}

bool isNumber(const ir::TermBank& bank, TermId term, const Node& node) {
    const auto isNear = [&](double value) {
        return std::abs(value - node.value) <= ApproximateTolerance * std::max(1.0, std::abs(node.value));
    };
    if (node.op.isValid()) {
        if (bank.op(term) != node.op) return false;
        const std::optional<double> value = constantValue(bank, term);
        return value && (node.kind == NodeKind::Approx ? isNear(*value) : *value == node.value);
    }
    if (!bank.is(term, CoreOp::Literal)) return false;
    const ir::Payload& payload = bank.payload(term);
    if (node.kind == NodeKind::Approx) return payload.kind() == ir::PayloadKind::Float && isNear(payload.asFloat());
    return payload == node.payload || payload == ir::Payload::floating(node.value);
}

}  // namespace mitos::rules
