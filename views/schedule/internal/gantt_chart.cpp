// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/schedule/internal/gantt_chart.h"

#include "views/common/format.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::views {

namespace {

constexpr int Margin = 148;  // at the left, for the names of lanes
constexpr int RightMargin = 12;
constexpr int Padding = 8;
constexpr double ZoomStep = 1.25;
constexpr double LargestZoom = 1e6;
constexpr double PanStep = 0.1;
constexpr double SmallestBar = 1.0;
constexpr std::ptrdiff_t MostTransfers = 600;
constexpr int MinimumWidth = 420;
constexpr double HeadRoom = 0.12;  // of a memory strip, above the peak

/// The least of 1, 2 and 5 times a power of ten that is not below the number.
double roundStep(double least) {
    if (!(least > 0.0)) return 1.0;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) return factor * power;
    }
    return 10.0 * power;
}

int kindFill(std::uint32_t kind) { return static_cast<int>(std::min<std::uint32_t>(kind, Theme::Fills - 1)); }

}  // namespace

GanttChart::GanttChart(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("ganttChart"));
    setAccessibleName(tr("The schedule over time"));
    setAccessibleDescription(
        tr("What each device does, and the memory that it needs. The same is in the list of operations."));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void GanttChart::show(std::vector<Entry> entries) {
    double end = 0.0;
    for (const Entry& entry : entries) end = std::max(end, entry.shown->timeline().runtime);
    if (!(end > 0.0)) end = 1.0;
    const bool sameScale = !m_entries.empty() && end == m_end;
    m_entries = std::move(entries);
    m_selected.reset();
    m_moment.reset();
    m_copies.clear();
    m_end = end;
    if (!sameScale) {
        m_from = 0.0;
        m_to = end;
    }
    layOut();
    Q_EMIT zoomChanged();
}

void GanttChart::layOut() {
    std::vector<ShownSchedulePtr> schedules;
    for (const Entry& entry : m_entries) schedules.push_back(entry.shown);
    m_leastHeight =
        GanttLayout(schedules, m_showsLifetimes, fontMetrics().height()).height() + fontMetrics().height() + Padding;
    setMinimumHeight(m_leastHeight);
    updateGeometry();
    fillRoom();
}

void GanttChart::fillRoom() {
    std::vector<ShownSchedulePtr> schedules;
    for (const Entry& entry : m_entries) schedules.push_back(entry.shown);
    m_layout =
        GanttLayout(schedules, m_showsLifetimes, fontMetrics().height(), height() - fontMetrics().height() - Padding);
    update();
}

void GanttChart::resizeEvent(QResizeEvent* event) {
    fillRoom();
    QWidget::resizeEvent(event);
}

void GanttChart::setShowsLifetimes(bool shows) {
    m_showsLifetimes = shows;
    layOut();
}

void GanttChart::setSelected(int schedule, std::optional<std::uint32_t> operation) {
    m_selectedIn = schedule;
    m_selected = operation;
    update();
}

void GanttChart::setMoment(const std::optional<Moment>& moment, std::vector<std::uint32_t> copies) {
    m_moment = moment;
    m_copies = std::move(copies);
    std::ranges::sort(m_copies);
    update();
}

QSize GanttChart::sizeHint() const { return {2 * MinimumWidth, m_leastHeight}; }
QSize GanttChart::minimumSizeHint() const { return {MinimumWidth, m_leastHeight}; }

// --- scale -----------------------------------------------------------------------------------------------------------------

double GanttChart::xOf(double time) const {
    return Margin + (time - m_from) / (m_to - m_from) * std::max(1, width() - Margin - RightMargin);
}

double GanttChart::timeAt(double x) const {
    return m_from + (x - Margin) / std::max(1, width() - Margin - RightMargin) * (m_to - m_from);
}

void GanttChart::zoom(double factor, double at) {
    const double span = std::clamp((m_to - m_from) / factor, m_end / LargestZoom, m_end);
    const double share = (at - m_from) / (m_to - m_from);
    m_from = std::clamp(at - share * span, 0.0, m_end - span);
    m_to = m_from + span;
    update();
    Q_EMIT zoomChanged();
}

void GanttChart::showAll() {
    m_from = 0.0;
    m_to = m_end;
    update();
    Q_EMIT zoomChanged();
}

void GanttChart::pan(double time) {
    const double span = m_to - m_from;
    m_from = std::clamp(m_from + time, 0.0, m_end - span);
    m_to = m_from + span;
    update();
}

