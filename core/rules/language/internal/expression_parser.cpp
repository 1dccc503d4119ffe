// SPDX-License-Identifier: GPL-3.0-or-later
// A recursive-descent parser with one function per level of precedence.
#include "core/rules/language/internal/expression_parser.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace mitos::rules::syntax {

namespace {

constexpr std::array<std::string_view, 6> ItemKeywords{"use", "include", "rule", "pattern", "op", "class"};
/// Words that cannot name variables.
constexpr std::array<std::string_view, 12> Reserved{"use", "rule", "pattern", "where", "with", "local",
                                                    "let", "in",   "not",     "and",   "or",   "if"};

bool isReserved(std::string_view word) {
    for (const std::string_view r : Reserved) {
        if (word == r) return true;
    }
    return false;
}

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

// --- conditions --------------------------------------------------------------------------------------------------------

Expr ExpressionParser::condition() { return disjunction(); }

Expr ExpressionParser::disjunction() {
    Expr left = conjunction();
    while (accept("or")) left = binary(ExprKind::Binary, "or", std::move(left), conjunction());
    return left;
}

Expr ExpressionParser::conjunction() {
    Expr left = negation();
    while (accept("and")) left = binary(ExprKind::Binary, "and", std::move(left), negation());
    return left;
}

Expr ExpressionParser::negation() {
    if (!at("not")) return comparison();
    Expr result;
    result.kind = ExprKind::Not;
    result.span = next().span;
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
                fail(peek().span, "a comparison cannot go on with another one",
                     "join them with `and`: a < b and b < c");
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
        Expr result;
        result.kind = ExprKind::Class;
        const Word word = name("the name of a class of operators");
        result.name = word.text;
        result.nameSpan = word.span;
        result.span = left.span;
        result.children.push_back(std::move(left));
        return closed(result);
    }
    return left;
}

Expr ExpressionParser::set() {
    Expr result;
    result.kind = ExprKind::Set;
    result.span = next().span;
    do {
        Expr member;
        if (!m_failed && peek().kind == TokenKind::Name) {  // operators such as if and let are allowed here
            const Token token = next();
            member.name = token.text;
            member.span = token.span;
            member.nameSpan = token.span;
        } else {
            failHere("the name of an operator");
        }
        result.children.push_back(std::move(member));
    } while (accept(","));
    expect("}", "',' or '}'");
    return closed(result);
}

// --- terms -------------------------------------------------------------------------------------------------------------

Expr ExpressionParser::term() {
    Expr left = product();
    while (!m_failed && (at("+") || at("-"))) {
        const Token op = next();
        left = binary(ExprKind::Call, op.text, std::move(left), product());
        left.nameSpan = op.span;
    }
    return left;
}

Expr ExpressionParser::product() {
    Expr left = unary();
    while (!m_failed && (at("*") || at("/") || at("%"))) {
        const Token op = next();
        left = binary(ExprKind::Call, op.text, std::move(left), unary());
        left.nameSpan = op.span;
    }
    return left;
}

Expr ExpressionParser::unary() {
    if (m_failed) return {};
    if (at("~")) {
        const Token tilde = next();
        const bool negative = accept("-");
        if (peek().kind != TokenKind::Integer && peek().kind != TokenKind::Float) {
            failHere("a number behind ~");
            return {};
        }
        Expr result = numberToken(negative);
        result.isApproximate = true;
        result.isInteger = false;
        result.span.begin = tilde.span.begin;
        return result;
    }
    if (!at("-")) return postfix();
    const Token minus = next();
    if (peek().kind == TokenKind::Integer || peek().kind == TokenKind::Float) {
        Expr result = numberToken(true);
        result.span.begin = minus.span.begin;
        return result;
    }
    Expr result;
    result.kind = ExprKind::Call;
    result.name = "-";
    result.span = minus.span;
    result.nameSpan = minus.span;
    if (++m_depth > MaxDepth) fail(minus.span, "the expression is nested too deeply", "at most 200 levels");
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
            Expr projection;
            projection.kind = ExprKind::Projection;
            projection.span = result.span;
            const std::string_view digits = next().text.substr(1);
            const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), projection.integer);
            if (parsed.ec != std::errc() || projection.integer > 1'000'000)
                fail(projection.span, "the index is too large");
            projection.children.push_back(std::move(result));
            result = std::move(closed(projection));
        } else if (token.is(".") && peek(1).kind == TokenKind::Name) {
            next();
            Expr member;
            member.kind = ExprKind::Member;
            member.span = result.span;
            const Token attribute = next();
            member.name = attribute.text;
            member.nameSpan = attribute.span;
            member.children.push_back(std::move(result));
            result = std::move(closed(member));
        } else if (token.is("[") && peek(1).kind == TokenKind::Name && peek(2).is(":=")) {
            next();
            Expr substitution;
            substitution.kind = ExprKind::Substitute;
            substitution.span = result.span;
            const Word variable = name("the variable to replace");
            substitution.name = variable.text;
            substitution.nameSpan = variable.span;
            expect(":=", "':='");
            substitution.children.push_back(std::move(result));
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
                Expr expansion;
                expansion.kind = ExprKind::Expand;
                expansion.span = result.span;
                expansion.children.push_back(std::move(result));
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
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result.integer);
        if (parsed.ec != std::errc())
            fail(token.span, "the number does not fit 64 bits", "write it with a point for a Float");
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
    do {
        // Computed constants may contain comparisons: const(a < b).
        call.children.push_back(call.name == "const" ? condition() : term());
    } while (accept(","));
    expect(")", "',' or ')'");
}

Expr ExpressionParser::parenthesized() {
    Expr result;
    result.kind = ExprKind::Tuple;
    result.span = next().span;
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
    Expr result;
    result.kind = ExprKind::List;
    result.span = next().span;
    if (accept("]")) return closed(result);
    do {
        result.children.push_back(term());
    } while (accept(","));
    expect("]", "',' or ']'");
    return closed(result);
}

/// Parses of[index] or of[from:to]; both ends of a slice may be omitted.
Expr ExpressionParser::element(Expr of) {
    Expr result;
    result.kind = ExprKind::Element;
    result.span = of.span;
    next();
    result.children.push_back(std::move(of));
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
    Expr result;
    result.kind = ExprKind::Lambda;
    result.span = next().span;
    const Word variable = name("the variable of the lambda");
    result.name = variable.text;
    result.nameSpan = variable.span;
    if (accept(":")) result.types.push_back(primary());
    if (!m_failed && peek().kind == TokenKind::Projection) {
        fail(peek().span, "a space is missing behind the point of the lambda",
             fmt::format("write \\{}. {}: without the space it would be an element of a tuple", result.name,
                         peek().text.substr(1)));
    }
    expect(".", "'.' and the body of the lambda");
    result.children.push_back(term());
    return closed(result);
}

Expr ExpressionParser::let() {
    Expr result;
    result.kind = ExprKind::Let;
    result.span = next().span;
    const Word variable = name("the variable of the let");
    result.name = variable.text;
    result.nameSpan = variable.span;
    expect("=", "'=' and the value of the let");
    result.children.push_back(term());
    expect("in", "'in' and the body of the let");
    result.children.push_back(term());
    return closed(result);
}

}  // namespace mitos::rules::syntax
