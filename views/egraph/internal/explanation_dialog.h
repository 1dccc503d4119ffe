// SPDX-License-Identifier: GPL-3.0-or-later
// Shows why two terms are equal: the steps from one to the other.
#pragma once

#include "views/document/egraph_document.h"

#include <QDialog>

class QPlainTextEdit;
class QTableWidget;

namespace mitos::views {

/// One row per state, the first term first; the term of the current row is shown in full below. A thread that begins
/// with the program can be added to its history.
class ExplanationDialog : public QDialog {
    Q_OBJECT
public:
    explicit ExplanationDialog(const FoundThread& found, QWidget* parent = nullptr);

Q_SIGNALS:
    void historyRequested(const mitos::views::FoundThread& found);

private:
    void fill();
    void showTerm(int row);
    [[nodiscard]] QString termText(int row) const;

    FoundThread m_found;
    QTableWidget* m_steps;
    QPlainTextEdit* m_term;
};

}  // namespace mitos::views
