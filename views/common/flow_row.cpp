// SPDX-License-Identifier: GPL-3.0-or-later
// See flow_row.h.
#include "views/common/flow_row.h"

#include <QWidgetItem>
#include <algorithm>

namespace mitos::views {

FlowRow::~FlowRow() = default;

void FlowRow::addItem(QLayoutItem* item) {
    m_items.emplace_back(item);
    invalidate();
}

void FlowRow::insertWidget(int index, QWidget* widget) {
    addChildWidget(widget);
    m_items.insert(m_items.begin() + std::clamp(index, 0, count()), std::make_unique<QWidgetItem>(widget));
    invalidate();
}

int FlowRow::count() const { return static_cast<int>(m_items.size()); }

QLayoutItem* FlowRow::itemAt(int index) const {
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem* FlowRow::takeAt(int index) {
    if (index < 0 || index >= count()) return nullptr;
    QLayoutItem* taken = m_items[static_cast<std::size_t>(index)].release();
    m_items.erase(m_items.begin() + index);
    invalidate();
    return taken;
}

int FlowRow::widthOf(const Line& line) const {
    int width = 0;
    for (const QLayoutItem* item : line) width += item->sizeHint().width() + (width > 0 ? gap() : 0);
    return width;
}

int FlowRow::heightOf(const Line& line) {
    int height = 0;
    for (const QLayoutItem* item : line) height = std::max(height, item->sizeHint().height());
    return height;
}

std::vector<FlowRow::Line> FlowRow::lines(int width) const {
    std::vector<Line> lines;
    for (const auto& item : m_items) {
        if (item->isEmpty()) continue;
        const bool fits = !lines.empty() && widthOf(lines.back()) + gap() + item->sizeHint().width() <= width;
        if (!fits) lines.emplace_back();
        lines.back().push_back(item.get());
    }
    return lines;
}

int FlowRow::heightForWidth(int width) const {
    const QMargins margins = contentsMargins();
    int height = 0;
    for (const Line& line : lines(width - margins.left() - margins.right())) height += heightOf(line);
    return height + margins.top() + margins.bottom();
}

QSize FlowRow::minimumSize() const {
    QSize size;
    for (const auto& item : m_items) {
        if (!item->isEmpty()) size = size.expandedTo(item->sizeHint());
    }
    return size.grownBy(contentsMargins());
}

QSize FlowRow::sizeHint() const {
    Line all;
    for (const auto& item : m_items) {
        if (!item->isEmpty()) all.push_back(item.get());
    }
    return QSize(widthOf(all), heightOf(all)).grownBy(contentsMargins());
}

void FlowRow::setGeometry(const QRect& room) {
    QLayout::setGeometry(room);
    const QRect inner = room.marginsRemoved(contentsMargins());
    int top = inner.top();
    for (const Line& line : lines(inner.width())) {
        int left = inner.left();
        if (m_side.testFlag(Qt::AlignRight)) left = std::max(left, inner.right() + 1 - widthOf(line));
        const int height = heightOf(line);
        for (QLayoutItem* item : line) {
            const QSize size = item->sizeHint();
            item->setGeometry(QRect(QPoint(left, top), QSize(size.width(), height)));
            left += size.width() + gap();
        }
        top += height;
    }
}

}  // namespace mitos::views
