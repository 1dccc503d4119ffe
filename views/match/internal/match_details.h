// SPDX-License-Identifier: GPL-3.0-or-later
// The matching machine's run of one rule: transitions, the state after each, and the places in the rule and in the program.
#pragma once

#include "core/rules/matching/trace.h"
#include "views/match/match_run.h"

#include <QPlainTextEdit>
#include <QWidget>
#include <memory>
#include <optional>

class QTableView;
class QTreeWidget;

namespace mitos::views {

class MatchStepsModel;

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

class MatchDetails : public QWidget {
    Q_OBJECT
public:
    explicit MatchDetails(QWidget* parent = nullptr);

    void setSubject(ir::PrintedText subject);
    /// Shows a run of the machine, at its match or at the furthest refusal; `ruleText` is shown where no step is.
    void setTrace(std::shared_ptr<const rules::MatchTrace> trace, const std::string& ruleText);
    void clear();

private:
    void showStep(int row);
    void showState(const rules::TraceState& state);
    void showPlaces(const std::optional<rules::TraceAction>& action);

    MatchStepsModel* m_steps;
    QTableView* m_table;
    QTreeWidget* m_state;
    MatchText* m_pattern;
    MatchText* m_subject;
    ir::PrintedText m_subjectText;
    std::string m_ruleText;
    std::shared_ptr<const rules::MatchTrace> m_trace;
};

}  // namespace mitos::views
