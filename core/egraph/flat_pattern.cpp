// SPDX-License-Identifier: GPL-3.0-or-later
// See flat_pattern.h.
#include "core/egraph/flat_pattern.h"

#include "core/rules/matching/scope.h"

#include <algorithm>

namespace mitos::egraph {

using rules::NodeKind;

std::optional<FlatPattern> FlatPattern::compile(const rules::CompiledRule& rule, std::span<const std::uint32_t> roots) {
    if (!rule.constraints.empty() || !rule.locals.empty()) return std::nullopt;
    FlatPattern pattern;
    pattern.m_variables = static_cast<std::uint32_t>(rule.valueCount);
    pattern.m_isAttribute.resize(pattern.m_variables, false);
    bool isFlat = true;
    for (const std::uint32_t root : roots) {
        const auto number = static_cast<std::uint32_t>(pattern.m_roots.size());
        if (rule.table.nodes[root].kind != NodeKind::Apply) return std::nullopt;
        pattern.m_roots.push_back(pattern.addNode(rule, rule.table.nodes[root], None, 0, number, isFlat));
        if (!isFlat) return std::nullopt;
    }
    std::vector<bool> isKnown(pattern.m_variables, false);
    for (const Node& node : pattern.m_nodes) {
        if (node.kind != Node::Kind::Variable || isKnown[node.number]) continue;
        if (pattern.m_isAttribute[node.number]) return std::nullopt;
        isKnown[node.number] = true;
        pattern.m_uses.push_back({node.number, pattern.m_nodes[node.parent].number, node.place});
    }
    for (std::uint32_t root = 0; root < pattern.m_roots.size(); ++root) {
        pattern.m_plans.push_back(pattern.planFrom(root));
    }
    return pattern;
}

std::uint32_t FlatPattern::addNode(const rules::CompiledRule& rule, const rules::Node& node, std::uint32_t parent,
                                   std::uint32_t place, std::uint32_t root, bool& isFlat) {
    const auto id = static_cast<std::uint32_t>(m_nodes.size());
    Node flat;
    flat.parent = parent;
    if (parent != None) flat.parentNumber = m_nodes[parent].number;
    flat.place = place;
    flat.root = root;
    switch (node.kind) {
        case NodeKind::Variable:
            flat.number = node.var;
            isFlat = isFlat && rule.variables[node.var].kind == rules::VarKind::Term;
            break;
        case NodeKind::Literal:
        case NodeKind::Text:
        case NodeKind::Number:
        case NodeKind::Approx:
            flat.kind = Node::Kind::Literal;
            flat.op = opId(ir::CoreOp::Literal).value;
            flat.literal = &node;
            isFlat = isFlat && !node.op.isValid();  // constant arrays need the general matcher
            // Literals matched by numbers of open type are part of a substitution.
            if (node.kind == NodeKind::Number || node.kind == NodeKind::Approx) m_choices.push_back({false, id});
            break;
        case NodeKind::Apply:
            flat.kind = Node::Kind::Operator;
            flat.op = node.op.value;
            flat.arity = node.childCount;
            flat.number = m_operators++;
            if (node.op == opId(ir::CoreOp::Get)) flat.projection = node.index;
            isFlat = isFlat && node.binder == rules::NoVar && node.var == rules::NoVar;
            flat.firstAttribute = static_cast<std::uint32_t>(m_attributes.size());
            isFlat = isFlat && addAttributes(rule, node, flat.number);
            flat.attributeEnd = static_cast<std::uint32_t>(m_attributes.size());
            m_byOperator.push_back(id);
            break;
        default: isFlat = false;
    }
    m_nodes.push_back(std::move(flat));
    for (std::uint32_t i = 0; isFlat && node.kind == NodeKind::Apply && i < node.childCount; ++i) {
        const std::uint32_t child = addNode(rule, rule.table.child(node, i), id, i, root, isFlat);
        m_nodes[id].children.push_back(child);
    }
    return id;
}

bool FlatPattern::addAttributes(const rules::CompiledRule& rule, const rules::Node& node, std::uint32_t number) {
    if (!node.attributes.empty()) m_attributeOperators.push_back(number);
    for (std::uint32_t i = 0; i < node.attributes.size(); ++i) {
        AttributePattern place;
        place.operatorNumber = number;
        place.attribute = i;
        if (!addAttribute(rule, rule.table.nodes[node.attributes[i]], place)) return false;
    }
    return true;
}

bool FlatPattern::addAttribute(const rules::CompiledRule& rule, const rules::Node& node, AttributePattern place) {
    using Kind = AttributePattern::Kind;
    switch (node.kind) {
        case NodeKind::Variable:
            if (rule.variables[node.var].kind != rules::VarKind::Term) return false;
            place.kind = Kind::Variable;
            place.variable = node.var;
            m_isAttribute[node.var] = true;
            break;
        case NodeKind::Literal:
        case NodeKind::Text:
        case NodeKind::Approx:
            place.kind = Kind::Literal;
            place.literal = &node;
            break;
        case NodeKind::AnyLiteral: break;
        case NodeKind::Apply:
            if (node.op != opId(ir::CoreOp::Tuple) || place.element != None) return false;
            place.kind = Kind::List;
            place.length = node.childCount;
            m_attributes.push_back(place);
            for (place.element = 0; place.element < node.childCount; ++place.element) {
                if (!addAttribute(rule, rule.table.child(node, place.element), place)) return false;
            }
            return true;
        default: return false;
    }
    if (node.kind == NodeKind::Approx || node.kind == NodeKind::AnyLiteral) {
        m_choices.push_back({true, static_cast<std::uint32_t>(m_attributes.size())});
    }
    m_attributes.push_back(place);
    return true;
}

void FlatPattern::orderOf(std::uint32_t node, std::vector<std::uint32_t>& order) const {
    order.push_back(node);
    // Leaves, which are only compared, come before operators, which are searched.
    for (const std::uint32_t child : m_nodes[node].children) {
        if (m_nodes[child].kind != Node::Kind::Operator) order.push_back(child);
    }
    for (const std::uint32_t child : m_nodes[node].children) {
        if (m_nodes[child].kind == Node::Kind::Operator) orderOf(child, order);
    }
}

std::vector<FlatPattern::RootPlan> FlatPattern::planFrom(std::uint32_t first) const {
    std::vector<std::vector<std::uint32_t>> orders(m_roots.size());
    for (std::size_t root = 0; root < m_roots.size(); ++root) orderOf(m_roots[root], orders[root]);
    std::vector<bool> bound(m_variables, false);
    std::vector<bool> done(m_roots.size(), false);
    std::vector<RootPlan> plans;
    const auto take = [&](std::uint32_t root, std::uint32_t anchor) {
        done[root] = true;
        RootPlan& plan = plans.emplace_back(RootPlan{root, anchor, {}, std::vector<bool>(m_attributes.size())});
        for (const std::uint32_t node : orders[root]) {
            const bool binds = m_nodes[node].kind == Node::Kind::Variable && !bound[m_nodes[node].number];
            if (binds) bound[m_nodes[node].number] = true;
            plan.steps.push_back({node, binds});
            for (std::uint32_t i = m_nodes[node].firstAttribute; i < m_nodes[node].attributeEnd; ++i) {
                const AttributePattern& attribute = m_attributes[i];
                if (attribute.kind != AttributePattern::Kind::Variable || bound[attribute.variable]) continue;
                bound[attribute.variable] = plan.bindsAttribute[i] = true;
            }
        }
    };
    const auto anchorOf = [&](std::uint32_t root) {
        const auto found = std::ranges::find_if(orders[root], [&](std::uint32_t node) {
            return m_nodes[node].kind == Node::Kind::Variable && bound[m_nodes[node].number];
        });
        return found == orders[root].end() ? None : *found;
    };
    take(first, None);
    while (plans.size() < m_roots.size()) {
        std::uint32_t next = None;
        std::uint32_t anchor = None;
        for (std::uint32_t root = 0; root < m_roots.size() && anchor == None; ++root) {
            if (done[root]) continue;
            anchor = anchorOf(root);
            if (next == None || anchor != None) next = root;
        }
        take(next, anchor);
    }
    return plans;
}

/// One search: the call stack holds registers and choice points.
class FlatSearch {
public:
    using Found = absl::FunctionRef<bool(std::span<const std::uint32_t>)>;

