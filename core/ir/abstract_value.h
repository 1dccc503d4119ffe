// SPDX-License-Identifier: GPL-3.0-or-later
// Abstract values: what is known about a value without running the program. They are the lattice on which every analysis of terms runs
// (core/facts), and on which the operators' transfer rules compute (fact_rule.h).
#pragma once

#include "core/ir/term_bank.h"
#include "core/ir/value_range.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mitos::ir {

/// A number of elements, or any other Integer, as far as it is known: a constant; a symbol, which stands for the same number wherever it
/// occurs; or unknown.
class Size {
public:
    constexpr Size() = default;
    static constexpr Size of(std::int64_t number) { return Size(number, Kind::Number); }
    static constexpr Size symbol(std::uint32_t symbol) { return Size(symbol, Kind::Symbol); }

    [[nodiscard]] bool isKnown() const { return m_kind != Kind::Unknown; }
    [[nodiscard]] std::optional<std::int64_t> number() const {
        return m_kind == Kind::Number ? std::optional(m_bits) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::uint32_t> symbol() const {
        return m_kind == Kind::Symbol ? std::optional(static_cast<std::uint32_t>(m_bits)) : std::nullopt;
    }

    friend bool operator==(const Size&, const Size&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Size& size) {
        return H::combine(std::move(h), size.m_bits, size.m_kind);
    }

private:
    enum class Kind : std::uint8_t { Unknown, Number, Symbol };
    constexpr Size(std::int64_t bits, Kind kind) : m_bits(bits), m_kind(kind) {}

    std::int64_t m_bits = 0;
    Kind m_kind = Kind::Unknown;
};

using Sizes = absl::InlinedVector<Size, 2>;

enum class ValueKind : std::uint8_t {
    Scalar,  ///< a number, a truth value, a text or a linear map that is not a known constant; an array of the tensor dialect
    Integer,  ///< known constant
    Float,    ///< known constant
    Bool,     ///< known constant
    Tuple,
    Tensor,    ///< sizes, and one value that represents all elements
    Function,  ///< a lambda with the values of its surroundings
};

struct AbstractValue {
    ValueKind kind = ValueKind::Scalar;
    std::int64_t bits = 0;                  ///< of a constant (a Float's bit pattern); of a lambda: its term
    EnvId environment;                      ///< of a lambda
    Sizes sizes;                            ///< of a tensor, one per dimension
    absl::InlinedVector<ValueId, 2> parts;  ///< of a tuple; of a tensor: the element
    ValueRange range = {};                  ///< of a scalar
    Size number = {};                       ///< of a scalar Integer: the symbol that stands for it
    Size below = {};                        ///< of a scalar Integer: a size that it does not reach

    friend bool operator==(const AbstractValue&, const AbstractValue&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const AbstractValue& v) {
        return H::combine(std::move(h), v.kind, v.bits, v.environment, v.sizes, v.parts, v.range, v.number, v.below);
    }
};

/// Interned abstract values: equal values have equal ids.
class AbstractValues {
public:
    enum class Tracks : std::uint8_t {
        Constants,  ///< constants, sizes and structure
        Numbers,    ///< ranges of all numbers and symbols for Integers too
    };
    explicit AbstractValues(Tracks tracks) : m_tracks(tracks) {}

    ValueId intern(AbstractValue value);
    [[nodiscard]] const AbstractValue& operator[](ValueId id) const { return m_values[id.value]; }
    [[nodiscard]] bool tracksNumbers() const { return m_tracks == Tracks::Numbers; }

    ValueId unknown() { return intern({}); }
    ValueId integer(std::int64_t v);
    ValueId boolean(bool v);
    ValueId floating(double v);
    /// The constant that a literal's payload denotes; unknown for texts.
    ValueId literal(const Payload& payload);
    ValueId tuple(std::span<const ValueId> parts);
    ValueId tensor(std::span<const Size> sizes, ValueId element);
    ValueId function(TermId lambda, EnvId environment);
    /// A number of the range; an Integer of this symbol.
    ValueId scalar(const ValueRange& range, Size number = {});
    /// An Integer that counts from 0 up to the size.
    ValueId indexBelow(Size size);
    /// A value of a type about which only the type is known; `sizeOf` gives the sizes of tensors for their names (or for no name).
    template <typename F>
    ValueId ofType(const TypeTable& types, TypeId type, const F& sizeOf) {
        AbstractValue value;
        if (types.isTuple(type)) {
            value.kind = ValueKind::Tuple;
            for (const TypeId part : types.children(type)) value.parts.push_back(ofType(types, part, sizeOf));
        } else if (types.isTensor(type)) {
            value.kind = ValueKind::Tensor;
            const std::span<const Symbol> names = types.sizes(type);
            for (std::uint32_t i = 0; i < types.rank(type); ++i) {
                value.sizes.push_back(sizeOf(i < names.size() ? names[i] : Symbol()));
            }
            value.parts.push_back(ofType(types, types.element(type), sizeOf));
        } else if (tracksNumbers()) {
            if (const std::optional<WholeLimits> limits = wholeLimits(types, type)) value.range = limits->range();
        }
        return intern(std::move(value));
    }
    /// The same, with unknown sizes.
    ValueId anyOfType(const TypeTable& types, TypeId type) {
        return ofType(types, type, [](Symbol) { return Size(); });
    }

