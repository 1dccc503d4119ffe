// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rules/declarative_semantics.h"

#include "core/ir/attributes.h"
#include "core/ir/operator_registry.h"
#include "tests/rules/declarative_guard.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::tests {

using ir::CoreOp;
using ir::PayloadKind;
using ir::TermId;
using rules::Node;
using rules::NodeKind;
using rules::Owner;

namespace {

constexpr std::size_t MaxThetas = 20'000;

const TermId* valueIn(const Theta& theta, std::uint32_t name) {
    const auto found = std::lower_bound(theta.begin(), theta.end(), name,
                                        [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
    return found != theta.end() && found->first == name ? &found->second : nullptr;
}

Theta extended(Theta theta, std::uint32_t name, TermId value) {
    const auto at = std::lower_bound(theta.begin(), theta.end(), name,
                                     [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
    theta.insert(at, {name, value});
    return theta;
}

}  // namespace

DeclarativeSemantics::DeclarativeSemantics(ir::TermBank& bank, const rules::CompiledRule& rule, TermId subject)
    : m_bank(bank),
      m_rule(rule),
      m_subject(subject) {
    const auto add = [&](TermId term) {
        if (std::find(m_terms.begin(), m_terms.end(), term) == m_terms.end()) m_terms.push_back(term);
    };
    add(subject);
    for (std::size_t at = 0; at < m_terms.size(); ++at) {
        const std::vector<TermId> children(bank.children(m_terms[at]).begin(), bank.children(m_terms[at]).end());
        for (const TermId child : children) add(child);
        if (isApplication(m_terms[at]) && !symbolOf(m_terms[at]).isValid()) m_symbols.push_back(m_terms[at]);
        if (bank.registry().info(bank.op(m_terms[at])).attributes.empty()) continue;
        const std::string text(bank.text(bank.payload(m_terms[at]).asSymbol()));
        for (const std::string_view value : ir::attributeValues(text)) add(ir::attributeLiteral(bank, value));
    }
}

bool DeclarativeSemantics::isApplication(TermId term) const {
    return !m_bank.is(term, CoreOp::Literal) && !m_bank.is(term, CoreOp::Variable);
}

TermId DeclarativeSemantics::symbolOf(TermId term) const {
    for (const TermId known : m_symbols) {
        if (m_bank.op(known) == m_bank.op(term) && m_bank.payload(known) == m_bank.payload(term)) return known;
    }
    return {};
}

Theta DeclarativeSemantics::thetaOf(const rules::Substitution& match) const {
    Theta theta;
    for (std::uint32_t i = 0; i < match.values.size(); ++i) {
        const TermId value = match.values[i].term;
        if (i == m_rule.choices || !value.isValid()) continue;
        theta.emplace_back(i, m_rule.variables[i].kind == rules::VarKind::Function ? symbolOf(value) : value);
    }
    return theta;
}

// --- patterns ----------------------------------------------------------------------------------------------------------

DeclarativeSemantics::Body DeclarativeSemantics::whole() const {
    return {{&m_rule.table, &m_rule.table.nodes[m_rule.left], nullptr}, &m_rule.constraints, m_rule.guard};
}

DeclarativeSemantics::Body DeclarativeSemantics::bodyOf(const Unfolding& unfolding) {
    const rules::Alternate& alternate = *unfolding.alternate;
    return {{&alternate.table, &alternate.table.nodes[alternate.root], &unfolding},
            &alternate.constraints,
            alternate.guard};
}

DeclarativeSemantics::Meaning DeclarativeSemantics::parameter(std::uint32_t index, const Unfolding& in) const {
    const Pattern argument{in.arguments, &in.arguments->child(*in.use, index), in.outer};
    const NodeKind kind = argument.node->kind;
    const bool isName = kind == NodeKind::Variable || kind == NodeKind::Parameter || kind == NodeKind::Local ||
                        (kind == NodeKind::Function && in.pattern->isFunction[index]);
    if (isName) return meaningOf(argument);
    if (!in.pattern->isTracked[index]) return {NoName, argument};
    return {in.first + static_cast<Name>(in.alternate->locals.size()) + index, argument};
}

/// For variables, locals, parameters and function variables.
DeclarativeSemantics::Meaning DeclarativeSemantics::meaningOf(const Pattern& pattern) const {
    const Node& node = *pattern.node;
    const bool isOfFunction = node.kind == NodeKind::Function;
    if (node.kind == NodeKind::Parameter || (isOfFunction && node.owner == Owner::Parameter))
        return parameter(node.index, *pattern.in);
    if (node.kind == NodeKind::Local || (isOfFunction && node.owner == Owner::Local))
        return {pattern.in->first + node.index, {}};
    return {node.var, {}};
}

DeclarativeSemantics::Name DeclarativeSemantics::nameOf(Owner owner, std::uint32_t index, const Unfolding* in) const {
    switch (owner) {
        case Owner::Parameter: return parameter(index, *in).name;
        case Owner::Local: return in->first + index;
        case Owner::Rule: break;
    }
    return index;
}

bool DeclarativeSemantics::mayUnfold(const Pattern& pattern, TermId term) const {
    const rules::NamedPattern* const wanted = &m_rule.patterns->patterns[pattern.node->index];
    int inside = 0;
    for (const Unfolding* at = pattern.in; at != nullptr; at = at->outer) {
        if (at->pattern == wanted && at->term == term) ++inside;
    }
    return inside < MaxAtOneTerm;
}

DeclarativeSemantics::Unfolding DeclarativeSemantics::unfolding(const Pattern& use, std::size_t alternate, TermId term,
                                                                Name first) const {
    const rules::NamedPattern& pattern = m_rule.patterns->patterns[use.node->index];
    return {use.table, use.node, use.in, &pattern, &pattern.alternates[alternate], term, first};
}

bool DeclarativeSemantics::fitsRoot(const Pattern& pattern, TermId term) {
    const Node& node = *pattern.node;
    const bool isLiteral = m_bank.is(term, CoreOp::Literal);
    const ir::Payload& payload = m_bank.payload(term);
    switch (node.kind) {
        case NodeKind::Literal: return isLiteral && payload == node.payload;
        case NodeKind::Text:
            return isLiteral && payload.kind() == PayloadKind::String && m_bank.text(payload.asSymbol()) == node.name;
        case NodeKind::AnyLiteral: return true;
        case NodeKind::Number:
            if (!isLiteral) return false;
            if (payload.kind() == PayloadKind::Integer) return static_cast<double>(payload.asInteger()) == node.value;
            return payload.kind() == PayloadKind::Float && payload.asFloat() == node.value;
        case NodeKind::Approx:
            return isLiteral && payload.kind() == PayloadKind::Float &&
                   std::abs(payload.asFloat() - node.value) <= 1e-6 * std::max(1.0, std::abs(node.value));
        case NodeKind::Apply: {
            if (node.binder != rules::NoVar || node.var != rules::NoVar) m_unsupported = "a binder or a projection";
            if (m_bank.childCount(term) != node.childCount) return false;
            if (m_bank.op(term) == node.op) return true;
            return node.isDeclared && m_bank.is(term, CoreOp::Call) &&
                   m_bank.function(payload.asFunction()).name == m_bank.registry().info(node.op).name;
        }
        case NodeKind::Function: return isApplication(term) && m_bank.childCount(term) == node.childCount;
        default: m_unsupported = "a bound variable or a sequence"; return false;
    }
}

std::vector<std::pair<DeclarativeSemantics::Pattern, TermId>> DeclarativeSemantics::arguments(const Pattern& pattern,
                                                                                              TermId term) const {
    std::vector<std::pair<Pattern, TermId>> result;
    const Node& node = *pattern.node;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        result.push_back({{pattern.table, &pattern.table->child(node, i), pattern.in}, m_bank.child(term, i)});
    }
    if (node.attributes.empty()) return result;
    const std::string text(m_bank.text(m_bank.payload(term).asSymbol()));
    const std::vector<std::string_view> values = ir::attributeValues(text);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Node* const attribute = &pattern.table->nodes[node.attributes[i]];
        result.push_back({{pattern.table, attribute, pattern.in}, ir::attributeLiteral(m_bank, values[i])});
    }
    return result;
}

// --- p @ θ ≈ t ---------------------------------------------------------------------------------------------------------

bool DeclarativeSemantics::isDerivable(const Theta& theta) {
    m_values.assign(m_rule.valueCount, TermId());
    for (const auto& [name, value] : theta) m_values[name] = value;
    return derivesRule(0);
}

bool DeclarativeSemantics::derivesRule(std::size_t local) {
    if (local == m_rule.locals.size()) return derives(whole(), m_subject);
    // P-EXISTS; θ may give the value as well.
    const rules::VarIndex name = m_rule.locals[local];
    if (m_values[name].isValid()) return derivesRule(local + 1);
    const bool isOfFunction = m_rule.variables[name].kind == rules::VarKind::Function;
    return exists(name, isOfFunction, whole(), m_subject, [&] { return derivesRule(local + 1); });
}

bool DeclarativeSemantics::derivesUnfolding(const Unfolding& unfolding, TermId term, std::size_t local) {
    const std::size_t locals = unfolding.alternate->locals.size();
    if (local == unfolding.size() || m_isOpen) return derives(bodyOf(unfolding), term);
    // P-EXISTS
    const auto name = static_cast<Name>(unfolding.first + local);
    const auto then = [&] { return derivesUnfolding(unfolding, term, local + 1); };
    if (local >= locals && parameter(static_cast<std::uint32_t>(local - locals), unfolding).name != name) return then();
    const bool isOfFunction = local < locals && unfolding.alternate->locals[local].isFunction;
    return exists(name, isOfFunction, bodyOf(unfolding), term, then);
}

bool DeclarativeSemantics::exists(Name name, bool isFunction, const Body& body, TermId term,
                                  absl::FunctionRef<bool()> then) {
    const std::vector<TermId>& values = isFunction ? m_symbols : m_terms;
    const bool holds = std::any_of(values.begin(), values.end(), [&](TermId value) {
        m_values[name] = value;
        // A guess that no further guesses can complete is dropped.
        const bool wasOpen = std::exchange(m_isOpen, true);
        const bool isPossible = derives(body, term);
        m_isOpen = wasOpen;
        return isPossible && then();
    });
    m_values[name] = TermId();
    return holds;
}

bool DeclarativeSemantics::derives(const Body& body, TermId term) {
    if (!derives(body.root, term)) return false;
    // P-MATCHCONSTR
    const Pattern& root = body.root;
    for (const rules::CompiledConstraint& constraint : *body.constraints) {
        const Name name = meaningOf({root.table, &root.table->nodes[constraint.subject], root.in}).name;
        const TermId value = m_values[name];
        const Pattern pattern{root.table, &root.table->nodes[constraint.pattern], root.in};
        if (!value.isValid() && m_isOpen) continue;
        if (!value.isValid() || !derives(pattern, value)) return false;
    }
    // P-GUARD
    if (body.guard == rules::NoNode) return true;
    const auto valueOf = [&](Owner owner, std::uint32_t index) { return m_values[nameOf(owner, index, root.in)]; };
    DeclarativeGuard guard(m_bank, root.table->conditions, valueOf);
    const std::optional<bool> truth = guard.truth(body.guard);
    if (!guard.unsupported().empty()) m_unsupported = guard.unsupported();
    return truth.value_or(m_isOpen);
}

bool DeclarativeSemantics::derives(const Pattern& pattern, TermId term) {
    const Node& node = *pattern.node;
    switch (node.kind) {
        case NodeKind::Variable:
        case NodeKind::Local:
        case NodeKind::Parameter: {  // P-VAR
            const Meaning meaning = meaningOf(pattern);
            if (meaning.name != NoName && !has(meaning.name, term)) return false;
            return meaning.pattern.node == nullptr || derives(meaning.pattern, term);
        }
        case NodeKind::Unfold: {  // P-MU, P-ALT-1, P-ALT-2
            if (!mayUnfold(pattern, term)) return false;
            const std::size_t count = m_rule.patterns->patterns[node.index].alternates.size();
            const std::size_t before = m_values.size();
            for (std::size_t i = 0; i < count; ++i) {
                const Unfolding inner = unfolding(pattern, i, term, static_cast<Name>(before));
                m_values.resize(before + inner.size());
                const bool holds = derivesUnfolding(inner, term, 0);
                m_values.resize(before);
                if (holds) return true;
            }
            return false;
        }
        default: break;
    }
    // P-FUN, P-FUN-VAR
    if (!fitsRoot(pattern, term)) return false;
    if (node.kind == NodeKind::Function && !has(meaningOf(pattern).name, symbolOf(term))) return false;
    const auto parts = arguments(pattern, term);
    return std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return derives(part.first, part.second); });
}

