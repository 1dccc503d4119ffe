// SPDX-License-Identifier: GPL-3.0-or-later
// What made the results of strategies: the gain of each rule, and the steps of two results side by side.
#pragma once

#include "search/compare/alignment.h"
#include "views/common/table_model.h"
#include "views/document/document.h"

#include <QAbstractTableModel>
#include <QColor>
#include <QStringList>
#include <QStyledItemDelegate>
#include <optional>
#include <vector>

namespace mitos::views {

/// The steps from the start of a run to its result, with the costs of the states, the start first. A cost that is not known yet is NaN.
struct RunThread {
    rewrite::Thread thread;
    std::vector<double> costs;
};
/// Nothing if the run found no steps, or its result is not in the history.
[[nodiscard]] std::optional<RunThread> threadOf(const rewrite::History& history, const Run& run);

/// A row for each rule, those with the largest effect first; a column for each strategy; the gain of the rule in its results, as the
/// median over the seeds with the quartiles as whiskers. The heatmaps of several strategies side by side (after egraph-mcts.txt, figures
/// 7 and 8).
class RuleGainsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        ShareRole = Qt::UserRole,  ///< -1…1: the gain relative to the largest effect of a rule
        WhiskerRole,  ///< QLineF of the same kind: x from the lower to the upper quartile; nothing where seeds do not differ
    };
    struct Result {
        QString label;  ///< of the strategy
        std::vector<search::RuleGainSpread> gains;
    };

    explicit RuleGainsModel(QObject* parent) : QAbstractTableModel(parent) {}
    void setResults(std::vector<Result> results, const QString& unit);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const search::RuleGainSpread* at(int row, int column) const;
    [[nodiscard]] QString toolTip(const search::RuleGainSpread& gain, const QString& strategy) const;

    std::vector<Result> m_results;
    std::vector<std::string> m_rules;
    QString m_unit;
    double m_largest = 0.0;
};

/// Tints the cells of gains: in the colour of cheaper or more expensive, stronger with the size. A whisker at the bottom reaches over the
/// quartiles.
class GainDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// A row for each rule, the most used first; a column for each strategy; how often its searches applied the rule, as the median over the
/// seeds: to the e-graph, or on the way to the result (after egraph-mcts.txt, figures 7, 8 and 10).
class RuleUsesModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    struct Result {
        QString label;                                    ///< of the strategy
        std::vector<std::vector<search::RuleUse>> seeds;  ///< of each search
        bool isOfEGraph = false;
    };

    explicit RuleUsesModel(QObject* parent) : QAbstractTableModel(parent) {}
    void setResults(std::vector<Result> results);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] double at(const QModelIndex& index) const;

    std::vector<Result> m_results;
    std::vector<std::string> m_rules;
    std::vector<std::vector<double>> m_uses;  ///< by result, by rule
    double m_largest = 0.0;
};

/// The steps of two results: those that both took in one row.
class StepsModel final : public TableModel {
    Q_OBJECT
public:
    enum Column { LeftColumn, CommonColumn, RightColumn, ColumnCount };

    explicit StepsModel(QObject* parent);
    /// Nothing is shown of a side without a thread.
    void setThreads(const ir::TermBank& bank, const QString& left, const std::optional<RunThread>& leftThread,
                    const QString& right, const std::optional<RunThread>& rightThread);
    void clear();
    void setFaint(const QColor& faint);
    [[nodiscard]] std::size_t common() const { return m_common; }  ///< number of steps that both took
    [[nodiscard]] std::size_t steps(Column side) const;            ///< of one side

private:
    struct Side {
        QStringList steps;
        QStringList changes;
        QStringList costs;
    };
    [[nodiscard]] std::size_t rows() const override { return m_rows.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

    Side m_left;
    Side m_right;
    std::vector<search::AlignedStep> m_rows;
    std::size_t m_common = 0;
    QColor m_faint;
};

}  // namespace mitos::views
