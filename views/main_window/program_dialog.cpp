// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog for typed programs.
#include "views/main_window/program_dialog.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace mitos::views {

ProgramDialog::ProgramDialog(QWidget* parent) : QDialog(parent), m_edit(new QPlainTextEdit(this)) {
    setObjectName(QStringLiteral("programDialog"));
    setWindowTitle(tr("Type a Program"));
    auto* label = new QLabel(
        tr("One expression over Float variables, such as (div (mul x y) x), or ks definitions; the last "
           "definition is the program. Or a tensor program as a listing: graph f(x: f32[2,3]), then lines such "
           "as y = Relu(x), and at the end return y."),
        this);
    label->setWordWrap(true);
    m_edit->setObjectName(QStringLiteral("programEdit"));
    m_edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_edit->setPlaceholderText(QStringLiteral("(def f Float ((x : Float) (y : Float))\n  (div (mul x y) x))"));
    m_edit->setTabChangesFocus(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    m_open = buttons->button(QDialogButtonBox::Open);
    m_open->setEnabled(false);
    connect(m_edit, &QPlainTextEdit::textChanged, this,
            [this] { m_open->setEnabled(!m_edit->toPlainText().trimmed().isEmpty()); });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(label);
    layout->addWidget(m_edit, 1);
    layout->addWidget(buttons);
    resize(620, 320);
}

QString ProgramDialog::text() const { return m_edit->toPlainText(); }

void ProgramDialog::setText(const QString& text) { m_edit->setPlainText(text); }

}  // namespace mitos::views
