// SPDX-License-Identifier: GPL-3.0-or-later
// 32-bit ids that cannot be mixed up: each kind of id is its own type.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <utility>

namespace mitos {

/// An index into a table, tagged with what it indexes. A default-constructed id is invalid and refers to nothing.
template <typename Tag>
struct StrongId {
    static constexpr std::uint32_t Invalid = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t value = Invalid;

    constexpr StrongId() = default;
    constexpr explicit StrongId(std::uint32_t v) : value(v) {}

    [[nodiscard]] constexpr bool isValid() const { return value != Invalid; }
    friend constexpr auto operator<=>(StrongId, StrongId) = default;

    template <typename H>
    friend H AbslHashValue(H state, StrongId id) {
        return H::combine(std::move(state), id.value);
    }
};

/// An interned string, see SymbolTable.
using Symbol = StrongId<struct SymbolTag>;

}  // namespace mitos
