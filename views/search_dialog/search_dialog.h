// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a search: strategy, parameters, limits and seed, generated from the strategies' descriptions.
#pragma once

#include "search/placement/placement.h"
#include "views/document/document.h"

#include <QDialog>
#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QPlainTextEdit;
class QSpinBox;
class QVBoxLayout;

namespace mitos::views {

class BudgetFields;
class ParameterForm;

/// The settings used last: the strategy's parameters for programs of the dialect, limits, seed. An empty strategy
/// means the last one.
[[nodiscard]] SearchSettings rememberedSearch(const ir::Dialect& dialect, const QString& strategy = {});
/// The same for the strategies that saturate.
[[nodiscard]] SearchSettings rememberedSaturation(const ir::Dialect& dialect);

/// The same for the strategies that make schedules.
[[nodiscard]] SearchSettings rememberedScheduling(const ir::Dialect& dialect);

/// An objective of schedules, and the cost model that it is judged by.
struct ScheduleGoal {
    search::placement::Objective objective = search::placement::Objective::Runtime;
    QString costModel = {};
    bool isInForce = true;  ///< whether the document's cost model is that one
};
/// Those of the document's program: the run time, then the peak memory, if its dialect has a model of it.
[[nodiscard]] std::vector<ScheduleGoal> scheduleGoals(const Document& document);

/// The next such dialog begins with the learned strategy and that value of its parameter "model", on the devices that the model fits. Keys mean
/// what they mean for the model.
void rememberModel(const ir::Dialect& dialect, const QString& model, int devices);

/// Remembers the last values of each strategy. Modal or modeless; settings() is valid once the dialog was accepted.
class SearchDialog : public QDialog {
    Q_OBJECT
public:
    /// Starts with the settings used last.
    explicit SearchDialog(Document& document, QWidget* parent = nullptr);
    SearchDialog(Document& document, const SearchSettings& begin, QWidget* parent = nullptr);
    /// A dialog that offers the strategies that saturate, for the e-graph of the perspective Saturate.
    [[nodiscard]] static SearchDialog* forSaturation(Document& document, QWidget* parent = nullptr);

    /// The same with a field for the goal: a program that the current one is to be proved equal to.
    [[nodiscard]] static SearchDialog* forProof(Document& document, QWidget* parent = nullptr);

    /// A dialog that offers the strategies for schedules, with a field for the objective.
    [[nodiscard]] static SearchDialog* forScheduling(Document& document, QWidget* parent = nullptr);
    /// Chooses the objective in such a dialog, if it offers it.
    void chooseObjective(search::placement::Objective objective);

    [[nodiscard]] SearchSettings settings() const;
    /// The text of the goal; empty in a dialog without one.
    [[nodiscard]] QString goal() const;

    void accept() override;

private:
    using Strategies = std::vector<std::shared_ptr<const search::Strategy>>;
    SearchDialog(Document& document, const SearchSettings& begin, Strategies strategies, QString strategyKey,
                 QWidget* parent);
    void build();
    void showStrategy();
    void makeRoom();
    void showParameters(const ParameterValues& values);
    void remember();
    void validate();
    void askForGoal();
    void askForObjective();
    /// What is wrong with the goal; empty if nothing is.
    [[nodiscard]] QString goalProblem() const;
    [[nodiscard]] const search::StrategyInfo& strategy() const;

    Document& m_document;
    Strategies m_strategies;
    QString m_strategyKey;  ///< of the setting that holds the strategy used last
    QComboBox* m_strategy;
    QLabel* m_description;
    QVBoxLayout* m_formPlace;
    ParameterForm* m_form = nullptr;
    BudgetFields* m_budget;
    QSpinBox* m_seed;
    QCheckBox* m_insist;
    QCheckBox* m_assume;
    QLabel* m_context;
    QVBoxLayout* m_goalPlace;
    QPlainTextEdit* m_goal = nullptr;
    QComboBox* m_objective = nullptr;  ///< of schedules: a cost model each
    QLabel* m_message;
    QDialogButtonBox* m_buttons;
};

}  // namespace mitos::views
