// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Gradient for a network: the network beside its training graph, with linked selection, and the check of its gradients.
#pragma once

#include "core/autodiff/tensor_check.h"
#include "views/document/document.h"
#include "views/gradient/internal/training.h"
#include "views/job_runner/query.h"

#include <QWidget>
#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace mitos::views {

class CodePane;
class ElidedLabel;

class TrainingPage : public QWidget {
    Q_OBJECT
public:
    TrainingPage(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    ~TrainingPage() override;

    /// Whether the open program is a network.
    [[nodiscard]] bool isUsed() const;
    void focusNetwork();
    void zoom(int steps);
    void check();
    void saveTo(const QString& path);

Q_SIGNALS:
    void programRequested(const QString& title, const QString& text);
    void failed(const QString& title, const QString& details);
    void notice(const QString& text);

private:
    /// The selected node, of the network or of its training graph.
    struct Part {
        bool isOfTraining = false;
        NodeIndex node = 0;
    };

    void buildTop();
    void buildTexts();
    void connectDocument();
    void restoreChoices();
    void fillOutputs();
    void choose();
    [[nodiscard]] autodiff::TrainingRequest request() const;
    void refresh();
    void dropTraining();
    void take(std::shared_ptr<const Training> training);
    void showTexts();
    void showState();
    void showProblem();
    void clickAt(bool isTraining, qsizetype position);
    void select(std::optional<Part> part);
    void followSelection();
    void showLinks();
    [[nodiscard]] bool isMade() const { return m_shown && m_shown->graph; }
    [[nodiscard]] ProgramText::Form form() const;
    [[nodiscard]] QString summary() const;
    [[nodiscard]] static JobOutcome outcomeOf(const Result<autodiff::TensorCheckReport>& report);
    void takeCheck(const Result<autodiff::TensorCheckReport>& report);
    void dropCheck();
    void open();
    void askForTarget();

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    QComboBox* m_arrays;
    QLineEdit* m_names;
    QComboBox* m_loss;
    QComboBox* m_output;
    QTabBar* m_texts;
    QPushButton* m_check;
    QPushButton* m_stop;
    QPushButton* m_open;
    QPushButton* m_save;
    CodePane* m_network;
    QStackedWidget* m_right;  ///< the training graph, or why there is none
    CodePane* m_training;
    QLabel* m_problem;
    QListWidget* m_obstacles;
    ElidedLabel* m_links;
    QLabel* m_result;

    Query m_making{m_jobs};
    std::shared_ptr<const Training> m_shown;
    std::optional<Part> m_part;
    Query m_checking{m_jobs};
    bool m_isStale = true;
};

}  // namespace mitos::views
