// SPDX-License-Identifier: GPL-3.0-or-later
// Builds terms under binders: every value is moved from the surroundings in which it was found to those of its new place.
#include "core/rules/matching/internal/instantiate.h"

#include "core/ir/attributes.h"
#include "core/ir/binding.h"
#include "core/ir/inline_call.h"
#include "core/rules/language/array_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ir::TypeKind;

namespace {

Error failure(std::string message) { return Error{ErrorCode::InvalidInput, std::move(message)}; }

Error lostConstant() { return failure("an element type cannot hold a number that the rule would compute"); }

/// The type of the numbers that a type contains: Float, Integer, or invalid.
TypeId numberOf(const ir::TypeTable& types, TypeId type) {
    if (!type.isValid()) return {};
    if (types.isNumeric(type)) return type;
    if (types.kind(type) != TypeKind::Tuple && types.kind(type) != TypeKind::Tensor) return {};
    return types.children(type).empty() ? TypeId() : numberOf(types, types.children(type)[0]);
}

}  // namespace

Result<TermId> Instantiator::left() {
    m_isLeft = true;
    Result<TermId> result = build(m_rule.table, m_rule.table.nodes[m_rule.left], {}, nullptr);
    for (const CompiledConstraint& required : m_rule.constraints) {
        if (!result) return result;
        MITOS_REQUIRE(constraint(m_rule.table, required, nullptr));
    }
    for (const VarIndex var : m_rule.locals) {
        const Binding& value = m_values[var];
        const bool isSequence = m_rule.variables[var].kind == VarKind::Sequence;
        if (!isSequence && !value.term.isValid()) {
            return failure(fmt::format("the local variable {} is not bound", m_rule.variables[var].name));
        }
    }
    if (result && m_rule.choices != NoVar && m_choice != m_values[m_rule.choices].sequence.size()) {
        return failure("the substitution records choices that the pattern does not have");
    }
    return result;
}

Result<std::vector<std::size_t>> Instantiator::choicesOfRoots() {
    m_isLeft = true;
    const Node& tuple = m_rule.table.nodes[m_rule.left];
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < tuple.childCount; ++i) {
        MITOS_REQUIRE(build(m_rule.table, m_rule.table.child(tuple, i), {}, nullptr));
        result.push_back(m_choice);
    }
    return result;
}

Result<TermId> Instantiator::right(TypeId expected) {
    const ConditionInput input{m_bank, m_rule, m_values, m_rule.table};
    for (const CompiledBranch& branch : m_rule.branches) {
        if (!holds(input, branch.condition)) continue;
        return build(m_rule.table, m_rule.table.nodes[branch.root], expected, nullptr);
    }
    return failure("no branch's condition holds");
}

void Instantiator::enter(BinderKey key, TypeId type) {
    m_scope.push_back({key, false, {}, m_depth++, type});
    if (m_isLeft) m_boundTypes.emplace_back(key, type);
}

void Instantiator::leave() {
    m_scope.pop_back();
    --m_depth;
}

Surroundings Instantiator::surroundings() const {
    Surroundings result;
    for (const Entry& entry : m_scope) result.push_back(entry.key);
    return result;
}

Result<TermId> Instantiator::placed(VarIndex var, TermId term) {
    const std::string& name = m_rule.variables[var].name;
    if (!term.isValid()) return failure(fmt::format("{} is not bound by this match", name));
    if (m_bank.looseBound(term) == 0) return term;
    return placed(rules::contextOf(m_bank, m_rule, m_values, var), term, name);
}

