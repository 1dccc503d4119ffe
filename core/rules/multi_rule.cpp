// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/multi_rule.h"

#include "core/rules/instantiate.h"
#include "core/rules/unbound.h"

#include <fmt/format.h>

namespace mitos::rules {

MultiRule::MultiRule(const Rule& description, Direction direction, CheckedDirection checked)
    : m_whole(description, direction, std::move(checked.whole)) {
    Rule root = rule();
    for (std::size_t i = 0; i < checked.parts.size(); ++i) {
        CompiledRule& part = checked.parts[i];
        m_openVariables.push_back(firstOpenVariable(part));
        CompiledRule& left = m_leftSides.emplace_back(part);
        left.constraints.clear();
        left.guard = NoNode;
        left.locals.clear();
        root.name = fmt::format("{}.{}", rule().name, i);
        const auto finds =
            m_openVariables.back().empty() ? CompiledDirection::Finds::Instances : CompiledDirection::Finds::LeftSides;
        m_roots.push_back(std::make_shared<const CompiledDirection>(root, direction, std::move(part), finds));
    }
}

Result<std::vector<Substitution>> MultiRule::projections(ir::TermBank& bank, const Substitution& match) const {
    std::vector<Substitution> result(m_roots.size(), match);
    if (match.values.size() != whole().valueCount) {
        return Error{ErrorCode::InvalidInput, "the substitution is of another rule", std::nullopt, {}, {}};
    }
    const VarIndex choices = whole().choices;
    if (choices == NoVar) return result;
    // The choices of the roots come in their order, then those of the match constraints, which apply to each root.
    const Result<std::vector<std::size_t>> ends = Instantiator(bank, whole(), match).choicesOfRoots();
    if (!ends) return ends.error();
    const auto& all = match.values[choices].sequence;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        auto& own = result[i].values[choices].sequence;
        own.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                   all.begin() + static_cast<std::ptrdiff_t>((*ends)[i]));
        own.insert(own.end(), all.begin() + static_cast<std::ptrdiff_t>(ends->back()), all.end());
        begin = (*ends)[i];
    }
    return result;
}

}  // namespace mitos::rules
