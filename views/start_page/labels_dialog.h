// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog for the name, the tags and the note of a session.
#pragma once

#include "storage/session_labels.h"

#include <QDialog>

class QLineEdit;
class QPlainTextEdit;

namespace mitos::views {

class LabelsDialog : public QDialog {
    Q_OBJECT
public:
    /// `program` is the name that the session has if it is given none.
    LabelsDialog(const QString& program, const storage::SessionLabels& labels, QWidget* parent = nullptr);
    /// As they are now: without spaces at the ends, and each tag once.
    [[nodiscard]] storage::SessionLabels labels() const;

private:
    QLineEdit* m_name;
    QLineEdit* m_tags;
    QPlainTextEdit* m_note;
};

}  // namespace mitos::views
