// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/kernels.h"

#include "core/rules/directed_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mitos::cost {

namespace {

constexpr const char* KernelsName = "kernels";
constexpr const char* None = "none";

/// The levels that patterns describe. Where match constraints and arguments of named patterns stand is not looked up: they count as if they
/// began at the last level of what they belong to. A named pattern that uses itself counts once.
class Levels {
public:
    explicit Levels(const rules::PatternTable* patterns) : m_patterns(patterns) {}

    std::uint32_t of(const rules::NodeTable& table, std::uint32_t root,
                     const std::vector<rules::CompiledConstraint>& constraints) {
        std::uint32_t levels = of(table, root);
        for (const rules::CompiledConstraint& one : constraints) levels += of(table, one.pattern);
        return levels;
    }

private:
    std::uint32_t of(const rules::NodeTable& table, std::uint32_t at) {
        const rules::Node& node = table.nodes[at];
        std::uint32_t below = 0;
        for (std::uint32_t i = 0; i < node.childCount; ++i)
            below = std::max(below, of(table, table.children[node.firstChild + i]));
        switch (node.kind) {
            case rules::NodeKind::Unfold: return below + ofPattern(node.index);
            case rules::NodeKind::Variable:
            case rules::NodeKind::Parameter:
            case rules::NodeKind::Local: return below;
            default: return below + 1;
        }
    }

    std::uint32_t ofPattern(std::uint32_t index) {
        if (std::ranges::find(m_inside, index) != m_inside.end()) return 0;
        m_inside.push_back(index);
        std::uint32_t most = 0;
        for (const rules::Alternate& one : m_patterns->patterns[index].alternates)
            most = std::max(most, of(one.table, one.root, one.constraints));
        m_inside.pop_back();
        return most;
    }

    const rules::PatternTable* m_patterns;
    std::vector<std::uint32_t> m_inside;  ///< the named patterns whose alternates are looked at
};

std::uint32_t levelsOf(const rules::DirectedRule& rule) {
    const rules::CompiledRule* const compiled = rules::compiledOf(rule);
    if (compiled == nullptr) return 0;  // not of a file
    return Levels(compiled->patterns.get()).of(compiled->table, compiled->left, compiled->constraints);
}

}  // namespace

KernelTable::KernelTable(rules::RuleSet set) : m_set(std::move(set)) {
    for (const std::shared_ptr<const rules::Rule>& rule : m_set.rules) {
        const rules::DirectedRule& forward = *rule->directions.front();
        m_levels = std::max(m_levels, levelsOf(forward));
        if (forward.roots().size() > 1) {
            const auto& first = forward.roots().front().operators;
            const bool isOfOne =
                first.size() == 1 && std::ranges::all_of(forward.roots(), [&](const rules::RuleRoot& root) {
                    return root.operators == first;
                });
            if (isOfOne) m_joint.push_back(&forward);
            continue;
        }
        const std::vector<ir::OpId>& operators = forward.roots().front().operators;
        if (operators.empty()) m_anywhere.push_back(&forward);
        for (const ir::OpId op : operators) m_byOperator[op].push_back(&forward);
    }
    for (auto& [op, rules] : m_byOperator) std::ranges::copy(m_anywhere, std::back_inserter(rules));
}

std::span<const rules::DirectedRule* const> KernelTable::at(ir::OpId op) const {
    const auto found = m_byOperator.find(op);
    return found == m_byOperator.end() ? m_anywhere : found->second;
}

bool KernelTable::isJoint(ir::OpId op) const {
    return std::ranges::any_of(
        m_joint, [&](const rules::DirectedRule* rule) { return rule->roots().front().operators.front() == op; });
}

Result<std::shared_ptr<const Kernels>> Kernels::find(const std::string& nameOrFile) {
    if (nameOrFile == None) return std::shared_ptr<const Kernels>();
    for (const ShippedKernels& shipped : shippedKernels()) {
        if (shipped.name != nameOrFile) continue;
        return std::shared_ptr<const Kernels>(new Kernels(SourceText(nameOrFile, std::string(shipped.text))));
    }
    MITOS_TRY(SourceText text, readSourceFile(nameOrFile));
    return std::shared_ptr<const Kernels>(new Kernels(std::move(text)));
}

Result<std::shared_ptr<const KernelTable>> Kernels::table(
    const std::shared_ptr<const ir::OperatorRegistry>& registry) const {
    const std::lock_guard lock(m_mutex);
    for (const auto& [known, table] : m_loaded) {
        if (known == registry) return table;
    }
    const auto load = [&]() -> Result<std::shared_ptr<const KernelTable>> {
        MITOS_TRY(rules::LoadedRules loaded, rules::loadRules(m_text, registry));
        if (!loaded.errors.empty()) return loaded.errors.front();
        return std::make_shared<const KernelTable>(std::move(loaded.set));
    };
    m_loaded.emplace_back(registry, load());
    return m_loaded.back().second;
}

ParameterInfo kernelsParameter() {
    return {.name = KernelsName,
            .title = "Kernels",
            .help =
                "none: one for each operator. onnxruntime: those of ONNX Runtime, which computes groups of operators "
                "at once. Or a file of rules whose left sides are such groups, as in `resources/kernels`.",
            .defaultValue = std::string(None),
            .choices = {None, "onnxruntime"},
            .choiceTitles = {"one for each operator", "those of ONNX Runtime"},
            .fileEnding = ".rules"};
}

Result<std::shared_ptr<const Kernels>> kernelsOf(const ParameterValues& values) {
    return Kernels::find(std::get<std::string>(values.at(KernelsName)));
}

}  // namespace mitos::cost
