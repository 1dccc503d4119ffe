// SPDX-License-Identifier: GPL-3.0-or-later
// Where one types a program.
#pragma once

#include <QDialog>

class QPlainTextEdit;
class QPushButton;

namespace mitos::views {

class ProgramDialog : public QDialog {
    Q_OBJECT
public:
    explicit ProgramDialog(QWidget* parent = nullptr);
    [[nodiscard]] QString text() const;
    void setText(const QString& text);

private:
    QPlainTextEdit* m_edit;
    QPushButton* m_open;
};

}  // namespace mitos::views
