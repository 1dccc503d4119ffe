// SPDX-License-Identifier: GPL-3.0-or-later
// Values as bytes, for messages between processes of the same program.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace mitos::random_keys::internal {

class ByteWriter {
public:
    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void put(const T& value) { put(std::span<const T>(&value, 1)); }
    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void put(std::span<const T> values) {
        if (!values.empty()) m_bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    [[nodiscard]] const std::string& bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

/// Reads what a ByteWriter wrote. After a read beyond the end isGood() is false and values are left as they are.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : m_bytes(bytes) {}

    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void get(T& value) { get(std::span<T>(&value, 1)); }
    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void get(std::span<T> values) {
        m_isGood = m_isGood && m_bytes.size() >= values.size_bytes();
        if (!m_isGood || values.empty()) return;
        std::memcpy(values.data(), m_bytes.data(), values.size_bytes());
        m_bytes.remove_prefix(values.size_bytes());
    }
    [[nodiscard]] bool isGood() const { return m_isGood; }
    /// Whether everything was read, and nothing beyond it.
    [[nodiscard]] bool isAtEnd() const { return m_isGood && m_bytes.empty(); }

private:
    std::string_view m_bytes;
    bool m_isGood = true;
};

}  // namespace mitos::random_keys::internal