Result<TermId> Instantiator::placed(std::span<const BinderKey> context, TermId term, const std::string& name) {
    if (m_bank.looseBound(term) == 0) return term;
    const auto size = static_cast<std::uint32_t>(context.size());
    const bool sameScope = std::ranges::equal(
        m_scope, context, [](const Entry& e, const BinderKey& key) { return !e.isAlias && e.key == key; });
    if (sameScope) return term;
    absl::InlinedVector<const Entry*, 4> targets;  // by index, innermost first
    for (std::uint32_t index = 0; index < size; ++index) {
        const BinderKey& wanted = context[size - 1 - index];
        const auto found =
            std::find_if(m_scope.rbegin(), m_scope.rend(), [&](const Entry& e) { return e.key == wanted; });
        targets.push_back(found == m_scope.rend() ? nullptr : &*found);
        if (targets.back() == nullptr && ir::mentions(m_bank, term, index)) {
            return failure(fmt::format("{} mentions a variable that is not bound where the result puts it", name));
        }
    }
    const auto by = static_cast<std::int32_t>(m_depth) - static_cast<std::int32_t>(size);
    bool fits = true;
    const TermId result = ir::substituteLoose(m_bank, term, size, by, [&](std::uint32_t index, TypeId type) -> TermId {
        const Entry* target = targets[index];
        if (target == nullptr) return m_bank.bound(0, type);  // not reached, because the variable is not mentioned
        if (!target->isAlias) return m_bank.bound(m_depth - 1 - target->depth, type);
        const bool sameType = m_bank.type(target->alias) == type;
        fits = fits && sameType;
        return sameType ? ir::shifted(m_bank, target->alias, m_depth - target->depth) : m_bank.bound(0, type);
    });
    if (!fits) return failure("a value of another type would replace a bound variable");
    return result;
}

Result<TermId> Instantiator::bound(VarIndex var, const Frame* frame) {
    const BinderKey key{frame == nullptr ? 0 : frame->id, var};
    const auto found = std::find_if(m_scope.rbegin(), m_scope.rend(), [&](const Entry& e) { return e.key == key; });
    if (found == m_scope.rend()) return failure("a bound variable is out of scope");
    if (found->isAlias) return ir::shifted(m_bank, found->alias, m_depth - found->depth);
    return m_bank.bound(m_depth - 1 - found->depth, found->type);
}

Result<TermId> Instantiator::nextChoice() {
    if (m_rule.choices == NoVar || m_choice >= m_values[m_rule.choices].sequence.size()) {
        return failure("the substitution does not record a choice that the pattern has");
    }
    return m_values[m_rule.choices].sequence[m_choice++];
}

Result<TermId> Instantiator::build(const NodeTable& table, const Node& node, TypeId expected, Frame* frame) {
    Result<TermId> built = buildNode(table, node, expected, frame);
    const bool isOperator = node.kind == NodeKind::Apply || node.kind == NodeKind::Function;
    if (built && isOperator && m_made != nullptr) m_made->push_back(*built);
    return built;
}

