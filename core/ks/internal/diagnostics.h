// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the errors and warnings of one file.
#pragma once

#include "core/base/source_text.h"

#include <string>
#include <vector>

namespace mitos::ks {

class Diagnostics {
public:
    /// Reading stops after this many errors, since the file is probably of another kind. Further warnings are omitted.
    static constexpr std::size_t Enough = 100;

    explicit Diagnostics(const SourceText& source) : m_source(source) {}

    void error(SourceSpan span, std::string message, std::string hint = {}, ErrorCode code = ErrorCode::Parse);
    void warning(SourceSpan span, std::string message);
    [[nodiscard]] bool clean() const { return m_errors.empty(); }
    [[nodiscard]] bool enough() const { return m_errors.size() >= Enough; }
    /// The first error in source order, with the others attached. There must be at least one error.
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
