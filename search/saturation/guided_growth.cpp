// SPDX-License-Identifier: GPL-3.0-or-later
// See guided_growth.h.
#include "search/saturation/guided_growth.h"

#include "core/base/random.h"
#include "search/uct_tree.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::search {

namespace {

using egraph::EGraph;

/// A node of the tree, by its number; node 0 is the first root.
using NodeId = std::uint32_t;

struct Node {
    NodeId parent = 0;
    std::uint32_t rule = 0;  ///< that made it from its parent
    double cost = 0.0;
    bool isFull = false;                      ///< a limit ended the application of its rule
    std::vector<std::uint32_t> untried = {};  ///< rules
    std::vector<NodeId> children = {};        ///< none of them is saturated
};

/// Draws an entry of the list and takes it out; the order of the others changes.
std::uint32_t draw(std::vector<std::uint32_t>& list, Random& random) {
    std::uint32_t& entry = list[random.below(list.size())];
    const std::uint32_t drawn = std::exchange(entry, list.back());
    list.pop_back();
    return drawn;
}

/// The reduction of the cost, not below 0; none where a graph could not be priced.
double reduction(double from, double to) { return std::isfinite(from) ? std::max(from - to, 0.0) : 0.0; }

/// The game of the tree search. Rewards are parts of the cost at the root.
class RuleGame {
public:
    RuleGame(const egraph::RunInProgress& run, const GuideSettings& settings, const GuideHooks& hooks, Random& random)
        : m_graph(run.graph),
          m_rules(run.rules),
          m_growth(run.options),
          m_settings(settings),
          m_hooks(hooks),
          m_random(random),
          m_start(run.graph),
          m_work(run.graph) {
        m_growth.limits.iterations = 1;
        // They share the memory: the run's graph, two here, one inside of saturate(), and one that the run may keep.
        constexpr std::uint64_t Graphs = 5;
        if (m_growth.limits.memoryBytes) *m_growth.limits.memoryBytes /= Graphs;
        m_growth.scheduler = "simple";
        m_growth.makeScheduler = nullptr;
        m_growth.stopWhen = nullptr;
        for (std::uint32_t rule = 0; rule < m_rules.size(); ++rule) {
            if (!run.isOut[rule]) m_all.push_back(rule);
        }
    }

    /// Begins at the present graph of the run, with the subtree of that node, if there is one; else anew, without some rules at the root.
    void begin(std::optional<NodeId> kept, const std::vector<std::uint32_t>& withoutEffect) {
        m_start = m_graph;
        m_at.reset();
        if (kept) {
            m_root = *kept;
            return;
        }
        m_root = 0;
        m_nodes.clear();
        m_nodes.push_back({.cost = m_hooks.cost(m_start), .untried = m_all});
        std::erase_if(m_nodes.front().untried, [&](std::uint32_t rule) {
            return std::ranges::find(withoutEffect, rule) != withoutEffect.end();
        });
    }

    [[nodiscard]] NodeId root() const { return m_root; }
    [[nodiscard]] const Node& node(NodeId id) const { return m_nodes[id]; }
    [[nodiscard]] const std::vector<NodeId>& children(NodeId id) const { return m_nodes[id].children; }

    std::optional<NodeId> expand(NodeId id) {
        if (m_nodes[id].isFull) return std::nullopt;
        goTo(id);
        while (!m_nodes[id].untried.empty() && m_hooks.mayGoOn()) {
            const std::uint32_t rule = draw(m_nodes[id].untried, m_random);
            const Applied applied = apply(rule);
            if (!applied.isChanged) continue;
            const auto child = static_cast<NodeId>(m_nodes.size());
            m_nodes.push_back(
                {.parent = id, .rule = rule, .cost = m_hooks.cost(m_work), .isFull = applied.isFull, .untried = m_all});
            m_nodes[id].children.push_back(child);
            m_at = child;
            return child;
        }
        return std::nullopt;
    }

    /// The reward of a simulation from the node (equation 3), with the reductions of cost on the way to it.
    double rollOut(NodeId id) {
        double saved = 0.0;
        for (NodeId at = id; at != m_root; at = m_nodes[at].parent) {
            saved += reduction(m_nodes[m_nodes[at].parent].cost, m_nodes[at].cost);
        }
        if (!m_nodes[id].isFull) saved += simulate(id);
        const double initial = m_nodes[m_root].cost;
        return initial > 0.0 ? saved / initial : 0.0;
    }

private:
    struct Applied {
        bool isChanged = false;
        bool isFull = false;
    };

    /// Makes the graph of the node in `m_work`.
    void goTo(NodeId id) {
        if (m_at == id) return;
        std::vector<std::uint32_t> rules;
        for (NodeId at = id; at != m_root; at = m_nodes[at].parent) rules.push_back(m_nodes[at].rule);
        std::ranges::reverse(rules);
        m_work = m_start;
        for (const std::uint32_t rule : rules) apply(rule);
        m_at = id;
    }

