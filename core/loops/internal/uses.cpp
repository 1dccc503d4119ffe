// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/uses.h"

#include "core/ks/operators.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermId;

namespace {

constexpr std::uint32_t WordBits = 64;
constexpr int Many = 2;

}  // namespace

bool VariableSet::contains(std::uint32_t variable) const {
    const std::size_t word = variable / WordBits;
    return word < m_words.size() && ((m_words[word] >> (variable % WordBits)) & 1U) != 0;
}

void VariableSet::insert(std::uint32_t variable) {
    const std::size_t word = variable / WordBits;
    if (word >= m_words.size()) m_words.resize(word + 1);
    m_words[word] |= std::uint64_t{1} << (variable % WordBits);
}

void VariableSet::insert(const VariableSet& others) {
    if (others.m_words.size() > m_words.size()) m_words.resize(others.m_words.size());
    for (std::size_t i = 0; i < others.m_words.size(); ++i) m_words[i] |= others.m_words[i];
}

VariableSet VariableSet::common(const VariableSet& other) const {
    VariableSet result;
    result.m_words.resize(std::min(m_words.size(), other.m_words.size()));
    for (std::size_t i = 0; i < result.m_words.size(); ++i) result.m_words[i] = m_words[i] & other.m_words[i];
    return result;
}

VariableSet VariableSet::outside(std::uint32_t binders) const {
    const std::size_t words = binders / WordBits;
    const std::uint32_t bits = binders % WordBits;
    VariableSet result;
    if (words >= m_words.size()) return result;
    result.m_words.resize(m_words.size() - words);
    for (std::size_t i = 0; i < result.m_words.size(); ++i) {
        result.m_words[i] = m_words[i + words] >> bits;
        const bool isLast = i + words + 1 == m_words.size();
        if (bits != 0 && !isLast) result.m_words[i] |= m_words[i + words + 1] << (WordBits - bits);
    }
    return result;
}

bool Uses::mentions(TermId term, std::uint32_t variable) {
    return m_bank.looseBound(term) > variable && of(term).used.contains(variable);
}

int Uses::count(TermId term, std::uint32_t variable) {
    if (!mentions(term, variable)) return 0;
    return of(term).usedTwice.contains(variable) ? Many : 1;
}

int Uses::countOfPart(TermId term, std::uint32_t variable, std::uint32_t part) {
    if (!mentions(term, variable)) return 0;
    if (m_bank.is(term, CoreOp::Lam)) return Many;
    if (m_bank.is(term, CoreOp::Bound)) return 1;
    const bool isPart = m_bank.is(term, CoreOp::Get) && m_bank.is(m_bank.child(term, 0), CoreOp::Bound);
    if (isPart) return m_bank.payload(term).projectionIndex() == part ? 1 : 0;
    int uses = 0;
    for (std::uint32_t i = 0; i < m_bank.childCount(term) && uses < Many; ++i) {
        uses += countOfPart(m_bank.child(term, i), variable + m_bank.boundIn(term, i), part);
    }
    return uses;
}

bool Uses::isOnlyProjected(TermId term, std::uint32_t variable) {
    return !mentions(term, variable) || !of(term).usedWhole.contains(variable);
}

bool Uses::isOnlyIndexed(TermId term, std::uint32_t variable) {
    return !mentions(term, variable) || !of(term).usedUnindexed.contains(variable);
}

absl::flat_hash_set<Symbol> Uses::freeVariables(TermId term) const {
    absl::flat_hash_set<Symbol> names;
    absl::flat_hash_set<TermId> seen{term};
    std::vector<TermId> left{term};
    while (!left.empty()) {
        const TermId next = left.back();
        left.pop_back();
        if (m_bank.is(next, CoreOp::Variable)) names.insert(m_bank.payload(next).asSymbol());
        for (const TermId child : m_bank.children(next)) {
            if (seen.insert(child).second) left.push_back(child);
        }
    }
    return names;
}

const Uses::Facts& Uses::of(TermId term) {
    const auto known = m_facts.find(term);
    if (known != m_facts.end()) return *known->second;
    auto facts = std::make_unique<const Facts>(made(term));
    return *m_facts.emplace(term, std::move(facts)).first->second;
}

Uses::Facts Uses::made(TermId term) {
    Facts facts;
    if (m_bank.is(term, CoreOp::Bound)) {
        const std::uint32_t variable = m_bank.payload(term).asIndex();
        facts.used.insert(variable);
        facts.usedWhole.insert(variable);
        facts.usedUnindexed.insert(variable);
        return facts;
    }
    for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
        const TermId child = m_bank.child(term, i);
        const std::uint32_t binders = m_bank.boundIn(term, i);
        if (m_bank.looseBound(child) <= binders) continue;
        const Facts& inner = of(child);
        const VariableSet used = inner.used.outside(binders);
        facts.usedTwice.insert(facts.used.common(used));
        facts.usedTwice.insert(inner.usedTwice.outside(binders));
        facts.used.insert(used);
        const bool isBound = m_bank.is(child, CoreOp::Bound);
        if (!isBound || !m_bank.is(term, CoreOp::Get)) facts.usedWhole.insert(inner.usedWhole.outside(binders));
        const bool isReading = isBound && i == 1 && ks::ksOp(m_bank.op(term)) == ks::Op::Index;
        if (!isReading) facts.usedUnindexed.insert(inner.usedUnindexed.outside(binders));
    }
    if (m_bank.is(term, CoreOp::Lam)) facts.usedTwice = facts.used;
    return facts;
}

}  // namespace mitos::loops
