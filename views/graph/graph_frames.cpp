// SPDX-License-Identifier: GPL-3.0-or-later
// Frames around groups of nodes: rectangles, and those of regions, which follow their members.
#include "views/common/format.h"
#include "views/graph/graph_items.h"
#include "views/graph/internal/measures.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr double RegionPadding = 6.0;
constexpr double RegionRadius = 7.0;
constexpr double RegionLinkWidth = 18.0;
constexpr double RegionLine = 1.2;
constexpr double ChosenRegionLine = 2.6;
constexpr double FramePadding = 9.0;

/// Gives the frame the shape of its members, and finds the place of its title: above the member that is highest.
void shapeRegion(FrameLayer::Frame& frame, const GraphDescription& graph, const std::vector<QPointF>& centres,
                 bool isRectangle) {
    const GraphGroup& group = graph.groups[frame.group];
    const auto boxOf = [&](GraphIndex member) {
        QRectF box(QPointF(), graph.nodes[member].size);
        box.moveCenter(centres[member]);
        return box.adjusted(-RegionPadding, -RegionPadding, RegionPadding, RegionPadding);
    };
    frame.rect = {};
    for (const GraphIndex member : group.members) frame.rect |= boxOf(member);
    const auto highest = std::ranges::min_element(
        group.members, {}, [&](GraphIndex member) { return std::pair(boxOf(member).top(), centres[member].x()); });
    frame.titlePlace = isRectangle ? frame.rect.topLeft() : boxOf(*highest).topLeft();
    if (isRectangle) return;
    std::vector<bool> isMember(graph.nodes.size(), false);
    for (const GraphIndex member : group.members) {
        isMember[member] = true;
        frame.boxes.push_back(boxOf(member));
    }
    for (const GraphEdge& edge : graph.edges) {
        if (isMember[edge.from] && isMember[edge.to]) frame.links.emplace_back(centres[edge.from], centres[edge.to]);
    }
}

}  // namespace

FrameLayer::Titles::Titles(const FrameLayer& frames) : m_frames(frames) {
    setFlag(ItemUsesExtendedStyleOption);
    setZValue(-0.7);  // over the edges, behind the boxes
}

void FrameLayer::Titles::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* /*widget*/) {
    if (QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform()) < ScaleForText) return;
    for (const Frame& frame : m_frames.m_frames) {
        if (frame.isRegion && m_frames.titleBox(frame).intersects(option->exposedRect))
            m_frames.paintTitle(*painter, frame);
    }
}

FrameLayer::FrameLayer(const GraphStyle& style) : m_style(style), m_titles(new Titles(*this)) {
    setFlag(ItemUsesExtendedStyleOption);
    setZValue(-2);
}

double FrameLayer::titleHeight(const GraphStyle& style) {
    return QFontMetricsF(style.detail).height() + 2 * CaptionGap;
}

void FrameLayer::setFrames(std::vector<Frame> frames) {
    prepareGeometryChange();
    m_titles->prepareChange();
    m_frames = std::move(frames);
    m_bounds = {};
    constexpr double ForBoldTitle = 24.0;
    for (const Frame& frame : m_frames) m_bounds |= (frame.rect | titleBox(frame)).adjusted(-3, -3, ForBoldTitle, 3);
    update();
}

void FrameLayer::setChosen(std::optional<std::size_t> group) {
    if (group == m_chosen) return;
    m_chosen = group;
    update();
    m_titles->update();
}

QFont FrameLayer::titleFont(const Frame& frame) const {
    QFont font = m_style.detail;
    font.setBold(frame.isRegion && m_chosen == frame.group);
    return font;
}

QRectF FrameLayer::titleBox(const Frame& frame) const {
    const double width = QFontMetricsF(titleFont(frame)).horizontalAdvance(frame.title) + 2 * LinePadding;
    const double height = titleHeight(m_style);
    if (frame.isRegion) return {frame.titlePlace.x(), frame.titlePlace.y() - height, width, height};
    return {frame.rect.left(), frame.rect.top(), std::min(width, frame.rect.width()), height};
}

