// SPDX-License-Identifier: GPL-3.0-or-later
// Top-down alignment; below a difference, terms that occur on both sides count as moved.
#include "core/ir/diff.h"

#include <absl/container/flat_hash_map.h>

namespace mitos::ir {

namespace {

/// Smaller terms (variables, constants) occur everywhere; calling them moved would say nothing.
constexpr std::uint64_t SmallestMovedTree = 2;

class Differ {
public:
    explicit Differ(const TermBank& bank) : m_bank(bank) {}

    Diff run(TermId before, TermId after) {
        align(before, after);
        return std::move(m_diff);
    }

private:
    void align(TermId before, TermId after) {
        if (before == after) {
            m_diff.before.insert(m_diff.before.end(), m_bank.treeSize(before), DiffMark::Kept);
            m_diff.after.insert(m_diff.after.end(), m_bank.treeSize(after), DiffMark::Kept);
            return;
        }
        const std::size_t count = m_bank.childCount(before);
        if (m_bank.op(before) == m_bank.op(after) && m_bank.payload(before) == m_bank.payload(after) && count > 0 &&
            count == m_bank.childCount(after)) {
            m_diff.before.push_back(DiffMark::Kept);
            m_diff.after.push_back(DiffMark::Kept);
            for (std::size_t i = 0; i < count; ++i) {
                m_beforePath.push_back(static_cast<std::uint32_t>(i));
                m_afterPath.push_back(static_cast<std::uint32_t>(i));
                align(m_bank.child(before, i), m_bank.child(after, i));
                m_beforePath.pop_back();
                m_afterPath.pop_back();
            }
            return;
        }
        m_diff.places.push_back({m_beforePath, m_afterPath});
        absl::flat_hash_map<TermId, int> inBefore;
        absl::flat_hash_map<TermId, int> inAfter;
        countTerms(before, inBefore);
        countTerms(after, inAfter);
        mark(before, inAfter, m_diff.before);
        mark(after, inBefore, m_diff.after);
    }

    void countTerms(TermId term, absl::flat_hash_map<TermId, int>& counts) const {
        ++counts[term];
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) countTerms(m_bank.child(term, i), counts);
    }

    void mark(TermId term, absl::flat_hash_map<TermId, int>& otherSide, std::vector<DiffMark>& marks) const {
        if (m_bank.treeSize(term) >= SmallestMovedTree) {
            if (const auto found = otherSide.find(term); found != otherSide.end() && found->second > 0) {
                --found->second;
                marks.insert(marks.end(), m_bank.treeSize(term), DiffMark::Moved);
                return;
            }
        }
        marks.push_back(DiffMark::Changed);
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) mark(m_bank.child(term, i), otherSide, marks);
    }

    const TermBank& m_bank;
    Diff m_diff;
    Path m_beforePath;
    Path m_afterPath;
};

}  // namespace

Diff diff(const TermBank& bank, TermId before, TermId after) { return Differ(bank).run(before, after); }

}  // namespace mitos::ir
