// SPDX-License-Identifier: GPL-3.0-or-later
// The small templates that an emitted file may need; a file contains only those that it uses. Private to core/codegen.
#pragma once

#include <set>
#include <string>

namespace mitos::codegen {

/// The helpers and headers that an emitted file needs besides its functions.
class Helpers {
public:
    /// Requires a helper by its name (ks::NAME in the emitted text), and the helpers that it needs itself.
    void need(const std::string& name);
    void needHeader(const std::string& header) { m_headers.insert(header); }
    /// The #include lines.
    [[nodiscard]] std::string includes() const;
    /// `namespace ks { … }`, or empty.
    [[nodiscard]] std::string definitions() const;
    void add(const Helpers& other);
    /// Where a helper is needed, another one with the same function serves.
    void replace(const std::string& name, const std::string& by);

private:
    std::set<std::string> m_names;
    std::set<std::string> m_headers;
};

}  // namespace mitos::codegen