    /// Applies the rule to all of its matches in `m_work`.
    Applied apply(std::uint32_t rule) {
        if (!egraph::hasMatch(m_work, m_rules[rule], m_growth.roots)) return {};
        m_growth.limits.seconds = m_hooks.secondsLeft();
        const Result<egraph::SaturationReport> report = egraph::saturate(
            m_work, {m_rules[rule]}, m_growth, m_hooks.stop, [](const auto&, const auto&) { return true; });
        if (!report || !report->leftOut.empty()) return {};
        const bool isFull = report->stop == egraph::StopReason::Nodes || report->stop == egraph::StopReason::Memory;
        const bool isNew = report->stop != egraph::StopReason::Saturated && !report->iterations.empty() &&
                           report->iterations.back().rules[0].applied > 0;
        return {.isChanged = isNew || isFull, .isFull = isFull};
    }

    double simulate(NodeId id) {
        goTo(id);
        m_at.reset();
        double saved = 0.0;
        double cost = m_nodes[id].cost;
        std::vector<std::uint32_t> candidates = m_all;
        for (std::uint32_t step = 0; step < m_settings.depth && !candidates.empty() && m_hooks.mayGoOn();) {
            const Applied applied = apply(draw(candidates, m_random));
            if (!applied.isChanged) continue;
            const double next = m_hooks.cost(m_work);
            saved += reduction(cost, next);
            cost = next;
            if (applied.isFull) break;
            candidates = m_all;
            ++step;
        }
        return saved;
    }

    const EGraph& m_graph;  ///< of the run
    const std::vector<std::shared_ptr<const egraph::EGraphRule>>& m_rules;
    egraph::SaturationOptions m_growth;
    const GuideSettings& m_settings;
    const GuideHooks& m_hooks;
    Random& m_random;
    std::vector<std::uint32_t> m_all;  ///< rules that take part
    std::vector<Node> m_nodes;
    NodeId m_root = 0;
    EGraph m_start;  ///< the graph of the root
    EGraph m_work;
    std::optional<NodeId> m_at;  ///< the node whose graph `m_work` is
};

class Guide final : public egraph::Scheduler {
public:
    Guide(const egraph::RunInProgress& run, const GuideSettings& settings, GuideHooks hooks)
        : m_graph(run.graph),
          m_settings(settings),
          m_hooks(std::move(hooks)),
          m_random(settings.seed),
          m_game(run, m_settings, m_hooks, m_random),
          m_tree(uct()) {}

    std::vector<std::vector<std::uint32_t>> batches(std::uint32_t /*iteration*/) override {
        noteEffect();
        const bool keeps = m_settings.reusesTree && m_chosen && m_withoutEffect.empty();
        if (!keeps) m_tree = UctTree<NodeId>(uct());
        m_game.begin(keeps ? m_chosen : std::nullopt, m_withoutEffect);
        for (std::uint32_t i = 0; i < m_settings.budget && m_hooks.mayGoOn(); ++i) {
            m_tree.iterate(m_game.root(), m_game, m_random);
            if (m_game.children(m_game.root()).empty()) break;
        }
        return choose();
    }

    bool isSaturated(std::uint32_t /*iteration*/) override { return !m_chosen; }

private:
    /// The run applies only matches that it has not applied before. A match that the cycle filter refused then, but admits now, changes a
    /// copy of the graph and not the graph itself.
    void noteEffect() {
        const std::pair size(m_graph.nodeCount(), m_graph.classCount());
        if (m_size != size)
            m_withoutEffect.clear();
        else if (m_chosen)
            m_withoutEffect.push_back(m_game.node(*m_chosen).rule);
        m_size = size;
    }

    [[nodiscard]] UctSettings uct() const {
        return {.bonus = UctBonus::Ucb1, .exploration = m_settings.exploration, .stop = m_settings.stop};
    }

    std::vector<std::vector<std::uint32_t>> choose() {
        const std::vector<NodeId>& children = m_game.children(m_game.root());
        const auto valueOf = [this](NodeId child) {
            return std::pair(m_tree.average(child), !m_game.node(child).isFull);
        };
        const auto best = std::ranges::max_element(children, {}, valueOf);
        m_chosen = best == children.end() ? std::nullopt : std::optional(*best);
        if (!m_chosen) return {};
        return {{m_game.node(*m_chosen).rule}};
    }

    const EGraph& m_graph;
    GuideSettings m_settings;
    GuideHooks m_hooks;
    Random m_random;
    RuleGame m_game;
    UctTree<NodeId> m_tree;
    std::optional<NodeId> m_chosen;
    std::pair<std::size_t, std::size_t> m_size;  ///< e-nodes and classes before the last choice
    std::vector<std::uint32_t> m_withoutEffect;  ///< rules chosen since then that did not change the graph
};

}  // namespace

std::unique_ptr<egraph::Scheduler> makeGuide(const egraph::RunInProgress& run, const GuideSettings& settings,
                                             GuideHooks hooks) {
    return std::make_unique<Guide>(run, settings, std::move(hooks));
}

}  // namespace mitos::search
