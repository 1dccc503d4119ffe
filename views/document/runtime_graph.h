// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX Runtime's own optimized graph of the current state: compared with that state, or written as a model of its own.
#pragma once

#include "core/onnx/runtime.h"
#include "views/document/document.h"

#include <QObject>
#include <QString>
#include <memory>

namespace mitos::views {

/// Why the open program cannot be given to ONNX Runtime; empty if it can be.
[[nodiscard]] QString runtimeObstacle(const Document& document);
/// The same for a program with that model; null if it has none.
[[nodiscard]] QString runtimeObstacle(const OpenModel* model);
/// "all optimizations"
[[nodiscard]] QString levelText(onnx::OptimizationLevel level);

class RuntimeGraph : public QObject {
    Q_OBJECT
public:
    RuntimeGraph(Document& document, Selection& selection, JobRunner& jobs, QObject* parent = nullptr);

    /// Compares the current state with the graph that ONNX Runtime makes of it (Selection::comparedProgram()); the session keeps that
    /// graph as long as it is compared.
    void compare(const onnx::RuntimeOptions& options);
    /// Writes that graph as a model; written() follows.
    void write(const onnx::RuntimeOptions& options, const QString& path);

Q_SIGNALS:
    void compared();
    void written(const QString& path);
    void failed(const mitos::Error& error);

private:
    /// A graph in a bank of its own, with its listing.
    struct Read {
        std::shared_ptr<const ir::TermBank> bank;
        ir::Program program;
        QString title;
        QString remark;
        QString listing;
    };
    [[nodiscard]] static Result<Read> read(const std::string& path);
    [[nodiscard]] bool begin();
    void show(const Read& read);
    void recall();

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    std::unique_ptr<QObject> m_program;  ///< context of jobs about the open program
    JobId m_job = 0;
};

}  // namespace mitos::views
