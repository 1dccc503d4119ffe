// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a comparison as a tree: a row for each program and strategy with its parameters and budget, over the rows of its seeds.
#pragma once

#include "search/compare/run_table.h"
#include "views/document/compared_programs.h"
#include "views/document/document.h"
#include "views/document/result_times.h"
#include "views/plot/plot_panel.h"

#include <QAbstractItemModel>
#include <QColor>
#include <QTimer>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::views {

/// The state where searches began. All programs' starts are one of them; another state belongs to its program.
struct SearchStart {
    int program = 0;
    std::uint32_t state = 0;

    [[nodiscard]] bool isStart() const { return state == 0; }
    friend auto operator<=>(const SearchStart&, const SearchStart&) = default;
};

/// Shows the runs of the open program and of those compared with it, under the cost model in force. Rows are in the order in which their
/// runs began; new ones come last.
class CompareModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column {
        StrategyColumn,
        ProgramColumn,
        SeedsColumn,
        BestColumn,
        ChangeColumn,
        BaselineColumn,
        MeasuredColumn,
        RatioColumn,
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
    /// Reads the runs again: all, or the one that changed.
    void refresh();
    void refresh(ComparedRunId run);
    /// Reads the times of results again, which the sessions have.
    void refreshTimes();
    /// Whether the result of a run shown was timed as a whole model.
    [[nodiscard]] bool hasTimes() const;
    /// The times of that run's result; null if it was not timed.
    [[nodiscard]] const ResultTimes* timesOf(ComparedRunId run) const;
    /// The states that are timed for the run: the start of its program, and its result. Nothing if it has no result that differs from it.
    [[nodiscard]] std::optional<TimedResult> resultOf(ComparedRunId run) const;
    /// The run for tables, with its times.
    [[nodiscard]] search::TableRun tableRun(ComparedRunId id, const Run& run) const;
    /// The runs, if there are any, are those of another session from now on.
    void forget();

    /// Valid until the next refresh.
    [[nodiscard]] const std::vector<search::RunGroup>& groups() const { return m_groups; }
    [[nodiscard]] const std::vector<search::StrategyInfo>& strategies() const { return m_strategies; }
    /// As it is kept: without its thread. Null if there is no such run.
    [[nodiscard]] const Run* run(ComparedRunId id) const;
    /// With its thread and its events.
    [[nodiscard]] const Run* wholeRun(ComparedRunId id) const;
    /// Number of runs left out, because another cost model priced them.
    [[nodiscard]] int hiddenRuns() const { return m_hidden; }

    /// Whether programs are compared beside the open one.
    [[nodiscard]] bool hasSeveralPrograms() const { return m_document.comparedPrograms().count() > 0; }
    [[nodiscard]] int programs() const { return 1 + m_document.comparedPrograms().count(); }
    [[nodiscard]] QString programTitle(int program) const;  ///< tells it from the others
    [[nodiscard]] QString programLabel(int program) const;  ///< the same, short
    /// The history that the program's results are in; null while it is not known.
    [[nodiscard]] const rewrite::History* historyOf(int program) const;
    [[nodiscard]] const ir::TermBank& bankOf(int program) const;  ///< requires historyOf()
    [[nodiscard]] int programOf(std::size_t group) const { return m_groupIds[group].program; }

    [[nodiscard]] std::optional<std::size_t> groupAt(const QModelIndex& index) const;
    /// The group that the run belongs to.
    [[nodiscard]] std::optional<std::size_t> groupOf(ComparedRunId run) const;
    /// Where its searches began. Only groups with the same program and the same beginning are compared.
    [[nodiscard]] SearchStart startOf(std::size_t group) const;
    [[nodiscard]] std::vector<SearchStart> starts() const;  ///< of all groups, the programs' starts first
    /// "From the start", "From state 52, 47.49 k"; with its program if there are several.
    [[nodiscard]] QString startText(SearchStart start) const;
    [[nodiscard]] bool areComparable(std::size_t group, std::size_t other) const;
    /// The first run of the group.
    [[nodiscard]] ComparedRunId firstOf(std::size_t group) const { return m_groupIds[group]; }
    [[nodiscard]] std::vector<ComparedRunId> runsOf(std::size_t group) const;
    /// The row's run; for a group its best, or its first while it has none.
    [[nodiscard]] ComparedRunId runAt(const QModelIndex& index) const;
    /// A name that tells the group from the others: "MCTS", "MCTS, depth = 20", "MCTS · gemm".
    [[nodiscard]] QString label(std::size_t group) const;
    [[nodiscard]] QString strategy(std::size_t group) const;
    [[nodiscard]] QString parameters(
        std::size_t group) const;  ///< what is not usual: parameters, and a budget if they differ
    /// Whether no group of its program and beginning has a lower median cost.
    [[nodiscard]] bool isBest(std::size_t group) const;
    /// Whether its searches depend on their seeds.
    [[nodiscard]] bool isRandomized(std::size_t group) const;

