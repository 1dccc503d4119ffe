// SPDX-License-Identifier: GPL-3.0-or-later
// The scene, its two layouts, and what mouse and keys do with it.
#include "views/graph/graph_view.h"

#include "views/graph/layered_layout.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::views {

namespace {

constexpr double AutomaticSeconds = 3.0;
constexpr double AskedForSeconds = 60.0;
constexpr int AnimationMs = 200;
constexpr std::size_t MostMovingEdges = 600;  // more take longer than a frame to draw
constexpr double ZoomStep = 1.2;
constexpr double SmallestScale = 0.02;
constexpr double LargestScale = 4.0;
constexpr double ReadableScale = 0.75;
constexpr double Margin = 24.0;

/// Edges that lead back leave where others arrive.
std::vector<QPointF> wayBetween(const QRectF& from, const QRectF& to, GraphDirection direction) {
    const QPointF way = to.center() - from.center();
    if ((direction == GraphDirection::Down ? way.y() : way.x()) >= 0) return directRoute(from, to, direction);
    std::vector<QPointF> route = directRoute(to, from, direction);
    std::reverse(route.begin(), route.end());
    return route;
}

/// At the end of a course, along its last part.
QPolygonF arrowHead(const std::vector<QPointF>& route) {
    constexpr double Length = 7.0;
    constexpr double HalfWidth = 3.0;
    if (route.size() < 2) return {};
    const QPointF tip = route.back();
    QPointF way;
    for (std::size_t i = route.size() - 1; i-- > 0 && way.isNull();) way = tip - route[i];
    const double length = std::hypot(way.x(), way.y());
    if (length <= 0) return {};
    const QPointF along = way / length * Length;
    const QPointF across = QPointF(-way.y(), way.x()) / length * HalfWidth;
    return QPolygonF({tip, tip - along + across, tip - along - across});
}

}  // namespace

GraphView::GraphView(JobRunner& jobs, QWidget* parent)
    : QGraphicsView(parent),
      m_jobs(jobs),
      m_style(palette(), font()),
      m_edges(new EdgeLayer(m_style)),
      m_overlay(new EdgeLayer(m_style)),
      m_chip(new QToolButton(this)) {
    setObjectName(QStringLiteral("graphView"));
    setScene(new QGraphicsScene(this));
    scene()->addItem(m_edges);
    scene()->addItem(m_overlay);
    m_overlay->setZValue(-0.5);  // behind the boxes, so that names can be read
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setFocusPolicy(Qt::StrongFocus);
    setBackgroundRole(QPalette::Base);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
    setAccessibleName(tr("Graph"));
    m_chip->setObjectName(QStringLiteral("graphBetterLayout"));
    m_chip->setText(tr("Better layout ready – apply"));
    m_chip->hide();
    connect(m_chip, &QToolButton::clicked, this, &GraphView::applyBetterLayout);
    m_animation.setStartValue(0.0);
    m_animation.setEndValue(1.0);
    m_animation.setDuration(AnimationMs);
    connect(&m_animation, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        const double t = value.toDouble();
        std::vector<QPointF> centres(m_items.size());
        for (std::size_t i = 0; i < centres.size(); ++i) {
            centres[i] = m_from[i] * (1.0 - t) + m_layout.centres[i] * t;
        }
        placeItems(centres);
        drawEdges(false);
    });
    connect(&m_animation, &QVariantAnimation::finished, this, [this] { show(m_layout); });
}

GraphView::~GraphView() {
    if (m_job != 0) m_jobs.discard(m_job);
}

// --- content -------------------------------------------------------------------------------------------------------------

void GraphView::setGraph(GraphDescription graph, bool sameSubject) {
    m_animation.stop();
    for (NodeItem* item : m_items) delete item;  // they look at the old graph
    m_items.clear();
    m_graph = std::move(graph);
    m_selected.reset();
    m_references.clear();
    rebuild();
    layOut(sameSubject);
}

void GraphView::rebuild() {
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
        GraphNode& node = m_graph.nodes[i];
        m_style.measure(node);
        auto* item = new NodeItem(node, static_cast<GraphIndex>(i), m_style);
        scene()->addItem(item);
        m_items.push_back(item);
    }
}

void GraphView::setDirection(GraphDirection direction) {
    if (direction == m_direction) return;
    m_direction = direction;
    m_touched = false;
    layOut(false);
}

