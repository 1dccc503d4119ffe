// SPDX-License-Identifier: GPL-3.0-or-later
// Entries one after the other, over as many lines as they need.
#include "views/graph/graph_legend.h"

#include "views/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {
constexpr int LegendMargin = 8;
constexpr int Swatch = 12;
constexpr int SwatchGap = 6;
constexpr int EntryMargin = 6;  // around an entry, within its place
constexpr double LegendRadius = 3.0;

QFont legendFont(QFont font) {
    font.setPointSizeF(font.pointSizeF() * 0.9);
    return font;
}
}  // namespace

GraphLegend::GraphLegend(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("graphLegend"));
    setMouseTracking(true);
    setToolTip(tr("Click to mark the boxes of a kind"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    hide();
}

void GraphLegend::setEntries(std::vector<Entry> entries) {
    m_entries = std::move(entries);
    m_hovered = -1;
    setVisible(!m_entries.empty());
    updateGeometry();
    update();
}

void GraphLegend::setChosen(std::optional<int> fill) {
    m_chosen = fill;
    update();
}

std::vector<QRect> GraphLegend::places(int width) const {
    const QFontMetrics metrics(legendFont(font()));
    const int height = metrics.height() + EntryMargin;
    std::vector<QRect> found;
    QPoint at(LegendMargin, EntryMargin);
    for (const Entry& entry : m_entries) {
        const int needed = Swatch + SwatchGap + metrics.horizontalAdvance(entry.name) + 2 * EntryMargin;
        if (at.x() > LegendMargin && at.x() + needed > width - LegendMargin) at = {LegendMargin, at.y() + height};
        found.emplace_back(at, QSize(needed, height));
        at.rx() += needed;
    }
    return found;
}

int GraphLegend::heightForWidth(int width) const {
    const std::vector<QRect> all = places(width);
    return all.empty() ? 0 : all.back().bottom() + EntryMargin;
}

QSize GraphLegend::sizeHint() const { return {100, heightForWidth(std::max(100, width()))}; }

QRect GraphLegend::rectOf(int fill) const {
    const auto entry = std::ranges::find(m_entries, fill, &Entry::fill);
    return entry == m_entries.end() ? QRect() : places(width())[static_cast<std::size_t>(entry - m_entries.begin())];
}

int GraphLegend::entryAt(const QPoint& point) const {
    const std::vector<QRect> all = places(width());
    const auto found = std::ranges::find_if(all, [&](const QRect& place) { return place.contains(point); });
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

void GraphLegend::paintEvent(QPaintEvent* /*event*/) {
    const Theme theme(palette());
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(legendFont(font()));
    const std::vector<QRect> all = places(width());
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const Entry& entry = m_entries[i];
        const bool isChosen = m_chosen == entry.fill;
        if (isChosen || static_cast<int>(i) == m_hovered) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(isChosen ? palette().color(QPalette::Highlight) : theme.hovered());
            painter.drawRoundedRect(all[i], LegendRadius, LegendRadius);
        }
        const QRect swatch(all[i].left() + EntryMargin, all[i].center().y() - Swatch / 2 + 1, Swatch, Swatch);
        painter.setPen(QPen(theme.border(), 1.0));
        painter.setBrush(theme.fill(entry.fill));
        painter.drawRoundedRect(QRectF(swatch).adjusted(0.5, 0.5, -0.5, -0.5), LegendRadius, LegendRadius);
        painter.setPen(isChosen ? palette().color(QPalette::Text) : theme.faintText());
        painter.drawText(all[i].adjusted(EntryMargin + Swatch + SwatchGap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         entry.name);
    }
}

void GraphLegend::mousePressEvent(QMouseEvent* event) {
    const int entry = entryAt(event->pos());
    if (event->button() == Qt::LeftButton && entry >= 0)
        Q_EMIT clicked(m_entries[static_cast<std::size_t>(entry)].fill);
}

void GraphLegend::mouseMoveEvent(QMouseEvent* event) {
    const int entry = entryAt(event->pos());
    if (std::exchange(m_hovered, entry) != entry) update();
}

void GraphLegend::leaveEvent(QEvent* /*event*/) {
    m_hovered = -1;
    update();
}

}  // namespace mitos::views
