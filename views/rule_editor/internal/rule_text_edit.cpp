// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/rule_text_edit.h"

#include "core/rules/language/editing.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/rule_editor/internal/rule_highlighter.h"
#include "views/theme/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTextBlock>
#include <QToolTip>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int MarkWidth = 16;
constexpr int MarginGap = 8;
constexpr int TabColumns = 4;
constexpr int LeastTyped = 2;  // letters before words are offered
constexpr int MostOffered = 400;
constexpr qsizetype Portion = 64 * 1024;  // letters of a text that is loaded; they take a few milliseconds
constexpr int WordRole = Qt::UserRole + 1;

/// The numbers of the lines, and marks of what the checker found.
class Margin : public QWidget {
public:
    explicit Margin(RuleTextEdit* edit) : QWidget(edit), m_edit(edit) { setObjectName(QStringLiteral("ruleLines")); }
    [[nodiscard]] QSize sizeHint() const override { return {m_edit->marginWidth(), 0}; }

protected:
    void paintEvent(QPaintEvent* event) override { m_edit->paintMargin(event); }
    bool event(QEvent* event) override {
        if (event->type() != QEvent::ToolTip) return QWidget::event(event);
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), m_edit->messagesOf(m_edit->lineAt(help->pos().y())), this);
        return true;
    }

private:
    RuleTextEdit* m_edit;
};

bool isWordPart(QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'$'; }

/// Whether the cursor is in a comment.
bool isInComment(const QTextCursor& cursor) {
    const QByteArray line = cursor.block().text().left(cursor.positionInBlock()).toUtf8();
    const auto parts = rules::partsOf({line.constData(), static_cast<std::size_t>(line.size())});
    return !parts.empty() && parts.back().kind == rules::PartKind::Comment;
}

/// The length, in UTF-16 units, of what a message points at: the word at its column.
int lengthAt(const QString& line, int begin) {
    int end = begin;
    while (end < line.size() && isWordPart(line[end])) ++end;
    return std::max(1, end - begin);
}

}  // namespace

RuleTextEdit::RuleTextEdit(QWidget* parent)
    : QPlainTextEdit(parent),
      m_highlighter(new RuleHighlighter(document())),
      m_margin(new Margin(this)),
      m_offered(new QStandardItemModel(this)),
      m_completer(new QCompleter(m_offered, this)) {
    setUpWidget(this, "ruleText", {}, tr("Text of the rule set"));
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setOwnFont(this, [] { return programFont(); });
    setTabStopDistance(TabColumns * fontMetrics().horizontalAdvance(u' '));
    m_completer->setWidget(this);
    m_completer->setCompletionRole(WordRole);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_completer->popup()->setObjectName(QStringLiteral("ruleWords"));
    setOwnFont(m_completer->popup(), [] { return programFont(); });
    m_completer->popup()->setAccessibleName(tr("Words that can be inserted"));
    connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this, &RuleTextEdit::insertCompletion);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &RuleTextEdit::placeMargin);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy != 0)
            m_margin->scroll(0, dy);
        else
            m_margin->update(0, rect.y(), m_margin->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &RuleTextEdit::showSelections);
    followPalette(this, [this] {
        m_highlighter->setTheme(Theme(palette()));
        showSelections();
        viewport()->update();
    });
    m_loadTimer.setInterval(0);
    connect(&m_loadTimer, &QTimer::timeout, this, &RuleTextEdit::loadNext);
    placeMargin();
}

int RuleTextEdit::cursorLine() const { return textCursor().blockNumber() + 1; }

void RuleTextEdit::goTo(int line, int column) {
    const QTextBlock block = document()->findBlockByNumber(std::max(0, line - 1));
    if (!block.isValid()) return;
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + positionOfColumn(block.text(), column));
    setTextCursor(cursor);
    centerCursor();
}

bool RuleTextEdit::findText(const QString& text, bool isBackward) {
    const QTextDocument::FindFlags flags = isBackward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (text.isEmpty() || find(text, flags)) return !text.isEmpty();
    const QTextCursor before = textCursor();
    moveCursor(isBackward ? QTextCursor::End : QTextCursor::Start);
    if (find(text, flags)) return true;
    setTextCursor(before);
    return false;
}

void RuleTextEdit::replaceText(const QString& text) {
    QTextCursor cursor(document());
    cursor.select(QTextCursor::Document);
    cursor.insertText(text);
    moveCursor(QTextCursor::Start);
}

void RuleTextEdit::load(const QString& text) {
    m_loading = text;
    m_loadedTo = 0;
    document()->setUndoRedoEnabled(false);
    clear();
    loadNext();
}

void RuleTextEdit::loadNext() {
    const qsizetype lineEnd = m_loading.indexOf(u'\n', m_loadedTo + Portion);
    const qsizetype end = lineEnd < 0 ? m_loading.size() : lineEnd + 1;
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    const bool isFirst = m_loadedTo == 0;
    cursor.insertText(m_loading.mid(m_loadedTo, end - m_loadedTo));
    if (isFirst) moveCursor(QTextCursor::Start);  // the insertion moved it
    m_loadedTo = end;
    if (m_loadedTo < m_loading.size()) return m_loadTimer.start();
    m_loadTimer.stop();
    m_loading.clear();
    document()->setUndoRedoEnabled(true);
    document()->setModified(false);
    Q_EMIT loaded();
}

