// SPDX-License-Identifier: GPL-3.0-or-later
// Interned types: equal types have equal ids.
#pragma once

#include "core/base/symbol_table.h"
#include "core/ir/ids.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ir {

/// The element type of an array. Names follow the frameworks: f32, i64, bool (dtypeName).
enum class Dtype : std::uint8_t {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
    String,
    C64,
    C128,
    Unknown,  ///< for results of unknown operators
};

[[nodiscard]] std::string_view dtypeName(Dtype dtype);
[[nodiscard]] std::optional<Dtype> dtypeFromName(std::string_view name);
/// Bytes of one element; 0 for String and Unknown.
[[nodiscard]] std::size_t dtypeBytes(Dtype dtype);
[[nodiscard]] bool isFloating(Dtype dtype);

/// One dimension of an array: a size, or the name of a size that is only known when the program runs. Equal names mean
/// equal sizes; a computed size is named by its expression, "N+1".
struct Dimension {
    std::int64_t size = Named;  ///< non-negative, or Named
    Symbol name = {};           ///< valid if and only if size is Named

    static constexpr std::int64_t Named = -1;
    static Dimension of(std::int64_t size) { return {size, {}}; }
    static Dimension named(Symbol name) { return {Named, name}; }
    [[nodiscard]] bool isKnown() const { return size != Named; }
    friend bool operator==(const Dimension&, const Dimension&) = default;
};

enum class TypeKind : std::uint8_t {
    Integer,  ///< 64-bit signed
    Float,    ///< double precision
    Bool,
    String,
    Tuple,      ///< (Tuple T1 … Tn), n >= 0
    Tensor,     ///< (Tensor rank T); (Vec T) is rank 1
    Lambda,     ///< (Lam S T)
    LinearMap,  ///< (LM S T), a linear map S -> T (automatic differentiation)
    Array,      ///< type of the tensor dialect: f32[1,3,N]; f32[...] if the rank is unknown
};

/// All types of one TermBank. Terms have *erased* types. Declarations (parameters, results) may name their sizes,
/// `(Vec n (Vec m Float))`: such a type has its own id, and its erased() is the plain type. A size "name" that is a
/// number is a constant size.
class TypeTable {
public:
    explicit TypeTable(SymbolTable& symbols);
    /// The types of another table under the same ids, with a copy of its symbols.
    TypeTable(const TypeTable& source, SymbolTable& symbols);

    [[nodiscard]] TypeId integer() const { return TypeId(0); }
    [[nodiscard]] TypeId floating() const { return TypeId(1); }
    [[nodiscard]] TypeId boolean() const { return TypeId(2); }
    [[nodiscard]] TypeId string() const { return TypeId(3); }
    [[nodiscard]] TypeId unit() const { return TypeId(4); }  ///< the empty tuple
    TypeId tuple(std::span<const TypeId> elements);
    /// `rank` is at least 1. `sizes` is empty, or has one name per dimension (an invalid symbol means no name).
    TypeId tensor(std::uint32_t rank, TypeId element, std::span<const Symbol> sizes = {});
    TypeId vec(TypeId element) { return tensor(1, element); }
    TypeId lambda(TypeId from, TypeId to);
    TypeId linearMap(TypeId from, TypeId to);
    /// Rank 0 (a scalar) is an array of one element.
    TypeId array(Dtype dtype, std::span<const Dimension> dimensions);
    /// An array of unknown rank.
    TypeId unranked(Dtype dtype);

    [[nodiscard]] TypeKind kind(TypeId id) const { return m_nodes[id.value].kind; }
    /// Tuple: the elements; tensor: the element type; lambda and linear map: from, to; else empty.
    [[nodiscard]] std::span<const TypeId> children(TypeId id) const { return m_nodes[id.value].children; }
    [[nodiscard]] std::uint32_t rank(TypeId id) const { return m_nodes[id.value].rank; }
    [[nodiscard]] std::span<const Symbol> sizes(TypeId id) const { return m_nodes[id.value].sizes; }
    [[nodiscard]] bool isNumeric(TypeId id) const { return id == integer() || id == floating(); }
    [[nodiscard]] bool isTensor(TypeId id) const { return kind(id) == TypeKind::Tensor; }
    [[nodiscard]] bool isTuple(TypeId id) const { return kind(id) == TypeKind::Tuple; }
    [[nodiscard]] bool isArray(TypeId id) const { return kind(id) == TypeKind::Array; }
    [[nodiscard]] Dtype dtype(TypeId array) const { return m_nodes[array.value].dtype; }
    [[nodiscard]] bool hasRank(TypeId array) const { return m_nodes[array.value].hasRank; }
    /// The dimensions of an array; empty if hasRank() is false. The span is valid until the next type is made.
    [[nodiscard]] std::span<const Dimension> dimensions(TypeId array) const { return m_nodes[array.value].dimensions; }
    [[nodiscard]] SymbolTable& symbols() { return *m_symbols; }
    [[nodiscard]] const SymbolTable& symbols() const { return *m_symbols; }
    /// Element type of a tensor.
    [[nodiscard]] TypeId element(TypeId tensor) const { return children(tensor)[0]; }

    /// The same type without size names, at every depth.
    TypeId erased(TypeId id);
    /// I_k: Integer for rank 1, else a rank-tuple of Integers.
    TypeId indexType(std::uint32_t rank);
    /// Tangent type (ks-language.md 3): Float -> Float; Integer, Bool, String -> (Tuple); tuples, tensors componentwise.
    TypeId tangent(TypeId id);
    /// Shape type (ks-language.md 3): (Tuple) if the type determines the shape; sizes for tensors of such types.
    TypeId shape(TypeId id);

    /// ks syntax, e.g. "(Vec n (Vec m Float))", "Float", "(Tuple Float Integer)"; arrays as "f32[1,3,N]".
    [[nodiscard]] std::string toString(TypeId id) const;
    /// As toString, for messages: cut off with … after about `limit` characters (types of nested tuples can be huge).
    [[nodiscard]] std::string toShortString(TypeId id, std::size_t limit = 200) const;
    /// The same on every run and in every table.
    [[nodiscard]] std::uint64_t hash(TypeId id) const { return m_nodes[id.value].hash; }

private:
    struct Node {
        TypeKind kind;
        std::uint32_t rank = 0;
        std::vector<TypeId> children = {};
        std::vector<Symbol> sizes = {};
        std::vector<Dimension> dimensions = {};
        Dtype dtype = Dtype::Unknown;
        bool hasRank = false;
        std::uint64_t hash = 0;
        TypeId erased = {};  // this and the next two are computed on first use
        TypeId tangent = {};
        TypeId shape = {};
    };
    TypeId makeTangent(TypeId id);
    TypeId makeShape(TypeId id);
    TypeId intern(Node node);
    /// Appends until the text is longer than the limit.
    void write(TypeId id, std::size_t limit, std::string& text) const;

    SymbolTable* m_symbols;
    std::vector<Node> m_nodes;
    absl::flat_hash_map<std::uint64_t, std::vector<TypeId>> m_byHash;
};

}  // namespace mitos::ir