// --- all θ -------------------------------------------------------------------------------------------------------------

std::optional<std::vector<Theta>> DeclarativeSemantics::smallest() {
    m_isTooMany = false;
    m_functionNames.assign(m_rule.valueCount, false);
    for (std::size_t i = 0; i < m_rule.valueCount; ++i)
        m_functionNames[i] = m_rule.variables[i].kind == rules::VarKind::Function;
    Thetas all = solve(whole(), m_subject);
    if (m_isTooMany) return std::nullopt;
    return all;
}

const std::vector<TermId>& DeclarativeSemantics::valuesFor(Name name) const {
    return m_functionNames[name] ? m_symbols : m_terms;
}

void DeclarativeSemantics::tidy(Thetas& thetas) {
    std::sort(thetas.begin(), thetas.end());
    thetas.erase(std::unique(thetas.begin(), thetas.end()), thetas.end());
    if (thetas.size() <= MaxThetas) return;
    m_isTooMany = true;
    thetas.clear();
}

/// The unions of pairs that agree where both have a value.
DeclarativeSemantics::Thetas DeclarativeSemantics::joined(const Thetas& left, const Thetas& right) {
    Thetas result;
    if (left.size() * right.size() > MaxThetas) {
        m_isTooMany = true;
        return result;
    }
    for (const Theta& a : left) {
        for (const Theta& b : right) {
            const auto agrees = [&](const auto& entry) {
                const TermId* const other = valueIn(a, entry.first);
                return other == nullptr || *other == entry.second;
            };
            if (!std::all_of(b.begin(), b.end(), agrees)) continue;
            Theta both;
            std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
            result.push_back(std::move(both));
        }
    }
    tidy(result);
    return result;
}

