// SPDX-License-Identifier: GPL-3.0-or-later
// See rule_worker.h.
#include "core/egraph/internal/rule_worker.h"

#include "core/egraph/internal/egraph_view.h"
#include "core/egraph/internal/stated_analysis.h"
#include "core/rules/matching/graph_matcher.h"
#include "core/rules/matching/multi_matcher.h"
#include "core/rules/matching/open_variables.h"
#include "core/rules/matching/substitution_words.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace mitos::egraph {

using ir::TermId;
using rules::CompiledRule;

namespace {

constexpr std::uint32_t None = FlatPattern::None;
constexpr std::uint32_t FlatFlag = 0x80000000U;
/// Number of places, or pairs of matches, between two calls of `mayGoOn`.
constexpr std::uint32_t AskEvery = 64;

/// A number of e-nodes that is unknown before an application.
constexpr std::size_t Unknown = std::numeric_limits<std::uint32_t>::max();

/// Whether the nodes to add are computed once for matches of the same types. Then an application adds at most the nodes
/// of its right-hand sides.
bool isFromTemplates(const EGraphRule& rule) { return rule.flat() && rule.isTyped(); }

}  // namespace

RuleWorker::RuleWorker(EGraph& graph, std::shared_ptr<const EGraphRule> rule, Remember remember)
    : m_graph(graph),
      m_rule(std::move(rule)),
      m_flat(m_rule->flat() ? &*m_rule->flat() : nullptr),
      m_number(graph.enlist(m_rule)),
      m_mostRoom(isFromTemplates(*m_rule) ? 4 * m_rule->compiled().table.nodes.size() : Unknown),
      m_rewrites(remember),
      m_templatesByTypes(Remember::All),
      m_isPlain(m_flat != nullptr && m_rule->literals().empty() && m_flat->attributeOperators().empty()) {
    for (const EGraphRule::Asked& asked : m_rule->asked()) {
        const auto number = attached(graph, *(*m_rule->compiled().analyses)[asked.analysis]);
        if (number && asked.variable != rules::NoVar) m_asked.emplace_back(asked.variable, *number);
    }
    if (m_flat != nullptr) return;
    if (m_rule->hasSeveralRoots()) {
        m_memos = rules::MultiMatcher::memosFor(m_rule->rule(), remember);
    } else {
        m_memos.emplace_back(m_rule->compiled(), remember);
    }
    m_open = rules::openVariables(m_rule->compiled());
    m_hasOpen = std::ranges::find(m_open, true) != m_open.end();
}

std::size_t RuleWorker::bytes() const {
    std::size_t sum = m_roots.bytes() + m_rewrites.bytes() + m_templatesByTypes.bytes();
    for (const rules::MatchMemo& memo : m_memos) sum += memo.bytes();
    return sum;
}

void RuleWorker::setRootChoice(RootChoice choice) {
    m_apart.reset();
    if (choice != RootChoice::Any && m_rule->hasSeveralRoots()) m_apart.emplace(m_rule->compiled(), choice);
}

RuleWorker::Searched RuleWorker::search(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn) {
    assert(m_graph.isClean());
    m_searchEpoch = m_graph.epoch();
    matches.flat.resize(0);
    matches.general.clear();
    matches.count = 0;
    if (m_rule->compiled().folds != nullptr) return Searched::All;  // the analysis applies it in each rebuild
    if (m_rule->flat()) return searchFlat(limit, matches, mayGoOn);
    return m_rule->hasSeveralRoots() ? searchRoots(limit, matches, changes, mayGoOn)
                                     : searchGeneral(limit, matches, changes, mayGoOn);
}

