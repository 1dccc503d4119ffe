// SPDX-License-Identifier: GPL-3.0-or-later
// Aligns the programs from the top. In trees, equal subterms at different places are marked as moved afterwards; in graphs, common
// nodes are kept before the alignment.
#include "core/ir/diff.h"

#include "core/base/deep_stack.h"
#include "core/ir/internal/flat_tree.h"
#include "core/ir/shared.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <numeric>
#include <span>

namespace mitos::ir {

namespace {

using Row = std::uint32_t;

/// Smaller terms (variables, constants) occur everywhere, so marking them as moved would carry no information.
constexpr Row SmallestMovedTree = 2;
/// If there are more pairs of children than this, children are paired by position instead of similarity.
constexpr std::size_t MostPairs = 256;
/// The number of candidates examined for each subterm that may have moved.
constexpr int MostCandidates = 4;
/// Bounds the node comparisons between candidates: this many per node of the two trees.
constexpr std::uint64_t ComparisonsANode = 8;
/// A binder is matched with a binder of another name only if that keeps more nodes than this.
constexpr std::int64_t RenamingCosts = 4;
/// Bounds the compared pairs of graph nodes: this many per node, since a node is reached on several paths.
constexpr std::uint64_t AlignmentsANode = 4;

class Aligner {
public:
    Aligner(const TermBank& bank, TermId before, TermId after, Sharing sharing)
        : m_bank(bank),
          m_isGraph(sharing == Sharing::Graph),
          m_profiles(bank),
          m_a(bank, before, m_profiles, sharing),
          m_b(bank, after, m_profiles, sharing) {
        m_diff.partner.assign(m_a.size(), Diff::None);
        m_diff.before.assign(m_a.size(), DiffMark::Changed);
        m_diff.after.assign(m_b.size(), DiffMark::Changed);
    }

    Diff run() {
        if (m_isGraph) keepCommon();
        align(0, 0);
        if (m_isGraph) {
            keepNamed();
            keepCongruent();
        } else {
            findMoved();
        }
        return std::move(m_diff);
    }

private:
    using Pairs = std::vector<std::pair<Row, Row>>;

    void keep(Row a, Row b) {
        m_diff.before[a] = DiffMark::Kept;
        m_diff.after[b] = DiffMark::Kept;
        m_diff.partner[a] = b;
    }

    void keepCommon() {
        for (Row a = 0; a < m_a.size(); ++a) {
            if (const Row b = m_b.rowOf(m_a[a].term); b != FlatTree::None) keep(a, b);
        }
    }

    [[nodiscard]] bool isFree(Row a, Row b) const {
        return m_diff.before[a] != DiffMark::Kept && m_diff.after[b] != DiffMark::Kept;
    }

    /// Keeps pairs of nodes that are the only node of their name on each side and have the same label: nodes that were rebuilt
    /// because of a rewrite below them keep their names.
    void keepNamed() {
        const auto onlyOnes = [this](const FlatTree& side, const std::vector<DiffMark>& marks) {
            absl::flat_hash_map<Symbol, Row> rows;
            for (Row row = 0; row < side.size(); ++row) {
                const Symbol name = m_bank.hint(side[row].term);
                if (marks[row] == DiffMark::Kept || !name.isValid()) continue;
                if (const auto [found, isNew] = rows.emplace(name, row); !isNew) found->second = FlatTree::None;
            }
            return rows;
        };
        const auto mine = onlyOnes(m_a, m_diff.before);
        const auto theirs = onlyOnes(m_b, m_diff.after);
        for (const auto& [name, a] : mine) {
            const auto found = theirs.find(name);
            if (a == FlatTree::None || found == theirs.end() || found->second == FlatTree::None) continue;
            if (sameLabel(a, found->second) && !differsItself(a, found->second)) keep(a, found->second);
        }
    }

    /// Keeps pairs of nodes that have the same label and corresponding operands, operands first.
    void keepCongruent() {
        using Key = std::pair<OpId, std::vector<Row>>;
        absl::flat_hash_map<Key, std::vector<Row>> free;
        for (Row b = 0; b < m_b.size(); ++b) {
            if (m_diff.after[b] != DiffMark::Kept) free[{m_bank.op(m_b[b].term), m_b.children(b)}].push_back(b);
        }
        for (const TermId node : SharedNodes(m_bank, m_a[0].term)) {
            const Row a = m_a.rowOf(node);
            if (m_diff.before[a] == DiffMark::Kept) continue;
            std::vector<Row> partners;
            for (const Row child : m_a.children(a)) partners.push_back(m_diff.partner[child]);
            const auto found = free.find({m_bank.op(node), std::move(partners)});
            if (found == free.end()) continue;
            for (const Row b : found->second) {
                if (!isFree(a, b) || !sameLabel(a, b) || differsItself(a, b)) continue;
                keep(a, b);
                break;
            }
        }
    }

