// SPDX-License-Identifier: GPL-3.0-or-later
// Formats errors as text.
#include "core/base/printable.h"
#include "core/base/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos {

namespace {

constexpr std::size_t MaxErrorsShown = 20;
constexpr std::size_t MaxLineShown = 160;

std::string prefix(const Error& error) {
    if (!error.place) return {};
    const SourcePlace& place = *error.place;
    const std::string file = place.file.empty() ? "<input>" : place.file;
    if (place.line <= 0) return file + ": ";
    return fmt::format("{}:{}:{}: ", file, place.line, place.column);
}

bool isContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The part of a line around the column as printable() text, and the column within it. The line is cut because a very long line would
/// hide the caret.
std::pair<std::string, std::size_t> window(const std::string& line, std::size_t column) {
    std::vector<std::string> points;
    for (const char c : line) {
        if (isContinuationByte(c) && !points.empty()) {
            points.back().push_back(c);
        } else {
            points.emplace_back(1, c == '\t' ? ' ' : c);
        }
    }
    const std::size_t caret = std::min(column == 0 ? 0 : column - 1, points.size());
    const std::size_t begin = points.size() <= MaxLineShown || caret < MaxLineShown / 2 ? 0 : caret - MaxLineShown / 2;
    const std::size_t end = std::min(points.size(), begin + MaxLineShown);
    std::string shown = begin > 0 ? "…" : "";
    std::size_t before = begin > 0 ? 1 : 0;
    for (std::size_t i = begin; i < end; ++i) {
        const std::string point = printable(points[i]);  // a control character is as wide as its escape
        if (i < caret) before += point == points[i] ? 1 : point.size();
        shown += point;
    }
    if (end < points.size()) shown += "…";
    return {shown, before};
}

void renderOne(const Error& error, std::string& out) {
    out += prefix(error) + "error: " + error.message + "\n";
    if (error.place && error.place->line > 0 && !error.place->lineText.empty()) {
        const auto [shown, caret] = window(error.place->lineText, static_cast<std::size_t>(error.place->column));
        out += "  " + shown + "\n  " + std::string(caret, ' ') + "^\n";
    }
    if (!error.hint.empty()) out += "  hint: " + error.hint + "\n";
}

}  // namespace

const char* toString(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidInput: return "invalid-input";
        case ErrorCode::Parse: return "parse";
        case ErrorCode::Unsupported: return "unsupported";
        case ErrorCode::Io: return "io";
        case ErrorCode::Incompatible: return "incompatible";
        case ErrorCode::Limit: return "limit";
        case ErrorCode::Evaluation: return "evaluation";
        case ErrorCode::Cancelled: return "cancelled";
    }
    return "unknown";
}

Error inputError(std::string message, std::string hint) {
    return {.code = ErrorCode::InvalidInput, .message = std::move(message), .hint = std::move(hint)};
}

std::string Error::render() const {
    std::string out;
    renderOne(*this, out);
    const std::size_t shown = std::min(others.size(), MaxErrorsShown - 1);
    for (std::size_t i = 0; i < shown; ++i) renderOne(others[i], out);
    if (others.size() > shown) out += fmt::format("… and {} more errors\n", others.size() - shown);
    return out;
}

std::string Error::oneLine() const { return prefix(*this) + message; }

}  // namespace mitos