RuleWorker::Searched RuleWorker::searchFlat(std::size_t limit, Matches& matches, MayGoOn mayGoOn) {
    // A condition on values may hold or fail once the representative changes, so all matches are checked again.
    const std::uint32_t since = m_rule->isTyped() ? m_since : 0;
    const FlatPattern& pattern = *m_rule->flat();
    ApartRoots::Memory memory;
    bool isLimit = false;
    const bool isDone = pattern.search(
        m_graph, since, m_headMemo,
        [&](std::span<const std::uint32_t> match) {
            if (!m_rule->isTyped() && !holdingSubstitution(match)) return true;
            matches.flat.append(match);
            isLimit = ++matches.count > limit;
            return !isLimit;
        },
        [&](RootClass one, RootClass other) { return !m_apart || m_apart->admits(m_graph, one, other, memory); },
        mayGoOn);
    if (isLimit) return Searched::Limit;
    return isDone ? Searched::All : Searched::Interrupted;
}

RuleWorker::Searched RuleWorker::searchGeneral(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn) {
    const std::vector<std::uint32_t>& distances = changes.distances(m_graph, m_since);
    const EGraphView view(m_graph);
    rules::GraphMatcher matcher(view, m_rule->compiled(), m_memos.front());
    bool isComplete = true;
    std::uint32_t asked = 0;
    for (const std::uint32_t eclass : classesWith(m_graph, m_rule->compiled().rootOperators)) {
        if (distances[eclass] > m_rule->height()) continue;
        if (++asked % AskEvery == 0 && !mayGoOn()) return Searched::Interrupted;
        bool goOn = true;
        isComplete = matcher.run(rules::PlaceId(eclass), [&](const rules::Substitution& found) {
            matches.general.push_back({{ENodeId(eclass)}, found});
            goOn = ++matches.count <= limit;
            return goOn;
        }) && isComplete;
        if (!goOn) return Searched::Limit;
    }
    return isComplete ? Searched::All : Searched::Partly;
}

RuleWorker::Searched RuleWorker::searchRoots(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn) {
    const EGraphView view(m_graph);
    rules::MultiMatcher matcher(view, m_rule->rule(), m_memos);
    bool isInterrupted = false;
    std::uint32_t asked = 0;
    const auto goesOn = [&] {
        isInterrupted = isInterrupted || (++asked % AskEvery == 0 && !mayGoOn());
        return !isInterrupted;
    };
    if (!m_roots.update(m_graph, *m_rule, matcher, changes, goesOn)) return Searched::Interrupted;
    ApartRoots::Memory memory;
    const bool isDone = matcher.join(
        m_roots.matches(),
        [&](std::span<const rules::PlaceId> roots) {
            const std::size_t last = roots.size() - 1;
            for (std::size_t i = 0; m_apart && i < last; ++i) {
                if (!m_apart->admits(m_graph, {i, roots[i].value}, {last, roots[last].value}, memory)) return false;
            }
            return true;
        },
        [&](std::span<const rules::PlaceId> roots, const rules::Substitution& found) {
            Matches::General& match = matches.general.emplace_back(Matches::General{{}, found});
            for (const rules::PlaceId root : roots) match.roots.emplace_back(root.value);
            return ++matches.count <= limit;
        },
        goesOn);
    if (isInterrupted) return Searched::Interrupted;
    if (!isDone) return Searched::Limit;
    return m_roots.isComplete() ? Searched::All : Searched::Partly;
}

bool RuleWorker::mayUnite(ENodeId left, ENodeId right) {
    m_isRefused = m_guard != nullptr && m_check == UnionCheck::Results && !m_guard->mayUnite(left, right);
    return !m_isRefused;
}

bool RuleWorker::mayApply(std::span<const ENodeId> variables, std::span<const ENodeId> roots) {
    m_isRefused = !m_guard->mayApply(variables, roots);
    return !m_isRefused;
}

