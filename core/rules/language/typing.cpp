// SPDX-License-Identifier: GPL-3.0-or-later
// Searches depth-first over the variables and prunes as soon as a subterm whose variables all have types is ill-typed.
#include "core/rules/language/typing.h"

#include <algorithm>
#include <array>

namespace mitos::rules {

using ir::CoreOp;
using ir::TypeId;

namespace {

/// The type of a node under a partial choice: known, not yet known, or impossible.
struct Verdict {
    enum class State : std::uint8_t { Known, Open, Impossible };
    State state = State::Open;
    TypeId type;

    static Verdict known(TypeId t) { return {State::Known, t}; }
    static Verdict impossible() { return {State::Impossible, {}}; }
};

class Search {
public:
    Search(const CompiledRule& rule, const ir::OperatorRegistry& registry, ir::TypeTable& types, bool bothSides,
           std::uint64_t mostSteps, absl::FunctionRef<bool(const Typing&)> found)
        : m_rule(rule),
          m_registry(registry),
          m_types(types),
          m_bothSides(bothSides),
          m_mostSteps(mostSteps),
          m_report(found) {
        m_typing.types.resize(rule.variables.size());
        m_typing.sequences.resize(rule.variables.size());
        m_typing.attributes.resize(rule.variables.size(), -1);
        m_typing.numbers.resize(rule.table.nodes.size());
        m_known.resize(rule.variables.size(), false);
        fillCandidates();
        // The types of variables bound by lambdas are tried like the others if their place does not determine them; those of lets and
        // loops follow from other types.
        for (std::size_t i = 0; i < rule.valueCount; ++i) {
            const VarKind kind = rule.variables[i].kind;
            if (kind == VarKind::Term || kind == VarKind::Sequence || kind == VarKind::Attribute) {
                m_order.push_back(static_cast<VarIndex>(i));
            }
        }
        collectNumbers(rule.left, m_leftNumbers);
        for (const CompiledBranch& branch : rule.branches) collectNumbers(branch.root, m_rightNumbers);
    }

    bool run() {
        assign(0);
        if (m_found || m_stopped) return !m_exhausted;
        addRareCandidates();
        assign(0);
        return !m_exhausted;
    }

private:
    void addRareCandidates() {
        const TypeId floating = m_types.floating();
        const TypeId integer = m_types.integer();
        for (std::size_t arity = 3; arity <= 6; ++arity)
            m_candidates.push_back(m_types.tuple(std::vector<TypeId>(arity, floating)));
        const std::array pair{floating, floating};
        const TypeId pairType = m_types.tuple(pair);
        const TypeId vec = m_types.vec(floating);
        const TypeId number = m_types.linearMap(floating, floating);
        const TypeId scaling = m_types.linearMap(floating, vec);
        const TypeId product = m_types.linearMap(vec, floating);
        for (const TypeId type :
             {m_types.lambda(floating, floating), m_types.lambda(integer, floating), m_types.lambda(pairType, floating),
              m_types.tensor(2, floating), m_types.vec(integer), number, scaling, product, m_types.linearMap(vec, vec),
              m_types.linearMap(pairType, floating), m_types.linearMap(floating, pairType), m_types.string()}) {
            m_candidates.push_back(type);
        }
        for (const std::vector<TypeId>& maps : std::vector<std::vector<TypeId>>{
                 {number}, {number, number}, {scaling}, {number, scaling}, {product}, {product, number}}) {
            m_sequences.push_back(maps);
        }
    }

    void fillCandidates() {
        const TypeId floating = m_types.floating();
        const TypeId integer = m_types.integer();
        const TypeId vec = m_types.vec(floating);
        const TypeId matrix = m_types.vec(vec);
        const std::array pair{floating, floating};
        const std::array mixed{floating, vec};
        const std::array indices{integer, integer};
        const TypeId pairType = m_types.tuple(pair);
        m_candidates = {floating,
                        integer,
                        vec,
                        m_types.boolean(),
                        matrix,
                        pairType,
                        m_types.tuple(mixed),
                        m_types.tuple(indices),
                        m_types.vec(pairType)};
        m_sequences = {{floating, floating},
                       {floating},
                       {floating, floating, floating},
                       {floating, vec},
                       {integer, floating},
                       {},
                       {vec},
                       {vec, floating, vec}};
    }