Result<TermId> Instantiator::buildNode(const NodeTable& table, const Node& node, TypeId expected, Frame* frame) {
    switch (node.kind) {
        case NodeKind::Variable: {
            const Binding& value = m_values[node.var];
            if (m_rule.variables[node.var].kind != VarKind::Sequence) return placed(node.var, value.term);
            if (m_element >= value.sequence.size()) return failure("the sequences of an expansion differ in length");
            return placed(node.var, value.sequence[m_element]);
        }
        case NodeKind::Bound: return bound(node.var, frame);
        case NodeKind::Literal:
            switch (node.payload.kind()) {
                case ir::PayloadKind::Integer: return m_bank.integer(node.payload.asInteger());
                case ir::PayloadKind::Float: return m_bank.floating(node.payload.asFloat());
                default: return m_bank.boolean(node.payload.asBool());
            }
        case NodeKind::AnyLiteral: {
            const Result<TermId> found = nextChoice();
            if (!found || ir::attributeText(m_bank, *found)) return found;
            return failure("the substitution records an attribute that is no literal");
        }
        case NodeKind::Text: return m_bank.string(node.name);
        case NodeKind::Default: return ir::attributeLiteral(m_bank, node.name);
        case NodeKind::Number: {
            if (!m_isLeft && node.op.isValid()) return arrayNumber(table, node, expected, false);
            if (!m_isLeft) {
                const bool isInteger = numberOf(m_bank.types(), expected) == m_bank.types().integer();
                return isInteger ? m_bank.integer(node.payload.asInteger()) : m_bank.floating(node.value);
            }
            MITOS_TRY(const TermId found, nextChoice());
            if (isNumber(m_bank, found, node)) return found;
            return failure("the substitution records another number than the pattern has");
        }
        case NodeKind::Approx: {
            MITOS_TRY(const TermId found, nextChoice());
            if (isNumber(m_bank, found, node)) return found;
            return failure("the substitution records another number than the pattern has");
        }
        case NodeKind::Apply: return apply(table, node, expected, frame);
        case NodeKind::Function: return function(table, node, expected, frame);
        case NodeKind::Unfold: return unfold(table, node, expected, frame);
        case NodeKind::Parameter: return parameter(node, expected, frame);
        case NodeKind::Local: return local(resolve(node, frame));
        case NodeKind::Substitute: {
            const TermId replaced = node.binder < m_rule.valueCount ? m_values[node.binder].term : TermId();
            const TypeId type = replaced.isValid() ? m_bank.type(replaced) : TypeId();
            MITOS_TRY(TermId value, build(table, table.child(node, 1), type, frame));
            m_scope.push_back({{0, node.binder}, true, value, m_depth, m_bank.type(value)});
            Result<TermId> body = build(table, table.child(node, 0), expected, frame);
            m_scope.pop_back();
            return body;
        }
        case NodeKind::Const: {
            if (node.op.isValid()) return arrayNumber(table, node, expected, false);
            const std::optional<TermId> value = computedConstant({m_bank, m_rule, m_values, table}, node.index);
            if (!value) return failure("the computed constant has no finite value");
            return *value;
        }
        case NodeKind::Inline: {
            MITOS_TRY(const TermId call, build(table, table.child(node, 0), expected, frame));
            const std::optional<TermId> body = ir::inlinedCall(m_bank, call);
            return body ? Result(*body) : failure("the call has no body that can take its place");
        }
        case NodeKind::Sequence:
        case NodeKind::Expand: break;
    }
    return failure("a sequence can only be an argument");
}

Result<TermId> Instantiator::arrayNumber(const NodeTable& table, const Node& node, TypeId like, bool isScalar) {
    double value = node.value;
    if (node.kind == NodeKind::Const) {
        const std::optional<TermId> computed = computedConstant({m_bank, m_rule, m_values, table}, node.index);
        if (!computed || !m_bank.is(*computed, CoreOp::Literal))
            return failure("the computed constant has no finite value");
        const ir::Payload& payload = m_bank.payload(*computed);
        switch (payload.kind()) {
            case ir::PayloadKind::Integer: value = static_cast<double>(payload.asInteger()); break;
            case ir::PayloadKind::Float: value = payload.asFloat(); break;
            default: return failure("the computed constant is no number");
        }
    }
    Result<TermId> made = constantArray(m_bank, value, like, isScalar);
    if (made && !holdsConstants(m_bank, *made)) return lostConstant();
    return made;
}

Result<std::size_t> Instantiator::expansionLength(const NodeTable& table, const Node& node) const {
    std::size_t length = 0;
    bool found = false;
    if (node.kind == NodeKind::Variable && m_rule.variables[node.var].kind == VarKind::Sequence) {
        return m_values[node.var].sequence.size();
    }
    for (std::size_t i = 0; i < node.childCount; ++i) {
        MITOS_TRY(const std::size_t inner, expansionLength(table, table.child(node, i)));
        if (inner == static_cast<std::size_t>(-1)) continue;
        if (found && inner != length) return failure("the sequences of an expansion differ in length");
        length = inner;
        found = true;
    }
    return found ? length : static_cast<std::size_t>(-1);
}

Result<std::vector<Instantiator::Place>> Instantiator::places(const NodeTable& table, const Node& node) {
    std::vector<Place> result;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        const Node& child = table.child(node, i);
        std::size_t count = 1;
        if (child.kind == NodeKind::Sequence) {
            count = m_values[child.var].sequence.size();
        } else if (child.kind == NodeKind::Expand) {
            MITOS_TRY(count, expansionLength(table, table.child(child, 0)));
        }
        for (std::size_t k = 0; k < count; ++k) result.push_back({&child, k});
    }
    return result;
}