bool RuleWorker::mayApply(ENodeId root, const rules::Substitution& whole, std::span<const Rewrite> rewrites) {
    ir::TermBank& bank = m_graph.bank();
    std::vector<ENodeId> variables;
    const auto add = [&](TermId term) {  // values of attributes are no nodes
        if (term.isValid() && bank.types().isArray(bank.type(term))) variables.push_back(m_graph.add(term));
    };
    for (const rules::Binding& value : whole.values) {
        add(value.term);
        for (const TermId element : value.sequence) add(element);
    }
    if (root.isValid()) return mayApply(variables, {&root, 1});
    std::vector<ENodeId> roots;
    for (const Rewrite& rewrite : rewrites) {
        if (rewrite.left.isValid()) roots.push_back(m_graph.add(rewrite.left));
    }
    return mayApply(variables, roots);
}

std::uint32_t RuleWorker::apply(const Matches& matches, std::size_t i) {
    m_isRefused = false;
    if (m_flat != nullptr) {
        const std::size_t size = m_flat->operatorCount();
        return applyFlat({matches.flat.data() + i * size, size});
    }
    return applyGeneral(matches.general[i]);
}

std::uint32_t RuleWorker::apply(const rules::Substitution& substitution) {
    m_isRefused = false;
    return applyTerms(ENodeId(), substitution);
}

ENodeId RuleWorker::rootOf(const Matches& matches, std::size_t i) const {
    if (!m_rule->flat()) return matches.general[i].roots.front();
    return ENodeId(matches.flat[i * m_rule->flat()->operatorCount() + m_rule->flat()->rootOperator(0)]);
}

std::size_t RuleWorker::roomFor(const Matches& matches, std::size_t i) {
    if (!isFromTemplates(*m_rule)) return Unknown;
    const std::size_t size = m_rule->flat()->operatorCount();
    const std::span<const std::uint32_t> match{matches.flat.data() + i * size, size};
    readLiterals(match);
    readVariables(match);
    std::size_t room = 0;
    for (const std::vector<Instruction>& code : templateFor(match, m_variables, m_literals).roots) room += code.size();
    return room;
}

// --- flat matches ---------------------------------------------------------------------------------------------------

void RuleWorker::readLiterals(std::span<const std::uint32_t> match) {
    m_literals.clear();
    const std::vector<FlatPattern::Node>& nodes = m_rule->flat()->nodes();
    for (const std::uint32_t id : m_rule->literals()) {
        const FlatPattern::Node& node = nodes[id];
        const auto parent = ENodeId(match[nodes[node.parent].number]);
        m_literals.push_back(m_graph.literal(ENodeId(m_graph.originalChildren(parent)[node.place])).value);
    }
}

void RuleWorker::readVariables(std::span<const std::uint32_t> match) {
    if (m_variables.empty()) m_variables.resize(m_rule->compiled().valueCount);
    for (const FlatPattern::VariableUse& use : m_flat->variables()) {
        const ENodeId matched(match[use.operatorNumber]);
        m_variables[use.variable] = m_graph.best(m_graph.child(matched, use.place));
    }
}

rules::Substitution RuleWorker::substitution(std::span<const std::uint32_t> match) {
    readLiterals(match);
    readVariables(match);
    return substitution(match, m_variables, m_literals);
}

rules::Substitution RuleWorker::substitution(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                                             std::span<const std::uint32_t> literals) {
    const CompiledRule& compiled = m_rule->compiled();
    const FlatPattern& flat = *m_rule->flat();
    ir::TermBank& bank = m_graph.bank();
    rules::Substitution result;
    result.values.resize(compiled.valueCount);
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (variables[i].isValid()) result.values[i].term = m_graph.term(variables[i]);
    }
    const auto valueOf = [&](const FlatPattern::AttributePattern& place) {
        return place.in(bank, m_graph.attributes(ENodeId(match[place.operatorNumber])));
    };
    for (const FlatPattern::AttributePattern& place : flat.attributes()) {
        const bool isVariable = place.kind == FlatPattern::AttributePattern::Kind::Variable;
        if (isVariable) result.values[place.variable].term = valueOf(place);
    }
    for (const FlatPattern::Choice& choice : flat.choices()) {
        auto& choices = result.values[compiled.choices].sequence;
        if (choice.isAttribute) {
            choices.push_back(valueOf(flat.attributes()[choice.index]));
            continue;
        }
        const auto which = std::ranges::find(m_rule->literals(), choice.index) - m_rule->literals().begin();
        choices.push_back(m_graph.term(ENodeId(literals[static_cast<std::size_t>(which)])));
    }
    return result;
}

