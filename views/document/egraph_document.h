// SPDX-License-Identifier: GPL-3.0-or-later
// The e-graph on the desk, as the views of the perspective Saturate see it: of a file, or of a saturation run with a
// snapshot an iteration.
#pragma once

#include "core/egraph/report.h"
#include "core/egraph/snapshot.h"
#include "views/jobs/job_runner.h"

#include <QObject>
#include <QString>
#include <memory>
#include <vector>

namespace mitos::views {

/// GUI thread only. Snapshots are immutable and shared; views keep the one they look at.
class EGraphDocument : public QObject {
    Q_OBJECT
public:
    explicit EGraphDocument(JobRunner& jobs, QObject* parent = nullptr);
    ~EGraphDocument() override;

    /// Whether a file of that name is read by openFile() rather than as a program.
    [[nodiscard]] static bool isEGraphFile(const QString& path);
    /// An egraph-serialize file (.json); opened() or failed() follows.
    void openFile(const QString& path);

    [[nodiscard]] bool isOpen() const { return !m_steps.empty(); }
    [[nodiscard]] QString title() const { return m_title; }
    [[nodiscard]] QString sourcePath() const { return m_source; }
    /// The one that is shown; null: none is open.
    [[nodiscard]] std::shared_ptr<const egraph::Snapshot> snapshot() const;

Q_SIGNALS:
    void opened();           ///< another e-graph: everything changed
    void snapshotChanged();  ///< another snapshot is shown
    void failed(const QString& title, const QString& details);
    void notice(const QString& text);

private:
    struct Step {
        std::uint32_t iteration = 0;
        std::shared_ptr<const egraph::Snapshot> snapshot;
    };

    JobRunner& m_jobs;
    JobId m_opening = 0;
    QString m_title;
    QString m_source;
    std::vector<Step> m_steps;
    std::size_t m_shown = 0;
};

}  // namespace mitos::views
