// SPDX-License-Identifier: GPL-3.0-or-later
// What a search should do: strategy, its parameters, limits and seed, all made from the strategies' descriptions.
#pragma once

#include "views/document/document.h"

#include <QDialog>
#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QSpinBox;
class QVBoxLayout;

namespace mitos::views {

class BudgetFields;
class ParameterForm;

/// What was searched with last: the parameters of that strategy for programs of that kind, limits, seed. No strategy: the last one.
[[nodiscard]] SearchSettings rememberedSearch(ir::Sharing sharing, const QString& strategy = {});

/// Remembers the last values of each strategy. Modal or not, as its user opens it; settings() is valid once accepted.
class SearchDialog : public QDialog {
    Q_OBJECT
public:
    /// Begins with what was searched with last.
    explicit SearchDialog(Document& document, QWidget* parent = nullptr);
    SearchDialog(Document& document, const SearchSettings& begin, QWidget* parent = nullptr);

    [[nodiscard]] SearchSettings settings() const;

    void accept() override;

private:
    void build();
    void showStrategy();
    void showParameters(const search::ParameterValues& values);
    void remember();
    void validate();
    [[nodiscard]] const search::StrategyInfo& strategy() const;

    Document& m_document;
    std::vector<std::shared_ptr<const search::Strategy>> m_strategies;
    QComboBox* m_strategy;
    QLabel* m_description;
    QVBoxLayout* m_formPlace;
    ParameterForm* m_form = nullptr;
    BudgetFields* m_budget;
    QSpinBox* m_seed;
    QCheckBox* m_insist;
    QCheckBox* m_assume;
    QLabel* m_context;
    QLabel* m_message;
    QDialogButtonBox* m_buttons;
};

}  // namespace mitos::views
