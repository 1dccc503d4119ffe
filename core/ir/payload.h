// SPDX-License-Identifier: GPL-3.0-or-later
// The data of a term besides its operator and children: a literal, a name, an index.
#pragma once

#include "core/base/strong_id.h"
#include "core/ir/ids.h"

#include <bit>
#include <cassert>
#include <cstdint>

namespace mitos::ir {

enum class PayloadKind : std::uint8_t {
    None,
    Integer,     ///< literal
    Float,       ///< literal, compared by bits: 0.0 and -0.0 are different terms, NaN equals itself
    Bool,        ///< literal
    String,      ///< literal
    Name,        ///< name of a free variable
    Index,       ///< de Bruijn index of a bound variable, 0 = innermost binder
    Projection,  ///< element of a tuple: 0-based index and arity
    Function,    ///< the function called by a call
    Type,        ///< parameter type of a lambda; type of a $dummy
    Attributes,  ///< attribute values of an operator declared in a rule file (attributes.h)
};

/// A small tagged value. Use the named constructors and the accessor of the same kind.
class Payload {
public:
    constexpr Payload() = default;
    static constexpr Payload integer(std::int64_t v) { return {PayloadKind::Integer, static_cast<std::uint64_t>(v)}; }
    static Payload floating(double v) { return {PayloadKind::Float, std::bit_cast<std::uint64_t>(v)}; }
    static constexpr Payload boolean(bool v) { return {PayloadKind::Bool, v ? 1U : 0U}; }
    static constexpr Payload string(Symbol s) { return {PayloadKind::String, s.value}; }
    static constexpr Payload name(Symbol s) { return {PayloadKind::Name, s.value}; }
    static constexpr Payload index(std::uint32_t i) { return {PayloadKind::Index, i}; }
    static constexpr Payload projection(std::uint32_t i, std::uint32_t arity) {
        return {PayloadKind::Projection, (static_cast<std::uint64_t>(arity) << 32U) | i};
    }
    static constexpr Payload function(FunctionId f) { return {PayloadKind::Function, f.value}; }
    static constexpr Payload attributes(Symbol s) { return {PayloadKind::Attributes, s.value}; }
    static constexpr Payload type(TypeId t) { return {PayloadKind::Type, t.value}; }

    [[nodiscard]] constexpr PayloadKind kind() const { return m_kind; }
    [[nodiscard]] std::int64_t asInteger() const { return static_cast<std::int64_t>(bits(PayloadKind::Integer)); }
    [[nodiscard]] double asFloat() const { return std::bit_cast<double>(bits(PayloadKind::Float)); }
    [[nodiscard]] bool asBool() const { return bits(PayloadKind::Bool) != 0; }
    /// The text of a String literal, the Name of a variable or the text of Attributes.
    [[nodiscard]] Symbol asSymbol() const {
        assert(m_kind == PayloadKind::String || m_kind == PayloadKind::Name || m_kind == PayloadKind::Attributes);
        return Symbol(low());
    }
    [[nodiscard]] std::uint32_t asIndex() const {
        assert(m_kind == PayloadKind::Index);
        return low();
    }
    [[nodiscard]] std::uint32_t projectionIndex() const {
        assert(m_kind == PayloadKind::Projection);
        return low();
    }
    [[nodiscard]] std::uint32_t projectionArity() const {
        return static_cast<std::uint32_t>(bits(PayloadKind::Projection) >> 32U);
    }
    [[nodiscard]] FunctionId asFunction() const {
        assert(m_kind == PayloadKind::Function);
        return FunctionId(low());
    }
    [[nodiscard]] TypeId asType() const {
        assert(m_kind == PayloadKind::Type);
        return TypeId(low());
    }
    [[nodiscard]] std::uint64_t rawBits() const { return m_bits; }

    friend constexpr bool operator==(const Payload&, const Payload&) = default;

private:
    constexpr Payload(PayloadKind kind, std::uint64_t bits) : m_kind(kind), m_bits(bits) {}
    [[nodiscard]] std::uint64_t bits([[maybe_unused]] PayloadKind expected) const {
        assert(m_kind == expected);
        return m_bits;
    }
    [[nodiscard]] std::uint32_t low() const { return static_cast<std::uint32_t>(m_bits); }

    PayloadKind m_kind = PayloadKind::None;
    std::uint64_t m_bits = 0;
};

}  // namespace mitos::ir
