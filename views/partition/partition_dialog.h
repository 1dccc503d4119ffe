// SPDX-License-Identifier: GPL-3.0-or-later
// Divides the open network into regions by a pattern, and hands them to searches and exporters, or opens them as programs.
#pragma once

#include "views/document/document.h"
#include "views/document/regions.h"
#include "views/job_runner/query.h"

#include <QDialog>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableView;

namespace mitos::views {

class RefusedTable;
class RegionTable;
class RegionStrategies;
struct KnownPatterns;
struct RegionStrategy;

/// Modeless, because the regions are looked at in the program. The regions stay when it is closed, until they are cleared.
class PartitionDialog : public QDialog {
    Q_OBJECT
public:
    PartitionDialog(Document& document, Selection& selection, Regions& regions, JobRunner& jobs,
                    QWidget* parent = nullptr);
    ~PartitionDialog() override;

    /// Writes the regions in question into a folder; what became of it is shown in the dialog.
    void exportTo(const QString& folder);

Q_SIGNALS:
    /// The user asks for a search with that strategy and these parameters, within the limits that searches have now.
    void searchRequested(const QString& strategy, const mitos::ParameterValues& parameters);
    void openRequested(const QString& title, const QString& text);

private:
    enum Scope { AllScope, FormScope, RegionScope };

    void build();
    void connectFields();
    void listPatterns();
    void takePatterns(KnownPatterns known);
    [[nodiscard]] RegionRequest request() const;
    void find();
    void showFound();
    void showSummary();
    void showActions();
    void chooseRow();
    void showChosen();
    /// The regions that actions are about: all, those of the chosen one's form, or the chosen one.
    [[nodiscard]] std::vector<std::size_t> inQuestion() const;
    [[nodiscard]] QString format() const;
    // partition_strategies.cpp
    void listStrategies();
    /// The form whose strategy the fields show; nothing if it is that of all.
    [[nodiscard]] std::optional<std::size_t> formInQuestion() const;
    [[nodiscard]] const RegionStrategy& strategyInQuestion() const;
    void setStrategy(RegionStrategy strategy);
    void chooseStrategy();
    void askForParameters();
    void showStrategies();
    [[nodiscard]] bool canSearch() const;
    void search();
    // partition_work.cpp
    void askForFolder();
    void openChosen();
    void say(const Error& error);

    Document& m_document;
    Selection& m_selection;
    Regions& m_regions;
    Query m_listing;
    Query m_writing;
    Query m_opening;
    QTimer m_delay;  ///< typing a pattern makes one search, not one per key
    std::unique_ptr<KnownPatterns> m_known;
    std::unique_ptr<RegionStrategies> m_strategies;
    std::optional<RegionRequest> m_formsOf;  ///< the request, and the program, whose forms have strategies of their own
    ir::TermId m_formsIn;
    QComboBox* m_pattern;
    QSpinBox* m_least;
    QPushButton* m_stop;
    QLabel* m_explanation;
    QLabel* m_summary;
    QTableView* m_table;
    RegionTable* m_model;
    QLabel* m_refusedTitle;
    QTableView* m_refused;
    RefusedTable* m_refusedModel;
    QComboBox* m_scope;
    QComboBox* m_strategy;
    QPushButton* m_parameters;
    QPushButton* m_search;
    QComboBox* m_format;
    QPushButton* m_export;
    QPushButton* m_open;
    QLabel* m_status;
    QPushButton* m_clear;
};

}  // namespace mitos::views
