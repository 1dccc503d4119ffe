// SPDX-License-Identifier: GPL-3.0-or-later
// Painting, with less detail the further away one looks.
#include "views/graph/graph_items.h"

#include "views/theme/theme.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>
#include <cmath>

namespace mitos::views {

namespace {

// Below these scales text, then frames are left out.
constexpr double ScaleForText = 0.4;
constexpr double ScaleForFrames = 0.2;
constexpr double Padding = 7.0;
constexpr double LinePadding = 3.0;
constexpr double BarHeight = 3.0;
constexpr double Radius = 4.0;
constexpr double WidestText = 190.0;
constexpr double NarrowestBox = 26.0;
constexpr double ButtonHeight = 13.0;
constexpr double ChangedWidth = 4.0;
constexpr double SelectedFrame = 2.2;
constexpr double StrongLine = 2.0;
constexpr double RowPadding = 1.5;
constexpr double RowGap = 10.0;  // between a row's text and its detail
constexpr double TagGap = 4.0;
constexpr double DoubleFrameGap = 3.0;
constexpr double SmallerBy = 1.5;  // points

QString buttonText(const GraphNode& node) {
    if (node.hidden == 0) return QStringLiteral("−");
    return QStringLiteral("+") + QLocale().toString(static_cast<qulonglong>(node.hidden));
}

/// Rounding of advances must not shorten what was measured.
double textRoom(const GraphNode& node) { return node.size.width() - 2 * Padding + 1; }

void lay(QStaticText& text, const QFont& font, const QString& what, double room) {
    text.setText(room > 0 ? QFontMetricsF(font).elidedText(what, Qt::ElideRight, room) : what);
    text.setTextFormat(Qt::PlainText);
    text.setPerformanceHint(QStaticText::AggressiveCaching);
    text.prepare({}, font);
}

/// Room for the tags of a node's rows, which stand in a column; 0 if no row has one.
double tagWidth(const GraphNode& node, const QFontMetricsF& metrics) {
    double width = 0.0;
    for (const GraphRow& row : node.rows) {
        if (!row.tag.isEmpty()) width = std::max(width, metrics.horizontalAdvance(row.tag) + TagGap);
    }
    return width;
}

}  // namespace

GraphStyle::GraphStyle(const QPalette& palette, const QFont& font) {
    const Theme theme(palette);
    box = palette.color(QPalette::Base);
    frame = theme.faintText();
    text = palette.color(QPalette::Text);
    faint = theme.faintText();
    bar = theme.costBar();
    selected = theme.selected();
    selectedFrame = palette.color(QPalette::Highlight);
    shared = theme.shared();
    changed = theme.added();
    head = palette.color(QPalette::AlternateBase);
    title = font;
    strong = font;
    strong.setBold(true);
    detail = font;
    detail.setPointSizeF(std::max(6.0, font.pointSizeF() - SmallerBy));
}

void GraphStyle::measure(GraphNode& node) const {
    const QFontMetricsF titles(title);
    const QFontMetricsF strongs(strong);
    const QFontMetricsF details(detail);
    double width = std::min(WidestText, titles.horizontalAdvance(node.title));
    double height = titles.height() + 2 * LinePadding;
    if (!node.detail.isEmpty()) {
        width = std::max(width, std::min(WidestText, details.horizontalAdvance(node.detail)));
        height += details.height();
    }
    node.headHeight = height;
    node.rowHeight = std::ceil(titles.height() + 2 * RowPadding);
    const double tags = tagWidth(node, details);
    const auto widthOf = [](Widths& known, const QFontMetricsF& metrics, const QString& text) {
        const auto found = known.constFind(text);
        return found != known.constEnd() ? *found : *known.insert(text, metrics.horizontalAdvance(text));
    };
    for (const GraphRow& row : node.rows) {
        const double text =
            row.strong ? widthOf(m_strongWidths, strongs, row.text) : widthOf(m_titleWidths, titles, row.text);
        double needed = tags + std::min(WidestText, text);
        if (!row.detail.isEmpty()) needed += RowGap + widthOf(m_detailWidths, details, row.detail);
        width = std::max(width, needed);
    }
    height += node.rowHeight * static_cast<double>(node.rows.size());
    if (!node.rows.empty()) height += RowPadding;
    if (node.share >= 0) height += BarHeight;
    node.size = {std::ceil(std::max(NarrowestBox, width + 2 * Padding)), std::ceil(height)};
}

// --- nodes ---------------------------------------------------------------------------------------------------------------

NodeItem::NodeItem(const GraphNode& node, GraphIndex index, const GraphStyle& style)
    : m_node(node),
      m_index(index),
      m_style(style) {
    setToolTip(node.toolTip);
    layOutTexts();
}

void NodeItem::layOutTexts() {
    const double width = textRoom(m_node);
    lay(m_title, m_style.title, m_node.title, width);
    lay(m_detail, m_style.detail, m_node.detail, width);
    m_rows.clear();
    if (!m_node.expandable) return;
    lay(m_buttonText, m_style.detail, buttonText(m_node), 0.0);
    m_buttonWidth = m_buttonText.size().width();
}

void NodeItem::layOutRows() {
    m_rows.assign(m_node.rows.size(), {});
    m_tagWidth = tagWidth(m_node, QFontMetricsF(m_style.detail));
    const double width = textRoom(m_node);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const GraphRow& row = m_node.rows[i];
        if (!row.tag.isEmpty()) lay(m_rows[i].tag, m_style.detail, row.tag, 0.0);
        double taken = m_tagWidth;
        if (!row.detail.isEmpty()) {
            lay(m_rows[i].detail, m_style.detail, row.detail, 0.0);
            taken += RowGap + m_rows[i].detail.size().width();
        }
        lay(m_rows[i].text, row.strong ? m_style.strong : m_style.title, row.text, std::max(1.0, width - taken));
    }
}

