// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/reading_form.h"

#include <utility>

namespace mitos::ir {

namespace {

constexpr std::size_t LongestQuote = 500;  // bytes

/// The beginning of a long text.
std::string onOneLine(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool beginsCharacter = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        if (result.size() >= LongestQuote && beginsCharacter) return result + "…";
        const bool isSpace = c == ' ' || c == '\n';
        if (!isSpace) result.push_back(c);
        if (isSpace && !result.empty() && result.back() != ' ') result.push_back(' ');
    }
    return result;
}

}  // namespace

std::string_view withoutParentheses(std::string_view text) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') return text;
    int depth = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')') --depth;
        const bool isTuple = depth == 1 && text[i] == ',';
        if (depth == 0 || isTuple) return text;
    }
    return text.substr(1, text.size() - 2);
}

ReadingForm::ReadingForm(const TermBank& bank, const Program& program, Path position)
    : m_position(std::move(position)),
      m_print(bank.dialect(program.function).printerAt(bank, program, m_position)) {
    if (bank.dialect(program.function).printMath != nullptr) m_printed = printMath(bank, program, MathForm::Text);
}

std::string ReadingForm::at(const Path& below, TermId term) const {
    const std::string_view text = textAt(below);
    if (text.empty()) return onOneLine(m_print(term, {.width = 0, .compact = true}));
    return std::string(withoutParentheses(onOneLine(text)));
}

std::string_view ReadingForm::textAt(const Path& below) const {
    Path whole = m_position;
    whole.insert(whole.end(), below.begin(), below.end());
    const PrintedSpan* span = m_printed.find(whole);
    if (span == nullptr) return {};
    return text().substr(span->begin, span->end - span->begin);
}

}  // namespace mitos::ir
