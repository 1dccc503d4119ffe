// SPDX-License-Identifier: GPL-3.0-or-later
// Beam search: proceeds level by level and keeps the most promising programs of each.
#include "search/rewriting/internal/best_first.h"
#include "search/rewriting/internal/shapes.h"
#include "search/rewriting/internal/space_strategy.h"
#include "search/rewriting/rewriting.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <vector>

namespace mitos::search {

namespace {

struct Candidate {
    double cost = 0.0;  ///< expected within the time left
    ExpressionId expression;
    bool operator<(const Candidate& other) const {
        return cost != other.cost ? cost < other.cost : expression < other.expression;
    }
};

/// One descent of `depth` levels.
class Descent {
public:
    Descent(StateSpace& space, ValueFunction& value, std::size_t width, std::size_t perShape)
        : m_space(space),
          m_value(value),
          m_shapes(space.bank()),
          m_width(width),
          m_perShape(perShape) {}

    void run(std::uint32_t depth) {
        std::vector<ExpressionId> level{m_space.start()};
        visit(m_space.start());
        for (std::uint32_t step = 0; step < depth && !level.empty(); ++step) {
            const std::vector<ExpressionId> next = below(level);
            const std::uint32_t timeLeft = depth - step - 1;
            const std::vector<double> values = valuesOf(m_space, m_value, next, {timeLeft, timeLeft});
            if (m_space.ended()) return;
            std::vector<Candidate> candidates;
            for (std::size_t i = 0; i < next.size(); ++i) {
                candidates.push_back({m_space.cost(next[i]) - values[i], next[i]});
            }
            level = selected(std::move(candidates));
        }
    }

    /// Whether a candidate was dropped because the beam was too narrow.
    [[nodiscard]] bool cut() const { return m_cut; }

private:
    bool visit(ExpressionId id) {
        if (id.value >= m_visited.size()) m_visited.resize(std::max<std::size_t>(2 * m_visited.size(), id.value + 1));
        const bool first = !m_visited[id.value];
        m_visited[id.value] = true;
        return first;
    }

    /// The successors of the level's expressions that this descent has not visited yet.
    std::vector<ExpressionId> below(const std::vector<ExpressionId>& level) {
        std::vector<ExpressionId> next;
        for (std::size_t i = 0; i < level.size(); ++i) {
            m_space.hold(m_shapes.bytes() + m_visited.capacity() / 8 + m_value.bytes() +
                         next.capacity() * (sizeof(Candidate) + 2 * sizeof(ExpressionId)));
            const std::uint64_t frontier = level.size() - i - 1 + next.size();
            const bool goesOn = m_space.visitSuccessors(level[i], frontier, [&](StateSpace::Arrival, ExpressionId id) {
                if (visit(id)) next.push_back(id);
            });
            if (!goesOn) break;
        }
        return next;
    }

    /// Selects the best candidates, at most `perShape` of each shape (0: no limit per shape), then fills up with the best of the rest.
    std::vector<ExpressionId> selected(std::vector<Candidate> candidates) {
        std::sort(candidates.begin(), candidates.end());
        std::vector<ExpressionId> chosen;
        std::vector<ExpressionId> passedOver;
        absl::flat_hash_map<std::uint64_t, std::size_t> ofShape;
        for (const Candidate& candidate : candidates) {
            if (chosen.size() == m_width) break;
            const bool crowded =
                m_perShape > 0 && ++ofShape[m_shapes.of(m_space.root(candidate.expression))] > m_perShape;
            (crowded ? passedOver : chosen).push_back(candidate.expression);
        }
        const std::size_t free = std::min(m_width - chosen.size(), passedOver.size());
        chosen.insert(chosen.end(), passedOver.begin(), passedOver.begin() + static_cast<std::ptrdiff_t>(free));
        m_cut = m_cut || chosen.size() < candidates.size();
        return chosen;
    }

    StateSpace& m_space;
    ValueFunction& m_value;
    Shapes m_shapes;
    std::size_t m_width;
    std::size_t m_perShape;
    std::vector<bool> m_visited;
    bool m_cut = false;
};

}  // namespace

std::unique_ptr<Strategy> makeBeam(ValueInfos values) {
    StrategyInfo info{
        .name = "beam",
        .label = "Beam search",
        .title = "Beam search",
        .description =
            "Proceeds level by level and keeps the `width` cheapest programs of each level, few of one shape, so "
            "that a path over a hill of cost is not crowded out. If budget is left at the depth, it begins again "
            "with twice the width.",
        .parameters = {
            {.name = "width",
             .title = "Width",
             .help = "Programs kept on each level.",
             .defaultValue = std::int64_t{50},
             .minimum = 1,
             .maximum = 1000000},
            depthParameter("Largest number of levels, which are steps from the start.", 30),
            {.name = "per-shape",
             .title = "Per shape",
             .help = "Programs kept of those with equally many loops, lets and vectors of each kind, as long as others "
                     "are left; 0: no limit.",
             .defaultValue = std::int64_t{5},
             .minimum = 0,
             .maximum = 1000000}}};
    return makeSpaceStrategy(std::move(info), std::move(values), "zero",
                             [](StateSpace& space, ValueFunction& value, const SearchProblem& problem) {
                                 for (std::size_t width = parameter<std::uint32_t>(problem, "width");; width *= 2) {
                                     Descent descent(space, value, width,
                                                     parameter<std::uint32_t>(problem, "per-shape"));
                                     descent.run(parameter<std::uint32_t>(problem, "depth"));
                                     if (space.ended() || !descent.cut()) break;
                                 }
                                 return space.finish(space.allExpanded() ? StopReason::Exhausted : StopReason::Depth);
                             });
}

}  // namespace mitos::search
