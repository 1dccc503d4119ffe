// SPDX-License-Identifier: GPL-3.0-or-later
// A small e-graph, as simple as can be: classes of terms, closed under congruence by going round until nothing changes.
#pragma once

#include "core/rules/matching/graph_view.h"

#include <map>
#include <tuple>
#include <vector>

namespace mitos::tests {

class ToyGraph final : public rules::ClassView {
public:
    explicit ToyGraph(ir::TermBank& bank) : ClassView(bank) {}

    rules::PlaceId add(ir::TermId term) {
        std::vector<std::uint32_t> children;
        for (std::size_t i = 0; i < bank().childCount(term); ++i) children.push_back(add(bank().child(term, i)).value);
        const Key key = keyOf(term, children);
        if (const auto known = m_index.find(key); known != m_index.end()) return rules::PlaceId(find(known->second));
        const auto id = static_cast<std::uint32_t>(m_classes.size());
        m_parents.push_back(id);
        m_classes.push_back({{{term, std::move(children)}}, term});
        m_index.emplace(key, id);
        return rules::PlaceId(id);
    }

    void unite(rules::PlaceId a, rules::PlaceId b) { join(a.value, b.value); }

    /// After the last `unite`: classes closed under congruence, values chosen.
    void rebuild() {
        bool changed = true;
        while (changed) {
            changed = false;
            m_index.clear();
            for (std::uint32_t id = 0; id < m_classes.size(); ++id) {
                for (Node& node : m_classes[id].nodes) {
                    for (std::uint32_t& child : node.children) child = find(child);
                    const auto [known, isNew] = m_index.emplace(keyOf(node.term, node.children), id);
                    if (!isNew && find(known->second) != find(id)) {
                        join(known->second, id);
                        changed = true;
                    }
                }
            }
        }
        for (std::uint32_t id = 0; id < m_classes.size(); ++id) {
            if (find(id) == id) continue;
            auto& into = m_classes[find(id)].nodes;
            for (const Node& node : m_classes[id].nodes) {
                const auto same = [&](const Node& other) {
                    return keyOf(other.term, other.children) == keyOf(node.term, node.children);
                };
                if (std::none_of(into.begin(), into.end(), same)) into.push_back(node);
            }
            m_classes[id].nodes.clear();
        }
        chooseValues();
    }

    [[nodiscard]] std::vector<rules::PlaceId> places() const {
        std::vector<rules::PlaceId> result;
        for (std::uint32_t id = 0; id < m_classes.size(); ++id) {
            if (m_parents[id] == id) result.emplace_back(id);
        }
        return result;
    }

protected:
    [[nodiscard]] std::size_t classSize(rules::PlaceId place) const override { return at(place).nodes.size(); }
    [[nodiscard]] ir::TermId classNode(rules::PlaceId place, std::size_t index) const override {
        return at(place).nodes[index].term;
    }
    [[nodiscard]] rules::PlaceId classChild(rules::PlaceId place, std::size_t node, std::size_t index) const override {
        return rules::PlaceId(at(place).nodes[node].children[index]);
    }
    [[nodiscard]] ir::TermId classValue(rules::PlaceId place) const override { return at(place).value; }
    [[nodiscard]] rules::PlaceId classOf(ir::TermId term) const override {
        std::vector<std::uint32_t> children;
        for (const ir::TermId child : bank().children(term)) {
            children.push_back(classOf(child).value);
            if (children.back() == rules::PlaceId::Invalid) return {};
        }
        const auto known = m_index.find(keyOf(term, children));
        return known == m_index.end() ? rules::PlaceId() : rules::PlaceId(find(known->second));
    }

private:
    struct Node {
        ir::TermId term;
        std::vector<std::uint32_t> children;
    };
    struct Class {
        std::vector<Node> nodes;
        ir::TermId value;
    };
    using Key = std::tuple<std::uint32_t, int, std::uint64_t, std::uint32_t, std::vector<std::uint32_t>>;

    [[nodiscard]] const Class& at(rules::PlaceId place) const { return m_classes[place.value]; }
    [[nodiscard]] Key keyOf(ir::TermId term, const std::vector<std::uint32_t>& children) const {
        const ir::Payload& payload = bank().payload(term);
        return {bank().op(term).value, static_cast<int>(payload.kind()), payload.rawBits(), bank().type(term).value,
                children};
    }
    [[nodiscard]] std::uint32_t find(std::uint32_t id) const {
        while (m_parents[id] != id) id = m_parents[id];
        return id;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        if (a != b) m_parents[std::max(a, b)] = std::min(a, b);
    }

    /// The term that reaches out of the fewest binders, among those the smallest.
    void chooseValues() {
        std::map<std::uint32_t, ir::TermId> best;
        const auto rank = [&](ir::TermId term) { return std::pair(bank().looseBound(term), bank().treeSize(term)); };
        bool changed = true;
        while (changed) {
            changed = false;
            for (const rules::PlaceId place : places()) {
                for (const Node& node : at(place).nodes) {
                    std::vector<ir::TermId> children;
                    for (const std::uint32_t child : node.children) {
                        if (best.contains(child)) children.push_back(best.at(child));
                    }
                    if (children.size() < node.children.size()) continue;
                    const Result<ir::TermId> term = bank().withChildren(node.term, children);
                    if (!term) continue;
                    const auto known = best.find(place.value);
                    if (known != best.end() && rank(known->second) <= rank(*term)) continue;
                    best[place.value] = *term;
                    changed = true;
                }
            }
        }
        for (const auto& [id, term] : best) m_classes[id].value = term;
    }

    std::vector<Class> m_classes;
    std::vector<std::uint32_t> m_parents;
    std::map<Key, std::uint32_t> m_index;
};

}  // namespace mitos::tests
