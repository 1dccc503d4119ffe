// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/internal/pattern_terms.h"

#include "core/rules/matching/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mitos::eval {

using ir::CoreOp;
using ir::OpId;
using ir::TermId;
using ir::TypeId;
using rules::Node;
using rules::NodeKind;
using rules::NodeTable;
using rules::Owner;

namespace {

constexpr std::uint32_t MaxDepth = 5;
constexpr int TypeAttempts = 30;

/// One attempt.
class PatternTerms {
public:
    PatternTerms(ir::TermBank& bank, const rules::CompiledRule& rule, std::vector<ir::Parameter> free, Random& random,
                 std::uint32_t maxSize)
        : m_bank(bank),
          m_rule(rule),
          m_free(std::move(free)),
          m_random(random),
          m_maxSize(maxSize),
          m_values(rule.valueCount) {}

    TermId run() {
        if (!constraints(m_rule.table, m_rule.constraints, nullptr)) return {};
        return build(m_rule.table, m_rule.left, nullptr);
    }

private:
    using Frame = rules::Frame;

    TypeId candidate() {
        ir::TypeTable& types = m_bank.types();
        switch (m_random.below(8)) {
            case 0: return types.integer();
            case 1: return types.vec(types.floating());
            case 2: return types.boolean();
            default: return types.floating();
        }
    }

    /// The stored value of a variable node; null if the node is not a variable.
    TermId* valueOf(const Node& node, Frame* frame) {
        const bool isName =
            node.kind == NodeKind::Variable || node.kind == NodeKind::Parameter || node.kind == NodeKind::Local;
        if (!isName) return nullptr;
        const rules::Resolved resolved = rules::resolve(node, frame);
        if (resolved.owner == Owner::Rule) return &m_values[resolved.index];
        rules::Binding* slot = resolved.slot();
        return slot == nullptr ? nullptr : &slot->term;
    }

    TermId filled(TermId* value, TypeId type) {
        if (!value->isValid()) {
            *value = randomTerm(m_bank, type, {m_free, {}, 0}, m_random, m_random.chance(0.5) ? 1 : m_maxSize);
        }
        return *value;
    }

    TermId build(const NodeTable& table, std::uint32_t index, Frame* frame) {
        const Node& node = table.nodes[index];
        if (node.kind == NodeKind::Parameter) {
            const rules::Resolved resolved = rules::resolve(node, frame);
            if (resolved.owner == Owner::Parameter) {
                // The argument of the parameter is a pattern.
                rules::Binding* slot = resolved.slot();
                if (slot != nullptr && slot->term.isValid()) return slot->term;
                const auto& children = resolved.frame->table->children;
                const std::uint32_t argument = children[resolved.frame->unfold->firstChild + resolved.index];
                const TermId term = build(*resolved.frame->table, argument, resolved.frame->outer);
                if (slot != nullptr) slot->term = term;
                return term;
            }
        }
        if (TermId* value = valueOf(node, frame); value != nullptr) return filled(value, candidate());
        switch (node.kind) {
            case NodeKind::Bound: {
                const rules::BinderKey key{frame == nullptr ? 0 : frame->id, node.var};
                const auto found = std::find_if(m_scope.rbegin(), m_scope.rend(),
                                                [&](const auto& entry) { return entry.first == key; });
                if (found == m_scope.rend()) return {};
                return m_bank.bound(static_cast<std::uint32_t>(found - m_scope.rbegin()), found->second);
            }
            case NodeKind::Literal:
                switch (node.payload.kind()) {
                    case ir::PayloadKind::Integer: return m_bank.integer(node.payload.asInteger());
                    case ir::PayloadKind::Float: return m_bank.floating(node.payload.asFloat());
                    default: return m_bank.boolean(node.payload.asBool());
                }
            case NodeKind::Text: return m_bank.string(node.name);
            case NodeKind::Number:
                return m_random.chance(0.7) ? m_bank.floating(node.value) : m_bank.integer(node.payload.asInteger());
            case NodeKind::Approx: return m_bank.floating(node.value);
            case NodeKind::Apply: return apply(table, node, frame);
            case NodeKind::Function: return function(table, node, frame);
            case NodeKind::Unfold: return unfold(table, node, frame);
            default: return {};
        }
    }

