// SPDX-License-Identifier: GPL-3.0-or-later
// See successor_index.h.
#include "core/rewrite/successor_index.h"

#include <absl/container/flat_hash_set.h>

#include <cassert>
#include <limits>
#include <utility>

namespace mitos::rewrite {

using ir::TermId;

namespace {

constexpr std::uint32_t MostRewrites = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t NoChild = MostRewrites;
/// Places visited between two calls of `goOn`.
constexpr std::uint32_t PlacesBetweenPolls = 4096;

std::uint32_t count(std::span<const KnownRewrites::Local> locals) { return static_cast<std::uint32_t>(locals.size()); }

std::uint32_t saturatedSum(std::uint32_t a, std::uint32_t b) { return a < MostRewrites - b ? a + b : MostRewrites; }

}  // namespace

SuccessorIndex::SuccessorIndex(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
                               ir::Sharing sharing, RewriteLimits limits)
    : m_known(LocalRewrites(bank, std::move(rules))),
      m_limits(limits) {
    if (sharing == ir::Sharing::Graph) m_graph.emplace(bank, this->rules(), limits);
}

bool SuccessorIndex::prepare(TermId root, absl::FunctionRef<bool()> goOn) {
    if (m_known.knows(root)) return true;
    // Children first, with an explicit stack, because programs may be thousands of levels deep.
    std::vector<TermId> open{root};
    while (!open.empty()) {
        const TermId term = open.back();
        if (m_known.knows(term)) {
            open.pop_back();
            continue;
        }
        const std::size_t before = open.size();
        for (const TermId child : bank().children(term)) {
            if (!m_known.knows(child)) open.push_back(child);
        }
        if (open.size() > before) continue;
        if (!goOn()) return false;
        open.pop_back();
        add(term);
    }
    return true;
}

void SuccessorIndex::add(TermId term) {
    const std::span<const Local> locals = m_known.of(term);
    Entry entry{.total = count(locals)};
    for (const TermId child : bank().children(term)) entry.total = saturatedSum(entry.total, this->entry(child).total);
    findDuplicates(term, locals, entry);
    m_entries.push_back(entry);
}

void SuccessorIndex::findDuplicates(TermId term, std::span<const Local> locals, Entry& entry) {
    std::vector<std::uint32_t> duplicates;
    for (std::uint32_t i = 0; i < locals.size(); ++i) {
        const TermId replacement = locals[i].replacement;
        bool isFirst = true;
        for (std::uint32_t k = 0; k < i && isFirst; ++k) isFirst = locals[k].replacement != replacement;
        if (!isFirst) {
            duplicates.push_back(i);
        } else if (const auto below = numberBelow(term, replacement)) {
            duplicates.push_back(saturatedSum(count(locals), *below));
        }
    }
    entry.hasDuplicates = !duplicates.empty();
    m_duplicateCount += duplicates.size();
    if (entry.hasDuplicates) m_duplicates.emplace(term, std::move(duplicates));
}

/// The one child in which two terms of the same operator differ; NoChild if there is none or more than one.
std::uint32_t SuccessorIndex::differingChild(TermId a, TermId b) const {
    const ir::TermBank& bank = this->bank();
    const std::size_t count = bank.childCount(a);
    if (bank.op(a) != bank.op(b) || bank.childCount(b) != count || bank.payload(a) != bank.payload(b)) return NoChild;
    std::uint32_t differing = NoChild;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (bank.child(a, i) == bank.child(b, i)) continue;
        if (differing != NoChild) return NoChild;
        differing = i;
    }
    return differing;
}

/// The number of the first rewrite below the term that turns it into `result`, counted from the first rewrite of the first child.
std::optional<std::uint32_t> SuccessorIndex::numberBelow(TermId term, TermId result) const {
    const ir::TermBank& bank = this->bank();
    const std::uint32_t differing = differingChild(term, result);
    if (differing == NoChild) return std::nullopt;
    std::uint32_t before = 0;
    for (std::uint32_t i = 0; i < differing; ++i) before = saturatedSum(before, entry(bank.child(term, i)).total);
    const auto inChild = numberOf(bank.child(term, differing), bank.child(result, differing));
    if (!inChild) return std::nullopt;
    return saturatedSum(before, *inChild);
}