// --- messages ------------------------------------------------------------------------------------------------------------

void RuleTextEdit::setMessages(std::vector<RuleMessage> messages) {
    m_messages = std::move(messages);
    showSelections();
    m_margin->update();
}

QString RuleTextEdit::messagesOf(int line) const {
    QStringList texts;
    for (const RuleMessage& message : m_messages) {
        if (message.line == line) texts << message.text;
    }
    return texts.join(u'\n');
}

void RuleTextEdit::showSelections() {
    const Theme theme(palette());
    QList<QTextEdit::ExtraSelection> selections;
    QTextEdit::ExtraSelection current;
    current.cursor = textCursor();
    current.cursor.clearSelection();
    current.format.setBackground(theme.hovered());
    current.format.setProperty(QTextFormat::FullWidthSelection, true);
    selections << current;
    for (const RuleMessage& message : m_messages) {
        const QTextBlock block = document()->findBlockByNumber(message.line - 1);
        if (message.line == 0 || !block.isValid()) continue;
        int begin = positionOfColumn(block.text(), message.column);
        // At the end of a line, what is before it is underlined.
        if (begin >= block.text().size() && begin > 0) begin = static_cast<int>(block.text().size()) - 1;
        QTextEdit::ExtraSelection wave;
        wave.cursor = QTextCursor(block);
        wave.cursor.setPosition(block.position() + begin);
        wave.cursor.setPosition(block.position() + std::min<int>(begin + lengthAt(block.text(), begin),
                                                                 static_cast<int>(block.text().size())),
                                QTextCursor::KeepAnchor);
        wave.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        wave.format.setUnderlineColor(message.isError ? theme.worse() : theme.best());
        selections << wave;
    }
    setExtraSelections(selections);
}

bool RuleTextEdit::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPoint place = viewport()->mapFrom(this, help->pos());
        QToolTip::showText(help->globalPos(), messagesOf(lineAt(place.y())), this);
        return true;
    }
    return QPlainTextEdit::event(event);
}

// --- margin --------------------------------------------------------------------------------------------------------------

int RuleTextEdit::marginWidth() const {
    const auto digits = static_cast<int>(QString::number(std::max(100, blockCount())).size());
    return MarkWidth + digits * fontMetrics().horizontalAdvance(u'9') + 2 * MarginGap;
}

void RuleTextEdit::placeMargin() {
    // A change of the margins lays out the text again.
    if (viewportMargins().left() != marginWidth()) setViewportMargins(marginWidth(), 0, 0, 0);
    const QRect all = contentsRect();
    m_margin->setGeometry(QRect(all.left(), all.top(), marginWidth(), all.height()));
}

void RuleTextEdit::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    placeMargin();
}

void RuleTextEdit::paintEvent(QPaintEvent* event) {
    const int bottom = viewport()->height();
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        m_highlighter->colour(block);
        if (blockBoundingGeometry(block).translated(contentOffset()).bottom() > bottom) break;
    }
    QPlainTextEdit::paintEvent(event);
}

int RuleTextEdit::lineAt(int y) const {
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (y < place.top()) return 0;
        if (y < place.bottom()) return block.blockNumber() + 1;
    }
    return 0;
}

void RuleTextEdit::paintMargin(QPaintEvent* event) {
    const Theme theme(palette());
    QPainter painter(m_margin);
    painter.fillRect(event->rect(), palette().base());
    painter.setFont(font());
    const int current = cursorLine();
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRect place = blockBoundingGeometry(block).translated(contentOffset()).toRect();
        if (place.top() > event->rect().bottom()) break;
        const int line = block.blockNumber() + 1;
        painter.setPen(line == current ? palette().color(QPalette::Text) : theme.faintText());
        painter.drawText(QRect(MarkWidth, place.top(), marginWidth() - MarkWidth - MarginGap, place.height()),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
        const auto found = std::ranges::find(m_messages, line, &RuleMessage::line);
        if (found == m_messages.end()) continue;
        const bool isError = std::ranges::any_of(
            m_messages, [line](const RuleMessage& message) { return message.line == line && message.isError; });
        painter.setPen(isError ? theme.worse() : theme.best());
        painter.drawText(QRect(4, place.top(), MarkWidth, place.height()), Qt::AlignCenter,
                         isError ? QStringLiteral("✗") : QStringLiteral("!"));
    }
}

// --- typing --------------------------------------------------------------------------------------------------------------

