// SPDX-License-Identifier: GPL-3.0-or-later
// See guided_growth.h.
#include "search/saturation/guided_growth.h"

#include "core/base/hash.h"
#include "core/base/random.h"
#include "search/parallel.h"
#include "search/uct_tree.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::search {

namespace {

/// A node of the tree, by its number; node 0 is the first root.
using NodeId = std::uint32_t;

struct Node {
    NodeId parent = 0;
    std::uint32_t rule = 0;  ///< that made it from its parent
    std::uint64_t key = 0;   ///< of its random choices
    double cost = 0.0;
    std::uint64_t enodes = 0;
    double simulated = 0.0;  ///< in the simulation from it
    bool isFull = false;
    bool isForecast = false;  ///< its trial is not made yet; in a forecast only
    std::optional<std::vector<std::uint32_t>> candidates =
        {};                 ///< rules that match, in the order in which they are tried
    std::size_t tried = 0;  ///< of them
    std::vector<std::shared_ptr<const TrialResult>> trials = {};  ///< of the candidates, as far as they were made
    std::vector<NodeId> children = {};
};

/// The nodes, and what is known about trials at them: a value, so that a forecast can go on with a copy.
class Nodes {
public:
    Nodes(std::vector<std::uint32_t> rules, std::vector<double> ranks)
        : m_rules(std::move(rules)),
          m_ranks(std::move(ranks)) {}

    void begin(double cost, std::uint64_t enodes, std::uint64_t key) {
        m_nodes.assign(1, {.key = key, .cost = cost, .enodes = enodes});
        m_root = 0;
    }
    void moveRoot(NodeId root) { m_root = root; }

    [[nodiscard]] NodeId root() const { return m_root; }
    [[nodiscard]] const Node& operator[](NodeId id) const { return m_nodes[id]; }
    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }

    /// The rules from the root to the node.
    [[nodiscard]] std::vector<std::uint32_t> pathTo(NodeId id) const {
        std::vector<std::uint32_t> rules;
        for (NodeId at = id; at != m_root; at = m_nodes[at].parent) rules.push_back(m_nodes[at].rule);
        std::ranges::reverse(rules);
        return rules;
    }

    /// The probabilities of children, among all rules that may be tried at the node. Requires ranks.
    [[nodiscard]] std::vector<double> prior(NodeId id, const std::vector<NodeId>& children) const {
        const std::vector<std::uint32_t>& rivals = m_nodes[id].candidates ? *m_nodes[id].candidates : m_rules;
        double total = 0.0;
        for (const std::uint32_t rule : rivals) total += m_ranks[rule];
        std::vector<double> probabilities;
        for (const NodeId child : children) probabilities.push_back(m_ranks[m_nodes[child].rule] / total);
        return probabilities;
    }

    struct NoChild {};
    using Next = std::variant<NoChild, NodeId, std::shared_ptr<const TrialResult>, Trial>;
    /// The step towards another child of the node: it has none; the result of the next trial, which take() takes; or the trial to make.
    [[nodiscard]] Next next(NodeId id, const GuideSettings& settings) const {
        const Node& node = m_nodes[id];
        if (node.isFull || node.isForecast) return NoChild{};
        if (node.candidates && node.tried == node.candidates->size()) return NoChild{};
        if (node.tried < node.trials.size() && node.trials[node.tried]) return node.trials[node.tried];
        Trial trial{.path = pathTo(id), .key = node.key, .depth = settings.depth};
        if (node.candidates) trial.rule = (*node.candidates)[node.tried];
        if (!node.candidates) trial.unchecked = m_rules;
        return trial;
    }
    /// Stores the result of a trial at the node.
    void store(NodeId id, std::uint32_t number, TrialResult result) {
        Node& node = m_nodes[id];
        if (result.candidates) node.candidates = std::move(result.candidates);
        if (node.candidates->empty()) return;
        node.trials.resize(node.candidates->size());
        node.trials[number] = std::make_shared<const TrialResult>(std::move(result));
    }
    /// Takes the result of the next trial, of which so many graphs count; returns the child, if there is one.
    std::optional<NodeId> take(NodeId id, const TrialResult& result, std::size_t counted, double discount) {
        const std::uint32_t rule = (*m_nodes[id].candidates)[m_nodes[id].tried++];
        if (!result.isChanged || counted == 0) return std::nullopt;
        Node child{.parent = id,
                   .rule = rule,
                   .key = childKey(m_nodes[id].key, rule),
                   .cost = result.costs.front(),
                   .enodes = result.nodes,
                   .isFull = result.isFull};
        double weight = 1.0;
        for (std::size_t step = 1; step < counted; ++step) {
            child.simulated += weight * reduction(result.costs[step - 1], result.costs[step]);
            weight *= discount;
        }
        return add(id, std::move(child));
    }
    /// Assumes that the next trial leads to a child.
    NodeId forecast(NodeId id) {
        const std::size_t number = m_nodes[id].tried++;
        const std::uint32_t rule = m_nodes[id].candidates ? (*m_nodes[id].candidates)[number] : 0;
        return add(id, {.parent = id, .rule = rule, .isForecast = true});
    }

private:
    NodeId add(NodeId parent, Node node) {
        const auto id = static_cast<NodeId>(m_nodes.size());
        m_nodes.push_back(std::move(node));
        m_nodes[parent].children.push_back(id);
        return id;
    }

