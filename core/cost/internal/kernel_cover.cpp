// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/internal/kernel_cover.h"

#include "core/ir/shared.h"
#include "core/ir/transplant.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::cost {

using ir::TermId;

namespace {

constexpr std::size_t LargestGroup = 64;
/// The cost of each node of the program that runs, in microseconds: among programs of equal kernels, the one with the fewest nodes is the cheapest.
constexpr double OneNode = 1e-5;
/// Kernels at one node that are part of each other.
constexpr int MostStages = 16;
/// Users of a value that are tried in groups.
constexpr std::size_t MostTogether = 6;

/// A group of nodes at a node, and what takes its place.
struct Group {
    TermId result;
    std::vector<TermId> nodes;  ///< the root first
    std::vector<TermId> made;   ///< the nodes of the result that are not operands of the group
};

/// The graph that the runtime makes of each program state, in a bank of its own.
class Covers {
public:
    Covers(const ir::TermBank& bank, std::shared_ptr<const KernelTable> kernels)
        : m_bank(bank),
          m_own(bank.sharedRegistry()),
          m_transplanter(bank, m_own),
          m_kernels(std::move(kernels)) {}

    [[nodiscard]] ir::TermBank& bank() { return m_own; }
    [[nodiscard]] std::uint32_t levels() const { return m_kernels->levels(); }
    [[nodiscard]] std::size_t bytes() const {
        return m_own.bytes() + m_nodes.size() * sizeof(Own) + m_parts.size() * MostTogether * sizeof(TermId);
    }

    /// The graph of the state; at() and kernelOf() are about this state until the next call.
    TermId of(TermId root) {
        const ir::SharedNodes nodes(m_bank, root);
        m_given.resize(std::max(m_given.size(), m_bank.size()));
        ++m_state;
        m_running = 0;
        m_covered.clear();
        for (const TermId node : nodes) m_given[node.value].uses = node == root ? 1 : 0;
        for (const TermId node : nodes) {
            for (const TermId child : m_bank.children(node)) ++m_given[child.value].uses;
        }
        findJoint(nodes);
        for (const TermId node : nodes) {
            const auto joint = m_joint.find(node);
            const TermId plain = joint == m_joint.end() ? withNewChildren(node) : withNewOperands(node, joint->second);
            use(plain, m_given[node.value].uses);
            const TermId counted = joint == m_joint.end() ? plain : m_transplanter.term(node);
            m_given[node.value].runs = m_own.childCount(plain) > 0 && !isStructure(counted) && !isOffline(counted);
            m_given[node.value].made = covered(plain);
            m_running += m_given[node.value].runs ? 1 : 0;
        }
        return at(root);
    }

    /// Whether a node of the state is an operator that runs with the program.
    [[nodiscard]] bool runs(TermId node) const { return m_given[node.value].runs; }
    /// The number of these.
    [[nodiscard]] std::size_t running() const { return m_running; }

    [[nodiscard]] TermId at(TermId node) const { return m_given[node.value].made; }
    /// The node of the kernel that computes the value of a node of the own graph; invalid if it has one of its own.
    [[nodiscard]] TermId kernelOf(TermId own) const {
        TermId kernel;
        for (auto found = m_covered.find(own); found != m_covered.end(); found = m_covered.find(kernel)) {
            kernel = found->second;
        }
        return kernel;
    }

private:
    struct Given {
        std::uint32_t uses = 0;
        TermId made;
        bool runs = false;
    };
    struct Own {
        std::uint32_t state = 0;  ///< for which `uses` holds
        std::int32_t uses = 0;
        bool isOffline = false;
        bool isOfflineKnown = false;
        std::optional<std::vector<Group>> groups = {};
    };

    [[nodiscard]] bool isStructure(TermId own) const {
        return m_own.is(own, ir::CoreOp::Tuple) || m_own.is(own, ir::CoreOp::Get);
    }

