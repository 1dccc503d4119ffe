// SPDX-License-Identifier: GPL-3.0-or-later
// Paints graphs, with less detail at smaller scales.
#include "views/graph/graph_items.h"

#include "views/common/format.h"
#include "views/graph/internal/measures.h"
#include "views/theme/theme.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>
#include <cmath>

namespace mitos::views {

namespace {

// Below this scale frames are left out.
constexpr double ScaleForFrames = 0.2;
constexpr double SmallestDot = 1.5;  // pixels
constexpr double Padding = 7.0;
constexpr double BarHeight = 3.0;
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
constexpr double RingGap = 2.5;
constexpr double RingWidth = 2.5;
constexpr double RegionTint = 0.16;
constexpr double ChosenRegionTint = 0.34;
/// Edges longer than these are drawn in the next paler colour; and how much of the text's colour is left in each.
constexpr std::array<double, 4> FadeLengths{200.0, 400.0, 800.0, 1600.0};
constexpr std::array<double, 5> FadeStrengths{1.0, 0.75, 0.55, 0.42, 0.34};

QColor mixed(const QColor& colour, const QColor& ground, double strength) {
    const auto part = [strength](int a, int b) { return qRound(strength * a + (1.0 - strength) * b); };
    return {part(colour.red(), ground.red()), part(colour.green(), ground.green()), part(colour.blue(), ground.blue())};
}

QString buttonText(const GraphNode& node) {
    if (node.hidden == 0) return QStringLiteral("−");
    return QStringLiteral("+") + countText(node.hidden);
}

/// Rounding of advances must not shorten text that was measured to fit.
double textRoom(const GraphNode& node) { return node.size.width() - 2 * Padding + 1; }

void lay(QStaticText& text, const QFont& font, const QString& what, double room) {
    text.setText(room > 0 ? elided(what, QFontMetricsF(font), room) : what);
    text.setTextFormat(Qt::PlainText);
    text.setPerformanceHint(QStaticText::AggressiveCaching);
    text.prepare({}, font);
}

/// Width of the column of row tags; 0 if no row has a tag.
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
    outline = theme.border();
    text = palette.color(QPalette::Text);
    faint = theme.faintText();
    faintEdge = theme.faintEdge();
    region = mixed(theme.accent(), box, RegionTint);
    chosenRegion = mixed(theme.accent(), box, ChosenRegionTint);
    regionFrame = theme.accent();
    bar = theme.costBar();
    selected = theme.selected();
    selectedFrame = Theme(palette).accent();
    shared = theme.shared();
    changed = theme.added();
    gone = theme.removed();
    found = theme.category(0);
    parts = {theme.category(1), theme.category(2), theme.category(4)};
    for (int i = 0; i < Theme::Fills; ++i) fills.at(static_cast<std::size_t>(i)) = theme.fill(i);
    for (std::size_t i = 0; i < heats.size(); ++i)
        heats.at(i) = theme.heat(static_cast<double>(i) / static_cast<double>(heats.size() - 1));
    for (std::size_t i = 0; i < edges.size(); ++i) edges.at(i) = mixed(frame, box, FadeStrengths.at(i));
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
    node.captionHeight = 0.0;
    if (!node.caption.isEmpty()) {
        width = std::max(width, widthOf(m_detailWidths, details, node.caption) - 2 * Padding + 4);
        node.captionHeight = details.height() + 2 * CaptionGap;
        height += node.captionHeight;
    }
    node.size = {std::ceil(std::max(NarrowestBox, width + 2 * Padding)), std::ceil(height)};
}

// --- nodes ---------------------------------------------------------------------------------------------------------------

NodeItem::NodeItem(const GraphNode& node, GraphIndex index, const GraphStyle& style)
    : m_node(node),
      m_index(index),
      m_style(style) {}

void NodeItem::layOutTexts() {
    m_laidOut = true;
    const double width = textRoom(m_node);
    lay(m_title, m_style.title, m_node.title, width);
    lay(m_detail, m_style.detail, m_node.detail, width);
    if (!m_node.caption.isEmpty()) lay(m_caption, m_style.detail, m_node.caption, 0.0);
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
    m_state = bits;
}

QRectF NodeItem::box() const {
    return {-m_node.size.width() / 2, -m_node.size.height() / 2, m_node.size.width(),
            m_node.size.height() - m_node.captionHeight};
}

QRectF NodeItem::button() const {
    if (!m_node.expandable) return {};
    QRectF rect(0, 0, std::max(ButtonHeight, m_buttonWidth + ButtonHeight * 0.7), ButtonHeight);
    rect.moveCenter({0, box().bottom()});
    // The caption is below the box, so the button moves to the upper right corner.
    if (!m_node.caption.isEmpty()) rect.moveCenter({box().right() - rect.width() / 2 - Radius, box().top() - 2});
    return rect;
}

QRectF NodeItem::boundingRect() const {
    constexpr double Around = RingGap + RingWidth;
    return box().united(button()).adjusted(-Around, -Around, Around, Around + m_node.captionHeight);
}

QColor NodeItem::farColour() const {
    if (is(NodeState::Selected)) return m_style.selectedFrame;
    if (is(NodeState::Found)) return m_style.found;
    if (m_node.removed || is(NodeState::Gone) || is(NodeState::Root)) return m_style.gone;
    if (is(NodeState::Changed)) return m_style.changed;
    if (is(NodeState::Shared)) return m_style.shared;
    return familyColour();
}

QColor NodeItem::familyColour() const {
    // Without its outline, a cold box would be invisible.
    if (m_node.heat) return mixed(m_style.bar, m_style.outline, std::clamp(*m_node.heat, 0.0, 1.0));
    return m_node.fill < 0 ? m_style.frame : ownFill();
}

QColor NodeItem::ownFill() const {
    if (m_node.heat) {
        const double level = std::clamp(*m_node.heat, 0.0, 1.0) * static_cast<double>(m_style.heats.size() - 1);
        return m_style.heats.at(static_cast<std::size_t>(std::ceil(level)));
    }
    return m_node.fill < 0 ? m_style.box
                           : m_style.fills.at(static_cast<std::size_t>(m_node.fill) % m_style.fills.size());
}

void NodeItem::paint(QPainter& target, double scale) {
    QPainter* const painter = &target;
    const QRectF rect = box();
    QColor fill = ownFill();
    if (is(NodeState::Changed)) fill = m_style.changed;
    if (is(NodeState::Shared)) fill = m_style.shared;
    if (m_node.removed || is(NodeState::Gone) || is(NodeState::Root)) fill = m_style.gone;
    if (is(NodeState::Selected)) fill = m_style.selected;
    if (is(NodeState::Found)) {
        painter->setPen(QPen(m_style.found, RingWidth));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(rect.adjusted(-RingGap, -RingGap, RingGap, RingGap), Radius, Radius);
    }
    QPen pen(m_style.outline, 0);
    if (is(NodeState::Shared)) pen.setStyle(Qt::DotLine);
    if (m_node.removed) pen = QPen(m_style.faint, 1.4, Qt::DashLine);
    if (is(NodeState::Gone)) pen = QPen(m_style.text, 1.4, Qt::DashLine);
    if (is(NodeState::Root)) pen = QPen(m_style.text, SelectedFrame);
    if (is(NodeState::Selected)) pen = QPen(m_style.selectedFrame, SelectedFrame);
    painter->setPen(pen);
    painter->setBrush(fill);
    painter->drawRoundedRect(rect, Radius, Radius);
    if (m_node.doubleFrame || is(NodeState::Root)) {
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(rect.adjusted(DoubleFrameGap, DoubleFrameGap, -DoubleFrameGap, -DoubleFrameGap),
                                 Radius, Radius);
    }
    if (!m_node.rows.empty()) paintRowFrames(*painter);
    if (m_node.share > 0) paintBar(*painter, rect);
    if (m_node.heat && *m_node.heat > 0.0) paintHeat(*painter, rect);
    if (is(NodeState::Changed)) {
        QRectF mark = rect.adjusted(0, Radius, 0, -Radius);
        mark.setWidth(ChangedWidth);
        painter->fillRect(mark, m_style.selectedFrame);
    }
    if (scale < ScaleForText) return;
    if (!m_laidOut) layOutTexts();
    paintTexts(*painter);
    if (m_node.captionHeight > 0.0) paintCaption(*painter);
}

/// A gauge at the right edge, filled from below.
void NodeItem::paintHeat(QPainter& painter, const QRectF& rect) const {
    QRectF gauge = rect.adjusted(0, Radius, 0, -Radius);
    gauge.setLeft(gauge.right() - ChangedWidth);
    gauge.setTop(gauge.bottom() - gauge.height() * std::min(1.0, *m_node.heat));
    painter.fillRect(gauge, m_style.bar);
}

void NodeItem::paintBar(QPainter& painter, const QRectF& rect) const {
    QRectF bar = rect.adjusted(Radius, 0, -Radius, -1);
    bar.setTop(bar.bottom() - BarHeight);
    bar.setWidth(std::max(1.0, bar.width() * std::min(1.0, m_node.share)));
    if (m_node.parts.empty()) painter.fillRect(bar, m_style.bar);
    double left = bar.left();
    for (std::size_t i = 0; i < m_node.parts.size(); ++i) {
        const double width = bar.width() * m_node.parts[i];
        painter.fillRect(QRectF(left, bar.top(), width, bar.height()), m_style.parts.at(i % m_style.parts.size()));
        left += width;
    }
}

void NodeItem::paintCaption(QPainter& painter) const {
    const QRectF rect = box();
    if (m_node.leads) {
        painter.setPen(QPen(m_style.frame, 0));
        painter.drawLine(QPointF(0, rect.bottom()), QPointF(0, rect.bottom() + m_node.captionHeight));
    }
    const QSizeF size = m_caption.size();
    const QRectF room(-size.width() / 2, rect.bottom() + CaptionGap, size.width(), size.height());
    painter.fillRect(room.adjusted(-2, 0, 2, 0), m_style.box);
    painter.setFont(m_style.detail);
    painter.setPen(m_style.faint);
    painter.drawStaticText(room.topLeft(), m_caption);
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

// --- all of them ---------------------------------------------------------------------------------------------------------

NodeLayer::NodeLayer() { setFlag(ItemUsesExtendedStyleOption); }  // provides exposedRect

void NodeLayer::clear() {
    prepareGeometryChange();
    m_items.clear();
    m_bounds = {};
}

void NodeLayer::add(const GraphNode& node, GraphIndex index, const GraphStyle& style) {
    m_items.push_back(std::make_unique<NodeItem>(node, index, style));
}

void NodeLayer::moved() {
    prepareGeometryChange();
    m_bounds = {};
    for (const auto& item : m_items) m_bounds |= item->boundingRect().translated(item->pos());
}

void NodeLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* /*widget*/) {
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const QTransform base = painter->transform();
    for (const auto& item : m_items) {
        if (!item->boundingRect().translated(item->pos()).intersects(option->exposedRect)) continue;
        if (scale < ScaleForFrames) {
            // Each node stays visible, however small it is.
            QRectF dot = item->box().translated(item->pos());
            const double across = std::max(0.0, SmallestDot / scale - dot.width()) / 2;
            const double down = std::max(0.0, SmallestDot / scale - dot.height()) / 2;
            dot.adjust(-across, -down, across, down);
            painter->fillRect(dot, item->farColour());
            continue;
        }
        painter->setTransform(QTransform::fromTranslate(item->pos().x(), item->pos().y()) * base);
        item->paint(*painter, scale);
    }
    painter->setTransform(base);
}

// --- edges ---------------------------------------------------------------------------------------------------------------

EdgeLayer::EdgeLayer(const GraphStyle& style) : m_style(style) {
    setFlag(ItemUsesExtendedStyleOption);  // provides exposedRect
    setZValue(-1);
}

void EdgeLayer::setLines(std::vector<Line> lines) {
    prepareGeometryChange();
    m_lines = std::move(lines);
    std::ranges::stable_sort(m_lines, {}, [](const Line& line) { return line.faint ? 0 : line.strong ? 2 : 1; });
    m_boxes.clear();
    m_bounds = {};
    for (const Line& line : m_lines) {
        m_boxes.push_back(
            (line.path.controlPointRect() | line.head.boundingRect() | labelBox(line)).adjusted(-2, -2, 2, 2));
        m_bounds |= m_boxes.back();
    }
    update();
}

QRectF EdgeLayer::labelBox(const Line& line) const {
    if (line.label.isEmpty()) return {};
    const QFontMetricsF metrics(m_style.detail);
    QRectF box(0, 0, metrics.horizontalAdvance(line.label) + 2 * LinePadding, metrics.height());
    box.moveCenter(line.labelPlace);
    return box;
}

void EdgeLayer::setSelected(std::optional<GraphIndex> node) {
    if (node == m_selected) return;
    m_selected = node;
    update();
}

std::size_t EdgeLayer::fadeOf(const Line& line) const {
    if (m_selected && (line.from == *m_selected || line.to == *m_selected)) return 0;
    return static_cast<std::size_t>(std::ranges::lower_bound(FadeLengths, line.length) - FadeLengths.begin());
}

void EdgeLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* /*widget*/) {
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    painter->setBrush(Qt::NoBrush);
    std::array<QPen, FadeStrengths.size()> solid;
    for (std::size_t i = 0; i < solid.size(); ++i) solid.at(i) = QPen(m_style.edges.at(i), 0);
    const QPen strong(m_style.text, StrongLine);
    const QPen pale(m_style.faintEdge, 0);
    QPen dashed(m_style.selectedFrame, 0);
    dashed.setWidthF(1.4);
    dashed.setStyle(Qt::DashLine);
    const QPen gone(m_style.faint, 0, Qt::DashLine);
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (!m_boxes[i].intersects(option->exposedRect)) continue;
        const bool child = m_lines[i].kind == GraphEdge::Kind::Child;
        const EdgeLayer::Line& drawn = m_lines[i];
        const QPen& line = drawn.dashed ? gone : drawn.strong ? strong : drawn.faint ? pale : solid.at(fadeOf(drawn));
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
    if (scale < ScaleForText) return;
    painter->setFont(m_style.detail);
    painter->setPen(m_style.text);
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (m_lines[i].label.isEmpty() || !m_boxes[i].intersects(option->exposedRect)) continue;
        const QRectF box = labelBox(m_lines[i]);
        painter->fillRect(box, m_style.box);
        painter->drawText(box, Qt::AlignCenter, m_lines[i].label);
    }
}

}  // namespace mitos::views
