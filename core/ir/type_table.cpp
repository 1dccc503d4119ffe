// SPDX-License-Identifier: GPL-3.0-or-later
// Interning and derived types.
#include "core/ir/type_table.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "core/base/hash.h"

namespace mitos::ir {

TypeTable::TypeTable(SymbolTable& symbols) : m_symbols(&symbols) {
    for (const TypeKind kind : {TypeKind::Integer, TypeKind::Float, TypeKind::Bool, TypeKind::String, TypeKind::Tuple}) {
        intern(Node{kind, 0, {}, {}, 0, {}});
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
    return intern(Node{TypeKind::Tuple, 0, {elements.begin(), elements.end()}, {}, 0, {}});
}

TypeId TypeTable::tensor(std::uint32_t rank, TypeId element, std::span<const Symbol> sizes) {
    assert(rank >= 1 && (sizes.empty() || sizes.size() == rank));
    const bool named = std::any_of(sizes.begin(), sizes.end(), [](Symbol s) { return s.isValid(); });
    Node node{TypeKind::Tensor, rank, {element}, {}, 0, {}};
    if (named) node.sizes.assign(sizes.begin(), sizes.end());
    return intern(std::move(node));
}

TypeId TypeTable::lambda(TypeId from, TypeId to) { return intern(Node{TypeKind::Lambda, 0, {from, to}, {}, 0, {}}); }

TypeId TypeTable::linearMap(TypeId from, TypeId to) {
    return intern(Node{TypeKind::LinearMap, 0, {from, to}, {}, 0, {}});
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

TypeId TypeTable::shape(TypeId id) {
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
    const Node& node = m_nodes[id.value];
    std::string inner;
    switch (node.kind) {
        case TypeKind::Integer: return "Integer";
        case TypeKind::Float: return "Float";
        case TypeKind::Bool: return "Bool";
        case TypeKind::String: return "String";
        case TypeKind::Tuple:
            for (const TypeId child : node.children) inner += " " + toString(child);
            return "(Tuple" + inner + ")";
        case TypeKind::Tensor:
            for (const Symbol size : node.sizes) {
                inner += fmt::format(" {}", size.isValid() ? m_symbols->text(size) : std::string_view("_"));
            }
            if (node.rank == 1) return fmt::format("(Vec{} {})", inner, toString(node.children[0]));
            return fmt::format("(Tensor {}{} {})", node.rank, inner, toString(node.children[0]));
        case TypeKind::Lambda:
            return fmt::format("(Lam {} {})", toString(node.children[0]), toString(node.children[1]));
        case TypeKind::LinearMap:
            return fmt::format("(LM {} {})", toString(node.children[0]), toString(node.children[1]));
    }
    return {};
}

}  // namespace mitos::ir
