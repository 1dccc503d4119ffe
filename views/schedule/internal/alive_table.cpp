// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/schedule/internal/alive_table.h"

#include "views/common/format.h"

#include <utility>

namespace mitos::views {

AliveTable::AliveTable(QObject* parent)
    : TableModel(
          {{tr("Tensor of")}, {tr("Bytes"), Qt::AlignRight}, {tr("From"), Qt::AlignRight}, {tr("To"), Qt::AlignRight}},
          parent) {}

void AliveTable::setCopies(ShownSchedulePtr shown, schedule::AliveCopies alive) {
    beginResetModel();
    m_shown = std::move(shown);
    m_alive = std::move(alive);
    endResetModel();
}

std::optional<std::uint32_t> AliveTable::producerOf(int row) const {
    if (!m_shown || row < 0 || row >= static_cast<int>(rows())) return std::nullopt;
    const schedule::Lifetime& life = m_shown->lifetimes().all()[m_alive.copies[static_cast<std::size_t>(row)]];
    return m_shown->problem().producerOf(life.tensor);
}

QVariant AliveTable::cell(int row, int column, int role) const {
    const schedule::Lifetime& life = m_shown->lifetimes().all()[m_alive.copies[static_cast<std::size_t>(row)]];
    const std::uint64_t bytes = m_shown->problem().bytesOf(life.tensor);
    if (role == Qt::ToolTipRole && column == Bytes) return tr("%1 bytes").arg(countText(bytes));
    if (role == Qt::ToolTipRole && column == Name) return fromUtf8(m_shown->nameOf(*producerOf(row)));
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case Name: return fromUtf8(m_shown->nameOf(m_shown->problem().producerOf(life.tensor)));
        case Bytes: return bytesText(bytes);
        case From: return timeText(life.from, m_shown->scheduled());
        case To: return timeText(life.to, m_shown->scheduled());
        default: return {};
    }
}

}  // namespace mitos::views