    FlatSearch(const FlatPattern& pattern, EGraph& graph, std::uint32_t since, FlatPattern::HeadMemo& memo, Found found,
               MayJoin mayJoin, MayGoOn mayGoOn)
        : m_pattern(pattern),
          m_graph(graph),
          m_index(graph.index()),
          m_memo(memo),
          m_since(since),
          m_found(found),
          m_mayJoin(mayJoin),
          m_mayGoOn(mayGoOn),
          m_class(pattern.m_nodes.size(), None),
          m_isFixed(pattern.m_operators, 0),
          m_match(pattern.m_operators, None),
          m_variable(pattern.m_variables, None) {}

    bool run() {
        if (m_since == 0) return startAtRoot(0);
        for (std::uint32_t delta = 0; delta < m_pattern.m_operators; ++delta) {
            m_delta = delta;
            if (!startAt(m_pattern.m_byOperator[delta])) return false;
        }
        // A class that has become equal to a literal may create a match of old nodes.
        m_delta = NoDelta;
        for (std::uint32_t id = 0; id < m_pattern.m_nodes.size(); ++id) {
            if (node(id).kind == Node::Kind::Literal && !startAt(id)) return false;
        }
        return true;
    }

private:
    using Node = FlatPattern::Node;
    using Form = FlatPattern::HeadMemo::Form;
    static constexpr std::uint32_t None = FlatPattern::None;
    static constexpr std::uint32_t NoDelta = None;

