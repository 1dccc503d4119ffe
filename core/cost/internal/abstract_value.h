// SPDX-License-Identifier: GPL-3.0-or-later
// Abstract values: what a size-aware cost model infers about a value without running the program (sizes, constants, structure).
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mitos::cost {

using ValueId = StrongId<struct AbstractValueTag>;
using EnvId = StrongId<struct EnvironmentTag>;  ///< see sized_evaluator.cpp

enum class ValueKind : std::uint8_t {
    Unknown,  ///< a scalar (or linear map) about which nothing is known
    Integer,  ///< known constant
    Float,    ///< known constant
    Bool,     ///< known constant
    Tuple,
    Tensor,    ///< sizes, and one value that represents all elements
    Function,  ///< a lambda with the values of its surroundings
};

struct AbstractValue {
    static constexpr std::int64_t UnknownSize = -1;

    ValueKind kind = ValueKind::Unknown;
    std::int64_t bits = 0;                       ///< of a constant (a Float's bit pattern); of a lambda: its term
    EnvId environment;                           ///< of a lambda
    absl::InlinedVector<std::int64_t, 2> sizes;  ///< of a tensor, one per dimension
    absl::InlinedVector<ValueId, 2> parts;       ///< of a tuple; of a tensor: the element

    friend bool operator==(const AbstractValue&, const AbstractValue&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const AbstractValue& v) {
        return H::combine(std::move(h), v.kind, v.bits, v.environment, v.sizes, v.parts);
    }
};

/// Interned abstract values: equal values have equal ids.
class AbstractValues {
public:
    /// Dimensions of unknown size count as defaultSize.
    explicit AbstractValues(std::int64_t defaultSize) : m_defaultSize(defaultSize) {}

    ValueId intern(AbstractValue value);
    [[nodiscard]] const AbstractValue& operator[](ValueId id) const { return m_values[id.value]; }

    ValueId unknown() { return intern({}); }
    ValueId integer(std::int64_t v) {
        return intern({.kind = ValueKind::Integer, .bits = v, .environment = {}, .sizes = {}, .parts = {}});
    }
    ValueId boolean(bool v) {
        return intern({.kind = ValueKind::Bool, .bits = v ? 1 : 0, .environment = {}, .sizes = {}, .parts = {}});
    }
    ValueId floating(double v);
    ValueId tuple(std::span<const ValueId> parts);
    ValueId tensor(std::span<const std::int64_t> sizes, ValueId element);
    ValueId function(ir::TermId lambda, EnvId environment);
    /// A value of a type about which only the type is known; `sizeOf` gives the sizes of tensors for their names (or for no name).
    template <typename F>
    ValueId ofType(const ir::TypeTable& types, ir::TypeId type, const F& sizeOf) {
        AbstractValue value;
        if (types.isTuple(type)) {
            value.kind = ValueKind::Tuple;
            for (const ir::TypeId part : types.children(type)) value.parts.push_back(ofType(types, part, sizeOf));
        } else if (types.isTensor(type)) {
            value.kind = ValueKind::Tensor;
            const std::span<const Symbol> names = types.sizes(type);
            for (std::uint32_t i = 0; i < types.rank(type); ++i) {
                value.sizes.push_back(sizeOf(i < names.size() ? names[i] : Symbol()));
            }
            value.parts.push_back(ofType(types, types.element(type), sizeOf));
        }
        return intern(std::move(value));
    }

    /// The same sizes and structure without constants.
    ValueId shapeOf(ValueId id);
    /// The facts that hold for both values.
    ValueId join(ValueId a, ValueId b);

    /// The dimensions that a size value (an Integer, or a tuple of Integers) describes.
    [[nodiscard]] absl::InlinedVector<std::int64_t, 2> sizesFrom(ValueId size) const;
    /// The value of (size v) for these dimensions.
    ValueId sizeValue(std::span<const std::int64_t> sizes);
    /// Number of index tuples below a size.
    [[nodiscard]] double iterations(ValueId size) const { return product(sizesFrom(size)); }
    /// Number of elements of a tensor; 1 for anything else.
    [[nodiscard]] double length(ValueId tensor) const;
    /// Number of scalars in a value.
    [[nodiscard]] double elements(ValueId id) const;
    /// Estimated memory of the values; each is stored in the table and in the index.
    [[nodiscard]] std::size_t bytes() const {
        return m_values.capacity() * sizeof(AbstractValue) +
               m_ids.capacity() * (sizeof(decltype(m_ids)::value_type) + 1);
    }

private:
    [[nodiscard]] double product(std::span<const std::int64_t> sizes) const;

    std::int64_t m_defaultSize;
    std::vector<AbstractValue> m_values;
    absl::flat_hash_map<AbstractValue, ValueId> m_ids;
};

}  // namespace mitos::cost