    void collectNumbers(std::uint32_t node, std::vector<std::uint32_t>& into) const {
        if (node == NoNode) return;
        const Node& n = m_rule.table.nodes[node];
        if (n.kind == NodeKind::Number) into.push_back(node);
        for (std::size_t i = 0; i < n.childCount; ++i) collectNumbers(m_rule.table.children[n.firstChild + i], into);
    }

    bool assign(std::size_t at) {
        if (at == m_order.size()) return numbers(0);
        const VarIndex var = m_order[at];
        m_known[var] = true;
        bool continues = true;
        const auto tryIt = [&] {
            const bool possible = leftType().state != Verdict::State::Impossible;
            if (possible) continues = assign(at + 1);
        };
        switch (m_rule.variables[var].kind) {
            case VarKind::Attribute:
                for (std::int64_t i = 0; i < 3 && continues; ++i) {
                    m_typing.attributes[var] = i;
                    tryIt();
                }
                break;
            case VarKind::Sequence:
                for (std::size_t i = 0; i < m_sequences.size() && continues; ++i) {
                    m_typing.sequences[var] = m_sequences[i];
                    tryIt();
                }
                break;
            default:
                for (std::size_t i = 0; i < m_candidates.size() && continues; ++i) {
                    m_typing.types[var] = m_candidates[i];
                    tryIt();
                }
        }
        m_known[var] = false;
        return continues;
    }

    bool numbers(std::size_t at) {
        if (at == m_leftNumbers.size()) return complete();
        for (const TypeId type : {m_types.floating(), m_types.integer()}) {
            m_typing.numbers[m_leftNumbers[at]] = type;
            const bool possible = leftType().state != Verdict::State::Impossible;
            if (possible && !numbers(at + 1)) return false;
        }
        m_typing.numbers[m_leftNumbers[at]] = TypeId();
        return true;
    }

    bool complete() {
        const Verdict left = leftType();
        if (left.state != Verdict::State::Known) return true;
        m_typing.result = left.type;
        if (m_bothSides && !rightFits(left.type, 0)) return true;
        m_found = true;
        m_stopped = !m_report(m_typing);
        return !m_stopped;
    }

    bool rightFits(TypeId wanted, std::size_t at) {
        m_exhausted = ++m_steps > m_mostSteps;
        if (m_exhausted) return false;
        if (at < m_rightNumbers.size()) {
            for (const TypeId type : {m_types.floating(), m_types.integer()}) {
                m_typing.numbers[m_rightNumbers[at]] = type;
                if (rightFits(wanted, at + 1)) return true;
            }
            return false;
        }
        return std::ranges::any_of(m_rule.branches, [&](const CompiledBranch& branch) {
            m_scope.clear();
            const Verdict right = typeOf(branch.root, {});
            // A type that depends on a computed constant stays open.
            return right.state == Verdict::State::Open ||
                   (right.state == Verdict::State::Known && right.type == wanted);
        });
    }

    Verdict leftType() {
        m_exhausted = ++m_steps > m_mostSteps;
        if (m_exhausted) return Verdict::impossible();
        m_scope.clear();
        return typeOf(m_rule.left, {});
    }

