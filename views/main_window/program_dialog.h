// SPDX-License-Identifier: GPL-3.0-or-later
// Where one types a program.
#pragma once

#include "core/base/result.h"

#include <QDialog>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace mitos::views {

/// Stays, with the text, until the program could be opened: whoever opens it says finish() or showError().
class ProgramDialog : public QDialog {
    Q_OBJECT
public:
    explicit ProgramDialog(QWidget* parent = nullptr);
    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    /// Why the text that was submitted is no program; the cursor goes to the place.
    void showError(const Error& error);
    /// The program is open.
    void finish() { QDialog::accept(); }
    [[nodiscard]] QString error() const;

    /// Submits the text, and leaves the dialog open.
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