    /// The same sizes and structure without constants and ranges; the type is that of the value.
    ValueId shapeOf(ValueId id, const TypeTable& types, TypeId type);
    /// The facts that hold for both values.
    ValueId join(ValueId a, ValueId b);
    /// The facts about a value of which both hold. Where they contradict each other, there is no value, and either of them is returned.
    ValueId meet(ValueId a, ValueId b);

    /// The bounds of all numbers in a value.
    [[nodiscard]] ValueRange range(ValueId id) const;
    [[nodiscard]] std::optional<bool> truth(ValueId id) const;
    /// The Integer itself: a constant or its symbol.
    [[nodiscard]] Size identity(ValueId integer) const;
    /// The Integer as a number of elements, which is not negative.
    [[nodiscard]] Size sizeFrom(ValueId integer) const;
    /// The dimensions that a size value (an Integer, or a tuple of Integers) describes.
    [[nodiscard]] Sizes sizesFrom(ValueId size) const;
    /// The value of (size v) for these dimensions.
    ValueId sizeValue(std::span<const Size> sizes);
    /// Whether two values have the same sizes at every level, all of which are known.
    [[nodiscard]] bool haveSameSizes(ValueId a, ValueId b) const;
    /// Whether an index (an Integer, or a tuple of Integers) lies inside a tensor of these sizes.
    [[nodiscard]] bool isInside(ValueId index, std::span<const Size> sizes) const;

    // --- symbols --------------------------------------------------------------------------------------------------

    /// The symbol for an Integer, or a size of a value, that the term has in these surroundings; `part` numbers several of one term. The
    /// symbol is fixed within one iteration of the `level` loops around it. It is ragged if it stands for the sizes of all elements
    /// of a tensor, which need not be equal.
    Size named(TermId term, EnvId environment, std::uint32_t part, std::uint32_t level, bool isRagged);
    /// The symbol for a free Integer variable, or for the size of that name.
    Size variable(Symbol name) { return intern({name.value, 0, 2}, {}); }
    /// The symbol for the result of an operator on two Integers; unknown unless both are known.
    Size combined(OpId op, Size a, Size b);
    /// The number of loops in whose iterations the size is fixed: 0 if it is the same in all.
    [[nodiscard]] std::uint32_t level(Size size) const;
    /// Whether the size is a symbol for those of all elements of a tensor.
    [[nodiscard]] bool isRagged(Size size) const { return size.symbol() && m_symbols[*size.symbol()].isRagged; }
    /// Whether all sizes of a value are known, and the same in all iterations of the loops from this level on.
    [[nodiscard]] bool areSizesKnownOutside(ValueId id, std::uint32_t loops) const;
    /// Two values of the same sizes, in an operation that fails otherwise: the first one, with the sizes of which more is known.
    ValueId agreeing(ValueId a, ValueId b);
    /// The value outside of the loops from this level on: what depends on their iterations is unknown there.
    ValueId outside(ValueId id, std::uint32_t loops);
    /// A value that represents each single element of a tensor.
    ValueId element(ValueId tensor);

    /// Estimated memory of the values, each of which is stored in the table and in the index, and of the symbols.
    [[nodiscard]] std::size_t bytes() const {
        return bytesOf(m_values) + bytesOf(m_ids) + bytesOf(m_symbols) + bytesOf(m_symbolIds);
    }
    /// Estimated memory of a table. Where it is nearly full, as much as it will take while it grows, so that a limit ends a search before.
    template <typename Table>
    [[nodiscard]] static std::size_t bytesOf(const Table& table) {
        constexpr std::size_t WhileGrowing = 3;  // the old one, and one of twice its size
        const bool grows = table.size() > table.capacity() - table.capacity() / 4;
        return (grows ? WhileGrowing : 1) * table.capacity() * (sizeof(typename Table::value_type) + 1);
    }

    /// The numbers that a type of whole numbers holds: Integer, or arrays of whole numbers and truth values; nothing for other types.
    [[nodiscard]] static std::optional<WholeLimits> wholeLimits(const TypeTable& types, TypeId type);

private:
    struct Origin {
        std::uint32_t level = 0;
        bool isRagged = false;
    };
    Size intern(const std::array<std::uint64_t, 3>& key, Origin origin);
    template <typename Keep>
    ValueId withSizes(ValueId id, const Keep& keep);

    Tracks m_tracks;
    std::vector<Origin> m_symbols;
    absl::flat_hash_map<std::array<std::uint64_t, 3>, std::uint32_t> m_symbolIds;
    std::vector<AbstractValue> m_values;
    absl::flat_hash_map<AbstractValue, ValueId> m_ids;
};

}  // namespace mitos::ir
