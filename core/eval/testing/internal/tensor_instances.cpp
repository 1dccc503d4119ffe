// SPDX-License-Identifier: GPL-3.0-or-later
// Builds terms from the root of a pattern downwards.
#include "core/eval/testing/internal/tensor_instances.h"

#include "core/eval/testing/internal/tensor_application.h"
#include "core/rules/language/array_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mitos::eval {

using ir::CoreOp;
using ir::TermId;
using rules::Node;
using rules::NodeKind;

namespace {

constexpr std::uint32_t DeepestUnfolding = 8;
constexpr std::size_t LargestElementCount = 4096;
/// Operators that function variables are bound to, by number of arguments.
constexpr std::array<std::string_view, 6> UnaryOperators{"Relu", "Tanh", "Sigmoid", "Neg", "Abs", "LeakyRelu"};
constexpr std::array<std::string_view, 4> BinaryOperators{"Add", "Mul", "Sub", "Max"};

}  // namespace

TensorInstances::TensorInstances(ir::TermBank& bank, const rules::CompiledRule& rule)
    : m_bank(bank),
      m_rule(rule),
      m_kinds(rule.variables.size(), LeafKind::Any) {
    std::vector<std::uint32_t> open{rule.guard};
    while (!open.empty()) {
        const std::uint32_t index = open.back();
        open.pop_back();
        if (index == rules::NoNode) continue;
        const rules::ConditionNode& node = rule.table.conditions[index];
        if (node.kind == rules::ConditionKind::And) {
            open.push_back(node.left);
            open.push_back(node.right);
        }
        if (node.kind != rules::ConditionKind::Attribute || node.owner != rules::Owner::Rule) continue;
        if (node.attribute == rules::Attribute::IsConst) m_kinds[node.var] = LeafKind::Constant;
        if (node.attribute == rules::Attribute::IsWeight) m_kinds[node.var] = LeafKind::Weight;
    }
}

std::optional<TermId> TensorInstances::make(Choices& choices, std::vector<std::int64_t> sizes) {
    m_choices = &choices;
    m_sizes = std::move(sizes);
    m_broadcasts = choices.chance(0.4);
    const std::size_t mode = choices.below(10);
    m_weights = mode < 4 ? 0.0 : mode < 8 ? 0.3 : 1.0;
    m_constants = mode < 4 || mode >= 8 ? 0.0 : 0.25;
    m_dtype = choices.chance(0.1) ? ir::Dtype::I64 : ir::Dtype::F32;
    m_values.assign(m_rule.variables.size(), TermId());
    m_sequences.assign(m_rule.variables.size(), {});
    m_hasSequence.assign(m_rule.variables.size(), false);
    m_leaves.clear();
    m_constraints.clear();
    if (!expect(m_rule.table, m_rule.constraints, nullptr)) return std::nullopt;
    const Node& root = m_rule.table.nodes[m_rule.left];
    const Wanted any{.dtype = m_dtype};
    if (root.kind != NodeKind::Apply || root.op != ir::opId(CoreOp::Tuple)) {
        const Made made = build({&m_rule.table, &root, nullptr}, any);
        return made && meet(0) ? made : std::nullopt;
    }
    std::vector<TermId> roots;
    for (std::size_t i = 0; i < root.childCount; ++i) {
        const Made made = build({&m_rule.table, &m_rule.table.child(root, i), nullptr}, any);
        if (!made) return std::nullopt;
        roots.push_back(*made);
    }
    return meet(0) ? Made(m_bank.tuple(roots)) : std::nullopt;
}

void TensorInstances::fail(std::string obstacle) {
    if (m_obstacle.empty()) m_obstacle = std::move(obstacle);
}

std::int64_t TensorInstances::size() { return m_sizes[m_choices->below(m_sizes.size())]; }

tensor::Shape TensorInstances::filled(const Wanted& wanted) {
    tensor::Shape result = wanted.dims;
    if (!wanted.hasRank) result.resize(m_choices->below(4) + (m_choices->chance(0.9) ? 1 : 0), Wanted::Any);
    for (std::int64_t& dim : result) {
        if (dim == Wanted::Any) dim = size();
    }
    return result;
}

tensor::Shape TensorInstances::shapeOf(TermId term) const {
    return tensor::arrayType(m_bank.types(), m_bank.type(term)).shape();
}

ir::Dtype TensorInstances::dtypeOf(TermId term) const { return m_bank.types().dtype(m_bank.type(term)); }

