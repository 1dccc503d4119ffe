// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the steps of a result that pay in ONNX Runtime: groups of them are measured, and the thread of those that make the program faster
// is joined to the history.
#pragma once

#include "views/document/result_times.h"

#include <QObject>
#include <memory>
#include <optional>

namespace mitos::views {

class PayingSteps : public QObject {
    Q_OBJECT
public:
    PayingSteps(Document& document, JobRunner& jobs, QObject* parent = nullptr);

    /// Measures the parts of a result of the open program whose times are known. Does nothing while another result is measured. found()
    /// follows, or failed().
    void find(const ResultTimes& times, const ResultTiming& how);
    /// The states whose steps are measured, with the job.
    [[nodiscard]] const std::optional<StatePair>& running() const { return m_running; }
    [[nodiscard]] JobId job() const { return m_job; }

Q_SIGNALS:
    void changed();                      ///< measuring began or ended
    void found(const QString& summary);  ///< "3 of 7 groups of steps pay (12 measurements)"
    void joined();                       ///< their thread is part of the history, and its end is current
    void failed(const mitos::Error& error);

private:
    Document& m_document;
    JobRunner& m_jobs;
    std::optional<StatePair> m_running;
    JobId m_job = 0;
    std::unique_ptr<QObject> m_program;  ///< context of jobs about the open program
};

}  // namespace mitos::views
