// SPDX-License-Identifier: GPL-3.0-or-later
// Interned strings: equal names have equal ids.
#pragma once

#include "core/base/strong_id.h"

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <string>
#include <string_view>

namespace mitos {

/// Append-only. Views returned by text() stay valid as long as the table exists.
class SymbolTable {
public:
    SymbolTable() = default;
    SymbolTable(const SymbolTable&) = delete;
    SymbolTable& operator=(const SymbolTable&) = delete;
    SymbolTable(SymbolTable&&) = default;
    SymbolTable& operator=(SymbolTable&&) = default;

    /// The same texts under the same ids.
    [[nodiscard]] SymbolTable copy() const {
        SymbolTable made;
        made.m_ids.reserve(m_ids.size());
        for (const std::string& text : m_texts) made.intern(text);
        return made;
    }
    Symbol intern(std::string_view text) {
        if (const auto found = m_ids.find(text); found != m_ids.end()) return found->second;
        const Symbol id(static_cast<std::uint32_t>(m_texts.size()));
        m_texts.emplace_back(text);
        m_ids.emplace(m_texts.back(), id);
        return id;
    }
    /// The id of an interned text; invalid if the text was not interned.
    [[nodiscard]] Symbol find(std::string_view text) const {
        const auto found = m_ids.find(text);
        return found == m_ids.end() ? Symbol() : found->second;
    }
    [[nodiscard]] std::string_view text(Symbol id) const { return m_texts.at(id.value); }

private:
    std::deque<std::string> m_texts;  // a deque, so that the views in m_ids never move
    absl::flat_hash_map<std::string_view, Symbol> m_ids;
};

}  // namespace mitos
