// SPDX-License-Identifier: GPL-3.0-or-later
// A field for the Python interpreter that runs ONNX Runtime, which says what it is.
#pragma once

#include "core/base/result.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace mitos::onnx {
struct RuntimeVersion;
}

namespace mitos::views {

class JobRunner;

/// The interpreter is checked by a job when the field is left, when a file is chosen, and at the beginning. An empty field is not checked.
class PythonField : public QWidget {
    Q_OBJECT
public:
    PythonField(JobRunner& jobs, const QString& python, QWidget* parent = nullptr);
    ~PythonField() override;
    [[nodiscard]] QString python() const;

private:
    void browse();
    void check();
    void show(const Result<onnx::RuntimeVersion>& version);

    JobRunner& m_jobs;
    QLineEdit* m_path;
    QLabel* m_status;
    QString m_checked;  ///< what the status is about
    int m_job = 0;
};

}  // namespace mitos::views
