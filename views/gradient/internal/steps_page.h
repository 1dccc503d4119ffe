// SPDX-License-Identifier: GPL-3.0-or-later
// The walk to the closed form: the steps of a segment, and the program before and after the step that is chosen.
#pragma once

#include "core/cost/cost_model.h"
#include "views/gradient/gradient_steps.h"
#include "views/gradient/internal/derivation.h"
#include "views/job_runner/query.h"
#include "views/program/program_text.h"

#include <QWidget>
#include <cstddef>
#include <memory>

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;

namespace mitos::views {

class CodePane;
class ThreadSteps;

class StepsPage : public QWidget {
    Q_OBJECT
public:
    explicit StepsPage(JobRunner& jobs, QWidget* parent = nullptr);
    ~StepsPage() override;

    /// The segments of a coarsened derivation; null: nothing. `isOpen`: the function is the open program as it is now.
    void showDerivation(std::shared_ptr<const Derivation> derivation, std::shared_ptr<const cost::CostModel> costs,
                        bool isOpen);
    void setForm(ProgramText::Form form);
    void showSegment(std::size_t segment);  ///< from 1 on
    void zoom(int steps);

Q_SIGNALS:
    /// The steps lead away from the open program: they should join its history.
    void historyRequested(const mitos::views::GradientSteps& steps);
    /// The segment should be opened as a program whose history has the steps.
    void programRequested(const QString& title, const QString& text, const mitos::views::GradientSteps& steps);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Shown;
    [[nodiscard]] const coarsening::Segment* segment() const;
    void fillSegments();
    void fillSteps(int state);
    void showStep(int state);
    void take(std::shared_ptr<const Shown> shown);
    void showTexts();
    void showState();
    void open();

    JobRunner& m_jobs;
    std::shared_ptr<const Derivation> m_derivation;
    std::shared_ptr<const cost::CostModel> m_costs;
    bool m_isOpen = false;
    ProgramText::Form m_form = ProgramText::Form::Reading;
    std::shared_ptr<const Shown> m_shown;
    Query m_rows{m_jobs};
    Query m_layout{m_jobs};
    QComboBox* m_segment;
    QPushButton* m_previous;
    QPushButton* m_next;
    QLabel* m_step;
    QPushButton* m_open;
    QSplitter* m_split;
    ThreadSteps* m_steps;
    CodePane* m_before;
    CodePane* m_after;
};

}  // namespace mitos::views
