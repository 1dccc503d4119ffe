// SPDX-License-Identifier: GPL-3.0-or-later
// Parses and prints paths.
#include "core/ir/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mitos::ir {

std::string toString(const Path& path) {
    if (path.empty()) return "/";
    std::string text;
    for (const std::uint32_t index : path) text += fmt::format("/{}", index);
    return text;
}

Result<Path> parsePath(std::string_view text) {
    const Error bad{ErrorCode::Parse, fmt::format("'{}' is not a position", text), std::nullopt,
                    "positions look like / (the whole program) or /0/2 (child 2 of child 0)"};
    if (text.empty() || text.front() != '/') return bad;
    Path path;
    if (text == "/") return path;
    while (!text.empty()) {
        if (text.front() != '/') return bad;
        text.remove_prefix(1);
        std::uint32_t index = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
        if (code != std::errc() || end == text.data()) return bad;
        path.push_back(index);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return path;
}

bool isWithin(const Path& inner, const Path& outer) {
    return inner.size() >= outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

Path child(const Path& path, std::uint32_t index) {
    Path longer = path;
    longer.push_back(index);
    return longer;
}

}  // namespace mitos::ir
