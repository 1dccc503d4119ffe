// SPDX-License-Identifier: GPL-3.0-or-later
// Interns types and computes derived types.
#include "core/ir/type_table.h"

#include "core/base/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace mitos::ir {

namespace {

struct DtypeInfo {
    Dtype dtype;
    std::string_view name;
    std::size_t bytes;
};

constexpr std::array<DtypeInfo, 17> Dtypes{{
    {Dtype::F16, "f16", 2},
    {Dtype::Bf16, "bf16", 2},
    {Dtype::F32, "f32", 4},
    {Dtype::F64, "f64", 8},
    {Dtype::I8, "i8", 1},
    {Dtype::I16, "i16", 2},
    {Dtype::I32, "i32", 4},
    {Dtype::I64, "i64", 8},
    {Dtype::U8, "u8", 1},
    {Dtype::U16, "u16", 2},
    {Dtype::U32, "u32", 4},
    {Dtype::U64, "u64", 8},
    {Dtype::Bool, "bool", 1},
    {Dtype::String, "string", 0},
    {Dtype::C64, "c64", 8},
    {Dtype::C128, "c128", 16},
    {Dtype::Unknown, "any", 0},
}};

}  // namespace

std::string_view dtypeName(Dtype dtype) { return Dtypes[static_cast<std::size_t>(dtype)].name; }

std::optional<Dtype> dtypeFromName(std::string_view name) {
    const auto* const found = std::ranges::find(Dtypes, name, &DtypeInfo::name);
    return found == Dtypes.end() ? std::nullopt : std::optional(found->dtype);
}

std::size_t dtypeBytes(Dtype dtype) { return Dtypes[static_cast<std::size_t>(dtype)].bytes; }

bool isFloating(Dtype dtype) {
    return dtype == Dtype::F16 || dtype == Dtype::Bf16 || dtype == Dtype::F32 || dtype == Dtype::F64;
}

TypeTable::TypeTable(SymbolTable& symbols) : m_symbols(&symbols) {
    for (const TypeKind kind :
         {TypeKind::Integer, TypeKind::Float, TypeKind::Bool, TypeKind::String, TypeKind::Tuple}) {
        intern(Node{.kind = kind});
    }
}

TypeTable::TypeTable(const TypeTable& source, SymbolTable& symbols)
    : m_symbols(&symbols),
      m_nodes(source.m_nodes),
      m_byHash(source.m_byHash) {}

TypeId TypeTable::intern(Node node) {
    node.hash = combineHash(static_cast<std::uint64_t>(node.kind), node.rank);
    for (const TypeId child : node.children) node.hash = combineHash(node.hash, hash(child));
    for (const Symbol size : node.sizes) {
        node.hash = combineHash(node.hash, size.isValid() ? hashText(m_symbols->text(size)) : 0);
    }
    if (node.kind == TypeKind::Array) {
        node.hash = combineHash(node.hash, static_cast<std::uint64_t>(node.dtype) * 2 + (node.hasRank ? 1 : 0));
        for (const Dimension& dimension : node.dimensions) {
            node.hash = combineHash(node.hash, dimension.isKnown() ? static_cast<std::uint64_t>(dimension.size)
                                                                   : hashText(m_symbols->text(dimension.name)));
        }
    }
    std::vector<TypeId>& candidates = m_byHash[node.hash];
    for (const TypeId candidate : candidates) {
        const Node& other = m_nodes[candidate.value];
        if (other.kind == node.kind && other.rank == node.rank && other.children == node.children &&
            other.sizes == node.sizes && other.dtype == node.dtype && other.hasRank == node.hasRank &&
            other.dimensions == node.dimensions) {
            return candidate;
        }
    }
    const TypeId id(static_cast<std::uint32_t>(m_nodes.size()));
    candidates.push_back(id);
    m_nodes.push_back(std::move(node));
    return id;
}

TypeId TypeTable::tuple(std::span<const TypeId> elements) {
    return intern(Node{.kind = TypeKind::Tuple, .children = {elements.begin(), elements.end()}});
}

TypeId TypeTable::tensor(std::uint32_t rank, TypeId element, std::span<const Symbol> sizes) {
    assert(rank >= 1 && (sizes.empty() || sizes.size() == rank));
    const bool named = std::ranges::any_of(sizes, [](Symbol s) { return s.isValid(); });
    Node node{.kind = TypeKind::Tensor, .rank = rank, .children = {element}};
    if (named) node.sizes.assign(sizes.begin(), sizes.end());
    return intern(std::move(node));
}

TypeId TypeTable::lambda(TypeId from, TypeId to) {
    return intern(Node{.kind = TypeKind::Lambda, .children = {from, to}});
}

TypeId TypeTable::linearMap(TypeId from, TypeId to) {
    return intern(Node{.kind = TypeKind::LinearMap, .children = {from, to}});
}

TypeId TypeTable::array(Dtype dtype, std::span<const Dimension> dimensions) {
    Node node{.kind = TypeKind::Array, .rank = static_cast<std::uint32_t>(dimensions.size()), .dtype = dtype};
    node.dimensions.assign(dimensions.begin(), dimensions.end());
    node.hasRank = true;
    return intern(std::move(node));
}

TypeId TypeTable::unranked(Dtype dtype) { return intern(Node{.kind = TypeKind::Array, .dtype = dtype}); }

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
        case TypeKind::LinearMap:
        case TypeKind::Array: return unit();
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
    const bool trivial = std::ranges::all_of(parts, [this](TypeId part) { return part == unit(); });
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
        case TypeKind::Array: {
            text += dtypeName(node.dtype);
            text += '[';
            if (!node.hasRank) text += "...";
            for (std::size_t i = 0; i < node.dimensions.size(); ++i) {
                if (i > 0) text += ',';
                const Dimension& dimension = node.dimensions[i];
                text +=
                    dimension.isKnown() ? std::to_string(dimension.size) : std::string(m_symbols->text(dimension.name));
            }
            text += ']';
            break;
        }
    }
}

}  // namespace mitos::ir