void GraphView::layOut(bool sameSubject) {
    m_animation.stop();
    if (m_job != 0) m_jobs.discard(std::exchange(m_job, 0));
    m_better.reset();
    m_chip->hide();
    if (!sameSubject) m_touched = false;
    m_fromGraphviz = false;
    m_note = tr("built-in layout");
    show(layeredLayout(m_graph, m_direction));
    if (!m_touched) showReadably();
    if (const auto effort = graphvizEffort(m_graph.nodes.size(), m_graph.edges.size())) {
        askGraphviz(AutomaticSeconds, *effort);
    }
    Q_EMIT layoutChanged();
}

void GraphView::improveLayout() {
    if (m_graph.nodes.empty()) return;
    const auto effort = graphvizEffort(m_graph.nodes.size(), m_graph.edges.size());
    m_touched = false;
    askGraphviz(AskedForSeconds, effort.value_or(GraphvizEffort::Springs));
}

void GraphView::askGraphviz(double seconds, GraphvizEffort effort) {
    if (m_job != 0) m_jobs.discard(m_job);
    m_job = m_jobs.start(
        tr("Laying out a graph"), seconds > AutomaticSeconds, this,
        [graph = m_graph, direction = m_direction, effort, seconds](std::stop_token stop, const JobRunner::Report&) {
            return graphvizLayout(graph, direction, effort, seconds, std::move(stop));
        },
        [this](Result<GraphLayout> better) { takeBetter(std::move(better)); });
    Q_EMIT layoutChanged();
}

void GraphView::takeBetter(Result<GraphLayout> better) {
    m_job = 0;
    if (!better) {
        m_note = tr("built-in layout (%1)").arg(QString::fromStdString(better.error().message));
    } else if (m_touched) {
        m_better = std::move(*better);
        m_chip->show();
        placeChip();
    } else {
        animateTo(std::move(*better));
    }
    Q_EMIT layoutChanged();
}

void GraphView::applyBetterLayout() {
    if (!m_better) return;
    m_chip->hide();
    animateTo(std::move(*std::exchange(m_better, std::nullopt)));
    Q_EMIT layoutChanged();
}

void GraphView::animateTo(GraphLayout layout) {
    m_fromGraphviz = true;
    m_note = tr("Graphviz layout");
    if (layout.routes.size() < m_graph.edges.size()) layout.routes.resize(m_graph.edges.size());
    if (m_reducedMotion || !isVisible() || m_graph.edges.size() > MostMovingEdges) {
        show(layout);
        if (!m_touched) showReadably();
        return;
    }
    m_from = m_layout.centres;
    m_layout = std::move(layout);
    scene()->setSceneRect(m_layout.bounds.adjusted(-Margin, -Margin, Margin, Margin));
    if (!m_touched) showReadably();
    m_animation.start();
}

void GraphView::show(const GraphLayout& layout) {
    if (&layout != &m_layout) m_layout = layout;
    placeItems(m_layout.centres);
    drawEdges(true);
    scene()->setSceneRect(m_layout.bounds.adjusted(-Margin, -Margin, Margin, Margin));
}

void GraphView::placeItems(const std::vector<QPointF>& centres) {
    for (std::size_t i = 0; i < m_items.size(); ++i) m_items[i]->setPos(centres[i]);
}

QRectF GraphView::boxOf(GraphIndex node) const { return m_items[node]->box().translated(m_items[node]->pos()); }

