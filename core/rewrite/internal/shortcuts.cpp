// SPDX-License-Identifier: GPL-3.0-or-later
// See shortcuts.h. The states of a thread, and the terms that rewrites of these lead to, are the nodes of an undirected graph: each rewrite
// is a step in one direction, and a reversed step in the other.
#include "core/rewrite/internal/shortcuts.h"

#include "core/ir/binding.h"
#include "core/rewrite/definedness.h"
#include "core/rewrite/local_rewrites.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace mitos::rewrite {

using ir::Path;
using ir::TermId;

namespace {

/// The cost of a step that may lose a value, where another one costs 1.
constexpr std::uint32_t CostOfLoss = 8;
/// Number of steps that are looked at closely (staysDefined); of further ones it is assumed that they may lose a value.
constexpr std::uint32_t MostChecked = 2'000;
/// A longer thread is shortened by parts of this many steps.
constexpr std::size_t MostSteps = 200;
/// States whose changed part is larger than this are not rewritten.
constexpr std::uint64_t LargestState = 5'000;
constexpr int MostRounds = 20;

/// The rules that the steps use, each once.
std::vector<std::shared_ptr<const rules::DirectedRule>> rulesOf(std::span<const Step> steps) {
    std::vector<std::shared_ptr<const rules::DirectedRule>> rules;
    for (const Step& step : steps) {
        if (std::ranges::find(rules, step.rule) == rules.end()) rules.push_back(step.rule);
    }
    return rules;
}

/// The position that all steps are at or below.
Path commonPosition(std::span<const Step> steps) {
    Path common = steps.front().positions.front();
    for (const Step& step : steps) {
        const Path& position = step.positions.front();
        const auto end = std::ranges::mismatch(common, position).in1;
        common.erase(end, common.end());
    }
    return common;
}

/// The cost of steps in a program of which only the term at one position changes.
class Costs {
public:
    Costs(ir::TermBank& bank, const ir::Program& program, Path position, std::uint32_t& checked)
        : m_bank(bank),
          m_program(program),
          m_position(std::move(position)),
          m_checked(checked) {}

    /// The cost of a step by the rule at a position below that one, where it leads from one term to another.
    std::uint32_t of(const rules::DirectedRule& rule, bool isReversed, TermId before, TermId after, const Path& below) {
        if (!isReversed || rule.rule().soundness != rules::Soundness::Domain) return 1;
        if (!m_program.function.isValid()) return 1;
        const auto [known, isNew] = m_known.try_emplace(std::pair(before, after), CostOfLoss);
        if (!isNew || m_checked == MostChecked) return known->second;
        ++m_checked;
        Path position = m_position;
        position.insert(position.end(), below.begin(), below.end());
        const ir::Program from{m_program.function, m_bank.replaceAt(m_program.root, m_position, before)};
        const TermId to = m_bank.replaceAt(m_program.root, m_position, after);
        if (staysDefined(m_bank, from, to, position)) known->second = 1;
        return known->second;
    }

private:
    ir::TermBank& m_bank;
    ir::Program m_program;
    Path m_position;
    std::uint32_t& m_checked;
    absl::flat_hash_map<std::pair<TermId, TermId>, std::uint32_t> m_known;
};

/// The cheapest way between two terms through the surroundings of a known one.
class Surroundings {
public:
    Surroundings(ir::TermBank& bank, KnownRewrites& known, std::span<const Step> steps, std::size_t depth, Costs& costs)
        : m_bank(bank),
          m_known(known),
          m_steps(steps),
          m_depth(depth),
          m_costs(costs) {}

    struct Way {
        std::vector<Step> steps;
        std::vector<TermId> states;
        std::uint64_t cost = 0;
        std::uint64_t costBefore = 0;  ///< of the known steps
    };

    /// `states[i]` is the term after `m_steps[i]`, at the position that all steps have in common.
    Way cheapest(TermId start, std::span<const TermId> states, std::uint64_t& rewrites, const std::stop_token& stop) {
        std::uint32_t at = nodeOf(start);
        for (std::uint32_t i = 0; i < states.size(); ++i) {
            const std::uint32_t next = nodeOf(states[i]);
            m_edges.push_back({at, next, Known, i, 0});
            at = next;
        }
        // All states first, then the terms that one rewrite leads to.
        std::size_t expanded = 0;
        for (int radius = 0; radius < 2; ++radius) {
            const std::size_t end = m_terms.size();
            for (; expanded < end && rewrites > 0 && !stop.stop_requested(); ++expanded) expand(expanded, rewrites);
        }
        return wayTo(at);
    }

private:
    static constexpr std::uint32_t Known = 0xFFFFFFFFU;

    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint32_t place = Known;  ///< of the rewrite, in pre-order; Known for a step of the thread
        std::uint32_t rewrite = 0;    ///< number of the rewrite at that place, or of the step
        std::uint32_t rule = 0;       ///< of the rewrite
    };