    Own& own(TermId id) {
        if (m_nodes.size() <= id.value) m_nodes.resize(m_own.size());
        return m_nodes[id.value];
    }

    std::int32_t& uses(TermId id) {
        Own& node = own(id);
        if (node.state != m_state) node.uses = 0;
        node.state = m_state;
        return node.uses;
    }
    void use(TermId id, std::uint32_t times) { uses(id) += static_cast<std::int32_t>(times); }

    TermId withNewChildren(TermId node) {
        const TermId copy = m_transplanter.term(node);
        m_children.clear();
        bool isSame = true;
        for (std::size_t i = 0; i < m_bank.childCount(node); ++i) {
            m_children.push_back(at(m_bank.child(node, i)));
            isSame = isSame && m_children.back() == m_own.child(copy, i);
        }
        if (isSame) return copy;
        return m_own.stated(m_own.op(copy), m_own.type(copy), m_children, m_own.payload(copy), m_own.hint(copy));
    }

    /// Finds the nodes that the runtime computes together with others of the same operand: the parts of one result take their places.
    void findJoint(const ir::SharedNodes& nodes) {
        m_joint.clear();
        if (m_kernels->joint().empty()) return;
        absl::btree_map<std::pair<ir::OpId, TermId>, std::vector<TermId>> users;
        for (const TermId node : nodes) {
            const ir::OpId op = m_bank.op(node);
            if (m_kernels->isJoint(op) && m_bank.childCount(node) > 0)
                users[{op, m_bank.child(node, 0)}].push_back(node);
        }
        for (const auto& [operand, group] : users) {
            if (group.size() < 2 || group.size() > MostTogether) continue;
            const std::vector<TermId>& parts = partsOf(group);
            for (std::size_t i = 0; i < group.size(); ++i) {
                if (parts[i].isValid()) m_joint.emplace(group[i], parts[i]);
            }
        }
    }

    /// For each of these users of one operand, what takes its place; invalid if nothing does.
    const std::vector<TermId>& partsOf(const std::vector<TermId>& users) {
        std::vector<TermId> own;
        for (const TermId user : users) own.push_back(m_transplanter.term(user));
        const auto [known, isNew] = m_parts.try_emplace(m_own.tuple(own));
        if (!isNew) return known->second;
        std::vector<TermId> parts(users.size());
        for (const rules::DirectedRule* rule : m_kernels->joint()) {
            std::vector<std::size_t> chosen;
            while (join(*rule, own, parts, chosen)) chosen.clear();
        }
        return m_parts[m_own.tuple(own)] = std::move(parts);
    }

    /// Extends `chosen` to the first nodes that the rule's roots match together, in any order, and sets their parts.
    bool join(const rules::DirectedRule& rule, const std::vector<TermId>& users, std::vector<TermId>& parts,
              std::vector<std::size_t>& chosen) {
        if (chosen.size() == rule.roots().size()) return match(rule, users, parts, chosen);
        for (std::size_t i = 0; i < users.size(); ++i) {
            if (parts[i].isValid() || std::ranges::find(chosen, i) != chosen.end()) continue;
            chosen.push_back(i);
            if (join(rule, users, parts, chosen)) return true;
            chosen.pop_back();
        }
        return false;
    }

    bool match(const rules::DirectedRule& rule, const std::vector<TermId>& users, std::vector<TermId>& parts,
               const std::vector<std::size_t>& chosen) {
        std::vector<TermId> roots;
        for (const std::size_t i : chosen) roots.push_back(users[i]);
        const TermId subject = m_own.tuple(roots);
        std::optional<rules::Substitution> found;
        rule.match(m_own, subject, [&](const rules::Substitution& match) {
            found = match;
            return false;
        });
        if (!found) return false;
        const Result<TermId> result = rule.apply(m_own, *found, subject);
        if (!result || m_own.type(*result) != m_own.type(subject) || m_own.childCount(*result) != chosen.size())
            return false;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            if (!isOfOwnOperands(m_own.child(*result, i), roots, i)) return false;
        }
        for (std::size_t i = 0; i < chosen.size(); ++i) parts[chosen[i]] = m_own.child(*result, i);
        return true;
    }

