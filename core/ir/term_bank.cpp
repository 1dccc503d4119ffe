// SPDX-License-Identifier: GPL-3.0-or-later
// Hash-consing.
#include "core/ir/term_bank.h"

#include "core/base/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace mitos::ir {

namespace {

constexpr std::size_t InitialSlots = 1U << 10U;
constexpr std::uint64_t MaxTreeSize = 1ULL << 63U;

Error typeError(std::string message) { return Error{ErrorCode::Parse, std::move(message), std::nullopt, {}, {}}; }

}  // namespace

TermBank::TermBank(std::shared_ptr<const OperatorRegistry> registry)
    : m_registry(std::move(registry)),
      m_types(m_symbols),
      m_slots(InitialSlots, TermId::Invalid) {}

std::uint64_t TermBank::payloadHash(const Payload& payload) const {
    const auto kind = static_cast<std::uint64_t>(payload.kind());
    switch (payload.kind()) {
        case PayloadKind::String:
        case PayloadKind::Name: return combineHash(kind, hashText(m_symbols.text(payload.asSymbol())));
        case PayloadKind::Function: {
            const Function& f = m_functions[payload.asFunction().value];
            return combineHash(combineHash(kind, hashText(f.name)), m_types.hash(f.argument));
        }
        case PayloadKind::Type: return combineHash(kind, m_types.hash(payload.asType()));
        default: return combineHash(kind, payload.rawBits());
    }
}

bool TermBank::equals(const Node& node, const Node& wanted, std::span<const TermId> children) const {
    return node.hash == wanted.hash && node.op == wanted.op && node.type == wanted.type &&
           node.payload == wanted.payload && node.childCount == children.size() &&
           std::equal(children.begin(), children.end(), m_children.begin() + node.firstChild);
}

TermId TermBank::intern(OpId op, const Payload& payload, TypeId type, std::span<const TermId> children, Symbol hint) {
    Node fresh{.op = op, .type = type, .payload = payload, .hint = hint};
    fresh.childCount = static_cast<std::uint32_t>(children.size());
    fresh.hash = combineHash(combineHash(m_registry->hash(op), payloadHash(payload)), m_types.hash(type));
    const int binding = m_registry->info(op).bindingChild;
    if (op == opId(CoreOp::Bound)) fresh.loose = payload.asIndex() + 1;
    for (std::size_t i = 0; i < children.size(); ++i) {
        const Node& c = node(children[i]);
        fresh.hash = combineHash(fresh.hash, c.hash);
        fresh.treeSize = c.treeSize < MaxTreeSize - fresh.treeSize ? fresh.treeSize + c.treeSize : MaxTreeSize;
        fresh.depth = std::max(fresh.depth, c.depth + 1);
        const std::uint32_t bound = binding == static_cast<int>(i) ? 1 : 0;
        if (c.loose > bound) fresh.loose = std::max(fresh.loose, c.loose - bound);
    }
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = fresh.hash & mask;
    while (m_slots[slot] != TermId::Invalid) {
        const TermId candidate(m_slots[slot]);
        if (equals(m_nodes[candidate.value], fresh, children)) {
            Node& found = m_nodes[candidate.value];
            if (!found.hint.isValid()) found.hint = hint;
            return candidate;
        }
        slot = (slot + 1) & mask;
    }
    const TermId id(static_cast<std::uint32_t>(m_nodes.size()));
    fresh.firstChild = static_cast<std::uint32_t>(m_children.size());
    // The children may be a view into m_children itself (withChildren(t, children(u))): copy before it can move.
    const absl::InlinedVector<TermId, 8> copy(children.begin(), children.end());
    m_children.insert(m_children.end(), copy.begin(), copy.end());
    m_nodes.push_back(fresh);
    m_slots[slot] = id.value;
    if (m_nodes.size() * 2 > m_slots.size()) grow();
    return id;
}

void TermBank::grow() {
    m_slots.assign(m_slots.size() * 2, TermId::Invalid);
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        std::size_t slot = m_nodes[i].hash & mask;
        while (m_slots[slot] != TermId::Invalid) slot = (slot + 1) & mask;
        m_slots[slot] = static_cast<std::uint32_t>(i);
    }
}

Result<TermId> TermBank::make(OpId op, std::span<const TermId> children, Payload payload, Symbol hint) {
    if (op == opId(CoreOp::Call)) return call(payload.asFunction(), children);
    const OperatorInfo& info = m_registry->info(op);
    if (children.size() < info.minArity || children.size() > info.maxArity) {
        const std::string wanted = info.minArity == info.maxArity ? fmt::format("{}", info.minArity)
                                   : info.maxArity == OperatorInfo::Variadic
                                       ? fmt::format("at least {}", info.minArity)
                                       : fmt::format("{} to {}", info.minArity, info.maxArity);
        return typeError(fmt::format("{} takes {} argument{}, {} given", info.name, wanted, wanted == "1" ? "" : "s",
                                     children.size()));
    }
    assert(info.typeRule != nullptr);
    absl::InlinedVector<TypeId, 8> childTypes;
    for (const TermId c : children) childTypes.push_back(type(c));
    Result<TypeId> result = info.typeRule(TypeRuleInput{m_types, payload, childTypes});
    if (!result) return std::move(result).error();
    return intern(op, payload, *result, children, hint);
}

