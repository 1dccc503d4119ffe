// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/greedy_pass.h"

#include "core/ir/shared.h"
#include "core/rewrite/rewriter.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace mitos::rewrite {

using ir::TermId;

namespace {

/// Where a walk found a node.
struct Place {
    ir::Path path;  ///< in a tree; a node of a graph is the same wherever it is
    TermId node;
};

class Pass {
public:
    Pass(ir::TermBank& bank, const ir::Program& program,
         const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules, WalkOrder order,
         absl::FunctionRef<bool(const Thread&)> goesOn)
        : m_bank(bank),
          m_sharing(bank.function(program.function).sharing),
          m_local(bank, rules),
          m_rewriter(bank, rules, m_sharing),
          m_order(order),
          m_goesOn(goesOn) {
        m_pass.thread = {program, {}, {}};
        m_seen.insert(program.root);
    }

    GreedyPass run() {
        while (goesOn()) {
            const std::size_t before = m_pass.thread.steps.size();
            walk();
            ++m_pass.walks;
            if (m_isEnded) break;
            m_pass.isFixedPoint = m_pass.thread.steps.size() == before;
            if (m_pass.isFixedPoint) break;
        }
        return std::move(m_pass);
    }

private:
    [[nodiscard]] TermId root() const { return m_pass.thread.end().root; }
    [[nodiscard]] bool isGraph() const { return m_sharing == ir::Sharing::Graph; }
    bool goesOn() {
        m_isEnded = m_isEnded || !m_goesOn(m_pass.thread);
        return !m_isEnded;
    }

    void walk() {
        std::vector<Place> places;
        ir::forEachNode(m_bank, root(), m_sharing, [&](const ir::Path& path, TermId node) {
            if (!m_finished.contains(node)) places.push_back({isGraph() ? ir::Path() : path, node});
            ++m_pass.visits;
            return true;
        });
        if (m_order == WalkOrder::OperandsFirst) std::ranges::reverse(places);
        m_graph.reset();
        for (const Place& place : places) {
            if (!goesOn()) return;
            if (isGraph()) {
                if (!m_graph || m_graph->contains(place.node)) rewriteNode(place.node);
            } else if (isAt(place) && matches(place.node)) {
                rewriteAt(place);
            }
        }
        goesOn();
    }

    /// In a tree: whether no step has changed the node since the walk began.
    [[nodiscard]] bool isAt(const Place& place) const {
        TermId node = root();
        for (const std::uint32_t index : place.path) {
            if (index >= m_bank.childCount(node)) return false;
            node = m_bank.child(node, index);
        }
        return node == place.node;
    }

    /// In a tree: whether any rule matches the node, which does not depend on its place.
    [[nodiscard]] bool matches(TermId node) {
        bool found = false;
        m_local.forEach(node, [&](std::uint32_t, const rules::Substitution&, TermId) {
            found = true;
            return false;
        });
        if (!found) m_finished.insert(node);
        return found;
    }

    void rewriteAt(const Place& place) {
        const Status done = m_rewriter.forEachAt(root(), place.path, [&](const Applicable& one) {
            Rewrite made = one.make();
            if (!m_seen.insert(made.result).second) return true;
            take(std::move(made.step), made.result);
            return false;
        });
        assert(done.ok());
    }

    /// Replaces a node of the graph for all its uses. Only the match that is taken gets a path.
    void rewriteNode(TermId node) {
        bool found = false;
        std::optional<TermId> result;
        m_local.forEach(node, [&](std::uint32_t rule, const rules::Substitution& substitution, TermId replacement) {
            found = true;
            if (!m_graph) m_graph.emplace(m_bank, root());
            const ir::NodeReplacement replaced[] = {{node, replacement}};
            if (!RewriteLimits().allowShared(m_bank, *m_graph, replaced)) return true;
            const TermId changed = ir::replaceShared(m_bank, *m_graph, replaced);
            if (!m_seen.insert(changed).second) return true;
            take({m_local.rules()[rule], {*ir::firstPath(m_bank, root(), node)}, substitution}, changed);
            result = changed;
            return false;
        });
        if (result) m_graph.emplace(m_bank, *result);
        if (!found) m_finished.insert(node);
    }

    void take(Step step, TermId result) {
        m_pass.thread.steps.push_back(std::move(step));
        m_pass.thread.states.push_back(result);
    }

    ir::TermBank& m_bank;
    ir::Sharing m_sharing;
    LocalRewrites m_local;
    Rewriter m_rewriter;
    WalkOrder m_order;
    absl::FunctionRef<bool(const Thread&)> m_goesOn;
    GreedyPass m_pass;
    std::optional<ir::SharedNodes> m_graph;  ///< the nodes of a graph, from the first match of a walk on
    bool m_isEnded = false;
    absl::flat_hash_set<TermId> m_seen;      ///< the states of the thread
    absl::flat_hash_set<TermId> m_finished;  ///< nodes that no rule matches
};

}  // namespace

GreedyPass greedyPass(ir::TermBank& bank, const ir::Program& program,
                      const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules, WalkOrder order,
                      absl::FunctionRef<bool(const Thread&)> goesOn) {
    return Pass(bank, program, rules, order, goesOn).run();
}

}  // namespace mitos::rewrite
