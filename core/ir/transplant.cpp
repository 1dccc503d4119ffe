// SPDX-License-Identifier: GPL-3.0-or-later
// Copies terms and functions between banks.
#include "core/ir/transplant.h"

#include "core/ir/calls.h"

#include <absl/container/inlined_vector.h>

#include <cassert>
#include <vector>

namespace mitos::ir {

Transplanter::Transplanter(const TermBank& from, TermBank& to) : m_from(from), m_to(to) {
    assert(to.registry().size() >= from.registry().size());
}

Symbol Transplanter::symbol(Symbol id) { return id.isValid() ? m_to.symbols().intern(m_from.text(id)) : Symbol(); }

TypeId Transplanter::type(TypeId id) {
    if (const auto known = m_types.find(id); known != m_types.end()) return known->second;
    const TypeTable& source = m_from.types();
    std::vector<TypeId> children;
    for (const TypeId c : source.children(id)) children.push_back(type(c));
    std::vector<Symbol> sizes;
    for (const Symbol s : source.sizes(id)) sizes.push_back(symbol(s));
    TypeTable& target = m_to.types();
    TypeId copy;
    switch (source.kind(id)) {
        case TypeKind::Integer: copy = target.integer(); break;
        case TypeKind::Float: copy = target.floating(); break;
        case TypeKind::Bool: copy = target.boolean(); break;
        case TypeKind::String: copy = target.string(); break;
        case TypeKind::Tuple: copy = target.tuple(children); break;
        case TypeKind::Tensor: copy = target.tensor(source.rank(id), children[0], sizes); break;
        case TypeKind::Lambda: copy = target.lambda(children[0], children[1]); break;
        case TypeKind::LinearMap: copy = target.linearMap(children[0], children[1]); break;
        case TypeKind::Array: {
            std::vector<Dimension> dimensions;
            for (const Dimension& d : source.dimensions(id)) dimensions.push_back({d.size, symbol(d.name)});
            copy = source.hasRank(id) ? target.array(source.dtype(id), dimensions) : target.unranked(source.dtype(id));
            break;
        }
    }
    m_types.emplace(id, copy);
    return copy;
}

/// Copies callees first and without recursion, since call chains may be thousands of functions long.
FunctionId Transplanter::function(FunctionId id) {
    if (const auto known = m_functions.find(id); known != m_functions.end()) return known->second;
    for (const FunctionId callee : callOrder(m_from, {id, m_from.function(id).body})) oneFunction(callee);
    return oneFunction(id);
}

/// Copies one function whose callees are copied already, or are mutually recursive with it.
FunctionId Transplanter::oneFunction(FunctionId id) {
    if (const auto known = m_functions.find(id); known != m_functions.end()) return known->second;
    Function copy = m_from.function(id);
    copy.argument = type(copy.argument);
    if (const FunctionId there = m_to.findFunction(copy.name, copy.argument); there.isValid()) {
        m_functions.emplace(id, there);
        return there;
    }
    copy.result = type(copy.result);
    copy.declaredResult = type(copy.declaredResult);
    for (Parameter& p : copy.parameters) p = {symbol(p.name), type(p.type)};
    for (SizeName& s : copy.sizes) s.name = symbol(s.name);
    const TermId body = copy.body;
    copy.body = TermId();
    const Result<FunctionId> declared = m_to.declare(std::move(copy));
    assert(declared.ok());
    m_functions.emplace(id, *declared);  // before the body: it may call itself
    if (body.isValid()) m_to.define(*declared, term(body));
    return *declared;
}

/// Uses an explicit stack, since networks are chains of thousands of nodes.
TermId Transplanter::term(TermId id) {
    std::vector<TermId> open{id};
    while (!open.empty()) {
        const TermId next = open.back();
        const std::size_t waiting = open.size();
        if (!m_terms.contains(next)) {
            const auto children = m_from.children(next);
            for (auto child = children.rbegin(); child != children.rend(); ++child) {
                if (!m_terms.contains(*child)) open.push_back(*child);
            }
        }
        if (open.size() > waiting) continue;
        open.pop_back();
        if (!m_terms.contains(next)) {
            const TermId copy = copied(next);
            m_terms.emplace(next, copy);
        }
    }
    return m_terms.at(id);
}

/// Copies one term whose children are copied already.
TermId Transplanter::copied(TermId id) {
    const Payload& payload = m_from.payload(id);
    if (m_from.is(id, CoreOp::Literal)) {
        switch (payload.kind()) {
            case PayloadKind::Integer: return m_to.integer(payload.asInteger());
            case PayloadKind::Float: return m_to.floating(payload.asFloat());
            case PayloadKind::Bool: return m_to.boolean(payload.asBool());
            default: return m_to.string(m_from.text(payload.asSymbol()));
        }
    }
    if (m_from.is(id, CoreOp::Variable)) return m_to.variable(symbol(payload.asSymbol()), type(m_from.type(id)));
    if (m_from.is(id, CoreOp::Bound)) return m_to.bound(payload.asIndex(), type(m_from.type(id)));

    Payload moved = payload;
    if (payload.kind() == PayloadKind::Type) moved = Payload::type(type(payload.asType()));
    if (payload.kind() == PayloadKind::Attributes) moved = Payload::attributes(symbol(payload.asSymbol()));
    if (payload.kind() == PayloadKind::Name) moved = Payload::name(symbol(payload.asSymbol()));
    if (payload.kind() == PayloadKind::Function) moved = Payload::function(function(payload.asFunction()));
    absl::InlinedVector<TermId, 8> children;
    for (const TermId c : m_from.children(id)) children.push_back(m_terms.at(c));
    const Symbol hint = symbol(m_from.hint(id));
    return m_to.stated(m_from.op(id), type(m_from.type(id)), children, moved, hint);
}

Program Transplanter::program(const Program& program) { return {function(program.function), term(program.root)}; }

}  // namespace mitos::ir
