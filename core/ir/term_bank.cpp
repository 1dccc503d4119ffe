// SPDX-License-Identifier: GPL-3.0-or-later
// Hash-consing.
#include "core/ir/term_bank.h"

#include "core/base/hash.h"
#include "core/ir/dialect.h"

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace mitos::ir {

namespace {

constexpr std::size_t InitialSlots = 1U << 10U;
constexpr std::size_t InitialShifts = 1U << 9U;
constexpr std::size_t MostShifts = 1U << 16U;
constexpr std::uint64_t MaxTreeSize = 1ULL << 63U;
constexpr std::uint32_t ExactLooseIndices = 31;  // indices with a bit of their own in Node::looseMask

Error typeError(std::string message) { return Error{ErrorCode::Parse, std::move(message)}; }

}  // namespace

TermBank::TermBank(std::shared_ptr<const OperatorRegistry> registry)
    : m_registry(std::move(registry)),
      m_types(m_symbols),
      m_shifts(InitialShifts),
      m_slots(InitialSlots) {
    for (std::uint32_t op = 0; op < m_registry->size(); ++op) {
        m_plainHeads.push_back(combineHash(m_registry->hash(OpId(op)), payloadHash({})));
    }
}

TermBank::TermBank(TermBank& source, Frozen)
    : m_registry(source.m_registry),
      m_symbols(source.m_symbols.copy()),
      m_types(source.m_types, m_symbols),
      m_nodes(source.m_nodes.shared()),
      m_children(source.m_children),
      m_plainHeads(source.m_plainHeads),
      m_functions(source.m_functions),
      m_functionIndex(source.m_functionIndex),
      m_revision(source.m_revision) {}

std::shared_ptr<const TermBank> TermBank::frozen() {
    return std::shared_ptr<const TermBank>(new TermBank(*this, Frozen()));
}

std::unique_ptr<TermBank> TermBank::copy() {
    std::unique_ptr<TermBank> copy(new TermBank(*this, Frozen()));
    copy->m_slots = m_slots;
    copy->m_shifts = m_shifts;
    return copy;
}

std::uint64_t TermBank::payloadHash(const Payload& payload) const {
    const auto kind = static_cast<std::uint64_t>(payload.kind());
    switch (payload.kind()) {
        case PayloadKind::String:
        case PayloadKind::Attributes:
        case PayloadKind::Name: return combineHash(kind, hashText(m_symbols.text(payload.asSymbol())));
        case PayloadKind::Function: {
            const Function& f = m_functions[payload.asFunction().value];
            return combineHash(combineHash(kind, hashText(f.name)), m_types.hash(f.argument));
        }
        case PayloadKind::Type: return combineHash(kind, m_types.hash(payload.asType()));
        default: return combineHash(kind, payload.rawBits());
    }
}

std::uint64_t TermBank::headHash(OpId op, const Payload& payload, TypeId type) const {
    const std::uint64_t head = payload.kind() == PayloadKind::None
                                   ? m_plainHeads[op.value]
                                   : combineHash(m_registry->hash(op), payloadHash(payload));
    return combineHash(head, m_types.hash(type));
}

class TermBank::OneReplaced {
public:
    OneReplaced(const TermBank& bank, TermId term, std::uint32_t index, TermId replacement)
        : m_bank(bank),
          m_first(bank.node(term).firstChild),
          m_count(bank.node(term).childCount),
          m_index(index),
          m_replacement(replacement) {}

    [[nodiscard]] std::size_t size() const { return m_count; }
    TermId operator[](std::size_t i) const { return i == m_index ? m_replacement : m_bank.m_children[m_first + i]; }

private:
    const TermBank& m_bank;
    std::uint32_t m_first;
    std::uint32_t m_count;
    std::uint32_t m_index;
    TermId m_replacement;
};

template <typename Children>
TermId TermBank::internHashed(Node& wanted, const Children& children) {
    assert(!m_slots.empty());
    const std::size_t mask = m_slots.size() - 1;
    const auto tag = static_cast<std::uint32_t>(wanted.hash);
    const auto isWanted = [&](const Node& found) {
        if (found.hash != wanted.hash || found.op != wanted.op || found.type != wanted.type ||
            found.payload != wanted.payload || found.childCount != children.size()) {
            return false;
        }
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (m_children[found.firstChild + i] != children[i]) return false;
        }
        return true;
    };
    std::size_t slot = tag & mask;
    for (; m_slots[slot].term != TermId::Invalid; slot = (slot + 1) & mask) {
        if (m_slots[slot].tag != tag) continue;
        const Node& found = m_nodes[m_slots[slot].term];
        if (!isWanted(found)) continue;
        if (!found.hint.isValid() && wanted.hint.isValid()) {
            m_nodes.change(m_slots[slot].term).hint = wanted.hint;
            ++m_revision;
        }
        return TermId(m_slots[slot].term);
    }
    wanted.firstChild = static_cast<std::uint32_t>(m_children.size());
    wanted.childCount = static_cast<std::uint32_t>(children.size());
    if (wanted.op == opId(CoreOp::Bound)) {
        wanted.loose = wanted.payload.asIndex() + 1;
        const std::uint32_t bit = std::min(wanted.payload.asIndex(), ExactLooseIndices);
        wanted.looseMask = static_cast<std::int32_t>(1U << bit);
    }
    const int binding = m_registry->info(wanted.op).bindingChild;
    // The children may be a view into m_children itself (withChildren(t, children(u))), so they are copied before it can move.
    absl::InlinedVector<TermId, 8> copy;
    for (std::size_t i = 0; i < children.size(); ++i) {
        copy.push_back(children[i]);
        const Node& c = node(children[i]);
        wanted.treeSize = c.treeSize < MaxTreeSize - wanted.treeSize ? wanted.treeSize + c.treeSize : MaxTreeSize;
        wanted.depth = std::max(wanted.depth, c.depth + 1);
        const std::uint32_t bound = binding == static_cast<int>(i) ? 1 : 0;
        if (c.loose > bound) wanted.loose = std::max(wanted.loose, c.loose - bound);
        wanted.looseMask |= c.looseMask >> bound;  // the sign bit stays: inexact indices are not distinguished
    }
    const TermId id(static_cast<std::uint32_t>(m_nodes.size()));
    m_children.insert(m_children.end(), copy.begin(), copy.end());
    m_nodes.push_back(wanted);
    m_slots[slot] = {tag, id.value};
    ++m_revision;
    if (m_nodes.size() * 3 > m_slots.size() * 2) grow();
    return id;
}