void GraphView::drawEdges(bool routed) {
    std::vector<EdgeLayer::Line> lines;
    const auto curve = [](const std::vector<QPointF>& points) {
        QPainterPath path;
        if (points.empty()) return path;
        path.moveTo(points[0]);
        for (std::size_t i = 1; i + 2 < points.size(); i += 3) path.cubicTo(points[i], points[i + 1], points[i + 2]);
        return path;
    };
    for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
        const GraphEdge& edge = m_graph.edges[i];
        if (edge.kind != GraphEdge::Kind::Child) continue;
        const bool known = routed && i < m_layout.routes.size() && !m_layout.routes[i].empty();
        const QRectF from = boxOf(edge.from);
        const double rowY =
            from.center().y() + (edge.fromRow < 0 ? 0.0 : m_graph.nodes[edge.from].rowMiddle(edge.fromRow));
        std::vector<QPointF> route = known ? m_layout.routes[i] : wayBetween(from, boxOf(edge.to), m_direction);
        if (edge.from == edge.to)
            route = loopRoute(from, rowY);
        else if (edge.fromRow >= 0)
            route = routeFromRow(std::move(route), from, rowY, m_direction);
        lines.push_back({curve(route), edge.kind, edge.strong, m_graph.arrows ? arrowHead(route) : QPolygonF()});
    }
    m_edges->setLines(std::move(lines));
    std::vector<EdgeLayer::Line> over;
    for (const GraphEdge& edge : m_references) {
        const QRectF from = boxOf(edge.from);
        const QRectF to = boxOf(edge.to);
        QPainterPath path(from.center());
        // Bent aside, so that it does not lie on the edges of the tree.
        const QPointF way = to.center() - from.center();
        path.quadTo(from.center() + way / 2 + QPointF(-way.y(), way.x()) * 0.15, to.center());
        over.push_back({path, GraphEdge::Kind::Reference});
    }
    m_overlay->setLines(std::move(over));
}

void GraphView::setReferences(std::vector<GraphEdge> references) {
    m_references = std::move(references);
    if (m_animation.state() != QAbstractAnimation::Running) drawEdges(true);
}

void GraphView::setSelected(std::optional<GraphIndex> node) {
    if (node && *node >= m_items.size()) node.reset();
    if (m_selected && *m_selected < m_items.size()) m_items[*m_selected]->setState(NodeState::Selected, false);
    m_selected = node;
    if (!node) return;
    m_items[*node]->setState(NodeState::Selected, true);
    setAccessibleDescription(m_graph.nodes[*node].title);
    reveal(*node);
}

void GraphView::setMarked(NodeState state, const std::vector<GraphIndex>& nodes) {
    for (NodeItem* item : m_items) item->setState(state, false);
    for (const GraphIndex node : nodes) m_items[node]->setState(state, true);
}

std::vector<GraphIndex> GraphView::marked(NodeState state) const {
    std::vector<GraphIndex> nodes;
    for (const NodeItem* item : m_items) {
        if (item->is(state)) nodes.push_back(item->index());
    }
    return nodes;
}

// --- the view ------------------------------------------------------------------------------------------------------------

void GraphView::scaleTo(double scale) { setTransform(QTransform::fromScale(scale, scale)); }

void GraphView::fit() {
    if (m_layout.bounds.isEmpty()) return;
    m_touched = false;
    const QRectF all = m_layout.bounds.adjusted(-Margin, -Margin, Margin, Margin);
    const QSizeF room = viewport()->size();
    scaleTo(std::clamp(std::min(room.width() / all.width(), room.height() / all.height()), SmallestScale, 1.0));
    centerOn(all.center());
}

/// All of it if that can be read; else around the selection, or the beginning.
void GraphView::showReadably() {
    if (m_layout.bounds.isEmpty() || viewport()->width() <= 0) return;
    fit();
    if (transform().m11() >= ReadableScale) return;
    scaleTo(ReadableScale);
    if (m_selected) {
        centerOn(boxOf(*m_selected).center());
        return;
    }
    const QRectF first = QRectF(m_layout.centres[0], QSizeF());
    const double down = viewport()->height() / ReadableScale / 2 - 2 * Margin;
    const double right = viewport()->width() / ReadableScale / 2 - 4 * Margin;
    centerOn(m_direction == GraphDirection::Down ? first.center() + QPointF(0, down)
                                                 : first.center() + QPointF(right, 0));
}

void GraphView::zoom(int steps) {
    m_touched = true;
    if (steps == 0) {
        scaleTo(1.0);
        if (m_selected) centerOn(boxOf(*m_selected).center());
        return;
    }
    scaleTo(std::clamp(transform().m11() * std::pow(ZoomStep, steps), SmallestScale, LargestScale));
}

void GraphView::reveal(GraphIndex node) {
    const QRectF box = m_items[node]->box().translated(m_layout.centres[node]);
    const QRectF seen = mapToScene(viewport()->rect()).boundingRect();
    if (!seen.contains(box)) centerOn(box.center());
}

QRect GraphView::rectOf(GraphIndex node) const { return mapFromScene(boxOf(node)).boundingRect(); }

void GraphView::placeChip() {
    m_chip->adjustSize();
    m_chip->move(viewport()->width() - m_chip->width() - 8, 8);
}

void GraphView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    placeChip();
    if (!m_touched) showReadably();
}

