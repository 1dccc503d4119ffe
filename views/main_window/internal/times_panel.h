// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a result's banner about time: what the cost model expects, the operators' times summed, and the times of the whole models.
#pragma once

#include "views/document/paying_steps.h"

#include <QWidget>
#include <array>

class QGridLayout;
class QLabel;
class QPushButton;

namespace mitos::views {

/// The colour of a label's text.
void setTextColour(QWidget& widget, const QColor& colour);

class TimesPanel : public QWidget {
    Q_OBJECT
public:
    TimesPanel(const ResultTimer& timer, const PayingSteps& paying, JobRunner& jobs, QWidget* parent = nullptr);

    /// The result that it is about; nothing if it cannot be timed: then the panel is hidden.
    void setStates(const std::optional<StatePair>& states);
    [[nodiscard]] const std::optional<StatePair>& states() const { return m_states; }

Q_SIGNALS:
    void timeRequested();
    void payingRequested();  ///< the steps that pay are to be kept

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void show();
    /// In a low window the table is the sentence's tool tip.
    void fitTable();
    void showTimes(const ResultTimes* times);
    void updateColours();

    static constexpr std::size_t Rows = 3;
    struct Row {
        QLabel* title = nullptr;
        QLabel* values = nullptr;
        QLabel* ratio = nullptr;
    };

    const ResultTimer& m_timer;
    const PayingSteps& m_paying;
    JobRunner& m_jobs;
    std::optional<StatePair> m_states;
    QWidget* m_table;
    std::array<Row, Rows> m_rows;
    QLabel* m_sentence;
    QLabel* m_origin;
    QLabel* m_progress;
    QPushButton* m_time;
    QPushButton* m_keep;
    QPushButton* m_stop;
    bool m_isUnexpected = false;
    bool m_hasTimes = false;
    bool m_isFaster = false;
};

}  // namespace mitos::views