    /// Whether two nodes of graphs are to be compared: neither is kept yet, the pair was not compared before, and the bound of
    /// AlignmentsANode is not reached.
    [[nodiscard]] bool meet(Row a, Row b) {
        if (!isFree(a, b)) return false;
        const std::uint64_t most = AlignmentsANode * (std::uint64_t{m_a.size()} + m_b.size());
        return m_met.size() < most && m_met.emplace(a, b).second;
    }

    /// Whether two nodes have the same operator and payload (in graphs also the same type), or are bound variables of corresponding
    /// binders. `withinA` and `withinB` are subterms whose own binders correspond by position.
    [[nodiscard]] bool sameLabel(Row a, Row b, Row withinA = FlatTree::None, Row withinB = FlatTree::None) const {
        const FlatTree::Node& x = m_a[a];
        const FlatTree::Node& y = m_b[b];
        if (m_bank.op(x.term) != m_bank.op(y.term)) return false;
        if (m_isGraph && m_bank.type(x.term) != m_bank.type(y.term)) return false;
        if (!m_bank.is(x.term, CoreOp::Bound)) return m_bank.payload(x.term) == m_bank.payload(y.term);
        if (x.binder == FlatTree::None || y.binder == FlatTree::None) return x.binder == y.binder && x.outer == y.outer;
        if (withinA != FlatTree::None && x.binder >= withinA) {
            return y.binder >= withinB && x.binder - withinA == y.binder - withinB;
        }
        return m_diff.partner[x.binder] == y.binder;
    }

    /// Whether two binders bind variables of different names. In a chain of lets, lets of the same name correspond rather than
    /// their neighbours.
    [[nodiscard]] bool bindsAnotherName(Row a, Row b) const {
        if (m_bank.registry().info(m_bank.op(m_a[a].term)).bindingChild == OperatorInfo::BindsNothing) return false;
        const Symbol mine = m_bank.hint(m_a[a].term);
        const Symbol theirs = m_bank.hint(m_b[b].term);
        return mine.isValid() && theirs.isValid() && mine != theirs;
    }

    /// Whether all operands of two different nodes occur in both graphs, so that the nodes differ only in their choice or order.
    [[nodiscard]] bool differsItself(Row a, Row b) const {
        const auto inBoth = [](const FlatTree& other, const TermBank& bank, TermId node) {
            return std::ranges::all_of(bank.children(node),
                                       [&](TermId child) { return other.rowOf(child) != FlatTree::None; });
        };
        return inBoth(m_b, m_bank, m_a[a].term) && inBoth(m_a, m_bank, m_b[b].term);
    }

    /// An upper bound of what two subterms have in common: equal nodes, and nodes with equal operators of their children.
    [[nodiscard]] std::int64_t common(Row a, Row b) const {
        const auto& x = m_profiles[m_a[a].profile].counts;
        const auto& y = m_profiles[m_b[b].profile].counts;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += std::min(x[i], y[i]);
        return sum;
    }

    [[nodiscard]] bool sameFamily(std::span<const Row> mine, std::span<const Row> theirs) const {
        return std::ranges::equal(mine, theirs, [this](Row x, Row y) {
            const TermId a = m_a[x].term;
            const TermId b = m_b[y].term;
            return m_bank.op(a) == m_bank.op(b) &&
                   (m_bank.is(a, CoreOp::Bound) || m_bank.payload(a) == m_bank.payload(b));
        });
    }

    void align(Row a, Row b) {
        if (m_isGraph && !meet(a, b)) return;
        if (!m_isGraph && m_profiles[m_a[a].profile].shape == m_profiles[m_b[b].profile].shape) {
            alignSameShape(a, b);
            return;
        }
        const std::vector<Row> mine = m_a.children(a);
        const std::vector<Row> theirs = m_b.children(b);
        const bool same = sameLabel(a, b) && !(m_isGraph && differsItself(a, b));
        std::int64_t best = same ? 1 + static_cast<std::int64_t>(sameFamily(mine, theirs)) : 0;
        if (same && bindsAnotherName(a, b)) best -= RenamingCosts;
        const Pairs pairs = pairUp(mine, theirs, best);
        // The root may have been removed, or another one added around it.
        Row inner = FlatTree::None;
        bool removed = false;
        const auto isBetter = [&](std::int64_t value) {
            return value > best || (value == best && !same && inner == FlatTree::None);
        };
        for (const Row child : mine) {
            if (const std::int64_t value = common(child, b); isBetter(value)) {
                best = value;
                inner = child;
                removed = true;
            }
        }
        for (const Row child : theirs) {
            if (const std::int64_t value = common(a, child); isBetter(value)) {
                best = value;
                inner = child;
                removed = false;
            }
        }
        const bool alike = best >= 2 || 2 * best >= std::min<std::int64_t>(m_a.sizeOf(a), m_b.sizeOf(b));
        if (!same && !alike) return;
        if (inner != FlatTree::None) {
            removed ? align(inner, b) : align(a, inner);
            return;
        }
        if (same) keep(a, b);
        for (const auto& [x, y] : pairs) align(x, y);
    }

    void alignSameShape(Row a, Row b) {
        const Row size = m_a.sizeOf(a);
        for (Row i = 0; i < size; ++i) {
            if (sameLabel(a + i, b + i)) keep(a + i, b + i);
        }
    }