    Verdict typeOf(std::uint32_t index, TypeId loopIndex) {
        const Node& node = m_rule.table.nodes[index];
        switch (node.kind) {
            case NodeKind::Variable:
                if (m_rule.variables[node.var].kind == VarKind::Sequence) return element(node.var);
                if (!m_known[node.var]) return {};
                return Verdict::known(m_typing.types[node.var]);
            case NodeKind::Bound:
                for (auto it = m_scope.rbegin(); it != m_scope.rend(); ++it) {
                    if (it->first == node.var) return it->second.isValid() ? Verdict::known(it->second) : Verdict();
                }
                return {};
            case NodeKind::Literal:
                switch (node.payload.kind()) {
                    case ir::PayloadKind::Float: return Verdict::known(m_types.floating());
                    case ir::PayloadKind::Integer: return Verdict::known(m_types.integer());
                    default: return Verdict::known(m_types.boolean());
                }
            case NodeKind::Text: return Verdict::known(m_types.string());
            case NodeKind::Number: {
                const TypeId type = m_typing.numbers[index];
                return type.isValid() ? Verdict::known(type) : Verdict();
            }
            case NodeKind::Approx: return Verdict::known(m_types.floating());
            case NodeKind::Apply: return applied(node, loopIndex);
            case NodeKind::Substitute: {
                const Verdict value = typeOf(m_rule.table.children[node.firstChild + 1], {});
                m_scope.emplace_back(node.binder, value.type);
                const Verdict body = typeOf(m_rule.table.children[node.firstChild], {});
                m_scope.pop_back();
                return value.state == Verdict::State::Impossible ? value : body;
            }
            default: return {};
        }
    }

    Verdict element(VarIndex var) const {
        if (!m_known[var]) return {};
        const auto& elements = m_typing.sequences[var];
        return m_element < elements.size() ? Verdict::known(elements[m_element]) : Verdict::impossible();
    }

    Verdict binder(const Node& node, TypeId loopIndex) {
        const bool isLet = node.op == ir::opId(CoreOp::Let);
        TypeId type = loopIndex;
        if (isLet) {
            const Verdict value = typeOf(m_rule.table.children[node.firstChild], {});
            if (value.state == Verdict::State::Impossible) return value;
            type = value.type;
        } else if (!node.binderType.empty()) {
            type = node.binderType.front().in(m_types);
        }
        if (node.binder < m_typing.types.size() && type.isValid()) m_typing.types[node.binder] = type;
        m_scope.emplace_back(node.binder, type);
        const Verdict body = typeOf(m_rule.table.children[node.firstChild + (isLet ? 1 : 0)], {});
        m_scope.pop_back();
        if (isLet || body.state != Verdict::State::Known) return body;
        return type.isValid() ? Verdict::known(m_types.lambda(type, body.type)) : Verdict();
    }

    Verdict applied(const Node& node, TypeId loopIndex) {
        if (node.binder != NoVar) return binder(node, loopIndex);
        std::vector<TypeId> children;
        bool open = false;
        for (std::size_t i = 0; i < node.childCount; ++i) {
            const std::uint32_t child = m_rule.table.children[node.firstChild + i];
            const Node& c = m_rule.table.nodes[child];
            if (c.kind == NodeKind::Sequence) {
                if (!m_known[c.var]) {
                    open = true;
                    continue;
                }
                const auto& elements = m_typing.sequences[c.var];
                children.insert(children.end(), elements.begin(), elements.end());
                continue;
            }
            const bool expands = c.kind == NodeKind::Expand;
            const std::uint32_t inner = expands ? m_rule.table.children[c.firstChild] : child;
            const std::size_t count = expands ? expansion(inner) : 1;
            for (std::size_t k = 0; k < count; ++k) {
                if (expands) m_element = k;
                const TypeId index = i > 0 && !children.empty() ? children[0] : mappedElement(node, i);
                const Verdict verdict = typeOf(inner, index);
                if (verdict.state == Verdict::State::Impossible) return verdict;
                open = open || verdict.state == Verdict::State::Open;
                children.push_back(verdict.type);
            }
        }
        if (open) return {};
        ir::Payload payload;
        if (node.op == ir::opId(CoreOp::Get)) {
            if (!m_types.isTuple(children[0])) return Verdict::impossible();
            std::int64_t index = node.index;
            if (node.var != NoVar) {
                if (!m_known[node.var]) return {};
                index = m_typing.attributes[node.var];
            }
            const auto arity = static_cast<std::uint32_t>(m_types.children(children[0]).size());
            if (index >= arity) return Verdict::impossible();
            payload = ir::Payload::projection(static_cast<std::uint32_t>(index), arity);
        }
        const ir::OperatorInfo& info = m_registry.info(node.op);
        if (children.size() < info.minArity || children.size() > info.maxArity) return Verdict::impossible();
        const Result<TypeId> type = info.typeRule({m_types, payload, children, info});
        return type ? Verdict::known(*type) : Verdict::impossible();
    }