    std::vector<std::uint32_t> m_rules;  ///< that take part
    std::vector<double> m_ranks;         ///< by rule; empty without a ranking
    std::vector<Node> m_nodes;
    NodeId m_root = 0;
};

/// The rewards of the nodes of a path, in parts of the cost at the root.
std::vector<double> rewardsOf(const Nodes& nodes, const std::vector<NodeId>& path, double discount) {
    double reward = nodes[path.back()].simulated;
    std::vector<double> rewards(path.size(), reward);
    for (std::size_t i = path.size() - 1; i > 0; --i) {
        reward = reduction(nodes[path[i - 1]].cost, nodes[path[i]].cost) + discount * reward;
        rewards[i - 1] = reward;
    }
    if (discount == 1.0) std::ranges::fill(rewards, reward);
    const double initial = nodes[path.front()].cost;
    for (double& each : rewards) each = initial > 0.0 ? each / initial : 0.0;
    return rewards;
}

/// Continues the search without making trials, to learn which ones it will need.
class Forecast {
public:
    Forecast(Nodes nodes, UctTree<NodeId> tree, Random random, const GuideSettings& settings)
        : m_nodes(std::move(nodes)),
          m_known(m_nodes.size()),
          m_tree(std::move(tree)),
          m_random(random),
          m_settings(settings) {}

    struct Wanted {
        NodeId node = 0;
        std::uint32_t number = 0;  ///< among the node's candidates
        Trial trial;
    };
    /// The trial that is needed now, and at most `count` - 1 of those that follow within so many iterations.
    [[nodiscard]] std::vector<Wanted> trials(NodeId at, Trial now, std::size_t count, std::uint32_t iterations) {
        m_wanted.push_back({at, static_cast<std::uint32_t>(m_nodes[at].tried), std::move(now)});
        if (count == 1) return std::move(m_wanted);
        std::vector<NodeId> path{m_nodes.forecast(at)};
        while (path.back() != m_nodes.root()) path.push_back(m_nodes[path.back()].parent);
        std::ranges::reverse(path);
        m_tree.backUp(path, expected(path));
        for (std::uint32_t i = 0; i < iterations && m_wanted.size() < count; ++i) {
            m_tree.iterate(m_nodes.root(), *this, m_random);
        }
        return std::move(m_wanted);
    }

    // --- the game -------------------------------------------------------------------------------------------------------

    [[nodiscard]] const std::vector<NodeId>& children(NodeId id) const { return m_nodes[id].children; }
    [[nodiscard]] std::vector<double> prior(NodeId id, const std::vector<NodeId>& children) const {
        return m_nodes.prior(id, children);
    }

    std::optional<NodeId> expand(NodeId id) {
        while (true) {
            Nodes::Next next = m_nodes.next(id, m_settings);
            if (const auto* const known = std::get_if<std::shared_ptr<const TrialResult>>(&next)) {
                const TrialResult& result = **known;
                const double discount = m_settings.discount;
                if (const auto child = m_nodes.take(id, result, result.costs.size(), discount)) return child;
                continue;
            }
            if (!std::holds_alternative<Trial>(next) || id >= m_known) return std::nullopt;
            // What follows the first trial at a node is known only after it.
            const auto isAtIt = [id](const Wanted& wanted) { return wanted.node == id; };
            if (!m_nodes[id].candidates && std::ranges::any_of(m_wanted, isAtIt)) return std::nullopt;
            m_wanted.push_back({id, static_cast<std::uint32_t>(m_nodes[id].tried), std::get<Trial>(std::move(next))});
            return m_nodes.forecast(id);
        }
    }

    [[nodiscard]] std::vector<double> rewards(const std::vector<NodeId>& path) const {
        if (m_nodes[path.back()].isForecast) return std::vector<double>(path.size(), expected(path));
        return rewardsOf(m_nodes, path, m_settings.discount);
    }

private:
    /// The average reward at the last node of the path that was visited.
    [[nodiscard]] double expected(const std::vector<NodeId>& path) const {
        for (auto at = path.rbegin(); at != path.rend(); ++at) {
            if (m_tree.visits(*at) > 0) return m_tree.average(*at);
        }
        return 0.0;
    }

