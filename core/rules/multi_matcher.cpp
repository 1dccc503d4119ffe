// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/multi_matcher.h"

#include "core/rules/conditions.h"
#include "core/rules/instantiate.h"

#include <algorithm>

namespace mitos::rules {

namespace {

void markOccurring(const NodeTable& table, const Node& node, std::vector<bool>& occurs) {
    if (node.var < occurs.size()) occurs[node.var] = true;
    for (std::size_t i = 0; i < node.childCount; ++i) markOccurring(table, table.child(node, i), occurs);
}

}  // namespace

MultiMatcher::MultiMatcher(const GraphView& view, const MultiRule& rule, std::uint64_t maxSteps)
    : m_view(view),
      m_rule(rule),
      m_maxSteps(maxSteps),
      m_rest(view, rule.whole(), maxSteps) {
    const auto& nodes = rule.whole().table.nodes;
    m_needsSettling =
        !rule.whole().constraints.empty() ||
        std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.kind == NodeKind::Unfold; });
    for (const CompiledRule& pattern : rule.leftSides()) {
        markOccurring(pattern.table, pattern.table.nodes[pattern.left],
                      m_occurs.emplace_back(rule.whole().valueCount, false));
        m_matchers.emplace_back(view, pattern, maxSteps);
    }
}

bool MultiMatcher::run(std::span<const std::vector<PlaceId>> places, Found found, absl::FunctionRef<bool()> mayGoOn) {
    const std::size_t roots = m_rule.roots().size();
    m_partials.assign(roots, {});
    m_keys.assign(roots, {});
    m_index.assign(roots, {});
    m_places.assign(roots, PlaceId());
    m_match.values.assign(m_rule.whole().valueCount, Binding());
    m_bound.assign(m_rule.whole().valueCount, false);
    m_steps = 0;
    bool isComplete = true;
    for (std::size_t i = 0; i < roots; ++i) {
        for (const PlaceId place : places[i]) {
            if (!mayGoOn()) return false;
            isComplete &= m_matchers[i].run(place, [&](const Substitution& match) {
                m_partials[i].push_back({place, match});
                return true;
            });
        }
        if (m_partials[i].empty()) return isComplete;
    }
    for (std::size_t i = 1; i < roots; ++i) {
        m_keys[i] = sharedBefore(i);
        for (std::uint32_t k = 0; k < m_partials[i].size(); ++k) {
            m_index[i][keyOf(m_partials[i][k].values, m_keys[i])].push_back(k);
        }
    }
    return join(0, found, mayGoOn) && isComplete;
}

/// A sequence may be empty, other values are terms.
bool MultiMatcher::binds(std::size_t root, VarIndex var, const Binding& value) const {
    return m_rule.whole().variables[var].kind == VarKind::Sequence ? m_occurs[root][var] : value.term.isValid();
}

/// Variables that every match of the root binds, and every match of one root before it. A variable that alternates may leave
/// open is compared match by match.
std::vector<VarIndex> MultiMatcher::sharedBefore(std::size_t root) const {
    const auto bindAll = [&](std::size_t i, VarIndex var) {
        return std::all_of(m_partials[i].begin(), m_partials[i].end(),
                           [&](const Partial& partial) { return binds(i, var, partial.values.values[var]); });
    };
    std::vector<VarIndex> result;
    for (VarIndex var = 0; var < m_rule.whole().valueCount; ++var) {
        if (var == m_rule.whole().choices || !bindAll(root, var)) continue;
        for (std::size_t i = 0; i < root; ++i) {
            if (!bindAll(i, var)) continue;
            result.push_back(var);
            break;
        }
    }
    return result;
}

