// SPDX-License-Identifier: GPL-3.0-or-later
// The match debugger: which rules match at a subterm and how close the others come; for one rule, a sentence that says why it
// matches or not, its parts beside the program's, and behind "Details" the matching machine's run, transition by transition.
#pragma once

#include "views/document/document.h"
#include "views/job_runner/query.h"
#include "views/match/match_run.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace mitos::views {

class EmptyState;
class MatchDetails;
class MatchParts;
class RuleVerdictsModel;

/// The subterm is the selected rewrite's place, else the selected subterm, else the whole program. The machine runs
/// only while the view is visible, in the background, on a snapshot.
class MatchView : public QWidget {
    Q_OBJECT
public:
    MatchView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    ~MatchView() override;

    /// Whether all requested results are shown.
    [[nodiscard]] bool isComplete() const { return !m_ranking.isRunning() && !m_tracing.isRunning() && !m_stale; }
    /// Whether the view is in the centre of the window, which changes what its button says.
    void setInCentre(bool inCentre);

Q_SIGNALS:
    void centreRequested();  ///< to be shown in the centre of the window, or below again if it is there

protected:
    void resizeEvent(QResizeEvent* event) override;

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
    void takeMatch(rules::ExplainedMatch match);
    void showDetails(bool shown);
    void cancel();
    [[nodiscard]] ir::Path position() const;

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    RuleVerdictsModel* m_verdicts;
    QStackedWidget* m_stack;
    QWidget* m_content;
    EmptyState* m_empty;
    QLabel* m_summary;
    QTableView* m_rules;
    QLabel* m_sentence;
    QToolButton* m_detailsButton;
    QToolButton* m_centreButton;
    MatchParts* m_parts;
    MatchDetails* m_details;
    QSplitter* m_below;  ///< the parts, and the details below them
    QSplitter* m_panes;  ///< the rules, and that

    Query m_ranking{m_jobs};
    Query m_tracing{m_jobs};
    bool m_stale = true;
    QString m_wanted;  ///< the rule to select whenever the list contains a rule of that name
};

}  // namespace mitos::views
