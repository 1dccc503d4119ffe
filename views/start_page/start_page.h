// SPDX-License-Identifier: GPL-3.0-or-later
// The page shown before a program is open: what one can do, the sessions and files used last, and samples with suggestions to try.
#pragma once

#include "core/base/result.h"
#include "storage/session_summary.h"
#include "views/job_runner/job_runner.h"
#include "views/start_page/entry_list.h"

#include <QMap>
#include <QWidget>
#include <functional>
#include <memory>

class QAction;
class QLabel;
class QLineEdit;
class QPushButton;

namespace mitos::views {

class CurvePicture;
class ProgramThumbnail;
class StartCard;
struct CardContent;
struct RecentEntry;
struct Sample;

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(JobRunner& jobs, QWidget* parent = nullptr);
    ~StartPage() override;
    /// Reloads the samples and the recent files and sessions.
    void refresh();
    /// Shows or hides the line that offers the guided tour.
    void offerTour(bool offered);
    /// The file of the sample that the first card opens.
    [[nodiscard]] static QString firstSample();

Q_SIGNALS:
    void fileChosen(const QString& path);
    void searchChosen(const QString& path);  ///< open the file and search
    void networkChosen(const QString& name);
    void windowRequested(const QString& path);  ///< open the file in a new window
    void sessionsRequested();                   ///< show all sessions
    /// A session was cut off when Mitos was killed or crashed. Emitted for the one used last, once.
    void restoreOffered(const QString& path, const QString& text);
    void openRequested();
    void newRequested();
    void networkRequested();
    void tourRequested();
    void tourDeclined();
    void failed(const QString& title, const QString& details);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QWidget* makeHead();
    [[nodiscard]] QWidget* makeCards();
    [[nodiscard]] QWidget* makeTourOffer();
    [[nodiscard]] QWidget* makeRecent();
    [[nodiscard]] QWidget* makeSamples();
    void open(const QListWidgetItem* item);
    void openCopyOf(const QString& session);
    void updateIcons();
    void drawCards();
    using CardWork = std::function<Result<CardContent>(const QFont& font, const std::stop_token& stop)>;
    void drawCard(StartCard& card, ProgramThumbnail& program, CurvePicture* curve, CardWork work);
    void fillSamples(const QList<Sample>& samples);
    void filterSamples();
    void fillRecent();
    void summarize(const RecentEntry& session);
    void offerRestore();
    void showSummary(const QString& path, const Result<storage::SessionSummary>& summary);

    JobRunner& m_jobs;
    QLabel* m_logo;
    QPushButton* m_open;
    QPushButton* m_new;
    QPushButton* m_network;
    QWidget* m_cards = nullptr;
    QWidget* m_tour = nullptr;  ///< the offer of the guided tour
    StartCard* m_stepCard;
    StartCard* m_searchCard;
    StartCard* m_networkCard;
    ProgramThumbnail* m_stepPicture;
    ProgramThumbnail* m_searchPicture;
    CurvePicture* m_searchCurve;
    ProgramThumbnail* m_networkPicture;
    bool m_areCardsDrawn = false;
    QMap<QString, QString>
        m_restorable;  ///< text of the offer, by path of the session; empty if there is nothing to restore
    int m_unread = 0;  ///< summaries
    bool m_hasOffered = false;
    EntryList* m_recent;
    QLabel* m_noSession;
    std::unique_ptr<QObject> m_reading;  ///< of the summaries; a newer one drops the results of the older
    EntryList* m_samples;
    QLineEdit* m_filter;
    QAction* m_findIcon;
    QLabel* m_count;
    int m_sampleCount = 0;
};

}  // namespace mitos::views
