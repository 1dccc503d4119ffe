// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the open program as a tree: a row for each strategy with its parameters and budget, over the rows of its seeds.
#pragma once

#include "search/compare/run_table.h"
#include "views/document/document.h"
#include "views/plot/plot_panel.h"

#include <QAbstractItemModel>
#include <QColor>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

namespace mitos::views {

/// Follows the document's runs under the cost model in force. Rows are in the order in which their runs began; new ones come last.
class CompareModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column {
        StrategyColumn,
        SeedsColumn,
        BestColumn,
        ChangeColumn,
        BaselineColumn,
        NearBestColumn,
        TimeColumn,
        EvaluationsColumn,
        StatesColumn,
        MemoryColumn,
        CurveColumn,
        StopColumn,
        VerdictsColumn,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole,  ///< a number, or a text
        CurveRole,  ///< QPolygonF: the best cost over time inside the unit square, the start at the top left
    };
    struct Colors {
        QColor better;
        QColor worse;
        QColor faint;
        QColor passed;
    };

    explicit CompareModel(Document& document, QObject* parent = nullptr);

    void setColors(const Colors& colors);
    /// Reads the document's runs again: all, or the one that changed.
    void refresh();
    void refresh(RunNumber run);

    /// Valid until the next refresh.
    [[nodiscard]] const std::vector<search::RunGroup>& groups() const { return m_groups; }
    [[nodiscard]] const std::vector<search::StrategyInfo>& strategies() const { return m_strategies; }
    /// As it is kept: without its thread. Null if there is no such run.
    [[nodiscard]] const Run* run(RunNumber number) const;
    /// Number of runs left out, because another cost model priced them.
    [[nodiscard]] int hiddenRuns() const { return m_hidden; }
    [[nodiscard]] std::optional<std::size_t> groupAt(const QModelIndex& index) const;
    /// The group that the run belongs to.
    [[nodiscard]] std::optional<std::size_t> groupOf(RunNumber run) const;
    /// The row's run; for a group its best, or its first while it has none.
    [[nodiscard]] RunNumber runAt(const QModelIndex& index) const;
    /// What tells the group from the others: "MCTS", "MCTS, depth = 20".
    [[nodiscard]] QString label(std::size_t group) const;
    [[nodiscard]] QString strategy(std::size_t group) const;
    [[nodiscard]] QString parameters(
        std::size_t group) const;  ///< what is not usual: parameters, and a budget if they differ
    /// Whether no group has a lower median cost.
    [[nodiscard]] bool isBest(std::size_t group) const;

    /// How the group's curves are drawn: as the user chose, or by its place in the table.
    [[nodiscard]] CurveStyle style(std::size_t group) const;
    /// Sets the parts that are not negative. Returns the chosen styles of all groups as a text for setStyles().
    QString setStyle(std::size_t group, CurveStyle style);
    void setStyles(const QString& text);  ///< what is damaged in it is ignored

    /// The group that the others are compared with: that of this run; 0: none.
    void setBaseline(RunNumber run);
    [[nodiscard]] RunNumber baseline() const { return m_baseline; }

    /// The number by which a row is filtered: "best", "change" (in %), "within", "time" (in s), "evaluations", "states",
    /// "memory" (in MB), "seed"; nothing if the row has none, or if there is no such name.
    [[nodiscard]] std::optional<double> number(const QModelIndex& index, const QString& name) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void keep(const Run& run);
    void regroup();
    [[nodiscard]] const search::RunGroup& at(const QModelIndex& index) const;
    [[nodiscard]] bool isRun(const QModelIndex& index) const { return index.internalId() != 0; }
    [[nodiscard]] QString text(const QModelIndex& index) const;
    [[nodiscard]] QString toolTip(const QModelIndex& index) const;
    [[nodiscard]] QVariant sortKey(const QModelIndex& index) const;
    [[nodiscard]] QVariant foreground(const QModelIndex& index) const;
    [[nodiscard]] QVariant curve(const QModelIndex& index) const;

    Document& m_document;
    std::map<RunNumber, Run> m_runs;  ///< without threads, and of events only those that make the curve
    std::vector<search::StrategyInfo> m_strategies;
    std::vector<search::RunGroup> m_groups;
    std::vector<std::vector<search::RunGroup>> m_single;  ///< for each group, its runs alone
    double m_leastMedian = 0.0;
    RunNumber m_baseline = 0;
    std::map<RunNumber, CurveStyle> m_styles;  ///< by the first run of a group
    int m_hidden = 0;
    Colors m_colors;
};

/// Sorts, and filters by words and numbers: "mcts best < 30.5k time < 2". A group is shown if it fits or one of its runs does, with the
/// runs that fit.
class CompareFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CompareFilter(CompareModel& model, QObject* parent = nullptr);

    void setText(const QString& text);
    [[nodiscard]] bool isFiltering() const { return !m_words.isEmpty() || !m_limits.isEmpty(); }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    struct Limit {
        QString name;
        QString relation;  ///< "<", "<=", ">", ">=", "="
        double value = 0.0;
    };
    [[nodiscard]] bool fits(const QModelIndex& index) const;

    CompareModel& m_model;
    QStringList m_words;
    QList<Limit> m_limits;
};

}  // namespace mitos::views
