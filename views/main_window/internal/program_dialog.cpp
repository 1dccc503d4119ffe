// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog for typed programs.
#include "views/main_window/internal/program_dialog.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QAccessible>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBlock>

namespace mitos::views {

ProgramDialog::ProgramDialog(QWidget* parent)
    : QDialog(parent),
      m_edit(new QPlainTextEdit(this)),
      m_error(new QLabel(this)) {
    setObjectName(QStringLiteral("programDialog"));
    setWindowTitle(tr("Type a Program"));
    auto* label = new QLabel(
        tr("One expression over Float variables, such as (div (mul x y) x), or ks definitions; the last "
           "definition is the program. Or a tensor program as a listing: graph f(x: f32[2,3]), then lines such "
           "as y = Relu(x), and at the end return y."),
        this);
    label->setWordWrap(true);
    setUpWidget(m_edit, "programEdit", {}, tr("Text of the program"));
    m_edit->setFont(programFont());
    m_edit->setPlaceholderText(QStringLiteral("(def f Float ((x : Float) (y : Float))\n  (div (mul x y) x))"));
    m_edit->setTabChangesFocus(true);
    setUpPlainLabel(m_error, "programError");
    m_error->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_error->hide();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    m_open = buttons->button(QDialogButtonBox::Open);
    m_open->setEnabled(false);
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        m_open->setEnabled(!m_edit->toPlainText().trimmed().isEmpty());
        clearError();
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &ProgramDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fillColumn(this, {label, {m_edit, 1}, m_error, buttons});
    resize(620, 320);
}

QString ProgramDialog::text() const { return m_edit->toPlainText(); }

void ProgramDialog::setText(const QString& text) {
    m_edit->setPlainText(text);
    m_edit->selectAll();
}

QString ProgramDialog::error() const { return m_error->isHidden() ? QString() : m_error->text(); }

void ProgramDialog::accept() {
    if (!m_open->isEnabled()) return;
    m_open->setEnabled(false);
    Q_EMIT submitted(text());
}

void ProgramDialog::clearError() {
    if (m_isMarking) return;
    m_error->hide();
    m_edit->setExtraSelections({});
}

void ProgramDialog::showError(const Error& error) {
    m_open->setEnabled(true);
    QString text = QStringLiteral("⚠ ");
    if (error.place)
        text +=
            tr("Line %1, column %2: %3").arg(error.place->line).arg(error.place->column).arg(fromUtf8(error.message));
    else
        text += fromUtf8(error.message);
    if (!error.hint.empty()) text += QLatin1Char('\n') + fromUtf8(error.hint);
    if (const auto more = static_cast<int>(error.others.size()); more > 0)
        text +=
            QLatin1Char('\n') + (more == 1 ? tr("There is 1 more error.") : tr("There are %1 more errors.").arg(more));
    m_error->setText(text);
    m_error->setAccessibleName(text);
    m_error->show();
    if (error.place) mark(*error.place);
    m_edit->setFocus();
    QAccessibleEvent alert(m_error, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void ProgramDialog::mark(const SourcePlace& place) {
    const QTextBlock block = m_edit->document()->findBlockByNumber(place.line - 1);
    if (!block.isValid()) return;
    m_isMarking = true;
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + positionOfColumn(block.text(), place.column));
    m_edit->setTextCursor(cursor);
    QTextEdit::ExtraSelection line;
    line.cursor = cursor;
    line.format.setBackground(Theme(palette()).removed());
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    m_edit->setExtraSelections({line});
    m_edit->ensureCursorVisible();
    m_isMarking = false;
}

}  // namespace mitos::views