void NodeItem::setState(NodeState state, bool on) {
    const unsigned bits = on ? m_state | static_cast<unsigned>(state) : m_state & ~static_cast<unsigned>(state);
    if (bits == m_state) return;
    m_state = bits;
    update();
}

QRectF NodeItem::box() const {
    return {-m_node.size.width() / 2, -m_node.size.height() / 2, m_node.size.width(), m_node.size.height()};
}

QRectF NodeItem::button() const {
    if (!m_node.expandable) return {};
    QRectF rect(0, 0, std::max(ButtonHeight, m_buttonWidth + ButtonHeight * 0.7), ButtonHeight);
    rect.moveCenter({0, box().bottom()});
    return rect;
}

QRectF NodeItem::boundingRect() const { return box().united(button()).adjusted(-2, -2, 2, 2); }

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const QRectF rect = box();
    QColor fill = m_style.box;
    if (is(NodeState::Changed)) fill = m_style.changed;
    if (is(NodeState::Shared)) fill = m_style.shared;
    if (is(NodeState::Selected)) fill = m_style.selected;
    if (scale < ScaleForFrames) {
        const bool plain = m_state == 0;
        const QColor far = is(NodeState::Selected) ? m_style.selectedFrame : m_style.frame;
        painter->fillRect(rect, plain || is(NodeState::Selected) ? far : fill);
        return;
    }
    QPen pen(m_style.frame, 0);
    if (is(NodeState::Shared)) pen.setStyle(Qt::DotLine);
    if (is(NodeState::Selected)) pen = QPen(m_style.selectedFrame, SelectedFrame);
    painter->setPen(pen);
    painter->setBrush(fill);
    painter->drawRoundedRect(rect, Radius, Radius);
    if (m_node.doubleFrame) {
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(rect.adjusted(DoubleFrameGap, DoubleFrameGap, -DoubleFrameGap, -DoubleFrameGap),
                                 Radius, Radius);
    }
    if (!m_node.rows.empty()) paintRowFrames(*painter);
    if (m_node.share > 0) {
        QRectF bar = rect.adjusted(Radius, 0, -Radius, -1);
        bar.setTop(bar.bottom() - BarHeight);
        bar.setWidth(std::max(1.0, bar.width() * std::min(1.0, m_node.share)));
        painter->fillRect(bar, m_style.bar);
    }
    if (is(NodeState::Changed)) {
        QRectF mark = rect.adjusted(0, Radius, 0, -Radius);
        mark.setWidth(ChangedWidth);
        painter->fillRect(mark, m_style.selectedFrame);
    }
    if (scale >= ScaleForText) paintTexts(*painter);
}