    /// Number of steps between two calls of `mayGoOn`.
    static constexpr std::uint32_t Patience = 1024;

    [[nodiscard]] const Node& node(std::uint32_t id) const { return m_pattern.m_nodes[id]; }
    std::uint32_t& matched(const Node& node) { return m_match[node.number]; }
    std::uint32_t& variable(const Node& node) { return m_variable[node.number]; }

    bool goesOn() { return ++m_steps % Patience != 0 || m_mayGoOn(); }

    [[nodiscard]] std::uint32_t stamp(const Node& pattern, std::uint32_t candidate) const {
        const ENodeId node(candidate);
        return pattern.parent == None ? m_graph.childStamp(node) : m_graph.stamp(node);
    }

    /// Whether a graph node with that head can match the pattern node, apart from the operator.
    [[nodiscard]] bool fits(const Node& pattern, std::uint32_t candidate, const Head& head) const {
        if (head.arity != pattern.arity) return false;
        if (pattern.projection && head.payload.projectionIndex() != *pattern.projection) return false;
        const bool isMeant = m_delta == NoDelta || pattern.kind != Node::Kind::Operator || pattern.number >= m_delta ||
                             stamp(pattern, candidate) < m_since;
        return isMeant && (!pattern.hasAttributes() || haveForm(pattern, m_graph.headOf(ENodeId(candidate))));
    }

    [[nodiscard]] bool haveForm(const Node& pattern, HeadId head) const {
        std::vector<Form>& forms = m_memo.forms[pattern.number];
        if (head.value >= forms.size()) forms.resize(m_graph.heads().size(), Form::Unknown);
        if (forms[head.value] == Form::Unknown) readForm(pattern, head);
        return forms[head.value] == Form::Fits;
    }

    /// Enters what the attributes of a head mean to an operator of the pattern.
    void readForm(const Node& pattern, HeadId head) const {
        using Kind = FlatPattern::AttributePattern::Kind;
        const ir::TermBank& bank = m_graph.bank();
        const std::span<const ir::TermId> values = m_graph.attributes(head);
        bool isFitting = !values.empty();  // they are empty for a call of a function with the operator's name
        for (std::uint32_t i = pattern.firstAttribute; i < pattern.attributeEnd && isFitting; ++i) {
            const FlatPattern::AttributePattern& wanted = m_pattern.m_attributes[i];
            if (wanted.kind == Kind::List) {
                const ir::TermId list = values[wanted.attribute];
                isFitting = bank.is(list, ir::CoreOp::Tuple) && bank.childCount(list) == wanted.length;
            } else if (wanted.kind == Kind::Literal) {
                isFitting = isValue(*wanted.literal, wanted.in(bank, values));
            } else if (wanted.kind == Kind::Variable) {
                std::vector<std::uint32_t>& known = m_memo.values[i];
                if (head.value >= known.size()) known.resize(m_graph.heads().size(), None);
                known[head.value] = wanted.in(bank, values).value;
            }
        }
        m_memo.forms[pattern.number][head.value] = isFitting ? Form::Fits : Form::Differs;
    }

