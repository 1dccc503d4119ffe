// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/matching/multi_matcher.h"

#include "core/rules/matching/conditions.h"
#include "core/rules/matching/internal/instantiate.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mitos::rules {

namespace {

void markOccurring(const NodeTable& table, const Node& node, std::vector<bool>& occurs) {
    if (node.var < occurs.size()) occurs[node.var] = true;
    for (std::size_t i = 0; i < node.childCount; ++i) markOccurring(table, table.child(node, i), occurs);
}

}  // namespace

MultiMatcher::MultiMatcher(const GraphView& view, const DirectedRule& rule, std::uint64_t maxSteps)
    : m_view(view),
      m_rule(rule),
      m_whole(*compiledOf(rule)),
      m_maxSteps(maxSteps),
      m_rest(view, m_whole, maxSteps) {
    const auto& nodes = m_whole.table.nodes;
    m_needsSettling = !m_whole.constraints.empty() || std::any_of(nodes.begin(), nodes.end(), [](const Node& node) {
        return node.kind == NodeKind::Unfold;
    });
    for (const RuleRoot& root : rule.roots()) {
        const CompiledRule& pattern = *root.pattern;
        markOccurring(pattern.table, pattern.table.nodes[pattern.left],
                      m_occurs.emplace_back(m_whole.valueCount, false));
        m_matchers.emplace_back(view, pattern, maxSteps);
    }
}

bool MultiMatcher::matchRoot(std::size_t root, PlaceId place, std::vector<RootMatch>& matches) {
    return m_matchers[root].run(place, [&](const Substitution& match) {
        matches.push_back({place, match});
        return true;
    });
}

bool MultiMatcher::run(std::span<const std::vector<PlaceId>> places, Found found, absl::FunctionRef<bool()> mayGoOn) {
    std::vector<std::vector<RootMatch>> matches(m_rule.roots().size());
    bool isComplete = true;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        for (const PlaceId place : places[i]) {
            if (!mayGoOn()) return false;
            isComplete = matchRoot(i, place, matches[i]) && isComplete;
        }
        if (matches[i].empty()) return isComplete;
    }
    return join(
               matches, [](std::span<const PlaceId>) { return true; }, found, mayGoOn) &&
           isComplete;
}

/// One join. Values of shared variables are compared as numbers, which are equal for values that represent the same places.
struct MultiMatcher::Join {
    std::span<const std::vector<RootMatch>> matches;
    Admits admits;
    Found found;
    absl::FunctionRef<bool()> mayGoOn;
    absl::flat_hash_map<Key, std::uint32_t> numbers = {};
    std::vector<std::vector<std::uint32_t>> values = {};  ///< by root and match: the numbers of its variables
    std::vector<std::vector<VarIndex>> keys = {};         ///< by root: the variables shared with earlier roots
    /// By root: the matches by key, separately those that are not new and those that are.
    std::vector<std::array<absl::flat_hash_map<Key, std::vector<std::uint32_t>>, 2>> index = {};
    std::size_t firstNew = 0;  ///< in this pass: the first root whose match is new
    std::vector<const RootMatch*> chosen = {};
    std::vector<PlaceId> places = {};
    std::vector<std::uint32_t> bound = {};  ///< numbers by variable
    Substitution match = {};
    std::uint64_t steps = 0;
};

/// Whether a root's match binds the variable: for a sequence, which may be empty, if it occurs in the root; otherwise if it has a term.
bool MultiMatcher::binds(std::size_t root, VarIndex var, const Binding& value) const {
    return m_whole.variables[var].kind == VarKind::Sequence ? m_occurs[root][var] : value.term.isValid();
}

std::uint32_t MultiMatcher::numberOf(Join& join, VarIndex var, const Binding& value) const {
    const ir::TermBank& bank = m_view.bank();
    Key key;
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
    return join.numbers.try_emplace(std::move(key), static_cast<std::uint32_t>(join.numbers.size())).first->second;
}

/// Computes the numbers, keys and the index. A key consists of the variables that every match of the root binds and every match of some
/// earlier root binds; a variable that alternates may leave open is compared match by match.
void MultiMatcher::prepare(Join& join) const {
    const std::size_t variables = m_whole.valueCount;
    std::vector<std::vector<bool>> allBind;
    for (std::size_t root = 0; root < join.matches.size(); ++root) {
        std::vector<bool>& all = allBind.emplace_back(variables, true);
        std::vector<std::uint32_t>& values = join.values.emplace_back();
        values.reserve(join.matches[root].size() * variables);
        for (const RootMatch& match : join.matches[root]) {
            for (VarIndex var = 0; var < variables; ++var) {
                const Binding& value = match.values.values[var];
                const bool isBound = var != m_whole.choices && binds(root, var, value);
                if (!isBound) all[var] = false;
                values.push_back(isBound ? numberOf(join, var, value) : Unbound);
            }
        }
        std::vector<VarIndex>& keys = join.keys.emplace_back();
        for (VarIndex var = 0; var < variables; ++var) {
            const auto bindsToo = [&](const std::vector<bool>& other) { return other[var]; };
            if (all[var] && std::any_of(allBind.begin(), allBind.end() - 1, bindsToo)) keys.push_back(var);
        }
        auto& index = join.index.emplace_back();
        if (root == 0) continue;
        for (std::uint32_t i = 0; i < join.matches[root].size(); ++i) {
            Key key;
            for (const VarIndex var : keys) key.push_back(values[i * variables + var]);
            index[join.matches[root][i].isNew ? 1 : 0][std::move(key)].push_back(i);
        }
    }
}