// --- places ----------------------------------------------------------------------------------------------------------------

QRectF GanttChart::barOf(int schedule, std::uint32_t operation) const {
    if (schedule >= static_cast<int>(m_entries.size())) return {};
    const ShownSchedule& shown = *m_entries[static_cast<std::size_t>(schedule)].shown;
    const schedule::OperationRun& run = shown.timeline().operations[operation];
    const GanttLane* const lane = m_layout.find(GanttLane::Kind::Operations, schedule, run.device);
    if (lane == nullptr || run.end < m_from || run.start > m_to) return {};
    const double left = std::max(xOf(run.start), static_cast<double>(Margin));
    const double right = std::min(xOf(run.end), static_cast<double>(width() - RightMargin));
    return {left, static_cast<double>(lane->top), std::max(right - left, SmallestBar),
            static_cast<double>(lane->height)};
}

QPointF GanttChart::placeIn(int schedule, std::uint32_t device, GanttLane::Kind kind, double time) const {
    const GanttLane* const lane = m_layout.find(kind, schedule, device);
    return lane == nullptr ? QPointF() : QPointF(xOf(time), lane->top + lane->height / 2.0);
}

std::optional<std::uint32_t> GanttChart::operationAt(const QPointF& place) const {
    const GanttLane* const lane = m_layout.laneAt(static_cast<int>(place.y()));
    if (lane == nullptr || lane->kind != GanttLane::Kind::Operations || place.x() < Margin) return std::nullopt;
    constexpr double Reach = 2.0;  // pixels
    std::optional<std::uint32_t> nearest;
    double distance = Reach;
    for (const std::uint32_t operation : shown(*lane).operationsOn(lane->device)) {
        const schedule::OperationRun& run = shown(*lane).timeline().operations[operation];
        const double left = xOf(run.start);
        if (left > place.x() + Reach) break;
        const double away = place.x() < left ? left - place.x() : std::max(0.0, place.x() - xOf(run.end));
        if (away > distance || (nearest && away == distance)) continue;
        distance = away;
        nearest = operation;
    }
    return nearest;
}

QString GanttChart::textAt(const QPointF& place) const {
    const GanttLane* const lane = m_layout.laneAt(static_cast<int>(place.y()));
    if (lane == nullptr || place.x() < Margin) return {};
    const ShownSchedule& shown = this->shown(*lane);
    const auto fromTo = [&shown](double from, double to) {
        return tr("%1 to %2").arg(timeText(from, shown.scheduled()), timeText(to, shown.scheduled()));
    };
    if (lane->kind == GanttLane::Kind::Operations) {
        const auto operation = operationAt(place);
        if (!operation) return {};
        const schedule::OperationRun& run = shown.timeline().operations[*operation];
        std::uint64_t bytes = 0;
        for (const std::uint32_t tensor : shown.problem().outputsOf(*operation))
            bytes += shown.problem().bytesOf(tensor);
        QStringList lines{
            fromUtf8(shown.nameOf(*operation)),
            tr("%1, %2").arg(timeText(run.end - run.start, shown.scheduled()), fromTo(run.start, run.end)),
            tr("makes %1").arg(bytesText(bytes))};
        if (shown.isCritical(*operation)) lines << tr("on the critical path");
        return lines.join(u'\n');
    }
    if (lane->kind == GanttLane::Kind::Memory) {
        const schedule::AliveCopies alive = shown.lifetimes().at(lane->device, timeAt(place.x()));
        return tr("%1 at %2, in %3")
            .arg(bytesText(alive.bytes + shown.scheduled().residentBytes), timeText(alive.time, shown.scheduled()),
                 tensorsText(alive.copies.size()));
    }
    if (lane->kind != GanttLane::Kind::Lifetimes) return {};
    const int row = (static_cast<int>(place.y()) - lane->top) * lane->rowCount / lane->height;
    const double time = timeAt(place.x());
    const std::vector<schedule::Lifetime>& all = shown.lifetimes().all();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (lane->rows[i] != row || all[i].from > time || all[i].to < time) continue;
        return tr("%1\n%2, %3")
            .arg(fromUtf8(shown.nameOf(shown.problem().producerOf(all[i].tensor))),
                 bytesText(shown.problem().bytesOf(all[i].tensor)), fromTo(all[i].from, all[i].to));
    }
    return {};
}

// --- drawing ---------------------------------------------------------------------------------------------------------------

