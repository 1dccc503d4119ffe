// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a search, shown above the program: cost before and after, how it was found, the verdict, and the next steps.
#pragma once

#include "views/document/verdicts.h"
#include "views/main_window/internal/times_panel.h"

#include <QFrame>
#include <QString>
#include <optional>
#include <vector>

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace mitos::views {

struct FoundResult {
    /// From the start of the program: "31.88 k → 30.24 k units"; or that nothing cheaper was found.
    QString costs;
    QString exactCosts;  ///< for the tool tip
    QString change;      ///< against the start of the program: "▼ −5.1 %"; empty if nothing cheaper was found
    QString how;         ///< "Phases, 18 steps, 5.0 s"
    QString verdict;     ///< in a sentence, for the tool tip
    QString remarks;     ///< lines below; may be empty
    std::vector<VerdictMark> marks;
    bool isCheaper = false;
    /// Whether the change lowers the cost; false for a run from a state that costs more than the start.
    bool isGain = true;
    std::optional<StatePair> states = {};  ///< the start and the result, if they can be timed
};

class ResultBanner : public QFrame {
    Q_OBJECT
public:
    ResultBanner(const ResultTimer& timer, const PayingSteps& paying, JobRunner& jobs, QWidget* parent = nullptr);

    /// Shows a result until it is closed or replaced.
    void present(const FoundResult& result);
    /// All that it says, on one line, remarks below.
    [[nodiscard]] QString text() const { return accessibleName(); }
    /// The start and the result that are shown; nothing if they cannot be timed.
    [[nodiscard]] const std::optional<StatePair>& states() const { return m_times->states(); }

Q_SIGNALS:
    void compareRequested();
    void exportRequested();
    void timeRequested();
    void payingRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange(int width);
    void updateColours();

    QLabel* m_costs;
    QLabel* m_change;
    QLabel* m_how;
    QHBoxLayout* m_marksRow;
    std::vector<QLabel*> m_markLabels;
    std::vector<VerdictMark> m_marks;
    bool m_isGain = true;
    QLabel* m_remarks;
    TimesPanel* m_times;
    QPushButton* m_compare;
    QPushButton* m_export;
    QToolButton* m_close;
    QBoxLayout* m_found;
    QBoxLayout* m_way;
    QBoxLayout* m_buttons;
};

}  // namespace mitos::views
