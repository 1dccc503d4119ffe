// SPDX-License-Identifier: GPL-3.0-or-later
// A dialog for the limits of a saturation run.
#pragma once

#include "views/document/egraph_document.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace mitos::views {

class Document;

/// Remembers the last values. settings() is valid once the dialog was accepted.
class SaturateDialog : public QDialog {
    Q_OBJECT
public:
    /// Uses the document's rules.
    explicit SaturateDialog(Document& document, QWidget* parent = nullptr);

    [[nodiscard]] SaturationSettings settings() const;

    void accept() override;

private:
    Document& m_document;
    QSpinBox* m_iterations;
    QSpinBox* m_nodes;
    QDoubleSpinBox* m_seconds;
    QComboBox* m_scheduler;
    QCheckBox* m_assume;
};

}  // namespace mitos::views
