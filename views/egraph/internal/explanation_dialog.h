// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs about two members or classes of an e-graph: why they are equal, why they are not.
#pragma once

#include "search/saturation/not_equal.h"
#include "views/document/egraph_document.h"

#include <QDialog>

class QPlainTextEdit;

namespace mitos::views {

class ThreadSteps;

/// Shows why two terms are equal: the steps from one to the other. One row per state, the first term first; the term of
/// the current row is shown in full below. A thread that begins with the program can be added to its history.
class ExplanationDialog : public QDialog {
    Q_OBJECT
public:
    explicit ExplanationDialog(const FoundThread& found, QWidget* parent = nullptr);

Q_SIGNALS:
    void historyRequested(const mitos::views::FoundThread& found);

private:
    void showTerm(int state);
    [[nodiscard]] QString termText(int state) const;

    FoundThread m_found;
    ThreadSteps* m_steps;
    QPlainTextEdit* m_term;
};

/// Shows two terms and why they are not equal.
class NotEqualDialog : public QDialog {
    Q_OBJECT
public:
    explicit NotEqualDialog(const search::NotEqual& answer, QWidget* parent = nullptr);
};

}  // namespace mitos::views
