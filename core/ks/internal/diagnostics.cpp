// SPDX-License-Identifier: GPL-3.0-or-later
// Collects errors and returns them in source order.
#include "core/ks/internal/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace mitos::ks {

void Diagnostics::error(SourceSpan span, std::string message, std::string hint, ErrorCode code) {
    if (enough()) return;
    Error error = m_source.error(span, std::move(message), std::move(hint));
    error.code = code;
    m_errors.push_back({span.begin, std::move(error)});
}

void Diagnostics::warning(SourceSpan span, std::string message) {
    if (m_warnings.size() >= Enough) return;
    const SourcePlace place = m_source.place(span.begin);
    m_warnings.push_back(fmt::format("{}:{}:{}: warning: {}", place.file, place.line, place.column, message));
    if (m_warnings.size() == Enough) m_warnings.back() += " (further warnings are left out)";
}

Error Diagnostics::merged() && {
    assert(!m_errors.empty());
    std::ranges::stable_sort(m_errors, {}, &Entry::offset);
    Error first = std::move(m_errors.front().error);
    for (std::size_t i = 1; i < m_errors.size(); ++i) first.others.push_back(std::move(m_errors[i].error));
    return first;
}

}  // namespace mitos::ks