    std::uint32_t nodeOf(TermId term) {
        const auto [known, isNew] = m_nodes.try_emplace(term, static_cast<std::uint32_t>(m_terms.size()));
        if (isNew) m_terms.push_back(term);
        return known->second;
    }

    void expand(std::size_t node, std::uint64_t& rewrites) {
        const TermId whole = m_terms[node];
        if (m_bank.treeSize(whole) > LargestState) return;
        std::uint32_t place = 0;
        ir::forEachSubterm(m_bank, whole, [&](const Path& path, TermId part) {
            const std::span<const KnownRewrites::Local> found = m_known.of(part);
            for (std::uint32_t i = 0; i < found.size() && rewrites > 0; ++i, --rewrites) {
                const std::uint32_t to = nodeOf(m_bank.replaceAt(whole, path, found[i].replacement));
                m_edges.push_back({static_cast<std::uint32_t>(node), to, place, i, found[i].rule});
            }
            ++place;
            return rewrites > 0;
        });
    }

    std::uint32_t costOf(const Edge& edge, bool isTurned) {
        const TermId before = m_terms[isTurned ? edge.to : edge.from];
        const TermId after = m_terms[isTurned ? edge.from : edge.to];
        if (edge.place == Known) {
            const Step& step = m_steps[edge.rewrite];
            return m_costs.of(*step.rule, step.isReversed != isTurned, before, after, belowCommon(step));
        }
        const rules::DirectedRule& rule = *m_known.local().rules()[edge.rule];
        return isTurned ? m_costs.of(rule, true, before, after, partAt(edge).first) : 1;
    }

    [[nodiscard]] Path belowCommon(const Step& step) const {
        const Path& position = step.positions.front();
        return {position.begin() + static_cast<std::ptrdiff_t>(m_depth), position.end()};
    }

    /// The position of a rewrite in its term, and the part there.
    [[nodiscard]] std::pair<Path, TermId> partAt(const Edge& edge) const {
        std::pair<Path, TermId> result;
        std::uint32_t place = 0;
        ir::forEachSubterm(m_bank, m_terms[edge.from], [&](const Path& path, TermId part) {
            if (place++ == edge.place) result = {path, part};
            return place <= edge.place;
        });
        return result;
    }

    /// By node: the numbers of its edges, without those that lead nowhere else.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> usefulEdges(std::uint32_t target) const {
        std::vector<std::vector<std::uint32_t>> edgesAt(m_terms.size());
        for (std::uint32_t i = 0; i < m_edges.size(); ++i) {
            edgesAt[m_edges[i].from].push_back(i);
            edgesAt[m_edges[i].to].push_back(i);
        }
        std::vector<std::uint32_t> open;
        const auto isEnd = [&](std::uint32_t node) { return node != 0 && node != target && edgesAt[node].size() == 1; };
        for (std::uint32_t node = 0; node < m_terms.size(); ++node) {
            if (isEnd(node)) open.push_back(node);
        }
        while (!open.empty()) {
            const std::uint32_t node = open.back();
            open.pop_back();
            if (edgesAt[node].empty()) continue;
            const std::uint32_t edge = edgesAt[node].front();
            const std::uint32_t other = m_edges[edge].from == node ? m_edges[edge].to : m_edges[edge].from;
            edgesAt[node].clear();
            std::erase(edgesAt[other], edge);
            if (isEnd(other)) open.push_back(other);
        }
        return edgesAt;
    }

    Way wayTo(std::uint32_t target) {
        const std::vector<std::vector<std::uint32_t>> edgesAt = usefulEdges(target);
        constexpr std::uint64_t Far = std::numeric_limits<std::uint64_t>::max();
        std::vector<std::uint64_t> cost(m_terms.size(), Far);
        std::vector<std::uint32_t> by(m_terms.size(), Known);
        using Entry = std::pair<std::uint64_t, std::uint32_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
        cost[0] = 0;
        open.emplace(0, 0);
        while (!open.empty()) {
            const auto [reached, node] = open.top();
            open.pop();
            if (reached > cost[node]) continue;
            if (node == target) break;
            for (const std::uint32_t number : edgesAt[node]) {
                const Edge& edge = m_edges[number];
                const bool isTurned = edge.to == node;
                const std::uint32_t next = isTurned ? edge.from : edge.to;
                if (cost[next] <= reached + 1) continue;  // no edge costs less
                const std::uint64_t sum = reached + costOf(edge, isTurned);
                if (sum >= cost[next]) continue;
                cost[next] = sum;
                by[next] = number;
                open.emplace(sum, next);
            }
        }
        Way way;
        way.cost = cost[target];
        for (std::uint32_t i = 0; i < m_steps.size(); ++i) way.costBefore += costOf(m_edges[i], false);
        for (std::uint32_t node = target; node != 0;) {
            const Edge& edge = m_edges[by[node]];
            const bool isTurned = edge.from == node;
            way.states.push_back(m_terms[node]);
            way.steps.push_back(stepOf(edge, isTurned));
            node = isTurned ? edge.to : edge.from;
        }
        std::ranges::reverse(way.steps);
        std::ranges::reverse(way.states);
        return way;
    }

    /// The step that an edge stands for, at its position below the common one.
    Step stepOf(const Edge& edge, bool isTurned) {
        if (edge.place == Known) {
            Step step = m_steps[edge.rewrite];
            step.positions.front() = belowCommon(step);
            step.isReversed = step.isReversed != isTurned;
            return step;
        }
        auto [path, part] = partAt(edge);
        Step step = m_known.step(part, edge.rewrite);
        step.positions = {std::move(path)};
        step.isReversed = isTurned;
        return step;
    }

    ir::TermBank& m_bank;
    KnownRewrites& m_known;
    std::span<const Step> m_steps;
    std::size_t m_depth;  ///< of the position that all steps have in common
    Costs& m_costs;
    std::vector<TermId> m_terms;
    absl::flat_hash_map<TermId, std::uint32_t> m_nodes;
    std::vector<Edge> m_edges;
};