    /// Whether a part of the common result needs operands of its own root only: those of the others may have other forms by then.
    bool isOfOwnOperands(TermId part, const std::vector<TermId>& roots, std::size_t own) {
        absl::flat_hash_set<TermId> foreign;
        for (const TermId root : roots) foreign.insert(m_own.children(root).begin(), m_own.children(root).end());
        absl::flat_hash_set<TermId> operands;
        for (const TermId operand : m_own.children(roots[own])) {
            foreign.erase(operand);
            operands.insert(operand);
        }
        std::vector<TermId> reached;
        bool isOwn = true;
        walk(part, reached, [&](TermId term) {
            isOwn = isOwn && !foreign.contains(term);
            return !operands.contains(term);
        });
        return isOwn && reached.size() <= LargestGroup;
    }

    /// The term that takes the place of a node, with the new forms of the node's operands.
    TermId withNewOperands(TermId node, TermId result) {
        absl::flat_hash_map<TermId, TermId> forms;
        for (std::size_t i = 0; i < m_bank.childCount(node); ++i) {
            const TermId child = m_bank.child(node, i);
            forms.emplace(m_transplanter.term(child), at(child));
        }
        const auto renewed = [&](const auto& self, TermId term) -> TermId {
            if (const auto form = forms.find(term); form != forms.end()) return form->second;
            std::vector<TermId> children;
            for (std::size_t i = 0; i < m_own.childCount(term); ++i)
                children.push_back(self(self, m_own.child(term, i)));
            return m_own.stated(m_own.op(term), m_own.type(term), children, m_own.payload(term), m_own.hint(term));
        };
        return renewed(renewed, result);
    }

    TermId covered(TermId node) {
        for (int stage = 0; stage < MostStages; ++stage) {
            const std::vector<Group>& groups = groupsAt(node);
            const auto found = std::ranges::find_if(groups, [this](const Group& group) { return isOwn(group); });
            if (found == groups.end()) break;
            const Group& group = *found;
            const std::int32_t pending = uses(node);
            for (const TermId inner : group.nodes) {
                for (std::size_t i = 0; i < m_own.childCount(inner); ++i) --uses(m_own.child(inner, i));
                if (inner != node) m_covered.insert_or_assign(inner, group.result);
            }
            for (const TermId made : group.made) {
                for (std::size_t i = 0; i < m_own.childCount(made); ++i) ++uses(m_own.child(made, i));
            }
            m_covered.insert_or_assign(node, group.result);
            m_covered.erase(group.result);
            uses(group.result) += pending;
            node = group.result;
        }
        return node;
    }

    /// Whether nothing outside of the group uses the values inside.
    bool isOwn(const Group& group) {
        absl::flat_hash_map<TermId, std::int32_t> inside;
        for (const TermId node : group.nodes) {
            for (const TermId child : m_own.children(node)) ++inside[child];
        }
        return std::ranges::all_of(group.nodes, [&](TermId node) {
            return node == group.nodes.front() || isOffline(node) || uses(node) == inside[node];
        });
    }

    bool isOffline(TermId node) {
        if (own(node).isOfflineKnown) return own(node).isOffline;
        const bool result =
            cost::isOffline(m_own, node, [&](std::size_t child) { return isOffline(m_own.child(node, child)); });
        own(node).isOfflineKnown = true;
        own(node).isOffline = result;
        return result;
    }

