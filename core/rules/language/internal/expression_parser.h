// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the parser that reads expressions: patterns, right sides and conditions.
#pragma once

#include "core/rules/language/internal/lexer.h"
#include "core/rules/language/syntax.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace mitos::rules::syntax {

/// Parses expressions from a token list. The first error of an item is kept and stops parsing (failed()); the caller then calls
/// recover(), which skips to the next item.
class ExpressionParser {
public:
    ExpressionParser(const SourceText& source, const Tokens& tokens) : m_source(source), m_tokens(tokens) {}

    /// Parses arithmetic, calls and binders: an expression of a pattern or of a right side.
    Expr term();
    /// Parses a condition, as after `where` and `if`.
    Expr condition();

    [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
    Token next();
    [[nodiscard]] bool at(std::string_view text) const { return peek().is(text); }
    bool accept(std::string_view text);
    /// Consumes the text, or fails with "expected WHAT".
    bool expect(std::string_view text, std::string_view what);
    Word name(std::string_view what);
    /// Whether an item begins here, that is, the keyword of an item stands at the beginning of a line.
    [[nodiscard]] bool atItem() const;
    /// Whether the next token is at the very beginning of a line.
    [[nodiscard]] bool atLineStart() const { return m_source.place(peek().span.begin).column == 1; }
    [[nodiscard]] bool atEnd() const { return peek().kind == TokenKind::End; }
    [[nodiscard]] std::size_t lastEnd() const { return m_lastEnd; }

    void fail(SourceSpan span, std::string message, std::string hint = {});
    void failHere(std::string_view expected, std::string hint = {});
    [[nodiscard]] bool failed() const { return m_failed; }
    [[nodiscard]] const Error& error() const { return m_error; }
    /// Begins a new item, for which the limit on the size counts anew.
    void beginItem() { m_size = 0; }
    /// Clears the error and skips to the next item or to the end.
    void recover();

private:
    static constexpr int MaxDepth = 200;
    static constexpr int MaxSize = 1000;  ///< operators and variables of one item; the later passes are recursive

    Expr conjunction();
    Expr negation();
    Expr comparison();
    Expr product();
    Expr unary();
    Expr postfix();
    Expr primary();
    Expr numberToken(bool negative);
    Expr nameOrCall();
    Expr parenthesized();
    Expr lambda();
    Expr let();
    Expr set();
    Expr setMember();
    Expr list();
    Expr element(Expr of);
    void arguments(Expr& call);
    void attributes(Expr& call);
    [[nodiscard]] bool atAttributes() const;
    /// Parses operands between infix operators of one precedence, which associate to the left.
    Expr infix(std::initializer_list<std::string_view> operators, ExprKind kind, Expr (ExpressionParser::*operand)());
    Expr binary(ExprKind kind, std::string_view name, Expr left, Expr right);
    void count(SourceSpan span);
    [[nodiscard]] bool onSameLine(const Token& token) const { return token.line == m_lastLine; }
    /// Begins an expression with the next token, which is consumed.
    Expr opened(ExprKind kind);
    /// Begins an expression around its first child.
    static Expr around(ExprKind kind, Expr child);
    /// Reads the name of an expression.
    void readName(Expr& expr, std::string_view what);
    /// Reads children up to `close`, at least one.
    void children(Expr& expr, std::string_view close, Expr (ExpressionParser::*child)() = &ExpressionParser::term);
    /// Ends the span of an expression at the last token read.
    Expr& closed(Expr& expr) const;

    const SourceText& m_source;
    const Tokens& m_tokens;
    std::size_t m_at = 0;
    std::size_t m_lastEnd = 0;
    int m_lastLine = 0;
    int m_depth = 0;
    int m_size = 0;
    bool m_failed = false;
    Error m_error;
};

}  // namespace mitos::rules::syntax
