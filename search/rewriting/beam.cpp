// SPDX-License-Identifier: GPL-3.0-or-later
// Beam search: proceeds level by level and keeps the most promising programs of each.
#include "search/rewriting/shapes.h"
#include "search/rewriting/state_space.h"
#include "search/rewriting/strategies.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <vector>

namespace mitos::search {

namespace {

struct Candidate {
    double cost = 0.0;
    ExpressionId expression;
    bool operator<(const Candidate& other) const {
        return cost != other.cost ? cost < other.cost : expression < other.expression;
    }
};

/// One descent of `depth` levels.
class Descent {
public:
    Descent(StateSpace& space, std::size_t width, std::size_t perShape)
        : m_space(space),
          m_shapes(space.bank()),
          m_width(width),
          m_perShape(perShape) {}

    void run(std::uint32_t depth) {
        std::vector<ExpressionId> level{m_space.start()};
        visit(m_space.start());
        for (std::uint32_t step = 0; step < depth && !level.empty(); ++step) {
            std::vector<Candidate> candidates = below(level);
            if (m_space.ended()) return;
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
    std::vector<Candidate> below(const std::vector<ExpressionId>& level) {
        std::vector<Candidate> candidates;
        for (std::size_t i = 0; i < level.size(); ++i) {
            m_space.hold(m_shapes.bytes() + m_visited.capacity() / 8 +
                         candidates.capacity() * (sizeof(Candidate) + sizeof(ExpressionId)));
            const auto successors = m_space.expand(level[i], level.size() - i - 1 + candidates.size());
            if (!successors) break;
            for (const Successor& successor : *successors) {
                const auto [arrival, id] = m_space.reach(level[i], successor);
                if (arrival == StateSpace::Arrival::Refused) return candidates;
                if (!id.isValid() || !visit(id)) continue;
                candidates.push_back({m_space.cost(id), id});
            }
        }
        return candidates;
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
    Shapes m_shapes;
    std::size_t m_width;
    std::size_t m_perShape;
    std::vector<bool> m_visited;
    bool m_cut = false;
};

class Beam final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        Result<std::unique_ptr<StateSpace>> opened = StateSpace::open(problem, std::move(stop), observer);
        if (!opened) return std::move(opened).error();
        StateSpace& space = **opened;
        const auto number = [&](const char* name) { return std::get<std::int64_t>(parameters.at(name)); };
        auto width = static_cast<std::size_t>(number("width"));
        while (true) {
            Descent descent(space, width, static_cast<std::size_t>(number("per-shape")));
            descent.run(static_cast<std::uint32_t>(number("depth")));
            if (space.ended() || !descent.cut()) break;
            width *= 2;
        }
        return space.finish(space.allExpanded() ? StopReason::Exhausted : StopReason::Depth);
    }

private:
    StrategyInfo m_info{
        .name = "beam",
        .title = "Beam search",
        .description =
            "Goes down level by level and keeps the `width` cheapest programs of each, not too many of one "
            "shape, so that a way up a hill of cost is not crowded out. When it reaches the depth and has "
            "budget left, it begins again, twice as wide.",
        .parameters = {{.name = "width",
                        .title = "Width",
                        .help = "Programs kept of each level.",
                        .defaultValue = std::int64_t{50},
                        .minimum = 1,
                        .maximum = 1000000,
                        .choices = {}},
                       depthParameter("Levels, which are steps from the start.", 30, 300),
                       {.name = "per-shape",
                        .title = "Per shape",
                        .help = "Of programs with as many loops, lets and vectors of each kind, keep that many while "
                                "there are others; 0: shapes do not count.",
                        .defaultValue = std::int64_t{5},
                        .minimum = 0,
                        .maximum = 1000000,
                        .choices = {}}}};
};

}  // namespace

std::unique_ptr<Strategy> makeBeam() { return std::make_unique<Beam>(); }

}  // namespace mitos::search
