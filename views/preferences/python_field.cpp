// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/preferences/python_field.h"

#include "core/onnx/runtime.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/job_runner/job_runner.h"

#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <utility>

namespace mitos::views {

PythonField::PythonField(JobRunner& jobs, const QString& python, QWidget* parent)
    : QWidget(parent),
      m_jobs(jobs),
      m_path(new QLineEdit(python, this)),
      m_status(new QLabel(this)) {
    setUpWidget(
        m_path, "preferencePython",
        tr("A Python interpreter that has the modules onnxruntime and numpy: it times models and compares files"),
        tr("Python with ONNX Runtime"));
    m_path->setPlaceholderText(tr("for example DIR/bin/python of a virtual environment"));
    setUpPlainLabel(m_status, "preferencePythonStatus");
    setFocusProxy(m_path);
    auto* browse = new QPushButton(tr("&Browse…"), this);
    setUpWidget(browse, "preferencePythonBrowse", tr("Choose the interpreter's file"));
    browse->setAutoDefault(false);
    auto* row = rowOf({{m_path, 1}, browse});
    fillColumn(this, {row, m_status}, {.margins = NoMargins});
    connect(browse, &QPushButton::clicked, this, &PythonField::browse);
    connect(m_path, &QLineEdit::editingFinished, this, &PythonField::check);
    check();
}

PythonField::~PythonField() {
    if (m_job != 0) m_jobs.discard(m_job);
}

QString PythonField::python() const { return m_path->text().trimmed(); }

void PythonField::browse() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Python with ONNX Runtime"), python());
    if (path.isEmpty()) return;
    m_path->setText(path);
    check();
}

void PythonField::check() {
    const QString path = python();
    if (m_checked == path && !path.isEmpty()) return;
    if (m_job != 0) m_jobs.discard(std::exchange(m_job, 0));
    m_checked = path;
    if (path.isEmpty()) {
        m_status->setText(tr("Without one, models are not timed, and files are compared by the reference evaluator."));
        return;
    }
    m_status->setText(tr("Checking…"));
    m_job = m_jobs.start(
        tr("Check %1").arg(path), false, this,
        [name = QFile::encodeName(path).toStdString()](const std::stop_token& stop, const JobRunner::Report&) {
            constexpr double Patience = 60.0;
            return onnx::checkRuntime({.python = name, .limitSeconds = Patience, .stop = stop});
        },
        [this](const Result<onnx::RuntimeVersion>& version) { show(version); });
}

void PythonField::show(const Result<onnx::RuntimeVersion>& version) {
    m_job = 0;
    if (version) {
        m_status->setText(tr("✓ %1").arg(fromUtf8(version->text())));
        return;
    }
    const Error& error = version.error();
    m_status->setText(tr("✗ %1%2").arg(fromUtf8(error.message),
                                       error.hint.empty() ? QString() : tr(". %1").arg(fromUtf8(error.hint))));
}

}  // namespace mitos::views