bool RuleWorker::conditionHolds(const rules::Substitution& whole) {
    const auto own = m_rule->rule().projections(m_graph.bank(), whole);
    return own && m_rule->parts().front()->guardHolds(m_graph.bank(), own->front());
}

std::optional<rules::Substitution> RuleWorker::holdingSubstitution(std::span<const std::uint32_t> match) {
    rules::Substitution values = substitution(match);
    if (conditionHolds(values)) return values;
    bool isOther = false;
    const ir::TermBank& bank = m_graph.bank();
    for (const auto& [variable, analysis] : m_asked) {
        if (!m_variables[variable].isValid()) continue;
        const Fact witness = m_graph.fact(analysis, m_variables[variable]);
        TermId& value = values.values[variable].term;
        if (witness == NoFact || bank.looseBound(TermId(witness)) > bank.looseBound(value)) continue;
        isOther = isOther || value.value != witness;
        value = TermId(witness);
    }
    if (isOther && conditionHolds(values)) return values;
    return std::nullopt;
}

void RuleWorker::compileTerm(TermId term, std::span<const TermId> samples, std::vector<Instruction>& code) {
    ir::TermBank& bank = m_graph.bank();
    if (const auto sample = std::ranges::find(samples, term); sample != samples.end()) {
        Instruction instruction;
        instruction.variable = static_cast<std::uint32_t>(sample - samples.begin());
        code.push_back(instruction);
        return;
    }
    for (std::size_t i = 0; i < bank.childCount(term); ++i) compileTerm(bank.child(term, i), samples, code);
    Instruction instruction;
    instruction.head = m_graph.head(term);
    instruction.arity = m_graph.heads()[instruction.head].arity;
    instruction.hint = bank.hint(term);
    code.push_back(instruction);
}

RuleWorker::Template RuleWorker::makeTemplate(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                                              std::span<const std::uint32_t> literals) {
    rules::Substitution sample = substitution(match, {}, literals);
    std::vector<TermId> samples(m_rule->compiled().valueCount);
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (!variables[i].isValid()) continue;
        samples[i] = sample.values[i].term = sampleOf(i, m_graph.type(variables[i]));
    }
    return makeTemplate(sample, samples);
}

TermId RuleWorker::sampleOf(std::size_t i, ir::TypeId type) {
    ir::TermBank& bank = m_graph.bank();
    const std::string name = "?" + m_rule->compiled().variables[i].name;  // cannot be a name in a program
    return bank.variable(bank.symbols().intern(name), type);
}

RuleWorker::Template RuleWorker::makeTemplate(const rules::Substitution& sample, std::span<const TermId> samples) {
    ir::TermBank& bank = m_graph.bank();
    Template made;
    const auto own = m_rule->rule().projections(bank, sample);
    if (!own) return made;
    for (std::size_t i = 0; i < m_rule->parts().size(); ++i) {
        const rules::CompiledDirection& part = *m_rule->parts()[i];
        const Result<TermId> left = part.left(bank, (*own)[i]);
        if (!left || !part.guardHolds(bank, (*own)[i])) return made;
        const Result<TermId> right = part.apply(bank, (*own)[i], *left);
        if (!right) return made;
        compileTerm(*right, samples, made.roots.emplace_back());
        m_stack.resize(std::max(m_stack.size(), made.roots.back().size()));
    }
    made.isUsable = true;
    return made;
}

