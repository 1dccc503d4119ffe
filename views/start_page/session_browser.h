// SPDX-License-Identifier: GPL-3.0-or-later
// All sessions: search, order, a picture of the program, labels, the trash.
#pragma once

#include "core/base/result.h"
#include "storage/session_summary.h"
#include "views/job_runner/query.h"

#include <QDialog>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <optional>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidgetItem;
class QPushButton;

namespace mitos::views {

class EntryList;
class ProgramThumbnail;

/// The sessions of Mitos's folder, and those used recently elsewhere. Summaries are read in jobs, a few dozen at a time.
class SessionBrowser : public QDialog {
    Q_OBJECT
public:
    /// `open`: absolute paths of the sessions that this process has open. A file that was begun a moment ago does not say so yet.
    SessionBrowser(JobRunner& jobs, QStringList open, QWidget* parent = nullptr);
    ~SessionBrowser() override;

Q_SIGNALS:
    void chosen(const QString& path);
    void windowRequested(const QString& path);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using Summary = Result<storage::SessionSummary>;
    using Batch = std::vector<std::pair<QString, Summary>>;
    [[nodiscard]] QWidget* makeDetails();
    void findSessions();
    void readNext();
    void add(const Batch& batch);
    void showRow(QListWidgetItem& item, const QString& path, const Summary& summary);
    void filter();
    void order();
    void showDetails();
    void drawPicture();
    [[nodiscard]] QString currentPath() const;
    void openCurrent(bool inNewWindow);
    void editLabels();
    void readAgain(const QString& path);
    void moveToTrash();
    void undo();
    void say(const QString& text, bool canUndo = false);

    JobRunner& m_jobs;
    QStringList m_openPaths;
    QLineEdit* m_search;
    QComboBox* m_order;
    QLabel* m_count;
    EntryList* m_list;
    QLabel* m_name;
    ProgramThumbnail* m_picture;
    QLabel* m_note;
    QPushButton* m_open;
    QPushButton* m_openElsewhere;
    QPushButton* m_labels;
    QPushButton* m_remove;
    QLabel* m_message;
    QPushButton* m_undo;
    QStringList m_unread;  ///< paths whose summaries are read next
    QMap<QString, Summary> m_summaries;
    Query m_drawing{m_jobs};  ///< the picture of the session chosen
    QTimer m_drawTimer;
    /// Files of the session removed last: where they were, and where they are in the trash.
    QList<std::pair<QString, QString>> m_removed;
};

}  // namespace mitos::views