    Nodes m_nodes;
    std::size_t m_known;  ///< nodes at first: a trial at another one could not be stored
    UctTree<NodeId> m_tree;
    Random m_random;
    const GuideSettings& m_settings;
    std::vector<Wanted> m_wanted;
};

class Guide final : public egraph::Scheduler {
public:
    Guide(const SimulatorSource& source, const GuideSettings& settings, GuideHooks hooks)
        : m_source(source),
          m_settings(settings),
          m_hooks(std::move(hooks)),
          m_random(settings.seed),
          m_nodes(rulesOf(source.run), source.ranks),
          m_tree(uct()) {}

    bool matchesAgain() const override { return true; }

    std::vector<std::vector<std::uint32_t>> batches(std::uint32_t iteration) override {
        begin(iteration);
        for (m_iteration = 0; m_iteration < m_settings.budget && !m_isOver; ++m_iteration) {
            m_isOver = !m_hooks.mayGoOn();
            if (m_isOver) break;
            m_tree.iterate(m_nodes.root(), *this, m_random);
            if (children(m_nodes.root()).empty()) break;
        }
        m_simulators.clear();
        return choose();
    }

    bool isSaturated(std::uint32_t /*iteration*/) override { return !m_chosen && !m_isOver; }

    // --- the game -------------------------------------------------------------------------------------------------------

    [[nodiscard]] const std::vector<NodeId>& children(NodeId id) const { return m_nodes[id].children; }
    [[nodiscard]] std::vector<double> prior(NodeId id, const std::vector<NodeId>& children) const {
        return m_nodes.prior(id, children);
    }

