// SPDX-License-Identifier: GPL-3.0-or-later
// Substitution on de Bruijn indices.
#include "core/ir/binding.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <utility>

namespace mitos::ir {

namespace {

using Children = absl::InlinedVector<TermId, 8>;
using Key = std::pair<TermId, std::uint32_t>;  // a term and the number of binders entered, or the index sought there

Children copyOf(std::span<const TermId> children) { return {children.begin(), children.end()}; }

/// The term over substituted children. Substitution keeps the types, so this cannot fail.
TermId rebuilt(TermBank& bank, TermId term, const Children& children) {
    Result<TermId> result = bank.withChildren(term, children);
    assert(result.ok());
    return *result;
}

/// Terms of at most this many nodes are walked as trees. Only for larger terms is it worth caching the results of shared subterms,
/// without which a walk may take exponential time.
constexpr std::uint64_t LargestPlainWalk = 1'000;

class LooseSubstitution {
public:
    LooseSubstitution(TermBank& bank, std::uint32_t count, std::int32_t by,
                      absl::FunctionRef<TermId(std::uint32_t, TypeId)> map)
        : m_bank(bank),
          m_count(count),
          m_by(by),
          m_map(map) {}

    TermId apply(TermId term, std::uint32_t depth) {
        if (!m_bank.mayMention(term, depth, m_count)) return m_bank.shifted(term, depth, m_by);
        if (m_bank.is(term, CoreOp::Bound)) {
            const std::uint32_t index = m_bank.payload(term).asIndex() - depth;
            if (index >= m_count) return m_bank.shifted(term, depth, m_by);
            return shifted(m_bank, m_map(index, m_bank.type(term)), depth);
        }
        if (m_bank.treeSize(term) <= LargestPlainWalk) return overChildren(term, depth);
        const Key key(term, depth);
        if (const auto known = m_done.find(key); known != m_done.end()) return known->second;
        const TermId result = overChildren(term, depth);
        m_done.emplace(key, result);
        return result;
    }

private:
    TermId overChildren(TermId term, std::uint32_t depth) {
        Children children = copyOf(m_bank.children(term));
        for (std::size_t i = 0; i < children.size(); ++i) {
            children[i] = apply(children[i], depth + m_bank.boundIn(term, i));
        }
        return rebuilt(m_bank, term, children);
    }

    TermBank& m_bank;
    std::uint32_t m_count;
    std::int32_t m_by;
    absl::FunctionRef<TermId(std::uint32_t, TypeId)> m_map;
    absl::flat_hash_map<Key, TermId> m_done;
};

/// `done` holds the subterms and indices that were searched without success.
bool findMention(const TermBank& bank, TermId term, std::uint32_t index, absl::flat_hash_set<Key>& done) {
    if (!bank.mayMention(term, index, 1)) return false;
    // This is the largest loose index of the term, so it occurs; no search is needed.
    if (bank.looseBound(term) == index + 1) return true;
    if (bank.is(term, CoreOp::Bound)) return false;
    const bool remember = bank.treeSize(term) > LargestPlainWalk;
    if (remember && done.contains(Key(term, index))) return false;
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        if (findMention(bank, bank.child(term, i), index + bank.boundIn(term, i), done)) return true;
    }
    if (remember) done.emplace(term, index);
    return false;
}

void visitSubterms(const TermBank& bank, TermId term, Path& path, absl::FunctionRef<bool(const Path&, TermId)> visit) {
    if (!visit(path, term)) return;
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        path.push_back(static_cast<std::uint32_t>(i));
        visitSubterms(bank, bank.child(term, i), path, visit);
        path.pop_back();
    }
}

}  // namespace

TermId shifted(TermBank& bank, TermId term, std::uint32_t by) {
    return bank.shifted(term, 0, static_cast<std::int32_t>(by));
}

bool mentions(const TermBank& bank, TermId term, std::uint32_t index) {
    absl::flat_hash_set<Key> done;
    return findMention(bank, term, index, done);
}

bool mentionsFree(const TermBank& bank, TermId term, Symbol name) {
    std::vector<TermId> open{term};
    absl::flat_hash_map<TermId, bool> seen;
    while (!open.empty()) {
        const TermId current = open.back();
        open.pop_back();
        if (!seen.emplace(current, true).second) continue;
        if (bank.is(current, CoreOp::Variable) && bank.payload(current).asSymbol() == name) return true;
        for (const TermId c : bank.children(current)) open.push_back(c);
    }
    return false;
}

TermId substituteLoose(TermBank& bank, TermId term, std::uint32_t count, std::int32_t by,
                       absl::FunctionRef<TermId(std::uint32_t, TypeId)> map) {
    return LooseSubstitution(bank, count, by, map).apply(term, 0);
}

TermId instantiate(TermBank& bank, TermId body, TermId value) {
    return substituteLoose(bank, body, 1, -1, [&](std::uint32_t, TypeId) { return value; });
}

std::optional<TermId> subterm(const TermBank& bank, TermId root, const Path& path) {
    TermId current = root;
    for (const std::uint32_t index : path) {
        if (index >= bank.childCount(current)) return std::nullopt;
        current = bank.child(current, index);
    }
    return current;
}

std::vector<TermId> bindersAbove(const TermBank& bank, TermId root, const Path& path) {
    std::vector<TermId> binders;
    TermId current = root;
    for (const std::uint32_t index : path) {
        if (index >= bank.childCount(current)) break;
        if (bank.boundIn(current, index) > 0) binders.push_back(current);
        current = bank.child(current, index);
    }
    return binders;
}

Result<TermId> replaceAt(TermBank& bank, TermId root, const Path& path, TermId replacement) {
    std::vector<TermId> spine{root};
    for (const std::uint32_t index : path) {
        if (index >= bank.childCount(spine.back())) {
            return inputError("the program has no position " + toString(path),
                              "list the positions with `mitos-cli rewrites` or `show --as tree`");
        }
        spine.push_back(bank.child(spine.back(), index));
    }
    if (bank.type(replacement) == bank.type(spine.back())) return bank.replaceAt(root, path, replacement);
    TermId current = replacement;
    for (std::size_t level = path.size(); level-- > 0;) {
        Children children = copyOf(bank.children(spine[level]));
        children[path[level]] = current;
        MITOS_TRY(current, bank.withChildren(spine[level], children));
    }
    return current;
}

void forEachSubterm(const TermBank& bank, TermId root, absl::FunctionRef<bool(const Path&, TermId)> visit) {
    Path path;
    visitSubterms(bank, root, path, visit);
}

}  // namespace mitos::ir
