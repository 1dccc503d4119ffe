// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Schedule: the schedules that runs found, one of them, or two on one time scale, as a Gantt chart; what is in memory at a
// moment; and how a genetic search goes on.
#pragma once

#include "views/document/document.h"
#include "views/job_runner/query.h"
#include "views/schedule/shown_schedule.h"

#include <absl/container/flat_hash_map.h>

#include <QWidget>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QMenu;
class QPainter;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QTabWidget;
class QTableView;

namespace mitos::views {

class AliveTable;
class EmptyState;
class GanttChart;
class GenerationChart;
class OperationList;

class ScheduleView : public QWidget {
    Q_OBJECT
public:
    ScheduleView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);

    void focusChart();
    void zoom(int steps);  ///< 0: everything
    void exportPicture();
    /// The runs that have, or are to have, a schedule.
    [[nodiscard]] std::vector<RunNumber> runs() const;
    /// The run that is shown; 0: none.
    [[nodiscard]] RunNumber shownRun() const;
    void showRun(RunNumber run);
    /// Shows another run below it, on the same time scale; 0: none.
    void showBeside(RunNumber run);
    [[nodiscard]] bool hasSchedule() const { return m_shown != nullptr; }

Q_SIGNALS:
    void openRequested();      ///< the user wants a program
    void scheduleRequested();  ///< the user wants to choose a machine and a strategy
    void quickRequested();     ///< the usual schedule for two devices
    void failed(const QString& title, const QString& details);
    void notice(const QString& text);

private:
    QWidget* buildTop();
    QWidget* buildBelow();
    void refresh();
    void fillRuns();
    void follow(RunNumber run);
    /// Reads the chosen schedules in a job, then shows them.
    void read();
    void showSchedules();
    void showProgress();
    void explainNothing();
    void chooseOperation(int schedule, std::uint32_t operation);
    void selectOperation(std::optional<std::uint32_t> operation, int from = 0);
    void followSelection();
    void explainMoment(int schedule, std::uint32_t device, double time);
    void explain(int schedule, const schedule::AliveCopies& alive, std::uint32_t device, bool isPeak);
    /// The numbers of the program's nodes, if the schedule is of the state that is shown elsewhere.
    [[nodiscard]] bool isOfCurrentState() const;
    void numberNodes();
    void showMenu(const QPoint& globalPos);
    void fillExports(QMenu& menu);
    void askForFile(const QString& suffix, const QString& kind);
    void saveTo(const QString& path, const QString& suffix);
    [[nodiscard]] QString titleOf(const Run& run) const;
    [[nodiscard]] QString summary() const;

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    QLabel* m_title;
    QComboBox* m_run;
    QComboBox* m_beside;
    QCheckBox* m_lifetimes;
    QPushButton* m_export;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    QWidget* m_content = nullptr;
    QLabel* m_summary;
    QScrollArea* m_scroll;
    GanttChart* m_chart;
    QTabWidget* m_tabs;
    AliveTable* m_alive;
    QTableView* m_aliveRows;
    QLabel* m_aliveTitle;
    OperationList* m_operations;
    QTableView* m_operationRows;
    GenerationChart* m_generations;

    Query m_reading{m_jobs};
    ShownSchedulePtr m_shown;
    ShownSchedulePtr m_other;
    RunNumber m_shownRun = 0;  ///< of m_shown
    RunNumber m_otherRun = 0;
    std::vector<RunNumber> m_known;  ///< runs of which the view has heard
    absl::flat_hash_map<ir::TermId, std::uint32_t> m_nodes;
    std::vector<ir::TermId> m_nodeTerms;
    ir::TermId m_numbered;  ///< the root of which m_nodes are
    bool m_isSelecting = false;
    bool m_isStale = true;
};

}  // namespace mitos::views
