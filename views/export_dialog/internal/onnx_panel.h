// SPDX-License-Identifier: GPL-3.0-or-later
// The export dialog's page for ONNX models: the contents of the file, and the results of its checks.
#pragma once

#include "views/export_dialog/internal/onnx_export.h"
#include "views/job_runner/query.h"

#include <QWidget>
#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace mitos::views {

class OnnxPanel : public QWidget {
    Q_OBJECT
public:
    OnnxPanel(std::shared_ptr<ExportSource> source, JobRunner& jobs, QWidget* parent = nullptr);
    ~OnnxPanel() override;

    /// Writes the model to `path`, and checks it. This goes on in the Jobs view if the panel is gone.
    void write(const QString& path, bool withThread);

Q_SIGNALS:
    void runningChanged(bool running);

private:
    [[nodiscard]] static JobOutcome outcomeOf(const Result<OnnxOutcome>& outcome, const QString& path);
    void finish(const Result<OnnxOutcome>& outcome, const QString& path);
    void showRunning(bool running);
    [[nodiscard]] onnx::Profile profile() const;
    void explainProfile();
    void buildComparison();
    /// The file to compare with, if that option is chosen.
    [[nodiscard]] std::optional<onnx::OriginalFile> original() const;
    void showRow(QLabel& label, bool isShown);
    static void showCheck(QLabel& label, const OnnxCheck& check);

    std::shared_ptr<ExportSource> m_source;
    Query m_writing;
    std::size_t m_runtimeOperators = 0;
    QComboBox* m_profile;
    QLabel* m_profileNote;
    QCheckBox* m_fold;
    QCheckBox* m_external;
    QComboBox* m_opset;
    QCheckBox* m_compare;
    QCheckBox* m_compareFile;
    QLabel* m_pythonLabel;
    QLineEdit* m_python;
    QCheckBox* m_insist;
    QLabel* m_weights;
    QLabel* m_verdict;
    QPushButton* m_stop;
    QWidget* m_results;
    QLabel* m_file = nullptr;
    QLabel* m_original = nullptr;
    QLabel* m_checker = nullptr;
    QLabel* m_inference = nullptr;
    QLabel* m_reading = nullptr;
    QLabel* m_values = nullptr;
    QLabel* m_slow = nullptr;
};

}  // namespace mitos::views