void MultiMatcher::addTo(Key& key, VarIndex var, const Binding& value) const {
    const ir::TermBank& bank = m_view.bank();
    switch (m_rule.whole().variables[var].kind) {
        case VarKind::Term: key.push_back(m_view.placeOf(value.term).value); return;
        case VarKind::Sequence:
            key.push_back(static_cast<std::uint32_t>(value.sequence.size()));
            for (const ir::TermId element : value.sequence) key.push_back(m_view.placeOf(element).value);
            return;
        case VarKind::Function: {
            const ir::Payload& payload = bank.payload(value.term);
            key.push_back(bank.op(value.term).value);
            key.push_back(static_cast<std::uint32_t>(payload.kind()));
            key.push_back(static_cast<std::uint32_t>(payload.rawBits()));
            key.push_back(static_cast<std::uint32_t>(payload.rawBits() >> 32U));
            return;
        }
        case VarKind::Binder: key.push_back(bank.type(value.term).value); return;
        case VarKind::Attribute:
        case VarKind::Choices: key.push_back(value.term.value); return;
    }
}

MultiMatcher::Key MultiMatcher::keyOf(const Substitution& values, std::span<const VarIndex> variables) const {
    Key key;
    for (const VarIndex var : variables) addTo(key, var, values.values[var]);
    return key;
}

/// The matches of the roots from this one on that fit what is bound so far. False: stop.
bool MultiMatcher::join(std::size_t root, Found found, absl::FunctionRef<bool()> mayGoOn) {
    if (root == m_partials.size()) return complete(found);
    const Substitution before = m_match;
    const std::vector<bool> boundBefore = m_bound;
    const VarIndex choices = m_rule.whole().choices;
    const auto with = [&](const Partial& partial) {
        if (++m_steps > m_maxSteps || !mayGoOn()) return false;
        bool fits = true;
        for (VarIndex var = 0; fits && var < before.values.size(); ++var) {
            const Binding& own = partial.values.values[var];
            Binding& known = m_match.values[var];
            if (var == choices) {
                known.sequence.insert(known.sequence.end(), own.sequence.begin(), own.sequence.end());
            } else if (binds(root, var, own) && m_bound[var]) {
                Key a;
                Key b;
                addTo(a, var, known);
                addTo(b, var, own);
                fits = a == b;
            } else if (binds(root, var, own)) {
                known = own;
                m_bound[var] = true;
            }
        }
        m_places[root] = partial.place;
        const bool goOn = !fits || join(root + 1, found, mayGoOn);
        m_match = before;
        m_bound = boundBefore;
        return goOn;
    };
    if (root == 0) return std::all_of(m_partials[0].begin(), m_partials[0].end(), with);
    const auto fitting = m_index[root].find(keyOf(m_match, m_keys[root]));
    if (fitting == m_index[root].end()) return true;
    return std::all_of(fitting->second.begin(), fitting->second.end(),
                       [&](std::uint32_t i) { return with(m_partials[root][i]); });
}

bool MultiMatcher::complete(Found found) {
    const CompiledRule& whole = m_rule.whole();
    if (whole.constraints.empty() && !holds({m_view.bank(), whole, m_match.values, whole.table}, whole.guard))
        return true;
    // A value with a bound variable from around the graph may not be represented below another root's binders.
    const bool isLoose = std::any_of(m_match.values.begin(), m_match.values.end(), [&](const Binding& value) {
        return value.term.isValid() && m_view.bank().looseBound(value.term) > 0;
    });
    if (whole.constraints.empty() && !m_needsSettling && !isLoose && whole.locals.empty())
        return found(m_places, m_match);
    bool goOn = true;
    DistinctValues seen(whole);
    m_rest.runRest(m_match, [&](const Substitution& match) {
        if (seen.contains(match)) return true;
        Substitution settled = match;
        if (!settle(settled)) return true;
        seen.insert(match);
        goOn = found(m_places, settled);
        return goOn;
    });
    return goOn;
}

bool MultiMatcher::settle(Substitution& match) const {
    const CompiledRule& whole = m_rule.whole();
    const Result<ir::TermId> lefts = settledLeft(m_view.bank(), whole, match);
    if (!lefts) return false;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        if (!represents(m_view, m_places[i], m_view.bank().child(*lefts, i))) return false;
    }
    return holds({m_view.bank(), whole, match.values, whole.table}, whole.guard);
}

}  // namespace mitos::rules
