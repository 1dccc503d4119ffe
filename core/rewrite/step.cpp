// SPDX-License-Identifier: GPL-3.0-or-later
// The names and positions of steps as texts.
#include "core/rewrite/step.h"

#include "core/ir/shared.h"
#include "core/rules/directed_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::rewrite {

namespace {

constexpr std::string_view Over = " over ";
constexpr std::string_view Named = " in ";

/// "/0/2,/1"
std::string listOf(const std::vector<ir::Path>& positions) {
    std::string text;
    for (const ir::Path& position : positions) text += (text.empty() ? "" : ",") + ir::toString(position);
    return text;
}

Result<std::vector<ir::Path>> parseList(std::string_view text) {
    std::vector<ir::Path> all;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        MITOS_TRY(ir::Path path, ir::parsePath(text.substr(begin, end - begin)));
        all.push_back(std::move(path));
        begin = end + 1;
    }
    return all;
}

}  // namespace

std::string Step::name() const { return isReversed ? "reversed " + rule->name() : rule->name(); }

std::string Step::place() const { return listOf(positions); }

Status Step::setPlace(std::string_view text) {
    MITOS_TRY(positions, parseList(text));
    return Success{};
}

std::string toString(const StepRegion& region) {
    return fmt::format("{}{}{}{}{}", listOf(region.outputs), Over, region.inputs.empty() ? "-" : listOf(region.inputs),
                       Named, region.name);
}

Result<StepRegion> parseStepRegion(std::string_view text) {
    const std::size_t over = text.find(Over);
    const std::size_t named = over == std::string_view::npos ? over : text.find(Named, over);
    if (named == std::string_view::npos || named + Named.size() >= text.size()) {
        return inputError(fmt::format("'{}' is no region", text),
                          "a region reads `/0 over /0/1,/0/2 in NAME`: its outputs, its inputs, its name");
    }
    const std::size_t inputs = over + Over.size();
    StepRegion region{std::string(text.substr(named + Named.size())), {}, {}};
    MITOS_TRY(region.outputs, parseList(text.substr(0, over)));
    const std::string_view inputList = text.substr(inputs, named - inputs);
    if (inputList == "-") return region;
    MITOS_TRY(region.inputs, parseList(inputList));
    return region;
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
