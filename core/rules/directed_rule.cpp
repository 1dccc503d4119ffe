// SPDX-License-Identifier: GPL-3.0-or-later
// Matches, applies and checks one direction.
#include "core/rules/directed_rule.h"

#include "core/rules/language/compiled_analysis.h"
#include "core/rules/language/internal/unbound.h"
#include "core/rules/matching/conditions.h"
#include "core/rules/matching/distinct_values.h"
#include "core/rules/matching/internal/instantiate.h"
#include "core/rules/matching/matcher.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;

namespace {

Error wrong(std::string message) { return Error{ErrorCode::InvalidInput, std::move(message)}; }

bool isTerm(const ir::TermBank& bank, TermId id) { return id.isValid() && id.value < bank.size(); }

/// Whether a value has its variable's kind. A missing value is allowed, because the alternates taken need not mention the variable;
/// if a variable is needed, instantiation detects that it is not bound.
bool fits(const ir::TermBank& bank, const Variable& variable, const Binding& value) {
    const bool isSequence = variable.kind == VarKind::Sequence || variable.kind == VarKind::Choices;
    if (isSequence) return std::ranges::all_of(value.sequence, [&](TermId id) { return isTerm(bank, id); });
    if (!value.sequence.empty()) return false;
    if (!value.term.isValid()) return true;
    if (!isTerm(bank, value.term)) return false;
    if (variable.kind == VarKind::Binder) return bank.is(value.term, CoreOp::Variable);
    if (variable.kind != VarKind::Attribute) return true;
    return bank.is(value.term, CoreOp::Literal) && bank.payload(value.term).kind() == ir::PayloadKind::Integer &&
           bank.payload(value.term).asInteger() >= 0;
}

/// The rule without match constraints, condition and locals.
std::shared_ptr<const CompiledRule> leftAlone(CompiledRule rule) {
    rule.constraints.clear();
    rule.guard = NoNode;
    rule.locals.clear();
    return std::make_shared<const CompiledRule>(std::move(rule));
}

/// The named patterns that the rule uses, directly or through others.
std::vector<const NamedPattern*> usedPatterns(const CompiledRule& rule) {
    std::vector<const NamedPattern*> used;
    std::vector<bool> isKnown(rule.patterns == nullptr ? 0 : rule.patterns->patterns.size());
    const auto collect = [&](const NodeTable& table) {
        for (const Node& node : table.nodes) {
            if (node.kind != NodeKind::Unfold || isKnown[node.index]) continue;
            isKnown[node.index] = true;
            used.push_back(&rule.patterns->patterns[node.index]);
        }
    };
    collect(rule.table);
    for (std::size_t i = 0; i < used.size(); ++i) {
        for (const Alternate& one : used[i]->alternates) collect(one.table);
    }
    return used;
}

}  // namespace

CompiledDirection::CompiledDirection(const Rule& description, Direction direction, CompiledRule compiled,
                                     std::vector<CompiledRule> parts, std::string openVariable)
    : m_rule(description),
      m_direction(direction),
      m_compiled(std::make_shared<const CompiledRule>(std::move(compiled))),
      m_matched(openVariable.empty() ? m_compiled : leftAlone(*m_compiled)),
      m_openVariable(std::move(openVariable)) {
    m_rule.directions.clear();
    m_hasPatterns =
        std::ranges::any_of(m_compiled->table.nodes, [](const Node& node) { return node.kind == NodeKind::Unfold; });
    for (std::size_t i = 0; i < m_compiled->valueCount; ++i) m_names.push_back(m_compiled->variables[i].name);
    Rule root = m_rule;
    for (CompiledRule& part : parts) {
        root.name = fmt::format("{}.{}", m_rule.name, m_roots.size());
        RuleRoot& own = m_roots.emplace_back(RuleRoot{part.rootOperators, leftAlone(part)});
        std::string open = firstOpenVariable(part);
        own.alone = std::make_shared<const CompiledDirection>(root, direction, std::move(part),
                                                              std::vector<CompiledRule>(), std::move(open));
    }
    if (m_roots.empty()) m_roots.push_back({m_compiled->rootOperators, m_compiled});
}

std::string CompiledDirection::name() const { return m_rule.name + (m_direction == Direction::Backward ? "~" : ""); }

void CompiledDirection::match(ir::TermBank& bank, TermId subject,
                              absl::FunctionRef<bool(const Substitution&)> found) const {
    const auto& roots = m_compiled->rootOperators;
    if (!roots.empty() && std::ranges::find(roots, bank.op(subject)) == roots.end()) return;
    const ProgramView view(bank);
    Matcher matcher(view, *m_matched);
    if (!m_hasPatterns) {
        matcher.run(view.placeOf(subject), found);
        return;
    }
    // Named patterns may find the same values in several ways; the first one is recorded.
    DistinctValues seen(*m_compiled);
    matcher.run(view.placeOf(subject), [&](const Substitution& match) { return !seen.insert(match) || found(match); });
}

