// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/matching/multi_matcher.h"

#include "core/rules/matching/open_variables.h"
#include "core/rules/matching/root_join.h"

#include <algorithm>
#include <utility>

namespace mitos::rules {

namespace {

void markOccurring(const NodeTable& table, const Node& node, std::vector<bool>& occurs) {
    if (node.var < occurs.size()) occurs[node.var] = true;
    for (std::size_t i = 0; i < node.childCount; ++i) markOccurring(table, table.child(node, i), occurs);
}

}  // namespace

MultiMatcher::MultiMatcher(const GraphView& view, const DirectedRule& rule, std::span<MatchMemo> memos,
                           std::uint64_t maxSteps)
    : m_view(view),
      m_whole(*compiledOf(rule)),
      m_memo(memos.front()),
      m_maxSteps(maxSteps),
      m_isInexact(isInexact(m_whole)),
      m_rest(view, m_whole, maxSteps) {
    for (const RuleRoot& root : rule.roots()) {
        const CompiledRule& pattern = *root.pattern;
        markOccurring(pattern.table, pattern.table.nodes[pattern.left],
                      m_occurs.emplace_back(m_whole.valueCount, false));
        m_matchers.emplace_back(view, pattern, memos[m_matchers.size() + 1], maxSteps);
    }
}

std::vector<MatchMemo> MultiMatcher::memosFor(const DirectedRule& rule, Remember remember) {
    std::vector<MatchMemo> memos;
    memos.emplace_back(*compiledOf(rule), remember);
    for (const RuleRoot& root : rule.roots()) memos.emplace_back(*root.pattern, remember);
    return memos;
}

bool MultiMatcher::matchRoot(std::size_t root, PlaceId place, std::vector<RootMatch>& matches) {
    return m_matchers[root].run(place, [&](const Substitution& match) {
        matches.push_back({place, match});
        return true;
    });
}

/// Whether a root's match binds the variable: for a sequence, which may be empty, if it occurs in the root; otherwise if it has a term.
bool MultiMatcher::binds(std::size_t root, VarIndex var, const Binding& value) const {
    return m_whole.variables[var].kind == VarKind::Sequence ? m_occurs[root][var] : value.term.isValid();
}

/// Values of shared variables are compared as numbers, which are equal for values that represent the same places.
std::uint32_t MultiMatcher::numberOf(Numbers& numbers, VarIndex var, const Binding& value) const {
    const ir::TermBank& bank = m_view.bank();
    std::vector<std::uint32_t> key;
    switch (m_whole.variables[var].kind) {
        case VarKind::Term: return m_view.placeOf(value.term).value;
        case VarKind::Binder: return bank.type(value.term).value;
        case VarKind::Attribute:
        case VarKind::Choices: return value.term.value;
        case VarKind::Sequence:
            for (const ir::TermId element : value.sequence) key.push_back(m_view.placeOf(element).value);
            break;
        case VarKind::Function: {
            const ir::Payload& payload = bank.payload(value.term);
            key = {bank.op(value.term).value, static_cast<std::uint32_t>(payload.kind()),
                   static_cast<std::uint32_t>(payload.rawBits()), static_cast<std::uint32_t>(payload.rawBits() >> 32U)};
            break;
        }
    }
    return numbers.try_emplace(std::move(key), static_cast<std::uint32_t>(numbers.size())).first->second;
}

bool MultiMatcher::join(std::span<const std::vector<RootMatch>> matches, Admits admits, Found found,
                        absl::FunctionRef<bool()> mayGoOn) {
    const auto isEmpty = [](const std::vector<RootMatch>& root) { return root.empty(); };
    const auto isOld = [](const std::vector<RootMatch>& root) { return std::ranges::none_of(root, &RootMatch::isNew); };
    if (std::ranges::any_of(matches, isEmpty) || std::ranges::all_of(matches, isOld)) return true;
    RootJoin join(matches.size(), m_whole.valueCount);
    Numbers numbers;
    const auto variables = static_cast<VarIndex>(m_whole.valueCount);
    std::vector<std::uint32_t> values(variables);
    for (std::size_t root = 0; root < matches.size(); ++root) {
        for (const RootMatch& match : matches[root]) {
            for (VarIndex var = 0; var < variables; ++var) {
                const Binding& value = match.values.values[var];
                const bool isBound = var != m_whole.choices && binds(root, var, value);
                values[var] = isBound ? numberOf(numbers, var, value) : RootJoin::Unbound;
            }
            join.add(root, values, match.isNew);
        }
    }
    std::vector<PlaceId> places;
    const auto hasPlaces = [&](RootJoin::Tuple tuple) {
        places.clear();
        for (std::size_t root = 0; root < tuple.size(); ++root) places.push_back(matches[root][tuple[root]].place);
        return admits(places);
    };
    Substitution whole;
    const auto joined = [&](RootJoin::Tuple tuple) {
        whole.values.assign(m_whole.valueCount, Binding());
        for (std::size_t root = 0; root < tuple.size(); ++root) {
            const Substitution& part = matches[root][tuple[root]].values;
            for (VarIndex var = 0; var < m_whole.valueCount; ++var) {
                const Binding& own = part.values[var];
                Binding& known = whole.values[var];
                if (var == m_whole.choices) {
                    known.sequence.insert(known.sequence.end(), own.sequence.begin(), own.sequence.end());
                } else if (!known.term.isValid() && known.sequence.empty()) {
                    known = own;
                }
            }
        }
        return complete(places, whole, found);
    };
    std::uint64_t steps = 0;
    return join.run(hasPlaces, joined, [&] { return ++steps <= m_maxSteps && mayGoOn(); });
}

/// Checks the constraints and the condition of the whole. Returns false to stop.
bool MultiMatcher::complete(std::span<const PlaceId> places, const Substitution& match, Found found) {
    if (m_whole.constraints.empty() && !m_memo.guardHolds(m_view.bank(), match)) return true;
    // A value that mentions a variable bound around the graph may not be represented below another root's binders.
    const bool isLoose = std::ranges::any_of(match.values, [&](const Binding& value) {
        return value.term.isValid() && m_view.bank().looseBound(value.term) > 0;
    });
    if (!m_isInexact && !isLoose && m_whole.locals.empty()) return found(places, match);
    bool goOn = true;
    DistinctValues seen(m_whole);
    m_rest.runRest(match, [&](const Substitution& rest) {
        if (seen.contains(rest)) return true;
        const Substitution* const exact = exactMatch(m_view, places, rest, m_memo);
        if (exact == nullptr) return true;
        seen.insert(rest);
        goOn = found(places, *exact);
        return goOn;
    });
    return goOn;
}

}  // namespace mitos::rules
