// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Measure: the times of operations in a cost profile, those of a second profile beside them, and measuring the operations
// of the open program.
#pragma once

#include "core/cost/measuring/measurer.h"
#include "views/document/document.h"
#include "views/job_runner/query.h"

#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace mitos::views {

class ElidedLabel;
class EmptyState;
class OperationFilter;
class OperationTable;
class TimesChart;

enum class MeasuringRuntime { LibTorch, OnnxRuntime };

/// The runtime and its settings that the user chose.
struct MeasuringChoice {
    MeasuringRuntime runtime = MeasuringRuntime::LibTorch;
    QString device;  ///< "cpu", "cuda"
    int threads = 1;
};
using MakeMeasurer = std::function<std::unique_ptr<cost::Measurer>(const MeasuringChoice&)>;

class MeasureView : public QWidget {
    Q_OBJECT
public:
    MeasureView(Document& document, JobRunner& jobs, MakeMeasurer makeMeasurer, QWidget* parent = nullptr);

    void focusTable();
    /// Measures the operations of the open program that are not measured yet; with `again`, all of them.
    void measure(bool again);
    void openProfile(const QString& path);

Q_SIGNALS:
    void openRequested();  ///< the user wants a program
    /// The user wants searches to run under that cost model.
    void costModelRequested(const QString& name);
    void failed(const QString& title, const QString& details);
    void notice(const QString& text);

private:
    using ProfilePtr = std::shared_ptr<const cost::CostProfile>;

    void buildTop();
    void buildTable();
    /// Offers all profiles; the chosen ones stay chosen if they are still there.
    void fillProfiles();
    /// Reads the chosen profiles, and finds the operations of the open program, in a job.
    void refresh();
    void showRows();
    void showState();
    void showSelected();
    void askForFile();
    void askForTarget();
    void saveTo(const QString& path);
    void choose(const QString& profile);
    void use();
    /// Keeps times of the program of that session, as the text of a profile, in the session.
    void keepInSession(const QString& session, const QString& times);
    /// The times in the session of the open program, as the text of a profile; empty if there are none.
    [[nodiscard]] QString sessionTimes() const;
    [[nodiscard]] QString setupText(const cost::CostProfile& profile) const;

    Document& m_document;
    JobRunner& m_jobs;
    MakeMeasurer m_makeMeasurer;
    OperationTable* m_table;
    OperationFilter* m_filter;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    ElidedLabel* m_title;
    QComboBox* m_profile;
    QComboBox* m_other;
    QComboBox* m_device;
    QSpinBox* m_threads;
    QPushButton* m_measure;
    QPushButton* m_again;
    QPushButton* m_stop;
    QPushButton* m_use;
    QPushButton* m_open;
    QPushButton* m_save;
    QLineEdit* m_words;
    QCheckBox* m_onlyUsed;
    QSplitter* m_parts;
    QTableView* m_rows;
    QLabel* m_setup;
    TimesChart* m_chart;
    QLabel* m_chartTitle;
    QWidget* m_chartSpace = nullptr;

    Query m_reading{m_jobs};
    ProfilePtr m_shown;
    ProfilePtr m_beside;
    std::vector<cost::UsedOperation> m_used;  ///< by the open program
    QString m_problem;                        ///< why the chosen profile cannot be shown
    Query m_measuring{m_jobs};
    bool m_isStale = true;
};

}  // namespace mitos::views
