// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/internal/chain.h"

#include "core/ir/binding.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <utility>

namespace mitos::coarsening {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;

namespace {

/// Replaces free variables; the replacement may depend on the number of binders above the place.
template <typename Replacement>
class Replacer {
public:
    Replacer(TermBank& bank, Replacement replacement) : m_bank(bank), m_replacement(std::move(replacement)) {}

    TermId run(TermId term, std::uint32_t depth) {
        if (m_bank.is(term, CoreOp::Variable)) return m_replacement(term, depth);
        const std::size_t count = m_bank.childCount(term);
        if (count == 0) return term;
        const auto known = m_known.find({term, depth});
        if (known != m_known.end()) return known->second;
        std::vector<TermId> children;
        bool isChanged = false;
        for (std::size_t i = 0; i < count; ++i) {
            const TermId child = m_bank.child(term, i);
            children.push_back(run(child, depth + m_bank.boundIn(term, i)));
            isChanged = isChanged || children.back() != child;
        }
        const TermId result = isChanged ? m_bank.stated(m_bank.op(term), m_bank.type(term), children,
                                                        m_bank.payload(term), m_bank.hint(term))
                                        : term;
        m_known.emplace(std::pair(term, depth), result);
        return result;
    }

private:
    TermBank& m_bank;
    Replacement m_replacement;
    absl::flat_hash_map<std::pair<TermId, std::uint32_t>, TermId> m_known;
};

/// Inlines all lets of terms.
class LetInliner {
public:
    explicit LetInliner(TermBank& bank) : m_bank(bank) {}

    TermId run(TermId term) {
        const std::size_t count = m_bank.childCount(term);
        if (m_bank.is(term, CoreOp::Bound)) return valueOf(term);
        if (count == 0) return term;
        const std::pair key(term, m_bank.looseBound(term) == 0 ? Outermost : m_scope);
        if (const auto known = m_known.find(key); known != m_known.end()) return known->second;
        const TermId result = m_bank.is(term, CoreOp::Let) ? inlined(term) : overChildren(term, count);
        m_known.emplace(key, result);
        return result;
    }

private:
    /// The bound value of a let, or the variable of a function.
    struct Binder {
        TermId value;                 ///< invalid for the variable of a function
        std::uint32_t functions = 0;  ///< around the binder
    };
    static constexpr std::uint64_t Outermost = 0;

    TermId valueOf(TermId bound) {
        const std::uint32_t back = m_bank.payload(bound).asIndex();
        if (back >= m_binders.size()) return bound;
        const Binder& binder = m_binders[m_binders.size() - 1 - back];
        const std::uint32_t between = m_functions - binder.functions;
        if (!binder.value.isValid()) return m_bank.bound(between - 1, m_bank.type(bound));
        return m_bank.shifted(binder.value, 0, static_cast<std::int32_t>(between));
    }

    TermId inlined(TermId let) { return below({run(m_bank.child(let, 0)), m_functions}, m_bank.child(let, 1)); }

    TermId overChildren(TermId term, std::size_t count) {
        std::vector<TermId> children;
        for (std::size_t i = 0; i < count; ++i) {
            const TermId child = m_bank.child(term, i);
            if (m_bank.boundIn(term, i) == 0) {
                children.push_back(run(child));
                continue;
            }
            const Binder variable{TermId(), m_functions++};
            children.push_back(below(variable, child));
            --m_functions;
        }
        return m_bank.stated(m_bank.op(term), m_bank.type(term), children, m_bank.payload(term), m_bank.hint(term));
    }

    TermId below(const Binder& binder, TermId body) {
        m_binders.push_back(binder);
        const std::uint64_t outside = std::exchange(m_scope, ++m_scopes);
        const TermId result = run(body);
        m_scope = outside;
        m_binders.pop_back();
        return result;
    }

