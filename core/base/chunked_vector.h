// SPDX-License-Identifier: GPL-3.0-or-later
// A vector for millions of elements. Growth moves no element and never holds the elements twice.
#pragma once

#include <cstddef>
#include <vector>

namespace mitos {

/// Append-only; references to elements stay valid.
template <typename T>
class ChunkedVector {
public:
    [[nodiscard]] const T& operator[](std::size_t i) const { return m_chunks[i / ChunkSize][i % ChunkSize]; }
    [[nodiscard]] T& operator[](std::size_t i) { return m_chunks[i / ChunkSize][i % ChunkSize]; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    /// Bytes held, including the room reserved for further elements.
    [[nodiscard]] std::size_t bytes() const { return m_chunks.size() * ChunkSize * sizeof(T); }
    void push_back(const T& value) {
        if (m_size % ChunkSize == 0) m_chunks.emplace_back().reserve(ChunkSize);
        m_chunks.back().push_back(value);
        ++m_size;
    }

private:
    static constexpr std::size_t ChunkSize = 1024;

    std::vector<std::vector<T>> m_chunks;  // all but the last one full
    std::size_t m_size = 0;
};

}  // namespace mitos