void GanttChart::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    paint(painter);
    if (!hasFocus()) return;
    painter.setClipping(false);
    painter.setPen(QPen(Theme(palette()).accent(), 1.0));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void GanttChart::paint(QPainter& painter) const {
    const Theme theme(palette());
    painter.setFont(font());
    painter.fillRect(rect(), palette().color(QPalette::Base));
    if (m_entries.empty()) return;
    paintAxis(painter, theme);
    for (const GanttLane& lane : m_layout.lanes()) {
        switch (lane.kind) {
            case GanttLane::Kind::Title: paintTitle(painter, theme, lane); break;
            case GanttLane::Kind::Operations: paintOperations(painter, theme, lane); break;
            case GanttLane::Kind::Memory: paintMemory(painter, theme, lane); break;
            case GanttLane::Kind::Lifetimes: paintLifetimes(painter, theme, lane); break;
        }
    }
    painter.setClipRect(QRect(Margin, 0, width() - Margin - RightMargin + 1, height()));
    paintTransfers(painter, theme);
    paintMoment(painter, theme);
    painter.setClipping(false);
    paintLegend(painter, theme);
}

void GanttChart::paintAxis(QPainter& painter, const Theme& theme) const {
    const schedule::ScheduledGraph& scheduled = m_entries.front().shown->scheduled();
    constexpr double MarkWidth = 110.0;
    const double step = roundStep((m_to - m_from) * MarkWidth / std::max(1, width() - Margin - RightMargin));
    const int bottom = m_layout.axisHeight();
    for (double at = std::ceil(m_from / step) * step; at <= m_to * (1.0 + 1e-12); at += step) {
        const double x = xOf(at);
        painter.setPen(theme.line());
        painter.drawLine(QPointF(x, bottom - Padding / 2.0), QPointF(x, m_layout.height()));
        painter.setPen(theme.faintText());
        const QString text = timeText(at, scheduled);
        const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0;
        const double left = std::clamp(x - half, static_cast<double>(Margin), width() - 2.0 * half - 1.0);
        painter.drawText(QPointF(left, bottom - Padding / 2.0 - painter.fontMetrics().descent()), text);
    }
}

void GanttChart::paintTitle(QPainter& painter, const Theme& /*theme*/, const GanttLane& lane) const {
    const Entry& entry = m_entries[static_cast<std::size_t>(lane.schedule)];
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    const QRect room(Padding, lane.top, width() - 2 * Padding, lane.height);
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                     elided(entry.title, QFontMetricsF(bold), static_cast<qreal>(room.width())));
    painter.setFont(font());
}

void GanttChart::paintMargin(QPainter& painter, const Theme& theme, const GanttLane& lane, const QString& upper,
                             const QString& lower) const {
    const int line = painter.fontMetrics().height();
    const bool isTwo = !lower.isEmpty() && lane.height >= 2 * line;
    const QFontMetricsF metrics(font());
    const auto draw = [&](const QString& text, int top, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(QRect(Padding, top, Margin - 2 * Padding, line), Qt::AlignVCenter | Qt::AlignLeft,
                         elided(text, metrics, Margin - 2.0 * Padding));
    };
    const int top = lane.top + (lane.height - (isTwo ? 2 * line : line)) / 2;
    draw(upper, top, palette().color(QPalette::Text));
    if (isTwo) draw(lower, top + line, theme.faintText());
}