    /// Pairs children in order so that the pairs have as much as possible in common; the amount is added to `value`.
    [[nodiscard]] Pairs pairUp(std::span<const Row> mine, std::span<const Row> theirs, std::int64_t& value) const {
        Pairs pairs;
        const std::size_t n = mine.size();
        const std::size_t m = theirs.size();
        if (n * m > MostPairs) {
            for (std::size_t i = 0; i < std::min(n, m); ++i) pairs.emplace_back(mine[i], theirs[i]);
            for (const auto& [x, y] : pairs) value += common(x, y);
            return pairs;
        }
        // score[i][j] is the score of the children from i and j on. Pairing is preferred to skipping, so that a replaced
        // child is paired with its replacement.
        std::vector<std::int64_t> score((n + 1) * (m + 1), 0);
        std::vector<std::int64_t> likeness(n * m);
        const auto at = [m](std::size_t i, std::size_t j) { return i * (m + 1) + j; };
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = m; j-- > 0;) {
                likeness[i * m + j] = common(mine[i], theirs[j]);
                score[at(i, j)] =
                    std::max({score[at(i + 1, j + 1)] + likeness[i * m + j], score[at(i + 1, j)], score[at(i, j + 1)]});
            }
        }
        value += score[0];
        for (std::size_t i = 0, j = 0; i < n && j < m;) {
            if (score[at(i, j)] == score[at(i + 1, j + 1)] + likeness[i * m + j])
                pairs.emplace_back(mine[i++], theirs[j++]);
            else if (score[at(i, j)] == score[at(i + 1, j)])
                ++i;
            else
                ++j;
        }
        return pairs;
    }

    // --- moved --------------------------------------------------------------------------------------------------------

    void findMoved() {
        absl::flat_hash_map<std::uint64_t, std::vector<Row>> places;
        for (Row b = 0; b < m_b.size(); ++b) {
            if (m_diff.after[b] == DiffMark::Changed && m_b.sizeOf(b) >= SmallestMovedTree) {
                places[m_profiles[m_b[b].profile].shape].push_back(b);
            }
        }
        m_comparisons = ComparisonsANode * (m_a.size() + m_b.size());
        for (Row a = 0; a < m_a.size();) {
            const Row to = m_diff.before[a] == DiffMark::Changed ? placeOf(a, places) : FlatTree::None;
            if (to == FlatTree::None) {
                ++a;
                continue;
            }
            const Row size = m_a.sizeOf(a);
            std::fill_n(m_diff.before.begin() + a, size, DiffMark::Moved);
            std::fill_n(m_diff.after.begin() + to, size, DiffMark::Moved);
            a += size;
        }
    }

    [[nodiscard]] Row placeOf(Row a, const absl::flat_hash_map<std::uint64_t, std::vector<Row>>& places) {
        const auto found = places.find(m_profiles[m_a[a].profile].shape);
        if (found == places.end()) return FlatTree::None;
        int looked = 0;
        for (const Row b : found->second) {
            if (m_diff.after[b] != DiffMark::Changed) continue;
            if (++looked > MostCandidates) break;
            if (isMovedTo(a, b)) return b;
        }
        return FlatTree::None;
    }

    [[nodiscard]] bool isMovedTo(Row a, Row b) {
        const Row size = m_a.sizeOf(a);
        if (m_b.sizeOf(b) != size) return false;
        for (Row i = 0; i < size; ++i) {
            if (m_comparisons == 0) return false;
            --m_comparisons;
            if (m_diff.before[a + i] != DiffMark::Changed || m_diff.after[b + i] != DiffMark::Changed) return false;
            if (m_a.sizeOf(a + i) != m_b.sizeOf(b + i) || !sameLabel(a + i, b + i, a, b)) return false;
        }
        return true;
    }

    const TermBank& m_bank;
    bool m_isGraph;
    TermProfiles m_profiles;
    FlatTree m_a;
    FlatTree m_b;
    absl::flat_hash_set<std::pair<Row, Row>> m_met;
    std::uint64_t m_comparisons = 0;
    Diff m_diff;
};

}  // namespace

bool Diff::isEmpty() const {
    const auto kept = [](DiffMark mark) { return mark == DiffMark::Kept; };
    return std::ranges::all_of(before, kept) && std::ranges::all_of(after, kept);
}

Diff diff(const TermBank& bank, TermId before, TermId after, Sharing sharing) {
    if (before == after) {
        const std::uint64_t size = sharing == Sharing::Graph ? sharedSize(bank, before) : bank.treeSize(before);
        const std::vector<DiffMark> all(size, DiffMark::Kept);
        Diff same{all, all, std::vector<std::uint32_t>(size)};
        std::iota(same.partner.begin(), same.partner.end(), 0U);
        return same;
    }
    Diff result;
    withDeepStack(bank.depth(before) + bank.depth(after),
                  [&] { result = Aligner(bank, before, after, sharing).run(); });
    return result;
}

}  // namespace mitos::ir
