// SPDX-License-Identifier: GPL-3.0-or-later
// A recursive-descent parser with one function per level of precedence.
#include "core/rules/language/internal/expression_parser.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace mitos::rules::syntax {

namespace {

constexpr std::array<std::string_view, 7> ItemKeywords{"use", "include", "rule", "pattern", "op", "class", "analysis"};
/// Words that cannot name variables.
constexpr std::array<std::string_view, 12> Reserved{"use", "rule", "pattern", "where", "with", "local",
                                                    "let", "in",   "not",     "and",   "or",   "if"};

bool isReserved(std::string_view word) { return std::ranges::find(Reserved, word) != Reserved.end(); }

std::string describe(const Token& token) {
    switch (token.kind) {
        case TokenKind::End: return "the end of the file";
        case TokenKind::Text: return fmt::format("the string \"{}\"", token.text);
        case TokenKind::Bad:
            return token.text.front() == '"' ? std::string("a string without closing quote")
                                             : fmt::format("the character '{}'", token.text);
        default: return fmt::format("'{}'", token.text);
    }
}

}  // namespace

const Token& ExpressionParser::peek(std::size_t ahead) const {
    const std::size_t index = std::min(m_at + ahead, m_tokens.tokens.size() - 1);
    return m_tokens.tokens[index];
}

Token ExpressionParser::next() {
    const Token token = peek();
    m_lastEnd = token.span.end + (token.kind == TokenKind::Text ? 1 : 0);
    m_lastLine = token.line;
    if (token.kind != TokenKind::End) ++m_at;
    return token;
}

bool ExpressionParser::accept(std::string_view text) {
    if (m_failed || !at(text)) return false;
    next();
    return true;
}

bool ExpressionParser::expect(std::string_view text, std::string_view what) {
    if (accept(text)) return true;
    failHere(what);
    return false;
}

Word ExpressionParser::name(std::string_view what) {
    if (m_failed) return {};
    const Token& token = peek();
    if (token.kind != TokenKind::Name) {
        failHere(what);
        return {};
    }
    if (isReserved(token.text)) {
        failHere(what, fmt::format("'{}' is a word of the language and cannot be a name", token.text));
        return {};
    }
    const Token taken = next();
    return {std::string(taken.text), taken.span};
}

bool ExpressionParser::atItem() const {
    const Token& token = peek();
    if (!token.firstOnLine || token.kind != TokenKind::Name) return false;
    // An operator may have the name of a keyword, but a keyword that begins an item is followed by a name.
    for (const std::string_view keyword : ItemKeywords) {
        if (token.text == keyword && peek(1).kind == TokenKind::Name) return true;
    }
    if (token.text == "include" && peek(1).kind == TokenKind::Text) return true;
    return token.text == "rule" || token.text == "pattern";
}

void ExpressionParser::fail(SourceSpan span, std::string message, std::string hint) {
    if (m_failed) return;
    m_failed = true;
    m_error = m_source.error(span, std::move(message), std::move(hint));
}

void ExpressionParser::failHere(std::string_view expected, std::string hint) {
    const Token& token = peek();
    fail(token.span, fmt::format("expected {}, found {}", expected, describe(token)), std::move(hint));
}

void ExpressionParser::recover() {
    m_failed = false;
    m_depth = 0;
    while (!atEnd() && !atItem()) next();
}

Expr& ExpressionParser::closed(Expr& expr) const {
    expr.span.end = m_lastEnd;
    return expr;
}

Expr ExpressionParser::opened(ExprKind kind) {
    Expr result;
    result.kind = kind;
    result.span = next().span;
    return result;
}

Expr ExpressionParser::around(ExprKind kind, Expr child) {
    Expr result;
    result.kind = kind;
    result.span = child.span;
    result.children.push_back(std::move(child));
    return result;
}

void ExpressionParser::readName(Expr& expr, std::string_view what) {
    const Word word = name(what);
    expr.name = word.text;
    expr.nameSpan = word.span;
}

