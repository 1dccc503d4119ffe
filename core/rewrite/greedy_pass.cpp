// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/greedy_pass.h"

#include "core/ir/shared.h"
#include "core/rewrite/rewriter.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mitos::rewrite {

using ir::TermId;

namespace {

/// Where a walk found a node.
struct Place {
    ir::Path path;
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
    bool goesOn() {
        m_isEnded = m_isEnded || !m_goesOn(m_pass.thread);
        return !m_isEnded;
    }

    void walk() {
        std::vector<Place> places;
        ir::forEachNode(m_bank, root(), m_sharing, [&](const ir::Path& path, TermId node) {
            if (!m_finished.contains(node)) places.push_back({path, node});
            ++m_pass.visits;
            return true;
        });
        if (m_order == WalkOrder::OperandsFirst) std::ranges::reverse(places);
        std::optional<ir::SharedNodes> nodes;  // of the graph, once a step has changed it
        for (const Place& place : places) {
            if (!goesOn()) return;
            const bool isThere = nodes ? nodes->contains(place.node) : isAt(place);
            if (!isThere || !matches(place.node)) continue;
            if (!rewriteAt(place)) continue;
            if (m_sharing == ir::Sharing::Graph) nodes.emplace(m_bank, root());
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

    /// Whether any rule matches the node, which does not depend on its place.
    [[nodiscard]] bool matches(TermId node) {
        bool found = false;
        m_local.forEach(node, [&](std::uint32_t, const rules::Substitution&, TermId) {
            found = true;
            return false;
        });
        if (!found) m_finished.insert(node);
        return found;
    }

    bool rewriteAt(const Place& place) {
        const std::optional<ir::Path> first =
            m_sharing == ir::Sharing::Graph ? ir::firstPath(m_bank, root(), place.node) : place.path;
        if (!first) return false;
        std::optional<Rewrite> taken;
        const Status done = m_rewriter.forEachAt(root(), *first, [&](const Applicable& one) {
            if (one.position == nullptr) return true;
            Rewrite made = one.make();
            if (!m_seen.insert(made.result).second) return true;
            taken = std::move(made);
            return false;
        });
        if (!done || !taken) return false;
        m_pass.thread.steps.push_back(std::move(taken->step));
        m_pass.thread.states.push_back(taken->result);
        return true;
    }

    ir::TermBank& m_bank;
    ir::Sharing m_sharing;
    LocalRewrites m_local;
    Rewriter m_rewriter;
    WalkOrder m_order;
    absl::FunctionRef<bool(const Thread&)> m_goesOn;
    GreedyPass m_pass;
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