bool RuleWorker::fillKey(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                         std::span<const std::uint32_t> literals) {
    const FlatPattern& flat = *m_rule->flat();
    const std::size_t size = flat.rootCount() + variables.size() + literals.size() + flat.attributeOperators().size();
    bool isSame = m_key.size() == size;
    m_key.resize(size);
    std::uint32_t* at = m_key.data();
    const auto put = [&](std::uint32_t word) {
        isSame = isSame && *at == word;
        *at++ = word;
    };
    for (std::size_t root = 0; root < flat.rootCount(); ++root) {
        put(m_graph.type(ENodeId(match[flat.rootOperator(root)])).value);
    }
    for (const ENodeId variable : variables) put(variable.isValid() ? m_graph.type(variable).value : None);
    for (const std::uint32_t literal : literals) put(m_graph.headOf(ENodeId(literal)).value);
    for (const std::uint32_t op : flat.attributeOperators()) put(m_graph.headOf(ENodeId(match[op])).value);
    return isSame;
}

const RuleWorker::Template& RuleWorker::templateFor(std::span<const std::uint32_t> match,
                                                    std::span<const ENodeId> variables,
                                                    std::span<const std::uint32_t> literals) {
    if (fillKey(match, variables, literals) && !m_templates.empty()) return m_templates[m_lastTemplate];
    const auto [entry, isNew] = m_templateByKey.try_emplace(m_key, static_cast<std::uint32_t>(m_templates.size()));
    if (isNew) m_templates.push_back(makeTemplate(match, variables, literals));
    m_lastTemplate = entry->second;
    return m_templates[m_lastTemplate];
}

/// Adds the nodes of a right-hand side; returns the last one.
ENodeId RuleWorker::build(const std::vector<Instruction>& code) {
    ENodeId* top = m_stack.data();
    const Instruction* const last = &code.back();
    for (const Instruction* at = code.data();; ++at) {
        ENodeId value;
        if (at->variable != None) {
            value = m_variables[at->variable];
        } else {
            top -= at->arity;
            value = m_graph.addNode(at->head, {top, at->arity}, at->hint);
            if (m_graph.explains()) m_built.push_back(value.value);
        }
        if (at == last) return value;
        // A child must be the representative: another member may contain variables that are not bound here.
        *top++ = at->variable != None ? value : m_graph.best(value);
    }
}

std::uint32_t RuleWorker::applyFlat(std::span<const std::uint32_t> match) {
    if (!m_rule->literals().empty()) readLiterals(match);
    readVariables(match);
    if (m_guard != nullptr && m_check == UnionCheck::Inputs) {
        std::vector<ENodeId> variables = m_variables;
        std::erase_if(variables, [](ENodeId variable) { return !variable.isValid(); });
        std::vector<ENodeId> roots;
        for (std::size_t part = 0; part < m_flat->rootCount(); ++part) {
            roots.emplace_back(match[m_flat->rootOperator(part)]);
        }
        if (!mayApply(variables, roots)) return 0;
    }
    if (!m_rule->isTyped()) {
        const ENodeId root(match[m_rule->flat()->rootOperator(0)]);
        const std::optional<rules::Substitution> values = holdingSubstitution(match);
        return values ? applyTerms(m_rule->hasSeveralRoots() ? ENodeId() : root, *values) : 0;
    }
    const bool isOnlyTemplate = m_isPlain && m_graph.heads().hasOneType() && !m_templates.empty();
    const Template& made = isOnlyTemplate ? m_templates.front() : templateFor(match, m_variables, m_literals);
    if (!made.isUsable) return 0;
    std::uint32_t united = 0;
    for (std::size_t part = 0; part < made.roots.size(); ++part) {
        m_built.clear();
        const ENodeId right = build(made.roots[part]);
        const ENodeId left(match[m_flat->rootOperator(part)]);
        if (m_graph.find(left) == m_graph.find(right) || m_graph.type(left) != m_graph.type(right)) continue;
        if (!mayUnite(left, right)) return united;
        Reason reason = Asserted;
        if (m_graph.explains()) {
            m_words.assign(1, m_number | FlatFlag);
            if (m_rule->hasSeveralRoots()) m_words.push_back(static_cast<std::uint32_t>(part));
            m_words.insert(m_words.end(), match.begin(), match.end());
            m_words.insert(m_words.end(), m_literals.begin(), m_literals.end());
            m_words.insert(m_words.end(), m_built.begin(), m_built.end());
            reason = m_graph.keepReason(m_words);
        }
        m_graph.unite(left, right, reason);
        ++united;
    }
    return united;
}