    std::optional<NodeId> expand(NodeId id) {
        while (!m_isOver) {
            Nodes::Next next = m_nodes.next(id, m_settings);
            if (auto* const trial = std::get_if<Trial>(&next)) {
                make(id, std::move(*trial));
                continue;
            }
            const auto* const known = std::get_if<std::shared_ptr<const TrialResult>>(&next);
            if (known == nullptr) break;
            const TrialResult& result = **known;
            const std::size_t counted = m_hooks.count(result.costs.size());
            m_isOver = counted < result.costs.size() || !m_hooks.mayGoOn();
            if (m_settings.keepsBest && counted > 0) report(id, result, counted);
            if (const auto child = m_nodes.take(id, result, counted, m_settings.discount)) return child;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::vector<double> rewards(const std::vector<NodeId>& path) const {
        return rewardsOf(m_nodes, path, m_settings.discount);
    }

private:
    [[nodiscard]] static std::vector<std::uint32_t> rulesOf(const egraph::RunInProgress& run) {
        std::vector<std::uint32_t> rules;
        for (std::uint32_t rule = 0; rule < run.rules.size(); ++rule) {
            if (!run.isOut[rule]) rules.push_back(rule);
        }
        return rules;
    }

    [[nodiscard]] UctSettings uct() const {
        return {.bonus = m_source.ranks.empty() ? UctBonus::Ucb1 : UctBonus::Puct,
                .exploration = m_settings.exploration,
                .stop = m_settings.stop,
                .expandsRootFirst = m_settings.expandsRootFirst};
    }

    /// Begins at the present graph of the run, with the subtree of the chosen node or anew.
    void begin(std::uint32_t iteration) {
        m_isOver = false;
        const unsigned threads = m_settings.threads == 0 ? defaultJobs() : m_settings.threads;
        for (unsigned i = 0; i < threads; ++i) m_simulators.push_back(std::make_unique<Simulator>(m_source));
        if (m_settings.reusesTree && m_chosen) {
            m_nodes.moveRoot(*m_chosen);
            return;
        }
        m_tree = UctTree<NodeId>(uct());
        m_isOver = m_hooks.count(1) == 0;
        const double cost = m_isOver ? 0.0 : m_simulators.front()->startCost();
        m_nodes.begin(cost, m_source.run.graph.nodeCount(), combineHash(m_settings.seed, iteration));
    }

    /// Makes the trial that is needed at the node, and others that will be needed where there is a thread for them.
    void make(NodeId id, Trial trial) {
        constexpr std::size_t Ahead = 4;  // trials for each thread: they take different times
        const std::size_t count = m_simulators.size() == 1 ? 1 : Ahead * m_simulators.size();
        const std::uint32_t iterations = m_settings.budget - m_iteration - 1;
        std::vector<Forecast::Wanted> wanted =
            count == 1
                ? std::vector<Forecast::Wanted>{{id, static_cast<std::uint32_t>(m_nodes[id].tried), trial}}
                : Forecast(m_nodes, m_tree, m_random, m_settings).trials(id, std::move(trial), count, iterations);
        std::vector<Trial> trials;
        for (Forecast::Wanted& each : wanted) trials.push_back(std::move(each.trial));
        std::vector<TrialResult> results = runTrials(trials, m_simulators);
        m_isOver = results.front().isInterrupted;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (!results[i].isInterrupted) m_nodes.store(wanted[i].node, wanted[i].number, std::move(results[i]));
        }
    }

    void report(NodeId id, const TrialResult& result, std::size_t counted) {
        const auto end = result.costs.begin() + static_cast<std::ptrdiff_t>(counted);
        const auto least = std::min_element(result.costs.begin(), end);
        std::vector<std::uint32_t> rules = m_nodes.pathTo(id);
        const auto last = result.rules.begin() + (least - result.costs.begin()) + 1;
        rules.insert(rules.end(), result.rules.begin(), last);
        m_hooks.found(*least, rules);
    }

    std::vector<std::vector<std::uint32_t>> choose() {
        const std::vector<NodeId>& children = m_nodes[m_nodes.root()].children;
        const auto valueOf = [this](NodeId child) { return std::pair(m_tree.average(child), !m_nodes[child].isFull); };
        const auto best = std::ranges::max_element(children, {}, valueOf);
        m_chosen = best == children.end() ? std::nullopt : std::optional(*best);
        if (!m_chosen) return {};
        m_hooks.chosen(drawn());
        return {{m_nodes[*m_chosen].rule}};
    }

    /// The nodes that were visited most often, as many as a view can draw.
    [[nodiscard]] GuideTree drawn() const {
        constexpr std::size_t MostNodes = 300;
        std::vector<NodeId> ids;  // parents before their children
        for (NodeId id = 0; id < m_nodes.size(); ++id) {
            if (isBelowRoot(id)) ids.push_back(id);
        }
        const auto isBefore = [this](NodeId a, NodeId b) {
            if (a == m_nodes.root() || b == m_nodes.root()) return a == m_nodes.root() && b != a;
            if ((a == m_chosen) != (b == m_chosen)) return a == m_chosen;
            const std::uint64_t visitsA = m_tree.visits(a);
            const std::uint64_t visitsB = m_tree.visits(b);
            return visitsA != visitsB ? visitsA > visitsB : a < b;
        };
        GuideTree tree;
        std::ranges::sort(ids, isBefore);  // a child has fewer visits than its parent, or as many and a higher number
        if (ids.size() > MostNodes) {
            tree.leftOut = ids.size() - MostNodes;
            ids.resize(MostNodes);
        }
        absl::flat_hash_map<NodeId, std::uint32_t> numbers;
        for (const NodeId id : ids) {
            const Node& node = m_nodes[id];
            const bool isRoot = id == m_nodes.root();
            numbers.emplace(id, static_cast<std::uint32_t>(tree.nodes.size()));
            const bool isSaturated = node.children.empty() && node.candidates && node.tried == node.candidates->size();
            tree.nodes.push_back({.parent = isRoot ? 0 : numbers.at(node.parent),
                                  .rule = isRoot ? 0 : node.rule,
                                  .visits = m_tree.visits(id),
                                  .value = m_tree.visits(id) > 0 ? m_tree.average(id) : 0.0,
                                  .cost = node.cost,
                                  .enodes = node.enodes,
                                  .isFull = node.isFull,
                                  .isSaturated = isSaturated});
        }
        tree.chosen = numbers.at(*m_chosen);
        return tree;
    }

    [[nodiscard]] bool isBelowRoot(NodeId id) const {
        while (id > m_nodes.root()) id = m_nodes[id].parent;
        return id == m_nodes.root();
    }

    SimulatorSource m_source;
    GuideSettings m_settings;
    GuideHooks m_hooks;
    Random m_random;
    Nodes m_nodes;
    UctTree<NodeId> m_tree;
    std::vector<std::unique_ptr<Simulator>> m_simulators;
    std::uint32_t m_iteration = 0;
    bool m_isOver = false;  ///< a limit or a stop ended the search
    std::optional<NodeId> m_chosen;
};

}  // namespace

std::unique_ptr<egraph::Scheduler> makeGuide(const SimulatorSource& source, const GuideSettings& settings,
                                             GuideHooks hooks) {
    return std::make_unique<Guide>(source, settings, std::move(hooks));
}

}  // namespace mitos::search
