// SPDX-License-Identifier: GPL-3.0-or-later
// The names and positions of steps as texts.
#include "core/rewrite/step.h"

#include "core/ir/shared.h"
#include "core/rules/directed_rule.h"

#include <algorithm>
#include <utility>

namespace mitos::rewrite {

std::string Step::name() const { return isReversed ? "reversed " + rule->name() : rule->name(); }

std::string Step::place() const {
    std::string text;
    for (const ir::Path& position : positions) text += (text.empty() ? "" : ",") + ir::toString(position);
    return text;
}

Status Step::setPlace(std::string_view text) {
    std::vector<ir::Path> all;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        MITOS_TRY(ir::Path path, ir::parsePath(text.substr(begin, end - begin)));
        all.push_back(std::move(path));
        begin = end + 1;
    }
    positions = std::move(all);
    return Success{};
}

std::vector<ir::TermId> operandsOf(const ir::TermBank& bank, const Step& step) {
    const rules::CompiledRule* const rule = rules::compiledOf(*step.rule);
    if (rule == nullptr) return {};
    std::vector<ir::TermId> operands;
    for (std::size_t i = 0; i < step.substitution.values.size(); ++i) {
        const rules::Binding& binding = step.substitution.values[i];
        const rules::VarKind kind = rule->variables[i].kind;
        if (kind == rules::VarKind::Term && binding.term.isValid()) operands.push_back(binding.term);
        if (kind == rules::VarKind::Sequence) {
            operands.insert(operands.end(), binding.sequence.begin(), binding.sequence.end());
        }
    }
    if (rule->constraints.empty()) return operands;
    // If match constraints inspect a term (w <= Concat(a, b)), its parts are the operands instead of the term itself.
    std::vector<ir::TermId> innermost;
    for (const ir::TermId operand : operands) {
        const ir::SharedNodes below(bank, operand);
        const bool hasParts =
            std::ranges::any_of(operands, [&](ir::TermId other) { return other != operand && below.contains(other); });
        if (!hasParts) innermost.push_back(operand);
    }
    return innermost;
}

}  // namespace mitos::rewrite