template <typename Make>
Result<TermId> Instantiator::applied(const NodeTable& table, const Node& node, TypeId expected, Frame* frame,
                                     TermId functionTerm, Make makeAny) {
    const auto make = [&](std::span<const TermId> children) {
        Result<TermId> made = makeAny(children);
        if (made && !m_isLeft && !holdsConstants(m_bank, *made)) return Result<TermId>(lostConstant());
        return made;
    };
    MITOS_TRY(const std::vector<Place> arguments, places(table, node));
    const int bindingChild = functionTerm.isValid() ? m_bank.registry().info(m_bank.op(functionTerm)).bindingChild
                                                    : ir::OperatorInfo::BindsNothing;
    absl::InlinedVector<TermId, 8> children(arguments.size());
    absl::InlinedVector<std::size_t, 2> numbers;
    TypeId number;
    TypeId array;  // of the first argument that is an array
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Place& place = arguments[i];
        const bool isArrayConstant = place.node->kind == NodeKind::Const && place.node->op.isValid();
        if (!m_isLeft && (place.node->kind == NodeKind::Number || isArrayConstant)) {
            numbers.push_back(i);
            continue;
        }
        const bool underFunction = bindingChild == static_cast<int>(i);
        if (underFunction) {
            if (i == 0 || !children[0].isValid())
                return failure("the operator binds a variable whose type is not known");
            enter({0, node.owner == Owner::Rule ? node.var : NoVar}, m_bank.type(children[0]));
        }
        Result<TermId> child = failure("");
        if (place.node->kind == NodeKind::Sequence) {
            child = placed(place.node->var, m_values[place.node->var].sequence[place.element]);
        } else if (place.node->kind == NodeKind::Expand) {
            m_element = place.element;
            child = build(table, table.child(*place.node, 0), {}, frame);
        } else if (place.node->kind == NodeKind::Apply && place.node->op == ir::opId(CoreOp::Lam)) {
            // The variable has the first argument's type: it is an index below a size, and a number as a size is an Integer.
            TypeId type;
            if (i > 0 && children[0].isValid()) type = m_bank.type(children[0]);
            if (!numbers.empty() && numbers.front() == 0) type = m_bank.types().integer();
            child = lambda(table, *place.node, type, frame);
        } else {
            child = build(table, *place.node, expected, frame);
        }
        if (underFunction) leave();
        if (!child) return child;
        children[i] = *child;
        if (!number.isValid()) number = numberOf(m_bank.types(), m_bank.type(*child));
        if (!array.isValid() && m_bank.types().isArray(m_bank.type(*child))) array = m_bank.type(*child);
    }
    if (numbers.empty()) return make(children);
    if (arguments[numbers.front()].node->op.isValid()) {
        for (const std::size_t i : numbers) {
            MITOS_TRY(children[i], arrayNumber(table, *arguments[i].node, array.isValid() ? array : expected, true));
        }
        return make(children);
    }
    if (!number.isValid()) number = numberOf(m_bank.types(), expected);
    const bool integerFirst = number == m_bank.types().integer();
    Result<TermId> made = failure("");
    for (const bool asInteger : {integerFirst, !integerFirst}) {
        for (const std::size_t i : numbers) {
            const Node& n = *arguments[i].node;
            children[i] = asInteger ? m_bank.integer(n.payload.asInteger()) : m_bank.floating(n.value);
        }
        made = make(children);
        if (made) break;
    }
    return made;
}

Result<TermId> Instantiator::apply(const NodeTable& table, const Node& node, TypeId expected, Frame* frame) {
    if (node.op == ir::opId(CoreOp::Let)) return let(table, node, expected, frame);
    if (node.op == ir::opId(CoreOp::Lam)) return lambda(table, node, {}, frame);
    if (node.op == ir::opId(CoreOp::Get)) {
        MITOS_TRY(TermId tuple, build(table, table.child(node, 0), {}, frame));
        std::uint64_t index = node.index;
        if (node.var != NoVar) {
            const TermId value = m_values[node.var].term;
            if (!value.isValid() || !m_bank.is(value, CoreOp::Literal) ||
                m_bank.payload(value).kind() != ir::PayloadKind::Integer) {
                return failure("the value of an attribute is not an Integer");
            }
            index = static_cast<std::uint64_t>(m_bank.payload(value).asInteger());
        }
        const TypeId type = m_bank.type(tuple);
        if (!m_bank.types().isTuple(type) || index >= m_bank.types().children(type).size()) {
            return failure("an element is taken of something that does not have it");
        }
        return m_bank.get(tuple, static_cast<std::uint32_t>(index));
    }
    MITOS_TRY(const ir::Payload payload, attributes(table, node, frame));
    return applied(table, node, expected, frame, {}, [&](std::span<const TermId> children) {
        return node.isDeclared ? declared(node, payload, children) : m_bank.make(node.op, children, payload);
    });
}

