// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Compare: a table of runs, the best cost so far of each strategy, and cost against time.
#pragma once

#include "search/compare/run_table.h"
#include "views/document/compared_programs.h"
#include "views/document/document.h"
#include "views/document/result_times.h"

#include <QTimer>
#include <QWidget>
#include <functional>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace mitos::views {

class BandChart;
class CompareFilter;
class CompareModel;
class ElidedLabel;
class EmptyState;
class ComparedDetails;

class CompareView : public QWidget {
    Q_OBJECT
public:
    CompareView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);

    void focusTable();
    /// Reads the times of results again, which the sessions have, and shows what is being timed.
    void showTimes(const ResultTimer& timer);
    /// Asks for a file, and writes the runs that are shown to it.
    void exportTable();
    /// Writes them to that file, in the format that its ending tells (search::tableFormatOf).
    void saveTable(const QString& path);
    /// Writes a page with the answer, charts, and the threads stepped in a browser.
    void saveReport(const QString& path);

Q_SIGNALS:
    void compareRequested();  ///< the user wants to choose searches
    void timeRequested(const mitos::views::TimedResult& result);
    void openRequested();  ///< the user wants a program
    /// The user went to the state that a run found.
    void stateTaken();
    /// The user wants the state that a run of another program found; its session is to be opened.
    void otherStateRequested(const QString& session, int run);
    void failed(const QString& title, const QString& details);
    void notice(const QString& text);

private:
    void buildTop();
    void buildTable();
    [[nodiscard]] QAction* styleMenu();
    void follow();
    void refreshSoon(ComparedRunId run);
    /// Reads all runs again; the selection and what is unfolded stay.
    void refreshAll();
    void fillPrograms();
    void fillStarts();
    void refreshNow();
    void showCharts();
    void showState();
    void fitTable();
    void showTitle();
    void askForReport();
    void select(int group);
    void selectionChanged();
    void goToResult();
    void pinBaseline();
    /// Times the result of the selected row, or stops the timing.
    void timeResult();
    void showTiming();
    /// Why that result cannot be timed; empty if it can.
    [[nodiscard]] QString timingObstacle(const std::optional<TimedResult>& result) const;
    void copyTable(search::TableFormat format);
    void updateColors();
    /// Those that the filter shows.
    [[nodiscard]] std::vector<ComparedRunId> shownRuns() const;
    struct NamedRun {
        std::string program;
        Run run;
        std::optional<search::WholeTime> time;
        std::optional<search::Beginning> from;

        [[nodiscard]] search::TableRun row() const {
            return {.program = program, .run = &run, .time = time, .from = from};
        }
    };
    [[nodiscard]] std::vector<NamedRun> namedRuns(bool areWhole) const;
    [[nodiscard]] bool canGo(ComparedRunId id) const;
    /// Writes the table of what is shown now; may be called on any thread.
    [[nodiscard]] std::function<std::string(search::TableFormat)> tableWriter() const;
    [[nodiscard]] int selectedGroup() const;

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    CompareModel* m_model;
    CompareFilter* m_filter;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    ElidedLabel* m_title;
    QLabel* m_progress;
    QPushButton* m_compare;
    QPushButton* m_stop;
    QLineEdit* m_words;
    QPushButton* m_go;
    QPushButton* m_time;
    QPushButton* m_pin;
    QPushButton* m_report;
    QToolButton* m_table;
    QSplitter* m_parts;
    QTreeView* m_rows;
    QComboBox* m_programs;
    QComboBox* m_starts;
    QComboBox* m_axis;
    QLabel* m_note;  ///< on the curves
    BandChart* m_bands;
    ComparedDetails* m_details;
    std::optional<TimedResult> m_timed;  ///< what is being timed, with its job
    JobId m_timing = 0;
    bool m_areRowsSized = false;  ///< by the user
    int m_newestRun = 0;          ///< of the open program; its beginning was shown
    QTimer m_refresh;
    std::vector<ComparedRunId> m_changed;  ///< since the last refresh
    bool m_areProgramsChanged = false;     ///< since the last refresh
};

}  // namespace mitos::views
