// SPDX-License-Identifier: GPL-3.0-or-later
// A growing array of 32-bit words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>

namespace mitos {

/// Like a std::vector of words, except that it grows by realloc, which moves the pages of large arrays instead of
/// copying them, and that `push` does not check for room. Throws std::bad_alloc if there is no memory.
class Words {
public:
    Words() = default;
    Words(const Words& other) {
        reserve(other.m_size);
        std::copy_n(other.m_data, other.m_size, m_data);
        m_size = other.m_size;
    }
    Words(Words&& other) noexcept
        : m_data(std::exchange(other.m_data, nullptr)),
          m_size(std::exchange(other.m_size, 0)),
          m_capacity(std::exchange(other.m_capacity, 0)) {}
    Words& operator=(Words other) noexcept {
        std::swap(m_data, other.m_data);
        std::swap(m_size, other.m_size);
        std::swap(m_capacity, other.m_capacity);
        return *this;
    }
    ~Words() { std::free(m_data); }

    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] std::size_t capacity() const { return m_capacity; }
    [[nodiscard]] const std::uint32_t* data() const { return m_data; }
    [[nodiscard]] std::uint32_t* data() { return m_data; }
    [[nodiscard]] std::uint32_t& operator[](std::size_t at) { return m_data[at]; }
    [[nodiscard]] std::uint32_t operator[](std::size_t at) const { return m_data[at]; }
    [[nodiscard]] operator std::span<const std::uint32_t>() const { return {m_data, m_size}; }

    void reserve(std::size_t capacity) {
        if (capacity <= m_capacity) return;
        auto* const data = static_cast<std::uint32_t*>(std::realloc(m_data, capacity * sizeof(std::uint32_t)));
        if (data == nullptr) throw std::bad_alloc();
        m_data = data;
        m_capacity = capacity;
    }
    /// Appends a word; there must be room, which is not checked.
    void push(std::uint32_t word) { m_data[m_size++] = word; }
    /// Appends words, which must not be words of this array; the capacity at least grows by a half.
    void append(std::span<const std::uint32_t> words) {
        grow(m_size + words.size());
        for (const std::uint32_t word : words) push(word);
    }
    /// New words are `word`.
    void resize(std::size_t size, std::uint32_t word = 0) {
        grow(size);
        for (std::size_t i = m_size; i < size; ++i) m_data[i] = word;
        m_size = size;
    }

private:
    void grow(std::size_t size) {
        if (size > m_capacity) reserve(std::max(size, m_capacity + m_capacity / 2));
    }

    std::uint32_t* m_data = nullptr;
    std::size_t m_size = 0;
    std::size_t m_capacity = 0;
};

}  // namespace mitos
