// SPDX-License-Identifier: GPL-3.0-or-later
// Line tables, UTF-8 checks and reading of text files; write_file.cpp writes them.
#include "core/base/source_text.h"

#include "core/base/printable.h"
#include "core/base/read_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

namespace mitos {

namespace {

constexpr std::size_t LongestQuotedLine = 10'000;

Error ioError(const std::string& path, std::string message, std::string hint) {
    return Error{ErrorCode::Io, fmt::format("{}: {}", path, message), std::nullopt, std::move(hint)};
}

}  // namespace

SourceText::SourceText(std::string name, std::string text) : m_name(std::move(name)), m_text(std::move(text)) {
    m_lineStarts.push_back(0);
    for (std::size_t i = 0; i < m_text.size(); ++i) {
        if (m_text[i] == '\n') m_lineStarts.push_back(i + 1);
    }
}

SourcePlace SourceText::place(std::size_t offset) const {
    offset = std::min(offset, m_text.size());
    const auto after = std::ranges::upper_bound(m_lineStarts, offset);
    const auto line = static_cast<std::size_t>(after - m_lineStarts.begin()) - 1;
    const std::size_t begin = m_lineStarts[line];
    std::size_t end = line + 1 < m_lineStarts.size() ? m_lineStarts[line + 1] - 1 : m_text.size();
    if (end > begin && m_text[end - 1] == '\r') --end;
    const auto points = std::count_if(m_text.begin() + static_cast<std::ptrdiff_t>(begin),
                                      m_text.begin() + static_cast<std::ptrdiff_t>(offset),
                                      [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    const bool quotable = end - begin <= LongestQuotedLine;
    return {m_name, static_cast<int>(line) + 1, static_cast<int>(points) + 1,
            quotable ? m_text.substr(begin, end - begin) : std::string()};
}

Error SourceText::error(SourceSpan span, std::string message, std::string hint) const {
    return Error{ErrorCode::Parse, std::move(message), place(span.begin), std::move(hint), {}};
}

std::size_t SourceText::firstInvalidByte() const {
    const std::string_view all = m_text;
    std::size_t i = 0;
    while (i < all.size()) {
        if (all[i] == '\0') return i;
        const std::size_t length = utf8Length(all.substr(i));
        if (length == 0) return i;
        i += length;
    }
    return std::string::npos;
}

std::size_t jsonNesting(std::string_view json) {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    bool inString = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (inString) {
            if (c == '\\') ++i;
            inString = c != '"';
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return deepest;
}

Result<SourceText> readSourceFile(const std::string& path, std::size_t maxBytes) {
    std::string content;
    if (path == "-") {
        content.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
    } else {
        MITOS_TRY(std::ifstream file, openFile(path));
        content.resize(std::min<std::size_t>(maxBytes + 1, 1U << 16U));
        std::size_t used = 0;
        while (file.read(content.data() + used, static_cast<std::streamsize>(content.size() - used)) ||
               file.gcount() > 0) {
            used += static_cast<std::size_t>(file.gcount());
            if (used > maxBytes) break;
            if (used == content.size()) content.resize(std::min(maxBytes + 1, content.size() * 2));
        }
        if (file.bad()) return ioError(path, "could not be read to its end", "check the disk");
        content.resize(used);
    }
    if (content.size() > maxBytes) {
        return ioError(path, fmt::format("is larger than {} MiB", maxBytes >> 20U), "split it, or pick another file");
    }
    if (content.starts_with("\xEF\xBB\xBF")) content.erase(0, 3);
    SourceText source(path, std::move(content));
    if (const std::size_t bad = source.firstInvalidByte(); bad != std::string::npos) {
        const auto byte = static_cast<unsigned>(static_cast<unsigned char>(source.text()[bad]));
        return ioError(path, fmt::format("is not a text file: byte 0x{:02x} at offset {} is not UTF-8 text", byte, bad),
                       "programs and rules are UTF-8 text");
    }
    return source;
}

}  // namespace mitos