TensorInstances::Made TensorInstances::known(TermId term, const Wanted& wanted) const {
    if (!m_bank.types().isArray(m_bank.type(term)) || dtypeOf(term) != wanted.dtype) return std::nullopt;
    if (!wanted.hasRank) return term;
    const tensor::Shape shape = shapeOf(term);
    if (shape.size() != wanted.dims.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (wanted.dims[i] != Wanted::Any && wanted.dims[i] != shape[i]) return std::nullopt;
    }
    return term;
}

TensorInstances::Made TensorInstances::leaf(const Wanted& wanted, LeafKind kind) {
    // Constants that conditions require are mostly factors.
    const bool isScalar = kind == LeafKind::Constant && m_choices->chance(0.5);
    const tensor::Shape shape = isScalar ? tensor::Shape() : filled(wanted);
    if (tensor::elementCount(shape) > static_cast<std::int64_t>(LargestElementCount)) return std::nullopt;
    tensor::ArrayType type{.dtype = wanted.dtype};
    for (const std::int64_t size : shape) type.dimensions.push_back(ir::Dimension::of(size));
    const ir::TypeId id = tensor::typeId(m_bank.types(), type);
    if (m_choices->chance(kind == LeafKind::Constant ? 0.95 : m_constants)) {
        constexpr std::array<double, 5> Values{0.0, 1.0, 2.0, -1.0, 3.0};
        const Result<TermId> constant =
            rules::constantArray(m_bank, Values[m_choices->below(Values.size())], id, false);
        if (constant) return *constant;
    }
    const bool isWeight = m_choices->chance(kind == LeafKind::Weight ? 0.95 : m_weights);
    const std::string name = fmt::format("{}{}", isWeight ? "w" : "x", m_leaves.size());
    m_leaves.push_back({name, id, isWeight});
    const Symbol symbol = m_bank.symbols().intern(name);
    if (!isWeight) return m_bank.variable(symbol, id);
    return m_bank.stated(m_bank.registry().find(tensor::WeightName), id, {}, ir::Payload::name(symbol));
}

TensorInstances::At TensorInstances::resolved(At at) const {
    while (at.node->kind == NodeKind::Parameter) {
        Unfolding* const frame = at.frame;
        at = {frame->table, &frame->table->child(*frame->use, at.node->index), frame->outer};
    }
    return at;
}

TermId* TensorInstances::slot(At at) {
    at = resolved(at);
    if (at.node->kind == NodeKind::Variable) return &m_values[at.node->var];
    if (at.node->kind == NodeKind::Local) return &at.frame->locals[at.node->index];
    return nullptr;
}

bool TensorInstances::isDecided(At at) {
    at = resolved(at);
    if (const TermId* value = slot(at); value != nullptr) return value->isValid();
    if (at.node->kind != NodeKind::Apply || at.node->childCount == 0) return false;
    for (std::size_t i = 0; i < at.node->childCount; ++i) {
        if (!isDecided({at.table, &at.table->child(*at.node, i), at.frame})) return false;
    }
    return true;
}

TensorInstances::Made TensorInstances::build(At at, const Wanted& wanted) {
    at = resolved(at);
    if (TermId* const value = slot(at); value != nullptr) {
        return value->isValid() ? known(*value, wanted) : made(*value, wanted);
    }
    switch (at.node->kind) {
        case NodeKind::Number:
        case NodeKind::Approx: {
            if (!at.node->op.isValid()) return std::nullopt;
            tensor::ArrayType type{.dtype = wanted.dtype};
            for (const std::int64_t dim : wanted.dims)
                type.dimensions.push_back(ir::Dimension::of(std::max<std::int64_t>(dim, 1)));
            const Result<TermId> made =
                rules::constantArray(m_bank, at.node->value, tensor::typeId(m_bank.types(), type), false);
            return made ? Made(*made) : std::nullopt;
        }
        case NodeKind::Apply: return apply(at, wanted, 0);
        case NodeKind::Function: return function(at, wanted);
        case NodeKind::Unfold: return unfold(at, wanted);
        default: fail("the pattern has a part that is not an array"); return std::nullopt;
    }
}

TensorInstances::Made TensorInstances::made(TermId& slot, const Wanted& wanted) {
    const auto constraint =
        std::ranges::find_if(m_constraints, [&](const Constraint& each) { return each.slot == &slot && !each.isUsed; });
    Made made;
    if (constraint == m_constraints.end()) {
        const bool isOfRule = !m_values.empty() && &slot >= &m_values.front() && &slot <= &m_values.back();
        made = leaf(wanted, isOfRule ? m_kinds[static_cast<std::size_t>(&slot - &m_values.front())] : LeafKind::Any);
    } else {
        constraint->isUsed = true;
        made = build(constraint->pattern, wanted);
    }
    if (made) slot = *made;
    return made;
}

