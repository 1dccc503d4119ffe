// SPDX-License-Identifier: GPL-3.0-or-later
// See instance.h.
#include "core/egraph/internal/instance.h"

#include "core/rules/language/array_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::egraph {

using ir::TermId;

namespace {

/// Whether the type contains an array. Attribute values are literals and lists of them; the types of computed data
/// contain arrays.
bool holdsArray(const ir::TypeTable& types, ir::TypeId type) {
    if (types.isArray(type)) return true;
    if (!types.isTuple(type)) return false;
    const auto parts = types.children(type);
    return std::ranges::any_of(parts, [&](ir::TypeId part) { return holdsArray(types, part); });
}

enum class Keep : std::uint8_t { Nothing, Weights, All };

/// Builds patterns over the values that are not kept. Returns false if the rule's conditions or its result depend on
/// more.
bool openUp(ir::TermBank& bank, RuleInstance& instance, Keep keep) {
    instance.open.clear();
    rules::Substitution sample = instance.substitution;
    const auto take = [&](std::size_t variable, std::size_t element, TermId value) {
        if (!value.isValid() || !holdsArray(bank.types(), bank.type(value))) return;
        if (keep == Keep::All || (keep == Keep::Weights && rules::dependsOnWeightsOnly(bank, value))) return;
        const std::string text = fmt::format("?{}.{}", variable, element + 1);  // cannot be a name in a program
        const TermId name = bank.variable(bank.symbols().intern(text), bank.type(value));
        instance.open.push_back({variable, element, name, value});
        instance.valueIn(sample, instance.open.back()) = name;
    };
    const rules::CompiledRule& compiled = instance.rule->compiled();
    for (std::size_t i = 0; i < compiled.valueCount; ++i) {
        const rules::VarKind kind = compiled.variables[i].kind;
        const rules::Binding value = sample.values[i];
        if (kind == rules::VarKind::Term) take(i, RuleInstance::NoElement, value.term);
        if (kind != rules::VarKind::Sequence) continue;
        for (std::size_t k = 0; k < value.sequence.size(); ++k) take(i, k, value.sequence[k]);
    }
    const Result<TermId> left = instance.rule->left(bank, sample);
    if (!left || bank.type(*left) != bank.type(instance.left)) return false;
    if (!instance.rule->isInstance(bank, sample, *left)) return false;
    const Result<TermId> right = instance.rule->apply(bank, sample, *left);
    if (!right) return false;
    instance.leftPattern = *left;
    instance.rightPattern = *right;
    return true;
}

}  // namespace

Result<rules::Substitution> substitutionOf(EGraph& graph, const RuleReason& reason) {
    if (!reason.isFlat) return reason.substitution;
    const std::shared_ptr<const EGraphRule>& rule = graph.rules()[reason.rule];
    const rules::Substitution whole =
        RuleWorker(graph, rule).substitution(reason.matched, reason.variables, reason.literals);
    MITOS_TRY(auto own, rule->rule().projections(graph.bank(), whole));
    return std::move(own[reason.part]);
}

Result<RuleInstance> instanceOf(EGraph& graph, Reason reason, bool isExact) {
    const RuleReason read = readReason(graph, reason);
    MITOS_TRY(rules::Substitution substitution, substitutionOf(graph, read));
    ir::TermBank& bank = graph.bank();
    RuleInstance instance;
    instance.rule = graph.rules()[read.rule]->parts()[read.part];
    instance.substitution = std::move(substitution);
    MITOS_TRY(const TermId left, instance.rule->left(bank, instance.substitution));
    MITOS_TRY(const TermId right, instance.rule->apply(bank, instance.substitution, left));
    instance.left = instance.leftPattern = left;
    instance.right = instance.rightPattern = right;
    if (isExact || (!openUp(bank, instance, Keep::Nothing) && !openUp(bank, instance, Keep::Weights))) {
        static_cast<void>(openUp(bank, instance, Keep::All));
    }
    return instance;
}

}  // namespace mitos::egraph