void GanttChart::paintOperations(QPainter& painter, const Theme& theme, const GanttLane& lane) const {
    const ShownSchedule& shown = this->shown(lane);
    const std::string& name = shown.scheduled().machine.devices[lane.device].name;
    constexpr double Percent = 100.0;
    paintMargin(painter, theme, lane,
                tr("device %1: %2 % busy")
                    .arg(fromUtf8(name), QLocale().toString(Percent * shown.busyShare(lane.device), 'f', 0)),
                {});
    const QRectF room(Margin, lane.top, width() - Margin - RightMargin, lane.height);
    painter.setClipRect(room.adjusted(0, -1, 1, 1));
    painter.fillRect(room, theme.plotBackground());
    const std::vector<std::uint32_t>& operations = shown.operationsOn(lane.device);
    const QFontMetricsF metrics(font());
    double merged = room.left() - 1.0;  // up to where narrow bars are drawn as one
    for (const std::uint32_t operation : operations) {
        const schedule::OperationRun& run = shown.timeline().operations[operation];
        if (run.end < m_from) continue;
        if (run.start > m_to) break;
        const double left = std::max(xOf(run.start), room.left() - 1.0);
        const double right = std::min(xOf(run.end), room.right() + 1.0);
        const bool isSelected = m_selected == operation && m_selectedIn == lane.schedule;
        const QColor fill = theme.fill(kindFill(shown.kindOf(operation)));
        if (right - left < SmallestBar && !isSelected) {
            if (right <= merged) continue;
            painter.fillRect(QRectF(std::max(left, merged), lane.top + 2.0, SmallestBar, lane.height - 4.0),
                             shown.isCritical(operation) ? theme.accent() : fill.darker());
            merged = std::max(left, merged) + SmallestBar;
            continue;
        }
        const QRectF bar(left, lane.top + 1.5, std::max(right - left, 2.0), lane.height - 3.0);
        painter.setBrush(fill);
        painter.setPen(QPen(shown.isCritical(operation) ? theme.accent() : theme.border(),
                            shown.isCritical(operation) ? 2.0 : 1.0));
        painter.drawRect(bar);
        if (isSelected) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(palette().color(QPalette::Text), 3.0));
            painter.drawRect(bar);
        }
        const double space = std::min(right, room.right()) - std::max(left, room.left()) - Padding;
        constexpr double LeastText = 22.0;
        if (space < LeastText) continue;
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(QRectF(std::max(left, room.left()) + Padding / 2.0, bar.top(), space + 1.0, bar.height()),
                         Qt::AlignVCenter | Qt::AlignLeft, elided(fromUtf8(shown.nameOf(operation)), metrics, space));
    }
    painter.setClipping(false);
}

void GanttChart::paintMemory(QPainter& painter, const Theme& theme, const GanttLane& lane) const {
    const ShownSchedule& shown = this->shown(lane);
    const auto resident = static_cast<double>(shown.scheduled().residentBytes);
    const std::uint64_t ownLimit = shown.scheduled().machine.devices[lane.device].memory;
    const bool hasLimit = ownLimit != schedule::UnlimitedMemory;
    const double limit = hasLimit ? static_cast<double>(ownLimit) + resident : 0.0;
    double highest = 0.0;  // the same scale for all, so that strips can be compared
    for (const Entry& entry : m_entries)
        highest = std::max(highest, static_cast<double>(entry.shown->peakOf(entry.shown->fullestDevice())));
    constexpr double NearLimit = 3.0;
    const bool showsLimit = hasLimit && limit <= NearLimit * highest;
    if (showsLimit) highest = std::max(highest, limit);
    if (highest <= 0.0) highest = 1.0;
    paintMargin(painter, theme, lane, tr("peak %1").arg(bytesText(shown.peakOf(lane.device))),
                hasLimit ? tr("limit %1").arg(bytesText(ownLimit + shown.scheduled().residentBytes)) : tr("no limit"));

    const QRectF room(Margin, lane.top, width() - Margin - RightMargin, lane.height);
    painter.setClipRect(room.adjusted(0, 0, 1, 1));
    painter.fillRect(room, theme.plotBackground());
    const auto yOf = [&](double bytes) {
        return room.bottom() - bytes / highest * (1.0 - HeadRoom) * (room.height() - 1.0);
    };
    QPainterPath area(QPointF(xOf(0.0), room.bottom()));
    area.lineTo(xOf(0.0), yOf(resident));
    double bytes = resident;
    double drawnX = -1.0;
    double drawnMost = 0.0;
    bool isBehind = false;  // the line is higher than the last step
    const std::vector<schedule::MemoryStep>& steps = shown.timeline().memory[lane.device];
    for (const schedule::MemoryStep& step : steps) {
        const double x = xOf(step.time);
        const double next = static_cast<double>(step.bytes) + resident;
        constexpr double Far = 4.0;
        if (step.time > m_to && xOf(m_to) + Far < x) break;
        // Steps within half a pixel are one, as high as the highest of them.
        if (x - drawnX < 0.5 && next < drawnMost && step.time < m_to) {
            bytes = next;
            isBehind = true;
            continue;
        }
        if (std::exchange(isBehind, false)) area.lineTo(drawnX, yOf(bytes));
        if (x - drawnX >= 0.5) {
            drawnX = x;
            drawnMost = next;
        }
        drawnMost = std::max(drawnMost, next);
        area.lineTo(x, yOf(bytes));
        area.lineTo(x, yOf(next));
        bytes = next;
    }
    const double end = xOf(std::min(shown.timeline().runtime, m_to + (m_to - m_from)));
    if (isBehind) area.lineTo(drawnX, yOf(bytes));
    area.lineTo(end, yOf(bytes));
    area.lineTo(end, room.bottom());
    QColor fill = theme.costBar();
    constexpr double Opacity = 0.45;
    fill.setAlphaF(Opacity);
    painter.setPen(QPen(theme.costBar(), 1.0));
    painter.setBrush(fill);
    painter.drawPath(area);
    if (showsLimit) {
        painter.setPen(QPen(theme.worse(), 1.5, Qt::DashLine));
        painter.drawLine(QPointF(room.left(), yOf(limit)), QPointF(room.right(), yOf(limit)));
    }
    painter.setClipping(false);
}

