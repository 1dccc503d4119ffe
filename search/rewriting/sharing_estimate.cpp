// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the saving from binding each common subexpression of a program once.
#include "search/rewriting/internal/estimate.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <set>

namespace mitos::search {

namespace {

using Group = std::vector<std::uint32_t>;  // occurrences of one value

/// Larger groups are bound as a whole or not at all, since the search for their best subset takes cubic time.
constexpr std::size_t MostLeftOut = 12;

class Sharing {
public:
    Sharing(const ir::TermBank& bank, const std::vector<Occurrence>& tree, double letCost)
        : m_bank(bank),
          m_tree(tree),
          m_letCost(letCost) {}

    /// The largest values that occur several times. Values inside a repeated occurrence are not listed again.
    [[nodiscard]] std::vector<Group> groups() const {
        std::vector<Group> found;
        absl::flat_hash_map<std::uint64_t, std::size_t> known;
        for (std::uint32_t i = 0; i < m_tree.size();) {
            if (!mayBeBound(i)) {
                ++i;
                continue;
            }
            const auto [group, isNew] = known.emplace(valueKey(m_bank, m_tree, i), found.size());
            if (isNew) found.emplace_back();
            found[group->second].push_back(i);
            i += isNew ? 1 : m_tree[i].size;
        }
        std::erase_if(found, [](const Group& group) { return group.size() < 2; });
        return found;
    }

    [[nodiscard]] Estimate estimate(const Group& group) const {
        std::uint32_t meeting = anchor(group.front());
        for (const std::uint32_t i : group) meeting = lowestCommon(meeting, anchor(i));
        Estimate result{.saving = 0.0, .steps = static_cast<std::uint32_t>(group.size()) - 1};
        std::set<std::uint32_t> passed;  // positions that lifted lets pass; lets that meet continue as one
        for (const std::uint32_t i : group) {
            const std::uint32_t from = anchor(i);
            result.saving += m_tree[i].total;
            if (from == i) {
                ++result.steps;  // the step that binds it
            } else {
                result.saving += m_letCost * m_tree[from].times;
            }
            for (std::uint32_t at = from; at != meeting; at = m_tree[at].parent) passed.insert(at);
        }
        result.steps += static_cast<std::uint32_t>(passed.size());
        for (const std::uint32_t i : group) {
            // Lets that are lifted from below another let of the group merge with it once they are directly below it.
            const bool bound = anchor(i) != i;
            if (bound && passed.contains(i + m_tree[i].size)) --result.steps;
        }
        result.saving -= (m_tree[group.front()].once + m_letCost) * m_tree[meeting].times;
        return result;
    }

private:
    [[nodiscard]] bool mayBeBound(std::uint32_t i) const {
        const ir::TermId term = m_tree[i].term;
        return m_tree[i].total > 0.0 && m_bank.childCount(term) > 0 && !m_bank.is(term, ir::CoreOp::Let) &&
               !m_bank.is(term, ir::CoreOp::Lam);
    }

    /// The let that binds the occurrence, or the occurrence itself if it is not bound.
    [[nodiscard]] std::uint32_t anchor(std::uint32_t i) const {
        const Occurrence& occurrence = m_tree[i];
        const bool bound =
            occurrence.depth > 0 && occurrence.child == 0 && m_bank.is(m_tree[occurrence.parent].term, ir::CoreOp::Let);
        return bound ? occurrence.parent : i;
    }

    [[nodiscard]] std::uint32_t lowestCommon(std::uint32_t a, std::uint32_t b) const {
        while (a != b) {
            std::uint32_t& deeper = m_tree[a].depth >= m_tree[b].depth ? a : b;
            deeper = m_tree[deeper].parent;
        }
        return a;
    }

    const ir::TermBank& m_bank;
    const std::vector<Occurrence>& m_tree;
    double m_letCost;
};

}  // namespace

SharingEstimates sharingEstimates(const ir::TermBank& bank, const std::vector<Occurrence>& tree, double letCost,
                                  std::uint32_t leastTime) {
    const Sharing sharing(bank, tree, letCost);
    SharingEstimates found;
    for (Group group : sharing.groups()) {
        Estimate estimate = sharing.estimate(group);
        found.push_back({estimate});
        while (estimate.steps > leastTime && group.size() > 2 && group.size() <= MostLeftOut) {
            Group best;
            for (std::size_t out = 0; out < group.size(); ++out) {
                Group rest = group;
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(out));
                const Estimate without = sharing.estimate(rest);
                if (best.empty() || without.steps < estimate.steps) {
                    best = std::move(rest);
                    estimate = without;
                }
            }
            group = std::move(best);
            found.back().push_back(estimate);
        }
    }
    return found;
}

std::vector<Estimate> within(const SharingEstimates& estimates, std::uint32_t timeLeft) {
    std::vector<Estimate> chosen;
    for (const std::vector<Estimate>& group : estimates) {
        const auto fits = [&](const Estimate& estimate) { return estimate.steps <= timeLeft; };
        const auto found = std::ranges::find_if(group, fits);
        if (found != group.end() && found->saving > 0.0) chosen.push_back(*found);
    }
    return chosen;
}

}  // namespace mitos::search
