// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Gradient: a function of the open program beside its derivative, with linked selection; the regions of its coarsened form and
// the steps to the closed forms; the check of its derivatives; what they cost. For networks: training graphs.
#pragma once

#include "core/autodiff/check.h"
#include "core/ir/path.h"
#include "views/document/document.h"
#include "views/gradient/gradient_steps.h"
#include "views/job_runner/query.h"
#include "views/program/program_text.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabBar;

namespace mitos::views {

class CodePane;
class ElidedLabel;
class EmptyState;
struct Derivation;
struct DerivationOrder;
class DerivativeBar;
class RegionsPage;
class StepsPage;
class TimesPage;
class TrainingPage;

class GradientView : public QWidget {
    Q_OBJECT
public:
    GradientView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    ~GradientView() override;

    void focusFunction();  ///< moves the keyboard focus to its text
    void widen();
    void narrow();
    void zoom(int steps);
    /// Compares the derivatives of the function with differences; the result is shown below.
    void check();
    void saveTo(const QString& path);

Q_SIGNALS:
    void openRequested();  ///< the user wants a program
    /// The user wants to open the derivative as a program.
    void programRequested(const QString& title, const QString& text);
    void walkRequested();  ///< steps joined the history: it should be shown
    void failed(const QString& title, const QString& details);
    void notice(const QString& text);

private:
    /// The pages of the perspective, in the order of their tabs; the last one has none.
    enum Body { DerivativeBody, RegionsBody, StepsBody, TimesBody, NotCoarsenedBody };
    /// The selected part, of the function or of its derivative.
    struct Part {
        bool isOfDerivative = false;
        NodeIndex node = 0;
    };

    void buildTop();
    void buildPanes();
    void connectDocument();
    void choose();  ///< after another choice of the user
    void restoreChoices();
    [[nodiscard]] DerivationOrder order() const;
    /// Whether the open program has functions that can be differentiated here.
    [[nodiscard]] bool hasFunctions() const;
    /// Whether the function shown is the open program's own, whose parts the selection of all views names.
    [[nodiscard]] bool showsProgram() const;
    void refresh();
    void layOutAnew();
    void dropDerivation();
    void take(std::shared_ptr<const Derivation> derivation, std::size_t sizeLimit);
    void showDerivation(std::shared_ptr<const Derivation> derivation);
    void showTexts();
    void showState();
    void showProblem();
    void showBody();
    void showLinks();
    void followSelection();
    void clickAt(bool isDerivative, qsizetype position);
    void select(std::optional<Part> part);
    [[nodiscard]] bool hasText() const;
    [[nodiscard]] const ProgramText& textOf(bool isDerivative) const;
    [[nodiscard]] ProgramText::Form form() const;
    [[nodiscard]] QString partText(bool isDerivative, NodeIndex node) const;
    [[nodiscard]] static JobOutcome outcomeOf(const Result<autodiff::CheckReport>& result);
    void takeCheck(const Result<autodiff::CheckReport>& result);
    void dropCheck();
    void join(const GradientSteps& steps);
    void askForTarget();

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    DerivativeBar* m_bar;
    QTabBar* m_parts;
    QTabBar* m_texts;
    QPushButton* m_check;
    QPushButton* m_stop;
    QPushButton* m_open;
    QPushButton* m_save;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    QStackedWidget* m_bodies;  ///< by Body
    QSplitter* m_panes;
    CodePane* m_primal;
    QStackedWidget* m_right;  ///< the derivative, or why there is none
    CodePane* m_derivative;
    EmptyState* m_problem;
    ElidedLabel* m_links;
    RegionsPage* m_regions;
    StepsPage* m_steps;
    TimesPage* m_times;
    EmptyState* m_notCoarsened;  ///< in place of regions and steps
    TrainingPage* m_training;    ///< for networks
    QLabel* m_result;

    Query m_deriving{m_jobs};
    Query m_layout{m_jobs};       ///< after a change of the width
    std::size_t m_sizeLimit = 0;  ///< of the derivation shown
    std::shared_ptr<const Derivation> m_shown;
    std::optional<Part> m_part;
    std::optional<Part> m_clicked;  ///< the innermost part clicked last
    Query m_checking{m_jobs};
    QTimer m_columnsTimer;
    std::optional<GradientSteps> m_joining;  ///< for the program that is being opened
    bool m_isStale = true;
};

}  // namespace mitos::views