void NodeItem::paintTexts(QPainter& painter) {
    if (m_rows.size() != m_node.rows.size()) layOutRows();
    const QRectF room = box().adjusted(Padding, LinePadding, -Padding, -LinePadding);
    for (std::size_t row = 0; row < m_rows.size(); ++row) paintRow(painter, row);
    const auto centred = [&painter](const QStaticText& text, double centre, double top) {
        painter.drawStaticText(QPointF(centre - text.size().width() / 2, top), text);
    };
    painter.setFont(m_style.title);
    painter.setPen(m_style.text);
    centred(m_title, room.center().x(), room.top());
    painter.setFont(m_style.detail);
    if (!m_node.detail.isEmpty()) {
        painter.setPen(m_style.faint);
        centred(m_detail, room.center().x(), room.top() + m_title.size().height());
    }
    if (!m_node.expandable || (m_node.hidden == 0 && !is(NodeState::Selected))) return;
    const QRectF pill = button();
    painter.setPen(QPen(m_style.frame, 0));
    painter.setBrush(m_style.box);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setPen(m_style.text);
    centred(m_buttonText, pill.center().x(), pill.center().y() - m_buttonText.size().height() / 2);
}

QRectF NodeItem::rowBox(std::size_t row) const {
    const QRectF all = box();
    return {all.left(), all.top() + m_node.headHeight + static_cast<double>(row) * m_node.rowHeight, all.width(),
            m_node.rowHeight};
}

void NodeItem::paintRowFrames(QPainter& painter) const {
    const QRectF first = rowBox(0);
    painter.setPen(QPen(m_style.frame, 0));
    painter.drawLine(first.topLeft(), first.topRight());
    painter.setBrush(Qt::NoBrush);
    for (std::size_t row = 0; row < m_node.rows.size(); ++row) {
        if (m_node.rows[row].frame == Qt::NoPen) continue;
        QPen pen(m_style.selectedFrame, 1.2, m_node.rows[row].frame);
        painter.setPen(pen);
        painter.drawRect(rowBox(row).adjusted(3, 1, -3, -1));
    }
}

void NodeItem::paintRow(QPainter& painter, std::size_t row) const {
    const GraphRow& what = m_node.rows[row];
    const RowTexts& texts = m_rows[row];
    const QRectF room = rowBox(row).adjusted(Padding, 0, -Padding, 0);
    const auto draw = [&](const QStaticText& text, const QFont& font, double left) {
        painter.setFont(font);
        painter.drawStaticText(QPointF(left, room.center().y() - text.size().height() / 2), text);
    };
    painter.setPen(m_style.text);
    if (!what.tag.isEmpty()) draw(texts.tag, m_style.detail, room.left());
    painter.setPen(what.faint ? m_style.faint : m_style.text);
    const double left = room.left() + m_tagWidth;
    draw(texts.text, what.strong ? m_style.strong : m_style.title, left);
    if (what.faint) {
        painter.drawLine(QPointF(left, room.center().y()),
                         QPointF(left + texts.text.size().width(), room.center().y()));
    }
    painter.setPen(m_style.faint);
    if (!what.detail.isEmpty()) draw(texts.detail, m_style.detail, room.right() - texts.detail.size().width());
}

// --- edges ---------------------------------------------------------------------------------------------------------------

EdgeLayer::EdgeLayer(const GraphStyle& style) : m_style(style) {
    setFlag(ItemUsesExtendedStyleOption);  // exposedRect
    setZValue(-1);
}

void EdgeLayer::setLines(std::vector<Line> lines) {
    prepareGeometryChange();
    m_lines = std::move(lines);
    m_boxes.clear();
    m_bounds = {};
    for (const Line& line : m_lines) {
        m_boxes.push_back((line.path.controlPointRect() | line.head.boundingRect()).adjusted(-2, -2, 2, 2));
        m_bounds |= m_boxes.back();
    }
    update();
}

void EdgeLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* /*widget*/) {
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    painter->setBrush(Qt::NoBrush);
    const QPen solid(m_style.frame, 0);
    const QPen strong(m_style.text, StrongLine);
    QPen dashed(m_style.selectedFrame, 0);
    dashed.setWidthF(1.4);
    dashed.setStyle(Qt::DashLine);
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (!m_boxes[i].intersects(option->exposedRect)) continue;
        const bool child = m_lines[i].kind == GraphEdge::Kind::Child;
        const QPen& line = m_lines[i].strong ? strong : solid;
        painter->setPen(child ? line : dashed);
        if (child && scale < ScaleForFrames)
            painter->drawLine(m_lines[i].path.elementAt(0),
                              m_lines[i].path.elementAt(m_lines[i].path.elementCount() - 1));
        else
            painter->drawPath(m_lines[i].path);
        if (m_lines[i].head.isEmpty() || scale < ScaleForFrames) continue;
        painter->setBrush(line.color());
        painter->setPen(Qt::NoPen);
        painter->drawPolygon(m_lines[i].head);
        painter->setBrush(Qt::NoBrush);
    }
}

}  // namespace mitos::views
