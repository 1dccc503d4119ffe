// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/language/editing.h"

#include "core/rules/language/internal/lexer.h"

#include <algorithm>
#include <array>

namespace mitos::rules {

namespace {

using syntax::Token;
using syntax::TokenKind;

constexpr std::array<std::string_view, 22> Keywords{
    "rule", "pattern", "use", "include", "op", "class",  "analysis", "where", "with", "local", "let",
    "in",   "if",      "not", "and",     "or", "values", "literal",  "value", "join", "means", "fold"};
constexpr std::array<std::string_view, 7> Items{"rule", "pattern", "use", "include", "op", "class", "analysis"};
/// Words that begin the lines of an analysis; elsewhere they are names like others.
constexpr std::array<std::string_view, 6> AnalysisLines{"values", "literal", "value", "join", "means", "fold"};

bool isOneOf(std::span<const std::string_view> words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

bool isFunctionVariable(std::string_view name) {
    const bool isCapital = name.front() >= 'A' && name.front() <= 'Z';
    return isCapital && std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether the token is a part of the name of an included set, which may have hyphens: `include ks-if [phase1]`.
bool isInInclude(std::span<const Token> tokens, std::size_t at) {
    for (std::size_t i = at; i > 0 && !tokens[i].firstOnLine && !tokens[i].is("["); --i) {
        if (tokens[i - 1].firstOnLine) return tokens[i - 1].is("include");
    }
    return false;
}

/// Whether the token begins a line of an analysis: another name follows it, which in a term it never does.
bool isAnalysisLine(std::span<const Token> tokens, std::size_t at) {
    if (!tokens[at].firstOnLine || !isOneOf(AnalysisLines, tokens[at].text)) return false;
    const Token& next = tokens[std::min(at + 1, tokens.size() - 1)];
    const bool isAlone = next.firstOnLine || next.kind == TokenKind::End;
    return tokens[at].is("fold") ? isAlone || next.is("keep") : !isAlone && next.kind == TokenKind::Name;
}

PartKind kindOfName(std::span<const Token> tokens, std::size_t at) {
    const Token& token = tokens[at];
    const Token* const before = at > 0 ? &tokens[at - 1] : nullptr;
    const auto next = [&](std::size_t ahead) { return tokens[std::min(at + ahead, tokens.size() - 1)]; };
    if (before != nullptr && before->is(".") && before->span.end == token.span.begin) return PartKind::Member;
    if (isInInclude(tokens, at)) return PartKind::Defined;
    const bool isCall = next(1).is("(") && next(1).span.begin == token.span.end;
    if (isOneOf(Items, token.text)) return token.firstOnLine ? PartKind::Keyword : PartKind::Variable;
    if (isOneOf(AnalysisLines, token.text)) {
        if (isAnalysisLine(tokens, at)) return PartKind::Keyword;
    } else if (isOneOf(Keywords, token.text) && !(isCall && token.text == "if")) {
        return PartKind::Keyword;
    }
    if (before != nullptr && before->firstOnLine && isOneOf(Items, before->text)) return PartKind::Defined;
    if (isFunctionVariable(token.text)) return PartKind::FunctionVariable;
    // Attributes as in get[index=i](t); body[x := e] is a substitution.
    const bool hasAttributes =
        next(1).is("[") && next(1).span.begin == token.span.end && (next(2).is("...") || next(3).is("="));
    if (isCall || hasAttributes) return PartKind::Operator;
    const bool isTruth = token.text == "true" || token.text == "false" || token.text == "True" || token.text == "False";
    return isTruth ? PartKind::Number : PartKind::Variable;
}

PartKind kindOf(std::span<const Token> tokens, std::size_t at) {
    switch (tokens[at].kind) {
        case TokenKind::Name: return kindOfName(tokens, at);
        case TokenKind::Integer:
        case TokenKind::Float:
        case TokenKind::Projection: return PartKind::Number;
        case TokenKind::Text: return PartKind::Text;
        case TokenKind::Bad: return PartKind::Bad;
        case TokenKind::Symbol:
        case TokenKind::End: break;
    }
    return PartKind::Symbol;
}

}  // namespace

std::vector<TextPart> partsOf(std::string_view text) {
    const syntax::Tokens read = syntax::tokenize(text);
    std::vector<TextPart> parts;
    std::size_t end = 0;
    for (std::size_t i = 0; i < read.tokens.size(); ++i) {
        const Token& token = read.tokens[i];
        // Comments stand between tokens.
        while (end < token.span.begin) {
            const std::size_t comment = text.find('#', end);
            if (comment >= token.span.begin) break;
            end = std::min({text.find('\n', comment), token.span.begin, text.size()});
            parts.push_back({PartKind::Comment, {comment, end}});
        }
        if (token.kind == TokenKind::End) break;
        const std::size_t quotes = token.kind == TokenKind::Text ? 1 : 0;
        parts.push_back({kindOf(read.tokens, i), {token.span.begin - quotes, token.span.end + quotes}});
        end = token.span.end + quotes;
    }
    return parts;
}

std::span<const std::string_view> keywords() { return Keywords; }

}  // namespace mitos::rules