    /// The groups at a node, the largest first.
    const std::vector<Group>& groupsAt(TermId node) {
        if (!own(node).groups) {
            std::vector<Group> groups;
            if (m_own.childCount(node) > 0 && !isOffline(node)) {
                for (const rules::DirectedRule* rule : m_kernels->at(m_own.op(node))) addGroups(node, *rule, groups);
            }
            std::ranges::stable_sort(groups, std::greater(), [](const Group& group) { return group.nodes.size(); });
            own(node).groups = std::move(groups);
        }
        return *own(node).groups;
    }

    void addGroups(TermId node, const rules::DirectedRule& rule, std::vector<Group>& groups) {
        std::vector<rules::Substitution> matches;
        rule.match(m_own, node, [&](const rules::Substitution& match) {
            matches.push_back(match);
            return true;
        });
        for (const rules::Substitution& match : matches) {
            const Result<TermId> result = rule.apply(m_own, match, node);
            if (!result || *result == node || m_own.type(*result) != m_own.type(node)) continue;
            if (std::optional<Group> group = groupOf(node, *result, match)) groups.push_back(*std::move(group));
        }
    }

    /// Nothing if the result takes the place of one node only, or of too many.
    std::optional<Group> groupOf(TermId node, TermId result, const rules::Substitution& match) {
        absl::flat_hash_set<TermId> bound;
        for (const rules::Binding& binding : match.values) {
            if (binding.term.isValid()) bound.insert(binding.term);
            bound.insert(binding.sequence.begin(), binding.sequence.end());
        }
        Group group{.result = result, .nodes = {}, .made = {}};
        absl::flat_hash_set<TermId> operands;
        walk(result, group.made, [&](TermId term) {
            if (!bound.contains(term) && m_own.childCount(term) > 0) return true;
            operands.insert(term);
            return false;
        });
        walk(node, group.nodes, [&](TermId term) { return m_own.childCount(term) > 0 && !operands.contains(term); });
        const bool isGroup = group.nodes.size() > 1 && group.nodes.size() <= LargestGroup;
        return isGroup ? std::optional(std::move(group)) : std::nullopt;
    }

    /// Lists the terms from one downwards that `enters` accepts, each once; gives up above the largest group.
    template <typename Enters>
    void walk(TermId from, std::vector<TermId>& terms, const Enters& enters) {
        absl::flat_hash_set<TermId> seen{from};
        std::vector<TermId> open;
        if (enters(from)) open.push_back(from);
        while (!open.empty() && terms.size() <= LargestGroup) {
            const TermId term = open.back();
            open.pop_back();
            terms.push_back(term);
            for (const TermId child : m_own.children(term)) {
                if (seen.insert(child).second && enters(child)) open.push_back(child);
            }
        }
    }

    const ir::TermBank& m_bank;
    ir::TermBank m_own;
    ir::Transplanter m_transplanter;
    std::shared_ptr<const KernelTable> m_kernels;
    std::uint32_t m_state = 0;
    std::size_t m_running = 0;
    std::vector<Given> m_given;  ///< by term of the program's bank
    std::deque<Own> m_nodes;     ///< by term of the own bank; references stay valid as it grows
    std::vector<TermId> m_children;
    absl::flat_hash_map<TermId, std::vector<TermId>> m_parts;  ///< by the tuple of users
    /// Nodes of the state that are computed together with others, and the parts of the common result in the own graph.
    absl::flat_hash_map<TermId, TermId> m_joint;
    absl::flat_hash_map<TermId, TermId> m_covered;  ///< nodes of the own graph, and the kernel's node
};

class KernelSum final : public CostEvaluator {
public:
    KernelSum(const ir::TermBank& bank, const Result<std::shared_ptr<const KernelTable>>& kernels,
              const MakeNodeCosts& makeNodes)
        : m_bank(bank),
          m_nodes(makeNodes()) {
        if (!kernels) {
            m_error = kernels.error();
            return;
        }
        m_covers.emplace(bank, *kernels);
        m_sum = sumOfNodes(m_covers->bank(), ir::Sharing::Graph, makeNodes());
    }

