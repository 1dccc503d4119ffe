// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what is wrong with one file.
#pragma once

#include "core/base/source_text.h"

#include <string>
#include <vector>

namespace mitos::ks {

class Diagnostics {
public:
    /// After so many errors reading stops: the file is not what it should be. Further warnings are left out.
    static constexpr std::size_t Enough = 100;

    explicit Diagnostics(const SourceText& source) : m_source(source) {}

    void error(SourceSpan span, std::string message, std::string hint = {}, ErrorCode code = ErrorCode::Parse);
    void warning(SourceSpan span, std::string message);
    [[nodiscard]] bool clean() const { return m_errors.empty(); }
    [[nodiscard]] bool enough() const { return m_errors.size() >= Enough; }
    /// The first error in source order with all others; there must be one.
    [[nodiscard]] Error merged() &&;
    [[nodiscard]] std::vector<std::string> warnings() && { return std::move(m_warnings); }

private:
    struct Entry {
        std::size_t offset;
        Error error;
    };
    const SourceText& m_source;
    std::vector<Entry> m_errors;
    std::vector<std::string> m_warnings;
};

}  // namespace mitos::ks