void RuleTextEdit::keyPressEvent(QKeyEvent* event) {
    const bool isOffering = m_completer->popup()->isVisible();
    const int key = event->key();
    const bool isEnter = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (isOffering && (isEnter || key == Qt::Key_Tab || key == Qt::Key_Escape || key == Qt::Key_Backtab)) {
        event->ignore();  // the completer uses them
        return;
    }
    if (key == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
        if (!isReadOnly()) complete(true);
        return;
    }
    if (!isReadOnly() && isEnter && event->modifiers() == Qt::NoModifier) {
        newLine();
        return;
    }
    if (!isReadOnly() && key == Qt::Key_Tab && event->modifiers() == Qt::NoModifier && !textCursor().hasSelection()) {
        insertPlainText(QString(TabColumns - textCursor().positionInBlock() % TabColumns, u' '));
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
    const bool isTyped = !event->text().isEmpty() && (isWordPart(event->text().back()) || event->text() == u".");
    if (isReadOnly()) return;
    if (isTyped || (isOffering && key == Qt::Key_Backspace))
        complete(false);
    else if (!event->text().isEmpty())
        m_completer->popup()->hide();
}

/// A new line begins like the one before.
void RuleTextEdit::newLine() {
    const QString line = textCursor().block().text().left(textCursor().positionInBlock());
    const auto indent = std::ranges::find_if(line, [](QChar c) { return !c.isSpace(); }) - line.begin();
    textCursor().insertText(u'\n' + line.left(indent));
    ensureCursorVisible();
}

QString RuleTextEdit::wordBefore() const {
    const QString line = textCursor().block().text();
    const int end = textCursor().positionInBlock();
    int begin = end;
    while (begin > 0 && isWordPart(line[begin - 1])) --begin;
    return line.mid(begin, end - begin);
}

/// The variables of the item that the cursor is in.
std::vector<RuleWord> RuleTextEdit::variablesHere() const {
    const auto isItem = [](const QString& line) {
        return !line.isEmpty() && !line.front().isSpace() && line.front() != u'#';
    };
    QTextBlock block = textCursor().block();
    while (block.previous().isValid() && !isItem(block.text())) block = block.previous();
    QString text = block.text();
    for (block = block.next(); block.isValid() && !isItem(block.text()); block = block.next())
        text += u'\n' + block.text();
    const QByteArray bytes = text.toUtf8();
    const std::string_view all(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    std::vector<RuleWord> words;
    const QString typed = wordBefore();
    for (const rules::TextPart& part : rules::partsOf(all)) {
        const bool isVariable =
            part.kind == rules::PartKind::Variable || part.kind == rules::PartKind::FunctionVariable;
        const QString name = fromUtf8(all.substr(part.span.begin, part.span.end - part.span.begin));
        const bool isKnown = std::ranges::find(words, name, &RuleWord::text) != words.end();
        if (!isVariable || name == typed || isKnown) continue;
        words.push_back({RuleWord::Kind::Variable, name, name, tr("variable of this rule")});
    }
    return words;
}

void RuleTextEdit::complete(bool always) {
    const QString typed = wordBefore();
    const int before = textCursor().positionInBlock() - static_cast<int>(typed.size());
    const QString line = textCursor().block().text();
    const bool isMember = before > 1 && line[before - 1] == u'.' && isWordPart(line[before - 2]);
    const bool isNumber = !typed.isEmpty() && typed.front().isDigit();
    if (isInComment(textCursor()) || isNumber || (!always && !isMember && typed.size() < LeastTyped)) {
        m_completer->popup()->hide();
        return;
    }
    std::vector<RuleWord> words = isMember ? std::vector<RuleWord>() : variablesHere();
    for (const RuleWord& word : m_words) {
        if (!word.text.startsWith(typed, Qt::CaseInsensitive)) continue;
        const bool isKnown = std::ranges::find(words, word.text, &RuleWord::text) != words.end();
        if ((word.kind == RuleWord::Kind::Attribute) == isMember && !isKnown) words.push_back(word);
    }
    std::erase_if(words, [&](const RuleWord& word) { return !word.text.startsWith(typed, Qt::CaseInsensitive); });
    // A word that is typed in full needs nothing, and Enter is then the end of the line.
    const bool isComplete = !always && std::ranges::find(words, typed, &RuleWord::text) != words.end();
    m_offered->clear();
    for (const RuleWord& word : words) {
        if (m_offered->rowCount() == MostOffered) break;
        auto* item = new QStandardItem(word.meaning.isEmpty() || word.meaning == word.text
                                           ? word.signature
                                           : QStringLiteral("%1   %2").arg(word.signature, word.meaning));
        item->setData(word.text, WordRole);
        item->setEditable(false);
        m_offered->appendRow(item);
    }
    if (words.empty() || isComplete) {
        m_completer->popup()->hide();
        return;
    }
    m_completer->setCompletionPrefix(typed);
    m_completer->popup()->setCurrentIndex(m_completer->completionModel()->index(0, 0));
    QRect place = cursorRect().translated(viewport()->pos());
    constexpr int Widest = 560;
    place.setWidth(std::min(Widest, m_completer->popup()->sizeHintForColumn(0) +
                                        m_completer->popup()->verticalScrollBar()->sizeHint().width() + 2 * MarginGap));
    m_completer->complete(place);
}

void RuleTextEdit::insertCompletion(const QModelIndex& index) {
    const QString word = index.data(WordRole).toString();
    QTextCursor cursor = textCursor();
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, static_cast<int>(wordBefore().size()));
    cursor.insertText(word);
    setTextCursor(cursor);
}

}  // namespace mitos::views
