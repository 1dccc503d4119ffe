// SPDX-License-Identifier: GPL-3.0-or-later
// A text with a name, and places in it. All parsers share it, so that their errors look alike.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mitos {

/// Half-open range of byte offsets in a SourceText.
struct SourceSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
};

class SourceText {
public:
    /// `name` is shown in errors (a file's path, or "-" for standard input).
    SourceText(std::string name, std::string text);

    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] std::string_view text() const { return m_text; }
    /// Lines of more than 10,000 bytes are not quoted: lineText stays empty.
    [[nodiscard]] SourcePlace place(std::size_t offset) const;
    /// A parse error at the beginning of the span.
    [[nodiscard]] Error error(SourceSpan span, std::string message, std::string hint = {}) const;

    /// Offset of the first byte that is not valid UTF-8, or of a NUL byte; npos if there is none.
    [[nodiscard]] std::size_t firstInvalidByte() const;

private:
    std::string m_name;
    std::string m_text;
    std::vector<std::size_t> m_lineStarts;
};

/// The nesting depth of the brackets [ and { of a JSON text, not counting those in strings. JSON parsers recurse to this depth.
[[nodiscard]] std::size_t jsonNesting(std::string_view json);

/// Reads a whole file as openFile() does (read_file.h): pipes and devices are rejected. Fails if the file is missing, a folder, unreadable,
/// larger than maxBytes or not text (binary, or in another encoding). A UTF-8 byte order mark is dropped. "-" reads standard input.
[[nodiscard]] Result<SourceText> readSourceFile(const std::string& path, std::size_t maxBytes = 64U << 20U);

/// Writes a whole file as OutputFile does (write_file.h): a full disk, a kill or a power cut never leaves a partial file under the
/// name. "-" writes to standard output; on a terminal, the text is passed through printable().
[[nodiscard]] Status writeFile(const std::string& path, std::string_view content);

}  // namespace mitos
