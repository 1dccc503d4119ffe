// SPDX-License-Identifier: GPL-3.0-or-later
// The searches of a comparison: strategies with their parameters, limits and seeds, generated from the strategies' descriptions.
#pragma once

#include "views/document/document.h"

#include <QDialog>
#include <memory>
#include <vector>

class QDialogButtonBox;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace mitos::views {

class BudgetFields;
class ParameterForm;

/// Remembers what was compared last. A strategy may be listed several times, with other parameters.
class CompareDialog : public QDialog {
    Q_OBJECT
public:
    explicit CompareDialog(Document& document, QWidget* parent = nullptr);

    /// One for each chosen strategy and seed; strategies that do not depend on the seed have one. Valid once the dialog was accepted.
    [[nodiscard]] std::vector<SearchSettings> searches() const;

    void accept() override;

private:
    struct Contestant {
        std::shared_ptr<const search::Strategy> strategy;
        ParameterValues values;
    };
    void build();
    void fill();
    void add(Contestant contestant, bool chosen, int row);
    void copySelected();
    void removeSelected();
    void showSelected();
    void validate();
    void remember() const;
    [[nodiscard]] std::vector<const Contestant*> chosen() const;
    [[nodiscard]] bool isCopied(int row) const;

    Document& m_document;
    std::vector<Contestant> m_contestants;  ///< in the order of the list
    QListWidget* m_list;
    QPushButton* m_copy;
    QPushButton* m_remove;
    QLabel* m_description;
    QVBoxLayout* m_formPlace;
    ParameterForm* m_form = nullptr;
    BudgetFields* m_budget;
    QSpinBox* m_seeds;
    QSpinBox* m_firstSeed;
    QLabel* m_message;
    QDialogButtonBox* m_buttons;
};

}  // namespace mitos::views
