// SPDX-License-Identifier: GPL-3.0-or-later
// Interning and derived types.
#include "core/ir/type_table.h"

#include "core/base/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace mitos::ir {

TypeTable::TypeTable(SymbolTable& symbols) : m_symbols(&symbols) {
    for (const TypeKind kind :
         {TypeKind::Integer, TypeKind::Float, TypeKind::Bool, TypeKind::String, TypeKind::Tuple}) {
        intern(Node{kind, 0, {}, {}, 0, {}, {}, {}});
    }
}

TypeId TypeTable::intern(Node node) {
    node.hash = combineHash(static_cast<std::uint64_t>(node.kind), node.rank);
    for (const TypeId child : node.children) node.hash = combineHash(node.hash, hash(child));
    for (const Symbol size : node.sizes) {
        node.hash = combineHash(node.hash, size.isValid() ? hashText(m_symbols->text(size)) : 0);
    }
    std::vector<TypeId>& candidates = m_byHash[node.hash];
    for (const TypeId candidate : candidates) {
        const Node& other = m_nodes[candidate.value];
        if (other.kind == node.kind && other.rank == node.rank && other.children == node.children &&
            other.sizes == node.sizes) {
            return candidate;
        }
    }
    const TypeId id(static_cast<std::uint32_t>(m_nodes.size()));
    candidates.push_back(id);
    m_nodes.push_back(std::move(node));
    return id;
}

TypeId TypeTable::tuple(std::span<const TypeId> elements) {
    return intern(Node{TypeKind::Tuple, 0, {elements.begin(), elements.end()}, {}, 0, {}, {}, {}});
}

TypeId TypeTable::tensor(std::uint32_t rank, TypeId element, std::span<const Symbol> sizes) {
    assert(rank >= 1 && (sizes.empty() || sizes.size() == rank));
    const bool named = std::any_of(sizes.begin(), sizes.end(), [](Symbol s) { return s.isValid(); });
    Node node{TypeKind::Tensor, rank, {element}, {}, 0, {}, {}, {}};
    if (named) node.sizes.assign(sizes.begin(), sizes.end());
    return intern(std::move(node));
}

TypeId TypeTable::lambda(TypeId from, TypeId to) {
    return intern(Node{TypeKind::Lambda, 0, {from, to}, {}, 0, {}, {}, {}});
}

TypeId TypeTable::linearMap(TypeId from, TypeId to) {
    return intern(Node{TypeKind::LinearMap, 0, {from, to}, {}, 0, {}, {}, {}});
}

TypeId TypeTable::erased(TypeId id) {
    if (m_nodes[id.value].erased.isValid()) return m_nodes[id.value].erased;
    Node plain = m_nodes[id.value];
    plain.sizes.clear();
    for (TypeId& child : plain.children) child = erased(child);
    const TypeId result = intern(std::move(plain));
    m_nodes[id.value].erased = result;
    m_nodes[result.value].erased = result;
    return result;
}

TypeId TypeTable::indexType(std::uint32_t rank) {
    if (rank == 1) return integer();
    const std::vector<TypeId> elements(rank, integer());
    return tuple(elements);
}

TypeId TypeTable::tangent(TypeId id) {
    if (!m_nodes[id.value].tangent.isValid()) {
        const TypeId made = makeTangent(id);
        m_nodes[id.value].tangent = made;
    }
    return m_nodes[id.value].tangent;
}

TypeId TypeTable::shape(TypeId id) {
    if (!m_nodes[id.value].shape.isValid()) {
        const TypeId made = makeShape(id);
        m_nodes[id.value].shape = made;
    }
    return m_nodes[id.value].shape;
}

TypeId TypeTable::makeTangent(TypeId id) {
    std::vector<TypeId> parts(children(id).begin(), children(id).end());
    switch (kind(id)) {
        case TypeKind::Float: return id;
        case TypeKind::Integer:
        case TypeKind::Bool:
        case TypeKind::String:
        case TypeKind::Lambda:
        case TypeKind::LinearMap: return unit();
        case TypeKind::Tuple:
            for (TypeId& part : parts) part = tangent(part);
            return tuple(parts);
        case TypeKind::Tensor: {
            const std::uint32_t r = rank(id);
            return tensor(r, tangent(parts[0]));
        }
    }
    return unit();
}

TypeId TypeTable::makeShape(TypeId id) {
    std::vector<TypeId> parts(children(id).begin(), children(id).end());
    if (kind(id) == TypeKind::Tensor) {
        const std::uint32_t r = rank(id);
        const TypeId inner = shape(parts[0]);
        return inner == unit() ? indexType(r) : tensor(r, inner);
    }
    if (kind(id) != TypeKind::Tuple) return unit();
    for (TypeId& part : parts) part = shape(part);
    const bool trivial = std::all_of(parts.begin(), parts.end(), [this](TypeId part) { return part == unit(); });
    return trivial ? unit() : tuple(parts);
}

std::string TypeTable::toString(TypeId id) const {
    std::string text;
    write(id, std::string::npos, text);
    return text;
}

std::string TypeTable::toShortString(TypeId id, std::size_t limit) const {
    std::string text;
    write(id, limit, text);
    if (text.size() <= limit) return text;
    text.resize(limit);
    return text + "…";
}

void TypeTable::write(TypeId id, std::size_t limit, std::string& text) const {
    if (text.size() > limit) return;
    const Node& node = m_nodes[id.value];
    const auto writeChildren = [&](std::string_view head) {
        text += head;
        for (const Symbol size : node.sizes) {
            text += ' ';
            text += size.isValid() ? m_symbols->text(size) : std::string_view("_");
        }
        for (const TypeId child : node.children) {
            if (text.size() > limit) return;
            text += ' ';
            write(child, limit, text);
        }
        text += ')';
    };
    switch (node.kind) {
        case TypeKind::Integer: text += "Integer"; break;
        case TypeKind::Float: text += "Float"; break;
        case TypeKind::Bool: text += "Bool"; break;
        case TypeKind::String: text += "String"; break;
        case TypeKind::Tuple: writeChildren("(Tuple"); break;
        case TypeKind::Tensor:
            writeChildren(node.rank == 1 ? std::string("(Vec") : fmt::format("(Tensor {}", node.rank));
            break;
        case TypeKind::Lambda: writeChildren("(Lam"); break;
        case TypeKind::LinearMap: writeChildren("(LM"); break;
    }
}

}  // namespace mitos::ir