    /// Binds the attribute variables of the node that an operator of the plan matches; returns whether those that were
    /// bound before have the same values.
    bool bindAttributes(const FlatPattern::RootPlan& plan, const Node& pattern) {
        const HeadId head = m_graph.headOf(ENodeId(matched(pattern)));
        for (std::uint32_t i = pattern.firstAttribute; i < pattern.attributeEnd; ++i) {
            const FlatPattern::AttributePattern& wanted = m_pattern.m_attributes[i];
            if (wanted.kind != FlatPattern::AttributePattern::Kind::Variable) continue;
            const std::uint32_t value = m_memo.values[i][head.value];
            if (plan.bindsAttribute[i]) {
                m_variable[wanted.variable] = value;
            } else if (m_variable[wanted.variable] != value) {
                return false;
            }
        }
        return true;
    }

    bool startAtRoot(std::uint32_t root) {
        m_plans = &m_pattern.m_plans[root];
        return everyNode(m_pattern.m_roots[root], 0, [&] { return proceed(0, 0); });
    }

    /// Tries every node with the operator that changed in the epoch `since` or later.
    template <typename Then>
    bool everyNode(std::uint32_t id, std::uint32_t since, Then then) {
        const Node& pattern = node(id);
        const std::uint32_t begin = m_index.opBegin[pattern.op];
        const std::uint32_t end = m_index.opBegin[pattern.op + 1];
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t candidate = m_index.byOp[i];
            if (!goesOn()) return false;
            if (stamp(pattern, candidate) < since) continue;
            if (!fits(pattern, candidate, m_graph.headInfo(ENodeId(candidate)))) continue;
            if (!fixed(id, candidate, then)) return false;
        }
        return true;
    }

    /// Runs `then` with an operator's node fixed before its step is reached.
    template <typename Then>
    bool fixed(std::uint32_t id, std::uint32_t candidate, Then then) {
        const Node& pattern = node(id);
        const bool isOperator = pattern.kind == Node::Kind::Operator;
        if (isOperator) {
            m_isFixed[pattern.number] = 1;
            matched(pattern) = candidate;
        }
        m_class[id] = m_graph.find(ENodeId(candidate)).value;
        const bool goOn = then();
        if (isOperator) m_isFixed[pattern.number] = 0;
        return goOn;
    }

    bool startAt(std::uint32_t id) {
        m_plans = &m_pattern.m_plans[node(id).root];
        return everyNode(id, m_since, [&] {
            return (node(id).kind == Node::Kind::Literal && !isLiteral(node(id), m_class[id])) || climb(id, 0);
        });
    }

    /// Matches the operators above a node whose class is known, up to the root; then the rest of the root, which is
    /// number `plan`.
    bool climb(std::uint32_t id, std::size_t plan) {
        const std::uint32_t above = node(id).parent;
        if (above == None) return proceed(plan, 0);
        const Node& pattern = node(above);
        const std::uint32_t wanted = node(id).place;
        bool goOn = true;
        m_graph.forEachUse(ENodeId(m_class[id]), [&](ENodeId user, std::uint32_t place) {
            if (place != wanted || !goOn) return;
            if (!goesOn()) {
                goOn = false;
                return;
            }
            const Head& head = m_graph.headInfo(user);
            if (head.matched.value != pattern.op || !fits(pattern, user.value, head) || m_graph.isPruned(user)) return;
            goOn = fixed(above, user.value, [&] { return climb(above, plan); });
        });
        return goOn;
    }

    /// Runs the steps of root number `number` from `at` on, then the following roots.
    bool proceed(std::size_t number, std::size_t at) {
        const std::vector<FlatPattern::Step>& steps = (*m_plans)[number].steps;
        for (; at < steps.size(); ++at) {
            const std::uint32_t id = steps[at].node;
            const Node& pattern = node(id);
            std::uint32_t eclass = m_class[id];
            if (pattern.parent != None) {
                eclass = m_graph.child(ENodeId(m_match[pattern.parentNumber]), pattern.place).value;
            }
            switch (pattern.kind) {
                case Node::Kind::Variable:
                    if (steps[at].binds) {
                        variable(pattern) = eclass;
                    } else if (variable(pattern) != eclass) {
                        return true;
                    }
                    break;
                case Node::Kind::Literal:
                    if (!isLiteral(pattern, eclass)) return true;
                    break;
                case Node::Kind::Operator:
                    if (m_isFixed[pattern.number] == 0) {
                        m_class[id] = eclass;
                        return everyMember(number, at);
                    }
                    if (m_class[id] != eclass) return true;
                    if (pattern.hasAttributes() && !bindAttributes((*m_plans)[number], pattern)) return true;
                    break;
            }
        }
        return m_plans->size() == 1 ? m_found(m_match) : joinFrom(number + 1);
    }

