// SPDX-License-Identifier: GPL-3.0-or-later
// What was computed for lists of words, so that it is not computed again.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mitos {

/// Forgets everything when it has become large.
template <typename Value>
class WordsMemo {
public:
    /// The value for the words: the one that is known, or that of `make`. Valid until the next call.
    template <typename Make>
    const Value& of(const std::vector<std::uint32_t>& words, Make&& make) {
        if (const auto known = m_known.find(words); known != m_known.end()) return known->second;
        Value value = std::forward<Make>(make)();
        if (m_bytes > MostBytes) {
            m_known.clear();
            m_bytes = 0;
        }
        m_bytes += sizeof(words) + sizeof(Value) + sizeof(std::uint32_t) * words.size();
        return m_known.emplace(words, std::move(value)).first->second;
    }

    /// An estimate, without what values hold elsewhere.
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    static constexpr std::size_t MostBytes = std::size_t{16} << 20U;

    absl::flat_hash_map<std::vector<std::uint32_t>, Value> m_known;
    std::size_t m_bytes = 0;
};

}  // namespace mitos