    /// The type of a function's argument, determined by what follows it: the tensor, as in map, or the state and the vector of a fold.
    TypeId mappedElement(const Node& node, std::size_t child) {
        if (child != 0 || node.childCount < 2 || m_rule.table.child(node, 0).op != ir::opId(CoreOp::Lam)) return {};
        if (node.childCount == 2) return elementOf(node, 1);
        if (node.childCount != 3 || m_registry.info(node.op).name != "fold") return {};
        const Verdict state = typeOf(m_rule.table.children[node.firstChild + 1], {});
        const TypeId element = elementOf(node, 2);
        if (state.state != Verdict::State::Known || !element.isValid()) return {};
        return m_types.tuple(std::array{state.type, element});
    }

    /// The type of the elements of an argument; invalid as long as it is not known to be a tensor.
    TypeId elementOf(const Node& node, std::size_t child) {
        const Verdict tensor = typeOf(m_rule.table.children[node.firstChild + child], {});
        const bool known = tensor.state == Verdict::State::Known && m_types.isTensor(tensor.type);
        return known ? m_types.element(tensor.type) : TypeId();
    }

    [[nodiscard]] std::size_t expansion(std::uint32_t index) const {
        const Node& node = m_rule.table.nodes[index];
        if (node.kind == NodeKind::Variable && m_rule.variables[node.var].kind == VarKind::Sequence) {
            return m_typing.sequences[node.var].size();
        }
        std::size_t longest = 0;
        for (std::size_t i = 0; i < node.childCount; ++i) {
            longest = std::max(longest, expansion(m_rule.table.children[node.firstChild + i]));
        }
        return longest;
    }

    const CompiledRule& m_rule;
    const ir::OperatorRegistry& m_registry;
    ir::TypeTable& m_types;
    bool m_bothSides;
    std::uint64_t m_mostSteps;
    absl::FunctionRef<bool(const Typing&)> m_report;
    std::uint64_t m_steps = 0;
    bool m_found = false;
    bool m_stopped = false;    ///< by the caller
    bool m_exhausted = false;  ///< the limit on steps was reached
    Typing m_typing;
    std::vector<bool> m_known;
    std::vector<VarIndex> m_order;
    std::vector<TypeId> m_candidates;
    std::vector<std::vector<TypeId>> m_sequences;
    std::vector<std::uint32_t> m_leftNumbers;
    std::vector<std::uint32_t> m_rightNumbers;
    std::vector<std::pair<VarIndex, TypeId>> m_scope;
    std::size_t m_element = 0;
};

}  // namespace

bool canBeTyped(const CompiledRule& rule) {
    return rule.constraints.empty() && std::ranges::none_of(rule.table.nodes, [](const Node& node) {
               return node.kind == NodeKind::Function || node.kind == NodeKind::Unfold || node.isOfArrays;
           });
}

bool forEachTyping(const CompiledRule& rule, const ir::OperatorRegistry& registry, ir::TypeTable& types, bool bothSides,
                   absl::FunctionRef<bool(const Typing&)> found, std::uint64_t mostSteps) {
    if (!canBeTyped(rule)) return true;
    return Search(rule, registry, types, bothSides, mostSteps, found).run();
}

}  // namespace mitos::rules
