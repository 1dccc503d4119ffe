// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/multi_rule.h"

#include "core/rules/instantiate.h"
#include "core/rules/unbound.h"

#include <fmt/format.h>

namespace mitos::rules {

MultiRule::MultiRule(const Rule& description, Direction direction, CheckedDirection checked)
    : m_rule(description),
      m_direction(direction),
      m_whole(std::move(checked.whole)) {
    m_rule.directions.clear();
    m_rule.multis.clear();
    Rule root = m_rule;
    for (std::size_t i = 0; i < checked.parts.size(); ++i) {
        CompiledRule& part = checked.parts[i];
        m_openVariables.push_back(firstOpenVariable(part));
        root.name = fmt::format("{}.{}", m_rule.name, i);
        const auto finds =
            m_openVariables.back().empty() ? CompiledDirection::Finds::Instances : CompiledDirection::Finds::LeftSides;
        m_roots.push_back(std::make_shared<const CompiledDirection>(root, direction, std::move(part), finds));
    }
}

std::string MultiRule::name() const { return m_rule.name + (m_direction == Direction::Backward ? "~" : ""); }

Result<std::vector<Substitution>> MultiRule::projections(ir::TermBank& bank, const Substitution& whole) const {
    std::vector<Substitution> result(m_roots.size(), whole);
    if (whole.values.size() != m_whole.valueCount) {
        return Error{ErrorCode::InvalidInput, "the substitution is of another rule", std::nullopt, {}, {}};
    }
    if (m_whole.choices == NoVar) return result;
    // Choices of the roots in their order, then those of the match constraints, which hold for each root.
    const Result<std::vector<std::size_t>> ends = Instantiator(bank, m_whole, whole).choicesOfRoots();
    if (!ends) return ends.error();
    const auto& all = whole.values[m_whole.choices].sequence;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        auto& own = result[i].values[m_whole.choices].sequence;
        own.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                   all.begin() + static_cast<std::ptrdiff_t>((*ends)[i]));
        own.insert(own.end(), all.begin() + static_cast<std::ptrdiff_t>(ends->back()), all.end());
        begin = (*ends)[i];
    }
    return result;
}

}  // namespace mitos::rules