void GraphView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_style = GraphStyle(palette(), font());
        scene()->update();
        if (event->type() == QEvent::FontChange) {
            for (NodeItem* item : m_items) item->aboutToResize();
            for (GraphNode& node : m_graph.nodes) m_style.measure(node);
            for (NodeItem* item : m_items) item->layOutTexts();
            layOut(true);
        }
    }
    QGraphicsView::changeEvent(event);
}

// --- mouse and keys ------------------------------------------------------------------------------------------------------

NodeItem* GraphView::itemAtPoint(const QPoint& point) const {
    for (QGraphicsItem* item : items(point)) {
        auto* node = dynamic_cast<NodeItem*>(item);
        if (node != nullptr) return node;
    }
    return nullptr;
}

void GraphView::wheelEvent(QWheelEvent* event) {
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoom(event->angleDelta().y() > 0 ? 1 : -1);
        event->accept();
        return;
    }
    m_touched = true;
    QGraphicsView::wheelEvent(event);
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) m_pressed = event->pos();
    m_panning = false;
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    if (!m_pressed) {
        QGraphicsView::mouseMoveEvent(event);
        return;
    }
    const QPoint way = event->pos() - *m_pressed;
    if (!m_panning && way.manhattanLength() < QApplication::startDragDistance()) return;
    if (!std::exchange(m_panning, true)) viewport()->setCursor(Qt::ClosedHandCursor);
    m_touched = true;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - way.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - way.y());
    m_pressed = event->pos();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_pressed) return;
    m_pressed.reset();
    viewport()->unsetCursor();
    if (std::exchange(m_panning, false) || event->button() != Qt::LeftButton) return;
    NodeItem* item = itemAtPoint(event->pos());
    if (item == nullptr) {
        Q_EMIT backgroundClicked();
        return;
    }
    const auto node = static_cast<int>(item->index());
    if (item->button().contains(item->mapFromScene(mapToScene(event->pos())))) {
        Q_EMIT nodeToggled(node);
    } else {
        Q_EMIT nodeClicked(node);
    }
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const NodeItem* item = itemAtPoint(event->pos())) Q_EMIT nodeToggled(static_cast<int>(item->index()));
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Space: fit(); return;
        case Qt::Key_Plus: zoom(1); return;
        case Qt::Key_Minus: zoom(-1); return;
        case Qt::Key_Equal: zoom(0); return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m_selected) Q_EMIT nodeToggled(static_cast<int>(*m_selected));
            return;
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier) {
                walk(event->key());
                return;
            }
            break;
        default: break;
    }
    QGraphicsView::keyPressEvent(event);
}

/// Along the layout: to the node above or below in it; across: to the next one of the same layer.
void GraphView::walk(int key) {
    if (m_items.empty()) return;
    if (!m_selected) {
        Q_EMIT nodeClicked(0);
        return;
    }
    const bool sideways = m_direction == GraphDirection::Right;
    const int back = sideways ? Qt::Key_Left : Qt::Key_Up;
    const int on = sideways ? Qt::Key_Right : Qt::Key_Down;
    if (key == back || key == on) {
        for (const GraphEdge& edge : m_graph.edges) {
            if (edge.kind != GraphEdge::Kind::Child) continue;
            if ((key == back ? edge.to : edge.from) != *m_selected) continue;
            Q_EMIT nodeClicked(static_cast<int>(key == back ? edge.from : edge.to));
            return;
        }
        return;
    }
    const bool forward = key == Qt::Key_Right || key == Qt::Key_Down;
    const QPointF here = m_layout.centres[*m_selected];
    std::optional<GraphIndex> next;
    double nearest = 0.0;
    for (std::size_t i = 0; i < m_layout.centres.size(); ++i) {
        const QPointF way = m_layout.centres[i] - here;
        const double across = sideways ? way.y() : way.x();
        const double along = sideways ? way.x() : way.y();
        const QSizeF size = m_graph.nodes[i].size;
        if (std::abs(along) > (sideways ? size.width() : size.height()) / 2 + Margin / 2) continue;
        const double distance = forward ? across : -across;
        if (distance <= 0.5 || (next && distance >= nearest)) continue;
        next = static_cast<GraphIndex>(i);
        nearest = distance;
    }
    if (next) Q_EMIT nodeClicked(static_cast<int>(*next));
}

}  // namespace mitos::views
