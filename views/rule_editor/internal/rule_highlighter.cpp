// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/rule_highlighter.h"

#include "views/theme/theme.h"

#include <QTextDocument>
#include <string_view>

namespace mitos::views {

namespace {
constexpr int NotColoured = -1;
}

RuleHighlighter::RuleHighlighter(QTextDocument* document) : QObject(document), m_document(document) {
    connect(document, &QTextDocument::contentsChange, this, &RuleHighlighter::forget);
}

void RuleHighlighter::setTheme(const Theme& theme) {
    ++m_theme;
    using Kind = rules::PartKind;
    m_formats.clear();
    const auto format = [this](Kind kind) -> QTextCharFormat& { return m_formats[static_cast<int>(kind)]; };
    format(Kind::Comment).setForeground(theme.faintText());
    format(Kind::Keyword).setForeground(theme.keyword());
    format(Kind::Keyword).setFontWeight(QFont::DemiBold);
    format(Kind::Defined).setFontWeight(QFont::DemiBold);
    format(Kind::Operator).setForeground(theme.accent());
    format(Kind::FunctionVariable).setFontItalic(true);
    format(Kind::Member).setForeground(theme.keyword());
    format(Kind::Number).setForeground(theme.literal());
    format(Kind::Text).setForeground(theme.literal());
    format(Kind::Bad).setForeground(theme.worse());
    m_arrow.setForeground(theme.keyword());
    m_arrow.setFontWeight(QFont::DemiBold);
}

void RuleHighlighter::forget(int position, int /*removed*/, int added) {
    const QTextBlock end = m_document->findBlock(position + added).next();
    for (QTextBlock line = m_document->findBlock(position); line.isValid() && line != end; line = line.next())
        line.setUserState(NotColoured);
}

void RuleHighlighter::colour(QTextBlock line) {
    if (line.userState() == m_theme) return;
    line.setUserState(m_theme);
    const QList<QTextLayout::FormatRange> ranges = rangesOf(line.text());
    if (line.layout()->formats() == ranges) return;
    line.layout()->setFormats(ranges);
    m_document->markContentsDirty(line.position(), line.length());
}

QList<QTextLayout::FormatRange> RuleHighlighter::rangesOf(const QString& text) const {
    QList<QTextLayout::FormatRange> ranges;
    const QByteArray bytes = text.toUtf8();
    const bool isAscii = bytes.size() == text.size();
    const auto position = [&](std::size_t offset) {
        const auto count = static_cast<qsizetype>(offset);
        return static_cast<int>(isAscii ? count : QString::fromUtf8(bytes.constData(), count).size());
    };
    const std::string_view line(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    for (const rules::TextPart& part : rules::partsOf(line)) {
        const std::string_view word = line.substr(part.span.begin, part.span.end - part.span.begin);
        const bool isArrow = part.kind == rules::PartKind::Symbol && (word == "=>" || word == "<=>");
        const auto known = m_formats.constFind(static_cast<int>(part.kind));
        if (!isArrow && known == m_formats.cend()) continue;
        const int begin = position(part.span.begin);
        ranges.append({begin, position(part.span.end) - begin, isArrow ? m_arrow : *known});
    }
    return ranges;
}

}  // namespace mitos::views
