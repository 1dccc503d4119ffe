// SPDX-License-Identifier: GPL-3.0-or-later
// Reads S-expressions iteratively, so that excessive depth is an error message and never a crash.
#include "core/ks/internal/forms.h"

#include "core/ks/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool isPlain(char c) { return static_cast<unsigned char>(c) < 0x80U; }

}  // namespace

class FormReader {
public:
    FormReader(const SourceText& source, Diagnostics& diagnostics)
        : m_source(source),
          m_text(source.text()),
          m_diagnostics(diagnostics),
          m_tree(source) {}

    FormTree read() {
        if (m_text.starts_with("\xEF\xBB\xBF")) m_at = 3;
        while (skipBlanks() && !m_diagnostics.enough()) readToken();
        if (!m_open.empty() && m_tooDeep == 0) unclosed(m_open.front().begin, "the file ends before that");
        abandon();
        return std::move(m_tree);
    }

private:
    struct Open {
        FormKind kind;
        std::size_t begin;
        std::size_t firstPending;
    };

    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }

    void error(std::size_t at, std::string message, std::string hint = {}) {
        m_broken = true;
        m_diagnostics.error({at, at + 1}, std::move(message), std::move(hint));
    }

    /// Skips to the next token. Returns false at the end of the text.
    bool skipBlanks() {
        while (m_at < m_text.size()) {
            if (isSpace(m_text[m_at])) {
                ++m_at;
            } else if (m_text[m_at] == ';') {
                const std::size_t end = m_text.find('\n', m_at);
                m_at = end == std::string_view::npos ? m_text.size() : end;
            } else if (m_text.substr(m_at, 2) == "#|") {
                skipBlockComment();
            } else {
                return true;
            }
        }
        return false;
    }

    void skipBlockComment() {
        const std::size_t begin = m_at;
        std::size_t depth = 0;
        do {
            if (m_text.substr(m_at, 2) == "#|") {
                ++depth;
                m_at += 2;
            } else if (m_text.substr(m_at, 2) == "|#") {
                --depth;
                m_at += 2;
            } else {
                ++m_at;
            }
        } while (depth > 0 && m_at < m_text.size());
        if (depth > 0) error(begin, "this block comment is never closed", "close it with |#; block comments nest");
    }

    void readToken() {
        const char c = peek();
        if (c == '(' || c == '[') return open(c == '(' ? FormKind::List : FormKind::Bracket);
        if (c == ')' || c == ']') return close(c == ')' ? FormKind::List : FormKind::Bracket);
        if (c == '"') return readString();
        if (isDigit(c) || ((c == '+' || c == '-') && isDigit(peek(1)))) return readNumber();
        if (isNameStart(c)) return readName();
        badCharacter();
    }

    /// Whether the list that begins here is a definition. Definitions never occur inside another form.
    [[nodiscard]] bool definitionBegins() const {
        std::size_t at = m_at + 1;
        while (at < m_text.size() && isSpace(m_text[at])) ++at;
        for (const std::string_view keyword : {"def", "edef", "gdef", "rule"}) {
            const std::size_t end = at + keyword.size();
            if (m_text.substr(at, keyword.size()) == keyword && (end >= m_text.size() || !isNameChar(m_text[end]))) {
                return true;
            }
        }
        return false;
    }

    void unclosed(std::size_t begin, const std::string& why) {
        error(begin, fmt::format("this ( is never closed: {}", why), "count the closing parentheses of this form");
    }

    void open(FormKind kind) {
        if (!m_open.empty() && kind == FormKind::List && definitionBegins()) {
            if (m_tooDeep == 0) {
                unclosed(m_open.front().begin,
                         fmt::format("the next definition begins in line {}", m_source.place(m_at).line));
            }
            abandon();
        }
        if (m_tooDeep > 0) {
            ++m_tooDeep;
            ++m_at;
            return;
        }
        if (m_open.size() >= FormTree::MaxDepth) {
            m_broken = true;
            m_diagnostics.error({m_at, m_at + 1},
                                fmt::format("forms are nested more than {} levels deep here", FormTree::MaxDepth),
                                "split the expression with let, or into several definitions", ErrorCode::Limit);
            ++m_tooDeep;
            ++m_at;
            return;
        }
        m_open.push_back({kind, m_at, m_pending.size()});
        m_tree.m_depth = std::max(m_tree.m_depth, m_open.size());
        ++m_at;
    }

    void close(FormKind kind) {
        const std::size_t at = m_at++;
        if (m_tooDeep > 0) {
            --m_tooDeep;
            return;
        }
        if (m_open.empty()) {
            if (m_closedTooOften) return;
            m_closedTooOften = true;
            error(at, fmt::format("this {} closes nothing", m_text[at]),
                  "remove it, or add the ( that it should close");
            m_broken = false;
            return;
        }
        const Open form = m_open.back();
        if (form.kind != kind) {
            error(at, fmt::format("found {} where {} would close what begins in line {}", m_text[at],
                                  form.kind == FormKind::List ? ')' : ']', m_source.place(form.begin).line));
        }
        endForm();
    }

    /// Ends the innermost open form here.
    void endForm() {
        const Open form = m_open.back();
        m_open.pop_back();
        const auto first = m_pending.begin() + static_cast<std::ptrdiff_t>(form.firstPending);
        FormTree::Form done{form.kind,
                            {form.begin, m_at},
                            static_cast<std::uint32_t>(m_tree.m_children.size()),
                            static_cast<std::uint32_t>(m_pending.end() - first)};
        m_tree.m_children.insert(m_tree.m_children.end(), first, m_pending.end());
        m_pending.erase(first, m_pending.end());
        add(done);
    }

    /// Closes all open forms, which shows which name a broken definition would have defined.
    void abandon() {
        m_tooDeep = 0;
        while (!m_open.empty()) {
            m_broken = true;
            endForm();
        }
    }

    void add(const FormTree::Form& form) {
        const auto id = static_cast<FormId>(m_tree.m_forms.size());
        m_tree.m_forms.push_back(form);
        if (!m_open.empty()) {
            m_pending.push_back(id);
            return;
        }
        (m_broken ? m_tree.m_broken : m_tree.m_top).push_back(id);
        m_broken = false;
        m_closedTooOften = false;
    }

    void token(FormKind kind, std::size_t begin) {
        if (m_tooDeep == 0) add({kind, {begin, m_at}});
    }

    void readName() {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isNameChar(m_text[m_at])) ++m_at;
        if (m_at < m_text.size() && !isPlain(m_text[m_at])) return badCharacter();
        token(FormKind::Name, begin);
    }

    void readNumber() {
        const std::size_t begin = m_at;
        FormKind kind = FormKind::Integer;
        const auto digits = [&] {
            while (isDigit(peek())) ++m_at;
        };
        if (!isDigit(peek())) ++m_at;
        digits();
        if (peek() == '.' && isDigit(peek(1))) {
            kind = FormKind::Float;
            ++m_at;
            digits();
        }
        const bool sign = peek(1) == '+' || peek(1) == '-';
        if ((peek() == 'e' || peek() == 'E') && isDigit(peek(sign ? 2 : 1))) {
            kind = FormKind::Float;
            m_at += sign ? 2 : 1;
            digits();
        }
        if (isNameChar(peek())) {
            while (isNameChar(peek())) ++m_at;
            const std::string_view word = m_text.substr(begin, m_at - begin);
            const std::string hint = word.back() == '.' && kind == FormKind::Integer
                                         ? fmt::format("write {}0 for a Float", word)
                                         : "numbers look like 12, -3, 1.5 or 1e-3; names do not begin with a digit";
            error(begin, fmt::format("{} is neither a number nor a name", word), hint);
        }
        token(kind, begin);
    }

    void readString() {
        const std::size_t begin = m_at++;
        while (m_at < m_text.size() && peek() != '"' && peek() != '\n') m_at += peek() == '\\' ? 2 : 1;
        if (peek() != '"') {
            m_at = std::min(m_at, m_text.size());
            error(begin, "this String is not closed on its line",
                  "close it with \"; a line break inside is written \\n");
            return;
        }
        ++m_at;
        token(FormKind::String, begin);
    }

    void badCharacter() {
        const std::size_t at = m_at;
        std::size_t length = 1;
        while (!isPlain(m_text[at]) && at + length < m_text.size() &&
               (static_cast<unsigned char>(m_text[at + length]) & 0xC0U) == 0x80U) {
            ++length;
        }
        const std::string_view character = m_text.substr(at, length);
        const auto code = static_cast<unsigned char>(character[0]);
        if (code < 0x20U || code == 0x7FU) {
            error(at, fmt::format("found the control character 0x{:02x}", static_cast<unsigned>(code)),
                  "a program is plain text");
        } else if (!isPlain(character[0])) {
            error(at, fmt::format("the character {} cannot stand in a name", character),
                  "names consist of ASCII letters, digits and the signs _ ' : ! $ % & * + . , / < = > ? @ \\ ^ | - ~");
        } else {
            error(at, fmt::format("found the character {}, with which no expression begins", character),
                  "; begins a comment, #| and |# enclose one");
        }
        m_at += length;
        // The rest of the word would only cause the same error again.
        while (m_at < m_text.size() && (isNameChar(m_text[m_at]) || !isPlain(m_text[m_at]))) ++m_at;
        if (m_open.empty()) m_broken = false;
    }

    const SourceText& m_source;
    std::string_view m_text;
    Diagnostics& m_diagnostics;
    FormTree m_tree;
    std::size_t m_at = 0;
    std::size_t m_tooDeep = 0;  // open forms beyond the depth limit
    bool m_broken = false;      // the top-level form being read has an error
    bool m_closedTooOften = false;
    std::vector<Open> m_open;
    std::vector<FormId> m_pending;  // children of all open forms
};

std::string FormTree::shortText(FormId id) const {
    constexpr std::size_t Longest = 40;
    const std::string_view all = text(id);
    std::size_t end = std::min({all.size(), Longest, all.find_first_of("\r\n")});
    // The text is not cut in the middle of a character.
    while (end > 0 && end < all.size() && (static_cast<unsigned char>(all[end]) & 0xC0U) == 0x80U) --end;
    return std::string(all.substr(0, end)) + (end < all.size() ? "…" : "");
}

FormTree FormTree::read(const SourceText& source, Diagnostics& diagnostics) {
    return FormReader(source, diagnostics).read();
}

}  // namespace mitos::ks