void DeclarativeSemantics::keepGuarded(const Body& body, const Theta& theta, Thetas& kept) {
    if (m_isTooMany) return;
    const Unfolding* const in = body.root.in;
    Name missing = NoName;
    const auto valueOf = [&](Owner owner, std::uint32_t index) {
        const Name name = nameOf(owner, index, in);
        const TermId* const value = valueIn(theta, name);
        if (value == nullptr) missing = name;
        return value == nullptr ? TermId() : *value;
    };
    DeclarativeGuard guard(m_bank, body.root.table->conditions, valueOf);
    const std::optional<bool> truth = guard.truth(body.guard);
    if (!guard.unsupported().empty()) m_unsupported = guard.unsupported();
    if (truth == true) {
        kept.push_back(theta);
        if (kept.size() > MaxThetas) m_isTooMany = true;
    }
    if (truth || missing == NoName) return;
    const std::vector<TermId>& values = valuesFor(missing);
    const Name name = missing;
    for (const TermId value : values) keepGuarded(body, extended(theta, name, value), kept);
}

DeclarativeSemantics::Thetas DeclarativeSemantics::solve(const Body& body, TermId term) {
    Thetas thetas = solve(body.root, term);
    const Pattern& root = body.root;
    for (const rules::CompiledConstraint& constraint : *body.constraints) {
        const Name name = meaningOf({root.table, &root.table->nodes[constraint.subject], root.in}).name;
        const Pattern pattern{root.table, &root.table->nodes[constraint.pattern], root.in};
        Thetas next;
        const auto with = [&](const Theta& theta, TermId value) {
            const Thetas both = joined({theta}, solve(pattern, value));
            next.insert(next.end(), both.begin(), both.end());
        };
        for (const Theta& theta : thetas) {
            if (m_isTooMany) return {};
            if (const TermId* const value = valueIn(theta, name); value != nullptr) {
                with(theta, *value);
                continue;
            }
            for (const TermId value : m_terms) with(extended(theta, name, value), value);
        }
        tidy(next);
        thetas = std::move(next);
    }
    if (body.guard == rules::NoNode) return thetas;
    Thetas kept;
    for (const Theta& theta : thetas) keepGuarded(body, theta, kept);
    tidy(kept);
    return kept;
}