std::optional<std::size_t> FrameLayer::titleAt(const QPointF& point) const {
    for (auto frame = m_frames.rbegin(); frame != m_frames.rend(); ++frame) {  // the ones on top first
        if (titleBox(*frame).contains(point)) return frame->group;
    }
    return std::nullopt;
}

void FrameLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* /*widget*/) {
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    for (const Frame& frame : m_frames) {
        if (!(frame.rect | titleBox(frame)).intersects(option->exposedRect)) continue;
        frame.isRegion ? paintRegion(*painter, frame) : paintBlock(*painter, frame);
        if (scale >= ScaleForText && !frame.isRegion) paintTitle(*painter, frame);
    }
}

void FrameLayer::paintBlock(QPainter& painter, const Frame& frame) const {
    QColor fill = m_style.head;
    fill.setAlphaF(0.5F);
    painter.setPen(QPen(m_style.frame, 0, Qt::DotLine));
    painter.setBrush(fill);
    painter.drawRoundedRect(frame.rect, Radius, Radius);
}

/// The pieces are painted larger in the colour of the frame first, then over it in that of the ground: so they have one outline.
void FrameLayer::paintRegion(QPainter& painter, const Frame& frame) const {
    const bool isChosen = m_chosen == frame.group;
    const double line = isChosen ? ChosenRegionLine : RegionLine;
    const auto paintPieces = [&](const QColor& colour, double wider) {
        painter.setPen(QPen(colour, RegionLinkWidth + 2 * wider, Qt::SolidLine, Qt::RoundCap));
        for (const QLineF& link : frame.links) painter.drawLine(link);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        for (const QRectF& box : frame.boxes)
            painter.drawRoundedRect(box.adjusted(-wider, -wider, wider, wider), RegionRadius, RegionRadius);
        if (frame.boxes.empty()) {
            painter.drawRoundedRect(frame.rect.adjusted(-wider, -wider, wider, wider), RegionRadius, RegionRadius);
        }
    };
    paintPieces(m_style.regionFrame, line);
    paintPieces(isChosen ? m_style.chosenRegion : m_style.region, 0.0);
}

void FrameLayer::paintTitle(QPainter& painter, const Frame& frame) const {
    const QRectF title = titleBox(frame);
    const bool isChosen = m_chosen == frame.group;
    if (frame.isRegion) {
        painter.setPen(QPen(m_style.regionFrame, isChosen ? ChosenRegionLine : RegionLine));
        painter.setBrush(isChosen ? m_style.chosenRegion : m_style.region);
        painter.drawRoundedRect(title, Radius, Radius);
    }
    const QFont font = titleFont(frame);
    painter.setFont(font);
    painter.setPen(m_style.text);
    painter.drawText(title.adjusted(LinePadding, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     elided(frame.title, QFontMetricsF(font), title.width()));
}

std::vector<FrameLayer::Frame> groupFrames(const GraphDescription& graph, const std::vector<QPointF>& centres,
                                           const GraphStyle& style) {
    const double title = FrameLayer::titleHeight(style);
    std::vector<FrameLayer::Frame> frames;
    for (std::size_t number = 0; number < graph.groups.size(); ++number) {
        const GraphGroup& group = graph.groups[number];
        QRectF rect;
        for (const GraphIndex member : group.members) {
            QRectF box(QPointF(), graph.nodes[member].size);
            box.moveCenter(centres[member]);
            rect |= box;
        }
        if (group.isRegion && group.members.empty()) continue;
        const double around = FramePadding * (group.depth + 1);
        rect.adjust(-around, -around - title * (group.depth + 1), around, around);
        std::size_t inside = 0;
        for (const QPointF& centre : centres) inside += rect.contains(centre) ? 1 : 0;
        const bool isAlone = inside == group.members.size();
        if (!isAlone && !group.isRegion) continue;  // the frame would contain nodes outside the group
        frames.push_back({.group = number, .rect = rect, .title = group.title, .isRegion = group.isRegion});
        if (group.isRegion) shapeRegion(frames.back(), graph, centres, isAlone);
    }
    return frames;
}

}  // namespace mitos::views