void ExpressionParser::children(Expr& expr, std::string_view close, Expr (ExpressionParser::*child)()) {
    do expr.children.push_back((this->*child)());
    while (accept(","));
    expect(close, fmt::format("',' or '{}'", close));
}

void ExpressionParser::count(SourceSpan span) {
    if (++m_size > MaxSize) fail(span, "the item is too large", "at most 1000 operators and variables");
}

Expr ExpressionParser::binary(ExprKind kind, std::string_view name, Expr left, Expr right) {
    count(left.span);
    Expr result;
    result.kind = kind;
    result.name = name;
    result.span = {left.span.begin, m_lastEnd};
    result.nameSpan = result.span;
    result.children.push_back(std::move(left));
    result.children.push_back(std::move(right));
    return result;
}

Expr ExpressionParser::infix(std::initializer_list<std::string_view> operators, ExprKind kind,
                             Expr (ExpressionParser::*operand)()) {
    Expr left = (this->*operand)();
    while (!m_failed && std::ranges::any_of(operators, [&](std::string_view op) { return at(op); })) {
        const Token op = next();
        left = binary(kind, op.text, std::move(left), (this->*operand)());
        if (kind == ExprKind::Call) left.nameSpan = op.span;
    }
    return left;
}

// --- conditions --------------------------------------------------------------------------------------------------------

Expr ExpressionParser::condition() { return infix({"or"}, ExprKind::Binary, &ExpressionParser::conjunction); }

Expr ExpressionParser::conjunction() { return infix({"and"}, ExprKind::Binary, &ExpressionParser::negation); }

Expr ExpressionParser::negation() {
    if (!at("not")) return comparison();
    Expr result = opened(ExprKind::Not);
    if (++m_depth > MaxDepth) fail(result.span, "the condition is nested too deeply", "at most 200 levels");
    result.children.push_back(m_failed ? Expr() : negation());
    --m_depth;
    return closed(result);
}

Expr ExpressionParser::comparison() {
    Expr left = term();
    if (m_failed) return left;
    for (const std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) {
        if (!accept(op)) continue;
        Expr result = binary(ExprKind::Binary, op, std::move(left), term());
        for (const std::string_view again : {"==", "!=", "<=", ">=", "<", ">"}) {
            if (!m_failed && at(again)) {
                fail(peek().span, "comparisons cannot be chained", "join them with `and`: a < b and b < c");
            }
        }
        return result;
    }
    const bool negated = at("not") && peek(1).is("in");
    if (negated) next();
    if (accept("in")) {
        Expr right = at("{") ? set() : term();
        return binary(ExprKind::Binary, negated ? "not in" : "in", std::move(left), std::move(right));
    }
    if (at(":") && peek(1).kind == TokenKind::Name) {
        next();
        Expr result = around(ExprKind::Class, std::move(left));
        readName(result, "the name of a class of operators");
        return closed(result);
    }
    return left;
}

Expr ExpressionParser::set() {
    Expr result = opened(ExprKind::Set);
    children(result, "}", &ExpressionParser::setMember);
    return closed(result);
}

Expr ExpressionParser::setMember() {
    Expr member;
    if (!m_failed && peek().kind == TokenKind::Name) {  // operators such as if and let are allowed here
        const Token token = next();
        member.name = token.text;
        member.span = token.span;
        member.nameSpan = token.span;
    } else {
        failHere("the name of an operator");
    }
    return member;
}

// --- terms -------------------------------------------------------------------------------------------------------------

Expr ExpressionParser::term() { return infix({"+", "-"}, ExprKind::Call, &ExpressionParser::product); }

Expr ExpressionParser::product() { return infix({"*", "/", "%"}, ExprKind::Call, &ExpressionParser::unary); }

