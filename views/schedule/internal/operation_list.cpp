// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/schedule/internal/operation_list.h"

#include "views/common/format.h"

#include <utility>

namespace mitos::views {

OperationList::OperationList(QObject* parent)
    : TableModel({{tr("Operation")},
                  {tr("Device")},
                  {tr("Start"), Qt::AlignRight},
                  {tr("Takes"), Qt::AlignRight},
                  {tr("Makes"), Qt::AlignRight},
                  {tr("Critical"), Qt::AlignLeft, tr("Whether it is on the critical path")}},
                 parent) {}

void OperationList::setSchedule(ShownSchedulePtr shown) {
    beginResetModel();
    m_shown = std::move(shown);
    m_order.clear();
    m_rows.assign(m_shown ? m_shown->operationCount() : 0, 0);
    if (m_shown) {
        for (const std::uint32_t task : m_shown->timeline().order) {
            if (task >= m_shown->operationCount()) continue;
            m_rows[task] = static_cast<int>(m_order.size());
            m_order.push_back(task);
        }
    }
    endResetModel();
}

QVariant OperationList::cell(int row, int column, int role) const {
    const std::uint32_t operation = operationAt(row);
    if (role == Qt::ToolTipRole && column == Name) return fromUtf8(m_shown->nameOf(operation));
    if (role != Qt::DisplayRole) return {};
    const schedule::OperationRun& run = m_shown->timeline().operations[operation];
    switch (column) {
        case Name: return fromUtf8(m_shown->nameOf(operation));
        case Device: return fromUtf8(m_shown->scheduled().machine.devices[run.device].name);
        case Start: return timeText(run.start, m_shown->scheduled());
        case Duration: return timeText(run.end - run.start, m_shown->scheduled());
        case Bytes: {
            std::uint64_t bytes = 0;
            for (const std::uint32_t tensor : m_shown->problem().outputsOf(operation))
                bytes += m_shown->problem().bytesOf(tensor);
            return bytesText(bytes);
        }
        case Critical: return m_shown->isCritical(operation) ? tr("yes") : QString();
        default: return {};
    }
}

}  // namespace mitos::views
