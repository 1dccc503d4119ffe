// SPDX-License-Identifier: GPL-3.0-or-later
// See paying_parts.h.
#include "search/paying_parts.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

namespace mitos::search {

namespace {

/// Indexes of parts that are judged together.
using Block = std::vector<std::size_t>;

class Selection {
public:
    Selection(ir::TermBank& bank, const rewrite::Thread& thread, const std::vector<double>& costs, std::size_t most,
              const ComparePace& compare)
        : m_bank(bank),
          m_thread(thread),
          m_most(most),
          m_compare(compare),
          m_kept(thread.steps.size(), false) {
        for (rewrite::ThreadPart& part : rewrite::partsOf(bank, thread)) {
            JudgedPart judged{.part = std::move(part)};
            for (const std::size_t step : judged.part.steps) {
                if (step + 1 < costs.size()) judged.gain += costs[step] - costs[step + 1];
            }
            m_result.parts.push_back(std::move(judged));
        }
        std::ranges::stable_sort(m_result.parts, std::ranges::greater{}, &JudgedPart::gain);
        m_result.thread = {thread.start, {}, {}};
    }

    [[nodiscard]] Result<PayingParts> run(Pace whole) && {
        Block all(m_result.parts.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        MITOS_REQUIRE(settle(all, whole));
        while (!m_open.empty()) {
            const Block block = std::exchange(m_open.front(), {});
            m_open.pop_front();
            if (m_result.measurements == m_most) break;
            MITOS_TRY(const Pace pace, paceOf(block));
            MITOS_REQUIRE(settle(block, pace));
        }
        return std::move(m_result);
    }

private:
    [[nodiscard]] std::vector<bool> keptWith(const Block& block) const {
        std::vector<bool> kept = m_kept;
        for (const std::size_t part : block) {
            for (const std::size_t step : m_result.parts[part].part.steps) kept[step] = true;
        }
        return kept;
    }

    /// The pace of the kept parts with the block, beside the kept parts alone.
    [[nodiscard]] Result<Pace> paceOf(const Block& block) {
        const rewrite::Thread with = rewrite::onlySteps(m_bank, m_thread, keptWith(block));
        if (with.end().root == m_result.thread.end().root) return Pace::Same;
        ++m_result.measurements;
        return m_compare(m_result.thread.end(), with.end());
    }

    /// Keeps the block, drops it, or divides it.
    [[nodiscard]] Status settle(const Block& block, Pace pace) {
        const bool isAlone = block.size() == 1;
        if (isAlone) {
            m_result.parts[block.front()].pace = pace;
            m_result.parts[block.front()].isMeasured = true;
        }
        const double gain = std::accumulate(block.begin(), block.end(), 0.0, [this](double sum, std::size_t part) {
            return sum + m_result.parts[part].gain;
        });
        // Both halves are measured after the blocks that wait already.
        const bool mayDivide = !isAlone && m_result.measurements + m_open.size() + 1 < m_most;
        if (pace == Pace::Faster || (pace == Pace::Same && !mayDivide && gain > 0.0)) {
            m_kept = keptWith(block);
            m_result.thread = rewrite::onlySteps(m_bank, m_thread, m_kept);
            for (const std::size_t part : block) m_result.parts[part].isKept = true;
        } else if (mayDivide) {
            const auto middle = block.begin() + static_cast<std::ptrdiff_t>((block.size() + 1) / 2);
            m_open.emplace_back(block.begin(), middle);
            m_open.emplace_back(middle, block.end());
        }
        return Success{};
    }

    ir::TermBank& m_bank;
    const rewrite::Thread& m_thread;
    const std::size_t m_most;
    const ComparePace& m_compare;
    std::vector<bool> m_kept;  ///< by step
    std::deque<Block> m_open;
    PayingParts m_result;
};

}  // namespace

Result<PayingParts> payingParts(ir::TermBank& bank, const rewrite::Thread& thread, const std::vector<double>& costs,
                                Pace whole, std::size_t most, const ComparePace& compare) {
    Selection selection(bank, thread, costs, most, compare);
    Result<PayingParts> found = std::move(selection).run(whole);
    if (!found || found->thread.steps.empty()) return found;
    // Differences too small to be seen one by one may add up.
    if (whole == Pace::Faster) return found;
    MITOS_TRY(const Pace pace, compare(thread.start, found->thread.end()));
    ++found->measurements;
    if (pace != Pace::Slower) return found;
    found->thread = {thread.start, {}, {}};
    for (JudgedPart& part : found->parts) part.isKept = false;
    return found;
}

}  // namespace mitos::search
