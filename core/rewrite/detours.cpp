// SPDX-License-Identifier: GPL-3.0-or-later
// See detours.h.
#include "core/rewrite/detours.h"

#include "core/base/deep_stack.h"
#include "core/rewrite/definedness.h"
#include "core/rewrite/internal/shortcuts.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace mitos::rewrite {

using ir::TermId;

namespace {

/// The steps of a thread, by their numbers, below one position of a tree.
class Detours {
public:
    Detours(ir::TermBank& bank, std::span<const ir::Path* const> positions) : m_bank(bank), m_positions(positions) {}

    struct Part {
        std::vector<std::uint32_t> steps;
        std::vector<TermId> states;  ///< the terms at the position after the steps
    };

    /// Removes detours from the steps at and below a position at this depth, where the term is `start`.
    void remove(TermId start, Part& part, std::size_t depth) {
        cutCycles(start, part.steps, part.states);
        while (part.steps.size() > 1) {
            Part sorted = sortedByChild(start, part, depth);
            cutCycles(start, sorted.steps, sorted.states);
            if (sorted.steps.size() == part.steps.size()) break;
            part = std::move(sorted);
        }
    }

private:
    [[nodiscard]] const ir::Path& position(std::uint32_t step) const { return *m_positions[step]; }

    /// The part with the steps between two steps at its root sorted by the child below which they are, and without the detours there.
    Part sortedByChild(TermId start, const Part& part, std::size_t depth) {
        Part sorted;
        TermId at = start;
        for (std::size_t i = 0; i < part.steps.size();) {
            if (position(part.steps[i]).size() == depth) {
                sorted.steps.push_back(part.steps[i]);
                at = part.states[i];
                sorted.states.push_back(at);
                ++i;
                continue;
            }
            std::vector<Part> below(m_bank.childCount(at));
            for (; i < part.steps.size() && position(part.steps[i]).size() > depth; ++i) {
                const std::uint32_t child = position(part.steps[i])[depth];
                below[child].steps.push_back(part.steps[i]);
                below[child].states.push_back(m_bank.child(part.states[i], child));
            }
            for (std::uint32_t child = 0; child < below.size(); ++child) {
                remove(m_bank.child(at, child), below[child], depth + 1);
                for (std::size_t k = 0; k < below[child].steps.size(); ++k) {
                    at = m_bank.replaceAt(at, std::span(&child, 1), below[child].states[k]);
                    sorted.steps.push_back(below[child].steps[k]);
                    sorted.states.push_back(at);
                }
            }
        }
        return sorted;
    }

    ir::TermBank& m_bank;
    std::span<const ir::Path* const> m_positions;
};

bool isTree(const ir::TermBank& bank, const Thread& thread) {
    if (thread.start.function.isValid() && bank.function(thread.start.function).sharing == ir::Sharing::Graph) {
        return false;
    }
    return std::ranges::all_of(thread.steps, [](const Step& step) { return step.positions.size() == 1; });
}

std::uint32_t deepest(const ir::TermBank& bank, TermId start, std::span<const TermId> states) {
    std::uint32_t depth = bank.depth(start);
    for (const TermId state : states) depth = std::max(depth, bank.depth(state));
    return depth;
}

/// The number of steps that keep their values defined, as far as this can be shown, of all.
std::size_t stepsNotDefined(ir::TermBank& bank, const Thread& thread) {
    if (!thread.start.function.isValid()) return 0;
    return thread.steps.size() - stepsThatStayDefined(bank, thread);
}

}  // namespace

std::vector<std::uint32_t> cutDetours(ir::TermBank& bank, TermId start, std::span<const ir::Path* const> positions,
                                      std::vector<TermId>& states) {
    Detours::Part whole{std::vector<std::uint32_t>(positions.size()), std::move(states)};
    std::iota(whole.steps.begin(), whole.steps.end(), 0U);
    withDeepStack(deepest(bank, start, whole.states), [&] { Detours(bank, positions).remove(start, whole, 0); });
    states = std::move(whole.states);
    return std::move(whole.steps);
}

Thread withoutDetours(ir::TermBank& bank, Thread thread) {
    if (!isTree(bank, thread)) {
        cutCycles(thread.start.root, thread.steps, thread.states);
        return thread;
    }
    std::vector<const ir::Path*> positions;
    for (const Step& step : thread.steps) positions.push_back(&step.positions.front());
    Thread result{thread.start, {}, std::move(thread.states)};
    for (const std::uint32_t step : cutDetours(bank, thread.start.root, positions, result.states)) {
        result.steps.push_back(std::move(thread.steps[step]));
    }
    return result;
}

Thread shortened(ir::TermBank& bank, const Thread& thread, const ShorteningLimits& limits,
                 const std::stop_token& stop) {
    Thread result = withoutDetours(bank, thread);
    if (!isTree(bank, thread) || result.steps.empty()) return result;
    withDeepStack(2 * std::size_t(deepest(bank, thread.start.root, thread.states)),
                  [&] { takeShortcuts(bank, result, limits.rewrites, stop); });
    result = withoutDetours(bank, std::move(result));
    const bool isWorse = !check(bank, result).valid || stepsNotDefined(bank, result) > stepsNotDefined(bank, thread);
    return isWorse ? thread : result;
}

}  // namespace mitos::rewrite
