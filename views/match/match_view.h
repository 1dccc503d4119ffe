// SPDX-License-Identifier: GPL-3.0-or-later
// The match debugger: which rules match at a subterm, how close the others come, and the matching machine's run of one
// rule, transition by transition.
#pragma once

#include "views/document/document.h"
#include "views/job_runner/job_runner.h"
#include "views/match/match_run.h"

#include <QPlainTextEdit>
#include <memory>
#include <optional>

class QLabel;
class QStackedWidget;
class QTableView;
class QTreeWidget;

namespace mitos::views {

class EmptyState;
class MatchStepsModel;
class RuleVerdictsModel;

/// A read-only text with one marked range.
class MatchText : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit MatchText(const QString& name, const QString& title, QWidget* parent = nullptr);

    /// Does nothing if the text is unchanged.
    void setText(std::string_view utf8);
    /// Marks a half-open range of byte offsets and scrolls to it; an empty one marks nothing.
    void mark(std::size_t begin, std::size_t end);
    void setMarkColor(const QColor& color);

private:
    void updateMark();

    std::string m_utf8;
    int m_begin = 0;
    int m_end = 0;
    QColor m_color;
};

/// The subterm is the selected rewrite's place, else the selected subterm, else the whole program. The machine runs
/// only while the view is visible, in the background, on a snapshot.
class MatchView : public QWidget {
    Q_OBJECT
public:
    MatchView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    ~MatchView() override;

    /// Whether all requested results are shown.
    [[nodiscard]] bool isComplete() const { return m_rankJob == 0 && m_traceJob == 0 && !m_stale; }

private:
    void build();
    void updateTheme();
    /// Requests new results after a change: now, or when the view is next shown.
    void invalidate();
    /// Clears the view, because the program is gone.
    void forget();
    void ask();
    void takeRanking(MatchRanking ranking);
    void traceChosen();
    void takeTrace(rules::MatchTrace trace);
    void showStep(int row);
    void showState(const rules::TraceState& state);
    void showPlaces(const std::optional<rules::TraceAction>& action);
    void cancel();
    [[nodiscard]] ir::Path position() const;

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    RuleVerdictsModel* m_verdicts;
    MatchStepsModel* m_steps;
    QStackedWidget* m_stack;
    QWidget* m_content;
    EmptyState* m_empty;
    QLabel* m_summary;
    QTableView* m_rules;
    QLabel* m_outcome;
    QTableView* m_table;
    QTreeWidget* m_state;
    MatchText* m_pattern;
    MatchText* m_subject;

    JobId m_rankJob = 0;
    JobId m_traceJob = 0;
    bool m_stale = true;
    QString m_wanted;  ///< the rule to select whenever the list contains a rule of that name
    MatchSubject m_subjectText;
    std::shared_ptr<const rules::MatchTrace> m_trace;
};

}  // namespace mitos::views