Expr ExpressionParser::unary() {
    if (m_failed) return {};
    if (at("~")) {
        const Token tilde = next();
        const bool negative = accept("-");
        if (peek().kind != TokenKind::Integer && peek().kind != TokenKind::Float) {
            failHere("a number after ~");
            return {};
        }
        Expr result = numberToken(negative);
        result.isApproximate = true;
        result.isInteger = false;
        result.span.begin = tilde.span.begin;
        return result;
    }
    if (!at("-")) return postfix();
    Expr result = opened(ExprKind::Call);
    if (peek().kind == TokenKind::Integer || peek().kind == TokenKind::Float) {
        Expr number = numberToken(true);
        number.span.begin = result.span.begin;
        return number;
    }
    result.name = "-";
    result.nameSpan = result.span;
    if (++m_depth > MaxDepth) fail(result.span, "the expression is nested too deeply", "at most 200 levels");
    result.children.push_back(unary());
    --m_depth;
    return closed(result);
}

Expr ExpressionParser::postfix() {
    Expr result = primary();
    while (!m_failed) {
        const Token& token = peek();
        count(token.span);
        if (token.kind == TokenKind::Projection) {
            Expr projection = around(ExprKind::Projection, std::move(result));
            const std::optional<std::int64_t> index = numberFrom<std::int64_t>(next().text.substr(1));
            if (!index || *index > 1'000'000) fail(projection.span, "the index is too large");
            projection.integer = index.value_or(0);
            result = std::move(closed(projection));
        } else if (token.is(".") && peek(1).kind == TokenKind::Name) {
            next();
            Expr member = around(ExprKind::Member, std::move(result));
            const Token attribute = next();
            member.name = attribute.text;
            member.nameSpan = attribute.span;
            result = std::move(closed(member));
        } else if (token.is("[") && peek(1).kind == TokenKind::Name && peek(2).is(":=")) {
            next();
            Expr substitution = around(ExprKind::Substitute, std::move(result));
            readName(substitution, "the variable to replace");
            expect(":=", "':='");
            substitution.children.push_back(term());
            expect("]", "']'");
            result = std::move(closed(substitution));
        } else if (token.is("[") && onSameLine(token)) {
            result = element(std::move(result));
        } else if (token.is("...")) {
            next();
            if (result.kind == ExprKind::Name) {
                result.kind = ExprKind::Sequence;
                closed(result);
            } else {
                Expr expansion = around(ExprKind::Expand, std::move(result));
                result = std::move(closed(expansion));
            }
        } else {
            break;
        }
    }
    return result;
}

Expr ExpressionParser::primary() {
    if (m_failed) return {};
    const Token& token = peek();
    if (++m_depth > MaxDepth) {
        fail(token.span, "the expression is nested too deeply", "at most 200 levels");
        return {};
    }
    Expr result;
    if (token.kind == TokenKind::Integer || token.kind == TokenKind::Float) {
        result = numberToken(false);
    } else if (token.kind == TokenKind::Text) {
        result.kind = ExprKind::Text;
        const Token text = next();
        result.name = text.text;
        result.span = {text.span.begin - 1, text.span.end + 1};
    } else if (token.is("(")) {
        result = parenthesized();
    } else if (token.is("[")) {
        result = list();
    } else if (token.is("\\")) {
        result = lambda();
    } else if (token.is("let") && peek(1).kind == TokenKind::Name) {
        result = let();
    } else if (token.kind == TokenKind::Name && !atItem()) {
        result = nameOrCall();
    } else {
        failHere("an expression", "a variable, a number, op(arguments), \\x. e, let x = e in e, (e, e)");
    }
    --m_depth;
    return result;
}

Expr ExpressionParser::numberToken(bool negative) {
    const Token token = next();
    const std::string text = (negative ? "-" : "") + std::string(token.text);
    Expr result;
    result.kind = ExprKind::Number;
    result.span = token.span;
    result.isInteger = token.kind == TokenKind::Integer;
    result.number = std::strtod(text.c_str(), nullptr);
    if (result.isInteger) {
        const std::optional<std::int64_t> integer = numberFrom<std::int64_t>(text);
        if (!integer) fail(token.span, "the number does not fit 64 bits", "write it with a point for a Float");
        result.integer = integer.value_or(0);
    } else if (!std::isfinite(result.number)) {
        fail(token.span, "the number is too large for a Float");
    }
    return result;
}

