// SPDX-License-Identifier: GPL-3.0-or-later
// The cost model with its parameters, generated from the models' descriptions.
#pragma once

#include "core/cost/cost_model.h"
#include "core/ir/dialect.h"

#include <QDialog>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QVBoxLayout;

namespace mitos::views {

class ParameterForm;

class CostDialog : public QDialog {
    Q_OBJECT
public:
    /// Offers the models for programs of the dialect, and begins with the model in force.
    CostDialog(const ir::Dialect& dialect, const cost::CostModelInfo& inForce, QWidget* parent = nullptr);

    /// The name of the chosen model with its parameters, for Document::setCostModel.
    [[nodiscard]] QString name() const;

private:
    [[nodiscard]] const cost::CostModelInfo& model() const;
    void showParameters(const ParameterValues& values);

    std::vector<std::shared_ptr<const cost::CostModel>> m_models;
    QComboBox* m_model;
    QLabel* m_description;
    QVBoxLayout* m_formPlace;
    ParameterForm* m_form = nullptr;
};

}  // namespace mitos::views