    /// How the group's curves are drawn: as the user chose, or by its place in the table. Of several programs, strategies differ in
    /// colour and programs in dashes.
    [[nodiscard]] CurveStyle style(std::size_t group) const;
    /// Sets the parts that are not negative. Returns the chosen styles of all groups as a text for setStyles().
    QString setStyle(std::size_t group, CurveStyle style);
    void setStyles(const QString& text);  ///< what is damaged in it is ignored

    /// The group that the others are compared with: that of this run; of another program or beginning, the group that
    /// asks the same.
    void setBaseline(ComparedRunId run);
    [[nodiscard]] ComparedRunId baseline() const { return m_baseline; }
    /// The group that this one is compared with.
    [[nodiscard]] std::optional<std::size_t> baselineOf(std::size_t group) const;

    /// The number by which a row is filtered: "best", "change" (in %), "within", "time" (in s), "evaluations", "states",
    /// "memory" (in MB), "seed", "measured" (in ms), "ratio"; nothing if the row has none, or if there is no such name.
    [[nodiscard]] std::optional<double> number(const QModelIndex& index, const QString& name) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Kept {
        Run run;               ///< without its thread, and of its events only those that make the curve
        std::size_t seen = 0;  ///< number of its events that were looked at
    };
    /// Looks at some of the run's new events; the timer goes on with the others.
    void keep(ComparedRunId id, const Run& run);
    void goOnKeeping();
    void readTimes();
    void regroup();
    [[nodiscard]] const search::RunGroup& at(const QModelIndex& index) const;
    [[nodiscard]] bool isRun(const QModelIndex& index) const { return index.internalId() != 0; }
    /// Whether both search in the same way, perhaps other programs.
    [[nodiscard]] bool askTheSame(std::size_t group, std::size_t other) const;
    [[nodiscard]] std::optional<search::Beginning> beginningOf(ComparedRunId id, const Run& run) const;
    [[nodiscard]] search::TableRun untimedRun(ComparedRunId id, const Run& run) const;
    [[nodiscard]] ComparedRunId idOf(const Run& run) const { return m_ids.at(&run); }
    /// The run whose times a row shows: of a group its best one if it was timed, else the first that was.
    [[nodiscard]] const ResultTimes* timesAt(const QModelIndex& index) const;
    [[nodiscard]] QString text(const QModelIndex& index) const;
    [[nodiscard]] QString toolTip(const QModelIndex& index) const;
    [[nodiscard]] QVariant sortKey(const QModelIndex& index) const;
    [[nodiscard]] QVariant foreground(const QModelIndex& index) const;
    [[nodiscard]] QVariant curve(const QModelIndex& index) const;

    Document& m_document;
    std::map<ComparedRunId, Kept> m_runs;
    std::vector<ComparedRunId> m_order;  ///< of m_runs, as they began
    std::map<const Run*, ComparedRunId> m_ids;
    std::vector<search::StrategyInfo> m_strategies;
    std::vector<search::RunGroup> m_groups;
    std::vector<ComparedRunId> m_groupIds;                          ///< for each group, its first run
    std::vector<std::vector<search::RunGroup>> m_single;            ///< for each group, its runs alone
    std::map<std::pair<int, std::uint32_t>, double> m_leastMedian;  ///< by program and state where the searches began
    ComparedRunId m_baseline;
    std::map<ComparedRunId, CurveStyle> m_styles;  ///< by the first run of a group
    int m_hidden = 0;
    std::vector<std::vector<ResultTimes>> m_times;  ///< that the sessions have, by program
    QTimer m_keeping;                               ///< active while a run has events that were not looked at
    Colors m_colors;
};

/// A run as the views store it: "5" of the open program, "2/5" of another one.
[[nodiscard]] QString textOf(ComparedRunId id);
[[nodiscard]] ComparedRunId comparedRunFrom(const QString& text);

}  // namespace mitos::views