bool TensorInstances::expect(const rules::NodeTable& table, const std::vector<rules::CompiledConstraint>& constraints,
                             Unfolding* frame) {
    for (const rules::CompiledConstraint& constraint : constraints) {
        TermId* const subject = slot({&table, &table.nodes[constraint.subject], frame});
        if (subject == nullptr) {
            fail("the subject of a match constraint is not a variable");
            return false;
        }
        m_constraints.push_back({subject, {&table, &table.nodes[constraint.pattern], frame}});
    }
    return true;
}

bool TensorInstances::meet(std::size_t first) {
    for (std::size_t i = first; i < m_constraints.size(); ++i) {
        TermId& slot = *m_constraints[i].slot;
        if (!slot.isValid() && !made(slot, {.dtype = m_dtype})) return false;
    }
    m_constraints.resize(first);
    return true;
}

TensorInstances::Made TensorInstances::apply(At at, const Wanted& wanted, std::uint32_t output) {
    const Node& node = *at.node;
    if (node.op == ir::opId(CoreOp::Get)) {
        const At tuple = resolved({at.table, &at.table->child(node, 0), at.frame});
        if (tuple.node->kind != NodeKind::Apply || node.var != rules::NoVar) {
            fail("an output is selected from a term that is not an operator");
            return std::nullopt;
        }
        const Made made = apply(tuple, wanted, node.index);
        if (!made || !m_bank.types().isTuple(m_bank.type(*made)) ||
            m_bank.types().children(m_bank.type(*made)).size() <= node.index) {
            return std::nullopt;
        }
        return known(m_bank.get(*made, node.index), wanted);
    }
    const ir::OperatorInfo& info = m_bank.registry().info(node.op);
    const tensor::Operator* const op = rules::isOfArrays(info) ? tensor::findOperator(info.name) : nullptr;
    if (op == nullptr) {
        fail(fmt::format("{} is not an operator over arrays", info.name));
        return std::nullopt;
    }
    return TensorApplication(*this, at, *op, wanted, output).run();
}

TensorInstances::Made TensorInstances::function(At at, const Wanted& wanted) {
    At owner = at;
    rules::Owner kind = at.node->owner;
    std::uint32_t index = kind == rules::Owner::Rule ? at.node->var : at.node->index;
    while (kind == rules::Owner::Parameter) {
        const Node& argument = owner.frame->table->child(*owner.frame->use, index);
        owner = {owner.frame->table, &argument, owner.frame->outer};
        kind = argument.owner;
        index = kind == rules::Owner::Rule ? argument.var : argument.index;
    }
    TermId& value = kind == rules::Owner::Rule ? m_values[index] : owner.frame->locals[index];
    const std::string_view chosen = at.node->childCount == 1
                                        ? UnaryOperators[m_choices->below(UnaryOperators.size())]
                                        : BinaryOperators[m_choices->below(BinaryOperators.size())];
    const tensor::Operator* const op =
        value.isValid() ? tensor::operatorOf(m_bank, value) : tensor::findOperator(chosen);
    if (op == nullptr) return std::nullopt;
    const Made made = TensorApplication(*this, at, *op, wanted, 0).run();
    if (!made) return std::nullopt;
    if (value.isValid() && m_bank.payload(value) != m_bank.payload(*made)) return std::nullopt;
    value = *made;
    return made;
}

TensorInstances::Made TensorInstances::unfold(At at, const Wanted& wanted) {
    const rules::NamedPattern& pattern = m_rule.patterns->patterns[at.node->index];
    const std::uint32_t depth = at.frame == nullptr ? 1 : at.frame->depth + 1;
    if (depth > DeepestUnfolding) return std::nullopt;
    const rules::Alternate& alternate = pattern.alternates[m_choices->below(pattern.alternates.size())];
    Unfolding frame{at.table, at.node, at.frame, &alternate, depth, std::vector<TermId>(alternate.locals.size())};
    const std::size_t first = m_constraints.size();
    if (!expect(alternate.table, alternate.constraints, &frame)) return std::nullopt;
    const Made made = build({&alternate.table, &alternate.table.nodes[alternate.root], &frame}, wanted);
    return made && meet(first) ? made : std::nullopt;
}

}  // namespace mitos::eval