    /// Matches the operator of step `at` of the root with the members of its class.
    bool everyMember(std::size_t number, std::size_t at) {
        const std::uint32_t id = (*m_plans)[number].steps[at].node;
        const Node& pattern = node(id);
        const std::uint32_t eclass = m_class[id];
        const EGraph::IndexRange range = m_graph.indexRange(ENodeId(eclass));
        const auto begin = m_index.memberOps.begin() + range.begin;
        const auto end = m_index.memberOps.begin() + range.end;
        for (auto i = end - begin > 16 ? std::lower_bound(begin, end, pattern.op) : begin; i != end; ++i) {
            if (*i < pattern.op) continue;
            if (*i > pattern.op) break;
            const std::uint32_t candidate = m_index.members[static_cast<std::size_t>(i - m_index.memberOps.begin())];
            if (!goesOn()) return false;
            if (!fits(pattern, candidate, m_graph.headInfo(ENodeId(candidate)))) continue;
            matched(pattern) = candidate;
            if (pattern.hasAttributes() && !bindAttributes((*m_plans)[number], pattern)) continue;
            if (!proceed(number, at + 1)) return false;
        }
        return true;
    }

    bool isLiteral(const Node& pattern, std::uint32_t eclass) {
        const ENodeId literal = m_graph.literal(ENodeId(eclass));
        return literal.isValid() && isValue(*pattern.literal, m_graph.term(literal));
    }

    /// Whether the literal, or the list of an attribute, is the value of a Literal, Text, Number or Approx node.
    [[nodiscard]] bool isValue(const rules::Node& wanted, ir::TermId literal) const {
        const ir::TermBank& bank = m_graph.bank();
        if (!bank.is(literal, ir::CoreOp::Literal)) return false;
        const ir::Payload& payload = bank.payload(literal);
        switch (wanted.kind) {
            case NodeKind::Literal: return payload == wanted.payload;
            case NodeKind::Text:
                return payload.kind() == ir::PayloadKind::String && bank.text(payload.asSymbol()) == wanted.name;
            default: return rules::isNumber(bank, literal, wanted);
        }
    }

    /// The class that root number `number` of the plan has matched.
    [[nodiscard]] RootClass rootOf(std::size_t number) const {
        const std::uint32_t root = (*m_plans)[number].root;
        return {root, m_graph.find(ENodeId(m_match[m_pattern.rootOperator(root)])).value};
    }

    /// Matches root number `next` of the plan; after the last root the match is complete.
    bool joinFrom(std::size_t next) {
        for (std::size_t before = 0; before + 1 < next; ++before) {
            if (!m_mayJoin(rootOf(before), rootOf(next - 1))) return true;
        }
        if (next == m_plans->size()) return m_found(m_match);
        const FlatPattern::RootPlan& plan = (*m_plans)[next];
        if (plan.anchor == None) return everyNode(m_pattern.m_roots[plan.root], 0, [&] { return proceed(next, 0); });
        m_class[plan.anchor] = variable(node(plan.anchor));
        return climb(plan.anchor, next);
    }

    const FlatPattern& m_pattern;
    EGraph& m_graph;
    const EGraph::Index& m_index;
    FlatPattern::HeadMemo& m_memo;
    std::uint32_t m_since;
    Found m_found;
    MayJoin m_mayJoin;
    MayGoOn m_mayGoOn;
    std::vector<std::uint32_t> m_class;   // by pattern node
    std::vector<std::uint8_t> m_isFixed;  // by operator
    std::vector<std::uint32_t> m_match;
    std::vector<std::uint32_t> m_variable;  // classes, by VarIndex
    std::uint32_t m_delta = NoDelta;
    const std::vector<FlatPattern::RootPlan>* m_plans = nullptr;  // of the current pass
    std::uint32_t m_steps = 0;
};

bool FlatPattern::search(EGraph& graph, std::uint32_t since, HeadMemo& memo,
                         absl::FunctionRef<bool(std::span<const std::uint32_t>)> found, MayJoin mayJoin,
                         MayGoOn mayGoOn) const {
    for (const std::uint32_t node : m_byOperator) {
        if (m_nodes[node].op >= graph.bank().registry().size()) return true;
    }
    memo.forms.resize(m_operators);
    memo.values.resize(m_attributes.size());
    return FlatSearch(*this, graph, since, memo, found, mayJoin, mayGoOn).run();
}

}  // namespace mitos::egraph