// --- matches as substitutions of terms ------------------------------------------------------------------------------

std::uint32_t RuleWorker::applyGeneral(const Matches::General& match) {
    if (m_hasOpen && !m_graph.explains()) return applyByTypes(match);
    return applyTerms(m_rule->hasSeveralRoots() ? ENodeId() : match.roots.front(), match.substitution);
}

std::uint32_t RuleWorker::applyByTypes(const Matches::General& match) {
    ir::TermBank& bank = m_graph.bank();
    m_valueWords.clear();
    rules::appendOpenWords(bank, match.substitution, m_open, m_valueWords);
    const auto isArray = [&bank](const rules::Binding& value) {
        return value.term.isValid() && bank.types().isArray(bank.type(value.term));
    };
    const Template& made = m_templatesByTypes.of(
        m_valueWords,
        [&] {
            rules::Substitution sample = match.substitution;
            std::vector<TermId> samples(sample.values.size());
            for (std::size_t i = 0; i < samples.size(); ++i) {
                rules::Binding& value = sample.values[i];
                if (!isArray(value)) continue;
                if (m_open[i]) value.term = sampleOf(i, bank.type(value.term));
                samples[i] = value.term;
            }
            return makeTemplate(sample, samples);
        },
        [](const Template& value) {
            std::size_t sum = value.roots.capacity() * sizeof(decltype(value.roots)::value_type);
            for (const std::vector<Instruction>& code : value.roots) sum += code.capacity() * sizeof(Instruction);
            return sum;
        });
    if (!made.isUsable) return 0;
    m_variables.assign(match.substitution.values.size(), ENodeId());
    for (std::size_t i = 0; i < m_variables.size(); ++i) {
        const rules::Binding& value = match.substitution.values[i];
        if (isArray(value)) m_variables[i] = m_graph.best(m_graph.add(value.term));
    }
    if (m_guard != nullptr && m_check == UnionCheck::Inputs) {
        std::vector<ENodeId> variables = m_variables;
        std::erase_if(variables, [](ENodeId variable) { return !variable.isValid(); });
        if (!mayApply(variables, match.roots)) return 0;
    }
    std::uint32_t united = 0;
    for (std::size_t part = 0; part < made.roots.size() && !m_isRefused; ++part) {
        const ENodeId right = build(made.roots[part]);
        const ENodeId left = match.roots[part];
        if (m_graph.find(left) == m_graph.find(right) || m_graph.type(left) != m_graph.type(right)) continue;
        if (!mayUnite(left, right)) break;
        m_graph.unite(left, right);
        ++united;
    }
    return united;
}

std::vector<RuleWorker::Rewrite> RuleWorker::makeRewrites(const rules::Substitution& whole) {
    ir::TermBank& bank = m_graph.bank();
    std::vector<Rewrite> rewrites;
    auto own = m_rule->rule().projections(bank, whole);
    if (!own) return rewrites;
    // The representative may have changed since the match was found.
    if (m_rule->flat() && !m_rule->parts().front()->guardHolds(bank, own->front())) return rewrites;
    for (std::size_t part = 0; part < own->size(); ++part) {
        const rules::CompiledDirection& rule = *m_rule->parts()[part];
        Rewrite& rewrite = rewrites.emplace_back(Rewrite{std::move((*own)[part]), {}, {}});
        const Result<TermId> left = rule.left(bank, rewrite.substitution);
        if (!left) continue;
        rewrite.left = *left;
        const Result<TermId> right = rule.apply(bank, rewrite.substitution, *left);
        if (!right || *right == *left || bank.type(*right) != bank.type(*left)) continue;
        if (bank.looseBound(*right) <= bank.looseBound(*left)) rewrite.right = *right;
    }
    return rewrites;
}

