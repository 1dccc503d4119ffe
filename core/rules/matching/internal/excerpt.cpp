// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/matching/internal/excerpt.h"

namespace mitos::rules {

std::string oneLine(std::string_view text) {
    std::string result;
    bool inComment = false;
    for (const char c : text) {
        if (c == '#') inComment = true;
        if (c == '\n') inComment = false;
        const bool isSpace = inComment || c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!isSpace) result.push_back(c);
        if (isSpace && !result.empty() && result.back() != ' ') result.push_back(' ');
    }
    while (!result.empty() && result.back() == ' ') result.pop_back();
    return result;
}

std::string shortened(std::string text, std::size_t limit) {
    if (text.size() <= limit) return text;
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "…";
}

}  // namespace mitos::rules