    /// The arguments of an operator; variables without a value get one of a type that the operator accepts.
    std::optional<std::vector<TermId>> arguments(const NodeTable& table, const Node& node, OpId op, Frame* frame) {
        std::vector<TermId> children;
        std::vector<TermId*> open;  // by child: a variable without a value
        for (std::size_t i = 0; i < node.childCount; ++i) {
            const std::uint32_t at = table.children[node.firstChild + i];
            const Node& child = table.nodes[at];
            if (child.kind == NodeKind::Sequence) {
                for (std::size_t count = m_random.below(3); count > 0; --count) {
                    TermId element;
                    children.push_back(filled(&element, candidate()));
                    open.push_back(nullptr);
                }
                continue;
            }
            TermId* value = valueOf(child, frame);
            const bool isOpen = value != nullptr && !value->isValid();
            open.push_back(isOpen ? value : nullptr);
            if (isOpen) {
                children.emplace_back();
            } else if (child.kind == NodeKind::Apply && child.op == ir::opId(CoreOp::Lam)) {
                const bool isLoop =
                    i > 0 && children[0].isValid() && m_bank.types().isNumeric(m_bank.type(children[0]));
                const TypeId type = isLoop                 ? m_bank.type(children[0])
                                    : m_random.chance(0.6) ? m_bank.types().integer()
                                                           : m_bank.types().floating();
                children.push_back(binder(table, child, type, frame));
            } else {
                children.push_back(build(table, at, frame));
            }
            if (!isOpen && !children.back().isValid()) return std::nullopt;
        }
        // Chooses types for the open children that the operator accepts.
        const ir::OperatorInfo& info = m_bank.registry().info(op);
        if (children.size() < info.minArity || children.size() > info.maxArity || info.typeRule == nullptr)
            return std::nullopt;
        const ir::Payload none;
        for (int attempt = 0; attempt < TypeAttempts; ++attempt) {
            std::vector<TypeId> types;
            for (const TermId child : children) types.push_back(child.isValid() ? m_bank.type(child) : candidate());
            if (!info.typeRule({m_bank.types(), none, types, info})) continue;
            for (std::size_t i = 0; i < children.size(); ++i) {
                // A variable may occur twice: the first occurrence then determines its value, and the second one fits or does not.
                if (open[i] != nullptr) children[i] = filled(open[i], types[i]);
            }
            return children;
        }
        return std::nullopt;
    }

    TermId apply(const NodeTable& table, const Node& node, Frame* frame) {
        if (node.isDeclared) return {};  // it has no value
        if (node.op == ir::opId(CoreOp::Let)) {
            const TermId value = build(table, table.children[node.firstChild], frame);
            if (!value.isValid()) return {};
            m_scope.push_back({{frame == nullptr ? 0 : frame->id, node.binder}, m_bank.type(value)});
            const TermId body = build(table, table.children[node.firstChild + 1], frame);
            m_scope.pop_back();
            return body.isValid() ? m_bank.let(m_bank.symbols().intern(node.name), value, body) : TermId();
        }
        if (node.op == ir::opId(CoreOp::Lam)) return binder(table, node, m_bank.types().floating(), frame);
        if (node.op == ir::opId(CoreOp::Get)) {
            const TermId tuple = build(table, table.children[node.firstChild], frame);
            if (!tuple.isValid() || !m_bank.types().isTuple(m_bank.type(tuple))) return {};
            const std::size_t arity = m_bank.types().children(m_bank.type(tuple)).size();
            const std::size_t index =
                node.var == rules::NoVar ? node.index : m_random.below(std::max<std::size_t>(arity, 1));
            return index < arity ? m_bank.get(tuple, static_cast<std::uint32_t>(index)) : TermId();
        }
        const std::optional<std::vector<TermId>> children = arguments(table, node, node.op, frame);
        if (!children) return {};
        const Result<TermId> made = m_bank.make(node.op, *children);
        return made ? *made : TermId();
    }

    TermId binder(const NodeTable& table, const Node& node, TypeId type, Frame* frame) {
        if (!node.binderType.empty()) type = node.binderType.front().in(m_bank.types());
        m_scope.push_back({{frame == nullptr ? 0 : frame->id, node.binder}, type});
        const TermId body = build(table, table.children[node.firstChild], frame);
        m_scope.pop_back();
        return body.isValid() ? m_bank.lambda(m_bank.symbols().intern(node.name), type, body) : TermId();
    }

    /// An operator that a condition of the table names, if there is one; else any operator of the dialect.
    OpId operatorFor(const Node& node, const NodeTable& table, std::size_t arity) {
        const ir::OperatorRegistry& registry = m_bank.registry();
        std::vector<OpId> fitting;
        const auto add = [&](OpId op) {
            const ir::OperatorInfo& info = registry.info(op);
            const bool isPlain = info.payload == ir::PayloadKind::None && !info.traits.effectful &&
                                 info.bindingChild == ir::OperatorInfo::BindsNothing && info.dialect != "core" &&
                                 info.dialect != "user";
            if (isPlain && info.minArity <= arity && arity <= info.maxArity) fitting.push_back(op);
        };
        for (const rules::ConditionNode& condition : table.conditions) {
            const bool isAbout =
                condition.owner == node.owner && condition.var == (node.owner == Owner::Rule ? node.var : node.index);
            if (condition.kind != rules::ConditionKind::MemberOf || !isAbout) continue;
            for (const std::string& word : condition.words) {
                if (const OpId op = registry.find(word); op.isValid()) add(op);
            }
        }
        for (std::size_t i = 0; fitting.empty() && i < registry.size(); ++i) add(OpId(static_cast<std::uint32_t>(i)));
        return fitting.empty() ? OpId() : fitting[m_random.below(fitting.size())];
    }

