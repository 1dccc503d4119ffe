// SPDX-License-Identifier: GPL-3.0-or-later
// A vector for millions of elements. Growth moves no element and never holds the elements twice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mitos {

/// Append-only; references to elements stay valid until the next shared().
template <typename T>
class ChunkedVector {
public:
    [[nodiscard]] const T& operator[](std::size_t i) const { return m_chunks[i / ChunkSize][i % ChunkSize]; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    /// Bytes held, including the room reserved for further elements and chunks shared with copies.
    [[nodiscard]] std::size_t bytes() const { return m_chunks.size() * ChunkSize * sizeof(T); }
    void push_back(const T& value) {
        if (m_size % ChunkSize == 0) {
            m_chunks.push_back(newChunk());
            m_isShared.push_back(false);
        }
        m_chunks.back()[m_size % ChunkSize] = value;
        ++m_size;
    }
    /// The element, to be changed. If its chunk is shared with a copy, this vector continues with a chunk of its own.
    [[nodiscard]] T& change(std::size_t i) {
        const std::size_t which = i / ChunkSize;
        if (m_isShared[which]) {
            Chunk own = copyOf(m_chunks[which]);
            m_replaced.push_back(std::exchange(m_chunks[which], std::move(own)));
            m_isShared[which] = false;
        }
        return m_chunks[which][i % ChunkSize];
    }
    /// A copy that another thread may read while this vector grows and changes. Full chunks are shared, so that it costs one pointer for
    /// each of them.
    [[nodiscard]] ChunkedVector shared() {
        m_replaced.clear();
        ChunkedVector copy;
        const std::size_t full = m_size / ChunkSize;
        std::fill_n(m_isShared.begin(), full, true);
        copy.m_chunks = m_chunks;
        copy.m_isShared = m_isShared;
        copy.m_size = m_size;
        if (full < m_chunks.size()) copy.m_chunks.back() = copyOf(m_chunks.back());
        return copy;
    }

private:
    static constexpr std::size_t ChunkSize = 1024;
    using Chunk = std::shared_ptr<T[]>;

    [[nodiscard]] static Chunk newChunk() { return std::make_shared<T[]>(ChunkSize); }
    [[nodiscard]] static Chunk copyOf(const Chunk& chunk) {
        Chunk copy = newChunk();
        std::copy_n(chunk.get(), ChunkSize, copy.get());
        return copy;
    }

    std::vector<Chunk> m_chunks;    // all but the last one full
    std::vector<bool> m_isShared;   // by chunk
    std::vector<Chunk> m_replaced;  // kept for references to their elements
    std::size_t m_size = 0;
};

}  // namespace mitos