bool MultiMatcher::join(std::span<const std::vector<RootMatch>> matches, Admits admits, Found found,
                        absl::FunctionRef<bool()> mayGoOn) {
    const auto isEmpty = [](const std::vector<RootMatch>& root) { return root.empty(); };
    const auto isOld = [](const std::vector<RootMatch>& root) {
        return std::none_of(root.begin(), root.end(), [](const RootMatch& match) { return match.isNew; });
    };
    if (std::any_of(matches.begin(), matches.end(), isEmpty) || std::all_of(matches.begin(), matches.end(), isOld))
        return true;
    Join join{.matches = matches, .admits = admits, .found = found, .mayGoOn = mayGoOn};
    prepare(join);
    join.bound.assign(m_whole.valueCount, Unbound);
    for (join.firstNew = 0; join.firstNew < matches.size(); ++join.firstNew) {
        if (!joinFrom(join, 0)) return false;
    }
    return true;
}

/// Joins matches of the roots from number `root` on that agree with the bound variables. Returns false to stop.
bool MultiMatcher::joinFrom(Join& join, std::size_t root) {
    if (root == join.matches.size()) return complete(join);
    const std::size_t variables = join.bound.size();
    const auto with = [&](std::uint32_t i) {
        if (++join.steps > m_maxSteps || !join.mayGoOn()) return false;
        const RootMatch& match = join.matches[root][i];
        join.places.push_back(match.place);
        const std::span<const std::uint32_t> own(join.values[root].data() + i * variables, variables);
        bool fits = join.admits(join.places);
        for (std::size_t var = 0; fits && var < variables; ++var) {
            fits = own[var] == Unbound || join.bound[var] == Unbound || own[var] == join.bound[var];
        }
        bool goOn = true;
        if (fits) {
            absl::InlinedVector<std::size_t, 8> taken;
            for (std::size_t var = 0; var < variables; ++var) {
                if (own[var] == Unbound || join.bound[var] != Unbound) continue;
                join.bound[var] = own[var];
                taken.push_back(var);
            }
            join.chosen.push_back(&match);
            goOn = joinFrom(join, root + 1);
            join.chosen.pop_back();
            for (const std::size_t var : taken) join.bound[var] = Unbound;
        }
        join.places.pop_back();
        return goOn;
    };
    // Roots before the first new one use old matches only, those after it use both.
    const bool mayBeOld = root != join.firstNew;
    const bool mayBeNew = root >= join.firstNew;
    if (root == 0) {
        for (std::uint32_t i = 0; i < join.matches[0].size(); ++i) {
            const bool isMeant = join.matches[0][i].isNew ? mayBeNew : mayBeOld;
            if (isMeant && !with(i)) return false;
        }
        return true;
    }
    Key key;
    for (const VarIndex var : join.keys[root]) key.push_back(join.bound[var]);
    const auto fitting = [&](bool areNew) -> std::span<const std::uint32_t> {
        const auto found = join.index[root][areNew ? 1 : 0].find(key);
        if (found == join.index[root][areNew ? 1 : 0].end()) return {};
        return found->second;
    };
    const std::span<const std::uint32_t> old = mayBeOld ? fitting(false) : std::span<const std::uint32_t>();
    const std::span<const std::uint32_t> fresh = mayBeNew ? fitting(true) : std::span<const std::uint32_t>();
    return std::all_of(old.begin(), old.end(), with) && std::all_of(fresh.begin(), fresh.end(), with);
}

bool MultiMatcher::complete(Join& join) {
    Substitution& match = join.match;
    match.values.assign(m_whole.valueCount, Binding());
    for (std::size_t root = 0; root < join.chosen.size(); ++root) {
        for (VarIndex var = 0; var < m_whole.valueCount; ++var) {
            const Binding& own = join.chosen[root]->values.values[var];
            Binding& known = match.values[var];
            if (var == m_whole.choices) {
                known.sequence.insert(known.sequence.end(), own.sequence.begin(), own.sequence.end());
            } else if (!known.term.isValid() && known.sequence.empty()) {
                known = own;
            }
        }
    }
    if (m_whole.constraints.empty() && !holds({m_view.bank(), m_whole, match.values, m_whole.table}, m_whole.guard))
        return true;
    // A value that mentions a variable bound around the graph may not be represented below another root's binders.
    const bool isLoose = std::any_of(match.values.begin(), match.values.end(), [&](const Binding& value) {
        return value.term.isValid() && m_view.bank().looseBound(value.term) > 0;
    });
    if (m_whole.constraints.empty() && !m_needsSettling && !isLoose && m_whole.locals.empty())
        return join.found(join.places, match);
    bool goOn = true;
    DistinctValues seen(m_whole);
    m_rest.runRest(match, [&](const Substitution& rest) {
        if (seen.contains(rest)) return true;
        Substitution settled = rest;
        if (!settle(join.places, settled)) return true;
        seen.insert(rest);
        goOn = join.found(join.places, settled);
        return goOn;
    });
    return goOn;
}

bool MultiMatcher::settle(std::span<const PlaceId> places, Substitution& match) const {
    const Result<ir::TermId> lefts = settledLeft(m_view.bank(), m_whole, match);
    if (!lefts) return false;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!represents(m_view, places[i], m_view.bank().child(*lefts, i))) return false;
    }
    return holds({m_view.bank(), m_whole, match.values, m_whole.table}, m_whole.guard);
}

}  // namespace mitos::rules