TermId TermBank::intern(OpId op, const Payload& payload, TypeId type, std::span<const TermId> children, Symbol hint) {
    Node wanted{.op = op, .type = type, .payload = payload, .hint = hint};
    wanted.hash = headHash(op, payload, type);
    for (const TermId child : children) wanted.hash = combineHash(wanted.hash, node(child).hash);
    return internHashed(wanted, children);
}

void TermBank::grow() {
    const std::vector<Slot> old = std::exchange(m_slots, std::vector<Slot>(m_slots.size() * 2));
    const std::size_t mask = m_slots.size() - 1;
    for (const Slot& moved : old) {
        if (moved.term == TermId::Invalid) continue;
        std::size_t slot = moved.tag & mask;
        while (m_slots[slot].term != TermId::Invalid) slot = (slot + 1) & mask;
        m_slots[slot] = moved;
    }
    if (m_shifts.size() < MostShifts) m_shifts.assign(m_shifts.size() * 2, Shift());
}

bool TermBank::mayMention(TermId id, std::uint32_t first, std::uint32_t count) const {
    const Node& n = node(id);
    if (count == 0 || n.loose <= first) return false;
    if (first >= ExactLooseIndices || count > ExactLooseIndices - first) return true;
    return (static_cast<std::uint32_t>(n.looseMask) & (((1U << count) - 1U) << first)) != 0;
}

TermId TermBank::shifted(TermId term, std::uint32_t from, std::int32_t by) {
    const Node n = node(term);
    if (n.loose <= from || by == 0) return term;
    if (n.op == opId(CoreOp::Bound)) {
        const auto index = static_cast<std::uint32_t>(static_cast<std::int64_t>(n.payload.asIndex()) + by);
        return intern(n.op, Payload::index(index), n.type, {}, {});
    }
    const std::uint64_t key = (static_cast<std::uint64_t>(term.value) << 32U) ^
                              (static_cast<std::uint64_t>(from) << 16U) ^ static_cast<std::uint32_t>(by);
    const std::uint64_t mixed = mixBits(key);
    const Shift& known = m_shifts[mixed & (m_shifts.size() - 1)];
    if (known.term == term && known.from == from && known.by == by) return known.result;
    absl::InlinedVector<TermId, 8> children;
    const int binding = m_registry->info(n.op).bindingChild;
    for (std::uint32_t i = 0; i < n.childCount; ++i) {
        const std::uint32_t bound = binding == static_cast<int>(i) ? 1 : 0;
        children.push_back(shifted(m_children[n.firstChild + i], from + bound, by));
    }
    const TermId result = intern(n.op, n.payload, n.type, children, n.hint);
    m_shifts[mixed & (m_shifts.size() - 1)] = {term, from, by, result};
    return result;
}