Expr ExpressionParser::nameOrCall() {
    const Token token = next();
    Expr result;
    result.name = token.text;
    result.span = token.span;
    result.nameSpan = token.span;
    if (token.text == "true" || token.text == "false" || token.text == "True" || token.text == "False") {
        result.kind = ExprKind::Boolean;
        result.boolean = token.text == "true" || token.text == "True";
        return result;
    }
    const bool hasAttributes = atAttributes();
    const bool isCall = hasAttributes || (at("(") && onSameLine(peek()));
    if (!isCall) {
        if (isReserved(token.text)) {
            fail(token.span, fmt::format("expected an expression, found '{}'", token.text),
                 fmt::format("'{}' is a word of the language", token.text));
        }
        return result;
    }
    result.kind = ExprKind::Call;
    if (hasAttributes) attributes(result);
    arguments(result);
    return closed(result);
}

/// Whether attributes follow, rather than an element, a slice or a substitution.
bool ExpressionParser::atAttributes() const {
    if (!at("[") || !onSameLine(peek())) return false;
    return peek(1).is("...") || (peek(1).kind == TokenKind::Name && peek(2).is("="));
}

void ExpressionParser::attributes(Expr& call) {
    expect("[", "'['");
    do {
        if (accept("...")) {
            const Word rest = name("a name for all attributes that are not named");
            call.restName = rest.text;
            call.restSpan = rest.span;
            break;
        }
        const Word attribute = name("the name of an attribute");
        expect("=", "'=' and the attribute's value");
        call.attributeNames.push_back(attribute.text);
        call.attributeValues.push_back(term());
    } while (accept(","));
    expect("]", "',' or ']'");
}

void ExpressionParser::arguments(Expr& call) {
    if (!expect("(", "'(' and the arguments")) return;
    if (accept(")")) return;
    // Computed constants may contain comparisons: const(a < b).
    children(call, ")", call.name == "const" ? &ExpressionParser::condition : &ExpressionParser::term);
}

Expr ExpressionParser::parenthesized() {
    Expr result = opened(ExprKind::Tuple);
    if (accept(")")) return closed(result);
    result.children.push_back(condition());
    if (accept(")")) {
        Expr inner = std::move(result.children.front());
        inner.span = {result.span.begin, m_lastEnd};
        return inner;
    }
    while (accept(",")) result.children.push_back(term());
    expect(")", "',' or ')'");
    return closed(result);
}

Expr ExpressionParser::list() {
    Expr result = opened(ExprKind::List);
    if (!accept("]")) children(result, "]");
    return closed(result);
}

/// Parses of[index] or of[from:to]; both ends of a slice may be omitted.
Expr ExpressionParser::element(Expr of) {
    Expr result = around(ExprKind::Element, std::move(of));
    next();
    if (at(":")) {
        Expr zero;
        zero.kind = ExprKind::Number;
        zero.isInteger = true;
        zero.span = peek().span;
        result.children.push_back(std::move(zero));
    } else {
        result.children.push_back(term());
    }
    if (accept(":")) {
        result.kind = ExprKind::Slice;
        if (!at("]")) result.children.push_back(term());
    }
    expect("]", "']'");
    return closed(result);
}

Expr ExpressionParser::lambda() {
    Expr result = opened(ExprKind::Lambda);
    readName(result, "the variable of the lambda");
    if (accept(":")) result.types.push_back(primary());
    if (!m_failed && peek().kind == TokenKind::Projection) {
        fail(peek().span, "a space is missing after the point of the lambda",
             fmt::format("write \\{}. {}: without the space it would be an element of a tuple", result.name,
                         peek().text.substr(1)));
    }
    expect(".", "'.' and the body of the lambda");
    result.children.push_back(term());
    return closed(result);
}

Expr ExpressionParser::let() {
    Expr result = opened(ExprKind::Let);
    readName(result, "the variable of the let");
    expect("=", "'=' and the value of the let");
    result.children.push_back(term());
    expect("in", "'in' and the body of the let");
    result.children.push_back(term());
    return closed(result);
}

}  // namespace mitos::rules::syntax
