// SPDX-License-Identifier: GPL-3.0-or-later
// The table of rewrites, and the nodes that a rewrite affects.
#pragma once

#include "views/common/table_model.h"
#include "views/rewrites/rewrite_lines.h"

#include <absl/container/flat_hash_map.h>

#include <QColor>

namespace mitos::views {

/// The nodes affected by a rewrite, which are highlighted in the program while the pointer is on the rewrite in a list.
struct Touched {
    std::vector<ir::Path> places;  ///< in the program, the roots first
    std::size_t roots = 0;         ///< how many of them are roots
};

/// The roots of the rewrite; in a graph also every node below them that the replacement does not contain. Takes time
/// linear in the program.
[[nodiscard]] Touched touchedPlaces(const ir::TermBank& bank, const ir::Program& program,
                                    const rewrite::Rewrite& rewrite);

class RewritesModel : public TableModel {
    Q_OBJECT
public:
    enum Column {
        RuleColumn,
        DeltaColumn,
        WhereColumn,
        CostColumn,
        SizeColumn,
        SoundnessColumn,
        SeenColumn,
        ColumnCount
    };
    /// Colours of falling and rising costs, and of faint text.
    struct Colors {
        QColor better;
        QColor worse;
        QColor faint;
    };

    explicit RewritesModel(QObject* parent = nullptr);

    /// Removes all rows and starts with a state of that cost. Returns the rows, because freeing 50,000 of them takes milliseconds.
    RewriteRows clear(double costBefore);
    void append(std::vector<RewriteRow> rows);
    /// Forgets the known program states, because the history is another one.
    void forgetSeen();
    /// Adds states of the history, each with the content hash of its program.
    void addSeen(const std::vector<std::pair<std::uint64_t, rewrite::StateId>>& states);
    void setColors(const Colors& colors);
    /// Sets the directions that failed their test.
    void setFailed(std::vector<eval::DoubtfulRule> failed);

    [[nodiscard]] const RewriteRows& rewrites() const { return m_rows; }
    [[nodiscard]] const RewriteRow& rewrite(int row) const { return m_rows[row]; }
    /// Whether the row's rule failed its test, or the rewrite makes an assumption.
    [[nodiscard]] bool isDoubtful(const RewriteRow& row) const;
    /// The rules' names by group of rows.
    [[nodiscard]] std::vector<QString> groupNames() const;
    [[nodiscard]] static QString soundnessText(rules::Soundness soundness);

private:
    [[nodiscard]] std::size_t rows() const override { return m_rows.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] QVariant text(int which, int column) const;
    [[nodiscard]] QVariant toolTip(const RewriteRow& row, int column) const;

    [[nodiscard]] QString nameOf(const RewriteRow& row) const;

    RewriteRows m_rows;
    absl::flat_hash_map<std::uint64_t, rewrite::StateId> m_seen;
    Colors m_colors;
    std::vector<eval::DoubtfulRule> m_failed;
};

}  // namespace mitos::views
