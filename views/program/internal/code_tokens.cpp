// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/internal/code_tokens.h"

#include <QStringList>
#include <algorithm>

namespace mitos::views {

namespace {

bool isBreak(QChar c) { return c.isSpace() || c == QLatin1Char('(') || c == QLatin1Char(')') || c == QLatin1Char(';'); }

Token classify(QStringView word) {
    static const QStringList keywords = {QStringLiteral("def"),  QStringLiteral("edef"),   QStringLiteral("gdef"),
                                         QStringLiteral("rule"), QStringLiteral("let"),    QStringLiteral("lam"),
                                         QStringLiteral("if"),   QStringLiteral("assert"), QStringLiteral("tuple")};
    static const QStringList types = {QStringLiteral("Float"),  QStringLiteral("Integer"), QStringLiteral("Bool"),
                                      QStringLiteral("String"), QStringLiteral("Vec"),     QStringLiteral("Tensor"),
                                      QStringLiteral("Tuple"),  QStringLiteral("Lam"),     QStringLiteral("LM"),
                                      QStringLiteral(":")};
    if (keywords.contains(word)) return Token::Keyword;
    if (types.contains(word)) return Token::Type;
    if (word == QLatin1String("true") || word == QLatin1String("false")) return Token::Literal;
    const QChar first = word.front();
    const QChar second = word.size() > 1 ? word[1] : QChar();
    if (first.isDigit() || ((first == QLatin1Char('-') || first == QLatin1Char('.')) && second.isDigit())) {
        return Token::Literal;
    }
    return Token::Plain;
}

std::pair<qsizetype, Token> nextExchangeToken(QStringView line, qsizetype at) {
    const QChar c = line[at];
    if (c == QLatin1Char(';')) return {line.size() - at, Token::Comment};
    if (c == QLatin1Char('(') || c == QLatin1Char(')')) return {1, Token::Bracket};
    qsizetype end = at + 1;
    if (c == QLatin1Char('"')) {
        while (end < line.size() && line[end] != QLatin1Char('"')) end += line[end] == QLatin1Char('\\') ? 2 : 1;
        return {std::min(end + 1, line.size()) - at, Token::Literal};
    }
    if (c.isSpace()) {
        while (end < line.size() && line[end].isSpace()) ++end;
        return {end - at, Token::Plain};
    }
    while (end < line.size() && !isBreak(line[end])) ++end;
    return {end - at, classify(line.mid(at, end - at))};
}

/// The end of the number that begins at `at`.
qsizetype endOfNumber(QStringView line, qsizetype at) {
    qsizetype end = at + 1;
    const auto goesOn = [&](QChar d) {
        const QChar last = line[end - 1];
        const bool isSign = (d == QLatin1Char('-') || d == QLatin1Char('+')) && last == QLatin1Char('e');
        return d.isDigit() || d == QLatin1Char('.') || d == QLatin1Char('e') || isSign;
    };
    while (end < line.size() && goesOn(line[end])) ++end;
    return end;
}

bool isNamePart(QChar c) { return c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('@'); }

qsizetype endOfName(QStringView line, qsizetype at) {
    qsizetype end = at + 1;
    while (end < line.size() && isNamePart(line[end])) ++end;
    return end;
}

std::pair<qsizetype, Token> nextReadingToken(QStringView line, qsizetype at) {
    const QChar c = line[at];
    if (c == QLatin1Char('"')) return nextExchangeToken(line, at);
    if (c.isDigit()) return {endOfNumber(line, at) - at, Token::Literal};
    if (c == QChar(u'Σ')) return {1, Token::Keyword};
    if (isNamePart(c)) {
        const qsizetype end = endOfName(line, at);
        static const QStringList words = {QStringLiteral("if"), QStringLiteral("otherwise"), QStringLiteral("where")};
        return {end - at, words.contains(line.mid(at, end - at)) ? Token::Keyword : Token::Plain};
    }
    if (QStringView(u"→↦").contains(c)) return {1, Token::Keyword};
    return {1, QStringView(u"()[]{}").contains(c) ? Token::Bracket : Token::Plain};
}

std::pair<qsizetype, Token> nextLoopToken(QStringView line, qsizetype at) {
    const QChar c = line[at];
    if (c == QLatin1Char('"') || c.isSpace()) return nextExchangeToken(line, at);
    if (c == QLatin1Char('#')) return {line.size() - at, Token::Comment};
    if (c.isDigit()) return {endOfNumber(line, at) - at, Token::Literal};
    if (isNamePart(c)) {
        static const QStringList words = {
            QStringLiteral("for"),   QStringLiteral("from"),   QStringLiteral("to"),      QStringLiteral("backwards"),
            QStringLiteral("if"),    QStringLiteral("then"),   QStringLiteral("else"),    QStringLiteral("var"),
            QStringLiteral("place"), QStringLiteral("return"), QStringLiteral("require"), QStringLiteral("assert"),
            QStringLiteral("leave"), QStringLiteral("drop"),   QStringLiteral("print"),   QStringLiteral("start"),
            QStringLiteral("of"),    QStringLiteral("and"),    QStringLiteral("or"),      QStringLiteral("not")};
        const QStringView word = line.mid(at, endOfName(line, at) - at);
        return {word.size(), words.contains(word) ? Token::Keyword : classify(word)};
    }
    if (QStringView(u"()[]").contains(c)) return {1, Token::Bracket};
    return {1, Token::Plain};
}

}  // namespace

std::pair<qsizetype, Token> nextToken(CodeLanguage language, QStringView line, qsizetype at) {
    switch (language) {
        case CodeLanguage::Exchange: return nextExchangeToken(line, at);
        case CodeLanguage::Reading: return nextReadingToken(line, at);
        case CodeLanguage::Loops: break;
    }
    return nextLoopToken(line, at);
}

}  // namespace mitos::views