TermId TermBank::replaceAt(TermId root, std::span<const std::uint32_t> path, TermId replacement) {
    struct Level {
        TermId term;             ///< before the replacement
        std::uint64_t hash = 0;  ///< after the replacement
    };
    absl::InlinedVector<Level, 32> spine;
    TermId at = root;
    for (const std::uint32_t index : path) {
        spine.push_back({at});
        at = child(at, index);
    }
    assert(type(at) == type(replacement));
    if (at == replacement) return root;
    const std::size_t mask = m_slots.size() - 1;
    std::uint64_t below = hash(replacement);
    for (std::size_t level = path.size(); level-- > 0;) {
        const Node& n = node(spine[level].term);
        std::uint64_t own = headHash(n.op, n.payload, n.type);
        for (std::uint32_t i = 0; i < n.childCount; ++i) {
            own = combineHash(own, i == path[level] ? below : node(m_children[n.firstChild + i]).hash);
        }
        below = spine[level].hash = own;
        __builtin_prefetch(&m_slots[own & mask]);
    }
    TermId current = replacement;
    for (std::size_t level = path.size(); level-- > 0;) {
        const Node& n = node(spine[level].term);
        Node wanted{.op = n.op, .type = n.type, .payload = n.payload, .hash = spine[level].hash, .hint = n.hint};
        current = internHashed(wanted, OneReplaced(*this, spine[level].term, path[level], current));
    }
    return current;
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
    MITOS_TRY(TypeId result, typeByRule(op, children, payload));
    return intern(op, payload, result, children, hint);
}

Result<TypeId> TermBank::typeByRule(OpId op, std::span<const TermId> children, const Payload& payload) {
    const OperatorInfo& info = m_registry->info(op);
    assert(info.typeRule != nullptr);
    absl::InlinedVector<TypeId, 8> childTypes;
    for (const TermId c : children) childTypes.push_back(type(c));
    return info.typeRule(TypeRuleInput{m_types, payload, childTypes, info});
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
    // A term's type depends only on the types of its children, so the type rule is not applied if those are the same.
    bool sameTypes = children.size() == n.childCount;
    for (std::size_t i = 0; i < children.size() && sameTypes; ++i) {
        sameTypes = type(children[i]) == type(m_children[n.firstChild + i]);
    }
    const bool isStated = m_registry->info(n.op).typeRule == nullptr && n.op.value >= opId(CoreOp::Count).value;
    return sameTypes || isStated ? intern(n.op, n.payload, n.type, children, n.hint)
                                 : make(n.op, children, n.payload, n.hint);
}

TermId TermBank::stated(OpId op, TypeId type, std::span<const TermId> children, Payload payload, Symbol hint) {
    return intern(op, payload, type, children, hint);
}

TypeId TermBank::boundType(TermId binder) const {
    if (is(binder, CoreOp::Lam)) return payload(binder).asType();
    assert(is(binder, CoreOp::Let));
    return type(child(binder, 0));
}

std::size_t TermBank::bytes() const {
    return m_nodes.bytes() + m_children.capacity() * sizeof(TermId) + m_slots.capacity() * sizeof(Slot) +
           m_shifts.capacity() * sizeof(Shift) + (m_companion != nullptr ? m_companion->bytes() : 0);
}

Result<FunctionId> TermBank::declare(Function function) {
    if (findFunction(function.name, function.argument).isValid()) {
        return typeError(fmt::format("{} is defined twice for the argument type {}", function.name,
                                     m_types.toString(function.argument)));
    }
    const FunctionId id(static_cast<std::uint32_t>(m_functions.size()));
    m_functionIndex.emplace(std::pair(m_symbols.intern(function.name), function.argument), id);
    if (const Dialect* const own = m_registry->findDialect(function.dialect)) function.sharing = own->sharing;
    m_functions.push_back(std::move(function));
    ++m_revision;
    return id;
}

const Dialect& TermBank::dialect(FunctionId id) const {
    const Dialect* const own = m_registry->findDialect(m_functions[id.value].dialect);
    assert(own != nullptr || !m_registry->dialects().empty());
    return own != nullptr ? *own : *m_registry->dialects().front();
}

void TermBank::define(FunctionId id, TermId body) {
    assert(!m_functions[id.value].body.isValid());
    m_functions[id.value].body = body;
    ++m_revision;
}

void TermBank::setDeclaredCost(FunctionId id, double cost) {
    m_functions[id.value].declaredCost = cost;
    ++m_revision;
}

FunctionId TermBank::findFunction(std::string_view name, TypeId argument) const {
    const Symbol symbol = m_symbols.find(name);
    if (!symbol.isValid()) return {};
    const auto found = m_functionIndex.find(std::pair(symbol, argument));
    return found == m_functionIndex.end() ? FunctionId() : found->second;
}

}  // namespace mitos::ir