    /// A call of a random function with up to three parameters, which is declared for the purpose.
    TermId randomCall() {
        ir::TypeTable& types = m_bank.types();
        ir::Function function;
        function.name = fmt::format("called{}", m_bank.functionCount());
        std::vector<TypeId> argument;
        std::vector<TermId> arguments;
        TermScope inside;
        for (std::size_t count = m_random.below(4); count > 0; --count) {
            const auto number = static_cast<std::uint32_t>(argument.size());
            const TypeId type = candidate();
            const Symbol name = m_bank.symbols().intern(fmt::format("p{}", number));
            ir::Parameter parameter{name, type};
            if (types.isTensor(type)) {
                const Symbol size = m_bank.symbols().intern(fmt::format("n{}", number));
                parameter.type = types.tensor(1, types.element(type), std::vector{size});
                function.sizes.push_back({size, number, {}, 0});
                inside.free.push_back({size, types.integer()});
            }
            inside.free.push_back(parameter);
            function.parameters.push_back(parameter);
            argument.push_back(type);
            arguments.push_back(
                randomTerm(m_bank, type, {m_free, {}, 0}, m_random, m_random.chance(0.3) ? 1 : m_maxSize));
        }
        function.argument = argument.size() == 1 ? argument[0] : types.tuple(argument);
        function.result = candidate();
        function.declaredResult = function.result;
        const TypeId result = function.result;
        const Result<ir::FunctionId> declared = m_bank.declare(std::move(function));
        if (!declared) return {};
        m_bank.define(*declared, randomTerm(m_bank, result, inside, m_random, m_maxSize));
        const Result<TermId> call = m_bank.call(*declared, arguments);
        return call ? *call : TermId();
    }

    TermId function(const NodeTable& table, const Node& node, Frame* frame) {
        const rules::Resolved resolved = rules::resolve(node, frame);
        rules::Binding* slot = resolved.owner == Owner::Rule ? nullptr : resolved.slot();
        if (resolved.owner != Owner::Rule && slot == nullptr) return {};
        TermId& known = resolved.owner == Owner::Rule ? m_values[resolved.index] : slot->term;
        const std::vector<OpId>& roots = m_rule.rootOperators;
        const bool isRoot = &table == &m_rule.table && &node == &m_rule.table.nodes[m_rule.left];
        if (isRoot && roots.size() == 1 && roots.front() == ir::opId(CoreOp::Call)) return known = randomCall();
        const OpId op = known.isValid() ? m_bank.op(known) : operatorFor(node, table, node.childCount);
        if (!op.isValid()) return {};
        const std::optional<std::vector<TermId>> children = arguments(table, node, op, frame);
        if (!children) return {};
        const Result<TermId> made = m_bank.make(op, *children);
        if (made && !known.isValid()) known = *made;
        return made ? *made : TermId();
    }

    TermId unfold(const NodeTable& table, const Node& node, Frame* outer) {
        const rules::NamedPattern& pattern = m_rule.patterns->patterns[node.index];
        const std::uint32_t depth = outer == nullptr ? 1 : outer->depth + 1;
        if (depth > MaxDepth + 2) return {};
        // By convention, recursion ends in the last alternate.
        const std::size_t count = pattern.alternates.size();
        const std::size_t index = depth > MaxDepth ? count - 1 : m_random.below(count);
        const rules::Alternate& alternate = pattern.alternates[index];
        Frame frame{&table, &node, outer, &pattern, &alternate, ++m_frames, depth};
        frame.allocate();
        if (!constraints(alternate.table, alternate.constraints, &frame)) return {};
        return build(alternate.table, alternate.root, &frame);
    }

    /// Builds the last constraint first: the value that a constraint determines is then known where its variable occurs.
    bool constraints(const NodeTable& table, const std::vector<rules::CompiledConstraint>& all, Frame* frame) {
        for (auto required = all.rbegin(); required != all.rend(); ++required) {
            TermId* subject = valueOf(table.nodes[required->subject], frame);
            const TermId term = build(table, required->pattern, frame);
            if (!term.isValid()) return false;
            if (subject != nullptr && !subject->isValid() && m_bank.looseBound(term) == 0) *subject = term;
        }
        return true;
    }

    ir::TermBank& m_bank;
    const rules::CompiledRule& m_rule;
    const std::vector<ir::Parameter> m_free;  ///< a copy, because declaring functions moves those of the bank
    Random& m_random;
    std::uint32_t m_maxSize;
    std::vector<ir::TermId> m_values;  ///< indexed by variable of the rule
    std::vector<std::pair<rules::BinderKey, ir::TypeId>> m_scope;
    std::uint32_t m_frames = 0;
};

}  // namespace

TermId patternTerm(ir::TermBank& bank, const rules::CompiledRule& rule, const std::vector<ir::Parameter>& free,
                   Random& random, std::uint32_t maxSize) {
    return PatternTerms(bank, rule, free, random, maxSize).run();
}

}  // namespace mitos::eval