Result<TermId> Instantiator::function(const NodeTable& table, const Node& node, TypeId expected, Frame* frame) {
    const Resolved resolved = resolve(node, frame);
    Result<TermId> found = failure("");
    if (resolved.owner == Owner::Rule) {
        found = m_values[resolved.index].term;
        if (!found->isValid()) {
            return failure(fmt::format("{} is not bound by this match", m_rule.variables[resolved.index].name));
        }
    } else {
        found = localValue(resolved);
        if (!found) return found;
    }
    const TermId value = *found;
    if (!isApplication(m_bank, value)) {
        return failure("a function variable stands for something that is no operator over its arguments");
    }
    const ir::OpId op = m_bank.op(value);
    const ir::Payload payload = m_bank.payload(value);
    const Symbol hint = m_bank.hint(value);
    return applied(table, node, expected, frame, value,
                   [&](std::span<const TermId> children) { return m_bank.make(op, children, payload, hint); });
}

Result<TermId> Instantiator::binderValue(const Node& node, Frame* frame) {
    if (frame != nullptr) {
        MITOS_TRY(const TermId recorded, nextChoice());
        if (!m_bank.is(recorded, CoreOp::Variable)) return failure("a bound variable's value is not a variable");
        return recorded;
    }
    if (node.binder >= m_rule.valueCount) return TermId();
    const TermId value = m_values[node.binder].term;
    if (!value.isValid()) return failure(fmt::format("{} is not bound by this match", node.name));
    if (!m_bank.is(value, CoreOp::Variable)) return failure("a bound variable's value is not a variable");
    return value;
}

Result<TermId> Instantiator::let(const NodeTable& table, const Node& node, TypeId expected, Frame* frame) {
    // In the matcher's order: the bound variable first, then the value and the body.
    MITOS_TRY(const TermId binder, binderValue(node, frame));
    MITOS_TRY(const TermId value, build(table, table.child(node, 0), {}, frame));
    const TypeId type = m_bank.type(value);
    if (binder.isValid() && m_bank.type(binder) != type) {
        return failure(fmt::format("{} is bound to a value of another type", node.name));
    }
    const Symbol hint = binder.isValid() ? m_bank.payload(binder).asSymbol() : m_bank.symbols().intern(node.name);
    enter({frame == nullptr ? 0 : frame->id, node.binder}, type);
    const Result<TermId> body = build(table, table.child(node, 1), expected, frame);
    leave();
    if (!body) return body;
    return m_bank.let(hint, value, *body);
}

Result<TermId> Instantiator::lambda(const NodeTable& table, const Node& node, TypeId fallback, Frame* frame) {
    MITOS_TRY(const TermId binder, binderValue(node, frame));
    TypeId type = fallback;
    if (binder.isValid()) {
        type = m_bank.type(binder);
    } else if (!node.binderType.empty()) {
        type = node.binderType.front().in(m_bank.types());
    }
    if (!type.isValid()) return failure(fmt::format("the type of {} is not known", node.name));
    const Symbol hint = binder.isValid() ? m_bank.payload(binder).asSymbol() : m_bank.symbols().intern(node.name);
    enter({frame == nullptr ? 0 : frame->id, node.binder}, type);
    const Result<TermId> body = build(table, table.child(node, 0), {}, frame);
    leave();
    if (!body) return body;
    return m_bank.lambda(hint, type, *body);
}

}  // namespace mitos::rules
