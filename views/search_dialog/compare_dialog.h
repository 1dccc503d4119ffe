// SPDX-License-Identifier: GPL-3.0-or-later
// The searches of a comparison: programs, and strategies with their parameters, limits and seeds, generated from the strategies' descriptions.
#pragma once

#include "views/document/compared_programs.h"
#include "views/document/document.h"

#include <QDialog>
#include <memory>
#include <vector>

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace mitos::views {

class BudgetFields;
class ParameterForm;
class ProgramList;

/// Remembers what was compared last. A strategy may be listed several times, with other parameters.
class CompareDialog : public QDialog {
    Q_OBJECT
public:
    /// `programs` are offered beside the open one and those that are compared with it already.
    CompareDialog(Document& document, JobRunner& jobs, const std::vector<ProgramCandidate>& programs = {},
                  QWidget* parent = nullptr);

    /// One for each chosen strategy and seed; strategies that do not depend on the seed have one. Valid once the dialog was accepted.
    [[nodiscard]] std::vector<SearchSettings> searches() const;
    /// The state of the open program where they begin: its start, the current state, or one that has a name.
    [[nodiscard]] rewrite::StateId from() const;
    /// The programs on which they run beside the open one.
    [[nodiscard]] std::vector<ProgramChoice> programs() const;

    void accept() override;

private:
    struct Contestant {
        std::shared_ptr<const search::Strategy> strategy;
        ParameterValues values;
    };
    void build();
    void fill();
    void fillFrom();
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
    ProgramList* m_programs;
    QComboBox* m_from;
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
