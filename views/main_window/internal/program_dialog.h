// SPDX-License-Identifier: GPL-3.0-or-later
// A dialog for typing a program.
#pragma once

#include "core/base/result.h"

#include <QDialog>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace mitos::views {

/// Stays open with the text until the program is open: its owner calls finish() or showError().
class ProgramDialog : public QDialog {
    Q_OBJECT
public:
    explicit ProgramDialog(QWidget* parent = nullptr);
    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    /// Shows why the submitted text is invalid, and moves the cursor to the place.
    void showError(const Error& error);
    /// Closes the dialog, because the program is open.
    void finish() { QDialog::accept(); }
    [[nodiscard]] QString error() const;

    /// Submits the text without closing the dialog.
    void accept() override;

Q_SIGNALS:
    void submitted(const QString& text);

private:
    void clearError();
    void mark(const SourcePlace& place);

    QPlainTextEdit* m_edit;
    QLabel* m_error;
    QPushButton* m_open;
    bool m_isMarking = false;
};

}  // namespace mitos::views
