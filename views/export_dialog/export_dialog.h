// SPDX-License-Identifier: GPL-3.0-or-later
// Exports the current state: as C++ or ks text with live preview, copy, save, compile and check; a tensor program as an
// ONNX model or a listing.
#pragma once

#include "core/rewrite/verdict.h"
#include "views/export_dialog/export_source.h"
#include "views/job_runner/query.h"

#include <QDialog>
#include <QTimer>
#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace mitos::views {

class CheckPanel;
class OnnxPanel;

/// Exports the state that is current when the dialog is created; the document must be open. What was begun in the dialog, writing and the
/// check of what is written, goes on in the Jobs view when it is closed.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    ExportDialog(Document& document, JobRunner& jobs, QWidget* parent = nullptr);
    ~ExportDialog() override;

    [[nodiscard]] ExportOptions options() const;

private:
    void build();
    void updateFormat();
    void refresh();
    /// Judges the thread of a ks program; models have their own checks (OnnxPanel). Saving is disabled until the verdict is known.
    void judge(const Document& document);
    void showVerdict(const rewrite::Verdict& verdict);
    void updateSave();
    void showText(const Result<std::string>& text);
    void copy();
    void saveAs();
    void write(const QString& path);
    [[nodiscard]] ExportFormat format() const;
    [[nodiscard]] QString suggestedName() const;

    std::shared_ptr<ExportSource> m_source;
    QComboBox* m_format;
    QLineEdit* m_name;
    QLabel* m_nameLabel;
    QLineEdit* m_nameSpace;
    QLabel* m_nameSpaceLabel;
    QCheckBox* m_testMain;
    QCheckBox* m_withThread;
    QPlainTextEdit* m_preview;
    QLabel* m_verdict;
    QPushButton* m_stopJudging;
    QCheckBox* m_insist;
    QLabel* m_status;
    QPushButton* m_copy;
    QPushButton* m_save;
    CheckPanel* m_check;
    OnnxPanel* m_onnx;
    QTimer m_delay;
    bool m_hasText = false;  ///< there is text to save, and no save is in progress
    Query m_previewing;
    Query m_judging;
    Query m_saving;
    std::optional<rewrite::Verdict> m_judged;  ///< the verdict on the thread, once it is known
};

}  // namespace mitos::views
