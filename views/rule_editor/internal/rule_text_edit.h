// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a rule set: colours, numbers of lines, what the checker found, completion.
#pragma once

#include "views/rule_editor/internal/checked_text.h"

#include <QPlainTextEdit>
#include <QTimer>
#include <vector>

class QCompleter;
class QStandardItemModel;

namespace mitos::views {

class RuleHighlighter;

class RuleTextEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit RuleTextEdit(QWidget* parent = nullptr);

    /// Underlines what the checker found, and marks its lines.
    void setMessages(std::vector<RuleMessage> messages);
    void setWords(std::vector<RuleWord> words) { m_words = std::move(words); }
    /// Moves the cursor to a place of the text, counted from 1.
    void goTo(int line, int column);
    /// The line of the cursor, from 1.
    [[nodiscard]] int cursorLine() const;
    /// Selects the next occurrence after the cursor, or before it, beginning again at the other end. False if there is none.
    bool findText(const QString& text, bool isBackward);
    /// Replaces the whole text; undo brings the old one back.
    void replaceText(const QString& text);
    /// Replaces the whole text and forgets what could be undone; loaded() follows, for a short text at once. A long text arrives in
    /// portions between events. Make the text read-only meanwhile.
    void load(const QString& text);
    [[nodiscard]] QCompleter& completer() { return *m_completer; }
    /// The width and the contents of the margin, for the widget that draws it.
    [[nodiscard]] int marginWidth() const;
    void paintMargin(QPaintEvent* event);
    /// The messages of a line, one below the other; empty if there are none.
    [[nodiscard]] QString messagesOf(int line) const;
    /// The line at a height in the viewport, from 1; 0 if there is none.
    [[nodiscard]] int lineAt(int y) const;

Q_SIGNALS:
    void loaded();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    void showSelections();
    void placeMargin();
    /// Offers words for the one before the cursor; `always` even if it is short.
    void complete(bool always);
    void insertCompletion(const QModelIndex& index);
    [[nodiscard]] QString wordBefore() const;
    [[nodiscard]] std::vector<RuleWord> variablesHere() const;
    void newLine();
    void loadNext();

    RuleHighlighter* m_highlighter;
    QWidget* m_margin;
    QStandardItemModel* m_offered;
    QCompleter* m_completer;
    std::vector<RuleMessage> m_messages;
    std::vector<RuleWord> m_words;
    QString m_loading;         ///< the text that is being loaded
    qsizetype m_loadedTo = 0;  ///< the length of the part that is there
    QTimer m_loadTimer;
};

}  // namespace mitos::views
