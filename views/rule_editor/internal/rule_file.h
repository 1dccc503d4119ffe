// SPDX-License-Identifier: GPL-3.0-or-later
// The rule set in the editor: read, written and watched in jobs.
#pragma once

#include "views/job_runner/job_runner.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <memory>

namespace mitos::views {

class RuleFile : public QObject {
    Q_OBJECT
public:
    explicit RuleFile(JobRunner& jobs, QObject* parent = nullptr);

    /// The name of a shipped set, or a path; empty before the first one is opened.
    [[nodiscard]] const QString& name() const { return m_name; }
    [[nodiscard]] bool isOpen() const { return !m_name.isEmpty(); }
    /// Whether it comes with Mitos or is a translation, so that it cannot be written.
    [[nodiscard]] bool isReadOnly() const;
    /// The text of the file, as far as is known.
    [[nodiscard]] const QString& savedText() const { return m_savedText; }
    [[nodiscard]] static bool isReadOnly(const QString& name);

    /// opened() or failed() follows.
    void open(const QString& name);
    void close();
    /// saved() or failed() follows.
    void save(const QString& text);
    /// Writes a new file, which is not opened; written() or failed() follows. An existing file is replaced.
    void writeNew(const QString& path, const QString& text);

Q_SIGNALS:
    void opened();
    void saved();
    void written(const QString& path);
    void failed(const QString& title, const QString& details);
    /// Another program has changed the file; savedText() is its text now.
    void changedOnDisk();

private:
    void look();
    void watch();

    JobRunner& m_jobs;
    QString m_name;
    QString m_savedText;
    QFileSystemWatcher m_watcher;
    std::unique_ptr<QObject> m_asked;  ///< results for the set that was open before are dropped with it
};

}  // namespace mitos::views
