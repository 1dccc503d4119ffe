// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a tree with the cost of each part: its subterms, or the blocks and operators of a graph.
#pragma once

#include "core/cost/cost_model.h"
#include "views/program/program_parts.h"
#include "views/program/program_text.h"
#include "views/program/shown_gain.h"
#include "views/theme/theme.h"

#include <QAbstractItemModel>
#include <QColor>
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace mitos::views {

/// A program laid out, and the cost of each of its nodes (empty while unknown).
struct ProgramContent {
    ProgramText text;
    std::vector<cost::CostPart> costs;
    ProgramParts parts;  ///< of a graph
    /// The costs of the lines of each form (`ProgramText::Form`); empty while unknown.
    std::array<std::vector<double>, 2> lines;

    /// Finds the costs of the lines: that of a node is of the line where it begins.
    void findLineCosts();

    /// The part of the whole cost spent in the node's subterm, or, in a graph, in the node itself, 0…1; negative if unknown.
    [[nodiscard]] double share(NodeIndex node) const;
};

class ProgramTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Term, Type, Own, Total, Share, Gain, ColumnCount };
    /// The share as a number, for the bar.
    static constexpr int ShareRole = Qt::UserRole;

    explicit ProgramTreeModel(QObject* parent = nullptr);

    /// The bank must hold the content's terms as long as the content is shown; null content shows nothing.
    void setContent(std::shared_ptr<const ProgramContent> content, const ir::TermBank* bank);
    void setHighlighted(const std::vector<NodeIndex>& nodes, const QColor& colour);
    /// The gains of the last column; null: none. The theme has their colours.
    void setGain(std::shared_ptr<const ShownGain> gain, const Theme& theme);
    [[nodiscard]] QModelIndex indexOf(NodeIndex node) const;
    /// The node of a row; for a block's row, the node whose value leaves the block.
    [[nodiscard]] NodeIndex nodeOf(const QModelIndex& index) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// Whether the id of an index is a row of the outline (graphs) instead of a node (trees).
    [[nodiscard]] bool isOutline() const { return m_content && m_content->text.isGraph(); }
    [[nodiscard]] const OutlineRow& row(const QModelIndex& index) const {
        return m_content->parts.outline[index.internalId()];
    }
    [[nodiscard]] QString shownText(NodeIndex node, int column) const;
    [[nodiscard]] QString outlineText(const OutlineRow& row, int column) const;
    [[nodiscard]] double shareOf(const QModelIndex& index) const;
    [[nodiscard]] QString gainText(const QModelIndex& index) const;
    [[nodiscard]] QVariant backgroundOf(const QModelIndex& index) const;

    std::shared_ptr<const ProgramContent> m_content;
    const ir::TermBank* m_bank = nullptr;
    std::vector<bool> m_highlighted;
    QColor m_highlight;
    std::shared_ptr<const ShownGain> m_gain;
    std::optional<Theme> m_theme;
};

}  // namespace mitos::views