void GanttChart::paintLifetimes(QPainter& painter, const Theme& theme, const GanttLane& lane) const {
    const ShownSchedule& shown = this->shown(lane);
    paintMargin(painter, theme, lane, tr("tensors in memory"), {});
    const QRectF room(Margin, lane.top, width() - Margin - RightMargin, lane.height);
    painter.setClipRect(room.adjusted(0, 0, 1, 1));
    const double height = static_cast<double>(lane.height) / lane.rowCount;
    const std::vector<schedule::Lifetime>& all = shown.lifetimes().all();
    const bool isExplained = m_moment && m_moment->schedule == lane.schedule && m_moment->device == lane.device;
    painter.setPen(Qt::NoPen);
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (lane.rows[i] < 0 || all[i].to < m_from || all[i].from > m_to) continue;
        const double left = std::max(xOf(all[i].from), room.left());
        const double right = std::min(xOf(all[i].to), room.right());
        const bool isAlive = isExplained && std::ranges::binary_search(m_copies, i);
        const bool isOwn =
            m_selected && m_selectedIn == lane.schedule && shown.problem().producerOf(all[i].tensor) == *m_selected;
        painter.fillRect(QRectF(left, lane.top + lane.rows[i] * height, std::max(right - left, SmallestBar),
                                std::max(height - 1.0, 1.0)),
                         isOwn     ? palette().color(QPalette::Text)
                         : isAlive ? theme.accent()
                                   : theme.coolBar());
    }
    painter.setClipping(false);
}

void GanttChart::paintTransfers(QPainter& painter, const Theme& theme) const {
    for (int number = 0; number < static_cast<int>(m_entries.size()); ++number) {
        const ShownSchedule& shown = *m_entries[static_cast<std::size_t>(number)].shown;
        const std::vector<schedule::TransferRun>& all = shown.timeline().transfers;
        const auto isInView = [this](const schedule::TransferRun& run) {
            return run.end >= m_from && run.start <= m_to;
        };
        const bool areFew = std::ranges::count_if(all, isInView) <= MostTransfers;
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const schedule::TransferRun& run = all[i];
            const bool isOfSelected =
                m_selected && m_selectedIn == number && shown.problem().producerOf(run.tensor) == *m_selected;
            if (!isInView(run) || (!areFew && !isOfSelected)) continue;
            const GanttLane* const from = m_layout.find(GanttLane::Kind::Operations, number, run.from);
            const GanttLane* const to = m_layout.find(GanttLane::Kind::Operations, number, run.to);
            if (from == nullptr || to == nullptr) continue;
            const bool isDown = from->top < to->top;
            const bool isCritical = shown.isCritical(shown.operationCount() + i);
            painter.setPen(QPen(isOfSelected ? palette().color(QPalette::Text)
                                : isCritical ? theme.accent()
                                             : theme.faintEdge(),
                                isOfSelected || isCritical ? 2.0 : 1.0));
            const QPointF end(xOf(run.end), isDown ? to->top : to->bottom());
            painter.drawLine(QPointF(xOf(run.start), isDown ? from->bottom() : from->top), end);
            constexpr double Head = 3.0;
            const double back = isDown ? -Head : Head;
            painter.drawLine(end, end + QPointF(-Head, back));
            painter.drawLine(end, end + QPointF(Head, back));
        }
    }
}