    TermBank& m_bank;
    std::vector<Binder> m_binders;  ///< around the term, outermost first
    std::uint32_t m_functions = 0;  ///< those of them that are functions
    std::uint64_t m_scope = Outermost;
    std::uint64_t m_scopes = Outermost;                                     ///< the number of scopes so far
    absl::flat_hash_map<std::pair<TermId, std::uint64_t>, TermId> m_known;  ///< by term and scope
};

bool isOperator(const TermBank& bank, TermId term) {
    constexpr std::array Others{CoreOp::Variable, CoreOp::Bound, CoreOp::Literal,
                                CoreOp::Lam,      CoreOp::Tuple, CoreOp::Get};
    return std::ranges::none_of(Others, [&](CoreOp op) { return bank.is(term, op); });
}

}  // namespace

Symbol Chains::fresh(std::string_view hint) {
    return m_bank.symbols().intern(fmt::format("{}#{}", hint.empty() ? "t" : hint, ++m_next));
}

std::string Chains::hint(Symbol name) const {
    const std::string_view text = m_bank.text(name);
    return std::string(text.substr(0, text.find('#')));
}

Chain Chains::open(TermId body, ir::Path place) {
    Chain chain;
    while (m_bank.is(body, CoreOp::Let)) {
        const TermId value = m_bank.child(body, 0);
        const Symbol hint = m_bank.hint(body);
        const Symbol name = fresh(hint.isValid() ? m_bank.text(hint) : "t");
        chain.definitions.push_back({name, value, ir::child(place, 0)});
        place.push_back(1);
        body = ir::instantiate(m_bank, m_bank.child(body, 1), m_bank.variable(name, m_bank.type(value)));
    }
    chain.definitions.push_back({fresh("result"), body, std::move(place)});
    // The definitions that the result needs are found from the last one on.
    FreeVariables needed(m_bank);
    std::vector<Definition> kept;
    for (std::size_t i = chain.definitions.size(); i-- > 0;) {
        Definition& definition = chain.definitions[i];
        if (i + 1 < chain.definitions.size() && needed.count(definition.name) == 0) continue;
        needed.add(definition.value);
        kept.push_back(std::move(definition));
    }
    std::ranges::reverse(kept);
    for (Definition& definition : kept) openLoops(definition);
    chain.definitions = std::move(kept);
    return chain;
}

void Chains::openLoops(Definition& definition) {
    std::vector<std::pair<ir::Path, TermId>> lambdas;
    ir::forEachSubterm(m_bank, definition.value, [&](const ir::Path& path, TermId term) {
        if (!m_bank.is(term, CoreOp::Lam)) return true;
        if (m_bank.looseBound(term) == 0) lambdas.emplace_back(path, term);
        return false;
    });
    for (const auto& [path, lambda] : lambdas) {
        const ir::TypeId type = m_bank.boundType(lambda);
        const Symbol hint = m_bank.hint(lambda);
        const Symbol name = fresh(hint.isValid() ? m_bank.text(hint) : "i");
        const TermId body = ir::instantiate(m_bank, m_bank.child(lambda, 0), m_bank.variable(name, type));
        ir::Path place = definition.place;
        place.insert(place.end(), path.begin(), path.end());
        place.push_back(0);
        definition.loops.push_back({path, name, type, open(body, std::move(place))});
    }
}

TermId Chains::abstracted(TermId term, Symbol name) {
    const auto toBound = [&](TermId variable, std::uint32_t depth) {
        return m_bank.payload(variable).asSymbol() == name ? m_bank.bound(depth, m_bank.type(variable)) : variable;
    };
    return Replacer(m_bank, toBound).run(term, 0);
}

TermId Chains::lets(const Chain& chain, std::size_t first, std::size_t last, TermId result) {
    absl::flat_hash_map<Symbol, std::uint32_t> levels;  // of the lets, outermost first
    const auto toBound = [&](TermId variable, std::uint32_t depth) {
        const auto level = levels.find(m_bank.payload(variable).asSymbol());
        return level == levels.end() ? variable : m_bank.bound(depth - 1 - level->second, m_bank.type(variable));
    };
    Replacer named(m_bank, toBound);
    std::vector<TermId> values;
    for (std::size_t i = first; i < last; ++i) {
        const auto level = static_cast<std::uint32_t>(i - first);
        values.push_back(named.run(chain.definitions[i].value, level));
        levels.emplace(chain.definitions[i].name, level);
    }
    // The bound variables of outer binders would be further away under the lets; there are none.
    assert(m_bank.looseBound(result) == 0);
    TermId body = named.run(result, static_cast<std::uint32_t>(last - first));
    for (std::size_t i = last; i-- > first;) {
        body = m_bank.let(m_bank.symbols().intern(hint(chain.definitions[i].name)), values[i - first], body);
    }
    return body;
}

TermId Chains::close(const Chain& chain) {
    Chain closed;
    for (const Definition& definition : chain.definitions) {
        TermId value = definition.value;
        for (const LoopBody& loop : definition.loops) {
            const TermId body = abstracted(close(loop.body), loop.variable);
            const TermId lambda = m_bank.lambda(m_bank.symbols().intern(hint(loop.variable)), loop.type, body);
            value = m_bank.replaceAt(value, loop.lambda, lambda);
        }
        closed.definitions.push_back({definition.name, value});
    }
    const std::size_t last = closed.definitions.size() - 1;
    return lets(closed, 0, last, closed.definitions[last].value);
}

void FreeVariables::add(TermId term) {
    if (m_bank.is(term, CoreOp::Variable)) {
        if (++m_counts[m_bank.payload(term).asSymbol()] == 1) m_all.push_back(term);
        return;
    }
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) add(m_bank.child(term, i));
}

TermId replaced(TermBank& bank, TermId term, const absl::flat_hash_map<Symbol, TermId>& values) {
    const auto toValue = [&](TermId variable, std::uint32_t) {
        const auto value = values.find(bank.payload(variable).asSymbol());
        return value == values.end() ? variable : value->second;
    };
    return Replacer(bank, toValue).run(term, 0);
}

std::size_t symbolicSize(TermBank& bank, const std::vector<TermId>& terms) {
    LetInliner inliner(bank);
    absl::flat_hash_set<TermId> known;
    std::vector<TermId> open;
    for (const TermId term : terms) open.push_back(inliner.run(term));
    std::size_t size = 0;
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (!known.insert(term).second) continue;
        size += isOperator(bank, term) ? 1 : 0;
        open.insert(open.end(), bank.children(term).begin(), bank.children(term).end());
    }
    return size;
}

}  // namespace mitos::coarsening