struct Work {
    std::uint64_t rewrites = 0;  ///< that may still be looked at
    std::uint32_t checked = 0;   ///< steps that were looked at closely
};

/// Shortens steps [begin, end) of the thread. Returns whether they became cheaper.
bool shortenPart(ir::TermBank& bank, KnownRewrites& known, Thread& thread, std::size_t begin, std::size_t end,
                 Work& work, const std::stop_token& stop) {
    const std::span<const Step> steps(thread.steps.data() + begin, end - begin);
    const Path common = commonPosition(steps);
    const TermId whole = begin == 0 ? thread.start.root : thread.states[begin - 1];
    std::vector<TermId> states;
    for (std::size_t i = begin; i < end; ++i) states.push_back(*ir::subterm(bank, thread.states[i], common));
    Costs costs(bank, {thread.start.function, whole}, common, work.checked);
    Surroundings surroundings(bank, known, steps, common.size(), costs);
    Surroundings::Way way = surroundings.cheapest(*ir::subterm(bank, whole, common), states, work.rewrites, stop);
    if (way.cost >= way.costBefore) return false;
    for (std::size_t i = 0; i < way.steps.size(); ++i) {
        way.steps[i].positions.front().insert(way.steps[i].positions.front().begin(), common.begin(), common.end());
        way.states[i] = bank.replaceAt(whole, common, way.states[i]);
    }
    const auto splice = [&](auto& list, auto& part) {
        const auto at = list.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto rest = list.erase(at, list.begin() + static_cast<std::ptrdiff_t>(end));
        list.insert(rest, part.begin(), part.end());
    };
    splice(thread.steps, way.steps);
    splice(thread.states, way.states);
    return true;
}

}  // namespace

void takeShortcuts(ir::TermBank& bank, Thread& thread, std::uint64_t rewrites, const std::stop_token& stop) {
    Work work{rewrites};
    for (int round = 0; round < MostRounds && work.rewrites > 0; ++round) {
        KnownRewrites known(LocalRewrites(bank, rulesOf(thread.steps)));
        bool isCheaper = false;
        // In every second round, parts begin where those of the others have their middle.
        for (std::size_t begin = round % 2 == 0 ? 0 : MostSteps / 2;
             begin < thread.steps.size() && work.rewrites > 0;) {
            const std::size_t end = std::min(begin + MostSteps, thread.steps.size());
            const std::size_t after = thread.steps.size() - end;
            if (stop.stop_requested()) return;
            isCheaper |= shortenPart(bank, known, thread, begin, end, work, stop);
            begin = thread.steps.size() - after;
        }
        if (!isCheaper && (round % 2 == 1 || thread.steps.size() <= MostSteps)) break;
    }
}

}  // namespace mitos::rewrite