/// The kinds of operations that take most time, and what the outlines mean.
void GanttChart::paintLegend(QPainter& painter, const Theme& theme) const {
    const QFontMetrics metrics(font());
    const int box = metrics.ascent();
    double x = Margin;
    const double y = m_layout.height();
    const auto add = [&](const QColor& fill, const QPen& pen, const QString& text) {
        const double width = box + Padding / 2.0 + metrics.horizontalAdvance(text) + 2.0 * Padding;
        if (x + width > this->width() - RightMargin) return;
        painter.setBrush(fill);
        painter.setPen(pen);
        painter.drawRect(QRectF(x, y, box, box));
        painter.setPen(theme.faintText());
        painter.drawText(QPointF(x + box + Padding / 2.0, y + metrics.ascent()), text);
        x += width;
    };
    add(Qt::transparent, QPen(theme.accent(), 2.0), tr("critical path"));
    constexpr double Percent = 100.0;
    constexpr double Least = 0.005;
    const std::vector<OperationKind>& kinds = m_entries.front().shown->kinds();
    for (std::uint32_t kind = 0; kind < kinds.size() && kind + 1 < Theme::Fills; ++kind) {
        if (kinds[kind].share < Least) break;
        add(theme.fill(kindFill(kind)), QPen(theme.border()),
            tr("%1 %2 %").arg(kinds[kind].name, QLocale().toString(Percent * kinds[kind].share, 'f', 0)));
    }
    if (kinds.size() >= Theme::Fills) add(theme.fill(Theme::Fills - 1), QPen(theme.border()), tr("others"));
}

void GanttChart::paintMoment(QPainter& painter, const Theme& theme) const {
    if (!m_moment) return;
    const GanttLane* const lane = m_layout.find(GanttLane::Kind::Memory, m_moment->schedule, m_moment->device);
    if (lane == nullptr) return;
    const GanttLane* const lives = m_layout.find(GanttLane::Kind::Lifetimes, m_moment->schedule, m_moment->device);
    painter.setPen(QPen(theme.accent(), 2.0));
    const double x = xOf(m_moment->time);
    painter.drawLine(QPointF(x, lane->top), QPointF(x, (lives != nullptr ? lives : lane)->bottom()));
}

// --- the user --------------------------------------------------------------------------------------------------------------

void GanttChart::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    if (m_entries.empty() || event->modifiers().testFlag(Qt::AltModifier) || turned.y() == 0) {
        QWidget::wheelEvent(event);
        return;
    }
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        pan((turned.y() > 0 ? -PanStep : PanStep) * (m_to - m_from));
    } else {
        zoom(turned.y() > 0 ? ZoomStep : 1.0 / ZoomStep, timeAt(event->position().x()));
    }
    event->accept();
}

void GanttChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        QWidget::mousePressEvent(event);
        return;
    }
    m_pressed = event->position();
    m_isPanning = false;
}

void GanttChart::mouseMoveEvent(QMouseEvent* event) {
    if (!m_pressed || !event->buttons().testFlag(Qt::LeftButton)) return;
    if (!m_isPanning &&
        (event->position() - *m_pressed).manhattanLength() < static_cast<double>(QApplication::startDragDistance()))
        return;
    m_isPanning = true;
    pan(timeAt(m_pressed->x()) - timeAt(event->position().x()));
    m_pressed = event->position();
}

void GanttChart::mouseReleaseEvent(QMouseEvent* event) {
    const bool isClick = m_pressed && !m_isPanning && event->button() == Qt::LeftButton;
    m_pressed.reset();
    m_isPanning = false;
    if (!isClick) return;
    const GanttLane* const lane = m_layout.laneAt(static_cast<int>(event->position().y()));
    if (lane == nullptr || event->position().x() < Margin) return;
    if (lane->kind == GanttLane::Kind::Operations) {
        if (const auto operation = operationAt(event->position())) Q_EMIT operationChosen(lane->schedule, *operation);
    } else if (lane->kind != GanttLane::Kind::Title) {
        Q_EMIT momentChosen(lane->schedule, lane->device,
                            std::clamp(timeAt(event->position().x()), 0.0, shown(*lane).timeline().runtime));
    }
}

void GanttChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) showAll();
}

void GanttChart::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: zoom(ZoomStep, centre()); return;
        case Qt::Key_Minus: zoom(1.0 / ZoomStep, centre()); return;
        case Qt::Key_Left: pan(-PanStep * (m_to - m_from)); return;
        case Qt::Key_Right: pan(PanStep * (m_to - m_from)); return;
        case Qt::Key_Home: showAll(); return;
        default: QWidget::keyPressEvent(event);
    }
}

void GanttChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) layOut();
    QWidget::changeEvent(event);
}

bool GanttChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const QString text = textAt(help->pos());
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), text, this);
    return true;
}

}  // namespace mitos::views