Result<TermId> CompiledDirection::apply(ir::TermBank& bank, const Substitution& substitution, TermId subject) const {
    if (substitution.values.size() != m_compiled->valueCount) return wrong("the substitution is of another rule");
    Result<TermId> result = Instantiator(bank, *m_compiled, substitution).right(bank.type(subject));
    if (!result || bank.type(*result) == bank.type(subject)) return result;
    return wrong(fmt::format("{} gives a {} where a {} is needed", name(), bank.types().toString(bank.type(*result)),
                             bank.types().toString(bank.type(subject))));
}

Result<TermId> CompiledDirection::left(ir::TermBank& bank, const Substitution& substitution) const {
    if (substitution.values.size() != m_compiled->valueCount) {
        return wrong(fmt::format("{} has {} variables, the substitution {} values", name(), m_compiled->valueCount,
                                 substitution.values.size()));
    }
    for (std::size_t i = 0; i < m_compiled->valueCount; ++i) {
        if (fits(bank, m_compiled->variables[i], substitution.values[i])) continue;
        return wrong(fmt::format("the value of {} is not of its kind", m_compiled->variables[i].name));
    }
    return Instantiator(bank, *m_compiled, substitution).left();
}

bool CompiledDirection::guardHolds(ir::TermBank& bank, const Substitution& substitution) const {
    return holds({bank, *m_compiled, substitution.values, m_compiled->table}, m_compiled->guard);
}

Status CompiledDirection::isInstance(ir::TermBank& bank, const Substitution& substitution, TermId subject) const {
    MITOS_TRY(const TermId instance, left(bank, substitution));
    if (instance != subject) {
        return wrong(
            fmt::format("the left side of {} under the substitution is not the subterm at the position", name()));
    }
    if (!guardHolds(bank, substitution)) return wrong(fmt::format("the condition of {} does not hold", name()));
    return Success{};
}

Result<std::vector<Substitution>> CompiledDirection::projections(ir::TermBank& bank, const Substitution& match) const {
    std::vector<Substitution> result(m_roots.size(), match);
    if (match.values.size() != m_compiled->valueCount) return wrong("the substitution is of another rule");
    const VarIndex choices = m_roots.size() == 1 ? NoVar : m_compiled->choices;
    if (choices == NoVar) return result;
    // The choices of the roots come in their order, then those of the match constraints, which apply to each root.
    MITOS_TRY(const std::vector<std::size_t> ends, Instantiator(bank, *m_compiled, match).choicesOfRoots());
    const auto& all = match.values[choices].sequence;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        auto& own = result[i].values[choices].sequence;
        own.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                   all.begin() + static_cast<std::ptrdiff_t>(ends[i]));
        own.insert(own.end(), all.begin() + static_cast<std::ptrdiff_t>(ends.back()), all.end());
        begin = ends[i];
    }
    return result;
}

const CompiledRule* compiledOf(const DirectedRule& rule) {
    const auto* const compiled = dynamic_cast<const CompiledDirection*>(&rule);
    return compiled == nullptr ? nullptr : &compiled->compiled();
}

AnalysisTable analysesOf(const RuleSet& set) {
    AnalysisTable analyses;
    for (const auto& rule : set.rules) {
        for (const auto& direction : rule->directions) {
            const CompiledRule* const compiled = compiledOf(*direction);
            if (compiled == nullptr || compiled->analyses == nullptr) continue;
            for (const auto& analysis : *compiled->analyses) {
                if (std::ranges::find(analyses, analysis) == analyses.end()) analyses.push_back(analysis);
            }
        }
    }
    return analyses;
}

std::vector<const NodeTable*> tablesOf(const CompiledRule& rule) {
    std::vector<const NodeTable*> tables{&rule.table};
    for (const NamedPattern* const pattern : usedPatterns(rule)) {
        for (const Alternate& one : pattern->alternates) tables.push_back(&one.table);
    }
    return tables;
}

std::string contentOf(const CompiledDirection& direction, const ir::OperatorRegistry& registry) {
    const CompiledRule& rule = direction.compiled();
    std::string content =
        fmt::format("{} [{}]\n{}\n", direction.name(), toString(direction.rule().soundness), direction.rule().text);
    for (const NamedPattern* const pattern : usedPatterns(rule)) {
        for (const Alternate& one : pattern->alternates) {
            const SourceSpan span = one.span;
            content += rule.patterns->source->text().substr(span.begin, span.end - span.begin);
            content += '\n';
        }
    }
    // Names of operators and of classes of operators mean what their file declares.
    for (const NodeTable* const table : tablesOf(rule)) {
        for (const Node& node : table->nodes) {
            if (!node.op.isValid()) continue;
            const ir::OperatorInfo& op = registry.info(node.op);
            content += fmt::format(" {}.{}", op.dialect, op.name);
        }
        for (const ConditionNode& condition : table->conditions) {
            if (!condition.words.empty()) content += fmt::format(" {{{}}}", fmt::join(condition.words, " "));
            const bool asks = condition.kind == ConditionKind::Attribute && condition.attribute == Attribute::Analysis;
            if (asks) content += fmt::format("\n{}", (*rule.analyses)[condition.analysis]->text);
        }
    }
    return content;
}

}  // namespace mitos::rules