std::uint32_t RuleWorker::applyTerms(ENodeId root, const rules::Substitution& whole) {
    m_valueWords.clear();
    rules::appendWords(whole, m_valueWords);
    const std::vector<Rewrite>& rewrites = m_rewrites.of(
        m_valueWords, [&] { return makeRewrites(whole); },
        [](const std::vector<Rewrite>& made) { return made.capacity() * sizeof(Rewrite); });
    if (rewrites.empty()) return 0;
    const bool isAsked = m_guard != nullptr && m_check == UnionCheck::Inputs && m_flat == nullptr;
    if (isAsked && !mayApply(root, whole, rewrites)) return 0;
    std::uint32_t united = 0;
    for (std::size_t part = 0; part < rewrites.size() && !m_isRefused; ++part) {
        united += applyPart(part, root, rewrites[part]);
    }
    return united;
}

std::uint32_t RuleWorker::applyPart(std::size_t part, ENodeId eclass, const Rewrite& rewrite) {
    if (!rewrite.right.isValid()) return 0;
    if (!eclass.isValid()) eclass = m_graph.add(rewrite.left);
    const ENodeId added = m_graph.add(rewrite.right);
    if (m_graph.find(added) == m_graph.find(eclass) || !mayUnite(eclass, added)) return 0;
    if (!m_graph.explains()) {
        m_graph.unite(eclass, added);
        return 1;
    }
    const ENodeId from = m_graph.addExactly(rewrite.left);
    const ENodeId to = m_graph.addExactly(rewrite.right);
    m_words.assign(1, m_number);
    if (m_rule->hasSeveralRoots()) m_words.push_back(static_cast<std::uint32_t>(part));
    m_words.push_back(from.value);
    rules::appendWords(rewrite.substitution, m_words);
    return m_graph.unite(from, to, m_graph.keepReason(m_words)) ? 1 : 0;
}

RuleReason readReason(const EGraph& graph, Reason reason) {
    std::span<const std::uint32_t> rest = graph.reason(reason);
    const auto take = [&](std::size_t count) {
        const std::span<const std::uint32_t> taken = rest.first(count);
        rest = rest.subspan(count);
        return taken;
    };
    RuleReason result;
    const std::uint32_t number = take(1).front();
    result.isFlat = (number & FlatFlag) != 0;
    result.rule = number & ~FlatFlag;
    const EGraphRule& rule = *graph.rules()[result.rule];
    if (rule.hasSeveralRoots()) result.part = take(1).front();
    if (result.isFlat) {
        result.matched = take(rule.flat()->operatorCount());
        result.literals = take(rule.literals().size());
        result.built = rest;
        result.left = ENodeId(result.matched[rule.flat()->rootOperator(result.part)]);
        result.variables.resize(rule.compiled().valueCount);
        for (const FlatPattern::VariableUse& use : rule.flat()->variables()) {
            const ENodeId matched(result.matched[use.operatorNumber]);
            result.variables[use.variable] = ENodeId(graph.originalChildren(matched)[use.place]);
        }
        return result;
    }
    result.left = ENodeId(take(1).front());
    result.substitution.values.resize(rule.compiled().valueCount);
    std::size_t at = 0;
    for (rules::Binding& value : result.substitution.values) {
        value.term = TermId(rest[at]);
        const std::size_t length = rest[at + 1];
        at += 2;
        for (std::size_t i = 0; i < length; ++i) value.sequence.emplace_back(rest[at++]);
    }
    return result;
}

}  // namespace mitos::egraph
