// SPDX-License-Identifier: GPL-3.0-or-later
// A memo: values that were computed for lists of words are not computed again.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mitos {

enum class Remember : std::uint8_t {
    All,   ///< until it has become large
    Last,  ///< one value, for users that seldom ask twice
};

template <typename Value>
class WordsMemo {
public:
    using Words = std::vector<std::uint32_t>;

    explicit WordsMemo(Remember remember) : m_remember(remember) {}

    /// The value for the words: the one that is known, or that of `make`. Valid until the next call. `heap`: the bytes that a value holds
    /// elsewhere.
    template <typename Make, typename Heap>
    const Value& of(const Words& words, Make&& make, Heap&& heap) {
        if (const auto known = m_known.find(words); known != m_known.end()) return known->second;
        Value value = std::forward<Make>(make)();
        if (m_remember == Remember::Last || m_bytes > MostBytes) {
            m_known.clear();
            m_bytes = 0;
        }
        constexpr std::size_t Slot = 2 * sizeof(std::pair<Words, Value>);  // the table is at least half full
        m_bytes += Slot + sizeof(std::uint32_t) * words.size() + std::forward<Heap>(heap)(value);
        return m_known.emplace(words, std::move(value)).first->second;
    }
    template <typename Make>
    const Value& of(const Words& words, Make&& make) {
        return of(words, std::forward<Make>(make), [](const Value& /*value*/) { return std::size_t{0}; });
    }

    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    static constexpr std::size_t MostBytes = std::size_t{1} << 20U;

    Remember m_remember;
    absl::flat_hash_map<Words, Value> m_known;
    std::size_t m_bytes = 0;
};

}  // namespace mitos