    Result<double> cost(TermId root, const std::stop_token& stop) override {
        if (m_error) return *m_error;
        MITOS_TRY(const double kernels, m_sum->cost(m_covers->of(root), stop));
        return kernels + OneNode * static_cast<double>(m_covers->running());
    }

    Result<std::vector<CostPart>> explain(TermId root, const std::stop_token& stop) override {
        MITOS_TRY(std::vector<NodeCost> nodes, explainNodes(root, stop));
        return graphParts(m_bank, root, std::move(nodes));
    }

    Result<std::vector<NodeCost>> explainNodes(TermId root, const std::stop_token& stop) override {
        if (m_error) return *m_error;
        const TermId graph = m_covers->of(root);
        MITOS_TRY(const std::vector<NodeCost> ofKernels, m_sum->explainNodes(graph, stop));
        Costs costs;
        std::size_t next = 0;
        for (const TermId node : ir::SharedNodes(m_covers->bank(), graph)) costs.emplace(node, &ofKernels[next++]);
        std::vector<NodeCost> nodes;
        for (const TermId node : ir::SharedNodes(m_bank, root)) nodes.push_back(own(node, costs));
        return nodes;
    }

    [[nodiscard]] NodeCosts* nodes() override { return m_nodes.get(); }
    [[nodiscard]] std::optional<std::uint32_t> reach() const override {
        return m_covers ? std::optional(m_covers->levels()) : std::nullopt;
    }
    [[nodiscard]] std::size_t bytes() const override {
        return m_sum == nullptr ? 0 : m_sum->bytes() + m_covers->bytes();
    }

private:
    using Costs = absl::flat_hash_map<TermId, const NodeCost*>;

    /// The cost of a node: that of the nodes of the runtime's graph below it that no earlier one has. Takes them from `costs`.
    NodeCost own(TermId node, Costs& costs) {
        ir::TermBank& bank = m_covers->bank();
        const TermId made = m_covers->at(node);
        if (const TermId kernel = m_covers->kernelOf(made); kernel.isValid() && !costs.contains(made)) {
            return {m_covers->runs(node) ? OneNode : 0.0,
                    fmt::format("{}: part of the kernel {}", m_bank.opName(node), bank.opName(kernel))};
        }
        NodeCost cost;
        std::vector<TermId> open{made};
        while (!open.empty()) {
            const auto found = costs.find(open.back());
            open.pop_back();
            if (found == costs.end()) continue;
            for (const TermId child : bank.children(found->first)) open.push_back(child);
            const NodeCost& part = *found->second;
            cost.cost += part.cost;
            cost.spread += part.spread;
            if (!part.reason.empty()) cost.reason += (cost.reason.empty() ? "" : "; ") + part.reason;
            cost.shares.insert(cost.shares.end(), part.shares.begin(), part.shares.end());
            costs.erase(found);
        }
        if (!m_covers->runs(node)) return cost;
        cost.cost += OneNode;
        if (!cost.shares.empty()) cost.shares.front().cost += OneNode;
        return cost;
    }

    const ir::TermBank& m_bank;
    std::unique_ptr<NodeCosts> m_nodes;  ///< of single nodes, without kernels
    std::optional<Error> m_error;
    std::optional<Covers> m_covers;
    std::unique_ptr<CostEvaluator> m_sum;
};

}  // namespace

std::shared_ptr<const CostModel> modelOfKernels(CostModelInfo info, std::shared_ptr<const Kernels> kernels,
                                                MakeNodeCosts nodes) {
    if (kernels == nullptr) return modelOfNodes(std::move(info), std::move(nodes));
    return modelOfPrograms(std::move(info), [kernels = std::move(kernels), nodes = std::move(nodes)](
                                                const ir::TermBank& bank, ir::FunctionId /*function*/) {
        return std::make_unique<KernelSum>(bank, kernels->table(bank.sharedRegistry()), nodes);
    });
}

}  // namespace mitos::cost
