// SPDX-License-Identifier: GPL-3.0-or-later
// Splits a text into tokens. It never fails: a part that is not a token becomes a Bad one.
#include "core/rules/language/internal/lexer.h"

#include <array>

namespace mitos::rules::syntax {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

/// The symbols, the longest first.
constexpr std::array<std::string_view, 26> Symbols{"<=>", "...", "=>", "<=", ">=", "==", "!=", ":=", "->",
                                                   "(",   ")",   "[",  "]",  "{",  "}",  ",",  ":",  "=",
                                                   "<",   ">",   "+",  "-",  "*",  "/",  "%",  "."};

class Lexer {
public:
    explicit Lexer(std::string_view text) : m_text(text) {}

    Tokens run() {
        while (m_at < m_text.size()) step();
        push(TokenKind::End, m_at, m_at);
        return std::move(m_result);
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }

    void push(TokenKind kind, std::size_t begin, std::size_t end) {
        m_result.tokens.push_back({kind, m_text.substr(begin, end - begin), {begin, end}, m_line, m_firstOnLine});
        m_firstOnLine = false;
    }

    void step() {
        const char c = peek();
        if (c == '\n') {
            ++m_line;
            m_firstOnLine = true;
            ++m_at;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++m_at;
        } else if (c == '#') {
            comment();
        } else if (isNameStart(c)) {
            const std::size_t begin = m_at;
            while (isNamePart(peek())) ++m_at;
            push(TokenKind::Name, begin, m_at);
        } else if (isDigit(c)) {
            number();
        } else if (c == '"') {
            string();
        } else if (c == '.' && isDigit(peek(1)) && m_at > 0 &&
                   (isNamePart(m_text[m_at - 1]) || m_text[m_at - 1] == ')')) {
            const std::size_t begin = m_at++;
            while (isDigit(peek())) ++m_at;
            push(TokenKind::Projection, begin, m_at);
        } else {
            symbol();
        }
    }

    void comment() {
        const std::size_t begin = m_at + 1;
        const std::size_t end = std::min(m_text.find('\n', m_at), m_text.size());
        m_at = end;
        if (!m_firstOnLine) return;
        std::string_view text = m_text.substr(begin, end - begin);
        if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
        if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
        m_result.comments.push_back({m_line, text});
    }

    void number() {
        const std::size_t begin = m_at;
        TokenKind kind = TokenKind::Integer;
        while (isDigit(peek())) ++m_at;
        if (peek() == '.' && isDigit(peek(1))) {
            kind = TokenKind::Float;
            ++m_at;
            while (isDigit(peek())) ++m_at;
        }
        if (peek() == 'e' || peek() == 'E') {
            const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
            if (isDigit(peek(1 + sign))) {
                kind = TokenKind::Float;
                m_at += 1 + sign;
                while (isDigit(peek())) ++m_at;
            }
        }
        push(kind, begin, m_at);
    }

    void string() {
        const std::size_t begin = ++m_at;
        while (m_at < m_text.size() && peek() != '"' && peek() != '\n') ++m_at;
        if (peek() == '"') {
            push(TokenKind::Text, begin, m_at);
            ++m_at;
        } else {
            push(TokenKind::Bad, begin - 1, m_at);
        }
    }

    void symbol() {
        const std::string_view rest = m_text.substr(m_at);
        if (rest.front() == '\\' || rest.front() == '~') {
            push(TokenKind::Symbol, m_at, m_at + 1);
            ++m_at;
            return;
        }
        for (const std::string_view candidate : Symbols) {
            if (rest.substr(0, candidate.size()) == candidate) {
                push(TokenKind::Symbol, m_at, m_at + candidate.size());
                m_at += candidate.size();
                return;
            }
        }
        const std::size_t begin = m_at++;
        while (m_at < m_text.size() && (static_cast<unsigned char>(peek()) & 0xC0U) == 0x80U) ++m_at;
        push(TokenKind::Bad, begin, m_at);
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    bool m_firstOnLine = true;
    Tokens m_result;
};

}  // namespace

Tokens tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace mitos::rules::syntax