std::optional<std::uint32_t> SuccessorIndex::numberOf(TermId root, TermId result) const {
    const ir::TermBank& bank = this->bank();
    std::uint32_t number = 0;
    while (true) {
        const std::span<const Local> here = locals(root);
        for (std::uint32_t i = 0; i < here.size(); ++i) {
            if (here[i].replacement == result) return saturatedSum(number, i);
        }
        const std::uint32_t differing = differingChild(root, result);
        if (differing == NoChild) return std::nullopt;
        number = saturatedSum(number, count(here));
        for (std::uint32_t i = 0; i < differing; ++i) number = saturatedSum(number, entry(bank.child(root, i)).total);
        root = bank.child(root, differing);
        result = bank.child(result, differing);
    }
}

std::optional<std::uint64_t> SuccessorIndex::list(TermId root, std::vector<Successor>& successors,
                                                  absl::FunctionRef<bool()> goOn) {
    successors.clear();
    if (m_graph) return m_graph->list(root, successors, goOn);
    if (!prepare(root, goOn)) return std::nullopt;
    const ir::TermBank& bank = this->bank();
    struct Level {
        TermId term;
        std::uint32_t next = 0;
    };
    std::vector<Level> levels;
    absl::flat_hash_set<std::uint32_t> duplicates;  // of the visited terms, counted from the root
    std::uint64_t rewrites = 0;
    std::uint32_t number = 0;
    std::uint32_t places = 0;
    const auto enter = [&](TermId term) {
        if (entry(term).hasDuplicates) {
            for (const std::uint32_t n : m_duplicates.at(term)) duplicates.insert(saturatedSum(number, n));
        }
        for (const Local& rewrite : locals(term)) {
            if (number == MostRewrites) break;
            const std::uint32_t own = number++;
            if (!m_limits.allow(bank, root, levels.size(), term, rewrite.replacement)) continue;
            ++rewrites;
            if (!duplicates.empty() && duplicates.contains(own)) continue;
            successors.push_back({own, rewrite.rule});
        }
        levels.push_back({term});
    };
    enter(root);
    while (!levels.empty()) {
        Level& level = levels.back();
        if (level.next == bank.childCount(level.term)) {
            levels.pop_back();
            continue;
        }
        if (++places % PlacesBetweenPolls == 0 && !goOn()) return std::nullopt;
        const TermId child = bank.child(level.term, level.next++);
        if (entry(child).total > 0) enter(child);
    }
    return rewrites;
}

SuccessorIndex::Place SuccessorIndex::place(TermId root, std::uint32_t number) const {
    const ir::TermBank& bank = this->bank();
    Place place{.position = {}, .subterm = root};
    while (true) {
        const std::uint32_t here = count(locals(place.subterm));
        assert(number < entry(place.subterm).total);
        if (number < here) break;
        number -= here;
        std::uint32_t child = 0;
        for (;; ++child) {
            const std::uint32_t inChild = entry(bank.child(place.subterm, child)).total;
            if (number < inChild) break;
            number -= inChild;
        }
        place.position.push_back(child);
        place.subterm = bank.child(place.subterm, child);
    }
    place.local = number;
    return place;
}

TermId SuccessorIndex::build(TermId root, Successor successor) {
    if (m_graph) return m_graph->build(root, successor);
    const Place at = place(root, successor.number);
    return bank().replaceAt(root, at.position, locals(at.subterm)[at.local].replacement);
}

Rewrite SuccessorIndex::rewrite(TermId root, Successor successor) {
    if (m_graph) return m_graph->rewrite(root, successor);
    Place at = place(root, successor.number);
    const TermId replacement = locals(at.subterm)[at.local].replacement;
    Rewrite rewrite{.step = m_known.step(at.subterm, at.local),
                    .subterm = at.subterm,
                    .replacement = replacement,
                    .result = bank().replaceAt(root, at.position, replacement)};
    rewrite.step.positions = {std::move(at.position)};
    return rewrite;
}

std::size_t SuccessorIndex::bytes() const {
    if (m_graph) return m_graph->bytes();
    return m_known.bytes() + m_entries.capacity() * sizeof(Entry) + m_duplicateCount * sizeof(std::uint32_t) +
           m_duplicates.capacity() * (sizeof(decltype(m_duplicates)::value_type) + 1);
}

}  // namespace mitos::rewrite