TermId TermBank::integer(std::int64_t value) {
    return intern(opId(CoreOp::Literal), Payload::integer(value), m_types.integer(), {}, {});
}

TermId TermBank::floating(double value) {
    return intern(opId(CoreOp::Literal), Payload::floating(value), m_types.floating(), {}, {});
}

TermId TermBank::boolean(bool value) {
    return intern(opId(CoreOp::Literal), Payload::boolean(value), m_types.boolean(), {}, {});
}

TermId TermBank::string(std::string_view value) {
    return intern(opId(CoreOp::Literal), Payload::string(m_symbols.intern(value)), m_types.string(), {}, {});
}

TermId TermBank::variable(Symbol name, TypeId type) {
    return intern(opId(CoreOp::Variable), Payload::name(name), m_types.erased(type), {}, {});
}

TermId TermBank::bound(std::uint32_t index, TypeId type) {
    return intern(opId(CoreOp::Bound), Payload::index(index), m_types.erased(type), {}, {});
}

TermId TermBank::let(Symbol hint, TermId value, TermId body) {
    const std::array children{value, body};
    return intern(opId(CoreOp::Let), {}, type(body), children, hint);
}

TermId TermBank::lambda(Symbol hint, TypeId parameter, TermId body) {
    const TypeId erased = m_types.erased(parameter);
    const std::array children{body};
    return intern(opId(CoreOp::Lam), Payload::type(erased), m_types.lambda(erased, type(body)), children, hint);
}

TermId TermBank::tuple(std::span<const TermId> elements) {
    std::vector<TypeId> elementTypes;
    elementTypes.reserve(elements.size());
    for (const TermId e : elements) elementTypes.push_back(type(e));
    return intern(opId(CoreOp::Tuple), {}, m_types.tuple(elementTypes), elements, {});
}

TermId TermBank::get(TermId tuple, std::uint32_t index) {
    assert(m_types.isTuple(type(tuple)) && index < m_types.children(type(tuple)).size());
    const std::span<const TypeId> elements = m_types.children(type(tuple));
    const TypeId element = elements[index];
    const std::array children{tuple};
    return intern(opId(CoreOp::Get), Payload::projection(index, static_cast<std::uint32_t>(elements.size())), element,
                  children, {});
}

Result<TermId> TermBank::call(FunctionId function, std::span<const TermId> arguments) {
    const Function& f = m_functions[function.value];
    if (arguments.size() != f.parameters.size()) {
        return typeError(fmt::format("{} takes {} arguments, {} given", f.name, f.parameters.size(), arguments.size()));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const TypeId wanted = m_types.erased(f.parameters[i].type);
        if (type(arguments[i]) != wanted) {
            return typeError(fmt::format("argument {} of {} is a {}, not the {} it takes", i + 1, f.name,
                                         m_types.toShortString(type(arguments[i])), m_types.toShortString(wanted)));
        }
    }
    return intern(opId(CoreOp::Call), Payload::function(function), f.result, arguments, {});
}

Result<TermId> TermBank::withChildren(TermId term, std::span<const TermId> children) {
    const Node n = node(term);
    if (n.op == opId(CoreOp::Literal) || n.op == opId(CoreOp::Variable) || n.op == opId(CoreOp::Bound)) {
        assert(children.empty());
        return term;
    }
    return make(n.op, children, n.payload, n.hint);
}

TypeId TermBank::boundType(TermId binder) const {
    if (is(binder, CoreOp::Lam)) return payload(binder).asType();
    assert(is(binder, CoreOp::Let));
    return type(child(binder, 0));
}

std::size_t TermBank::bytes() const {
    return m_nodes.capacity() * sizeof(Node) + m_children.capacity() * sizeof(TermId) +
           m_slots.capacity() * sizeof(std::uint32_t);
}

Result<FunctionId> TermBank::declare(Function function) {
    if (findFunction(function.name, function.argument).isValid()) {
        return typeError(fmt::format("{} is defined twice for the argument type {}", function.name,
                                     m_types.toString(function.argument)));
    }
    const FunctionId id(static_cast<std::uint32_t>(m_functions.size()));
    m_functionIndex.emplace(std::pair(m_symbols.intern(function.name), function.argument), id);
    m_functions.push_back(std::move(function));
    return id;
}

void TermBank::define(FunctionId id, TermId body) {
    assert(!m_functions[id.value].body.isValid());
    m_functions[id.value].body = body;
}

FunctionId TermBank::findFunction(std::string_view name, TypeId argument) const {
    const Symbol symbol = m_symbols.find(name);
    if (!symbol.isValid()) return {};
    const auto found = m_functionIndex.find(std::pair(symbol, argument));
    return found == m_functionIndex.end() ? FunctionId() : found->second;
}

}  // namespace mitos::ir