DeclarativeSemantics::Thetas DeclarativeSemantics::solve(const Pattern& pattern, TermId term) {
    if (m_isTooMany) return {};
    const Node& node = *pattern.node;
    switch (node.kind) {
        case NodeKind::Variable:
        case NodeKind::Local:
        case NodeKind::Parameter: {
            const Meaning meaning = meaningOf(pattern);
            Thetas own{Theta()};
            if (meaning.name != NoName) own = {{{meaning.name, term}}};
            return meaning.pattern.node == nullptr ? own : joined(own, solve(meaning.pattern, term));
        }
        case NodeKind::Unfold: {
            Thetas all;
            if (!mayUnfold(pattern, term)) return all;
            const std::size_t count = m_rule.patterns->patterns[node.index].alternates.size();
            for (std::size_t i = 0; i < count; ++i) {
                const Unfolding inner = unfolding(pattern, i, term, static_cast<Name>(m_functionNames.size()));
                for (const rules::LocalVariable& local : inner.alternate->locals)
                    m_functionNames.push_back(local.isFunction);
                m_functionNames.resize(inner.first + inner.size(), false);
                for (Theta& theta : solve(bodyOf(inner), term)) {
                    const auto isInside = [&](const auto& entry) {
                        return entry.first >= inner.first && entry.first < inner.first + inner.size();
                    };
                    theta.erase(std::remove_if(theta.begin(), theta.end(), isInside), theta.end());
                    all.push_back(std::move(theta));
                }
            }
            tidy(all);
            return all;
        }
        default: break;
    }
    if (!fitsRoot(pattern, term)) return {};
    Thetas all{Theta()};
    if (node.kind == NodeKind::Function) all = {{{meaningOf(pattern).name, symbolOf(term)}}};
    for (const auto& [part, at] : arguments(pattern, term)) {
        if (all.empty()) break;
        all = joined(all, solve(part, at));
    }
    return all;
}

}  // namespace mitos::tests
